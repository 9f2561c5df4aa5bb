/* tools.c - the functions of dragoman_tools.h, and those of dragoman.h that need no Dragoman.
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
#include "dragoman.h"
#include "ensemble.h"
#include "gemm.h"
#include "language.h"
#include "lexicon.h"
#include "loaded_model.h"
#include "mapped_file.h"
#include "option_fields.h"
#include "pack.h"
#include "panels.h"
#include "parallel_text.h"
#include "path.h"
#include "shortlist.h"
#include "translator.h"

const char *dragoman_version(void)
{
    return DRAGOMAN_VERSION;
}

/* Appending nothing still allocates the buffer, so that *out is never NULL on success. */
static Status take_text(char **out, Status st, Buf *text, Err *err)
{
    if (st == OK) buf_put(text, "", 0);
    if (st == OK) st = buf_check(text, err);
    if (st == OK)
        *out = text->data;
    else
        buf_free(text);
    return st;
}

_Static_assert(LANGUAGE_TAG_BYTES == DRAGOMAN_LANGUAGE_TAG, "the length of a tag in dragoman.h");

DragomanStatus dragoman_find_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG], DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(language_tag_shortest(tag, name, &err), &err, (Spelling){ 0 }, error);
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

/* --- The build. */

static void put_build(Buf *out)
{
    char icu[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;
    int highest = CPU_LEVELS - 1;
    const CpuLevel level = cpu_level();

#if defined(__clang__)
    buf_put_format(out, "build: clang %d.%d.%d, %s\n", __clang_major__, __clang_minor__, __clang_patchlevel__,
                   BUILD_TARGET);
#else
    buf_put_format(out, "build: gcc %d.%d.%d, %s\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__, BUILD_TARGET);
#endif

    while (!cpu_has((CpuLevel)highest)) highest--;
    buf_put_format(out, "CPU level: %s", cpu_level_name(level));
    if (level != (CpuLevel)highest)
        buf_put_format(out, ", limited by DRAGOMAN_CPU; this CPU has %s", cpu_level_name((CpuLevel)highest));

    u_getVersion(version);
    u_versionToString(version, icu);
    buf_put_format(out,
                   "\nlibraries: zlib %s, zstd %s, libyaml %s, cJSON %s, ICU %s\n"
                   "libraries at build time: SentencePiece %s, OpenBLAS %s\n",
                   zlibVersion(), ZSTD_versionString(), yaml_get_version_string(), cJSON_Version(), icu,
                   SENTENCEPIECE_VERSION, OPENBLAS_VERSION);
}

DragomanStatus dragoman_describe_build(char **text, DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st;

    *text = NULL;
    put_build(&out);
    st = take_text(text, buf_check(&out, &err), &out, &err);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

/* --- A shortlist, learnt from two text files with parallel lines. */

/* The least number of targets that learning keeps for each source piece. More are kept than written, because they
 * share the probability. */
#define LEAST_KEPT 400

typedef struct {
    const LoadedModel *loaded;
    const DragomanOptions *options;
    ParallelText text;
    Lexicon *lexicon;
} Learning;

static const char *source_piece(const void *context, int32_t id)
{
    return tokenizer_source_piece(context, id);
}

static const char *target_piece(const void *context, int32_t id)
{
    return tokenizer_target_piece(context, id);
}

static size_t size_or(long number, size_t other)
{
    return number >= 0 ? (size_t)number : other;
}

static Status learn(Learning *l, const char *source_path, const char *target_path, bool as_text, Buf *out, Err *err)
{
    const LoadedModel *o = l->loaded;
    const SearchParams *search = &o->settings.search;
    const IdList *source = &l->text.encoding.ids, *target = &l->text.target_ids;
    ShortlistWriting w = { .source_size = o->config.encoder.vocab,
                           .target_size = o->config.decoder.vocab,
                           .first = size_or(l->options->shortlist_first, SHORTLIST_WRITE_FIRST),
                           .best = size_or(l->options->shortlist_best, SHORTLIST_WRITE_BEST),
                           .context = o->tokenizer,
                           .source_piece = source_piece,
                           .target_piece = target_piece };
    const int32_t unknown = tokenizer_facts(o->tokenizer)->target_unknown;
    bool found = true, full = false;
    Status st = lexicon_new(&l->lexicon, w.source_size, w.target_size, err);

    /* Pairs are read until the end of the files, or until the lexicon is full. */
    if (st == OK) st = parallel_text_open(&l->text, o->tokenizer, l->options->pieces_in, source_path, target_path, err);
    while (st == OK && found && !full) {
        st = parallel_text_next(&l->text, &found, err);
        if (st == OK && found)
            st = lexicon_add(l->lexicon, source->data, source->len, target->data, target->len, &full, err);
    }
    if (st == OK && !lexicon_pairs(l->lexicon)) st = parallel_text_is_empty(&l->text, err);
    if (st == OK) st = lexicon_learn(l->lexicon, w.best > LEAST_KEPT ? w.best : LEAST_KEPT, err);

    if (st == OK) st = ids_append_all(&w.always, search->eos.data, search->eos.len, err);
    if (st == OK && unknown >= 0) st = ids_append(&w.always, unknown, err);
    if (st == OK) st = (as_text ? shortlist_write_map : shortlist_write_binary)(out, &w, l->lexicon, err);
    ids_free(&w.always);
    return st;
}

static Status learn_shortlist(const DragomanOptions *options, const char *source_path, const char *target_path,
                              bool as_text, Buf *out, Err *err)
{
    LoadedModel loaded = { 0 };
    Learning l = { .loaded = &loaded, .options = options };
    Status st = loaded_model_read_head(&loaded, options, err);

    if (st == OK) st = loaded_model_check_languages(&loaded, options, err);
    if (st == OK) st = learn(&l, source_path, target_path, as_text, out, err);
    parallel_text_close(&l.text);
    lexicon_free(l.lexicon);
    loaded_model_close(&loaded);
    return st;
}

DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                        const char *target_path, bool as_text, char **list, size_t *length,
                                        DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    Status st = learn_shortlist(options, source_path, target_path, as_text, &out, &err);

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

/* --- Packing a model and verifying it. */

/* Everything but the weights is opened first, so that only a usable model is packed. The calibration that is about
 * to be packed must belong to the model, which only a model with weights can tell. */
static Status pack(const DragomanOptions *options, int fd, const char *name, Buf *warnings, Err *err)
{
    static const PackType types[] = { [DRAGOMAN_AUTO] = PACK_AS_STORED,
                                      [DRAGOMAN_F32] = PACK_F32,
                                      [DRAGOMAN_BF16] = PACK_BF16,
                                      [DRAGOMAN_INT8] = PACK_INT8 };
    DragomanOptions own = option_fields_default();
    LoadedModel loaded = { 0 }, weighted = { 0 };
    Status st;

    own.model = options->model;
    own.find_model = options->find_model;
    own.calibration = options->calibration;
    st = loaded_model_read_head(&loaded, &own, err);
    if (st == OK && loaded.paths[path_first(loaded.paths)])
        st = err_set(
            err, ERR_USAGE,
            "%s: an ensemble cannot be packed; pack each of its models and name the packed files in the ensemble",
            own.model);
    if (st == OK && loaded.calibration.path) {
        st = loaded_model_read_head(&weighted, &own, err);
        if (st == OK) st = loaded_model_read_weights(&weighted, err);
        if (st == OK) st = loaded_calibration_check(&weighted.calibration, weighted.model, weighted.tokenizer, err);
        loaded_model_close(&weighted);
    }
    if (st == OK)
        st = model_pack(loaded.files, types[options->precision], options->calibration, fd, name, warnings, err);
    loaded_model_close(&loaded);
    return st;
}

DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                             DragomanError *error)
{
    Buf out = { 0 };
    Err err = { "" };
    char *text = NULL;
    Status st = pack(options, fd, name, &out, &err);

    st = take_text(&text, st, &out, &err);
    if (warnings)
        *warnings = text;
    else
        free(text);
    return option_fields_answer(st, &err, options->spelling, error);
}

static Status verify(const DragomanOptions *options, size_t *tensors, Err *err)
{
    char *path;
    Status st = option_fields_check_model(options, err);

    if (st != OK) return st;
    if (ensemble_is(options))
        return err_set(err, ERR_USAGE, "%s: an ensemble cannot be verified; verify each of its models", options->model);
    st = ensemble_model_path(&path, options, err);
    if (st == OK) st = model_verify(path, tensors, err);
    free(path);
    return st;
}

DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    *tensors = 0;
    for (size_t i = 0; st == OK && i < option_fields_model_count(options); i++) {
        size_t count = 0;
        const DragomanOptions one = option_fields_of_model(options, i);
        st = verify(&one, &count, &err);
        *tensors += count;
    }
    return option_fields_answer(st, &err, options->spelling, error);
}

/* --- Files and traces. */

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
