/* user_config.c - reads the user's configuration: see hub.h. A value that begins with neither '/', '~' nor '.' is a
 * path relative to the folder of the file if it exists there; otherwise it is a name. */
#include "hub.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model_places.h"
#include "path.h"
#include "text.h"

#define SPACE        " \t\r"
#define MOST_ALIASES 200 /* the search for cycles takes the cube of the number */

/* A line and its place, for messages. */
typedef struct {
    const char *file;
    size_t number;
    const char *name, *value;
} ConfigLine;

/* Ends the text at the last character that is not a space, and returns its first such character. */
static char *trim(char *text)
{
    size_t len;

    text += strspn(text, SPACE);
    len = strlen(text);
    while (len && strchr(SPACE, text[len - 1])) len--;
    text[len] = '\0';
    return text;
}

/* Makes a value an absolute path, unless it is a name. */
static Status resolve(char **out, const ConfigLine *line, Err *err)
{
    char *folder = path_folder(line->file), *beside = folder ? path_join(folder, line->value) : NULL;

    *out = NULL;
    free(folder);
    if (!beside) return err_memory(err, "a path");
    if (strchr("/~", *line->value)) {
        *out = model_places_expand(line->value);
    } else if (*line->value == '.' || path_exists(beside)) {
        *out = beside;
        beside = NULL;
    } else {
        *out = strdup(line->value);
    }
    free(beside);
    if (*out && strchr(*out, ',') && !path_exists(*out))
        return err_set(err, ERR_USAGE, "%s:%zu: %s: a value is one model; use " SETTING(MODEL) " for an ensemble",
                       line->file, line->number, line->value);
    if (*out) return OK;
    if (errno == ENOMEM) return err_memory(err, "a path");
    return err_set(err, ERR_USAGE, "%s:%zu: %s: the home folder is not known: set HOME, or give a full path",
                   line->file, line->number, line->value);
}

/* Paths and the forms of other names cannot be aliases. */
static bool is_alias_name(const char *name)
{
    if (!*name || *name == '-' || *name == '.' || strlen(name) > 100) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("-_.", *name)) return false;
    return true;
}

static Status add_alias(UserConfig *out, const ConfigLine *line, const char *name, Err *err)
{
    ModelAlias alias = { .line = line->number };
    Status st;

    if (!is_alias_name(name))
        return err_set(err, ERR_USAGE,
                       "%s:%zu: alias '%s': use letters, digits, '-', '_' and '.', as in 'alias fr = PATH'", line->file,
                       line->number, name);
    if (user_config_alias(out, name))
        return err_set(err, ERR_USAGE, "%s:%zu: alias '%s' is already defined", line->file, line->number, name);
    if (out->alias_count == MOST_ALIASES)
        return err_set(err, ERR_USAGE, "%s:%zu: more than %d aliases", line->file, line->number, MOST_ALIASES);
    st = buf_grow_list(&out->aliases, &out->alias_cap, out->alias_count, 1, sizeof *out->aliases, "aliases", err);
    if (st == OK) st = resolve(&alias.path, line, err);
    if (st == OK && !(alias.name = strdup(name))) st = err_memory(err, "aliases");
    if (st == OK)
        out->aliases[out->alias_count++] = alias;
    else
        free(alias.path);
    return st;
}

static Status set_value(UserConfig *out, const ConfigLine *line, Err *err)
{
    const bool is_model = strcmp(line->name, "model") == 0, is_threads = strcmp(line->name, "threads") == 0;
    ConfigSetting *setting = is_threads ? &out->threads : &out->precision;
    Buf place = { 0 };

    if (!is_model && !is_threads && strcmp(line->name, "precision") != 0)
        return err_set(err, ERR_USAGE, "%s:%zu: unknown setting '%s': use model, threads, precision or 'alias NAME'",
                       line->file, line->number, line->name);
    if (is_model ? out->model != NULL : setting->value != NULL)
        return err_set(err, ERR_USAGE, "%s:%zu: %s is set twice", line->file, line->number, line->name);
    if (is_model) return resolve(&out->model, line, err);
    buf_put_format(&place, "%s:%zu", line->file, line->number);
    setting->place = place.data;
    setting->value = strdup(line->value);
    return setting->value ? buf_check(&place, err) : err_memory(err, "the configuration");
}

/* Reads the lines, which end with a NUL each afterwards. */
static Status read_lines(UserConfig *out, const char *file, char *text, Err *err)
{
    ConfigLine line = { .file = file };
    Status st = OK;

    for (char *next; st == OK && *text; text = next) {
        char *equals, *name, *end = text + strcspn(text, "\n");

        next = *end ? end + 1 : end;
        *end = '\0';
        line.number++;
        text = trim(text);
        if (!*text || *text == '#') continue;
        equals = strchr(text, '=');
        if (!equals) return err_set(err, ERR_USAGE, "%s:%zu: '%s': use NAME = VALUE", file, line.number, text);
        *equals = '\0';
        line.name = name = trim(text);
        line.value = trim(equals + 1);
        if (!*line.value)
            st = err_set(err, ERR_USAGE, "%s:%zu: %s: the value is missing", file, line.number, name);
        else if (text_begins_with(name, "alias") && (!name[5] || strchr(SPACE, name[5])))
            st = add_alias(out, &line, trim(name + 5), err);
        else
            st = set_value(out, &line, err);
    }
    return st;
}

/* Returns ERR_USAGE if an alias leads back to itself. */
static Status check_cycles(const UserConfig *config, const char *file, Err *err)
{
    for (size_t i = 0; i < config->alias_count; i++) {
        const char *name = config->aliases[i].path;
        for (size_t steps = 0; name && (name = user_config_alias(config, name)); steps++)
            if (steps > config->alias_count)
                return err_set(err, ERR_USAGE, "%s:%zu: alias '%s' refers to itself", file, config->aliases[i].line,
                               config->aliases[i].name);
    }
    return OK;
}

Status user_config_read(UserConfig *out, Err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors write it */
    Buf text = { 0 };
    struct stat info;
    char *file = model_places_configuration();
    Status st;

    out->file = file;
    if (!file) return errno == ENOMEM ? err_memory(err, "a path") : OK;
    if (stat(file, &info) != 0) {
        /* A home folder that may not be entered, as in a process of another user, has no configuration. */
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return OK;
        return err_set(err, ERR_IO, "%s: %s", file, strerror(errno));
    }
    st = small_file_read(&text, file, err);
    if (st == OK && text.len && memchr(text.data, '\0', text.len))
        st = err_set(err, ERR_USAGE, "%s: has a NUL byte; it must be text", file);
    if (st == OK && text.len)
        st = read_lines(out, file, text.data + (text_begins_with(text.data, byte_order_mark) ? 3 : 0), err);
    if (st == OK) st = check_cycles(out, file, err);
    buf_free(&text);
    return st == ERR_FORMAT ? ERR_USAGE : st;
}

void user_config_free(UserConfig *config)
{
    for (size_t i = 0; i < config->alias_count; i++) {
        free(config->aliases[i].name);
        free(config->aliases[i].path);
    }
    free(config->aliases);
    free(config->model);
    free(config->threads.value);
    free(config->threads.place);
    free(config->precision.value);
    free(config->precision.place);
    free(config->file);
}

const char *user_config_alias(const UserConfig *config, const char *name)
{
    for (size_t i = 0; i < config->alias_count; i++)
        if (strcmp(config->aliases[i].name, name) == 0) return config->aliases[i].path;
    return NULL;
}

bool user_config_is_path(const char *value)
{
    return *value == '/';
}
