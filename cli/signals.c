/* signals.c - see signals.h. */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* A signal handler takes no argument, so it reads this variable. */
static _Atomic(const char *) file_to_remove;

static void remove_and_die(int number)
{
    const char *path = atomic_load(&file_to_remove);

    if (path) unlink(path);
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

void signals_remove_file(const char *path)
{
    /* The signals that end a process by default and that other processes send. */
    static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU };

    atomic_store(&file_to_remove, path);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = { .sa_handler = remove_and_die }, old;

        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL);
    }
}

void signals_forget_file(void)
{
    atomic_store(&file_to_remove, NULL);
}
