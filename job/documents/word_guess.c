/* word_guess.c - see word_guess.h.
 * Each word of the translation (target) is linked with an equal word of the source, ignoring case. If a word appears
 * several times, its k-th target is linked with its k-th source. If T target and S source words remain, target t (from
 * 0) of them is linked with source (t + 1/2) S / T. If no source word remains, all source words are used instead. */
#include "word_guess.h"

#include <stdlib.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "str_map.h"
#include "utf8.h"
#include "words.h"

#define EQUAL_WEIGHT 1.0f
#define ORDER_WEIGHT 0.3f

/* Finds the words of a text: divides it at white space, and between letters or digits and other characters. */
static void find_words(RangeList *words, LineText text)
{
    size_t begin, end = 0;

    while (words_next(text.data, text.len, &begin, &end)) {
        bool was_word = false;
        for (size_t at = begin; at < end;) {
            uint32_t code;
            const size_t next = at + utf8_next(text.data + at, end - at, &code);
            const bool is_word = u_isalnum((UChar32)code) || u_charType((UChar32)code) == U_NON_SPACING_MARK;
            if (at > begin && is_word != was_word) {
                LIST_PUT(words, ((Range){ begin, at }));
                begin = at;
            }
            was_word = is_word;
            at = next;
        }
        LIST_PUT(words, ((Range){ begin, end }));
    }
}

/* Sets *out to the word with its case folded. */
static Status fold_word(Buf *out, LineText text, Range word, Err *err)
{
    buf_clear(out);
    for (size_t at = word.begin; at < word.end;) {
        char bytes[4];
        uint32_t code;
        at += utf8_next(text.data + at, word.end - at, &code);
        buf_put(out, bytes, utf8_put((uint32_t)u_foldCase((UChar32)code, U_FOLD_CASE_DEFAULT), bytes));
    }
    return buf_check(out, err);
}

#define NO_WORD SIZE_MAX
#define LINKED  (SIZE_MAX - 1) /* in `next`: the word is linked */

Status word_guess_find(WordGuess *guess, LineText source, LineText target, Err *err)
{
    StrMap *groups = NULL; /* groups of equal source words: from the folded word to the index of its group */
    size_t *first = NULL;  /* [group], the first word of the group that is not linked yet, or NO_WORD */
    size_t *next = NULL;   /* [word], the next word of its group or NO_WORD; later a list of the unlinked words */
    size_t others = 0, targets = 0, at = 0;
    Buf word = { 0 };
    Status st;

    find_words(&guess->sources, source);
    find_words(&guess->targets, target);
    st = LIST_CHECK(&guess->sources, "the words", err);
    if (st == OK) st = LIST_CHECK(&guess->targets, "the words", err);
    if (st == OK) st = str_map_new(&groups, err);
    first = malloc((guess->sources.len + 1) * sizeof *first);
    next = malloc((guess->sources.len + 1) * sizeof *next);
    guess->weights = malloc((guess->targets.len + 1) * sizeof *guess->weights);
    if (st == OK && (!first || !next || !guess->weights)) st = err_memory(err, "the words");

    for (size_t i = guess->sources.len; st == OK && i-- > 0;) {
        const int32_t count = (int32_t)str_map_count(groups);
        bool is_new;
        size_t group;
        st = fold_word(&word, source, guess->sources.data[i], err);
        if (st == OK) st = str_map_add(groups, word.data, word.len, count, &is_new, err);
        if (st != OK) break;
        group = (size_t)str_map_get(groups, word.data, word.len, 0);
        next[i] = is_new ? NO_WORD : first[group];
        first[group] = i;
    }
    for (size_t t = 0; st == OK && guess->sources.len && t < guess->targets.len; t++) {
        int32_t group;
        size_t equal;
        st = fold_word(&word, target, guess->targets.data[t], err);
        if (st != OK) break;
        group = str_map_get(groups, word.data, word.len, -1);
        equal = group < 0 ? NO_WORD : first[group];
        guess->weights[t] = (DragomanWeight){ equal, EQUAL_WEIGHT };
        targets += equal == NO_WORD;
        if (equal == NO_WORD) continue;
        first[group] = next[equal];
        next[equal] = LINKED;
    }
    for (size_t i = 0; st == OK && i < guess->sources.len; i++)
        if (next[i] != LINKED) next[others++] = i;
    for (size_t i = 0; st == OK && targets && !others && i < guess->sources.len; i++) next[i] = i;
    if (!others) others = guess->sources.len;
    for (size_t t = 0; st == OK && others && t < guess->targets.len; t++)
        if (guess->weights[t].source == NO_WORD)
            guess->weights[t] = (DragomanWeight){ next[(2 * at++ + 1) * others / (2 * targets)], ORDER_WEIGHT };
    str_map_free(groups);
    free(first);
    free(next);
    buf_free(&word);
    return st;
}

void word_guess_free(WordGuess *guess)
{
    ranges_free(&guess->sources);
    ranges_free(&guess->targets);
    free(guess->weights);
    *guess = (WordGuess){ .weights = NULL };
}
