/* document_read.c - reads a document and describes its units: see document.h. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "document_formats.h"
#include "document_parts.h"
#include "utf8.h"

/* Like utf8_clean_length(), but for NUL, which a document may contain. */
static size_t valid_length(const DocumentFile *file)
{
    size_t at = 0;

    while (at < file->size) {
        uint32_t code;
        const size_t step = utf8_next(file->bytes + at, file->size - at, &code);
        if (code == UTF8_INVALID) break;
        at += step;
    }
    return at;
}

static Status check_file(const DocumentFile *file, Err *err)
{
    size_t valid, line = 1;

    if (file->size > DOCUMENT_BYTES)
        return err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                       file->name, DOCUMENT_BYTES >> 20);
    valid = valid_length(file);
    if (valid == file->size) return OK;
    for (size_t i = 0; i < valid; i++) line += file->bytes[i] == '\n';
    return err_set(err, ERR_FORMAT, "%s:%zu: not valid UTF-8", file->name, line);
}

Status document_read(Document **out, const DocumentFormat *format, const DocumentFile *file,
                     const DocumentOptions *options, Err *err)
{
    DocumentBuilder *builder;
    Status st = check_file(file, err);

    *out = NULL;
    if (st == OK) st = document_builder_new(&builder, format, file, options, err);
    if (st != OK) return st;
    document_builder_arguments(builder, format->arguments);
    format->parse(builder);
    return document_builder_finish(builder, out, err);
}

void document_free(Document *doc)
{
    if (!doc) return;
    buf_free(&doc->text);
    buf_free(&doc->strings);
    free(doc->runs);
    free(doc->markup);
    free(doc->texts);
    free(doc->units);
    free(doc->changes);
    free(doc->faults);
    free(doc);
}

void document_set_encoding(Document *doc, const TextEncoding *encoding)
{
    doc->encoding = encoding;
}

size_t document_memory(const Document *doc)
{
    return doc->text.len + doc->strings.len + doc->run_count * sizeof *doc->runs +
           doc->markup_count * sizeof *doc->markup + doc->text_count * sizeof *doc->texts +
           doc->unit_count * sizeof *doc->units + doc->change_count * sizeof *doc->changes;
}

size_t document_unit_count(const Document *doc)
{
    return doc->unit_count;
}

bool document_is_wanted(const Document *doc, size_t unit)
{
    return document_parts_changes(doc, unit) && !doc->units[unit].is_copy;
}

static UnitText text_at(const Document *doc, size_t index)
{
    const TextPart *part = &doc->texts[index];

    return (UnitText){ .text = doc->text.data + part->text,
                       .length = part->length,
                       .runs = part->run_count ? doc->runs + part->run : NULL,
                       .run_count = part->run_count,
                       .markup = part->markup_count ? doc->markup + part->markup : NULL,
                       .markup_count = part->markup_count,
                       .markup_with_hints =
                           part->markup_with_hints_count ? doc->markup + part->markup_with_hints : NULL,
                       .markup_with_hints_count = part->markup_with_hints_count,
                       .accelerator = part->accelerator,
                       .prefix = part->prefix,
                       .bytes = part->bytes,
                       .suffix = part->suffix,
                       .arguments = part->arguments,
                       .context = part->context,
                       .spelling = part->embedded ? part->embedded : doc->format->spelling,
                       .is_embedded = part->embedded != NULL };
}

UnitText document_source(const Document *doc, size_t unit)
{
    return text_at(doc, doc->units[unit].source);
}

UnitText document_own_text(const Document *doc, size_t unit)
{
    return text_at(doc, doc->units[unit].own);
}

size_t document_fault_count(const Document *doc)
{
    return doc->fault_count;
}

DocumentFault document_fault(const Document *doc, size_t index)
{
    return doc->faults[index];
}

/* Parts of an archive and their names end with NUL (package.h). */
DocumentPlace document_place(const Document *doc, size_t unit)
{
    const char *bytes = doc->file.bytes;
    const size_t at = doc->texts[doc->units[unit].source].bytes.begin;
    DocumentPlace place = { "", "", 1 };
    size_t begin = 0;

    if (doc->format->package) {
        size_t name;
        for (begin = at; begin && bytes[begin - 1];) begin--;
        for (name = begin ? begin - 1 : 0; name && bytes[name - 1];) name--;
        place.slash = "/";
        place.part = bytes + name;
    }
    for (size_t i = begin; i < at; i++) place.line += bytes[i] == '\n';
    return place;
}
