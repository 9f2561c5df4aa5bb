/* torch_state.c - see torch_state.h. */
#include "torch_state.h"

#include <stdlib.h>
#include <string.h>

#include "torch_view.h"

/* Tensors that are not contiguous are copied: as many bytes as the file has,
 * and some for those spread out from one element. */
#define SPREAD_BYTES ((size_t)1 << 24)

/* What DataParallel puts before each name. */
#define WRAPPER      "module."
#define WRAPPER_SIZE (sizeof WRAPPER - 1)

static const char *kind_name(PickleKind kind)
{
    static const char *const names[] = {
        [PICKLE_NONE] = "None",       [PICKLE_BOOL] = "a bool",       [PICKLE_INT] = "a number",
        [PICKLE_FLOAT] = "a number",  [PICKLE_LONG] = "a number",     [PICKLE_TEXT] = "a text",
        [PICKLE_TUPLE] = "a tuple",   [PICKLE_LIST] = "a list",       [PICKLE_DICT] = "a dict",
        [PICKLE_GLOBAL] = "a type",   [PICKLE_STORAGE] = "a storage", [PICKLE_TENSOR] = "a tensor",
        [PICKLE_OTHER] = "an object", [PICKLE_MARK] = "a mark",
    };

    return names[kind];
}

/* A dict of names and tensors; numbers, texts and None between them are of no
 * importance, anything that holds values of its own is. */
static bool is_state(const PickleValue *value)
{
    const PickleNode *node = value->as.node;
    bool some = false;

    if (value->kind != PICKLE_DICT) return false;
    for (size_t i = 0; i + 1 < node->count; i += 2) {
        PickleKind kind = node->items[i + 1].kind;
        if (node->items[i].kind != PICKLE_TEXT) return false;
        if (kind == PICKLE_TUPLE || kind == PICKLE_LIST || kind == PICKLE_DICT) return false;
        some |= kind == PICKLE_TENSOR;
    }
    return some;
}

/* *out is the state dict. A checkpoint may have tensors of its own (a loss), so
 * its usual keys go first. */
static Status find_state(const PickleValue **out, const PickleValue *top, const char *path, Err *err)
{
    static const char *const keys[] = { "state_dict", "model_state_dict", "model" };
    const char *found = NULL;

    *out = top;
    if (top->kind != PICKLE_DICT)
        return err_set(err, ERR_FORMAT, "%s: holds %s, not a state dict: save model.state_dict()", path,
                       kind_name(top->kind));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const PickleValue *value = torch_pickle_member(top, keys[i]);
        if (!value || !is_state(value)) continue;
        if (found)
            return err_set(err, ERR_FORMAT, "%s: both %s and %s are state dicts: save the one of the model alone", path,
                           found, keys[i]);
        found = keys[i];
        *out = value;
    }
    if (found || is_state(top)) return OK;
    if (!top->as.node->count) return err_set(err, ERR_FORMAT, "%s: the state dict is empty", path);
    return err_set(err, ERR_FORMAT,
                   "%s: no state dict: expected a dict of tensors, or one under the key state_dict, model_state_dict "
                   "or model",
                   path);
}

static bool is_wrapped(const PickleNode *state)
{
    for (size_t i = 0; i + 1 < state->count; i += 2) {
        const PickleValue *key = &state->items[i];
        if (state->items[i + 1].kind != PICKLE_TENSOR) continue;
        if (key->size <= WRAPPER_SIZE || memcmp(key->as.text, WRAPPER, WRAPPER_SIZE) != 0) return false;
    }
    return true;
}

static Status add_tensor(Collection *all, const Pickle *pickle, const PickleValue *item, size_t skip,
                         const WeightFile *file, ViewCopies *copies, Err *err)
{
    size_t size = item->size - skip;
    const char *text = item->as.text + skip;
    Tensor t = { .file = file->path };
    char *name;
    Status st;

    if (memchr(text, '\0', size)) return err_set(err, ERR_FORMAT, "%s: a tensor's name holds a NUL", file->path);
    name = malloc(size + 1);
    if (!name) return err_memory(err, "the name of a tensor");
    memcpy(name, text, size);
    name[size] = '\0';
    t.name = name;
    st = torch_view_make(&t, pickle, item + 1, copies, err);
    if (st == OK) st = collection_add_tensor(all, &t, err);
    free(name);
    return st;
}

Status torch_state_add(Collection *all, const Pickle *pickle, const PickleValue *top, const WeightFile *file,
                       bool is_mapped, Err *err)
{
    ViewCopies copies = { all->arena, file->map.size + SPREAD_BYTES, is_mapped ? &file->map : NULL };
    const PickleValue *found;
    const PickleNode *state;
    size_t skip;
    Status st = find_state(&found, top, file->path, err);

    if (st != OK) return st;
    state = found->as.node;
    skip = is_wrapped(state) ? WRAPPER_SIZE : 0;
    st = collection_reserve(all, state->count / 2, err);
    for (size_t i = 0; st == OK && i + 1 < state->count; i += 2)
        if (state->items[i + 1].kind == PICKLE_TENSOR)
            st = add_tensor(all, pickle, &state->items[i], skip, file, &copies, err);
    return st;
}
