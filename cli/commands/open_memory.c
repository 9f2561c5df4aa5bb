/* open_memory.c - the translation memory of a command: see commands.h. */
#include <string.h>

#include "commands.h"
#include "dragoman_memory.h"

/* Models that are chosen by the languages of the input have identities of their own (pair_routes.c). */
static Status identify(const Job *job, Router *router, Err *err)
{
    DragomanError error;
    uint64_t identity;
    Status st;

    if (!job->models.count) return OK;
    st = library_status(dragoman_identify(job->models.items, job->models.count, &identity, &error), &error, err);
    if (st == OK) router_set_identity(router, identity);
    return st;
}

/* The memory must not be read as text, nor replaced by a translation. */
static Status check_files(const Memory *memory, const Options *options, Err *err)
{
    if (options->output && memory_is_at(memory, options->output))
        return err_set(err, ERR_USAGE, "%s is the translation memory; write to another file", options->output);
    for (size_t i = 0; i < options->file_count; i++)
        if (memory_is_at(memory, options->files[i]))
            return err_set(err, ERR_USAGE, "%s is the translation memory; it cannot be translated in the same run",
                           options->files[i]);
    return OK;
}

Status command_open_memory(Memory **out, const Job *job, Router *router, Err *err)
{
    const Options *options = job->options;
    Status st;

    *out = NULL;
    if (!options->memory || !router) return OK;
    st = identify(job, router, err);
    if (st == OK) st = memory_open(out, options->memory, router_target_language(router), options->quiet, err);
    return st == OK ? check_files(*out, options, err) : st;
}

Status command_close_memory(Memory *memory, const Options *options, Status st, Err *err)
{
    Err reason;
    const Status finished = memory ? memory_finish(memory, &reason) : OK;

    if (st == OK && finished != OK) st = err_set(err, finished, "%s", reason.text);
    if (st == OK && memory && options->verbose) memory_report(memory);
    memory_free(memory);
    return st;
}
