/* normal_form.c - see normal_form.h.
 * ICU works on UTF-16: UTF-8 -> UTF-16 -> normal form -> UTF-8. The result depends on the version of Unicode only for
 * unassigned characters. */
#include "normal_form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "chars.h"
#include "utf8.h"

static const struct {
    const char *name;
    const UNormalizer2 *(*instance)(UErrorCode *code);
} known_forms[] = {
    [FORM_NMT] = { "Nmt", NULL },
    [FORM_NFC] = { "NFC", unorm2_getNFCInstance },
    [FORM_NFD] = { "NFD", unorm2_getNFDInstance },
    [FORM_NFKC] = { "NFKC", unorm2_getNFKCInstance },
    [FORM_NFKD] = { "NFKD", unorm2_getNFKDInstance },
    [FORM_TABS] = { "[\\n\\r\\t]", NULL },
};

bool normal_form_find(const char *name, NormalForm *out)
{
    for (size_t i = 0; i < sizeof known_forms / sizeof *known_forms; i++) {
        if (strcmp(known_forms[i].name, name) != 0) continue;
        *out = (NormalForm)i;
        return true;
    }
    return false;
}

/* Like do_nmt() of tokenizers 0.22.2: replaces some characters by a space, and removes control characters. */
static Status append_nmt(const char *text, size_t len, Buf *out, Err *err)
{
    for (size_t i = 0, step; i < len; i += step) {
        uint32_t c;
        step = utf8_next(text + i, len - i, &c);
        if (c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
            c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd)
            buf_put_byte(out, ' ');
        else if (!((c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f))
            buf_put(out, text + i, step);
    }
    return buf_check(out, err);
}

static Status icu_fault(UErrorCode code, Err *err)
{
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "a text");
    return err_set(err, ERR_FORMAT, "a text cannot be normalized: %s", u_errorName(code));
}

static Status append_utf16(const UChar *text, int32_t len, Buf *out, Err *err)
{
    for (int32_t i = 0; i < len;) {
        char bytes[4];
        UChar32 code;
        U16_NEXT(text, i, len, code);
        buf_put(out, bytes, utf8_put((uint32_t)code, bytes));
    }
    return buf_check(out, err);
}

static Status append_tabs(const char *text, size_t len, Buf *out, Err *err)
{
    for (size_t i = 0; i < len; i++)
        buf_put_byte(out, text[i] == '\n' || text[i] == '\r' || text[i] == '\t' ? ' ' : text[i]);
    return buf_check(out, err);
}

static Status append_form(NormalForm form, const char *text, size_t len, Buf *out, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *normalizer;
    UChar *units, *normalized = NULL;
    int32_t count = 0, size;
    Status st = OK;

    if (form == FORM_NMT) return append_nmt(text, len, out, err);
    if (form == FORM_TABS) return append_tabs(text, len, out, err);
    if (len >= (size_t)1 << 30) return err_memory(err, "a text");
    units = malloc((len + 1) * sizeof *units);
    if (!units) return err_memory(err, "a text");
    u_strFromUTF8(units, (int32_t)len + 1, &count, text, (int32_t)len, &code);
    normalizer = known_forms[form].instance(&code);
    /* Most texts have the normal form already and are not converted. */
    if (U_SUCCESS(code) && unorm2_spanQuickCheckYes(normalizer, units, count, &code) < count) {
        size = unorm2_normalize(normalizer, units, count, NULL, 0, &code);
        if (code == U_BUFFER_OVERFLOW_ERROR) code = U_ZERO_ERROR;
        if (U_SUCCESS(code) && size <= 1 << 29) normalized = malloc(((size_t)size + 1) * sizeof *normalized);
        if (normalized)
            count = unorm2_normalize(normalizer, units, count, normalized, size + 1, &code);
        else if (U_SUCCESS(code))
            st = err_memory(err, "a text");
    }
    if (U_FAILURE(code)) st = icu_fault(code, err);
    if (st == OK) st = append_utf16(normalized ? normalized : units, count, out, err);
    free(normalized);
    free(units);
    return st;
}

/* The place after the first `count` characters. */
static size_t after_characters(const char *text, size_t at, size_t end, size_t count)
{
    uint32_t code;

    for (; count && at < end; count--) at += utf8_next(text + at, end - at, &code);
    return at;
}

/* Appends the origins of made[0..len), which replaces text[at..end), character by character. If there are more new
 * characters, the first old one has become several; if there are fewer, the first new one stands for several. */
static void put_map(RangeList *map, const char *text, size_t at, size_t end, const char *made, size_t len)
{
    const size_t before = chars_count(text + at, end - at), after = chars_count(made, len);
    const size_t old = after_characters(text, at, end, before > after ? 1 + before - after : 1);
    const size_t first = after_characters(made, 0, len, after > before ? 1 + after - before : 1);

    ranges_put_characters(map, text, at, old, made, first);
    ranges_put_characters(map, text, old, end, made + first, len - first);
}

/* Normalizes the text segment by segment, and notes the origins of its bytes. */
static Status append_segments(NormalForm form, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = known_forms[form].instance ? known_forms[form].instance(&code) : NULL;
    Status st = U_SUCCESS(code) ? OK : icu_fault(code, err);

    for (size_t at = 0, end; st == OK && at < len; at = end) {
        const size_t before = out->len;
        uint32_t next;
        /* A segment: characters that the normal form may combine. Characters after it do not change its result. */
        end = at + utf8_next(text + at, len - at, &next);
        while (normalizer && end < len) {
            const size_t step = utf8_next(text + end, len - end, &next);
            if (unorm2_hasBoundaryBefore(normalizer, (UChar32)next)) break;
            end += step;
        }
        st = append_form(form, text + at, end - at, out, err);
        if (st == OK) put_map(map, text, at, end, out->data ? out->data + before : "", out->len - before);
    }
    return st == OK ? ranges_check(map, err) : st;
}

Status normal_form_append(const NormalForms *forms, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    Buf formed = { 0 };
    Status st;

    if (len) buf_put(&formed, text, len);
    if (map) ranges_put_bytes(map, 0, len);
    st = buf_check(&formed, err);
    if (st == OK && map) st = ranges_check(map, err);
    for (size_t i = 0; st == OK && formed.len && i < forms->count; i++) {
        Buf next = { 0 };
        RangeList made = { 0 };
        st = map ? append_segments(forms->list[i], formed.data, formed.len, &next, &made, err)
                 : append_form(forms->list[i], formed.data, formed.len, &next, err);
        buf_free(&formed);
        formed = next;
        if (map) {
            ranges_trace(&made, 0, map);
            ranges_free(map);
            *map = made;
        }
    }
    if (st == OK && formed.len) {
        buf_put(out, formed.data, formed.len);
        st = buf_check(out, err);
    }
    buf_free(&formed);
    return st;
}
