/* torch_view.c - see torch_view.h. Element [i0, i1, ...] of a tensor is element offset + i0 stride0 +
 * i1 stride1 + ... of its storage. Strides are not negative, so it suffices to check that the last
 * element is inside the storage. */
#include "torch_view.h"

#include <stdint.h>
#include <string.h>

#define AT          "%s: tensor %.200s: "
#define PLACE_OF(t) (t)->file, (t)->name

typedef struct {
    const unsigned char *data; /* the storage's bytes */
    size_t elements;           /* elements in the storage */
    size_t width;
    size_t offset;
    size_t strides[TENSOR_MAX_RANK];
} View;

/* Reads a tuple of non-negative integers. */
static Status read_sizes(const Tensor *t, size_t out[TENSOR_MAX_RANK], const PickleNode *tuple, const char *what,
                         Err *err)
{
    if (tuple->count > TENSOR_MAX_RANK)
        return err_set(err, ERR_FORMAT, AT "%s has %zu dimensions, at most %d are allowed", PLACE_OF(t), what,
                       tuple->count, TENSOR_MAX_RANK);
    for (size_t i = 0; i < tuple->count; i++) {
        const PickleValue *item = &tuple->items[i];
        if (item->kind != PICKLE_INT || item->as.integer < 0 || (uint64_t)item->as.integer > SIZE_MAX)
            return err_set(err, ERR_FORMAT, AT "%s[%zu] must be a whole number that is not negative", PLACE_OF(t), what,
                           i);
        out[i] = (size_t)item->as.integer;
    }
    return OK;
}

static Status read_type(Tensor *t, View *view, const Pickle *pickle, const PickleNode *items, Err *err)
{
    const PickleStorage *storage = &pickle->storages[items->items[TENSOR_STORAGE].as.storage];
    const PickleValue *own = &items->items[TENSOR_TYPE];
    const TorchGlobal *type = own->kind == PICKLE_GLOBAL ? own->as.global : storage->type;
    int64_t offset = items->items[TENSOR_OFFSET].as.integer;

    if (offset < 0 || (uint64_t)offset > SIZE_MAX)
        return err_set(err, ERR_FORMAT, AT "its storage offset is %lld", PLACE_OF(t), (long long)offset);
    t->dtype = type->dtype;
    memcpy(t->dtype_name, type->dtype_name, strlen(type->dtype_name) + 1);
    view->data = storage->data;
    view->width = type->width;
    view->elements = storage->bytes / type->width;
    view->offset = (size_t)offset;
    return OK;
}

static Status read_shape(Tensor *t, View *view, const PickleNode *shape, const PickleNode *strides, Err *err)
{
    Status st = read_sizes(t, t->shape, shape, "shape", err);

    if (st == OK) st = read_sizes(t, view->strides, strides, "stride", err);
    if (st != OK) return st;
    if (shape->count != strides->count)
        return err_set(err, ERR_FORMAT, AT "%zu dimensions, but %zu strides", PLACE_OF(t), shape->count,
                       strides->count);
    t->rank = shape->count;
    t->count = 1;
    for (size_t i = 0; i < t->rank; i++)
        if (!t->shape[i]) t->count = 0;
    for (size_t i = 0; t->count && i < t->rank; i++) {
        if (t->count > SIZE_MAX / 64 / t->shape[i])
            return err_set(err, ERR_FORMAT, AT "shape: too many elements", PLACE_OF(t));
        t->count *= t->shape[i];
    }
    t->bytes = t->count * view->width;
    return OK;
}

/* `room` is the number of storage elements after the last element along the dimensions so far. */
static Status check_range(const Tensor *t, const View *view, Err *err)
{
    size_t room;

    if (!t->count) return OK;
    if (view->offset >= view->elements)
        return err_set(err, ERR_FORMAT, AT "begins at element %zu of a storage of %zu", PLACE_OF(t), view->offset,
                       view->elements);
    room = view->elements - 1 - view->offset;
    for (size_t i = 0; i < t->rank; i++) {
        size_t steps = t->shape[i] - 1;
        if (steps && view->strides[i] > room / steps)
            return err_set(err, ERR_FORMAT, AT "extends past the end of its storage of %zu elements", PLACE_OF(t),
                           view->elements);
        room -= steps * view->strides[i];
    }
    return OK;
}

/* The stride of a dimension of size 1 is irrelevant. */
static bool is_contiguous(const Tensor *t, const View *view)
{
    size_t expected = 1;

    for (size_t i = t->rank; i-- > 0;) {
        if (t->shape[i] == 1) continue;
        if (view->strides[i] != expected) return false;
        expected *= t->shape[i];
    }
    return true;
}

/* Copies `count` elements that are `stride` elements apart. With constant widths, memcpy() becomes a move. */
static void gather(unsigned char *out, const unsigned char *in, size_t count, size_t stride, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *from = in + i * stride * width;
        unsigned char *to = out + i * width;
        if (width == 4)
            memcpy(to, from, 4);
        else if (width == 2)
            memcpy(to, from, 2);
        else
            memcpy(to, from, width);
    }
}

/* Copies run after run along the last dimension; the other indices count up like the digits of a number. */
static void copy_elements(unsigned char *out, const Tensor *t, const View *view)
{
    size_t index[TENSOR_MAX_RANK] = { 0 }, from = view->offset, last = t->rank - 1;
    size_t run = t->shape[last];

    for (size_t done = 0; done < t->count; done += run) {
        gather(out + done * view->width, view->data + from * view->width, run, view->strides[last], view->width);
        for (size_t i = last; i-- > 0;) {
            from += view->strides[i];
            if (++index[i] < t->shape[i]) break;
            from -= view->strides[i] * t->shape[i];
            index[i] = 0;
        }
    }
}

static Status copy_view(Tensor *t, const View *view, ViewCopies *copies, Err *err)
{
    unsigned char *copy;

    if (t->bytes > copies->room)
        return err_set(err, ERR_FORMAT, AT "implausible expansion of a storage (%zu -> %zu bytes)", PLACE_OF(t),
                       view->elements * view->width, t->bytes);
    copies->room -= t->bytes;
    copy = arena_alloc(copies->arena, t->bytes, 1);
    if (!copy) return err_memory(err, "a tensor that is not contiguous");
    copy_elements(copy, t, view);
    if (copies->map)
        mapped_file_release(copies->map, (size_t)(view->data - copies->map->data), view->elements * view->width);
    t->data = copy;
    return OK;
}

Status torch_view_make(Tensor *out, const Pickle *pickle, const PickleValue *value, ViewCopies *copies, Err *err)
{
    const PickleNode *items = value->as.node;
    View view = { 0 };
    Status st = read_type(out, &view, pickle, items, err);

    if (st == OK)
        st = read_shape(out, &view, items->items[TENSOR_SHAPE].as.node, items->items[TENSOR_STRIDES].as.node, err);
    if (st == OK) st = check_range(out, &view, err);
    if (st != OK) return st;
    if (out->count && !is_contiguous(out, &view)) return copy_view(out, &view, copies, err);
    out->data = out->count ? view.data + view.offset * view.width : view.data;
    return OK;
}
