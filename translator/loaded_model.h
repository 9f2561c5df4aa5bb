/* loaded.h - everything about a model that translating and describing share:
 * its configuration, the settings, the tokenizer and the weights. */
#ifndef DRAGOMAN_LOADED_MODEL_H
#define DRAGOMAN_LOADED_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "config.h"
#include "err.h"
#include "model.h"
#include "model_folder.h"
#include "option_fields.h"
#include "sentences.h"
#include "settings.h"
#include "shortlist.h"
#include "tokenizer.h"

typedef struct {
    char *paths;        /* of all models: one, or several with commas between them (ensemble.h) */
    char *weights;      /* of an ensemble; NULL: 1 each */
    char *folder;       /* of the first model, or its file: model_folder_path() */
    ModelFolder *files; /* until the model is open: then NULL */
    ModelConfig config; /* until the model is open: then model_config() */
    Settings settings;
    Tokenizer *tokenizer;
    Shortlist *shortlist; /* NULL: none */
    IdList prefix;        /* forced beginning of each translation */
    size_t limit;         /* source ids that the model gets at once, special ones included */
    Sentences *sentences; /* NULL: lines are not split */
    Model *model;
    Buf warnings; /* what the user should know of it, a line each */
} LoadedModel;

/* Reads what is quick to read and checks the options against it before the weights are touched: out->model stays
 * NULL. *out begins as {0} and is ended with loaded_model_close() in every case. */
MUST_USE Status loaded_model_read_head(LoadedModel *out, const DragomanOptions *options, Err *err);

/* ERR_USAGE when nothing can be translated until a language is named, ERR_IO when texts cannot be
 * cut into pieces and are no pieces. */
MUST_USE Status loaded_model_check_languages(const LoadedModel *loaded, const DragomanOptions *options, Err *err);

/* Opens loaded->model. */
MUST_USE Status loaded_model_read_weights(LoadedModel *loaded, Err *err);

/* What only the weights tell, of all models of an ensemble: their warnings, how long a text and its translation may
 * be. ERR_USAGE: the options ask for more. */
MUST_USE Status loaded_model_adopt_weights(LoadedModel *loaded, const DragomanOptions *options, Err *err);

/* Appends what the model is and how it will be searched, a line "key: value"
 * each. Keys never change their meaning; new ones may come. */
MUST_USE Status loaded_model_describe(const LoadedModel *loaded, Buf *out, Err *err);

/* Makes ready for another loaded_model_read_head() with other languages: the model's files stay open. */
void loaded_model_reset(LoadedModel *loaded);
void loaded_model_close(LoadedModel *loaded); /* {0} is allowed */

#endif
