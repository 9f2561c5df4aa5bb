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
    return st == OK ? buf_grow_list(&memory->kept, &memory->kept_capacity, 0, text->kept_count + 1,
                                    sizeof *memory->kept, "a unit", err)
                    : st;
}

/* Appends a text with spaces instead of the newlines that a model may produce. Bytes stay where they are. */
static Status append_line(Buf *out, const char *text, size_t length, Err *err)
{
    Status st = buf_append(out, text, length, err);

    for (size_t i = 0; st == OK && i < length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r') out->data[i] = ' ';
    return st;
}

/* Where the kept parts of the text are in the translation of the line; NULL: in the text itself. */
static void find_kept(UnitRendering *memory, const UnitText *text, const DragomanLine *line)
{
    size_t count = 0;
    const Range *kept = line ? dragoman_line_kept(line, 0, &count) : NULL;

    for (size_t i = 0; i < text->kept_count; i++)
        memory->kept[i] =
            (KeptPlace){ text->kept[i], i < count ? (Range){ kept[i].begin, kept[i].end } : text->kept[i] };
}

/* Places the markup. Unknown words and symbols count as kept parts. */
static Status place_markup(UnitRendering *memory, const UnitText *text, const DragomanLine *line,
                           const Rendering *rendering, Err *err)
{
    size_t unknown, asked = 0, count = 0;
    const Range *sources = dragoman_line_unknown_sources(line, &unknown);
    const Range *places = dragoman_line_unknown(line, 0, &unknown);
    UnitText whole = *text;
    Rendering made = *rendering;
    Range *ranges;
    KeptPlace *kept;
    Status st;

    if (!unknown) return unit_alignment_place(text, line, rendering, memory->places, err);
    ranges = malloc((text->kept_count + unknown) * sizeof *ranges);
    kept = malloc((text->kept_count + unknown) * sizeof *kept);
    st = ranges && kept ? OK : err_memory(err, "a unit");
    for (size_t i = 0; st == OK && i <= unknown; i++) {
        while (asked < text->kept_count && (i == unknown || text->kept[asked].begin < sources[i].begin))
            kept[count++] = memory->kept[asked++];
        if (i < unknown)
            kept[count++] = (KeptPlace){ { sources[i].begin, sources[i].end }, { places[i].begin, places[i].end } };
    }
    for (size_t i = 0; i < count; i++) ranges[i] = kept[i].source;
    whole.kept = ranges;
    made.kept = kept;
    whole.kept_count = made.kept_count = count;
    if (st == OK) st = unit_alignment_place(&whole, line, &made, memory->places, err);
    free(ranges);
    free(kept);
    return st;
}

Status unit_rendering_translate(UnitRendering *memory, const UnitText *text, const DragomanLine *line,
                                Rendering *rendering, Err *err)
{
    const bool translated = dragoman_line_count(line) > 0;
    size_t length = text->length;
    const char *made = translated ? dragoman_line_translation(line, 0, &length) : text->text;
    Status st = restart(memory, text, err);

    if (st == OK) st = append_line(&memory->text, made, length, err);
    if (st != OK) return st;
    find_kept(memory, text, translated ? line : NULL);
    *rendering = (Rendering){ length ? memory->text.data : "", length, memory->places, memory->kept, text->kept_count };
    if (translated && text->markup_count) return place_markup(memory, text, line, rendering, err);
    for (size_t i = 0; i < text->markup_count; i++) memory->places[i] = text->markup[i].text;
    return OK;
}

Status unit_rendering_recall(UnitRendering *memory, const UnitText *text, const MemoryHit *hit, Rendering *rendering,
                             Err *err)
{
    Status st = restart(memory, text, err);

    if (st == OK) st = append_line(&memory->text, hit->target.text, hit->target.length, err);
    if (st != OK) return st;
    for (size_t i = 0; i < text->kept_count; i++) memory->kept[i] = (KeptPlace){ text->kept[i], hit->kept[i] };
    *rendering = (Rendering){ memory->text.data, hit->target.length, memory->places, memory->kept, text->kept_count };
    if (!hit->places) return text->markup_count ? unit_alignment_guess(text, rendering, memory->places, err) : OK;
    for (size_t i = 0; i < text->markup_count; i++) memory->places[i] = hit->places[i];
    return OK;
}

Status unit_rendering_pseudo(UnitRendering *memory, const UnitText *text, Rendering *rendering, Err *err)
{
    Status st = restart(memory, text, err);

    if (st == OK) st = pseudo_append(text, &memory->text, memory->places, memory->kept, err);
    if (st == OK)
        *rendering = (Rendering){ memory->text.data, memory->text.len, memory->places, memory->kept, text->kept_count };
    return st;
}

void unit_rendering_free(UnitRendering *memory)
{
    buf_free(&memory->text);
    free(memory->places);
    free(memory->kept);
}
