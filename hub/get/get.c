/* get.c - downloads a model, and packs it: see dragoman_hub.h. The files of this folder are the only part of dragoman
 * that uses the network. */
#define _GNU_SOURCE /* vasprintf() */
#include "get.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dragoman_tools.h"
#include "json.h"
#include "mapped_file.h"
#include "model_places.h"
#include "option_fields.h"
#include "path.h"
#include "temporary_file.h"
#include "text.h"

#define LONGEST_PAIR     40
#define LONGEST_REVISION 200

/* The prefix of a name and where its models come from; the last one has none. */
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

/* Checks that a name is safe in paths and addresses: FROM-TO, of letters, digits and hyphens, or the name of a model of
 * the hub, with or without a revision, which is the name of a branch or a tag, or a commit. */
static Status check_name(const char *name, Err *err)
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
                   "get: '%s' must be the name of a model: ORG/NAME of huggingface.co, argos:FROM-TO or "
                   "firefox:FROM-TO",
                   name);
}

DragomanStatus dragoman_check_download(const char *name, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(check_name(name, &err), &err, (Spelling){ 0 }, error);
}

/* HF_HUB_OFFLINE forbids connections, as huggingface_hub reads it. */
DragomanStatus dragoman_download(const char *name, DragomanProgressReader *reader, void *context, char **path,
                                 DragomanError *error)
{
    static const char *const yes[] = { "1", "ON", "YES", "TRUE" };
    const char *offline = getenv("HF_HUB_OFFLINE");
    const size_t source = source_of(name);
    Progress progress = { .reader = reader, .context = context };
    Err err = { "" };
    Get get = { .progress = &progress, .err = &err, .st = check_name(name, &err) };

    *path = NULL;
    for (size_t i = 0; offline && i < sizeof yes / sizeof *yes; i++)
        if (strcasecmp(offline, yes[i]) == 0)
            get_fail(&get, ERR_IO, "get: HF_HUB_OFFLINE=%s forbids connections; unset it to download", offline);
    if (get.st == OK) sources[source].get(&get, name + strlen(sources[source].prefix), path);
    file_lock_release(&get.lock);
    web_free(get.web);
    if (get.st != OK) {
        free(*path);
        *path = NULL;
    }
    return option_fields_answer(get.st, &err, (Spelling){ 0 }, error);
}

/* --- What the sites share ------------------------------------------------------------------ */

void get_fail(Get *get, Status status, const char *format, ...)
{
    char text[2 * sizeof(Err)];
    va_list args;

    if (get->st != OK) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    get->st = err_set(get->err, status, "%s", text);
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

const char *get_variable(const char *name, const char *usual)
{
    const char *value = getenv(name);

    return value && *value ? value : usual;
}

void get_create_folder(Get *get, const char *path)
{
    if (get->st == OK) get->st = folders_create(path, get->err);
}

void get_lock(Get *get, const char *path)
{
    if (get->st == OK) get->st = file_lock_take(&get->lock, path, get->err);
}

void get_open(Get *get, const char *base, const char *token)
{
    if (get->st == OK) get->st = web_new(&get->web, base, token, get->err);
}

void get_json(Get *get, const char *url, bool is_list, cJSON **out)
{
    Buf answer = { 0 };
    WebReply reply;

    *out = NULL;
    if (get->st == OK) get->st = web_get_text(get->web, url, GET_MOST_ANSWER, &answer, &reply, get->err);
    if (get->st == OK) get->st = (is_list ? json_parse_list : json_parse)(out, answer.data, answer.len, url, get->err);
    buf_free(&answer);
}

bool get_file(Get *get, const DownloadTask *task, const char *path, WebReply *reply)
{
    bool same = false;

    if (get->st == OK) get->st = download_check_existing(path, task, &same, get->err);
    if (get->st == OK && !same) get->st = download_file(get->web, task, get->progress, reply, get->err);
    if (get->st == OK && !same && rename(task->partial, path) != 0)
        get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
    return get->st == OK && !same;
}

const char *get_text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

bool get_is_newer(const cJSON *a, const cJSON *b, const char *key)
{
    return text_compare_versions(get_text_of(a, key), get_text_of(b, key)) > 0;
}

bool get_is_pair(const char *pair, const char *from, const char *to)
{
    const size_t length = strlen(from);

    return length && *to && strncmp(pair, from, length) == 0 && pair[length] == '-' &&
           strcmp(pair + length + 1, to) == 0;
}

void get_try_to_open(Get *get, const char *path)
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

/* --- Packed files ------------------------------------------------------------------------- */

/* Whether models of other names have the same packed file: those of the hub that differ in ORG or REVISION. */
static bool shares_packed_path(const char *name)
{
    return !*sources[source_of(name)].prefix;
}

/* The path is opus-mt-fr-en.safetensors for ORG/opus-mt-fr-en, and argos-fr-en.safetensors for argos:fr-en. */
DragomanStatus dragoman_packed_path(const char *name, char **path, DragomanError *error)
{
    char *folder = model_places_dragoman();
    const char *last = shares_packed_path(name) ? path_name(name) : name;
    Buf out = { 0 };
    Err err = { "" };
    Status st = OK;

    if (folder)
        buf_put_format(&out, "%s/%.*s.safetensors", folder, (int)strcspn(last, "@"), last);
    else
        st = err_set(&err, ERR_IO, "get: dragoman's folder is not known: set XDG_DATA_HOME or HOME");
    if (st == OK) st = buf_check(&out, &err);
    for (char *c = st == OK ? out.data + strlen(folder) + 1 : NULL; c && *c; c++)
        if (*c == ':') *c = '-';
    if (st != OK) buf_free(&out);
    *path = out.data;
    free(folder);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

/* The packed file does not say which model it was made from. But the same model gives the same bytes. */
static Status check_existing(const char *target, const char *fresh, Err *err)
{
    MappedFile existing = { 0 }, packed = { 0 };
    int fault;
    bool same;
    Status st = mapped_file_open(&existing, target, &fault, err);

    if (fault == ENOENT) return OK;
    if (st == OK) st = mapped_file_open(&packed, fresh, &fault, err);
    same = existing.size == packed.size && (!packed.size || memcmp(existing.data, packed.data, packed.size) == 0);
    mapped_file_close(&existing);
    mapped_file_close(&packed);
    if (st != OK || same) return st;
    return err_set(err, ERR_IO,
                   "get: %s exists, and is another model or another version of this one; rename or remove it, and run "
                   "the command again",
                   target);
}

/* Packs into a temporary file, which then gets the name. An existing file with other bytes is replaced only if no model
 * of another name has the same packed file. */
DragomanStatus dragoman_pack_download(const char *name, const char *model, const char *path, char **warnings,
                                      DragomanError *error)
{
    DragomanOptions options = option_fields_default();
    DragomanError fault_of_pack = { .status = DRAGOMAN_OK };
    Err err = { "" };
    char *folder = path_folder(path), *fresh = NULL;
    int fd = -1, fault = 0;
    Status st = folder ? folders_create(folder, &err) : err_memory(&err, "a path");

    *warnings = NULL;
    options.model = model;
    options.precision = DRAGOMAN_INT8;
    if (st == OK) st = temporary_file_create(&fd, &fresh, folder, path_name(path), 0666, &fault, &err);
    if (fault) st = err_set(&err, ERR_IO, "%s: %s", path, strerror(fault));
    if (st == OK && dragoman_pack(&options, fd, path, warnings, &fault_of_pack) != DRAGOMAN_OK)
        st = err_set(&err, (Status)fault_of_pack.status, "%s", fault_of_pack.message);
    if (st == OK && fsync(fd) != 0) st = err_set(&err, ERR_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0 && close(fd) != 0 && st == OK) st = err_set(&err, ERR_IO, "%s: %s", path, strerror(errno));
    if (st == OK && shares_packed_path(name)) st = check_existing(path, fresh, &err);
    if (st == OK && rename(fresh, path) != 0) st = err_set(&err, ERR_IO, "%s: %s", path, strerror(errno));
    if (st != OK && fresh) (void)unlink(fresh);
    temporary_file_forget(fresh);
    free(fresh);
    free(folder);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}
