/* language_detector.c - see language_detector.h. */
#include "language_detector.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>

#include "chars.h"
#include "cld2_shim.h"
#include "ranges.h"
#include "utf8.h"

/* In shorter texts, a language counts only if CLD2 is sure. In longer texts, the best guess of CLD2 counts, which is
 * usually right: this recognizes 1 % more of the lines with 10 words. */
#define GUESS_BYTES 40

/* A language with a smaller share of the text, in percent, is ignored: it may be a quotation or a name. */
#define LEAST_PERCENT 40

_Static_assert(LANGUAGE_GUESSES == (int)CLD2_LANGUAGES, "language_detector_guess() returns all languages of CLD2");

#define TAG_BYTES 64
/* The share of a text, in percent, that a language needs to be sure. */
#define SURE_PERCENT 85

Status language_detector_check(Err *err)
{
    return cld2_shim_load(err);
}

/* Returns the tag up to its first hyphen. */
static LineText first_subtag(const char *tag)
{
    return (LineText){ tag, strcspn(tag, "-") };
}

static bool is_same(LineText a, LineText b)
{
    return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

/* Replaces `name`, ignoring case, if it is the first word of a pair in the list, such as "iw-he jw-jv", by the second
 * word. Returns false if it is not. */
static bool replace(LineText *name, const char *pairs)
{
    for (const char *first = pairs, *second; *first; first = second + strcspn(second, " ")) {
        first += *first == ' ';
        second = first + strcspn(first, "-") + 1;
        if (!is_same(*name, first_subtag(first))) continue;
        *name = (LineText){ second, strcspn(second, " ") };
        return true;
    }
    return false;
}

/* Returns the language of a tag. Where CLD2 or old models have another code for a language, returns the usual one. The
 * Norwegian of CLD2 (no) is Bokmal (nb). */
static LineText language_of(const char *tag)
{
    LineText language = first_subtag(tag);

    (void)replace(&language, "iw-he jw-jv in-id no-nb fil-tl nso-ns mo-ro ji-yi");
    return language;
}

/* Returns the script in the tag or, for Chinese, the script of its region; empty if unknown. Chinese defaults to
 * Hans. */
static LineText script_of(const char *tag)
{
    const bool chinese = is_same(first_subtag(tag), first_subtag("zh"));

    for (const char *at = strchr(tag, '-'); at; at = strchr(at + 1, '-')) {
        LineText subtag = first_subtag(at + 1);
        if (subtag.len == 4 || (chinese && replace(&subtag, "TW-Hant HK-Hant MO-Hant CN-Hans SG-Hans"))) return subtag;
    }
    return chinese ? first_subtag("Hans") : (LineText){ "", 0 };
}

/* Adds the usual script and region to a tag: sr-ME becomes sr-Latn-ME. Returns `full`, or `tag` on failure. */
static const char *add_script(const char *tag, char full[TAG_BYTES])
{
    UErrorCode fault = U_ZERO_ERROR;
    int32_t length = uloc_addLikelySubtags(tag, full, TAG_BYTES, &fault);

    if (U_FAILURE(fault) || length <= 0 || length >= TAG_BYTES) return tag;
    for (char *at = full; *at; at++)
        if (*at == '_') *at = '-';
    return full;
}

bool language_detector_same(const char *tag, const char *other)
{
    char full[2][TAG_BYTES];
    LineText one, two;

    if (!is_same(language_of(tag), language_of(other))) return false;
    one = script_of(add_script(tag, full[0]));
    two = script_of(add_script(other, full[1]));
    return one.len && two.len ? is_same(one, two) : is_same(script_of(tag), script_of(other));
}

/* Chooses the first of CLD2's languages that one of the tags has. If several tags have this language, prefers an equal
 * tag, then a tag with the same script. */
Status language_detector_find(const char *const *tags, size_t count, const char *text, size_t length, size_t *found,
                              Err *err)
{
    Cld2Result result;
    Status st = cld2_shim_detect(text, length, length >= GUESS_BYTES, &result, err);

    *found = LANGUAGE_UNKNOWN;
    for (size_t i = 0; st == OK && i < CLD2_LANGUAGES && *found == LANGUAGE_UNKNOWN; i++) {
        const char *code = result.codes[i];
        int most = 0;
        for (size_t k = 0; result.percents[i] >= LEAST_PERCENT && k < count; k++) {
            const bool has_script = is_same(script_of(tags[k]), script_of(code));
            const int fits = strcasecmp(tags[k], code) == 0 ? 3 : has_script ? 2 : 1;
            if (fits <= most || !is_same(language_of(tags[k]), language_of(code))) continue;
            most = fits;
            *found = k;
        }
    }
    return st;
}

Status language_detector_find_other(const char *tag, const char *text, size_t length, const char **code, Err *err)
{
    /* languages that CLD2 may confuse */
    static const char *const groups[] = { "da nb nn",    "hr sr bs sl",    "id ms jv su", "cs sk",
                                          "pt gl es ca", "ru uk be bg mk", "hi mr ne bh", "xh zu ns st tn",
                                          "af nl",       "tr az",          "zh ja" };
    const LineText language = language_of(tag);
    Cld2Result result;
    Status st = length < LANGUAGE_SURE_BYTES ? OK : cld2_shim_detect(text, length, false, &result, err);
    LineText found;

    *code = NULL;
    if (st != OK || length < LANGUAGE_SURE_BYTES || result.percents[0] < SURE_PERCENT) return st;
    found = language_of(result.codes[0]);
    if (is_same(found, first_subtag("un")) || is_same(found, language)) return OK;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (chars_are_in(found.data, found.len, groups[i]) && chars_are_in(language.data, language.len, groups[i]))
            return OK;
    *code = result.codes[0];
    return OK;
}

Status language_detector_guess(const char *text, size_t length, LanguageGuess guesses[LANGUAGE_GUESSES], size_t *count,
                               bool *is_sure, Err *err)
{
    const LineText none = first_subtag("un");
    Cld2Result result;
    Status st = cld2_shim_detect(text, length, false, &result, err);

    *count = 0;
    *is_sure = st == OK && !is_same(first_subtag(result.codes[0]), none);
    if (st == OK && !*is_sure) st = cld2_shim_detect(text, length, true, &result, err);
    for (size_t i = 0; st == OK && i < LANGUAGE_GUESSES; i++) {
        const char *code = result.codes[i];
        const LineText language = language_of(code);
        if (is_same(language, none) || !result.percents[i]) continue;
        snprintf(guesses[*count].tag, sizeof guesses->tag, "%.*s%s", (int)language.len, language.data,
                 code + strcspn(code, "-"));
        guesses[(*count)++].percent = result.percents[i];
    }
    return st;
}

bool language_has_letters(const char *text, size_t length)
{
    while (length) {
        uint32_t code;
        const size_t used = utf8_next(text, length, &code);
        if (code != UTF8_INVALID && u_isalpha((UChar32)code)) return true;
        text += used;
        length -= used;
    }
    return false;
}

/* --- Names of languages in files. ICU knows their codes, and turns a three-letter code into the two-letter one. */

bool label_language_read(const char *name, size_t length, char tag[LABEL_LANGUAGE_BYTES])
{
    /* Scripts as gettext writes them after an @: sr@latin. Other words after the @ are variants: ca@valencia. */
    static const char scripts[] = "latin-Latn cyrillic-Cyrl arabic-Arab devanagari-Deva";
    /* Bibliographic codes (ISO 639-2/B), which ICU does not know. */
    static const char library_codes[] = "alb-sq arm-hy baq-eu bur-my chi-zh cze-cs dut-nl fre-fr geo-ka ger-de gre-el "
                                        "ice-is mac-mk mao-mi may-ms per-fa rum-ro slo-sk tib-bo wel-cy";
    char plain[LABEL_LANGUAGE_BYTES] = "", locale[2 * LABEL_LANGUAGE_BYTES];
    const char *const *known;
    LineText code, script;
    char *region, *mark;
    UErrorCode fault = U_ZERO_ERROR;
    int32_t size;

    *tag = '\0';
    while (length && strchr(" \t\r\n", *name)) name++, length--;
    while (length && strchr(" \t\r\n", name[length - 1])) length--;
    if (!length || length >= sizeof plain || memchr(name, '\0', length)) return false;
    memcpy(plain, name, length);
    mark = plain + strcspn(plain, "@.");
    script = *mark == '@' ? (LineText){ mark + 1, strlen(mark + 1) } : (LineText){ mark, 0 };
    if (!replace(&script, scripts)) script.len = 0;
    *mark = '\0'; /* also cuts off the encoding of "de_DE.UTF-8" */
    region = plain + strcspn(plain, "-_");
    code = (LineText){ plain, (size_t)(region - plain) };
    (void)replace(&code, library_codes);
    snprintf(locale, sizeof locale, "%.*s%s%.*s%s%s", (int)code.len, code.data, script.len ? "_" : "", (int)script.len,
             script.data, *region && region[1] ? "_" : "", *region ? region + 1 : "");
    size = uloc_toLanguageTag(locale, tag, LABEL_LANGUAGE_BYTES, true, &fault);
    if (U_FAILURE(fault) || size <= 0 || size >= LABEL_LANGUAGE_BYTES) *tag = '\0';
    for (known = uloc_getISOLanguages(); *known && !chars_are(tag, strcspn(tag, "-"), *known); known++) continue;
    if (!*known || strcmp(*known, "und") == 0 || strcmp(*known, "mul") == 0 || strcmp(*known, "zxx") == 0) *tag = '\0';
    return *tag;
}
