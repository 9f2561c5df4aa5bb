/* kept_parts.c - see kept_parts.h. */
#include "kept_parts.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

bool kept_parts_is_letter(uint32_t code)
{
    return code != UTF8_INVALID && u_isalnum((UChar32)code);
}

bool kept_parts_have_letters(const char *text, size_t begin, size_t end)
{
    uint32_t code;

    while (begin < end) {
        begin += utf8_next(text + begin, end - begin, &code);
        if (kept_parts_is_letter(code)) return true;
    }
    return false;
}

Range kept_parts_item(const SentenceItems *items, size_t index)
{
    const Range range = items->spans[index].place;

    return (Range){ range.begin - items->offset, range.end - items->offset };
}

/* A letter of a script that has no case may touch a stand-in: Arabic prefixes and Chinese characters do. */
static bool continues_word(uint32_t code)
{
    return code != UTF8_INVALID && (U_GET_GC_MASK((UChar32)code) & (U_GC_LC_MASK | U_GC_ND_MASK));
}

/* Where the character that ends at `at` begins. */
static size_t character_before(const char *text, size_t at)
{
    do at--;
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80);
    return at;
}

/* Whether the character that begins at `at` is a part of a word or a number. */
static bool is_in_word(const char *text, size_t len, size_t at)
{
    uint32_t code;

    (void)utf8_next(text + at, len - at, &code);
    return continues_word(code);
}

bool kept_parts_is_between(const char *text, size_t len, Range place)
{
    return place.begin && place.end < len && is_in_word(text, place.begin, character_before(text, place.begin)) &&
           is_in_word(text, len, place.end);
}

/* Adds the rest of a word that begins or ends in the group, as in "%dpx", but nothing outside of text[least..most): no
 * model translates a part of a word. */
static Range with_words(const char *text, size_t len, Range group, size_t least, size_t most)
{
    uint32_t code;

    while (group.begin > least && kept_parts_is_between(text, len, (Range){ group.begin, group.begin }))
        group.begin = character_before(text, group.begin);
    while (group.end < most && kept_parts_is_between(text, len, (Range){ group.end, group.end }))
        group.end += utf8_next(text + group.end, len - group.end, &code);
    return group;
}

bool kept_parts_is_whole(const char *text, size_t len, Range place)
{
    if (place.end < len && is_in_word(text, len, place.end)) return false;
    return !place.begin || !is_in_word(text, place.begin, character_before(text, place.begin));
}

bool kept_parts_is_at(LineText text, size_t at, const char *sentence, Range range)
{
    const size_t size = range.end - range.begin;

    return text.len - at >= size && memcmp(text.data + at, sentence + range.begin, size) == 0 &&
           kept_parts_is_whole(text.data, text.len, (Range){ at, at + size });
}

/* The longest part without a place that the prefix has at byte `at`; NULL: none. */
static KeptPart *longest_at(KeptPart *parts, size_t count, const char *sentence, LineText prefix, size_t at)
{
    KeptPart *longest = NULL;

    for (size_t i = 0; i < count; i++) {
        const Range range = parts[i].range;
        if (parts[i].prefix.end || (longest && range.end - range.begin <= longest->range.end - longest->range.begin))
            continue;
        if (kept_parts_is_at(prefix, at, sentence, range) && kept_parts_have_letters(sentence, range.begin, range.end))
            longest = &parts[i];
    }
    return longest;
}

static void find_in_prefix(KeptPart *parts, size_t count, const char *sentence, LineText prefix)
{
    size_t at = 0;

    while (at < prefix.len) {
        KeptPart *part = longest_at(parts, count, sentence, prefix, at);
        const size_t size = part ? part->range.end - part->range.begin : 1;
        if (part) part->prefix = (Range){ at, at + size };
        at += size;
    }
}

KeptPart *kept_parts_find(const char *sentence, size_t len, const SentenceItems *items)
{
    KeptPart *parts = calloc(items->count + 1, sizeof *parts);
    size_t least = 0;

    for (size_t i = 0; parts && i < items->count; i++) {
        const size_t most = i + 1 < items->count ? kept_parts_item(items, i + 1).begin : len;
        parts[i].range = with_words(sentence, len, kept_parts_item(items, i), least, most);
        least = parts[i].range.end;
    }
    if (parts) find_in_prefix(parts, items->count, sentence, items->prefix);
    return parts;
}
