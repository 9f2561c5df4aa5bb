/* latex_scan.h - the syntax of LaTeX documents: comments, names and arguments of commands. */
#ifndef DRAGOMAN_LATEX_SCAN_H
#define DRAGOMAN_LATEX_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

/* Of arguments in braces: as many as follow directly. */
#define LATEX_ANY_COUNT SIZE_MAX

/* A document and its braces, which latex_braces_find() finds. */
typedef struct {
    const char *bytes;
    size_t end;
    bool has_shorthands; /* latex_shorthands_are_german() */
    Range *groups;       /* [group_count], a { and its }, ascending by the first; end is 0 if there is no } */
    size_t group_count, group_capacity;
} LatexScan;

/* Returns the place of the } of the { at byte `at`; 0 if there is none. */
size_t latex_scan_partner(const LatexScan *scan, size_t at);

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

/* The same for a table whose rows, of `size` bytes, begin with a pointer to their name and are sorted by it. Returns
 * the number of the row, or `count` if the name is not there. */
size_t latex_scan_row(const LatexScan *scan, Range name, const void *rows, size_t count, size_t size);

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

#endif
