/* ct2_file.h - the model.bin of a CTranslate2 folder: named variables.
 * Every number of the file is checked when it is opened; values are views of
 * the mapped file. Binary versions 1 to 6; specifications of encoder-decoder
 * Transformers up to revision 7. */
#ifndef DRAGOMAN_CT2_FILE_H
#define DRAGOMAN_CT2_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "str_map.h"

#define CT2_FILE     "model.bin"
#define CT2_MAX_RANK 4

/* In the order of the file's own numbers for them. */
typedef enum { CT2_F32, CT2_S8, CT2_S16, CT2_S32, CT2_F16, CT2_BF16, CT2_TYPES } Ct2Type;

typedef struct {
    const char *name; /* the file's, or of today where a revision called it differently */
    Ct2Type type;
    size_t rank; /* 0: one number */
    size_t shape[CT2_MAX_RANK];
    size_t count, bytes;
    const unsigned char *data; /* unaligned, little-endian; an alias has that of its original */
} Ct2Variable;

typedef struct {
    const char *path;
    const MappedFile *map;
    unsigned version, revision;
    const char *spec; /* of the file's text: "TransformerSpec"; "" before version 2 */
    Ct2Variable *variables;
    size_t count, cap;
    StrMap *names;
    Arena *arena; /* names that the file does not have */
} Ct2File;

/* Whether the file begins as CTranslate2's do. */
bool ct2_file_is(const MappedFile *map);

/* Reads the mapped file; `path` is for messages, and both must outlive *out,
 * which is ended with ct2_file_close() in every case. */
MUST_USE Status ct2_file_read(Ct2File *out, const MappedFile *map, const char *path, Err *err);
void ct2_file_close(Ct2File *file); /* {0} is allowed */

/* NULL when there is no such variable. */
const Ct2Variable *ct2_file_find(const Ct2File *file, const char *name);

/* The one number of a variable; *out stays as it is where there is none.
 * ERR_FORMAT when it has more than one or is not finite. */
MUST_USE Status ct2_file_number(const Ct2File *file, const char *name, double *out, Err *err);

/* The name of a type as safetensors spells it, and its bytes. */
const char *ct2_file_type_name(Ct2Type type);
size_t ct2_file_type_bytes(Ct2Type type);

#endif
