/* link_lexicon.c - see link_lexicon.h. */
#include "link_lexicon.h"

#include <math.h>
#include <stdlib.h>

#include "lexicon.h"

/* Translations kept for each id. */
#define KEPT 200

struct LinkLexicon {
    Lexicon *forward, *backward; /* source to target, and target to the source without its special tokens */
    int32_t end;
    IdList ended; /* the target with its end */
};

Status link_lexicon_new(LinkLexicon **out, size_t source_size, size_t target_size, int32_t end, Err *err)
{
    LinkLexicon *l = calloc(1, sizeof *l);
    Status st = l ? lexicon_new(&l->forward, source_size, target_size, err) : err_memory(err, "a lexicon");

    *out = NULL;
    /* NOLINTNEXTLINE(readability-suspicious-call-argument): the other direction */
    if (st == OK) st = lexicon_new(&l->backward, target_size, source_size, err);
    if (st == OK) {
        l->end = end;
        *out = l;
    } else {
        link_lexicon_free(l);
    }
    return st;
}

void link_lexicon_free(LinkLexicon *lexicon)
{
    if (!lexicon) return;
    lexicon_free(lexicon->forward);
    lexicon_free(lexicon->backward);
    ids_free(&lexicon->ended);
    free(lexicon);
}

static Status append_end(LinkLexicon *l, const IdList *target, Err *err)
{
    Status st;

    ids_clear(&l->ended);
    st = ids_append_all(&l->ended, target->data, target->len, err);
    return st == OK ? ids_append(&l->ended, l->end, err) : st;
}

Status link_lexicon_add(LinkLexicon *lexicon, const Encoding *source, const IdList *target, bool *full, Err *err)
{
    LinkLexicon *l = lexicon;
    Status st = append_end(l, target, err);

    *full = false;
    if (st == OK) st = lexicon_add(l->forward, source->ids.data, source->ids.len, target->data, target->len, full, err);
    if (st != OK || *full) return st;
    return lexicon_add(l->backward, l->ended.data, l->ended.len, source->ids.data + source->body, source->pieces, full,
                       err);
}

Status link_lexicon_learn(LinkLexicon *lexicon, Err *err)
{
    Status st = lexicon_learn(lexicon->forward, KEPT, err);

    return st == OK ? lexicon_learn(lexicon->backward, KEPT, err) : st;
}

/* Returns the index of the id in from[count] that becomes `to` with the highest probability, or -1. Of equal ones, such
 * as the same id twice, the one closest to the diagonal; `place` in [0, 1] is that of `to` in its sentence. */
static int32_t best_origin(const Lexicon *lexicon, const int32_t *from, size_t count, int32_t to, double place)
{
    float most = 0;
    double nearest = 0;
    int32_t best = -1;

    for (size_t i = 0; i < count; i++) {
        const float probability = lexicon_probability(lexicon, from[i], to);
        const double distance = fabs(((double)i + 0.5) / (double)count - place);
        if (probability < most || probability <= 0 || (probability == most && distance >= nearest)) continue;
        most = probability;
        nearest = distance;
        best = (int32_t)i;
    }
    return best;
}

Status link_lexicon_links(LinkLexicon *lexicon, const Encoding *source, const IdList *target, int32_t *links, Err *err)
{
    const LinkLexicon *l = lexicon;
    const size_t first = source->body, end = first + source->pieces;
    Status st = append_end(lexicon, target, err);

    for (size_t t = 0; st == OK && t < target->len; t++) {
        const double place = ((double)t + 0.5) / (double)target->len;
        const int32_t s = best_origin(l->forward, source->ids.data, source->ids.len, target->data[t], place);
        links[t] = -1;
        if (s < 0 || (size_t)s < first || (size_t)s >= end) continue;
        const double back = ((double)((size_t)s - first) + 0.5) / (double)source->pieces;
        if (best_origin(l->backward, l->ended.data, l->ended.len, source->ids.data[s], back) == (int32_t)t)
            links[t] = s;
    }
    return st;
}
