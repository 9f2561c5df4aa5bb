/* program.c - the program dragoman: runs the command and chooses the exit code. main() is in main.c.
 *
 *   options/      the command line; its tables also make the help, the man page and the completion scripts
 *   library.c     the options as settings of the library
 *   commands/     the commands; translate.c uses job/, model_commands.c uses hub/
 *   explain/      the command explain and its page
 *   progress/     the progress of the work, as a bar or as plain lines
 *   output/       the output formats
 *   report.c      messages on stderr
 *   terminal.c    the user's terminal: its width, the pager, typed lines
 *   sandbox.c     forbids system calls that translating never needs
 *   signals.c     handles broken pipes, unfinished files, and mapped files that are truncated */
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uloc.h>
#include <unistd.h>

#include "commands.h"
#include "help.h"
#include "library.h"
#include "options.h"
#include "path.h"
#include "report.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

/* --- The hub and the models --- */

/* Sets *out to the models of -m or, without -m, to those that dragoman_hub_choose() finds. On failure *out is NULL;
 * otherwise the caller frees it. */
static Status choose_models(DragomanChoice **out, const Options *o, DragomanHub *hub, Err *err)
{
    const struct {
        const char *name;
        size_t given;
    } needs_model[] = { { "vocab", o->all_vocabs.count },     { "weights", o->all_weights.count },
                        { "shortlist", o->shortlists.count }, { "calibration", o->calibrations.count },
                        { "prompt", o->prompts.count },       { "via", o->vias.count } };
    const OptionList *models = &o->models;
    DragomanError error;
    Status st;

    *out = NULL;
    if (!models->count && !dragoman_hub_preferred(hub) && options_detect(o)) {
        /* The models are chosen later, when the languages of the input are known. */
        if (!o->to) return err_set(err, ERR_USAGE, "--from auto needs --to LANG, or a model with -m");
        for (size_t i = 0; i < sizeof needs_model / sizeof *needs_model; i++)
            if (needs_model[i].given)
                return err_set(err, ERR_USAGE, "--%s and --from auto need a model with -m", needs_model[i].name);
        return OK;
    }
    st = library_status(
        dragoman_hub_choose(hub, (const char *const *)models->items, models->count, o->from, o->to, out, &error),
        &error, err);
    if (st != OK || !(*out)->via || o->command == COMMAND_TRANSLATE || o->command == COMMAND_INFO) return st;
    dragoman_choice_free(*out);
    *out = NULL;
    return err_set(err, ERR_USAGE, "%s: takes one model, and only two models together translate from %s into %s",
                   command_table[o->command].name, o->from, o->to);
}

/* If the failure `st` is about a model that the command line does not name, adds where it is named. If the model
 * refuses the languages, also adds the model of this machine for these languages, if there is one. */
static Status explain_preferred(Status st, const Options *o, DragomanHub *hub, Err *err)
{
    const char *preferred = dragoman_hub_preferred(hub), *variable = getenv("DRAGOMAN_MODEL");
    const bool is_variable = variable && *variable;
    const char *place = is_variable ? "$DRAGOMAN_MODEL" : dragoman_hub_configuration(hub);
    DragomanRoute route = { .count = 0 };
    DragomanError error;

    if (o->models.count || !preferred) return st;
    if (text_begins_with(err->text, preferred) && text_begins_with(err->text + strlen(preferred), ": "))
        return err_set(err, st, "%s; the name comes from %s", err->text, place);
    if (st != ERR_USAGE || (!o->from && !o->to)) return st;
    if (!text_begins_with(err->text, "--from ") && !text_begins_with(err->text, "--to ")) return st;
    if (o->from && o->to && !options_detect(o) &&
        dragoman_hub_route(hub, o->from, o->to, &route, &error) != DRAGOMAN_OK)
        route.count = 0;
    return err_set(err, st, "%s; the model %s comes from %s; %s%s%s%s", err->text, preferred, place,
                   route.count ? "use -m " : "choose another model with -m", route.count ? route.models[0]->name : "",
                   route.count > 1 ? " -m " : "", route.count > 1 ? route.models[1]->name : "");
}

/* --- Help, version and completion --- */

/* Appends the languages of the models of -m or $DRAGOMAN_MODEL or, if neither is set, of all model families. */
static Status append_languages(Buf *out, const Options *options, DragomanHub *hub, Err *err)
{
    const bool has_model = options->models.count || dragoman_hub_preferred(hub);
    DragomanChoice *choice = NULL;
    Status st = has_model ? choose_models(&choice, options, hub, err) : OK;

    for (size_t i = 0; st == OK && i < (choice ? choice->count : 1); i++) {
        DragomanOptions *one = NULL; /* NULL: all families */
        char *languages = NULL;
        DragomanError error;
        if (choice)
            st = library_options_new(&one, options, &(DragomanChoice){ .paths = &choice->paths[i], .count = 1 }, err);
        if (st == OK) st = library_status(dragoman_languages(one, &languages, &error), &error, err);
        if (st == OK) buf_put_text(out, languages);
        if (st == OK) st = buf_check(out, err);
        dragoman_free_text(languages);
        dragoman_options_free(one);
    }
    dragoman_choice_free(choice);
    return st;
}

#define USUAL_COLUMNS 80
#define MOST_COLUMNS  120 /* longer lines are hard to read */

static Status append_text(Buf *out, const Options *options, DragomanHub *hub, Err *err)
{
    const char *kind = options->file_count ? options->files[0] : "";
    size_t columns = isatty(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO) : USUAL_COLUMNS, count;
    const DragomanModel *models;
    DragomanError error;
    char *build = NULL;
    Err unused;
    Status st;

    if (options->version) {
        st = library_status(dragoman_describe_build(&build, &error), &error, err);
        if (st == OK) buf_put_format(out, "dragoman %s\n%s", dragoman_version(), build);
        dragoman_free_text(build);
        return st == OK ? buf_check(out, err) : st;
    }
    if (options->man) return help_append_man_page(out, options->command, err);
    if (columns > MOST_COLUMNS) columns = MOST_COLUMNS;
    /* "--help languages" is "help languages". */
    if (options->help && options->command == COMMAND_TRANSLATE && options->file_count &&
        help_append_subject(NULL, options->files, 1, columns, &unused) == OK)
        return help_append_subject(out, options->files, 1, columns, err);
    if (options->is_brief && options->command == COMMAND_TRANSLATE) return help_append_brief(out, err);
    if (options->help) return help_append(out, options->command, columns, err);
    if (options->command == COMMAND_HELP)
        return help_append_subject(out, options->files, options->file_count, columns, err);
    if (options->command == COMMAND_COMPLETION) return help_append_completion(out, options->files[0], err);

    /* The command complete lists values of an option for a shell. If something fails, for example because the user has
     * not finished typing a path, the list ends without a message. */
    if (hub && strcmp(kind, "models") == 0 && dragoman_hub_models(hub, &models, &count, &error) == DRAGOMAN_OK)
        for (size_t i = 0; i < count; i++) buf_put_format(out, "%s\n", models[i].name);
    if (hub && strcmp(kind, "languages") == 0) (void)append_languages(out, options, hub, &unused);
    return OK;
}

/* Prints the output of --help, --version and --help-man, and of the commands help, completion and complete. Only
 * complete uses `hub`, which may be NULL. In a terminal, a pager shows the help, but not the short one of -h. */
static Status print(const Options *options, DragomanHub *hub, Output *out, Err *err)
{
    const bool is_long = options->help ? !options->is_brief : options->command == COMMAND_HELP;
    Buf *text = &out->buffer;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK) st = append_text(text, options, hub, err);
    if (st == OK && is_long && terminal_page(text->data, text->len)) buf_clear(text);
    return st == OK ? output_finish(out, err) : st;
}

/* --- The command --- */

/* Runs a command that opens models. `choice` is NULL if no model is needed, or none is known yet. */
static Status run_command(const Options *options, const DragomanChoice *choice, DragomanHub *hub, Output *out,
                          size_t *failed, Err *err)
{
    const bool is_batch = options->output_dir || options->suffix;
    Job job = { .options = options, .choice = choice, .hub = hub };
    Status st = library_options_new(&job.settings, options, choice, err);

    if (st != OK) return st;
    switch (options->command) {
    case COMMAND_INFO:
        st = command_info(&job, out, err);
        break;
    case COMMAND_PACK:
        st = command_pack(&job, out, err);
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

/* A command that only prints needs no configuration. The command complete reads it, but ignores errors in it.
 * Translating enters the sandbox when its regular expressions are compiled, the command get when its downloads are
 * complete, and any other command at the start. */
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

    /* ICU looks for a default locale when it first needs one, and hangs or crashes if memory has run out then. So it is
     * set here; no result depends on it. */
    uloc_setDefault("en", &fault);
    if (U_FAILURE(fault)) return err_memory(err, "the locale");
    if (command != COMMAND_GET && (!prints || completes))
        st = library_open_hub(&hub, options, program, !options->no_config, err);
    if (st == OK && command != COMMAND_TRANSLATE && command != COMMAND_GET && (!prints || completes))
        command_enter_sandbox(options);
    if (prints) {
        st = print(options, hub, out, err);
    } else if (st == OK && command == COMMAND_GET) {
        st = command_get(options, out, err);
    } else if (st == OK && command == COMMAND_MODELS) {
        st = command_models(options, hub, out, err);
    } else if (st == OK) {
        const bool needs_model = !options->identity && !options->pseudo;
        if (needs_model) st = library_status(dragoman_check_cpu(&error), &error, err);
        if (st == ERR_UNSUPPORTED) { /* this CPU lacks the named CPU level; only the speed is affected */
            if (!options->quiet) report("%s", err->text);
            st = OK;
        }
        if (st == OK && needs_model) st = choose_models(&choice, options, hub, err);
        if (choice && choice->message && !options->quiet) report("%s", choice->message);
        if (st == OK) st = run_command(options, choice, hub, out, failed, err);
        if (st != OK) st = explain_preferred(st, options, hub, err);
        dragoman_choice_free(choice);
    }
    dragoman_hub_close(hub);
    return st;
}

int program_run(int argc, char **argv)
{
    Options *options;
    Output out = { .fd = -1 };
    size_t failed = 0;
    bool broken_pipe;
    Err err;
    Status st;

    report_start("dragoman");
    signals_start();
    st = options_parse(&options, argc, argv, &err);
    if (st == ERR_USAGE) {
        report("%s; try 'dragoman %s%s--help'", err.text, command_table[options->command].name,
               *command_table[options->command].name ? " " : "");
        options_free(options);
        return EXIT_USAGE;
    }
    if (st == OK) st = run(options, argv[0], &out, &failed, &err);
    options_free(options);
    broken_pipe = out.broken_pipe;
    output_abandon(&out);
    if (broken_pipe) signals_die_of_pipe();
    if (st != OK) report("%s", err.text);
    if (st == ERR_USAGE) return EXIT_USAGE;
    return st == OK && !failed ? EXIT_FINE : EXIT_FAULT;
}
