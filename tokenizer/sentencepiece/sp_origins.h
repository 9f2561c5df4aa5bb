/* sp_origins.h - the bytes of a text that each byte of its normalized form was made from (a map of ranges.h), and the
 * bytes that each piece stands for. SentencePiece and tokenizers count differently; the head of sp_origins.c says
 * how. */
#ifndef DRAGOMAN_SP_ORIGINS_H
#define DRAGOMAN_SP_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The character that stands for a space in pieces. */
#define SP_SPACE "\xe2\x96\x81" /* U+2581 */

/* The program whose ranges are reproduced. */
typedef enum {
    SP_ORIGINS_SENTENCEPIECE,
    SP_ORIGINS_TOKENIZERS,      /* tokenizers */
    SP_ORIGINS_TOKENIZERS_WORDS /* tokenizers, where a WhitespaceSplit removes the spaces between words */
} SpOriginStyle;

/* One step of the normalizer: bytes [begin, end) of the text became other bytes, after spaces at the beginning of
 * these, `dropped` in number, were left out. */
typedef struct {
    const char *text; /* the whole text */
    size_t begin, end;
    size_t dropped;
} SpReplaced;

/* Appends the origins of made[0..len), the bytes that the step appended. */
MUST_USE Status sp_origins_add(RangeList *map, SpOriginStyle style, const SpReplaced *replaced, const char *made,
                               size_t len, Err *err);

/* Removes the origins of the bytes from `len` on. Returns where the normalizer then stands in the text: at the first
 * removed byte, or at `end` if none was removed. */
size_t sp_origins_cut(RangeList *map, size_t len, size_t end);

/* Completes the map of made[0 .. map->len), which begins with an added space if `prefixed`. `end` is where the
 * normalizer stands in the text. */
void sp_origins_end(RangeList *map, SpOriginStyle style, const char *text, const char *made, bool prefixed, size_t end);

#ifdef __cplusplus
}
#endif

#endif
