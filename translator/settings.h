/* settings.h - the user's options merged with the settings of the model and checked against its limits. */
#ifndef DRAGOMAN_SETTINGS_H
#define DRAGOMAN_SETTINGS_H

#include <stddef.h>

#include "config.h"
#include "err.h"
#include "model.h"
#include "option_fields.h"
#include "search.h"

/* Default of batch_rows: three quarters of the full matmul speed; twice as many rows take twice the memory. */
#define SETTINGS_ROWS 64

typedef struct {
    SearchParams search; /* the settings of the model with the user's changes */
    Precision precision;
    size_t workers;
    size_t rows; /* per worker */
} Settings;

/* Returns ERR_USAGE if an option is out of range or contradicts another option or the model. On OK, free *out with
 * settings_free(). */
MUST_USE Status settings_merge(Settings *out, const DragomanOptions *options, const ModelConfig *config, Err *err);
void settings_free(Settings *settings); /* {0} is allowed */

#endif
