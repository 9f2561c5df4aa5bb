/* search_candidate.h - what a search records for its caller to show. */
#ifndef DRAGOMAN_SEARCH_CANDIDATE_H
#define DRAGOMAN_SEARCH_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

/* Score of an unused result, because fewer hypotheses finished than there are beams, and of a beam that must not
 * win. */
#define SCORE_NEVER (-1.0e9f)

/* A hypothesis that a step considered: a row of the step, continued with a token. */
typedef enum {
    CANDIDATE_PRUNED,  /* not among the best */
    CANDIDATE_KEPT,    /* a row of the next step; the search may end before that step */
    CANDIDATE_FINISHED /* complete, and compared with the results */
} CandidateFate;

typedef struct {
    size_t position; /* of the token, from 0 */
    size_t parent;   /* the row */
    int32_t token;
    float sum; /* of the log-probabilities */
    CandidateFate fate;
    size_t row;  /* with CANDIDATE_KEPT: its row of the next step */
    float score; /* with CANDIDATE_FINISHED: as in Hypothesis */
} SearchCandidate;

#endif
