/* trace.c - see trace.h. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layers.h"

/* Each row keeps LEAST_BEST tokens and BEST_PER_BEAM more per beam. So the token that the search takes from a row is
 * nearly always among those kept. */
#define LEAST_BEST    ((size_t)8)
#define BEST_PER_BEAM ((size_t)2)

Status trace_init(Trace *out, const Model *model, size_t beams, size_t source_len, const int32_t *wanted,
                  size_t wanted_len, Err *err)
{
    const StackConfig *encoder = &model->config.encoder;
    const size_t best = LEAST_BEST + BEST_PER_BEAM * beams, vocab = model->config.decoder.vocab;
    Status st;

    *out = (Trace){ .model = model,
                    .beams = beams,
                    .source_len = source_len,
                    .best = best < vocab ? best : vocab,
                    .wanted = wanted,
                    .wanted_len = wanted_len };
    st = arena_new(&out->arena, err);
    if (st != OK) return st;
    out->encoder =
        arena_zeroed(out->arena, encoder->layers * encoder->heads, source_len * source_len * sizeof *out->encoder);
    out->steps = arena_zeroed(out->arena, TRACE_STEPS, sizeof *out->steps);
    out->wanted_logprobs = arena_zeroed(out->arena, wanted_len + 1, sizeof *out->wanted_logprobs);
    return arena_check(out->arena, "a trace", err);
}

void trace_free(Trace *trace)
{
    arena_free(trace->arena);
    *trace = (Trace){ 0 };
}

/* The number of floats of a row of TraceStep.past at a position: for self-attention [L, H, position + 1], the
 * probabilities of the tokens so far; for an SSRU [L, d], its forget gates; for an AAN none. */
static size_t past_size(const Trace *trace, size_t position)
{
    const ModelConfig *config = &trace->model->config;

    switch (config->decoder_layer.kind) {
    case DECODER_SELF_ATTENTION:
        return config->decoder.layers * config->decoder.heads * (position + 1);
    case DECODER_SSRU:
        return config->decoder.layers * config->d_model;
    default:
        return 0;
    }
}

Status trace_open(Trace *trace, size_t position, Err *err)
{
    const size_t best = trace->beams * trace->best;
    TraceStep *step;

    if (position >= TRACE_STEPS) return OK;
    step = &trace->steps[position];
    step->past = arena_zeroed(trace->arena, trace->beams * past_size(trace, position) + 1, sizeof *step->past);
    step->best = arena_alloc(trace->arena, best, sizeof *step->best);
    if (!step->past || !step->best) return err_memory(err, "a trace");
    for (size_t i = 0; i < best; i++) step->best[i] = (TraceToken){ .id = -1 };
    return OK;
}

float *trace_past_row(const Trace *trace, size_t position, size_t beam)
{
    const size_t size = past_size(trace, position);

    return size && position < TRACE_STEPS ? trace->steps[position].past + beam * size : NULL;
}

void trace_take_logits(Trace *trace, size_t position, size_t beam, const float *logits, const int32_t *ids,
                       size_t count)
{
    const LogSumExp sum = kernels_get()->logsumexp(logits, count, NULL);
    const bool is_wanted = beam == 0 && position < trace->wanted_len;
    TraceToken *best;

    if (position >= TRACE_STEPS) return;
    best = trace->steps[position].best + beam * trace->best;
    if (is_wanted) trace->wanted_logprobs[position] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const TraceToken token = { ids ? ids[i] : (int32_t)i, (logits[i] - sum.top) - sum.logsumexp };
        const TraceToken *last = &best[trace->best - 1];
        /* Insert a token into best[count], which is sorted; of equal ones the first stays first. */
        if (last->id < 0 || token.logprob > last->logprob) {
            size_t at = trace->best - 1;

            for (; at > 0 && (best[at - 1].id < 0 || token.logprob > best[at - 1].logprob); at--)
                best[at] = best[at - 1];
            best[at] = token;
        }
        if (is_wanted && token.id == trace->wanted[position]) trace->wanted_logprobs[position] = token.logprob;
    }
}

size_t trace_past_planes(const Model *model)
{
    const StackConfig *decoder = &model->config.decoder;

    return decoder->layers * (model->config.decoder_layer.kind == DECODER_SELF_ATTENTION ? decoder->heads : 1);
}

Status trace_read_past(const Trace *trace, const size_t *rows, size_t len, float *out, Err *err)
{
    const ModelConfig *config = &trace->model->config;
    const DecoderKind kind = config->decoder_layer.kind;
    const size_t planes = trace_past_planes(trace->model), d = config->d_model;
    double *shares; /* [len, d], of an SSRU: the share of each input in the state */

    memset(out, 0, planes * len * len * sizeof *out);
    for (size_t p = 0; kind != DECODER_SSRU && p < planes; p++)
        for (size_t t = 0; t < len; t++) {
            float *to = out + (p * len + t) * len;
            if (kind == DECODER_SELF_ATTENTION)
                memcpy(to, trace_past_row(trace, t, rows[t]) + p * (t + 1), (t + 1) * sizeof *out);
            else
                for (size_t j = 0; j <= t; j++) to[j] = 1.0f / (float)(t + 1);
        }
    if (kind != DECODER_SSRU) return OK;
    shares = calloc(len, d * sizeof *shares);
    if (!shares) return err_memory(err, "a trace");
    for (size_t l = 0; l < planes; l++)
        for (size_t t = 0; t < len; t++) {
            /* At step t, all shares fade by the gate f, and the new input gets the rest. */
            const float *f = trace_past_row(trace, t, rows[t]) + l * d;
            for (size_t j = 0; j < t; j++)
                for (size_t i = 0; i < d; i++) shares[j * d + i] *= (double)f[i];
            for (size_t i = 0; i < d; i++) shares[t * d + i] = 1 - (double)f[i];
            for (size_t j = 0; j <= t; j++) { /* the mean over d */
                double sum = 0;
                for (size_t i = 0; i < d; i++) sum += shares[j * d + i];
                out[(l * len + t) * len + j] = (float)(sum / (double)d);
            }
        }
    free(shares);
    return OK;
}

/* Computes the embeddings of tokens and positions separately. encoder_run() and decoder_step() compute their sum. */
Status trace_embeddings(const Model *model, bool decoder, const int32_t *ids, size_t len, float *token, float *position,
                        Err *err)
{
    const StackEnds *ends = decoder ? &model->decoder_ends : &model->encoder_ends;
    const StackEnds bare = { .embeddings = ends->embeddings };
    const size_t d = model->config.d_model;
    size_t at = 0;
    Layers layers;
    Status st = layers_init(&layers, model, kernels_get(), err);

    memset(position, 0, len * d * sizeof *position);
    for (size_t i = 0; st == OK && i < len; i++) {
        const bool blank = decoder && i == 0 && model->config.embedding.zero_start;
        const int32_t id = blank ? -1 : ids[i];
        const float *row = layers_position(&layers, ends, id, at);
        layers_embed(&layers, &bare, id, 0, token + i * d);
        if (row) memcpy(position + i * d, row, d * sizeof *row);
        at += decoder || id != model->config.positions.padding_id;
    }
    layers_free(&layers);
    return st;
}
