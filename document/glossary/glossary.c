/* glossary.c - see glossary.h.
 * All sequences of words that are terms are listed, the longest ones first, and each is taken if none of its words is
 * taken already. The stems of the terms are listed when the first text in a language is read. */
#include "glossary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "glossary_entries.h"
#include "glossary_file.h"
#include "language_detector.h"
#include "word_bounds.h"

/* What depends on the language of a text. */
typedef struct {
    char *tag;        /* NULL: not known */
    Stemmer *stemmer; /* NULL: there is none */
    TermIndex stems;
    bool *fits; /* [language_count], whether the entries of a language are for the text */
} SourceLanguage;

/* Words of the text that are a term. */
typedef struct {
    size_t first, count, bytes;
    int32_t entry;
} Candidate;

struct Glossary {
    char *source, *target;
    GlossaryEntries entries;
    SourceLanguage *languages; /* [language_count] */
    size_t language_count, language_capacity;

    /* Of the text that is being read. */
    TermText text;
    WordBounds bounds;
    Candidate *candidates; /* [count] */
    size_t count, capacity;
    bool *taken; /* [taken_capacity], of each word */
    size_t taken_capacity;
};

static Status copy_text(char **out, const char *text, Err *err)
{
    *out = text ? strdup(text) : NULL;
    return text && !*out ? err_memory(err, "the glossary") : OK;
}

Status glossary_new(Glossary **out, const char *source, const char *target, Err *err)
{
    Status st;

    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the glossary");
    st = copy_text(&(*out)->source, source, err);
    if (st == OK) st = copy_text(&(*out)->target, target, err);
    if (st == OK) return OK;
    glossary_free(*out);
    *out = NULL;
    return st;
}

static void free_language(SourceLanguage *language)
{
    free(language->tag);
    stemmer_free(language->stemmer);
    term_index_free(&language->stems);
    free(language->fits);
}

static void forget_languages(Glossary *g)
{
    for (size_t i = 0; i < g->language_count; i++) free_language(&g->languages[i]);
    g->language_count = 0;
}

void glossary_free(Glossary *g)
{
    if (!g) return;
    forget_languages(g);
    free(g->languages);
    glossary_entries_free(&g->entries);
    term_text_free(&g->text);
    word_bounds_free(&g->bounds);
    free(g->candidates);
    free(g->taken);
    free(g->source);
    free(g->target);
    free(g);
}

Status glossary_add_file(Glossary *g, const char *path, Err *err)
{
    forget_languages(g);
    return glossary_file_read(&g->entries, path, (GlossaryLanguages){ g->source, g->target }, err);
}

Status glossary_parse(Glossary *g, const char *path, const char *bytes, size_t length, Err *err)
{
    forget_languages(g);
    return glossary_file_parse(&g->entries, path, bytes, length, (GlossaryLanguages){ g->source, g->target }, err);
}

size_t glossary_count(const Glossary *g)
{
    return g->entries.count;
}

/* --- Languages --------------------------------------------------------------- */

/* Lists the stems of the terms. */
static Status list_stems(Glossary *g, SourceLanguage *language, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < g->entries.count; i++) {
        const GlossaryEntry *entry = &g->entries.items[i];
        int32_t found;
        if (entry->is_exact || !language->fits[entry->language]) continue;
        st = term_text_read(&g->text, entry->source, strlen(entry->source), NULL, 0, language->stemmer, err);
        if (st == OK) st = term_index_add(&language->stems, &g->text, KEY_STEMMED, (int32_t)i, &found, err);
    }
    return st;
}

static Status open_language(Glossary *g, SourceLanguage *out, const char *tag, Err *err)
{
    Status st = copy_text(&out->tag, tag, err);

    if (st != OK) return st;
    out->fits = calloc(g->entries.language_count + 1, sizeof *out->fits);
    if (!out->fits) return err_memory(err, "the glossary");
    for (size_t i = 0; i < g->entries.language_count; i++)
        out->fits[i] = i == LANGUAGE_ANY || !tag || language_detector_same(g->entries.languages[i], tag);
    st = stemmer_new(&out->stemmer, tag, err);
    return st == OK && out->stemmer ? list_stems(g, out, err) : st;
}

static Status find_language(Glossary *g, const char *tag, SourceLanguage **out, Err *err)
{
    SourceLanguage made = { .tag = NULL };
    Status st;

    for (size_t i = 0; i < g->language_count; i++) {
        const char *known = g->languages[i].tag;
        *out = &g->languages[i];
        if (tag && known ? strcmp(tag, known) == 0 : tag == known) return OK;
    }
    st = buf_grow_list(&g->languages, &g->language_capacity, g->language_count, 1, sizeof *g->languages, "the glossary",
                       err);
    if (st == OK) st = open_language(g, &made, tag, err);
    if (st != OK) {
        free_language(&made);
        return st;
    }
    g->languages[g->language_count] = made;
    *out = &g->languages[g->language_count++];
    return OK;
}

/* --- Terms in a text --------------------------------------------------------- */

static const TermIndex *index_of(const Glossary *g, const SourceLanguage *language, KeyKind kind)
{
    return kind == KEY_STEMMED ? &language->stems : &g->entries.by_key[kind];
}

/* The first of the entries with a key that is for the language. */
static int32_t first_that_fits(const Glossary *g, const SourceLanguage *language, int32_t entry)
{
    while (entry != TERM_NONE && !language->fits[g->entries.items[entry].language])
        entry = g->entries.items[entry].next;
    return entry;
}

/* The entry for these words; those with their spelling come first. `longest` are the words of the longest term of each
 * kind here. */
static int32_t find_entry(const Glossary *g, const SourceLanguage *language, size_t first, size_t count,
                          const size_t longest[KEYS])
{
    int32_t found = TERM_NONE;

    for (int kind = 0; found == TERM_NONE && kind < KEYS; kind++) {
        const TermIndex *index = index_of(g, language, (KeyKind)kind);
        if (count > longest[kind]) continue;
        found = first_that_fits(g, language, term_index_get(index, &g->text, (KeyKind)kind, first, count));
    }
    return found;
}

/* Whether the words begin and end where words of scripts without spaces do. */
static Status check_bounds(Glossary *g, const char *text, size_t length, size_t first, size_t count, bool *out,
                           Err *err)
{
    const TermWord *begin = &g->text.words[first], *end = &g->text.words[first + count - 1];
    Status st = OK;

    *out = true;
    if (!begin->is_unspaced && !end->is_unspaced) return OK;
    st = word_bounds_read(&g->bounds, text, length, err);
    if (st != OK) return st;
    if (begin->is_unspaced) *out = word_bounds_has(&g->bounds, begin->place.begin);
    if (end->is_unspaced) *out = *out && word_bounds_has(&g->bounds, end->place.end);
    return OK;
}

static Status add_candidate(Glossary *g, size_t first, size_t count, int32_t entry, Err *err)
{
    const size_t bytes = g->text.words[first + count - 1].place.end - g->text.words[first].place.begin;
    Status st = buf_grow_list(&g->candidates, &g->capacity, g->count, 1, sizeof *g->candidates, "the terms", err);

    if (st == OK) g->candidates[g->count++] = (Candidate){ first, count, bytes, entry };
    return st;
}

/* Adds the terms that begin with word `first`. */
static Status add_terms_at(Glossary *g, const SourceLanguage *language, const char *text, size_t length, size_t first,
                           Err *err)
{
    size_t longest[KEYS], most = 0;
    Status st = OK;

    for (int kind = 0; kind < KEYS; kind++) {
        longest[kind] = term_index_longest(index_of(g, language, (KeyKind)kind), &g->text, (KeyKind)kind, first);
        if (longest[kind] > most) most = longest[kind];
    }
    for (size_t count = 1; st == OK && count <= most && first + count <= g->text.count; count++) {
        const TermWord *last = &g->text.words[first + count - 1];
        bool fits;
        int32_t entry;
        if (last->is_barrier || (count > 1 && last->is_apart)) break;
        entry = find_entry(g, language, first, count, longest);
        if (entry == TERM_NONE) continue;
        st = check_bounds(g, text, length, first, count, &fits, err);
        if (st == OK && fits) st = add_candidate(g, first, count, entry, err);
    }
    return st;
}

static int compare_candidates(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;

    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_matches(const void *a, const void *b)
{
    const TermMatch *x = a, *y = b;

    return x->place.begin < y->place.begin ? -1 : x->place.begin > y->place.begin;
}

/* Takes the words of a candidate; false: one of them is taken. */
static bool take_words(Glossary *g, const Candidate *candidate)
{
    bool *words = g->taken + candidate->first;

    for (size_t i = 0; i < candidate->count; i++)
        if (words[i]) return false;
    for (size_t i = 0; i < candidate->count; i++) words[i] = true;
    return true;
}

static Status choose(Glossary *g, TermMatches *out, Err *err)
{
    Status st = buf_grow_list(&g->taken, &g->taken_capacity, 0, g->text.count, sizeof *g->taken, "the terms", err);

    if (st != OK) return st;
    memset(g->taken, 0, g->text.count * sizeof *g->taken);
    qsort(g->candidates, g->count, sizeof *g->candidates, compare_candidates);
    for (size_t i = 0; st == OK && i < g->count; i++) {
        const Candidate *c = &g->candidates[i];
        const GlossaryEntry *entry = &g->entries.items[c->entry];
        const size_t begin = g->text.words[c->first].place.begin;
        if (!take_words(g, c)) continue;
        st = buf_grow_list(&out->items, &out->capacity, out->count, 1, sizeof *out->items, "the terms", err);
        if (st != OK) return st;
        out->items[out->count++] =
            (TermMatch){ { begin, begin + c->bytes }, (const char *const *)entry->forms, entry->form_count };
    }
    qsort(out->items, out->count, sizeof *out->items, compare_matches);
    return st;
}

Status glossary_find(Glossary *g, const char *tag, const char *text, size_t length, const Range *kept,
                     size_t kept_count, TermMatches *out, Err *err)
{
    SourceLanguage *language;
    Status st = OK;

    out->count = g->count = 0;
    if (!g->entries.count) return OK;
    st = find_language(g, tag, &language, err);
    if (st == OK) st = term_text_read(&g->text, text, length, kept, kept_count, language->stemmer, err);
    word_bounds_forget(&g->bounds);
    for (size_t i = 0; st == OK && i < g->text.count; i++)
        if (!g->text.words[i].is_barrier) st = add_terms_at(g, language, text, length, i, err);
    return st == OK && g->count ? choose(g, out, err) : st;
}

void term_matches_free(TermMatches *matches)
{
    free(matches->items);
    *matches = (TermMatches){ 0 };
}
