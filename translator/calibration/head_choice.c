/* head_choice.c - see head_choice.h. */
#include "head_choice.h"

#include <stdlib.h>

typedef struct {
    size_t common, links; /* shared with the reference, and all */
} Counts;

enum { SHIFTS = 2 };

struct HeadChoice {
    size_t layers, heads;
    Counts *counts; /* [layers, heads + 1, SHIFTS]; the last head of a layer is the mean of the others */
    size_t reference;
};

Status head_choice_new(HeadChoice **out, size_t layers, size_t heads, Err *err)
{
    HeadChoice *c = calloc(1, sizeof *c);

    *out = NULL;
    if (c) c->counts = calloc(layers * (heads + 1) * SHIFTS + 1, sizeof *c->counts);
    if (!c || !c->counts) {
        head_choice_free(c);
        return err_memory(err, "the agreement of the heads");
    }
    c->layers = layers;
    c->heads = heads;
    *out = c;
    return OK;
}

void head_choice_free(HeadChoice *choice)
{
    if (!choice) return;
    free(choice->counts);
    free(choice);
}

/* The weight of source token s in row `row` of head `head` of a layer, or of the sum of its heads. */
static float weight(const HeadChoice *c, const HeadChoicePair *p, size_t layer, size_t head, size_t row, size_t s)
{
    const size_t plane = (p->target_len + 1) * p->source_len;
    const float *first = p->attention + layer * c->heads * plane + row * p->source_len + s;
    float sum = 0;

    if (head < c->heads) return first[head * plane];
    for (size_t h = 0; h < c->heads; h++) sum += first[h * plane];
    return sum;
}

/* Returns the source token with the largest weight, or -1 if it is a special token. */
static int32_t link_of(const HeadChoice *c, const HeadChoicePair *p, size_t layer, size_t head, size_t row)
{
    size_t best = 0;
    float most = weight(c, p, layer, head, row, 0);

    for (size_t s = 1; s < p->source_len; s++) {
        const float w = weight(c, p, layer, head, row, s);
        if (w > most) best = s;
        if (w > most) most = w;
    }
    return best >= p->body && best < p->body + p->pieces ? (int32_t)best : -1;
}

static void count_links(Counts *counts, const HeadChoice *c, const HeadChoicePair *p, size_t layer, size_t head,
                        size_t shift)
{
    for (size_t t = 0; t < p->target_len; t++) {
        const int32_t link = link_of(c, p, layer, head, t + shift);
        counts->links += link >= 0;
        counts->common += link >= 0 && link == p->links[t];
    }
}

void head_choice_add(HeadChoice *choice, const HeadChoicePair *pair)
{
    Counts *counts = choice->counts;

    for (size_t t = 0; t < pair->target_len; t++) choice->reference += pair->links[t] >= 0;
    for (size_t layer = 0; layer < choice->layers; layer++)
        for (size_t head = 0; head <= choice->heads; head++)
            for (size_t shift = 0; shift < SHIFTS; shift++) count_links(counts++, choice, pair, layer, head, shift);
}

static double agreement(const HeadChoice *c, const Counts *counts)
{
    const size_t both = counts->links + c->reference;

    return both ? 2.0 * (double)counts->common / (double)both : 0;
}

double head_choice_best(const HeadChoice *choice, AlignmentConfig *out)
{
    const size_t per_layer = (choice->heads + 1) * SHIFTS;
    size_t best = 0;

    for (size_t i = 1; i < choice->layers * per_layer; i++)
        if (agreement(choice, &choice->counts[i]) > agreement(choice, &choice->counts[best])) best = i;
    const size_t head = best % per_layer / SHIFTS;
    *out = (AlignmentConfig){ .layer_from_end = choice->layers - best / per_layer,
                              .first_head = head < choice->heads ? head : 0,
                              .heads = head < choice->heads ? 1 : 0,
                              .shift = best % SHIFTS };
    return agreement(choice, &choice->counts[best]);
}
