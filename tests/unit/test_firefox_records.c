/* test_firefox_records.c - which files of Firefox's registry are a model, and which lists are refused. */
#include "test_support.h"

#include "buf.h"
#include "get.h"
#include "json.h"

#define HASH "0123456789012345678901234567890123456789012345678901234567890123"

/* A record of the pair en-de. */
static void add_record(Buf *list, const char *version, const char *type, const char *name, const char *rest)
{

    buf_put_format(list,
                   "%s{\"fromLang\":\"en\",\"toLang\":\"de\",\"version\":\"%s\",\"fileType\":\"%s\","
                   "\"attachment\":{\"filename\":\"%s\",\"location\":\"a/b\",%s}}",
                   list->len ? "," : "[", version, type, name, rest);
}

static void add_file(Buf *list, const char *version, const char *type, const char *name)
{
    add_record(list, version, type, name, "\"size\":7,\"hash\":\"" HASH "\"");
}

/* Ends the list, which is freed. The caller deletes the tree. */
static cJSON *parse(Buf *list)
{
    cJSON *tree;
    Err err;

    buf_put_byte(list, ']');
    assert_ok(json_parse_list(&tree, list->data, list->len, "records", &err), &err);
    buf_free(list);
    return tree;
}

static void check_refused(Buf *list, Status status, const char *message)
{
    cJSON *tree = parse(list);
    FirefoxModel model;
    Err err;

    assert_fails(firefox_records_choose(&model, tree, "en-de", &err), status, &err, message);
    cJSON_Delete(tree);
}

TEST(chooses_the_files_of_the_newest_version)
{
    Buf list = { 0 };
    FirefoxModel model;
    cJSON *tree;
    Err err;

    add_file(&list, "1.9", "model", "old.bin");
    add_file(&list, "1.10", "lex", "lex.bin");
    add_file(&list, "1.10", "model", "model.bin");
    add_file(&list, "1.10", "qualityModel", "other.bin");
    add_file(&list, "2.0a1", "model", "test.bin");
    tree = parse(&list);
    assert_ok(firefox_records_choose(&model, tree, "en-de", &err), &err);
    assert_string_equal(model.version, "1.10");
    assert_int_equal(model.count, 2);
    assert_string_equal(model.files[0].name, "lex.bin");
    assert_string_equal(model.files[1].name, "model.bin");
    assert_int_equal(model.files[1].size, 7);
    assert_int_equal(firefox_records_choose(&model, tree, "en-d", &err), ERR_IO);
    cJSON_Delete(tree);
}

TEST(refuses_names_that_lead_out_of_the_folder)
{
    static const char *const names[] = { "", ".", "..", "../x", "a/b", ".hidden", "a b" };

    for (size_t i = 0; i < COUNT(names); i++) {
        Buf list = { 0 };
        char *message = support_format("get: firefox:en-de: unsafe file name '%s'", names[i]);
        add_file(&list, "1.0", "model", names[i]);
        check_refused(&list, ERR_FORMAT, message);
        free(message);
    }
}

/* The second file would replace the first one. */
TEST(refuses_a_name_that_is_listed_twice)
{
    Buf list = { 0 };

    add_file(&list, "1.0", "model", "a.bin");
    add_file(&list, "1.0", "lex", "a.bin");
    check_refused(&list, ERR_FORMAT, "get: firefox:en-de: the registry lists a.bin twice");
}

TEST(requires_sizes_and_checksums)
{
    static const char *const parts[] = { "\"size\":7", "\"hash\":\"" HASH "\"", "\"size\":-1,\"hash\":\"" HASH "\"",
                                         "\"size\":7,\"hash\":\"x" HASH "\"" };

    for (size_t i = 0; i < COUNT(parts); i++) {
        Buf list = { 0 };
        add_record(&list, "1.0", "model", "a.bin", parts[i]);
        check_refused(&list, ERR_FORMAT, "get: firefox:en-de: the registry states no size or checksum of a.bin");
    }
}

TEST(limits_the_number_of_files)
{
    Buf list = { 0 };

    for (size_t i = 0; i <= FIREFOX_MOST_FILES; i++) {
        char *name = support_format("%zu.bin", i);
        add_file(&list, "1.0", "model", name);
        free(name);
    }
    check_refused(&list, ERR_FORMAT, "get: firefox:en-de: the registry lists too many files");
}

TESTS(test_firefox_records);
