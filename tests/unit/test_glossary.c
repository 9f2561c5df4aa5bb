/* test_glossary.c - document/glossary: the files of glossaries, and their terms in texts. Stems are tested only where
 * libstemmer is installed. */
#include "test_support.h"

#include "buf.h"
#include "glossary.h"
#include "glossary_file.h"
#include "stemmer.h"

/* Adds a file with this text, whose name is "terms". */
static Status add_text(Glossary *glossary, const char *text, size_t length, Err *err)
{
    char *folder = support_folder_new(), *path = support_write_file(folder, "terms", text, length);
    const Status st = glossary_add_file(glossary, path, err);

    free(path);
    support_folder_remove(folder);
    free(folder);
    return st;
}

static Glossary *open_glossary(const char *source, const char *target, const char *text)
{
    Glossary *glossary;
    Err err;

    assert_ok(glossary_new(&glossary, source, target, &err), &err);
    assert_ok(add_text(glossary, text, strlen(text), &err), &err);
    return glossary;
}

/* The terms as "TERM=FORM,FORM|TERM=FORM". */
static char *terms_of(Glossary *glossary, const char *language, const char *text, const Range *kept, size_t count)
{
    TermMatches matches = { 0 };
    Buf out = { 0 };
    Err err;

    assert_ok(glossary_find(glossary, language, text, strlen(text), kept, count, &matches, &err), &err);
    buf_put(&out, "", 0);
    for (size_t i = 0; i < matches.count; i++) {
        const TermMatch *m = &matches.items[i];
        buf_put_format(&out, "%s%.*s", i ? "|" : "", (int)(m->place.end - m->place.begin), text + m->place.begin);
        for (size_t k = 0; k < m->form_count; k++) buf_put_format(&out, "%s%s", k ? "," : "=", m->forms[k]);
    }
    term_matches_free(&matches);
    return out.data;
}

static void expect_terms(Glossary *glossary, const char *language, const char *text, const char *expected)
{
    char *terms = terms_of(glossary, language, text, NULL, 0);

    if (strcmp(terms, expected) != 0) fail_msg("\"%s\": found \"%s\", not \"%s\"", text, terms, expected);
    free(terms);
}

/* Checks one text with one table. */
static void expect_in(const char *table, const char *text, const char *expected)
{
    Glossary *glossary = open_glossary(NULL, NULL, table);

    expect_terms(glossary, NULL, text, expected);
    glossary_free(glossary);
}

static void expect_fault(const char *text, size_t length, const char *expected)
{
    Glossary *glossary;
    Err err;

    assert_ok(glossary_new(&glossary, NULL, "de", &err), &err);
    assert_int_equal(add_text(glossary, text, length, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "/terms:"));
    assert_string_equal(strstr(err.text, "/terms:") + strlen("/terms"), expected);
    glossary_free(glossary);
}

/* --- Tables ------------------------------------------------------------------ */

static void reads_tables(void **state)
{
    (void)state;
    expect_in("\xef\xbb\xbf# comment\r\n\r\nprinter\tDrucker\r\n  hard disk \t Festplatte | HDD |\tnote\tmore\r\n",
              "A printer and a hard disk", "printer=Drucker|hard disk=Festplatte,HDD");
    expect_in("a\\|b\tx\\|y|z\\\\|q\\w\n", "A|B", "A|B=x|y,z\\,q\\w");
    expect_in("\\#tag\tEtikett\n#x\n", "the #tag", "#tag=Etikett");
    expect_in("last\tletzte", "last", "last=letzte");
    expect_in("", "last", "");
    expect_in("<b>\tfett\n", "a <b>c", "<b>=fett");
}

static void names_the_line_of_a_fault(void **state)
{
    static const char nul[] = "a\tb\nc\0\td\n";

    (void)state;
    expect_fault("a\tb\nc d\n", 8, ":2: expected a term, a tab and its translation, but there is no tab");
    expect_fault("a\t | \t\n", 7, ":1: the translation is empty");
    expect_fault("\n \ta\n", 5, ":2: the term is empty");
    expect_fault("a\tb\n\xff\tb\n", 8, ":2: not valid UTF-8");
    expect_fault(nul, sizeof nul - 1, ":2: not valid UTF-8");
    expect_fault("\xff\xfe"
                 "a\0\t\0b\0",
                 8, ":1: not UTF-8 but UTF-16; convert the file with iconv -f UTF-16 -t UTF-8");
    expect_fault("\xe2\x81\xa0\tb\n", 6, ":1: the term has only invisible characters");
}

static void limits_terms(void **state)
{
    Buf text = { 0 };

    (void)state;
    for (size_t i = 0; i < TERM_WORDS + 1; i++) buf_put_text(&text, "a ");
    buf_put_text(&text, "\tb");
    expect_fault(text.data, text.len, ":1: the term has more than 100 words");
    buf_clear(&text);
    for (size_t i = 0; i < TERM_BYTES + 1; i++) buf_put_text(&text, "a");
    buf_put_text(&text, "\tb");
    expect_fault(text.data, text.len, ":1: the term is longer than 1000 bytes");
    buf_clear(&text);
    buf_put_text(&text, "a\tx");
    for (size_t i = 0; i < TERM_FORMS; i++) buf_put_format(&text, "|%zu", i);
    expect_fault(text.data, text.len, ":1: the term \"a\" has more than 64 translations");
    buf_free(&text);
}

static void reports_a_missing_file(void **state)
{
    Glossary *glossary;
    Err err;

    (void)state;
    assert_ok(glossary_new(&glossary, NULL, NULL, &err), &err);
    assert_int_equal(glossary_add_file(glossary, "/nowhere/terms.tsv", &err), ERR_IO);
    assert_string_equal(err.text, "/nowhere/terms.tsv: No such file or directory");
    glossary_free(glossary);
}

/* --- Matching ---------------------------------------------------------------- */

static void matches_whole_words(void **state)
{
    (void)state;
    expect_in("cat\tKatze\n", "The cat, cats, concat, CAT_5, cat's \"Cat\".", "cat=Katze|cat=Katze|Cat=Katze");
    expect_in("C++\tC++\nC\tC\n", "C++ is not C.", "C++=C++|C=C");
    expect_in("new york\tNew York\n", "New\n York, new-york, New  YORK.", "New\n York=New York|New  YORK=New York");
    expect_in("e-mail\tE-Mail\n", "E-mail, e - mail, e-mails", "E-mail=E-Mail");
    expect_in("eau\tWasser\n", "l'eau", "eau=Wasser");
}

static void ignores_case_and_width(void **state)
{
    (void)state;
    expect_in("straße\tstreet\n",
              "STRASSE Straße stra\xc3\x9f\xc2\xad"
              "e",
              "STRASSE=street|Straße=street|stra\xc3\x9f\xc2\xad"
              "e=street");
    expect_in("caf\xc3\xa9\tx\n", "Cafe\xcc\x81 cafe", "Cafe\xcc\x81=x");
    expect_in("\xef\xbc\xb5\xef\xbc\xb3\xef\xbc\xa2\xef\xbc\xb3\xef\xbc\xb5\xef\xbc\xb3\tx\n", "usbsus", "usbsus=x");
}

static void short_capitals_match_only_capitals(void **state)
{
    (void)state;
    expect_in("US\tUSA\nIT\tEDV\n", "Tell us of US and it of IT, Us", "US=USA|IT=EDV");
    expect_in("us\tuns\nUS\tUSA\n", "us US Us", "us=uns|US=USA|Us=uns");
    expect_in("ABCDE\tx\nABCDEF\ty\n", "abcde abcdef", "abcdef=y");
}

static void takes_the_longest_term(void **state)
{
    (void)state;
    expect_in("new york\tA\nyork times square\tB\nnew\tC\ntimes\tD\n", "new york times square",
              "new=C|york times square=B");
    expect_in("a b\tX\nb c\tY\n", "a b c", "a b=X");
    expect_in("a\tX\na b c d\tY\n", "a b c a b c d a b", "a=X|a b c d=Y|a=X");
}

static void leaves_kept_words_out(void **state)
{
    static const Range kept[] = { { 4, 7 }, { 18, 19 }, { 34, 35 } };
    Glossary *glossary = open_glossary(NULL, NULL, "cat\tKatze\nthe dog\tHund\n");
    char *terms = terms_of(glossary, NULL, "cat cat cat (the d.og the dog; the dog", kept, 3);

    (void)state;
    assert_string_equal(terms, "cat=Katze|cat=Katze|the dog=Hund");
    free(terms);
    glossary_free(glossary);
}

static void joins_forms_of_a_file_and_prefers_the_first_file(void **state)
{
    static const char more[] = "bank\tKasse\nriver\tFluss\n";
    Glossary *glossary = open_glossary(NULL, NULL, "bank\tBank\nbank\tUfer\nBank\tBank\n");
    Err err;

    (void)state;
    assert_ok(add_text(glossary, more, strlen(more), &err), &err);
    assert_int_equal(glossary_count(glossary), 2);
    expect_terms(glossary, "en", "bank river", "bank=Bank,Ufer|river=Fluss");
    glossary_free(glossary);
}

static void matches_at_the_bounds_of_words_without_spaces(void **state)
{
    (void)state;
    expect_in("京都\tKyoto\n", "京都は東京都と違います。", "京都=Kyoto");
    expect_in("แมว\tcat\n", "แมวกินปลา", "แมว=cat");
    expect_in("手机\tphone\n", "iPhone手机 手机壳", "手机=phone|手机=phone");
}

static void matches_stems_of_the_language(void **state)
{
    Glossary *glossary;

    (void)state;
    if (!stemmer_is_installed()) skip();
    glossary = open_glossary(NULL, NULL, "printer\tDrucker\nhard disk\tFestplatte\nprinters\tDruckgeräte\nUS\tUSA\n");
    expect_terms(glossary, "en", "Printers, printer's and hard disks",
                 "Printers=Druckgeräte|printer=Drucker|hard disks=Festplatte");
    expect_terms(glossary, "en-GB", "hard disks, uses", "hard disks=Festplatte");
    expect_terms(glossary, "zh", "hard disks", "");
    expect_terms(glossary, NULL, "hard disks", "");
    expect_terms(glossary, "de", "Printern", "Printern=Drucker");
    glossary_free(glossary);
    glossary = open_glossary(NULL, NULL, "дом\thouse\nfjell\tmountain\n");
    expect_terms(glossary, "ru", "в домах", "домах=house");
    expect_terms(glossary, "nb", "fjellene", "fjellene=mountain");
    glossary_free(glossary);
}

static void long_texts_take_linear_time(void **state)
{
    Glossary *glossary = open_glossary(NULL, NULL, "a a a a a a a a b\tx\na\ty\n");
    TermMatches matches = { 0 };
    Buf text = { 0 };
    Err err;

    (void)state;
    for (size_t i = 0; i < 100000; i++) buf_put_text(&text, "a ");
    assert_ok(glossary_find(glossary, "en", text.data, text.len, NULL, 0, &matches, &err), &err);
    assert_int_equal(matches.count, 100000);
    term_matches_free(&matches);
    buf_free(&text);
    glossary_free(glossary);
}

/* --- TBX --------------------------------------------------------------------- */

static const char martif[] =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE martif SYSTEM \"TBXBasiccoreStructV02.dtd\">\n"
    "<martif type=\"TBX-Basic\" xml:lang=\"en\"><martifHeader/><text><body>\n"
    "<termEntry id=\"1\"><descrip type=\"definition\">the <term>not</term></descrip>\n"
    "<langSet xml:lang=\"en-US\"><tig><term>hard\n <hi>disk</hi></term></tig><tig><term>hdd</term></tig></langSet>\n"
    "<langSet xml:lang=\"de\"><tig><term>Festplatte</term></tig>"
    "<ntig><termGrp><term>Harddisk</term><termNote type=\"administrativeStatus\">deprecatedTerm-admn-sts</termNote>"
    "</termGrp></ntig></langSet><langSet xml:lang=\"fr\"><tig><term>disque dur</term></tig></langSet></termEntry>\n"
    "<termEntry id=\"2\"><langSet xml:lang=\"en\"><tig><term>mouse</term></tig></langSet></termEntry>\n"
    "</body></text></martif>\n";

static const char tbx[] =
    "<tbx style=\"dct\" type=\"TBX-Basic\" xml:lang=\"en\" xmlns=\"urn:iso:std:iso:30042:ed-2\" xmlns:min=\"urn:x\">"
    "<text><body><conceptEntry id=\"c1\"><langSec xml:lang=\"en\"><termSec><term>R&amp;D</term>"
    "<min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termSec></langSec>"
    "<langSec xml:lang=\"de-DE\"><termSec><term>F&#38;E</term></termSec><termSec><term>Alt</term>"
    "<min:administrativeStatus> supersededTerm-admn-sts</min:administrativeStatus></termSec>"
    "<termSec><term>Neu</term><termNote type=\"administrativeStatus\">admittedTerm-admn-sts</termNote></termSec>"
    "</langSec></conceptEntry></body></text></tbx>";

static void reads_both_versions_of_tbx(void **state)
{
    Glossary *glossary = open_glossary("en", "de", martif);
    Err err;

    (void)state;
    assert_ok(add_text(glossary, tbx, strlen(tbx), &err), &err);
    assert_int_equal(glossary_count(glossary), 3);
    expect_terms(glossary, "en", "A hard disk, HDD, the mouse, not disque dur, of R&D.",
                 "hard disk=Festplatte|HDD=Festplatte|R&D=F&E,Neu");
    glossary_free(glossary);
}

static void the_language_of_a_text_decides_which_terms_of_tbx_it_has(void **state)
{
    Glossary *glossary = open_glossary(NULL, "de", martif);

    (void)state;
    expect_terms(glossary, "en", "hard disk, disque dur, Festplatte", "hard disk=Festplatte");
    expect_terms(glossary, "fr", "hard disk, disque dur", "disque dur=Festplatte");
    expect_terms(glossary, NULL, "hard disk, disque dur", "hard disk=Festplatte|disque dur=Festplatte");
    glossary_free(glossary);
}

static void refuses_broken_tbx(void **state)
{
    static const char entity[] = "<!DOCTYPE tbx [<!ENTITY a \"aa\">]>\n<tbx>&a;</tbx>";

    (void)state;
    expect_fault(martif, strlen(martif) - 5, ":9: not well-formed XML: unclosed token");
    expect_fault("<?xml version=\"1.0\"?>\n<tmx/>\n", 29, ":2: this is XML, but not TBX: its first element is 'tmx'");
    expect_fault(entity, strlen(entity), ":1: the entity 'a' is not supported");
    expect_fault("<?xml", 5, ":1: not well-formed XML: unclosed token");
}

static void reads_tbx_in_utf16(void **state)
{
    char *folder = support_folder_new(), *path;
    char bytes[2 * sizeof tbx] = "\xfe\xff";
    Glossary *glossary;
    Err err;

    (void)state;
    for (size_t i = 0; i < sizeof tbx - 1; i++) bytes[2 * i + 3] = tbx[i];
    path = support_write_file(folder, "terms.tbx", bytes, 2 * sizeof tbx);
    assert_ok(glossary_new(&glossary, "en", "de", &err), &err);
    assert_ok(glossary_add_file(glossary, path, &err), &err);
    expect_terms(glossary, "en", "R&D", "R&D=F&E,Neu");
    glossary_free(glossary);
    free(path);
    support_folder_remove(folder);
    free(folder);
}

static void tbx_needs_the_target_language(void **state)
{
    Glossary *glossary;
    Err err;

    (void)state;
    assert_ok(glossary_new(&glossary, "en", NULL, &err), &err);
    assert_int_equal(add_text(glossary, tbx, strlen(tbx), &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "the model does not tell the language"));
    glossary_free(glossary);
}

TEST_FILE(test_glossary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tables),
        cmocka_unit_test(names_the_line_of_a_fault),
        cmocka_unit_test(limits_terms),
        cmocka_unit_test(reports_a_missing_file),
        cmocka_unit_test(matches_whole_words),
        cmocka_unit_test(ignores_case_and_width),
        cmocka_unit_test(short_capitals_match_only_capitals),
        cmocka_unit_test(takes_the_longest_term),
        cmocka_unit_test(leaves_kept_words_out),
        cmocka_unit_test(joins_forms_of_a_file_and_prefers_the_first_file),
        cmocka_unit_test(matches_at_the_bounds_of_words_without_spaces),
        cmocka_unit_test(matches_stems_of_the_language),
        cmocka_unit_test(long_texts_take_linear_time),
        cmocka_unit_test(reads_both_versions_of_tbx),
        cmocka_unit_test(the_language_of_a_text_decides_which_terms_of_tbx_it_has),
        cmocka_unit_test(refuses_broken_tbx),
        cmocka_unit_test(reads_tbx_in_utf16),
        cmocka_unit_test(tbx_needs_the_target_language),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
