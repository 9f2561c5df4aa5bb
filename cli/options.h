/* options.h - the command line.
 * The table in option_table.c says everything about an option: parsing, help
 * and man page come from its row. */
#ifndef DRAGOMAN_OPTIONS_H
#define DRAGOMAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "err.h"

typedef struct {
    bool given;
    float value;
} OptionalFloat;

/* What options may say several times, once for each model. */
#define OPTION_LIST_LIMIT 8
typedef struct {
    const char *items[OPTION_LIST_LIMIT];
    size_t count;
} OptionList;

/* NOT_GIVEN in a number: not on the command line. */
#define NOT_GIVEN (-1L)

typedef struct {
    bool info, pack, learn; /* the commands `info`, `pack` and `shortlist` */
    bool help, version, man;
    OptionList models;                      /* the way of a line */
    OptionList vocabs, weights, shortlists; /* of the models; "-": none */
    OptionList vias;                        /* languages between the models */
    const char *from, *to, *prefix, *output;
    bool greedy, pieces, quiet, verbose;
    bool verify;                   /* of info */
    bool as_f32, as_bf16, as_int8; /* of pack */
    bool split, no_split;
    long beams, n_best, min_length, max_length, max_input, no_repeat_ngram, threads, batch_rows, shortlist_first,
        shortlist_best;
    OptionalFloat length_penalty, repetition_penalty, word_penalty, length_factor;
    bool allow_unk;
    long format;        /* a Format */
    long precision;     /* a DragomanPrecision */
    char *const *files; /* at least one; of argv or "-" */
    size_t file_count;
} Options;

/* Parses argv and checks what can be known without a model. Not OK:
 * ERR_USAGE. --help, --version and --help-man end the parsing where they
 * stand. *out points into argv, whose order may change. */
MUST_USE Status options_parse(Options *out, int argc, char **argv, Err *err);

/* How many models there are: 1 when none was named. */
size_t options_model_count(const Options *options);

#endif
