/* command_start.c - the start of commands: the sandbox, and an output that destroys nothing. See commands.h. */
#include "commands.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "path.h"
#include "report.h"
#include "sandbox.h"

/* --- The sandbox ------------------------------------------------------------- */

void command_enter_sandbox(const Options *options)
{
    const Command command = options->command;
    const bool translates = command == COMMAND_TRANSLATE || command == COMMAND_SCORE || command == COMMAND_ALIGN ||
                            command == COMMAND_EXPLAIN;

    /* Libraries cannot be loaded in the sandbox. If one cannot be loaded now, this is reported where it is needed. */
    if (translates && !options->no_sandbox) dragoman_job_load_libraries(options->settings);
    if (command == COMMAND_CALIBRATE && !options->no_sandbox) (void)!dragoman_load_libraries(NULL);
    sandbox_start(SANDBOX_PROGRAM, options->no_sandbox, options->verbose);
}

/* --- The output -------------------------------------------------------------- */

/* The name of the command for the start of a message, with a colon; "" for translating and other commands. */
static const char *command_prefix(const Options *options)
{
    return options->command == COMMAND_PACK        ? "pack: "
           : options->command == COMMAND_SHORTLIST ? "shortlist: "
           : options->command == COMMAND_CALIBRATE ? "calibrate: "
           : options->command == COMMAND_EXPLAIN   ? "explain: "
                                                   : "";
}

static bool is_same_path(const char *path, const DragomanFile *file)
{
    struct stat info;

    return stat(path, &info) == 0 && info.st_dev == file->device && info.st_ino == file->inode;
}

/* Fails if a target is a file of the model at `index`. The command calibrate may replace the calibration of a model,
 * because it does not read it. */
static Status check_model(const Job *job, size_t index, const ExistingTargets *targets, Err *err)
{
    const Options *options = job->options;
    const bool packing = options->command == COMMAND_PACK;
    const char *name;
    DragomanError error;
    size_t found;
    Status st = library_status(
        dragoman_reads(job->settings, index, packing, targets->files, targets->count, &found, &error), &error, err);
    bool is_shortlist;

    if (st != OK || found == targets->count) return st;
    name = targets->names[found];
    if (options->command == COMMAND_CALIBRATE && strcmp(path_name(name), "dragoman-calibration.json") == 0) return OK;
    if (packing) return err_set(err, ERR_USAGE, "pack: %s is a file of the model; write to another file", name);
    is_shortlist =
        index < options->shortlists.count && is_same_path(options->shortlists.items[index], &targets->files[found]);
    return err_set(err, ERR_USAGE, "%s%s is %s the model %s; write to another file", command_prefix(options), name,
                   is_shortlist ? "the shortlist in use with" : "a file of", job->choice->paths[index]);
}

/* Returns the index of the first target that is the file at `path`, or targets->count if there is none. */
static size_t find_target(const ExistingTargets *targets, const char *path)
{
    size_t i = 0;

    while (i < targets->count && !is_same_path(path, &targets->files[i])) i++;
    return i;
}

/* Only on Linux, which tells the path of the program, the targets are also compared with the program itself. */
Status command_check_targets(const Job *job, const ExistingTargets *targets, Err *err)
{
    const struct {
        const char *option;
        const OptionList *files;
    } rows[] = { { "--keep-file", &job->options->keep_files }, { "--glossary", &job->options->glossaries } };
    const char *configuration = dragoman_hub_configuration(job->hub), *prefix = command_prefix(job->options);
    size_t found = find_target(targets, "/proc/self/exe");
    Status st = OK;

    if (found < targets->count)
        return err_set(err, ERR_USAGE, "%s%s is the program itself; write to another file", prefix,
                       targets->names[found]);
    found = configuration ? find_target(targets, configuration) : targets->count;
    if (found < targets->count)
        return err_set(err, ERR_USAGE, "%s%s is the configuration file; write to another file or use --no-config",
                       prefix, targets->names[found]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].files->count; k++) {
            found = find_target(targets, rows[i].files->items[k]);
            if (found < targets->count)
                return err_set(err, ERR_USAGE, "%s is the file of %s; write to another file", targets->names[found],
                               rows[i].option);
        }
    for (size_t i = 0; st == OK && targets->count && job->choice && i < job->choice->count; i++)
        st = check_model(job, i, targets, err);
    return st;
}

Status command_choose_output(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    const bool reads_text = options->command == COMMAND_EXPLAIN && strcmp(options->files[0], "-") == 0;
    const bool has_inputs = reads_text || command_table[options->command].operands == OPERANDS_FILES;
    const OutputTarget *target = &out->target;
    DragomanFile file;
    Status st = output_choose(out, options->output, &program_reporter, err);

    if (st != OK || !target->exists || !S_ISREG(target->info.st_mode)) return st;
    file = (DragomanFile){ (uint64_t)target->info.st_dev, (uint64_t)target->info.st_ino };
    for (size_t i = 0; has_inputs && i < options->file_count; i++) {
        const char *input = options->files[i];
        const bool standard = strcmp(input, "-") == 0;
        struct stat info;
        if ((standard ? fstat(STDIN_FILENO, &info) : stat(input, &info)) != 0) continue; /* reported when it is read */
        if (info.st_dev == target->info.st_dev && info.st_ino == target->info.st_ino)
            return err_set(err, ERR_USAGE, "%s%s is also an input (%s); write to another file", command_prefix(options),
                           target->name, standard ? "standard input" : input);
    }
    /* An empty file on standard output was just created by the shell, so it cannot be a file of the model. */
    if (target->kind != TARGET_FILE && !target->info.st_size) return OK;
    return command_check_targets(job, &(ExistingTargets){ &target->name, &file, 1 }, err);
}
