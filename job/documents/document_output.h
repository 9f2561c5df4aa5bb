/* document_output.h - writes a document while the translations of its units arrive. */
#ifndef DRAGOMAN_DOCUMENT_OUTPUT_H
#define DRAGOMAN_DOCUMENT_OUTPUT_H

#include "buf.h"
#include "document.h"
#include "dragoman.h"
#include "err.h"
#include "documents.h"
#include "router.h"
#include "part_order.h"
#include "unit_rendering.h"

/* What is written in the places of units. */
typedef enum {
    DOCUMENT_TRANSLATION, /* the lines of the library */
    DOCUMENT_IDENTITY,    /* their own texts */
    DOCUMENT_PSEUDO       /* pseudo translations (pseudo.h) */
} DocumentContent;

/* The document that is being written. Starts as {0} and ends with document_output_free(). */
typedef struct {
    DocumentContent content;
    DocumentProgress progress; /* .document is NULL between two documents */
    const KeptItems *kept;     /* of the document */
    Memory *memory;            /* with known translations, which learns others; NULL: none */
    UnitRendering rendering;
    PartOrder order;
    TextEncoding *encoding; /* of the document; NULL: UTF-8 */
    const Package *package; /* of the document; NULL: none */
    const Buf *read;        /* the text of the package */
    Buf text;               /* what is not converted yet; of a package everything so far */
} DocumentOutput;

/* Begins to write `document`, unless it has begun already. One that is copied has its own texts as content. */
void document_output_begin(DocumentOutput *output, DocumentContent content, OpenDocument document);

/* Appends the document up to and including the next unit that is to be translated, which `line` translates. */
MUST_USE Status document_output_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err);

/* Appends the rest of the document, and ends it. */
MUST_USE Status document_output_end(DocumentOutput *output, Buf *out, Err *err);

/* Ends a document that is not written further. */
void document_output_drop(DocumentOutput *output);

void document_output_free(DocumentOutput *output);

#endif
