/* alignment_format.c - see alignment_format.h. */
#include "alignment_format.h"

#include <stdlib.h>
#include <string.h>

const char *const alignment_words[] = { "hard", "soft", NULL };
const char *const alignment_units[] = { "token", "word", NULL };

Status alignment_style_read(AlignmentStyle *out, const char *text, Err *err)
{
    char *end;
    const double value = strtod(text, &end);

    *out = (AlignmentStyle){ strcmp(text, "soft") == 0 ? ALIGNMENT_SOFT : ALIGNMENT_LINKS, 1 };
    if (strcmp(text, "hard") == 0 || out->kind == ALIGNMENT_SOFT) return OK;
    out->threshold = (float)value;
    if (strspn(text, "0123456789+-.eE") == strlen(text) && end != text && !*end && out->threshold > 0 && value <= 1)
        return OK;
    return err_set(err, ERR_USAGE, "--alignment must be hard, soft, or a number above 0 and at most 1, not '%s'", text);
}

/* Converts the result of a call of the library. */
static Status status_of(DragomanStatus status, const DragomanError *error, Err *err)
{
    return status == DRAGOMAN_OK ? OK : err_set(err, (Status)status, "%s", error->message);
}

/* What separates the parts of an alignment. */
typedef struct {
    const char *open, *close;  /* around a pair or a row */
    const char *inner, *outer; /* between its numbers; between two of them */
} Notation;

static Status append_links(Buf *out, DragomanAlignment *alignment, float threshold, Notation n, Err *err)
{
    const DragomanLink *links;
    size_t count;
    DragomanError error;
    Status st = status_of(dragoman_alignment_links(alignment, threshold, &links, &count, &error), &error, err);

    for (size_t i = 0; st == OK && i < count; i++)
        buf_put_format(out, "%s%s%zu%s%zu%s", i ? n.outer : "", n.open, links[i].source, n.inner, links[i].target,
                       n.close);
    return st;
}

/* Most weights of a long line are 0. */
static Status append_rows(Buf *out, DragomanAlignment *alignment, Notation n, Err *err)
{
    size_t sources, targets;
    float *row;

    (void)dragoman_alignment_sources(alignment, &sources);
    (void)dragoman_alignment_targets(alignment, &targets);
    row = calloc(sources + 1, sizeof *row);
    if (!row) return err_memory(err, "an alignment");
    for (size_t i = 0; i < targets; i++) {
        dragoman_alignment_row(alignment, i, row);
        buf_put_text(out, i ? n.outer : "");
        buf_put_text(out, n.open);
        for (size_t k = 0; k < sources; k++) {
            buf_put_text(out, k ? n.inner : "");
            if (row[k] > 0)
                buf_put_format(out, "%g", (double)row[k]);
            else
                buf_put_byte(out, '0');
        }
        buf_put_text(out, n.close);
    }
    free(row);
    return OK;
}

Status alignment_append(Buf *out, const DragomanLine *line, size_t rank, AlignmentStyle style, DragomanUnit unit,
                        bool json, Err *err)
{
    const bool soft = style.kind == ALIGNMENT_SOFT;
    const Notation notation = json ? (Notation){ "[", "]", ",", "," } : (Notation){ "", "", soft ? "," : "-", " " };
    DragomanAlignment *alignment;
    DragomanError error;
    Status st;

    if (style.kind == ALIGNMENT_NONE) return OK;
    st = status_of(dragoman_align(&alignment, line, rank, unit, &error), &error, err);
    if (st != OK) return st;
    if (json) buf_put_byte(out, '[');
    st = soft ? append_rows(out, alignment, notation, err)
              : append_links(out, alignment, style.threshold, notation, err);
    if (json) buf_put_byte(out, ']');
    dragoman_alignment_free(alignment);
    return st == OK ? buf_check(out, err) : st;
}
