/* arena.h - memory that is freed all at once.
 * Blocks are aligned to 64 bytes (one cache line, one AVX-512 register). An arena grows by chunks;
 * single blocks are never freed. One thread at a time. */
#ifndef DRAGOMAN_ARENA_H
#define DRAGOMAN_ARENA_H

#include <stddef.h>

#include "err.h"

typedef struct Arena Arena; /* fields: arena.c */

MUST_USE Status arena_new(Arena **out, Err *err);

/* Creates an arena with small chunks, to save memory, or for a few large blocks. malloc() may give a chunk pages that
 * were used before: all of these stay in memory, even if the chunk needs only a part. */
MUST_USE Status arena_new_small(Arena **out, Err *err);

/* Creates an arena for many megabytes that are read repeatedly. After its first 2 MB, it uses large pages where the
 * system has them (Linux), which reduces TLB misses. Memory is taken when it is used, there 2 MB at a time. */
MUST_USE Status arena_new_large(Arena **out, Err *err);
void arena_free(Arena *arena); /* NULL is allowed */

/* Allocates `count` uninitialized elements of `size` bytes. Returns NULL when out of memory or when
 * count * size overflows. The memory is valid until arena_free(). */
MUST_USE void *arena_alloc(Arena *arena, size_t count, size_t size);

/* Like arena_alloc(), but all bytes are zero. */
MUST_USE void *arena_zeroed(Arena *arena, size_t count, size_t size);

/* Returns ERR_MEMORY, with a message about `what`, if any allocation of the arena has failed. */
MUST_USE Status arena_check(const Arena *arena, const char *what, Err *err);

/* Returns the number of bytes that the arena holds. */
size_t arena_bytes(const Arena *arena);

#endif
