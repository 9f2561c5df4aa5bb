/* normal_form.c - see normal_form.h.
 * ICU works on UTF-16: UTF-8 -> UTF-16 -> form -> UTF-8. The result depends on the version of Unicode only for
 * unassigned characters. */
#include "normal_form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "utf8.h"

static const char *const names[] = {
    [FORM_NMT] = "Nmt", [FORM_NFC] = "NFC", [FORM_NFD] = "NFD", [FORM_NFKC] = "NFKC", [FORM_NFKD] = "NFKD"
};

bool normal_form_find(const char *name, NormalForm *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *out = (NormalForm)i;
        return true;
    }
    return false;
}

/* Control characters that tokenizers 0.22.2 removes (do_nmt()). */
static bool is_dropped(uint32_t c)
{
    return (c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
}

/* Characters that it replaces by a space. */
static bool becomes_space(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
           c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
}

static Status append_nmt(const char *text, size_t len, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0, step; st == OK && i < len; i += step) {
        uint32_t code;
        step = utf8_next(text + i, len - i, &code);
        if (becomes_space(code))
            st = buf_append(out, " ", 1, err);
        else if (!is_dropped(code))
            st = buf_append(out, text + i, step, err);
    }
    return st;
}

static const UNormalizer2 *instance(NormalForm form, UErrorCode *code)
{
    switch (form) {
    case FORM_NFC:
        return unorm2_getNFCInstance(code);
    case FORM_NFD:
        return unorm2_getNFDInstance(code);
    case FORM_NFKC:
        return unorm2_getNFKCInstance(code);
    default:
        return unorm2_getNFKDInstance(code);
    }
}

static Status icu_fault(UErrorCode code, Err *err)
{
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "a text");
    return err_set(err, ERR_FORMAT, "a text cannot be normalized: %s", u_errorName(code));
}

/* A unit of UTF-16 takes at most three bytes of UTF-8. */
static Status append_utf16(const UChar *text, int32_t len, Buf *out, Err *err)
{
    char *bytes = malloc(3 * (size_t)len + 1);
    UErrorCode code = U_ZERO_ERROR;
    int32_t count = 0;
    Status st;

    if (!bytes) return err_memory(err, "a text");
    u_strToUTF8(bytes, 3 * len + 1, &count, text, len, &code);
    st = U_SUCCESS(code) ? buf_append(out, bytes, (size_t)count, err) : icu_fault(code, err);
    free(bytes);
    return st;
}

/* Most texts are normalized already. */
static Status append_normalized(const UNormalizer2 *normalizer, const UChar *text, int32_t len, Buf *out, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar *normalized;
    int32_t count;
    Status st;

    if (unorm2_spanQuickCheckYes(normalizer, text, len, &code) == len) return append_utf16(text, len, out, err);
    count = unorm2_normalize(normalizer, text, len, NULL, 0, &code);
    if (U_FAILURE(code) && code != U_BUFFER_OVERFLOW_ERROR) return icu_fault(code, err);
    if (count > (1 << 29)) return err_memory(err, "a text");
    normalized = malloc(((size_t)count + 1) * sizeof *normalized);
    if (!normalized) return err_memory(err, "a text");
    code = U_ZERO_ERROR;
    count = unorm2_normalize(normalizer, text, len, normalized, count + 1, &code);
    st = U_SUCCESS(code) ? append_utf16(normalized, count, out, err) : icu_fault(code, err);
    free(normalized);
    return st;
}

static Status append_form(NormalForm form, const char *text, size_t len, Buf *out, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar *units;
    int32_t count = 0;
    Status st;

    if (form == FORM_NMT) return append_nmt(text, len, out, err);
    if (len >= (size_t)1 << 30) return err_memory(err, "a text");
    units = malloc((len + 1) * sizeof *units);
    if (!units) return err_memory(err, "a text");
    u_strFromUTF8(units, (int32_t)len + 1, &count, text, (int32_t)len, &code);
    if (U_FAILURE(code)) {
        st = icu_fault(code, err);
    } else {
        const UNormalizer2 *normalizer = instance(form, &code);
        st = U_SUCCESS(code) ? append_normalized(normalizer, units, count, out, err) : icu_fault(code, err);
    }
    free(units);
    return st;
}

Status normal_form_append(const NormalForms *forms, const char *text, size_t len, Buf *out, Err *err)
{
    Buf last = { 0 }, next = { 0 };
    Status st = len ? buf_append(&last, text, len, err) : OK;

    for (size_t i = 0; st == OK && last.len && i < forms->count; i++) {
        buf_clear(&next);
        st = append_form(forms->list[i], last.data, last.len, &next, err);
        if (st == OK) {
            Buf swapped = last;
            last = next;
            next = swapped;
        }
    }
    if (st == OK && last.len) st = buf_append(out, last.data, last.len, err);
    buf_free(&last);
    buf_free(&next);
    return st;
}
