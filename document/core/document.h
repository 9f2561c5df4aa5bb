/* document.h - a document: untouched bytes with units of text between them.
 *
 *     document_read(&doc, &file, options, &err)                      bytes -> units
 *     for each unit: document_is_wanted(), document_source()         unit -> translator
 *     document_write_unit(), document_write_end()                    bytes, with renderings in the places of the units
 *
 * The document is UTF-8. A file in another encoding is converted before reading and after writing
 * (document_encoding.h). All offsets are in bytes.
 *
 * A unit is one text as the format defines it: a heading, a paragraph, a cell, a cue, a message. Its text is decoded:
 * without entities, escapes, line prefixes and inline markup. The unit keeps what was taken out:
 * - runs say which bytes of the document spell which bytes of the text;
 * - markup is a tree of spans (with opening and closing bytes) and empty elements (bytes at one place: <wbr>, the times
 *   between two cues, unbalanced tags, comments); a translation contains each of them exactly once;
 * - kept parts are ranges of the text that a translation must contain unchanged: code, names, and elements that
 *   stand for a word, such as <x/> for a value or <img> inside a sentence.
 * The bytes of a unit in a plural message are not bytes of the document: the message is divided first (icu_message.h).
 * The text contains no newline, carriage return or NUL, and neither begins nor ends with white space.
 *
 * A format writes nothing outside of units, and a unit's own text is written by the same function as a translation
 * (document.c). */
#ifndef DRAGOMAN_DOCUMENT_H
#define DRAGOMAN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "language_detector.h"
#include "ranges.h"
#include "text_encoding.h"

typedef struct DocumentFormat DocumentFormat; /* document_formats.h */
typedef struct Document Document;             /* fields: document_parts.h */
typedef struct SpellingRules SpellingRules;   /* document_formats.h */

typedef enum {
    RUN_PLAIN,   /* text and bytes are the same */
    RUN_SPELLED, /* the bytes spell the text: &quot; for a quote, two spaces for one */
    RUN_BREAK,   /* the bytes are a line break, with the blanks and prefixes around it; the text is one space, or
                  * nothing between Chinese or Japanese characters */
    RUN_ELEMENT  /* the bytes are an element that stands for a word, such as <x/>; its text is a kept part */
} RunKind;

/* A part of a text and the bytes of the document that spell it. */
typedef struct {
    RunKind kind;
    bool is_kept;
    Range text, bytes;
} Run;

/* How a program reads the placeholders without numbers, %s and {}, in a text. It replaces them by its arguments, one
 * after the other, so a translation must have the placeholders in the same order, or with numbers. */
typedef enum {
    ARGUMENTS_UNKNOWN,  /* the text is not a string of a program: the order of placeholders does not count */
    ARGUMENTS_IN_ORDER, /* placeholders must not have numbers */
    ARGUMENTS_PRINTF,   /* %s may become %1$s */
    ARGUMENTS_BRACES    /* {} may become {0} */
} ArgumentRule;

/* How an apostrophe is written in a text of an ICU message (icu_message.h). A single one before a brace, a # or another
 * apostrophe would begin a quotation. */
typedef enum {
    MESSAGE_NONE,    /* the text is not in a message */
    MESSAGE_SINGLE,  /* doubled only where it would begin a quotation, because some programs read no '' */
    MESSAGE_DOUBLED, /* doubled, as in the source */
    MESSAGE_MIXED    /* doubled, but not always in the source */
} MessageRule;

#define MARKUP_ROOT ((size_t)-1)

/* An inline element. The list of a text is in the order in which the elements begin; parents precede children. */
typedef struct {
    size_t parent;     /* index in the list, or MARKUP_ROOT */
    bool is_empty;     /* `close` and `text` are empty */
    bool is_label;     /* the bytes in the span also name a link target: SpellingRules.close_label */
    bool is_ordered;   /* an empty element: a tag of a template, or a tag whose partner is not in the text; such tags
                        keep their order */
    bool is_space;     /* an empty element (\n, <b> </b>) whose bytes stand for the space before it in the text */
    bool is_blank;     /* is_space, and its bytes are only blanks; left out where a translation has no space */
    Range open, close; /* bytes of the document */
    Range text;        /* the text that a span encloses; for an empty element, an empty range at its place */
} Markup;

/* A text in the document. `bytes` is what the runs and `markup_with_hints` cover, without gaps. Markup and white space
 * around the whole text are not part of it: they are `prefix`, directly before `bytes`, and `suffix`, directly after
 * `bytes`. The document owns everything. */
typedef struct {
    const char *text; /* [length], ends with NUL */
    size_t length;
    const Run *runs; /* [run_count], in order */
    size_t run_count;
    const Markup *markup; /* [markup_count] */
    size_t markup_count;
    const Markup *markup_with_hints; /* [markup_with_hints_count], the markup and, as empty elements, the hints: soft
                                        hyphens and word joiners. Used when the text itself is written; translations
                                        use `markup` */
    size_t markup_with_hints_count;
    size_t accelerator; /* 1 + index of the empty element that marks an accelerator (accelerators.h); 0: none */
    Range prefix, bytes, suffix;
    ArgumentRule arguments;
    MessageRule message;
    unsigned context; /* a number that the format gives to the kind of place: text, a value in quotes ... */
    const SpellingRules *spelling; /* NULL: characters are written as they are */
    const Range *kept;             /* [kept_count], the parts that a translation keeps, in order. The document leaves
                              it NULL; the caller sets it (keep_rules.h) */
    size_t kept_count;
} UnitText;

/* Options of a document for its format. All pointers must stay valid as long as the document. */
typedef struct {
    const char *const *selects; /* [select_count], --select: paths or names, as the format understands them */
    size_t select_count;
    const char *blocks;       /* --blocks: names of elements, with spaces between them; NULL: none */
    const char *const *skips; /* [skip_count], --skip */
    size_t skip_count;
    const char *const *front_matter; /* [front_matter_count], --front-matter */
    size_t front_matter_count;
    const char *const *columns; /* [column_count], --column */
    size_t column_count;
    const char *const *sheets; /* [sheet_count], --sheet */
    size_t sheet_count;
    const char *source_language; /* of the texts, as BCP 47 writes it; NULL: unknown */
    const char *language;        /* of the translation, as BCP 47 writes it; NULL: unknown */
    const char *encoding; /* of documents without a byte order mark, a known name; NULL: what they declare, or UTF-8 */
    bool keep_language;   /* do not change language labels */
    bool has_header;      /* the first row of a table names its columns, and is not translated */
    bool bilingual;       /* write translations after their sources */
    bool retranslate;     /* also translate texts that have a translation */
} DocumentOptions;

/* The most bytes and the most units of a document. A unit takes about 200 bytes of memory and its text. */
#define DOCUMENT_BYTES ((size_t)1 << 28)
#define DOCUMENT_UNITS ((size_t)1 << 22)
/* The limits of one text: decoded bytes; runs and markup together. */
#define UNIT_BYTES ((size_t)1 << 20)
#define UNIT_PARTS ((size_t)1 << 18)
/* The most spans inside each other; deeper ones become empty elements. */
#define MARKUP_DEPTH 100
/* The most texts inside each other: a text box in a paragraph, a note in its text, a comment on the note. */
#define TEXT_DEPTH 4

/* Reads a document. Everything that `file` and `options` point to must stay valid until document_free(). Returns
 * ERR_FORMAT, with the name of the file and, in most cases, the line and the column, if the file is not valid in the
 * format. On OK the caller owns *out. */
MUST_USE Status document_read(Document **out, const DocumentFormat *format, const DocumentFile *file,
                              const DocumentOptions *options, Err *err);
void document_free(Document *document); /* NULL is allowed */

/* The bytes of memory that the document takes, without the bytes of the file. */
size_t document_memory(const Document *document);

/* The units are numbered in the order of their places in the document; a unit inside the markup of another unit (an
 * attribute of a tag) comes before that unit. */
size_t document_unit_count(const Document *document);

/* Whether a unit is to be translated. Otherwise it is written without a rendering: it has a translation already, or its
 * source has no letters and is written in the place of the translation. */
bool document_is_wanted(const Document *document, size_t unit);

/* The text that is to be translated. */
UnitText document_source(const Document *document, size_t unit);

typedef enum { LANGUAGE_SOURCE, LANGUAGE_TARGET } LanguageSide;

/* A language that a document names. */
typedef struct {
    char tag[LABEL_LANGUAGE_BYTES]; /* as BCP 47 writes it; "": none */
    size_t line;                    /* from 1: where another language than that of the options is named; 0: none */
} NamedLanguage;

/* The languages that a bilingual document names for its sources and its translations. If `line` of one of them is not
 * 0, the caller refuses the document unless the user allows it, because the translations that the document already has
 * would be in another language. */
typedef struct {
    NamedLanguage source, target;
} DocumentLanguages;

const DocumentLanguages *document_languages(const Document *document);

/* A line of the document that is not valid in the format and is copied: a malformed line of JSON Lines. */
typedef struct {
    size_t line, column; /* from 1; the column in bytes */
    const char *reason;  /* constant */
} DocumentFault;

/* The faults in the order of their lines. The caller reports them and fails after it has written the document. */
const DocumentFault *document_faults(const Document *document, size_t *count);

/* Other warnings about the document, to be written after its name: lines ":LINE:COLUMN: TEXT" or ": TEXT", each with a
 * newline at its end; NULL: none. */
const char *document_warnings(const Document *document);

/* Where the source of a unit begins, for messages: "FILE:LINE" or, in an archive (package.h), "FILE/PART:LINE". Office
 * documents have all their text in one line, so their place is "FILE/PART, paragraph NUMBER". */
typedef struct {
    const char *slash, *part; /* "" outside of archives */
    const char *mark;         /* ":" before a line, ", paragraph " before a paragraph */
    size_t number;            /* in the document or in the part, from 1 */
} DocumentPlace;

/* The format of printf() for a place. Its arguments are the name of the file, slash, part, mark and number. */
#define DOCUMENT_PLACE "%s%s%s%s%zu"

/* Takes time in proportion to the size of the document. */
DocumentPlace document_place(const Document *document, size_t unit);

/* A text that is written in the place of a unit: mostly its translation. */
typedef struct {
    const char *text; /* [length], without newlines */
    size_t length;
    const Range *places; /* [markup_count of the unit's source], where each markup goes: inside the place of its
                                parent, beside the places of its siblings; the place of an empty element is empty */
    const Span *kept;    /* [kept_count], parts that are spelled as in the source, in the order of the source */
    size_t kept_count;
} Rendering;

/* The text of a unit inside the markup of another unit. It is kept until the other unit is written. */
typedef struct {
    Range place;       /* of the inner unit, in the document */
    size_t at, length; /* in DocumentProgress.inner */
} InnerUnit;

/* How much of a document is written. Starts as { .document = document } and ends with document_progress_free(). */
typedef struct {
    const Document *document;
    const TextEncoding *encoding; /* to which the output will be converted; characters that it lacks are written as
                                     references or escapes; NULL: UTF-8 */
    bool as_identity;             /* the document is written unchanged: no translations, marks or labels */
    size_t unit, change;          /* indices of the next unit and the next change */
    size_t at;                    /* the next byte of the document */
    Buf inner, scratch;
    LIST_OF(InnerUnit) inner_units; /* in order */
} DocumentProgress;

void document_progress_free(DocumentProgress *progress);

/* Appends the document up to and including the next unit, with `rendering` in its place, without white space around the
 * rendering. An empty rendering is replaced by the source. `rendering` is NULL if the unit is not wanted or as_identity
 * is set. */
MUST_USE Status document_write_unit(DocumentProgress *progress, const Rendering *rendering, Buf *out, Err *err);

/* Appends the rest, after the last unit. */
MUST_USE Status document_write_end(DocumentProgress *progress, Buf *out, Err *err);

#endif
