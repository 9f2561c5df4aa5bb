/* pair_sample.c - see pair_sample.h. */
#include "pair_sample.h"

#include <stdlib.h>

static void pair_free(SamplePair *pair)
{
    encoding_free(&pair->encoding);
    ids_free(&pair->target_ids);
    buf_free(&pair->source);
    buf_free(&pair->target);
}

void pair_sample_free(PairSample *sample)
{
    for (size_t i = 0; i < sample->count; i++) pair_free(&sample->pairs[i]);
    free(sample->pairs);
    *sample = (PairSample){ 0 };
}

static void drop_every_second(PairSample *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++)
        if (i % 2)
            pair_free(&s->pairs[i]);
        else
            s->pairs[kept++] = s->pairs[i];
    s->count = kept;
    s->stride *= 2;
}

static Status copy(SamplePair *out, const ParallelText *text, Err *err)
{
    const Encoding *from = &text->encoding;
    Status st;

    *out = (SamplePair){ .encoding = { .body = from->body, .pieces = from->pieces } };
    st = ids_append_all(&out->encoding.ids, from->ids.data, from->ids.len, err);
    if (st == OK) st = ids_append_all(&out->target_ids, text->target_ids.data, text->target_ids.len, err);
    if (st == OK) st = buf_append(&out->source, text->source.data, text->source.len, err);
    return st == OK ? buf_append(&out->target, text->target.data, text->target.len, err) : st;
}

Status pair_sample_add(PairSample *sample, const ParallelText *text, Err *err)
{
    PairSample *s = sample;
    const size_t number = s->seen++;
    Status st;

    if (!s->stride) s->stride = 1;
    if (number % s->stride) return OK;
    if (s->count == s->most) drop_every_second(s);
    if (number % s->stride) return OK;
    st = buf_grow_list(&s->pairs, &s->cap, s->count, 1, sizeof *s->pairs, "the sentence pairs", err);
    return st == OK ? copy(&s->pairs[s->count++], text, err) : st;
}
