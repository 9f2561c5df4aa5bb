/* scorer.c - see scorer.h. Pairs are encoded in groups. The decoder then takes the positions of the group's pairs in
 * order, in steps of about the same number of rows; a long target may take several steps. */
#include "scorer.h"

#include <stdlib.h>
#include <string.h>

#include "attention_choice.h"
#include "encoder.h"
#include "ensemble_model.h"
#include "search.h"
#include "target_score.h"

/* A pair of the current group. */
typedef struct {
    ScorerPair *pair;
    TargetText text;
    IdList history;            /* the start token and the target */
    size_t position;           /* of the next row */
    AttentionRecord attention; /* empty unless the pair wants it */
} PairSlot;

struct Scorer {
    const Model *model; /* the first model of the ensemble */
    const SearchParams *params;
    EnsembleModel *models; /* [model_count], each for row_room sentences */
    size_t model_count, max_length;
    TargetScorer target;
    PairSlot *slots; /* [row_room] */
    size_t slot_count;
    size_t at_once;     /* positions of a pair per step */
    DecoderRow *rows;   /* [row_room], of the current step */
    TargetRow *scoring; /* [row_room]: the token that each row scores */
    size_t *row_slots;  /* [row_room] */
    size_t row_count, row_room;
    TargetRow **wanting; /* [row_room]: the rows that want logits */
    size_t wanting_count;
    float *sums;               /* [row_room, vocabulary], scores of an ensemble; NULL for one model */
    AttentionChoice attention; /* of the first model; count 0: nothing is recorded */
    size_t *beams;             /* [max_length], zeros: the beam of each position */
    /* Scratch of begin_group(), [row_room] each. */
    const int32_t **ids;
    size_t *lengths;
    KvCache **caches;
};

static Status new_models(Scorer *s, Err *err)
{
    Status st = OK;

    s->models = calloc(model_count(s->model), sizeof *s->models);
    if (!s->models) return err_memory(err, "scoring");
    for (const Model *model = s->model; st == OK && model; model = model_next(model)) {
        st = ensemble_model_init(&s->models[s->model_count++], model, s->row_room, 1, s->max_length, err);
        if (!decoder_takes_positions(model)) s->at_once = 1;
    }
    return st;
}

static Status new_parts(Scorer *s, Err *err)
{
    const size_t rows = s->row_room, vocab = model_config(s->model)->decoder.vocab;

    s->slots = calloc(rows, sizeof *s->slots);
    s->rows = calloc(rows, sizeof *s->rows);
    s->scoring = calloc(rows, sizeof *s->scoring);
    s->row_slots = calloc(rows, sizeof *s->row_slots);
    s->wanting = calloc(rows, sizeof *s->wanting);
    s->beams = calloc(s->max_length, sizeof *s->beams);
    s->ids = calloc(rows, sizeof *s->ids);
    s->lengths = calloc(rows, sizeof *s->lengths);
    s->caches = calloc(rows, sizeof *s->caches);
    if (model_next(s->model)) s->sums = calloc(rows, vocab * sizeof *s->sums);
    if (!s->slots || !s->rows || !s->scoring || !s->row_slots || !s->wanting || !s->beams || !s->ids || !s->lengths ||
        !s->caches || (!s->sums && model_next(s->model)))
        return err_memory(err, "scoring");
    return new_models(s, err);
}

Status scorer_new(Scorer **out, const Model *model, const SearchParams *params, size_t max_length, size_t rows,
                  Err *err)
{
    const size_t positions = model_positions(model);
    Scorer *s;
    Status st;

    *out = NULL;
    if (positions && max_length > positions)
        return err_set(err, ERR_USAGE, "the maximum length is %zu, but the model has only %zu positions", max_length,
                       positions);
    s = calloc(1, sizeof *s);
    if (!s) return err_memory(err, "scoring");
    s->model = model;
    s->params = params;
    s->max_length = max_length;
    s->row_room = s->at_once = rows;
    st = target_scorer_init(&s->target, params, model_config(model)->decoder.vocab, model_next(model) != NULL, err);
    if (st == OK) st = new_parts(s, err);
    if (st == OK)
        *out = s;
    else
        scorer_free(s);
    return st;
}

void scorer_free(Scorer *s)
{
    if (!s) return;
    for (size_t i = 0; s->slots && i < s->row_room; i++) {
        ids_free(&s->slots[i].history);
        attention_record_free(&s->slots[i].attention);
    }
    for (size_t m = 0; m < s->model_count; m++) ensemble_model_free(&s->models[m]);
    attention_choice_free(&s->attention);
    target_scorer_free(&s->target);
    free(s->models);
    free(s->slots);
    free(s->rows);
    free(s->scoring);
    free(s->row_slots);
    free(s->wanting);
    free(s->sums);
    free(s->beams);
    free(s->ids);
    free(s->lengths);
    free(s->caches);
    free(s);
}

Status scorer_use_team(Scorer *scorer, Team *team, Err *err)
{
    Status st = OK;

    for (size_t m = 0; st == OK && m < scorer->model_count; m++)
        st = ensemble_model_use_team(&scorer->models[m], team, err);
    return st;
}

Status scorer_record_attention(Scorer *scorer, const AttentionChoice *choice, Err *err)
{
    AttentionChoice copy;
    Status st = attention_choice_copy(&copy, choice, model_config(scorer->model), err);

    if (st != OK) return st;
    attention_choice_free(&scorer->attention);
    scorer->attention = copy;
    decoder_record_attention(scorer->models[0].decoder, &scorer->attention);
    return OK;
}

static Status check_ids(const char *side, const int32_t *ids, size_t len, size_t most, size_t vocab, Err *err)
{
    if (len == 0) return err_set(err, ERR_USAGE, "the %s has no tokens", side);
    if (most && len > most) return err_set(err, ERR_USAGE, "the %s has %zu tokens, more than %zu", side, len, most);
    for (size_t i = 0; i < len; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= vocab)
            return err_set(err, ERR_USAGE, "%s id %d is outside the vocabulary of %zu entries", side, ids[i], vocab);
    return OK;
}

static Status check_pair(const Scorer *s, const ScorerPair *pair, Err *err)
{
    const ModelConfig *config = model_config(s->model);
    Status st =
        check_ids("source", pair->source, pair->source_len, model_positions(s->model), config->encoder.vocab, err);

    if (st != OK) return st;
    return check_ids("target", pair->target, pair->target_len, s->max_length, config->decoder.vocab, err);
}

/* Puts a pair into a slot; its caches still lack the encoder's output. */
static Status begin_pair(Scorer *s, size_t index, ScorerPair *pair, Err *err)
{
    PairSlot *slot = &s->slots[index];
    Status st;

    ids_clear(&slot->history);
    st = ids_append(&slot->history, s->params->start, err);
    if (st == OK) st = ids_append_all(&slot->history, pair->target, pair->target_len, err);
    for (size_t m = 0; st == OK && m < s->model_count; m++) {
        st = ensemble_model_open_cache(&s->models[m], index, err);
        if (st == OK) st = kv_cache_start(s->models[m].caches[index], pair->source_len, err);
    }
    attention_record_start(&slot->attention, pair->attention ? attention_choice_planes(&s->attention) : 0,
                           pair->source_len, 1);
    slot->pair = pair;
    slot->position = 0;
    slot->text = (TargetText){ pair->source, pair->source_len, slot->history.data, pair->target_len,
                               target_scorer_prefix(&s->target, pair->target, pair->prefix_len) };
    pair->sum = 0;
    pair->broken = false;
    return st;
}

/* Encodes the pairs of all slots. */
static Status encode_group(Scorer *s, const EnsembleModel *em, Err *err)
{
    const size_t d_model = model_config(em->model)->d_model;
    const float *encoded, *at;
    Status st;

    for (size_t i = 0; i < s->slot_count; i++) {
        s->ids[i] = s->slots[i].pair->source;
        s->lengths[i] = s->slots[i].pair->source_len;
        s->caches[i] = em->caches[i];
    }
    st = encoder_run(em->encoder, s->ids, s->lengths, s->slot_count, &encoded, err);
    if (st != OK) return st;
    at = encoded;
    for (size_t i = 0; i < s->slot_count; at += s->lengths[i++] * d_model)
        if (!values_are_finite(at, s->lengths[i] * d_model)) s->slots[i].pair->broken = true;
    return decoder_read_source(em->decoder, encoded, s->caches, s->slot_count, err);
}

/* Begins as many of the pairs as are encoded together, and sets *taken to their number. */
static Status begin_group(Scorer *s, ScorerPair *pairs, size_t count, size_t *taken, Err *err)
{
    size_t tokens = 0;
    Status st = OK;

    s->slot_count = 0;
    while (st == OK && s->slot_count < count && s->slot_count < s->row_room) {
        tokens += pairs[s->slot_count].source_len;
        if (s->slot_count && tokens > ENCODER_TOKENS) break;
        st = begin_pair(s, s->slot_count, &pairs[s->slot_count], err);
        s->slot_count++;
    }
    for (size_t m = 0; st == OK && m < s->model_count; m++) st = encode_group(s, &s->models[m], err);
    *taken = s->slot_count;
    return st;
}

/* Adds the next row of a pair to the step. */
static Status add_row(Scorer *s, size_t index, Err *err)
{
    static const size_t parents[1];
    PairSlot *slot = &s->slots[index];
    const size_t row = s->row_count, position = slot->position;
    Status st = OK;

    for (size_t m = 0; st == OK && m < s->model_count; m++)
        st = kv_cache_advance(s->models[m].caches[index], 1, parents, err);
    if (st == OK) st = attention_record_open(&slot->attention, position, s->max_length, err);
    if (st != OK) return st;
    s->scoring[row] = (TargetRow){ .text = &slot->text, .position = position };
    s->rows[row] = (DecoderRow){ .position = position,
                                 .token = slot->history.data[position],
                                 .wants_logits = target_scorer_wants_logits(&s->target, &s->scoring[row]) };
    if (s->rows[row].wants_logits) s->wanting[s->wanting_count++] = &s->scoring[row];
    s->row_slots[row] = index;
    s->row_count++;
    slot->position++;
    return OK;
}

static size_t rows_left(const PairSlot *slot)
{
    return slot->pair->target_len - slot->position;
}

/* The number of rows of the next step: no more than there is room for, and no small rest in the last step. */
static size_t step_rows(const Scorer *s)
{
    size_t left = 0, steps;

    for (size_t i = 0; i < s->slot_count; i++) left += rows_left(&s->slots[i]);
    steps = (left + s->row_room - 1) / s->row_room;
    return steps ? (left + steps - 1) / steps : 0;
}

/* The memory of attention moves while a record grows, so the rows learn their places last. */
static Status gather_rows(Scorer *s, Err *err)
{
    const size_t most = step_rows(s);
    Status st = OK;

    s->row_count = s->wanting_count = 0;
    for (size_t i = 0; i < s->slot_count; i++)
        for (size_t n = 0; st == OK && n < s->at_once && rows_left(&s->slots[i]) && s->row_count < most; n++)
            st = add_row(s, i, err);
    for (size_t r = 0; r < s->row_count; r++)
        s->rows[r].attention = attention_record_row(&s->slots[s->row_slots[r]].attention, s->rows[r].position, 0);
    return st;
}

/* Runs the decoder of one model over the gathered rows. */
static void step_model(Scorer *s, EnsembleModel *em)
{
    for (size_t r = 0; r < s->row_count; r++) s->rows[r].cache = em->caches[s->row_slots[r]];
    decoder_step(em->decoder, s->rows, s->row_count);
    for (size_t w = 0; w < s->wanting_count; w++)
        if (!decoder_row_is_finite(em->decoder, w)) s->wanting[w]->broken = true;
}

/* A sink: each row takes its logits. */
static void take_logits(void *context, const LogitsBlock *block)
{
    Scorer *s = context;

    for (size_t r = 0; r < block->rows; r++)
        target_scorer_take(&s->target, s->wanting[block->row + r], block->first, block->count,
                           block->logits + r * block->stride);
}

static void score_one(Scorer *s)
{
    LogitsSink sink = { take_logits, s, false };

    for (size_t w = 0; w < s->wanting_count; w++)
        sink.whole_rows |= target_scorer_needs_whole_row(&s->target, s->wanting[w]);
    step_model(s, &s->models[0]);
    decoder_logits(s->models[0].decoder, s->rows, s->row_count, &sink);
}

/* Parameters of add_logits(). */
typedef struct {
    Scorer *scorer;
    const EnsembleModel *model;
    bool is_first, is_last;
} Adding;

/* A sink: the rows take the sums after the last model. */
static void add_logits(void *context, const LogitsBlock *block)
{
    const Adding *a = context;
    const LogitsBlock sums = ensemble_model_add_scores(a->model, a->is_first, block, a->scorer->sums);

    if (a->is_last) take_logits(a->scorer, &sums);
}

static void score_ensemble(Scorer *s)
{
    for (size_t m = 0; m < s->model_count; m++) {
        EnsembleModel *em = &s->models[m];
        Adding a = { s, em, m == 0, m + 1 == s->model_count };
        step_model(s, em);
        decoder_logits(em->decoder, s->rows, s->row_count, &(LogitsSink){ add_logits, &a, true });
    }
}

/* Adds the scores of the step to those of the pairs. */
static void keep_scores(Scorer *s)
{
    for (size_t r = 0; r < s->row_count; r++) {
        const TargetRow *row = &s->scoring[r];
        ScorerPair *pair = s->slots[s->row_slots[r]].pair;
        const float before = pair->sum;
        pair->sum += row->score;
        pair->scores[row->position] = search_score_between(before, pair->sum);
        pair->broken |= row->broken;
    }
}

static void end_group(Scorer *s)
{
    for (size_t i = 0; i < s->slot_count; i++) {
        PairSlot *slot = &s->slots[i];
        slot->pair->score =
            search_params_score(s->params, slot->pair->sum, slot->pair->target_len, slot->text.prefix_len);
        if (slot->pair->attention)
            attention_record_read(&slot->attention, s->beams, slot->pair->target_len, slot->pair->attention);
    }
}

static Status run_group(Scorer *s, Err *err)
{
    Status st;

    for (;;) {
        st = gather_rows(s, err);
        if (st != OK) return st;
        if (!s->row_count) break;
        (s->model_count > 1 ? score_ensemble : score_one)(s);
        keep_scores(s);
    }
    end_group(s);
    return OK;
}

Status scorer_run(Scorer *scorer, ScorerPair *pairs, size_t count, Err *err)
{
    size_t taken;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) st = check_pair(scorer, &pairs[i], err);
    for (; st == OK && count; pairs += taken, count -= taken) {
        st = begin_group(scorer, pairs, count, &taken, err);
        if (st == OK) st = run_group(scorer, err);
    }
    return st;
}
