/* test_shortlist.c - the candidates that each format selects for a sentence, and the
 * messages for broken files. Pieces are called s0, s1, ... and t0, t1, ... */
#include "test_support.h"
#include "zip_support.h"

#include <zlib.h>
#include <zstd.h>

#include "shortlist.h"

enum { SOURCE = 20, TARGET = 200 };

static int32_t id_of(char letter, int limit, const char *piece, size_t len)
{
    int32_t id = 0;

    if (len < 2 || piece[0] != letter) return -1;
    for (size_t i = 1; i < len; i++) {
        if (piece[i] < '0' || piece[i] > '9') return -1;
        id = id * 10 + piece[i] - '0';
    }
    return id < limit ? id : -1;
}

static int32_t source_id(const void *context, const char *piece, size_t len)
{
    (void)context;
    return id_of('s', SOURCE, piece, len);
}

static int32_t target_id(const void *context, const char *piece, size_t len)
{
    (void)context;
    return id_of('t', TARGET, piece, len);
}

static ShortlistVocabulary vocabulary(bool shared)
{
    return (ShortlistVocabulary){ .source_size = SOURCE,
                                  .target_size = TARGET,
                                  .source_used = SOURCE,
                                  .shared = shared,
                                  .unknown = 190,
                                  .source_id = source_id,
                                  .target_id = target_id };
}

static Status open_with(Shortlist **out, const char *path, ShortlistLimits limits, Err *err)
{
    ShortlistVocabulary v = vocabulary(false);

    return shortlist_open(out, path, &v, limits, err);
}

/* Checks the candidates for source[0..len), written as "3 5 190". */
static void check_selection(const Shortlist *s, const int32_t *source, size_t len, const char *want)
{
    FREED_BY(ids_free) IdList ids = { 0 };
    FREED_BY(buf_free) Buf text = { 0 };
    IdSet *set;
    Err err;

    assert_ok(id_set_new(&set, TARGET, &err), &err);
    for (int time = 0; time < 2; time++) {
        ids_clear(&ids);
        buf_clear(&text);
        shortlist_select(s, source, len, set);
        assert_ok(id_set_take(set, &ids, &err), &err);
        for (size_t i = 0; i < ids.len; i++) buf_put_format(&text, "%s%d", i ? " " : "", (int)ids.data[i]);
        assert_string_equal(text.data, want);
    }
    id_set_free(set);
}

static const ShortlistLimits own = { .first = -1, .best = -1 };

FOLDER_TEST(map_adds_the_targets_of_every_run_of_pieces)
{
    static const char text[] = "\tt7 t9\n"
                               "s1\tt20 t21 t7\n"
                               "s1 s2\tt30 other\n"
                               "s1 s2 s3\tt40\n"
                               "s4\tt50\n"
                               "word\tt60\n"
                               "s4\tt51\r\n"
                               "s5\t\n"
                               "s6\tt70"; /* no newline */
    FREED char *path = support_write_text(*state, "vmap.txt", text);
    Shortlist *s;
    Err err;

    assert_ok(open_with(&s, path, own, &err), &err);
    check_selection(s, (int32_t[]){ 0 }, 1, "7 9 190");
    check_selection(s, (int32_t[]){ 1 }, 1, "7 9 20 21 190");
    check_selection(s, (int32_t[]){ 2, 1, 3 }, 3, "7 9 20 21 190");
    check_selection(s, (int32_t[]){ 1, 2 }, 2, "7 9 20 21 30 190");
    check_selection(s, (int32_t[]){ 0, 1, 2, 3, 6 }, 5, "7 9 20 21 30 40 70 190");
    check_selection(s, (int32_t[]){ 4, 4, 5 }, 3, "7 9 51 190");
    shortlist_free(s);
    assert_ok(open_with(&s, path, (ShortlistLimits){ .first = 3, .best = -1 }, &err), &err);
    check_selection(s, (int32_t[]){ 4 }, 1, "0 1 2 7 9 51 190");
    shortlist_free(s);
    assert_ok(open_with(&s, path, (ShortlistLimits){ .first = 3, .best = 5, .lexical_only = true }, &err), &err);
    check_selection(s, (int32_t[]){ 0 }, 1, "7 9 190");
    shortlist_free(s);
}

/* The lists of Marian are filled up to a multiple of eight. */
FOLDER_TEST(lexical_file_keeps_the_best_targets_of_each_piece)
{
    static const char text[] = "t50 s1 0.25\n"
                               "t51 s1 0.5\n"
                               "t52 s1 0.125\n"
                               "NULL s1 0.9\n"
                               "t53 s1 0.5\n"
                               "t54 s2 1e-3\n"
                               "t55 s2 0\n"
                               "t56 NULL 0.5\n";
    char *path = support_write_text(*state, "lex.s2t", text), *packed = support_path(*state, "lex.s2t.gz");
    char frame[512], *zstd;
    gzFile gz = gzopen(packed, "wb");
    ShortlistVocabulary shared = vocabulary(true);
    Shortlist *s;
    Err err;

    assert_int_equal(gzwrite(gz, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(gz), Z_OK);
    zstd =
        support_write_file(*state, "lex.s2t.zst", frame, ZSTD_compress(frame, sizeof frame, text, sizeof text - 1, 3));
    for (int i = 0; i < 3; i++) {
        assert_ok(open_with(&s,
                            i == 2 ? zstd
                            : i    ? packed
                                   : path,
                            (ShortlistLimits){ .first = 3, .best = 2 }, &err),
                  &err);
        check_selection(s, (int32_t[]){ 1 }, 1, "0 1 2 3 4 51 53 190");
        check_selection(s, (int32_t[]){ 2, 1, 2 }, 3, "0 1 2 3 51 53 54 190");
        check_selection(s, (int32_t[]){ 5 }, 1, "0 1 2 3 4 5 6 190");
        shortlist_free(s);
    }
    assert_ok(shortlist_open(&s, path, &shared, (ShortlistLimits){ .first = 0, .best = 1 }, &err), &err);
    check_selection(s, (int32_t[]){ 1, 15 }, 2, "0 1 2 3 4 15 53 190"); /* of equal ones the higher id */
    shortlist_free(s);
    free(path);
    free(zstd);
    free(packed);
}

/* --- the binary format --- */

typedef struct {
    uint64_t head[SHORTLIST_HEAD_WORDS];
    uint64_t offsets[SOURCE + 1];
    int32_t ids[6];
} Binary;

/* Source 3 has four targets, source 19 two. */
static Binary binary(void)
{
    Binary b = { .head = { SHORTLIST_MAGIC, 0, 5, 100, SOURCE + 1, 6 }, .ids = { 2, 80, 81, 199, 5, 100 } };

    for (size_t i = 0; i <= SOURCE; i++) b.offsets[i] = i < 4 ? 0 : i < SOURCE ? 4 : 6;
    return b;
}

static char *write_binary(void *folder, Binary b)
{
    b.head[1] = shortlist_checksum((const unsigned char *)&b, sizeof b);
    return support_write_file(folder, "lex.bin", &b, sizeof b);
}

FOLDER_TEST(reads_the_lists_of_a_binary_file)
{
    FREED char *path = write_binary(*state, binary());
    Shortlist *s;
    Err err;

    assert_ok(open_with(&s, path, own, &err), &err);
    check_selection(s, (int32_t[]){ 3 }, 1, "0 1 2 3 4 5 6 7 8 9 10 11 80 81 190 199");
    check_selection(s, (int32_t[]){ 19, 0 }, 2, "0 1 2 3 4 5 100 190");
    shortlist_free(s);
    assert_ok(open_with(&s, path, (ShortlistLimits){ .first = 0, .best = -1 }, &err), &err);
    check_selection(s, (int32_t[]){ 19 }, 1, "0 1 2 3 4 5 100 190");
    shortlist_free(s);
}

FOLDER_TEST(reads_an_unaligned_binary_file_in_an_archive)
{
    static const char name[] = "12345678";
    Binary b = binary();
    Shortlist *s;
    Err err;

    b.head[1] = shortlist_checksum((const unsigned char *)&b, sizeof b);
    for (size_t i = 0; i < 8; i++) {
        static ZipSupport zip;
        char *archive, *path;
        zip = (ZipSupport){ 0 };
        zip_support_add(&zip, name + i, &b, sizeof b, 0);
        zip_support_end(&zip, 0);
        archive = support_write_file(*state, "lists.zip", zip.bytes, zip.size);
        path = support_format("%s/%s", archive, name + i);
        assert_ok(open_with(&s, path, own, &err), &err);
        check_selection(s, (int32_t[]){ 19, 0 }, 2, "0 1 2 3 4 5 100 190");
        shortlist_free(s);
        free(path);
        free(archive);
    }
}

FOLDER_TEST(rejects_broken_binary_files)
{
    static const struct {
        size_t word; /* of the file, 8 bytes each */
        uint64_t value;
        const char *message;
    } cases[] = {
        { 4, SOURCE + 2,
          "a shortlist of 22 offsets and 6 ids is not 240 bytes long: the file is truncated or corrupt" },
        { 5, UINT64_MAX / 4 + 7,
          "a shortlist of 21 offsets and 4611686018427387910 ids is not 240 bytes long: the file is truncated or "
          "corrupt" },
        { 6 + 7, 7, "the list of source id 6 ends at 7, but there are 6 ids" },
        { 6 + 7, 3, "the list of source id 6 ends at 3, but there are 6 ids" },
        { 6 + SOURCE + 1, 200, "target id 200 is outside the model's vocabulary of 200 ids" },
        { 6 + SOURCE + 1, 0xffffffff, "target id 4294967295 is outside the model's vocabulary of 200 ids" },
    };
    Shortlist *s;
    Err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        Binary b = binary();
        char *path;
        memcpy((char *)&b + cases[i].word * 8, &cases[i].value, 8);
        path = write_binary(*state, b);
        assert_fails_as(open_with(&s, path, own, &err), ERR_FORMAT, &err, "%s: %s", path, cases[i].message);
        assert_null(s);
        free(path);
    }
}

FOLDER_TEST(detects_another_vocabulary_and_a_changed_byte)
{
    Binary b = binary();
    char *path = write_binary(*state, b);
    ShortlistVocabulary larger = vocabulary(false);
    Shortlist *s;
    Err err;

    larger.source_size = 50;
    larger.source_used = 48;
    assert_fails_as(shortlist_open(&s, path, &larger, own, &err), ERR_FORMAT, &err,
                    "%s is for a source vocabulary of 20 ids, but the model's has 48", path);
    assert_fails_as(open_with(&s, path, (ShortlistLimits){ .first = -1, .best = 5 }, &err), ERR_USAGE, &err,
                    "%s: this binary shortlist has no probabilities; " SETTING(SHORTLIST_BEST) " cannot be used", path);
    free(path);
    for (size_t at = 8; at < sizeof b; at++) {
        Binary changed = binary();
        changed.head[1] = shortlist_checksum((const unsigned char *)&changed, sizeof changed);
        ((unsigned char *)&changed)[at] ^= 4;
        path = support_write_file(*state, "lex.bin", &changed, sizeof changed);
        assert_int_equal(open_with(&s, path, own, &err), ERR_FORMAT);
        assert_non_null(strstr(err.text, path));
        free(path);
    }
    for (size_t size = 8; size < sizeof b; size += 3) {
        path = support_write_file(*state, "lex.bin", &b, size);
        assert_int_equal(open_with(&s, path, own, &err), ERR_FORMAT);
        free(path);
    }
}

/* The header of Firefox's English-Russian shortlist. The checksum ignores bytes after the last
 * whole word. */
TEST(checksum_covers_whole_words_after_itself)
{
    const uint64_t words[] = { 0, 0, 50, 50, 32001, 698260 };
    uint64_t sum = 0;

    for (size_t i = 2; i < COUNT(words); i++) sum ^= words[i] + 0x9e3779b9 + (sum << 6) + (sum >> 2);
    assert_true(shortlist_checksum((const unsigned char *)words, sizeof words) == sum);
    assert_true(shortlist_checksum((const unsigned char *)words, sizeof words - 1) != sum);
}

FOLDER_TEST(names_wrong_lines)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "t1 s1 0.5\nt2 s2\n", "line 2: expected \"TARGET SOURCE PROBABILITY\"" },
        { "t1 s1 many\n", "line 1: expected \"TARGET SOURCE PROBABILITY\"" },
        { "t1 s1 nan\n", "line 1: expected \"TARGET SOURCE PROBABILITY\"" },
        { "t1 s1 0.5 0.5\n", "line 1: expected \"TARGET SOURCE PROBABILITY\"" },
        { "s1\tt1\n\ns2 t2\n", "line 3: expected \"SOURCE PIECES<TAB>TARGET PIECES\"" },
        { "s1\tt1\ns2\tt2\tt3\n", "line 2: expected \"SOURCE PIECES<TAB>TARGET PIECES\"" },
        { "other words 0.5\n", "no line has pieces of both vocabularies of the model" },
        { "other\twords\n", "no line has pieces of both vocabularies of the model" },
        { "", "no line has pieces of both vocabularies of the model" },
    };
    Shortlist *s;
    Err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *path = support_write_text(*state, "text", cases[i].text);
        assert_fails_as(open_with(&s, path, own, &err), ERR_FORMAT, &err, "%s: %s", path, cases[i].message);
        assert_null(s);
    }
}

FOLDER_TEST(rejects_corrupt_compression_and_nul_bytes)
{
    static const char nul[] = "t1 s1 0.5\nt1 s1\0 0.5\n";
    char *path = support_path(*state, "cut.gz"), *bytes, *cut;
    gzFile gz = gzopen(path, "wb");
    Shortlist *s;
    size_t size;
    Err err;

    for (int i = 0; i < 100; i++) gzprintf(gz, "t%d s%d 0.%d\n", i, i % SOURCE, i + 1);
    gzclose(gz);
    bytes = support_read_file(path, &size);
    cut = support_write_file(*state, "cut.gz", bytes, size - 20);
    assert_int_equal(open_with(&s, cut, own, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "is cut off after line "));
    free(cut);
    free(path);
    free(bytes);
    path = support_write_file(*state, "nul", nul, sizeof nul - 1);
    assert_fails_as(open_with(&s, path, own, &err), ERR_FORMAT, &err, "%s: line 2: contains a NUL byte", path);
    free(path);
}

TESTS(test_shortlist);
