/* document_formats.h - the formats of documents. To add one, write a file with its DocumentFormat and list it in
 * document_formats.c.
 *
 * A format finds the units of a document with the functions of document_builder.h. It does not write: the units are
 * written by document.c, which asks the format only how to spell a character. */
#ifndef DRAGOMAN_DOCUMENT_FORMATS_H
#define DRAGOMAN_DOCUMENT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "document_builder.h"
#include "text_encoding.h"

/* Where a character is about to be written. */
typedef struct {
    unsigned context;   /* of the text */
    const char *before; /* [before_length], everything that was written in the place of the unit so far */
    size_t before_length;
    size_t readable;   /* how many bytes can be read before before[0]: the end of what was written before the unit */
    const char *after; /* [after_length], what will follow, as the source spells it: at most SPELLING_AHEAD bytes */
    size_t after_length;
    const char *span; /* [span_length], the opening bytes of the innermost span around the place; NULL: none */
    size_t span_length;
} SpellingPlace;

#define SPELLING_AHEAD 64
#define SPELLING_BYTES 64

/* A tag of a span with marks (MarkRules) that is about to be written. */
typedef struct {
    unsigned context; /* of the text */
    const char *mark; /* [length] */
    size_t length;
    bool closes;
    bool is_empty;      /* nothing is in the span */
    bool follows_same;  /* directly after the closing tag of a span with the same marks */
    const char *before; /* [before_length], at most SPELLING_AHEAD bytes before it; none if it begins the text */
    size_t before_length;
    const char *after; /* [after_length], the bytes after it, at most SPELLING_AHEAD */
    size_t after_length;
} MarkPlace;

/* For formats with marks: tags that readers take for tags only beside certain characters, such as * in Markdown. If a
 * translation has other characters beside a mark, document.c moves the ends of the span inwards; if that does not help,
 * it replaces the marks by other tags. */
typedef struct {
    /* Whether these tags are marks. One of the tags may be empty; an empty tag is not replaced. */
    bool (*is_mark)(const char *open, size_t open_length, const char *close, size_t close_length);
    /* Whether readers take the mark for a mark in this place. Must be true for each mark where the document has it. */
    bool (*fits)(const MarkPlace *place);
    /* Whether the end of a span may be moved over this character. */
    bool (*may_pass)(uint32_t code);
    /* Returns another tag in place of a mark, for the first or second attempt; the last one fits everywhere. */
    const char *(*replace)(const char *mark, size_t length, bool closes, unsigned attempt);
} MarkRules;

/* How many lines a translation of a text has. */
typedef enum {
    LINES_BY_WIDTH, /* as many as it needs if its lines are as wide as those of the source */
    LINES_AT_MOST,  /* not more than the source: lines become wider instead, as in subtitles */
    LINES_SAME      /* as many as the source, if the translation has enough words: each line is shown as a line */
} LineCount;

/* How a format spells characters in its texts. One rule holds for all texts that are written, translations or not:
 * the k-th occurrence of a character is spelled as the k-th occurrence of the same character in the source, if the
 * source has so many and keeps() allows the spelling in the new place; otherwise spell() decides.
 * Spellings of a space do not count as occurrences: they are empty elements (Markup.is_blank). Because a unit's own
 * text is written by this rule too, keeps() must return true for a spelling in the place where the source has it. */
struct SpellingRules {
    /* Whether the character may need a spelling other than itself somewhere in a text of this context. NULL: never. */
    bool (*is_special)(unsigned context, uint32_t code);
    /* Writes the spelling of a special character, at most SPELLING_BYTES, and returns its length. */
    size_t (*spell)(uint32_t code, const SpellingPlace *place, char *out);
    /* Whether the spelling that the source has for a special character is also valid in this place. NULL: always. */
    bool (*keeps)(const char *spelling, size_t length, const SpellingPlace *place);
    /* Whether a line of a translation may end before `place->after`. NULL: it always may. Not called for texts that are
     * written unchanged. */
    bool (*may_break)(const SpellingPlace *place);
    /* Whether a blank must be written here, so that readers do not take two parts of a translation for one name, for
     * example after a command of LaTeX. The format must skip such blanks. NULL: never. */
    bool (*needs_blank)(const SpellingPlace *place);
    LineCount lines;
    bool counts_text; /* the width of a line is that of its text, without markup and what precedes the text */
    /* Returns the context in which a text is written: `context`, or another one if `context` cannot hold the text, for
     * example if a cell needs quotes. *quotes, which starts as "", is written before and after the text. `first` is the
     * first byte that would be written, which may belong to markup; NUL: none. NULL: all contexts can hold all texts.
     * Must return `context` for the texts that the format found in it. */
    unsigned (*choose_context)(unsigned context, char first, const char *text, size_t length, const char **quotes);
    /* Writes an ASCII reference or escape, at most SPELLING_BYTES, for a character that the document's encoding lacks.
     * Returns its length; 0: not possible in this place. NULL: the format has no references. */
    size_t (*refer)(uint32_t code, const SpellingPlace *place, char *out);
    /* Appends the closing bytes of a span that ended with document_builder_close_label(). Called if the text in the
     * span is no longer that of the source, label[0..length). NULL: the format has no such spans. */
    Status (*close_label)(const char *label, size_t length, Buf *out, Err *err);
    const MarkRules *marks; /* NULL: all tags fit everywhere */
    /* Whether an empty element at the beginning of a text would begin a block. NULL: no element does. */
    bool (*begins_block)(const char *bytes, size_t length);
};

/* For SpellingRules.spell: writes a spelling that does not depend on the place. */
static inline size_t spelling_copy(const char *text, char *out)
{
    const size_t length = strlen(text);

    memcpy(out, text, length);
    return length;
}

/* How a document contains both a text and its translation, if DocumentOptions.bilingual is set. */
typedef enum { BILINGUAL_NONE, BILINGUAL_COLUMNS, BILINGUAL_BLOCKS } BilingualKind;

struct DocumentFormat {
    const char *name;    /* for --as */
    const char *endings; /* of file names: ".html .htm"; "" if only --as chooses the format */
    /* Adds the units to the builder. Calls document_builder_fail() if the file is not of this format. */
    void (*parse)(DocumentBuilder *builder);
    const SpellingRules *spelling; /* NULL: a text is written as it is */
    /* Sets `name` to the encoding that a document declares; "": none. The declaration is in ASCII. NULL: documents of
     * this format do not declare an encoding. */
    void (*find_encoding)(const char *bytes, size_t size, char name[ENCODING_NAME]);
    /* If the bytes are a file of another well-known format, returns a message that names it; otherwise NULL. */
    const char *(*recognize_other)(const char *bytes, size_t size);
    BilingualKind bilingual;
    unsigned block_contexts; /* with BILINGUAL_BLOCKS, texts with a lower context are not blocks */
    ArgumentRule arguments;  /* of its texts, unless parse() calls document_builder_arguments() */
    const char *paragraphs;  /* the names of the elements that messages count; NULL: they count lines */
    /* For documents that are archives, whose text parse() reads (package.h); otherwise NULL. */
    const struct PackageRules *package;
};

/* The format with this name or, if there is none, with this ending: "md" and ".md" name Markdown. NULL: none. */
const DocumentFormat *document_format_named(const char *name);

/* The format for the ending of a file's name, in upper or lower case; NULL: none. */
const DocumentFormat *document_format_of(const char *path);

/* The formats. */
extern const DocumentFormat document_text, document_html, document_markdown, document_xml, document_xliff, document_tmx,
    document_android, document_qt, document_json, document_jsonl, document_po, document_properties, document_strings,
    document_csv, document_tsv, document_srt, document_ttml, document_vtt, document_sbv, document_ass, document_yaml,
    document_docx, document_pptx, document_odt, document_fodt, document_xlsx, document_ods, document_fods,
    document_epub, document_latex, document_fluent, document_xcstrings;

/* Lines in an encoding other than UTF-8. The program reads them as a document so that it writes the translations in the
 * same encoding. No name chooses this format. */
extern const DocumentFormat document_lines;

/* All formats except document_lines; ends with NULL. */
extern const DocumentFormat *const document_formats[];

#endif
