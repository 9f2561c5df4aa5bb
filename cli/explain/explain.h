/* explain.h - the command explain. */
#ifndef DRAGOMAN_EXPLAIN_H
#define DRAGOMAN_EXPLAIN_H

#include "commands.h"
#include "err.h"
#include "output.h"

/* Translates the operand and writes how the model does it, as a page or as JSON. */
MUST_USE Status command_explain(const Job *job, Output *out, Err *err);

#endif
