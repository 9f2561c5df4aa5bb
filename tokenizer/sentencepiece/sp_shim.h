/* sp_shim.h - SentencePiece models: a C interface to libsentencepiece and to dragoman's own encoder and decoder
 * (sp_model.h).
 * It throws no exceptions and prints nothing. A model is read-only after opening; threads may share one. */
#ifndef DRAGOMAN_SP_SHIM_H
#define DRAGOMAN_SP_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "buf.h"
#include "err.h"
#include "mapped_file.h"
#include "normal_form.h"
#include "ranges.h"

/* The character that stands for a space in pieces. */
#define SP_SPACE "\xe2\x96\x81" /* U+2581 */

/* The program whose ranges dragoman reproduces. */
typedef enum {
    SP_ORIGINS_SENTENCEPIECE,
    SP_ORIGINS_TOKENIZERS,      /* the library tokenizers */
    SP_ORIGINS_TOKENIZERS_WORDS /* tokenizers, where a WhitespaceSplit removes the spaces between words */
} SpOriginStyle;

/* Receives one piece (not NUL-terminated). */
typedef void (*SpPieceFn)(void *context, const char *piece, size_t len);

typedef struct SpModel SpModel; /* fields: sp_shim.cc */

/* How a decoded text begins. */
typedef enum {
    SP_START_KEPT,  /* as its pieces do */
    SP_START_PIECE, /* the first piece loses its spaces */
    SP_START_SPACE  /* the text loses one space */
} SpStart;

/* Opens the model in the bytes of a file, which need not outlive the call. OK: the caller owns *out. Otherwise *out
 * is NULL and the message names the file and the fault. */
MUST_USE Status sp_shim_open(SpModel **out, const FileView *file, Err *err);
void sp_shim_free(SpModel *model); /* NULL is allowed */

/* Sets whether a space is added before every text, and overrides the file. (No effect on models that only
 * libsentencepiece can encode.) Must be called before threads share the model. */
void sp_shim_set_prefix(SpModel *model, bool adds);

/* How the decoder of the fast classes begins a text. If no tokenizer.json defines it, the first piece loses its spaces
 * if the model adds a space before every text. sp_shim_decode() ignores this and does what SentencePiece does. */
SpStart sp_shim_start(const SpModel *model);

/* How the ends of a part of a longer text are encoded. Models that only libsentencepiece can encode treat each part
 * like a whole text. */
typedef struct {
    bool follows;   /* no space is added before it; if the model joins spaces, those at the beginning count as one */
    bool keeps_end; /* if the model joins spaces, those at the end count as one, also in a part of spaces only */
} SpEdges;

/* Encodes text (valid UTF-8, at most sp_shim_longest_text() bytes) as pieces. Pass {0} as `edges` for a whole text.
 * Consecutive unknown characters become one piece with their normalized text, or byte pieces <0xNN>. If `ranges` is not
 * NULL, the bytes of the text that each piece stands for are appended to it before each() receives the piece. */
MUST_USE Status sp_shim_encode(const SpModel *model, SpEdges edges, const char *text, size_t len, SpPieceFn each,
                               void *context, RangeList *ranges, Err *err);

/* Sets *cost to the sum of the costs of the text's pieces. A piece of a Unigram model costs its negated score, which is
 * a log-probability; with other kinds of models each piece costs 1, so that common texts, which have few pieces, cost
 * little. A byte piece and a run of unknown characters cost `unknown`. */
MUST_USE Status sp_shim_cost(const SpModel *model, const char *text, size_t len, float unknown, float *cost, Err *err);

/* Appends the text of pieces (NUL-terminated) to *out. A piece that the model does not know is copied as it is.
 * ranges[count] receives the bytes of *out that each piece became; NULL: not asked for. Of the byte pieces of one
 * character, the last one has all its bytes, and the others are empty. */
MUST_USE Status sp_shim_decode(const SpModel *model, const char *const *pieces, size_t count, Buf *out, Range *ranges,
                               Err *err);

/* The pieces by SentencePiece's own ids, 0 to count - 1; "" for an id out of range. The model owns the string. */
size_t sp_shim_piece_count(const SpModel *model);
const char *sp_shim_piece(const SpModel *model, size_t id);

/* True for a control piece, which has no text, such as </s>. */
bool sp_shim_is_control(const SpModel *model, size_t id);

/* True if the model adds a space before every text. */
bool sp_shim_adds_prefix(const SpModel *model);

/* True if the model spells unknown characters with byte pieces <0xNN>. */
bool sp_shim_has_bytes(const SpModel *model);

/* The longest text that can be encoded: SentencePiece counts bytes in int, which might overflow. */
size_t sp_shim_longest_text(const SpModel *model);

#ifdef __cplusplus
}
#endif

#endif
