/* language_tag.c - see language_tag.h. */
#include "language_tag.h"

#include <stdio.h>
#include <string.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>

#include "language.h"
#include "locale_name.h"
#include "text.h"

#define LONGEST 64 /* longer texts are not tags */

/* A POSIX locale names its script after '@'. */
static const char *script_of_modifier(const char *modifier)
{
    static const char *const scripts[][2] = { { "@latin", "Latn" },
                                              { "@cyrillic", "Cyrl" },
                                              { "@devanagari", "Deva" } };

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (text_begins_with(modifier, scripts[i][0])) return scripts[i][1];
    return "";
}

/* Converts a tag with '-' or '_' between its parts to an ICU locale; "" where the text does not have that form. */
static Status to_locale(char locale[LONGEST], const char *text, size_t len, Err *err)
{
    char tag[LONGEST];
    int32_t parsed = 0;
    UErrorCode code = U_ZERO_ERROR;

    locale[0] = '\0';
    if (!len || len >= sizeof tag) return OK;
    for (size_t i = 0; i <= len; i++) tag[i] = text[i] == '_' ? '-' : text[i];
    tag[len] = '\0';
    uloc_forLanguageTag(tag, locale, LONGEST, &parsed, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code) || code == U_STRING_NOT_TERMINATED_WARNING || (size_t)parsed != len) locale[0] = '\0';
    return OK;
}

/* Reads the three parts of an ICU locale; all are empty if it is invalid. */
static Status read_locale(LanguageTag *out, const char *locale, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;

    uloc_getLanguage(locale, out->language, sizeof out->language, &code);
    uloc_getScript(locale, out->script, sizeof out->script, &code);
    uloc_getCountry(locale, out->region, sizeof out->region, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the name of a language");
    if (U_FAILURE(code) || !out->language[0]) *out = (LanguageTag){ "", "", "" };
    language_shorten(out->language);
    if (strcmp(out->region, "XX") == 0) out->region[0] = '\0';
    return OK;
}

Status language_tag_read(LanguageTag *out, const char *text, Err *err)
{
    size_t len = strcspn(text, ".@");
    const char *modifier = strchr(text, '@');
    char locale[LONGEST];
    Status st = to_locale(locale, text, len, err);

    *out = (LanguageTag){ "", "", "" };
    if (st == OK && locale[0]) st = read_locale(out, locale, err);
    if (st == OK && modifier && out->language[0] && !out->script[0])
        snprintf(out->script, sizeof out->script, "%s", script_of_modifier(modifier));
    return st;
}

void language_tag_print(const LanguageTag *tag, char out[LANGUAGE_TAG_BYTES])
{
    snprintf(out, LANGUAGE_TAG_BYTES, "%s%s%s%s%s", tag->language, tag->script[0] ? "_" : "", tag->script,
             tag->region[0] ? "_" : "", tag->region);
}

bool language_tag_equal(const LanguageTag *a, const LanguageTag *b)
{
    return strcmp(a->language, b->language) == 0 && strcmp(a->script, b->script) == 0 &&
           strcmp(a->region, b->region) == 0;
}

/* ICU has one name for the code of a language and the code of its main variety (sq, als). */
static Status same_name(bool *out, const char *a, const char *b, Err *err)
{
    LocaleName first, second = { .is_known = false };
    Status st = locale_name_read(&first, LOCALE_NAME_LANGUAGE, a, "en", err);

    *out = false;
    if (st == OK && first.is_known) st = locale_name_read(&second, LOCALE_NAME_LANGUAGE, b, "en", err);
    if (st == OK && first.is_known && second.is_known)
        *out = first.len == second.len && u_memcmp(first.text, second.text, first.len) == 0;
    return st;
}

/* In practice "no" means Bokmål. */
static bool are_bokmal(const char *a, const char *b)
{
    return strcmp(a, "nb") == 0 && strcmp(b, "no") == 0;
}

Status language_tag_same_language(bool *out, const LanguageTag *a, const LanguageTag *b, Err *err)
{
    *out = strcmp(a->language, b->language) == 0 || are_bokmal(a->language, b->language) ||
           are_bokmal(b->language, a->language);
    if (*out || (strlen(a->language) != 3 && strlen(b->language) != 3)) return OK;
    return same_name(out, a->language, b->language, err);
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

/* The fit of two tags of the same language. */
static unsigned fit_of(const LanguageTag *wanted, const LanguageTag *has, bool same_script)
{
    unsigned fit = same_script ? 5 : 1;

    if (!same_script && wanted->script[0] && (has->script[0] || has->region[0])) return 0;
    if (wanted->region[0] && strcmp(wanted->region, has->region) == 0) fit += 2;
    return fit + !has->region[0];
}

Status language_tag_fit(unsigned *out, const LanguageTag *wanted, const LanguageTag *has, Err *err)
{
    char wanted_script[5], script[5];
    bool same;
    Status st = language_tag_same_language(&same, wanted, has, err);

    *out = 0;
    if (st != OK || !same) return st;
    st = likely_script(wanted, wanted_script, err);
    if (st == OK) st = likely_script(has, script, err);
    if (st == OK) *out = fit_of(wanted, has, strcmp(wanted_script, script) == 0);
    return st;
}
