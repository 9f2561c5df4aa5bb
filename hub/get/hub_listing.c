/* hub_listing.c - see hub_listing.h. The files that dragoman needs are in the model's folder itself, never below it. */
#include "hub_listing.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

#define LARGEST_FILE  ((int64_t)1 << 46)
#define MOST_FILES    ((size_t)100000)
#define HEX           "0123456789abcdef"
#define SHA1_LENGTH   40
#define SHA256_LENGTH 64

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

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_hex(const char *text, size_t len)
{
    return text && strlen(text) == len && strspn(text, HEX) == len;
}

/* Whether no part of the path is empty, "." or "..", and no character is a control character. */
static bool is_safe(const char *name)
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

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* Reads the size and the hash: SHA-256 of a file in LFS, else git's id. False if one is missing. */
static bool read_checks(HubFile *file, const cJSON *item)
{
    const cJSON *lfs = cJSON_GetObjectItemCaseSensitive(item, "lfs");
    const bool large = cJSON_IsObject(lfs);
    const char *hash = large ? text_of(lfs, "sha256") : text_of(item, "blobId");
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(large ? lfs : item, "size");
    int64_t bytes;

    if (large && !hash) hash = text_of(lfs, "oid");
    if (!is_hex(hash, large ? SHA256_LENGTH : SHA1_LENGTH) || !json_to_int64(size, 0, LARGEST_FILE, &bytes))
        return false;
    file->kind = large ? DIGEST_SHA256 : DIGEST_GIT_BLOB;
    file->size = (uint64_t)bytes;
    memcpy(file->hash, hash, strlen(hash) + 1);
    return true;
}

static Status add_file(HubListing *out, const cJSON *item, const char *model, Err *err)
{
    const char *name = text_of(item, "rfilename");
    HubFile file = { .name = NULL };
    Status st;

    if (!name) return err_set(err, ERR_FORMAT, "get: %s: the server's list has a file without a name", model);
    if (!is_safe(name)) return err_set(err, ERR_FORMAT, "get: %s: refused: unsafe file name '%s'", model, name);
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

/* Sorts the files by name, so that they can be found; each name must be there once. */
static Status sort(HubListing *listing, const char *model, Err *err)
{
    HubFile *files = listing->files;

    if (listing->count) qsort(files, listing->count, sizeof *files, compare_names);
    for (size_t i = 1; i < listing->count; i++)
        if (strcmp(files[i - 1].name, files[i].name) == 0)
            return err_set(err, ERR_FORMAT, "get: %s: the server lists %s twice", model, files[i].name);
    return OK;
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

static Status choose(HubListing *listing, const char *model, Err *err)
{
    size_t i = 0;

    while (i < COUNT(weights) && !want(listing, weights[i])) i++;
    if (i == COUNT(weights))
        return err_set(err, ERR_UNSUPPORTED,
                       "get: %s: has no weights that dragoman reads (safetensors, PyTorch, CTranslate2 or Marian)",
                       model);
    for (size_t k = 0; k < COUNT(needed); k++) (void)want(listing, needed[k]);
    return OK;
}

Status hub_listing_read(HubListing *out, const Buf *answer, const char *model, Err *err)
{
    cJSON *tree = NULL;
    const cJSON *item, *files;
    const char *commit;
    Status st = json_parse(&tree, answer->data, answer->len, "get: the server's answer", err);

    commit = text_of(tree, "sha");
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
    if (st == OK) st = sort(out, model, err);
    return st == OK ? choose(out, model, err) : st;
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

static Status want_part(HubListing *listing, const cJSON *part, const char *model, Err *err)
{
    const HubFile wanted = { .name = part->valuestring };
    HubFile *found;

    if (!cJSON_IsString(part)) return err_set(err, ERR_FORMAT, "get: %s: the index of the weights is invalid", model);
    found = bsearch(&wanted, listing->files, listing->count, sizeof wanted, compare_names);
    if (!found)
        return err_set(err, ERR_FORMAT, "get: %s: the index of the weights names %s, which the server does not have",
                       model, part->valuestring);
    found->wanted = true;
    return OK;
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
        const bool again = last && cJSON_Compare(last, part, true);
        if (st == OK && !again) st = want_part(listing, part, model, err);
        last = part;
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
