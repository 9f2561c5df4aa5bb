/* torch_machine.h - the stack and the input of the pickle reader.
 * Values are pushed and popped; none is popped through a mark. Each fault is
 * an ERR_FORMAT with the place of the opcode. */
#ifndef DRAGOMAN_TORCH_MACHINE_H
#define DRAGOMAN_TORCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "err.h"
#include "torch_pickle.h"

typedef struct {
    Pickle *pickle;
    ByteReader bytes;       /* all of the file, at the next byte of the pickle */
    PickleNode stack, memo; /* free their items */
    size_t steps;           /* opcodes so far */
    bool stopped;
    Err *err;
} Machine;

MUST_USE Status torch_machine_push(Machine *m, PickleValue value);
MUST_USE Status torch_machine_push_node(Machine *m, PickleKind kind, PickleNode **node);
MUST_USE Status torch_machine_pop(Machine *m, PickleValue *out);

/* NULL when the stack, or what lies above its last mark, is empty. */
PickleValue *torch_machine_top(const Machine *m);

/* Takes the values above the last mark, and the mark, from the stack; they
 * stay valid until the next push. */
MUST_USE Status torch_machine_pop_to_mark(Machine *m, const PickleValue **values, size_t *count);

/* The next bytes of the pickle: `count` of them, a little-endian number of
 * `width` bytes, a text up to the next newline, which is taken, too. */
MUST_USE Status torch_machine_take(Machine *m, uint64_t count, const unsigned char **out);
MUST_USE Status torch_machine_take_number(Machine *m, unsigned width, uint64_t *out);
MUST_USE Status torch_machine_take_line(Machine *m, const char **text, size_t *size);

/* The usual faults. */
Status torch_machine_underflow(const Machine *m);
Status torch_machine_wrong_kind(const Machine *m);
Status torch_machine_cut_off(const Machine *m);

/* What the names and the calls in a pickle stand for (torch_call.c). */

/* Pushes the global of this name; one that is not in torch_globals.h is refused. */
MUST_USE Status torch_call_push_global(Machine *m, const char *module, size_t module_size, const char *name,
                                       size_t name_size);

/* *out is what Python would get by calling the global, as a plain value. Calls
 * that torch.save() does not write are refused. */
MUST_USE Status torch_call(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args,
                           Err *err);

/* The storage that a persistent id names, new or known. */
MUST_USE Status torch_call_storage(Pickle *pickle, PickleValue *out, const PickleNode *id, Err *err);

#endif
