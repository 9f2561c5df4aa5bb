/* markdown_spelling.h - how characters are spelled in Markdown: with a backslash where they would be markup.
 *
 * The context of a text is its kind and flags. A plain character of the source is not always safe by the rules here,
 * which see only what is next to it: Markdown also leaves a * alone that has no partner. The format then sets the flag
 * of this character for the whole text, and all plain ones of the source stay plain in it. */
#ifndef DRAGOMAN_MARKDOWN_SPELLING_H
#define DRAGOMAN_MARKDOWN_SPELLING_H

#include "document_formats.h"
#include "html_spelling.h"

/* Kinds of texts. Those that are less than HTML_CONTEXTS are HTML. */
enum {
    MARKDOWN_PARAGRAPH = 16, /* blocks can begin in it */
    MARKDOWN_INLINE,         /* heading, cell, description of an image */
    MARKDOWN_DOUBLE,         /* titles of links */
    MARKDOWN_SINGLE,
    MARKDOWN_PARENTHESES,
    MARKDOWN_KINDS = 32 /* above every kind */
};

/* A flag: the text is in a cell of a table. */
#define MARKDOWN_CELL 32u

/* A flag: the text of a link contains brackets, which are balanced. */
#define MARKDOWN_BRACKETS (1u << 30)

/* Returns the flag of a plain character that is not safe in its place, otherwise 0. */
unsigned markdown_spelling_flag(char c, const SpellingPlace *place);

extern const SpellingRules markdown_spelling;

#endif
