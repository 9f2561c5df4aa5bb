/* logits.c - see logits.h.
 * Most processors take time in proportion to the length of the history or the source, not to the vocabulary. The
 * exceptions change the whole row: forced tokens, remove_invalid_values and renormalize_logits. */
#include "logits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* True when ids[0..len) equals the end of the history, which has at least `len` ids. */
static bool ends_with(const int32_t *history, size_t history_len, const int32_t *ids, size_t len)
{
    return len == 0 || memcmp(history + history_len - len, ids, len * sizeof *ids) == 0;
}

static bool has_long_run(const IdList *runs)
{
    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1)
        if (runs->data[i] > 1) return true;
    return false;
}

Status logits_processors_init(LogitsProcessors *out, const SearchParams *params, size_t vocab, Arena *arena, Err *err)
{
    Status st;

    *out = (LogitsProcessors){ .params = params, .kernels = kernels_get(), .vocab = vocab };
    if (params->utf8) out->utf8_columns = arena_alloc(arena, UTF8_RULES_BYTES, sizeof *out->utf8_columns);
    if (params->repetition_penalty != 1 || params->encoder_repetition_penalty != 1)
        out->marks = arena_zeroed(arena, vocab, sizeof *out->marks);
    st = arena_check(arena, "the search", err);
    if (st == OK) logits_choose_from(out, NULL, 0);
    return st;
}

bool logits_need_history(const LogitsProcessors *processors)
{
    const SearchParams *params = processors->params;

    return params->repetition_penalty != 1 || params->no_repeat_ngram > 0 || params->encoder_no_repeat_ngram > 0 ||
           has_long_run(&params->bad_words) || has_long_run(&params->bad_runs) || has_long_run(&params->biases.runs) ||
           text_rules_forbidden_count(params->texts) > 0;
}

size_t logits_column(const LogitsProcessors *processors, int32_t id)
{
    size_t low = 0, high = processors->width;

    if (!processors->ids) {
        low = (size_t)id - processors->first;
        return id >= 0 && low < high ? low : high;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (processors->ids[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < processors->width && processors->ids[low] == id ? low : processors->width;
}

/* Returns the token's logit in the row, or NULL. */
static float *find(const LogitsProcessors *processors, float *row, int32_t id)
{
    const size_t column = logits_column(processors, id);

    return column < processors->width ? row + column : NULL;
}

/* Whether one of the runs consists of this id alone. */
static bool has_run_of(const IdList *runs, int32_t id)
{
    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1)
        if (runs->data[i] == 1 && runs->data[i + 1] == id) return true;
    return false;
}

/* Whether the token has a column, and no setting always forbids it. */
static bool can_choose(const void *context, int32_t id)
{
    const LogitsProcessors *processors = context;
    const SearchParams *params = processors->params;

    return logits_column(processors, id) < processors->width && !ids_contain(&params->suppress, id) &&
           !has_run_of(&params->bad_words, id) && !has_run_of(&params->bad_runs, id);
}

void logits_choose_from(LogitsProcessors *processors, const int32_t *ids, size_t count)
{
    processors->ids = ids;
    processors->width = ids ? count : processors->vocab;
    if (processors->params->utf8) {
        const Utf8Rules *rules = processors->params->utf8;

        processors->utf8_completable = utf8_rules_completable(rules, can_choose, processors);
        processors->utf8_column_count = 0;
        for (size_t i = 0; i < rules->count; i++) {
            const size_t column = logits_column(processors, rules->ids[i]);
            if (column < processors->width &&
                !utf8_rules_allow(rules, i, UTF8_BETWEEN, UTF8_RULES_MEMORY, processors->utf8_completable))
                processors->utf8_columns[processors->utf8_column_count++] = column;
        }
    }
}

static void ban(const LogitsProcessors *processors, float *row, int32_t id)
{
    float *at = find(processors, row, id);

    if (at) *at = -INFINITY;
}

static void ban_all(const LogitsProcessors *processors, float *row, const IdList *ids)
{
    for (size_t i = 0; i < ids->len; i++) ban(processors, row, ids->data[i]);
}

/* Ids in two parts: the prompt, if the history continues one, and the others. */
typedef struct {
    const int32_t *prompt, *ids;
    size_t prompt_len, len;
} TextIds;

static int32_t text_id(const TextIds *text, size_t i)
{
    return i < text->prompt_len ? text->prompt[i] : text->ids[i - text->prompt_len];
}

/* Divides positive scores by the penalty and multiplies negative ones by it. An id that occurs several times in the
 * text is penalized once. */
static void penalize(LogitsProcessors *processors, float penalty, const TextIds *text, float *row)
{
    if (penalty == 1) return;
    /* Mark all ids as unseen. */
    if (++processors->mark == 0) {
        memset(processors->marks, 0, processors->vocab * sizeof *processors->marks);
        processors->mark = 1;
    }
    for (size_t i = 0; i < text->prompt_len + text->len; i++) {
        int32_t id = text_id(text, i);
        float *at = find(processors, row, id);
        if (!at || processors->marks[id] == processors->mark) continue;
        processors->marks[id] = processors->mark;
        *at = *at < 0 ? *at * penalty : *at / penalty;
    }
}

/* Bans every token that follows an occurrence of the history's last n - 1 tokens in the text. */
static void ban_ngrams(const LogitsProcessors *processors, size_t n, const TextIds *text, const TextIds *history,
                       float *row)
{
    const size_t count = text->prompt_len + text->len, len = history->prompt_len + history->len;

    if (n == 0 || len + 1 < n) return;
    for (size_t i = n - 1; i < count; i++) {
        size_t same = 0;
        while (same < n - 1 && text_id(text, i - 1 - same) == text_id(history, len - 1 - same)) same++;
        if (same == n - 1) ban(processors, row, text_id(text, i));
    }
}

typedef struct {
    const LogitsProcessors *processors;
    float *row;
} BannedRow;

static void ban_token(void *context, int32_t token)
{
    const BannedRow *banned = context;

    ban(banned->processors, banned->row, token);
}

/* Forbids byte pieces that break UTF-8, or that begin a character for which too few tokens are left. `len` is the
 * length of the history, with its start token. One of the tokens left is reserved for a forced end token. */
static void ban_broken_utf8(const LogitsProcessors *processors, size_t len, float *row)
{
    const Utf8Rules *rules = processors->params->utf8;
    const size_t end = processors->params->forced_eos.len > 0, taken = len + end;
    const size_t left = taken < processors->max_length ? processors->max_length - taken : 0;
    float *allowed[UTF8_RULES_BYTES], logits[UTF8_RULES_BYTES];
    size_t count = 0;

    if (processors->utf8_state == UTF8_BETWEEN && left >= UTF8_RULES_MEMORY) {
        /* Enough tokens are left for any character, so ban only the pieces that cannot begin one. utf8_columns[] counts
         * from the beginning of a whole row, but without ids this row may be a part that begins at column `first`. */
        const size_t first = processors->ids ? 0 : processors->first;
        for (size_t i = 0; i < processors->utf8_column_count; i++) {
            const size_t column = processors->utf8_columns[i] - first;
            if (column < processors->width) row[column] = -INFINITY;
        }
        return;
    }
    for (size_t i = 0; i < rules->count; i++) {
        float *at = find(processors, row, rules->ids[i]);
        if (!at) continue;
        if (utf8_rules_allow(rules, i, processors->utf8_state, left, processors->utf8_completable)) {
            allowed[count] = at;
            logits[count++] = *at;
        } else {
            *at = -INFINITY;
        }
    }
    if (processors->utf8_state == UTF8_BETWEEN) return;
    for (size_t i = 0; i < processors->width; i++) row[i] = -INFINITY;
    for (size_t i = 0; i < count; i++) *allowed[i] = logits[i];
}

/* Adds the biases of the sequences that the next token can complete. A token's biases are added up before they change
 * its score. A sequence of several tokens counts only if the history is at least as long as it is. */
static void add_biases(const LogitsProcessors *processors, const int32_t *history, size_t len, float *row)
{
    const SequenceBias *biases = &processors->params->biases;
    const int32_t *run = biases->runs.data;
    float sum = 0;

    for (size_t i = 0; i < biases->count; i++) {
        const size_t run_len = (size_t)*run;
        const int32_t last = run[run_len];
        float *at;
        if (run_len == 1 || (run_len <= len && ends_with(history, len, run + 1, run_len - 1))) sum += biases->values[i];
        run += run_len + 1;
        if (i + 1 < biases->count && run[*run] == last) continue;
        at = sum != 0 ? find(processors, row, last) : NULL;
        if (at) *at += sum;
        sum = 0;
    }
}

/* How many steps ago end tokens began to become more likely (exponential_decay_length_penalty); 0: not yet. */
static size_t decay_steps(const LogitsProcessors *processors, size_t len)
{
    const size_t start = processors->prompt_len + processors->params->decay_start;

    return processors->params->decays && len > start ? len - start : 0;
}

static void force(const LogitsProcessors *processors, float *row, const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < processors->width; i++) row[i] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        float *at = find(processors, row, ids[i]);
        if (at) *at = 0;
    }
}

static bool forces_first(const LogitsProcessors *processors, size_t len)
{
    return processors->params->forced_bos >= 0 && len == 1;
}

static bool forces_last(const LogitsProcessors *processors, size_t len)
{
    return processors->params->forced_eos.len > 0 && len == processors->max_length;
}

bool logits_change_scores(const LogitsProcessors *processors, size_t len)
{
    const SearchParams *params = processors->params;

    return params->encoder_repetition_penalty != 1 || params->repetition_penalty != 1 || params->biases.count ||
           decay_steps(processors, len) || params->remove_invalid_values || params->renormalize_logits ||
           processors->taken_count || forces_first(processors, len) || forces_last(processors, len);
}

/* The encoder penalty affects only the best beam, as in generate() for a single sentence: generate() indexes the scores
 * of all beams with the ids of a single row. */
void logits_process(LogitsProcessors *processors, size_t beam, const int32_t *history, size_t len, float *row)
{
    const SearchParams *params = processors->params;
    const size_t hidden = 1 + processors->forgotten; /* the start token and the tokens that the settings ignore */
    const size_t skipped = params->rules.ignores_start_token && history ? hidden : 0;
    const TextIds source = { .ids = processors->source, .len = processors->source_len };
    TextIds text = { .ids = history ? history + skipped : NULL, .len = len - skipped };

    if (params->continues_source) { /* the start token is the last id of the prompt */
        text.prompt = processors->source;
        text.prompt_len = processors->source_len - 1;
    }

    add_biases(processors, history, len, row);
    /* A token costs one diversity penalty for each beam of an earlier group that chose it in this step. The product of
     * penalty and count is rounded once, as in PyTorch. */
    for (size_t i = 0; i < processors->taken_count; i++) {
        size_t count = 0;
        bool repeated = false;
        float *at = find(processors, row, processors->taken[i]);
        for (size_t k = 0; k < processors->taken_count; k++) {
            if (processors->taken[k] != processors->taken[i]) continue;
            repeated |= k < i;
            count++;
        }
        if (at && !repeated) *at -= processors->params->diversity_penalty * (float)count;
    }
    if (beam == 0) penalize(processors, 1 / params->encoder_repetition_penalty, &source, row);
    penalize(processors, params->repetition_penalty, &text, row);
    ban_ngrams(processors, params->no_repeat_ngram, &text, &text, row);
    ban_ngrams(processors, params->encoder_no_repeat_ngram, &source, &(TextIds){ .ids = history, .len = len }, row);
    /* A bad word that is a single end token is ignored. One of several tokens needs a history at least as long as the
     * whole word, though its last token is not compared. Minus infinity is added, not assigned: NaN stays NaN. */
    const IdList *runs = &processors->params->bad_words;
    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1) {
        const int32_t *word = runs->data + i + 1;
        size_t word_len = (size_t)runs->data[i];
        float *at;
        if (word_len == 0) continue;
        if (word_len == 1 && ids_contain(&processors->params->eos, word[0])) continue;
        if (word_len > 1 && (word_len > len || !ends_with(history, len, word, word_len - 1))) continue;
        at = find(processors, row, word[word_len - 1]);
        if (at) *at += -INFINITY;
    }
    if (len < params->min_length + 1) ban_all(processors, row, &params->eos);
    if (forces_first(processors, len)) force(processors, row, &params->forced_bos, 1);
    if (forces_last(processors, len)) force(processors, row, params->forced_eos.data, params->forced_eos.len);
    /* Replace NaN by 0 and infinities by the largest finite number of their sign. */
    if (params->remove_invalid_values) {
        for (size_t i = 0; i < processors->width; i++) {
            float x = row[i] == row[i] ? row[i] : 0;
            x = x > FLT_MAX ? FLT_MAX : x;
            row[i] = x < -FLT_MAX ? -FLT_MAX : x;
        }
    }
    /* Add |x| * (factor^steps - 1) to the score x of each end token, with the power in double precision. Unlike
     * transformers, it leaves the score of a forbidden end token at minus infinity instead of making it NaN. */
    size_t steps = decay_steps(processors, len);
    const float factor = (float)(pow(params->decay_factor, (double)steps) - 1);
    for (size_t i = 0; steps && i < params->eos.len; i++) {
        float *at = find(processors, row, params->eos.data[i]), penalty;
        bool repeated = false;
        for (size_t k = 0; k < i; k++) repeated |= params->eos.data[k] == params->eos.data[i];
        if (!at || repeated || *at == -INFINITY || *at == 0) continue;
        penalty = fabsf(*at) * factor;
        *at += penalty > FLT_MAX ? FLT_MAX : penalty;
    }
    ban_all(processors, row, &params->suppress);
    /* Ban each token that completes a run of bad_runs. The first `hidden` tokens of the history do not count. */
    runs = &params->bad_runs;
    for (size_t i = 0; i < runs->len; i += (size_t)runs->data[i] + 1) {
        const size_t run_len = (size_t)runs->data[i], seen = history ? len - hidden : 0;
        if (run_len - 1 <= seen && ends_with(history, len, runs->data + i + 1, run_len - 1))
            ban(processors, row, runs->data[i + run_len]);
    }
    BannedRow banned = { processors, row };
    if (text_rules_forbidden_count(processors->params->texts))
        text_rules_forbid(processors->params->texts, history, len, ban_token, &banned);
    /* begin_suppress applies to the first token that is not forced, which may come after forced_bos. */
    if (len == processors->prompt_len + (processors->prompt_len == 1 && params->forced_bos >= 0))
        ban_all(processors, row, &params->begin_suppress);
    if (params->utf8) ban_broken_utf8(processors, len, row);
    if (params->renormalize_logits) processors->kernels->log_softmax(row, processors->width);
}
