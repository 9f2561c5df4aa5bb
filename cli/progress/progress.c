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

static uint64_t load(const atomic_uint_fast64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static Work work_done(const Progress *p)
{
    return (Work){ .lines = load(&p->lines), .words = load(&p->words), .bytes = load(&p->bytes) };
}

static void draw(Progress *p)
{
    const double now = clock_seconds();
    const uint64_t total = p->plan.total_bytes, skipped = load(&p->skipped);
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

/* Draws until the pipe ends. */
static void *draw_repeatedly(void *argument)
{
    Progress *p = argument;
    struct pollfd wake = { .fd = p->wake[0], .events = POLLIN };
    double next = clock_seconds() + p->plan.first, left;

    for (;;) {
        while ((left = next - clock_seconds()) > 0) {
            const int n = poll(&wake, 1, (int)(left * 1e3) + 1);
            if (n > 0 || (n < 0 && errno != EINTR)) return NULL;
        }
        draw(p);
        next = clock_seconds() + p->plan.every;
    }
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

/* --- A download --- */

#define METER_EVERY 0.2 /* seconds between two drawings */
#define METER_CELLS 20  /* of the bar */

void meter_start(Meter *meter, bool quiet)
{
    *meter = (Meter){ .shown = !quiet && report_can_show_status(), .start = clock_seconds() };
}

/* A drawing that fails for lack of memory is left out. */
bool meter_show(void *context, const DragomanProgress *progress)
{
    Meter *meter = context;
    const double now = meter->shown ? clock_seconds() : 0, seconds = now - meter->start;
    const uint64_t done = progress->done, total = progress->total;
    double speed = 0;
    struct winsize size;
    size_t width = 79;
    Buf text = { 0 }, line = { 0 };

    if (!meter->shown || now - meter->drawn < METER_EVERY) return true;
    meter->drawn = now;
    if (seconds > METER_EVERY && done > progress->had) speed = (double)(done - progress->had) / seconds;
    if (total) {
        const unsigned full = done >= total ? METER_CELLS : (unsigned)(done * METER_CELLS / total);
        buf_put_byte(&text, '[');
        for (unsigned i = 0; i < METER_CELLS; i++) buf_put_byte(&text, i < full ? '=' : i == full ? '>' : ' ');
        buf_put_format(&text, "] %3u%%  ", (unsigned)((double)done * 100 / (double)total));
    }
    buf_put_format(&text, "%.1f MB  %.1f MB/s  %s", (double)done / 1e6, speed / 1e6,
                   progress->file ? progress->file : "");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) width = (size_t)size.ws_col - 1;
    if (buf_check(&text, NULL) == OK && cells_append_end(&line, text.data, width, NULL) == OK)
        report_set_status(line.data);
    buf_free(&line);
    buf_free(&text);
    return true;
}

void meter_stop(Meter *meter)
{
    if (meter->shown && meter->drawn > 0) report_set_status(NULL);
    meter->shown = false;
}
