/* test_trace_golden.c - compares dragoman_trace() with tests/golden/traces: output_attentions, hidden states and logits
 * of transformers, and the arithmetic of Marian's models. Also what must hold in every trace. */
#include <math.h>

#include "golden_folders.h"
#include "jsonl_rows.h"
#include "request_support.h"

#include "dragoman_tools.h"

#define TOLERANCE 1e-4
#define UNIT      1e-5 /* of the numbers in the files */

static const cJSON *member(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

static const cJSON *need(const cJSON *json, const char *key)
{
    const cJSON *value = member(json, key);

    if (!value) fail_msg("%s is missing", key);
    return value;
}

static size_t count_of(const cJSON *list)
{
    return (size_t)cJSON_GetArraySize(list);
}

static double number_at(const cJSON *list, size_t i)
{
    return cJSON_GetArrayItem(list, (int)i)->valuedouble;
}

static const char *text_or_null(const cJSON *json, const char *key)
{
    const cJSON *value = member(json, key);

    return value ? value->valuestring : NULL;
}

/* The caller frees the result with cJSON_Delete(). */
static cJSON *trace(const cJSON *row)
{
    const cJSON *beams = member(row, "beams");
    const char *text = need(row, "text")->valuestring;
    char *path = support_path(GOLDEN_ROOT, need(row, "folder")->valuestring), *json, *warnings;
    DragomanOptions *options = options_for(path);
    DragomanError error;
    cJSON *out;
    Err err;

    set_text(options, DRAGOMAN_FROM, text_or_null(row, "from"));
    set_text(options, DRAGOMAN_TO, text_or_null(row, "to"));
    set_number(options, DRAGOMAN_BEAMS, beams ? beams->valueint : 0);
    if (dragoman_trace(options, text, strlen(text), text_or_null(row, "forced"), &json, &warnings, &error) !=
        DRAGOMAN_OK)
        fail_msg("%s: %s", path, error.message);
    assert_ok(json_parse(&out, json, strlen(json), "trace", &err), &err);
    dragoman_options_free(options);
    dragoman_free_text(json);
    dragoman_free_text(warnings);
    free(path);
    return out;
}

static void check_ids(const cJSON *row, const char *key, const cJSON *got)
{
    const cJSON *wanted = need(row, key);

    if (!cJSON_Compare(got, wanted, true)) {
        char *a = json_print(got), *b = json_print(wanted);
        fail_msg("%s, %s: got %s, wanted %s", need(row, "folder")->valuestring, key, a, b);
    }
}

/* Compares a tensor of the trace with a member of the row, if the row has it. Returns the number of values. */
static size_t check_tensor(const cJSON *row, const char *key, const cJSON *tensor)
{
    const cJSON *wanted = member(row, key), *values = need(tensor, "values"), *want, *got = values->child;
    const double unit = need(tensor, "unit")->valuedouble;
    size_t i = 0;

    if (!wanted) return 0;
    assert_int_equal(count_of(values), count_of(wanted));
    for (want = wanted->child; want; want = want->next, got = got->next, i++)
        if (!(fabs(got->valuedouble * unit - want->valuedouble * UNIT) <= TOLERANCE))
            fail_msg("%s, %s, value %zu: got %.6f, wanted %.6f", need(row, "folder")->valuestring, key, i,
                     got->valuedouble * unit, want->valuedouble * UNIT);
    return i;
}

/* The sum of token and position, which are rounded to units each. */
static size_t check_embeddings(const cJSON *row, const char *key, const cJSON *both)
{
    const cJSON *wanted = member(row, key), *token = need(both, "token"), *position = need(both, "position");
    const double a = need(token, "unit")->valuedouble, b = need(position, "unit")->valuedouble;
    const cJSON *x = need(token, "values")->child, *y = need(position, "values")->child, *want;
    size_t i = 0;

    if (!wanted) return 0;
    assert_int_equal(count_of(need(token, "values")), count_of(wanted));
    for (want = wanted->child; want; want = want->next, x = x->next, y = y->next, i++)
        if (!(fabs(x->valuedouble * a + y->valuedouble * b - want->valuedouble * UNIT) <= TOLERANCE + (a + b) / 2))
            fail_msg("%s, %s, value %zu: got %.5f, wanted %.5f", need(row, "folder")->valuestring, key, i,
                     x->valuedouble * a + y->valuedouble * b, want->valuedouble * UNIT);
    return i;
}

static void check_logprob(const cJSON *row, size_t step, const cJSON *token, double wanted)
{
    const double logprob = need(token, "logprob")->valuedouble, probability = need(token, "probability")->valuedouble;

    if (!(fabs(logprob - wanted * UNIT) <= TOLERANCE))
        fail_msg("%s, step %zu: log-probability %.6f, wanted %.6f", need(row, "folder")->valuestring, step, logprob,
                 wanted * UNIT);
    assert_true(fabs(probability - exp(logprob)) < 1e-5);
}

static size_t check_steps(const cJSON *row, const cJSON *json)
{
    const cJSON *steps = need(json, "steps"), *best = need(row, "best"), *logprobs = need(row, "logprobs");
    const size_t count = count_of(need(row, "ids")), each = count_of(best) / count;

    assert_int_equal(count_of(steps), count);
    for (size_t t = 0; t < count; t++) {
        const cJSON *step = cJSON_GetArrayItem(steps, (int)t), *tokens = need(step, "best");
        assert_int_equal(count_of(tokens), each);
        for (size_t k = 0; k < each; k++)
            check_logprob(row, t, cJSON_GetArrayItem(tokens, (int)k), number_at(best, t * each + k));
        check_logprob(row, t, step, number_at(logprobs, t));
    }
    return count * each;
}

/* The weights of the alignment are the mean of their heads, each rounded to the unit. None of the models has a
 * shift. */
static void check_alignment(const cJSON *json)
{
    const cJSON *alignment = need(json, "alignment"), *heads = need(alignment, "heads"), *cross;
    const cJSON *shape = need(need(json, "cross_attention"), "shape"), *weight, *pair;
    const size_t plane = (size_t)(number_at(shape, 2) * number_at(shape, 3)), count = count_of(heads);
    double *sums = calloc(plane, sizeof *sums);
    size_t i = 0;

    assert_non_null(sums);
    assert_int_equal(need(alignment, "shift")->valueint, 0);
    cJSON_ArrayForEach(pair, heads)
    {
        const size_t head = (size_t)(number_at(pair, 0) * number_at(shape, 1) + number_at(pair, 1));
        cross = cJSON_GetArrayItem(need(need(json, "cross_attention"), "values"), (int)(head * plane));
        for (i = 0; i < plane; i++, cross = cross->next) sums[i] += cross->valuedouble / (double)count;
    }
    i = 0;
    cJSON_ArrayForEach(weight, need(need(alignment, "weights"), "values"))
    {
        assert_true(fabs(weight->valuedouble - sums[i]) <= 1.001);
        i++;
    }
    assert_int_equal(i, plane);
    free(sums);
}

/* Each row of probabilities adds up to 1; the shares of an SSRU to at most 1. */
static void check_sums(const cJSON *tensor, bool at_most)
{
    const cJSON *shape = need(tensor, "shape"), *value = need(tensor, "values")->child;
    const size_t columns = (size_t)number_at(shape, count_of(shape) - 1);

    while (value) {
        double sum = 0;
        for (size_t c = 0; c < columns; c++, value = value->next) sum += value->valuedouble * UNIT;
        assert_true(sum <= 1 + (double)columns * UNIT);
        assert_true(at_most || sum >= 1 - (double)columns * UNIT);
    }
}

/* Returns the candidate with this fate, position, parent and token, or NULL. */
static const cJSON *find_candidate(const cJSON *beam, size_t position, size_t parent, int id)
{
    const cJSON *c;

    cJSON_ArrayForEach(c, need(beam, "candidates"))
    {
        if ((size_t)need(c, "position")->valuedouble == position && (size_t)need(c, "parent")->valuedouble == parent &&
            need(c, "id")->valueint == id)
            return c;
    }
    return NULL;
}

/* Every candidate continues one that was kept in that row; sums never grow. */
static void check_parents(const cJSON *beam)
{
    const cJSON *candidates = need(beam, "candidates"), *c, *other;

    cJSON_ArrayForEach(c, candidates)
    {
        const double position = need(c, "position")->valuedouble, parent = need(c, "parent")->valuedouble;
        const cJSON *found = NULL;
        if (position <= candidates->child->child->valuedouble) continue; /* the first step has one row */
        cJSON_ArrayForEach(other, candidates)
        {
            if (need(other, "position")->valuedouble == position - 1 && member(other, "row") &&
                member(other, "row")->valuedouble == parent)
                found = other;
        }
        assert_non_null(found);
        assert_true(need(c, "sum")->valuedouble <= need(found, "sum")->valuedouble + 1e-4);
    }
}

/* The path of each result leads through kept candidates to a finished one with its score. */
static void check_result(const cJSON *beam, const cJSON *result)
{
    const cJSON *ids = need(result, "ids"), *rows = need(result, "rows"), *c = NULL;
    const size_t first = (size_t)need(need(beam, "candidates")->child, "position")->valuedouble;

    for (size_t t = first; t < count_of(ids); t++) {
        c = find_candidate(beam, t, (size_t)number_at(rows, t), (int)number_at(ids, t));
        assert_non_null(c);
        if (t + 1 < count_of(ids)) assert_int_equal(need(c, "row")->valuedouble, number_at(rows, t + 1));
    }
    assert_non_null(c);
    assert_string_equal(need(c, "fate")->valuestring, "finished");
    assert_true(need(c, "score")->valuedouble == need(result, "score")->valuedouble);
}

static void check_beam(const cJSON *json)
{
    const cJSON *beam = need(json, "beam"), *results = need(beam, "results"), *result, *c;
    const cJSON *best = cJSON_GetArrayItem(results, 0);

    assert_non_null(best);
    assert_true(cJSON_Compare(need(best, "ids"), need(need(json, "target"), "ids"), true));
    cJSON_ArrayForEach(result, results) check_result(beam, result);
    cJSON_ArrayForEach(c, need(beam, "candidates"))
    {
        if (member(c, "score")) assert_true(member(c, "score")->valuedouble <= need(best, "score")->valuedouble);
    }
    check_parents(beam);
}

static size_t check_row(const cJSON *row)
{
    cJSON *json = trace(row);
    const cJSON *embeddings = need(json, "embeddings"), *past = need(json, "decoder_self_attention");
    const bool ssru = strcmp(need(need(json, "model"), "decoder_kind")->valuestring, "SSRU") == 0;
    size_t values = 0;

    check_ids(row, "source_ids", need(need(json, "source"), "ids"));
    check_ids(row, "ids", need(need(json, "target"), "ids"));
    values += check_tensor(row, "encoder", need(json, "encoder_self_attention"));
    values += check_tensor(row, "decoder", past);
    values += check_tensor(row, "cross", need(json, "cross_attention"));
    values += check_embeddings(row, "source_embeddings", need(embeddings, "source"));
    values += check_embeddings(row, "target_embeddings", need(embeddings, "target"));
    values += check_steps(row, json);
    check_sums(need(json, "encoder_self_attention"), false);
    check_sums(need(json, "cross_attention"), false);
    check_sums(need(need(json, "alignment"), "weights"), false);
    check_sums(past, ssru);
    check_alignment(json);
    assert_true(!member(json, "beam") == !!member(row, "forced"));
    if (member(json, "beam")) check_beam(json);
    cJSON_Delete(json);
    return values;
}

/* Returns the number of values compared. */
static size_t check_file(const char *name)
{
    char *path = support_path(GOLDEN_ROOT "/traces", name);
    Rows rows = rows_open(path);
    size_t values = 0;

    while (rows_next(&rows)) values += check_row(rows.row);
    free(path);
    return values;
}

TEST(matches_attentions_embeddings_and_probabilities_of_transformers)
{
    assert_true(check_file("transformers.jsonl") > 20000);
}

TEST(matches_the_arithmetic_of_marian_models)
{
    assert_true(check_file("marian.jsonl") > 2000);
}

TESTS(test_trace_golden);
