/* document_queue.c - see document_queue.h: a list of documents, the oldest first. DocumentQueue.lock guards it. A
 * document in progress stays in the list, so only its own thread may read its texts. A document that is being sent
 * stays there, too, with the state UNKNOWN, because keep() counts its bytes. */
#include "document_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "http.h"
#include "library.h"
#include "thread.h"
#include "work.h"

#define THREADS      4
#define QUEUED_MOST  1000
#define KEPT_SECONDS 600
#define WAIT_SECONDS 1

typedef struct {
    DocumentQueue *queue;
    char id[DOWNLOAD_ID], key[DOWNLOAD_ID];
    uint64_t client, address;             /* see DocumentTask */
    char *name, *source, *target, *terms; /* owned */
    const char *format;
    Buf bytes;       /* the document; when it is done, the translation */
    size_t reserved; /* of limits_reserve(), for `address`: of `bytes` and `terms`, until it is translated */
    size_t kept;     /* of downloads_reserve(): for the translation, until it has been sent */
    double changed;  /* when `report.state` became what it is */
    DocumentReport report;
} QueuedDocument;

/* A thread, with the request for which it translates. */
typedef struct {
    DocumentQueue *queue;
    pthread_t thread;
    Request request;
} QueueThread;

struct DocumentQueue {
    Server *server;
    size_t most_per_client;
    QueueThread threads[THREADS];
    size_t thread_count;
    pthread_mutex_t lock;
    pthread_cond_t added, changed;
    LIST_OF(QueuedDocument *) list;
    bool ends;
};

static void free_document(DocumentQueue *queue, QueuedDocument *document)
{
    limits_release(queue->server->limits, document->address, document->reserved);
    downloads_release(queue->server->downloads, document->kept);
    free(document->name);
    free(document->source);
    free(document->target);
    free(document->terms);
    buf_free(&document->bytes);
    free(document);
}

static void drop(DocumentQueue *queue, size_t index)
{
    QueuedDocument **list = queue->list.data;

    free_document(queue, list[index]);
    memmove(list + index, list + index + 1, (queue->list.len - index - 1) * sizeof *list);
    queue->list.len--;
}

/* --- Translating --------------------------------------------------------------- */

/* Finds the languages of a document. */
static Status find_languages(const LanguageTable *table, const QueuedDocument *document, size_t *source, size_t *target,
                             Err *err)
{
    Detection found[DETECTIONS_MOST];
    size_t count = 0;
    Status st = OK;

    *target = language_table_find(table, document->target);
    *source = document->source ? language_table_find(table, document->source) : NO_LANGUAGE;
    if (!document->source && *target != NO_LANGUAGE) {
        const DragomanInput input = { .path = document->name,
                                      .format = document->format,
                                      .bytes = document->bytes.data,
                                      .size = document->bytes.len };
        st = work_detect_document(table, &input, found, &count, err);
        *source = work_choose_source(table, found, count, *target);
        if (*source == NO_LANGUAGE) *source = work_usual_source(table, *target);
    }
    if (st != OK) return st;
    if (*source == NO_LANGUAGE || *target == NO_LANGUAGE ||
        (*source != *target && !language_table_has(table, *source, *target)))
        return err_set(err, ERR_USAGE, "there is no model for these languages; name the language of the document");
    return OK;
}

/* Counts the characters of a document before it is translated; *characters becomes 0 if they do not fit. */
static Status charge(Limits *limits, const LanguageTable *table, const DragomanOptions *settings,
                     const QueuedDocument *document, size_t *characters, Err *err)
{
    const DragomanInput input = { .path = document->name,
                                  .format = document->format,
                                  .bytes = document->bytes.data ? document->bytes.data : "",
                                  .size = document->bytes.len };
    const Status st = work_count_document(table, settings, &input, characters, err);

    if (st == OK && limits_use_characters(limits, document->client, *characters)) return OK;
    *characters = 0;
    return st == OK ? err_set(err, ERR_USAGE, QUOTA_EXCEEDED) : st;
}

/* Reserves bytes for the translation of a document, unless too many bytes are kept for its client. A refusal is no
 * fault of the server, so it has the status ERR_USAGE, which the log does not have. */
static Status keep(DocumentQueue *queue, QueuedDocument *document, size_t bytes, Err *err)
{
    const size_t most = limits_bytes_per_client(queue->server->limits);
    size_t kept = 0;
    Status st = OK;

    pthread_mutex_lock(&queue->lock);
    for (size_t i = 0; i < queue->list.len; i++)
        if (queue->list.data[i]->client == document->client) kept += queue->list.data[i]->kept;
    if (bytes + kept > most)
        st = err_set(err, ERR_USAGE,
                     "there is no room for the translated document; fetch others of this client, then send it again");
    else if (!downloads_reserve(queue->server->downloads, bytes))
        st = err_set(err, ERR_USAGE, DOWNLOADS_FULL);
    else
        document->kept = bytes;
    pthread_mutex_unlock(&queue->lock);
    return st;
}

/* Replaces the bytes of a document by its translation. */
static Status translate(DocumentQueue *queue, Request *request, QueuedDocument *document, Err *err)
{
    Limits *limits = queue->server->limits;
    LanguageTable *table = models_languages(request->server->models);
    DragomanOptions *settings = NULL;
    DragomanError error;
    Buf translation = { 0 };
    size_t source, target, characters = 0;
    Work work = { .request = NULL };
    Status st = find_languages(table, document, &source, &target, err);

    if (st == OK && document->terms) st = language_table_settings(table, &settings, err);
    if (st == OK && document->terms)
        st = library_status(dragoman_set_text(settings, DRAGOMAN_TERM, document->terms, &error), &error, err);
    if (st == OK) st = charge(limits, table, settings, document, &characters, err);
    if (st == OK) {
        st = work_begin(&work, request, table, source, target, USE_DOCUMENTS, 1, settings, err);
        table = NULL;
    }
    if (st == OK)
        st = work_document(&work, document->name, document->format, document->bytes.data, document->bytes.len,
                           &translation, err);
    document->report.characters = work.characters;
    work_end(&work);
    language_table_release(table);
    dragoman_options_free(settings);
    buf_free(&document->bytes);
    free(document->terms);
    document->terms = NULL;
    limits_release(limits, document->address, document->reserved);
    document->reserved = 0;
    if (st == OK) st = keep(queue, document, translation.len, err);
    if (st == OK) {
        document->bytes = translation;
    } else {
        limits_return_characters(limits, document->client, characters);
        buf_free(&translation);
    }
    return st;
}

/* Returns the number of documents of a client in one of these states, with the lock. */
static size_t count_of(const DocumentQueue *queue, uint64_t client, DocumentState first, DocumentState last)
{
    size_t count = 0;

    for (size_t i = 0; i < queue->list.len; i++) {
        const QueuedDocument *document = queue->list.data[i];
        count += document->client == client && document->report.state >= first && document->report.state <= last;
    }
    return count;
}

/* Returns the document that is translated next: the oldest one of the clients with the fewest documents in progress.
 * NULL: there is none. With the lock. */
static QueuedDocument *find_next(const DocumentQueue *queue)
{
    QueuedDocument *next = NULL;
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < queue->list.len; i++) {
        QueuedDocument *document = queue->list.data[i];
        size_t count;
        if (document->report.state != DOCUMENT_QUEUED) continue;
        count = count_of(queue, document->client, DOCUMENT_TRANSLATING, DOCUMENT_TRANSLATING);
        if (count < fewest) {
            fewest = count;
            next = document;
        }
    }
    return next;
}

static void *run_thread(void *argument)
{
    QueueThread *own = argument;
    DocumentQueue *queue = own->queue;

    pthread_mutex_lock(&queue->lock);
    while (!queue->ends) {
        QueuedDocument *document = find_next(queue);
        Status st;
        if (!document) {
            pthread_cond_wait(&queue->added, &queue->lock);
            continue;
        }
        document->report.state = DOCUMENT_TRANSLATING;
        own->request.client_id = document->client;
        pthread_mutex_unlock(&queue->lock);
        st = translate(queue, &own->request, document, &document->report.fault);
        request_report(&own->request, st, &document->report.fault);
        pthread_mutex_lock(&queue->lock);
        document->report.state = st == OK ? DOCUMENT_DONE : DOCUMENT_FAILED;
        document->changed = clock_seconds();
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* --- The queue ------------------------------------------------------------------ */

Status document_queue_new(DocumentQueue **out, Server *server, Err *err)
{
    DocumentQueue *queue = calloc(1, sizeof *queue);
    int fault = 0;

    *out = NULL;
    if (!queue) return err_memory(err, "the documents");
    queue->server = server;
    queue->most_per_client = (size_t)server->options->server.max_per_client;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->added, NULL);
    pthread_cond_init(&queue->changed, NULL);
    for (size_t i = 0; i < THREADS && !fault; i++) {
        queue->threads[i].queue = queue;
        queue->threads[i].request.server = server;
        fault = thread_start_masked(&queue->threads[i].thread, run_thread, &queue->threads[i]);
        if (!fault) queue->thread_count++;
    }
    if (!fault) {
        *out = queue;
        return OK;
    }
    document_queue_free(queue);
    return err_set(err, ERR_IO, "cannot start a thread: %s", strerror(fault));
}

void document_queue_free(DocumentQueue *queue)
{
    if (!queue) return;
    pthread_mutex_lock(&queue->lock);
    queue->ends = true;
    for (size_t i = 0; i < queue->thread_count; i++) atomic_store(&queue->threads[i].request.gone, true);
    pthread_cond_broadcast(&queue->added);
    pthread_mutex_unlock(&queue->lock);
    for (size_t i = 0; i < queue->thread_count; i++) pthread_join(queue->threads[i].thread, NULL);
    while (queue->list.len) drop(queue, queue->list.len - 1);
    free(queue->list.data);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->added);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

/* Copies a task. The copy owns the bytes that were reserved for it. NULL: out of memory; the bytes are released. */
static QueuedDocument *new_document(DocumentQueue *queue, const DocumentTask *task, size_t reserved)
{
    QueuedDocument *document = calloc(1, sizeof *document);

    if (!document) {
        limits_release(queue->server->limits, task->address, reserved);
        return NULL;
    }
    document->queue = queue;
    document->reserved = reserved;
    document->client = task->client;
    document->address = task->address;
    document->format = task->format;
    document->name = strdup(task->name);
    document->source = task->source ? strdup(task->source) : NULL;
    document->target = strdup(task->target);
    document->terms = task->terms ? strdup(task->terms) : NULL;
    buf_put(&document->bytes, task->bytes, task->size);
    document->report.state = DOCUMENT_QUEUED;
    document->changed = clock_seconds();
    if (document->name && document->target && (document->source || !task->source) &&
        (document->terms || !task->terms) && buf_check(&document->bytes, NULL) == OK &&
        downloads_name(document->id, NULL) == OK && downloads_name(document->key, NULL) == OK)
        return document;
    free_document(queue, document);
    return NULL;
}

Admission document_queue_add(DocumentQueue *queue, const DocumentTask *task, char id[DOWNLOAD_ID],
                             char key[DOWNLOAD_ID])
{
    const size_t bytes = task->size + (task->terms ? strlen(task->terms) : 0);
    QueuedDocument *document;
    Admission answer = limits_reserve(queue->server->limits, task->address, bytes);

    if (answer != ADMITTED) return answer;
    document = new_document(queue, task, bytes);
    if (!document) return REFUSED_FULL;
    memcpy(id, document->id, DOWNLOAD_ID);
    memcpy(key, document->key, DOWNLOAD_ID);
    pthread_mutex_lock(&queue->lock);
    if (count_of(queue, task->client, DOCUMENT_QUEUED, DOCUMENT_FAILED) >= queue->most_per_client) {
        answer = REFUSED_CLIENT;
    } else if (queue->list.len >= QUEUED_MOST) {
        answer = REFUSED_FULL;
    } else {
        LIST_PUT(&queue->list, document);
        if (LIST_CHECK(&queue->list, "the documents", NULL) != OK) answer = REFUSED_FULL;
        pthread_cond_signal(&queue->added);
    }
    pthread_mutex_unlock(&queue->lock);
    if (answer != ADMITTED) free_document(queue, document);
    return answer;
}

/* Returns the index of a document, or the number of documents. Compares the whole key in any case, so that the time
 * tells nothing about it. With the lock. */
static size_t find(const DocumentQueue *queue, const char *id, const char *key)
{
    for (size_t i = 0; i < queue->list.len; i++) {
        const QueuedDocument *document = queue->list.data[i];
        unsigned char differs = strlen(key) != DOWNLOAD_ID - 1;
        if (strcmp(document->id, id) != 0) continue;
        for (size_t k = 0; !differs && k < DOWNLOAD_ID; k++) differs |= (unsigned char)(document->key[k] ^ key[k]);
        return differs ? queue->list.len : i;
    }
    return queue->list.len;
}

void document_queue_find(DocumentQueue *queue, const char *id, const char *key, DocumentReport *out)
{
    struct timespec until;
    int fault = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_SECONDS;
    *out = (DocumentReport){ .state = DOCUMENT_UNKNOWN };
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        const size_t index = find(queue, id, key);
        out->state = DOCUMENT_UNKNOWN;
        if (index < queue->list.len) {
            const DocumentReport *report = &queue->list.data[index]->report;
            out->state = report->state;
            if (report->state >= DOCUMENT_DONE) *out = *report;
        }
        if (fault || out->state == DOCUMENT_UNKNOWN || out->state >= DOCUMENT_DONE) break;
        fault = pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
    }
    pthread_mutex_unlock(&queue->lock);
}

DocumentState document_queue_take(DocumentQueue *queue, const char *id, const char *key, Buf *bytes, char **name,
                                  void **sending)
{
    DocumentState state = DOCUMENT_UNKNOWN;
    size_t index;

    pthread_mutex_lock(&queue->lock);
    index = find(queue, id, key);
    if (index < queue->list.len) {
        QueuedDocument *document = queue->list.data[index];
        state = document->report.state;
        if (state == DOCUMENT_DONE) {
            *bytes = document->bytes;
            *name = document->name;
            *sending = document;
            document->bytes = (Buf){ .data = NULL };
            document->name = NULL;
            document->report.state = DOCUMENT_UNKNOWN;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return state;
}

void document_queue_end(void *sending)
{
    DocumentQueue *queue = ((QueuedDocument *)sending)->queue;
    size_t index = 0;

    pthread_mutex_lock(&queue->lock);
    while (queue->list.data[index] != sending) index++;
    drop(queue, index);
    pthread_mutex_unlock(&queue->lock);
}

void document_queue_expire(DocumentQueue *queue)
{
    const double now = clock_seconds();

    pthread_mutex_lock(&queue->lock);
    for (size_t i = queue->list.len; i-- > 0;) {
        const QueuedDocument *document = queue->list.data[i];
        if (document->report.state >= DOCUMENT_DONE && now - document->changed > KEPT_SECONDS) drop(queue, i);
    }
    pthread_mutex_unlock(&queue->lock);
}
