/* model_kind.h - the kinds of models, and the formats of their weights. */
#ifndef DRAGOMAN_MODEL_KIND_H
#define DRAGOMAN_MODEL_KIND_H

typedef enum { MODEL_HUGGING_FACE, MODEL_CTRANSLATE2, MODEL_MARIAN } ModelKind;

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

#endif
