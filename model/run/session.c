/* session.c - see session.h: the memory of a session, and sentences that join and leave. The steps are in
 * session_step.c. A session has one batch slot for each sentence that fits. */
#include "session.h"

#include <stdlib.h>

#include "encoder.h"
#include "session_state.h"
#include "text.h"

/* Allocates what a batch slot needs when it is used for the first time: many runs have few sentences. */
static Status open_slot(Session *s, size_t index, Err *err)
{
    BatchSlot *slot = &s->slots[index];
    Status st = OK;

    if (slot->search) return OK;
    for (size_t m = 0; st == OK && m < s->model_count; m++) st = ensemble_model_open_cache(&s->models[m], index, err);
    if (st == OK) st = search_new(&slot->search, s->params, model_config(s->model)->decoder.vocab, err);
    if (st == OK && s->model_count > 1) search_expect_scores(slot->search);
    if (st == OK && s->records_scores) st = search_record_scores(slot->search, err);
    if (st == OK && s->allows_demands) st = search_allow_demands(slot->search, err);
    if (st == OK && s->records_spread) st = search_record_spread(slot->search, err);
    return st;
}

static Status new_models(Session *s, Err *err)
{
    const Model *model = s->model;
    Status st = OK;

    s->models = calloc(model_count(model), sizeof *s->models);
    if (!s->models) return err_memory(err, "a session");
    for (; st == OK && model; model = model_next(model))
        st = ensemble_model_init(&s->models[s->model_count++], model, s->slot_count, search_params_rows(s->params),
                                 s->params->max_length, err);
    return st;
}

static Status new_parts(Session *s, Err *err)
{
    const size_t beams = search_params_rows(s->params), rows = s->slot_count * beams;
    Status st;

    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->rows = calloc(rows, sizeof *s->rows);
    s->row_slots = calloc(rows, sizeof *s->row_slots);
    s->wanting_slots = calloc(rows, sizeof *s->wanting_slots);
    s->parents = calloc(beams, sizeof *s->parents);
    if (model_next(s->model)) s->sums = calloc(rows, model_config(s->model)->decoder.vocab * sizeof *s->sums);
    s->ids = calloc(s->slot_count, sizeof *s->ids);
    s->lengths = calloc(s->slot_count, sizeof *s->lengths);
    s->group = calloc(s->slot_count, sizeof *s->group);
    s->caches = calloc(s->slot_count, sizeof *s->caches);
    if (!s->slots || !s->rows || !s->row_slots || !s->wanting_slots || !s->parents || !s->ids || !s->lengths ||
        !s->group || !s->caches || (!s->sums && model_next(s->model)))
        return err_memory(err, "a session");
    st = new_models(s, err);
    return st == OK ? open_slot(s, 0, err) : st; /* checks the parameters as well */
}

Status session_new(Session **out, const Model *model, const SearchParams *params, size_t max_rows, Err *err)
{
    const size_t positions = model_positions(model);
    Session *s;
    Status st;

    *out = NULL;
    if (positions && params->max_length > positions)
        return err_set(err, ERR_USAGE, "the maximum length is %zu, but the model has only %zu positions",
                       params->max_length, positions);
    s = calloc(1, sizeof *s);
    if (!s) return err_memory(err, "a session");
    s->model = model;
    s->params = params;
    s->slot_count = max_rows > search_params_rows(params) ? max_rows / search_params_rows(params) : 1;
    st = new_parts(s, err);
    if (st == OK && params->coverage_penalty != 0) st = session_record_attention(s, NULL, err);
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
        attention_record_free(&session->slots[i].attention);
    }
    for (size_t m = 0; m < session->model_count; m++) ensemble_model_free(&session->models[m]);
    id_set_free(session->candidates);
    attention_choice_free(&session->attention);
    free(session->result_rows);
    free(session->coverage);
    free(session->slots);
    free(session->models);
    free(session->rows);
    free(session->row_slots);
    free(session->wanting_slots);
    free(session->parents);
    free(session->sums);
    free(session->ids);
    free(session->lengths);
    free(session->group);
    free(session->caches);
    free(session);
}

size_t session_logits(const Model *model, size_t max_rows, size_t beams)
{
    return logits_room(model, max_rows, beams).room;
}

Status session_use_team(Session *session, Team *team, Err *err)
{
    Status st = OK;

    for (size_t m = 0; st == OK && m < session->model_count; m++)
        st = ensemble_model_use_team(&session->models[m], team, err);
    return st;
}

Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err)
{
    Status st =
        session->candidates ? OK : id_set_new(&session->candidates, model_config(session->model)->decoder.vocab, err);

    for (size_t m = 0; st == OK && m < session->model_count; m++)
        st = ensemble_model_use_choices(&session->models[m], err);
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

/* Returns a free batch slot; the caller knows that one exists. */
static size_t free_slot(const Session *s)
{
    size_t i = 0;

    while (s->slots[i].state != SLOT_FREE) i++;
    return i;
}

/* Collects the sentence's candidates and the tokens that may be forced on it. */
static Status choose_candidates(Session *s, size_t slot, const SessionInput *input, Err *err)
{
    const SearchParams *params = s->params;
    IdList *ids = &s->models[0].choices[slot].ids;
    Status st = OK;

    if (!s->shortlist) return OK;
    shortlist_select(s->shortlist, input->source, input->source_len, s->candidates);
    id_set_add_all(s->candidates, params->eos.data, params->eos.len);
    id_set_add_all(s->candidates, params->forced_eos.data, params->forced_eos.len);
    id_set_add_all(s->candidates, input->prefix, input->prefix_len);
    for (size_t i = 0; input->demands && i < input->demands->form_count; i++)
        id_set_add_all(s->candidates, input->demands->forms[i].ids, input->demands->forms[i].length);
    id_set_add(s->candidates, params->forced_bos);
    ids_clear(ids);
    st = id_set_take(s->candidates, ids, err);
    for (size_t m = 1; st == OK && m < s->model_count; m++) {
        ids_clear(&s->models[m].choices[slot].ids);
        st = ids_append_all(&s->models[m].choices[slot].ids, ids->data, ids->len, err);
    }
    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = output_choice_gather(&s->models[m].choices[slot], s->models[m].model, s->models[m].rows, err);
    if (st == OK) search_choose_from(s->slots[slot].search, ids->data, ids->len);
    return st;
}

static Status open_coverage(Session *s, size_t source_len, Err *err)
{
    if (s->params->coverage_penalty == 0 || source_len <= s->coverage_room) return OK;
    free(s->coverage);
    s->coverage = calloc(2 * source_len, sizeof *s->coverage);
    s->coverage_room = s->coverage ? 2 * source_len : 0;
    return s->coverage ? OK : err_memory(err, "a session");
}

/* Puts a sentence into a batch slot; its caches still lack the encoder's output. */
static Status start_slot(Session *s, size_t index, const SessionInput *input, Err *err)
{
    BatchSlot *slot = &s->slots[index];
    size_t max_length = input->max_length ? input->max_length : s->params->max_length;
    Status st;

    if (max_length > s->params->max_length) max_length = s->params->max_length;
    if (input->prefix_len >= max_length)
        return err_set(err, ERR_USAGE, "a prefix of %zu piece%s leaves no room within the maximum length of %zu",
                       input->prefix_len, plural(input->prefix_len), max_length);
    st = open_slot(s, index, err);
    if (st == OK) st = open_coverage(s, input->source_len, err);
    if (st == OK) st = choose_candidates(s, index, input, err);
    if (st != OK) return st;
    attention_record_start(&slot->attention, attention_choice_planes(&s->attention), input->source_len,
                           search_params_rows(s->params));
    slot->tag = input->tag;
    slot->position = 0;
    slot->broken = false;
    slot->state = SLOT_RUNNING;
    s->running++;
    search_allow_alternatives(slot->search, !input->single);
    search_start(slot->search, input->source, input->source_len, input->prefix, input->prefix_len, max_length);
    if (s->allows_demands) search_demand(slot->search, input->demands);
    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = kv_cache_start(s->models[m].caches[index], input->source_len, err);
    return st;
}

/* Returns the number of inputs to encode together. */
static size_t group_size(const SessionInput *inputs, size_t count)
{
    size_t tokens = inputs[0].source_len, n = 1;

    while (n < count && tokens + inputs[n].source_len <= ENCODER_TOKENS) tokens += inputs[n++].source_len;
    return n;
}

/* Marks the sentences of the group whose encoder output is not finite. */
static void check_encoded(Session *s, const EnsembleModel *em, const float *encoded, size_t count)
{
    const size_t d_model = model_config(em->model)->d_model;

    for (size_t i = 0; i < count; i++) {
        if (!values_are_finite(encoded, s->lengths[i] * d_model)) s->slots[s->group[i]].broken = true;
        encoded += s->lengths[i] * d_model;
    }
}

static Status read_group(Session *s, const EnsembleModel *em, size_t count, Err *err)
{
    const float *encoded;
    Status st = encoder_run(em->encoder, s->ids, s->lengths, count, &encoded, err);

    for (size_t i = 0; i < count; i++) s->caches[i] = em->caches[s->group[i]];
    if (st == OK) check_encoded(s, em, encoded, count);
    return st == OK ? decoder_read_source(em->decoder, encoded, s->caches, count, err) : st;
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
    for (size_t m = 0; st == OK && m < s->model_count; m++) st = read_group(s, &s->models[m], count, err);
    return st;
}

static Status check_input(const Session *s, const SessionInput *input, Err *err)
{
    const ModelConfig *config = model_config(s->model);
    const size_t positions = model_positions(s->model);

    if (input->source_len == 0 || (positions && input->source_len > positions))
        return err_set(err, ERR_USAGE, "the sentence has %zu pieces, but must have at least 1 and at most %zu",
                       input->source_len, positions);
    for (size_t i = 0; i < input->source_len; i++)
        if (input->source[i] < 0 || (size_t)input->source[i] >= config->encoder.vocab)
            return err_set(err, ERR_USAGE, "source id %d is outside the vocabulary of %zu entries", input->source[i],
                           config->encoder.vocab);
    for (size_t i = 0; i < input->prefix_len; i++)
        if (input->prefix[i] < 0 || (size_t)input->prefix[i] >= config->decoder.vocab)
            return err_set(err, ERR_USAGE, "prefix id %d is outside the vocabulary of %zu entries", input->prefix[i],
                           config->decoder.vocab);
    return OK;
}

Status session_add(Session *session, const SessionInput *inputs, size_t count, Err *err)
{
    Status st = OK;

    session->taken = NULL;
    if (count > session_room(session))
        return err_set(err, ERR_USAGE, "%zu sentences do not fit into a session with room for %zu", count,
                       session_room(session));
    for (size_t i = 0; st == OK && i < count; i++) st = check_input(session, &inputs[i], err);
    while (st == OK && count) {
        size_t n = group_size(inputs, count);
        st = add_group(session, inputs, n, err);
        inputs += n;
        count -= n;
    }
    return st;
}

bool session_finished(Session *session, void **tag, size_t *count)
{
    session->taken = NULL;
    for (size_t i = 0; session->finished && i < session->slot_count; i++) {
        BatchSlot *slot = &session->slots[i];
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

size_t session_result_limit(const Session *session)
{
    return search_length_limit(session->taken->search);
}

Hypothesis session_result(Session *session, size_t i)
{
    return search_result(session->taken->search, i);
}
