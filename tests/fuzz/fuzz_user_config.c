/* fuzz_user_config.c - fuzzes the reader of the user's configuration.
 * Input    The file.
 * Checks   A configuration is refused with one line that begins with its path and is an error of usage, or its settings
 *          have values and places, and following aliases ends.
 * Options  -max_len=2000 */
#include "fuzz_support.h"

#include <sys/stat.h>

#include "fuzz_folder.h"
#include "hub.h"

static void check_aliases(const UserConfig *config)
{
    for (size_t i = 0; i < config->alias_count; i++) {
        const ModelAlias *alias = &config->aliases[i];
        const char *path = user_config_alias(config, alias->name);
        size_t steps = 0;
        require(path == alias->path && *path && alias->line > 0, "an alias", alias->name);
        for (; path; path = user_config_alias(config, path))
            require(steps++ <= config->alias_count, "the end of aliases", alias->name);
    }
}

static void check_setting(const ConfigSetting *setting, const char *file)
{
    if (!setting->value) return;
    require(*setting->value, "a value", setting->place);
    require(strncmp(setting->place, file, strlen(file)) == 0, "the place of a value", setting->place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder, *path;
    UserConfig config = { .file = NULL };
    Err err = { "" };
    Status st;

    if (!folder) {
        folder = fuzz_folder_new();
        require(setenv("XDG_CONFIG_HOME", folder, 1) == 0 && setenv("HOME", folder, 1) == 0, "memory", folder);
        path = fuzz_folder_path(folder, "dragoman");
        require(mkdir(path, 0700) == 0, "a folder", path);
        free(path);
        path = fuzz_folder_path(folder, "dragoman/config");
    }
    fuzz_folder_write(folder, "dragoman/config", data, size);
    st = user_config_read(&config, &err);
    if (st == OK) {
        check_aliases(&config);
        check_setting(&config.settings[CONFIG_THREADS], path);
        check_setting(&config.settings[CONFIG_PRECISION], path);
        require(!config.settings[CONFIG_MODEL].value || *config.settings[CONFIG_MODEL].value, "a model", "not empty");
    } else {
        require(st == ERR_USAGE, "an error of usage", err.text);
        require_message(&err, path);
    }
    user_config_free(&config);
    return 0;
}
