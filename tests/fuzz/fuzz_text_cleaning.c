/* fuzz_text_cleaning.c - fuzzes the cleaning of texts before they are encoded: the steps of OPUS-MT's preprocess.sh
 * and Moses' rules for punctuation. Also fuzzes the reader of such scripts.
 * Input    A byte that chooses the steps and the language, then a text. If bit 7 is set, a script.
 * Checks   Clean text is valid UTF-8 without control characters and without spaces at its ends. Cleaning it again
 *          changes nothing, except by Moses' rules. Asking for origins does not change it, and each byte then has one.
 * Options  -max_len=400 */
#include "fuzz_support.h"

#include "buf.h"
#include "opus_text.h"
#include "utf8.h"

#define NAME "dir/preprocess.sh"

static const char *const languages[] = { NULL, "en", "de", "cs", "fr", "fin_Latn" };

static void check_map(const RangeList *map, size_t made, size_t len)
{
    require(map->len == made, "an origin", "of each byte");
    for (size_t i = 0; i < map->len; i++)
        require(map->data[i].begin <= map->data[i].end && map->data[i].end <= len, "an origin", "in the text");
}

static bool same(const Buf *a, const Buf *b)
{
    return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

static void check_clean(const OpusSteps *steps, const Buf *clean)
{
    Buf again = { 0 };
    Err err = { "" };

    if (!clean->len) return;
    require(utf8_clean_length(clean->data, clean->len) == clean->len, "valid UTF-8", clean->data);
    require(*clean->data != ' ' && clean->data[clean->len - 1] != ' ', "no spaces at the ends", clean->data);
    for (size_t i = 0; i < clean->len; i++)
        require((unsigned char)clean->data[i] >= ' ' && clean->data[i] != 0x7f, "no control characters", clean->data);
    if (!steps->normalizes) {
        require_ok(opus_text_clean(steps, clean->data, clean->len, &again, NULL, &err), &err);
        require(same(clean, &again), "the same again", clean->data);
    }
    buf_free(&again);
}

static void check_text(const OpusSteps *steps, const char *text, size_t len)
{
    Buf plain = { 0 }, traced = { 0 };
    RangeList map = { 0 };
    Err err = { "" };

    require_ok(opus_text_clean(steps, text, len, &plain, NULL, &err), &err);
    require_ok(opus_text_clean(steps, text, len, &traced, &map, &err), &err);
    require(same(&plain, &traced), "origins do not change", text);
    check_map(&map, traced.len, len);
    check_clean(steps, &plain);
    ranges_free(&map);
    buf_free(&plain);
    buf_free(&traced);
}

static void check_script(const uint8_t *data, size_t size)
{
    uint8_t *bytes = fuzz_copy(data, size);
    const FileView file = { .path = NAME, .map = { .data = bytes, .size = size } };
    OpusSteps steps = { 0 };
    Err err = { "" };

    if (opus_text_read_script(&steps, &file, &err) != OK) require_message(&err, NAME);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t choice = fuzz_take(&data, &size);
    const char *language = languages[choice / 2 % (sizeof languages / sizeof *languages)];
    OpusSteps steps = { .cleans = true, .normalizes = choice & 1 };
    Err err = { "" };
    Buf text = { 0 };
    size_t replaced;

    if (choice & 0x80) {
        check_script(data, size);
        return 0;
    }
    require_ok(opus_text_set_language(&steps, language, &err), &err);
    buf_put_clean(&text, (const char *)data, size, &replaced);
    check_text(&steps, text.data ? text.data : "", text.len);
    moses_free(steps.moses);
    buf_free(&text);
    return 0;
}
