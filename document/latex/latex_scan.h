/* latex_scan.h - the syntax of LaTeX documents: comments, names and arguments of commands, and where parts end that are
 * left alone or kept. */
#ifndef DRAGOMAN_LATEX_SCAN_H
#define DRAGOMAN_LATEX_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

/* Of arguments in braces: as many as follow directly. */
#define LATEX_ANY_COUNT SIZE_MAX

/* A document and its braces, which the format finds. */
typedef struct {
    const char *bytes;
    size_t end;
    const struct LatexNames *names; /* latex_commands.h */
    bool has_shorthands;            /* of German: has_german_shorthands() */
    RangeList groups;               /* a { and its }, ascending by the first; end is 0 if there is no } */
} LatexScan;

/* Returns the end of the line of byte `at`: its newline, or the end of the document. */
size_t latex_scan_line_end(const LatexScan *scan, size_t at);

/* Returns the end of the comment at byte `at`: with the newline and the blanks after it, unless the next line is
 * blank. */
size_t latex_scan_comment(const LatexScan *scan, size_t at);

/* The name of the command at byte `at`, which is a backslash: letters and at signs, with a star after them, or one
 * character. Empty at the end of the document. */
Range latex_scan_name(const LatexScan *scan, size_t at);

/* Compares a name with those in a short list separated by spaces; those without a star stand for the one with a star,
 * too. */
bool latex_scan_is_in(const LatexScan *scan, Range name, const char *list);

/* Finds the argument in brackets or in braces that begins at byte `at`: *contents is what is between them. Returns
 * where it ends, or `at` if there is none. */
size_t latex_scan_option(const LatexScan *scan, size_t at, Range *contents);
size_t latex_scan_argument(const LatexScan *scan, size_t at, Range *contents);

/* Returns the end of the overlay specification of beamer at byte `at`, <1-> or <alert@2>; `at` if there is none. */
size_t latex_scan_overlay(const LatexScan *scan, size_t at);

/* Returns the end of the blanks and comments from byte `at` on, with at most one line end that is not in a comment. TeX
 * skips them before an argument. */
size_t latex_scan_blanks(const LatexScan *scan, size_t at);

/* Returns the end of all overlay specifications and arguments in brackets from byte `at` on. */
size_t latex_scan_settings(const LatexScan *scan, size_t at);

/* Returns the end of the arguments of a command whose name ends at byte `at`; `at` if there are none. `count` is the
 * number of its arguments in braces. Blanks may precede them, and settings: [x], <1-> and (x). A command may take the
 * place of an argument unless `last` is given. With LATEX_ANY_COUNT, the arguments are all in braces and brackets that
 * follow without blanks; with 0, all in brackets. *last is what is between the last braces, unchanged if not all
 * arguments are there; it may be NULL. */
size_t latex_scan_arguments(const LatexScan *scan, size_t at, size_t count, Range *last);

/* Returns where the first occurrence of the text in [at, limit) begins, or `limit`. */
size_t latex_scan_find(const LatexScan *scan, size_t at, size_t limit, const char *text, size_t length);

/* Whether there is a blank line at byte `at`, which is a newline; *end is where its white space ends. */
bool latex_scan_is_paragraph(const LatexScan *scan, size_t at, size_t *end);

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

/* Returns the end of \def\name#1{...} or \newcommand\name{...}, whose name ends at byte `at`: after its arguments; `at`
 * if there are none in this line. */
size_t latex_extent_definition(const LatexScan *scan, size_t at);

#endif
