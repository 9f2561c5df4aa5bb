/* dry_run.c - see dry_run.h. */
#include "dry_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "document_choice.h"
#include "format.h"
#include "report.h"
#include "text_check.h"

static Status check_text(const char *path, bool *is_text, Err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Err reason;
    Status st = fd >= 0 ? text_check_file(fd, is_text, &reason) : err_set(&reason, ERR_IO, "%s", strerror(errno));

    if (fd >= 0) close(fd);
    return st == OK ? OK : err_set(err, st, "%s: %s", path, reason.text);
}

static const char *action_of(const BatchFile *file, bool is_text, OtherFiles others)
{
    if (file->up_to_date) return "up to date";
    if (file->format || is_text) return "translate";
    return others == OTHERS_COPY ? "copy" : "skip";
}

/* A document that is not text fails when it is read. */
static const char *format_of(const BatchFile *file, bool is_text)
{
    return file->format || is_text ? document_choice_name(file->format) : "other";
}

static Status append_row(Buf *out, const BatchFile *file, bool is_text, const char *action, Err *err)
{
    Status st = format_escaped(out, file->source, strlen(file->source), err);

    if (st == OK) st = buf_append_format(out, err, "\t%s\t", format_of(file, is_text));
    if (st == OK) st = format_escaped(out, file->target, strlen(file->target), err);
    if (st == OK) st = buf_append_format(out, err, "\t%s\n", action);
    return st;
}

static Status append_file(Buf *out, const BatchFile *file, OtherFiles others, SkippedFiles *skipped, Failures *failures,
                          Err *err)
{
    bool is_text = false;
    const char *action;
    Err reason;

    if (!file->other && check_text(file->source, &is_text, &reason) != OK) {
        failures_add(failures, reason.text);
        return OK;
    }
    action = action_of(file, is_text, others);
    if (strcmp(action, "skip") == 0 && skipped->is_verbose) skipped_files_add(skipped, file);
    return append_row(out, file, is_text, action, err);
}

Status dry_run_print(const BatchPlan *plan, OtherFiles others, SkippedFiles *skipped, Failures *failures, Output *out,
                     Err *err)
{
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    for (size_t i = 0; st == OK && i < plan->files.count; i++) {
        st = append_file(&out->buffer, &plan->files.items[i], others, skipped, failures, err);
        if (st == OK) st = output_drain(out, err);
    }
    return st == OK ? output_finish(out, err) : st;
}
