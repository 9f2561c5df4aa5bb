/* chain.c - see chain.h.
 * What the models know of their languages is read first, with their
 * tokenizers; a model that can choose is opened once more, with the language
 * that its neighbour or the user names. The weights come last. */
#include "chain.h"

#include <stdlib.h>

#include "ensemble.h"
#include "language.h"
#include "language_choice.h"
#include "path.h"
#include "err.h"

/* Messages about options do not name the model: which one it is, is not plain
 * with several. */
static Status name_model(Status st, const Chain *chain, const char *model, Err *err)
{
    if (st != ERR_USAGE || chain->count < 2) return st;
    return err_set(err, st, "%s: %s", model, err->text);
}

/* The language if it is one, not a family of languages: "ROMANCE". */
static const char *known(const char *language)
{
    return language && language_is_known(language) ? language : NULL;
}

static bool has_choice(const Opening *o)
{
    return tokenizer_language_count(o->tokenizer) > 0;
}

/* What the model translates into, or from, whatever it is told; or NULL. */
static const char *only_target(const Opening *o)
{
    return has_choice(o) ? NULL : known(tokenizer_target_language(o->tokenizer));
}

static const char *only_source(const Opening *o)
{
    return tokenizer_chooses_source(o->tokenizer) ? NULL : known(tokenizer_source_language(o->tokenizer));
}

static Status check_same(const char *wanted, const char *has, const char *model, const char *verb, Err *err)
{
    if (!wanted || !has || language_fits(wanted, has)) return OK;
    return err_set(err, ERR_USAGE, "%s: translates %s %s, not %s %s", model, verb, has, verb, wanted);
}

static Status check_via(const Opening *first, const char *via, const DragomanOptions *options, Err *err)
{
    const char *target = only_target(first), *source = only_source(first + 1);
    Status st = check_same(via, target, options[0].model, "into", err);

    if (st == OK) st = check_same(via, source, options[1].model, "from", err);
    if (st != OK || !target || !source || language_same(target, source)) return st;
    return err_set(err, ERR_USAGE, "%s translates into %s, but %s translates from %s", options[0].model, target,
                   options[1].model, source);
}

/* What the user names, else what the neighbour is made for, or has chosen by
 * its own files; NULL: the model's own files choose. */
static void choose_language_between(const Opening *first, const char *via, DragomanOptions *told)
{
    const Opening *second = first + 1;
    const char *source = only_source(second), *target = known(tokenizer_target_language(first->tokenizer));

    if (has_choice(first)) told[0].to = via ? via : source;
    if (has_choice(second) && !source) told[1].from = via ? via : told[0].to ? told[0].to : target;
}

static bool is_complete(const Opening *first, const DragomanOptions *told)
{
    const Tokenizer *source = first->tokenizer, *target = (first + 1)->tokenizer;

    return (told[0].to || !has_choice(first) || tokenizer_target_language(source)) &&
           (told[1].from || !tokenizer_chooses_source(target) || tokenizer_source_language(target));
}

/* `options` and `told`, which has no language between the two models yet, begin with the first of them. */
static Status join(const Opening *first, const DragomanOptions *options, DragomanOptions *told, bool to_translate,
                   Err *err)
{
    Status st = check_via(first, options[1].via, options, err);

    if (st != OK) return st;
    choose_language_between(first, options[1].via, told);
    if (!to_translate || is_complete(first, told)) return OK;
    return err_set(err, ERR_USAGE, "the language between %s and %s is not known: name it by " SETTING(VIA),
                   options[0].model, options[1].model);
}

/* An ensemble may have a model of Marian behind the first one. */
static Status check_vocabs(const Opening *opening, const DragomanOptions *options, Err *err)
{
    if (!options->vocabs || opening->config.vocab_files.source || opening->paths[path_first(opening->paths)]) return OK;
    return err_set(err, ERR_USAGE, SETTING(VOCABS) ": is for Marian's models; this one has vocabularies of its own");
}

static Status read_head(Chain *chain, size_t i, const DragomanOptions *options, Err *err)
{
    Opening *opening = &chain->openings[i];
    Status st;

    opening_reset(opening);
    st = opening_read_head(opening, options, err);
    if (st == OK) st = check_vocabs(opening, options, err);
    return name_model(st, chain, options->model, err);
}

/* Opens all but the weights. `told`: the options with the languages between. */
static Status read_heads(Chain *chain, const DragomanOptions *options, DragomanOptions *told, bool to_translate,
                         Err *err)
{
    size_t last = chain->count - 1;
    Status st = OK;

    for (size_t i = 0; st == OK && i <= last; i++) {
        told[i] = options[i];
        if (i > 0) told[i].from = NULL;
        if (i < last) told[i].to = NULL;
        st = read_head(chain, i, &told[i], err);
    }
    for (size_t i = 0; st == OK && i < last; i++)
        st = join(&chain->openings[i], &options[i], &told[i], to_translate, err);
    for (size_t i = 0; st == OK && i <= last; i++)
        if ((i > 0 && told[i].from) || (i < last && told[i].to)) st = read_head(chain, i, &told[i], err);
    return st;
}

/* Whether each model has been told what it needs. A pivot's text cannot name
 * its own language, as a user's line may. */
static Status check_languages(const Chain *chain, const DragomanOptions *told, Err *err)
{
    Encoding encoding = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < chain->count; i++) {
        const Opening *o = &chain->openings[i];
        st = opening_check_languages(o, &told[i], err);
        if (st == OK && i > 0) st = tokenizer_encode(o->tokenizer, "a", 1, &encoding, err);
        st = name_model(st, chain, told[i].model, err);
    }
    encoding_free(&encoding);
    return st;
}

static Status open_weights(Opening *opening, const DragomanOptions *options, Err *err)
{
    Status st = opening_read_weights(opening, err);

    if (st == OK) st = ensemble_models_open(opening, options, err);
    return st == OK ? opening_adopt_weights(opening, options, err) : st;
}

Status chain_open(Chain *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err)
{
    DragomanOptions *told;
    Status st;

    *out = (Chain){ 0 };
    if (!count) return err_set(err, ERR_USAGE, "no model was given");
    told = calloc(count, sizeof *told);
    *out = (Chain){ calloc(count, sizeof *out->openings), count };
    st = told && out->openings ? OK : err_memory(err, "the models");
    if (st == OK) st = read_heads(out, options, told, to_translate, err);
    if (st == OK && to_translate) st = check_languages(out, told, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = open_weights(&out->openings[i], &told[i], err);
        st = name_model(st, out, told[i].model, err);
    }
    free(told);
    return st;
}

void chain_close(Chain *chain)
{
    for (size_t i = 0; chain->openings && i < chain->count; i++) opening_close(&chain->openings[i]);
    free(chain->openings);
    *chain = (Chain){ 0 };
}
