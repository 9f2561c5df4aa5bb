/* memory_map.c - see memory_map.h.
 * The hash table uses open addressing with linear probing, and is at most half full. The languages of an entry are part
 * of its key. So a lookup tries each pair of languages in the memory that fits; there are only a few. */
#include "memory_map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "dragoman.h"
#include "keyed_hash.h"
#include "language_detector.h"
#include "memory_parts.h"
#include "utf8.h"

typedef struct {
    MemoryText source, target, parts;
    uint64_t identity;
    uint16_t from, to; /* indices in MemoryMap.languages */
    bool is_made;
} Entry;

typedef struct {
    uint32_t hash;
    uint32_t entry; /* its index plus one; 0 is an empty slot */
} Slot;

struct MemoryMap {
    Entry *entries; /* [count] */
    size_t count, capacity;
    Slot *slots; /* [slot_count], a power of two or 0 */
    size_t slot_count;
    HashKey hash_key;
    char (*languages)[DRAGOMAN_LANGUAGE_TAG]; /* [language_count]; the first is "", an unknown one */
    size_t language_count, language_capacity;
};

/* The key of an entry; the parts of a person's have no effect. */
typedef struct {
    uint64_t source_hash, parts_hash;
    MemoryText source, parts;
    uint64_t identity;
    size_t from, to;
    bool is_made;
} Key;

Status memory_map_new(MemoryMap **out, Err *err)
{
    MemoryMap *map = calloc(1, sizeof *map);
    Status st = map ? buf_grow_list(&map->languages, &map->language_capacity, 0, 1, sizeof *map->languages,
                                    "the translation memory", err)
                    : err_memory(err, "the translation memory");

    if (st == OK) {
        map->languages[map->language_count++][0] = '\0';
        map->hash_key = keyed_hash_random_key();
    } else
        memory_map_free(map);
    *out = st == OK ? map : NULL;
    return st;
}

void memory_map_free(MemoryMap *map)
{
    if (!map) return;
    free(map->entries);
    free(map->slots);
    free(map->languages);
    free(map);
}

size_t memory_map_count(const MemoryMap *map)
{
    return map->count;
}

static bool same_text(MemoryText a, MemoryText b)
{
    return a.length == b.length && (!a.length || memcmp(a.text, b.text, a.length) == 0);
}

static bool entry_is(const Entry *entry, const Key *key)
{
    return entry->from == key->from && entry->to == key->to && entry->is_made == key->is_made &&
           entry->identity == key->identity && same_text(entry->source, key->source) &&
           (!key->is_made || memory_parts_same(entry->parts, key->parts));
}

static uint32_t hash_of(const MemoryMap *map, const Key *key)
{
    const uint64_t numbers[] = { key->source_hash, (uint64_t)key->from << 32 | key->to, key->is_made, key->identity,
                                 key->parts_hash };
    const uint64_t out = keyed_hash(map->hash_key, numbers, sizeof numbers);

    return (uint32_t)(out ^ out >> 32);
}

static void hash_texts(const MemoryMap *map, Key *key)
{
    key->source_hash = keyed_hash(map->hash_key, key->source.text, key->source.length);
    if (key->is_made) key->parts_hash = memory_parts_hash(key->parts, map->hash_key);
}

/* Returns the slot with the key, or the empty slot where it belongs. */
static Slot *find_slot(const MemoryMap *map, const Key *key, uint32_t hash)
{
    for (size_t i = hash & (map->slot_count - 1);; i = (i + 1) & (map->slot_count - 1)) {
        Slot *slot = &map->slots[i];
        if (!slot->entry || (slot->hash == hash && entry_is(&map->entries[slot->entry - 1], key))) return slot;
    }
}

static Status reserve_slots(MemoryMap *map, Err *err)
{
    const size_t count = map->slot_count ? 2 * map->slot_count : 1024;
    Slot *slots;

    if (2 * (map->count + 1) <= map->slot_count) return OK;
    slots = count <= UINT32_MAX ? calloc(count, sizeof *slots) : NULL;
    if (!slots) return err_memory(err, "the translation memory");
    for (size_t i = 0; i < map->slot_count; i++) {
        size_t at = map->slots[i].hash & (count - 1);
        if (!map->slots[i].entry) continue;
        while (slots[at].entry) at = (at + 1) & (count - 1);
        slots[at] = map->slots[i];
    }
    free(map->slots);
    map->slots = slots;
    map->slot_count = count;
    return OK;
}

/* Copies the name of a language as BCP 47 writes it; other programs also write en_US. */
static void copy_tag(char tag[DRAGOMAN_LANGUAGE_TAG], MemoryText name)
{
    const size_t length = name.length < DRAGOMAN_LANGUAGE_TAG ? name.length : DRAGOMAN_LANGUAGE_TAG - 1;

    for (size_t i = 0; i < length; i++) tag[i] = name.text[i] == '_' ? '-' : name.text[i];
    tag[length] = '\0';
}

static Status find_language(MemoryMap *map, MemoryText name, size_t *out, Err *err)
{
    char tag[DRAGOMAN_LANGUAGE_TAG];
    Status st;

    copy_tag(tag, name);
    for (*out = 0; *out < map->language_count; ++*out)
        if (strcasecmp(map->languages[*out], tag) == 0) return OK;
    if (map->language_count > MEMORY_LANGUAGES)
        return err_set(err, ERR_FORMAT, "more than %zu languages are not supported", MEMORY_LANGUAGES);
    st = buf_grow_list(&map->languages, &map->language_capacity, map->language_count, 1, sizeof *map->languages,
                       "the translation memory", err);
    if (st == OK) memcpy(map->languages[map->language_count++], tag, sizeof tag);
    return st;
}

static bool is_blank(MemoryText text)
{
    return utf8_leading_space(text.text, text.length) == text.length;
}

static Status reserve(MemoryMap *map, Err *err)
{
    Status st = reserve_slots(map, err);

    return st == OK ? buf_grow_list(&map->entries, &map->capacity, map->count, 1, sizeof *map->entries,
                                    "the translation memory", err)
                    : st;
}

Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err)
{
    Key key = { .source = row->source, .parts = row->parts, .identity = row->identity, .is_made = row->is_made };
    Status st;
    uint32_t hash;
    Slot *slot;

    if (is_blank(row->source) || is_blank(row->target)) return OK;
    st = find_language(map, row->from, &key.from, err);
    if (st == OK) st = find_language(map, row->to, &key.to, err);
    if (st == OK) st = reserve(map, err);
    if (st != OK) return st;
    hash_texts(map, &key);
    hash = hash_of(map, &key);
    slot = find_slot(map, &key, hash);
    if (!slot->entry) *slot = (Slot){ hash, (uint32_t)++map->count };
    map->entries[slot->entry - 1] = (Entry){ .source = row->source,
                                             .target = row->target,
                                             .parts = row->parts,
                                             .identity = row->identity,
                                             .from = (uint16_t)key.from,
                                             .to = (uint16_t)key.to,
                                             .is_made = row->is_made };
    return OK;
}

/* 0: the language does not fit; 1: the memory does not say; 2: it fits; 3: it is the same. */
static int fit(const MemoryMap *map, size_t language, const char *wanted)
{
    if (!language) return 1;
    if (!wanted) return 2;
    if (strcasecmp(map->languages[language], wanted) == 0) return 3;
    return language_detector_same(map->languages[language], wanted) ? 2 : 0;
}

/* Returns the entry with the key whose languages fit best, or NULL. */
static const Entry *find_best(const MemoryMap *map, Key *key, const MemoryQuery *query)
{
    const Entry *best = NULL;
    int most = 0;

    for (key->from = 0; map->slot_count && key->from < map->language_count; key->from++) {
        const int from = fit(map, key->from, query->from);
        for (key->to = 0; from && key->to < map->language_count; key->to++) {
            const int to = fit(map, key->to, query->to);
            const Slot *slot = from * to > most ? find_slot(map, key, hash_of(map, key)) : NULL;
            if (!slot || !slot->entry) continue;
            best = &map->entries[slot->entry - 1];
            most = from * to;
        }
    }
    return best;
}

bool memory_map_find_given(const MemoryMap *map, const MemoryQuery *query, MemoryText *target)
{
    Key key = { .source = query->source };
    const Entry *entry;

    hash_texts(map, &key);
    entry = find_best(map, &key, query);
    if (entry) *target = entry->target;
    return entry != NULL;
}

bool memory_map_find_made(const MemoryMap *map, const MemoryQuery *query, MemoryText *target, MemoryText *parts)
{
    Key key = { .source = query->source, .parts = query->parts, .identity = query->identity, .is_made = true };
    const Entry *entry;

    hash_texts(map, &key);
    entry = find_best(map, &key, query);
    if (!entry) return false;
    *target = entry->target;
    *parts = entry->parts;
    return true;
}
