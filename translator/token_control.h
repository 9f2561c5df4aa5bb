/* token_control.h - tokens and texts that are forbidden, and those that end a translation. */
#ifndef DRAGOMAN_TOKEN_CONTROL_H
#define DRAGOMAN_TOKEN_CONTROL_H

#include "err.h"
#include "loaded_model.h"
#include "option_fields.h"

/* Applies DRAGOMAN_SUPPRESS, DRAGOMAN_DISABLE_UNK, DRAGOMAN_END_TOKEN and the model's stop texts to
 * loaded->settings.search. The model's own end tokens are known by then. Returns ERR_USAGE for a piece that the
 * vocabulary does not have. */
MUST_USE Status token_control_adopt(LoadedModel *loaded, const DragomanOptions *options, Err *err);

#endif
