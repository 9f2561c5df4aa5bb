/* loaded_calibration.h - the calibration that a model is used with. */
#ifndef DRAGOMAN_LOADED_CALIBRATION_H
#define DRAGOMAN_LOADED_CALIBRATION_H

#include <stdint.h>

#include "calibration.h"
#include "err.h"
#include "model.h"
#include "model_folder.h"
#include "tokenizer.h"

typedef struct {
    char *path; /* NULL: there is no calibration */
    Calibration values;
} LoadedCalibration;

/* Reads the file `path` or, if it is NULL, CALIBRATION_FILE in the folder or packed model, if it has one. The
 * alignment replaces that of the configuration. End *out with loaded_calibration_free() in every case. */
MUST_USE Status loaded_calibration_read(LoadedCalibration *out, ModelFolder *folder, const char *path,
                                        ModelConfig *config, Err *err);
void loaded_calibration_free(LoadedCalibration *calibration); /* {0} is allowed */

/* Returns ERR_USAGE if the calibration was made for another model. It needs the weights to be open, and time for every
 * piece of the vocabulary, so only users of a calibration check it. {0} belongs to every model. */
MUST_USE Status loaded_calibration_check(const LoadedCalibration *calibration, const Model *model,
                                         const Tokenizer *tokenizer, Err *err);

/* NULL: there is none. */
const ConfidenceFit *loaded_calibration_fit(const LoadedCalibration *calibration);

/* --- The hash by which a calibration names its model. It covers   - the configuration: the width and the sizes of
 * both stacks;   - the vocabularies: every piece with its id;   - the tensors that the layers use: names and shapes
 * (model_table_hash()). It does not cover the values of the weights: a packed, rounded or int8 copy of a model has
 * the hash of the model, because alignments and confidence of both agree. A model that was trained further has the
 * same hash, too. */

/* Of an ensemble, that of the first model. */
uint64_t model_hash(const Model *model, const Tokenizer *tokenizer);

#endif
