/* label_language.c - see label_language.h. ICU knows the codes, and those with three letters that have two as well. */
#include "label_language.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <unicode/uloc.h>

/* Scripts that gettext writes after a sign: sr@latin. Other words there name variants: ca@valencia. */
static const char *const scripts[][2] = {
    { "latin", "Latn" },
    { "cyrillic", "Cyrl" },
    { "arabic", "Arab" },
    { "devanagari", "Deva" },
};

/* Codes of the libraries' list (ISO 639-2/B), which ICU does not know. */
static const char *const library_codes[][2] = {
    { "alb", "sq" }, { "arm", "hy" }, { "baq", "eu" }, { "bur", "my" }, { "chi", "zh" },
    { "cze", "cs" }, { "dut", "nl" }, { "fre", "fr" }, { "geo", "ka" }, { "ger", "de" },
    { "gre", "el" }, { "ice", "is" }, { "mac", "mk" }, { "mao", "mi" }, { "may", "ms" },
    { "per", "fa" }, { "rum", "ro" }, { "slo", "sk" }, { "tib", "bo" }, { "wel", "cy" },
};

static const char *find_pair(const char *const pairs[][2], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(pairs[i][0], name) == 0) return pairs[i][1];
    return NULL;
}

static bool is_known(const char *tag)
{
    const size_t length = strcspn(tag, "-");

    for (const char *const *code = uloc_getISOLanguages(); *code; code++)
        if (strlen(*code) == length && strncmp(*code, tag, length) == 0)
            return strcmp(*code, "und") != 0 && strcmp(*code, "mul") != 0 && strcmp(*code, "zxx") != 0;
    return false;
}

bool label_language_read(const char *name, size_t length, char tag[LABEL_LANGUAGE_BYTES])
{
    char plain[LABEL_LANGUAGE_BYTES] = "", locale[2 * LABEL_LANGUAGE_BYTES];
    const char *script, *code;
    char *region, *mark;
    UErrorCode fault = U_ZERO_ERROR;
    int32_t size;

    *tag = '\0';
    while (length && strchr(" \t\r\n", *name)) name++, length--;
    while (length && strchr(" \t\r\n", name[length - 1])) length--;
    if (!length || length >= sizeof plain || memchr(name, '\0', length)) return false;
    memcpy(plain, name, length);
    mark = plain + strcspn(plain, "@.");
    script = *mark == '@' ? find_pair(scripts, sizeof scripts / sizeof *scripts, mark + 1) : NULL;
    *mark = '\0'; /* the encoding in de_DE.UTF-8 goes, too */
    region = plain + strcspn(plain, "-_");
    if (*region) *region++ = '\0';
    code = find_pair(library_codes, sizeof library_codes / sizeof *library_codes, plain);
    snprintf(locale, sizeof locale, "%s%s%s%s%s", code ? code : plain, script ? "_" : "", script ? script : "",
             *region ? "_" : "", region);
    size = uloc_toLanguageTag(locale, tag, LABEL_LANGUAGE_BYTES, true, &fault);
    if (U_FAILURE(fault) || size <= 0 || size >= LABEL_LANGUAGE_BYTES || !is_known(tag)) *tag = '\0';
    return *tag;
}
