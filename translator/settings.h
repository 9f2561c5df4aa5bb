/* settings.h - what the user asks for, checked against what the model can do. */
#ifndef DRAGOMAN_SETTINGS_H
#define DRAGOMAN_SETTINGS_H

#include <stddef.h>

#include "config.h"
#include "err.h"
#include "model.h"
#include "option_fields.h"
#include "search.h"

#define SETTINGS_MAX_BEAMS   1024
#define SETTINGS_MAX_ROWS    65536
#define SETTINGS_MAX_THREADS 1024
#define SETTINGS_ROWS                                                                                                  \
    64 /* default of batch_rows: three quarters of the products' full speed; twice as many take twice the memory */

typedef struct {
    SearchParams search; /* the model's, with the user's changes */
    Precision precision;
    size_t workers;
    size_t rows; /* a worker */
} Settings;

/* ERR_USAGE: an option is out of range or contradicts another or the model.
 * OK: *out is ended with settings_free(). */
MUST_USE Status settings_merge(Settings *out, const DragomanOptions *options, const ModelConfig *config, Err *err);
void settings_free(Settings *settings); /* {0} is allowed */

#endif
