/* fuzz_user_config.c - fuzzes the reader of the user's configuration.
 * Input    The file.
 * Checks   A configuration is refused with one line that begins with its path and is an error of usage, or its settings
 *          have values and places, and the model, which may be an alias, is found or refused.
 * Options  -max_len=2000 */
#include "fuzz_support.h"

#include <sys/stat.h>

#include "dragoman_hub.h"
#include "fuzz_folder.h"

static void check_setting(const DragomanHub *hub, const char *name, const char *file)
{
    const char *place, *value = dragoman_hub_setting(hub, name, &place);

    if (!value) return;
    require(*value, "a value", place);
    require(strncmp(place, file, strlen(file)) == 0, "the place of a value", place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder, *path;
    DragomanHub *hub;
    DragomanChoice *choice = NULL;
    DragomanError error;
    Err err = { "" };

    if (!folder) {
        folder = fuzz_folder_new();
        require(setenv("XDG_CONFIG_HOME", folder, 1) == 0 && setenv("HOME", folder, 1) == 0, "memory", folder);
        path = fuzz_folder_path(folder, "dragoman");
        require(mkdir(path, 0700) == 0, "a folder", path);
        free(path);
        path = fuzz_folder_path(folder, "dragoman/config");
    }
    fuzz_folder_write(folder, "dragoman/config", data, size);
    if (dragoman_hub_open(&hub, NULL, &error) == DRAGOMAN_OK) {
        check_setting(hub, "threads", path);
        check_setting(hub, "precision", path);
        if (dragoman_hub_choose(hub, NULL, 0, NULL, NULL, &choice, &error) == DRAGOMAN_OK)
            require(*choice->paths[0], "a model", "not empty");
    } else {
        require(error.status == DRAGOMAN_ERROR_USAGE, "an error of usage", error.message);
        (void)err_set(&err, ERR_USAGE, "%s", error.message);
        require_message(&err, path);
    }
    dragoman_choice_free(choice);
    dragoman_hub_close(hub);
    return 0;
}
