/* fault_run.c - see fault_run.h.
 * The child is forked before dragoman has started, so that each run begins in the same state without the time that a
 * program with sanitizers and large libraries takes to start. */
#include "fault_run.h"

#include <errno.h>
#include <fcntl.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* A run takes a fraction of a second. One that takes this long does not end. */
#define MOST_SECONDS 120

static void redirect(int to, const char *path, int flags)
{
    const int fd = open(path, flags, 0666);

    if (fd < 0 || dup2(fd, to) < 0 || (fd != to && close(fd) != 0)) fault_give_up("%s: %s", path, strerror(errno));
}

static void become_child(const FaultDesk *desk, const FaultCase *test)
{
    char *out = fault_text("%s/out", desk->folder), *err = fault_text("%s/err", desk->folder);
    char *work = fault_text("%s/work", desk->folder), *home = fault_text("%s/home", work);

    redirect(STDIN_FILENO, test->input, O_RDONLY);
    redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
    if (chdir(work) != 0) fault_give_up("%s: %s", work, strerror(errno));
    free(out);
    free(err);
    free(work);
    if (setenv("HOME", home, 1) != 0) fault_give_up("setenv: %s", strerror(errno));
    free(home);
    optind = 0; /* getopt() has read the options of the driver */
    (void)alarm(MOST_SECONDS);
}

FaultResult fault_run(FaultDesk *desk, const FaultCase *test, Fault fault)
{
    FaultResult result = { 0 };
    char *path = fault_text("%s/work", desk->folder);
    pid_t child;

    if (!desk->is_clean) fault_files_restore(desk->before, path);
    for (int i = 0; i < FAULT_KINDS; i++) atomic_store(&desk->record->calls[i], 0);
    atomic_store(&desk->record->injected, false);
    child = fork();
    if (child < 0) fault_give_up("fork: %s", strerror(errno));
    if (child == 0) {
        become_child(desk, test);
        __lsan_enable();
        fault_arm(fault, desk->record);
        exit(program_run(test->count, test->arguments));
    }
    while (waitpid(child, &result.status, 0) < 0)
        if (errno != EINTR) fault_give_up("waitpid: %s", strerror(errno));
    result.files = fault_files_read(path);
    desk->is_clean = fault_files_equal(&result.files, desk->before);
    free(path);
    result.out = fault_file_read(path = fault_text("%s/out", desk->folder));
    free(path);
    result.err = fault_file_read(path = fault_text("%s/err", desk->folder));
    free(path);
    return result;
}

void fault_result_free(FaultResult *result)
{
    fault_files_free(&result->files);
    free(result->out.path);
    free(result->out.data);
    free(result->err.path);
    free(result->err.data);
}
