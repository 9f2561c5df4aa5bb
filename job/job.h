/* job.h - the fields of an open job, and its runs. dragoman_job.h describes both. */
#ifndef DRAGOMAN_JOB_FIELDS_H
#define DRAGOMAN_JOB_FIELDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "glossary.h"
#include "input.h"
#include "keep_rules.h"
#include "line_columns.h"
#include "memory.h"
#include "option_fields.h"
#include "reporter.h"
#include "router.h"

/* What has been translated. */
typedef struct {
    size_t lines;      /* of inputs that are read as lines */
    size_t units;      /* of documents */
    size_t words;      /* of the sources: utf8_count_words() */
    size_t pieces;     /* of the sources */
    size_t terms;      /* found in the sources */
    size_t terms_met;  /* translated as the glossary says */
    size_t unreadable; /* inputs; each was reported */
    size_t faults;     /* lines of documents that were copied because they are malformed; they were reported */
} JobCounts;

/* A reporter that spells the settings in messages as the options say. */
typedef struct {
    Reporter reporter; /* its context is the struct, which must not move */
    DragomanReporter front;
    Spelling spelling;
} SpellingReporter;

/* Returns the reporter; NULL if there is none to tell. */
const Reporter *spelling_reporter_start(SpellingReporter *out, const DragomanReporter *front, Spelling spelling);

struct DragomanJob {
    DragomanOptions *options; /* owned */
    DragomanJobPlan plan;
    DragomanHub *own_hub;
    const Reporter *reporter; /* NULL or that of the next field */
    SpellingReporter spelling_reporter;
    size_t model_count; /* that the options name; 0: they are chosen by the languages of the texts */
    KeepRules *keep;    /* NULL: nothing is kept */
    LineColumns columns;
    Router *router; /* NULL: documents without a model */
    Glossary *glossary;
    Memory *memory;
    double opening; /* seconds that opening the models took */
    double opened;  /* clock_seconds() when they were open */
    JobCounts counts;
    pthread_mutex_t lock; /* guards the next field */
    pthread_cond_t idle;  /* no run is in progress */
    bool is_running;
};

/* Returns ERR_USAGE if an input or output has the file of the memory. The memory grows, so it must not be read as text,
 * and a translation must not replace it. NULL: none. */
MUST_USE Status job_check_input(const DragomanJob *job, const char *path, Err *err);
MUST_USE Status job_check_output(const DragomanJob *job, const char *path, Err *err);

/* Converts the result of a call to that of a public function. */
DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error);

/* --- Runs: one pass over inputs. */

/* What an input is. */
typedef struct {
    const DocumentFormat *format; /* NULL: it is read as lines */
    const char *other;            /* what it is instead of text to translate; NULL: nothing is known */
} InputKind;

/* For dragoman_run_start(). `kinds`: of the inputs; NULL: as DragomanInput says. */
MUST_USE Status run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs, size_t count,
                          DragomanRunRules rules, const InputKind *kinds, Err *err);
MUST_USE Status run_next(DragomanRun *run, DragomanItem *item, Err *err);

/* What the input thread has found out about the file of an item. */
const InputResult *run_result(const DragomanRun *run, size_t file);

/* Appends the best translation of the line of an item, with the ending of the line. Newlines, which a model may
 * produce, become spaces. */
MUST_USE Status run_append_line(Buf *out, const DragomanItem *item, Err *err);

#endif
