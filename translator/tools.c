/* tools.c - functions of dragoman_tools.h, and the functions of dragoman.h that need no Dragoman.
 *
 * The description of the build names no date and no path, so that builds are reproducible. The Makefile defines
 * BUILD_TARGET, SENTENCEPIECE_VERSION and OPENBLAS_VERSION: neither of these two libraries says its version at run time
 * without being loaded. */
#include <stdlib.h>

#include <cJSON.h>
#include <unicode/uversion.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "cpu.h"
#include "dragoman_tools.h"
#include "gemm.h"
#include "language.h"
#include "loaded_model.h"
#include "mapped_file.h"
#include "option_fields.h"
#include "pack.h"
#include "panels.h"
#include "path.h"

const char *dragoman_version(void)
{
    return DRAGOMAN_VERSION;
}

_Static_assert(LANGUAGE_TAG_BYTES == DRAGOMAN_LANGUAGE_TAG, "the length of a tag in dragoman.h");

DragomanStatus dragoman_find_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(language_tag_shortest(tag, name, &err), &err, (Spelling){ 0 }, error);
}

_Static_assert(LANGUAGE_NAME_BYTES == DRAGOMAN_LANGUAGE_NAME, "the length of a name in dragoman.h");

DragomanStatus dragoman_find_language_name(const char *tag, char name[DRAGOMAN_LANGUAGE_NAME], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(language_tag_name(name, tag, &err), &err, (Spelling){ 0 }, error);
}

void dragoman_free_text(char *text)
{
    free(text);
}

DragomanStatus dragoman_describe(const DragomanOptions *options, char **text, DragomanError *error)
{
    Pipeline pipeline;
    Buf out = { 0 };
    Err err = { "" };
    Status st = pipeline_open(&pipeline, options, false, &err);

    for (size_t i = 0; st == OK && i < pipeline.count; i++) {
        if (i) buf_put_byte(&out, '\n');
        st = loaded_model_describe(&pipeline.models[i], &out, &err);
    }
    pipeline_close(&pipeline);
    return option_fields_answer_text(text, st, &out, &err, options->spelling, error);
}

DragomanStatus dragoman_model_json(const DragomanOptions *options, const char *name, char **text, DragomanError *error)
{
    ModelFolder *folder = NULL;
    JsonObject json = { 0 };
    char *path = NULL;
    Err err = { "" };
    Status st = option_fields_check_model(options, &err);

    *text = NULL;
    if (st == OK && !ensemble_is(options)) st = ensemble_model_path(&path, options, &err);
    if (path) st = model_folder_open(&folder, path, &err);
    if (st == OK && folder) st = model_folder_json(folder, name, &json, &err);
    if (st == OK && json.node && !(*text = cJSON_PrintUnformatted(json.node))) st = err_memory(&err, name);
    model_folder_close(folder);
    free(path);
    return option_fields_answer(st, &err, options ? options->spelling : (Spelling){ 0 }, error);
}

/* --- The build. */

DragomanStatus dragoman_describe_build(char **text, DragomanError *error)
{
    char icu[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;
    CpuLevel highest = (CpuLevel)(CPU_LEVELS - 1);
    Buf out = { 0 };
    Err err = { "" };

#if defined(__clang__)
    buf_put_format(&out, "build: clang %d.%d.%d, %s\n", __clang_major__, __clang_minor__, __clang_patchlevel__,
                   BUILD_TARGET);
#else
    buf_put_format(&out, "build: gcc %d.%d.%d, %s\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__, BUILD_TARGET);
#endif

    while (!cpu_has(highest)) highest--;
    buf_put_format(&out, "CPU level: %s", cpu_level_name(cpu_level()));
    if (cpu_level() != highest)
        buf_put_format(&out, ", limited by DRAGOMAN_CPU; this CPU has %s", cpu_level_name(highest));

    u_getVersion(version);
    u_versionToString(version, icu);
    buf_put_format(&out,
                   "\nlibraries: zlib %s, zstd %s, libyaml %s, cJSON %s, ICU %s\n"
                   "libraries at build time: SentencePiece %s, OpenBLAS %s\n",
                   zlibVersion(), ZSTD_versionString(), yaml_get_version_string(), cJSON_Version(), icu,
                   SENTENCEPIECE_VERSION, OPENBLAS_VERSION);
    return option_fields_answer_text(text, buf_check(&out, &err), &out, &err, (Spelling){ 0 }, error);
}

/* --- Packing a model and verifying it. */

/* Prints the config.json of the model with its prompt, since a packed model may have another name than the one by which
 * the prompt was found. */
static Status print_config(char **out, const LoadedModel *loaded, Err *err)
{
    JsonObject json;
    cJSON *config = NULL;
    Status st = model_folder_require_json(loaded->files, "config.json", &json, err);

    if (st != OK) return st;
    config = cJSON_Duplicate(json.node, true);
    st = tokenizer_put_prompt(loaded->tokenizer, config, err);
    *out = st == OK ? json_print(config) : NULL;
    cJSON_Delete(config);
    return st == OK && !*out ? err_memory(err, "a configuration") : st;
}

/* Everything but the weights is opened first, so that only a usable model is packed. The calibration that is about to
 * be packed must belong to the model; this can only be checked with the weights. */
DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                             DragomanError *error)
{
    DragomanOptions own = option_fields_default();
    LoadedModel loaded = { 0 }, weighted = { 0 };
    DragomanStatus answered;
    Buf out = { 0 };
    Err err = { "" };
    char *text, *config = NULL;
    Status st;

    own.model = options->model;
    own.find_model = options->find_model;
    own.calibration = options->calibration;
    own.prompt = options->prompt;
    own.precision = options->precision;
    st = loaded_model_read_head(&loaded, &own, &err);
    own.precision = DRAGOMAN_AUTO;
    if (st == OK && loaded.ensemble.count > 1)
        st = err_set(
            &err, ERR_USAGE,
            "%s: an ensemble cannot be packed; pack each of its models and name the packed files in the ensemble",
            own.model);
    if (st == OK && loaded.calibration_path) {
        st = loaded_model_read_head(&weighted, &own, &err);
        if (st == OK) st = loaded_model_read_weights(&weighted, &err);
        if (st == OK) st = loaded_model_check_calibration(&weighted, &err);
        loaded_model_close(&weighted);
    }
    if (st == OK && tokenizer_facts(loaded.tokenizer)->prompts) st = print_config(&config, &loaded, &err);
    if (st == OK) st = model_pack(loaded.files, loaded.precision, options->calibration, config, fd, name, &out, &err);
    cJSON_free(config);
    loaded_model_close(&loaded);
    answered = option_fields_answer_text(&text, st, &out, &err, options->spelling, error);
    if (warnings)
        *warnings = text;
    else
        free(text);
    return answered;
}

DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    *tensors = 0;
    for (size_t i = 0; st == OK && i < option_fields_model_count(options); i++) {
        const DragomanOptions one = option_fields_of_model(options, i);
        size_t count = 0;
        char *path = NULL;
        st = option_fields_check_model(&one, &err);
        if (st == OK && ensemble_is(&one))
            st = err_set(&err, ERR_USAGE, "%s: an ensemble cannot be verified; verify each of its models", one.model);
        if (st == OK) st = ensemble_model_path(&path, &one, &err);
        if (st == OK) st = model_verify(path, &count, &err);
        free(path);
        *tensors += count;
    }
    return option_fields_answer(st, &err, options->spelling, error);
}

/* --- The process. */

DragomanStatus dragoman_check_cpu(DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(cpu_check_wanted(&err), &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_load_libraries(DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(panels_get() ? OK : gemm_open(&err), &err, (Spelling){ 0 }, error);
}

const char *dragoman_mapped_file(const void *address)
{
    return mapped_file_find(address);
}
