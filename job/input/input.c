/* input.c - see input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input_file.h"
#include "line_reader.h"
#include "line_tag.h"
#include "submission.h"
#include "thread.h"
#include "utf8.h"
#include "path.h"

struct Input {
    InputPlan plan;
    Router *router; /* NULL: documents are read without a model */
    pthread_t thread;
    int wake[2]; /* a byte in this pipe means stop */
    atomic_bool stopped;
    bool has_thread;
    LineReader reader;
    Buf clean;
    Submission submission;
    size_t lines;   /* lines submitted, in all files */
    uint64_t bytes; /* of the lines of the current file */
    size_t unreadable;
    Status status;
    Err err;
    Warnings invalid;
    Warnings unknown;     /* languages */
    Warnings faults;      /* of documents; they make the program fail, so they are reported even with `quiet` */
    pthread_mutex_t lock; /* guards the two fields below */
    size_t opened;        /* files opened so far */
    size_t *lines_before; /* [opened], lines in all earlier files */
};

static const char *file_name(const Input *in, size_t file)
{
    return path_of_input(in->plan.inputs[file].path);
}

/* The first warning says what the user can do, if the line may be in another encoding that --encoding can name. */
static void warn_of_replaced(Input *in, size_t file, size_t line, const RawLine *raw)
{
    const bool has_columns = in->plan.pairs || (in->plan.columns && in->plan.columns->count);

    if (!warnings_want(&in->invalid)) return;
    reporter_say(in->plan.reporter, "%s:%zu: invalid UTF-8 or NUL replaced by U+FFFD%s", file_name(in, file), line,
                 in->invalid.count == 1 && !has_columns && !memchr(raw->text, 0, raw->len)
                     ? "; if the text is in another encoding, name it with " SETTING(ENCODING)
                     : "");
}

/* Replaces the text of the line by a valid copy in in->clean. */
static Status replace_invalid(Input *in, size_t file, size_t line, RawLine *raw, Err *err)
{
    size_t replaced;
    Status st;

    buf_put_clean(&in->clean, raw->text, raw->len, &replaced);
    st = buf_check(&in->clean, err);
    if (st != OK) return st;
    warn_of_replaced(in, file, line, raw);
    raw->text = in->clean.data;
    raw->len = in->clean.len;
    return OK;
}

bool input_is_unit(const Input *in, const DragomanLine *line)
{
    return documents_has(in->plan.documents, line_tag_file(line)) && !line_tag_ends_document(line);
}

/* The translation is everything after the first tab; without a tab it is empty. */
static Status submit_pair(const Input *in, const RawLine *raw, uintptr_t tag, Err *err)
{
    const char *end = raw->text + raw->len, *tab = memchr(raw->text, '\t', raw->len);
    const char *target = tab ? tab + 1 : end;

    return router_submit_pair(in->router, raw->text, (size_t)((tab ? tab : end) - raw->text), target,
                              (size_t)(end - target), tag, err);
}

/* Submits a line that is not a pair. */
static Status submit_text(Input *in, size_t file, size_t line, const RawLine *raw, uintptr_t tag, Err *err)
{
    const LineText whole = { raw->text, raw->len };
    LineText source;
    Destination to;
    Status st = line_columns_source(in->plan.columns, whole, &source, err);

    if (st == OK) st = router_choose(in->router, source.data, source.len, "", &to, err);
    if (st != OK) return st;
    if (to.is_unknown && warnings_want(&in->unknown)) {
        Err reason;
        (void)router_explain_unknown(to, &reason);
        reporter_say(in->plan.reporter, "%s:%zu: %s; the line was copied", file_name(in, file), line, reason.text);
    }
    return submission_line(&in->submission, &(SubmittedLine){ to, tag }, in->plan.columns, whole, source, err);
}

/* Submits line `line` of a file. */
static Status submit(Input *in, size_t file, size_t line, RawLine raw, Err *err)
{
    const uintptr_t tag = line_tag(file, raw.ending);
    Status st = OK;
    Err reason;

    if (line == 1 && raw.len >= 3 && memcmp(raw.text, "\xef\xbb\xbf", 3) == 0) {
        raw.text += 3;
        raw.len -= 3;
        if (!raw.len && raw.ending == ENDING_NONE) return OK;
    }
    if (utf8_clean_length(raw.text, raw.len) < raw.len) st = replace_invalid(in, file, line, &raw, &reason);
    if (st == OK)
        st = in->plan.pairs ? submit_pair(in, &raw, tag, &reason) : submit_text(in, file, line, &raw, tag, &reason);
    buf_reuse(&in->clean);
    if (st != OK) return err_set(err, st, "%s:%zu: %s", file_name(in, file), line, reason.text);
    in->lines++;
    return OK;
}

/* Tells the watch what became of the file. */
static void end_file(Input *in, size_t file, InputResult *result)
{
    result->lines = in->lines - in->lines_before[file];
    result->bytes = in->bytes;
    in->plan.watch->ended(in->plan.watch->context, file, result);
}

/* Ends a file that cannot be read; `message` names it. Fails if the plan wants that to end everything. */
static Status fail_file_with(Input *in, size_t file, Status st, const char *message, Err *err)
{
    if (in->plan.stop_at_unreadable) return err_set(err, st == ERR_USAGE ? ERR_FORMAT : st, "%s", message);
    if (in->plan.watch)
        end_file(in, file, &(InputResult){ .end = INPUT_FAILED, .message = message });
    else
        reporter_say(in->plan.reporter, "%s", message);
    in->unreadable++;
    return OK;
}

static Status fail_file(Input *in, size_t file, const char *reason, Err *err)
{
    Err message;

    (void)err_set(&message, ERR_IO, "%s: %s", file_name(in, file), reason);
    return fail_file_with(in, file, ERR_IO, message.text, err);
}

/* Fails if no more lines can be submitted. *complete: the end of the file was reached, or the watch wants no more. */
static Status read_lines(Input *in, size_t file, int fd, bool *complete, Err *err)
{
    const InputWatch *watch = in->plan.watch;
    RawLine raw;
    Err reason;
    Status st = OK;

    *complete = false;
    if (in->plan.inputs[file].bytes)
        line_reader_start_text(&in->reader, in->plan.inputs[file].bytes, in->plan.inputs[file].size);
    else
        line_reader_start(&in->reader, fd, in->wake[0]);
    if (!watch && line_reader_check(&in->reader, &reason) != OK) return fail_file(in, file, reason.text, err);
    for (size_t line = 1; st == OK; line++) {
        if (watch && !watch->wants_lines(watch->context, file)) break;
        if (line_reader_next(&in->reader, &raw, &reason) != OK) return fail_file(in, file, reason.text, err);
        if (!raw.text) break;
        st = submit(in, file, line, raw, err);
        if (st == OK) in->bytes += raw.len + line_tag_ending_bytes(raw.ending);
    }
    *complete = st == OK;
    return st;
}

/* Reads a file that is text, and checks that it did not change meanwhile. */
static Status read_watched_lines(Input *in, size_t file, int fd, InputResult *result, Err *err)
{
    bool complete;
    Status st = read_lines(in, file, fd, &complete, err);
    const char *change = input_change(&result->info, fd);

    if (st == ERR_USAGE || st == ERR_FORMAT) {
        result->end = INPUT_FAILED;
        result->message = err->text;
        end_file(in, file, result);
        return OK;
    }
    if (!complete) return st;
    if (change) return fail_file(in, file, change, err);
    end_file(in, file, result);
    return OK;
}

static Status submit_unit(Input *in, Destination to, const UnitText *text, uintptr_t tag, Err *err)
{
    Status st = submission_unit(&in->submission, &(SubmittedLine){ to, tag }, text, err);

    if (st == OK) in->lines++;
    return st;
}

/* A refused unit ends the document; with a watch, the other files go on. */
static Status submit_units(Input *in, size_t file, Destination to, const Document *document, Err *err)
{
    const InputWatch *watch = in->plan.watch;
    const KeptItems *kept = documents_get(in->plan.documents, file).kept;
    Status st = OK;

    for (size_t i = 0; st == OK && i < document_unit_count(document); i++) {
        UnitText text = document_source(document, i);
        if (watch && !watch->wants_lines(watch->context, file)) break;
        if (!document_is_wanted(document, i)) continue;
        text.kept = kept_items_of(kept, i, &text.kept_count);
        st = submit_unit(in, to, &text, line_tag_of_unit(file, text.arguments), err);
        if (st != OK) {
            const DocumentPlace place = document_place(document, i);
            const Err reason = *err;
            return err_set(err, st, DOCUMENT_PLACE ": %s", file_name(in, file), place.slash, place.part, place.line,
                           reason.text);
        }
    }
    return st;
}

/* Chooses the destination of a document by the language that it names, or else by the texts that would be
 * translated. */
static Status choose_for_document(Input *in, size_t file, Destination *to, Err *err)
{
    const char *language = documents_source_language(in->plan.documents, file);
    Buf text = { 0 };
    Err reason;
    Status st = documents_append_text(in->plan.documents, file, &text, err);

    if (st == OK) {
        st = router_choose(in->router, text.data ? text.data : "", text.len, language, to, &reason);
        if (st != OK) st = err_set(err, st, "%s: %s", file_name(in, file), reason.text);
    }
    buf_free(&text);
    if (st != OK || !to->is_copied) return st;
    if (to->is_unknown && warnings_want(&in->unknown)) {
        (void)router_explain_unknown(*to, &reason);
        reporter_say(in->plan.reporter, "%s: %s; the document was copied", file_name(in, file), reason.text);
    }
    documents_copy(in->plan.documents, file);
    return OK;
}

/* Submits the units, unless the document is copied. */
static Status submit_content(Input *in, size_t file, const Document *document, Err *err)
{
    Destination to = { .is_copied = false };
    Status st = router_detects(in->router) ? choose_for_document(in, file, &to, err) : OK;

    return st == OK && !to.is_copied ? submit_units(in, file, to, document, err) : st;
}

/* Submits the units and the line that ends the document. The file has ended before that line arrives, so the thread
 * that receives it can complete the file. */
static Status submit_document(Input *in, size_t file, InputResult *result, Err *err)
{
    const Document *document = documents_get(in->plan.documents, file).document;
    Status st = in->router ? submit_content(in, file, document, err) : OK;

    if (st != OK && ((st != ERR_USAGE && st != ERR_FORMAT) || !in->plan.watch)) return st;
    if (st != OK) {
        result->end = INPUT_FAILED;
        result->message = err->text;
    }
    if (in->router) in->lines++; /* the last one counts, too */
    if (in->plan.watch) end_file(in, file, result);
    return in->router ? router_submit_empty(in->router, line_tag_of_end(file), err) : OK;
}

static void report_faults(Input *in, size_t file)
{
    const Document *document = documents_get(in->plan.documents, file).document;

    for (size_t i = 0; i < document_fault_count(document); i++) {
        const DocumentFault fault = document_fault(document, i);
        if (warnings_want(&in->faults))
            reporter_say(in->plan.reporter, "%s:%zu:%zu: %s; the line was copied", file_name(in, file), fault.line,
                         fault.column, fault.reason);
    }
}

/* Reads a document; a regular file must not have changed when it has been read. */
static Status read_document(Input *in, size_t file, int fd, InputResult *result, Err *err)
{
    Err reason;
    const DragomanInput *input = &in->plan.inputs[file];
    const DocumentFile source = { file_name(in, file), input->bytes, input->size };
    Status st = documents_read(in->plan.documents, file, &source, fd, in->wake[0], &reason);
    const char *change = in->plan.watch ? input_change(&result->info, fd) : NULL;

    if (st == OK && !documents_get(in->plan.documents, file).document) return OK;
    if (st == OK && change) {
        st = err_set(&reason, ERR_IO, "%s: %s", file_name(in, file), change);
        documents_release(in->plan.documents, file);
    }
    if (st != OK) return fail_file_with(in, file, st, reason.text, err);
    report_faults(in, file);
    if (!in->plan.quiet && documents_matches_nothing(in->plan.documents, file))
        reporter_say(in->plan.reporter,
                     "%s: nothing is translated: no text matches " SETTING(SELECT) " or " SETTING(COLUMN),
                     file_name(in, file));
    in->bytes = (uint64_t)result->info.st_size;
    return submit_document(in, file, result, err);
}

static Status read_watched(Input *in, size_t file, int fd, Err *err)
{
    const InputWatch *watch = in->plan.watch;
    InputResult result = { .end = INPUT_READ };
    bool is_text = false;
    Err reason;

    if (fstat(fd, &result.info) != 0) return fail_file(in, file, strerror(errno), err);
    if (!S_ISREG(result.info.st_mode)) return fail_file(in, file, "not a regular file", err);
    if (documents_has(in->plan.documents, file)) return read_document(in, file, fd, &result, err);
    if (!watch->is_other(watch->context, file) && input_check_text(fd, &is_text, &reason) != OK)
        return fail_file(in, file, reason.text, err);
    if (is_text) return read_watched_lines(in, file, fd, &result, err);
    result.end = INPUT_NOT_TEXT;
    end_file(in, file, &result);
    return OK;
}

/* With a watch, opening does not wait for the writer of a FIFO that has taken the place of a file. */
static int open_file(const Input *in, size_t file)
{
    return open(in->plan.inputs[file].path, O_RDONLY | O_CLOEXEC | (in->plan.watch ? O_NONBLOCK | O_NOCTTY : 0));
}

static Status read_opened(Input *in, size_t file, int fd, Err *err)
{
    InputResult result = { .end = INPUT_READ };
    bool complete;

    if (in->plan.watch) return read_watched(in, file, fd, err);
    if (documents_has(in->plan.documents, file)) return read_document(in, file, fd, &result, err);
    return read_lines(in, file, fd, &complete, err);
}

static Status read_file(Input *in, size_t file, Err *err)
{
    const DragomanInput *input = &in->plan.inputs[file];
    const bool standard = strcmp(input->path, "-") == 0;
    Status st;
    int fd;

    pthread_mutex_lock(&in->lock);
    in->lines_before[file] = in->lines;
    in->bytes = 0;
    in->opened = file + 1;
    pthread_mutex_unlock(&in->lock);
    if (input->bytes) return read_opened(in, file, -1, err);
    fd = standard ? STDIN_FILENO : open_file(in, file);
    if (fd < 0) return fail_file(in, file, strerror(errno), err);
    st = read_opened(in, file, fd, err);
    if (!standard) close(fd);
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
    pthread_mutex_init(&in->lock, NULL);
    in->lines_before = calloc(plan->count + 1, sizeof *in->lines_before);
    code = in->lines_before ? 0 : ENOMEM;
    if (!code && pipe(in->wake) != 0) code = errno;
    if (code) {
        free(in->lines_before);
        free(in);
        return err_set(err, ERR_IO, "cannot start reading: %s", strerror(code));
    }
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
    (*out)->submission =
        (Submission){ .router = router, .keep = plan->keep, .memory = plan->memory, .glossary = plan->glossary };
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
    documents_stop(in->plan.documents);
    while (write(in->wake[1], "", 1) < 0 && errno == EINTR) continue;
}

Status input_join(Input *in, size_t *unreadable, Err *err)
{
    if (in->has_thread) pthread_join(in->thread, NULL);
    warnings_finish(&in->invalid, "with invalid UTF-8 or NUL");
    warnings_finish(&in->unknown, "whose language is not recognized or not translated");
    warnings_finish(&in->faults, "copied because of an error");
    *unreadable = in->unreadable;
    if (in->status != OK) *err = in->err;
    return in->status;
}

size_t input_faults(const Input *in)
{
    return in->faults.count;
}

void input_free(Input *in)
{
    if (!in) return;
    line_reader_free(&in->reader);
    buf_free(&in->clean);
    submission_free(&in->submission);
    pthread_mutex_destroy(&in->lock);
    close(in->wake[0]);
    close(in->wake[1]);
    free(in->lines_before);
    free(in);
}

size_t input_take_other_bytes(Input *in)
{
    return submission_take_other_bytes(&in->submission);
}

InputPlace input_locate(Input *in, size_t number)
{
    InputPlace place;
    size_t i;

    pthread_mutex_lock(&in->lock);
    i = in->opened;
    while (i && in->lines_before[i - 1] >= number) i--;
    place = (InputPlace){ .file = i ? i - 1 : 0, .in_file = { "", "", number - (i ? in->lines_before[i - 1] : 0) } };
    pthread_mutex_unlock(&in->lock);
    if (documents_has(in->plan.documents, place.file))
        place.in_file = documents_place(in->plan.documents, place.file, place.in_file.line);
    return place;
}

const char *input_file_name(const Input *in, size_t file)
{
    return file_name(in, file);
}
