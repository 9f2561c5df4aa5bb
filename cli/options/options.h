/* options.h - the tables of commands and of options, the struct that the options fill in, and the parser of the command
 * line. The rows of options come from settings.def. The parser, the help, the man page and the completion scripts are
 * based on the tables. */
#ifndef DRAGOMAN_OPTIONS_H
#define DRAGOMAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman_job.h"
#include "err.h"
#include "format.h"

typedef struct {
    bool given;
    float value;
} OptionalFloat;

/* The largest number of values of an option that can be repeated. */
#define OPTION_LIST_LIMIT 64
typedef struct {
    const char *items[OPTION_LIST_LIMIT];
    size_t count;
} OptionList;

/* --- Commands */

/* COMMAND_TRANSLATE has no name; the first argument names any other command. Help and completion show the commands with
 * COMMAND_FIRST <= command < COMMANDS_SHOWN. */
typedef enum {
    COMMAND_TRANSLATE,
    COMMAND_INFO,
    COMMAND_FIRST = COMMAND_INFO,
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
    COMMANDS_SHOWN,
    COMMAND_COMPLETE = COMMANDS_SHOWN,
    COMMAND_SERVER, /* no command of dragoman: the program dragoman-server */
    COMMANDS
} Command;
#define COMMAND_BIT(command) (1u << (command))

/* The operands of a command. Without files, standard input is read. A model is the same as after -m. */
typedef enum { OPERANDS_NONE, OPERANDS_FILES, OPERANDS_MODEL, OPERANDS_SUBJECTS, OPERANDS_SHELLS } OperandKind;

typedef struct {
    const char *name;    /* "" for translating */
    const char *purpose; /* a few words for the list of commands; NULL: it is not in the list */
    const char *text;    /* the content of a file in cli/options/texts; its parts: CommandPart in help.c */
    OperandKind operands;
    bool opens_models;
} CommandRow;

/* Indexed by Command. program.c runs the command, options.c checks its operands. */
extern const CommandRow command_table[COMMANDS];

/* --- Options */

/* What to do with files of a batch that are not UTF-8 text. */
typedef enum { OTHERS_SKIP, OTHERS_COPY } OtherFiles;

/* What to do with texts whose language is not recognized. */
typedef enum { UNKNOWN_COPY, UNKNOWN_ERROR } UnknownLanguage;

/* The output of explain: a page, which opens in one of these languages, or the trace as JSON. */
typedef enum { PAGE_HTML, PAGE_JSON } PageFormat;
typedef enum { PAGE_ENGLISH, PAGE_CHINESE } PageLanguage;

/* The value of a numeric option that the user has not given. */
#define NOT_GIVEN (-1L)

/* Bits of a SWITCH: the user gave the option; the user gave its negation. */
enum { OPTION_ON = 1, OPTION_OFF = 2 };

/* The options of dragoman-server alone. */
typedef struct {
    OptionList listen, hosts, origins;
    const char *socket, *keys, *glossaries;
    bool trust_proxy, no_page;
    long max_requests, max_waiting, max_per_client, rate, max_connections;
    long max_body, max_file, max_uploads; /* in megabytes */
    long max_texts, max_chars, max_alternatives;
    long timeout, idle, memory_limit;
    long quota;
} ServerOptions;

/* The options of the programs, and a field for each row of settings.def. */
typedef struct {
    Command command;
    bool help, is_brief, version, man;        /* is_brief: -h instead of --help */
    const char *output, *output_dir, *suffix; /* a batch has one of the last two */
    OptionList includes, excludes;            /* globs */
    OptionList texts;                         /* inputs that come before the files */
    bool resume, dry_run;
    long others; /* an OtherFiles */
    bool progress, no_progress;
    bool greedy;
    bool no_reuse;
    bool no_config, no_sandbox;
    bool list;                     /* get */
    bool verify;                   /* info */
    bool as_f32, as_bf16, as_int8; /* pack; as_int8: also get */
    const char *forced;            /* explain */
    long page_format;              /* explain: a PageFormat */
    long page_language;            /* explain: a PageLanguage */
    long format;                   /* a Format; for models and get: 0 is text, 1 is jsonl */
    AlignmentStyle alignment;
    long alignment_unit; /* a DragomanUnit */
    bool word_scores;
    ServerOptions server;
    DragomanOptions *settings; /* the settings of the library that the user has given; made by options_parse() */
    char *const *files;        /* the operands, in argv; "-" if there is nothing else to read */
    size_t file_count;
#define SETTING_ROW(constant, kind, ...) kind
#define TEXT(field)                      const char *field;
#define LIST(field)                      OptionList field;
#define EACH(field, list)                OptionList list; /* one text per model, in order; "-": none for this model */
#define FLAG(field)                      bool field;
#define SWITCH(field)                    unsigned field; /* OPTION_ON or OPTION_OFF; 0: not given */
#define CHOICE(field, ...)               long field;
#define SIZE(field, low, high)           long field;
#define NUMBER(field, low, high)         long field;
#define REAL(field, low, high)           OptionalFloat field;
#include "settings.def"
} Options;

typedef enum {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_SWITCH,   /* unsigned, in which the option sets the bit `low` */
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
    GROUP_SERVER,
    GROUP_OTHER,
    GROUP_HIDDEN
} OptionGroup;

/* Sentences that explain an option, without the full stop at the end. */
typedef struct {
    unsigned commands; /* the commands with this help, as a sum of COMMAND_BIT()s */
    const char *text;
} OptionHelp;

/* A row of settings.def. */
typedef struct {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* name of the value in the help; NULL: the option takes none */
    OptionGroup group;
    DragomanSetting setting; /* the setting of the library */
    OptionKind kind;
    size_t field; /* offset in Options */
    double low, high;
    const char *const *choices; /* ends with NULL */
    const OptionHelp *helps;    /* ends with {0} */
} OptionRow;

extern const OptionRow option_table[]; /* ends with {0} */

/* The help of an option for a command; NULL: the command does not accept the option. */
const char *option_help(const OptionRow *row, Command command);

/* The words for the values of PageLanguage, in the same order; ends with NULL. */
extern const char *const page_language_names[];

/* Whether help and completion of the command show the option. */
bool option_is_shown(const OptionRow *row, Command command);

/* --- The command line */

/* Parses argv and checks everything that can be checked without a model. Returns ERR_USAGE on failure, or ERR_MEMORY.
 * Parsing stops at --help, --version and --help-man. *out points into argv, whose elements may be reordered. Call
 * options_free(*out) even on failure. */
MUST_USE Status options_parse(Options **out, int argc, char **argv, Err *err);

/* Like options_parse(), for a command that the caller knows. argv[0] is not read. */
MUST_USE Status options_parse_command(Options **out, Command command, int argc, char **argv, Err *err);

/* Sets the option's field to the value in `text`, which is NULL for a flag. Returns ERR_USAGE if the value is wrong. */
MUST_USE Status options_set(Options *out, const OptionRow *row, const char *text, Err *err);

/* Whether the language of each line is detected (--from auto). */
bool options_detect(const Options *options);

/* Returns ERR_USAGE if the file is a document, and the options are about the output of lines. */
MUST_USE Status options_check_format(const Options *options, const char *path, DragomanFormat format, Err *err);

/* NULL is allowed. */
void options_free(Options *options);

#endif
