/* test_hub_cache.c - the cache of Hugging Face's programs when the system fails. */
#include "test_support.h"

#include "get.h"
#include "system_hooks.h"

static int fail_lstat(const char *function, const char *path, int fd)
{
    (void)path, (void)fd;
    return strcmp(function, "lstat") == 0 ? EIO : 0;
}

static void links_files_that_cannot_be_examined(void **state)
{
    HubFile file = { .name = support_format("config.json"), .hash = "abc", .wanted = true };
    HubListing listing = { .commit = "0123456789012345678901234567890123456789", .files = &file, .count = 1 };
    HubCache cache = { .model = *state, .locks = *state };
    char *snapshots = support_path(*state, "snapshots"), *path = NULL, *link, target[100] = "";
    Err err;

    assert_int_equal(mkdir(snapshots, 0777), 0);
    system_fault = fail_lstat;
    assert_ok(hub_cache_link(&cache, &listing, &path, &err), &err);
    system_fault = NULL;
    link = support_path(path, "config.json");
    assert_true(readlink(link, target, sizeof target - 1) > 0);
    assert_string_equal(target, "../../blobs/abc");
    free(link);
    free(path);
    free(snapshots);
    free(file.name);
}

TEST_FILE(test_hub_cache)
{
    const struct CMUnitTest tests[] = { test_with_folder(links_files_that_cannot_be_examined) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
