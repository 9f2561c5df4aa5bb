/* test_torch_bin.c - files of torch.save(): those written by PyTorch, compared with what PyTorch reads
 * (scripts/reference/make_torch_files.py); broken ones; those of PyTorch before 1.6; and files of other formats. */
#include "test_support.h"

#include "json.h"
#include "readers.h"
#include "tree_file.h"
#include "zip_support.h"

#define TORCH_FOLDER GOLDEN_ROOT "/torch"
#define PATH         "dir/model.pt"
#define COMMAND      "/tmp/dragoman-was-executed" /* the file that hostile pickles would create */

#define NUMBERS "\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@\0\0\xc0@"

/* A string literal that contains NULs, and its size. */
#define BYTES(text) text, sizeof(text) - 1

/* The pickle of a tensor in storage "k" with six floats; the arguments are opcodes. */
#define TENSOR(offset, shape, strides)                                                                                 \
    "ctorch._utils\n_rebuild_tensor_v2\n((U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ" offset shape strides        \
    "\x89NtR"
#define WHOLE TENSOR("K\0", "K\2K\3\x86", "K\3K\1\x86")

/* Reads from a copy of exactly this size, so that the sanitizers detect any
 * access outside of it. The caller frees the copy. */
static Status read_bytes(Weights **all, unsigned char **copy, const void *bytes, size_t size, Err *err)
{
    FileView file = { .path = PATH };

    *copy = malloc(size + !size);
    assert_non_null(*copy);
    memcpy(*copy, bytes, size);
    file.map = (MappedFile){ .data = *copy, .size = size };
    assert_ok(weights_new(all, NULL, err), err);
    return torch_bin_read(*all, &file, err);
}

static Status open_file(Weights **all, const char *name, Err *err)
{
    FREED char *path = support_path(TORCH_FOLDER, name);
    FileView file;
    Status st;

    assert_ok(weights_new(all, NULL, err), err);
    st = weights_add_file(*all, path, &file, err);
    if (st == OK) st = torch_bin_read(*all, &file, err);
    return st;
}

/* --- Files of PyTorch ------------------------------------------------------ */

static void check_hex(const void *bytes, size_t size, const char *hex)
{
    static const char digits[] = "0123456789abcdef";

    assert_int_equal(strlen(hex), 2 * size);
    for (size_t i = 0; i < size; i++) {
        unsigned byte = ((const unsigned char *)bytes)[i];
        if (hex[2 * i] != digits[byte >> 4] || hex[2 * i + 1] != digits[byte & 15])
            fail_msg("byte %zu of %zu is %02x, not %.2s", i, size, byte, hex + 2 * i);
    }
}

static const char *text_of(const cJSON *row, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, key));
}

static void check_tensor(const Tensor *t, const cJSON *row)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(row, "shape"), *size;
    size_t rank = 0;

    assert_string_equal(t->name, text_of(row, "name"));
    assert_string_equal(t->dtype_name, text_of(row, "dtype"));
    cJSON_ArrayForEach(size, shape) assert_int_equal(t->shape[rank++], (size_t)size->valuedouble);
    assert_int_equal(t->rank, rank);
    check_hex(t->data, t->bytes, text_of(row, "bytes"));
    if (t->dtype != DTYPE_OTHER) {
        const char *f32 = text_of(row, "f32") ? text_of(row, "f32") : text_of(row, "bytes");
        FREED float *numbers = malloc((t->count + 1) * sizeof *numbers);
        assert_non_null(numbers);
        tensor_read_f32(t, 0, t->count, numbers);
        check_hex(numbers, t->count * sizeof *numbers, f32);
    }
}

TEST(reads_the_same_tensors_as_pytorch)
{
    cJSON *root;
    const cJSON *file, *row;
    size_t files = 0;
    Err err;

    assert_ok(tree_file_read_json(&root, TORCH_FOLDER "/reference.json", &err), &err);
    cJSON_ArrayForEach(file, root)
    {
        Weights *all;
        size_t count = 0;
        assert_ok(open_file(&all, file->string, &err), &err);
        cJSON_ArrayForEach(row, file)
        {
            assert_true(count < all->tensor_count);
            check_tensor(&all->tensors[count++], row);
        }
        assert_int_equal(all->tensor_count, count);
        weights_free(all);
        files++;
    }
    assert_true(files >= 11);
    cJSON_Delete(root);
}

static bool lies_in_file(const Weights *all, const char *name)
{
    const Tensor *t = weights_find(all, name);
    const MappedFile *map = &all->files[0].map;

    assert_non_null(t);
    return (uintptr_t)t->data >= (uintptr_t)map->data && (uintptr_t)t->data < (uintptr_t)map->data + map->size;
}

TEST(views_contiguous_tensors_and_shares_tied_ones)
{
    static const char *const files[] = { "views.pt", "views_legacy.pt", "protocol5.pt" };

    for (size_t i = 0; i < COUNT(files); i++) {
        Weights *all;
        Err err;
        assert_ok(open_file(&all, files[i], &err), &err);
        assert_ptr_equal(weights_find(all, "shared.weight")->data, weights_find(all, "lm_head.weight")->data);
        assert_true(lies_in_file(all, "shared.weight"));
        assert_true(lies_in_file(all, "row"));
        assert_ptr_equal(weights_find(all, "row")->data, weights_find(all, "shared.weight")->data + 48);
        assert_true(lies_in_file(all, "one_column"));
        assert_false(lies_in_file(all, "transposed"));
        assert_false(lies_in_file(all, "expanded"));
        weights_free(all);
    }
}

#define ASKS_FOR(name) "the pickle asks for " name ", which no state dict needs: refused; save model.state_dict() alone"

TEST(rejects_hostile_files_without_executing_anything)
{
    static const struct {
        const char *file;
        Status status;
        const char *fault;
    } cases[] = {
        { "hostile_system.pt", ERR_FORMAT, ASKS_FOR("posix.system") },
        { "hostile_eval.pt", ERR_FORMAT, ASKS_FOR("__builtin__.eval") },
        { "hostile_getattr.pt", ERR_FORMAT, ASKS_FOR("__builtin__.getattr") },
        { "hostile_protocol4.pt", ERR_FORMAT, ASKS_FOR("posix.system") },
        { "hostile_legacy.pt", ERR_FORMAT, ASKS_FOR("posix.system") },
        { "hostile_instance.pt", ERR_FORMAT, ASKS_FOR("posix.system") },
        { "hostile_text.pt", ERR_FORMAT, ASKS_FOR("posix.system") },
        { "hostile_object.pt", ERR_FORMAT, "pickle, byte 40: opcode 0x6f, which torch.save does not write" },
        { "hostile_extension.pt", ERR_FORMAT, "pickle, byte 2: opcode 0x82, which torch.save does not write" },
        { "hostile_module.pt", ERR_UNSUPPORTED,
          "holds a whole module of class torch.nn.modules.container.Sequential, which only its Python code can read: "
          "save model.state_dict() instead" },
        { "hostile_module_legacy.pt", ERR_UNSUPPORTED,
          "holds a whole module of class __main__.OwnModel, which only its Python code can read: save "
          "model.state_dict() instead" },
        { "hostile_plain.pt", ERR_UNSUPPORTED,
          "a pickle that torch.save did not write: save model.state_dict() with torch.save" },
    };

    (void)unlink(COMMAND);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Weights *all;
        Err err = { "" };
        FREED char *message = support_format(TORCH_FOLDER "/%s: %s", cases[i].file, cases[i].fault);
        assert_fails(open_file(&all, cases[i].file, &err), cases[i].status, &err, message);
        weights_free(all);
    }
    assert_int_equal(access(COMMAND, F_OK), -1);
}

/* --- Archives made here ------------------------------------------------------ */

static void make_archive(ZipSupport *zip, const char *pickle, size_t size)
{
    *zip = (ZipSupport){ 0 };
    zip_support_add(zip, "my model/data.pkl", pickle, size, 0);
    zip_support_add(zip, "my model/byteorder", "little", 6, 0);
    zip_support_add(zip, "my model/data/k", NUMBERS, 24, 0);
    zip_support_add(zip, "my model/version", "3\n", 2, 0);
    zip_support_end(zip, 0);
}

/* Expects the message, without the path, or success and the tensor w where it is NULL. */
static void check_bytes(const void *bytes, size_t size, Status status, const char *fault)
{
    FREED char *message = support_file_message(PATH, fault ? fault : "");
    Weights *all;
    FREED unsigned char *copy;
    Err err = { "" };
    Status st = read_bytes(&all, &copy, bytes, size, &err);

    assert_fails(st, status, &err, fault ? message : "");
    if (!fault) assert_non_null(weights_find(all, "w"));
    if (!fault && weights_find(all, "w")->bytes == 24) assert_memory_equal(weights_find(all, "w")->data, NUMBERS, 24);
    weights_free(all);
}

static void check_pickle(const char *pickle, size_t size, const char *fault)
{
    ZipSupport zip;

    make_archive(&zip, pickle, size);
    check_bytes(zip.bytes, zip.size, fault ? ERR_FORMAT : OK, fault);
}

TEST(finds_state_dicts_under_the_usual_keys)
{
#define NO_STATE "no state dict: expected a dict of tensors, or a dict that holds one"
    static const struct {
        const char *text;
        size_t size;
        const char *fault;
    } cases[] = {
        { BYTES("}U\1w" WHOLE "s."), NULL },
        { BYTES("}(U\1w" WHOLE "U\7versionK\3U\1xNu."), NULL },
        { BYTES("}U\5model}U\1w" WHOLE "ss."), NULL },
        { BYTES("}U\12state_dict}U\1w" WHOLE "ss."), NULL },
        { BYTES("}U\20model_state_dict}U\10module.w" WHOLE "ss."), NULL },
        { BYTES("}(U\5model}U\1w" WHOLE "sU\4loss" WHOLE "U\3opt}U\5state}su."), NULL },
        { BYTES("}(U\5modelU\5largeU\12state_dict}U\1w" WHOLE "su."), NULL },
        { BYTES("}(U\1w" WHOLE "U\10module.x" WHOLE "u."), NULL }, /* some names lack the prefix */
        { BYTES("}."), "the state dict is empty" },
        { BYTES("]."), "holds a list, not a state dict: save model.state_dict()" },
        { BYTES(WHOLE "."), "holds a tensor, not a state dict: save model.state_dict()" },
        { BYTES("}(U\3net}U\1w" WHOLE "sU\3opt}U\5state}su."), NULL },
        { BYTES("}(U\3ema}U\1x" WHOLE "sU\5model}U\1w" WHOLE "su."), NULL },
        { BYTES("}U\13_orig_mod.w" WHOLE "s."), NULL },
        { BYTES("}U\22module._orig_mod.w" WHOLE "s."), NULL },
        { BYTES("}U\22_orig_mod.module.w" WHOLE "s."), NULL },
        { BYTES("}(U\1w" WHOLE "U\13_orig_mod.x" WHOLE "u."), NULL },
        { BYTES("}U\1n}U\1w}ss."), NO_STATE },
        { BYTES("}K\1" WHOLE "s."), NO_STATE },
        { BYTES("}K\1}U\1w" WHOLE "ss."), NO_STATE },
        { BYTES("}U\7encoder}U\3net}U\1w" WHOLE "sss."), NO_STATE },
        { BYTES("}(U\1a}q\1K\1K\1sU\1bh\1U\1ch\1U\1dh\1U\1eh\1U\1fh\1U\3net}U\1w" WHOLE "su."), NULL },
        { BYTES("}(U\5model}U\1w" WHOLE "sU\12state_dict}U\1w" WHOLE "su."),
          "contains two state dicts, state_dict and model: save only that of the model" },
        { BYTES("}(U\7encoder}U\1w" WHOLE "sU\7decoder}U\1w" WHOLE "su."),
          "contains two state dicts, encoder and decoder: save only that of the model" },
        { BYTES("}U\2w\0" WHOLE "s."), "a tensor's name holds a NUL" },
        { BYTES("}(U\1w" WHOLE "U\1w" WHOLE "u."), "tensor w: appears twice" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) check_pickle(cases[i].text, cases[i].size, cases[i].fault);
}

TEST(removes_at_most_four_wrappers_from_names)
{
    static const char pickle[] = "}U\44module.module.module.module.module.w" WHOLE "s.";
    ZipSupport zip;
    Weights *all;
    FREED unsigned char *copy;
    Err err = { "" };

    make_archive(&zip, pickle, sizeof pickle - 1);
    assert_ok(read_bytes(&all, &copy, zip.bytes, zip.size, &err), &err);
    assert_non_null(weights_find(all, "module.w"));
    weights_free(all);
}

TEST(checks_each_range_against_its_storage)
{
#define PAST_END                  "extends past the end of its storage of 6 elements"
#define LARGE                     "\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f"
#define WRAPS                     "\x8a\x8\0\0\0\0\0\0\0\x20" /* 2^61 floats */
#define MANY                      "\x8a\5\0\0\0\0\1"          /* 2^32 */
#define W(offset, shape, strides) BYTES("}U\1w" TENSOR(offset, shape, strides) "s.")
    static const struct {
        const char *text;
        size_t size;
        const char *fault;
    } cases[] = {
        { W("K\0", "K\6\x85", "K\1\x85"), NULL },
        { W("K\5", "K\1\x85", "K\1\x85"), NULL },
        { W("K\5", "K\1\x85", LARGE "\x85"), NULL }, /* one element: the stride is not used */
        { W("K\0", "K\2K\1\x86", "K\2" WRAPS "\x86"), NULL },
        { W("K\5", ")", ")"), NULL },
        { W("K\0", "K\0" LARGE "\x86", LARGE "K\1\x86"), NULL },
        { W("K\x09", "K\0\x85", "K\1\x85"), NULL },
        { W("K\5", "M\0\1\x85", "K\0\x85"), NULL },
        { W("K\0", "K\7\x85", "K\1\x85"), PAST_END },
        { W("K\1", "K\2K\3\x86", "K\3K\1\x86"), PAST_END },
        { W("K\0", "K\2K\3\x86", "K\4K\1\x86"), PAST_END },
        { W("K\0", "K\2\x85", LARGE "\x85"), PAST_END },
        { W("K\0", MANY "K\2\x86", LARGE "K\1\x86"), PAST_END },
        { W("K\6", ")", ")"), "begins at element 6 of a storage of 6" },
        { W(LARGE, "K\1\x85", "K\1\x85"), "begins at element 9223372036854775807 of a storage of 6" },
        { W("J\xff\xff\xff\xff", "K\1\x85", "K\1\x85"), "its storage offset is -1" },
        { W("K\0", "J\xff\xff\xff\xff\x85", "K\1\x85"), "shape[0] must be a whole number that is not negative" },
        { W("K\0", "K\2K\2\x86", "K\1J\xff\xff\xff\xff\x86"), "stride[1] must be a whole number that is not negative" },
        { W("K\0", "N\x85", "K\1\x85"), "shape[0] must be a whole number that is not negative" },
        { W("K\0", "K\2K\2\x86", "K\1\x85"), "2 dimensions, but 1 strides" },
        { W("K\0", MANY MANY "\x86", "K\0K\0\x86"), "shape: too many elements" },
        { W("K\0", LARGE "\x85", "K\0\x85"), "shape: too many elements" },
        { W("K\0", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t"),
          "shape has 9 dimensions, at most 8 are allowed" },
        { W("K\0", MANY "\x85", "K\0\x85"), "implausible expansion of a storage (24 -> 17179869184 bytes)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *fault = cases[i].fault ? support_format("tensor w: %s", cases[i].fault) : NULL;
        check_pickle(cases[i].text, cases[i].size, fault);
    }
}

/* Each tensor is small enough, but their sum is not. */
TEST(bounds_the_sum_of_all_copies)
{
    char pickle[4096] = "}(", *end = pickle + 2;

    for (int i = 0; i < 20; i++) {
        static const char tensor[] = TENSOR("K\0", "J\0\0\4\0\x85", "K\0\x85");
        *end++ = 'U';
        *end++ = 1;
        *end++ = (char)('a' + i);
        memcpy(end, tensor, sizeof tensor - 1);
        end += sizeof tensor - 1;
    }
    memcpy(end, "u.", 2);
    check_pickle(pickle, (size_t)(end + 2 - pickle),
                 "tensor q: implausible expansion of a storage (24 -> 1048576 bytes)");
}

TEST(checks_the_parts_of_the_archive)
{
    static const struct {
        const char *pickle, *order, *version, *storage;
        size_t size;
        Status status;
        const char *fault;
    } cases[] = {
        { "a/data.pkl", "big", "3", "a/data/k", 24, ERR_UNSUPPORTED,
          "byte order big is not supported: save it on a little-endian computer" },
        { "a/data.pkl", "little", "11", "a/data/k", 24, ERR_UNSUPPORTED,
          "version 11 of PyTorch's archives is not supported; expected 1 to 10" },
        { "a/data.pkl", "little", "", "a/data/k", 24, ERR_UNSUPPORTED,
          "version  of PyTorch's archives is not supported; expected 1 to 10" },
        { "a/data.pkl", "little", "3", "a/data/l", 24, ERR_FORMAT, "the pickle needs a/data/k, which is missing" },
        { "a/data.pkl", "little", "3", "b/data/k", 24, ERR_FORMAT, "the pickle needs a/data/k, which is missing" },
        { "a/data.pkl", "little", "3", "a/data/k", 20, ERR_FORMAT,
          "a/data/k has 20 bytes, but the pickle says 6 elements of 4" },
        { "a/data.pkl", "little", "3", "a/data/k", 28, ERR_FORMAT,
          "a/data/k has 28 bytes, but the pickle says 6 elements of 4" },
        { "a/constants.pkl", "little", "3", "a/data/k", 24, ERR_UNSUPPORTED,
          "is a TorchScript program: save model.state_dict() instead" },
        { "word/document.xml", "little", "3", "a/data/k", 24, ERR_FORMAT,
          "a zip archive, but not of torch.save: word/data.pkl is missing" },
        { "weights.npy", "little", "3", "a/data/k", 24, ERR_FORMAT,
          "a zip archive, but not of torch.save: data.pkl is missing" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char numbers[28] = { 0 };
        ZipSupport zip = { 0 };
        zip_support_add(&zip, cases[i].pickle, BYTES("}U\1w" WHOLE "s."), 0);
        zip_support_add(&zip, "a/byteorder", cases[i].order, strlen(cases[i].order), 0);
        zip_support_add(&zip, "a/version", cases[i].version, strlen(cases[i].version), 0);
        zip_support_add(&zip, cases[i].storage, numbers, cases[i].size, 0);
        zip_support_end(&zip, 0);
        check_bytes(zip.bytes, zip.size, cases[i].status, cases[i].fault);
    }
}

/* --- Files of PyTorch before 1.6, and of other formats. --- */

#define MAGIC   "\x80\2\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
#define VERSION "\x80\2M\xe9\3."
#define LITTLE  "\x80\2}U\15little_endian\x88s."
#define OBJECT  "\x80\2}U\1w" WHOLE "s."
#define KEYS    "]U\1ka."
#define SIX     "\6\0\0\0\0\0\0\0"

TEST(reports_each_fault_of_other_files)
{
    static const struct {
        const char *text;
        size_t size;
        Status status;
        const char *fault;
    } cases[] = {
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX NUMBERS), OK, NULL },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX NUMBERS "more"), OK, NULL },
        { BYTES(""), ERR_FORMAT, "is empty" },
        { BYTES("version https://git-lfs.github.com/spec/v1\n"), ERR_FORMAT,
          "is a Git LFS pointer, not the file itself: run \"git lfs pull\"" },
        { BYTES("weights"), ERR_FORMAT, "is text, not a PyTorch file: did the download fail?" },
        { BYTES("weights\1"), ERR_FORMAT,
          "not a file of torch.save: it begins neither as a zip archive nor as a pickle" },
        { BYTES("\x80\2}."), ERR_UNSUPPORTED,
          "a pickle that torch.save did not write: save model.state_dict() with torch.save" },
        { BYTES(MAGIC "\x80\2M\xe8\3." LITTLE), ERR_UNSUPPORTED, "not version 1001 of the format before PyTorch 1.6" },
        { BYTES(MAGIC VERSION "\x80\2}U\15little_endian\x89s."), ERR_UNSUPPORTED,
          "big-endian numbers are not supported: save it on a little-endian computer" },
        { BYTES(MAGIC VERSION "\x80\2]."), ERR_FORMAT, "the byte order is missing" },
        { BYTES("\x80\2N\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
                "0." VERSION LITTLE),
          ERR_FORMAT, "the magic number of torch.save is wrong" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "}." SIX NUMBERS), ERR_FORMAT, "the list of storages is missing" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]K\1a." SIX NUMBERS), ERR_FORMAT, "a storage's key is not a string" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]U\1la." SIX NUMBERS), ERR_FORMAT, "storage l belongs to no tensor" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "](U\1kU\1ke." SIX NUMBERS SIX NUMBERS), ERR_FORMAT,
          "storage k appears twice" },
        { BYTES(MAGIC VERSION LITTLE OBJECT "]." SIX NUMBERS), ERR_FORMAT,
          "storage 0 of the pickle is not in the file" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\7\0\0\0\0\0\0\0" NUMBERS), ERR_FORMAT,
          "storage 0 has 7 elements, but the pickle says 6" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\6\0\0\0\0\0\0\x80" NUMBERS), ERR_FORMAT,
          "storage 0 has 9223372036854775814 elements, but the pickle says 6" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS SIX "\0\0\x80?"), ERR_FORMAT,
          "cut off: storage 0 has 6 elements of 4 bytes, but the file only 4 bytes more" },
        { BYTES(MAGIC VERSION LITTLE OBJECT KEYS "\6\0"), ERR_FORMAT,
          "cut off: storage 0 begins at byte 148, the end of the file" },
    };

    char tar[512] = "sys_info";

    for (size_t i = 0; i < COUNT(cases); i++)
        check_bytes(cases[i].text, cases[i].size, cases[i].status, cases[i].fault);
    memcpy(tar + 257, "ustar", 5);
    check_bytes(tar, sizeof tar, ERR_UNSUPPORTED,
                "the tar format of PyTorch before 0.1.10 is not supported: load and save it with a newer PyTorch");
}

/* --- Files truncated anywhere and with any byte changed. --- */

/* Reads all tensors if the file is accepted; returns whether it is. */
static bool survives(const char *bytes, size_t size)
{
    Weights *all;
    FREED unsigned char *copy;
    size_t sum = 0;
    Err err = { "" };
    Status st = read_bytes(&all, &copy, bytes, size, &err);

    if (st != OK) {
        assert_true(st == ERR_FORMAT || st == ERR_UNSUPPORTED);
        assert_memory_equal(err.text, PATH, sizeof PATH - 1);
        assert_null(strpbrk(err.text, "\n\r\x1b"));
    }
    for (size_t i = 0; st == OK && i < all->tensor_count; i++)
        for (size_t k = 0; k < all->tensors[i].bytes; k++) sum += all->tensors[i].data[k];
    assert_true(sum < (size_t)1 << 40);
    assert_true(arena_bytes(all->arena) < (size_t)64 << 20);
    weights_free(all);
    return st == OK;
}

TEST(rejects_a_file_truncated_anywhere)
{
    static const char *const names[] = { "state.pt", "views_legacy.pt" };

    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *path = support_path(TORCH_FOLDER, names[i]);
        size_t size;
        FREED char *bytes = support_read_file(path, &size);
        for (size_t cut = 0; cut < size; cut++)
            if (survives(bytes, cut)) fail_msg("%s: %zu bytes are enough", path, cut);
        assert_true(survives(bytes, size));
    }
}

TEST(reads_or_rejects_files_with_changed_bytes)
{
    static const char *const names[] = { "views.pt",       "views_legacy.pt",  "protocol5.pt", "checkpoint_legacy.pt",
                                         "newer_types.pt", "hostile_system.pt" };
    uint32_t seed = 12345;
    size_t accepted = 0, refused = 0;

    (void)unlink(COMMAND);
    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *path = support_path(TORCH_FOLDER, names[i]);
        size_t size;
        FREED char *bytes = support_read_file(path, &size);
        for (int round = 0; round < 300; round++) {
            FREED char *changed = malloc(size);
            assert_non_null(changed);
            memcpy(changed, bytes, size);
            for (uint32_t n = 1 + support_random(&seed) % 3; n > 0; n--)
                changed[support_random(&seed) % size] = (char)support_random(&seed);
            if (survives(changed, size))
                accepted++;
            else
                refused++;
        }
    }
    assert_true(accepted > 100 && refused > 100);
    assert_int_equal(access(COMMAND, F_OK), -1);
}

TESTS(test_torch_bin);
