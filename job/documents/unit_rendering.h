/* unit_rendering.h - turns the translation of a unit's text into what is written in the place of the unit. */
#ifndef DRAGOMAN_UNIT_RENDERING_H
#define DRAGOMAN_UNIT_RENDERING_H

#include "buf.h"
#include "document.h"
#include "dragoman.h"
#include "err.h"
#include "memory.h"

/* A rendering with its memory. Starts as {0} and ends with unit_rendering_free(). */
typedef struct {
    Buf text;
    Range *places; /* [capacity] */
    size_t capacity;
    SpanList kept;
} UnitRendering;

/* Sets *rendering to the best translation of the line, whose source is `text` and keeps text->kept, with the markup on
 * the words that translate those inside it; to the text itself if the line has no translation. It is valid until the
 * next call. */
MUST_USE Status unit_rendering_translate(UnitRendering *memory, const UnitText *text, const DragomanLine *line,
                                         Rendering *rendering, Err *err);

/* Sets *rendering to the translation that was found for the text. */
MUST_USE Status unit_rendering_recall(UnitRendering *memory, const UnitText *text, const MemoryHit *hit,
                                      Rendering *rendering, Err *err);

/* Sets *rendering to the pseudo translation of the text (pseudo.h). */
MUST_USE Status unit_rendering_pseudo(UnitRendering *memory, const UnitText *text, Rendering *rendering, Err *err);

void unit_rendering_free(UnitRendering *memory);

#endif
