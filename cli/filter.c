/* filter.c - see filter.h. */
#include "filter.h"

#include "notes.h"
#include "report.h"

static void note_wrapped(Notes *notes, Input *input, const DragomanLine *line)
{
    const char *file;
    size_t number;

    if (line->segments < 2 || !notes_want(notes)) return;
    input_locate(input, line->number, &file, &number);
    report("%s:%zu: longer than the model can take: translated in %zu parts", file, number, line->segments);
}

static Status write_lines(Dragoman *d, Input *input, Formatter *formatter, Output *out, Notes *wrapped,
                          FilterCounts *counts, Err *err)
{
    const DragomanLine *line = NULL;
    Status st = OK;

    for (;;) {
        if (!dragoman_ready(d)) st = output_flush(out, err);
        if (st == OK) st = dragoman_next(d, &line, err);
        if (st != OK || !line) return st;
        note_wrapped(wrapped, input, line);
        st = format_line(formatter, d, line, (Ending)line->tag, &out->buffer, err);
        if (st == OK) st = output_drain(out, err);
        if (st != OK) return st;
        counts->lines++;
        counts->pieces += line->pieces;
    }
}

/* A failure here goes before the one of the input that it brings about. */
Status filter_run(Dragoman *d, const InputPlan *plan, Formatter *formatter, Output *out, FilterCounts *counts, Err *err)
{
    Input *input;
    Notes wrapped;
    Err input_err;
    Status st, input_st;

    *counts = (FilterCounts){ 0 };
    notes_start(&wrapped, plan->quiet);
    st = input_start(&input, plan, d, err);
    if (st != OK) return st;
    st = write_lines(d, input, formatter, out, &wrapped, counts, err);
    if (st != OK) {
        dragoman_cancel(d);
        input_stop(input);
    }
    input_st = input_join(input, &counts->unreadable, &input_err);
    if (st == OK && input_st != OK) {
        st = input_st;
        *err = input_err;
    }
    notes_finish(&wrapped, "more lines translated in parts");
    input_free(input);
    return st;
}
