/* choose_models.c - the hub of the program, and the models of a run: see commands.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_table.h"
#include "option_parts.h"
#include "options.h"
#include "path.h"

/* Finds the program in the folders of $PATH and resolves links; NULL if it is not there. */
static char *search_path(const char *program)
{
    const char *folders = getenv("PATH");

    while (folders && *folders) {
        size_t len = strcspn(folders, ":");
        char *folder = strndup(folders, len), *path = folder ? path_join(folder, program) : NULL;
        char *real = path && access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;

        free(folder);
        free(path);
        if (real) return real;
        folders += len + (folders[len] == ':');
    }
    return NULL;
}

/* The folder of the program, links resolved; NULL if it is not known. Linux knows the path of the program; other
 * systems use `program`, which is argv[0]. */
static char *find_folder(const char *program)
{
    char *path = realpath("/proc/self/exe", NULL), *slash;

    if (!path && program) path = strchr(program, '/') ? realpath(program, NULL) : search_path(program);
    slash = path ? strrchr(path, '/') : NULL;
    if (slash) *slash = '\0';
    return path;
}

/* Reads a line of the configuration as the option of that name does. */
static Status read_setting(Options *options, const DragomanHub *hub, const char *name, Err *err)
{
    const char *place, *value = dragoman_hub_setting(hub, name, &place);
    Err fault;

    for (size_t i = 0; value && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (strcmp(row->name, name) != 0 || !option_help(row, COMMAND_TRANSLATE)) continue;
        if (option_set(options, row, value, &fault) != OK) return err_set(err, ERR_USAGE, "%s: %s", place, fault.text);
    }
    return OK;
}

static Status apply_configuration(Options *options, const DragomanHub *hub, Err *err)
{
    Options own = { .threads = NOT_GIVEN, .precision = NOT_GIVEN };
    Status st = read_setting(&own, hub, "threads", err);

    if (st == OK) st = read_setting(&own, hub, "precision", err);
    if (options->threads == NOT_GIVEN) options->threads = own.threads;
    if (options->precision == NOT_GIVEN && options->command != COMMAND_PACK) {
        options->precision = own.precision;
        options->prefer_precision = own.precision != NOT_GIVEN;
    }
    return st;
}

Status command_open_hub(DragomanHub **out, Options *options, const char *program, bool configured, Err *err)
{
    char *folder = find_folder(program);
    const DragomanHubSettings settings = { .folder = folder,
                                           .no_configuration = !configured,
                                           .speller = library_spell };
    DragomanError error;
    Status st = library_status(dragoman_hub_open(out, &settings, &error), &error, err);

    free(folder);
    return st == OK ? apply_configuration(options, *out, err) : st;
}

/* The models are chosen when the languages of the input are known. */
static Status check_target(const Options *o, Err *err)
{
    const struct {
        const char *name;
        size_t given;
    } lists[] = { { "vocab", o->all_vocabs.count },
                  { "weights", o->all_weights.count },
                  { "shortlist", o->shortlists.count },
                  { "calibration", o->calibrations.count },
                  { "via", o->vias.count } };

    if (!o->to) return err_set(err, ERR_USAGE, "--from auto needs --to LANG, or a model with -m");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].given) return err_set(err, ERR_USAGE, "--%s and --from auto need a model with -m", lists[i].name);
    return OK;
}

Status command_choose_models(DragomanChoice **out, const Options *options, DragomanHub *hub, Err *err)
{
    const OptionList *models = &options->models;
    DragomanError error;
    Status st;

    *out = NULL;
    if (!models->count && !dragoman_hub_preferred(hub) && options_detect(options)) return check_target(options, err);
    st = library_status(dragoman_hub_choose(hub, (const char *const *)models->items, models->count, options->from,
                                            options->to, out, &error),
                        &error, err);
    if (st != OK || !(*out)->via || options->command == COMMAND_TRANSLATE || options->command == COMMAND_INFO)
        return st;
    dragoman_choice_free(*out);
    *out = NULL;
    return err_set(err, ERR_USAGE, "%s: takes one model, and only two models together translate from %s into %s",
                   command_table[options->command].name, options->from, options->to);
}
