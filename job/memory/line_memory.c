/* line_memory.c - see line_memory.h. */
#include "line_memory.h"

#include <stdlib.h>

#include "dragoman_memory.h"

static Status find_kept(LineMemory *l, const DragomanLine *line, size_t *out, Err *err)
{
    size_t count, places;
    const Range *sources = dragoman_line_kept_sources(line, &count);
    const Range *kept = dragoman_line_kept(line, 0, &places);
    Status st = buf_grow_list(&l->sources, &l->source_capacity, 0, count, sizeof *l->sources, "a line", err);

    *out = count;
    if (st == OK) st = buf_grow_list(&l->kept, &l->kept_capacity, 0, count, sizeof *l->kept, "a line", err);
    if (st == OK && places < count) return err_internal(err, "a kept part has no place in the translation");
    for (size_t i = 0; st == OK && i < count; i++) {
        l->sources[i] = (Range){ sources[i].begin, sources[i].end };
        l->kept[i] = (KeptPlace){ l->sources[i], { kept[i].begin, kept[i].end } };
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
    st = find_kept(l, line, &text.kept_count, err);
    if (st != OK) return st;
    text.text = dragoman_line_source(line, &text.length);
    text.kept = l->sources;
    made.text = dragoman_line_translation(line, 0, &made.length);
    made.kept = l->kept;
    made.kept_count = text.kept_count;
    st = memory_recall(l->memory, &routed->context, &text, &found, &hit, err);
    return st == OK && !found ? memory_learn(l->memory, &routed->context, &text, &made, err) : st;
}

void line_memory_free(LineMemory *l)
{
    free(l->sources);
    free(l->kept);
    *l = (LineMemory){ .memory = NULL };
}
