/* session.c - see session.h.
 * A session has one slot for each sentence that fits; the rows of all slots
 * go through the decoder together. */
#include "session.h"

#include <stdlib.h>

#include "attention_score.h"
#include "decoder.h"
#include "encoder.h"
#include "fresh_keys.h"
#include "kernels.h"
#include "kv_cache.h"

/* Source tokens encoded together: enough for tall products, few enough for
 * the scratch memory to stay in the cache. A longer sentence goes alone. */
#define ENCODER_TOKENS 256

typedef enum { SLOT_FREE, SLOT_RUNNING, SLOT_FINISHED } SlotState;

typedef struct {
    SlotState state;
    void *tag;
    Search *search;
    KvCache *cache;
    size_t position;     /* of the coming step */
    OutputChoice choice; /* with a shortlist */
} Slot;

struct Session {
    const Model *model;
    const SearchParams *params;
    Encoder *encoder;
    Decoder *decoder;
    PagePool *pool;
    Slot *slots; /* [slot_count] */
    size_t slot_count, running, finished;
    const Slot *taken;          /* whose results session_result() reads */
    DecoderRow *rows;           /* [slot_count * beams] */
    size_t *parents;            /* [beams] */
    const Shortlist *shortlist; /* NULL: none */
    IdSet *candidates;          /* scratch, with a shortlist */
    /* Scratch of session_add(), [slot_count] each. */
    const int32_t **ids;
    size_t *lengths;
    KvCache **caches;
};

/* Keys and values are rounded where all else is in 8 bits; not for scores that need f32. */
static NumberType cache_type(const Model *model)
{
    const ModelConfig *config = model_config(model);
    bool is_plain = attention_score_is_plain(&config->decoder_score) && attention_score_is_plain(&config->cross_score);

    return is_plain && !config->f32_memory && model_precision(model) == PRECISION_INT8 && !model_is_stored_8bit(model)
               ? NUMBER_BF16
               : NUMBER_F32;
}

static Status new_slots(Session *s, Err *err)
{
    size_t vocab = model_config(s->model)->decoder.vocab;
    Status st = OK;

    for (size_t i = 0; st == OK && i < s->slot_count; i++) {
        st = search_new(&s->slots[i].search, s->params, vocab, err);
        if (st == OK) st = kv_cache_new(&s->slots[i].cache, s->pool, s->params->max_length, err);
    }
    return st;
}

static Status new_parts(Session *s, Err *err)
{
    const Kernels *kernels =
        matrix_shares_x_multiplier(s->model->decoder[0].cross.query.weight) ? kernels_marian_get() : kernels_get();
    size_t beams = s->params->beams, rows = s->slot_count * beams;
    Status st = OK;

    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->rows = calloc(rows, sizeof *s->rows);
    s->parents = calloc(beams, sizeof *s->parents);
    s->ids = calloc(s->slot_count, sizeof *s->ids);
    s->lengths = calloc(s->slot_count, sizeof *s->lengths);
    s->caches = calloc(s->slot_count, sizeof *s->caches);
    if (!s->slots || !s->rows || !s->parents || !s->ids || !s->lengths || !s->caches)
        return err_memory(err, "a session");
    st = encoder_new(&s->encoder, s->model, kernels, err);
    if (st == OK) st = decoder_new(&s->decoder, s->model, kernels, rows, s->params->max_length, err);
    if (st == OK)
        st = page_pool_new(&s->pool, model_config(s->model), cache_type(s->model), fresh_keys_needed(s->model), beams,
                           err);
    return st == OK ? new_slots(s, err) : st;
}

Status session_new(Session **out, const Model *model, const SearchParams *params, size_t max_rows, Err *err)
{
    size_t positions = model_config(model)->max_positions;
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
    for (size_t i = 0; session->slots && i < session->slot_count; i++) {
        search_free(session->slots[i].search);
        kv_cache_free(session->slots[i].cache);
        output_choice_free(&session->slots[i].choice);
    }
    id_set_free(session->candidates);
    free(session->slots);
    free(session->rows);
    free(session->parents);
    free(session->ids);
    free(session->lengths);
    free(session->caches);
    page_pool_free(session->pool);
    decoder_free(session->decoder);
    encoder_free(session->encoder);
    free(session);
}

Status session_use_team(Session *session, Team *team, Err *err)
{
    encoder_use_team(session->encoder, team);
    return decoder_use_team(session->decoder, team, err);
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

static Slot *free_slot(Session *s)
{
    for (size_t i = 0; i < s->slot_count; i++)
        if (s->slots[i].state == SLOT_FREE) return &s->slots[i];
    return NULL;
}

/* The sentence's candidates and what may be forced on it. */
static Status choose(Session *s, Slot *slot, const SessionInput *input, Err *err)
{
    const SearchParams *params = s->params;
    Status st;

    if (!s->shortlist) return OK;
    shortlist_select(s->shortlist, input->source, input->source_len, s->candidates);
    id_set_add_all(s->candidates, params->eos.data, params->eos.len);
    id_set_add_all(s->candidates, params->forced_eos.data, params->forced_eos.len);
    id_set_add_all(s->candidates, input->prefix, input->prefix_len);
    id_set_add(s->candidates, params->forced_bos);
    ids_clear(&slot->choice.ids);
    st = id_set_take(s->candidates, &slot->choice.ids, err);
    if (st == OK) st = output_choice_gather(&slot->choice, s->model, err);
    if (st == OK) search_choose_from(slot->search, slot->choice.ids.data, slot->choice.ids.len);
    return st;
}

/* Puts a sentence into a slot; the slot's caches wait for the encoder. */
static Status start_slot(Session *s, Slot *slot, const SessionInput *input, Err *err)
{
    size_t max_length = input->max_length ? input->max_length : s->params->max_length;
    Status st;

    if (max_length > s->params->max_length) max_length = s->params->max_length;
    if (input->prefix_len >= max_length)
        return err_set(err, ERR_USAGE, "a prefix of %zu pieces leaves no room below the maximum length of %zu",
                       input->prefix_len, max_length);
    st = choose(s, slot, input, err);
    if (st != OK) return st;
    slot->tag = input->tag;
    slot->position = 0;
    slot->state = SLOT_RUNNING;
    s->running++;
    search_start(slot->search, input->source, input->source_len, input->prefix, input->prefix_len, max_length);
    return kv_cache_start(slot->cache, input->source_len, err);
}

/* As many of the inputs as go through the encoder together. */
static size_t group_size(const SessionInput *inputs, size_t count)
{
    size_t tokens = inputs[0].source_len, n = 1;

    while (n < count && tokens + inputs[n].source_len <= ENCODER_TOKENS) tokens += inputs[n++].source_len;
    return n;
}

static Status add_group(Session *s, const SessionInput *inputs, size_t count, Err *err)
{
    const float *encoded;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        Slot *slot = free_slot(s);
        st = start_slot(s, slot, &inputs[i], err);
        s->ids[i] = inputs[i].source;
        s->lengths[i] = inputs[i].source_len;
        s->caches[i] = slot->cache;
    }
    if (st == OK) st = encoder_run(s->encoder, s->ids, s->lengths, count, &encoded, err);
    return st == OK ? decoder_read_source(s->decoder, encoded, s->caches, count, err) : st;
}

static Status check_input(const Session *s, const SessionInput *input, Err *err)
{
    const ModelConfig *config = model_config(s->model);

    if (input->source_len == 0 || (config->max_positions && input->source_len > config->max_positions))
        return err_set(err, ERR_USAGE, "a sentence of %zu pieces, but the model has %zu positions", input->source_len,
                       config->max_positions);
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
static Status gather_rows(Session *s, Slot *slot, size_t *count, Err *err)
{
    size_t rows = search_rows(slot->search);
    Status st;

    for (size_t r = 0; r < rows; r++) s->parents[r] = search_parent(slot->search, r);
    st = kv_cache_advance(slot->cache, rows, s->parents, err);
    for (size_t r = 0; st == OK && r < rows; r++)
        s->rows[(*count)++] = (DecoderRow){ .cache = slot->cache,
                                            .beam = r,
                                            .position = slot->position,
                                            .token = search_token(slot->search, r),
                                            .wants_logits = search_wants_logits(slot->search),
                                            .choice = s->shortlist ? &slot->choice : NULL };
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
    if (!decoder_logits_in_blocks(s->decoder, take_block, s)) return false;
    for (size_t i = 0; i < s->slot_count; i++)
        done = done && (!wanted_rows(&s->slots[i]) || search_blocks_suffice(s->slots[i].search));
    return done;
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
        if (!search_done(slot->search)) continue;
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
        if (session->slots[i].state == SLOT_RUNNING) st = gather_rows(session, &session->slots[i], &count, err);
    if (st != OK || !count) return st;
    decoder_step(session->decoder, session->rows, count);
    advance_slots(session, take_blocks(session) ? NULL : decoder_logits(session->decoder, session->rows, count));
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

Hypothesis session_result(Session *session, size_t i)
{
    return search_result(session->taken->search, i);
}
