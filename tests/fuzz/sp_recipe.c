/* sp_recipe.c - see sp_recipe.h. The trie of the character map has 256 units for each node; sp_check.c describes the
 * units. */
#include "sp_recipe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_support.h"
#include "sp_model.h"

#define NODE       256
#define MOST_NODES 64
#define NO_LABEL   0x800000ffu

typedef struct {
    uint32_t units[MOST_NODES * NODE];
    size_t nodes;
    Buf strings;
} Map;

typedef struct {
    const char *text;
    size_t len;
} Line;

static void append_varint(Buf *out, uint64_t value)
{
    for (;; value >>= 7) {
        buf_put_byte(out, (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
        if (value <= 0x7f) return;
    }
}

static void append_number(Buf *out, unsigned field, uint64_t value)
{
    append_varint(out, field << 3);
    append_varint(out, value);
}

static void append_bytes(Buf *out, unsigned field, const void *bytes, size_t count)
{
    append_varint(out, field << 3 | 2);
    append_varint(out, count);
    if (count) buf_put(out, bytes, count);
}

/* Returns the unit to which the byte leads from the node; a new node if there is none. */
static size_t add_step(Map *map, size_t node, unsigned char byte)
{
    const size_t at = NODE * node ^ byte;

    if (map->units[at] == NO_LABEL) {
        if (map->nodes == MOST_NODES) return 0;
        map->units[at] = (uint32_t)(at ^ NODE * map->nodes++) << 10 | byte;
    }
    return at;
}

/* Adds "=FROM=TO". Node 0 is only the unit that leads to the first node. */
static void add_rule(Map *map, Line line)
{
    const char *from = line.text + 1, *to = memchr(from, '=', line.len - 1);
    size_t node = 1, at = 0;

    if (!to || to == from) return;
    for (; from < to; from++) {
        at = *from ? add_step(map, node, (unsigned char)*from) : 0;
        if (!at) return;
        node = (at ^ map->units[at] >> 10) / NODE;
    }
    map->units[at] |= 1u << 8;
    map->units[NODE * node] = 0x80000000u | (uint32_t)map->strings.len;
    buf_put(&map->strings, to + 1, (size_t)(line.text + line.len - to - 1));
    buf_put_byte(&map->strings, '\0');
}

static Map *map_new(void)
{
    Map *map = malloc(sizeof *map);

    require(map != NULL, "memory", "a character map");
    map->strings = (Buf){ 0 };
    for (size_t i = 0; i < MOST_NODES * NODE; i++) map->units[i] = NO_LABEL;
    map->units[0] = NODE << 10;
    map->nodes = 2;
    return map;
}

/* Appends the bytes of precompiled_charsmap; none without rules. The machine is little-endian. */
static void map_end(Map *map, Buf *out)
{
    const uint32_t bytes = (uint32_t)(map->nodes * NODE * sizeof *map->units);

    if (map->strings.len) {
        buf_put(out, &bytes, sizeof bytes);
        buf_put(out, map->units, bytes);
        buf_put(out, map->strings.data, map->strings.len);
    }
    buf_free(&map->strings);
    free(map);
}

static bool has(Line line, char letter)
{
    return memchr(line.text, letter, line.len) != NULL;
}

/* Appends a normalizer_spec or denormalizer_spec. */
static void add_normalizer(Buf *model, unsigned field, Line settings, const Buf *map)
{
    Buf part = { 0 };

    append_bytes(&part, 2, map->data, map->len);
    append_number(&part, 3, !has(settings, 'p'));
    append_number(&part, 4, !has(settings, 'x'));
    append_number(&part, 5, !has(settings, 'e'));
    append_bytes(model, field, part.data, part.len);
    buf_free(&part);
}

static void add_settings(Buf *model, Line settings, const Buf *map)
{
    const unsigned kind = has(settings, 'B') ? 2 : has(settings, 'W') ? 3 : has(settings, 'C') ? 4 : 1;
    Buf part = { 0 };

    append_number(&part, 3, kind);
    append_number(&part, 24, has(settings, 's'));
    append_number(&part, 35, has(settings, 'b'));
    if (has(settings, 'u')) append_bytes(&part, 44, "\xe2\x96\x81?", 4);
    append_bytes(model, 2, part.data, part.len);
    buf_free(&part);
    add_normalizer(model, 3, settings, map);
    if (has(settings, 'd')) add_normalizer(model, 5, settings, map);
}

static void add_piece(Buf *model, const char *text, size_t len, float score, unsigned type)
{
    Buf part = { 0 };

    append_bytes(&part, 1, text, len);
    buf_put_byte(&part, 2 << 3 | 5);
    buf_put(&part, &score, sizeof score);
    append_number(&part, 3, type);
    append_bytes(model, 1, part.data, part.len);
    buf_free(&part);
}

static void add_byte_pieces(Buf *model)
{
    for (unsigned i = 0; i < 256; i++) {
        char piece[8];
        const int len = snprintf(piece, sizeof piece, "<0x%02X>", i);
        add_piece(model, piece, (size_t)len, 0, SP_BYTE);
    }
}

static void add_line(Buf *model, Map *map, Line line)
{
    Buf text = { 0 };

    if (*line.text == '=') {
        add_rule(map, line);
    } else if (line.len > 2) {
        buf_put_replaced(&text, line.text + 2, line.len - 2, "_", SP_SPACE);
        add_piece(model, text.data, text.len, -0.37f * (float)(line.text[1] - '0'), (unsigned)(*line.text - '0') & 7);
    }
    buf_free(&text);
}

static Line next_line(const char *text, size_t size)
{
    const char *end = size ? memchr(text, '\n', size) : NULL;

    return (Line){ text, end ? (size_t)(end - text) : size };
}

size_t sp_recipe_build(Buf *model, const char *recipe, size_t size)
{
    const Line settings = next_line(recipe, size);
    size_t at = settings.len + (settings.len < size);
    Map *map = map_new();
    Buf bytes = { 0 };

    add_piece(model, "<unk>", 5, 0, SP_UNKNOWN);
    if (has(settings, 'b')) add_byte_pieces(model);
    while (at < size) {
        const Line line = next_line(recipe + at, size - at);
        at += line.len + (at + line.len < size);
        if (!line.len) break;
        add_line(model, map, line);
    }
    map_end(map, &bytes);
    add_settings(model, settings, &bytes);
    buf_free(&bytes);
    return at;
}
