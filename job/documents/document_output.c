/* document_output.c - see document_output.h. */
#include "document_output.h"

void document_output_begin(DocumentOutput *output, DocumentContent content, OpenDocument document)
{
    if (output->progress.document) return;
    if (document.is_copied) content = DOCUMENT_IDENTITY;
    output->content = content;
    output->kept = document.kept;
    output->memory = document.memory;
    output->encoding = document.encoding;
    output->package = document.package;
    output->read = document.text;
    output->progress = (DocumentProgress){ .document = document.document, .as_identity = content == DOCUMENT_IDENTITY };
}

static bool has_units(const DocumentOutput *output)
{
    return output->progress.unit < document_unit_count(output->progress.document);
}

static bool is_wanted(const DocumentOutput *output)
{
    return output->content != DOCUMENT_IDENTITY && document_is_wanted(output->progress.document, output->progress.unit);
}

/* The text of the next unit, with the parts that its translation keeps. */
static UnitText next_text(const DocumentOutput *output)
{
    const size_t unit = output->progress.unit;
    UnitText text = document_source(output->progress.document, unit);

    text.kept = kept_items_of(output->kept, unit, &text.kept_count);
    return text;
}

/* Where parts of the document are appended in UTF-8. */
static Buf *text_of(DocumentOutput *output, Buf *out)
{
    return output->encoding || output->package ? &output->text : out;
}

/* Appends in the encoding of the document what has been appended in UTF-8. */
static Status convert(DocumentOutput *output, Buf *out, Err *err)
{
    Status st = OK;

    if (!output->encoding) return OK;
    st = text_encoding_append(output->encoding, output->text.data, output->text.len, out, err);
    buf_reuse(&output->text);
    return st;
}

/* Sets *rendering to the translation of the line, from the memory if it is known there. */
static Status render(DocumentOutput *output, const UnitText *text, const RoutedLine *line, Rendering *rendering,
                     Err *err)
{
    const bool remembers = output->memory && dragoman_line_count(line->line) > 0;
    MemoryHit hit;
    bool found = false;
    Status st = remembers ? memory_recall(output->memory, &line->context, text, &found, &hit, err) : OK;

    if (st != OK) return st;
    if (found) return unit_rendering_recall(&output->rendering, text, &hit, rendering, err);
    st = unit_rendering_translate(&output->rendering, text, line->line, rendering, err);
    return st == OK && remembers ? memory_learn(output->memory, &line->context, text, rendering, err) : st;
}

static Status append_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err)
{
    DocumentProgress *progress = &output->progress;
    UnitText text;
    Rendering rendering;
    Status st = OK;

    while (st == OK && has_units(output) && !is_wanted(output)) st = document_write_unit(progress, NULL, out, err);
    if (st != OK || !has_units(output)) return st;
    text = next_text(output);
    st = render(output, &text, line, &rendering, err);
    if (st == OK) st = part_order_restore(&output->order, &text, &rendering, err);
    return st == OK ? document_write_unit(progress, &rendering, out, err) : st;
}

Status document_output_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err)
{
    Status st = append_line(output, line, text_of(output, out), err);

    return st == OK ? convert(output, out, err) : st;
}

static Status append_without_model(DocumentOutput *output, Buf *out, Err *err)
{
    DocumentProgress *progress = &output->progress;
    UnitText text;
    Rendering rendering;
    Status st;

    if (output->content != DOCUMENT_PSEUDO || !is_wanted(output)) return document_write_unit(progress, NULL, out, err);
    text = next_text(output);
    st = unit_rendering_pseudo(&output->rendering, &text, &rendering, err);
    return st == OK ? document_write_unit(progress, &rendering, out, err) : st;
}

Status document_output_end(DocumentOutput *output, Buf *out, Err *err)
{
    Buf *text = text_of(output, out);
    Status st = OK;

    while (st == OK && has_units(output)) st = append_without_model(output, text, err);
    if (st == OK) st = document_write_end(&output->progress, text, err);
    if (st == OK) st = convert(output, out, err);
    if (st == OK && output->package) st = package_write(output->package, output->read, text, out, err);
    if (st == OK && output->encoding) st = text_encoding_end(output->encoding, out, err);
    document_output_drop(output);
    return st;
}

void document_output_drop(DocumentOutput *output)
{
    document_progress_free(&output->progress);
    output->progress = (DocumentProgress){ .document = NULL };
    output->encoding = NULL;
    output->package = NULL;
    buf_reuse(&output->text);
}

void document_output_free(DocumentOutput *output)
{
    document_output_drop(output);
    unit_rendering_free(&output->rendering);
    part_order_free(&output->order);
    buf_free(&output->text);
}
