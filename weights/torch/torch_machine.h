/* torch_machine.h - the stack and the input of the pickle reader. Popping never removes a mark. Every
 * error is an ERR_FORMAT with the position of the opcode. */
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
    ByteReader bytes;       /* the whole file; the position is the next byte of the pickle */
    PickleNode stack, memo; /* their items must be freed */
    size_t steps;           /* opcodes so far */
    bool stopped;
    Err *err;
} Machine;

MUST_USE Status torch_machine_push(Machine *m, PickleValue value);
MUST_USE Status torch_machine_push_node(Machine *m, PickleKind kind, PickleNode **node);
MUST_USE Status torch_machine_pop(Machine *m, PickleValue *out);

/* Returns NULL if the stack is empty above its last mark. */
PickleValue *torch_machine_top(const Machine *m);

/* Pops the last mark and the values above it, which stay valid until the next push. */
MUST_USE Status torch_machine_pop_to_mark(Machine *m, const PickleValue **values, size_t *count);

/* Take the next bytes of the pickle: `count` bytes; a little-endian number of `width` bytes; a text up
 * to the next newline, which is also taken. */
MUST_USE Status torch_machine_take(Machine *m, uint64_t count, const unsigned char **out);
MUST_USE Status torch_machine_take_number(Machine *m, unsigned width, uint64_t *out);
MUST_USE Status torch_machine_take_line(Machine *m, const char **text, size_t *size);

/* The common errors. */
Status torch_machine_underflow(const Machine *m);
Status torch_machine_wrong_kind(const Machine *m);
Status torch_machine_cut_off(const Machine *m);

/* Names and calls in a pickle (torch_call.c). */

/* Pushes the global of this name; rejects one that is not in torch_globals.h. */
MUST_USE Status torch_call_push_global(Machine *m, const char *module, size_t module_size, const char *name,
                                       size_t name_size);

/* Sets *out to the plain value of what Python would get by calling the global. Rejects calls that
 * torch.save() does not write. */
MUST_USE Status torch_call(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args,
                           Err *err);

/* Finds or creates the storage that a persistent id names. */
MUST_USE Status torch_call_storage(Pickle *pickle, PickleValue *out, const PickleNode *id, Err *err);

#endif
