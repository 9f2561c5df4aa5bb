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

static Step map_next(const SpTraits *traits, const char *text, size_t len)
{
    const Buf *map = &traits->map;
    Step step = { .text = text };
    uint32_t code;

    if (map->len) step.used = sp_charsmap_match(map, text, len, &step.text, &step.len);
    if (step.used) return step;
    step.used = step.len = utf8_next(text, len, &code);
    return code == UTF8_INVALID ? (Step){ REPLACEMENT, strlen(REPLACEMENT), 1 } : step;
}

static Step next_step(const SpTraits *traits, const char *text, size_t len)
{
    const size_t symbol = traits->pieces ? sp_pieces_symbol(traits->pieces, text, len) : 0; /* none: a denormalizer */
    Step step = symbol ? (Step){ text, symbol, symbol } : map_next(traits, text, len);
    uint32_t code;

    if (!traits->joins_white_space || symbol || !step.len || utf8_next(step.text, step.len, &code) < step.len ||
        !utf8_is_white_space(code))
        return step;
    return (Step){ " ", 1, step.used };
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

/* The bytes of *out from `before` on; not NULL, even if there are none. */
static const char *appended(const Buf *out, size_t before)
{
    return out->data ? out->data + before : "";
}

/* Notes the origins of the bytes of *out from `before` on, which a step has just appended. */
static Status note_origins(RangeList *map, SpOriginStyle style, SpReplaced replaced, const Buf *out, size_t before,
                           Err *err)
{
    return sp_origins_add(map, style, &replaced, appended(out, before), out->len - before, err);
}

/* Appends what text[at..len) becomes. */
static Status append_steps(const SpTraits *traits, const char *text, size_t at, size_t len, const char *space, Buf *out,
                           RangeList *map, Err *err)
{
    bool behind_space = traits->remove_extra_whitespaces;
    Status st = OK;

    while (st == OK && at < len) {
        Step step = next_step(traits, text + at, len - at);
        const size_t before = out->len, whole = step.len;
        for (; behind_space && step.len && *step.text == ' '; step.len--) step.text++;
        st = append_spaced(out, step.text, step.len, space, err);
        if (st == OK && map)
            st = note_origins(map, traits->origins, (SpReplaced){ text, at, at + step.used, whole - step.len }, out,
                              before, err);
        if (step.len) behind_space = traits->remove_extra_whitespaces && step.text[step.len - 1] == ' ';
        at += step.used;
    }
    return st;
}

/* Appends a space that stands for the bytes of the range. An empty range is the place of a space that is not in the
 * text. */
static Status append_space(const SpTraits *traits, const char *text, Range from, const char *space, Buf *out,
                           RangeList *map, Err *err)
{
    const size_t before = out->len;
    Status st = buf_append_text(out, space, err);

    if (st != OK || !map) return st;
    return note_origins(map, traits->origins, (SpReplaced){ text, from.begin, from.end, 0 }, out, before, err);
}

static void drop_trailing(Buf *out, size_t start, const char *space)
{
    const size_t size = strlen(space);

    while (out->len - start >= size && memcmp(out->data + out->len - size, space, size) == 0) out->len -= size;
}

Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    const char *space = traits->escape_whitespaces ? SP_SPACE : " ";
    const size_t skipped = traits->remove_extra_whitespaces ? leading_spaces(traits, text, len) : 0, start = out->len;
    const bool prefix = traits->add_dummy_prefix && !traits->treat_whitespace_as_suffix;
    size_t end = len;
    Status st = OK;

    if (skipped == len)
        return len && traits->keeps_end ? append_space(traits, text, (Range){ len - 1, len }, space, out, map, err)
                                        : OK;
    if (prefix) st = append_space(traits, text, (Range){ skipped, skipped }, space, out, map, err);
    if (st == OK) st = append_steps(traits, text, skipped, len, space, out, map, err);
    if (st != OK) return st;
    if (traits->remove_extra_whitespaces && !traits->keeps_end) drop_trailing(out, start, space);
    if (map) end = sp_origins_cut(map, out->len - start, end);
    if (traits->add_dummy_prefix && !prefix) st = append_space(traits, text, (Range){ end, end }, space, out, map, err);
    if (st == OK && map) sp_origins_end(map, traits->origins, text, appended(out, start), prefix, end);
    return st;
}
