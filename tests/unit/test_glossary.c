/* test_glossary.c - document/glossary: the files of glossaries, and their terms in texts. Stems are tested only where
 * libstemmer is installed. */
#include "test_support.h"

#include "buf.h"
#include "glossary.h"
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

/* Checks the terms of a text, as "TERM=FORM,FORM|TERM=FORM". */
static void expect_terms(Glossary *glossary, const char *language, const char *text, const char *expected)
{
    TermMatches matches = { 0 };
    Buf out = { 0 };
    Err err;

    assert_ok(glossary_find(glossary, language, text, strlen(text), NULL, 0, &matches, &err), &err);
    buf_put_text(&out, "");
    for (size_t i = 0; i < matches.count; i++) {
        const TermMatch *m = &matches.items[i];
        buf_put_format(&out, "%s%.*s", i ? "|" : "", (int)(m->place.end - m->place.begin), text + m->place.begin);
        for (size_t k = 0; k < m->form_count; k++) buf_put_format(&out, "%s%s", k ? "," : "=", m->forms[k]);
    }
    if (strcmp(out.data, expected) != 0) fail_msg("\"%s\": found \"%s\", not \"%s\"", text, out.data, expected);
    term_matches_free(&matches);
    buf_free(&out);
}

/* Checks the warnings after the name of the file. */
static void expect_warnings(const char *text, const char *expected)
{
    Glossary *glossary = open_glossary("en", "de", text);
    const char *warnings = glossary_warnings(glossary), *found = strstr(warnings, "/terms:");

    assert_string_equal(found ? found + strlen("/terms:") : warnings, expected);
    glossary_free(glossary);
}

TEST(a_first_row_that_names_the_columns_is_no_term)
{
    static const char *const headers[] = { "source\ttarget",  "Term\tTranslation\tNote", "en\tde",  "en-US\tde-DE",
                                           "English\tGerman", "ENGLISH\tdeutsch",        "eng\tdeu" };
    static const char *const terms[] = { "en\tfr", "source\tQuelle", "German\tdeutsch", "term\tBegriff" };
    Buf text = { 0 };

    for (size_t i = 0; i < COUNT(headers); i++) {
        buf_clear(&text);
        buf_put_format(&text, "# a glossary\n\n%s\nhouse\tHaus\n", headers[i]);
        expect_warnings(text.data, "3: the first row names the columns and is not a term\n");
    }
    for (size_t i = 0; i < COUNT(terms); i++) expect_warnings(terms[i], "");
    expect_warnings("house\tHaus\nsource\ttarget\n", "");
    buf_free(&text);
}

TEST(terms_that_are_in_no_file_have_no_such_row)
{
    static const char text[] = "source\ttarget\nhouse\tHaus\n";
    Glossary *glossary = open_glossary("en", "de", text);
    Err err;

    expect_terms(glossary, "en", "a source, a house", "house=Haus");
    assert_ok(glossary_parse(glossary, "terms", text, strlen(text), &err), &err);
    expect_terms(glossary, "en", "a source, a house", "source=target|house=Haus");
    glossary_free(glossary);
}

TEST(an_ignored_third_column_is_a_warning_once)
{
    expect_warnings("a\tb\nhouse\tHaus\t\t#4\nbank\tUfer\t+river\nbank\tBank\tmoney\nx\ty\tnote\n",
                    "4: the third column is ignored as a note; +WORD there would limit the line to texts with WORD "
                    "near the term\n");
}

/* Checks the message after the name of the file. */
static void expect_fault(const char *text, size_t length, const char *target, Status expected, const char *message)
{
    Glossary *glossary;
    Err err;

    assert_ok(glossary_new(&glossary, NULL, target, &err), &err);
    assert_int_equal(add_text(glossary, text, length, &err), expected);
    assert_non_null(strstr(err.text, "/terms:"));
    assert_string_equal(strstr(err.text, "/terms:") + strlen("/terms"), message);
    glossary_free(glossary);
}

/* --- Tables ------------------------------------------------------------------ */

TEST(finds_the_terms_of_a_table)
{
    static const struct {
        const char *table, *text, *terms;
    } cases[] = {
        /* Tables. */
        { "\xef\xbb\xbf# comment\r\n\r\nprinter\tDrucker\r\n  hard disk \t Festplatte | HDD |\tnote\tmore\r\n",
          "A printer and a hard disk", "printer=Drucker|hard disk=Festplatte,HDD" },
        { "a\\|b\tx\\|y|z\\\\|q\\w\n", "A|B", "A|B=x|y,z\\,q\\w" },
        { "\\#tag\tEtikett\n#x\n", "the #tag", "#tag=Etikett" },
        { "last\tletzte", "last", "last=letzte" },
        { "", "last", "" },
        { "<b>\tfett\n", "a <b>c", "<b>=fett" },
        /* Words that have to be near the term: one of several, and one that consists of two words. */
        { "report\tmelden\nreport\tBericht\t+write  +author of\tnote\n", "I write a report. They report",
          "report=Bericht|report=Bericht" },
        { "report\tmelden\nreport\tBericht\t+write\n", "They report 1 2 3 4 5 6 7 8 9 10 write", "report=melden" },
        { "report\tBericht\t+write\n", "They report 1 2 3 4 5 6 7 8 9 write", "report=Bericht" },
        { "report\tBericht\t+author of\n", "author, of report", "" },
        { "report\tBericht\t+AUTHOR of +C++\n", "Author\nof a report", "report=Bericht" },
        { "report\tBericht\t+author of +C++\n", "report on C++", "report=Bericht" },
        { "a report\tBericht\t+a\n", "a report, a thing", "a report=Bericht" },
        { "a report\tBericht\t+a\n", "a report", "" },
        { "report\tX\t+a\nreport\tY\t+a\nreport\tZ\t+b\n", "b a report", "report=X,Y" },
        { "car\tWagen\t+red\ncar\tAuto\t+blue +old\n", "The red car and the blue car, old red car, red old car",
          "car=Wagen|car=Auto|car=Wagen|car=Auto" },
        { "report\tX\t a +b\n", "report", "report=X" },
        /* Whole words. */
        { "cat\tKatze\n", "The cat, cats, concat, CAT_5, cat's \"Cat\".", "cat=Katze|cat=Katze|Cat=Katze" },
        { "C++\tC++\nC\tC\n", "C++ is not C.", "C++=C++|C=C" },
        { "new york\tNew York\n", "New\n York, new-york, New  YORK.", "New\n York=New York|New  YORK=New York" },
        { "e-mail\tE-Mail\n", "E-mail, e - mail, e-mails", "E-mail=E-Mail" },
        { "eau\tWasser\n", "l'eau", "eau=Wasser" },
        /* Case and width do not matter, */
        { "straße\tstreet\n",
          "STRASSE Straße stra\xc3\x9f\xc2\xad"
          "e",
          "STRASSE=street|Straße=street|stra\xc3\x9f\xc2\xad"
          "e=street" },
        { "caf\xc3\xa9\tx\n", "Cafe\xcc\x81 cafe", "Cafe\xcc\x81=x" },
        { "\xef\xbc\xb5\xef\xbc\xb3\xef\xbc\xa2\xef\xbc\xb3\xef\xbc\xb5\xef\xbc\xb3\tx\n", "usbsus", "usbsus=x" },
        /* but for short terms in capitals. */
        { "US\tUSA\nIT\tEDV\n", "Tell us of US and it of IT, Us", "US=USA|IT=EDV" },
        { "us\tuns\nUS\tUSA\n", "us US Us", "us=uns|US=USA|Us=uns" },
        { "ABCDE\tx\nABCDEF\ty\n", "abcde abcdef", "abcdef=y" },
        /* The longest term is taken. */
        { "new york\tA\nyork times square\tB\nnew\tC\ntimes\tD\n", "new york times square",
          "new=C|york times square=B" },
        { "a b\tX\nb c\tY\n", "a b c", "a b=X" },
        { "a\tX\na b c d\tY\n", "a b c a b c d a b", "a=X|a b c d=Y|a=X" },
        /* Words without spaces between them. */
        { "京都\tKyoto\n", "京都は東京都と違います。", "京都=Kyoto" },
        { "แมว\tcat\n", "แมวกินปลา", "แมว=cat" },
        { "手机\tphone\n", "iPhone手机 手机壳", "手机=phone|手机=phone" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Glossary *glossary = open_glossary(NULL, NULL, cases[i].table);
        expect_terms(glossary, NULL, cases[i].text, cases[i].terms);
        glossary_free(glossary);
    }
}

TEST(limits_terms)
{
    Buf text = { 0 };

    for (size_t i = 0; i < TERM_WORDS + 1; i++) buf_put_text(&text, "a ");
    buf_put_text(&text, "\tb");
    expect_fault(text.data, text.len, NULL, ERR_FORMAT, ":1: the term has more than 100 words");
    buf_clear(&text);
    for (size_t i = 0; i < TERM_BYTES + 1; i++) buf_put_text(&text, "a");
    buf_put_text(&text, "\tb");
    expect_fault(text.data, text.len, NULL, ERR_FORMAT, ":1: the term is longer than 1000 bytes");
    buf_clear(&text);
    buf_put_text(&text, "a\tx");
    for (size_t i = 0; i < TERM_FORMS; i++) buf_put_format(&text, "|%zu", i);
    expect_fault(text.data, text.len, NULL, ERR_FORMAT, ":1: the term \"a\" has more than 64 translations");
    buf_free(&text);
}

TEST(reports_a_missing_file)
{
    Glossary *glossary;
    Err err;

    assert_ok(glossary_new(&glossary, NULL, NULL, &err), &err);
    assert_int_equal(glossary_add_file(glossary, "/nowhere/terms.tsv", &err), ERR_IO);
    assert_string_equal(err.text, "/nowhere/terms.tsv: No such file or directory");
    glossary_free(glossary);
}

TEST(leaves_kept_words_out)
{
    static const Range kept[] = { { 4, 7 }, { 18, 19 }, { 34, 35 } };
    static const char text[] = "cat cat cat (the d.og the dog; the dog";
    static const size_t places[] = { 0, 8, 22 };
    Glossary *glossary = open_glossary(NULL, NULL, "cat\tKatze\nthe dog\tHund\n");
    TermMatches matches = { 0 };
    Err err;

    assert_ok(glossary_find(glossary, NULL, text, strlen(text), kept, 3, &matches, &err), &err);
    assert_int_equal(matches.count, COUNT(places));
    for (size_t i = 0; i < COUNT(places); i++) assert_int_equal(matches.items[i].place.begin, places[i]);
    term_matches_free(&matches);
    glossary_free(glossary);
}

TEST(joins_forms_of_a_file_and_prefers_the_first_file)
{
    static const char more[] = "bank\tKasse\nbank\tX\t+b\nriver\tFluss\nkey\tTaste\nkey\tTon\t+b\nkey\tX\t+a\n";
    Glossary *glossary = open_glossary(NULL, NULL, "bank\tBank\nbank\tUfer\nBank\tBank\nkey\tTonart\t+a\n");
    Err err;

    assert_ok(add_text(glossary, more, strlen(more), &err), &err);
    expect_terms(glossary, "en", "bank river", "bank=Bank,Ufer|river=Fluss");
    expect_terms(glossary, "en", "b bank", "bank=Bank,Ufer");
    expect_terms(glossary, "en", "a b key", "key=Tonart");
    expect_terms(glossary, "en", "b key", "key=Ton");
    expect_terms(glossary, "en", "key", "key=Taste");
    glossary_free(glossary);
}

TEST(matches_stems_of_the_language)
{
    Glossary *glossary;

    if (!stemmer_is_available()) skip();
    glossary = open_glossary(NULL, NULL, "printer\tDrucker\nhard disk\tFestplatte\nprinters\tDruckgeräte\nUS\tUSA\n");
    expect_terms(glossary, "en", "Printers, printer's and hard disks",
                 "Printers=Druckgeräte|printer=Drucker|hard disks=Festplatte");
    expect_terms(glossary, "en-GB", "hard disks, uses", "hard disks=Festplatte");
    expect_terms(glossary, "zh", "hard disks", "");
    expect_terms(glossary, NULL, "hard disks", "");
    expect_terms(glossary, "de", "Printern", "Printern=Drucker");
    glossary_free(glossary);
    glossary = open_glossary(NULL, NULL, "report\tBericht\t+write\nreport\tmelden\n");
    expect_terms(glossary, "en", "She writes reports", "reports=Bericht");
    expect_terms(glossary, "en", "She reports it", "reports=melden");
    glossary_free(glossary);
    glossary = open_glossary(NULL, NULL, "дом\thouse\nfjell\tmountain\n");
    expect_terms(glossary, "ru", "в домах", "домах=house");
    expect_terms(glossary, "nb", "fjellene", "fjellene=mountain");
    glossary_free(glossary);
}

TEST(long_texts_take_linear_time)
{
    Glossary *glossary = open_glossary(NULL, NULL, "a a a a a a a a b\tx\na\ty\n");
    TermMatches matches = { 0 };
    Buf text = { 0 };
    Err err;

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

/* The language of a text decides which terms it has. */
TEST(reads_both_versions_of_tbx)
{
    Glossary *glossary = open_glossary("en", "de", martif), *any = open_glossary(NULL, "de", martif);
    Err err;

    assert_ok(add_text(glossary, tbx, strlen(tbx), &err), &err);
    expect_terms(glossary, "en", "A hard disk, HDD, the mouse, not disque dur, of R&D.",
                 "hard disk=Festplatte|HDD=Festplatte|R&D=F&E,Neu");
    expect_terms(any, "en", "hard disk, disque dur, Festplatte", "hard disk=Festplatte");
    expect_terms(any, "fr", "hard disk, disque dur", "disque dur=Festplatte");
    expect_terms(any, NULL, "hard disk, disque dur", "hard disk=Festplatte|disque dur=Festplatte");
    glossary_free(glossary);
    glossary_free(any);
}

#define BYTES(text) text, sizeof(text) - 1

TEST(names_the_line_of_a_fault)
{
    static const struct {
        const char *text;
        size_t length;
        const char *fault;
    } cases[] = {
        { BYTES("a\tb\nc d\n"), ":2: expected a term, a tab and its translation, but there is no tab" },
        { BYTES("a\t | \t\n"), ":1: the translation is empty" },
        { BYTES("a\tb\t+x + +y"), ":1: a + in the third column has no word after it" },
        { BYTES("a\tb\t+"), ":1: a + in the third column has no word after it" },
        { BYTES("\n \ta\n"), ":2: the term is empty" },
        { BYTES("a\tb\n\xff\tb\n"), ":2: not valid UTF-8" },
        { BYTES("a\tb\nc\0\td\n"), ":2: not valid UTF-8" },
        { BYTES("\xff\xfe\141\0\t\0b\0"), ":1: not UTF-8 but UTF-16; convert the file with iconv -f UTF-16 -t UTF-8" },
        { BYTES("\xe2\x81\xa0\tb\n"), ":1: the term has only invisible characters" },
        { martif, sizeof martif - 6, ":9: not well-formed XML: unclosed token" },
        { BYTES("<?xml version=\"1.0\"?>\n<tmx/>\n"), ":2: this is XML, but not TBX: its first element is 'tmx'" },
        { BYTES("<!DOCTYPE tbx [<!ENTITY a \"aa\">]>\n<tbx>&a;</tbx>"), ":1: the entity 'a' is not supported" },
        { BYTES("<?xml"), ":1: not well-formed XML: unclosed token" },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_fault(cases[i].text, cases[i].length, "de", ERR_FORMAT, cases[i].fault);
    expect_fault(
        tbx, strlen(tbx), NULL, ERR_USAGE,
        ": TBX cannot be used, because the model does not tell the language of its translations; use a table of terms");
}

TEST(reads_tbx_in_utf16)
{
    char bytes[2 * sizeof tbx + 2] = "\xfe\xff"; /* with a line feed at the end */
    Glossary *glossary;
    Err err;

    for (size_t i = 0; i < sizeof tbx; i++) bytes[2 * i + 3] = i < sizeof tbx - 1 ? tbx[i] : '\n';
    assert_ok(glossary_new(&glossary, "en", "de", &err), &err);
    assert_ok(add_text(glossary, bytes, sizeof bytes, &err), &err);
    expect_terms(glossary, "en", "R&D", "R&D=F&E,Neu");
    glossary_free(glossary);
}

TESTS(test_glossary);
