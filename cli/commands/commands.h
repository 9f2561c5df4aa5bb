/* commands.h - the commands of the program. Each writes its result to an Output that it chooses, opens and finishes. */
#ifndef DRAGOMAN_COMMANDS_H
#define DRAGOMAN_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "document_output.h"
#include "documents.h"
#include "err.h"
#include "filter.h"
#include "format.h"
#include "glossary.h"
#include "keep_rules.h"
#include "library.h"
#include "memory.h"
#include "option_table.h"
#include "output.h"

/* Regular files that exist and are about to be written. */
typedef struct {
    const char *const *names;  /* [count], for messages */
    const DragomanFile *files; /* [count] */
    size_t count;
} ExistingTargets;

/* The input of a command: the options, the paths of the models, and the options for the library. */
typedef struct {
    const Options *options;
    const DragomanChoice *choice; /* NULL: no model is needed. None with --from auto and no model */
    DragomanHub *hub;             /* for models that are chosen by the languages of the input */
    DragomanOptions *settings;    /* of all models; NULL if no model is needed */
    size_t model_count;           /* 0 with --from auto and no model */
    ExistingTargets targets;      /* of a batch, to be checked with models that are chosen later */
} Job;

/* Translates the input. *unreadable is the number of inputs, and of lines of documents (input_faults()), that could not
 * be read; each one has been reported. */
MUST_USE Status command_translate(const Job *job, Output *out, size_t *unreadable, Err *err);

/* Scores or aligns the pairs of the input. *failed is the number of pairs that failed and of inputs that could not be
 * read; each one has been reported. (score.c) */
MUST_USE Status command_score(const Job *job, Output *out, size_t *failed, Err *err);

/* What a command reads. */
typedef struct {
    bool pairs;                 /* the lines are pairs of texts */
    const LineColumns *columns; /* of lines that are not pairs; NULL: they are texts */
    Documents *documents;       /* among the files; NULL: none */
    const KeepRules *keep;      /* what translations of lines keep; NULL: nothing */
    Memory *memory;             /* command_filter() opens it */
} FilterInput;

/* Opens the models, unless documents need none, passes the lines of the input to the writer, and finishes the output.
 * *unreadable is as for command_translate(). (translate.c) */
MUST_USE Status command_filter(const Job *job, const LineWriter *writer, FilterInput input, Output *out,
                               size_t *unreadable, Err *err);

/* Translates files into files (-O or --suffix). *failed is the number of failures; each one has been reported.
 * (batch.c) */
MUST_USE Status command_batch(const Job *job, Output *out, size_t *failed, Err *err);

MUST_USE Status command_info(const Job *job, Output *out, Err *err);

/* Lists the models that are found by name. (list_models.c) */
MUST_USE Status command_models(const Options *options, DragomanHub *hub, Output *out, Err *err);

/* Downloads the model that the options name, and writes to `out` what to give to -m. (get_model.c) */
MUST_USE Status command_get(const Options *options, Output *out, Err *err);

/* Packs a model. The file gets its name when it is complete. */
MUST_USE Status command_pack(const Job *job, Output *out, Err *err);

/* Learns a shortlist, or the calibration of a model. The name of the file of a shortlist determines whether it is text
 * or binary. */
MUST_USE Status command_learn(const Job *job, Output *out, Err *err);

/* Translates the operand and writes how the model does it, as a page or as JSON. (explain.c) */
MUST_USE Status command_explain(const Job *job, Output *out, Err *err);

/* Prints what needs no model: --help, --version, the man page, and the commands help, completion and complete. `hub` is
 * for complete, and may be NULL. (print.c) */
MUST_USE Status command_print(const Options *options, DragomanHub *hub, Output *out, Err *err);

/* Opens the hub with the configuration, unless `configured` is false, and sets the options that the command line does
 * not set: threads and precision. The precision is one that is preferred: packed models keep theirs. *out is NULL if
 * memory runs out; the caller closes it in any case. (choose_models.c) */
MUST_USE Status command_open_hub(DragomanHub **out, Options *options, const char *program, bool configured, Err *err);

/* Chooses the models of -m or, without it, those that dragoman_hub_choose() finds. On failure *out is NULL; otherwise
 * the caller frees it. (choose_models.c) */
MUST_USE Status command_choose_models(DragomanChoice **out, const Options *options, DragomanHub *hub, Err *err);

/* Enters the sandbox (sandbox.h) unless --no-sandbox is given, and says so with -v. The libraries that the command may
 * need are loaded before; regular expressions should have been compiled (JIT). Without a sandbox the command goes on:
 * the sandbox limits what an error in a parser can do, and no command relies on it. (enter_sandbox.c) */
void command_enter_sandbox(const Options *options);

/* Opens the models, prints their warnings unless -q is given, and sets *seconds to the time this took. On OK the
 * caller owns *out. (open_models.c) */
MUST_USE Status command_open_router(const Job *job, bool has_documents, Router **out, double *seconds, Err *err);

/* Makes the rules of --keep and --keep-file, and of the patterns for documents; NULL if there are none. On failure,
 * too, the caller owns *out. (open_keep.c) */
MUST_USE Status command_open_keep(KeepRules **out, const Options *options, bool has_documents, Err *err);

/* Opens the translation memory of --memory; NULL if there is none. On failure, too, close it with
 * command_close_memory(). (open_memory.c) */
MUST_USE Status command_open_memory(Memory **out, const Job *job, Router *router, Err *err);

/* Finishes and frees the memory, which may be NULL, and reports what was found, with -v. Returns `st`, the result of
 * what used the memory, or the failure to write it. */
MUST_USE Status command_close_memory(Memory *memory, const Options *options, Status st, Err *err);

/* Reads the files of --glossary, for the languages of the router; NULL if there are none. On failure, too, the caller
 * owns *out. (open_glossary.c) */
MUST_USE Status command_open_glossary(Glossary **out, const Job *job, const Router *router, Err *err);

/* The formats of the files of an input. */
typedef struct {
    const DocumentFormat *const *items; /* [count], NULL for lines */
    size_t count;
} FormatList;

/* Makes the Documents of the files with these formats; *out is NULL if all are lines. Otherwise the options of the
 * models get what documents need, so the models must not be open yet. The formats and `keep` must stay valid. On OK the
 * caller owns *out. (open_documents.c) */
MUST_USE Status command_open_documents(Documents **out, const Job *job, FormatList formats, const KeepRules *keep,
                                       Err *err);

/* What is written in the places of units. (open_documents.c) */
DocumentContent command_document_content(const Options *options);

/* Translates the only file of the input, which is a document of this format. (translate_document.c) */
MUST_USE Status command_translate_document(const Job *job, const DocumentFormat *format, const KeepRules *keep,
                                           Output *out, size_t *unreadable, Err *err);

/* Returns the formatter that the options choose. (open_models.c) */
Formatter command_formatter(const Options *options);

/* Determines the output and checks that writing it destroys nothing: returns ERR_USAGE if it is an input file or as for
 * command_check_targets(). Files are compared by device and inode, so links and other spellings of a name are
 * recognized. (choose_output.c) */
MUST_USE Status command_choose_output(const Job *job, Output *out, Err *err);

/* Returns ERR_USAGE if one of the targets is the program, the configuration file, or a file of a model, of
 * --keep-file or --glossary.
 * (choose_output.c) */
MUST_USE Status command_check_targets(const Job *job, const ExistingTargets *targets, Err *err);

#endif
