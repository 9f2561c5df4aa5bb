/* pipeline.h - the models that a line goes through; each one translates the output of the one before. */
#ifndef DRAGOMAN_PIPELINE_H
#define DRAGOMAN_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "loaded_model.h"
#include "option_fields.h"

typedef struct {
    LoadedModel *models; /* [count] */
    size_t count;
} Pipeline;

/* Opens `count` models with their options (option_fields_of_model()). The pivot language between two models is `via`
 * of the second one, else the language that one of them is made for. Returns ERR_USAGE if the models do not fit
 * together, and, with `to_translate`, if the pivot language is unknown. Always close *out with pipeline_close(). */
MUST_USE Status pipeline_open(Pipeline *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err);
void pipeline_close(Pipeline *pipeline); /* {0} is allowed */

#endif
