/* memory_map.c - see memory_map.h.
 * The hash tables use open addressing with linear probing, and are at most half full. One finds an entry by its whole
 * key, to replace it. The other one finds the entries that differ only in their languages, which are linked: a lookup
 * chooses among them. */
#include "memory_map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "dragoman.h"
#include "hash.h"
#include "language_detector.h"
#include "public_status.h"
#include "memory_parts.h"
#include "utf8.h"

typedef struct {
    MemoryText source, target, parts;
    uint64_t identity;
    uint32_t next;     /* in other languages: its index plus one; 0: there is none */
    uint16_t from, to; /* indices in MemoryMap.languages */
    bool is_made;
} Entry;

typedef struct {
    uint32_t hash;
    uint32_t entry; /* its index plus one; 0 is an empty slot */
} Slot;

/* A language of entries; both texts are "" for the unknown one. */
typedef struct {
    char name[DRAGOMAN_LANGUAGE_TAG]; /* as in the memory, with - for _ */
    char tag[DRAGOMAN_LANGUAGE_TAG];  /* in BCP 47, without its usual script; the name if it is no tag */
    size_t first;                     /* index of the first one with this tag, which stands for all of them */
} EntryLanguage;

struct MemoryMap {
    Entry *entries; /* [count] */
    size_t count, capacity;
    Slot *keys;        /* [slot_count], by the whole key */
    Slot *texts;       /* [slot_count], by the key without the languages; after `keys` in the same memory */
    size_t slot_count; /* a power of two or 0 */
    HashKey hash_key;
    EntryLanguage *languages; /* [language_count]; the first is the unknown one */
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
        map->languages[map->language_count++] = (EntryLanguage){ "", "", 0 };
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
    free(map->keys);
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

static bool is_text(const Entry *entry, const Key *key)
{
    return entry->is_made == key->is_made && entry->identity == key->identity &&
           same_text(entry->source, key->source) && (!key->is_made || memory_parts_same(entry->parts, key->parts));
}

static bool is_key(const Entry *entry, const Key *key)
{
    return entry->from == key->from && entry->to == key->to && is_text(entry, key);
}

static uint32_t hash_numbers(const MemoryMap *map, const uint64_t *numbers, size_t bytes)
{
    const uint64_t hash = keyed_hash(map->hash_key, numbers, bytes);

    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t hash_text(const MemoryMap *map, const Key *key)
{
    const uint64_t numbers[] = { key->source_hash, key->is_made, key->identity, key->parts_hash };

    return hash_numbers(map, numbers, sizeof numbers);
}

static uint32_t hash_key(const MemoryMap *map, const Key *key)
{
    const uint64_t numbers[] = { key->source_hash, key->is_made, key->identity, key->parts_hash,
                                 (uint64_t)key->from << 32 | key->to };

    return hash_numbers(map, numbers, sizeof numbers);
}

static void hash_parts(const MemoryMap *map, Key *key)
{
    key->source_hash = keyed_hash(map->hash_key, key->source.text, key->source.length);
    if (key->is_made) key->parts_hash = memory_parts_hash(key->parts, map->hash_key);
}

/* Returns the slot of an entry that `is` accepts, or the empty slot where it belongs. */
static Slot *find_slot(const MemoryMap *map, Slot *slots, const Key *key, uint32_t hash,
                       bool (*is)(const Entry *entry, const Key *key))
{
    for (size_t i = hash & (map->slot_count - 1);; i = (i + 1) & (map->slot_count - 1)) {
        Slot *slot = &slots[i];
        if (!slot->entry || (slot->hash == hash && is(&map->entries[slot->entry - 1], key))) return slot;
    }
}

static void move_slots(Slot *to, size_t to_count, const Slot *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = from[i].hash & (to_count - 1);
        if (!from[i].entry) continue;
        while (to[at].entry) at = (at + 1) & (to_count - 1);
        to[at] = from[i];
    }
}

static Status reserve_slots(MemoryMap *map, Err *err)
{
    const size_t count = map->slot_count ? 2 * map->slot_count : 1024;
    Slot *slots;

    if (2 * (map->count + 1) <= map->slot_count) return OK;
    slots = count <= UINT32_MAX ? calloc(2 * count, sizeof *slots) : NULL;
    if (!slots) return err_memory(err, "the translation memory");
    move_slots(slots, count, map->keys, map->slot_count);
    move_slots(slots + count, count, map->texts, map->slot_count);
    free(map->keys);
    map->keys = slots;
    map->texts = slots + count;
    map->slot_count = count;
    return OK;
}

/* Copies the name of a language with the separator of BCP 47; other programs also write en_US. */
static void copy_name(char out[DRAGOMAN_LANGUAGE_TAG], MemoryText name)
{
    const size_t length = name.length < DRAGOMAN_LANGUAGE_TAG ? name.length : DRAGOMAN_LANGUAGE_TAG - 1;

    for (size_t i = 0; i < length; i++) out[i] = name.text[i] == '_' ? '-' : name.text[i];
    out[length] = '\0';
}

/* A region after a script is left out: the usual script of a language depends on the region. */
static Status find_tag(char tag[DRAGOMAN_LANGUAGE_TAG], const char name[DRAGOMAN_LANGUAGE_TAG], Err *err)
{
    char bare[DRAGOMAN_LANGUAGE_TAG];
    DragomanError error;
    char *script;
    Status st;

    memcpy(bare, name, sizeof bare);
    script = strchr(bare, '-');
    if (script && strcspn(script + 1, "-") == 4) script[5] = '\0';
    st = public_status(dragoman_find_language_tag(bare, tag, &error), &error, err);
    if (st == OK && !*tag) memcpy(tag, name, DRAGOMAN_LANGUAGE_TAG);
    return st;
}

static size_t find_same_tag(const MemoryMap *map, const char *tag)
{
    size_t i = 0;

    while (i < map->language_count && strcasecmp(map->languages[i].tag, tag) != 0) i++;
    return i;
}

Status memory_map_find_language(MemoryMap *map, MemoryText name, size_t *out, Err *err)
{
    EntryLanguage added;
    Status st;

    copy_name(added.name, name);
    for (size_t i = 0; i < map->language_count; i++) {
        if (strcasecmp(map->languages[i].name, added.name) != 0) continue;
        *out = map->languages[i].first;
        return OK;
    }
    if (map->language_count > MEMORY_LANGUAGES)
        return err_set(err, ERR_FORMAT, "more than %zu languages are not supported", MEMORY_LANGUAGES);
    st = find_tag(added.tag, added.name, err);
    if (st == OK)
        st = buf_grow_list(&map->languages, &map->language_capacity, map->language_count, 1, sizeof *map->languages,
                           "the translation memory", err);
    if (st != OK) return st;
    *out = added.first = find_same_tag(map, added.tag);
    map->languages[map->language_count++] = added;
    return OK;
}

const char *memory_map_tag(const MemoryMap *map, size_t language)
{
    return map->languages[language].tag;
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

/* Adds an entry without contents for a new key, before those with other languages. Returns its number. */
static uint32_t link_new(MemoryMap *map, const Key *key)
{
    const uint32_t hash = hash_text(map, key), number = (uint32_t)++map->count;
    Slot *slot = find_slot(map, map->texts, key, hash, is_text);

    map->entries[number - 1] = (Entry){ .next = slot->entry };
    *slot = (Slot){ hash, number };
    return number;
}

Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err)
{
    Key key = { .source = row->source, .parts = row->parts, .identity = row->identity, .is_made = row->is_made };
    Status st;
    uint32_t hash;
    Slot *slot;
    Entry *entry;

    if (is_blank(row->source) || is_blank(row->target)) return OK;
    st = memory_map_find_language(map, row->from, &key.from, err);
    if (st == OK) st = memory_map_find_language(map, row->to, &key.to, err);
    if (st == OK) st = reserve(map, err);
    if (st != OK) return st;
    hash_parts(map, &key);
    hash = hash_key(map, &key);
    slot = find_slot(map, map->keys, &key, hash, is_key);
    if (!slot->entry) *slot = (Slot){ hash, link_new(map, &key) };
    entry = &map->entries[slot->entry - 1];
    *entry = (Entry){ .source = row->source,
                      .target = row->target,
                      .parts = row->parts,
                      .identity = row->identity,
                      .next = entry->next,
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
    if (strcasecmp(map->languages[language].tag, wanted) == 0) return 3;
    return language_detector_same(map->languages[language].tag, wanted) ? 2 : 0;
}

/* Entries that fit equally well are in the order in which their languages were found in the memory. */
static bool comes_before(const Entry *one, const Entry *other)
{
    return one->from != other->from ? one->from < other->from : one->to < other->to;
}

/* Returns the entry with the key, apart from its languages, whose languages fit best, or NULL. */
static const Entry *find_best(const MemoryMap *map, Key *key, const MemoryQuery *query)
{
    const Entry *best = NULL;
    int as_source[MEMORY_LANGUAGES + 1], as_target[MEMORY_LANGUAGES + 1], most = 0; /* also of the unknown one */
    uint32_t number;

    if (!map->slot_count) return NULL;
    hash_parts(map, key);
    number = find_slot(map, map->texts, key, hash_text(map, key), is_text)->entry;
    for (size_t i = 0; number && i < map->language_count; i++) {
        as_source[i] = fit(map, i, query->from);
        as_target[i] = fit(map, i, query->to);
    }
    while (number) {
        const Entry *entry = &map->entries[number - 1];
        const int fits = as_source[entry->from] * as_target[entry->to];
        if (fits > most || (fits && fits == most && comes_before(entry, best))) {
            best = entry;
            most = fits;
        }
        number = entry->next;
    }
    return best;
}

bool memory_map_find_given(const MemoryMap *map, const MemoryQuery *query, MemoryText *target)
{
    Key key = { .source = query->source };
    const Entry *entry = find_best(map, &key, query);

    if (entry) *target = entry->target;
    return entry != NULL;
}

bool memory_map_find_made(const MemoryMap *map, const MemoryQuery *query, MemoryText *target, MemoryText *parts)
{
    Key key = { .source = query->source, .parts = query->parts, .identity = query->identity, .is_made = true };
    const Entry *entry = find_best(map, &key, query);

    if (!entry) return false;
    *target = entry->target;
    *parts = entry->parts;
    return true;
}
