/* ensemble.c - see ensemble.h. */
#include "ensemble.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "path.h"
#include "pipeline.h"

/* --- Paths. */

Status ensemble_first_path(char **out, const char *paths, Err *err)
{
    const size_t len = path_first(paths);

    *out = NULL;
    if (!len && *paths) return err_set(err, ERR_USAGE, "%s: a model name is empty; write PATH,PATH", paths);
    *out = strndup(paths, len);
    return *out ? OK : err_memory(err, "a path");
}

static Status copy(char **out, const char *text, Err *err)
{
    free(*out);
    *out = strdup(text);
    return *out ? OK : err_memory(err, "a path");
}

/* Opens the model unless it is an ensemble: then *out is NULL, and *paths and *weights define the ensemble. */
static Status open_unless_ensemble(ModelFolder **out, char **paths, char **weights, const char *path, Err *err)
{
    Status st = model_folder_open(out, path, err);

    *paths = *weights = NULL;
    if (st == OK) st = model_folder_ensemble(paths, weights, *out, err);
    if (st != OK || *paths) {
        model_folder_close(*out);
        *out = NULL;
    }
    return st;
}

Status ensemble_model_path(char **out, const DragomanOptions *options, Err *err)
{
    if (options->find_model && !path_exists(options->model)) return options->find_model(out, options->model, err);
    *out = NULL;
    return copy(out, options->model, err);
}

/* *first is the folder that the user named if it is not an ensemble, else NULL. */
static Status find_paths(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options, Err *err)
{
    char *model;
    Status st = ensemble_model_path(&model, options, err);

    *paths = *weights = NULL;
    *first = NULL;
    if (st == OK && path_is_directory(model)) st = open_unless_ensemble(first, paths, weights, model, err);
    if (st == OK && !*paths) {
        *paths = model;
        model = NULL;
    }
    free(model);
    return st;
}

Status ensemble_find(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options, Err *err)
{
    char *path;
    Status st = find_paths(paths, weights, first, options, err);

    if (st == OK && options->weights) st = copy(weights, options->weights, err);
    if (st != OK || *first) return st;
    st = ensemble_first_path(&path, *paths, err);
    if (st == OK) st = ensemble_open_model(first, path, err);
    free(path);
    return st;
}

bool ensemble_is(const DragomanOptions *options)
{
    char *paths, *weights;
    ModelFolder *first;
    bool several = find_paths(&paths, &weights, &first, options, NULL) == OK && paths[path_first(paths)] != '\0';

    model_folder_close(first);
    free(paths);
    free(weights);
    return several;
}

Status ensemble_open_model(ModelFolder **out, const char *path, Err *err)
{
    char *paths, *weights;
    Status st = open_unless_ensemble(out, &paths, &weights, path, err);

    if (st == OK && paths)
        st = err_set(err, ERR_USAGE, "%s: this folder is an ensemble itself; name each of its models instead", path);
    free(paths);
    free(weights);
    return st;
}

/* --- Models. */

static Status check_pieces(const LoadedModel *first, const LoadedModel *other, const char *side,
                           const char *(*piece_of)(const Tokenizer *, int32_t), size_t count, size_t other_count,
                           Err *err)
{
    if (count != other_count)
        return err_set(
            err, ERR_USAGE,
            "%s: the %s vocabulary has %zu pieces, but that of %s has %zu; an ensemble needs the same vocabularies",
            other->folder, side, other_count, first->folder, count);
    for (size_t id = 0; id < count; id++) {
        const char *a = piece_of(first->tokenizer, (int32_t)id), *b = piece_of(other->tokenizer, (int32_t)id);
        if (a == b || (a && b && strcmp(a, b) == 0)) continue;
        return err_set(err, ERR_USAGE,
                       "%s: %s piece %zu is \"%s\", but \"%s\" in %s; an ensemble needs the same vocabularies",
                       other->folder, side, id, b ? b : "", a ? a : "", first->folder);
    }
    return OK;
}

/* Adds a model whose embeddings have the same sizes as those of the first one, and whose ids are the same pieces. */
static Status open_other(LoadedModel *first, const DragomanOptions *options, const char *path, Err *err)
{
    const ModelConfig *ours = model_config(first->model), *theirs;
    DragomanOptions own = *options;
    LoadedModel other = { 0 };
    Status st;

    own.model = path;
    own.prefix = own.shortlist = own.weights = NULL;
    own.skip_calibration = true; /* alignment and confidence are those of the first model */
    st = ensemble_open_model(&other.files, path, err);
    if (st == OK) st = loaded_model_read_head(&other, &own, err);
    theirs = &other.config;
    if (st == OK && (ours->encoder.vocab != theirs->encoder.vocab || ours->decoder.vocab != theirs->decoder.vocab))
        st = err_set(err, ERR_USAGE,
                     "%s: the embeddings have %zu and %zu rows, but those of %s have %zu and %zu; an ensemble needs "
                     "the same vocabularies",
                     other.folder, theirs->encoder.vocab, theirs->decoder.vocab, first->folder, ours->encoder.vocab,
                     ours->decoder.vocab);
    if (st == OK)
        st = check_pieces(first, &other, "source", tokenizer_source_piece,
                          tokenizer_facts(first->tokenizer)->source_vocab,
                          tokenizer_facts(other.tokenizer)->source_vocab, err);
    if (st == OK)
        st = check_pieces(first, &other, "target", tokenizer_target_piece,
                          tokenizer_facts(first->tokenizer)->target_vocab,
                          tokenizer_facts(other.tokenizer)->target_vocab, err);
    if (st == OK) st = model_open(&other.model, other.files, &other.config, other.settings.precision, err);
    if (st == OK) {
        model_append(first->model, other.model);
        other.model = NULL;
    }
    loaded_model_close(&other);
    return st;
}

/* Sets the weights from a text with one weight per model: "0.6,0.4". */
static Status weigh(Model *model, const char *weights, Err *err)
{
    const size_t models = model_count(model);
    const char *at = weights;
    bool any = false;

    if (models < 2)
        return err_set(err, ERR_USAGE,
                       SETTING(WEIGHTS) " '%s' can only be used with an ensemble, but there is only one model",
                       weights);
    for (size_t i = 0; i < models; i++) {
        char *end;
        const double weight = c_locale_strtod(at, &end);
        if (end == at || !(weight >= 0 && weight <= 1000) || *end != (i + 1 < models ? ',' : '\0'))
            return err_set(err, ERR_USAGE,
                           SETTING(WEIGHTS) " '%s': needs a number from 0 to 1000 for each of the %zu models", weights,
                           models);
        model_set_weight(model, i, (float)weight);
        any |= (float)weight > 0;
        at = end + 1;
    }
    return any ? OK : err_set(err, ERR_USAGE, SETTING(WEIGHTS) " '%s': at least one weight must be above 0", weights);
}

Status ensemble_models_open(LoadedModel *loaded, const DragomanOptions *options, Err *err)
{
    const char *at = loaded->paths + path_first(loaded->paths);
    Status st = OK;

    while (st == OK && *at) {
        char *path;
        st = ensemble_first_path(&path, ++at, err);
        if (st == OK && !*path)
            st = err_set(err, ERR_USAGE, "%s: a model name is empty; write PATH,PATH", loaded->paths);
        if (st == OK) st = open_other(loaded, options, path, err);
        if (st == OK) at += strlen(path);
        free(path);
    }
    return st == OK && loaded->weights ? weigh(loaded->model, loaded->weights, err) : st;
}
