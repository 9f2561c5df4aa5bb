/* document.c - how a document is read and written: see document.h.
 *
 * One function, append_text(), writes translations and a unit's own text. Both are spelled and wrapped like a text of
 * the document, the model: the source of a translation, or the own text itself. The text and the markup first become a
 * list of atoms (parts of the output) in order. A second pass writes the atoms, because the spelling of a character and
 * the end of a line depend on what follows.
 *
 * Characters  See SpellingRules in document_formats.h. Characters of kept parts are spelled as in the source, if the
 *             format allows it in the new place; other characters do not take over their spellings.
 * Lines       If the model text has line breaks, the text is wrapped at the width W of the model's widest line. Line i
 *             ends where its next word would exceed a limit L[i]. If the model's line i has C[i] columns and the first
 *             word of the line after it has w[i] columns:
 *
 *                 L[i] = min(max(W, C[i]), C[i] + w[i]),  and W for further lines
 *
 *             So L[i] = W where the model was wrapped at W, and the model itself always gets its own lines. Columns are
 *             code points. Break i has the bytes of the model's i-th break, and further breaks have the bytes of its
 *             last one. After markup or a kept part with line breaks, such as the times between two cues, i goes on
 *             with the model's line after these breaks. Kept parts have their own spaces and line breaks everywhere.
 *             A format that keeps the number of lines adds as few columns as possible to each limit.
 * Markup      The places of the markup should form a tree. Where they do not, they are corrected, so the result is
 *             always well-formed. */
#include "document.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "document_formats.h"
#include "document_parts.h"
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
    buf_free(&doc->warnings);
    free(doc->runs.data);
    free(doc->markup.data);
    free(doc->texts.data);
    free(doc->units.data);
    free(doc->changes.data);
    free(doc->faults.data);
    buf_free(&doc->composed);
    free(doc->origins.data);
    free(doc);
}

size_t document_memory(const Document *doc)
{
    return doc->text.len + doc->strings.len + doc->composed.len + doc->runs.len * sizeof *doc->runs.data +
           doc->markup.len * sizeof *doc->markup.data + doc->texts.len * sizeof *doc->texts.data +
           doc->units.len * sizeof *doc->units.data + doc->changes.len * sizeof *doc->changes.data;
}

size_t document_unit_count(const Document *doc)
{
    return doc->units.len;
}

bool document_is_wanted(const Document *doc, size_t unit)
{
    return document_parts_changes(doc, &doc->units.data[unit]) && !doc->units.data[unit].is_copy;
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
                       .message = part->message,
                       .context = part->context,
                       .spelling = part->embedded ? part->embedded : doc->format->spelling };
}

UnitText document_source(const Document *doc, size_t unit)
{
    return text_at(doc, doc->units.data[unit].source);
}

const DocumentFault *document_faults(const Document *doc, size_t *count)
{
    *count = doc->faults.len;
    return doc->faults.data;
}

const char *document_warnings(const Document *doc)
{
    return doc->warnings.data;
}

/* Counts the elements of bytes[begin, end) that have one of these names, with any prefix. */
static size_t count_elements(const char *bytes, size_t begin, size_t end, const char *names)
{
    size_t count = 0;

    for (size_t at = begin; (at = chars_find(bytes, at, end, '<')) < end;) {
        size_t name = ++at;
        while (at < end && !char_is_space(bytes[at]) && !strchr("/>", bytes[at])) name = bytes[at++] == ':' ? at : name;
        count += chars_are_among(bytes + name, at - name, names);
    }
    return count;
}

/* The text of an archive is a list of names, each followed by its part. Names and parts end with NUL: package.h. */
DocumentPlace document_place(const Document *doc, size_t unit)
{
    const char *bytes = doc->file.bytes;
    const TextPart *source = &doc->texts.data[doc->units.data[unit].source];
    const size_t at =
        source->message ? doc->units.data[unit].place.begin : document_parts_origin(doc, source->bytes.begin);
    const char *paragraphs = doc->format->paragraphs;
    DocumentPlace place = { "", "", ":", 0 };
    size_t begin = 0;

    if (doc->format->package) {
        size_t name;
        for (begin = at; begin && bytes[begin - 1];) begin--;
        for (name = begin ? begin - 1 : 0; name && bytes[name - 1];) name--;
        place.slash = "/";
        place.part = bytes + name;
    }
    if (paragraphs) place.number = count_elements(bytes, begin, at, paragraphs);
    if (place.number)
        place.mark = ", paragraph ";
    else
        place.number = document_parts_line(&doc->file, begin, at);
    return place;
}

const DocumentLanguages *document_languages(const Document *doc)
{
    return &doc->languages;
}

/* --- Writing a text in its place ------------------------------------------------------ */

static void put_range(const Document *doc, size_t begin, size_t end, Buf *out)
{
    buf_put(out, doc->file.bytes + begin, end - begin);
}

static void put_string(const Document *doc, StringPart part, Buf *out)
{
    if (part.length) buf_put(out, doc->strings.data + part.at, part.length);
}

typedef enum {
    ATOM_PLAIN,   /* written as it is: text or markup */
    ATOM_TAG,     /* markup that takes no columns (SpellingRules.counts_text) */
    ATOM_SPACE,   /* a space or the end of a line */
    ATOM_SPECIAL, /* the character `code`; `bytes` is the spelling in the source */
    ATOM_NEW,     /* the character `code`, for which no spelling is left; `bytes` is the character */
    ATOM_MESSAGE, /* an apostrophe or a brace that is text in an ICU message; `bytes` as in ATOM_SPECIAL or ATOM_NEW */
    ATOM_OPEN,    /* a tag that is a mark (MarkRules): the opening tag of the span `slot`; ATOM_SHUT: the closing one */
    ATOM_SHUT,
    ATOM_LABEL, /* writes nothing; a label begins after it. Labels do not contain other labels */
    ATOM_CLOSE  /* the end of the span `slot`, which is a label */
} AtomKind;

typedef struct {
    AtomKind kind;
    uint32_t code;
    const char *bytes; /* [length] */
    size_t length;
    size_t slot; /* 1 + the index of the innermost span around the atom; 0: none */
} Atom;

/* An occurrence of a special character in the model. */
typedef struct {
    const char *bytes; /* [length], how it is spelled; NULL: its bytes also spell other characters */
    size_t length;
    const char *text; /* [text_length], what the spelling stands for; it begins with the character */
    size_t text_length;
    size_t next; /* the next occurrence of the character: 1 + its index; 0: none */
} Spelling;

/* A special character of the model. `next` is its first spelling that is not used yet, and `last` its last spelling:
 * 1 + the index; 0: none. `code` comes first in the struct for ranges_compare_begin(). */
typedef struct {
    size_t code, next, last;
} SpecialCode;

/* The spans whose tags are marks (MarkRules in document_formats.h), and what has been tried so that readers of the
 * format take the tags for marks at their new places. */
typedef struct {
    const MarkRules *rules; /* NULL: there are no marks, and the lists are not used */
    struct {
        unsigned char attempt; /* 0: the tags of the source are used; from 1: the argument of MarkRules.replace */
        unsigned char misfits; /* 1: the opening mark does not fit, 2: the closing one, 3: both */
    } * spans;                 /* [markup_count] */
    unsigned passes;
} MarkFit;

typedef struct {
    size_t run;      /* index of the run that is the line break */
    Range bytes;     /* of the line break */
    size_t newlines; /* newlines before it that are in markup, spellings or kept parts, not in line breaks */
    size_t limit;    /* columns that the line before it may have */
    size_t indent;   /* columns of the break after its last newline: the next line begins there */
} LineBreak;

/* Where the lines of the model end: the rule at the head of this file. */
typedef struct {
    LineBreak *data; /* empty list: the model is not wrapped */
    size_t len, cap;
    bool failed;
    size_t first_column; /* where the first line begins */
    size_t width;        /* of the widest line */
    size_t newlines;     /* in markup, spellings and kept parts of the text */
    size_t run;          /* index of the first run that ends after the bytes whose lines are counted */
} LineList;

/* Markup in the order of its places. At the same place, an empty element goes before a span. */
typedef struct {
    size_t parent; /* 0: none; otherwise 1 + its index */
    Range place;
    size_t index;
} Child;

typedef struct {
    const DocumentProgress *progress; /* its inner units are written in place of parts of the markup */
    const Document *doc;
    const char *bytes; /* [bytes_end], of the document and its composed texts, or of the texts of its ICU messages */
    size_t bytes_end;
    const UnitText *model;      /* the text whose spellings, lines and markup are used */
    bool is_written;            /* the model is written unchanged, with its hints, so its quotes stay */
    const SpellingRules *rules; /* of the model */
    size_t after, end;          /* where the bytes begin and end that follow the text */
    Rendering rendering;        /* a translation without white space at its ends */
    Buf *out;
    Status status; /* the first failure other than missing memory for *out */
    Err *err;
    unsigned context;
    const char *quotes; /* written before and after the text; "": none */
    Range *places;      /* [markup_count], copied from the rendering; places of marks may be moved */
    MarkFit fit;
    LIST_OF(Spelling) spellings;
    LIST_OF(SpecialCode) codes; /* sorted */
    LineList lines;
    SpanList kept;              /* of the rendering, sorted by their places */
    size_t next_kept, next_run; /* of the model: add_breaks() */
    Child *children;            /* [markup_count], sorted */
    size_t *first;              /* [markup_count + 2], where the children of each parent begin */
    LIST_OF(Atom) atoms;
    size_t slot;     /* Atom.slot of the atoms that are added next */
    size_t start;    /* where the text begins in the output */
    size_t label;    /* where the last label begins in the output */
    size_t line;     /* index of the break of the model after the current line: has_model() */
    size_t newlines; /* number of newlines written outside of line breaks */
    size_t column;   /* the current column of the output */
    ptrdiff_t extra; /* columns by which lines may exceed their limits; negative: must be narrower */
} UnitWriter;

static bool is_special(const UnitWriter *w, uint32_t code)
{
    return w->rules->is_special && w->rules->is_special(w->context, code);
}

/* Copies the bytes that follow an atom, as the source spells them, to ahead[SPELLING_AHEAD]. Returns their number. */
static size_t bytes_ahead(const UnitWriter *w, size_t index, char *ahead)
{
    size_t length = 0;

    for (size_t i = index + 1; i <= w->atoms.len && length < SPELLING_AHEAD; i++) {
        const bool is_last = i == w->atoms.len;
        const char *bytes = is_last ? w->bytes + w->after : w->atoms.data[i].bytes;
        const size_t size = is_last ? w->bytes_end - w->after : w->atoms.data[i].length;
        const size_t count = size < SPELLING_AHEAD - length ? size : SPELLING_AHEAD - length;
        if (count) memcpy(ahead + length, bytes, count);
        length += count;
    }
    return length;
}

/* Whether byte `at` of the source is in a kept part of the rendering. Set *next to 0 before the first call, and call it
 * with ascending values of `at`. */
static bool is_in_kept(const Rendering *rendering, size_t *next, size_t at)
{
    while (*next < rendering->kept_count && rendering->kept[*next].source.end <= at) ++*next;
    return *next < rendering->kept_count && rendering->kept[*next].source.begin <= at;
}

/* --- How the model spells its special characters ---------------------------------- */

static SpecialCode *find_code(const UnitWriter *w, uint32_t code)
{
    const SpecialCode key = { code, 0, 0 };

    return w->codes.len ? bsearch(&key, w->codes.data, w->codes.len, sizeof key, ranges_compare_begin) : NULL;
}

/* Adds a code, unless it was also the last one that was added. */
static void add_code(UnitWriter *w, uint32_t code)
{
    if (!w->codes.len || w->codes.data[w->codes.len - 1].code != code)
        LIST_PUT(&w->codes, ((SpecialCode){ code, 0, 0 }));
}

/* Lists the special characters and their spellings in the model, as SpellingRules in document_formats.h explains. */
static Status find_spellings(UnitWriter *w)
{
    const UnitText *text = w->model;
    size_t count = 0, kept = 0, at = 0, step;
    uint32_t code;
    Status st;

    /* Lists the characters that are special by the rules, and those that the model does not spell as themselves
     * everywhere. A run without bytes is a space that is not written: Markup.is_space. */
    w->spellings.len = w->codes.len = 0;
    for (size_t i = 0; i < text->run_count; i++) {
        const Run *run = &text->runs[i];
        if (run->bytes.begin == run->bytes.end) continue;
        if (run->kind == RUN_SPELLED) {
            (void)utf8_next(text->text + run->text.begin, run->text.end - run->text.begin, &code);
            add_code(w, code);
            continue;
        }
        for (at = run->text.begin; w->rules->is_special && at < run->text.end;) {
            at += utf8_next(text->text + at, run->text.end - at, &code);
            if (w->rules->is_special(text->context, code)) add_code(w, code);
        }
    }
    if (w->codes.len) qsort(w->codes.data, w->codes.len, sizeof *w->codes.data, ranges_compare_begin);
    for (size_t i = 0; i < w->codes.len; i++)
        if (!count || w->codes.data[count - 1].code != w->codes.data[i].code) w->codes.data[count++] = w->codes.data[i];
    w->codes.len = count;

    /* Lists the occurrences of these characters, except in kept parts, which keep their own spellings. */
    for (size_t i = 0; count && i < text->run_count; i++) {
        const Run *run = &text->runs[i];
        if (run->bytes.begin == run->bytes.end) continue;
        for (at = run->text.begin; at < run->text.end && !w->spellings.failed; at += step) {
            Spelling spelling = { .text = text->text + at };
            SpecialCode *known;
            step = utf8_next(spelling.text, run->text.end - at, &code);
            known = find_code(w, code);
            if (!known || is_in_kept(&w->rendering, &kept, at)) continue;
            if (run->kind == RUN_PLAIN) {
                spelling.bytes = spelling.text;
                spelling.length = spelling.text_length = step;
            } else if (run->kind == RUN_SPELLED && at == run->text.begin) {
                spelling.bytes = w->bytes + run->bytes.begin;
                spelling.length = run->bytes.end - run->bytes.begin;
                spelling.text_length = run->text.end - at;
            }
            *(known->last ? &w->spellings.data[known->last - 1].next : &known->next) = w->spellings.len + 1;
            known->last = w->spellings.len + 1;
            LIST_PUT(&w->spellings, spelling);
        }
    }
    st = LIST_CHECK(&w->codes, "spellings", w->err);
    return st == OK ? LIST_CHECK(&w->spellings, "spellings", w->err) : st;
}

/* Takes the next spelling of a character. Returns NULL if none is left or the bytes also spell other characters. */
static const Spelling *take_spelling(UnitWriter *w, uint32_t code)
{
    SpecialCode *known = find_code(w, code);
    const Spelling *spelling = known && known->next ? &w->spellings.data[known->next - 1] : NULL;

    if (spelling) known->next = spelling->next;
    return spelling && spelling->bytes ? spelling : NULL;
}

/* --- Tags that are marks (MarkRules) ------------------------------------------------- */

#define MOST_ATTEMPTS 2
#define MOST_PASSES   8

static bool are_marks(const UnitWriter *w, size_t index)
{
    const Markup *markup = &w->model->markup[index];

    return !markup->is_empty &&
           w->rules->marks->is_mark(w->bytes + markup->open.begin, markup->open.end - markup->open.begin,
                                    w->bytes + markup->close.begin, markup->close.end - markup->close.begin);
}

/* Moves one end of a span inwards past characters that MarkRules.may_pass allows, unless the span would become empty.
 * Marks inside the span move with its end; other markup must stay in the span. Returns whether the end has moved. */
static bool shrink(UnitWriter *w, size_t index, bool closes)
{
    MarkFit *fit = &w->fit;
    const char *text = w->rendering.text;
    const UnitText *model = w->model;
    Range place = w->places[index], needed = { place.end, place.begin };
    const Range old = place;
    size_t last = index + 1; /* index after the markup inside the span, which the list has directly after the span */
    uint32_t code;

    while (last < model->markup_count && model->markup[last].parent != MARKUP_ROOT &&
           model->markup[last].parent >= index)
        last++;
    for (size_t i = index + 1; i < last; i++) {
        if (are_marks(w, i)) continue;
        if (w->places[i].begin < needed.begin) needed.begin = w->places[i].begin;
        if (w->places[i].end > needed.end) needed.end = w->places[i].end;
    }
    while (!closes && place.begin < place.end && place.begin < needed.begin) {
        const size_t step = utf8_next(text + place.begin, place.end - place.begin, &code);
        if (!fit->rules->may_pass(code)) break;
        place.begin += step;
    }
    while (closes && place.begin < place.end && place.end > needed.end) {
        const size_t length = utf8_previous(text + place.begin, place.end - place.begin, &code);
        if (!fit->rules->may_pass(code)) break;
        place.end = place.begin + length;
    }
    if (place.begin >= place.end || (place.begin == old.begin && place.end == old.end)) return false;
    w->places[index] = place;
    for (size_t i = index + 1; i < last; i++) {
        Range *inner = &w->places[i];
        if (inner->begin < place.begin) inner->begin = place.begin;
        if (inner->begin > place.end) inner->begin = place.end;
        if (inner->end > place.end) inner->end = place.end;
        if (inner->end < inner->begin) inner->end = inner->begin;
    }
    return true;
}

/* Whether readers of the format take the mark in atom `index` for a mark at its place. */
static bool fits(const UnitWriter *w, size_t index)
{
    char before[SPELLING_AHEAD], after[SPELLING_AHEAD];
    const Atom *atom = &w->atoms.data[index], *previous = index ? atom - 1 : NULL, *next = atom + 1;
    const bool closes = atom->kind == ATOM_SHUT;
    size_t start = SPELLING_AHEAD;
    MarkPlace place = { .context = w->context, .mark = atom->bytes, .length = atom->length, .closes = closes };

    for (size_t i = index; i-- && start;) {
        const Atom *other = &w->atoms.data[i];
        const size_t count = other->length < start ? other->length : start;
        start -= count;
        if (count) memcpy(before + start, other->bytes + other->length - count, count);
    }
    place.is_empty = !closes && next->kind == ATOM_SHUT && next->slot == atom->slot;
    place.follows_same = !closes && previous && previous->kind == ATOM_SHUT && previous->length == atom->length &&
                         memcmp(previous->bytes, atom->bytes, atom->length) == 0;
    place.before = before + start;
    place.before_length = SPELLING_AHEAD - start;
    place.after = after;
    place.after_length = bytes_ahead(w, index, after);
    return w->fit.rules->fits(&place);
}

/* Changes the spans whose marks do not fit: fits(). Returns whether there were any. After a few calls, such spans get
 * tags that fit everywhere, so at most about MARKUP_DEPTH calls return true. */
static bool change_misfits(UnitWriter *w)
{
    MarkFit *fit = &w->fit;
    bool has_changed = false;

    if (!fit->rules) return false;
    for (size_t i = 0; i < w->atoms.len; i++) {
        const Atom *atom = &w->atoms.data[i];
        if ((atom->kind == ATOM_OPEN || atom->kind == ATOM_SHUT) && !fits(w, i))
            fit->spans[atom->slot - 1].misfits |= atom->kind == ATOM_SHUT ? 2 : 1;
    }
    fit->passes++;
    for (size_t i = 0; i < w->model->markup_count; i++) {
        bool has_moved = false;
        if (!fit->spans[i].misfits) continue;
        for (int closes = 0; fit->passes <= MOST_PASSES && closes < 2 && !fit->spans[i].attempt; closes++)
            if (fit->spans[i].misfits & (1 << closes)) has_moved |= shrink(w, i, closes);
        if (fit->passes > MOST_PASSES)
            fit->spans[i].attempt = MOST_ATTEMPTS;
        else
            fit->spans[i].attempt += !has_moved;
        fit->spans[i].misfits = 0;
        has_changed = true;
    }
    return has_changed;
}

/* --- The lines of the model --------------------------------------------------------- */

/* Whether byte `at` of the document takes columns. *run: the index of a run; call it with ascending values of `at`. */
static bool takes_columns(const UnitWriter *w, size_t *run, size_t at)
{
    const UnitText *text = w->model;

    if (!w->rules->counts_text) return true;
    while (*run < text->run_count && text->runs[*run].bytes.end <= at) ++*run;
    return *run < text->run_count && text->runs[*run].bytes.begin <= at;
}

/* Returns the column after the bytes [begin, end). Counts the lines that end in them, and updates the width. */
static size_t pass_lines(UnitWriter *w, size_t begin, size_t end, size_t column)
{
    const char *bytes = w->bytes;

    for (size_t at = begin; at < end; at++) {
        if (char_is_newline(bytes[at])) {
            w->lines.newlines++;
            if (column > w->lines.width) w->lines.width = column;
            column = 0;
        } else {
            column += takes_columns(w, &w->lines.run, at) && !char_goes_on(bytes[at]);
        }
    }
    return column;
}

/* A column is counted from at most so many bytes before a text. It is the same for the model and the translation, so a
 * longer line changes no line break. */
#define LINE_BYTES ((size_t)4096)

/* Finds the line breaks of the model that are not in the kept parts of the rendering. */
static Status find_lines(UnitWriter *w)
{
    LineList *lines = &w->lines;
    const UnitText *text = w->model;
    const char *bytes = w->bytes;
    size_t kept = 0, begin = text->bytes.begin, start = begin, column = 0;

    for (size_t i = 0; i < text->run_count; i++) {
        const Range range = text->runs[i].bytes;
        const size_t at = text->runs[i].text.begin;
        size_t columns;
        if (text->runs[i].kind != RUN_BREAK) continue;
        if (is_in_kept(&w->rendering, &kept, at) &&
            (text->runs[i].text.end > at || w->rendering.kept[kept].source.begin < at)) /* not directly before it */
            continue;
        if (!lines->len) {
            while (start && begin - start < LINE_BYTES && !w->rules->counts_text && !char_is_newline(bytes[start - 1]))
                start--;
            lines->first_column = column = chars_count(bytes + start, begin - start);
        }
        columns = pass_lines(w, begin, range.begin, column);
        if (columns > lines->width) lines->width = columns;
        start = begin = range.end;
        while (start > range.begin && !w->rules->counts_text && !char_is_newline(bytes[start - 1])) start--;
        column = chars_count(bytes + start, begin - start);
        LIST_PUT(lines, ((LineBreak){ i, range, lines->newlines, columns, column })); /* the smallest limit */
    }
    if (!lines->len) return LIST_CHECK(lines, "lines", w->err);
    column = pass_lines(w, begin, text->bytes.end, column);
    if (column > lines->width) lines->width = column;
    for (size_t k = 0; k < lines->len; k++) { /* now the widest line is known: raises the limits up to its width */
        LineBreak *line = &lines->data[k];
        const char *end = NULL; /* of the word that begins after the break */
        size_t run = line->run + 1;
        for (size_t i = run; !end && i < text->run_count; i++) {
            const Range range = text->runs[i].bytes;
            if (text->runs[i].kind == RUN_BREAK)
                end = bytes + range.begin;
            else if (text->runs[i].kind == RUN_PLAIN)
                end = memchr(bytes + range.begin, ' ', range.end - range.begin);
        }
        if (!end) end = bytes + text->bytes.end;
        for (size_t at = line->bytes.end; bytes + at < end && !char_is_newline(bytes[at]); at++)
            line->limit += takes_columns(w, &run, at) && !char_goes_on(bytes[at]);
        if (line->limit > lines->width) line->limit = lines->width;
    }
    return LIST_CHECK(lines, "lines", w->err);
}

/* --- The list of atoms -------------------------------------------------------------- */

static int compare_children(const void *a, const void *b)
{
    const Child *x = a, *y = b;

    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->place.begin != y->place.begin) return x->place.begin < y->place.begin ? -1 : 1;
    if (x->place.end != y->place.end) return x->place.end < y->place.end ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static void add_atom(UnitWriter *w, AtomKind kind, uint32_t code, const char *bytes, size_t length)
{
    Atom *last = w->atoms.len ? &w->atoms.data[w->atoms.len - 1] : NULL;

    if (kind == ATOM_PLAIN && last && last->kind == ATOM_PLAIN && last->slot == w->slot &&
        last->bytes + last->length == bytes)
        last->length += length;
    else
        LIST_PUT(&w->atoms, ((Atom){ kind, code, bytes, length, w->slot }));
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The kind of the atom for a character for which no spelling of the source is left. */
static AtomKind new_kind(const UnitWriter *w, uint32_t code)
{
    if (is_special(w, code) || !text_encoding_holds(w->progress->encoding, code)) return ATOM_NEW;
    return code == ' ' && w->lines.len ? ATOM_SPACE : ATOM_PLAIN;
}

/* Adds the character at the beginning of a text, with the spelling of its next occurrence in the source. Returns how
 * many bytes of the text this spelling stands for. `step`: the length of the character. */
static size_t add_character(UnitWriter *w, const char *text, size_t left, uint32_t code, size_t step)
{
    const bool is_message = w->model->message && !w->is_written && code < 0x80 && strchr("'{}", (int)code);
    const Spelling *spelling = take_spelling(w, code);
    bool is_plain;

    if (!spelling || spelling->text_length > left || memcmp(spelling->text, text, spelling->text_length) != 0) {
        add_atom(w, is_message ? ATOM_MESSAGE : new_kind(w, code), code, text, step);
        return step;
    }
    if (is_message) {
        add_atom(w, ATOM_MESSAGE, code, spelling->bytes, spelling->length);
        return spelling->text_length;
    }
    for (size_t at = step, next; at < spelling->text_length; at += next) {
        uint32_t inner;
        next = utf8_next(text + at, spelling->text_length - at, &inner);
        (void)take_spelling(w, inner);
    }
    is_plain = spelling->bytes == spelling->text;
    add_atom(w, is_plain && code == ' ' ? ATOM_SPACE : ATOM_SPECIAL, code, spelling->bytes, spelling->length);
    return spelling->text_length;
}

/* Adds bytes of a tag. If choose_context() has chosen another context, the bytes are spelled as in that context. */
static void add_tag_range(UnitWriter *w, size_t begin, size_t end)
{
    const char *bytes = w->bytes;

    if (w->context == w->model->context) {
        if (begin < end) add_atom(w, w->rules->counts_text ? ATOM_TAG : ATOM_PLAIN, 0, bytes + begin, end - begin);
        return;
    }
    for (size_t at = begin, step; at < end; at += step) {
        uint32_t code;
        step = utf8_next(bytes + at, end - at, &code);
        add_atom(w, code >= ' ' && is_special(w, code) ? ATOM_NEW : ATOM_PLAIN, code, bytes + at, step);
    }
}

/* Adds the bytes of a tag, with the inner units in it. Leaves out blanks before a tag at the beginning of a
 * translation, because block scalars of YAML and paragraphs of Markdown must not begin with blanks. */
static void add_bytes(UnitWriter *w, Range range)
{
    const DocumentProgress *progress = w->progress;
    size_t at = range.begin, i;

    if (!w->atoms.len && !w->is_written) {
        at = chars_skip_blanks(w->bytes, at, range.end);
        if (at == range.end) at = range.begin;
    }
    FIND_FIRST(i, progress->inner_units.len, progress->inner_units.data[i].place.begin >= at);
    for (; i < progress->inner_units.len; i++) {
        const InnerUnit *inner = &progress->inner_units.data[i];
        if (inner->place.begin >= range.end) break;
        add_tag_range(w, at, inner->place.begin);
        add_atom(w, ATOM_PLAIN, 0, progress->inner.data + inner->at, inner->length);
        at = inner->place.end;
    }
    add_tag_range(w, at, range.end);
}

/* Adds the bytes [begin, end) of the model's text as they are spelled there, with their spaces and line breaks. */
static void add_kept(UnitWriter *w, size_t begin, size_t end)
{
    const UnitText *model = w->model;
    const char *bytes = w->bytes;
    size_t i;

    FIND_FIRST(i, model->run_count, model->runs[i].text.end > begin);
    for (; i < model->run_count; i++) {
        const Run *run = &model->runs[i];
        const size_t length = run->bytes.end - run->bytes.begin;
        uint32_t code;
        if (run->text.begin >= end) break;
        if (run->kind == RUN_PLAIN) {
            const size_t stop = clamp(end, 0, run->text.end);
            for (size_t at = clamp(begin, run->text.begin, run->text.end), step; at < stop; at += step) {
                step = utf8_next(model->text + at, stop - at, &code);
                add_atom(w, is_special(w, code) ? ATOM_SPECIAL : ATOM_PLAIN, code, model->text + at, step);
            }
        } else if (run->kind == RUN_BREAK) {
            if (length) add_atom(w, ATOM_PLAIN, 0, bytes + run->bytes.begin, length);
        } else if (run->kind == RUN_ELEMENT) {
            add_bytes(w, run->bytes);
        } else {
            (void)utf8_next(model->text + run->text.begin, run->text.end - run->text.begin, &code);
            add_atom(w, ATOM_SPECIAL, code, bytes + run->bytes.begin, length);
        }
    }
}

/* Adds spaces without bytes for the line breaks without text at byte `at` of the model. The model is written
 * unchanged. */
static void add_breaks(UnitWriter *w, size_t at)
{
    const UnitText *model = w->model;

    for (; w->next_run < model->run_count && model->runs[w->next_run].text.end <= at; w->next_run++)
        if (model->runs[w->next_run].text.begin == at && model->runs[w->next_run].kind == RUN_BREAK)
            add_atom(w, ATOM_SPACE, ' ', "", 0);
}

/* Adds a part of the text. Parts are added in order. */
static void add_text(UnitWriter *w, size_t begin, size_t end)
{
    const char *text = w->rendering.text;

    for (size_t at = begin, stop; at < end; at = stop) {
        const Span *kept;
        while (w->next_kept < w->kept.len && w->kept.data[w->next_kept].place.end <= at) w->next_kept++;
        kept = w->next_kept < w->kept.len ? &w->kept.data[w->next_kept] : NULL;
        if (kept && kept->place.begin <= at) {
            const size_t moved = kept->source.begin - kept->place.begin;
            stop = clamp(kept->place.end, at, end);
            add_kept(w, at + moved, stop + moved);
            continue;
        }
        stop = kept ? clamp(kept->place.begin, at, end) : end;
        while (at < stop) {
            uint32_t code;
            const size_t step = utf8_next(text + at, stop - at, &code);
            if (w->is_written) add_breaks(w, at);
            at += add_character(w, text + at, stop - at, code, step);
        }
    }
}

/* Adds an end of a span. */
static void add_tag(UnitWriter *w, size_t index, bool closes)
{
    const MarkFit *fit = &w->fit;
    const Markup *markup = &w->model->markup[index];
    const char *bytes = w->bytes, *other = NULL; /* what replaces the tag */
    const Range range = closes ? markup->close : markup->open;
    const bool is_mark = fit->rules && fit->spans[index].attempt < MOST_ATTEMPTS && are_marks(w, index);
    const AtomKind kind = !is_mark ? ATOM_PLAIN : closes ? ATOM_SHUT : ATOM_OPEN;

    w->slot = index + 1;
    /* A span with only one tag here continues in another text, which has the other tag: do not replace this tag. */
    if (fit->rules && fit->spans[index].attempt && markup->open.begin < markup->open.end &&
        markup->close.begin < markup->close.end)
        other = fit->rules->replace(bytes + range.begin, range.end - range.begin, closes, fit->spans[index].attempt);
    if (closes && markup->is_label)
        add_atom(w, ATOM_CLOSE, 0, bytes + range.begin, range.end - range.begin);
    else if (other)
        add_atom(w, kind, 0, other, strlen(other));
    else if (kind != ATOM_PLAIN)
        add_atom(w, kind, 0, bytes + range.begin, range.end - range.begin);
    else
        add_bytes(w, range);
    if (!closes && markup->is_label) add_atom(w, ATOM_LABEL, 0, "", 0);
}

/* Whether the text has a space at `at`. */
static bool has_space(const UnitWriter *w, size_t at)
{
    return at < w->rendering.length && w->rendering.text[at] == ' ';
}

/* Adds a space before (`is_before`) or after the empty element of w->children[i], if the source has spaces on both
 * sides of the element and this one is missing. Among elements at one place, only the first one may get a space before
 * it, and only the last one a space after it. */
static void add_lacking_space(UnitWriter *w, size_t i, size_t from, bool is_before)
{
    const UnitText *model = w->model;
    const Markup *markup = &model->markup[w->children[i].index];
    const size_t at = markup->text.begin, other = is_before ? i - 1 : i + 1;
    const bool is_alone =
        is_before ? i == w->first[w->children[i].parent] : i + 1 == w->first[w->children[i].parent + 1];
    uint32_t beside, mask;

    if (!markup->is_empty || !at || at >= model->length || model->text[at - 1] != ' ' || model->text[at] != ' ') return;
    if (!from || from >= w->rendering.length || has_space(w, is_before ? from - 1 : from)) return;
    /* There is no space after an opening mark and no space before a closing mark. */
    beside = is_before ? utf8_code_before(w->rendering.text, from)
                       : utf8_code_at(w->rendering.text, w->rendering.length, from);
    mask = U_GET_GC_MASK((UChar32)beside);
    if (is_before ? mask & (U_GC_PS_MASK | U_GC_PI_MASK)
                  : (mask & (U_GC_PE_MASK | U_GC_PF_MASK)) ||
                        u_hasBinaryProperty((UChar32)beside, UCHAR_TERMINAL_PUNCTUATION))
        return;
    if (is_alone ||
        (is_before ? w->places[w->children[other].index].end < from : w->places[w->children[other].index].begin > from))
        add_atom(w, new_kind(w, ' '), ' ', " ", 1);
}

/* Adds the text [begin, end) with the markup in it. Calls itself at most MARKUP_DEPTH levels deep. */
static void add_inside(UnitWriter *w, size_t slot, size_t begin, size_t end)
{
    const UnitText *model = w->model;
    size_t at = begin;

    w->slot = slot;
    for (size_t i = w->first[slot]; i < w->first[slot + 1]; i++) {
        const size_t child = w->children[i].index;
        const size_t from = clamp(w->places[child].begin, at, end);
        const size_t to = clamp(w->places[child].end, from, end);
        if (model->markup[child].is_space) { /* it stands for a space, so the space beside it is not written */
            const bool is_before = from > at && has_space(w, from - 1);
            const bool is_after = !is_before && from < end && has_space(w, from);
            add_text(w, at, is_before ? from - 1 : from);
            at = from + is_after;
            if (!model->markup[child].is_blank || is_before || is_after) add_bytes(w, model->markup[child].open);
            continue;
        }
        add_text(w, at, from);
        add_lacking_space(w, i, from, true);
        at = model->markup[child].is_empty ? from : to;
        add_tag(w, child, false);
        add_inside(w, child + 1, from, at);
        add_tag(w, child, true);
        add_lacking_space(w, i, from, false);
        w->slot = slot;
    }
    add_text(w, at, end);
}

/* Moves elements that would begin a block from the beginning of the text to its end. In the source, such an element
 * always follows a word, because the builder leaves elements before the first word out of the text. */
static void leave_start(UnitWriter *w)
{
    const size_t count = w->atoms.len;
    size_t moved = 0;

    if (w->is_written || !w->rules->begins_block) return;
    while (moved < count && w->atoms.data[moved].slot &&
           w->rules->begins_block(w->atoms.data[moved].bytes, w->atoms.data[moved].length)) {
        const size_t slot = w->atoms.data[moved].slot;
        while (moved < count && w->atoms.data[moved].slot == slot) moved++;
    }
    for (size_t i = 0; i < moved; i++) LIST_PUT(&w->atoms, w->atoms.data[i]);
    if (!moved || w->atoms.failed) return;
    memmove(w->atoms.data, w->atoms.data + moved, count * sizeof *w->atoms.data);
    w->atoms.len = count;
}

/* Makes the list of atoms anew, with the markup in w->places. */
static Status list_atoms(UnitWriter *w)
{
    const UnitText *model = w->model;
    const size_t count = model->markup_count;
    Status st = find_spellings(w);

    if (st != OK) return st;
    memset(w->first, 0, (count + 2) * sizeof *w->first);
    for (size_t i = 0; i < count; i++) {
        const size_t parent = model->markup[i].parent == MARKUP_ROOT ? 0 : model->markup[i].parent + 1;
        w->children[i] = (Child){ parent, w->places[i], i };
        w->first[parent + 1]++;
    }
    if (count) qsort(w->children, count, sizeof *w->children, compare_children);
    for (size_t slot = 0; slot <= count; slot++) w->first[slot + 1] += w->first[slot];
    w->atoms.len = w->next_kept = w->next_run = 0;
    add_inside(w, 0, 0, w->rendering.length);
    leave_start(w);
    return LIST_CHECK(&w->atoms, "a unit", w->err);
}

/* --- Writing the atoms ----------------------------------------------------------------- */

static SpellingPlace place_at(const UnitWriter *w, size_t index, char *ahead)
{
    const size_t slot = w->atoms.data[index].slot;
    const Range span = slot ? w->model->markup[slot - 1].open : (Range){ 0, 0 };

    return (SpellingPlace){ .context = w->context,
                            .span = slot ? w->bytes + span.begin : NULL,
                            .span_length = span.end - span.begin,
                            .before = w->out->data + w->start,
                            .before_length = w->out->len - w->start,
                            .readable = w->start,
                            .after = ahead,
                            .after_length = bytes_ahead(w, index, ahead) };
}

/* Writes a character that does not keep a spelling of the source. `encoding`: of the document; NULL: UTF-8. */
static void write_code(UnitWriter *w, const TextEncoding *encoding, uint32_t code, const SpellingPlace *place)
{
    const DocumentFile *file = &w->doc->file;
    char spelling[SPELLING_BYTES], character[8] = "";
    size_t length;

    if (!text_encoding_holds(encoding, code))
        length = w->rules->refer ? w->rules->refer(code, place, spelling) : 0;
    else if (is_special(w, code))
        length = w->rules->spell(code, place, spelling);
    else
        length = utf8_put(code, spelling);
    buf_put(w->out, spelling, length);
    if (length || w->status != OK) return;
    utf8_put(code, character);
    w->status =
        err_set(w->err, ERR_FORMAT,
                "%s:%zu: the translation contains U+%04X (%s), which %s cannot encode; convert the document to UTF-8",
                file->name, document_parts_line(file, 0, document_parts_origin(w->doc, w->model->bytes.begin)),
                (unsigned)code, character, text_encoding_name(encoding));
}

/* Counts the columns of an atom up to its first line break. */
static size_t atom_columns(const Atom *atom, bool *has_newline)
{
    size_t end = 0;

    while (end < atom->length && !char_is_newline(atom->bytes[end])) end++;
    *has_newline = end < atom->length;
    return atom->kind == ATOM_TAG ? 0 : chars_count(atom->bytes, end);
}

/* Writes an apostrophe or a brace that is text in an ICU message: MessageRule. */
static void write_in_message(UnitWriter *w, const Atom *atom, const SpellingPlace *place)
{
    const TextEncoding *encoding = w->progress->encoding;
    const MessageRule rule = w->model->message;
    const char next = place->after_length ? *place->after : '}';
    const bool is_safe = !strchr("'{}#|\\&", next) && !(w->out->len && w->out->data[w->out->len - 1] == '\'');
    const bool is_single = rule == MESSAGE_SINGLE && is_safe;

    if (atom->code != '\'') {
        write_code(w, encoding, '\'', place);
        write_code(w, encoding, atom->code, place);
        write_code(w, encoding, '\'', place);
    } else if ((rule == MESSAGE_DOUBLED && atom->length > 1) ||
               (is_single && (!w->rules->keeps || w->rules->keeps(atom->bytes, atom->length, place)))) {
        buf_put(w->out, atom->bytes, atom->length);
    } else {
        write_code(w, encoding, atom->code, place);
        if (!is_single) write_code(w, encoding, atom->code, place);
    }
}

/* The columns from the atom at `index` to the next space or line break. */
static size_t word_columns(const UnitWriter *w, size_t index)
{
    size_t columns = 0;
    bool has_newline = false;

    for (; !has_newline && index < w->atoms.len && w->atoms.data[index].kind != ATOM_SPACE; index++)
        columns += atom_columns(&w->atoms.data[index], &has_newline);
    return columns;
}

/* Whether the model has another line break here, before the next newline in its markup or kept parts. */
static bool has_model(const UnitWriter *w)
{
    return w->line < w->lines.len && w->lines.data[w->line].newlines == w->newlines;
}

/* Whether a line of `columns` columns, including the next word, is too wide where `limit` + `extra` are allowed. */
static bool is_too_wide(size_t columns, size_t limit, ptrdiff_t extra)
{
    return (ptrdiff_t)columns > (ptrdiff_t)limit + extra;
}

/* Returns how many line breaks are needed from atom `index` to the next newline in markup or kept parts, if each line
 * may exceed its limit by `extra` columns. `count`: how many the model has there; the result is at most `count` + 1. */
static size_t needed_breaks(const UnitWriter *w, size_t index, size_t count, ptrdiff_t extra)
{
    const LineBreak *first = w->lines.data + w->line, *line = first, *end = line + count;
    size_t column = w->column;
    bool has_newline = false;

    for (; !has_newline && index < w->atoms.len; index++) {
        const Atom *atom = &w->atoms.data[index];
        if (atom->kind != ATOM_SPACE ||
            !is_too_wide(column + 1 + word_columns(w, index + 1), line < end ? line->limit : w->lines.width, extra)) {
            column += atom_columns(atom, &has_newline);
            continue;
        }
        if (line == end) return (size_t)(end - first) + 1;
        column = line++->indent;
    }
    return (size_t)(line - first);
}

/* Sets w->extra to the fewest columns that must be added to (or taken from) the limits of the lines, so that there are
 * not more (or not fewer) lines than in the model. */
static void fit_lines(UnitWriter *w, size_t index)
{
    size_t count = 0, needed;
    ptrdiff_t sign, enough = 0, too_few = 0;

    w->extra = 0;
    if (w->rules->lines == LINES_BY_WIDTH || !has_model(w)) return;
    while (w->line + count < w->lines.len && w->lines.data[w->line + count].newlines == w->newlines) count++;
    needed = needed_breaks(w, index, count, 0);
    if (needed == count || (needed < count && w->rules->lines != LINES_SAME)) return;
    sign = needed > count ? 1 : -1;
    for (size_t i = index; i < w->atoms.len; i++) enough += (ptrdiff_t)w->atoms.data[i].length;
    while (too_few + 1 < enough) {
        const ptrdiff_t middle = too_few + (enough - too_few) / 2;
        const size_t breaks = needed_breaks(w, index, count, sign * middle);
        if (sign > 0 ? breaks <= count : breaks >= count)
            enough = middle;
        else
            too_few = middle;
    }
    w->extra = sign * enough;
}

static bool ends_line(const UnitWriter *w, size_t index)
{
    const LineList *lines = &w->lines;
    const size_t limit = has_model(w) ? lines->data[w->line].limit : lines->width;
    char ahead[SPELLING_AHEAD];
    SpellingPlace place;

    if (!lines->len || !is_too_wide(w->column + 1 + word_columns(w, index + 1), limit, w->extra)) return false;
    if (w->rules->lines != LINES_BY_WIDTH && !has_model(w)) return false;
    if (w->is_written) return true;
    if (!w->column) return false; /* a line is not empty */
    if (!w->rules->may_break) return true;
    place = place_at(w, index, ahead);
    return w->rules->may_break(&place);
}

static void write_atom(UnitWriter *w, size_t index)
{
    const SpellingRules *rules = w->rules;
    const Atom *atom = &w->atoms.data[index];
    const size_t begin = w->out->len;
    size_t newlines = 0;
    char ahead[SPELLING_AHEAD];
    SpellingPlace place;

    if (atom->kind == ATOM_SPACE && ends_line(w, index)) { /* the next break of the model, or again its last one */
        const size_t last = w->lines.len - 1;
        const LineBreak *line = &w->lines.data[w->line < last ? w->line : last];
        w->line += has_model(w);
        w->column = line->indent;
        buf_put(w->out, w->bytes + line->bytes.begin, line->bytes.end - line->bytes.begin);
        return;
    }
    if (atom->kind == ATOM_MESSAGE) {
        place = place_at(w, index, ahead);
        write_in_message(w, atom, &place);
    } else if (atom->kind == ATOM_SPECIAL || atom->kind == ATOM_NEW) {
        place = place_at(w, index, ahead);
        if (atom->kind == ATOM_SPECIAL &&
            ((w->is_written && w->model->message) || !rules->keeps || rules->keeps(atom->bytes, atom->length, &place)))
            buf_put(w->out, atom->bytes, atom->length);
        else
            write_code(w, w->progress->encoding, atom->code, &place);
    } else if (atom->kind == ATOM_CLOSE) {
        /* a label that has changed no longer names anything, so the source's label is written as well */
        const Markup *markup = &w->model->markup[atom->slot - 1];
        const char *label = w->bytes + markup->open.end;
        const size_t length = markup->close.begin - markup->open.end;
        const bool is_same = w->out->len - w->label == length && memcmp(w->out->data + w->label, label, length) == 0;
        if (is_same || !rules->close_label)
            buf_put(w->out, atom->bytes, atom->length);
        else if (w->status == OK)
            w->status = rules->close_label(label, length, w->out, w->err);
    } else {
        buf_put(w->out, atom->bytes, atom->length);
    }
    if (atom->kind == ATOM_LABEL) w->label = w->out->len;
    if (rules->needs_blank && !w->is_written) {
        place = place_at(w, index, ahead);
        if (rules->needs_blank(&place)) buf_put_byte(w->out, ' ');
    }
    for (size_t i = begin; i < w->out->len; i++) { /* line breaks may be in elements */
        const char c = w->out->data[i];
        newlines += char_is_newline(c);
        w->column = char_is_newline(c) ? 0 : w->column + (atom->kind != ATOM_TAG && !char_goes_on(c));
    }
    w->newlines += newlines;
    while (w->line < w->lines.len && w->lines.data[w->line].newlines < w->newlines) w->line++;
    if (newlines) fit_lines(w, index + 1);
}

/* Lets the format choose the context of the text, and lists the atoms again if the context changes. */
static Status choose_context(UnitWriter *w, Range prefix)
{
    const unsigned context = w->context;
    char first = '\0';

    if (!w->rules->choose_context || w->is_written) return OK;
    if (prefix.begin < prefix.end)
        first = w->bytes[prefix.begin];
    else if (w->atoms.len && w->atoms.data[0].length)
        first = w->atoms.data[0].bytes[0];
    w->context = w->rules->choose_context(context, first, w->rendering.text, w->rendering.length, &w->quotes);
    return w->context == context ? OK : list_atoms(w);
}

/* Writes bytes around the text: unchanged, or with the spellings of the context that choose_context() has chosen. */
static void write_around(UnitWriter *w, Range range)
{
    const SpellingPlace place = { .context = w->context };

    if (w->context == w->model->context) {
        buf_put(w->out, w->bytes + range.begin, range.end - range.begin);
        return;
    }
    for (size_t at = range.begin, step; at < range.end; at += step) {
        uint32_t code;
        step = utf8_next(w->bytes + at, range.end - at, &code);
        if (code < ' ')
            buf_put(w->out, w->bytes + at, step);
        else
            write_code(w, NULL, code, &place);
    }
}

/* Returns a place after the first `cut` bytes of its text were removed. */
static Range cut_place(Range place, size_t cut)
{
    return (Range){ place.begin < cut ? 0 : place.begin - cut, place.end < cut ? 0 : place.end - cut };
}

/* `prefix` and `suffix`: bytes of the document to write around the text, inside its quotes. */
static Status write_rendering(UnitWriter *w, Range prefix, Range suffix)
{
    const UnitText *model = w->model;
    const size_t count = model->markup_count;
    const size_t cut = w->is_written ? 0 : utf8_leading_space(w->rendering.text, w->rendering.length);
    Status st = spans_append_all(&w->kept, w->rendering.kept, w->rendering.kept_count, w->err);

    for (size_t i = 0; st == OK && w->is_written && i < model->run_count; i++) /* elements that stand for words */
        if (model->runs[i].kind == RUN_ELEMENT)
            st = spans_append(&w->kept, span_at(DRAGOMAN_SPAN_KEPT, model->runs[i].text), w->err);
    if (w->is_written) {
        w->rendering.kept = w->kept.data;
        w->rendering.kept_count = w->kept.len;
    }
    if (st == OK) st = find_lines(w);
    if (st != OK) return st;
    w->rendering.text += cut;
    w->rendering.length -= cut;
    if (!w->is_written) w->rendering.length -= utf8_trailing_space(w->rendering.text, w->rendering.length);
    for (size_t i = 0; i < w->kept.len; i++) w->kept.data[i].place = cut_place(w->kept.data[i].place, cut);
    spans_sort_by_place(&w->kept);
    w->places = malloc((count + 1) * sizeof *w->places);
    w->children = malloc((count + 1) * sizeof *w->children);
    w->first = malloc((count + 2) * sizeof *w->first);
    if (!w->places || !w->children || !w->first) return err_memory(w->err, "a unit");
    for (size_t i = 0; i < count; i++)
        w->places[i] = w->is_written ? model->markup[i].text : cut_place(w->rendering.places[i], cut);
    for (size_t i = 0; w->rules->marks && !w->fit.rules && i < count; i++)
        if (are_marks(w, i)) w->fit.rules = w->rules->marks;
    if (w->fit.rules && !(w->fit.spans = calloc(count, sizeof *w->fit.spans))) return err_memory(w->err, "a unit");
    st = list_atoms(w);
    while (st == OK && change_misfits(w)) st = list_atoms(w);
    if (st == OK) st = choose_context(w, prefix);
    if (st != OK) return st;
    buf_put_text(w->out, w->quotes);
    write_around(w, prefix);
    w->start = w->out->len;
    w->column = w->lines.first_column;
    fit_lines(w, 0);
    for (size_t i = 0; i < w->atoms.len; i++) write_atom(w, i);
    write_around(w, suffix);
    buf_put_text(w->out, w->quotes);
    st = buf_check(w->out, w->err);
    return w->status != OK ? w->status : st;
}

/* Writes a rendering of `model` in the place of the unit, or, if `rendering` is NULL, the model unchanged, with its
 * markup. White space at the ends of a translation is left out, because it could change the structure of the document.
 * `as_translation`: write UnitPlan.before and after around it. Returns ERR_FORMAT, with the line, if the encoding lacks
 * a character and the format has no reference or escape for it there. */
static Status append_text(const DocumentProgress *progress, const UnitPart *unit, const UnitText *model,
                          const Rendering *rendering, bool as_translation, Buf *out, Err *err)
{
    static const SpellingRules as_it_is = { .is_special = NULL };
    const Document *doc = progress->document;
    const bool is_elsewhere = unit->source != unit->own;
    const Rendering same = { .text = model->text, .length = model->length };
    UnitText with_hints = *model;
    UnitWriter w = { .progress = progress,
                     .doc = doc,
                     .bytes = model->message ? doc->strings.data : doc->file.bytes,
                     .bytes_end = model->message      ? doc->strings.len
                                  : doc->composed.len ? doc->composed.len
                                                      : doc->file.size,
                     .model = rendering ? model : &with_hints,
                     .is_written = !rendering,
                     .rules = model->spelling ? model->spelling : &as_it_is,
                     .after = is_elsewhere ? model->suffix.begin : unit->place.end,
                     .rendering = rendering ? *rendering : same,
                     .out = out,
                     .err = err,
                     .quotes = "",
                     .context = model->context };
    const Range none = { 0, 0 };
    Status st;

    with_hints.markup = model->markup_with_hints;
    with_hints.markup_count = model->markup_with_hints_count;
    if (as_translation) put_string(doc, unit->before, out);
    st = write_rendering(&w, is_elsewhere ? model->prefix : none, is_elsewhere ? model->suffix : none);
    if (as_translation) put_string(doc, unit->after, out);
    free(w.fit.spans);
    free(w.spellings.data);
    free(w.codes.data);
    free(w.lines.data);
    spans_free(&w.kept);
    free(w.places);
    free(w.children);
    free(w.first);
    free(w.atoms.data);
    return st;
}

/* --- Writing the document ------------------------------------------------------------- */

/* Writes the bytes of the document before byte `at`, with the changes (ChangePart) up to there. */
static void put_to(DocumentProgress *progress, size_t at, Buf *out)
{
    const Document *doc = progress->document;

    while (progress->change < doc->changes.len && doc->changes.data[progress->change].bytes.begin <= at) {
        const ChangePart *change = &doc->changes.data[progress->change++];
        put_range(doc, progress->at, change->bytes.begin, out);
        progress->at = change->bytes.end;
        if (!progress->as_identity &&
            (change->unit == EVERY_TRANSLATION || document_parts_changes(doc, &doc->units.data[change->unit])))
            put_string(doc, change->text, out);
        else
            put_range(doc, change->bytes.begin, change->bytes.end, out);
    }
    put_range(doc, progress->at, at, out);
    progress->at = at;
}

/* Writes a rendering of the unit. If it is empty, writes the source, because an empty text could change the structure
 * of the document. If it is NULL, writes the unit's own text or a copy of the source. */
static Status append_rendering(const DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering,
                               Buf *out, Err *err)
{
    const Document *doc = progress->document;
    const UnitText source = text_at(doc, unit->source);

    if (!rendering) { /* the unit's own text, or a copy of a source that has nothing to translate */
        const UnitText own = text_at(doc, unit->own);
        const bool copies = !progress->as_identity && unit->is_copy && document_parts_changes(doc, unit) &&
                            (source.message || unit->before.length || unit->after.length ||
                             !ranges_are_same(doc->file.bytes, (Range){ own.prefix.begin, own.suffix.end },
                                              (Range){ source.prefix.begin, source.suffix.end }));
        return append_text(progress, unit, copies ? &source : &own, NULL, copies, out, err);
    }
    if (utf8_is_blank(rendering->text, rendering->length)) rendering = NULL;
    return append_text(progress, unit, &source, rendering, true, out, err);
}

/* Keeps the output of an inner unit until the unit around it is written. Units inside the inner unit are part of this
 * output, so they are removed from the list. */
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
 * - HTML: each text becomes two columns. The source is written without markup, so that no link is duplicated, but
 *   with the pictures that stand for words.
 * - Markdown and plain text: a paragraph is followed by its translation, a paragraph with the same quote marks and the
 *   same indentation.
 * - Headings, cells of tables, titles of pages, texts in <svg> and <option>, HTML in Markdown and other texts that must
 *   stay in one line or cannot contain columns contain both, with a slash between them.
 * - A text in the markup of another text, such as the description of a picture, and a text in embedded data, such as
 *   the title in the front matter of Markdown, are replaced by their translation alone. */

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

/* Whether the lines of the unit contain only its text, quote marks, list markers and indentation; a key of metadata
 * before the text, as in `Title: text`, is not allowed. */
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
    /* In Markdown, a line of = or - makes the line before it a heading, which is no block. */
    while (next < file->size && (file->bytes[next] == '=' || file->bytes[next] == '-')) next++;
    return next == end + 1 || chars_skip_space(file->bytes, next, file->size) < line_end(file, next);
}

/* Writes what precedes the text in the first line of a block: quote marks, and spaces for indentation and list markers.
 * Without `with_blanks`, stops after the last quote mark. */
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
static Status append_both(DocumentProgress *progress, const UnitPart *unit, const Rendering *rendering, Buf *out,
                          Err *err)
{
    const Document *doc = progress->document;
    const DocumentFile *file = &doc->file;
    const bool is_html = doc->format->bilingual == BILINGUAL_COLUMNS;
    const char *language = doc->options->language;
    UnitText source = text_at(doc, unit->source);
    const bool has_columns = is_html && !source.context; /* HTML_IN_TEXT */
    Status st;

    if (has_columns) buf_put_format(out, COLUMN, "", "", "");
    if (is_html) source.markup_with_hints_count = 0;
    st = append_text(progress, unit, &source, NULL, false, out, err);
    if (has_columns) {
        buf_put_text(out, "</span> ");
        buf_put_format(out, COLUMN, language ? " lang=\"" : "", language ? language : "", language ? "\"" : "");
    } else if (doc->format->bilingual == BILINGUAL_BLOCKS && source.context >= doc->format->block_contexts &&
               is_block(file, unit->place)) {
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
