/* option_table.h - a table with one row per option, and the struct that the options fill in. Parsing, the help, the man
 * page and the completion scripts are made from it. */
#ifndef DRAGOMAN_OPTION_TABLE_H
#define DRAGOMAN_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "alignment_format.h"
#include "dragoman.h"

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

/* COMMAND_TRANSLATE has no name; the others are named by the first argument (command_table.h). */
typedef enum {
    COMMAND_TRANSLATE,
    COMMAND_INFO,
    COMMAND_MODELS,
    COMMAND_PACK,
    COMMAND_SHORTLIST,
    COMMAND_SCORE,
    COMMAND_ALIGN,
    COMMAND_CALIBRATE,
    COMMAND_EXPLAIN,
    COMMAND_GET,
    COMMAND_HELP,
    COMMAND_COMPLETION,
    COMMAND_COMPLETE,
    COMMANDS
} Command;
#define COMMAND_BIT(command) (1u << (command))

/* How 'dragoman models' writes its list. */
typedef enum { MODEL_LIST_TEXT, MODEL_LIST_JSONL } ModelListFormat;

/* What to do with files of a batch that are not UTF-8 text. */
typedef enum { OTHERS_SKIP, OTHERS_COPY } OtherFiles;

/* What to do with texts whose language is not recognized. */
typedef enum { UNKNOWN_COPY, UNKNOWN_ERROR } UnknownLanguage;

/* The value of a number that is not on the command line. */
#define NOT_GIVEN (-1L)

/* The options of documents. */
typedef struct {
    const char *as;       /* the name of a format, or "lines"; NULL: by the names of the files */
    const char *encoding; /* the name of an encoding; NULL: what each document declares */
    OptionList selects, skips, columns;
    bool identity, pseudo; /* at most one of them; they need no model */
    bool retranslate, keep_language, force_language, bilingual;
} DocumentChoices;

typedef struct {
    Command command;
    bool help, version, man;
    OptionList models;                                    /* in the order of the pipeline */
    OptionList vocabs, weights, shortlists, calibrations; /* one per model; "-": none */
    OptionList vias;                                      /* pivot languages */
    const char *from, *to, *prefix, *output;
    long unknown;                    /* an UnknownLanguage */
    const char *output_dir, *suffix; /* at most one of them: a batch of files */
    OptionList includes, excludes;   /* globs */
    bool resume, dry_run;
    long others; /* an OtherFiles */
    bool progress, no_progress;
    bool greedy, pieces, quiet, verbose;
    bool no_config, no_sandbox;
    bool verify;                   /* info */
    bool as_f32, as_bf16, as_int8; /* pack; as_int8: get, too */
    const char *forced;            /* explain */
    long page_format;              /* explain: a PageFormat */
    long page_language;            /* explain: a PageLanguage */
    bool split, no_split;
    bool capitals, no_capitals;
    bool keep_unknown, no_keep_unknown;
    bool keep_numbers, no_keep_numbers;
    long beams, n_best, min_length, max_length, max_input, no_repeat_ngram, threads, batch_rows, shortlist_first,
        shortlist_best;
    OptionalFloat length_penalty, repetition_penalty, word_penalty, length_factor;
    bool allow_unk;
    DocumentChoices documents;
    OptionList keeps, keep_files; /* regular expressions; files of words */
    const char *memory;           /* a translation memory */
    OptionList glossaries;        /* files */
    long format;                  /* a Format; of score and align, a PairFormat; of models, a ModelListFormat */
    AlignmentStyle alignment;
    long alignment_unit; /* a DragomanUnit */
    bool token_scores, confidence, rescue;
    bool sample, no_sample, disable_unk, replace_unknowns, word_scores, force_decode, crop;
    OptionalFloat temperature, top_p, min_p, alternative_probability, prefix_bias, coverage_penalty, patience;
    long top_k, seed, alternatives;
    OptionList suppressed, end_tokens, musts; /* texts or pieces */
    const char *tsv_in;                       /* names of the columns of the input, separated by commas */
    long precision;                           /* a DragomanPrecision, or NOT_GIVEN */
    bool precision_is_preferred;              /* it is that of the configuration file */
    char *const *files;                       /* the operands, from argv; if there is nothing else to translate, "-" */
    size_t file_count;
} Options;

typedef enum {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_LIST,     /* OptionList, of at most `high` texts */
    OPTION_INTEGER,  /* long, from `low` to `high` */
    OPTION_REAL,     /* OptionalFloat, from `low` to `high` */
    OPTION_CHOICE,   /* long, the index of the word in `choices` */
    OPTION_ALIGNMENT /* AlignmentStyle, one of the words in `choices` or a number */
} OptionKind;

typedef enum {
    GROUP_MODEL,
    GROUP_SEARCH,
    GROUP_STREAMS,
    GROUP_DOCUMENTS,
    GROUP_BATCH,
    GROUP_OTHER,
    GROUP_HIDDEN
} OptionGroup;

typedef struct {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* name of the value in the help; NULL: the option takes none */
    OptionGroup group;
    unsigned commands;       /* those that accept the option: a COMMAND_BIT() each */
    DragomanSetting setting; /* setting of the library; messages use it to name the option */
    OptionKind kind;
    size_t field; /* offset in Options */
    double low, high;
    const char *const *choices; /* ends with NULL */
    const char *help;           /* sentences; the last one without a full stop */
} OptionRow;

#define OPTION_LIMIT 160 /* more than there are rows */
extern const OptionRow option_table[];
extern const size_t option_count;

/* Indexed by OptionGroup, without the hidden one. */
extern const char *const option_group_names[GROUP_HIDDEN];

/* Whether help and completion of the command show the option. */
bool option_is_shown(const OptionRow *row, Command command);

#endif
