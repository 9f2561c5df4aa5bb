/* tokenizer_json.h - tokenizer.json, what Hugging Face's "fast" tokenizers
 * (the library tokenizers) write, turned back into the SentencePiece model
 * that it was made from. */
#ifndef DRAGOMAN_TOKENIZER_JSON_H
#define DRAGOMAN_TOKENIZER_JSON_H

#include "buf.h"
#include "err.h"
#include "sp_shim.h"
#include "vocab.h"

/* What a tokenizer.json says: pieces by SentencePiece, ids by the file. */
typedef struct {
    SpModel *sp;
    Vocab *vocab;         /* token -> id, added tokens too; the special ones and the unknown one are marked */
    IdList before, after; /* special tokens around one text, as its post-processor says */
} TokenizerJson;

/* A file that no SentencePiece model is equal to is ERR_UNSUPPORTED with the
 * reason, a broken one ERR_FORMAT. *out is ended with tokenizer_json_free() in
 * every case; members that the caller takes out are set to NULL or {0}. */
MUST_USE Status tokenizer_json_open(TokenizerJson *out, const FileView *file, Err *err);
void tokenizer_json_free(TokenizerJson *json);

/* The same for a file in memory; `name` stands for it in messages. */
MUST_USE Status tokenizer_json_parse(TokenizerJson *out, const char *text, size_t len, const char *name, Err *err);

#endif
