/* torch_call.c - see torch_machine.h.
 * Source   persistent_load() of torch/serialization.py, the _rebuild functions of
 *          torch/_utils.py. Arguments that do not affect the values (requires_grad, hooks,
 *          Python attributes) are ignored. */
#include "torch_machine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

/* Keys of storages are numbers; torch.save() writes no longer ones. */
#define MAX_KEY 100

/* How many bytes to search for the name of a module. */
#define MODULE_HORIZON ((size_t)1 << 18)

static bool is_kind(const PickleNode *node, size_t index, PickleKind kind)
{
    return index < node->count && node->items[index].kind == kind;
}

/* Returns true for a missing argument, None, False and an empty dict. */
static bool is_nothing(const PickleNode *node, size_t index)
{
    const PickleValue *value;

    if (index >= node->count) return true;
    value = &node->items[index];
    return value->kind == PICKLE_NONE || (value->kind == PICKLE_BOOL && !value->as.integer) ||
           (value->kind == PICKLE_DICT && !value->as.node->count);
}

static Status bad_call(const Pickle *pickle, const TorchGlobal *global, Err *err)
{
    return torch_pickle_fault(pickle, err, "%s.%s is called with other arguments than those of torch.save",
                              global->module, global->name);
}

/* Calls OrderedDict(), OrderedDict([[key, value], ...]) as Python 2 writes it, Counter({...}) and defaultdict(list). */
static Status call_dict(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args, Err *err)
{
    PickleNode *node = NULL;
    const PickleNode *from = args->count ? args->items[0].as.node : NULL;
    Status st = torch_pickle_add_node(pickle, &node, err);

    if (st != OK) return st;
    *out = (PickleValue){ .kind = PICKLE_DICT, .as.node = node };
    if (!args->count) return OK;
    if (args->count > 1) return bad_call(pickle, global, err);
    if (is_kind(args, 0, PICKLE_GLOBAL)) return OK;
    if (is_kind(args, 0, PICKLE_DICT)) return torch_pickle_append(pickle, node, from->items, from->count, err);
    if (!is_kind(args, 0, PICKLE_LIST)) return bad_call(pickle, global, err);
    for (size_t i = 0; st == OK && i < from->count; i++) {
        const PickleValue *pair = &from->items[i];
        if ((pair->kind != PICKLE_LIST && pair->kind != PICKLE_TUPLE) || pair->as.node->count != 2)
            return bad_call(pickle, global, err);
        st = torch_pickle_append(pickle, node, pair->as.node->items, 2, err);
    }
    return st;
}

/* The seventh argument is a dtype (_rebuild_tensor_v3) or metadata; metadata, which may also be the
 * eighth argument, may request a conjugate or negated view. */
static Status call_tensor(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args, Err *err)
{
    bool typed = global->use == USE_TYPED_TENSOR;
    PickleNode *node = NULL;
    PickleValue type = { .kind = PICKLE_NONE };
    Status st;

    if (!is_kind(args, 0, PICKLE_STORAGE) || !is_kind(args, 1, PICKLE_INT) || !is_kind(args, 2, PICKLE_TUPLE) ||
        !is_kind(args, 3, PICKLE_TUPLE) || args->count > 8)
        return bad_call(pickle, global, err);
    if (typed) {
        if (!is_kind(args, 6, PICKLE_GLOBAL) || args->items[6].as.global->use != USE_DTYPE)
            return bad_call(pickle, global, err);
        type = args->items[6];
    }
    if (!is_nothing(args, typed ? 7 : 6))
        return torch_pickle_fault(pickle, err, "a conjugate or negated view is not supported: save the tensor's clone");
    st = torch_pickle_add_node(pickle, &node, err);
    if (st == OK) st = torch_pickle_append(pickle, node, args->items, TENSOR_TYPE, err);
    if (st == OK) st = torch_pickle_append(pickle, node, &type, 1, err);
    *out = (PickleValue){ .kind = PICKLE_TENSOR, .as.node = node };
    return st;
}

/* Rebuilds a tensor with Python attributes. The arguments are the rebuild function, the class, the
 * function's arguments and the attributes. */
static Status call_from_type(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args,
                             Err *err)
{
    const TorchGlobal *function;

    if (!is_kind(args, 0, PICKLE_GLOBAL) || !is_kind(args, 1, PICKLE_GLOBAL) || !is_kind(args, 2, PICKLE_TUPLE) ||
        args->items[1].as.global->use != USE_CLASS)
        return bad_call(pickle, global, err);
    function = args->items[0].as.global;
    if (function->use != USE_TENSOR && function->use != USE_TYPED_TENSOR) return bad_call(pickle, global, err);
    return call_tensor(pickle, out, function, args->items[2].as.node, err);
}

Status torch_call(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args, Err *err)
{
    switch (global->use) {
    case USE_DICT:
        return call_dict(pickle, out, global, args, err);
    case USE_TENSOR:
    case USE_TYPED_TENSOR:
        return call_tensor(pickle, out, global, args, err);
    case USE_FROM_TYPE:
        return call_from_type(pickle, out, global, args, err);
    case USE_PARAMETER:
        if (!is_kind(args, 0, PICKLE_TENSOR)) break;
        *out = args->items[0];
        return OK;
    case USE_SIZE:
        if (args->count != 1 || !is_kind(args, 0, PICKLE_TUPLE)) break;
        *out = args->items[0];
        return OK;
    case USE_OTHER:
        *out = (PickleValue){ .kind = PICKLE_OTHER };
        return OK;
    case USE_CLASS:
    case USE_STORAGE:
    case USE_DTYPE:
        break;
    }
    return bad_call(pickle, global, err);
}

static Status add_storage(Pickle *pickle, size_t *index, const PickleStorage *storage, Err *err)
{
    bool added;
    Status st = OK;

    if (!pickle->keys) st = str_map_new(&pickle->keys, err);
    if (st != OK) return st;
    st = buf_grow_list(&pickle->storages, &pickle->storage_cap, pickle->storage_count, 1, sizeof *storage,
                       "the storages of a pickle", err);
    if (st != OK) return st;
    if (pickle->storage_count >= INT32_MAX) return torch_pickle_fault(pickle, err, "too many storages");
    st = str_map_add(pickle->keys, storage->key, storage->key_size, (int32_t)pickle->storage_count, &added, err);
    if (st != OK) return st;
    *index = pickle->storage_count++;
    pickle->storages[*index] = *storage;
    return OK;
}

/* The id is ("storage", type, key, location, elements). Before 1.6 it had a sixth item: None, or the
 * part of another storage that this one is. */
Status torch_call_storage(Pickle *pickle, PickleValue *out, const PickleNode *id, Err *err)
{
    PickleStorage storage = { 0 };
    int32_t known = -1;
    size_t index = 0;
    Status st = OK;

    if (!is_kind(id, 0, PICKLE_TEXT) || !torch_pickle_is_text(&id->items[0], "storage") ||
        !is_kind(id, 1, PICKLE_GLOBAL) || id->items[1].as.global->use != USE_STORAGE || !is_kind(id, 2, PICKLE_TEXT) ||
        id->items[2].size > MAX_KEY || !is_kind(id, 4, PICKLE_INT) || id->items[4].as.integer < 0 || id->count > 6)
        return torch_pickle_fault(pickle, err, "a persistent id that is not a storage of torch.save");
    if (!is_nothing(id, 5))
        return torch_pickle_fault(pickle, err,
                                  "a storage inside another one, as PyTorch before 0.4 wrote them, is not "
                                  "supported: load and save the file with a newer PyTorch");
    storage.key = id->items[2].as.text;
    storage.key_size = id->items[2].size;
    storage.type = id->items[1].as.global;
    storage.count = (uint64_t)id->items[4].as.integer;
    if (pickle->keys) known = str_map_get(pickle->keys, storage.key, storage.key_size, -1);
    if (known < 0) {
        st = add_storage(pickle, &index, &storage, err);
    } else {
        const PickleStorage *first = &pickle->storages[known];
        index = (size_t)known;
        if (first->type != storage.type || first->count != storage.count)
            st = torch_pickle_fault(pickle, err, "storage %.*s has %llu elements of %s here, %llu of %s before",
                                    (int)(storage.key_size < 100 ? storage.key_size : 100), storage.key,
                                    (unsigned long long)storage.count, storage.type->name,
                                    (unsigned long long)first->count, first->type->name);
    }
    *out = (PickleValue){ .kind = PICKLE_STORAGE, .as.storage = index };
    return st;
}

/* The state of a pickled nn.Module has a member _parameters; numbers and source code of any length may precede it. */
static bool is_whole_module(const Machine *m)
{
    static const char name[] = "_parameters";
    const unsigned char *at = m->bytes.data + m->bytes.at, *end;
    size_t room = bytes_left(&m->bytes), length = sizeof name - 1;

    end = at + (room < MODULE_HORIZON ? room : MODULE_HORIZON);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, '_', (size_t)(end - at) - length + 1);
        if (!at) return false;
        if (memcmp(at, name, length) == 0 && (at[-1] == length || !at[-1])) return true;
    }
    return false;
}

/* Returns whether the name is a function that makes quantized, sparse or other special tensors. */
static bool makes_tensors(const char *module, size_t module_size, const char *name, size_t name_size)
{
    static const char place[] = "torch._utils", rebuild[] = "_rebuild_";

    return module_size == sizeof place - 1 && memcmp(module, place, module_size) == 0 && name_size >= sizeof rebuild &&
           memcmp(name, rebuild, sizeof rebuild - 1) == 0;
}

/* The beginning of a name for a message, which a NUL must not end. */
typedef struct {
    char text[201];
} ShownName;

static ShownName show_name(const char *name, size_t size)
{
    ShownName shown = { "" };

    for (size_t i = 0; i < size && i < sizeof shown.text - 1; i++) shown.text[i] = name[i] ? name[i] : '?';
    return shown;
}

Status torch_call_push_global(Machine *m, const char *module, size_t module_size, const char *name, size_t name_size)
{
    const TorchGlobal *global = torch_globals_find(module, module_size, name, name_size);
    ShownName place, what;

    if (global) return torch_machine_push(m, (PickleValue){ .kind = PICKLE_GLOBAL, .as.global = global });
    place = show_name(module, module_size);
    what = show_name(name, name_size);
    if (is_whole_module(m))
        return err_set(m->err, ERR_UNSUPPORTED,
                       "%s: holds a whole module of class %s.%s, which only its Python code can read: save "
                       "model.state_dict() instead",
                       m->pickle->file, place.text, what.text);
    if (makes_tensors(module, module_size, name, name_size))
        return err_set(m->err, ERR_UNSUPPORTED,
                       "%s: holds tensors of %s.%s (quantized, sparse or without numbers), which are not supported: "
                       "save plain ones",
                       m->pickle->file, place.text, what.text);
    return err_set(m->err, ERR_FORMAT,
                   "%s: the pickle asks for %s.%s, which no state dict needs: refused; save model.state_dict() alone",
                   m->pickle->file, place.text, what.text);
}
