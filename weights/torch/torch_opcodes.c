/* torch_opcodes.c - see torch_pickle.h.
 * Method   a stack machine, as in Python's Lib/pickle.py: one table row per opcode, no recursion.
 *          Opcodes of protocol 0 and of the extension registry are not supported, since
 *          torch.save() does not write them.
 * Limits   the number of opcodes is limited; each creates at most one value. */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "torch_machine.h"

#define MAX_STEPS ((size_t)1 << 23)
#define PROTOCOLS 5

static Status op_protocol(Machine *m, unsigned arg)
{
    uint64_t version;
    Status st = torch_machine_take_number(m, 1, &version);

    (void)arg;
    if (st != OK || version <= PROTOCOLS) return st;
    return torch_pickle_fault(m->pickle, m->err, "protocol %u is newer than %d", (unsigned)version, PROTOCOLS);
}

static Status op_frame(Machine *m, unsigned arg)
{
    uint64_t length;
    Status st = torch_machine_take_number(m, 8, &length);

    (void)arg;
    return st == OK && length > bytes_left(&m->bytes) ? torch_machine_cut_off(m) : st;
}

static Status op_stop(Machine *m, unsigned arg)
{
    (void)arg;
    m->stopped = true;
    return OK;
}

static Status op_mark(Machine *m, unsigned arg)
{
    (void)arg;
    return torch_machine_push(m, (PickleValue){ .kind = PICKLE_MARK });
}

static Status op_pop(Machine *m, unsigned arg)
{
    (void)arg;
    if (!m->stack.count) return torch_machine_underflow(m);
    m->stack.count--;
    return OK;
}

static Status op_pop_mark(Machine *m, unsigned arg)
{
    const PickleValue *values;
    size_t count;

    (void)arg;
    return torch_machine_pop_to_mark(m, &values, &count);
}

static Status op_none(Machine *m, unsigned arg)
{
    (void)arg;
    return torch_machine_push(m, (PickleValue){ .kind = PICKLE_NONE });
}

static Status op_bool(Machine *m, unsigned value)
{
    return torch_machine_push(m, (PickleValue){ .kind = PICKLE_BOOL, .as.integer = value });
}

/* One and two bytes are unsigned, four are signed. */
static Status op_int(Machine *m, unsigned width)
{
    uint64_t bits;
    Status st = torch_machine_take_number(m, width, &bits);
    int64_t number = width == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;

    return st == OK ? torch_machine_push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = number }) : st;
}

/* Reads an integer in two's complement, little-endian; its length is stored before it in `width` bytes. */
static Status op_long(Machine *m, unsigned width)
{
    uint64_t length, bits;
    const unsigned char *bytes = NULL;
    Status st = torch_machine_take_number(m, width, &length);

    if (st == OK) st = torch_machine_take(m, length, &bytes);
    if (st != OK) return st;
    if (length > 8)
        return torch_machine_push(
            m, (PickleValue){ .kind = PICKLE_LONG, .size = (uint32_t)length, .as.text = (const char *)bytes });
    bits = bytes_number(bytes, (size_t)length);
    if (length && length < 8 && bytes[length - 1] & 0x80) bits |= UINT64_MAX << 8 * length;
    return torch_machine_push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = (int64_t)bits });
}

/* Reads eight bytes, big-endian. */
static Status op_float(Machine *m, unsigned arg)
{
    PickleValue value = { .kind = PICKLE_FLOAT };
    const unsigned char *bytes;
    uint64_t bits = 0;
    Status st = torch_machine_take(m, 8, &bytes);

    (void)arg;
    if (st != OK) return st;
    for (size_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
    memcpy(&value.as.number, &bits, 8);
    return torch_machine_push(m, value);
}

static Status op_text(Machine *m, unsigned width)
{
    uint64_t length;
    const unsigned char *bytes = NULL;
    Status st = torch_machine_take_number(m, width, &length);

    if (st == OK) st = torch_machine_take(m, length, &bytes);
    if (st != OK) return st;
    if (length > UINT32_MAX) return torch_pickle_fault(m->pickle, m->err, "a text of more than 4 GB");
    return torch_machine_push(
        m, (PickleValue){ .kind = PICKLE_TEXT, .size = (uint32_t)length, .as.text = (const char *)bytes });
}

static Status op_bytes(Machine *m, unsigned width)
{
    uint64_t length;
    const unsigned char *bytes;
    Status st = torch_machine_take_number(m, width, &length);

    if (st == OK) st = torch_machine_take(m, length, &bytes);
    return st == OK ? torch_machine_push(m, (PickleValue){ .kind = PICKLE_OTHER }) : st;
}

static Status op_empty(Machine *m, unsigned kind)
{
    PickleNode *node;

    return torch_machine_push_node(m, (PickleKind)kind, &node);
}

static Status op_empty_set(Machine *m, unsigned arg)
{
    (void)arg;
    return torch_machine_push(m, (PickleValue){ .kind = PICKLE_OTHER });
}

static Status op_tuple(Machine *m, unsigned count)
{
    PickleValue items[3];
    PickleNode *node = NULL;
    Status st = OK;

    for (unsigned i = count; st == OK && i-- > 0;) st = torch_machine_pop(m, &items[i]);
    if (st == OK) st = torch_machine_push_node(m, PICKLE_TUPLE, &node);
    return st == OK ? torch_pickle_append(m->pickle, node, items, count, m->err) : st;
}

static Status op_marked_tuple(Machine *m, unsigned arg)
{
    const PickleValue *values = NULL;
    PickleNode *node = NULL;
    size_t count = 0;
    Status st = torch_machine_pop_to_mark(m, &values, &count);

    (void)arg;
    if (st == OK) st = torch_pickle_add_node(m->pickle, &node, m->err);
    if (st == OK) st = torch_pickle_append(m->pickle, node, values, count, m->err);
    return st == OK ? torch_machine_push(m, (PickleValue){ .kind = PICKLE_TUPLE, .as.node = node }) : st;
}

/* Appends `count` values to the list or dict below them. */
static Status extend(Machine *m, PickleKind kind, const PickleValue *values, size_t count)
{
    PickleValue *target = torch_machine_top(m);

    if (!target) return torch_machine_underflow(m);
    if (target->kind != kind || (kind == PICKLE_DICT && count % 2)) return torch_machine_wrong_kind(m);
    return torch_pickle_append(m->pickle, target->as.node, values, count, m->err);
}

static Status op_append(Machine *m, unsigned kind)
{
    PickleValue pair[2];
    size_t count = kind == PICKLE_DICT ? 2 : 1;
    Status st = OK;

    for (size_t i = count; st == OK && i-- > 0;) st = torch_machine_pop(m, &pair[i]);
    return st == OK ? extend(m, (PickleKind)kind, pair, count) : st;
}

static Status op_append_marked(Machine *m, unsigned kind)
{
    const PickleValue *values = NULL;
    size_t count = 0;
    Status st = torch_machine_pop_to_mark(m, &values, &count);

    return st == OK ? extend(m, (PickleKind)kind, values, count) : st;
}

/* The content of a set is ignored. */
static Status op_add_to_set(Machine *m, unsigned arg)
{
    Status st = op_pop_mark(m, arg);

    if (st != OK) return st;
    if (!torch_machine_top(m)) return torch_machine_underflow(m);
    return torch_machine_top(m)->kind == PICKLE_OTHER ? OK : torch_machine_wrong_kind(m);
}

static Status op_frozen_set(Machine *m, unsigned arg)
{
    Status st = op_pop_mark(m, arg);

    return st == OK ? op_empty_set(m, arg) : st;
}

/* --- Memo: values that are used again ------------------------------------------ */

static Status op_get(Machine *m, unsigned width)
{
    uint64_t index;
    Status st = torch_machine_take_number(m, width, &index);

    if (st != OK) return st;
    if (index >= m->memo.count || m->memo.items[index].kind == PICKLE_MARK)
        return torch_pickle_fault(m->pickle, m->err, "memo %llu is empty", (unsigned long long)index);
    return torch_machine_push(m, m->memo.items[index]);
}

/* Width 0: the next free index. Indices begin at 0 or 1 and have no gaps, so one beyond the number of
 * opcodes so far is invalid. */
static Status op_put(Machine *m, unsigned width)
{
    uint64_t index = m->memo.count;
    Status st = width ? torch_machine_take_number(m, width, &index) : OK;

    if (st != OK) return st;
    if (!torch_machine_top(m)) return torch_machine_underflow(m);
    if (index > m->steps)
        return torch_pickle_fault(m->pickle, m->err, "memo %llu is out of order", (unsigned long long)index);
    if (index >= m->memo.count) st = torch_pickle_grow(&m->memo, (size_t)index + 1 - m->memo.count, m->err);
    if (st != OK) return st;
    while (m->memo.count <= index) m->memo.items[m->memo.count++] = (PickleValue){ .kind = PICKLE_MARK };
    m->memo.items[index] = *torch_machine_top(m);
    return OK;
}

/* --- Names and calls ----------------------------------------------------------- */

static Status op_global(Machine *m, unsigned arg)
{
    const char *module = NULL, *name = NULL;
    size_t module_size = 0, name_size = 0;
    Status st = torch_machine_take_line(m, &module, &module_size);

    (void)arg;
    if (st == OK) st = torch_machine_take_line(m, &name, &name_size);
    return st == OK ? torch_call_push_global(m, module, module_size, name, name_size) : st;
}

static Status op_stack_global(Machine *m, unsigned arg)
{
    PickleValue module, name;
    Status st = torch_machine_pop(m, &name);

    (void)arg;
    if (st == OK) st = torch_machine_pop(m, &module);
    if (st != OK) return st;
    if (module.kind != PICKLE_TEXT || name.kind != PICKLE_TEXT) return torch_machine_wrong_kind(m);
    return torch_call_push_global(m, module.as.text, module.size, name.as.text, name.size);
}

/* The old form of a call. Reports the global that it calls. */
static Status op_instance(Machine *m, unsigned arg)
{
    Status st = op_global(m, arg);

    return st == OK ? torch_pickle_fault(m->pickle, m->err, "opcode INST, which torch.save does not write") : st;
}

/* REDUCE and NEWOBJ: replaces function and arguments by the result. */
static Status op_call(Machine *m, unsigned arg)
{
    PickleValue args, function, result;
    Status st = torch_machine_pop(m, &args);

    (void)arg;
    if (st == OK) st = torch_machine_pop(m, &function);
    if (st != OK) return st;
    if (args.kind != PICKLE_TUPLE || function.kind != PICKLE_GLOBAL) return torch_machine_wrong_kind(m);
    st = torch_call(m->pickle, &result, function.as.global, args.as.node, m->err);
    return st == OK ? torch_machine_push(m, result) : st;
}

/* BUILD: drops the state of a dict, such as _metadata of a state dict, or of a value that is not used. */
static Status op_build(Machine *m, unsigned arg)
{
    PickleValue state;
    const PickleValue *top;
    Status st = torch_machine_pop(m, &state);

    (void)arg;
    if (st != OK) return st;
    top = torch_machine_top(m);
    if (!top) return torch_machine_underflow(m);
    return top->kind == PICKLE_DICT || top->kind == PICKLE_OTHER ? OK : torch_machine_wrong_kind(m);
}

static Status op_persistent(Machine *m, unsigned arg)
{
    PickleValue id, storage;
    Status st = torch_machine_pop(m, &id);

    (void)arg;
    if (st != OK) return st;
    if (id.kind != PICKLE_TUPLE) return torch_machine_wrong_kind(m);
    st = torch_call_storage(m->pickle, &storage, id.as.node, m->err);
    return st == OK ? torch_machine_push(m, storage) : st;
}

typedef struct {
    Status (*run)(Machine *m, unsigned arg); /* NULL: rejected */
    unsigned arg;
} Opcode;

static const Opcode OPCODES[256] = {
    ['('] = { op_mark, 0 },
    [')'] = { op_tuple, 0 },
    ['.'] = { op_stop, 0 },
    ['0'] = { op_pop, 0 },
    ['1'] = { op_pop_mark, 0 },
    ['B'] = { op_bytes, 4 },
    ['C'] = { op_bytes, 1 },
    ['G'] = { op_float, 0 },
    ['J'] = { op_int, 4 },
    ['K'] = { op_int, 1 },
    ['M'] = { op_int, 2 },
    ['N'] = { op_none, 0 },
    ['Q'] = { op_persistent, 0 },
    ['R'] = { op_call, 0 },
    ['T'] = { op_text, 4 }, /* str of Python 2 */
    ['U'] = { op_text, 1 },
    ['X'] = { op_text, 4 },
    [']'] = { op_empty, PICKLE_LIST },
    ['a'] = { op_append, PICKLE_LIST },
    ['b'] = { op_build, 0 },
    ['c'] = { op_global, 0 },
    ['e'] = { op_append_marked, PICKLE_LIST },
    ['h'] = { op_get, 1 },
    ['i'] = { op_instance, 0 },
    ['j'] = { op_get, 4 },
    ['q'] = { op_put, 1 },
    ['r'] = { op_put, 4 },
    ['s'] = { op_append, PICKLE_DICT },
    ['t'] = { op_marked_tuple, 0 },
    ['u'] = { op_append_marked, PICKLE_DICT },
    ['}'] = { op_empty, PICKLE_DICT },
    [0x80] = { op_protocol, 0 },
    [0x81] = { op_call, 0 }, /* NEWOBJ */
    [0x85] = { op_tuple, 1 },
    [0x86] = { op_tuple, 2 },
    [0x87] = { op_tuple, 3 },
    [0x88] = { op_bool, 1 },
    [0x89] = { op_bool, 0 },
    [0x8a] = { op_long, 1 },
    [0x8b] = { op_long, 4 },
    [0x8c] = { op_text, 1 },
    [0x8d] = { op_text, 8 },
    [0x8e] = { op_bytes, 8 },
    [0x8f] = { op_empty_set, 0 },
    [0x90] = { op_add_to_set, 0 },
    [0x91] = { op_frozen_set, 0 },
    [0x93] = { op_stack_global, 0 },
    [0x94] = { op_put, 0 },
    [0x95] = { op_frame, 0 },
};

static Status step(Machine *m)
{
    const unsigned char *byte = NULL;
    const Opcode *opcode;
    Status st;

    m->pickle->at = m->bytes.at;
    if (m->steps++ == MAX_STEPS) return torch_pickle_fault(m->pickle, m->err, "more than %zu opcodes", MAX_STEPS);
    st = torch_machine_take(m, 1, &byte);
    if (st != OK) return st;
    opcode = &OPCODES[*byte];
    if (!opcode->run)
        return torch_pickle_fault(m->pickle, m->err, "opcode 0x%02x, which torch.save does not write", *byte);
    return opcode->run(m, opcode->arg);
}

Status torch_pickle_read(Pickle *pickle, PickleValue *out, const unsigned char *bytes, size_t size, size_t *pos,
                         Err *err)
{
    Machine m = { .pickle = pickle, .bytes = { bytes, size, *pos }, .err = err };
    Status st = OK;

    while (st == OK && !m.stopped) st = step(&m);
    if (st == OK) st = torch_machine_pop(&m, out);
    *pos = m.bytes.at;
    free(m.stack.items);
    free(m.memo.items);
    return st;
}
