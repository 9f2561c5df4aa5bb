/* test_tokenizer_json_golden.c - a tokenizer.json that transformers 4.57.1 wrote gives the pieces of the
 * SentencePiece model that it was made from, and the ids of the slow tokenizer. References:
 * scripts/reference/make_tokenizer_json_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "tokenizer_json.h"
#include "view_support.h"

#define FOLDERS GOLDEN_ROOT "/tokenizer_json/"

typedef struct {
    const char *folder, *file;
    const char *before, *after; /* tokens around a text, each followed by a space */
} Case;

static const Case cases[] = {
    { "t5", "tokenizer.json", "", "</s> " },
    { "t5", "old.json", "", "</s> " },
    { "mt5", "tokenizer.json", "", "</s> " },
    { "mbart25", "tokenizer.json", "", "</s> en_XX " },
    { "mbart50", "tokenizer.json", "en_XX ", "</s> " },
    { "nllb", "tokenizer.json", "eng_Latn ", "</s> " },
    { "nllb", "old.json", "eng_Latn ", "</s> " },
    { "barthez", "tokenizer.json", "<s> ", "</s> " },
    { "barthez", "old.json", "<s> ", "</s> " },
    { "llama", "tokenizer.json", "<s> ", "" },
    { "llama", "old.json", "<s> ", "" },
    { "spaces", "tokenizer.json", "", "</s> " },
};

static char *case_path(const Case *c, const char *file)
{
    return support_format(FOLDERS "%s/%s", c->folder, file);
}

static TokenizerJson open_json(const Case *c)
{
    char *path = case_path(c, c->file);
    TokenizerJson json;
    Err err;

    assert_ok(READ_FILE(tokenizer_json_open, &json, path, &err), &err);
    free(path);
    return json;
}

static SpModel *open_sp(const Case *c)
{
    char *path = case_path(c, "spm.model");
    SpModel *model;
    Err err;

    assert_ok(READ_FILE(sp_shim_open, &model, path, &err), &err);
    free(path);
    return model;
}

/* Compares the pieces and ids of one row, in order. */
typedef struct {
    const Case *c;
    const Rows *rows;
    const Vocab *vocab;
    const cJSON *piece, *id; /* expected next */
} Expected;

static void expect(void *context, const char *piece, size_t len)
{
    Expected *e = context;
    const VocabEntry *entry = vocab_find(e->vocab, piece, len);
    const VocabEntry *unk = vocab_find(e->vocab, "<unk>", 5);

    if (!e->piece || strlen(e->piece->valuestring) != len || memcmp(e->piece->valuestring, piece, len) != 0) {
        fail_msg("%s/%s line %zu: piece \"%.*s\", not \"%s\"", e->c->folder, e->c->file, e->rows->number, (int)len,
                 piece, e->piece ? e->piece->valuestring : "(end)");
    }
    if (!entry || entry->special) entry = unk;
    if (entry->id != e->id->valueint) {
        fail_msg("%s/%s line %zu: \"%.*s\" has the id %d, not %d", e->c->folder, e->c->file, e->rows->number, (int)len,
                 piece, (int)entry->id, e->id->valueint);
    }
    e->piece = e->piece->next;
    e->id = e->id->next;
}

static void gives_pieces_of_sentencepiece_and_ids_of_the_slow_tokenizer(void **state)
{
    Err err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        char *path = case_path(&cases[i], "encode.jsonl");
        Rows rows = rows_open(path);
        while (rows_next(&rows)) {
            const char *text = cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring;
            Expected e = { &cases[i], &rows, json.vocab, cJSON_GetObjectItemCaseSensitive(rows.row, "pieces")->child,
                           cJSON_GetObjectItemCaseSensitive(rows.row, "ids")->child };
            assert_ok(sp_shim_encode(json.sp, text, strlen(text), expect, &e, NULL, &err), &err);
            assert_null(e.piece);
        }
        assert_int_equal(rows.number, 100);
        tokenizer_json_free(&json);
        free(path);
    }
}

/* Compares ids only. */
typedef struct {
    const Rows *rows;
    const Vocab *vocab;
    const cJSON *id; /* expected next */
} ExpectedIds;

static void expect_id(void *context, const char *piece, size_t len)
{
    ExpectedIds *e = context;
    const VocabEntry *entry = vocab_find(e->vocab, piece, len);

    if (!entry || entry->special) entry = vocab_find(e->vocab, "<unk>", 5);
    if (!e->id || entry->id != e->id->valueint)
        fail_msg("native line %zu: \"%.*s\" has the id %d", e->rows->number, (int)len, piece, (int)entry->id);
    e->id = e->id->next;
}

static void gives_the_ids_of_a_model_trained_with_nfkc_by_tokenizers(void **state)
{
    static const Case native = { "native", "tokenizer.json", "", "</s> " };
    TokenizerJson json = open_json(&native);
    char *path = case_path(&native, "encode.jsonl");
    Rows rows = rows_open(path);
    Err err;

    (void)state;
    while (rows_next(&rows)) {
        const char *text = cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring;
        ExpectedIds e = { &rows, json.vocab, cJSON_GetObjectItemCaseSensitive(rows.row, "ids")->child };
        assert_ok(sp_shim_encode(json.sp, text, strlen(text), expect_id, &e, NULL, &err), &err);
        assert_null(e.id);
    }
    assert_true(rows.number > 250);
    tokenizer_json_free(&json);
    free(path);
}

static char *token_names(const TokenizerJson *json, const IdList *ids)
{
    Buf out = { 0 };

    buf_put(&out, "", 0);
    for (size_t i = 0; i < ids->len; i++) {
        const VocabEntry *entry = vocab_entry(json->vocab, ids->data[i]);
        assert_non_null(entry);
        assert_true(entry->special);
        buf_put_format(&out, "%s ", entry->piece);
    }
    return out.data;
}

static void adds_the_tokens_of_the_template_around_a_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        char *before = token_names(&json, &json.before), *after = token_names(&json, &json.after);
        assert_string_equal(before, cases[i].before);
        assert_string_equal(after, cases[i].after);
        free(before);
        free(after);
        tokenizer_json_free(&json);
    }
}

static void join(void *context, const char *piece, size_t len)
{
    buf_put(context, piece, len);
    buf_put_byte(context, '\n');
}

static void check_same(const Case *c, const SpModel *wanted, const SpModel *got, const char *text, size_t len)
{
    Buf a = { 0 }, b = { 0 };
    Err err;

    assert_ok(sp_shim_encode(wanted, text, len, join, &a, NULL, &err), &err);
    assert_ok(sp_shim_encode(got, text, len, join, &b, NULL, &err), &err);
    if (a.len != b.len || (a.len && memcmp(a.data, b.data, a.len) != 0))
        fail_msg("%s/%s: \"%.*s\": %s, not %s", c->folder, c->file, (int)len, text, b.data, a.data);
    buf_free(&a);
    buf_free(&b);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Appends random pieces, parts of pieces and unusual characters. */
static void make_text(Buf *out, const SpModel *model, uint32_t *seed)
{
    static const char *const odd[] = { " ",
                                       "  ",
                                       "   ",
                                       "\t",
                                       "\xe2\x96\x81",
                                       "\xe2\x96\x81\xe2\x96\x81",
                                       "\xc2\xa0",
                                       "</s>",
                                       "\xf0\x9f\x98\x80",
                                       "A",
                                       "ABC",
                                       "\xe2\x80\xa6",
                                       "\xcc\x81",
                                       "<unk>",
                                       "<2de>",
                                       "<extra_id_0>",
                                       "de_DE",
                                       "@@@@@",
                                       "\xe6\xbc\xa2\xe6\xbc\xa2",
                                       "...",
                                       "0",
                                       "aaa",
                                       "\xe3\x80\x80",
                                       "<0x41>" };
    uint32_t parts = 1 + next_random(seed) % 12;

    buf_clear(out);
    for (uint32_t i = 0; i < parts; i++) {
        const char *part = sp_shim_piece(model, next_random(seed) % sp_shim_piece_count(model));
        size_t len = strlen(part);
        if (next_random(seed) % 3 == 0) len = strlen(part = odd[next_random(seed) % COUNT(odd)]);
        if (next_random(seed) % 8 == 0 && len > 1 && (unsigned char)part[0] < 0x80) part++, len--;
        buf_put(out, part, len);
    }
}

static void encodes_odd_texts_like_the_original_model(void **state)
{
    uint32_t seed = 20251121;
    Buf text = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        SpModel *model = open_sp(&cases[i]);
        for (int n = 0; n < 2000; n++) {
            make_text(&text, model, &seed);
            check_same(&cases[i], model, json.sp, text.data, text.len);
        }
        sp_shim_free(model);
        tokenizer_json_free(&json);
    }
    buf_free(&text);
}

static void encodes_hard_lines_like_the_original_model(void **state)
{
    static const char *const files[] = { "opus-mt-fr-en", "bytes", "codes" };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        SpModel *model = open_sp(&cases[i]);
        for (size_t f = 0; f < COUNT(files); f++) {
            char *path = support_format(GOLDEN_ROOT "/tokenizers/%s/encode.jsonl", files[f]);
            Rows rows = rows_open(path);
            while (rows_next(&rows)) {
                const char *text = cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring;
                size_t len = strlen(text);
                check_same(&cases[i], model, json.sp, text, len < 3000 ? len : 3000);
            }
            assert_true(rows.number >= 300);
            free(path);
        }
        sp_shim_free(model);
        tokenizer_json_free(&json);
    }
}

static void decodes_pieces_like_the_original_model(void **state)
{
    uint32_t seed = 7;
    Err err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        SpModel *model = open_sp(&cases[i]);
        for (int n = 0; n < 500; n++) {
            const char *pieces[8];
            size_t count = 1 + next_random(&seed) % COUNT(pieces);
            Buf a = { 0 }, b = { 0 };
            for (size_t k = 0; k < count; k++)
                pieces[k] = sp_shim_piece(model, 4 + next_random(&seed) % (sp_shim_piece_count(model) - 4));
            assert_ok(sp_shim_decode(model, pieces, count, &a, NULL, &err), &err);
            assert_ok(sp_shim_decode(json.sp, pieces, count, &b, NULL, &err), &err);
            assert_int_equal(a.len, b.len);
            if (a.len) assert_memory_equal(a.data, b.data, a.len);
            buf_free(&a);
            buf_free(&b);
        }
        sp_shim_free(model);
        tokenizer_json_free(&json);
    }
}

TEST_FILE(test_tokenizer_json_golden)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_pieces_of_sentencepiece_and_ids_of_the_slow_tokenizer),
        cmocka_unit_test(gives_the_ids_of_a_model_trained_with_nfkc_by_tokenizers),
        cmocka_unit_test(adds_the_tokens_of_the_template_around_a_text),
        cmocka_unit_test(encodes_odd_texts_like_the_original_model),
        cmocka_unit_test(encodes_hard_lines_like_the_original_model),
        cmocka_unit_test(decodes_pieces_like_the_original_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
