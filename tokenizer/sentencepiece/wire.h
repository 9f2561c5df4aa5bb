/* wire.h - a validating reader of the protocol buffer wire format.
 * A field number comes with a wire type: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. Groups (3, 4) are
 * obsolete and rejected. */
#ifndef DRAGOMAN_WIRE_H
#define DRAGOMAN_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* The bytes that have not been read yet. */
typedef struct {
    const unsigned char *at, *end;
} Wire;

typedef struct {
    uint64_t number;
    unsigned wire; /* WIRE_VARINT, ... */
    uint64_t value;
    const unsigned char *data; /* WIRE_BYTES, WIRE_FIXED32 and WIRE_FIXED64 */
    size_t len;
} WireField;

/* Reads one field and moves past it. Returns false if the bytes are not a complete field; wire->at is then
 * undefined. */
bool wire_read(Wire *wire, WireField *field);

/* The bytes of a WIRE_BYTES field, to be read as a message. */
Wire wire_of(const WireField *field);

/* The value of a WIRE_FIXED32 field as a float. */
float wire_float(const WireField *field);

#endif
