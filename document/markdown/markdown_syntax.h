/* markdown_syntax.h - the small parts of Markdown that CommonMark defines by their characters. Each function reads at
 * text[at], at most to `end`, and returns the byte after the part, or `at` if it is not there. */
#ifndef DRAGOMAN_MARKDOWN_SYNTAX_H
#define DRAGOMAN_MARKDOWN_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

bool markdown_is_punctuation(char c); /* of ASCII */
size_t markdown_skip_space(const char *text, size_t at, size_t end);

/* The range without white space around it. */
Range markdown_trimmed(const char *text, size_t at, size_t end);

/* A tag, a comment, a processing instruction, a declaration or CDATA, at text[at] == '<'. */
size_t markdown_read_html(const char *text, size_t at, size_t end);

/* <https://x.y> or <a@x.y> */
size_t markdown_read_autolink(const char *text, size_t at, size_t end);

/* {#id .class name=value}, of Python-Markdown and pandoc, or {: ... } of kramdown, in one line. */
size_t markdown_read_attributes(const char *text, size_t at, size_t end);

/* {% ... %} or {: ... } in one line. */
size_t markdown_read_template(const char *text, size_t at, size_t end);

/* {{ ... }}, {{< ... >}} or {{% ... %}}, of Jekyll, Hugo and others. */
size_t markdown_read_variable(const char *text, size_t at, size_t end);

/* [[page]] or [[page|text]] of a wiki, or [@key, p. 3], a citation of pandoc, at text[at] == '['. */
size_t markdown_read_wiki_link(const char *text, size_t at, size_t end);
size_t markdown_read_citation(const char *text, size_t at, size_t end);

/* \name[x]{y} of TeX, with at least one argument in braces, at text[at] == '\\'; *name_end is after its name. */
size_t markdown_read_tex(const char *text, size_t at, size_t end, size_t *name_end);

/* \@ref(fig:name) of bookdown, at text[at] == '\\'. */
size_t markdown_read_reference(const char *text, size_t at, size_t end);

/* [label], of a link or a footnote; text[at] == '['. */
size_t markdown_read_label(const char *text, size_t at, size_t end);

/* A number for what is inside the brackets; the same for labels that Markdown takes for the same one. */
uint64_t markdown_label_key(const char *text, Range label);

/* The address of a link; it may be empty only in <>. */
size_t markdown_read_address(const char *text, size_t at, size_t end);

/* "title", 'title' or (title). */
size_t markdown_read_title(const char *text, size_t at, size_t end);

/* (address "title") after the text of a link. *title is inside the quotes, or empty. */
size_t markdown_read_target(const char *text, size_t at, size_t end, Range *title);

typedef struct {
    Range label, title; /* inside the brackets and the quotes; the title may be empty */
} MarkdownDefinition;

/* [label]: address "title", to the end of its line, at the beginning of a paragraph. */
size_t markdown_read_definition(const char *text, size_t at, size_t end, MarkdownDefinition *out);

#endif
