/* fault_injection.c - see fault_injection.h. */
#define _GNU_SOURCE /* dladdr() */
#include "fault_injection.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

/* The linker defines both; the code of the program is between them. */
extern const char __executable_start[], etext[];

/* The frames of this file and of the function itself are among them, so that about six of dragoman's remain: enough to
 * tell the ways apart in which a helper function is used. */
enum { COUNTED_FRAMES = 10 };

static struct {
    Fault fault;
    FaultRecord *record; /* NULL: not armed */
} armed;

/* backtrace() may itself call malloc(). */
static _Thread_local bool is_asking;

void fault_arm(Fault fault, FaultRecord *record)
{
    void *frames[FAULT_MAX_FRAMES];

    (void)backtrace(frames, FAULT_MAX_FRAMES); /* the first call loads a library */
    armed.fault = fault;
    armed.record = record;
}

bool fault_is_own_code(const void *address)
{
    return (const char *)address >= __executable_start && (const char *)address < etext;
}

/* FNV-1a over the return addresses. */
static uint64_t hash_of_frames(void *const *frames, int depth)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (int i = 0; i < depth; i++) hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 0x100000001b3u;
    return hash;
}

static void count_call(FaultKind kind)
{
    const size_t n = atomic_fetch_add(&armed.record->calls[kind], 1);
    void *frames[COUNTED_FRAMES];

    if (n < FAULT_MAX_CALLS) armed.record->callers[kind][n] = hash_of_frames(frames, backtrace(frames, COUNTED_FRAMES));
}

/* The driver may not have loaded the library itself, so its name is noted here. */
static void note_library(FaultRecord *record)
{
    record->library[0] = '\0';
    for (int i = 0; i < record->depth; i++) {
        const char *slash;
        Dl_info info;
        if (fault_is_own_code(record->frames[i]) || !dladdr(record->frames[i], &info)) continue;
        slash = strrchr(info.dli_fname, '/');
        snprintf(record->library, sizeof record->library, "%s", slash ? slash + 1 : info.dli_fname);
        if (strncmp(record->library, "libasan", 7) != 0) return;
    }
}

static void note_fault(const char *call, int code)
{
    if (atomic_exchange(&armed.record->injected, true)) return;
    armed.record->call = call;
    armed.record->code = code;
    armed.record->depth = backtrace(armed.record->frames, FAULT_MAX_FRAMES);
    note_library(armed.record);
}

/* Whether the mode concerns such a call. */
static bool fits(FaultMode mode, FaultNature nature)
{
    if (mode == FAULT_SHORT) return nature == FAULT_TRANSFERS;
    return mode != FAULT_INTERRUPTED || nature != FAULT_PLAIN;
}

static FaultAnswer answer(FaultKind kind, const FaultCall *call, int code)
{
    const Fault *fault = &armed.fault;
    const bool lasts = fault->mode == FAULT_LASTING || fault->mode == FAULT_SHORT;
    size_t n;

    if (fault->at == 0) count_call(kind);
    if (fault->at == 0 || kind != fault->kind) return FAULT_NONE;
    n = atomic_fetch_add(&armed.record->calls[kind], 1) + 1;
    if (n < fault->at || (n > fault->at && !lasts) || !fits(fault->mode, call->nature)) return FAULT_NONE;
    note_fault(call->name, code);
    if (fault->mode == FAULT_SHORT) return FAULT_SHORTEN;
    errno = fault->mode == FAULT_INTERRUPTED ? EINTR : code;
    return FAULT_FAIL;
}

FaultAnswer fault_ask(FaultCall call, int code)
{
    const bool own = fault_is_own_code(call.caller);
    FaultAnswer result = FAULT_NONE;

    if (!armed.record || is_asking) return FAULT_NONE;
    if (!own && call.kind != FAULT_MEMORY) return FAULT_NONE;
    is_asking = true;
    result = answer(own ? call.kind : FAULT_LIBRARY, &call, code);
    is_asking = false;
    return result;
}
