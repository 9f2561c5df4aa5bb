/* option_table.h - a table with one row per option, the struct that the options fill in, and --help and the man
 * page. */
#ifndef DRAGOMAN_OPTION_TABLE_H
#define DRAGOMAN_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"

typedef struct {
    bool given;
    float value;
} OptionalFloat;

/* Values of an option that can be repeated. */
#define OPTION_LIST_LIMIT 64
typedef struct {
    const char *items[OPTION_LIST_LIMIT];
    size_t count;
} OptionList;

/* COMMAND_TRANSLATE has no name; the others are named by the first argument. */
typedef enum { COMMAND_TRANSLATE, COMMAND_INFO, COMMAND_PACK, COMMAND_SHORTLIST, COMMANDS } Command;

/* What becomes of the files of a batch that are not valid UTF-8 text. */
typedef enum { OTHERS_SKIP, OTHERS_COPY } OtherFiles;

/* The value of a number that is not on the command line. */
#define NOT_GIVEN (-1L)

typedef struct {
    Command command;
    bool help, version, man;
    OptionList models;                      /* in the order of the pipeline */
    OptionList vocabs, weights, shortlists; /* one per model; "-": none */
    OptionList vias;                        /* pivot languages */
    const char *from, *to, *prefix, *output;
    const char *output_dir, *suffix; /* at most one of them: a batch of files */
    OptionList includes, excludes;   /* globs */
    bool resume, dry_run;
    long others; /* an OtherFiles */
    bool progress, no_progress;
    bool greedy, pieces, quiet, verbose;
    bool verify;                   /* info */
    bool as_f32, as_bf16, as_int8; /* pack */
    bool split, no_split;
    long beams, n_best, min_length, max_length, max_input, no_repeat_ngram, threads, batch_rows, shortlist_first,
        shortlist_best;
    OptionalFloat length_penalty, repetition_penalty, word_penalty, length_factor;
    bool allow_unk;
    long format;        /* a Format */
    long precision;     /* a DragomanPrecision */
    char *const *files; /* at least one, from argv or "-" */
    size_t file_count;
} Options;

typedef enum {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* OptionList, of at most `high` texts */
    OPTION_INTEGER, /* long, from `low` to `high` */
    OPTION_REAL,    /* OptionalFloat, from `low` to `high` */
    OPTION_CHOICE   /* long, the index of the word in `choices` */
} OptionKind;

typedef enum {
    GROUP_MODEL,
    GROUP_SEARCH,
    GROUP_STREAMS,
    GROUP_BATCH,
    GROUP_COMMANDS,
    GROUP_OTHER,
    GROUP_HIDDEN
} OptionGroup;

typedef struct {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* name of the value in the help; NULL: the option takes none */
    OptionGroup group;
    DragomanSetting setting; /* setting of the library; messages use it to name the option */
    OptionKind kind;
    size_t field; /* offset in Options */
    double low, high;
    const char *const *choices; /* ends with NULL */
    const char *help;           /* sentences; the last one without a full stop */
} OptionRow;

#define OPTION_LIMIT 64 /* more than there are options */
extern const OptionRow option_table[];
extern const size_t option_count;

/* Indexed by Command; that of COMMAND_TRANSLATE is "". */
extern const char *const command_names[COMMANDS];

/* Indexed by OptionGroup, without the hidden one. */
extern const char *const option_group_names[GROUP_HIDDEN];

/* Appends what --help prints, at most 80 columns wide. */
MUST_USE Status help_append(Buf *out, Err *err);

/* Appends the man page, dragoman.1, as roff. */
MUST_USE Status man_page_append(Buf *out, Err *err);

#endif
