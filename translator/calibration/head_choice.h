/* head_choice.h - chooses the attention that agrees best with reference links. The candidates are every head and the
 * mean of the heads of each layer, both with shift 0 and 1 (AlignmentConfig).
 *
 * A candidate links each target token with the source token of its largest weight, unless that is a special token. Its
 * agreement is the F1 of its links and those of the reference: 2 |A and R| / (|A| + |R|). */
#ifndef DRAGOMAN_HEAD_CHOICE_H
#define DRAGOMAN_HEAD_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "err.h"

typedef struct HeadChoice HeadChoice; /* fields: head_choice.c */

/* OK: the caller owns *out. */
MUST_USE Status head_choice_new(HeadChoice **out, size_t layers, size_t heads, Err *err);
void head_choice_free(HeadChoice *choice); /* NULL is allowed */

/* A sentence pair. Tokens body .. body + pieces of the source are not special. */
typedef struct {
    const float *attention; /* [layers * heads, target_len + 1, source_len] */
    const int32_t *links;   /* [target_len]: the source token that the reference links, or -1 */
    size_t source_len, target_len, body, pieces;
} HeadChoicePair;

void head_choice_add(HeadChoice *choice, const HeadChoicePair *pair);

/* Sets *out to the best candidate; of equal ones, the first: layers in order, each with its mean after its heads.
 * Returns its agreement, 0 if there are no links. */
double head_choice_best(const HeadChoice *choice, AlignmentConfig *out);

#endif
