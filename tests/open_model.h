/* open_model.h - a model folder opened in one go. */
#ifndef DRAGOMAN_OPEN_MODEL_H
#define DRAGOMAN_OPEN_MODEL_H

#include "config.h"
#include "err.h"
#include "model.h"

/* As model_open(), the configuration read before it. */
static inline Status open_model(Model **out, const char *folder, Err *err)
{
    ModelConfig config;
    Status st = model_config_read(&config, folder, NULL, err);

    *out = NULL;
    if (st == OK) return model_open(out, folder, &config, PRECISION_F32, err);
    model_config_free(&config);
    return st;
}

#endif
