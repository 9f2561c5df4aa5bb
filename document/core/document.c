/* document.c - how a document is read and written: see document.h. */
#include "document.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "document_formats.h"
#include "document_parts.h"
#include "unit_writer.h"
#include "utf8.h"

/* --- Reading ------------------------------------------------------------------------- */

Status document_read(Document **out, const DocumentFormat *format, const DocumentFile *file,
                     const DocumentOptions *options, Err *err)
{
    DocumentBuilder *builder;
    size_t valid;
    Status st;

    *out = NULL;
    if (file->size > DOCUMENT_BYTES)
        return err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                       file->name, DOCUMENT_BYTES >> 20);
    valid = utf8_valid_length(file->bytes, file->size);
    if (valid < file->size)
        return err_set(err, ERR_FORMAT, "%s:%zu: not valid UTF-8", file->name, document_parts_line(file, 0, valid));
    st = document_builder_new(&builder, format, file, options, err);
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
    free(doc->runs.data);
    free(doc->markup.data);
    free(doc->texts.data);
    free(doc->units.data);
    free(doc->changes.data);
    free(doc->faults.data);
    free(doc);
}

void document_set_encoding(Document *doc, const TextEncoding *encoding)
{
    doc->encoding = encoding;
}

size_t document_memory(const Document *doc)
{
    return doc->text.len + doc->strings.len + doc->runs.len * sizeof *doc->runs.data +
           doc->markup.len * sizeof *doc->markup.data + doc->texts.len * sizeof *doc->texts.data +
           doc->units.len * sizeof *doc->units.data + doc->changes.len * sizeof *doc->changes.data;
}

size_t document_unit_count(const Document *doc)
{
    return doc->units.len;
}

bool document_is_wanted(const Document *doc, size_t unit)
{
    return document_parts_changes(doc, unit) && !doc->units.data[unit].is_copy;
}

static UnitText text_at(const Document *doc, size_t index)
{
    const TextPart *part = &doc->texts.data[index];

    return (UnitText){ .text = doc->text.data + part->text,
                       .length = part->length,
                       .runs = part->run_count ? doc->runs.data + part->run : NULL,
                       .run_count = part->run_count,
                       .markup = part->markup_count ? doc->markup.data + part->markup : NULL,
                       .markup_count = part->markup_count,
                       .markup_with_hints =
                           part->markup_with_hints_count ? doc->markup.data + part->markup_with_hints : NULL,
                       .markup_with_hints_count = part->markup_with_hints_count,
                       .accelerator = part->accelerator,
                       .prefix = part->prefix,
                       .bytes = part->bytes,
                       .suffix = part->suffix,
                       .arguments = part->arguments,
                       .context = part->context,
                       .spelling = part->embedded ? part->embedded : doc->format->spelling };
}

UnitText document_source(const Document *doc, size_t unit)
{
    return text_at(doc, doc->units.data[unit].source);
}

UnitText document_own_text(const Document *doc, size_t unit)
{
    return text_at(doc, doc->units.data[unit].own);
}

size_t document_fault_count(const Document *doc)
{
    return doc->faults.len;
}

DocumentFault document_fault(const Document *doc, size_t index)
{
    return doc->faults.data[index];
}

/* Parts of an archive and their names end with NUL (package.h). */
DocumentPlace document_place(const Document *doc, size_t unit)
{
    const char *bytes = doc->file.bytes;
    const size_t at = doc->texts.data[doc->units.data[unit].source].bytes.begin;
    DocumentPlace place = { "", "", 1 };
    size_t begin = 0;

    if (doc->format->package) {
        size_t name;
        for (begin = at; begin && bytes[begin - 1];) begin--;
        for (name = begin ? begin - 1 : 0; name && bytes[name - 1];) name--;
        place.slash = "/";
        place.part = bytes + name;
    }
    place.line = document_parts_line(&doc->file, begin, at);
    return place;
}

const DocumentLanguages *document_languages(const Document *doc)
{
    return &doc->languages;
}

/* --- Writing ------------------------------------------------------------------------ */

static void put_range(const Document *doc, size_t begin, size_t end, Buf *out)
{
    buf_put(out, doc->file.bytes + begin, end - begin);
}

static void put_string(const Document *doc, StringPart part, Buf *out)
{
    if (part.length) buf_put(out, doc->strings.data + part.at, part.length);
}

/* Writes what is before byte `at`, with the changes up to there. */
static void put_to(DocumentProgress *progress, size_t at, Buf *out)
{
    const Document *doc = progress->document;

    while (progress->change < doc->changes.len && doc->changes.data[progress->change].bytes.begin <= at) {
        const ChangePart *change = &doc->changes.data[progress->change++];
        put_range(doc, progress->at, change->bytes.begin, out);
        progress->at = change->bytes.end;
        if (!progress->as_identity && (change->unit == LABEL_UNIT || document_parts_changes(doc, change->unit)))
            put_string(doc, change->text, out);
        else
            put_range(doc, change->bytes.begin, change->bytes.end, out);
    }
    put_range(doc, progress->at, at, out);
    progress->at = at;
}

/* Writes `model`, or a rendering of it, in the place of the unit. `as_translation`: with what goes around one. */
static Status append_text(const DocumentProgress *progress, const UnitPart *unit, const UnitText *model,
                          const Rendering *rendering, bool as_translation, Buf *out, Err *err)
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
                                  .progress = progress };
    Status st;

    if (as_translation) put_string(doc, unit->before, out);
    st = unit_writer_append(&writing, rendering, out, err);
    if (as_translation) put_string(doc, unit->after, out);
    return st;
}

/* Writes one of the unit's texts as it is, with its markup. `as_translation`: in the place of the translation. */
static Status append_same(const DocumentProgress *progress, const UnitPart *unit, const UnitText *text,
                          bool as_translation, Buf *out, Err *err)
{
    Range *places = malloc((text->markup_with_hints_count + 1) * sizeof *places);
    Span *kept = malloc((text->run_count + 1) * sizeof *kept); /* elements that stand for words */
    Rendering rendering = { .text = text->text, .length = text->length, .places = places, .kept = kept };
    UnitText own = *text;
    Status st = places && kept ? OK : err_memory(err, "a unit");

    own.markup = text->markup_with_hints;
    own.markup_count = text->markup_with_hints_count;
    own.is_written = true;
    for (size_t i = 0; st == OK && i < own.markup_count; i++) places[i] = own.markup[i].text;
    for (size_t i = 0; st == OK && i < text->run_count; i++)
        if (text->runs[i].kind == RUN_ELEMENT)
            kept[rendering.kept_count++] = span_at(DRAGOMAN_SPAN_KEPT, text->runs[i].text);
    if (st == OK) st = append_text(progress, unit, &own, &rendering, as_translation, out, err);
    free(places);
    free(kept);
    return st;
}

/* An empty translation could also change the structure, so the source takes its place. */
static Status append_rendering(const DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering,
                               Buf *out, Err *err)
{
    const Document *doc = progress->document;
    const size_t index = (size_t)(unit - doc->units.data);
    const UnitText source = document_source(doc, index);

    if (!rendering) { /* its own text, or a copy of its source that takes the place of other bytes */
        const UnitText own = document_own_text(doc, index);
        const bool copies = !progress->as_identity && unit->is_copy && document_parts_changes(doc, index) &&
                            !ranges_are_same(doc->file.bytes, (Range){ own.prefix.begin, own.suffix.end },
                                             (Range){ source.prefix.begin, source.suffix.end });
        return append_same(progress, unit, copies ? &source : &own, copies, out, err);
    }
    return utf8_leading_space(rendering->text, rendering->length) < rendering->length
               ? append_text(progress, unit, &source, rendering, true, out, err)
               : append_same(progress, unit, &source, true, out, err);
}

/* Keeps a unit until that around it is written. It takes the place of the kept units inside it. */
static Status keep_inner(DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering, Err *err)
{
    Status st;

    buf_reuse(&progress->scratch);
    st = append_rendering(progress, unit, rendering, &progress->scratch, err);
    if (st == OK) st = buf_check(&progress->scratch, err);
    if (st != OK) return st;
    while (progress->inner_units.len &&
           progress->inner_units.data[progress->inner_units.len - 1].place.begin > unit->place.begin)
        progress->inner.len = progress->inner_units.data[--progress->inner_units.len].at;
    LIST_PUT(&progress->inner_units, ((InnerUnit){ unit->place, progress->inner.len, progress->scratch.len }));
    buf_put(&progress->inner, progress->scratch.data, progress->scratch.len);
    st = LIST_CHECK(&progress->inner_units, "a unit", err);
    return st == OK ? buf_check(&progress->inner, err) : st;
}

/* --- Documents that contain their source and its translation ------------------------
 * - HTML: each text becomes two columns. Its source has no markup, so that nothing is in the page twice.
 * - Markdown and plain text: a paragraph is followed by its translation, a paragraph with the same quote marks and the
 *   same indentation.
 * - Headings, cells of tables, titles of pages and other texts that must stay in one line or have no markup contain
 *   both, with a slash between them.
 * - A text in the markup of another one, as the description of a picture, is its translation. So is one in data, as the
 *   title in the front matter of Markdown. */

/* Two columns need no style sheet: they are inline blocks, which are allowed wherever text is. */
#define COLUMN "<span style=\"display:inline-block;width:48%%;vertical-align:top\" dir=\"auto\"%s%s%s>"

static size_t line_begin(const DocumentFile *file, size_t at)
{
    while (at && file->bytes[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const DocumentFile *file, size_t at)
{
    return chars_find(file->bytes, at, file->size, '\n');
}

/* Whether the unit is all that its lines have, but for quote marks, list markers and indentation. A text after the key
 * of metadata, as in `Title: text`, is not. */
static bool is_block(const DocumentFile *file, Range place)
{
    const size_t begin = line_begin(file, place.begin), end = line_end(file, place.end);
    size_t next = end + 1;

    for (size_t at = begin; at < place.begin; at++) {
        if (strchr("#|[<\"'`%", file->bytes[at])) return false;
        if (file->bytes[at] == ':' && at > begin && char_is_alphanumeric(file->bytes[at - 1])) return false;
    }
    if (chars_skip_space(file->bytes, place.end, end) < end) return false;
    if (end == file->size) return true;
    /* A line of = or - makes a heading of Markdown from the line before it. */
    while (next < file->size && (file->bytes[next] == '=' || file->bytes[next] == '-')) next++;
    return next == end + 1 || chars_skip_space(file->bytes, next, file->size) < line_end(file, next);
}

/* Whether a unit of HTML gets two columns. The texts of options have no markup, and those of other contexts than that
 * of text do not either. */
static bool is_column(const DocumentFile *file, Range place, const UnitText *source)
{
    static const char option[] = "<option";
    size_t at = place.begin;

    if (source->context) return false;
    while (at && file->bytes[at - 1] != '<') at--;
    return !at || file->size - at < sizeof option || strncasecmp(file->bytes + at - 1, option, sizeof option - 1) != 0;
}

/* Writes what is before the first line of a block, with spaces instead of list markers. */
static void put_indent(const DocumentFile *file, size_t begin, bool with_blanks, Buf *out)
{
    const size_t start = line_begin(file, begin);
    size_t end = begin;

    while (!with_blanks && end > start && file->bytes[end - 1] != '>') end--;
    for (size_t at = start; at < end; at++) {
        const char c = file->bytes[at];
        if (!char_goes_on(c)) buf_put_byte(out, (char)(c == '>' || c == '\t' ? c : ' '));
    }
}

/* Writes the source of a unit, and after it its translation. */
static Status append_both(const DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering, Buf *out,
                          Err *err)
{
    const Document *doc = progress->document;
    const DocumentFile *file = &doc->file;
    const UnitText source = document_source(doc, (size_t)(unit - doc->units.data));
    const bool has_columns = doc->format->bilingual == BILINGUAL_COLUMNS && is_column(file, unit->place, &source);
    Status st = has_columns ? OK : append_same(progress, unit, &source, false, out, err);

    if (has_columns) { /* the source without its markup, and the beginning of the column of its translation */
        const char *language = doc->options->language;
        buf_put_format(out, COLUMN, "", "", "");
        for (size_t i = 0; i < source.length; i++) {
            const char c = source.text[i];
            if (c == '&' || c == '<' || c == '>')
                buf_put_text(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
            else
                buf_put_byte(out, c);
        }
        buf_put_text(out, "</span> ");
        buf_put_format(out, COLUMN, language ? " lang=\"" : "", language ? language : "", language ? "\"" : "");
    } else if (doc->format->bilingual == BILINGUAL_BLOCKS && is_block(file, unit->place)) {
        const size_t end = line_end(file, unit->place.end);
        const char *newline = end && end < file->size && file->bytes[end - 1] == '\r' ? "\r\n" : "\n";
        buf_put_text(out, newline);
        put_indent(file, unit->place.begin, false, out);
        buf_put_text(out, newline);
        put_indent(file, unit->place.begin, true, out);
    } else {
        buf_put_text(out, " / ");
    }
    if (st == OK) st = append_rendering(progress, unit, rendering, out, err);
    if (has_columns) buf_put_text(out, "</span>");
    return st;
}

Status document_write_unit(DocumentProgress *progress, const Rendering *rendering, Buf *out, Err *err)
{
    const Document *doc = progress->document;
    const UnitPart *unit = &doc->units.data[progress->unit++];
    Status st;

    if (unit->is_inside) return keep_inner(progress, unit, rendering, err);
    put_to(progress, unit->place.begin, out);
    progress->at = unit->place.end;
    if (doc->options->bilingual && rendering && !doc->texts.data[unit->own].embedded)
        st = append_both(progress, unit, rendering, out, err);
    else
        st = append_rendering(progress, unit, rendering, out, err);
    buf_reuse(&progress->inner);
    progress->inner_units.len = 0;
    return st == OK ? buf_check(out, err) : st;
}

Status document_write_end(DocumentProgress *progress, Buf *out, Err *err)
{
    put_to(progress, progress->document->file.size, out);
    return buf_check(out, err);
}

void document_progress_free(DocumentProgress *progress)
{
    buf_free(&progress->inner);
    buf_free(&progress->scratch);
    free(progress->inner_units.data);
    progress->inner_units.data = NULL;
}
