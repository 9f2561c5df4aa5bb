/* progress.c - see progress.h. */
#define _DARWIN_C_SOURCE /* struct winsize is not in POSIX.1-2008 */
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
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

static void draw(Progress *p)
{
    const double now = clock_seconds();
    const uint64_t total = p->plan.total_bytes, skipped = atomic_load_explicit(&p->skipped, memory_order_relaxed);
    ProgressView view = { .done = work_done(p),
                          .file = atomic_load_explicit(&p->file, memory_order_relaxed),
                          .files = p->plan.files,
                          .name = atomic_load_explicit(&p->name, memory_order_acquire),
                          .elapsed = now - p->start };
    struct winsize size;
    size_t columns = DEFAULT_WIDTH;
    pid_t foreground;
    Status st;

    /* A total that is known must not become 0, which would mean unknown. */
    if (total) view.total = skipped < total ? total - skipped : 1;
    pace_update(&p->pace, now, &view.done, view.total);
    view.left = p->pace.left;
    view.speed = p->pace.speed;
    buf_clear(&p->text);
    if (p->plan.kind == PROGRESS_LINES) {
        if (progress_text_line(&p->text, &view, NULL) == OK) report("%s", p->text.data);
        return;
    }

    /* A job in the background must not write over what the user types. No foreground group is known if stderr is not
     * the terminal that controls this process. */
    foreground = tcgetpgrp(STDERR_FILENO);
    if (foreground > 0 && foreground != getpgrp()) return;

    /* The last column stays empty: some terminals begin a new line as soon as it is filled. */
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) columns = size.ws_col;
    st = progress_text_bar(&p->text, &view, columns - 1, p->plan.colour, NULL);
    report_set_status(st == OK && p->text.len ? p->text.data : NULL);
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

void progress_stop(Progress *p)
{
    Work done;

    if (!p) return;
    close(p->wake[1]);
    pthread_join(p->thread, NULL);
    close(p->wake[0]);
    if (p->plan.kind == PROGRESS_LINES) {
        done = work_done(p);
        buf_clear(&p->text);
        if (progress_text_end(&p->text, &done, clock_seconds() - p->start, NULL) == OK) report("%s", p->text.data);
    } else {
        report_set_status(NULL);
    }
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

/* --- Whether and how the progress is shown --- */

/* Seconds. */
#define BAR_FIRST   2.0
#define BAR_EVERY   0.2
#define LINES_EVERY 10.0

ProgressPlan progress_plan(const Options *options, bool uses_terminal)
{
    const char *none = getenv("NO_COLOR"); /* see no-color.org */

    if (options->progress) return (ProgressPlan){ .kind = PROGRESS_LINES, .first = LINES_EVERY, .every = LINES_EVERY };
    if (options->no_progress || options->quiet || uses_terminal || !report_can_show_status())
        return (ProgressPlan){ .kind = PROGRESS_NONE };
    return (ProgressPlan){ .kind = PROGRESS_BAR, .colour = !none || !*none, .first = BAR_FIRST, .every = BAR_EVERY };
}

/* An input that does not exist adds nothing; it is reported when it is opened. */
void progress_plan_set_inputs(ProgressPlan *plan, const DragomanInput *inputs, size_t count)
{
    uint64_t total = 0;
    bool known = true;

    for (size_t i = 0; i < count; i++) {
        const char *path = inputs[i].path;
        const bool standard = strcmp(path, "-") == 0;
        struct stat info;
        off_t position = 0;
        if ((standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0) continue;
        if (!S_ISREG(info.st_mode)) {
            known = known && S_ISDIR(info.st_mode);
            continue;
        }
        if (standard) position = lseek(STDIN_FILENO, 0, SEEK_CUR);
        if (position >= 0 && position < info.st_size) total += (uint64_t)(info.st_size - position);
    }
    plan->total_bytes = known ? total : 0;
    plan->files = count;
}
