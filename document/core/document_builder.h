/* document_builder.h - what a format calls while it scans a document.
 *
 * Bytes that the format does not report stay as they are. For each text, it calls in the order of the bytes:
 *
 *     document_builder_begin(b, context, at)                   `at`: the first byte of the text
 *     document_builder_plain(b, begin, end)                    bytes that spell themselves
 *     document_builder_spelled(b, text, length, begin, end)    bytes that spell another text: &amp; \n \u00e9
 *     document_builder_space(b, begin, end)                    white space; with a newline, a soft line break, which
 *                                                              is no space between Chinese or Japanese characters
 *     document_builder_break(b, begin, end)                    a soft line break in other bytes: \N, <br/>
 *     document_builder_open(b, key, begin, end)                the opening bytes of a span: <b>, **
 *     document_builder_close(b, key, begin, end)               the closing bytes of the innermost open span of this key
 *     document_builder_empty(b, begin, end)                    an empty element, or anything opaque: <img>, a comment
 *     document_builder_object(b, name, begin, end)             an element that may stand for a word: <img>
 *     document_builder_value(b, text, length, begin, end)      an element that stands for a name or a number: <x/>
 *     document_builder_separate(b, begin, end, kind)           an empty element that separates words: BREAK_HARD ends a
 *                                                              line (<br/>), BREAK_ALWAYS a text (</p>)
 *     document_builder_keep(b, true) ... (b, false)            around text that must not be translated;
 *                                                              document_builder_keeps(b) returns the last argument
 *     document_builder_end_unit(b, at)                         `at`: the first byte after the text
 *
 * The builder then
 * - turns bytes of a text that the format left out between two calls, newlines and NULs into empty elements;
 *   before newlines and elements that separate words, the text gets a space without bytes, so that words stay apart;
 * - divides the text at newlines and ends of lines, unless a sentence clearly goes on (line_breaks.h);
 * - turns an object inside a sentence, with blanks or punctuation around it, and a value that touches no word into a
 *   kept word, so that a translator sees the whole sentence; other objects and values become empty elements;
 * - turns the tags of unbalanced markup into empty elements: spans that are not closed, that cross others, or that are
 *   nested more than MARKUP_DEPTH deep; so a format reports all tags in their order, balanced or not;
 * - leaves white space, empty elements and whole spans around the text out of the unit;
 * - drops a unit that has no letters (as Unicode defines them), so a format need not look for text. If the translation
 *   is written in another place than the text, the text is copied there: see document_is_wanted().
 *
 * Bilingual formats translate a text in one place of the document and write the translation in another place:
 *
 *     document_builder_begin() ... document_builder_end_text(b, at, &source)    the source
 *     document_builder_begin() ... document_builder_end_text(b, at, &own)       the translation that is there, maybe ""
 *         or: own = document_builder_place(b, begin, end)                       its place, whose bytes are not read
 *     document_builder_add_unit(b, &(UnitPlan){ .source = source, .own = own, ... })
 *
 * The translation takes the place of `own`. Several units may share a source (plural forms). Places may be added in any
 * order, but must not overlap. A source that line breaks divide becomes several units: the place of the first unit is
 * `own`, which must be document_builder_whole(); the places of the other units are empty and follow `own`.
 *
 * Other changes of a document: document_builder_mark() for what changes together with a unit (a state, a comment that
 * asks for review), document_builder_language() for the name of a language. Bilingual formats report the names of both
 * languages with document_builder_names().
 *
 * A text in the markup of another text, such as an attribute of a tag, begins after the text around it and ends before
 * the tag is reported. Then the text around it continues. At most TEXT_DEPTH texts can be inside each other:
 * document_builder_can_begin().
 *
 * A unit in several places, such as a sentence in several cues, is one text with the bytes between the places as empty
 * elements. Before each of these elements, the format reports a space without bytes.
 *
 * The first failure is remembered: all later calls do nothing, and document_builder_finish() returns it. So formats
 * need not check each call, but should stop when document_builder_failed(). */
#ifndef DRAGOMAN_DOCUMENT_BUILDER_H
#define DRAGOMAN_DOCUMENT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document.h"
#include "err.h"
#include "icu_message.h"
#include "line_breaks.h"
#include "plural_categories.h"

typedef struct DocumentBuilder DocumentBuilder; /* fields: document_builder.c */

/* What a format reads. `begin`: the first byte after a byte order mark, if there is one. */
typedef struct {
    const char *bytes; /* [end], valid UTF-8 */
    size_t begin, end;
    const DocumentOptions *options;
    const char *name; /* of the file */
    const DocumentFormat *format;
} BuilderInput;

BuilderInput document_builder_input(const DocumentBuilder *builder);

void document_builder_begin(DocumentBuilder *builder, unsigned context, size_t at);
void document_builder_plain(DocumentBuilder *builder, size_t begin, size_t end);
void document_builder_spelled(DocumentBuilder *builder, const char *text, size_t length, size_t begin, size_t end);
void document_builder_space(DocumentBuilder *builder, size_t begin, size_t end);
void document_builder_break(DocumentBuilder *builder, size_t begin, size_t end);
void document_builder_open(DocumentBuilder *builder, uint64_t key, size_t begin, size_t end);
void document_builder_close(DocumentBuilder *builder, uint64_t key, size_t begin, size_t end);
/* Like document_builder_close(), for a span whose text also names its target, as in the Markdown link [label]. */
void document_builder_close_label(DocumentBuilder *builder, uint64_t key, size_t begin, size_t end);
void document_builder_empty(DocumentBuilder *builder, size_t begin, size_t end);
/* `name`: the bytes that name the element; empty: it is a picture. The translator reads <NAME>. */
void document_builder_object(DocumentBuilder *builder, Range name, size_t begin, size_t end);
void document_builder_value(DocumentBuilder *builder, const char *text, size_t length, size_t begin, size_t end);
void document_builder_separate(DocumentBuilder *builder, size_t begin, size_t end, LineBreakKind kind);
void document_builder_keep(DocumentBuilder *builder, bool is_kept);
bool document_builder_keeps(const DocumentBuilder *builder);

/* The text that has begun stays one text: line breaks do not divide it. */
void document_builder_whole(DocumentBuilder *builder);

/* Sets the context of the texts after line breaks in the text that has begun; by default, they have its context. */
void document_builder_next_context(DocumentBuilder *builder, unsigned context);

/* Sets how a program reads the arguments of texts that begin later. At first, DocumentFormat.arguments holds. */
void document_builder_arguments(DocumentBuilder *builder, ArgumentRule rule);

/* Says that the texts that begin later are in embedded data of another format, whose `rules` define their contexts.
 * NULL ends the embedded data. */
void document_builder_embed(DocumentBuilder *builder, const SpellingRules *rules);

/* Says that the text that has begun may be a message of ICU. If it is (icu_message.h), its branches become texts, and a
 * translation of the text is the message with the branches of its language. */
void document_builder_message(DocumentBuilder *builder);

/* Says that the text that has begun is a part of a string: other parts may have arguments before its arguments, so its
 * placeholders cannot get numbers. */
void document_builder_divided(DocumentBuilder *builder);

/* Sets the characters that mark accelerators in all texts (accelerators.h), "&" or "&_~"; a constant string. */
void document_builder_accelerators(DocumentBuilder *builder, const char *marks);

/* Whether fewer than TEXT_DEPTH texts have begun and not ended. */
bool document_builder_can_begin(const DocumentBuilder *builder);

/* Whether a text has begun and not ended. */
bool document_builder_is_in_text(const DocumentBuilder *builder);

/* Ends the text as a unit whose translation takes its place. */
void document_builder_end_unit(DocumentBuilder *builder, size_t at);

/* Ends the text and drops it, because it must not be translated. */
void document_builder_drop_unit(DocumentBuilder *builder, size_t at);

/* Ends the text as a unit, and begins the next text after the bytes [begin, end), which separate them. */
void document_builder_next_unit(DocumentBuilder *builder, unsigned context, size_t begin, size_t end);

/* Ends the text, and sets *text to its number for document_builder_add_unit(). If line breaks divide the text, this is
 * the number of its first part. */
void document_builder_end_text(DocumentBuilder *builder, size_t at, size_t *text);

/* Adds a text whose bytes are not read: the place of a translation. Returns its number. */
size_t document_builder_place(DocumentBuilder *builder, size_t begin, size_t end);

/* The plural forms of the translation. */
const PluralTarget *document_builder_target(DocumentBuilder *builder);

/* Whether bytes of the document have a placeholder for a number, such as %d and {count}: placeholders_find(). */
bool document_builder_shows_number(DocumentBuilder *builder, Range text);

/* A unit whose translation is written elsewhere. */
typedef struct {
    size_t source, own;         /* numbers of texts; the translation takes the place of `own`, with the prefix and the
                                   suffix of the source */
    const char *before, *after; /* written around a translation only, such as `<target>` where there is no target yet;
                                   copied; NULL: nothing */
    bool is_done;               /* `own` is a translation that stays, unless DocumentOptions.retranslate is set */
} UnitPlan;

/* Puts parts of the document together to a text, such as a sentence around one of the plural forms in it, and returns
 * the byte at which this text begins; it is after the bytes of the document. The text can be reported like others, but
 * only as the source of a unit whose translation is written elsewhere. No text may have begun. This moves the bytes:
 * take document_builder_input() again for the text. A pointer from before the first call still has the bytes of the
 * document. Do not read the text when document_builder_failed(). */
size_t document_builder_compose(DocumentBuilder *builder, const Range *parts, size_t count);

/* Adds the unit, or one for each part of the source. Returns the number of the first for document_builder_mark(). */
size_t document_builder_add_unit(DocumentBuilder *builder, const UnitPlan *plan);

/* If this unit is translated, `text` takes the place of the bytes [begin, end), which may be empty and must be outside
 * of all units. With EVERY_TRANSLATION instead of a unit, this happens in every translation, whatever its language.
 * Copies the text. */
#define EVERY_TRANSLATION ((size_t)-1)
void document_builder_mark(DocumentBuilder *builder, size_t unit, size_t begin, size_t end, const char *text);

/* Replaces the bytes [begin, end) by `text`, which depends on the language of the translation, if options->language is
 * known and keep_language is not set. */
void document_builder_label(DocumentBuilder *builder, size_t begin, size_t end, const char *text);

/* Like document_builder_label(), for the name of a language. The bytes stay if they already name the language of the
 * translation, with or without a region, as de-CH does if the model writes de. */
void document_builder_language(DocumentBuilder *builder, size_t begin, size_t end, const char *text);

/* Says that the bytes [begin, end) of a bilingual document name the language of its sources or of its translations, for
 * document_languages(). */
void document_builder_names(DocumentBuilder *builder, LanguageSide side, size_t begin, size_t end);

/* Whether the bytes name the language of the translation. */
bool document_builder_is_language(const DocumentBuilder *builder, size_t begin, size_t end);

bool document_builder_failed(const DocumentBuilder *builder);

/* Remembers the failure ERR_FORMAT with "NAME:LINE:COLUMN: " before the message. */
void document_builder_fail(DocumentBuilder *builder, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Remembers a line that is copied because it is malformed; the document is still read. `reason` is constant. */
void document_builder_fault(DocumentBuilder *builder, size_t line, size_t column, const char *reason);

/* Remembers a warning about byte `at`; WHOLE_DOCUMENT: about the document. Call this only a few times for a document,
 * because it counts the lines. */
#define WHOLE_DOCUMENT ((size_t)-1)
void document_builder_warn(DocumentBuilder *builder, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Remembers that memory has run out. */
void document_builder_fail_memory(DocumentBuilder *builder);

/* Calls document_builder_fail_memory() if an operation that only needs memory has failed. Returns whether the builder
 * has not failed. */
bool document_builder_check(DocumentBuilder *builder, Status status);

/* For document_read(): starts a document, and completes it. On OK the caller owns *out; the builder is freed. */
MUST_USE Status document_builder_new(DocumentBuilder **out, const DocumentFormat *format, const DocumentFile *file,
                                     const DocumentOptions *options, Err *err);
MUST_USE Status document_builder_finish(DocumentBuilder *builder, Document **out, Err *err);

#endif
