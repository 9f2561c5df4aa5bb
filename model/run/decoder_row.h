/* decoder_row.h - one row of a decoder step.
 * A row is one hypothesis at one position: its last token and the caches that it reads. In place of a
 * causal mask, it reads only the cache's positions up to its own. */
#ifndef DRAGOMAN_DECODER_ROW_H
#define DRAGOMAN_DECODER_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kv_cache.h"
#include "output_choice.h"

typedef struct {
    KvCache *cache;
    size_t beam; /* index among the sentence's beams */
    size_t position;
    int32_t token;
    bool wants_logits;
    const OutputChoice *choice; /* of the row's sentence; NULL: the whole vocabulary */
    float *attention;           /* [planes, source length], see attention_choice.h; NULL: nothing is recorded */
    float *past; /* receives self-attention or what replaces it, see trace_past_size(); NULL: not traced */
} DecoderRow;

#endif
