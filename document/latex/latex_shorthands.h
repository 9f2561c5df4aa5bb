/* latex_shorthands.h - what a quote begins in German with the package babel: "a is \"a, "` and "' are quotation
 * marks. */
#ifndef DRAGOMAN_LATEX_SHORTHANDS_H
#define DRAGOMAN_LATEX_SHORTHANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "latex_scan.h"

/* Whether the quote begins shorthands in a document whose preamble ends at byte `end`: its language is German, and it
 * does not turn them off. The language is the main one in the options of babel, or of the class if babel has none;
 * \selectlanguage must not name another one. */
bool latex_shorthands_are_german(const LatexScan *scan, size_t begin, size_t end);

/* Reads a shorthand at byte `at`. *code is its character: a soft hyphen where a word can be divided. Returns where it
 * ends, or `at` if there is none. */
size_t latex_shorthand_read(const LatexScan *scan, size_t at, uint32_t *code);

#endif
