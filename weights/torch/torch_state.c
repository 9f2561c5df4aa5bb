/* torch_state.c - see torch_state.h. */
#include "torch_state.h"

#include <stdlib.h>
#include <string.h>

#include "torch_view.h"

/* Tensors that are not contiguous are copied. All copies together have at most the size of the file
 * plus SPREAD_BYTES, which leaves room for tensors that are expanded from single elements. */
#define SPREAD_BYTES ((size_t)1 << 24)

/* Prefixes that DataParallel and torch.compile add to each name; both may occur. */
static const char *const WRAPPERS[] = { "module.", "_orig_mod." };
#define MAX_WRAPPERS 4 /* nested */

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

/* The number of bytes of a text that a message shows. */
static int shown_size(const PickleValue *text)
{
    return (int)(text->size < 200 ? text->size : 200);
}

/* Returns whether the value is a dict of names and tensors. Numbers, texts and None among them are
 * ignored; other containers are not allowed. */
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

static Status two_states(const PickleValue *one, const PickleValue *other, const char *path, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: contains two state dicts, %.*s and %.*s: save only that of the model", path,
                   shown_size(one), one->as.text, shown_size(other), other->as.text);
}

/* Finds which of the usual keys leads to a state dict, or NULL. */
static Status find_usual_key(const PickleValue **key, const PickleValue *top, const char *path, Err *err)
{
    static const char *const usual[] = { "state_dict", "model_state_dict", "model" };

    *key = NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const PickleValue *value = torch_pickle_member(top, usual[i]);
        if (!value || !is_state(value)) continue;
        if (*key) return two_states(*key, value - 1, path, err);
        *key = value - 1;
    }
    return OK;
}

/* Finds the only key that leads to a state dict, or NULL. Many keys may share one dict, so the number
 * of items examined is limited to those of the pickle. */
static Status find_only_key(const PickleValue **key, const Pickle *pickle, const PickleValue *top, Err *err)
{
    const PickleNode *dict = top->as.node;
    size_t left = pickle->item_count;

    *key = NULL;
    for (size_t i = 0; i + 1 < dict->count; i += 2) {
        const PickleValue *item = &dict->items[i];
        if (item->kind != PICKLE_TEXT || item[1].kind != PICKLE_DICT) continue;
        if (item[1].as.node->count > left) break;
        left -= item[1].as.node->count;
        if (!is_state(item + 1)) continue;
        if (*key) return two_states(*key, item, pickle->file, err);
        *key = item;
    }
    return OK;
}

/* Finds the state dict. Since a checkpoint may contain other tensors (a loss), its usual keys are tried first. */
static Status find_state(const PickleValue **out, const Pickle *pickle, const PickleValue *top, Err *err)
{
    const char *path = pickle->file;
    const PickleValue *key = NULL;
    Status st;

    *out = top;
    if (top->kind != PICKLE_DICT)
        return err_set(err, ERR_FORMAT, "%s: holds %s, not a state dict: save model.state_dict()", path,
                       kind_name(top->kind));
    st = find_usual_key(&key, top, path, err);
    if (st == OK && !key && is_state(top)) return OK;
    if (st == OK && !key) st = find_only_key(&key, pickle, top, err);
    if (st != OK) return st;
    if (key) {
        *out = key + 1;
        return OK;
    }
    if (!top->as.node->count) return err_set(err, ERR_FORMAT, "%s: the state dict is empty", path);
    return err_set(err, ERR_FORMAT, "%s: no state dict: expected a dict of tensors, or a dict that holds one", path);
}

/* Returns whether each name continues with `wrapper` after its first `skip` bytes. */
static bool is_wrapped(const PickleNode *state, size_t skip, const char *wrapper)
{
    size_t size = strlen(wrapper);

    for (size_t i = 0; i + 1 < state->count; i += 2) {
        const PickleValue *key = &state->items[i];
        if (state->items[i + 1].kind != PICKLE_TENSOR) continue;
        if (key->size <= skip + size || memcmp(key->as.text + skip, wrapper, size) != 0) return false;
    }
    return true;
}

/* Returns the length of the wrappers before each name, in any order. */
static size_t wrapped_size(const PickleNode *state)
{
    size_t skip = 0, found = 0, i = 0;

    while (found < MAX_WRAPPERS && i < sizeof WRAPPERS / sizeof *WRAPPERS) {
        if (!is_wrapped(state, skip, WRAPPERS[i])) {
            i++;
            continue;
        }
        skip += strlen(WRAPPERS[i]);
        found++;
        i = 0;
    }
    return skip;
}

static Status add_tensor(Collection *all, const Pickle *pickle, const PickleValue *item, size_t skip,
                         const FileView *file, ViewCopies *copies, Err *err)
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

Status torch_state_add(Collection *all, const Pickle *pickle, const PickleValue *top, const FileView *file,
                       bool is_mapped, Err *err)
{
    ViewCopies copies = { all->arena, file->map.size + SPREAD_BYTES, is_mapped ? &file->map : NULL };
    const PickleValue *found;
    const PickleNode *state;
    size_t skip;
    Status st = find_state(&found, pickle, top, err);

    if (st != OK) return st;
    state = found->as.node;
    skip = wrapped_size(state);
    st = collection_reserve(all, state->count / 2, err);
    for (size_t i = 0; st == OK && i + 1 < state->count; i += 2)
        if (state->items[i + 1].kind == PICKLE_TENSOR)
            st = add_tensor(all, pickle, &state->items[i], skip, file, &copies, err);
    return st;
}
