/* line_judge.c - see line.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "number_check.h"
#include "words.h"

/* --- Features and the confidence that follows from them. */

void line_features_add(FeatureSums *sums, const float *scores, const TokenSpread *spread, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        const double score = (double)scores[t];
        if (isinf(spread[t].margin)) continue;
        if (!sums->tokens || scores[t] < sums->least) sums->least = scores[t];
        sums->tokens++;
        sums->sum += score;
        sums->squares += score * score;
        sums->margin += (double)spread[t].margin;
        sums->entropy += (double)spread[t].entropy;
    }
}

void line_features_join(FeatureSums *sums, const FeatureSums *other)
{
    if (!other->tokens) return;
    if (!sums->tokens || other->least < sums->least) sums->least = other->least;
    sums->tokens += other->tokens;
    sums->sum += other->sum;
    sums->squares += other->squares;
    sums->margin += other->margin;
    sums->entropy += other->entropy;
}

void line_features(const FeatureSums *sums, double features[CALIBRATION_FEATURES])
{
    const double n = sums->tokens ? (double)sums->tokens : 1, mean = sums->sum / n;
    const double variance = sums->squares / n - mean * mean;
    const float rounded[] = { (float)mean, sums->least, variance > 0 ? (float)sqrt(variance) : 0,
                              (float)(sums->margin / n), (float)(sums->entropy / n) };

    for (size_t i = 0; i < CALIBRATION_FEATURES; i++) features[i] = (double)rounded[i];
}

double line_features_confidence(const FeatureSums *sums, const ConfidenceFit *fit)
{
    double features[CALIBRATION_FEATURES], z;

    if (!fit || !sums->tokens) return NAN;
    line_features(sums, features);
    z = fit->bias;
    for (size_t i = 0; i < CALIBRATION_FEATURES; i++) z += fit->weights[i] * features[i];
    return 1 / (1 + exp(-z));
}

/* --- Flags. The numbers in parentheses are how many of 20,000 technical pairs, 1,006 pairs of FLORES and 1,911 of
 * Tatoeba have the flag although people translated them. */

/* A translation loops if its most frequent n-gram occurs at least as often as that of its source plus LOOP_MORE, and
 * makes up 1 / LOOP_PART of it (Raunak et al. 2021, "The Curious Case of Hallucinations in Neural Machine Translation":
 * n = 4, plus 2, any part). Long texts repeat terms of many pieces even if the source varies them, above all if pieces
 * are single bytes (0, 0, 0; with the values of the paper 6, 3, 0). */
#define LOOP_NGRAM 4
#define LOOP_MORE  3
#define LOOP_PART  4

/* It also loops if copies of a run of tokens follow each other, "ab ab ab": 3 copies, or 4 of a single token, and 2
 * more than of any run in the source, which may have "ha ha ha", a list or the digits of a number (0, 0, 0). */
#define RUN_LONGEST     32
#define RUN_COPIES      3
#define RUN_COPIES_OF_1 4
#define RUN_MORE        2

/* The most tokens of one side: LENGTH_RATIO times those of the other (OpusFilter drops pairs from 3 on) plus
 * LENGTH_SLACK for end tokens, language codes and the varying ratios of short lines (0, 0, 0; with a ratio of 2: 3, 0,
 * 0). */
#define LENGTH_RATIO 3
#define LENGTH_SLACK 8

/* In a copy, COPY_PERCENT of the ordinary words of the source, and at least COPY_LEAST, are copied. Names, numbers and
 * addresses do not count. A word is copied if it is one of the next COPY_REACH words of the target. */
#define COPY_LEAST   3
#define COPY_PERCENT 80
#define COPY_REACH   4

/* A word gets about 1 of attention in total. A single word often gets nearly nothing, because attention falls on a
 * neighbour. UNCOVERED_WORDS in a row rarely get so little (in 0 of 700 translations of Tatoeba, and in 10 of 300 of
 * FLORES, which mostly lack a clause). */
#define COVERED_LEAST   0.2f
#define UNCOVERED_WORDS 4

const char *dragoman_flag_name(unsigned flag)
{
    static const char *const names[] = { "loop",      "cut",     "short", "long",   "copy",
                                         "uncovered", "numbers", "term",  "chatter" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flag == 1u << i) return names[i];
    return NULL;
}

/* How often the most frequent n-gram of LOOP_NGRAM tokens occurs. */
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

/* The largest number of equal runs of `period` tokens that follow each other; at least 1. */
static size_t copies_of(const IdList *ids, size_t period)
{
    size_t equal = 0, most = 0;

    for (size_t i = period; i < ids->len; i++) {
        equal = ids->data[i] == ids->data[i - period] ? equal + 1 : 0;
        if (equal > most) most = equal;
    }
    return 1 + most / period;
}

static bool loops(const IdList *source, const IdList *target)
{
    const size_t most = most_frequent(target);
    size_t own = 1;

    for (size_t p = 1; p <= RUN_LONGEST; p++) {
        const size_t copies = copies_of(source, p);
        if (copies > own) own = copies;
    }
    for (size_t p = 1; p <= RUN_LONGEST; p++) {
        const size_t copies = copies_of(target, p);
        if (copies >= (p == 1 ? RUN_COPIES_OF_1 : RUN_COPIES) && copies >= own + RUN_MORE) return true;
    }
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

/* Whether one of the next COPY_REACH words of the target, from byte *end on, equals the word of the source. If so, sets
 * *end to the end of that word. */
static bool find_copy(const Buf *source, Range word, const Buf *target, size_t *end)
{
    Range next = { 0, *end };

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
    Range word = { 0, 0 };

    while (words_next(source->data, source->len, &word.begin, &word.end)) {
        const bool found = find_copy(source, word, target, &place);
        if (!words_is_ordinary(source->data + word.begin, word.end - word.begin)) continue;
        ordinary++;
        copied += found;
    }
    return ordinary >= COPY_LEAST && copied * 100 >= ordinary * COPY_PERCENT ? DRAGOMAN_FLAG_COPY : 0;
}

/* A word gets the attention to all tokens that share a byte with it. */
unsigned line_flags_of_attention(const float *totals, const Range *ranges, size_t count, const Buf *source)
{
    size_t first = 0, run = 0, longest = 0;
    Range word = { 0, 0 };

    while (words_next(source->data, source->len, &word.begin, &word.end)) {
        float sum = 0;
        while (first < count && ranges[first].end <= word.begin) first++;
        for (size_t i = first; i < count && ranges[i].begin < word.end; i++)
            if (ranges[i].end > word.begin) sum += totals[i];
        run = sum < COVERED_LEAST ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest >= UNCOVERED_WORDS ? DRAGOMAN_FLAG_UNCOVERED : 0;
}

/* --- Whole lines. */

/* Factor of the confidence of a translation whose numbers differ from those of its source. */
#define NUMBERS_DIFFER 0.5
/* Factor of the confidence of an answer that is not only a translation. */
#define CHATTERS 0.5
/* Factor of the confidence of a translation that lacks terms or required texts. */
#define TERMS_MISSED 0.5

/* Sets DRAGOMAN_FLAG_UNCOVERED. The alignment is empty if one of several models had nothing to translate. `source` is
 * the source of the line with spaces instead of its items. */
static Status flag_uncovered(const DragomanLine *line, DragomanTranslation *translation, const Buf *source, Err *err)
{
    const SoftAlignment *alignment = &translation->alignment;
    const size_t count = line->source_ranges.len;
    float *totals; /* [count]: what each source token gets from all target tokens */

    if (!alignment->count) return OK;
    totals = calloc(count, sizeof *totals);
    if (!totals) return err_memory(err, "the confidence");
    for (const AlignmentBlock *block = alignment->blocks; block < alignment->blocks + alignment->count; block++)
        for (size_t t = 0; t < block->targets; t++)
            for (size_t i = 0; i < block->source_count; i++)
                totals[block->sources[i]] += block->values[t * block->source_count + i];
    translation->flags |= line_flags_of_attention(totals, line->source_ranges.data, count, source);
    free(totals);
    return OK;
}

/* Puts the text with spaces instead of its items, since these are neither uncovered nor copied by mistake. An item is
 * at its `place` in the text or, with `by_source`, at its `source`. */
static Status put_blanked(Buf *out, const Buf *text, const Line *line, const SpanList *spans, bool by_source, Err *err)
{
    Status st;

    buf_put(out, text->data, text->len);
    st = buf_check(out, err);
    for (size_t i = 0; st == OK && i < line->kept.len && i < spans->len; i++) {
        const Range range = by_source ? spans->data[i].source : spans->data[i].place;
        memset(out->data + range.begin, ' ', range.end - range.begin);
    }
    return st;
}

Status line_compare_numbers(const Line *line, const LineRules *rules, LineText source, const Buf *translation,
                            bool *differ, Err *err)
{
    const LineRules *first = line->source_rules ? line->source_rules : rules;
    NumberCheck check = { .difference = { 0 } };
    const char *difference = NULL;
    Status st;

    if (!line->pivot_count)
        number_check_set_languages(&check, tokenizer_source_language(first->tokenizer),
                                   tokenizer_target_language(rules->tokenizer));
    st = number_check_compare(&check, source.data, source.len, translation->data, translation->len, &difference, err);
    *differ = st == OK && difference;
    buf_free(&check.difference);
    return st;
}

Status line_judge(Line *line, const LineRules *rules, Err *err)
{
    const bool has_numbers = rules->is_last && !rules->pieces_in && !rules->pieces_out;
    const Tokenizer *tokenizer = (line->source_rules ? line->source_rules : rules)->tokenizer;
    const Buf *text = &line->source;
    const size_t request = line->pivot_count ? 0 : tokenizer_language_length(tokenizer, text->data, text->len);
    Status st = OK;

    for (size_t i = 0; st == OK && i < line->count; i++) {
        DragomanTranslation *translation = &line->translations[i];
        Buf first = { 0 }, source = { 0 }, target = { 0 };
        bool differ = false;
        st = put_blanked(&first, text, line, &line->kept, true, err);
        if (st == OK) st = put_blanked(&source, line_text(line), line, &line->kept, false, err);
        if (st == OK) st = put_blanked(&target, &translation->text, line, &translation->items, false, err);
        if (st == OK && rules->attention) st = flag_uncovered(line, translation, &first, err);
        translation->flags |= line->pivot_flags | line_flags_of_texts(&source, &target);
        translation->confidence = line->pivot_confidence * line_features_confidence(&translation->features, rules->fit);
        buf_free(&first);
        buf_free(&source);
        buf_free(&target);
        for (size_t d = 0; rules->is_last && d < translation->demands.len; d++)
            if (!translation->demands.data[d].verdict) translation->flags |= DRAGOMAN_FLAG_TERM;
        if (translation->flags & DRAGOMAN_FLAG_TERM) translation->confidence *= TERMS_MISSED;
        if (translation->flags & DRAGOMAN_FLAG_CHATTER) translation->confidence *= CHATTERS;
        if (st == OK && has_numbers)
            st = line_compare_numbers(line, rules, (LineText){ text->data + request, text->len - request },
                                      &translation->text, &differ, err);
        if (!differ) continue;
        translation->flags |= DRAGOMAN_FLAG_NUMBERS;
        translation->confidence *= NUMBERS_DIFFER;
    }
    return st;
}
