/* separators.h - separators in menus, paths and lists: Home | Books, Tools > Options, File / Edit / View. The parts
 * between them are separate texts.
 *
 * A separator has white space or an end of the text on both sides, or is a tab. Other conditions depend on its kind:
 *
 * Tabs    divide always, except at the ends of the text.
 * Lists   | · • and other bars and bullets divide wherever there are words, because no sentence contains such marks.
 * Paths   > » → and other arrows divide if a word follows. After > and ->, the word must begin like a name: "x > 5" and
 *         "if width > height" are not paths. « » with text between them are quotation marks. < and « are separators
 *         only at the beginning of a text.
 * Dashes  - – — / divide only labels: all texts between them are short, begin with a capital letter or a digit, and
 *         have no punctuation. "He came - and left", "5 - 3" and "and / or" are not labels. */
#ifndef DRAGOMAN_SEPARATORS_H
#define DRAGOMAN_SEPARATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* Appends the separators of a text (valid UTF-8) that divide it, in order, without the white space around them. Takes
 * time linear in `len`. */
MUST_USE Status separators_find(RangeList *out, const char *text, size_t len, Err *err);

/* Whether there is something to translate between two separators: a word of two letters, or more than one word. */
bool separators_divide_text(const char *text, Range between);

#endif
