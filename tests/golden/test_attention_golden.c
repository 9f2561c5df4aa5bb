/* test_attention_golden.c - compares recorded cross-attention and log-probabilities of tokens with
 * tests/golden/attention: output_attentions and logits of transformers, return_attention of CTranslate2, and the
 * arithmetic of Marian's models. Each sentence runs alone, and with neighbours, threads and other rows in flight,
 * which must not change a bit. Nor must scoring the hypotheses as given translations. */
#include "golden_folders.h"
#include "jsonl_rows.h"
#include "search_settings.h"

#include "decoder.h"
#include "model_support.h"
#include "session.h"

#define TOLERANCE 1e-4
#define UNIT      1e-5 /* of the numbers in the files */

enum { MAX_HEADS = 64, MAX_HYPOTHESES = 8, NEIGHBOURS = 9 };

/* A sentence of the reference and the model that translates it. */
typedef struct {
    const cJSON *json;
    char *name; /* for messages */
    Model *model;
    SearchParams params;
    IdList source, prefix;
    AttentionHead heads[MAX_HEADS];
    AttentionChoice choice;
} Case;

/* What a session recorded for a sentence. */
typedef struct {
    size_t count;
    IdList ids[MAX_HYPOTHESES];
    float *attention[MAX_HYPOTHESES], *scores[MAX_HYPOTHESES];
    float sum[MAX_HYPOTHESES], score[MAX_HYPOTHESES];
} Recorded;

static const cJSON *member(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

/* All heads of all layers, or the mean of some. */
static void choose_heads(Case *c)
{
    const StackConfig *decoder = &model_config(c->model)->decoder;
    const cJSON *heads = member(c->json, "heads");
    const size_t layers = heads ? 1 : decoder->layers;
    const size_t count = heads ? settings_size(member(heads, "count")) : decoder->heads;
    const size_t first = heads ? settings_size(member(heads, "layer")) : 0;

    c->choice = (AttentionChoice){ .heads = c->heads, .separate = !heads };
    assert_true(layers * count <= MAX_HEADS);
    for (size_t l = 0; l < layers; l++)
        for (size_t h = 0; h < count; h++) c->heads[c->choice.count++] = (AttentionHead){ first + l, h };
}

static void case_open(Case *c, const cJSON *json, size_t number)
{
    const char *folder = member(json, "folder")->valuestring;
    const cJSON *start = member(json, "decoder_start_token_id"), *forced = member(json, "forced_bos_token_id");
    FREED char *path = support_path(GOLDEN_ROOT, folder);
    Err err;

    *c = (Case){ .json = json, .name = support_format("line %zu, %s", number, folder) };
    assert_ok(open_model(&c->model, path, &err), &err);
    assert_ok(search_params_copy(&c->params, &model_config(c->model)->search, &err), &err);
    settings_apply(&c->params, member(json, "settings"));
    if (start) c->params.start = start->valueint;
    if (forced) c->params.forced_bos = forced->valueint;
    settings_ids(&c->source, member(json, "source_ids"));
    settings_ids(&c->prefix, member(json, "prefix"));
    choose_heads(c);
}

static void case_close(Case *c)
{
    model_free(c->model);
    search_params_free(&c->params);
    ids_free(&c->source);
    ids_free(&c->prefix);
    free(c->name);
}

static size_t row_size(const Case *c)
{
    return attention_choice_planes(&c->choice) * c->source.len;
}

/* Makes the i-th hypothesis of the session the k-th record. */
static void recorded_take(Recorded *out, size_t k, Session *session, size_t i, const Case *c)
{
    const Hypothesis h = search_result(session_search(session), i);
    Err err;

    assert_true(k < MAX_HYPOTHESES);
    assert_ok(ids_append_all(&out->ids[k], h.ids, h.len, &err), &err);
    out->attention[k] = support_alloc(h.len * row_size(c) * sizeof(float) + 1);
    session_result_attention(session, i, out->attention[k]);
    out->scores[k] = support_alloc(h.len * sizeof(float) + 1);
    search_result_scores(session_search(session), i, out->scores[k]);
    out->sum[k] = h.sum;
    out->score[k] = h.score;
}

static void recorded_free(Recorded *r)
{
    for (size_t i = 0; i < r->count; i++) {
        ids_free(&r->ids[i]);
        free(r->attention[i]);
        free(r->scores[i]);
    }
}

/* Adds the sentence, and neighbours with the end of its source. */
static void add(Session *session, Case *c, size_t first, size_t count)
{
    Err err;

    for (size_t i = first; i < first + count; i++) {
        const bool own = i == NEIGHBOURS / 2;
        const size_t skip = own ? 0 : i % c->source.len;
        SearchInput input = { .source = c->source.data + skip,
                              .source_len = c->source.len - skip,
                              .prefix = c->prefix.data,
                              .prefix_len = c->prefix.len,
                              .tag = own ? &c->choice : NULL };
        assert_ok(session_add(session, &input, 1, &err), &err);
    }
}

/* Steps until nothing is in flight. */
static void run(Session *session, const Case *c, Recorded *out)
{
    size_t count;
    void *tag;
    Err err;

    while (!session_idle(session)) {
        assert_ok(session_step(session, &err), &err);
        while (session_finished(session, &tag, &count))
            if (tag) {
                *out = (Recorded){ .count = count };
                for (size_t i = 0; i < count; i++) recorded_take(out, i, session, i, c);
            }
    }
}

/* A session that translates or, with `is_given`, scores given translations. */
static Session *new_session(const Case *c, const AttentionChoice *choice, size_t rows, bool is_given)
{
    Session *session;
    Err err;

    assert_ok(session_new(&session, c->model, &c->params, is_given ? c->params.max_length : 0, rows, &err), &err);
    assert_ok(session_record_attention(session, choice, &err), &err);
    assert_ok(session_allow(session, SEARCH_SCORES, &err), &err);
    return session;
}

static void run_alone(Case *c, const AttentionChoice *choice, Recorded *out)
{
    Session *session = new_session(c, choice, 1, false);

    add(session, c, NEIGHBOURS / 2, 1);
    run(session, c, out);
    session_free(session);
}

static void run_with_neighbours(Case *c, Recorded *out)
{
    Session *session = new_session(c, &c->choice, NEIGHBOURS * c->params.beams, false);
    Team *team;
    Err err;

    assert_ok(team_new(&team, 3, 0, &err), &err);
    assert_ok(session_use_team(session, team, &err), &err);
    add(session, c, 0, 2);
    assert_ok(session_step(session, &err), &err);
    add(session, c, 2, NEIGHBOURS - 2);
    run(session, c, out);
    session_free(session);
    team_free(team);
}

static void check_ids(const Case *c, const IdList *got, const cJSON *wanted, size_t i)
{
    FREED_BY(ids_free) IdList ids = { 0 };

    settings_ids(&ids, wanted);
    if (got->len < ids.len || got->len > ids.len + 1 || memcmp(got->data, ids.data, ids.len * sizeof *ids.data) != 0)
        fail_msg("%s, hypothesis %zu: got %s, wanted %s", c->name, i, settings_show_ids(got->data, got->len),
                 settings_show_ids(ids.data, ids.len));
}

/* Compares the rows that the reference has; the last one may be missing. Returns the number of values. */
static size_t check_attention(const Case *c, const float *got, size_t len, const cJSON *wanted, size_t i)
{
    const size_t planes = attention_choice_planes(&c->choice), width = c->source.len;
    const size_t values = (size_t)cJSON_GetArraySize(wanted), rows = values / (planes * width);
    const cJSON *value = wanted ? wanted->child : NULL;

    assert_true(!wanted || ((rows == len || rows + 1 == len) && rows * planes * width == values));
    for (size_t n = 0; n < values; n++, value = value->next) {
        const size_t plane = n / (rows * width), at = plane * len * width + n % (rows * width);
        const double want = value->valuedouble * UNIT;
        if (!(fabs((double)got[at] - want) <= TOLERANCE))
            fail_msg("%s, hypothesis %zu, plane %zu, row %zu, column %zu: got %.6f, wanted %.5f", c->name, i, plane,
                     n % (rows * width) / width, n % width, (double)got[at], want);
    }
    return values;
}

static bool is_forced(const Case *c, const IdList *ids, size_t t)
{
    const IdList *ends = &c->params.forced_eos;

    return t < c->prefix.len || (t == 0 && ids->data[t] == c->params.forced_bos) ||
           (t + 1 == c->params.max_length && ends->len && ids->data[t] == ends->data[0]);
}

/* The scores give the sum bit for bit. In greedy search they are those of the processed logits, and differ. */
static void check_scores(const Case *c, const Recorded *got, size_t i, const cJSON *wanted)
{
    const IdList *ids = &got->ids[i];
    const cJSON *value = wanted && c->params.beams > 1 ? wanted->child : NULL;
    float sum = 0;

    for (size_t t = 0; t < ids->len; t++, value = value ? value->next : NULL) {
        const float score = got->scores[i][t];
        sum += score;
        if (is_forced(c, ids, t))
            assert_true(score == 0);
        else if (value && !(fabs((double)score - value->valuedouble * UNIT) <= TOLERANCE))
            fail_msg("%s, hypothesis %zu, token %zu: score %.6f, wanted %.5f", c->name, i, t, (double)score,
                     value->valuedouble * UNIT);
    }
    assert_memory_equal(&sum, &got->sum[i], sizeof sum);
}

static size_t check_reference(const Case *c, const Recorded *got)
{
    const cJSON *hypotheses = member(c->json, "hypotheses");
    size_t values = 0;

    assert_int_equal(got->count, cJSON_GetArraySize(hypotheses));
    for (size_t i = 0; i < got->count; i++) {
        const cJSON *wanted = cJSON_GetArrayItem(hypotheses, (int)i);
        check_ids(c, &got->ids[i], member(wanted, "ids"), i);
        check_scores(c, got, i, member(wanted, "logprobs"));
        values += check_attention(c, got->attention[i], got->ids[i].len, member(wanted, "attention"), i);
    }
    return values;
}

static void check_equal(const Case *c, const Recorded *a, const Recorded *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->ids[i].len, b->ids[i].len);
        assert_memory_equal(a->ids[i].data, b->ids[i].data, a->ids[i].len * sizeof *a->ids[i].data);
        assert_memory_equal(a->scores[i], b->scores[i], a->ids[i].len * sizeof(float));
        assert_memory_equal(a->attention[i], b->attention[i], a->ids[i].len * row_size(c) * sizeof(float));
    }
}

/* The default is the mean of planes, computed here in double precision from all of them. */
static void check_default(Case *c, const Recorded *all)
{
    const ModelConfig *config = model_config(c->model);
    const size_t end = config->alignment.layer_from_end, layers = config->decoder.layers;
    const size_t heads = config->alignment.heads ? config->alignment.heads : config->decoder.heads;
    const size_t first = (end < layers ? layers - end : 0) * config->decoder.heads;
    Recorded mean;

    if (!c->choice.separate) return;
    run_alone(c, NULL, &mean);
    for (size_t i = 0; i < mean.count; i++) {
        const size_t size = mean.ids[i].len * c->source.len;
        for (size_t n = 0; n < size; n++) {
            double sum = 0;
            for (size_t h = 0; h < heads; h++) sum += (double)all->attention[i][(first + h) * size + n];
            assert_true(fabs((double)mean.attention[i][n] - sum / (double)heads) < 1e-6);
        }
    }
    recorded_free(&mean);
}

/* Scores all hypotheses, up to `rows` tokens at a time. */
static void score(Case *c, const Recorded *of, size_t rows, Recorded *out)
{
    Session *session = new_session(c, &c->choice, rows, true);
    size_t count;
    void *tag;
    Err err;

    *out = (Recorded){ .count = of->count };
    for (size_t i = 0; i < of->count;) {
        while (i < of->count && session_room(session)) {
            const SearchInput input = { .source = c->source.data,
                                        .source_len = c->source.len,
                                        .target = of->ids[i].data,
                                        .target_len = of->ids[i].len,
                                        .prefix_len = c->prefix.len,
                                        .tag = &out->ids[i] };
            assert_ok(session_add(session, &input, 1, &err), &err);
            i++;
        }
        while (!session_idle(session)) assert_ok(session_step(session, &err), &err);
        while (session_finished(session, &tag, &count)) {
            assert_false(session_is_broken(session));
            assert_int_equal(count, 1);
            recorded_take(out, (size_t)((IdList *)tag - out->ids), session, 0, c);
        }
    }
    session_free(session);
}

/* Where rounding depends on the other hypotheses of a beam, they are missing here. */
static void check_scoring(Case *c, const Recorded *recorded)
{
    static const size_t rows[] = { 1, 3, 64 };
    Recorded scored;

    if (!decoder_takes_positions(c->model) && c->params.beams > 1) return;
    for (size_t i = 0; i < COUNT(rows); i++) {
        score(c, recorded, rows[i], &scored);
        check_equal(c, recorded, &scored);
        assert_memory_equal(recorded->sum, scored.sum, recorded->count * sizeof *scored.sum);
        assert_memory_equal(recorded->score, scored.score, recorded->count * sizeof *scored.score);
        recorded_free(&scored);
    }
}

static size_t check_case(const cJSON *json, size_t number)
{
    Recorded alone, crowded;
    size_t values;
    Case c;

    case_open(&c, json, number);
    run_alone(&c, &c.choice, &alone);
    values = check_reference(&c, &alone);
    run_with_neighbours(&c, &crowded);
    check_equal(&c, &alone, &crowded);
    check_default(&c, &alone);
    check_scoring(&c, &alone);
    recorded_free(&alone);
    recorded_free(&crowded);
    case_close(&c);
    return values;
}

/* Returns the number of values compared. */
static size_t check_file(const char *name)
{
    char *path = support_path(GOLDEN_ROOT "/attention", name);
    Rows rows = rows_open(path);
    size_t values = 0;

    while (rows_next(&rows)) values += check_case(rows.row, rows.number);
    free(path);
    return values;
}

TEST(matches_cross_attentions_of_transformers)
{
    assert_true(check_file("transformers.jsonl") > 30000);
}

TEST(matches_return_attention_of_ctranslate2)
{
    assert_true(check_file("ctranslate2.jsonl") > 600);
}

TEST(matches_the_attention_of_marian_models)
{
    assert_true(check_file("marian.jsonl") > 5000);
}

TESTS(test_attention_golden);
