/* option_table.c - see option_table.h. */
#include "option_table.h"

#include "explain.h"
#include "format.h"

/* In the order of OtherFiles. */
static const char *const other_files[] = { "skip", "copy", NULL };

/* In the order of ModelListFormat. */
static const char *const model_list_formats[] = { "text", "jsonl", NULL };

const char *const page_format_names[] = { "html", "json", NULL };
const char *const page_language_names[] = { "en", "zh", NULL };

#define MOST_MODELS 8

/* Sets of commands. */
#define TRANSLATE     COMMAND_BIT(COMMAND_TRANSLATE)
#define INFO          COMMAND_BIT(COMMAND_INFO)
#define MODELS        COMMAND_BIT(COMMAND_MODELS)
#define PACK          COMMAND_BIT(COMMAND_PACK)
#define SHORTLIST     COMMAND_BIT(COMMAND_SHORTLIST)
#define SCORE         COMMAND_BIT(COMMAND_SCORE)
#define ALIGN         COMMAND_BIT(COMMAND_ALIGN)
#define CALIBRATE     COMMAND_BIT(COMMAND_CALIBRATE)
#define EXPLAIN       COMMAND_BIT(COMMAND_EXPLAIN)
#define GET           COMMAND_BIT(COMMAND_GET)
#define COMPLETE      COMMAND_BIT(COMMAND_COMPLETE)
#define SETTINGS      (TRANSLATE | INFO)      /* settings of a translation; info describes them */
#define SENTENCES     (SETTINGS | EXPLAIN)    /* those that a single sentence has */
#define LEARN         (SHORTLIST | CALIBRATE) /* from a text and its translation */
#define TEXTS         (SETTINGS | LEARN)      /* also how texts become tokens */
#define PAIRS         (SCORE | ALIGN)         /* commands that read pairs of texts */
#define EVERY_COMMAND (COMMAND_BIT(COMMANDS) - 1)
#define NO_COMMAND    0u

/* The kinds of settings.def, as the columns kind, field, low, high and choices. */
#define TEXT(f)               OPTION_TEXT, offsetof(Options, f), 0, 0, NULL
#define LIST(f)               OPTION_LIST, offsetof(Options, f), 0, OPTION_LIST_LIMIT, NULL
#define EACH(f, list)         OPTION_LIST, offsetof(Options, list), 0, MOST_MODELS, NULL
#define FLAG(f)               OPTION_FLAG, offsetof(Options, f), 0, 0, NULL
#define SWITCH(f)             OPTION_SWITCH, offsetof(Options, f), OPTION_ON, 0, NULL
#define WORDS(f, words)       OPTION_CHOICE, offsetof(Options, f), 0, 0, words
#define CHOICE(f, ...)        WORDS(f, ((const char *const[]){ __VA_ARGS__, NULL }))
#define SIZE(f, from, to)     OPTION_INTEGER, offsetof(Options, f), from, to, NULL
#define NUMBER(f, from, to)   SIZE(f, from, to)
#define REAL(f, from, to)     OPTION_REAL, offsetof(Options, f), from, to, NULL
#define ALIGNMENT(f, words)   OPTION_ALIGNMENT, offsetof(Options, f), 0, 0, words
#define HELP(sets, sentences) { sets, sentences },
#define HELPS(...)            ((const OptionHelp[]){ __VA_ARGS__ HELP(0, NULL) })
#define OPTION(kind, name, sign, value, section, help)                                                                 \
    { name, sign, value, GROUP_##section, DRAGOMAN_NO_SETTING, kind, HELPS(help) },
#define NEGATION(f, name, section, help)                                                                               \
    { name,       0, NULL, GROUP_##section, DRAGOMAN_NO_SETTING, OPTION_SWITCH, offsetof(Options, f),                  \
      OPTION_OFF, 0, NULL, HELPS(help) },
#define SETTING_ROW(constant, kind, models, identity, name, sign, value, section, help)                                \
    { name, sign, value, GROUP_##section, DRAGOMAN_##constant, kind, HELPS(help) },

const OptionRow option_table[] = {
#include "settings.def"
};

_Static_assert(sizeof option_table / sizeof *option_table < OPTION_LIMIT, "raise OPTION_LIMIT");
const size_t option_count = sizeof option_table / sizeof *option_table;

const char *const option_group_names[GROUP_HIDDEN] = {
    [GROUP_MODEL] = "Model",
    [GROUP_SEARCH] = "Search (default: the model's settings)",
    [GROUP_STREAMS] = "Input and output",
    [GROUP_DOCUMENTS] = "Documents",
    [GROUP_BATCH] = "Batches of files",
    [GROUP_OTHER] = "Other",
};

const char *option_help(const OptionRow *row, Command command)
{
    const OptionHelp *help = row->helps;

    while (help->text && !(help->commands & COMMAND_BIT(command))) help++;
    return help->text;
}

bool option_is_shown(const OptionRow *row, Command command)
{
    return row->group != GROUP_HIDDEN && option_help(row, command);
}
