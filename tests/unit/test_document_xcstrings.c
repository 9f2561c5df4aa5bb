/* test_document_xcstrings.c - document/data: String Catalogs. */
#include "document_cases.h"

#define CATALOG(strings)                                                                                               \
    "{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n" strings "  },\n  \"version\" : \"1.0\"\n}\n"
#define STRING(key, contents)    "    \"" key "\" : {\n" contents "    }\n"
#define IN(contents)             "      \"localizations\" : {\n" contents "      }\n"
#define LANGUAGE(name, contents) "        \"" name "\" : {\n" contents "        }"
#define UNIT(state, value)                                                                                             \
    "          \"stringUnit\" : {\n            \"state\" : \"" state "\",\n            \"value\" : \"" value           \
    "\"\n          }\n"
#define NEW(name)         LANGUAGE(name, UNIT("needs_review", "x"))
#define DONE(name, value) LANGUAGE(name, UNIT("translated", value))
#define COMMENT           "      \"comment\" : \"c\""

TEST(inserts_translations)
{
    static const WrittenCase cases[] = {
        { NULL, NULL, "the key is the source", NULL },
        { "de", CATALOG(STRING("A %@\\n", "\n")), "x",
          CATALOG(STRING("A %@\\n", IN(LANGUAGE("de", UNIT("needs_review", "x\\n")) "\n"))) },
        { "de", CATALOG(STRING("A", COMMENT "\n")), "x", CATALOG(STRING("A", COMMENT ",\n" IN(NEW("de") "\n"))) },
        { "de", CATALOG(STRING("A", "      \"shouldTranslate\" : true\n")), "x",
          CATALOG(STRING("A",
                         "      \"localizations\" : {\n" NEW("de") "\n      },\n      \"shouldTranslate\" : true\n")) },
        { "de", CATALOG(STRING("%", "\n")), "x",
          CATALOG(STRING("%", IN(LANGUAGE("de", UNIT("needs_review", "%")) "\n"))) },
        { "", CATALOG(STRING("A", "\n")), "x", CATALOG(STRING("A", IN(NEW("und") "\n"))) },
        { "de", "{\"sourceLanguage\":\"en\",\"strings\":{\"A\":{},\"B\":{\"localizations\":{}}}}", "x",
          "{\"sourceLanguage\":\"en\",\"strings\":{\"A\":{\"localizations\":{\"de\":{\"stringUnit\":{\"state\":"
          "\"needs_review\",\"value\":\"x\"}}}},\"B\":{\"localizations\":{\"de\":{\"stringUnit\":{\"state\":"
          "\"needs_review\",\"value\":\"x\"}}}}}}" },
        { NULL, NULL, "languages are sorted", NULL },
        { "de", CATALOG(STRING("a", IN(DONE("ca", "C") ",\n" DONE("en", "A") "\n"))), "x",
          CATALOG(STRING("a", IN(DONE("ca", "C") ",\n" NEW("de") ",\n" DONE("en", "A") "\n"))) },
        { "ru", CATALOG(STRING("a", IN(DONE("ca", "C") ",\n" DONE("en", "A") "\n"))), "x",
          CATALOG(STRING("a", IN(DONE("ca", "C") ",\n" DONE("en", "A") ",\n" NEW("ru") "\n"))) },
        { NULL, NULL, "a region of the language is its name", NULL },
        { "pt", CATALOG(STRING("a", IN(DONE("pt-BR", "C") "\n")) ",\n" STRING("B", "\n")), "x",
          CATALOG(STRING("a", IN(DONE("pt-BR", "C") "\n")) ",\n" STRING("B", IN(NEW("pt-BR") "\n"))) },
        { NULL, NULL, "what has a translation or needs none stays", NULL },
        { "de", CATALOG(STRING("a", IN(DONE("de", "A") "\n"))), "x", CATALOG(STRING("a", IN(DONE("de", "A") "\n"))) },
        { "de", CATALOG(STRING("a", "      \"shouldTranslate\" : false\n")), "x",
          CATALOG(STRING("a", "      \"shouldTranslate\" : false\n")) },
        { "de", CATALOG(STRING("a", "      \"extractionState\" : \"stale\"\n")), "x",
          CATALOG(STRING("a", "      \"extractionState\" : \"stale\"\n")) },
        { "de", CATALOG(STRING("", "\n")), "x", CATALOG(STRING("", "\n")) },
        { NULL, NULL, "new localizations are replaced", NULL },
        { "de", CATALOG(STRING("a", IN(LANGUAGE("de", UNIT("new", "?")) "\n"))), "x",
          CATALOG(STRING("a", IN(NEW("de") "\n"))) },
        { "de", CATALOG(STRING("a", IN(LANGUAGE("de", UNIT("translated", "")) "\n"))), "x",
          CATALOG(STRING("a", IN(NEW("de") "\n"))) },
        { "de", CATALOG(STRING("a", IN("        \"de\" : {}\n"))), "x", CATALOG(STRING("a", IN(NEW("de") "\n"))) },
    };
    static const WrittenCase again[] = {
        { "de", CATALOG(STRING("a", IN(DONE("de", "A") "\n"))), "x", CATALOG(STRING("a", IN(NEW("de") "\n"))) },
    };

    document_cases_check_written(&document_xcstrings, cases, COUNT(cases), false);
    document_cases_check_written(&document_xcstrings, again, COUNT(again), true);
}

/* In one line, with one space in place of each white space. */
#define ONE_LINE(languages)                                                                                            \
    "{ \"sourceLanguage\" : \"en\", \"strings\" : { \"k\" : { \"localizations\" : { " languages " } } } }"
#define VALUE(state, value) "{ \"stringUnit\" : { \"state\" : \"" state "\", \"value\" : \"" value "\" } }"
#define OLD(value)          VALUE("translated", value)
#define X                   VALUE("needs_review", "x")
#define PLURAL(forms)       "{ \"variations\" : { \"plural\" : { " forms " } } }"
#define ENGLISH             "\"en\" : " PLURAL("\"one\" : " OLD("%lld a") ", \"other\" : " OLD("%lld b"))

TEST(writes_the_plural_forms_of_the_language)
{
    static const WrittenCase cases[] = {
        { "ja", ONE_LINE(ENGLISH), "x", ONE_LINE(ENGLISH ", \"ja\" : " PLURAL("\"other\" : " X)) },
        { "ru", ONE_LINE(ENGLISH), "x",
          ONE_LINE(ENGLISH
                   ", \"ru\" : " PLURAL("\"few\" : " X ", \"many\" : " X ", \"one\" : " X ", \"other\" : " X)) },
        { "", ONE_LINE(ENGLISH), "x", ONE_LINE(ENGLISH ", \"und\" : " PLURAL("\"one\" : " X ", \"other\" : " X)) },
        { NULL, NULL, "zero is used in all languages", NULL },
        { "fr", ONE_LINE("\"en\" : " PLURAL("\"other\" : " OLD("%lld b") ", \"zero\" : " OLD("none"))), "x",
          ONE_LINE("\"en\" : " PLURAL("\"other\" : " OLD("%lld b") ", \"zero\" : " OLD("none")) ", \"fr\" : " PLURAL(
              "\"many\" : " X ", \"one\" : " X ", \"other\" : " X ", \"zero\" : " X)) },
        { NULL, NULL, "new forms of a translation are filled", NULL },
        { "de", ONE_LINE("\"de\" : " PLURAL("\"one\" : " OLD("A") ", \"other\" : " VALUE("new", "")) ", " ENGLISH), "x",
          ONE_LINE("\"de\" : " PLURAL("\"one\" : " OLD("A") ", \"other\" : " X) ", " ENGLISH) },
        { NULL, NULL, "other variations and substitutions are copied", NULL },
        { "ja",
          ONE_LINE(
              "\"en\" : { \"variations\" : { \"device\" : { \"mac\" : " OLD("A") ", \"other\" : " OLD("B") " } } }"),
          "x",
          ONE_LINE("\"en\" : { \"variations\" : { \"device\" : { \"mac\" : " OLD("A") ", \"other\" : " OLD(
              "B") " } } }, "
                   "\"ja\" : { \"variations\" : { \"device\" : { \"mac\" : " X ", \"other\" : " X " } } }") },
        { "ja", ONE_LINE("\"en\" : { \"stringSet\" : { \"state\" : \"new\", \"values\" : [ \"A\", \"B\" ] } }"), "x",
          ONE_LINE("\"en\" : { \"stringSet\" : { \"state\" : \"new\", \"values\" : [ \"A\", \"B\" ] } }, "
                   "\"ja\" : { \"stringSet\" : { \"state\" : \"needs_review\", \"values\" : [ \"x\", \"x\" ] } }") },
    };
    static const DocumentOptions russian = { .language = "ru" };

    document_cases_check_written(&document_xcstrings, cases, COUNT(cases), false);
    document_cases_check_options(
        &document_xcstrings, ONE_LINE("\"en\" : " PLURAL("\"one\" : " OLD("a cat") ", \"other\" : " OLD("%arg cats"))),
        &russian, "%arg cats|%arg cats|%arg cats|%arg cats");
}

TEST(reads_only_catalogs)
{
    document_cases_refuse(&document_xcstrings, "[1", "f:1:3: expected ',' or ']'");
    document_cases_refuse(&document_xcstrings, "{\"strings\": {}}",
                          "f:1:1: not a String Catalog: it must have \"sourceLanguage\" and \"strings\"");
    document_cases_refuse(&document_xcstrings, "3",
                          "f:1:1: not a String Catalog: it must have \"sourceLanguage\" and \"strings\"");
    document_free(document_cases_open(&document_xcstrings, CATALOG("\"a\": [], \"b\": {\"localizations\": 1}")));
}

TESTS(test_document_xcstrings);
