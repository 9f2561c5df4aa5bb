/* shortlist_text.c - reads shortlists in text (shortlist.h): Marian's lexical files and CTranslate2's
 * maps. It holds one line in memory at a time, and only the best targets of each piece of a
 * lexical file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shortlist_parts.h"
#include "buf.h"
#include "c_locale.h"
#include "text_file.h"

#define MAX_BEST 10000

typedef struct {
    float probability;
    int32_t target;
} Pair;

/* The best targets of a source id so far, unordered. */
typedef struct {
    Pair *pairs;
    size_t count, cap;
} PairList;

typedef struct {
    Shortlist *out;
    const char *path;
    const ShortlistVocabulary *vocabulary;
    size_t best;
    TextFile *file;
    const Buf *line;
    PairList *lists; /* [source_size], for a lexical file */
} Reader;

static Status wrong_line(const Reader *r, const char *expected, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: line %zu: expected \"%s\"", r->path, text_file_line(r->file), expected);
}

/* Returns where to store a pair: over the same target, in a free entry, or over the worst pair if the new one is
 * better; otherwise NULL. Of equal probabilities the higher id is better, as in Marian. */
static Pair *find_entry(PairList *list, size_t best, Pair pair)
{
    Pair *worst = list->pairs;

    for (size_t i = 0; i < list->count; i++) {
        Pair *p = &list->pairs[i];
        if (p->target == pair.target) return p;
        if (p->probability < worst->probability || (p->probability == worst->probability && p->target < worst->target))
            worst = p;
    }
    if (list->count < best) return &list->pairs[list->count++];
    if (pair.probability != worst->probability) return pair.probability > worst->probability ? worst : NULL;
    return pair.target > worst->target ? worst : NULL;
}

static Status add_pair(PairList *list, size_t best, Pair pair, Err *err)
{
    Status st = OK;
    Pair *entry;

    if (list->count < best)
        st = buf_grow_list(&list->pairs, &list->cap, list->count, 1, sizeof pair, "a shortlist", err);
    if (st != OK) return st;
    entry = find_entry(list, best, pair);
    if (entry) *entry = pair;
    return OK;
}

static Status read_pair(Reader *r, Err *err)
{
    const ShortlistVocabulary *v = r->vocabulary;
    const char *field[3], *at = r->line->data;
    size_t len[3];
    int32_t target, source;
    float probability;
    char *end;

    for (size_t i = 0; i < 3; i++) {
        at += strspn(at, " \t");
        field[i] = at;
        len[i] = strcspn(at, " \t");
        at += len[i];
    }
    probability = c_locale_strtof(field[2], &end);
    if (!len[2] || end != at || at[strspn(at, " \t")] || !isfinite(probability))
        return wrong_line(r, "TARGET SOURCE PROBABILITY", err);
    target = v->target_id(v->context, field[0], len[0]);
    source = v->source_id(v->context, field[1], len[1]);
    if (target < 0 || source < 0 || (size_t)target >= v->target_size || (size_t)source >= v->source_size ||
        probability <= 0 || !r->best)
        return OK;
    return add_pair(&r->lists[source], r->best, (Pair){ probability, target }, err);
}

/* Concatenates the lists, each in ascending order of its ids. */
static Status keep_lists(Reader *r, Err *err)
{
    Shortlist *s = r->out;
    size_t size = r->vocabulary->source_size, count = 0;

    for (size_t i = 0; i < size; i++) count += r->lists[i].count;
    if (!count && r->best)
        return err_set(err, ERR_FORMAT, "%s: no line has pieces of both vocabularies of the model", r->path);
    s->offsets = s->own_offsets = calloc(size + 1, sizeof *s->own_offsets);
    s->ids = s->own_ids = calloc(count + 1, sizeof *s->own_ids);
    if (!s->offsets || !s->ids) return err_memory(err, "a shortlist");
    s->source_size = size;
    count = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t p = 0; p < r->lists[i].count; p++) s->own_ids[count++] = r->lists[i].pairs[p].target;
        s->own_offsets[i + 1] = count;
    }
    return OK;
}

/* Appends the ids of pieces that are separated by spaces. It skips unknown pieces and sets *known
 * to false for them. */
static Status add_ids(Reader *r, const char *text, size_t len, bool source, size_t *count, bool *known, Err *err)
{
    const ShortlistVocabulary *v = r->vocabulary;
    size_t size = source ? v->source_size : v->target_size;
    Status st = OK;

    *known = true;
    for (size_t start = 0, end; st == OK && start < len; start = end + 1) {
        int32_t id;
        end = start;
        while (end < len && text[end] != ' ') end++;
        if (end == start) continue;
        id = (source ? v->source_id : v->target_id)(v->context, text + start, end - start);
        if (id < 0 || (size_t)id >= size) {
            *known = false;
            continue;
        }
        st = ids_append(&r->out->pool, id, err);
        ++*count;
    }
    return st;
}

static Status add_rule(Shortlist *s, const ShortlistRule *rule, Err *err)
{
    Status st = buf_grow_list(&s->rules, &s->rule_cap, s->rule_count, 1, sizeof *rule, "a shortlist", err);

    if (st != OK) return st;
    s->rules[s->rule_count++] = *rule;
    if (rule->key_len > s->longest) s->longest = rule->key_len;
    return OK;
}

/* A rule whose key has an unknown piece matches no sentence and is dropped. */
static Status read_rule(Reader *r, Err *err)
{
    const char *text = r->line->data, *tab = memchr(text, '\t', r->line->len);
    ShortlistRule rule = { .at = r->out->pool.len };
    bool known, all;
    Status st;

    if (!tab || memchr(tab + 1, '\t', r->line->len - (size_t)(tab + 1 - text)))
        return wrong_line(r, "SOURCE PIECES<TAB>TARGET PIECES", err);
    st = add_ids(r, text, (size_t)(tab - text), true, &rule.key_len, &known, err);
    if (st == OK && known)
        st = add_ids(r, tab + 1, r->line->len - (size_t)(tab + 1 - text), false, &rule.target_len, &all, err);
    if (st == OK && known && rule.target_len) return add_rule(r->out, &rule, err);
    r->out->pool.len = rule.at;
    return st;
}

/* Rules with equal keys stay in the order of their lines. */
static int by_key(const void *left, const void *right)
{
    const ShortlistRule *a = left, *b = right;

    if (a->key_len != b->key_len) return a->key_len < b->key_len ? -1 : 1;
    for (size_t i = 0; i < a->key_len; i++)
        if (a->ids[i] != b->ids[i]) return a->ids[i] < b->ids[i] ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_key(const ShortlistRule *a, const ShortlistRule *b)
{
    return a->key_len == b->key_len && memcmp(a->ids, b->ids, a->key_len * sizeof *a->ids) == 0;
}

/* Sorts the rules; of equal keys the last one wins. */
static Status keep_rules(Reader *r, Err *err)
{
    Shortlist *s = r->out;
    size_t count = 0;

    if (!s->rule_count)
        return err_set(err, ERR_FORMAT, "%s: no line has pieces of both vocabularies of the model", r->path);
    for (size_t i = 0; i < s->rule_count; i++) s->rules[i].ids = s->pool.data + s->rules[i].at;
    qsort(s->rules, s->rule_count, sizeof *s->rules, by_key);
    for (size_t i = 0; i < s->rule_count; i++)
        if (i + 1 == s->rule_count || !same_key(&s->rules[i], &s->rules[i + 1])) s->rules[count++] = s->rules[i];
    s->rule_count = count;
    return OK;
}

/* The lines of a map have exactly one tab; those of a lexical file have none or two. */
static bool is_map(const Buf *line)
{
    const char *tab = line->len ? memchr(line->data, '\t', line->len) : NULL;

    return tab && !memchr(tab + 1, '\t', line->len - (size_t)(tab + 1 - line->data));
}

static Status read_lines(Reader *r, ShortlistLimits limits, Err *err)
{
    bool map = false;
    Status st;

    while ((st = text_file_next(r->file, &r->line, err)) == OK && r->line) {
        if (text_file_line(r->file) == 1) map = is_map(r->line);
        if (!r->line->len) continue;
        if (strlen(r->line->data) < r->line->len)
            st = err_set(err, ERR_FORMAT, "%s: line %zu: contains a NUL byte", r->path, text_file_line(r->file));
        else
            st = map ? read_rule(r, err) : read_pair(r, err);
        if (st != OK) break;
    }
    if (st != OK) return st;
    if (map && limits.lexical_only) limits.first = limits.best = -1;
    if (map && limits.best >= 0)
        return err_set(err, ERR_USAGE, "%s: this map has no probabilities; " SETTING(SHORTLIST_BEST) " cannot be used",
                       r->path);
    r->out->shared = !map && r->vocabulary->shared;
    r->out->filled = !map;
    r->out->first = limits.first >= 0 ? (size_t)limits.first : map ? 0 : SHORTLIST_FIRST;
    if (r->out->first > r->vocabulary->target_size) r->out->first = r->vocabulary->target_size;
    if (map) r->out->begin = r->vocabulary->target_id(r->vocabulary->context, "<s>", 3);
    return map ? keep_rules(r, err) : keep_lists(r, err);
}

Status shortlist_read_text(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                           ShortlistLimits limits, Err *err)
{
    Reader r = { .out = out, .path = path, .vocabulary = vocabulary };
    Status st = OK;

    r.best = limits.best < 0 ? SHORTLIST_BEST : limits.best < MAX_BEST ? (size_t)limits.best : MAX_BEST;
    r.lists = calloc(vocabulary->source_size + 1, sizeof *r.lists);
    if (!r.lists) st = err_memory(err, "a shortlist");
    if (st == OK) st = text_file_open(&r.file, path, err);
    if (st == OK) st = read_lines(&r, limits, err);
    text_file_close(r.file);
    for (size_t i = 0; r.lists && i < vocabulary->source_size; i++) free(r.lists[i].pairs);
    free(r.lists);
    return st;
}
