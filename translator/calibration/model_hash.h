/* model_hash.h - the hash by which a calibration names its model. It covers
 *   - the configuration: the width and the sizes of both stacks;
 *   - the vocabularies: every piece with its id;
 *   - the tensors that the layers use: names and shapes (model_table_hash()).
 * It does not cover the values of the weights: a packed, rounded or int8 copy of a model has the hash of the model,
 * because alignments and confidence of both agree. A model that was trained further has the same hash, too. */
#ifndef DRAGOMAN_MODEL_HASH_H
#define DRAGOMAN_MODEL_HASH_H

#include <stdint.h>

#include "model.h"
#include "tokenizer.h"

/* Of an ensemble, that of the first model. */
uint64_t model_hash(const Model *model, const Tokenizer *tokenizer);

#endif
