/* option_table.c - see option_table.h. */
#include "option_table.h"

#include <string.h>

/* --- Commands */

extern const char command_translate_txt[], command_info_txt[], command_models_txt[], command_pack_txt[],
    command_shortlist_txt[], command_score_txt[], command_align_txt[], command_calibrate_txt[], command_explain_txt[],
    command_get_txt[], command_help_txt[], command_completion_txt[], command_complete_txt[];

const CommandRow command_table[COMMANDS] = {
    [COMMAND_TRANSLATE] = { "", NULL, command_translate_txt, OPERANDS_FILES, true },
    [COMMAND_INFO] = { "info", "Describe a model", command_info_txt, OPERANDS_NONE, true },
    [COMMAND_MODELS] = { "models", "List the models on this machine that can be used by name", command_models_txt,
                         OPERANDS_NONE, false },
    [COMMAND_PACK] = { "pack", "Convert a model's folder to one file that opens at once", command_pack_txt,
                       OPERANDS_NONE, true },
    [COMMAND_SHORTLIST] = { "shortlist", "Learn a shortlist from a text and its translation", command_shortlist_txt,
                            OPERANDS_FILES, true },
    [COMMAND_SCORE] = { "score", "Score given translations", command_score_txt, OPERANDS_FILES, true },
    [COMMAND_ALIGN] = { "align", "Align given translations", command_align_txt, OPERANDS_FILES, true },
    [COMMAND_CALIBRATE] = { "calibrate", "Calibrate the alignments and the confidence of a model",
                            command_calibrate_txt, OPERANDS_FILES, true },
    [COMMAND_EXPLAIN] = { "explain", "Write a page that shows how a model translates a sentence", command_explain_txt,
                          OPERANDS_NONE, true },
    [COMMAND_GET] = { "get", "Download a model", command_get_txt, OPERANDS_NONE, false },
    [COMMAND_HELP] = { "help", "Explain a command or a topic", command_help_txt, OPERANDS_SUBJECTS, false },
    [COMMAND_COMPLETION] = { "completion", "Print a completion script for bash, zsh or fish", command_completion_txt,
                             OPERANDS_SHELLS, false },
    [COMMAND_COMPLETE] = { "complete", NULL, command_complete_txt, OPERANDS_NONE, false },
};

const char *command_text(Command command, CommandPart part)
{
    const char *text = command_table[command].text;

    for (; text && part; part--) {
        text = strstr(text, "\n\n");
        if (text) text += 2;
    }
    return text ? text : "";
}

const char *const shell_names[] = { "bash", "zsh", "fish", NULL };

bool command_is_shown(Command command)
{
    return command_table[command].purpose;
}

void command_put_names(Buf *out, const char *separator)
{
    const char *before = "";

    for (Command c = 0; c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        buf_put_format(out, "%s%s", before, command_table[c].name);
        before = separator;
    }
}

Command command_find(const char *word)
{
    for (Command c = COMMAND_TRANSLATE + 1; c < COMMANDS; c++)
        if (strcmp(word, command_table[c].name) == 0) return c;
    return COMMAND_TRANSLATE;
}

size_t word_index(const char *const *list, const char *word)
{
    size_t i = 0;

    while (list[i] && strcmp(list[i], word) != 0) i++;
    return i;
}

/* --- Options */

/* In the order of OtherFiles. */
static const char *const other_files[] = { "skip", "copy", NULL };

/* In the order of ModelListFormat. */
static const char *const model_list_formats[] = { "text", "jsonl", NULL };

/* In the order of PageFormat. */
static const char *const page_format_names[] = { "html", "json", NULL };

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
