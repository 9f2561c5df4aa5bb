/* latex_symbols.h - characters that LaTeX spells with several: accents, quotation marks, dashes, special letters. */
#ifndef DRAGOMAN_LATEX_SYMBOLS_H
#define DRAGOMAN_LATEX_SYMBOLS_H

#include "document_formats.h"
#include "latex_scan.h"

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
