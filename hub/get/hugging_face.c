/* hugging_face.c - downloads a model from the Hugging Face hub: see get_sources.h.
 * The list of the files and the commit come from GET /api/models/NAME/revision/REVISION?blobs=true, the files from
 * /NAME/resolve/COMMIT/FILE. $HF_ENDPOINT is the server, and $HF_TOKEN or the file $HF_TOKEN_PATH, by default
 * $HF_HOME/token, the token. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "get_sources.h"
#include "hugging_face.h"
#include "json.h"
#include "model_places.h"
#include "path.h"
#include "temporary_file.h"
#include "text.h"

#define ENDPOINT      "https://huggingface.co"
#define MOST_TOKEN    8192 /* servers refuse longer headers */
#define MOST_INDEX    ((size_t)64 << 20)
#define LARGEST_FILE  ((int64_t)1 << 46)
#define MOST_FILES    ((size_t)100000)
#define HEX           "0123456789abcdef"
#define SHA1_LENGTH   40
#define SHA256_LENGTH 64
#define UNFINISHED    ".snapshot-" /* how the name of a snapshot begins until it is complete */

/* --- The list of files ---------------------------------------------------------------------
 * The files that dragoman needs are in the model's folder itself, never below it. */

/* Everything but the weights: settings, vocabularies, shortlists. */
static const char *const needed[] = {
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "adapter_config.json", /* so that its model is refused */
    "tokenizer.json",
    "*vocab.json",
    "*vocab*.txt",
    "*vocab*.yml",
    "*vocabulary.json",
    "merges.txt",
    "*.spm",
    "*.model",
    "*.vocab",
    "*.yml",
    "metadata.json",
    "model_info.json",
    "preprocess.sh",
    "postprocess.sh",
    "tokenization_small100.py",
    "lex*.s2t.bin",
    "vmap*.txt",
    "dict*.txt",
    "dragoman-calibration.json", /* docs/calibration.md */
};

/* Weights, best first: of these, all files that match the first pattern with a match. */
static const char *const weights[] = {
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "model.bin",
    "model.npz",
    "*.npz",
    "model*.intgemm*.bin*",
    "*.safetensors",
};

static bool is_hex(const char *text, size_t len)
{
    return text && strlen(text) == len && strspn(text, HEX) == len;
}

/* Whether no part of the path is empty, "." or "..", and no character is a control character. */
static bool is_safe_path(const char *name)
{
    for (const char *at = name;; at++) {
        size_t len = strcspn(at, "/");
        if (!len || (len <= 2 && strspn(at, ".") >= len)) return false;
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f || at[i] == '\\') return false;
        at += len;
        if (!*at) return true;
    }
}

static const char *find_text(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Reads the size and the hash: SHA-256 of a file in LFS, else git's id. False if one is missing. */
static bool read_checks(HubFile *file, const cJSON *item)
{
    const cJSON *lfs = cJSON_GetObjectItemCaseSensitive(item, "lfs");
    const bool large = cJSON_IsObject(lfs);
    const char *hash = large ? find_text(lfs, "sha256") : find_text(item, "blobId");
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(large ? lfs : item, "size");
    int64_t bytes;

    if (large && !hash) hash = find_text(lfs, "oid");
    if (!is_hex(hash, large ? SHA256_LENGTH : SHA1_LENGTH) || !json_to_int64(size, 0, LARGEST_FILE, &bytes))
        return false;
    file->kind = large ? DIGEST_SHA256 : DIGEST_GIT_BLOB;
    file->size = (uint64_t)bytes;
    memcpy(file->hash, hash, strlen(hash) + 1);
    return true;
}

static Status add_file(HubListing *out, const cJSON *item, const char *model, Err *err)
{
    const char *name = find_text(item, "rfilename");
    HubFile file = { .name = NULL };
    Status st;

    if (!name) return err_set(err, ERR_FORMAT, "get: %s: the server's list has a file without a name", model);
    if (!is_safe_path(name)) return err_set(err, ERR_FORMAT, "get: %s: refused: unsafe file name '%s'", model, name);
    if (strchr(name, '/')) return OK;
    if (!read_checks(&file, item))
        return err_set(err, ERR_FORMAT, "get: %s: the server states no size or checksum of %s", model, name);
    st = buf_grow_list(&out->files, &out->capacity, out->count, 1, sizeof *out->files, "a list of files", err);
    if (st == OK && !(file.name = strdup(name))) st = err_memory(err, "a list of files");
    if (st == OK) out->files[out->count++] = file;
    return st;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const HubFile *)a)->name, ((const HubFile *)b)->name);
}

/* Marks all files that match; returns whether there are any. */
static bool want(HubListing *listing, const char *pattern)
{
    bool found = false;

    for (size_t i = 0; i < listing->count; i++) {
        if (fnmatch(pattern, listing->files[i].name, FNM_PERIOD) != 0) continue;
        found = listing->files[i].wanted = true;
    }
    return found;
}

Status hub_listing_read(HubListing *out, const Buf *answer, const char *model, Err *err)
{
    cJSON *tree = NULL;
    const cJSON *item, *files;
    const char *commit;
    size_t best = 0;
    Status st = json_parse(&tree, answer->data, answer->len, "get: the server's answer", err);

    commit = find_text(tree, "sha");
    files = cJSON_GetObjectItemCaseSensitive(tree, "siblings");
    if (st == OK && (!is_hex(commit, HUB_COMMIT_LENGTH) || !cJSON_IsArray(files)))
        st = err_set(err, ERR_FORMAT, "get: %s: the server's answer names no commit or no files", model);
    if (st == OK) memcpy(out->commit, commit, sizeof out->commit);
    if (st == OK && (size_t)cJSON_GetArraySize(files) > MOST_FILES)
        st = err_set(err, ERR_FORMAT, "get: %s: more than %zu files", model, MOST_FILES);
    cJSON_ArrayForEach(item, files)
    {
        if (st == OK) st = add_file(out, item, model, err);
    }
    cJSON_Delete(tree);
    if (st != OK) return st;

    /* The files are sorted, so that they can be found by name; each name must be there once. */
    if (out->count) qsort(out->files, out->count, sizeof *out->files, compare_names);
    for (size_t i = 1; i < out->count; i++)
        if (strcmp(out->files[i - 1].name, out->files[i].name) == 0)
            return err_set(err, ERR_FORMAT, "get: %s: the server lists %s twice", model, out->files[i].name);

    while (best < sizeof weights / sizeof *weights && !want(out, weights[best])) best++;
    if (best == sizeof weights / sizeof *weights)
        return err_set(err, ERR_UNSUPPORTED,
                       "get: %s: has no weights that dragoman reads (safetensors, PyTorch, CTranslate2 or Marian)",
                       model);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) (void)want(out, needed[i]);
    return OK;
}

void hub_listing_free(HubListing *listing)
{
    for (size_t i = 0; i < listing->count; i++) free(listing->files[i].name);
    free(listing->files);
    *listing = (HubListing){ .count = 0 };
}

const HubFile *hub_listing_index(const HubListing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        if (listing->files[i].wanted && text_ends_with(listing->files[i].name, ".index.json"))
            return &listing->files[i];
    return NULL;
}

Status hub_listing_want_parts(HubListing *listing, const Buf *index, const char *model, Err *err)
{
    cJSON *tree = NULL;
    const cJSON *map, *part, *last = NULL;
    Status st = json_parse(&tree, index->data, index->len, "get: the index of the weights", err);

    map = cJSON_GetObjectItemCaseSensitive(tree, "weight_map");
    if (st == OK && (!cJSON_IsObject(map) || !map->child))
        st = err_set(err, ERR_FORMAT, "get: %s: the index of the weights is invalid", model);
    cJSON_ArrayForEach(part, map)
    {
        const HubFile wanted = { .name = part->valuestring };
        const bool again = last && cJSON_Compare(last, part, true);
        HubFile *found = NULL;
        last = part;
        if (st != OK || again) continue;
        if (cJSON_IsString(part))
            found = bsearch(&wanted, listing->files, listing->count, sizeof wanted, compare_names);
        if (found)
            found->wanted = true;
        else if (cJSON_IsString(part))
            st = err_set(err, ERR_FORMAT, "get: %s: the index of the weights names %s, which the server does not have",
                         model, part->valuestring);
        else
            st = err_set(err, ERR_FORMAT, "get: %s: the index of the weights is invalid", model);
    }
    cJSON_Delete(tree);
    return st;
}

uint64_t hub_listing_wanted_bytes(const HubListing *listing)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < listing->count; i++)
        if (listing->files[i].wanted) bytes += listing->files[i].size;
    return bytes;
}

/* --- The cache ------------------------------------------------------------------------------ */

static Status system_fault(const char *path, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

/* The folders of a model that are removed again if they stay empty. */
static const char *const cache_folders[] = { "blobs", "snapshots", "refs" };

/* Creates the folders for the model `name`. */
static Status open_cache(HubCache *cache, const char *name, Err *err)
{
    char *hub = model_places_hub();
    Buf folder = { 0 }, locks = { 0 };
    Status st = hub ? OK : model_places_fault("get: the cache is not known: set HF_HOME or HOME", err);

    if (st != OK) return st;
    buf_put_format(&folder, "%s/", hub);
    model_places_put_hub_folder(&folder, name);
    if (!folder.failed) buf_put_format(&locks, "%s/.locks%s", hub, folder.data + strlen(hub));
    cache->model = folder.data;
    cache->locks = locks.data;
    st = buf_check(&folder, err);
    if (st == OK) st = buf_check(&locks, err);
    for (size_t i = 0; st == OK && i < sizeof cache_folders / sizeof *cache_folders; i++) {
        char *path = path_join(cache->model, cache_folders[i]);
        st = path ? folders_create(path, err) : err_memory(err, "a path");
        free(path);
    }
    if (st == OK) st = folders_create(cache->locks, err);
    free(hub);
    return st;
}

/* Removes folders of this model that are empty. */
static void close_cache(HubCache *cache)
{
    for (size_t i = 0; cache->model && i < sizeof cache_folders / sizeof *cache_folders; i++) {
        char *path = path_join(cache->model, cache_folders[i]);
        if (path) (void)rmdir(path);
        free(path);
    }
    if (cache->model) (void)rmdir(cache->model);
    if (cache->locks) (void)rmdir(cache->locks);
    free(cache->model);
    free(cache->locks);
}

/* Waits until no other process holds the lock of this name, the hash of a blob, and takes it. Without locks, blobs are
 * still right, because only whole ones get their names. */
static Status lock_cache(HubCache *cache, const char *name, Err *err)
{
    Buf path = { 0 };
    Status st;

    buf_put_format(&path, "%s/%s.lock", cache->locks, name);
    st = buf_check(&path, err);
    if (st == OK) st = file_lock_take(&cache->lock, path.data, err);
    buf_free(&path);
    return st;
}

/* The path of a blob followed by `ending`, to be freed by the caller; NULL when out of memory. */
static char *blob_path(const HubCache *cache, const char *hash, const char *ending)
{
    Buf path = { 0 };

    buf_put_format(&path, "%s/blobs/%s%s", cache->model, hash, ending);
    if (path.failed) buf_free(&path);
    return path.data;
}

/* Links the wanted files in a folder that is two levels below the one of the model. */
static Status link_files(const char *folder, const HubListing *listing, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < listing->count; i++) {
        const HubFile *file = &listing->files[i];
        char *path = file->wanted ? path_join(folder, file->name) : NULL;
        Buf target = { 0 };
        if (!file->wanted) continue;
        buf_put_format(&target, "../../blobs/%s", file->hash);
        st = path ? buf_check(&target, err) : err_memory(err, "a path");
        if (st == OK && symlink(target.data, path) != 0 && errno != EEXIST) st = system_fault(path, err);
        buf_free(&target);
        free(path);
    }
    return st;
}

static bool is_no_unfinished(const void *context, const char *name)
{
    (void)context;
    return !text_begins_with(name, UNFINISHED);
}

/* Makes the links in the folder `fresh`, which becomes `final`. If no other process can have the lock, all unfinished
 * snapshots have been left by processes that have ended. */
static Status link_new(HubCache *cache, const HubListing *listing, const char *fresh, const char *final, Err *err)
{
    Status st = lock_cache(cache, "snapshots", err);

    if (st != OK) return st;
    if (cache->lock.is_exclusive) st = folders_clear(cache->model, is_no_unfinished, NULL, err);
    if (st == OK) st = folders_create(fresh, err);
    if (st == OK) st = link_files(fresh, listing, err);
    if (st == OK && rename(fresh, final) != 0)
        st = path_is_directory(final) ? link_files(final, listing, err) : system_fault(final, err);
    if (path_exists(fresh)) folders_remove(fresh);
    file_lock_release(&cache->lock);
    return st;
}

Status hub_cache_link(HubCache *cache, const HubListing *listing, char **path, Err *err)
{
    Buf final = { 0 }, fresh = { 0 };
    Status st;

    buf_put_format(&final, "%s/snapshots/%s", cache->model, listing->commit);
    buf_put_format(&fresh, "%s/" UNFINISHED "%ld", cache->model, (long)getpid());
    st = buf_check(&final, err);
    if (st == OK) st = buf_check(&fresh, err);
    if (st == OK)
        st = path_is_directory(final.data) ? link_files(final.data, listing, err)
                                           : link_new(cache, listing, fresh.data, final.data, err);
    buf_free(&fresh);
    if (st == OK)
        *path = final.data;
    else
        buf_free(&final);
    return st;
}

/* Writes the commit that `revision` stands for; nothing if it is the commit itself. */
static Status set_revision(const HubCache *cache, const char *revision, const char *commit, Err *err)
{
    Buf path = { 0 };
    char *folder = NULL, *fresh = NULL;
    int fd, fault = 0, code;
    Status st;

    if (strcmp(revision, commit) == 0) return OK;
    buf_put_format(&path, "%s/refs/%s", cache->model, revision);
    st = buf_check(&path, err);
    if (st == OK && !(folder = path_folder(path.data))) st = err_memory(err, "a path");
    if (st == OK) st = folders_create(folder, err);
    if (st == OK) st = temporary_file_create(&fd, &fresh, folder, path_name(path.data), 0666, &fault, err);
    if (fault) st = err_set(err, ERR_IO, "%s: %s", folder, strerror(fault));
    if (st == OK) {
        code = write_all(fd, commit, strlen(commit));
        if (close(fd) != 0 && !code) code = errno;
        if (code) st = err_set(err, ERR_IO, "%s: %s", fresh, strerror(code));
        if (st == OK && rename(fresh, path.data) != 0) st = system_fault(path.data, err);
        if (st != OK) (void)unlink(fresh);
        temporary_file_forget(fresh);
    }
    free(fresh);
    free(folder);
    buf_free(&path);
    return st;
}

/* --- The download --------------------------------------------------------------------------- */

typedef struct {
    char *model; /* ORG/NAME */
    const char *revision;
    char *endpoint; /* without a slash at the end */
    Web *web;
    Progress *progress;
    HubCache cache;
    HubListing listing;
    char **fresh; /* paths of blobs that this download has written [listing.count] */
    size_t fresh_count;
    bool refused; /* files cannot be written, as on a full disk */
} HubGet;

/* Appends the token, if there is one: that of HF_TOKEN, else the first line of a file. */
static Status find_token(Buf *token, Err *err)
{
    const char *own = getenv("HF_TOKEN"), *place = getenv("HF_TOKEN_PATH");
    char *home = model_places_hugging_face();
    char *path = place && *place ? model_places_expand(place) : home ? path_join(home, "token") : NULL;
    const char *source = own && *own ? "HF_TOKEN" : path;
    Status st = OK;

    if (own && *own)
        buf_put_text(token, own);
    else if (path)
        st = small_file_read_if_any(token, path, err);
    if (st == OK) st = buf_check(token, err);
    if (st == OK && token->data) {
        token->len = strcspn(token->data, "\n");
        while (token->len && isspace((unsigned char)token->data[token->len - 1])) token->len--;
        token->data[token->len] = '\0';
    }
    if (st == OK && token->len > MOST_TOKEN)
        st = err_set(err, ERR_USAGE, "get: the token in %s has more than %d characters; check it", source, MOST_TOKEN);
    for (size_t i = 0; st == OK && i < token->len; i++)
        if (!isgraph((unsigned char)token->data[i]))
            st = err_set(err, ERR_USAGE, "get: the token in %s contains a space or another invalid character", source);
    free(path);
    free(home);
    return st;
}

/* Replaces the message for answers of the hub that mean something for the user. `file` may be NULL. */
static Status explain(const HubGet *get, const WebReply *reply, const char *file, Err *err)
{
    const bool gated = strcmp(reply->error_code, "GatedRepo") == 0;
    const bool no_revision = strcmp(reply->error_code, "RevisionNotFound") == 0;

    if (reply->broken) return ERR_IO;
    if (reply->status == 403 || (gated && reply->status == 401))
        return err_set(err, ERR_IO,
                       "get: %s: access denied (%ld): accept the terms of the model on %s/%s, and set HF_TOKEN to a "
                       "token of your account",
                       get->model, reply->status, get->endpoint, get->model);
    if (reply->status == 401)
        return err_set(err, ERR_IO,
                       "get: %s: not found, or private (401): check the name; for a private model, set HF_TOKEN to a "
                       "valid token",
                       get->model);
    if (reply->status == 404 && file)
        return err_set(err, ERR_IO, "get: %s: the server does not have the file %s (404); run the command again",
                       get->model, file);
    if (reply->status == 404 && (no_revision || strcmp(get->revision, "main") != 0))
        return err_set(err, ERR_IO, "get: %s: not found (404): check the name of the model and the revision '%s'",
                       get->model, get->revision);
    if (reply->status == 404) return err_set(err, ERR_IO, "get: %s: no such model (404): check the name", get->model);
    return ERR_IO;
}

static Status read_listing(HubGet *get, Err *err)
{
    WebReply reply = { .status = 0 };
    Buf url = { 0 }, answer = { 0 };
    Status st;

    buf_put_format(&url, "%s/api/models/%s/revision/", get->endpoint, get->model);
    web_put_escaped(&url, get->revision);
    buf_put_text(&url, "?blobs=true");
    st = buf_check(&url, err);
    if (st == OK) {
        st = web_get_text(get->web, url.data, GET_MOST_ANSWER, &answer, &reply, err);
        if (st == ERR_IO) st = explain(get, &reply, NULL, err);
    }
    if (st == OK) st = hub_listing_read(&get->listing, &answer, get->model, err);
    buf_free(&answer);
    buf_free(&url);
    return st;
}

static Status fetch_file(HubGet *get, const HubFile *file, Err *err)
{
    char *partial = blob_path(&get->cache, file->hash, ".incomplete");
    char *blob = blob_path(&get->cache, file->hash, "");
    DownloadTask task = { .name = file->name,
                          .partial = partial,
                          .size = file->size,
                          .kind = file->kind,
                          .hash = file->hash,
                          .refused = &get->refused };
    WebReply reply = { .status = 0 };
    Buf url = { 0 };
    bool same = false;
    Status st = partial && blob ? OK : err_memory(err, "a path");

    buf_put_format(&url, "%s/%s/resolve/%s/", get->endpoint, get->model, get->listing.commit);
    web_put_escaped(&url, file->name);
    task.url = url.data;
    if (st == OK) st = buf_check(&url, err);
    if (st == OK) st = lock_cache(&get->cache, file->hash, err);
    /* Another process may have written the blob while this one waited for the lock. */
    if (st == OK) st = download_check_existing(blob, &task, &same, err);
    if (st == OK && same) {
        get->progress->now.done += file->size;
        get->progress->now.had += file->size;
    } else if (st == OK) {
        st = download_file(get->web, &task, get->progress, &reply, err);
        if (st == ERR_IO && reply.status != 200 && reply.status != 206) st = explain(get, &reply, file->name, err);
        if (st == OK && rename(partial, blob) != 0) st = system_fault(blob, err);
        if (st == OK) {
            get->fresh[get->fresh_count++] = blob;
            blob = NULL;
        }
    }
    file_lock_release(&get->cache.lock);
    buf_free(&url);
    free(partial);
    free(blob);
    return st;
}

/* Downloads the index and marks the parts that it lists. */
static Status want_parts(HubGet *get, Err *err)
{
    const HubFile *index = hub_listing_index(&get->listing);
    char *blob;
    FILE *file;
    Buf text = { 0 };
    char chunk[4096];
    Status st;

    if (!index) return OK;
    if (index->size > MOST_INDEX) return err_set(err, ERR_FORMAT, "get: %s: %s is too large", get->model, index->name);
    st = fetch_file(get, index, err);
    if (st != OK) return st;
    blob = blob_path(&get->cache, index->hash, "");
    file = blob ? fopen(blob, "rb") : NULL;
    if (!file) st = err_set(err, ERR_IO, "get: %s cannot be read", index->name);
    buf_put_text(&text, "");
    for (size_t n; file && (n = fread(chunk, 1, sizeof chunk, file)) > 0;) buf_put(&text, chunk, n);
    if (file) fclose(file);
    if (st == OK) st = buf_check(&text, err);
    if (st == OK) st = hub_listing_want_parts(&get->listing, &text, get->model, err);
    buf_free(&text);
    free(blob);
    return st;
}

static Status fetch_all(HubGet *get, Err *err)
{
    const HubFile *index = hub_listing_index(&get->listing);
    uint64_t missing = 0; /* bytes that are not in the cache yet */
    Status st = want_parts(get, err);

    get->progress->now.total = hub_listing_wanted_bytes(&get->listing);
    for (size_t i = 0; st == OK && i < get->listing.count; i++) {
        const HubFile *file = &get->listing.files[i];
        char *blob = file->wanted ? blob_path(&get->cache, file->hash, "") : NULL;
        if (blob && !path_exists(blob)) missing += file->size;
        free(blob);
    }
    if (st == OK) {
        st = folders_check_space(get->cache.model, missing, err);
        get->refused = st != OK;
    }
    for (size_t i = 0; st == OK && i < get->listing.count; i++)
        if (get->listing.files[i].wanted && &get->listing.files[i] != index)
            st = fetch_file(get, &get->listing.files[i], err);
    return st;
}

static Status store(HubGet *get, char **path, Err *err)
{
    Status st = open_cache(&get->cache, get->model, err);

    get->fresh = calloc(get->listing.count + 1, sizeof *get->fresh);
    if (st == OK && !get->fresh) st = err_memory(err, "a list of files");
    if (st == OK) st = fetch_all(get, err);
    if (st == OK) st = hub_cache_link(&get->cache, &get->listing, path, err);
    if (st == OK) st = set_revision(&get->cache, get->revision, get->listing.commit, err);
    for (size_t i = 0; i < get->fresh_count; i++) {
        if (get->refused) (void)unlink(get->fresh[i]); /* of no use on a full disk */
        free(get->fresh[i]);
    }
    free(get->fresh);
    close_cache(&get->cache);
    return st;
}

Status get_from_hugging_face(char **path, const char *name, Progress *progress, Err *err)
{
    const char *own = getenv("HF_ENDPOINT"), *at = strchr(name, '@');
    const char *endpoint = own && *own ? own : ENDPOINT;
    size_t len = strlen(endpoint);
    HubGet get = { .revision = at ? at + 1 : "main", .progress = progress };
    Buf token = { 0 };
    char *address;
    Status st;

    while (len && endpoint[len - 1] == '/') len--;
    get.model = strndup(name, at ? (size_t)(at - name) : strlen(name));
    get.endpoint = address = strndup(endpoint, len);
    st = get.model && address ? find_token(&token, err) : err_memory(err, "an address");
    if (st == OK) st = web_new(&get.web, address, token.len ? token.data : NULL, err);
    if (st == OK) st = read_listing(&get, err);
    if (st == OK) st = store(&get, path, err);
    buf_free(&token);
    hub_listing_free(&get.listing);
    web_free(get.web);
    free(address);
    free(get.model);
    return st;
}
