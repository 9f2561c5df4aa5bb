/* torch_pickle.c - see torch_pickle.h.
 * Limits   numbers of containers and items, far above those of a model with its optimizer. An item
 *          takes 16 bytes, a container about 50. */
#include "torch_pickle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

#define MAX_NODES ((size_t)1 << 20)
#define MAX_ITEMS ((size_t)1 << 23)

void torch_pickle_free(Pickle *pickle)
{
    while (pickle->nodes) {
        PickleNode *next = pickle->nodes->next;
        free(pickle->nodes->items);
        free(pickle->nodes);
        pickle->nodes = next;
    }
    free(pickle->storages);
    str_map_free(pickle->keys);
    *pickle = (Pickle){ 0 };
}

Status torch_pickle_fault(const Pickle *pickle, Err *err, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%s: pickle, byte %zu: %s", pickle->file, pickle->at, text);
}

Status torch_pickle_add_node(Pickle *pickle, PickleNode **out, Err *err)
{
    if (pickle->node_count == MAX_NODES)
        return torch_pickle_fault(pickle, err, "more than %zu tuples, lists and dicts", MAX_NODES);
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the values of a pickle");
    (*out)->next = pickle->nodes;
    pickle->nodes = *out;
    pickle->node_count++;
    return OK;
}

Status torch_pickle_grow(PickleNode *node, size_t more, Err *err)
{
    return buf_grow_list(&node->items, &node->cap, node->count, more, sizeof *node->items, "the values of a pickle",
                         err);
}

Status torch_pickle_append(Pickle *pickle, PickleNode *node, const PickleValue *values, size_t count, Err *err)
{
    Status st;

    if (!count) return OK;
    if (count > MAX_ITEMS - pickle->item_count)
        return torch_pickle_fault(pickle, err, "more than %zu values", MAX_ITEMS);
    st = torch_pickle_grow(node, count, err);
    if (st != OK) return st;
    memcpy(node->items + node->count, values, count * sizeof *values);
    node->count += count;
    pickle->item_count += count;
    return OK;
}

bool torch_pickle_is_text(const PickleValue *value, const char *text)
{
    return value->kind == PICKLE_TEXT && value->size == strlen(text) && memcmp(value->as.text, text, value->size) == 0;
}

const PickleValue *torch_pickle_member(const PickleValue *dict, const char *key)
{
    const PickleNode *node = dict->as.node;

    for (size_t i = node->count / 2; i-- > 0;)
        if (torch_pickle_is_text(&node->items[2 * i], key)) return &node->items[2 * i + 1];
    return NULL;
}
