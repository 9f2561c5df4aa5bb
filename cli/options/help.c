/* help.c - see help.h. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

#define TEXT_COLUMN 27
#define LAST_COLUMN 79

/* A command with more options shows them in groups. */
#define MOST_WITHOUT_GROUPS 12

static const char exit_status[] = "\nExit status: 0 on success, 1 on an error in a model, the input or the system,\n"
                                  "2 on wrong usage.\n";

/* Appends text[0, len) from column `indent` on and a newline. Breaks it at spaces and indents each further line. */
static Status append_wrapped(Buf *out, const char *text, size_t len, size_t indent, Err *err)
{
    const char *end = text + len;
    size_t column = indent;
    Status st = OK;

    while (st == OK && text < end) {
        size_t word = strcspn(text, " \n");

        if (column > indent && column + 1 + word > LAST_COLUMN) {
            st = buf_append_format(out, err, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (st == OK && column > indent) {
            st = buf_append(out, " ", 1, err);
            column++;
        }
        if (st == OK) st = buf_append(out, text, word, err);
        column += word;
        text += word + 1;
    }
    return st == OK ? buf_append(out, "\n", 1, err) : st;
}

/* Appends each line of the text with something in front. */
static Status append_lines(Buf *out, const char *text, const char *first, const char *others, Err *err)
{
    Status st = OK;

    for (const char *before = first; st == OK && *text; before = others) {
        size_t len = strcspn(text, "\n");
        st = buf_append_format(out, err, "%s%.*s\n", before, (int)len, text);
        text += len + 1;
    }
    return st;
}

/* Each line of the text is a paragraph. */
static Status append_paragraphs(Buf *out, const char *text, Err *err)
{
    Status st = OK;

    while (st == OK && *text) {
        size_t len = strcspn(text, "\n");
        st = buf_append(out, "\n", 1, err);
        if (st == OK) st = append_wrapped(out, text, len, 0, err);
        text += len + 1;
    }
    return st;
}

static Status append_commands(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "\nCommands ('dragoman COMMAND --help' shows their options):\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (command_is_shown(c))
            st = buf_append_format(out, err, "  %-12s%s\n", command_table[c].name, command_table[c].purpose);
    return st;
}

static Status append_topics(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "\nTopics ('dragoman help TOPIC' explains them):\n", err);

    for (size_t i = 0; st == OK && i < topic_count; i++)
        st = buf_append_format(out, err, "  %-12s%s\n", topic_table[i].name, topic_table[i].purpose);
    return st;
}

static Status append_row(Buf *out, const OptionRow *row, const char *help, Err *err)
{
    char names[64], letter[8] = "    ";
    int width;
    Status st;

    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    width = snprintf(names, sizeof names, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
    if (width < TEXT_COLUMN - 1)
        st = buf_append_format(out, err, "%-*s", TEXT_COLUMN, names);
    else
        st = buf_append_format(out, err, "%s\n%*s", names, TEXT_COLUMN, "");
    return st == OK ? append_wrapped(out, help, strlen(help), TEXT_COLUMN, err) : st;
}

/* Appends the options of a group, or those of all groups with GROUP_HIDDEN, and a heading if there are any. */
static Status append_group(Buf *out, Command command, OptionGroup group, const char *heading, Err *err)
{
    const size_t start = out->len;
    Status st = OK;

    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || (group != GROUP_HIDDEN && row->group != group)) continue;
        if (out->len == start) st = buf_append_format(out, err, "\n%s:\n", heading);
        if (st == OK) st = append_row(out, row, option_help(row, command), err);
    }
    return st;
}

static size_t count_options(Command command)
{
    size_t count = 0;

    for (size_t i = 0; i < option_count; i++) count += option_is_shown(&option_table[i], command);
    return count;
}

static Status append_options(Buf *out, Command command, Err *err)
{
    Status st = OK;

    if (count_options(command) <= MOST_WITHOUT_GROUPS) return append_group(out, command, GROUP_HIDDEN, "Options", err);
    for (OptionGroup g = 0; st == OK && g < GROUP_HIDDEN; g++)
        st = append_group(out, command, g, option_group_names[g], err);
    return st;
}

Status help_append(Buf *out, Command command, Err *err)
{
    const CommandRow *row = &command_table[command];
    const bool program = command == COMMAND_TRANSLATE;
    Status st = append_lines(out, row->usage, "Usage: ", "       ", err);

    if (st == OK) st = append_paragraphs(out, row->about, err);
    if (st == OK && (program || command == COMMAND_HELP)) st = append_commands(out, err);
    if (st == OK && (program || command == COMMAND_HELP)) st = append_topics(out, err);
    if (st == OK) st = append_options(out, command, err);
    if (st == OK && row->examples) st = buf_append_text(out, "\nExamples:\n", err);
    if (st == OK && row->examples) st = append_lines(out, row->examples, "  ", "  ", err);
    return st == OK && program ? buf_append_text(out, exit_status, err) : st;
}

Status help_append_subjects(Buf *out, const char *separator, Err *err)
{
    Status st = command_append_names(out, separator, err);

    for (size_t i = 0; st == OK && i < topic_count; i++)
        st = buf_append_format(out, err, "%s%s", separator, topic_table[i].name);
    return st;
}

/* Whether a subject with this name is meant by `word`, exactly or by its beginning. */
static bool is_meant(const char *name, const char *word, bool exactly)
{
    return exactly ? strcmp(name, word) == 0 : strncmp(name, word, strlen(word)) == 0;
}

/* Returns the number of subjects that `word` may mean; *out is the last one. A command has priority over a topic. */
static size_t count_subjects(HelpSubject *out, const char *word, bool exactly)
{
    size_t count = 0;

    for (size_t i = 0; i < topic_count; i++)
        if (is_meant(topic_table[i].name, word, exactly)) {
            *out = (HelpSubject){ &topic_table[i], COMMAND_TRANSLATE };
            count++;
        }
    for (Command c = 0; c < COMMANDS; c++)
        if (command_is_shown(c) && is_meant(command_table[c].name, word, exactly)) {
            *out = (HelpSubject){ NULL, c };
            count++;
        }
    return count;
}

static Status refuse_subject(const char *word, Err *err)
{
    const size_t len = strlen(word);
    Nearest nearest = NEAREST_START;
    Buf list = { 0 };
    Status st = help_append_subjects(&list, ", ", err);

    for (Command c = 0; c < COMMANDS; c++)
        if (command_is_shown(c)) nearest_add(&nearest, word, len, command_table[c].name);
    for (size_t i = 0; i < topic_count; i++) nearest_add(&nearest, word, len, topic_table[i].name);
    if (st == OK && nearest.name)
        st = err_set(err, ERR_USAGE, "help: '%s' is neither a command nor a topic (did you mean '%s'?); choose from %s",
                     word, nearest.name, list.data);
    else if (st == OK)
        st = err_set(err, ERR_USAGE, "help: '%s' is neither a command nor a topic; choose from %s", word, list.data);
    buf_free(&list);
    return st;
}

Status help_find(HelpSubject *out, char *const *words, size_t count, Err *err)
{
    Buf name = { 0 };
    Status st = OK;

    *out = (HelpSubject){ NULL, COMMAND_TRANSLATE };
    for (size_t i = 0; st == OK && i < count; i++) st = buf_append_format(&name, err, "%s%s", i ? "-" : "", words[i]);
    if (st == OK && count && !count_subjects(out, name.data, true) && count_subjects(out, name.data, false) != 1)
        st = refuse_subject(name.data, err);
    buf_free(&name);
    return st;
}
