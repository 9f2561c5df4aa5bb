/* opus_text.h - the text cleaning of preprocess.sh in OPUS-MT's releases, which precedes SentencePiece:
 *   - East Asian punctuation, typographic quotes and the like become ASCII
 *     (replace-unicode-punctuation.perl of Moses, or the same in sed)
 *   - control, format, private-use and unassigned characters become spaces
 *     (remove-non-printing-char.perl, or \p{C} in perl)
 *   - the oldest releases also run normalize-punctuation.perl of Moses
 *   - runs of spaces become one space; those at both ends are removed
 * Source   scripts/preprocess-spm.sh of Helsinki-NLP/OPUS-MT-train. */
#ifndef DRAGOMAN_OPUS_TEXT_H
#define DRAGOMAN_OPUS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "mapped_file.h"
#include "moses.h"
#include "ranges.h"

typedef struct {
    bool cleans;     /* all steps except Moses' rules */
    bool normalizes; /* Moses' rules as well, once opus_text_set_language() has been called */
    Moses *moses;    /* owned; NULL: none; IndicTrans2 has them for its English texts */
} OpusSteps;

/* Sets the language for Moses' rules, which the user or a file names; NULL: English. The caller frees steps->moses. */
MUST_USE Status opus_text_set_language(OpusSteps *steps, const char *name, Err *err);

/* Reads the steps from the script. ERR_UNSUPPORTED names a step that dragoman does not
 * support, such as Moses' tokenizer or BPE. */
MUST_USE Status opus_text_read_script(OpusSteps *out, const FileView *file, Err *err);

/* Applies the steps to a text (valid UTF-8, one line) and appends the result to *out. `map` starts empty and receives
 * the origins of the bytes that are appended: bytes that a step made have the range of all that it replaced, a run of
 * spaces included. NULL: not asked for. */
MUST_USE Status opus_text_clean(const OpusSteps *steps, const char *text, size_t len, Buf *out, RangeList *map,
                                Err *err);

#endif
