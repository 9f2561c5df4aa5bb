/* documents.h - the documents among the files of an input.
 *
 * The thread of the input reads a document as a whole and submits its units that are to be translated, in order, each
 * as a line; after them it submits an empty line, which ends the document. The thread that receives the lines looks the
 * document up by the number of its file, writes it, and releases it. The next document is read when those that are not
 * released yet take at most DOCUMENTS_WAITING bytes of memory. */
#ifndef DRAGOMAN_DOCUMENTS_H
#define DRAGOMAN_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "document_formats.h"
#include "err.h"
#include "keep_rules.h"
#include "package.h"
#include "text_encoding.h"

#define DOCUMENTS_WAITING ((size_t)64 << 20)

typedef struct Documents Documents; /* fields: documents.c */

typedef struct {
    const DocumentFormat *const *formats; /* [count], of each file of the input; NULL: it is read as lines */
    size_t count;
    DocumentOptions options; /* with the languages of the model, as BCP 47 writes them. Bilingual documents of other
                                languages are refused */
    const KeepRules *keep;   /* NULL: translations keep nothing */
    bool by_name;            /* the formats were chosen by the names of the files */
    bool any_language;       /* documents of other languages than those of the model are translated, too */
} DocumentsPlan;

/* Everything that `plan` points to must stay valid. On OK the caller owns *out and frees it with documents_free(). */
MUST_USE Status documents_new(Documents **out, const DocumentsPlan *plan, Err *err);
void documents_free(Documents *documents); /* NULL is allowed */

/* Whether the file is a document; false for `documents` NULL. */
bool documents_has(const Documents *documents, size_t file);

/* For the thread of the input: reads the document `source` or, if its bytes are NULL,
 * from `fd` to the end. Waits while too many bytes are not released.
 * The name must stay valid. Returns OK without a document if `wake` becomes readable, and if there
 * is no room after documents_stop(). The message names the file. */
MUST_USE Status documents_read(Documents *documents, size_t file, const DocumentFile *source, int fd, int wake,
                               Err *err);

/* Makes documents_read() stop waiting, now and later. NULL is allowed. */
void documents_stop(Documents *documents);

/* The document of a file. Its lines pass it from the thread of the input to the thread that receives them. */
typedef struct {
    Document *document;     /* NULL: it is not read yet, or released */
    TextEncoding *encoding; /* in which it is written; NULL: UTF-8 */
    Package *package;       /* the archive as which it is written; NULL: none */
    Buf archive;            /* that of the package */
    Buf text;               /* as it was read, in UTF-8 */
    KeptItems kept;         /* what its translation keeps */
    bool is_copied;         /* none of its units is submitted, and it is written as it is. The thread of the input sets
                               it before it submits the line that ends the document */
    size_t waiting;         /* for documents.c: bytes of memory until it is released */
} OpenDocument;

OpenDocument *documents_get(const Documents *documents, size_t file);

/* For the thread of the input, after documents_read(): the language of the texts as the document names it and BCP 47
 * writes it; "": it names none, or the user does not rely on it. */
const char *documents_source_language(const Documents *documents, size_t file);

/* Whether the document has no unit because of the options that select some. */
bool documents_matches_nothing(const Documents *documents, size_t file);

/* The bytes of the document that are not text of wanted units; all of them, if it is copied. */
size_t documents_other_bytes(const Documents *documents, size_t file);

/* The place in the file of the wanted unit with this number, from 1. Takes time in proportion to the document. */
DocumentPlace documents_place(const Documents *documents, size_t file, size_t number);

/* Frees the document of a file, if there is one. */
void documents_release(Documents *documents, size_t file);

#endif
