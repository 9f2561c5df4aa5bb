/* sandbox.h - forbids the process what reading models and translating never needs: the network, other programs, other
 * processes, new executable memory, and what changes the system. An error in a parser that a hostile model exploits
 * then has less to gain. The process cannot leave the sandbox.
 *
 * It belongs to the program: a library must not forbid its host anything. */
#ifndef DRAGOMAN_SANDBOX_H
#define DRAGOMAN_SANDBOX_H

#include "err.h"

/* Puts all threads of the process, present and future, into the sandbox. A forbidden call then fails with EPERM, which
 * its caller handles like any other failure, so output is never lost. Load shared libraries before. Returns
 * ERR_UNSUPPORTED, and why in *err, if the build or the system has no sandbox; nothing is forbidden then. */
MUST_USE Status sandbox_enter(Err *err);

#endif
