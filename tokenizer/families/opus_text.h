/* opus_text.h - what the preprocess.sh in OPUS-MT's releases does to a text before
 * SentencePiece takes it:
 *   - punctuation of East Asia, typographic quotes and the like become ASCII
 *     (replace-unicode-punctuation.perl of Moses, or the same in sed)
 *   - control, format, private and unassigned characters become spaces
 *     (remove-non-printing-char.perl, or \p{C} in perl)
 *   - in the oldest releases, normalize-punctuation.perl of Moses
 *   - runs of spaces become one, those at both ends none
 * Source   scripts/preprocess-spm.sh of Helsinki-NLP/OPUS-MT-train. */
#ifndef DRAGOMAN_OPUS_TEXT_H
#define DRAGOMAN_OPUS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "mapped_file.h"
#include "moses_punctuation.h"

typedef struct {
    bool cleans;     /* all of these but Moses' rules */
    bool normalizes; /* these, too */
    MosesLanguage language;
} OpusSteps;

/* Reads what the script's steps are; the language stays as it is. ERR_UNSUPPORTED
 * names one that is another: Moses' tokenizer, BPE. */
MUST_USE Status opus_text_read_script(OpusSteps *out, const FileView *file, Err *err);

/* Appends the text (valid UTF-8, one line) to *out, changed by the steps. */
MUST_USE Status opus_text_change(const OpusSteps *steps, const char *text, size_t len, Buf *out, Err *err);

#endif
