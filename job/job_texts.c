/* job_texts.c - translates texts, documents and files with an open job: see dragoman_job.h. */
#include "document_choice.h"
#include "job.h"
#include "output.h"
#include "run.h"

/* Appends what becomes of an input to *out. With `output`, *out is its buffer, which is written when it is large. */
static Status translate(DragomanJob *job, const DragomanInput *input, const InputKind *kind, Buf *out, Output *output,
                        Err *err)
{
    DragomanRun *run;
    DragomanItem item;
    Status st = run_start(&run, job, input, 1, (DragomanRunRules){ .stop_at_unreadable = true }, kind, err);

    if (st != OK) return st;
    do {
        st = run_next(run, &item, err);
        if (st == OK && item.kind == DRAGOMAN_ITEM_LINE) st = run_append_line(out, &item, err);
        if (st == OK && item.kind == DRAGOMAN_ITEM_BYTES) buf_put(out, item.bytes, item.size);
        if (st == OK) st = buf_check(out, err);
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
    if (st == OK) st = buf_check(&text, &err); /* an empty text also ends with a NUL */
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
    const DragomanInput input = { .path = "text", .bytes = text ? text : "", .size = length };
    const InputKind lines = { .format = NULL }; /* UTF-8, whatever DRAGOMAN_ENCODING says of files */

    return translate_bytes(job, &input, &lines, translation, translation_length, error);
}

DragomanStatus dragoman_job_document(DragomanJob *job, const char *format, const char *bytes, size_t size,
                                     char **translation, size_t *translation_size, DragomanError *error)
{
    const DragomanInput input = { .path = "document", .format = format, .bytes = bytes ? bytes : "", .size = size };

    return translate_bytes(job, &input, NULL, translation, translation_size, error);
}

DragomanStatus dragoman_job_file(DragomanJob *job, const char *source, const char *target, DragomanError *error)
{
    const DragomanInput input = { .path = source };
    Output out;
    Err err;
    Status st = job_check_output(job, target, &err);

    if (st != OK) return job_answer(job, st, &err, error);
    st = output_choose(&out, target, job->reporter, &err);
    if (st == OK)
        st = foreign_file_check(job->options, source, document_choice_of(job->options, source, NULL, 0), &err);
    if (st == OK) st = job_check_input(job, source, &err);
    if (st == OK) st = output_open(&out, &err);
    if (st == OK) st = translate(job, &input, NULL, &out.buffer, &out, &err);
    if (st == OK) st = output_finish(&out, &err);
    output_abandon(&out);
    return job_answer(job, st, &err, error);
}
