/* fuzz_sentences.c - fuzzes the splitting of texts into sentences and words, and the comparison of numbers.
 * Input    A byte that chooses the language, then a text and, after the byte 0x01, a second one.
 * Checks   Sentences and words are in order, not empty and whole characters, with nothing but white space between them.
 *          A text has the same numbers as itself.
 * Options  -max_len=400 */
#include "fuzz_support.h"

#include "buf.h"
#include "number_check.h"
#include "sentences.h"
#include "utf8.h"
#include "words.h"

static void require_space(const char *text, size_t begin, size_t end)
{
    require(utf8_leading_space(text + begin, end - begin) == end - begin, "white space", text);
}

static void check_sentences(const char *language, const char *text, size_t len)
{
    RangeList list = { 0 };
    Sentences *sentences;
    size_t end = 0;
    Err err = { "" };

    require_ok(sentences_new(&sentences, language, &err), &err);
    require_ok(sentences_find(sentences, text, len, &list, &err), &err);
    for (size_t i = 0; i < list.len; end = list.data[i++].end) {
        const Range range = list.data[i];
        const size_t length = range.end - range.begin;
        require(range.begin >= end && range.end > range.begin && range.end <= len, "a sentence", text);
        require_space(text, end, range.begin);
        require(!utf8_leading_space(text + range.begin, length) && !utf8_trailing_space(text + range.begin, length),
                "no white space around sentences", text);
        if (i) (void)sentences_need_space(text, end, text + range.begin, length);
    }
    require_space(text, end, len);
    ranges_free(&list);
    sentences_free(sentences);
}

static void check_words(const char *text, size_t len)
{
    size_t begin, end = 0, last = 0;

    for (; words_next(text, len, &begin, &end); last = end) {
        require(begin >= last && end > begin && end <= len, "a word", text);
        require_space(text, last, begin);
        (void)words_is_ordinary(text + begin, end - begin);
    }
    require_space(text, last, len);
}

static void check_numbers(const char *text, size_t len, const char *other, size_t other_len)
{
    NumberCheck check = { .knows_words = false };
    const char *difference;
    Err err = { "" };

    require_ok(number_check_compare(&check, text, len, text, len, &difference, &err), &err);
    require(!difference, "the same numbers", text);
    require_ok(number_check_compare(&check, text, len, other, other_len, &difference, &err), &err);
    require(!difference || !strchr(difference, '\n'), "one line", text);
    buf_free(&check.difference);
}

static Buf clean_text(const uint8_t *data, size_t size)
{
    Buf text = { 0 };
    size_t replaced;

    buf_put(&text, "", 0);
    buf_put_clean(&text, (const char *)data, size, &replaced);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const languages[] = { NULL, "en", "de", "fr", "ru", "zh", "ja", "th", "ar", "el", "hi", "x" };
    const char *language = languages[fuzz_take(&data, &size) % (sizeof languages / sizeof *languages)];
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t first = divider ? (size_t)(divider - data) : size;
    Buf text = clean_text(data, first), other = clean_text(data + first, size - first);

    check_sentences(language, text.data ? text.data : "", text.len);
    check_words(text.data ? text.data : "", text.len);
    check_numbers(text.data ? text.data : "", text.len, other.data ? other.data : "", other.len);
    buf_free(&text);
    buf_free(&other);
    return 0;
}
