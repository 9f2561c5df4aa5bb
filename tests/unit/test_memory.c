/* test_memory.c - translation memories: rows, parts and entries; what is read from a file, added to it and locked. */
#include "test_support.h"

#include <sys/resource.h>
#include <signal.h>

#include "memory.h"
#include "report.h"
#include "stderr_support.h"

static LineText text_of(const char *text)
{
    return (LineText){ text, strlen(text) };
}

/* --- Entries ----------------------------------------------------------------- */

/* A memory in tsv. */
typedef struct {
    MemoryMap *map;
    char *bytes;
    MemoryTsvEnd end;
} Tsv;

static Status read_tsv(Tsv *tsv, const char *text, Err *err)
{
    const size_t size = strlen(text);

    assert_ok(memory_map_new(&tsv->map, err), err);
    tsv->bytes = support_alloc(size + 1);
    memcpy(tsv->bytes, text, size);
    return memory_tsv_read(tsv->map, "m.tsv", tsv->bytes, size, &tsv->end, err);
}

static Tsv open_tsv(const char *text)
{
    Tsv tsv;
    Err err;

    assert_ok(read_tsv(&tsv, text, &err), &err);
    return tsv;
}

static void close_tsv(Tsv *tsv)
{
    memory_map_free(tsv->map);
    free(tsv->bytes);
}

/* A lookup of an entry by a person, and the expected translation; NULL: there is none. A language may be "". */
typedef struct {
    const char *source, *from, *to, *expected;
} Lookup;

static void check_lookup(const Tsv *tsv, Lookup row)
{
    MemoryRow found = {
        .from = text_of(row.from), .to = text_of(row.to), .source = text_of(row.source), .target = text_of("")
    };
    const bool is_found = memory_map_find(tsv->map, &found);

    if (is_found == (row.expected != NULL) && found.target.len == strlen(row.expected ? row.expected : "") &&
        (!row.expected || memcmp(found.target.data, row.expected, found.target.len) == 0))
        return;
    fail_msg("%s (%s > %s): found %.*s", row.source, row.from, row.to, (int)found.target.len, found.target.data);
}

/* Memories in tsv, and what is found in each. Entries by people come back as they are, texts of rows are single lines,
 * and entries fit the languages. Other programs write scripts that are usual, and codes with three letters. */
TEST(finds_entries_by_people)
{
    static const struct {
        const char *text;
        size_t count; /* of entries */
        Lookup lookups[12];
    } rows[] = {
        { "\xef\xbb\xbf"
          "A\tB\\n\r\n\n"
          "C:\\temp\tD\nE\t\n\tF\nA\tlast\nG\tH",
          3,
          { { "A", "en", "de", "last" }, { "C:\\temp", "", "", "D" }, { "E", "", "", NULL }, { "G", "", "", "H" } } },
        { "A\tB\r\r\n"
          "\rC\tno\rno\n"
          "\ten\tde\tD\\r\tE\\rF\\n\t\n"
          "\ten\tde\tG\tH\r\t\n"
          "\ten\tde\tI\t\\r\\n\n",
          4,
          { { "A", "en", "de", "B" },
            { "C", "en", "de", "no no" },
            { "D", "en", "de", "E F" },
            { "G", "en", "de", "H" },
            { "I", "en", "de", NULL } } },
        { "\ten_US\tpt-PT\tA\tPT\n\ten\tpt-BR\tA\tBR\n\ten\tde\tA\tDE\nA\tany\n\tfr\tde\tB\tB2\n"
          "\teng-Latn\tsr-Cyrl-RS\tS\tcyrillic\n\ten\tsr-Latn-RS\tS\tlatin\n",
          7,
          { { "A", "en", "pt-BR", "BR" },
            { "A", "en-GB", "PT-pt", "PT" },
            { "A", "en", "de", "DE" },
            { "A", "", "de", "DE" },
            { "A", "", "", "PT" }, /* the first languages */
            { "A", "fr", "it", "any" },
            { "B", "en", "de", NULL },
            { "B", "", "de", "B2" },
            { "S", "en", "sr", "cyrillic" },
            { "S", "en", "sr-Latn", "latin" } } },
        { "\ten\tuz-Latn-UZ\tA\tUZ\n\ten\tsr-Latn-ME\tB\tlatin\n\ten\tsr-Cyrl-ME\tC\tcyrillic\n"
          "\ten\tpa-Arab-PK\tA\tarabic\n\ten\tde\tA\tfirst\n\teng\tdeu\tA\tlast\n"
          "\ten\tzh-Hant-TW\tA\ttraditional\n\ten\tzh-Hans\tA\tsimplified\n\tx-mine\tde\tA\tmine\n",
          8,
          { { "A", "en", "uz", "UZ" },
            { "A", "en", "zh", "simplified" },
            { "A", "en", "zh-Hant", "traditional" },
            { "A", "en", "uz-Cyrl", NULL },
            { "A", "en", "zh-TW", "traditional" },
            { "B", "en", "sr", NULL },
            { "B", "en", "sr-Latn", "latin" },
            { "C", "en", "sr", "cyrillic" },
            { "A", "en", "pa", NULL },
            { "A", "en", "pa-Arab", "arabic" },
            { "A", "en", "de", "last" },
            { "A", "x-mine", "de", "mine" } } },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Tsv tsv = open_tsv(rows[i].text);
        for (size_t k = 0; k < COUNT(rows[i].lookups) && rows[i].lookups[k].source; k++)
            check_lookup(&tsv, rows[i].lookups[k]);
        if (memory_map_count(tsv.map) != rows[i].count) fail_msg("memory %zu: %zu", i, memory_map_count(tsv.map));
        assert_int_equal(tsv.end.lacks_newline, i == 0);
        assert_int_equal(tsv.end.torn_line, 0);
        close_tsv(&tsv);
    }
}

TEST(rows_by_dragoman_come_back_as_they_were)
{
    static const char source[] = "a\tb\\n\r\\t", target[] = "\\x\ty";
    const MemoryRow row = { true,
                            0x0123456789abcdef,
                            text_of("en"),
                            text_of("zh-Hant"),
                            text_of(source),
                            text_of(target),
                            text_of("k0-1=0-1") };
    MemoryRow found = row;
    Buf out = { 0 };
    Tsv tsv;
    Err err;

    assert_ok(memory_tsv_append(&out, &row, &err), &err);
    assert_string_equal(out.data, "#0123456789abcdef\ten\tzh-Hant\ta\\tb\\\\n\\r\\\\t\t\\\\x\\ty\tk0-1=0-1\n");
    tsv = open_tsv(out.data);
    found.target = text_of("");
    found.parts = text_of("k0-1");
    assert_true(memory_map_find(tsv.map, &found));
    assert_int_equal(found.target.len, strlen(target));
    assert_memory_equal(found.target.data, target, found.target.len);
    assert_int_equal(found.parts.len, 8);
    assert_memory_equal(found.parts.data, "k0-1=0-1", 8);
    close_tsv(&tsv);
    buf_free(&out);
}

TEST(refuses_what_is_not_a_row)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "A\tB\nonly one\n", "m.tsv:2: a row must have the columns SOURCE and TARGET, or five or six columns; this "
                              "one has 1" },
        { "A\tB\tC\n", "m.tsv:1: a row must have the columns SOURCE and TARGET, or five or six columns; this one has "
                       "3" },
        { "\ten\tde\tA\tB\t\tC\n", "m.tsv:1: a row must have the columns SOURCE and TARGET, or five or six columns; "
                                   "this one has 7" },
        { "#12\ten\tde\tA\tB\n",
          "m.tsv:1: the first of several columns must be empty, or # and 16 hexadecimal digits" },
        { "\ten\tGerman, Austria\tA\tB\n",
          "m.tsv:1: columns 2 and 3 must be codes of languages, such as de or pt-BR, or empty" },
        { "A\tB\xff\n", "m.tsv:1: not valid UTF-8, or a NUL byte" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Tsv tsv;
        Err err;
        assert_int_equal(read_tsv(&tsv, rows[i].text, &err), ERR_FORMAT);
        assert_string_equal(err.text, rows[i].message);
        close_tsv(&tsv);
    }
}

/* Every beginning of a row by dragoman is dropped, and no row by a person. */
TEST(drops_a_torn_last_row)
{
    static const char whole[] = "A\tB\n#0123456789abcdef\ten\tde\tC\tD\n";
    static const char *const given[] = { "A\tB\n#hash\ttag", "A\tB\n#0123456789abcdef0\tB" };

    for (size_t size = 5; size < sizeof whole - 2; size++) {
        FREED char *part = support_format("%.*s", (int)size, whole);
        Tsv tsv = open_tsv(part);
        assert_int_equal(tsv.end.torn_line, 2);
        assert_int_equal(tsv.end.complete, 4);
        assert_int_equal(memory_map_count(tsv.map), 1);
        close_tsv(&tsv);
    }
    for (size_t i = 0; i < COUNT(given); i++) {
        Tsv tsv = open_tsv(given[i]);
        assert_int_equal(tsv.end.torn_line, 0);
        assert_int_equal(memory_map_count(tsv.map), 2);
        close_tsv(&tsv);
    }
}

TEST(entries_by_dragoman_need_the_same_identity_languages_and_parts)
{
    static const struct {
        uint64_t identity;
        const char *from, *parts;
        bool is_found;
    } rows[] = { { 42, "en", "k0-1 s0-1^0", true },       { 43, "en", "k0-1 s0-1^0", false },
                 { 42, "fr", "k0-1 s0-1^0", false },      { 42, "en", "k0-1", false },
                 { 42, "en", "k0-1 s0-1^0 e0-0", false }, { 42, "en", "", false },
                 { 42, "en", "k0-1=0-1 s0-1^0", true },   { 42, "en", "s0-1^0 k0-1", false },
                 { 42, "en", "s0-1^0", false },           { 42, "en", "k0-2 s0-1^0", false } };
    Tsv tsv = open_tsv("#000000000000002a\ten\tde\tA\tB\tk0-1=0-1 s0-1^0=0-1\n");

    for (size_t i = 0; i < COUNT(rows); i++) {
        MemoryRow row = { true,         rows[i].identity, text_of(rows[i].from), text_of("de"),
                          text_of("A"), text_of(""),      text_of(rows[i].parts) };
        if (memory_map_find(tsv.map, &row) != rows[i].is_found) fail_msg("row %zu", i);
    }
    check_lookup(&tsv, (Lookup){ "A", "en", "de", NULL });
    close_tsv(&tsv);
}

TEST(finds_each_of_many_entries)
{
    enum { ENTRIES = 20000 };
    Buf text = { 0 };
    Tsv tsv;
    Err err;

    for (int i = 0; i < ENTRIES; i++) buf_put_format(&text, "s%d\tt%d\n", i, i);
    assert_ok(buf_check(&text, &err), &err);
    tsv = open_tsv(text.data);
    assert_int_equal(memory_map_count(tsv.map), ENTRIES);
    for (int i = 0; i < ENTRIES; i++) {
        char source[16], target[16];
        snprintf(source, sizeof source, "s%d", i);
        snprintf(target, sizeof target, "t%d", i);
        check_lookup(&tsv, (Lookup){ source, "en", "de", target });
    }
    check_lookup(&tsv, (Lookup){ "s", "en", "de", NULL });
    close_tsv(&tsv);
    buf_free(&text);
}

TEST(refuses_too_many_languages)
{
    Buf text = { 0 };
    Tsv tsv;
    Err err;

    for (int i = 0; i < 300; i++) buf_put_format(&text, "\tl%d\tde\tA\tB\n", i);
    assert_ok(buf_check(&text, &err), &err);
    assert_fails(read_tsv(&tsv, text.data, &err), ERR_FORMAT, &err,
                 "m.tsv:256: more than 256 languages are not supported");
    close_tsv(&tsv);
    buf_free(&text);
}

/* --- Parts ------------------------------------------------------------------- */

/* A text with a kept part, a span in a span, an empty element and the mark of an accelerator. */
static const Range kept[] = { { 0, 3 } };
static const Markup markup[] = { { .parent = MARKUP_ROOT, .text = { 4, 9 } },
                                 { .parent = 0, .text = { 4, 6 } },
                                 { .parent = 0, .is_empty = true, .text = { 6, 6 } },
                                 { .parent = MARKUP_ROOT, .is_empty = true, .text = { 10, 10 } } };
static const UnitText unit = { .text = "KEY bcdef g",
                               .length = 11,
                               .kept = kept,
                               .kept_count = 1,
                               .markup = markup,
                               .markup_count = 4,
                               .accelerator = 4 };

TEST(parts_come_back_as_they_were)
{
    static const Range places[] = { { 0, 5 }, { 3, 5 }, { 2, 2 }, { 9, 9 } };
    const Span place = { .source = { 0, 3 }, .place = { 6, 9 } };
    const Rendering made = { "hijkl KEY", 9, places, &place, 1 };
    Range found_kept[1], found[4];
    Buf out = { 0 }, key = { 0 };
    Err err;

    assert_ok(memory_parts_append(&out, &unit, &made, &err), &err);
    assert_string_equal(out.data, "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9");
    assert_ok(memory_parts_append(&key, &unit, NULL, &err), &err);
    assert_string_equal(key.data, "k0-3 s4-9 s4-6^0 e6-6^0 a10-10");
    assert_true(memory_parts_read(text_of(out.data), &unit, text_of("hijkl KEY"), found_kept, found));
    assert_memory_equal(&found_kept[0], &place.place, sizeof place.place);
    assert_memory_equal(found, places, sizeof places);
    buf_free(&out);
    buf_free(&key);
}

TEST(refuses_places_that_cannot_be)
{
    static const char *const wrong[][2] = {
        { "", "hijkl KEY" },
        { "k0-3=6-9", "hijkl KEY" },
        { "k0-3=5-8 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9", "hijkl KEY" },                       /* other bytes */
        { "k0-3=6-9 s4-9=0-10 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9", "hijkl KEY" },                      /* after the end */
        { "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-3 a10-10=9-9", "hijkl KEY" },                       /* not empty */
        { "k0-3=6-9 s4-9=5-0 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9", "hijkl KEY" },                       /* reversed */
        { "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9 s0-1=0-1", "hijkl KEY" },              /* one too many */
        { "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9", "hijkl KEY" },                         /* no end */
        { "k0-3=6-9 s4-9=0-99999999999999999999999 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9", "hijkl KEY" }, /* too large */
        { "k0-3=6-9 s4-9=0-1 s4-6^0=0-0 e6-6^0=0-0 a10-10=9-9", "\xc3\xa4xxx KEY" }, /* in a character */
    };
    Range found_kept[1], found[4];

    for (size_t i = 0; i < COUNT(wrong); i++)
        if (memory_parts_read(text_of(wrong[i][0]), &unit, text_of(wrong[i][1]), found_kept, found))
            fail_msg("accepts %s", wrong[i][0]);
}

TEST(finds_kept_parts_in_the_translation_of_a_person)
{
    static const Range parts[] = { { 0, 1 }, { 2, 3 }, { 4, 6 } };
    const UnitText text = { .text = "a a bc", .length = 6, .kept = parts, .kept_count = 3 };
    Range found[3];

    assert_true(memory_parts_find_kept(&text, text_of("bbc a-a"), found));
    assert_int_equal(found[0].begin, 4);
    assert_int_equal(found[1].begin, 6);
    assert_int_equal(found[2].begin, 1);
    assert_false(memory_parts_find_kept(&text, text_of("bc a"), found));
    assert_false(memory_parts_find_kept(&text, text_of(""), found));
    assert_false(memory_parts_read(text_of("k0-1=0-1 k2-3=0-1 k4-6=2-4"), &text, text_of("a bc"), found, NULL));
    assert_true(memory_parts_read(text_of("k0-1=5-6 k2-3=0-1 k4-6=2-4"), &text, text_of("a bc a"), found, NULL));
}

/* --- Memories ---------------------------------------------------------------- */

static const MemoryContext context = { .from = "en", .to = "de", .identity = 0x2a };

static Memory *open_memory(const char *path)
{
    Memory *memory;
    Err err;

    assert_ok(memory_open(&memory, &(MemoryPlan){ .path = path, .target = "de", .reporter = &program_reporter }, &err),
              &err);
    return memory;
}

static void close_memory(Memory *memory)
{
    Err err;

    assert_ok(memory_finish(memory, &err), &err);
    memory_free(memory);
}

static Status try_to_learn(Memory *memory, const char *source, const char *target, Err *err)
{
    const UnitText text = { .text = source, .length = strlen(source) };

    return memory_learn(memory, &context, &text, &(Rendering){ target, strlen(target), NULL, NULL, 0 }, err);
}

static void learn(Memory *memory, const char *source, const char *target)
{
    Err err;

    assert_ok(try_to_learn(memory, source, target, &err), &err);
}

static void assert_found(Memory *memory, const char *source, const char *expected)
{
    const UnitText text = { .text = source, .length = strlen(source) };
    MemoryHit hit;
    Err err;

    assert_ok(memory_recall(memory, &context, &text, &hit, &err), &err);
    if (!hit.target.data != !expected) fail_msg("%s: %s", source, expected ? "not found" : "found");
    if (!expected) return;
    assert_int_equal(hit.target.len, strlen(expected));
    assert_memory_equal(hit.target.data, expected, hit.target.len);
}

/* Opens a memory, looks for these pairs of a source and its translation, up to a NULL, and closes it. */
static void assert_remembers(const char *path, const char *const *pairs)
{
    Memory *memory = open_memory(path);

    for (; *pairs; pairs += 2) assert_found(memory, pairs[0], pairs[1]);
    close_memory(memory);
}

static void assert_content(const char *path, const char *expected)
{
    FREED char *content = support_read_file(path, NULL);

    assert_string_equal(content, expected);
}

FOLDER_TEST(adds_each_entry_once_in_the_order_of_the_input)
{
    FREED char *path = support_path(*state, "m.tsv");
    Memory *memory = open_memory(path);

    learn(memory, "B", "b");
    learn(memory, "A", "a");
    learn(memory, "B", "b");
    learn(memory, "blank", " ");
    learn(memory, "lines", "a\nb");
    assert_found(memory, "A", NULL); /* what is added cannot be found in the same run */
    assert_content(path, "#000000000000002a\ten\tde\tB\tb\n#000000000000002a\ten\tde\tA\ta\n");
    close_memory(memory);
    assert_remembers(path, (const char *[]){ "A", "a", "B", "b", "C", NULL, NULL });
}

FOLDER_TEST(a_person_is_preferred)
{
    FREED char *path = support_write_text(
        *state, "m.tsv", "A\tmine\n#000000000000002a\ten\tde\tA\tmade\n#000000000000002a\ten\tde\tB\tb\n");

    assert_remembers(path, (const char *[]){ "A", "mine", "B", "b", NULL });
}

FOLDER_TEST(repairs_the_end_of_the_file)
{
    static const char *const contents[] = { "A\tmine\n#000000000000002a\ten\tde\tB", "A\tmine" };
    static const char *const repaired[] = { "A\tmine\n", "A\tmine" };

    for (size_t i = 0; i < COUNT(contents); i++) {
        FREED char *path = support_write_text(*state, "m.tsv", contents[i]);
        const int old = support_redirect_stderr(*state);
        Memory *memory = open_memory(path);
        FREED char *warnings = support_restore_stderr(*state, old);
        FREED char *expected =
            support_format("dragoman: warning: %s:2: the last line is incomplete and was removed\n", path);
        assert_string_equal(warnings, i ? "" : expected);
        assert_content(path, repaired[i]);
        learn(memory, "B", "b");
        assert_content(path, "A\tmine\n#000000000000002a\ten\tde\tB\tb\n");
        close_memory(memory);
    }
}

FOLDER_TEST(a_second_writer_is_refused)
{
    static const char *const names[] = { "m.tsv", "m.tmx" };

    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *path = support_path(*state, names[i]);
        FREED char *expected = support_format(
            "%s: another dragoman is using this translation memory; wait for it, or use another file", path);
        Memory *memory = open_memory(path), *second;
        Err err;
        assert_fails(
            memory_open(&second, &(MemoryPlan){ .path = path, .target = "de", .reporter = &program_reporter }, &err),
            ERR_IO, &err, expected);
        assert_null(second);
        close_memory(memory);
        close_memory(open_memory(path));
    }
}

FOLDER_TEST(refuses_what_is_not_a_file)
{
    FREED char *missing = support_path(*state, "folder/m.tsv");
    Memory *memory;
    Err err;

    assert_int_equal(
        memory_open(&memory, &(MemoryPlan){ .path = missing, .target = NULL, .reporter = &program_reporter }, &err),
        ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(
        memory_open(&memory, &(MemoryPlan){ .path = *state, .target = NULL, .reporter = &program_reporter }, &err),
        ERR_IO);
    assert_fails(
        memory_open(&memory, &(MemoryPlan){ .path = "/dev/null", .target = NULL, .reporter = &program_reporter }, &err),
        ERR_IO, &err, "/dev/null: a translation memory must be a regular file");
}

/* A full disk leaves no part of a row. */
FOLDER_TEST(what_does_not_fit_is_removed)
{
    static const char rows[] = "#000000000000002a\ten\tde\tA\ta\n#000000000000002a\ten\tde\tC\tc\n";
    FREED char *path = support_path(*state, "m.tsv"), *first = support_format("%.*s", (int)strlen(rows) / 2, rows);
    Memory *memory = open_memory(path);
    struct rlimit limit;
    rlim_t old;
    Err err;

    learn(memory, "A", "a");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    old = limit.rlim_cur;
    limit.rlim_cur = strlen(first) + 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(try_to_learn(memory, "B", "b", &err), ERR_IO);
    limit.rlim_cur = old;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_content(path, first);
    learn(memory, "C", "c");
    assert_content(path, rows);
    close_memory(memory);
}

#define TMX_BEGIN "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n"

FOLDER_TEST(reads_units_by_people)
{
    FREED char *path = support_write_text(
        *state, "m.TMX",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n" TMX_BEGIN
        "<tu><prop type=\"x\">y</prop><note>n</note><tuv xml:lang=\"EN-US\"><prop type=\"x-dragoman\">z</prop><seg>\n"
        "  A <bpt i=\"1\">&lt;b></bpt>&amp; <hi>B</hi><ept i=\"1\">&lt;/b></ept>\n</seg></tuv>"
        "<tuv xml:lang=\"fr\"><seg>FR</seg></tuv><tuv xml:lang=\"de-AT\"><seg>DE "
        "<ph>x<sub>y</sub></ph>!</seg></tuv></tu>"
        "<tu srclang=\"*all*\"><tuv xml:lang=\"de\"><seg>eins</seg></tuv><tuv xml:lang=\"en\"><seg>one</seg></tuv></tu>"
        "<tu><tuv xml:lang=\"eng-Latn\"><seg>two</seg></tuv><tuv xml:lang=\"deu_DE\"><seg>zwei</seg></tuv></tu>"
        "<tu><tuv xml:lang=\"en\"><seg>alone</seg></tuv></tu></body></tmx>");
    const char *const pairs[] = { "A & B", "DE !", "one", "eins", "two", "zwei", "eins", NULL, "alone", NULL, NULL };

    assert_remembers(path, pairs);
}

/* Everything of the file but the new units stays as it is. */
FOLDER_TEST(inserts_units_at_the_end_of_the_body)
{
    static const char unit_text[] = "<tu><prop type=\"x-dragoman\">#000000000000002a</prop>\n"
                                    "<tuv xml:lang=\"en\"><seg>&lt;A&gt; &amp;&#13;</seg></tuv>\n"
                                    "<tuv xml:lang=\"de\"><seg> b</seg></tuv>\n</tu>\n";
    static const char *const ends[][2] = { { TMX_BEGIN "<!-- x -->", "</body> </tmx>\n" },
                                           { "<tmx><body>\n", "</body></tmx>" } };

    for (size_t i = 0; i < COUNT(ends); i++) {
        FREED char *before = support_format("%s%s", ends[i][0], ends[i][1]);
        FREED char *after = support_format("%s%s%s", ends[i][0], unit_text, ends[i][1]);
        FREED char *path = support_write_text(*state, "m.tmx", i ? "<tmx><body/></tmx>" : before);
        Memory *memory = open_memory(path);
        learn(memory, "<A> &\r", " b");
        learn(memory, "\x01", "not in XML");
        assert_found(memory, "<A> &\r", NULL);
        close_memory(memory);
        assert_content(path, after);
        assert_remembers(path, (const char *[]){ "<A> &\r", " b", "\x01", NULL, NULL });
    }
}

FOLDER_TEST(a_new_tmx_file_is_complete)
{
    static const char *const parts[] = { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n<header ",
                                         "<seg>A</seg>", "</body>\n</tmx>\n" };
    FREED char *path = support_path(*state, "m.tmx");
    Memory *memory = open_memory(path);
    FREED char *content = NULL;

    close_memory(memory); /* without an entry */
    memory = open_memory(path);
    learn(memory, "A", "a");
    close_memory(memory);
    content = support_read_file(path, NULL);
    for (size_t i = 0; i < COUNT(parts); i++)
        if (!strstr(content, parts[i])) fail_msg("no %s in %s", parts[i], content);
    assert_remembers(path, (const char *[]){ "A", "a", NULL });
}

FOLDER_TEST(refuses_tmx_that_it_cannot_read)
{
    static const struct {
        const char *content, *message;
    } rows[] = {
        { "<tmx/>", ": not a translation memory in TMX: it has no body" },
        { "<html><body>x</body></html>", ":1: not a translation memory in TMX: its root element is not tmx" },
        { "<tmx>\n<body>", ":2: no element found" },
        { "<!DOCTYPE tmx [<!ENTITY a \"b\">]>\n<tmx/>", ":1: entities of the file's own are not supported" },
        { "<tmx><body>\n<tu><prop type=\"x-dragoman\">12</prop><tuv xml:lang=\"en\"><seg>a</seg></tuv>"
          "<tuv xml:lang=\"de\"><seg>b</seg></tuv></tu></body></tmx>",
          ":2: the property x-dragoman must be # and 16 hexadecimal digits" },
        { "<tmx><body>\n<tu><tuv xml:lang=\"in English\"/></tu></body></tmx>",
          ":2: a language must be a code such as de or pt-BR" },
        { "\xff\xfe<\0t\0", ": a TMX file must be UTF-8; convert it with iconv, and change its first line" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED char *path = support_write_text(*state, "m.tmx", rows[i].content);
        FREED char *expected = support_format("%s%s", path, rows[i].message);
        Memory *memory;
        Err err = { "" };
        assert_int_not_equal(
            memory_open(&memory, &(MemoryPlan){ .path = path, .target = "de", .reporter = &program_reporter }, &err),
            OK);
        assert_string_equal(err.text, expected);
    }
}

TESTS(test_memory);
