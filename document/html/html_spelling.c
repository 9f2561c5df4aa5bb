/* html_spelling.c - see html_spelling.h. */
#include "html_spelling.h"

#include <stdio.h>
#include <string.h>

#include "chars.h"
#include "html_entities.h"

/* XML allows no < in a value; HTML reads a reference to it as well. */
static bool is_special_html(unsigned context, uint32_t code)
{
    switch (context) {
    case HTML_IN_DOUBLE_QUOTES:
        return code == '&' || code == '<' || code == '"';
    case HTML_IN_SINGLE_QUOTES:
        return code == '&' || code == '<' || code == '\'';
    case HTML_UNQUOTED:
        return code < 128 && code && strchr("&\"'<>=` \t\f", (int)code);
    default:
        return code == '&' || code == '<' || code == '>';
    }
}

static size_t spell_html(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    switch (code) {
    case '&':
        return spelling_copy("&amp;", out);
    case '<':
        return spelling_copy("&lt;", out);
    case '>':
        return spelling_copy("&gt;", out);
    case '"':
        return spelling_copy("&quot;", out);
    default: /* ASCII */
        out[0] = '&', out[1] = '#';
        out[2] = code >= 10 ? (char)('0' + code / 10) : '0';
        out[3] = (char)('0' + code % 10);
        out[4] = ';';
        return 5;
    }
}

static size_t refer_html(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    return (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code);
}

/* Whether spelling and what follows are read as this spelling. */
static bool keeps_reference(const char *spelling, size_t length, const SpellingPlace *place)
{
    char joined[SPELLING_AHEAD + 64], out[HTML_ENTITY_BYTES];
    size_t size, read;

    if (length > 64) return true; /* many leading zeros */
    memcpy(joined, spelling, length);
    if (place->after_length) memcpy(joined + length, place->after, place->after_length);
    read = html_entity_read(joined, length + place->after_length, place->context >= HTML_IN_DOUBLE_QUOTES, out, &size);
    return read == (length > 1 ? length : 0);
}

static bool keeps_html(const char *spelling, size_t length, const SpellingPlace *place)
{
    const char next = place->after_length ? *place->after : '\0';

    if (*spelling == '&') return keeps_reference(spelling, length, place);
    if (*spelling == '<' && place->context == HTML_IN_TEXT)
        return !next || (!char_is_letter(next) && !strchr("/!?%", next));
    if (*spelling == '<' && place->context < HTML_IN_DOUBLE_QUOTES) return next != '/';
    if (place->context == HTML_UNQUOTED) return !strchr("> \t\f\"'", *spelling);
    return true;
}

const SpellingRules html_spelling = {
    .is_special = is_special_html, .spell = spell_html, .keeps = keeps_html, .refer = refer_html
};
