/* document_write.c - writes a document: see document.h. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "bilingual.h"
#include "document_formats.h"
#include "document_parts.h"
#include "unit_writer.h"
#include "utf8.h"

static Status copy_range(const Document *doc, Range range, Buf *out, Err *err)
{
    return buf_append(out, doc->file.bytes + range.begin, range.end - range.begin, err);
}

static Status append_string(const Document *doc, StringPart part, Buf *out, Err *err)
{
    return part.length ? buf_append(out, doc->strings.data + part.at, part.length, err) : OK;
}

static Status append_change(DocumentProgress *progress, Buf *out, Err *err)
{
    const Document *doc = progress->document;
    const ChangePart *change = &doc->changes[progress->change++];
    const bool applies =
        !progress->as_identity && (change->unit == LABEL_UNIT || document_parts_changes(doc, change->unit));
    Status st = copy_range(doc, (Range){ progress->at, change->bytes.begin }, out, err);

    progress->at = change->bytes.end;
    if (st != OK) return st;
    return applies ? append_string(doc, change->text, out, err) : copy_range(doc, change->bytes, out, err);
}

/* Appends what is before byte `at`, with the changes up to there. */
static Status append_to(DocumentProgress *progress, size_t at, Buf *out, Err *err)
{
    const Document *doc = progress->document;
    Status st = OK;

    while (st == OK && progress->change < doc->change_count && doc->changes[progress->change].bytes.begin <= at)
        st = append_change(progress, out, err);
    if (st == OK) st = copy_range(doc, (Range){ progress->at, at }, out, err);
    progress->at = at;
    return st;
}

/* Writes `model`, or a rendering of it, in the place of the unit. */
static Status append_text(const DocumentProgress *progress, const UnitPart *unit, const UnitText *model,
                          const Rendering *rendering, Buf *out, Err *err)
{
    const Document *doc = progress->document;
    const bool is_elsewhere = unit->source != unit->own;
    const size_t after = is_elsewhere ? model->suffix.begin : unit->place.end;
    const UnitWriting writing = { .file = &doc->file,
                                  .rules = model->spelling,
                                  .encoding = doc->encoding,
                                  .model = model,
                                  .prefix = is_elsewhere ? model->prefix : (Range){ 0, 0 },
                                  .suffix = is_elsewhere ? model->suffix : (Range){ 0, 0 },
                                  .after = doc->file.bytes + after,
                                  .after_length = doc->file.size - after,
                                  .inner = progress->inner.data,
                                  .inner_units = progress->inner_units,
                                  .inner_count = progress->inner_count };

    return unit_writer_append(&writing, rendering, out, err);
}

static Status append_translation(const DocumentProgress *progress, const UnitPart *unit, const UnitText *source,
                                 const Rendering *rendering, Buf *out, Err *err)
{
    const Document *doc = progress->document;
    Status st = append_string(doc, unit->before, out, err);

    if (st == OK) st = append_text(progress, unit, source, rendering, out, err);
    return st == OK ? append_string(doc, unit->after, out, err) : st;
}

/* Whether the source takes the place of other bytes. */
static bool is_copied(const DocumentProgress *progress, size_t unit, const UnitText *source, const UnitText *own)
{
    const Document *doc = progress->document;
    const size_t length = source->suffix.end - source->prefix.begin;

    return !progress->as_identity && doc->units[unit].is_copy && document_parts_changes(doc, unit) &&
           (own->suffix.end - own->prefix.begin != length ||
            memcmp(doc->file.bytes + own->prefix.begin, doc->file.bytes + source->prefix.begin, length) != 0);
}

/* Sets kept[run_count] to the elements that stand for words. Returns their number. */
static size_t keep_elements(const UnitText *text, Span *kept)
{
    size_t count = 0;

    for (size_t i = 0; i < text->run_count; i++)
        if (text->runs[i].kind == RUN_ELEMENT) kept[count++] = span_at(DRAGOMAN_SPAN_KEPT, text->runs[i].text);
    return count;
}

/* Writes one of the unit's texts as it is, with its markup. `as_translation`: in the place of the translation. */
static Status append_same(const DocumentProgress *progress, const UnitPart *unit, const UnitText *text,
                          bool as_translation, Buf *out, Err *err)
{
    Range *places = malloc((text->markup_with_hints_count + 1) * sizeof *places);
    Span *kept = malloc((text->run_count + 1) * sizeof *kept);
    Rendering rendering = { .text = text->text, .length = text->length, .places = places, .kept = kept };
    UnitText own = *text;
    Status st;

    if (!places || !kept) {
        free(places);
        free(kept);
        return err_memory(err, "a unit");
    }
    rendering.kept_count = keep_elements(text, kept);
    own.markup = text->markup_with_hints;
    own.markup_count = text->markup_with_hints_count;
    own.is_written = true;
    for (size_t i = 0; i < own.markup_count; i++) places[i] = own.markup[i].text;
    st = as_translation ? append_translation(progress, unit, &own, &rendering, out, err)
                        : append_text(progress, unit, &own, &rendering, out, err);
    free(places);
    free(kept);
    return st;
}

/* Writes what a unit without a rendering gets: its own text or a copy of its source. */
static Status append_known(const DocumentProgress *progress, const UnitPart *unit, Buf *out, Err *err)
{
    const size_t index = (size_t)(unit - progress->document->units);
    const UnitText source = document_source(progress->document, index);
    const UnitText own = document_own_text(progress->document, index);
    const bool copies = is_copied(progress, index, &source, &own);

    return append_same(progress, unit, copies ? &source : &own, copies, out, err);
}

/* A place in a text without its first `cut` bytes. */
static Range cut_place(Range place, size_t cut)
{
    return (Range){ place.begin < cut ? 0 : place.begin - cut, place.end < cut ? 0 : place.end - cut };
}

/* Writes a rendering without the white space at its ends, which could change the structure of the document. */
static Status append_trimmed(const DocumentProgress *progress, const UnitPart *unit, const UnitText *source,
                             const Rendering *rendering, Range text, Buf *out, Err *err)
{
    const size_t count = source->markup_count;
    Range *places = malloc((count + 1) * sizeof *places);
    Span *kept = malloc((rendering->kept_count + 1) * sizeof *kept);
    const Rendering trimmed = { rendering->text + text.begin, text.end - text.begin, places, kept,
                                rendering->kept_count };
    Status st = places && kept ? OK : err_memory(err, "a unit");

    for (size_t i = 0; st == OK && i < count; i++) places[i] = cut_place(rendering->places[i], text.begin);
    for (size_t i = 0; st == OK && i < rendering->kept_count; i++)
        kept[i] =
            (Span){ .source = rendering->kept[i].source, .place = cut_place(rendering->kept[i].place, text.begin) };
    if (st == OK) st = append_translation(progress, unit, source, &trimmed, out, err);
    free(places);
    free(kept);
    return st;
}

/* An empty translation could change the structure, too, so the source takes its place. */
static Status append_rendering(const DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering,
                               Buf *out, Err *err)
{
    UnitText source;
    Range text = { 0, 0 };

    if (!rendering) return append_known(progress, unit, out, err);
    source = document_source(progress->document, (size_t)(unit - progress->document->units));
    text.begin = utf8_leading_space(rendering->text, rendering->length);
    text.end = rendering->length - utf8_trailing_space(rendering->text, rendering->length);
    if (text.begin == 0 && text.end == rendering->length && text.end)
        return append_translation(progress, unit, &source, rendering, out, err);
    if (text.begin < text.end) return append_trimmed(progress, unit, &source, rendering, text, out, err);
    return append_same(progress, unit, &source, true, out, err);
}

/* Forgets the kept units from byte `begin` of the document on. */
static void drop_inner(DocumentProgress *progress, size_t begin)
{
    while (progress->inner_count && progress->inner_units[progress->inner_count - 1].place.begin > begin)
        progress->inner.len = progress->inner_units[--progress->inner_count].at;
}

/* Keeps a unit until that around it is written. It takes the place of the kept units inside it. */
static Status keep_inner(DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering, Err *err)
{
    Status st = buf_grow_list(&progress->inner_units, &progress->inner_capacity, progress->inner_count, 1,
                              sizeof *progress->inner_units, "a unit", err);
    size_t at;

    buf_reuse(&progress->scratch);
    if (st == OK) st = append_rendering(progress, unit, rendering, &progress->scratch, err);
    if (st != OK) return st;
    drop_inner(progress, unit->place.begin);
    at = progress->inner.len;
    st = buf_append(&progress->inner, progress->scratch.data, progress->scratch.len, err);
    if (st != OK) return st;
    progress->inner_units[progress->inner_count++] = (InnerUnit){ unit->place, at, progress->scratch.len };
    return OK;
}

/* Writes the source of a unit, and after it its translation. */
static Status append_both(const DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering, Buf *out,
                          Err *err)
{
    const Document *doc = progress->document;
    const UnitText source = document_source(doc, (size_t)(unit - doc->units));
    const BilingualUnit both = { doc->format->bilingual, &doc->file, unit->place, &source, doc->options->language };
    Status st = bilingual_writes_source(&both) ? append_same(progress, unit, &source, false, out, err) : OK;

    if (st == OK) st = bilingual_begin(&both, out, err);
    if (st == OK) st = append_rendering(progress, unit, rendering, out, err);
    return st == OK ? bilingual_end(&both, out, err) : st;
}

Status document_write_unit(DocumentProgress *progress, const Rendering *rendering, Buf *out, Err *err)
{
    const UnitPart *unit = &progress->document->units[progress->unit++];
    const bool is_embedded = progress->document->texts[unit->own].embedded != NULL;
    Status st;

    if (unit->is_inside) return keep_inner(progress, unit, rendering, err);
    st = append_to(progress, unit->place.begin, out, err);
    progress->at = unit->place.end;
    if (st == OK && progress->document->options->bilingual && rendering && !is_embedded)
        st = append_both(progress, unit, rendering, out, err);
    else if (st == OK)
        st = append_rendering(progress, unit, rendering, out, err);
    buf_reuse(&progress->inner);
    progress->inner_count = 0;
    return st;
}

void document_progress_free(DocumentProgress *progress)
{
    buf_free(&progress->inner);
    buf_free(&progress->scratch);
    free(progress->inner_units);
    progress->inner_units = NULL;
}

Status document_write_end(DocumentProgress *progress, Buf *out, Err *err)
{
    return append_to(progress, progress->document->file.size, out, err);
}
