/* session_step.c - session_step() of session.h.
 * The rows of all batch slots go through the decoder together, and the searches take their logits as they are
 * computed. In an ensemble the rows go through all decoders, and the searches take the sum over its models of
 * weight * log-probability. */
#include "session.h"

#include <math.h>

#include "session_state.h"

/* Adds the rows of a batch slot to the step. */
static Status gather_rows(Session *s, size_t index, Err *err)
{
    BatchSlot *slot = &s->slots[index];
    size_t rows = search_rows(slot->search);
    const bool wants = search_wants_logits(slot->search) || s->trace;
    Status st = OK;

    for (size_t r = 0; r < rows; r++) s->parents[r] = search_parent(slot->search, r);
    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = kv_cache_advance(s->models[m].caches[index], rows, s->parents, err);
    if (st == OK) st = attention_record_open(&slot->attention, slot->position, s->params->max_length, err);
    if (st == OK && s->trace) st = trace_open(s->trace, slot->position, err);
    for (size_t r = 0; st == OK && r < rows; r++) {
        s->row_slots[s->row_count] = index;
        s->rows[s->row_count++] = (DecoderRow){ .beam = r,
                                                .position = slot->position,
                                                .token = search_token(slot->search, r),
                                                .wants_logits = wants,
                                                .attention = attention_record_row(&slot->attention, slot->position, r),
                                                .past = s->trace ? trace_past_row(s->trace, slot->position, r) : NULL };
        if (wants) s->wanting_slots[s->wanting_count++] = index;
    }
    return st;
}

/* A sink: each search takes its rows of a block, which never has only a part of a sentence's rows. */
static void take_logits(void *context, const LogitsBlock *block)
{
    Session *s = context;

    for (size_t r = 0, same; r < block->rows; r += same) {
        Search *search = s->slots[s->wanting_slots[block->row + r]].search;
        LogitsBlock own = *block;
        same = search_rows(search);
        own.logits += r * block->stride;
        own.rows = same;
        search_take_logits(search, &own);
    }
}

/* Runs the decoder of one model over the gathered rows. */
static void step_model(Session *s, EnsembleModel *em)
{
    for (size_t r = 0; r < s->row_count; r++) {
        s->rows[r].cache = em->caches[s->row_slots[r]];
        s->rows[r].choice = s->shortlist ? &em->choices[s->row_slots[r]] : NULL;
    }
    decoder_step(em->decoder, s->rows, s->row_count);
    for (size_t w = 0; w < s->wanting_count; w++)
        if (!decoder_row_is_finite(em->decoder, w)) s->slots[s->wanting_slots[w]].broken = true;
}

/* True when `is` holds for a search that wants logits. */
static bool any_search(const Session *s, bool (*is)(const Search *))
{
    for (size_t r = 0; r < s->row_count; r++) {
        const Search *search = s->slots[s->row_slots[r]].search;
        if (search_wants_logits(search) && is(search)) return true;
    }
    return false;
}

/* A sink for the only sentence of a traced session, whose logits are also wanted inside a forced prefix. */
static void trace_logits(void *context, const LogitsBlock *block)
{
    Session *s = context;
    const int32_t *ids = s->shortlist ? s->models[0].choices[0].ids.data : NULL;

    for (size_t r = 0; r < block->rows; r++)
        trace_take_logits(s->trace, s->slots[0].position, block->row + r, block->logits + r * block->stride, ids,
                          block->count);
    take_logits(s, block);
}

/* Runs a step of a single model; computes the logits again as whole rows if blocks did not suffice. */
static void step_one(Session *s)
{
    EnsembleModel *em = &s->models[0];

    step_model(s, em);
    if (s->trace) decoder_logits(em->decoder, s->rows, s->row_count, &(LogitsSink){ trace_logits, s, true });
    while (any_search(s, search_wants_logits)) {
        const LogitsSink sink = { take_logits, s, any_search(s, search_needs_whole_rows) };
        decoder_logits(em->decoder, s->rows, s->row_count, &sink);
    }
}

/* Parameters of add_logits(). */
typedef struct {
    Session *session;
    const EnsembleModel *model;
    bool is_first, is_last;
} Adding;

/* A sink: the searches take the sums after the last model. */
static void add_logits(void *context, const LogitsBlock *block)
{
    const Adding *a = context;
    const LogitsBlock sums = ensemble_model_add_scores(a->model, a->is_first, block, a->session->sums);

    if (a->is_last) take_logits(a->session, &sums);
}

static void step_ensemble(Session *s)
{
    for (size_t m = 0; m < s->model_count; m++) {
        EnsembleModel *em = &s->models[m];
        Adding a = { s, em, m == 0, m + 1 == s->model_count };
        step_model(s, em);
        decoder_logits(em->decoder, s->rows, s->row_count, &(LogitsSink){ add_logits, &a, true });
    }
}

/* Attention that is summed over the tokens of a hypothesis. */
typedef struct {
    const AttentionRecord *record;
    float *sums; /* [source_len] */
} Covering;

/* The SearchCoverage of a batch slot. The logarithm is rounded from one in double precision, which has the same bits on
 * every machine. */
static float cover(void *context, size_t *rows, size_t begin, size_t end)
{
    const Covering *c = context;
    const size_t source_len = c->record->source_len;
    float penalty = 0;

    for (size_t j = 0; j < source_len; j++) c->sums[j] = 0;
    for (size_t t = begin; t < end; t++) {
        const float *row = attention_record_row(c->record, t, rows[t]);
        for (size_t j = 0; j < source_len; j++) c->sums[j] += row[j];
    }
    for (size_t j = 0; j < source_len; j++)
        if (c->sums[j] > 0 && c->sums[j] < 1) penalty += (float)log((double)c->sums[j]);
    return penalty;
}

static void add_coverage(Session *s, BatchSlot *slot)
{
    Covering covering = { &slot->attention, s->coverage };

    if (s->params->coverage_penalty != 0) search_add_coverage(slot->search, cover, &covering, s->result_rows);
}

static void advance_slots(Session *s)
{
    for (size_t i = 0; i < s->slot_count; i++) {
        BatchSlot *slot = &s->slots[i];
        if (slot->state != SLOT_RUNNING) continue;
        search_advance(slot->search);
        slot->position++;
        if (search_is_broken(slot->search)) slot->broken = true;
        if (!search_done(slot->search) && !slot->broken) continue;
        if (!slot->broken) add_coverage(s, slot);
        slot->state = SLOT_FINISHED;
        s->running--;
        s->finished++;
    }
}

Status session_step(Session *session, Err *err)
{
    Status st = OK;

    session->row_count = session->wanting_count = 0;
    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].state == SLOT_RUNNING) st = gather_rows(session, i, err);
    if (st != OK || !session->row_count) return st;
    if (session->model_count > 1)
        step_ensemble(session);
    else
        step_one(session);
    advance_slots(session);
    return OK;
}
