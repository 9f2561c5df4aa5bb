/* model_kind.h - kinds of models and formats of weights. */
#ifndef DRAGOMAN_MODEL_KIND_H
#define DRAGOMAN_MODEL_KIND_H

typedef enum { MODEL_HUGGING_FACE, MODEL_CTRANSLATE2, MODEL_MARIAN } ModelKind;

typedef enum {
    WEIGHTS_UNKNOWN, /* not determined yet */
    WEIGHTS_MISSING,
    WEIGHTS_FOREIGN, /* an unsupported format, named by `kind` */
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
    const char *kind; /* for WEIGHTS_FOREIGN */
    char *path;       /* NULL: WEIGHTS_MISSING */
} WeightsFile;

#endif
