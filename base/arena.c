/* arena.c - see arena.h. Chunks form a list. A large block gets a chunk for itself. */
#define _DEFAULT_SOURCE /* madvise(MADV_HUGEPAGE) is not in POSIX */
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT         ((size_t)64)
#define SMALL_CHUNK_BYTES ((size_t)64 << 10)
#define CHUNK_BYTES       ((size_t)1 << 20)
#define LARGE_CHUNK_BYTES ((size_t)8 << 20)
#define LARGE_PAGE        ((size_t)2 << 20)

/* In builds with AddressSanitizer, at least GAP bytes after each block and the unused rest of a chunk are poisoned, so
 * that an access past the end of a block is reported. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN
#endif
#if defined(HAS_ASAN)
#include <sanitizer/asan_interface.h>
#define GAP ((size_t)16)
#else
#define GAP                                      ((size_t)0)
#define ASAN_POISON_MEMORY_REGION(start, size)   ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)0)
#endif

typedef struct Chunk {
    struct Chunk *next;
    char *memory; /* aligned, `size` bytes */
    size_t used;
    size_t size;
} Chunk;

struct Arena {
    Chunk *chunks; /* the newest first */
    size_t bytes;
    size_t chunk_bytes; /* minimum size of a chunk */
    bool failed;        /* arena_check() */
};

Status arena_new(Arena **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "an arena");
    (*out)->chunk_bytes = CHUNK_BYTES;
    return OK;
}

Status arena_new_small(Arena **out, Err *err)
{
    const Status st = arena_new(out, err);

    if (st == OK) (*out)->chunk_bytes = SMALL_CHUNK_BYTES;
    return st;
}

Status arena_new_large(Arena **out, Err *err)
{
    const Status st = arena_new(out, err);

    if (st == OK) (*out)->chunk_bytes = LARGE_CHUNK_BYTES;
    return st;
}

void arena_free(Arena *arena)
{
    if (!arena) return;
    while (arena->chunks) {
        Chunk *next = arena->chunks->next;
        ASAN_UNPOISON_MEMORY_REGION(arena->chunks->memory, arena->chunks->size);
        free(arena->chunks->memory);
        free(arena->chunks);
        arena->chunks = next;
    }
    free(arena);
}

/* Adds a chunk of at least `size` bytes; NULL: out of memory. A large arena takes whole pages. A chunk for one large
 * block goes after the newest chunk, whose free space stays available for small blocks. */
static Chunk *chunk_add(Arena *arena, size_t size)
{
    const size_t page = arena->chunk_bytes < LARGE_PAGE ? ALIGNMENT : LARGE_PAGE;
    Chunk **place = arena->chunks && size >= arena->chunk_bytes ? &arena->chunks->next : &arena->chunks;
    Chunk *chunk = size <= SIZE_MAX - page ? calloc(1, sizeof *chunk) : NULL;

    if (!chunk) return NULL;
    if (size < arena->chunk_bytes) size = arena->chunk_bytes;
    chunk->size = (size + page - 1) / page * page;
    chunk->memory = aligned_alloc(page, chunk->size);
#if defined(MADV_HUGEPAGE)
    /* The first megabytes of an arena stay in small pages: a short text needs little, and the system would zero a large
     * page for longer than it takes to translate a word. Advisory: affects speed only. */
    const size_t small = arena->chunks ? 0 : 3 * LARGE_PAGE; /* a chunk has more */
    if (chunk->memory && page == LARGE_PAGE) {
        if (small) (void)madvise(chunk->memory, small, MADV_NOHUGEPAGE); /* for systems that use large pages unasked */
        (void)madvise(chunk->memory + small, chunk->size - small, MADV_HUGEPAGE);
    }
#endif
    if (!chunk->memory) {
        free(chunk);
        return NULL;
    }
    ASAN_POISON_MEMORY_REGION(chunk->memory, chunk->size);
    chunk->next = *place;
    *place = chunk;
    arena->bytes += chunk->size;
    return chunk;
}

void *arena_alloc(Arena *arena, size_t count, size_t size)
{
    const bool overflows = size && count > (SIZE_MAX / 2 - ALIGNMENT) / size;
    Chunk *chunk = arena->chunks;
    size_t bytes = ALIGNMENT;
    void *block;

    arena->failed |= overflows;
    if (overflows) return NULL;
    if (count * size + GAP > ALIGNMENT) bytes = (count * size + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->size - chunk->used < bytes) chunk = chunk_add(arena, bytes);
    arena->failed |= !chunk;
    if (!chunk) return NULL;
    block = chunk->memory + chunk->used;
    ASAN_UNPOISON_MEMORY_REGION(block, count * size);
    chunk->used += bytes;
    return block;
}

void *arena_zeroed(Arena *arena, size_t count, size_t size)
{
    void *block = arena_alloc(arena, count, size);

    return block ? memset(block, 0, count * size) : NULL;
}

Status arena_check(const Arena *arena, const char *what, Err *err)
{
    return arena->failed ? err_memory(err, what) : OK;
}

size_t arena_bytes(const Arena *arena)
{
    return arena->bytes;
}
