/* test_ctranslate2_golden.c - compares CTranslate2 folders, pieces to pieces, with CTranslate2's
 * reference.jsonl in tests/golden/ctranslate2, which scripts/reference/make_ctranslate2_goldens.py made.
 * A few int8 results may differ, because another order of a sum may round differently. */
#include "golden_folders.h"
#include "jsonl_rows.h"
#include "request_support.h"
#include "search_settings.h"

#include <math.h>

#include "line.h"
#include "option_fields.h"

#define FOLDERS GOLDEN_ROOT "/ctranslate2"

/* Number of sentences, and of those whose hypotheses all equal CTranslate2's. */
static size_t seen, equal;

static double number(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

    return node ? node->valuedouble : otherwise;
}

static DragomanOptions options_of(const char *folder, const cJSON *settings)
{
    DragomanOptions o = option_fields_default();

    o.model = folder;
    o.pieces_in = o.pieces_out = true;
    o.beams = (size_t)number(settings, "beams", 0);
    o.n_best = (size_t)number(settings, "n_best", 1);
    o.min_length = (long)number(settings, "min_length", -1);
    o.max_length = (long)number(settings, "max_length", 0);
    o.no_repeat_ngram = (long)number(settings, "no_repeat_ngram", -1);
    o.prefix = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, "prefix"));
    o.length_penalty = (OptionalReal){ true, (float)number(settings, "length_penalty", 1) };
    o.repetition_penalty = (OptionalReal){ true, (float)number(settings, "repetition_penalty", 1) };
    return o;
}

/* Returns the pieces without the end token. */
static char *pieces_of(const Dragoman *d, const IdList *ids)
{
    Buf text = { 0 };

    buf_put(&text, "", 0);
    for (size_t i = 0; i < ids->len; i++) {
        const char *piece = dragoman_piece(d, ids->data[i]);
        if (strcmp(piece, "</s>") == 0) continue;
        buf_put_format(&text, "%s%s", text.len ? " " : "", piece);
    }
    return text.data ? text.data : support_format("%s", "");
}

static bool same_hypothesis(const Dragoman *d, const DragomanTranslation *got, const cJSON *wanted, double tolerance)
{
    char *pieces = pieces_of(d, &got->ids);
    double score = cJSON_GetObjectItemCaseSensitive(wanted, "score")->valuedouble;
    bool same = strcmp(pieces, cJSON_GetObjectItemCaseSensitive(wanted, "pieces")->valuestring) == 0 &&
                fabs((double)got->score - score) <= tolerance;

    free(pieces);
    return same;
}

static void check_sentence(const Dragoman *d, const DragomanLine *line, const cJSON *sentence, double tolerance,
                           const char *where)
{
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(sentence, "hypotheses");
    bool same = true;

    assert_int_equal(line->count, cJSON_GetArraySize(wanted));
    for (size_t i = 0; i < line->count; i++)
        same &= same_hypothesis(d, &line->translations[i], cJSON_GetArrayItem(wanted, (int)i), tolerance);
    seen++;
    equal += same;
    if (!same && tolerance < 1e-3)
        fail_msg("%s: \"%s\" is not what CTranslate2 says", where,
                 cJSON_GetObjectItemCaseSensitive(sentence, "source")->valuestring);
}

static void check_row(const char *folder, const cJSON *row, size_t number_of_row)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(row, "settings"), *sentence;
    FREED char *where = support_format("%s, line %zu", folder, number_of_row);
    const DragomanOptions o = options_of(folder, settings);
    Dragoman *d;
    DragomanError error;

    check_ok(dragoman_open(&d, &o, &error), &error);
    cJSON_ArrayForEach(sentence, cJSON_GetObjectItemCaseSensitive(row, "sentences"))
        submit_text(d, cJSON_GetObjectItemCaseSensitive(sentence, "source")->valuestring, 0);
    dragoman_finish(d);
    cJSON_ArrayForEach(sentence, cJSON_GetObjectItemCaseSensitive(row, "sentences"))
        check_sentence(d, next(d), sentence, number(row, "tolerance", 0), where);
    dragoman_close(d);
}

static void check_folder(const char *folder)
{
    FREED char *path = support_path(folder, "reference.jsonl");
    Rows rows = rows_open(path);

    seen = equal = 0;
    while (rows_next(&rows)) check_row(folder, rows.row, rows.number);
    assert_true(seen >= 50);
    if (equal * 10 < seen * 8) fail_msg("%s: %zu of %zu sentences are CTranslate2's", folder, equal, seen);
}

TEST(matches_ctranslate2_for_every_folder)
{
    golden_each_folder(FOLDERS, check_folder);
}

TESTS(test_ctranslate2_golden);
