/* config.c - see config.h. */
#include "config.h"

#include <stdlib.h>

#include "name_map.h"

SublayerConfig sublayer_config(bool pre_norm, bool final_norm)
{
    return (SublayerConfig){ .pre_norm = pre_norm,
                             .after = { STEP_ADD, pre_norm ? STEP_END : STEP_NORM },
                             .after_stack = { final_norm ? STEP_NORM : STEP_END } };
}

void model_config_free(ModelConfig *config)
{
    search_params_free(&config->search);
    buf_free(&config->stops);
    name_map_free(config->name_map);
    free(config->decoder_layer.tied);
    free(config->shortlist.path);
    free(config->vocab_files.source);
    free(config->vocab_files.target);
    *config = (ModelConfig){ 0 };
}
