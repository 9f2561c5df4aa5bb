/* position_table.c - see position_table.h. Rows are computed in order, under a lock. Reading a row that is complete
 * takes no lock: `ready` grows only after the rows below it are complete. */
#include "position_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "positions.h"

#define ROWS_TOGETHER ((size_t)16)

struct PositionTable {
    PositionKind kind;
    size_t first, max, d; /* row i is for the position first + i */
    float *rows;          /* [max, d] */
    atomic_size_t ready;  /* number of complete rows */
    pthread_mutex_t lock; /* held while rows are computed */
};

Status position_table_new(PositionTable **out, const ModelConfig *config, Err *err)
{
    PositionTable *table = calloc(1, sizeof *table);

    *out = NULL;
    if (!table) return err_memory(err, "the model");
    table->kind = config->positions.kind;
    table->first = table->kind == POSITIONS_TENSOR2TENSOR ? config->positions.offset : 0;
    table->max = config->positions.max;
    table->d = config->d_model;
    table->rows = calloc(table->max, table->d * sizeof *table->rows);
    if (!table->rows || pthread_mutex_init(&table->lock, NULL) != 0) {
        free(table->rows);
        free(table);
        return err_memory(err, "the model");
    }
    *out = table;
    return OK;
}

void position_table_free(PositionTable *table)
{
    if (!table) return;
    pthread_mutex_destroy(&table->lock);
    free(table->rows);
    free(table);
}

static void compute(PositionTable *table, size_t from, size_t count)
{
    float *out = table->rows + from * table->d;

    if (table->kind == POSITIONS_HALVES)
        positions_halves(out, table->first + from, count, table->d);
    else if (table->kind == POSITIONS_TENSOR2TENSOR)
        positions_tensor2tensor(out, table->first + from, count, table->d);
    else
        positions_interleaved(out, table->first + from, count, table->d, table->kind == POSITIONS_TWO_EXPONENT);
}

static void grow(PositionTable *table, size_t position)
{
    size_t from, end = (position / ROWS_TOGETHER + 1) * ROWS_TOGETHER;

    if (end > table->max) end = table->max;
    pthread_mutex_lock(&table->lock);
    from = atomic_load(&table->ready);
    if (from < end) {
        compute(table, from, end - from);
        atomic_store(&table->ready, end);
    }
    pthread_mutex_unlock(&table->lock);
}

const float *position_table_row(PositionTable *table, size_t position)
{
    if (position >= atomic_load_explicit(&table->ready, memory_order_acquire)) grow(table, position);
    return table->rows + position * table->d;
}
