/* progress.h - counts the finished lines and shows them on stderr, as a bar in a terminal or as plain lines.
 *
 *     ProgressPlan plan = progress_plan(options, uses_terminal);
 *     plan.total_bytes = ...; plan.files = ...;
 *     Progress *p = progress_start(&plan);
 *     progress_file(p, 1, "a.txt"); progress_line(p, bytes, words); ...
 *     progress_stop(p);
 *
 * A separate thread draws, so the time goes on while no line is finished. Counting takes no lock. All functions
 * accept NULL, which shows nothing. */
#ifndef DRAGOMAN_PROGRESS_H
#define DRAGOMAN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dragoman_hub.h"
#include "dragoman_job.h"
#include "options.h"

typedef enum { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_LINES } ProgressKind;

typedef struct {
    ProgressKind kind;
    bool colour;          /* of the bar */
    double first, every;  /* seconds until the first drawing and between two drawings; greater than 0 */
    uint64_t total_bytes; /* of all files; 0: unknown */
    size_t files;
} ProgressPlan;

typedef struct Progress Progress; /* fields: progress.c */

/* Starts the thread that draws. Returns NULL for PROGRESS_NONE, or if the system refuses to start it: the program goes
 * on without progress. End with progress_stop(). */
Progress *progress_start(const ProgressPlan *plan);

/* Removes the bar, or prints the last line, and frees the Progress. */
void progress_stop(Progress *progress);

/* Sets the current file: `number` from 1. May be called for each line. `name` must stay valid until progress_stop(). */
void progress_file(Progress *progress, size_t number, const char *name);

/* Counts a finished line of the input: its bytes with those of its ending, and its words. */
void progress_line(Progress *progress, size_t bytes, size_t words);

/* Counts bytes of the input that are not part of a line. */
void progress_bytes(Progress *progress, size_t bytes);

/* Subtracts the bytes of a skipped file from the total. */
void progress_skip(Progress *progress, uint64_t bytes);

/* --- Whether and how the progress is shown --- */

/* Returns the plan without its totals. `uses_terminal`: input is read from a terminal or output is written to one, so a
 * bar would be in the way. */
ProgressPlan progress_plan(const Options *options, bool uses_terminal);

/* Sets the totals for these input files ("-": standard input, from its current offset). The number of bytes stays
 * unknown if one of them exists and is not a regular file. */
void progress_plan_set_inputs(ProgressPlan *plan, const DragomanInput *inputs, size_t count);

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
    Speed speed;    /* mostly the speed of the last 20 seconds */
    double left;    /* seconds until all bytes are done; PACE_UNKNOWN at first */
    Work done;      /* at the last update */
    uint64_t total; /* bytes of all the work; 0: unknown */
    /* Private: the times of the start and of the last update, and sums of time and of work in which older parts have a
     * smaller weight. */
    double start, when, seconds;
    Speed sums;
} Pace;

/* Starts at the time `now`, in seconds, with nothing done. */
void pace_start(Pace *pace, double now);

/* Updates the speed and the time left at the time `now`, when `done` of the work is done. */
void pace_update(Pace *pace, double now, const Work *done, uint64_t total);

/* --- The texts. These functions report no error; call buf_check() after the last one. --- */

typedef struct {
    Pace pace;
    size_t file;      /* number of the current file, from 1 */
    size_t files;     /* 1: no number is shown */
    const char *name; /* the name of the current file; NULL: not known yet */
    double elapsed;   /* seconds */
} ProgressView;

/* Appends a line for a terminal, without a newline, that takes at most `width` cells:
 *     [====>        ]  42%  5.2 lines/s  61.0 words/s  0:42 left  file 3/20  guide.txt
 * or, if the total is unknown,
 *     52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  file 3/20  guide.txt
 * If there is not enough room, the less important parts are left out, and the name is shortened at its beginning.
 * `colour`: draw the bar in colour. */
void progress_put_bar(Buf *out, const ProgressView *view, size_t width, bool colour);

/* Appends the same information as a line of plain text, however long it is:
 *     42%, 52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:42 left, file 3/20: guide.txt */
void progress_put_line(Buf *out, const ProgressView *view);

/* Appends the last line, with the average speed: "124 lines, 1460 words in 0:24, 5.2 lines/s, 61.0 words/s". */
void progress_put_end(Buf *out, const Work *done, double seconds);

/* Returns the number of cells of a terminal that the UTF-8 text takes when cells_put_end() puts it: 2 for each wide
 * character, such as those of Chinese, 0 for combining marks and invisible characters, 1 for others. */
size_t cells_count(const char *text);

/* Appends the text or, if it takes more than `width` cells, an ellipsis and as much of the end of the text as fits.
 * Replaces control characters and invalid UTF-8 by '?'. */
void cells_put_end(Buf *out, const char *text, size_t width);

/* --- A download: a line on a terminal, and a message if it waits for another download of the model --- */

typedef struct {
    bool shown, tells;   /* `tells`: the message may still be printed */
    double start, drawn; /* seconds */
} Meter;

/* Starts to count the time. Nothing is shown if `quiet`. The line needs a stderr with a status line (report.h). */
void meter_start(Meter *meter, bool quiet);
/* The DragomanProgressReader whose context is a Meter. It never cancels the work. */
bool meter_show(void *meter, const DragomanProgress *progress);
/* Removes the line. */
void meter_stop(Meter *meter);

#endif
