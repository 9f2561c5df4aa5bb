/* accelerators.h - the marks of accelerators in the texts of menus and buttons: "&File", "E&xit", "_File", "~File". The
 * letter after the mark is the key that chooses the entry. The mark is an empty element of the text: the translator
 * does not see it, and a translation has the mark once, before a letter.
 *
 * A mark is before a letter or digit. These are not marks:
 * - "&" in "&&", in an entity (&amp;) or an address (?a=1&b=2), and after a letter unless a small letter follows: R&D;
 * - "_" inside a word or in one that looks like an identifier (_file_name), and in a text that ends in a full stop;
 * - "~" before a digit, in a path (~/x) or an address, and in a text that ends in a full stop;
 * - any of them, if the text has several marks or more than ACCELERATOR_TEXT bytes. */
#ifndef DRAGOMAN_ACCELERATORS_H
#define DRAGOMAN_ACCELERATORS_H

#include <stddef.h>

#include "document.h"

#define ACCELERATOR_TEXT 200
#define ACCELERATOR_NONE ((size_t)-1)

/* Returns the index of the mark in text[0..length), one of the characters `marks`; ACCELERATOR_NONE: it has no mark. */
size_t accelerators_find(const char *text, size_t length, const char *marks);

/* Moves the mark of `source` in its translation to the next letter, or else to the word before the mark. The new place
 * is inside the mark's parent element, but not in a sibling or a placeholder. If the source marks a digit and the
 * translation contains the same digit, the mark goes before that digit. Words beside a placeholder or with an
 * underscore are used only if there are no other words. Without letters, the mark goes before a digit, or else to the
 * end. Does nothing if the source has no mark. */
void accelerators_move(const UnitText *source, const char *text, size_t length, Range *places);

/* Returns the first byte of the word that contains byte `at` of a text. */
size_t accelerators_word(const char *text, size_t at);

#endif
