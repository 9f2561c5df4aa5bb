/* library.h - converts the command line to options of the library, and errors of the library to those of the
 * program. */
#ifndef DRAGOMAN_LIBRARY_H
#define DRAGOMAN_LIBRARY_H

#include "dragoman_hub.h"
#include "dragoman_tools.h"
#include "err.h"
#include "options.h"

/* Creates the options of the library from those of the program. If `models` is NULL, the models are those of the option
 * -m. On OK the caller owns *out. */
MUST_USE Status library_options_new(DragomanOptions **out, const Options *options, const DragomanChoice *models,
                                    Err *err);

/* Opens the hub. Reads the configuration if `configured`, and takes the threads and the precision from it unless the
 * command line sets them. This precision is only a preference: packed models keep their own. *out is NULL if memory
 * runs out; the caller closes it also after an error. The hub is told the folder of the program, with links resolved.
 * Linux knows the path of the program; on other systems, it is found from `program`, which is argv[0]. */
MUST_USE Status library_open_hub(DragomanHub **out, Options *options, const char *program, bool configured, Err *err);

/* The DragomanSpeller of the program: writes the option that stands for a setting, for messages. */
int library_spell(void *context, DragomanSetting setting, char *out, size_t size);

/* Converts the result of a call of the library to a Status and its message to *err. */
MUST_USE Status library_status(DragomanStatus status, const DragomanError *error, Err *err);

/* Converts the result of a function of the program that the library calls. */
MUST_USE DragomanStatus library_answer(Status status, const Err *err, DragomanError *error);

#endif
