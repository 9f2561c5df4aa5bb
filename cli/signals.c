/* signals.c - see signals.h. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "dragoman_tools.h"
#include "temporary_file.h"

#define EXIT_OF_FAULT 1 /* the exit code that program.c uses for an error */

/* Set by signals_end_line(). A signal handler gets no argument from the program, so it reads this variable. */
static atomic_bool line_to_end;

/* For signals_begin_files(): whether to report the number of complete files, and this number. */
static atomic_bool reports_files;
static atomic_size_t complete_files;

/* Writes to stderr. A failure cannot be reported; the result is used only because compilers warn otherwise. */
static void write_bytes(const char *bytes, size_t count)
{
    (void)!write(STDERR_FILENO, bytes, count);
}

/* Appends a text to a message of `used` bytes, as far as there is room, and returns the new number of bytes. Control
 * characters, which a terminal would obey, become '?'. */
static size_t append(char *message, size_t used, size_t room, const char *text)
{
    for (; *text && used < room; text++) message[used++] = (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text;
    return used;
}

/* Ends the process by the signal. In the first process of a container, raise() returns, because the kernel ignores the
 * default action of signals there; the exit code is then the number that a shell shows for the signal. */
static _Noreturn void die_of(int number)
{
    sigset_t set;

    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}

/* Does not use snprintf(), which is not allowed in a signal handler. */
static void report_files(void)
{
    size_t count = atomic_load(&complete_files);
    char message[200], digits[32], *first = digits + sizeof digits - 1;
    size_t used = append(message, 0, sizeof message, "dragoman: interrupted; ");

    *first = '\0';
    do *--first = (char)('0' + count % 10);
    while (count /= 10);
    used = append(message, used, sizeof message, first);
    used = append(message, used, sizeof message,
                  strcmp(first, "1") == 0 ? " file was translated" : " files were translated");
    used = append(message, used, sizeof message - 1, ", and --resume translates those that are left");
    message[used++] = '\n';
    write_bytes(message, used);
}

static void remove_and_die(int number)
{
    temporary_file_remove_all();
    if (atomic_load(&line_to_end)) write_bytes("\n", 1);
    if (atomic_load(&reports_files)) report_files();
    die_of(number);
}

void signals_die_of_pipe(void)
{
    die_of(SIGPIPE);
}

static void catch_end(int number)
{
    struct sigaction action = { .sa_handler = remove_and_die }, old;

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(number, &action, NULL);
}

/* The handler of SIGBUS: reports a mapped file that was truncated, and ends the process. With another cause, the
 * process ends as without this handler: by die_of() if a process has sent the signal; otherwise the instruction that
 * failed runs again, without a handler. Does not use snprintf(), which is not allowed in a signal handler. */
static void end_of_lost_file(int number, siginfo_t *info, void *context)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    static const char fault[] = ": was truncated while in use, or its disk has failed; restore the file and run "
                                "dragoman again";
    static const char erase_line[] = "\r\033[K"; /* the progress bar */
    const char *path = info->si_code == BUS_ADRERR ? dragoman_mapped_file(info->si_addr) : NULL;
    char message[2048];
    size_t used;

    (void)context;
    if (!path) {
        if (info->si_code <= 0) die_of(number);
        signal(number, SIG_DFL);
        return;
    }
    while (atomic_flag_test_and_set(&ending)) pause(); /* another thread reports the file and ends the process */
    temporary_file_remove_all();
    used = append(message, 0, sizeof message - sizeof fault, "dragoman: ");
    used = append(message, used, sizeof message - sizeof fault, path);
    used = append(message, used, sizeof message - 1, fault);
    message[used++] = '\n';
    if (atomic_load(&line_to_end)) write_bytes(erase_line, sizeof erase_line - 1);
    write_bytes(message, used);
    _exit(EXIT_OF_FAULT);
}

void signals_start(void)
{
    struct sigaction lost_file = { .sa_sigaction = end_of_lost_file, .sa_flags = SA_SIGINFO };
    /* The signals that end a process by default, except those that report a fault in the process. */
    static const int numbers[] = {
        SIGINT,    SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
#ifdef SIGPOLL
        SIGPOLL,
#endif
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) catch_end(numbers[i]);
#ifdef SIGRTMIN
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) catch_end(number);
#endif
    sigemptyset(&lost_file.sa_mask);
    sigaction(SIGBUS, &lost_file, NULL);
}

void signals_end_line(bool open)
{
    atomic_store(&line_to_end, open);
}

void signals_begin_files(void)
{
    atomic_store(&complete_files, 0);
    atomic_store(&reports_files, true);
}

void signals_count_file(void)
{
    atomic_fetch_add(&complete_files, 1);
}

void signals_end_files(void)
{
    atomic_store(&reports_files, false);
}
