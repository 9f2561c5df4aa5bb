/* sp_normalize.c - see sp_steps.h. Follows SentencePiece 0.2.3, normalizer.cc, Normalize(). Each step takes from the
 * beginning of the text a user-defined symbol, which stays unchanged, or the text that the longest rule of the
 * character map matches, or one character. */
#include "sp_steps.h"

#include <stdbool.h>
#include <string.h>

#include "sp_runs.h"
#include "utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* One step replaces `used` bytes of the text by text[len]. */
typedef struct {
    const char *text;
    size_t len, used;
} Step;

static Step next_step(const SpTraits *traits, const char *text, size_t len)
{
    const Buf *map = &traits->map;
    Step step = { .text = text };
    uint32_t code;

    step.used = step.len = sp_pieces_symbol(traits->pieces, text, len);
    if (step.used) return step;
    if (map->len) step.used = sp_charsmap_match(map, text, len, &step.text, &step.len);
    if (step.used) return step;
    step.used = step.len = utf8_next(text, len, &code);
    return code == UTF8_INVALID ? (Step){ REPLACEMENT, strlen(REPLACEMENT), 1 } : step;
}

/* Appends the text with `space` for each space. */
static Status append_spaced(Buf *out, const char *text, size_t len, const char *space, Err *err)
{
    Status st = OK;

    while (st == OK && len) {
        const char *found = memchr(text, ' ', len);
        size_t plain = found ? (size_t)(found - text) : len;
        st = buf_append(out, text, plain, err);
        if (st == OK && found) st = buf_append_text(out, space, err);
        text += plain + (found != NULL);
        len -= plain + (found != NULL);
    }
    return st;
}

/* The number of bytes of the spaces that the text begins with. */
static size_t leading_spaces(const SpTraits *traits, const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        Step step = next_step(traits, text + at, len - at);
        if (step.len != 1 || *step.text != ' ') break;
        at += step.used;
    }
    return at;
}

/* The normalized text, and where it comes from. */
typedef struct {
    const SpTraits *traits;
    const char *space; /* what each space becomes */
    Buf *out;
    size_t start;   /* of the text in *out */
    RangeList *map; /* NULL: not asked for */
} Normalized;

/* Appends what the text [begin, end) becomes. Its first spaces are left out if a space precedes it. */
static Status append_made(Normalized *n, SpReplaced replaced, const char *made, size_t len, Err *err)
{
    const size_t before = n->out->len;
    Status st = append_spaced(n->out, made, len, n->space, err);

    if (st != OK || !n->map) return st;
    return sp_origins_add(n->map, n->traits->origins, &replaced, n->out->data + before, n->out->len - before, err);
}

static Status append_steps(Normalized *n, const char *text, size_t begin, size_t len, Err *err)
{
    const bool joins = n->traits->remove_extra_whitespaces;
    bool behind_space = joins;
    Status st = OK;

    for (size_t at = begin; st == OK && at < len;) {
        Step step = next_step(n->traits, text + at, len - at);
        size_t dropped = 0;
        for (; behind_space && step.len && *step.text == ' '; step.len--, dropped++) step.text++;
        st = append_made(n, (SpReplaced){ text, at, at + step.used, dropped }, step.text, step.len, err);
        if (step.len) behind_space = joins && step.text[step.len - 1] == ' ';
        at += step.used;
    }
    return st;
}

static Status append_added_space(Normalized *n, const char *text, size_t at, Err *err)
{
    return append_made(n, (SpReplaced){ text, at, at, 0 }, " ", 1, err);
}

static void drop_trailing(const Normalized *n)
{
    const size_t size = strlen(n->space);
    Buf *out = n->out;

    while (out->len - n->start >= size && memcmp(out->data + out->len - size, n->space, size) == 0) out->len -= size;
}

Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    Normalized n = { traits, traits->escape_whitespaces ? SP_SPACE : " ", out, out->len, map };
    const size_t skipped = traits->remove_extra_whitespaces ? leading_spaces(traits, text, len) : 0;
    const bool prefix = traits->add_dummy_prefix && !traits->treat_whitespace_as_suffix;
    size_t end = len;
    Status st = OK;

    if (skipped == len) return OK;
    if (prefix) st = append_added_space(&n, text, skipped, err);
    if (st == OK) st = append_steps(&n, text, skipped, len, err);
    if (st != OK) return st;
    if (traits->remove_extra_whitespaces) drop_trailing(&n);
    if (map) end = sp_origins_cut(map, out->len - n.start, end);
    if (traits->add_dummy_prefix && !prefix) st = append_added_space(&n, text, end, err);
    if (st == OK && map) sp_origins_end(map, traits->origins, text, out->data + n.start, prefix, end);
    return st;
}
