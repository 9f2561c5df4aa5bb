/* model_support.h - opens the parts of a model by the path of its folder. */
#ifndef DRAGOMAN_MODEL_SUPPORT_H
#define DRAGOMAN_MODEL_SUPPORT_H

#include "config.h"
#include "err.h"
#include "model.h"
#include "model_folder.h"
#include "pack.h"
#include "sp_model.h"
#include "stored_file.h"
#include "test_support.h"
#include "tokenizer.h"
#include "weights.h"

static inline void free_tokenizer(Tokenizer **tokenizer)
{
    tokenizer_free(*tokenizer);
}

static inline void free_sp(SpModel **model)
{
    sp_shim_free(*model);
}

static inline void free_weights(Weights **weights)
{
    weights_free(*weights);
}

/* As weights_open(). */
static inline Status open_weights(Weights **out, const char *path, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = NULL;
    if (st == OK) st = weights_open(out, folder, err);
    model_folder_close(folder);
    return st;
}

/* As model_config_read(). */
static inline Status read_config(ModelConfig *out, const char *path, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = (ModelConfig){ 0 };
    if (st == OK) st = model_config_read(out, folder, NULL, err);
    model_folder_close(folder);
    return st;
}

/* As model_open(), after reading the configuration. */
static inline Status open_model_as(Model **out, const char *path, Precision precision, Err *err)
{
    ModelFolder *folder;
    ModelConfig config = { 0 };
    Status st = model_folder_open(&folder, path, err);

    *out = NULL;
    if (st == OK) st = model_config_read(&config, folder, NULL, err);
    if (st == OK)
        st = model_open(out, folder, &config, precision, err);
    else
        model_config_free(&config);
    model_folder_close(folder);
    return st;
}

static inline Status open_model(Model **out, const char *path, Err *err)
{
    return open_model_as(out, path, PRECISION_F32, err);
}

/* As model_pack(). */
static inline Status pack_model(const char *path, Precision type, int fd, const char *name, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    if (st == OK) st = model_pack(folder, type, NULL, NULL, fd, name, NULL, err);
    model_folder_close(folder);
    return st;
}

/* As tokenizer_open(). */
static inline Status open_tokenizer(Tokenizer **out, const char *path, const char *model_type, const char *from,
                                    const char *to, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = NULL;
    if (st == OK) st = tokenizer_open(out, folder, model_type, from, to, NULL, err);
    model_folder_close(folder);
    return st;
}

#endif
