/* test_torch_legacy.c - files of PyTorch before 1.6, and files of other formats. */
#include "torch_support.h"

#define MAGIC   "\x80\2\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
#define VERSION "\x80\2M\xe9\3."
#define LITTLE  "\x80\2}U\15little_endian\x88s."
#define OBJECT  "\x80\2}U\1w" WHOLE "s."
#define KEYS    "]U\1ka."
#define SIX     "\6\0\0\0\0\0\0\0"
#define NUMBERS "\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@\0\0\xc0@"

static void reports_each_fault_of_other_files(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        Status status;
        const char *fault;
    } cases[] = {
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX NUMBERS), OK, "" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX NUMBERS "more"), OK, "" },
        { BYTES(""), ERR_FORMAT, "is empty" },
        { BYTES("version https://git-lfs.github.com/spec/v1\n"), ERR_FORMAT,
          "is a Git LFS pointer, not the file itself: run \"git lfs pull\"" },
        { BYTES("weights"), ERR_FORMAT, "is text, not a PyTorch file: did the download fail?" },
        { BYTES("weights\1"), ERR_FORMAT,
          "not a file of torch.save: it begins neither as a zip archive nor as a pickle" },
        { BYTES("\x80\2}."), ERR_UNSUPPORTED,
          "a pickle that torch.save did not write: save model.state_dict() with torch.save" },
        { BYTES(MAGIC "\x80\2M\xe8\3." LITTLE), ERR_UNSUPPORTED, "not version 1001 of the format before PyTorch 1.6" },
        { BYTES(MAGIC VERSION "\x80\2}U\15little_endian\x89s."), ERR_UNSUPPORTED,
          "big-endian numbers are not supported: save it on a little-endian computer" },
        { BYTES(MAGIC VERSION "\x80\2]."), ERR_FORMAT, "the byte order is missing" },
        { BYTES("\x80\2N\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
                "0." VERSION LITTLE),
          ERR_FORMAT, "the magic number of torch.save is wrong" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "}." SIX NUMBERS), ERR_FORMAT, "the list of storages is missing" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]K\1a." SIX NUMBERS), ERR_FORMAT, "a storage's key is not a string" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]U\1la." SIX NUMBERS), ERR_FORMAT, "storage l belongs to no tensor" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "](U\1kU\1ke." SIX NUMBERS SIX NUMBERS), ERR_FORMAT,
          "storage k appears twice" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]." SIX NUMBERS), ERR_FORMAT,
          "storage 0 of the pickle is not in the file" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\7\0\0\0\0\0\0\0" NUMBERS), ERR_FORMAT,
          "storage 0 has 7 elements, but the pickle says 6" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\6\0\0\0\0\0\0\x80" NUMBERS), ERR_FORMAT,
          "storage 0 has 9223372036854775814 elements, but the pickle says 6" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX "\0\0\x80?"), ERR_FORMAT,
          "cut off: storage 0 has 6 elements of 4 bytes, but the file only 4 bytes more" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\6\0"), ERR_FORMAT,
          "cut off: storage 0 begins at byte 148, the end of the file" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Collection all;
        unsigned char *copy;
        Err err = { "" };
        Status st = torch_support_read(&all, &copy, cases[i].text, cases[i].size, &err);
        char *message = support_format(PATH ": %s", cases[i].fault);
        assert_fails(st, cases[i].status, &err, cases[i].status == OK ? "" : message);
        if (st == OK) assert_memory_equal(collection_find(&all, "w")->data, NUMBERS, 24);
        collection_free(&all);
        free(copy);
        free(message);
    }
}

static void rejects_the_tar_format_by_name(void **state)
{
    char bytes[512] = "sys_info";
    Collection all;
    unsigned char *copy;
    Err err;

    (void)state;
    memcpy(bytes + 257, "ustar", 5);
    assert_fails(torch_support_read(&all, &copy, bytes, sizeof bytes, &err), ERR_UNSUPPORTED, &err,
                 PATH ": the tar format of PyTorch before 0.1.10 is not supported: load and save it with a newer "
                      "PyTorch");
    collection_free(&all);
    free(copy);
}

TEST_FILE(test_torch_legacy)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_each_fault_of_other_files),
        cmocka_unit_test(rejects_the_tar_format_by_name),
    };

    return cmocka_run_group_tests_name("torch_legacy", tests, NULL, NULL);
}
