/* decoder_parts.h - what a Decoder holds, and the sublayers of a decoder layer, which decoder.c
 * puts together. Each one takes count rows of x and adds its part to them. */
#ifndef DRAGOMAN_DECODER_PARTS_H
#define DRAGOMAN_DECODER_PARTS_H

#include <stddef.h>

#include "arena.h"
#include "attention_score.h"
#include "decoder_row.h"
#include "requantized_keys.h"
#include "layers.h"

typedef struct Decoder Decoder;
struct Decoder {
    Layers layers;
    Arena *arena;
    size_t max_length;
    float *x;             /* [max_rows, d] */
    float *normed;        /* [max_rows, d] */
    float *qkv;           /* [max_rows, 3a], a = heads * head_size; cross-attention: queries [max_rows, a] */
    float *context;       /* [max_rows, a] */
    float *y;             /* [max_rows, d] */
    float *start;         /* [max_rows, d]; NULL unless model->keeps_start */
    float *hidden;        /* [max_rows, layers_hidden_width()], and for averages two of their widths */
    float *logits;        /* [max_rows, output_choice_room()] */
    const void **at;      /* [max_rows, max_length] */
    AttentionRows *self;  /* [max_rows] */
    AttentionRows *cross; /* [max_rows] */
    float *turned;        /* [2 head_size] */
    size_t *sentences;    /* [max_rows], rows of each */
    float *scores;        /* [members, heads, keys] */
    float *bias;          /* [members, heads, keys]; NULL without relative bias */
    size_t members, keys;
    float *kv; /* [kv_rows, 2a]: one layer's keys and values of a source */
    size_t kv_rows;
    RequantizedKeys fresh; /* rows: 0 where keys stay */
};

/* --- decoder_attention.c --- */

ScoreSetting decoder_score_setting(Decoder *d, const ScoreConfig *config, const AttentionScore *weights);
void decoder_self_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);
void decoder_cross_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);

/* --- decoder_recurrence.c: what stands for self-attention (DecoderKind) --- */

void decoder_ssru(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);
void decoder_aan(Decoder *d, size_t layer, const DecoderRow *rows, size_t count);

#endif
