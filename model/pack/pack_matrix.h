/* pack_matrix.h - one matrix on its way into a packed file: what the file's header says of
 * it, and its panels, PANEL rows at a time. */
#ifndef DRAGOMAN_PACK_MATRIX_H
#define DRAGOMAN_PACK_MATRIX_H

#include "binder.h"
#include "err.h"
#include "pack_writer.h"
#include "weights.h"

typedef struct {
    Weights *weights; /* of the matrix's parts */
    PackWriter *writer;
    Err *err;
} MatrixPacking;

/* `type` is what the packed matrix holds. */
MUST_USE Status pack_matrix_describe(const MatrixPacking *p, const StoredMatrix *m, DType type);
MUST_USE Status pack_matrix_write(const MatrixPacking *p, const StoredMatrix *m, DType type);

/* "F32", "F16" or "BF16" */
const char *pack_matrix_type_name(DType type);

#endif
