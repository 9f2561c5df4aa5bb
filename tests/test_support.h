/* test_support.h - what all tests share.
 * Includes cmocka and the headers that it needs; adds a file to the program of
 * its tests; makes a temporary folder per test; reads and writes whole files;
 * asserts that show dragoman's message. A function that fails ends the test.
 * The caller frees returned strings. */
#ifndef DRAGOMAN_TEST_SUPPORT_H
#define DRAGOMAN_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Begins the declaration of a pointer that is freed at the end of its block: FREED char *path = ...;
 * FREED_BY() calls another function, with the address of the variable. */
#define FREED              FREED_BY(support_freed)
#define FREED_BY(function) __attribute__((cleanup(function)))

static inline void support_freed(void *pointer)
{
    free(*(void **)pointer);
}

/* A test. */
typedef struct TestCase {
    struct CMUnitTest test;
    int line;
    struct TestCase *next;
} TestCase;

/* One file of tests in a program (test_program.c). */
typedef struct TestFile {
    const char *name;
    TestCase **cases; /* the tests of the file, in any order */
    CMFixtureFunction setup, teardown;
    struct TestFile *next;
} TestFile;

void test_file_add(TestFile *file);

/* The tests of this file. */
static TestCase *test_cases __attribute__((unused));

/* The head of a test: TEST(name) { ... }. The test is in the list of its file, and runs in the order of the lines.
 * FOLDER_TEST() is the head of a test that receives a new folder in *state. */
#define TEST_WITH(function, setup, teardown)                                                                           \
    static void function(void **state);                                                                                \
    __attribute__((constructor)) static void function##_add(void)                                                      \
    {                                                                                                                  \
        static TestCase added = { { #function, function, setup, teardown, NULL }, __LINE__, NULL };                    \
        added.next = test_cases;                                                                                       \
        test_cases = &added;                                                                                           \
    }                                                                                                                  \
    static void function(__attribute__((unused)) void **state)
#define TEST(function)        TEST_WITH(function, NULL, NULL)
#define FOLDER_TEST(function) TEST_WITH(function, support_setup_folder, support_teardown_folder)

/* The last line of a file whose tests begin with TEST() or FOLDER_TEST(); `file`.c is its name. */
#define TESTS_WITH(file, group_setup, group_teardown)                                                                  \
    __attribute__((constructor)) static void file##_add(void)                                                          \
    {                                                                                                                  \
        static TestFile added = {                                                                                      \
            .name = #file, .cases = &test_cases, .setup = group_setup, .teardown = group_teardown                      \
        };                                                                                                             \
        test_file_add(&added);                                                                                         \
    }                                                                                                                  \
    typedef int file##_needs_a_semicolon
#define TESTS(file) TESTS_WITH(file, NULL, NULL)

/* Checks that the call returns OK; otherwise the test fails with the message. */
#define assert_ok(call, error)                                                                                         \
    do {                                                                                                               \
        Status support_status = (call);                                                                                \
        if (support_status != OK) fail_msg("status %d: %s", (int)support_status, (error)->text);                       \
    } while (0)

/* Checks that the call fails with this status and this message. */
#define assert_fails(call, status, error, message)                                                                     \
    do {                                                                                                               \
        Status support_status = (call);                                                                                \
        assert_string_equal((error)->text, message);                                                                   \
        assert_int_equal(support_status, status);                                                                      \
    } while (0)

/* Skips the test and prints the reason. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        print_message("skipped: " __VA_ARGS__);                                                                        \
        print_message("\n");                                                                                           \
        skip();                                                                                                        \
        abort(); /* not reached: skip() is not declared noreturn */                                                    \
    } while (0)

/* Formats into a new string. */
__attribute__((format(printf, 1, 2))) static inline char *support_format(const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert_true(length >= 0);
    text = malloc((size_t)length + 1);
    assert_non_null(text);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

/* Returns the message for a fault of a file: "PATH is empty", "PATH: broken header". */
static inline char *support_file_message(const char *path, const char *fault)
{
    return support_format("%s%s%s", path, strncmp(fault, "is ", 3) == 0 ? " " : ": ", fault);
}

/* assert_fails() with a message that is formatted. */
#define assert_fails_as(call, status, error, ...)                                                                      \
    do {                                                                                                               \
        char *support_message = support_format(__VA_ARGS__);                                                           \
        assert_fails(call, status, error, support_message);                                                            \
        free(support_message);                                                                                         \
    } while (0)

/* Puts " in place of each ' of a JSON text, and returns it. */
static inline char *support_quoted(char *text)
{
    for (char *c = text; (c = strchr(c, '\'')); c++) *c = '"';
    return text;
}

/* Zeroed memory of exactly this size, so that the sanitizers detect any access past its end. */
static inline void *support_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes);

    assert_non_null(memory);
    return memory;
}

/* Returns the next pseudo-random number, below 2^24. *seed is any number at first. */
static inline uint32_t support_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Fills x with pseudo-random values in [-range, range], the same for each seed. */
static inline void support_fill(float *x, size_t count, float range, unsigned seed)
{
    for (size_t i = 0; i < count; i++) x[i] = ((float)support_random(&seed) / 8388608.0f - 1.0f) * range;
}

/* Returns "folder/name". */
static inline char *support_path(const char *folder, const char *name)
{
    return support_format("%s/%s", folder, name);
}

/* Returns the absolute path, for symbolic links in other folders. */
static inline char *support_absolute(const char *path)
{
    char *here = getcwd(NULL, 0), *whole;

    assert_non_null(here);
    whole = *path == '/' ? support_format("%s", path) : support_path(here, path);
    free(here);
    return whole;
}

/* Makes a new empty folder in $TMPDIR, or in /tmp if it is not set. */
static inline char *support_folder_new(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = support_path(base && *base ? base : "/tmp", "dragoman-test-XXXXXX");

    if (!mkdtemp(folder)) fail_msg("%s: %s", folder, strerror(errno));
    return folder;
}

/* Removes the folder and everything in it, whatever its permissions. */
static inline void support_folder_remove(const char *folder)
{
    DIR *dir;
    struct dirent *entry;

    (void)chmod(folder, 0700);
    dir = opendir(folder);
    if (!dir) fail_msg("%s: %s", folder, strerror(errno));
    while ((entry = readdir(dir))) {
        struct stat info;
        char *path;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        path = support_path(folder, entry->d_name);
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
            support_folder_remove(path);
        else if (unlink(path) != 0)
            fail_msg("%s: %s", path, strerror(errno));
        free(path);
    }
    closedir(dir);
    if (rmdir(folder) != 0) fail_msg("%s: %s", folder, strerror(errno));
}

/* cmocka setup and teardown: *state is the path of a new folder for this test. */
static inline int support_setup_folder(void **state)
{
    *state = support_folder_new();
    return 0;
}

static inline int support_teardown_folder(void **state)
{
    support_folder_remove(*state);
    free(*state);
    return 0;
}

/* Writes the file folder/name, replacing an old one, and returns its path. */
static inline char *support_write_file(const char *folder, const char *name, const void *bytes, size_t count)
{
    char *path = support_path(folder, name);
    FILE *file = fopen(path, "wb");

    if (!file) fail_msg("%s: %s", path, strerror(errno));
    if (count) assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline char *support_write_text(const char *folder, const char *name, const char *text)
{
    return support_write_file(folder, name, text, strlen(text));
}

/* Returns the contents of the file, followed by a NUL. *count receives its size; NULL is allowed. */
static inline char *support_read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t len = 0, got;

    if (!file) fail_msg("%s: %s", path, strerror(errno));
    do {
        char *moved = realloc(bytes, len + 65537);
        assert_non_null(moved);
        bytes = moved;
        got = fread(bytes + len, 1, 65536, file);
        len += got;
    } while (got);
    assert_int_equal(ferror(file), 0);
    fclose(file);
    bytes[len] = '\0';
    if (count) *count = len;
    return bytes;
}

/* Copies the file to folder/name, replacing an old one. */
static inline void support_copy_file(const char *from, const char *folder, const char *name)
{
    size_t count;
    char *bytes = support_read_file(from, &count);

    free(support_write_file(folder, name, bytes, count));
    free(bytes);
}

#endif
