/* filter.c - see filter.h. */
#include "filter.h"

#include "library.h"
#include "report.h"

static void warn_of_wrapped(Warnings *warnings, Input *input, const DragomanLine *line)
{
    const char *file;
    size_t number;

    if (!dragoman_line_wrapped(line) || !warnings_want(warnings)) return;
    input_locate(input, dragoman_line_number(line), &file, &number);
    report("%s:%zu: the line is too long for the model and was translated in %zu parts", file, number,
           dragoman_line_segments(line));
}

/* Prepends the file and the number of the line that failed to the message. */
static void name_line(Dragoman *d, Input *input, Status st, Err *err)
{
    const size_t failed = dragoman_failed_line(d);
    const char *file;
    size_t number;

    if (!failed) return;
    input_locate(input, failed, &file, &number);
    (void)err_set(err, st, "%s:%zu: %s", file, number, err->text);
}

/* Writes lines until the last one or the first failure. Everything that was translated before a failure is written. */
static Status write_lines(Dragoman *d, Input *input, const LineWriter *to, Warnings *wrapped, FilterCounts *counts,
                          Err *err)
{
    const DragomanLine *line = NULL;
    DragomanError error;
    Status st, flushed;

    for (;;) {
        st = dragoman_ready(d) ? OK : to->flush(to->writer, err);
        if (st != OK) return st;
        st = library_status(dragoman_next(d, &line, &error), &error, err);
        if (st != OK) break;
        if (!line) return to->flush(to->writer, err);
        warn_of_wrapped(wrapped, input, line);
        counts->lines++;
        counts->pieces += dragoman_line_pieces(line);
        st = to->write(to->writer, d, line, err);
        if (st != OK) return st;
    }
    name_line(d, input, st, err);
    flushed = to->flush(to->writer, NULL);
    (void)flushed; /* the first failure is the one to report */
    return st;
}

/* A failure of the translator or the output has priority over one of the input, which follows from it and would name
 * the wrong line. */
Status filter_run(Dragoman *d, const InputPlan *plan, const LineWriter *to, FilterCounts *counts, Err *err)
{
    Input *input;
    Warnings wrapped;
    Err input_err;
    Status st, input_st;

    *counts = (FilterCounts){ 0 };
    warnings_start(&wrapped, plan->quiet);
    st = input_start(&input, plan, d, err);
    if (st != OK) return st;
    st = write_lines(d, input, to, &wrapped, counts, err);
    if (st != OK) {
        dragoman_cancel(d);
        input_stop(input);
    }
    input_st = input_join(input, &counts->unreadable, &input_err);
    if (st == OK && input_st != OK) {
        st = input_st;
        *err = input_err;
    }
    warnings_finish(&wrapped, "translated in parts");
    input_free(input);
    return st;
}
