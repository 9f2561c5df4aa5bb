/* fault_injection.h - makes one chosen call of a process fail.
 * fault_calls.c and fault_new.cc define malloc(), read(), rename() and others in the program itself, so that the
 * dynamic linker gives these to dragoman and to the libraries. Each of them asks fault_ask() before it calls the
 * function of the next library. Nothing fails until fault_arm() is called. One process has one fault. */
#ifndef DRAGOMAN_FAULT_INJECTION_H
#define DRAGOMAN_FAULT_INJECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault_ask.h"

typedef enum {
    FAULT_ONCE,        /* the n-th call fails, all others succeed */
    FAULT_LASTING,     /* the n-th call and all later ones fail */
    FAULT_SHORT,       /* the n-th and all later calls read or write one byte */
    FAULT_INTERRUPTED, /* the n-th call fails with EINTR */
    FAULT_MODES
} FaultMode;

typedef struct {
    FaultKind kind;
    FaultMode mode;
    size_t at; /* n, counted from 1; 0: the calls of all kinds are counted, and none fails */
} Fault;

enum { FAULT_MAX_FRAMES = 32, FAULT_MAX_CALLS = 1 << 16 };

/* What happened, in memory that the armed process shares with the driver. */
typedef struct {
    _Atomic bool injected;
    const char *call; /* the function that failed first */
    int code;         /* its errno */
    char library[64]; /* the file name of the library that made the call; "": the program */
    int depth;
    void *frames[FAULT_MAX_FRAMES]; /* its callers, the innermost first */

    /* The calls of each kind, and, of those that were only counted, a hash of the innermost callers. */
    _Atomic size_t calls[FAULT_KINDS];
    uint64_t callers[FAULT_KINDS][FAULT_MAX_CALLS];
} FaultRecord;

/* From now on, calls are counted, and the chosen one fails. `record` outlives the process. */
void fault_arm(Fault fault, FaultRecord *record);

/* Whether an address is in the program, and not in a library. */
bool fault_is_own_code(const void *address);

#endif
