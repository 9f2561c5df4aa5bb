/* unit_rendering.c - see unit_rendering.h. */
#include "unit_rendering.h"

#include <stdlib.h>

#include "pseudo.h"
#include "unit_alignment.h"

/* Makes room for the places, and forgets the text. */
static Status restart(UnitRendering *memory, const UnitText *text, Err *err)
{
    Status st = buf_grow_list(&memory->places, &memory->capacity, 0, text->markup_count + 1, sizeof *memory->places,
                              "a unit", err);

    buf_reuse(&memory->text);
    memory->kept.len = 0;
    return st;
}

/* Appends a text with spaces instead of the newlines that a model may produce. Bytes stay where they are. */
static Status append_line(Buf *out, const char *text, size_t length, Err *err)
{
    Status st;

    buf_put(out, text, length);
    st = buf_check(out, err);
    for (size_t i = 0; st == OK && i < length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r') out->data[i] = ' ';
    return st;
}

static Rendering rendering_of(const UnitRendering *memory)
{
    return (Rendering){ memory->text.len ? memory->text.data : "", memory->text.len, memory->places, memory->kept.data,
                        memory->kept.len };
}

/* The text takes the place of its translation. */
static Status copy_text(UnitRendering *memory, const UnitText *text, Err *err)
{
    Status st = append_line(&memory->text, text->text, text->length, err);

    for (size_t i = 0; st == OK && i < text->kept_count; i++)
        st = spans_append(&memory->kept, span_at(DRAGOMAN_SPAN_KEPT, text->kept[i]), err);
    for (size_t i = 0; i < text->markup_count; i++) memory->places[i] = text->markup[i].text;
    return st;
}

Status unit_rendering_translate(UnitRendering *memory, const UnitText *text, const DragomanLine *line,
                                Rendering *rendering, Err *err)
{
    const bool translated = dragoman_line_count(line) > 0;
    size_t length, count;
    const char *made = dragoman_line_translation(line, 0, &length);
    const Span *kept = dragoman_line_kept(line, 0, &count);
    Status st = restart(memory, text, err);

    if (st == OK) st = translated ? append_line(&memory->text, made, length, err) : copy_text(memory, text, err);
    for (size_t i = 0; st == OK && translated && i < count; i++)
        if (kept[i].kind == DRAGOMAN_SPAN_KEPT) st = spans_append(&memory->kept, kept[i], err);
    if (st != OK) return st;
    *rendering = rendering_of(memory);
    if (!translated || !text->markup_count) return OK;
    return unit_alignment_place(text, line, rendering, kept, count, memory->places, err);
}

Status unit_rendering_recall(UnitRendering *memory, const UnitText *text, const MemoryHit *hit, Rendering *rendering,
                             Err *err)
{
    Status st = restart(memory, text, err);

    if (st == OK) st = append_line(&memory->text, hit->target.text, hit->target.length, err);
    for (size_t i = 0; st == OK && i < text->kept_count; i++)
        st = spans_append(&memory->kept, (Span){ .source = text->kept[i], .place = hit->kept[i] }, err);
    if (st != OK) return st;
    *rendering = rendering_of(memory);
    if (!hit->places)
        return text->markup_count ? unit_alignment_place(text, NULL, rendering, memory->kept.data, memory->kept.len,
                                                         memory->places, err)
                                  : OK;
    for (size_t i = 0; i < text->markup_count; i++) memory->places[i] = hit->places[i];
    return OK;
}

Status unit_rendering_pseudo(UnitRendering *memory, const UnitText *text, Rendering *rendering, Err *err)
{
    Status st = restart(memory, text, err);

    if (st == OK) st = pseudo_append(text, &memory->text, memory->places, &memory->kept, err);
    if (st == OK) *rendering = rendering_of(memory);
    return st;
}

void unit_rendering_free(UnitRendering *memory)
{
    buf_free(&memory->text);
    free(memory->places);
    spans_free(&memory->kept);
}
