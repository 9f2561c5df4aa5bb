/* tokenizer_json.h - reads tokenizer.json, the file of Hugging Face's "fast" tokenizers (the library tokenizers), and
 * converts it back to the SentencePiece model that it was made from, or to a model for byte-level BPE. */
#ifndef DRAGOMAN_TOKENIZER_JSON_H
#define DRAGOMAN_TOKENIZER_JSON_H

#include "added.h"
#include "buf.h"
#include "err.h"
#include "sp_model.h"
#include "vocab.h"

/* The contents of a tokenizer.json. SentencePiece splits text into pieces; the file gives their ids. */
typedef struct {
    SpModel *sp;
    Vocab *vocab;         /* token -> id, added tokens included; special and unknown tokens are marked */
    IdList before, after; /* special tokens before and after a text, from the post-processor */
    bool no_space_after_added;
    AddedSpace space_before_added;
    bool is_exact; /* see tokenizer_json_open_exact() */
    /* transformers replaces add_prefix_space of a ByteLevel that is the only pre-tokenizer, and of a RobertaProcessing
     * beside it. */
    bool is_plain_byte_level, is_roberta;
} TokenizerJson;

/* A file that has no equivalent SentencePiece model is ERR_UNSUPPORTED with the reason; a broken one is ERR_FORMAT.
 * The caller frees *out with tokenizer_json_free(), even after an error; to keep a member, the caller moves it out and
 * sets it to NULL or {0}. */
MUST_USE Status tokenizer_json_open(TokenizerJson *out, const FileView *file, Err *err);
/* The same for models that read all of their text as tokenizers does: BPE joins by the order of its merges, whatever
 * program trained it, and symbols that were added to the vocabulary are left to added.h, which splits them off. */
MUST_USE Status tokenizer_json_open_exact(TokenizerJson *out, const FileView *file, Err *err);
/* The same for vocab.json and merges.txt of byte-level BPE with GPT-2's expression. No token is marked. */
MUST_USE Status tokenizer_json_open_merges(TokenizerJson *out, const FileView *vocab, const FileView *merges, Err *err);
void tokenizer_json_free(TokenizerJson *json);

#endif
