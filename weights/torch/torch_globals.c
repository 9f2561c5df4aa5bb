/* torch_globals.c - see torch_globals.h.
 * Source   torch/serialization.py, torch/_utils.py and torch/storage.py of
 *          pytorch/pytorch. Pickles of protocol 2 spell builtins __builtin__. */
#include "torch_globals.h"

#include <stdbool.h>
#include <string.h>

#define STORAGE(name, type, spelled, width)                                                                            \
    {                                                                                                                  \
        "torch", name, USE_STORAGE, type, spelled, width                                                               \
    }
#define NUMBERS(name, type, spelled, width)                                                                            \
    {                                                                                                                  \
        "torch", name, USE_DTYPE, type, spelled, width                                                                 \
    }
#define OTHER DTYPE_OTHER, NULL, 0

static const TorchGlobal GLOBALS[] = {
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

const TorchGlobal *torch_globals_find(const char *module, size_t module_size, const char *name, size_t name_size)
{
    for (size_t i = 0; i < sizeof GLOBALS / sizeof *GLOBALS; i++) {
        const TorchGlobal *global = &GLOBALS[i];
        if (is_text(name, name_size, global->name) && is_text(module, module_size, global->module)) return global;
    }
    return NULL;
}
