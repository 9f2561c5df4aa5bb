/* program.c - the program dragoman: runs the command and chooses the exit code. main() is in main.c.
 *
 *   options/      the command line; its tables also make the help, the man page and the completion scripts
 *   library.c     the options as settings of the library
 *   commands/     what the program does: translate.c with job/, names of models with hub/
 *   explain/      the command explain and its page
 *   progress/     how much is done, as a bar or as plain lines
 *   output/       formats
 *   report.c      messages on stderr
 *   sandbox.c     forbids the process what translating never needs
 *   signals.c     broken pipes, unfinished files, and mapped files that are truncated */
#include "program.h"

#include <fcntl.h>
#include <unicode/uloc.h>
#include <unistd.h>

#include "commands.h"
#include "library.h"
#include "option_table.h"
#include "options.h"
#include "report.h"
#include "signals.h"

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

/* Runs a command that opens models. `choice` is NULL if no model is needed, or none is known yet. */
static Status run_command(const Options *options, const DragomanChoice *choice, DragomanHub *hub, Output *out,
                          size_t *failed, Err *err)
{
    const LibraryPaths paths =
        choice ? (LibraryPaths){ choice->paths, choice->count, choice->via } : (LibraryPaths){ .count = 0 };
    const bool is_batch = options->output_dir || options->suffix;
    Job job = { .options = options, .choice = choice, .hub = hub, .model_count = paths.count };
    Status st = library_options_new(&job.settings, options, paths, err);

    if (st != OK) return st;
    switch (options->command) {
    case COMMAND_INFO:
        st = command_info(&job, out, err);
        break;
    case COMMAND_PACK:
        st = command_pack(&job, out, err);
        break;
    case COMMAND_SCORE:
    case COMMAND_ALIGN:
        st = command_score(&job, out, failed, err);
        break;
    case COMMAND_SHORTLIST:
    case COMMAND_CALIBRATE:
        st = command_learn(&job, out, err);
        break;
    case COMMAND_EXPLAIN:
        st = command_explain(&job, out, err);
        break;
    default:
        st = is_batch ? command_batch(&job, out, failed, err) : command_translate(&job, out, failed, err);
    }
    dragoman_options_free(job.settings);
    return st;
}

/* A command that only prints needs no configuration, except to complete names, where faults of the configuration are
 * ignored. Translating enters the sandbox when its regular expressions are compiled, get when it has downloaded, and
 * other commands at the start. */
static Status run(Options *options, const char *program, Output *out, size_t *failed, Err *err)
{
    const Command command = options->command;
    const bool completes = command == COMMAND_COMPLETE;
    const bool prints = options->help || options->version || options->man ||
                        (!command_table[command].opens_models && command != COMMAND_MODELS && command != COMMAND_GET);
    DragomanHub *hub = NULL;
    DragomanChoice *choice = NULL;
    UErrorCode fault = U_ZERO_ERROR;
    DragomanError error;
    Status st = OK;

    /* ICU looks for a default locale when it first needs one, and hangs or crashes if memory has run out by then. No
     * result depends on which it is. */
    uloc_setDefault("en", &fault);
    if (U_FAILURE(fault)) return err_memory(err, "the locale");
    if (!prints || completes) st = command_open_hub(&hub, options, program, !options->no_config, err);
    if (st == OK && command != COMMAND_TRANSLATE && command != COMMAND_GET && (!prints || completes))
        command_enter_sandbox(options);
    if (prints) {
        st = command_print(options, hub, out, err);
    } else if (st == OK && command == COMMAND_GET) {
        st = command_get(options, out, err);
    } else if (st == OK && command == COMMAND_MODELS) {
        st = command_models(options, hub, out, err);
    } else if (st == OK) {
        const bool needs_model = !options_need_no_model(options);
        if (needs_model) st = library_status(dragoman_check_cpu(&error), &error, err);
        if (st == ERR_UNSUPPORTED) { /* a CPU level that this CPU does not have; only the speed is affected */
            if (!options->quiet) report("%s", err->text);
            st = OK;
        }
        if (st == OK && needs_model) st = command_choose_models(&choice, options, hub, err);
        if (choice && choice->message && !options->quiet) report("%s", choice->message);
        if (st == OK) st = run_command(options, choice, hub, out, failed, err);
        dragoman_choice_free(choice);
    }
    dragoman_hub_close(hub);
    return st;
}

int program_run(int argc, char **argv)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };
    Options options;
    Output out = { .staged = { .fd = -1 }, .fd = -1 };
    size_t failed = 0;
    bool broken_pipe;
    Err err;
    Status st;

    /* Closed standard streams become a file that cannot be used in that direction. No other file then gets their
     * numbers, and errors are noticed. */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) break;
    signals_ignore_faults_of_output();
    signals_catch_ends();
    signals_catch_lost_files();
    st = options_parse(&options, argc, argv, &err);
    if (st == ERR_USAGE) {
        report("%s; try 'dragoman %s%s--help'", err.text, command_table[options.command].name,
               *command_table[options.command].name ? " " : "");
        options_free(&options);
        return EXIT_USAGE;
    }
    if (st == OK) st = run(&options, argv[0], &out, &failed, &err);
    options_free(&options);
    broken_pipe = out.broken_pipe;
    output_abandon(&out);
    if (broken_pipe) signals_die_of_pipe();
    if (st != OK) report("%s", err.text);
    if (st == ERR_USAGE) return EXIT_USAGE;
    return st == OK && !failed ? EXIT_FINE : EXIT_FAULT;
}
