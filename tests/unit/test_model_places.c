/* test_model_places.c - tests of hub/model_places.h: the environment that moves the folders of models. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "model_places.h"

static const char *const variables[] = { "HOME",    "XDG_DATA_HOME", "XDG_CONFIG_HOME",       "XDG_CACHE_HOME",
                                         "HF_HOME", "HF_HUB_CACHE",  "HUGGINGFACE_HUB_CACHE", "ARGOS_PACKAGES_DIR" };

enum { MOST_SET = 2 };

/* Variables, apart from HOME, and where a folder then is. */
static const struct {
    char *(*place)(void);
    const char *home, *set[MOST_SET][2], *expected;
} rows[] = {
    { model_places_dragoman, "/me", { { 0 } }, "/me/.local/share/dragoman/models" },
    { model_places_firefox, "/me", { { 0 } }, "/me/.local/share/dragoman/models/firefox" },
    { model_places_configuration, "/me", { { 0 } }, "/me/.config/dragoman/config" },
    { model_places_hugging_face, "/me", { { 0 } }, "/me/.cache/huggingface" },
    { model_places_hub, "/me", { { 0 } }, "/me/.cache/huggingface/hub" },
    { model_places_argos, "/me", { { 0 } }, "/me/.local/share/argos-translate/packages" },
    { model_places_translate_locally, "/me", { { 0 } }, "/me/.config/translateLocally" },
    /* If HOME is empty or unset, no folder is known. */
    { model_places_dragoman, "", { { 0 } }, NULL },
    { model_places_hub, "", { { 0 } }, NULL },
    { model_places_configuration, "", { { 0 } }, NULL },
    { model_places_dragoman, NULL, { { 0 } }, NULL },
    { model_places_hub, NULL, { { 0 } }, NULL },
    { model_places_configuration, NULL, { { 0 } }, NULL },
    { model_places_dragoman, "/me", { { "XDG_DATA_HOME", "/data" } }, "/data/dragoman/models" },
    { model_places_argos, "/me", { { "XDG_DATA_HOME", "/data" } }, "/data/argos-translate/packages" },
    /* A relative path does not count. */
    { model_places_dragoman, "/me", { { "XDG_DATA_HOME", "data" } }, "/me/.local/share/dragoman/models" },
    { model_places_hub, "/me", { { "XDG_CACHE_HOME", "/cache" } }, "/cache/huggingface/hub" },
    { model_places_hub, "/me", { { "XDG_CACHE_HOME", "/cache" }, { "HF_HOME", "~/hf" } }, "/me/hf/hub" },
    { model_places_hub, "/me", { { "HF_HOME", "~/hf" }, { "HUGGINGFACE_HUB_CACHE", "/old" } }, "/old" },
    { model_places_hub, "/me", { { "HUGGINGFACE_HUB_CACHE", "/old" }, { "HF_HUB_CACHE", "/new" } }, "/new" },
    /* An empty value is none. */
    { model_places_hub, "/me", { { "HUGGINGFACE_HUB_CACHE", "/old" }, { "HF_HUB_CACHE", "" } }, "/old" },
    { model_places_argos, "/me", { { "XDG_DATA_HOME", "/data" }, { "ARGOS_PACKAGES_DIR", "/argos" } }, "/argos" },
};

static void set_variable(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void assert_place(char *place, const char *expected)
{
    if (expected)
        assert_string_equal(place, expected);
    else
        assert_null(place);
    free(place);
}

TEST(variables_move_places)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(variables); k++) set_variable(variables[k], NULL);
        set_variable("HOME", rows[i].home);
        for (size_t k = 0; k < MOST_SET && rows[i].set[k][0]; k++) set_variable(rows[i].set[k][0], rows[i].set[k][1]);
        assert_place(rows[i].place(), rows[i].expected);
        if (rows[i].expected) continue;
        assert_place(model_places_expand("~/x"), NULL);
        assert_place(model_places_expand("/x"), "/x");
    }
}

TEST(knows_names_of_the_hub)
{
    static const char *const good[] = { "Helsinki-NLP/opus-mt-fr-en", "t5-small", "a/b", "_a/b_",
                                        "facebook/m2m100_418M" };
    static const char *const bad[] = { "",     "/",    "a/",   "/a",  "a/b/c", "a--b",    "a..b", "../x", ".a/b",
                                       "a./b", "-a/b", "a/b-", "a b", "a\nb",  "a/b.git", "a@b",  "ä/b",  "a:b" };
    char longest[200];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!model_places_is_hub_name(good[i])) fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (model_places_is_hub_name(bad[i])) fail_msg("%s is accepted", bad[i]);
    memset(longest, 'a', sizeof longest);
    longest[96] = '\0';
    assert_true(model_places_is_hub_name(longest));
    longest[96] = 'a';
    longest[97] = '\0';
    assert_false(model_places_is_hub_name(longest));
}

TEST(names_the_folders_of_the_hub)
{
    Buf out = { 0 };

    model_places_put_hub_folder(&out, "Helsinki-NLP/opus-mt-fr-en");
    assert_string_equal(out.data, "models--Helsinki-NLP--opus-mt-fr-en");
    buf_clear(&out);
    model_places_put_hub_folder(&out, "t5-small");
    assert_string_equal(out.data, "models--t5-small");
    buf_free(&out);
}

TEST(a_lack_of_memory_is_not_a_missing_variable)
{
    Err err;

    errno = 0;
    assert_int_equal(model_places_fault("get: set HOME", &err), ERR_IO);
    assert_string_equal(err.text, "get: set HOME");
    errno = ENOMEM;
    assert_int_equal(model_places_fault("get: set HOME", &err), ERR_MEMORY);
}

TESTS(test_model_places);
