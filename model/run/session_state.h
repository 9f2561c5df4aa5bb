/* session_state.h - what a Session holds, for session.c and session_step.c. */
#ifndef DRAGOMAN_SESSION_STATE_H
#define DRAGOMAN_SESSION_STATE_H

#include "decoder_row.h"
#include "ensemble_model.h"
#include "search.h"
#include "shortlist.h"

typedef enum { SLOT_FREE, SLOT_RUNNING, SLOT_FINISHED } SlotState;

typedef struct {
    SlotState state;
    void *tag;
    Search *search;
    size_t position; /* of the coming step */
    bool broken;     /* see session_is_broken() */
} Slot;

typedef struct Session Session;
struct Session {
    const Model *model; /* the first member's */
    const SearchParams *params;
    EnsembleModel *members; /* [member_count], of slot_count sentences each */
    size_t member_count;
    Slot *slots; /* [slot_count] */
    size_t slot_count, running, finished;
    const Slot *taken; /* whose results session_result() reads */
    DecoderRow *rows;  /* [slot_count * beams], of the step at hand */
    size_t row_count;
    size_t *row_slots;          /* [slot_count * beams], the slot of each */
    size_t *parents;            /* [beams] */
    float *sums;                /* [slot_count * beams, vocabulary], scores; NULL for one member */
    const Shortlist *shortlist; /* NULL: none */
    IdSet *candidates;          /* scratch, with a shortlist */
    /* Scratch of session_add(), [slot_count] each. */
    const int32_t **ids;
    size_t *lengths, *group; /* the group's slots */
    KvCache **caches;
};

#endif
