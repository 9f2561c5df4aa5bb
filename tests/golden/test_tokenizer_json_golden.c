/* test_tokenizer_json_golden.c - a tokenizer.json that transformers 4.57.1 wrote gives the pieces of the
 * SentencePiece model that it was made from, and the ids of the slow tokenizer. References:
 * scripts/reference/make_tokenizer_json_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "model_support.h"
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

static TokenizerJson open_json(const Case *c)
{
    FREED char *path = support_format(FOLDERS "%s/%s", c->folder, c->file);
    TokenizerJson json;
    Err err;

    assert_ok(READ_FILE(tokenizer_json_open, &json, path, &err), &err);
    return json;
}

/* Calls `check` with each tokenizer.json and the model that it was made from. */
static void check_cases(void (*check)(const Case *c, const TokenizerJson *json, const SpModel *model))
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        FREED char *path = support_format(FOLDERS "%s/spm.model", cases[i].folder);
        FREED_BY(free_sp) SpModel *model;
        Err err;
        assert_ok(READ_FILE(sp_shim_open, &model, path, &err), &err);
        check(&cases[i], &json, model);
        tokenizer_json_free(&json);
    }
}

/* Compares the pieces, if the row has any, and the ids of one row, in order. */
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
    const char *wanted = e->piece ? e->piece->valuestring : NULL;

    if (!entry || entry->special) entry = vocab_find(e->vocab, "<unk>", 5);
    if (!e->id || entry->id != e->id->valueint ||
        (wanted && (strlen(wanted) != len || memcmp(wanted, piece, len) != 0)))
        fail_msg("%s/%s line %zu: piece \"%.*s\" with the id %d, not \"%s\" with %d", e->c->folder, e->c->file,
                 e->rows->number, (int)len, piece, (int)entry->id, wanted ? wanted : "", e->id ? e->id->valueint : -1);
    if (e->piece) e->piece = e->piece->next;
    e->id = e->id->next;
}

/* Returns the number of rows. */
static size_t check_rows(const Case *c, const TokenizerJson *json, bool has_pieces)
{
    FREED char *path = support_format(FOLDERS "%s/encode.jsonl", c->folder);
    Rows rows = rows_open(path);
    Err err;

    while (rows_next(&rows)) {
        const char *text = cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring;
        Expected e = { .c = c, .rows = &rows, .vocab = json->vocab };
        e.id = cJSON_GetObjectItemCaseSensitive(rows.row, "ids")->child;
        if (has_pieces) {
            e.piece = cJSON_GetObjectItemCaseSensitive(rows.row, "pieces")->child;
            assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(rows.row, "pieces")),
                             cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(rows.row, "ids")));
        }
        assert_ok(sp_shim_encode(json->sp, (SpEdges){ 0 }, text, strlen(text), expect, &e, NULL, &err), &err);
        assert_null(e.id);
    }
    return rows.number;
}

TEST(gives_pieces_of_sentencepiece_and_ids_of_the_slow_tokenizer)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        assert_int_equal(check_rows(&cases[i], &json, true), 100);
        tokenizer_json_free(&json);
    }
}

TEST(gives_the_ids_of_a_model_trained_with_nfkc_by_tokenizers)
{
    static const Case native = { "native", "tokenizer.json", "", "</s> " };
    TokenizerJson json = open_json(&native);

    assert_true(check_rows(&native, &json, false) > 250);
    tokenizer_json_free(&json);
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

TEST(adds_the_tokens_of_the_template_around_a_text)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        TokenizerJson json = open_json(&cases[i]);
        FREED char *before = token_names(&json, &json.before), *after = token_names(&json, &json.after);
        assert_string_equal(before, cases[i].before);
        assert_string_equal(after, cases[i].after);
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
    FREED_BY(buf_free) Buf a = { 0 }, b = { 0 };
    Err err;

    assert_ok(sp_shim_encode(wanted, (SpEdges){ 0 }, text, len, join, &a, NULL, &err), &err);
    assert_ok(sp_shim_encode(got, (SpEdges){ 0 }, text, len, join, &b, NULL, &err), &err);
    if (a.len != b.len || (a.len && memcmp(a.data, b.data, a.len) != 0))
        fail_msg("%s/%s: \"%.*s\": %s, not %s", c->folder, c->file, (int)len, text, b.data, a.data);
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
    uint32_t parts = 1 + support_random(seed) % 12;

    buf_clear(out);
    for (uint32_t i = 0; i < parts; i++) {
        const char *part = sp_shim_piece(model, support_random(seed) % sp_shim_piece_count(model));
        size_t len = strlen(part);
        if (support_random(seed) % 3 == 0) len = strlen(part = odd[support_random(seed) % COUNT(odd)]);
        if (support_random(seed) % 8 == 0 && len > 1 && (unsigned char)part[0] < 0x80) part++, len--;
        buf_put(out, part, len);
    }
}

static void check_odd_texts(const Case *c, const TokenizerJson *json, const SpModel *model)
{
    uint32_t seed = 20251121 + (uint32_t)(c - cases);
    FREED_BY(buf_free) Buf text = { 0 };

    for (int n = 0; n < 2000; n++) {
        make_text(&text, model, &seed);
        check_same(c, model, json->sp, text.data, text.len);
    }
}

static void check_hard_lines(const Case *c, const TokenizerJson *json, const SpModel *model)
{
    static const char *const files[] = { "opus-mt-fr-en", "bytes", "codes" };

    for (size_t f = 0; f < COUNT(files); f++) {
        FREED char *path = support_format(GOLDEN_ROOT "/tokenizers/%s/encode.jsonl", files[f]);
        Rows rows = rows_open(path);
        while (rows_next(&rows)) {
            const char *text = cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring;
            size_t len = strlen(text);
            check_same(c, model, json->sp, text, len < 3000 ? len : 3000);
        }
        assert_true(rows.number >= 300);
    }
}

TEST(encodes_odd_texts_and_hard_lines_like_the_original_model)
{
    check_cases(check_odd_texts);
    check_cases(check_hard_lines);
}

static void check_decoding(const Case *c, const TokenizerJson *json, const SpModel *model)
{
    uint32_t seed = 7 + (uint32_t)(c - cases);
    Err err;

    for (int n = 0; n < 500; n++) {
        const char *pieces[8];
        size_t count = 1 + support_random(&seed) % COUNT(pieces);
        FREED_BY(buf_free) Buf a = { 0 }, b = { 0 };
        for (size_t k = 0; k < count; k++)
            pieces[k] = sp_shim_piece(model, 4 + support_random(&seed) % (sp_shim_piece_count(model) - 4));
        assert_ok(sp_decode(&model->traits, pieces, count, &a, NULL, &err), &err);
        assert_ok(sp_decode(&json->sp->traits, pieces, count, &b, NULL, &err), &err);
        assert_int_equal(a.len, b.len);
        if (a.len) assert_memory_equal(a.data, b.data, a.len);
    }
}

TEST(decodes_pieces_like_the_original_model)
{
    check_cases(check_decoding);
}

TESTS(test_tokenizer_json_golden);
