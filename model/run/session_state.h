/* session_state.h - the fields of Session, for session.c and session_step.c. */
#ifndef DRAGOMAN_SESSION_STATE_H
#define DRAGOMAN_SESSION_STATE_H

#include "attention_choice.h"
#include "decoder.h"
#include "ensemble_model.h"
#include "search.h"
#include "shortlist.h"
#include "trace.h"

typedef enum { SLOT_FREE, SLOT_RUNNING, SLOT_FINISHED } SlotState;

typedef struct {
    SlotState state;
    void *tag;
    Search *search;            /* NULL: the slot has not been used yet */
    size_t position;           /* of the next step */
    bool broken;               /* see session_is_broken() */
    AttentionRecord attention; /* empty unless the session records it */
} BatchSlot;

typedef struct Session Session;
struct Session {
    const Model *model; /* the first model of the ensemble */
    const SearchParams *params;
    EnsembleModel *models; /* [model_count], each for slot_count sentences */
    size_t model_count;
    BatchSlot *slots; /* [slot_count] */
    size_t slot_count, running, finished;
    const BatchSlot *taken; /* session_result() reads its results */
    DecoderRow *rows;       /* [slot_count * beams], of the current step */
    size_t row_count;
    size_t *row_slots;          /* [slot_count * beams], the batch slot of each row */
    size_t *wanting_slots;      /* [slot_count * beams], the same for each row that wants logits */
    size_t wanting_count;       /* rows that want logits */
    size_t *parents;            /* [beams] */
    float *sums;                /* [slot_count * beams, vocabulary], scores of an ensemble; NULL for one model */
    const Shortlist *shortlist; /* NULL: none */
    IdSet *candidates;          /* scratch for the shortlist */
    AttentionChoice attention;  /* of the first model; count 0: nothing is recorded */
    bool records_scores;        /* all searches record the scores of tokens */
    bool records_spread;        /* and the spread of their choices */
    bool allows_demands;        /* sentences may have demands */
    Trace *trace;               /* of the only sentence; NULL: not traced */
    float *coverage;            /* [coverage_room], scratch for the attention to each source position */
    size_t coverage_room;
    size_t *result_rows; /* [params->max_length], scratch for the rows of a hypothesis; NULL if nothing needs it */
    /* Scratch of session_add(), [slot_count] each. */
    const int32_t **ids;
    size_t *lengths, *group; /* group: the batch slots encoded together */
    KvCache **caches;
};

#endif
