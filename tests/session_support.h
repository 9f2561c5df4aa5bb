/* session_support.h - sessions over the golden models, for tests. */
#ifndef DRAGOMAN_SESSION_SUPPORT_H
#define DRAGOMAN_SESSION_SUPPORT_H

#include "test_support.h"

#include "model_support.h"
#include "session.h"

/* Opens a model of the golden folder. The caller frees it. */
static inline Model *session_support_open(const char *folder, Precision precision)
{
    char *path = support_path(GOLDEN_ROOT, folder);
    Model *model;
    Err err;

    assert_ok(open_model_as(&model, path, precision, &err), &err);
    free(path);
    return model;
}

/* The model's own settings, with ids that the vocabulary of a CTranslate2 model would add. The caller frees them. */
static inline SearchParams session_support_params(const Model *model, size_t beams, size_t max_length)
{
    SearchParams params;
    Err err;

    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    if (!params.eos.len) assert_ok(ids_append(&params.eos, 3, &err), &err);
    if (params.start < 0) params.start = 2;
    params.beams = params.n_best = beams;
    params.max_length = max_length;
    params.forced_bos = -1;
    return params;
}

/* Translates one sentence alone, and returns its i-th hypothesis; modulo their number, *count. */
static inline Hypothesis session_support_translate(Session *session, const SearchInput *input, size_t i, size_t *count)
{
    void *tag;
    Err err;

    assert_ok(session_add(session, input, 1, &err), &err);
    while (!session_finished(session, &tag, count)) assert_ok(session_step(session, &err), &err);
    return search_result(session_search(session), i % *count);
}

/* A model, the precision in which it is opened, and the beams with which it is searched. Models whose keys are
 * requantized depend on the other beams and so have one beam. */
typedef struct {
    const char *folder;
    Precision precision;
    size_t beams;
} SessionModel;

/* Every kind of decoder, score function and precision. */
static const SessionModel session_support_models[] = {
    { "families/bart-gelu", PRECISION_F32, 4 },           { "marian/tanh-sharded", PRECISION_BF16, 4 },
    { "marian/tanh-sharded", PRECISION_INT8, 4 },         { "families/t5-wide-heads-bin", PRECISION_INT8, 3 },
    { "marian_nmt/student", PRECISION_AUTO, 4 },          { "marian_nmt/average", PRECISION_AUTO, 4 },
    { "marian_nmt/average_pre", PRECISION_INT8, 4 },      { "marian_nmt/student_8bit", PRECISION_AUTO, 4 },
    { "marian_nmt/self_alphas", PRECISION_AUTO, 1 },      { "marian_nmt/self_shared", PRECISION_AUTO, 1 },
    { "marian_nmt/student_shared", PRECISION_AUTO, 1 },   { "transformers/score-00", PRECISION_F32, 4 },
    { "transformers/score-03", PRECISION_F32, 4 },        { "transformers/score-04", PRECISION_F32, 4 },
    { "transformers/score-10", PRECISION_F32, 4 },        { "transformers/score-13", PRECISION_F32, 4 },
    { "ctranslate2/opennmt-v5-int8", PRECISION_AUTO, 4 },
};

#endif
