/* filter.c - see filter.h. */
#include "filter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dragoman_memory.h"
#include "language_watch.h"
#include "line_memory.h"
#include "number_check.h"
#include "part_order.h"
#include "report.h"
#include "term_check.h"
#include "text.h"
#include "utf8.h"

/* What is done with each line besides writing it: warnings, and the translation memory. */
typedef struct {
    const Router *router;
    Warnings wrapped, cropped, rescued, numbers, orders, terms, musts;
    LanguageWatch watch;
    NumberCheck check;
    PartOrder order;
    TermMatches line_terms; /* those of the line */
    LineMemory learner;
} LineWork;

static void line_work_start(LineWork *work, const InputPlan *plan, const Router *router)
{
    const bool watches = !plan->pairs && !plan->pieces && (plan->confidence || !plan->quiet);

    *work = (LineWork){ .router = router, .learner = { .memory = plan->memory } };
    number_check_set_languages(&work->check, router_source_language(router), router_target_language(router));
    work->wrapped = work->cropped = work->rescued = work->numbers = work->orders = work->terms = work->musts =
        (Warnings){ .reporter = plan->reporter, .quiet = plan->quiet };
    language_watch_start(&work->watch, watches ? router_source_language(router) : NULL, plan->confidence);
}

/* Says once that most texts are in another language than the model reads. */
static void warn_of_languages(LineWork *work, const InputPlan *plan)
{
    Buf text = { 0 };

    if (!plan->quiet && language_watch_describe(&work->watch, &text, NULL) == OK && text.len) report("%s", text.data);
    buf_free(&text);
}

static void line_work_finish(LineWork *work)
{
    warnings_finish(&work->wrapped, "translated in parts");
    warnings_finish(&work->cropped, "cut off because they are too long");
    warnings_finish(&work->rescued, "replaced by a second attempt");
    warnings_finish(&work->numbers, "with numbers that differ");
    warnings_finish(&work->orders, "with placeholders or tags that were put back into the order of the source");
    warnings_finish(&work->terms, "with terms that are not translated as the glossary says");
    warnings_finish(&work->musts, "whose translations lack a required text");
    language_watch_free(&work->watch);
    number_check_free(&work->check);
    part_order_free(&work->order);
    line_memory_free(&work->learner);
    term_matches_free(&work->line_terms);
}

static void report_at(Input *input, size_t number, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reports something about the line with this number. */
static void report_at(Input *input, size_t number, const char *format, ...)
{
    const InputPlace place = input_locate(input, number);
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report(DOCUMENT_PLACE ": %s", input_file_name(input, place.file), place.in_file.slash, place.in_file.part,
           place.in_file.line, text);
}

static void warn_of_wrapped(Warnings *warnings, Input *input, const RoutedLine *routed)
{
    const DragomanLine *line = routed->line;

    if (!dragoman_line_wrapped(line) || !warnings_want(warnings)) return;
    report_at(input, routed->number, "the line is too long for the model and was translated in %zu parts",
              dragoman_line_segments(line));
}

static void warn_of_cropped(Warnings *warnings, Input *input, const RoutedLine *routed)
{
    const size_t tokens = dragoman_line_cropped(routed->line);

    if (!tokens || !warnings_want(warnings)) return;
    report_at(input, routed->number, "the line is too long and was cut off after %zu tokens", tokens);
}

static void warn_of_rescued(Warnings *warnings, Input *input, const RoutedLine *routed)
{
    if (!dragoman_line_rescued(routed->line) || !warnings_want(warnings)) return;
    report_at(input, routed->number, "the translation repeated itself; a second attempt replaced it");
}

/* Finds out whether the line is in another language than the model reads. */
static Status watch_language(LineWork *work, RoutedLine *routed, Err *err)
{
    size_t length;
    const char *source = dragoman_line_source(routed->line, &length);

    return language_watch_text(&work->watch, source, length, &routed->is_other_language, err);
}

/* Compares the numbers of a text with those of its translation. */
static Status warn_of_numbers(LineWork *work, const InputPlan *plan, Input *input, const RoutedLine *routed, Err *err)
{
    const DragomanLine *line = routed->line;
    size_t source_length, length, request;
    const char *source, *translation, *difference;
    Status st;

    if (work->numbers.quiet || plan->pairs || plan->pieces || !dragoman_line_count(line)) return OK;
    source = dragoman_line_source(line, &source_length);
    translation = dragoman_line_translation(line, 0, &length);
    request = router_request_length(work->router, source, source_length);
    st = number_check_compare(&work->check, source + request, source_length - request, translation, length, &difference,
                              err);
    if (st != OK || !difference || !warnings_want(&work->numbers)) return st;
    report_at(input, routed->number, "numbers differ: %s", difference);
    return OK;
}

/* Names a unit whose kept parts the output puts back into the order of the source. */
static Status warn_of_order(LineWork *work, Input *input, const RoutedLine *routed, Err *err)
{
    const DragomanLine *line = routed->line;
    size_t count;
    const DragomanSpan *kept = dragoman_line_kept(line, 0, &count);
    bool puts_back;
    Status st;

    if (work->orders.quiet || !input_is_unit(input, line) || !dragoman_line_count(line)) return OK;
    st = part_order_puts_back(&work->order, dragoman_line_source(line, NULL), line_tag_arguments(line), kept, count,
                              &puts_back, err);
    if (st == OK && puts_back && warnings_want(&work->orders))
        report_at(input, routed->number,
                  "placeholders or tags of templates were put back into the order of the source; "
                  "check the translation");
    return st;
}

/* Appends the translations of a term: "A", "B" or "C". */
static Status append_forms(Buf *out, const TermMatch *term, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < term->form_count; i++) {
        const char *separator = !i ? "" : i + 1 < term->form_count ? ", " : " or ";
        st = buf_append_format(out, err, "%s\"%s\"", separator, term->forms[i]);
    }
    return st;
}

/* Names a term that is not translated as it should be. */
static Status report_term(Input *input, const RoutedLine *routed, const TermMatch *term, Err *err)
{
    const char *source = dragoman_line_source(routed->line, NULL) + term->place.begin;
    Buf forms = { 0 };
    Err text;
    Status st = append_forms(&forms, term, err);

    if (st == OK) {
        (void)err_set(&text, OK, "\"%.*s\" is not translated as %s", (int)(term->place.end - term->place.begin), source,
                      forms.data);
        report_at(input, routed->number, "%s", text.text);
    }
    buf_free(&forms);
    return st;
}

/* Counts the terms of the best translation, and names those that it lacks. A line is one warning. */
static Status check_terms(LineWork *work, Input *input, const RoutedLine *routed, FilterCounts *counts, Err *err)
{
    const TermMatches *terms = routed->terms;
    bool is_named = false, is_wanted = false;
    DragomanRange found;
    Status st = OK;

    if (!terms || !dragoman_line_count(routed->line)) return OK;
    for (size_t i = 0; st == OK && i < terms->count; i++) {
        const bool is_met = term_check(routed->line, 0, i, &terms->items[i], &found);
        counts->terms++;
        counts->terms_met += is_met;
        if (is_met) continue;
        if (!is_named) is_wanted = warnings_want(&work->terms);
        is_named = true;
        if (is_wanted) st = report_term(input, routed, &terms->items[i], err);
    }
    return st;
}

/* Names the texts of --must, and of the columns of the line, that the best translation lacks. They come after the
 * terms. A line is one warning. */
static void warn_of_musts(Warnings *warnings, Input *input, const RoutedLine *routed)
{
    const size_t first = routed->terms ? routed->terms->count : 0;
    bool is_named = false, is_wanted = false;
    size_t count;
    const DragomanSpan *demands = dragoman_line_demands(routed->line, 0, &count);

    for (size_t i = first; i < count; i++) {
        if (demands[i].place.end) continue;
        if (!is_named) is_wanted = warnings_want(warnings);
        is_named = true;
        if (!is_wanted) continue;
        report_at(input, routed->number, "the translation does not contain \"%s\"",
                  dragoman_line_demand_form(routed->line, i, 0));
    }
}

static void take_terms(LineWork *work, const InputPlan *plan, Input *input, RoutedLine *routed)
{
    if (!plan->glossary) return;
    input_take_terms(input, routed->number, &work->line_terms);
    routed->terms = &work->line_terms;
    routed->context.terms = work->line_terms.items;
    routed->context.term_count = work->line_terms.count;
}

static Status warn_of_line(LineWork *work, const InputPlan *plan, Input *input, const RoutedLine *line,
                           FilterCounts *counts, Err *err)
{
    Status st;

    warn_of_wrapped(&work->wrapped, input, line);
    warn_of_cropped(&work->cropped, input, line);
    warn_of_rescued(&work->rescued, input, line);
    warn_of_musts(&work->musts, input, line);
    st = check_terms(work, input, line, counts, err);
    if (st == OK) st = warn_of_order(work, input, line, err);
    return st == OK ? warn_of_numbers(work, plan, input, line, err) : st;
}

/* The line that ends a document stands for all bytes that are not in units. */
static void count_line(FilterCounts *counts, Progress *progress, const InputPlan *plan, Input *input,
                       const DragomanLine *line)
{
    const size_t file = line_tag_file(line);
    size_t length;
    const char *source = dragoman_line_source(line, &length);
    const size_t words = utf8_count_words(source, length);

    if (line_tag_ends_document(line)) {
        if (documents_get(plan->documents, file).document)
            progress_bytes(progress, documents_other_bytes(plan->documents, file));
        return;
    }
    if (input_is_unit(input, line))
        counts->units++;
    else
        counts->lines++;
    counts->words += words;
    counts->pieces += dragoman_line_pieces(line);
    progress_file(progress, file + 1, input_file_name(input, file));
    progress_line(progress, length + line_tag_ending_bytes(line_tag_ending(line)) + input_take_other_bytes(input),
                  words);
}

/* Prepends the file and the number of the failed line to the message, and returns the file. */
static size_t name_line(Input *input, size_t failed, Status st, Err *err)
{
    const InputPlace place = input_locate(input, failed);
    const Err reason = *err;

    (void)err_set(err, st, DOCUMENT_PLACE ": %s", input_file_name(input, place.file), place.in_file.slash,
                  place.in_file.part, place.in_file.line, reason.text);
    return place.file;
}

/* Returns the next line. Before it waits, everything so far is written. A failed line is passed to the writer if that
 * can go on without it. */
static Status next_line(Router *router, Input *input, const LineWriter *to, RoutedLine *line, Err *err)
{
    for (;;) {
        Status st = router_ready(router) ? OK : to->flush(to->writer, err);
        size_t failed, file;
        Err reason;

        if (st != OK) return st;
        st = router_next(router, line, err);
        failed = st == OK ? 0 : router_failed_line(router);
        if (!failed) return st;
        file = name_line(input, failed, st, err);
        if (!to->fail) return st;
        reason = *err;
        router_skip_failed_line(router);
        st = to->fail(to->writer, file, &reason, err);
        if (st != OK) return st;
    }
}

/* Adds a line that is not a unit of a document. What adds units is the document's output. */
static Status learn_line(LineMemory *learner, const Input *input, const RoutedLine *line, Err *err)
{
    if (!learner->memory || input_is_unit(input, line->line)) return OK;
    return line_memory_learn(learner, line, err);
}

/* Writes lines until the last one or the first failure. Everything that was translated before a failure is written. */
static Status write_lines(Router *router, const InputPlan *plan, Input *input, const LineWriter *to, Progress *progress,
                          LineWork *work, FilterCounts *counts, Err *err)
{
    RoutedLine line = { .line = NULL };
    Status st, flushed;

    progress_file(progress, 1, input_file_name(input, 0));
    for (;;) {
        st = next_line(router, input, to, &line, err);
        if (st != OK) break;
        if (!line.line) return to->flush(to->writer, err);
        line.context.is_unit = input_is_unit(input, line.line);
        take_terms(work, plan, input, &line);
        st = watch_language(work, &line, err);
        if (st == OK) st = warn_of_line(work, plan, input, &line, counts, err);
        if (st != OK) break;
        count_line(counts, progress, plan, input, line.line);
        st = to->write(to->writer, &line, err);
        if (st != OK) return st;
        st = learn_line(&work->learner, input, &line, err);
        if (st != OK) break;
    }
    flushed = to->flush(to->writer, NULL);
    (void)flushed; /* the first failure is the one to report */
    return st;
}

static Status pass_documents(const InputPlan *plan, const LineWriter *to, FilterCounts *counts, Err *err)
{
    Input *input;
    Status st = input_open(&input, plan, err), joined;

    if (st != OK) return st;
    for (size_t i = 0; st == OK && i < plan->count; i++) {
        st = input_read_next(input, err);
        if (st == OK) st = to->flush(to->writer, err);
    }
    joined = input_join(input, &counts->unreadable, NULL);
    (void)joined; /* only a thread can fail later */
    counts->faults = input_faults(input);
    input_free(input);
    return st;
}

/* A failure of the translator or the output has priority over one of the input, which follows from it and would name
 * the wrong line. */
Status filter_run(Router *router, const InputPlan *plan, const LineWriter *to, Progress *progress, FilterCounts *counts,
                  Err *err)
{
    Input *input;
    LineWork work;
    Err input_err;
    Status st, input_st;

    *counts = (FilterCounts){ 0 };
    if (!router) return pass_documents(plan, to, counts, err);
    st = input_start(&input, plan, router, err);
    if (st != OK) return st;
    counts->has_terms = plan->glossary != NULL;
    line_work_start(&work, plan, router);
    st = write_lines(router, plan, input, to, progress, &work, counts, err);
    if (st != OK) {
        router_cancel(router);
        input_stop(input);
    }
    input_st = input_join(input, &counts->unreadable, &input_err);
    if (st == OK && input_st != OK) {
        st = input_st;
        *err = input_err;
    }
    warn_of_languages(&work, plan);
    line_work_finish(&work);
    counts->faults = input_faults(input);
    input_free(input);
    return st;
}

void filter_report_counts(const FilterCounts *counts, const Router *router, double opening, double seconds)
{
    const double each = seconds > 0 ? 1 / seconds : 0;
    const size_t texts = counts->lines + counts->units;
    const char *name = !counts->units ? "lines" : counts->lines ? "texts" : "units";
    char lines[64] = "", units[64] = "";

    if (counts->lines || !counts->units)
        snprintf(lines, sizeof lines, "%zu line%s, ", counts->lines, plural(counts->lines));
    if (counts->units) snprintf(units, sizeof units, "%zu unit%s, ", counts->units, plural(counts->units));
    report("%s%s%zu word%s, %zu piece%s in %.2f s, %.1f %s/s, %.1f words/s; model opened in %.0f ms", lines, units,
           counts->words, plural(counts->words), counts->pieces, plural(counts->pieces), seconds, (double)texts * each,
           name, (double)counts->words * each, opening * 1e3);
    if (counts->has_terms)
        report("terms: %zu found, %zu translated as the glossary says", counts->terms, counts->terms_met);
    router_report_languages(router);
}
