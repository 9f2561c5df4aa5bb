/* job.h - the fields of an open job, and its runs. dragoman_job.h describes both. */
#ifndef DRAGOMAN_JOB_FIELDS_H
#define DRAGOMAN_JOB_FIELDS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

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

/* One or two models that were chosen for the language of a text. */
typedef struct {
    DragomanRoute models;
    char language[DRAGOMAN_LANGUAGE_CODE]; /* language of the first text for these models, in their spelling */
    bool chooses_source; /* the first model has several source languages; set when the models are opened */
    bool has_warned;     /* the models have been opened before, and their warnings were shown then */
} PairRoute;

/* What has been translated. */
typedef struct {
    size_t lines;  /* of inputs that are read as lines */
    size_t units;  /* of documents */
    size_t words;  /* in the sources, counted by utf8_count_words() */
    size_t pieces; /* of the sources */
    size_t reused; /* lines and units that have the translation of an earlier one (DRAGOMAN_REUSE) */
    size_t terms[DRAGOMAN_TERM_REPLACED + 1]; /* found in the sources, by DragomanTermVerdict */
    size_t unreadable;                        /* inputs that could not be read; each was reported */
    size_t faults; /* lines of documents that were copied because they are malformed; each was reported */
} JobCounts;

/* A reporter that replaces the settings in a message by the names that the program uses for them. */
typedef struct {
    Reporter reporter; /* its context is this struct, which must not move in memory */
    DragomanReporter front;
    Spelling spelling;
} SpellingReporter;

/* Fills in *out and returns &out->reporter, or NULL if `front` is NULL. */
const Reporter *spelling_reporter_start(SpellingReporter *out, const DragomanReporter *front, Spelling spelling);

struct DragomanJob {
    DragomanOptions *options; /* owned */
    struct DragomanJob *of;   /* dragoman_job_share(): the job that shares with this one; NULL: none */
    DragomanOptions *asked;   /* owned unless `of` is set: the options that were given when the models were opened */
    atomic_size_t users;      /* the owner, until dragoman_job_close(), and the jobs whose `of` it is */
    atomic_bool cancelled;
    DragomanJobPlan plan;
    DragomanHub *own_hub;
    const Reporter *reporter; /* &spelling_reporter.reporter, or NULL: nothing is reported */
    SpellingReporter spelling_reporter;
    size_t model_count; /* how many models the options name; 0: models are chosen by the languages of the texts */
    KeepRules *keep;    /* NULL: nothing is kept. This and `glossary` may be those of `of` */
    LineColumns columns;
    Router *router;    /* NULL: documents without a model */
    PairRoute *routes; /* [route_count], allocated for one per source language; only the input thread uses them */
    size_t route_count;
    Glossary *glossary;
    Memory *memory;
    bool has_finished; /* the memory is written */
    double opening;    /* seconds that opening the models took */
    double opened;     /* clock_seconds() after the models had been opened */
    JobCounts counts;
    pthread_mutex_t lock; /* guards the next field */
    pthread_cond_t idle;  /* no run is in progress */
    bool is_running;
};

/* Returns ERR_IO after dragoman_job_cancel(). */
MUST_USE Status job_check_cancelled(const DragomanJob *job, Err *err);

/* Converts the result of an internal function to the result of a public function. */
DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error);

/* --- Runs: one pass over inputs. */

/* Like dragoman_run_start(), but kinds[count] are the formats of the inputs; if `kinds` is NULL, DragomanInput.format
 * names them. */
MUST_USE Status run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs, size_t count,
                          DragomanRunRules rules, const InputKind *kinds, Err *err);
MUST_USE Status run_next(DragomanRun *run, DragomanItem *item, Err *err);

const InputFile *run_file(const DragomanRun *run, size_t file);

/* Appends the bytes of an item, or the best translation of its line with the ending of the line. Newlines, which a
 * model may produce, become spaces. */
MUST_USE Status run_append_item(Buf *out, const DragomanItem *item, Err *err);

#endif
