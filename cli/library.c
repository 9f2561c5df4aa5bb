/* library.c - see library.h. The column `setting` of the option table maps an option to a setting of the library. */
#include "library.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "option_table.h"

Status library_status(DragomanStatus status, const DragomanError *error, Err *err)
{
    return status == DRAGOMAN_OK ? OK : err_set(err, (Status)status, "%s", error->message);
}

Status library_language_tag(char tag[DRAGOMAN_LANGUAGE_TAG], const char *name, Err *err)
{
    DragomanError error;

    return library_status(dragoman_find_language_tag(name, tag, &error), &error, err);
}

Status library_language_code(char code[DRAGOMAN_LANGUAGE_CODE], const char *wanted, Err *err)
{
    DragomanError error;

    return library_status(dragoman_find_language_code(wanted, code, &error), &error, err);
}

Status library_has_pair(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err)
{
    DragomanError error;

    return library_status(dragoman_outline_has_pair(outline, from, to, out, &error), &error, err);
}

/* The DragomanSpeller of the program. One option covers both settings of pieces. */
static int spell(void *context, DragomanSetting setting, char *out, size_t size)
{
    (void)context;
    if (setting == DRAGOMAN_PIECES_OUT) setting = DRAGOMAN_PIECES_IN;
    if (setting == DRAGOMAN_SAMPLING) return snprintf(out, size, "--sample");
    if (setting == DRAGOMAN_FROM_LINES) return snprintf(out, size, "--from auto");
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].setting == setting) return snprintf(out, size, "--%s", option_table[i].name);
    return 0;
}

/* The position of a model in the pipeline. The first model reads the text of the user; the last one writes what the
 * user sees. */
typedef struct {
    size_t index;
    bool first, last;
    const char *path;
    const char *via; /* the pivot language before the model, unless the options have it; else NULL */
} ModelPosition;

/* Returns the item of a list for the model at `index`, or NULL. */
static const char *item_of(const OptionList *list, size_t index)
{
    return index < list->count && strcmp(list->items[index], "-") != 0 ? list->items[index] : NULL;
}

static const char *text_for(const OptionRow *row, const void *field, ModelPosition position)
{
    const OptionList *list = field;

    if (row->setting == DRAGOMAN_MODEL) return position.path;
    if (row->setting == DRAGOMAN_VIA && position.via) return position.first ? NULL : position.via;
    if (row->setting == DRAGOMAN_VIA) return position.first ? NULL : item_of(list, position.index - 1);
    return row->kind == OPTION_LIST ? item_of(list, position.index) : *(const char *const *)field;
}

static DragomanStatus set_option(DragomanOptions *out, const OptionRow *row, const void *field, ModelPosition position,
                                 DragomanError *error)
{
    const OptionalFloat *real = field;

    switch (row->kind) {
    case OPTION_INTEGER:
    case OPTION_CHOICE:
        if (*(const long *)field == NOT_GIVEN) return DRAGOMAN_OK;
        return dragoman_set_number(out, row->setting, *(const long *)field, error);
    case OPTION_REAL:
        return real->given ? dragoman_set_real(out, row->setting, (double)real->value, error) : DRAGOMAN_OK;
    case OPTION_FLAG:
        return dragoman_set_flag(out, row->setting, *(const bool *)field, error);
    default:
        return dragoman_set_text(out, row->setting, text_for(row, field, position), error);
    }
}

/* Whether the value of the option is that of the setting and applies to the model at this position. */
static bool applies(const Options *o, DragomanSetting setting, ModelPosition position)
{
    switch (setting) {
    case DRAGOMAN_NO_SETTING:
    case DRAGOMAN_SPLIT:
    case DRAGOMAN_CAPITALS:
    case DRAGOMAN_KEEP_UNKNOWN:
    case DRAGOMAN_KEEP_NUMBERS:
    case DRAGOMAN_PIECES_IN:
    case DRAGOMAN_ATTENTION:
    case DRAGOMAN_SUPPRESS:
    case DRAGOMAN_END_TOKEN:
        return false;
    case DRAGOMAN_FROM:
        return position.first && !options_detect(o);
    case DRAGOMAN_TO:
    case DRAGOMAN_PREFIX:
    case DRAGOMAN_PREFIX_BIAS:
    case DRAGOMAN_ALTERNATIVES:
    case DRAGOMAN_ALTERNATIVE_PROBABILITY:
    case DRAGOMAN_DISABLE_UNK:
    case DRAGOMAN_REPLACE_UNKNOWNS:
    case DRAGOMAN_N_BEST:
    case DRAGOMAN_TOKEN_SCORES:
    case DRAGOMAN_TEMPERATURE:
    case DRAGOMAN_TOP_K:
    case DRAGOMAN_TOP_P:
    case DRAGOMAN_MIN_P:
    case DRAGOMAN_SEED:
        return position.last;
    default:
        return true;
    }
}

static bool skips_scores(const Options *o, ModelPosition position)
{
    return !position.last || (o->command == COMMAND_TRANSLATE && o->format == FORMAT_TEXT && !o->word_scores);
}

static DragomanStatus set_switch(DragomanOptions *out, DragomanSetting setting, bool on, bool off, DragomanError *error)
{
    return on || off ? dragoman_set_flag(out, setting, on, error) : DRAGOMAN_OK;
}

static DragomanStatus set_all(DragomanOptions *out, const Options *o, ModelPosition position, DragomanError *error)
{
    DragomanStatus st = set_switch(out, DRAGOMAN_SPLIT, o->split, o->no_split, error);

    dragoman_options_spell(out, spell, NULL);
    if (st == DRAGOMAN_OK) st = set_switch(out, DRAGOMAN_CAPITALS, o->capitals, o->no_capitals, error);
    if (st == DRAGOMAN_OK) st = set_switch(out, DRAGOMAN_KEEP_UNKNOWN, o->keep_unknown, o->no_keep_unknown, error);
    if (st == DRAGOMAN_OK) st = set_switch(out, DRAGOMAN_KEEP_NUMBERS, o->keep_numbers, o->no_keep_numbers, error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_PIECES_IN, position.first && o->pieces, error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_PIECES_OUT, position.last && o->pieces, error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_SKIP_SCORES, skips_scores(o, position), error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_ATTENTION, o->alignment.kind != ALIGNMENT_NONE, error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_FROM_LINES, position.first && options_detect(o), error);
    if (st == DRAGOMAN_OK)
        st = set_switch(out, DRAGOMAN_SAMPLING, o->sample && position.last, o->no_sample || !position.last, error);
    if (st == DRAGOMAN_OK) st = dragoman_set_flag(out, DRAGOMAN_PREFER_PRECISION, o->precision_is_preferred, error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < option_count; i++)
        if (applies(o, option_table[i].setting, position))
            st = set_option(out, &option_table[i], (const char *)o + option_table[i].field, position, error);
    if (st == DRAGOMAN_OK && o->word_scores && position.last)
        st = dragoman_set_flag(out, DRAGOMAN_TOKEN_SCORES, true, error);
    return st;
}

static Status set_list(DragomanOptions *out, DragomanSetting setting, const OptionList *list, Err *err)
{
    DragomanError error;
    DragomanStatus st = DRAGOMAN_OK;

    for (size_t i = 0; st == DRAGOMAN_OK && i < list->count; i++)
        st = dragoman_add_text(out, setting, list->items[i], &error);
    return library_status(st, &error, err);
}

/* These belong to the last model alone. */
static Status set_lists(DragomanOptions *out, const Options *o, Err *err)
{
    Status st = set_list(out, DRAGOMAN_SUPPRESS, &o->suppressed, err);

    return st == OK ? set_list(out, DRAGOMAN_END_TOKEN, &o->end_tokens, err) : st;
}

Status library_models_new(LibraryModels *out, const Options *options, LibraryPaths paths, Err *err)
{
    DragomanError error;
    Status st = OK;

    *out = (LibraryModels){ .count = 0 };
    for (size_t i = 0; st == OK && i < paths.count; i++) {
        const ModelPosition position = { i, i == 0, i + 1 == paths.count, paths.items[i], paths.via };
        out->items[i] = dragoman_options_new();
        if (!out->items[i]) return err_memory(err, "the options");
        out->count++;
        st = library_status(set_all(out->items[i], options, position, &error), &error, err);
        if (st == OK && position.last) st = set_lists(out->items[i], options, err);
    }
    return st;
}

Status library_models_set_documents(const LibraryModels *models, Err *err)
{
    DragomanError error;
    DragomanStatus st = DRAGOMAN_OK;

    for (size_t i = 0; st == DRAGOMAN_OK && i < models->count; i++)
        st = dragoman_set_flag(models->items[i], DRAGOMAN_ATTENTION, true, &error);
    return library_status(st, &error, err);
}

void library_models_free(LibraryModels *models)
{
    for (size_t i = 0; i < models->count; i++) dragoman_options_free(models->items[i]);
}
