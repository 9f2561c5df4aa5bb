/* test_model_golden.c - compares whole models, ids to ids, with reference.jsonl: generate() of
 * transformers in the folders of tests/golden/marian and tests/golden/families, plain PyTorch in those of
 * tests/golden/transformers; scripts/reference/ made them. The batch must not change the result: sentences run all
 * together in a session of 64 rows, and again in one of the other ways of ways[]. */
#include "golden_folders.h"
#include "search_settings.h"

#include "model_support.h"
#include "session.h"

#define MAX_SENTENCES 16

/* One line of a reference: sentences with the same settings. */
typedef struct {
    char *name; /* for messages */
    IdList prefix;
    const cJSON *sentences[MAX_SENTENCES];
    IdList sources[MAX_SENTENCES];
    size_t count;
} Line;

static Line line_read(const char *model, size_t number, const cJSON *json)
{
    Line line = { .name = support_format("%s, line %zu", model, number) };
    const cJSON *sentence;

    settings_ids(&line.prefix, cJSON_GetObjectItemCaseSensitive(json, "prefix"));
    cJSON_ArrayForEach(sentence, cJSON_GetObjectItemCaseSensitive(json, "sentences"))
    {
        assert_true(line.count < MAX_SENTENCES);
        settings_ids(&line.sources[line.count], cJSON_GetObjectItemCaseSensitive(sentence, "source_ids"));
        line.sentences[line.count++] = sentence;
    }
    assert_true(line.count > 0);
    return line;
}

static void line_free(Line *line)
{
    for (size_t i = 0; i < line->count; i++) ids_free(&line->sources[i]);
    ids_free(&line->prefix);
    free(line->name);
}

static void check_sentence(Session *session, const Line *line, const cJSON *sentence, size_t count)
{
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(sentence, "hypotheses");
    const char *source = cJSON_GetObjectItemCaseSensitive(sentence, "source")->valuestring;
    FREED char *name = support_format("%s, \"%s\"", line->name, source);

    if ((int)count != cJSON_GetArraySize(wanted))
        fail_msg("%s: %zu hypotheses, wanted %d", name, count, cJSON_GetArraySize(wanted));
    for (size_t i = 0; i < count; i++)
        settings_check_hypothesis(name, i, search_result(session_search(session), i),
                                  cJSON_GetArrayItem(wanted, (int)i));
}

/* Adds as many sentences as fit, so that at most `together` are in flight. */
static void add_some(Session *session, Line *line, size_t *next, size_t in_flight, size_t together)
{
    SearchInput inputs[MAX_SENTENCES];
    size_t count = 0;
    Err err;

    while (*next < line->count && count < session_room(session) && in_flight + count < together) {
        inputs[count++] = (SearchInput){ .source = line->sources[*next].data,
                                         .source_len = line->sources[*next].len,
                                         .prefix = line->prefix.data,
                                         .prefix_len = line->prefix.len,
                                         .tag = &line->sentences[*next] };
        (*next)++;
    }
    if (count) assert_ok(session_add(session, inputs, count, &err), &err);
}

static void run_line(Session *session, Line *line, size_t together)
{
    size_t next = 0, done = 0, count;
    void *tag;
    Err err;

    while (done < line->count) {
        add_some(session, line, &next, next - done, together);
        assert_ok(session_step(session, &err), &err);
        while (session_finished(session, &tag, &count)) {
            check_sentence(session, line, *(const cJSON **)tag, count);
            done++;
        }
    }
    assert_true(session_idle(session));
}

/* Sets the start or forced token of the target language. */
static void apply_language(SearchParams *params, const cJSON *json)
{
    const cJSON *start = cJSON_GetObjectItemCaseSensitive(json, "decoder_start_token_id");
    const cJSON *forced = cJSON_GetObjectItemCaseSensitive(json, "forced_bos_token_id");

    if (start) params->start = start->valueint;
    if (forced) params->forced_bos = forced->valueint;
}

static void run_in(const Model *model, const SearchParams *params, Line *line, size_t rows, size_t together, Team *team)
{
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, params, 0, rows, &err), &err);
    if (team) assert_ok(session_use_team(session, team, &err), &err);
    run_line(session, line, together);
    session_free(session);
}

/* `turn` chooses the second way. */
static void check_line(const Model *model, Line *line, const cJSON *json, size_t turn)
{
    static const struct {
        size_t rows, together;
        bool has_team;
    } ways[] = {
        { 1, 1, false }, { 3, MAX_SENTENCES, true }, { 64, 1, false }, { 3, 1, true }, { 1, MAX_SENTENCES, true }
    };
    const size_t way = turn % COUNT(ways);
    SearchParams params;
    Team *team;
    Err err;

    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    apply_language(&params, json);
    settings_apply(&params, cJSON_GetObjectItemCaseSensitive(json, "settings"));
    assert_ok(team_new(&team, 3, 0, &err), &err);
    run_in(model, &params, line, 64, MAX_SENTENCES, team);
    run_in(model, &params, line, ways[way].rows, ways[way].together, ways[way].has_team ? team : NULL);
    team_free(team);
    search_params_free(&params);
}

typedef struct {
    const char *name;
    Model *model;
} OpenFolder;

static bool check_reference(void *context, size_t number, const cJSON *json)
{
    const OpenFolder *folder = context;
    Line line = line_read(folder->name, number, json);

    check_line(folder->model, &line, json, number + strlen(folder->name)); /* folders have the same settings */
    line_free(&line);
    return true;
}

static void check_folder(const char *path)
{
    FREED char *reference = support_path(path, "reference.jsonl");
    OpenFolder folder = { .name = path };
    Err err;

    assert_ok(open_model(&folder.model, path, &err), &err);
    assert_null(model_facts(folder.model).warning);
    assert_true(golden_each_line(reference, check_reference, &folder) >= GOLDEN_LINES);
    model_free(folder.model);
}

TEST(marian_matches_transformers_in_any_batch)
{
    golden_each_folder(GOLDEN_MARIAN, check_folder);
}

TEST(other_families_match_transformers)
{
    golden_each_folder(GOLDEN_FAMILIES, check_folder);
}

TEST(tutorial_models_match_pytorch)
{
    golden_each_folder(GOLDEN_TUTORIALS, check_folder);
}

TESTS(test_model_golden);
