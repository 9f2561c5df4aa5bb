/* fuzz_normal_form.c - fuzzes Unicode's normalization forms and the origins of the bytes that they make.
 * Input    A byte for each of two forms, then a text.
 * Checks   The text is what ICU makes of it as a whole. Asking for origins does not change it, and then each byte has
 *          an origin in the text.
 * Options  -max_len=400 */
#include "fuzz_support.h"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "buf.h"
#include "normal_form.h"

/* Returns what ICU makes of a text that ends with NUL. The caller frees it. */
static char *reference(NormalForm form, const char *text)
{
    static const char *const names[] = {
        [FORM_NFC] = "nfc", [FORM_NFD] = "nfc", [FORM_NFKC] = "nfkc", [FORM_NFKD] = "nfkc"
    };
    const UNormalization2Mode mode = form == FORM_NFC || form == FORM_NFKC ? UNORM2_COMPOSE : UNORM2_DECOMPOSE;
    const size_t room = strlen(text) * 20 + 1; /* a character becomes at most 18 units */
    UChar *units = malloc(room * sizeof *units), *made = malloc(room * sizeof *made);
    char *out = malloc(3 * room);
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = unorm2_getInstance(NULL, names[form], mode, &code);

    require(units && made && out, "memory", text);
    u_strFromUTF8(units, (int32_t)room, NULL, text, -1, &code);
    unorm2_normalize(normalizer, units, -1, made, (int32_t)room, &code);
    u_strToUTF8(out, (int32_t)(3 * room), NULL, made, -1, &code);
    require(U_SUCCESS(code), "ICU", u_errorName(code));
    free(units);
    free(made);
    return out;
}

static void check_reference(const NormalForms *forms, const char *text, const Buf *made)
{
    char *last = fuzz_copy(text, strlen(text) + 1);

    for (size_t i = 0; i < forms->count; i++) {
        char *next = reference(forms->list[i], last);
        free(last);
        last = next;
    }
    require(strlen(last) == made->len && (!made->len || memcmp(last, made->data, made->len) == 0), "the form of ICU",
            text);
    free(last);
}

static void check_map(const RangeList *map, const Buf *made, size_t len)
{
    size_t begin = 0;

    require(map->len == made->len, "an origin", "of each byte");
    for (size_t i = 0; i < map->len; i++) {
        require(map->data[i].begin <= map->data[i].end && map->data[i].end <= len, "an origin", "in the text");
        require(map->data[i].begin >= begin, "the order", "of origins");
        begin = map->data[i].begin;
    }
}

/* Whether a form is one of ICU's. */
static bool is_known_to_icu(NormalForm form)
{
    return form != FORM_NMT && form != FORM_TABS;
}

static void check_text(const NormalForms *forms, const char *text, size_t len)
{
    Buf plain = { 0 }, traced = { 0 };
    RangeList map = { 0 };
    Err err = { "" };

    require_ok(normal_form_append(forms, text, len, &plain, NULL, &err), &err);
    require_ok(normal_form_append(forms, text, len, &traced, &map, &err), &err);
    require(plain.len == traced.len && (!plain.len || memcmp(plain.data, traced.data, plain.len) == 0),
            "origins do not change", text);
    check_map(&map, &traced, len);
    if (is_known_to_icu(forms->list[0]) && is_known_to_icu(forms->list[1])) check_reference(forms, text, &plain);
    ranges_free(&map);
    buf_free(&plain);
    buf_free(&traced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    NormalForms forms = { .count = 2 };
    Buf clean = { 0 };
    size_t replaced;

    if (size < 3) return 0;
    for (size_t i = 0; i < 2; i++) forms.list[i] = (NormalForm)(data[i] % (FORM_TABS + 1));
    buf_put_clean(&clean, (const char *)data + 2, size - 2, &replaced);
    check_text(&forms, clean.data, clean.len);
    buf_free(&clean);
    return 0;
}
