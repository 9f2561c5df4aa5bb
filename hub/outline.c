/* outline.c - see dragoman_hub.h and outline.h. */
#include "outline.h"

#include <cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "buf.h"
#include "json.h"
#include "language.h"
#include "model_folder.h"
#include "model_languages.h"
#include "nearest.h"
#include "path.h"
#include "public_status.h"
#include "text.h"

struct DragomanOutline {
    ModelLanguages languages;
    uint64_t bytes;
    Status status; /* of the fault; OK: none */
    char *fault;
};

/* Returns the string `key` of the JSON object; NULL if there is none. The tree owns it. */
static const char *text_of(const JsonObject *file, const char *key)
{
    JsonReader r = { .json = *file };
    const char *text = NULL;

    json_read_string(&r, key, &text);
    return text;
}

/* Adds the languages in a JSON file: the values of the keys `from` and `to`. Ignores faults of the file, which the full
 * outline or opening the model reports. */
static Status read_keys(DragomanOutline *o, ModelFolder *folder, const char *file, const char *from, const char *to,
                        Err *err)
{
    const char *package = model_folder_package(folder);
    char *path = package ? path_join(package, file) : NULL;
    JsonObject tree = { NULL, "" };
    Status st = OK;

    if (package && !path) return err_memory(err, "a path");
    st = path ? model_folder_json_path(folder, path, &tree, NULL) : model_folder_json(folder, file, &tree, NULL);
    free(path);
    if (st != OK) return st == ERR_MEMORY ? err_memory(err, "the model's files") : OK;
    return model_languages_add_pair(&o->languages, model_languages_standard_code(text_of(&tree, from)),
                                    model_languages_standard_code(text_of(&tree, to)), err);
}

/* Returns the last part of name[0, end): the text after the last separator. A language and a script after it are one
 * part, such as "zh-Hans". */
static const char *last_part(const char *name, const char *end, const char *separators)
{
    const char *part = end;

    while (part > name && !strchr(separators, part[-1])) part--;
    if (end - part != 4 || !isupper((unsigned char)*part) || part == name) return part;
    for (part--; part > name && !strchr(separators, part[-1]);) part--;
    return part;
}

/* Reads the properties of a file. *info is {0} if it has been removed, is in an archive, or is a dangling link. */
static Status look_at(struct stat *info, const char *path, Err *err)
{
    *info = (struct stat){ 0 };
    if (stat(path, info) == 0 || (errno != EIO && errno != ENOMEM)) return OK;
    return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

static uint64_t size_of(const struct stat *info)
{
    return S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0;
}

/* Reads the files of the model into *o. A failure is a fault of the model. */
static Status read_model(DragomanOutline *o, const char *path, bool quick, Err *err)
{
    ModelFolder *folder;
    JsonObject config = { NULL, "" };
    const char *type = NULL, *const * names;
    size_t count = 0;
    struct stat info;
    Status st = model_folder_open(&folder, path, err);

    /* The size of a folder is the size of its files, without subfolders. */
    if (st == OK) {
        st = look_at(&info, path, err);
        o->bytes = size_of(&info);
        if (st == OK && S_ISDIR(info.st_mode)) st = model_folder_list(folder, &names, &count, err);
    }
    for (size_t i = 0; st == OK && i < count; i++) {
        char *file = path_join(model_folder_place(folder), names[i]);
        st = file ? look_at(&info, file, err) : err_memory(err, "a path");
        if (st == OK) o->bytes += size_of(&info);
        free(file);
    }

    if (st == OK && quick && model_folder_package(folder)) {
        st = read_keys(o, folder, "metadata.json", "from_code", "to_code", err);
    } else if (st == OK && quick && model_folder_kind(folder) == MODEL_HUGGING_FACE) {
        st = model_folder_json(folder, "config.json", &config, err);
        if (st == OK) type = text_of(&config, "model_type");
        if (type && strcmp(type, "marian") == 0)
            st = read_keys(o, folder, "tokenizer_config.json", "source_lang", "target_lang", err);
    }
    if (folder) st = model_folder_check(folder, st, err);
    model_folder_close(folder);
    return st == OK && !quick ? model_languages_read(&o->languages, path, err) : st;
}

Status outline_read(DragomanOutline **out, const char *path, const char *name, bool quick, Spelling spelling, Err *err)
{
    static const char *const separators[] = { "-:", "-_:" };
    DragomanOutline *o = calloc(1, sizeof *o);
    const char *base = name ? path_name(name) : "";
    bool from_name;
    Err fault;
    Status st;

    *out = NULL;
    if (!o) return err_memory(err, "an outline");
    o->status = read_model(o, path, quick, &fault);
    if (o->status != OK) (void)option_fields_name(&fault, spelling);
    st = o->status == ERR_MEMORY ? err_set(err, ERR_MEMORY, "%s", fault.text) : OK;
    if (st == OK && o->status != OK && !(o->fault = strdup(fault.text))) st = err_memory(err, "an outline");
    /* If the files tell no languages, take them from a name that ends in FROM-TO, else in FROM_TO. */
    from_name = (!quick || o->fault) && !o->languages.sources.count && !o->languages.targets.count;
    for (size_t i = 0; st == OK && from_name && !o->languages.sources.count && i < 2; i++) {
        const char *to = last_part(base, base + strlen(base), separators[i]);
        const char *from = to > base ? last_part(base, to - 1, separators[i]) : to;
        char code[LANGUAGE_CODE];
        if (to <= from || (size_t)(to - from) > sizeof code) continue;
        memcpy(code, from, (size_t)(to - from) - 1);
        code[to - from - 1] = '\0';
        st = model_languages_add_pair(&o->languages, code, to, err);
    }
    if (st == OK)
        *out = o;
    else
        dragoman_outline_free(o);
    return st;
}

DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(outline_read(out, path, name, false, (Spelling){ 0 }, &err), &err, (Spelling){ 0 },
                                error);
}

void dragoman_outline_free(DragomanOutline *outline)
{
    if (!outline) return;
    model_languages_free(&outline->languages);
    free(outline->fault);
    free(outline);
}

bool outline_has_languages(const DragomanOutline *outline)
{
    return outline->languages.sources.count && outline->languages.targets.count;
}

const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->languages.sources.count;
    return (const char *const *)outline->languages.sources.items;
}

const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->languages.targets.count;
    return (const char *const *)outline->languages.targets.items;
}

/* Sets *out to whether a code of the list means the same language as `wanted`, as language_same() compares them or, if
 * `wanted` has the form of a language tag, as language_tag_fit() does. */
static Status has_language(bool *out, const TextList *list, const char *wanted, Err *err)
{
    LanguageTag tag;
    Status st;

    *out = !wanted;
    if (!wanted) return OK;
    st = language_tag_read(&tag, wanted, err);
    for (size_t i = 0; st == OK && !*out && i < list->count; i++) {
        unsigned fit = 0;
        *out = language_same(wanted, list->items[i]);
        if (*out || !tag.language[0]) continue;
        st = language_tag_fit(&fit, &tag, list->items[i], err);
        *out = fit > 0;
    }
    return st;
}

Status outline_has_pair(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err)
{
    Status st = OK;

    *out = outline_has_languages(outline);
    if (*out) st = has_language(out, &outline->languages.sources, from, err);
    return st == OK && *out ? has_language(out, &outline->languages.targets, to, err) : st;
}

DragomanStatus dragoman_outline_has_pair(const DragomanOutline *outline, const char *from, const char *to, bool *has,
                                         DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(outline_has_pair(has, outline, from, to, &err), &err, (Spelling){ 0 }, error);
}

Status outline_language_code(char out[DRAGOMAN_LANGUAGE_CODE], const char *wanted, Err *err)
{
    char room[LANGUAGE_CODE];
    const char *code;
    Status st = language_code(&code, room, wanted, err);

    snprintf(out, DRAGOMAN_LANGUAGE_CODE, "%s", code);
    return st;
}

DragomanStatus dragoman_find_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(outline_language_code(code, wanted, &err), &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_check_spelling(const char *wanted, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(language_check_spelling("", wanted, &err), &err, (Spelling){ 0 }, error);
}

uint64_t dragoman_outline_bytes(const DragomanOutline *outline)
{
    return outline->bytes;
}

const char *dragoman_outline_fault(const DragomanOutline *outline)
{
    return outline->fault;
}

DragomanStatus dragoman_outline_status(const DragomanOutline *outline)
{
    return (DragomanStatus)outline->status;
}
