/* decoder_row.h - what a decoder step works on.
 * A row is one hypothesis: its last token, and the caches that it sees. The
 * mask of the decoder is what the cache holds: a row sees the positions up to
 * its own and no later ones. */
#ifndef DRAGOMAN_DECODER_ROW_H
#define DRAGOMAN_DECODER_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kv_cache.h"
#include "output_choice.h"

typedef struct {
    KvCache *cache;
    size_t beam; /* which of the sentence's beams */
    size_t position;
    int32_t token;
    bool wants_logits;
    const OutputChoice *choice; /* of its sentence; NULL: the whole vocabulary */
} DecoderRow;

#endif
