/* progress.c - see progress.h. */
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unicode/uchar.h>
#include <unistd.h>

#include "c_locale.h"
#include "clock.h"
#include "report.h"
#include "terminal.h"
#include "text.h"
#include "thread.h"
#include "utf8.h"

/* --- The width of a text --- */

#define ELLIPSIS "\u2026" /* one cell */

/* Returns the number of cells for a character. Marks take no cells. If a Korean syllable is written letter by letter,
 * its vowel and final consonant share the cells of its first consonant. */
static size_t width_of(uint32_t code)
{
    const uint32_t type = U_MASK(u_charType((UChar32)code));
    const int32_t syllable = u_getIntPropertyValue((UChar32)code, UCHAR_HANGUL_SYLLABLE_TYPE);
    const int32_t width = u_getIntPropertyValue((UChar32)code, UCHAR_EAST_ASIAN_WIDTH);

    if (type & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) return 0;
    if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

/* Reads the next code point, or '?' for one that cannot be printed. Returns the number of bytes read. */
static size_t next_printed(const char *text, size_t len, uint32_t *code)
{
    size_t step = utf8_next(text, len, code);

    if (*code == UTF8_INVALID || u_charType((UChar32)*code) == U_CONTROL_CHAR) *code = '?';
    return step;
}

size_t cells_count(const char *text)
{
    const size_t len = strlen(text);
    size_t cells = 0;

    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += next_printed(text + i, len - i, &code);
        cells += width_of(code);
    }
    return cells;
}

void cells_put_end(Buf *out, const char *text, size_t width)
{
    const size_t len = strlen(text);
    size_t i = 0, cells = cells_count(text);
    uint32_t code;

    /* Do not begin with a mark, such as an accent, that belongs to a character which is left out. */
    if (cells > width) {
        if (!width) return;
        buf_put_text(out, ELLIPSIS);
        while (i < len) {
            const size_t step = next_printed(text + i, len - i, &code), own = width_of(code);
            if (cells <= width - 1 && own) break;
            cells -= own;
            i += step;
        }
    }
    while (i < len) {
        char bytes[4];
        i += next_printed(text + i, len - i, &code);
        buf_put(out, bytes, utf8_put(code, bytes));
    }
}

/* --- The pace.
 * The speed is the quotient of two sums, work and time. Every SPEED_SECONDS, the weight of each part of both sums falls
 * by the factor e. So the speed is an average over all work at first, and over the recent past later.
 *
 * An estimate of the time left, bytes left / bytes per second, jumps whenever a long line is finished. The time left
 * that is shown therefore counts down like a clock, and its difference from the estimate falls by the factor e every
 * LEFT_SECONDS. If the total changes, the time left becomes the estimate.
 *
 * At first, nothing is finished while many lines are in progress, and then they are finished together. So there is no
 * estimate before FIRST_SECONDS and FIRST_SHARE of the work, or before SPEED_SECONDS if the work is long. */

#define SPEED_SECONDS 20.0
#define LEFT_SECONDS  5.0
#define FIRST_SECONDS 3.0
#define FIRST_SHARE   0.03

void pace_start(Pace *pace, double now)
{
    *pace = (Pace){ .left = PACE_UNKNOWN, .start = now, .when = now };
}

void pace_update(Pace *pace, double now, const Work *done, uint64_t total)
{
    const double passed = now - pace->when, kept = exp(-passed / SPEED_SECONDS), elapsed = now - pace->start;
    const bool is_enough = elapsed >= SPEED_SECONDS || (double)done->bytes >= FIRST_SHARE * (double)total;

    if (passed <= 0) return;
    pace->seconds = pace->seconds * kept + passed;
    pace->sums.lines = pace->sums.lines * kept + (double)(done->lines - pace->done.lines);
    pace->sums.words = pace->sums.words * kept + (double)(done->words - pace->done.words);
    pace->sums.bytes = pace->sums.bytes * kept + (double)(done->bytes - pace->done.bytes);
    pace->speed.lines = pace->sums.lines / pace->seconds;
    pace->speed.words = pace->sums.words / pace->seconds;
    pace->speed.bytes = pace->sums.bytes / pace->seconds;
    if (total && done->bytes && elapsed >= FIRST_SECONDS && is_enough) {
        const double estimate = done->bytes < total ? (double)(total - done->bytes) / pace->speed.bytes : 0;
        const bool begins = pace->left == PACE_UNKNOWN || total != pace->total;
        const double counted = begins ? estimate : fmax(pace->left - passed, 0);
        pace->left = estimate + (counted - estimate) * exp(-passed / LEFT_SECONDS);
    }
    pace->total = total;
    pace->done = *done;
    pace->when = now;
}

/* --- The texts --- */

#define COLOUR_ON  "\033[36m" /* cyan: readable on light and dark backgrounds */
#define COLOUR_OFF "\033[m"

#define GAP        "  " /* between two parts */
#define GAP_CELLS  2
#define BAR_LEAST  10 /* cells */
#define BAR_MOST   40
#define NAME_LEAST 8

/* The parts of the line for a terminal, in the order in which they are shown. */
typedef enum {
    PART_BAR,
    PART_DONE,
    PART_WORDS,
    PART_LINE_SPEED,
    PART_WORD_SPEED,
    PART_TIME,
    PART_FILE,
    PART_NAME,
    PARTS
} PartKind;

/* Parts of the line are left out in this order until the others fit. PART_DONE is always shown. */
static const PartKind dispensable[] = { PART_WORD_SPEED, PART_FILE, PART_WORDS, PART_LINE_SPEED,
                                        PART_NAME,       PART_BAR,  PART_TIME };

typedef struct {
    char text[64]; /* ASCII; not used for PART_BAR and PART_NAME */
    size_t cells;  /* 0: not shown */
} Part;

static void set_part(Part *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_part(Part *part, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)c_locale_vsnprintf(part->text, sizeof part->text, format, args);
    va_end(args);
    part->cells = strlen(part->text);
}

typedef struct {
    char text[32];
} TimeText;

/* "0:42" or "1:02:03". */
static TimeText time_text(double seconds)
{
    TimeText out = { "--:--" };
    unsigned long s;

    if (seconds < 0 || seconds > 1e9) return out;
    s = (unsigned long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(out.text, sizeof out.text, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out.text, sizeof out.text, "%lu:%02lu", s / 60, s % 60);
    return out;
}

/* The number of digits after the point; a high speed is shown without any. */
static int digits(double speed)
{
    return speed < 99.95 ? 1 : 0;
}

static double share(const Pace *pace)
{
    return pace->done.bytes < pace->total ? (double)pace->done.bytes / (double)pace->total : 1;
}

/* Returns the width of all parts and of the gaps between them, in cells. */
static size_t sum_cells(const Part parts[PARTS])
{
    size_t sum = 0;

    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].cells) sum += parts[i].cells + (sum ? GAP_CELLS : 0);
    return sum;
}

void progress_put_bar(Buf *out, const ProgressView *view, size_t width, bool colour)
{
    const Pace *pace = &view->pace;
    const Work *done = &pace->done;
    Part parts[PARTS] = { { .cells = 0 } };
    bool first = true;

    if (pace->total) {
        parts[PART_BAR].cells = width / 6 < BAR_LEAST ? BAR_LEAST : width / 6 > BAR_MOST ? BAR_MOST : width / 6;
        set_part(&parts[PART_DONE], "%d%%", (int)(share(pace) * 100));
        set_part(&parts[PART_TIME], "%s left", time_text(pace->left).text);
    } else {
        set_part(&parts[PART_DONE], "%" PRIu64 " line%s", done->lines, plural(done->lines));
        set_part(&parts[PART_WORDS], "%" PRIu64 " word%s", done->words, plural(done->words));
        set_part(&parts[PART_TIME], "%s elapsed", time_text(view->elapsed).text);
    }
    set_part(&parts[PART_LINE_SPEED], "%.*f lines/s", digits(pace->speed.lines), pace->speed.lines);
    set_part(&parts[PART_WORD_SPEED], "%.*f words/s", digits(pace->speed.words), pace->speed.words);
    if (view->files > 1) set_part(&parts[PART_FILE], "file %zu/%zu", view->file, view->files);
    if (view->name) parts[PART_NAME].cells = cells_count(view->name);
    if (parts[PART_NAME].cells > NAME_LEAST) parts[PART_NAME].cells = NAME_LEAST;
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable && sum_cells(parts) > width; i++)
        parts[dispensable[i]].cells = 0;
    if (sum_cells(parts) > width) return;
    if (parts[PART_NAME].cells) parts[PART_NAME].cells += width - sum_cells(parts); /* the rest of the width */
    for (PartKind kind = 0; kind < PARTS; kind++) {
        if (!parts[kind].cells) continue;
        if (!first) buf_put_text(out, GAP);
        first = false;
        if (kind == PART_BAR) { /* [===>    ] */
            const size_t room = parts[kind].cells - 2, filled = (size_t)((double)room * share(pace));
            buf_put_text(out, colour ? "[" COLOUR_ON : "[");
            for (size_t i = 1; i < filled; i++) buf_put_byte(out, '=');
            if (filled) buf_put_byte(out, filled == room ? '=' : '>');
            if (colour) buf_put_text(out, COLOUR_OFF);
            buf_put_format(out, "%*s]", (int)(room - filled), "");
        } else if (kind == PART_NAME) {
            cells_put_end(out, view->name, parts[kind].cells);
        } else {
            buf_put_text(out, parts[kind].text);
        }
    }
}

static void put_speed(Buf *out, const Speed *speed)
{
    buf_put_format(out, ", %.*f lines/s, %.*f words/s", digits(speed->lines), speed->lines, digits(speed->words),
                   speed->words);
}

static void put_work(Buf *out, const Work *done)
{
    buf_put_format(out, "%" PRIu64 " line%s, %" PRIu64 " word%s", done->lines, plural(done->lines), done->words,
                   plural(done->words));
}

void progress_put_line(Buf *out, const ProgressView *view)
{
    const Pace *pace = &view->pace;
    const TimeText time = time_text(pace->total ? pace->left : view->elapsed);

    if (pace->total) buf_put_format(out, "%d%%, ", (int)(share(pace) * 100));
    put_work(out, &pace->done);
    put_speed(out, &pace->speed);
    buf_put_format(out, ", %s %s", time.text, pace->total ? "left" : "elapsed");
    if (view->files > 1) buf_put_format(out, ", file %zu/%zu", view->file, view->files);
    if (view->name) buf_put_format(out, ": %s", view->name);
}

void progress_put_end(Buf *out, const Work *done, double seconds)
{
    const double each = seconds > 0 ? 1 / seconds : 0;
    const Speed average = { .lines = (double)done->lines * each, .words = (double)done->words * each };

    put_work(out, done);
    buf_put_format(out, " in %s", time_text(seconds).text);
    put_speed(out, &average);
}

/* --- The thread that draws --- */

#define DEFAULT_WIDTH 80

struct Progress {
    ProgressPlan plan;
    atomic_uint_fast64_t lines, words, bytes, skipped;
    atomic_size_t file;
    _Atomic(const char *) name;
    pthread_t thread; /* only this thread uses the fields below */
    int wake[2];      /* end of file in this pipe means stop */
    double start;
    ProgressView view;
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

/* Returns the number of columns of the terminal without the last one, which stays empty: some terminals begin a new
 * line as soon as it is filled. */
static size_t usable_columns(void)
{
    return terminal_columns(STDERR_FILENO) - 1;
}

static void draw(Progress *p)
{
    const double now = clock_seconds();
    const uint64_t skipped = load(&p->skipped);
    const Work done = work_done(p);
    uint64_t total = p->plan.total_bytes;
    pid_t foreground;

    /* A known total must not become 0, because 0 means unknown. */
    if (total) total = skipped < total ? total - skipped : 1;
    pace_update(&p->view.pace, now, &done, total);
    p->view.file = atomic_load_explicit(&p->file, memory_order_relaxed);
    p->view.name = atomic_load_explicit(&p->name, memory_order_acquire);
    p->view.elapsed = now - p->start;
    buf_clear(&p->text);
    if (p->plan.kind == PROGRESS_LINES) {
        progress_put_line(&p->text, &p->view);
        if (buf_check(&p->text, NULL) == OK) report("%s", p->text.data);
        return;
    }

    /* A process in the background must not write over what the user types. If stderr is not the terminal that controls
     * this process, there is no foreground process group to compare with. */
    foreground = tcgetpgrp(STDERR_FILENO);
    if (foreground > 0 && foreground != getpgrp()) return;
    progress_put_bar(&p->text, &p->view, usable_columns(), p->plan.colour);
    report_set_status(buf_check(&p->text, NULL) == OK && p->text.len ? p->text.data : NULL);
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
    p->view.files = plan->files;
    pace_start(&p->view.pace, p->start);
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
        progress_put_end(&p->text, &done, clock_seconds() - p->start);
        if (buf_check(&p->text, NULL) == OK) report("%s", p->text.data);
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
        total += inputs[i].size;
        if (inputs[i].bytes) continue;
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
    *meter = (Meter){ .shown = !quiet && report_can_show_status(), .tells = !quiet, .start = clock_seconds() };
}

/* If memory is short, shows nothing this time. */
bool meter_show(void *context, const DragomanProgress *progress)
{
    Meter *meter = context;
    const double now = meter->shown ? clock_seconds() : 0, seconds = now - meter->start;
    const uint64_t done = progress->done, total = progress->total;
    double speed = 0;
    size_t columns;
    Buf text = { 0 }, line = { 0 };

    if (progress->locked && meter->tells) {
        meter->tells = false;
        report("get: waiting for another download of this model, which has locked %s", progress->locked);
    }
    if (!meter->shown || now - meter->drawn < METER_EVERY) return true;
    meter->drawn = now;
    columns = usable_columns();
    if (seconds > METER_EVERY && done > progress->had) speed = (double)(done - progress->had) / seconds;
    if (total) {
        const unsigned full = done >= total ? METER_CELLS : (unsigned)(done * METER_CELLS / total);
        buf_put_byte(&text, '[');
        for (unsigned i = 0; i < METER_CELLS; i++) buf_put_byte(&text, i < full ? '=' : i == full ? '>' : ' ');
        buf_put_format(&text, "] %3u%%  ", (unsigned)((double)done * 100 / (double)total));
    }
    if (progress->file)
        buf_put_format(&text, "%.1f MB  %.1f MB/s  %s", (double)done / 1e6, speed / 1e6, progress->file);
    else
        buf_put_text(&text, "waiting for the server");
    if (buf_check(&text, NULL) == OK) cells_put_end(&line, text.data, columns ? columns : DEFAULT_WIDTH - 1);
    if (line.data && buf_check(&line, NULL) == OK) report_set_status(line.data);
    buf_free(&line);
    buf_free(&text);
    return true;
}

void meter_stop(Meter *meter)
{
    if (meter->shown && meter->drawn > 0) report_set_status(NULL);
    meter->shown = false;
}
