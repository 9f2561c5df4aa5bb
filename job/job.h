/* job.h - the fields of an open job. dragoman_job.h describes it. */
#ifndef DRAGOMAN_JOB_FIELDS_H
#define DRAGOMAN_JOB_FIELDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "dragoman_job.h"
#include "err.h"
#include "glossary.h"
#include "option_fields.h"
#include "keep_rules.h"
#include "line_columns.h"
#include "memory.h"
#include "pair_routes.h"
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

/* The models of a job. */
typedef struct {
    DragomanOptions *options;
    size_t count;     /* of the models that the options name; 0: they are chosen by the languages of the texts */
    DragomanHub *hub; /* for models that are chosen */
    ModelCheck check; /* of models that are chosen */
} JobModels;

struct DragomanJob {
    const DragomanOptions *options; /* what is asked of the texts */
    const Reporter *reporter;       /* NULL or `own_reporter` */
    Reporter own_reporter;
    DragomanOptions *own_options; /* the same, if the job owns them; else NULL */
    DragomanHub *own_hub;
    JobModels models;
    bool has_documents;
    KeepRules *keep; /* NULL: nothing is kept */
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

/* Loads the libraries that such a job loads at run time, for a process that will forbid itself to load code. One that
 * cannot be loaded now is reported where it is needed. */
void job_load_libraries(const DragomanOptions *settings);

/* The first step: compiles the expressions (JIT), which a process may forbid itself later. Everything that the
 * arguments point to must stay valid. On OK the caller owns *out and ends it with dragoman_job_close(). */
MUST_USE Status job_prepare(DragomanJob **out, const DragomanOptions *settings, bool has_documents,
                            const Reporter *reporter, Err *err);

/* The second step: opens the models, says their warnings, and reads the glossary and the memory, in two functions: a
 * front end checks between them what else may fail. `models` NULL: documents without a model. */
MUST_USE Status job_open_models(DragomanJob *job, const JobModels *models, Err *err);
MUST_USE Status job_open_memory(DragomanJob *job, Err *err);

/* Writes what is not written yet: the memory. With `verbose`, says what was done, if `status` is OK. Returns `status`,
 * or the failure to write. */
MUST_USE Status job_finish(DragomanJob *job, Status status, Err *err);

/* Returns ERR_USAGE if an input or output has the file of the memory. The memory grows, so it must not be read as text,
 * and a translation must not replace it. NULL: none. */
MUST_USE Status job_check_input(const DragomanJob *job, const char *path, Err *err);
MUST_USE Status job_check_output(const DragomanJob *job, const char *path, Err *err);

/* Converts the result of a call to that of a public function. */
DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error);

#endif
