/* line_breaks.h - whether a line break divides texts. One rule for the documents of all formats: a line break divides
 * texts unless a sentence clearly continues after it. "Red apples⏎Green pears" are two texts; "The new⏎garden" is
 * one. */
#ifndef DRAGOMAN_LINE_BREAKS_H
#define DRAGOMAN_LINE_BREAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text before a line break, since the last line break that divides texts. Starts as {0}. */
typedef struct {
    uint32_t first, last; /* its first letter or digit, and its last character; 0: none */
    size_t words;
    bool is_in_word;
} LineBefore;

/* Adds a character. */
void line_breaks_add(LineBefore *before, uint32_t code);

typedef enum {
    BREAK_NONE,    /* no line break */
    BREAK_NEWLINE, /* a newline character, which may only wrap a long line */
    BREAK_HARD,    /* <br>, w:br, two spaces at the end of a line in Markdown */
    BREAK_ALWAYS   /* an empty line, two line breaks, the end of a block */
} LineBreakKind;

/* Whether a sentence continues after a line break: `next`, the first character after it, is in lower case, and a
 * letter, a digit, a comma or a closing bracket is before it. Exception: one or two words in lower case before a hard
 * break are an item of a list, which does not continue. */
bool line_breaks_goes_on(const LineBefore *before, uint32_t next, LineBreakKind kind);

#endif
