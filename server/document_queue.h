/* document_queue.h - the documents of DeepL's API. A client sends a document, asks from time to time whether it is
 * translated, and fetches the translation once. Meanwhile threads translate the documents, the oldest first, but one of
 * a client that has no other in progress before the others. Any thread may call these functions. */
#ifndef DRAGOMAN_DOCUMENT_QUEUE_H
#define DRAGOMAN_DOCUMENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "downloads.h"
#include "server_limits.h"

typedef struct DocumentQueue DocumentQueue;
struct Server; /* http.h */

/* Starts the threads. On OK the caller owns *out. */
MUST_USE Status document_queue_new(DocumentQueue **out, struct Server *server, Err *err);

/* Stops the documents in progress, and waits for the threads. NULL is allowed. */
void document_queue_free(DocumentQueue *queue);

/* What is to be translated. The texts are copied. */
typedef struct {
    uint64_t client;    /* Request.client_id */
    uint64_t address;   /* Request.address_id, for limits_reserve() */
    const char *name;   /* of the file */
    const char *format; /* a constant: a format of documents, or DRAGOMAN_LINES */
    const char *source; /* a code; NULL: the language is detected */
    const char *target; /* a code */
    const char *terms;  /* for DRAGOMAN_TERM; NULL: none */
    const char *bytes;  /* [size] */
    size_t size;
} DocumentTask;

/* Adds a document, and writes its id and its key, which nobody can guess. Returns ADMITTED, or REFUSED_CLIENT or
 * REFUSED_FULL if there are too many documents or bytes in memory, of this client or of all. */
Admission document_queue_add(DocumentQueue *queue, const DocumentTask *task, char id[DOWNLOAD_ID],
                             char key[DOWNLOAD_ID]);

typedef enum {
    DOCUMENT_UNKNOWN, /* also while the translation is being sent, and afterwards */
    DOCUMENT_QUEUED,
    DOCUMENT_TRANSLATING,
    DOCUMENT_DONE,
    DOCUMENT_FAILED
} DocumentState;

typedef struct {
    DocumentState state;
    size_t characters; /* DONE: of the source */
    Err fault;         /* FAILED: why */
} DocumentReport;

/* Describes a document. If it is not ready, waits for it for at most a second, so that clients that ask seldom need not
 * ask again. */
void document_queue_find(DocumentQueue *queue, const char *id, const char *key, DocumentReport *out);

/* Moves the translation to *bytes, and the name of the file to *name, which the caller frees. The document is then
 * UNKNOWN, but its bytes count as kept for its client until the caller calls document_queue_end() with *sending, which
 * it does when *bytes is freed. Does nothing unless the state is DONE. Returns the state. */
DocumentState document_queue_take(DocumentQueue *queue, const char *id, const char *key, Buf *bytes, char **name,
                                  void **sending);
void document_queue_end(void *sending);

/* Forgets the documents that have waited for ten minutes to be fetched. */
void document_queue_expire(DocumentQueue *queue);

#endif
