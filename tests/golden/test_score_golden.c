/* test_score_golden.c - scores given translations through the library and compares the ids and the log-probability of
 * each token with transformers (text_target, log_softmax of the logits), CTranslate2 (score_batch) and marian-scorer's
 * arithmetic: tests/golden/score. The pairs of a model are in progress together. */
#include "request_support.h"
#include "golden_folders.h"
#include "jsonl_rows.h"

#include <math.h>

#include "dragoman.h"

#define TOLERANCE 1e-4
#define UNIT      1e-6 /* of the numbers in the files */

static const char *text_of(const cJSON *json, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(json, key);

    return cJSON_IsString(node) ? node->valuestring : NULL;
}

static size_t number_of(const cJSON *json, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(json, key);

    return node ? (size_t)node->valueint : 0;
}

static Dragoman *open_dragoman(const cJSON *json, const char *folder)
{
    char *path = support_path(GOLDEN_ROOT, folder);
    DragomanOptions *o = options_for(path);

    set_text(o, DRAGOMAN_FROM, text_of(json, "from"));
    set_text(o, DRAGOMAN_TO, text_of(json, "to"));
    set_number(o, DRAGOMAN_BEAMS, 4);
    set_number(o, DRAGOMAN_MIN_LENGTH, 0);
    set_number(o, DRAGOMAN_THREADS, 2);
    set_flag(o, DRAGOMAN_TOKEN_SCORES);
    if (cJSON_GetObjectItemCaseSensitive(json, "pieces")) {
        set_flag(o, DRAGOMAN_PIECES_IN);
        set_flag(o, DRAGOMAN_PIECES_OUT);
    }
    free(path);
    return open_options(o);
}

static size_t check_line(const DragomanLine *line, const cJSON *json, const char *folder)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(json, "ids")->child;
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "logprobs")->child;
    const size_t forced = number_of(json, "forced");
    size_t count, scores_count;
    const int32_t *ids = dragoman_line_ids(line, 0, &count);
    const float *scores = dragoman_line_token_scores(line, 0, &scores_count);
    float sum = 0;

    assert_int_equal(count, scores_count);
    assert_int_equal(dragoman_line_forced(line, 0), forced);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), text_of(json, "target"));
    for (size_t i = 0; i < count; i++, id = id->next, value = value->next) {
        const double wanted = i < forced ? 0 : value->valuedouble * UNIT;
        if (!id || ids[i] != id->valueint) fail_msg("%s: id %zu is %d", folder, i, (int)ids[i]);
        if (!(fabs((double)scores[i] - wanted) <= TOLERANCE))
            fail_msg("%s: token %zu has %.6f, wanted %.6f", folder, i, (double)scores[i], wanted);
        sum += scores[i];
    }
    assert_null(id);
    assert_true(sum == dragoman_line_sum(line, 0));
    return count;
}

/* Scores all pairs of a model, which are adjacent in the file, twice. Returns the number of tokens. */
static size_t check_model(const cJSON *const *pairs, size_t count)
{
    const char *folder = text_of(pairs[0], "folder");
    Dragoman *d = open_dragoman(pairs[0], folder);
    const DragomanLine *line;
    DragomanError error;
    size_t tokens = 0;

    for (size_t i = 0; i < 2 * count; i++) {
        const char *source = text_of(pairs[i % count], "source"), *target = text_of(pairs[i % count], "target");
        check_ok(submit_pair_of(d, source, strlen(source), target, strlen(target), i, &error), &error);
    }
    dragoman_finish(d);
    for (size_t i = 0; i < 2 * count; i++) {
        line = next(d);
        assert_int_equal(dragoman_line_tag(line), i);
        tokens += check_line(line, pairs[i % count], folder);
    }
    dragoman_close(d);
    return tokens / 2;
}

enum { MOST_PAIRS = 64 };

static size_t check_file(const char *name)
{
    char *path = support_path(GOLDEN_ROOT "/score", name);
    Rows rows = rows_open(path);
    cJSON *pairs[MOST_PAIRS];
    size_t count = 0, first = 0, tokens = 0;

    while (rows_next(&rows)) {
        assert_true(count < MOST_PAIRS);
        pairs[count++] = cJSON_Duplicate(rows.row, true);
    }
    for (size_t i = 1; i <= count; i++) {
        if (i < count && strcmp(text_of(pairs[i], "folder"), text_of(pairs[first], "folder")) == 0) continue;
        tokens += check_model((const cJSON *const *)pairs + first, i - first);
        first = i;
    }
    for (size_t i = 0; i < count; i++) cJSON_Delete(pairs[i]);
    free(path);
    return tokens;
}

TEST(matches_log_softmax_of_transformers)
{
    assert_true(check_file("transformers.jsonl") > 500);
}

TEST(matches_score_batch_of_ctranslate2)
{
    assert_true(check_file("ctranslate2.jsonl") > 100);
}

TEST(matches_marian_scorer)
{
    assert_true(check_file("marian.jsonl") > 100);
}

TESTS(test_score_golden);
