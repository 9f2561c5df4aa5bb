/* ooxml.h - Office Open XML (ECMA-376): documents and presentations.
 *
 * A paragraph (w:p, a:p) consists of runs (w:r, a:r), each with its formatting (rPr) and pieces of text (w:t, a:t). An
 * editor divides a paragraph into many runs with the same formatting, even inside words. Before a part is read,
 * ooxml_join_runs() therefore writes each paragraph that has text in one form:
 *
 *     the formatting that most of its text has, rather one that is not visible between words, is the *base*;
 *     the text begins and ends in a run with the base, maybe with an empty piece of text;
 *     runs that follow each other have different formatting, and one of two is the base;
 *     the same holds inside elements around runs, such as links, which have a base of their own.
 *
 * Then everything between two pieces of text is one tag: it begins or ends other formatting or a link, or it is an
 * empty element such as a tab. After the translation, ooxml_drop_empty_runs() takes empty runs out again. */
#ifndef DRAGOMAN_OOXML_H
#define DRAGOMAN_OOXML_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "package.h"
#include "xml_tree.h"

/* Paragraphs in text boxes in paragraphs, and so on, that are read. */
#define OOXML_DEPTH 4

/* The paragraph and the elements around runs in each other whose texts are read. */
#define OOXML_LEVELS MARKUP_DEPTH

/* What a child of a paragraph, of a run, or of an element around runs is. */
typedef enum {
    OOXML_OTHER,      /* an empty element with all that it contains */
    OOXML_RUN,        /* in a paragraph or an element around runs, with the same prefix */
    OOXML_AROUND,     /* an element around runs */
    OOXML_PROPERTIES, /* the first child, which must stay so: formatting */
    OOXML_TEXT,       /* in a run: a piece of text with contents that can be written */
    OOXML_BREAK,      /* separates words: a tab, the end of a line */
    OOXML_DROPPED     /* a note of the editor that is not needed */
} OoxmlKind;

OoxmlKind ooxml_kind(const XmlTree *tree, size_t node);

/* The prefix of an element's name with the colon; empty if it has none. */
Range ooxml_prefix(const XmlTree *tree, size_t node);

/* The element that directly contains the runs of an OOXML_AROUND: itself, or its contents (w:sdtContent). XML_NO_NODE:
 * it has none. */
size_t ooxml_contents(const XmlTree *tree, size_t around);

/* Whether a paragraph or an element around runs contains text in runs, not counting paragraphs in it. `levels` of these
 * elements in each other are searched, with itself; 0: no text is found. */
bool ooxml_has_text(const XmlTree *tree, size_t node, size_t levels);

/* Finds an attribute in the namespace of its element, whatever its prefix is: w:id of w:bookmarkStart. */
bool ooxml_attribute(const XmlTree *tree, size_t node, const char *name, Range *value);

/* What an element in a run does to a field: w:fldChar w:fldCharType="begin". The code of the field follows its
 * beginning, its result follows the separator. */
typedef enum { FIELD_NONE, FIELD_BEGIN, FIELD_SEPARATE, FIELD_END } OoxmlField;

OoxmlField ooxml_field(const XmlTree *tree, size_t node);

/* Marks all from the beginning of a field to its separator, or to its end if it has none, as skipped, if both are in
 * one paragraph. The code of a field may contain fields; the texts of their results are then OOXML_OTHER. */
void ooxml_mark_codes(XmlTree *tree);

/* Whether an element begins or ends a range of a paragraph: a bookmark, what a comment is about, what may be edited,
 * what was moved. `kind` and the bytes of `id` tell which ends belong to which beginnings. */
typedef struct {
    bool begins;
    unsigned char kind;
    Range id;
} OoxmlRange;

bool ooxml_range(const XmlTree *tree, size_t node, OoxmlRange *range);

/* The bytes of the formatting of a run; empty if it has none. The formatting must be its first element, as in every
 * joined run. */
Range ooxml_formatting(const XmlTree *tree, size_t run);

/* Appends the part in this form. */
MUST_USE Status ooxml_join_runs(const PackageBytes *part, Buf *out, Err *err);

/* Appends the part without empty runs and pieces of text. */
MUST_USE Status ooxml_drop_empty_runs(const PackageBytes *part, Buf *out, Err *err);

#endif
