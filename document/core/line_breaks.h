/* line_breaks.h - whether a line break divides texts. One rule for the documents of all formats: it does, unless a
 * sentence clearly goes on after it. "Red apples⏎Green pears" are two texts, and "The new⏎garden" is one. */
#ifndef DRAGOMAN_LINE_BREAKS_H
#define DRAGOMAN_LINE_BREAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text before a line break, since the last one that divides. Starts as {0}. */
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

/* Whether a sentence goes on after a line break, if the first character after it is `next`: in lower case, after a
 * letter, a digit, a comma or a closing bracket. At a hard break, one or two words in lower case are rather an item of
 * a list. */
bool line_breaks_goes_on(const LineBefore *before, uint32_t next, LineBreakKind kind);

#endif
