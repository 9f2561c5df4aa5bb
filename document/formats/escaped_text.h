/* escaped_text.h - strings with escapes, as the formats of messages and data have them: their lines are reported to the
 * builder as texts of their own.
 *
 * A newline in a string, as the escape \n or <br>, ends a text. But if the sentence clearly goes on after it
 * (line_breaks.h), the newline is a line break (if the document has one there) or a space.
 * A part of two newlines always ends the text, as do an escape that is text itself, a backslash and an n, which JSON
 * spells \\n, and blanks that separate columns: tabs, three spaces, or two in a line of a help text. Tags of HTML in a
 * string are markup: see escaped_tags_find(). Tags of blocks end a text.
 *
 * Besides words, strings contain HTML (&lt;b&gt; in XML, <b> in a CDATA section, <a href=\"x\"> in JSON), links, and
 * code. */
#ifndef DRAGOMAN_ESCAPED_TEXT_H
#define DRAGOMAN_ESCAPED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
#include "line_breaks.h"
#include "ranges.h"

#define ESCAPED_PART_TEXT 8

/* A character of a string, as the document spells it. */
typedef struct {
    size_t length; /* bytes of the document, at least 1 */
    size_t size;   /* of the text; 0: no text, as between two lines that are joined */
    char text[ESCAPED_PART_TEXT];
} EscapedPart;

/* Reads the character that begins at bytes[0], of length > 0 bytes. */
typedef EscapedPart EscapedReader(const char *bytes, size_t length);

typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

/* A tag that is written in text. */
typedef struct {
    EscapedKind kind;
    Range name;
} EscapedTag;

/* Reads the tag at byte `at` of the text [at, end): a name, and attributes with values. Returns where it ends, or `at`
 * if there is no tag or it has more than 1000 bytes: reading must take linear time. */
size_t escaped_tag_read(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedTag *tag);

/* Whether the name is that of a block: a paragraph, a heading, an item. */
bool escaped_tag_is_block(const char *bytes, Range name);

/* Whether the tag separates words: <br>, <hr> and the tags of blocks. */
bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag);

typedef struct {
    Range bytes;
    EscapedTag tag;
    bool ends_line; /* <br>, <hr>, <p/>, all of <style> */
    bool is_block;  /* <p>, <li> and the like: one of a pair */
    bool is_object; /* a picture, all of <i class="icon"></i> */
    bool is_markup; /* otherwise it is a word of the text */
} FoundTag;

/* Ends with escaped_tags_free(). */
typedef struct {
    FoundTag *data; /* in the order of their bytes */
    size_t len, cap;
    bool failed;
    RangeList kept; /* bytes that are code, in their order */
} EscapedTagList;

/* Returns the tags of a text of the document that are markup: those that end lines, HTML's empty elements with
 * attributes, and pairs that do not cross others, also the ends of the links of Markdown and reStructuredText. All
 * others are words of the text, as <name> in "Hello <name>", <div> in "The <div> element" or <x id="1"/>; and if a text
 * has more tags than a unit can contain, all of them are. Memory that is missing becomes a failure of the builder.
 *
 * Code is `x` in a line, lines between two lines of ```, <!-- x -->, <!DOCTYPE html>, messages of ICU, {n, plural, one
 * {x} other {y}}, and what reStructuredText replaces: |name|, :role:`x`, `x`_, [1]_, name_. */
EscapedTagList escaped_tags_find(DocumentBuilder *builder, Range text, EscapedReader *read);
void escaped_tags_free(EscapedTagList *list);

/* Reports a tag: as a line end, an object, an end of a span or an empty element. */
void escaped_tags_report(DocumentBuilder *builder, const FoundTag *found);

/* Whether byte `at` is in code. */
bool escaped_tags_is_code(const EscapedTagList *list, size_t at);

/* Returns the markup that begins at byte `at`, or NULL. *next is 0 before the first call; `at` must not descend after
 * that. */
const FoundTag *escaped_tags_at(const EscapedTagList *list, size_t *next, size_t at);

/* Returns the first byte after `at` where markup begins, or code begins or ends; SIZE_MAX: none. `next` is that of
 * escaped_tags_at(). */
size_t escaped_tags_next(const EscapedTagList *list, size_t next, size_t at);

/* --- The lines of a string. */

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
 * Newlines, tags of blocks and lines without letters before it, and those after the last letters, are empty
 * elements. */
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

/* Writes \uXXXX, or two of them, with upper or lower case digits, and returns its length. `out` has SPELLING_BYTES. */
size_t escaped_text_put_utf16(uint32_t code, bool is_upper, char *out);

/* The escapes of a format: a backslash and a letter, or a number. */
typedef struct {
    const char *letters, *codes; /* letters, and the characters that they stand for, in the same order */
    const char *utf16;           /* letters before four digits of UTF-16 */
    unsigned octal;              /* mask of a number of up to three octal digits; 0: there are no such numbers */
    bool keeps_unknown; /* a backslash before another character belongs to it: alone, it would make an escape of
                                    what is written after it. Otherwise such an escape has no text */
} EscapeRules;

/* Reads the escape at bytes[0], of length > 1 bytes. A number beyond ASCII has no text: it is a byte in some encoding. */
EscapedPart escaped_text_escape(const EscapeRules *rules, const char *bytes, size_t length);

/* Writes a backslash and the letter of the character, and returns 2; 0: it has no letter. */
size_t escaped_text_put_letter(const EscapeRules *rules, uint32_t code, char *out);

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
