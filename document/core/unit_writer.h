/* unit_writer.h - writes a text in its place: spellings, lines and markup. The same function writes translations
 * and a unit's own text.
 *
 * Characters  See SpellingRules in document_formats.h. Those of kept parts are spelled as in the source, if the format
 *             allows it in the new place; they do not count as occurrences for the others.
 * Lines       If the model text has line breaks, the text is wrapped at the width W of its widest line. Line i ends
 *             where its next word would exceed a limit L[i], for a line i that is C[i] columns wide and would be
 *             C[i] + 1 + w[i] columns wide with the next word:
 *
 *                 L[i] = min(max(W, C[i]), C[i] + w[i]),  and W for further lines
 *
 *             So L[i] = W where the model was wrapped at W, and the model itself always gets its own lines. Columns are
 *             code points. Break i has the bytes of the i-th break, and the last ones those of the last break. Where
 *             markup contains line breaks, as the times between two cues, i goes on with the model's lines after them.
 *             So it does after kept parts with line breaks; they have their own spaces and line breaks everywhere.
 *             A format that keeps the number of lines adds as few columns as possible to each limit.
 * Markup      The places form a tree; what they leave out of it is corrected, so the result is always well-formed. */
#ifndef DRAGOMAN_UNIT_WRITER_H
#define DRAGOMAN_UNIT_WRITER_H

#include <stddef.h>

#include "document.h"
#include "document_formats.h"
#include "err.h"

/* What is written, and where. */
typedef struct {
    const DocumentFile *file;
    const SpellingRules *rules;   /* NULL: texts are written as they are */
    const TextEncoding *encoding; /* that the document will have; NULL: UTF-8 */
    const UnitText *model;        /* whose spellings, lines and markup are used */
    Range prefix, suffix;         /* bytes of the document to write around the text, inside its quotes */
    const char *after;            /* [after_length], the bytes after the text */
    size_t after_length;
    const char *inner;            /* the bytes of these: */
    const InnerUnit *inner_units; /* [inner_count], written in place of parts of the markup; in order */
    size_t inner_count;
} UnitWriting;

/* Appends the rendering; a translation without the white space at its ends, which could change the structure of the
 * document. Returns ERR_FORMAT, with the line, if the encoding lacks a character that has no reference or escape in its
 * place. */
MUST_USE Status unit_writer_append(const UnitWriting *writing, const Rendering *rendering, Buf *out, Err *err);

#endif
