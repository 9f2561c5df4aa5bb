/* progress.h - counts what is done and shows it on stderr, as a bar in a terminal or as plain lines.
 *
 *     ProgressPlan plan = progress_plan(options, uses_terminal);
 *     plan.total_bytes = ...; plan.files = ...;
 *     Progress *p = progress_start(&plan);
 *     progress_file(p, 1, "a.txt"); progress_line(p, bytes, words); ...
 *     progress_stop(p);
 *
 * A thread of its own draws, so the time goes on while nothing is finished. Counting takes no lock. All functions
 * accept NULL, which shows nothing. */
#ifndef DRAGOMAN_PROGRESS_H
#define DRAGOMAN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dragoman_hub.h"
#include "dragoman_job.h"
#include "option_table.h"

typedef enum { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_LINES } ProgressKind;

typedef struct {
    ProgressKind kind;
    bool colour;          /* of the bar */
    double first, every;  /* seconds until the first drawing, and between two; above 0 */
    uint64_t total_bytes; /* of all files; 0: unknown */
    size_t files;
} ProgressPlan;

typedef struct Progress Progress; /* fields: progress.c */

/* Starts the thread. Returns NULL for PROGRESS_NONE, or if the system refuses: the work goes on without it. End with
 * progress_stop(). */
Progress *progress_start(const ProgressPlan *plan);

/* Removes the bar, or prints the last line, and frees the Progress. */
void progress_stop(Progress *progress);

/* Sets the current file: `number` from 1. May be called for each line. `name` must stay valid until progress_stop(). */
void progress_file(Progress *progress, size_t number, const char *name);

/* Counts a finished line of the input: its bytes with those of its ending, and its words. */
void progress_line(Progress *progress, size_t bytes, size_t words);

/* Counts bytes of the input that are not part of a line. */
void progress_bytes(Progress *progress, size_t bytes);

/* Takes the bytes of a skipped file out of the total. */
void progress_skip(Progress *progress, uint64_t bytes);

/* --- Whether and how the progress is shown --- */

/* Returns the plan without its totals. `uses_terminal`: input is read from a terminal or output written to one, where a
 * bar would be in the way. */
ProgressPlan progress_plan(const Options *options, bool uses_terminal);

/* Sets the totals for these input files ("-": standard input, from its position). The number of bytes stays unknown if
 * one of them exists and is not a regular file. */
void progress_plan_set_inputs(ProgressPlan *plan, const DragomanInput *inputs, size_t count);

/* --- A download, on a terminal --- */

typedef struct {
    bool shown;
    double start, drawn; /* seconds */
} Meter;

/* Starts to count the time. Nothing is shown if `quiet`, or if stderr cannot show a status line (report.h). */
void meter_start(Meter *meter, bool quiet);
/* The DragomanProgressReader with a Meter as its context; never cancels. */
bool meter_show(void *meter, const DragomanProgress *progress);
/* Removes the line. */
void meter_stop(Meter *meter);

#endif
