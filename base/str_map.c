/* str_map.c - see str_map.h. Open addressing with linear probing, FNV-1a,
 * at most half full; keys lie one after the other in one buffer. */
#include "str_map.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

typedef struct {
    size_t key; /* offset in `keys`, plus one; 0 is an empty slot */
    uint32_t len;
    int32_t value;
} Slot;

struct StrMap {
    Slot *slots; /* `cap` of them, a power of two */
    size_t cap;
    size_t count;
    Buf keys;
};

Status str_map_new(StrMap **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? OK : err_memory(err, "a table");
}

void str_map_free(StrMap *map)
{
    if (!map) return;
    free(map->slots);
    buf_free(&map->keys);
    free(map);
}

static uint64_t hash_bytes(const char *key, size_t len)
{
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)key[i]) * 1099511628211u;
    return h ^ h >> 32;
}

/* The slot that holds the key, or the empty one where it belongs. */
static Slot *find_slot(const StrMap *map, const char *key, size_t len)
{
    size_t i = hash_bytes(key, len) & (map->cap - 1);

    for (;; i = (i + 1) & (map->cap - 1)) {
        Slot *slot = &map->slots[i];
        if (!slot->key) return slot;
        if (slot->len == len && memcmp(map->keys.data + slot->key - 1, key, len) == 0) return slot;
    }
}

static Status rehash(StrMap *map, size_t cap, Err *err)
{
    StrMap bigger = *map;

    bigger.slots = calloc(cap, sizeof *bigger.slots);
    bigger.cap = cap;
    if (!bigger.slots) return err_memory(err, "a table");
    for (size_t i = 0; i < map->cap; i++) {
        const Slot *slot = &map->slots[i];
        if (slot->key) *find_slot(&bigger, map->keys.data + slot->key - 1, slot->len) = *slot;
    }
    free(map->slots);
    *map = bigger;
    return OK;
}

Status str_map_add(StrMap *map, const char *key, size_t len, int32_t value, bool *added, Err *err)
{
    Status st = OK;
    Slot *slot;

    *added = false;
    if (len > UINT32_MAX) return err_set(err, ERR_FORMAT, "a key of %zu bytes is too long", len);
    if (map->count * 2 >= map->cap) st = rehash(map, map->cap ? map->cap * 2 : 64, err);
    if (st != OK) return st;
    slot = find_slot(map, key, len);
    if (slot->key) return OK;
    st = buf_append(&map->keys, key, len, err);
    if (st != OK) return st;
    *slot = (Slot){ map->keys.len - len + 1, (uint32_t)len, value };
    map->count++;
    *added = true;
    return OK;
}

int32_t str_map_get(const StrMap *map, const char *key, size_t len, int32_t missing)
{
    const Slot *slot;

    if (!map->cap) return missing;
    slot = find_slot(map, key, len);
    return slot->key ? slot->value : missing;
}

size_t str_map_count(const StrMap *map)
{
    return map->count;
}
