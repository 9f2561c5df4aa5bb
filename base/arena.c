/* arena.c - see arena.h. Chunks form a list; large blocks get their own. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT   ((size_t)64)
#define CHUNK_BYTES ((size_t)1 << 20)

typedef struct Chunk {
    struct Chunk *next;
    char *memory; /* aligned, `size` bytes */
    size_t used;
    size_t size;
} Chunk;

struct Arena {
    Chunk *chunks; /* the newest first */
    size_t bytes;
};

Status arena_new(Arena **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? OK : err_memory(err, "an arena");
}

void arena_free(Arena *arena)
{
    if (!arena) return;
    while (arena->chunks) {
        Chunk *next = arena->chunks->next;
        free(arena->chunks->memory);
        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena);
}

/* A chunk of one large block goes behind the newest, which keeps its room for
 * the small ones that follow. */
static Chunk *chunk_add(Arena *arena, size_t size)
{
    Chunk *chunk = calloc(1, sizeof *chunk);
    Chunk **place = arena->chunks && size >= CHUNK_BYTES ? &arena->chunks->next : &arena->chunks;

    if (!chunk) return NULL;
    chunk->size = size < CHUNK_BYTES ? CHUNK_BYTES : size;
    chunk->memory = aligned_alloc(ALIGNMENT, chunk->size);
    if (!chunk->memory) {
        free(chunk);
        return NULL;
    }
    chunk->next = *place;
    *place = chunk;
    arena->bytes += chunk->size;
    return chunk;
}

void *arena_alloc(Arena *arena, size_t count, size_t size)
{
    Chunk *chunk = arena->chunks;
    size_t bytes;
    void *block;

    if (size && count > (SIZE_MAX / 2 - ALIGNMENT) / size) return NULL;
    bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!bytes) bytes = ALIGNMENT;
    if (!chunk || chunk->size - chunk->used < bytes) chunk = chunk_add(arena, bytes);
    if (!chunk) return NULL;
    block = chunk->memory + chunk->used;
    chunk->used += bytes;
    return block;
}

size_t arena_bytes(const Arena *arena)
{
    return arena->bytes;
}
