/* tools.c - the functions of dragoman_tools.h, and those of dragoman.h that need no Dragoman. They call those of
 * translator.h and convert their texts and errors. */
#include <stdlib.h>

#include "cpu.h"
#include "dragoman.h"
#include "gemm.h"
#include "mapped_file.h"
#include "option_fields.h"
#include "panels.h"
#include "translator.h"

const char *dragoman_version(void)
{
    return DRAGOMAN_VERSION;
}

/* Appending nothing still allocates the buffer, so that *out is never NULL on success. */
static Status take_text(char **out, Status st, Buf *text, Err *err)
{
    if (st == OK) st = buf_append(text, "", 0, err);
    if (st == OK)
        *out = text->data;
    else
        buf_free(text);
    return st;
}

DragomanStatus dragoman_find_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(translator_language_tag(name, tag, &err), &err, (Spelling){ 0 }, error);
}

void dragoman_free_text(char *text)
{
    free(text);
}

DragomanStatus dragoman_describe(const DragomanOptions *options, char **text, DragomanError *error)
{
    DragomanOptions *models;
    Buf out = { 0 };
    Err err = { "" };
    size_t count;
    Status st = translator_divide(&models, &count, options, &err);

    *text = NULL;
    if (st == OK) st = translator_describe(models, count, &out, &err);
    st = take_text(text, st, &out, &err);
    free(models);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_languages(const DragomanOptions *options, char **text, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_languages(options, &out, &err);

    *text = NULL;
    st = take_text(text, st, &out, &err);
    return option_fields_answer(st, &err, options ? options->spelling : (Spelling){ 0 }, error);
}

DragomanStatus dragoman_describe_build(char **text, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_describe_build(&out, &err);

    *text = NULL;
    st = take_text(text, st, &out, &err);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                        const char *target_path, bool as_text, char **list, size_t *length,
                                        DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_learn_shortlist(options, source_path, target_path, as_text, &out, &err);

    *list = NULL;
    st = take_text(list, st, &out, &err);
    *length = out.len;
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_calibrate(const DragomanOptions *options, const char *source_path, const char *target_path,
                                  char **calibration, size_t *length, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = translator_calibrate(options, source_path, target_path, &out, &err);

    *calibration = NULL;
    st = take_text(calibration, st, &out, &err);
    *length = st == OK ? out.len : 0;
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                             DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    char *text = NULL;
    Status st = translator_pack(options, fd, name, &out, &err);

    st = take_text(&text, st, &out, &err);
    if (warnings)
        *warnings = text;
    else
        free(text);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_trace(const DragomanOptions *options, const char *text, size_t length, const char *forced,
                              char **json, char **warnings, DragomanError *error)
{
    Buf out = { 0 }, about = { 0 };
    Err err = { "" };
    Status st = translator_trace(options, text, length, forced, &out, &about, &err);

    *json = *warnings = NULL;
    st = take_text(json, st, &out, &err);
    st = take_text(warnings, st, &about, &err);
    if (st != OK) {
        free(*json);
        *json = NULL;
    }
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_reads(const DragomanOptions *options, size_t model, bool packing, const DragomanFile *files,
                              size_t count, size_t *index, DragomanError *error)
{
    const DragomanOptions one = option_fields_of_model(options, model);
    Err err = { "" };

    return option_fields_answer(translator_reads(&one, packing, files, count, index, &err), &err, options->spelling,
                                error);
}

DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    *tensors = 0;
    for (size_t i = 0; st == OK && i < option_fields_model_count(options); i++) {
        size_t count = 0;
        const DragomanOptions one = option_fields_of_model(options, i);
        st = translator_verify(&one, &count, &err);
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
