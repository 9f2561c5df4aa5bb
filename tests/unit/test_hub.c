/* test_hub.c - tests of hub/dragoman_hub.h: names and the configuration, as a program uses them. The command line tests
 * have all forms of names. */
#include "test_support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dragoman_hub.h"
#include "dragoman_tools.h"
#include "golden_folders.h"

#define MODEL GOLDEN_MARIAN "/swish-opus"

/* Sets the environment of a user whose folders are all in `home`. */
static void enter_home(const char *home)
{
    static const char *const other[] = { "DRAGOMAN_MODEL",        "HF_HOME",        "HF_HUB_CACHE",
                                         "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME",
                                         "ARGOS_PACKAGES_DIR",    "XDG_CONFIG_HOME" };

    for (size_t i = 0; i < COUNT(other); i++) assert_int_equal(unsetenv(other[i]), 0);
    assert_int_equal(setenv("HOME", home, 1), 0);
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

/* A user with the model mine in dragoman's folder, and a configuration. */
static void enter_home_with_model(const char *home, const char *configuration)
{
    char *models = make_folders(home, ".local/share/dragoman/models"), *link = support_path(models, "mine");
    char *folder = make_folders(home, ".config/dragoman"), *model = support_absolute(MODEL);

    enter_home(home);
    assert_int_equal(symlink(model, link), 0);
    free(support_write_text(folder, "config", configuration));
    free(model);
    free(folder);
    free(link);
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
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, "en", NULL, &choice, &error), DRAGOMAN_ERROR_USAGE);
    assert_null(choice);
    assert_int_equal(error.setting, DRAGOMAN_FROM);
    assert_int_equal(dragoman_hub_choose(hub, NULL, 0, NULL, NULL, &choice, &error), DRAGOMAN_ERROR_IO);
    assert_non_null(strstr(error.message, "no model: use DRAGOMAN_MODEL PATH or set DRAGOMAN_MODEL"));
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
