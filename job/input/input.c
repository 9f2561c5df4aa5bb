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
    bool ended;       /* the end was reached; do not read again, because a terminal would wait for more input */
    const char *text; /* [filled], in `chunk` or in a buffer of the caller */
    Buf partial;      /* the beginning of a line that continues in the next chunk */
    char chunk[1 << 16];
} LineReader;

typedef struct {
    const char *text; /* without its ending; NULL at the end of the file or when stopped */
    size_t len;
    Ending ending;
} RawLine;

/* Limit for a line, so that an endless one, as in /dev/zero, does not fill the memory. */
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

/* Waits until `fd` or `wake` is readable. If `wake` is, sets *stopped; otherwise reads up to `size` bytes from `fd` and
 * sets *count, to 0 at the end of the file. The message is only that of the system. */
static Status wait_and_read(int fd, int wake, char *bytes, size_t size, size_t *count, bool *stopped, Err *err)
{
    struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = wake, .events = POLLIN } };

    *count = 0;
    for (;;) {
        ssize_t n = -1;
        if (poll(p, 2, -1) >= 0) {
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

/* Call it before the first line. Returns ERR_FORMAT if the file is a document, a picture or the like instead of lines
 * of text. Reads up to the first newline, but at most about FILE_HEAD_BYTES, to find out. */
static Status check_text(LineReader *reader, Err *err)
{
    ForeignKind kind;
    size_t more = 1;
    Status st = OK;

    while (st == OK && more && reader->filled < FILE_HEAD_BYTES && !memchr(reader->text, '\n', reader->filled))
        st = read_more(reader, &more, err);
    if (st != OK) return st;
    kind = binary_file_kind(reader->text, reader->filled, false);
    return kind.what ? err_set(err, ERR_FORMAT, "is %s, not lines of text: %s", kind.what, kind.advice) : OK;
}

static void give_line(RawLine *line, const char *text, size_t len, bool has_newline)
{
    const bool has_cr = len && text[len - 1] == '\r';

    line->text = text;
    line->len = has_cr ? len - 1 : len;
    line->ending = has_newline ? (has_cr ? ENDING_CRLF : ENDING_LF) : (has_cr ? ENDING_CR : ENDING_NONE);
}

/* Reads the next line, which is valid until the next call. The message is only that of the system. */
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

/* Reads a file that may have only one line, and empty lines after it. */
static Status read_only_line(LineReader *reader, const char *name, Buf *text, Err *err)
{
    RawLine line = { .text = NULL };
    Status st = check_text(reader, err);

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
    InputPlan plan;
    Router *router; /* NULL: documents are read without a model */
    pthread_t thread;
    int wake[2]; /* a byte in this pipe means stop */
    atomic_bool stopped;
    bool has_thread;
    LineReader reader;
    Buf clean;
    size_t lines;   /* lines submitted, in all files */
    uint64_t bytes; /* read from the current file */
    size_t unreadable;
    Status status;
    Err err;
    Warnings invalid;
    Warnings unknown; /* lines and documents whose language is unknown */
    Warnings faults; /* malformed lines of documents; reported even with `quiet`, because they change the exit status */
    OpenDocument *documents; /* [plan.count] */

    pthread_mutex_t lock; /* guards `opened`, `lines_before` and `waiting` */
    size_t opened;        /* files opened so far */
    size_t *lines_before; /* [opened], lines submitted before each of these files */
    size_t waiting;       /* bytes of memory of all documents that are not released */
    pthread_cond_t released;

    /* The text that is being submitted. */
    DragomanRequest *request; /* reused for each text; NULL before the first */
    RangeList found;          /* the parts of a line that stay untranslated */
    RangeList closed;         /* where no glossary terms are searched */
    TermMatches terms;
    MemorySearch search;
    atomic_size_t other_bytes; /* see input_take_other_bytes() */
};

const char *input_file_name(const Input *in, size_t file)
{
    return path_of_input(in->plan.inputs[file].path);
}

/* --- Tags of lines ---------------------------------------------------------------- */

#define ENDING_BITS   2
#define ARGUMENT_BITS 2
#define END_BIT       ((uintptr_t)1 << (ENDING_BITS + ARGUMENT_BITS))
#define TAG_BITS      (ENDING_BITS + ARGUMENT_BITS + 1)

static uintptr_t pack_tag(LineTag tag)
{
    return (uintptr_t)tag.file << TAG_BITS | (tag.ends_document ? END_BIT : 0) |
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

/* Finds the glossary terms of a text. Does not search in kept parts, nor in the language token in the first `language`
 * bytes; but if a kept part begins in these bytes, they count as normal text. */
static Status find_terms(Input *in, Destination to, const UnitText *text, size_t language, Err *err)
{
    Status st;

    in->terms.count = 0;
    if (!in->plan.glossary || to.is_copied) return OK;
    ranges_clear(&in->closed);
    if (text->kept_count && text->kept->begin < language) language = 0;
    if (language) LIST_PUT(&in->closed, ((Range){ 0, language }));
    st = ranges_append_all(&in->closed, text->kept, text->kept_count, err);
    if (st != OK) return st;
    return glossary_find(in->plan.glossary, router_language_of(in->router, to), text->text, text->length,
                         in->closed.data, in->closed.len, &in->terms, err);
}

/* Fills in->request. `known` is the translation from the memory; then nothing is translated. `line` is NULL for a unit
 * of a document, whose sentences are translated one by one, unless --no-split is given. */
static DragomanStatus ask(Input *in, const UnitText *text, const LineText *line, const MemoryHit *known,
                          DragomanError *error)
{
    DragomanRequest *request = in->request;
    DragomanStatus st = dragoman_request_begin(request, text->text, text->length, error);

    if (st == DRAGOMAN_OK) st = dragoman_request_split(request, !line, error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(request, text->kept, text->kept_count, error);
    if (st == DRAGOMAN_OK && known)
        return dragoman_request_know(request, known->target.text, known->target.length, known->kept, text->kept_count,
                                     error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < in->terms.count; i++) {
        const TermMatch *term = &in->terms.items[i];
        st = dragoman_request_demand(request, term->place, term->forms, term->form_count, error);
    }
    return st == DRAGOMAN_OK && line ? line_columns_ask(in->plan.columns, *line, request, error) : st;
}

/* Submits a text. `language` is the length of the language token at its beginning. `line` is the line with its other
 * columns; NULL: the text is a unit of a document. */
static Status submit(Input *in, Destination to, const UnitText *text, size_t language, const LineText *line,
                     uintptr_t tag, Err *err)
{
    const LineColumns *columns = in->plan.columns;
    MemoryHit hit;
    DragomanError error;
    bool is_known = false;
    Status st = find_terms(in, to, text, language, err);

    if (!in->request) in->request = dragoman_request_new();
    if (st == OK && !in->request) st = err_memory(err, "a line");
    if (st == OK && in->plan.memory && !to.is_copied) {
        MemoryContext context;
        st = router_find_context(in->router, to, &context, err);
        context.is_unit = !line;
        context.terms = in->terms.items;
        context.term_count = in->terms.count;
        if (st == OK) st = memory_find(in->plan.memory, &in->search, &context, text, &is_known, &hit, err);
    }
    if (st != OK) return st;
    st = public_status(ask(in, text, line, is_known ? &hit : NULL, &error), &error, err);
    if (st == OK) st = router_submit(in->router, to, in->request, tag, &in->terms, err);
    if (st == OK) in->lines++;
    if (st == ERR_USAGE && line && columns && line_columns_has(columns, COLUMN_PREFIX))
        return ERR_FORMAT; /* the error is in the input, not in the options */
    return st;
}

/* --- Lines -------------------------------------------------------------------------- */

/* Submits the source of a line that is not a pair. The rules for kept parts ignore the language token before it. */
static Status submit_text(Input *in, size_t file, size_t number, LineText line, uintptr_t tag, Err *err)
{
    LineText source;
    UnitText text = { .text = NULL };
    Destination to;
    size_t language = 0;
    Status st = line_columns_source(in->plan.columns, line, &source, err);

    if (st == OK) st = router_choose(in->router, source.data, source.len, "", &to, err);
    if (st != OK) return st;
    if (to.is_unknown && warnings_want(&in->unknown)) {
        Err reason;
        (void)router_explain_unknown(to, &reason);
        reporter_say(in->plan.reporter, "%s:%zu: %s; the line was copied", input_file_name(in, file), number,
                     reason.text);
    }
    ranges_clear(&in->found);
    if (in->plan.keep || in->plan.glossary)
        st = router_language_length(in->router, to, source.data, source.len, &language, err);
    if (st == OK && in->plan.keep)
        st = keep_rules_find(in->plan.keep, source.data + language, source.len - language, &in->found, err);
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

/* Submits line `number` of a file. */
static Status submit_line(Input *in, size_t file, size_t number, RawLine raw, Err *err)
{
    const uintptr_t tag = pack_tag((LineTag){ .file = file, .ending = raw.ending });
    const size_t mark = number == 1 ? chars_skip_mark(raw.text, 0, raw.len) : 0;
    LineText line = { raw.text + mark, raw.len - mark };
    size_t replaced;
    Err reason;
    Status st = OK;

    if (mark && !line.len && raw.ending == ENDING_NONE) return OK;
    if (utf8_clean_length(line.data, line.len) < line.len) {
        const bool has_columns = in->plan.pairs || (in->plan.columns && in->plan.columns->count);
        /* The first warning gives advice if --encoding could help. */
        const bool advises = !in->invalid.count && !has_columns && !memchr(line.data, 0, line.len);
        buf_put_clean(&in->clean, line.data, line.len, &replaced);
        st = buf_check(&in->clean, &reason);
        if (st == OK && warnings_want(&in->invalid))
            reporter_say(in->plan.reporter, "%s:%zu: invalid UTF-8 or NUL replaced by U+FFFD%s",
                         input_file_name(in, file), number,
                         advises ? "; if the text is in another encoding, name it with " SETTING(ENCODING) : "");
        line = (LineText){ in->clean.data, in->clean.len };
    }
    if (st == OK && in->plan.pairs) { /* the translation is everything after the first tab, or empty */
        const char *end = line.data + line.len, *tab = memchr(line.data, '\t', line.len);
        const char *target = tab ? tab + 1 : end;
        st = router_submit_pair(in->router, line.data, (size_t)((tab ? tab : end) - line.data), target,
                                (size_t)(end - target), tag, &reason);
        if (st == OK) in->lines++;
    } else if (st == OK) {
        st = submit_text(in, file, number, line, tag, &reason);
    }
    buf_reuse(&in->clean);
    return st == OK ? OK : err_set(err, st, "%s:%zu: %s", input_file_name(in, file), number, reason.text);
}

/* Sets the result of a file of a batch, and marks the file as ended. */
static void end_file(Input *in, size_t file, InputResult result)
{
    InputState *state = &in->plan.states[file];

    result.lines = in->lines - in->lines_before[file];
    result.bytes = in->bytes;
    if (result.message) {
        (void)err_set(&state->message, OK, "%s", result.message);
        result.message = state->message.text;
    }
    state->result = result;
    atomic_store(&state->ended, true);
}

/* Whether the receiving thread wants no more lines of the file. */
static bool is_dropped(const Input *in, size_t file)
{
    return in->plan.states && atomic_load(&in->plan.states[file].dropped);
}

/* Ends a file that cannot be read; `message` names the file. Fails if the plan has `stop_at_unreadable`. */
static Status fail_file_with(Input *in, size_t file, Status st, const char *message, Err *err)
{
    if (in->plan.stop_at_unreadable) return err_set(err, st == ERR_USAGE ? ERR_FORMAT : st, "%s", message);
    if (in->plan.states)
        end_file(in, file, (InputResult){ .end = INPUT_FAILED, .message = message });
    else
        reporter_say(in->plan.reporter, "%s", message);
    in->unreadable++;
    return OK;
}

static Status fail_file(Input *in, size_t file, const char *reason, Err *err)
{
    Err message;

    (void)err_set(&message, ERR_IO, "%s: %s", input_file_name(in, file), reason);
    return fail_file_with(in, file, ERR_IO, message.text, err);
}

/* Reads and submits the lines of a file. Fails if no more lines can be submitted. Sets *complete if the end of the file
 * was reached or no more lines are wanted. */
static Status read_lines(Input *in, size_t file, int fd, bool *complete, Err *err)
{
    RawLine raw;
    Err reason;
    Status st = OK;

    *complete = false;
    start_reader(&in->reader, fd, in->wake[0]);
    if (in->plan.inputs[file].bytes) { /* the text is in memory */
        in->reader.text = in->plan.inputs[file].bytes;
        in->reader.filled = in->plan.inputs[file].size;
        in->reader.ended = true;
    }
    if (!in->plan.states && check_text(&in->reader, &reason) != OK) return fail_file(in, file, reason.text, err);
    for (size_t number = 1; st == OK; number++) {
        if (is_dropped(in, file)) break;
        if (next_line(&in->reader, &raw, &reason) != OK) return fail_file(in, file, reason.text, err);
        if (!raw.text) break;
        st = submit_line(in, file, number, raw, err);
        if (st == OK) in->bytes += raw.len + line_ending_bytes(raw.ending);
    }
    *complete = st == OK;
    return st;
}

/* --- Reading documents ----------------------------------------------------------------- */

#define WAITING_BYTES ((size_t)64 << 20)
#define READ_BYTES    ((size_t)1 << 16)

OpenDocument *input_document(const Input *in, size_t file)
{
    return &in->documents[file];
}

static void set_waiting(Input *in, OpenDocument *open, size_t bytes)
{
    pthread_mutex_lock(&in->lock);
    in->waiting += bytes - open->waiting;
    open->waiting = bytes;
    pthread_cond_signal(&in->released);
    pthread_mutex_unlock(&in->lock);
}

void input_release(Input *in, size_t file)
{
    OpenDocument *open = &in->documents[file];

    document_free(open->document);
    text_encoding_free(open->encoding);
    package_free(open->package);
    buf_free(&open->archive);
    kept_items_free(&open->kept);
    buf_free(&open->text);
    set_waiting(in, open, 0);
    *open = (OpenDocument){ .document = NULL };
}

/* Reads the bytes of a document from `fd`, unless source->bytes has them. Sets *stopped if input_stop() was called. */
static Status read_bytes(Input *in, Buf *out, const DocumentFile *source, int fd, bool *stopped, Err *err)
{
    char *chunk = source->bytes ? NULL : malloc(READ_BYTES);
    size_t count = source->size;
    Err reason;
    Status st = OK;

    if (!source->bytes && !chunk) return err_memory(err, "a document");
    do {
        if (chunk) st = wait_and_read(fd, in->wake[0], chunk, READ_BYTES, &count, stopped, &reason);
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

/* Copies the reason of a failure to *err, with advice on --as if the name of the file has chosen the format. */
static Status explain(const Input *in, size_t file, Status st, const Err *reason, Err *err)
{
    const DocumentFormat *format = in->plan.formats[file];

    if (st != ERR_FORMAT || !in->plan.by_name || format == &document_lines) return err_set(err, st, "%s", reason->text);
    return err_set(err, st, "%s (read as %s because of its name; " SETTING(AS) " chooses another format)", reason->text,
                   format->name);
}

/* The bytes of an empty document are "", not NULL. */
static DocumentFile file_of(const Buf *bytes, const char *name)
{
    return (DocumentFile){ name, bytes->data ? bytes->data : "", bytes->len };
}

/* Converts the bytes of a document to UTF-8, or unpacks those of an archive, and reads it. */
static Status parse_document(Input *in, size_t file, Err *err)
{
    const DocumentFormat *format = in->plan.formats[file];
    const DocumentOptions *options = &in->plan.document_options;
    const char *name = input_file_name(in, file), *guess; /* guess: encodings that invalid UTF-8 may be in */
    OpenDocument *open = &in->documents[file];
    DocumentFile source = file_of(&open->text, name);
    Buf text = { 0 };
    ForeignKind kind;
    Err reason;
    Status st;

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
    if (st != OK) return explain(in, file, st, &reason, err);
    source = file_of(&open->text, name);
    st = document_read(&open->document, format, &source, options, &reason);
    if (st == OK) return OK;
    guess = st == ERR_FORMAT ? document_encoding_guess(&source) : NULL;
    if (!guess) return explain(in, file, st, &reason, err);
    kind = binary_file_kind(source.bytes, source.size < FILE_HEAD_BYTES ? source.size : FILE_HEAD_BYTES, false);
    if (kind.what)
        return err_set(err, st, "%s: is %s, not a document of the format %s: %s", name, kind.what, format->name,
                       kind.advice);
    return err_set(err, st, "%s; it may be in %s: name its encoding with " SETTING(ENCODING), reason.text, guess);
}

/* Appends " from X into Y", leaving out an unknown language. */
static void put_pair(Buf *out, const char *source, const char *target)
{
    if (source && *source) buf_put_format(out, " from %s", source);
    if (target && *target) buf_put_format(out, " into %s", target);
}

/* Refuses a bilingual document whose source or target language differs from that of the model. */
static Status check_languages(const Input *in, size_t file, Err *err)
{
    const DocumentOptions *options = &in->plan.document_options;
    const DocumentLanguages *named = document_languages(in->documents[file].document);
    const size_t line = named->source.line ? named->source.line : named->target.line;
    Buf text = { 0 };
    Status st;

    if (!line || in->plan.any_language) return OK;
    buf_put_format(&text, "%s:%zu: this document is for a translation", input_file_name(in, file), line);
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
static Status open_document(Input *in, size_t file, int fd, Err *err)
{
    const DragomanInput *input = &in->plan.inputs[file];
    const DocumentFile source = { input_file_name(in, file), input->bytes, input->size };
    OpenDocument *open = &in->documents[file];
    bool stopped;
    Status st = OK;

    pthread_mutex_lock(&in->lock);
    while (in->waiting > WAITING_BYTES && !atomic_load(&in->stopped)) pthread_cond_wait(&in->released, &in->lock);
    stopped = in->waiting > WAITING_BYTES;
    pthread_mutex_unlock(&in->lock);
    if (!stopped) st = read_bytes(in, &open->text, &source, fd, &stopped, err);
    if (st == OK && !stopped) st = parse_document(in, file, err);
    if (st == OK && !stopped) st = check_languages(in, file, err);
    if (st == OK && !stopped && in->plan.keep)
        st = kept_items_find(&open->kept, in->plan.keep, open->document, source.name, err);
    set_waiting(in, open, open->text.len + open->archive.len + (open->document ? document_memory(open->document) : 0));
    if (st != OK) input_release(in, file);
    if (st == ERR_MEMORY && !text_begins_with(err->text, source.name))
        st = err_set(err, st, "%s: %s", source.name, err->text);
    return st;
}

size_t input_other_bytes(const Input *in, size_t file)
{
    const OpenDocument *open = &in->documents[file];
    size_t text = 0;

    if (!open->document) return 0;
    for (size_t i = 0; !open->is_copied && i < document_unit_count(open->document); i++)
        if (document_is_wanted(open->document, i)) text += document_source(open->document, i).length;
    return text < open->text.len ? open->text.len - text : 0;
}

/* --- Submitting documents -------------------------------------------------------------- */

/* Submits the units to translate. Fails at the first unit that is refused. */
static Status submit_units(Input *in, size_t file, Destination to, Err *err)
{
    const OpenDocument *open = &in->documents[file];
    const Document *document = open->document;

    for (size_t i = 0; i < document_unit_count(document); i++) {
        UnitText text = document_source(document, i);
        const LineTag tag = { .file = file, .ending = ENDING_NONE, .arguments = text.arguments };
        DocumentPlace place;
        size_t language = 0;
        Err reason;
        Status st = OK;
        if (is_dropped(in, file)) break;
        if (!document_is_wanted(document, i)) continue;
        text.kept = kept_items_of(&open->kept, i, &text.kept_count);
        if (in->plan.glossary) st = router_language_length(in->router, to, text.text, text.length, &language, &reason);
        if (st == OK) st = submit(in, to, &text, language, NULL, pack_tag(tag), &reason);
        if (st == OK) continue;
        place = document_place(document, i);
        return err_set(err, st, DOCUMENT_PLACE ": %s", input_file_name(in, file), place.slash, place.part, place.line,
                       reason.text);
    }
    return OK;
}

/* Chooses the destination of a document by the language that it names or, if it names none, by its texts to translate.
 * A document in a language that is not translated is marked as copied. */
static Status choose_for_document(Input *in, size_t file, Destination *to, Err *err)
{
    OpenDocument *open = &in->documents[file];
    const char *named = in->plan.any_language ? "" : document_languages(open->document)->source.tag;
    Buf texts = { 0 };
    Err reason;
    Status st;

    for (size_t i = 0; i < document_unit_count(open->document); i++) {
        const UnitText text = document_source(open->document, i);
        if (!document_is_wanted(open->document, i)) continue;
        buf_put(&texts, text.text, text.length);
        buf_put_byte(&texts, '\n');
    }
    st = buf_check(&texts, err);
    if (st == OK) {
        st = router_choose(in->router, texts.data ? texts.data : "", texts.len, named, to, &reason);
        if (st != OK) st = err_set(err, st, "%s: %s", input_file_name(in, file), reason.text);
    }
    buf_free(&texts);
    if (st != OK || !to->is_copied) return st;
    if (to->is_unknown && warnings_want(&in->unknown)) {
        (void)router_explain_unknown(*to, &reason);
        reporter_say(in->plan.reporter, "%s: %s; the document was copied", input_file_name(in, file), reason.text);
    }
    open->is_copied = true;
    return OK;
}

/* Submits the units, unless the document is copied, and then the empty line that ends the document. A file of a batch
 * is marked as ended before that line, so that the thread that receives the line can complete the file. */
static Status submit_document(Input *in, size_t file, InputResult *result, Err *err)
{
    const LineTag tag = { .file = file, .ending = ENDING_NONE, .ends_document = true };
    Destination to = { .is_copied = false };
    Status st = in->router && router_detects(in->router) ? choose_for_document(in, file, &to, err) : OK;

    if (st == OK && in->router && !to.is_copied) st = submit_units(in, file, to, err);
    if (st != OK && ((st != ERR_USAGE && st != ERR_FORMAT) || !in->plan.states)) return st;
    if (st != OK) {
        result->end = INPUT_FAILED;
        result->message = err->text;
    }
    if (in->router) in->lines++; /* counts the line that ends the document */
    if (in->plan.states) end_file(in, file, *result);
    return in->router ? router_submit_empty(in->router, pack_tag(tag), err) : OK;
}

/* Returns NULL if the open file has not changed since `before`; else INPUT_CHANGED, or the error of fstat(). */
static const char *find_change(const struct stat *before, int fd)
{
    struct stat now;

    if (fstat(fd, &now) != 0) return strerror(errno);
    return input_is_changed(before, &now) ? INPUT_CHANGED : NULL;
}

/* Reads and submits a document. A file of a batch must not have changed since `result->info`. */
static Status read_document(Input *in, size_t file, int fd, InputResult *result, Err *err)
{
    const DocumentOptions *options = &in->plan.document_options;
    Err reason;
    Status st = open_document(in, file, fd, &reason);
    const char *change = in->plan.states ? find_change(&result->info, fd) : NULL;
    const Document *document = in->documents[file].document;
    const DocumentFault *faults;
    size_t count;

    if (st == OK && !document) return OK;
    if (st == OK && change) {
        st = err_set(&reason, ERR_IO, "%s: %s", input_file_name(in, file), change);
        input_release(in, file);
    }
    if (st != OK) return fail_file_with(in, file, st, reason.text, err);
    faults = document_faults(document, &count);
    for (size_t i = 0; i < count; i++)
        if (warnings_want(&in->faults))
            reporter_say(in->plan.reporter, "%s:%zu:%zu: %s; the line was copied", input_file_name(in, file),
                         faults[i].line, faults[i].column, faults[i].reason);
    if (!in->plan.quiet && (options->select_count || options->column_count) && !document_unit_count(document))
        reporter_say(in->plan.reporter,
                     "%s: nothing is translated: no text matches " SETTING(SELECT) " or " SETTING(COLUMN),
                     input_file_name(in, file));
    in->bytes = (uint64_t)result->info.st_size;
    return submit_document(in, file, result, err);
}

/* --- Files ----------------------------------------------------------------------------- */

#define CHUNK_BYTES     ((size_t)8192)
#define LONGEST_PARTIAL ((size_t)3) /* bytes of a character whose end is in the next chunk */

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

/* Reads a file of a batch, which must not change meanwhile. */
static Status read_batch_file(Input *in, size_t file, int fd, Err *err)
{
    InputResult result = { .end = INPUT_READ };
    bool is_text = false, complete;
    const char *change;
    Err reason;
    Status st;

    if (fstat(fd, &result.info) != 0) return fail_file(in, file, strerror(errno), err);
    if (!S_ISREG(result.info.st_mode)) return fail_file(in, file, "not a regular file", err);
    if (in->plan.formats[file]) return read_document(in, file, fd, &result, err);
    if (!in->plan.states[file].is_other && input_check_text(fd, &is_text, &reason) != OK)
        return fail_file(in, file, reason.text, err);
    if (!is_text) {
        result.end = INPUT_NOT_TEXT;
        end_file(in, file, result);
        return OK;
    }
    st = read_lines(in, file, fd, &complete, err);
    change = find_change(&result.info, fd);
    if (st == ERR_USAGE || st == ERR_FORMAT) {
        result.end = INPUT_FAILED;
        result.message = err->text;
    } else if (!complete) {
        return st;
    } else if (change) {
        return fail_file(in, file, change, err);
    }
    end_file(in, file, result);
    return OK;
}

static Status read_file(Input *in, size_t file, Err *err)
{
    const DragomanInput *input = &in->plan.inputs[file];
    const bool opens = !input->bytes && strcmp(input->path, "-") != 0;
    InputResult result = { .end = INPUT_READ };
    bool complete;
    int fd = input->bytes ? -1 : STDIN_FILENO;
    Status st;

    pthread_mutex_lock(&in->lock);
    in->lines_before[file] = in->lines;
    in->bytes = 0;
    in->opened = file + 1;
    pthread_mutex_unlock(&in->lock);
    if (opens) { /* in a batch, O_NONBLOCK avoids waiting for a writer if a FIFO has replaced the file */
        fd = open(input->path, O_RDONLY | O_CLOEXEC | (in->plan.states ? O_NONBLOCK | O_NOCTTY : 0));
        if (fd < 0) return fail_file(in, file, strerror(errno), err);
    }
    if (in->plan.states)
        st = read_batch_file(in, file, fd, err);
    else if (in->plan.formats[file])
        st = read_document(in, file, fd, &result, err);
    else
        st = read_lines(in, file, fd, &complete, err);
    if (opens) close(fd);
    return st;
}

static void *read_all(void *argument)
{
    Input *in = argument;

    for (size_t i = 0; i < in->plan.count && in->status == OK && !atomic_load(&in->stopped); i++)
        in->status = read_file(in, i, &in->err);
    if (atomic_load(&in->stopped)) in->status = OK; /* after input_stop(), a refused line is not an error */
    router_finish(in->router);                      /* also after a failure: the lines before it are still translated */
    return NULL;
}

Status input_open(Input **out, const InputPlan *plan, Err *err)
{
    Input *in = calloc(1, sizeof *in);
    int code;

    *out = NULL;
    if (!in) return err_memory(err, "the input");
    in->plan = *plan;
    in->invalid = in->unknown = (Warnings){ .reporter = plan->reporter, .quiet = plan->quiet };
    in->faults = (Warnings){ .reporter = plan->reporter };
    in->lines_before = calloc(plan->count + 1, sizeof *in->lines_before);
    in->documents = calloc(plan->count + 1, sizeof *in->documents);
    code = in->lines_before && in->documents ? 0 : ENOMEM;
    if (!code && pipe(in->wake) != 0) code = errno;
    if (code) {
        free(in->documents);
        free(in->lines_before);
        free(in);
        return err_set(err, ERR_IO, "cannot start reading: %s", strerror(code));
    }
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->released, NULL);
    *out = in;
    return OK;
}

Status input_read_next(Input *in, Err *err)
{
    return read_file(in, in->opened, err);
}

Status input_start(Input **out, const InputPlan *plan, Router *router, Err *err)
{
    Status st = input_open(out, plan, err);
    int code;

    if (st != OK) return st;
    (*out)->router = router;
    code = thread_start_masked(&(*out)->thread, read_all, *out);
    (*out)->has_thread = !code;
    if (!code) return OK;
    input_free(*out);
    *out = NULL;
    return err_set(err, ERR_IO, "cannot start reading: %s", strerror(code));
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
    if (in->has_thread) pthread_join(in->thread, NULL);
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
    for (size_t i = 0; i < in->plan.count; i++) input_release(in, i);
    free(in->documents);
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
    free(in->lines_before);
    free(in);
}

size_t input_take_other_bytes(Input *in)
{
    return atomic_exchange(&in->other_bytes, 0);
}

InputPlace input_locate(Input *in, size_t number)
{
    InputPlace place;
    const Document *document;
    size_t file;

    pthread_mutex_lock(&in->lock);
    file = in->opened;
    while (file && in->lines_before[file - 1] >= number) file--;
    if (file) number -= in->lines_before[--file];
    pthread_mutex_unlock(&in->lock);
    place = (InputPlace){ .file = file, .in_file = { "", "", number } };
    document = in->documents[file].document;
    if (!in->plan.formats[file]) return place;
    place.in_file.line = 1; /* of the line that ends a document */
    for (size_t i = 0; document && number && i < document_unit_count(document); i++) /* `number` counts wanted units */
        if (document_is_wanted(document, i) && --number == 0) place.in_file = document_place(document, i);
    return place;
}
