/* session.c - see session.h. A session has one batch slot for each sentence that fits.
 *
 * A step: the rows of all batch slots go through the decoder together, and the searches take their logits as they are
 * computed. In an ensemble the rows go through all decoders, and the searches take the sum over its models of
 * weight * log-probability. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "attention_score.h"
#include "decoder.h"
#include "encoder.h"
#include "kernels.h"
#include "kv_cache.h"
#include "matrix_emulation.h"
#include "text.h"

/* One model within a session: its scratch memory, and its state of each sentence. All models of an ensemble see the
 * same sentences and rows. */
typedef struct {
    const Model *model;
    Encoder *encoder;
    Decoder *decoder;
    PagePool *pool;
    KvCache **caches;      /* [slot_count]; NULL: not used yet */
    OutputChoice *choices; /* [slot_count], used with a shortlist */
    MatrixRows *rows;      /* of the output layer, shared by the choices; NULL without a shortlist */
} EnsembleModel;

/* The recorded attention of all rows of one sentence: [positions, beams, planes, source_len]. The rows of a
 * hypothesis are found by its path through the beams (search_result_rows()), so reordering beams moves no data. The
 * memory is kept for the next sentence. */
typedef struct {
    float *values;
    size_t room;                      /* number of floats */
    size_t planes, source_len, beams; /* planes is 0: nothing is recorded */
    size_t text_begin, text_end;      /* of SearchInput */
} AttentionRecord;

typedef enum { SLOT_FREE, SLOT_RUNNING, SLOT_FINISHED } SlotState;

typedef struct {
    SlotState state;
    void *tag;
    Search *search;            /* NULL: the slot has not been used yet */
    size_t position;           /* of the next step */
    size_t given_len;          /* tokens of a given translation */
    IdList prompt;             /* with decoder_only: the last prompt whose keys and values the caches have */
    size_t shared;             /* how many positions of the prompt have been taken over from another one */
    IdList candidates;         /* the target ids that a shortlist leaves */
    bool broken;               /* see session_is_broken() */
    AttentionRecord attention; /* empty unless the session records it */
} BatchSlot;

struct Session {
    Arena *arena;       /* owns the arrays below, except coverage */
    const Model *model; /* the first model of the ensemble */
    const SearchParams *params;
    Team *team;            /* NULL: the calling thread works alone */
    size_t beams;          /* the number of rows of a sentence at each position */
    size_t max_length;     /* of a translation */
    size_t ahead;          /* to score given translations: the most positions per step; 0: the session translates */
    EnsembleModel *models; /* [model_count], each for slot_count sentences */
    size_t model_count;
    BatchSlot *slots; /* [slot_count] */
    size_t slot_count, running, finished;
    const BatchSlot *taken; /* of session_search() */
    DecoderRow *rows;       /* [slot_count * beams], of the current step */
    size_t row_count;
    size_t *row_slots; /* [slot_count * beams], the batch slot of each row */
    size_t *wanting;   /* [slot_count * beams], the rows that want logits */
    size_t wanting_count;
    size_t *parents;            /* [beams] */
    float *sums;                /* [slot_count * beams, vocabulary], scores of an ensemble; NULL for one model */
    const Shortlist *shortlist; /* NULL: none */
    IdSet *candidates;          /* scratch for the shortlist */
    AttentionChoice attention;  /* the recorded heads of the first model; count 0: nothing is recorded */
    unsigned extras;            /* bits of session_allow(), for all searches */
    Trace *trace;               /* receives the trace of the only sentence; NULL: not traced */
    float *coverage;            /* [coverage_room], scratch: the sum of the attention to each source position */
    size_t coverage_room;
    size_t *result_rows; /* [max_length], scratch for the rows of a hypothesis */
    /* Scratch of session_add(), [slot_count] each. */
    const int32_t **ids;
    size_t *lengths, *group; /* group: the batch slots encoded together */
    size_t *shared;          /* BatchSlot.shared of these slots */
    KvCache **caches;
};

/* Allocates memory for `sentences` sentences at a time, each of `beams` rows and at most max_length positions. The
 * caller frees it in every case (session_free()). */
static Status ensemble_model_init(EnsembleModel *out, Arena *arena, const Model *model, size_t sentences, size_t beams,
                                  size_t max_length, Err *err)
{
    const Matrix *cross = model->decoder[0].cross.query.weight;
    const Kernels *kernels = cross && matrix_shares_x_multiplier(cross) ? kernels_emulation_get() : kernels_get();
    const ModelConfig *config = &model->config;
    /* With int8 matmuls, keys and values are bf16, unless score functions need f32, or the original program keeps them
     * in f32, or the int8 weights are used as stored. */
    const bool has_bf16_cache = attention_score_is_plain(&config->attention.decoder_score) &&
                                attention_score_is_plain(&config->attention.cross_score) &&
                                !config->int8.f32_kv_cache && model->precision == PRECISION_INT8 &&
                                !model->is_stored_8bit;
    Status st;

    *out = (EnsembleModel){ .model = model };
    out->caches = arena_zeroed(arena, sentences, sizeof(KvCache *));
    out->choices = arena_zeroed(arena, sentences, sizeof *out->choices);
    st = arena_check(arena, "a session", err);
    if (st == OK) st = encoder_new(&out->encoder, model, kernels, err);
    if (st == OK) st = decoder_new(&out->decoder, model, kernels, sentences, beams, max_length, err);
    if (st != OK) return st;
    return page_pool_new(&out->pool, config, has_bf16_cache ? DTYPE_BF16 : DTYPE_F32, decoder_requantizes_keys(model),
                         beams, err);
}

/* --- Memory. */

/* Allocates the caches and the search of a batch slot. Called when the slot is first used, because many runs have few
 * sentences. */
static Status open_slot(Session *s, size_t index, Err *err)
{
    const size_t vocab = s->model->config.decoder.vocab;
    BatchSlot *slot = &s->slots[index];
    Status st = OK;

    if (slot->search) return OK;
    for (size_t m = 0; st == OK && m < s->model_count; m++) {
        EnsembleModel *em = &s->models[m];
        if (!em->caches[index]) st = kv_cache_new(&em->caches[index], em->pool, s->max_length, err);
    }
    if (st == OK) st = search_new(&slot->search, s->params, vocab, s->max_length, s->ahead, err);
    return st == OK ? search_allow(slot->search, s->extras, err) : st;
}

Status session_new(Session **out, const Model *model, const SearchParams *params, size_t given, size_t max_rows,
                   Err *err)
{
    const size_t positions = model_positions(model), models = model_count(model);
    const size_t vocab = model->config.decoder.vocab, beams = given ? 1 : search_params_rows(params);
    const size_t max_length = given ? given : params->max_length, ahead = given ? max_rows : 0;
    const size_t slots = given || max_rows > beams ? max_rows / beams : 1, rows = slots * beams;
    Session *s;
    Status st;

    *out = NULL;
    if (positions && max_length > positions)
        return err_set(err, ERR_USAGE, "the maximum length is %zu, but the model has only %zu positions", max_length,
                       positions);
    s = calloc(1, sizeof *s);
    if (!s) return err_memory(err, "a session");
    *s = (Session){
        .model = model, .params = params, .beams = beams, .max_length = max_length, .ahead = ahead, .slot_count = slots
    };
    st = arena_new(&s->arena, err);
    if (st == OK) {
        s->models = arena_zeroed(s->arena, models, sizeof *s->models);
        s->slots = arena_zeroed(s->arena, slots, sizeof *s->slots);
        s->rows = arena_zeroed(s->arena, rows, sizeof *s->rows);
        s->row_slots = arena_zeroed(s->arena, rows, sizeof *s->row_slots);
        s->wanting = arena_zeroed(s->arena, rows, sizeof *s->wanting);
        s->parents = arena_zeroed(s->arena, beams, sizeof *s->parents);
        if (models > 1) s->sums = arena_alloc(s->arena, rows, vocab * sizeof *s->sums);
        if (models > 1) s->extras = SEARCH_TAKES_SCORES;
        s->result_rows = arena_zeroed(s->arena, max_length, sizeof *s->result_rows);
        s->ids = arena_zeroed(s->arena, slots, sizeof *s->ids);
        s->lengths = arena_zeroed(s->arena, slots, sizeof *s->lengths);
        s->group = arena_zeroed(s->arena, slots, sizeof *s->group);
        s->shared = arena_zeroed(s->arena, slots, sizeof *s->shared);
        s->caches = arena_zeroed(s->arena, slots, sizeof *s->caches);
        st = arena_check(s->arena, "a session", err);
    }
    for (; st == OK && model; model = model->next) {
        st = ensemble_model_init(&s->models[s->model_count++], s->arena, model, slots, beams, max_length, err);
        if (ahead && !decoder_takes_positions(model)) s->ahead = 1;
    }
    if (st == OK) st = open_slot(s, 0, err); /* checks the parameters as well */
    if (st == OK && params->coverage_penalty != 0 && !ahead) st = session_record_attention(s, NULL, err);
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
        free(session->slots[i].attention.values);
        ids_free(&session->slots[i].candidates);
        ids_free(&session->slots[i].prompt);
    }
    for (size_t m = 0; m < session->model_count; m++) {
        EnsembleModel *em = &session->models[m];
        for (size_t i = 0; em->caches && em->choices && i < session->slot_count; i++) {
            kv_cache_free(em->caches[i]);
            output_choice_free(&em->choices[i]);
        }
        matrix_rows_free(em->rows);
        page_pool_free(em->pool);
        decoder_free(em->decoder);
        encoder_free(em->encoder);
    }
    id_set_free(session->candidates);
    attention_choice_free(&session->attention);
    free(session->coverage);
    arena_free(session->arena);
    free(session);
}

size_t session_logits(const Model *model, size_t max_rows, size_t beams)
{
    return logits_room(model, max_rows, beams).room;
}

Status session_use_team(Session *session, Team *team, Err *err)
{
    Status st = OK;

    session->team = team;
    for (size_t m = 0; st == OK && m < session->model_count; m++)
        st = decoder_use_team(session->models[m].decoder, team, err);
    return st;
}

Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err)
{
    Status st = session->candidates ? OK : id_set_new(&session->candidates, session->model->config.decoder.vocab, err);

    for (size_t m = 0; st == OK && m < session->model_count; m++) {
        EnsembleModel *em = &session->models[m];
        if (!em->rows) st = matrix_rows_new(&em->rows, em->model->output.weight, err);
    }
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

/* Collects the target ids that the shortlist allows for the sentence, and those that may be forced on it. */
static Status choose_candidates(Session *s, size_t slot, const SearchInput *input, Err *err)
{
    const SearchParams *params = s->params;
    IdList *ids = &s->slots[slot].candidates;
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
    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = output_choice_gather(&s->models[m].choices[slot], ids, s->models[m].model, s->models[m].rows, err);
    if (st == OK) search_choose_from(s->slots[slot].search, ids->data, ids->len);
    return st;
}

/* The most tokens of a sentence's translation. A prompt and its translation share the positions. */
static size_t length_limit(const Session *s, const SearchInput *input)
{
    const size_t own = input->max_length && input->max_length < s->max_length ? input->max_length : s->max_length;
    const size_t positions = model_positions(s->model);

    if (!s->model->config.decoder_only || positions - input->source_len + 1 > own) return own;
    return positions - input->source_len + 1;
}

/* --- Prompts of several sentences often begin in the same way. The keys and values of the common positions are
 * computed once: they are copied from a batch slot that has them, whatever has become of its sentence. --- */

/* If two prompts of a call of session_add() have at least this many first ids in common, the first prompt is read
 * before the others. */
#define LEAST_SHARED ((size_t)8)

/* Returns the number of first positions that two prompts share. The last id of a prompt has no keys in its cache. */
static size_t shared_positions(const int32_t *a, size_t a_len, const int32_t *b, size_t b_len)
{
    const size_t most = (a_len < b_len ? a_len : b_len) - 1;
    size_t same = 0;

    while (same < most && a[same] == b[same]) same++;
    return same;
}

/* Finds the slot whose last prompt shares the most first positions with the source, and their number. Of equal ones it
 * prefers `own`, from which nothing has to be copied. */
static size_t find_shared(const Session *s, size_t own, const SearchInput *input, size_t *shared)
{
    size_t best = own;

    *shared = 0;
    for (size_t i = 0; i < s->slot_count; i++) {
        const size_t index = (own + i) % s->slot_count;
        const IdList *prompt = &s->slots[index].prompt;
        const size_t same =
            prompt->len ? shared_positions(prompt->data, prompt->len, input->source, input->source_len) : 0;
        if (same <= *shared) continue;
        *shared = same;
        best = index;
    }
    return best;
}

/* Prepares the caches of a slot, and takes over what another prompt shares. */
static Status start_caches(Session *s, size_t index, const SearchInput *input, Err *err)
{
    const bool has_prompt = s->model->config.decoder_only;
    BatchSlot *slot = &s->slots[index];
    size_t from = index;
    Status st = OK;

    slot->shared = 0;
    if (has_prompt) from = find_shared(s, index, input, &slot->shared);
    ids_clear(&slot->prompt);
    for (size_t m = 0; st == OK && m < s->model_count; m++) {
        KvCache *const *caches = s->models[m].caches;
        st = kv_cache_start(caches[index], input->source_len - has_prompt, from == index ? slot->shared : 0, err);
        if (st == OK && from != index) kv_cache_copy_source(caches[index], caches[from], slot->shared);
    }
    return st;
}

/* Puts a sentence into a batch slot, and begins its search. encode_group() then fills the caches. */
static Status start_slot(Session *s, size_t index, const SearchInput *input, Err *err)
{
    SearchInput limited = *input;
    BatchSlot *slot = &s->slots[index];
    Status st = open_slot(s, index, err);

    if (st != OK) return st;
    if (s->params->coverage_penalty != 0 && !s->ahead && input->source_len > s->coverage_room) {
        free(s->coverage);
        s->coverage = calloc(2 * input->source_len, sizeof *s->coverage);
        s->coverage_room = s->coverage ? 2 * input->source_len : 0;
        if (!s->coverage) return err_memory(err, "a session");
    }
    st = choose_candidates(s, index, input, err);
    if (st != OK) return st;
    limited.max_length = length_limit(s, input);
    search_start(slot->search, &limited);
    slot->attention.planes = attention_choice_planes(&s->attention);
    slot->attention.source_len = input->source_len;
    slot->attention.beams = s->beams;
    slot->attention.text_begin = input->text_begin;
    slot->attention.text_end = input->text_end;
    slot->tag = input->tag;
    slot->position = 0;
    slot->given_len = input->target_len;
    slot->broken = false;
    slot->state = SLOT_RUNNING;
    s->running++;
    return start_caches(s, index, input, err);
}

/* Encodes the sentences of a group, and marks those whose encoder output is not finite. */
static Status encode_group(Session *s, const EnsembleModel *em, size_t count, Err *err)
{
    const size_t d_model = em->model->config.d_model;
    const float *encoded, *at;
    Status st;

    if (em->model->config.decoder_only) {
        for (size_t i = 0; i < count; i++) {
            s->caches[i] = em->caches[s->group[i]];
            s->shared[i] = s->slots[s->group[i]].shared;
        }
        return decoder_read_prompts(em->decoder, s->ids, s->shared, s->caches, count, err);
    }
    st = encoder_run(em->encoder, s->team, s->ids, s->lengths, count, s->trace ? s->trace->encoder : NULL, &encoded,
                     err);
    if (st != OK) return st;
    at = encoded;
    for (size_t i = 0; i < count; at += s->lengths[i++] * d_model) {
        s->caches[i] = em->caches[s->group[i]];
        if (!values_are_finite(at, s->lengths[i] * d_model)) s->slots[s->group[i]].broken = true;
    }
    return decoder_read_source(em->decoder, encoded, s->caches, count, err);
}

static Status check_ids(const char *kind, const int32_t *ids, size_t len, size_t vocab, Err *err)
{
    for (size_t i = 0; i < len; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= vocab)
            return err_set(err, ERR_USAGE, "%s id %d is outside the vocabulary of %zu entries", kind, ids[i], vocab);
    return OK;
}

static Status check_input(const Session *s, const SearchInput *input, Err *err)
{
    const ModelConfig *config = &s->model->config;
    const size_t positions = model_positions(s->model);
    size_t max_length;
    Status st;

    if (input->source_len == 0 || (positions && input->source_len > positions))
        return err_set(err, ERR_USAGE, "the sentence has %zu pieces, but must have at least 1 and at most %zu",
                       input->source_len, positions);
    max_length = length_limit(s, input);
    if (s->ahead && (input->target_len == 0 || input->target_len > max_length))
        return err_set(err, ERR_USAGE, "the translation has %zu tokens, but must have at least 1 and at most %zu",
                       input->target_len, max_length);
    if (!s->ahead && input->prefix_len >= max_length)
        return err_set(err, ERR_USAGE, "a prefix of %zu piece%s leaves no room within the maximum length of %zu",
                       input->prefix_len, plural(input->prefix_len), max_length);
    st = check_ids("source", input->source, input->source_len, config->encoder.vocab, err);
    if (st != OK) return st;
    return s->ahead ? check_ids("target", input->target, input->target_len, config->decoder.vocab, err)
                    : check_ids("prefix", input->prefix, input->prefix_len, config->decoder.vocab, err);
}

/* Whether the first prompt has to be read before the others, because the next one shares more with it than with the
 * prompts that have been read. */
static bool leads(const Session *s, const SearchInput *inputs, size_t count)
{
    size_t shared, before;

    if (count < 2) return false;
    shared = shared_positions(inputs[0].source, inputs[0].source_len, inputs[1].source, inputs[1].source_len);
    (void)find_shared(s, 0, &inputs[1], &before);
    return shared >= LEAST_SHARED && shared > before;
}

/* Encodes the inputs in groups. */
Status session_add(Session *session, const SearchInput *inputs, size_t count, Err *err)
{
    Session *s = session;
    Status st = OK;

    s->taken = NULL;
    if (count > session_room(s))
        return err_set(err, ERR_USAGE, "%zu sentences do not fit into a session with room for %zu", count,
                       session_room(s));
    for (size_t i = 0; st == OK && i < count; i++) st = check_input(s, &inputs[i], err);
    while (st == OK && count) {
        size_t tokens = inputs[0].source_len, n = 1, slot = 0;
        if (!s->model->config.decoder_only)
            while (n < count && tokens + inputs[n].source_len <= ENCODER_TOKENS) tokens += inputs[n++].source_len;
        else if (!leads(s, inputs, count))
            n = count;
        for (size_t i = 0; st == OK && i < n; i++) {
            while (s->slots[slot].state != SLOT_FREE) slot++;
            s->group[i] = slot;
            s->ids[i] = inputs[i].source;
            s->lengths[i] = inputs[i].source_len;
            st = start_slot(s, slot, &inputs[i], err);
        }
        for (size_t m = 0; st == OK && m < s->model_count; m++) st = encode_group(s, &s->models[m], n, err);
        for (size_t i = 0; s->model->config.decoder_only && st == OK && i < n; i++)
            st = ids_append_all(&s->slots[s->group[i]].prompt, s->ids[i], s->lengths[i], err);
        inputs += n;
        count -= n;
    }
    return st;
}

/* --- Recorded attention. */

/* Number of positions for which a record has room at first. */
#define FIRST_POSITIONS ((size_t)32)

static size_t row_size(const AttentionRecord *record)
{
    return record->planes * record->source_len;
}

/* Returns the row [planes, source_len] of a beam; NULL if nothing is recorded. */
static float *record_row(const AttentionRecord *record, size_t position, size_t beam)
{
    return record->planes ? record->values + (position * record->beams + beam) * row_size(record) : NULL;
}

/* Sets the rows of a position to zero. The memory at least doubles when it grows, up to most_positions. */
static Status open_record(AttentionRecord *record, size_t position, size_t most_positions, Err *err)
{
    const size_t floats = record->beams * row_size(record);
    size_t positions = 2 * position > FIRST_POSITIONS ? 2 * position : FIRST_POSITIONS;
    float *values;

    if (!record->planes) return OK;
    if ((position + 1) * floats > record->room) {
        if (positions > most_positions) positions = most_positions;
        values = realloc(record->values, positions * floats * sizeof *values);
        if (!values) return err_memory(err, "the attention");
        record->values = values;
        record->room = positions * floats;
    }
    memset(record_row(record, position, 0), 0, floats * sizeof *record->values);
    return OK;
}

/* Divides the attention of a row among the source ids of the text: none is left for the rest of a prompt, whose first
 * id usually gets most of it. */
static void keep_text_attention(const AttentionRecord *record, float *row)
{
    for (size_t p = 0; record->text_end && p < record->planes; p++, row += record->source_len) {
        float sum = 0;
        for (size_t i = 0; i < record->source_len; i++) {
            if (i < record->text_begin || i >= record->text_end) row[i] = 0;
            sum += row[i];
        }
        for (size_t i = record->text_begin; sum > 0 && i < record->text_end; i++) row[i] /= sum;
    }
}

/* --- Steps. */

/* Adds the rows of a batch slot at its next position to the step. */
static Status add_position(Session *s, size_t index, Err *err)
{
    BatchSlot *slot = &s->slots[index];
    const size_t rows = search_rows(slot->search), position = slot->position++;
    const bool wants = search_wants_logits(slot->search) || s->trace;
    Status st = OK;

    for (size_t r = 0; r < rows; r++) s->parents[r] = search_parent(slot->search, r);
    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = kv_cache_advance(s->models[m].caches[index], rows, s->parents, err);
    if (st == OK) st = open_record(&slot->attention, position, s->max_length, err);
    if (st == OK && s->trace) st = trace_open(s->trace, position, err);
    for (size_t r = 0; st == OK && r < rows; r++) {
        if (wants) s->wanting[s->wanting_count++] = s->row_count;
        s->row_slots[s->row_count] = index;
        s->rows[s->row_count++] = (DecoderRow){ .beam = r,
                                                .position = position,
                                                .token = search_token(slot->search, r),
                                                .wants_logits = wants,
                                                .past = s->trace ? trace_past_row(s->trace, position, r) : NULL };
    }
    return st;
}

/* Gathers the rows of a step. Sets the pointers to recorded attention last, because a record moves when it grows. */
static Status gather_rows(Session *s, Err *err)
{
    size_t most = s->slot_count * s->beams, left = 0;
    Status st = OK;

    /* Divide the positions of given translations into steps with about the same number of rows, so that the last step
     * is not left with only a few. */
    for (size_t i = 0; s->ahead && i < s->slot_count; i++)
        if (s->slots[i].state == SLOT_RUNNING) left += s->slots[i].given_len - s->slots[i].position;
    if (s->ahead) {
        const size_t steps = (left + most - 1) / most;
        most = steps ? (left + steps - 1) / steps : 0;
    }
    s->row_count = s->wanting_count = 0;
    for (size_t i = 0; st == OK && i < s->slot_count; i++) {
        if (s->slots[i].state != SLOT_RUNNING || s->row_count >= most) continue;
        st = add_position(s, i, err);
        for (size_t n = 1; st == OK && n < s->ahead && s->row_count < most; n++) {
            if (!search_read_ahead(s->slots[i].search)) break;
            st = add_position(s, i, err);
        }
    }
    for (size_t r = 0; r < s->row_count; r++)
        s->rows[r].attention = record_row(&s->slots[s->row_slots[r]].attention, s->rows[r].position, s->rows[r].beam);
    return st;
}

/* A sink that gives each search its rows of a block. A block has all rows of a sentence at a position, or none. */
static void take_logits(void *context, const LogitsBlock *block)
{
    Session *s = context;

    for (size_t r = 0, same; r < block->rows; r += same) {
        const size_t row = s->wanting[block->row + r];
        Search *search = s->slots[s->row_slots[row]].search;
        LogitsBlock own = *block;
        same = search_rows(search);
        own.logits += r * block->stride;
        own.row = s->rows[row].position;
        own.rows = same;
        search_take_logits(search, &own);
    }
}

/* Whether is(search) is true for any search that wants logits. */
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
    const int32_t *ids = s->shortlist ? s->slots[0].candidates.data : NULL;

    for (size_t r = 0; r < block->rows; r++)
        trace_take_logits(s->trace, s->rows[0].position, block->row + r, block->logits + r * block->stride, ids,
                          block->count);
    take_logits(s, block);
}

/* Parameters of add_logits(). */
typedef struct {
    Session *session;
    const EnsembleModel *model;
    bool is_first, is_last;
} Adding;

/* A sink that computes sums = (0 for the first model of the ensemble, else sums) + weight * log-probability for whole
 * rows of logits. Overwrites the logits. The searches take the sums after the last model. */
static void add_logits(void *context, const LogitsBlock *block)
{
    const Adding *a = context;
    const float weight = a->model->model->weight;
    LogitsBlock sums = *block;

    sums.stride = a->model->model->config.decoder.vocab;
    sums.logits = a->session->sums + block->row * sums.stride;
    for (size_t r = 0; r < block->rows; r++) {
        float *logits = block->logits + r * block->stride, *sum = sums.logits + r * sums.stride;
        kernels_get()->log_softmax(logits, block->count);
        for (size_t i = 0; i < block->count; i++) sum[i] = (a->is_first ? 0.0f : sum[i]) + weight * logits[i];
    }
    if (a->is_last) take_logits(a->session, &sums);
}

/* The parameters of cover(): recorded attention, and memory for its sum over the tokens of a hypothesis. */
typedef struct {
    const AttentionRecord *record;
    float *sums; /* [source_len] */
} Covering;

/* Computes the coverage penalty of a hypothesis (SearchCoverage). The logarithm is computed in double and rounded to
 * float, so that it has the same bits on every machine. */
static float cover(void *context, size_t *rows, size_t begin, size_t end)
{
    const Covering *c = context;
    const size_t source_len = c->record->source_len;
    float penalty = 0;

    for (size_t j = 0; j < source_len; j++) c->sums[j] = 0;
    for (size_t t = begin; t < end; t++) {
        const float *row = record_row(c->record, t, rows[t]);
        for (size_t j = 0; j < source_len; j++) c->sums[j] += row[j];
    }
    for (size_t j = 0; j < source_len; j++)
        if (c->sums[j] > 0 && c->sums[j] < 1) penalty += (float)log((double)c->sums[j]);
    return penalty;
}

Status session_step(Session *session, Err *err)
{
    Session *s = session;
    const Status st = gather_rows(s, err);

    if (st != OK || !s->row_count) return st;
    for (size_t m = 0; m < s->model_count; m++) {
        const EnsembleModel *em = &s->models[m];
        Adding adding = { s, em, m == 0, m + 1 == s->model_count };
        for (size_t r = 0; r < s->row_count; r++) {
            s->rows[r].cache = em->caches[s->row_slots[r]];
            s->rows[r].choice = s->shortlist ? &em->choices[s->row_slots[r]] : NULL;
        }
        decoder_step(em->decoder, s->rows, s->row_count);
        for (size_t r = 0; m == 0 && s->attention.count && r < s->row_count; r++)
            keep_text_attention(&s->slots[s->row_slots[r]].attention, s->rows[r].attention);
        for (size_t r = 0; m == 0 && s->attention.guides && r < s->row_count;
             r += search_rows(s->slots[s->row_slots[r]].search)) {
            const BatchSlot *slot = &s->slots[s->row_slots[r]];
            const size_t planes = slot->attention.planes, source_len = slot->attention.source_len;
            search_attend(slot->search, s->rows[r].attention + (planes - 1) * source_len, planes * source_len);
        }
        for (size_t w = 0; w < s->wanting_count; w++)
            if (!decoder_row_is_finite(em->decoder, w)) s->slots[s->row_slots[s->wanting[w]]].broken = true;
        if (s->model_count > 1)
            decoder_logits(em->decoder, s->rows, s->row_count, &(LogitsSink){ add_logits, &adding, true });
    }
    if (s->model_count == 1) {
        Decoder *decoder = s->models[0].decoder;
        if (s->trace) decoder_logits(decoder, s->rows, s->row_count, &(LogitsSink){ trace_logits, s, true });
        /* If a search could not use blocks, compute the logits again as whole rows. */
        while (any_search(s, search_wants_logits)) {
            const LogitsSink sink = { take_logits, s, any_search(s, search_needs_whole_rows) };
            decoder_logits(decoder, s->rows, s->row_count, &sink);
        }
    }
    /* Advance the searches that have rows in the step. */
    for (size_t r = 0; r < s->row_count; r++) {
        BatchSlot *slot = &s->slots[s->row_slots[r]];
        Covering covering = { &slot->attention, s->coverage };
        if (r && s->row_slots[r] == s->row_slots[r - 1]) continue;
        search_advance(slot->search);
        if (search_is_broken(slot->search)) slot->broken = true;
        if (!search_done(slot->search) && !slot->broken) continue;
        if (s->params->coverage_penalty != 0 && !s->ahead && !slot->broken)
            search_add_coverage(slot->search, cover, &covering, s->result_rows);
        slot->state = SLOT_FINISHED;
        s->running--;
        s->finished++;
    }
    return OK;
}

/* --- Results. */

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

Search *session_search(const Session *session)
{
    return session->taken->search;
}

/* --- Records. */

/* Searches that are created later get the extras in open_slot(). */
Status session_allow(Session *session, unsigned extras, Err *err)
{
    Status st = OK;

    session->extras |= extras;
    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].search) st = search_allow(session->slots[i].search, extras, err);
    return st;
}

Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err)
{
    Session *s = session;
    AttentionChoice copy;
    Status st = attention_choice_copy(&copy, choice, &s->model->config, err);

    if (st == OK && s->extras & SEARCH_DEMANDS) st = attention_choice_guide(&copy, &s->model->config, err);
    if (st != OK) {
        attention_choice_free(&copy);
        return st;
    }
    attention_choice_free(&s->attention);
    s->attention = copy;
    decoder_record_attention(s->models[0].decoder, &s->attention);
    return OK;
}

void session_result_attention(Session *session, size_t i, float *out)
{
    const AttentionRecord *record = &session->taken->attention;
    const size_t *beams = session->result_rows,
                 len = search_result_rows(session->taken->search, i, session->result_rows);

    for (size_t p = 0; p + (session->attention.guides > 0) < record->planes; p++)
        for (size_t t = 0; t < len; t++, out += record->source_len)
            memcpy(out, record_row(record, t, beams[t]) + p * record->source_len, record->source_len * sizeof *out);
}

Status session_trace(Session *session, Trace *trace, Err *err)
{
    Session *s = session;

    if (s->slot_count != 1 || s->model_count != 1)
        return err_set(err, ERR_USAGE, "only one sentence of one model can be traced at a time");
    if (s->model->config.decoder_only)
        return err_set(err, ERR_UNSUPPORTED, "a language model, which has no encoder, cannot be explained");
    s->trace = trace;
    return session_allow(s, SEARCH_CANDIDATES, err);
}
