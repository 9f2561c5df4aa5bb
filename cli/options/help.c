/* help.c - see help.h. The topics and the frame of the man page are files in cli/options/texts. */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "filled_text.h"
#include "nearest.h"

#define TEXT_COLUMN 27
#define LAST_COLUMN 79

/* A command with more options shows them in groups. */
#define MOST_WITHOUT_GROUPS 12

extern const char languages_txt[], formats_txt[], documents_txt[], model_files_txt[], names_txt[], exit_codes_txt[];
extern const char dragoman_1[];

static const TopicRow topic_table[] = {
    { "languages", "what --from and --to accept", languages_txt },
    { "formats", "how the output is written", formats_txt },
    { "documents", "which files are documents, and how they are translated", documents_txt },
    { "model-files", "which folders and files -m accepts", model_files_txt },
    { "names", "names of models, the choice by languages, configuration", names_txt },
    { "exit-codes", "what the exit codes mean", exit_codes_txt },
};
#define TOPICS (sizeof topic_table / sizeof *topic_table)

/* --- --help */

/* Puts text[0, len) from column `indent` on and a newline. Breaks it at spaces and indents each further line. */
static void put_wrapped(Buf *out, const char *text, size_t len, size_t indent)
{
    const char *end = text + len;
    size_t column = indent;

    while (text < end) {
        size_t word = strcspn(text, " \n");

        if (column > indent && column + 1 + word > LAST_COLUMN) {
            buf_put_format(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent) {
            buf_put_byte(out, ' ');
            column++;
        }
        buf_put(out, text, word);
        column += word;
        text += word + 1;
    }
    buf_put_byte(out, '\n');
}

/* Puts each line of the text with something in front. */
static void put_lines(Buf *out, const char *text, const char *first, const char *others)
{
    for (const char *before = first; *text; before = others) {
        size_t len = strcspn(text, "\n");
        buf_put_format(out, "%s%.*s\n", before, (int)len, text);
        text += len + 1;
    }
}

static void put_option(Buf *out, const OptionRow *row, const char *help)
{
    char names[64], letter[8] = "    ";
    int width;

    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    width = snprintf(names, sizeof names, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
    if (width < TEXT_COLUMN - 1)
        buf_put_format(out, "%-*s", TEXT_COLUMN, names);
    else
        buf_put_format(out, "%s\n%*s", names, TEXT_COLUMN, "");
    put_wrapped(out, help, strlen(help), TEXT_COLUMN);
}

/* Puts the options of a group, or those of all groups with GROUP_HIDDEN, and a heading if there are any. */
static void put_group(Buf *out, Command command, OptionGroup group, const char *heading)
{
    const size_t start = out->len;

    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || (group != GROUP_HIDDEN && row->group != group)) continue;
        if (out->len == start) buf_put_format(out, "\n%s:\n", heading);
        put_option(out, row, option_help(row, command));
    }
}

static void put_options(Buf *out, Command command)
{
    size_t count = 0;

    for (size_t i = 0; i < option_count; i++) count += option_is_shown(&option_table[i], command);
    if (count <= MOST_WITHOUT_GROUPS) put_group(out, command, GROUP_HIDDEN, "Options");
    for (OptionGroup g = 0; count > MOST_WITHOUT_GROUPS && g < GROUP_HIDDEN; g++)
        put_group(out, command, g, option_group_names[g]);
}

Status help_append(Buf *out, Command command, Err *err)
{
    const CommandRow *row = &command_table[command];
    const bool is_program = command == COMMAND_TRANSLATE;

    put_lines(out, row->usage, "Usage: ", "       ");
    for (const char *text = row->about; *text;) { /* each line is a paragraph */
        const size_t len = strcspn(text, "\n");
        buf_put_byte(out, '\n');
        put_wrapped(out, text, len, 0);
        text += len + 1;
    }
    if (is_program || command == COMMAND_HELP) {
        buf_put_text(out, "\nCommands ('dragoman COMMAND --help' shows their options):\n");
        for (Command c = 0; c < COMMANDS; c++)
            if (command_is_shown(c))
                buf_put_format(out, "  %-12s%s\n", command_table[c].name, command_table[c].purpose);
        buf_put_text(out, "\nTopics ('dragoman help TOPIC' explains them):\n");
        for (size_t i = 0; i < TOPICS; i++)
            buf_put_format(out, "  %-12s%s\n", topic_table[i].name, topic_table[i].purpose);
    }
    put_options(out, command);
    if (row->examples) {
        buf_put_text(out, "\nExamples:\n");
        put_lines(out, row->examples, "  ", "  ");
    }
    if (is_program)
        buf_put_text(out, "\nExit status: 0 on success, 1 on an error in a model, the input or the system,\n"
                          "2 on wrong usage.\n");
    return buf_check(out, err);
}

/* --- dragoman help */

void help_put_subjects(Buf *out, const char *separator)
{
    command_put_names(out, separator);
    for (size_t i = 0; i < TOPICS; i++) buf_put_format(out, "%s%s", separator, topic_table[i].name);
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

    for (size_t i = 0; i < TOPICS; i++)
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
    Status st;

    help_put_subjects(&list, ", ");
    st = buf_check(&list, err);
    for (Command c = 0; c < COMMANDS; c++)
        if (command_is_shown(c)) nearest_add(&nearest, word, len, command_table[c].name);
    for (size_t i = 0; i < TOPICS; i++) nearest_add(&nearest, word, len, topic_table[i].name);
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
    Status st;

    *out = (HelpSubject){ NULL, COMMAND_TRANSLATE };
    for (size_t i = 0; i < count; i++) buf_put_format(&name, "%s%s", i ? "-" : "", words[i]);
    st = buf_check(&name, err);
    if (st == OK && count && !count_subjects(out, name.data, true) && count_subjects(out, name.data, false) != 1)
        st = refuse_subject(name.data, err);
    buf_free(&name);
    return st;
}

/* --- The man page */

/* Puts plain text[0, len) as roff: escapes minus signs, backslashes, and a dot or quote at the start. */
static void put_roff(Buf *out, const char *text, size_t len)
{
    if (len && (*text == '.' || *text == '\'')) buf_put_text(out, "\\&");
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '-')
            buf_put_text(out, "\\-");
        else if (text[i] == '\\')
            buf_put_text(out, "\\e");
        else
            buf_put_byte(out, text[i]);
    }
}

static void put_roff_option(Buf *out, const OptionRow *row, Command command)
{
    const char *help = option_help(row, command);

    buf_put_text(out, ".TP\n");
    if (row->letter) buf_put_format(out, "\\fB\\-%c\\fR, ", row->letter);
    buf_put_text(out, "\\fB\\-\\-");
    put_roff(out, row->name, strlen(row->name));
    buf_put_text(out, "\\fR");
    if (row->argument) buf_put_format(out, " \\fI%s\\fR", row->argument);
    buf_put_byte(out, '\n');
    put_roff(out, help, strlen(help));
    if (row->kind == OPTION_INTEGER) buf_put_format(out, ".\nRange: %.0f to %.0f", row->low, row->high);
    if (row->kind == OPTION_REAL)
        buf_put_format(out, ".\nRange: %s%g to %g", row->low < 0 ? "\\" : "", row->low, row->high);
    buf_put_text(out, ".\n");
}

/* Puts a usage line: words in capitals stand for values, words in small letters are typed as they are. */
static void put_roff_usage(Buf *out, const char *line, size_t len)
{
    for (size_t i = 0, word; i < len; i += word) {
        const unsigned char first = (unsigned char)line[i];
        const bool is_word = isalnum(first) || first == '-';
        word = 1;
        while (i + word < len && is_word && (isalnum((unsigned char)line[i + word]) || line[i + word] == '-')) word++;
        if (is_word) buf_put_text(out, isupper(first) ? "\\fI" : "\\fB");
        for (size_t k = 0; k < word; k++) buf_put_format(out, line[i + k] == '-' ? "\\-" : "%c", line[i + k]);
        if (is_word) buf_put_text(out, "\\fR");
    }
    buf_put_byte(out, '\n');
}

static void put_roff_synopsis(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        const char *line = command_table[c].usage;
        if (c != COMMAND_TRANSLATE && !command_is_shown(c)) continue;
        for (size_t len; *line; line += len + 1) {
            len = strcspn(line, "\n");
            if (line != command_table[0].usage) buf_put_text(out, ".br\n");
            put_roff_usage(out, line, len);
        }
    }
}

/* Puts the options that mean the same for translating as a list of names, and the others with their help. */
static void put_roff_command_options(Buf *out, Command command)
{
    const char *before = ".PP\nIt also accepts these options, see below: ";

    for (size_t i = 0; i < option_count; i++)
        if (option_is_shown(&option_table[i], command) &&
            option_help(&option_table[i], command) != option_help(&option_table[i], COMMAND_TRANSLATE))
            put_roff_option(out, &option_table[i], command);
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || strcmp(row->name, "help") == 0 ||
            option_help(row, command) != option_help(row, COMMAND_TRANSLATE))
            continue;
        buf_put_format(out, "%s\\-\\-", before);
        put_roff(out, row->name, strlen(row->name));
        before = ", ";
    }
    if (*before == ',') buf_put_text(out, ".\n");
}

static void put_roff_commands(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        buf_put_format(out, ".SS dragoman %s\n", command_table[c].name);
        for (const char *text = command_table[c].about; *text;) { /* each line is a paragraph */
            const size_t len = strcspn(text, "\n");
            put_roff(out, text, len);
            buf_put_text(out, text[len + 1] ? "\n.PP\n" : "\n");
            text += len + 1;
        }
        put_roff_command_options(out, c);
    }
}

static void put_roff_options(Buf *out)
{
    for (OptionGroup g = 0; g < GROUP_HIDDEN; g++) {
        buf_put_format(out, ".SS %s\n", option_group_names[g]);
        for (size_t i = 0; i < option_count; i++)
            if (option_table[i].group == g && option_is_shown(&option_table[i], COMMAND_TRANSLATE))
                put_roff_option(out, &option_table[i], COMMAND_TRANSLATE);
    }
}

/* Puts a topic. Empty lines separate paragraphs and verbatim lines. */
static void put_roff_topic(Buf *out, const char *text)
{
    const size_t first = strcspn(text, "\n") + 1;
    bool is_verbatim = false, begins = false;

    buf_put(out, text, first); /* a sentence, as it is */
    text += first;
    for (size_t len; *text; text += len + 1) {
        const bool is_indented = strncmp(text, "  ", 2) == 0;
        len = strcspn(text, "\n");
        if (!len && is_verbatim) buf_put_text(out, ".EE\n");
        if (len && begins) buf_put_text(out, is_indented ? ".PP\n.EX\n" : ".PP\n");
        is_verbatim = len && is_indented;
        begins = !len;
        if (!len) continue;
        put_roff(out, text, len);
        buf_put_byte(out, '\n');
    }
    if (is_verbatim) buf_put_text(out, ".EE\n");
}

static void put_man_page(Buf *out, const char *name)
{
    if (strcmp(name, "VERSION") == 0) buf_put_text(out, DRAGOMAN_VERSION);
    if (strcmp(name, "SYNOPSIS") == 0) put_roff_synopsis(out);
    if (strcmp(name, "COMMANDS") == 0) put_roff_commands(out);
    if (strcmp(name, "OPTIONS") == 0) put_roff_options(out);
    for (size_t i = 0; i < TOPICS; i++)
        if (strcmp(name, topic_table[i].name) == 0) put_roff_topic(out, topic_table[i].text);
}

Status help_append_man_page(Buf *out, Err *err)
{
    filled_text_put(out, dragoman_1, put_man_page);
    return buf_check(out, err);
}
