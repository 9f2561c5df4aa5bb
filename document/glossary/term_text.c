/* term_text.c - see term_text.h. */
#include "term_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "utf8.h"

/* --- Where words begin and end ----------------------------------------------- */

typedef enum { CLASS_SPACE, CLASS_WORD, CLASS_UNSPACED, CLASS_EXTENDER, CLASS_OTHER } CharClass;

/* An extender belongs to the word before it: marks, and characters that are not shown, such as the soft hyphen. */
static CharClass class_of(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UChar32 c = (UChar32)code;

    if (code < 0x80 && (u_isalnum(c) || code == '_')) return CLASS_WORD;
    if (utf8_is_space(code)) return CLASS_SPACE;
    if (code < 0x80) return CLASS_OTHER;
    if ((U_GET_GC_MASK(c) & U_GC_M_MASK) || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
        return CLASS_EXTENDER;
    if (!u_isalnum(c)) return CLASS_OTHER;
    return uscript_breaksBetweenLetters(uscript_getScript(c, &fault)) ? CLASS_UNSPACED : CLASS_WORD;
}

/* Returns the end of the word at `begin`, which is not white space. */
static size_t word_end(const char *text, size_t length, size_t begin, CharClass *first)
{
    uint32_t code;
    size_t at = begin + utf8_next(text + begin, length - begin, &code);

    *first = class_of(code);
    while (at < length) {
        const size_t used = utf8_next(text + at, length - at, &code);
        const CharClass next = class_of(code);
        if (next != CLASS_EXTENDER && !(next == CLASS_WORD && *first == CLASS_WORD)) break;
        at += used;
    }
    return at;
}

/* --- Keys -------------------------------------------------------------------- */

static Status icu_fault(UErrorCode fault, Err *err)
{
    if (fault == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the words of a text");
    return err_set(err, ERR_IO, "ICU cannot normalize a text: %s; are its data files complete?", u_errorName(fault));
}

/* Appends UTF-16 as UTF-8. */
static Status append_units(Buf *out, const UChar *units, size_t count, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count;) {
        char bytes[4];
        UChar32 code;
        U16_NEXT(units, i, count, code);
        st = buf_append(out, bytes, utf8_put((uint32_t)code, bytes), err);
    }
    return st;
}

/* Appends a normalized form of t->units[0..count). */
static Status append_normalized(TermText *t, const UNormalizer2 *form, size_t count, Buf *out, Err *err)
{
    for (;;) {
        UErrorCode fault = U_ZERO_ERROR;
        const int32_t needed =
            unorm2_normalize(form, t->units, (int32_t)count, t->folded, (int32_t)t->folded_capacity, &fault);
        Status st;
        if (U_SUCCESS(fault)) return append_units(out, t->folded, (size_t)needed, err);
        if (fault != U_BUFFER_OVERFLOW_ERROR) return icu_fault(fault, err);
        st = buf_grow_list(&t->folded, &t->folded_capacity, 0, (size_t)needed, sizeof *t->folded, "a word", err);
        if (st != OK) return st;
    }
}

/* Appends both forms of a word with other characters than ASCII. */
static Status append_forms(TermText *t, const char *word, size_t length, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UNormalizer2 *composed = unorm2_getNFCInstance(&fault), *folding = unorm2_getNFKCCasefoldInstance(&fault);
    int32_t count;
    Status st;

    if (U_FAILURE(fault)) return icu_fault(fault, err);
    if (length > INT_MAX / 4) return err_set(err, ERR_FORMAT, "a word of %zu bytes is too long", length);
    st = buf_grow_list(&t->units, &t->unit_capacity, 0, length, sizeof *t->units, "a word", err);
    if (st != OK) return st;
    u_strFromUTF8(t->units, (int32_t)t->unit_capacity, &count, word, (int32_t)length, &fault);
    if (U_FAILURE(fault)) return icu_fault(fault, err);
    st = append_normalized(t, composed, (size_t)count, &t->keys[KEY_EXACT], err);
    return st == OK ? append_normalized(t, folding, (size_t)count, &t->keys[KEY_FOLDED], err) : st;
}

static bool is_ascii(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)word[i] >= 0x80) return false;
    return true;
}

static Status append_ascii(TermText *t, const char *word, size_t length, Err *err)
{
    Buf *folded = &t->keys[KEY_FOLDED];
    const size_t begin = folded->len;
    Status st = buf_append(&t->keys[KEY_EXACT], word, length, err);

    if (st == OK) st = buf_append(folded, word, length, err);
    for (size_t i = begin; st == OK && i < folded->len; i++)
        if (folded->data[i] >= 'A' && folded->data[i] <= 'Z') folded->data[i] = (char)(folded->data[i] + 'a' - 'A');
    return st;
}

/* Appends the keys of a word. */
static Status append_keys(TermText *t, TermWord *word, const char *text, bool has_stem, Stemmer *stemmer, Err *err)
{
    const char *bytes = text + word->place.begin;
    const size_t length = word->place.end - word->place.begin;
    Status st;

    for (int i = 0; i < KEYS; i++) word->key[i].begin = t->keys[i].len;
    st = is_ascii(bytes, length) ? append_ascii(t, bytes, length, err) : append_forms(t, bytes, length, err);
    if (st == OK)
        st = buf_append_text(&t->keys[KEY_FOLDED], "", err); /* allocates, even if all words fold to nothing */
    if (st == OK)
        st = stemmer_append(has_stem ? stemmer : NULL, t->keys[KEY_FOLDED].data + word->key[KEY_FOLDED].begin,
                            t->keys[KEY_FOLDED].len - word->key[KEY_FOLDED].begin, &t->keys[KEY_STEMMED], err);
    for (int i = 0; i < KEYS; i++) word->key[i].end = t->keys[i].len;
    return st;
}

/* --- Texts ------------------------------------------------------------------- */

static Status add_word(TermText *t, const char *text, size_t begin, size_t length, Stemmer *stemmer, Err *err)
{
    CharClass first;
    TermWord word = { .place = { begin, 0 } };
    Status st;

    word.place.end = word_end(text, length, begin, &first);
    word.is_unspaced = first == CLASS_UNSPACED;
    st = append_keys(t, &word, text, first == CLASS_WORD, stemmer, err);
    word.is_barrier = word.key[KEY_FOLDED].begin == word.key[KEY_FOLDED].end;
    if (st == OK) st = buf_grow_list(&t->words, &t->capacity, t->count, 1, sizeof *t->words, "the words", err);
    if (st == OK) t->words[t->count++] = word;
    return st;
}

static Status add_space(TermText *t, Err *err)
{
    Status st = OK;

    for (int i = 0; st == OK && i < KEYS; i++) st = buf_append(&t->keys[i], " ", 1, err);
    return st;
}

static void mark_kept(TermText *t, const Range *kept, size_t count)
{
    for (size_t i = 0, k = 0; i < t->count; i++) {
        TermWord *word = &t->words[i];
        while (k < count && kept[k].end <= word->place.begin) {
            word->is_apart = true;
            k++;
        }
        if (k < count && kept[k].begin < word->place.end) word->is_barrier = true;
    }
}

Status term_text_read(TermText *t, const char *text, size_t length, const Range *kept, size_t kept_count,
                      Stemmer *stemmer, Err *err)
{
    Status st = OK;

    t->count = 0;
    for (int i = 0; i < KEYS; i++) buf_reuse(&t->keys[i]);
    for (size_t at = 0; st == OK && at < length;) {
        const size_t space = utf8_leading_space(text + at, length - at);
        at += space;
        if (at == length) break;
        if (space && t->count) st = add_space(t, err);
        if (st == OK) st = add_word(t, text, at, length, stemmer, err);
        if (st == OK) at = t->words[t->count - 1].place.end;
    }
    mark_kept(t, kept, kept_count);
    return st;
}

void term_text_free(TermText *t)
{
    for (int i = 0; i < KEYS; i++) buf_free(&t->keys[i]);
    free(t->words);
    free(t->units);
    free(t->folded);
    *t = (TermText){ 0 };
}

TermKey term_text_key(const TermText *t, KeyKind kind, size_t first, size_t count)
{
    const size_t begin = t->words[first].key[kind].begin;

    return (TermKey){ t->keys[kind].data + begin, t->words[first + count - 1].key[kind].end - begin };
}
