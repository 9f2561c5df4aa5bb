/* html_tokens.h - the parts of an HTML document, as the HTML standard tokenizes it; every byte belongs to one part.
 * A start tag says nothing about what follows: the contents of <script> are found with html_token_raw_end(). */
#ifndef DRAGOMAN_HTML_TOKENS_H
#define DRAGOMAN_HTML_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

typedef enum {
    HTML_TEXT,
    HTML_START, /* <name ...> */
    HTML_CLOSE, /* </name ...> */
    HTML_OPAQUE /* comments, <!DOCTYPE>, <![CDATA[ ]]>, <?php ?>, <% %>, and a tag that the file ends in */
} HtmlKind;

typedef struct {
    HtmlKind kind;
    Range bytes, name;
    size_t attributes; /* where they begin */
} HtmlToken;

/* Reads the part that begins at byte `at` < end. */
HtmlToken html_token_read(const char *bytes, size_t at, size_t end);

/* Returns the end of a template's tag at byte `at` < end, {% %}, {{ }}, <% %> or <? ?>, if it ends in the same line;
 * otherwise `at`. *begins, which may be NULL: whether its first bytes are there. */
size_t html_template_end(const char *bytes, size_t at, size_t end, bool *begins);

/* Returns where the contents of an element without tags in it end: at the end tag with this name, or at `end`. */
size_t html_token_raw_end(const char *bytes, size_t at, size_t end, Range name);

/* White space as HTML defines it. */
static inline bool html_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Compares a name with one in lower case. */
bool html_name_is(const char *bytes, Range name, const char *lower);

/* Whether the list of names in lower case, separated by spaces, contains the name. */
bool html_name_is_in(const char *bytes, Range name, const char *list);

/* A number for the name, the same in upper and lower case. */
uint64_t html_name_key(const char *bytes, Range name);

typedef struct {
    Range name, value; /* without quotes */
    char quote;        /* 0: none */
} HtmlAttribute;

/* Reads the next attribute of a start tag from *at on. Quotes in a template's tag do not end a value in quotes. Returns
 * false if there are no more. */
bool html_attribute_next(const char *bytes, const HtmlToken *tag, size_t *at, HtmlAttribute *out);

#endif
