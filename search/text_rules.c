/* text_rules.c - see text_rules.h: forbidden texts and texts that end a translation, then UTF-8.
 *
 * A token completes a text t[0..m) in one of two ways: it contains the text, or it begins with t[p..m) after a
 * history that ends with t[0..p). The prefix function of Knuth, Morris and Pratt gives all such p for a history. When
 * the tokens are sorted by their bytes, those that begin with t[p..m) are adjacent. These ranges of tokens are computed
 * once for all p, so that a step only compares the last bytes of the history. */
#include "text_rules.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* A range [begin, end) of the tokens sorted by their bytes. */
typedef struct {
    uint32_t begin, end;
} TokenRange;

typedef struct {
    const unsigned char *bytes;
    size_t len;
    uint32_t *borders;  /* [len + 1]; entry i: the length of the longest proper prefix of bytes[0..i) that is also its
                           suffix */
    TokenRange *ranges; /* [len]; entry p: the tokens that begin with bytes[p..len); entry 0 is not used */
    IdList containing;  /* the tokens that contain the text, ascending */
} TextRule;

struct TextRules {
    Arena *arena; /* memory of the arrays */
    TokenBytes tokens;
    uint32_t *order; /* [vocab], the tokens in the order of their bytes */
    uint32_t *ranks; /* [vocab], the index in `order` of each token */
    Buf texts;
    TextRule *rules; /* [count], the forbidden texts first */
    size_t count, forbidden;
};

void token_bytes_free(TokenBytes *tokens)
{
    buf_free(&tokens->bytes);
    free(tokens->ends);
    *tokens = (TokenBytes){ .vocab = 0 };
}

void text_rules_free(TextRules *rules)
{
    if (!rules) return;
    for (size_t i = 0; i < rules->count; i++) ids_free(&rules->rules[i].containing);
    token_bytes_free(&rules->tokens);
    buf_free(&rules->texts);
    arena_free(rules->arena);
    free(rules);
}

static const unsigned char *bytes_of(const TokenBytes *tokens, size_t token, size_t *len)
{
    const size_t begin = token ? tokens->ends[token - 1] : 0;

    *len = tokens->ends[token] - begin;
    return *len ? (const unsigned char *)tokens->bytes.data + begin : (const unsigned char *)"";
}

/* --- Building. */

/* A token, for sorting the tokens by their bytes. */
typedef struct {
    const unsigned char *bytes;
    size_t len;
    uint32_t id;
} SortedToken;

static int compare(const unsigned char *a, size_t a_len, const unsigned char *b, size_t b_len)
{
    const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_tokens(const void *a, const void *b)
{
    const SortedToken *x = a, *y = b;
    const int order = compare(x->bytes, x->len, y->bytes, y->len);

    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static Status sort_tokens(TextRules *rules, Err *err)
{
    const size_t vocab = rules->tokens.vocab;
    SortedToken *sorted = calloc(vocab + 1, sizeof *sorted);

    rules->order = arena_zeroed(rules->arena, vocab + 1, sizeof *rules->order);
    rules->ranks = arena_zeroed(rules->arena, vocab + 1, sizeof *rules->ranks);
    if (!sorted || !rules->order || !rules->ranks) {
        free(sorted);
        return err_memory(err, "the texts of tokens");
    }
    for (size_t i = 0; i < vocab; i++) {
        sorted[i].bytes = bytes_of(&rules->tokens, i, &sorted[i].len);
        sorted[i].id = (uint32_t)i;
    }
    qsort(sorted, vocab, sizeof *sorted, compare_tokens);
    for (size_t i = 0; i < vocab; i++) {
        rules->order[i] = sorted[i].id;
        rules->ranks[sorted[i].id] = (uint32_t)i;
    }
    free(sorted);
    return OK;
}

/* Returns the index of the first sorted token that is not less than `text`. With `after`, passes over all tokens that
 * begin with `text`. */
static uint32_t find_place(const TextRules *rules, const unsigned char *text, size_t len, bool after)
{
    size_t low = 0, high = rules->tokens.vocab;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        size_t token_len;
        const unsigned char *token = bytes_of(&rules->tokens, rules->order[middle], &token_len);
        const int order = compare(token, token_len < len ? token_len : len, text, len);
        if (order < 0 || (after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static bool contains(const unsigned char *bytes, size_t len, const TextRule *rule)
{
    for (size_t at = 0; at + rule->len <= len; at++)
        if (bytes[at] == rule->bytes[0] && memcmp(bytes + at, rule->bytes, rule->len) == 0) return true;
    return false;
}

static Status add_rule(TextRules *rules, const char *text, Err *err)
{
    TextRule *rule = &rules->rules[rules->count++];
    uint32_t length = 0;

    rule->bytes = (const unsigned char *)text;
    rule->len = strlen(text);
    rule->borders = arena_zeroed(rules->arena, rule->len + 1, sizeof *rule->borders);
    rule->ranges = arena_zeroed(rules->arena, rule->len + 1, sizeof *rule->ranges);
    if (!rule->borders || !rule->ranges) return err_memory(err, "texts");
    for (size_t i = 1; i < rule->len; i++) {
        while (length && rule->bytes[i] != rule->bytes[length]) length = rule->borders[length];
        if (rule->bytes[i] == rule->bytes[length]) length++;
        rule->borders[i + 1] = length;
    }
    for (size_t p = 1; p < rule->len; p++)
        rule->ranges[p] = (TokenRange){ find_place(rules, rule->bytes + p, rule->len - p, false),
                                        find_place(rules, rule->bytes + p, rule->len - p, true) };
    for (size_t i = 0; i < rules->tokens.vocab; i++) {
        size_t len;
        const unsigned char *bytes = bytes_of(&rules->tokens, i, &len);
        if (contains(bytes, len, rule)) LIST_PUT(&rule->containing, (int32_t)i);
    }
    return LIST_CHECK(&rule->containing, "texts", err);
}

static size_t count_texts(const Buf *texts)
{
    size_t count = 0;

    for (size_t i = 0; i < texts->len; i++) count += texts->data[i] == '\0';
    return count;
}

Status text_rules_new(TextRules **out, TokenBytes *tokens, const Buf *forbidden, const Buf *stops, Err *err)
{
    const size_t forbidden_count = count_texts(forbidden), count = forbidden_count + count_texts(stops);
    TextRules *rules = calloc(1, sizeof *rules);
    Status st;

    *out = NULL;
    if (!rules) {
        token_bytes_free(tokens);
        return err_memory(err, "texts");
    }
    rules->tokens = *tokens;
    *tokens = (TokenBytes){ .vocab = 0 };
    buf_put(&rules->texts, forbidden->data, forbidden->len);
    buf_put(&rules->texts, stops->data, stops->len);
    st = buf_check(&rules->texts, err);
    if (st == OK) st = arena_new(&rules->arena, err);
    if (st == OK) st = sort_tokens(rules, err);
    if (st == OK) {
        rules->rules = arena_zeroed(rules->arena, count, sizeof *rules->rules);
        rules->forbidden = forbidden_count;
        st = arena_check(rules->arena, "texts", err);
    }
    for (size_t at = 0; st == OK && count && at < rules->texts.len; at += strlen(rules->texts.data + at) + 1)
        st = add_rule(rules, rules->texts.data + at, err);
    if (st == OK)
        *out = rules;
    else
        text_rules_free(rules);
    return st;
}

/* --- Matching. */

/* Returns the length of the longest proper prefix of the text that the history ends with. Only the last
 * rule->len - 1 bytes of the history matter. */
static uint32_t match(const TextRules *rules, const TextRule *rule, const int32_t *history, size_t len)
{
    size_t first = len, bytes = 0, token_len;
    uint32_t state = 0;

    while (first > 1 && bytes + 1 < rule->len) {
        (void)bytes_of(&rules->tokens, (size_t)history[--first], &token_len);
        bytes += token_len;
    }
    for (; first < len; first++) {
        const unsigned char *token = bytes_of(&rules->tokens, (size_t)history[first], &token_len);
        for (size_t i = 0; i < token_len; i++) {
            if (state == rule->len) state = rule->borders[state];
            while (state && token[i] != rule->bytes[state]) state = rule->borders[state];
            if (token[i] == rule->bytes[state]) state++;
        }
    }
    return state == rule->len ? rule->borders[state] : state;
}

void text_rules_forbid(const TextRules *rules, const int32_t *history, size_t len,
                       void (*forbid)(void *context, int32_t token), void *context)
{
    for (size_t r = 0; r < rules->forbidden; r++) {
        const TextRule *rule = &rules->rules[r];
        for (size_t i = 0; i < rule->containing.len; i++) forbid(context, rule->containing.data[i]);
        for (uint32_t p = match(rules, rule, history, len); p; p = rule->borders[p])
            for (uint32_t i = rule->ranges[p].begin; i < rule->ranges[p].end; i++)
                forbid(context, (int32_t)rules->order[i]);
    }
}

bool text_rules_stops(const TextRules *rules, const int32_t *history, size_t len, int32_t token)
{
    const uint32_t rank = rules->ranks[token];
    size_t token_len;
    const unsigned char *bytes = bytes_of(&rules->tokens, (size_t)token, &token_len);

    for (size_t i = rules->forbidden; i < rules->count; i++) {
        const TextRule *rule = &rules->rules[i];
        if (contains(bytes, token_len, rule)) return true;
        for (uint32_t p = match(rules, rule, history, len); p; p = rule->borders[p])
            if (rule->ranges[p].begin <= rank && rank < rule->ranges[p].end) return true;
    }
    return false;
}

size_t text_rules_forbidden_count(const TextRules *rules)
{
    return rules ? rules->forbidden : 0;
}

size_t text_rules_stop_count(const TextRules *rules)
{
    return rules ? rules->count - rules->forbidden : 0;
}

/* --- Byte pieces of UTF-8. */

/* For states inside a character: the bytes that may follow, the state after them, and how many bytes are missing. */
static const struct {
    unsigned char low, high;
    Utf8State next;
    size_t needs;
} states[UTF8_STATES] = {
    [UTF8_TAIL_1] = { 0x80, 0xbf, UTF8_BETWEEN, 1 },  [UTF8_TAIL_2] = { 0x80, 0xbf, UTF8_TAIL_1, 2 },
    [UTF8_TAIL_3] = { 0x80, 0xbf, UTF8_TAIL_2, 3 },   [UTF8_AFTER_E0] = { 0xa0, 0xbf, UTF8_TAIL_1, 2 },
    [UTF8_AFTER_ED] = { 0x80, 0x9f, UTF8_TAIL_1, 2 }, [UTF8_AFTER_F0] = { 0x90, 0xbf, UTF8_TAIL_2, 3 },
    [UTF8_AFTER_F4] = { 0x80, 0x8f, UTF8_TAIL_2, 3 },
};

void utf8_rules_add(Utf8Rules *rules, int32_t id, unsigned char byte)
{
    size_t at = rules->count++;

    for (; at > 0 && rules->ids[at - 1] > id; at--) {
        rules->ids[at] = rules->ids[at - 1];
        rules->bytes[at] = rules->bytes[at - 1];
    }
    rules->ids[at] = id;
    rules->bytes[at] = byte;
}

/* Returns the index of the token among the byte pieces, or rules->count. */
static size_t find_piece(const Utf8Rules *rules, int32_t id)
{
    size_t low = 0, high = rules->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rules->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rules->count && rules->ids[low] == id ? low : rules->count;
}

static Utf8State after_lead(unsigned char byte)
{
    if (byte < 0xc2 || byte > 0xf4) return UTF8_BROKEN;
    if (byte < 0xe0) return UTF8_TAIL_1;
    if (byte < 0xf0) return byte == 0xe0 ? UTF8_AFTER_E0 : byte == 0xed ? UTF8_AFTER_ED : UTF8_TAIL_2;
    return byte == 0xf0 ? UTF8_AFTER_F0 : byte == 0xf4 ? UTF8_AFTER_F4 : UTF8_TAIL_3;
}

static Utf8State after(Utf8State state, unsigned char byte)
{
    if (state == UTF8_BETWEEN) return after_lead(byte);
    return byte >= states[state].low && byte <= states[state].high ? states[state].next : UTF8_BROKEN;
}

Utf8State utf8_rules_state(const Utf8Rules *rules, const int32_t *tokens, size_t count)
{
    Utf8State state = UTF8_BETWEEN;

    for (size_t i = count < UTF8_RULES_MEMORY ? 0 : count - UTF8_RULES_MEMORY; i < count; i++) {
        const size_t index = find_piece(rules, tokens[i]);
        Utf8State next = index < rules->count ? after(state, rules->bytes[index]) : UTF8_BETWEEN;
        if (next == UTF8_BROKEN) next = after_lead(rules->bytes[index]);
        state = next == UTF8_BROKEN ? UTF8_BETWEEN : next;
    }
    return state;
}

/* Each byte of a character reduces the number of missing bytes, so states with few missing bytes are examined first. */
unsigned utf8_rules_completable(const Utf8Rules *rules, bool (*has)(const void *context, int32_t id),
                                const void *context)
{
    unsigned found = 1U << UTF8_BETWEEN;

    for (size_t needs = 1; needs <= UTF8_RULES_MEMORY; needs++)
        for (size_t i = 0; i < rules->count; i++)
            for (unsigned s = UTF8_TAIL_1; s < UTF8_STATES; s++)
                if (states[s].needs == needs && utf8_rules_allow(rules, i, (Utf8State)s, SIZE_MAX, found) &&
                    has(context, rules->ids[i]))
                    found |= 1U << s;
    return found;
}

bool utf8_rules_allow(const Utf8Rules *rules, size_t index, Utf8State state, size_t left, unsigned completable)
{
    const Utf8State next = after(state, rules->bytes[index]);

    return next != UTF8_BROKEN && states[next].needs <= left && completable >> next & 1;
}
