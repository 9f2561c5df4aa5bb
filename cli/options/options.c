/* options.c - see options.h: finds the command, reads its options with getopt_long(), and has them checked. */
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
#include "command_table.h"
#include "nearest.h"
#include "option_parts.h"

/* getopt_long() returns this + the index of the row for a long option, and the letter for a short one. */
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

/* Accepts digits, signs, dots and exponents only, so "inf", "nan" and "0x1p3" are refused. The program never calls
 * setlocale(), so the locale is "C". */
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

static Status set_choice(const OptionRow *row, long *field, const char *text, Err *err)
{
    char list[128] = "";
    long i;

    for (i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *field = i;
            return OK;
        }
        if (i) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, row->choices[i], sizeof list - strlen(list) - 1);
    }
    return err_set(err, ERR_USAGE, "--%s must be one of %s, not '%s'", row->name, list, text);
}

static Status add_to_list(const OptionRow *row, OptionList *list, const char *text, Err *err)
{
    if (list->count == (size_t)row->high)
        return err_set(err, ERR_USAGE, "--%s can be given at most %.0f times", row->name, row->high);
    list->items[list->count++] = text;
    return OK;
}

Status option_set(Options *out, const OptionRow *row, const char *text, Err *err)
{
    char *field = (char *)out + row->field;

    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return OK;
    case OPTION_LIST:
        return add_to_list(row, (OptionList *)(void *)field, text, err);
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

/* Puts the options of the command that begin with word[0, len). Returns their number. */
static size_t put_candidates(Buf *out, Command command, const char *word, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || strncmp(row->name, word, len) != 0) continue;
        buf_put_format(out, "%s--%s", count++ ? ", " : "", row->name);
    }
    return count;
}

static bool equals(const char *name, const char *word, size_t len)
{
    return strlen(name) == len && memcmp(name, word, len) == 0;
}

/* Puts "--OPTION word" if the word is a value of an option of the command, because users write --jsonl for --format
 * jsonl; else the option that is nearest to the word, if there is one. */
static void put_suggestion(Buf *out, Command command, const char *word, size_t len)
{
    Nearest nearest = NEAREST_START;

    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command)) continue;
        nearest_add(&nearest, word, len, row->name);
        for (size_t k = 0; row->choices && row->choices[k]; k++) {
            if (!equals(row->choices[k], word, len)) continue;
            buf_put_format(out, " (did you mean '--%s %s'?)", row->name, row->choices[k]);
            return;
        }
    }
    if (nearest.name) buf_put_format(out, " (did you mean '--%s'?)", nearest.name);
}

/* Returns a row of the option, or NULL. Options of the command itself do not get here. */
static const OptionRow *find_foreign(const char *word, size_t len, char letter)
{
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (row->group != GROUP_HIDDEN && (letter ? row->letter == letter : equals(row->name, word, len))) return row;
    }
    return NULL;
}

/* Says which commands accept the option; `name` is the option as the user wrote it, [0, len). */
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
            buf_put_format(&commands, "%sdragoman %s", commands.len ? " and " : "", command_table[c].name);
    st = buf_check(&commands, err);
    if (st == OK) st = err_set(err, ERR_USAGE, "%.*s can only be used with %s%s", len, name, commands.data, suggestion);
    buf_free(&commands);
    return st;
}

static Status refuse_letter(Command command, char letter, Err *err)
{
    const char name[] = { '-', letter };
    const OptionRow *row = find_foreign(NULL, 0, letter);

    if (row) return refuse_foreign(command, row, name, sizeof name, "", err);
    if (letter > ' ' && letter < 0x7f) return err_set(err, ERR_USAGE, "unknown option '-%c'", letter);
    return err_set(err, ERR_USAGE, "unknown option '-\\x%02x'", (unsigned char)letter);
}

/* Refuses `word`, which begins with "--". */
static Status refuse_word(Command command, const char *word, Err *err)
{
    const int len = (int)strcspn(word, "=");
    const char *name = word + 2;
    const size_t name_len = (size_t)len - 2;
    const OptionRow *foreign = find_foreign(name, name_len, '\0');
    Buf list = { 0 }, suggestion = { 0 };
    const size_t count = put_candidates(&list, command, name, name_len);
    Status st = buf_check(&list, err);

    buf_put_text(&suggestion, ""); /* there may be none */
    put_suggestion(&suggestion, command, name, name_len);
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

/* Returns ERR_USAGE for an option that getopt_long() did not accept. `code` is what it returned, `option` is optopt,
 * and `word` is the argument at which it stopped. */
static Status refuse(Command command, int code, int option, const char *word, Err *err)
{
    const char *name = option >= OPTION_FIRST_CODE ? option_table[option - OPTION_FIRST_CODE].name : NULL;

    if (code == ':' && name) return err_set(err, ERR_USAGE, "option '--%s' needs a value", name);
    if (code == ':') return err_set(err, ERR_USAGE, "option '-%c' needs a value", option);
    if (name) return err_set(err, ERR_USAGE, "option '--%s' takes no value", name);
    return option ? refuse_letter(command, (char)option, err) : refuse_word(command, word, err);
}

/* --- The command line. */

/* A hidden option is only accepted if it is written in full, so that it makes no abbreviation ambiguous. */
static bool is_offered(const OptionRow *row, Command command, char *const *argv)
{
    const size_t len = strlen(row->name);

    if (!option_help(row, command)) return false;
    if (row->group != GROUP_HIDDEN) return true;
    for (; *argv; argv++)
        if (strncmp(*argv, "--", 2) == 0 && strncmp(*argv + 2, row->name, len) == 0 && !(*argv)[2 + len]) return true;
    return false;
}

static void fill_getopt_tables(struct option *longs, char *letters, Command command, char *const *argv)
{
    *letters++ = ':';
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];

        if (!is_offered(row, command, argv)) continue;
        *longs++ = (struct option){ row->name, row->argument ? required_argument : no_argument, NULL,
                                    OPTION_FIRST_CODE + (int)i };
        if (!row->letter) continue;
        *letters++ = row->letter;
        if (row->argument) *letters++ = ':';
    }
    *longs = (struct option){ 0 };
    *letters = '\0';
}

static const OptionRow *find_row(Command command, int code)
{
    if (code >= OPTION_FIRST_CODE) return &option_table[code - OPTION_FIRST_CODE];
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].letter == code && option_help(&option_table[i], command)) return &option_table[i];
    return NULL;
}

static Status parse_options(Options *out, int argc, char **argv, Err *err)
{
    struct option longs[OPTION_LIMIT];
    char letters[2 * OPTION_LIMIT + 2];
    Status st = OK;
    int code;

    fill_getopt_tables(longs, letters, out->command, argv);
    opterr = 0;
    while (st == OK && !out->help && !out->version && !out->man) {
        const OptionRow *row;

        optopt = 0;
        code = getopt_long(argc, argv, letters, longs, NULL);
        if (code == -1) break;
        row = find_row(out->command, code);
        st = row ? option_set(out, row, optarg, err) : refuse(out->command, code, optopt, argv[optind - 1], err);
    }
    return st;
}

Status options_parse(Options *out, int argc, char **argv, Err *err)
{
    static char dash[] = "-";
    static char *const standard_input[] = { dash };
    Status st;

    *out = (Options){ .command = COMMAND_TRANSLATE };
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].setting &&
            (option_table[i].kind == OPTION_INTEGER || option_table[i].kind == OPTION_CHOICE))
            *(long *)(void *)((char *)out + option_table[i].field) = NOT_GIVEN;
    out->command = argc > 1 ? command_find(argv[1]) : COMMAND_TRANSLATE;
    if (out->command != COMMAND_TRANSLATE) argc--, argv++;
    st = parse_options(out, argc, argv, err);
    if (st != OK || out->help || out->version || out->man) return st;
    out->files = argv + optind;
    out->file_count = (size_t)(argc - optind);
    st = option_check_all(out, err);
    if (out->command == COMMAND_ALIGN && out->alignment.kind == ALIGNMENT_NONE)
        out->alignment = (AlignmentStyle){ ALIGNMENT_LINKS, 1 };
    if (out->greedy) out->beams = 1;
    if (out->as_f32 || out->as_bf16 || out->as_int8)
        out->precision = out->as_f32 ? DRAGOMAN_F32 : out->as_bf16 ? DRAGOMAN_BF16 : DRAGOMAN_INT8;
    if (options_read_lines(out) && !out->file_count) {
        out->files = standard_input;
        out->file_count = 1;
    }
    return st;
}

bool options_read_lines(const Options *o)
{
    return o->command == COMMAND_TRANSLATE || o->command == COMMAND_SCORE || o->command == COMMAND_ALIGN;
}

bool options_detect(const Options *o)
{
    return o->command == COMMAND_TRANSLATE && o->from && strcasecmp(o->from, "auto") == 0;
}

size_t options_model_count(const Options *o)
{
    return o->models.count ? o->models.count : 1;
}

bool options_need_no_model(const Options *o)
{
    return o->identity || o->pseudo;
}

void options_free(Options *o)
{
    dragoman_options_free(o->settings);
}
