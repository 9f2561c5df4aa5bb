/* test_session_attention.c - recorded cross-attention of every kind of decoder, score function and precision, of
 * ensembles and with a shortlist. The attention of a hypothesis depends on its tokens alone, so a search that is
 * forced to take these tokens must give the same bits. tests/golden/test_attention_golden.c compares the values with
 * other programs. */
#include "session_support.h"

#include <math.h>

#include "pack_support.h"

enum { LONGEST = 20, SOURCE = 7, PLANES = 32, VOCAB = 96 };

static const int32_t source[SOURCE] = { 5, 11, 4, 7, 9, 6, 2 };

typedef struct {
    size_t planes, len, count;
    int32_t ids[LONGEST];
    float values[PLANES * LONGEST * SOURCE];
} Attention;

/* Every head of every layer. */
static AttentionChoice all_heads(const Model *model, AttentionHead heads[PLANES])
{
    const StackConfig *decoder = &model_config(model)->decoder;
    AttentionChoice all = { .heads = heads, .separate = true };

    assert_true(decoder->layers * decoder->heads <= PLANES);
    for (size_t l = 0; l < decoder->layers; l++)
        for (size_t h = 0; h < decoder->heads; h++) heads[all.count++] = (AttentionHead){ l, h };
    return all;
}

/* Runs one sentence and reads the i-th hypothesis. */
static void run(Session *session, const SearchInput *input, size_t i, Attention *out)
{
    const Hypothesis h = session_support_translate(session, input, i, &out->count);

    assert_true(i < out->count);
    assert_true(h.len > 0 && h.len <= LONGEST);
    out->len = h.len;
    memcpy(out->ids, h.ids, h.len * sizeof *h.ids);
    session_result_attention(session, i, out->values);
}

static Session *new_session(const Model *model, const SearchParams *params, Attention *out)
{
    AttentionHead heads[PLANES];
    const AttentionChoice all = all_heads(model, heads);
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, params, 0, 8, &err), &err);
    assert_ok(session_record_attention(session, &all, &err), &err);
    out->planes = all.count;
    return session;
}

/* Greedy search with all tokens of `of` but the last as its prefix. */
static void force(const Model *model, const Attention *of, Attention *out)
{
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 1, LONGEST);
    Session *session = new_session(model, &params, out);
    const SearchInput input = {
        .source = source, .source_len = SOURCE, .prefix = of->ids, .prefix_len = of->len - 1, .max_length = of->len
    };

    run(session, &input, 0, out);
    session_free(session);
}

static void check_sums(const Model *model, const Attention *a)
{
    const bool fades = model_config(model)->attention.cross_score.window == WINDOW_LOCAL_P;

    for (size_t r = 0; r < a->planes * a->len; r++) {
        double sum = 0;
        for (size_t j = 0; j < SOURCE; j++) {
            assert_true(a->values[r * SOURCE + j] >= 0);
            sum += (double)a->values[r * SOURCE + j];
        }
        assert_true(fades ? sum < 1 + 1e-5 : fabs(sum - 1) < 1e-5);
    }
}

/* The models of an ensemble run with `first` alone when tokens are forced. */
static void check_search(const Model *model, const Model *first, size_t beams, const Shortlist *shortlist)
{
    static const SearchInput input = { .source = source, .source_len = SOURCE };
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, beams, LONGEST);
    static Attention found, forced;
    Session *session = new_session(model, &params, &found);
    Err err;

    if (shortlist) assert_ok(session_use_shortlist(session, shortlist, &err), &err);
    for (size_t i = 0; i < beams; i++) {
        run(session, &input, i, &found);
        check_sums(model, &found);
        force(first, &found, &forced);
        assert_int_equal(forced.len, found.len);
        assert_memory_equal(forced.values, found.values, found.planes * found.len * SOURCE * sizeof *found.values);
    }
    session_free(session);
}

TEST(forced_tokens_get_the_attention_of_a_free_search)
{
    for (size_t i = 0; i < COUNT(session_support_models); i++) {
        const SessionModel *m = &session_support_models[i];
        Model *model = session_support_open(m->folder, m->precision);
        print_message("%s\n", m->folder);
        check_search(model, model, m->beams, NULL);
        model_free(model);
    }
}

TEST(an_ensemble_records_its_first_model)
{
    Model *first = session_support_open("marian_nmt/post", PRECISION_F32),
          *alone = session_support_open("marian_nmt/post", PRECISION_F32);

    model_append(first, session_support_open("marian_nmt/student", PRECISION_F32));
    check_search(first, alone, 4, NULL);
    model_free(first);
    model_free(alone);
}

static int32_t id_of(const void *context, const char *piece, size_t len)
{
    char text[16];

    (void)context;
    snprintf(text, sizeof text, "%.*s", (int)len, piece);
    return (int32_t)strtol(text, NULL, 10);
}

FOLDER_TEST(a_shortlist_does_not_change_the_attention)
{
    const ShortlistVocabulary v = { VOCAB, VOCAB, VOCAB, true, 1, NULL, id_of, id_of };
    FREED char *path = support_write_text(*state, "vmap.txt", "\t10 14 18 22 26 30 34 38 42 46 50 54 58 62 66 70 74\n");
    Model *model = session_support_open("marian_nmt/post", PRECISION_F32);
    Shortlist *shortlist;
    Err err;

    assert_ok(shortlist_open(&shortlist, path, &v, (ShortlistLimits){ .first = -1, .best = -1 }, &err), &err);
    check_search(model, model, 4, shortlist);
    shortlist_free(shortlist);
    model_free(model);
}

static void check_refused(const Model *model, AttentionChoice choice, const char *message)
{
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 2, LONGEST);
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, &params, 0, 8, &err), &err);
    assert_fails(session_record_attention(session, &choice, &err), ERR_USAGE, &err, message);
    assert_fails(session_record_attention(session, &choice, &err), ERR_USAGE, &err, message);
    session_free(session);
}

TEST(rejects_heads_that_do_not_exist)
{
    AttentionHead layer[2] = { { 1, 1 }, { 2, 0 } }, head = { 0, 2 };
    Model *model = session_support_open("marian_nmt/post", PRECISION_F32);

    check_refused(model, (AttentionChoice){ .heads = layer, .count = 2 },
                  "layer 2, head 0 (from 0) does not exist: the decoder has 2 layers of 2 heads");
    check_refused(model, (AttentionChoice){ .heads = &head, .count = 1, .separate = true },
                  "layer 0, head 2 (from 0) does not exist: the decoder has 2 layers of 2 heads");
    check_refused(model, (AttentionChoice){ .heads = &head }, "no attention head is chosen");
    model_free(model);
}

TEST(rejects_a_default_that_does_not_exist)
{
    static const struct {
        AlignmentConfig alignment;
        const char *message;
    } cases[] = {
        { { .heads = 1 }, "the model's settings choose a decoder layer or head for alignments that does not exist" },
        { { .layer_from_end = 1, .first_head = 2, .heads = 1 },
          "layer 1, head 2 (from 0) does not exist: the decoder has 2 layers of 2 heads" },
        { { .layer_from_end = 1, .heads = 3 },
          "layer 1, head 2 (from 0) does not exist: the decoder has 2 layers of 2 heads" },
    };
    AttentionChoice choice;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const ModelConfig config = { .decoder = { .layers = 2, .heads = 2 }, .alignment = cases[i].alignment };
        Err err;
        assert_fails(attention_choice_copy(&choice, NULL, &config, &err), ERR_USAGE, &err, cases[i].message);
        assert_null(choice.heads);
    }
}

TEST(default_layers_count_from_the_end)
{
    static const struct {
        AlignmentConfig alignment;
        size_t layer, count;
    } cases[] = { { { .layer_from_end = 1, .heads = 1 }, 2, 1 },
                  { { .layer_from_end = 2 }, 1, 4 },
                  { { .layer_from_end = 2, .first_head = 1, .heads = 2 }, 1, 2 },
                  { { .layer_from_end = 3, .heads = 2 }, 0, 2 },
                  { { .layer_from_end = 9, .heads = 4 }, 0, 4 } };
    AttentionChoice choice;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const ModelConfig config = { .decoder = { .layers = 3, .heads = 4 }, .alignment = cases[i].alignment };
        Err err;
        assert_ok(attention_choice_copy(&choice, NULL, &config, &err), &err);
        assert_int_equal(choice.count, cases[i].count);
        assert_int_equal(attention_choice_planes(&choice), 1);
        for (size_t h = 0; h < choice.count; h++) {
            assert_int_equal(choice.heads[h].layer, cases[i].layer);
            assert_int_equal(choice.heads[h].head, cases[i].alignment.first_head + h);
        }
        attention_choice_free(&choice);
    }
}

/* Copies a file of the golden folder; in model.bin, it first sets an attribute of the decoder: the name, rank 0,
 * type 2 (int16), and its size. */
static void copy_file(const char *folder, const char *name, const char *attribute, int16_t value)
{
    FREED char *from = support_path(GOLDEN_ROOT "/ctranslate2/marian-f32", name);
    size_t size;
    FREED char *bytes = support_read_file(from, &size);

    for (size_t i = 0; attribute && i + strlen(attribute) + 9 < size; i++)
        if (strcmp(bytes + i, attribute) == 0) memcpy(bytes + i + strlen(attribute) + 7, &value, sizeof value);
    free(support_write_file(folder, name, bytes, size));
}

static void check_alignment(const char *folder, size_t from_end, size_t heads)
{
    FREED char *packed = pack_support_make(folder, PRECISION_AUTO, folder, "packed");
    const char *const paths[] = { folder, packed };
    ModelConfig config;
    Err err;

    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_ok(read_config(&config, paths[i], &err), &err);
        assert_int_equal(config.alignment.layer_from_end, from_end);
        assert_int_equal(config.alignment.heads, heads);
        model_config_free(&config);
    }
    unlink(packed);
}

/* The model has 2 layers of 3 heads. */
FOLDER_TEST(ctranslate2_folders_and_packed_ones_name_their_heads)
{
    const char *folder = *state;

    copy_file(folder, "config.json", NULL, 0);
    copy_file(folder, "shared_vocabulary.json", NULL, 0);
    copy_file(folder, "model.bin", NULL, 0);
    check_alignment(folder, 1, 1);
    copy_file(folder, "model.bin", "decoder/alignment_layer", 0);
    check_alignment(folder, 2, 1);
    copy_file(folder, "model.bin", "decoder/alignment_layer", -2);
    check_alignment(folder, 2, 1);
    copy_file(folder, "model.bin", "decoder/alignment_heads", 2);
    check_alignment(folder, 1, 2);
    copy_file(folder, "model.bin", "decoder/alignment_heads", 0);
    check_alignment(folder, 1, 3);
}

TESTS(test_session_attention);
