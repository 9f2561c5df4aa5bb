/* run.c - one pass over inputs, and the functions of dragoman_job.h that translate a text, a document or a file with
 * one call.
 *
 * The input thread reads the inputs (input.h). The thread that calls run_next() receives the lines, shows warnings
 * about them, writes documents, and adds translations to the memory.
 *
 * Lines arrive in the order of the inputs, so the lines of one input follow each other. The input thread marks an input
 * as ended before it submits a line of a later input. With `each`, an input, even one without lines, is complete when
 * it is marked as ended and all its submitted lines have arrived. */
#include "job.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "document_choice.h"
#include "document_output.h"
#include "language_detector.h"
#include "number_check.h"
#include "output.h"
#include "part_order.h"
#include "path.h"
#include "public_status.h"
#include "text.h"
#include "utf8.h"

#define WATCHED_LANGUAGES 8

/* Notices texts in another language than the one that the model reads. */
typedef struct {
    const char *language; /* the BCP 47 tag of the model's source language; NULL: texts are not checked */
    bool watches_all;     /* check every text; if false, only some if there are many texts */
    size_t texts, checked;
    struct {
        const char *code; /* code of another language, a constant; NULL: this element is not used */
        size_t texts;
    } others[WATCHED_LANGUAGES];
    Buf joined; /* texts that are too short to be checked one by one */
    size_t joined_count;
} LanguageWatch;

/* What has arrived, but has not been returned to the caller yet. */
typedef enum { PENDING_NOTHING, PENDING_LINE, PENDING_FAULT } Pending;

/* Warnings about lines. */
typedef enum { WRAPPED, CROPPED, RESCUED, NUMBERS, ORDERS, TERMS, MUSTS, WARNING_KINDS } WarningKind;

/* Lines, as in "10 more lines ...". */
static const char *const warning_kinds[] = {
    [WRAPPED] = "translated in parts",
    [CROPPED] = "cut off because they are too long",
    [RESCUED] = "replaced by a second attempt",
    [NUMBERS] = "with numbers that differ",
    [ORDERS] = "with placeholders or tags that were put back into the order of the source",
    [TERMS] = "with terms that are not translated as the glossary says",
    [MUSTS] = "whose translations lack a required text",
};

struct DragomanRun {
    DragomanJob *job;
    const DragomanInput *inputs; /* [count] */
    size_t count;
    DragomanRunRules rules;
    InputFile *files;     /* [count] */
    Input *input;         /* NULL: it has been joined */
    size_t current;       /* the input whose items are given */
    size_t arrived;       /* lines of the current input */
    size_t dropped_bytes; /* bytes of lines of the current input that were left out after dragoman_run_drop() */
    size_t read;          /* without a model: the number of inputs that were read */
    Pending pending;
    OpenDocument *over; /* a document whose last bytes have been returned; released by the next call of run_next() */
    bool is_learning;   /* `line` has been returned, and must be added to the memory */
    bool has_ended;     /* there are no more lines */

    RoutedLine line;
    Buf bytes;
    DocumentOutput output;
    Err fault;         /* the message of a FAULT item or of a line that has failed */
    size_t fault_file; /* index of the input file with the line that failed */

    Warnings warnings[WARNING_KINDS];
    LanguageWatch languages;
    NumberCheck check;
    PartOrder order;

    /* The kept parts of the last line, for the memory. */
    RangeList kept_sources;
    SpanList kept;
};

/* --- The language of the lines ----------------------------------------------- */

#define JOINED_BYTES 200 /* short texts are checked together, as soon as they have this many bytes */
#define FIRST_TEXTS  500 /* the first texts, which are all checked; later only one of OTHER_TEXTS is checked */
#define OTHER_TEXTS  16

/* Counts `texts` texts as texts in language `code`; NULL: in the language of the model, or in an unknown language. */
static void count_texts(LanguageWatch *watch, const char *code, size_t texts)
{
    size_t i = 0;

    watch->checked += texts;
    if (!code) return;
    while (i + 1 < WATCHED_LANGUAGES && watch->others[i].code && !language_detector_same(watch->others[i].code, code))
        i++;
    if (!watch->others[i].code) watch->others[i].code = code;
    watch->others[i].texts += texts;
}

static Status check_joined(LanguageWatch *watch, Err *err)
{
    const char *code;
    Status st = language_detector_find_other(watch->language, watch->joined.data, watch->joined.len, &code, err);

    if (st == OK) count_texts(watch, code, watch->joined_count);
    buf_clear(&watch->joined);
    watch->joined_count = 0;
    return st;
}

/* Sets *is_other to whether a text is certainly in another language than the model reads. A short text is never
 * certain; such texts are joined and checked together. */
static Status watch_text(LanguageWatch *watch, const char *text, size_t length, bool *is_other, Err *err)
{
    const char *code;
    Status st;

    *is_other = false;
    if (!watch->language) return OK;
    if (watch->texts++ >= FIRST_TEXTS && !watch->watches_all && watch->texts % OTHER_TEXTS) return OK;
    if (!language_has_letters(text, length)) return OK;
    if (length < LANGUAGE_SURE_BYTES) {
        buf_put(&watch->joined, text, length);
        buf_put_byte(&watch->joined, '\n');
        watch->joined_count++;
        st = buf_check(&watch->joined, err);
        return st == OK && watch->joined.len >= JOINED_BYTES ? check_joined(watch, err) : st;
    }
    st = language_detector_find_other(watch->language, text, length, &code, err);
    if (st == OK) count_texts(watch, code, 1);
    *is_other = st == OK && code;
    return st;
}

/* Called once, at the end: warns if at least half of the checked texts are in other languages than the model reads. */
static void warn_of_languages(DragomanRun *run)
{
    LanguageWatch *watch = &run->languages;
    size_t most = 0, others = 0;

    if (watch->joined_count && check_joined(watch, NULL) != OK) return;
    for (size_t i = 0; i < WATCHED_LANGUAGES; i++) {
        others += watch->others[i].texts;
        if (watch->others[i].texts > watch->others[most].texts) most = i;
    }
    if (run->job->options->quiet || !others || others * 2 < watch->checked) return;
    reporter_say(
        run->job->reporter,
        "%zu of %zu text%s seem%s to be in another language (%s) than the model reads (%s); choose another model, "
        "or detect the language of each line with " SETTING(FROM_LINES),
        others, watch->checked, plural(watch->checked), others == 1 ? "s" : "", watch->others[most].code,
        watch->language);
}

/* --- Warnings about lines ---------------------------------------------------- */

/* Reports a message about the line, preceded by the file name and the line number or other place. */
__attribute__((format(printf, 2, 3))) static void report_at(DragomanRun *run, const char *format, ...)
{
    const InputPlace place = input_locate(run->input, run->line.number);
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reporter_say(run->job->reporter, DOCUMENT_PLACE ": %s", path_of_input(run->inputs[place.file].path),
                 place.in_file.slash, place.in_file.part, place.in_file.mark, place.in_file.number, text);
}

/* Whether the line is a unit of a document. */
static bool is_unit(const DragomanRun *run)
{
    const LineTag tag = line_tag_of(run->line.line);

    return run->files[tag.file].kind.format && !tag.ends_document;
}

/* Warns if the numbers of the line differ from those of its translation. */
static Status warn_of_numbers(DragomanRun *run, Err *err)
{
    const DragomanOptions *settings = run->job->options;
    const DragomanLine *line = run->line.line;
    size_t source_length, length, request;
    const char *source, *translation, *difference;
    Status st;

    if (settings->quiet || settings->pairs || settings->pieces_in || !dragoman_line_count(line)) return OK;
    source = dragoman_line_source(line, &source_length);
    translation = dragoman_line_translation(line, 0, &length);
    request = router_request_length(run->job->router, source, source_length);
    st = number_check_compare(&run->check, source + request, source_length - request, translation, length, &difference,
                              err);
    if (st == OK && difference && warnings_want(&run->warnings[NUMBERS]))
        report_at(run, "numbers differ: %s", difference);
    return st;
}

/* Warns if kept parts of a unit, such as placeholders, were moved back to their order in the source (part_order.h). */
static Status warn_of_order(DragomanRun *run, Err *err)
{
    const DragomanLine *line = run->line.line;
    size_t count;
    const DragomanSpan *kept = dragoman_line_kept(line, 0, &count);
    bool puts_back;
    Status st;

    if (run->job->options->quiet || !is_unit(run) || !dragoman_line_count(line)) return OK;
    st = part_order_puts_back(&run->order, dragoman_line_source(line, NULL), line_tag_of(line).arguments, kept, count,
                              &puts_back, err);
    if (st == OK && puts_back && warnings_want(&run->warnings[ORDERS]))
        report_at(run, "placeholders or tags of templates were put back into the order of the source; "
                       "check the translation");
    return st;
}

/* Reports a term that is not translated by one of its forms in the glossary; the message lists all forms. */
static Status report_term(DragomanRun *run, const TermMatch *term, Err *err)
{
    const char *source = dragoman_line_source(run->line.line, NULL) + term->place.begin;
    Buf text = { 0 };
    Status st;

    buf_put_format(&text, "\"%.*s\" is not translated as ", (int)(term->place.end - term->place.begin), source);
    for (size_t i = 0; i < term->form_count; i++)
        buf_put_format(&text, "%s\"%s\"", !i ? "" : i + 1 < term->form_count ? ", " : " or ", term->forms[i]);
    st = buf_check(&text, err);
    if (st == OK) report_at(run, "%s", text.data);
    buf_free(&text);
    return st;
}

/* Returns the term of a demand. Terms in an address and the like have no demand (line_demands_new()). */
static const TermMatch *term_of(const TermMatches *terms, const DragomanSpan *demand)
{
    return bsearch(&demand->source, terms->items, terms->count, sizeof *terms->items, ranges_compare_begin);
}

/* Reports required texts that the best translation lacks: first texts of --must and of the columns of the line, then
 * glossary terms. Also counts the terms. All missing texts of --must and of the columns count as one warning, and so do
 * all missing terms. */
static Status check_demands(DragomanRun *run, Err *err)
{
    bool is_named = false, is_wanted = false;
    size_t count;
    const DragomanSpan *demands = dragoman_line_demands(run->line.line, 0, &count);
    Status st = OK;

    for (size_t i = 0; i < count; i++) {
        if (demands[i].kind != DRAGOMAN_SPAN_MUST || demands[i].place.end) continue;
        if (!is_named) is_wanted = warnings_want(&run->warnings[MUSTS]);
        is_named = true;
        if (is_wanted)
            report_at(run, "the translation does not contain \"%s\"", dragoman_line_demand_form(run->line.line, i, 0));
    }
    is_named = false;
    for (size_t i = 0; st == OK && i < count && demands[i].kind == DRAGOMAN_SPAN_TERM; i++) {
        run->job->counts.terms[demands[i].verdict]++;
        if (demands[i].verdict != DRAGOMAN_TERM_MISSED) continue;
        if (!is_named) is_wanted = warnings_want(&run->warnings[TERMS]);
        is_named = true;
        if (is_wanted) st = report_term(run, term_of(&run->line.terms, &demands[i]), err);
    }
    return st;
}

static Status warn_of_line(DragomanRun *run, Err *err)
{
    const DragomanLine *line = run->line.line;
    const size_t cropped = dragoman_line_cropped(line);
    Status st;

    if (dragoman_line_wrapped(line) && warnings_want(&run->warnings[WRAPPED]))
        report_at(run, "the line is too long for the model and was translated in %zu parts",
                  dragoman_line_segments(line));
    if (cropped && warnings_want(&run->warnings[CROPPED]))
        report_at(run, "the line is too long and was cut off after %zu tokens", cropped);
    if (dragoman_line_rescued(line) && warnings_want(&run->warnings[RESCUED]))
        report_at(run, "the translation repeated itself; a second attempt replaced it");
    st = check_demands(run, err);
    if (st == OK) st = warn_of_order(run, err);
    return st == OK ? warn_of_numbers(run, err) : st;
}

/* --- Items ------------------------------------------------------------------- */

/* Makes the item for the failure of an input, and drops the rest of this input. */
static void give_fault(DragomanRun *run, DragomanItem *item, size_t file, const char *message)
{
    if (message != run->fault.text) (void)err_set(&run->fault, OK, "%s", message);
    *item = (DragomanItem){ .kind = DRAGOMAN_ITEM_FAULT, .file = file, .message = run->fault.text };
    dragoman_run_drop(run, file);
}

/* Makes the item for the next bytes of the document: up to the unit of the current line or, if `ends`, up to the end of
 * the document. With `each`, a text that the document cannot contain makes only this document fail. */
static Status give_document(DragomanRun *run, DragomanItem *item, bool ends, Err *err)
{
    const DragomanOptions *settings = run->job->options;
    OpenDocument *document = &run->files[item->file].document;
    const DocumentContent content = settings->identity ? DOCUMENT_IDENTITY
                                    : settings->pseudo ? DOCUMENT_PSEUDO
                                                       : DOCUMENT_TRANSLATION;
    Err reason;
    Status st = OK;

    if (!document->document) return OK;
    document_output_begin(&run->output, content, document, run->job->memory);
    if (!ends)
        st = document_output_line(&run->output, &run->line, &run->bytes, &reason);
    else if (!run->rules.each || run->files[item->file].end == INPUT_READ)
        st = document_output_end(&run->output, &run->bytes, &reason);
    run->over = ends && !run->rules.each ? document : NULL;
    if (st == OK) {
        item->kind = DRAGOMAN_ITEM_BYTES;
        item->bytes = run->bytes.data ? run->bytes.data : "";
        item->size = run->bytes.len;
        item->encoding = document->encoding ? text_encoding_name(document->encoding) : NULL;
        return OK;
    }
    if (!run->rules.each || (!ends && st != ERR_FORMAT)) return err_set(err, st, "%s", reason.text);
    give_fault(run, item, item->file, reason.text);
    return OK;
}

/* Adds the last line, which the caller has written by now, and its best translation to the memory. Does nothing if
 * there is no translation, or if it came from the memory. Units of documents are added in document_output.c. */
static Status learn(DragomanRun *run, Err *err)
{
    const DragomanLine *line = run->line.line;
    UnitText text = { .text = NULL };
    Rendering made = { .text = NULL };
    MemoryHit hit;
    size_t count;
    const DragomanSpan *kept;
    Status st = OK;

    if (!run->is_learning) return OK;
    run->is_learning = false;
    if (!dragoman_line_count(line)) return OK;
    ranges_clear(&run->kept_sources);
    run->kept.len = 0;
    kept = dragoman_line_kept(line, 0, &count);
    for (size_t i = 0; st == OK && i < count; i++) {
        if (kept[i].kind != DRAGOMAN_SPAN_KEPT) continue;
        st = ranges_append(&run->kept_sources, kept[i].source, 1, err);
        if (st == OK) st = spans_append(&run->kept, kept[i], err);
    }
    text.text = dragoman_line_source(line, &text.length);
    text.kept = run->kept_sources.data;
    text.kept_count = run->kept_sources.len;
    made.text = dragoman_line_translation(line, 0, &made.length);
    made.kept = run->kept.data;
    made.kept_count = run->kept.len;
    if (st == OK) st = memory_recall(run->job->memory, &run->line.context, &text, &hit, err);
    return st == OK && !hit.target.data ? memory_learn(run->job->memory, &run->line.context, &text, &made, err) : st;
}

/* Makes the item for the line that has arrived; .kind stays DRAGOMAN_ITEM_END if nothing is to be returned. */
static Status give_line(DragomanRun *run, DragomanItem *item, Err *err)
{
    static const char *const endings[] = {
        [ENDING_LF] = "\n", [ENDING_CRLF] = "\r\n", [ENDING_NONE] = "", [ENDING_CR] = "\r"
    };
    RoutedLine *routed = &run->line;
    const DragomanLine *line = routed->line;
    const LineTag tag = line_tag_of(line);
    JobCounts *counts = &run->job->counts;
    size_t length;
    const char *source = dragoman_line_source(line, &length);
    Status st;

    *item = (DragomanItem){
        .file = tag.file, .number = routed->number, .ending = endings[tag.ending], .language = routed->language
    };
    run->pending = PENDING_NOTHING;
    run->arrived++;
    routed->context.is_unit = is_unit(run);
    routed->context.term_match = run->job->options->glossary_match;
    st = watch_text(&run->languages, source, length, &item->is_other_language, err);
    if (st == OK) st = warn_of_line(run, err);
    if (st != OK) return st;
    if (!tag.ends_document) {
        item->dragoman = routed->dragoman;
        item->line = line;
        if (run->job->glossary) item->terms = &routed->terms;
        item->words = utf8_count_words(source, length);
        item->input_bytes = length + line_ending_bytes(tag.ending) + input_take_other_bytes(run->input);
        ++*(is_unit(run) ? &counts->units : &counts->lines);
        counts->words += item->words;
        counts->pieces += dragoman_line_pieces(line);
        counts->reused += dragoman_line_reused(line);
    } else { /* the end of a document: the item counts all bytes outside units */
        item->input_bytes = input_other_bytes(&run->files[item->file].document);
    }
    run->is_learning = run->job->memory && !is_unit(run) && !tag.ends_document;
    if (atomic_load(&run->files[item->file].dropped)) {
        run->dropped_bytes += item->input_bytes;
        return learn(run, err); /* now, because no item is returned and the next line replaces this one */
    }
    if (run->files[item->file].kind.format) return give_document(run, item, tag.ends_document, err);
    item->kind = DRAGOMAN_ITEM_LINE;
    return OK;
}

static bool is_complete(const DragomanRun *run)
{
    return run->rules.each && run->current < run->count && atomic_load(&run->files[run->current].ended) &&
           run->arrived == run->files[run->current].lines;
}

/* Makes the item for the failure or the end of the current input, which is complete. After the end, goes on to the next
 * input. */
static void give_end_of_input(DragomanRun *run, DragomanItem *item)
{
    const size_t number = run->current;
    InputFile *file = &run->files[number];
    const bool is_dropped = atomic_load(&file->dropped);

    if (file->end == INPUT_FAILED && !is_dropped) {
        give_fault(run, item, number, file->message.text);
        return;
    }
    *item = (DragomanItem){ .kind = DRAGOMAN_ITEM_FILE, .file = number, .input_bytes = run->dropped_bytes };
    if (file->end == INPUT_NOT_TEXT && !is_dropped) item->kind = DRAGOMAN_ITEM_OTHER;
    document_output_drop(&run->output);
    input_release(run->input, &file->document);
    run->dropped_bytes = 0;
    run->arrived = 0;
    run->current++;
}

/* Waits for the input thread and shows the remaining warnings. Returns the failure of the input thread. The caller
 * ignores it if the translator has failed, because it is only a consequence and its message would name the wrong
 * line. */
static Status join(DragomanRun *run, Err *err)
{
    JobCounts *counts = &run->job->counts;
    Status st;

    if (!run->input) return OK;
    st = input_join(run->input, &counts->unreadable, &counts->faults, err);
    if (run->job->router) {
        warn_of_languages(run);
        for (WarningKind i = 0; i < WARNING_KINDS; i++) warnings_finish(&run->warnings[i], warning_kinds[i]);
    }
    document_output_drop(&run->output); /* its document is freed with the input */
    input_free(run->input);
    run->input = NULL;
    return st;
}

/* Waits for the next line. If a line fails, the message names its file and its place there, and the line becomes an
 * item if the run goes on without it. */
static Status receive(DragomanRun *run, Err *err)
{
    Router *router = run->job->router;
    Status st = router_next(router, &run->line, err);
    const size_t failed = st == OK ? 0 : router_failed_line(router);
    InputPlace place;

    if (st == OK) st = job_check_cancelled(run->job, err);
    run->has_ended = st == OK && !run->line.line;
    if (st == OK && run->line.line) run->pending = PENDING_LINE;
    if (!failed) return st;
    place = input_locate(run->input, failed);
    (void)err_set(&run->fault, st, DOCUMENT_PLACE ": %s", path_of_input(run->inputs[place.file].path),
                  place.in_file.slash, place.in_file.part, place.in_file.mark, place.in_file.number, err->text);
    *err = run->fault;
    run->fault_file = place.file;
    if (!run->rules.each && !run->rules.skip_failed_lines) return st;
    router_skip_failed_line(router);
    run->pending = PENDING_FAULT;
    return OK;
}

/* If a line of a later input has arrived, first returns the items for the ends of the inputs before it. */
Status run_next(DragomanRun *run, DragomanItem *item, Err *err)
{
    Status st = job_check_cancelled(run->job, err);

    if (st == OK) st = learn(run, err);

    *item = (DragomanItem){ .kind = DRAGOMAN_ITEM_END };
    buf_reuse(&run->bytes);
    if (run->over) input_release(run->input, run->over);
    run->over = NULL;
    while (st == OK && item->kind == DRAGOMAN_ITEM_END) {
        if (is_complete(run))
            give_end_of_input(run, item);
        else if (run->has_ended)
            return join(run, err);
        else if (!run->job->router && run->read == run->count)
            run->has_ended = true;
        else if (!run->job->router) { /* without a model, this thread reads the next document */
            *item = (DragomanItem){ .file = run->read++ };
            st = input_read_next(run->input, err);
            if (st == OK) st = give_document(run, item, true, err);
        } else if (run->pending == PENDING_NOTHING)
            st = receive(run, err);
        else if (run->pending == PENDING_LINE)
            st = give_line(run, item, err);
        else { /* a line that has failed */
            run->pending = PENDING_NOTHING;
            run->arrived++;
            if (!run->rules.each)
                *item =
                    (DragomanItem){ .kind = DRAGOMAN_ITEM_FAULT, .file = run->fault_file, .message = run->fault.text };
            else if (!atomic_load(&run->files[run->fault_file].dropped))
                give_fault(run, item, run->fault_file, run->fault.text);
        }
    }
    if (st != OK) *item = (DragomanItem){ .kind = DRAGOMAN_ITEM_END };
    if (item->message) (void)option_fields_name(&run->fault, run->job->options->spelling);
    return st;
}

bool dragoman_run_ready(DragomanRun *run)
{
    if (run->has_ended || run->pending != PENDING_NOTHING || is_complete(run)) return true;
    return run->job->router && router_ready(run->job->router);
}

void dragoman_run_drop(DragomanRun *run, size_t file)
{
    atomic_store(&run->files[file].dropped, true);
    if (file == run->current) document_output_drop(&run->output);
}

const InputFile *run_file(const DragomanRun *run, size_t file)
{
    return &run->files[file];
}

/* --- Start and end ----------------------------------------------------------- */

static Status check_path(const DragomanInput *input, Err *err)
{
    return input->path ? OK : err_set(err, ERR_USAGE, "an input has no path, which names it in messages");
}

/* Sets *out to the format that DragomanInput.format names or, if it names none, to the format for the input's path. */
static Status choose_kind(const DragomanRun *run, const DragomanInput *input, InputKind *out, Err *err)
{
    DragomanOptions options = *run->job->options; /* shares the texts */
    Status st;

    if (options.pairs) return OK;
    if (input->format) options.as = input->format;
    if (options.as && strcmp(options.as, DRAGOMAN_LINES) != 0 && !document_format_named(options.as))
        return err_set(err, ERR_USAGE, "%s: there is no format %s", path_of_input(input->path), options.as);
    out->format = document_choice_of(&options, input->path, input->bytes, input->size);
    st = document_choice_check(&options, path_of_input(input->path), document_choice_describe(out->format), false, err);
    if (st != OK) return st;
    if (run->rules.each) out->other = foreign_file_find(&options, input->path, out->format).what;
    if (out->other) out->format = NULL;
    return OK;
}

static Status start_input(DragomanRun *run, const InputKind *kinds, Err *err)
{
    DragomanJob *job = run->job;
    const DragomanOptions *settings = job->options;
    const char *source = job->router ? router_source_language(job->router) : NULL;
    const bool wants_languages = !settings->pairs && !settings->pieces_in && (settings->confidence || !settings->quiet);

    for (size_t i = 0; i < run->count; i++) {
        InputKind *kind = &run->files[i].kind;
        Status st = check_path(&run->inputs[i], err);
        if (st == OK && kinds) *kind = kinds[i];
        if (st == OK && !kinds) st = choose_kind(run, &run->inputs[i], kind, err);
        if (st != OK) return st;
        if (!job->router && !kind->format && !kind->other)
            return err_set(err, ERR_USAGE, "%s is read as lines, and only documents are written without a translation",
                           path_of_input(run->inputs[i].path));
    }
    for (WarningKind i = 0; i < WARNING_KINDS; i++)
        run->warnings[i] = (Warnings){ .reporter = job->reporter, .quiet = settings->quiet };
    if (job->router) {
        router_begin(job->router);
        number_check_set_languages(&run->check, source, router_target_language(job->router));
    }
    if (wants_languages && source && language_detector_check(NULL) == OK) run->languages.language = source;
    run->languages.watches_all = settings->confidence;
    return input_start(&run->input, job, run->inputs, run->files, run->count, run->rules, err);
}

Status run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs, size_t count, DragomanRunRules rules,
                 const InputKind *kinds, Err *err)
{
    DragomanRun *run = calloc(1, sizeof *run);
    Status st;

    *out = NULL;
    if (!run) return err_memory(err, "the inputs");
    pthread_mutex_lock(&job->lock);
    while (job->is_running && !atomic_load(&job->cancelled)) pthread_cond_wait(&job->idle, &job->lock);
    st = job_check_cancelled(job, err);
    if (st == OK) job->is_running = true;
    pthread_mutex_unlock(&job->lock);
    if (st != OK) {
        free(run);
        return st;
    }
    *run = (DragomanRun){ .job = job, .inputs = inputs, .count = count, .rules = rules };
    run->files = calloc(count + 1, sizeof *run->files);
    st = run->files ? start_input(run, kinds, err) : err_memory(err, "the list of files");
    if (st == OK)
        *out = run;
    else
        dragoman_run_end(run, false);
    return st;
}

void dragoman_run_end(DragomanRun *run, bool abandons)
{
    DragomanJob *job;
    Err unused; /* the caller has already got the first failure */

    if (!run) return;
    job = run->job;
    if (run->input && !run->has_ended) {
        if (abandons && job->router) router_cancel(job->router);
        input_stop(run->input);
        while (!abandons && job->router && !run->has_ended) { /* leave no lines to the next run */
            if (router_next(job->router, &run->line, &unused) == OK) {
                run->has_ended = !run->line.line;
            } else if (router_failed_line(job->router)) {
                router_skip_failed_line(job->router);
            } else { /* no memory */
                router_cancel(job->router);
                break;
            }
        }
    }
    (void)!join(run, &unused);
    document_output_free(&run->output);
    buf_free(&run->languages.joined);
    buf_free(&run->check.difference);
    part_order_free(&run->order);
    ranges_free(&run->kept_sources);
    spans_free(&run->kept);
    buf_free(&run->bytes);
    free(run->files);
    free(run);
    pthread_mutex_lock(&job->lock);
    job->is_running = false;
    pthread_cond_signal(&job->idle);
    pthread_mutex_unlock(&job->lock);
}

const char *dragoman_item_text(const DragomanItem *item, size_t rank, size_t *length)
{
    const size_t pivots = dragoman_line_pivot_count(item->line);

    if (dragoman_line_count(item->line)) return dragoman_line_translation(item->line, rank, length);
    return pivots ? dragoman_line_pivot(item->line, pivots - 1, length) : dragoman_line_source(item->line, length);
}

bool dragoman_item_term(const DragomanItem *item, size_t rank, size_t index, DragomanTerm *out)
{
    size_t count;
    const DragomanSpan *demands = dragoman_line_demands(item->line, rank, &count);
    const TermMatch *term;

    if (!item->terms || index >= count || demands[index].kind != DRAGOMAN_SPAN_TERM) return false;
    term = term_of(item->terms, &demands[index]);
    *out = (DragomanTerm){ .source = term->place,
                           .forms = term->forms,
                           .form_count = term->form_count,
                           .found = demands[index].place,
                           .verdict = demands[index].verdict };
    return true;
}

Status run_append_item(Buf *out, const DragomanItem *item, Err *err)
{
    if (item->kind == DRAGOMAN_ITEM_LINE) {
        size_t length;
        const char *text = dragoman_item_text(item, 0, &length);
        buf_put_replaced(out, text, length, "\n", " ");
        buf_put_text(out, item->ending);
    } else if (item->kind == DRAGOMAN_ITEM_BYTES) {
        buf_put(out, item->bytes, item->size);
    }
    return buf_check(out, err);
}

/* --- A text, a document or a file at once --------------------------------------- */

/* Translates an input and appends the result to *out. If `output` is not NULL, *out is its buffer, which is written to
 * the file whenever it is large. */
static Status translate(DragomanJob *job, const DragomanInput *input, const InputKind *kind, Buf *out, Output *output,
                        Err *err)
{
    DragomanRun *run;
    DragomanItem item;
    Status st = run_start(&run, job, input, 1, (DragomanRunRules){ .stop_at_unreadable = true }, kind, err);

    if (st != OK) return st;
    do {
        st = run_next(run, &item, err);
        if (st == OK) st = run_append_item(out, &item, err);
        if (st == OK && output) st = output_drain(output, err);
    } while (st == OK && item.kind != DRAGOMAN_ITEM_END);
    dragoman_run_end(run, false);
    return st;
}

/* Translates bytes into bytes, which the caller frees. */
static DragomanStatus translate_bytes(DragomanJob *job, const DragomanInput *input, const InputKind *kind, char **out,
                                      size_t *size, DragomanError *error)
{
    Buf text = { 0 };
    Err err;
    Status st = translate(job, input, kind, &text, NULL, &err);

    if (st == OK) buf_put(&text, "", 0);
    if (st == OK) st = buf_check(&text, &err); /* buf_put() adds a NUL at the end even if the text is empty */
    *out = NULL;
    *size = 0;
    if (st == OK) {
        *out = text.data;
        *size = text.len;
    } else {
        buf_free(&text);
    }
    return job_answer(job, st, &err, error);
}

DragomanStatus dragoman_job_text(DragomanJob *job, const char *text, size_t length, char **translation,
                                 size_t *translation_length, DragomanError *error)
{
    const DragomanInput input = { .path = "text", .format = DRAGOMAN_LINES, .bytes = text ? text : "", .size = length };
    const InputKind lines = { .format = NULL }; /* lines in UTF-8; DRAGOMAN_ENCODING is only about files */

    return translate_bytes(job, &input, &lines, translation, translation_length, error);
}

DragomanStatus dragoman_job_document(DragomanJob *job, const char *format, const char *bytes, size_t size,
                                     char **translation, size_t *translation_size, DragomanError *error)
{
    const DragomanInput input = { .path = "document", .format = format, .bytes = bytes ? bytes : "", .size = size };

    return translate_bytes(job, &input, NULL, translation, translation_size, error);
}

/* Reads a document with a job without models, and appends its texts. */
static Status read_document_texts(DragomanJob *job, const DragomanInput *input, const InputKind *kind, Buf *out,
                                  DragomanTexts *texts, Err *err)
{
    DragomanRun *run;
    Status st = run_start(&run, job, input, 1, (DragomanRunRules){ .stop_at_unreadable = true }, kind, err);

    if (st != OK) return st;
    st = input_read_next(run->input, err);
    if (st == OK) {
        const Document *document = run->files[0].document.document;
        const char *tag = document_languages(document)->source.tag;
        input_put_texts(document, out);
        if (strlen(tag) < sizeof texts->language) memcpy(texts->language, tag, strlen(tag) + 1);
    }
    dragoman_run_end(run, true);
    return st;
}

DragomanStatus dragoman_read_texts(const DragomanOptions *options, const DragomanInput *input, DragomanTexts *out,
                                   DragomanError *error)
{
    const DragomanOptions unset = option_fields_default();
    const DragomanJobPlan plan = { .no_documents = true }; /* kept parts do not matter */
    DragomanOptions *own = NULL;
    DragomanJob *job = NULL;
    DragomanError fault;
    Buf text = { 0 };
    Err err;
    Status st = option_fields_share(&own, &unset, options, options, &err); /* without the settings of models */

    *out = (DragomanTexts){ .text = NULL };
    if (st == OK) st = check_path(input, &err);
    if (st == OK) own->identity = true;
    if (st == OK && input->format)
        st = public_status(dragoman_set_text(own, DRAGOMAN_AS, input->format, &fault), &fault, &err);
    if (st == OK) st = public_status(dragoman_job_prepare(&job, own, &plan, NULL, &fault), &fault, &err);
    if (st == OK) {
        const InputKind kind = { .format = document_choice_of(own, input->path, input->bytes, input->size) };
        if (kind.format)
            st = read_document_texts(job, input, &kind, &text, out, &err);
        else
            buf_put(&text, input->bytes, input->size);
    }
    buf_put(&text, "", 0); /* so that there is a NUL */
    if (st == OK) st = buf_check(&text, &err);
    dragoman_job_close(job);
    dragoman_options_free(own);
    if (st == OK) {
        out->text = text.data;
        out->length = text.len;
    } else {
        buf_free(&text);
    }
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_job_file(DragomanJob *job, const char *source, const char *target, DragomanError *error)
{
    const DragomanInput input = { .path = source };
    const DragomanStatus checked = dragoman_job_check_output(job, target, error);
    const DocumentFormat *format = document_choice_of(job->options, source, NULL, 0);
    DragomanError fault;
    struct stat info;
    Output out;
    Err err;
    Status st;

    if (checked != DRAGOMAN_OK) return checked;
    st = output_choose(&out, target, job->reporter, &err);
    if (st == OK && out.target.exists && stat(source, &info) == 0 && info.st_dev == out.target.info.st_dev &&
        info.st_ino == out.target.info.st_ino)
        st = err_set(&err, ERR_USAGE, "%s would be overwritten by its translation; write to another file", source);
    if (st == OK) st = document_choice_check_target(job->options, source, format, target, &err);
    if (st == OK) st = foreign_file_check(job->options, source, format, &err);
    if (st == OK) st = public_status(dragoman_job_check_input(job, source, &fault), &fault, &err);
    if (st == OK) st = output_open(&out, &err);
    if (st == OK) st = translate(job, &input, NULL, &out.buffer, &out, &err);
    if (st == OK) st = output_finish(&out, &err);
    output_abandon(&out);
    return job_answer(job, st, &err, error);
}

/* --- dragoman_job.h ------------------------------------------------------------ */

DragomanStatus dragoman_run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs, size_t count,
                                  DragomanRunRules rules, DragomanError *error)
{
    Err err;

    return job_answer(job, run_start(out, job, inputs, count, rules, NULL, &err), &err, error);
}

DragomanStatus dragoman_run_next(DragomanRun *run, DragomanItem *item, DragomanError *error)
{
    Err err;

    return job_answer(run->job, run_next(run, item, &err), &err, error);
}
