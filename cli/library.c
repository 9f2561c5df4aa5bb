/* library.c - see library.h. The column `setting` of the option table maps an option to a setting of the library. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "options.h"
#include "path.h"

Status library_status(DragomanStatus status, const DragomanError *error, Err *err)
{
    return status == DRAGOMAN_OK ? OK : err_set(err, (Status)status, "%s", error->message);
}

DragomanStatus library_answer(Status status, const Err *err, DragomanError *error)
{
    *error = (DragomanError){ .status = (DragomanStatus)status };
    if (status != OK) snprintf(error->message, sizeof error->message, "%s", err->text);
    return error->status;
}

int library_spell(void *context, DragomanSetting setting, char *out, size_t size)
{
    const DragomanSettingRow *row = dragoman_setting_row(setting);

    (void)context;
    if (setting == DRAGOMAN_MODEL) return snprintf(out, size, "-m");
    if (setting == DRAGOMAN_FROM_LINES) return snprintf(out, size, "--from auto");
    return row && *row->option ? snprintf(out, size, "--%s", row->option) : 0;
}

/* Sets the library's setting for an option. In a list with one text per model, "-" means that this model has none. */
static DragomanStatus set_option(DragomanOptions *out, const OptionRow *row, const void *field, DragomanError *error)
{
    const OptionalFloat *real = field;
    const OptionList *list = field;
    DragomanStatus st = DRAGOMAN_OK;

    switch (row->kind) {
    case OPTION_INTEGER:
    case OPTION_CHOICE:
        if (*(const long *)field == NOT_GIVEN) return DRAGOMAN_OK;
        return dragoman_set_number(out, row->setting, *(const long *)field, error);
    case OPTION_REAL:
        return real->given ? dragoman_set_real(out, row->setting, (double)real->value, error) : DRAGOMAN_OK;
    case OPTION_FLAG:
        return dragoman_set_flag(out, row->setting, *(const bool *)field, error);
    case OPTION_SWITCH:
        if (!*(const unsigned *)field) return DRAGOMAN_OK;
        return dragoman_set_flag(out, row->setting, *(const unsigned *)field == OPTION_ON, error);
    case OPTION_LIST:
        for (size_t i = 0; st == DRAGOMAN_OK && i < list->count; i++) {
            const bool is_none =
                dragoman_setting_row(row->setting)->kind == DRAGOMAN_KIND_EACH && strcmp(list->items[i], "-") == 0;
            st = dragoman_add_text(out, row->setting, is_none ? NULL : list->items[i], error);
        }
        return st;
    default:
        return dragoman_set_text(out, row->setting, *(const char *const *)field, error);
    }
}

Status library_options_new(DragomanOptions **out, const Options *o, const DragomanChoice *models, Err *err)
{
    const bool detects = options_detect(o), pairs = o->command == COMMAND_SCORE || o->command == COMMAND_ALIGN;
    const bool has_scores =
        o->command != COMMAND_TRANSLATE || o->format != FORMAT_TEXT || o->word_scores || o->token_scores;
    const struct {
        DragomanSetting setting;
        bool value;
    } flags[] = { { DRAGOMAN_PIECES_OUT, o->pieces_in },
                  { DRAGOMAN_PAIRS, pairs },
                  { DRAGOMAN_FROM_LINES, detects },
                  { DRAGOMAN_SKIP_SCORES, !has_scores },
                  { DRAGOMAN_ATTENTION, o->alignment.kind != ALIGNMENT_NONE } };
    DragomanOptions *made = dragoman_options_new();
    DragomanStatus st = DRAGOMAN_OK;
    DragomanError error;

    *out = NULL;
    if (!made) return err_memory(err, "the options");
    dragoman_options_spell(made, library_spell, NULL);
    dragoman_options_take_paths(made);
    for (const OptionRow *row = option_table; st == DRAGOMAN_OK && row->name; row++)
        if (row->setting) st = set_option(made, row, (const char *)o + row->field, &error);

    /* Settings that have no option in the table: they follow from other options and from the models that were found. */
    for (size_t i = 0; st == DRAGOMAN_OK && i < sizeof flags / sizeof *flags; i++)
        st = dragoman_set_flag(made, flags[i].setting, flags[i].value, &error);
    if (st == DRAGOMAN_OK && o->word_scores) st = dragoman_set_flag(made, DRAGOMAN_TOKEN_SCORES, true, &error);
    if (st == DRAGOMAN_OK && models) st = dragoman_set_text(made, DRAGOMAN_MODEL, NULL, &error);
    for (size_t i = 0; st == DRAGOMAN_OK && models && i < models->count; i++)
        st = dragoman_add_text(made, DRAGOMAN_MODEL, models->paths[i], &error);
    if (st == DRAGOMAN_OK && models && models->via) st = dragoman_set_text(made, DRAGOMAN_VIA, models->via, &error);
    if (st == DRAGOMAN_OK && detects) st = dragoman_set_text(made, DRAGOMAN_FROM, NULL, &error);
    if (st == DRAGOMAN_OK)
        *out = made;
    else
        dragoman_options_free(made);
    return library_status(st, &error, err);
}

/* --- The hub */

/* Finds the program in the folders of $PATH and resolves links. Returns NULL if it is not there. */
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

/* Sets the option of this name to its value in the configuration, if that has one. */
static Status read_setting(Options *options, const DragomanHub *hub, const char *name, Err *err)
{
    const char *place, *value = dragoman_hub_setting(hub, name, &place);
    Err fault;

    for (const OptionRow *row = option_table; value && row->name; row++) {
        if (strcmp(row->name, name) != 0 || !option_help(row, COMMAND_TRANSLATE)) continue;
        if (options_set(options, row, value, &fault) != OK) return err_set(err, ERR_USAGE, "%s: %s", place, fault.text);
    }
    return OK;
}

Status library_open_hub(DragomanHub **out, Options *options, const char *program, bool configured, Err *err)
{
    const long threads = options->threads, precision = options->precision; /* of the command line */
    char *folder = realpath("/proc/self/exe", NULL), *slash;
    DragomanHubSettings settings = { .no_configuration = !configured, .speller = library_spell };
    DragomanError error;
    Status st;

    if (!folder && program) folder = strchr(program, '/') ? realpath(program, NULL) : search_path(program);
    slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0';
    settings.folder = folder;
    st = library_status(dragoman_hub_open(out, &settings, &error), &error, err);
    free(folder);
    if (st == OK) st = read_setting(options, *out, "threads", err);
    if (st == OK) st = read_setting(options, *out, "precision", err);
    if (threads != NOT_GIVEN) options->threads = threads;
    if (precision != NOT_GIVEN || options->command == COMMAND_PACK)
        options->precision = precision;
    else
        options->prefer_precision = options->precision != NOT_GIVEN;
    return st;
}
