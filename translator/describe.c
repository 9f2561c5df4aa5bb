/* describe.c - the text of `dragoman info`; see loaded_model.h. */
#include "loaded_model.h"

#include <stdarg.h>
#include <string.h>

#include "c_locale.h"
#include "family.h"
#include "kernels.h"
#include "matrix.h"
#include "text_rules.h"
#include "session.h"
#include "text.h"

/* The length of sentences, in pieces, for which a worker's memory is estimated. */
#define USUAL_PIECES 32

/* Puts "KEY: VALUE". (Sticky: buf_check().) */
__attribute__((format(printf, 3, 4))) static void say(Buf *out, const char *key, const char *format, ...)
{
    char value[256];
    va_list args;

    va_start(args, format);
    c_locale_vsnprintf(value, sizeof value, format, args);
    va_end(args);
    buf_put_format(out, "%s: %s\n", key, value);
}

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

    if (source) say(out, "source language", "%s", source);
    if (target) say(out, "target language", "%s", target);
    if (!count) return;
    buf_put_text(out, tokenizer_facts(tokenizer)->chooses_source ? "languages:" : "target languages:");
    for (size_t i = 0; i < count; i++) buf_put_format(out, " %s", tokenizer_facts(tokenizer)->languages[i].name);
    buf_put_byte(out, '\n');
}

static void say_stack(Buf *out, const char *key, const StackConfig *stack)
{
    say(out, key, "%zu layer%s, %zu head%s of %zu, feed-forward %zu, vocabulary %zu", stack->layers,
        plural(stack->layers), stack->heads, plural(stack->heads), stack->head_size, stack->ffn, stack->vocab);
}

static void say_score(Buf *out, const char *key, const ScoreConfig *score)
{
    static const char *const functions[] = { "scaled dot", "dot", "general", "additive", "location" };
    static const char *const windows[] = { "", ", local-m", ", local-p" };

    if (score->function == SCORE_SCALED_DOT && score->window == WINDOW_GLOBAL) return;
    if (score->window == WINDOW_GLOBAL)
        say(out, key, "%s", functions[score->function]);
    else
        say(out, key, "%s%s of width %zu", functions[score->function], windows[score->window], score->width);
}

static void say_architecture(Buf *out, const ModelConfig *config)
{
    const char *norm = config->norm.kind == NORM_RMS   ? "RMS norm"
                       : config->norm.kind == NORM_STD ? "layer norm with unbiased standard deviation"
                                                       : "layer norm";
    const char *positions = config->positions.kind == POSITIONS_LEARNED        ? "learned"
                            : config->positions.kind == POSITIONS_INTERLEAVED  ? "sinusoidal, interleaved"
                            : config->positions.kind == POSITIONS_TWO_EXPONENT ? "sinusoidal, two exponents"
                                                                               : "sinusoidal";

    say_stack(out, "encoder", &config->encoder);
    say_stack(out, "decoder", &config->decoder);
    say(out, "width", "%zu", config->d_model);
    if (config->decoder_layer.kind != DECODER_SELF_ATTENTION)
        say(out, "decoder kind", "%s",
            config->decoder_layer.kind == DECODER_SSRU ? "SSRU" : "AAN (average attention network)");
    say(out, "activation", "%s%s", activation_names[config->ffn.activation], config->ffn.is_gated ? ", GLU" : "");
    say(out, "norms", "%s %s each sublayer%s%s, eps %g", norm, config->sublayer.pre_norm ? "before" : "after",
        config->embedding.has_layernorm ? ", after the embeddings" : "",
        sublayer_steps_have(config->sublayer.after_stack, STEP_NORM) ? ", after the last layer" : "",
        (double)config->norm.eps);
    say_score(out, "encoder's attention score", &config->attention.encoder_score);
    say_score(out, "decoder's attention score", &config->attention.decoder_score);
    say_score(out, "cross-attention score", &config->attention.cross_score);
    if (config->attention.relative_bias.buckets)
        say(out, "positions", "relative, %zu buckets up to distance %zu", config->attention.relative_bias.buckets,
            config->attention.relative_bias.max_distance);
    else if (config->positions.kind == POSITIONS_NONE)
        say(out, "positions", "none");
    else
        say(out, "positions", "%zu, %s", config->positions.max, positions);
    say(out, "embeddings", "%s, scaled by %g; the output layer %s%s",
        config->embedding.shared ? "shared" : "separate embeddings for source and target",
        (double)config->embedding.scale, config->output.tied ? "uses the decoder's embeddings" : "has its own matrix",
        config->output.use_bias ? ", with a bias" : "");
}

/* Settings of the model besides its architecture. Layers and heads are counted from 0, as in the file of a
 * calibration. */
static void say_files(Buf *out, const LoadedModel *o, const ModelConfig *config)
{
    const AlignmentConfig *a = &config->alignment;
    const size_t layers = config->decoder.layers, layer = a->layer_from_end < layers ? layers - a->layer_from_end : 0;
    const char *shift = a->shift ? ", one step later" : "";

    if (config->vocab_files.source) say(out, "source vocabulary", "%s", config->vocab_files.source);
    if (config->vocab_files.target) say(out, "target vocabulary", "%s", config->vocab_files.target);
    if (o->shortlist_path) say(out, "shortlist", "%s", o->shortlist_path);
    if (config->int8.shift != SHIFT_NONE) say(out, "int8 matmul", "shifted, as in Marian");
    if (config->int8.row_rounding == ROWS_DOWN)
        say(out, "int8 matmul", "rows are rounded down, as in older versions of CTranslate2");
    if (config->int8.row_rounding == ROWS_TO_THOUSANDTHS || config->int8.row_rounding == ROWS_TRUNCATED_TO_THOUSANDTHS)
        say(out, "int16 matmul", "rows are %s, as in CTranslate2",
            config->int8.row_rounding == ROWS_TO_THOUSANDTHS ? "rounded to thousandths" : "cut to thousandths");
    if (!a->layer_from_end) return;
    if (a->heads == 1)
        say(out, "alignment", "decoder layer %zu, head %zu%s", layer, a->first_head, shift);
    else
        say(out, "alignment", "decoder layer %zu, mean of %zu heads%s", layer,
            a->heads ? a->heads : config->decoder.heads, shift);
    if (!o->calibration_path) return;
    say(out, "calibration", "%s", o->calibration_path);
    say(out, "agreement of the alignment", "%.2f on %zu pairs", o->calibration.agreement, o->calibration.pairs);
    if (o->calibration.has_confidence && !model_next(o->model))
        say(out, "confidence", "fitted to %zu translations", o->calibration.confidence.pairs);
}

/* The memory of a worker is an estimate for rows that are filled with sentences of USUAL_PIECES: for each model the
 * keys and values of self-attention per row and of cross-attention per sentence, and the largest scratch buffers, the
 * logits and the feed-forward layer. */
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
        const double position = 2.0 * (double)(c->decoder.layers * stack_width(&c->decoder)) * sizeof(float);
        const double scratch = (double)session_logits(model, rows, beams);
        const double encoder = (double)sentences * USUAL_PIECES * (double)(c->encoder.ffn + 6 * c->d_model);
        worker += (double)(rows + sentences) * USUAL_PIECES * position + (scratch + encoder) * sizeof(float);
    }
    say(out, "parameters", "%zu", facts.parameters);
    say(out, "stored as", "%s", facts.stored_type);
    say(out, "weights in memory", "%.1f MB", (double)facts.bytes / 1e6);
    say(out, "memory of a worker", "about %.0f MB with %zu hypothes%s of %d pieces", worker / 1e6, rows,
        rows == 1 ? "is" : "es", USUAL_PIECES);
    say(out, "workers", "%zu", o->workers);
    say(out, "precision", "%s", precisions[facts.precision]);
    say(out, "matmul kernels", "%s%s",
        is_int8             ? "8-bit panels, "
        : matrix_is_exact() ? "panels, "
                            : "",
        matrix_kernel_level(is_int8 ? DTYPE_S8 : DTYPE_F32));
    say(out, "other arithmetic", "%s, the same bits on every CPU", kernels_get()->level);
    say(out, "exactness", "%s",
        matrix_is_exact() ? "a translation depends neither on other sentences nor on threads nor on the CPU level"
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

/* Rules that are off are omitted. The filters of random draws are shown even if nothing is drawn, because the user can
 * turn draws on. */
static void say_search(Buf *out, const SearchParams *search)
{
    static const char *const stopping[] = {
        [EARLY_STOPPING_FALSE] = "false", [EARLY_STOPPING_TRUE] = "true", [EARLY_STOPPING_NEVER] = "never"
    };
    const bool is_marian = search->rules.beam_shrinks_with_finished;
    const Sampling *sampling = &search->sampling;

    say(out, "beam", "%zu%s", search->beams, search->beams == 1 ? " (greedy)" : "");
    say(out, "length penalty", "%g", (double)search->length_penalty);
    if (!search->rules.ends_with_finished_count && !is_marian)
        say(out, "early stopping", "%s", stopping[search->early_stopping]);
    if (search->rules.program) say(out, "search", "as in %s", search->rules.program);
    if (is_marian || search->word_penalty != 0) say(out, "word penalty", "%g", (double)search->word_penalty);
    if (is_marian || search->length_factor > 0) say(out, "max length factor", "%g", (double)search->length_factor);
    say(out, "min length", "%zu", search->min_length);
    say(out, "max length", "%zu", search->max_length);

    if (search->repetition_penalty != 1) say(out, "repetition penalty", "%g", (double)search->repetition_penalty);
    if (search->encoder_repetition_penalty != 1)
        say(out, "encoder repetition penalty", "%g", (double)search->encoder_repetition_penalty);
    if (search->no_repeat_ngram) say(out, "no repeated n-grams of", "%zu", search->no_repeat_ngram);
    if (search->encoder_no_repeat_ngram)
        say(out, "no n-grams of the source of", "%zu", search->encoder_no_repeat_ngram);
    if (search->start >= 0) say(out, "start id", "%ld", (long)search->start);
    if (search->forced_bos >= 0) say(out, "forced first id", "%ld", (long)search->forced_bos);
    say_ids(out, "forced last ids", &search->forced_eos);
    say_ids(out, "end ids", &search->eos);
    say_ids(out, "suppressed ids", &search->suppress);
    say_ids(out, "ids suppressed at the beginning", &search->begin_suppress);

    if (sampling->on) say(out, "sampling", "on");
    if (sampling->temperature > 0 && sampling->temperature != 1)
        say(out, "temperature", "%g", (double)sampling->temperature);
    if (sampling->top_k) say(out, "top k", "%zu", sampling->top_k);
    if (sampling->top_p > 0 && sampling->top_p < 1) say(out, "top p", "%g", (double)sampling->top_p);
    if (sampling->min_p > 0) say(out, "min p", "%g", (double)sampling->min_p);
    if (sampling->typical_p > 0 && sampling->typical_p < 1) say(out, "typical p", "%g", (double)sampling->typical_p);
    if (sampling->epsilon > 0) say(out, "epsilon cutoff", "%g", (double)sampling->epsilon);
    if (sampling->eta > 0) say(out, "eta cutoff", "%g", (double)sampling->eta);
    if (search->groups > 1)
        say(out, "beam groups", "%zu, diversity penalty %g", search->groups, (double)search->diversity_penalty);
    if (search->coverage_penalty != 0) say(out, "coverage penalty", "%g", (double)search->coverage_penalty);
    if (search->patience > 0 && search->patience != 1) say(out, "patience", "%g", (double)search->patience);
    if (search->alternatives) say(out, "alternatives", "%zu", search->alternatives);
    if (search->prefix_bias > 0) say(out, "prefix bias", "%g", (double)search->prefix_bias);
    if (search->decays)
        say(out, "exponential decay length penalty", "factor %g, after %zu tokens", search->decay_factor,
            search->decay_start);
    if (search->biases.count) say(out, "biased sequences", "%zu", search->biases.count);
    if (search->bad_words.len) say(out, "forbidden sequences", "%zu", count_runs(&search->bad_words));
    if (search->bad_runs.len) say(out, "suppressed sequences", "%zu", count_runs(&search->bad_runs));
    if (text_rules_forbidden_count(search->texts))
        say(out, "suppressed texts", "%zu", text_rules_forbidden_count(search->texts));
    if (text_rules_stop_count(search->texts)) say(out, "stop strings", "%zu", text_rules_stop_count(search->texts));
}

Status loaded_model_describe(const LoadedModel *loaded, Buf *out, Err *err)
{
    const ModelConfig *config = model_config(loaded->model);
    const char *at = loaded->warnings.data, *end;
    Status st = loaded_model_check_calibration(loaded, err);

    if (st != OK) return st;
    buf_put_format(out, "model: %s\n", loaded->folder);
    if (model_count(loaded->model) > 1) {
        buf_put_format(out,
                       "ensemble: %zu models (the first is described below), weights:", model_count(loaded->model));
        for (const Model *model = loaded->model; model; model = model_next(model))
            buf_put_format(out, " %g", (double)model_facts(model).weight);
        buf_put_byte(out, '\n');
    }
    say(out, "family", "%s", config->family->name);
    say_languages(out, loaded->tokenizer);
    say_architecture(out, config);
    say_sizes(out, loaded);
    say_files(out, loaded, config);
    say(out, "longest input", "%zu ids; longer lines are cut %s", loaded->rules.limit,
        loaded->rules.crops ? "off" : "into parts");
    if (loaded->rules.sentences && !loaded->rules.splits_asked_only) say(out, "lines", "split into sentences");
    if (loaded->rules.capitals) say(out, "capitals", "converted to normal case before translation");
    if (loaded->search.utf8) say(out, "byte pieces", "valid UTF-8 only");
    if (loaded->rules.keeps_unknown) say(out, "unknown words and symbols", "kept");
    if (loaded->rules.keeps_numbers) say(out, "numbers", "kept");
    say_search(out, &loaded->search);
    for (; at && (end = strchr(at, '\n')); at = end + 1) buf_put_format(out, "warning: %.*s\n", (int)(end - at), at);
    return buf_check(out, err);
}
