/* test_matrix.c - int8 matrices: quantization, matmul with the same bits at every level, and borrowed memory. */
#include "test_support.h"

#include <math.h>

#include "cpu.h"
#include "kernels.h"
#include "matrix_emulation.h"
#include "matrix_support.h"

/* Values of a matrix whose rows have different magnitudes; row 3 is zero. */
static float *new_values(size_t n, size_t k)
{
    float *values = support_alloc(n * k * sizeof *values);

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < k; i++) values[j * k + i] = j == 3 ? 0 : number(j * k + i) * (float)(j % 5 + 1);
    return values;
}

static float *new_rows(size_t rows, size_t k)
{
    float *x = support_alloc(rows * k * sizeof *x);

    for (size_t i = 0; i < rows * k; i++) x[i] = number(i + 99) * 3;
    return x;
}

static Matrix *new_matrix(size_t n, size_t k, DType type, const void *numbers, size_t step)
{
    const size_t bytes = k * dtype_bytes(matrix_source_type(type));
    Matrix *m;
    Err err;

    assert_ok(matrix_new(&m, n, k, type, &err), &err);
    for (size_t at = 0; at < n; at += step)
        matrix_set_rows(m, at, n - at < step ? n - at : step, (const char *)numbers + at * bytes);
    return m;
}

static float largest(const float *x, size_t count)
{
    float top = 0;

    for (size_t i = 0; i < count; i++) top = fmaxf(top, fabsf(x[i]));
    return top;
}

TEST(quantizes_to_the_nearest_of_255_steps_per_row)
{
    enum { N = 37, K = 70 };
    float *values = new_values(N, K), row[K];
    FREED_BY(free_matrix)
    Matrix *m = new_matrix(N, K, DTYPE_S8, values, 16), *one_by_one = new_matrix(N, K, DTYPE_S8, values, 1);

    for (size_t j = 0; j < N; j++) {
        float step = largest(values + j * K, K) / 127, other[K];
        matrix_get_row(m, j, row);
        matrix_get_row(one_by_one, j, other);
        assert_memory_equal(row, other, sizeof row);
        for (size_t i = 0; i < K; i++) {
            assert_true(fabsf(row[i] - values[j * K + i]) <= 0.5001f * step);
            assert_true(step == 0 ? row[i] == 0 : fabsf(row[i] / step - roundf(row[i] / step)) < 1e-4f);
        }
    }
    assert_true(matrix_n(m) == N && matrix_k(m) == K && matrix_type(m) == DTYPE_S8 && matrix_bytes(m) >= N * K);
    free(values);
}

/* out = the sum of the quantized values, in double precision, times both scales. */
static void check_product(size_t rows, size_t n, size_t k)
{
    FREED float *values = new_values(n, k), *x = new_rows(rows, k), *row = support_alloc(k * sizeof *row);
    FREED float *out = support_alloc(rows * n * sizeof *out), *bias = new_rows(1, n);
    FREED uint8_t *q = support_alloc(k);
    FREED_BY(free_matrix) Matrix *m = new_matrix(n, k, DTYPE_S8, values, 16);

    for (size_t i = 0; i < rows * n; i++) out[i] = NAN;
    multiply_alone(m, rows, x, n % 2 ? bias : NULL, out);
    for (size_t r = 0; r < rows; r++) {
        float scale = kernels_get()->quantize(x + r * k, k, k, q);
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 1e-9;
            matrix_get_row(m, j, row);
            for (size_t i = 0; i < k; i++) sum += (q[i] - 128.0) * scale * row[i];
            for (size_t i = 0; i < k; i++) size += fabs((q[i] - 128.0) * scale * row[i]);
            if (n % 2) sum += bias[j];
            assert_true(fabs(out[r * n + j] - sum) < 1e-6 * size + 1e-6 * fabs(sum));
        }
    }
}

TEST(int8_matmul_sums_quantized_values_exactly)
{
    static const size_t sizes[] = { 1, 5, 16, 17, 64, 130 };

    for (size_t n = 0; n < COUNT(sizes); n++)
        for (size_t k = 0; k < COUNT(sizes); k++) check_product(3, sizes[n], sizes[k]);
    check_product(300, 7, 40);  /* more rows than a block has */
    check_product(5, 3, 70000); /* rows longer than half a block */
}

/* Two rows of int8 values with a unit of 1/4. x is quantized with a multiplier of 2, or with 127 / the
 * largest value of both rows. */
TEST(keeps_int8_values_and_their_scales)
{
    static const int8_t numbers[2][3] = { { 127, -127, 1 }, { 2, 3, -128 } };
    static const float x[2][3] = { { 1, 0.4f, -3 }, { 254, 0, 0 } };
    const float two = 2, four = 4, multipliers[2] = { 4, 8 }, none[2] = { 0, 0 };
    float out[2][2], row2[2][2], row[3], bias[2] = { 1, -1 };
    Matrix *m, *gathered = NULL;
    MatrixRows *rows;
    Err err;

    assert_ok(matrix_new(&m, 2, 3, DTYPE_S8, &err), &err);
    matrix_set_rows_s8(m, 0, 2, numbers[0], 0.25f);
    matrix_get_row(m, 1, row);
    assert_true(row[0] == 0.5f && row[1] == 0.75f && row[2] == -31.75f);
    assert_ok(matrix_emulate_marian(m, &four, &two, 1, &err), &err);
    multiply_alone(m, 2, x[0], NULL, out[0]); /* 2, 1, -6; 127, 0, 0 */
    assert_true(out[0][0] == (2 * 127 - 127 - 6) / 8.0f && out[0][1] == (4 + 3 + 6 * 127) / 8.0f);
    assert_true(out[1][0] == 127 * 127 / 8.0f && out[1][1] == 2 * 127 / 8.0f);
    assert_ok(matrix_rows_new(&rows, m, &err), &err);
    assert_ok(matrix_gather(&gathered, rows, (const int32_t[]){ 1 }, 1, &err), &err);
    multiply_alone(gathered, 1, x[0], NULL, row);
    assert_true(row[0] == out[0][1]);
    matrix_free(gathered);
    matrix_rows_free(rows);
    matrix_shift_x(m, 0, bias); /* 127 times 1 and -122 in eighths */
    assert_true(bias[0] == 1 - 127 / 8.0f && bias[1] == -1 + 127 * 122 / 8.0f);
    multiply_alone(m, 2, x[0], bias, row2[0]);
    for (size_t i = 0; i < 4; i++) assert_true(row2[i / 2][i % 2] == out[i / 2][i % 2] + (i % 2 ? -1 : 1));
    matrix_free(m);

    assert_ok(matrix_new(&m, 2, 3, DTYPE_S8, &err), &err);
    matrix_set_rows_s8(m, 0, 2, numbers[0], 0.25f);
    assert_ok(matrix_emulate_marian(m, multipliers, none, 2, &err), &err);
    multiply_alone(m, 2, x[0], NULL, out[0]); /* times 0.5: 0, 0, -2 (-1.5 to even); 127, 0, 0 */
    assert_true(out[0][0] == -2 * 1 / 2.0f && out[0][1] == 2 * 127 / 4.0f);
    assert_true(out[1][0] == 127 * 127 / 2.0f);
    multiply_scaled(m, 2, 1, x[0], NULL, row2[0]); /* 2, 1, -6 */
    assert_true(row2[0][0] == (2 * 127 - 127 - 6) / 8.0f && row2[0][1] == (4 + 3 + 6 * 127) / 16.0f);
    matrix_shift_x(m, 1, NULL);
    multiply_alone(m, 2, x[0], NULL, row2[0]);
    for (size_t i = 0; i < 4; i++) assert_true(row2[i / 2][i % 2] == out[i / 2][i % 2]);
    matrix_free(m);
}

/* Like three matrices, except for where the outputs are stored. */
TEST(rounds_rows_with_one_multiplier_per_part)
{
    enum { PART = 32, N = 3 * PART, K = 70, ROWS = 5 };
    const float multipliers[3] = { 4, 8, 5 }, x_multipliers[3] = { 20, 31, 25 };
    float *x = new_rows(ROWS, K), bias[2][N], alone[PART], out[ROWS * N], want[ROWS * PART];
    int8_t numbers[N * K];
    Matrix *m, *part;
    Err err;

    for (size_t i = 0; i < COUNT(numbers); i++) numbers[i] = (int8_t)((int)(i * 2654435761u >> 24) % 255 - 127);
    for (int shifts = 0; shifts < 2; shifts++) {
        for (size_t i = 0; i < N; i++) bias[shifts][i] = (float)i / 8;
        assert_ok(matrix_new(&m, N, K, DTYPE_S8, &err), &err);
        matrix_set_rows_s8(m, 0, N, numbers, 0.25f);
        assert_ok(matrix_emulate_marian(m, multipliers, x_multipliers, 3, &err), &err);
        assert_false(matrix_shares_x_multiplier(m));
        if (shifts) matrix_shift_x(m, 0, bias[shifts]);
        multiply_alone(m, ROWS, x, bias[shifts], out);
        for (size_t p = 0; p < 3; p++) {
            for (size_t i = 0; i < PART; i++) alone[i] = (float)(p * PART + i) / 8;
            assert_ok(matrix_new(&part, PART, K, DTYPE_S8, &err), &err);
            matrix_set_rows_s8(part, 0, PART, numbers + p * PART * K, 0.25f);
            assert_ok(matrix_emulate_marian(part, &multipliers[p], &x_multipliers[p], 1, &err), &err);
            if (shifts) matrix_shift_x(part, 0, alone);
            multiply_alone(part, ROWS, x, alone, want);
            for (size_t r = 0; r < ROWS; r++)
                assert_memory_equal(out + r * N + p * PART, want + r * PART, sizeof alone);
            matrix_free(part);
        }
        matrix_free(m);
    }
    free(x);
}

TEST(rounds_rows_down_after_adding_128)
{
    const size_t n = 20, k = 70, rows = 300;
    FREED float *values = new_values(n, k), *x = new_rows(rows, k), *out = support_alloc(rows * n * sizeof *out);
    FREED_BY(free_matrix) Matrix *m = new_matrix(n, k, DTYPE_S8, values, 16);
    FREED float *held = support_alloc(k * sizeof *held);
    Err err;

    assert_ok(matrix_round_x(m, ROWS_DOWN, &err), &err);
    memset(x, 0, k * sizeof *x);
    multiply_alone(m, rows, x, NULL, out);
    for (size_t r = 0; r < rows; r++) {
        float largest = 0;
        for (size_t i = 0; i < k; i++) largest = fabsf(x[r * k + i]) > largest ? fabsf(x[r * k + i]) : largest;
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            matrix_get_row(m, j, held);
            for (size_t i = 0; i < k && largest > 0; i++) {
                float v = fmaf(x[r * k + i], 127.0f / largest, 128.0f);
                sum += (double)(floorf(v) - 128) * (double)held[i] * (double)largest / 127;
            }
            assert_float_equal(out[r * n + j], sum, 1e-4 * (1 + fabs(sum)));
        }
    }
}

TEST(multiplies_to_the_same_bits_on_every_level)
{
    enum { ROWS = 20, N = 75, K = 100 };
    FREED float *values = new_values(N, K), *x = new_rows(ROWS, K);
    float want[ROWS * N], got[ROWS * N];

    for (int level = CPU_SCALAR; level < CPU_LEVELS; level++) {
        FREED_BY(free_matrix) Matrix *m;
        assert_int_equal(setenv("DRAGOMAN_CPU", cpu_level_name((CpuLevel)level), 1), 0);
        m = new_matrix(N, K, DTYPE_S8, values, 16);
        multiply_alone(m, ROWS, x, values, level ? got : want);
        if (level) assert_memory_equal(got, want, sizeof want);
    }
    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
}

static void check_team(Team *team, DType type, size_t n, size_t k, size_t rows)
{
    FREED float *values = new_values(n, k), *x = new_rows(rows, k), *bias = new_rows(n, 1);
    FREED float *want = support_alloc(rows * n * sizeof *want), *got = support_alloc((rows * n + 1) * sizeof *got);
    uint16_t *halves = (uint16_t *)values;
    FREED_BY(free_matrix) Matrix *m;

    for (size_t i = 0; i < n * k && dtype_bytes(type) == 2; i++) halves[i] = (uint16_t)(0x3c00 + i % 512); /* near 1 */
    m = new_matrix(n, k, type, values, 16);
    got[rows * n] = 42;
    multiply_alone(m, rows, x, bias, want);
    multiply_by(team, m, rows, x, bias, got);
    assert_memory_equal(got, want, rows * n * sizeof *want);
    assert_true(got[rows * n] == 42);
}

TEST(team_multiplies_to_the_same_bits)
{
    static const size_t n[] = { 1, 15, 128, 129, 500, 3001 }, k[] = { 1, 37, 256 }, rows[] = { 1, 2, 3, 7, 64 };
    static const size_t threads[] = { 2, 3, TEAM_MAX };
    Team *team;
    Err err;

    for (size_t m = 0; m < COUNT(threads); m++) {
        assert_ok(team_new(&team, threads[m], 0, &err), &err);
        for (size_t i = 0; i < COUNT(n) * COUNT(k) * COUNT(rows); i++)
            check_team(team, (DType)(i % 4), n[i % COUNT(n)], k[i / COUNT(n) % COUNT(k)],
                       rows[i / COUNT(n) / COUNT(k)]);
        for (size_t few = 0; few <= 300; few += 100) check_team(team, DTYPE_S8, 1000, 40, few); /* blocks have fewer */
        team_free(team);
    }
}

/* Collects the rows of a matmul from its blocks. */
typedef struct {
    float *out;
    size_t n, row;
} Whole;

static void take_block(void *context, const LogitsBlock *block)
{
    const Whole *w = context;

    for (size_t r = 0; r < block->rows; r++)
        memcpy(w->out + (block->row - w->row + r) * w->n + block->first, block->logits + r * block->stride,
               block->count * sizeof *w->out);
}

static void check_blocks(Team *team, DType type, size_t rows, size_t columns)
{
    enum { N = 1000, K = 40 };
    FREED float *values = new_values(N, K), *x = new_rows(rows, K);
    FREED float *want = support_alloc(rows * N * sizeof *want), *got = support_alloc(rows * N * sizeof *got);
    FREED float *room = support_alloc(rows * columns * sizeof *room);
    FREED_BY(free_matrix) Matrix *m = new_matrix(N, K, type, values, 16);
    Whole whole = { got, N, 7 };
    const LogitsBlock block = { .row = 7, .rows = rows, .stride = columns, .logits = room };

    multiply_alone(m, rows, x, values, want);
    if (rows <= matrix_block_rows(m)) {
        multiply_in_blocks(team, m, x, values, &block, &(LogitsSink){ .take = take_block, .context = &whole });
        assert_memory_equal(got, want, rows * N * sizeof *want);
    } else {
        assert_true(type == DTYPE_F32 ? !matrix_is_exact() : rows > 256);
    }
}

TEST(matmul_in_blocks_returns_the_same_bits)
{
    static const size_t rows[] = { 1, 3, 64, 256, 300 }, columns[] = { 128, 256, 1024 };
    Team *team;
    Err err;

    assert_ok(team_new(&team, 3, 1, &err), &err);
    for (size_t r = 0; r < COUNT(rows); r++)
        for (size_t c = 0; c < COUNT(columns); c++)
            for (int by = 0; by < 2; by++) {
                check_blocks(by ? team : NULL, DTYPE_S8, rows[r], columns[c]);
                check_blocks(by ? team : NULL, DTYPE_F32, rows[r], columns[c]);
            }
    team_free(team);
}

TEST(borrowed_memory_gives_the_same_matrix)
{
    enum { ROWS = 5, N = 37, K = 70 };
    FREED float *values = new_values(N, K), *x = new_rows(ROWS, K);
    float want[ROWS * N], got[ROWS * N], row[K], other[K];

    for (int type = DTYPE_F32; type <= DTYPE_S8; type++) {
        Matrix *m = new_matrix(N, K, (DType)type, values, 16), *borrowed;
        for (int with_corrections = 0; with_corrections < 2; with_corrections++) {
            MatrixParts parts;
            Err err;
            matrix_parts(m, &parts);
            if (!parts.values) continue; /* no panels on this CPU */
            if (!with_corrections) parts.corrections = NULL;
            assert_ok(matrix_borrow(&borrowed, N, K, (DType)type, &parts, &err), &err);
            multiply_alone(m, ROWS, x, NULL, want);
            multiply_alone(borrowed, ROWS, x, NULL, got);
            assert_memory_equal(got, want, sizeof want);
            matrix_get_row(m, N - 1, row);
            matrix_get_row(borrowed, N - 1, other);
            assert_memory_equal(row, other, sizeof row);
            matrix_free(borrowed);
        }
        matrix_free(m);
    }
}

/* Compares the outputs of the gathered rows for every type and level; the same memory is reused for
 * more and fewer rows. */
TEST(gathered_rows_multiply_to_the_same_bits)
{
    enum { N = 70, K = 70, ROWS = 3 };
    static const int32_t taken[] = { 0, 2, 3, 15, 16, 17, 33, 47, 50, 51, 52, 53, 54, 55, 60, 64, 68, 69 };
    static const DType types[] = { DTYPE_F32, DTYPE_BF16, DTYPE_S8 };
    static const char *const levels[] = { "scalar", "avx2", "avx512", "amx" };
    FREED float *values = new_values(N, K), *x = new_rows(ROWS, K);
    float all[ROWS * N], few[ROWS * N];

    for (size_t c = 0; c < COUNT(types) * COUNT(levels); c++) {
        FREED_BY(free_matrix) Matrix *m, *part = NULL;
        MatrixRows *rows;
        Err err;
        assert_int_equal(setenv("DRAGOMAN_CPU", levels[c % COUNT(levels)], 1), 0);
        m = new_matrix(N, K, types[c / COUNT(levels)], values, 16); /* bf16: any bits will do */
        multiply_alone(m, ROWS, x, NULL, all);
        assert_ok(matrix_rows_new(&rows, m, &err), &err);
        for (size_t count = COUNT(taken); count > 0; count = count * 3 / 4) {
            assert_ok(matrix_gather(&part, rows, taken, count, &err), &err);
            assert_int_equal(matrix_n(part), count);
            multiply_alone(part, ROWS, x, NULL, few);
            for (size_t i = 0; i < ROWS * count; i++)
                assert_memory_equal(&few[i], &all[i / count * N + (size_t)taken[i % count]], sizeof *few);
        }
        matrix_rows_free(rows);
    }
    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
}

/* Multiplies lists of different lengths together: ranges of ids, partial panels, several rows, Marian's rounding, and
 * shifted x. K is so large that a range has only 51 ids. */
TEST(lists_multiplied_together_give_the_bits_of_each_alone)
{
    enum { N = 700, K = 1000, LISTS = 5, MOST = 600 };
    static const size_t counts[LISTS] = { 600, 1, 17, 333, 160 }, rows[LISTS] = { 1, 2, 3, 1, 4 };
    static const float multiplier = 20;
    static float bias[N];
    FREED float *values = new_values(N, K), *x = new_rows(LISTS * 4, K), *out = new_rows(LISTS, 4 * MOST);
    FREED float *want = new_rows(4, MOST);

    for (size_t emulated = 0; emulated < 3; emulated++) {
        FREED_BY(free_matrix) Matrix *m = new_matrix(N, K, DTYPE_S8, values, 16);
        Matrix *lists[LISTS] = { NULL };
        GatheredMatmul products[LISTS];
        MatrixScratch *scratch;
        MatrixRows *all;
        const float *next = x;
        Err err;
        if (emulated) assert_ok(matrix_emulate_marian(m, &multiplier, &multiplier, 1, &err), &err);
        if (emulated == 2) matrix_shift_x(m, 0, bias);
        assert_ok(matrix_rows_new(&all, m, &err), &err);
        assert_ok(matrix_scratch_new(&scratch, &err), &err);
        for (size_t i = 0; i < LISTS; i++) {
            int32_t ids[MOST];
            for (size_t j = 0; j < counts[i]; j++) ids[j] = (int32_t)(j * N / counts[i] + i % 2);
            assert_ok(matrix_gather(&lists[i], all, ids, counts[i], &err), &err);
            products[i] = (GatheredMatmul){ lists[i], i % 2 ? x : NULL, rows[i], out + i * 4 * MOST };
        }
        assert_true(matrix_gathered_rows(lists[0]) >= LISTS * 4);
        matrix_multiply_gathered(scratch, products, LISTS, x);
        for (size_t i = 0; i < LISTS; next += rows[i++] * K) {
            matrix_multiply(NULL, scratch, lists[i], rows[i], next, products[i].bias, want);
            assert_memory_equal(products[i].out, want, rows[i] * counts[i] * sizeof *want);
        }
        for (size_t i = 0; i < LISTS; i++) matrix_free(lists[i]);
        matrix_scratch_free(scratch);
        matrix_rows_free(all);
    }
}

TEST(rejects_borrowed_memory_of_another_size)
{
    static _Alignas(64) const char numbers[1024];
    static const float scales[16];
    MatrixParts parts = { numbers, 1023, scales, NULL };
    Matrix *m;
    Err err;

    assert_fails(matrix_borrow(&m, 16, 64, DTYPE_S8, &parts, &err), ERR_FORMAT, &err,
                 "a matrix of 16 x 64 has 1023 bytes, expected 1024");
    assert_null(m);
    parts = (MatrixParts){ numbers, 1024, NULL, NULL };
    assert_fails(matrix_borrow(&m, 16, 64, DTYPE_S8, &parts, &err), ERR_FORMAT, &err,
                 "a matrix of 16 x 64 has 1024 bytes, expected 1024 and scales");
    assert_int_equal(matrix_borrow(&m, 1, MATRIX_8BIT_MAX_K + 1, DTYPE_S8, &parts, &err), ERR_UNSUPPORTED);
    parts.scales = scales;
    assert_ok(matrix_borrow(&m, 16, 64, DTYPE_S8, &parts, &err), &err);
    matrix_free(m);
}

TEST(rounds_to_the_nearest_bf16_ties_to_even)
{
    static const struct {
        uint32_t bits;
        uint16_t want;
    } cases[] = { { 0x3f800000, 0x3f80 }, { 0x3f808000, 0x3f80 }, { 0x3f818000, 0x3f82 }, { 0x3f808001, 0x3f81 },
                  { 0xbf807fff, 0xbf80 }, { 0x3fffffff, 0x4000 }, { 0x00000001, 0x0000 }, { 0x7f7fffff, 0x7f80 } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        float value;
        memcpy(&value, &cases[i].bits, sizeof value);
        assert_int_equal(dtype_f32_to_bf16(value), cases[i].want);
    }
}

TESTS(test_matrix);
