/* models.h - the models that the server translates with: which pairs of languages there are, and the open models.
 * A model is opened when a pair is first used, and closed when it was not used for some time, or when others need the
 * memory. Any thread may call these functions. */
#ifndef DRAGOMAN_MODELS_H
#define DRAGOMAN_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman_job.h"
#include "err.h"
#include "options.h"

typedef struct Models Models;

/* Reads the configuration and the list of models. On OK the caller owns *out. `program` is argv[0]. */
MUST_USE Status models_new(Models **out, const Options *options, const char *program, Err *err);
void models_free(Models *models); /* NULL is allowed; no model may be in use */

/* Reads them again. Models in use stay open until their last user has released them; new users get new ones. On
 * failure, everything stays as it is. */
MUST_USE Status models_reload(Models *models, Err *err);

/* Closes models that have not been used for some time. */
void models_expire(Models *models);

/* The number of open models, and the bytes of their files. */
void models_count(Models *models, size_t *open, size_t *bytes);

/* --- Languages */

typedef struct {
    char code[DRAGOMAN_LANGUAGE_TAG];  /* a tag of BCP 47 */
    char name[DRAGOMAN_LANGUAGE_NAME]; /* in English */
} Language;

/* The languages at one time, sorted by code. Read-only. */
typedef struct LanguageTable LanguageTable;

/* Returns the table, which the caller releases. */
LanguageTable *models_languages(Models *models);
LanguageTable *language_table_share(LanguageTable *table); /* the same table, for another owner */
void language_table_release(LanguageTable *table);         /* NULL is allowed */

#define NO_LANGUAGE SIZE_MAX

size_t language_table_count(const LanguageTable *table);
const Language *language_table_row(const LanguageTable *table, size_t index);

/* Whether there are models from one language into the other. */
bool language_table_has(const LanguageTable *table, size_t source, size_t target);

/* Makes options with the settings for texts and documents that the server was started with, for work_begin(). The
 * caller owns *out. */
MUST_USE Status language_table_settings(const LanguageTable *table, DragomanOptions **out, Err *err);

/* Finds a language by a code as clients write it: "de", "zh-Hans", "EN-US", "zh_CN". NO_LANGUAGE: there is none. */
size_t language_table_find(const LanguageTable *table, const char *code);

/* --- Open models */

/* What a job is for. Jobs for different uses are opened apart, because they keep different things. */
typedef enum {
    USE_TEXTS,    /* lines */
    USE_DETAILS,  /* lines with scores, confidence and alignment */
    USE_DOCUMENTS /* documents and lines */
} JobUse;

typedef struct {
    const char *source, *target; /* codes of the table */
    JobUse use;
    size_t n_best; /* 1 for documents */
} JobWish;

/* An open model. */
typedef struct OpenJob OpenJob;

/* Finds or opens a job. Several threads that want the same job open it once. On OK the caller releases *out.
 * ERR_USAGE: there are no models for this pair. ERR_MEMORY: the memory limit is reached, and all models are in use. */
MUST_USE Status models_take(Models *models, const JobWish *wish, OpenJob **out, Err *err);
void models_release(Models *models, OpenJob *job); /* NULL is allowed */

/* Tells that the job has failed for a reason that may last, such as a thread that ran out of memory: new users get a
 * new job. */
void models_retire(Models *models, OpenJob *job);

DragomanJob *open_job(const OpenJob *job);

/* Says which models the job has, such as "en-de" or "fr-en, en-de". */
const char *open_job_name(const OpenJob *job);

#endif
