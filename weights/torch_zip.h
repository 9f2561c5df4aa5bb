/* torch_zip.h - the zip archives that torch.save() writes since PyTorch 1.6,
 * and numpy.savez().
 * Entries are stored as they are; their bytes are views of the mapped file. */
#ifndef DRAGOMAN_TORCH_ZIP_H
#define DRAGOMAN_TORCH_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collection.h"
#include "err.h"
#include "str_map.h"

typedef struct {
    size_t record; /* where its record in the directory begins */
    uint64_t size, packed_size, offset;
} ZipEntry;

/* Starts as {0}, ends with torch_zip_close(). */
typedef struct {
    const WeightFile *file;
    const char *advice;              /* what helps against compressed entries; NULL: that of torch.save() */
    size_t directory, directory_end; /* entries lie before it */
    ZipEntry *entries;
    size_t count;
    StrMap *names; /* name -> index of the entry */
} TorchZip;

/* Reads the directory of the archive. */
MUST_USE Status torch_zip_open(TorchZip *zip, const WeightFile *file, Err *err);
void torch_zip_close(TorchZip *zip);

/* The name of an entry, *size bytes without a NUL. */
const char *torch_zip_name(const TorchZip *zip, size_t index, size_t *size);

/* *data are the bytes of the entry `name`, NULL when there is none. */
MUST_USE Status torch_zip_find(const TorchZip *zip, const char *name, size_t name_size, const unsigned char **data,
                               size_t *size, Err *err);

#endif
