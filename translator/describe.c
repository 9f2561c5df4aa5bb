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

/* Length of the sentences in the estimate of a worker's memory, in pieces. */
#define USUAL_PIECES 32

/* The text so far and the first error. */
typedef struct {
    Buf *out;
    Err *err;
    Status st;
} Text;

__attribute__((format(printf, 3, 4))) static void say(Text *t, const char *key, const char *format, ...)
{
    char value[256];
    va_list args;

    va_start(args, format);
    c_locale_vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (t->st == OK) t->st = buf_append_format(t->out, t->err, "%s: %s\n", key, value);
}

static const char *activation_name(Activation activation)
{
    static const char *const names[ACTIVATION_COUNT] = {
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

    return activation < ACTIVATION_COUNT && names[activation] ? names[activation] : "unknown";
}

static void say_languages(Text *t, const Tokenizer *tokenizer)
{
    const char *source = tokenizer_source_language(tokenizer), *target = tokenizer_target_language(tokenizer);
    size_t count = tokenizer_language_count(tokenizer);

    if (source) say(t, "source language", "%s", source);
    if (target) say(t, "target language", "%s", target);
    if (!count || t->st != OK) return;
    t->st = buf_append_text(t->out, tokenizer_chooses_source(tokenizer) ? "languages:" : "target languages:", t->err);
    for (size_t i = 0; t->st == OK && i < count; i++)
        t->st = buf_append_format(t->out, t->err, " %s", tokenizer_language(tokenizer, i));
    if (t->st == OK) t->st = buf_append_text(t->out, "\n", t->err);
}

static void say_stack(Text *t, const char *key, const StackConfig *stack)
{
    say(t, key, "%zu layer%s, %zu head%s of %zu, feed-forward %zu, vocabulary %zu", stack->layers,
        plural(stack->layers), stack->heads, plural(stack->heads), stack->head_size, stack->ffn, stack->vocab);
}

static const char *norm_name(NormKind norm)
{
    return norm == NORM_RMS   ? "RMS norm"
           : norm == NORM_STD ? "layer norm with unbiased standard deviation"
                              : "layer norm";
}

static void say_positions(Text *t, const ModelConfig *config)
{
    const char *kind = config->positions.kind == POSITIONS_LEARNED        ? "learned"
                       : config->positions.kind == POSITIONS_INTERLEAVED  ? "sinusoidal, interleaved"
                       : config->positions.kind == POSITIONS_TWO_EXPONENT ? "sinusoidal, two exponents"
                                                                          : "sinusoidal";

    if (config->attention.relative_bias.buckets)
        say(t, "positions", "relative, %zu buckets up to distance %zu", config->attention.relative_bias.buckets,
            config->attention.relative_bias.max_distance);
    else if (config->positions.kind == POSITIONS_NONE)
        say(t, "positions", "none");
    else
        say(t, "positions", "%zu, %s", config->positions.max, kind);
}

static void say_score(Text *t, const char *key, const ScoreConfig *score)
{
    static const char *const functions[] = { "scaled dot", "dot", "general", "additive", "location" };
    static const char *const windows[] = { "", ", local-m", ", local-p" };

    if (score->function == SCORE_SCALED_DOT && score->window == WINDOW_GLOBAL) return;
    if (score->window == WINDOW_GLOBAL)
        say(t, key, "%s", functions[score->function]);
    else
        say(t, key, "%s%s of width %zu", functions[score->function], windows[score->window], score->width);
}

static void say_architecture(Text *t, const ModelConfig *config)
{
    say_stack(t, "encoder", &config->encoder);
    say_stack(t, "decoder", &config->decoder);
    say(t, "width", "%zu", config->d_model);
    if (config->decoder_layer.kind != DECODER_SELF_ATTENTION)
        say(t, "decoder kind", "%s",
            config->decoder_layer.kind == DECODER_SSRU ? "SSRU" : "AAN (average attention network)");
    say(t, "activation", "%s%s", activation_name(config->ffn.activation), config->ffn.is_gated ? ", GLU" : "");
    say(t, "norms", "%s %s each sublayer%s%s, eps %g", norm_name(config->norm.kind),
        config->sublayer.pre_norm ? "before" : "after", config->embedding.has_layernorm ? ", after the embeddings" : "",
        sublayer_steps_have(config->sublayer.after_stack, STEP_NORM) ? ", after the last layer" : "",
        (double)config->norm.eps);
    say_score(t, "encoder's attention score", &config->attention.encoder_score);
    say_score(t, "decoder's attention score", &config->attention.decoder_score);
    say_score(t, "cross-attention score", &config->attention.cross_score);
    say_positions(t, config);
    say(t, "embeddings", "%s, scaled by %g; the output layer %s%s",
        config->embedding.shared ? "shared" : "separate embeddings for source and target",
        (double)config->embedding.scale, config->output.tied ? "uses the decoder's embeddings" : "has its own matrix",
        config->output.use_bias ? ", with a bias" : "");
}

/* Hypotheses in flight per worker: those of whole sentences, at least one sentence. */
static size_t hypotheses_of(const LoadedModel *o)
{
    const size_t beams = search_params_rows(&o->settings.search), sentences = o->settings.rows / beams;

    return (sentences ? sentences : 1) * beams;
}

/* Estimates the memory of a worker whose rows are filled with sentences of USUAL_PIECES: keys and values of
 * self-attention per row and of cross-attention per sentence, and the largest scratch buffers, the logits and the
 * feed-forward layer. */
static double bytes_of_model(const LoadedModel *o, const Model *model)
{
    const ModelConfig *c = model_config(model);
    double rows = (double)hypotheses_of(o), sentences = rows / (double)search_params_rows(&o->settings.search);
    double position = 2.0 * (double)(c->decoder.layers * stack_width(&c->decoder)) * sizeof(float);
    double scratch = (double)session_logits(model, hypotheses_of(o), search_params_rows(&o->settings.search));
    double encoder = sentences * USUAL_PIECES * (double)(c->encoder.ffn + 6 * c->d_model);

    return (rows + sentences) * USUAL_PIECES * position + (scratch + encoder) * sizeof(float);
}

static double worker_bytes(const LoadedModel *o)
{
    double bytes = 0;

    for (const Model *model = o->model; model; model = model_next(model)) bytes += bytes_of_model(o, model);
    return bytes;
}

/* Settings of the model besides its architecture. */
static void say_files(Text *t, const LoadedModel *o, const ModelConfig *config)
{
    if (config->vocab_files.source) say(t, "source vocabulary", "%s", config->vocab_files.source);
    if (config->vocab_files.target) say(t, "target vocabulary", "%s", config->vocab_files.target);
    if (o->shortlist_path) say(t, "shortlist", "%s", o->shortlist_path);
    if (config->int8.shift != SHIFT_NONE) say(t, "int8 matmul", "shifted, as in Marian");
    if (config->int8.row_rounding == ROWS_DOWN)
        say(t, "int8 matmul", "rows are rounded down, as in older versions of CTranslate2");
    if (config->int8.row_rounding == ROWS_TO_THOUSANDTHS || config->int8.row_rounding == ROWS_TRUNCATED_TO_THOUSANDTHS)
        say(t, "int16 matmul", "rows are %s, as in CTranslate2",
            config->int8.row_rounding == ROWS_TO_THOUSANDTHS ? "rounded to thousandths" : "cut to thousandths");
}

/* Layers and heads are counted from 0, as in the file of a calibration. */
static void say_alignment(Text *t, const LoadedModel *o, const ModelConfig *config)
{
    const AlignmentConfig *a = &config->alignment;
    const size_t layers = config->decoder.layers, layer = a->layer_from_end < layers ? layers - a->layer_from_end : 0;
    const char *shift = a->shift ? ", one step later" : "";

    if (!a->layer_from_end) return;
    if (a->heads == 1)
        say(t, "alignment", "decoder layer %zu, head %zu%s", layer, a->first_head, shift);
    else
        say(t, "alignment", "decoder layer %zu, mean of %zu heads%s", layer,
            a->heads ? a->heads : config->decoder.heads, shift);
    if (!o->calibration.path) return;
    say(t, "calibration", "%s", o->calibration.path);
    say(t, "agreement of the alignment", "%.2f on %zu pairs", o->calibration.values.agreement,
        o->calibration.values.pairs);
    if (o->calibration.values.has_confidence && !model_next(o->model))
        say(t, "confidence", "fitted to %zu translations", o->calibration.values.confidence.pairs);
}

static void say_sizes(Text *t, const LoadedModel *o)
{
    static const char *const precisions[] = { [PRECISION_F32] = "f32",
                                              [PRECISION_BF16] = "bf16 weights, f32 arithmetic",
                                              [PRECISION_INT8] = "int8 matmul, f32 elsewhere" };
    Precision precision = model_precision(o->model);
    DType type = precision == PRECISION_INT8 ? DTYPE_S8 : DTYPE_F32;
    double weights = (double)model_bytes(o->model), worker = worker_bytes(o);

    say(t, "parameters", "%zu", model_parameters(o->model));
    say(t, "stored as", "%s", model_stored_type(o->model));
    say(t, "weights in memory", "%.1f MB", weights / 1e6);
    say(t, "memory of a worker", "about %.0f MB with %zu hypothes%s of %d pieces", worker / 1e6, hypotheses_of(o),
        hypotheses_of(o) == 1 ? "is" : "es", USUAL_PIECES);
    say(t, "workers", "%zu", o->settings.workers);
    say(t, "precision", "%s", precisions[precision]);
    say(t, "matmul kernels", "%s", matrix_kernel_name(type));
    say(t, "other arithmetic", "%s, the same bits on every CPU", kernels_get()->level);
    say(t, "exactness", "%s",
        matrix_is_exact() ? "a translation depends neither on other sentences nor on threads nor on the CPU level"
                          : "best effort: a translation does not depend on other sentences as long as OpenBLAS gives "
                            "a row the same bits in every matrix multiplication");
}

static void say_ids(Text *t, const char *key, const IdList *ids)
{
    if (!ids->len || t->st != OK) return;
    t->st = buf_append_format(t->out, t->err, "%s:", key);
    for (size_t i = 0; t->st == OK && i < ids->len; i++)
        t->st = buf_append_format(t->out, t->err, " %ld", (long)ids->data[i]);
    if (t->st == OK) t->st = buf_append_text(t->out, "\n", t->err);
}

/* Omits rules that are off. */
static void say_rules(Text *t, const SearchParams *search)
{
    if (search->repetition_penalty != 1) say(t, "repetition penalty", "%g", (double)search->repetition_penalty);
    if (search->encoder_repetition_penalty != 1)
        say(t, "encoder repetition penalty", "%g", (double)search->encoder_repetition_penalty);
    if (search->no_repeat_ngram) say(t, "no repeated n-grams of", "%zu", search->no_repeat_ngram);
    if (search->encoder_no_repeat_ngram) say(t, "no n-grams of the source of", "%zu", search->encoder_no_repeat_ngram);
    if (search->start >= 0) say(t, "start id", "%ld", (long)search->start);
    if (search->forced_bos >= 0) say(t, "forced first id", "%ld", (long)search->forced_bos);
    say_ids(t, "forced last ids", &search->forced_eos);
    say_ids(t, "end ids", &search->eos);
    say_ids(t, "suppressed ids", &search->suppress);
    say_ids(t, "ids suppressed at the beginning", &search->begin_suppress);
}

/* The filters of random draws are shown even if nothing is drawn, because the user can turn draws on. */
static void say_sampling(Text *t, const Sampling *sampling)
{
    if (sampling->on) say(t, "sampling", "on");
    if (sampling->temperature > 0 && sampling->temperature != 1)
        say(t, "temperature", "%g", (double)sampling->temperature);
    if (sampling->top_k) say(t, "top k", "%zu", sampling->top_k);
    if (sampling->top_p > 0 && sampling->top_p < 1) say(t, "top p", "%g", (double)sampling->top_p);
    if (sampling->min_p > 0) say(t, "min p", "%g", (double)sampling->min_p);
    if (sampling->typical_p > 0 && sampling->typical_p < 1) say(t, "typical p", "%g", (double)sampling->typical_p);
    if (sampling->epsilon > 0) say(t, "epsilon cutoff", "%g", (double)sampling->epsilon);
    if (sampling->eta > 0) say(t, "eta cutoff", "%g", (double)sampling->eta);
}

static size_t count_runs(const IdList *runs)
{
    size_t count = 0;

    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1) count++;
    return count;
}

static void say_choices(Text *t, const SearchParams *search)
{
    say_sampling(t, &search->sampling);
    if (search->groups > 1)
        say(t, "beam groups", "%zu, diversity penalty %g", search->groups, (double)search->diversity_penalty);
    if (search->coverage_penalty != 0) say(t, "coverage penalty", "%g", (double)search->coverage_penalty);
    if (search->patience > 0 && search->patience != 1) say(t, "patience", "%g", (double)search->patience);
    if (search->alternatives) say(t, "alternatives", "%zu", search->alternatives);
    if (search->prefix_bias > 0) say(t, "prefix bias", "%g", (double)search->prefix_bias);
    if (search->decays)
        say(t, "exponential decay length penalty", "factor %g, after %zu tokens", search->decay_factor,
            search->decay_start);
    if (search->biases.count) say(t, "biased sequences", "%zu", search->biases.count);
    if (search->bad_words.len) say(t, "forbidden sequences", "%zu", count_runs(&search->bad_words));
    if (search->bad_runs.len) say(t, "suppressed sequences", "%zu", count_runs(&search->bad_runs));
    if (text_rules_forbidden_count(search->texts))
        say(t, "suppressed texts", "%zu", text_rules_forbidden_count(search->texts));
    if (text_rules_stop_count(search->texts)) say(t, "stop strings", "%zu", text_rules_stop_count(search->texts));
}

static void say_search(Text *t, const SearchParams *search)
{
    static const char *const stopping[] = {
        [EARLY_STOPPING_FALSE] = "false", [EARLY_STOPPING_TRUE] = "true", [EARLY_STOPPING_NEVER] = "never"
    };
    const bool is_marian = search->rules.beam_shrinks_with_finished;

    say(t, "beam", "%zu%s", search->beams, search->beams == 1 ? " (greedy)" : "");
    say(t, "length penalty", "%g", (double)search->length_penalty);
    if (!search->rules.ends_with_finished_count && !is_marian)
        say(t, "early stopping", "%s", stopping[search->early_stopping]);
    if (search->rules.program) say(t, "search", "as in %s", search->rules.program);
    if (is_marian || search->word_penalty != 0) say(t, "word penalty", "%g", (double)search->word_penalty);
    if (is_marian || search->length_factor > 0) say(t, "max length factor", "%g", (double)search->length_factor);
    say(t, "min length", "%zu", search->min_length);
    say(t, "max length", "%zu", search->max_length);
    say_rules(t, search);
    say_choices(t, search);
}

static void say_ensemble(Text *t, const Model *model)
{
    if (model_count(model) < 2 || t->st != OK) return;
    t->st = buf_append_format(t->out, t->err,
                              "ensemble: %zu models (the first is described below), weights:", model_count(model));
    for (; t->st == OK && model; model = model_next(model))
        t->st = buf_append_format(t->out, t->err, " %g", (double)model_weight(model));
    if (t->st == OK) t->st = buf_append_text(t->out, "\n", t->err);
}

static void say_warnings(Text *t, const Buf *warnings)
{
    const char *at = warnings->data, *end;

    for (; t->st == OK && at && (end = strchr(at, '\n')); at = end + 1)
        t->st = buf_append_format(t->out, t->err, "warning: %.*s\n", (int)(end - at), at);
}

Status loaded_model_describe(const LoadedModel *loaded, Buf *out, Err *err)
{
    Text t = { out, err, OK };
    const ModelConfig *config = model_config(loaded->model);

    t.st = loaded_calibration_check(&loaded->calibration, loaded->model, loaded->tokenizer, err);
    if (t.st == OK) t.st = buf_append_format(out, err, "model: %s\n", loaded->folder);
    say_ensemble(&t, loaded->model);
    say(&t, "family", "%s", config->family->name);
    say_languages(&t, loaded->tokenizer);
    say_architecture(&t, config);
    say_sizes(&t, loaded);
    say_files(&t, loaded, config);
    say_alignment(&t, loaded, config);
    say(&t, "longest input", "%zu ids; longer lines are cut %s", loaded->limit, loaded->crops ? "off" : "into parts");
    if (loaded->sentences && !loaded->splits_asked_only) say(&t, "lines", "split into sentences");
    if (loaded->capitals) say(&t, "capitals", "converted to normal case before translation");
    if (loaded->settings.search.utf8) say(&t, "byte pieces", "valid UTF-8 only");
    if (loaded->keeps_unknown) say(&t, "unknown words and symbols", "kept");
    if (loaded->keeps_numbers) say(&t, "numbers", "kept");
    say_search(&t, &loaded->settings.search);
    say_warnings(&t, &loaded->warnings);
    return t.st;
}
