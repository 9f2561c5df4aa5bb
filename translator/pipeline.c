/* pipeline.c - see pipeline.h.
 * The tokenizers are read first, because they know the languages of the models. A model that can choose its language is
 * then read once more, with the language that its neighbour or the user determines. The weights come last. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "language.h"
#include "path.h"

/* Whether a message begins with the model, or with a file in its folder. */
static bool names_model(const char *message, const char *model)
{
    const size_t length = strlen(model);

    if (!length || strncmp(message, model, length) != 0) return false;
    return message[length] == ':' || message[length] == '/' || model[length - 1] == '/';
}

/* Most messages about options do not name the model. With several models, this adds its name. */
static Status name_model(Status st, const Pipeline *pipeline, const char *model, Err *err)
{
    if (st != ERR_USAGE || pipeline->count < 2 || names_model(err->text, model)) return st;
    return err_set(err, st, "%s: %s", model, err->text);
}

/* Returns the language, or NULL for a family of languages such as "ROMANCE". */
static const char *known(const char *language)
{
    return language && language_is_known(language) ? language : NULL;
}

static bool has_choice(const LoadedModel *o)
{
    return tokenizer_facts(o->tokenizer)->language_count > 0;
}

/* The only language that the model translates into, or from; NULL if it can choose. */
static const char *only_target(const LoadedModel *o)
{
    return has_choice(o) ? NULL : known(tokenizer_target_language(o->tokenizer));
}

static const char *only_source(const LoadedModel *o)
{
    return tokenizer_facts(o->tokenizer)->chooses_source ? NULL : known(tokenizer_source_language(o->tokenizer));
}

static Status check_same(const char *wanted, const char *has, const char *model, const char *verb, Err *err)
{
    bool fits;
    Status st;

    if (!wanted || !has) return OK;
    st = language_fits(&fits, wanted, has, err);
    if (st != OK || fits) return st;
    return err_set(err, ERR_USAGE, "%s: translates %s %s, not %s %s", model, verb, has, verb, wanted);
}

static Status check_via(const LoadedModel *first, const char *via, const DragomanOptions *options, Err *err)
{
    const char *target = only_target(first), *source = only_source(first + 1);
    Status st = check_same(via, target, options[0].model, "into", err);

    if (st == OK) st = check_same(via, source, options[1].model, "from", err);
    if (st != OK || !target || !source || language_same(target, source)) return st;
    return err_set(err, ERR_USAGE, "%s translates into %s, but %s translates from %s", options[0].model, target,
                   options[1].model, source);
}

/* Chooses the pivot language: the one that the user names, else the only one of a neighbour, else the one that the
 * files of the first model choose. NULL leaves the choice to the files of the model. */
static void choose_language_between(const LoadedModel *first, const char *via, DragomanOptions *resolved)
{
    const LoadedModel *second = first + 1;
    const char *source = only_source(second), *target = known(tokenizer_target_language(first->tokenizer));

    if (has_choice(first)) resolved[0].to = via ? via : source;
    if (has_choice(second) && !source) resolved[1].from = via ? via : resolved[0].to ? resolved[0].to : target;
}

static bool is_complete(const LoadedModel *first, const DragomanOptions *resolved)
{
    const Tokenizer *source = first->tokenizer, *target = (first + 1)->tokenizer;

    return (resolved[0].to || !has_choice(first) || tokenizer_target_language(source)) &&
           (resolved[1].from || !tokenizer_facts(target)->chooses_source || tokenizer_source_language(target));
}

/* Both `options` and `resolved` start at the first of the two models. `resolved` has no pivot language yet. */
static Status join(const LoadedModel *first, const DragomanOptions *options, DragomanOptions *resolved,
                   bool to_translate, Err *err)
{
    Status st = check_via(first, options[1].via, options, err);

    if (st != OK) return st;
    choose_language_between(first, options[1].via, resolved);
    if (!to_translate || is_complete(first, resolved)) return OK;
    return err_set(err, ERR_USAGE, "the language between %s and %s is unknown; name it with " SETTING(VIA),
                   options[0].model, options[1].model);
}

static Status read_head(Pipeline *pipeline, size_t i, const DragomanOptions *options, Err *err)
{
    LoadedModel *loaded = &pipeline->models[i];
    Status st;

    loaded_model_reset(loaded);
    st = loaded_model_read_head(loaded, options, err);
    /* The other models of an ensemble may be Marian models. */
    if (st == OK && options->vocabs && !loaded->config.vocab_files.source && !loaded->paths[path_first(loaded->paths)])
        st = err_set(err, ERR_USAGE,
                     SETTING(VOCABS) " can only be used with Marian models; this model has its own vocabularies");
    return name_model(st, pipeline, options->model, err);
}

/* Opens everything but the weights. `resolved` receives the options with the pivot languages. */
static Status read_heads(Pipeline *pipeline, const DragomanOptions *options, DragomanOptions *resolved,
                         bool to_translate, Err *err)
{
    size_t last = pipeline->count - 1;
    Status st = OK;

    for (size_t i = 0; st == OK && i <= last; i++) {
        resolved[i] = options[i];
        st = read_head(pipeline, i, &resolved[i], err);
    }
    for (size_t i = 0; st == OK && i < last; i++)
        st = join(&pipeline->models[i], &options[i], &resolved[i], to_translate, err);
    for (size_t i = 0; st == OK && i <= last; i++)
        if ((i > 0 && resolved[i].from) || (i < last && resolved[i].to)) st = read_head(pipeline, i, &resolved[i], err);
    return st;
}

/* Checks that each model knows its languages. A pivot text cannot name its own language, as a line of the user can. */
static Status check_languages(const Pipeline *pipeline, const DragomanOptions *resolved, Err *err)
{
    Encoding encoding = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < pipeline->count; i++) {
        const LoadedModel *o = &pipeline->models[i];
        st = loaded_model_check_languages(o, &resolved[i], err);
        if (st == OK && i > 0) st = tokenizer_encode(o->tokenizer, "a", 1, &encoding, err);
        st = name_model(st, pipeline, resolved[i].model, err);
    }
    encoding_free(&encoding);
    return st;
}

Status pipeline_open(Pipeline *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err)
{
    DragomanOptions *resolved;
    Status st;

    *out = (Pipeline){ 0 };
    if (!count) return option_fields_check_model(NULL, err);
    resolved = calloc(count, sizeof *resolved);
    *out = (Pipeline){ calloc(count, sizeof *out->models), count };
    st = resolved && out->models ? OK : err_memory(err, "the models");
    if (st == OK) st = read_heads(out, options, resolved, to_translate, err);
    if (st == OK && to_translate) st = check_languages(out, resolved, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = loaded_model_read_weights(&out->models[i], err);
        if (st == OK) st = ensemble_models_open(&out->models[i], &resolved[i], err);
        if (st == OK) st = loaded_model_adopt_weights(&out->models[i], &resolved[i], err);
        st = name_model(st, out, resolved[i].model, err);
    }
    free(resolved);
    return st;
}

void pipeline_close(Pipeline *pipeline)
{
    for (size_t i = 0; pipeline->models && i < pipeline->count; i++) loaded_model_close(&pipeline->models[i]);
    free(pipeline->models);
    *pipeline = (Pipeline){ 0 };
}
