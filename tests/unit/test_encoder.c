/* test_encoder.c - compares the encoder with the same formulas in double precision:
 * short, ragged and very long sentences, with and without relative biases, windows and a cap of scores. */
#include "test_support.h"

#include <math.h>

#include "encoder.h"
#include "gemm.h"

enum { HEADS = 2, SIZE = 3, WIDTH = HEADS * SIZE, FFN = 5, VOCAB = 9, POSITIONS = 1100, FAR = 40 };

typedef struct {
    Model model;
    Layer layer;
    Linear ffn[2];
    float positions[POSITIONS * WIDTH];
    float biases[3 * WIDTH + FFN + 6 * WIDTH];
    float by_distance[HEADS * (2 * FAR + 1)];
    RelativeBias relative;
} Tiny;

static float number(unsigned *seed)
{
    return (float)support_random(seed) / 8388608.0F - 1;
}

static Matrix *random_matrix(size_t n, size_t k, unsigned *seed)
{
    FREED float *values = calloc(n * k, sizeof *values);
    Matrix *m;
    Err err;

    assert_non_null(values);
    assert_ok(matrix_new(&m, n, k, DTYPE_F32, &err), &err);
    for (size_t i = 0; i < n * k; i++) values[i] = number(seed);
    matrix_set_rows(m, 0, n, values);
    return m;
}

static Tiny *tiny_new(bool relative, size_t window, float cap)
{
    Tiny *t = calloc(1, sizeof *t);
    SelfAttention *self = &t->layer.self;
    FeedForward *ffn = &t->layer.ffn;
    unsigned seed = 3;

    assert_non_null(t);
    for (size_t i = 0; i < COUNT(t->positions); i++) t->positions[i] = number(&seed);
    for (size_t i = 0; i < COUNT(t->biases); i++) t->biases[i] = number(&seed);
    for (size_t i = 0; relative && i < COUNT(t->by_distance); i++) t->by_distance[i] = 3 * number(&seed);
    t->relative = (RelativeBias){ .max_distance = FAR, .heads = HEADS, .values = t->by_distance };
    if (relative) self->bias = &t->relative;
    self->window = window;
    self->qkv = (Linear){ random_matrix(3 * WIDTH, WIDTH, &seed), t->biases };
    self->output = (Linear){ random_matrix(WIDTH, WIDTH, &seed), t->biases + 3 * WIDTH };
    self->norms.after = (Norm){ t->biases + 4 * WIDTH, t->biases + 5 * WIDTH };
    t->ffn[0] = (Linear){ random_matrix(FFN, WIDTH, &seed), t->biases + 6 * WIDTH };
    t->ffn[1] = (Linear){ random_matrix(WIDTH, FFN, &seed), t->biases + 6 * WIDTH + FFN };
    ffn->norms.after = (Norm){ t->biases + 7 * WIDTH + FFN, t->biases + 8 * WIDTH + FFN };
    ffn->mlp = (Mlp){ .linears = t->ffn, .count = 2, .activated = 1, .activation = ACTIVATION_RELU };
    t->model.config =
        (ModelConfig){ .d_model = WIDTH,
                       .encoder = { .layers = 1, .heads = HEADS, .head_size = SIZE, .ffn = FFN, .vocab = VOCAB },
                       .sublayer = sublayer_config(false, false),
                       .norm.eps = 1e-5F,
                       .positions.max = POSITIONS,
                       .attention.relative_bias = { .buckets = relative ? 8 : 0, .max_distance = FAR },
                       .attention.score_cap = cap,
                       .positions.padding_id = -1,
                       .embedding.scale = 1.5F };
    t->model.encoder_ends.embeddings = random_matrix(VOCAB, WIDTH, &seed);
    t->model.encoder_ends.positions = t->positions;
    t->model.encoder = &t->layer;
    return t;
}

static void tiny_free(Tiny *t)
{
    matrix_free(t->layer.self.qkv.weight);
    matrix_free(t->layer.self.output.weight);
    matrix_free(t->ffn[0].weight);
    matrix_free(t->ffn[1].weight);
    matrix_free(t->model.encoder_ends.embeddings);
    free(t);
}

static void linear(const Linear *l, const double *x, double *out)
{
    size_t n = matrix_n(l->weight), k = matrix_k(l->weight);

    for (size_t j = 0; j < n; j++) {
        float row[WIDTH];
        matrix_get_row(l->weight, j, row);
        out[j] = l->bias[j];
        for (size_t i = 0; i < k; i++) out[j] += (double)row[i] * x[i];
    }
}

static void add_norm(const Norm *norm, double *x, const double *y)
{
    double mean = 0, variance = 0;

    for (size_t i = 0; i < WIDTH; i++) mean += (x[i] += y[i]) / WIDTH;
    for (size_t i = 0; i < WIDTH; i++) variance += (x[i] - mean) * (x[i] - mean) / WIDTH;
    for (size_t i = 0; i < WIDTH; i++)
        x[i] = (x[i] - mean) / sqrt(variance + 1e-5) * (double)norm->scale[i] + (double)norm->shift[i];
}

/* 0 in a model without biases. */
static double bias_of(const Tiny *t, size_t head, size_t query, size_t key)
{
    long distance = (long)key - (long)query;

    if (distance > FAR) distance = FAR;
    if (distance < -FAR) distance = -FAR;
    return (double)t->by_distance[head * (2 * FAR + 1) + (size_t)(distance + FAR)];
}

/* Whether the window hides the key from the query. */
static bool is_hidden(const Tiny *t, size_t query, size_t key)
{
    const size_t window = t->layer.self.window;

    return window && (key < query ? query - key : key - query) >= window;
}

/* context[WIDTH] of query `row` from qkv[length][3 * WIDTH]. */
static void attend(const Tiny *t, double (*qkv)[3 * WIDTH], size_t row, size_t length, double *context)
{
    const double cap = (double)t->model.config.attention.score_cap;

    for (size_t h = 0; h < HEADS; h++) {
        double sum = 0, out[SIZE] = { 0 };
        for (size_t j = 0; j < length; j++) {
            double dot = 0, p;
            for (size_t i = h * SIZE; i < (h + 1) * SIZE; i++) dot += qkv[row][i] * qkv[j][WIDTH + i];
            dot /= sqrt((double)SIZE);
            if (cap > 0) dot = cap * tanh(dot / cap);
            sum += p = is_hidden(t, row, j) ? 0 : exp(dot + bias_of(t, h, row, j));
            for (size_t i = 0; i < SIZE; i++) out[i] += p * qkv[j][2 * WIDTH + h * SIZE + i];
        }
        for (size_t i = 0; i < SIZE; i++) context[h * SIZE + i] = out[i] / sum;
    }
}

static void check_sentence(const Tiny *t, const int32_t *ids, size_t length, const float *got)
{
    double(*x)[WIDTH] = malloc(length * sizeof *x), (*qkv)[3 * WIDTH] = malloc(length * sizeof *qkv);
    double context[WIDTH], y[WIDTH], hidden[FFN];

    assert_true(x && qkv);
    for (size_t p = 0; p < length; p++) {
        float row[WIDTH];
        matrix_get_row(t->model.encoder_ends.embeddings, (size_t)ids[p], row);
        for (size_t i = 0; i < WIDTH; i++) x[p][i] = 1.5 * (double)row[i] + (double)t->positions[p * WIDTH + i];
        linear(&t->layer.self.qkv, x[p], qkv[p]);
    }
    for (size_t p = 0; p < length; p++) {
        attend(t, qkv, p, length, context);
        linear(&t->layer.self.output, context, y);
        add_norm(&t->layer.self.norms.after, x[p], y);
        linear(&t->ffn[0], x[p], hidden);
        for (size_t i = 0; i < FFN; i++) hidden[i] = fmax(0, hidden[i]);
        linear(&t->ffn[1], hidden, y);
        add_norm(&t->layer.ffn.norms.after, x[p], y);
        for (size_t i = 0; i < WIDTH; i++) assert_true(fabs((double)got[p * WIDTH + i] - x[p][i]) < 1e-4);
    }
    free(x);
    free(qkv);
}

static void check_groups(bool relative, size_t window, float cap)
{
    static const size_t groups[][3] = { { 1, 0, 0 },   { 7, 1, 12 },    { 512, 3, 0 },
                                        { 513, 0, 0 }, { 1, 1100, 40 }, { 2, 0, 0 } };
    Tiny *t = tiny_new(relative, window, cap);
    int32_t ids[POSITIONS];
    Encoder *encoder;
    Team *team;
    Err err;

    for (size_t i = 0; i < POSITIONS; i++) ids[i] = (int32_t)(i * i % VOCAB);
    assert_ok(encoder_new(&encoder, &t->model, kernels_get(), &err), &err);
    assert_ok(team_new(&team, 3, 0, &err), &err);
    for (size_t i = 0; i < 3 * COUNT(groups); i++) {
        size_t g = i % COUNT(groups);
        const int32_t *all[3] = { ids, ids, ids + 1 };
        const float *out;
        size_t count = 0;
        while (count < 3 && groups[g][count]) count++;
        assert_ok(encoder_run(encoder, i / COUNT(groups) == 1 ? team : NULL, all, groups[g], count, NULL, &out, &err),
                  &err);
        for (size_t s = 0; s < count; out += groups[g][s++] * WIDTH) check_sentence(t, all[s], groups[g][s], out);
    }
    encoder_free(encoder);
    team_free(team);
    tiny_free(t);
}

TEST(matches_the_formulas_for_ragged_and_long_sentences)
{
    check_groups(false, 0, 0);
}

TEST(adds_relative_biases_in_every_block_of_queries)
{
    check_groups(true, 0, 0);
}

TEST(windows_and_caps_hold_in_every_block_of_queries)
{
    check_groups(false, 30, 0.5F);
    check_groups(false, 1, 0);
}

static int set_up(void **state)
{
    Err err;

    (void)state;
    return gemm_open(&err) == OK ? 0 : 1;
}

TESTS_WITH(test_encoder, set_up, NULL);
