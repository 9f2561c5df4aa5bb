/* model_commands.c - the commands info, pack, shortlist and calibrate: see commands.h. */
#include "commands.h"

#include "report.h"
#include "text.h"

static Status append_verified(const DragomanOptions *settings, Buf *text, Err *err)
{
    DragomanError error;
    size_t tensors;
    Status st = library_status(dragoman_verify(settings, &tensors, &error), &error, err);

    return st == OK ? buf_append_format(text, err, "checksums: %zu, all correct\n", tensors) : st;
}

Status command_info(const Job *job, Output *out, Err *err)
{
    char *description = NULL;
    DragomanError error;
    Buf text = { 0 };
    Status st = library_status(dragoman_describe(job->settings, &description, &error), &error, err);

    if (st == OK) st = buf_append_text(&text, description, err);
    if (st == OK && job->options->verify) st = append_verified(job->settings, &text, err);
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = buf_append(&out->buffer, text.data, text.len, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(description);
    buf_free(&text);
    return st;
}

Status command_pack(const Job *job, Output *out, Err *err)
{
    char *warnings = NULL;
    DragomanError error;
    Status st = command_choose_output(job, out, err);

    if (st == OK && !output_is_file(out))
        st = err_set(err, ERR_USAGE, "pack: %s is not a regular file; give -o the name of a file to write",
                     out->target.name);
    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(dragoman_pack(job->settings, out->fd, out->target.name, &warnings, &error), &error, err);
    if (st == OK && !job->options->quiet) reporter_say_warnings(&program_reporter, warnings);
    dragoman_free_text(warnings);
    return st == OK ? output_finish(out, err) : st;
}

Status command_shortlist(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    bool as_text = text_ends_with(options->output, ".txt");
    DragomanError error;
    char *list = NULL;
    size_t length = 0;
    Status st = command_choose_output(job, out, err); /* reports a wrong name before hours of learning */

    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(dragoman_learn_shortlist(job->settings, options->files[0], options->files[1], as_text,
                                                     &list, &length, &error),
                            &error, err);
    if (st == OK) st = buf_append(&out->buffer, list, length, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(list);
    return st;
}

Status command_calibrate(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    char *calibration = NULL;
    DragomanError error;
    size_t length = 0;
    Status st = command_choose_output(job, out, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(
            dragoman_calibrate(job->settings, options->files[0], options->files[1], &calibration, &length, &error),
            &error, err);
    if (st == OK) st = buf_append(&out->buffer, calibration, length, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(calibration);
    return st;
}
