/* fault_run.h - runs dragoman in a child process with one fault. */
#ifndef DRAGOMAN_FAULT_RUN_H
#define DRAGOMAN_FAULT_RUN_H

#include "fault_files.h"
#include "fault_injection.h"

/* A command of dragoman. The working folder of each run has the files of `before`. */
typedef struct {
    char *name;
    char *input; /* the file that is standard input */
    char **arguments;
    int count;
} FaultCase;

typedef struct {
    int status; /* as waitpid() returns it */
    FaultFile out, err;
    FaultFiles files; /* the working folder afterwards */
} FaultResult;

/* Where a driver process works: files of its own. */
typedef struct {
    char *folder; /* holds work/, out and err */
    const FaultFiles *before;
    FaultRecord *record; /* shared with the children */
    bool is_clean;       /* the working folder is as before */
} FaultDesk;

/* The result is freed by fault_result_free(); desk->record says what happened. */
FaultResult fault_run(FaultDesk *desk, const FaultCase *test, Fault fault);
void fault_result_free(FaultResult *result);

#endif
