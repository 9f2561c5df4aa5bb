/* hugging_face.c - downloads a model from the Hugging Face hub: see get.h.
 * The list of the files and the commit come from GET /api/models/NAME/revision/REVISION?blobs=true, the files from
 * /NAME/resolve/COMMIT/FILE. $HF_ENDPOINT is the server, and $HF_TOKEN or the file $HF_TOKEN_PATH, by default
 * $HF_HOME/token, the token. */
#include "get.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Adds a file with its size and hash: SHA-256 of a file in LFS, else git's id. */
static Status add_file(HubListing *out, const cJSON *item, const char *model, Err *err)
{
    const char *name = find_text(item, "rfilename");
    const cJSON *lfs = cJSON_GetObjectItemCaseSensitive(item, "lfs");
    const bool large = cJSON_IsObject(lfs);
    const char *hash = large ? find_text(lfs, "sha256") : find_text(item, "blobId");
    HubFile file = { .kind = large ? DIGEST_SHA256 : DIGEST_GIT_BLOB };
    int64_t bytes;
    Status st;

    if (!name) return err_set(err, ERR_FORMAT, "get: %s: the server's list has a file without a name", model);
    if (!is_safe_path(name)) return err_set(err, ERR_FORMAT, "get: %s: refused: unsafe file name '%s'", model, name);
    if (strchr(name, '/')) return OK;
    if (large && !hash) hash = find_text(lfs, "oid");
    if (!is_hex(hash, large ? SHA256_LENGTH : SHA1_LENGTH) ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(large ? lfs : item, "size"), 0, LARGEST_FILE, &bytes))
        return err_set(err, ERR_FORMAT, "get: %s: the server states no size or checksum of %s", model, name);
    file.size = (uint64_t)bytes;
    memcpy(file.hash, hash, strlen(hash) + 1);
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

/* The links are made in a folder `fresh`, which becomes `final`. If no other process can have the lock, all unfinished
 * snapshots have been left by processes that have ended. */
Status hub_cache_link(HubCache *cache, const HubListing *listing, char **path, Err *err)
{
    Buf final = { 0 }, fresh = { 0 };
    Status st;

    buf_put_format(&final, "%s/snapshots/%s", cache->model, listing->commit);
    buf_put_format(&fresh, "%s/" UNFINISHED "%ld", cache->model, (long)getpid());
    st = buf_check(&final, err);
    if (st == OK) st = buf_check(&fresh, err);
    if (st == OK && path_is_directory(final.data)) {
        st = link_files(final.data, listing, err);
    } else if (st == OK && (st = lock_cache(cache, "snapshots", err)) == OK) {
        if (cache->lock.is_exclusive) st = folders_clear(cache->model, is_no_unfinished, NULL, err);
        if (st == OK) st = folders_create(fresh.data, err);
        if (st == OK) st = link_files(fresh.data, listing, err);
        if (st == OK && rename(fresh.data, final.data) != 0)
            st = path_is_directory(final.data) ? link_files(final.data, listing, err) : system_fault(final.data, err);
        if (path_exists(fresh.data)) folders_remove(fresh.data);
        file_lock_release(&cache->lock);
    }
    buf_free(&fresh);
    if (st == OK)
        *path = final.data;
    else
        buf_free(&final);
    return st;
}

/* --- The download --------------------------------------------------------------------------- */

typedef struct {
    Get *get;
    char *model; /* ORG/NAME */
    const char *revision;
    char *endpoint; /* without a slash at the end */
    HubCache cache;
    HubListing listing;
    char **fresh; /* paths of blobs that this download has written [listing.count] */
    size_t fresh_count;
} HubGet;

/* Returns the token, to be freed by the caller: that of HF_TOKEN, else the first line of a file; NULL: there is
 * none. */
static char *find_token(Get *get)
{
    const char *own = model_places_variable("HF_TOKEN", NULL), *place = model_places_variable("HF_TOKEN_PATH", NULL);
    char *home = model_places_hugging_face();
    char *path = place ? model_places_expand(place) : home ? path_join(home, "token") : NULL;
    const char *source = own ? "HF_TOKEN" : path;
    Buf token = { 0 };

    if (own)
        buf_put_text(&token, own);
    else if (path && get->st == OK)
        get->st = small_file_read_if_any(&token, path, get->err);
    if (get->st == OK) get->st = buf_check(&token, get->err);
    if (get->st == OK && token.data) {
        token.len = strcspn(token.data, "\n");
        while (token.len && isspace((unsigned char)token.data[token.len - 1])) token.len--;
        token.data[token.len] = '\0';
    }
    if (token.len > MOST_TOKEN)
        get_fail(get, ERR_USAGE, "get: the token in %s has more than %d characters; check it", source, MOST_TOKEN);
    for (size_t i = 0; get->st == OK && i < token.len; i++)
        if (!isgraph((unsigned char)token.data[i]))
            get_fail(get, ERR_USAGE, "get: the token in %s contains a space or another invalid character", source);
    free(path);
    free(home);
    if (!token.len) buf_free(&token);
    return token.data;
}

/* Replaces the message for answers of the hub that mean something for the user. `file` may be NULL. */
static void explain(const HubGet *h, const WebReply *reply, const char *file)
{
    Get *get = h->get;
    const bool gated = strcmp(reply->error_code, "GatedRepo") == 0;
    const bool no_revision = strcmp(reply->error_code, "RevisionNotFound") == 0;

    if (get->st != ERR_IO || reply->broken || (reply->status != 401 && reply->status != 403 && reply->status != 404))
        return;
    get->st = OK;
    if (reply->status == 403 || (gated && reply->status == 401))
        get_fail(get, ERR_IO,
                 "get: %s: access denied (%ld): accept the terms of the model on %s/%s, and set HF_TOKEN to a token of "
                 "your account",
                 h->model, reply->status, h->endpoint, h->model);
    else if (reply->status == 401)
        get_fail(get, ERR_IO,
                 "get: %s: not found, or private (401): check the name; for a private model, set HF_TOKEN to a valid "
                 "token",
                 h->model);
    else if (file)
        get_fail(get, ERR_IO, "get: %s: the server does not have the file %s (404); run the command again", h->model,
                 file);
    else if (no_revision || strcmp(h->revision, "main") != 0)
        get_fail(get, ERR_IO, "get: %s: not found (404): check the name of the model and the revision '%s'", h->model,
                 h->revision);
    else
        get_fail(get, ERR_IO, "get: %s: no such model (404): check the name", h->model);
}

static void read_listing(HubGet *h)
{
    Get *get = h->get;
    WebReply reply = { .status = 0 };
    Buf url = { 0 }, answer = { 0 };

    buf_put_format(&url, "%s/api/models/%s/revision/", h->endpoint, h->model);
    web_put_escaped(&url, h->revision);
    buf_put_text(&url, "?blobs=true");
    if (get->st == OK) get->st = buf_check(&url, get->err);
    if (get->st == OK) {
        get->st = web_get_text(get->web, url.data, GET_MOST_ANSWER, &answer, &reply, get->err);
        explain(h, &reply, NULL);
    }
    if (get->st == OK) get->st = hub_listing_read(&h->listing, &answer, h->model, get->err);
    buf_free(&answer);
    buf_free(&url);
}

static void fetch_file(HubGet *h, const HubFile *file)
{
    Get *get = h->get;
    char *partial = get_format(get, "%s/blobs/%s.incomplete", h->cache.model, file->hash);
    char *blob = get_format(get, "%s/blobs/%s", h->cache.model, file->hash);
    DownloadTask task = { .name = file->name,
                          .partial = partial,
                          .size = file->size,
                          .kind = file->kind,
                          .hash = file->hash,
                          .refused = &get->refused };
    WebReply reply = { .status = 0 };
    Buf url = { 0 };

    buf_put_format(&url, "%s/%s/resolve/%s/", h->endpoint, h->model, h->listing.commit);
    web_put_escaped(&url, file->name);
    task.url = url.data;
    if (get->st == OK) get->st = buf_check(&url, get->err);
    if (get->st == OK) get->st = lock_cache(&h->cache, file->hash, get->err);
    /* Another process may have written the blob while this one waited for the lock. */
    if (get_file(get, &task, blob, &reply)) {
        h->fresh[h->fresh_count++] = blob;
        blob = NULL;
    } else if (get->st == OK) {
        get->progress->now.done += file->size;
        get->progress->now.had += file->size;
    }
    explain(h, &reply, file->name);
    file_lock_release(&h->cache.lock);
    buf_free(&url);
    free(partial);
    free(blob);
}

/* Downloads the index and marks the parts that it lists. */
static void want_parts(HubGet *h)
{
    const HubFile *index = hub_listing_index(&h->listing);
    Get *get = h->get;
    char *blob, chunk[4096];
    FILE *file;
    Buf text = { 0 };

    if (!index) return;
    if (index->size > MOST_INDEX) get_fail(get, ERR_FORMAT, "get: %s: %s is too large", h->model, index->name);
    fetch_file(h, index);
    blob = get_format(get, "%s/blobs/%s", h->cache.model, index->hash);
    file = blob ? fopen(blob, "rb") : NULL;
    if (!file) get_fail(get, ERR_IO, "get: %s cannot be read", index->name);
    buf_put_text(&text, "");
    for (size_t n; file && (n = fread(chunk, 1, sizeof chunk, file)) > 0;) buf_put(&text, chunk, n);
    if (file) fclose(file);
    if (get->st == OK) get->st = buf_check(&text, get->err);
    if (get->st == OK) get->st = hub_listing_want_parts(&h->listing, &text, h->model, get->err);
    buf_free(&text);
    free(blob);
}

static void fetch_all(HubGet *h)
{
    const HubFile *index = hub_listing_index(&h->listing), *end = h->listing.files + h->listing.count;
    Get *get = h->get;
    uint64_t missing = 0; /* bytes that are not in the cache yet */

    if (get->st == OK) want_parts(h);
    get->progress->now.total = hub_listing_wanted_bytes(&h->listing);
    for (const HubFile *file = h->listing.files; file < end; file++) {
        char *blob = file->wanted ? get_format(get, "%s/blobs/%s", h->cache.model, file->hash) : NULL;
        if (blob && !path_exists(blob)) missing += file->size;
        free(blob);
    }
    if (get->st == OK) {
        get->st = folders_check_space(h->cache.model, missing, get->err);
        get->refused = get->st != OK;
    }
    for (const HubFile *file = h->listing.files; get->st == OK && file < end; file++)
        if (file->wanted && file != index) fetch_file(h, file);
}

/* Writes the commit that the revision stands for; nothing if it is the commit itself. */
static void set_revision(const HubGet *h)
{
    Get *get = h->get;
    const char *commit = h->listing.commit;
    char *path = get_format(get, "%s/refs/%s", h->cache.model, h->revision), *folder = NULL, *fresh = NULL;
    int fd, fault = 0;

    if (get->st == OK && strcmp(h->revision, commit) != 0) {
        folder = path_folder(path);
        if (folder)
            get_create_folder(get, folder);
        else
            get->st = err_memory(get->err, "a path");
        if (get->st == OK)
            get->st = temporary_file_create(&fd, &fresh, folder, path_name(path), 0666, &fault, get->err);
        if (fault) get->st = err_set(get->err, ERR_IO, "%s: %s", folder, strerror(fault));
        if (get->st == OK) {
            fault = write_all(fd, commit, strlen(commit));
            if (close(fd) != 0 && !fault) fault = errno;
            if (fault) get_fail(get, ERR_IO, "%s: %s", fresh, strerror(fault));
            if (get->st == OK && rename(fresh, path) != 0) get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
            if (get->st != OK) (void)unlink(fresh);
            temporary_file_forget(fresh);
        }
    }
    free(fresh);
    free(folder);
    free(path);
}

/* Downloads the wanted files to the cache. The folders of the model are removed again if they stay empty. */
static void store(HubGet *h, char **path)
{
    static const char *const folders[] = { "/blobs", "/snapshots", "/refs", "" };
    const size_t folder_count = sizeof folders / sizeof *folders;
    Get *get = h->get;
    char *hub = model_places_hub();
    Buf name = { 0 };

    if (!hub) get->st = model_places_fault("get: the cache is not known: set HF_HOME or HOME", get->err);
    model_places_put_hub_folder(&name, h->model);
    if (get->st == OK) get->st = buf_check(&name, get->err);
    h->cache.model = get_format(get, "%s/%s", hub, name.data);
    h->cache.locks = get_format(get, "%s/.locks/%s", hub, name.data);
    for (size_t i = 0; i < folder_count; i++) {
        char *folder = get_format(get, "%s%s", h->cache.model, folders[i]);
        get_create_folder(get, folder);
        free(folder);
    }
    get_create_folder(get, h->cache.locks);
    h->fresh = calloc(h->listing.count + 1, sizeof *h->fresh);
    if (get->st == OK && !h->fresh) get->st = err_memory(get->err, "a list of files");
    fetch_all(h);
    if (get->st == OK) get->st = hub_cache_link(&h->cache, &h->listing, path, get->err);
    set_revision(h);
    for (size_t i = 0; i < h->fresh_count; i++) {
        if (get->refused) (void)unlink(h->fresh[i]); /* of no use on a full disk */
        free(h->fresh[i]);
    }
    free(h->fresh);
    for (size_t i = 0; h->cache.model && i < folder_count; i++) {
        Buf folder = { 0 };
        buf_put_format(&folder, "%s%s", h->cache.model, folders[i]);
        if (!folder.failed) (void)rmdir(folder.data);
        buf_free(&folder);
    }
    if (h->cache.locks) (void)rmdir(h->cache.locks);
    free(h->cache.model);
    free(h->cache.locks);
    buf_free(&name);
    free(hub);
}

void get_from_hugging_face(Get *get, const char *name, char **path)
{
    const char *endpoint = model_places_variable("HF_ENDPOINT", ENDPOINT);
    const size_t model_len = strcspn(name, "@");
    size_t len = strlen(endpoint);
    HubGet h = { .get = get, .revision = name[model_len] ? name + model_len + 1 : "main" };
    char *token;

    while (len && endpoint[len - 1] == '/') len--;
    h.model = get_format(get, "%.*s", (int)model_len, name);
    h.endpoint = get_format(get, "%.*s", (int)len, endpoint);
    token = find_token(get);
    get_open(get, h.endpoint, token);
    if (get->st == OK) read_listing(&h);
    if (get->st == OK) store(&h, path);
    hub_listing_free(&h.listing);
    free(token);
    free(h.endpoint);
    free(h.model);
}
