/* language_name.c - see language_name.h. Names are compared by their keys: the words of the name in lower case and
 * without accents, sorted. */
#include "language_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uenum.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "locale_name.h"

#define KEY_UNITS 96 /* longer names are truncated */
#define KEY_WORDS 12

typedef struct {
    UChar text[KEY_UNITS];
    int32_t len;
} Key;

typedef struct {
    const UChar *text;
    int32_t len;
} Word;

static int compare_words(const void *a, const void *b)
{
    const Word *x = a, *y = b;

    return u_strCompare(x->text, x->len, y->text, y->len, true);
}

static bool is_accent(UChar unit)
{
    return unit >= 0x300 && unit < 0x370;
}

/* Splits text[0, len) into words without accents; they point into `clean`. */
static size_t split_words(Word *words, UChar *clean, const UChar *text, int32_t len)
{
    size_t count = 0;
    int32_t used = 0;
    bool inside = false;

    for (int32_t i = 0; i < len && count < KEY_WORDS;) {
        int32_t first = i;
        UChar32 code;
        U16_NEXT(text, i, len, code);
        if (is_accent(text[first])) continue;
        if (!u_isalnum(code) && u_charType(code) != U_NON_SPACING_MARK &&
            u_charType(code) != U_COMBINING_SPACING_MARK) {
            count += inside;
            inside = false;
            continue;
        }
        if (!inside) words[count] = (Word){ clean + used, 0 };
        inside = true;
        u_memcpy(clean + used, text + first, i - first);
        used += i - first;
        words[count].len += i - first;
    }
    return count + (inside && count < KEY_WORDS);
}

static void join_words(Key *key, const Word *words, size_t count)
{
    key->len = 0;
    for (size_t i = 0; i < count && key->len + words[i].len + 1 < KEY_UNITS; i++) {
        if (i) key->text[key->len++] = ' ';
        u_memcpy(key->text + key->len, words[i].text, words[i].len);
        key->len += words[i].len;
    }
}

static Status make_key(Key *key, const UChar *name, int32_t len, Err *err)
{
    UChar folded[4 * KEY_UNITS], parts[4 * KEY_UNITS], clean[4 * KEY_UNITS];
    Word words[KEY_WORDS + 1];
    UErrorCode code = U_ZERO_ERROR;
    size_t count;

    key->len = 0;
    len = u_strFoldCase(folded, 4 * KEY_UNITS, name, len < KEY_UNITS ? len : KEY_UNITS, U_FOLD_CASE_DEFAULT, &code);
    len =
        unorm2_normalize(unorm2_getNFKDInstance(&code), folded, U_SUCCESS(code) ? len : 0, parts, 4 * KEY_UNITS, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code)) return OK;
    count = split_words(words, clean, parts, len);
    qsort(words, count, sizeof *words, compare_words);
    join_words(key, words, count);
    return OK;
}

static Status make_user_key(Key *key, const char *name, Err *err)
{
    UChar text[4 * KEY_UNITS];
    int32_t len = 0;
    UErrorCode code = U_ZERO_ERROR;

    u_strFromUTF8WithSub(text, 4 * KEY_UNITS, &len, name, -1, 0xfffd, NULL, &code);
    return make_key(key, text, U_SUCCESS(code) ? len : 0, err);
}

static bool same_key(const Key *a, const Key *b)
{
    return a->len > 0 && a->len == b->len && u_memcmp(a->text, b->text, a->len) == 0;
}

/* A name of a locale in the language of another one. */
typedef struct {
    LocaleNameKind kind;
    const char *locale, *in;
} NameOf;

static Status key_of(Key *key, NameOf of, Err *err)
{
    LocaleName name;
    Status st = locale_name_read(&name, of.kind, of.locale, of.in, err);

    key->len = 0;
    return st == OK ? make_key(key, name.text, name.len, err) : st;
}

/* *out is true if one of the names has this key. */
static Status any_is(bool *out, const NameOf *names, size_t count, const Key *wanted, Err *err)
{
    Status st = OK;
    Key key;

    *out = false;
    for (size_t i = 0; st == OK && !*out && i < count; i++) {
        st = key_of(&key, names[i], err);
        *out = st == OK && same_key(&key, wanted);
    }
    return st;
}

static Status locale_is(bool *out, const char *locale, const Key *wanted, Err *err)
{
    const NameOf names[] = { { LOCALE_NAME_FULL, locale, "en" },
                             { LOCALE_NAME_FULL, locale, locale },
                             { LOCALE_NAME_DIALECT, locale, "en" },
                             { LOCALE_NAME_DIALECT, locale, locale } };

    return any_is(out, names, sizeof names / sizeof *names, wanted, err);
}

static Status code_is(bool *out, const char *code, const Key *wanted, Err *err)
{
    return any_is(out, &(NameOf){ LOCALE_NAME_LANGUAGE, code, "en" }, 1, wanted, err);
}

/* The languages found so far. */
typedef struct {
    LanguageTag *items;
    size_t count, most;
} Found;

static Status add(Found *out, const char *locale, Err *err)
{
    LanguageTag tag;
    Status st = out->count < out->most ? language_tag_read(&tag, locale, err) : OK;

    if (st != OK || out->count == out->most || !tag.language[0]) return st;
    for (size_t i = 0; i < out->count; i++)
        if (language_tag_equal(&out->items[i], &tag)) return OK;
    out->items[out->count++] = tag;
    return OK;
}

static Status find_locales(Found *out, const Key *wanted, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    UEnumeration *locales = uloc_openAvailableByType(ULOC_AVAILABLE_DEFAULT, &code);
    const char *locale;
    Status st = OK;
    bool is;

    while (st == OK && (locale = uenum_next(locales, NULL, &code))) {
        st = locale_is(&is, locale, wanted, err);
        if (st == OK && is) st = add(out, locale, err);
    }
    uenum_close(locales);
    return st == OK && code == U_MEMORY_ALLOCATION_ERROR ? err_memory(err, "the names of languages") : st;
}

static Status find_codes(Found *out, const Key *wanted, Err *err)
{
    Status st = OK;
    bool is;

    for (const char *const *codes = uloc_getISOLanguages(); st == OK && *codes; codes++) {
        st = code_is(&is, *codes, wanted, err);
        if (st == OK && is) st = add(out, *codes, err);
    }
    return st;
}

Status language_name_find(LanguageTag *out, size_t most, size_t *count, const char *name, Err *err)
{
    Found found = { out, 0, most };
    Key wanted;
    Status st = make_user_key(&wanted, name, err);

    if (st == OK && wanted.len) st = find_locales(&found, &wanted, err);
    if (st == OK && wanted.len) st = find_codes(&found, &wanted, err);
    *count = found.count;
    return st;
}

Status language_name_is(bool *out, const LanguageTag *tag, const char *name, Err *err)
{
    char locale[LANGUAGE_TAG_BYTES];
    const NameOf names[] = { { LOCALE_NAME_FULL, locale, "en" }, { LOCALE_NAME_DIALECT, locale, "en" } };
    Key wanted;
    Status st = make_user_key(&wanted, name, err);

    *out = false;
    language_tag_print(tag, locale);
    return st == OK ? any_is(out, names, sizeof names / sizeof *names, &wanted, err) : st;
}

/* The Levenshtein distance. */
static size_t edits(const Key *a, const Key *b)
{
    size_t row[KEY_UNITS + 1] = { 0 };

    for (int32_t k = 0; k <= b->len; k++) row[k] = (size_t)k;
    for (int32_t i = 0; i < a->len; i++) {
        size_t corner = row[0];
        row[0] = (size_t)i + 1;
        for (int32_t k = 0; k < b->len; k++) {
            size_t best = corner + (a->text[i] != b->text[k]);
            corner = row[k + 1];
            if (corner + 1 < best) best = corner + 1;
            if (row[k] + 1 < best) best = row[k] + 1;
            row[k + 1] = best;
        }
    }
    return row[b->len];
}

/* True for a whole word: "mandarin" in "chinese mandarin". */
static bool has_word(const Key *key, const Key *word)
{
    for (int32_t i = 0; i + word->len <= key->len; i++) {
        int32_t end = i + word->len;
        if ((i == 0 || key->text[i - 1] == ' ') && (end == key->len || key->text[end] == ' ') &&
            u_memcmp(key->text + i, word->text, word->len) == 0)
            return true;
    }
    return false;
}

/* SIZE_MAX for names that differ by more than a third, and for short ones. */
static size_t distance_of(const Key *wanted, const Key *key)
{
    size_t distance;

    if (!key->len || wanted->len < 4) return SIZE_MAX;
    distance = has_word(key, wanted) ? 1 : edits(wanted, key);
    return distance * 3 <= (size_t)wanted->len ? distance : SIZE_MAX;
}

Status language_name_distance(size_t *out, const LanguageTag *tag, const char *name, Err *err)
{
    const char *const places[] = { "en", tag->language };
    Key wanted, key;
    Status st = make_user_key(&wanted, name, err);

    *out = SIZE_MAX;
    for (size_t i = 0; st == OK && i < 2; i++) {
        size_t distance;
        st = key_of(&key, (NameOf){ LOCALE_NAME_LANGUAGE, tag->language, places[i] }, err);
        distance = st == OK ? distance_of(&wanted, &key) : SIZE_MAX;
        if (distance < *out) *out = distance;
    }
    return st;
}

Status language_name_english(char out[LANGUAGE_NAME_BYTES], const LanguageTag *tag, Err *err)
{
    LocaleName name;
    UErrorCode code = U_ZERO_ERROR;
    Status st = locale_name_read(&name, LOCALE_NAME_LANGUAGE, tag->language, "en", err);

    out[0] = '\0';
    if (st != OK) return st;
    u_strToUTF8(out, LANGUAGE_NAME_BYTES, NULL, name.text, name.len, &code);
    if (U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING) out[0] = '\0';
    return OK;
}
