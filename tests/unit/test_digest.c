/* test_digest.c - checksums of downloads, and libraries that are loaded at run time. */
#include "test_support.h"

#include "get.h"

static void check(DigestKind kind, const char *text, const char *expected)
{
    const size_t len = strlen(text), half = len / 2;
    Digest *digest;
    char hash[DIGEST_HEX];
    Err err;

    assert_ok(digest_new(&digest, kind, len, &err), &err);
    assert_ok(digest_add(digest, "to be forgotten", 15, &err), &err);
    assert_ok(digest_restart(digest, &err), &err);
    assert_ok(digest_add(digest, text, half, &err), &err);
    assert_ok(digest_add(digest, text + half, len - half, &err), &err);
    assert_ok(digest_finish(digest, hash, &err), &err);
    assert_string_equal(hash, expected);
    digest_free(digest);
}

/* FIPS 180-4. */
TEST(sha256_of_the_examples_of_the_standard)
{
    check(DIGEST_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check(DIGEST_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(git_ids_are_those_of_git_hash_object)
{
    check(DIGEST_GIT_BLOB, "", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    check(DIGEST_GIT_BLOB, "hello\n", "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(names_a_missing_library_and_function)
{
    void (*function)(void) = NULL;
    const LoadedFunction functions[] = { { "no_such_function", &function } };
    Err err;

    assert_int_equal(loaded_library_open("libnothing.so.9", "download", functions, 1, &err), ERR_UNSUPPORTED);
    assert_memory_equal(err.text, "get: needs the library libnothing.so.9 to download: install it", 62);
    assert_int_equal(loaded_library_open("libm.so.6", "download", functions, 1, &err), ERR_UNSUPPORTED);
    assert_string_equal(err.text,
                        "get: the library libm.so.6 has no function no_such_function: install a newer version");
}

TESTS(test_digest);
