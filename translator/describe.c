/* describe.c - the text of `dragoman info`; see loaded_model.h. */
#include "loaded_model.h"

#include <string.h>

#include "family.h"
#include "kernels.h"
#include "matrix.h"
#include "text_rules.h"
#include "session.h"
#include "text.h"

/* The length of sentences, in pieces, for which a worker's memory is estimated. */
#define USUAL_PIECES 32

static const char *const activation_names[ACTIVATION_COUNT] = {
    [ACTIVATION_RELU] = "relu",
    [ACTIVATION_SWISH] = "swish",
    [ACTIVATION_GELU] = "gelu",
    [ACTIVATION_GELU_10] = "gelu within -10 and 10",
    [ACTIVATION_GELU_TANH] = "gelu (tanh form)",
    [ACTIVATION_QUICK_GELU] = "quick gelu",
    [ACTIVATION_TANH] = "tanh",
    [ACTIVATION_SIGMOID] = "sigmoid",
    [ACTIVATION_RELU6] = "relu6",
    [ACTIVATION_RELU2] = "squared relu",
    [ACTIVATION_LEAKY_RELU] = "leaky relu",
    [ACTIVATION_MISH] = "mish",
    [ACTIVATION_LAPLACE] = "laplace",
    [ACTIVATION_LINEAR] = "linear",
    [ACTIVATION_PRELU] = "prelu",
    [ACTIVATION_XIELU] = "xielu",
};

static void say_languages(Buf *out, const Tokenizer *tokenizer)
{
    const char *source = tokenizer_source_language(tokenizer), *target = tokenizer_target_language(tokenizer);
    const size_t count = tokenizer_facts(tokenizer)->language_count;

    if (source) buf_put_format(out, "source language: %s\n", source);
    if (target) buf_put_format(out, "target language: %s\n", target);
    if (!count) return;
    buf_put_text(out, tokenizer_facts(tokenizer)->chooses_source ? "languages:" : "target languages:");
    for (size_t i = 0; i < count; i++) buf_put_format(out, " %s", tokenizer_facts(tokenizer)->languages[i].name);
    buf_put_byte(out, '\n');
}

static void say_stack(Buf *out, const char *key, const StackConfig *stack)
{
    buf_put_format(out, "%s: %zu layer%s, %zu head%s of %zu, feed-forward %zu, vocabulary %zu\n", key, stack->layers,
                   plural(stack->layers), stack->heads, plural(stack->heads), stack->head_size, stack->ffn,
                   stack->vocab);
}

static void say_score(Buf *out, const char *key, const ScoreConfig *score)
{
    static const char *const functions[] = { "scaled dot", "dot", "general", "additive", "location" };
    static const char *const windows[] = { "", ", local-m", ", local-p" };

    if (score->function == SCORE_SCALED_DOT && score->window == WINDOW_GLOBAL) return;
    buf_put_format(out, "%s: %s%s", key, functions[score->function], windows[score->window]);
    if (score->window != WINDOW_GLOBAL) buf_put_format(out, " of width %zu", score->width);
    buf_put_byte(out, '\n');
}

static void say_architecture(Buf *out, const ModelConfig *config)
{
    const char *norm = config->norm.kind == NORM_RMS   ? "RMS norm"
                       : config->norm.kind == NORM_STD ? "layer norm with unbiased standard deviation"
                                                       : "layer norm";
    const bool is_rotary = config->attention.rotary.size > 0;
    const char *positions = is_rotary                                          ? "rotary"
                            : config->positions.kind == POSITIONS_LEARNED      ? "learned"
                            : config->positions.kind == POSITIONS_INTERLEAVED  ? "sinusoidal, interleaved"
                            : config->positions.kind == POSITIONS_TWO_EXPONENT ? "sinusoidal, two exponents"
                                                                               : "sinusoidal";

    if (!config->decoder_only) say_stack(out, "encoder", &config->encoder);
    say_stack(out, "decoder", &config->decoder);
    if (config->decoder.kv_heads)
        buf_put_format(out, "keys and values: %zu head%s\n", config->decoder.kv_heads,
                       plural(config->decoder.kv_heads));
    buf_put_format(out, "width: %zu\n", config->d_model);
    if (config->decoder_layer.kind != DECODER_SELF_ATTENTION)
        buf_put_format(out, "decoder kind: %s\n",
                       config->decoder_layer.kind == DECODER_SSRU ? "SSRU" : "AAN (average attention network)");
    buf_put_format(out, "activation: %s%s\n", activation_names[config->ffn.activation],
                   config->ffn.is_gated ? ", GLU" : "");
    buf_put_format(out, "norms: %s %s each sublayer%s%s, eps %g\n", norm,
                   config->sublayer.pre_norm ? "before" : "after",
                   config->embedding.has_layernorm ? ", after the embeddings" : "",
                   sublayer_steps_have(config->sublayer.after_stack, STEP_NORM) ? ", after the last layer" : "",
                   (double)config->norm.eps);
    say_score(out, "encoder's attention score", &config->attention.encoder_score);
    say_score(out, "decoder's attention score", &config->attention.decoder_score);
    say_score(out, "cross-attention score", &config->attention.cross_score);
    if (config->attention.relative_bias.buckets)
        buf_put_format(out, "positions: relative, %zu buckets up to distance %zu\n",
                       config->attention.relative_bias.buckets, config->attention.relative_bias.max_distance);
    else if (config->positions.kind == POSITIONS_NONE && !is_rotary)
        buf_put_text(out, "positions: none\n");
    else
        buf_put_format(out, "positions: %zu, %s\n", config->positions.max, positions);
    buf_put_format(out, "embeddings: %s, scaled by %g; the output layer %s%s\n",
                   config->embedding.shared ? "shared" : "separate embeddings for source and target",
                   (double)config->embedding.scale,
                   config->output.tied ? "uses the decoder's embeddings" : "has its own matrix",
                   config->output.use_bias ? ", with a bias" : "");
}

/* Describes the settings of the model besides its architecture. Layers and heads are counted from 0, as in the file of
 * a calibration. */
static void say_files(Buf *out, const LoadedModel *o, const ModelConfig *config)
{
    const AlignmentConfig *a = &config->alignment;
    const size_t layers = config->decoder.layers, layer = a->layer_from_end < layers ? layers - a->layer_from_end : 0;
    const char *shift = a->shift ? ", one step later" : "";

    if (tokenizer_facts(o->tokenizer)->prompts)
        buf_put_format(out, "prompt: %s\n",
                       tokenizer_facts(o->tokenizer)->prompt_name ? tokenizer_facts(o->tokenizer)->prompt_name
                                                                  : "given");
    if (config->vocab_files.source) buf_put_format(out, "source vocabulary: %s\n", config->vocab_files.source);
    if (config->vocab_files.target) buf_put_format(out, "target vocabulary: %s\n", config->vocab_files.target);
    if (o->shortlist_path) buf_put_format(out, "shortlist: %s\n", o->shortlist_path);
    if (config->int8.shift != SHIFT_NONE) buf_put_text(out, "int8 matmul: shifted, as in Marian\n");
    if (config->int8.row_rounding == ROWS_DOWN)
        buf_put_text(out, "int8 matmul: rows are rounded down, as in older versions of CTranslate2\n");
    if (config->int8.row_rounding == ROWS_TO_THOUSANDTHS || config->int8.row_rounding == ROWS_TRUNCATED_TO_THOUSANDTHS)
        buf_put_format(out, "int16 matmul: rows are %s, as in CTranslate2\n",
                       config->int8.row_rounding == ROWS_TO_THOUSANDTHS ? "rounded to thousandths"
                                                                        : "cut to thousandths");
    if (!a->layer_from_end) return;
    if (a->heads == 1)
        buf_put_format(out, "alignment: decoder layer %zu, head %zu%s\n", layer, a->first_head, shift);
    else
        buf_put_format(out, "alignment: decoder layer %zu, mean of %zu heads%s\n", layer,
                       a->heads ? a->heads : config->decoder.heads, shift);
    if (!o->calibration_path) return;
    buf_put_format(out, "calibration: %s\n", o->calibration_path);
    buf_put_format(out, "agreement of the alignment: %.2f on %zu pairs\n", o->calibration.agreement,
                   o->calibration.pairs);
    if (o->calibration.has_confidence && !model_next(o->model))
        buf_put_format(out, "confidence: fitted to %zu translations\n", o->calibration.confidence.pairs);
}

/* Estimates the memory of a worker that translates as many sentences of USUAL_PIECES as it has room for. For each model
 * this adds the keys and values (of self-attention per hypothesis, of cross-attention per sentence) and the largest
 * scratch buffers: the logits and the feed-forward layer of the encoder. */
static void say_sizes(Buf *out, const LoadedModel *o)
{
    static const char *const precisions[] = { [PRECISION_F32] = "f32",
                                              [PRECISION_BF16] = "bf16 weights, f32 arithmetic",
                                              [PRECISION_INT8] = "int8 matmul, f32 elsewhere" };
    const ModelFacts facts = model_facts(o->model);
    const size_t beams = search_params_rows(&o->search), fitting = o->rows / beams;
    const size_t sentences = fitting ? fitting : 1, rows = sentences * beams; /* rows of whole sentences in flight */
    const bool is_int8 = facts.precision == PRECISION_INT8;
    double worker = 0;

    for (const Model *model = o->model; model; model = model_next(model)) {
        const ModelConfig *c = model_config(model);
        const double position = 2.0 * (double)(c->decoder.layers * stack_kv_width(&c->decoder)) * sizeof(float);
        const double scratch = (double)session_logits(model, rows, beams);
        const double encoder = (double)sentences * USUAL_PIECES * (double)(c->encoder.ffn + 6 * c->d_model);
        worker += (double)(rows + sentences) * USUAL_PIECES * position + (scratch + encoder) * sizeof(float);
    }
    buf_put_format(out, "parameters: %zu\n", facts.parameters);
    buf_put_format(out, "stored as: %s\n", facts.stored_type);
    buf_put_format(out, "weights in memory: %.1f MB\n", (double)facts.bytes / 1e6);
    buf_put_format(out, "memory of a worker: about %.0f MB with %zu hypothes%s of %d pieces\n", worker / 1e6, rows,
                   rows == 1 ? "is" : "es", USUAL_PIECES);
    buf_put_format(out, "workers: %zu\n", o->workers);
    buf_put_format(out, "precision: %s\n", precisions[facts.precision]);
    buf_put_format(out, "matmul kernels: %s%s\n",
                   is_int8             ? "8-bit panels, "
                   : matrix_is_exact() ? "panels, "
                                       : "",
                   matrix_kernel_level(is_int8 ? DTYPE_S8 : DTYPE_F32));
    buf_put_format(out, "other arithmetic: %s, the same bits on every CPU\n", kernels_get()->level);
    buf_put_format(out, "exactness: %s\n",
                   matrix_is_exact()
                       ? "a translation depends neither on other sentences nor on threads nor on the CPU level"
                       : "best effort: a translation does not depend on other sentences as long as OpenBLAS gives "
                         "a row the same bits in every matrix multiplication");
}

static void say_ids(Buf *out, const char *key, const IdList *ids)
{
    if (!ids->len) return;
    buf_put_format(out, "%s:", key);
    for (size_t i = 0; i < ids->len; i++) buf_put_format(out, " %ld", (long)ids->data[i]);
    buf_put_byte(out, '\n');
}

static size_t count_runs(const IdList *runs)
{
    size_t count = 0;

    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1) count++;
    return count;
}

/* Rules that are off are omitted. The settings that only matter for sampling are always shown, because the user can
 * turn sampling on. */
static void say_search(Buf *out, const SearchParams *search)
{
    static const char *const stopping[] = {
        [EARLY_STOPPING_FALSE] = "false", [EARLY_STOPPING_TRUE] = "true", [EARLY_STOPPING_NEVER] = "never"
    };
    const bool is_marian = search->rules.beam_shrinks_with_finished;
    const Sampling *sampling = &search->sampling;

    buf_put_format(out, "beam: %zu%s\n", search->beams, search->beams == 1 ? " (greedy)" : "");
    buf_put_format(out, "length penalty: %g\n", (double)search->length_penalty);
    if (!search->rules.ends_with_finished_count && !is_marian)
        buf_put_format(out, "early stopping: %s\n", stopping[search->early_stopping]);
    if (search->rules.program) buf_put_format(out, "search: as in %s\n", search->rules.program);
    if (is_marian || search->word_penalty != 0) buf_put_format(out, "word penalty: %g\n", (double)search->word_penalty);
    if (is_marian || search->length_factor > 0)
        buf_put_format(out, "max length factor: %g\n", (double)search->length_factor);
    buf_put_format(out, "min length: %zu\n", search->min_length);
    buf_put_format(out, "max length: %zu\n", search->max_length);

    if (search->repetition_penalty != 1)
        buf_put_format(out, "repetition penalty: %g\n", (double)search->repetition_penalty);
    if (search->encoder_repetition_penalty != 1)
        buf_put_format(out, "encoder repetition penalty: %g\n", (double)search->encoder_repetition_penalty);
    if (search->no_repeat_ngram) buf_put_format(out, "no repeated n-grams of: %zu\n", search->no_repeat_ngram);
    if (search->encoder_no_repeat_ngram)
        buf_put_format(out, "no n-grams of the source of: %zu\n", search->encoder_no_repeat_ngram);
    if (search->start >= 0 && !search->continues_source) buf_put_format(out, "start id: %ld\n", (long)search->start);
    if (search->forced_bos >= 0) buf_put_format(out, "forced first id: %ld\n", (long)search->forced_bos);
    say_ids(out, "forced last ids", &search->forced_eos);
    say_ids(out, "end ids", &search->eos);
    say_ids(out, "suppressed ids", &search->suppress);
    say_ids(out, "ids suppressed at the beginning", &search->begin_suppress);

    if (sampling->on) buf_put_text(out, "sampling: on\n");
    if (sampling->temperature > 0 && sampling->temperature != 1)
        buf_put_format(out, "temperature: %g\n", (double)sampling->temperature);
    if (sampling->top_k) buf_put_format(out, "top k: %zu\n", sampling->top_k);
    if (sampling->top_p > 0 && sampling->top_p < 1) buf_put_format(out, "top p: %g\n", (double)sampling->top_p);
    if (sampling->min_p > 0) buf_put_format(out, "min p: %g\n", (double)sampling->min_p);
    if (sampling->typical_p > 0 && sampling->typical_p < 1)
        buf_put_format(out, "typical p: %g\n", (double)sampling->typical_p);
    if (sampling->epsilon > 0) buf_put_format(out, "epsilon cutoff: %g\n", (double)sampling->epsilon);
    if (sampling->eta > 0) buf_put_format(out, "eta cutoff: %g\n", (double)sampling->eta);
    if (search->groups > 1)
        buf_put_format(out, "beam groups: %zu, diversity penalty %g\n", search->groups,
                       (double)search->diversity_penalty);
    if (search->coverage_penalty != 0) buf_put_format(out, "coverage penalty: %g\n", (double)search->coverage_penalty);
    if (search->patience > 0 && search->patience != 1) buf_put_format(out, "patience: %g\n", (double)search->patience);
    if (search->alternatives) buf_put_format(out, "alternatives: %zu\n", search->alternatives);
    if (search->prefix_bias > 0) buf_put_format(out, "prefix bias: %g\n", (double)search->prefix_bias);
    if (search->decays)
        buf_put_format(out, "exponential decay length penalty: factor %g, after %zu tokens\n", search->decay_factor,
                       search->decay_start);
    if (search->biases.count) buf_put_format(out, "biased sequences: %zu\n", search->biases.count);
    if (search->bad_words.len) buf_put_format(out, "forbidden sequences: %zu\n", count_runs(&search->bad_words));
    if (search->bad_runs.len) buf_put_format(out, "suppressed sequences: %zu\n", count_runs(&search->bad_runs));
    if (text_rules_forbidden_count(search->texts))
        buf_put_format(out, "suppressed texts: %zu\n", text_rules_forbidden_count(search->texts));
    if (text_rules_stop_count(search->texts))
        buf_put_format(out, "stop strings: %zu\n", text_rules_stop_count(search->texts));
}

Status loaded_model_describe(const LoadedModel *loaded, Buf *out, Err *err)
{
    const ModelConfig *config = model_config(loaded->model);
    const char *at = loaded->warnings.data, *end;
    Status st = loaded_model_check_calibration(loaded, err);

    if (st != OK) return st;
    buf_put_format(out, "model: %s\n", loaded->folder);
    if (loaded->adapters) buf_put_format(out, "adapters, merged: %s\n", loaded->adapters);
    if (model_count(loaded->model) > 1) {
        buf_put_format(out,
                       "ensemble: %zu models (the first is described below), weights:", model_count(loaded->model));
        for (const Model *model = loaded->model; model; model = model_next(model))
            buf_put_format(out, " %g", (double)model_facts(model).weight);
        buf_put_byte(out, '\n');
    }
    buf_put_format(out, "family: %s\n", config->family->name);
    say_languages(out, loaded->tokenizer);
    say_architecture(out, config);
    say_sizes(out, loaded);
    say_files(out, loaded, config);
    buf_put_format(out, "longest input: %zu ids; longer lines are cut %s\n", loaded->rules.limit,
                   loaded->rules.crops ? "off" : "into parts");
    if (loaded->rules.sentences && !loaded->rules.splits_asked_only) buf_put_text(out, "lines: split into sentences\n");
    if (loaded->rules.capitals) buf_put_text(out, "capitals: converted to normal case before translation\n");
    if (loaded->search.utf8) buf_put_text(out, "byte pieces: valid UTF-8 only\n");
    if (loaded->rules.keeps_unknown) buf_put_text(out, "unknown words and symbols: kept\n");
    if (loaded->rules.keeps_numbers) buf_put_text(out, "numbers: kept\n");
    say_search(out, &loaded->search);
    for (; at && (end = strchr(at, '\n')); at = end + 1) buf_put_format(out, "warning: %.*s\n", (int)(end - at), at);
    return buf_check(out, err);
}
