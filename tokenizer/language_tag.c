/* language_tag.c - see language_tag.h. */
#include "language_tag.h"

#include <stdio.h>
#include <string.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>

#include "language.h"
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

/* Reads the three parts of an ICU locale. */
static bool read_locale(LanguageTag *out, const char *locale)
{
    UErrorCode code = U_ZERO_ERROR;

    uloc_getLanguage(locale, out->language, sizeof out->language, &code);
    uloc_getScript(locale, out->script, sizeof out->script, &code);
    uloc_getCountry(locale, out->region, sizeof out->region, &code);
    if (U_FAILURE(code) || !out->language[0]) return false;
    language_shorten(out->language);
    if (strcmp(out->region, "XX") == 0) out->region[0] = '\0';
    return true;
}

Status language_tag_read(LanguageTag *out, const char *text, Err *err)
{
    size_t len = strcspn(text, ".@");
    const char *modifier = strchr(text, '@');
    char locale[LONGEST];
    Status st = to_locale(locale, text, len, err);

    *out = (LanguageTag){ "", "", "" };
    if (st != OK) return st;
    if (!locale[0] || !read_locale(out, locale))
        *out = (LanguageTag){ "", "", "" };
    else if (modifier && !out->script[0])
        snprintf(out->script, sizeof out->script, "%s", script_of_modifier(modifier));
    return OK;
}

bool language_tag_parse(LanguageTag *out, const char *text)
{
    return language_tag_read(out, text, NULL) == OK && out->language[0];
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
static bool same_name(const char *a, const char *b)
{
    UChar names[2][LONGEST];
    UErrorCode code = U_ZERO_ERROR;

    uloc_getDisplayLanguage(a, "en", names[0], LONGEST, &code);
    uloc_getDisplayLanguage(b, "en", names[1], LONGEST, &code);
    return code == U_ZERO_ERROR && u_strcmp(names[0], names[1]) == 0;
}

/* In practice "no" means Bokmål. */
static bool are_bokmal(const char *a, const char *b)
{
    return strcmp(a, "nb") == 0 && strcmp(b, "no") == 0;
}

bool language_tag_same_language(const LanguageTag *a, const LanguageTag *b)
{
    if (strcmp(a->language, b->language) == 0) return true;
    if (are_bokmal(a->language, b->language) || are_bokmal(b->language, a->language)) return true;
    return (strlen(a->language) == 3 || strlen(b->language) == 3) && same_name(a->language, b->language);
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

unsigned language_tag_fit(const LanguageTag *wanted, const LanguageTag *has)
{
    char wanted_script[5], script[5];
    unsigned fit = 1;

    if (!language_tag_same_language(wanted, has)) return 0;
    (void)likely_script(wanted, wanted_script, NULL);
    (void)likely_script(has, script, NULL);
    if (strcmp(wanted_script, script) == 0)
        fit += 4;
    else if (wanted->script[0] && (has->script[0] || has->region[0]))
        return 0;
    if (wanted->region[0] && strcmp(wanted->region, has->region) == 0) fit += 2;
    return fit + !has->region[0];
}
