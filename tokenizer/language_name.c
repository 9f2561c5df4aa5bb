/* language_name.c - see language_name.h. Names are compared by their keys: the words of the name in lower case and
 * without accents, sorted. */
#include "language_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uldnames.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

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

static void make_key(Key *key, const UChar *name, int32_t len)
{
    UChar folded[4 * KEY_UNITS], parts[4 * KEY_UNITS], clean[4 * KEY_UNITS];
    Word words[KEY_WORDS + 1];
    UErrorCode code = U_ZERO_ERROR;
    size_t count;

    key->len = 0;
    len = u_strFoldCase(folded, 4 * KEY_UNITS, name, len < KEY_UNITS ? len : KEY_UNITS, U_FOLD_CASE_DEFAULT, &code);
    len =
        unorm2_normalize(unorm2_getNFKDInstance(&code), folded, U_SUCCESS(code) ? len : 0, parts, 4 * KEY_UNITS, &code);
    if (U_FAILURE(code)) return;
    count = split_words(words, clean, parts, len);
    qsort(words, count, sizeof *words, compare_words);
    join_words(key, words, count);
}

static void make_user_key(Key *key, const char *name)
{
    UChar text[4 * KEY_UNITS];
    int32_t len = 0;
    UErrorCode code = U_ZERO_ERROR;

    u_strFromUTF8WithSub(text, 4 * KEY_UNITS, &len, name, -1, 0xfffd, NULL, &code);
    make_key(key, text, U_SUCCESS(code) ? len : 0);
}

static bool same_key(const Key *a, const Key *b)
{
    return a->len > 0 && a->len == b->len && u_memcmp(a->text, b->text, a->len) == 0;
}

/* An ICU function that names a locale. */
typedef int32_t NameOf(const char *locale, const char *in, UChar *name, int32_t room, UErrorCode *code);

/* "Simplified Chinese" instead of "Chinese (Simplified)". */
static int32_t dialect_name(const char *locale, const char *in, UChar *name, int32_t room, UErrorCode *code)
{
    ULocaleDisplayNames *names = uldn_open(in, ULDN_DIALECT_NAMES, code);
    int32_t len = U_SUCCESS(*code) ? uldn_localeDisplayName(names, locale, name, room, code) : 0;

    uldn_close(names);
    return len;
}

static bool key_of(Key *key, NameOf *name_of, const char *locale, const char *in)
{
    UChar name[2 * KEY_UNITS];
    UErrorCode code = U_ZERO_ERROR;
    int32_t len = name_of(locale, in, name, 2 * KEY_UNITS, &code);

    key->len = 0;
    if (U_SUCCESS(code) && len <= 2 * KEY_UNITS) make_key(key, name, len);
    return key->len > 0;
}

static bool has_name(const char *locale, const Key *wanted)
{
    static NameOf *const names[] = { uloc_getDisplayName, dialect_name };
    Key key;

    for (size_t i = 0; i < 2; i++) {
        if (key_of(&key, names[i], locale, "en") && same_key(&key, wanted)) return true;
        if (key_of(&key, names[i], locale, locale) && same_key(&key, wanted)) return true;
    }
    return false;
}

static void add(LanguageTag *out, size_t *count, size_t most, const char *locale)
{
    LanguageTag tag;

    if (*count == most || !language_tag_parse(&tag, locale)) return;
    for (size_t i = 0; i < *count; i++)
        if (language_tag_equal(&out[i], &tag)) return;
    out[(*count)++] = tag;
}

size_t language_name_find(const char *name, LanguageTag *out, size_t most)
{
    const char *const *codes = uloc_getISOLanguages();
    Key wanted, key;
    size_t count = 0;

    make_user_key(&wanted, name);
    if (!wanted.len) return 0;
    for (int32_t i = 0; i < uloc_countAvailable(); i++)
        if (has_name(uloc_getAvailable(i), &wanted)) add(out, &count, most, uloc_getAvailable(i));
    for (; *codes; codes++)
        if (key_of(&key, uloc_getDisplayLanguage, *codes, "en") && same_key(&key, &wanted))
            add(out, &count, most, *codes);
    return count;
}

bool language_name_is(const LanguageTag *tag, const char *name)
{
    char locale[LANGUAGE_TAG_BYTES];
    Key wanted, key;

    language_tag_print(tag, locale);
    make_user_key(&wanted, name);
    if (key_of(&key, uloc_getDisplayName, locale, "en") && same_key(&key, &wanted)) return true;
    return key_of(&key, dialect_name, locale, "en") && same_key(&key, &wanted);
}

/* The Levenshtein distance. */
static size_t edits(const Key *a, const Key *b)
{
    size_t row[KEY_UNITS + 1];

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

size_t language_name_distance(const LanguageTag *tag, const char *name)
{
    const char *const places[] = { "en", tag->language };
    Key wanted, key;
    size_t least = SIZE_MAX;

    make_user_key(&wanted, name);
    for (size_t i = 0; i < 2; i++) {
        size_t distance;
        if (!key_of(&key, uloc_getDisplayLanguage, tag->language, places[i])) continue;
        distance = wanted.len >= 4 && has_word(&key, &wanted) ? 1 : edits(&wanted, &key);
        if (distance * 3 <= (size_t)wanted.len && wanted.len >= 4 && distance < least) least = distance;
    }
    return least;
}

void language_name_english(const LanguageTag *tag, char out[LANGUAGE_NAME_BYTES])
{
    UChar name[LANGUAGE_NAME_BYTES];
    UErrorCode code = U_ZERO_ERROR;

    uloc_getDisplayLanguage(tag->language, "en", name, LANGUAGE_NAME_BYTES, &code);
    u_strToUTF8(out, LANGUAGE_NAME_BYTES, NULL, name, -1, &code);
    if (U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING) out[0] = '\0';
}
