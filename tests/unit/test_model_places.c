/* test_model_places.c - tests of hub/model_places.h: the environment that moves the folders of models. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "model_places.h"

static const char *const variables[] = { "HOME",    "XDG_DATA_HOME", "XDG_CONFIG_HOME",       "XDG_CACHE_HOME",
                                         "HF_HOME", "HF_HUB_CACHE",  "HUGGINGFACE_HUB_CACHE", "ARGOS_PACKAGES_DIR" };

/* An environment with a home folder and none of the variables. */
static void clear_variables(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) assert_int_equal(unsetenv(variables[i]), 0);
    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
}

static void assert_place(char *place, const char *expected)
{
    if (expected)
        assert_string_equal(place, expected);
    else
        assert_null(place);
    free(place);
}

TEST(places_are_in_the_home_folder)
{
    clear_variables();
    assert_place(model_places_dragoman(), "/home/me/.local/share/dragoman/models");
    assert_place(model_places_firefox(), "/home/me/.local/share/dragoman/models/firefox");
    assert_place(model_places_configuration(), "/home/me/.config/dragoman/config");
    assert_place(model_places_hugging_face(), "/home/me/.cache/huggingface");
    assert_place(model_places_hub(), "/home/me/.cache/huggingface/hub");
    assert_place(model_places_argos(), "/home/me/.local/share/argos-translate/packages");
    assert_place(model_places_translate_locally(), "/home/me/.config/translateLocally");
}

TEST(no_home_folder_means_no_places)
{
    clear_variables();
    for (int empty = 0; empty < 2; empty++) {
        assert_int_equal(empty ? setenv("HOME", "", 1) : unsetenv("HOME"), 0);
        assert_place(model_places_dragoman(), NULL);
        assert_place(model_places_hub(), NULL);
        assert_place(model_places_configuration(), NULL);
        assert_place(model_places_expand("~/x"), NULL);
        assert_place(model_places_expand("/x"), "/x");
    }
}

TEST(variables_move_places)
{
    clear_variables();
    assert_int_equal(setenv("XDG_DATA_HOME", "/data", 1), 0);
    assert_place(model_places_dragoman(), "/data/dragoman/models");
    assert_place(model_places_argos(), "/data/argos-translate/packages");
    assert_int_equal(setenv("XDG_DATA_HOME", "data", 1), 0); /* a relative path does not count */
    assert_place(model_places_dragoman(), "/home/me/.local/share/dragoman/models");
    assert_int_equal(setenv("XDG_CACHE_HOME", "/cache", 1), 0);
    assert_place(model_places_hub(), "/cache/huggingface/hub");
    assert_int_equal(setenv("HF_HOME", "~/hf", 1), 0);
    assert_place(model_places_hub(), "/home/me/hf/hub");
    assert_int_equal(setenv("HUGGINGFACE_HUB_CACHE", "/old", 1), 0);
    assert_place(model_places_hub(), "/old");
    assert_int_equal(setenv("HF_HUB_CACHE", "/new", 1), 0);
    assert_place(model_places_hub(), "/new");
    assert_int_equal(setenv("HF_HUB_CACHE", "", 1), 0); /* the same as unset */
    assert_place(model_places_hub(), "/old");
    assert_int_equal(setenv("ARGOS_PACKAGES_DIR", "/argos", 1), 0);
    assert_place(model_places_argos(), "/argos");
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
