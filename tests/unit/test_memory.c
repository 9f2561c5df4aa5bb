/* test_memory.c - the files of translation memories: what is read, added and locked. */
#include "test_support.h"

#include <sys/resource.h>
#include <signal.h>

#include "memory.h"
#include "report.h"
#include "memory_file.h"
#include "stderr_support.h"

static const MemoryContext context = { .from = "en", .to = "de", .identity = 0x2a };

static Memory *open_memory(const char *path)
{
    Memory *memory;
    Err err;

    assert_ok(memory_open(&memory, path, "de", &program_reporter, false, &err), &err);
    return memory;
}

static void close_memory(Memory *memory)
{
    Err err;

    assert_ok(memory_finish(memory, &err), &err);
    memory_free(memory);
}

static UnitText line_of(const char *text)
{
    return (UnitText){ .text = text, .length = strlen(text) };
}

static void learn(Memory *memory, const char *source, const char *target)
{
    const UnitText text = line_of(source);
    Err err;

    assert_ok(memory_learn(memory, &context, &text, &(Rendering){ target, strlen(target), NULL, NULL, 0 }, &err), &err);
}

static void assert_found(Memory *memory, const char *source, const char *expected)
{
    const UnitText text = line_of(source);
    MemoryHit hit;
    bool found;
    Err err;

    assert_ok(memory_recall(memory, &context, &text, &found, &hit, &err), &err);
    assert_int_equal(found, expected != NULL);
    if (!expected) return;
    assert_int_equal(hit.target.length, strlen(expected));
    assert_memory_equal(hit.target.text, expected, hit.target.length);
}

static void assert_content(const char *path, const char *expected)
{
    char *content = support_read_file(path, NULL);

    assert_string_equal(content, expected);
    free(content);
}

static void adds_each_entry_once_in_the_order_of_the_input(void **state)
{
    char *path = support_path(*state, "m.tsv");
    Memory *memory = open_memory(path);

    learn(memory, "B", "b");
    learn(memory, "A", "a");
    learn(memory, "B", "b");
    learn(memory, "blank", " ");
    learn(memory, "lines", "a\nb");
    assert_found(memory, "A", NULL); /* what is added cannot be found in the same run */
    assert_content(path, "#000000000000002a\ten\tde\tB\tb\n#000000000000002a\ten\tde\tA\ta\n");
    close_memory(memory);
    memory = open_memory(path);
    assert_found(memory, "A", "a");
    assert_found(memory, "B", "b");
    assert_found(memory, "C", NULL);
    close_memory(memory);
    free(path);
}

static void a_person_is_preferred(void **state)
{
    char *path = support_write_text(*state, "m.tsv",
                                    "A\tmine\n#000000000000002a\ten\tde\tA\tmade\n#000000000000002a\ten\tde\tB\tb\n");
    Memory *memory = open_memory(path);

    assert_found(memory, "A", "mine");
    assert_found(memory, "B", "b");
    close_memory(memory);
    free(path);
}

static void repairs_the_end_of_the_file(void **state)
{
    char *path = support_write_text(*state, "m.tsv", "A\tmine\n#000000000000002a\ten\tde\tB");
    char *other = support_write_text(*state, "o.tsv", "A\tmine");
    const int old = support_redirect_stderr(*state);
    Memory *memory = open_memory(path);
    char *warnings = support_restore_stderr(*state, old);
    char *expected = support_format("dragoman: warning: %s:2: the last line is incomplete and was removed\n", path);

    assert_string_equal(warnings, expected);
    assert_content(path, "A\tmine\n");
    learn(memory, "B", "b");
    assert_content(path, "A\tmine\n#000000000000002a\ten\tde\tB\tb\n");
    close_memory(memory);
    memory = open_memory(other);
    assert_content(other, "A\tmine");
    learn(memory, "B", "b");
    assert_content(other, "A\tmine\n#000000000000002a\ten\tde\tB\tb\n");
    close_memory(memory);
    free(path);
    free(other);
    free(warnings);
    free(expected);
}

static void a_second_writer_is_refused(void **state)
{
    static const char *const names[] = { "m.tsv", "m.tmx" };

    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = support_path(*state, names[i]);
        char *expected = support_format(
            "%s: another dragoman is using this translation memory; wait for it, or use another file", path);
        Memory *memory = open_memory(path), *second;
        Err err;
        assert_fails(memory_open(&second, path, "de", &program_reporter, false, &err), ERR_IO, &err, expected);
        assert_null(second);
        close_memory(memory);
        close_memory(open_memory(path));
        free(path);
        free(expected);
    }
}

static void refuses_what_is_not_a_file(void **state)
{
    char *missing = support_path(*state, "folder/m.tsv");
    Memory *memory;
    Err err;

    assert_int_equal(memory_open(&memory, missing, NULL, &program_reporter, false, &err), ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(memory_open(&memory, *state, NULL, &program_reporter, false, &err), ERR_IO);
    assert_fails(memory_open(&memory, "/dev/null", NULL, &program_reporter, false, &err), ERR_IO, &err,
                 "/dev/null: a translation memory must be a regular file");
    free(missing);
}

/* A full disk leaves no part of a row. */
static void what_does_not_fit_is_removed(void **state)
{
    char *path = support_path(*state, "m.tsv");
    struct rlimit limit;
    rlim_t old;
    MemoryFile file;
    Err err;

    assert_ok(memory_file_open(&file, path, &err), &err);
    assert_ok(memory_file_append(&file, "12345\n", 6, &err), &err);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    old = limit.rlim_cur;
    limit.rlim_cur = 8;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(memory_file_append(&file, "12345\n", 6, &err), ERR_IO);
    limit.rlim_cur = old;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_content(path, "12345\n");
    assert_ok(memory_file_append(&file, "6\n", 2, &err), &err);
    assert_content(path, "12345\n6\n");
    memory_file_close(&file);
    free(path);
}

#define TMX_BEGIN "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n"

static void reads_units_by_people(void **state)
{
    char *path = support_write_text(
        *state, "m.TMX",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n" TMX_BEGIN
        "<tu><prop type=\"x\">y</prop><note>n</note><tuv xml:lang=\"EN-US\"><prop type=\"x-dragoman\">z</prop><seg>\n"
        "  A <bpt i=\"1\">&lt;b></bpt>&amp; <hi>B</hi><ept i=\"1\">&lt;/b></ept>\n</seg></tuv>"
        "<tuv xml:lang=\"fr\"><seg>FR</seg></tuv><tuv xml:lang=\"de-AT\"><seg>DE "
        "<ph>x<sub>y</sub></ph>!</seg></tuv></tu>"
        "<tu srclang=\"*all*\"><tuv xml:lang=\"de\"><seg>eins</seg></tuv><tuv xml:lang=\"en\"><seg>one</seg></tuv></tu>"
        "<tu><tuv xml:lang=\"eng-Latn\"><seg>two</seg></tuv><tuv xml:lang=\"deu_DE\"><seg>zwei</seg></tuv></tu>"
        "<tu><tuv xml:lang=\"en\"><seg>alone</seg></tuv></tu></body></tmx>");
    Memory *memory = open_memory(path);

    assert_found(memory, "A & B", "DE !");
    assert_found(memory, "one", "eins");
    assert_found(memory, "two", "zwei");
    assert_found(memory, "eins", NULL);
    assert_found(memory, "alone", NULL);
    close_memory(memory);
    free(path);
}

/* Everything of the file but the new units stays as it is. */
static void inserts_units_at_the_end_of_the_body(void **state)
{
    static const char unit[] = "<tu><prop type=\"x-dragoman\">#000000000000002a</prop>\n"
                               "<tuv xml:lang=\"en\"><seg>&lt;A&gt; &amp;&#13;</seg></tuv>\n"
                               "<tuv xml:lang=\"de\"><seg> b</seg></tuv>\n</tu>\n";
    static const char *const ends[][2] = { { TMX_BEGIN "<!-- x -->", "</body> </tmx>\n" },
                                           { "<tmx><body>\n", "</body></tmx>" } };

    for (size_t i = 0; i < COUNT(ends); i++) {
        char *before = support_format("%s%s", ends[i][0], ends[i][1]);
        char *after = support_format("%s%s%s", ends[i][0], unit, ends[i][1]);
        char *path = support_write_text(*state, "m.tmx", i ? "<tmx><body/></tmx>" : before);
        Memory *memory = open_memory(path);
        learn(memory, "<A> &\r", " b");
        learn(memory, "\x01", "not in XML");
        assert_found(memory, "<A> &\r", NULL);
        close_memory(memory);
        assert_content(path, after);
        memory = open_memory(path);
        assert_found(memory, "<A> &\r", " b");
        assert_found(memory, "\x01", NULL);
        close_memory(memory);
        free(before);
        free(after);
        free(path);
    }
}

static void a_new_tmx_file_is_complete(void **state)
{
    char *path = support_path(*state, "m.tmx");
    Memory *memory = open_memory(path);
    char *content;

    close_memory(memory); /* without an entry */
    memory = open_memory(path);
    learn(memory, "A", "a");
    close_memory(memory);
    content = support_read_file(path, NULL);
    assert_non_null(strstr(content, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n<header "));
    assert_non_null(strstr(content, "<seg>A</seg>"));
    assert_non_null(strstr(content, "</body>\n</tmx>\n"));
    memory = open_memory(path);
    assert_found(memory, "A", "a");
    close_memory(memory);
    free(content);
    free(path);
}

static void assert_refused(const char *folder, const char *content, size_t size, const char *message)
{
    char *path = support_write_file(folder, "m.tmx", content, size);
    char *expected = support_format("%s%s", path, message);
    Memory *memory;
    Err err = { "" };

    assert_int_not_equal(memory_open(&memory, path, "de", &program_reporter, false, &err), OK);
    assert_string_equal(err.text, expected);
    free(path);
    free(expected);
}

static void refuses_tmx_that_it_cannot_read(void **state)
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

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_refused(*state, rows[i].content, strlen(rows[i].content), rows[i].message);
}

TEST_FILE(test_memory)
{
    static const struct CMUnitTest tests[] = {
        test_with_folder(adds_each_entry_once_in_the_order_of_the_input),
        test_with_folder(a_person_is_preferred),
        test_with_folder(repairs_the_end_of_the_file),
        test_with_folder(a_second_writer_is_refused),
        test_with_folder(refuses_what_is_not_a_file),
        test_with_folder(what_does_not_fit_is_removed),
        test_with_folder(reads_units_by_people),
        test_with_folder(inserts_units_at_the_end_of_the_body),
        test_with_folder(a_new_tmx_file_is_complete),
        test_with_folder(refuses_tmx_that_it_cannot_read),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
