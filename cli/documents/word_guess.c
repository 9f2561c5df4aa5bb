/* word_guess.c - see word_guess.h.
 * A target word that is also in the source is linked with that word, the k-th of equal ones with the k-th. Any other
 * target is linked with the source at the same part of the text: target t of T with source (t + 1/2) S / T. */
#include "word_guess.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "str_map.h"
#include "utf8.h"
#include "words.h"

#define EQUAL_WEIGHT 1.0f
#define ORDER_WEIGHT 0.3f

static Status add(WordList *words, size_t begin, size_t end, Err *err)
{
    Status st = buf_grow_list(&words->items, &words->capacity, words->count, 1, sizeof *words->items, "the words", err);

    if (st == OK) words->items[words->count++] = (DragomanRange){ begin, end };
    return st;
}

static bool is_word_character(uint32_t code)
{
    return u_isalnum((UChar32)code) || u_charType((UChar32)code) == U_NON_SPACING_MARK;
}

/* Divides a run without white space where letters meet marks. */
static Status add_run(WordList *words, const char *text, size_t begin, size_t end, Err *err)
{
    bool was_word = false;
    size_t start = begin;
    Status st = OK;

    for (size_t at = begin; st == OK && at < end;) {
        uint32_t code;
        const size_t next = at + utf8_next(text + at, end - at, &code);
        const bool is_word = is_word_character(code);
        if (at > start && is_word != was_word) {
            st = add(words, start, at, err);
            start = at;
        }
        was_word = is_word;
        at = next;
    }
    return st == OK ? add(words, start, end, err) : st;
}

static Status find_words(WordList *words, WordText text, Err *err)
{
    size_t begin, end = 0;
    Status st = OK;

    while (st == OK && words_next(text.text, text.length, &begin, &end))
        st = add_run(words, text.text, begin, end, err);
    return st;
}

#define NO_WORD SIZE_MAX

/* The source words, grouped by their texts. */
typedef struct {
    StrMap *groups; /* text -> number of its group */
    size_t *first;  /* [group], the first word that is not linked yet; NO_WORD: none */
    size_t *last;   /* [group] */
    size_t *next;   /* [word], the next one of its group */
    size_t count;   /* of groups */
} SourceIndex;

static Status index_word(SourceIndex *index, const char *word, size_t length, size_t i, Err *err)
{
    bool is_new;
    size_t group;
    Status st = str_map_add(index->groups, word, length, (int32_t)index->count, &is_new, err);

    if (st != OK) return st;
    group = is_new ? index->count++ : (size_t)str_map_get(index->groups, word, length, 0);
    if (is_new)
        index->first[group] = i;
    else
        index->next[index->last[group]] = i;
    index->last[group] = i;
    index->next[i] = NO_WORD;
    return OK;
}

static Status index_sources(SourceIndex *index, const WordList *words, WordText text, Err *err)
{
    const size_t size = (words->count + 1) * sizeof(size_t);
    Status st = str_map_new(&index->groups, err);

    index->first = malloc(size);
    index->last = malloc(size);
    index->next = malloc(size);
    if (st == OK && (!index->first || !index->last || !index->next)) st = err_memory(err, "the words");
    for (size_t i = 0; st == OK && i < words->count; i++)
        st = index_word(index, text.text + words->items[i].begin, words->items[i].end - words->items[i].begin, i, err);
    return st;
}

static void index_free(SourceIndex *index)
{
    str_map_free(index->groups);
    free(index->first);
    free(index->last);
    free(index->next);
}

static DragomanWeight link_word(SourceIndex *index, const WordGuess *guess, WordText target, size_t t)
{
    const DragomanRange range = guess->targets.items[t];
    const int32_t group = str_map_get(index->groups, target.text + range.begin, range.end - range.begin, -1);
    const size_t source = group < 0 ? NO_WORD : index->first[group];

    if (source == NO_WORD)
        return (DragomanWeight){ (2 * t + 1) * guess->sources.count / (2 * guess->targets.count), ORDER_WEIGHT };
    index->first[group] = index->next[source];
    return (DragomanWeight){ source, EQUAL_WEIGHT };
}

Status word_guess_find(WordGuess *guess, WordText source, WordText target, Err *err)
{
    SourceIndex index = { .groups = NULL };
    Status st = find_words(&guess->sources, source, err);

    if (st == OK) st = find_words(&guess->targets, target, err);
    if (st == OK) st = index_sources(&index, &guess->sources, source, err);
    guess->weights = malloc((guess->targets.count + 1) * sizeof *guess->weights);
    if (st == OK && !guess->weights) st = err_memory(err, "the words");
    for (size_t t = 0; st == OK && guess->sources.count && t < guess->targets.count; t++)
        guess->weights[t] = link_word(&index, guess, target, t);
    index_free(&index);
    return st;
}

void word_guess_free(WordGuess *guess)
{
    free(guess->sources.items);
    free(guess->targets.items);
    free(guess->weights);
    *guess = (WordGuess){ .weights = NULL };
}
