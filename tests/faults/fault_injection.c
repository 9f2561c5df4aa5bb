/* fault_injection.c - see fault_injection.h. */
#include "fault_injection.h"

#include <errno.h>
#include <execinfo.h>

/* The linker defines both; the code of the program is between them. */
extern const char __executable_start[], etext[];

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

static void note_stack(size_t n)
{
    void *frames[FAULT_MAX_FRAMES];

    if (n > FAULT_MAX_STACKS) return;
    armed.record->stacks[n - 1] = hash_of_frames(frames, backtrace(frames, FAULT_MAX_FRAMES));
}

static void note_fault(const char *call, int code)
{
    if (atomic_exchange(&armed.record->injected, true)) return;
    armed.record->call = call;
    armed.record->code = code;
    armed.record->depth = backtrace(armed.record->frames, FAULT_MAX_FRAMES);
}

static FaultAnswer answer(const char *call, int code)
{
    const size_t n = atomic_fetch_add(&armed.record->calls, 1) + 1, at = armed.fault.at;
    const bool lasts = armed.fault.mode == FAULT_LASTING || armed.fault.mode == FAULT_SHORT;

    if (at == 0) note_stack(n);
    if (at == 0 || n < at || (n > at && !lasts)) return FAULT_NONE;
    note_fault(call, code);
    errno = armed.fault.mode == FAULT_INTERRUPTED ? EINTR : code;
    return armed.fault.mode == FAULT_SHORT ? FAULT_SHORTEN : FAULT_FAIL;
}

FaultAnswer fault_ask(FaultKind kind, const char *call, const void *caller, int code)
{
    const bool own = fault_is_own_code(caller);
    FaultAnswer result = FAULT_NONE;

    if (!armed.record || is_asking) return FAULT_NONE;
    if (!own && kind != FAULT_MEMORY) return FAULT_NONE;
    if (!own) kind = FAULT_LIBRARY;
    if (kind != armed.fault.kind) return FAULT_NONE;
    is_asking = true;
    result = answer(call, code);
    is_asking = false;
    return result;
}
