/* session.c - see session.h.
 * A session has one slot for each sentence that fits; the rows of all slots
 * go through the decoder together. With an ensemble they go through all decoders, and
 * search gets the sum over its models of weight * log-probability. */
#include "session.h"

#include <stdlib.h>

#include "kernels.h"
#include "member.h"
#include "plural.h"

/* Source tokens encoded together: enough for tall products, few enough for
 * the scratch memory to stay in the cache. A longer sentence goes alone. */
#define ENCODER_TOKENS 256

typedef enum { SLOT_FREE, SLOT_RUNNING, SLOT_FINISHED } SlotState;

typedef struct {
    SlotState state;
    void *tag;
    Search *search;
    size_t position; /* of the coming step */
    bool broken;     /* see session_is_broken() */
} Slot;

struct Session {
    const Model *model; /* the first member's */
    const SearchParams *params;
    Member *members; /* [member_count], of slot_count sentences each */
    size_t member_count;
    Slot *slots; /* [slot_count] */
    size_t slot_count, running, finished;
    const Slot *taken;          /* whose results session_result() reads */
    DecoderRow *rows;           /* [slot_count * beams] */
    size_t *row_slots;          /* [slot_count * beams], the slot of each */
    size_t *parents;            /* [beams] */
    const Shortlist *shortlist; /* NULL: none */
    IdSet *candidates;          /* scratch, with a shortlist */
    /* Scratch of session_add(), [slot_count] each. */
    const int32_t **ids;
    size_t *lengths, *group; /* the group's slots */
    KvCache **caches;
};

static Status new_slots(Session *s, Err *err)
{
    size_t vocab = model_config(s->model)->decoder.vocab;
    Status st = OK;

    for (size_t i = 0; st == OK && i < s->slot_count; i++) {
        st = search_new(&s->slots[i].search, s->params, vocab, err);
        if (st == OK && s->member_count > 1) search_expect_scores(s->slots[i].search);
    }
    return st;
}

static Status new_members(Session *s, Err *err)
{
    const Model *model = s->model;
    Status st = OK;

    s->members = calloc(model_count(model), sizeof *s->members);
    if (!s->members) return err_memory(err, "a session");
    for (; st == OK && model; model = model_next(model))
        st = member_init(&s->members[s->member_count++], model, s->params, s->slot_count, err);
    return st;
}

static Status new_parts(Session *s, Err *err)
{
    size_t beams = s->params->beams, rows = s->slot_count * beams;
    Status st;

    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->rows = calloc(rows, sizeof *s->rows);
    s->row_slots = calloc(rows, sizeof *s->row_slots);
    s->parents = calloc(beams, sizeof *s->parents);
    s->ids = calloc(s->slot_count, sizeof *s->ids);
    s->lengths = calloc(s->slot_count, sizeof *s->lengths);
    s->group = calloc(s->slot_count, sizeof *s->group);
    s->caches = calloc(s->slot_count, sizeof *s->caches);
    if (!s->slots || !s->rows || !s->row_slots || !s->parents || !s->ids || !s->lengths || !s->group || !s->caches)
        return err_memory(err, "a session");
    st = new_members(s, err);
    return st == OK ? new_slots(s, err) : st;
}

Status session_new(Session **out, const Model *model, const SearchParams *params, size_t max_rows, Err *err)
{
    const size_t positions = model_positions(model);
    Session *s;
    Status st;

    *out = NULL;
    if (positions && params->max_length > positions)
        return err_set(err, ERR_USAGE, "a maximum length of %zu, but the model has %zu positions", params->max_length,
                       positions);
    s = calloc(1, sizeof *s);
    if (!s) return err_memory(err, "a session");
    s->model = model;
    s->params = params;
    s->slot_count = max_rows > params->beams ? max_rows / params->beams : 1;
    st = new_parts(s, err);
    if (st == OK)
        *out = s;
    else
        session_free(s);
    return st;
}

void session_free(Session *session)
{
    if (!session) return;
    for (size_t i = 0; session->slots && i < session->slot_count; i++) search_free(session->slots[i].search);
    for (size_t m = 0; m < session->member_count; m++) member_free(&session->members[m]);
    id_set_free(session->candidates);
    free(session->slots);
    free(session->members);
    free(session->rows);
    free(session->row_slots);
    free(session->parents);
    free(session->ids);
    free(session->lengths);
    free(session->group);
    free(session->caches);
    free(session);
}

Status session_use_team(Session *session, Team *team, Err *err)
{
    Status st = OK;

    for (size_t m = 0; st == OK && m < session->member_count; m++)
        st = member_use_team(&session->members[m], team, err);
    return st;
}

Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err)
{
    Status st =
        session->candidates ? OK : id_set_new(&session->candidates, model_config(session->model)->decoder.vocab, err);

    if (st == OK) session->shortlist = shortlist;
    return st;
}

size_t session_room(const Session *session)
{
    return session->slot_count - session->running - session->finished;
}

bool session_idle(const Session *session)
{
    return session->running == 0;
}

/* There is one. */
static size_t free_slot(const Session *s)
{
    size_t i = 0;

    while (s->slots[i].state != SLOT_FREE) i++;
    return i;
}

/* The sentence's candidates and what may be forced on it. */
static Status choose(Session *s, size_t slot, const SessionInput *input, Err *err)
{
    const SearchParams *params = s->params;
    IdList *ids = &s->members[0].choices[slot].ids;
    Status st = OK;

    if (!s->shortlist) return OK;
    shortlist_select(s->shortlist, input->source, input->source_len, s->candidates);
    id_set_add_all(s->candidates, params->eos.data, params->eos.len);
    id_set_add_all(s->candidates, params->forced_eos.data, params->forced_eos.len);
    id_set_add_all(s->candidates, input->prefix, input->prefix_len);
    id_set_add(s->candidates, params->forced_bos);
    ids_clear(ids);
    st = id_set_take(s->candidates, ids, err);
    for (size_t m = 1; st == OK && m < s->member_count; m++) {
        ids_clear(&s->members[m].choices[slot].ids);
        st = ids_append_all(&s->members[m].choices[slot].ids, ids->data, ids->len, err);
    }
    for (size_t m = 0; st == OK && m < s->member_count; m++)
        st = output_choice_gather(&s->members[m].choices[slot], s->members[m].model, err);
    if (st == OK) search_choose_from(s->slots[slot].search, ids->data, ids->len);
    return st;
}

/* Puts a sentence into a slot; the slot's caches wait for the encoder. */
static Status start_slot(Session *s, size_t index, const SessionInput *input, Err *err)
{
    Slot *slot = &s->slots[index];
    size_t max_length = input->max_length ? input->max_length : s->params->max_length;
    Status st;

    if (max_length > s->params->max_length) max_length = s->params->max_length;
    if (input->prefix_len >= max_length)
        return err_set(err, ERR_USAGE, "a prefix of %zu piece%s leaves no room below the maximum length of %zu",
                       input->prefix_len, plural(input->prefix_len), max_length);
    st = choose(s, index, input, err);
    if (st != OK) return st;
    slot->tag = input->tag;
    slot->position = 0;
    slot->broken = false;
    slot->state = SLOT_RUNNING;
    s->running++;
    search_start(slot->search, input->source, input->source_len, input->prefix, input->prefix_len, max_length);
    for (size_t m = 0; st == OK && m < s->member_count; m++)
        st = kv_cache_start(s->members[m].caches[index], input->source_len, err);
    return st;
}

/* As many of the inputs as go through the encoder together. */
static size_t group_size(const SessionInput *inputs, size_t count)
{
    size_t tokens = inputs[0].source_len, n = 1;

    while (n < count && tokens + inputs[n].source_len <= ENCODER_TOKENS) tokens += inputs[n++].source_len;
    return n;
}

/* The encoder's output for each sentence of the group. */
static void check_encoded(Session *s, const Member *member, const float *encoded, size_t count)
{
    const size_t d_model = model_config(member->model)->d_model;

    for (size_t i = 0; i < count; i++) {
        if (!numbers_are_finite(encoded, s->lengths[i] * d_model)) s->slots[s->group[i]].broken = true;
        encoded += s->lengths[i] * d_model;
    }
}

static Status read_group(Session *s, const Member *member, size_t count, Err *err)
{
    const float *encoded;
    Status st = encoder_run(member->encoder, s->ids, s->lengths, count, &encoded, err);

    for (size_t i = 0; i < count; i++) s->caches[i] = member->caches[s->group[i]];
    if (st == OK) check_encoded(s, member, encoded, count);
    return st == OK ? decoder_read_source(member->decoder, encoded, s->caches, count, err) : st;
}

static Status add_group(Session *s, const SessionInput *inputs, size_t count, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        s->group[i] = free_slot(s);
        s->ids[i] = inputs[i].source;
        s->lengths[i] = inputs[i].source_len;
        st = start_slot(s, s->group[i], &inputs[i], err);
    }
    for (size_t m = 0; st == OK && m < s->member_count; m++) st = read_group(s, &s->members[m], count, err);
    return st;
}

static Status check_input(const Session *s, const SessionInput *input, Err *err)
{
    const ModelConfig *config = model_config(s->model);
    const size_t positions = model_positions(s->model);

    if (input->source_len == 0 || (positions && input->source_len > positions))
        return err_set(err, ERR_USAGE, "a sentence of %zu pieces, but the model has %zu positions", input->source_len,
                       positions);
    for (size_t i = 0; i < input->source_len; i++)
        if (input->source[i] < 0 || (size_t)input->source[i] >= config->encoder.vocab)
            return err_set(err, ERR_USAGE, "source id %d, but the vocabulary has %zu entries", input->source[i],
                           config->encoder.vocab);
    for (size_t i = 0; i < input->prefix_len; i++)
        if (input->prefix[i] < 0 || (size_t)input->prefix[i] >= config->decoder.vocab)
            return err_set(err, ERR_USAGE, "prefix id %d, but the vocabulary has %zu entries", input->prefix[i],
                           config->decoder.vocab);
    return OK;
}

Status session_add(Session *session, const SessionInput *inputs, size_t count, Err *err)
{
    Status st = OK;

    session->taken = NULL;
    if (count > session_room(session))
        return err_set(err, ERR_USAGE, "%zu sentences for a session with room for %zu", count, session_room(session));
    for (size_t i = 0; st == OK && i < count; i++) st = check_input(session, &inputs[i], err);
    while (st == OK && count) {
        size_t n = group_size(inputs, count);
        st = add_group(session, inputs, n, err);
        inputs += n;
        count -= n;
    }
    return st;
}

/* Adds the rows of a slot to the coming step; *count counts them all. */
static Status gather_rows(Session *s, size_t index, size_t *count, Err *err)
{
    const Slot *slot = &s->slots[index];
    size_t rows = search_rows(slot->search);
    Status st = OK;

    for (size_t r = 0; r < rows; r++) s->parents[r] = search_parent(slot->search, r);
    for (size_t m = 0; st == OK && m < s->member_count; m++)
        st = kv_cache_advance(s->members[m].caches[index], rows, s->parents, err);
    for (size_t r = 0; st == OK && r < rows; r++) {
        s->row_slots[*count] = index;
        s->rows[(*count)++] = (DecoderRow){ .beam = r,
                                            .position = slot->position,
                                            .token = search_token(slot->search, r),
                                            .wants_logits = search_wants_logits(slot->search) };
    }
    return st;
}

static size_t wanted_rows(const Slot *slot)
{
    bool wants = slot->state == SLOT_RUNNING && search_wants_logits(slot->search);

    return wants ? search_rows(slot->search) : 0;
}

static void take_block(void *context, size_t first, size_t count, size_t stride, float *logits)
{
    Session *s = context;

    for (size_t i = 0; i < s->slot_count; i++) {
        size_t rows = wanted_rows(&s->slots[i]);
        if (rows) search_take_block(s->slots[i].search, first, count, stride, logits);
        logits += rows * stride;
    }
}

/* False: some search needs all of its logits. */
static bool take_blocks(Session *s)
{
    bool done = true;

    for (size_t i = 0; i < s->slot_count; i++)
        if (wanted_rows(&s->slots[i]) && (s->shortlist || !search_takes_blocks(s->slots[i].search))) return false;
    if (!decoder_logits_in_blocks(s->members[0].decoder, take_block, s)) return false;
    for (size_t i = 0; i < s->slot_count; i++)
        done = done && (!wanted_rows(&s->slots[i]) || search_blocks_suffice(s->slots[i].search));
    return done;
}

/* The gathered rows, as the member sees them, go through its decoder. */
static void step_member(Session *s, Member *member, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        s->rows[r].cache = member->caches[s->row_slots[r]];
        s->rows[r].choice = s->shortlist ? &member->choices[s->row_slots[r]] : NULL;
    }
    decoder_step(member->decoder, s->rows, count);
    for (size_t r = 0, wanting = 0; r < count; r++)
        if (s->rows[r].wants_logits && !decoder_row_is_finite(member->decoder, wanting++))
            s->slots[s->row_slots[r]].broken = true;
}

/* sums[width] = (0 or sums) + weight * log-probability; the logits become these. */
static void add_scores(float weight, bool first, size_t width, float *logits, float *sums)
{
    kernels_get()->log_softmax(logits, width);
    for (size_t i = 0; i < width; i++) sums[i] = (first ? 0.0f : sums[i]) + weight * logits[i];
}

/* All members' weighted scores, in the place of the first one's logits. */
static float *sum_members(Session *s, size_t count)
{
    float *sums = NULL;

    for (size_t m = 0; m < s->member_count; m++) {
        float *logits, *sum;
        step_member(s, &s->members[m], count);
        logits = decoder_logits(s->members[m].decoder, s->rows, count);
        if (!m) sums = logits;
        sum = sums;
        for (size_t r = 0; r < count; r++) {
            const size_t width = search_width(s->slots[s->row_slots[r]].search);
            if (!s->rows[r].wants_logits) continue;
            add_scores(model_weight(s->members[m].model), m == 0, width, logits, sum);
            logits += width;
            sum += width;
        }
    }
    return sums;
}

/* Hands each slot its logits, unless it has them (NULL), and moves it on. */
static void advance_slots(Session *s, float *logits)
{
    for (size_t i = 0; i < s->slot_count; i++) {
        Slot *slot = &s->slots[i];
        size_t rows;
        if (slot->state != SLOT_RUNNING) continue;
        rows = wanted_rows(slot);
        search_advance(slot->search, rows ? logits : NULL);
        if (logits) logits += rows * search_width(slot->search);
        slot->position++;
        if (search_is_broken(slot->search)) slot->broken = true;
        if (!search_done(slot->search) && !slot->broken) continue;
        slot->state = SLOT_FINISHED;
        s->running--;
        s->finished++;
    }
}

Status session_step(Session *session, Err *err)
{
    size_t count = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].state == SLOT_RUNNING) st = gather_rows(session, i, &count, err);
    if (st != OK || !count) return st;
    if (session->member_count > 1) {
        advance_slots(session, sum_members(session, count));
        return OK;
    }
    step_member(session, &session->members[0], count);
    advance_slots(session,
                  take_blocks(session) ? NULL : decoder_logits(session->members[0].decoder, session->rows, count));
    return OK;
}

bool session_finished(Session *session, void **tag, size_t *count)
{
    session->taken = NULL;
    for (size_t i = 0; session->finished && i < session->slot_count; i++) {
        Slot *slot = &session->slots[i];
        if (slot->state != SLOT_FINISHED) continue;
        slot->state = SLOT_FREE;
        session->finished--;
        session->taken = slot;
        *tag = slot->tag;
        *count = search_results(slot->search);
        return true;
    }
    return false;
}

bool session_is_broken(const Session *session)
{
    return session->taken->broken;
}

Hypothesis session_result(Session *session, size_t i)
{
    return search_result(session->taken->search, i);
}
