/* search_result.h - what a search finds, and how it asks for the coverage of the source. */
#ifndef DRAGOMAN_SEARCH_RESULT_H
#define DRAGOMAN_SEARCH_RESULT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const int32_t *ids; /* excludes the start token; includes the forced prefix and the end token */
    size_t len;
    float score;   /* (sum - word_penalty * length) / length^length_penalty; finite */
    float sum;     /* sum of the log-probabilities */
    size_t missed; /* demands that it does not meet (search_demands.h) */
} Hypothesis;

/* Returns the coverage of the source by the tokens [begin, end) of a hypothesis: the sum over the source positions j of
 * log(min(1, sum over t of the attention of t to j)), without positions that get no attention. Token t was chosen from
 * row rows[t] of step t. The function may overwrite rows[]. */
typedef float SearchCoverage(void *context, size_t *rows, size_t begin, size_t end);

/* Returns the log-probability that leads from one sum to the next: their difference, rounded so that adding it in f32
 * gives the same bits. */
float search_score_between(float before, float after);

#endif
