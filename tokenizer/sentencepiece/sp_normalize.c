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

static Status append_steps(const SpTraits *traits, const char *text, size_t len, const char *space, Buf *out, Err *err)
{
    bool behind_space = traits->remove_extra_whitespaces;
    Status st = OK;

    for (size_t at = 0; st == OK && at < len;) {
        Step step = next_step(traits, text + at, len - at);
        for (; behind_space && step.len && *step.text == ' '; step.len--) step.text++;
        st = append_spaced(out, step.text, step.len, space, err);
        if (step.len) behind_space = traits->remove_extra_whitespaces && step.text[step.len - 1] == ' ';
        at += step.used;
    }
    return st;
}

static void drop_trailing(Buf *out, size_t start, const char *space)
{
    const size_t size = strlen(space);

    while (out->len - start >= size && memcmp(out->data + out->len - size, space, size) == 0) out->len -= size;
}

Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, Err *err)
{
    const char *space = traits->escape_whitespaces ? SP_SPACE : " ";
    const size_t skipped = traits->remove_extra_whitespaces ? leading_spaces(traits, text, len) : 0, start = out->len;
    Status st = OK;

    if (skipped == len) return OK;
    if (traits->add_dummy_prefix && !traits->treat_whitespace_as_suffix) st = buf_append_text(out, space, err);
    if (st == OK) st = append_steps(traits, text + skipped, len - skipped, space, out, err);
    if (st != OK) return st;
    if (traits->remove_extra_whitespaces) drop_trailing(out, start, space);
    return traits->add_dummy_prefix && traits->treat_whitespace_as_suffix ? buf_append_text(out, space, err) : OK;
}
