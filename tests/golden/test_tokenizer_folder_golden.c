/* test_tokenizer_folder_golden.c - a model folder with a tokenizer.json gives the same results without its
 * SentencePiece file. References: scripts/reference/make_tokenizer_json_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "model_support.h"
#include "tokenizer.h"

#define FOLDERS GOLDEN_ROOT "/tokenizer_json/"

typedef struct {
    const char *folder, *model_type, *file, *from, *to;
} Case;

static const Case cases[] = {
    { "t5", "t5", "spiece.model", NULL, "de" },
    { "t5", "t5", "spiece.model", NULL, "fr" },
    { "mt5", "mt5", "spiece.model", NULL, NULL },
    { "mbart25", "mbart", "sentencepiece.bpe.model", "en", "de" },
    { "mbart50", "mbart", "sentencepiece.bpe.model", "fr_XX", "en" },
    { "nllb", "m2m_100", "sentencepiece.bpe.model", "eng_Latn", "deu_Latn" },
    { "barthez", "mbart", "sentencepiece.bpe.model", NULL, NULL },
};

static void copy_file(const Case *c, const char *name, const char *folder, const char *as)
{
    FREED char *from = support_format(FOLDERS "%s/%s", c->folder, name);

    support_copy_file(from, folder, as);
}

static Tokenizer *open_folder(const Case *c, const char *folder)
{
    Tokenizer *tokenizer;
    Err err;

    assert_ok(open_tokenizer(&tokenizer, folder, c->model_type, c->from, c->to, &err), &err);
    return tokenizer;
}

/* The same folder with all its files, and without the SentencePiece file. */
typedef struct {
    Tokenizer *with, *without;
} Pair;

static Pair open_pair(const Case *c, const char *parent)
{
    static const char *const files[] = { "tokenizer.json", "tokenizer_config.json", "config.json" };
    FREED char *folder = support_format("%s/%zu", parent, (size_t)(c - cases)), *model = support_path(folder, c->file);
    Pair pair;

    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < COUNT(files); i++) copy_file(c, files[i], folder, files[i]);
    copy_file(c, "spm.model", folder, c->file);
    pair.with = open_folder(c, folder);
    assert_int_equal(unlink(model), 0);
    pair.without = open_folder(c, folder);
    return pair;
}

static void free_pair(Pair *pair)
{
    tokenizer_free(pair->with);
    tokenizer_free(pair->without);
}

static void check_settings(const Tokenizer *a, const Tokenizer *b)
{
    assert_int_equal(tokenizer_facts(a)->decoder_start, tokenizer_facts(b)->decoder_start);
    assert_int_equal(tokenizer_facts(a)->forced_bos, tokenizer_facts(b)->forced_bos);
    assert_int_equal(tokenizer_facts(a)->source_vocab, tokenizer_facts(b)->source_vocab);
    assert_int_equal(tokenizer_facts(a)->target_vocab, tokenizer_facts(b)->target_vocab);
    assert_int_equal(tokenizer_facts(a)->language_count, tokenizer_facts(b)->language_count);
    for (size_t i = 0; i < tokenizer_facts(a)->language_count; i++)
        assert_string_equal(tokenizer_facts(a)->languages[i].name, tokenizer_facts(b)->languages[i].name);
}

static void check_text(const Case *c, const Tokenizer *a, const Tokenizer *b, const char *text)
{
    FREED_BY(encoding_free) Encoding x = { 0 }, y = { 0 };
    FREED_BY(buf_free) Buf p = { 0 }, q = { 0 };
    Err err;

    assert_ok(tokenizer_encode(a, text, strlen(text), &x, &err), &err);
    assert_ok(tokenizer_encode(b, text, strlen(text), &y, &err), &err);
    if (x.ids.len != y.ids.len || memcmp(x.ids.data, y.ids.data, x.ids.len * sizeof *x.ids.data) != 0)
        fail_msg("%s: \"%s\" has other ids", c->folder, text);
    assert_int_equal(x.body, y.body);
    assert_int_equal(x.pieces, y.pieces);
    assert_ok(tokenizer_decode(a, x.ids.data, x.ids.len, &p, NULL, &err), &err);
    assert_ok(tokenizer_decode(b, x.ids.data, x.ids.len, &q, NULL, &err), &err);
    if (p.len != q.len || (p.len && memcmp(p.data, q.data, p.len) != 0))
        fail_msg("%s: \"%s\", not \"%s\"", c->folder, q.data, p.data);
}

static void check_lines(const Case *c, const Tokenizer *a, const Tokenizer *b)
{
    FREED char *path = support_format(FOLDERS "%s/encode.jsonl", c->folder);
    Rows rows = rows_open(path);

    while (rows_next(&rows)) check_text(c, a, b, cJSON_GetObjectItemCaseSensitive(rows.row, "text")->valuestring);
    assert_int_equal(rows.number, 100);
}

FOLDER_TEST(encodes_the_same_without_the_sentencepiece_file)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pair pair = open_pair(&cases[i], *state);
        check_settings(pair.with, pair.without);
        check_lines(&cases[i], pair.with, pair.without);
        free_pair(&pair);
    }
}

static void check_id(const Pair *pair, int32_t id)
{
    int32_t ids[] = { id, 5, id, id };
    FREED_BY(buf_free) Buf a = { 0 }, b = { 0 };
    Err err;

    assert_int_equal(tokenizer_target_is_special(pair->with, id), tokenizer_target_is_special(pair->without, id));
    assert_string_equal(tokenizer_target_piece(pair->with, id), tokenizer_target_piece(pair->without, id));
    for (size_t count = 1; count <= COUNT(ids); count++) {
        buf_clear(&a);
        buf_clear(&b);
        assert_ok(tokenizer_decode(pair->with, ids, count, &a, NULL, &err), &err);
        assert_ok(tokenizer_decode(pair->without, ids, count, &b, NULL, &err), &err);
        assert_int_equal(a.len, b.len);
        if (a.len) assert_memory_equal(a.data, b.data, a.len);
    }
}

FOLDER_TEST(decodes_every_id_to_the_same_text)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Pair pair = open_pair(&cases[i], *state);
        size_t size = tokenizer_facts(pair.with)->target_vocab;
        for (size_t id = 0; id < size + 3; id++) check_id(&pair, (int32_t)id);
        free_pair(&pair);
    }
}

TESTS(test_tokenizer_folder_golden);
