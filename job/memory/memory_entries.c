/* memory_entries.c - see memory_entries.h: the parts of texts, and the map. */
#include "memory_entries.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "dragoman.h"
#include "hash.h"
#include "language_detector.h"
#include "public_status.h"
#include "utf8.h"

/* --- Parts ------------------------------------------------------------------- */

/* If a text has more kept parts than this, they are not searched in a translation by a person: the time would grow with
 * the product of their number and the length of the text. */
#define MOST_SEARCHED ((size_t)1000)

static void put_part(Buf *out, char kind, Range range)
{
    buf_put_format(out, "%s%c%zu-%zu", out->len ? " " : "", kind, range.begin, range.end);
}

Status memory_parts_append(Buf *out, const UnitText *text, const Rendering *made, Err *err)
{
    for (size_t i = 0; i < text->kept_count; i++) {
        put_part(out, 'k', text->kept[i]);
        if (made) buf_put_format(out, "=%zu-%zu", made->kept[i].place.begin, made->kept[i].place.end);
    }
    for (size_t i = 0; i < text->markup_count; i++) {
        const Markup *markup = &text->markup[i];
        put_part(out,
                 text->accelerator == i + 1 ? 'a'
                 : markup->is_space         ? 'b'
                 : markup->is_empty         ? 'e'
                                            : 's',
                 markup->text);
        if (markup->parent != MARKUP_ROOT) buf_put_format(out, "^%zu", markup->parent);
        if (made) buf_put_format(out, "=%zu-%zu", made->places[i].begin, made->places[i].end);
    }
    return buf_check(out, err);
}

/* Removes the first word of *parts and sets *word to it. Returns false if there are no words. */
static bool next_word(LineText *parts, LineText *word)
{
    const char *space = parts->len ? memchr(parts->data, ' ', parts->len) : NULL;

    *word = (LineText){ parts->data, space ? (size_t)(space - parts->data) : parts->len };
    if (!parts->len) return false;
    parts->data += word->len + (space ? 1 : 0);
    parts->len -= word->len + (space ? 1 : 0);
    return true;
}

static bool read_number(LineText *text, size_t *out)
{
    size_t digits = 0;

    *out = 0;
    while (digits < text->len && char_is_digit(text->data[digits])) {
        if (*out > SIZE_MAX / 10 - 1) return false;
        *out = *out * 10 + (size_t)(text->data[digits++] - '0');
    }
    text->data += digits;
    text->len -= digits;
    return digits > 0;
}

/* Whether byte `at` begins a character or is the end of the text. */
static bool is_boundary(LineText text, size_t at)
{
    return at == text.len || !char_goes_on(text.data[at]);
}

/* Reads the place, "=BEGIN-END", at the end of the next word. */
static bool read_place(LineText *parts, LineText target, Range *place)
{
    LineText word;
    const char *equals;

    if (!next_word(parts, &word)) return false;
    equals = memchr(word.data, '=', word.len);
    if (!equals) return false;
    word.len -= (size_t)(equals + 1 - word.data);
    word.data = equals + 1;
    if (!read_number(&word, &place->begin) || !word.len || word.data[0] != '-') return false;
    word.data++;
    word.len--;
    return read_number(&word, &place->end) && !word.len && place->begin <= place->end && place->end <= target.len &&
           is_boundary(target, place->begin) && is_boundary(target, place->end);
}

/* Whether the place overlaps one of kept[count]; if so, sets *end to the end of that kept part. */
static bool is_taken(const Range *kept, size_t count, Range place, size_t *end)
{
    for (size_t i = 0; i < count; i++) {
        if (place.begin >= kept[i].end || kept[i].begin >= place.end) continue;
        *end = kept[i].end;
        return true;
    }
    return false;
}

bool memory_parts_read(LineText parts, const UnitText *text, LineText target, Range *kept, Range *places)
{
    size_t end;

    for (size_t i = 0; i < text->kept_count; i++) {
        const size_t length = text->kept[i].end - text->kept[i].begin;
        if (!read_place(&parts, target, &kept[i]) || kept[i].end - kept[i].begin != length ||
            memcmp(text->text + text->kept[i].begin, target.data + kept[i].begin, length) != 0)
            return false;
    }
    for (size_t i = 0; i < text->markup_count; i++)
        if (!read_place(&parts, target, &places[i]) || (text->markup[i].is_empty && places[i].begin < places[i].end))
            return false;
    if (parts.len) return false;
    for (size_t i = 1; i < text->kept_count; i++)
        if (is_taken(kept, i, kept[i], &end)) return false;
    return true;
}

/* Sets kept[count] to a place of these bytes in `target` that does not overlap kept[0..count), if there is one. */
static bool find_free(LineText target, const char *bytes, size_t length, Range *kept, size_t count)
{
    size_t at = 0;

    while (at + length <= target.len) {
        const char *found = memchr(target.data + at, bytes[0], target.len - length - at + 1);
        size_t end;
        if (!found) return false;
        at = (size_t)(found - target.data);
        kept[count] = (Range){ at, at + length };
        if (memcmp(found, bytes, length) != 0)
            at++;
        else if (is_taken(kept, count, kept[count], &end))
            at = end;
        else
            return true;
    }
    return false;
}

bool memory_parts_find_kept(const UnitText *text, LineText target, Range *kept)
{
    if (text->kept_count > MOST_SEARCHED) return false;
    for (size_t i = 0; i < text->kept_count; i++) {
        const Range range = text->kept[i];
        if (!find_free(target, text->text + range.begin, range.end - range.begin, kept, i)) return false;
    }
    return true;
}

/* --- The map -----------------------------------------------------------------
 * There are two hash tables with open addressing and linear probing, at most half full. The first table finds an entry
 * by its whole key, to replace it. The second table finds a linked list of entries that differ only in their languages;
 * a lookup chooses one of them. */

typedef struct {
    LineText source, target, parts;
    uint64_t identity; /* of an entry by dragoman: identity_of(), a hash; otherwise 0 */
    uint32_t next;     /* index plus one of the next entry that differs only in its languages; 0: there is none */
    uint16_t from, to; /* indices in MemoryMap.languages */
    bool is_made;
} Entry;

typedef struct {
    uint32_t hash;
    uint32_t entry; /* the index of the entry plus one; 0: the slot is empty */
} Slot;

/* A language of entries; name and tag are "" for the unknown language. */
typedef struct {
    char name[DRAGOMAN_LANGUAGE_TAG]; /* as in the memory, with - for _ */
    char tag[DRAGOMAN_LANGUAGE_TAG];  /* BCP 47 tag, without the script if that is usual; `name` if it has no tag */
    size_t first;                     /* index of the first language with this tag: this one or an earlier one */
} EntryLanguage;

struct MemoryMap {
    LIST_OF(Entry) entries;
    Slot *keys;        /* [slot_count], by the whole key */
    Slot *texts;       /* [slot_count], by the key without the languages; allocated together with `keys` */
    size_t slot_count; /* a power of two or 0 */
    HashKey hash_key;
    LIST_OF(EntryLanguage) languages; /* the first one is the unknown language */
};

Status memory_map_new(MemoryMap **out, Err *err)
{
    MemoryMap *map = calloc(1, sizeof *map);

    *out = map;
    if (!map) return err_memory(err, "the translation memory");
    map->hash_key = keyed_hash_random_key();
    LIST_PUT(&map->languages, (EntryLanguage){ .first = 0 });
    if (!map->languages.failed) return OK;
    memory_map_free(map);
    *out = NULL;
    return err_memory(err, "the translation memory");
}

void memory_map_free(MemoryMap *map)
{
    if (!map) return;
    free(map->entries.data);
    free(map->keys);
    free(map->languages.data);
    free(map);
}

size_t memory_map_count(const MemoryMap *map)
{
    return map->entries.len;
}

/* A hash of the row's identity and its parts without their places: the hash so far is the key for the next word. */
static uint64_t identity_of(const MemoryMap *map, const MemoryRow *row)
{
    HashKey key = { { row->identity ^ map->hash_key.words[0], map->hash_key.words[1] } };
    LineText parts = row->parts, word;

    while (row->is_made && next_word(&parts, &word)) {
        const char *place = memchr(word.data, '=', word.len);
        key.words[0] =
            map->hash_key.words[0] ^ keyed_hash(key, word.data, place ? (size_t)(place - word.data) : word.len);
    }
    return row->is_made ? key.words[0] : 0;
}

/* The hashes of an entry's key. */
typedef struct {
    uint32_t key, text; /* `key` includes the languages, `text` does not */
} Hashes;

static Hashes hash_entry(const MemoryMap *map, const Entry *entry)
{
    const uint64_t numbers[] = { keyed_hash(map->hash_key, entry->source.data, entry->source.len), entry->is_made,
                                 entry->identity, (uint64_t)entry->from << 32 | entry->to };
    const uint64_t key = keyed_hash(map->hash_key, numbers, sizeof numbers);
    const uint64_t text = keyed_hash(map->hash_key, numbers, sizeof numbers - sizeof *numbers);

    return (Hashes){ (uint32_t)(key ^ key >> 32), (uint32_t)(text ^ text >> 32) };
}

/* Returns the slot in map->keys or map->texts that has the entry, or the empty slot where it belongs. */
static Slot *find_slot(const MemoryMap *map, Slot *slots, const Entry *wanted, uint32_t hash)
{
    for (size_t i = hash & (map->slot_count - 1);; i = (i + 1) & (map->slot_count - 1)) {
        const Entry *entry = slots[i].entry ? &map->entries.data[slots[i].entry - 1] : NULL;
        if (!entry) return &slots[i];
        if (slots[i].hash != hash || entry->is_made != wanted->is_made || entry->identity != wanted->identity ||
            !chars_are_equal(entry->source, wanted->source))
            continue;
        if (slots == map->texts || (entry->from == wanted->from && entry->to == wanted->to)) return &slots[i];
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

/* Makes room for another entry in both tables. */
static Status reserve_slots(MemoryMap *map, Err *err)
{
    const size_t count = map->slot_count ? 2 * map->slot_count : 1024;
    Slot *slots;

    if (2 * (map->entries.len + 1) <= map->slot_count) return OK;
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

/* Finds the tag for the name of a language. If the name has a script and a region, leaves out the region; otherwise the
 * region would determine which script is the usual one. */
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

Status memory_map_find_language(MemoryMap *map, LineText name, size_t *out, Err *err)
{
    const size_t length = name.len < DRAGOMAN_LANGUAGE_TAG ? name.len : DRAGOMAN_LANGUAGE_TAG - 1;
    EntryLanguage added = { .first = 0 };
    Status st;

    /* The separator of BCP 47 is a hyphen; other programs also write en_US. */
    for (size_t i = 0; i < length; i++) added.name[i] = name.data[i] == '_' ? '-' : name.data[i];
    for (size_t i = 0; i < map->languages.len; i++) {
        if (strcasecmp(map->languages.data[i].name, added.name) != 0) continue;
        *out = map->languages.data[i].first;
        return OK;
    }
    if (map->languages.len > MEMORY_LANGUAGES)
        return err_set(err, ERR_FORMAT, "more than %zu languages are not supported", MEMORY_LANGUAGES);
    st = find_tag(added.tag, added.name, err);
    if (st != OK) return st;
    while (added.first < map->languages.len && strcasecmp(map->languages.data[added.first].tag, added.tag) != 0)
        added.first++;
    *out = added.first;
    LIST_PUT(&map->languages, added);
    return LIST_CHECK(&map->languages, "the translation memory", err);
}

const char *memory_map_tag(const MemoryMap *map, size_t language)
{
    return map->languages.data[language].tag;
}

Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err)
{
    Entry added = { .source = row->source,
                    .target = row->target,
                    .parts = row->parts,
                    .identity = identity_of(map, row),
                    .is_made = row->is_made };
    size_t from, to;
    Hashes hashes;
    Slot *key, *text;
    Status st;

    if (utf8_is_blank(row->source.data, row->source.len)) return OK;
    if (utf8_is_blank(row->target.data, row->target.len)) return OK;
    st = memory_map_find_language(map, row->from, &from, err);
    if (st == OK) st = memory_map_find_language(map, row->to, &to, err);
    if (st == OK) st = reserve_slots(map, err);
    if (st != OK) return st;
    added.from = (uint16_t)from;
    added.to = (uint16_t)to;
    hashes = hash_entry(map, &added);
    key = find_slot(map, map->keys, &added, hashes.key);
    if (key->entry) {
        Entry *replaced = &map->entries.data[key->entry - 1];
        added.next = replaced->next;
        *replaced = added;
        return OK;
    }
    text = find_slot(map, map->texts, &added, hashes.text); /* the new entry becomes the first of the linked list */
    added.next = text->entry;
    LIST_PUT(&map->entries, added);
    st = LIST_CHECK(&map->entries, "the translation memory", err);
    if (st != OK) return st;
    *text = (Slot){ hashes.text, (uint32_t)map->entries.len };
    *key = (Slot){ hashes.key, (uint32_t)map->entries.len };
    return OK;
}

/* How well a language of the memory fits the wanted one. 0: not at all; 1: the memory does not name its language; 2: it
 * fits; 3: the tags are equal. */
static int fit(const MemoryMap *map, size_t language, const char *wanted)
{
    if (!language) return 1;
    if (!*wanted) return 2;
    if (strcasecmp(map->languages.data[language].tag, wanted) == 0) return 3;
    return language_detector_same(map->languages.data[language].tag, wanted) ? 2 : 0;
}

/* If several entries fit equally well, chooses the one whose languages come first in the memory. */
bool memory_map_find(const MemoryMap *map, MemoryRow *row)
{
    const Entry wanted = { .source = row->source, .identity = identity_of(map, row), .is_made = row->is_made };
    const Entry *best = NULL;
    int as_source[MEMORY_LANGUAGES + 1], as_target[MEMORY_LANGUAGES + 1], most = 0; /* + 1: the unknown language */
    uint32_t number;

    if (!map->slot_count) return false;
    number = find_slot(map, map->texts, &wanted, hash_entry(map, &wanted).text)->entry;
    for (size_t i = 0; number && i < map->languages.len; i++) {
        as_source[i] = fit(map, i, row->from.data);
        as_target[i] = fit(map, i, row->to.data);
    }
    while (number) {
        const Entry *entry = &map->entries.data[number - 1];
        const int fits = as_source[entry->from] * as_target[entry->to];
        if (fits > most ||
            (fits && fits == most && (entry->from != best->from ? entry->from < best->from : entry->to < best->to))) {
            best = entry;
            most = fits;
        }
        number = entry->next;
    }
    if (!best) return false;
    row->target = best->target;
    row->parts = best->parts;
    return true;
}
