/* test_ranges_golden.c - compares the bytes that pieces stand for with SentencePiece's immutable proto and with
 * tokenizers' offset_mapping. References: scripts/reference/make_range_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "sp_model.h"
#include "tokenizer_json.h"
#include "view_support.h"

#define FOLDER      GOLDEN_ROOT "/ranges/"
#define MODELS_MOST 20

/* The models of the references, opened when they are first named. */
typedef struct {
    char *names[MODELS_MOST];
    TokenizerJson models[MODELS_MOST];
    size_t rows[MODELS_MOST];
    size_t count;
} Models;

static size_t find_model(Models *m, const char *name)
{
    FREED char *path = support_path(GOLDEN_ROOT, name);
    size_t i = 0;
    Err err;

    while (i < m->count && strcmp(m->names[i], name) != 0) i++;
    if (i == m->count) {
        assert_true(i < MODELS_MOST);
        m->names[m->count++] = strdup(name);
        m->models[i] = (TokenizerJson){ 0 };
        m->rows[i] = 0;
        if (strstr(name, ".json"))
            assert_ok(READ_FILE(tokenizer_json_open, &m->models[i], path, &err), &err);
        else
            assert_ok(READ_FILE(sp_shim_open, &m->models[i].sp, path, &err), &err);
    }
    m->rows[i]++;
    return i;
}

static void close_models(Models *m)
{
    for (size_t i = 0; i < m->count; i++) {
        tokenizer_json_free(&m->models[i]);
        free(m->names[i]);
    }
}

static const char *string_of(const Rows *rows, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(rows->row, key)->valuestring;
}

/* The place that `node`, an element of the list of ranges, gives; moves to the next one. */
static size_t take_place(const cJSON **node)
{
    const size_t place = *node ? (size_t)(*node)->valuedouble : SIZE_MAX;

    if (*node) *node = (*node)->next;
    return place;
}

static void check_ranges(const Rows *rows, const char *model, const Range *got, size_t count, const cJSON *want)
{
    const cJSON *node = want->child;

    if ((size_t)cJSON_GetArraySize(want) != 2 * count)
        fail_msg("%s line %zu, %s: %zu pieces, not %d; \"%s\"", rows->name, rows->number, model, count,
                 cJSON_GetArraySize(want) / 2, string_of(rows, "text"));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = take_place(&node), end = take_place(&node);
        if (got[i].begin != begin || got[i].end != end)
            fail_msg("%s line %zu, %s: piece %zu is [%zu, %zu), not [%zu, %zu); \"%s\"", rows->name, rows->number,
                     model, i, got[i].begin, got[i].end, begin, end, string_of(rows, "text"));
    }
}

static void count_piece(void *context, const char *piece, size_t len)
{
    (void)piece, (void)len;
    ++*(size_t *)context;
}

TEST(pieces_have_the_bytes_of_sentencepiece_and_tokenizers)
{
    Rows rows = rows_open(FOLDER "encode.jsonl");
    Models models = { .count = 0 };
    FREED_BY(ranges_free) RangeList ranges = { 0 };
    Err err;

    while (rows_next(&rows)) {
        const char *text = string_of(&rows, "text");
        const cJSON *want = cJSON_GetObjectItemCaseSensitive(rows.row, "ranges")->child;
        for (; want; want = want->next) {
            const SpModel *model = models.models[find_model(&models, want->string)].sp;
            size_t pieces = 0;
            ranges_clear(&ranges);
            assert_ok(sp_shim_encode(model, (SpEdges){ 0 }, text, strlen(text), count_piece, &pieces, &ranges, &err),
                      &err);
            assert_int_equal(pieces, ranges.len);
            check_ranges(&rows, want->string, ranges.data, ranges.len, want);
        }
    }
    assert_int_equal(models.count, 14);
    for (size_t i = 0; i < models.count; i++) assert_true(models.rows[i] > 100);
    close_models(&models);
}

/* Decodes the pieces after a text, whose length is added to their ranges. */
static void check_decoding(const Rows *rows, const char *name, const SpModel *model)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(rows->row, "pieces")->child;
    const char *pieces[1024];
    Range ranges[1024];
    FREED_BY(buf_free) Buf text = { 0 };
    size_t count = 0;
    Err err;

    for (; node; node = node->next) {
        assert_true(count < COUNT(pieces));
        pieces[count++] = node->valuestring;
    }
    buf_put_text(&text, "before ");
    assert_ok(sp_decode(&model->traits, pieces, count, &text, ranges, &err), &err);
    assert_string_equal(text.data + strlen("before "), string_of(rows, "text"));
    for (size_t i = 0; i < count; i++) {
        ranges[i].begin -= strlen("before ");
        ranges[i].end -= strlen("before ");
    }
    check_ranges(rows, name, ranges, count, cJSON_GetObjectItemCaseSensitive(rows->row, "ranges"));
}

TEST(decoded_pieces_have_the_bytes_of_sentencepiece)
{
    Rows rows = rows_open(FOLDER "decode.jsonl");
    Models models = { .count = 0 };

    while (rows_next(&rows)) {
        const char *name = string_of(&rows, "model");
        check_decoding(&rows, name, models.models[find_model(&models, name)].sp);
    }
    assert_int_equal(models.count, 8);
    for (size_t i = 0; i < models.count; i++) assert_true(models.rows[i] > 40);
    close_models(&models);
}

TESTS(test_ranges_golden);
