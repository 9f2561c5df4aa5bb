/* positions.c - see positions.h. */
#include "positions.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

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
    float *rows;          /* [max, d], zero before they are computed */
    float *rates;         /* [d / 2], the angles of rotary positions at position 1; NULL: none */
    float amplitude;      /* of the rotary positions */
    atomic_size_t ready;  /* number of complete rows */
    pthread_mutex_t lock; /* held while rows are computed */
};

/* The element whose angle turns around `turns` times in the texts of the training (find_correction_dim()). */
static double element_of_turns(const RotaryConfig *rotary, double turns)
{
    const double pi = 3.14159265358979323846;

    return (double)rotary->size * log((double)rotary->original / (turns * 2 * pi)) / (2 * log((double)rotary->theta));
}

/* Sets rates[size / 2] to the angles at position 1, in f32 as _compute_*_parameters() of modeling_rope_utils.py. */
static void compute_rates(const RotaryConfig *rotary, float *rates)
{
    const size_t size = rotary->size, count = size / 2;
    double low = element_of_turns(rotary, (double)rotary->fast), high = element_of_turns(rotary, (double)rotary->slow);

    if (!rotary->has_real_bounds) {
        low = floor(low);
        high = ceil(high);
    }
    if (low < 0) low = 0;
    if (high > (double)size - 1) high = (double)size - 1;
    if (low == high) high += 0.001; /* prevents a division by zero, as there */
    for (size_t i = 0; i < count; i++) {
        const float wave = (float)pow((double)rotary->theta, (double)((float)(2 * i) / (float)size));
        float rate = 1.0f / wave;
        if (rotary->scaling == ROTARY_LINEAR) {
            rate /= rotary->factor;
        } else if (rotary->scaling == ROTARY_YARN) { /* between 1 / wave and 1 / (factor * wave) */
            const double ramp = ((double)i - low) / (high - low);
            const float slow = 1.0f / (rotary->factor * wave), part = (float)(ramp < 0 ? 0 : ramp > 1 ? 1 : ramp);
            rate = slow * part + rate * (1 - part);
        } else if (rotary->scaling == ROTARY_LLAMA3) {
            const float turns = rotary->original * rate / 6.28318530717958647692f; /* in the texts of the training */
            const float part = (turns - rotary->slow) / (rotary->fast - rotary->slow);
            if (turns < rotary->slow)
                rate /= rotary->factor;
            else if (turns <= rotary->fast)
                rate = (1 - part) * rate / rotary->factor + part * rate;
        }
        rates[i] = rate;
    }
}

Status position_table_new(PositionTable **out, const ModelConfig *config, const RotaryConfig *rotary, Err *err)
{
    PositionTable *table = calloc(1, sizeof *table);

    *out = NULL;
    if (!table) return err_memory(err, "the model");
    table->kind = config->positions.kind;
    table->first = table->kind == POSITIONS_TENSOR2TENSOR ? config->positions.offset : 0;
    table->max = config->positions.max;
    table->d = rotary ? rotary->size : config->d_model;
    table->amplitude = rotary ? rotary->amplitude : 1;
    table->rows = calloc(table->max, table->d * sizeof *table->rows);
    table->rates = rotary ? calloc(table->d, sizeof *table->rates) : NULL;
    if (table->rates) compute_rates(rotary, table->rates);
    if (!table->rows || (rotary && !table->rates) || pthread_mutex_init(&table->lock, NULL) != 0) {
        free(table->rates);
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
    free(table->rates);
    free(table->rows);
    free(table);
}

/* Computes rows [from, end) of rotary positions. The angles are f32, as in transformers. */
static void compute_rotary_rows(const PositionTable *table, size_t from, size_t end)
{
    const size_t half = table->d / 2;

    for (size_t row = from; row < end; row++)
        for (size_t i = 0; i < half; i++) {
            const double angle = (double)((float)row * table->rates[i]);
            table->rows[row * table->d + i] = (float)cos(angle) * table->amplitude;
            table->rows[row * table->d + half + i] = (float)sin(angle) * table->amplitude;
        }
}

/* Computes rows [from, end). Each column has the sine or the cosine of the position divided by a power of 10000
 * (PositionKind), in double and rounded once. With POSITIONS_TENSOR2TENSOR, the angles are f32 as in transformers
 * 4.57.1: at position 1000 they are off by up to 3e-5. That kind has floor(d/2) columns of sines and as many of
 * cosines; POSITIONS_HALVES has ceil(d/2) of sines and floor(d/2) of cosines. */
static void compute_rows(const PositionTable *table, size_t from, size_t end)
{
    const size_t d = table->d;
    const bool has_f32_angles = table->kind == POSITIONS_TENSOR2TENSOR;
    const bool in_halves = has_f32_angles || table->kind == POSITIONS_HALVES;
    const size_t half = has_f32_angles ? d / 2 : d - d / 2;
    const float step = half > 1 ? (float)(log(10000.0) / (double)(half - 1)) : 0;

    for (size_t j = 0; j < (has_f32_angles ? 2 * half : d); j++) {
        const bool is_cosine = in_halves ? j >= half : j % 2;
        const size_t i = !in_halves ? j / 2 : is_cosine ? j - half : j;
        const double wave = pow(10000.0, 2.0 * (double)(table->kind == POSITIONS_TWO_EXPONENT ? j : i) / (double)d);
        const float rate = (float)exp(-(double)((float)i * step));
        for (size_t row = from; row < end; row++) {
            const size_t position = table->first + row;
            const double angle = has_f32_angles ? (double)((float)position * rate) : (double)position / wave;
            table->rows[row * d + j] = (float)(is_cosine ? cos(angle) : sin(angle));
        }
    }
}

const float *position_table_row(PositionTable *table, size_t position)
{
    if (position >= atomic_load_explicit(&table->ready, memory_order_acquire)) {
        size_t from, end = (position / ROWS_TOGETHER + 1) * ROWS_TOGETHER;

        if (end > table->max) end = table->max;
        pthread_mutex_lock(&table->lock);
        from = atomic_load(&table->ready);
        if (from < end) {
            if (table->rates)
                compute_rotary_rows(table, from, end);
            else
                compute_rows(table, from, end);
            atomic_store(&table->ready, end);
        }
        pthread_mutex_unlock(&table->lock);
    }
    return table->rows + position * table->d;
}
