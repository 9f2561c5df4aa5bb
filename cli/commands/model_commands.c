/* model_commands.c - the commands info, pack, shortlist and calibrate: see commands.h. */
#include "commands.h"

#include "report.h"
#include "text.h"

Status command_info(const Job *job, Output *out, Err *err)
{
    char *description = NULL;
    DragomanError error;
    size_t tensors = 0;
    Status st = library_status(dragoman_describe(job->settings, &description, &error), &error, err);

    if (st == OK && job->options->verify)
        st = library_status(dragoman_verify(job->settings, &tensors, &error), &error, err);
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) {
        buf_put_text(&out->buffer, description);
        if (job->options->verify) buf_put_format(&out->buffer, "checksums: %zu, all correct\n", tensors);
        st = buf_check(&out->buffer, err);
    }
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(description);
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

Status command_learn(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    const char *source = options->files[0], *target = options->files[1];
    const bool as_text = options->output && text_ends_with(options->output, ".txt");
    DragomanError error;
    char *learned = NULL;
    size_t length = 0;
    Status st = command_choose_output(job, out, err); /* reports a wrong name before hours of learning */

    if (st == OK) st = output_open(out, err);
    if (st == OK && options->command == COMMAND_CALIBRATE)
        st = library_status(dragoman_calibrate(job->settings, source, target, &learned, &length, &error), &error, err);
    else if (st == OK)
        st = library_status(dragoman_learn_shortlist(job->settings, source, target, as_text, &learned, &length, &error),
                            &error, err);
    if (st == OK) buf_put(&out->buffer, learned, length);
    if (st == OK) st = buf_check(&out->buffer, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(learned);
    return st;
}
