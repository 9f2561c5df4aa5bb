/* loaded_model.h - a model with everything that translating and describing it need: configuration, settings,
 * tokenizer, shortlist and weights; and the models that a line goes through. */
#ifndef DRAGOMAN_LOADED_MODEL_H
#define DRAGOMAN_LOADED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "config.h"
#include "err.h"
#include "calibration.h"
#include "search.h"
#include "language.h"
#include "line.h"
#include "model.h"
#include "model_folder.h"
#include "option_fields.h"
#include "sentences.h"
#include "shortlist.h"
#include "tokenizer.h"

/* The hash by which a calibration names its model; for an ensemble, the hash of its first model. It covers the sizes of
 * the model, every piece of the vocabularies with its id, and names and shapes of the tensors (ModelFacts.table_hash).
 * It does not cover the values of the weights, so a packed, rounded or int8 copy of a model, whose alignments and
 * confidence agree with those of the model, has the same hash. A model that was trained further also has the same
 * hash. */
uint64_t model_hash(const Model *model, const Tokenizer *tokenizer);

/* --- The paths of an ensemble: several models with the same vocabularies that translate as one, written PATH,PATH...
 * The settings in a Marian folder may also name several models. */

/* Starts as {0} and ends with ensemble_free(). */
typedef struct {
    char *text;          /* options->model or, if that is a name and not a path, the path that the name stands for */
    char **paths;        /* [count] of the models; a single model has one path */
    char *weights;       /* a number for each model, separated by commas; NULL: 1 each */
    ModelFolder *folder; /* of a single model, if ensemble_find() has opened it; else NULL */
    size_t count;
} Ensemble;

/* Sets *out to options->model or, if there is no such file, to the path that options->find_model (if it is set) finds
 * for this name. The caller frees *out. */
MUST_USE Status ensemble_model_path(char **out, const DragomanOptions *options, Err *err);

/* Finds the paths and weights that the options name. */
MUST_USE Status ensemble_find(Ensemble *out, const DragomanOptions *options, Err *err);
void ensemble_free(Ensemble *ensemble);

/* Whether the options name several models. */
bool ensemble_is(const DragomanOptions *options);

/* Opens model `index` of the ensemble; the caller closes *out with model_folder_close(). Returns ERR_USAGE if the
 * folder of the model is an ensemble itself, because only its first model would be used. */
MUST_USE Status ensemble_open(ModelFolder **out, Ensemble *ensemble, size_t index, Err *err);

/* --- The model. */

typedef struct {
    Ensemble ensemble;
    char *folder;           /* folder or file of the first model: model_folder_path() */
    char *adapters;         /* "PATH:WEIGHT, PATH:WEIGHT"; NULL: none */
    ModelFolder *files;     /* NULL once the model is open */
    ModelConfig config;     /* replaced by model_config() once the model is open */
    char *calibration_path; /* NULL: there is no calibration */
    Calibration calibration;
    char source_language[LANGUAGE_TAG_BYTES]; /* of the input, input_language_tag(); "": not known */
    SearchParams search;                      /* those of the model with the user's changes */
    Precision precision;
    size_t workers;
    size_t rows; /* per worker */
    Tokenizer *tokenizer;
    Shortlist *shortlist;    /* NULL: no shortlist */
    char *shortlist_path;    /* NULL: no shortlist */
    struct TextRules *texts; /* text_rules.h; NULL: no texts are forbidden or end a translation */
    struct Utf8Rules *utf8;  /* text_rules.h; NULL: translations may be invalid UTF-8 */
    IdList prefix;           /* forced beginning of each translation */
    Buf prefix_text;         /* `prefix` as text */
    LineRules rules;         /* owns `sentences`; translator.c adds what depends on other models */
    Model *model;
    Buf warnings; /* one warning per line */
} LoadedModel;

/* Writes the language of the input as BCP 47 does: the source language of the model, if it is known and not a group of
 * languages, else the language `named` by the user (NULL: none); "" if neither is known. */
MUST_USE Status input_language_tag(char out[LANGUAGE_TAG_BYTES], const Tokenizer *tokenizer, const char *named,
                                   Err *err);

/* Reads everything but the weights and checks the options against it; out->model stays NULL. *out starts as {0}, but
 * `files` may be open already. Always close it with loaded_model_close(). */
MUST_USE Status loaded_model_read_head(LoadedModel *out, const DragomanOptions *options, Err *err);

/* Returns ERR_USAGE if nothing can be translated until the user names a language, and ERR_IO if the input is text but
 * the tokenizer cannot cut text into pieces. */
MUST_USE Status loaded_model_check_languages(const LoadedModel *loaded, const DragomanOptions *options, Err *err);

/* Returns ERR_USAGE if the model has a calibration that was made for another model. The weights must be open. The check
 * reads the whole vocabulary, so call it only if the calibration is used. */
MUST_USE Status loaded_model_check_calibration(const LoadedModel *loaded, Err *err);

/* Opens loaded->model. */
MUST_USE Status loaded_model_read_weights(LoadedModel *loaded, Err *err);

/* Applies what only the weights determine: warnings and the longest source and translation. Returns ERR_USAGE if the
 * options exceed these lengths. */
MUST_USE Status loaded_model_adopt_weights(LoadedModel *loaded, const DragomanOptions *options, Err *err);

/* Appends a description of the model and its search settings as lines "key: value". Keys never change their meaning;
 * new keys may be added. */
MUST_USE Status loaded_model_describe(const LoadedModel *loaded, Buf *out, Err *err);

void loaded_model_close(LoadedModel *loaded); /* {0} is allowed */

/* --- A pipeline: several models, each of which translates the output of the previous one. */

typedef struct {
    LoadedModel *models; /* [count] */
    /* [count], one for each model, with the pivot languages. They share the texts of the options of the pipeline. */
    DragomanOptions *options;
    size_t count;
} Pipeline;

/* Opens the models that the options name. The pivot language between two models is DRAGOMAN_VIA or, without it, the
 * only target language of the first or source language of the second model. Returns ERR_USAGE if the options exclude
 * each other, if the models do not fit together, and, with `to_translate`, if the pivot language is unknown. Always
 * close *out with pipeline_close(). */
MUST_USE Status pipeline_open(Pipeline *out, const DragomanOptions *options, bool to_translate, Err *err);
void pipeline_close(Pipeline *pipeline); /* {0} is allowed */

#endif
