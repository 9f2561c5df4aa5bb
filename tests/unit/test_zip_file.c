/* test_zip_file.c - valid zip archives, and archives with each field wrong. */
#include "test_support.h"

#include "zip_file.h"
#include "zip_support.h"

#define PATH "dir/model.pt"

/* Opens a copy of exactly its size, so that the sanitizers see accesses outside it. end_archive() frees it. */
typedef struct {
    ZipFile zip;
    MappedFile map;
    unsigned char *bytes;
} Opened;

static Status open_archive(Opened *o, const unsigned char *bytes, size_t size, Err *err)
{
    *o = (Opened){ .bytes = malloc(size + !size) };
    assert_non_null(o->bytes);
    memcpy(o->bytes, bytes, size);
    o->map = (MappedFile){ .data = o->bytes, .size = size };
    return zip_file_open(&o->zip, &o->map, PATH, err);
}

static void end_archive(Opened *o)
{
    zip_file_close(&o->zip);
    free(o->bytes);
}

static void make_archive(ZipSupport *zip, int wide)
{
    *zip = (ZipSupport){ 0 };
    zip_support_add(zip, "m/data.pkl", "pickle", 6, wide);
    zip_support_add(zip, "m/data/0", "0123456789", 10, wide);
    zip_support_add(zip, "m/data/1", "", 0, wide);
    zip_support_end(zip, wide);
}

static void check_entry(const ZipFile *zip, const char *name, const char *expected)
{
    const unsigned char *data;
    size_t size;
    Err err;

    assert_ok(zip_file_find(zip, name, strlen(name), &data, &size, &err), &err);
    assert_non_null(data);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(data, expected, size);
}

/* Also if the archive has a comment at its end that looks like the end of an archive. */
TEST(finds_entries_by_name_with_and_without_zip64)
{
    enum { PLAIN, WIDE, WITH_COMMENT, KINDS };

    for (int kind = 0; kind < KINDS; kind++) {
        ZipSupport zip;
        Opened o;
        const unsigned char *data;
        size_t size;
        Err err;
        make_archive(&zip, kind == WIDE);
        if (kind == WITH_COMMENT) {
            zip.bytes[zip.end_at + 20] = 7;
            zip_support_bytes(zip.bytes, &zip.size, "PK\5\6abc", 7);
        }
        assert_ok(open_archive(&o, zip.bytes, zip.size, &err), &err);
        assert_int_equal(o.zip.count, 3);
        check_entry(&o.zip, "m/data.pkl", "pickle");
        check_entry(&o.zip, "m/data/0", "0123456789");
        check_entry(&o.zip, "m/data/1", "");
        assert_memory_equal(zip_file_name(&o.zip, 1, &size), "m/data/0", 8);
        assert_int_equal(size, 8);
        assert_ok(zip_file_find(&o.zip, "m/data/2", 8, &data, &size, &err), &err);
        assert_null(data);
        end_archive(&o);
    }
}

/* Opens the archive and looks up all three entries; returns the first message. */
static Status use_archive(const ZipSupport *zip, size_t size, Err *err)
{
    Opened o;
    const unsigned char *data;
    size_t count, sum = 0;
    Status st = open_archive(&o, zip->bytes, size, err);

    for (size_t i = 0; st == OK && i < o.zip.count; i++) {
        const char *name = zip_file_name(&o.zip, i, &count);
        st = zip_file_find(&o.zip, name, count, &data, &count, err);
        for (size_t k = 0; st == OK && k < count; k++) sum += data[k];
    }
    assert_true(sum < 1 << 20);
    end_archive(&o);
    return st;
}

TEST(reports_each_fault)
{
    enum { FIRST, DIRECTORY, END, END64, LOCATOR }; /* the base of `at` */
    static const struct {
        int wide, from;
        size_t at, width;
        uint64_t value;
        Status status;
        const char *fault;
    } cases[] = {
        { 0, END, 0, 4, 0, ERR_FORMAT, "cut off: there is no directory at the end (is the download complete?)" },
        { 0, END, 4, 2, 1, ERR_FORMAT, "parts on several disks are not supported" },
        { 0, END, 8, 2, 2, ERR_FORMAT, "parts on several disks are not supported" },
        { 0, END, 12, 4, 100000, ERR_FORMAT, "cut off or corrupt: the directory extends past the end record" },
        { 0, END, 16, 4, 0xfffffff0, ERR_FORMAT, "cut off or corrupt: the directory extends past the end record" },
        { 0, END, 12, 4, 3 * 46 - 1, ERR_FORMAT, "the directory is too short for its entries" },
        { 0, END, 12, 4, 3 * 46, ERR_FORMAT, "the directory has fewer entries than it should" },
        { 0, DIRECTORY, 0, 1, 'Q', ERR_FORMAT, "the directory has fewer entries than it should" },
        { 0, DIRECTORY, 28, 2, 60000, ERR_FORMAT, "an entry extends past the end of the directory" },
        { 0, DIRECTORY, 32, 2, 60000, ERR_FORMAT, "an entry extends past the end of the directory" },
        { 0, DIRECTORY, 8, 2, 1, ERR_UNSUPPORTED, "entry m/data.pkl is encrypted, which is not supported" },
        { 0, DIRECTORY, 10, 2, 8, ERR_UNSUPPORTED,
          "entry m/data.pkl is compressed (method 8, deflated); torch.save does not compress: load and save the file "
          "with PyTorch" },
        { 0, DIRECTORY, 10, 2, 93, ERR_UNSUPPORTED,
          "entry m/data.pkl is compressed (method 93); torch.save does not compress: load and save the file with "
          "PyTorch" },
        { 0, DIRECTORY, 20, 4, 5, ERR_FORMAT, "entry m/data.pkl: 6 bytes, but 5 are stored" },
        { 0, DIRECTORY, 20, 4, 135, ERR_FORMAT, "entries overlap" },
        { 0, DIRECTORY, 42, 4, 1, ERR_FORMAT, "entry m/data.pkl has no header at its offset" },
        { 0, DIRECTORY, 42, 4, 0xfffffff0, ERR_FORMAT, "entry m/data.pkl has no header at its offset" },
        { 0, FIRST, 26, 2, 60000, ERR_FORMAT, "entry m/data.pkl extends past the end of the entries" },
        { 1, DIRECTORY, 30, 2, 22, ERR_FORMAT, "the directory has fewer entries than it should" },
        { 1, DIRECTORY, 46 + 10 + 6 + 2, 2, 20, ERR_FORMAT, "the ZIP64 field of an entry is too short" },
        { 1, DIRECTORY, 46 + 10 + 6 + 4, 8, UINT64_MAX, ERR_FORMAT,
          "entry m/data.pkl: 18446744073709551615 bytes, but 6 are stored" },
        { 1, DIRECTORY, 46 + 10 + 6 + 20, 8, UINT64_MAX, ERR_FORMAT, "entry m/data.pkl has no header at its offset" },
        { 1, LOCATOR, 8, 8, UINT64_MAX, ERR_FORMAT, "the ZIP64 end record is not where it should be" },
        { 1, LOCATOR, 8, 8, 0, ERR_FORMAT, "the ZIP64 end record is not where it should be" },
        { 1, END64, 16, 4, 1, ERR_FORMAT, "parts on several disks are not supported" },
        { 1, END64, 40, 8, UINT64_MAX, ERR_FORMAT, "cut off or corrupt: the directory extends past the end record" },
        { 1, END64, 48, 8, UINT64_MAX, ERR_FORMAT, "cut off or corrupt: the directory extends past the end record" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        ZipSupport zip;
        size_t at = cases[i].at;
        Err err;
        make_archive(&zip, cases[i].wide);
        at += cases[i].from == FIRST       ? 0
              : cases[i].from == DIRECTORY ? zip.directory_at
              : cases[i].from == END       ? zip.end_at
              : cases[i].from == LOCATOR   ? zip.end_at - 20
                                           : zip.end_at - 76;
        zip_support_number(zip.bytes, &at, cases[i].value, cases[i].width);
        assert_fails_as(use_archive(&zip, zip.size, &err), cases[i].status, &err, PATH ": zip archive: %s",
                        cases[i].fault);
    }
}

TEST(rejects_duplicate_entries)
{
    ZipSupport zip = { 0 };
    Err err;

    zip_support_add(&zip, "a/b", "1", 1, 0);
    zip_support_add(&zip, "a/b", "2", 1, 0);
    zip_support_end(&zip, 0);
    assert_fails(use_archive(&zip, zip.size, &err), ERR_FORMAT, &err, PATH ": zip archive: entry a/b appears twice");
}

/* Archives that are truncated anywhere, or have any byte changed, either fail with a message or have
 * entries inside the file, which the sanitizers check. */
TEST(never_reads_past_the_end_of_a_broken_archive)
{
    size_t refused = 0;

    for (int wide = 0; wide < 2; wide++) {
        ZipSupport zip;
        Err err;
        make_archive(&zip, wide);
        for (size_t size = 0; size < zip.size; size++) assert_int_equal(use_archive(&zip, size, &err), ERR_FORMAT);
        for (size_t at = 0; at < zip.size; at++) {
            static const unsigned char changes[] = { 1, 0x80, 0xff, 0x20 };
            for (size_t i = 0; i < COUNT(changes); i++) {
                zip.bytes[at] ^= changes[i];
                if (use_archive(&zip, zip.size, &err) != OK) {
                    assert_memory_equal(err.text, PATH ": ", sizeof PATH + 1);
                    refused++;
                }
                zip.bytes[at] ^= changes[i];
            }
        }
        assert_ok(use_archive(&zip, zip.size, &err), &err);
    }
    assert_true(refused > 500);
}

TESTS(test_zip_file);
