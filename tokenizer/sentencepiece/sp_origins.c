/* sp_origins.c - see sp_origins.h.
 * SentencePiece (0.2.3, normalizer.cc) notes for each normalized byte where the step that made it began in the text.
 * A byte extends to where the step of the next byte began. So a run of spaces belongs to the piece that begins with
 * it, characters that are removed belong to what precedes them, and of several bytes that one step made only the last
 * one is not empty.
 * tokenizers (0.22.2, normalizer.rs, transform_range()) gives character k of a replacement the range of character k
 * of what it replaces, and those for which there is none the range of the last one. A run of spaces counts as its
 * last space. A space that is added before a word has the range of the word's first character; but where the spaces
 * before a text are joined, not removed, the one that is left is the last of them. */
#include "sp_origins.h"

#include <string.h>

#include "utf8.h"

#define SPACE_SIZE (sizeof SP_SPACE - 1)

static void close_last(RangeList *map, size_t place)
{
    if (map->len) map->data[map->len - 1].end = place;
}

/* Spaces that are left out because a space precedes them lend it their range. Returns where what is kept begins. */
static size_t drop_spaces(RangeList *map, const SpReplaced *replaced)
{
    Range old = { replaced->begin, replaced->begin };

    for (size_t i = 0; i < replaced->dropped && old.end < replaced->end; i++) {
        uint32_t code;
        old.begin = old.end;
        old.end += utf8_next(replaced->text + old.begin, replaced->end - old.begin, &code);
        for (size_t k = 0; k < SPACE_SIZE && map->len >= SPACE_SIZE; k++) map->data[map->len - 1 - k] = old;
    }
    return old.end < replaced->end ? old.end : old.begin;
}

Status sp_origins_add(RangeList *map, SpOriginStyle style, const SpReplaced *replaced, const char *made, size_t len,
                      Err *err)
{
    if (style != SP_ORIGINS_SENTENCEPIECE) {
        const size_t begin = drop_spaces(map, replaced);
        return ranges_append_characters(map, replaced->text, begin, replaced->end, made, len, err);
    }
    if (!len) return OK;
    close_last(map, replaced->begin);
    return ranges_append(map, (Range){ replaced->begin, replaced->begin }, len, err);
}

size_t sp_origins_cut(RangeList *map, size_t len, size_t end)
{
    if (map->len == len) return end;
    end = map->data[len].begin;
    map->len = len;
    return end;
}

/* Gives the space that ends before `at` the range of the character there. */
static void join_space(RangeList *map, size_t at)
{
    if (at >= map->len) return;
    for (size_t i = at - SPACE_SIZE; i < at; i++) map->data[i] = map->data[at];
}

/* True for U+2581 in the text itself. */
static bool is_symbol(const char *text, Range range)
{
    return range.end - range.begin == SPACE_SIZE && memcmp(text + range.begin, SP_SPACE, SPACE_SIZE) == 0;
}

/* The range of the added space is still the place where the text begins, after its first spaces. */
static void find_prefix(RangeList *map, const char *text)
{
    Range last = { map->data[0].begin, map->data[0].end };

    if (!last.end) {
        join_space(map, SPACE_SIZE);
        return;
    }
    do last.begin--;
    while (last.begin && ((unsigned char)text[last.begin] & 0xc0) == 0x80);
    for (size_t i = 0; i < SPACE_SIZE; i++) map->data[i] = last;
}

void sp_origins_end(RangeList *map, SpOriginStyle style, const char *text, const char *made, bool prefixed, size_t end)
{
    if (style == SP_ORIGINS_SENTENCEPIECE) {
        close_last(map, end);
        return;
    }
    if (prefixed && map->len) find_prefix(map, text);
    for (size_t i = 0; style == SP_ORIGINS_TOKENIZERS_WORDS && i + SPACE_SIZE < map->len; i++)
        if (memcmp(made + i, SP_SPACE, SPACE_SIZE) == 0 && !is_symbol(text, map->data[i]))
            join_space(map, i + SPACE_SIZE);
}
