/* torch_machine.c - see torch_machine.h. */
#include "torch_machine.h"

#include <string.h>

#define MAX_LINE ((size_t)1000)

Status torch_machine_push(Machine *m, PickleValue value)
{
    Status st = m->stack.count < m->stack.cap ? OK : torch_pickle_grow(&m->stack, m->stack.count + 1, m->err);

    if (st == OK) m->stack.items[m->stack.count++] = value;
    return st;
}

Status torch_machine_push_node(Machine *m, PickleKind kind, PickleNode **node)
{
    Status st = torch_pickle_add_node(m->pickle, node, m->err);

    return st == OK ? torch_machine_push(m, (PickleValue){ .kind = kind, .as.node = *node }) : st;
}

PickleValue *torch_machine_top(const Machine *m)
{
    PickleValue *last = m->stack.count ? &m->stack.items[m->stack.count - 1] : NULL;

    return last && last->kind != PICKLE_MARK ? last : NULL;
}

Status torch_machine_underflow(const Machine *m)
{
    return torch_pickle_fault(m->pickle, m->err, "opcode 0x%02x finds no value on the stack",
                              m->bytes.data[m->pickle->at]);
}

Status torch_machine_wrong_kind(const Machine *m)
{
    return torch_pickle_fault(m->pickle, m->err, "opcode 0x%02x finds a value of the wrong kind",
                              m->bytes.data[m->pickle->at]);
}

Status torch_machine_pop(Machine *m, PickleValue *out)
{
    const PickleValue *last = torch_machine_top(m);

    if (!last) return torch_machine_underflow(m);
    *out = *last;
    m->stack.count--;
    return OK;
}

Status torch_machine_pop_to_mark(Machine *m, const PickleValue **values, size_t *count)
{
    size_t i = m->stack.count;

    while (i && m->stack.items[i - 1].kind != PICKLE_MARK) i--;
    if (!i) return torch_machine_underflow(m);
    *values = m->stack.items + i;
    *count = m->stack.count - i;
    m->stack.count = i - 1;
    return OK;
}

Status torch_machine_cut_off(const Machine *m)
{
    return torch_pickle_fault(m->pickle, m->err, "cut off: the pickle goes beyond its end at byte %zu", m->bytes.size);
}

Status torch_machine_take(Machine *m, uint64_t count, const unsigned char **out)
{
    return bytes_take(&m->bytes, count, out) ? OK : torch_machine_cut_off(m);
}

Status torch_machine_take_number(Machine *m, unsigned width, uint64_t *out)
{
    return bytes_take_number(&m->bytes, width, out) ? OK : torch_machine_cut_off(m);
}

Status torch_machine_take_line(Machine *m, const char **text, size_t *size)
{
    size_t left = bytes_left(&m->bytes), room = left < MAX_LINE ? left : MAX_LINE;
    const unsigned char *start = m->bytes.data + m->bytes.at, *end = room ? memchr(start, '\n', room) : NULL;

    if (!end) return torch_pickle_fault(m->pickle, m->err, "the name of a global has no end");
    *text = (const char *)start;
    *size = (size_t)(end - start);
    m->bytes.at += *size + 1;
    return OK;
}
