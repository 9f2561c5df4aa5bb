/* fault_cases.h - reads tests/faults/cases. */
#ifndef DRAGOMAN_FAULT_CASES_H
#define DRAGOMAN_FAULT_CASES_H

#include "fault_run.h"

typedef struct {
    FaultCase *items;
    size_t count;
} FaultCases;

/* `golden` and `fixtures` replace "@" and "%". With `names`, only the cases of these names are read, and an unknown
 * name ends the driver. The result lives as long as the driver. */
FaultCases fault_cases_read(const char *path, const char *golden, const char *fixtures, char **names, int count);

#endif
