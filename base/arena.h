/* arena.h - memory that is given back all at once.
 * Blocks are aligned to 64 bytes (one cache line, one AVX-512 register). An
 * arena grows by chunks; nothing is freed alone. One thread at a time. */
#ifndef DRAGOMAN_ARENA_H
#define DRAGOMAN_ARENA_H

#include <stddef.h>

#include "err.h"

typedef struct Arena Arena; /* fields: arena.c */

MUST_USE Status arena_new(Arena **out, Err *err);

/* The same for many megabytes that are read again and again: in large pages
 * where the system has them (Linux), so that memory is found without looking up
 * where each 4 kB lie. Takes memory as it is used, 2 MB at a time. */
MUST_USE Status arena_new_large(Arena **out, Err *err);
void arena_free(Arena *arena); /* NULL is allowed */

/* `count` elements of `size` bytes, not initialized; NULL when out of memory
 * or when the product overflows. Valid until arena_free(). */
MUST_USE void *arena_alloc(Arena *arena, size_t count, size_t size);

/* Bytes held by the arena. */
size_t arena_bytes(const Arena *arena);

#endif
