/* outline.c - see dragoman_outline.h. A quick outline reads the keys of a bilingual model: those that convert_marian.py
 * of transformers writes to tokenizer_config.json, and those of Argos Translate's metadata.json. */
#include "dragoman_outline.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "language.h"
#include "loaded_model.h"
#include "path.h"

/* Codes of languages; each is allocated. */
typedef struct {
    char **items;
    size_t count, cap;
} CodeList;

struct DragomanOutline {
    CodeList sources, targets;
    uint64_t bytes;
    Status status; /* of the fault; OK: none */
    char *fault;
};

static Status add_code(CodeList *list, const char *code, Err *err)
{
    Status st = buf_grow_list(&list->items, &list->cap, list->count, 1, sizeof *list->items, "languages", err);
    char *copy = st == OK ? strdup(code) : NULL;

    if (st != OK) return st;
    if (!copy) return err_memory(err, "languages");
    list->items[list->count++] = copy;
    return OK;
}

static void free_codes(CodeList *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
}

/* A group of languages such as "ROMANCE" is no pair. */
static Status set_pair(DragomanOutline *o, const char *from, const char *to, Err *err)
{
    Status st;

    if (!from || !to || !language_is_known(from) || !language_is_known(to)) return OK;
    st = add_code(&o->sources, from, err);
    return st == OK ? add_code(&o->targets, to, err) : st;
}

/* Returns a text of the file's object; NULL if there is none. The tree owns it. */
static const char *text_of(const JsonObject *file, const char *key)
{
    const char *text = NULL;

    return file->node && json_get_string(*file, key, &text, NULL) == OK ? text : NULL;
}

/* Argos Translate has codes of its own for traditional Chinese and Brazilian Portuguese. */
static const char *standard_code(const char *code)
{
    if (code && strcmp(code, "zt") == 0) return "zh_Hant";
    return code && strcmp(code, "pb") == 0 ? "pt_BR" : code;
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
    return set_pair(o, standard_code(text_of(&tree, from)), standard_code(text_of(&tree, to)), err);
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

static Status add_once(CodeList *list, const char *code, Err *err)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], code) == 0) return OK;
    return add_code(list, code, err);
}

/* A model with target languages and no known source, such as MADLAD-400, translates from any of its languages; the
 * prefixes of T5 name both sides. */
static Status read_choices(DragomanOutline *o, const Tokenizer *tokenizer, Err *err)
{
    const char *source = tokenizer_chooses_source(tokenizer) ? NULL : tokenizer_source_language(tokenizer);
    Status st = OK;

    for (size_t i = 0; st == OK && i < tokenizer_language_count(tokenizer); i++) {
        const char *target = tokenizer_language(tokenizer, i), *own = tokenizer_language_source(tokenizer, i);
        st = add_code(&o->targets, target, err);
        if (st == OK && !source) st = add_once(&o->sources, own ? own : target, err);
    }
    return st == OK && source ? add_code(&o->sources, source, err) : st;
}

static Status read_languages(DragomanOutline *o, const Tokenizer *tokenizer, Err *err)
{
    if (tokenizer_language_count(tokenizer)) return read_choices(o, tokenizer, err);
    return set_pair(o, standard_code(tokenizer_source_language(tokenizer)),
                    standard_code(tokenizer_target_language(tokenizer)), err);
}

/* Opens everything but the weights. Returns the fault of the model, if it has one. */
static Status read_fully(DragomanOutline *o, const char *path, Err *err)
{
    DragomanOptions options = option_fields_default();
    LoadedModel loaded = { 0 };
    Status st;

    options.model = path;
    options.skip_calibration = true;
    st = loaded_model_read_head(&loaded, &options, err);
    if (st == OK) st = model_check_weights(loaded.files, err);
    if (st == OK) st = tokenizer_check_text(loaded.tokenizer, err);
    if (st == OK) st = read_languages(o, loaded.tokenizer, err);
    loaded_model_close(&loaded);
    return st;
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

    for (size_t i = 0; st == OK && !o->sources.count && i < 2; i++) {
        const char *to = last_part(base, base + strlen(base), separators[i]);
        const char *from = to > base ? last_part(base, to - 1, separators[i]) : to;
        char code[LANGUAGE_CODE];
        if (to <= from || (size_t)(to - from) > sizeof code) continue;
        memcpy(code, from, (size_t)(to - from) - 1);
        code[to - from - 1] = '\0';
        st = set_pair(o, code, to, err);
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
static Status read_model(DragomanOutline *o, const char *path, DragomanOutlineDepth depth, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    if (st == OK) st = measure(o, folder, path, err);
    if (st == OK && depth == DRAGOMAN_OUTLINE_QUICK) st = read_quickly(o, folder, err);
    if (folder) st = model_folder_check(folder, st, err);
    model_folder_close(folder);
    return st == OK && depth == DRAGOMAN_OUTLINE_FULL ? read_fully(o, path, err) : st;
}

static Status outline_new(DragomanOutline **out, const char *path, const char *name, DragomanOutlineDepth depth,
                          Err *err)
{
    DragomanOutline *o = calloc(1, sizeof *o);
    Status st;
    Err fault;

    *out = o;
    if (!o) return err_memory(err, "an outline");
    st = read_model(o, path, depth, &fault);
    if (st == ERR_MEMORY) return err_set(err, st, "%s", fault.text);
    o->status = st;
    if (st != OK && !(o->fault = strdup(fault.text))) return err_memory(err, "an outline");
    if ((depth == DRAGOMAN_OUTLINE_QUICK && !o->fault) || o->sources.count || o->targets.count) return OK;
    return read_name(o, name, err);
}

DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name, DragomanOutlineDepth depth,
                                DragomanError *error)
{
    Err err = { "" };
    Status st = outline_new(out, path, name, depth, &err);

    if (st != OK) {
        dragoman_outline_free(*out);
        *out = NULL;
    }
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

void dragoman_outline_free(DragomanOutline *outline)
{
    if (!outline) return;
    free_codes(&outline->sources);
    free_codes(&outline->targets);
    free(outline->fault);
    free(outline);
}

bool dragoman_outline_has_languages(const DragomanOutline *outline)
{
    return outline->sources.count && outline->targets.count;
}

const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->sources.count;
    return (const char *const *)outline->sources.items;
}

const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count)
{
    if (count) *count = outline->targets.count;
    return (const char *const *)outline->targets.items;
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
    for (size_t i = 0; st == OK && !*out && i < list->count; i++)
        st = code_fits(out, wanted, &tag, list->items[i], err);
    return st;
}

static Status has_pair(bool *out, const DragomanOutline *o, const char *from, const char *to, Err *err)
{
    Status st = OK;

    *out = dragoman_outline_has_languages(o);
    if (*out) st = has_language(out, &o->sources, from, err);
    return st == OK && *out ? has_language(out, &o->targets, to, err) : st;
}

DragomanStatus dragoman_outline_has_pair(const DragomanOutline *outline, const char *from, const char *to, bool *has,
                                         DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(has_pair(has, outline, from, to, &err), &err, (Spelling){ 0 }, error);
}

bool dragoman_outline_translates(const DragomanOutline *outline, const char *from, const char *to)
{
    bool has;

    return has_pair(&has, outline, from, to, NULL) == OK && has;
}

static Status find_code(char out[DRAGOMAN_LANGUAGE_CODE], const char *wanted, Err *err)
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

    return option_fields_answer(find_code(code, wanted, &err), &err, (Spelling){ 0 }, error);
}

void dragoman_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE])
{
    (void)!find_code(code, wanted, NULL);
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
