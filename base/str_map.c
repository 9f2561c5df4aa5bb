/* str_map.c - see str_map.h.
 * Entries are stored in the order of insertion, keys one after the other in one buffer. The hash table
 * uses open addressing with linear probing and is at most half full. Slots store 32 bits of the hash, so
 * few keys are compared and none is hashed again when the table grows. */
#include "str_map.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "hash.h"

typedef struct {
    size_t key; /* offset in `keys`; a NUL follows it */
    uint32_t len;
    int32_t value;
} Entry;

typedef struct {
    uint32_t hash;
    uint32_t entry; /* index of the entry plus one; 0 is an empty slot */
} Slot;

struct StrMap {
    Slot *slots; /* `cap` of them, a power of two */
    size_t cap;
    Entry *entries; /* [cap / 2] */
    size_t count;
    Buf keys;
    HashKey hash_key;
};

Status str_map_new(StrMap **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "a table");
    (*out)->hash_key = keyed_hash_random_key();
    return OK;
}

void str_map_free(StrMap *map)
{
    if (!map) return;
    free(map->slots);
    free(map->entries);
    buf_free(&map->keys);
    free(map);
}

static uint32_t hash_of(const StrMap *map, const char *key, size_t len)
{
    return (uint32_t)keyed_hash(map->hash_key, key, len);
}

/* Returns the slot that holds the key, or the empty slot where it belongs. */
static Slot *find_slot(const StrMap *map, uint32_t hash, const char *key, size_t len)
{
    for (size_t i = hash & (map->cap - 1);; i = (i + 1) & (map->cap - 1)) {
        Slot *slot = &map->slots[i];
        const Entry *entry;
        if (!slot->entry) return slot;
        entry = &map->entries[slot->entry - 1];
        if (slot->hash == hash && entry->len == len && memcmp(map->keys.data + entry->key, key, len) == 0) return slot;
    }
}

static Status rehash(StrMap *map, size_t cap, Err *err)
{
    Slot *slots = cap <= UINT32_MAX ? calloc(cap, sizeof *slots) : NULL;
    Entry *entries = slots ? realloc(map->entries, cap / 2 * sizeof *entries) : NULL;

    if (entries) map->entries = entries;
    if (!entries) {
        free(slots);
        return err_memory(err, "a table");
    }
    for (size_t i = 0; i < map->cap; i++) {
        size_t at = map->slots[i].hash & (cap - 1);
        if (!map->slots[i].entry) continue;
        while (slots[at].entry) at = (at + 1) & (cap - 1);
        slots[at] = map->slots[i];
    }
    free(map->slots);
    map->slots = slots;
    map->cap = cap;
    return OK;
}

Status str_map_reserve(StrMap *map, size_t count, Err *err)
{
    size_t cap = 64;

    while (cap / 2 < count && cap < UINT32_MAX) cap *= 2;
    return cap > map->cap ? rehash(map, cap, err) : OK;
}

Status str_map_hold(StrMap *map, const char *key, size_t len, int32_t value, int32_t **held, Err *err)
{
    uint32_t hash = hash_of(map, key, len);
    Status st = OK;
    Slot *slot;

    *held = NULL;
    if (len > UINT32_MAX) return err_set(err, ERR_FORMAT, "a key of %zu bytes is too long", len);
    if (map->count * 2 >= map->cap) st = rehash(map, map->cap ? map->cap * 2 : 64, err);
    if (st != OK) return st;
    slot = find_slot(map, hash, key, len);
    if (!slot->entry) {
        const size_t start = map->keys.len;
        buf_put(&map->keys, key, len);
        buf_put_byte(&map->keys, '\0');
        st = buf_check(&map->keys, err);
        if (st != OK) return st;
        map->entries[map->count++] = (Entry){ start, (uint32_t)len, value };
        *slot = (Slot){ hash, (uint32_t)map->count };
    }
    *held = &map->entries[slot->entry - 1].value;
    return OK;
}

Status str_map_add(StrMap *map, const char *key, size_t len, int32_t value, bool *added, Err *err)
{
    const size_t count = map->count;
    int32_t *held;
    const Status st = str_map_hold(map, key, len, value, &held, err);

    *added = map->count > count;
    return st;
}

int32_t str_map_get(const StrMap *map, const char *key, size_t len, int32_t missing)
{
    const Slot *slot;

    if (!map->cap) return missing;
    slot = find_slot(map, hash_of(map, key, len), key, len);
    return slot->entry ? map->entries[slot->entry - 1].value : missing;
}

size_t str_map_count(const StrMap *map)
{
    return map->count;
}

const char *str_map_key(const StrMap *map, size_t index)
{
    return map->keys.data + map->entries[index].key;
}
