/* markdown.h - what the two files of Markdown share. document_markdown.c reads blocks, and spells the characters of
 * translations; markdown_units.c turns paragraphs, headings and cells into units. */
#ifndef DRAGOMAN_MARKDOWN_H
#define DRAGOMAN_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "chars.h"
#include "document_formats.h"
#include "html.h"
#include "ranges.h"
#include "str_map.h"

bool markdown_is_punctuation(char c); /* only ASCII punctuation counts */

/* Whether the text ends with a backslash that escapes the next character. */
bool markdown_is_escaped(const char *text, size_t length);

/* --- Small parts that CommonMark defines by their characters. Each function reads at text[at], at most to `end`, and
 * returns the byte after the part, or `at` if it is not there. */

/* Reads a tag, a comment, a processing instruction, a declaration or CDATA; text[at] is '<'. */
size_t markdown_read_html(const char *text, size_t at, size_t end);

/* Returns the end of a part that begins with the line and contains no other block: a formula whose first line begins
 * with $$ and contains no other $$, and whose last line begins or ends with $$; or a tag of JSX, whose > may begin a
 * line. Returns 0 if there is neither, if the part is one line or contains a blank line, or if it is too long. */
size_t markdown_whole_lines_end(const char *bytes, Range line, size_t end);

/* Reads attributes in one line: {#id .class name=value} of Python-Markdown and pandoc, or {: ... } of kramdown. */
size_t markdown_read_attributes(const char *text, size_t at, size_t end);

/* Reads the [label] of a link or a footnote; text[at] is '['. */
size_t markdown_read_label(const char *text, size_t at, size_t end);

/* Returns a hash of the label inside the brackets. It is equal for labels that Markdown does not distinguish. */
uint64_t markdown_label_key(const char *text, Range label);

/* Reads the definition of a label at the beginning of a paragraph, [label]: address "title", to the end of its line.
 * *label is the text inside the brackets and *title the text inside the quotes; the title may be empty. If the address
 * is # or <>, the definition is a comment, so its title is empty. */
size_t markdown_read_definition(const char *text, size_t at, size_t end, Range *label, Range *title);

/* Whether the line text[at .. end) contains only white space. */
bool markdown_line_is_blank(const char *text, size_t at, size_t end);

/* --- How characters are spelled: with a backslash where they would be markup. */

/* The context of a text is its kind and flags. The rules of spelling see only the characters next to a mark, so they
 * escape more than is necessary: a * without a partner, for example, is text anyway. If the source has such a mark
 * without a backslash, the flag of this character is set for the whole text, and the translation does not escape it.
 *
 * Kinds that are less than HTML_CONTEXTS are HTML. */
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

/* A flag: the text of a link contains balanced brackets. */
#define MARKDOWN_BRACKETS (1u << 30)

/* A flag: in the source, marks of emphasis follow each other in places where a single mark would be text, as inside
 * __a_ b__c__. Then marks may follow each other in the translation. */
#define MARKDOWN_MARKS (1u << 31)

/* Returns the flag of a plain character that is not safe in its place, otherwise 0. */
unsigned markdown_spelling_flag(char c, const SpellingPlace *place);

/* Rules for marks of emphasis in translations. Where Markdown would take a mark for text, the mark moves inwards over
 * punctuation, or "_" becomes "*"; if neither helps, HTML tags replace the marks. */
extern const MarkRules markdown_emphasis_marks;

/* --- Paragraphs and their units. */

/* Where a line begins: in the text of the paragraph, and in the document. */
typedef struct {
    size_t text, source;
} MarkdownLine;

/* The paragraph whose units are added. The caller frees its memory. */
typedef struct {
    DocumentBuilder *builder;
    Buf text; /* its lines, without the quote marks and the indentation before them, joined by newlines */
    LIST_OF(MarkdownLine) lines;
    StrMap *labels; /* the labels of all definitions in the document, as the bytes of markdown_label_key() */
} MarkdownTexts;

/* Returns where byte `at` of the paragraph's text is in the document. */
size_t markdown_texts_source(const MarkdownTexts *texts, size_t at);

/* Adds the part `range` of the text. Hard line breaks divide it into several units. `context` is a kind, or a kind with
 * MARKDOWN_CELL. */
void markdown_units_add(const MarkdownTexts *texts, Range range, unsigned context);

/* Adds the title of a link, unless it is empty. The byte before the title is its quote. */
void markdown_units_add_title(const MarkdownTexts *texts, Range title);

#endif
