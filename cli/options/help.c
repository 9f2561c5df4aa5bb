/* help.c - see help.h. */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dragoman_job.h"
#include "nearest.h"

#define TEXT_COLUMN 27

/* In a terminal with fewer columns than this, the help of an option begins in an own line, in column NARROW_COLUMN. */
#define WIDE_COLUMNS  60
#define NARROW_COLUMN 8

/* A command with more options than this shows them in groups. */
#define MOST_WITHOUT_GROUPS 12

/* The longest description in a completion script; it stands in a column beside the option. */
#define DESCRIPTION_COLUMNS ((size_t)78)

extern const char brief_txt[], languages_txt[], formats_txt[], documents_txt[], csv_txt[], glossary_txt[], memory_txt[],
    beam_txt[], model_files_txt[], names_txt[], exit_codes_txt[];
extern const char dragoman_1[], server_1[], completion_bash[], completion_zsh[], completion_fish[];

typedef struct {
    const char *name;
    const char *purpose; /* a few words for the list of topics */
    const char *text;    /* at most 80 columns; lines that begin with two spaces are verbatim in the man page as well */
} TopicRow;

static const TopicRow topic_table[] = {
    { "languages", "what --from and --to accept", languages_txt },
    { "formats", "how the output is written", formats_txt },
    { "documents", "which files are documents, and how they are translated", documents_txt },
    { "csv", "tables, and columns of the input and the output", csv_txt },
    { "glossary", "how terms are translated", glossary_txt },
    { "memory", "translations that are used again", memory_txt },
    { "beam", "beam search, n-best lists and scores", beam_txt },
    { "model-files", "which folders and files -m accepts", model_files_txt },
    { "names", "names of models, the choice by languages, configuration", names_txt },
    { "exit-codes", "what the exit codes mean", exit_codes_txt },
};
#define TOPICS (sizeof topic_table / sizeof *topic_table)

/* Indexed by OptionGroup. */
static const char *const group_names[GROUP_HIDDEN] = {
    [GROUP_MODEL] = "Model",
    [GROUP_SEARCH] = "Search (default: the model's settings)",
    [GROUP_STREAMS] = "Input and output",
    [GROUP_DOCUMENTS] = "Documents",
    [GROUP_BATCH] = "Batches of files",
    [GROUP_SERVER] = "Server",
    [GROUP_OTHER] = "Other",
};

/* The shells that have a completion script. */
static const char *const shell_names[] = { "bash", "zsh", "fish", NULL };

/* The parts of the text of a command, which are separated by empty lines: its usage, one line per form; its purpose,
 * paragraphs of one line each; examples, one line each. */
typedef enum { COMMAND_USAGE, COMMAND_ABOUT, COMMAND_EXAMPLES } CommandPart;

/* Returns where a part of the text begins; "" if there is no such part. It ends at an empty line or with the text. */
static const char *text_of(Command command, CommandPart part)
{
    const char *text = command_table[command].text;

    for (; text && part; part--) {
        text = strstr(text, "\n\n");
        if (text) text += 2;
    }
    return text ? text : "";
}

/* Appends the names of the commands that help shows. */
static void put_command_names(Buf *out, const char *separator)
{
    for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++)
        buf_put_format(out, "%s%s", c == COMMAND_FIRST ? "" : separator, command_table[c].name);
}

/* Sets *line to the next line of *text, moves *text past it, and returns its length. Returns 0 at the end of this part:
 * at an empty line or at the end of the text. */
static size_t next_line(const char **text, const char **line)
{
    const size_t length = strcspn(*text, "\n");

    *line = *text;
    if (length) *text += length + 1;
    return length;
}

/* --- --help */

/* Appends text[0, len), beginning in column `indent`, and a newline. Breaks it at spaces and indents each new line. */
static void put_wrapped(Buf *out, const char *text, size_t len, size_t indent, size_t columns)
{
    const char *end = text + len;
    size_t column = indent;

    while (text < end) {
        size_t word = strcspn(text, " \n");

        if (column > indent && column + 1 + word >= columns) {
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

/* Appends the options of a group under a heading, or nothing if it has none. GROUP_HIDDEN means all groups. */
static void put_group(Buf *out, Command command, OptionGroup group, const char *heading, size_t columns)
{
    const size_t start = out->len, indent = columns < WIDE_COLUMNS ? NARROW_COLUMN : TEXT_COLUMN;

    for (const OptionRow *row = option_table; row->name; row++) {
        const char *help = option_help(row, command);
        char names[64], letter[8] = "    ";
        size_t width;
        if (!option_is_shown(row, command) || (group != GROUP_HIDDEN && row->group != group)) continue;
        if (out->len == start) buf_put_format(out, "\n%s:\n", heading);
        if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
        width = (size_t)snprintf(names, sizeof names, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                                 row->argument ? row->argument : "");
        if (width + 1 < indent)
            buf_put_format(out, "%-*s", (int)indent, names);
        else
            buf_put_format(out, "%s\n%*s", names, (int)indent, "");
        put_wrapped(out, help, strlen(help), indent, columns);
    }
}

Status help_append_brief(Buf *out, Err *err)
{
    buf_put_text(out, brief_txt);
    return buf_check(out, err);
}

static void put_heading(Buf *out, const char *heading, size_t columns)
{
    buf_put_byte(out, '\n');
    put_wrapped(out, heading, strlen(heading), 0, columns);
}

/* Appends a row of a list of names. */
static void put_purpose(Buf *out, const char *name, const char *purpose, size_t columns)
{
    buf_put_format(out, "  %-12s", name);
    put_wrapped(out, purpose, strlen(purpose), 14, columns);
}

Status help_append(Buf *out, Command command, size_t columns, Err *err)
{
    static const char status[] = "Exit status: 0 on success, 1 on an error in a model, the input or the system, 2 on "
                                 "wrong usage.";
    const bool is_program = command == COMMAND_TRANSLATE;
    const char *text = text_of(command, COMMAND_USAGE), *before = "Usage: ", *line;
    size_t options = 0;

    for (size_t len; (len = next_line(&text, &line)); before = "       ")
        buf_put_format(out, "%s%.*s\n", before, (int)len, line);
    text = text_of(command, COMMAND_ABOUT);
    for (size_t len; (len = next_line(&text, &line));) {
        buf_put_byte(out, '\n');
        put_wrapped(out, line, len, 0, columns);
    }
    if (is_program || command == COMMAND_HELP) {
        put_heading(out, "Commands ('dragoman COMMAND --help' shows their options):", columns);
        for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++)
            put_purpose(out, command_table[c].name, command_table[c].purpose, columns);
        put_heading(out, "Topics ('dragoman help TOPIC' explains them):", columns);
        for (size_t i = 0; i < TOPICS; i++) put_purpose(out, topic_table[i].name, topic_table[i].purpose, columns);
    }
    for (const OptionRow *row = option_table; row->name; row++) options += option_is_shown(row, command);
    if (options <= MOST_WITHOUT_GROUPS) put_group(out, command, GROUP_HIDDEN, "Options", columns);
    for (OptionGroup g = 0; options > MOST_WITHOUT_GROUPS && g < GROUP_HIDDEN; g++)
        put_group(out, command, g, group_names[g], columns);
    text = text_of(command, COMMAND_EXAMPLES);
    if (*text) buf_put_text(out, "\nExamples:\n");
    for (size_t len; (len = next_line(&text, &line));) buf_put_format(out, "  %.*s\n", (int)len, line);
    if (is_program || command == COMMAND_SERVER) put_heading(out, status, columns);
    return buf_check(out, err);
}

/* --- dragoman help */

/* Puts the names of all subjects. */
static void put_subjects(Buf *out, const char *separator)
{
    put_command_names(out, separator);
    for (size_t i = 0; i < TOPICS; i++) buf_put_format(out, "%s%s", separator, topic_table[i].name);
}

/* Whether `word`, in small letters or capitals, is `name` or, unless `exactly`, the beginning of `name`. */
static bool is_meant(const char *name, const char *word, bool exactly)
{
    return exactly ? strcasecmp(name, word) == 0 : strncasecmp(name, word, strlen(word)) == 0;
}

/* Returns how many topics and commands `word` may mean. If it may mean a command, sets *command to the last one, and
 * *topic to NULL. Otherwise sets *topic to the last topic. */
static size_t count_subjects(const TopicRow **topic, Command *command, const char *word, bool exactly)
{
    size_t count = 0;

    for (size_t i = 0; i < TOPICS; i++)
        if (is_meant(topic_table[i].name, word, exactly)) {
            *topic = &topic_table[i];
            count++;
        }
    for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++)
        if (is_meant(command_table[c].name, word, exactly)) {
            *topic = NULL;
            *command = c;
            count++;
        }
    return count;
}

Status help_append_subject(Buf *out, char *const *words, size_t count, size_t columns, Err *err)
{
    const TopicRow *topic = NULL;
    Command command = COMMAND_TRANSLATE;
    Nearest nearest = { .name = NULL };
    Buf name = { 0 }, list = { 0 };
    Status st;

    for (size_t i = 0; i < count; i++) buf_put_format(&name, "%s%s", i ? "-" : "", words[i]);
    put_subjects(&list, ", ");
    st = buf_check(&name, err);
    if (st == OK) st = buf_check(&list, err);
    if (st == OK && count && !count_subjects(&topic, &command, name.data, true) &&
        count_subjects(&topic, &command, name.data, false) != 1) {
        for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++)
            nearest_add(&nearest, name.data, name.len, command_table[c].name);
        for (size_t i = 0; i < TOPICS; i++) nearest_add(&nearest, name.data, name.len, topic_table[i].name);
        st = err_set(err, ERR_USAGE, "help: '%s' is neither a command nor a topic%s%s%s; choose from %s", name.data,
                     nearest.name ? " (did you mean '" : "", nearest.name ? nearest.name : "",
                     nearest.name ? "'?)" : "", list.data);
    }
    buf_free(&name);
    buf_free(&list);
    if (st != OK || !out) return st;
    if (!topic) return help_append(out, command, columns, err);
    buf_put_text(out, topic->text);
    return buf_check(out, err);
}

/* --- Texts with places */

#define MARK "@@"

/* Appends the text that replaces the placeholder with this name. */
typedef void PutPlace(Buf *out, const char *name);

/* Appends a text in which `put` replaces the placeholders, such as @@NAME@@. A placeholder at the start of a line is
 * alone in the line and is replaced together with the newline. */
static void put_filled(Buf *out, const char *text, PutPlace *put)
{
    const size_t mark = sizeof MARK - 1;

    for (const char *begin = strstr(text, MARK), *end; begin; begin = strstr(text, MARK)) {
        const bool starts_line = begin == text || begin[-1] == '\n';
        char name[32];
        end = strstr(begin + mark, MARK);
        snprintf(name, sizeof name, "%.*s", (int)(end - begin - (ptrdiff_t)mark), begin + mark);
        buf_put(out, text, (size_t)(begin - text));
        put(out, name);
        text = end + mark;
        if (starts_line) text++;
    }
    buf_put_text(out, text);
}

/* --- The man page */

/* Appends the plain text[0, len) as roff: escapes minus signs, backslashes, and a dot or quote at the start. */
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

/* Appends the purpose of a command as roff. */
static void put_roff_about(Buf *out, Command command)
{
    const char *text = text_of(command, COMMAND_ABOUT), *line, *before = "";

    for (size_t len; (len = next_line(&text, &line)); before = ".PP\n") {
        buf_put_text(out, before);
        put_roff(out, line, len);
        buf_put_byte(out, '\n');
    }
}

/* Appends the purpose of a command and its options as roff. Options with the same help as for translating are only
 * listed by name; the others have their help. */
static void put_roff_command(Buf *out, Command command)
{
    const char *before = ".PP\nIt also accepts these options, see below: ";

    buf_put_format(out, ".SS dragoman %s\n", command_table[command].name);
    put_roff_about(out, command);
    for (const OptionRow *row = option_table; row->name; row++)
        if (option_is_shown(row, command) && option_help(row, command) != option_help(row, COMMAND_TRANSLATE))
            put_roff_option(out, row, command);
    for (const OptionRow *row = option_table; row->name; row++) {
        if (!option_is_shown(row, command) || strcmp(row->name, "help") == 0 ||
            option_help(row, command) != option_help(row, COMMAND_TRANSLATE))
            continue;
        buf_put_format(out, "%s\\-\\-", before);
        put_roff(out, row->name, strlen(row->name));
        before = ", ";
    }
    if (*before == ',') buf_put_text(out, ".\n");
}

/* Appends a topic as roff. Empty lines separate its paragraphs and blocks of verbatim lines. */
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

/* Appends the usage as roff: words in capitals stand for values, words in small letters are typed as they are. */
static void put_roff_usages(Buf *out, Command command, const char *before)
{
    const char *text = text_of(command, COMMAND_USAGE), *line;

    for (size_t len; (len = next_line(&text, &line)); before = ".br\n") {
        buf_put_text(out, before);
        for (size_t i = 0, word; i < len; i += word) {
            const unsigned char first = (unsigned char)line[i];
            const bool is_word = isalnum(first) || first == '-';
            word = 1;
            while (i + word < len && is_word && (isalnum((unsigned char)line[i + word]) || line[i + word] == '-'))
                word++;
            if (is_word) buf_put_text(out, isupper(first) ? "\\fI" : "\\fB");
            for (size_t k = 0; k < word; k++) buf_put_format(out, line[i + k] == '-' ? "\\-" : "%c", line[i + k]);
            if (is_word) buf_put_text(out, "\\fR");
        }
        buf_put_byte(out, '\n');
    }
}

/* Appends all options of a program, in groups. */
static void put_roff_options(Buf *out, Command command)
{
    for (OptionGroup g = 0; g < GROUP_HIDDEN; g++) {
        bool begins = true;
        for (const OptionRow *row = option_table; row->name; row++) {
            if (row->group != g || !option_is_shown(row, command)) continue;
            if (begins) buf_put_format(out, ".SS %s\n", group_names[g]);
            begins = false;
            put_roff_option(out, row, command);
        }
    }
}

static void put_man_page(Buf *out, const char *name)
{
    if (strcmp(name, "VERSION") == 0) buf_put_text(out, DRAGOMAN_VERSION);
    for (Command c = 0; strcmp(name, "SYNOPSIS") == 0 && c < COMMANDS_SHOWN; c++)
        put_roff_usages(out, c, c ? ".br\n" : "");
    for (Command c = COMMAND_FIRST; strcmp(name, "COMMANDS") == 0 && c < COMMANDS_SHOWN; c++) put_roff_command(out, c);
    if (strcmp(name, "OPTIONS") == 0) put_roff_options(out, COMMAND_TRANSLATE);
    for (size_t i = 0; i < TOPICS; i++)
        if (strcmp(name, topic_table[i].name) == 0) put_roff_topic(out, topic_table[i].text);
}

static void put_server_man_page(Buf *out, const char *name)
{
    if (strcmp(name, "VERSION") == 0) buf_put_text(out, DRAGOMAN_VERSION);
    if (strcmp(name, "SYNOPSIS") == 0) put_roff_usages(out, COMMAND_SERVER, "");
    if (strcmp(name, "ABOUT") == 0) put_roff_about(out, COMMAND_SERVER);
    if (strcmp(name, "OPTIONS") == 0) put_roff_options(out, COMMAND_SERVER);
}

Status help_append_man_page(Buf *out, Command command, Err *err)
{
    if (command == COMMAND_SERVER)
        put_filled(out, server_1, put_server_man_page);
    else
        put_filled(out, dragoman_1, put_man_page);
    return buf_check(out, err);
}

/* --- Parts of all completion scripts */

typedef enum { VALUE_NONE, VALUE_ANY, VALUE_CHOICE, VALUE_MODEL, VALUE_LANGUAGE, VALUE_FILE, VALUE_FOLDER } ValueKind;

/* Whether the option's values are names of formats, which are not all in the table of options. */
static bool is_format(const OptionRow *row)
{
    return row->argument && strcmp(row->argument, "FORMAT") == 0;
}

static ValueKind value_of(const OptionRow *row)
{
    if (!row->argument) return VALUE_NONE;
    if (row->choices || is_format(row)) return VALUE_CHOICE;
    if (strcmp(row->argument, "PATH") == 0) return VALUE_MODEL;
    if (strcmp(row->argument, "LANG") == 0) return VALUE_LANGUAGE;
    if (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FILES") == 0) return VALUE_FILE;
    return strcmp(row->argument, "DIR") == 0 ? VALUE_FOLDER : VALUE_ANY;
}

/* Appends the choices of an option, separated by spaces. */
static void put_choices(Buf *out, const OptionRow *row)
{
    DragomanFormat format;

    for (size_t i = 0; is_format(row) && dragoman_format_row(i, &format); i++)
        buf_put_format(out, "%s%s", i ? " " : "", format.name);
    for (size_t i = 0; row->choices && row->choices[i]; i++) buf_put_format(out, "%s%s", i ? " " : "", row->choices[i]);
}

/* Appends the words that a command accepts as operands, separated by spaces; nothing if the operands are files. */
static void put_words(Buf *out, Command command)
{
    const OperandKind operands = command_table[command].operands;

    if (operands == OPERANDS_SUBJECTS) put_subjects(out, " ");
    for (size_t i = 0; operands == OPERANDS_SHELLS && shell_names[i]; i++)
        buf_put_format(out, "%s%s", i ? " " : "", shell_names[i]);
}

/* Appends the first sentence of a help text. If it is too long, cuts it at a punctuation mark. Puts a backslash before
 * each character that is in `special`. */
static void put_description(Buf *out, const char *help, const char *special)
{
    const char *full_stop = strstr(help, ". ");
    size_t len = full_stop ? (size_t)(full_stop - help) : strlen(help);

    for (size_t i = DESCRIPTION_COLUMNS; len > DESCRIPTION_COLUMNS && i > 0; i--)
        if (strchr(":;,", help[i]) && help[i + 1] == ' ') len = i;
    for (const char *end = help + len; help < end; help++) {
        if (strchr(special, *help)) buf_put_byte(out, '\\');
        buf_put_byte(out, *help);
    }
}

/* Appends `before`, the name, `between`, the purpose and `after` for each command that help shows. */
static void put_commands(Buf *out, const char *before, const char *between, const char *after, const char *special)
{
    for (Command c = COMMAND_FIRST; c < COMMANDS_SHOWN; c++) {
        buf_put_format(out, "%s%s%s", before, command_table[c].name, between);
        put_description(out, command_table[c].purpose, special);
        buf_put_text(out, after);
    }
}

/* The name of a command in a `case` of bash and zsh; translating, the default, is ''. */
static const char *case_of(Command command)
{
    return command == COMMAND_TRANSLATE ? "''" : command_table[command].name;
}

/* --- bash. The script needs only bash 3.2 or later. It leaves file names to readline, which knows how to quote them.
 * The shell expands no text that comes from a file. */

/* Whether another row for an option of this name has other choices. */
static bool has_own_choices(const OptionRow *row)
{
    for (const OptionRow *other = option_table; other->name; other++) {
        if (strcmp(other->name, row->name) == 0 && other->argument && other->choices != row->choices) return true;
    }
    return false;
}

/* Appends a `case` for the values of an option. Its pattern matches the option with any command. If another row for an
 * option of this name has other choices, the pattern matches only with the commands of this row. */
static void put_bash_value(Buf *out, const OptionRow *row)
{
    static const char *const values[] = {
        [VALUE_ANY] = "any",    [VALUE_CHOICE] = "words",   [VALUE_MODEL] = "models", [VALUE_LANGUAGE] = "languages",
        [VALUE_FILE] = "files", [VALUE_FOLDER] = "folders",
    };
    const bool is_own = has_own_choices(row);
    const char *before = "    ";

    for (const OptionRow *other = option_table; !is_own && other < row; other++)
        if (strcmp(other->name, row->name) == 0) return;
    if (!is_own) {
        buf_put_text(out, before);
        if (row->letter) buf_put_format(out, "*\" -%c\" | ", row->letter);
        buf_put_format(out, "*\" --%s\"", row->name);
    }
    for (Command c = 0; is_own && c < COMMANDS; c++) {
        if (!option_help(row, c)) continue;
        buf_put_format(out, "%s\"%s --%s\"", before, command_table[c].name, row->name);
        before = " | ";
    }
    buf_put_format(out, ") values=%s", values[value_of(row)]);
    if (value_of(row) == VALUE_CHOICE) {
        buf_put_text(out, " words=(");
        put_choices(out, row);
        buf_put_byte(out, ')');
    }
    buf_put_text(out, " ;;\n");
}

static void put_bash(Buf *out, const char *name)
{
    const bool is_values = strcmp(name, "VALUES") == 0, is_options = strcmp(name, "OPTIONS") == 0;
    const bool is_operands = strcmp(name, "OPERANDS") == 0;

    for (const OptionRow *row = option_table; is_values && row->name; row++)
        if (row->argument) put_bash_value(out, row);
    for (Command c = 0; is_options && c < COMMANDS_SHOWN; c++) {
        buf_put_format(out, "    %s) words=(", case_of(c));
        for (const OptionRow *row = option_table; row->name; row++)
            if (option_is_shown(row, c)) buf_put_format(out, " --%s", row->name);
        buf_put_text(out, " ) ;;\n");
    }
    for (Command c = COMMAND_FIRST; is_operands && c < COMMANDS_SHOWN; c++) {
        const OperandKind operands = command_table[c].operands;
        buf_put_format(out, "    %s) values=", case_of(c));
        if (operands <= OPERANDS_MODEL) {
            buf_put_text(out, operands == OPERANDS_FILES ? "files" : operands == OPERANDS_MODEL ? "models" : "any");
        } else {
            buf_put_text(out, "words words=(");
            put_words(out, c);
            buf_put_byte(out, ')');
        }
        buf_put_text(out, " ;;\n");
    }
    if (!is_values && !is_options && !is_operands) put_command_names(out, strcmp(name, "PATTERN") == 0 ? " | " : " ");
}

/* --- zsh. The script gives the zsh function _arguments a specification for each option. */

/* Characters that need a backslash: in a text in double quotes, and also in the description of a specification. */
#define ZSH_SPECIAL      "\"$`\\"
#define ZSH_SPECIAL_SPEC ZSH_SPECIAL "[]"

/* Appends a specification for the short or the long name of the option. After one name, zsh no longer offers the other
 * name, unless the option can be repeated. */
static void put_zsh_spec(Buf *out, Command command, const OptionRow *row, bool as_letter)
{
    static const char *const actions[] = {
        [VALUE_ANY] = " ",       [VALUE_CHOICE] = "(",         [VALUE_MODEL] = "_dragoman_models",
        [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/", [VALUE_LANGUAGE] = "_dragoman_languages",
    };
    const ValueKind kind = value_of(row);
    const bool has_value = kind != VALUE_NONE, repeats = row->kind == OPTION_LIST;

    buf_put_text(out, repeats ? "    \"*" : "    \"");
    if (!repeats && row->letter && as_letter) buf_put_format(out, "(--%s)", row->name);
    if (!repeats && row->letter && !as_letter) buf_put_format(out, "(-%c)", row->letter);
    if (as_letter)
        buf_put_format(out, "-%c%s[", row->letter, has_value ? "+" : "");
    else
        buf_put_format(out, "--%s%s[", row->name, has_value ? "=" : "");
    put_description(out, option_help(row, command), ZSH_SPECIAL_SPEC);
    buf_put_byte(out, ']');
    if (has_value) buf_put_format(out, ":%s:%s", row->argument, actions[kind]);
    if (kind == VALUE_CHOICE) {
        put_choices(out, row);
        buf_put_byte(out, ')');
    }
    buf_put_text(out, "\"\n");
}

static void put_zsh(Buf *out, const char *name)
{
    const bool is_specs = strcmp(name, "SPECS") == 0, is_commands = strcmp(name, "COMMANDS") == 0;

    for (Command c = 0; is_specs && c < COMMANDS_SHOWN; c++) {
        const OperandKind operands = command_table[c].operands;
        buf_put_format(out, "  (%s) specs=(\n", case_of(c));
        for (const OptionRow *row = option_table; row->name; row++) {
            if (!option_is_shown(row, c)) continue;
            if (row->letter) put_zsh_spec(out, c, row, true);
            put_zsh_spec(out, c, row, false);
        }
        if (c == COMMAND_TRANSLATE) {
            buf_put_text(out, "    '1: :_dragoman_first' '*:file:_files'\n");
        } else if (operands == OPERANDS_FILES || operands == OPERANDS_MODEL) {
            buf_put_text(out,
                         operands == OPERANDS_FILES ? "    '*:file:_files'\n" : "    '1:model:_dragoman_models'\n");
        } else if (operands != OPERANDS_NONE) {
            buf_put_format(out, "    '1:%s:(", operands == OPERANDS_SHELLS ? "shell" : "command or topic");
            put_words(out, c);
            buf_put_text(out, ")'\n");
        }
        buf_put_text(out, "  ) ;;\n");
    }
    if (is_commands) put_commands(out, "    \"", ":", "\"\n", ZSH_SPECIAL);
    if (!is_specs && !is_commands) put_command_names(out, "|");
}

/* --- fish. The script calls `complete` for each option. */

/* Characters that need a backslash in single quotes. */
#define FISH_SPECIAL "'\\"

/* Appends calls of `complete`: for the commands if `name` is COMMANDS, otherwise for the operands and options of each
 * command. Without such a call, fish completes file names. */
static void put_fish(Buf *out, const char *name)
{
    static const char *const values[] = {
        [VALUE_NONE] = "",
        [VALUE_ANY] = " -x",
        [VALUE_CHOICE] = " -x -a '",
        [VALUE_MODEL] = " -rF -a '(__dragoman_complete models)'",
        [VALUE_LANGUAGE] = " -x -a '(__dragoman_languages)'",
        [VALUE_FILE] = " -rF",
        [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
    };
    static const char call[] = "complete -c dragoman -n \"__dragoman_has '%s'\"";
    const bool is_options = strcmp(name, "OPTIONS") == 0, is_commands = strcmp(name, "COMMANDS") == 0;

    for (Command c = 0; is_options && c < COMMANDS_SHOWN; c++) {
        const OperandKind operands = command_table[c].operands;
        if (operands == OPERANDS_MODEL) {
            buf_put_format(out, call, command_table[c].name);
            buf_put_text(out, " -a '(__dragoman_complete models)'\n");
        } else if (operands != OPERANDS_FILES) {
            buf_put_format(out, call, command_table[c].name);
            buf_put_text(out, operands == OPERANDS_NONE ? " -f\n" : " -f -a '");
            put_words(out, c);
            if (operands != OPERANDS_NONE) buf_put_text(out, "'\n");
        }
        for (const OptionRow *row = option_table; row->name; row++) {
            if (!option_is_shown(row, c)) continue;
            buf_put_format(out, call, command_table[c].name);
            if (row->letter) buf_put_format(out, " -s %c", row->letter);
            buf_put_format(out, " -l %s%s", row->name, values[value_of(row)]);
            put_choices(out, row);
            buf_put_text(out, value_of(row) == VALUE_CHOICE ? "' -d '" : " -d '");
            put_description(out, option_help(row, c), FISH_SPECIAL);
            buf_put_text(out, "'\n");
        }
    }
    if (is_commands) put_commands(out, "complete -c dragoman -n __dragoman_is_first -a ", " -d '", "'\n", FISH_SPECIAL);
    if (!is_options && !is_commands) put_command_names(out, " ");
}

Status help_append_completion(Buf *out, const char *shell, Err *err)
{
    /* In the order of shell_names[]. */
    static const char *const scripts[] = { completion_bash, completion_zsh, completion_fish };
    static PutPlace *const places[] = { put_bash, put_zsh, put_fish };
    size_t index = 0;

    while (shell_names[index] && strcasecmp(shell_names[index], shell) != 0) index++;
    if (!shell_names[index])
        return err_set(err, ERR_USAGE, "completion: there is a script for bash, zsh and fish, not for '%s'", shell);
    if (!out) return OK;
    put_filled(out, scripts[index], places[index]);
    return buf_check(out, err);
}
