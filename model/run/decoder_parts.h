/* decoder_parts.h - the fields of Decoder, and the sublayers of a decoder layer, which decoder.c calls.
 * Each sublayer takes count rows of x and adds its output to them. */
#ifndef DRAGOMAN_DECODER_PARTS_H
#define DRAGOMAN_DECODER_PARTS_H

#include <stddef.h>

#include "arena.h"
#include "attention_choice.h"
#include "attention_score.h"
#include "decoder_row.h"
#include "layers.h"
#include "output_choice.h"
#include "requantized_keys.h"

typedef struct Decoder Decoder;
struct Decoder {
    Layers layers;
    Arena *arena;
    size_t max_length;
    float *x;       /* [max_rows, d] */
    float *normed;  /* [max_rows, d] */
    float *qkv;     /* [max_rows, 3a], a = heads * head_size; cross-attention: queries [max_rows, a] */
    float *context; /* [max_rows, a] */
    float *y;       /* [max_rows, d] */
    float *start;   /* [max_rows, d]; NULL unless model->keeps_start */
    float *hidden;  /* [max_rows, layers_hidden_width()]; an AAN needs two more of its widths */
    LogitsRoom room;
    float *logits;        /* [room.room] */
    const void **at;      /* [max_rows, max_length] */
    AttentionRows *self;  /* [max_rows] */
    AttentionRows *cross; /* [max_rows] */
    float *score_scratch; /* [2 head_size], for ScoreSetting */
    size_t *sentences;    /* [max_rows], number of rows of each sentence */
    float *scores;        /* [threads, heads, keys] */
    float *bias;          /* [threads, heads, keys]; NULL without relative bias */
    size_t threads, keys;
    float *kv; /* [kv_rows, 2a]: one layer's keys and values of a source */
    size_t kv_rows;
    RequantizedKeys requantized;     /* its `rows` is 0 when keys are not requantized */
    const AttentionChoice *recorded; /* NULL: no attention is recorded */
};

/* --- decoder_attention.c --- */

ScoreSetting decoder_score_setting(Decoder *d, const ScoreConfig *config, const AttentionScore *weights);
void decoder_self_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);
void decoder_cross_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);

/* --- decoder_recurrence.c: replaces self-attention (DecoderKind) --- */

void decoder_ssru(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);
void decoder_aan(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);

#endif
