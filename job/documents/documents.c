/* documents.c - see documents.h. */
#include "documents.h"

#include <pthread.h>
#include <stdlib.h>

#include "buf.h"
#include "document_choice.h"
#include "document_encoding.h"
#include "line_reader.h"
#include "text.h"

#define CHUNK_BYTES ((size_t)1 << 16)

struct Documents {
    DocumentsPlan plan;
    OpenDocument *items;  /* [plan.count] */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t released;
    size_t waiting; /* bytes of memory of documents that are not released */
    bool stopped;
};

Status documents_new(Documents **out, const DocumentsPlan *plan, Err *err)
{
    Documents *d = calloc(1, sizeof *d);
    OpenDocument *items = calloc(plan->count + 1, sizeof *items);

    *out = NULL;
    if (!d || !items) {
        free(d);
        free(items);
        return err_memory(err, "the documents");
    }
    d->plan = *plan;
    if (plan->any_language) d->plan.options.source_language = NULL;
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

bool documents_has(const Documents *d, size_t file)
{
    return d && d->plan.formats[file];
}

static void set_waiting(Documents *d, OpenDocument *item, size_t bytes)
{
    pthread_mutex_lock(&d->lock);
    d->waiting += bytes - item->waiting;
    item->waiting = bytes;
    pthread_cond_signal(&d->released);
    pthread_mutex_unlock(&d->lock);
}

/* Reads the bytes of a document from `source` or from `fd`. *stopped: there is something to read in `wake`. */
static Status read_bytes(Buf *out, const DocumentFile *source, int fd, int wake, bool *stopped, Err *err)
{
    char *chunk = source->bytes ? NULL : malloc(CHUNK_BYTES);
    size_t count = source->size;
    Err reason;
    Status st = OK;

    if (!source->bytes && !chunk) return err_memory(err, "a document");
    do {
        if (chunk) st = line_reader_wait(fd, wake, chunk, CHUNK_BYTES, &count, stopped, &reason);
        if (st != OK)
            st = err_set(err, st, "%s: %s", source->name, reason.text);
        else if (out->len + count > DOCUMENT_BYTES)
            st = err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                         source->name, DOCUMENT_BYTES >> 20);
        else
            buf_put(out, chunk ? chunk : source->bytes, count);
        if (st == OK) st = buf_check(out, err);
    } while (st == OK && chunk && count && !*stopped);
    free(chunk);
    return st;
}

/* Adds to the reason of a failure what the user can do. */
static Status explain(const Documents *d, size_t file, Status st, const Err *reason, Err *err)
{
    if (st != ERR_FORMAT || !d->plan.by_name || d->plan.formats[file] == &document_lines)
        return err_set(err, st, "%s", reason->text);
    return err_set(err, st, "%s (read as %s because of its name; " SETTING(AS) " chooses another format)", reason->text,
                   d->plan.formats[file]->name);
}

/* An empty document has no bytes, but a text. */
static DocumentFile file_of(const Buf *bytes, const char *name)
{
    return (DocumentFile){ name, bytes->data ? bytes->data : "", bytes->len };
}

/* Converts the bytes of a document to UTF-8, or unpacks those of an archive, and reads it. */
static Status parse(Documents *d, size_t file, const char *name, Err *err)
{
    const DocumentFormat *format = d->plan.formats[file];
    OpenDocument *item = &d->items[file];
    DocumentFile source = file_of(&item->text, name);
    Buf text = { 0 };
    const char *guess; /* what bytes that are no text in UTF-8 may be */
    ForeignKind kind;
    Err reason;
    Status st;

    if (format->package) {
        item->archive = item->text;
        item->text = (Buf){ 0 };
        st = package_open(&item->package, format->package, &source, &item->text, &reason);
    } else {
        st = document_encoding_decode(&item->encoding, format, &source, &d->plan.options, &text, &reason);
        if (st == OK && item->encoding) {
            buf_free(&item->text);
            item->text = text;
        } else {
            buf_free(&text);
        }
    }
    if (st != OK) return explain(d, file, st, &reason, err);
    source = file_of(&item->text, name);
    st = document_read(&item->document, format, &source, &d->plan.options, &reason);
    if (st == OK) {
        document_set_encoding(item->document, item->encoding);
        return OK;
    }
    guess = st == ERR_FORMAT ? document_encoding_guess(&source) : NULL;
    if (!guess) return explain(d, file, st, &reason, err);
    kind = binary_file_kind(source.bytes, source.size < FILE_HEAD_BYTES ? source.size : FILE_HEAD_BYTES, false);
    if (kind.what)
        return err_set(err, st, "%s: is %s, not a document of the format %s: %s", name, kind.what, format->name,
                       kind.advice);
    return err_set(err, st, "%s; it may be in %s: name its encoding with " SETTING(ENCODING), reason.text, guess);
}

/* Puts " from X into Y" with the languages that are known. */
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

Status documents_read(Documents *d, size_t file, const DocumentFile *source, int fd, int wake, Err *err)
{
    const char *name = source->name;
    OpenDocument *item = &d->items[file];
    bool stopped;
    Status st = OK;

    pthread_mutex_lock(&d->lock);
    while (d->waiting > DOCUMENTS_WAITING && !d->stopped) pthread_cond_wait(&d->released, &d->lock);
    stopped = d->waiting > DOCUMENTS_WAITING;
    pthread_mutex_unlock(&d->lock);
    if (!stopped) st = read_bytes(&item->text, source, fd, wake, &stopped, err);
    if (st == OK && !stopped) st = parse(d, file, name, err);
    if (st == OK && !stopped) st = check_languages(d, file, name, err);
    if (st == OK && !stopped && d->plan.keep)
        st = kept_items_find(&item->kept, d->plan.keep, item->document, name, err);
    set_waiting(d, item, item->text.len + item->archive.len + (item->document ? document_memory(item->document) : 0));
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

OpenDocument *documents_get(const Documents *d, size_t file)
{
    return &d->items[file];
}

const char *documents_source_language(const Documents *d, size_t file)
{
    return d->plan.any_language ? "" : document_languages(d->items[file].document)->source.tag;
}

bool documents_matches_nothing(const Documents *d, size_t file)
{
    const DocumentOptions *options = &d->plan.options;

    return (options->select_count || options->column_count) && !document_unit_count(d->items[file].document);
}

size_t documents_other_bytes(const Documents *d, size_t file)
{
    const Document *document = d->items[file].document;
    const size_t size = d->items[file].text.len;
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
    OpenDocument *item = &d->items[file];

    document_free(item->document);
    text_encoding_free(item->encoding);
    package_free(item->package);
    buf_free(&item->archive);
    kept_items_free(&item->kept);
    buf_free(&item->text);
    item->document = NULL;
    item->encoding = NULL;
    item->package = NULL;
    item->is_copied = false;
    set_waiting(d, item, 0);
}
