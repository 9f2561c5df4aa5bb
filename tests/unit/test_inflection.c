/* test_inflection.c - document/glossary/inflection: inflected forms of a text. Skipped where libstemmer is not
 * installed, except for the tests without a stemmer. */
#include "test_support.h"

#include "buf.h"
#include "inflection.h"
#include "stemmer.h"

/* Checks which words of the text are found; "": none. */
static void expect(Inflection *inflection, const char *form, const char *text, Range where, const char *expected)
{
    Range place;
    Err err;

    assert_ok(inflection_find(inflection, (LineText){ text, strlen(text) }, where, (LineText){ form, strlen(form) },
                              &place, &err),
              &err);
    if (place.end - place.begin != strlen(expected) || strncmp(text + place.begin, expected, strlen(expected)) != 0)
        fail_msg("\"%s\" in \"%s\": found \"%.*s\", not \"%s\"", form, text, (int)(place.end - place.begin),
                 text + place.begin, expected);
}

TEST(finds_inflected_forms)
{
    static const struct {
        const char *language, *form, *text, *expected;
    } cases[] = {
        /* German: endings, umlauts and the genitive. */
        { "de", "Bericht", "Die Berichte sind da.", "Berichte" },
        { "de", "Bericht", "Mit den Berichten und des Berichtes", "Berichten" },
        { "de", "Bericht", "Das Ende des Berichts.", "Berichts" },
        { "de", "Bericht", "Das Ende des Berichtes.", "Berichtes" },
        { "de", "Berichte", "Der Bericht.", "Bericht" },
        { "de", "Haus", "Die Häuser am Fluss", "Häuser" },
        { "de", "Haus", "Die Ha\xcc\x88user am Fluss", "Ha\xcc\x88user" },
        { "de", "Vater", "Die Väter", "Väter" },
        { "de", "Vater", "mit den Vätern", "Vätern" },
        { "de", "Väter", "das Haus des Vaters", "Vaters" },
        { "de", "Mutter", "mit den Müttern", "Müttern" },
        { "de", "Buch", "mit den Büchern", "Büchern" },
        { "de", "Buches", "Die Bücher", "Bücher" },
        { "de", "Stadt", "in den Städten", "Städten" },
        { "de", "Laden", "Die Läden", "Läden" },
        { "de", "groß", "ein größerer Wagen", "größerer" },
        { "de", "Café", "Das Cafe", "Cafe" },
        { "de", "Ergebnis", "mit den Ergebnissen", "Ergebnissen" },
        { "de", "Drucker", "mit den Druckern", "Druckern" },
        { "de", "Büro", "in allen Büros", "Büros" },
        { "de-AT", "Übersicht", "die Übersichten", "Übersichten" },
        { "de", "Straße", "auf den Straßen", "Straßen" },
        { "de", "Firma", "die Firmen", "Firmen" },
        { "de", "Lehrerin", "die Lehrerinnen", "Lehrerinnen" },
        { "de", "kaufen", "er kaufte es", "kaufte" },
        { "de", "ändern", "sie ändert es", "ändert" },
        { "de", "teuer", "ein teures Auto", "teures" },
        { "de", "Beschäftigter", "alle Beschäftigten", "Beschäftigten" },
        /* Other words with the same stem. */
        { "de", "Abbildung", "Das Abbild und das Abbilden", "" },
        { "de", "Drucker", "Der Druck", "" },
        { "de", "Bilder", "Das Bild", "" },
        { "de", "Küche", "drei Kuchen", "" },
        { "de", "Kuchen", "Die Küche", "" },
        { "de", "Drucker", "Drücken Sie", "" },
        { "de", "Kunde", "Künden Sie davon", "" },
        { "de", "Falle", "In diesen Fällen", "" },
        { "de", "Forderung", "Die Förderung", "" },
        { "de", "Fahrt", "das Fahren", "" },
        { "de", "Abbildung", "mit Abbildungs", "" },
        { "de", "Technik", "das Technische", "" },
        { "de", "drucken", "Wir drücken", "" },
        /* Capitals. */
        { "de", "Bericht", "Wir berichten davon.", "" },
        { "de", "neu", "Das Neue daran", "" },
        { "de", "neu", "Gut. „Neue Wagen", "Neue" },
        { "de", "neu", "Neue Wagen", "Neue" },
        { "de", "Bericht", "ALLE BERICHTE", "" },
        { "en", "printer", "All Printers", "Printers" },
        { "en", "Windows", "broken windows", "" },
        { "en", "HDD", "Two HDDs", "HDDs" },
        { "en", "HDD", "Two hdds", "" },
        /* Compounds, with and without a hyphen. */
        { "de", "Bericht", "Die Jahresberichte", "" },
        { "de", "Bericht", "Die Berichtsnummer, die Berichts-Nummer, die Jahres-Berichte", "" },
        { "de", "Bericht", "Die Berichts\xe2\x80\x91Nummer", "" },
        { "de", "Bericht", "Berichts- und andere Nummern", "" },
        { "de", "Bericht", "Die Berichte—neu", "Berichte" },
        { "de", "Bericht", "Die Berichte--neu", "Berichte" },
        { "de", "E-Mail", "Die E-Mails", "E-Mails" },
        { "de", "E-Mail", "Die Mails, die E Mails", "" },
        /* Several words. */
        { "de", "neuer Bericht", "mit den neuen Berichten", "neuen Berichten" },
        { "de", "neuer Bericht", "Neue Berichte", "Neue Berichte" },
        { "de", "neuer Bericht", "die neuen, die Berichte, die neuenBerichte", "" },
        { "en", "hard disk", "two hard  disks", "hard  disks" },
        { "en", "hard disk", "two hard", "" },
        /* English. */
        { "en", "city", "The cities", "cities" },
        { "en", "leaf", "The leaves", "leaves" },
        { "en", "analyses", "The analysis", "analysis" },
        { "en", "car", "Take care", "" },
        { "en", "API", "many APIs", "APIs" },
        { "en", "stop", "It stopped, stopping", "stopped" },
        { "en", "operator", "The operation", "" },
        { "en", "operator", "The operators", "operators" },
        { "en", "university", "universal", "" },
        { "en", "building", "It builds", "" },
        { "en", "user's guide", "the user’s guides", "user’s guides" },
        { "en", "user", "the users' guide", "users" },
        /* Other languages. */
        { "fr", "imprimante", "l'imprimante, d'imprimantes", "imprimante" },
        { "fr", "journal", "les journaux", "journaux" },
        { "fr", "imprimante", "imprimer", "" },
        { "es", "nación", "las naciones", "naciones" },
        { "pt-BR", "nação", "as nações", "nações" },
        { "ru", "отчет", "отчетами", "отчетами" },
        /* Texts that are not words of a language. */
        { "en", "京都", "in 京都", "" },
        { "en", "C++", "C++ and", "C++" },
        { "en", "\xe2\x80\x8b", "a \xe2\x80\x8b", "" },
        { "en", "report", "", "" },
    };

    if (!stemmer_is_available()) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        Inflection *inflection;
        Err err;
        assert_ok(inflection_new(&inflection, cases[i].language, &err), &err);
        assert_non_null(inflection);
        expect(inflection, cases[i].form, cases[i].text, (Range){ 0, strlen(cases[i].text) }, cases[i].expected);
        inflection_free(inflection);
    }
}

TEST(finds_forms_only_in_a_range)
{
    static const char text[] = "Berichte. Berichte, neue-Berichte";
    Inflection *inflection;
    Err err;

    if (!stemmer_is_available()) skip();
    assert_ok(inflection_new(&inflection, "de", &err), &err);
    expect(inflection, "Bericht", text, (Range){ 0, 9 }, "Berichte");
    expect(inflection, "Bericht", text, (Range){ 8, 10 }, "");
    expect(inflection, "Bericht", text, (Range){ 10, 18 }, "Berichte");
    expect(inflection, "Bericht", text, (Range){ 25, 33 }, "");
    expect(inflection, "bericht", text, (Range){ 10, 18 }, "Berichte");
    expect(inflection, "Bericht", text, (Range){ 3, 3 }, "");
    inflection_free(inflection);
}

TEST(makes_forms_that_it_finds)
{
    static const struct {
        const char *language, *form, *expected;
    } cases[] = {
        { "de", "Bericht", "Berichts|Berichtes|Berichte|Berichten|Berichter|Berichtem|" },
        { "de", "Abbildung", "Abbildungen|" },
        { "de", "Kundin", "Kundinnen|" },
        { "de", "Login", "Logins|Logines|Logine|Loginen|Loginer|Loginem|" },
        { "de", "Termin", "Termins|Termines|Termine|Terminen|Terminer|Terminem|" },
        { "de", "Verein", "Vereins|Vereines|Vereine|Vereinen|Vereiner|Vereinem|" },
        { "en", "hard disk", "hard disks|hard diskes|hard disked|hard disking|" },
        { "es", "libro", "libros|libroes|" },
        { "ru", "отчет", "" },
        { "en", "京都", "" },
    };

    if (!stemmer_is_available()) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        Inflection *inflection;
        Buf made = { 0 };
        Err err;
        assert_ok(inflection_new(&inflection, cases[i].language, &err), &err);
        assert_ok(inflection_make(inflection, (LineText){ cases[i].form, strlen(cases[i].form) }, &made, &err), &err);
        for (size_t k = 0; k < made.len; k++) made.data[k] = made.data[k] ? made.data[k] : '|';
        assert_string_equal(made.data ? made.data : "", cases[i].expected);
        buf_free(&made);
        inflection_free(inflection);
    }
}

TEST(finds_nothing_without_a_stemmer)
{
    static const char *const languages[] = { "ko", "xx", "", NULL };

    for (size_t i = 0; i < COUNT(languages); i++) {
        Inflection *inflection;
        Err err;
        assert_ok(inflection_new(&inflection, languages[i], &err), &err);
        assert_null(inflection);
        expect(inflection, "a", "a", (Range){ 0, 1 }, "");
        inflection_free(inflection);
    }
}

TESTS(test_inflection);
