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

/* The DragomanSpeller of the program: writes the option that stands for a setting, for messages. */
int library_spell(void *context, DragomanSetting setting, char *out, size_t size);

/* Converts the result of a call of the library to a Status and its message to *err. */
MUST_USE Status library_status(DragomanStatus status, const DragomanError *error, Err *err);

/* Converts the result of a function of the program that the library calls. */
MUST_USE DragomanStatus library_answer(Status status, const Err *err, DragomanError *error);

#endif
