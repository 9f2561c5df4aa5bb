/* progress_text.c - see progress_text.h. */
#include "progress_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unicode/uchar.h>

#include "c_locale.h"
#include "text.h"
#include "utf8.h"

/* --- The width of a text --- */

#define ELLIPSIS "\u2026" /* one cell */

/* Marks take no cells. The vowels and final consonants of Korean syllables that are written letter by letter share the
 * cells of the first consonant. */
static size_t width_of(uint32_t code)
{
    const uint32_t type = U_MASK(u_charType((UChar32)code));
    const int32_t syllable = u_getIntPropertyValue((UChar32)code, UCHAR_HANGUL_SYLLABLE_TYPE);
    const int32_t width = u_getIntPropertyValue((UChar32)code, UCHAR_EAST_ASIAN_WIDTH);

    if (type & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) return 0;
    if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

/* Reads a code point as it is printed. */
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

Status cells_append_end(Buf *out, const char *text, size_t width, Err *err)
{
    const size_t len = strlen(text);
    size_t i = 0, cells = cells_count(text);
    uint32_t code;

    /* The end does not begin with a mark that belongs to a character before it. */
    if (cells > width) {
        if (!width) return OK;
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
    return buf_check(out, err);
}

/* --- The pace.
 * The speed is a quotient of two sums, work and time. The weight of each part of both sums falls by e^(-1) every
 * SPEED_SECONDS, so the speed is the average at first and that of the recent past later.
 *
 * An estimate of the time left, bytes left / bytes per second, jumps whenever a long line is finished. The time left
 * therefore counts down like a clock, and moves towards the estimate by 1 - e^(-1) every LEFT_SECONDS. If the total
 * changes, it starts again from the estimate. */

#define SPEED_SECONDS 20.0
#define LEFT_SECONDS  5.0

void pace_start(Pace *pace, double now)
{
    *pace = (Pace){ .left = PACE_UNKNOWN, .when = now };
}

void pace_update(Pace *pace, double now, const Work *done, uint64_t total)
{
    const double passed = now - pace->when, kept = exp(-passed / SPEED_SECONDS);

    if (passed <= 0) return;
    pace->seconds = pace->seconds * kept + passed;
    pace->sums.lines = pace->sums.lines * kept + (double)(done->lines - pace->done.lines);
    pace->sums.words = pace->sums.words * kept + (double)(done->words - pace->done.words);
    pace->sums.bytes = pace->sums.bytes * kept + (double)(done->bytes - pace->done.bytes);
    pace->speed.lines = pace->sums.lines / pace->seconds;
    pace->speed.words = pace->sums.words / pace->seconds;
    pace->speed.bytes = pace->sums.bytes / pace->seconds;
    if (total && done->bytes) {
        const double estimate = done->bytes < total ? (double)(total - done->bytes) / pace->speed.bytes : 0;
        const bool begins = pace->left == PACE_UNKNOWN || total != pace->total;
        const double counted = begins ? estimate : fmax(pace->left - passed, 0);
        pace->total = total;
        pace->left = estimate + (counted - estimate) * exp(-passed / LEFT_SECONDS);
    }
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

/* What is left out, in this order, until the others fit. PART_DONE is always shown. */
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

/* Digits after the point: a fast speed needs none. */
static int digits(double speed)
{
    return speed < 99.95 ? 1 : 0;
}

static double share(const ProgressView *view)
{
    return view->done.bytes < view->total ? (double)view->done.bytes / (double)view->total : 1;
}

/* The cells of all parts with the gaps between them. */
static size_t sum_cells(const Part parts[PARTS])
{
    size_t sum = 0;

    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].cells) sum += parts[i].cells + (sum ? GAP_CELLS : 0);
    return sum;
}

Status progress_text_bar(Buf *out, const ProgressView *view, size_t width, bool colour, Err *err)
{
    const Work *done = &view->done;
    Part parts[PARTS] = { { .cells = 0 } };
    Status st = OK;
    bool first = true;

    if (view->total) {
        parts[PART_BAR].cells = width / 6 < BAR_LEAST ? BAR_LEAST : width / 6 > BAR_MOST ? BAR_MOST : width / 6;
        set_part(&parts[PART_DONE], "%d%%", (int)(share(view) * 100));
        set_part(&parts[PART_TIME], "%s left", time_text(view->left).text);
    } else {
        set_part(&parts[PART_DONE], "%" PRIu64 " line%s", done->lines, plural(done->lines));
        set_part(&parts[PART_WORDS], "%" PRIu64 " word%s", done->words, plural(done->words));
        set_part(&parts[PART_TIME], "%s elapsed", time_text(view->elapsed).text);
    }
    set_part(&parts[PART_LINE_SPEED], "%.*f lines/s", digits(view->speed.lines), view->speed.lines);
    set_part(&parts[PART_WORD_SPEED], "%.*f words/s", digits(view->speed.words), view->speed.words);
    if (view->files > 1) set_part(&parts[PART_FILE], "file %zu/%zu", view->file, view->files);
    if (view->name) parts[PART_NAME].cells = cells_count(view->name);
    if (parts[PART_NAME].cells > NAME_LEAST) parts[PART_NAME].cells = NAME_LEAST;
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable && sum_cells(parts) > width; i++)
        parts[dispensable[i]].cells = 0;
    if (sum_cells(parts) > width) return OK;
    if (parts[PART_NAME].cells) parts[PART_NAME].cells += width - sum_cells(parts); /* all that is left */
    for (PartKind kind = 0; st == OK && kind < PARTS; kind++) {
        if (!parts[kind].cells) continue;
        if (!first) buf_put_text(out, GAP);
        first = false;
        if (kind == PART_BAR) { /* [===>    ] */
            const size_t room = parts[kind].cells - 2, filled = (size_t)((double)room * share(view));
            buf_put_text(out, colour ? "[" COLOUR_ON : "[");
            for (size_t i = 1; i < filled; i++) buf_put_byte(out, '=');
            if (filled) buf_put_byte(out, filled == room ? '=' : '>');
            if (colour) buf_put_text(out, COLOUR_OFF);
            buf_put_format(out, "%*s]", (int)(room - filled), "");
        } else if (kind == PART_NAME) {
            st = cells_append_end(out, view->name, parts[kind].cells, err);
        } else {
            buf_put_text(out, parts[kind].text);
        }
    }
    return st == OK ? buf_check(out, err) : st;
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

Status progress_text_line(Buf *out, const ProgressView *view, Err *err)
{
    const TimeText time = time_text(view->total ? view->left : view->elapsed);

    if (view->total) buf_put_format(out, "%d%%, ", (int)(share(view) * 100));
    put_work(out, &view->done);
    put_speed(out, &view->speed);
    buf_put_format(out, ", %s %s", time.text, view->total ? "left" : "elapsed");
    if (view->files > 1) buf_put_format(out, ", file %zu/%zu", view->file, view->files);
    if (view->name) buf_put_format(out, ": %s", view->name);
    return buf_check(out, err);
}

Status progress_text_end(Buf *out, const Work *done, double seconds, Err *err)
{
    const double each = seconds > 0 ? 1 / seconds : 0;
    const Speed average = { .lines = (double)done->lines * each, .words = (double)done->words * each };

    put_work(out, done);
    buf_put_format(out, " in %s", time_text(seconds).text);
    put_speed(out, &average);
    return buf_check(out, err);
}
