/* firefox_get.c - downloads a model of Firefox from Mozilla's Remote Settings: see get_sources.h.
 * firefox_records.c chooses the files. Attachments are below the base_url that the server states.
 * $DRAGOMAN_FIREFOX_REGISTRY is the server, by default Mozilla's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "download.h"
#include "file_lock.h"
#include "firefox_records.h"
#include "folders.h"
#include "get_sources.h"
#include "json.h"
#include "model_places.h"
#include "path.h"

#define SERVER  "https://firefox.settings.services.mozilla.com/v1"
#define RECORDS "buckets/main/collections/translations-models/records"

typedef struct {
    const char *pair;
    FirefoxModel model;
    Buf server, base; /* addresses that end with a slash */
    char *folder;     /* where the files are put together */
    FileLock lock;    /* of the folder */
    Web *web;
    Meter *meter;
    bool refused; /* files cannot be written, as on a full disk */
} FirefoxGet;

static Status read_json(const FirefoxGet *get, const char *end, cJSON **out, Err *err)
{
    WebReply reply;
    Buf url = { 0 }, answer = { 0 };
    Status st = buf_append_format(&url, err, "%s%s", get->server.data, end);

    if (st == OK) st = web_get_text(get->web, url.data, GET_MOST_ANSWER, &answer, &reply, err);
    if (st == OK) st = json_parse(out, answer.data, answer.len, url.data, err);
    buf_free(&answer);
    buf_free(&url);
    return st;
}

static Status append_with_slash(Buf *out, const char *address, Err *err)
{
    const size_t len = strlen(address);

    return buf_append_format(out, err, "%s%s", address, len && address[len - 1] == '/' ? "" : "/");
}

/* Reads where the attachments are. */
static Status read_base(FirefoxGet *get, Err *err)
{
    cJSON *tree = NULL;
    Status st = read_json(get, "", &tree, err);
    const cJSON *capabilities = cJSON_GetObjectItemCaseSensitive(tree, "capabilities");
    const char *base = get_text_of(cJSON_GetObjectItemCaseSensitive(capabilities, "attachments"), "base_url");

    if (st == OK && !*base)
        st = err_set(err, ERR_FORMAT, "get: %s: the server does not say where its files are", get->server.data);
    if (st == OK) st = append_with_slash(&get->base, base, err);
    cJSON_Delete(tree);
    return st;
}

static Status fetch_file(FirefoxGet *get, const FirefoxFile *file, Err *err)
{
    char *path = path_join(get->folder, file->name);
    Buf url = { 0 }, partial = { 0 };
    DownloadTask task = {
        .name = file->name, .size = file->size, .hash = file->hash, .kind = DIGEST_SHA256, .refused = &get->refused
    };
    WebReply reply;
    bool same = false;
    Status st = path ? buf_append_format(&partial, err, "%s.incomplete", path) : err_memory(err, "a path");

    if (st == OK) st = buf_append_format(&url, err, "%s%s", get->base.data, file->location);
    task.url = url.data;
    task.partial = partial.data;
    if (st == OK) st = download_check_existing(path, &task, &same, err);
    if (st == OK && !same) st = download_file(get->web, &task, get->meter, &reply, err);
    if (st == OK && !same && rename(partial.data, path) != 0)
        st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    buf_free(&url);
    buf_free(&partial);
    free(path);
    return st;
}

/* Writes the languages where dragoman reads them, if the registry has no such file. */
static Status write_languages(const FirefoxGet *get, Err *err)
{
    char *path = path_join(get->folder, "metadata.json");
    FILE *file;
    Status st = path ? OK : err_memory(err, "a path");

    if (st == OK && !path_exists(path)) {
        file = fopen(path, "w");
        if (!file || fprintf(file, "{\"sourceLanguage\": \"%s\", \"targetLanguage\": \"%s\", \"version\": \"%s\"}\n",
                             get->model.from, get->model.to, get->model.version) < 0)
            st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (file && fclose(file) != 0 && st == OK) st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    }
    free(path);
    return st;
}

static uint64_t all_bytes(const FirefoxModel *model)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->count; i++) bytes += model->files[i].size;
    return bytes;
}

/* Whether the file is one of the model or a part of one. */
static bool is_of_model(const void *context, const char *name)
{
    const FirefoxModel *model = context;

    for (size_t i = 0; i < model->count; i++) {
        const size_t length = strlen(model->files[i].name);
        if (strncmp(name, model->files[i].name, length) != 0) continue;
        if (!name[length] || strcmp(name + length, ".incomplete") == 0) return true;
    }
    return false;
}

/* What cannot be opened is removed, so that the next download begins anew. */
static Status try_to_open(const FirefoxGet *get, Err *err)
{
    const Status st = get_try_to_open(get->folder, err);

    if (st != OK && st != ERR_MEMORY) folders_remove(get->folder);
    return st;
}

static Status fetch_all(FirefoxGet *get, const char *target, Err *err)
{
    Status st = folders_create(get->folder, err);

    if (st == OK) st = folders_clear(get->folder, is_of_model, &get->model, err); /* of another release */
    meter_set_total(get->meter, all_bytes(&get->model));
    if (st == OK) st = folders_check_space(get->folder, all_bytes(&get->model), err);
    for (size_t i = 0; st == OK && i < get->model.count; i++) st = fetch_file(get, &get->model.files[i], err);
    if (st == OK) st = write_languages(get, err);
    if (st == OK) st = try_to_open(get, err);
    if (st == OK) st = folders_replace(get->folder, target, err);
    if (get->refused || st == ERR_FORMAT) folders_remove(get->folder);
    return st;
}

/* Waits for other downloads of this model. */
static Status take_lock(FirefoxGet *get, const char *models, Err *err)
{
    Buf path = { 0 };
    Status st = folders_create(models, err);

    if (st == OK) st = buf_append_format(&path, err, "%s/.%s.lock", models, get->pair);
    if (st == OK) st = file_lock_take(&get->lock, path.data, err);
    buf_free(&path);
    return st;
}

static Status store(FirefoxGet *get, char **path, Err *err)
{
    char *models = model_places_firefox();
    Buf folder = { 0 };
    Status st = models ? buf_append_format(&folder, err, "%s/.%s.incomplete", models, get->pair)
                       : model_places_fault("get: dragoman's folder is not known: set XDG_DATA_HOME or HOME", err);

    get->folder = folder.data;
    if (st == OK && !(*path = path_join(models, get->pair))) st = err_memory(err, "a path");
    if (st == OK) st = take_lock(get, models, err);
    if (st == OK) st = fetch_all(get, *path, err);
    file_lock_release(&get->lock);
    free(models);
    return st;
}

Status get_from_firefox(char **path, const char *pair, Meter *meter, Err *err)
{
    const char *own = getenv("DRAGOMAN_FIREFOX_REGISTRY");
    FirefoxGet get = { .pair = pair, .meter = meter };
    cJSON *tree = NULL;
    Status st = append_with_slash(&get.server, own && *own ? own : SERVER, err);

    if (st == OK) st = web_new(&get.web, get.server.data, NULL, err);
    if (st == OK) st = read_json(&get, RECORDS, &tree, err);
    if (st == OK) st = firefox_records_choose(&get.model, cJSON_GetObjectItemCaseSensitive(tree, "data"), pair, err);
    if (st == OK) st = read_base(&get, err);
    if (st == OK) st = store(&get, path, err);
    cJSON_Delete(tree);
    buf_free(&get.server);
    buf_free(&get.base);
    web_free(get.web);
    free(get.folder);
    return st;
}
