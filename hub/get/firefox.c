/* firefox.c - downloads a model of Firefox from Mozilla's Remote Settings: see get_sources.h. Attachments are below the
 * base_url that the server states. $DRAGOMAN_FIREFOX_REGISTRY is the server, by default Mozilla's. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folders.h"
#include "get_sources.h"
#include "json.h"
#include "model_places.h"
#include "path.h"
#include "text.h"

#define SERVER  "https://firefox.settings.services.mozilla.com/v1"
#define RECORDS "buckets/main/collections/translations-models/records"
#define LARGEST ((int64_t)4 << 30) /* bytes of a file */
#define HEX     "0123456789abcdef"

static bool is_of_pair(const cJSON *record, const char *pair)
{
    const char *version = get_text_of(record, "version");

    return get_is_pair(pair, get_text_of(record, "fromLang"), get_text_of(record, "toLang")) &&
           !*get_text_of(record, "variant") && !*get_text_of(record, "filter_expression") &&
           isdigit((unsigned char)*version) && strspn(version, "0123456789.") == strlen(version);
}

static bool is_safe_name(const char *name)
{
    return *name && *name != '.' && strlen(name) < 200 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name);
}

static Status add_file(FirefoxModel *out, const cJSON *record, const char *pair, Err *err)
{
    const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
    FirefoxFile file = { .name = get_text_of(attachment, "filename"),
                         .location = get_text_of(attachment, "location"),
                         .hash = get_text_of(attachment, "hash") };
    int64_t size;

    if (!is_safe_name(file.name))
        return err_set(err, ERR_FORMAT, "get: firefox:%s: unsafe file name '%s'", pair, file.name);
    if (strlen(file.hash) != DIGEST_HEX - 1 || strspn(file.hash, HEX) != DIGEST_HEX - 1 ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(attachment, "size"), 0, LARGEST, &size))
        return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry states no size or checksum of %s", pair,
                       file.name);
    file.size = (uint64_t)size;
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->files[i].name, file.name) == 0)
            return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry lists %s twice", pair, file.name);
    if (out->count == FIREFOX_MOST_FILES)
        return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry lists too many files", pair);
    out->files[out->count++] = file;
    return OK;
}

Status firefox_records_choose(FirefoxModel *out, const cJSON *records, const char *pair, Err *err)
{
    static const char *const kinds[] = { "model", "lex", "vocab", "srcvocab", "trgvocab", "metadata" };
    const cJSON *record, *model = NULL;
    Status st = OK;

    *out = (FirefoxModel){ .count = 0 };
    cJSON_ArrayForEach(record, records)
    {
        if (!is_of_pair(record, pair) || strcmp(get_text_of(record, "fileType"), "model") != 0) continue;
        if (!model || get_is_newer(record, model, "version")) model = record;
    }
    if (!model)
        return err_set(err, ERR_IO,
                       "get: firefox:%s: Firefox has no model of these languages; its models translate "
                       "from or into English",
                       pair);
    out->from = get_text_of(model, "fromLang");
    out->to = get_text_of(model, "toLang");
    out->version = get_text_of(model, "version");
    cJSON_ArrayForEach(record, records)
    {
        bool is_needed = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            is_needed = is_needed || strcmp(get_text_of(record, "fileType"), kinds[i]) == 0;
        if (st == OK && is_needed && is_of_pair(record, pair) &&
            strcmp(get_text_of(record, "version"), out->version) == 0)
            st = add_file(out, record, pair, err);
    }
    return st;
}

/* --- The download -------------------------------------------------------------------------- */

typedef struct {
    const char *pair;
    FirefoxModel model;
    Buf server, base; /* addresses that end with a slash */
    char *folder;     /* where the files are put together */
    FileLock lock;    /* of the folder */
    Web *web;
    Progress *progress;
    bool refused; /* files cannot be written, as on a full disk */
} FirefoxGet;

static Status read_json(const FirefoxGet *get, const char *end, cJSON **out, Err *err)
{
    WebReply reply;
    Buf url = { 0 }, answer = { 0 };
    Status st;

    buf_put_format(&url, "%s%s", get->server.data, end);
    st = buf_check(&url, err);
    if (st == OK) st = web_get_text(get->web, url.data, GET_MOST_ANSWER, &answer, &reply, err);
    if (st == OK) st = json_parse(out, answer.data, answer.len, url.data, err);
    buf_free(&answer);
    buf_free(&url);
    return st;
}

static Status append_with_slash(Buf *out, const char *address, Err *err)
{
    buf_put_format(out, "%s%s", address, text_ends_with(address, "/") ? "" : "/");
    return buf_check(out, err);
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
    Status st = path ? OK : err_memory(err, "a path");

    buf_put_format(&partial, "%s.incomplete", path ? path : "");
    buf_put_format(&url, "%s%s", get->base.data, file->location);
    if (st == OK) st = buf_check(&partial, err);
    if (st == OK) st = buf_check(&url, err);
    task.url = url.data;
    task.partial = partial.data;
    if (st == OK) st = download_check_existing(path, &task, &same, err);
    if (st == OK && !same) st = download_file(get->web, &task, get->progress, &reply, err);
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

/* Puts the model together in get->folder, which then gets the name `target`. */
static Status fetch_all(FirefoxGet *get, const char *target, Err *err)
{
    const FirefoxModel *model = &get->model;
    uint64_t bytes = 0;
    Status st = folders_create(get->folder, err);

    for (size_t i = 0; i < model->count; i++) bytes += model->files[i].size;
    get->progress->now.total = bytes;
    if (st == OK) st = folders_clear(get->folder, is_of_model, model, err); /* of another release */
    if (st == OK) st = folders_check_space(get->folder, bytes, err);
    for (size_t i = 0; st == OK && i < model->count; i++) st = fetch_file(get, &model->files[i], err);
    if (st == OK) st = write_languages(get, err);
    if (st == OK) {
        st = get_try_to_open(get->folder, err);
        /* What cannot be opened is removed, so that the next download begins anew. */
        if (st != OK && st != ERR_MEMORY) folders_remove(get->folder);
    }
    if (st == OK) st = folders_replace(get->folder, target, err);
    if (get->refused || st == ERR_FORMAT) folders_remove(get->folder);
    return st;
}

static Status store(FirefoxGet *get, char **path, Err *err)
{
    char *models = model_places_firefox();
    Buf folder = { 0 }, lock = { 0 };
    Status st = models ? folders_create(models, err)
                       : model_places_fault("get: dragoman's folder is not known: set XDG_DATA_HOME or HOME", err);

    if (st == OK) {
        buf_put_format(&folder, "%s/.%s.incomplete", models, get->pair);
        buf_put_format(&lock, "%s/.%s.lock", models, get->pair);
        st = buf_check(&folder, err);
    }
    if (st == OK) st = buf_check(&lock, err);
    if (st == OK && !(*path = path_join(models, get->pair))) st = err_memory(err, "a path");
    get->folder = folder.data;
    if (st == OK) st = file_lock_take(&get->lock, lock.data, err); /* waits for other downloads of this model */
    if (st == OK) st = fetch_all(get, *path, err);
    file_lock_release(&get->lock);
    buf_free(&lock);
    free(models);
    return st;
}

Status get_from_firefox(char **path, const char *pair, Progress *progress, Err *err)
{
    const char *own = getenv("DRAGOMAN_FIREFOX_REGISTRY"), *base;
    FirefoxGet get = { .pair = pair, .progress = progress };
    cJSON *records = NULL, *server = NULL;
    const cJSON *attachments;
    Status st = append_with_slash(&get.server, own && *own ? own : SERVER, err);

    if (st == OK) st = web_new(&get.web, get.server.data, NULL, err);
    if (st == OK) st = read_json(&get, RECORDS, &records, err);
    if (st == OK) st = firefox_records_choose(&get.model, cJSON_GetObjectItemCaseSensitive(records, "data"), pair, err);

    /* The server says where the attachments are. */
    if (st == OK) st = read_json(&get, "", &server, err);
    attachments =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(server, "capabilities"), "attachments");
    base = get_text_of(attachments, "base_url");
    if (st == OK && !*base)
        st = err_set(err, ERR_FORMAT, "get: %s: the server does not say where its files are", get.server.data);
    if (st == OK) st = append_with_slash(&get.base, base, err);
    if (st == OK) st = store(&get, path, err);
    cJSON_Delete(server);
    cJSON_Delete(records);
    buf_free(&get.server);
    buf_free(&get.base);
    web_free(get.web);
    free(get.folder);
    return st;
}
