/* pipeline.c - see pipeline.h.
 * The tokenizers are read first, because they know the languages of the models. A model that can choose its language is
 * then read once more, with the language that its neighbour or the user determines. The weights come last. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "language.h"
#include "path.h"

/* Most messages about options do not name the model. With several models, this adds its name, unless the message begins
 * with the model or with a file in its folder. */
static Status name_model(Status st, const Pipeline *pipeline, const char *model, Err *err)
{
    const size_t length = strlen(model);

    if (st != ERR_USAGE || pipeline->count < 2) return st;
    if (length && strncmp(err->text, model, length) == 0 &&
        (err->text[length] == ':' || err->text[length] == '/' || model[length - 1] == '/'))
        return st;
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

/* The only language that the model translates from; NULL if it can choose. */
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

/* Chooses the pivot language: the one that the user names, else the only one of a neighbour, else the one that the
 * files of the first model choose. No language leaves the choice to the files of the model. Both `options` and `resolved`
 * start at the first of the two models. `resolved` has no pivot language yet. */
static Status join(const LoadedModel *first, const DragomanOptions *options, DragomanOptions *resolved,
                   bool to_translate, Err *err)
{
    const LoadedModel *second = first + 1;
    const char *via = options[1].via, *source = only_source(second);
    const char *target = known(tokenizer_target_language(first->tokenizer));
    const char *only_target = has_choice(first) ? NULL : target;
    Status st = check_same(via, only_target, options[0].model, "into", err);

    if (st == OK) st = check_same(via, source, options[1].model, "from", err);
    if (st != OK) return st;
    if (only_target && source && !language_same(only_target, source))
        return err_set(err, ERR_USAGE, "%s translates into %s, but %s translates from %s", options[0].model,
                       only_target, options[1].model, source);
    if (has_choice(first)) resolved[0].to = via ? via : source;
    if (has_choice(second) && !source) resolved[1].from = via ? via : resolved[0].to ? resolved[0].to : target;
    if (!to_translate) return OK;
    if ((resolved[0].to || !has_choice(first) || tokenizer_target_language(first->tokenizer)) &&
        (resolved[1].from || !tokenizer_facts(second->tokenizer)->chooses_source ||
         tokenizer_source_language(second->tokenizer)))
        return OK;
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

/* `resolved` are the options with the pivot languages. */
Status pipeline_open(Pipeline *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err)
{
    DragomanOptions *resolved;
    Encoding encoding = { 0 };
    Status st;

    *out = (Pipeline){ 0 };
    if (!count) return option_fields_check_model(NULL, err);
    resolved = calloc(count, sizeof *resolved);
    *out = (Pipeline){ calloc(count, sizeof *out->models), count };
    st = resolved && out->models ? OK : err_memory(err, "the models");

    /* Everything but the weights. */
    for (size_t i = 0; st == OK && i < count; i++) {
        resolved[i] = options[i];
        st = read_head(out, i, &resolved[i], err);
    }
    for (size_t i = 0; st == OK && i + 1 < count; i++)
        st = join(&out->models[i], &options[i], &resolved[i], to_translate, err);
    for (size_t i = 0; st == OK && i < count; i++)
        if ((i > 0 && resolved[i].from) || (i + 1 < count && resolved[i].to)) st = read_head(out, i, &resolved[i], err);

    /* Each model must know its languages. A pivot text cannot name its own language, as a line of the user can. */
    for (size_t i = 0; st == OK && to_translate && i < count; i++) {
        st = loaded_model_check_languages(&out->models[i], &resolved[i], err);
        if (st == OK && i > 0) st = tokenizer_encode(out->models[i].tokenizer, "a", 1, &encoding, err);
        st = name_model(st, out, resolved[i].model, err);
    }
    encoding_free(&encoding);
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
