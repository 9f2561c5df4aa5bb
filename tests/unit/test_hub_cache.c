/* test_hub_cache.c - the cache of Hugging Face's programs when the system fails. lstat() of this file replaces that of
 * the system. */
#define _GNU_SOURCE
#include "test_support.h"

#include <fcntl.h>

#include "hub_cache.h"

static bool lstat_fails;

int lstat(const char *path, struct stat *info)
{
    if (!lstat_fails) return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
    errno = EIO;
    return -1;
}

static void links_files_that_cannot_be_examined(void **state)
{
    HubFile file = { .name = support_format("config.json"), .hash = "abc", .wanted = true };
    HubListing listing = { .commit = "0123456789012345678901234567890123456789", .files = &file, .count = 1 };
    HubCache cache = { .model = *state, .locks = *state };
    char *snapshots = support_path(*state, "snapshots"), *path = NULL, *link, target[100] = "";
    Err err;

    assert_int_equal(mkdir(snapshots, 0777), 0);
    lstat_fails = true;
    assert_ok(hub_cache_link(&cache, &listing, &path, &err), &err);
    lstat_fails = false;
    link = support_path(path, "config.json");
    assert_true(readlink(link, target, sizeof target - 1) > 0);
    assert_string_equal(target, "../../blobs/abc");
    free(link);
    free(path);
    free(snapshots);
    free(file.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = { test_with_folder(links_files_that_cannot_be_examined) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
