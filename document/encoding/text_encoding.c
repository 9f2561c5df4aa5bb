/* text_encoding.c - see text_encoding.h. */
#include "text_encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/ucnv.h>
#include <unicode/uset.h>

#include "ranges.h"
#include "utf8.h"

#define PIVOT_UNITS 1024
#define CHUNK_BYTES ((size_t)4096)
#define PART_BYTES  ((size_t)1 << 16)

/* A conversion from one encoding to another by way of UTF-16, the pivot. */
typedef struct {
    UConverter *from, *to;
    UChar pivot[PIVOT_UNITS];
    UChar *begin, *end; /* the units in the pivot that are not converted yet */
} Conversion;

struct TextEncoding {
    char name[ENCODING_NAME];
    UConverter *own, *utf8; /* each keeps one state per direction, so both conversions can share them */
    USet *held;             /* the characters that the encoding has */
    Conversion decoding, encoding;
};

void text_encoding_set_name(char name[ENCODING_NAME], const char *text, size_t length)
{
    const Range range = ranges_trimmed(text, (Range){ 0, length });

    length = range.end - range.begin;
    if (length >= ENCODING_NAME) length = ENCODING_NAME - 1;
    memcpy(name, text + range.begin, length);
    name[length] = '\0';
}

Status text_encoding_kind(EncodingKind *out, const char *name, Err *err)
{
    /* With other characters, ICU could take the name for a path or options. */
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:+()";
    const size_t length = strlen(name);
    UErrorCode code = U_ZERO_ERROR;
    UConverter *converter;
    UConverterType type;

    *out = ENCODING_UNKNOWN;
    if (!length || length >= ENCODING_NAME || strspn(name, letters) < length) return OK;
    converter = ucnv_countAliases(name, &code) ? ucnv_open(name, &code) : NULL;
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "an encoding");
    if (!converter) return OK;
    type = ucnv_getType(converter);
    ucnv_close(converter);
    *out = type == UCNV_UTF8    ? ENCODING_UTF8
           : type == UCNV_UTF16 ? ENCODING_UTF16
           : type == UCNV_UTF32 ? ENCODING_UTF32
                                : ENCODING_OTHER;
    return OK;
}

/* Opens a converter that stops at characters that it cannot convert. Returns NULL on failure. */
static UConverter *open_converter(const char *name, UErrorCode *code)
{
    UConverter *converter = ucnv_open(name, code);

    if (U_FAILURE(*code)) return NULL;
    ucnv_setToUCallBack(converter, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL, code);
    ucnv_setFromUCallBack(converter, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, code);
    ucnv_setFallback(converter, false);
    return converter;
}

static void start(Conversion *c)
{
    ucnv_resetToUnicode(c->from);
    ucnv_resetFromUnicode(c->to);
    c->begin = c->end = c->pivot;
}

Status text_encoding_open(TextEncoding **out, const char *name, Err *err)
{
    TextEncoding *e = calloc(1, sizeof *e);
    UErrorCode code = U_ZERO_ERROR;

    *out = NULL;
    if (!e) return err_memory(err, "an encoding");
    snprintf(e->name, sizeof e->name, "%s", name);
    e->own = open_converter(e->name, &code);
    e->utf8 = open_converter("UTF-8", &code);
    e->held = uset_openEmpty();
    if (U_SUCCESS(code) && !e->held) code = U_MEMORY_ALLOCATION_ERROR;
    if (U_SUCCESS(code)) {
        ucnv_getUnicodeSet(e->own, e->held, UCNV_ROUNDTRIP_SET, &code);
        uset_freeze(e->held);
        if (U_SUCCESS(code) && !uset_isFrozen(e->held)) code = U_MEMORY_ALLOCATION_ERROR; /* the set may be empty now */
        e->decoding.from = e->encoding.to = e->own;
        e->decoding.to = e->encoding.from = e->utf8;
        start(&e->decoding);
        start(&e->encoding);
    }
    if (U_FAILURE(code)) {
        text_encoding_free(e);
        if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "an encoding");
        return err_set(err, ERR_UNSUPPORTED, "the encoding %s is not supported", name);
    }
    *out = e;
    return OK;
}

void text_encoding_free(TextEncoding *e)
{
    if (!e) return;
    if (e->own) ucnv_close(e->own);
    if (e->utf8) ucnv_close(e->utf8);
    if (e->held) uset_close(e->held);
    free(e);
}

const char *text_encoding_name(const TextEncoding *e)
{
    return e->name;
}

bool text_encoding_holds(const TextEncoding *e, uint32_t code)
{
    return !e || uset_contains(e->held, (UChar32)code);
}

/* Converts text[0..length) and appends the result. At a character that cannot be converted, stops and sets *code to a
 * failure. `is_last`: the text is the end of the document. */
static Status convert(Conversion *c, const char *text, size_t length, bool is_last, Buf *out, UErrorCode *code,
                      Err *err)
{
    const char *end = text + length;
    char chunk[CHUNK_BYTES];
    Status st = OK;

    do {
        char *to = chunk;
        *code = U_ZERO_ERROR;
        ucnv_convertEx(c->to, c->from, &to, chunk + sizeof chunk, &text, end, c->pivot, &c->begin, &c->end,
                       c->pivot + PIVOT_UNITS, false, is_last, code);
        buf_put(out, chunk, (size_t)(to - chunk));
        st = buf_check(out, err);
    } while (st == OK && *code == U_BUFFER_OVERFLOW_ERROR);
    return st;
}

/* Returns the line where the conversion has stopped: counts the newlines in its result `text` and in the pivot. */
static size_t line_of(const Conversion *c, const Buf *text)
{
    size_t line = 1;

    for (size_t i = 0; i < text->len; i++) line += text->data[i] == '\n';
    for (const UChar *unit = c->begin; unit < c->end; unit++) line += *unit == '\n';
    return line;
}

static Status decode_parts(TextEncoding *e, const DocumentFile *file, size_t limit, Buf *out, Err *err)
{
    Status st = OK;

    start(&e->decoding);
    for (size_t at = 0; st == OK && at < file->size;) {
        const size_t length = file->size - at < PART_BYTES ? file->size - at : PART_BYTES;
        UErrorCode code;
        st = convert(&e->decoding, file->bytes + at, length, at + length == file->size, out, &code, err);
        if (st == OK && U_FAILURE(code))
            st = err_set(err, ERR_FORMAT, "%s:%zu: not valid %s", file->name, line_of(&e->decoding, out), e->name);
        if (st == OK && out->len > limit)
            st = err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                         file->name, limit >> 20);
        at += length;
    }
    return st;
}

/* Reports that byte `at` of the file would change when the text is converted back. */
static Status refuse_byte(TextEncoding *e, const DocumentFile *file, size_t at, Err *err)
{
    const DocumentFile before = { file->name, file->bytes, at };
    Buf text = { 0 };

    (void)decode_parts(e, &before, SIZE_MAX, &text, err);
    (void)err_set(err, ERR_FORMAT,
                  "%s:%zu: these bytes would change when they are written in %s again; convert the document to UTF-8",
                  file->name, line_of(&e->decoding, &text), e->name);
    buf_free(&text);
    return ERR_FORMAT;
}

Status text_encoding_decode(TextEncoding *e, const DocumentFile *file, size_t limit, Buf *out, Err *err)
{
    size_t at = out->len, compared = 0;
    bool is_last = false;
    Buf made = { 0 };
    Status st = decode_parts(e, file, limit, out, err);

    start(&e->encoding);
    while (st == OK && !is_last) { /* converts the text back, and compares the result with the file */
        const size_t size = out->len - at < PART_BYTES ? out->len - at : PART_BYTES;
        is_last = at + size == out->len;
        made.len = 0;
        st = text_encoding_append(e, size ? out->data + at : "", size, is_last, &made, err);
        if (st == ERR_FORMAT) st = refuse_byte(e, file, compared + made.len, err);
        for (size_t i = 0; st == OK && i < made.len; i++, compared++)
            if (compared == file->size || made.data[i] != file->bytes[compared])
                st = refuse_byte(e, file, compared, err);
        at += size;
    }
    if (st == OK && compared < file->size) st = refuse_byte(e, file, compared, err);
    buf_free(&made);
    start(&e->encoding);
    return st;
}

Status text_encoding_append(TextEncoding *e, const char *text, size_t length, bool is_last, Buf *out, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    Status st = length || is_last ? convert(&e->encoding, length ? text : "", length, is_last, out, &code, err) : OK;

    if (st == OK && U_FAILURE(code)) { /* the conversion has stopped at a character */
        UChar units[8];
        int8_t count = sizeof units / sizeof *units;
        unsigned character = 0xfffd;
        code = U_ZERO_ERROR;
        ucnv_getInvalidUChars(e->own, units, &count, &code);
        if (U_SUCCESS(code) && count) character = units[0];
        if (count > 1 && (units[0] & 0xfc00) == 0xd800)
            character = 0x10000 + ((units[0] & 0x3ffu) << 10) + (units[1] & 0x3ffu);
        st = err_set(err, ERR_FORMAT, "the encoding %s has no U+%04X", e->name, character);
    }
    if (is_last) start(&e->encoding);
    return st;
}
