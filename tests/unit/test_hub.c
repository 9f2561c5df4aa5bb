/* test_hub.c - tests of hub/: outlines of the models of the golden tests, the environment that moves the folders of
 * models, and names and the configuration as a program uses them. The command line tests have all forms of names. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dragoman_hub.h"
#include "dragoman_tools.h"
#include "golden_folders.h"
#include "model_places.h"

/* --- Outlines --- */

static DragomanOutline *outline(const char *path, const char *name)
{
    DragomanOutline *out;
    DragomanError error;

    assert_int_equal(dragoman_outline(&out, path, name, &error), DRAGOMAN_OK);
    assert_string_equal(error.message, "");
    return out;
}

static bool has_pair(const DragomanOutline *o, const char *from, const char *to)
{
    DragomanError error;
    bool has;

    assert_int_equal(dragoman_outline_has_pair(o, from, to, &has, &error), DRAGOMAN_OK);
    assert_string_equal(error.message, "");
    return has;
}

TEST(a_pair_has_one_source_and_one_target)
{
    DragomanOutline *o = outline(GOLDEN_MARIAN "/swish-opus", NULL);
    size_t sources, targets;

    assert_string_equal(dragoman_outline_sources(o, &sources)[0], "en");
    assert_string_equal(dragoman_outline_targets(o, &targets)[0], "de");
    assert_string_equal(dragoman_outline_sources(o, NULL)[0], "en");
    assert_string_equal(dragoman_outline_targets(o, NULL)[0], "de");
    assert_int_equal(sources, 1);
    assert_int_equal(targets, 1);
    assert_null(dragoman_outline_fault(o));
    assert_true(dragoman_outline_bytes(o) > 10000);
    assert_true(has_pair(o, "en_GB", "deu_Latn"));
    assert_true(has_pair(o, NULL, "de"));
    assert_false(has_pair(o, "de", "en"));
    dragoman_outline_free(o);
}

/* Also if the settings of the folder name the file of the model. */
TEST(the_size_is_that_of_all_files)
{
    DragomanOutline *o = outline(GOLDEN_ROOT "/marian_nmt/student", NULL);
    struct stat model;

    assert_int_equal(stat(GOLDEN_ROOT "/marian_nmt/student/model.npz", &model), 0);
    assert_null(dragoman_outline_fault(o));
    assert_int_equal(dragoman_outline_status(o), DRAGOMAN_OK);
    assert_true(dragoman_outline_bytes(o) > (uint64_t)model.st_size);
    dragoman_outline_free(o);
}

/* An unsupported model is told from a corrupt one. */
FOLDER_TEST(the_status_is_that_of_the_fault)
{
    char *path = support_write_text(*state, "config.json", "{\"model_type\": \"bert\"}");
    DragomanOutline *o = outline(*state, NULL);

    assert_non_null(dragoman_outline_fault(o));
    assert_int_equal(dragoman_outline_status(o), DRAGOMAN_ERROR_UNSUPPORTED);
    dragoman_outline_free(o);
    free(path);
}

TEST(a_model_may_have_many_languages)
{
    DragomanOutline *o = outline(GOLDEN_FAMILIES "/nllb-relu-all-languages", NULL);
    size_t count;

    dragoman_outline_sources(o, &count);
    assert_int_equal(count, 202);
    assert_true(has_pair(o, "fr", "zh_Hant"));
    dragoman_outline_free(o);
}

TEST(models_without_a_source_translate_from_their_languages)
{
    DragomanOutline *o = outline(GOLDEN_FAMILIES "/madlad-fast", NULL);
    size_t sources, targets;

    dragoman_outline_sources(o, &sources);
    dragoman_outline_targets(o, &targets);
    assert_int_equal(sources, targets);
    dragoman_outline_free(o);
    o = outline(GOLDEN_FAMILIES "/t5-relu", NULL);
    dragoman_outline_sources(o, &sources);
    assert_int_equal(sources, 1); /* English, as the prefixes say */
    dragoman_outline_free(o);
}

TEST(a_name_tells_languages_that_the_files_do_not)
{
    static const struct {
        const char *name;
        bool has;
    } names[] = { { "fr-en", true },
                  { "Org/opus-mt-fr-en", true },
                  { "firefox:fr-en", true },
                  { "opus_fr_en", true },
                  { "fren", false },
                  { "-en", false },
                  { "fr-", false },
                  { "tiny-base", false },
                  { "", false },
                  { "en", false },
                  { "ROMANCE-en", false } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        DragomanOutline *o = outline(GOLDEN_ROOT "/marian_nmt/student", names[i].name);
        size_t sources;
        (void)dragoman_outline_sources(o, &sources);
        if ((sources > 0) != names[i].has) fail_msg("%s", names[i].name);
        if (names[i].has) assert_true(has_pair(o, "fr", "en"));
        dragoman_outline_free(o);
    }
}

TEST(a_broken_model_has_a_fault)
{
    DragomanOutline *o = outline("/nowhere/at/all", "fr-en");

    assert_non_null(strstr(dragoman_outline_fault(o), "/nowhere/at/all"));
    assert_null(strchr(dragoman_outline_fault(o), '\n'));
    assert_int_equal(dragoman_outline_status(o), DRAGOMAN_ERROR_IO);
    assert_int_equal(dragoman_outline_bytes(o), 0);
    dragoman_outline_free(o);
    dragoman_outline_free(NULL);
}

static void check_runs(const char *folder)
{
    DragomanOutline *o = outline(folder, NULL);

    if (dragoman_outline_fault(o)) fail_msg("%s: %s", folder, dragoman_outline_fault(o));
    dragoman_outline_free(o);
}

TEST(models_that_translate_have_no_fault)
{
    golden_each_folder(GOLDEN_MARIAN, check_runs);
    golden_each_folder(GOLDEN_FAMILIES, check_runs);
}

TEST(codes_stand_for_names)
{
    static const char *const rows[][2] = {
        { "French", "fr" },
        { "zh_CN", "zh_CN" },
        { ">>deu<<", "deu" },
        { "__zh_CN__", "zh_CN" },
        { "<2de>", "de" },
        { "no language has this name, which is longer than any code can be, and so is cut off here",
          "no language has this name, which is longer than any code can be" },
    };
    char code[DRAGOMAN_LANGUAGE_CODE];

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(dragoman_find_language_code(rows[i][0], code, NULL), DRAGOMAN_OK);
        assert_string_equal(code, rows[i][1]);
    }
}

/* --- Folders of models --- */

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
    /* An empty value does not count. */
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

TEST(a_lack_of_memory_is_not_a_missing_variable)
{
    Err err;

    errno = 0;
    assert_int_equal(model_places_fault("get: set HOME", &err), ERR_IO);
    assert_string_equal(err.text, "get: set HOME");
    errno = ENOMEM;
    assert_int_equal(model_places_fault("get: set HOME", &err), ERR_MEMORY);
}

/* --- Names and the configuration --- */

#define MODEL GOLDEN_MARIAN "/swish-opus"

/* Sets the environment of a user whose folders are all in `home`. */
static void enter_home(const char *home)
{
    for (size_t i = 0; i < COUNT(variables); i++) set_variable(variables[i], NULL);
    set_variable("DRAGOMAN_MODEL", NULL);
    set_variable("HOME", home);
}

/* Creates folders below `home` and returns the path of the last one. */
static char *make_folders(const char *home, const char *path)
{
    char *full = support_path(home, path);

    for (char *slash = full + strlen(home); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(full, 0777);
        *slash = '/';
    }
    (void)mkdir(full, 0777);
    return full;
}

static void link_model(const char *folder, const char *name, const char *path)
{
    char *link = support_path(folder, name), *model = support_absolute(path);

    assert_int_equal(symlink(model, link), 0);
    free(model);
    free(link);
}

/* A user with the models mine and many in dragoman's folder, and a configuration. */
static void enter_home_with_model(const char *home, const char *configuration)
{
    char *models = make_folders(home, ".local/share/dragoman/models"), *folder = make_folders(home, ".config/dragoman");

    enter_home(home);
    link_model(models, "mine", MODEL);
    link_model(models, "many", GOLDEN_FAMILIES "/nllb-relu-all-languages");
    free(support_write_text(folder, "config", configuration));
    free(folder);
    free(models);
}

static DragomanStatus open_named(const char *name, bool is_path, DragomanError *error)
{
    DragomanOptions *options = dragoman_options_new();
    Dragoman *d = NULL;
    DragomanStatus st;

    if (is_path) dragoman_options_take_paths(options);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, name, NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_number(options, DRAGOMAN_THREADS, 1, NULL), DRAGOMAN_OK);
    st = dragoman_open(&d, options, error);
    dragoman_close(d);
    dragoman_options_free(options);
    return st;
}

FOLDER_TEST(models_are_opened_by_name)
{
    DragomanError error;

    enter_home_with_model(*state, "alias short = mine\n");
    assert_int_equal(open_named("mine", false, &error), DRAGOMAN_OK);
    assert_int_equal(open_named("short", false, &error), DRAGOMAN_OK);
    assert_int_equal(open_named("mime", false, &error), DRAGOMAN_ERROR_IO);
    assert_string_equal(error.message, "mime: no such folder, file or model (did you mean mine?)");
    assert_int_equal(open_named("mine", true, &error), DRAGOMAN_ERROR_IO);
    assert_non_null(strstr(error.message, "mine: No such file or directory"));
}

/* Those of dragoman_tools.h, too. */
FOLDER_TEST(models_are_packed_and_verified_by_name)
{
    DragomanOptions *options = dragoman_options_new();
    char *path;
    FILE *file;
    size_t tensors;

    enter_home_with_model(*state, "");
    path = support_path(*state, ".local/share/dragoman/models/packed.safetensors");
    file = fopen(path, "wb");
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, "mine", NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_pack(options, fileno(file), "packed", NULL, NULL), DRAGOMAN_OK);
    fclose(file);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, "packed", NULL), DRAGOMAN_OK);
    assert_int_equal(dragoman_verify(options, &tensors, NULL), DRAGOMAN_OK);
    assert_true(tensors > 0);
    dragoman_options_free(options);
    free(path);
}

FOLDER_TEST(a_configuration_chooses_the_model)
{
    DragomanHub *hub;
    DragomanChoice *choice;
    DragomanError error;
    const char *place;
    char *expected = support_path(*state, ".local/share/dragoman/models/mine");

    enter_home_with_model(*state, "model = mine\nthreads = many\n");
    assert_int_equal(dragoman_hub_open(&hub, NULL, &error), DRAGOMAN_OK);
    assert_string_equal(dragoman_hub_preferred(hub), "mine");
    assert_string_equal(dragoman_hub_setting(hub, "threads", &place), "many");
    assert_non_null(strstr(place, "/config:2"));
    assert_null(dragoman_hub_setting(hub, "precision", NULL));
    assert_null(dragoman_hub_setting(hub, "model", NULL));
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, "en", "de", &choice, &error), DRAGOMAN_OK);
    assert_int_equal(choice->count, 1);
    assert_string_equal(choice->paths[0], expected);
    assert_null(choice->message);
    dragoman_choice_free(choice);
    dragoman_hub_close(hub);
    free(expected);
}

FOLDER_TEST(languages_choose_the_model)
{
    const DragomanHubSettings settings = { .folder = *state, .no_configuration = true };
    DragomanHub *hub;
    DragomanChoice *choice;
    DragomanRoute route;
    DragomanError error;

    enter_home_with_model(*state, "model = other\n");
    assert_int_equal(dragoman_hub_open(&hub, &settings, &error), DRAGOMAN_OK);
    assert_null(dragoman_hub_configuration(hub));
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, "en", "de", &choice, &error), DRAGOMAN_OK);
    assert_string_equal(choice->message, "using mine (dragoman)");
    dragoman_choice_free(choice);
    assert_int_equal(dragoman_hub_route(hub, "English", "German", &route, &error), DRAGOMAN_OK);
    assert_int_equal(route.count, 1);
    assert_string_equal(route.models[0]->name, "mine");
    assert_int_equal(dragoman_hub_route(hub, "fr", "zh_Hant", &route, &error), DRAGOMAN_OK);
    assert_int_equal(route.count, 1);
    assert_string_equal(route.models[0]->name, "many");
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, "en", NULL, &choice, &error), DRAGOMAN_ERROR_USAGE);
    assert_null(choice);
    assert_int_equal(error.setting, DRAGOMAN_FROM);
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, NULL, NULL, &choice, &error), DRAGOMAN_ERROR_IO);
    assert_non_null(strstr(error.message, "no model: use DRAGOMAN_MODEL PATH or set $DRAGOMAN_MODEL"));
    dragoman_hub_close(hub);
}

FOLDER_TEST(each_source_has_a_route_to_the_target)
{
    static const char *const names[] = { "de-en", "en-de", "fr-en" };
    const DragomanHubSettings settings = { .folder = *state, .no_configuration = true };
    FREED char *models = make_folders(*state, ".local/share/dragoman/models");
    DragomanHub *hub;
    DragomanRoute route;
    DragomanError error;
    const char **codes;
    size_t count;

    enter_home(*state);
    for (size_t i = 0; i < COUNT(names); i++) link_model(models, names[i], GOLDEN_ROOT "/marian_nmt/student");
    assert_int_equal(dragoman_hub_open(&hub, &settings, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_hub_sources(hub, "German", &codes, &count, &error), DRAGOMAN_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(dragoman_hub_route(hub, codes[i], "German", &route, &error), DRAGOMAN_OK);
        if (!route.count) fail_msg("%s", codes[i]);
    }
    free(codes);
    dragoman_hub_close(hub);
}

FOLDER_TEST(options_are_filled_in)
{
    const DragomanHubSettings settings = { .folder = *state };
    DragomanOptions *options = dragoman_options_new();
    DragomanHub *hub;
    Dragoman *d;
    DragomanError error;
    char *message;

    enter_home_with_model(*state, "alias short = mine\n");
    assert_int_equal(dragoman_hub_open(&hub, &settings, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_FROM, "English", &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_TO, "German", &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_hub_fill_in(hub, options, &message, &error), DRAGOMAN_OK);
    assert_string_equal(message, "using mine (dragoman)");
    dragoman_free_text(message);
    assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_OK);
    dragoman_close(d);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, "short", &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_hub_fill_in(hub, options, &message, &error), DRAGOMAN_OK);
    assert_null(message);
    assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_OK);
    dragoman_close(d);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, "long", &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_hub_fill_in(hub, options, &message, &error), DRAGOMAN_ERROR_IO);
    dragoman_options_free(options);
    dragoman_hub_close(hub);
}

/* What comes before the fault is known. */
FOLDER_TEST(a_fault_of_the_configuration_is_named)
{
    DragomanHub *hub;
    DragomanError error;
    char *path;

    enter_home_with_model(*state, "alias short = mine\nmodle = mine\n");
    assert_int_equal(dragoman_hub_open(&hub, NULL, &error), DRAGOMAN_ERROR_USAGE);
    assert_non_null(strstr(error.message, "/config:2: unknown setting 'modle'"));
    assert_int_equal(dragoman_hub_find(hub, "short", &path, &error), DRAGOMAN_OK);
    assert_non_null(strstr(path, "/models/mine"));
    dragoman_free_text(path);
    dragoman_hub_close(hub);
}

TESTS(test_hub);
