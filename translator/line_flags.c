/* line_flags.c - see line_flags.h. The numbers in parentheses are how many of 20,000 technical pairs, 1,006 pairs of
 * FLORES and 1,911 of Tatoeba have the flag although people translated them. */
#include "ranges.h"
#include "line_flags.h"

#include <string.h>

#include "words.h"

/* Translations that oscillate repeat an n-gram more often than their source does (Raunak et al. 2021, "The Curious Case
 * of Hallucinations in Neural Machine Translation", with n = 4 and 2 more). Terms of several pieces recur in long texts
 * although their translations in the source vary, above all if pieces are single bytes: it takes 3 more here, and the
 * n-grams must be a quarter of the translation (0, 0, 0; with 2 more and any part 6, 3, 0). */
#define LOOP_NGRAM 4
#define LOOP_MORE  3
#define LOOP_PART  4

/* Copies of a run of tokens that follow each other, "ab ab ab": 3 of at least two tokens, 4 of a single one, and 2 more
 * than any run of the source has, which may be "ha ha ha", a list or the digits of a number (0, 0, 0). */
#define RUN_LONGEST     32
#define RUN_COPIES      3
#define RUN_COPIES_OF_1 4
#define RUN_MORE        2

/* Tokens of one side for each of the other: OpusFilter drops pairs from 3 on. The constant is for end tokens and
 * language codes, and for short lines, whose ratio varies (0, 0, 0; with a ratio of 2: 3, 0, 0). */
#define LENGTH_RATIO 3
#define LENGTH_SLACK 8

/* This part of the ordinary words, and at least so many. Names, numbers and addresses do not count. A word may move by
 * a few places. */
#define COPY_LEAST   3
#define COPY_PERCENT 80
#define COPY_REACH   4

/* A word gets about 1 in total. Single words often get nearly nothing, because attention falls on a neighbour; so many
 * in a row rarely (0 of 700 translations of Tatoeba; in 10 of 300 of FLORES, which mostly lack a clause). */
#define COVERED_LEAST   0.2f
#define UNCOVERED_WORDS 4

const char *dragoman_flag_name(unsigned flag)
{
    static const char *const names[] = { "loop", "cut", "short", "long", "copy", "uncovered", "numbers" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flag == 1u << i) return names[i];
    return NULL;
}

size_t line_flags_count(unsigned flags)
{
    size_t count = 0;

    for (; flags; flags &= flags - 1) count++;
    return count;
}

/* How often the most frequent n-gram occurs. */
static size_t most_frequent(const IdList *ids)
{
    size_t most = 0;

    for (size_t i = 0; i + LOOP_NGRAM <= ids->len; i++) {
        size_t count = 1;
        for (size_t j = i + 1; j + LOOP_NGRAM <= ids->len; j++)
            count += !memcmp(ids->data + i, ids->data + j, LOOP_NGRAM * sizeof *ids->data);
        if (count > most) most = count;
    }
    return most;
}

/* The most copies of a run of `period` tokens that follow each other; 1 if there are no two. */
static size_t copies_of(const IdList *ids, size_t period)
{
    size_t equal = 0, most = 0;

    for (size_t i = period; i < ids->len; i++) {
        equal = ids->data[i] == ids->data[i - period] ? equal + 1 : 0;
        if (equal > most) most = equal;
    }
    return 1 + most / period;
}

static bool has_runs(const IdList *source, const IdList *target)
{
    size_t own = 1;

    for (size_t p = 1; p <= RUN_LONGEST; p++) {
        const size_t copies = copies_of(source, p);
        if (copies > own) own = copies;
    }
    for (size_t p = 1; p <= RUN_LONGEST; p++) {
        const size_t copies = copies_of(target, p);
        if (copies >= (p == 1 ? RUN_COPIES_OF_1 : RUN_COPIES) && copies >= own + RUN_MORE) return true;
    }
    return false;
}

static bool loops(const IdList *source, const IdList *target)
{
    const size_t most = most_frequent(target);

    if (has_runs(source, target)) return true;
    return most >= most_frequent(source) + LOOP_MORE && most * LOOP_NGRAM * LOOP_PART >= target->len;
}

unsigned line_flags_of_ids(const IdList *source, const IdList *target, size_t limit)
{
    unsigned flags = loops(source, target) ? DRAGOMAN_FLAG_LOOP : 0;

    if (target->len >= limit) flags |= DRAGOMAN_FLAG_CUT;
    if (source->len > LENGTH_RATIO * target->len + LENGTH_SLACK) flags |= DRAGOMAN_FLAG_SHORT;
    if (target->len > LENGTH_RATIO * source->len + LENGTH_SLACK) flags |= DRAGOMAN_FLAG_LONG;
    return flags;
}

/* A word of a text: see words_next(). */
typedef struct {
    size_t begin, end;
} Word;

/* Whether one of the next few words of the target equals the word; *end is where they begin, and moves after it. */
static bool find_copy(const Buf *source, Word word, const Buf *target, size_t *end)
{
    Word next = { 0, *end };

    for (size_t i = 0; i < COPY_REACH && words_next(target->data, target->len, &next.begin, &next.end); i++) {
        if (next.end - next.begin != word.end - word.begin) continue;
        if (memcmp(target->data + next.begin, source->data + word.begin, word.end - word.begin) != 0) continue;
        *end = next.end;
        return true;
    }
    return false;
}

unsigned line_flags_of_texts(const Buf *source, const Buf *target)
{
    size_t ordinary = 0, copied = 0, place = 0;
    Word word = { 0, 0 };

    while (words_next(source->data, source->len, &word.begin, &word.end)) {
        const bool found = find_copy(source, word, target, &place);
        if (!words_is_ordinary(source->data + word.begin, word.end - word.begin)) continue;
        ordinary++;
        copied += found;
    }
    return ordinary >= COPY_LEAST && copied * 100 >= ordinary * COPY_PERCENT ? DRAGOMAN_FLAG_COPY : 0;
}

/* The attention to all tokens that share a byte with the word. Tokens before *first end before the word. */
static float attention_of(Word word, const float *totals, const Range *ranges, size_t count, size_t *first)
{
    float sum = 0;

    while (*first < count && ranges[*first].end <= word.begin) (*first)++;
    for (size_t i = *first; i < count && ranges[i].begin < word.end; i++)
        if (ranges[i].end > word.begin) sum += totals[i];
    return sum;
}

unsigned line_flags_of_attention(const float *totals, const Range *ranges, size_t count, const Buf *source)
{
    size_t first = 0, run = 0, longest = 0;
    Word word = { 0, 0 };

    while (words_next(source->data, source->len, &word.begin, &word.end)) {
        run = attention_of(word, totals, ranges, count, &first) < COVERED_LEAST ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest >= UNCOVERED_WORDS ? DRAGOMAN_FLAG_UNCOVERED : 0;
}
