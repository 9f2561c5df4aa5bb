/* search_lane_state.h - the fields of SearchLanes, for search_lanes.c and search_lane_results.c. */
#ifndef DRAGOMAN_SEARCH_LANE_STATE_H
#define DRAGOMAN_SEARCH_LANE_STATE_H

#include "search_state.h"

typedef enum { LANES_DRAWS, LANES_ALTERNATIVES, LANES_GROUPS } LaneKind;

/* A result of a lane. */
typedef struct {
    size_t lane, index;
    float score;
} LaneResult;

struct SearchLanes {
    LaneKind kind;
    SearchParams params, first_params, whole_params; /* of a lane, of `first`, of `whole`; the lists are not theirs */
    Search **items;                                  /* [room] */
    size_t room, count; /* count: lanes of this sentence; 0 before the alternatives are known */
    Search *first;      /* finds the first tokens of alternatives; NULL for another kind */
    Search *whole;      /* for a sentence without alternatives; likewise */
    bool is_whole;      /* this sentence has none */
    bool short_of_room; /* nothing fits after the first tokens: the results are those of `first` */
    const int32_t *source;
    size_t source_len;
    size_t *offsets;     /* [max_length + 1, room], the first row of each lane at each step */
    float *row;          /* [vocab], a copy of the logits of the row that all lanes have */
    float *firsts;       /* [room], log-probabilities of the first tokens */
    int32_t *prefix;     /* [max_length + 1], the prefix and a first token */
    float *scores;       /* [max_length + 1], scratch memory */
    int32_t *taken;      /* [beams], the tokens of earlier groups */
    LaneResult *results; /* [result_room], best first */
    size_t result_count, result_room;
};

/* search_lane_results.c: finds the results of a sentence whose lanes are done. */
void search_lanes_order_results(Search *s);

#endif
