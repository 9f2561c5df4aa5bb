/* commands.h - the commands of the program. Each command chooses, opens and finishes the Output to which it writes. */
#ifndef DRAGOMAN_COMMANDS_H
#define DRAGOMAN_COMMANDS_H

#include <stddef.h>

#include "err.h"
#include "dragoman_job.h"
#include "library.h"
#include "options.h"
#include "output.h"

/* Existing regular files that the command is about to replace. */
typedef struct {
    const char *const *names;  /* [count], for messages */
    const DragomanFile *files; /* [count] */
    size_t count;
} ExistingTargets;

/* The input of a command: the options, the paths of the models, and the options for the library. */
typedef struct {
    const Options *options;
    const DragomanChoice *choice; /* NULL: no model is needed, or the languages of the input choose it later */
    DragomanHub *hub;             /* for models that are chosen by the languages of the input */
    DragomanOptions *settings;    /* of all models */
    ExistingTargets targets;      /* the targets of a batch, which are checked again when models are chosen later */
} Job;

/* Translates the input, or scores or aligns its pairs. *failed is the number of inputs that could not be read, plus
 * malformed lines of documents and pairs that failed; each of these failures has been reported. */
MUST_USE Status command_translate(const Job *job, Output *out, size_t *failed, Err *err);

/* Translates files into files (-O or --suffix). *failed is the number of failures; each one has been reported.
 * (translate.c) */
MUST_USE Status command_batch(const Job *job, Output *out, size_t *failed, Err *err);

MUST_USE Status command_info(const Job *job, Output *out, Err *err);

/* Lists the models that are found by name. (model_commands.c) */
MUST_USE Status command_models(const Options *options, DragomanHub *hub, Output *out, Err *err);

/* Downloads the model that the options name, and writes the value for -m to `out`. (model_commands.c) */
MUST_USE Status command_get(const Options *options, Output *out, Err *err);

/* Packs a model into a file, which gets its name only when it is complete. */
MUST_USE Status command_pack(const Job *job, Output *out, Err *err);

/* Learns a shortlist, or the calibration of a model. The name of the file of a shortlist determines whether it is text
 * or binary. */
MUST_USE Status command_learn(const Job *job, Output *out, Err *err);

/* Translates the operand and writes how the model does it, as a page or as JSON. (explain.c) */
MUST_USE Status command_explain(const Job *job, Output *out, Err *err);

/* Enters the sandbox (sandbox.h) unless --no-sandbox is given. With -v, reports whether the sandbox is on. Before that,
 * loads the libraries that the command may need. Compile regular expressions before the call, because their JIT
 * compiler needs executable memory. If the system has no sandbox, the command goes on, because the sandbox only limits
 * the harm that an error in a parser can do. (command_start.c) */
void command_enter_sandbox(const Options *options);

/* Determines the output and checks that writing it destroys nothing: returns ERR_USAGE if the output is an input file,
 * or one of the files that command_check_targets() refuses. Files are compared by device and inode, so links and other
 * spellings of a name are recognized. (command_start.c) */
MUST_USE Status command_choose_output(const Job *job, Output *out, Err *err);

/* Returns ERR_USAGE if one of the targets is the program, the configuration file, or a file of a model, of
 * --keep-file or --glossary. (command_start.c) */
MUST_USE Status command_check_targets(const Job *job, const ExistingTargets *targets, Err *err);

#endif
