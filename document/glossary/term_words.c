/* term_words.c - see term_words.h. */
#include "term_words.h"

#include <limits.h>
#include <stdlib.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

#include "chars.h"
#include "utf8.h"

/* --- Where words begin and end. */

typedef enum { CLASS_SPACE, CLASS_WORD, CLASS_UNSPACED, CLASS_EXTENDER, CLASS_OTHER } CharClass;

/* Extenders belong to the word before them: marks, and invisible characters such as the soft hyphen. */
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

/* --- Keys. */

/* `what` completes the message: "find words". */
Status term_words_fault(UErrorCode fault, const char *what, Err *err)
{
    if (fault == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the words of a text");
    return err_set(err, ERR_IO, "ICU cannot %s: %s; are its data files complete?", what, u_errorName(fault));
}

/* Appends a normalized form of t->units[0..count). */
static Status append_normalized(TermWords *t, const UNormalizer2 *form, size_t count, Buf *out, Err *err)
{
    for (;;) {
        UErrorCode fault = U_ZERO_ERROR;
        const int32_t needed =
            unorm2_normalize(form, t->units, (int32_t)count, t->folded, (int32_t)t->folded_capacity, &fault);
        Status st;
        if (U_SUCCESS(fault)) {
            for (size_t i = 0; i < (size_t)needed;) { /* converts UTF-16 to UTF-8 */
                char bytes[4];
                UChar32 code;
                U16_NEXT(t->folded, i, (size_t)needed, code);
                buf_put(out, bytes, utf8_put((uint32_t)code, bytes));
            }
            return OK;
        }
        if (fault != U_BUFFER_OVERFLOW_ERROR) return term_words_fault(fault, "normalize a text", err);
        st = buf_grow_list(&t->folded, &t->folded_capacity, 0, (size_t)needed, sizeof *t->folded, "a word", err);
        if (st != OK) return st;
    }
}

/* Appends the exact and the folded form of a word that has characters outside ASCII. */
static Status append_forms(TermWords *t, const char *word, size_t length, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UNormalizer2 *composed = unorm2_getNFCInstance(&fault), *folding = unorm2_getNFKCCasefoldInstance(&fault);
    int32_t count;
    Status st;

    if (U_FAILURE(fault)) return term_words_fault(fault, "normalize a text", err);
    if (length > INT_MAX / 4) return err_set(err, ERR_FORMAT, "a word of %zu bytes is too long", length);
    st = buf_grow_list(&t->units, &t->unit_capacity, 0, length, sizeof *t->units, "a word", err);
    if (st != OK) return st;
    u_strFromUTF8(t->units, (int32_t)t->unit_capacity, &count, word, (int32_t)length, &fault);
    if (U_FAILURE(fault)) return term_words_fault(fault, "normalize a text", err);
    st = append_normalized(t, composed, (size_t)count, &t->keys[KEY_EXACT], err);
    return st == OK ? append_normalized(t, folding, (size_t)count, &t->keys[KEY_FOLDED], err) : st;
}

/* Appends the keys of a word. */
static Status append_keys(TermWords *t, TermWord *word, const char *text, bool has_stem, Stemmer *stemmer, Err *err)
{
    const char *bytes = text + word->place.begin;
    const size_t length = word->place.end - word->place.begin;
    Buf *folded = &t->keys[KEY_FOLDED];
    bool is_ascii = true;
    Status st = OK;

    for (int i = 0; i < KEYS; i++) word->key[i].begin = t->keys[i].len;
    for (size_t i = 0; i < length && is_ascii; i++) is_ascii = (unsigned char)bytes[i] < 0x80;
    if (is_ascii) {
        buf_put(&t->keys[KEY_EXACT], bytes, length);
        buf_put(folded, bytes, length);
        for (size_t i = word->key[KEY_FOLDED].begin; i < folded->len; i++)
            if (char_is_upper(folded->data[i])) folded->data[i] = (char)(folded->data[i] + 'a' - 'A');
    } else {
        st = append_forms(t, bytes, length, err);
    }
    buf_put_text(folded, ""); /* allocates, so that an empty form is "", not NULL */
    if (st == OK) st = buf_check(folded, err);
    if (st == OK) {
        const char *key = folded->data + word->key[KEY_FOLDED].begin;
        const size_t size = folded->len - word->key[KEY_FOLDED].begin;
        const bool is_stemmed = has_stem && stemmer;
        size_t stem_size = size;
        const char *stem = is_stemmed ? stemmer_find(stemmer, key, size, &stem_size) : key;
        if (!stem) return err_memory(err, "the stems of words");
        buf_put(&t->keys[KEY_STEMMED], stem, stem_size);
        st = buf_check(&t->keys[KEY_STEMMED], err);
    }
    for (int i = 0; i < KEYS; i++) word->key[i].end = t->keys[i].len;
    return st;
}

/* --- Texts. */

/* Reads text[0..length), valid UTF-8. The ranges `kept`, which are in order and do not overlap, are not translated:
 * words that touch one are barriers. If `stemmer` is NULL, the stem of a word is its folded form. */
Status term_words_read(TermWords *t, const char *text, size_t length, const Range *kept, size_t kept_count,
                       Stemmer *stemmer, Err *err)
{
    Status st = OK, memory;
    Err reason;

    t->len = 0;
    for (int i = 0; i < KEYS; i++) buf_reuse(&t->keys[i]);
    for (size_t at = 0, end; st == OK && at < length; at = end) {
        const size_t space = utf8_leading_space(text + at, length - at);
        TermWord word = { .place = { at + space, 0 } };
        CharClass first;
        if (word.place.begin == length) break;
        for (int i = 0; space && t->len && i < KEYS; i++) buf_put_byte(&t->keys[i], ' ');
        word.place.end = end = word_end(text, length, word.place.begin, &first);
        word.is_unspaced = first == CLASS_UNSPACED;
        st = append_keys(t, &word, text, first == CLASS_WORD, stemmer, err);
        word.is_barrier = word.key[KEY_FOLDED].begin == word.key[KEY_FOLDED].end;
        LIST_PUT(t, word);
    }
    for (size_t i = 0, k = 0; i < t->len; i++) {
        TermWord *word = &t->data[i];
        for (; k < kept_count && kept[k].end <= word->place.begin; k++) word->is_apart = true;
        if (k < kept_count && kept[k].begin < word->place.end) word->is_barrier = true;
    }
    for (int i = 0; i < KEYS; i++) t->failed |= buf_check(&t->keys[i], &reason) != OK;
    memory = LIST_CHECK(t, "the words", &reason);
    if (st == OK && memory != OK) st = err_memory(err, "the words");
    return st;
}

void term_words_free(TermWords *t)
{
    for (int i = 0; i < KEYS; i++) buf_free(&t->keys[i]);
    free(t->data);
    free(t->units);
    free(t->folded);
    *t = (TermWords){ 0 };
}

/* The key of words [first, first + count). */
LineText term_words_key(const TermWords *t, KeyKind kind, size_t first, size_t count)
{
    const size_t begin = t->data[first].key[kind].begin;

    return (LineText){ t->keys[kind].data + begin, t->data[first + count - 1].key[kind].end - begin };
}
