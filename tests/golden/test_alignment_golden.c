/* test_alignment_golden.c - the alignments and scores of tokens that dragoman.h gives for Marian's models. Compares
 * them with tests/golden/attention, of which marian-decoder uses the first head of the last layer. */
#include "jsonl_rows.h"
#include "request_support.h"
#include "search_settings.h"

#include <math.h>

#include "dragoman.h"
#include "model_support.h"

#define TOLERANCE 1e-4
#define UNIT      1e-5 /* of the numbers in the file */

enum { LONGEST = 16 };

static const cJSON *member(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

static Dragoman *open_for(const cJSON *json, const char *path)
{
    const cJSON *settings = member(json, "settings");
    DragomanOptions *options = options_for(path);

    set_number(options, DRAGOMAN_BEAMS, member(settings, "beams")->valueint);
    set_number(options, DRAGOMAN_N_BEST, member(settings, "n_best")->valueint);
    set_flag(options, DRAGOMAN_ATTENTION);
    set_flag(options, DRAGOMAN_TOKEN_SCORES);
    return open_options(options);
}

/* The vocabularies have "wN" for id N. The tokenizer adds the end token. */
static const DragomanLine *translate(Dragoman *d, const cJSON *json)
{
    IdList ids = { 0 };
    Buf text = { 0 };

    settings_ids(&ids, member(json, "source_ids"));
    for (size_t i = 0; i + 1 < ids.len; i++) buf_put_format(&text, "%sw%d", i ? " " : "", (int)ids.data[i]);
    submit_text(d, text.data, 0);
    dragoman_finish(d);
    ids_free(&ids);
    buf_free(&text);
    return next(d);
}

/* The place of the first value of the head that aligns in an array of all heads' values. */
static size_t first_of_plane(const char *path, size_t plane)
{
    Model *model;
    size_t heads, layers;
    Err err;

    assert_ok(open_model(&model, path, &err), &err);
    heads = model_config(model)->decoder.heads;
    layers = model_config(model)->decoder.layers;
    model_free(model);
    return (layers - 1) * heads * plane;
}

/* Returns the number of values compared. */
static size_t check_attention(const DragomanLine *line, size_t rank, const char *path, const cJSON *wanted)
{
    DragomanAlignment *alignment;
    DragomanError e;
    float row[LONGEST];
    size_t sources, targets, first;
    const cJSON *value;

    assert_int_equal(dragoman_align(&alignment, line, rank, DRAGOMAN_TOKENS, &e), DRAGOMAN_OK);
    (void)dragoman_alignment_sources(alignment, &sources);
    (void)dragoman_alignment_targets(alignment, &targets);
    assert_true(sources <= LONGEST);
    first = first_of_plane(path, targets * sources);
    value = cJSON_GetArrayItem(wanted, (int)first);
    for (size_t t = 0; t < targets; t++) {
        dragoman_alignment_row(alignment, t, row);
        for (size_t s = 0; s < sources; s++, value = value->next)
            if (!(fabs((double)row[s] - value->valuedouble * UNIT) <= TOLERANCE))
                fail_msg("%s, rank %zu, row %zu, column %zu: got %.6f, wanted %.5f", path, rank, t, s, (double)row[s],
                         value->valuedouble * UNIT);
    }
    dragoman_alignment_free(alignment);
    return targets * sources;
}

static void check_scores(const DragomanLine *line, size_t rank, const cJSON *wanted)
{
    const cJSON *value = wanted->child;
    size_t count;
    const float *scores = dragoman_line_token_scores(line, rank, &count);
    float sum = 0;

    for (size_t t = 0; t < count; sum += scores[t++], value = value->next)
        assert_float_equal(scores[t], value->valuedouble * UNIT, TOLERANCE);
    assert_null(value);
    assert_true(sum == dragoman_line_sum(line, rank));
}

static size_t check_row(const cJSON *json)
{
    const cJSON *hypothesis = member(json, "hypotheses")->child;
    char *path = support_path(GOLDEN_ROOT, member(json, "folder")->valuestring);
    Dragoman *d = open_for(json, path);
    const DragomanLine *line = translate(d, json);
    size_t values = 0;

    for (size_t rank = 0; hypothesis; hypothesis = hypothesis->next, rank++) {
        assert_true(rank < dragoman_line_count(line));
        if (!member(hypothesis, "attention")) continue;
        values += check_attention(line, rank, path, member(hypothesis, "attention"));
        check_scores(line, rank, member(hypothesis, "logprobs"));
    }
    dragoman_close(d);
    free(path);
    return values;
}

TEST(alignments_are_those_of_marian_models)
{
    Rows rows = rows_open(GOLDEN_ROOT "/attention/marian.jsonl");
    size_t values = 0;

    while (rows_next(&rows)) values += check_row(rows.row);
    assert_true(values > 500);
}

TESTS(test_alignment_golden);
