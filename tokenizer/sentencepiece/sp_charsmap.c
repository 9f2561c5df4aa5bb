/* sp_charsmap.c - see sp_charsmap_fault() and sp_charsmap_match() in sp_check.h.
 * The trie is a double array (darts-clone) of u32 units. From the node in unit i, whose children start at base b = i
 * ^ offset(unit i), the byte c leads to unit b ^ c if the label there is c. A node with bit 8 set ends a key; unit b
 * then holds the key's value in 31 bits: the offset of its replacement in the strings.
 *     offset = (unit >> 10) << (bit 9 ? 8 : 0), label = unit & 0x800000ff
 * Nodes with the same ending share a base, so the nodes form a graph; the check visits each base once. */
#include "sp_check.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define MAX_MATCHES     32   /* size of SentencePiece's array for the matches at one position */
#define MAX_KEY         1024 /* bytes; limits the recursion */
#define MAX_REPLACEMENT 512  /* bytes; limits the growth of a text */
#define ON_PATH         UCHAR_MAX
#define LABEL_BITS      0x800000ffu

typedef struct {
    const unsigned char *units;
    size_t count;
    const char *strings;
    size_t strings_len;
    size_t longest;
    uint32_t *first, *next; /* [count], index + 1, 0: none: first child of a base; next child of the same base */
    unsigned char *matches; /* longest chain of keys below a base, + 1; 0: not visited */
    const char *fault;
} Trie;

static uint32_t unit_at(const Trie *trie, size_t i)
{
    return (uint32_t)bytes_number(trie->units + 4 * i, 4);
}

static size_t unit_base(uint32_t unit, size_t i)
{
    return i ^ ((size_t)(unit >> 10) << ((unit & 1u << 9) >> 6));
}

static size_t trie_error(Trie *trie, const char *fault)
{
    trie->fault = fault;
    return 0;
}

static void check_value(Trie *trie, size_t base)
{
    size_t value = unit_at(trie, base) & 0x7fffffff;
    const char *end;

    if (value >= trie->strings_len) {
        trie->fault = "a replacement lies outside the character map";
        return;
    }
    end = memchr(trie->strings + value, '\0', trie->strings_len - value);
    if (!end) end = trie->strings + trie->strings_len;
    if ((size_t)(end - trie->strings) - value > trie->longest) trie->longest = (size_t)(end - trie->strings) - value;
    if (trie->longest > MAX_REPLACEMENT) trie->fault = "a replacement in the character map is too long";
}

/* The label of a child determines the base that leads to it, so one pass over all units finds the children of every
 * base. */
static void list_children(Trie *trie)
{
    for (size_t i = trie->count; i-- > 0;) {
        uint32_t unit = unit_at(trie, i);
        size_t base = i ^ (unit & 0xff);
        if ((unit & LABEL_BITS) > 0xff || base >= trie->count) continue;
        trie->next[i] = trie->first[base];
        trie->first[base] = (uint32_t)i + 1;
    }
}

/* The largest number of keys that end on one path down from `base`. */
static size_t count_matches(Trie *trie, size_t base, size_t depth)
{
    size_t most = 0;

    if ((base | 0xff) >= trie->count) return trie_error(trie, "the character map points outside itself");
    if (trie->matches[base] == ON_PATH || depth > MAX_KEY)
        return trie_error(trie, "a rule of the character map is too long or endless");
    if (trie->matches[base]) return trie->matches[base] - 1u;
    trie->matches[base] = ON_PATH;
    for (size_t next = trie->first[base]; next && !trie->fault; next = trie->next[next - 1]) {
        uint32_t unit = unit_at(trie, next - 1);
        size_t child = unit_base(unit, next - 1), below, ends = unit >> 8 & 1;
        below = ends + count_matches(trie, child, depth + 1);
        if (!trie->fault && ends) check_value(trie, child);
        if (below > most) most = below;
    }
    if (most > MAX_MATCHES) return trie_error(trie, "too many rules of the character map share a prefix");
    trie->matches[base] = (unsigned char)(most + 1);
    return most;
}

const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest)
{
    Trie trie = { 0 };
    size_t bytes;

    *longest = 0;
    if (size < 4) return "the character map is truncated";
    bytes = (uint32_t)bytes_number(map, 4);
    if (bytes > size - 4 || bytes == size - 4) return "the character map is truncated";
    if (bytes < 1024 || bytes % 4) return "the trie of the character map has a wrong size";
    trie.units = map + 4;
    trie.count = bytes / 4;
    trie.strings = (const char *)map + 4 + bytes;
    trie.strings_len = size - 4 - bytes;
    trie.matches = calloc(trie.count, 1);
    trie.first = calloc(trie.count, sizeof *trie.first);
    trie.next = calloc(trie.count, sizeof *trie.next);
    if (trie.matches && trie.first && trie.next) {
        list_children(&trie);
        (void)count_matches(&trie, unit_base(unit_at(&trie, 0), 0), 0);
    } else {
        trie.fault = "out of memory for the character map";
    }
    free(trie.matches);
    free(trie.first);
    free(trie.next);
    *longest = trie.longest;
    return trie.fault;
}

size_t sp_charsmap_match(const Buf *map, const char *text, size_t len, const char **to, size_t *to_len)
{
    const unsigned char *bytes = (const unsigned char *)map->data;
    const Trie trie = { .units = bytes + 4 };
    const char *strings = map->data + 4 + (uint32_t)bytes_number(bytes, 4);
    size_t base = unit_base(unit_at(&trie, 0), 0), longest = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        uint32_t unit = unit_at(&trie, base ^ c);
        if ((unit & LABEL_BITS) != c) break;
        base = unit_base(unit, base ^ c);
        if (!(unit >> 8 & 1)) continue;
        longest = i + 1;
        *to = strings + (unit_at(&trie, base) & 0x7fffffff);
    }
    if (longest) *to_len = strnlen(*to, (size_t)(map->data + map->len - *to));
    return longest;
}
