/* line_memory.c - see line_memory.h. */
#include "line_memory.h"

/* Finds what the line was asked to keep. */
static Status find_kept(LineMemory *l, const DragomanLine *line, Err *err)
{
    size_t count;
    const DragomanSpan *kept = dragoman_line_kept(line, 0, &count);
    Status st = OK;

    ranges_clear(&l->sources);
    l->kept.len = 0;
    for (size_t i = 0; st == OK && i < count; i++) {
        if (kept[i].kind != DRAGOMAN_SPAN_KEPT) continue;
        st = ranges_append(&l->sources, kept[i].source, 1, err);
        if (st == OK) st = spans_append(&l->kept, kept[i], err);
    }
    return st;
}

Status line_memory_learn(LineMemory *l, const RoutedLine *routed, Err *err)
{
    const DragomanLine *line = routed->line;
    UnitText text = { .text = NULL };
    Rendering made = { .text = NULL };
    MemoryHit hit;
    bool found;
    Status st;

    if (!dragoman_line_count(line)) return OK;
    st = find_kept(l, line, err);
    if (st != OK) return st;
    text.text = dragoman_line_source(line, &text.length);
    text.kept = l->sources.data;
    text.kept_count = l->sources.len;
    made.text = dragoman_line_translation(line, 0, &made.length);
    made.kept = l->kept.data;
    made.kept_count = l->kept.len;
    st = memory_recall(l->memory, &routed->context, &text, &found, &hit, err);
    return st == OK && !found ? memory_learn(l->memory, &routed->context, &text, &made, err) : st;
}

void line_memory_free(LineMemory *l)
{
    ranges_free(&l->sources);
    spans_free(&l->kept);
    *l = (LineMemory){ .memory = NULL };
}
