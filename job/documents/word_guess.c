/* word_guess.c - see word_guess.h.
 * A target word that is also in the source is linked with that word, the k-th of equal ones with the k-th; the case of
 * letters does not matter. The T other targets are linked with the S other sources in their order: target t, from 0,
 * with source (t + 1/2) S / T; with the source words in their order, if there are no others. */
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

    if (st == OK) words->items[words->count++] = (Range){ begin, end };
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
    StrMap *groups;  /* text -> number of its group */
    size_t *first;   /* [group], the first word that is not linked yet; NO_WORD: none */
    size_t *last;    /* [group] */
    size_t *next;    /* [word], the next one of its group */
    size_t count;    /* of groups */
    bool *is_linked; /* [word] */
    Buf word;        /* the current one, without the case of letters */
} SourceIndex;

static Status fold_word(SourceIndex *index, WordText text, Range range, Err *err)
{
    Status st = OK;

    buf_clear(&index->word);
    for (size_t at = range.begin; st == OK && at < range.end;) {
        char bytes[4];
        uint32_t code;
        at += utf8_next(text.text + at, range.end - at, &code);
        buf_put(&index->word, bytes, utf8_put((uint32_t)u_foldCase((UChar32)code, U_FOLD_CASE_DEFAULT), bytes));
        st = buf_check(&index->word, err);
    }
    return st;
}

static Status index_word(SourceIndex *index, WordText text, Range range, size_t i, Err *err)
{
    const Buf *word = &index->word;
    bool is_new = false;
    size_t group;
    Status st = fold_word(index, text, range, err);

    if (st == OK) st = str_map_add(index->groups, word->data, word->len, (int32_t)index->count, &is_new, err);
    if (st != OK) return st;
    group = is_new ? index->count++ : (size_t)str_map_get(index->groups, word->data, word->len, 0);
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
    index->is_linked = calloc(words->count + 1, sizeof *index->is_linked);
    if (st == OK && (!index->first || !index->last || !index->next || !index->is_linked))
        st = err_memory(err, "the words");
    for (size_t i = 0; st == OK && i < words->count; i++) st = index_word(index, text, words->items[i], i, err);
    return st;
}

static void index_free(SourceIndex *index)
{
    str_map_free(index->groups);
    free(index->first);
    free(index->last);
    free(index->next);
    free(index->is_linked);
    buf_free(&index->word);
}

/* Links the target with an equal source word, which is then marked as linked. */
static Status link_equal(SourceIndex *index, WordGuess *guess, WordText target, size_t t, Err *err)
{
    Status st = fold_word(index, target, guess->targets.items[t], err);
    const int32_t group = st == OK ? str_map_get(index->groups, index->word.data, index->word.len, -1) : -1;
    const size_t source = group < 0 ? NO_WORD : index->first[group];

    guess->weights[t] = (DragomanWeight){ source, EQUAL_WEIGHT };
    if (source == NO_WORD) return st;
    index->first[group] = index->next[source];
    index->is_linked[source] = true;
    return st;
}

/* Links the other targets. index->next is the list of the other sources. */
static void link_others(SourceIndex *index, WordGuess *guess)
{
    size_t sources = 0, targets = 0, at = 0;

    for (size_t i = 0; i < guess->sources.count; i++)
        if (!index->is_linked[i]) index->next[sources++] = i;
    for (size_t i = 0; !sources && i < guess->sources.count; i++) index->next[i] = i;
    if (!sources) sources = guess->sources.count;
    for (size_t t = 0; t < guess->targets.count; t++) targets += guess->weights[t].source == NO_WORD;
    for (size_t t = 0; t < guess->targets.count; t++)
        if (guess->weights[t].source == NO_WORD)
            guess->weights[t] = (DragomanWeight){ index->next[(2 * at++ + 1) * sources / (2 * targets)], ORDER_WEIGHT };
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
        st = link_equal(&index, guess, target, t, err);
    if (st == OK && guess->sources.count) link_others(&index, guess);
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
