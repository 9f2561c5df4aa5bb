/* escaped_text.h - strings with escapes, which the formats of messages and data contain. Their lines are reported to
 * the builder as separate texts.
 *
 * A newline in a string, written as the escape \n or as <br>, ends a text. But if the sentence clearly goes on after it
 * (line_breaks.h), the newline is a line break (if the document has one there) or a space. These always end a text: two
 * newlines; the two characters backslash and n, which JSON spells \\n; and blanks that separate columns (tabs, three
 * spaces, or two spaces in a line of a help text). Tags of HTML in a string are markup: see escaped_tags_find(). Tags
 * of blocks end a text.
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
    size_t size;   /* bytes of `text`; 0: the part stands for no character, such as an escaped line end */
    char text[ESCAPED_PART_TEXT];
    bool is_placeholder; /* the part is kept. The translator reads {NAME}; `text` is U+FFFC */
    Range name;          /* in the part */
} EscapedPart;

/* Reads the character that begins at bytes[0], of length > 0 bytes. */
typedef EscapedPart EscapedReader(const char *bytes, size_t length);

typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

/* A tag in a string. */
typedef struct {
    EscapedKind kind;
    Range name;
} EscapedTag;

/* Reads the tag at byte `at` of the text [at, end): a name, and attributes with values. Returns where it ends, or `at`
 * if there is no tag or it has more than 1000 bytes: reading must take linear time. */
size_t escaped_tag_read(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedTag *tag);

/* Whether the name is the name of a block, such as a paragraph, a heading or a list item. */
bool escaped_tag_is_block(const char *bytes, Range name);

/* Whether the tag separates words: <br>, <hr> and the tags of blocks. */
bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag);

typedef struct {
    Range bytes;
    EscapedTag tag;
    bool ends_line; /* <br>, <hr>, <p/>, all of <style> */
    bool is_block;  /* one of a pair of <p>, <li> and the like */
    bool is_object; /* a picture, or all of <i class="icon"></i> */
    bool is_markup; /* false: the tag is a word of the text */
} FoundTag;

/* Ends with escaped_tags_free(). */
typedef struct {
    FoundTag *data; /* in the order of their bytes */
    size_t len, cap;
    bool failed;
    RangeList kept;  /* the parts that are code, in ascending order */
    bool is_message; /* the text is a message of ICU with plurals or selections: document_builder_message() */
} EscapedTagList;

/* Appends the text that a string spells. */
void escaped_text_decode(Buf *out, EscapedReader *read, const char *bytes, Range string);

/* Whether a string of the document is such a message (icu_message.h). If memory runs out, the builder fails. */
bool escaped_text_is_message(DocumentBuilder *builder, Range text, EscapedReader *read);

/* Finds the tags in a text of the document. These are markup: tags that end lines, empty elements of HTML with
 * attributes, and pairs that do not cross other pairs. The two ends of a link of Markdown or reStructuredText are such
 * a pair. All other tags are words of the text, as <name> in "Hello <name>", <div> in "The <div> element" or
 * <x id="1"/>. If a text has more tags than a unit can contain, all are words. If memory runs out, the builder fails.
 *
 * Also finds the code: `x` in a line, lines between two lines of ```, <!-- x -->, <!DOCTYPE html>, markup that
 * reStructuredText replaces (|name|, :role:`x`, `x`_, [1]_, name_) and, unless the string is a message of ICU, parts
 * that look like one: {n, plural, one {x} other {y}}. */
EscapedTagList escaped_tags_find(DocumentBuilder *builder, Range text, EscapedReader *read);
void escaped_tags_free(EscapedTagList *list);

/* Reports a tag: as a line end, an object, an end of a span or an empty element. */
void escaped_tags_report(DocumentBuilder *builder, const FoundTag *found);

/* Whether byte `at` is in code. */
bool escaped_tags_is_code(const EscapedTagList *list, size_t at);

/* Returns the markup that begins at byte `at`, or NULL. Set *next to 0 before the first call; `at` must not descend
 * from call to call. */
const FoundTag *escaped_tags_at(const EscapedTagList *list, size_t *next, size_t at);

/* Returns the first byte after `at` where markup begins, or code begins or ends; SIZE_MAX: there is none. `next` is the
 * value that escaped_tags_at() has set. */
size_t escaped_tags_next(const EscapedTagList *list, size_t next, size_t at);

/* --- The lines of a string. */

/* A string whose lines are being reported. */
typedef struct {
    DocumentBuilder *builder;
    EscapedReader *read;
    const char *bytes;  /* of the document */
    size_t at, end;     /* the bytes that are not reported yet */
    size_t letters_end; /* the end of the last letter; without letters, the beginning of the string */
    uint32_t last;      /* the last character of the line that is not a space */
    LineBefore before;  /* the text so far */
    bool is_after_space;
    size_t break_end; /* the end of the literal escapes (\n) that ended the previous text */
    bool begins_line; /* `at` is at the beginning of a line */
    bool is_indented; /* the line begins with a space or a dash, as lines of help texts do */
    bool is_divided;  /* the string is more than one text */
    bool is_whole; /* tags, columns and literal escapes do not divide the string: quotes are written around all of it */
    bool separates; /* blocks are separated from words by spaces that are not in the document */
    EscapedTagList tags;
    size_t next_tag; /* for escaped_tags_at() */
} EscapedText;

/* Ends with escaped_text_free(). */
EscapedText escaped_text_start(DocumentBuilder *builder, EscapedReader *read, size_t begin, size_t end);
void escaped_text_free(EscapedText *text);

/* Whether letters follow that are not in markup or code. */
bool escaped_text_has_more(const EscapedText *text);

/* Adds the next line to the text that was begun at `text->at`, and moves `text->at` to the end of this text. Before the
 * line and after the last letters, newlines, tags of blocks and lines without letters become empty elements. */
void escaped_text_report(EscapedText *text);

/* Whether the text has white space, or what may be a literal escape such as \n, at an end. Quotes around a translation
 * have to enclose these, too. */
bool escaped_text_is_padded(const char *bytes, size_t length);

/* Reports the next line as a unit, and moves `text->at` to its end. `context` tells how a translation is written, and
 * `own` how the text is written that is there now. If `is_whole`, the rest of the string is one text, because it may
 * need quotes around it: blocks are spans of the text, but newlines still end it. */
void escaped_text_report_unit(EscapedText *text, unsigned context, unsigned own, bool is_whole);

/* Reports the remaining lines as units. `own` may be the same as `context`. */
void escaped_text_report_rest(EscapedText *text, unsigned context, unsigned own);

/* Reports the lines of a string as units. */
void escaped_text_report_units(DocumentBuilder *builder, EscapedReader *read, unsigned context, size_t begin,
                               size_t end);

/* Adds the lines of a string as units whose translation is written elsewhere, in the place of plan->own, which ends at
 * byte `end`; plan->source is not used. A string without letters is one unit. Returns the number of the first unit. */
size_t escaped_text_add_units(EscapedText *text, unsigned context, const UnitPlan *plan, size_t end);

/* A place of the document whose translation consists of syntax and of several strings, such as the forms of a message.
 * Starts as { .builder, .read, .place }; ends with escaped_place_end(). */
typedef struct {
    DocumentBuilder *builder;
    EscapedReader *read, *read_tags; /* of the strings, and of the tags in them; NULL: the same */
    Range place;
    unsigned context;
    Buf syntax;   /* what is written after the last string */
    Buf before;   /* what is written before it */
    Range string; /* the last string; empty: there is none yet */
    size_t count; /* of the strings before it */
    size_t first; /* number of the first unit */
} EscapedPlace;

/* Appends the translation of a string; the syntax before it was appended to `syntax`. */
void escaped_place_add(EscapedPlace *place, Range string);

/* Adds the last unit, and returns the number of the first one. */
size_t escaped_place_end(EscapedPlace *place);

/* Whether the reader reads all of the spelling, and nothing after it, as one character if place->after follows it. */
bool escaped_text_keeps(EscapedReader *read, const char *spelling, size_t length, const SpellingPlace *place);

/* Reads the character at bytes[0] as text, without escapes. CR LF is a newline. */
EscapedPart escaped_text_plain(const char *bytes, size_t length);

/* Returns a part of `length` bytes for a code point. Its text is empty if the code is a surrogate or invalid. */
EscapedPart escaped_text_code(size_t length, uint32_t code);

/* Reads a number of exactly `digits` hexadecimal digits. Returns UTF8_INVALID if they are not there. */
uint32_t escaped_text_hex(const char *bytes, size_t length, size_t digits);

/* Reads \uXXXX at bytes[0], or two of them for a surrogate pair. The text of a surrogate alone is empty. The length of
 * the part is 0 if there is no such escape. */
EscapedPart escaped_text_utf16(const char *bytes, size_t length);

/* Writes \uXXXX, or two of them, with upper or lower case digits, and returns its length. `out` has SPELLING_BYTES. */
size_t escaped_text_put_utf16(uint32_t code, bool is_upper, char *out);

/* The escapes of a format: a backslash and a letter, or a number. */
typedef struct {
    const char *letters, *codes; /* letters, and the characters that they stand for, in the same order */
    const char *utf16;           /* letters that begin an escape of UTF-16, as u in \u00e4 */
    unsigned octal;              /* mask for the value of up to three octal digits; 0: octal numbers are not escapes */
    bool keeps_unknown;          /* before other characters, the backslash means nothing, so \x is x; false: \x has no
                                    text */
} EscapeRules;

/* Reads the escape at bytes[0], of length > 1 bytes. Octal numbers above 0177 (unknown encoding) have no text. */
EscapedPart escaped_text_escape(const EscapeRules *rules, const char *bytes, size_t length);

/* Writes a backslash and the letter for the character, and returns 2. Returns 0 if there is no letter for it. */
size_t escaped_text_put_letter(const EscapeRules *rules, uint32_t code, char *out);

#endif
