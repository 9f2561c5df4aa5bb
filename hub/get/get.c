/* get.c - downloads a model from one of three sites, and packs it: see get.h and dragoman_hub.h. The files of this
 * folder are the only part of dragoman that uses the network.
 *
 * Hugging Face     The list of the files and the commit come from GET /api/models/NAME/revision/REVISION?blobs=true,
 *                  and the files from /NAME/resolve/COMMIT/FILE. $HF_ENDPOINT is the server. $HF_TOKEN or the file
 *                  $HF_TOKEN_PATH, by default $HF_HOME/token, has the token.
 * Argos Translate  The index is a list of packages with their languages and links. $ARGOS_PACKAGE_INDEX is the folder
 *                  of the index, as for Argos Translate.
 * Firefox          Models are in Mozilla's Remote Settings. Attachments are below the base_url that the server states.
 *                  $DRAGOMAN_FIREFOX_REGISTRY is the server, by default Mozilla's. */
#define _GNU_SOURCE /* vasprintf() */
#include "get.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "c_locale.h"
#include "dragoman_tools.h"
#include "hash.h"
#include "json.h"
#include "mapped_file.h"
#include "model_places.h"
#include "option_fields.h"
#include "path.h"
#include "temporary_file.h"
#include "text.h"
#include "zip_file.h"

#define MOST_ANSWER   ((size_t)16 << 20) /* bytes of a list */
#define SHA256_LENGTH 64                 /* in hexadecimal */
#define NO_FOLDER     "get: dragoman's folder is not known: set XDG_DATA_HOME or HOME"

/* --- What the sites share ------------------------------------------------------------------ */

void get_fail(Get *get, Status status, const char *format, ...)
{
    va_list args;

    if (get->st != OK) return;
    va_start(args, format);
    get->st = err_set_list(get->err, status, format, args);
    va_end(args);
}

char *get_format(Get *get, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    if (get->st != OK) return NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
        get->st = err_memory(get->err, "a path");
    }
    va_end(args);
    return text;
}

char *get_join(Get *get, const char *folder, const char *name)
{
    char *path = get->st == OK ? path_join(folder, name) : NULL;

    if (get->st == OK && !path) get->st = err_memory(get->err, "a path");
    return path;
}

/* Returns the address of `name` below the address `folder`, which may end in a slash. The caller frees it. */
static char *join_address(Get *get, const char *folder, const char *name)
{
    return get_format(get, "%s%s%s", folder, text_ends_with(folder, "/") ? "" : "/", name);
}

/* Requests a JSON text whose root is of the kind cJSON_Object or cJSON_Array. The caller deletes *out. */
static void get_json(Get *get, const char *url, int kind, cJSON **out)
{
    Buf answer = { 0 };

    *out = NULL;
    get_answer(get, url, MOST_ANSWER, &answer);
    if (get->st == OK) get->st = json_parse_as(out, answer.data, answer.len, url, kind, NULL, get->err);
    buf_free(&answer);
}

/* Unless the file `path` is complete, downloads task->partial and renames it to `path`. Returns whether it did. */
static bool get_file(Get *get, const DownloadTask *task, const char *path)
{
    if (get_has_file(get, path, task->file)) return false;
    get_download(get, task);
    if (get->st == OK && rename(task->partial, path) != 0) get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
    return get->st == OK;
}

/* Returns the string `key` of a JSON object; NULL if there is none. */
static const char *find_text(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

const char *get_text_of(const cJSON *object, const char *key)
{
    const char *text = find_text(object, key);

    return text ? text : "";
}

/* Whether the text, which may be NULL, is a checksum or a commit of `len` digits. */
static bool is_hex(const char *text, size_t len)
{
    return text && strlen(text) == len && strspn(text, "0123456789abcdef") == len;
}

/* Returns whether the version under `key` in `a` is newer than the one in `b`. */
static bool is_newer(const cJSON *a, const cJSON *b, const char *key)
{
    return text_compare_versions(get_text_of(a, key), get_text_of(b, key)) > 0;
}

/* Returns whether `pair` is FROM-TO with these two languages. Neither may be empty. */
static bool is_pair(const char *pair, const char *from, const char *to)
{
    const size_t length = strlen(from);

    return length && *to && strncmp(pair, from, length) == 0 && pair[length] == '-' &&
           strcmp(pair + length + 1, to) == 0;
}

/* Opens the model without its weights. If this fails, the message says why dragoman cannot use the model. */
static void try_to_open(Get *get, const char *path)
{
    DragomanOptions options = option_fields_default();
    DragomanError error;
    char *languages = NULL;

    if (get->st != OK) return;
    options.model = path;
    get->st = (Status)dragoman_languages(&options, &languages, &error);
    dragoman_free_text(languages);
    if (get->st != OK) (void)err_set(get->err, get->st, "%s", error.message);
}

#define HUB_SERVER   "https://huggingface.co"
#define MOST_TOKEN   8192 /* servers refuse longer headers */
#define MOST_INDEX   ((size_t)64 << 20)
#define LARGEST_FILE ((int64_t)1 << 46)
#define MOST_FILES   ((size_t)100000)
#define SHA1_LENGTH  40
#define UNFINISHED   ".snapshot-" /* the name of an incomplete snapshot begins with this */

/* --- Hugging Face: the list of files -------------------------------------------------------
 * The files that dragoman needs are in the model's folder itself, never below it. */

/* Everything but the weights: settings, vocabularies, shortlists. docs/calibration.md describes
 * dragoman-calibration.json. */
static const char *const needed[] = {
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "adapter_config.json",
    "tokenizer.json",
    "*vocab.json",
    "vocab-*.json",
    "dict.*.json",
    "model.SRC",
    "model.TGT",
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
    "chat_template.jinja",
    "lex*.s2t.bin",
    "vmap*.txt",
    "dict*.txt",
    "dragoman-calibration.json",
};

/* Patterns of files with weights, best first. Dragoman needs all files that match the first pattern with a match. */
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
    "adapter_model.bin",
};

/* Whether the path cannot lead out of its folder: no part is empty, "." or "..", and there are no backslashes. It may
 * end in a slash. */
static bool is_safe_path(const char *name)
{
    const char *at = name;

    for (size_t len; *at; at += len + (at[len] == '/')) {
        len = strcspn(at, "/");
        if (!len || (len <= 2 && strspn(at, ".") >= len)) return false;
    }
    return at > name && !strchr(name, '\\');
}

/* Adds a file with its size and hash: SHA-256 if the file is in Git LFS, else its id in git. */
static void add_hub_file(Get *get, HubListing *out, const cJSON *item, const char *model)
{
    const char *name = find_text(item, "rfilename");
    const cJSON *lfs = cJSON_GetObjectItemCaseSensitive(item, "lfs");
    const bool large = cJSON_IsObject(lfs);
    bool is_safe = name && is_safe_path(name) && !text_ends_with(name, "/");
    const char *hash = large ? find_text(lfs, "sha256") : find_text(item, "blobId");
    int64_t bytes = 0;

    for (const char *c = name; is_safe && *c; c++) is_safe = (unsigned char)*c >= ' ' && *c != 0x7f;
    if (!name)
        get_fail(get, ERR_FORMAT, "get: %s: the server's list has a file without a name", model);
    else if (!is_safe)
        get_fail(get, ERR_FORMAT, "get: %s: refused: unsafe file name '%s'", model, name);
    if (get->st != OK || strchr(name, '/')) return;
    if (large && !hash) hash = find_text(lfs, "oid");
    if (!is_hex(hash, large ? SHA256_LENGTH : SHA1_LENGTH) ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(large ? lfs : item, "size"), 0, LARGEST_FILE, &bytes))
        get_fail(get, ERR_FORMAT, "get: %s: the server states no size or checksum of %s", model, name);
    if (get->st != OK) return;
    get->st =
        buf_grow_list(&out->files, &out->capacity, out->count, 1, sizeof *out->files, "a list of files", get->err);
    if (get->st != OK) return;
    out->files[out->count++] = (RemoteFile){
        .name = name, .hash = hash, .kind = large ? DIGEST_SHA256 : DIGEST_GIT_BLOB, .size = (uint64_t)bytes
    };
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const RemoteFile *)a)->name, ((const RemoteFile *)b)->name);
}

/* Marks the files that match the pattern; returns whether there are any. */
static bool want(HubListing *listing, const char *pattern)
{
    bool found = false;

    for (size_t i = 0; i < listing->count; i++) {
        if (fnmatch(pattern, listing->files[i].name, FNM_PERIOD) != 0) continue;
        found = listing->files[i].wanted = true;
    }
    return found;
}

void hub_listing_read(Get *get, HubListing *out, const Buf *answer, const char *model)
{
    const cJSON *item, *files;
    size_t best = 0;

    if (get->st == OK)
        get->st = json_parse(&out->answer, answer->data, answer->len, "get: the server's answer", get->err);
    out->commit = find_text(out->answer, "sha");
    files = cJSON_GetObjectItemCaseSensitive(out->answer, "siblings");
    if (!is_hex(out->commit, HUB_COMMIT_LENGTH) || !cJSON_IsArray(files))
        get_fail(get, ERR_FORMAT, "get: %s: the server's answer names no commit or no files", model);
    if ((size_t)cJSON_GetArraySize(files) > MOST_FILES)
        get_fail(get, ERR_FORMAT, "get: %s: more than %zu files", model, MOST_FILES);
    cJSON_ArrayForEach(item, files)
    {
        if (get->st == OK) add_hub_file(get, out, item, model);
    }
    if (get->st != OK) return;

    /* Sorted files can be found by name with bsearch(). No name may appear twice. */
    if (out->count) qsort(out->files, out->count, sizeof *out->files, compare_names);
    for (size_t i = 1; i < out->count; i++)
        if (strcmp(out->files[i - 1].name, out->files[i].name) == 0)
            get_fail(get, ERR_FORMAT, "get: %s: the server lists %s twice", model, out->files[i].name);

    while (best < sizeof weights / sizeof *weights && !want(out, weights[best])) best++;
    if (best == sizeof weights / sizeof *weights)
        get_fail(get, ERR_UNSUPPORTED,
                 "get: %s: has no weights that dragoman reads (safetensors, PyTorch, CTranslate2 or Marian)", model);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) (void)want(out, needed[i]);
}

void hub_listing_free(HubListing *listing)
{
    free(listing->files);
    cJSON_Delete(listing->answer);
    *listing = (HubListing){ .count = 0 };
}

const RemoteFile *hub_listing_index(const HubListing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        if (listing->files[i].wanted && text_ends_with(listing->files[i].name, ".index.json"))
            return &listing->files[i];
    return NULL;
}

void hub_listing_want_parts(Get *get, HubListing *listing, const char *index, size_t size, const char *model)
{
    cJSON *tree = NULL;
    const cJSON *map, *part, *last = NULL;

    if (get->st == OK) get->st = json_parse(&tree, index, size, "get: the index of the weights", get->err);
    map = cJSON_GetObjectItemCaseSensitive(tree, "weight_map");
    if (!cJSON_IsObject(map) || !map->child)
        get_fail(get, ERR_FORMAT, "get: %s: the index of the weights is invalid", model);
    cJSON_ArrayForEach(part, map)
    {
        const RemoteFile wanted = { .name = part->valuestring };
        const bool again = last && cJSON_Compare(last, part, true);
        RemoteFile *found = NULL;
        last = part;
        if (get->st != OK || again) continue;
        if (cJSON_IsString(part))
            found = bsearch(&wanted, listing->files, listing->count, sizeof wanted, compare_names);
        if (found)
            found->wanted = true;
        else if (cJSON_IsString(part))
            get_fail(get, ERR_FORMAT, "get: %s: the index of the weights names %s, which the server does not have",
                     model, part->valuestring);
        else
            get_fail(get, ERR_FORMAT, "get: %s: the index of the weights is invalid", model);
    }
    cJSON_Delete(tree);
}

/* --- Hugging Face: the cache of its programs, in the layout of huggingface_hub -------------
 *     models--ORG--NAME/blobs/HASH              the files
 *     models--ORG--NAME/blobs/HASH.incomplete   files that are being downloaded
 *     models--ORG--NAME/snapshots/COMMIT/NAME   links to blobs
 *     models--ORG--NAME/refs/REVISION           the name of a commit
 *     .locks/models--ORG--NAME/HASH.lock        held (flock) while a blob is written
 * Dragoman adds two more while it makes a new snapshot:
 *     models--ORG--NAME/.snapshot-PID           the snapshot until it is complete
 *     .locks/models--ORG--NAME/snapshots.lock   held */

/* Links the wanted files in `folder`, which is two levels below the model's folder. */
static void link_files(Get *get, const char *folder, const HubListing *listing)
{
    for (size_t i = 0; get->st == OK && i < listing->count; i++) {
        const RemoteFile *file = &listing->files[i];
        char *path, *target;
        if (!file->wanted) continue;
        path = get_join(get, folder, file->name);
        target = get_format(get, "../../blobs/%s", file->hash);
        if (get->st == OK && symlink(target, path) != 0 && errno != EEXIST)
            get_fail(get, ERR_IO, "%s: %s", path,
                     errno == EPERM
                         ? "this file system has no symbolic links; set HF_HOME to a folder on one that has them"
                         : strerror(errno));
        free(target);
        free(path);
    }
}

static bool is_no_unfinished(const void *context, const char *name)
{
    (void)context;
    return !text_begins_with(name, UNFINISHED);
}

/* Links the files in the folder `fresh`, which is then renamed to `final`. If the lock is exclusive, removes all
 * unfinished snapshots: the processes that made them have ended. */
void hub_cache_link(Get *get, const char *model, const char *locks, const HubListing *listing, char **path)
{
    char *final = get_format(get, "%s/snapshots/%s", model, listing->commit);
    char *snapshots = get_join(get, model, "snapshots");
    char *fresh = get_format(get, "%s/" UNFINISHED "%ld", model, (long)getpid());

    *path = final;
    if (get->st == OK && path_is_directory(final)) {
        link_files(get, final, listing);
    } else if (get->st == OK) {
        get_lock(get, get_format(get, "%s/snapshots.lock", locks));
        if (get->lock.is_exclusive) folders_clear(get, model, is_no_unfinished, NULL);
        folders_create(get, fresh);
        folders_create(get, snapshots); /* a process that has failed may have removed it */
        link_files(get, fresh, listing);
        if (get->st == OK && rename(fresh, final) != 0) {
            if (path_is_directory(final))
                link_files(get, final, listing);
            else
                get_fail(get, ERR_IO, "%s: %s", final, strerror(errno));
        }
        if (path_exists(fresh)) folders_remove(fresh);
        get_unlock(get);
    }
    free(snapshots);
    free(fresh);
}

/* --- Hugging Face: the download ------------------------------------------------------------- */

typedef struct {
    Get *get;
    char *model; /* ORG/NAME */
    const char *revision;
    char *endpoint;       /* without a slash at the end */
    char *folder, *locks; /* models--ORG--NAME and the folder of its lock files */
    HubListing listing;
    char **fresh; /* paths of blobs that this download has written [listing.count] */
    size_t fresh_count;
} HubGet;

/* Returns the token: HF_TOKEN, else the first line of the token's file; NULL: there is none. The caller frees it. */
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
        get->st = small_file_read(&token, path, true, get->err);
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

/* Replaces the message if the status of the reply tells what the user can do. `file` is the requested file, or NULL. */
static void explain_reply(const HubGet *h, const char *file)
{
    Get *get = h->get;
    const WebReply *reply = &get->reply;
    const bool gated = strcmp(reply->error_code, "GatedRepo") == 0;
    const bool no_revision = strcmp(reply->error_code, "RevisionNotFound") == 0;
    const char *list = strchr(h->model, '/') ? "" : "; for two languages, see 'dragoman get --list'";

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
                 "token%s",
                 h->model, list);
    else if (file)
        get_fail(get, ERR_IO, "get: %s: the server does not have the file %s (404); run the command again", h->model,
                 file);
    else if (no_revision || strcmp(h->revision, "main") != 0)
        get_fail(get, ERR_IO, "get: %s: not found (404): check the name of the model and the revision '%s'", h->model,
                 h->revision);
    else
        get_fail(get, ERR_IO, "get: %s: no such model (404): check the name%s", h->model, list);
}

static void read_listing(HubGet *h)
{
    Get *get = h->get;
    Buf url = { 0 }, answer = { 0 };

    buf_put_format(&url, "%s/api/models/%s/revision/", h->endpoint, h->model);
    web_put_escaped(&url, h->revision);
    buf_put_text(&url, "?blobs=true");
    if (get->st == OK) get->st = buf_check(&url, get->err);
    get_answer(get, url.data, MOST_ANSWER, &answer);
    explain_reply(h, NULL);
    hub_listing_read(get, &h->listing, &answer, h->model);
    buf_free(&answer);
    buf_free(&url);
}

static void fetch_blob(HubGet *h, const RemoteFile *file)
{
    Get *get = h->get;
    char *partial = get_format(get, "%s/blobs/%s.incomplete", h->folder, file->hash);
    char *blob = get_format(get, "%s/blobs/%s", h->folder, file->hash);
    DownloadTask task = { .file = file, .partial = partial };
    Buf url = { 0 };

    buf_put_format(&url, "%s/%s/resolve/%s/", h->endpoint, h->model, h->listing.commit);
    web_put_escaped(&url, file->name);
    task.url = url.data;
    if (get->st == OK) get->st = buf_check(&url, get->err);
    get_lock(get, get_format(get, "%s/%s.lock", h->locks, file->hash));
    /* Another process may have written the blob while this one waited for the lock. */
    if (get_file(get, &task, blob)) {
        h->fresh[h->fresh_count++] = blob;
        blob = NULL;
    } else if (get->st == OK) {
        get->progress.done += file->size;
        get->progress.had += file->size;
    }
    explain_reply(h, file->name);
    get_unlock(get);
    buf_free(&url);
    free(partial);
    free(blob);
}

/* Downloads the index of weights in several files, and marks the files that it lists as wanted. */
static void want_parts(HubGet *h, const RemoteFile *index)
{
    Get *get = h->get;
    MappedFile file = { 0 };
    char *blob;
    int fault;

    if (index->size > MOST_INDEX) get_fail(get, ERR_FORMAT, "get: %s: %s is too large", h->model, index->name);
    fetch_blob(h, index);
    blob = get_format(get, "%s/blobs/%s", h->folder, index->hash);
    if (blob && mapped_file_open(&file, blob, &fault, NULL) != OK)
        get_fail(get, ERR_IO, "get: %s cannot be read", index->name);
    hub_listing_want_parts(get, &h->listing, file.size ? (const char *)file.data : "", file.size, h->model);
    mapped_file_close(&file);
    free(blob);
}

/* Returns how many bytes of the file have been downloaded before, at most `size`. */
static uint64_t begun_size(Get *get, const char *file, uint64_t size)
{
    char *partial = get_format(get, "%s.incomplete", file);
    struct stat info;
    uint64_t begun = 0;

    if (partial && stat(partial, &info) == 0) begun = (uint64_t)info.st_size;
    free(partial);
    return begun < size ? begun : size;
}

static void fetch_blobs(HubGet *h)
{
    const RemoteFile *index = hub_listing_index(&h->listing), *end = h->listing.files + h->listing.count;
    Get *get = h->get;
    uint64_t missing = 0; /* bytes of files that are not in the cache */

    if (get->st == OK && index) want_parts(h, index);
    for (const RemoteFile *file = h->listing.files; file < end; file++) {
        char *blob = file->wanted ? get_format(get, "%s/blobs/%s", h->folder, file->hash) : NULL;
        if (file->wanted) get->progress.total += file->size;
        if (blob && !path_exists(blob)) missing += file->size - begun_size(get, blob, file->size);
        free(blob);
    }
    if (get->st == OK) {
        folders_check_space(get, h->folder, missing);
        get->refused = get->st != OK;
    }
    for (const RemoteFile *file = h->listing.files; get->st == OK && file < end; file++)
        if (file->wanted && file != index) fetch_blob(h, file);
}

/* Writes the commit to refs/REVISION, unless the revision is the commit itself. */
static void set_revision(const HubGet *h)
{
    Get *get = h->get;
    const char *commit = h->listing.commit;
    char *path = get_format(get, "%s/refs/%s", h->folder, h->revision), *folder = NULL, *fresh = NULL;
    int fd, fault = 0;

    if (get->st == OK && strcmp(h->revision, commit) != 0) {
        folder = path_folder(path);
        if (!folder) get->st = err_memory(get->err, "a path");
        folders_create(get, folder);
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

/* Downloads the wanted files to the cache. If the model's folders stay empty, removes them again. */
static void store(HubGet *h, char **path)
{
    static const char *const names[] = { "/blobs", "/snapshots", "/refs", "" };
    char *folders[sizeof names / sizeof *names];
    const size_t folder_count = sizeof names / sizeof *names;
    Get *get = h->get;
    const char *rest = strchr(h->model, '/');
    char *hub = model_places_hub(), *name;

    if (!hub) get->st = model_places_fault("get: the cache is not known: set HF_HOME or HOME", get->err);
    name = get_format(get, "models--%.*s%s%s", (int)strcspn(h->model, "/"), h->model, rest ? "--" : "",
                      rest ? rest + 1 : "");
    h->folder = get_join(get, hub, name);
    h->locks = get_format(get, "%s/.locks/%s", hub, name);
    for (size_t i = 0; i < folder_count; i++) folders[i] = get_format(get, "%s%s", h->folder, names[i]);
    for (size_t i = 0; i < folder_count; i++) folders_create(get, folders[i]);
    folders_create(get, h->locks);
    h->fresh = calloc(h->listing.count + 1, sizeof *h->fresh);
    if (get->st == OK && !h->fresh) get->st = err_memory(get->err, "a list of files");
    fetch_blobs(h);
    if (get->st == OK) hub_cache_link(get, h->folder, h->locks, &h->listing, path);
    set_revision(h);
    for (size_t i = 0; i < h->fresh_count; i++) {
        if (get->refused) (void)unlink(h->fresh[i]); /* frees the disk, which was too full for the model */
        free(h->fresh[i]);
    }
    free(h->fresh);
    for (size_t i = 0; i < folder_count; i++) {
        if (folders[i]) (void)rmdir(folders[i]);
        free(folders[i]);
    }
    if (h->locks) (void)rmdir(h->locks);
    free(h->folder);
    free(h->locks);
    free(name);
    free(hub);
}

/* "ORG/NAME" or "ORG/NAME@REVISION" */
static void get_from_hugging_face(Get *get, const char *name, char **path)
{
    const char *endpoint = model_places_variable("HF_ENDPOINT", HUB_SERVER);
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

/* --- Argos Translate -------------------------------------------------------------------------
 * The index has neither sizes nor checksums of the packages. Therefore each file in the archive is compared with its
 * checksum there, and the package is opened before it is installed. A package is a zip archive, whose entries must all
 * be in one folder. Names that lead out of the folder, links, implausible compression ratios and too many bytes in
 * total are refused.
 *
 * Argos Translate takes each folder in the folder of its packages for a package, and fails for any other folder. The
 * temporary files are therefore in the parent folder, if possible (folders_find_workplace()), with these names:
 *     .dragoman-get-PAIR.lock                held all the time
 *     .dragoman-get-PAIR.HASH-N.incomplete   the archive: HASH is that of the package's entry in the index, N its link
 *     .dragoman-get-PAIR.new                 the folder that the archive is unpacked to */

#define INDEX           "https://raw.githubusercontent.com/argosopentech/argospm-index/main/"
#define LARGEST_PACKAGE ((uint64_t)8 << 30) /* bytes of a package */
#define LARGEST_OUT     ((uint64_t)16 << 30)

const cJSON *argos_index_find(const cJSON *list, const char *pair)
{
    const cJSON *item, *best = NULL;

    cJSON_ArrayForEach(item, list)
    {
        const char *type = get_text_of(item, "type");
        if (!is_pair(pair, get_text_of(item, "from_code"), get_text_of(item, "to_code"))) continue;
        if (*type && strcmp(type, "translate") != 0) continue;
        if (!best || is_newer(item, best, "package_version")) best = item;
    }
    return best;
}

typedef struct {
    Get *get;
    const char *pair;
    char hash[17];   /* hash of the package's entry in the index */
    char *packages;  /* the folder of Argos Translate */
    char *workplace; /* the folder for the files below */
    char *names;     /* how the paths of these files begin: WORKPLACE/.dragoman-get-PAIR. */
    char *partial;   /* the archive */
    char *fresh;     /* the folder that it is unpacked to */
    ZipFile zip;
    uint64_t left; /* bytes that may still be unpacked */
    char *top;     /* the folder in the archive that contains all entries */
} ArgosGet;

/* Returns a copy of the entry's name. ERR_FORMAT: the name could lead out of the folder, or the entry is a link. */
static char *copy_name(const ArgosGet *a, size_t index)
{
    size_t size;
    const char *stored = zip_file_name(&a->zip, index, &size);
    char *name = get_format(a->get, "%.*s", (int)size, stored);

    if (name && (strlen(name) != size || !is_safe_path(name)))
        get_fail(a->get, ERR_FORMAT, "%s: refused: unsafe file name in the archive", a->partial);
    else if (zip_file_is_special(&a->zip, index))
        get_fail(a->get, ERR_FORMAT, "%s: refused: %s is a link or a special file", a->partial, name);
    return name;
}

/* Writes an entry to a new file. */
static void unpack_entry(ArgosGet *a, size_t index, const char *name, const char *path)
{
    const unsigned char *data = NULL;
    Get *get = a->get;
    MappedFile file = { 0 };
    size_t size = 0;
    int fd, fault;

    if (a->zip.entries[index].size > a->left)
        get_fail(get, ERR_FORMAT, "%s: refused: the archive is too large when unpacked", a->partial);
    if (get->st != OK) return;
    a->left -= a->zip.entries[index].size;
    get->st = zip_file_read(&a->zip, index, &data, &size, &file, get->err);
    if (get->st == OK && !zip_file_has_checksum(&a->zip, index, data ? data : (const unsigned char *)"", size))
        get_fail(get, ERR_FORMAT, "%s: checksum mismatch of %s: the archive is corrupt", a->partial, name);
    if (get->st == OK) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        fault = fd < 0 ? errno : write_all(fd, data, size);
        if (fd >= 0 && fsync(fd) != 0 && !fault && errno != EINVAL && errno != ENOTSUP) fault = errno;
        if (fd >= 0 && close(fd) != 0 && !fault) fault = errno;
        if (fault) get_fail(get, ERR_IO, "%s: %s", path, strerror(fault));
    }
    mapped_file_close(&file);
}

/* Unpacks the archive to a->fresh. All entries must be in one folder, whose name is stored in a->top. */
static void unpack_all(ArgosGet *a)
{
    MappedFile map = { 0 };
    Get *get = a->get;
    int fault;

    if (get->st == OK) get->st = mapped_file_open(&map, a->partial, &fault, get->err);
    if (get->st == OK && !zip_file_is(&map)) get_fail(get, ERR_FORMAT, "%s is not a zip archive", a->partial);
    if (get->st == OK) get->st = zip_file_open(&a->zip, &map, a->partial, get->err);
    for (size_t i = 0; get->st == OK && i < a->zip.count; i++) {
        char *name = copy_name(a, i), *path = get_join(get, a->fresh, name), *folder = path ? path_folder(path) : NULL;
        const size_t top = name ? strcspn(name, "/") : 0;
        if (get->st == OK && (!name[top] || (a->top && (strlen(a->top) != top || strncmp(a->top, name, top) != 0))))
            get_fail(get, ERR_FORMAT, "%s: the files of the archive are not in one folder", a->partial);
        if (!a->top) a->top = get_format(get, "%.*s", (int)top, name);
        if (get->st == OK && !folder) get->st = err_memory(get->err, "a path");
        folders_create(get, folder);
        if (get->st == OK && !text_ends_with(name, "/")) unpack_entry(a, i, name, path);
        free(folder);
        free(path);
        free(name);
    }
    if (!a->top) get_fail(get, ERR_FORMAT, "%s: the archive is empty", a->partial);
    zip_file_close(&a->zip);
    mapped_file_close(&map);
}

/* Filters for folders_clear(): they keep all files of the workplace except (other) archives of this pair. */
static bool is_no_archive(const void *context, const char *name)
{
    const ArgosGet *a = context;

    return !text_begins_with(name, path_name(a->names)) || !text_ends_with(name, ".incomplete");
}

static bool is_no_other_archive(const void *context, const char *name)
{
    const ArgosGet *a = context;

    return is_no_archive(a, name) || text_begins_with(name + strlen(path_name(a->names)), a->hash);
}

/* Chooses the paths, waits for other downloads of this pair, and removes what killed processes and downloads of other
 * versions have left. */
static void prepare(ArgosGet *a)
{
    Get *get = a->get;

    a->packages = get->st == OK ? model_places_argos() : NULL;
    if (get->st == OK && !a->packages)
        get->st = model_places_fault("get: the folder of Argos Translate is not known: set HOME", get->err);
    folders_create(get, a->packages);
    a->workplace = folders_find_workplace(get, a->packages);
    a->names = get_format(get, "%s/.dragoman-get-%s.", a->workplace, a->pair);
    a->fresh = get_format(get, "%snew", a->names);
    get_lock(get, get_format(get, "%slock", a->names));
    if (get->st == OK) folders_remove(a->fresh);
    folders_clear(get, a->workplace, is_no_other_archive, a);
}

/* Downloads the package from the first link that works. Each link has a separate archive, as the files may differ. */
static void fetch_archive(ArgosGet *a, const cJSON *package)
{
    const cJSON *links = cJSON_GetObjectItemCaseSensitive(package, "links"), *link;
    Get *get = a->get;
    int number = 0;

    if (get->st != OK) return;
    get_fail(get, ERR_FORMAT, "get: argos:%s: the index has no link to the package", a->pair);
    cJSON_ArrayForEach(link, links)
    {
        const RemoteFile file = { .name = a->pair, .size = DOWNLOAD_SIZE_UNKNOWN };
        DownloadTask task = { .file = &file, .url = cJSON_GetStringValue(link), .most = LARGEST_PACKAGE };
        number++;
        if (!task.url) continue;
        get->st = OK;
        free(a->partial);
        task.partial = a->partial = get_format(get, "%s%s-%d.incomplete", a->names, a->hash, number);
        get_download(get, &task);
        if (get->st != ERR_IO && get->st != ERR_FORMAT) break;
    }
}

/* Unpacks the archive, opens the result, and moves it to the folder of packages. There it replaces a package of the
 * same name. A package of another version stays, because the user may have installed it; hub.c uses the newest
 * version. */
static void install(ArgosGet *a, char **path)
{
    Get *get = a->get, clearing = { .err = &(Err){ "" } };
    char *from;

    if (get->st != OK) return;
    folders_create(get, a->fresh);
    unpack_all(a);
    from = get_join(get, a->fresh, a->top);
    try_to_open(get, from);
    /* The archive is removed even if the model could not be opened: without a checksum, the archive itself may be
     * wrong. If removing fails, the next download removes it. */
    folders_clear(&clearing, a->workplace, is_no_archive, a);
    *path = get_join(get, a->packages, a->top);
    folders_replace(get, from, *path);
    folders_remove(a->fresh);
    free(from);
}

cJSON *argos_index_fetch(Get *get, char **address)
{
    cJSON *index;

    *address = join_address(get, model_places_variable("ARGOS_PACKAGE_INDEX", INDEX), "index.json");
    get_open(get, *address, NULL);
    get_json(get, *address, cJSON_Array, &index);
    return index;
}

/* `pair` is FROM-TO. */
static void get_from_argos(Get *get, const char *pair, char **path)
{
    ArgosGet a = { .get = get, .pair = pair, .left = LARGEST_OUT };
    char *address, *text = NULL;
    cJSON *index = argos_index_fetch(get, &address);
    const cJSON *package;

    package = argos_index_find(index, pair);
    if (!package) get_fail(get, ERR_IO, "get: argos:%s: the index %s has no package of these languages", pair, address);
    if (get->st == OK && !(text = cJSON_PrintUnformatted(package)))
        get->st = err_memory(get->err, "an entry of the index");
    if (text) snprintf(a.hash, sizeof a.hash, "%016llx", (unsigned long long)hash64_of(text, strlen(text)));
    prepare(&a);
    fetch_archive(&a, package);
    install(&a, path);
    cJSON_free(text);
    cJSON_Delete(index);
    free(address);
    free(a.packages);
    free(a.workplace);
    free(a.names);
    free(a.partial);
    free(a.fresh);
    free(a.top);
}

/* --- Firefox --------------------------------------------------------------------------------- */

#define REGISTRY           "https://firefox.settings.services.mozilla.com/v1"
#define RECORDS            "buckets/main/collections/translations-models/records"
#define LARGEST_ATTACHMENT ((int64_t)4 << 30) /* bytes of a file */

cJSON *firefox_records_fetch(Get *get, char **address)
{
    char *url;
    cJSON *records;

    *address = join_address(get, model_places_variable("DRAGOMAN_FIREFOX_REGISTRY", REGISTRY), "");
    url = get_format(get, "%s" RECORDS, *address);
    get_open(get, *address, NULL);
    get_json(get, url, cJSON_Object, &records);
    free(url);
    return records;
}

/* A version with letters, and an expression that filters the users, mark models that are being tested. */
bool firefox_is_release(const cJSON *record)
{
    const char *version = get_text_of(record, "version");

    return !*get_text_of(record, "variant") && !*get_text_of(record, "filter_expression") &&
           isdigit((unsigned char)*version) && strspn(version, "0123456789.") == strlen(version);
}

bool firefox_is_needed(const cJSON *record)
{
    static const char *const kinds[] = { "model", "lex", "vocab", "srcvocab", "trgvocab", "metadata" };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(get_text_of(record, "fileType"), kinds[i]) == 0) return true;
    return false;
}

static bool is_of_pair(const cJSON *record, const char *pair)
{
    return is_pair(pair, get_text_of(record, "fromLang"), get_text_of(record, "toLang")) && firefox_is_release(record);
}

static void add_firefox_file(Get *get, FirefoxModel *out, const cJSON *record, const char *pair)
{
    const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
    RemoteFile file = { .name = get_text_of(attachment, "filename"),
                        .location = get_text_of(attachment, "location"),
                        .hash = get_text_of(attachment, "hash"),
                        .kind = DIGEST_SHA256 };
    int64_t size = 0;

    if (!*file.name || *file.name == '.' || strlen(file.name) >= 200 ||
        strspn(file.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(file.name))
        get_fail(get, ERR_FORMAT, "get: firefox:%s: unsafe file name '%s'", pair, file.name);
    if (!is_hex(file.hash, SHA256_LENGTH) ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(attachment, "size"), 0, LARGEST_ATTACHMENT, &size))
        get_fail(get, ERR_FORMAT, "get: firefox:%s: the registry states no size or checksum of %s", pair, file.name);
    file.size = (uint64_t)size;
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->files[i].name, file.name) == 0)
            get_fail(get, ERR_FORMAT, "get: firefox:%s: the registry lists %s twice", pair, file.name);
    if (out->count == FIREFOX_MOST_FILES)
        get_fail(get, ERR_FORMAT, "get: firefox:%s: the registry lists too many files", pair);
    if (get->st == OK) out->files[out->count++] = file;
}

void firefox_records_choose(Get *get, FirefoxModel *out, const cJSON *records, const char *pair)
{
    const cJSON *record, *model = NULL;

    *out = (FirefoxModel){ .count = 0 };
    if (get->st != OK) return;
    cJSON_ArrayForEach(record, records)
    {
        if (!is_of_pair(record, pair) || strcmp(get_text_of(record, "fileType"), "model") != 0) continue;
        if (!model || is_newer(record, model, "version")) model = record;
    }
    if (!model)
        get_fail(get, ERR_IO,
                 "get: firefox:%s: Firefox has no model of these languages; its models translate from or into English",
                 pair);
    out->from = get_text_of(model, "fromLang");
    out->to = get_text_of(model, "toLang");
    out->version = get_text_of(model, "version");
    cJSON_ArrayForEach(record, records)
    {
        if (get->st == OK && firefox_is_needed(record) && is_of_pair(record, pair) &&
            strcmp(get_text_of(record, "version"), out->version) == 0)
            add_firefox_file(get, out, record, pair);
    }
}

static void fetch_attachment(Get *get, const RemoteFile *file, const char *base, const char *folder)
{
    char *path = get_join(get, folder, file->name), *partial = get_format(get, "%s.incomplete", path);
    char *url = get_format(get, "%s%s", base, file->location);
    const DownloadTask task = { .file = file, .url = url, .partial = partial };

    (void)get_file(get, &task, path);
    free(url);
    free(partial);
    free(path);
}

/* Filter for folders_clear(): keeps the files of the model, complete or not. */
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

/* Downloads the files of the model to `folder`, which is then renamed to `target`. */
static void fetch_model(Get *get, const FirefoxModel *model, const char *base, const char *folder, const char *target)
{
    uint64_t missing = 0;
    char *languages;

    if (get->st != OK) return;
    folders_create(get, folder);
    folders_clear(get, folder, is_of_model, model); /* files of another release */
    for (size_t i = 0; i < model->count; i++) {
        const uint64_t size = model->files[i].size;
        char *file = get_join(get, folder, model->files[i].name);
        get->progress.total += size;
        if (file && !path_exists(file)) missing += size - begun_size(get, file, size);
        free(file);
    }
    folders_check_space(get, folder, missing);
    for (size_t i = 0; i < model->count; i++) fetch_attachment(get, &model->files[i], base, folder);
    /* If the registry has no metadata.json, write the languages there for dragoman. */
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
        try_to_open(get, folder);
        /* A model that cannot be opened is removed, so that the next download begins anew. */
        if (get->st != OK && get->st != ERR_MEMORY) folders_remove(folder);
    }
    folders_replace(get, folder, target);
    if (get->refused || get->st == ERR_FORMAT) folders_remove(folder);
}

/* `pair` is FROM-TO. */
static void get_from_firefox(Get *get, const char *pair, char **path)
{
    char *server, *models = NULL, *folder, *base;
    cJSON *records = firefox_records_fetch(get, &server), *state;
    const cJSON *attachments;
    FirefoxModel model = { .count = 0 };

    firefox_records_choose(get, &model, cJSON_GetObjectItemCaseSensitive(records, "data"), pair);

    /* The server says where the attachments are. */
    get_json(get, server, cJSON_Object, &state);
    attachments =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(state, "capabilities"), "attachments");
    if (!*get_text_of(attachments, "base_url"))
        get_fail(get, ERR_FORMAT, "get: %s: the server does not say where its files are", server);
    base = join_address(get, get_text_of(attachments, "base_url"), "");

    if (get->st == OK && !(models = model_places_firefox())) get->st = model_places_fault(NO_FOLDER, get->err);
    folders_create(get, models);
    folder = get_format(get, "%s/.%s.incomplete", models, pair);
    *path = get_join(get, models, pair);
    get_lock(get, get_format(get, "%s/.%s.lock", models, pair)); /* waits for other downloads of this model */
    fetch_model(get, &model, base, folder, *path);
    cJSON_Delete(state);
    cJSON_Delete(records);
    free(server);
    free(base);
    free(models);
    free(folder);
}

/* --- The names of models, and downloads -------------------------------------------------------- */

#define LONGEST_PAIR     40
#define LONGEST_REVISION 200

/* The prefix of a name, and the function that downloads the model. The last row is for names without a prefix. */
static const struct {
    const char *prefix;
    void (*get)(Get *get, const char *name, char **path);
} sources[] = { { "argos:", get_from_argos }, { "firefox:", get_from_firefox }, { "", get_from_hugging_face } };

static size_t source_of(const char *name)
{
    size_t i = 0;

    while (!text_begins_with(name, sources[i].prefix)) i++;
    return i;
}

/* Checks that a name is safe in paths and addresses. With a prefix, the rest must be FROM-TO, of letters, digits and
 * hyphens. Without one, it must be the name of a model of the hub, perhaps with @REVISION: a branch, a tag or a
 * commit. */
Status get_check_name(const char *name, Err *err)
{
    const char *prefix = sources[source_of(name)].prefix, *at = strchr(name, '@'), *revision = at ? at + 1 : "main";
    const size_t len = strlen(name) - strlen(prefix), revision_len = strlen(revision);
    char *model;
    bool valid;

    if (*prefix) {
        name += strlen(prefix);
        valid = strchr(name, '-') && len <= LONGEST_PAIR && *name != '-' && name[len - 1] != '-';
        for (size_t i = 0; valid && i < len; i++) valid = isalnum((unsigned char)name[i]) || name[i] == '-';
        if (valid) return OK;
        return err_set(err, ERR_USAGE, "get: '%s%s' must name two languages, such as %sfr-en", prefix, name, prefix);
    }
    valid = revision_len && revision_len <= LONGEST_REVISION && !strstr(revision, "..") && !strstr(revision, "//") &&
            !strchr("/.-", revision[0]) && revision[revision_len - 1] != '/' && !strstr(revision, "/.");
    for (const char *c = revision; valid && *c; c++) valid = isalnum((unsigned char)*c) || strchr("/._-", *c);
    if (!valid) return err_set(err, ERR_USAGE, "get: '%s': invalid revision", name);
    model = strndup(name, at ? (size_t)(at - name) : len);
    if (!model) return err_memory(err, "a name");
    valid = model_places_is_hub_name(model);
    free(model);
    if (valid) return OK;
    return err_set(err, ERR_USAGE,
                   "get: '%s' must be two languages, such as fr-en, or the name of a model: ORG/NAME of "
                   "huggingface.co, argos:FROM-TO or firefox:FROM-TO",
                   name);
}

/* HF_HUB_OFFLINE forbids connections if huggingface_hub takes its value for yes. */
bool get_is_offline(void)
{
    static const char *const yes[] = { "1", "ON", "YES", "TRUE" };
    const char *offline = getenv("HF_HUB_OFFLINE");

    for (size_t i = 0; offline && i < sizeof yes / sizeof *yes; i++)
        if (strcasecmp(offline, yes[i]) == 0) return true;
    return false;
}

DragomanStatus dragoman_download(const char *name, DragomanProgressReader *reader, void *context, char **path,
                                 DragomanError *error)
{
    const size_t source = source_of(name);
    Err err = { "" };
    Get get = { .reader = reader, .context = context, .err = &err, .st = get_check_name(name, &err) };

    *path = NULL;
    if (get_is_offline())
        get_fail(&get, ERR_IO, "get: HF_HUB_OFFLINE=%s forbids connections; unset it to download",
                 getenv("HF_HUB_OFFLINE"));
    if (get.st == OK) sources[source].get(&get, name + strlen(sources[source].prefix), path);
    get_unlock(&get);
    web_free(get.web);
    if (get.st != OK) {
        free(*path);
        *path = NULL;
    }
    return option_fields_answer(get.st, &err, (Spelling){ 0 }, error);
}

/* --- Packed files ------------------------------------------------------------------------- */

/* Whether other models may have the same packed file: models of the hub with another ORG or REVISION. */
static bool shares_packed_path(const char *name)
{
    return !*sources[source_of(name)].prefix;
}

/* For ORG/opus-mt-fr-en, the path ends in opus-mt-fr-en.safetensors; for argos:fr-en, in argos-fr-en.safetensors. */
DragomanStatus dragoman_packed_path(const char *name, char **path, DragomanError *error)
{
    char *folder = model_places_dragoman();
    const size_t length = strcspn(name, "@");
    const bool is_shared = shares_packed_path(name);
    const char *last = name;
    Err err = { "" };
    Get get = { .err = &err };

    for (size_t i = 0; is_shared && i < length; i++)
        if (name[i] == '/') last = name + i + 1;
    if (!folder) get.st = model_places_fault(NO_FOLDER, &err);
    *path = folder ? get_format(&get, "%s/%.*s.safetensors", folder, (int)(name + length - last), last) : NULL;
    for (char *c = *path ? *path + strlen(folder) + 1 : NULL; c && *c; c++)
        if (*c == ':') *c = '-';
    free(folder);
    return option_fields_answer(get.st, &err, (Spelling){ 0 }, error);
}

/* Refuses to replace `target` if its bytes differ from `fresh`: packing the same model always gives the same bytes. */
static void check_existing(Get *get, const char *target, const char *fresh)
{
    MappedFile existing = { 0 }, packed = { 0 };
    int fault;

    get->st = mapped_file_open(&existing, target, &fault, get->err);
    if (fault == ENOENT) {
        get->st = OK;
        return;
    }
    if (get->st == OK) get->st = mapped_file_open(&packed, fresh, &fault, get->err);
    if (existing.size != packed.size || (packed.size && memcmp(existing.data, packed.data, packed.size) != 0))
        get_fail(get, ERR_IO,
                 "get: %s exists, and is another model or another version of this one; rename or remove it, and run "
                 "the command again",
                 target);
    mapped_file_close(&existing);
    mapped_file_close(&packed);
}

/* Packs into a temporary file, which is then renamed to `path`. If models of other names can have this path, an
 * existing file is replaced only if it has the same bytes. */
DragomanStatus dragoman_pack_download(const char *name, const char *model, const char *path, char **warnings,
                                      DragomanError *error)
{
    DragomanOptions options = option_fields_default();
    DragomanError fault_of_pack = { .status = DRAGOMAN_OK };
    Err err = { "" };
    Get get = { .err = &err };
    char *folder = path_folder(path), *fresh = NULL;
    int fd = -1, fault = 0;

    *warnings = NULL;
    options.model = model;
    options.precision = DRAGOMAN_INT8;
    if (!folder) get.st = err_memory(&err, "a path");
    folders_create(&get, folder);
    if (get.st == OK) temporary_file_remove_left(folder, path_name(path));
    if (get.st == OK) get.st = temporary_file_create(&fd, &fresh, folder, path_name(path), 0666, &fault, &err);
    if (fault) get.st = err_set(&err, ERR_IO, "%s: %s", path, strerror(fault));
    if (get.st == OK && dragoman_pack(&options, fd, path, warnings, &fault_of_pack) != DRAGOMAN_OK)
        get_fail(&get, (Status)fault_of_pack.status, "%s", fault_of_pack.message);
    if (get.st == OK && fsync(fd) != 0) get_fail(&get, ERR_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0 && close(fd) != 0) get_fail(&get, ERR_IO, "%s: %s", path, strerror(errno));
    if (get.st == OK && shares_packed_path(name)) check_existing(&get, path, fresh);
    if (get.st == OK && rename(fresh, path) != 0) get_fail(&get, ERR_IO, "%s: %s", path, strerror(errno));
    if (get.st != OK && fresh) (void)unlink(fresh);
    temporary_file_forget(fresh);
    free(fresh);
    free(folder);
    return option_fields_answer(get.st, &err, (Spelling){ 0 }, error);
}
