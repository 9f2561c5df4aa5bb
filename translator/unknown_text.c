/* unknown_text.c - see unknown_text.h. */
#include "unknown_text.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "kept_parts.h"
#include "utf8.h"

#define RAISED_LETTERS 3 /* the most letters that belong to a raised digit */

typedef struct {
    LineText text;
    const Tokenizer *tokenizer;
    bool spells;
    RangeList *parts;
} Finder;

/* Dashes and quotation marks are in any text, and models replace those that they do not know. */
static bool may_be_unknown(const Finder *f, uint32_t code)
{
    const uint32_t kind = U_GET_GC_MASK((UChar32)code);
    UErrorCode error = U_ZERO_ERROR;

    if (code < 0x80) return code == '^' || code == '|' || code == '~';
    if (kind & (U_GC_Z_MASK | U_GC_C_MASK | U_GC_PD_MASK | U_GC_PI_MASK | U_GC_PF_MASK)) return false;
    return !f->spells || !(kind & U_GC_L_MASK) || uscript_getScript((UChar32)code, &error) != USCRIPT_LATIN;
}

static bool is_mark(uint32_t code)
{
    return (U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK) != 0;
}

/* Raised and lowered digits with their signs, and fractions. */
static bool is_raised(uint32_t code)
{
    return code >= 0x80 && (U_GET_GC_MASK((UChar32)code) & U_GC_NO_MASK || (code >= 0x2070 && code < 0x20a0));
}

/* The character at byte `at` with the marks on it. */
static size_t character_end(LineText text, size_t at, uint32_t *code)
{
    size_t end = at + utf8_next(text.data + at, text.len - at, code);

    while (end < text.len) {
        uint32_t next;
        const size_t size = utf8_next(text.data + end, text.len - end, &next);
        if (!is_mark(next)) break;
        end += size;
    }
    return end;
}

static Status is_unknown(bool *out, const Finder *f, ByteRange character, Err *err)
{
    float cost;
    Status st = tokenizer_word_cost(f->tokenizer, false, f->text.data + character.begin,
                                    character.end - character.begin, &cost, err);

    *out = st == OK && cost >= TOKENIZER_UNKNOWN_COST;
    return st;
}

/* Adds the part, or makes it one with the part that it follows. */
static Status add(RangeList *parts, ByteRange part, Err *err)
{
    if (!parts->len || parts->data[parts->len - 1].end < part.begin) return ranges_append(parts, part, 1, err);
    parts->data[parts->len - 1].end = part.end;
    return OK;
}

/* The end of the letters, digits and raised characters from byte `at` on; *letters: how many letters they are. */
static size_t word_end(LineText text, size_t at, size_t *letters)
{
    for (*letters = 0; at < text.len;) {
        uint32_t code;
        const size_t end = character_end(text, at, &code);
        if (!kept_parts_is_letter(code) && !is_raised(code)) break;
        *letters += u_isalpha((UChar32)code) != 0;
        at = end;
    }
    return at;
}

/* The end of the digits at byte `at`; `at` if separators follow. */
static size_t amount_end(LineText text, size_t at)
{
    size_t end = at;

    while (end < text.len && text.data[end] >= '0' && text.data[end] <= '9') end++;
    if (end + 1 < text.len && (text.data[end] == '.' || text.data[end] == ',') && text.data[end + 1] >= '0' &&
        text.data[end + 1] <= '9')
        return at;
    return end;
}

/* Where the digits before byte `at` begin, which are those from `word` on; `at` if separators are in their number. */
static size_t amount_begin(LineText text, size_t word, size_t at)
{
    for (size_t i = word; i < at; i++)
        if (text.data[i] < '0' || text.data[i] > '9') return at;
    return word && (text.data[word - 1] == '.' || text.data[word - 1] == ',') ? at : word;
}

/* Adds the character if it is unknown. `word`: where the word begins; *end: where to go on. */
static Status add_character(const Finder *f, ByteRange character, uint32_t code, size_t word, size_t *end, Err *err)
{
    const bool is_sign = (code >= 0x80 && !kept_parts_is_letter(code)) || code == '~';
    bool unknown;
    Status st = is_unknown(&unknown, f, character, err);

    if (st != OK || !unknown) return st;
    if (is_sign) {
        character.begin = amount_begin(f->text, word, character.begin);
        *end = amount_end(f->text, character.end);
    }
    return add(f->parts, (ByteRange){ character.begin, *end }, err);
}

/* Adds the raised character, with its word if that is short. `word`: where the word begins. */
static Status add_raised(const Finder *f, ByteRange character, size_t word, size_t *end, Err *err)
{
    size_t letters;
    const size_t whole = word_end(f->text, word, &letters);

    if (letters > RAISED_LETTERS) return add(f->parts, character, err);
    *end = whole;
    while (f->parts->len && f->parts->data[f->parts->len - 1].end > word) f->parts->len--; /* its letters */
    return add(f->parts, (ByteRange){ word, whole }, err);
}

Status unknown_text_find(RangeList *parts, LineText text, const Tokenizer *tokenizer, Err *err)
{
    const Finder f = { text, tokenizer, tokenizer_source_spells(tokenizer), parts };
    size_t word = 0; /* the begin of the word at `at`, or `at` */
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < text.len; at = end) {
        uint32_t code;
        const ByteRange character = { at, end = character_end(text, at, &code) };
        if (is_raised(code))
            st = add_raised(&f, character, word, &end, err);
        else if (may_be_unknown(&f, code))
            st = add_character(&f, character, code, word, &end, err);
        if (!kept_parts_is_letter(code) && !is_raised(code)) word = end;
    }
    return st;
}
