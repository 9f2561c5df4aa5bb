/* confidence_fit.c - see confidence_fit.h. */
#include "confidence_fit.h"

#include <math.h>
#include <string.h>

#define RIDGE         1.0
#define MOST_STEPS    50
#define MOST_HALVINGS 30
#define TOLERANCE     1e-10 /* of the likelihood */

enum { F = CALIBRATION_FEATURES, N = F + 1 }; /* the last variable is the bias */

typedef struct {
    const ConfidenceExample *examples; /* [count] */
    size_t count;
    double mean[F], deviation[F]; /* deviation 1 for a feature that is constant */
} Problem;

static void standardize(Problem *p)
{
    const double n = (double)p->count;

    for (size_t f = 0; f < F; f++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < p->count; i++) sum += p->examples[i].features[f];
        p->mean[f] = sum / n;
        for (size_t i = 0; i < p->count; i++) {
            const double x = p->examples[i].features[f] - p->mean[f];
            squares += x * x;
        }
        p->deviation[f] = squares > 0 ? sqrt(squares / n) : 1;
    }
}

static void variables_of(const Problem *p, size_t i, double x[N])
{
    for (size_t f = 0; f < F; f++) x[f] = (p->examples[i].features[f] - p->mean[f]) / p->deviation[f];
    x[F] = 1;
}

static double dot(const double a[N], const double b[N])
{
    double sum = 0;

    for (size_t k = 0; k < N; k++) sum += a[k] * b[k];
    return sum;
}

/* The value to maximize. */
static double likelihood(const Problem *p, const double w[N])
{
    double sum = 0, x[N];

    for (size_t i = 0; i < p->count; i++) {
        variables_of(p, i, x);
        const double z = p->examples[i].good ? dot(w, x) : -dot(w, x);
        sum -= z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z;
    }
    for (size_t f = 0; f < F; f++) sum -= RIDGE / 2 * w[f] * w[f];
    return sum;
}

/* Sets the gradient of the likelihood, and minus its second derivatives. */
static void differentiate(const Problem *p, const double w[N], double gradient[N], double hessian[N][N])
{
    double x[N];

    memset(hessian, 0, N * sizeof *hessian);
    for (size_t k = 0; k < N; k++) {
        gradient[k] = k < F ? -RIDGE * w[k] : 0;
        hessian[k][k] = k < F ? RIDGE : 0;
    }
    for (size_t i = 0; i < p->count; i++) {
        variables_of(p, i, x);
        const double probability = 1 / (1 + exp(-dot(w, x))), weight = probability * (1 - probability);
        for (size_t k = 0; k < N; k++) {
            gradient[k] += (p->examples[i].good - probability) * x[k];
            for (size_t l = 0; l < N; l++) hessian[k][l] += weight * x[k] * x[l];
        }
    }
}

/* Solves a y = b for a positive definite matrix, by elimination; b becomes y. Returns false if it is singular. */
static bool solve(double a[N][N], double b[N])
{
    for (size_t k = 0; k < N; k++) {
        if (!(a[k][k] > 1e-12)) return false;
        for (size_t r = k + 1; r < N; r++) {
            const double factor = a[r][k] / a[k][k];
            for (size_t c = k; c < N; c++) a[r][c] -= factor * a[k][c];
            b[r] -= factor * b[k];
        }
    }
    for (size_t k = N; k-- > 0;) {
        for (size_t c = k + 1; c < N; c++) b[k] -= a[k][c] * b[c];
        b[k] /= a[k][k];
    }
    return true;
}

/* Adds the step, halved until it improves the likelihood. Returns the improvement; 0 if there is none. */
static double improve(const Problem *p, double w[N], const double step[N])
{
    const double before = likelihood(p, w);

    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++) {
        double next[N];
        for (size_t k = 0; k < N; k++) next[k] = w[k] + ldexp(step[k], -halvings);
        const double after = likelihood(p, next);
        if (!(after > before)) continue;
        memcpy(w, next, sizeof next);
        return after - before;
    }
    return 0;
}

static void maximize(const Problem *p, double w[N])
{
    double gradient[N], hessian[N][N], gain = 1;

    for (int step = 0; step < MOST_STEPS && gain > TOLERANCE; step++) {
        differentiate(p, w, gradient, hessian);
        gain = solve(hessian, gradient) ? improve(p, w, gradient) : 0;
    }
}

bool confidence_fit(ConfidenceFit *out, const ConfidenceExample *examples, size_t count)
{
    Problem p = { .examples = examples, .count = count };
    double w[N] = { 0 };
    size_t good = 0;

    for (size_t i = 0; i < count; i++) good += examples[i].good;
    if (good < CONFIDENCE_FIT_LEAST || count - good < CONFIDENCE_FIT_LEAST) return false;
    standardize(&p);
    maximize(&p, w);
    *out = (ConfidenceFit){ .bias = w[F], .pairs = count, .good = good };
    for (size_t f = 0; f < F; f++) {
        out->weights[f] = w[f] / p.deviation[f];
        out->bias -= out->weights[f] * p.mean[f];
    }
    return true;
}
