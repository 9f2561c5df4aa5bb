/* binder.c - see binder.h. */
#include "binder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "name_map.h"
#include "packed.h"

/* Returns in *out the number that {i}, {n} or {k} stands for; false for other text. */
static bool find_number(const Binder *b, const char *text, size_t *out)
{
    if (*text != '{' || !text[1] || text[2] != '}') return false;
    *out = text[1] == 'i' ? b->layer : text[1] == 'n' ? b->layer + 1 : b->linear;
    return strchr("ink", text[1]) != NULL;
}

/* Appends `text`, with numbers filled in and '*' replaced by `star` unless that is NULL. Text that does not fit is
 * dropped: no tensor has such a long name. */
static size_t append_name(const Binder *b, BinderName *name, size_t at, const char *text, const char *star)
{
    size_t number;

    while (*text && at + 24 < sizeof name->text) {
        if (find_number(b, text, &number)) {
            at += (size_t)snprintf(name->text + at, 24, "%zu", number);
            text += 3;
        } else if (*text == '*' && star) {
            at = append_name(b, name, at, star, NULL);
            text++;
        } else {
            name->text[at++] = *text++;
        }
    }
    name->text[at] = '\0';
    return at;
}

BinderName binder_name(const Binder *b, const char *part, const char *suffix)
{
    BinderName name;
    size_t at = append_name(b, &name, 0, b->prefix, NULL);

    at = append_name(b, &name, at, part, suffix);
    if (!strchr(part, '*')) append_name(b, &name, at, suffix, NULL);
    return name;
}

BinderName binder_matrix_name(const Binder *b, const char *name)
{
    BinderName out;

    if (b->stack)
        snprintf(out.text, sizeof out.text, PACKED_MATRICES "%s.layers.%zu.%s", b->stack, b->layer, name);
    else
        snprintf(out.text, sizeof out.text, PACKED_MATRICES "%s", name);
    return out;
}

void *binder_allocate(Binder *b, size_t count, size_t size, Status *st)
{
    void *block = arena_alloc(b->model->arena, count, size);

    if (!block) *st = err_memory(b->err, "the model");
    return block ? memset(block, 0, count * size) : NULL;
}

const Tensor *binder_find(const Binder *b, const char *part, const char *suffix)
{
    BinderName name = binder_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    const Tensor *stored;
    Tensor *view;

    if (!map) {
        stored = weights_find(b->weights, name.text);
        if (stored && b->used) b->used[stored - weights_at(b->weights, 0)] = true;
        return stored;
    }
    view = arena_alloc(b->model->arena, 1, sizeof *view);
    stored = view ? name_map_find(map, b->weights, name.text, view) : NULL;
    if (!stored) return NULL;
    b->used[stored - weights_at(b->weights, 0)] = true;
    return view;
}

bool binder_same_numbers(const Tensor *a, const Tensor *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           (a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0);
}

Status binder_missing(const Binder *b, const char *part, const char *suffix)
{
    BinderName name = binder_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    Buf stored = { 0 };
    Status st = OK;

    if (!map) return err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), name.text);
    st = name_map_stored(map, name.text, &stored, b->err);
    if (st == OK)
        st = err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing (%s of the model that config.json describes)",
                     weights_path(b->weights), stored.data, name.text);
    buf_free(&stored);
    return st;
}

/* "[2, 3]" */
static const char *shape_text(char out[160], size_t rank, const size_t *shape)
{
    size_t at = (size_t)snprintf(out, 160, "[");

    for (size_t i = 0; i < rank && at < 130; i++)
        at += (size_t)snprintf(out + at, 160 - at, "%s%zu", i ? ", " : "", shape[i]);
    snprintf(out + at, 160 - at, "]");
    return out;
}

static Status refuse_type(const Binder *b, const Tensor *t)
{
    return err_set(b->err, ERR_UNSUPPORTED, "%s: tensor %s: type %s, expected F32, F16, BF16 or F64", t->file, t->name,
                   t->dtype_name);
}

Status binder_check(const Binder *b, const Tensor *t, size_t rank, const size_t *shape)
{
    char found[160], expected[160];

    if (t->dtype == DTYPE_OTHER) return refuse_type(b, t);
    if (t->rank == rank && memcmp(t->shape, shape, rank * sizeof *shape) == 0) return OK;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: shape %s, expected %s", t->file, t->name,
                   shape_text(found, t->rank, t->shape), shape_text(expected, rank, shape));
}

Status binder_expect(const Binder *b, const Tensor **out, const char *part, const char *suffix, size_t rank,
                     const size_t *shape)
{
    *out = binder_find(b, part, suffix);
    return *out ? binder_check(b, *out, rank, shape) : binder_missing(b, part, suffix);
}

static const char *type_name(DType type)
{
    static const char *const names[] = {
        [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16",  [DTYPE_F64] = "F64",
        [DTYPE_S8] = "I8",   [DTYPE_S16] = "I16", [DTYPE_OTHER] = "other"
    };

    return names[type];
}

void binder_note(Binder *b, const Tensor *t)
{
    Model *model = b->model;

    model->parameters += t->count;
    if (!model->stored_type)
        model->stored_type = type_name(t->dtype);
    else if (strcmp(model->stored_type, t->dtype_name) != 0)
        model->stored_type = "mixed";
}

void binder_hash(const Binder *b, const char *name, size_t rank, const size_t *shape)
{
    Hash64 *hash = &b->model->table;

    hash64_add(hash, name, strlen(name) + 1);
    hash64_add_number(hash, rank);
    for (size_t i = 0; i < rank; i++) hash64_add_number(hash, shape[i]);
}

/* Adds a stored tensor, not a view of it, to the plan, unless it is there already. */
static Status plan_other(const Binder *b, const Tensor *t)
{
    BinderPlan *p = b->plan;
    const Tensor *stored = weights_find(b->weights, t->name);
    Status st;

    for (size_t i = 0; i < p->other_count; i++)
        if (p->others[i] == stored) return OK;
    st = buf_grow_list(&p->others, &p->other_cap, p->other_count, 1, sizeof stored, "the list of tensors", b->err);
    if (st == OK) p->others[p->other_count++] = stored;
    return st;
}

Status binder_read_f32(const Binder *b, const Tensor *t, size_t first, size_t count, float *out)
{
    tensor_read_f32(t, first, count, out);
    /* Reject NaN and infinity, which no trained model holds, and names the first such element. All exponent bits of
     * such a value are set. */
    uint32_t worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, out + i, sizeof bits);
        bits &= 0x7f800000u;
        worst = bits > worst ? bits : worst;
    }
    if (worst < 0x7f800000u) return OK;
    while (isfinite(out[at])) at++;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

Status binder_read(const Binder *b, const Tensor *t, size_t first, size_t count, float *out)
{
    Status st = OK;

    if (t->dtype == DTYPE_S8 || t->dtype == DTYPE_S16) return refuse_type(b, t); /* only matrices are stored so */
    if (b->plan) st = plan_other(b, t);
    binder_hash(b, t->name, t->rank, t->shape);
    return st == OK ? binder_read_f32(b, t, first, count, out) : st;
}

Status binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count)
{
    const Tensor *t;
    Status st = binder_expect(b, &t, part, suffix, 1, &count);

    if (st == OK) st = binder_read(b, t, 0, count, out);
    if (st == OK) binder_note(b, t);
    return st;
}
