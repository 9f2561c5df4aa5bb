/* latex_extent.h - where parts of LaTeX documents end that are left alone or kept. */
#ifndef DRAGOMAN_LATEX_EXTENT_H
#define DRAGOMAN_LATEX_EXTENT_H

#include "latex_scan.h"

/* Returns the end of mathematics that begins at byte `at` and ends with `close`: after it; `at` if there is no end in
 * the same paragraph, or if it is longer than 4000 bytes. */
size_t latex_extent_math(const LatexScan *scan, size_t at, const char *close);

/* Returns the end of \verb|x|, whose name ends at byte `at`: after the second of the characters around the code; `at`
 * if it is not in this line. */
size_t latex_extent_verb(const LatexScan *scan, size_t at);

/* The same for \lstinline|x|, but a letter, a digit, a brace, a bracket, a parenthesis or the beginning of a command or
 * comment is not such a character. */
size_t latex_extent_code(const LatexScan *scan, size_t at);

/* Returns where the code of \lstinline[x]|y| begins, whose name ends at byte `at`: after the option and blanks. With
 * `has_language`, an argument in braces comes before the code: \mintinline[x]{c}|y|. */
size_t latex_extent_code_settings(const LatexScan *scan, size_t at, bool has_language);

/* Returns the end of the length that begins at byte `at`, 1em, =1em or -.5\parindent, with its stretch and shrink,
 * plus 1fil minus 2pt; `at` if there is none. */
size_t latex_extent_length(const LatexScan *scan, size_t at);

/* Returns the end of the width that a box or a table has after its name, to 5cm or spread 1em; `at` if there is
 * none. */
size_t latex_extent_width(const LatexScan *scan, size_t at);

/* Returns where the option of \\ begins, whose name ends at byte `at`, if it is a length; otherwise `at`. Blanks may
 * precede it. */
size_t latex_extent_break(const LatexScan *scan, size_t at);

/* Returns the end of the word that follows byte `at` and blanks, as in \input x; `at` if there is none. */
size_t latex_extent_word(const LatexScan *scan, size_t at);

/* The name of an environment. */
typedef struct {
    const char *text;
    size_t length;
} LatexName;

/* Returns the end of \begin{name} or \end{name} at byte `at`, where `command` is \begin or \end; `at` if it is not
 * there. Blanks may precede the brace. */
size_t latex_extent_boundary(const LatexScan *scan, size_t at, const char *command, LatexName name);

/* Finds it from byte `at` on. Returns an empty range at the end of the document if there is none. */
Range latex_extent_find_boundary(const LatexScan *scan, size_t at, const char *command, LatexName name);

/* Returns the end of an environment: after its \end{name}, or the end of the document. */
size_t latex_extent_environment(const LatexScan *scan, size_t at, Range name);

/* Whether most lines of the environment whose \begin{name} ends at byte `at` look like code or a listing: a prompt, an
 * operator, an underscore or a # that is an error in text, a semicolon or a brace at the end. If the name says that it
 * is code, its lines need only not be sentences or commands of LaTeX. Only the first lines are read. */
bool latex_listing_is_code(const LatexScan *scan, size_t at, Range name);

/* Returns the end of \def\name#1{...} or \newcommand\name{...}, whose name ends at byte `at`: after its arguments; `at`
 * if there are none in this line. */
size_t latex_extent_definition(const LatexScan *scan, size_t at);

#endif
