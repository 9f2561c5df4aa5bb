/* help.c - what --help prints; the man page is in man_page.c. */
#include "option_table.h"

#include <stdio.h>
#include <string.h>

#define TEXT_COLUMN 27
#define LAST_COLUMN 79

static const char head[] = "Usage: dragoman [OPTION]... [FILE]...\n"
                           "       dragoman info -m PATH [--verify]\n"
                           "       dragoman pack -m PATH [--int8|--bf16|--f32] -o FILE\n"
                           "       dragoman shortlist -m PATH SOURCE TARGET -o FILE\n"
                           "\n"
                           "Translates each line of the files, or of standard input, to one line of\n"
                           "standard output. FILE - is standard input. `info` prints what a model is.\n"
                           "`pack` makes one file of a model's folder, which opens at once.\n"
                           "`shortlist` learns a file for --shortlist from text and its translation.\n";

static const char tail[] = "\n"
                           "Examples:\n"
                           "  echo \"Where is the train station?\" | dragoman\n"
                           "  dragoman -m opus-mt-fr-en -o book.en book.fr\n"
                           "  dragoman -m es-en.argosmodel -m en-de < notes.es\n"
                           "  dragoman -m opus-mt-fr-en -b 4 -n 4 --format tsv < book.fr\n"
                           "  dragoman pack -m opus-mt-fr-en --int8 -o fr-en.safetensors\n"
                           "\n"
                           "Exit status: 0; 1 for faults of a model, of data or of the system; 2 for usage.\n";

/* Appends `text` from `column` on, broken at spaces, each further line
 * indented to TEXT_COLUMN. */
static Status append_wrapped(Buf *out, const char *text, size_t column, Err *err)
{
    Status st = OK;

    while (st == OK && *text) {
        size_t word = strcspn(text, " ");

        if (column > TEXT_COLUMN && column + 1 + word > LAST_COLUMN) {
            st = buf_append_format(out, err, "\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        }
        if (st == OK && column > TEXT_COLUMN) {
            st = buf_append(out, " ", 1, err);
            column++;
        }
        if (st == OK) st = buf_append(out, text, word, err);
        column += word;
        text += word + (text[word] == ' ');
    }
    return st == OK ? buf_append(out, "\n", 1, err) : st;
}

static Status append_row(Buf *out, const OptionRow *row, Err *err)
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
    return st == OK ? append_wrapped(out, row->help, TEXT_COLUMN, err) : st;
}

Status help_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out, head, err);

    for (OptionGroup g = 0; st == OK && g < GROUP_HIDDEN; g++) {
        st = buf_append_format(out, err, "\n%s:\n", option_group_names[g]);
        for (size_t i = 0; st == OK && i < option_count; i++)
            if (option_table[i].group == g) st = append_row(out, &option_table[i], err);
    }
    return st == OK ? buf_append_text(out, tail, err) : st;
}
