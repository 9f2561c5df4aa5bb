/* document_output.h - writes a document while the translations of its units arrive, each in the place of its unit and
 * with the markup on the words that translate those inside it. */
#ifndef DRAGOMAN_DOCUMENT_OUTPUT_H
#define DRAGOMAN_DOCUMENT_OUTPUT_H

#include "buf.h"
#include "document.h"
#include "err.h"
#include "input.h"
#include "memory.h"
#include "part_order.h"
#include "router.h"

/* What is written in the places of units. */
typedef enum {
    DOCUMENT_TRANSLATION, /* the lines of the library */
    DOCUMENT_IDENTITY,    /* their own texts */
    DOCUMENT_PSEUDO       /* pseudo translations (pseudo.h) */
} DocumentContent;

/* The document that is being written, and memory that is used again. Starts as {0} and ends with
 * document_output_free(). */
typedef struct {
    DocumentContent content;
    DocumentProgress progress; /* .document is NULL between two documents */
    OpenDocument *document;    /* that of `progress` */
    Memory *memory;            /* with known translations, which learns others; NULL: none */
    Buf text;                  /* what is not converted yet; of a package everything so far */
    /* The rendering of a unit. */
    Buf made;
    Range *places; /* [place_capacity] */
    size_t place_capacity;
    SpanList kept;
    PartOrder order;
} DocumentOutput;

/* Begins to write `document`, unless it has begun already. One that is copied has its own texts as content. `memory`
 * may be NULL. */
void document_output_begin(DocumentOutput *output, DocumentContent content, OpenDocument *document, Memory *memory);

/* Appends the document up to and including the next unit that is to be translated, which `line` translates. */
MUST_USE Status document_output_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err);

/* Appends the rest of the document, and ends it. */
MUST_USE Status document_output_end(DocumentOutput *output, Buf *out, Err *err);

/* Ends a document that is not written further. */
void document_output_drop(DocumentOutput *output);

void document_output_free(DocumentOutput *output);

#endif
