/* str_map.c - see str_map.h.
 * Entries are stored in the order of insertion, keys one after the other in one buffer. The hash table uses open
 * addressing with linear probing and is at most half full. A slot of a table of `cap` slots (a power of two) holds the
 * number of an entry, counted from 1, in the bits below `cap`, and the bits of the hash from `cap` on; 0 is an empty
 * slot. So few keys are compared, and a table of 60,000 keys fits into the second-level cache. */
#include "str_map.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "hash.h"

/* The slots of this many entries ahead are loaded while a table is built: it is larger than the first-level cache. */
#define AHEAD 8

typedef struct {
    size_t key; /* offset in `keys`; a NUL follows the key, and then the next key */
    uint32_t hash;
    int32_t value;
} Entry;

struct StrMap {
    uint32_t *slots; /* [cap] */
    size_t cap;
    Entry *entries; /* [count] */
    size_t count, room;
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

static size_t key_length(const StrMap *map, size_t index)
{
    const size_t end = index + 1 < map->count ? map->entries[index + 1].key : map->keys.len;

    return end - 1 - map->entries[index].key;
}

/* Returns the index of the entry of a slot that is not empty. */
static size_t entry_of(const StrMap *map, uint32_t slot)
{
    return (slot & (map->cap - 1)) - 1;
}

/* Returns the slot that holds the key, or the empty slot where it belongs. */
static uint32_t *find_slot(const StrMap *map, uint32_t hash, const char *key, size_t len)
{
    const uint32_t mask = (uint32_t)map->cap - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &map->slots[i];
        size_t index;
        if (!*slot) return slot;
        if ((*slot ^ hash) & ~mask) continue;
        index = entry_of(map, *slot);
        if (map->entries[index].hash == hash && key_length(map, index) == len &&
            memcmp(map->keys.data + map->entries[index].key, key, len) == 0)
            return slot;
    }
}

static uint32_t slot_of(const StrMap *map, size_t index)
{
    return (map->entries[index].hash & ~((uint32_t)map->cap - 1)) | (uint32_t)(index + 1);
}

/* Replaces the table by one of `cap` slots. *duplicate is the first entry whose key an earlier entry has; `count` if
 * there is none. */
static Status build(StrMap *map, size_t cap, size_t *duplicate, Err *err)
{
    uint32_t *slots = cap <= UINT32_MAX ? zeroed_table(cap, sizeof *slots) : NULL;

    *duplicate = map->count;
    if (!slots) return err_memory(err, "a table");
    free(map->slots);
    map->slots = slots;
    map->cap = cap;
    for (size_t i = 0; i < map->count; i++) {
        const Entry *entry = &map->entries[i];
        uint32_t *slot;
        if (i + AHEAD < map->count) __builtin_prefetch(&slots[entry[AHEAD].hash & (cap - 1)], 1);
        slot = find_slot(map, entry->hash, map->keys.data + entry->key, key_length(map, i));
        if (!*slot)
            *slot = slot_of(map, i);
        else if (*duplicate == map->count)
            *duplicate = i;
    }
    return OK;
}

static Status append(StrMap *map, uint32_t hash, const char *key, size_t len, int32_t value, Err *err)
{
    const size_t start = map->keys.len;
    Status st = buf_grow_list(&map->entries, &map->room, map->count, 1, sizeof *map->entries, "a table", err);

    if (st != OK) return st;
    buf_put(&map->keys, key, len);
    buf_put_byte(&map->keys, '\0');
    st = buf_check(&map->keys, err);
    if (st == OK) map->entries[map->count++] = (Entry){ start, hash, value };
    return st;
}

Status str_map_append(StrMap *map, const char *key, size_t len, int32_t value, Err *err)
{
    return append(map, hash_of(map, key, len), key, len, value, err);
}

Status str_map_index(StrMap *map, size_t *duplicate, Err *err)
{
    size_t cap = 64;

    while (cap / 2 < map->count) cap *= 2;
    return build(map, cap, duplicate, err);
}

Status str_map_hold(StrMap *map, const char *key, size_t len, int32_t value, int32_t **held, Err *err)
{
    const uint32_t hash = hash_of(map, key, len);
    size_t unused;
    Status st = OK;
    uint32_t *slot;

    *held = NULL;
    if (map->count * 2 >= map->cap) st = build(map, map->cap ? map->cap * 2 : 64, &unused, err);
    if (st != OK) return st;
    slot = find_slot(map, hash, key, len);
    if (!*slot) {
        st = append(map, hash, key, len, value, err);
        if (st != OK) return st;
        *slot = slot_of(map, map->count - 1);
    }
    *held = &map->entries[entry_of(map, *slot)].value;
    return OK;
}

Status str_map_add(StrMap *map, const char *key, size_t len, int32_t value, bool *added, Err *err)
{
    const size_t count = map->count;
    int32_t *held;
    const Status st = str_map_hold(map, key, len, value, &held, err);

    if (added) *added = map->count > count;
    return st;
}

int32_t str_map_get(const StrMap *map, const char *key, size_t len, int32_t missing)
{
    const uint32_t *slot;

    if (!map->cap) return missing;
    slot = find_slot(map, hash_of(map, key, len), key, len);
    return *slot ? map->entries[entry_of(map, *slot)].value : missing;
}

size_t str_map_count(const StrMap *map)
{
    return map->count;
}

const char *str_map_key(const StrMap *map, size_t index)
{
    return map->keys.data + map->entries[index].key;
}

int32_t str_map_value(const StrMap *map, size_t index)
{
    return map->entries[index].value;
}
