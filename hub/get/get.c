/* get.c - see get.h. */
#include "get.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "dragoman_tools.h"
#include "folders.h"
#include "get_sources.h"
#include "library.h"
#include "model_places.h"
#include "path.h"
#include "report.h"
#include "temporary_file.h"
#include "text.h"

#define LONGEST_PAIR     40
#define LONGEST_REVISION 200

/* The prefix of a name and where its models come from; the last one has none. */
static const struct {
    const char *prefix;
    Status (*get)(char **path, const char *name, Meter *meter, Err *err);
} sources[] = { { "argos:", get_from_argos }, { "firefox:", get_from_firefox }, { "", get_from_hub } };

static size_t source_of(const char *name)
{
    size_t i = 0;

    while (!text_begins_with(name, sources[i].prefix)) i++;
    return i;
}

/* Whether the text is FROM-TO, of letters, digits and hyphens: safe in paths and addresses. */
static bool is_pair(const char *text)
{
    const size_t len = strlen(text);

    if (!strchr(text, '-') || len > LONGEST_PAIR) return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && (text[i] != '-' || !i || i + 1 == len)) return false;
    return true;
}

/* Whether the text may be the name of a branch or a tag, or a commit; also safe as a path. */
static bool is_revision(const char *text)
{
    const size_t len = strlen(text);

    if (!len || len > LONGEST_REVISION || strstr(text, "..") || strstr(text, "//")) return false;
    if (strchr("/.-", text[0]) || text[len - 1] == '/' || strstr(text, "/.")) return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("/._-", text[i])) return false;
    return true;
}

Status get_check_name(const char *name, Err *err)
{
    const char *prefix = sources[source_of(name)].prefix, *at = strchr(name, '@');
    char *model;
    bool valid;

    if (*prefix) {
        if (is_pair(name + strlen(prefix))) return OK;
        return err_set(err, ERR_USAGE, "get: '%s' must name two languages, such as %sfr-en", name, prefix);
    }
    if (at && !is_revision(at + 1)) return err_set(err, ERR_USAGE, "get: '%s': invalid revision", name);
    model = strndup(name, at ? (size_t)(at - name) : strlen(name));
    if (!model) return err_memory(err, "a name");
    valid = model_places_is_hub_name(model);
    free(model);
    if (valid) return OK;
    return err_set(err, ERR_USAGE,
                   "get: '%s' must be the name of a model: ORG/NAME of huggingface.co, argos:FROM-TO or "
                   "firefox:FROM-TO",
                   name);
}

/* As huggingface_hub reads the variable. */
Status get_check_online(Err *err)
{
    static const char *const yes[] = { "1", "ON", "YES", "TRUE" };
    const char *value = getenv("HF_HUB_OFFLINE");

    for (size_t i = 0; value && i < sizeof yes / sizeof *yes; i++)
        if (strcasecmp(value, yes[i]) == 0)
            return err_set(err, ERR_IO, "get: HF_HUB_OFFLINE=%s forbids connections; unset it to download", value);
    return OK;
}

/* The options of the library for one model. */
static Status new_options(DragomanOptions **out, const char *path, Err *err)
{
    DragomanError error;

    *out = dragoman_options_new();
    if (!*out) return err_memory(err, "options");
    return library_status(dragoman_set_text(*out, DRAGOMAN_MODEL, path, &error), &error, err);
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

Status get_try_to_open(const char *path, Err *err)
{
    DragomanOptions *options;
    DragomanError error;
    char *languages = NULL;
    Status st = new_options(&options, path, err);

    if (st == OK) st = library_status(dragoman_languages(options, &languages, &error), &error, err);
    dragoman_free_text(languages);
    dragoman_options_free(options);
    return st;
}

static Status pack(const char *model, int fd, const char *name, bool quiet, Err *err)
{
    DragomanOptions *options;
    DragomanError error;
    char *warnings = NULL;
    Status st = new_options(&options, model, err);

    if (st == OK)
        st = library_status(dragoman_set_number(options, DRAGOMAN_PRECISION, DRAGOMAN_INT8, &error), &error, err);
    if (st == OK) st = library_status(dragoman_pack(options, fd, name, &warnings, &error), &error, err);
    if (st == OK && !quiet) reporter_say_warnings(&program_reporter, warnings);
    dragoman_free_text(warnings);
    dragoman_options_free(options);
    return st;
}

/* Whether models of other names have the same packed_path(): those of the hub that differ in ORG or REVISION. */
static bool shares_packed_path(const char *name)
{
    return !*sources[source_of(name)].prefix;
}

/* The path of the packed model: opus-mt-fr-en.safetensors for ORG/opus-mt-fr-en, argos-fr-en.safetensors for
 * argos:fr-en. */
static Status packed_path(Buf *out, const char *name, Err *err)
{
    char *folder = model_places_dragoman();
    const char *last = shares_packed_path(name) ? path_name(name) : name;
    Status st = folder ? buf_append_format(out, err, "%s/%.*s.safetensors", folder, (int)strcspn(last, "@"), last)
                       : err_set(err, ERR_IO, "get: dragoman's folder is not known: set XDG_DATA_HOME or HOME");

    for (size_t i = folder ? strlen(folder) + 1 : 0; st == OK && out->data[i]; i++)
        if (out->data[i] == ':') out->data[i] = '-';
    free(folder);
    return st;
}

/* Whether the rest of both files is the same. *fault is errno if one cannot be read. */
static bool have_same_bytes(FILE *a, FILE *b, int *fault)
{
    char x[4096], y[4096];
    size_t length, other;

    do {
        length = fread(x, 1, sizeof x, a);
        if (ferror(a)) *fault = errno;
        other = fread(y, 1, sizeof y, b);
        if (ferror(b)) *fault = errno;
        if (other != length || memcmp(x, y, length) != 0) return false;
    } while (length == sizeof x);
    return !*fault;
}

/* The packed file does not say which model it was made from. But the same model gives the same bytes. */
static Status check_existing(const char *target, const char *fresh, Err *err)
{
    FILE *existing = fopen(target, "rb"), *packed = existing ? fopen(fresh, "rb") : NULL;
    int fault = packed || (!existing && errno == ENOENT) ? 0 : errno;
    const bool same = !existing || (packed && have_same_bytes(existing, packed, &fault));

    if (existing) fclose(existing);
    if (packed) fclose(packed);
    if (fault) return err_set(err, ERR_IO, "%s: %s", target, strerror(fault));
    if (same) return OK;
    return err_set(err, ERR_IO,
                   "get: %s exists, and is another model or another version of this one; rename or remove it, and run "
                   "the command again",
                   target);
}

/* Packs into a temporary file, which then gets the name. An existing file with other bytes is kept unless `replace`. */
static Status pack_into(const char *model, const char *target, bool replace, bool quiet, Err *err)
{
    char *folder = path_folder(target), *fresh = NULL;
    int fd = -1, fault = 0;
    Status st = folder ? folders_create(folder, err) : err_memory(err, "a path");

    if (st == OK) st = temporary_file_create(&fd, &fresh, folder, path_name(target), 0666, &fault, err);
    if (fault) st = err_set(err, ERR_IO, "%s: %s", target, strerror(fault));
    if (st == OK) st = pack(model, fd, target, quiet, err);
    if (st == OK && fsync(fd) != 0) st = err_set(err, ERR_IO, "%s: %s", target, strerror(errno));
    if (fd >= 0 && close(fd) != 0 && st == OK) st = err_set(err, ERR_IO, "%s: %s", target, strerror(errno));
    if (st == OK && !replace) st = check_existing(target, fresh, err);
    if (st == OK && rename(fresh, target) != 0) st = err_set(err, ERR_IO, "%s: %s", target, strerror(errno));
    if (st != OK && fresh) (void)unlink(fresh);
    temporary_file_forget(fresh);
    free(fresh);
    free(folder);
    return st;
}

static Status get_model(char **path, const Options *options, Err *err)
{
    const char *name = options->files[0];
    const size_t source = source_of(name);
    Meter meter;
    Status st;

    meter_start(&meter, options->quiet);
    st = sources[source].get(path, name + strlen(sources[source].prefix), &meter, err);
    meter_stop(&meter);
    return st;
}

static Status unusable(const char *name, Err *err)
{
    Err reason = *err;

    return err_set(err, ERR_UNSUPPORTED, "get: %s was downloaded, but dragoman cannot use it: %s", name, reason.text);
}

Status command_get(const Options *options, Output *out, Err *err)
{
    const char *name = options->files[0];
    char *path = NULL;
    Buf packed = { 0 };
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK && options->as_int8) st = packed_path(&packed, name, err);
    if (st == OK) st = get_check_online(err);
    if (st == OK) st = get_model(&path, options, err);
    command_enter_sandbox(options); /* the network is not needed any more */
    if (st == OK && get_try_to_open(path, err) != OK) st = unusable(name, err);
    if (st == OK && options->as_int8) st = pack_into(path, packed.data, !shares_packed_path(name), options->quiet, err);
    if (st == OK) st = buf_append_format(&out->buffer, err, "%s\n", options->as_int8 ? packed.data : name);
    buf_free(&packed);
    free(path);
    return st == OK ? output_finish(out, err) : st;
}
