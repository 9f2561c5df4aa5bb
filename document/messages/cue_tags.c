/* cue_tags.c - the tags in cues: <i>, {i}, and the override blocks of Advanced SubStation Alpha, {\i1}: see
 * cue_lines.h. */
#include "cue_lines.h"

#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"

#define LONGEST_TAG  ((size_t)200)
#define LONGEST_SPAN ((size_t)500) /* of {\i1}...{\r} */

/* Returns the length of {b} or {/b}, another spelling of <b>; 0: there is none. */
static size_t brace_tag_length(const char *bytes, size_t length)
{
    const size_t name = length > 1 && bytes[1] == '/' ? 2 : 1;

    if (bytes[0] != '{' || length < name + 2 || bytes[name + 1] != '}') return 0;
    return bytes[name] && strchr("bius", bytes[name]) ? name + 2 : 0;
}

bool cue_lines_starts_tag(const char *bytes, size_t length)
{
    const unsigned char next = length > 1 ? (unsigned char)bytes[1] : 0;

    if (bytes[0] == '{') return next == '\\' || brace_tag_length(bytes, length);
    return bytes[0] == '<' && next < 0x80 && (u_isalnum(next) || next == '/');
}

size_t cue_lines_tag_length(const CueReader *r, size_t at, size_t end)
{
    const char close = r->bytes[at] == '<' ? '>' : '}';

    if (!cue_lines_starts_tag(r->bytes + at, end - at)) return 0;
    for (size_t i = at + 1; i < end && i - at < LONGEST_TAG; i++)
        if (r->bytes[i] == close) return i + 1 - at;
    return 0;
}

/* The name of a tag as a key, without classes: <c.yellow> is closed by </c>. */
static uint64_t key_of(const CueReader *r, size_t name, size_t end)
{
    uint64_t key = 0;

    for (; name < end && u_isalnum((UChar32)(unsigned char)r->bytes[name]); name++)
        key = key * 131 + ((unsigned char)r->bytes[name] | 0x20);
    return key;
}

/* --- Override blocks of Advanced SubStation Alpha: {\i1}, {\c&H0000FF&\b1}, {\an8}. */

typedef enum {
    BLOCK_OTHER, /* sets a position, or styles on and off */
    BLOCK_OPENS, /* sets styles */
    BLOCK_CLOSES /* sets them back: {\i0}, {\c}, {\r} */
} BlockKind;

typedef struct {
    BlockKind kind;
    bool is_reset; /* of all styles */
    uint64_t key;  /* of the styles, in any order */
    Range name;    /* of the first one */
} OverrideBlock;

/* Whether the command changes how the text after it looks; the others have one effect on all of the cue. */
static bool is_style(const CueReader *r, Range name)
{
    static const char *const names[] = { "i",     "b",    "u",     "s",     "c",    "1c",    "2c",    "3c",   "4c",
                                         "alpha", "1a",   "2a",    "3a",    "4a",   "fn",    "fs",    "fsp",  "fscx",
                                         "fscy",  "bord", "xbord", "ybord", "shad", "xshad", "yshad", "blur", "be",
                                         "fr",    "frx",  "fry",   "frz",   "fax",  "fay" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == name.end - name.begin && memcmp(r->bytes + name.begin, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The name of the command after the backslash at byte `at`; that of a font follows fn directly. */
static Range command_name(const CueReader *r, size_t at, size_t end)
{
    Range name = { at + 1, at + 1 };

    if (end - at > 2 && memcmp(r->bytes + at + 1, "fn", 2) == 0) return (Range){ at + 1, at + 3 };
    if (name.end < end && char_is_digit(r->bytes[name.end])) name.end++;
    while (name.end < end && char_is_letter(r->bytes[name.end])) name.end++;
    return name;
}

/* Reads the block [at, end), with its braces. */
static OverrideBlock read_block(const CueReader *r, size_t at, size_t end)
{
    OverrideBlock block = { .kind = BLOCK_OTHER };
    size_t set = 0, unset = 0, next;

    for (at++; at + 1 < end; at = next) {
        const Range name = command_name(r, at, end - 1);
        bool has_value;
        for (next = name.end; next + 1 < end && r->bytes[next] != '\\';) next++;
        if (r->bytes[at] != '\\' || name.begin == name.end) continue;
        if (name.end - name.begin == 1 && r->bytes[name.begin] == 'r') block.is_reset = true;
        if (!is_style(r, name)) continue;
        has_value = next > name.end &&
                    !(next == name.end + 1 && r->bytes[name.end] == '0' && strchr("bius", r->bytes[name.begin]));
        set += has_value;
        unset += !has_value;
        block.key += key_of(r, name.begin, name.end) * key_of(r, name.begin, name.end) + 1;
        if (block.name.begin == block.name.end) block.name = name;
    }
    if (set && !unset && !block.is_reset) block.kind = BLOCK_OPENS;
    if (!set && (unset || block.is_reset)) block.kind = BLOCK_CLOSES;
    return block;
}

/* The key of the last block before byte `at` that has set styles which no block has set back. */
static uint64_t open_key(const CueReader *r, size_t at)
{
    const size_t begin = at < LONGEST_SPAN ? 0 : at - LONGEST_SPAN;
    size_t closed = 0;

    while (at-- > begin) {
        const size_t length = r->bytes[at] == '{' ? cue_lines_tag_length(r, at, r->end) : 0;
        OverrideBlock block;
        if (!length) continue;
        block = read_block(r, at, at + length);
        if (block.kind == BLOCK_OPENS && !closed--) return block.key;
        closed += block.kind == BLOCK_CLOSES;
    }
    return 0;
}

static void report_block(const CueReader *r, size_t at, size_t end)
{
    const OverrideBlock block = read_block(r, at, end);

    if (block.kind == BLOCK_OPENS)
        document_builder_open(r->builder, block.key, at, end);
    else if (block.kind == BLOCK_CLOSES)
        document_builder_close(r->builder, block.is_reset ? open_key(r, at) : block.key, at, end);
    else
        document_builder_empty(r->builder, at, end);
}

/* --- All tags. */

void cue_lines_report_tag(const CueReader *r, size_t at, size_t end)
{
    const char next = r->bytes[at + 1];

    if (next == '\\')
        report_block(r, at, end);
    else if (next == '/')
        document_builder_close(r->builder, key_of(r, at + 2, end), at, end);
    else if (next >= '0' && next <= '9')
        document_builder_empty(r->builder, at, end);
    else
        document_builder_open(r->builder, key_of(r, at + 1, end), at, end);
}

bool cue_lines_is_speaker(const CueReader *r, size_t at, size_t length)
{
    return r->is_vtt && length > 3 && r->bytes[at] == '<' && r->bytes[at + 1] == 'v' &&
           (r->bytes[at + 2] == '.' || char_is_blank(r->bytes[at + 2]));
}

CueStyle cue_lines_style(const CueReader *r, size_t at, size_t length)
{
    CueStyle tag = { { at, at }, false };

    if (!length || cue_lines_is_speaker(r, at, length)) return tag;
    if (r->bytes[at + 1] == '\\') {
        const OverrideBlock block = read_block(r, at, at + length);
        return block.kind == BLOCK_OTHER ? tag : (CueStyle){ block.name, block.kind == BLOCK_CLOSES };
    }
    tag.closes = r->bytes[at + 1] == '/';
    tag.name.begin = tag.name.end = at + 1 + tag.closes;
    while (u_isalpha((UChar32)(unsigned char)r->bytes[tag.name.end])) tag.name.end++;
    return tag;
}
