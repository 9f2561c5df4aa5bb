/* outline.c - what is known of a model before its weights are read: see dragoman_hub.h. A quick outline reads the keys
 * of a bilingual model: those that convert_marian.py of transformers writes to tokenizer_config.json, and those of
 * Argos Translate's metadata.json. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hub.h"
#include "language.h"
#include "model_folder.h"
#include "model_languages.h"
#include "path.h"

struct DragomanOutline {
    ModelLanguages languages;
    uint64_t bytes;
    Status status; /* of the fault; OK: none */
    char *fault;
};

/* Returns a text of the file's object; NULL if there is none. The tree owns it. */
static const char *text_of(const JsonObject *file, const char *key)
{
    const char *text = NULL;

    return file->node && json_get_string(*file, key, &text, NULL) == OK ? text : NULL;
}

/* Faults of the files are left to the full outline, or to opening the model. */
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

static Status read_quickly(DragomanOutline *o, ModelFolder *folder, Err *err)
{
    JsonObject config = { NULL, "" };
    const char *type;
    Status st;

    if (model_folder_package(folder)) return read_keys(o, folder, "metadata.json", "from_code", "to_code", err);
    if (model_folder_kind(folder) != MODEL_HUGGING_FACE) return OK;
    st = model_folder_json(folder, "config.json", &config, err);
    type = st == OK ? text_of(&config, "model_type") : NULL;
    if (!type || strcmp(type, "marian") != 0) return st;
    return read_keys(o, folder, "tokenizer_config.json", "source_lang", "target_lang", err);
}

/* The last part of a name, which ends at `end`, from the last separator on. A script is one part with the language
 * before it: "zh-Hans". */
static const char *last_part(const char *name, const char *end, const char *separators)
{
    const char *part = end;

    while (part > name && !strchr(separators, part[-1])) part--;
    if (end - part != 4 || !isupper((unsigned char)*part) || part == name) return part;
    for (part--; part > name && !strchr(separators, part[-1]);) part--;
    return part;
}

/* Takes the languages from a name that ends in FROM-TO. Also tries FROM_TO. */
static Status read_name(DragomanOutline *o, const char *name, Err *err)
{
    static const char *const separators[] = { "-:", "-_:" };
    const char *base = name ? path_name(name) : "";
    Status st = OK;

    for (size_t i = 0; st == OK && !o->languages.sources.len && i < 2; i++) {
        const char *to = last_part(base, base + strlen(base), separators[i]);
        const char *from = to > base ? last_part(base, to - 1, separators[i]) : to;
        char code[LANGUAGE_CODE];
        if (to <= from || (size_t)(to - from) > sizeof code) continue;
        memcpy(code, from, (size_t)(to - from) - 1);
        code[to - from - 1] = '\0';
        st = model_languages_add_pair(&o->languages, code, to, err);
    }
    return st;
}

/* All of *info is zero if the file has been removed, is a part of an archive, or is named by a bad link. */
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

/* Adds up the files of a folder, without its subfolders. */
static Status measure(DragomanOutline *o, ModelFolder *folder, const char *path, Err *err)
{
    const char *const *names;
    size_t count;
    struct stat info;
    Status st = look_at(&info, path, err);

    o->bytes = size_of(&info);
    if (st != OK || !S_ISDIR(info.st_mode)) return st;
    st = model_folder_list(folder, &names, &count, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        char *file = path_join(model_folder_place(folder), names[i]);
        st = file ? look_at(&info, file, err) : err_memory(err, "a path");
        if (st == OK) o->bytes += size_of(&info);
        free(file);
    }
    return st;
}

/* Everything that is read from the files; a failure is a fault of the model. */
static Status read_model(DragomanOutline *o, const char *path, bool quick, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    if (st == OK) st = measure(o, folder, path, err);
    if (st == OK && quick) st = read_quickly(o, folder, err);
    if (folder) st = model_folder_check(folder, st, err);
    model_folder_close(folder);
    return st == OK && !quick ? model_languages_read(&o->languages, path, err) : st;
}

Status outline_read(DragomanOutline **out, const char *path, const char *name, bool quick, Err *err)
{
    DragomanOutline *o = calloc(1, sizeof *o);
    Err fault;
    Status st;

    *out = NULL;
    if (!o) return err_memory(err, "an outline");
    o->status = read_model(o, path, quick, &fault);
    st = o->status == ERR_MEMORY ? err_set(err, ERR_MEMORY, "%s", fault.text) : OK;
    if (st == OK && o->status != OK && !(o->fault = strdup(fault.text))) st = err_memory(err, "an outline");
    if (st == OK && (!quick || o->fault) && !o->languages.sources.len && !o->languages.targets.len)
        st = read_name(o, name, err);
    if (st == OK)
        *out = o;
    else
        dragoman_outline_free(o);
    return st;
}

DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(outline_read(out, path, name, false, &err), &err, (Spelling){ 0 }, error);
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
    return outline->languages.sources.len && outline->languages.targets.len;
}

const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->languages.sources.len;
    return (const char *const *)outline->languages.sources.data;
}

const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->languages.targets.len;
    return (const char *const *)outline->languages.targets.data;
}

/* `wanted` and `tag` are the same language; the tag is empty if `wanted` does not have the form of a tag. */
static Status code_fits(bool *out, const char *wanted, const LanguageTag *tag, const char *code, Err *err)
{
    LanguageTag has;
    unsigned fit = 0;
    Status st;

    *out = language_same(wanted, code);
    if (*out || !tag->language[0]) return OK;
    st = language_tag_read(&has, code, err);
    if (st == OK && has.language[0]) st = language_tag_fit(&fit, tag, &has, err);
    *out = fit > 0;
    return st;
}

static Status has_language(bool *out, const CodeList *list, const char *wanted, Err *err)
{
    LanguageTag tag;
    Status st;

    *out = !wanted;
    if (!wanted) return OK;
    st = language_tag_read(&tag, wanted, err);
    for (size_t i = 0; st == OK && !*out && i < list->len; i++) st = code_fits(out, wanted, &tag, list->data[i], err);
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
