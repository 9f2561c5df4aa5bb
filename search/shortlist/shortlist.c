/* shortlist.c - see shortlist.h: reads the binary format and the formats in text, selects candidates, and writes.
 *
 * The binary format is Marian's:
 *     u64  magic, checksum, first, best, offset_count, id_count
 *     u64  offsets[offset_count]    start of each source id's list, and the end
 *     u32  ids[id_count]            ascending within a list
 * All numbers are little-endian. The mapped file is used in place. The readers of text hold one line in memory at a
 * time, and only the best targets of each piece of a lexical file. */
#include "shortlist.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "mapped_file.h"
#include "stored_file.h"
#include "text_file.h"

#define SHORTLIST_FIRST 100 /* default of a lexical file */
#define SHORTLIST_BEST  100
#define SHORTLIST_FILL  8 /* Marian fills lists up to a multiple of it */

/* A rule of a map. ids[0..key_len) is the key, a run of source ids; the next target_len ids are
 * its targets. */
typedef struct {
    const int32_t *ids;
    size_t key_len, target_len;
    size_t at; /* index of the ids in the pool */
} ShortlistRule;

/* It has either lists or rules. */
struct Shortlist {
    size_t first;
    int32_t unknown; /* -1: none */
    int32_t begin;   /* <s> in a map, which CTranslate2 always adds as its third fixed candidate; -1: none */
    bool shared;     /* the ids of the source sentence are candidates as well */
    bool filled;     /* candidates are filled up to a multiple of SHORTLIST_FILL, with ids from `first` on */
    /* The targets of source id s are ids[offsets[s] .. offsets[s + 1]). */
    size_t source_size; /* number of source ids with a list */
    const uint64_t *offsets;
    const int32_t *ids;
    LIST_OF(ShortlistRule) rules; /* sorted by key: shorter keys first */
    size_t longest;               /* length of the longest key */
    IdList pool;                  /* ids of the rules */
    /* Owned memory that the pointers above refer to. */
    MappedFile file;
    uint64_t *own_offsets;
    int32_t *own_ids;
};

/* --- The binary format. */

uint64_t shortlist_checksum(const unsigned char *bytes, size_t size)
{
    const uint64_t *words = (const uint64_t *)(const void *)bytes;
    uint64_t sum = 0;

    for (size_t i = SHORTLIST_HASHED_FROM; i < size / sizeof *words; i++)
        sum ^= words[i] + UINT64_C(0x9e3779b9) + (sum << 6) + (sum >> 2);
    return sum;
}

static Status read_binary(Shortlist *out, const char *path, const ShortlistVocabulary *v, ShortlistLimits limits,
                          Err *err)
{
    const void *data = out->file.data;
    const uint64_t *head;
    const size_t size = out->file.size;
    size_t left;

    if (size < SHORTLIST_HEAD_WORDS * sizeof *head)
        return err_set(err, ERR_FORMAT, "%s: a shortlist of %zu bytes is truncated", path, size);
    if (limits.best >= 0)
        return err_set(err, ERR_USAGE,
                       "%s: this binary shortlist has no probabilities; " SETTING(SHORTLIST_BEST) " cannot be used",
                       path);
    if ((uintptr_t)data % sizeof *head) { /* an archive may store the file unaligned */
        out->own_offsets = malloc(size);
        if (!out->own_offsets) return err_memory(err, "a shortlist");
        data = memcpy(out->own_offsets, data, size);
    }
    head = data;
    left = size - SHORTLIST_HEAD_WORDS * sizeof *head;
    if (head[4] > left / 8 || head[5] > left / 4 || head[4] * 8 + head[5] * 4 != left)
        return err_set(err, ERR_FORMAT,
                       "%s: a shortlist of %" PRIu64 " offsets and %" PRIu64
                       " ids is not %zu bytes long: the file is truncated or corrupt",
                       path, head[4], head[5], size);
    if (shortlist_checksum((const unsigned char *)head, size) != head[1])
        return err_set(err, ERR_FORMAT, "%s: checksum mismatch: the shortlist is corrupt; download it again", path);
    /* The embedding matrix may have padding rows that the shortlist does not count. */
    if (head[4] < 2 || head[4] - 1 > v->source_size || head[4] < v->source_used)
        return err_set(err, ERR_FORMAT, "%s is for a source vocabulary of %" PRIu64 " ids, but the model's has %zu",
                       path, head[4] ? head[4] - 1 : 0, v->source_used);
    out->first = limits.first >= 0 ? (size_t)limits.first : head[2];
    if (out->first > v->target_size) out->first = v->target_size;
    out->shared = v->shared;
    out->filled = true;
    out->source_size = head[4] - 1;
    out->offsets = head + SHORTLIST_HEAD_WORDS;
    out->ids = (const int32_t *)(const void *)(out->offsets + head[4]);
    for (size_t i = 0; i <= out->source_size; i++)
        if (out->offsets[i] > head[5] || (i && out->offsets[i] < out->offsets[i - 1]))
            return err_set(err, ERR_FORMAT,
                           "%s: the list of source id %zu ends at %" PRIu64 ", but there are %" PRIu64 " ids", path,
                           i ? i - 1 : 0, out->offsets[i], head[5]);
    for (uint64_t i = 0; i < head[5]; i++)
        if (out->ids[i] < 0 || (size_t)out->ids[i] >= v->target_size)
            return err_set(err, ERR_FORMAT, "%s: target id %" PRIu32 " is outside the model's vocabulary of %zu ids",
                           path, (uint32_t)out->ids[i], v->target_size);
    return OK;
}

/* --- Formats in text. */

#define MAX_BEST 10000

typedef struct {
    float probability;
    int32_t target;
} Pair;

/* The best targets of a source id so far, unordered. */
typedef LIST_OF(Pair) PairList;

typedef struct {
    Shortlist *out;
    const char *path;
    const ShortlistVocabulary *vocabulary;
    size_t best;
    TextFile *file;
    const Buf *line;
    size_t line_number; /* from 1 */
    PairList *lists;    /* [source_size], for a lexical file */
} Reader;

static Status wrong_line(const Reader *r, const char *expected, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: line %zu: expected \"%s\"", r->path, r->line_number, expected);
}

/* Stores a pair: in place of a pair with the same target, in a free entry, or in place of the worst pair if the new one
 * is better. If two probabilities are equal, the higher id is better, as in Marian. */
static void store_pair(PairList *list, size_t best, Pair pair)
{
    Pair *worst = list->data;

    for (size_t i = 0; i < list->len; i++) {
        Pair *p = &list->data[i];
        if (p->target == pair.target) {
            *p = pair;
            return;
        }
        if (p->probability < worst->probability || (p->probability == worst->probability && p->target < worst->target))
            worst = p;
    }
    if (list->len < best)
        LIST_PUT(list, pair);
    else if (pair.probability != worst->probability ? pair.probability > worst->probability
                                                    : pair.target > worst->target)
        *worst = pair;
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
    store_pair(&r->lists[source], r->best, (Pair){ probability, target });
    return LIST_CHECK(&r->lists[source], "a shortlist", err);
}

/* Concatenates the lists, in ascending order of their source ids. */
static Status keep_lists(Reader *r, Err *err)
{
    Shortlist *s = r->out;
    size_t size = r->vocabulary->source_size, count = 0;

    for (size_t i = 0; i < size; i++) count += r->lists[i].len;
    if (!count && r->best)
        return err_set(err, ERR_FORMAT, "%s: no line has pieces of both vocabularies of the model", r->path);
    s->offsets = s->own_offsets = calloc(size + 1, sizeof *s->own_offsets);
    s->ids = s->own_ids = calloc(count + 1, sizeof *s->own_ids);
    if (!s->offsets || !s->ids) return err_memory(err, "a shortlist");
    s->source_size = size;
    count = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t p = 0; p < r->lists[i].len; p++) s->own_ids[count++] = r->lists[i].data[p].target;
        s->own_offsets[i + 1] = count;
    }
    return OK;
}

/* Appends the ids of pieces that are separated by spaces. If some are unknown, skips them and returns false. */
static bool add_ids(Reader *r, const char *text, size_t len, bool source, size_t *count)
{
    const ShortlistVocabulary *v = r->vocabulary;
    size_t size = source ? v->source_size : v->target_size;
    bool known = true;

    for (size_t start = 0, end; start < len; start = end + 1) {
        int32_t id;
        end = start;
        while (end < len && text[end] != ' ') end++;
        if (end == start) continue;
        id = (source ? v->source_id : v->target_id)(v->context, text + start, end - start);
        if (id < 0 || (size_t)id >= size) {
            known = false;
            continue;
        }
        LIST_PUT(&r->out->pool, id);
        ++*count;
    }
    return known;
}

/* A rule whose key has an unknown piece matches no sentence and is dropped. */
static Status read_rule(Reader *r, Err *err)
{
    const char *text = r->line->data, *tab = memchr(text, '\t', r->line->len);
    Shortlist *s = r->out;
    ShortlistRule rule = { .at = s->pool.len };
    Status st;

    if (!tab || memchr(tab + 1, '\t', r->line->len - (size_t)(tab + 1 - text)))
        return wrong_line(r, "SOURCE PIECES<TAB>TARGET PIECES", err);
    if (add_ids(r, text, (size_t)(tab - text), true, &rule.key_len))
        (void)add_ids(r, tab + 1, r->line->len - (size_t)(tab + 1 - text), false, &rule.target_len);
    if (rule.target_len)
        LIST_PUT(&s->rules, rule);
    else
        s->pool.len = rule.at;
    if (rule.target_len && rule.key_len > s->longest) s->longest = rule.key_len;
    st = LIST_CHECK(&s->pool, "a list of ids", err);
    return st == OK ? LIST_CHECK(&s->rules, "a shortlist", err) : st;
}

/* Compares the keys of two rules for bsearch(): the shorter one sorts first. */
static int compare_keys(const void *left, const void *right)
{
    const ShortlistRule *a = left, *b = right;

    if (a->key_len != b->key_len) return a->key_len < b->key_len ? -1 : 1;
    for (size_t i = 0; i < a->key_len; i++)
        if (a->ids[i] != b->ids[i]) return a->ids[i] < b->ids[i] ? -1 : 1;
    return 0;
}

/* Rules with equal keys stay in the order of their lines. */
static int by_key(const void *left, const void *right)
{
    const ShortlistRule *a = left, *b = right;
    const int order = compare_keys(a, b);

    return order ? order : a->at < b->at ? -1 : a->at > b->at;
}

/* Sorts the rules; of equal keys the last one wins. */
static Status keep_rules(Reader *r, Err *err)
{
    Shortlist *s = r->out;
    size_t count = 0;

    if (!s->rules.len)
        return err_set(err, ERR_FORMAT, "%s: no line has pieces of both vocabularies of the model", r->path);
    for (size_t i = 0; i < s->rules.len; i++) s->rules.data[i].ids = s->pool.data + s->rules.data[i].at;
    qsort(s->rules.data, s->rules.len, sizeof *s->rules.data, by_key);
    for (size_t i = 0; i < s->rules.len; i++)
        if (i + 1 == s->rules.len || compare_keys(&s->rules.data[i], &s->rules.data[i + 1]) != 0)
            s->rules.data[count++] = s->rules.data[i];
    s->rules.len = count;
    return OK;
}

static Status read_lines(Reader *r, ShortlistLimits limits, Err *err)
{
    bool map = false;
    Status st;

    while ((st = text_file_next(r->file, &r->line, err)) == OK && r->line) {
        /* A line of a map has exactly one tab; a line of a lexical file has none or two. */
        if (++r->line_number == 1) {
            const char *tab = r->line->len ? memchr(r->line->data, '\t', r->line->len) : NULL;
            map = tab && !memchr(tab + 1, '\t', r->line->len - (size_t)(tab + 1 - r->line->data));
        }
        if (!r->line->len) continue;
        if (strlen(r->line->data) < r->line->len)
            st = err_set(err, ERR_FORMAT, "%s: line %zu: contains a NUL byte", r->path, r->line_number);
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

static Status read_text(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary, ShortlistLimits limits,
                        Err *err)
{
    Reader r = { .out = out, .path = path, .vocabulary = vocabulary };
    Status st = OK;

    r.best = limits.best < 0 ? SHORTLIST_BEST : limits.best < MAX_BEST ? (size_t)limits.best : MAX_BEST;
    r.lists = calloc(vocabulary->source_size + 1, sizeof *r.lists);
    if (!r.lists) st = err_memory(err, "a shortlist");
    if (st == OK) st = text_file_open(&r.file, TEXT_FILE_PATH, path, err);
    if (st == OK) st = read_lines(&r, limits, err);
    text_file_close(r.file);
    for (size_t i = 0; r.lists && i < vocabulary->source_size; i++) free(r.lists[i].data);
    free(r.lists);
    return st;
}

/* --- Opening and selecting. */

static bool is_binary(const MappedFile *file)
{
    const uint64_t magic = SHORTLIST_MAGIC;

    return mapped_file_has(file, 0, &magic, sizeof magic);
}

Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary, ShortlistLimits limits,
                      Err *err)
{
    Shortlist *s = calloc(1, sizeof *s);
    Status st;

    *out = NULL;
    if (!s) return err_memory(err, "a shortlist");
    s->unknown = vocabulary->unknown;
    s->begin = -1;
    st = stored_file_open(&s->file, path, err);
    if (st == OK && limits.lexical_only && is_binary(&s->file)) limits.first = limits.best = -1;
    /* ERR_FORMAT may mean a gzip file of several members, which read_text() can read. It reports any other fault. */
    if (st == OK && is_binary(&s->file))
        st = read_binary(s, path, vocabulary, limits, err);
    else if (st == OK || st == ERR_FORMAT)
        st = read_text(s, path, vocabulary, limits, err);
    if (st == OK)
        *out = s;
    else
        shortlist_free(s);
    return st;
}

void shortlist_free(Shortlist *shortlist)
{
    if (!shortlist) return;
    free(shortlist->rules.data);
    ids_free(&shortlist->pool);
    free(shortlist->own_offsets);
    free(shortlist->own_ids);
    mapped_file_close(&shortlist->file);
    free(shortlist);
}

static void select_rule(const Shortlist *s, const int32_t *run, size_t len, IdSet *set)
{
    const ShortlistRule key = { .ids = run, .key_len = len };
    const ShortlistRule *rule = bsearch(&key, s->rules.data, s->rules.len, sizeof key, compare_keys);

    if (rule) id_set_add_all(set, rule->ids + rule->key_len, rule->target_len);
}

void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set)
{
    const Shortlist *s = shortlist;

    id_set_add(set, s->unknown);
    id_set_add(set, s->begin);
    for (size_t id = 0; id < s->first; id++) id_set_add(set, (int32_t)id);
    if (s->rules.len) select_rule(s, NULL, 0, set);
    for (size_t i = 0; i < len; i++) {
        size_t id = (size_t)source[i];
        if (s->shared) id_set_add(set, source[i]);
        if (id < s->source_size) id_set_add_all(set, s->ids + s->offsets[id], s->offsets[id + 1] - s->offsets[id]);
        for (size_t n = 1; n <= s->longest && n <= len - i; n++) select_rule(s, source + i, n, set);
    }
    if (s->filled) id_set_fill(set, s->first, SHORTLIST_FILL);
}

/* --- Writing. */

/* Appends the targets that every sentence gets. */
static Status add_common(const ShortlistWriting *w, const Lexicon *lexicon, IdList *out, Err *err)
{
    Status st = ids_append_all(out, w->always.data, w->always.len, err);

    return st == OK ? lexicon_frequent(lexicon, w->first, out, err) : st;
}

Status shortlist_write_binary(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err)
{
    uint64_t head[SHORTLIST_HEAD_WORDS] = { SHORTLIST_MAGIC, 0, 0, writing->best, writing->source_size + 1, 0 };
    int32_t everywhere = lexicon_everywhere(lexicon);
    Buf offsets = { 0 }, ids = { 0 };
    Status st;

    if (everywhere < 0)
        return err_set(err, ERR_UNSUPPORTED,
                       "no piece occurs in every source sentence, but the binary format needs one for the targets of "
                       "every sentence: write text instead (a name that ends in .txt)");
    /* Collect offsets[source_size + 1] and the ids that they refer to. */
    IdList targets = { 0 };
    uint64_t end = 0;
    IdSet *set;
    st = id_set_new(&set, writing->target_size, err);
    buf_put(&offsets, &end, sizeof end);
    for (size_t x = 0; st == OK && x < writing->source_size; x++) {
        ids_clear(&targets);
        st = lexicon_best(lexicon, (int32_t)x, writing->best, &targets, err);
        if (st == OK && (int32_t)x == everywhere) st = add_common(writing, lexicon, &targets, err);
        id_set_add_all(set, targets.data, targets.len); /* sorts them */
        ids_clear(&targets);
        if (st == OK) st = id_set_take(set, &targets, err);
        end += targets.len;
        buf_put(&offsets, &end, sizeof end);
        buf_put(&ids, targets.data, targets.len * sizeof *targets.data);
    }
    ids_free(&targets);
    id_set_free(set);
    head[5] = ids.len / sizeof(int32_t);
    if (st == OK) st = buf_check(&offsets, err);
    if (st == OK) st = buf_check(&ids, err);
    buf_put(out, head, sizeof head);
    buf_put(out, offsets.data, offsets.len);
    buf_put(out, ids.data, ids.len);
    if (st == OK) st = buf_check(out, err);
    buf_free(&offsets);
    buf_free(&ids);
    if (st != OK) return st;
    head[1] = shortlist_checksum((const unsigned char *)out->data, out->len);
    memcpy(out->data, head, sizeof head);
    return OK;
}

/* A map separates pieces by spaces, so a piece that contains white space cannot be written. */
static bool is_writable(const char *piece)
{
    return *piece && !strpbrk(piece, " \t\r\n");
}

static Status write_rule(Buf *out, const ShortlistWriting *w, const char *key, const IdList *targets, Err *err)
{
    char before = '\t';

    buf_put_text(out, key);
    for (size_t i = 0; i < targets->len; i++) {
        const char *piece = w->target_piece(w->context, targets->data[i]);
        if (!is_writable(piece)) continue;
        buf_put_format(out, "%c%s", before, piece);
        before = ' ';
    }
    buf_put_text(out, before == '\t' ? "\t\n" : "\n");
    return buf_check(out, err);
}

Status shortlist_write_map(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err)
{
    const ShortlistWriting *w = writing;
    IdList targets = { 0 };
    Status st = add_common(w, lexicon, &targets, err);

    if (st == OK) st = write_rule(out, w, "", &targets, err);
    for (size_t x = 0; st == OK && x < w->source_size; x++) {
        const char *piece = w->source_piece(w->context, (int32_t)x);
        ids_clear(&targets);
        st = lexicon_best(lexicon, (int32_t)x, w->best, &targets, err);
        if (st == OK && targets.len && is_writable(piece)) st = write_rule(out, w, piece, &targets, err);
    }
    ids_free(&targets);
    return st;
}
