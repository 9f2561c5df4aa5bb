/* input.c - see input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chars.h"
#include "document_choice.h"
#include "document_encoding.h"
#include "job.h"
#include "option_fields.h"
#include "path.h"
#include "public_status.h"
#include "ranges.h"
#include "text.h"
#include "thread.h"
#include "utf8.h"

/* --- Reads lines of any length. Each line is returned as soon as its newline has been read. */

/* Starts as {0}. start_reader() may be called again for another file. */
typedef struct {
    int fd;
    int wake; /* reading stops when this descriptor becomes readable */
    size_t position, filled;
    bool ended;       /* the end was reached; reading again could wait for input from a terminal */
    const char *text; /* [filled], in `chunk` or in a buffer of the caller */
    Buf partial;      /* the beginning of a line that continues in the next chunk */
    char chunk[1 << 16];
} LineReader;

typedef struct {
    const char *text; /* without its ending; NULL at the end of the file or when stopped */
    size_t len;
    Ending ending;
} RawLine;

/* The largest length of a line. Without a limit, an endless line, as in /dev/zero, would fill the memory. */
#define MAX_LINE_BYTES ((size_t)1 << 30)

static void start_reader(LineReader *reader, int fd, int wake)
{
    reader->fd = fd;
    reader->wake = wake;
    reader->position = reader->filled = 0;
    reader->ended = false;
    reader->text = reader->chunk;
    buf_clear(&reader->partial);
}

/* Waits until `fd` or `wake` is readable. If `wake` is readable, only sets *stopped. Otherwise reads up to `size` bytes
 * from `fd` and sets *count, to 0 at the end of the file. An error message does not name the file. */
static Status wait_and_read(int fd, int wake, char *bytes, size_t size, size_t *count, bool *stopped, Err *err)
{
    struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = wake, .events = POLLIN } };

    *count = 0;
    for (;;) {
        ssize_t n = -1;
        if (fd < 0 || poll(p, 2, -1) >= 0) { /* poll() would wait for ever for a file that is not open */
            *stopped = p[1].revents != 0;
            if (*stopped) return OK;
            n = read(fd, bytes, size);
        }
        if (n >= 0) {
            *count = (size_t)n;
            return OK;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return err_set(err, ERR_IO, "%s", strerror(errno));
    }
}

/* Waits for at least one byte and appends the available bytes to the chunk. *count is 0 at the end or when stopped. */
static Status read_more(LineReader *reader, size_t *count, Err *err)
{
    bool stopped = false;
    Status st;

    *count = 0;
    if (reader->ended) return OK;
    st = wait_and_read(reader->fd, reader->wake, reader->chunk + reader->filled, sizeof reader->chunk - reader->filled,
                       count, &stopped, err);
    reader->filled += *count;
    reader->ended = st == OK && !stopped && !*count;
    return st;
}

/* Call it before reading the first line. Reads up to the first newline, but at most about FILE_HEAD_BYTES. Returns
 * ERR_FORMAT if these bytes show that the file is a document, a picture or the like instead of lines of text. `path`
 * may be NULL. */
static Status check_text(LineReader *reader, const char *path, bool has_columns, Err *err)
{
    ForeignKind kind;
    size_t more = 1;
    Status st = OK;

    while (st == OK && more && reader->filled < FILE_HEAD_BYTES && !memchr(reader->text, '\n', reader->filled))
        st = read_more(reader, &more, err);
    if (st != OK) return st;
    kind = binary_file_kind(reader->text, reader->filled, false);
    if (has_columns) kind = foreign_kind_of_columns(kind);
    return kind.what ? foreign_kind_refuse(kind, path, NULL, err) : OK;
}

static void give_line(RawLine *line, const char *text, size_t len, bool has_newline)
{
    const bool has_cr = len && text[len - 1] == '\r';

    line->text = text;
    line->len = has_cr ? len - 1 : len;
    line->ending = has_newline ? (has_cr ? ENDING_CRLF : ENDING_LF) : (has_cr ? ENDING_CR : ENDING_NONE);
}

/* Reads the next line, which is valid until the next call. An error message does not name the file. */
static Status next_line(LineReader *reader, RawLine *line, Err *err)
{
    size_t count = 1;

    *line = (RawLine){ 0 };
    buf_reuse(&reader->partial);
    while (count) {
        const char *start = reader->text + reader->position;
        const size_t left = reader->filled - reader->position;
        const char *newline = left ? memchr(start, '\n', left) : NULL;
        const size_t length = newline ? (size_t)(newline - start) : left;
        Status st;

        if (newline && !reader->partial.len) { /* all of the line is in the chunk */
            reader->position += length + 1;
            give_line(line, start, length, true);
            return OK;
        }
        if (reader->partial.len + length > MAX_LINE_BYTES)
            return err_set(err, ERR_IO, "a line has more than %zu bytes", MAX_LINE_BYTES);
        buf_put(&reader->partial, start, length);
        st = buf_check(&reader->partial, err);
        if (st != OK) return st;
        if (newline) {
            reader->position += length + 1;
            give_line(line, reader->partial.data, reader->partial.len, true);
            return OK;
        }
        reader->position = reader->filled = 0;
        st = read_more(reader, &count, err);
        if (st != OK) return st;
    }
    if (reader->partial.len) give_line(line, reader->partial.data, reader->partial.len, false);
    return OK;
}

/* Reads a file that must not have more than one line, except for empty lines at its end. */
static Status read_only_line(LineReader *reader, const char *name, Buf *text, Err *err)
{
    RawLine line = { .text = NULL };
    Status st = check_text(reader, NULL, false, err);

    if (st == OK) st = next_line(reader, &line, err);
    if (st == OK) buf_put(text, line.text ? line.text : "", line.text ? line.len : 0);
    if (st == OK) st = buf_check(text, err);
    while (st == OK && line.text) {
        st = next_line(reader, &line, err);
        if (st == OK && line.text && line.len) return err_set(err, ERR_USAGE, "%s has more than one line", name);
    }
    return st == OK ? OK : err_set(err, st, "%s: %s", name, err->text);
}

DragomanStatus dragoman_read_line(const DragomanOptions *options, int fd, const char *name, char **line, size_t *length,
                                  DragomanError *error)
{
    LineReader *reader = calloc(1, sizeof *reader);
    Buf text = { 0 };
    Err err;
    Status st = reader ? OK : err_memory(&err, "a line");

    if (reader) {
        start_reader(reader, fd, -1);
        st = read_only_line(reader, name, &text, &err);
        buf_free(&reader->partial);
        free(reader);
    }
    if (st != OK) buf_free(&text);
    *line = text.data;
    *length = text.len;
    return option_fields_answer(st, &err, options->spelling, error);
}

/* --- The input ------------------------------------------------------------------------- */

struct Input {
    const DragomanJob *job;
    const DragomanOptions *settings; /* of the job */
    const DragomanInput *inputs;     /* [count] */
    InputFile *files;                /* [count] */
    size_t count;
    DragomanRunRules rules;
    pthread_t thread; /* if job->router is set */
    int wake[2];      /* a byte in this pipe means stop */
    atomic_bool stopped;
    LineReader reader;
    Buf clean;
    size_t lines; /* lines submitted, in all files */
    size_t unreadable;
    Status status;
    Err err;
    Warnings invalid;
    Warnings unknown; /* lines and documents whose language is unknown */
    Warnings faults; /* malformed lines of documents; reported even with `quiet`, because they change the exit status */

    pthread_mutex_t lock; /* guards `opened`, the `lines_before` of opened files, and `waiting` */
    size_t opened;        /* files opened so far */
    size_t waiting;       /* bytes of memory of all documents that are not released yet */
    pthread_cond_t released;

    /* The file that is being read. */
    InputFile *file;
    const DragomanInput *given; /* its input */
    const char *name;           /* for messages */

    /* The text that is being submitted. */
    DragomanRequest *request; /* reused for each text; NULL without a router */
    RangeList found;          /* the parts of a line that stay untranslated */
    RangeList closed;         /* the parts in which no glossary terms are searched */
    TermMatches terms;
    MemorySearch search;
    atomic_size_t other_bytes; /* see input_take_other_bytes() */
};

/* --- Tags of lines ---------------------------------------------------------------- */

#define ENDING_BITS   2
#define ARGUMENT_BITS 2
#define END_BIT       ((uintptr_t)1 << (ENDING_BITS + ARGUMENT_BITS))
#define TAG_BITS      (ENDING_BITS + ARGUMENT_BITS + 1)

/* Packs a tag for a line of the file that is being read; tag.file is not used. */
static uintptr_t pack_tag(const Input *in, LineTag tag)
{
    return (uintptr_t)(in->file - in->files) << TAG_BITS | (tag.ends_document ? END_BIT : 0) |
           (uintptr_t)tag.arguments << ENDING_BITS | (uintptr_t)tag.ending;
}

LineTag line_tag_of(const DragomanLine *line)
{
    const uintptr_t tag = dragoman_line_tag(line);

    return (LineTag){ .file = (size_t)(tag >> TAG_BITS),
                      .ending = (Ending)(tag & ((1 << ENDING_BITS) - 1)),
                      .arguments = (ArgumentRule)(tag >> ENDING_BITS & ((1 << ARGUMENT_BITS) - 1)),
                      .ends_document = (tag & END_BIT) != 0 };
}

/* --- Submitting a text -------------------------------------------------------------- */

/* Finds the glossary terms of a text. Does not search in kept parts, nor in the language token, which is the first
 * `language` bytes. If a kept part begins in these bytes, they are not a token, and are searched. */
static Status find_terms(Input *in, Destination to, const UnitText *text, size_t language, Err *err)
{
    Status st;

    in->terms.count = 0;
    if (!in->job->glossary || to.is_copied) return OK;
    ranges_clear(&in->closed);
    if (text->kept_count && text->kept->begin < language) language = 0;
    if (language) LIST_PUT(&in->closed, ((Range){ 0, language }));
    st = ranges_append_all(&in->closed, text->kept, text->kept_count, err);
    if (st != OK) return st;
    return glossary_find(in->job->glossary, router_language_of(in->job->router, to), text->text, text->length,
                         in->closed.data, in->closed.len, &in->terms, err);
}

/* Fills in->request. If `known` is not NULL, it is the translation from the memory, and nothing is translated. `line`
 * is NULL for a unit of a document. The sentences of a unit are translated one by one, unless --no-split is given. */
static DragomanStatus ask(Input *in, const UnitText *text, const LineText *line, const MemoryHit *known,
                          DragomanError *error)
{
    DragomanRequest *request = in->request;
    DragomanStatus st = dragoman_request_begin(request, text->text, text->length, error);

    if (st == DRAGOMAN_OK) st = dragoman_request_split(request, !line, error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(request, text->kept, text->kept_count, error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < in->terms.count; i++) {
        const TermMatch *term = &in->terms.items[i];
        st = dragoman_request_demand(request, term->place, term->forms, term->form_count, error);
    }
    if (st == DRAGOMAN_OK && known)
        return dragoman_request_know(request, known->target.data, known->target.len, known->kept, text->kept_count,
                                     error);
    return st == DRAGOMAN_OK && line ? line_columns_ask(&in->job->columns, *line, request, error) : st;
}

/* Submits in->request. */
static Status submit_request(Input *in, Destination to, uintptr_t tag, Err *err)
{
    Status st = router_submit(in->job->router, to, in->request, tag, &in->terms, err);

    if (st == OK) in->lines++;
    return st;
}

/* Submits a text. `language` is the length of the language token at its beginning. `line` is the line with its other
 * columns; NULL: the text is a unit of a document. */
static Status submit(Input *in, Destination to, const UnitText *text, size_t language, const LineText *line,
                     uintptr_t tag, Err *err)
{
    const DragomanJob *job = in->job;
    MemoryHit hit = { .kept = NULL };
    DragomanError error;
    Status st = find_terms(in, to, text, language, err);

    if (st == OK && job->memory && !to.is_copied) {
        MemoryContext context;
        st = router_find_context(job->router, to, &context, err);
        context.is_unit = !line;
        context.terms = in->terms.items;
        context.term_count = in->terms.count;
        context.term_match = in->settings->glossary_match;
        if (st == OK) st = memory_find(job->memory, &in->search, &context, text, &hit, err);
    }
    if (st == OK) st = public_status(ask(in, text, line, hit.target.data ? &hit : NULL, &error), &error, err);
    if (st == OK) st = submit_request(in, to, tag, err);
    if (st == ERR_USAGE && line && line_columns_has(&job->columns, COLUMN_PREFIX))
        return ERR_FORMAT; /* the error is in the input, not in the options */
    return st;
}

/* Submits a line to be scored: a text, a tab, and its translation. Without a tab, the translation is empty. */
static Status submit_pair(Input *in, LineText line, uintptr_t tag, Err *err)
{
    const char *end = line.data + line.len, *tab = memchr(line.data, '\t', line.len);
    const char *target = tab ? tab + 1 : end;
    DragomanError error;
    DragomanStatus st = dragoman_request_begin(in->request, line.data, (size_t)((tab ? tab : end) - line.data), &error);

    if (st == DRAGOMAN_OK) st = dragoman_request_score(in->request, target, (size_t)(end - target), &error);
    if (st != DRAGOMAN_OK) return public_status(st, &error, err);
    return submit_request(in, (Destination){ .source = LANGUAGE_UNKNOWN }, tag, err);
}

/* --- Lines -------------------------------------------------------------------------- */

/* Submits the source of a line that is not a pair. A language token at its beginning is not searched for kept parts. */
static Status submit_text(Input *in, size_t number, LineText line, uintptr_t tag, Err *err)
{
    LineText source;
    UnitText text = { .text = NULL };
    Destination to;
    size_t language = 0;
    Status st = line_columns_source(&in->job->columns, line, &source, err);

    if (st == OK) st = router_choose(in->job->router, source.data, source.len, "", &to, err);
    if (st != OK) return st;
    if (to.is_unknown && warnings_want(&in->unknown)) {
        Err reason;
        (void)router_explain_unknown(to, &reason);
        reporter_say(in->job->reporter, "%s:%zu: %s; the line was copied", in->name, number, reason.text);
    }
    ranges_clear(&in->found);
    if (in->job->keep || in->job->glossary)
        st = router_language_length(in->job->router, to, source.data, source.len, &language, err);
    if (st == OK && in->job->keep)
        st = keep_rules_find(in->job->keep, source.data + language, source.len - language, &in->found, err);
    if (st != OK) return st;
    for (size_t i = 0; i < in->found.len; i++) {
        in->found.data[i].begin += language;
        in->found.data[i].end += language;
    }
    text.text = source.data;
    text.length = source.len;
    text.kept = in->found.data;
    text.kept_count = in->found.len;
    atomic_fetch_add(&in->other_bytes, line.len - source.len);
    return submit(in, to, &text, language, &line, tag, err);
}

/* Whether the lines are pairs or have columns, which are always in UTF-8. */
static bool has_columns(const Input *in)
{
    return in->settings->pairs || in->job->columns.count;
}

/* Submits line `number` of a file. */
static Status submit_line(Input *in, size_t number, RawLine raw, Err *err)
{
    const uintptr_t tag = pack_tag(in, (LineTag){ .ending = raw.ending });
    const size_t mark = number == 1 ? chars_skip_mark(raw.text, 0, raw.len) : 0;
    LineText line = { raw.text + mark, raw.len - mark };
    size_t replaced;
    Err reason;
    Status st = OK;

    if (mark && !line.len && raw.ending == ENDING_NONE) return OK;
    if (utf8_clean_length(line.data, line.len) < line.len) {
        /* The first warning gives advice if --encoding could help. */
        const bool advises = !in->invalid.count && !has_columns(in) && !memchr(line.data, 0, line.len);
        buf_put_clean(&in->clean, line.data, line.len, &replaced);
        st = buf_check(&in->clean, &reason);
        if (st == OK && warnings_want(&in->invalid))
            reporter_say(in->job->reporter, "%s:%zu: invalid UTF-8 or NUL replaced by U+FFFD%s", in->name, number,
                         advises ? "; if the text is in another encoding, name it with " SETTING(ENCODING) : "");
        line = (LineText){ in->clean.data, in->clean.len };
    }
    if (st == OK)
        st = in->settings->pairs ? submit_pair(in, line, tag, &reason) : submit_text(in, number, line, tag, &reason);
    buf_reuse(&in->clean);
    return st == OK ? OK : err_set(err, st, "%s:%zu: %s", in->name, number, reason.text);
}

/* Completes the result of the file. `message` is for INPUT_FAILED. */
static void end_file(Input *in, InputEnd end, const char *message)
{
    in->file->end = end;
    in->file->lines = in->lines - in->file->lines_before;
    if (message) (void)err_set(&in->file->message, OK, "%s", message);
    atomic_store(&in->file->ended, true);
}

/* Ends a file that cannot be read; `message` names the file. Fails if the rules have `stop_at_unreadable`. */
static Status fail_file_with(Input *in, Status st, const char *message, Err *err)
{
    if (in->rules.stop_at_unreadable) return err_set(err, st == ERR_USAGE ? ERR_FORMAT : st, "%s", message);
    if (in->rules.each)
        end_file(in, INPUT_FAILED, message);
    else
        reporter_say(in->job->reporter, "%s", message);
    in->unreadable++;
    return OK;
}

/* Ends a file that cannot be read; `reason` does not name the file. */
static Status fail_file(Input *in, Status st, const char *reason, Err *err)
{
    Err message;

    (void)err_set(&message, st, "%s: %s", in->name, reason);
    return fail_file_with(in, st, message.text, err);
}

/* The path of the file; NULL for a text in memory. */
static const char *path_given(const Input *in)
{
    return in->given->bytes ? NULL : in->given->path;
}

/* Warns if standard input begins like a document. A file has a name, which tells its format. */
static void warn_of_structure(const Input *in)
{
    const DragomanOptions *s = in->settings;
    const ForeignKind kind = structured_text_kind(in->reader.text, in->reader.filled);

    Buf advice = { 0 };
    Err err;

    if (!kind.what || s->quiet || s->as || s->tsv_in || s->force_decode || s->pairs || s->pieces_in) return;
    foreign_kind_put_advice(&advice, kind, path_given(in));
    if (buf_check(&advice, &err) == OK)
        reporter_say(in->job->reporter, "warning: %s seems to be %s, but is read as lines: %s", in->name, kind.what,
                     advice.data);
    buf_free(&advice);
}

/* Reads and submits the lines of a file. Fails if no more lines can be submitted. A text in memory of the format
 * "lines" is not checked: a sentence may begin like a binary file. */
static Status read_lines(Input *in, int fd, Err *err)
{
    const bool is_checked = !in->rules.each && !(in->given->bytes && in->given->format);
    RawLine raw;
    Err reason;
    Status st = OK;

    start_reader(&in->reader, fd, in->wake[0]);
    if (in->given->bytes) { /* the text is in memory */
        in->reader.text = in->given->bytes;
        in->reader.filled = in->given->size;
        in->reader.ended = true;
    }
    if (is_checked) st = check_text(&in->reader, path_given(in), has_columns(in), &reason);
    if (st != OK) return fail_file(in, st, reason.text, err);
    if (fd == STDIN_FILENO && !in->rules.each) warn_of_structure(in);
    for (size_t number = in->given->lines_before + 1; st == OK; number++) {
        if (atomic_load(&in->file->dropped)) break;
        st = next_line(&in->reader, &raw, &reason);
        if (st != OK) return fail_file(in, st, reason.text, err);
        if (!raw.text) break;
        st = submit_line(in, number, raw, err);
        if (st == OK) in->file->bytes += raw.len + line_ending_bytes(raw.ending);
    }
    return st;
}

/* --- Reading documents ----------------------------------------------------------------- */

#define WAITING_BYTES ((size_t)64 << 20)

static void set_waiting(Input *in, OpenDocument *open, size_t bytes)
{
    pthread_mutex_lock(&in->lock);
    in->waiting += bytes - open->waiting;
    open->waiting = bytes;
    pthread_cond_signal(&in->released);
    pthread_mutex_unlock(&in->lock);
}

void input_release(Input *in, OpenDocument *open)
{
    document_free(open->document);
    text_encoding_free(open->encoding);
    package_free(open->package);
    buf_free(&open->archive);
    kept_items_free(&open->kept);
    buf_free(&open->text);
    set_waiting(in, open, 0);
    *open = (OpenDocument){ .document = NULL };
}

/* Appends the bytes of a document: source->bytes or, if these are NULL, those of the file. Sets *stopped if
 * input_stop() was called. */
static Status read_bytes(Input *in, Buf *out, const DocumentFile *source, int fd, bool *stopped, Err *err)
{
    char *chunk = in->reader.chunk;
    size_t count = source->size;
    Err reason;
    Status st = OK;

    do {
        if (!source->bytes)
            st = wait_and_read(fd, in->wake[0], chunk, sizeof in->reader.chunk, &count, stopped, &reason);
        if (st != OK) return err_set(err, st, "%s: %s", source->name, reason.text);
        if (out->len + count > DOCUMENT_BYTES)
            return err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                           source->name, DOCUMENT_BYTES >> 20);
        buf_put(out, source->bytes ? source->bytes : chunk, count);
        st = buf_check(out, err);
    } while (st == OK && !source->bytes && count && !*stopped);
    return st;
}

/* Copies the reason of a failure to *err. If the name of the file has chosen the format, adds advice to use --as. */
static Status explain(const Input *in, Status st, const Err *reason, Err *err)
{
    const DocumentFormat *format = in->file->kind.format;
    const bool by_name = !in->settings->as && !in->given->format;

    if (st != ERR_FORMAT || !by_name || format == &document_lines) return err_set(err, st, "%s", reason->text);
    return err_set(err, st, "%s (read as %s because of its name; " SETTING(AS) " chooses another format)", reason->text,
                   format->name);
}

/* The bytes of an empty document are "", not NULL. */
static DocumentFile file_of(const Buf *bytes, const char *name)
{
    return (DocumentFile){ name, bytes->data ? bytes->data : "", bytes->len };
}

/* Refuses a document that is a file of another kind. */
static Status refuse_kind(const Input *in, ForeignKind kind, Err *err)
{
    Err reason;
    const Status st = foreign_kind_refuse(kind, path_given(in), in->file->kind.format, &reason);

    return err_set(err, st, "%s: %s", in->name, reason.text);
}

/* Reads a document: converts its bytes to UTF-8, or unpacks its archive, and then parses it. */
static Status parse_document(Input *in, OpenDocument *open, Err *err)
{
    const DocumentFormat *format = in->file->kind.format;
    const Router *router = in->job->router;
    DocumentOptions *options = &open->options;
    const char *name = in->name, *guess; /* guess: the encodings that invalid UTF-8 may be in, as a text */
    DocumentFile source = file_of(&open->text, name);
    Buf text = { 0 };
    ForeignKind kind;
    Err reason;
    Status st;

    *options = document_choice_options(in->settings, format);
    if (in->settings->pseudo) options->source_language = in->settings->from; /* for the plural forms */
    if (router)
        options->language = router_target_language(router);
    else if (in->settings->pseudo && in->settings->to &&
             label_language_read(in->settings->to, strlen(in->settings->to), open->language))
        options->language = open->language;
    if (router && !in->settings->force_language) options->source_language = router_source_language(router);
    if (!format->package && !format->recognize_other) {
        kind = binary_file_kind(source.bytes, source.size < FILE_HEAD_BYTES ? source.size : FILE_HEAD_BYTES, true);
        if (kind.what) return refuse_kind(in, kind, err);
    }
    if (format->package) {
        open->archive = open->text;
        open->text = (Buf){ 0 };
        st = package_open(&open->package, format->package, &source, &open->text, &reason);
    } else {
        st = document_encoding_decode(&open->encoding, format, &source, options, &text, &reason);
        if (st == OK && open->encoding) {
            buf_free(&open->text);
            open->text = text;
        } else {
            buf_free(&text);
        }
    }
    if (st != OK && format->package) {
        const Buf *bytes = &open->archive;
        kind = binary_file_kind(bytes->data, bytes->len < FILE_HEAD_BYTES ? bytes->len : FILE_HEAD_BYTES, true);
        if (st == ERR_FORMAT && kind.what && !strstr(kind.advice, format->name)) return refuse_kind(in, kind, err);
    }
    if (st != OK) return explain(in, st, &reason, err);
    source = file_of(&open->text, name);
    st = document_read(&open->document, format, &source, options, &reason);
    if (st == OK) return OK;
    guess = st == ERR_FORMAT ? document_encoding_guess(&source) : NULL;
    if (!guess) return explain(in, st, &reason, err);
    kind = binary_file_kind(source.bytes, source.size < FILE_HEAD_BYTES ? source.size : FILE_HEAD_BYTES, false);
    if (kind.what) return refuse_kind(in, kind, err);
    return err_set(err, st, "%s; it may be in %s: name its encoding with " SETTING(ENCODING), reason.text, guess);
}

/* Appends " from X into Y", leaving out an unknown language. */
static void put_pair(Buf *out, const char *source, const char *target)
{
    if (source && *source) buf_put_format(out, " from %s", source);
    if (target && *target) buf_put_format(out, " into %s", target);
}

/* Refuses a bilingual document whose source or target language differs from the language of the model. */
static Status check_languages(const Input *in, const OpenDocument *open, Err *err)
{
    const DocumentOptions *options = &open->options;
    const DocumentLanguages *named = document_languages(open->document);
    const size_t line = named->source.line ? named->source.line : named->target.line;
    Buf text = { 0 };
    Status st;

    if (!line || in->settings->force_language) return OK;
    buf_put_format(&text, "%s:%zu: this document is for a translation", in->name, line);
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

/* Waits until all unreleased documents take at most WAITING_BYTES of memory, then reads a document. Returns OK and
 * leaves the document NULL if input_stop() was called. */
static Status open_document(Input *in, OpenDocument *open, int fd, Err *err)
{
    const DocumentFile source = { in->name, in->given->bytes, in->given->size };
    bool stopped;
    Status st = OK;

    pthread_mutex_lock(&in->lock);
    while (in->waiting > WAITING_BYTES && !atomic_load(&in->stopped)) pthread_cond_wait(&in->released, &in->lock);
    stopped = in->waiting > WAITING_BYTES;
    pthread_mutex_unlock(&in->lock);
    if (!stopped) st = read_bytes(in, &open->text, &source, fd, &stopped, err);
    if (st == OK && !stopped) st = parse_document(in, open, err);
    if (st == OK && !stopped) st = check_languages(in, open, err);
    if (st == OK && !stopped && in->job->keep)
        st = kept_items_find(&open->kept, in->job->keep, open->document, source.name, err);
    set_waiting(in, open, open->text.len + open->archive.len + (open->document ? document_memory(open->document) : 0));
    if (st != OK) input_release(in, open);
    if (st == ERR_MEMORY && !text_begins_with(err->text, source.name))
        st = err_set(err, st, "%s: %s", source.name, err->text);
    return st;
}

void input_put_texts(const Document *document, Buf *out)
{
    for (size_t i = 0; i < document_unit_count(document); i++) {
        const UnitText text = document_source(document, i);
        if (!document_is_wanted(document, i)) continue;
        buf_put(out, text.text, text.length);
        buf_put_byte(out, '\n');
    }
}

size_t input_other_bytes(const OpenDocument *open)
{
    size_t text = 0;

    if (!open->document) return 0;
    for (size_t i = 0; !open->is_copied && i < document_unit_count(open->document); i++)
        if (document_is_wanted(open->document, i)) text += document_source(open->document, i).length;
    return text < open->text.len ? open->text.len - text : 0;
}

/* --- Submitting documents -------------------------------------------------------------- */

/* Submits the units to translate. Stops and fails if a unit is refused. */
static Status submit_units(Input *in, const OpenDocument *open, Destination to, Err *err)
{
    const Document *document = open->document;

    for (size_t i = 0; i < document_unit_count(document); i++) {
        UnitText text = document_source(document, i);
        const LineTag tag = { .ending = ENDING_NONE, .arguments = text.arguments };
        DocumentPlace place;
        size_t language = 0;
        Err reason;
        Status st = OK;
        if (atomic_load(&in->file->dropped)) break;
        if (!document_is_wanted(document, i)) continue;
        text.kept = kept_items_of(&open->kept, i, &text.kept_count);
        if (in->job->glossary)
            st = router_language_length(in->job->router, to, text.text, text.length, &language, &reason);
        if (st == OK) st = submit(in, to, &text, language, NULL, pack_tag(in, tag), &reason);
        if (st == OK) continue;
        place = document_place(document, i);
        return err_set(err, st, DOCUMENT_PLACE ": %s", in->name, place.slash, place.part, place.mark, place.number,
                       reason.text);
    }
    return OK;
}

/* Chooses the destination of a document by the language that it names or, if it names none, by the language of its
 * texts. Marks the document as copied if no model translates its language. */
static Status choose_for_document(Input *in, OpenDocument *open, Destination *to, Err *err)
{
    const char *named = in->settings->force_language ? "" : document_languages(open->document)->source.tag;
    Buf texts = { 0 };
    Err reason;
    Status st;

    input_put_texts(open->document, &texts);
    st = buf_check(&texts, err);
    if (st == OK) {
        st = router_choose(in->job->router, texts.data ? texts.data : "", texts.len, named, to, &reason);
        if (st != OK) st = err_set(err, st, "%s: %s", in->name, reason.text);
    }
    buf_free(&texts);
    if (st != OK || !to->is_copied) return st;
    if (to->is_unknown && warnings_want(&in->unknown)) {
        (void)router_explain_unknown(*to, &reason);
        reporter_say(in->job->reporter, "%s: %s; the document was copied", in->name, reason.text);
    }
    open->is_copied = true;
    return OK;
}

/* Submits the units, unless the document is copied, and then the empty line that ends the document. With `each`, marks
 * the file as ended before that line, so that the thread that receives the line can complete the file. */
static Status submit_document(Input *in, OpenDocument *open, Err *err)
{
    Router *router = in->job->router;
    Destination to = { .is_copied = false }, copied = { .source = LANGUAGE_UNKNOWN, .is_copied = true };
    DragomanError error;
    Status st = router && router_detects(router) ? choose_for_document(in, open, &to, err) : OK;

    if (st == OK && router && !to.is_copied) st = submit_units(in, open, to, err);
    if (st != OK && ((st != ERR_USAGE && st != ERR_FORMAT) || !in->rules.each)) return st;
    if (router) in->lines++; /* counts the line that ends the document */
    if (in->rules.each) end_file(in, st == OK ? INPUT_READ : INPUT_FAILED, st == OK ? NULL : err->text);
    if (!router) return OK;
    in->terms.count = 0;
    st = public_status(dragoman_request_begin(in->request, "", 0, &error), &error, err);
    if (st != OK) return st;
    return router_submit(router, copied, in->request,
                         pack_tag(in, (LineTag){ .ending = ENDING_NONE, .ends_document = true }), &in->terms, err);
}

/* Returns NULL if the open file has not changed since `before`; else INPUT_CHANGED or why fstat() has failed. */
static const char *find_change(const struct stat *before, int fd)
{
    struct stat now;

    if (fstat(fd, &now) != 0) return strerror(errno);
    return input_is_changed(before, &now) ? INPUT_CHANGED : NULL;
}

/* Reads and submits a document. With `each`, fails if the file has changed since in->file->info was read. */
static Status read_document(Input *in, int fd, Err *err)
{
    OpenDocument *open = &in->file->document;
    Err reason;
    Status st = open_document(in, open, fd, &reason);
    const char *change = in->rules.each ? find_change(&in->file->info, fd) : NULL;
    const DocumentFault *faults;
    size_t count;

    if (st == OK && !open->document) return OK;
    if (st == OK && change) {
        st = err_set(&reason, ERR_IO, "%s: %s", in->name, change);
        input_release(in, open);
    }
    if (st != OK) return fail_file_with(in, st, reason.text, err);
    faults = document_faults(open->document, &count);
    for (size_t i = 0; i < count; i++)
        if (warnings_want(&in->faults))
            reporter_say(in->job->reporter, "%s:%zu:%zu: %s; the line was copied", in->name, faults[i].line,
                         faults[i].column, faults[i].reason);
    if (!in->settings->quiet &&
        (open->options.select_count || open->options.column_count || open->options.sheet_count) &&
        !document_unit_count(open->document))
        reporter_say(
            in->job->reporter,
            "%s: nothing is translated: no text matches " SETTING(SELECT) ", " SETTING(COLUMN) " or " SETTING(SHEET),
            in->name);
    for (const char *line = document_warnings(open->document), *end;
         line && !in->settings->quiet && !in->settings->identity && (end = strchr(line, '\n')); line = end + 1)
        reporter_say(in->job->reporter, "%s%.*s", in->name, (int)(end - line), line);
    in->file->bytes = (uint64_t)in->file->info.st_size;
    return submit_document(in, open, err);
}

/* --- Files ----------------------------------------------------------------------------- */

#define CHUNK_BYTES     ((size_t)8192)
#define LONGEST_PARTIAL ((size_t)3) /* most bytes of an incomplete character at the end of a chunk */

Status input_check_text(int fd, bool *is_text, Err *err)
{
    char chunk[LONGEST_PARTIAL + CHUNK_BYTES];
    size_t kept = 0;

    for (off_t position = 0;;) {
        ssize_t count;
        size_t filled, clean;

        do count = pread(fd, chunk + kept, CHUNK_BYTES, position);
        while (count < 0 && errno == EINTR);
        if (count < 0) return err_set(err, ERR_IO, "%s", strerror(errno));
        filled = kept + (size_t)count;
        clean = utf8_clean_length(chunk, filled);
        kept = filled - clean;
        *is_text = kept == 0;
        if (!count || kept > LONGEST_PARTIAL) return OK;
        position += count;
        memmove(chunk, chunk + clean, kept);
    }
}

bool input_is_changed(const struct stat *before, const struct stat *now)
{
    return now->st_size != before->st_size || now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

/* Reads a file with `each`. Fails if the file changes during that time. */
static Status read_batch_file(Input *in, int fd, Err *err)
{
    struct stat *info = &in->file->info;
    bool is_text = false;
    const char *change;
    Err reason;
    Status st;

    if (fstat(fd, info) != 0) return fail_file(in, ERR_IO, strerror(errno), err);
    if (!S_ISREG(info->st_mode)) return fail_file(in, ERR_IO, "not a regular file", err);
    if (in->file->kind.format) return read_document(in, fd, err);
    if (!in->file->kind.other && input_check_text(fd, &is_text, &reason) != OK)
        return fail_file(in, ERR_IO, reason.text, err);
    if (!is_text) {
        end_file(in, INPUT_NOT_TEXT, NULL);
        return OK;
    }
    st = read_lines(in, fd, err);
    if (st == ERR_USAGE || st == ERR_FORMAT) {
        end_file(in, INPUT_FAILED, err->text);
        return OK;
    }
    if (st != OK || atomic_load(&in->file->ended)) return st; /* fail_file() has ended it */
    change = find_change(info, fd);
    if (change) return fail_file(in, ERR_IO, change, err);
    end_file(in, INPUT_READ, NULL);
    return OK;
}

Status input_read_next(Input *in, Err *err)
{
    bool opens;
    int fd;
    Status st;

    pthread_mutex_lock(&in->lock);
    in->file = &in->files[in->opened];
    in->given = &in->inputs[in->opened];
    in->name = path_of_input(in->given->path);
    in->file->lines_before = in->lines;
    in->opened++;
    pthread_mutex_unlock(&in->lock);
    opens = !in->given->bytes && strcmp(in->given->path, "-") != 0;
    fd = in->given->bytes ? -1 : STDIN_FILENO;
    if (opens) { /* O_NONBLOCK: if a FIFO has replaced a file of a batch, do not wait for its writer */
        fd = open(in->given->path, O_RDONLY | O_CLOEXEC | (in->rules.each ? O_NONBLOCK | O_NOCTTY : 0));
        if (fd < 0) return fail_file(in, ERR_IO, strerror(errno), err);
    }
    if (in->rules.each)
        st = read_batch_file(in, fd, err);
    else if (in->file->kind.format)
        st = read_document(in, fd, err);
    else
        st = read_lines(in, fd, err);
    if (opens) close(fd);
    return st;
}

static void *read_all(void *argument)
{
    Input *in = argument;

    while (in->opened < in->count && in->status == OK && !atomic_load(&in->stopped))
        in->status = input_read_next(in, &in->err);
    if (atomic_load(&in->stopped)) in->status = OK; /* after input_stop(), a refused line is not an error */
    router_finish(in->job->router); /* also after a failure, so that the lines before it are still translated */
    return NULL;
}

Status input_start(Input **out, const DragomanJob *job, const DragomanInput *inputs, InputFile *files, size_t count,
                   DragomanRunRules rules, Err *err)
{
    const DragomanOptions *settings = job->options;
    Input *in = calloc(1, sizeof *in);
    int code = 0;

    *out = NULL;
    if (!in) return err_memory(err, "the input");
    in->job = job;
    in->settings = settings;
    in->inputs = inputs;
    in->files = files;
    in->count = count;
    in->rules = rules;
    in->invalid = in->unknown = (Warnings){ .reporter = job->reporter, .quiet = settings->quiet };
    in->faults = (Warnings){ .reporter = job->reporter };
    in->wake[0] = in->wake[1] = -1;
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->released, NULL);
    if (pipe(in->wake) != 0) code = errno;
    if (!code && job->router) {
        in->request = dragoman_request_new();
        code = in->request ? thread_start_masked(&in->thread, read_all, in) : ENOMEM;
    }
    if (code) {
        input_free(in);
        return err_set(err, ERR_IO, "cannot start reading: %s", strerror(code));
    }
    *out = in;
    return OK;
}

void input_stop(Input *in)
{
    atomic_store(&in->stopped, true);
    pthread_mutex_lock(&in->lock);
    pthread_cond_signal(&in->released);
    pthread_mutex_unlock(&in->lock);
    while (write(in->wake[1], "", 1) < 0 && errno == EINTR) continue;
}

Status input_join(Input *in, size_t *unreadable, size_t *faults, Err *err)
{
    if (in->job->router) pthread_join(in->thread, NULL);
    warnings_finish(&in->invalid, "with invalid UTF-8 or NUL");
    warnings_finish(&in->unknown, "whose language is not recognized or not translated");
    warnings_finish(&in->faults, "copied because of an error");
    *unreadable += in->unreadable;
    *faults += in->faults.count;
    if (in->status != OK) *err = in->err;
    return in->status;
}

void input_free(Input *in)
{
    if (!in) return;
    for (size_t i = 0; i < in->count; i++) input_release(in, &in->files[i].document);
    buf_free(&in->reader.partial);
    buf_free(&in->clean);
    ranges_free(&in->found);
    ranges_free(&in->closed);
    term_matches_free(&in->terms);
    memory_search_free(&in->search);
    dragoman_request_free(in->request);
    pthread_mutex_destroy(&in->lock);
    pthread_cond_destroy(&in->released);
    close(in->wake[0]);
    close(in->wake[1]);
    free(in);
}

size_t input_take_other_bytes(Input *in)
{
    return atomic_exchange(&in->other_bytes, 0);
}

InputPlace input_locate(Input *in, size_t number)
{
    InputPlace place = { .in_file = { "", "", ":", 1 } }; /* line 1 for the empty line that ends a document */
    const InputFile *file;
    const Document *document;

    pthread_mutex_lock(&in->lock);
    place.file = in->opened;
    while (place.file && in->files[place.file - 1].lines_before >= number) place.file--;
    if (place.file) number -= in->files[--place.file].lines_before;
    pthread_mutex_unlock(&in->lock);
    file = &in->files[place.file];
    document = file->document.document;
    if (!file->kind.format) place.in_file.number = in->inputs[place.file].lines_before + number;
    for (size_t i = 0; document && number && i < document_unit_count(document); i++) /* `number` counts wanted units */
        if (document_is_wanted(document, i) && --number == 0) place.in_file = document_place(document, i);
    return place;
}
