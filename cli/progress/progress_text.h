/* progress_text.h - the speed of the work, the time left, the texts that show them, and the width of a text in a
 * terminal. */
#ifndef DRAGOMAN_PROGRESS_TEXT_H
#define DRAGOMAN_PROGRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* --- The width of a text in a terminal --- */

/* Returns the number of cells that the UTF-8 text takes when cells_append_end() appends it: 2 for each wide character,
 * such as those of Chinese, 0 for combining marks and invisible characters, 1 for others. */
size_t cells_count(const char *text);

/* Appends the text or, if it takes more than `width` cells, an ellipsis and the end of the text that fits. Control
 * characters and invalid UTF-8 are replaced by '?'. */
MUST_USE Status cells_append_end(Buf *out, const char *text, size_t width, Err *err);

/* --- The speed of the work and the time left, from counts at known times --- */

/* An amount of work. */
typedef struct {
    uint64_t lines, words, bytes; /* of the input */
} Work;

typedef struct {
    double lines, words, bytes; /* per second */
} Speed;

#define PACE_UNKNOWN (-1.0)

typedef struct {
    Speed speed; /* mostly that of the last 20 seconds */
    double left; /* seconds until all bytes are done, or PACE_UNKNOWN */
    /* Private: the last update, and sums in which old work and the time for it have lost weight. */
    Work done;
    uint64_t total;
    double when, seconds;
    Speed sums;
} Pace;

/* Starts at the time `now`, in seconds, with nothing done. */
void pace_start(Pace *pace, double now);

/* Updates the speed and the time left at the time `now`, when `done` of the work is done. `total` is the number of
 * bytes of all the work; 0: unknown. */
void pace_update(Pace *pace, double now, const Work *done, uint64_t total);

/* --- The texts --- */

typedef struct {
    Work done;
    uint64_t total;   /* bytes; 0: unknown */
    size_t file;      /* number of the current file, from 1 */
    size_t files;     /* 1: no number is shown */
    const char *name; /* of the current file; NULL: not known yet */
    double elapsed;   /* seconds */
    double left;      /* seconds, or PACE_UNKNOWN */
    Speed speed;
} ProgressView;

/* Appends a line for a terminal, without a newline, that takes at most `width` cells:
 *     [====>        ]  42%  5.2 lines/s  61.0 words/s  0:42 left  file 3/20  guide.txt
 * or, if the total is unknown,
 *     52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  file 3/20  guide.txt
 * If there is not enough room, the less important parts are left out, and the name is shortened at its beginning.
 * `colour`: draw the bar in colour. */
MUST_USE Status progress_text_bar(Buf *out, const ProgressView *view, size_t width, bool colour, Err *err);

/* Appends the same as plain text:
 *     42%, 52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:42 left, file 3/20: guide.txt */
MUST_USE Status progress_text_line(Buf *out, const ProgressView *view, Err *err);

/* Appends the last line: "124 lines, 1460 words in 0:24, 5.2 lines/s, 61.0 words/s", with the average speed. */
MUST_USE Status progress_text_end(Buf *out, const Work *done, double seconds, Err *err);

#endif
