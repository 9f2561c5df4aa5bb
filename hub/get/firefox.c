/* firefox.c - downloads a model of Firefox from Mozilla's Remote Settings: see get.h. Attachments are below the
 * base_url that the server states. $DRAGOMAN_FIREFOX_REGISTRY is the server, by default Mozilla's. */
#include "get.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static Status add_file(FirefoxModel *out, const cJSON *record, const char *pair, Err *err)
{
    const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
    FirefoxFile file = { .name = get_text_of(attachment, "filename"),
                         .location = get_text_of(attachment, "location"),
                         .hash = get_text_of(attachment, "hash") };
    int64_t size;

    if (!*file.name || *file.name == '.' || strlen(file.name) >= 200 ||
        strspn(file.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(file.name))
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

/* Returns the address with a slash at the end, to be freed by the caller. */
static char *with_slash(Get *get, const char *address)
{
    return get_format(get, "%s%s", address, text_ends_with(address, "/") ? "" : "/");
}

static void fetch_file(Get *get, const FirefoxFile *file, const char *base, const char *folder)
{
    char *path = get_join(get, folder, file->name), *partial = get_format(get, "%s.incomplete", path);
    char *url = get_format(get, "%s%s", base, file->location);
    const DownloadTask task = { .url = url,
                                .name = file->name,
                                .partial = partial,
                                .size = file->size,
                                .hash = file->hash,
                                .kind = DIGEST_SHA256,
                                .refused = &get->refused };
    WebReply reply;

    (void)get_file(get, &task, path, &reply);
    free(url);
    free(partial);
    free(path);
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

/* Puts the model together in `folder`, which then gets the name `target`. */
static void fetch_all(Get *get, const FirefoxModel *model, const char *base, const char *folder, const char *target)
{
    uint64_t bytes = 0;
    char *languages;

    if (get->st != OK) return;
    get_create_folder(get, folder);
    for (size_t i = 0; i < model->count; i++) bytes += model->files[i].size;
    get->progress->now.total = bytes;
    if (get->st == OK) get->st = folders_clear(folder, is_of_model, model, get->err); /* of another release */
    if (get->st == OK) get->st = folders_check_space(folder, bytes, get->err);
    for (size_t i = 0; i < model->count; i++) fetch_file(get, &model->files[i], base, folder);
    /* Write the languages where dragoman reads them, if the registry has no such file. */
    languages = get_join(get, folder, "metadata.json");
    if (languages && !path_exists(languages)) {
        FILE *file = fopen(languages, "w");
        if (!file || fprintf(file, "{\"sourceLanguage\": \"%s\", \"targetLanguage\": \"%s\", \"version\": \"%s\"}\n",
                             model->from, model->to, model->version) < 0)
            get_fail(get, ERR_IO, "%s: %s", languages, strerror(errno));
        if (file && fclose(file) != 0) get_fail(get, ERR_IO, "%s: %s", languages, strerror(errno));
    }
    free(languages);
    if (get->st == OK) {
        get_try_to_open(get, folder);
        /* What cannot be opened is removed, so that the next download begins anew. */
        if (get->st != OK && get->st != ERR_MEMORY) folders_remove(folder);
    }
    if (get->st == OK) get->st = folders_replace(folder, target, get->err);
    if (get->refused || get->st == ERR_FORMAT) folders_remove(folder);
}

void get_from_firefox(Get *get, const char *pair, char **path)
{
    char *server = with_slash(get, model_places_variable("DRAGOMAN_FIREFOX_REGISTRY", SERVER));
    char *url = get_format(get, "%s" RECORDS, server), *models = NULL, *folder, *lock, *base;
    cJSON *records, *state;
    const cJSON *attachments;
    FirefoxModel model = { .count = 0 };

    get_open(get, server, NULL);
    get_json(get, url, false, &records);
    if (get->st == OK)
        get->st = firefox_records_choose(&model, cJSON_GetObjectItemCaseSensitive(records, "data"), pair, get->err);

    /* The server says where the attachments are. */
    get_json(get, server, false, &state);
    attachments =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(state, "capabilities"), "attachments");
    if (!*get_text_of(attachments, "base_url"))
        get_fail(get, ERR_FORMAT, "get: %s: the server does not say where its files are", server);
    base = with_slash(get, get_text_of(attachments, "base_url"));

    if (get->st == OK && !(models = model_places_firefox()))
        get->st = model_places_fault("get: dragoman's folder is not known: set XDG_DATA_HOME or HOME", get->err);
    get_create_folder(get, models);
    folder = get_format(get, "%s/.%s.incomplete", models, pair);
    lock = get_format(get, "%s/.%s.lock", models, pair);
    *path = get_join(get, models, pair);
    get_lock(get, lock); /* waits for other downloads of this model */
    fetch_all(get, &model, base, folder, *path);
    cJSON_Delete(state);
    cJSON_Delete(records);
    free(server);
    free(url);
    free(base);
    free(models);
    free(folder);
    free(lock);
}
