/* test_panels_s8.c - int8 matmul with panels: the scalar level is the reference, and every other level
 * returns its bits for all sizes, values and numbers of rows. */
#include "test_support.h"

#include <math.h>

#include "panels_s8.h"

/* The operands of a matmul, in memory of exactly their size. */
typedef struct {
    PanelsS8Matmul p;
    int8_t *panels;
    uint8_t *x;
    uint16_t *wide_x;
    float *scales, *x_scales, *bias, *out;
    int32_t *corrections, *signed_corrections;
} Operands;

/* Ways to choose values: from -127 to 127, or one of two. x may also be -128, which is stored as 0. */
typedef struct {
    int one, other;
} Numbers;

static const Numbers mixed = { 0, 0 }, largest = { 127, 127 }, lowest = { -127, -127 }, corners = { -127, 127 },
                     least = { -128, -128 }, least_and_largest = { -128, 127 };

static int number(Numbers of, size_t i)
{
    if (!of.one) return (int)((i * 2654435761u >> 9) % 255) - 127;
    return i * 2654435761u >> 13 & 1 ? of.other : of.one;
}

static Operands new_operands(size_t rows, size_t n, size_t k, Numbers of_x, Numbers of_matrix, bool with_bias)
{
    const size_t width = panels_s8_width(k), ldx = panels_s8_stride(k), panels = (n + PANEL - 1) / PANEL * PANEL,
                 ldo = n + 3;
    /* The outputs for which 127 is added to x (matrix_shift_x()); none for the longest rows, whose sums would
     * overflow. */
    const size_t shifted = (rows + k) % 2 || k > 4096 ? 0 : (n + 1) / 2;
    Operands o = { .panels = support_alloc(panels_s8_count(n, k)),
                   .x = support_alloc(rows * ldx),
                   .wide_x = support_alloc(rows * ldx * sizeof(uint16_t)),
                   .scales = support_alloc(n * sizeof(float)),
                   .x_scales = support_alloc(rows * sizeof(float)),
                   .bias = support_alloc(n * sizeof(float)),
                   .corrections = support_alloc(panels * sizeof(int32_t)),
                   .signed_corrections = support_alloc(panels * sizeof(int32_t)),
                   .out = support_alloc(rows * ldo * sizeof(float)) };

    for (size_t j = 0; j < n; j++) {
        int64_t sum = 0;
        for (size_t i = 0; i < k; i++) sum += o.panels[panels_s8_at(j, i, k)] = (int8_t)number(of_matrix, j * k + i);
        o.corrections[j] = (int32_t)(j < shifted ? -sum : -128 * sum);
        o.signed_corrections[j] = (int32_t)(j < shifted ? 127 * sum : 0);
        o.scales[j] = 0.001f * (float)(j % 13 + 1);
        o.bias[j] = (float)number(mixed, j) * 0.37f;
    }
    for (size_t r = 0; r < rows; r++) {
        memset(o.x + r * ldx, PANELS_S8_ZERO, width);
        for (size_t i = 0; i < k; i++) o.x[r * ldx + i] = (uint8_t)(number(of_x, r * k + i + 7) + 128);
        o.x_scales[r] = 0.003f * (float)(r % 7 + 1);
    }
    o.p = (PanelsS8Matmul){ .panels = o.panels,
                            .scales = o.scales,
                            .corrections = o.corrections,
                            .n = n,
                            .k = k,
                            .rows = rows,
                            .x = o.x,
                            .ldx = ldx,
                            .x_scales = o.x_scales,
                            .bias = with_bias ? o.bias : NULL,
                            .out = o.out,
                            .ldo = ldo,
                            .fused = (rows + n) % 2,
                            .signed_corrections = shifted ? o.signed_corrections : NULL };
    return o;
}

static void free_operands(Operands *o)
{
    free(o->panels);
    free(o->x);
    free(o->wide_x);
    free(o->scales);
    free(o->x_scales);
    free(o->bias);
    free(o->corrections);
    free(o->signed_corrections);
    free(o->out);
}

static void fill_out(const Operands *o)
{
    for (size_t i = 0; i < o->p.rows * o->p.ldo; i++) o->out[i] = 42;
}

static void scalar_sums_are_exact(size_t rows, size_t n, size_t k, Numbers of_x, Numbers of_matrix)
{
    Operands o = new_operands(rows, n, k, of_x, of_matrix, n % 2);

    fill_out(&o);
    panels_s8_multiply_scalar(&o.p);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < n; j++) {
            int64_t sum = 0;
            float want;
            for (size_t i = 0; i < k; i++) sum += number(of_x, r * k + i + 7) * number(of_matrix, j * k + i);
            sum += o.signed_corrections[j];
            want = o.x_scales[r] * o.scales[j];
            want =
                o.p.fused ? fmaf((float)sum, want, n % 2 ? o.bias[j] : 0) : (float)sum * want + (n % 2 ? o.bias[j] : 0);
            assert_true(o.out[r * o.p.ldo + j] == want);
        }
    free_operands(&o);
}

TEST(scalar_level_computes_exact_sums)
{
    static const size_t sizes[] = { 1, 3, 16, 17, 63, 64, 65, 200 };

    for (size_t n = 0; n < COUNT(sizes); n++)
        for (size_t k = 0; k < COUNT(sizes); k++) scalar_sums_are_exact(3, sizes[n], sizes[k], mixed, mixed);
    scalar_sums_are_exact(1, 2, PANELS_S8_MAX_K, largest, largest);
    scalar_sums_are_exact(1, 2, PANELS_S8_MAX_K, lowest, largest);
    scalar_sums_are_exact(1, 2, PANELS_S8_MAX_K, lowest, lowest);
}

static void run_level(const Operands *o, PanelsS8Multiply *multiply)
{
    PanelsS8Widen *widen = panels_s8_widen_for(multiply);
    PanelsS8Matmul matmul = o->p;

    matmul.wide_x = o->wide_x;
    for (size_t r = 0; widen && r < matmul.rows; r++)
        widen(o->x + r * matmul.ldx, panels_s8_width(matmul.k), o->wide_x + r * matmul.ldx);
    fill_out(o);
    multiply(&matmul);
}

static void check_level(const Operands *o, PanelsS8Multiply *multiply, CpuLevel level, const float *want)
{
    run_level(o, multiply);
    if (memcmp(o->out, want, o->p.rows * o->p.ldo * sizeof *want) != 0) /* the gaps between rows must not change */
        fail_msg("%s: %zu rows, n %zu, k %zu", cpu_level_name(level), o->p.rows, o->p.n, o->p.k);
}

/* Compares every level of this machine with the scalar one, also with plain rows, which are stored from the last one to
 * the first. */
static void check_levels(size_t rows, size_t n, size_t k, Numbers of_x, Numbers of_matrix)
{
    Operands o = new_operands(rows, n, k, of_x, of_matrix, (rows + n + k) % 2), plain = o;
    const size_t width = panels_s8_width(k);
    FREED float *want = support_alloc(rows * o.p.ldo * sizeof *want);
    FREED int8_t *numbers = support_alloc(n * width);
    int32_t *ids = support_alloc(n * sizeof *ids);

    fill_out(&o);
    panels_s8_multiply_scalar(&o.p);
    memcpy(want, o.out, rows * o.p.ldo * sizeof *want);
    for (size_t j = 0; j < n; j++) {
        ids[j] = (int32_t)(n - 1 - j);
        for (size_t i = 0; i < k; i++) numbers[(size_t)ids[j] * width + i] = o.panels[panels_s8_at(j, i, k)];
    }
    plain.p.panels = numbers;
    plain.p.ids = ids;
    for (CpuLevel level = CPU_SCALAR; level < CPU_LEVELS; level++) {
        if (!cpu_has(level)) continue;
        check_level(&o, panels_s8_at_level(level), level, want);
        check_level(&plain, listed_s8_at_level(level), level, want);
    }
    free(ids);
    free_operands(&o);
}

TEST(panels_and_listed_rows_give_the_scalar_bits_on_every_level)
{
    static const size_t rows[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 31, 33, 40, 64, 67 };
    static const size_t ns[] = { 1, 15, 16, 17, 33, 64, 70, 79, 144 };
    static const size_t ks[] = { 1, 4, 63, 64, 65, 130, 256, 577 };

    for (size_t r = 0; r < COUNT(rows); r++)
        for (size_t n = 0; n < COUNT(ns); n++)
            for (size_t k = 0; k < COUNT(ks); k++) check_levels(rows[r], ns[n], ks[k], mixed, mixed);
    for (int level = 0; level < CPU_LEVELS; level++)
        if (!cpu_has((CpuLevel)level)) print_message("not on this machine: %s\n", cpu_level_name((CpuLevel)level));
}

TEST(neither_saturates_nor_overflows)
{
    const Numbers numbers[] = { largest, lowest, corners };

    for (size_t x = 0; x < COUNT(numbers); x++)
        for (size_t m = 0; m < COUNT(numbers); m++) {
            check_levels(6, 80, 256, numbers[x], numbers[m]);
            check_levels(1, 17, PANELS_S8_MAX_K, numbers[x], numbers[m]);
            check_levels(7, 3, PANELS_S8_MAX_K, numbers[x], numbers[m]);
            for (size_t rows = 1; rows <= 6; rows++) check_levels(rows, 33, 1090, numbers[x], numbers[m]);
        }
}

/* 128 does not fit a signed byte, so a level that takes |x| must treat it as unsigned. 2100 of k need
 * several steps where a level divides k. */
TEST(multiplies_x_of_minus_128)
{
    const Numbers of_x[] = { least, least_and_largest }, of_matrix[] = { largest, lowest, corners };

    for (size_t x = 0; x < COUNT(of_x); x++)
        for (size_t m = 0; m < COUNT(of_matrix); m++) {
            scalar_sums_are_exact(3, 17, 130, of_x[x], of_matrix[m]);
            for (size_t rows = 1; rows <= 7; rows++) {
                check_levels(rows, 33, 130, of_x[x], of_matrix[m]);
                check_levels(rows, 145, 2100, of_x[x], of_matrix[m]);
            }
        }
}

/* Computes row 0 alone and with other rows, at every level. */
TEST(rows_do_not_affect_each_other)
{
    enum { ROWS = 35, N = 70, K = 96 };

    for (int level = CPU_SCALAR; level < CPU_LEVELS; level++) {
        Operands o = new_operands(ROWS, N, K, mixed, corners, true);
        float alone[N];
        if (!cpu_has((CpuLevel)level)) {
            free_operands(&o);
            continue;
        }
        o.p.rows = 1;
        run_level(&o, panels_s8_at_level((CpuLevel)level));
        memcpy(alone, o.out, sizeof alone);
        for (o.p.rows = 2; o.p.rows <= ROWS; o.p.rows++) {
            run_level(&o, panels_s8_at_level((CpuLevel)level));
            assert_memory_equal(o.out, alone, sizeof alone);
        }
        free_operands(&o);
    }
}

TEST(writes_nothing_for_zero_rows)
{
    Operands o = new_operands(1, 5, 5, mixed, mixed, true);

    fill_out(&o);
    o.p.rows = 0;
    for (int level = CPU_SCALAR; level < CPU_LEVELS; level++)
        if (cpu_has((CpuLevel)level)) panels_s8_at_level((CpuLevel)level)(&o.p);
    for (size_t i = 0; i < 5; i++) assert_true(o.out[i] == 42);
    free_operands(&o);
}

TEST(environment_variable_lowers_the_level_and_never_raises_it)
{
    CpuLevel best;

    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
    best = cpu_level();
    for (int level = CPU_SCALAR; level < CPU_LEVELS; level++) {
        assert_int_equal(setenv("DRAGOMAN_CPU", cpu_level_name((CpuLevel)level), 1), 0);
        assert_true(cpu_has(cpu_level()) && cpu_level() <= best && (int)cpu_level() <= level);
        if (cpu_has((CpuLevel)level)) assert_int_equal(cpu_level(), level);
    }
    assert_int_equal(setenv("DRAGOMAN_CPU", "no such level", 1), 0);
    assert_int_equal(cpu_level(), best);
    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
}

TEST(reports_unknown_and_unsupported_levels)
{
    CpuLevel best;
    Err err;

    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
    best = cpu_level();
    assert_int_equal(cpu_check_wanted(&err), OK);
    for (int level = CPU_SCALAR; level < CPU_LEVELS; level++) {
        assert_int_equal(setenv("DRAGOMAN_CPU", cpu_level_name((CpuLevel)level), 1), 0);
        assert_int_equal(cpu_check_wanted(&err), cpu_has((CpuLevel)level) ? OK : ERR_UNSUPPORTED);
    }
    assert_int_equal(setenv("DRAGOMAN_CPU", "SCALAR", 1), 0);
    assert_int_equal(cpu_check_wanted(&err), OK);
    assert_int_equal(cpu_level(), CPU_SCALAR);
    assert_int_equal(setenv("DRAGOMAN_CPU", "", 1), 0);
    assert_int_equal(cpu_check_wanted(&err), OK);
    assert_int_equal(cpu_level(), best);
    assert_int_equal(setenv("DRAGOMAN_CPU", "avx3", 1), 0);
    assert_int_equal(cpu_check_wanted(&err), ERR_USAGE);
    assert_non_null(strstr(err.text, "avx3"));
    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
}

TESTS(test_panels_s8);
