/* test_mapped_file.c - mapped files and file names. */
#include "test_support.h"

#include "stored_file.h"
#include "path.h"

static void check_refused(const char *path, const char *fault)
{
    MappedFile file = { .data = (const unsigned char *)path, .size = 1 };
    FREED char *message = support_file_message(path, fault);
    Err err;

    assert_fails(stored_file_open(&file, path, &err), ERR_IO, &err, message);
    assert_null(file.data);
    assert_int_equal(file.size, 0);
    mapped_file_close(&file);
}

FOLDER_TEST(maps_every_byte_of_a_file)
{
    static const size_t sizes[] = { 0, 1, 2, 4095, 4096, 4097, 100000 };

    for (size_t i = 0; i < COUNT(sizes); i++) {
        unsigned char *bytes = support_alloc(sizes[i] + 1);
        MappedFile file;
        Err err;
        char *path;
        for (size_t b = 0; b < sizes[i]; b++) bytes[b] = (unsigned char)(b * 31 >> 3);
        path = support_write_file(*state, "file", bytes, sizes[i]);
        assert_ok(stored_file_open(&file, path, &err), &err);
        assert_int_equal(file.size, sizes[i]);
        assert_true(sizes[i] ? memcmp(file.data, bytes, sizes[i]) == 0 : !file.data);
        mapped_file_release(&file, 0, SIZE_MAX);
        mapped_file_close(&file);
        assert_null(file.data);
        assert_int_equal(file.size, 0);
        mapped_file_close(&file);
        free(path);
        free(bytes);
    }
}

FOLDER_TEST(names_a_file_that_cannot_be_read)
{
    char *path = support_path(*state, "x");

    check_refused(path, strerror(ENOENT));
    check_refused("", strerror(ENOENT));
    check_refused(*state, "is a directory, not a file");
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(path, "is not a regular file");
    assert_int_equal(unlink(path), 0);
    check_refused("/dev/null", "is not a regular file");
    free(path);
    free(support_write_file(*state, "file", "x", 1));
    path = support_path(*state, "file/below");
    check_refused(path, strerror(ENOTDIR));
    free(path);
}

FOLDER_TEST(released_pages_can_be_read_again_wherever_the_range_lies)
{
    static const size_t ranges[][2] = {
        { 0, 0 },     { 0, 1 },        { 0, 50000 },         { 1, 49999 },        { 4096, 4096 },
        { 5000, 10 }, { 49999, 1 },    { 50000, 0 },         { 50000, 1 },        { 60000, 7 },
        { 0, 60000 }, { 0, SIZE_MAX }, { SIZE_MAX, 1 },      { 8192, SIZE_MAX },  { SIZE_MAX, SIZE_MAX },
        { 1, 4095 },  { 4095, 4098 },  { SIZE_MAX - 1, 50 }, { 3, SIZE_MAX - 2 },
    };
    char bytes[50000];
    char *path;
    MappedFile file;
    Err err;

    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i >> 4);
    path = support_write_file(*state, "file", bytes, sizeof bytes);
    assert_ok(stored_file_open(&file, path, &err), &err);
    for (size_t i = 0; i < COUNT(ranges); i++) {
        mapped_file_release(&file, ranges[i][0], ranges[i][1]);
        assert_memory_equal(file.data, bytes, sizeof bytes);
    }
    mapped_file_close(&file);
    free(path);
}

FOLDER_TEST(finds_the_file_that_contains_an_address)
{
    char bytes[10000] = { 0 };
    char *path = support_write_file(*state, "one", bytes, sizeof bytes);
    char *other_path = support_write_file(*state, "two", bytes, 1);
    MappedFile file, other;
    const void *begin;
    Err err;

    assert_ok(stored_file_open(&file, path, &err), &err);
    assert_ok(stored_file_open(&other, other_path, &err), &err);
    begin = file.data;
    assert_string_equal(mapped_file_find(file.data), path);
    assert_string_equal(mapped_file_find(file.data + sizeof bytes - 1), path);
    assert_string_equal(mapped_file_find(other.data), other_path);
    assert_null(mapped_file_find(other.data + 1));
    assert_null(mapped_file_find(bytes));
    assert_null(mapped_file_find(NULL));
    mapped_file_close(&file);
    assert_null(mapped_file_find(begin));
    assert_ok(stored_file_open(&file, path, &err), &err);
    assert_string_equal(mapped_file_find(file.data), path);
    assert_string_equal(mapped_file_find(other.data), other_path);
    mapped_file_close(&other);
    mapped_file_close(&file);
    free(other_path);
    free(path);
}

TEST(joins_names_with_one_slash)
{
    static const char *const names[][3] = {
        { "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "", "b", "b" }, { "/", "b", "/b" }, { "a", "", "a/" }
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = path_join(names[i][0], names[i][1]);
        assert_string_equal(path, names[i][2]);
        free(path);
    }
}

/* Something has the name of a dangling link, and of a link to itself. */
FOLDER_TEST(tells_files_directories_and_missing_paths_apart)
{
    static const char *const targets[] = { "missing", "x" };
    char *path = support_path(*state, "x");

    assert_true(path_exists(*state) && path_is_directory(*state));
    assert_false(path_exists(path) || path_is_directory(path));
    free(support_write_file(*state, "x", "", 0));
    assert_true(path_exists(path) && !path_is_directory(path));
    for (size_t i = 0; i < COUNT(targets); i++) {
        assert_int_equal(unlink(path), 0);
        assert_int_equal(symlink(targets[i], path), 0);
        assert_true(path_exists(path));
    }
    free(path);
}

TEST(splits_a_path_into_folder_and_name)
{
    static const struct {
        const char *path, *folder, *name;
    } cases[] = {
        { "a/b/c.txt", "a/b", "c.txt" }, { "c.txt", ".", "c.txt" }, { "/c.txt", "/", "c.txt" }, { "a/", "a", "" }
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = path_folder(cases[i].path);
        assert_string_equal(folder, cases[i].folder);
        assert_string_equal(path_name(cases[i].path), cases[i].name);
        free(folder);
    }
}

TESTS(test_mapped_file);
