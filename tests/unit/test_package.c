/* test_package.c - tests of document/package/package.h and store/zip_file.h with the DOCX document of the golden
 * tests. Its archive has deflated and stored entries, and a part in UTF-16. */
#define _GNU_SOURCE /* memmem() */
#include <stdio.h>
#include <zlib.h>

#include "test_support.h"

#include "buf.h"
#include "document.h"
#include "document_formats.h"
#include "package.h"
#include "zip_file.h"
#include "zip_support.h"

#define LETTER GOLDEN_ROOT "/documents/docx/letter.docx"

static Buf read_letter(void)
{
    Buf out = { 0 };

    out.data = support_read_file(LETTER, &out.len);
    out.cap = out.len + 1;
    return out;
}

static Status open_as(const DocumentFormat *format, const Buf *archive, Package **package, Buf *text, Err *err)
{
    return package_open(package, format->package, &(DocumentFile){ "f", archive->data, archive->len }, text, err);
}

/* Checks that the first `size` bytes are not a DOCX document; `message` is the beginning of the message. */
static void assert_refused(const Buf *archive, size_t size, const char *message)
{
    const Buf part = { .data = archive->data, .len = size };
    Buf text = { 0 };
    Package *package;
    Err err;

    assert_int_equal(open_as(&document_docx, &part, &package, &text, &err), ERR_FORMAT);
    if (strncmp(err.text, message, strlen(message)) != 0) fail_msg("%s", err.text);
    buf_free(&text);
}

static MappedFile map_of(const Buf *archive)
{
    return (MappedFile){ .data = (const unsigned char *)archive->data, .size = archive->len };
}

/* The letter, as it is read and as it is written with changes of its text. */
typedef struct {
    Buf archive, text, changed, out;
    Package *package;
} Letter;

/* Opens letter->archive. */
static void letter_open(Letter *letter)
{
    Err err;

    assert_ok(open_as(&document_docx, &letter->archive, &letter->package, &letter->text, &err), &err);
    buf_put(&letter->changed, letter->text.data, letter->text.len);
}

/* Replaces a part of the text by one of the same length. */
static void letter_change(Letter *letter, const char *from, const char *to)
{
    char *at = memmem(letter->changed.data, letter->changed.len, from, strlen(from));

    assert_non_null(at);
    memcpy(at, to, strlen(to));
}

/* Opens the letter, and writes it with changes in two parts. */
static Status letter_rewrite(Letter *letter, Err *err)
{
    letter_open(letter);
    letter_change(letter, "The little dog", "Der kurze Hund");
    letter_change(letter, "Confidential", "Vertrauliche");
    return package_write(letter->package, &letter->text, &letter->changed, &letter->out, err);
}

static void letter_free(Letter *letter)
{
    package_free(letter->package);
    buf_free(&letter->archive);
    buf_free(&letter->text);
    buf_free(&letter->changed);
    buf_free(&letter->out);
}

TEST(an_archive_becomes_its_parts_and_the_same_archive)
{
    Letter letter = { .archive = read_letter() };
    PackagePart part;
    size_t at = 0, count = 0;
    Err err;

    letter_open(&letter);
    while (package_next_part(letter.text.data, letter.text.len, &at, &part)) {
        const char *contents = letter.text.data + part.contents.begin;
        count++;
        assert_memory_equal(contents, "<?xml", 5);
        if (strcmp(letter.text.data + part.name.begin, "word/header1.xml") == 0)
            assert_non_null(strstr(contents, ">Confidential letter<"));
    }
    assert_int_equal(count, 5);
    assert_int_equal(at, letter.text.len);
    assert_ok(package_write(letter.package, &letter.text, &letter.text, &letter.out, &err), &err);
    assert_int_equal(letter.out.len, letter.archive.len);
    assert_memory_equal(letter.out.data, letter.archive.data, letter.out.len);
    letter_free(&letter);
}

TEST(backslashes_in_names_are_read_as_slashes)
{
    static const char document[] = "word/document.xml";
    Letter letter = { .archive = read_letter() };
    PackagePart part;
    size_t at = 0, replaced = 0;

    for (char *name = letter.archive.data;
         (name = memmem(name, (size_t)(letter.archive.data + letter.archive.len - name), document, strlen(document)));
         replaced++)
        name[4] = '\\';
    assert_int_equal(replaced, 2); /* in the header of the entry and in the directory */
    letter_open(&letter);
    assert_true(package_next_part(letter.text.data, letter.text.len, &at, &part));
    assert_string_equal(letter.text.data + part.name.begin, document);
    letter_free(&letter);
}

/* Compares the entry in both archives; a changed one has to contain `wanted`. */
static void check_entry(ZipFile *old, ZipFile *new, size_t index, const char *wanted)
{
    const unsigned char *before, *after;
    MappedFile pages[2];
    size_t length, before_size, after_size;
    char name[64];
    Err err;

    (void)zip_file_name(old, index, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, zip_file_name(old, index, &length));
    assert_ok(zip_file_read(old, index, &before, &before_size, &pages[0], &err), &err);
    assert_ok(zip_file_read(new, index, &after, &after_size, &pages[1], &err), &err);
    assert_true(zip_file_has_checksum(new, index, after, after_size));
    if (before_size == after_size && memcmp(before, after, after_size) == 0)
        assert_memory_equal(old->map->data + old->entries[index].offset, new->map->data + new->entries[index].offset,
                            30 + length + old->entries[index].packed_size);
    else if (strcmp(name, "word/document.xml") == 0)
        assert_non_null(memmem(after, after_size, wanted, strlen(wanted)));
    else
        assert_string_equal(name, "word/header1.xml");
    mapped_file_close(&pages[0]);
    mapped_file_close(&pages[1]);
}

TEST(only_changed_parts_are_written_anew)
{
    Letter letter = { .archive = read_letter() };
    ZipFile zips[2] = { { 0 }, { 0 } };
    MappedFile maps[2];
    Err err;

    assert_ok(letter_rewrite(&letter, &err), &err);
    maps[0] = map_of(&letter.archive);
    maps[1] = map_of(&letter.out);
    for (size_t i = 0; i < 2; i++) assert_ok(zip_file_open(&zips[i], &maps[i], "f", &err), &err);
    assert_int_equal(zips[0].count, zips[1].count);
    for (size_t i = 0; i < zips[0].count; i++) check_entry(&zips[0], &zips[1], i, "Der kurze Hund");
    for (size_t i = 0; i < 2; i++) zip_file_close(&zips[i]);
    letter_free(&letter);
}

/* The record of an entry in the directory. */
static char *record_of(const Buf *archive, const char *name)
{
    const size_t length = strlen(name);

    for (size_t at = 0; at + RECORD_BYTES + length <= archive->len; at++)
        if (memcmp(archive->data + at, "PK\1\2", 4) == 0 &&
            memcmp(archive->data + at + RECORD_BYTES, name, length) == 0)
            return archive->data + at;
    fail_msg("no entry %s", name);
    return NULL;
}

static char *contents_of(const Buf *archive, const char *name)
{
    const unsigned char *offset = (const unsigned char *)record_of(archive, name) + 42;

    return archive->data + (offset[0] | (size_t)offset[1] << 8) + LOCAL_BYTES + strlen(name);
}

/* Where a fault is: in the record of an entry, in its name there, or in its contents; of no entry: in the archive. */
typedef enum { IN_RECORD, IN_NAME, IN_CONTENTS } FaultPlace;

TEST(faults_are_named)
{
    static const char document[] = "word/document.xml", image[] = "word/media/image1.png";
    static const struct {
        const char *entry; /* NULL: the fault is at the beginning of the archive */
        FaultPlace place;
        int at;
        const char *bytes; /* written there; NULL: all bits of the byte change */
        const char *message;
    } rows[] = {
        { document, IN_RECORD, 8, "\1", "f: zip archive: entry word/document.xml is encrypted" },
        { document, IN_CONTENTS, 100, NULL, "f: zip archive: entry word/document.xml is damaged" },
        { "word/footnotes.xml", IN_CONTENTS, 100, NULL, "f: zip archive: entry word/footnotes.xml is damaged" },
        { image, IN_NAME, 0, "x/../../",
          "f: zip archive: entry x/../../ia/image1.png has a name that leads out of the archive" },
        { image, IN_NAME, 0, "/",
          "f: zip archive: entry /ord/media/image1.png has a name that leads out of the archive" },
        { document, IN_RECORD, 27, "\7", /* 112 MB */
          "f: zip archive: entry word/document.xml: implausible compression ratio" },
        { "[Content_Types].xml", IN_NAME, 0, "(", "f: not a DOCX document: it has no [Content_Types].xml" },
        { document, IN_NAME, 0, "x", "f: not a DOCX document: it has no word/document.xml" },
        { document, IN_CONTENTS, -1, "x",
          "f: zip archive: entry word/document.xml has another name in its own header than in the directory" },
        { document, IN_RECORD, 10, "\16", "f: zip archive: entry word/document.xml is compressed by LZMA" },
        { NULL, IN_RECORD, 0, "text", "f: not a DOCX document: it is not a zip archive" },
        { NULL, IN_RECORD, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
          "f: not a DOCX document: it is encrypted, or in a format of Office 97 to 2003" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf archive = read_letter();
        char *at = !rows[i].entry                 ? archive.data
                   : rows[i].place == IN_CONTENTS ? contents_of(&archive, rows[i].entry)
                                                  : record_of(&archive, rows[i].entry);
        at += rows[i].at + (rows[i].place == IN_NAME ? RECORD_BYTES : 0);
        if (rows[i].bytes)
            memcpy(at, rows[i].bytes, strlen(rows[i].bytes));
        else
            *at ^= 0x55;
        assert_refused(&archive, archive.len, rows[i].message);
        buf_free(&archive);
    }
}

TEST(names_of_parts_may_have_another_case)
{
    Letter letter = { .archive = read_letter() };

    record_of(&letter.archive, "[Content_Types].xml")[RECORD_BYTES + 1] = 'c';
    record_of(&letter.archive, "word/document.xml")[RECORD_BYTES] = 'W';
    letter_open(&letter);
    letter_free(&letter);
}

/* In what is written, an entry has one name: that of the directory. */
TEST(what_is_written_has_the_names_of_the_directory)
{
    Letter letter = { .archive = read_letter() };
    MappedFile map;
    ZipFile zip = { 0 };
    Err err;

    contents_of(&letter.archive, "word/media/image1.png")[-1] = 'x';
    contents_of(&letter.archive, "word/document.xml")[-1] = 'L';
    assert_ok(letter_rewrite(&letter, &err), &err);
    map = map_of(&letter.out);
    assert_ok(zip_file_open(&zip, &map, "f", &err), &err);
    for (size_t i = 0; i < zip.count; i++) {
        size_t length, own_length;
        const char *name = zip_file_name(&zip, i, &length), *own = zip_file_own_name(&zip, i, &own_length);
        assert_int_equal(own_length, length);
        assert_memory_equal(own, name, length);
    }
    zip_file_close(&zip);
    letter_free(&letter);
}

static Status choose_page(Package *package, Err *err)
{
    return package_add(package, "a.xml", err);
}

static const PackageRules page_rules = { .called = "a page", .choose = choose_page };

/* Returns an archive with a page in ISO-8859-1. */
static ZipSupport make_page(void)
{
    static const char page[] = "<?xml version='1.0' encoding = 'ISO-8859-1' ?><a>caf\xe9</a>";
    ZipSupport zip = { 0 };
    size_t at = 16;

    zip_support_add(&zip, "a.xml", page, sizeof page - 1, false);
    zip_support_number(zip.directory, &at, crc32(0, (const Bytef *)page, sizeof page - 1), 4);
    zip_support_end(&zip, false);
    return zip;
}

TEST(a_part_becomes_utf8_if_its_encoding_lacks_a_character)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
        { "<?xml version='1.0' encoding = 'ISO-8859-1' ?><a>th\xc3\xa9</a>",
          "<?xml version='1.0' encoding = 'ISO-8859-1' ?><a>th\xe9</a>" },
        { "<?xml version='1.0' encoding = 'ISO-8859-1' ?><a><![CDATA[\xe2\x80\x9eth\xc3\xa9]]></a>",
          "<?xml version='1.0' encoding = 'UTF-8' ?><a><![CDATA[\xe2\x80\x9eth\xc3\xa9]]></a>" },
    };
    const ZipSupport zip = make_page();
    const DocumentFile file = { "f", (const char *)zip.bytes, zip.size };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf text = { 0 }, changed = { 0 }, out = { 0 };
        Package *package;
        MappedFile map, entry = { 0 };
        ZipFile made = { 0 };
        const unsigned char *bytes;
        size_t size;
        Err err;
        assert_ok(package_open(&package, &page_rules, &file, &text, &err), &err);
        buf_put(&changed, "a.xml", sizeof "a.xml");
        buf_put(&changed, cases[i].text, strlen(cases[i].text) + 1);
        assert_ok(package_write(package, &text, &changed, &out, &err), &err);
        map = map_of(&out);
        assert_ok(zip_file_open(&made, &map, "f", &err), &err);
        assert_ok(zip_file_read(&made, 0, &bytes, &size, &entry, &err), &err);
        assert_int_equal(size, strlen(cases[i].written));
        assert_memory_equal(bytes, cases[i].written, size);
        mapped_file_close(&entry);
        zip_file_close(&made);
        package_free(package);
        buf_free(&text);
        buf_free(&changed);
        buf_free(&out);
    }
}

TEST(other_documents_bad_xml_and_truncated_archives_are_refused)
{
    const DocumentFile part = { "f/x.xml", "<a>\n<b></a>", 11 };
    Buf archive = read_letter(), text = { 0 };
    Package *package;
    Err err;

    assert_refused(&archive, archive.len - 10, "f: zip archive: cut off");
    assert_refused(&archive, 0, "f: not a DOCX document: it is not a zip archive");
    assert_fails(open_as(&document_pptx, &archive, &package, &text, &err), ERR_FORMAT, &err,
                 "f: not a PPTX presentation: [Content_Types].xml does not name one");
    assert_fails(document_docx.package->prepare(&part, &text, &err), ERR_FORMAT, &err,
                 "f/x.xml:2:6: not well-formed XML: mismatched tag");
    buf_free(&archive);
    buf_free(&text);
}

TEST(entries_that_overlap_are_refused)
{
    Letter letter = { .archive = read_letter() };
    Err err;

    memcpy(record_of(&letter.archive, "word/media/image1.png") + 42, record_of(&letter.archive, "word/styles.xml") + 42,
           4);
    assert_fails(letter_rewrite(&letter, &err), ERR_FORMAT, &err, "f: zip archive: entries overlap");
    letter_free(&letter);
}

TESTS(test_package);
