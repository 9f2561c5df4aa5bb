/* test_pack_golden.c - packs every golden folder and opens it again: matrices, ids and scores
 * must be equal bit for bit. */
#include "golden_folders.h"
#include "pack_support.h"
#include "search_settings.h"

#include "binder.h"
#include "model.h"
#include "model_support.h"
#include "session.h"

#define LINES     ((size_t)1) /* of a reference; the lines differ in settings, which are not used here */
#define SENTENCES ((size_t)3) /* of a line */

static char *scratch;

typedef struct {
    Model *folder, *packed;
    const char *name;
} Pair;

static void check_matrices(const Pair *pair)
{
    assert_int_equal(pair->folder->matrices.len, pair->packed->matrices.len);
    for (size_t i = 0; i < pair->folder->matrices.len; i++) {
        const Matrix *a = pair->folder->matrices.data[i], *b = pair->packed->matrices.data[i];
        size_t k = matrix_k(a);
        float *x = support_alloc(k * sizeof *x), *y = support_alloc(k * sizeof *y);
        assert_int_equal(matrix_n(a), matrix_n(b));
        assert_int_equal(k, matrix_k(b));
        for (size_t row = 0; row < matrix_n(a); row++) {
            matrix_get_row(a, row, x);
            matrix_get_row(b, row, y);
            assert_memory_equal(x, y, k * sizeof *x);
        }
        free(x);
        free(y);
    }
    assert_int_equal(model_facts(pair->folder).parameters, model_facts(pair->packed).parameters);
}

typedef struct {
    IdList ids;
    float score;
} Result;

static Session *new_session(const Model *model)
{
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, &model_config(model)->search, 0, 8, &err), &err);
    return session;
}

static Result translate(Session *session, const IdList *source)
{
    SearchInput input = { .source = source->data, .source_len = source->len };
    Result result = { .score = 0 };
    Hypothesis best;
    size_t count;
    void *tag;
    Err err;

    assert_ok(session_add(session, &input, 1, &err), &err);
    do assert_ok(session_step(session, &err), &err);
    while (!session_finished(session, &tag, &count));
    assert_true(count > 0);
    best = search_result(session_search(session), 0);
    assert_ok(ids_append_all(&result.ids, best.ids, best.len, &err), &err);
    result.score = best.score;
    return result;
}

static bool check_line(void *context, size_t number, const cJSON *json)
{
    const Pair *pair = context;
    const cJSON *sentence;
    Session *folder, *packed;
    size_t done = 0;

    if (number > LINES) return false;
    folder = new_session(pair->folder);
    packed = new_session(pair->packed);
    cJSON_ArrayForEach(sentence, cJSON_GetObjectItemCaseSensitive(json, "sentences"))
    {
        FREED_BY(ids_free) IdList source = { 0 };
        Result a, b;
        if (done++ == SENTENCES) break;
        settings_ids(&source, cJSON_GetObjectItemCaseSensitive(sentence, "source_ids"));
        a = translate(folder, &source);
        b = translate(packed, &source);
        if (a.ids.len != b.ids.len || memcmp(a.ids.data, b.ids.data, a.ids.len * sizeof *a.ids.data) != 0 ||
            memcmp(&a.score, &b.score, sizeof a.score) != 0)
            fail_msg("%s, line %zu: packed, it says something else", pair->name, number);
        ids_free(&a.ids);
        ids_free(&b.ids);
    }
    session_free(folder);
    session_free(packed);
    return done > 0;
}

static Model *open_as(const char *path, Precision precision)
{
    Model *model;
    Err err;

    assert_ok(open_model_as(&model, path, precision, &err), &err);
    return model;
}

/* A packed model refuses any other precision. */
static void check_other_precisions(const char *path, Precision precision)
{
    for (Precision other = PRECISION_F32; other <= PRECISION_INT8; other++) {
        Model *model;
        Err err;
        if (other == precision) continue;
        assert_int_equal(open_model_as(&model, path, other, &err), ERR_USAGE);
        assert_null(model);
    }
}

static void check_precision(const char *folder, Precision precision)
{
    char *path = pack_support_make(folder, precision, scratch, "packed"),
         *reference = support_path(folder, "reference.jsonl");
    Pair pair = { .name = folder };
    size_t tensors;
    Err err;

    assert_ok(model_verify(path, &tensors, &err), &err);
    assert_true(tensors > 0);
    pair.folder = open_as(folder, precision == PRECISION_AUTO ? PRECISION_F32 : precision);
    pair.packed = open_as(path, PRECISION_AUTO);
    if (precision != PRECISION_AUTO) {
        assert_int_equal(model_facts(pair.packed).precision, precision);
        check_other_precisions(path, precision);
    }
    check_matrices(&pair);
    assert_int_equal(golden_each_line(reference, check_line, &pair), LINES);
    model_free(pair.folder);
    model_free(pair.packed);
    free(reference);
    free(path);
}

static void check_folder(const char *folder)
{
    for (Precision precision = PRECISION_AUTO; precision <= PRECISION_INT8; precision++)
        check_precision(folder, precision);
}

FOLDER_TEST(packed_marian_models_translate_the_same)
{
    scratch = *state;
    golden_each_folder(GOLDEN_MARIAN, check_folder);
}

FOLDER_TEST(packed_models_of_other_families_translate_the_same)
{
    scratch = *state;
    golden_each_folder(GOLDEN_FAMILIES, check_folder);
}

FOLDER_TEST(packed_tutorial_models_translate_the_same)
{
    scratch = *state;
    golden_each_folder(GOLDEN_TUTORIALS, check_folder);
}

TESTS(test_pack_golden);
