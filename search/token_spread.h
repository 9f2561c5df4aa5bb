/* token_spread.h - how certain the choice of a token was: two properties of the distribution of the row that it was
 * chosen from, before the rows of a beam are compared. */
#ifndef DRAGOMAN_TOKEN_SPREAD_H
#define DRAGOMAN_TOKEN_SPREAD_H

typedef struct {
    float margin;  /* log-probability of the best candidate minus that of the second best, after all settings; INFINITY
                      where only one token is allowed */
    float entropy; /* in nats, of the distribution that the scores are computed from */
} TokenSpread;

#endif
