/* language.c - see language.h.
 * Names are compared by their keys: the words of the name in lower case and without accents, sorted. */
#include "language.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uenum.h>
#include <unicode/uldnames.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "text.h"

#define LONGEST           64  /* longer texts are not tags */
#define LOCALE_NAME_UNITS 192 /* longer names are not known */
#define KEY_UNITS         96  /* longer names are truncated */
#define KEY_WORDS         12
#define MOST_TAGS         8 /* upper limit for the languages that share a name */

/* --- Codes. --- */

#define CHINESE "zh zho chi cmn"

/* One language per row: its ISO 639-1 code, its ISO 639-2 code, and the other codes that models use for it: the
 * bibliographic code, an old one, or the main language of a group that ISO 639-1 names (zh: zho, chi, cmn). */
static const char *const languages[] = {
    /* clang-format off */
    "aa aar", "ab abk", "ae ave", "af afr", "ak aka", "am amh", "an arg", "ar ara arb", "as asm", "av ava", "ay aym ayr",
    "az aze azj", "ba bak", "be bel", "bg bul", "bh bih", "bi bis", "bm bam", "bn ben", "bo bod tib", "br bre",
    "bs bos", "ca cat", "ce che", "ch cha", "co cos", "cr cre", "cs ces cze", "cu chu", "cv chv", "cy cym wel",
    "da dan", "de deu ger", "dv div", "dz dzo", "ee ewe", "el ell gre", "en eng", "eo epo", "es spa", "et est ekk",
    "eu eus baq", "fa fas per pes", "ff ful fuv", "fi fin", "fj fij", "fo fao", "fr fra fre", "fy fry", "ga gle",
    "gd gla", "gl glg", "gn grn gug", "gu guj", "gv glv", "ha hau", "he heb iw", "hi hin", "ho hmo", "hr hrv",
    "ht hat", "hu hun", "hy hye arm", "hz her", "ia ina", "id ind in", "ie ile", "ig ibo", "ii iii", "ik ipk",
    "io ido", "is isl ice", "it ita", "iu iku", "ja jpn", "jv jav jw", "ka kat geo", "kg kon", "ki kik", "kj kua",
    "kk kaz", "kl kal", "km khm", "kn kan", "ko kor", "kr kau knc", "ks kas", "ku kur kmr", "kv kom", "kw cor", "ky kir",
    "la lat", "lb ltz", "lg lug", "li lim", "ln lin", "lo lao", "lt lit", "lu lub", "lv lav lvs", "mg mlg plt",
    "mh mah", "mi mri mao", "mk mkd mac", "ml mal", "mn mon khk", "mr mar", "ms msa may zsm zlm", "mt mlt",
    "my mya bur", "na nau", "nb nob", "nd nde", "ne nep npi", "ng ndo", "nl nld dut", "nn nno", "no nor nob",
    "nr nbl", "nv nav", "ny nya", "oc oci", "oj oji", "om orm gaz", "or ori ory", "os oss", "pa pan", "pi pli",
    "pl pol", "ps pus pbt", "pt por", "qu que quy", "rm roh", "rn run", "ro ron rum", "ru rus", "rw kin", "sa san",
    "sc srd", "sd snd",
    "se sme", "sg sag", "sh hbs", "si sin", "sk slk slo", "sl slv", "sm smo", "sn sna", "so som", "sq sqi alb als",
    "sr srp", "ss ssw", "st sot", "su sun", "sv swe", "sw swa swh", "ta tam", "te tel", "tg tgk", "th tha", "ti tir",
    "tk tuk", "tl tgl fil", "tn tsn", "to ton", "tr tur", "ts tso", "tt tat", "tw twi", "ty tah", "ug uig", "uk ukr",
    "ur urd", "uz uzb uzn", "ve ven", "vi vie", "vo vol", "wa wln", "wo wol", "xh xho", "yi yid ydd", "yo yor",
    "za zha", CHINESE, "zu zul", "ns nso",
    /* clang-format on */
};
#define LANGUAGES (sizeof languages / sizeof *languages)
/* A code is in at most two rows. */
#define ROWS_OF_CODE 2

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static bool same_code(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (a_len != b_len) return false;
    for (size_t i = 0; i < a_len; i++)
        if (fold(a[i]) != fold(b[i])) return false;
    return true;
}

bool language_equal(const char *a, const char *b)
{
    return same_code(a, strlen(a), b, strlen(b));
}

static bool row_has(const char *row, const char *code, size_t len)
{
    while (*row) {
        size_t word = strcspn(row, " ");
        if (same_code(row, word, code, len)) return true;
        row += word + (row[word] == ' ');
    }
    return false;
}

/* A code with its rows of the table, so that many names can be compared with it. */
typedef struct {
    const char *text;
    size_t len;
    const char *rows[ROWS_OF_CODE];
    size_t count; /* number of rows */
} Code;

static Code find_rows(const char *text, size_t len)
{
    Code code = { text, len, { NULL }, 0 };

    for (size_t i = 0; i < LANGUAGES && code.count < ROWS_OF_CODE; i++)
        if (row_has(languages[i], text, len)) code.rows[code.count++] = languages[i];
    return code;
}

static bool same_language(const Code *a, const char *b, size_t b_len)
{
    if (same_code(a->text, a->len, b, b_len)) return true;
    for (size_t i = 0; i < a->count; i++)
        if (row_has(a->rows[i], b, b_len)) return true;
    return false;
}

/* The length of the language in a code: "deu" in "deu_Latn". */
static size_t base_length(const char *code, size_t len)
{
    size_t base = strcspn(code, "_-");

    return base < len ? base : len;
}

/* True for Latn, DE and 419. */
static bool is_script_or_region(const char *part, size_t len)
{
    if (len < 2 || len > 4) return false;
    for (size_t i = 0; i < len; i++) {
        const char c = fold(part[i]);
        if (len == 3 ? c < '0' || c > '9' : c < 'a' || c > 'z') return false;
    }
    return true;
}

bool language_is_known(const char *code)
{
    const size_t len = strcspn(code, "_-");

    if (!find_rows(code, len).count) return false;
    for (code += len; *code; code += strcspn(code, "_-")) {
        code++;
        if (!is_script_or_region(code, strcspn(code, "_-"))) return false;
    }
    return true;
}

bool language_same(const char *a, const char *b)
{
    const size_t a_len = strlen(a), b_len = strlen(b), a_base = base_length(a, a_len), b_base = base_length(b, b_len);
    Code code = find_rows(a, a_len);

    if (same_language(&code, b, b_len)) return true;
    if (a_base < a_len && b_base < b_len) return false;
    code = find_rows(a, a_base);
    return same_language(&code, b, b_base);
}

/* The part after the language: a script of four letters, or a region. */
typedef struct {
    const char *text;
    size_t len;
} Suffix;

/* Some models distinguish simplified and traditional Chinese by script, others by region: a region becomes its script.
 * XX, which stands for any region, is dropped. */
static Suffix plain_suffix(const char *code, size_t len)
{
    static const char *const scripts[][2] = {
        { "CN", "Hans" }, { "SG", "Hans" }, { "TW", "Hant" }, { "HK", "Hant" }, { "MO", "Hant" }
    };
    const size_t base = base_length(code, len);
    const Suffix suffix = base < len ? (Suffix){ code + base + 1, len - base - 1 } : (Suffix){ "", 0 };

    if (same_code(suffix.text, suffix.len, "XX", 2)) return (Suffix){ "", 0 };
    if (!row_has(CHINESE, code, base)) return suffix;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (same_code(suffix.text, suffix.len, scripts[i][0], 2)) return (Suffix){ scripts[i][1], 4 };
    return suffix;
}

/* How a name matches the wanted language, best first. AS_WRITTEN: the same text, which may look like a token (__de__).
 * EXACTLY: the same code. BY_ANOTHER_CODE: another code of the same language. IN_SOME_SCRIPT: the same language, if the
 * user gave no script or region. IN_THE_SAME_SCRIPT: the same language and script or region (zh_TW is zh_Hant rather
 * than zh). WITHOUT_CONTRADICTION: the same language; one side gives a script, the other a region or nothing (eng_Latn,
 * en_XX, en). */
enum { AS_WRITTEN, EXACTLY, BY_ANOTHER_CODE, IN_SOME_SCRIPT, IN_THE_SAME_SCRIPT, WITHOUT_CONTRADICTION, WAYS };

/* The language that the user asks for. Its code may have been written as a token (>>de<<). */
typedef struct {
    const char *text;
    Code code, base; /* the whole code; the code without script and region */
    Suffix suffix;
} Wanted;

/* A model may have hundreds of names, and each line may begin with a code, so the slowest comparisons come last. */
static bool matches(const char *name, const Wanted *wanted, int how)
{
    const Code *code = &wanted->code, *base = &wanted->base;
    const size_t len = strlen(name);
    Suffix suffix;

    if (how == AS_WRITTEN) return language_equal(wanted->text, name);
    if (how == EXACTLY) return same_code(name, len, code->text, code->len);
    if (how == BY_ANOTHER_CODE) return same_language(code, name, len);
    if (how == IN_SOME_SCRIPT && base->len < code->len) return false;
    if (!same_language(base, name, base_length(name, len))) return false;
    if (how == IN_SOME_SCRIPT) return true;
    suffix = plain_suffix(name, len);
    if (how == WITHOUT_CONTRADICTION &&
        (!suffix.len || !wanted->suffix.len || (suffix.len == 4) != (wanted->suffix.len == 4)))
        return true; /* one has no suffix, or they are a script and a region */
    return same_code(suffix.text, suffix.len, wanted->suffix.text, wanted->suffix.len);
}

/* Sets *code to the language in a token (>>deu<<, __de__, <2de>), or to `wanted` itself if that is not a token, and
 * returns the length of the code. */
static size_t code_in_token(const char **code, const char *wanted)
{
    static const char *const marks[][2] = { { ">>", "<<" }, { "__", "__" }, { "<2", ">" } };
    const size_t len = strlen(wanted);

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t head = strlen(marks[i][0]), tail = strlen(marks[i][1]);
        if (len <= head + tail || strncmp(wanted, marks[i][0], head) != 0) continue;
        if (strcmp(wanted + len - tail, marks[i][1]) != 0) continue;
        *code = wanted + head;
        return len - head - tail;
    }
    *code = wanted;
    return len;
}

static Wanted read_wanted(const char *wanted)
{
    const char *code;
    const size_t len = code_in_token(&code, wanted);

    return (Wanted){ wanted, find_rows(code, len), find_rows(code, base_length(code, len)), plain_suffix(code, len) };
}

bool language_may_be(const char *wanted, const char *name)
{
    const Wanted sought = read_wanted(wanted);

    for (int how = AS_WRITTEN; how < WAYS; how++)
        if (matches(name, &sought, how)) return true;
    return false;
}

static const char *name_at(LanguageList all, size_t index)
{
    return all.name(all.list, index);
}

int language_find(const char *wanted, LanguageList all)
{
    const Wanted sought = read_wanted(wanted);

    for (int how = AS_WRITTEN; how < WAYS; how++) {
        int found = LANGUAGE_NONE;
        for (size_t i = 0; i < all.count; i++)
            if (matches(name_at(all, i), &sought, how)) found = found == LANGUAGE_NONE ? (int)i : LANGUAGE_AMBIGUOUS;
        if (found != LANGUAGE_NONE) return found;
    }
    return LANGUAGE_NONE;
}

/* --- Names of locales. --- */

typedef enum {
    LOCALE_NAME_LANGUAGE, /* "Chinese" */
    LOCALE_NAME_FULL,     /* "Chinese (Simplified)" */
    LOCALE_NAME_DIALECT   /* "Simplified Chinese" */
} LocaleNameKind;

typedef struct {
    UChar text[LOCALE_NAME_UNITS];
    int32_t len;   /* 0: the locale is invalid, or the name is too long */
    bool is_known; /* false if ICU has no such name in that language; the text may then be the code of the locale */
} LocaleName;

/* Reads a name that ICU has for a locale ("de_AT") in the language of another one ("en").
 * If memory runs out during a lookup, ICU returns the code of the locale, with a warning if it is a simple lookup; only
 * errno tells the reason. Retrying does not help: ICU remembers some failed loads as missing data. */
static Status read_locale_name(LocaleName *out, LocaleNameKind kind, const char *locale, const char *in, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;

    errno = 0;
    if (kind == LOCALE_NAME_LANGUAGE) {
        out->len = uloc_getDisplayLanguage(locale, in, out->text, LOCALE_NAME_UNITS, &code);
    } else if (kind == LOCALE_NAME_FULL) {
        out->len = uloc_getDisplayName(locale, in, out->text, LOCALE_NAME_UNITS, &code);
    } else {
        ULocaleDisplayNames *names = uldn_open(in, ULDN_DIALECT_NAMES, &code);
        if (U_SUCCESS(code)) out->len = uldn_localeDisplayName(names, locale, out->text, LOCALE_NAME_UNITS, &code);
        uldn_close(names);
    }
    if ((code != U_ZERO_ERROR || kind == LOCALE_NAME_DIALECT) && errno == ENOMEM) code = U_MEMORY_ALLOCATION_ERROR;
    if (U_FAILURE(code)) out->len = 0;
    out->is_known = code == U_ZERO_ERROR;
    return code == U_MEMORY_ALLOCATION_ERROR ? err_memory(err, "the name of a language") : OK;
}

/* --- Tags. --- */

/* ICU expects '-' between the parts of a tag. Of a text that is not a tag, it may convert only the beginning. */
Status language_tag_read(LanguageTag *out, const char *text, Err *err)
{
    /* A POSIX locale names its script after '@'. */
    static const char *const scripts[][2] = { { "@latin", "Latn" },
                                              { "@cyrillic", "Cyrl" },
                                              { "@devanagari", "Deva" } };
    const char *modifier = strchr(text, '@');
    const size_t len = strcspn(text, ".@");
    char tag[LONGEST], locale[LONGEST] = "";
    UErrorCode code = U_ZERO_ERROR;
    int32_t parsed = 0;
    Code known;

    *out = (LanguageTag){ "", "", "" };
    if (!len || len >= sizeof tag) return OK;
    for (size_t i = 0; i < len; i++) tag[i] = text[i] == '_' ? '-' : text[i];
    tag[len] = '\0';
    uloc_forLanguageTag(tag, locale, LONGEST, &parsed, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING || (size_t)parsed != len || !locale[0]) return OK;
    code = U_ZERO_ERROR;
    uloc_getLanguage(locale, out->language, sizeof out->language, &code);
    uloc_getScript(locale, out->script, sizeof out->script, &code);
    uloc_getCountry(locale, out->region, sizeof out->region, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code) || !out->language[0]) *out = (LanguageTag){ "", "", "" };
    /* Use the two-letter code if the language has one. */
    known = find_rows(out->language, strlen(out->language));
    if (known.count) snprintf(out->language, sizeof out->language, "%.2s", known.rows[0]);
    if (strcmp(out->region, "XX") == 0) out->region[0] = '\0';
    for (size_t i = 0; modifier && out->language[0] && !out->script[0] && i < sizeof scripts / sizeof *scripts; i++)
        if (text_begins_with(modifier, scripts[i][0])) snprintf(out->script, sizeof out->script, "%s", scripts[i][1]);
    return OK;
}

void language_tag_print(const LanguageTag *tag, char out[LANGUAGE_TAG_BYTES])
{
    snprintf(out, LANGUAGE_TAG_BYTES, "%s%s%s%s%s", tag->language, tag->script[0] ? "_" : "", tag->script,
             tag->region[0] ? "_" : "", tag->region);
}

/* Different codes can mean the same language: "no" is Bokmål (nb) in practice, and ICU gives the same name to a
 * language and its main variety (sq, als). */
Status language_tag_same_language(bool *out, const LanguageTag *a, const LanguageTag *b, Err *err)
{
    const char *x = a->language, *y = b->language;
    LocaleName first, second = { .is_known = false };
    Status st;

    *out = strcmp(x, y) == 0 || (strcmp(x, "nb") == 0 && strcmp(y, "no") == 0) ||
           (strcmp(x, "no") == 0 && strcmp(y, "nb") == 0);
    if (*out || (strlen(x) != 3 && strlen(y) != 3)) return OK;
    st = read_locale_name(&first, LOCALE_NAME_LANGUAGE, x, "en", err);
    if (st == OK && first.is_known) st = read_locale_name(&second, LOCALE_NAME_LANGUAGE, y, "en", err);
    if (st == OK && first.is_known && second.is_known)
        *out = first.len == second.len && u_memcmp(first.text, second.text, first.len) == 0;
    return st;
}

/* The script of the tag, or the one in which the language is usually written in that region. */
static Status likely_script(const LanguageTag *tag, char out[5], Err *err)
{
    char text[LANGUAGE_TAG_BYTES], full[LONGEST];
    UErrorCode code = U_ZERO_ERROR;

    language_tag_print(tag, text);
    uloc_addLikelySubtags(text, full, sizeof full, &code);
    out[0] = '\0';
    if (U_SUCCESS(code)) uloc_getScript(full, out, 5, &code);
    return code == U_MEMORY_ALLOCATION_ERROR ? err_memory(err, "the name of a language") : OK;
}

Status language_tag_shortest(char out[LANGUAGE_TAG_BYTES], const char *name, Err *err)
{
    LanguageTag tag, bare;
    char usual[5];
    Status st = language_tag_read(&tag, name, err);

    out[0] = '\0';
    if (st != OK || !tag.language[0]) return st;
    bare = tag;
    bare.script[0] = '\0';
    st = likely_script(&bare, usual, err);
    if (st != OK) return st;
    language_tag_print(strcmp(usual, tag.script) == 0 ? &bare : &tag, out);
    for (char *c = out; *c; c++)
        if (*c == '_') *c = '-';
    return OK;
}

Status language_tag_name(char out[LANGUAGE_NAME_BYTES], const char *tag, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    LocaleName name;
    Status st = read_locale_name(&name, LOCALE_NAME_FULL, tag, "en", err);

    if (st != OK) return st;
    u_strToUTF8(out, LANGUAGE_NAME_BYTES, NULL, name.text, name.len, &code);
    if (!name.len || U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING)
        snprintf(out, LANGUAGE_NAME_BYTES, "%s", tag);
    return OK;
}

Status language_tag_fit(unsigned *out, const LanguageTag *wanted, const char *name, Err *err)
{
    char wanted_script[5], script[5];
    LanguageTag has;
    bool same = false;
    Status st = language_tag_read(&has, name, err);

    *out = 0;
    if (st == OK && has.language[0]) st = language_tag_same_language(&same, wanted, &has, err);
    if (st != OK || !same) return st;
    st = likely_script(wanted, wanted_script, err);
    if (st == OK) st = likely_script(&has, script, err);
    if (st != OK) return st;
    same = strcmp(wanted_script, script) == 0;
    if (!same && wanted->script[0] && (has.script[0] || has.region[0])) return OK;
    *out = same ? 5 : 1;
    if (wanted->region[0] && strcmp(wanted->region, has.region) == 0) *out += 2;
    *out += !has.region[0];
    return OK;
}

/* --- Names. --- */

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

static Status make_key(Key *key, const UChar *name, int32_t len, Err *err)
{
    UChar folded[4 * KEY_UNITS], parts[4 * KEY_UNITS], clean[4 * KEY_UNITS];
    Word words[KEY_WORDS + 1]; /* they point into `clean` */
    UErrorCode code = U_ZERO_ERROR;
    size_t count = 0;
    int32_t used = 0;
    bool inside = false; /* inside a word */

    key->len = 0;
    len = u_strFoldCase(folded, 4 * KEY_UNITS, name, len < KEY_UNITS ? len : KEY_UNITS, U_FOLD_CASE_DEFAULT, &code);
    len =
        unorm2_normalize(unorm2_getNFKDInstance(&code), folded, U_SUCCESS(code) ? len : 0, parts, 4 * KEY_UNITS, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code)) return OK;
    for (int32_t i = 0; i < len && count < KEY_WORDS;) {
        int32_t first = i;
        UChar32 c;
        U16_NEXT(parts, i, len, c);
        if (parts[first] >= 0x300 && parts[first] < 0x370) continue; /* an accent */
        if (!u_isalnum(c) && u_charType(c) != U_NON_SPACING_MARK && u_charType(c) != U_COMBINING_SPACING_MARK) {
            count += inside;
            inside = false;
            continue;
        }
        if (!inside) words[count] = (Word){ clean + used, 0 };
        inside = true;
        u_memcpy(clean + used, parts + first, i - first);
        used += i - first;
        words[count].len += i - first;
    }
    if (inside && count < KEY_WORDS) count++;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count && key->len + words[i].len + 1 < KEY_UNITS; i++) {
        if (i) key->text[key->len++] = ' ';
        u_memcpy(key->text + key->len, words[i].text, words[i].len);
        key->len += words[i].len;
    }
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

/* The name of `locale` in the language of the locale `in`. */
typedef struct {
    LocaleNameKind kind;
    const char *locale, *in;
} NameOf;

static Status key_of(Key *key, NameOf of, Err *err)
{
    LocaleName name;
    Status st = read_locale_name(&name, of.kind, of.locale, of.in, err);

    key->len = 0;
    return st == OK ? make_key(key, name.text, name.len, err) : st;
}

/* Sets *out to whether one of the names has this key. */
static Status any_is(bool *out, const NameOf *names, size_t count, const Key *wanted, Err *err)
{
    Status st = OK;
    Key key;

    *out = false;
    for (size_t i = 0; st == OK && !*out && i < count; i++) {
        st = key_of(&key, names[i], err);
        *out = st == OK && key.len > 0 && key.len == wanted->len && u_memcmp(key.text, wanted->text, key.len) == 0;
    }
    return st;
}

/* The languages that have the wanted name, at most MOST_TAGS. */
typedef struct {
    LanguageTag items[MOST_TAGS];
    size_t count;
} Found;

static Status add_found(Found *out, const char *locale, Err *err)
{
    LanguageTag tag;
    Status st = out->count < MOST_TAGS ? language_tag_read(&tag, locale, err) : OK;

    if (st != OK || out->count == MOST_TAGS || !tag.language[0]) return st;
    for (const LanguageTag *has = out->items; has < out->items + out->count; has++)
        if (strcmp(has->language, tag.language) == 0 && strcmp(has->script, tag.script) == 0 &&
            strcmp(has->region, tag.region) == 0)
            return OK;
    out->items[out->count++] = tag;
    return OK;
}

static Status find_by_name(Found *out, const char *name, Err *err)
{
    Key wanted;
    UErrorCode code = U_ZERO_ERROR;
    UEnumeration *locales;
    const char *locale;
    bool is;
    Status st = make_user_key(&wanted, name, err);

    out->count = 0;
    if (st != OK || !wanted.len) return st;
    locales = uloc_openAvailableByType(ULOC_AVAILABLE_DEFAULT, &code);
    while (st == OK && (locale = uenum_next(locales, NULL, &code))) {
        const NameOf names[] = { { LOCALE_NAME_FULL, locale, "en" },
                                 { LOCALE_NAME_FULL, locale, locale },
                                 { LOCALE_NAME_DIALECT, locale, "en" },
                                 { LOCALE_NAME_DIALECT, locale, locale } };
        st = any_is(&is, names, sizeof names / sizeof *names, &wanted, err);
        if (st == OK && is) st = add_found(out, locale, err);
    }
    uenum_close(locales);
    if (st == OK && code == U_MEMORY_ALLOCATION_ERROR) st = err_memory(err, "the names of languages");
    for (const char *const *codes = uloc_getISOLanguages(); st == OK && *codes; codes++) {
        st = any_is(&is, &(NameOf){ LOCALE_NAME_LANGUAGE, *codes, "en" }, 1, &wanted, err);
        if (st == OK && is) st = add_found(out, *codes, err);
    }
    return st;
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

/* Sets *out to the number of letters or whole words by which `wanted` differs from a name of the language; SIZE_MAX if
 * it differs by more than a third, or has fewer than four letters. */
static Status find_distance(size_t *out, const LanguageTag *tag, const Key *wanted, Err *err)
{
    const char *const places[] = { "en", tag->language };
    Status st = OK;

    *out = SIZE_MAX;
    for (size_t i = 0; st == OK && i < 2 && wanted->len >= 4; i++) {
        Key key;
        size_t distance;
        st = key_of(&key, (NameOf){ LOCALE_NAME_LANGUAGE, tag->language, places[i] }, err);
        if (st != OK || !key.len) continue;
        distance = has_word(&key, wanted) ? 1 : edits(wanted, &key);
        if (distance * 3 <= (size_t)wanted->len && distance < *out) *out = distance;
    }
    return st;
}

/* --- The language that the user means. --- */

_Static_assert(LANGUAGE_CODE >= LANGUAGE_TAG_BYTES, "room for both");

static Status add(IdList *out, size_t index, Err *err)
{
    return ids_contain(out, (int32_t)index) ? OK : ids_append(out, (int32_t)index, err);
}

static Status choose_by_code(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    int found = language_find(wanted, all);
    Status st = OK;

    if (found >= 0) return add(out, (size_t)found, err);
    for (size_t i = 0; st == OK && found == LANGUAGE_AMBIGUOUS && i < all.count; i++)
        if (language_may_be(wanted, name_at(all, i))) st = add(out, i, err);
    return st;
}

/* True if the text is more than a language with a script or a region, which is all that language_find() knows. */
static bool is_long(const char *wanted)
{
    const char *mark = strpbrk(wanted, "-_.@");

    return mark && mark > wanted && wanted[0] != '<' && wanted[0] != '>' &&
           (strchr(".@", *mark) || strpbrk(mark + 1, "-_.@"));
}

/* Adds the language that has the code of the tag. If there is none, adds the languages that fit the tag best. */
static Status choose_by_tag(IdList *out, const LanguageTag *wanted, LanguageList all, Err *err)
{
    char code[LANGUAGE_TAG_BYTES];
    const size_t before = out->len;
    unsigned best = 1, fit;
    Status st = OK;

    language_tag_print(wanted, code);
    if (!is_long(code)) st = choose_by_code(out, code, all, err);
    if (st != OK || out->len > before) return st;
    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = language_tag_fit(&fit, wanted, name_at(all, i), err);
        if (fit > best) best = fit;
    }
    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = language_tag_fit(&fit, wanted, name_at(all, i), err);
        if (st == OK && fit == best) st = add(out, i, err);
    }
    return st;
}

/* Looks for `wanted` among the English names of the model's languages, without scripts and regions unless `whole`. */
static Status choose_by_own_name(IdList *out, const char *wanted, LanguageList all, bool whole, Err *err)
{
    char locale[LANGUAGE_TAG_BYTES];
    const NameOf names[] = { { LOCALE_NAME_FULL, locale, "en" }, { LOCALE_NAME_DIALECT, locale, "en" } };
    LanguageTag has;
    Key key;
    bool is;
    Status st = make_user_key(&key, wanted, err);

    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = language_tag_read(&has, name_at(all, i), err);
        if (st != OK || !has.language[0]) continue;
        if (!whole) has.script[0] = has.region[0] = '\0';
        language_tag_print(&has, locale);
        st = any_is(&is, names, sizeof names / sizeof *names, &key, err);
        if (st == OK && is) st = whole ? add(out, i, err) : choose_by_tag(out, &has, all, err);
    }
    return st;
}

Status language_choose(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    const size_t before = out->len;
    LanguageTag tag;
    Found found;
    Status st = is_long(wanted) ? OK : choose_by_code(out, wanted, all, err);

    for (size_t i = 0; st == OK && is_long(wanted) && i < all.count; i++)
        if (language_equal(wanted, name_at(all, i))) st = add(out, i, err);
    if (st != OK || out->len > before) return st;
    st = language_tag_read(&tag, wanted, err);
    if (st == OK && tag.language[0]) st = choose_by_tag(out, &tag, all, err);
    /* The model's own languages have priority over others of that name (prs and fa_AF are both "Dari"). */
    if (st == OK && out->len == before) st = choose_by_own_name(out, wanted, all, false, err);
    if (st == OK && out->len == before) st = choose_by_own_name(out, wanted, all, true, err);
    if (st != OK || out->len > before) return st;
    st = find_by_name(&found, wanted, err);
    for (size_t i = 0; st == OK && i < found.count; i++) st = choose_by_tag(out, &found.items[i], all, err);
    return st;
}

static const char *itself(const void *list, size_t index)
{
    (void)index;
    return list;
}

Status language_fits(bool *out, const char *wanted, const char *name, Err *err)
{
    IdList found = { 0 };
    Status st = OK;

    *out = language_same(wanted, name);
    if (*out) return OK;
    st = language_choose(&found, wanted, (LanguageList){ itself, name, 1 }, err);
    *out = st == OK && found.len;
    ids_free(&found);
    return st;
}

Status language_closest(int *out, const char *wanted, LanguageList all, Err *err)
{
    LanguageTag meant, has;
    size_t least = SIZE_MAX;
    Key key;
    Status st = language_tag_read(&meant, wanted, err);

    *out = -1;
    if (st == OK) st = make_user_key(&key, wanted, err);
    for (size_t i = 0; st == OK && i < all.count; i++) {
        size_t distance = 0; /* stays 0 for the language that the user's tag names */
        bool same = false;
        st = language_tag_read(&has, name_at(all, i), err);
        if (st != OK || !has.language[0]) continue;
        if (meant.language[0]) st = language_tag_same_language(&same, &meant, &has, err);
        if (st == OK && !same) st = find_distance(&distance, &has, &key, err);
        if (st != OK || distance >= least) continue;
        least = distance;
        *out = (int)i;
    }
    return st;
}

Status language_describe(char out[LANGUAGE_DESCRIBED], const char *name, Err *err)
{
    LanguageTag tag;
    LocaleName english;
    UErrorCode code = U_ZERO_ERROR;
    Status st = language_tag_read(&tag, name, err);

    out[0] = '\0';
    if (st != OK || !tag.language[0]) return st;
    st = read_locale_name(&english, LOCALE_NAME_LANGUAGE, tag.language, "en", err);
    if (st != OK) return st;
    u_strToUTF8(out, LANGUAGE_DESCRIBED, NULL, english.text, english.len, &code);
    if (U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING) out[0] = '\0';
    return OK;
}

Status language_code(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err)
{
    const char *code;
    const size_t len = code_in_token(&code, wanted);
    Found found = { .count = 0 };
    Status st;

    *out = wanted;
    if (code > wanted && len < LANGUAGE_CODE) {
        snprintf(room, LANGUAGE_CODE, "%.*s", (int)len, code);
        *out = room;
        return OK;
    }
    st = language_is_known(wanted) ? OK : find_by_name(&found, wanted, err);
    if (st != OK || !found.count) return st;
    language_tag_print(&found.items[0], room);
    *out = room;
    return OK;
}

/* A language of ICU's list; "" for one that the table of codes does not have, which users hardly mean. */
static const char *usual_language(const void *list, size_t index)
{
    const char *code = ((const char *const *)list)[index];

    return language_is_known(code) ? code : "";
}

Status language_suggest(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err)
{
    const char *const *codes = uloc_getISOLanguages();
    char tag[LANGUAGE_CODE], full[LONGEST];
    UErrorCode code = U_ZERO_ERROR;
    size_t count = 0;
    int closest = -1;
    Status st = language_code(out, room, wanted, err);

    if (st != OK || *out != wanted || language_is_known(wanted)) {
        *out = NULL;
        return st;
    }
    *out = NULL;
    for (const char *const *region = uloc_getISOCountries(); *region; region++) {
        if (!language_equal(*region, wanted)) continue;
        snprintf(tag, sizeof tag, "und_%s", *region);
        uloc_addLikelySubtags(tag, full, sizeof full, &code);
        if (U_SUCCESS(code)) uloc_getLanguage(full, room, LANGUAGE_CODE, &code);
        if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
        if (U_SUCCESS(code) && language_is_known(room)) *out = room;
        return OK;
    }
    while (codes[count]) count++;
    st = language_closest(&closest, wanted, (LanguageList){ usual_language, codes, count }, err);
    if (closest >= 0) *out = codes[closest];
    return st;
}

Status language_check_spelling(const char *name, const char *wanted, Err *err)
{
    char room[LANGUAGE_CODE], english[LANGUAGE_NAME_BYTES];
    const char *meant = NULL;
    Status st = wanted ? language_suggest(&meant, room, wanted, err) : OK;

    if (meant) st = language_tag_name(english, meant, err);
    if (st != OK || !meant) return st;
    return err_set(err, ERR_USAGE, "%s%s: unknown language (did you mean %s (%s)?)", name, wanted, english, meant);
}

/* --- The languages of the multilingual families, from fairseq's dictionaries, as transformers 4.57.1 lists them
 * (FAIRSEQ_LANGUAGE_CODES). --- */

/* clang-format off */
const char *const language_codes_m2m100 =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu "
    "hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt "
    "ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";

const char *const language_codes_wmt21 =
    "en ha is ja cs ru zh de";

const char *const language_codes_nllb =
    "ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab arb_Arab ars_Arab "
    "ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl bam_Latn ban_Latn bel_Cyrl "
    "bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn bul_Cyrl cat_Latn ceb_Latn ces_Latn "
    "cjk_Latn ckb_Arab crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn dyu_Latn dzo_Tibt ell_Grek eng_Latn epo_Latn "
    "est_Latn eus_Latn ewe_Latn fao_Latn pes_Arab fij_Latn fin_Latn fon_Latn fra_Latn fur_Latn fuv_Latn gla_Latn "
    "gle_Latn glg_Latn grn_Latn guj_Gujr hat_Latn hau_Latn heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn "
    "ibo_Latn ilo_Latn ind_Latn isl_Latn ita_Latn jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab "
    "kas_Deva kat_Geor knc_Arab knc_Latn kaz_Cyrl kbp_Latn kea_Latn khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn "
    "kon_Latn kor_Hang kmr_Latn lao_Laoo lvs_Latn lij_Latn lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn "
    "lua_Latn lug_Latn luo_Latn lus_Latn mag_Deva mai_Deva mal_Mlym mar_Deva min_Latn mkd_Cyrl plt_Latn mlt_Latn "
    "mni_Beng khk_Cyrl mos_Latn mri_Latn zsm_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva nso_Latn nus_Latn "
    "nya_Latn oci_Latn gaz_Latn ory_Orya pag_Latn pan_Guru pap_Latn pol_Latn por_Latn prs_Arab pbt_Arab quy_Latn "
    "ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Beng scn_Latn shn_Mymr sin_Sinh slk_Latn slv_Latn smo_Latn "
    "sna_Latn snd_Arab som_Latn sot_Latn spa_Latn als_Latn srd_Latn srp_Cyrl ssw_Latn sun_Latn swe_Latn swh_Latn "
    "szl_Latn tam_Taml tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai tir_Ethi taq_Latn taq_Tfng tpi_Latn tsn_Latn "
    "tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab ukr_Cyrl umb_Latn urd_Arab uzn_Latn vec_Latn "
    "vie_Latn war_Latn wol_Latn xho_Latn ydd_Hebr yor_Latn yue_Hant zho_Hans zho_Hant zul_Latn";

const char *const language_codes_indictrans = /* LANGUAGE_TAGS of IndicTrans2's tokenization_indictrans.py */
    "asm_Beng awa_Deva ben_Beng bho_Deva brx_Deva doi_Deva eng_Latn gom_Deva gon_Deva guj_Gujr hin_Deva hne_Deva "
    "kan_Knda kas_Arab kas_Deva kha_Latn lus_Latn mag_Deva mai_Deva mal_Mlym mar_Deva mni_Beng mni_Mtei npi_Deva "
    "ory_Orya pan_Guru san_Deva sat_Olck snd_Arab snd_Deva tam_Taml tel_Telu urd_Arab unr_Deva";

const char *const language_codes_mbart =
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP "
    "nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN";

const char *const language_codes_mbart50 =
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP "
    "nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN "
    "mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI";
/* clang-format on */
