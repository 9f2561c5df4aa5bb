/* escaped_text.h - strings with escapes, as the formats of messages and data have them: their lines are reported to the
 * builder as texts of their own.
 *
 * A newline in a string, as the escape \n or <br>, ends a text. But if the sentence clearly goes on after it
 * (line_breaks.h), the newline is a line break (if the document has one there, too) or a space.
 * A part of two newlines always ends the text. So do an escape that is text itself, a backslash and an n, which JSON
 * spells \\n, and blanks that separate columns: tabs, three spaces, or two in a line of a help text. Tags of HTML in a
 * string are markup: see escaped_tags_find(). Those of blocks end a text, too. */
#ifndef DRAGOMAN_ESCAPED_TEXT_H
#define DRAGOMAN_ESCAPED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
#include "escaped_tags.h"
#include "line_breaks.h"

/* A string whose lines are being reported. */
typedef struct {
    DocumentBuilder *builder;
    EscapedReader *read;
    const char *bytes;  /* of the document */
    size_t at, end;     /* what is not reported yet */
    size_t letters_end; /* the end of the last letter; `at` from the beginning if there are no letters */
    uint32_t last;      /* the last character of the line that is not a space */
    LineBefore before;  /* the text so far */
    bool is_after_space;
    size_t break_end; /* after the escapes that ended the text before */
    bool begins_line; /* `at` is at the beginning of a line */
    bool is_indented; /* the line begins with a space or a dash, as those of help texts do */
    bool is_divided;  /* the string is more than one text */
    bool is_whole;    /* only newlines divide the string, because a part of it could not get quotes of its own */
    bool separates;   /* spaces without bytes separate blocks from words */
    EscapedTagList tags;
    size_t next_tag; /* for escaped_tags_at() */
} EscapedText;

/* Ends with escaped_text_free(). */
EscapedText escaped_text_start(DocumentBuilder *builder, EscapedReader *read, size_t begin, size_t end);
void escaped_text_free(EscapedText *text);

/* Whether letters are left that are not in markup. */
bool escaped_text_has_more(const EscapedText *text);

/* Reports the next line to the text that has begun at `text->at`, and moves on: the text ends at the new `text->at`.
 * Newlines, tags of blocks and lines without letters before it are empty elements, and so are those after the last
 * letters. */
void escaped_text_report(EscapedText *text);

/* Reports the next line as a unit, and moves on. `context` is that of a translation, and `own` that of the text that
 * is there, for strings that only a translation changes. If it `is_whole`, all that is left is one text, because quotes
 * can become necessary around it: blocks are spans of the text, but newlines still end it. */
void escaped_text_report_unit(EscapedText *text, unsigned context, unsigned own, bool is_whole);

/* Reports the lines that are left as units. `own` may be the same as `context`. */
void escaped_text_report_rest(EscapedText *text, unsigned context, unsigned own);

/* Reports the lines of a string as units. */
void escaped_text_report_units(DocumentBuilder *builder, EscapedReader *read, unsigned context, size_t begin,
                               size_t end);

/* Whether the spelling and what follows are read as this spelling. */
bool escaped_text_keeps(EscapedReader *read, const char *spelling, size_t length, const SpellingPlace *place);

/* The part that is the character at bytes[0] itself; CR LF is a newline. */
EscapedPart escaped_text_plain(const char *bytes, size_t length);

/* A part of `length` bytes for a code point. What no text can contain has no text: surrogates, invalid codes. */
EscapedPart escaped_text_code(size_t length, uint32_t code);

/* Reads a number of exactly `digits` hexadecimal digits. Returns UTF8_INVALID if they are not there. */
uint32_t escaped_text_hex(const char *bytes, size_t length, size_t digits);

/* Reads \uXXXX at bytes[0], or two of them for a surrogate pair. Returns a part without text for a surrogate alone; its
 * length is 0 if there is no such escape. */
EscapedPart escaped_text_utf16(const char *bytes, size_t length);

/* Writes \uXXXX, or two of them, with upper or lower case digits, and returns its length. */
size_t escaped_text_put_utf16(uint32_t code, bool is_upper, char *out);

/* --- The apostrophes of Java's MessageFormat: '' is one, and a single one quotes what follows up to the next:
 * '{'name'}' is {name}. */

/* Whether a string has an argument, {0}, and single apostrophes only around braces or what is in braces. Others say
 * that a program does not read it with MessageFormat: Can't open {0}. */
bool escaped_text_is_message(EscapedReader *read, const char *bytes, size_t length);

/* Reads a character of such a string: '' is an apostrophe; one that quotes a brace is one part with it. */
EscapedPart escaped_text_message(EscapedReader *read, const char *bytes, size_t length);

/* Whether the part has the apostrophes that the string needs around it, whatever is beside it. */
bool escaped_text_keeps_message(const char *spelling, size_t length);

#endif
