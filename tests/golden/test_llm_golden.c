/* test_llm_golden.c - language models with a decoder only and T5Gemma, compared with tests/golden/llm: generate() of
 * transformers 4.57.1 and 5.24.0. The prompts run all together, in other batches, as given translations and from a
 * packed file. */
#include "golden_folders.h"
#include "llm_models.h"
#include "search_settings.h"

#include "model_support.h"
#include "pack_support.h"
#include "session.h"
#include "trace.h"

#define PROMPTS 20

typedef struct {
    const cJSON *json;
    IdList source, best; /* best: ids of the best hypothesis */
    float scores[64];    /* of its tokens */
} Prompt;

static size_t read_prompts(Prompt *prompts, const cJSON *line)
{
    const cJSON *sentence;
    size_t count = 0;

    cJSON_ArrayForEach(sentence, cJSON_GetObjectItemCaseSensitive(line, "sentences"))
    {
        Prompt *p = &prompts[count++];
        assert_true(count <= PROMPTS);
        *p = (Prompt){ .json = sentence };
        settings_ids(&p->source, cJSON_GetObjectItemCaseSensitive(sentence, "source_ids"));
        settings_ids(&p->best, cJSON_GetObjectItemCaseSensitive(
                                   cJSON_GetObjectItemCaseSensitive(sentence, "hypotheses")->child, "ids"));
    }
    return count;
}

static void free_prompts(Prompt *prompts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids_free(&prompts[i].source);
        ids_free(&prompts[i].best);
    }
}

/* The session scores the best hypotheses if `given`; otherwise it translates, at most `together` prompts at a time. */
static void run(const Model *model, const SearchParams *params, Prompt *prompts, size_t count, const char *name,
                size_t rows, size_t together, size_t given, Team *team)
{
    size_t next = 0, done = 0, results;
    Session *session;
    void *tag;
    Err err;

    assert_ok(session_new(&session, model, params, given, rows, &err), &err);
    assert_ok(session_allow(session, SEARCH_SCORES, &err), &err);
    if (team) assert_ok(session_use_team(session, team, &err), &err);
    while (done < count) {
        SearchInput inputs[PROMPTS];
        size_t more = 0;
        for (; next < count && more < session_room(session) && next - done < together; next++)
            inputs[more++] = (SearchInput){ .source = prompts[next].source.data,
                                            .source_len = prompts[next].source.len,
                                            .target = given ? prompts[next].best.data : NULL,
                                            .target_len = given ? prompts[next].best.len : 0,
                                            .tag = &prompts[next] };
        if (more) assert_ok(session_add(session, inputs, more, &err), &err);
        assert_ok(session_step(session, &err), &err);
        for (; session_finished(session, &tag, &results); done++) {
            Prompt *p = tag;
            const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(p->json, "hypotheses");
            const cJSON *tokens = cJSON_GetObjectItemCaseSensitive(p->json, "tokens");
            float scores[64];
            assert_false(session_is_broken(session));
            assert_int_equal(results, given ? 1 : cJSON_GetArraySize(wanted));
            for (size_t i = 0; i < results; i++)
                settings_check_hypothesis(name, i, search_result(session_search(session), i),
                                          cJSON_GetArrayItem(wanted, (int)i));
            search_result_scores(session_search(session), 0, scores);
            for (int i = 0; i < cJSON_GetArraySize(tokens); i++)
                if (!(fabs((double)scores[i] - cJSON_GetArrayItem(tokens, (int)i)->valuedouble) <= 1e-4))
                    fail_msg("%s: token %d: %g, wanted %g", name, i, (double)scores[i],
                             cJSON_GetArrayItem(tokens, (int)i)->valuedouble);
        }
    }
    session_free(session);
}

static void check_line(const Model *model, const cJSON *line, const char *name)
{
    Prompt prompts[PROMPTS];
    const size_t count = read_prompts(prompts, line);
    SearchParams params;
    Team *team;
    Err err;

    assert_true(count >= PROMPTS / 2);
    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(line, "settings"));
    assert_ok(team_new(&team, 3, 0, &err), &err);
    run(model, &params, prompts, count, name, 128, PROMPTS, 0, NULL);
    run(model, &params, prompts, count, name, 3, 1, 0, team);
    run(model, &params, prompts, count, name, 12, 3, 0, team);
    if (params.beams == 1) run(model, &params, prompts, count, name, 16, PROMPTS, params.max_length, NULL);
    free_prompts(prompts, count);
    team_free(team);
    search_params_free(&params);
}

/* Checks one prompt's translation at a time against those of all prompts together. */
static void check_equal(const Model *a, const Model *b, const cJSON *line)
{
    Prompt prompts[PROMPTS];
    const size_t count = read_prompts(prompts, line);
    Hypothesis best[PROMPTS];
    Session *together, *alone;
    SearchParams params;
    size_t results, done = 0;
    void *tag;
    Err err;

    assert_ok(search_params_copy(&params, &model_config(a)->search, &err), &err);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(line, "settings"));
    assert_ok(session_new(&together, a, &params, 0, PROMPTS * params.beams, &err), &err);
    assert_ok(session_new(&alone, b, &params, 0, 1, &err), &err);
    for (size_t i = 0; i < count; i++) {
        const SearchInput input = { prompts[i].source.data, prompts[i].source.len, .tag = &best[i] };
        assert_ok(session_add(together, &input, 1, &err), &err);
    }
    while (done < count) {
        assert_ok(session_step(together, &err), &err);
        for (; session_finished(together, &tag, &results); done++) {
            const size_t i = (size_t)((Hypothesis *)tag - best);
            const SearchInput input = { prompts[i].source.data, prompts[i].source.len, .tag = NULL };
            Hypothesis own;
            best[i] = search_result(session_search(together), 0);
            assert_ok(session_add(alone, &input, 1, &err), &err);
            while (!session_finished(alone, &tag, &results)) assert_ok(session_step(alone, &err), &err);
            own = search_result(session_search(alone), 0);
            assert_int_equal(own.len, best[i].len);
            assert_memory_equal(own.ids, best[i].ids, own.len * sizeof *own.ids);
            assert_memory_equal(&own.score, &best[i].score, sizeof own.score);
        }
    }
    free_prompts(prompts, count);
    session_free(together);
    session_free(alone);
    search_params_free(&params);
}

/* Prompts that share their first 0 to 30 ids, in any order, get the bits that each gets in a session of its own. */
static void check_shared(const Model *model, const cJSON *line)
{
    static const size_t shared[] = { 30, 30, 30, 0, 9, 17, 16, 30, 5, 29 };
    enum { LONGEST = 40, EACH = 10 };
    int32_t ids[EACH][LONGEST];
    SearchInput inputs[EACH];
    SearchParams params;
    Session *session;
    size_t results, done = 0;
    unsigned seed = 1;
    void *tag;
    Err err;

    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(line, "settings"));
    for (size_t i = 0; i < EACH; i++) {
        for (size_t k = 0; k < LONGEST; k++)
            ids[i][k] = k < shared[i] ? ids[0][k] : (int32_t)(3 + support_random(&seed) % 100);
        for (size_t k = 0; i == 0 && k < LONGEST; k++) ids[0][k] = (int32_t)(3 + support_random(&seed) % 100);
        inputs[i] = (SearchInput){ ids[i], shared[i] + 1 + i, .tag = &inputs[i] };
    }
    assert_ok(session_new(&session, model, &params, 0, 4 * params.beams, &err), &err);
    for (size_t next = 0; done < EACH;) {
        const size_t room = session_room(session), more = room < EACH - next ? room : EACH - next;
        assert_ok(session_add(session, inputs + next, more, &err), &err);
        next += more;
        assert_ok(session_step(session, &err), &err);
        for (; session_finished(session, &tag, &results); done++) {
            const Hypothesis got = search_result(session_search(session), 0);
            Hypothesis own;
            Session *alone;
            assert_ok(session_new(&alone, model, &params, 0, 1, &err), &err);
            assert_ok(session_add(alone, tag, 1, &err), &err);
            while (!session_finished(alone, &tag, &results)) assert_ok(session_step(alone, &err), &err);
            own = search_result(session_search(alone), 0);
            assert_int_equal(own.len, got.len);
            assert_memory_equal(own.ids, got.ids, own.len * sizeof *own.ids);
            assert_memory_equal(&own.score, &got.score, sizeof own.score);
            session_free(alone);
        }
    }
    session_free(session);
    search_params_free(&params);
}

/* A prompt and its translation share the positions. The last token that is chosen takes none. */
static void check_limit(const Model *model)
{
    const size_t positions = model_positions(model);
    int32_t ids[128];
    SearchInput input = { .source = ids };
    SearchParams params;
    Session *session;
    size_t results;
    void *tag;
    Err err;

    assert_true(positions + 1 <= COUNT(ids));
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = (int32_t)(3 + i % 100);
    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    params.min_length = params.max_length = 5;
    assert_ok(session_new(&session, model, &params, 0, 1, &err), &err);
    for (size_t len = 1; len < 8; len++) {
        input.source_len = positions + 1 - len;
        assert_ok(session_add(session, &input, 1, &err), &err);
        while (!session_finished(session, &tag, &results)) assert_ok(session_step(session, &err), &err);
        assert_int_equal(search_result(session_search(session), 0).len, len < 5 ? len : 5);
    }
    input.source_len = positions + 1;
    assert_fails(session_add(session, &input, 1, &err), ERR_USAGE, &err,
                 "the sentence has 97 pieces, but must have at least 1 and at most 96");
    assert_fails(session_trace(session, NULL, &err), ERR_UNSUPPORTED, &err,
                 "a language model, which has no encoder, cannot be explained");
    session_free(session);
    search_params_free(&params);
}

/* Packed models return the bits of their folders, in any batch. */
static void check_packed(const char *folder, const cJSON *line)
{
    static const Precision precisions[] = { PRECISION_F32, PRECISION_INT8 };

    for (size_t i = 0; i < COUNT(precisions); i++) {
        FREED char *packed = pack_support_make(folder, precisions[i], folder, "packed");
        Model *from_folder, *from_pack;
        Err err;
        assert_ok(open_model_as(&from_folder, folder, precisions[i], &err), &err);
        assert_ok(open_model_as(&from_pack, packed, PRECISION_AUTO, &err), &err);
        assert_true(model_facts(from_folder).table_hash == model_facts(from_pack).table_hash);
        check_equal(from_folder, from_pack, line);
        model_free(from_folder);
        model_free(from_pack);
    }
}

/* Records all heads. The first new token is chosen by attention to the prompt alone, within the window of the layer. */
static void check_attention(const Model *model, const cJSON *line)
{
    const ModelConfig *config = model_config(model);
    const size_t heads = config->decoder.heads, planes = config->decoder.layers * heads;
    AttentionHead all[64];
    const AttentionChoice choice = { .heads = all, .count = planes, .separate = true };
    Prompt prompts[PROMPTS];
    const size_t count = read_prompts(prompts, line);
    SearchParams params;
    Session *session;
    size_t results;
    void *tag;
    Err err;

    assert_true(planes <= COUNT(all));
    for (size_t i = 0; i < planes; i++) all[i] = (AttentionHead){ i / heads, i % heads };
    assert_ok(search_params_copy(&params, &config->search, &err), &err);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(line, "settings"));
    assert_ok(session_new(&session, model, &params, 0, 1, &err), &err);
    assert_ok(session_record_attention(session, &choice, &err), &err);
    for (size_t i = 0; i < count; i++) {
        const IdList *source = &prompts[i].source;
        float *values;
        size_t len;
        assert_ok(session_add(session, &(SearchInput){ source->data, source->len, .tag = NULL }, 1, &err), &err);
        while (!session_finished(session, &tag, &results)) assert_ok(session_step(session, &err), &err);
        len = search_result(session_search(session), 0).len;
        values = calloc(planes * len * source->len, sizeof *values);
        assert_non_null(values);
        session_result_attention(session, 0, values);
        for (size_t p = 0; p < planes; p++) {
            const AttentionWindow *window = &config->attention.window;
            const bool is_hidden = window->layers && window->layers[p / heads] && source->len > window->width;
            const float *row = values + p * len * source->len;
            double sum = 0;
            for (size_t j = 0; j < source->len; j++) {
                sum += (double)row[j];
                assert_true((row[j] == 0) == (is_hidden && j < source->len - window->width));
            }
            assert_true(fabs(sum - 1) < 1e-5);
        }
        free(values);
    }
    free_prompts(prompts, count);
    session_free(session);
    search_params_free(&params);
}

/* Traced probabilities are 0 outside of the windows, and those of a query sum to 1. */
static void check_planes(const float *values, const bool *windows, size_t width, bool both, size_t planes, size_t heads,
                         size_t len)
{
    for (size_t p = 0; p < planes; p++)
        for (size_t i = 0; i < len; i++, values += len) {
            double sum = 0;
            for (size_t j = 0; j < len; j++) {
                const size_t away = j < i ? i - j : j - i;
                sum += (double)values[j];
                assert_int_equal(values[j] == 0, (windows[p / heads] && away >= width) || (!both && j > i));
            }
            assert_true(fabs(sum - 1) < 1e-5);
        }
}

static void check_trace(const Model *model, const cJSON *line)
{
    const ModelConfig *config = model_config(model);
    const AttentionWindow *window = &config->attention.window;
    const size_t heads = config->decoder.heads, own = config->encoder.heads;
    enum { SOURCE = 20, LENGTH = 14 };
    int32_t ids[SOURCE];
    size_t rows[LENGTH] = { 0 }, results;
    SearchParams params;
    Session *session;
    Trace trace;
    float *past;
    void *tag;
    Err err;

    for (size_t i = 0; i < SOURCE; i++) ids[i] = (int32_t)(3 + i);
    assert_ok(search_params_copy(&params, &config->search, &err), &err);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(line, "settings"));
    params.min_length = params.max_length = LENGTH;
    assert_ok(session_new(&session, model, &params, 0, 1, &err), &err);
    assert_ok(session_allow(session, SEARCH_SCORES, &err), &err);
    assert_ok(trace_init(&trace, model, 1, SOURCE, NULL, 0, &err), &err);
    assert_ok(session_trace(session, &trace, &err), &err);
    assert_ok(session_add(session, &(SearchInput){ ids, SOURCE, .tag = NULL }, 1, &err), &err);
    while (!session_finished(session, &tag, &results)) assert_ok(session_step(session, &err), &err);
    check_planes(trace.encoder, window->encoder_layers, window->encoder_width, true, config->encoder.layers * own, own,
                 SOURCE);
    past = calloc(trace_past_planes(model), sizeof *past * LENGTH * LENGTH);
    assert_ok(trace_read_past(&trace, rows, LENGTH, past, &err), &err);
    check_planes(past, window->layers, window->width, false, trace_past_planes(model), heads, LENGTH);
    free(past);
    trace_free(&trace);
    session_free(session);
    search_params_free(&params);
}

/* Changes the names of the tensors of Gemma 3 into those of the modules, which are as long. */
static void rename_tensors(const char *folder)
{
    static const char published[] = "language_model.model.", of_class[] = "model.language_model.";
    const size_t length = sizeof published - 1;
    FREED char *path = support_path(folder, "model.safetensors");
    size_t size, count = 0;
    char *bytes = support_read_file(path, &size);

    assert_int_equal(length, sizeof of_class - 1);
    for (size_t i = 0; i + length < size; i++)
        if (memcmp(bytes + i, published, length) == 0) {
            memcpy(bytes + i, of_class, length);
            count++;
        }
    assert_true(count > 10);
    free(support_write_file(folder, "model.safetensors", bytes, size));
    free(bytes);
}

static bool check_model(void *context, size_t number, const cJSON *json)
{
    const char *folder = context, *name = cJSON_GetObjectItemCaseSensitive(json, "name")->valuestring;
    const cJSON *line;
    Model *model;
    Err err;

    llm_write_folder(folder, json);
    assert_ok(open_model(&model, folder, &err), &err);
    assert_null(model_facts(model).warning);
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(json, "lines")) check_line(model, line, name);
    line = cJSON_GetObjectItemCaseSensitive(json, "lines")->child;
    const bool decoder_only = model_config(model)->decoder_only;
    if (decoder_only) {
        check_attention(model, line);
        check_limit(model);
        check_shared(model, line);
    } else {
        check_trace(model, line);
    }
    model_free(model);
    if (number % 3 == 1 || !decoder_only) check_packed(folder, line);
    if (strcmp(name, "gemma3") == 0) {
        rename_tensors(folder);
        assert_ok(open_model(&model, folder, &err), &err);
        check_line(model, line, name);
        model_free(model);
        check_packed(folder, line);
    }
    return true;
}

FOLDER_TEST(language_models_match_transformers)
{
    assert_true(golden_each_line(LLM_REFERENCE, check_model, *state) >= 24);
}

TESTS(test_llm_golden);
