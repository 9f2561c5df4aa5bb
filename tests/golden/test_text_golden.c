/* test_text_golden.c - translates text to text through the library and compares source ids, ids, scores and texts of
 * all hypotheses with transformers, with one worker or with two, by turns; the first line of a folder with both. With
 * two, the bytes of tokens are kept, too. Uses the models and references of test_model_golden.c with those settings
 * that DragomanOptions has. */
#include "golden_folders.h"
#include "request_support.h"
#include "search_settings.h"

#include "line.h"
#include "option_fields.h"

/* Returns false if a setting has no option. */
static bool options_set(DragomanOptions *o, const cJSON *node)
{
    const struct {
        const char *key;
        size_t *size;
        long *number;
        OptionalReal *real;
    } rows[] = {
        { "beams", .size = &o->beams },
        { "n_best", .size = &o->n_best },
        { "min_length", .number = &o->min_length },
        { "max_length", .size = &o->max_length },
        { "no_repeat_ngram_size", .number = &o->no_repeat_ngram },
        { "length_penalty", .real = &o->length_penalty },
        { "repetition_penalty", .real = &o->repetition_penalty },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (strcmp(node->string, rows[i].key) != 0) continue;
        if (rows[i].size) *rows[i].size = settings_size(node);
        if (rows[i].number) *rows[i].number = (long)settings_size(node);
        if (rows[i].real) *rows[i].real = (OptionalReal){ true, (float)node->valuedouble };
        return true;
    }
    if (strcmp(node->string, "early_stopping") != 0) return false;
    o->early_stopping = 1 + (int)settings_early_stopping(node);
    return true;
}

static const cJSON *member(const cJSON *object, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!node) fail_msg("%s is missing", key);
    return node;
}

static void check_translation(const char *name, size_t rank, const DragomanTranslation *got, const cJSON *wanted)
{
    Hypothesis h = { .ids = got->ids.data, .len = got->ids.len, .score = got->score, .sum = got->sum };

    settings_check_hypothesis(name, rank, h, wanted);
    assert_string_equal(got->text.data ? got->text.data : "", member(wanted, "text")->valuestring);
}

/* Checks that the ids' ranges are in a text of `len` bytes, in order. The text of the translations of these models is
 * covered except for spaces. */
static void check_ranges(const char *name, const DragomanRange *ranges, size_t count, const char *text, size_t len,
                         bool translated)
{
    size_t end = 0;

    for (size_t i = 0; i < count; i++) {
        if (ranges[i].begin > ranges[i].end || ranges[i].end > len || ranges[i].end < end)
            fail_msg("%s: range %zu is [%zu, %zu)", name, i, ranges[i].begin, ranges[i].end);
        for (; translated && end < ranges[i].begin; end++) assert_int_equal(text[end], ' ');
        end = ranges[i].end;
    }
    if (translated && ranges) assert_int_equal(end, len);
}

/* Ranges are kept for all ids or, if they are not `wanted`, for none. */
static void check_all_ranges(const char *name, const DragomanLine *line, bool wanted)
{
    const DragomanRange *ranges;
    const char *text;
    size_t count, ids, len;

    text = dragoman_line_source(line, &len);
    ranges = dragoman_line_source_ranges(line, &count);
    (void)dragoman_line_source_ids(line, &ids);
    assert_int_equal(count, wanted ? ids : 0);
    assert_true(wanted || !ranges);
    check_ranges(name, ranges, count, text, len, false);
    for (size_t i = 0; i < line->count; i++) {
        text = dragoman_line_translation(line, i, &len);
        ranges = dragoman_line_ranges(line, i, &count);
        (void)dragoman_line_ids(line, i, &ids);
        assert_int_equal(count, wanted ? ids : 0);
        assert_true(wanted || !ranges);
        check_ranges(name, ranges, count, text, len, true);
    }
    assert_null(dragoman_line_ranges(line, line->count, &count));
}

static void check_sentence(const char *where, const DragomanLine *line, bool ranges, const cJSON *sentence)
{
    const cJSON *wanted = member(sentence, "hypotheses");
    char *name = support_format("%s, \"%s\"", where, member(sentence, "source")->valuestring);
    IdList ids = { 0 };

    settings_ids(&ids, member(sentence, "source_ids"));
    if (line->source_ids.len != ids.len || memcmp(line->source_ids.data, ids.data, ids.len * sizeof *ids.data) != 0)
        fail_msg("%s: source ids %s, wanted %s", name, settings_show_ids(line->source_ids.data, line->source_ids.len),
                 settings_show_ids(ids.data, ids.len));
    assert_int_equal(line->most_segments, 1);
    assert_int_equal(line->count, cJSON_GetArraySize(wanted));
    for (size_t i = 0; i < line->count; i++)
        check_translation(name, i, &line->translations[i], cJSON_GetArrayItem(wanted, (int)i));
    check_all_ranges(name, line, ranges);
    ids_free(&ids);
    free(name);
}

static void translate(const char *where, const DragomanOptions *options, const cJSON *sentences)
{
    const cJSON *sentence;
    Dragoman *dragoman;
    DragomanError error;

    check_ok(dragoman_open(&dragoman, options, &error), &error);
    cJSON_ArrayForEach(sentence, sentences) submit_text(dragoman, member(sentence, "source")->valuestring, 0);
    dragoman_finish(dragoman);
    cJSON_ArrayForEach(sentence, sentences) check_sentence(where, next(dragoman), options->ranges, sentence);
    assert_null(next(dragoman));
    dragoman_close(dragoman);
}

/* Returns the string of a member, or NULL. */
static const char *string_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Returns false if the line cannot be expressed by options: because of its settings, a prefix, or a source that no
 * text produces. */
static bool check_line(void *context, size_t number, const cJSON *json)
{
    const char *folder = context;
    DragomanOptions o = option_fields_default();
    const cJSON *sentences = member(json, "sentences"), *node;
    char *where;

    o.model = folder;
    o.from = string_of(json, "from");
    o.to = string_of(json, "to");
    o.prefix = string_of(json, "prefix_text");
    if (cJSON_GetArraySize(member(json, "prefix")) > 0 && !o.prefix) return false;
    if (cJSON_GetObjectItemCaseSensitive(json, "pieces")) return false;
    o.n_best = (size_t)cJSON_GetArraySize(member(sentences->child, "hypotheses"));
    cJSON_ArrayForEach(node, member(json, "settings"))
    {
        if (!options_set(&o, node)) return false;
    }
    where = support_format("%s, line %zu", folder, number);
    for (o.threads = 1; o.threads <= 2; o.threads++) {
        if (number > 1 && (number + strlen(folder)) % 2 != o.threads % 2) continue; /* folders have the same settings */
        o.ranges = o.threads == 2;
        translate(where, &o, sentences);
    }
    free(where);
    return true;
}

/* Translates the lines whose search settings all have options: at least four of a Marian folder. */
static void check_folder(const char *folder)
{
    char *reference = support_path(folder, "reference.jsonl");

    assert_true(golden_each_line(reference, check_line, (void *)(uintptr_t)folder) >= 4);
    free(reference);
}

TEST(gives_texts_ids_and_scores_of_transformers_for_marian)
{
    golden_each_folder(GOLDEN_MARIAN, check_folder);
}

TEST(gives_texts_ids_and_scores_of_transformers_for_other_families)
{
    golden_each_folder(GOLDEN_FAMILIES, check_folder);
}

TEST(gives_texts_ids_and_scores_of_plain_pytorch_for_tutorials)
{
    golden_each_folder(GOLDEN_TUTORIALS, check_folder);
}

TESTS(test_text_golden);
