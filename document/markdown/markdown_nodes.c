/* markdown_nodes.c - see markdown_nodes.h. */
#include "markdown_nodes.h"

#include <stdlib.h>

#include "buf.h"
#include "document.h"

Status markdown_nodes_add(MarkdownNodes *nodes, MarkdownKind kind, size_t begin, size_t end, Err *err)
{
    Status st;

    if (nodes->count == UNIT_PARTS)
        return err_set(err, ERR_FORMAT, "a text has more than %zu parts, which is not supported", UNIT_PARTS);
    st = buf_grow_list(&nodes->items, &nodes->capacity, nodes->count, 1, sizeof *nodes->items, "a text", err);
    if (st == OK) nodes->items[nodes->count++] = (MarkdownNode){ .kind = kind, .bytes = { begin, end } };
    return st;
}

static int compare_nodes(const void *a, const void *b)
{
    const Range x = ((const MarkdownNode *)a)->bytes, y = ((const MarkdownNode *)b)->bytes;

    if (x.begin != y.begin) return x.begin < y.begin ? -1 : 1;
    return x.end < y.end ? -1 : x.end > y.end;
}

void markdown_nodes_sort(MarkdownNodes *nodes)
{
    if (nodes->count) qsort(nodes->items, nodes->count, sizeof *nodes->items, compare_nodes);
}

Status markdown_labels_add(MarkdownLabels *labels, uint64_t key, Err *err)
{
    Status st = buf_grow_list(&labels->keys, &labels->capacity, labels->count, 1, sizeof *labels->keys, "labels", err);

    if (st == OK) labels->keys[labels->count++] = key;
    return st;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void markdown_labels_sort(MarkdownLabels *labels)
{
    if (labels->count) qsort(labels->keys, labels->count, sizeof *labels->keys, compare_keys);
}

bool markdown_labels_have(const MarkdownLabels *labels, uint64_t key)
{
    return labels->count && bsearch(&key, labels->keys, labels->count, sizeof key, compare_keys);
}
