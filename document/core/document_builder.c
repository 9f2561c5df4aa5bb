/* document_builder.c - see document_builder.h. */
#include "document_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "document_parts.h"
#include "text_builder.h"
#include "utf8.h"

struct DocumentBuilder {
    Document *document;
    TextBuilder texts[TEXT_DEPTH]; /* each in the markup of the one before */
    size_t depth;                  /* of the texts that have begun */
    ArgumentRule arguments;        /* of texts that begin */
    const SpellingRules *embedded; /* of texts in data; NULL: texts are in no data */
    Status status;                 /* the first failure */
    Err err;
    Err reason; /* of a failure, without its place: fail_at() */
};

BuilderInput document_builder_input(const DocumentBuilder *b)
{
    static const char mark[] = "\xef\xbb\xbf";
    const DocumentFile *file = &b->document->file;
    const bool has_mark = file->size >= 3 && memcmp(file->bytes, mark, 3) == 0;

    return (BuilderInput){ file->bytes,          has_mark ? 3 : 0, file->size,
                           b->document->options, file->name,       b->document->format };
}

void document_builder_fail(DocumentBuilder *b, size_t at, const char *format, ...)
{
    const DocumentFile *file = &b->document->file;
    char text[sizeof b->err.text];
    size_t line = 1, column = 1; /* in code points */
    va_list args;

    if (b->status != OK) return;
    for (size_t i = 0; i < at && i < file->size; i++) {
        if (file->bytes[i] == '\n')
            line++, column = 1;
        else if (((unsigned char)file->bytes[i] & 0xc0) != 0x80)
            column++;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->status = err_set(&b->err, ERR_FORMAT, "%s:%zu:%zu: %s", file->name, line, column, text);
}

/* Remembers a failure for the reason in b->reason. */
static void fail_at(DocumentBuilder *b, size_t at, Status st)
{
    if (st == ERR_FORMAT) {
        document_builder_fail(b, at, "%s", b->reason.text);
    } else if (b->status == OK) {
        b->status = st;
        b->err = b->reason;
    }
}

void document_builder_fail_memory(DocumentBuilder *b)
{
    if (b->status == OK) b->status = err_memory(&b->err, b->document->file.name);
}

void document_builder_fault(DocumentBuilder *b, size_t line, size_t column, const char *reason)
{
    Document *doc = b->document;

    if (b->status != OK) return;
    if (buf_grow_list(&doc->faults, &doc->fault_capacity, doc->fault_count, 1, sizeof *doc->faults, "a fault",
                      &b->reason) != OK)
        document_builder_fail_memory(b);
    else
        doc->faults[doc->fault_count++] = (DocumentFault){ line, column, reason };
}

bool document_builder_failed(const DocumentBuilder *b)
{
    return b->status != OK;
}

bool document_builder_is_in_text(const DocumentBuilder *b)
{
    return b->depth > 0;
}

bool document_builder_can_begin(const DocumentBuilder *b)
{
    return b->depth < TEXT_DEPTH;
}

void document_builder_begin(DocumentBuilder *b, unsigned context, size_t at)
{
    if (!document_builder_can_begin(b))
        fail_at(b, at, err_internal(&b->reason, "the format nests too many texts"));
    else
        text_builder_begin(&b->texts[b->depth++], context, b->arguments, at);
}

/* The innermost text. */
static TextBuilder *text_of(DocumentBuilder *b)
{
    return &b->texts[b->depth ? b->depth - 1 : 0];
}

void document_builder_arguments(DocumentBuilder *b, ArgumentRule rule)
{
    b->arguments = rule;
}

void document_builder_divided(DocumentBuilder *b)
{
    text_builder_forbid_numbers(text_of(b));
}

static void add(DocumentBuilder *b, const Event *event, const char *text)
{
    if (b->status != OK) return;
    text_builder_add(text_of(b), event, text);
    if (text_of(b)->status != OK) fail_at(b, text_of(b)->begin, text_of(b)->status);
}

void document_builder_plain(DocumentBuilder *b, size_t begin, size_t end)
{
    if (begin < end) add(b, &(Event){ .kind = EVENT_PLAIN, .bytes = { begin, end } }, NULL);
}

void document_builder_spelled(DocumentBuilder *b, const char *text, size_t length, size_t begin, size_t end)
{
    const char *bytes = b->document->file.bytes;

    if (!length)
        document_builder_empty(b, begin, end);
    else if (length == end - begin && memcmp(text, bytes + begin, length) == 0)
        document_builder_plain(b, begin, end);
    else
        add(b, &(Event){ .kind = EVENT_SPELLED, .bytes = { begin, end }, .length = length }, text);
}

void document_builder_space(DocumentBuilder *b, size_t begin, size_t end)
{
    const char *bytes = b->document->file.bytes + begin;

    if (memchr(bytes, '\n', end - begin) || memchr(bytes, '\r', end - begin))
        add(b, &(Event){ .kind = EVENT_BREAK, .bytes = { begin, end }, .length = 1 }, " ");
    else
        document_builder_spelled(b, " ", 1, begin, end);
}

void document_builder_open(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_OPEN, .bytes = { begin, end }, .key = key }, NULL);
}

void document_builder_close(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_CLOSE, .bytes = { begin, end }, .key = key }, NULL);
}

void document_builder_close_label(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_CLOSE, .is_label = true, .bytes = { begin, end }, .key = key }, NULL);
}

void document_builder_empty(DocumentBuilder *b, size_t begin, size_t end)
{
    if (begin < end) add(b, &(Event){ .kind = EVENT_EMPTY, .bytes = { begin, end } }, NULL);
}

void document_builder_object(DocumentBuilder *b, Range name, size_t begin, size_t end)
{
    char text[64];
    const char *known = name.begin < name.end ? b->document->file.bytes + name.begin : "img";
    const size_t most = sizeof text - 2, length = name.begin < name.end ? name.end - name.begin : strlen(known);
    const size_t size = length < most ? length : most;

    text[0] = '<';
    memcpy(text + 1, known, size);
    text[size + 1] = '>';
    add(b, &(Event){ .kind = EVENT_OBJECT, .bytes = { begin, end }, .length = size + 2 }, text);
}

void document_builder_value(DocumentBuilder *b, const char *text, size_t length, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_OBJECT, .is_value = true, .bytes = { begin, end }, .length = length }, text);
}

/* Adds an empty element that separates words. */
static void add_separator(DocumentBuilder *b, size_t begin, size_t end, bool is_break, LineBreakKind kind)
{
    const Event event = { .kind = EVENT_SEPARATOR, .is_break = is_break, .break_kind = kind, .bytes = { begin, end } };

    if (begin < end) add(b, &event, NULL);
}

void document_builder_gap(DocumentBuilder *b, size_t begin, size_t end)
{
    add_separator(b, begin, end, false, BREAK_NEWLINE);
}

void document_builder_line_end(DocumentBuilder *b, size_t begin, size_t end)
{
    add_separator(b, begin, end, true, BREAK_HARD);
}

void document_builder_divide(DocumentBuilder *b, size_t begin, size_t end)
{
    add_separator(b, begin, end, true, BREAK_ALWAYS);
}

void document_builder_whole(DocumentBuilder *b)
{
    text_of(b)->is_whole = true;
}

void document_builder_next_context(DocumentBuilder *b, unsigned context)
{
    text_of(b)->next_context = context;
}

void document_builder_keep(DocumentBuilder *b, bool is_kept)
{
    text_of(b)->is_kept = is_kept;
}

bool document_builder_keeps(const DocumentBuilder *b)
{
    return b->texts[b->depth ? b->depth - 1 : 0].is_kept;
}

void document_builder_end_text(DocumentBuilder *b, size_t at, size_t *text)
{
    Status st;

    *text = b->document->text_count;
    if (b->status != OK) return;
    st = text_builder_end(text_of(b), at, b->document);
    if (st != OK) {
        fail_at(b, text_of(b)->begin, st);
    } else {
        b->document->texts[*text].more = (uint32_t)(b->document->text_count - *text - 1);
        for (size_t i = *text; i < b->document->text_count; i++) b->document->texts[i].embedded = b->embedded;
    }
    b->depth--;
}

void document_builder_embed(DocumentBuilder *b, const SpellingRules *rules)
{
    b->embedded = rules;
}

void document_builder_accelerators(DocumentBuilder *b, const char *marks)
{
    for (size_t i = 0; i < TEXT_DEPTH; i++) b->texts[i].accelerators = marks;
}

/* Whether anything in the text can be translated. */
static bool has_words(const Document *doc, const TextPart *text)
{
    for (size_t i = text->run; i < text->run + text->run_count; i++) {
        const Range range = doc->runs[i].text;
        for (size_t at = range.begin; !doc->runs[i].is_kept && at < range.end;) {
            uint32_t code;
            at += utf8_next(doc->text.data + text->text + at, range.end - at, &code);
            if (code != UTF8_INVALID && u_isalpha((UChar32)code)) return true;
        }
    }
    return false;
}

/* Removes the last text. */
static void drop_text(Document *doc)
{
    const TextPart *text = &doc->texts[--doc->text_count];

    doc->text.len = text->text;
    doc->run_count = text->run;
    doc->markup_count = text->markup;
}

static size_t append_unit(DocumentBuilder *b, const UnitPart *unit)
{
    Document *doc = b->document;
    Status st = OK;

    if (doc->unit_count == DOCUMENT_UNITS)
        st = err_set(&b->reason, ERR_FORMAT, "the document has more than %zu texts; split it", DOCUMENT_UNITS);
    if (st == OK)
        st = buf_grow_list(&doc->units, &doc->unit_capacity, doc->unit_count, 1, sizeof *doc->units, "a unit",
                           &b->reason);
    if (st != OK) {
        fail_at(b, unit->place.begin, st);
        return 0;
    }
    doc->units[doc->unit_count] = *unit;
    doc->units[doc->unit_count].number = doc->unit_count;
    return doc->unit_count++;
}

void document_builder_end_unit(DocumentBuilder *b, size_t at)
{
    Document *doc = b->document;
    size_t first;

    document_builder_end_text(b, at, &first);
    for (size_t i = first; b->status == OK && i < doc->text_count; i++)
        if (has_words(doc, &doc->texts[i]))
            append_unit(b, &(UnitPart){ .source = i, .own = i, .place = doc->texts[i].bytes });
    while (b->status == OK && doc->text_count > first && !has_words(doc, &doc->texts[doc->text_count - 1]))
        drop_text(doc);
}

void document_builder_drop_unit(DocumentBuilder *b, size_t at)
{
    size_t first;

    document_builder_end_text(b, at, &first);
    while (b->status == OK && b->document->text_count > first) drop_text(b->document);
}

void document_builder_next_unit(DocumentBuilder *b, unsigned context, size_t begin, size_t end)
{
    document_builder_end_unit(b, begin);
    document_builder_begin(b, context, end);
}

static StringPart copy_string(DocumentBuilder *b, const char *text)
{
    Buf *strings = &b->document->strings;
    const StringPart part = { strings->len, text ? strlen(text) : 0 };

    if (part.length && buf_append(strings, text, part.length, &b->reason) != OK) document_builder_fail_memory(b);
    return part;
}

size_t document_builder_add_unit(DocumentBuilder *b, const UnitPlan *plan)
{
    const size_t more = b->status == OK ? b->document->texts[plan->source].more : 0;
    size_t first = 0, end = 0;

    if (b->status == OK) end = b->document->texts[plan->own].suffix.end;
    for (size_t i = 0; b->status == OK && i <= more; i++) {
        UnitPart unit = { .source = plan->source + i, .own = plan->own, .is_done = plan->is_done };
        const TextPart *own;
        size_t number;
        if (i) {
            size_t nothing;
            document_builder_begin(b, 0, end);
            document_builder_end_text(b, end, &nothing);
            unit.own = (uint32_t)nothing;
        }
        if (b->status != OK) return 0;
        own = &b->document->texts[unit.own];
        unit.place = (Range){ own->prefix.begin, own->suffix.end };
        unit.is_copy = !has_words(b->document, &b->document->texts[unit.source]);
        if (!i) unit.before = copy_string(b, plan->before);
        if (i == more) unit.after = copy_string(b, plan->after);
        number = append_unit(b, &unit);
        if (!i) first = number;
    }
    return first;
}

static void append_change(DocumentBuilder *b, size_t unit, Range bytes, const char *text)
{
    Document *doc = b->document;
    Status st;

    if (b->status != OK) return;
    st = buf_grow_list(&doc->changes, &doc->change_capacity, doc->change_count, 1, sizeof *doc->changes, "a label",
                       &b->reason);
    if (st != OK)
        fail_at(b, bytes.begin, st);
    else
        doc->changes[doc->change_count++] = (ChangePart){ bytes, copy_string(b, text), unit };
}

void document_builder_mark(DocumentBuilder *b, size_t unit, size_t begin, size_t end, const char *text)
{
    append_change(b, unit, (Range){ begin, end }, text);
}

void document_builder_label(DocumentBuilder *b, size_t begin, size_t end, const char *text)
{
    const DocumentOptions *options = b->document->options;

    if (options->language && !options->keep_language) append_change(b, LABEL_UNIT, (Range){ begin, end }, text);
}

bool document_builder_is_language(const DocumentBuilder *b, size_t begin, size_t end)
{
    return document_languages_is(b->document, (Range){ begin, end });
}

void document_builder_language(DocumentBuilder *b, size_t begin, size_t end, const char *text)
{
    if (!document_builder_is_language(b, begin, end)) document_builder_label(b, begin, end, text);
}

void document_builder_names(DocumentBuilder *b, LanguageSide side, size_t begin, size_t end)
{
    if (b->status == OK) document_languages_note(b->document, side, (Range){ begin, end });
}

void document_builder_replace(DocumentBuilder *b, size_t begin, size_t end, const char *text)
{
    append_change(b, LABEL_UNIT, (Range){ begin, end }, text);
}

/* A unit in the markup of another one is added before it, but begins after it. */
static int compare_units(const void *a, const void *b)
{
    const UnitPart *x = a, *y = b;

    if (x->place.begin != y->place.begin) return x->place.begin < y->place.begin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* An empty place at the end of a unit is not inside. */
static bool is_inside(Range place, Range outer)
{
    return place.begin > outer.begin && place.begin < outer.end && place.end <= outer.end;
}

/* Changes at the same place stay in the order of their texts, which is that of adding. */
static int compare_changes(const void *a, const void *b)
{
    const ChangePart *x = a, *y = b;

    if (x->bytes.begin != y->bytes.begin) return x->bytes.begin < y->bytes.begin ? -1 : 1;
    if (x->bytes.end != y->bytes.end) return x->bytes.end < y->bytes.end ? -1 : 1;
    return x->text.at < y->text.at ? -1 : x->text.at > y->text.at;
}

/* Sorts the units and the changes by their places; a unit that is inside another one comes before it. The changes then
 * refer to the new order. Most formats add units in this order; sorting would need memory for a second list. */
static Status sort_parts(Document *doc, Err *err)
{
    UnitPart open[TEXT_DEPTH]; /* those around the next unit, the innermost last; they follow when they end */
    size_t *indices, sorted = 1, depth = 0, count = 0;

    if (doc->change_count) qsort(doc->changes, doc->change_count, sizeof *doc->changes, compare_changes);
    if (!doc->unit_count) return OK;
    indices = malloc(doc->unit_count * sizeof *indices);
    if (!indices) return err_memory(err, doc->file.name);
    while (sorted < doc->unit_count && doc->units[sorted - 1].place.begin <= doc->units[sorted].place.begin) sorted++;
    if (sorted < doc->unit_count) qsort(doc->units, doc->unit_count, sizeof *doc->units, compare_units);
    for (size_t i = 0; i < doc->unit_count; i++) { /* moves units that are inside another unit before it */
        const UnitPart unit = doc->units[i];
        while (depth && (depth == TEXT_DEPTH || !is_inside(unit.place, open[depth - 1].place)))
            doc->units[count++] = open[--depth];
        open[depth] = unit;
        open[depth].is_inside = depth > 0;
        depth++;
    }
    while (depth) doc->units[count++] = open[--depth];
    for (size_t i = 0; i < doc->unit_count; i++) indices[doc->units[i].number] = i;
    for (size_t i = 0; i < doc->change_count; i++)
        if (doc->changes[i].unit != LABEL_UNIT) doc->changes[i].unit = indices[doc->changes[i].unit];
    free(indices);
    return OK;
}

/* Whether two units or changes overlap, which is an error of the format. *place: where. */
static bool overlaps(const Document *doc, size_t *place)
{
    size_t at = 0, change = 0;

    for (size_t i = 0; i <= doc->unit_count; i++) {
        const Range unit = i < doc->unit_count ? doc->units[i].place : (Range){ doc->file.size, doc->file.size };
        if (i < doc->unit_count && doc->units[i].is_inside) continue;
        for (; change < doc->change_count && doc->changes[change].bytes.begin <= unit.begin; change++) {
            const Range bytes = doc->changes[change].bytes;
            *place = bytes.begin;
            if (bytes.begin < at || bytes.end > unit.begin) return true;
            at = bytes.end;
        }
        *place = unit.begin;
        if (unit.begin < at) return true;
        at = unit.end;
    }
    return false;
}

Status document_builder_new(DocumentBuilder **out, const DocumentFormat *format, const DocumentFile *file,
                            const DocumentOptions *options, Err *err)
{
    DocumentBuilder *b = calloc(1, sizeof *b);
    Document *doc = calloc(1, sizeof *doc);

    *out = b;
    if (!b || !doc) {
        free(b);
        free(doc);
        *out = NULL;
        return err_memory(err, file->name);
    }
    *doc = (Document){ .format = format, .file = *file, .options = options };
    b->document = doc;
    for (size_t i = 0; i < TEXT_DEPTH; i++) b->texts[i] = (TextBuilder){ .source = file->bytes, .err = &b->reason };
    return OK;
}

Status document_builder_finish(DocumentBuilder *b, Document **out, Err *err)
{
    Status st = b->status;
    size_t at;

    if (st == OK) b->status = sort_parts(b->document, &b->err);
    if (b->status == OK && overlaps(b->document, &at))
        fail_at(b, at, err_internal(&b->reason, "the format replaces bytes twice"));
    if (b->status == OK) document_languages_complete(b->document);
    st = b->status;
    *out = b->document;
    if (st != OK) {
        *err = b->err;
        document_free(b->document);
        *out = NULL;
    }
    for (size_t i = 0; i < TEXT_DEPTH; i++) text_builder_free(&b->texts[i]);
    free(b);
    return st;
}
