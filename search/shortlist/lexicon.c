/* lexicon.c - see lexicon.h.
 * With t(y|x) the probability of target y for source x, one iteration is
 *     sum(j)   = sum of t(y_j|x_i) over the ids x_i of the source sentence to which target position j belongs
 *     count(y,x) = sum of t(y_j|x) / sum(j) over the positions j with y_j = y in
 *                  the pairs that contain x                       (expectation)
 *     t(y|x)   = count(y,x) / sum of count(.,x)                 (maximization)
 * Both sums go source id by source id. Only the current t(.|x) is expanded into a dense row, so
 * no matrix of pairs is needed. The initial t comes from co-occurrence and is recomputed where
 * it is needed. The first iteration keeps the best targets of each x; the others stay zero. */
#include "lexicon.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define STEPS           5
#define MIN_PROBABILITY 1e-5f /* smaller probabilities count as zero */

typedef struct {
    float probability;
    int32_t target;
} Entry;

typedef struct {
    Entry *entries; /* the best first */
    size_t count;
} EntryList;

struct Lexicon {
    Arena *arena; /* memory of the arrays, but not of the lists */
    size_t source_size, target_size, pairs;
    IdList source, target;       /* the concatenated sentences */
    IdList source_at, target_at; /* start of each sentence; entry `pairs` is the end */
    /* The pairs in which source id x occurs are occurrences[first_occurrence[x] .. first_occurrence[x + 1]). A pair
     * is repeated if it contains x more than once. */
    size_t *first_occurrence; /* [source_size + 1] */
    int32_t *occurrences;
    float *sums;          /* [target.len] */
    EntryList *lists;     /* [source_size] */
    double *row, *counts; /* [target_size], of the current source id; zero between uses */
    IdList touched;       /* targets with a nonzero row[] */
    size_t *frequency;    /* [target_size] */
};

Status lexicon_new(Lexicon **out, size_t source_size, size_t target_size, Err *err)
{
    Lexicon *l = calloc(1, sizeof *l);
    Status st;

    *out = NULL;
    if (!l) return err_memory(err, "a lexicon");
    l->source_size = source_size;
    l->target_size = target_size;
    st = arena_new(&l->arena, err);
    if (st == OK) {
        l->first_occurrence = arena_zeroed(l->arena, source_size + 1, sizeof *l->first_occurrence);
        l->lists = arena_zeroed(l->arena, source_size + 1, sizeof *l->lists);
        l->row = arena_zeroed(l->arena, target_size + 1, sizeof *l->row);
        l->counts = arena_zeroed(l->arena, target_size + 1, sizeof *l->counts);
        l->frequency = arena_zeroed(l->arena, target_size + 1, sizeof *l->frequency);
        st = arena_check(l->arena, "a lexicon", err);
    }
    LIST_PUT(&l->source_at, 0);
    LIST_PUT(&l->target_at, 0);
    if (st == OK) st = LIST_CHECK(&l->source_at, "a list of ids", err);
    if (st == OK) st = LIST_CHECK(&l->target_at, "a list of ids", err);
    if (st == OK)
        *out = l;
    else
        lexicon_free(l);
    return st;
}

void lexicon_free(Lexicon *lexicon)
{
    if (!lexicon) return;
    for (size_t x = 0; lexicon->lists && x < lexicon->source_size; x++) free(lexicon->lists[x].entries);
    arena_free(lexicon->arena);
    ids_free(&lexicon->source);
    ids_free(&lexicon->target);
    ids_free(&lexicon->source_at);
    ids_free(&lexicon->target_at);
    ids_free(&lexicon->touched);
    free(lexicon);
}

Status lexicon_add(Lexicon *lexicon, const int32_t *source, size_t source_len, const int32_t *target, size_t target_len,
                   bool *full, Err *err)
{
    Lexicon *l = lexicon;
    Status st;

    *full = l->source.len + source_len + l->target.len + target_len > LEXICON_MAX_IDS;
    if (*full) return OK;
    st = ids_append_all(&l->source, source, source_len, err);
    if (st == OK) st = ids_append_all(&l->target, target, target_len, err);
    if (st == OK) st = ids_append(&l->source_at, (int32_t)l->source.len, err);
    if (st == OK) st = ids_append(&l->target_at, (int32_t)l->target.len, err);
    if (st != OK) return st;
    for (size_t i = 0; i < source_len; i++) l->first_occurrence[source[i] + 1]++;
    for (size_t i = 0; i < target_len; i++) l->frequency[target[i]]++;
    l->pairs++;
    return OK;
}

size_t lexicon_pairs(const Lexicon *lexicon)
{
    return lexicon->pairs;
}

/* Loops over the pairs in which source id x occurs; p is the index of the pair. */
#define EACH_OCCURRENCE(l, x, p)                                                                                       \
    for (size_t o = (l)->first_occurrence[x], p = 0;                                                                   \
         o < (l)->first_occurrence[(x) + 1] && ((p = (size_t)(l)->occurrences[o]), true); o++)

/* row = normalized co-occurrence of each target with x; a pair weighs 1 / the length of its source. */
static void row_of_cooccurrence(Lexicon *l, size_t x)
{
    double total = 0;

    EACH_OCCURRENCE(l, x, p)
    {
        double weight = 1.0 / (double)(l->source_at.data[p + 1] - l->source_at.data[p]);
        for (int32_t j = l->target_at.data[p]; j < l->target_at.data[p + 1]; j++) {
            int32_t y = l->target.data[j];
            if (l->row[y] == 0) LIST_PUT(&l->touched, y);
            l->row[y] += weight;
            total += weight;
        }
    }
    for (size_t i = 0; i < l->touched.len; i++) l->row[l->touched.data[i]] /= total;
}

static int by_probability(const void *left, const void *right)
{
    const Entry *a = left, *b = right;

    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->target < b->target ? -1 : a->target > b->target;
}

/* Stores the `keep` best targets of x by their counts. */
static Status keep_best(Lexicon *l, size_t x, size_t keep, Err *err)
{
    Entry *entries = malloc((l->touched.len + 1) * sizeof *entries), *fewer;
    size_t count = 0;
    double total = 0;

    if (!entries) return err_memory(err, "a lexicon");
    for (size_t i = 0; i < l->touched.len; i++) total += l->counts[l->touched.data[i]];
    for (size_t i = 0; i < l->touched.len; i++) {
        int32_t y = l->touched.data[i];
        float probability = total > 0 ? (float)(l->counts[y] / total) : 0;
        if (probability >= MIN_PROBABILITY) entries[count++] = (Entry){ probability, y };
    }
    qsort(entries, count, sizeof *entries, by_probability);
    if (count > keep) count = keep;
    fewer = realloc(entries, (count + 1) * sizeof *entries);
    free(l->lists[x].entries);
    l->lists[x] = (EntryList){ fewer ? fewer : entries, count };
    return OK;
}

/* Runs one half of an iteration over all source ids: sum() or, with `counting`, count() and t(). */
static Status half_step(Lexicon *l, bool first, bool counting, size_t keep, Err *err)
{
    Status st = OK;

    if (!counting) memset(l->sums, 0, l->target.len * sizeof *l->sums);
    for (size_t x = 0; st == OK && x < l->source_size; x++) {
        const EntryList *list = &l->lists[x];
        if (l->first_occurrence[x] == l->first_occurrence[x + 1]) continue;
        if (first) row_of_cooccurrence(l, x);
        for (size_t i = 0; !first && i < list->count; i++) {
            l->row[list->entries[i].target] = list->entries[i].probability;
            LIST_PUT(&l->touched, list->entries[i].target);
        }
        st = LIST_CHECK(&l->touched, "a list of ids", err);
        EACH_OCCURRENCE(l, x, p)
        for (int32_t j = l->target_at.data[p]; j < l->target_at.data[p + 1]; j++) {
            const double t = l->row[l->target.data[j]];
            if (!counting)
                l->sums[j] += (float)t;
            else if (t > 0 && l->sums[j] > 0)
                l->counts[l->target.data[j]] += t / (double)l->sums[j];
        }
        if (st == OK && counting) st = keep_best(l, x, keep, err);
        for (size_t i = 0; i < l->touched.len; i++) l->row[l->touched.data[i]] = l->counts[l->touched.data[i]] = 0;
        ids_clear(&l->touched);
    }
    return st;
}

Status lexicon_learn(Lexicon *lexicon, size_t keep, Err *err)
{
    Lexicon *l = lexicon;
    size_t *next = arena_alloc(l->arena, l->source_size + 1, sizeof *next);
    Status st = OK;

    l->occurrences = arena_zeroed(l->arena, l->source.len + 1, sizeof *l->occurrences);
    l->sums = arena_zeroed(l->arena, l->target.len + 1, sizeof *l->sums);
    if (!next || !l->occurrences || !l->sums) return err_memory(err, "a lexicon");
    /* Turn the counts in first_occurrence[] into start indexes, and fill occurrences[]. */
    for (size_t x = 0; x < l->source_size; x++) {
        l->first_occurrence[x + 1] += l->first_occurrence[x];
        next[x] = l->first_occurrence[x];
    }
    for (size_t p = 0; p < l->pairs; p++)
        for (int32_t i = l->source_at.data[p]; i < l->source_at.data[p + 1]; i++)
            l->occurrences[next[l->source.data[i]]++] = (int32_t)p;
    for (int step = 0; st == OK && step < STEPS; step++) {
        st = half_step(l, step == 0, false, keep, err);
        if (st == OK) st = half_step(l, step == 0, true, keep, err);
    }
    return st;
}

float lexicon_probability(const Lexicon *lexicon, int32_t source, int32_t target)
{
    const EntryList *list = &lexicon->lists[source];

    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].target == target) return list->entries[i].probability;
    return 0;
}

Status lexicon_best(const Lexicon *lexicon, int32_t source, size_t count, IdList *out, Err *err)
{
    const EntryList *list = &lexicon->lists[source];

    for (size_t i = 0; i < list->count && i < count; i++) LIST_PUT(out, list->entries[i].target);
    return LIST_CHECK(out, "a list of ids", err);
}

Status lexicon_frequent(const Lexicon *lexicon, size_t count, IdList *out, Err *err)
{
    Entry *entries = malloc((lexicon->target_size + 1) * sizeof *entries);
    size_t used = 0;

    if (!entries) return err_memory(err, "a lexicon");
    for (size_t y = 0; y < lexicon->target_size; y++)
        if (lexicon->frequency[y]) entries[used++] = (Entry){ (float)lexicon->frequency[y], (int32_t)y };
    qsort(entries, used, sizeof *entries, by_probability);
    for (size_t i = 0; i < used && i < count; i++) LIST_PUT(out, entries[i].target);
    free(entries);
    return LIST_CHECK(out, "a list of ids", err);
}

/* Only ids of the first pair can occur in all pairs. */
int32_t lexicon_everywhere(const Lexicon *lexicon)
{
    const Lexicon *l = lexicon;

    for (int32_t i = l->pairs ? l->source_at.data[1] : 0; i-- > 0;) {
        size_t x = (size_t)l->source.data[i], seen = 0, last = SIZE_MAX;
        EACH_OCCURRENCE(l, x, p)
        {
            seen += p != last;
            last = p;
        }
        if (seen == l->pairs) return (int32_t)x;
    }
    return -1;
}
