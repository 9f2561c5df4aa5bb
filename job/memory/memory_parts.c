/* memory_parts.c - see memory_parts.h. */
#include "memory_parts.h"

#include <stdint.h>
#include <string.h>

/* More kept parts are not looked for: the time grows with the product of their number and the length of the text. */
#define MOST_SEARCHED ((size_t)1000)

static char kind_of(const UnitText *text, size_t index)
{
    const Markup *markup = &text->markup[index];

    if (text->accelerator == index + 1) return 'a';
    return markup->is_space ? 'b' : markup->is_empty ? 'e' : 's';
}

static Status append_range(Buf *out, char kind, Range range, Err *err)
{
    buf_put_format(out, "%s%c%zu-%zu", out->len ? " " : "", kind, range.begin, range.end);
    return buf_check(out, err);
}

static Status append_place(Buf *out, const Range *place, Err *err)
{
    if (place) buf_put_format(out, "=%zu-%zu", place->begin, place->end);
    return buf_check(out, err);
}

Status memory_parts_append(Buf *out, const UnitText *text, const Rendering *made, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < text->kept_count; i++) {
        st = append_range(out, 'k', text->kept[i], err);
        if (st == OK) st = append_place(out, made ? &made->kept[i].place : NULL, err);
    }
    for (size_t i = 0; st == OK && i < text->markup_count; i++) {
        const Markup *markup = &text->markup[i];
        st = append_range(out, kind_of(text, i), markup->text, err);
        if (st == OK && markup->parent != MARKUP_ROOT) buf_put_format(out, "^%zu", markup->parent);
        if (st == OK) st = buf_check(out, err);
        if (st == OK) st = append_place(out, made ? &made->places[i] : NULL, err);
    }
    return st;
}

/* Cuts off the next word. */
static bool next_word(MemoryText *parts, MemoryText *word)
{
    const char *space = parts->length ? memchr(parts->text, ' ', parts->length) : NULL;

    *word = (MemoryText){ parts->text, space ? (size_t)(space - parts->text) : parts->length };
    if (!parts->length) return false;
    parts->text += word->length + (space ? 1 : 0);
    parts->length -= word->length + (space ? 1 : 0);
    return true;
}

/* Cuts off the next word, and its place. */
static bool next_key(MemoryText *parts, MemoryText *key)
{
    const char *equals;

    if (!next_word(parts, key)) return false;
    equals = memchr(key->text, '=', key->length);
    if (equals) key->length = (size_t)(equals - key->text);
    return true;
}

/* The hash of each word is part of the key of the next one. */
uint64_t memory_parts_hash(MemoryText parts, HashKey hash_key)
{
    const uint64_t first = hash_key.words[0];
    uint64_t hash = 0;
    MemoryText key;

    while (next_key(&parts, &key)) {
        hash_key.words[0] = first ^ hash;
        hash = keyed_hash(hash_key, key.text, key.length);
    }
    return hash;
}

bool memory_parts_same(MemoryText a, MemoryText b)
{
    MemoryText x, y;

    while (next_key(&a, &x))
        if (!next_key(&b, &y) || x.length != y.length || memcmp(x.text, y.text, x.length) != 0) return false;
    return !b.length;
}

static bool read_number(MemoryText *text, size_t *out)
{
    size_t digits = 0;

    *out = 0;
    while (digits < text->length && text->text[digits] >= '0' && text->text[digits] <= '9') {
        if (*out > SIZE_MAX / 10 - 1) return false;
        *out = *out * 10 + (size_t)(text->text[digits++] - '0');
    }
    text->text += digits;
    text->length -= digits;
    return digits > 0;
}

/* Whether the text can be cut before byte `at`. */
static bool is_boundary(MemoryText text, size_t at)
{
    return at == text.length || ((unsigned char)text.text[at] & 0xc0) != 0x80;
}

/* Reads the place at the end of the next word. */
static bool read_place(MemoryText *parts, MemoryText target, Range *place)
{
    MemoryText word;
    const char *equals;

    if (!next_word(parts, &word)) return false;
    equals = memchr(word.text, '=', word.length);
    if (!equals) return false;
    word.length -= (size_t)(equals + 1 - word.text);
    word.text = equals + 1;
    if (!read_number(&word, &place->begin) || !word.length || word.text[0] != '-') return false;
    word.text++;
    word.length--;
    return read_number(&word, &place->end) && !word.length && place->begin <= place->end &&
           place->end <= target.length && is_boundary(target, place->begin) && is_boundary(target, place->end);
}

static bool has_bytes(const UnitText *text, Range range, MemoryText target, Range place)
{
    const size_t length = range.end - range.begin;

    return place.end - place.begin == length &&
           memcmp(text->text + range.begin, target.text + place.begin, length) == 0;
}

/* Whether the place shares bytes with one of the kept parts found so far; *end is where that one ends. */
static bool is_taken(const Range *kept, size_t count, Range place, size_t *end)
{
    for (size_t i = 0; i < count; i++) {
        if (place.begin >= kept[i].end || kept[i].begin >= place.end) continue;
        *end = kept[i].end;
        return true;
    }
    return false;
}

/* Whether no two kept parts share bytes. */
static bool are_distinct(const Range *kept, size_t count)
{
    size_t end;

    for (size_t i = 1; i < count; i++)
        if (is_taken(kept, i, kept[i], &end)) return false;
    return true;
}

bool memory_parts_read(MemoryText parts, const UnitText *text, MemoryText target, Range *kept, Range *places)
{
    for (size_t i = 0; i < text->kept_count; i++)
        if (!read_place(&parts, target, &kept[i]) || !has_bytes(text, text->kept[i], target, kept[i])) return false;
    for (size_t i = 0; i < text->markup_count; i++)
        if (!read_place(&parts, target, &places[i]) || (text->markup[i].is_empty && places[i].begin < places[i].end))
            return false;
    return !parts.length && are_distinct(kept, text->kept_count);
}

/* Finds bytes in the target that no other kept part has. */
static bool find_free(MemoryText target, const char *bytes, size_t length, Range *kept, size_t count)
{
    size_t at = 0;

    while (at + length <= target.length) {
        const char *found = memchr(target.text + at, bytes[0], target.length - length - at + 1);
        size_t end;
        if (!found) return false;
        at = (size_t)(found - target.text);
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

bool memory_parts_find_kept(const UnitText *text, MemoryText target, Range *kept)
{
    if (text->kept_count > MOST_SEARCHED) return false;
    for (size_t i = 0; i < text->kept_count; i++) {
        const Range range = text->kept[i];
        if (!find_free(target, text->text + range.begin, range.end - range.begin, kept, i)) return false;
    }
    return true;
}
