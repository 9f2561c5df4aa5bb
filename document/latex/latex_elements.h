/* latex_elements.h - reports the parts of a LaTeX document that are elements of a text and contain no text of their
 * own: mathematics, code, declarations, references, groups.
 *
 * All functions return where to go on. `at` is where the element begins, `name` and `name_end` are those of its
 * command. */
#ifndef DRAGOMAN_LATEX_ELEMENTS_H
#define DRAGOMAN_LATEX_ELEMENTS_H

#include "latex_commands.h"
#include "latex_parser.h"

/* Begins the group at byte `at`, a span with the declarations at its beginning: {\it x}. In {\tt x}, it is code. */
size_t latex_element_group(LatexParser *parser, size_t at);

/* Begins the span of \texorpdfstring{x}{y}, whose end contains the text y. */
size_t latex_element_tex_string(LatexParser *parser, LatexCommand command, size_t at, size_t name_end);

/* Mathematics whose contents begin at `begin`; `close` ends it. */
size_t latex_element_math(LatexParser *parser, size_t at, size_t begin, const char *close, bool is_display);

size_t latex_element_verb(LatexParser *parser, size_t at, size_t name_end);

/* Code after the name of a command, in braces or between two other characters. */
size_t latex_element_code(LatexParser *parser, LatexCommandKind kind, size_t at, size_t name_end);

/* A command without arguments, or with a length after it. */
size_t latex_element_declaration(LatexParser *parser, size_t at, size_t name_end);
size_t latex_element_length(LatexParser *parser, size_t at, size_t name_end);

/* Also learns what is defined, if it is mathematics. */
size_t latex_element_definition(LatexParser *parser, LatexCommand command, size_t at, Range name);

/* A command that is unknown, or that stands for a text. */
size_t latex_element_kept(LatexParser *parser, LatexCommand command, size_t at, size_t name_end);

/* A command without text. */
size_t latex_element_invisible(LatexParser *parser, LatexCommand command, size_t at, size_t name_end);

#endif
