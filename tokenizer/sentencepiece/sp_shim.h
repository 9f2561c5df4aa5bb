/* sp_shim.h - SentencePiece models: libsentencepiece behind plain C, and what
 * goes without it (sp_check.h).
 * No exception leaves it, and it prints nothing. Read-only after opening;
 * threads may share one. */
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
#include "sp_runs.h"

typedef struct SpModel SpModel; /* fields: sp_shim.cc */

/* Opens the model in the bytes of a file, which need not outlive the call. OK: the caller owns *out. Otherwise *out
 * is NULL and the message names the file and the fault. */
MUST_USE Status sp_shim_open(SpModel **out, const FileView *file, Err *err);
void sp_shim_free(SpModel *model); /* NULL is allowed */

/* The same for a model in memory, which need not outlive the call; `name`
 * stands for the file in messages. */
MUST_USE Status sp_shim_open_bytes(SpModel **out, const unsigned char *data, size_t size, const char *name, Err *err);

/* Every text goes through these forms first. Before the model is shared. */
void sp_shim_set_forms(SpModel *model, const NormalForms *forms);

/* Cuts text (valid UTF-8, at most sp_shim_longest_text() bytes) into pieces.
 * A run of characters that the model does not know comes as one piece, by
 * its own normalized text, or as byte pieces <0xNN>. */
MUST_USE Status sp_shim_encode(const SpModel *model, const char *text, size_t len, SpPieceFn each, void *context,
                               Err *err);

/* Appends the text of pieces (NUL-ended) to *out; pieces that the model does
 * not know stand for themselves. */
MUST_USE Status sp_shim_decode(const SpModel *model, const char *const *pieces, size_t count, Buf *out, Err *err);

/* The pieces by SentencePiece's own ids, 0 to the count - 1. The string is the
 * model's; "" for an id out of range. */
size_t sp_shim_piece_count(const SpModel *model);
const char *sp_shim_piece(const SpModel *model, size_t id);

/* A piece that stands for no text: </s>. */
bool sp_shim_is_control(const SpModel *model, size_t id);

/* The model puts a space in front of every text. */
bool sp_shim_adds_prefix(const SpModel *model);

/* Unknown characters come as pieces <0xNN>. */
bool sp_shim_has_bytes(const SpModel *model);

/* SentencePiece counts in int: more bytes than this might overflow it. */
size_t sp_shim_longest_text(const SpModel *model);

#ifdef __cplusplus
}
#endif

#endif
