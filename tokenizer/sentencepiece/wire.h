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
    const unsigned char *data; /* WIRE_BYTES and the fixed ones */
    size_t len;
} WireField;

/* Reads one field and moves on. False: what comes is no field, or is cut off;
 * wire->at is anywhere then. */
bool wire_read(Wire *wire, WireField *field);

/* The content of a message, of a field of WIRE_BYTES. */
Wire wire_of(const WireField *field);

/* The value of a field of WIRE_FIXED32. */
float wire_float(const WireField *field);

#endif
