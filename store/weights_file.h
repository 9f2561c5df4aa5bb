/* weights_file.h - which of a folder's files holds the weights, and in which format. */
#ifndef DRAGOMAN_WEIGHTS_FILE_H
#define DRAGOMAN_WEIGHTS_FILE_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

typedef struct ModelFolder ModelFolder; /* model_folder.h */

typedef enum {
    WEIGHTS_UNKNOWN, /* nobody has looked yet */
    WEIGHTS_MISSING,
    WEIGHTS_FOREIGN, /* of a kind that is not read: `kind` names it */
    WEIGHTS_PACKED,
    WEIGHTS_SAFETENSORS,
    WEIGHTS_SAFETENSORS_SHARDS,
    WEIGHTS_TORCH,
    WEIGHTS_TORCH_SHARDS,
    WEIGHTS_CTRANSLATE2,
    WEIGHTS_MARIAN_NPZ,
    WEIGHTS_MARIAN_BIN,
    WEIGHTS_FORMATS
} WeightsFormat;

typedef struct {
    WeightsFormat format;
    const char *kind; /* of WEIGHTS_FOREIGN */
    char *path;       /* NULL: WEIGHTS_MISSING */
} WeightsFile;

/* Of a packed model, an archive and Marian's one file it is that file. In a folder it is the first of these: model.safetensors,
 * pytorch_model.bin, or the index of one in shards; a model.bin of CTranslate2's; else the one *.safetensors, *.pt,
 * *.pth, *.bin or *.npz file that there is. ERR_UNSUPPORTED where there are several of these. out->path is the
 * caller's: free(). */
MUST_USE Status weights_file_find(WeightsFile *out, ModelFolder *folder, Err *err);

bool weights_file_is_marian(const WeightsFile *file);

/* Whether the bytes begin as torch.save() did before PyTorch 1.6, and as Marian's binary files do. */
bool weights_file_begins_as_legacy_torch(const MappedFile *map);
bool weights_file_begins_as_marian(const MappedFile *map);

#endif
