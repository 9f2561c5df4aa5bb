/* hub_get.c - downloads a model from the Hugging Face hub: see get_sources.h.
 * The list of the files and the commit come from GET /api/models/NAME/revision/REVISION?blobs=true, the files from
 * /NAME/resolve/COMMIT/FILE. $HF_ENDPOINT is the server, and $HF_TOKEN or the file $HF_TOKEN_PATH, by default
 * $HF_HOME/token, the token. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "download.h"
#include "folders.h"
#include "get_sources.h"
#include "hub_cache.h"
#include "hub_listing.h"
#include "model_places.h"
#include "path.h"
#include "small_file.h"

#define ENDPOINT   "https://huggingface.co"
#define MOST_TOKEN 8192 /* servers refuse longer headers */
#define MOST_INDEX ((size_t)64 << 20)

typedef struct {
    char *model; /* ORG/NAME */
    const char *revision;
    char *endpoint; /* without a slash at the end */
    Web *web;
    Meter *meter;
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
    Status st = own && *own ? buf_append_text(token, own, err) : path ? small_file_read_if_any(token, path, err) : OK;

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

/* `name` is ORG/NAME or ORG/NAME@REVISION. */
static Status set_names(HubGet *get, const char *name, Err *err)
{
    const char *own = getenv("HF_ENDPOINT"), *at = strchr(name, '@');
    const char *endpoint = own && *own ? own : ENDPOINT;
    size_t len = strlen(endpoint);

    while (len && endpoint[len - 1] == '/') len--;
    get->model = strndup(name, at ? (size_t)(at - name) : strlen(name));
    get->revision = at ? at + 1 : "main";
    get->endpoint = strndup(endpoint, len);
    return get->model && get->endpoint ? OK : err_memory(err, "an address");
}

static Status connect_to_hub(HubGet *get, Err *err)
{
    Buf token = { 0 };
    Web *web = NULL;
    Status st = find_token(&token, err);

    if (st == OK) st = web_new(&web, get->endpoint, token.len ? token.data : NULL, err);
    get->web = web;
    buf_free(&token);
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
    Status st = buf_append_format(&url, err, "%s/api/models/%s/revision/", get->endpoint, get->model);

    if (st == OK) st = web_append_escaped(&url, get->revision, strlen(get->revision), err);
    if (st == OK) st = buf_append_text(&url, "?blobs=true", err);
    if (st == OK) {
        st = web_get_text(get->web, url.data, GET_MOST_ANSWER, &answer, &reply, err);
        if (st == ERR_IO) st = explain(get, &reply, NULL, err);
    }
    if (st == OK) st = hub_listing_read(&get->listing, &answer, get->model, err);
    buf_free(&answer);
    buf_free(&url);
    return st;
}

/* Renames the complete file, whose bytes are on the disk. */
static Status keep_blob(HubGet *get, const char *partial, char **blob, Err *err)
{
    if (rename(partial, *blob) != 0) return err_set(err, ERR_IO, "%s: %s", *blob, strerror(errno));
    get->fresh[get->fresh_count++] = *blob;
    *blob = NULL;
    return OK;
}

/* Another process may have written the blob while this one waited for the lock. */
static Status fetch_locked(HubGet *get, const DownloadTask *task, char **blob, Err *err)
{
    WebReply reply = { .status = 0 };
    bool same = false;
    Status st = download_check_existing(*blob, task, &same, err);

    if (st == OK && same) meter_skip(get->meter, (int64_t)task->size);
    if (st != OK || same) return st;
    st = download_file(get->web, task, get->meter, &reply, err);
    if (st == ERR_IO && reply.status != 200 && reply.status != 206) st = explain(get, &reply, task->name, err);
    return st == OK ? keep_blob(get, task->partial, blob, err) : st;
}

static Status fetch_file(HubGet *get, const HubFile *file, Err *err)
{
    char *partial = hub_cache_blob(&get->cache, file->hash, ".incomplete");
    char *blob = hub_cache_blob(&get->cache, file->hash, "");
    DownloadTask task = { .name = file->name, .partial = partial, .size = file->size, .refused = &get->refused };
    Buf url = { 0 };
    Status st = partial && blob ? OK : err_memory(err, "a path");

    if (st == OK)
        st = buf_append_format(&url, err, "%s/%s/resolve/%s/", get->endpoint, get->model, get->listing.commit);
    if (st == OK) st = web_append_escaped(&url, file->name, strlen(file->name), err);
    task.url = url.data;
    task.kind = file->kind;
    task.hash = file->hash;
    if (st == OK) st = hub_cache_lock(&get->cache, file->hash, err);
    if (st == OK) st = fetch_locked(get, &task, &blob, err);
    hub_cache_unlock(&get->cache);
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
    blob = hub_cache_blob(&get->cache, index->hash, "");
    file = blob ? fopen(blob, "rb") : NULL;
    if (!file) st = err_set(err, ERR_IO, "get: %s cannot be read", index->name);
    for (size_t n; st == OK && (n = fread(chunk, 1, sizeof chunk, file)) > 0;) st = buf_append(&text, chunk, n, err);
    if (file) fclose(file);
    if (st == OK && !text.data) st = buf_append_text(&text, "", err);
    if (st == OK) st = hub_listing_want_parts(&get->listing, &text, get->model, err);
    buf_free(&text);
    free(blob);
    return st;
}

/* The bytes that are not in the cache yet. */
static uint64_t missing_bytes(const HubGet *get)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < get->listing.count; i++) {
        const HubFile *file = &get->listing.files[i];
        char *blob = file->wanted ? hub_cache_blob(&get->cache, file->hash, "") : NULL;
        if (blob && !path_exists(blob)) bytes += file->size;
        free(blob);
    }
    return bytes;
}

static Status fetch_all(HubGet *get, Err *err)
{
    const HubFile *index = hub_listing_index(&get->listing);
    Status st = want_parts(get, err);

    meter_set_total(get->meter, hub_listing_wanted_bytes(&get->listing));
    if (st == OK) {
        st = folders_check_space(get->cache.model, missing_bytes(get), err);
        get->refused = st != OK;
    }
    for (size_t i = 0; st == OK && i < get->listing.count; i++)
        if (get->listing.files[i].wanted && &get->listing.files[i] != index)
            st = fetch_file(get, &get->listing.files[i], err);
    return st;
}

/* Removes the new blobs if the disk is full, since they are of no use there. */
static void end_blobs(HubGet *get, bool remove)
{
    for (size_t i = 0; i < get->fresh_count; i++) {
        if (remove) (void)unlink(get->fresh[i]);
        free(get->fresh[i]);
    }
    free(get->fresh);
}

static Status store(HubGet *get, char **path, Err *err)
{
    Status st = hub_cache_open(&get->cache, get->model, err);

    get->fresh = calloc(get->listing.count + 1, sizeof *get->fresh);
    if (st == OK && !get->fresh) st = err_memory(err, "a list of files");
    if (st == OK) st = fetch_all(get, err);
    if (st == OK) st = hub_cache_link(&get->cache, &get->listing, path, err);
    if (st == OK) st = hub_cache_set_revision(&get->cache, get->revision, get->listing.commit, err);
    end_blobs(get, get->refused);
    hub_cache_close(&get->cache);
    return st;
}

Status get_from_hub(char **path, const char *name, Meter *meter, Err *err)
{
    HubGet get = { .meter = meter };
    Status st = set_names(&get, name, err);

    if (st == OK) st = connect_to_hub(&get, err);
    if (st == OK) st = read_listing(&get, err);
    if (st == OK) st = store(&get, path, err);
    hub_listing_free(&get.listing);
    web_free(get.web);
    free(get.endpoint);
    free(get.model);
    return st;
}
