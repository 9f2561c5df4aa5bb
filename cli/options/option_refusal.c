/* option_refusal.c - explains why an option is not accepted, and suggests another one: see option_parts.h. */
#include <string.h>

#include "buf.h"
#include "command_table.h"
#include "nearest.h"
#include "option_parts.h"

/* Appends the options of the command that begin with word[0, len). */
static Status append_candidates(Buf *out, Command command, const char *word, size_t len, size_t *count, Err *err)
{
    Status st = OK;

    *count = 0;
    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || strncmp(row->name, word, len) != 0) continue;
        st = buf_append_format(out, err, "%s--%s", (*count)++ ? ", " : "", row->name);
    }
    return st;
}

static bool equals(const char *name, const char *word, size_t len)
{
    return strlen(name) == len && memcmp(name, word, len) == 0;
}

/* Appends "--OPTION word" if the word is a value of an option of the command: users write --jsonl for --format
 * jsonl. */
static Status append_choice(Buf *out, Command command, const char *word, size_t len, Err *err)
{
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command) || !row->choices) continue;
        for (size_t k = 0; row->choices[k]; k++)
            if (equals(row->choices[k], word, len))
                return buf_append_format(out, err, "--%s %s", row->name, row->choices[k]);
    }
    return OK;
}

/* Leaves *out empty if no option of the command is near. */
static Status append_suggestion(Buf *out, Command command, const char *word, size_t len, Err *err)
{
    Nearest nearest = NEAREST_START;
    Status st = append_choice(out, command, word, len, err);

    if (st != OK || out->len) return st;
    for (size_t i = 0; i < option_count; i++)
        if (option_is_shown(&option_table[i], command)) nearest_add(&nearest, word, len, option_table[i].name);
    return nearest.name ? buf_append_format(out, err, "--%s", nearest.name) : OK;
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
    Status st = OK;

    if (command != COMMAND_TRANSLATE)
        return err_set(err, ERR_USAGE, "%s: %.*s cannot be used with this command", command_table[command].name, len,
                       name);
    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (option_help(row, c))
            st = buf_append_format(&commands, err, "%sdragoman %s", commands.len ? " and " : "", command_table[c].name);
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
    Buf list = { 0 }, near = { 0 }, suggestion = { 0 };
    size_t count;
    Status st = append_candidates(&list, command, name, name_len, &count, err);

    if (st == OK) st = append_suggestion(&near, command, name, name_len, err);
    if (st == OK)
        st = near.len ? buf_append_format(&suggestion, err, " (did you mean '%s'?)", near.data)
                      : buf_append_text(&suggestion, "", err);
    if (st == OK && foreign)
        st = refuse_foreign(command, foreign, word, len, suggestion.data, err);
    else if (st == OK && count > 1)
        st = err_set(err, ERR_USAGE, "ambiguous option '%.*s' (%s)", len, word, list.data);
    else if (st == OK)
        st = err_set(err, ERR_USAGE, "unknown option '%.*s'%s", len, word, suggestion.data);
    buf_free(&list);
    buf_free(&near);
    buf_free(&suggestion);
    return st;
}

Status option_refuse(Command command, int code, int option, const char *word, Err *err)
{
    const char *name = option >= OPTION_FIRST_CODE ? option_table[option - OPTION_FIRST_CODE].name : NULL;

    if (code == ':' && name) return err_set(err, ERR_USAGE, "option '--%s' needs a value", name);
    if (code == ':') return err_set(err, ERR_USAGE, "option '-%c' needs a value", option);
    if (name) return err_set(err, ERR_USAGE, "option '--%s' takes no value", name);
    return option ? refuse_letter(command, (char)option, err) : refuse_word(command, word, err);
}
