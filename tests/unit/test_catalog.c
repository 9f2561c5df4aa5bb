/* test_catalog.c - the models that can be downloaded: the list of the library, the list in the cache, and searches.
 * tests/cli/get_list.bats has a server. */
#include "test_support.h"

#include <sys/stat.h>

#include "dragoman_hub.h"
#include "language.h"

static DragomanError error;

/* Opens the list with this list in the cache (NULL: none). */
static DragomanCatalog *open_list(const char *folder, const char *cached)
{
    FREED char *own = support_format("%s/dragoman", folder);
    DragomanCatalog *c;

    setenv("XDG_CACHE_HOME", folder, true);
    (void)mkdir(own, 0777);
    if (cached) free(support_write_text(own, "models.tsv", cached));
    assert_int_equal(dragoman_catalog_open(&c, false, &error), DRAGOMAN_OK);
    return c;
}

static const DragomanOffer *find(DragomanCatalog *c, const char *from, const char *to, size_t *count)
{
    const DragomanOffer *offers;

    assert_int_equal(dragoman_catalog_find(c, from, to, &offers, count, &error), DRAGOMAN_OK);
    return offers;
}

/* --- The list of the library --- */

FOLDER_TEST(each_model_of_the_list_can_be_asked_for)
{
    DragomanCatalog *c = open_list(*state, NULL);
    size_t count, several = 0;
    const DragomanOffer *offers = find(c, NULL, NULL, &count);

    assert_true(count > 900);
    for (size_t i = 0; i < count; i++) {
        const DragomanOffer *offer = &offers[i];
        if (dragoman_check_download(offer->name, &error) != DRAGOMAN_OK) fail_msg("%s", error.message);
        if (offer->from && !(language_is_known(offer->from) && language_is_known(offer->to)))
            fail_msg("%s: %s and %s", offer->name, offer->from, offer->to);
        if (strncmp(offer->name, "firefox:", 8) == 0 && (offer->is_estimate || offer->bytes < 10000000))
            fail_msg("%s: %llu bytes", offer->name, (unsigned long long)offer->bytes);
        several += !offer->from;
        assert_true(*offer->kind != '\0');
        assert_int_equal(*offer->size != '\0', offer->bytes > 0);
    }
    assert_int_equal(several, 8);
    dragoman_catalog_close(c);
}

FOLDER_TEST(no_model_is_in_the_list_twice)
{
    DragomanCatalog *c = open_list(*state, NULL);
    size_t count;
    const DragomanOffer *offers = find(c, NULL, NULL, &count);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(offers[i].name, offers[k].name) == 0) fail_msg("%s", offers[i].name);
    dragoman_catalog_close(c);
}

/* --- The list in the cache --- */

#define CACHED(date)                                                                                                   \
    "date\t" date "\n"                                                                                                 \
    "firefox:fr-en\tFirefox base\t1400000000\tMPL-2.0\tfr\ten\n"                                                       \
    "firefox:en-zh-Hans\tFirefox tiny\t2400000\tMPL-2.0\ten\tzh-Hans\n"                                                \
    "argos:fr-en\tArgos Translate\t-\t-\tfr\ten\n"                                                                     \
    "argos:en-pb\tArgos Translate\t~80000000\t-\ten\tpt_BR\n"                                                          \
    "argos:en-ky\tArgos Translate\t-\t-\ten\tky\n"

FOLDER_TEST(a_newer_list_replaces_the_models_of_its_sites)
{
    DragomanCatalog *c = open_list(*state, CACHED("2999-01-02"));
    const DragomanOffer *offers;
    const char *fault;
    size_t count;
    long days;

    assert_string_equal(dragoman_catalog_date(c, &days, &fault), "2999-01-02");
    assert_true(days < -300000);
    assert_null(fault);
    offers = find(c, "fr", "en", &count);
    assert_int_equal(count, 12);
    assert_string_equal(offers[0].name, "firefox:fr-en");
    assert_string_equal(offers[0].kind, "Firefox base");
    assert_string_equal(offers[0].licence, "MPL-2.0");
    assert_string_equal(offers[0].size, "1.4 GB");
    assert_true(offers[0].bytes == 1400000000 && !offers[0].is_estimate);
    assert_string_equal(offers[1].name, "Helsinki-NLP/opus-mt-tc-big-fr-en");
    assert_string_equal(offers[2].name, "Helsinki-NLP/opus-mt-fr-en");
    assert_string_equal(offers[2].size, "~300 MB");
    assert_true(offers[2].bytes == 300000000 && offers[2].is_estimate && offers[2].languages == 0);
    assert_string_equal(offers[3].name, "argos:fr-en");
    assert_string_equal(offers[3].size, "");
    assert_null(offers[3].licence);
    assert_string_equal(offers[4].name, "facebook/m2m100_418M");
    assert_true(!offers[4].from && !offers[4].to && offers[4].languages == 100);
    offers = find(c, NULL, "ky", &count); /* Firefox has none, and M2M100 and mBART-50 do not have the language */
    assert_string_equal(offers[0].name, "argos:en-ky");
    assert_int_equal(count, 3);
    assert_string_equal(find(c, "en", "pt_BR", &count)[1].name, "argos:en-pb");
    dragoman_catalog_close(c);
}

FOLDER_TEST(an_older_list_is_not_used)
{
    DragomanCatalog *c = open_list(*state, CACHED("2020-01-01"));
    const char *fault;
    size_t count;
    long days;

    assert_true(strcmp(dragoman_catalog_date(c, &days, &fault), "2026") > 0);
    assert_string_equal(find(c, "de", "en", &count)[0].name, "firefox:de-en");
    dragoman_catalog_close(c);
}

/* Lines of another version of dragoman, and the end of a file that was cut. */
FOLDER_TEST(damaged_lines_of_the_cache_are_ignored)
{
    DragomanCatalog *c = open_list(*state, CACHED("2999-01-01") "\n"
                                                                "firefox:\n"
                                                                "firefox:a\tb\n"
                                                                "argos:en-xh\tArgos\t1\t-\ten\txh\tmore\n"
                                                                "other:en-xh\tOther\t1\t-\ten\txh\n"
                                                                "firefox:en-xh\tFirefox base\t1\tMPL-2.0\ten\txh");
    size_t count;

    assert_string_equal(find(c, "en", "xh", &count)[0].name, "Helsinki-NLP/opus-mt-en-xh");
    assert_string_equal(find(c, "fr", "en", &count)[0].name, "firefox:fr-en");
    dragoman_catalog_close(c);
}

FOLDER_TEST(a_damaged_cache_takes_no_models_away)
{
    static const char *const lists[] = { "", "junk", "date\t2999-01-01\n", "date\t2999-01-01\nfirefox:\nargos:a\tb\n" };

    for (size_t i = 0; i < COUNT(lists); i++) {
        DragomanCatalog *c = open_list(*state, lists[i]);
        size_t count;
        assert_string_equal(find(c, "de", "en", &count)[0].name, "firefox:de-en");
        assert_string_equal(find(c, "en", "ky", &count)[0].name, "argos:en-ky");
        dragoman_catalog_close(c);
    }
}

/* A row of the cache has one model for two languages. */
FOLDER_TEST(rows_of_the_cache_cannot_stand_for_several)
{
    DragomanCatalog *c =
        open_list(*state, CACHED("2999-01-01") "firefox:*\tFirefox base\t1\tMPL-2.0\txh zu\txh zu\n"
                                               "firefox:xh-zu\tFirefox base\t1\tMPL-2.0\txh zu\txh\n"
                                               "argos:xh-zu\tArgos Translate\t1\t-\t@nllb\t=\n"
                                               "argos:xh-zu\tArgos Translate\t-5\t-\txh\tzu\n"
                                               "argos:zu-xh\tArgos Translate\t99999999999999999999\t-\t"
                                               "zu\txh\n");
    const DragomanOffer *offers;
    size_t count;

    offers = find(c, "xh", "zu", &count);
    assert_string_equal(offers[0].name, "argos:xh-zu");
    assert_true(offers[0].bytes == 0 && !*offers[0].size && offers[0].from);
    for (size_t i = 1; i < count; i++)
        assert_true(strncmp(offers[i].name, "firefox:", 8) && strncmp(offers[i].name, "argos:", 6));
    offers = find(c, "zu", "xh", &count);
    assert_string_equal(offers[0].name, "argos:zu-xh");
    assert_true(offers[0].bytes == 0);
    dragoman_catalog_close(c);
}

/* --- Searches --- */

FOLDER_TEST(the_best_choice_for_a_pair)
{
    static const struct {
        const char *from, *to, *best;
    } cases[] = {
        { "fr", "en", "firefox:fr-en" },
        { "fra", "en", "firefox:fr-en" },
        { "fr_CA", "en-US", "firefox:fr-en" },
        { "en", "zh", "firefox:en-zh-Hans" },
        { "en", "zh_CN", "firefox:en-zh-Hans" },
        { "en", "zh-Hant", "Helsinki-NLP/opus-mt-en-zh" },
        { "en", "pt_BR", "Helsinki-NLP/opus-mt-tc-big-en-pt" },
        { "en", "fr", "Helsinki-NLP/opus-mt-tc-big-en-fr" },
        { "de", "fr", "Helsinki-NLP/opus-mt-de-fr" },
        { "en", "ky", "argos:en-ky" },
        { "fr", "ky", "firefox:fr-en argos:en-ky" },
        { "ja", "zh", "Helsinki-NLP/opus-mt-ja-en firefox:en-zh-Hans" },
        { "jv", "fr", "facebook/m2m100_418M" },
        { "ky", "fr", "google/madlad400-3b-mt" },
        { "fr", "ace_Latn", "facebook/nllb-200-distilled-600M" },
        { "fr", "nn", "BSC-LT/salamandraTA-2b-instruct" },
        { "en", "en", "" },
        { "fr", "tlh", "" },
        { "xx", "en", "" },
    };
    DragomanCatalog *c = open_list(*state, CACHED("2999-01-01"));

    for (size_t i = 0; i < COUNT(cases); i++) {
        const DragomanOffer *best;
        size_t count;
        FREED char *names = NULL;
        assert_int_equal(dragoman_catalog_best(c, cases[i].from, cases[i].to, &best, &count, &error), DRAGOMAN_OK);
        names =
            support_format("%s%s%s", count ? best[0].name : "", count > 1 ? " " : "", count > 1 ? best[1].name : "");
        if (strcmp(names, cases[i].best) != 0) fail_msg("%s-%s: %s", cases[i].from, cases[i].to, names);
    }
    dragoman_catalog_close(c);
}

FOLDER_TEST(a_pair_without_a_model_gets_the_command_to_type)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        { "fr", "en", "'dragoman get fr-en' downloads firefox:fr-en (1.4 GB)" },
        { "de", "fr", "'dragoman get de-fr' downloads Helsinki-NLP/opus-mt-de-fr (~300 MB)" },
        { "fr", "ky", "'dragoman get fr-ky' downloads firefox:fr-en (1.4 GB) and argos:en-ky" },
        { "fr", "tlh", NULL },
    };
    DragomanCatalog *list = open_list(*state, CACHED("2999-01-01"));

    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        char *message;
        assert_int_equal(
            dragoman_catalog_suggest(i % 2 ? list : NULL, cases[i / 2].from, cases[i / 2].to, &message, &error),
            DRAGOMAN_OK);
        if (cases[i / 2].message)
            assert_string_equal(message, cases[i / 2].message);
        else
            assert_null(message);
        dragoman_free_text(message);
    }
    dragoman_catalog_close(list);
}

TEST(splits_the_codes_of_a_pair)
{
    static const struct {
        const char *pair, *from, *to; /* NULL: not a pair */
    } cases[] = {
        { "fr-en", "fr", "en" },
        { "zh-Hans-en", "zh-Hans", "en" },
        { "en-zh-Hant", "en", "zh-Hant" },
        { "en-pt-BR", "en", "pt-BR" },
        { "pt-BR-en", "pt-BR", "en" },
        { "deu-fra", "deu", "fra" },
        { "zh-Hans-pt-BR", "zh-Hans", "pt-BR" },
        { "FR-EN", "fr", "en" },
        { "french-english", "fr", "en" },
        { "French-en", "fr", "en" },
        { "pt-BR", NULL, NULL },
        { "zh-Hans", NULL, NULL },
        { "xx-yy", NULL, NULL },
        { "t5-small", NULL, NULL },
        { "gpt2", NULL, NULL },
        { "fr", NULL, NULL },
        { "fr-", NULL, NULL },
        { "-en", NULL, NULL },
        { "", NULL, NULL },
        { "argos:fr-en", NULL, NULL },
        { "org/fr-en", NULL, NULL },
        { "fr-en@main", NULL, NULL },
        { "bert-base-uncased", NULL, NULL },
    };
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE];

    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_pair = dragoman_split_pair(cases[i].pair, from, to);
        if (is_pair != (cases[i].from != NULL)) fail_msg("%s", cases[i].pair);
        if (!is_pair) continue;
        assert_string_equal(from, cases[i].from);
        assert_string_equal(to, cases[i].to);
    }
}

TESTS(test_catalog);
