/* fuzz_model.c - fuzzes whole models with libFuzzer: one file of a small model is replaced, the model is opened, and a
 * sentence is translated.
 * Files    The name of the program ends with the kind of files that are replaced, which is a row of `kinds`: make links
 *          fuzz_model_config, fuzz_model_weights ... to this program. The models are those of tests/golden.
 * Input    The first byte chooses the model and the file of this kind, the rest is its new content. For the kind
 *          packed, the rest is a packed model, whose checksums are made right.
 * Checks   The message for a rejected model or sentence is one line. That of a damaged file begins with the path of the
 *          model. A translation is valid UTF-8 on one line, and its score is finite.
 * Options  -max_len=80000 -timeout=30 -dict=tests/fuzz/config.dict */
#define _GNU_SOURCE /* realpath(), memmem() */
#include "fuzz_folder.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "dragoman.h"
#include "fuzz_checksums.h"
#include "utf8.h"

#define MAX_ROWS 24
#define SENTENCE "a b  the ab"

static const struct {
    const char *name;
    const char *files[MAX_ROWS][2]; /* the folder below tests/golden, and the file in it; "": a packed model */
} kinds[] = {
    { "config",
      { { "families/t5-relu", "config.json" },
        { "families/t5-relu", "generation_config.json" },
        { "families/umt5-gated-gelu", "config.json" },
        { "families/bart-gelu", "config.json" },
        { "families/mbart50-gelu", "config.json" },
        { "families/m2m100-relu", "config.json" },
        { "families/small100-relu", "config.json" },
        { "families/nllb-relu-all-languages", "config.json" },
        { "marian/linear-f16-separate", "config.json" },
        { "marian/mish-languages", "generation_config.json" },
        { "transformers/q-linear-no-bias", "config.json" },
        { "transformers/mapped-names", "config.json" },
        { "transformers/score-10", "config.json" },
        { "transformers/nn-transformer-norm-first", "config.json" },
        { "ctranslate2/opennmt-int8-bf16", "config.json" },
        { "marian_nmt/student_shared", "decoder.yml" },
        { "marian_nmt/rms_post", "decoder.yml" } } },
    { "vocabulary",
      { { "ctranslate2/opennmt-int8-bf16", "source_vocabulary.json" },
        { "ctranslate2/opennmt-int8-bf16", "target_vocabulary.json" },
        { "ctranslate2/opennmt-v1", "source_vocabulary.txt" },
        { "ctranslate2/m2m100-f16", "shared_vocabulary.json" },
        { "ctranslate2/t5-gated-int8-f16", "shared_vocabulary.json" },
        { "marian_nmt/student_shared", "vocab.yml" },
        { "marian/linear-f16-separate", "vocab.json" },
        { "families/m2m100-relu", "vocab.json" },
        { "transformers/q-linear-no-bias", "source_vocab.txt" },
        { "transformers/q-linear-no-bias", "target_vocab.txt" },
        { "families/t5-relu", "added_tokens.json" },
        { "families/t5-relu", "tokenizer_config.json" },
        { "families/nllb-relu-all-languages", "tokenizer_config.json" } } },
    { "weights",
      { { "transformers/q-linear-no-bias", "model.safetensors" },
        { "families/m2m100-swish-f16-sharded", "model.safetensors.index.json" },
        { "families/t5v11-gated-silu-f16-bin", "pytorch_model.bin" },
        { "marian_nmt/student_shared", "model.bin" },
        { "marian_nmt/rms_post", "model.npz" },
        { "ctranslate2/opennmt-int8-bf16", "model.bin" } } },
    { "packed", { { "", "model.safetensors" } } },
};

static const char *const (*rows)[2]; /* [row_count] */
static size_t row_count;

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *kind = strrchr((*argv)[0], '_');

    (void)argc;
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind + 1) == 0) rows = kinds[i].files;
    if (!rows) {
        fprintf(stderr, "%s: the name of the program must end with _ and a kind of files\n", (*argv)[0]);
        exit(1);
    }
    while (row_count < MAX_ROWS && rows[row_count][0]) row_count++;
    return 0;
}

/* Makes a folder with links to the files of a model. */
static char *make_folder(const char *model)
{
    char *root = realpath(GOLDEN_ROOT, NULL), *source = fuzz_folder_path(root ? root : "", model);
    char *folder = fuzz_folder_new();
    DIR *entries = *model ? opendir(source) : NULL;

    require(entries || !*model, "a folder of tests/golden", source);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char *target = fuzz_folder_path(source, entry->d_name), *link = fuzz_folder_path(folder, entry->d_name);
        if (*entry->d_name != '.') require(symlink(target, link) == 0, "a link", link);
        free(target);
        free(link);
    }
    if (entries) closedir(entries);
    free(source);
    free(root);
    return folder;
}

static void check_message(const DragomanError *error, const char *folder)
{
    Err err;

    (void)snprintf(err.text, sizeof err.text, "%s", error->message);
    require(*err.text && !strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    if (error->status == DRAGOMAN_ERROR_FORMAT) fuzz_folder_require_message(&err, folder);
}

static void check_line(const DragomanLine *line)
{
    size_t length;
    const char *text = dragoman_line_translation(line, 0, &length);

    if (!text) return;
    require(!memchr(text, '\n', length) && utf8_clean_length(text, length) == length, "one line of UTF-8", text);
    require(isfinite(dragoman_line_score(line, 0)), "a finite score", text);
}

static void translate(Dragoman *dragoman, const char *folder)
{
    const DragomanLine *line = NULL;
    DragomanError error;

    if (dragoman_submit_text(dragoman, SENTENCE, sizeof SENTENCE - 1, 0, &error) != DRAGOMAN_OK) {
        check_message(&error, folder);
    } else {
        dragoman_finish(dragoman);
        if (dragoman_next(dragoman, &line, &error) != DRAGOMAN_OK)
            require(!strpbrk(error.message, "\n\r\x1b"), "one line", error.message);
        else if (line)
            check_line(line);
    }
}

/* Some models need languages, which the others reject, or read pieces only. */
static DragomanStatus open_model(Dragoman **out, const char *folder, DragomanError *error)
{
    static const struct {
        const char *from, *to;
        bool pieces;
    } ways[] = { { NULL, NULL, false }, { "en", "de", false }, { NULL, "de", false }, { NULL, NULL, true } };
    DragomanStatus status = DRAGOMAN_ERROR_USAGE;

    *out = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (status != DRAGOMAN_ERROR_USAGE && status != DRAGOMAN_ERROR_IO) break;
        DragomanOptions *options = dragoman_options_new();
        require(options != NULL, "memory", "options");
        require(dragoman_set_text(options, DRAGOMAN_MODEL, folder, error) == DRAGOMAN_OK &&
                    dragoman_set_text(options, DRAGOMAN_FROM, ways[i].from, error) == DRAGOMAN_OK &&
                    dragoman_set_text(options, DRAGOMAN_TO, ways[i].to, error) == DRAGOMAN_OK &&
                    dragoman_set_flag(options, DRAGOMAN_PIECES_IN, ways[i].pieces, error) == DRAGOMAN_OK &&
                    dragoman_set_flag(options, DRAGOMAN_PIECES_OUT, ways[i].pieces, error) == DRAGOMAN_OK &&
                    dragoman_set_number(options, DRAGOMAN_MAX_LENGTH, 4, error) == DRAGOMAN_OK &&
                    dragoman_set_number(options, DRAGOMAN_THREADS, 1, error) == DRAGOMAN_OK,
                "settings", error->message);
        status = dragoman_open(out, options, error);
        dragoman_options_free(options);
    }
    return status;
}

/* Writes the file and returns the path of the model, which the caller frees. */
static char *write_model(size_t row, const uint8_t *data, size_t size)
{
    static char *folders[MAX_ROWS];
    const bool is_packed = !*rows[row][0];
    unsigned char *bytes = fuzz_copy(data, size);

    if (!folders[row]) folders[row] = make_folder(rows[row][0]);
    if (is_packed) fuzz_checksums_mend(bytes, size);
    fuzz_folder_write(folders[row], rows[row][1], bytes, size);
    free(bytes);
    return is_packed ? fuzz_folder_path(folders[row], rows[row][1]) : strdup(folders[row]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t row = fuzz_take(&data, &size) % row_count;
    char *path = write_model(row, data, size);
    Dragoman *dragoman;
    DragomanError error;

    require(path != NULL, "memory", "a path");
    if (open_model(&dragoman, path, &error) == DRAGOMAN_OK)
        translate(dragoman, path);
    else
        check_message(&error, path);
    dragoman_close(dragoman);
    free(path);
    return 0;
}
