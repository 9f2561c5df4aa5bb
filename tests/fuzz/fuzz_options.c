/* fuzz_options.c - fuzzes the parser of the command line.
 * Input    The arguments, with a newline between any two.
 * Checks   A command line is refused as wrong usage, with one line, or the options are within the limits of the table,
 *          and the operands are arguments. Parsing the same arguments again gives the same.
 * Options  -max_len=400 */
#include "fuzz_support.h"

#include <getopt.h>

#include "options.h"

#define MOST_ARGUMENTS 40

typedef struct {
    char *bytes;
    char *list[MOST_ARGUMENTS + 1];
    int count;
} Arguments;

static void arguments_read(Arguments *out, const uint8_t *data, size_t size)
{
    static char name[] = "dragoman";

    *out = (Arguments){ .bytes = malloc(size + 1), .list = { name }, .count = 1 };
    require(out->bytes != NULL, "memory", "arguments");
    if (size) memcpy(out->bytes, data, size);
    out->bytes[size] = '\0';
    for (char *at = out->bytes; at && out->count < MOST_ARGUMENTS;) {
        char *end = strchr(at, '\n');
        if (end) *end++ = '\0';
        out->list[out->count++] = at;
        at = end;
    }
}

static bool is_argument(const Arguments *arguments, const char *text)
{
    for (int i = 0; i < arguments->count; i++) {
        const char *argument = arguments->list[i];
        if (text >= argument && text <= argument + strlen(argument)) return true;
    }
    return false;
}

static void check_value(const Options *options, const OptionRow *row, const Arguments *arguments)
{
    const void *field = (const char *)options + row->field;
    const OptionList *list = field;
    const OptionalFloat *real = field;
    const long *number = field;
    long words = 0;

    while (row->choices && row->choices[words]) words++;
    switch (row->kind) {
    case OPTION_TEXT:
        require(!*(const char *const *)field || is_argument(arguments, *(const char *const *)field), "an argument",
                row->name);
        break;
    case OPTION_LIST:
        require(list->count <= OPTION_LIST_LIMIT && (double)list->count <= row->high, "the length", row->name);
        for (size_t i = 0; i < list->count; i++) require(is_argument(arguments, list->items[i]), "a value", row->name);
        break;
    case OPTION_INTEGER:
        require(*number == NOT_GIVEN || !*number || ((double)*number >= row->low && (double)*number <= row->high),
                "the range", row->name);
        break;
    case OPTION_REAL:
        require(!real->given || ((double)real->value >= row->low && (double)real->value <= row->high), "the range",
                row->name);
        break;
    case OPTION_CHOICE:
        require(*number == NOT_GIVEN || (*number >= 0 && *number < words), "a word", row->name);
        break;
    default:
        break;
    }
}

static void check_options(const Options *options, const Arguments *arguments)
{
    require(options->command >= COMMAND_TRANSLATE && options->command < COMMANDS, "a command", "of the table");
    if (options->help || options->version || options->man) return;
    for (const OptionRow *row = option_table; row->name; row++)
        if (option_help(row, options->command) && strcmp(row->name, "greedy") != 0)
            check_value(options, row, arguments);
    require(options->file_count <= (size_t)arguments->count, "the number", "of operands");
    for (size_t i = 0; i < options->file_count; i++)
        require(strcmp(options->files[i], "-") == 0 || is_argument(arguments, options->files[i]), "an operand",
                options->files[i]);
    require(options->models.count <= OPTION_LIST_LIMIT, "the number", "of models");
}

static Status parse(Options **out, Arguments *arguments, Err *err)
{
    optind = 0; /* glibc then forgets the arguments before */
    return options_parse(out, arguments->count, arguments->list, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arguments arguments, again;
    Options *options, *same;
    Err err = { "" }, second = { "" };
    Status st;

    arguments_read(&arguments, data, size);
    arguments_read(&again, data, size);
    st = parse(&options, &arguments, &err);
    if (st == OK) {
        check_options(options, &arguments);
    } else {
        require(st == ERR_USAGE, "wrong usage", err.text);
        require(*err.text && !strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    }
    require(parse(&same, &again, &second) == st && strcmp(err.text, second.text) == 0, "the same again", err.text);
    options_free(options);
    options_free(same);
    free(arguments.bytes);
    free(again.bytes);
    return 0;
}
