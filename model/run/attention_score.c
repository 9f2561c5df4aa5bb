/* attention_score.c - see attention_score.h. It computes one query and one head at a time, because
 * these score functions occur in small models for learning. */
#include "attention_score.h"

#include <math.h>
#include <string.h>

bool attention_score_is_plain(const ScoreConfig *config)
{
    return config->window == WINDOW_GLOBAL && config->function != SCORE_ADDITIVE && config->function != SCORE_LOCATION;
}

float attention_score_scale(const ScoreConfig *config, size_t head_size)
{
    return config->function == SCORE_SCALED_DOT ? 1.0f / sqrtf((float)head_size) : 1.0f;
}

static const float *of_head(const ScoreWeight *weight, size_t head)
{
    return weight->values + head * weight->step;
}

/* out[size] = matrix[size, size] x, where the rows of the matrix are `stride` floats apart */
static void multiply(const ScoreSetting *s, const float *matrix, size_t stride, const float *x, float *out)
{
    for (size_t r = 0; r < s->head_size; r++) out[r] = s->kernels->dot(matrix + r * stride, x, s->head_size);
}

void attention_score_project_keys(const ScoreSetting *setting, float *k, size_t rows, size_t stride)
{
    const ScoreSetting *s = setting;
    size_t size = s->head_size;
    bool additive = s->config->function == SCORE_ADDITIVE;

    if (!additive && s->config->function != SCORE_GENERAL) return;
    for (size_t r = 0; r < rows; r++)
        for (size_t h = 0; h < s->heads; h++) {
            float *key = k + r * stride + h * size;
            const float *w = of_head(&s->weights->w, h);
            multiply(s, additive ? w + size : w, additive ? 2 * size : size, key, s->scratch);
            memcpy(key, s->scratch, size * sizeof *key);
        }
}

/* Returns the address of element `at` of the cached row j. */
static const float *cached(const AttentionRows *rows, size_t j, size_t at)
{
    return (const float *)rows->at[j] + at;
}

static void make_scores(const ScoreSetting *s, size_t head, const float *q, const AttentionRows *rows, float *scores)
{
    const size_t size = s->head_size;
    const float scale = attention_score_scale(s->config, size);
    const float *w = s->weights->w.values ? of_head(&s->weights->w, head) : NULL;
    float *projected_query = s->scratch, *sum = s->scratch + size;

    if (s->config->function == SCORE_ADDITIVE) multiply(s, w, 2 * size, q, projected_query);
    for (size_t j = 0; j < rows->count; j++) {
        if (s->config->function == SCORE_ADDITIVE) { /* v.tanh(Wq q + key) for projected keys */
            memcpy(sum, projected_query, size * sizeof *sum);
            s->kernels->add(sum, cached(rows, j, rows->key + head * size), size);
            s->kernels->activate(ACTIVATION_TANH, NULL, sum, size);
            scores[j] = s->kernels->dot(of_head(&s->weights->v, head), sum, size);
        } else {
            const bool by_location = s->config->function == SCORE_LOCATION;
            const float *other = by_location ? w + j * size : cached(rows, j, rows->key + head * size);
            scores[j] = s->kernels->dot(q, other, size) * scale;
        }
    }
}

/* The window of keys that a query attends to: [first, first + count), with the center p. */
typedef struct {
    float p;
    size_t first, count;
} Window;

static Window find_window(const ScoreSetting *s, size_t head, const float *q, size_t position, size_t keys)
{
    const float width = (float)s->config->width;
    Window window = { .count = keys };

    if (s->config->window == WINDOW_GLOBAL) return window;
    window.p = (float)(position < keys ? position : keys - 1);
    if (s->config->window == WINDOW_LOCAL_P) { /* predict the center from the query */
        float ratio;
        multiply(s, of_head(&s->weights->wp, head), s->head_size, q, s->scratch);
        s->kernels->activate(ACTIVATION_TANH, NULL, s->scratch, s->head_size);
        ratio = s->kernels->dot(of_head(&s->weights->vp, head), s->scratch, s->head_size);
        s->kernels->activate(ACTIVATION_SIGMOID, NULL, &ratio, 1);
        window.p = (float)keys * ratio;
    }
    while (window.first < keys && (float)window.first < window.p - width) window.first++;
    window.count = 0;
    while (window.first + window.count < keys && (float)(window.first + window.count) <= window.p + width)
        window.count++;
    return window;
}

void attention_score_attend(const ScoreSetting *setting, const float *q, size_t position, const AttentionRows *rows,
                            float *scores, float *out)
{
    const ScoreSetting *s = setting;
    size_t size = s->head_size;

    memset(out, 0, s->heads * size * sizeof *out);
    for (size_t h = 0; h < s->heads; h++) {
        const Window window = find_window(s, h, q + h * size, position, rows->count);
        const size_t end = window.first + window.count;
        float *all = scores + h * rows->count, *weights = all + window.first;
        make_scores(s, h, q + h * size, rows, all);
        memset(all, 0, window.first * sizeof *all);
        memset(all + end, 0, (rows->count - end) * sizeof *all);
        if (!window.count) continue;
        s->kernels->softmax(weights, window.count);
        /* Multiply the weights by a Gaussian around p; they no longer sum to 1. */
        if (s->config->window == WINDOW_LOCAL_P) {
            double half = (double)s->config->width / 2;

            for (size_t i = 0; i < window.count; i++) {
                double away = (double)(window.first + i) - (double)window.p;
                weights[i] *= (float)exp(-(away * away) / (2 * half * half));
            }
        }
        for (size_t i = 0; i < window.count; i++)
            s->kernels->embed(out + h * size, cached(rows, window.first + i, rows->value + h * size), weights[i],
                              out + h * size, size);
    }
}
