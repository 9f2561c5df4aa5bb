/* torch_pickle.c - see torch_pickle.h.
 * Method   a stack machine, as in Python's Lib/pickle.py: one table row per opcode, no recursion.
 *          Opcodes of protocol 0 and of the extension registry are not supported, since
 *          torch.save() does not write them.
 * Source   persistent_load() of torch/serialization.py, torch/_utils.py and torch/storage.py of
 *          pytorch/pytorch. Arguments that do not affect the values (requires_grad, hooks, Python
 *          attributes) are ignored. Pickles of protocol 2 spell builtins __builtin__.
 * Limits   numbers of opcodes, containers and items, far above those of a model with its optimizer.
 *          Each opcode creates at most one value. An item takes 16 bytes, a container about 50. */
#include "torch_pickle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bytes.h"

#define MAX_STEPS ((size_t)1 << 23)
#define MAX_NODES ((size_t)1 << 20)
#define MAX_ITEMS ((size_t)1 << 23)
#define MAX_LINE  ((size_t)1000) /* of the name of a global */
#define PROTOCOLS 5

/* Keys of storages are numbers; torch.save() writes no longer ones. */
#define MAX_KEY 100

/* How many bytes to search for the name of a module. */
#define MODULE_HORIZON ((size_t)1 << 18)

void torch_pickle_free(Pickle *pickle)
{
    while (pickle->nodes) {
        PickleNode *next = pickle->nodes->next;
        free(pickle->nodes->items);
        free(pickle->nodes);
        pickle->nodes = next;
    }
    free(pickle->storages);
    str_map_free(pickle->keys);
    *pickle = (Pickle){ 0 };
}

/* Reports "<file>: pickle, byte <at>: ..." as an ERR_FORMAT. */
__attribute__((format(printf, 3, 4))) static Status fault(const Pickle *pickle, Err *err, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%s: pickle, byte %zu: %s", pickle->file, pickle->at, text);
}

static Status add_node(Pickle *pickle, PickleNode **out, Err *err)
{
    if (pickle->node_count == MAX_NODES) return fault(pickle, err, "more than %zu tuples, lists and dicts", MAX_NODES);
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the values of a pickle");
    (*out)->next = pickle->nodes;
    pickle->nodes = *out;
    pickle->node_count++;
    return OK;
}

/* Makes room for `more` items. */
static Status grow(PickleNode *node, size_t more, Err *err)
{
    return buf_grow_list(&node->items, &node->cap, node->count, more, sizeof *node->items, "the values of a pickle",
                         err);
}

static Status append(Pickle *pickle, PickleNode *node, const PickleValue *values, size_t count, Err *err)
{
    Status st;

    if (!count) return OK;
    if (count > MAX_ITEMS - pickle->item_count) return fault(pickle, err, "more than %zu values", MAX_ITEMS);
    st = grow(node, count, err);
    if (st != OK) return st;
    memcpy(node->items + node->count, values, count * sizeof *values);
    node->count += count;
    pickle->item_count += count;
    return OK;
}

bool torch_pickle_is_text(const PickleValue *value, const char *text)
{
    return value->kind == PICKLE_TEXT && value->size == strlen(text) && memcmp(value->as.text, text, value->size) == 0;
}

const PickleValue *torch_pickle_member(const PickleValue *dict, const char *key)
{
    const PickleNode *node = dict->as.node;

    for (size_t i = node->count / 2; i-- > 0;)
        if (torch_pickle_is_text(&node->items[2 * i], key)) return &node->items[2 * i + 1];
    return NULL;
}

/* --- The names that a pickle may use; any other is rejected. --- */

#define STORAGE(name, type, spelled, width)                                                                            \
    {                                                                                                                  \
        "torch", name, USE_STORAGE, type, spelled, width                                                               \
    }
#define NUMBERS(name, type, spelled, width)                                                                            \
    {                                                                                                                  \
        "torch", name, USE_DTYPE, type, spelled, width                                                                 \
    }
#define OTHER DTYPE_OTHER, NULL, 0

static const TorchGlobal globals[] = {
    { "collections", "OrderedDict", USE_DICT, OTHER },
    { "torch._utils", "_rebuild_tensor_v2", USE_TENSOR, OTHER },
    { "torch._utils", "_rebuild_parameter", USE_PARAMETER, OTHER },
    STORAGE("FloatStorage", DTYPE_F32, "F32", 4),
    STORAGE("HalfStorage", DTYPE_F16, "F16", 2),
    STORAGE("BFloat16Storage", DTYPE_BF16, "BF16", 2),
    STORAGE("DoubleStorage", DTYPE_F64, "F64", 8),
    STORAGE("LongStorage", DTYPE_OTHER, "I64", 8),
    STORAGE("IntStorage", DTYPE_OTHER, "I32", 4),
    STORAGE("ShortStorage", DTYPE_OTHER, "I16", 2),
    STORAGE("CharStorage", DTYPE_OTHER, "I8", 1),
    STORAGE("ByteStorage", DTYPE_OTHER, "U8", 1),
    STORAGE("BoolStorage", DTYPE_OTHER, "BOOL", 1),
    STORAGE("ComplexFloatStorage", DTYPE_OTHER, "C64", 8),
    STORAGE("ComplexDoubleStorage", DTYPE_OTHER, "C128", 16),
    { "torch.storage", "UntypedStorage", USE_STORAGE, DTYPE_OTHER, "U8", 1 },
    { "torch._utils", "_rebuild_tensor", USE_TENSOR, OTHER },
    { "torch._utils", "_rebuild_tensor_v3", USE_TYPED_TENSOR, OTHER },
    { "torch._utils", "_rebuild_parameter_with_state", USE_PARAMETER, OTHER },
    { "torch._tensor", "_rebuild_from_type_v2", USE_FROM_TYPE, OTHER },
    { "torch", "Tensor", USE_CLASS, OTHER },
    { "torch.nn.parameter", "Parameter", USE_CLASS, OTHER },
    { "torch.nn.parameter", "Buffer", USE_CLASS, OTHER },
    { "torch", "Size", USE_SIZE, OTHER },
    { "torch", "device", USE_OTHER, OTHER },
    { "collections", "Counter", USE_DICT, OTHER },
    { "collections", "defaultdict", USE_DICT, OTHER },
    { "__builtin__", "list", USE_CLASS, OTHER },
    { "__builtin__", "dict", USE_CLASS, OTHER },
    { "__builtin__", "int", USE_CLASS, OTHER },
    { "__builtin__", "float", USE_CLASS, OTHER },
    { "__builtin__", "set", USE_OTHER, OTHER },
    { "builtins", "list", USE_CLASS, OTHER },
    { "builtins", "dict", USE_CLASS, OTHER },
    { "builtins", "int", USE_CLASS, OTHER },
    { "builtins", "float", USE_CLASS, OTHER },
    { "builtins", "set", USE_OTHER, OTHER },
    { "_codecs", "encode", USE_OTHER, OTHER },
    /* Values stored next to a state dict: settings, paths, losses. */
    { "argparse", "Namespace", USE_OTHER, OTHER },
    { "pathlib", "PosixPath", USE_OTHER, OTHER },
    { "pathlib", "WindowsPath", USE_OTHER, OTHER },
    { "pathlib._local", "PosixPath", USE_OTHER, OTHER },
    { "pathlib._local", "WindowsPath", USE_OTHER, OTHER },
    { "numpy", "dtype", USE_OTHER, OTHER },
    { "numpy", "ndarray", USE_CLASS, OTHER },
    { "numpy.core.multiarray", "scalar", USE_OTHER, OTHER },
    { "numpy.core.multiarray", "_reconstruct", USE_OTHER, OTHER },
    { "numpy._core.multiarray", "scalar", USE_OTHER, OTHER },
    { "numpy._core.multiarray", "_reconstruct", USE_OTHER, OTHER },
    NUMBERS("float32", DTYPE_F32, "F32", 4),
    NUMBERS("float16", DTYPE_F16, "F16", 2),
    NUMBERS("bfloat16", DTYPE_BF16, "BF16", 2),
    NUMBERS("float64", DTYPE_F64, "F64", 8),
    NUMBERS("int64", DTYPE_OTHER, "I64", 8),
    NUMBERS("int32", DTYPE_OTHER, "I32", 4),
    NUMBERS("int16", DTYPE_OTHER, "I16", 2),
    NUMBERS("int8", DTYPE_OTHER, "I8", 1),
    NUMBERS("uint8", DTYPE_OTHER, "U8", 1),
    NUMBERS("uint16", DTYPE_OTHER, "U16", 2),
    NUMBERS("uint32", DTYPE_OTHER, "U32", 4),
    NUMBERS("uint64", DTYPE_OTHER, "U64", 8),
    NUMBERS("bool", DTYPE_OTHER, "BOOL", 1),
    NUMBERS("complex64", DTYPE_OTHER, "C64", 8),
    NUMBERS("complex128", DTYPE_OTHER, "C128", 16),
    NUMBERS("float8_e4m3fn", DTYPE_OTHER, "F8_E4M3", 1),
    NUMBERS("float8_e5m2", DTYPE_OTHER, "F8_E5M2", 1),
    NUMBERS("float8_e8m0fnu", DTYPE_OTHER, "F8_E8M0", 1),
    NUMBERS("float8_e4m3fnuz", DTYPE_OTHER, "F8_E4M3FNUZ", 1),
    NUMBERS("float8_e5m2fnuz", DTYPE_OTHER, "F8_E5M2FNUZ", 1),
};

static bool is_text(const char *text, size_t size, const char *expected)
{
    return size == strlen(expected) && memcmp(text, expected, size) == 0;
}

static const TorchGlobal *find_global(const char *module, size_t module_size, const char *name, size_t name_size)
{
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        const TorchGlobal *global = &globals[i];
        if (is_text(name, name_size, global->name) && is_text(module, module_size, global->module)) return global;
    }
    return NULL;
}

/* --- The stack and the input. Popping never removes a mark. --- */

typedef struct {
    Pickle *pickle;
    ByteReader bytes;       /* the whole file; the position is the next byte of the pickle */
    PickleNode stack, memo; /* their items must be freed */
    size_t steps;           /* opcodes so far */
    unsigned arg;           /* of the current opcode, see the table */
    bool stopped;
    Err *err;
} Machine;

static Status push(Machine *m, PickleValue value)
{
    Status st = m->stack.count < m->stack.cap ? OK : grow(&m->stack, m->stack.count + 1, m->err);

    if (st == OK) m->stack.items[m->stack.count++] = value;
    return st;
}

/* Returns NULL if the stack is empty above its last mark. */
static PickleValue *top(const Machine *m)
{
    PickleValue *last = m->stack.count ? &m->stack.items[m->stack.count - 1] : NULL;

    return last && last->kind != PICKLE_MARK ? last : NULL;
}

static Status underflow(const Machine *m)
{
    return fault(m->pickle, m->err, "opcode 0x%02x finds no value on the stack", m->bytes.data[m->pickle->at]);
}

static Status wrong_kind(const Machine *m)
{
    return fault(m->pickle, m->err, "opcode 0x%02x finds a value of the wrong kind", m->bytes.data[m->pickle->at]);
}

static Status pop(Machine *m, PickleValue *out)
{
    const PickleValue *last = top(m);

    *out = last ? *last : (PickleValue){ .kind = PICKLE_NONE };
    if (!last) return underflow(m);
    m->stack.count--;
    return OK;
}

/* Pops the last mark and the values above it, which stay valid until the next push. */
static Status pop_to_mark(Machine *m, const PickleValue **values, size_t *count)
{
    size_t i = m->stack.count;

    while (i && m->stack.items[i - 1].kind != PICKLE_MARK) i--;
    if (!i) return underflow(m);
    *values = m->stack.items + i;
    *count = m->stack.count - i;
    m->stack.count = i - 1;
    return OK;
}

static Status cut_off(const Machine *m)
{
    return fault(m->pickle, m->err, "cut off: the pickle goes beyond its end at byte %zu", m->bytes.size);
}

static Status take(Machine *m, uint64_t count, const unsigned char **out)
{
    return bytes_take(&m->bytes, count, out) ? OK : cut_off(m);
}

/* Takes a little-endian number of `width` bytes. */
static Status take_number(Machine *m, unsigned width, uint64_t *out)
{
    return bytes_take_number(&m->bytes, width, out) ? OK : cut_off(m);
}

/* Takes bytes; their length is stored before them in m->arg bytes. */
static Status take_counted(Machine *m, const unsigned char **out, uint64_t *length)
{
    Status st = take_number(m, m->arg, length);

    *out = NULL;
    return st == OK ? take(m, *length, out) : st;
}

/* Takes a text up to the next newline, which is also taken. */
static Status take_line(Machine *m, const char **text, size_t *size)
{
    size_t left = bytes_left(&m->bytes), room = left < MAX_LINE ? left : MAX_LINE;
    const unsigned char *start = m->bytes.data + m->bytes.at, *end = room ? memchr(start, '\n', room) : NULL;

    if (!end) return fault(m->pickle, m->err, "the name of a global has no end");
    *text = (const char *)start;
    *size = (size_t)(end - start);
    m->bytes.at += *size + 1;
    return OK;
}

/* --- Calls: what Python would get by calling a global, as a plain value. --- */

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
    return fault(pickle, err, "%s.%s is called with other arguments than those of torch.save", global->module,
                 global->name);
}

/* Calls OrderedDict(), OrderedDict([[key, value], ...]) as Python 2 writes it, Counter({...}) and defaultdict(list). */
static Status call_dict(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args, Err *err)
{
    PickleNode *node = NULL;
    const PickleNode *from = args->count ? args->items[0].as.node : NULL;
    Status st = add_node(pickle, &node, err);

    if (st != OK) return st;
    *out = (PickleValue){ .kind = PICKLE_DICT, .as.node = node };
    if (!args->count) return OK;
    if (args->count > 1) return bad_call(pickle, global, err);
    if (is_kind(args, 0, PICKLE_GLOBAL)) return OK;
    if (is_kind(args, 0, PICKLE_DICT)) return append(pickle, node, from->items, from->count, err);
    if (!is_kind(args, 0, PICKLE_LIST)) return bad_call(pickle, global, err);
    for (size_t i = 0; st == OK && i < from->count; i++) {
        const PickleValue *pair = &from->items[i];
        if ((pair->kind != PICKLE_LIST && pair->kind != PICKLE_TUPLE) || pair->as.node->count != 2)
            return bad_call(pickle, global, err);
        st = append(pickle, node, pair->as.node->items, 2, err);
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
        return fault(pickle, err, "a conjugate or negated view is not supported: save the tensor's clone");
    st = add_node(pickle, &node, err);
    if (st == OK) st = append(pickle, node, args->items, TENSOR_TYPE, err);
    if (st == OK) st = append(pickle, node, &type, 1, err);
    *out = (PickleValue){ .kind = PICKLE_TENSOR, .as.node = node };
    return st;
}

/* Rejects calls that torch.save() does not write. */
static Status call(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args, Err *err)
{
    const TorchGlobal *function;

    switch (global->use) {
    case USE_DICT:
        return call_dict(pickle, out, global, args, err);
    case USE_TENSOR:
    case USE_TYPED_TENSOR:
        return call_tensor(pickle, out, global, args, err);
    case USE_FROM_TYPE: /* a tensor with Python attributes: function, class, the function's arguments, attributes */
        if (!is_kind(args, 0, PICKLE_GLOBAL) || !is_kind(args, 1, PICKLE_GLOBAL) || !is_kind(args, 2, PICKLE_TUPLE) ||
            args->items[1].as.global->use != USE_CLASS)
            break;
        function = args->items[0].as.global;
        if (function->use != USE_TENSOR && function->use != USE_TYPED_TENSOR) break;
        return call_tensor(pickle, out, function, args->items[2].as.node, err);
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
    if (pickle->storage_count >= INT32_MAX) return fault(pickle, err, "too many storages");
    st = str_map_add(pickle->keys, storage->key, storage->key_size, (int32_t)pickle->storage_count, &added, err);
    if (st != OK) return st;
    *index = pickle->storage_count++;
    pickle->storages[*index] = *storage;
    return OK;
}

/* Finds or creates the storage that a persistent id names.
 * The id is ("storage", type, key, location, elements). Before 1.6 it had a sixth item: None, or the
 * part of another storage that this one is. */
static Status find_storage(Pickle *pickle, PickleValue *out, const PickleNode *id, Err *err)
{
    PickleStorage storage = { 0 };
    int32_t known = -1;
    size_t index = 0;
    Status st = OK;

    if (!is_kind(id, 0, PICKLE_TEXT) || !torch_pickle_is_text(&id->items[0], "storage") ||
        !is_kind(id, 1, PICKLE_GLOBAL) || id->items[1].as.global->use != USE_STORAGE || !is_kind(id, 2, PICKLE_TEXT) ||
        id->items[2].size > MAX_KEY || !is_kind(id, 4, PICKLE_INT) || id->items[4].as.integer < 0 || id->count > 6)
        return fault(pickle, err, "a persistent id that is not a storage of torch.save");
    if (!is_nothing(id, 5))
        return fault(pickle, err,
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
            st = fault(pickle, err, "storage %.*s has %llu elements of %s here, %llu of %s before",
                       (int)(storage.key_size < 100 ? storage.key_size : 100), storage.key,
                       (unsigned long long)storage.count, storage.type->name, (unsigned long long)first->count,
                       first->type->name);
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

/* Pushes the global of this name; rejects one that is not in the list. */
static Status push_global(Machine *m, const char *module, size_t module_size, const char *name, size_t name_size)
{
    const TorchGlobal *global = find_global(module, module_size, name, name_size);
    ShownName shown_module, shown_name;

    if (global) return push(m, (PickleValue){ .kind = PICKLE_GLOBAL, .as.global = global });
    shown_module = show_name(module, module_size);
    shown_name = show_name(name, name_size);
    if (is_whole_module(m))
        return err_set(m->err, ERR_UNSUPPORTED,
                       "%s: holds a whole module of class %s.%s, which only its Python code can read: save "
                       "model.state_dict() instead",
                       m->pickle->file, shown_module.text, shown_name.text);
    if (is_text(module, module_size, "torch._utils") && name_size > strlen("_rebuild_") &&
        memcmp(name, "_rebuild_", strlen("_rebuild_")) == 0) /* makes quantized, sparse or other special tensors */
        return err_set(m->err, ERR_UNSUPPORTED,
                       "%s: holds tensors of %s.%s (quantized, sparse or without numbers), which are not supported: "
                       "save plain ones",
                       m->pickle->file, shown_module.text, shown_name.text);
    return err_set(m->err, ERR_FORMAT,
                   "%s: the pickle asks for %s.%s, which no state dict needs: refused; save model.state_dict() alone",
                   m->pickle->file, shown_module.text, shown_name.text);
}

/* --- The opcodes. --- */

static Status op_protocol(Machine *m)
{
    uint64_t version;
    Status st = take_number(m, 1, &version);

    if (st != OK || version <= PROTOCOLS) return st;
    return fault(m->pickle, m->err, "protocol %u is newer than %d", (unsigned)version, PROTOCOLS);
}

static Status op_frame(Machine *m)
{
    uint64_t length;
    Status st = take_number(m, 8, &length);

    return st == OK && length > bytes_left(&m->bytes) ? cut_off(m) : st;
}

static Status op_stop(Machine *m)
{
    m->stopped = true;
    return OK;
}

static Status op_mark(Machine *m)
{
    return push(m, (PickleValue){ .kind = PICKLE_MARK });
}

static Status op_pop(Machine *m)
{
    if (!m->stack.count) return underflow(m);
    m->stack.count--;
    return OK;
}

static Status op_pop_mark(Machine *m)
{
    const PickleValue *values;
    size_t count;

    return pop_to_mark(m, &values, &count);
}

static Status op_none(Machine *m)
{
    return push(m, (PickleValue){ .kind = PICKLE_NONE });
}

static Status op_bool(Machine *m)
{
    return push(m, (PickleValue){ .kind = PICKLE_BOOL, .as.integer = m->arg });
}

/* One and two bytes are unsigned, four are signed. */
static Status op_int(Machine *m)
{
    uint64_t bits;
    Status st = take_number(m, m->arg, &bits);
    int64_t number = m->arg == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;

    return st == OK ? push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = number }) : st;
}

/* Reads an integer in two's complement, little-endian. */
static Status op_long(Machine *m)
{
    uint64_t length, bits;
    const unsigned char *bytes;
    Status st = take_counted(m, &bytes, &length);

    if (st != OK) return st;
    if (length > 8)
        return push(m, (PickleValue){ .kind = PICKLE_LONG, .size = (uint32_t)length, .as.text = (const char *)bytes });
    bits = bytes_number(bytes, (size_t)length);
    if (length && length < 8 && bytes[length - 1] & 0x80) bits |= UINT64_MAX << 8 * length;
    return push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = (int64_t)bits });
}

/* Reads eight bytes, big-endian. */
static Status op_float(Machine *m)
{
    PickleValue value = { .kind = PICKLE_FLOAT };
    const unsigned char *bytes = NULL;
    uint64_t bits = 0;
    Status st = take(m, 8, &bytes);

    if (st != OK) return st;
    for (size_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
    memcpy(&value.as.number, &bits, 8);
    return push(m, value);
}

static Status op_text(Machine *m)
{
    uint64_t length;
    const unsigned char *bytes;
    Status st = take_counted(m, &bytes, &length);

    if (st != OK) return st;
    if (length > UINT32_MAX) return fault(m->pickle, m->err, "a text of more than 4 GB");
    return push(m, (PickleValue){ .kind = PICKLE_TEXT, .size = (uint32_t)length, .as.text = (const char *)bytes });
}

static Status op_bytes(Machine *m)
{
    uint64_t length;
    const unsigned char *bytes;
    Status st = take_counted(m, &bytes, &length);

    return st == OK ? push(m, (PickleValue){ .kind = PICKLE_OTHER }) : st;
}

/* Pushes a new list, dict or tuple with copies of the values. */
static Status push_node(Machine *m, PickleKind kind, const PickleValue *values, size_t count)
{
    PickleNode *node = NULL;
    Status st = add_node(m->pickle, &node, m->err);

    if (st == OK) st = append(m->pickle, node, values, count, m->err);
    return st == OK ? push(m, (PickleValue){ .kind = kind, .as.node = node }) : st;
}

static Status op_empty(Machine *m)
{
    return push_node(m, (PickleKind)m->arg, NULL, 0);
}

static Status op_empty_set(Machine *m)
{
    return push(m, (PickleValue){ .kind = PICKLE_OTHER });
}

static Status op_tuple(Machine *m)
{
    PickleValue items[3];
    Status st = OK;

    for (unsigned i = m->arg; st == OK && i-- > 0;) st = pop(m, &items[i]);
    return st == OK ? push_node(m, PICKLE_TUPLE, items, m->arg) : st;
}

static Status op_marked_tuple(Machine *m)
{
    const PickleValue *values = NULL;
    size_t count = 0;
    Status st = pop_to_mark(m, &values, &count);

    return st == OK ? push_node(m, PICKLE_TUPLE, values, count) : st;
}

/* Appends `count` values to the list or dict below them. */
static Status extend(Machine *m, PickleKind kind, const PickleValue *values, size_t count)
{
    PickleValue *target = top(m);

    if (!target) return underflow(m);
    if (target->kind != kind || (kind == PICKLE_DICT && count % 2)) return wrong_kind(m);
    return append(m->pickle, target->as.node, values, count, m->err);
}

static Status op_append(Machine *m)
{
    PickleValue pair[2];
    size_t count = m->arg == PICKLE_DICT ? 2 : 1;
    Status st = OK;

    for (size_t i = count; st == OK && i-- > 0;) st = pop(m, &pair[i]);
    return st == OK ? extend(m, (PickleKind)m->arg, pair, count) : st;
}

static Status op_append_marked(Machine *m)
{
    const PickleValue *values = NULL;
    size_t count = 0;
    Status st = pop_to_mark(m, &values, &count);

    return st == OK ? extend(m, (PickleKind)m->arg, values, count) : st;
}

/* The content of a set is ignored. */
static Status op_add_to_set(Machine *m)
{
    Status st = op_pop_mark(m);

    if (st != OK) return st;
    if (!top(m)) return underflow(m);
    return top(m)->kind == PICKLE_OTHER ? OK : wrong_kind(m);
}

static Status op_frozen_set(Machine *m)
{
    Status st = op_pop_mark(m);

    return st == OK ? op_empty_set(m) : st;
}

/* Pushes a value of the memo, which holds values that are used again. */
static Status op_get(Machine *m)
{
    uint64_t index;
    Status st = take_number(m, m->arg, &index);

    if (st != OK) return st;
    if (index >= m->memo.count || m->memo.items[index].kind == PICKLE_MARK)
        return fault(m->pickle, m->err, "memo %llu is empty", (unsigned long long)index);
    return push(m, m->memo.items[index]);
}

/* Width 0: the next free index. Indices begin at 0 or 1 and have no gaps, so one beyond the number of
 * opcodes so far is invalid. */
static Status op_put(Machine *m)
{
    uint64_t index = m->memo.count;
    Status st = m->arg ? take_number(m, m->arg, &index) : OK;

    if (st != OK) return st;
    if (!top(m)) return underflow(m);
    if (index > m->steps) return fault(m->pickle, m->err, "memo %llu is out of order", (unsigned long long)index);
    if (index >= m->memo.count) st = grow(&m->memo, (size_t)index + 1 - m->memo.count, m->err);
    if (st != OK) return st;
    while (m->memo.count <= index) m->memo.items[m->memo.count++] = (PickleValue){ .kind = PICKLE_MARK };
    m->memo.items[index] = *top(m);
    return OK;
}

static Status op_global(Machine *m)
{
    const char *module = NULL, *name = NULL;
    size_t module_size = 0, name_size = 0;
    Status st = take_line(m, &module, &module_size);

    if (st == OK) st = take_line(m, &name, &name_size);
    return st == OK ? push_global(m, module, module_size, name, name_size) : st;
}

static Status op_stack_global(Machine *m)
{
    PickleValue module, name;
    Status st = pop(m, &name);

    if (st == OK) st = pop(m, &module);
    if (st != OK) return st;
    if (module.kind != PICKLE_TEXT || name.kind != PICKLE_TEXT) return wrong_kind(m);
    return push_global(m, module.as.text, module.size, name.as.text, name.size);
}

/* The old form of a call. Reports the global that it calls. */
static Status op_instance(Machine *m)
{
    Status st = op_global(m);

    return st == OK ? fault(m->pickle, m->err, "opcode INST, which torch.save does not write") : st;
}

/* REDUCE and NEWOBJ: replaces function and arguments by the result. */
static Status op_call(Machine *m)
{
    PickleValue args, function, result;
    Status st = pop(m, &args);

    if (st == OK) st = pop(m, &function);
    if (st != OK) return st;
    if (args.kind != PICKLE_TUPLE || function.kind != PICKLE_GLOBAL) return wrong_kind(m);
    st = call(m->pickle, &result, function.as.global, args.as.node, m->err);
    return st == OK ? push(m, result) : st;
}

/* BUILD: drops the state of a dict, such as _metadata of a state dict, or of a value that is not used. */
static Status op_build(Machine *m)
{
    PickleValue state;
    const PickleValue *built;
    Status st = pop(m, &state);

    if (st != OK) return st;
    built = top(m);
    if (!built) return underflow(m);
    return built->kind == PICKLE_DICT || built->kind == PICKLE_OTHER ? OK : wrong_kind(m);
}

static Status op_persistent(Machine *m)
{
    PickleValue id, storage;
    Status st = pop(m, &id);

    if (st != OK) return st;
    if (id.kind != PICKLE_TUPLE) return wrong_kind(m);
    st = find_storage(m->pickle, &storage, id.as.node, m->err);
    return st == OK ? push(m, storage) : st;
}

typedef struct {
    Status (*run)(Machine *m); /* NULL: rejected */
    unsigned arg;
} Opcode;

static const Opcode opcodes[256] = {
    ['('] = { op_mark, 0 },
    [')'] = { op_tuple, 0 },
    ['.'] = { op_stop, 0 },
    ['0'] = { op_pop, 0 },
    ['1'] = { op_pop_mark, 0 },
    ['B'] = { op_bytes, 4 },
    ['C'] = { op_bytes, 1 },
    ['G'] = { op_float, 0 },
    ['J'] = { op_int, 4 },
    ['K'] = { op_int, 1 },
    ['M'] = { op_int, 2 },
    ['N'] = { op_none, 0 },
    ['Q'] = { op_persistent, 0 },
    ['R'] = { op_call, 0 },
    ['T'] = { op_text, 4 }, /* str of Python 2 */
    ['U'] = { op_text, 1 },
    ['X'] = { op_text, 4 },
    [']'] = { op_empty, PICKLE_LIST },
    ['a'] = { op_append, PICKLE_LIST },
    ['b'] = { op_build, 0 },
    ['c'] = { op_global, 0 },
    ['e'] = { op_append_marked, PICKLE_LIST },
    ['h'] = { op_get, 1 },
    ['i'] = { op_instance, 0 },
    ['j'] = { op_get, 4 },
    ['q'] = { op_put, 1 },
    ['r'] = { op_put, 4 },
    ['s'] = { op_append, PICKLE_DICT },
    ['t'] = { op_marked_tuple, 0 },
    ['u'] = { op_append_marked, PICKLE_DICT },
    ['}'] = { op_empty, PICKLE_DICT },
    [0x80] = { op_protocol, 0 },
    [0x81] = { op_call, 0 }, /* NEWOBJ */
    [0x85] = { op_tuple, 1 },
    [0x86] = { op_tuple, 2 },
    [0x87] = { op_tuple, 3 },
    [0x88] = { op_bool, 1 },
    [0x89] = { op_bool, 0 },
    [0x8a] = { op_long, 1 },
    [0x8b] = { op_long, 4 },
    [0x8c] = { op_text, 1 },
    [0x8d] = { op_text, 8 },
    [0x8e] = { op_bytes, 8 },
    [0x8f] = { op_empty_set, 0 },
    [0x90] = { op_add_to_set, 0 },
    [0x91] = { op_frozen_set, 0 },
    [0x93] = { op_stack_global, 0 },
    [0x94] = { op_put, 0 },
    [0x95] = { op_frame, 0 },
};

static Status step(Machine *m)
{
    const unsigned char *byte = NULL;
    Status st;

    m->pickle->at = m->bytes.at;
    if (m->steps++ == MAX_STEPS) return fault(m->pickle, m->err, "more than %zu opcodes", MAX_STEPS);
    st = take(m, 1, &byte);
    if (st != OK) return st;
    if (!opcodes[*byte].run) return fault(m->pickle, m->err, "opcode 0x%02x, which torch.save does not write", *byte);
    m->arg = opcodes[*byte].arg;
    return opcodes[*byte].run(m);
}

Status torch_pickle_read(Pickle *pickle, PickleValue *out, const unsigned char *bytes, size_t size, size_t *pos,
                         Err *err)
{
    Machine m = { .pickle = pickle, .bytes = { bytes, size, *pos }, .err = err };
    Status st = OK;

    while (st == OK && !m.stopped) st = step(&m);
    if (st == OK) st = pop(&m, out);
    *pos = m.bytes.at;
    free(m.stack.items);
    free(m.memo.items);
    return st;
}
