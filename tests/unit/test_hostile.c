/* test_hostile.c - files that attack a program which opens them: docs/hostile-files.md.
 * tests/hostile/make_cases.py makes a folder for each case and takes the messages from that document. dragoman opens
 * the files in a child process with little memory and limited time. */
#define _GNU_SOURCE /* nftw(), strsep() */

#include "test_support.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "program.h"

#define DOCUMENT "docs/hostile-files.md"

/* Far more than any case needs: the longest takes about two seconds. Time that grows with the square of the input
 * exceeds the limit. */
#define MOST_BYTES       512000000
#define MOST_CPU_SECONDS 20
#define MOST_SECONDS     300

enum { EXIT_OF_TEST = 126, EXIT_OF_NO_PROGRAM = 127 };

#ifndef __has_feature /* of clang */
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
    __has_feature(thread_sanitizer)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* What the payloads would create. */
static const char *const traces[] = { "/tmp/dragoman-was-executed", "/tmp/escaped" };
static const char outside[] = "escaped"; /* in the name of a file that an archive writes outside of its folder */

/* A row of cases.tsv. */
typedef struct {
    const char *group, *folder, *status, *arguments, *message;
} Case;

/* Static, so that the leak sanitizer finds what the child processes have from their parent. */
static char *root, *cases; /* a new folder, and the one in it that has all cases */
static char *table;        /* cases.tsv */
static Case *rows;         /* of the table; NULL if the cases could not be made */
static size_t row_count;
static bool has_python;

static int wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail_msg("waitpid: %s", strerror(errno));
    return status;
}

static pid_t start_child(void)
{
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child < 0) fail_msg("fork: %s", strerror(errno));
    return child;
}

static size_t count_lines(const char *text, size_t bytes)
{
    size_t lines = 0;

    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    return lines;
}

static void read_table(void)
{
    char *path = support_path(cases, "cases.tsv"), *rest;

    rest = table = support_read_file(path, NULL);
    free(path);
    rows = support_alloc(count_lines(table, strlen(table)) * sizeof *rows);
    for (char *row; (row = strsep(&rest, "\n")) && *row;) {
        const char *cells[4];
        for (size_t i = 0; i < COUNT(cells); i++) cells[i] = strsep(&row, "\t");
        rows[row_count++] = (Case){ cells[0], cells[1], cells[2], cells[3], row };
    }
}

static bool is_emulated(void)
{
    const char *emulator = getenv("EMULATOR");

    return emulator && *emulator;
}

static int make_cases(void **state)
{
    pid_t child;
    int status;

    (void)state;
    for (size_t i = 0; i < COUNT(traces); i++) (void)unlink(traces[i]);
    root = support_folder_new();
    cases = support_path(root, "cases");
    if (is_emulated()) return 0;
    child = start_child();
    if (child == 0) {
        execlp("python3", "python3", "-W", "ignore", "-B", "tests/hostile/make_cases.py", cases, GOLDEN_ROOT, DOCUMENT,
               (char *)NULL);
        _exit(EXIT_OF_NO_PROGRAM);
    }
    status = wait_for(child);
    has_python = !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_OF_NO_PROGRAM;
    if (status == 0) read_table();
    return 0;
}

static int remove_cases(void **state)
{
    (void)state;
    support_folder_remove(root);
    free(root);
    free(cases);
    free(rows);
    free(table);
    return 0;
}

static void redirect(int to, const char *path, int flags)
{
    const int fd = open(path, flags, 0666);

    if (fd < 0 || dup2(fd, to) < 0 || close(fd) != 0) _exit(EXIT_OF_TEST);
}

/* The configuration and the models of the user must not change a result. */
static void leave_home(void)
{
    static const char *const names[] = { "DRAGOMAN_MODEL", "DRAGOMAN_CPU", "XDG_CONFIG_HOME", "XDG_DATA_HOME" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (unsetenv(names[i]) != 0) _exit(EXIT_OF_TEST);
    if (setenv("HOME", root, 1) != 0) _exit(EXIT_OF_TEST);
    /* This is not the program, which keeps OpenBLAS from starting threads, each with 128 MB (cli/openblas_start.c). */
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0) _exit(EXIT_OF_TEST);
}

/* Becomes `dragoman ARGUMENTS` in the folder of the case. */
static void become_dragoman(const Case *test)
{
    char *folder = support_path(cases, test->folder), *arguments = support_format("%s", test->arguments);
    const struct rlimit memory = { MOST_BYTES, MOST_BYTES }, time = { MOST_CPU_SECONDS, MOST_CPU_SECONDS };
    char *argv[16] = { (char[]){ "dragoman" } };
    int count = 1, status;

    for (char *next, *word = strtok_r(arguments, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
        if (count == COUNT(argv) - 1) _exit(EXIT_OF_TEST);
        argv[count++] = word;
    }
    if (chdir(folder) != 0) _exit(EXIT_OF_TEST);
    free(folder);
    redirect(STDIN_FILENO, "in", O_RDONLY);
    redirect(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
    if (!IS_SANITIZED && (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CPU, &time) != 0)) _exit(EXIT_OF_TEST);
    (void)alarm(MOST_SECONDS);
    leave_home();
    status = program_run(count, argv);
    free(arguments);
    exit(status);
}

static char *read_result(const char *folder, const char *name, size_t *bytes)
{
    char *path = support_path(folder, name), *content = support_read_file(path, bytes);

    free(path);
    return content;
}

/* Whether the output is the document that --identity copies, or has as many lines as the input. */
static bool output_is_right(const char *folder, const char *arguments, const char *out, size_t bytes)
{
    static const char identity[] = "--identity ";
    const bool copies = strncmp(arguments, identity, sizeof identity - 1) == 0;
    size_t expected_bytes;
    char *expected = read_result(folder, copies ? arguments + sizeof identity - 1 : "in", &expected_bytes);
    const bool right = copies ? bytes == expected_bytes && memcmp(out, expected, bytes) == 0
                              : count_lines(out, bytes) == count_lines(expected, expected_bytes);

    free(expected);
    return right;
}

/* Prints what is wrong and returns false. */
static bool check_case(const Case *test)
{
    const pid_t child = start_child();
    const int expected_status = *test->status - '0';
    char *folder, *expected, *out, *err;
    size_t out_bytes;
    int status;
    bool right;

    if (child == 0) become_dragoman(test);
    status = wait_for(child);
    folder = support_path(cases, test->folder);
    out = read_result(folder, "out", &out_bytes);
    err = read_result(folder, "err", NULL);
    expected = expected_status ? support_format("dragoman: %s\n", test->message) : support_format("%s", "");
    right = WIFEXITED(status) && WEXITSTATUS(status) == expected_status && strcmp(err, expected) == 0 &&
            (expected_status ? out_bytes == 0 : output_is_right(folder, test->arguments, out, out_bytes));
    if (!right)
        print_message("case %s: dragoman %s\n  status %#x, expected %d; %zu bytes of output\n  %s  expected: %s\n",
                      test->folder, test->arguments, (unsigned)status, expected_status, out_bytes, err, expected);
    free(folder);
    free(expected);
    free(out);
    free(err);
    return right;
}

static int find_outside(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    return strstr(path + place->base, outside) != NULL;
}

/* The parts of the document: files that claim to be pickles with code, archives with links, outside names and bombs,
 * models with wrong lengths, texts of any bytes and regular expressions, and documents with entities. */
static const char *const groups[] = { "Pickles", "Archives", "Models", "Texts", "Documents" };

/* Also checks that the document has these cases, and the functions that pickles name. */
TEST(hostile_files_are_refused_or_translated_and_leave_no_trace)
{
    if (is_emulated()) skip_because("an emulator takes too long");
    if (!has_python) skip_because("no python3");
    if (!rows) fail_msg("tests/hostile/make_cases.py failed");
    for (size_t i = 0; i < COUNT(groups); i++) {
        size_t count = 0, wrong = 0;
        for (const Case *test = rows; test < rows + row_count; test++) {
            if (strcmp(test->group, groups[i]) != 0) continue;
            count++;
            wrong += !check_case(test);
        }
        if (wrong || count <= 10) fail_msg("%s: %zu of %zu cases", groups[i], wrong, count);
    }
    for (size_t i = 0; i < COUNT(traces); i++) assert_int_not_equal(access(traces[i], F_OK), 0);
    assert_int_equal(nftw(root, find_outside, 16, FTW_PHYS), 0);
}

TESTS_WITH(test_hostile, make_cases, remove_cases);
