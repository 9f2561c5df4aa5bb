/* test_sentences_golden.c - compares the sentences of paragraphs in four languages with those that a person marked,
 * and with plain ICU.
 * tests/golden/sentences/LANGUAGE.N.txt has one sentence per line and a blank line between paragraphs. The texts were
 * written before the rules; the rules were developed with those of N = 1. */
#include "test_support.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "buf.h"
#include "sentences.h"

#define MAX_SENTENCES 64

/* Where sentences begin, except the first. */
typedef struct {
    size_t at[MAX_SENTENCES];
    size_t count;
} Starts;

typedef struct {
    size_t sentences, ours, icu; /* errors: missing and superfluous boundaries */
} Score;

static void add_start(Starts *starts, size_t at)
{
    assert_true(starts->count < MAX_SENTENCES);
    starts->at[starts->count++] = at;
}

static void find_ours(Starts *out, Sentences *sentences, const Buf *text)
{
    RangeList ranges = { 0 };
    Err err;

    assert_ok(sentences_find(sentences, text->data, text->len, &ranges, &err), &err);
    for (size_t i = 1; i < ranges.len; i++) add_start(out, ranges.data[i].begin);
    ranges_free(&ranges);
}

static void find_icu(Starts *out, const char *language, const Buf *text)
{
    UErrorCode fault = U_ZERO_ERROR;
    UBreakIterator *iterator = ubrk_open(UBRK_SENTENCE, language, NULL, 0, &fault);
    UText *utext = utext_openUTF8(NULL, text->data, (int64_t)text->len, &fault);

    ubrk_setUText(iterator, utext, &fault);
    assert_true(U_SUCCESS(fault));
    for (int32_t at = ubrk_next(iterator); at != UBRK_DONE && (size_t)at < text->len; at = ubrk_next(iterator))
        add_start(out, (size_t)at);
    ubrk_close(iterator);
    utext_close(utext);
}

/* Counts the errors, and prints them if `name` is given. */
static size_t count_errors(const Starts *found, const Starts *marked, const Buf *text, const char *name)
{
    size_t i = 0, k = 0, errors = 0;

    while (i < marked->count || k < found->count) {
        size_t wanted = i < marked->count ? marked->at[i] : SIZE_MAX, has = k < found->count ? found->at[k] : SIZE_MAX;
        size_t at = wanted < has ? wanted : has, from = at < 30 ? 0 : at - 30;
        if (wanted <= has) i++;
        if (has <= wanted) k++;
        if (wanted == has) continue;
        errors++;
        if (name)
            print_message("%s: %s boundary: %.*s | %.20s\n", name, wanted < has ? "missing" : "needless",
                          (int)(at - from), text->data + from, text->data + at);
    }
    return errors;
}

static void score_paragraph(Score *score, Sentences *sentences, const char *language, const Buf *text,
                            const Starts *marked, const char *path)
{
    Starts ours = { .count = 0 }, icu = { .count = 0 };

    if (!text->len) return;
    find_ours(&ours, sentences, text);
    find_icu(&icu, language, text);
    score->sentences += marked->count + 1;
    score->ours += count_errors(&ours, marked, text, path);
    score->icu += count_errors(&icu, marked, text, NULL);
}

static void score_file(Score *score, const char *language, const char *path)
{
    char *file = support_read_file(path, NULL), *at = file;
    Buf text = { 0 };
    Starts marked = { .count = 0 };
    Sentences *sentences;
    Err err;

    assert_ok(sentences_new(&sentences, language, &err), &err);
    while (*at) {
        size_t len = strcspn(at, "\n");
        if (len && text.len) buf_put_byte(&text, ' ');
        if (len && text.len) add_start(&marked, text.len);
        buf_put(&text, at, len);
        at += len + (at[len] == '\n');
        if (len && *at) continue;
        score_paragraph(score, sentences, language, &text, &marked, path);
        buf_clear(&text);
        marked.count = 0;
    }
    sentences_free(sentences);
    buf_free(&text);
    free(file);
}

TEST(makes_at_most_half_of_icus_errors)
{
    static const char *const languages[] = { "en", "de", "fr", "es" };

    for (size_t i = 0; i < COUNT(languages); i++) {
        for (int part = 1; part <= 2; part++) {
            Score score = { 0 };
            char *path = support_format(GOLDEN_ROOT "/sentences/%s.%d.txt", languages[i], part);
            score_file(&score, languages[i], path);
            print_message("%s: %zu sentences, %zu errors, ICU %zu\n", path, score.sentences, score.ours, score.icu);
            assert_true(score.sentences >= 50);
            assert_true(2 * score.ours <= score.icu);
            free(path);
        }
    }
}

TESTS(test_sentences_golden);
