/* hub.c - models by name and by languages: see dragoman_hub.h and docs/names.md. The parts, in this order: the user's
 * configuration, the list of models (a listing of folders: no model is opened), names, routes, the models of a
 * translation, and the functions that open, ask and close a hub.
 *
 * Opening the vocabulary of a model takes some milliseconds, so most bilingual models are ruled out by a quick outline.
 * It reads the keys that convert_marian.py of transformers writes to tokenizer_config.json, and those of Argos
 * Translate's metadata.json. Before a model is chosen, its full outline confirms that it has the languages and no
 * fault. */
#define _GNU_SOURCE /* dladdr() */
#include "dragoman_hub.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "buf.h"
#include "chars.h"
#include "err.h"
#include "json.h"
#include "language.h"
#include "model_folder.h"
#include "model_languages.h"
#include "model_places.h"
#include "nearest.h"
#include "option_fields.h"
#include "outline.h"
#include "path.h"
#include "public_status.h"
#include "text.h"

#define PIVOT_LANGUAGE "en"
#define DEFAULT_FILE   "en-de.safetensors"
#define OWN_FOLDERS    2

typedef struct {
    char *name;
    char *path;  /* an absolute path, or the name of a model or of an alias */
    size_t line; /* in the file */
} ModelAlias;

typedef struct {
    char *value; /* NULL: not set. For `model`: an absolute path, or the name of a model or of an alias */
    char *place; /* FILE:LINE; NULL for the model */
} ConfigSetting;

enum { CONFIG_MODEL, CONFIG_THREADS, CONFIG_PRECISION, CONFIG_SETTINGS };

/* The user's configuration file: lines "NAME = VALUE" with the settings model, threads and precision, and lines "alias
 * NAME = PATH". Empty lines and lines that begin with # are ignored. */
typedef struct {
    char *file; /* path of the file; NULL: not known, or not read */
    ConfigSetting settings[CONFIG_SETTINGS];
    ModelAlias *aliases;
    size_t alias_count, alias_cap;
} UserConfig;

/* The outlines of the model with the same index in the list; NULL: not read yet. */
typedef struct {
    DragomanOutline *quick, *full;
} KnownModel;

struct DragomanHub {
    UserConfig config;
    char *own[OWN_FOLDERS]; /* the folders of the models that came with dragoman; NULL: not known */
    DragomanModel *models;  /* [count], as dragoman_hub_models() says; their texts are allocated */
    KnownModel *known;      /* [count] */
    size_t count, cap;
    bool is_read; /* the list is complete */
    Spelling spelling;
};

/* --- The user's configuration. A value that begins with neither '/', '~' nor '.' is a path relative to the folder
 * of the file if it exists there; otherwise it is a name. --- */

#define MOST_ALIASES 200 /* the time of the search for cycles grows with the cube of this number */

static const char *const setting_names[CONFIG_SETTINGS] = { "model", "threads", "precision" };

/* A line of the configuration, with its place for messages. */
typedef struct {
    const char *file;
    size_t number;
    const char *name, *value;
} ConfigLine;

/* Sets *out to the value, as an absolute path if it is a path. */
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

/* The path or name that an alias stands for; NULL if there is no such alias. The configuration owns it. */
static const char *find_alias(const UserConfig *config, const char *name)
{
    for (size_t i = 0; i < config->alias_count; i++)
        if (strcmp(config->aliases[i].name, name) == 0) return config->aliases[i].path;
    return NULL;
}

static Status add_alias(UserConfig *out, const ConfigLine *line, const char *name, Err *err)
{
    ModelAlias alias = { .line = line->number };
    bool is_name = *name && *name != '-' && *name != '.' && strlen(name) <= 100;
    Status st;

    /* An alias cannot look like a path, such as ./x, or another kind of name, such as ORG/NAME and argos:FROM-TO. */
    for (const char *c = name; is_name && *c; c++) is_name = isalnum((unsigned char)*c) || strchr("-_.", *c);
    if (!is_name)
        return err_set(err, ERR_USAGE,
                       "%s:%zu: alias '%s': use letters, digits, '-', '_' and '.', as in 'alias fr = PATH'", line->file,
                       line->number, name);
    if (find_alias(out, name))
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
    ConfigSetting *setting = NULL;
    Buf place = { 0 };

    for (size_t i = 0; i < CONFIG_SETTINGS; i++)
        if (strcmp(line->name, setting_names[i]) == 0) setting = &out->settings[i];
    if (!setting)
        return err_set(err, ERR_USAGE, "%s:%zu: unknown setting '%s': use model, threads, precision or 'alias NAME'",
                       line->file, line->number, line->name);
    if (setting->value) return err_set(err, ERR_USAGE, "%s:%zu: %s is set twice", line->file, line->number, line->name);
    if (setting == &out->settings[CONFIG_MODEL]) return resolve(&setting->value, line, err);
    buf_put_format(&place, "%s:%zu", line->file, line->number);
    setting->place = place.data;
    setting->value = strdup(line->value);
    return setting->value ? buf_check(&place, err) : err_memory(err, "the configuration");
}

/* Reads the lines. Replaces the end of each line by a NUL. */
static Status read_lines(UserConfig *out, const char *file, char *text, Err *err)
{
    ConfigLine line = { .file = file };
    Status st = OK;

    for (char *next; st == OK && *text; text = next) {
        char *equals, *name, *end = text + strcspn(text, "\n");

        next = *end ? end + 1 : end;
        *end = '\0';
        line.number++;
        text = text_trim(text);
        if (!*text || *text == '#') continue;
        equals = strchr(text, '=');
        if (!equals) return err_set(err, ERR_USAGE, "%s:%zu: '%s': use NAME = VALUE", file, line.number, text);
        *equals = '\0';
        line.name = name = text_trim(text);
        line.value = text_trim(equals + 1);
        if (!*line.value)
            st = err_set(err, ERR_USAGE, "%s:%zu: %s: the value is missing", file, line.number, name);
        else if (text_begins_with(name, "alias") && (!name[5] || char_is_blank(name[5])))
            st = add_alias(out, &line, text_trim(name + 5), err);
        else
            st = set_value(out, &line, err);
    }
    return st;
}

/* Reads the configuration into *out, which is {0}. A file that does not exist is an empty configuration. Any fault is
 * ERR_USAGE; the message names file and line. */
static Status read_configuration(UserConfig *out, Err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors write it */
    Buf text = { 0 };
    struct stat info;
    char *file = model_places_configuration();
    Status st;

    out->file = file;
    if (!file) return errno == ENOMEM ? err_memory(err, "a path") : OK;
    if (stat(file, &info) != 0) {
        /* No permission, as for a process of another user, also means that there is no configuration. */
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return OK;
        return err_set(err, ERR_IO, "%s: %s", file, strerror(errno));
    }
    st = small_file_read(&text, file, false, err);
    if (st == OK && text.len && memchr(text.data, '\0', text.len))
        st = err_set(err, ERR_USAGE, "%s: has a NUL byte; it must be text", file);
    if (st == OK && text.len)
        st = read_lines(out, file, text.data + (text_begins_with(text.data, byte_order_mark) ? 3 : 0), err);
    buf_free(&text);

    /* An alias must not lead back to itself. */
    for (size_t i = 0; st == OK && i < out->alias_count; i++) {
        const char *name = out->aliases[i].path;
        for (size_t steps = 0; st == OK && name && (name = find_alias(out, name)); steps++)
            if (steps > out->alias_count)
                st = err_set(err, ERR_USAGE, "%s:%zu: alias '%s' refers to itself", file, out->aliases[i].line,
                             out->aliases[i].name);
    }
    return st == ERR_FORMAT ? ERR_USAGE : st;
}

static void free_configuration(UserConfig *config)
{
    for (size_t i = 0; i < config->alias_count; i++) {
        free(config->aliases[i].name);
        free(config->aliases[i].path);
    }
    free(config->aliases);
    for (size_t i = 0; i < CONFIG_SETTINGS; i++) {
        free(config->settings[i].value);
        free(config->settings[i].place);
    }
    free(config->file);
}

/* Whether a value, of `model` or of an alias, is an absolute path; otherwise it is the name of a model or an alias. */
static bool is_path(const char *value)
{
    return *value == '/';
}

/* --- The list of models --- */

/* The name of each place, and the function that returns its folder; NULL: the place has no single folder. */
static const struct {
    const char *name;
    char *(*folder)(void);
} places[] = {
    [DRAGOMAN_PLACE_ALIAS] = { "alias", NULL },
    [DRAGOMAN_PLACE_OWN] = { "dragoman", model_places_dragoman },
    [DRAGOMAN_PLACE_PROGRAM] = { "embedded", NULL },
    [DRAGOMAN_PLACE_HUGGING_FACE] = { "Hugging Face", model_places_hub },
    [DRAGOMAN_PLACE_ARGOS] = { "Argos Translate", model_places_argos },
    [DRAGOMAN_PLACE_FIREFOX] = { "Firefox", model_places_firefox },
    [DRAGOMAN_PLACE_TRANSLATE_LOCALLY] = { "translateLocally", model_places_translate_locally },
};

const char *dragoman_place_name(DragomanPlace place)
{
    return places[place].name;
}

/* An entry of a folder, to be added to the list if it is a model. */
typedef struct {
    DragomanHub *out;
    DragomanPlace place;
    const char *name, *path;
} Entry;

static void free_model(DragomanModel *model)
{
    free((char *)model->name);
    free((char *)model->group);
    free((char *)model->path);
    free((char *)model->version);
}

/* Adds a model of this name; `group` and `version` may be NULL. Skips a name that DRAGOMAN_MODEL could not have: commas
 * separate the models of an ensemble, and some first characters mark paths and options. */
static Status add(const Entry *entry, const char *name, const char *group, const char *version, Err *err)
{
    const bool is_usable = *name && !strchr("~/.-@", *name) && !strchr(name, ',');
    DragomanHub *out = entry->out;
    DragomanModel model = { .name = strdup(name),
                            .group = group ? strdup(group) : NULL,
                            .version = version ? strdup(version) : NULL,
                            .path = strdup(entry->path),
                            .place = entry->place };
    const bool complete = model.name && model.path && !model.group == !group && !model.version == !version;
    Status st = complete ? OK : err_memory(err, "the list of models");

    if (st == OK) st = buf_grow_list(&out->models, &out->cap, out->count, 1, sizeof model, "the list of models", err);
    if (st == OK && is_usable)
        out->models[out->count++] = model;
    else
        free_model(&model);
    return st;
}

/* Reads an object from a JSON file in the folder. *out is NULL if there is no such file, or if it is not JSON. */
static Status read_object(cJSON **out, const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Buf text = { 0 };
    Status st = path ? small_file_read(&text, path, true, err) : err_memory(err, "a path");

    *out = NULL;
    if (st == OK && text.len) st = json_parse(out, text.data, text.len, path, err);
    if (st != OK) *out = NULL;
    buf_free(&text);
    free(path);
    return st == ERR_MEMORY || st == ERR_IO ? st : OK;
}

/* Returns the string `key` of the object if it can be a part of a model's name, else NULL. */
static const char *name_in(const cJSON *tree, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(tree, key);
    const char *text = cJSON_IsString(node) ? node->valuestring : "";

    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) return NULL;
    return *text && strlen(text) <= 100 ? text : NULL;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;

    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* If the entry is a file with a model, appends the name of the model: the file name without its ending. Appends nothing
 * if a model that came with the program has this name and comes first, or is this file: below ~/.local, the program is
 * installed into the user's folder. */
static void put_file_name(const Entry *entry, Buf *name)
{
    static const char *const endings[] = { ".safetensors", ".argosmodel" };
    const bool is_program = entry->place == DRAGOMAN_PLACE_PROGRAM;
    size_t len = strlen(entry->name);

    if (text_ends_with(entry->name, endings[0]))
        len -= strlen(endings[0]);
    else if (!is_program && text_ends_with(entry->name, endings[1]))
        len -= strlen(endings[1]);
    else
        return;
    for (size_t i = 0; i < entry->out->count; i++) {
        const DragomanModel *model = &entry->out->models[i];
        if (model->place == DRAGOMAN_PLACE_PROGRAM && strlen(model->name) == len &&
            strncmp(model->name, entry->name, len) == 0 && (is_program || is_same_file(model->path, entry->path)))
            return;
    }
    buf_put(name, entry->name, len);
}

/* Adds the entry to the list if it is a model in the form that its place has. */
static Status add_entry(const Entry *entry, Err *err)
{
    const DragomanPlace place = entry->place;
    const bool is_argos = place == DRAGOMAN_PLACE_ARGOS, is_local = place == DRAGOMAN_PLACE_TRANSLATE_LOCALLY;
    const char *version = NULL;
    bool is_directory = false;
    cJSON *tree = NULL;
    Buf name = { 0 }, group = { 0 };
    Status st;

    if (place == DRAGOMAN_PLACE_HUGGING_FACE && !text_begins_with(entry->name, "models--")) return OK;
    st = is_argos || is_local ? read_object(&tree, entry->path, is_argos ? "metadata.json" : "model_info.json", err)
                              : path_find_directory(&is_directory, entry->path, err);
    if (st == OK && is_argos) {
        const char *from = name_in(tree, "from_code"), *to = name_in(tree, "to_code");
        version = name_in(tree, "package_version");
        if (from && to && path_has(entry->path, "model")) buf_put_format(&name, "argos:%s-%s", from, to);
        if (name.len) buf_put_text(&group, name.data);
    } else if (st == OK && is_local) { /* shortName begins with a pair of languages, as fr-en-tiny does */
        const char *model = name_in(tree, "shortName"), *second = model ? strchr(model, '-') : NULL;
        if (second) buf_put_format(&name, "firefox:%s", model);
        if (second)
            buf_put_format(&group, "firefox:%.*s", (int)(second - model + 1 + (long)strcspn(second + 1, "-")), model);
    } else if (st == OK && place == DRAGOMAN_PLACE_FIREFOX) {
        if (is_directory) buf_put_format(&name, "firefox:%s", entry->name);
        if (name.len) buf_put_text(&group, name.data);
    } else if (st == OK && place == DRAGOMAN_PLACE_HUGGING_FACE) { /* models--ORG--NAME is ORG/NAME */
        const char *model = entry->name + strlen("models--"), *rest = strstr(model, "--");
        /* A folder without snapshots is an unfinished download. */
        if (is_directory && path_has(entry->path, "snapshots")) {
            buf_put(&name, model, rest ? (size_t)(rest - model) : strlen(model));
            if (rest) buf_put_format(&name, "/%s", rest + 2);
            if (name.len && !model_places_is_hub_name(name.data)) buf_clear(&name);
        }
    } else if (st == OK && is_directory) {
        if (place == DRAGOMAN_PLACE_OWN && strcmp(entry->name, "firefox") != 0) buf_put_text(&name, entry->name);
    } else if (st == OK) {
        put_file_name(entry, &name);
    }
    if (st == OK) st = buf_check(&name, err);
    if (st == OK) st = buf_check(&group, err);
    if (st == OK && name.len) st = add(entry, name.data, group.data, version, err);
    buf_free(&name);
    buf_free(&group);
    cJSON_Delete(tree);
    return st;
}

/* Adds the models in the folder. Skips names that begin with a dot (temporary) or have control characters. */
static Status read_folder(DragomanHub *out, DragomanPlace place, const char *folder, Err *err)
{
    DIR *dir = opendir(folder);
    const char *name;
    Status st = OK;

    if (!dir && !path_fault_is_out_of_reach(errno)) st = path_fault_report(folder, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        const char *c = name;
        char *path;
        while ((unsigned char)*c >= ' ' && *c != 0x7f) c++;
        if (*name == '.' || *c) continue;
        path = path_join(folder, name);
        st = path ? add_entry(&(Entry){ out, place, name, path }, err) : err_memory(err, "a path");
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

static int compare_versions(const DragomanModel *a, const DragomanModel *b)
{
    return text_compare_versions(a->version ? a->version : "", b->version ? b->version : "");
}

static int compare(const void *a, const void *b)
{
    const DragomanModel *x = a, *y = b;
    int order = (x->place > y->place) - (x->place < y->place);

    if (!order) order = strcmp(x->name, y->name);
    if (!order) order = compare_versions(y, x);
    return order ? order : strcmp(x->path, y->path);
}

static void free_models(DragomanHub *hub)
{
    for (size_t i = 0; i < hub->count; i++) {
        free_model(&hub->models[i]);
        if (hub->known) dragoman_outline_free(hub->known[i].quick);
        if (hub->known) dragoman_outline_free(hub->known[i].full);
    }
    free(hub->models);
    free(hub->known);
    hub->models = NULL;
    hub->known = NULL;
    hub->count = hub->cap = 0;
}

/* Reads the list of models, unless it has been read. */
static Status read_models(DragomanHub *hub, Err *err)
{
    const UserConfig *config = &hub->config;
    size_t kept = 0;
    Status st = OK;

    if (hub->is_read) return OK;
    free_models(hub); /* left by a call that failed */

    /* Only aliases for paths are added: a model with an alias for its name is already in the list. */
    for (size_t i = 0; st == OK && i < config->alias_count; i++) {
        const ModelAlias *alias = &config->aliases[i];
        const Entry entry = { hub, DRAGOMAN_PLACE_ALIAS, alias->name, alias->path };
        if (is_path(alias->path) && path_exists(alias->path)) st = add(&entry, alias->name, NULL, NULL, err);
    }
    for (size_t i = 0; st == OK && i < OWN_FOLDERS && hub->own[i]; i++)
        st = read_folder(hub, DRAGOMAN_PLACE_PROGRAM, hub->own[i], err);
    for (DragomanPlace place = 0; st == OK && place < sizeof places / sizeof *places; place++) {
        char *folder;
        if (!places[place].folder) continue;
        folder = places[place].folder(); /* NULL: the folder is not known (model_places.h), so there are no models */
        if (folder)
            st = read_folder(hub, place, folder, err);
        else if (errno == ENOMEM)
            st = err_memory(err, "a path");
        free(folder);
    }
    if (st != OK) return st;
    if (hub->count) qsort(hub->models, hub->count, sizeof *hub->models, compare);

    /* When Argos Translate or dragoman get installs a newer package, the older one stays on the disk. Only the newest
     * one stays in the list. */
    for (size_t i = 0; i < hub->count; i++) {
        DragomanModel *model = &hub->models[i], *last = kept ? &hub->models[kept - 1] : NULL;
        if (last && last->place == model->place && strcmp(last->name, model->name) == 0 &&
            compare_versions(last, model) > 0)
            free_model(model);
        else
            hub->models[kept++] = *model;
    }
    hub->count = kept;
    hub->known = calloc(hub->count + 1, sizeof *hub->known);
    if (!hub->known) return err_memory(err, "the models");
    hub->is_read = true;
    return OK;
}

#define NAME_ROOM 256 /* more than the names on huggingface.co may have */

/* Returns the '@' between the name of a model of the hub and its revision; NULL: there is no revision. */
static const char *find_at(const char *name)
{
    const char *at = strchr(name, '@');
    char base[NAME_ROOM];

    if (!at || !at[1] || (size_t)(at - name) >= sizeof base) return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(at - name), name);
    return model_places_is_hub_name(base) ? at : NULL;
}

/* --- Names in the list of models ------------------------------------------------ */

static Status copy_path(char **out, const char *path, Err *err)
{
    *out = strdup(path);
    return *out ? OK : err_memory(err, "a path");
}

/* How many of these searches find_in_list() tries: for an equal name, for a name that differs only in case, and for
 * ORG/NAME if NAME is given. */
enum { EQUAL_NAMES = 1, ALL_NAMES = 3 };

/* Finds the model with this name in the first place that has one, or ORG/NAME@REVISION in the cache of Hugging Face;
 * *out is NULL if there is none. */
static Status find_in_list(char **out, DragomanHub *hub, const char *name, size_t passes, Err *err)
{
    const char *at = find_at(name);
    const DragomanModel *found = NULL;
    bool several = false;
    Buf paths = { 0 };
    Status st = read_models(hub, err);

    *out = NULL;
    for (size_t pass = 0; st == OK && !found && pass < passes; pass++) {
        int (*const differ)(const char *, const char *) = pass ? strcasecmp : strcmp;
        for (size_t i = 0; i < hub->count; i++) {
            const DragomanModel *model = &hub->models[i];
            if (found && model->place != found->place) break;
            const char *own = pass == 2 ? path_name(model->name) : model->name;
            if (differ(own, name) && (!model->group || differ(model->group, name))) continue;
            buf_put_format(&paths, "%s%s", found ? ", " : "", model->path);
            several = found != NULL;
            found = model;
        }
    }
    if (st == OK) st = buf_check(&paths, err);
    if (st == OK && several)
        st = err_set(err, ERR_USAGE, "%s: several models have this name: give the path of one: %s", name, paths.data);
    if (st == OK && found) st = copy_path(out, found->path, err);
    buf_free(&paths);
    for (size_t i = 0; at && st == OK && !*out && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        const size_t len = (size_t)(at - name);
        if (model->place == DRAGOMAN_PLACE_HUGGING_FACE && strlen(model->name) == len &&
            memcmp(model->name, name, len) == 0)
            st = model_snapshot_of_revision(out, model->path, at + 1, err);
    }
    return st;
}

/* --- The meaning of a name ------------------------------------------------------- */

/* Whether the text has the form of a name that 'dragoman get' downloads. */
static bool can_be_downloaded(const char *name)
{
    const char *at = find_at(name);

    if (text_begins_with(name, "argos:") || text_begins_with(name, "firefox:"))
        return strchr(name, '-') && !strpbrk(name, "/,. ");
    return strchr(name, '/') && (at || model_places_is_hub_name(name));
}

/* Sets *out to the ORG/NAME of a model that can be downloaded, for its NAME; to NULL if there is none. The caller frees
 * it. */
static Status find_download(char **out, const char *name, Err *err)
{
    DragomanCatalog *catalog = NULL;
    const DragomanOffer *offers = NULL;
    size_t count = 0;
    DragomanError error;
    Status st = public_status(dragoman_catalog_open(&catalog, false, &error), &error, err);

    *out = NULL;
    if (st == OK) st = public_status(dragoman_catalog_find(catalog, NULL, NULL, &offers, &count, &error), &error, err);
    for (size_t i = 0; i < count && !*out; i++)
        if (strcasecmp(path_name(offers[i].name), name) == 0) *out = strdup(offers[i].name);
    dragoman_catalog_close(catalog);
    return st;
}

/* Reports that no model has the name. `is_configured`: the name is in the configuration file, where it never stands for
 * a file of the working folder. A pair of languages is a name that a model could have, so a model of this pair is
 * suggested for it, and never a model with a similar name. */
static Status report_unknown(DragomanHub *hub, const char *name, bool is_configured, Err *err)
{
    const char *where = is_configured ? " (in the configuration)" : "";
    const char *missing = is_configured ? "no such model" : "no such folder, file or model";
    const char *meant = NULL;
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE], *suggestion = NULL, *download = NULL;
    const bool is_pair = dragoman_split_pair(name, from, to);
    Nearest nearest = { .name = NULL };
    DragomanRoute route = { .count = 0 };
    DragomanError error;
    Status st = OK;

    for (size_t i = 0; i < hub->count; i++) nearest_add(&nearest, name, strlen(name), hub->models[i].name);
    for (size_t i = 0; i < hub->config.alias_count; i++)
        nearest_add(&nearest, name, strlen(name), hub->config.aliases[i].name);
    if (is_pair) {
        st = public_status(dragoman_hub_route(hub, from, to, &route, &error), &error, err);
        if (st == OK && route.count == 1) meant = route.models[0]->name;
        if (st == OK && !meant)
            st = public_status(dragoman_catalog_suggest(NULL, from, to, &suggestion, &error), &error, err);
    } else if (nearest.name && nearest.distance == 1) {
        meant = nearest.name;
    }
    if (st == OK && !meant && !suggestion) st = find_download(&download, name, err);
    if (st != OK) {
        /* The message is there. */
    } else if (meant)
        st = err_set(err, ERR_IO, "%s%s: %s (did you mean %s?)", name, where, missing, meant);
    else if (download || can_be_downloaded(name))
        st = err_set(err, ERR_IO, "%s%s: %sno such model on this machine; 'dragoman get %s' downloads it", name, where,
                     is_configured ? "" : "no such folder, and ", download ? download : name);
    else
        st = err_set(err, ERR_IO, "%s%s: %s; %s", name, where, missing,
                     suggestion ? suggestion : "'dragoman models' lists the models on this machine");
    dragoman_free_text(suggestion);
    free(download);
    return st;
}

/* Finds the model for a value of the configuration: an absolute path, an alias or a name. The value never stands for a
 * file of the working folder. */
static Status find_configured(DragomanHub *hub, const char *value, char **out, Err *err)
{
    const char *meant;
    Status st;

    while (!is_path(value) && (meant = find_alias(&hub->config, value))) value = meant;
    if (is_path(value)) return copy_path(out, value, err);
    st = find_in_list(out, hub, value, ALL_NAMES, err);
    return st == OK && !*out ? report_unknown(hub, value, true, err) : st;
}

/* Finds the model of one name. An alias comes before the models; but a model with this very name comes before an alias
 * that differs in case. */
static Status find_one(char **out, DragomanHub *hub, const char *name, Err *err)
{
    const char *slash = strchr(name, '/');
    char *first;
    bool in_folder = false;
    Status st;

    *out = NULL;
    if (path_exists(name)) return copy_path(out, name, err);
    if (find_alias(&hub->config, name)) return find_configured(hub, name, out, err);
    if (!*name || strchr("/.~", *name) || (slash && !can_be_downloaded(name))) return copy_path(out, name, err);
    st = find_in_list(out, hub, name, EQUAL_NAMES, err);
    for (size_t i = 0; st == OK && !*out && i < hub->config.alias_count; i++)
        if (strcasecmp(hub->config.aliases[i].name, name) == 0)
            return find_configured(hub, hub->config.aliases[i].name, out, err);
    if (st == OK && !*out) st = find_in_list(out, hub, name, ALL_NAMES, err);
    if (st != OK || *out) return st;
    if (slash) {
        first = strndup(name, (size_t)(slash - name));
        if (!first) return err_memory(err, "a path");
        in_folder = path_exists(first);
        free(first);
    }
    /* If NAME/... begins with an existing folder, it is a path; opening it then reports the error. */
    return in_folder ? copy_path(out, name, err) : report_unknown(hub, name, false, err);
}

/* If *path is the folder of an adapter that names its base by a name, and not by a path, replaces it by
 * BASE+ADAPTER. */
static Status add_base(DragomanHub *hub, char **path, Err *err)
{
    char *name, *base = NULL, *both;
    Buf text = { 0 };
    Status st = model_folder_missing_base(&name, *path, err);

    if (st != OK || !name) return st;
    if (can_be_downloaded(name) || !strchr(name, '/')) st = find_in_list(&base, hub, name, ALL_NAMES, err);
    if (st == OK && !base)
        st = err_set(err, ERR_IO,
                     "%s: the base model %.200s of this adapter is not on this machine%s%.200s%s, or give another "
                     "folder of it: BASE+%s",
                     *path, name, can_be_downloaded(name) ? "; 'dragoman get " : ": find it",
                     can_be_downloaded(name) ? name : "", can_be_downloaded(name) ? "' downloads it" : "", *path);
    if (st == OK) {
        buf_put_format(&text, "%s+%s", base, *path);
        st = buf_check(&text, err);
    }
    both = text.data;
    free(name);
    free(base);
    if (st != OK) {
        buf_free(&text);
        return st;
    }
    free(*path);
    *path = both;
    return OK;
}

/* Finds the model `name`, which may be BASE+ADAPTER:WEIGHT+... with a name in the place of each path. */
static Status find_with_adapters(char **out, DragomanHub *hub, const char *name, Err *err)
{
    const bool is_one = !strchr(name, '+') || path_exists(name);
    ModelPathPart part;
    Buf paths = { 0 };
    Status st = OK;

    for (const char *at = name; st == OK; at += part.length + 1) {
        char *one, *path = NULL;
        part = is_one ? (ModelPathPart){ strlen(at), strlen(at), 1 } : model_path_part(at);
        one = strndup(at, part.path);
        st = one ? find_one(&path, hub, one, err) : err_memory(err, "a name");
        if (st == OK && at == name) st = add_base(hub, &path, err);
        if (st == OK)
            buf_put_format(&paths, "%s%s%.*s", at == name ? "" : "+", path, (int)(part.length - part.path),
                           at + part.path);
        free(one);
        free(path);
        if (st != OK || !at[part.length]) break;
    }
    if (st == OK) st = buf_check(&paths, err);
    if (st != OK) buf_free(&paths);
    *out = paths.data;
    return st;
}

/* See dragoman_hub_find(). `list` has one name or, separated by commas, several. */
static Status find_models(DragomanHub *hub, const char *list, char **out, Err *err)
{
    Buf paths = { 0 };
    Status st = OK;

    for (const char *at = list; st == OK && at;) {
        const size_t len = path_first(at);
        char *name = strndup(at, len), *path = NULL;
        st = name ? find_with_adapters(&path, hub, name, err) : err_memory(err, "a name");
        if (st == OK) buf_put_format(&paths, "%s%s", at == list ? "" : ",", path);
        free(path);
        free(name);
        at = at[len] ? at + len + 1 : NULL;
    }
    if (st == OK) st = buf_check(&paths, err);
    if (st != OK) buf_free(&paths);
    *out = paths.data;
    return st;
}

/* --- Routes: models by languages --- */

static Status read_outline(DragomanHub *hub, size_t i, bool quick, Err *err)
{
    DragomanOutline **outline = quick ? &hub->known[i].quick : &hub->known[i].full;
    const DragomanModel *model = &hub->models[i];
    char *path = NULL;
    Status st;

    if (*outline) return OK;
    st = copy_path(&path, model->path, err);
    /* If the base of an adapter is missing, this is a fault of the model. */
    if (st == OK && add_base(hub, &path, err) == ERR_MEMORY) st = ERR_MEMORY;
    if (st == OK)
        st = outline_read(outline, path, model->group ? model->group : model->name, quick, hub->spelling, err);
    free(path);
    return st;
}

DragomanStatus dragoman_hub_outline(DragomanHub *hub, const DragomanModel *model, const DragomanOutline **out,
                                    DragomanError *error)
{
    const size_t i = (size_t)(model - hub->models);
    Err err = { "" };
    Status st = read_outline(hub, i, false, &err);

    *out = hub->known[i].full;
    return option_fields_answer(st, &err, hub->spelling, error);
}

const char *dragoman_model_fault(const DragomanModel *model, const DragomanOutline *outline)
{
    const char *fault = dragoman_outline_fault(outline);
    const size_t len = strlen(model->path);

    if (!fault || strncmp(fault, model->path, len) != 0 || !fault[len]) return fault;
    return fault + len + strspn(fault + len, "/: ");
}

/* The codes of a pair of languages; NULL: any language. */
typedef struct {
    const char *from, *to;
    char codes[2][DRAGOMAN_LANGUAGE_CODE];
    bool is_same; /* one language in two spellings, such as German and deu; zh-Hans and zh-Hant are two languages */
} Pair;

static Status set_pair(Pair *out, const char *from, const char *to, Err *err)
{
    char tags[2][DRAGOMAN_LANGUAGE_TAG] = { "", "" };
    DragomanError error;
    Status st = OK;

    out->from = from ? out->codes[0] : NULL;
    out->to = to ? out->codes[1] : NULL;
    if (from) st = outline_language_code(out->codes[0], from, err);
    if (to && st == OK) st = outline_language_code(out->codes[1], to, err);
    if (st != OK || !from || !to) return st;
    st = public_status(dragoman_find_language_tag(out->from, tags[0], &error), &error, err);
    if (st == OK) st = public_status(dragoman_find_language_tag(out->to, tags[1], &error), &error, err);
    out->is_same = st == OK && *tags[0] && strcasecmp(tags[0], tags[1]) == 0;
    return st;
}

/* Sets *out to the full outline of the model if the model translates between the languages, else to NULL. Usually reads
 * the full outline only if the quick one has the pair; with `unsure`, also if the quick one does not rule the pair out:
 * a model may have more target languages, which only its vocabulary tells. */
static Status find_fit(const DragomanOutline **out, DragomanHub *hub, size_t i, const Pair *pair, bool unsure, Err *err)
{
    const DragomanOutline *outline;
    bool fits = false;
    Status st = read_outline(hub, i, true, err);

    *out = NULL;
    outline = hub->known[i].quick;
    if (st != OK || dragoman_outline_fault(outline)) return st;
    st = outline_has_pair(&fits, outline, pair->from, pair->to, err);
    if (st == OK && !fits && unsure) {
        fits = !outline_has_languages(outline);
        if (!fits) st = outline_has_pair(&fits, outline, pair->from, NULL, err);
    }
    if (st == OK && fits) st = read_outline(hub, i, false, err);
    outline = hub->known[i].full;
    if (st != OK || !fits || dragoman_outline_fault(outline)) return st;
    st = outline_has_pair(&fits, outline, pair->from, pair->to, err);
    if (st == OK && fits) *out = outline;
    return st;
}

/* Which models are considered. */
typedef struct {
    bool own;       /* only models that came with dragoman */
    bool bilingual; /* only models with one pair of languages */
    bool unsure;    /* also models whose quick outline does not tell their languages */
} Criteria;

/* The criteria for a single model, in the order in which they are tried. */
static const Criteria order[] = {
    { .own = true, .unsure = true },
    { .bilingual = true },
    { .bilingual = true, .unsure = true },
    { .unsure = true },
};

/* Replaces the path of an adapter that names its base by a name, so that it can be opened. */
static Status complete_path(DragomanHub *hub, const DragomanModel *model, Err *err)
{
    char *path;
    Status st = copy_path(&path, model->path, err);

    if (st == OK) st = add_base(hub, &path, err);
    if (st != OK) {
        free(path);
        return st;
    }
    free((char *)model->path);
    hub->models[model - hub->models].path = path;
    return OK;
}

/* Finds the first model that meets the criteria. If a second one in the same place also does, sets out->other to it. */
static Status find_single(DragomanRoute *out, DragomanHub *hub, const Pair *pair, Criteria criteria, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < hub->count && !out->other; i++) {
        const DragomanModel *model = &hub->models[i];
        const DragomanOutline *full;
        size_t sources, targets;
        if (out->count && model->place != out->models[0]->place) break;
        if (criteria.own && model->place != DRAGOMAN_PLACE_PROGRAM) continue;
        st = find_fit(&full, hub, i, pair, criteria.unsure, err);
        if (st != OK || !full) continue;
        (void)dragoman_outline_sources(full, &sources);
        (void)dragoman_outline_targets(full, &targets);
        if (criteria.bilingual && (sources != 1 || targets != 1)) continue;
        if (out->count)
            out->other = model;
        else
            *out = (DragomanRoute){ .models = { model }, .count = 1 };
    }
    return st == OK && out->count ? complete_path(hub, out->models[0], err) : st;
}

static Status find_first(DragomanRoute *out, DragomanHub *hub, const Pair *pair, Err *err)
{
    Status st = OK;

    *out = (DragomanRoute){ .count = 0 };
    for (size_t i = 0; st == OK && !out->count && i < sizeof order / sizeof *order; i++)
        st = find_single(out, hub, pair, order[i], err);
    return st;
}

static Status find_route(DragomanHub *hub, const char *from, const char *to, DragomanRoute *out, Err *err)
{
    DragomanRoute first = { .count = 0 }, second = { .count = 0 };
    Pair pair = { .from = NULL };
    Status st = read_models(hub, err);

    *out = (DragomanRoute){ .count = 0 };
    if (st == OK) st = set_pair(&pair, from, to, err);
    if (st == OK) st = find_first(out, hub, &pair, err);
    if (st != OK || out->count || !from || !to || pair.is_same) return st;
    st = find_first(&first, hub, &(Pair){ .from = pair.from, .to = PIVOT_LANGUAGE }, err);
    if (st == OK && first.count) st = find_first(&second, hub, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && second.count)
        *out = (DragomanRoute){ .models = { first.models[0], second.models[0] }, .count = 2, .via = PIVOT_LANGUAGE };
    return st;
}

DragomanStatus dragoman_hub_route(DragomanHub *hub, const char *from, const char *to, DragomanRoute *route,
                                  DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(find_route(hub, from, to, route, &err), &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_describe(const DragomanHub *hub, const DragomanRoute *route, char **message,
                                     DragomanError *error)
{
    const DragomanModel *other = route->other;
    Buf out = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < route->count; i++)
        buf_put_format(&out, "%s%s (%s)", i ? " and " : "using ", route->models[i]->name,
                       dragoman_place_name(route->models[i]->place));
    if (route->count == 2) buf_put_text(&out, ", through English");
    if (other) {
        const bool same = strcmp(other->name, route->models[0]->name) == 0;
        (void)err_set(&err, OK, "; %s would do as well: choose with " SETTING(MODEL), same ? other->path : other->name);
        (void)option_fields_name(&err, hub->spelling);
        buf_put_text(&out, err.text);
    }
    return option_fields_answer_text(message, OK, &out, &err, hub->spelling, error);
}

typedef LIST_OF(const char *) Codes;

/* Adds the languages from which a model translates into `to`, without the language `except`; NULL: none is left out. */
static Status add_all_sources(Codes *out, DragomanHub *hub, const char *to, const char *except, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < hub->count; i++) {
        const DragomanOutline *full;
        const char *const *sources;
        size_t count;
        st = find_fit(&full, hub, i, &(Pair){ .to = to }, true, err);
        if (st != OK || !full) continue;
        sources = dragoman_outline_sources(full, &count);
        for (size_t k = 0; st == OK && k < count; k++) {
            Pair pair = { .is_same = false };
            size_t known = 0;
            while (known < out->len && strcmp(out->data[known], sources[k]) != 0) known++;
            if (known < out->len) continue;
            if (except) st = set_pair(&pair, sources[k], except, err);
            if (!pair.is_same) LIST_PUT(out, sources[k]);
        }
    }
    return st == OK ? LIST_CHECK(out, "languages", err) : st;
}

DragomanStatus dragoman_hub_sources(DragomanHub *hub, const char *to, const char ***codes, size_t *count,
                                    DragomanError *error)
{
    Codes list = { 0 };
    DragomanRoute onward = { .count = 0 };
    Pair pair = { .from = NULL };
    Err err = { "" };
    Status st = read_models(hub, &err);

    if (st == OK) st = set_pair(&pair, NULL, to, &err);
    if (st == OK) st = add_all_sources(&list, hub, pair.to, NULL, &err);
    if (st == OK) st = find_first(&onward, hub, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, &err);
    if (st == OK && onward.count) st = add_all_sources(&list, hub, PIVOT_LANGUAGE, pair.to, &err);
    if (st != OK) free(list.data);
    *codes = st == OK ? list.data : NULL;
    *count = st == OK ? list.len : 0;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* --- The models of a translation --- */

/* Chooses the default model that came with dragoman. Does not read the list of models, so that the start is fast. */
static Status choose_default(DragomanChoice *out, const DragomanHub *hub, Err *err)
{
    for (size_t i = 0; i < OWN_FOLDERS && hub->own[i]; i++) {
        char *path = path_join(hub->own[i], DEFAULT_FILE);
        if (!path) return err_memory(err, "a path");
        if (path_exists(path)) {
            out->paths[out->count++] = path;
            return OK;
        }
        free(path);
    }
    if (!hub->own[0]) return err_set(err, ERR_IO, "no model: use " SETTING(MODEL) " PATH or set $DRAGOMAN_MODEL");
    return err_set(err, ERR_IO,
                   "no model: use " SETTING(MODEL) " PATH or set $DRAGOMAN_MODEL; the default model exists neither at "
                                                   "%s/" DEFAULT_FILE " nor at %s/" DEFAULT_FILE,
                   hub->own[0], hub->own[1]);
}

/* Reports that no model that came with dragoman has the only language that the user gave; `from` or `to` is NULL. The
 * message names the model between this language and English, which is on this machine or can be downloaded. */
static Status report_missing_language(DragomanHub *hub, const char *from, const char *to, Err *err)
{
    const char *source = from ? from : PIVOT_LANGUAGE, *target = to ? to : PIVOT_LANGUAGE;
    DragomanRoute route = { .count = 0 };
    Pair pair = { .from = NULL };
    DragomanError error;
    char *suggestion = NULL;
    Status st = find_route(hub, source, target, &route, err);

    if (st == OK) st = set_pair(&pair, source, target, err);
    if (st == OK && !route.count)
        st = public_status(dragoman_catalog_suggest(NULL, pair.from, pair.to, &suggestion, &error), &error, err);
    if (st == OK)
        st = err_set(
            err, ERR_USAGE,
            "%s %s: no model that came with dragoman has this language: give %s, too, or choose a model with " SETTING(
                MODEL) "%s%s%s%s",
            from ? SETTING(FROM) : SETTING(TO), from ? from : to, from ? SETTING(TO) : SETTING(FROM),
            route.count ? ", such as " : "", route.count ? route.models[0]->name : "", suggestion ? "; " : "",
            suggestion ? suggestion : "");
    dragoman_free_text(suggestion);
    return st;
}

/* Reports that no model translates between the languages. Two spellings of one language are refused at once; there are
 * models for variants of a language, such as zh-Hans and zh-Hant. If a model that cannot be opened has the pair, or a
 * part of the way through English, the message names the first such model and its fault. */
static Status report_missing_pair(const DragomanHub *hub, const char *from, const char *to, Err *err)
{
    Pair pair = { .from = NULL };
    DragomanError error;
    Buf reason = { 0 };
    char *suggestion = NULL;
    Status st = set_pair(&pair, from, to, err);
    const char *const parts[][2] = { { pair.from, pair.to },
                                     { pair.from, PIVOT_LANGUAGE },
                                     { PIVOT_LANGUAGE, pair.to } };

    if (st == OK && pair.is_same)
        return err_set(
            err, ERR_USAGE,
            SETTING(FROM) " %s and " SETTING(TO) " %s are the same language, so there is nothing to translate", from,
            to);
    for (size_t i = 0; st == OK && !reason.len && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        const DragomanOutline *outline = hub->known[i].full ? hub->known[i].full : hub->known[i].quick;
        const char *fault = outline ? dragoman_model_fault(model, outline) : NULL;
        bool needed = false;
        for (size_t k = 0; st == OK && fault && !needed && k < sizeof parts / sizeof *parts; k++)
            st = outline_has_pair(&needed, outline, parts[k][0], parts[k][1], err);
        if (needed) buf_put_format(&reason, " (%s cannot be opened: %s)", model->name, fault);
    }
    if (st == OK) st = buf_check(&reason, err);
    if (st == OK && !reason.len && language_same(pair.from, pair.to))
        st = err_set(err, ERR_USAGE, SETTING(FROM) " %s and " SETTING(TO) " %s are the same language", from, to);
    if (st == OK)
        st = public_status(dragoman_catalog_suggest(NULL, pair.from, pair.to, &suggestion, &error), &error, err);
    if (st == OK)
        st =
            err_set(err, ERR_IO,
                    "no model on this machine translates from %s into %s%s: 'dragoman models' lists the models, %s, "
                    "and " SETTING(MODEL) " takes any path",
                    from, to, reason.data ? reason.data : "", suggestion ? suggestion : "'dragoman get' downloads one");
    dragoman_free_text(suggestion);
    buf_free(&reason);
    return st;
}

static Status choose_by_languages(DragomanChoice *out, DragomanHub *hub, const char *from, const char *to, Err *err)
{
    DragomanRoute route = { .count = 0 };
    Pair pair = { .from = NULL };
    DragomanError error;
    Status st = OK;

    if (from && to) {
        st = find_route(hub, from, to, &route, err);
    } else {
        st = read_models(hub, err);
        if (st == OK) st = set_pair(&pair, from, to, err);
        if (st == OK) st = find_single(&route, hub, &pair, order[0], err);
    }
    if (st == OK && !route.count) st = language_check_spelling(SETTING(FROM) " ", from, err);
    if (st == OK && !route.count) st = language_check_spelling(SETTING(TO) " ", to, err);
    if (st == OK && !route.count)
        return from && to ? report_missing_pair(hub, from, to, err) : report_missing_language(hub, from, to, err);
    for (size_t i = 0; st == OK && i < route.count; i++) {
        out->paths[i] = strdup(route.models[i]->path);
        if (!out->paths[i]) return err_memory(err, "a path");
        out->count++;
    }
    out->via = route.via;
    if (st != OK) return st;
    st = (Status)dragoman_hub_describe(hub, &route, &out->message, &error);
    return st == OK ? OK : err_set(err, st, "%s", error.message);
}

static Status choose(DragomanChoice *out, DragomanHub *hub, const char *const *names, size_t count, const char *from,
                     const char *to, Err *err)
{
    const char *preferred = dragoman_hub_preferred(hub);
    Status st = OK;

    out->paths = calloc(count + 2, sizeof *out->paths);
    if (!out->paths) return err_memory(err, "the models");
    if (!count && !preferred)
        return from || to ? choose_by_languages(out, hub, from, to, err) : choose_default(out, hub, err);
    if (!count) {
        out->count = 1;
        return preferred == hub->config.settings[CONFIG_MODEL].value
                   ? find_configured(hub, preferred, &out->paths[0], err)
                   : find_models(hub, preferred, &out->paths[0], err);
    }
    for (size_t i = 0; st == OK && i < count; i++) {
        st = find_models(hub, names[i], &out->paths[i], err);
        out->count++;
    }
    return st;
}

DragomanStatus dragoman_hub_choose(DragomanHub *hub, const char *const *names, size_t count, const char *from,
                                   const char *to, DragomanChoice **out, DragomanError *error)
{
    Err err = { "" };
    DragomanChoice *choice = calloc(1, sizeof *choice);
    Status st = choice ? choose(choice, hub, names, count, from, to, &err) : err_memory(&err, "the models");

    if (st != OK) {
        dragoman_choice_free(choice);
        choice = NULL;
    }
    *out = choice;
    return option_fields_answer(st, &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_fill_in(DragomanHub *hub, DragomanOptions *options, char **message, DragomanError *error)
{
    DragomanChoice *choice;
    DragomanStatus st = dragoman_hub_choose(hub, (const char *const *)options->models.items, options->models.count,
                                            options->from, options->to, &choice, error);

    *message = NULL;
    if (st == DRAGOMAN_OK) st = dragoman_set_text(options, DRAGOMAN_MODEL, NULL, error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < choice->count; i++)
        st = dragoman_add_text(options, DRAGOMAN_MODEL, choice->paths[i], error);
    if (st == DRAGOMAN_OK && choice->via) st = dragoman_set_text(options, DRAGOMAN_VIA, choice->via, error);
    if (st == DRAGOMAN_OK) {
        *message = choice->message;
        choice->message = NULL;
        dragoman_options_take_paths(options);
    }
    dragoman_choice_free(choice);
    return st;
}

void dragoman_choice_free(DragomanChoice *choice)
{
    if (!choice) return;
    for (size_t i = 0; choice->paths && i < choice->count; i++) free(choice->paths[i]);
    free(choice->paths);
    free(choice->message);
    free(choice);
}

/* --- The hub --- */

DragomanStatus dragoman_hub_open(DragomanHub **out, const DragomanHubSettings *settings, DragomanError *error)
{
    static const DragomanHubSettings usual = { .folder = NULL };
    /* The folders of models, relative to settings->folder or, if that is NULL, to the folder of the file with this
     * function: the library, or a program that is linked with it. A library may be one level deeper than a program, as
     * in lib/x86_64-linux-gnu. */
    static const char *const below[2][OWN_FOLDERS] = { { "../share/dragoman/models", "../../share/dragoman/models" },
                                                       { "models", "../share/dragoman/models" } };
    Err err = { "" };
    DragomanHub *hub = calloc(1, sizeof *hub);
    Dl_info info;
    char *library = NULL;
    const char *folder;
    Status st = hub ? OK : err_memory(&err, "the models");

    if (!settings) settings = &usual;
    folder = settings->folder;
    if (!folder && dladdr((const void *)dragoman_hub_open, &info) && info.dli_fname)
        folder = library = path_folder(info.dli_fname);
    if (st == OK) hub->spelling = (Spelling){ settings->speller, settings->context };
    for (size_t i = 0; folder && st == OK && i < OWN_FOLDERS; i++) {
        hub->own[i] = path_join(folder, below[settings->folder != NULL][i]);
        if (!hub->own[i]) st = err_memory(&err, "a path");
    }
    free(library);
    if (st == OK && !settings->no_configuration) st = read_configuration(&hub->config, &err);
    if (st == ERR_MEMORY) {
        dragoman_hub_close(hub);
        hub = NULL;
    }
    *out = hub;
    return option_fields_answer(st, &err, (Spelling){ settings->speller, settings->context }, error);
}

void dragoman_hub_close(DragomanHub *hub)
{
    if (!hub) return;
    free_models(hub);
    free_configuration(&hub->config);
    for (size_t i = 0; i < OWN_FOLDERS; i++) free(hub->own[i]);
    free(hub);
}

const char *dragoman_hub_configuration(const DragomanHub *hub)
{
    return hub->config.file;
}

const char *dragoman_hub_setting(const DragomanHub *hub, const char *name, const char **place)
{
    size_t i = CONFIG_MODEL + 1;

    while (i < CONFIG_SETTINGS && strcmp(name, setting_names[i]) != 0) i++;
    if (place) *place = i < CONFIG_SETTINGS ? hub->config.settings[i].place : NULL;
    return i < CONFIG_SETTINGS ? hub->config.settings[i].value : NULL;
}

const char *dragoman_hub_preferred(const DragomanHub *hub)
{
    return model_places_variable("DRAGOMAN_MODEL", hub->config.settings[CONFIG_MODEL].value);
}

DragomanStatus dragoman_hub_find(DragomanHub *hub, const char *name, char **path, DragomanError *error)
{
    Err err = { "" };
    Status st = find_models(hub, name, path, &err);

    return option_fields_answer(st, &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_models(DragomanHub *hub, const DragomanModel **models, size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = read_models(hub, &err);

    *models = hub->models;
    *count = st == OK ? hub->count : 0;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* Finds the model of options whose DRAGOMAN_MODEL is not an existing path. */
static Status find_model(char **path, const char *name, Err *err)
{
    DragomanHub *hub;
    DragomanError error;
    Status st = public_status(dragoman_hub_open(&hub, NULL, &error), &error, err);

    *path = NULL;
    if (st == OK) st = find_models(hub, name, path, err);
    dragoman_hub_close(hub);
    return st;
}

/* translator/ cannot look up names of models, and includes nothing of hub/. New options therefore get a pointer to
 * find_model(), so that every function that opens their model accepts names. */
DragomanOptions *dragoman_options_new(void)
{
    DragomanOptions *options = malloc(sizeof *options);

    if (!options) return NULL;
    *options = option_fields_default();
    options->find_model = find_model;
    return options;
}

void dragoman_options_take_paths(DragomanOptions *options)
{
    options->find_model = NULL;
}
