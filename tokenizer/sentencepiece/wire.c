/* wire.c - see wire.h. */
#include "wire.h"

#include <string.h>

#include "bytes.h"

static bool read_varint(Wire *wire, uint64_t *out)
{
    *out = 0;
    if (wire->at < wire->end && *wire->at < 0x80) { /* most have one byte */
        *out = *wire->at++;
        return true;
    }
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        unsigned char byte = *wire->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

bool wire_read(Wire *wire, WireField *field)
{
    uint64_t tag, count;

    *field = (WireField){ 0 };
    if (!read_varint(wire, &tag)) return false;
    field->number = tag >> 3;
    field->wire = tag & 7;
    if (field->number == 0 || field->number > 536870911) return false;
    switch (field->wire) {
    case WIRE_VARINT:
        return read_varint(wire, &field->value);
    case WIRE_FIXED64:
        count = 8;
        break;
    case WIRE_FIXED32:
        count = 4;
        break;
    case WIRE_BYTES:
        if (!read_varint(wire, &count)) return false;
        break;
    default:
        return false;
    }
    if (count > (uint64_t)(wire->end - wire->at)) return false;
    field->data = wire->at;
    field->len = (size_t)count;
    wire->at += count;
    return true;
}

Wire wire_of(const WireField *field)
{
    return (Wire){ field->data, field->data + field->len };
}

float wire_float(const WireField *field)
{
    return bytes_float(field->data);
}
