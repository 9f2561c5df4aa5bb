/* options.c - see options.h: the tables, and a parser that finds the command, reads its options with getopt_long(), and
 * checks them. */
#define _GNU_SOURCE /* getopt_long() */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "help.h"
#include "library.h"
#include "nearest.h"
#include "path.h"
#include "text.h"
#include "utf8.h"

/* --- Commands */

extern const char command_translate_txt[], command_info_txt[], command_models_txt[], command_pack_txt[],
    command_shortlist_txt[], command_score_txt[], command_align_txt[], command_calibrate_txt[], command_explain_txt[],
    command_get_txt[], command_help_txt[], command_completion_txt[], command_complete_txt[], command_server_txt[];

const CommandRow command_table[COMMANDS] = {
    [COMMAND_TRANSLATE] = { "", NULL, command_translate_txt, OPERANDS_FILES, true },
    [COMMAND_INFO] = { "info", "Describe a model", command_info_txt, OPERANDS_MODEL, true },
    [COMMAND_MODELS] = { "models", "List the models on this machine that can be used by name", command_models_txt,
                         OPERANDS_NONE, false },
    [COMMAND_PACK] = { "pack", "Convert a model's folder to one file that opens at once", command_pack_txt,
                       OPERANDS_MODEL, true },
    [COMMAND_SHORTLIST] = { "shortlist", "Learn a shortlist from a text and its translation", command_shortlist_txt,
                            OPERANDS_FILES, true },
    [COMMAND_SCORE] = { "score", "Score given translations", command_score_txt, OPERANDS_FILES, true },
    [COMMAND_ALIGN] = { "align", "Align given translations", command_align_txt, OPERANDS_FILES, true },
    [COMMAND_CALIBRATE] = { "calibrate", "Calibrate the alignments and the confidence of a model",
                            command_calibrate_txt, OPERANDS_FILES, true },
    [COMMAND_EXPLAIN] = { "explain", "Write a page that shows how a model translates a sentence", command_explain_txt,
                          OPERANDS_NONE, true },
    [COMMAND_GET] = { "get", "Download or list models", command_get_txt, OPERANDS_NONE, false },
    [COMMAND_HELP] = { "help", "Explain a command or a topic", command_help_txt, OPERANDS_SUBJECTS, false },
    [COMMAND_COMPLETION] = { "completion", "Print a completion script for bash, zsh or fish", command_completion_txt,
                             OPERANDS_SHELLS, false },
    [COMMAND_COMPLETE] = { "complete", NULL, command_complete_txt, OPERANDS_NONE, false },
    [COMMAND_SERVER] = { "server", NULL, command_server_txt, OPERANDS_NONE, true },
};

/* --- Options */

const char *const page_language_names[] = { "en", "zh", NULL };

#define MOST_MODELS 8

#define LONGEST_HINT 120 /* bytes of a text that a message repeats */

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
#define SERVER        COMMAND_BIT(COMMAND_SERVER)
#define SETTINGS      (TRANSLATE | INFO)      /* settings of a translation; the command info describes them */
#define SENTENCES     (SETTINGS | EXPLAIN)    /* settings that also apply to a single sentence */
#define LEARN         (SHORTLIST | CALIBRATE) /* commands that learn from a text and its translation */
#define TEXTS         (SETTINGS | LEARN)      /* settings that determine how texts become tokens */
#define PAIRS         (SCORE | ALIGN)         /* commands that read pairs of texts */
#define EVERY_COMMAND (COMMAND_BIT(COMMANDS) - 1)
#define NO_COMMAND    0u

/* Each macro gives the columns kind, field, low, high and choices for one kind of setting in settings.def. */
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
#define ALIGNMENT(f, ...)     OPTION_ALIGNMENT, offsetof(Options, f), 0, 0, ((const char *const[]){ __VA_ARGS__, NULL })
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
    { .name = NULL },
};

#define OPTION_LIMIT 200 /* more than there are rows */
_Static_assert(sizeof option_table / sizeof *option_table <= OPTION_LIMIT, "raise OPTION_LIMIT");

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

/* For a long option, getopt_long() returns this number plus the index of its row; for a short one, its letter. */
#define OPTION_FIRST_CODE 256

/* --- The value of an option. */

static Status set_integer(const OptionRow *row, long *field, const char *text, Err *err)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (isspace((unsigned char)*text) || end == text || *end || errno || value < (long)row->low ||
        value > (long)row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a whole number from %.0f to %.0f", row->name, text, row->low,
                       row->high);
    *field = value;
    return OK;
}

/* Accepts digits, signs, dots and exponents only, so "inf", "nan" and "0x1p3" are refused. The program never
 * sets the locale of numbers, which is "C". */
static Status set_real(const OptionRow *row, OptionalFloat *field, const char *text, Err *err)
{
    char *end;
    double value = strtod(text, &end);

    if (strspn(text, "0123456789+-.eE") != strlen(text) || end == text || *end || !isfinite(value) ||
        value < row->low || value > row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a number from %g to %g", row->name, text, row->low,
                       row->high);
    *field = (OptionalFloat){ true, (float)value };
    return OK;
}

/* A language is also chosen by its name or by a longer tag, such as zh-CN or zh_CN.UTF-8 for zh. */
static Status set_choice(const OptionRow *row, long *field, const char *text, Err *err)
{
    const bool is_language = strcmp(row->argument, "LANG") == 0;
    char list[128] = "", code[DRAGOMAN_LANGUAGE_CODE];
    const char *value = text;
    Nearest nearest = { .name = NULL };
    DragomanError error;
    Status st = is_language ? library_status(dragoman_find_language_code(text, code, &error), &error, err) : OK;

    if (st != OK) return st;
    if (is_language) value = code;
    for (long i = 0; row->choices[i]; i++) {
        const size_t len = strlen(row->choices[i]);
        if (strncasecmp(row->choices[i], value, len) == 0 &&
            (!value[len] || (is_language && strchr("-_.@", value[len])))) {
            *field = i;
            return OK;
        }
        if (i) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, row->choices[i], sizeof list - strlen(list) - 1);
        nearest_add(&nearest, text, strlen(text), row->choices[i]);
    }
    return err_set(err, ERR_USAGE, "--%s must be one of %s, not '%s'%s%s%s", row->name, list, text,
                   nearest.name ? " (did you mean '" : "", nearest.name ? nearest.name : "", nearest.name ? "'?)" : "");
}

Status options_set(Options *out, const OptionRow *row, const char *text, Err *err)
{
    char *field = (char *)out + row->field;
    OptionList *list = (OptionList *)(void *)field;

    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return OK;
    case OPTION_LIST:
        if (list->count == (size_t)row->high)
            return err_set(err, ERR_USAGE, "--%s can be given at most %.0f times", row->name, row->high);
        list->items[list->count++] = text;
        return OK;
    case OPTION_INTEGER:
        return set_integer(row, (long *)(void *)field, text, err);
    case OPTION_REAL:
        return set_real(row, (OptionalFloat *)(void *)field, text, err);
    case OPTION_CHOICE:
        return set_choice(row, (long *)(void *)field, text, err);
    case OPTION_ALIGNMENT:
        return alignment_style_read((AlignmentStyle *)(void *)field, text, err);
    case OPTION_SWITCH:
        *(unsigned *)(void *)field |= (unsigned)row->low;
        return OK;
    default:
        *(bool *)field = true;
        return OK;
    }
}

/* --- Why an option is not accepted. */

static bool equals(const char *name, const char *word, size_t len)
{
    return strlen(name) == len && memcmp(name, word, len) == 0;
}

/* What users of other programs write, and what they mean here. */
typedef struct {
    const char *word, *meant;
} Habit;

/* Options, also those of one letter, without their hyphens. */
static const Habit option_habits[] = { { "V", "--version" },
                                       { "s", "--from" },
                                       { "i", "dragoman FILE" },
                                       { "input", "dragoman FILE" },
                                       { "file", "dragoman FILE" },
                                       { "l", "dragoman models" },
                                       { "list", "dragoman models" },
                                       { "list-models", "dragoman models" },
                                       { "languages", "dragoman help languages" },
                                       { "list-languages", "dragoman help languages" },
                                       { "download", "dragoman get" },
                                       { "source", "--from" },
                                       { "source-lang", "--from" },
                                       { "source-language", "--from" },
                                       { "src", "--from" },
                                       { "src-lang", "--from" },
                                       { "from-lang", "--from" },
                                       { "target", "--to" },
                                       { "target-lang", "--to" },
                                       { "target-language", "--to" },
                                       { "tgt", "--to" },
                                       { "tgt-lang", "--to" },
                                       { "to-lang", "--to" },
                                       { "beam-size", "--beam" },
                                       { "num-beams", "--beam" },
                                       { "num-return-sequences", "--n-best" },
                                       { "num-hypotheses", "--n-best" },
                                       { "json", "--format jsonl" },
                                       { "score", "--format tsv" },
                                       { "scores", "--format tsv" },
                                       { "form", "--from" },
                                       { "lang", "--from LANG' or '--to LANG" },
                                       { "language", "--from LANG' or '--to LANG" },
                                       { "tm", "--memory" },
                                       { "translation-memory", "--memory" },
                                       { "dictionary", "--glossary" },
                                       { "terms", "--glossary" },
                                       { "detect", "--from auto" },
                                       { "jobs", "--threads" },
                                       { "port", "--listen 127.0.0.1:PORT" },
                                       { "p", "--listen 127.0.0.1:PORT" },
                                       { "cpu-threads", "--threads" },
                                       { "inter-threads", "--threads" },
                                       { "intra-threads", "--threads" },
                                       { "batch-size", "--batch-rows" },
                                       { "mini-batch", "--batch-rows" },
                                       { "recursive", "--output-dir" },
                                       { "silent", "--quiet" } };

/* Words for commands. */
static const Habit command_habits[] = { { "translate", "dragoman FILE' or 'dragoman -e TEXT" },
                                        { "list", "dragoman models" },
                                        { "ls", "dragoman models" },
                                        { "languages", "dragoman help languages" },
                                        { "langs", "dragoman help languages" },
                                        { "download", "dragoman get" },
                                        { "install", "dragoman get" },
                                        { "pull", "dragoman get" },
                                        { "convert", "dragoman pack" },
                                        { "quantize", "dragoman pack" },
                                        { "show", "dragoman info" },
                                        { "detect", "dragoman --from auto" },
                                        { "serve", "dragoman-server" },
                                        { "server", "dragoman-server" },
                                        { "version", "dragoman --version" } };

#define OPTION_HABITS  (sizeof option_habits / sizeof *option_habits)
#define COMMAND_HABITS (sizeof command_habits / sizeof *command_habits)

/* Returns what the user means by a word of another program; NULL: the word is not in the table. '_' equals '-'. */
static const char *find_habit(const Habit *habits, size_t count, const char *word, size_t len)
{
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < len && habits[i].word[same] == (word[same] == '_' ? '-' : word[same])) same++;
        if (same == len && !habits[i].word[len]) return habits[i].meant;
    }
    return NULL;
}

/* Whether a habit means something that the command accepts: an option, such as "--format jsonl", or, if the command is
 * translating, another command. */
static bool accepts(Command command, const char *text)
{
    if (*text != '-') return command == COMMAND_TRANSLATE;
    for (const OptionRow *row = option_table; row->name; row++)
        if (option_is_shown(row, command) && equals(row->name, text + 2, strcspn(text + 2, " "))) return true;
    return false;
}

/* Appends a suggestion for a wrong option: what users of other programs mean by it. If the word is a value of an option
 * of the command, it is "--OPTION word", because users write --jsonl for --format jsonl; otherwise, if no
 * command has the option, it is the most similar option or what the most similar word of other programs means. */
static void put_suggestion(Buf *out, Command command, const char *word, size_t len, bool is_unknown)
{
    const char *meant = find_habit(option_habits, OPTION_HABITS, word, len);
    Nearest nearest = { .name = NULL };

    if (meant && accepts(command, meant)) {
        buf_put_format(out, " (did you mean '%s'?)", meant);
        return;
    }
    meant = NULL;
    for (const OptionRow *row = option_table; row->name; row++) {
        if (!option_is_shown(row, command)) continue;
        nearest_add(&nearest, word, len, row->name);
        for (size_t k = 0; row->choices && row->choices[k]; k++) {
            if (!equals(row->choices[k], word, len)) continue;
            buf_put_format(out, " (did you mean '--%s %s'?)", row->name, row->choices[k]);
            return;
        }
    }
    for (size_t i = 0; i < OPTION_HABITS; i++) {
        if (!accepts(command, option_habits[i].meant)) continue;
        nearest_add(&nearest, word, len, option_habits[i].word);
        if (nearest.name == option_habits[i].word) meant = option_habits[i].meant;
    }
    if (nearest.name && is_unknown)
        buf_put_format(out, " (did you mean '%s%s'?)", meant ? "" : "--", meant ? meant : nearest.name);
}

/* Finds the row of an option of another command; NULL: no command accepts the option. */
static const OptionRow *find_foreign(const char *word, size_t len, char letter)
{
    for (const OptionRow *row = option_table; row->name; row++) {
        if (row->group != GROUP_HIDDEN && (letter ? row->letter == letter : equals(row->name, word, len))) return row;
    }
    return NULL;
}

/* Refuses an option of other commands. For translating, the message names them. name[0, len) is what the user wrote. */
static Status refuse_foreign(Command command, const OptionRow *row, const char *name, int len, const char *suggestion,
                             Err *err)
{
    Buf commands = { 0 };
    Status st;

    if (command != COMMAND_TRANSLATE)
        return err_set(err, ERR_USAGE, "%s: %.*s cannot be used with this command", command_table[command].name, len,
                       name);
    for (Command c = 0; c < COMMANDS; c++)
        if (option_help(row, c))
            buf_put_format(&commands, "%sdragoman%s%s", commands.len ? " and " : "", c == COMMAND_SERVER ? "-" : " ",
                           command_table[c].name);
    st = buf_check(&commands, err);
    if (option_help(row, COMMAND_SERVER)) suggestion = ""; /* options of the server mean the same elsewhere */
    if (st == OK) st = err_set(err, ERR_USAGE, "%.*s can only be used with %s%s", len, name, commands.data, suggestion);
    buf_free(&commands);
    return st;
}

/* Refuses `word`, a wrong option that begins with "--". */
static Status refuse_word(Command command, const char *word, Err *err)
{
    const int len = (int)strcspn(word, "=");
    const char *name = word + 2;
    const size_t name_len = (size_t)len - 2;
    const OptionRow *foreign = find_foreign(name, name_len, '\0');
    Buf list = { 0 }, suggestion = { 0 };
    size_t count = 0; /* the number of options that begin with the word */
    Status st;

    for (const OptionRow *row = option_table; row->name; row++) {
        if (!option_is_shown(row, command) || strncmp(row->name, name, name_len) != 0) continue;
        buf_put_format(&list, "%s--%s", count++ ? ", " : "", row->name);
    }
    st = buf_check(&list, err);
    buf_put_text(&suggestion, ""); /* so that data is not NULL */
    put_suggestion(&suggestion, command, name, name_len, !foreign);
    if (st == OK) st = buf_check(&suggestion, err);
    if (st == OK && foreign)
        st = refuse_foreign(command, foreign, word, len, suggestion.data, err);
    else if (st == OK && count > 1)
        st = err_set(err, ERR_USAGE, "ambiguous option '%.*s' (%s)", len, word, list.data);
    else if (st == OK)
        st = err_set(err, ERR_USAGE, "unknown option '%.*s'%s", len, word, suggestion.data);
    buf_free(&list);
    buf_free(&suggestion);
    return st;
}

/* Returns ERR_USAGE for an option that getopt_long() did not accept. `code` is its result, `option` is optopt,
 * and `word` is the argument at which it stopped. */
static Status refuse(Command command, int code, int option, const char *word, Err *err)
{
    const char *name = option >= OPTION_FIRST_CODE ? option_table[option - OPTION_FIRST_CODE].name : NULL;
    const char letter[] = { '-', (char)option };
    const OptionRow *foreign;
    Buf suggestion = { 0 };
    Status st;

    if (code == ':' && name) return err_set(err, ERR_USAGE, "option '--%s' needs a value", name);
    if (code == ':') return err_set(err, ERR_USAGE, "option '-%c' needs a value", option);
    if (name) return err_set(err, ERR_USAGE, "option '--%s' takes no value", name);
    if (!option) return refuse_word(command, word, err);
    foreign = find_foreign("", 0, (char)option);
    if (foreign) return refuse_foreign(command, foreign, letter, sizeof letter, "", err);
    if ((char)option <= ' ' || (char)option >= 0x7f)
        return err_set(err, ERR_USAGE, "unknown option '-\\x%02x'", (unsigned char)option);
    buf_put_text(&suggestion, "");
    put_suggestion(&suggestion, command, letter + 1, 1, true);
    st = buf_check(&suggestion, err);
    if (st == OK) st = err_set(err, ERR_USAGE, "unknown option '-%c'%s", option, suggestion.data);
    buf_free(&suggestion);
    return st;
}

/* --- Checks that need no model. */

static Status check_value(const char *name, const char *text, Err *err)
{
    if (!text || *text) return OK;
    return err_set(err, ERR_USAGE, "option '--%s' needs a value that is not empty", name);
}

/* Refuses empty values. They mostly come from shell variables that are not set: with -m "", for example, another model
 * would be used. Only a text, the prefix and the forced translation may be empty. */
static Status check_not_empty(const Options *o, Err *err)
{
    Status st = OK;

    for (const OptionRow *row = option_table; st == OK && row->name; row++) {
        const void *field = (const char *)o + row->field;
        const OptionList *list = field;
        if (strcmp(row->name, "prefix") == 0 || strcmp(row->name, "forced") == 0 || strcmp(row->name, "text") == 0)
            continue;
        if (row->kind == OPTION_TEXT) st = check_value(row->name, *(const char *const *)field, err);
        for (size_t k = 0; st == OK && row->kind == OPTION_LIST && k < list->count; k++)
            st = check_value(row->name, list->items[k], err);
    }
    return st;
}

/* Checks the number of values of options that are given once per model or between models. */
static Status check_models(const Options *o, Err *err)
{
    const size_t models = o->models.count ? o->models.count : 1;

    if (o->vias.count && !o->models.count)
        return err_set(err, ERR_USAGE, "--via needs several models: give them with -m");
    for (const OptionRow *row = option_table; row->name; row++) {
        const DragomanSettingRow *setting = dragoman_setting_row(row->setting);
        const OptionList *list = (const OptionList *)(const void *)((const char *)o + row->field);
        const bool is_between = setting && setting->models == DRAGOMAN_FOR_BETWEEN;
        if (!setting || setting->kind != DRAGOMAN_KIND_EACH || row->setting == DRAGOMAN_MODEL) continue;
        if (list->count && list->count != models - is_between)
            return err_set(err, ERR_USAGE, "--%s: %zu given for %zu model%s: give it %s", row->name, list->count,
                           models, plural(models),
                           is_between ? "once between each two models" : "once per model; use - for none");
    }
    if (models > 1 && o->command != COMMAND_TRANSLATE && o->command != COMMAND_INFO && o->command != COMMAND_SERVER)
        return err_set(err, ERR_USAGE, "%s: takes one model, not %zu", command_table[o->command].name, models);
    return OK;
}

/* Whether the operand is probably a text or, if `is_one_of_many`, a word of a text: it has a space, or it looks like no
 * path. */
static bool is_prose(const char *operand, bool is_one_of_many)
{
    const char *dot = strchr(operand, '.');

    if (strcmp(operand, "-") == 0 || path_exists(operand)) return false;
    return strchr(operand, ' ') || (is_one_of_many && !strchr(operand, '/') && (!dot || !dot[1]));
}

/* Appends a command line that translates the words of the last -e and of the operands as one text; without words that
 * double quotes can hold, "TEXT" stands for the text. */
static void put_quoted(Buf *out, const Options *o)
{
    const char *first = o->texts.count ? o->texts.items[o->texts.count - 1] : NULL;
    Buf text = { 0 };

    if (first) buf_put_text(&text, first);
    for (size_t i = 0; i < o->file_count; i++) buf_put_format(&text, "%s%s", text.len ? " " : "", o->files[i]);
    if (text.failed) out->failed = true;
    buf_put_format(out, "dragoman -e \"%s\"",
                   text.len && text.len <= LONGEST_HINT && !strpbrk(text.data, "\"\\$`!\n") ? text.data : "TEXT");
    buf_free(&text);
}

/* Refuses an operand that is probably a command, but is mistyped or not the first argument, and operands that are
 * probably texts. An operand with the name of an existing file is a file; a command has no slash. */
static Status check_operands(const Options *o, Err *err)
{
    const bool is_batch = o->output_dir || o->suffix;
    const size_t parts = o->file_count + (o->texts.count > 0);
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE];
    size_t words = 0; /* operands that may be words of a text without quotes */
    Buf hint = { 0 };
    bool is_text;
    Status st = OK;

    for (size_t i = 0; i < o->file_count; i++) words += is_prose(o->files[i], true);
    is_text = !is_batch && words == o->file_count;
    put_quoted(&hint, o);
    st = buf_check(&hint, err);
    for (size_t i = 0; st == OK && i < o->file_count; i++) {
        const char *file = o->files[i];
        const char *meant = i ? NULL : find_habit(command_habits, COMMAND_HABITS, file, strlen(file));
        const bool exists = path_exists(file) || strcmp(file, "-") == 0;
        Nearest nearest = { .name = NULL };
        if (exists) continue;
        if (o->file_count == 1 && !is_batch && !o->texts.count && !o->models.count &&
            dragoman_split_pair(file, from, to)) {
            st = err_set(err, ERR_USAGE, "%s: No such file or directory (did you mean 'dragoman --from %s --to %s'?)",
                         file, from, to);
            break;
        }
        for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN && !strchr(file, '/') && !o->texts.count; c++)
            nearest_add(&nearest, file, strlen(file), command_table[c].name);
        if (i && nearest.distance) nearest.name = NULL;
        if (meant && !o->texts.count)
            st = err_set(err, ERR_USAGE, "%s: No such file or directory (did you mean '%s'?)", file, meant);
        else if (nearest.name && !nearest.distance)
            st = err_set(err, ERR_USAGE, "the command '%s' must come first: dragoman %s [OPTION]...", file, file);
        else if (nearest.name)
            st = err_set(err, ERR_USAGE, "%s: No such file or directory (did you mean the command 'dragoman %s'?%s%s)",
                         file, nearest.name, is_text ? " To translate a text, use quotes: " : "",
                         is_text ? hint.data : "");
        else if (!is_batch && ((is_text && parts > 1) || (words && o->texts.count) || is_prose(file, false)))
            st = err_set(err, ERR_USAGE, "%s: No such file or directory (to translate a text, use quotes: %s)", file,
                         hint.data);
    }
    buf_free(&hint);
    return st;
}

static bool is_given(const Options *o, const char *name)
{
    for (const OptionRow *row = option_table; row->name; row++) {
        const void *field = (const char *)o + row->field;
        if (strcmp(row->name, name) != 0 || !option_help(row, o->command)) continue;
        if (row->kind == OPTION_LIST) return ((const OptionList *)field)->count > 0;
        if (row->kind == OPTION_FLAG) return *(const bool *)field;
        if (row->kind == OPTION_CHOICE) return *(const long *)field > 0;
        if (row->kind == OPTION_TEXT) return *(const char *const *)field != NULL;
        if (row->kind == OPTION_ALIGNMENT) return ((const AlignmentStyle *)field)->kind != ALIGNMENT_NONE;
    }
    return false;
}

/* Checks the options of batches. A batch writes a file for each file of the input, so neither the input nor the output
 * can be a stream. Without a batch, refuses options that have an effect only in a batch. */
static Status check_batch(const Options *o, Err *err)
{
    static const char *const names[] = { "include", "exclude", "others", "resume", "dry-run" };
    const char *option = o->output_dir ? "-O" : "--suffix";
    const bool is_batch = o->output_dir || o->suffix;

    for (size_t i = 0; !is_batch && i < sizeof names / sizeof *names; i++)
        if (is_given(o, names[i])) return err_set(err, ERR_USAGE, "--%s needs -O DIR or --suffix TEXT", names[i]);
    for (size_t i = 0; !is_batch && i < o->file_count; i++)
        if (path_is_directory(o->files[i]))
            return err_set(err, ERR_USAGE, "%s is a folder; use -O DIR or --suffix TEXT to translate its files",
                           o->files[i]);
    if (!is_batch) return OK;
    if (o->texts.count) return err_set(err, ERR_USAGE, "%s and -e cannot be used together", option);
    if (o->output_dir && o->suffix) return err_set(err, ERR_USAGE, "-O and --suffix cannot be used together");
    if (o->output) return err_set(err, ERR_USAGE, "%s and -o cannot be used together", option);
    if (!o->file_count) return err_set(err, ERR_USAGE, "%s needs files or folders to translate", option);
    for (size_t i = 0; i < o->file_count; i++)
        if (strcmp(o->files[i], "-") == 0)
            return err_set(err, ERR_USAGE, "%s and - (standard input) cannot be used together", option);
    if (o->suffix && strchr(o->suffix, '/'))
        return err_set(err, ERR_USAGE, "--suffix: '%s' contains a slash; use -O to write to another folder", o->suffix);
    return OK;
}

static bool is_encoded_lines(DragomanFormat format)
{
    return format.is_document && strcmp(format.name, DRAGOMAN_LINES) == 0;
}

Status options_check_format(const Options *o, const char *path, DragomanFormat format, Err *err)
{
    const char *option = o->format ? "--format" : o->word_scores ? "--word-scores" : NULL;

    if (!format.is_document || !option) return OK;
    if (is_encoded_lines(format))
        return err_set(err, ERR_USAGE,
                       "%s cannot be used with %s, which is not in UTF-8; convert it to UTF-8 first, as with iconv",
                       option, path_of_input(path));
    return err_set(err, ERR_USAGE, "%s cannot be used with documents, and %s is one (%s)%s", option,
                   path_of_input(path), format.name, o->as ? "" : "; to translate its lines, use --as " DRAGOMAN_LINES);
}

/* Without -O and --suffix, refuses a document that is not the only input. */
static Status check_single_document(const Options *o, Err *err)
{
    const size_t inputs = o->texts.count + o->file_count, count = inputs ? inputs : 1;
    DragomanError error;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const bool is_text = i < o->texts.count;
        const char *file = is_text || !inputs ? "-" : o->files[i - o->texts.count];
        const char *name = is_text ? "the text of -e" : file;
        const DragomanFormat format = dragoman_format_of(o->settings, file);
        if (is_text && format.is_document && count > 1)
            return err_set(err, ERR_USAGE, "-e: only one text can be translated as a document (%s)", format.name);
        if (is_encoded_lines(format) && count > 1)
            return err_set(err, ERR_USAGE,
                           "%s is not in UTF-8, so it cannot share its output with other files; use -O DIR or --suffix "
                           "TEXT, or convert it to UTF-8",
                           name);
        if (format.is_document && count > 1)
            return err_set(err, ERR_USAGE,
                           "%s is a document (%s), which cannot share its output with other files; use -o FILE for the "
                           "translation of one document, -O DIR or --suffix TEXT for several%s",
                           name, format.name, o->as ? "" : ", or --as " DRAGOMAN_LINES);
        st = options_check_format(o, name, format, err);
        if (st == OK)
            st = library_status(dragoman_format_check_options(o->settings, name, format, &error), &error, err);
    }
    return st;
}

/* Checks the options for translating. The files of a batch are checked later, when they are found (translate.c). */
static Status check_translate(const Options *o, Err *err)
{
    const bool is_table = o->format == FORMAT_TSV || o->format == FORMAT_JSONL;
    const char *first = o->texts.count || !o->file_count ? "-" : o->files[0]; /* a text is read as standard input is */
    DragomanError error;
    Status st = check_operands(o, err);

    if (st != OK) return st;
    if (o->alignment_unit != DRAGOMAN_TOKENS && o->alignment.kind == ALIGNMENT_NONE)
        return err_set(err, ERR_USAGE, "--alignment-unit needs --alignment");
    if (o->token_scores && !is_table)
        return err_set(err, ERR_USAGE, "--token-scores needs --format tsv or --format jsonl");
    st = check_batch(o, err);
    if (st == OK) st = library_status(dragoman_job_check(o->settings, &error), &error, err);
    if (st != OK || o->output_dir || o->suffix) return st;
    st = check_single_document(o, err);
    if (st != OK || !o->output || o->format != FORMAT_TEXT) return st;
    return library_status(dragoman_format_check_target(o->settings, first, o->output, &error), &error, err);
}

/* Checks the operands of a command, and the options that translating does not have. */
static Status check_command(const Options *o, Err *err)
{
    const char *name = command_table[o->command].name, *first = o->file_count ? o->files[0] : "";
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE];
    DragomanError error;

    switch (o->command) {
    case COMMAND_TRANSLATE:
        return check_translate(o, err);
    case COMMAND_MODELS:
        if (o->file_count) return err_set(err, ERR_USAGE, "%s: unexpected file '%s'; it takes no files", name, first);
        return OK;
    case COMMAND_SERVER:
        if (o->file_count) return err_set(err, ERR_USAGE, "unexpected file '%s'; the server takes no files", first);
        return OK;
    case COMMAND_INFO:
    case COMMAND_PACK:
        if (o->file_count && o->models.count)
            return err_set(err, ERR_USAGE, "%s: unexpected '%s'; the model is already given with -m", name, first);
        if (o->file_count) return err_set(err, ERR_USAGE, "%s: takes one model, not %zu", name, o->file_count);
        if (o->command == COMMAND_INFO) return OK;
        if (o->as_f32 + o->as_bf16 + o->as_int8 + (o->precision != NOT_GIVEN) > 1)
            return err_set(err, ERR_USAGE, "pack: only one of --f32, --bf16, --int8 and --precision can be used");
        if (!o->models.count) return err_set(err, ERR_USAGE, "pack: name the model to pack");
        if (!o->output || strcmp(o->output, "-") == 0)
            return err_set(err, ERR_USAGE, "pack: needs -o FILE, the file to write");
        return OK;
    case COMMAND_SHORTLIST:
    case COMMAND_CALIBRATE:
        if (o->file_count != 2)
            return err_set(err, ERR_USAGE, "%s: needs two files, SOURCE and its translation TARGET", name);
        if (!o->output || strcmp(o->output, "-") == 0)
            return err_set(err, ERR_USAGE, "%s: needs -o FILE, the file to write", name);
        if (strcmp(first, "-") == 0 && strcmp(o->files[1], "-") == 0)
            return err_set(err, ERR_USAGE, "%s: only one of SOURCE and TARGET can be - (standard input)", name);
        return OK;
    case COMMAND_EXPLAIN:
        if (!o->file_count) return err_set(err, ERR_USAGE, "explain: needs a text to translate");
        if (o->file_count > 1)
            return err_set(err, ERR_USAGE, "explain: takes one text, not %zu; put it in quotes", o->file_count);
        return OK;
    case COMMAND_GET:
        if (o->format && !o->list) return err_set(err, ERR_USAGE, "get: --format needs --list");
        if (!o->file_count && (o->list || (o->from && o->to))) return OK;
        if (o->file_count != 1)
            return err_set(
                err, ERR_USAGE,
                "get: needs the name of one model, such as ORG/NAME, or two languages, such as fr-en; 'dragoman "
                "get --list' lists models");
        if (o->from || o->to)
            return err_set(err, ERR_USAGE, "get: '%s' and %s cannot be used together", first,
                           o->from ? "--from" : "--to");
        if (o->list && !dragoman_split_pair(first, from, to))
            return err_set(err, ERR_USAGE,
                           "get: --list takes two languages, such as fr-en, or --from LANG and --to LANG, not '%s'",
                           first);
        return library_status(dragoman_check_download(first, &error), &error, err);
    case COMMAND_HELP:
        return help_append_subject(NULL, o->files, o->file_count, 0, err);
    case COMMAND_COMPLETION:
        if (o->file_count != 1) return err_set(err, ERR_USAGE, "completion: needs one shell: bash, zsh or fish");
        return help_append_completion(NULL, first, err);
    case COMMAND_SCORE:
    case COMMAND_ALIGN:
        for (size_t i = 0; i < o->file_count; i++)
            if (is_prose(o->files[i], o->file_count > 1))
                return err_set(err, ERR_USAGE,
                               "%s: %s: No such file or directory (a file has lines of SOURCE, a tab and TARGET; for "
                               "two texts: printf '%%s\\t%%s\\n' \"SOURCE\" \"TARGET\" | dragoman %s)",
                               name, o->files[i], name);
        return OK;
    default:
        return OK;
    }
}

/* Refuses options that exclude each other: an option and its negation, other options, or settings of the library. */
static Status check_exclusions(const Options *o, Err *err)
{
    static const char *const pairs[][2] = {
        { "bilingual", "format" },    { "bilingual", "alignment" }, { "bilingual", "word-scores" },
        { "memory", "format" },       { "memory", "alignment" },    { "memory", "word-scores" },
        { "memory", "force-decode" }, { "tsv-in", "force-decode" }, { "progress", "no-progress" },
    };
    DragomanError error;

    for (const OptionRow *row = option_table; row->name; row++)
        if (row->kind == OPTION_SWITCH &&
            *(const unsigned *)(const void *)((const char *)o + row->field) == (OPTION_ON | OPTION_OFF))
            return err_set(err, ERR_USAGE, "--%s and --no-%s cannot be used together", row->name, row->name);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is_given(o, pairs[i][0]) && is_given(o, pairs[i][1]))
            return err_set(err, ERR_USAGE, "--%s and --%s cannot be used together", pairs[i][0], pairs[i][1]);
    if (o->greedy && o->beams > 1)
        return err_set(err, ERR_USAGE, "--greedy and --beam %ld cannot be used together", o->beams);
    if (o->no_reuse && o->reuse > 0)
        return err_set(err, ERR_USAGE, "--no-reuse and --reuse %ld cannot be used together", o->reuse);
    return library_status(dragoman_check_options(o->settings, &error), &error, err);
}

/* Refuses a text that is not valid UTF-8 or has line breaks. */
static Status check_text(const char *name, const char *text, Err *err)
{
    if (utf8_clean_length(text, strlen(text)) < strlen(text))
        return err_set(err, ERR_USAGE, "--%s: not valid UTF-8", name);
    return strpbrk(text, "\r\n") ? err_set(err, ERR_USAGE, "--%s: must be a single line", name) : OK;
}

static bool has_column(const Options *o, const char *name)
{
    const char *column = o->force_decode ? "source,prefix" : o->tsv_in;

    while (column) {
        const size_t length = strcspn(column, ",");
        if (length == strlen(name) && strncasecmp(column, name, length) == 0) return true;
        column = column[length] ? column + length + 1 : NULL;
    }
    return false;
}

/* Checks the options and columns that determine the text of a translation, such as --prefix and --must. */
static Status check_choices(const Options *o, Err *err)
{
    const struct {
        const char *name;
        const OptionList *list;
    } texts[] = { { "must", &o->musts }, { "suppress", &o->suppressed }, { "end-token", &o->end_tokens } };
    const bool has_must = has_column(o, "must");
    const char *excludes_must = o->pieces_in                   ? "--pieces"
                                : o->sampling == OPTION_ON     ? "--sample"
                                : o->alternatives != NOT_GIVEN ? "--alternatives"
                                                               : NULL;
    Status st = o->prefix ? check_text("prefix", o->prefix, err) : OK;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; st == OK && k < texts[i].list->count; k++)
            st = check_text(texts[i].name, texts[i].list->items[k], err);
    if (st != OK) return st;
    if (o->confidence && o->format != FORMAT_TSV && o->format != FORMAT_JSONL)
        return err_set(err, ERR_USAGE, "--confidence needs --format tsv or --format jsonl");
    if (o->prefix && has_column(o, "prefix"))
        return err_set(err, ERR_USAGE, "--prefix and a column prefix cannot be used together");
    if (o->alternative_probability.given && o->alternatives == NOT_GIVEN)
        return err_set(err, ERR_USAGE, "--min-alternative-probability needs --alternatives N");
    if (o->prefix_bias.given && !o->prefix && !has_column(o, "prefix"))
        return err_set(err, ERR_USAGE, "--prefix-bias needs --prefix TEXT, or a column prefix (--tsv-in)");
    for (size_t i = 0; i < o->musts.count; i++)
        if (utf8_is_blank(o->musts.items[i], strlen(o->musts.items[i])))
            return err_set(err, ERR_USAGE, "--must: the text is blank");
    if (st == OK && has_must && excludes_must) /* as --must does */
        st = err_set(err, ERR_USAGE, "the column must and %s cannot be used together", excludes_must);
    if (st == OK && o->word_scores && o->format != FORMAT_TEXT && o->format != FORMAT_MARIAN)
        st = err_set(err, ERR_USAGE, "--word-scores cannot be used with --format %s; use --token-scores",
                     format_names[o->format]);
    return st;
}

static Status check_all(Options *o, Err *err)
{
    const bool detects = o->from && strcasecmp(o->from, "auto") == 0;
    const long beams = o->greedy ? 1 : o->beams;
    Status st;

    if (o->command == COMMAND_COMPLETE) return OK; /* a message would disturb the user, who is typing */
    st = check_not_empty(o, err);
    if (st == OK) st = check_models(o, err);
    if (st == OK) st = library_options_new(&o->settings, o, NULL, err);
    if (st == OK) st = check_exclusions(o, err);
    if (st == OK) st = check_command(o, err);
    if (st != OK) return st;
    if (detects && o->command != COMMAND_TRANSLATE) /* only translating detects the languages of texts */
        return err_set(err, ERR_USAGE, "%s: --from auto can only be used to translate; name the language",
                       command_table[o->command].name);
    if (detects && o->pieces_in) return err_set(err, ERR_USAGE, "--from auto and --pieces cannot be used together");
    if (!detects && o->unknown == UNKNOWN_ERROR) return err_set(err, ERR_USAGE, "--unknown needs --from auto");
    if (beams != NOT_GIVEN && o->n_best > beams && !o->patience.given && !(o->sampling == OPTION_ON && beams == 1))
        return err_set(err, ERR_USAGE, "--n-best %ld exceeds the beam size %ld", o->n_best, beams);
    if (o->max_length != NOT_GIVEN && o->min_length > o->max_length)
        return err_set(err, ERR_USAGE, "--min-length %ld exceeds --max-length %ld", o->min_length, o->max_length);
    if (!o->shortlists.count && o->command != COMMAND_SHORTLIST &&
        (o->shortlist_first != NOT_GIVEN || o->shortlist_best != NOT_GIVEN))
        return err_set(err, ERR_USAGE, "--shortlist-first and --shortlist-best need --shortlist FILE");
    return check_choices(o, err);
}

/* --- The command line. */

/* Whether the parser accepts the option. A hidden option is accepted only in full; otherwise it could make the
 * abbreviation of another option ambiguous. */
static bool is_offered(const OptionRow *row, Command command, char *const *argv)
{
    const size_t len = strlen(row->name);

    if (!option_help(row, command)) return false;
    if (row->group != GROUP_HIDDEN) return true;
    for (; *argv; argv++)
        if (strncmp(*argv, "--", 2) == 0 && strncmp(*argv + 2, row->name, len) == 0 && !(*argv)[2 + len]) return true;
    return false;
}

static Status parse_options(Options *out, int argc, char **argv, Err *err)
{
    struct option longs[OPTION_LIMIT], *next_long = longs;
    char letters[2 * OPTION_LIMIT + 2], *next_letter = letters;
    const OptionRow *rows[256] = { NULL }; /* indexed by the letter of the option */
    Status st = OK;
    int code;

    *next_letter++ = ':';
    for (const OptionRow *row = option_table; row->name; row++) {
        if (!is_offered(row, out->command, argv)) continue;
        *next_long++ = (struct option){ row->name, row->argument ? required_argument : no_argument, NULL,
                                        OPTION_FIRST_CODE + (int)(row - option_table) };
        if (!row->letter) continue;
        rows[(unsigned char)row->letter] = row;
        *next_letter++ = row->letter;
        if (row->argument) *next_letter++ = ':';
    }
    *next_long = (struct option){ 0 };
    *next_letter = '\0';
    opterr = 0;
    while (st == OK && !out->help && !out->version && !out->man) {
        const OptionRow *row;
        const char *word;
        bool is_habit;
        size_t len; /* of the name of a long option, as it is written */

        optopt = 0;
        code = getopt_long(argc, argv, letters, longs, NULL);
        if (code == -1) break;
        row = code >= OPTION_FIRST_CODE ? &option_table[code - OPTION_FIRST_CODE] : rows[code];
        out->is_brief = code == 'h';
        word = argv[optind - 1 - (optarg == argv[optind - 1])];
        len = code >= OPTION_FIRST_CODE ? strcspn(word + 2, "=") : 0;
        is_habit = len && !equals(row->name, word + 2, len) && find_habit(option_habits, OPTION_HABITS, word + 2, len);
        if (!row)
            st = refuse(out->command, code, optopt, argv[optind - 1], err);
        else if (is_habit)
            st = refuse_word(out->command, word, err); /* --form is no abbreviation of --format */
        else
            st = options_set(out, row, optarg, err);
    }
    return st;
}

Status options_parse(Options **out, int argc, char **argv, Err *err)
{
    Command command = COMMAND_TRANSLATE;

    for (Command c = COMMAND_TRANSLATE + 1; argc > 1 && c < COMMAND_SERVER; c++)
        if (strcasecmp(argv[1], command_table[c].name) == 0 &&
            (strcmp(argv[1], command_table[c].name) == 0 || !path_exists(argv[1])))
            command = c;
    if (command != COMMAND_TRANSLATE) argc--, argv++;
    return options_parse_command(out, command, argc, argv, err);
}

Status options_parse_command(Options **out, Command command, int argc, char **argv, Err *err)
{
    static char dash[] = "-";
    static char *const standard_input[] = { dash };
    Options *o = *out = calloc(1, sizeof *o);
    Status st;

    if (!o) return err_memory(err, "the options");
    o->command = command;
    for (const OptionRow *row = option_table; row->name; row++)
        if (row->kind == OPTION_INTEGER || (row->setting && row->kind == OPTION_CHOICE))
            *(long *)(void *)((char *)o + row->field) = NOT_GIVEN;
    st = parse_options(o, argc, argv, err);
    o->files = argv + optind;
    o->file_count = (size_t)(argc - optind);
    if (st != OK || o->help || o->version || o->man) return st;
    if (command_table[command].operands == OPERANDS_MODEL && !o->models.count && o->file_count == 1) {
        o->models.items[o->models.count++] = *o->files;
        o->file_count = 0;
    }
    st = check_all(o, err);
    if (command == COMMAND_ALIGN && o->alignment.kind == ALIGNMENT_NONE)
        o->alignment = (AlignmentStyle){ ALIGNMENT_LINKS, 1 };
    if (o->greedy) o->beams = 1;
    if (o->no_reuse) o->reuse = 0;
    if (o->as_f32 || o->as_bf16 || o->as_int8)
        o->precision = o->as_f32 ? DRAGOMAN_F32 : o->as_bf16 ? DRAGOMAN_BF16 : DRAGOMAN_INT8;
    if (command_table[command].operands == OPERANDS_FILES && !o->file_count && !o->texts.count) {
        o->files = standard_input;
        o->file_count = 1;
    }
    return st;
}

bool options_detect(const Options *o)
{
    return o->command == COMMAND_TRANSLATE && o->from && strcasecmp(o->from, "auto") == 0;
}

void options_free(Options *o)
{
    if (o) dragoman_options_free(o->settings);
    free(o);
}
