/* hub.c - the user's configuration, the list of the models that are found by name (a listing of folders: no model is
 * opened), what a name means, and the functions of dragoman_hub.h that open, ask and close a hub. docs/names.md
 * describes the forms of names. */
#define _GNU_SOURCE /* dladdr() */
#include "hub.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "model_places.h"
#include "nearest.h"
#include "path.h"
#include "text.h"

/* --- The user's configuration. A value that begins with neither '/', '~' nor '.' is a path relative to the folder
 * of the file if it exists there; otherwise it is a name. --- */

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

static Status add_alias(UserConfig *out, const ConfigLine *line, const char *name, Err *err)
{
    ModelAlias alias = { .line = line->number };
    bool is_name = *name && *name != '-' && *name != '.' && strlen(name) <= 100;
    Status st;

    /* Paths and the forms of other names cannot be aliases. */
    for (const char *c = name; is_name && *c; c++) is_name = isalnum((unsigned char)*c) || strchr("-_.", *c);
    if (!is_name)
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
    buf_free(&text);

    /* An alias must not lead back to itself. */
    for (size_t i = 0; st == OK && i < out->alias_count; i++) {
        const char *name = out->aliases[i].path;
        for (size_t steps = 0; st == OK && name && (name = user_config_alias(out, name)); steps++)
            if (steps > out->alias_count)
                st = err_set(err, ERR_USAGE, "%s:%zu: alias '%s' refers to itself", file, out->aliases[i].line,
                             out->aliases[i].name);
    }
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

/* --- The list of models --- */

static const char *const place_names[] = {
    [DRAGOMAN_PLACE_ALIAS] = "alias",
    [DRAGOMAN_PLACE_OWN] = "dragoman",
    [DRAGOMAN_PLACE_PROGRAM] = "embedded",
    [DRAGOMAN_PLACE_HUGGING_FACE] = "Hugging Face",
    [DRAGOMAN_PLACE_ARGOS] = "Argos Translate",
    [DRAGOMAN_PLACE_FIREFOX] = "Firefox",
    [DRAGOMAN_PLACE_TRANSLATE_LOCALLY] = "translateLocally",
};

const char *dragoman_place_name(DragomanPlace place)
{
    return place_names[place];
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

/* Adds a model of this name; `group` and `version` may be NULL. A name is left out if DRAGOMAN_MODEL could not name it:
 * commas separate the models of an ensemble, and some beginnings mark paths and options. */
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

/* Reads an object from a JSON file in the folder. *out is NULL if there is no such file, or no JSON in it. */
static Status read_object(cJSON **out, const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Buf text = { 0 };
    Status st = path ? small_file_read_if_any(&text, path, err) : err_memory(err, "a path");

    *out = NULL;
    if (st == OK && text.len) st = json_parse(out, text.data, text.len, path, err);
    if (st != OK) *out = NULL;
    buf_free(&text);
    free(path);
    return st == ERR_MEMORY || st == ERR_IO ? st : OK;
}

/* Returns a text of the object that is fit for a name; NULL if there is none. */
static const char *name_in(const cJSON *tree, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(tree, key);
    const char *text = cJSON_IsString(node) ? node->valuestring : "";

    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) return NULL;
    return *text && strlen(text) <= 100 ? text : NULL;
}

/* Puts the name of a model that is a file, without its ending. Of two models that came with the program, the first one
 * counts. */
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
    for (size_t i = 0; is_program && i < entry->out->count; i++) {
        const DragomanModel *model = &entry->out->models[i];
        if (model->place == DRAGOMAN_PLACE_PROGRAM && strlen(model->name) == len &&
            strncmp(model->name, entry->name, len) == 0)
            return;
    }
    buf_put(name, entry->name, len);
}

/* Adds the entry if it is a model of its place. */
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
    } else if (st == OK && is_local) { /* a short name, such as fr-en-tiny, which begins with the pair */
        const char *model = name_in(tree, "shortName"), *second = model ? strchr(model, '-') : NULL;
        if (second) buf_put_format(&name, "firefox:%s", model);
        if (second)
            buf_put_format(&group, "firefox:%.*s", (int)(second - model + 1 + (long)strcspn(second + 1, "-")), model);
    } else if (st == OK && place == DRAGOMAN_PLACE_FIREFOX) {
        if (is_directory) buf_put_format(&name, "firefox:%s", entry->name);
        if (name.len) buf_put_text(&group, name.data);
    } else if (st == OK && place == DRAGOMAN_PLACE_HUGGING_FACE) { /* models--ORG--NAME is ORG/NAME */
        const char *model = entry->name + strlen("models--"), *rest = strstr(model, "--");
        /* Without snapshots, it is nothing but a download that has not ended. */
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

/* Names that begin with a dot are temporary; names with control characters cannot be shown. */
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

Status hub_read(DragomanHub *hub, Err *err)
{
    static const struct {
        DragomanPlace place;
        char *(*folder)(void);
    } places[] = {
        { DRAGOMAN_PLACE_OWN, model_places_dragoman },
        { DRAGOMAN_PLACE_HUGGING_FACE, model_places_hub },
        { DRAGOMAN_PLACE_ARGOS, model_places_argos },
        { DRAGOMAN_PLACE_FIREFOX, model_places_firefox },
        { DRAGOMAN_PLACE_TRANSLATE_LOCALLY, model_places_translate_locally },
    };
    const UserConfig *config = &hub->config;
    size_t kept = 0;
    Status st = OK;

    if (hub->is_read) return OK;
    hub_free_models(hub); /* what a failed call has left */

    /* An alias of a name stands for a model that is listed by that name, never for a file of the working folder. */
    for (size_t i = 0; st == OK && i < config->alias_count; i++) {
        const ModelAlias *alias = &config->aliases[i];
        const Entry entry = { hub, DRAGOMAN_PLACE_ALIAS, alias->name, alias->path };
        if (user_config_is_path(alias->path) && path_exists(alias->path))
            st = add(&entry, alias->name, NULL, NULL, err);
    }
    for (size_t i = 0; st == OK && i < OWN_FOLDERS && hub->own[i]; i++)
        st = read_folder(hub, DRAGOMAN_PLACE_PROGRAM, hub->own[i], err);
    for (size_t i = 0; st == OK && i < sizeof places / sizeof *places; i++) {
        char *folder = places[i].folder(); /* NULL: not known, so it has no models (model_places.h) */
        if (folder)
            st = read_folder(hub, places[i].place, folder, err);
        else if (errno == ENOMEM)
            st = err_memory(err, "a path");
        free(folder);
    }
    if (st != OK) return st;
    if (hub->count) qsort(hub->models, hub->count, sizeof *hub->models, compare);

    /* Argos Translate keeps the older package when it installs another one, and so does dragoman get. */
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

void hub_free_models(DragomanHub *hub)
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

#define NAME_ROOM    256 /* more than the hub of Hugging Face allows */
#define LEAST_DIGITS 7   /* of a commit */

/* --- Revisions -----------------------------------------------------------------
 * A revision of a model in the cache of Hugging Face is a branch or a tag, whose commit is in refs/NAME, or a commit,
 * which is the name of a folder in snapshots/. */

/* Sets *out to snapshots/NAME if that is a folder, otherwise to NULL. */
static Status find_snapshot(char **out, const char *folder, const char *name, size_t len, Err *err)
{
    Buf path = { 0 };
    bool is_directory = false;
    Status st;

    *out = NULL;
    if (!len || *name == '.' || memchr(name, '/', len)) return OK;
    buf_put_format(&path, "%s/snapshots/%.*s", folder, (int)len, name);
    st = buf_check(&path, err);
    if (st == OK) st = path_find_directory(&is_directory, path.data, err);
    if (is_directory)
        *out = path.data;
    else
        buf_free(&path);
    return st;
}

/* Finds a snapshot whose name begins with the digits, and counts such snapshots. */
static Status find_commit(char **out, size_t *count, const char *folder, const char *digits, Err *err)
{
    char *snapshots;
    const char *name;
    DIR *dir;
    Status st = OK;

    if (strlen(digits) < LEAST_DIGITS || strspn(digits, "0123456789abcdef") != strlen(digits)) return OK;
    snapshots = path_join(folder, "snapshots");
    if (!snapshots) return err_memory(err, "a path");
    dir = opendir(snapshots);
    if (!dir && errno != ENOENT) st = path_fault_report(snapshots, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *found = NULL;
        if (text_begins_with(name, digits)) st = find_snapshot(&found, folder, name, strlen(name), err);
        if (!found) continue;
        free(*out);
        *out = found;
        ++*count;
    }
    if (dir) closedir(dir);
    free(snapshots);
    return st;
}

/* Finds the snapshot of a revision in `folder`, models--ORG--NAME: the one that refs/REVISION names, else the one of
 * this name. A commit may be cut to its first digits. A revision is used as a path below refs/, so it must stay there.
 * ERR_USAGE: there is no such snapshot, or several begin with the digits. */
static Status find_revision_in(char **out, const char *folder, const char *revision, Err *err)
{
    bool is_safe = *revision && strlen(revision) <= 200 && !strchr("/.", *revision) && !strstr(revision, "..");
    size_t count = 0;
    Buf path = { 0 }, commit = { 0 };
    Status st = OK;

    *out = NULL;
    for (const char *c = revision; is_safe && *c; c++) is_safe = (unsigned char)*c > ' ' && *c != 0x7f;
    if (is_safe) {
        buf_put_format(&path, "%s/refs/%s", folder, revision);
        st = buf_check(&path, err);
        if (st == OK) st = small_file_read_if_any(&commit, path.data, err);
        if (st == OK && commit.len) st = find_snapshot(out, folder, commit.data, strcspn(commit.data, " \t\r\n"), err);
        buf_free(&path);
        buf_free(&commit);
        if (st == ERR_FORMAT) st = OK;
        if (st == OK && !*out) st = find_snapshot(out, folder, revision, strlen(revision), err);
        if (*out)
            count = 1;
        else if (st == OK)
            st = find_commit(out, &count, folder, revision, err);
    }
    if (st == OK && count == 1) return OK;
    free(*out);
    *out = NULL;
    if (st != OK) return st;
    return err_set(err, ERR_USAGE, "%s: %s '%s'; the snapshots are in %s/snapshots", path_name(folder),
                   count ? "several snapshots begin with" : "no snapshot for revision", revision, folder);
}

/* Returns the place of the '@' that begins a revision of a model of the hub; NULL if there is none. */
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

/* Finds the model with the name in the first place that knows it, or ORG/NAME@REVISION in the cache of Hugging Face;
 * *out is NULL if there is none. */
static Status find_in_list(char **out, DragomanHub *hub, const char *name, Err *err)
{
    const char *at = find_at(name);
    const DragomanModel *found = NULL;
    bool several = false;
    Buf paths = { 0 };
    Status st = hub_read(hub, err);

    *out = NULL;
    for (size_t i = 0; st == OK && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        if (found && model->place != found->place) break;
        if (strcmp(model->name, name) != 0 && !(model->group && strcmp(model->group, name) == 0)) continue;
        buf_put_format(&paths, "%s%s", found ? ", " : "", model->path);
        several = found != NULL;
        found = model;
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
            st = find_revision_in(out, model->path, at + 1, err);
    }
    return st;
}

/* --- What a name means ----------------------------------------------------------- */

/* Whether the text has the form of a name that 'dragoman get' downloads. */
static bool can_be_downloaded(const char *name)
{
    const char *at = find_at(name);

    if (text_begins_with(name, "argos:") || text_begins_with(name, "firefox:"))
        return strchr(name, '-') && !strpbrk(name, "/,. ");
    return strchr(name, '/') && (at || model_places_is_hub_name(name));
}

/* `is_configured`: the name is one in the configuration file, which never means a file of the working folder. */
static Status report_unknown(const DragomanHub *hub, const char *name, bool is_configured, Err *err)
{
    const char *where = is_configured ? " (in the configuration)" : "";
    const char *missing = is_configured ? "no such model" : "no such folder, file or model";
    const char *meant = NULL;
    Nearest nearest = NEAREST_START;

    for (size_t i = 0; i < hub->count; i++) {
        const char *known = hub->models[i].name, *slash = strrchr(known, '/');
        if (!meant && slash && strcmp(slash + 1, name) == 0) meant = known; /* ORG/NAME for NAME alone */
        nearest_add(&nearest, name, strlen(name), known);
    }
    for (size_t i = 0; i < hub->config.alias_count; i++)
        nearest_add(&nearest, name, strlen(name), hub->config.aliases[i].name);
    if (nearest.name && nearest.distance == 1) meant = nearest.name; /* hardly another pair of languages */
    if (meant) return err_set(err, ERR_IO, "%s%s: %s (did you mean %s?)", name, where, missing, meant);
    if (can_be_downloaded(name))
        return err_set(err, ERR_IO, "%s%s: %sno such model on this machine; 'dragoman get %s' downloads it", name,
                       where, is_configured ? "" : "no such folder, and ", name);
    return err_set(err, ERR_IO, "%s%s: %s; 'dragoman models' lists the models on this machine", name, where, missing);
}

/* The working folder has no part in what the configuration means. */
Status hub_find_configured(DragomanHub *hub, const char *value, char **out, Err *err)
{
    const char *meant;
    Status st;

    while (!user_config_is_path(value) && (meant = user_config_alias(&hub->config, value))) value = meant;
    if (user_config_is_path(value)) return copy_path(out, value, err);
    st = find_in_list(out, hub, value, err);
    return st == OK && !*out ? report_unknown(hub, value, true, err) : st;
}

/* Finds the model of one name. */
static Status find_one(char **out, DragomanHub *hub, const char *name, Err *err)
{
    const char *slash = strchr(name, '/');
    char *first;
    bool in_folder = false;
    Status st;

    *out = NULL;
    if (path_exists(name)) return copy_path(out, name, err);
    if (user_config_alias(&hub->config, name)) return hub_find_configured(hub, name, out, err);
    if (!*name || strchr("/.~", *name) || (slash && !can_be_downloaded(name))) return copy_path(out, name, err);
    st = find_in_list(out, hub, name, err);
    if (st != OK || *out) return st;
    if (slash) {
        first = strndup(name, (size_t)(slash - name));
        if (!first) return err_memory(err, "a path");
        in_folder = path_exists(first);
        free(first);
    }
    /* Opening a path in a folder that exists reports what is wrong. */
    return in_folder ? copy_path(out, name, err) : report_unknown(hub, name, false, err);
}

Status hub_find(DragomanHub *hub, const char *list, char **out, Err *err)
{
    Buf paths = { 0 };
    Status st = OK;

    *out = NULL;
    for (const char *at = list; st == OK && at;) {
        const size_t len = path_first(at);
        char *name = strndup(at, len), *path = NULL;
        st = name ? find_one(&path, hub, name, err) : err_memory(err, "a name");
        if (st == OK) buf_put_format(&paths, "%s%s", at == list ? "" : ",", path);
        free(path);
        free(name);
        at = at[len] ? at + len + 1 : NULL;
    }
    if (st == OK) st = buf_check(&paths, err);
    if (st == OK)
        *out = paths.data;
    else
        buf_free(&paths);
    return st;
}

/* --- The hub --- */

DragomanStatus dragoman_hub_open(DragomanHub **out, const DragomanHubSettings *settings, DragomanError *error)
{
    static const DragomanHubSettings usual = { .folder = NULL };
    /* Where the models are from `folder`; without one, from the folder of the file that has this function: the
     * library, or a program that is linked with it. A library may be one level deeper than a program, in
     * lib/x86_64-linux-gnu. */
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
    if (st == OK && !settings->no_configuration) st = user_config_read(&hub->config, &err);
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
    hub_free_models(hub);
    user_config_free(&hub->config);
    for (size_t i = 0; i < OWN_FOLDERS; i++) free(hub->own[i]);
    free(hub);
}

const char *dragoman_hub_configuration(const DragomanHub *hub)
{
    return hub->config.file;
}

const char *dragoman_hub_setting(const DragomanHub *hub, const char *name, const char **place)
{
    const bool is_threads = strcmp(name, "threads") == 0;
    const ConfigSetting *setting = is_threads ? &hub->config.threads : &hub->config.precision;
    const bool exists = is_threads || strcmp(name, "precision") == 0;

    if (place) *place = exists ? setting->place : NULL;
    return exists ? setting->value : NULL;
}

const char *dragoman_hub_preferred(const DragomanHub *hub)
{
    return model_places_variable("DRAGOMAN_MODEL", hub->config.model);
}

DragomanStatus dragoman_hub_find(DragomanHub *hub, const char *name, char **path, DragomanError *error)
{
    Err err = { "" };
    Status st = hub_find(hub, name, path, &err);

    return option_fields_answer(st, &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_models(DragomanHub *hub, const DragomanModel **models, size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = hub_read(hub, &err);

    *models = hub->models;
    *count = st == OK ? hub->count : 0;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* Finds a model for options whose DRAGOMAN_MODEL is no existing path. */
static Status find_model(char **path, const char *name, Err *err)
{
    DragomanHub *hub;
    DragomanError error;
    Status st = (Status)dragoman_hub_open(&hub, NULL, &error);

    *path = NULL;
    st = st == OK ? hub_find(hub, name, path, err) : err_set(err, st, "%s", error.message);
    dragoman_hub_close(hub);
    return st;
}

/* The options of translator/ know no names. They get a pointer to the function that does when they are made, so that
 * every function that opens their model takes names, and translator/ includes nothing of hub/. */
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
