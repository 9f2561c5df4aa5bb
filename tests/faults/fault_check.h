/* fault_check.h - whether dragoman kept its promises in a run with a fault. */
#ifndef DRAGOMAN_FAULT_CHECK_H
#define DRAGOMAN_FAULT_CHECK_H

#include "fault_run.h"

/* `undisturbed` is the result of the same command without a fault, `before` the files of its working folder at first.
 * Returns NULL, or the broken promise, which the caller frees. */
char *fault_check(const FaultResult *result, const FaultResult *undisturbed, const FaultFiles *before, Fault fault,
                  const FaultRecord *record);

/* Why a library, and not dragoman, ended the process at this fault; NULL: it did not. */
const char *fault_library_end(const FaultResult *result, const FaultRecord *record);

#endif
