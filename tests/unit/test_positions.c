/* test_positions.c - compares positions with the values of transformers 4.57.1. */
#include "test_support.h"

#include <math.h>

#include "positions.h"

static const long distances[] = { -300, -128, -127, -91, -90, -64, -46, -32, -23, -16, -11, -8, -7,
                                  -1,   0,    1,    7,   8,   12,  16,  31,  64,  113, 128, 500 };

static void check_buckets(bool both, size_t buckets, size_t max_distance, const size_t *want)
{
    for (size_t i = 0; i < COUNT(distances); i++)
        assert_int_equal(positions_bucket(distances[i], both, buckets, max_distance), want[i]);
}

TEST(computes_the_buckets_of_t5)
{
    static const size_t both_32[] = { 15, 15, 15, 15, 14, 14, 13, 12, 11, 10, 8,  8, 7,
                                      1,  0,  17, 23, 24, 25, 26, 27, 30, 31, 31, 31 };
    static const size_t past_32[] = { 31, 31, 31, 29, 29, 26, 24, 21, 18, 16, 11, 8, 7,
                                      1,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0 };
    static const size_t both_10[] = { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 1, 0, 6, 8, 8, 9, 9, 9, 9, 9, 9, 9 };
    static const size_t past_10[] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 7, 6, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

    check_buckets(true, 32, 128, both_32);
    check_buckets(false, 32, 128, past_32);
    check_buckets(true, 10, 20, both_10);
    check_buckets(false, 10, 20, past_10);
}

TEST(bias_row_looks_up_each_distance_and_saturates)
{
    float values[2 * 7], row[6];
    RelativeBias bias = { .max_distance = 3, .heads = 2, .values = values };

    for (size_t i = 0; i < COUNT(values); i++) values[i] = (float)i;
    positions_bias_row(&bias, 1, 4, 6, row); /* distances -4 .. 1 from value 7 + 3 on */
    assert_true(row[0] == 7 && row[1] == 7 && row[2] == 8 && row[3] == 9 && row[4] == 10 && row[5] == 11);
    positions_bias_row(&bias, 0, 0, 6, row);
    assert_true(row[0] == 3 && row[1] == 4 && row[2] == 5 && row[3] == 6 && row[4] == 6 && row[5] == 6);
}

static PositionTable *new_table(PositionKind kind, size_t offset, size_t max, size_t d)
{
    const ModelConfig config = { .d_model = d, .positions = { .kind = kind, .offset = offset, .max = max } };
    PositionTable *table;
    Err err;

    assert_ok(position_table_new(&table, &config, NULL, &err), &err);
    return table;
}

TEST(tensor2tensor_positions_follow_the_f32_angles)
{
    static const float want[2][6] = {
        { 0.9092974066734314F, 0.019998665899038315F, 0.0001999999803956598F, -0.416146844625473F, 0.9998000264167786F,
          1.0F },
        { 0.745173454284668F, -0.7346984148025513F, 0.1023206040263176F, 0.666870653629303F, -0.6783938407897949F,
          0.9947514533996582F },
    };
    PositionTable *table = new_table(POSITIONS_TENSOR2TENSOR, 2, 1024, 6);
    const float *odd;

    for (size_t i = 0; i < 6; i++) {
        assert_true(fabsf(position_table_row(table, 0)[i] - want[0][i]) < 1e-6F);
        assert_true(fabsf(position_table_row(table, 1023)[i] - want[1][i]) < 1e-6F);
    }
    position_table_free(table);
    table = new_table(POSITIONS_TENSOR2TENSOR, 4, 1, 5);
    odd = position_table_row(table, 0);
    assert_true(fabsf(odd[1] - 0.00039999999F) < 1e-7F && fabsf(odd[2] + 0.653643608F) < 1e-6F && odd[4] == 0);
    position_table_free(table);
}

TEST(a_table_computes_the_rows_that_are_read)
{
    static const size_t order[] = { 3, 0, 49, 16, 17 };
    PositionTable *table = new_table(POSITIONS_HALVES, 0, 50, 5);

    for (size_t i = 0; i < COUNT(order); i++)
        for (size_t j = 0; j < 5; j++) {
            const double angle = (double)order[i] / pow(10000, 2.0 * (double)(j % 3) / 5);
            assert_true(position_table_row(table, order[i])[j] == (float)(j < 3 ? sin(angle) : cos(angle)));
        }
    position_table_free(table);
}

TESTS(test_positions);
