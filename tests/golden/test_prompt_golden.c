/* test_prompt_golden.c - a prompt with a text inside gets the ids that transformers 4.57.1 gives it, and a text that
 * spells control tokens adds none of them. References: scripts/reference/make_prompt_goldens.py. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "jsonl_rows.h"
#include "model_support.h"
#include "tokenizer.h"

#define ROWS GOLDEN_ROOT "/prompts/prompts.jsonl"

static const cJSON *member(const Rows *rows, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(rows->row, key);
}

/* Writes the tokenizer and the prompt of the row into the folder, and opens them. */
static Tokenizer *open_row(const char *folder, const Rows *rows)
{
    FREED char *json = cJSON_PrintUnformatted(member(rows, "tokenizer"));
    cJSON *config = cJSON_CreateObject();
    char *text;
    Tokenizer *tokenizer;
    Err err;

    cJSON_AddStringToObject(config, "dragoman_prompt", member(rows, "prompt")->valuestring);
    text = cJSON_PrintUnformatted(config);
    cJSON_Delete(config);
    free(support_write_text(folder, "tokenizer.json", json));
    free(support_write_text(folder, "config.json", text));
    free(text);
    assert_ok(open_tokenizer(&tokenizer, folder, member(rows, "type")->valuestring, NULL, NULL, &err), &err);
    return tokenizer;
}

static void check_row(const Tokenizer *tokenizer, const Rows *rows, const cJSON *controls)
{
    const char *text = member(rows, "text")->valuestring;
    const cJSON *ids = member(rows, "ids"), *id = ids ? ids->child : NULL, *control;
    FREED_BY(encoding_free) Encoding e = { 0 };
    int count = 0;
    Err err;

    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &e, &err), &err);
    for (size_t i = 0; i < e.ids.len; i++) {
        cJSON_ArrayForEach(control, controls) count += e.ids.data[i] == control->valueint;
        if (ids && (!id || e.ids.data[i] != id->valueint))
            fail_msg("line %zu: id %zu is %d, not %d", rows->number, i, (int)e.ids.data[i], id ? id->valueint : -1);
        if (id) id = id->next;
    }
    assert_null(id);
    if (!ids) assert_int_equal(count, member(rows, "count")->valueint);
}

FOLDER_TEST(prompts_get_the_ids_of_transformers)
{
    Rows rows = rows_open(ROWS);
    Tokenizer *tokenizer = NULL;
    cJSON *controls = NULL;
    size_t tokenizers = 0, compared = 0;

    while (rows_next(&rows)) {
        if (member(&rows, "tokenizer")) {
            tokenizer_free(tokenizer);
            cJSON_Delete(controls);
            tokenizer = open_row(*state, &rows);
            controls = cJSON_Duplicate(member(&rows, "controls"), true);
            tokenizers++;
        } else {
            check_row(tokenizer, &rows, controls);
            compared++;
        }
    }
    tokenizer_free(tokenizer);
    cJSON_Delete(controls);
    assert_int_equal(tokenizers, 6);
    assert_true(compared >= 108);
}

TESTS(test_prompt_golden);
