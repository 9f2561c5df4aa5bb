/* sampling.c - see sampling.h. Filters that need the values in order take them from a heap, the largest first, and stop
 * as soon as the other values do not matter. */
#include "sampling.h"

#include <math.h>
#include <string.h>

#include "hash.h"

/* --- Random numbers. */

#define ROUNDS 10

PhiloxBlock philox(uint64_t key, PhiloxBlock counter)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);

    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t a = (uint64_t)0xd2511f53 * counter.words[0], b = (uint64_t)0xcd9e8d57 * counter.words[2];
        counter = (PhiloxBlock){ { (uint32_t)(b >> 32) ^ counter.words[1] ^ key0, (uint32_t)b,
                                   (uint32_t)(a >> 32) ^ counter.words[3] ^ key1, (uint32_t)a } };
        key0 += 0x9e3779b9;
        key1 += 0xbb67ae85;
    }
    return counter;
}

double philox_unit(uint64_t key, PhiloxBlock counter)
{
    const PhiloxBlock bits = philox(key, counter);
    const uint64_t high = ((uint64_t)bits.words[0] << 32 | bits.words[1]) >> 12;

    return ((double)high + 0.5) * 0x1p-52;
}

uint64_t sampling_key(uint64_t seed, const int32_t *source, size_t length)
{
    Hash64 hash = hash64_begin();

    hash64_add_number(&hash, seed);
    hash64_add_number(&hash, length);
    for (size_t i = 0; i < length; i++) hash64_add_number(&hash, (uint64_t)source[i]);
    return hash64_end(&hash);
}

/* --- Filters and draws. */

Sampler sampler_in(Arena *arena, size_t room)
{
    return (Sampler){ .kernels = kernels_get(),
                      .values = arena_alloc(arena, room, sizeof(float)),
                      .items = arena_alloc(arena, room, sizeof(SamplingItem)) };
}

/* --- A heap of items: the largest key comes first; if keys are equal, the lowest index. */

static bool goes_before(SamplingItem a, SamplingItem b)
{
    return a.key != b.key ? a.key > b.key : a.at < b.at;
}

static void sink(SamplingItem *items, size_t count, size_t at)
{
    const SamplingItem item = items[at];

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && goes_before(items[child + 1], items[child])) child++;
        if (!goes_before(items[child], item)) break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

static SamplingItem pop(SamplingItem *items, size_t *count)
{
    const SamplingItem first = items[0];

    items[0] = items[--*count];
    if (*count) sink(items, *count, 0);
    return first;
}

/* Makes a heap of the finite keys; returns their number. */
static size_t make_heap(Sampler *s, const float *keys, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (keys[i] > -INFINITY) s->items[kept++] = (SamplingItem){ keys[i], (uint32_t)i };
    for (size_t i = kept / 2; i > 0; i--) sink(s->items, kept, i - 1);
    return kept;
}

/* --- The filters. */

/* Keeps x[i] if values[i] is at least `limit`, or if x[i] is at least as large as the `least`-th largest x. */
static void keep_above(Sampler *s, float *x, size_t count, const float *values, float limit, size_t least)
{
    size_t left = make_heap(s, x, count);
    float last = INFINITY;

    if (left <= least) return;
    for (size_t i = 0; i < least; i++) last = pop(s->items, &left).key;
    for (size_t i = 0; i < count; i++)
        if (values[i] < limit && x[i] < last) x[i] = -INFINITY;
}

/* Sets s->values to the softmax or the log-softmax of x. */
static void normalize(Sampler *s, const float *x, size_t count, void (*function)(float *x, size_t count))
{
    memcpy(s->values, x, count * sizeof *x);
    function(s->values, count);
}

/* Keeps the most probable values: just enough for their probabilities to reach top_p, and at least `least`. */
static void keep_top_p(Sampler *s, float *x, size_t count, float top_p, size_t least)
{
    size_t left, taken = 0;
    double sum = 0;

    normalize(s, x, count, s->kernels->softmax);
    left = make_heap(s, x, count);
    while (left && (taken < least || sum < (double)top_p)) {
        sum += (double)s->values[pop(s->items, &left).at];
        taken++;
    }
    for (size_t i = 0; i < left; i++) x[s->items[i].at] = -INFINITY;
}

static void keep_min_p(Sampler *s, float *x, size_t count, float min_p, size_t least)
{
    float best = 0;

    normalize(s, x, count, s->kernels->softmax);
    for (size_t i = 0; i < count; i++)
        if (s->values[i] > best) best = s->values[i];
    for (size_t i = 0; i < count; i++) s->values[i] = s->values[i] < min_p * best ? 1 : 0;
    /* Exclude the values that are marked with 1, except the `least` largest ones. */
    size_t left = make_heap(s, x, count);
    /* Take the `least` largest items out of items[0..left), from which items are then excluded. */
    for (size_t i = 0; i < least && left; i++) {
        const SamplingItem item = pop(s->items, &left);
        s->items[left] = item;
    }
    for (size_t i = 0; i < left; i++)
        if (s->values[s->items[i].at] != 0) x[s->items[i].at] = -INFINITY;
}

/* The entropy, in nats, of the distribution whose log-probabilities are s->values. */
static float entropy_of(const Sampler *s, size_t count)
{
    EntropyState parts = entropy_begin();

    s->kernels->entropy_add(&parts, s->values, count, NULL);
    return s->kernels->entropy_end(&parts);
}

/* Keeps the values whose information (-log p) is nearest to the entropy, until their probabilities reach typical_p. */
static void keep_typical(Sampler *s, float *x, size_t count, float typical_p, size_t least)
{
    float entropy, limit = INFINITY;
    size_t left, taken = 0;
    double sum = 0;

    normalize(s, x, count, s->kernels->log_softmax);
    entropy = entropy_of(s, count);
    for (size_t i = 0; i < count; i++) s->values[i] = -fabsf(-s->values[i] - entropy);
    left = make_heap(s, s->values, count);
    normalize(s, x, count, s->kernels->softmax);
    while (left) {
        const SamplingItem item = pop(s->items, &left);
        sum += (double)s->values[item.at];
        if (++taken >= least) limit = item.key;
        if (taken >= least && sum >= (double)typical_p) break;
    }
    for (size_t i = 0; i < left; i++)
        if (s->items[i].key < limit) x[s->items[i].at] = -INFINITY;
}

void sampling_filter(Sampler *s, const Sampling *sampling, float *x, size_t count, size_t least)
{
    if (sampling->temperature > 0 && sampling->temperature != 1)
        for (size_t i = 0; i < count; i++) x[i] /= sampling->temperature;
    if (sampling->top_k) keep_above(s, x, count, x, INFINITY, sampling->top_k > least ? sampling->top_k : least);
    if (sampling->top_p > 0 && sampling->top_p < 1) keep_top_p(s, x, count, sampling->top_p, least);
    if (sampling->min_p > 0) keep_min_p(s, x, count, sampling->min_p, least);
    if (sampling->typical_p > 0 && sampling->typical_p < 1) keep_typical(s, x, count, sampling->typical_p, least);
    if (sampling->epsilon > 0) {
        normalize(s, x, count, s->kernels->log_softmax);
        keep_above(s, x, count, s->values, logf(sampling->epsilon), least);
    }
    if (sampling->eta > 0) {
        float limit, uncertain;
        normalize(s, x, count, s->kernels->log_softmax);
        limit = logf(sampling->eta);
        uncertain = logf(sqrtf(sampling->eta)) - entropy_of(s, count);
        keep_above(s, x, count, s->values, uncertain < limit ? uncertain : limit, least);
    }
}

size_t sampling_draw(Sampler *s, const float *x, size_t count, double unit)
{
    double sum = 0, total = 0;
    size_t last = 0;

    normalize(s, x, count, s->kernels->softmax);
    for (size_t i = 0; i < count; i++) total += (double)s->values[i];
    for (size_t i = 0; i < count; i++) {
        if (!(s->values[i] > 0)) continue;
        sum += (double)s->values[i];
        last = i;
        if (sum > unit * total) return i;
    }
    return last; /* the sum is rounded */
}
