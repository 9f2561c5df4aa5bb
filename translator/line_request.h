/* line_request.h - what the caller asks of a line: see dragoman_request.h. */
#ifndef DRAGOMAN_LINE_REQUEST_H
#define DRAGOMAN_LINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "ranges.h"

/* A text of the caller. */
typedef struct {
    const char *data;
    size_t len;
} LineText;

/* A text that the translation has to contain. */
typedef struct {
    Range range;         /* of the source */
    bool anywhere;       /* there is no range: any part of the translation may contain it */
    size_t first, count; /* its forms */
} RequestDemand;

/* Everything belongs to the caller. */
typedef struct {
    LineText text;
    const char *language; /* NULL: that of the model */
    bool splits;          /* into sentences, if no setting forbids it */
    const Range *kept;
    size_t kept_count;
    bool is_known;
    LineText known; /* the translation */
    const Range *known_kept;
    size_t known_kept_count;
    bool has_prefix;
    LineText prefix;              /* empty: the line has none */
    const RequestDemand *demands; /* those with ranges, then the others */
    size_t demand_count;
    const char *forms; /* of all demands: each ends with NUL */
} LineRequest;

#endif
