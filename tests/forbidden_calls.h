/* forbidden_calls.h - system calls that the sandbox refuses (cli/sandbox.h). Linux only. */
#ifndef DRAGOMAN_FORBIDDEN_CALLS_H
#define DRAGOMAN_FORBIDDEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *name;
    long (*call)(void); /* returns -1 and sets errno if the call is refused */
    int wanted;         /* errno in the sandbox */
    bool often_refused; /* also outside: for a user without rights, in containers, in emulators */
} ForbiddenCall;

extern const ForbiddenCall forbidden_calls[];
extern const size_t forbidden_call_count;

#endif
