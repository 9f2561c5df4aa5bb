/* signals.c - see signals.h. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* A signal handler takes no argument, so it reads these variables. */
static _Atomic(const char *) files_to_remove[SIGNALS_MOST_FILES];
static atomic_bool dying;
static atomic_bool line_to_end;

/* The result is used because compilers warn otherwise; a terminal that is gone needs no newline. */
static void end_line(void)
{
    ssize_t written = write(STDERR_FILENO, "\n", 1);

    (void)written;
}

/* Takes each path out of the list, so that no other thread frees it meanwhile: see signals_forget_file(). */
static void remove_and_die(int number)
{
    atomic_store(&dying, true);
    for (size_t i = 0; i < SIGNALS_MOST_FILES; i++) {
        const char *path = atomic_exchange(&files_to_remove[i], NULL);
        if (path) unlink(path);
    }
    if (atomic_load(&line_to_end)) end_line();
    signal(number, SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

void signals_ignore_faults_of_output(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_die_of_pipe(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGPIPE);
}

static void catch_signals(void)
{
    static atomic_bool caught;

    /* The signals that end a process by default and that other processes send. */
    static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU };

    if (atomic_exchange(&caught, true)) return;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = { .sa_handler = remove_and_die }, old;

        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL);
    }
}

/* Replaces the first entry that is `from` by `to`. */
static bool replace_entry(const char *from, const char *to)
{
    for (size_t i = 0; i < SIGNALS_MOST_FILES; i++) {
        const char *expected = from;
        if (atomic_compare_exchange_strong(&files_to_remove[i], &expected, to)) return true;
    }
    return false;
}

static void wait_for_end(void)
{
    for (;;) pause();
}

void signals_remove_file(const char *path)
{
    (void)replace_entry(NULL, path);
    if (atomic_load(&dying)) wait_for_end(); /* the handler may have passed this entry already */
    catch_signals();
}

/* If the signal handler has taken the path, it may still use it, so this thread waits for the end of the process. */
void signals_forget_file(const char *path)
{
    if (path && !replace_entry(path, NULL) && atomic_load(&dying)) wait_for_end();
}

void signals_end_line(bool open)
{
    atomic_store(&line_to_end, open);
    if (open) catch_signals();
}
