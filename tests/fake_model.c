/* fake_model.c - see fake_model.h. */
#include "fake_model.h"

#include "config.h"
#include "family.h"
#include "pack.h"

ModelConfig fake_config;
size_t fake_guess;
bool fake_no_weights;

ModelConfig fake_small_config(void)
{
    static const Family fake_family = { .name = "fake" };

    return (ModelConfig){
        .family = &fake_family,
        .d_model = 8,
        .encoder = { .layers = 2, .heads = 2, .head_size = 4, .ffn = 16, .vocab = FAKE_END + 1 },
        .decoder = { .layers = 1, .heads = 2, .head_size = 4, .ffn = 16, .vocab = FAKE_END + 1 },
        .ffn.activation = ACTIVATION_SWISH,
        .norm.eps = 1e-5f,
        .positions.max = 32,
        .embedding.scale = 1,
        .search = { .beams = 4,
                    .n_best = 1,
                    .max_length = 20,
                    .length_penalty = 1,
                    .repetition_penalty = 1,
                    .encoder_repetition_penalty = 1,
                    .forced_bos = -1 },
    };
}

Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    (void)folder, (void)vocabs, (void)err;
    *out = (ModelConfig){ 0 };
    *out = fake_config;
    out->positions.max_is_guess = fake_guess > 0;
    if (fake_guess) out->positions.max = fake_guess;
    return OK;
}

void model_config_free(ModelConfig *config)
{
    search_params_free(&config->search);
    buf_free(&config->stops);
    *config = (ModelConfig){ 0 };
}

/* No test with fakes packs a model; without these, the real configurations would be linked. */
Status model_pack(ModelFolder *folder, Precision type, const char *calibration, const char *config, int fd,
                  const char *name, Buf *warnings, Err *err)
{
    (void)folder, (void)type, (void)calibration, (void)config, (void)fd, (void)name, (void)warnings, (void)err;
    return OK;
}

Status model_verify(const char *path, size_t *tensors, Err *err)
{
    (void)path, (void)tensors, (void)err;
    return OK;
}

Status model_open(Model **out, ModelFolder *folder, ModelConfig *config, Precision precision, Err *err)
{
    static char model;

    (void)precision;
    buf_free(&config->stops);
    *config = (ModelConfig){ 0 };
    *out = NULL;
    if (fake_no_weights) return err_set(err, ERR_FORMAT, "%s: no weights", model_folder_path(folder));
    *out = (Model *)&model;
    return OK;
}

Status model_check_weights(ModelFolder *folder, Err *err)
{
    (void)folder, (void)err;
    return OK;
}

void model_free(Model *model)
{
    (void)model;
}

const ModelConfig *model_config(const Model *model)
{
    (void)model;
    return &fake_config;
}

/* The fake model is never an ensemble. */
size_t model_count(const Model *model)
{
    (void)model;
    return 1;
}

const Model *model_next(const Model *model)
{
    (void)model;
    return NULL;
}

void model_append(Model *model, Model *last)
{
    (void)model, (void)last;
    fail_msg("the fake model cannot join an ensemble");
}

void model_set_weight(Model *model, size_t index, float weight)
{
    (void)model, (void)index;
    assert_true(weight == 1);
}

size_t model_positions(const Model *model)
{
    (void)model;
    return fake_config.positions.max;
}

ModelFacts model_facts(const Model *model)
{
    (void)model;
    return (ModelFacts){ .precision = PRECISION_F32,
                         .stored_type = "BF16",
                         .weight = 1,
                         .table_hash = 42,
                         .bytes = 1234567,
                         .parameters = 308641 };
}
