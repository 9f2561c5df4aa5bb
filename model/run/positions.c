/* positions.c - see positions.h. */
#include "positions.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Computed in double and rounded once. */
void positions_halves(float *out, size_t first, size_t count, size_t d)
{
    size_t half = d - d / 2;

    for (size_t i = 0; i < half; i++) {
        double wave = pow(10000.0, 2.0 * (double)i / (double)d);
        for (size_t p = 0; p < count; p++) {
            double angle = (double)(first + p) / wave;
            out[p * d + i] = (float)sin(angle);
            if (half + i < d) out[p * d + half + i] = (float)cos(angle);
        }
    }
}

void positions_tensor2tensor(float *out, size_t first, size_t count, size_t d)
{
    size_t half = d / 2;
    float step = half > 1 ? (float)(log(10000.0) / (double)(half - 1)) : 0;

    for (size_t i = 0; i < half; i++) {
        float rate = (float)exp(-(double)((float)i * step));
        for (size_t p = 0; p < count; p++) {
            float angle = (float)(first + p) * rate;
            out[p * d + i] = (float)sin((double)angle);
            out[p * d + half + i] = (float)cos((double)angle);
        }
    }
    for (size_t p = 0; d % 2 && p < count; p++) out[p * d + d - 1] = 0;
}

void positions_interleaved(float *out, size_t first, size_t count, size_t d, bool two_exponents)
{
    for (size_t j = 0; j < d; j++) {
        double exponent = two_exponents ? 2.0 * (double)j : (double)(j - j % 2);
        double wave = pow(10000.0, exponent / (double)d);
        for (size_t p = 0; p < count; p++) {
            double angle = (double)(first + p) / wave;
            out[p * d + j] = (float)(j % 2 ? cos(angle) : sin(angle));
        }
    }
}

size_t positions_bucket(long distance, bool both, size_t buckets, size_t max_distance)
{
    size_t n = both ? buckets / 2 : buckets, exact = n / 2, far, offset = both && distance > 0 ? n : 0;
    size_t steps = (size_t)labs(distance);
    float ratio;

    if (!both && distance > 0) steps = 0;
    if (steps < exact) return offset + steps;
    ratio = (float)log((double)((float)steps / (float)exact)) / (float)log((double)max_distance / (double)exact);
    far = exact + (size_t)(ratio * (float)(n - exact));
    return offset + (far < n ? far : n - 1);
}

void positions_bias_row(const RelativeBias *bias, size_t head, size_t query, size_t count, float *out)
{
    const size_t most = bias->max_distance;
    const float *at = bias->values + head * (2 * most + 1) + most; /* distance 0 */

    for (size_t j = 0; j < count; j++) {
        size_t steps = j < query ? query - j : j - query;
        if (steps > most) steps = most;
        out[j] = j < query ? *(at - steps) : at[steps];
    }
}

/* --- The table: rows are computed in order, under a lock. Reading a row that is complete takes no lock: `ready` grows
 * only after the rows below it are complete. --- */

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

const float *position_table_row(PositionTable *table, size_t position)
{
    if (position >= atomic_load_explicit(&table->ready, memory_order_acquire)) {
        size_t from, end = (position / ROWS_TOGETHER + 1) * ROWS_TOGETHER;

        if (end > table->max) end = table->max;
        pthread_mutex_lock(&table->lock);
        from = atomic_load(&table->ready);
        if (from < end) {
            size_t count = end - from;
            float *out = table->rows + from * table->d;
            if (table->kind == POSITIONS_HALVES)
                positions_halves(out, table->first + from, count, table->d);
            else if (table->kind == POSITIONS_TENSOR2TENSOR)
                positions_tensor2tensor(out, table->first + from, count, table->d);
            else
                positions_interleaved(out, table->first + from, count, table->d, table->kind == POSITIONS_TWO_EXPONENT);
            atomic_store(&table->ready, end);
        }
        pthread_mutex_unlock(&table->lock);
    }
    return table->rows + position * table->d;
}
