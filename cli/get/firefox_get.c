/* firefox_get.c - downloads a model of Firefox from Mozilla's Remote Settings: see get_sources.h.
 * Each record of the collection is one file: model, lexical shortlist, and one vocabulary or two. As in Firefox
 * (TranslationsParent.sys.mjs), the newest version of the model is taken and then the other files of the same version.
 * Records with a variant, a filter or a version that has letters are for developers and are left out. Attachments are
 * below the base_url that the server states; their size and SHA-256 are in the record.
 * $DRAGOMAN_FIREFOX_REGISTRY is the server, by default Mozilla's. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "download.h"
#include "folders.h"
#include "get_sources.h"
#include "json.h"
#include "model_places.h"
#include "path.h"

#define SERVER     "https://firefox.settings.services.mozilla.com/v1"
#define RECORDS    "buckets/main/collections/translations-models/records"
#define LARGEST    ((int64_t)4 << 30) /* bytes of a file */
#define MOST_FILES 8
#define HEX        "0123456789abcdef"

typedef struct {
    const char *pair;
    const cJSON *files[MOST_FILES]; /* records */
    size_t count;
    Buf server, base; /* addresses that end with a slash */
    char *folder;     /* where the files are put together */
    Web *web;
    Meter *meter;
    bool refused; /* files cannot be written, as on a full disk */
} FirefoxGet;

static bool is_number(const char *version)
{
    return *version && isdigit((unsigned char)*version) && strspn(version, "0123456789.") == strlen(version);
}

/* Whether version a, such as "2.10", is newer than b. */
static bool is_newer(const char *a, const char *b)
{
    char *a_end, *b_end;
    long x = strtol(a, &a_end, 10), y = strtol(b, &b_end, 10);

    if (x != y) return x > y;
    return strtol(*a_end ? a_end + 1 : a_end, NULL, 10) > strtol(*b_end ? b_end + 1 : b_end, NULL, 10);
}

static bool is_of_pair(const cJSON *record, const char *pair)
{
    const char *from = get_text_of(record, "fromLang"), *to = get_text_of(record, "toLang");
    const size_t len = strlen(from);

    return len && *to && strncmp(pair, from, len) == 0 && pair[len] == '-' && strcmp(pair + len + 1, to) == 0 &&
           !*get_text_of(record, "variant") && !*get_text_of(record, "filter_expression") &&
           is_number(get_text_of(record, "version"));
}

static bool is_safe_name(const char *name)
{
    return *name && *name != '.' && strlen(name) < 200 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name);
}

/* Chooses the files of the newest version. */
static Status choose(FirefoxGet *get, const cJSON *records, Err *err)
{
    static const char *const kinds[] = { "model", "lex", "vocab", "srcvocab", "trgvocab", "metadata" };
    const cJSON *record, *model = NULL;

    cJSON_ArrayForEach(record, records)
    {
        if (!is_of_pair(record, get->pair) || strcmp(get_text_of(record, "fileType"), "model") != 0) continue;
        if (!model || is_newer(get_text_of(record, "version"), get_text_of(model, "version"))) model = record;
    }
    if (!model)
        return err_set(err, ERR_IO,
                       "get: firefox:%s: Firefox has no model of these languages; its models translate "
                       "from or into English",
                       get->pair);
    cJSON_ArrayForEach(record, records)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(get_text_of(record, "fileType"), kinds[i]) == 0) known = true;
        if (!known || !is_of_pair(record, get->pair)) continue;
        if (strcmp(get_text_of(record, "version"), get_text_of(model, "version")) != 0) continue;
        if (get->count == MOST_FILES)
            return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry lists too many files", get->pair);
        get->files[get->count++] = record;
    }
    return OK;
}

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

static Status fetch_file(FirefoxGet *get, const cJSON *record, Err *err)
{
    const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
    const char *name = get_text_of(attachment, "filename"), *hash = get_text_of(attachment, "hash");
    char *path = NULL;
    int64_t size;
    Buf url = { 0 }, partial = { 0 };
    DownloadTask task = { .name = name, .hash = hash, .kind = DIGEST_SHA256, .refused = &get->refused };
    WebReply reply;
    bool same = false;
    Status st;

    if (!is_safe_name(name)) return err_set(err, ERR_FORMAT, "get: firefox:%s: unsafe file name '%s'", get->pair, name);
    if (strlen(hash) != DIGEST_HEX - 1 || strspn(hash, HEX) != DIGEST_HEX - 1 ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(attachment, "size"), 0, LARGEST, &size))
        return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry states no size or checksum of %s", get->pair,
                       name);
    path = path_join(get->folder, name);
    st = path ? buf_append_format(&partial, err, "%s.incomplete", path) : err_memory(err, "a path");
    if (st == OK) st = buf_append_format(&url, err, "%s%s", get->base.data, get_text_of(attachment, "location"));
    task.url = url.data;
    task.partial = partial.data;
    task.size = (uint64_t)size;
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
                             get_text_of(get->files[0], "fromLang"), get_text_of(get->files[0], "toLang"),
                             get_text_of(get->files[0], "version")) < 0)
            st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (file && fclose(file) != 0 && st == OK) st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    }
    free(path);
    return st;
}

static uint64_t all_bytes(const FirefoxGet *get)
{
    uint64_t bytes = 0;
    int64_t size;

    for (size_t i = 0; i < get->count; i++)
        if (json_to_int64(
                cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(get->files[i], "attachment"), "size"),
                0, LARGEST, &size))
            bytes += (uint64_t)size;
    return bytes;
}

/* Moves the complete folder to its place; an older one is replaced. */
static Status install(const FirefoxGet *get, const char *target, Err *err)
{
    Buf old = { 0 };
    Status st = buf_append_format(&old, err, "%s.old", get->folder);

    if (st != OK) return st;
    folders_remove(old.data);
    (void)rename(target, old.data);
    if (rename(get->folder, target) != 0) {
        st = err_set(err, ERR_IO, "%s: %s", target, strerror(errno));
        (void)rename(old.data, target);
    }
    folders_remove(old.data);
    buf_free(&old);
    return st;
}

static Status fetch_all(FirefoxGet *get, const char *target, Err *err)
{
    Status st = folders_create(get->folder, err);

    meter_set_total(get->meter, all_bytes(get));
    if (st == OK) st = folders_check_space(get->folder, all_bytes(get), err);
    for (size_t i = 0; st == OK && i < get->count; i++) st = fetch_file(get, get->files[i], err);
    if (st == OK) st = write_languages(get, err);
    if (st == OK) st = get_try_to_open(get->folder, err);
    if (st == OK) st = install(get, target, err);
    if (get->refused || st == ERR_FORMAT) folders_remove(get->folder);
    return st;
}

static Status store(FirefoxGet *get, char **path, Err *err)
{
    char *models = model_places_firefox();
    Buf folder = { 0 };
    Status st = models ? buf_append_format(&folder, err, "%s/.%s.incomplete", models, get->pair)
                       : err_set(err, ERR_IO, "get: dragoman's folder is not known: set XDG_DATA_HOME or HOME");

    get->folder = folder.data;
    if (st == OK && !(*path = path_join(models, get->pair))) st = err_memory(err, "a path");
    if (st == OK) st = fetch_all(get, *path, err);
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
    if (st == OK) st = choose(&get, cJSON_GetObjectItemCaseSensitive(tree, "data"), err);
    if (st == OK) st = read_base(&get, err);
    if (st == OK) st = store(&get, path, err);
    cJSON_Delete(tree);
    buf_free(&get.server);
    buf_free(&get.base);
    web_free(get.web);
    free(get.folder);
    return st;
}
