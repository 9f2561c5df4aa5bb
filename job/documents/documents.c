/* documents.c - see documents.h. */
#include "documents.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign_file.h"
#include "buf.h"
#include "document_encoding.h"
#include "text.h"

#define CHUNK_BYTES ((size_t)1 << 16)

typedef struct {
    Buf bytes; /* in UTF-8 */
    TextEncoding *encoding;
    Package *package;
    Buf archive; /* that of the package */
    Document *document;
    KeptItems kept;
    size_t waiting; /* bytes in Documents.waiting */
    bool is_copied;
} ReadDocument;

struct Documents {
    DocumentsPlan plan;
    Memory *memory;       /* NULL: none */
    ReadDocument *items;  /* [plan.count]; the lines of a document pass its item from thread to thread */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t released;
    size_t waiting; /* bytes of memory of documents that are not released */
    bool stopped;
};

Status documents_new(Documents **out, const DocumentsPlan *plan, Err *err)
{
    Documents *d = calloc(1, sizeof *d);
    ReadDocument *items = calloc(plan->count + 1, sizeof *items);

    *out = NULL;
    if (!d || !items) {
        free(d);
        free(items);
        return err_memory(err, "the documents");
    }
    d->plan = *plan;
    d->items = items;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->released, NULL);
    *out = d;
    return OK;
}

void documents_free(Documents *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->plan.count; i++) documents_release(d, i);
    free(d->items);
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->released);
    free(d);
}

void documents_set_languages(Documents *d, const char *source, const char *target)
{
    d->plan.options.source_language = d->plan.any_language ? NULL : source;
    d->plan.options.language = target;
}

void documents_set_memory(Documents *d, Memory *memory)
{
    d->memory = memory;
}

bool documents_has(const Documents *d, size_t file)
{
    return d && d->plan.formats[file];
}

/* Returns false if there is no room and the waiting has ended. */
static bool wait_for_room(Documents *d)
{
    bool has_room;

    pthread_mutex_lock(&d->lock);
    while (d->waiting > DOCUMENTS_WAITING && !d->stopped) pthread_cond_wait(&d->released, &d->lock);
    has_room = d->waiting <= DOCUMENTS_WAITING;
    pthread_mutex_unlock(&d->lock);
    return has_room;
}

static void set_waiting(Documents *d, ReadDocument *item, size_t bytes)
{
    pthread_mutex_lock(&d->lock);
    d->waiting += bytes - item->waiting;
    item->waiting = bytes;
    pthread_cond_signal(&d->released);
    pthread_mutex_unlock(&d->lock);
}

/* Waits for bytes and reads some. *count is 0 at the end of the file; *stopped: there is something to read in
 * `wake`. */
static Status read_some(int fd, int wake, char *chunk, size_t *count, bool *stopped, Err *err)
{
    struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = wake, .events = POLLIN } };

    *count = 0;
    for (;;) {
        ssize_t n = -1;
        if (poll(p, 2, -1) >= 0) {
            *stopped = p[1].revents != 0;
            if (*stopped) return OK;
            n = read(fd, chunk, CHUNK_BYTES);
        }
        if (n >= 0) {
            *count = (size_t)n;
            return OK;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return err_set(err, ERR_IO, "%s", strerror(errno));
    }
}

static Status refuse_size(const char *name, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one", name,
                   DOCUMENT_BYTES >> 20);
}

static Status copy_bytes(Buf *out, const DocumentFile *source, Err *err)
{
    if (source->size > DOCUMENT_BYTES) return refuse_size(source->name, err);
    buf_put(out, source->bytes, source->size);
    return buf_check(out, err);
}

static Status read_bytes(Buf *out, const char *name, int fd, int wake, bool *stopped, Err *err)
{
    char *chunk = malloc(CHUNK_BYTES);
    size_t count = 1;
    Err reason;
    Status st = chunk ? OK : err_memory(err, "a document");

    while (st == OK && count && !*stopped) {
        st = read_some(fd, wake, chunk, &count, stopped, &reason);
        if (st != OK)
            st = err_set(err, st, "%s: %s", name, reason.text);
        else if (out->len + count > DOCUMENT_BYTES)
            st = refuse_size(name, err);
        else if (count)
            buf_put(out, chunk, count);
        if (st == OK) st = buf_check(out, err);
    }
    free(chunk);
    return st;
}

/* An empty document has no bytes, but a text. */
static DocumentFile file_of(const ReadDocument *item, const char *name)
{
    return (DocumentFile){ name, item->bytes.data ? item->bytes.data : "", item->bytes.len };
}

/* Adds to the reason of a failure what the user can do. */
static Status explain(const Documents *d, size_t file, Status st, const Err *reason, Err *err)
{
    if (st != ERR_FORMAT || !d->plan.by_name || d->plan.formats[file] == &document_lines)
        return err_set(err, st, "%s", reason->text);
    return err_set(err, st, "%s (read as %s because of its name; " SETTING(AS) " chooses another format)", reason->text,
                   d->plan.formats[file]->name);
}

/* The bytes of an archive become its text. */
static Status unpack(Documents *d, size_t file, const char *name, Err *err)
{
    ReadDocument *item = &d->items[file];
    DocumentFile archive;
    Err reason;
    Status st;

    item->archive = item->bytes;
    item->bytes = (Buf){ 0 };
    archive = (DocumentFile){ name, item->archive.data ? item->archive.data : "", item->archive.len };
    st = package_open(&item->package, d->plan.formats[file]->package, &archive, &item->bytes, &reason);
    return st == OK ? OK : explain(d, file, st, &reason, err);
}

/* Converts the bytes to UTF-8. */
static Status decode(Documents *d, size_t file, const char *name, Err *err)
{
    ReadDocument *item = &d->items[file];
    const DocumentFile source = file_of(item, name);
    Buf text = { 0 };
    Err reason;
    Status st;

    if (d->plan.formats[file]->package) return unpack(d, file, name, err);
    st = document_encoding_decode(&item->encoding, d->plan.formats[file], &source, &d->plan.options, &text, &reason);

    if (st != OK || !item->encoding) {
        buf_free(&text);
        return st == OK ? OK : explain(d, file, st, &reason, err);
    }
    buf_free(&item->bytes);
    item->bytes = text;
    return OK;
}

/* Adds to the reason why bytes are no text in UTF-8 what they may be. */
static Status explain_bytes(const Documents *d, size_t file, Status st, const DocumentFile *source, const Err *reason,
                            Err *err)
{
    const char *guess = st == ERR_FORMAT ? document_encoding_guess(source) : NULL;
    const size_t size = source->size < FILE_HEAD_BYTES ? source->size : FILE_HEAD_BYTES;
    const ForeignKind kind = guess ? binary_file_kind(source->bytes, size, false) : (ForeignKind){ NULL, NULL };

    if (!guess) return explain(d, file, st, reason, err);
    if (kind.what)
        return err_set(err, st, "%s: is %s, not a document of the format %s: %s", source->name, kind.what,
                       d->plan.formats[file]->name, kind.advice);
    return err_set(err, st, "%s; it may be in %s: name its encoding with " SETTING(ENCODING), reason->text, guess);
}

static Status parse(Documents *d, size_t file, const char *name, Err *err)
{
    ReadDocument *item = &d->items[file];
    const DocumentFile source = file_of(item, name);
    Err reason;
    Status st = document_read(&item->document, d->plan.formats[file], &source, &d->plan.options, &reason);

    if (st != OK) return explain_bytes(d, file, st, &source, &reason, err);
    document_set_encoding(item->document, item->encoding);
    return OK;
}

/* Appends " from X into Y" with the languages that are known. */
static void put_pair(Buf *out, const char *source, const char *target)
{
    if (source && *source) buf_put_format(out, " from %s", source);
    if (target && *target) buf_put_format(out, " into %s", target);
}

/* Refuses a document whose sources, or translations that stay, are in another language than the model has. */
static Status check_languages(const Documents *d, size_t file, const char *name, Err *err)
{
    const DocumentOptions *options = &d->plan.options;
    const DocumentLanguages *named = document_languages(d->items[file].document);
    const size_t line = named->source.line ? named->source.line : named->target.line;
    Buf text = { 0 };
    Status st;

    if (!line || d->plan.any_language) return OK;
    buf_put_format(&text, "%s:%zu: this document is for a translation", name, line);
    put_pair(&text, named->source.tag, named->target.tag);
    buf_put_text(&text, ", but the model translates");
    put_pair(&text, options->source_language, options->language);
    st = buf_check(&text, err);
    if (st == OK)
        st = err_set(err, ERR_FORMAT,
                     "%s: choose a model for it with " SETTING(MODEL) ", or with " SETTING(FROM) " and " SETTING(
                         TO) ", or translate it all the same with " SETTING(FORCE_LANGUAGE),
                     text.data);
    buf_free(&text);
    return st;
}

static Status find_kept(Documents *d, size_t file, const char *name, Err *err)
{
    ReadDocument *item = &d->items[file];

    return d->plan.keep ? kept_items_find(&item->kept, d->plan.keep, item->document, name, err) : OK;
}

Status documents_read(Documents *d, size_t file, const DocumentFile *source, int fd, int wake, Err *err)
{
    const char *name = source->name;
    ReadDocument *item = &d->items[file];
    bool stopped = !wait_for_room(d);
    Status st = OK;

    if (!stopped)
        st = source->bytes ? copy_bytes(&item->bytes, source, err)
                           : read_bytes(&item->bytes, name, fd, wake, &stopped, err);

    if (st == OK && !stopped) st = decode(d, file, name, err);
    if (st == OK && !stopped) st = parse(d, file, name, err);
    if (st == OK && !stopped) st = check_languages(d, file, name, err);
    if (st == OK && !stopped) st = find_kept(d, file, name, err);
    set_waiting(d, item, item->bytes.len + item->archive.len + (item->document ? document_memory(item->document) : 0));
    if (st != OK) documents_release(d, file);
    if (st == ERR_MEMORY && !text_begins_with(err->text, name)) st = err_set(err, st, "%s: %s", name, err->text);
    return st;
}

void documents_stop(Documents *d)
{
    if (!d) return;
    pthread_mutex_lock(&d->lock);
    d->stopped = true;
    pthread_cond_signal(&d->released);
    pthread_mutex_unlock(&d->lock);
}

OpenDocument documents_get(const Documents *d, size_t file)
{
    const ReadDocument *item = &d->items[file];

    return (OpenDocument){ item->document, item->encoding, item->package,  &item->bytes,
                           &item->kept,    d->memory,      item->is_copied };
}

Status documents_append_text(const Documents *d, size_t file, Buf *out, Err *err)
{
    const Document *document = d->items[file].document;

    for (size_t i = 0; i < document_unit_count(document); i++) {
        const UnitText text = document_source(document, i);
        if (!document_is_wanted(document, i)) continue;
        buf_put(out, text.text, text.length);
        buf_put_byte(out, '\n');
    }
    return buf_check(out, err);
}

const char *documents_source_language(const Documents *d, size_t file)
{
    return d->plan.any_language ? "" : document_languages(d->items[file].document)->source.tag;
}

void documents_copy(Documents *d, size_t file)
{
    d->items[file].is_copied = true;
}

bool documents_matches_nothing(const Documents *d, size_t file)
{
    const DocumentOptions *options = &d->plan.options;

    return (options->select_count || options->column_count) && !document_unit_count(d->items[file].document);
}

size_t documents_other_bytes(const Documents *d, size_t file)
{
    const Document *document = d->items[file].document;
    const size_t size = d->items[file].bytes.len;
    size_t text = 0;

    for (size_t i = 0; !d->items[file].is_copied && i < document_unit_count(document); i++)
        if (document_is_wanted(document, i)) text += document_source(document, i).length;
    return text < size ? size - text : 0;
}

DocumentPlace documents_place(const Documents *d, size_t file, size_t number)
{
    const Document *document = d->items[file].document;

    for (size_t i = 0; document && i < document_unit_count(document); i++)
        if (document_is_wanted(document, i) && --number == 0) return document_place(document, i);
    return (DocumentPlace){ "", "", 1 };
}

void documents_release(Documents *d, size_t file)
{
    ReadDocument *item = &d->items[file];

    document_free(item->document);
    text_encoding_free(item->encoding);
    package_free(item->package);
    buf_free(&item->archive);
    kept_items_free(&item->kept);
    buf_free(&item->bytes);
    item->document = NULL;
    item->encoding = NULL;
    item->package = NULL;
    item->is_copied = false;
    set_waiting(d, item, 0);
}
