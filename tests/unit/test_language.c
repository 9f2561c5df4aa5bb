/* test_language.c - finds the language of a model that a code, a tag or a name means, with the languages of each
 * family. */
#include "test_support.h"

#include <string.h>
#include <time.h>

#include "language.h"

#define MOST 256

/* The words of a list of codes. */
typedef struct {
    char text[4096];
    const char *names[MOST];
    size_t count;
} Codes;

static const char *name_at(const void *list, size_t index)
{
    return ((const Codes *)list)->names[index];
}

static LanguageList list_of(Codes *codes, const char *text)
{
    codes->count = 0;
    assert_true(strlen(text) < sizeof codes->text);
    strcpy(codes->text, text);
    for (char *word = strtok(codes->text, " "); word; word = strtok(NULL, " ")) codes->names[codes->count++] = word;
    return (LanguageList){ name_at, codes, codes->count };
}

typedef struct {
    const char *wanted, *expected; /* names separated by spaces; "": none */
} Case;

/* The languages of a model, and what codes mean for language_find(): "wanted=expected"; "-": none, "?": several. */
static const char *const by_code[][2] = {
    { "deu fra cmn_Hans pt_br nob", "fra=fra >>fra<<=fra FRA=fra pt-BR=pt_br cmn_Hans=cmn_Hans xyz=- =- >><<=- de=deu "
                                    "ger=deu zh=cmn_Hans no=nob" },
    { "", "de=-" },
    { "de __-A__ __de__", "__-A__=__-A__ __de__=__de__" }, /* names that look like tokens */
    { "de fr he", "fre=fr iw=he" },
    /* A script is chosen only if it is unambiguous. */
    { "zho_Hans zho_Hant srp_Cyrl deu_Latn deu", "zh=? sr=srp_Cyrl srp=srp_Cyrl srp_Latn=- de=deu" },
    { "en_XX de_DE zh_CN pt_XX pt_BR", "eng_Latn=en_XX __en__=en_XX en_US=en_XX deu_Latn=de_DE <2de>=de_DE de_AT=- "
                                       "zho_Hans=zh_CN zh-Hant=- por=?" },
    { "eng_Latn zho_Hans zho_Hant srp_Cyrl azj_Latn azb_Arab",
      "en_XX=eng_Latn EN=eng_Latn zh_CN=zho_Hans zh-TW=zho_Hant zh=? az=azj_Latn sr_Latn=-" },
    { "en zh sr pt", "eng_Latn=en zho_Hant=zh pt_BR=pt de=- ____=-" },
    { "zh zh_Hant ru ru_Latn", "zh_TW=zh_Hant zho_Hans=zh zh_CN=zh rus_Latn=ru_Latn rus_Cyrl=ru ru_RU=?" },
};

TEST(finds_languages_by_codes)
{
    for (size_t i = 0; i < COUNT(by_code); i++) {
        Codes codes, rows;
        const LanguageList all = list_of(&codes, by_code[i][0]);
        (void)list_of(&rows, by_code[i][1]);
        for (size_t k = 0; k < rows.count; k++) {
            const char *expected = strchr(rows.names[k], '=') + 1, *name = "-";
            FREED char *wanted = support_format("%.*s", (int)(expected - rows.names[k]) - 1, rows.names[k]);
            const int found = language_find(wanted, all);
            if (found != LANGUAGE_NONE) name = found == LANGUAGE_AMBIGUOUS ? "?" : codes.names[found];
            if (strcmp(name, expected) != 0) fail_msg("%s in %s: %s", rows.names[k], by_code[i][0], name);
        }
    }
}

TEST(compares_codes)
{
    static const struct {
        const char *a, *b;
        bool may_be, same;
    } rows[] = {
        { "__-A__", "__-A__", true, true }, { "zh", "zho_Hant", true, true }, { "zh_CN", "zho_Hant", false, false },
        { "de", "deu", true, true },        { "eng_Latn", "en", true, true }, { "pt-br", "pt_BR", true, true },
        { "pt_br", "pt_pt", false, false }, { "de", "nl", false, false },     { "de", "d", false, false },
    };
    static const char *const known[] = { "fr", "eng_Latn", "zh-Hant-TW", "es_419" };
    static const char *const unknown[] = { "ROMANCE", "gmw", "mul",    "fr+es", "cat_oci_spa",
                                           "de_nds",  "de_", "de__AT", "" };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (language_may_be(rows[i].a, rows[i].b) != rows[i].may_be ||
            language_same(rows[i].a, rows[i].b) != rows[i].same)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    for (size_t i = 0; i < COUNT(known); i++)
        if (!language_is_known(known[i])) fail_msg("%s", known[i]);
    for (size_t i = 0; i < COUNT(unknown); i++)
        if (language_is_known(unknown[i])) fail_msg("%s", unknown[i]);
}

/* Each line may begin with >>de<<. Reading the table of languages for each name took 4 ms for each line. */
TEST(finds_a_code_among_hundreds_in_microseconds)
{
    Codes codes;
    const LanguageList all = list_of(&codes, language_codes_nllb);
    const clock_t start = clock();

    assert_int_equal(all.count, 202);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(language_find(">>de<<", all), 41);
        assert_int_equal(language_find(">>Yes<<", all), LANGUAGE_NONE);
    }
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC); /* usually 0.03 s; CPU time */
}

static void check(const char *text, const Case *cases, size_t count)
{
    Codes codes;
    LanguageList all = list_of(&codes, text);

    for (size_t i = 0; i < count; i++) {
        FREED_BY(ids_free) IdList found = { 0 };
        FREED_BY(buf_free) Buf names = { 0 };
        Err err = { "" };
        assert_int_equal(language_choose(&found, cases[i].wanted, all, &err), OK);
        buf_put_text(&names, cases[i].wanted);
        buf_put_text(&names, ":");
        for (size_t k = 0; k < found.len; k++) buf_put_format(&names, " %s", codes.names[found.data[k]]);
        {
            FREED char *wanted =
                support_format("%s:%s%s", cases[i].wanted, *cases[i].expected ? " " : "", cases[i].expected);
            assert_string_equal(names.data, wanted);
        }
    }
}

#define CHECK(text, ...)                                                                                               \
    do {                                                                                                               \
        static const Case cases[] = { __VA_ARGS__ };                                                                   \
        check(text, cases, COUNT(cases));                                                                              \
    } while (0)

TEST(accepts_codes_tags_and_names_for_m2m100)
{
    CHECK(language_codes_m2m100, { "de", "de" }, { "ger", "de" }, { "deu", "de" }, { "__de__", "de" },
          { ">>deu<<", "de" }, { "<2de>", "de" }, { "de_DE.UTF-8", "de" }, { "de-Latn-DE", "de" },
          { "de_DE@euro", "de" }, { "German", "de" }, { "deutsch", "de" }, { "austrian german", "de" }, { "nb", "no" },
          { "nob", "no" }, { "nor", "no" }, { "no", "no" }, { "nb-NO", "no" }, { "Norwegian", "no" },
          { "norsk bokmål", "no" }, { "nn", "" }, { "zh-TW", "zh" }, { "zh-Hant-HK", "zh" }, { "cmn", "zh" },
          { "zh-cmn-Hans-CN", "zh" }, { "中文", "zh" }, { "brazilian portuguese", "pt" },
          { "Portuguese (Brazil)", "pt" }, { "PORTUGUÊS", "pt" }, { "portugues", "pt" }, { "Français", "fr" },
          { "fil", "tl" }, { "Filipino", "tl" }, { "nso", "ns" }, { "Cebuano", "ceb" }, { "русский", "ru" },
          { "日本語", "ja" }, { "हिन्दी", "hi" }, { "xyz", "" }, { "Klingon", "" }, { "", "" }, { "-", "" },
          { "...", "" }, { "\xff\xfe", "" });
}

TEST(accepts_codes_tags_and_names_for_nllb)
{
    CHECK(language_codes_nllb, { "zh", "zho_Hans zho_Hant" }, { "Chinese", "zho_Hans zho_Hant" },
          { "zh-TW", "zho_Hant" }, { "zh_TW.UTF-8", "zho_Hant" }, { "zh-Hant-TW", "zho_Hant" },
          { "zh-Hans-SG", "zho_Hans" }, { "Traditional Chinese", "zho_Hant" }, { "chinese (simplified)", "zho_Hans" },
          { "繁體中文", "zho_Hant" }, { "简体中文", "zho_Hans" }, { "Cantonese", "yue_Hant" }, { "de-AT", "deu_Latn" },
          { "German", "deu_Latn" }, { "nb", "nob_Latn" }, { "nb_NO.UTF-8", "nob_Latn" },
          { "norwegian bokmal", "nob_Latn" }, { "nn", "nno_Latn" }, { "no", "nob_Latn" }, { "Norwegian", "nob_Latn" },
          { "sq", "als_Latn" }, { "Albanian", "als_Latn" }, { "Persian", "pes_Arab" }, { "Dari", "prs_Arab" },
          { "fa-AF", "pes_Arab" }, { "sr", "srp_Cyrl" }, { "sr-Cyrl-RS", "srp_Cyrl" }, { "sr-Latn-RS", "" },
          { "sr_RS@latin", "" }, { "brazilian portuguese", "por_Latn" }, { "ace", "ace_Arab ace_Latn" },
          { "Achinese (Arabic)", "ace_Arab" }, { "Swahili", "swh_Latn" }, { "Kurmanji", "" });
}

TEST(accepts_codes_tags_and_names_for_mbart)
{
    CHECK(language_codes_mbart50, { "de-AT", "de_DE" }, { "de-CH", "de_DE" }, { "de_DE.UTF-8", "de_DE" },
          { "de-Latn-DE", "de_DE" }, { "German", "de_DE" }, { "Swiss High German", "de_DE" }, { "es-MX", "es_XX" },
          { "Mexican Spanish", "es_XX" }, { "pt-BR", "pt_XX" }, { "Brazilian Portuguese", "pt_XX" },
          { "zh-TW", "zh_CN" }, { "zh", "zh_CN" }, { "中文", "zh_CN" }, { "zh-Hant", "" }, { "zh-Hant-TW", "" },
          { "traditional chinese", "" }, { "fil", "tl_XX" }, { "sw_TZ", "sw_KE" }, { "fa_AF", "fa_IR" }, { "nb", "" });
}

TEST(accepts_codes_tags_and_names_for_madlad)
{
    CHECK("de zh zh_Latn ms_Arab_BN ms no el el_CY fil en en_xx_simple", { "German", "de" }, { "zh-TW", "zh" },
          { "chinese", "zh" }, { "zh-Latn-CN", "zh_Latn" }, { "nb", "no" }, { "Malay", "ms" },
          { "el_CY.UTF-8", "el_CY" }, { "Greek", "el" }, { "Ελληνικά", "el" }, { "tagalog", "fil" },
          { "en_GB.UTF-8", "en" }, { "British English", "en" });
}

TEST(accepts_codes_tags_and_names_for_opus_mt)
{
    CHECK("deu nob cmn_Hans cmn_Hant pt_br pt_pt srp_Cyrl srp_Latn fra fr_CA", { "German", "deu" },
          { "de_AT.UTF-8", "deu" }, { "no", "nob" }, { "norwegian", "nob" }, { "zh_HK.UTF-8", "cmn_Hant" },
          { "Simplified Chinese", "cmn_Hans" }, { "sr_RS@latin", "srp_Latn" }, { "Serbian (Cyrillic)", "srp_Cyrl" },
          { "Serbian", "srp_Cyrl srp_Latn" }, { "brazilian portuguese", "pt_br" }, { "European Portuguese", "pt_pt" },
          { "Canadian French", "fr_CA" }, { "French", "fra" }, { "fr-BE", "fra" });
}

static bool fits(const char *wanted, const char *name)
{
    bool out;
    Err err = { "" };

    assert_int_equal(language_fits(&out, wanted, name, &err), OK);
    return out;
}

TEST(decides_whether_a_name_means_a_language)
{
    assert_true(fits("German", "de") && fits("de_DE.UTF-8", "de") && fits("de", "deu") && fits("nb", "no"));
    assert_false(fits("Dutch", "de") || fits("nl", "de") || fits("", "de"));
}

static int closest(const char *wanted, LanguageList all)
{
    int out;
    Err err = { "" };

    assert_int_equal(language_closest(&out, wanted, all, &err), OK);
    return out;
}

TEST(suggests_the_closest_name)
{
    static const Case cases[] = { { "Germn", "de" },   { "Deutch", "de" }, { "Protuguese", "pt" },
                                  { "nynorsk", "no" }, { "bokmal", "" },   { "Mandarin", "" },
                                  { "xx", "" },        { "Klingon", "" },  { "nn", "" } };
    Codes codes;
    LanguageList all = list_of(&codes, language_codes_m2m100);

    for (size_t i = 0; i < COUNT(cases); i++) {
        int found = closest(cases[i].wanted, all);
        assert_string_equal(found < 0 ? "" : codes.names[found], cases[i].expected);
    }
    all = list_of(&codes, "nob_Latn srp_Cyrl zh_CN");
    assert_int_equal(closest("bokmal", all), 0);
    assert_int_equal(closest("sr-Latn", all), 1);
    assert_int_equal(closest("zh-Hant", all), 2);
}

TEST(suggests_a_language_for_a_misspelled_name_or_a_country)
{
    static const Case cases[] = { { "germn", "de" }, { "englsh", "en" }, { "frensh", "fr" }, { "cn", "zh" },
                                  { "JP", "ja" },    { "ua", "uk" },     { "uk", "" },       { "ca", "" },
                                  { "German", "" },  { "zh-CN", "" },    { "xx", "" },       { "tlh", "" },
                                  { "Klingon", "" }, { "", "" } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char room[LANGUAGE_CODE];
        const char *code;
        Err err = { "" };
        assert_int_equal(language_suggest(&code, room, cases[i].wanted, &err), OK);
        assert_string_equal(code ? code : "", cases[i].expected);
    }
}

TEST(describes_languages_in_english)
{
    char described[LANGUAGE_DESCRIBED];
    Err err = { "" };

    assert_int_equal(language_describe(described, "nob_Latn", &err), OK);
    assert_string_equal(described, "Norwegian Bokmål");
    assert_int_equal(language_describe(described, "not a tag", &err), OK);
    assert_string_equal(described, "");
}

static void check_code(const char *wanted, const char *expected)
{
    char room[LANGUAGE_CODE];
    const char *code;
    Err err = { "" };

    assert_int_equal(language_code(&code, room, wanted, &err), OK);
    assert_string_equal(code, expected);
}

TEST(converts_names_to_codes)
{
    check_code("ger", "ger");
    check_code("German", "de");
    check_code("Klingonese", "Klingonese");
}

TEST(writes_names_of_models_as_bcp_47_does)
{
    static const struct {
        const char *name, *tag;
    } rows[] = { { "de", "de" },       { "deu_Latn", "de" },      { "srp_Cyrl", "sr" }, { "sr_Latn", "sr-Latn" },
                 { "zh_CN", "zh-CN" }, { "zho_Hant", "zh-Hant" }, { "pt_br", "pt-BR" }, { "ace_Arab", "ace-Arab" } };
    char tag[LANGUAGE_TAG_BYTES];

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(language_tag_shortest(tag, rows[i].name, NULL), OK);
        assert_string_equal(tag, rows[i].tag);
    }
    assert_int_equal(language_tag_shortest(tag, "not a tag", NULL), OK);
    assert_string_equal(tag, "");
}

TESTS(test_language);
