/* latex_symbols.h - characters that LaTeX spells with several: accents, quotation marks, dashes, special letters, and
 * the shorthands of German. */
#ifndef DRAGOMAN_LATEX_SYMBOLS_H
#define DRAGOMAN_LATEX_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
#include "latex_scan.h"

/* Whether the quote begins shorthands in a document whose preamble ends at byte `end`: its language is German, and it
 * does not turn them off. The language is the main one in the options of babel, or of the class if babel has none;
 * \selectlanguage must not name another one. */
bool latex_shorthands_are_german(const LatexScan *scan, size_t begin, size_t end);

#define LATEX_SYMBOL_BYTES 8

/* Loads the tables that letters with accents need; later calls are quick. False: out of memory. Call it before
 * latex_symbol_read(). */
bool latex_symbols_open(void);

/* Reads the spelling of a character at byte `at`: \"a \"{a} {\"a} \ss \% `` '' -- --- ~ and the like. Returns where it
 * ends, or `at` if there is none; out[0..*length) is the character. It is a soft hyphen where a word can be divided:
 * \- and, in German, "-. */
size_t latex_symbol_read(const LatexScan *scan, size_t at, char out[LATEX_SYMBOL_BYTES], size_t *length);

extern const SpellingRules latex_spelling;

#endif
