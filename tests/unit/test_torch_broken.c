/* test_torch_broken.c - PyTorch files truncated anywhere and with any byte changed. */
#include "torch_support.h"

/* Reads all tensors if the file is accepted; returns whether it is. */
static bool survives(const char *bytes, size_t size)
{
    Collection all;
    unsigned char *copy;
    size_t sum = 0;
    Err err = { "" };
    Status st = torch_support_read(&all, &copy, bytes, size, &err);

    if (st != OK) {
        assert_true(st == ERR_FORMAT || st == ERR_UNSUPPORTED);
        assert_memory_equal(err.text, PATH ": ", sizeof PATH + 1);
        assert_null(strpbrk(err.text, "\n\r\x1b"));
    }
    for (size_t i = 0; st == OK && i < all.tensor_count; i++)
        for (size_t k = 0; k < all.tensors[i].bytes; k++) sum += all.tensors[i].data[k];
    assert_true(sum < (size_t)1 << 40);
    assert_true(arena_bytes(all.arena) < (size_t)64 << 20);
    collection_free(&all);
    free(copy);
    return st == OK;
}

static void rejects_a_file_truncated_anywhere(void **state)
{
    static const char *const names[] = { "state.pt", "views_legacy.pt" };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = support_path(TORCH_FOLDER, names[i]);
        size_t size;
        char *bytes = support_read_file(path, &size);
        for (size_t cut = 0; cut < size; cut++)
            if (survives(bytes, cut)) fail_msg("%s: %zu bytes are enough", path, cut);
        assert_true(survives(bytes, size));
        free(bytes);
        free(path);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

static void reads_or_rejects_files_with_changed_bytes(void **state)
{
    static const char *const names[] = { "views.pt",       "views_legacy.pt",  "protocol5.pt", "checkpoint_legacy.pt",
                                         "newer_types.pt", "hostile_system.pt" };
    uint32_t seed = 12345;
    size_t accepted = 0, refused = 0;

    (void)state;
    (void)unlink(COMMAND);
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = support_path(TORCH_FOLDER, names[i]);
        size_t size;
        char *bytes = support_read_file(path, &size);
        for (int round = 0; round < 300; round++) {
            char *changed = malloc(size);
            assert_non_null(changed);
            memcpy(changed, bytes, size);
            for (uint32_t n = 1 + next_random(&seed) % 3; n > 0; n--)
                changed[next_random(&seed) % size] = (char)next_random(&seed);
            if (survives(changed, size))
                accepted++;
            else
                refused++;
            free(changed);
        }
        free(bytes);
        free(path);
    }
    assert_true(accepted > 100 && refused > 100);
    assert_int_equal(access(COMMAND, F_OK), -1);
}

TEST_FILE(test_torch_broken)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejects_a_file_truncated_anywhere),
        cmocka_unit_test(reads_or_rejects_files_with_changed_bytes),
    };

    return cmocka_run_group_tests_name("torch_broken", tests, NULL, NULL);
}
