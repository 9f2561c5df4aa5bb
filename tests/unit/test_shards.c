/* test_shards.c - folders with weights in several files, in files of other formats, or without weights. */
#include "test_support.h"

#include "model_support.h"
#include "weights.h"

#define INDEX "model.safetensors.index.json"
#define S1    "model-00001-of-00002.safetensors"
#define S2    "model-00002-of-00002.safetensors"

/* Writes a safetensors file of U8 tensors with one byte each; names end with NULL. */
static void write_shard(const char *folder, const char *name, const char *const *tensors)
{
    char bytes[1024], *end = bytes + 8;
    size_t count = 0;

    for (; tensors[count]; count++)
        end += sprintf(end, "%c\"%s\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%zu,%zu]}", count ? ',' : '{',
                       tensors[count], count, count + 1);
    if (!count) *end++ = '{';
    *end++ = '}';
    for (size_t i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)(end - bytes - 8) >> (8 * i) & 255);
    for (size_t i = 0; i < count; i++) *end++ = name[8];
    free(support_write_file(folder, name, bytes, (size_t)(end - bytes)));
}

static void write_two_shards(const char *folder)
{
    write_shard(folder, S1, (const char *const[]){ "a", "b", NULL });
    write_shard(folder, S2, (const char *const[]){ "c", "extra", NULL });
}

FOLDER_TEST(reads_tensors_from_every_shard_and_opens_each_once)
{
    FREED char *index, *file;
    FREED_BY(free_weights) Weights *weights;
    Err err;

    write_two_shards(*state);
    index = support_write_text(*state, INDEX,
                               "{\"metadata\":{\"total_size\":4},\"weight_map\":{\"a\":\"" S1 "\",\"c\":\"" S2
                               "\",\"b\":\"" S1 "\"}}");
    assert_ok(open_weights(&weights, *state, &err), &err);
    assert_string_equal(weights_path(weights), index);
    assert_int_equal(weights_count(weights), 4);
    assert_string_equal(weights_at(weights, 0)->name, "a");
    assert_string_equal(weights_at(weights, 1)->name, "b");
    assert_string_equal(weights_at(weights, 2)->name, "c");
    file = support_path(*state, S2);
    assert_string_equal(weights_find(weights, "c")->file, file);
    assert_ptr_equal(weights_find(weights, "c"), weights_at(weights, 2));
    assert_non_null(weights_find(weights, "extra"));
    assert_null(weights_find(weights, "d"));
    for (size_t i = 0; i < 4; i++) weights_release(weights, weights_at(weights, i));
    assert_int_equal(weights_find(weights, "c")->data[0], '0');
}

/* Copies a file written by PyTorch to folder/name. */
static void copy_torch_file(const char *folder, const char *name, const char *from)
{
    FREED char *path = support_path(GOLDEN_ROOT "/torch", from);

    support_copy_file(path, folder, name);
}

FOLDER_TEST(reads_and_releases_pytorch_shards)
{
    static const char index[] = "{\"weight_map\":{\"0.weight\":\"pytorch_model-1.bin\","
                                "\"transposed\":\"pytorch_model-2.bin\"}}";
    FREED_BY(free_weights) Weights *weights;
    const Tensor *view, *copy;
    float before[24], after[24];
    Err err;

    copy_torch_file(*state, "pytorch_model-1.bin", "state.pt");
    copy_torch_file(*state, "pytorch_model-2.bin", "views_legacy.pt");
    free(support_write_text(*state, "pytorch_model.bin.index.json", index));
    assert_ok(open_weights(&weights, *state, &err), &err);
    assert_int_equal(weights_count(weights), 6 + 12);
    assert_non_null(weights_find(weights, "0.weight"));
    view = weights_find(weights, "shared.weight"); /* [4, 6] */
    copy = weights_find(weights, "transposed");    /* [6, 4] */
    tensor_read_f32(view, 0, 24, before);
    for (size_t i = 0; i < weights_count(weights); i++) weights_release(weights, weights_at(weights, i));
    tensor_read_f32(view, 0, 24, after);
    assert_memory_equal(before, after, sizeof before);
    tensor_read_f32(copy, 0, 24, after);
    for (size_t i = 0; i < 24; i++) assert_true(after[i] == before[i % 4 * 6 + i / 4]);
}

FOLDER_TEST(opens_bin_and_pt_files_of_any_name)
{
    static const char *const names[] = { "model.bin", "student.bin", "student.pt", "student.pth" };

    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *path = support_path(*state, names[i]);
        FREED_BY(free_weights) Weights *weights;
        Err err;
        copy_torch_file(*state, names[i], i % 2 ? "checkpoint.pt" : "checkpoint_legacy.pt");
        copy_torch_file(*state, "training_args.bin", "state.pt");
        free(support_write_text(*state, "sentencepiece.bin", "x"));
        assert_ok(open_weights(&weights, *state, &err), &err);
        assert_string_equal(weights_path(weights), path);
        assert_int_equal(weights_count(weights), 6);
        assert_int_equal(unlink(path), 0);
    }
}

/* In the messages, @ stands for the folder. */
static void check_fault(const char *folder, Status status, const char *fault)
{
    char message[4096], *end = message;
    Weights *weights = (Weights *)&status;
    Err err;

    for (; *fault; fault++) {
        if (*fault == '@')
            end += sprintf(end, "%s", folder);
        else
            *end++ = *fault;
    }
    *end = '\0';
    assert_fails(open_weights(&weights, folder, &err), status, &err, message);
    assert_null(weights);
}

#define MAP(map)  "{\"weight_map\":" map "}"
#define AT        "@/" INDEX ": "
#define NOT_PLAIN " is not the plain name of a file in the same folder"

FOLDER_TEST(reports_each_broken_index)
{
    static const struct {
        const char *index;
        Status status;
        const char *fault;
    } cases[] = {
        { "", ERR_FORMAT, "@/" INDEX " is empty" },
        { "{", ERR_FORMAT, AT "not valid JSON near byte 0" },
        { "[]", ERR_FORMAT, "@/" INDEX " is not a JSON object" },
        { "{}", ERR_FORMAT, AT "weight_map must be an object, found nothing" },
        { "{\"Weight_Map\":{\"a\":\"" S1 "\"}}", ERR_FORMAT, AT "weight_map must be an object, found nothing" },
        { MAP("[\"a\"]"), ERR_FORMAT, AT "weight_map must be an object, found a list" },
        { MAP("{}"), ERR_FORMAT, AT "weight_map is empty" },
        { MAP("{\"a\":1}"), ERR_FORMAT, AT "tensor a: must name a file, found 1" },
        { MAP("{\"a\":[\"" S1 "\"]}"), ERR_FORMAT, AT "tensor a: must name a file, found a list" },
        { MAP("{\"a\":\"\"}"), ERR_FORMAT, AT "tensor a: \"\"" NOT_PLAIN },
        { MAP("{\"a\":\"..\"}"), ERR_FORMAT, AT "tensor a: \"..\"" NOT_PLAIN },
        { MAP("{\"a\":\".\"}"), ERR_FORMAT, AT "tensor a: \".\"" NOT_PLAIN },
        { MAP("{\"a\":\"../x.safetensors\"}"), ERR_FORMAT, AT "tensor a: \"../x.safetensors\"" NOT_PLAIN },
        { MAP("{\"a\":\"" S1 "\",\"b\":\"/etc/passwd\"}"), ERR_FORMAT, AT "tensor b: \"/etc/passwd\"" NOT_PLAIN },
        { MAP("{\"a\":\"sub/x.safetensors\"}"), ERR_FORMAT, AT "tensor a: \"sub/x.safetensors\"" NOT_PLAIN },
        { MAP("{\"a\":\"" S1 "\",\"a\":\"" S1 "\"}"), ERR_FORMAT, AT "tensor a: appears twice" },
        { MAP("{\"a\":\"" S1 "\",\"z\":\"gone.safetensors\"}"), ERR_IO,
          AT "shard @/gone.safetensors is missing (it has tensor z)" },
        { MAP("{\"a\":\"" S1 "\",\"z\":\"" S1 "\"}"), ERR_FORMAT, AT "tensor z is not in its shard " S1 },
        { MAP("{\"a\":\"" S2 "\",\"b\":\"" S1 "\"}"), ERR_FORMAT,
          AT "tensor a: should be in shard " S2 ", but is in " S1 },
        { MAP("{\"a\":\"" S1 "\",\"c\":\"again.safetensors\"}"), ERR_FORMAT,
          "@/again.safetensors: tensor a is also in @/" S1 },
        { MAP("{\"a\":\"" INDEX "\"}"), ERR_FORMAT,
          "@/" INDEX " is text, not a safetensors file: did the download fail?" },
        { MAP("{\"a\":\"folder\"}"), ERR_IO, "@/folder is a directory, not a file" },
        { MAP("{\"a\":\"cut.safetensors\"}"), ERR_FORMAT,
          "@/cut.safetensors: 3 bytes are too few for a safetensors file" },
    };
    char *folder = support_path(*state, "folder");

    write_two_shards(*state);
    write_shard(*state, "again.safetensors", (const char *const[]){ "c", "a", NULL });
    free(support_write_text(*state, "cut.safetensors", "ab\1"));
    assert_int_equal(mkdir(folder, 0700), 0);
    free(folder);
    for (size_t i = 0; i < COUNT(cases); i++) {
        free(support_write_text(*state, INDEX, cases[i].index));
        check_fault(*state, cases[i].status, cases[i].fault);
    }
}

FOLDER_TEST(prefers_a_single_file_to_shards)
{
    FREED_BY(free_weights) Weights *weights;
    Err err;
    FREED char *path = support_path(*state, "model.safetensors");

    write_shard(*state, "model.safetensors", (const char *const[]){ "whole", NULL });
    free(support_write_text(*state, INDEX, "broken"));
    free(support_write_text(*state, "pytorch_model.bin", ""));
    assert_ok(open_weights(&weights, *state, &err), &err);
    assert_string_equal(weights_path(weights), path);
    assert_non_null(weights_find(weights, "whole"));
    weights_free(NULL);
}

#define EXPECTED "expected model.safetensors, pytorch_model.bin, the index of one in shards, or *.pt"

#define NOT_TORCH "not a file of torch.save: it begins neither as a zip archive nor as a pickle"

FOLDER_TEST(names_weights_of_unsupported_formats)
{
    static const struct {
        const char *name, *fault;
    } files[] = {
        { "model.bin", "weights of this format" },
        { "model.ende.intgemm.alphas.bin", "weights of this format" },
        { "other.bin", "weights of this format" },
        { S1, "shards without their index" },
        { "pytorch_model-00002-of-00002.bin", "shards without their index" },
        { "flax_model.msgpack", "Flax weights" },
        { "tf_model.h5", "TensorFlow weights" },
        { "m.gguf", "GGUF weights" },
    };

    for (size_t i = 0; i < COUNT(files); i++) {
        FREED char *path = support_write_text(*state, files[i].name, "x\1");
        FREED char *fault = support_format("@/%s: %s are not supported yet: " EXPECTED, files[i].name, files[i].fault);
        check_fault(*state, ERR_UNSUPPORTED, fault);
        assert_int_equal(unlink(path), 0);
    }
}

FOLDER_TEST(finds_the_model_among_several_files)
{
    free(support_write_text(*state, "lex.50.50.ende.s2t.bin", "x"));
    free(support_write_file(*state, "model.ende.intgemm.bin", "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
    check_fault(*state, ERR_FORMAT, "@/model.ende.intgemm.bin: cut off or corrupt: ends inside its padding");
    free(support_write_text(*state, "training_args.bin", "x"));
    free(support_write_text(*state, "pytorch_model.bin", "x\1"));
    check_fault(*state, ERR_FORMAT, "@/pytorch_model.bin: " NOT_TORCH);
}

/* Makes a folder of files with these names and invalid content: the message shows which one was chosen. */
static void check_choice(const char *folder, const char *const *names, Status status, const char *fault)
{
    for (size_t i = 0; names[i]; i++) free(support_write_text(folder, names[i], "\1"));
    check_fault(folder, status, fault);
    for (size_t i = 0; names[i]; i++) {
        FREED char *path = support_path(folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
}

FOLDER_TEST(prefers_files_in_a_fixed_order)
{
    static const char *const order[] = { "pytorch_model.bin", "model.pt",   "model.pth", "checkpoint.pt",
                                         "checkpoint.pth",    "student.pt", "a.pth",     NULL };

    for (size_t i = 0; order[i]; i++) {
        FREED char *fault = support_format("@/%s: " NOT_TORCH, order[i]);
        check_choice(*state, order + i, ERR_FORMAT, fault);
    }
    check_choice(*state, (const char *const[]){ "b.safetensors", "model.pt", "model.npz", NULL }, ERR_FORMAT,
                 "@/b.safetensors: 1 bytes are too few for a safetensors file");
}

FOLDER_TEST(rejects_ambiguous_weight_files)
{
    check_choice(*state, (const char *const[]){ "epoch_2.pt", "epoch_3.pt", "epoch_1.pt", NULL }, ERR_UNSUPPORTED,
                 "@: both epoch_1.pt and epoch_2.pt may be the weights: rename the right one to model.pt");
    check_choice(*state, (const char *const[]){ "b.safetensors", "a.safetensors", NULL }, ERR_UNSUPPORTED,
                 "@: both a.safetensors and b.safetensors may be the weights: rename the right one to "
                 "model.safetensors");
}

FOLDER_TEST(ignores_files_that_are_not_weights)
{
    check_choice(*state,
                 (const char *const[]){ "optimizer.pt", "scheduler.pt", "src_vocab.pt", "translator.pt", "vocab.pt",
                                        "rng_state.pth", NULL },
                 ERR_FORMAT, "@/translator.pt: " NOT_TORCH);
    check_choice(*state, (const char *const[]){ "optimizer.pt", "vocab.pt", NULL }, ERR_IO, "@: no weights: " EXPECTED);
}

FOLDER_TEST(names_the_expected_files_of_a_folder_without_weights)
{
    FREED char *folder = support_path(*state, "none"), *fault;

    check_fault(*state, ERR_IO, "@: no weights: " EXPECTED);
    free(support_write_text(*state, "config.json", "{}"));
    free(support_write_text(*state, ".hidden.bin", "x"));
    check_fault(*state, ERR_IO, "@: no weights: " EXPECTED);
    fault = support_format("@: %s", strerror(ENOENT));
    check_fault(folder, ERR_IO, fault);
    free(support_write_text(*state, "none", "x"));
    check_fault(folder, ERR_FORMAT, "@ is text, not a model: did the download fail?");
}

TESTS(test_shards);
