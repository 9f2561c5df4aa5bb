/* test_calibration.c - the file of a calibration, and the parts that learn one. */
#include "test_support.h"

#include "calibration.h"
#include "calibrate.h"

static const ModelConfig config = { .decoder = { .layers = 6, .heads = 8 } };

#define FILE_OF(alignment, confidence)                                                                                 \
    "{\n  \"dragoman_calibration\": 1,\n  \"model\": \"00f880bebf019831\",\n  \"alignment\": " alignment               \
    ",\n  \"confidence\": " confidence "\n}\n"
#define ALIGNMENT  "{\"layer\": 2, \"head\": 7, \"shift\": 1, \"agreement\": 0.7500, \"pairs\": 4000}"
#define WEIGHTS    "{\"mean\": 1.5, \"minimum\": -0.25, \"deviation\": 1e-07, \"margin\": 0.333333, \"entropy\": -1234.5}"
#define CONFIDENCE "{\"weights\": " WEIGHTS ", \"bias\": -2.25, \"pairs\": 900, \"good\": 400}"

static Status read_text(Calibration *out, const char *text, Err *err)
{
    cJSON *tree;
    Status st = json_parse(&tree, text, strlen(text), "c.json", err);

    if (st == OK) st = calibration_read(out, (JsonObject){ tree, "c.json" }, &config, err);
    cJSON_Delete(tree);
    return st;
}

TEST(writes_what_it_reads)
{
    static const char *const files[] = {
        FILE_OF(ALIGNMENT, CONFIDENCE), FILE_OF(ALIGNMENT, "null"),
        FILE_OF("{\"layer\": 0, \"head\": null, \"shift\": 0, \"agreement\": 0.1250, \"pairs\": 1}", CONFIDENCE)
    };
    Calibration c;
    Err err;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FREED_BY(buf_free) Buf out = { 0 };
        assert_ok(read_text(&c, files[i], &err), &err);
        assert_ok(calibration_append(&out, &c, &config.decoder, &err), &err);
        assert_string_equal(out.data, files[i]);
    }
    assert_int_equal(c.alignment.layer_from_end, 6);
    assert_int_equal(c.alignment.heads, 0);
    assert_ok(read_text(&c, files[0], &err), &err);
    assert_int_equal(c.alignment.layer_from_end, 4);
    assert_int_equal(c.alignment.first_head, 7);
    assert_int_equal(c.alignment.heads, 1);
    assert_int_equal(c.alignment.shift, 1);
    assert_true(c.model == 0x00f880bebf019831u);
}

TEST(refuses_broken_files)
{
    static const struct {
        const char *text, *message;
        Status status;
    } cases[] = {
        { "{}", "dragoman_calibration is missing", ERR_FORMAT },
        { "{\"dragoman_calibration\": 2}", "dragoman_calibration is 2; this program reads version 1", ERR_UNSUPPORTED },
        { "{\"dragoman_calibration\": 1}", "model must be a string of 16 hexadecimal digits", ERR_FORMAT },
        { "{\"dragoman_calibration\": 1, \"model\": \"00F880BEBF019831\"}",
          "model must be a string of 16 hexadecimal digits", ERR_FORMAT },
        { FILE_OF("null", "null"), "alignment must be an object", ERR_FORMAT },
        { FILE_OF("{\"head\": 0}", "null"), "layer is missing", ERR_FORMAT },
        { FILE_OF("{\"layer\": 6}", "null"), "layer must be a whole number from 0 to 5", ERR_FORMAT },
        { FILE_OF("{\"layer\": 5, \"head\": 8}", "null"), "head must be a whole number from 0 to 7", ERR_FORMAT },
        { FILE_OF("{\"layer\": 5, \"head\": 0, \"shift\": 2}", "null"), "shift must be a whole number from 0 to 1",
          ERR_FORMAT },
        { FILE_OF("{\"layer\": 5, \"shift\": 0, \"agreement\": 1e999}", "null"), "agreement must be a finite number",
          ERR_FORMAT },
        { FILE_OF("{\"layer\": 5, \"shift\": 0, \"agreement\": 1, \"pairs\": -1}", "null"),
          "pairs must be a whole number from 0 to 9007199254740991", ERR_FORMAT },
        { FILE_OF(ALIGNMENT, "7"), "confidence must be an object", ERR_FORMAT },
        { FILE_OF(ALIGNMENT, "{\"weights\": [1, 2, 3, 4, 5]}"), "weights must be an object", ERR_FORMAT },
        { FILE_OF(ALIGNMENT, "{\"weights\": {\"mean\": \"1\"}}"), "mean must be a finite number", ERR_FORMAT },
        { FILE_OF(ALIGNMENT, "{\"weights\": " WEIGHTS "}"), "bias must be a finite number", ERR_FORMAT },
        { FILE_OF(ALIGNMENT, "{\"weights\": " WEIGHTS ", \"bias\": 0, \"pairs\": 3, \"good\": 4}"),
          "good must be a whole number from 0 to 3", ERR_FORMAT },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FREED char *message = support_format("c.json: %s", cases[i].message);
        Calibration c;
        Err err = { "" };
        assert_fails(read_text(&c, cases[i].text, &err), cases[i].status, &err, message);
    }
}

/* Expects that this attention [layers * heads, target + 1, 3] agrees with all links; source token 0 is special. */
static void check_best(size_t layers, size_t heads, const float *attention, const int32_t *links, size_t target,
                       AlignmentConfig expected)
{
    const HeadChoicePair pair = { attention, links, 3, target, 1, 2 };
    AlignmentConfig best;
    HeadChoice choice;
    Err err;

    assert_ok(head_choice_init(&choice, layers, heads, &err), &err);
    head_choice_add(&choice, &pair);
    assert_true(head_choice_best(&choice, &best) == 1);
    assert_memory_equal(&best, &expected, sizeof best);
    free(choice.counts);
}

/* One target token after another is linked with the source tokens 1 and 2 of three. Head 1 of layer 1 agrees one step
 * later, everything else attends to token 0. */
TEST(finds_the_head_and_the_shift)
{
    const int32_t links[] = { 1, 2, 2, 1 };
    float attention[4][5][3] = { 0 };

    for (size_t h = 0; h < 4; h++)
        for (size_t t = 0; t < 5; t++) attention[h][t][0] = 0.75f;
    for (size_t t = 0; t < 4; t++) attention[3][t + 1][links[t]] = 0.875f;
    check_best(2, 2, &attention[0][0][0], links, 4,
               (AlignmentConfig){ .layer_from_end = 1, .first_head = 1, .heads = 1, .shift = 1 });
}

/* Each head sees half of the links; their sum sees all. */
TEST(prefers_the_mean_when_it_agrees_better)
{
    const int32_t links[] = { 1, 2 };
    const float attention[2][3][3] = { { { 0.2f, 0.5f, 0.3f }, { 0.4f, 0.3f, 0.3f }, { 1, 0, 0 } },
                                       { { 0.4f, 0.3f, 0.3f }, { 0.2f, 0.3f, 0.5f }, { 1, 0, 0 } } };

    check_best(1, 2, &attention[0][0][0], links, 2, (AlignmentConfig){ .layer_from_end = 1 });
}

/* Word x of the source is word x + 20 of the target, in reverse order; 0 ends the source, 40 the target. */
TEST(links_words_with_their_translations)
{
    uint32_t random = 1;
    LinkLexicon lexicon = { 0 };
    Err err;

    assert_ok(link_lexicon_init(&lexicon, 20, 41, 40, &err), &err);
    for (int p = 0; p <= 300; p++) {
        int32_t source[5] = { 0 }, target[4], links[4];
        Encoding encoding = { .ids = { .data = source, .len = 5 }, .pieces = 4 };
        const IdList translation = { .data = target, .len = 4 };
        bool full;
        for (int i = 0; i < 4; i++) {
            source[i] = (int32_t)(1 + i * 4 + (int32_t)(support_random(&random) >> 8) % 4);
            target[3 - i] = source[i] + 20;
        }
        if (p < 300) {
            assert_ok(link_lexicon_add(&lexicon, &encoding, &translation, &full, &err), &err);
            assert_false(full);
            continue;
        }
        assert_ok(link_lexicon_learn(&lexicon, &err), &err);
        assert_ok(link_lexicon_links(&lexicon, &encoding, &translation, links, &err), &err);
        for (int i = 0; i < 4; i++) assert_int_equal(links[i], 3 - i);
        target[1] = 39; /* a word that was never seen */
        assert_ok(link_lexicon_links(&lexicon, &encoding, &translation, links, &err), &err);
        assert_int_equal(links[1], -1);
        assert_int_equal(links[0], 3);
    }
    link_lexicon_free(&lexicon);
}

TEST(sample_is_spread_over_all_pairs)
{
    for (size_t pairs = 0; pairs <= 100; pairs++) {
        PairSample sample = { .most = 8 };
        TextPair pair = { .source = { 0 } };
        int32_t id;
        size_t stride = 1;
        Err err;
        pair.target_ids = (IdList){ .data = &id, .len = 1 };
        for (size_t i = 0; i < pairs; i++) {
            id = (int32_t)i;
            assert_ok(pair_sample_add(&sample, &pair, &err), &err);
        }
        while ((pairs + stride - 1) / stride > 8) stride *= 2;
        assert_int_equal(sample.seen, pairs);
        assert_int_equal(sample.count, (pairs + stride - 1) / stride);
        for (size_t i = 0; i < sample.count; i++)
            assert_int_equal(sample.pairs[i].target_ids.data[0], (int32_t)(i * stride));
        pair_sample_free(&sample);
    }
}

TESTS(test_calibration);
