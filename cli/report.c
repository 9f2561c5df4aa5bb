/* report.c - see report.h. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "err.h"
#include "signals.h"

#define ERASE_TO_END "\033[K"

static const char *program_name = "dragoman";

/* There is one stderr, and all threads write to it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *status; /* the status line; NULL: none. Guarded by the lock */

static struct iovec part(const char *text)
{
    return (struct iovec){ .iov_base = (char *)text, .iov_len = strlen(text) };
}

/* Writes all parts, with one system call unless that writes only some of the bytes. An error cannot be reported. */
static void write_parts(struct iovec *parts, int count)
{
    while (count > 0) {
        ssize_t n = writev(STDERR_FILENO, parts, count);

        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
            if (poll(&p, 1, -1) >= 0 || errno == EINTR) continue;
        }
        if (n < 0) return;
        while (count > 0 && (size_t)n >= parts->iov_len) {
            n -= (ssize_t)parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
}

void report_start(const char *name)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    program_name = name;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) break;
}

void report(const char *format, ...)
{
    struct iovec parts[6];
    va_list args;
    Err line;

    va_start(args, format);
    (void)err_set_list(&line, OK, format, args);
    va_end(args);
    pthread_mutex_lock(&lock);
    parts[0] = part(status ? "\r" ERASE_TO_END : "");
    parts[1] = part(program_name);
    parts[2] = part(": ");
    parts[3] = part(line.text);
    parts[4] = part("\n");
    parts[5] = part(status ? status : "");
    write_parts(parts, sizeof parts / sizeof *parts);
    pthread_mutex_unlock(&lock);
}

bool report_can_show_status(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/* Draws the new line over the old one, so that the terminal does not flicker. */
void report_set_status(const char *text)
{
    char *copy = text ? strdup(text) : NULL; /* if memory is short, there is no status line */
    struct iovec parts[] = { part("\r"), part(copy ? copy : ""), part(ERASE_TO_END) };

    pthread_mutex_lock(&lock);
    if (copy) signals_end_line(true);
    if (copy || status) write_parts(parts, sizeof parts / sizeof *parts);
    if (!copy) signals_end_line(false);
    free(status);
    status = copy;
    pthread_mutex_unlock(&lock);
}

static void warn(void *context, const char *message)
{
    (void)context;
    report("%s", message);
}

const Reporter program_reporter = { NULL, warn };
