/* identity.c - the functions of dragoman_memory.h.
 * The hash of a folder is the sum of the hashes of its files, because the order of a listing is arbitrary. Files that
 * the settings name, such as the vocabularies of the source and of the target, are numbered. Each model of an ensemble
 * has its own sum: the order determines which weight each one has, and whose settings are used. */
#include "dragoman_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "ensemble.h"
#include "hash64.h"
#include "mapped_file.h"
#include "model_files.h"
#include "packed_file.h"
#include "path.h"
#include "public_parts.h"

#define LENGTH_BYTES 8 /* before the header of a packed model */

typedef struct {
    Hash64 *hash; /* of all models */
    uint64_t sum; /* of the files of one model */
    size_t named; /* the number of the next file that the settings name, from 1; 0: they do not name it */
    Status st;
    Err *err;
} FileSum;

/* The bytes of a file that identify it: those of a packed model have checksums in its header. */
static size_t identifying_bytes(const MappedFile *file)
{
    ByteReader reader = { .data = file->data, .size = file->size };
    uint64_t header;

    if (!packed_file_is(file) || !bytes_take_number(&reader, LENGTH_BYTES, &header)) return file->size;
    return header < bytes_left(&reader) ? LENGTH_BYTES + (size_t)header : file->size;
}

static void add_content(FileSum *sum, const MappedFile *file, const char *name)
{
    const size_t bytes = identifying_bytes(file);
    Hash64 hash = hash64_begin();

    if (bytes == file->size) hash64_add(&hash, name, strlen(name) + 1); /* a packed model may have any name */
    hash64_add_number(&hash, file->size);
    if (sum->named) hash64_add_number(&hash, sum->named++);
    if (bytes) hash64_add(&hash, file->data, bytes);
    sum->sum += hash64_end(&hash);
}

static bool add_file(void *context, const char *path)
{
    FileSum *sum = context;
    struct stat info;
    MappedFile file;
    int fault;

    if (stat(path, &info) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) sum->st = path_fault_report(path, errno, sum->err);
        return sum->st != OK;
    }
    if (!S_ISREG(info.st_mode)) return false;
    sum->st = mapped_file_open(&file, path, &fault, sum->err);
    if (sum->st != OK) return true;
    add_content(sum, &file, path_name(path));
    mapped_file_close(&file);
    return false;
}

static void begin_named(void *context)
{
    ((FileSum *)context)->named = 1;
}

static void end_model(void *context)
{
    FileSum *sum = context;

    hash64_add_number(sum->hash, sum->sum);
    sum->sum = 0;
    sum->named = 0;
}

static void add_text(Hash64 *hash, const char *text)
{
    hash64_add_number(hash, text ? 1 : 0);
    if (text) hash64_add(hash, text, strlen(text) + 1);
}

static void add_real(Hash64 *hash, OptionalReal real)
{
    uint32_t bits;

    memcpy(&bits, &real.value, sizeof bits);
    hash64_add_number(hash, real.given);
    hash64_add_number(hash, real.given ? bits : 0);
}

/* Whether all models are packed files, which keep their precision if another one is only preferred. */
static Status have_own_precision(bool *out, const DragomanOptions *o, Err *err)
{
    Status st = OK;

    *out = o->prefer_precision && o->model;
    for (const char *at = o->model; *out && at; at = *at ? at + 1 : NULL) {
        char *path;
        st = ensemble_first_path(&path, at, err);
        if (st != OK) return st;
        *out = packed_file_is_at(path);
        at += strlen(path);
        free(path);
    }
    return st;
}

/* Leaves out what the files determine, and what changes no translation. */
static Status add_settings(Hash64 *hash, const DragomanOptions *o, Err *err)
{
    bool own_precision;
    const Status st = have_own_precision(&own_precision, o, err);
    const long numbers[] = { o->shortlist_first,
                             o->shortlist_best,
                             own_precision ? DRAGOMAN_AUTO : (long)o->precision,
                             (long)o->split,
                             (long)o->capitals,
                             (long)o->keep_unknown,
                             (long)o->keep_numbers,
                             o->min_length,
                             (long)o->max_length,
                             o->no_repeat_ngram,
                             (long)o->max_input,
                             (long)o->beams,
                             o->pieces_in,
                             o->pieces_out,
                             o->allow_unk,
                             o->rescue,
                             o->from_lines,
                             o->shortlist != NULL,
                             o->calibration != NULL,
                             (long)o->sampling,
                             o->top_k,
                             (long)o->seed,
                             (long)o->alternatives,
                             o->disable_unk,
                             o->replace_unknowns,
                             o->crop };

    add_text(hash, o->weights);
    add_text(hash, o->from);
    add_text(hash, o->via);
    add_text(hash, o->to);
    add_text(hash, o->prefix);
    for (size_t i = 0; i < o->suppressed.count; i++) add_text(hash, o->suppressed.items[i]);
    for (size_t i = 0; i < o->end_tokens.count; i++) add_text(hash, o->end_tokens.items[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash64_add_number(hash, (uint64_t)numbers[i]);
    add_real(hash, o->length_penalty);
    add_real(hash, o->repetition_penalty);
    add_real(hash, o->word_penalty);
    add_real(hash, o->length_factor);
    add_real(hash, o->temperature);
    add_real(hash, o->top_p);
    add_real(hash, o->min_p);
    add_real(hash, o->alternative_probability);
    add_real(hash, o->prefix_bias);
    add_real(hash, o->coverage_penalty);
    add_real(hash, o->patience);
    if (o->n_best > 1)
        hash64_add_number(hash, o->n_best); /* the first is the best of several, which matters when sampling */
    return st;
}

static Status add_model(Hash64 *hash, const DragomanOptions *options, Err *err)
{
    FileSum sum = { .hash = hash, .err = err };
    const FileVisitor visitor = {
        .context = &sum, .visit = add_file, .begin_named = begin_named, .end_model = end_model
    };
    Status st = add_settings(hash, options, err);

    if (st != OK) return st;
    st = model_files_visit(&visitor, options, err);
    return st == OK ? sum.st : st;
}

DragomanStatus dragoman_identify(DragomanOptions *const *models, size_t count, uint64_t *identity, DragomanError *error)
{
    Hash64 hash = hash64_begin();
    Err err = { "" };
    Status st = OK;

    add_text(&hash, DRAGOMAN_VERSION);
    for (size_t i = 0; st == OK && i < count; i++) st = add_model(&hash, models[i], &err);
    *identity = hash64_end(&hash);
    return option_fields_answer(st, &err, count ? models[0]->spelling : (Spelling){ 0 }, error);
}
