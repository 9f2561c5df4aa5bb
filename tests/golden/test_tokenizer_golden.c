/* test_tokenizer_golden.c - compares pieces, ids and text with transformers 4.57.1 and sentencepiece 0.2.3.
 * References, and the intended differences: scripts/reference/make_tokenizer_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "model_support.h"
#include "sp_model.h"
#include "tokenizer.h"
#include "tree_file.h"
#include "view_support.h"

#define FOLDERS GOLDEN_ROOT "/tokenizers/"
#define CODES   FOLDERS "codes"
#define ADDED   FOLDERS "added"

/* A tokenizer and the rows of a file in its folder. */
typedef struct {
    Tokenizer *tokenizer;
    Rows rows;
    char *path;
} Golden;

static const char *row_text(const Rows *rows)
{
    return cJSON_GetObjectItemCaseSensitive(rows->row, "text")->valuestring;
}

static IdList row_ids(const Rows *rows, const char *key)
{
    IdList ids = { 0 };
    Err err;
    JsonReader r = { { rows->row, rows->name }, &err, OK };

    json_read_ids(&r, key, 0, INT32_MAX, &ids);
    assert_ok(r.st, &err);
    return ids;
}

static void check_ids(const Rows *rows, const IdList *got, const IdList *want)
{
    for (size_t i = 0; i < got->len && i < want->len; i++) {
        if (got->data[i] != want->data[i]) {
            fail_msg("%s line %zu: id %zu is %d, not %d; \"%s\"", rows->name, rows->number, i, (int)got->data[i],
                     (int)want->data[i], row_text(rows));
        }
    }
    if (got->len != want->len)
        fail_msg("%s line %zu: %zu ids, not %zu; \"%s\"", rows->name, rows->number, got->len, want->len,
                 row_text(rows));
}

static Tokenizer *open_opus(const char *folder, const char *to)
{
    Tokenizer *tokenizer;
    Err err;

    assert_ok(open_tokenizer(&tokenizer, folder, "marian", NULL, to, &err), &err);
    return tokenizer;
}

static Golden golden_open(const char *folder, const char *file)
{
    Golden golden = { .tokenizer = open_opus(folder, NULL), .path = support_path(folder, file) };

    golden.rows = rows_open(golden.path);
    return golden;
}

static void golden_close(Golden *golden)
{
    tokenizer_free(golden->tokenizer);
    free(golden->path);
}

static void check_encoding(const Tokenizer *tokenizer, const char *text, const Rows *rows, const IdList *want)
{
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    FREED_BY(ids_free) IdList part = { 0 };
    Err err;

    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &encoding, &err), &err);
    check_ids(rows, &encoding.ids, want);
    assert_ok(tokenizer_encode_part(&encoding, 0, encoding.pieces, &part, &err), &err);
    check_ids(rows, &part, want);
}

/* The length of a line's own code, as transformers finds it, in a model that has codes. */
static size_t own_code(const char *text)
{
    const char *end = strncmp(text, ">>", 2) == 0 ? strstr(text, "<<") : NULL;

    return end ? (size_t)(end - text) + 2 : 0;
}

static void check_encode_file(const char *folder, size_t lines)
{
    Golden golden = golden_open(folder, "encode.jsonl");

    while (rows_next(&golden.rows)) {
        FREED_BY(ids_free) IdList want = row_ids(&golden.rows, "ids");
        check_encoding(golden.tokenizer, row_text(&golden.rows), &golden.rows, &want);
    }
    assert_int_equal(golden.rows.number, lines);
    golden_close(&golden);
}

TEST(encodes_like_transformers_also_unknown_characters_as_bytes)
{
    check_encode_file(FOLDERS "opus-mt-fr-en", 1000);
    check_encode_file(FOLDERS "bytes", 300); /* separate vocabularies */
}

/* For a code without a token, transformers uses the unknown token, id 0; dragoman uses the language that the code
 * names, or reports an error. */
static void check_unknown_code(const Tokenizer *plain, const char *text, const Rows *rows, IdList *want, int32_t fra)
{
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    assert_int_equal(want->data[0], 0);
    if (strncmp(text, ">>fr<<", 6) == 0) {
        want->data[0] = fra;
        check_encoding(plain, text, rows, want);
    } else if (strncmp(text, ">>DEU<<", 7) == 0) {
        want->data[0] = fra - 1;
        check_encoding(plain, text, rows, want);
    } else {
        assert_int_equal(tokenizer_encode(plain, text, strlen(text), &encoding, &err), ERR_USAGE);
        assert_non_null(strstr(err.text, ": unknown language; the model translates into deu, fra, "));
    }
}

/* A line without a code has the ids of transformers after the code of --to. */
static void check_code_row(const Tokenizer *plain, const Tokenizer *german, const Rows *rows, int32_t deu)
{
    const char *text = row_text(rows);
    size_t code = own_code(text);
    FREED_BY(ids_free) IdList want = row_ids(rows, "ids"), led = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    assert_ok(ids_append(&led, deu, &err), &err);
    assert_ok(ids_append_all(&led, want.data, want.len, &err), &err);
    if (code && want.data[0] == 0) {
        check_unknown_code(plain, text, rows, &want, deu + 1);
    } else if (code) {
        check_encoding(plain, text, rows, &want);
        if (strncmp(text, ">>deu<<", 7) == 0) check_encoding(german, text, rows, &want);
        if (strncmp(text, ">>deu<<", 7) == 0 && !own_code(text + 7)) check_encoding(german, text + 7, rows, &want);
    } else {
        assert_int_equal(tokenizer_encode(plain, text, strlen(text), &encoding, &err), ERR_USAGE);
        check_encoding(german, text, rows, &led);
    }
}

TEST(uses_the_language_code_of_the_line_or_of_the_option)
{
    Golden plain = golden_open(CODES, "encode.jsonl");
    FREED_BY(free_tokenizer) Tokenizer *german = open_opus(CODES, "de");
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    assert_ok(tokenizer_encode(german, "", 0, &encoding, &err), &err);
    while (rows_next(&plain.rows)) check_code_row(plain.tokenizer, german, &plain.rows, encoding.ids.data[0]);
    assert_int_equal(plain.rows.number, 300);
    golden_close(&plain);
}

typedef struct {
    const Rows *rows;
    const cJSON *next; /* the next expected piece */
} Expected;

static void expect_piece(void *context, const char *piece, size_t len)
{
    Expected *expected = context;

    if (!expected->next || strlen(expected->next->valuestring) != len ||
        memcmp(expected->next->valuestring, piece, len) != 0)
        fail_msg("%s line %zu: piece \"%.*s\", not \"%s\"", expected->rows->name, expected->rows->number, (int)len,
                 piece, expected->next ? expected->next->valuestring : "(end)");
    expected->next = expected->next->next;
}

TEST(gives_the_pieces_of_sentencepiece_in_python)
{
    static const char *const folders[] = { FOLDERS "opus-mt-fr-en", FOLDERS "bytes", CODES };
    Err err;

    for (size_t i = 0; i < COUNT(folders); i++) {
        FREED char *path = support_path(folders[i], "encode.jsonl"), *spm = support_path(folders[i], "source.spm");
        Rows rows = rows_open(path);
        FREED_BY(free_sp) SpModel *model;
        assert_ok(READ_FILE(sp_shim_open, &model, spm, &err), &err);
        while (rows_next(&rows)) {
            const char *text = row_text(&rows);
            size_t code = strcmp(folders[i], CODES) == 0 ? own_code(text) : 0;
            Expected expected = { &rows, cJSON_GetObjectItemCaseSensitive(rows.row, "pieces")->child };
            if (code) expected.next = expected.next->next;
            assert_ok(sp_shim_encode(model, (SpEdges){ 0 }, text + code, strlen(text + code), expect_piece, &expected,
                                     NULL, &err),
                      &err);
            assert_null(expected.next);
        }
    }
}

/* Returns false for pieces that contain white space, which cannot be separated by white space. */
static bool join_pieces(const Rows *rows, Buf *out)
{
    buf_clear(out);
    for (const cJSON *piece = cJSON_GetObjectItemCaseSensitive(rows->row, "pieces")->child; piece;
         piece = piece->next) {
        if (strpbrk(piece->valuestring, " \t\v\f\r")) return false;
        if (strcmp(piece->valuestring, "<unk>") == 0 || strcmp(piece->valuestring, "</s>") == 0) return false;
        buf_put_format(out, "%s ", piece->valuestring);
    }
    return true;
}

TEST(encodes_pieces_by_their_strings)
{
    Golden golden = golden_open(FOLDERS "opus-mt-fr-en", "encode.jsonl");
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    size_t checked = 0;
    FREED_BY(buf_free) Buf text = { 0 };
    Err err;

    while (rows_next(&golden.rows)) {
        IdList want;
        if (!join_pieces(&golden.rows, &text)) continue;
        want = row_ids(&golden.rows, "ids");
        assert_ok(tokenizer_encode_pieces(golden.tokenizer, text.len ? text.data : "", text.len, &encoding, &err),
                  &err);
        check_ids(&golden.rows, &encoding.ids, &want);
        ids_free(&want);
        checked++;
    }
    assert_true(checked > 800);
    golden_close(&golden);
}

TEST(encodes_target_prefixes_like_target_texts)
{
    static const char *const folders[] = { FOLDERS "opus-mt-fr-en", FOLDERS "bytes", CODES };
    Err err;

    for (size_t i = 0; i < COUNT(folders); i++) {
        Golden golden = golden_open(folders[i], "target.jsonl");
        FREED_BY(ids_free) IdList ids = { 0 };
        while (rows_next(&golden.rows)) {
            FREED_BY(ids_free) IdList want = row_ids(&golden.rows, "ids");
            const char *text = row_text(&golden.rows);
            assert_ok(tokenizer_encode_target(golden.tokenizer, text, strlen(text), false, &ids, &err), &err);
            check_ids(&golden.rows, &ids, &want);
        }
        assert_true(golden.rows.number > 200);
        golden_close(&golden);
    }
}

static void check_decode_file(const char *folder, size_t at_least)
{
    Golden golden = golden_open(folder, "decode.jsonl");
    FREED_BY(buf_free) Buf text = { 0 };
    Err err;

    while (rows_next(&golden.rows)) {
        FREED_BY(ids_free) IdList ids = row_ids(&golden.rows, "ids");
        buf_clear(&text);
        buf_put_text(&text, "");
        assert_ok(tokenizer_decode(golden.tokenizer, ids.data, ids.len, &text, NULL, &err), &err);
        if (strcmp(text.data, row_text(&golden.rows)) != 0)
            fail_msg("%s line %zu: \"%s\", not \"%s\"", golden.path, golden.rows.number, text.data,
                     row_text(&golden.rows));
    }
    assert_true(golden.rows.number > at_least);
    golden_close(&golden);
}

TEST(decodes_like_transformers_also_bytes_and_a_space_after_the_word)
{
    check_decode_file(FOLDERS "opus-mt-fr-en", 3000); /* every id */
    check_decode_file(FOLDERS "bytes", 300);
    check_decode_file(CODES, 200);
}

static void check_added_row(const Tokenizer *tokenizer, const cJSON *node)
{
    const Rows row = { .name = ADDED "/reference.json", .row = (cJSON *)(uintptr_t)node };
    const char *text = row_text(&row);
    IdList want = row_ids(&row, "ids"), ids = { 0 };
    FREED_BY(buf_free) Buf decoded = { 0 };
    Err err;

    check_encoding(tokenizer, text, &row, &want);
    ids_free(&want);
    want = row_ids(&row, "target");
    assert_ok(tokenizer_encode_target(tokenizer, text, strlen(text), false, &ids, &err), &err);
    check_ids(&row, &ids, &want);
    assert_ok(tokenizer_decode(tokenizer, want.data, want.len, &decoded, NULL, &err), &err);
    assert_string_equal(decoded.data, cJSON_GetObjectItemCaseSensitive(node, "decoded")->valuestring);
    ids_free(&ids);
    ids_free(&want);
}

/* Without `flags`, leaves out the texts with tokens that have flags. */
static void check_added_rows(const char *folder, bool flags)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_opus(folder, NULL);
    cJSON *file, *row;
    size_t count = 0;
    Err err;

    assert_ok(tree_file_read_json(&file, ADDED "/reference.json", &err), &err);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(file, "rows"))
    {
        const char *text = cJSON_GetObjectItemCaseSensitive(row, "text")->valuestring;
        if (!flags && (strstr(text, "[S]") || strstr(text, "[L]"))) continue;
        check_added_row(tokenizer, row);
        count++;
    }
    assert_int_equal(count, flags ? 16 : 14);
    cJSON_Delete(file);
}

FOLDER_TEST(finds_and_writes_added_tokens_like_transformers)
{
    static const char *const files[] = { "source.spm", "target.spm", "vocab.json", "target_vocab.json",
                                         "added_tokens.json" };

    check_added_rows(ADDED, true);
    /* The same tokens in a file of their own. */
    for (size_t i = 0; i < COUNT(files); i++) {
        FREED char *path = support_path(ADDED, files[i]);
        support_copy_file(path, *state, files[i]);
    }
    free(support_write_text(*state, "tokenizer_config.json",
                            "{\"separate_vocabs\": true, \"additional_special_tokens\": [\"<brk>\"]}"));
    check_added_rows(*state, false);
}

TESTS(test_tokenizer_golden);
