/* escaped_code.h - code in strings, which their translation keeps, and links of Markdown and reStructuredText in
 * them. */
#ifndef DRAGOMAN_ESCAPED_CODE_H
#define DRAGOMAN_ESCAPED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "escaped_part.h"
#include "ranges.h"

/* Reads the code of a string from its beginning on. Starts as { .bytes, .end, .read, .begins_line = true }. */
typedef struct {
    const char *bytes;
    size_t end; /* of the string */
    EscapedReader *read;
    char last;                                    /* the character before; ' ' after code or a tag */
    bool begins_line;                             /* only blanks are before it in its line */
    bool has_no_fence, has_no_mark, has_no_brace; /* no end of a block, of a comment or of a message follows */
} CodeReader;

/* Returns the end of the code that begins at byte `at`, or `at`: `x` in a line, lines between two lines of ```,
 * <!-- x -->, <!DOCTYPE html>, and messages of ICU, {n, plural, one {x} other {y}}. `at` must ascend; reading all of a
 * string takes linear time. */
size_t escaped_code_end(CodeReader *code, size_t at);

/* The same for what reStructuredText replaces, and for references without a text of their own: |name|, :role:`x`, `x`_,
 * [1]_, name_. A part of escaped_code_end(). */
size_t escaped_rst_end(const CodeReader *code, size_t at);

/* Moves on from byte `at` to `next`: over a character, code or a tag. */
void escaped_code_skip(CodeReader *code, size_t at, size_t next);

/* [text](target), ![text](target), `text <target>`_, :role:`text <target>` or {role}`text <target>` */
typedef struct {
    Range opening, closing; /* [ and ](target) */
} EscapedLink;

/* Reads the link that begins at byte `at`. Its text contains no brackets, and its target no white space. */
bool escaped_code_link(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedLink *link);

/* The same for one of reStructuredText. */
bool escaped_rst_link(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedLink *link);

#endif
