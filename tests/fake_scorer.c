/* fake_scorer.c - see fake_engine.h. */
#include "fake_engine.h"

#include "scorer.h"

struct Scorer {
    size_t max_length;
    Team *team;
};

Status scorer_new(Scorer **out, const Model *model, const SearchParams *params, size_t max_length, size_t rows,
                  Err *err)
{
    (void)model, (void)params, (void)rows, (void)err;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    (*out)->max_length = max_length;
    return OK;
}

void scorer_free(Scorer *scorer)
{
    free(scorer);
}

Status scorer_use_team(Scorer *scorer, Team *team, Err *err)
{
    (void)err;
    scorer->team = team;
    return OK;
}

Status scorer_record_attention(Scorer *scorer, const AttentionChoice *choice, Err *err)
{
    (void)scorer, (void)choice, (void)err;
    return OK;
}

/* Token t attends to source id 0 with t. */
Status scorer_run(Scorer *scorer, ScorerPair *pairs, size_t count, Err *err)
{
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        ScorerPair *pair = &pairs[i];
        assert_true(pair->target_len <= scorer->max_length && pair->target[pair->target_len - 1] == FAKE_END);
        if (pair->source[0] == FAKE_FAIL) return err_set(err, ERR_FORMAT, "scoring failed in the test");
        if (pair->source[0] == FAKE_SLOW) fake_sleep(5);
        for (size_t t = 0; t < pair->target_len; t++) {
            pair->scores[t] = -1;
            if (pair->attention) pair->attention[t * pair->source_len] = (float)t;
        }
        pair->sum = -(float)pair->target_len;
        pair->score = pair->sum / 2;
        pair->broken = pair->source[0] == FAKE_BROKEN;
    }
    return OK;
}
