/* open_memory.c - the translation memory of a command: see commands.h. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "dragoman_memory.h"
#include "report.h"

/* Models that are chosen by the languages of the input have identities of their own (pair_routes.c). */
static Status identify(const Job *job, Router *router, Err *err)
{
    DragomanError error;
    uint64_t identity;
    Status st;

    if (!job->model_count) return OK;
    st = library_status(dragoman_identify(job->settings, &identity, &error), &error, err);
    if (st == OK) router_set_identity(router, identity);
    return st;
}

/* The translation must not be written into the memory. A batch writes nothing to standard output. */
static Status check_output(const Memory *memory, const Options *options, Err *err)
{
    const char *name = options->output;
    const bool standard = !name || strcmp(name, "-") == 0, is_batch = options->output_dir || options->suffix;

    if (is_batch || !(standard ? memory_is_open_as(memory, STDOUT_FILENO) : memory_is_at(memory, name))) return OK;
    return err_set(err, ERR_USAGE, "%s is the translation memory; write to another file",
                   standard ? "standard output" : name);
}

/* The memory, which grows, must not be read as text. */
static Status check_input(const Memory *memory, const char *name, Err *err)
{
    const bool standard = strcmp(name, "-") == 0;

    if (!(standard ? memory_is_open_as(memory, STDIN_FILENO) : memory_is_at(memory, name))) return OK;
    return err_set(err, ERR_USAGE, "%s is the translation memory; it cannot be translated in the same run",
                   standard ? "standard input" : name);
}

static Status check_files(const Memory *memory, const Options *options, Err *err)
{
    Status st = check_output(memory, options, err);

    for (size_t i = 0; st == OK && i < options->file_count; i++) st = check_input(memory, options->files[i], err);
    return st;
}

/* A file that an option reads must not grow as the memory. */
static Status check_options(const Options *options, Err *err)
{
    const struct {
        const char *name;
        const OptionList *files;
    } rows[] = { { "--glossary", &options->glossaries },
                 { "--keep-file", &options->keep_files },
                 { "--shortlist", &options->shortlists } };
    struct stat memory, other;

    if (stat(options->memory, &memory) != 0) return OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].files->count; k++)
            if (stat(rows[i].files->items[k], &other) == 0 && other.st_dev == memory.st_dev &&
                other.st_ino == memory.st_ino)
                return err_set(err, ERR_USAGE, "%s is the file of --memory and of %s; use another file for one of them",
                               options->memory, rows[i].name);
    return OK;
}

Status command_open_memory(Memory **out, const Job *job, Router *router, Err *err)
{
    const Options *options = job->options;
    Status st;

    *out = NULL;
    if (!options->memory || !router) return OK;
    st = check_options(options, err);
    if (st == OK) st = identify(job, router, err);
    if (st == OK)
        st = memory_open(out, options->memory, router_target_language(router), &program_reporter, options->quiet, err);
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
