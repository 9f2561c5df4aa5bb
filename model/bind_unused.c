/* bind_unused.c - see bind_unused.h. */
#include "bind_unused.h"

#include <string.h>

#include "name_map.h"

static bool same_numbers(const Tensor *a, const Tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           (a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0);
}

/* `names` up to NULL are one table. */
static Status check_tie(Binder *b, const char *const *names)
{
    const Tensor *first = NULL;

    for (; *names; names++) {
        const Tensor *t = binder_find(b, *names, "");
        if (t && first && !same_numbers(t, first))
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensors %s and %s differ, but \"tie\" in config.json makes them one", t->file,
                           first->name, t->name);
        if (t && !first) first = t;
    }
    return OK;
}

static Status check_ties(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *source = "source_embedding.weight", *target = "target_embedding.weight";
    const char *output = config->names->output;
    const char *tables[4] = { target, NULL };
    size_t count = 1;

    if (config->shared_embeddings) tables[count++] = source;
    if (config->tied_output) tables[count++] = output;
    return check_tie(b, tables);
}

Status bind_unused_check(Binder *b)
{
    const NameMap *map = b->model->config.name_map;
    Status st = check_ties(b);

    /* Finding them is enough. */
    (void)binder_find(b, "source_positions", "");
    (void)binder_find(b, "target_positions", "");
    for (size_t i = 0; st == OK && i < weights_count(b->weights); i++) {
        const Tensor *t = weights_at(b->weights, i);
        if (b->used[i] || t->dtype == DTYPE_OTHER || name_map_ignores(map, t->name)) continue;
        st = err_set(b->err, ERR_FORMAT,
                     "%s: tensor %s: has no place in the model that config.json describes; name it in "
                     "\"ignore_tensors\" if it is not needed",
                     t->file, t->name);
    }
    return st;
}
