/* test_c_locale.c - numbers are read and written with a decimal point in a program whose locale has a decimal comma. */
#include "test_support.h"

#include <locale.h>

#include "buf.h"
#include "c_locale.h"
#include "dragoman_tools.h"
#include "get.h"
#include "json.h"
#include "tree_file.h"

#define FOLDER   GOLDEN_ROOT "/marian/mish-languages"
#define ENSEMBLE FOLDER "," FOLDER

static bool set_comma_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8", "de_DE" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',') return true;
    return false;
}

/* Compiles the locale if none is installed. */
static int use_comma_locale(void **state)
{
    char folder[] = "/tmp/dragoman-locale-XXXXXX";
    char *command;

    (void)state;
    if (set_comma_locale() || !mkdtemp(folder)) return 0;
    command = support_format("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    if (system(command) == 0 && setenv("LOCPATH", folder, 1) == 0) (void)set_comma_locale();
    free(command);
    command = support_format("rm -r %s", folder);
    assert_int_equal(system(command), 0);
    free(command);
    return 0;
}

static int restore_locale(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    return 0;
}

static void need_comma(void)
{
    if (*localeconv()->decimal_point != ',') skip_because("no locale with a decimal comma can be found or compiled");
}

TEST(strtod_and_strtof_read_a_decimal_point)
{
    char *end;

    need_comma();
    assert_true(c_locale_strtod("0.5,4", &end) == 0.5);
    assert_string_equal(end, ",4");
    assert_true(c_locale_strtof("0.1 x", &end) == 0.1f);
    assert_string_equal(end, " x");
    assert_int_equal(*localeconv()->decimal_point, ','); /* the program keeps its locale */
}

TEST(texts_and_messages_have_a_decimal_point)
{
    cJSON *number = cJSON_CreateNumber(0.5);
    char shown[JSON_SHOWN];
    Buf text = { 0 };
    char *json;
    Err err;

    assert_int_equal(err_set(&err, ERR_IO, "%g", 0.5), ERR_IO);
    assert_string_equal(err.text, "0.5");
    buf_put_format(&text, "%.9g %.1f", 0.5, 1e3);
    assert_string_equal(text.data, "0.5 1000.0");
    assert_string_equal(json_show(number, shown), "0.5");
    json = json_print(number);
    assert_string_equal(json, "0.5");
    cJSON_free(json);
    cJSON_Delete(number);
    buf_free(&text);
    need_comma();
}

TEST(yaml_and_json_numbers_have_a_decimal_point)
{
    static const char yaml[] = "a: 0.5\n", json[] = "{\"a\": 0.5}";
    cJSON *tree;
    Err err;

    need_comma();
    assert_ok(yaml_tree_parse(&tree, yaml, sizeof yaml - 1, "a.yml", NULL, &err), &err);
    assert_true(cJSON_IsNumber(tree->child) && tree->child->valuedouble == 0.5);
    cJSON_Delete(tree);
    assert_ok(json_parse(&tree, json, sizeof json - 1, "a.json", &err), &err);
    assert_true(tree->child->valuedouble == 0.5);
    cJSON_Delete(tree);
}

TEST(a_download_that_is_too_large_is_reported_with_decimal_points)
{
    Err err;
    Get get = { .err = &err };

    need_comma();
    folders_check_space(&get, "/", (uint64_t)1 << 63);
    assert_int_equal(get.st, ERR_IO);
    assert_non_null(strstr(err.text, "needs 9223372036854.8 MB"));
}

/* Returns the description of an ensemble with weights. The caller frees it with dragoman_free_text(). */
static char *describe(void)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    char *text;

    assert_non_null(options);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, ENSEMBLE, NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_TO, "nld", NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_WEIGHTS, "0.5,0.25", NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_real(options, DRAGOMAN_LENGTH_PENALTY, 0.75, NULL), DRAGOMAN_OK);
    if (dragoman_describe(options, &text, &error) != DRAGOMAN_OK) fail_msg("%s", error.message);
    dragoman_options_free(options);
    return text;
}

TEST(a_model_is_read_and_described_as_in_the_c_locale)
{
    char *text, *wanted;

    need_comma();
    text = describe();
    setlocale(LC_ALL, "C");
    wanted = describe();
    assert_non_null(strstr(wanted, "weights: 0.5 0.25\n"));
    assert_non_null(strstr(wanted, "length penalty: 0.75\n"));
    assert_string_equal(text, wanted);
    dragoman_free_text(text);
    dragoman_free_text(wanted);
}

TESTS_WITH(test_c_locale, use_comma_locale, restore_locale);
