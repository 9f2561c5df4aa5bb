/* torch_pickle.c - see torch_pickle.h.
 * Method   a stack machine, as in Python's Lib/pickle.py: no recursion. Opcodes of protocol 0
 *          and of the extension registry are not supported, since torch.save() does not write them.
 * Source   persistent_load() of torch/serialization.py, torch/_utils.py and torch/storage.py of pytorch/pytorch.
 *          Arguments that do not affect the values (requires_grad, hooks, Python attributes) are ignored. Pickles of
 *          protocol 2 spell builtins __builtin__.
 * Limits   numbers of opcodes, containers and items, far above those of a model with its optimizer. Each opcode creates
 *          at most one value. An item takes 16 bytes, a container about 50. */
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
#define MAX_LINE  ((size_t)1000) /* the longest name of a global */
#define PROTOCOLS 5

/* The longest key of a storage. Keys are numbers; torch.save() writes shorter ones. */
#define MAX_KEY 100

/* is_whole_module() searches this number of bytes for a name. */
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

static bool is_text(const char *text, size_t size, const char *expected)
{
    return size == strlen(expected) && memcmp(text, expected, size) == 0;
}

const PickleValue *torch_pickle_member(const PickleValue *dict, const char *key)
{
    const PickleNode *node = dict->as.node;

    for (size_t i = node->count / 2; i-- > 0;)
        if (node->items[2 * i].kind == PICKLE_TEXT && is_text(node->items[2 * i].as.text, node->items[2 * i].size, key))
            return &node->items[2 * i + 1];
    return NULL;
}

/* --- The names that a pickle may use; any other is rejected. --- */

#define OTHER DTYPE_OTHER, NULL, 0

static const TorchGlobal globals[] = {
    { "collections", "OrderedDict", USE_DICT, OTHER },
    { "torch._utils", "_rebuild_tensor_v2", USE_TENSOR, OTHER },
    { "torch._utils", "_rebuild_parameter", USE_PARAMETER, OTHER },
    { "torch", "FloatStorage", USE_STORAGE, DTYPE_F32, "F32", 4 },
    { "torch", "HalfStorage", USE_STORAGE, DTYPE_F16, "F16", 2 },
    { "torch", "BFloat16Storage", USE_STORAGE, DTYPE_BF16, "BF16", 2 },
    { "torch", "DoubleStorage", USE_STORAGE, DTYPE_F64, "F64", 8 },
    { "torch", "LongStorage", USE_STORAGE, DTYPE_OTHER, "I64", 8 },
    { "torch", "IntStorage", USE_STORAGE, DTYPE_OTHER, "I32", 4 },
    { "torch", "ShortStorage", USE_STORAGE, DTYPE_OTHER, "I16", 2 },
    { "torch", "CharStorage", USE_STORAGE, DTYPE_OTHER, "I8", 1 },
    { "torch", "ByteStorage", USE_STORAGE, DTYPE_OTHER, "U8", 1 },
    { "torch", "BoolStorage", USE_STORAGE, DTYPE_OTHER, "BOOL", 1 },
    { "torch", "ComplexFloatStorage", USE_STORAGE, DTYPE_OTHER, "C64", 8 },
    { "torch", "ComplexDoubleStorage", USE_STORAGE, DTYPE_OTHER, "C128", 16 },
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
    /* Types of values stored next to a state dict: settings, paths, losses. */
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
    { "torch", "float32", USE_DTYPE, DTYPE_F32, "F32", 4 },
    { "torch", "float16", USE_DTYPE, DTYPE_F16, "F16", 2 },
    { "torch", "bfloat16", USE_DTYPE, DTYPE_BF16, "BF16", 2 },
    { "torch", "float64", USE_DTYPE, DTYPE_F64, "F64", 8 },
    { "torch", "int64", USE_DTYPE, DTYPE_OTHER, "I64", 8 },
    { "torch", "int32", USE_DTYPE, DTYPE_OTHER, "I32", 4 },
    { "torch", "int16", USE_DTYPE, DTYPE_OTHER, "I16", 2 },
    { "torch", "int8", USE_DTYPE, DTYPE_OTHER, "I8", 1 },
    { "torch", "uint8", USE_DTYPE, DTYPE_OTHER, "U8", 1 },
    { "torch", "uint16", USE_DTYPE, DTYPE_OTHER, "U16", 2 },
    { "torch", "uint32", USE_DTYPE, DTYPE_OTHER, "U32", 4 },
    { "torch", "uint64", USE_DTYPE, DTYPE_OTHER, "U64", 8 },
    { "torch", "bool", USE_DTYPE, DTYPE_OTHER, "BOOL", 1 },
    { "torch", "complex64", USE_DTYPE, DTYPE_OTHER, "C64", 8 },
    { "torch", "complex128", USE_DTYPE, DTYPE_OTHER, "C128", 16 },
    { "torch", "float8_e4m3fn", USE_DTYPE, DTYPE_OTHER, "F8_E4M3", 1 },
    { "torch", "float8_e5m2", USE_DTYPE, DTYPE_OTHER, "F8_E5M2", 1 },
    { "torch", "float8_e8m0fnu", USE_DTYPE, DTYPE_OTHER, "F8_E8M0", 1 },
    { "torch", "float8_e4m3fnuz", USE_DTYPE, DTYPE_OTHER, "F8_E4M3FNUZ", 1 },
    { "torch", "float8_e5m2fnuz", USE_DTYPE, DTYPE_OTHER, "F8_E5M2FNUZ", 1 },
};

/* --- The stack and the input. Popping never removes a mark. After an error, the functions do nothing and return 0,
 * NULL or None. --- */

typedef struct {
    Pickle *pickle;
    ByteReader bytes;       /* the whole file; the position is the next byte of the pickle */
    PickleNode stack, memo; /* their items must be freed */
    size_t steps;           /* number of opcodes so far */
    Err *err;
    Status st; /* the first error */
} Machine;

/* Reports "<file>: pickle, byte <at>: ..." as an ERR_FORMAT. */
__attribute__((format(printf, 2, 3))) static void fault(Machine *m, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (m->st != OK) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    m->st = err_set(m->err, ERR_FORMAT, "%s: pickle, byte %zu: %s", m->pickle->file, m->pickle->at, text);
}

#define NO_VALUE   "no value on the stack"
#define WRONG_KIND "a value of the wrong kind"

static void misfit(Machine *m, const char *found)
{
    fault(m, "opcode 0x%02x finds %s", m->bytes.data[m->pickle->at], found);
}

static void cut_off(Machine *m)
{
    fault(m, "cut off: the pickle goes beyond its end at byte %zu", m->bytes.size);
}

/* Returns NULL after an error. */
static PickleNode *new_node(Machine *m)
{
    Pickle *pickle = m->pickle;
    PickleNode *node;

    if (pickle->node_count == MAX_NODES) fault(m, "more than %zu tuples, lists and dicts", MAX_NODES);
    if (m->st != OK) return NULL;
    node = calloc(1, sizeof *node);
    if (!node) {
        m->st = err_memory(m->err, "the values of a pickle");
        return NULL;
    }
    node->next = pickle->nodes;
    pickle->nodes = node;
    pickle->node_count++;
    return node;
}

/* Makes room for `more` items. */
static void grow(Machine *m, PickleNode *node, size_t more)
{
    if (m->st == OK)
        m->st = buf_grow_list(&node->items, &node->cap, node->count, more, sizeof *node->items,
                              "the values of a pickle", m->err);
}

static void append(Machine *m, PickleNode *node, const PickleValue *values, size_t count)
{
    if (!count) return;
    if (count > MAX_ITEMS - m->pickle->item_count) fault(m, "more than %zu values", MAX_ITEMS);
    if (m->st == OK) grow(m, node, count);
    if (m->st != OK) return;
    memcpy(node->items + node->count, values, count * sizeof *values);
    node->count += count;
    m->pickle->item_count += count;
}

static void push(Machine *m, PickleValue value)
{
    if (m->stack.count == m->stack.cap) grow(m, &m->stack, m->stack.count + 1);
    if (m->st == OK) m->stack.items[m->stack.count++] = value;
}

/* Pushes a new list, dict or tuple with copies of the values. */
static void push_node(Machine *m, PickleKind kind, const PickleValue *values, size_t count)
{
    PickleNode *node = new_node(m);

    append(m, node, values, count);
    push(m, (PickleValue){ .kind = kind, .as.node = node });
}

/* Returns the value on top of the stack; NULL if there is none above the last mark. */
static PickleValue *top(const Machine *m)
{
    PickleValue *last = m->stack.count ? &m->stack.items[m->stack.count - 1] : NULL;

    return last && last->kind != PICKLE_MARK ? last : NULL;
}

static PickleValue pop(Machine *m)
{
    const PickleValue *last = top(m);

    if (!last) misfit(m, NO_VALUE);
    if (m->st != OK) return (PickleValue){ .kind = PICKLE_NONE };
    m->stack.count--;
    return *last;
}

/* Pops the last mark and the values above it, which stay valid until the next push. Returns their number. */
static size_t pop_to_mark(Machine *m, const PickleValue **values)
{
    size_t i = m->stack.count, count;

    while (i && m->stack.items[i - 1].kind != PICKLE_MARK) i--;
    if (!i) misfit(m, NO_VALUE);
    if (m->st != OK) return 0;
    *values = m->stack.items + i;
    count = m->stack.count - i;
    m->stack.count = i - 1;
    return count;
}

/* Returns NULL after an error. */
static const unsigned char *take(Machine *m, uint64_t count)
{
    const unsigned char *bytes = NULL;

    if (m->st == OK && !bytes_take(&m->bytes, count, &bytes)) cut_off(m);
    return bytes;
}

/* Takes a little-endian number of `width` bytes. */
static uint64_t take_number(Machine *m, unsigned width)
{
    uint64_t number = 0;

    if (m->st == OK && !bytes_take_number(&m->bytes, width, &number)) cut_off(m);
    return number;
}

/* Takes bytes; their length is stored before them in `width` bytes. */
static const unsigned char *take_counted(Machine *m, unsigned width, uint64_t *length)
{
    *length = take_number(m, width);
    return take(m, *length);
}

/* Takes a text up to the next newline, which is also taken. */
static const char *take_line(Machine *m, size_t *size)
{
    size_t left = bytes_left(&m->bytes), room = left < MAX_LINE ? left : MAX_LINE;
    const unsigned char *start = m->bytes.data + m->bytes.at, *end = room ? memchr(start, '\n', room) : NULL;

    *size = 0;
    if (!end) fault(m, "the name of a global has no end");
    if (m->st != OK) return "";
    *size = (size_t)(end - start);
    m->bytes.at += *size + 1;
    return (const char *)start;
}

/* --- Calls of globals: the result that Python would get, as a plain value. --- */

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

static void bad_call(Machine *m, const TorchGlobal *global)
{
    fault(m, "%s.%s is called with other arguments than those of torch.save", global->module, global->name);
}

/* Calls OrderedDict(), OrderedDict([[key, value], ...]) as Python 2 writes it, Counter({...}) and defaultdict(list). */
static void call_dict(Machine *m, const TorchGlobal *global, const PickleNode *args)
{
    const PickleNode *from = args->count ? args->items[0].as.node : NULL;
    PickleNode *node = new_node(m);

    if (args->count > 1 || (args->count && !is_kind(args, 0, PICKLE_DICT) && !is_kind(args, 0, PICKLE_LIST) &&
                            !is_kind(args, 0, PICKLE_GLOBAL))) {
        bad_call(m, global);
    } else if (is_kind(args, 0, PICKLE_DICT)) {
        append(m, node, from->items, from->count);
    } else if (is_kind(args, 0, PICKLE_LIST)) {
        for (size_t i = 0; m->st == OK && i < from->count; i++) {
            const PickleValue *pair = &from->items[i];
            if ((pair->kind != PICKLE_LIST && pair->kind != PICKLE_TUPLE) || pair->as.node->count != 2)
                bad_call(m, global);
            else
                append(m, node, pair->as.node->items, 2);
        }
    }
    push(m, (PickleValue){ .kind = PICKLE_DICT, .as.node = node });
}

/* The seventh argument is a dtype (_rebuild_tensor_v3) or metadata; metadata, which may also be the
 * eighth argument, may request a conjugate or negated view. */
static void call_tensor(Machine *m, const TorchGlobal *global, const PickleNode *args)
{
    const bool typed = global->use == USE_TYPED_TENSOR;
    PickleNode *node;
    PickleValue type = { .kind = PICKLE_NONE };

    if (!is_kind(args, 0, PICKLE_STORAGE) || !is_kind(args, 1, PICKLE_INT) || !is_kind(args, 2, PICKLE_TUPLE) ||
        !is_kind(args, 3, PICKLE_TUPLE) || args->count > 8 ||
        (typed && (!is_kind(args, 6, PICKLE_GLOBAL) || args->items[6].as.global->use != USE_DTYPE)))
        bad_call(m, global);
    if (!is_nothing(args, typed ? 7 : 6))
        fault(m, "a conjugate or negated view is not supported: save the tensor's clone");
    if (m->st != OK) return;
    if (typed) type = args->items[6];
    node = new_node(m);
    append(m, node, args->items, TENSOR_TYPE);
    append(m, node, &type, 1);
    push(m, (PickleValue){ .kind = PICKLE_TENSOR, .as.node = node });
}

/* Pushes the result of a call. Rejects calls that torch.save() does not write. */
static void call(Machine *m, const TorchGlobal *global, const PickleNode *args)
{
    const TorchGlobal *function;

    switch (global->use) {
    case USE_DICT:
        call_dict(m, global, args);
        return;
    case USE_TENSOR:
    case USE_TYPED_TENSOR:
        call_tensor(m, global, args);
        return;
    case USE_FROM_TYPE: /* a tensor with Python attributes: function, class, the function's arguments, attributes */
        if (!is_kind(args, 0, PICKLE_GLOBAL) || !is_kind(args, 1, PICKLE_GLOBAL) || !is_kind(args, 2, PICKLE_TUPLE) ||
            args->items[1].as.global->use != USE_CLASS)
            break;
        function = args->items[0].as.global;
        if (function->use != USE_TENSOR && function->use != USE_TYPED_TENSOR) break;
        call_tensor(m, function, args->items[2].as.node);
        return;
    case USE_PARAMETER:
        if (!is_kind(args, 0, PICKLE_TENSOR)) break;
        push(m, args->items[0]);
        return;
    case USE_SIZE:
        if (args->count != 1 || !is_kind(args, 0, PICKLE_TUPLE)) break;
        push(m, args->items[0]);
        return;
    case USE_OTHER:
        push(m, (PickleValue){ .kind = PICKLE_OTHER });
        return;
    case USE_CLASS:
    case USE_STORAGE:
    case USE_DTYPE:
        break;
    }
    bad_call(m, global);
}

/* Returns the index of the storage, which is new. */
static size_t add_storage(Machine *m, const PickleStorage *storage)
{
    Pickle *pickle = m->pickle;
    const size_t index = pickle->storage_count;

    if (!pickle->keys) m->st = str_map_new(&pickle->keys, m->err);
    if (m->st == OK)
        m->st = buf_grow_list(&pickle->storages, &pickle->storage_cap, index, 1, sizeof *storage,
                              "the storages of a pickle", m->err);
    if (index >= INT32_MAX) fault(m, "too many storages");
    if (m->st == OK) m->st = str_map_add(pickle->keys, storage->key, storage->key_size, (int32_t)index, NULL, m->err);
    if (m->st == OK) pickle->storages[pickle->storage_count++] = *storage;
    return index;
}

/* Pushes the storage that a persistent id names, and creates it the first time.
 * The id is ("storage", type, key, location, elements). Before 1.6 it had a sixth item: None, or the
 * part of another storage that this one is. */
static void push_storage(Machine *m, const PickleNode *id)
{
    const Pickle *pickle = m->pickle;
    PickleStorage storage = { 0 };
    const PickleStorage *first;
    int32_t known = -1;

    if (!is_kind(id, 0, PICKLE_TEXT) || !is_text(id->items[0].as.text, id->items[0].size, "storage") ||
        !is_kind(id, 1, PICKLE_GLOBAL) || id->items[1].as.global->use != USE_STORAGE || !is_kind(id, 2, PICKLE_TEXT) ||
        id->items[2].size > MAX_KEY || !is_kind(id, 4, PICKLE_INT) || id->items[4].as.integer < 0 || id->count > 6)
        fault(m, "a persistent id that is not a storage of torch.save");
    if (!is_nothing(id, 5))
        fault(m, "a storage inside another one, as PyTorch before 0.4 wrote them, is not supported: load and save the "
                 "file with a newer PyTorch");
    if (m->st != OK) return;
    storage.key = id->items[2].as.text;
    storage.key_size = id->items[2].size;
    storage.type = id->items[1].as.global;
    storage.count = (uint64_t)id->items[4].as.integer;
    if (pickle->keys) known = str_map_get(pickle->keys, storage.key, storage.key_size, -1);
    first = known < 0 ? &storage : &pickle->storages[known];
    if (first->type != storage.type || first->count != storage.count)
        fault(m, "storage %.*s has %llu elements of %s here, %llu of %s before",
              (int)(storage.key_size < 100 ? storage.key_size : 100), storage.key, (unsigned long long)storage.count,
              storage.type->name, (unsigned long long)first->count, first->type->name);
    push(m,
         (PickleValue){ .kind = PICKLE_STORAGE, .as.storage = known < 0 ? add_storage(m, &storage) : (size_t)known });
}

/* Returns whether the pickle holds a whole nn.Module: its state has a member _parameters, which numbers and source code
 * of any length may precede. */
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

/* The beginning of a name, as a string for messages: each NUL in it is replaced, because it would end the string. */
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
static void push_global(Machine *m, const char *module, size_t module_size, const char *name, size_t name_size)
{
    static const char rebuild[] = "_rebuild_"; /* functions that make quantized, sparse or other special tensors */

    if (m->st != OK) return;
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (is_text(name, name_size, globals[i].name) && is_text(module, module_size, globals[i].module)) {
            push(m, (PickleValue){ .kind = PICKLE_GLOBAL, .as.global = &globals[i] });
            return;
        }
    const ShownName shown_module = show_name(module, module_size), shown_name = show_name(name, name_size);
    if (is_whole_module(m))
        m->st = err_set(m->err, ERR_UNSUPPORTED,
                        "%s: holds a whole module of class %s.%s, which only its Python code can read: save "
                        "model.state_dict() instead",
                        m->pickle->file, shown_module.text, shown_name.text);
    else if (is_text(module, module_size, "torch._utils") && name_size >= sizeof rebuild &&
             memcmp(name, rebuild, sizeof rebuild - 1) == 0)
        m->st = err_set(m->err, ERR_UNSUPPORTED,
                        "%s: holds tensors of %s.%s (quantized, sparse or without numbers), which are not supported: "
                        "save plain ones",
                        m->pickle->file, shown_module.text, shown_name.text);
    else
        m->st = err_set(m->err, ERR_FORMAT,
                        "%s: the pickle asks for %s.%s, which no state dict needs: refused; save model.state_dict() "
                        "alone",
                        m->pickle->file, shown_module.text, shown_name.text);
}

/* --- The opcodes, in three functions: values, containers and all others. --- */

/* Takes a little-endian integer in two's complement with take_counted(), and pushes it. */
static void push_long(Machine *m, unsigned width)
{
    uint64_t length, bits;
    const unsigned char *bytes = take_counted(m, width, &length);
    PickleValue value = { .kind = PICKLE_LONG, .size = (uint32_t)length, .as.text = (const char *)bytes };

    if (m->st != OK) return;
    if (length <= 8) {
        bits = bytes_number(bytes, (size_t)length);
        if (length && length < 8 && bytes[length - 1] & 0x80) bits |= UINT64_MAX << 8 * length;
        value = (PickleValue){ .kind = PICKLE_INT, .as.integer = (int64_t)bits };
    }
    push(m, value);
}

/* Pushes eight bytes, big-endian. */
static void push_float(Machine *m)
{
    PickleValue value = { .kind = PICKLE_FLOAT };
    const unsigned char *bytes = take(m, 8);
    uint64_t bits = 0;

    for (size_t i = 0; bytes && i < 8; i++) bits = bits << 8 | bytes[i];
    memcpy(&value.as.number, &bits, 8);
    push(m, value);
}

static void push_text(Machine *m, unsigned width)
{
    uint64_t length;
    const unsigned char *bytes = take_counted(m, width, &length);

    if (length > UINT32_MAX) fault(m, "a text of more than 4 GB");
    push(m, (PickleValue){ .kind = PICKLE_TEXT, .size = (uint32_t)length, .as.text = (const char *)bytes });
}

/* Runs an opcode that pushes a constant or a value stored after it. Returns false for any other opcode. */
static bool run_value(Machine *m, unsigned char opcode)
{
    uint64_t length;

    switch (opcode) {
    case '(':
        push(m, (PickleValue){ .kind = PICKLE_MARK });
        return true;
    case 'N':
        push(m, (PickleValue){ .kind = PICKLE_NONE });
        return true;
    case 0x88: /* True */
    case 0x89:
        push(m, (PickleValue){ .kind = PICKLE_BOOL, .as.integer = opcode == 0x88 });
        return true;
    case 'K': /* integers of one and two bytes are unsigned, those of four are signed */
    case 'M':
        push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = (int64_t)take_number(m, opcode == 'K' ? 1 : 2) });
        return true;
    case 'J':
        push(m, (PickleValue){ .kind = PICKLE_INT, .as.integer = (int32_t)(uint32_t)take_number(m, 4) });
        return true;
    case 0x8a: /* integers of any length */
    case 0x8b:
        push_long(m, opcode == 0x8a ? 1 : 4);
        return true;
    case 'G':
        push_float(m);
        return true;
    case 'U': /* texts; U and T are those of Python 2 */
    case 0x8c:
        push_text(m, 1);
        return true;
    case 'T':
    case 'X':
        push_text(m, 4);
        return true;
    case 0x8d:
        push_text(m, 8);
        return true;
    case 'C': /* bytes */
    case 'B':
    case 0x8e:
        (void)take_counted(m, opcode == 'C' ? 1 : opcode == 'B' ? 4 : 8, &length);
        push(m, (PickleValue){ .kind = PICKLE_OTHER });
        return true;
    default:
        return false;
    }
}

/* Returns the value on top of the stack. Reports a fault if there is none, or if it has neither of the two kinds. */
static const PickleValue *require_top(Machine *m, PickleKind kind, PickleKind other)
{
    const PickleValue *value = top(m);

    if (!value)
        misfit(m, NO_VALUE);
    else if (value->kind != kind && value->kind != other)
        misfit(m, WRONG_KIND);
    return value;
}

/* Appends the values to the list or dict on top of the stack. */
static void extend(Machine *m, PickleKind kind, const PickleValue *values, size_t count)
{
    const PickleValue *target = require_top(m, kind, kind);

    if (m->st == OK && kind == PICKLE_DICT && count % 2) misfit(m, WRONG_KIND);
    if (m->st == OK) append(m, target->as.node, values, count);
}

/* Runs the opcodes of tuples, lists, dicts and sets. Returns false for any other opcode. */
static bool run_container(Machine *m, unsigned char opcode)
{
    const PickleValue *values = NULL;
    PickleValue items[3];
    size_t count;

    switch (opcode) {
    case ']':
        push_node(m, PICKLE_LIST, NULL, 0);
        return true;
    case '}':
        push_node(m, PICKLE_DICT, NULL, 0);
        return true;
    case ')': /* tuples of no, one, two and three items */
    case 0x85:
    case 0x86:
    case 0x87:
        count = opcode == ')' ? 0 : opcode - 0x84;
        for (size_t i = count; i-- > 0;) items[i] = pop(m);
        push_node(m, PICKLE_TUPLE, items, count);
        return true;
    case 't': /* a tuple of the values above the mark */
        count = pop_to_mark(m, &values);
        push_node(m, PICKLE_TUPLE, values, count);
        return true;
    case 'a': /* appends an item to a list */
    case 's': /* adds a key and a value to a dict */
        count = opcode == 's' ? 2 : 1;
        for (size_t i = count; i-- > 0;) items[i] = pop(m);
        extend(m, opcode == 's' ? PICKLE_DICT : PICKLE_LIST, items, count);
        return true;
    case 'e': /* appends the values above the mark to a list */
    case 'u': /* adds the keys and values above the mark to a dict */
        count = pop_to_mark(m, &values);
        extend(m, opcode == 'u' ? PICKLE_DICT : PICKLE_LIST, values, count);
        return true;
    case 0x8f: /* an empty set; its content is ignored */
        push(m, (PickleValue){ .kind = PICKLE_OTHER });
        return true;
    case 0x90: /* adds the values above the mark to a set */
        (void)pop_to_mark(m, &values);
        (void)require_top(m, PICKLE_OTHER, PICKLE_OTHER);
        return true;
    case 0x91: /* a frozen set of the values above the mark */
        (void)pop_to_mark(m, &values);
        push(m, (PickleValue){ .kind = PICKLE_OTHER });
        return true;
    default:
        return false;
    }
}

/* Pushes a value of the memo, which holds values that are used again. */
static void get_memo(Machine *m, unsigned width)
{
    const uint64_t index = take_number(m, width);

    if (index >= m->memo.count || m->memo.items[index].kind == PICKLE_MARK)
        fault(m, "memo %llu is empty", (unsigned long long)index);
    if (m->st == OK) push(m, m->memo.items[index]);
}

/* Puts the value on top of the stack into the memo. Indices begin at 0 or 1 and have no gaps, so an index greater than
 * the number of opcodes read so far is invalid. */
static void put_memo(Machine *m, uint64_t index)
{
    if (!top(m)) misfit(m, NO_VALUE);
    if (index > m->steps) fault(m, "memo %llu is out of order", (unsigned long long)index);
    if (index >= m->memo.count) grow(m, &m->memo, (size_t)index + 1 - m->memo.count);
    if (m->st != OK) return;
    while (m->memo.count <= index) m->memo.items[m->memo.count++] = (PickleValue){ .kind = PICKLE_MARK };
    m->memo.items[index] = *top(m);
}

/* Reads the module and the name of a global, two lines, and pushes it. */
static void read_global(Machine *m)
{
    size_t module_size, name_size;
    const char *module = take_line(m, &module_size), *name = take_line(m, &name_size);

    push_global(m, module, module_size, name, name_size);
}

/* Runs the opcodes that are neither values nor containers. Returns false for an opcode that is not supported. */
static bool run_other(Machine *m, unsigned char opcode)
{
    const PickleValue *values;
    PickleValue first, second;
    uint64_t number;

    switch (opcode) {
    case 0x80: /* the protocol */
        number = take_number(m, 1);
        if (number > PROTOCOLS) fault(m, "protocol %u is newer than %d", (unsigned)number, PROTOCOLS);
        return true;
    case 0x95: /* the length of a frame */
        number = take_number(m, 8);
        if (number > bytes_left(&m->bytes)) cut_off(m);
        return true;
    case '0': /* drops the value on top of the stack */
        if (m->stack.count)
            m->stack.count--;
        else
            misfit(m, NO_VALUE);
        return true;
    case '1': /* drops the values above the mark */
        (void)pop_to_mark(m, &values);
        return true;
    case 'h': /* pushes a value of the memo */
    case 'j':
        get_memo(m, opcode == 'h' ? 1 : 4);
        return true;
    case 'q': /* puts the value on top of the stack into the memo */
    case 'r':
        put_memo(m, take_number(m, opcode == 'q' ? 1 : 4));
        return true;
    case 0x94: /* the same, at the next free index */
        put_memo(m, m->memo.count);
        return true;
    case 'c': /* a global, named by two lines */
        read_global(m);
        return true;
    case 0x93: /* a global, named by two texts on the stack */
        second = pop(m);
        first = pop(m);
        if (first.kind != PICKLE_TEXT || second.kind != PICKLE_TEXT)
            misfit(m, WRONG_KIND);
        else
            push_global(m, first.as.text, first.size, second.as.text, second.size);
        return true;
    case 'i': /* the old form of a call: report the global that it calls */
        read_global(m);
        fault(m, "opcode INST, which torch.save does not write");
        return true;
    case 'R': /* replaces function and arguments by the result */
    case 0x81:
        second = pop(m);
        first = pop(m);
        if (second.kind != PICKLE_TUPLE || first.kind != PICKLE_GLOBAL)
            misfit(m, WRONG_KIND);
        else
            call(m, first.as.global, second.as.node);
        return true;
    case 'b': /* drops the state to set in a dict (_metadata of a state dict) or in an unused value */
        (void)pop(m);
        (void)require_top(m, PICKLE_DICT, PICKLE_OTHER);
        return true;
    case 'Q': /* a persistent id */
        first = pop(m);
        if (first.kind == PICKLE_TUPLE)
            push_storage(m, first.as.node);
        else
            misfit(m, WRONG_KIND);
        return true;
    default:
        return false;
    }
}

Status torch_pickle_read(Pickle *pickle, PickleValue *out, const unsigned char *bytes, size_t size, size_t *pos,
                         Err *err)
{
    Machine m = { .pickle = pickle, .bytes = { bytes, size, *pos }, .err = err };

    while (m.st == OK) {
        const unsigned char *byte;
        pickle->at = m.bytes.at;
        if (m.steps++ == MAX_STEPS) fault(&m, "more than %zu opcodes", MAX_STEPS);
        byte = take(&m, 1);
        if (!byte || *byte == '.') break; /* '.' ends the pickle */
        if (!run_value(&m, *byte) && !run_container(&m, *byte) && !run_other(&m, *byte))
            fault(&m, "opcode 0x%02x, which torch.save does not write", *byte);
    }
    if (m.st == OK) *out = pop(&m);
    *pos = m.bytes.at;
    free(m.stack.items);
    free(m.memo.items);
    return m.st;
}
