/* sandbox.h - forbids system calls that reading models and translating never need: the network, other programs, other
 * processes, new executable memory, and changes of the system. A hostile model that exploits an error in a parser can
 * then do less harm. The process cannot leave the sandbox.
 *
 * Only the programs use it: a library must not restrict the program that loads it. */
#ifndef DRAGOMAN_SANDBOX_H
#define DRAGOMAN_SANDBOX_H

#include <stdbool.h>

#include "err.h"

/* What the process may do. */
typedef enum {
    SANDBOX_PROGRAM, /* no network */
    SANDBOX_SERVER   /* accept connections to sockets that are open already, and use them; make none */
} SandboxKind;

/* Puts all threads of the process, present and future, into the sandbox. A forbidden call then fails with EPERM, which
 * its caller handles like any other failure, so output is never lost. Load shared libraries before the call. Returns
 * ERR_UNSUPPORTED, and why in *err, if the build or the system has no sandbox; nothing is forbidden then. */
MUST_USE Status sandbox_enter(SandboxKind kind, Err *err);

/* Calls sandbox_enter() unless `is_off`, and reports the result if `is_verbose`. */
void sandbox_start(SandboxKind kind, bool is_off, bool is_verbose);

#endif
