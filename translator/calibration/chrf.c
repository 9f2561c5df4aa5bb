/* chrf.c - see chrf.h. The n-grams of a text are sorted once, by ORDERS characters; in this order those of every
 * smaller length are sorted, too, so each order is one merge of two lists. */
#include "chrf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { ORDERS = 6, BETA_SQUARED = 4 };

/* The characters from one place on; 0 after the end. */
typedef struct {
    uint32_t codes[ORDERS];
} Gram;

typedef struct {
    Gram *grams; /* [count], one for each character, sorted */
    size_t count;
} Grams;

static int compare(const Gram *a, const Gram *b, size_t order)
{
    for (size_t i = 0; i < order; i++)
        if (a->codes[i] != b->codes[i]) return a->codes[i] < b->codes[i] ? -1 : 1;
    return 0;
}

static int by_all_codes(const void *left, const void *right)
{
    return compare(left, right, ORDERS);
}

static Status read_grams(Grams *out, const char *text, size_t len, Err *err)
{
    *out = (Grams){ calloc(len + 1, sizeof *out->grams), 0 };
    if (!out->grams) return err_memory(err, "a translation");
    for (size_t at = 0; at < len;) {
        uint32_t code;
        at += utf8_next(text + at, len - at, &code);
        if (!utf8_is_space(code)) out->grams[out->count++].codes[0] = code;
    }
    for (size_t i = 0; i < out->count; i++)
        for (size_t n = 1; n < ORDERS && i + n < out->count; n++) out->grams[i].codes[n] = out->grams[i + n].codes[0];
    qsort(out->grams, out->count, sizeof *out->grams, by_all_codes);
    return OK;
}

/* The next gram of at least this order from *at on, or NULL. */
static const Gram *next_gram(const Grams *grams, size_t order, size_t *at)
{
    while (*at < grams->count && !grams->grams[*at].codes[order - 1]) ++*at;
    return *at < grams->count ? &grams->grams[*at] : NULL;
}

/* The n-grams that both have; one that occurs several times counts as often as it occurs in both. */
static size_t count_common(const Grams *a, const Grams *b, size_t order)
{
    size_t i = 0, k = 0, common = 0;
    const Gram *left, *right;

    while ((left = next_gram(a, order, &i)) && (right = next_gram(b, order, &k))) {
        const int sign = compare(left, right, order);
        common += sign == 0;
        i += sign <= 0;
        k += sign >= 0;
    }
    return common;
}

static double score(const Grams *translation, const Grams *reference)
{
    double precision = 0, recall = 0;
    size_t orders = 0;

    for (size_t n = 1; n <= ORDERS && n <= translation->count && n <= reference->count; n++, orders++) {
        const double common = (double)count_common(translation, reference, n);
        precision += common / (double)(translation->count - n + 1);
        recall += common / (double)(reference->count - n + 1);
    }
    if (precision + recall <= 0) return 0;
    precision /= (double)orders;
    recall /= (double)orders;
    return 100 * (1 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall);
}

Status chrf(double *out, const char *translation, size_t len, const char *reference, size_t reference_len, Err *err)
{
    Grams a, b = { 0 };
    Status st = read_grams(&a, translation, len, err);

    if (st == OK) st = read_grams(&b, reference, reference_len, err);
    if (st == OK) *out = score(&a, &b);
    free(a.grams);
    free(b.grams);
    return st;
}
