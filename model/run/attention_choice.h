/* attention_choice.h - the heads of cross-attention, or of self-attention to a prompt, whose probabilities a caller
 * wants to see.
 * Either their mean is recorded as one plane, or each head as a separate plane. A plane has a row
 * for each decoder step and a column for each source id. The probabilities are those after the
 * softmax, and after the window of a score function that has one (attention_score.h). */
#ifndef DRAGOMAN_ATTENTION_CHOICE_H
#define DRAGOMAN_ATTENTION_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "err.h"
#include "kernels.h"

typedef struct {
    size_t layer, head; /* of the decoder, from 0 */
} AttentionHead;

typedef struct {
    AttentionHead *heads; /* [count]; owned by a copy that attention_choice_copy() made */
    size_t count;
    size_t guides; /* the last heads, which are for attention_choice_guide(); their mean is the last plane */
    bool separate; /* each of the other heads has its own plane; else one plane holds their mean */
} AttentionChoice;

/* Copies a choice after checking it: ERR_USAGE if it is empty or names a layer or head that the decoder does not
 * have. NULL selects the mean of the heads of config->alignment. The caller frees *out with attention_choice_free(). */
MUST_USE Status attention_choice_copy(AttentionChoice *out, const AttentionChoice *from, const ModelConfig *config,
                                      Err *err);
/* Appends the heads of config->guide to a copy. ERR_USAGE if the decoder does not have them. */
MUST_USE Status attention_choice_guide(AttentionChoice *choice, const ModelConfig *config, Err *err);
void attention_choice_free(AttentionChoice *choice); /* {0} is allowed */

/* Returns the number of planes, which is 0 for an empty choice ({0}). */
size_t attention_choice_planes(const AttentionChoice *choice);

bool attention_choice_has_layer(const AttentionChoice *choice, size_t layer);

/* The keys of an attention, of which the first ones are those of the source ids from `first` on. With decoder_only,
 * keys of the decoder's own positions follow, and a window leaves out the first source ids. */
typedef struct {
    size_t keys, first, source; /* source: number of source ids */
} AttentionColumns;

/* Adds the chosen heads of a layer to out[planes, source]. The layer's probabilities are [decoder heads, keys]. */
void attention_choice_add(const AttentionChoice *choice, const Kernels *kernels, size_t layer,
                          const float *probabilities, AttentionColumns columns, float *out);

#endif
