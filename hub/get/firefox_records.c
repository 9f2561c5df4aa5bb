/* firefox_records.c - see firefox_records.h.
 * Each record is one file: model, lexical shortlist, and one vocabulary or two, with its size and SHA-256. As in
 * Firefox (TranslationsParent.sys.mjs), the newest version of the model is taken and then the other files of the same
 * version. Records with a variant, a filter or a version that has letters are for developers and are left out. */
#include "firefox_records.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "digest.h"
#include "get_sources.h"
#include "json.h"

#define LARGEST ((int64_t)4 << 30) /* bytes of a file */
#define HEX     "0123456789abcdef"

static bool is_number(const char *version)
{
    return *version && isdigit((unsigned char)*version) && strspn(version, "0123456789.") == strlen(version);
}

static bool is_of_pair(const cJSON *record, const char *pair)
{
    return get_is_pair(pair, get_text_of(record, "fromLang"), get_text_of(record, "toLang")) &&
           !*get_text_of(record, "variant") && !*get_text_of(record, "filter_expression") &&
           is_number(get_text_of(record, "version"));
}

static bool is_safe_name(const char *name)
{
    return *name && *name != '.' && strlen(name) < 200 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name);
}

/* The record of the newest model; NULL if there is none. */
static const cJSON *find_model(const cJSON *records, const char *pair)
{
    const cJSON *record, *model = NULL;

    cJSON_ArrayForEach(record, records)
    {
        if (!is_of_pair(record, pair) || strcmp(get_text_of(record, "fileType"), "model") != 0) continue;
        if (!model || get_is_newer(record, model, "version")) model = record;
    }
    return model;
}

static bool is_needed(const cJSON *record)
{
    static const char *const kinds[] = { "model", "lex", "vocab", "srcvocab", "trgvocab", "metadata" };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(get_text_of(record, "fileType"), kinds[i]) == 0) return true;
    return false;
}

static Status read_file(FirefoxFile *out, const cJSON *record, const char *pair, Err *err)
{
    const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
    int64_t size;

    *out = (FirefoxFile){ .name = get_text_of(attachment, "filename"),
                          .location = get_text_of(attachment, "location"),
                          .hash = get_text_of(attachment, "hash") };
    if (!is_safe_name(out->name))
        return err_set(err, ERR_FORMAT, "get: firefox:%s: unsafe file name '%s'", pair, out->name);
    if (strlen(out->hash) != DIGEST_HEX - 1 || strspn(out->hash, HEX) != DIGEST_HEX - 1 ||
        !json_to_int64(cJSON_GetObjectItemCaseSensitive(attachment, "size"), 0, LARGEST, &size))
        return err_set(err, ERR_FORMAT, "get: firefox:%s: the registry states no size or checksum of %s", pair,
                       out->name);
    out->size = (uint64_t)size;
    return OK;
}

static Status add_file(FirefoxModel *out, const cJSON *record, const char *pair, Err *err)
{
    FirefoxFile file;
    Status st = read_file(&file, record, pair, err);

    if (st != OK) return st;
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
    const cJSON *record, *model = find_model(records, pair);
    Status st = OK;

    *out = (FirefoxModel){ .count = 0 };
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
        if (st == OK && is_needed(record) && is_of_pair(record, pair) &&
            strcmp(get_text_of(record, "version"), out->version) == 0)
            st = add_file(out, record, pair, err);
    }
    return st;
}
