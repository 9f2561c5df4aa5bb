/* progress.c - see progress.h. */
#define _DARWIN_C_SOURCE /* struct winsize is not in POSIX.1-2008 */
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "progress_text.h"
#include "report.h"
#include "thread.h"

#define DEFAULT_WIDTH 80

struct Progress {
    ProgressPlan plan;
    atomic_uint_fast64_t lines, words, bytes, skipped;
    atomic_size_t file;
    _Atomic(const char *) name;
    pthread_t thread; /* the fields below belong to it */
    int wake[2];      /* end of file in this pipe means stop */
    double start;
    Pace pace;
    Buf text;
};

static Work work_done(Progress *p)
{
    return (Work){ .lines = atomic_load_explicit(&p->lines, memory_order_relaxed),
                   .words = atomic_load_explicit(&p->words, memory_order_relaxed),
                   .bytes = atomic_load_explicit(&p->bytes, memory_order_relaxed) };
}

/* A total that is known must not become 0, which would mean unknown. */
static uint64_t total_left(Progress *p)
{
    const uint64_t total = p->plan.total_bytes, skipped = atomic_load_explicit(&p->skipped, memory_order_relaxed);

    if (!total) return 0;
    return skipped < total ? total - skipped : 1;
}

static ProgressView look(Progress *p)
{
    const double now = clock_seconds();
    ProgressView view = { .done = work_done(p),
                          .total = total_left(p),
                          .file = atomic_load_explicit(&p->file, memory_order_relaxed),
                          .files = p->plan.files,
                          .name = atomic_load_explicit(&p->name, memory_order_acquire),
                          .elapsed = now - p->start };

    pace_update(&p->pace, now, &view.done, view.total);
    view.left = p->pace.left;
    view.speed = p->pace.speed;
    return view;
}

/* The last column stays empty: some terminals begin a new line as soon as it is filled. */
static size_t bar_width(void)
{
    struct winsize size;
    size_t columns = DEFAULT_WIDTH;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) columns = size.ws_col;
    return columns - 1;
}

/* A job in the background must not write over what the user types. No foreground group is known if stderr is not the
 * terminal that controls this process. */
static bool in_background(void)
{
    pid_t foreground = tcgetpgrp(STDERR_FILENO);

    return foreground > 0 && foreground != getpgrp();
}

static void draw(Progress *p)
{
    const ProgressView view = look(p);
    Status st;

    buf_clear(&p->text);
    if (p->plan.kind == PROGRESS_LINES) {
        st = progress_text_line(&p->text, &view, NULL);
        if (st == OK) report("%s", p->text.data);
    } else if (!in_background()) {
        st = progress_text_bar(&p->text, &view, bar_width(), p->plan.colour, NULL);
        report_set_status(st == OK && p->text.len ? p->text.data : NULL);
    }
}

/* Waits `seconds`. Returns false if the thread shall end. */
static bool wait_for_time(const Progress *p, double seconds)
{
    const double end = clock_seconds() + seconds;
    struct pollfd wake = { .fd = p->wake[0], .events = POLLIN };
    double left;

    while ((left = end - clock_seconds()) > 0) {
        int n = poll(&wake, 1, (int)(left * 1e3) + 1);
        if (n > 0 || (n < 0 && errno != EINTR)) return false;
    }
    return true;
}

static void *draw_repeatedly(void *argument)
{
    Progress *p = argument;
    double wait = p->plan.first;

    while (wait_for_time(p, wait)) {
        draw(p);
        wait = p->plan.every;
    }
    return NULL;
}

Progress *progress_start(const ProgressPlan *plan)
{
    Progress *p = plan->kind == PROGRESS_NONE ? NULL : calloc(1, sizeof *p);

    if (!p) return NULL;
    p->plan = *plan;
    p->start = clock_seconds();
    pace_start(&p->pace, p->start);
    if (pipe(p->wake) != 0) {
        free(p);
        return NULL;
    }
    if (thread_start_masked(&p->thread, draw_repeatedly, p) == 0) return p;
    close(p->wake[0]);
    close(p->wake[1]);
    free(p);
    return NULL;
}

static void report_end(Progress *p)
{
    const Work done = work_done(p);

    buf_clear(&p->text);
    if (progress_text_end(&p->text, &done, clock_seconds() - p->start, NULL) == OK) report("%s", p->text.data);
}

void progress_stop(Progress *p)
{
    if (!p) return;
    close(p->wake[1]);
    pthread_join(p->thread, NULL);
    close(p->wake[0]);
    if (p->plan.kind == PROGRESS_LINES)
        report_end(p);
    else
        report_set_status(NULL);
    buf_free(&p->text);
    free(p);
}

void progress_file(Progress *p, size_t number, const char *name)
{
    if (!p) return;
    atomic_store_explicit(&p->file, number, memory_order_relaxed);
    atomic_store_explicit(&p->name, name, memory_order_release);
}

void progress_line(Progress *p, size_t bytes, size_t words)
{
    if (!p) return;
    atomic_fetch_add_explicit(&p->lines, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->words, words, memory_order_relaxed);
    progress_bytes(p, bytes);
}

void progress_bytes(Progress *p, size_t bytes)
{
    if (p) atomic_fetch_add_explicit(&p->bytes, bytes, memory_order_relaxed);
}

void progress_skip(Progress *p, uint64_t bytes)
{
    if (p) atomic_fetch_add_explicit(&p->skipped, bytes, memory_order_relaxed);
}
