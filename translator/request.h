/* request.h - the fields of a DragomanRequest: a text with its spans, and what else is asked of its translation. It is
 * built once, by the functions of dragoman.h, and passed on by pointer until line_new() makes a line of it. */
#ifndef DRAGOMAN_REQUEST_H
#define DRAGOMAN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "ranges.h"

struct DragomanRequest {
    LineText text;        /* of the caller */
    SpanList kept;        /* DRAGOMAN_SPAN_KEPT, in the order of the caller */
    SpanList demands;     /* DRAGOMAN_SPAN_TERM, then _MUST */
    Buf forms;            /* of all demands; each ends with NUL, and the first one of a demand begins at first_form */
    const char *language; /* NULL: that of the model */
    Buf language_text;
    bool splits;     /* into sentences, if no setting forbids it */
    bool has_prefix; /* its own one, which may be empty, instead of DRAGOMAN_PREFIX */
    Buf prefix;
    bool is_known; /* the translation is `target` */
    bool is_given; /* the translation is `target`, which is scored */
    Buf target;
    RangeList places; /* is_known: of `kept`, in `target` */
};

#endif
