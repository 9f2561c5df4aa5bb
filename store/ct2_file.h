/* ct2_file.h - the model.bin of a CTranslate2 folder: named variables. Opening checks every number of the file; values
 * are views of the mapped file. Supports binary versions 1 to 6 and specifications of encoder-decoder Transformers up
 * to revision 7. */
#ifndef DRAGOMAN_CT2_FILE_H
#define DRAGOMAN_CT2_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "str_map.h"

#define CT2_FILE     "model.bin"
#define CT2_MAX_RANK 4

/* The values of these constants are the codes of the types in the file. */
typedef enum { CT2_F32, CT2_S8, CT2_S16, CT2_S32, CT2_F16, CT2_BF16, CT2_TYPES } Ct2Type;

typedef struct {
    const char *name; /* name in the file; a name of revision 1 is converted to the current one */
    Ct2Type type;
    size_t rank; /* 0: a single number */
    size_t shape[CT2_MAX_RANK];
    size_t count, bytes;
    const unsigned char *data; /* unaligned, little-endian; an alias has the same address */
} Ct2Variable;

typedef struct {
    const char *path;
    const MappedFile *map;
    unsigned version, revision;
    const char *spec; /* the specification: "TransformerSpec"; "" before version 2 */
    Ct2Variable *variables;
    size_t count, cap;
    StrMap *names;
    Arena *arena; /* converted names, which are not in the file */
} Ct2File;

/* Returns whether the file looks like a model.bin of CTranslate2. */
bool ct2_file_is(const MappedFile *map);

/* Reads the mapped file; `path` is for messages. Both must outlive *out. Always close it with ct2_file_close(). */
MUST_USE Status ct2_file_read(Ct2File *out, const MappedFile *map, const char *path, Err *err);
void ct2_file_close(Ct2File *file); /* {0} is allowed */

/* Returns the variable with this name, or NULL. */
const Ct2Variable *ct2_file_find(const Ct2File *file, const char *name);

/* Reads a variable with a single number; *out is unchanged if there is no such variable. ERR_FORMAT: it has more than
 * one number, or the number is not finite. */
MUST_USE Status ct2_file_number(const Ct2File *file, const char *name, double *out, Err *err);

/* The name of a type in safetensors. */
const char *ct2_file_type_name(Ct2Type type);

#endif
