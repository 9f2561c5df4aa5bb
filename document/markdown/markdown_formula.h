/* markdown_formula.h - formulas of TeX, \( ... \) and \[ ... \], which MathJax and KaTeX find in Markdown. To Markdown
 * alone, they are escaped brackets, as in prose: \(see below\). */
#ifndef DRAGOMAN_MARKDOWN_FORMULA_H
#define DRAGOMAN_MARKDOWN_FORMULA_H

#include <stddef.h>

/* Returns the byte after the formula that begins with the backslash at text[at], at most `end`; or `at` if there is no
 * other end, or if what is inside does not look like a formula. */
size_t markdown_formula_end(const char *text, size_t at, size_t end);

#endif
