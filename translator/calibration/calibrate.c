/* calibrate.c - see translator.h: calibrates a model on a text and its translation.
 * All pairs that are read teach a lexicon; the attention is measured on a sample of them, and the confidence is fitted
 * to the translations of the sample. */
#include <stdlib.h>

#include "confidence_fit.h"
#include "given_attention.h"
#include "head_choice.h"
#include "link_lexicon.h"
#include "loaded_model.h"
#include "model_hash.h"
#include "pair_sample.h"
#include "parallel_text.h"
#include "path.h"
#include "sample_translations.h"
#include "translator.h"

/* Pairs that are read, that the attention is measured on, and that are needed. */
enum { MOST_READ = 100000, MOST_MEASURED = 4000, LEAST_READ = 100 };

typedef struct {
    LoadedModel loaded;
    ParallelText text;
    LinkLexicon *lexicon;
    PairSample sample;
    Calibration calibration;
} Calibrating;

static Status open_model(LoadedModel *out, const DragomanOptions *options, Err *err)
{
    DragomanOptions own = *options;
    Status st;

    own.skip_calibration = true;
    st = loaded_model_read_head(out, &own, err);
    if (st == OK && out->paths[path_first(out->paths)])
        st = err_set(err, ERR_USAGE, "%s: an ensemble cannot be calibrated; calibrate its first model", out->paths);
    if (st == OK) st = loaded_model_check_languages(out, options, err);
    if (st == OK) st = loaded_model_read_weights(out, err);
    return st == OK ? loaded_model_adopt_weights(out, &own, err) : st;
}

static Status read_pairs(Calibrating *c, Err *err)
{
    bool found = true, full = false;
    Status st = OK;

    while (st == OK && c->sample.seen < MOST_READ) {
        st = parallel_text_next(&c->text, &found, err);
        if (st != OK || !found) break;
        st = link_lexicon_add(c->lexicon, &c->text.encoding, &c->text.target_ids, &full, err);
        if (full) break;
        if (st == OK) st = pair_sample_add(&c->sample, &c->text, err);
    }
    if (st != OK || c->sample.seen >= LEAST_READ) return st;
    return err_set(
        err, ERR_FORMAT,
        "%s, %s: only %zu pairs of lines can be used; a calibration needs at least %d, better a few thousand",
        c->text.source_name, c->text.target_name, c->sample.seen, LEAST_READ);
}

static Status measure_pair(const Calibrating *c, GivenAttention *given, HeadChoice *choice, const SamplePair *pair,
                           Err *err)
{
    const IdList *source = &pair->encoding.ids, *target = &pair->target_ids;
    int32_t links[PARALLEL_TEXT_LONGEST];
    HeadChoicePair measured = { .links = links,
                                .source_len = source->len,
                                .target_len = target->len,
                                .body = pair->encoding.body,
                                .pieces = pair->encoding.pieces };
    Status st = link_lexicon_links(c->lexicon, &pair->encoding, target, links, err);

    if (st == OK) st = given_attention_read(given, source, target, &measured.attention, err);
    if (st == OK) head_choice_add(choice, &measured);
    return st;
}

static Status measure(Calibrating *c, GivenAttention *given, HeadChoice *choice, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < c->sample.count; i++) {
        const SamplePair *pair = &c->sample.pairs[i];
        if (!given_attention_fits(given, pair->encoding.ids.len, pair->target_ids.len)) continue;
        st = measure_pair(c, given, choice, pair, err);
        c->calibration.pairs++;
    }
    return st;
}

static Status choose_alignment(Calibrating *c, Err *err)
{
    const StackConfig *decoder = &model_config(c->loaded.model)->decoder;
    GivenAttention *given = NULL;
    HeadChoice *choice = NULL;
    Status st = link_lexicon_learn(c->lexicon, err);

    if (st == OK) st = given_attention_new(&given, &c->loaded, err);
    if (st == OK) st = head_choice_new(&choice, decoder->layers, decoder->heads, err);
    if (st == OK) st = measure(c, given, choice, err);
    if (st == OK) c->calibration.agreement = head_choice_best(choice, &c->calibration.alignment);
    if (st == OK && c->calibration.agreement <= 0)
        st = err_set(err, ERR_FORMAT,
                     "%s, %s: no attention of the model agrees with these pairs; are they translations?",
                     c->text.source_name, c->text.target_name);
    head_choice_free(choice);
    given_attention_free(given);
    return st;
}

static Status fit_confidence(Calibrating *c, const DragomanOptions *options, Err *err)
{
    ConfidenceExample *examples;
    size_t count;
    Status st = sample_translations(&examples, &count, &c->sample, options, err);

    if (st == OK) c->calibration.has_confidence = confidence_fit(&c->calibration.confidence, examples, count);
    free(examples);
    return st;
}

static Status calibrate(Calibrating *c, const DragomanOptions *options, const char *source_path,
                        const char *target_path, Err *err)
{
    const LoadedModel *loaded = &c->loaded;
    const ModelConfig *config = model_config(loaded->model);
    const int32_t end = loaded->settings.search.eos.data[0];
    Status st = link_lexicon_new(&c->lexicon, config->encoder.vocab, config->decoder.vocab, end, err);

    if (st == OK)
        st = parallel_text_open(&c->text, loaded->tokenizer, options->pieces_in, source_path, target_path, err);
    if (st == OK) st = read_pairs(c, err);
    if (st == OK) st = choose_alignment(c, err);
    if (st == OK) st = fit_confidence(c, options, err);
    c->calibration.model = model_hash(loaded->model, loaded->tokenizer);
    return st;
}

Status translator_calibrate(const DragomanOptions *options, const char *source_path, const char *target_path, Buf *out,
                            Err *err)
{
    Calibrating c = { .sample = { .most = MOST_MEASURED } };
    Status st = open_model(&c.loaded, options, err);

    if (st == OK) st = calibrate(&c, options, source_path, target_path, err);
    if (st == OK) st = calibration_append(out, &c.calibration, &model_config(c.loaded.model)->decoder, err);
    pair_sample_free(&c.sample);
    link_lexicon_free(c.lexicon);
    parallel_text_close(&c.text);
    loaded_model_close(&c.loaded);
    return st;
}
