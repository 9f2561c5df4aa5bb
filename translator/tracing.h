/* tracing.h - translates one sentence with everything recorded: the parts of translator_trace(), which writes them as
 * JSON (docs/explain.md). */
#ifndef DRAGOMAN_TRACING_H
#define DRAGOMAN_TRACING_H

#include <stdbool.h>
#include <stddef.h>

#include "attention_choice.h"
#include "buf.h"
#include "err.h"
#include "loaded_model.h"
#include "session.h"
#include "tokenizer.h"
#include "trace.h"

/* The longest source and translation in tokens, and the most beams. More would not fit on a page. */
#define TRACING_MOST_SOURCE ((size_t)128)
#define TRACING_MOST_TARGET TRACE_STEPS
#define TRACING_MOST_BEAMS  ((size_t)32)

/* A traced sentence. S, T, L and H as in trace.h. */
typedef struct {
    const LoadedModel *loaded;
    const char *path; /* of the model */
    const char *text;
    size_t text_len;
    bool capitals;   /* the text is in all capitals, and is converted to normal case (capitals.h) */
    Encoding source; /* [S] */
    RangeList source_ranges;
    IdList forced;     /* the ids of a forced translation, with the end token; empty: the search chooses */
    size_t max_length; /* of the settings; the search itself stops where a page ends */
    Session *session;
    size_t results; /* hypotheses of session_result(), the best of which is shown */
    Trace trace;
    IdList ids;       /* [T], of the best hypothesis */
    IdList inputs;    /* [T], of the decoder: the start token, then the ids without the last one */
    size_t *rows;     /* [T], session_result_rows() */
    float *cross;     /* [L, H, T, S] */
    float *past;      /* [L, H or 1, T, T], trace_read_past() */
    float *alignment; /* [T, S], the mean of the heads in `aligning` */
    AttentionChoice aligning;
} Tracing;

/* Appends the JSON. (trace_json.c) */
MUST_USE Status trace_json_append(Buf *out, const Tracing *tracing, Err *err);

#endif
