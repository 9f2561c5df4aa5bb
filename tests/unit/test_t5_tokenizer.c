/* test_t5_tokenizer.c - settings of T5's tokenizer that no reference folder has.
 * tests/golden/test_family_tokenizer_golden.c compares with transformers. */
#include "sp_support.h"

#include <stdlib.h>
#include <string.h>

#include "model_support.h"

#define SP "\xe2\x96\x81" /* U+2581 */

/* Writes a spiece.model that adds a space before a text, or does not. */
static void write_model(const char *folder, bool adds_space)
{
    static const struct {
        const char *text;
        unsigned type;
    } pieces[] = { { "<pad>", SP_CONTROL }, { "</s>", SP_CONTROL }, { "<unk>", SP_UNKNOWN },
                   { SP, SP_NORMAL },       { "a", SP_NORMAL },     { SP "a", SP_NORMAL } };
    Buf model = { 0 }, normalizer = { 0 };

    for (size_t i = 0; i < COUNT(pieces); i++) sp_support_add_piece(&model, pieces[i].text, -1, pieces[i].type);
    sp_support_add_number(&normalizer, 3, adds_space);
    sp_support_add_bytes(&model, 3, normalizer.data, normalizer.len);
    buf_free(&normalizer);
    free(support_write_file(folder, "spiece.model", model.data, model.len));
    buf_free(&model);
}

/* Checks the ids of "a a". */
static void check_ids(const char *folder, bool adds_space, const char *settings, const int32_t want[3])
{
    char *config = support_format("{\"extra_ids\": 0%s}", settings);
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    write_model(folder, adds_space);
    free(support_write_text(folder, "tokenizer_config.json", config));
    assert_ok(open_tokenizer(&tokenizer, folder, "t5", NULL, NULL, &err), &err);
    assert_ok(tokenizer_encode(tokenizer, "a a", 3, &encoding, &err), &err);
    assert_int_equal(encoding.ids.len, 3);
    assert_memory_equal(encoding.ids.data, want, 3 * sizeof *want);
    free(config);
}

FOLDER_TEST(adds_a_space_before_a_text_as_the_class_does)
{
    static const int32_t with[] = { 5, 5, 1 }, without[] = { 4, 5, 1 };

    check_ids(*state, true, "", with);
    check_ids(*state, false, "", without);
    check_ids(*state, true, ", \"add_prefix_space\": false", with);
    check_ids(*state, true, ", \"legacy\": false", with);
    check_ids(*state, false, ", \"legacy\": false", with);
    check_ids(*state, true, ", \"legacy\": false, \"add_prefix_space\": false", without);
}

TESTS(test_t5_tokenizer);
