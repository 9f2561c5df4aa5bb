/* pipeline.c - opens the models that a line goes through: see loaded_model.h.
 * The tokenizers are read first, because they know the languages of the models. A model that can choose its language is
 * then read once more, with the language that its neighbour or the user determines. The weights come last. */
#include "loaded_model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "language.h"

/* --- The models of an ensemble. The first one determines how text is encoded and searched. */

static Status check_pieces(const LoadedModel *first, const LoadedModel *other, bool of_target, Err *err)
{
    const TokenizerFacts *ours = tokenizer_facts(first->tokenizer), *theirs = tokenizer_facts(other->tokenizer);
    const size_t count = of_target ? ours->target_vocab : ours->source_vocab;
    const size_t other_count = of_target ? theirs->target_vocab : theirs->source_vocab;
    const char *side = of_target ? "target" : "source";

    if (count != other_count)
        return err_set(
            err, ERR_USAGE,
            "%s: the %s vocabulary has %zu pieces, but that of %s has %zu; an ensemble needs the same vocabularies",
            other->folder, side, other_count, first->folder, count);
    for (int32_t id = 0; (size_t)id < count; id++) {
        const char *a = (of_target ? tokenizer_target_piece : tokenizer_source_piece)(first->tokenizer, id);
        const char *b = (of_target ? tokenizer_target_piece : tokenizer_source_piece)(other->tokenizer, id);
        if (a == b || (a && b && strcmp(a, b) == 0)) continue;
        return err_set(err, ERR_USAGE,
                       "%s: %s piece %d is \"%s\", but \"%s\" in %s; an ensemble needs the same vocabularies",
                       other->folder, side, (int)id, b ? b : "", a ? a : "", first->folder);
    }
    return OK;
}

/* Adds model `index`, whose embeddings must have the same sizes as those of the first one, and whose ids must be the same
 * pieces. */
static Status open_other(LoadedModel *first, size_t index, const DragomanOptions *options, Err *err)
{
    const ModelConfig *ours = model_config(first->model), *theirs;
    DragomanOptions own = *options;
    LoadedModel other = { 0 };
    Status st;

    own.model = first->ensemble.paths[index];
    own.prefix = own.shortlist = own.weights = NULL;
    own.skip_calibration = true; /* alignment and confidence are those of the first model */
    st = ensemble_open(&other.files, &first->ensemble, index, err);
    if (st == OK) st = loaded_model_read_head(&other, &own, err);
    theirs = &other.config;
    if (st == OK && (ours->encoder.vocab != theirs->encoder.vocab || ours->decoder.vocab != theirs->decoder.vocab))
        st = err_set(err, ERR_USAGE,
                     "%s: the embeddings have %zu and %zu rows, but those of %s have %zu and %zu; an ensemble needs "
                     "the same vocabularies",
                     other.folder, theirs->encoder.vocab, theirs->decoder.vocab, first->folder, ours->encoder.vocab,
                     ours->decoder.vocab);
    if (st == OK) st = check_pieces(first, &other, false, err);
    if (st == OK) st = check_pieces(first, &other, true, err);
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

/* --- The models of a pipeline. */

/* Most messages about options do not name the model. With several models, this adds its name, unless the message begins
 * with the model or with a file in its folder. */
static Status name_model(Status st, const Pipeline *pipeline, const char *model, Err *err)
{
    size_t length;

    if (st != ERR_USAGE || pipeline->count < 2) return st;
    length = strlen(model);
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
 * files of the first model choose. No language leaves the choice to the files of the model. `options` are those of the two
 * models, which get the pivot language. */
static Status join(const LoadedModel *first, DragomanOptions *options, bool to_translate, Err *err)
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
    if (has_choice(first)) options[0].to = via ? via : source;
    if (has_choice(second) && !source) options[1].from = via ? via : options[0].to ? options[0].to : target;
    if (!to_translate) return OK;
    if ((options[0].to || !has_choice(first) || tokenizer_target_language(first->tokenizer)) &&
        (options[1].from || !tokenizer_facts(second->tokenizer)->chooses_source ||
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
    if (st == OK && options->vocabs && !loaded->config.vocab_files.source && loaded->ensemble.count == 1)
        st = err_set(err, ERR_USAGE,
                     SETTING(VOCABS) " can only be used with Marian models; this model has its own vocabularies");
    return name_model(st, pipeline, options->model, err);
}

Status pipeline_open(Pipeline *out, const DragomanOptions *options, bool to_translate, Err *err)
{
    const size_t count = option_fields_model_count(options);
    DragomanOptions *resolved;
    Encoding encoding = { 0 };
    Status st = option_fields_check(options, err);

    *out = (Pipeline){ 0 };
    if (st != OK) return st;
    resolved = calloc(count, sizeof *resolved);
    *out = (Pipeline){ calloc(count, sizeof *out->models), resolved, count };
    st = resolved && out->models ? OK : err_memory(err, "the models");

    /* Everything but the weights. */
    for (size_t i = 0; st == OK && i < count; i++) {
        resolved[i] = option_fields_of_model(options, i);
        st = read_head(out, i, &resolved[i], err);
    }
    for (size_t i = 0; st == OK && i + 1 < count; i++) st = join(&out->models[i], &resolved[i], to_translate, err);
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
        LoadedModel *loaded = &out->models[i];
        st = loaded_model_read_weights(loaded, err);
        for (size_t k = 1; st == OK && k < loaded->ensemble.count; k++) st = open_other(loaded, k, &resolved[i], err);
        if (st == OK && loaded->ensemble.weights) st = weigh(loaded->model, loaded->ensemble.weights, err);
        if (st == OK) st = loaded_model_adopt_weights(loaded, &resolved[i], err);
        st = name_model(st, out, resolved[i].model, err);
    }
    return st;
}

void pipeline_close(Pipeline *pipeline)
{
    for (size_t i = 0; pipeline->models && i < pipeline->count; i++) loaded_model_close(&pipeline->models[i]);
    free(pipeline->models);
    free(pipeline->options);
    *pipeline = (Pipeline){ 0 };
}
