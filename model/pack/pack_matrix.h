/* pack_matrix.h - writes one matrix to a packed file: its entries in the file's header, and its panels
 * of PANEL rows. */
#ifndef DRAGOMAN_PACK_MATRIX_H
#define DRAGOMAN_PACK_MATRIX_H

#include "binder.h"
#include "err.h"
#include "pack_writer.h"
#include "weights.h"

typedef struct {
    Weights *weights; /* hold the parts of the matrix */
    PackWriter *writer;
    Err *err;
} MatrixPacking;

/* `type` is the element type of the packed matrix. */
MUST_USE Status pack_matrix_describe(const MatrixPacking *p, const StoredMatrix *m, DType type);
MUST_USE Status pack_matrix_write(const MatrixPacking *p, const StoredMatrix *m, DType type);

/* "F32", "F16" or "BF16" */
const char *pack_matrix_type_name(DType type);

#endif
