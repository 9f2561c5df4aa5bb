/* document_output.h - writes a document while the translations of its units arrive. Each translation replaces its unit.
 * The markup of the unit is put around the words that translate the words in the markup of the source. */
#ifndef DRAGOMAN_DOCUMENT_OUTPUT_H
#define DRAGOMAN_DOCUMENT_OUTPUT_H

#include "buf.h"
#include "document.h"
#include "err.h"
#include "input.h"
#include "memory.h"
#include "part_order.h"
#include "router.h"

/* What replaces the units. */
typedef enum {
    DOCUMENT_TRANSLATION, /* translations by the model or from the memory */
    DOCUMENT_IDENTITY,    /* the units themselves */
    DOCUMENT_PSEUDO       /* pseudo translations (pseudo.h) */
} DocumentContent;

/* The document that is being written, and reused buffers. Starts as {0} and ends with document_output_free(). */
typedef struct {
    DocumentContent content;
    DocumentProgress progress; /* .document is NULL between two documents */
    OpenDocument *document;    /* the input of progress.document */
    Memory *memory;            /* translation memory, which also learns new translations; NULL: none */
    Buf text;                  /* output in UTF-8 that is not converted yet; in a package, all output so far */
    /* The rendering of a unit. */
    Buf made;
    Range *places; /* [place_capacity] */
    size_t place_capacity;
    SpanList kept;
    PartOrder order;
} DocumentOutput;

/* Begins to write `document`, unless it is being written already. A document that is copied is written with
 * DOCUMENT_IDENTITY instead of `content`. `memory` may be NULL. */
void document_output_begin(DocumentOutput *output, DocumentContent content, OpenDocument *document, Memory *memory);

/* Appends the document up to and including the next unit to translate; `line` is the translation of this unit. */
MUST_USE Status document_output_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err);

/* Appends the rest of the document and ends its output. */
MUST_USE Status document_output_end(DocumentOutput *output, Buf *out, Err *err);

/* Stops writing the document before its end. */
void document_output_drop(DocumentOutput *output);

void document_output_free(DocumentOutput *output);

#endif
