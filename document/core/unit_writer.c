/* unit_writer.c - see unit_writer.h. The text and the markup first become a list of atoms in their order. A second pass
 * writes them: only then is it known what follows a character, and where a line may end. */
#include "unit_writer.h"

#include <stdlib.h>
#include <string.h>

#include "unit_listing.h"
#include "utf8.h"

static SpellingPlace place_at(const UnitWriter *w, size_t index, const Buf *out, char *ahead)
{
    const size_t slot = w->atoms.items[index].slot;
    const Range span = slot ? w->writing->model->markup[slot - 1].open : (Range){ 0, 0 };

    return (SpellingPlace){ .context = w->context,
                            .span = slot ? w->writing->file->bytes + span.begin : NULL,
                            .span_length = span.end - span.begin,
                            .before = out->data + w->start,
                            .before_length = out->len - w->start,
                            .after = ahead,
                            .after_length = unit_atoms_ahead(&w->atoms, index, ahead) };
}

/* Writes a character that is not spelled as in the source. */
static Status write_code(const UnitWriter *w, uint32_t code, const SpellingPlace *place, Buf *out, Err *err)
{
    const DocumentFile *file = w->writing->file;
    size_t line = 1;
    Err reason;
    Status st = spellings_append(w->writing->rules, w->writing->encoding, code, place, out, &reason);

    if (st != ERR_FORMAT) return st == OK ? OK : err_set(err, st, "%s", reason.text);
    for (size_t i = 0; i < w->writing->model->bytes.begin; i++) line += file->bytes[i] == '\n';
    return err_set(err, st, "%s:%zu: %s", file->name, line, reason.text);
}

/* Writes a character as the source spells it, if that is possible here. */
static Status write_special(const UnitWriter *w, size_t index, Buf *out, Err *err)
{
    const SpellingRules *rules = w->writing->rules;
    const Atom *atom = &w->atoms.items[index];
    char ahead[SPELLING_AHEAD];
    const SpellingPlace place = place_at(w, index, out, ahead);

    if (atom->kind == ATOM_SPECIAL && (!rules || rules->keeps(atom->bytes, atom->length, &place)))
        return buf_append(out, atom->bytes, atom->length, err);
    return write_code(w, atom->code, &place, out, err);
}

/* The columns from the atom at `index` to the next space or line break. */
static size_t word_columns(const UnitWriter *w, size_t index)
{
    size_t columns = 0;
    bool has_newline = false;

    for (; !has_newline && index < w->atoms.count && w->atoms.items[index].kind != ATOM_SPACE; index++)
        columns += line_widths_first(w->atoms.items[index].bytes, w->atoms.items[index].length, &has_newline);
    return columns;
}

/* Whether the model has a line like this one: a further one between the same line breaks of its markup. */
static bool has_model(const UnitWriter *w)
{
    return w->line < w->lines.count && w->lines.breaks[w->line].newlines == w->newlines;
}

static LineCount line_count(const UnitWriter *w)
{
    return w->writing->rules ? w->writing->rules->lines : LINES_BY_WIDTH;
}

/* The breaks of the model between the same line breaks of its markup. */
static size_t model_breaks(const UnitWriter *w)
{
    size_t line = w->line;

    while (line < w->lines.count && w->lines.breaks[line].newlines == w->newlines) line++;
    return line - w->line;
}

/* Whether the next word, of so many columns, does not fit in a line. */
static bool is_too_wide(size_t columns, size_t limit, ptrdiff_t extra)
{
    return (ptrdiff_t)columns > (ptrdiff_t)limit + extra;
}

/* The line breaks from the atom at `index` to the next line break of the markup, if each line is wider by `extra`
 * columns; at most one more than in the model. */
static size_t needed_breaks(const UnitWriter *w, size_t index, ptrdiff_t extra)
{
    const LineBreak *first = w->lines.breaks + w->line, *line = first, *end = line + model_breaks(w);
    size_t column = w->column;
    bool has_newline = false;

    for (; !has_newline && index < w->atoms.count; index++) {
        const Atom *atom = &w->atoms.items[index];
        if (atom->kind != ATOM_SPACE ||
            !is_too_wide(column + 1 + word_columns(w, index + 1), line < end ? line->limit : w->lines.width, extra)) {
            column += line_widths_first(atom->bytes, atom->length, &has_newline);
            continue;
        }
        if (line == end) return (size_t)(end - first) + 1;
        column = line++->indent;
    }
    return (size_t)(line - first);
}

/* Finds the smallest number of columns by which lines are wider, so that they are not more than in the model, or
 * narrower, so that they are not fewer. */
static void fit_lines(UnitWriter *w, size_t index)
{
    const size_t count = has_model(w) && line_count(w) != LINES_BY_WIDTH ? model_breaks(w) : 0;
    const size_t needed = count ? needed_breaks(w, index, 0) : 0;
    const ptrdiff_t sign = needed > count ? 1 : -1;
    ptrdiff_t enough = 0, too_few = 0;

    w->extra = 0;
    if (needed == count || (needed < count && line_count(w) != LINES_SAME)) return;
    for (size_t i = index; i < w->atoms.count; i++) enough += (ptrdiff_t)w->atoms.items[i].length;
    while (too_few + 1 < enough) {
        const ptrdiff_t middle = too_few + (enough - too_few) / 2;
        const size_t breaks = needed_breaks(w, index, sign * middle);
        if (sign > 0 ? breaks <= count : breaks >= count)
            enough = middle;
        else
            too_few = middle;
    }
    w->extra = sign * enough;
}

/* Notes the bytes of the atom at `index`. */
static void pass_bytes(UnitWriter *w, size_t index, const char *bytes, size_t length)
{
    const size_t newlines = line_widths_newlines(bytes, length);

    w->column = line_widths_advance(w->column, bytes, length);
    w->newlines += newlines;
    while (w->line < w->lines.count && w->lines.breaks[w->line].newlines < w->newlines) w->line++;
    if (newlines) fit_lines(w, index + 1);
}

static bool ends_line(const UnitWriter *w, size_t index, const Buf *out)
{
    const LineWidths *lines = &w->lines;
    const SpellingRules *rules = w->writing->rules;
    const size_t limit = has_model(w) ? lines->breaks[w->line].limit : lines->width;
    char ahead[SPELLING_AHEAD];
    SpellingPlace place;

    if (!lines->count || !is_too_wide(w->column + 1 + word_columns(w, index + 1), limit, w->extra)) return false;
    if (line_count(w) != LINES_BY_WIDTH && !has_model(w)) return false;
    if (!rules || !rules->may_break || w->writing->model->is_written) return true;
    place = place_at(w, index, out, ahead);
    return rules->may_break(&place);
}

static Status write_break(UnitWriter *w, Buf *out, Err *err)
{
    const size_t last = w->lines.count - 1;
    const LineBreak *line = &w->lines.breaks[w->line < last ? w->line : last];

    w->line += has_model(w);
    w->column = line->indent;
    return buf_append(out, w->writing->file->bytes + line->bytes.begin, line->bytes.end - line->bytes.begin, err);
}

/* A label that has changed no longer names anything: then the source's label is written, too. */
static Status write_close(const UnitWriter *w, const Atom *atom, Buf *out, Err *err)
{
    const SpellingRules *rules = w->writing->rules;
    const Markup *markup = &w->writing->model->markup[atom->slot - 1];
    const char *label = w->writing->file->bytes + markup->open.end;
    const size_t length = markup->close.begin - markup->open.end;
    const bool is_same = out->len - w->label == length && memcmp(out->data + w->label, label, length) == 0;

    if (is_same || !rules || !rules->close_label) return buf_append(out, atom->bytes, atom->length, err);
    return rules->close_label(label, length, out, err);
}

static Status write_bytes(UnitWriter *w, size_t index, Buf *out, Err *err)
{
    const Atom *atom = &w->atoms.items[index];

    switch (atom->kind) {
    case ATOM_SPECIAL:
    case ATOM_NEW:
        return write_special(w, index, out, err);
    case ATOM_CLOSE:
        return write_close(w, atom, out, err);
    case ATOM_LABEL:
        w->label = out->len;
        return OK;
    default:
        return buf_append(out, atom->bytes, atom->length, err);
    }
}

/* Separates the atom at `index`, which was written, from the next one if both would be read as one name. */
static Status write_needed_blank(const UnitWriter *w, size_t index, Buf *out, Err *err)
{
    const SpellingRules *rules = w->writing->rules;
    char ahead[SPELLING_AHEAD];
    SpellingPlace place;

    if (!rules || !rules->needs_blank || w->writing->model->is_written) return OK;
    place = place_at(w, index, out, ahead);
    return rules->needs_blank(&place) ? buf_append(out, " ", 1, err) : OK;
}

static Status write_atom(UnitWriter *w, size_t index, Buf *out, Err *err)
{
    const Atom *atom = &w->atoms.items[index];
    const size_t begin = out->len;
    Status st;

    if (atom->kind == ATOM_SPACE && ends_line(w, index, out)) return write_break(w, out, err);
    st = write_bytes(w, index, out, err);
    if (st == OK) st = write_needed_blank(w, index, out, err);
    pass_bytes(w, index, out->data + begin, out->len - begin);
    return st;
}

/* The first byte that is written; NUL: none. */
static char first_byte(const UnitWriter *w)
{
    const Range prefix = w->writing->prefix;

    if (prefix.begin < prefix.end) return w->writing->file->bytes[prefix.begin];
    return w->atoms.count && w->atoms.items[0].length ? w->atoms.items[0].bytes[0] : '\0';
}

/* Chooses the context of the text, and lists the atoms again if the context changes. */
static Status choose_context(UnitWriter *w, Err *err)
{
    const SpellingRules *rules = w->writing->rules;
    const unsigned context = w->context;

    if (!rules || !rules->choose_context || w->writing->model->is_written) return OK;
    w->context = rules->choose_context(context, first_byte(w), w->rendering->text, w->rendering->length, &w->quotes);
    return w->context == context ? OK : unit_listing_make(w, err);
}

/* Writes what is around the text: as it is, or with the spellings of a context that was chosen for the text. */
static Status write_around(const UnitWriter *w, Range range, Buf *out, Err *err)
{
    const UnitWriting *writing = w->writing;
    const char *bytes = writing->file->bytes;
    const SpellingPlace place = { .context = w->context };
    Status st = OK;

    if (w->context == writing->model->context)
        return buf_append(out, bytes + range.begin, range.end - range.begin, err);
    for (size_t at = range.begin, step; st == OK && at < range.end; at += step) {
        uint32_t code;
        step = utf8_next(bytes + at, range.end - at, &code);
        st = code < ' ' ? buf_append(out, bytes + at, step, err)
                        : spellings_append(writing->rules, NULL, code, &place, out, err);
    }
    return st;
}

/* The same, with marks that are read as such. */
static Status fit_atoms(UnitWriter *w, Err *err)
{
    const UnitWriting *writing = w->writing;
    Status st = mark_fit_start(&w->fit, writing->rules ? writing->rules->marks : NULL, writing->file, writing->model,
                               w->rendering, err);

    w->places = w->fit.rules ? w->fit.places : w->rendering->places;
    do {
        if (st == OK) st = unit_listing_make(w, err);
        if (st == OK) mark_fit_note_misfits(&w->fit, &w->atoms, w->context);
    } while (st == OK && mark_fit_change(&w->fit));
    return st;
}

static Status write_rendering(UnitWriter *w, Buf *out, Err *err)
{
    const UnitWriting *writing = w->writing;
    Status st = line_widths_find(&w->lines, writing->file, writing->model, w->rendering, err);

    w->quotes = "";
    w->context = writing->model->context;
    if (st == OK) st = fit_atoms(w, err);
    if (st == OK) st = choose_context(w, err);
    if (st == OK) st = buf_append_text(out, w->quotes, err);
    if (st == OK) st = write_around(w, writing->prefix, out, err);
    w->start = out->len;
    w->column = w->lines.first_column;
    fit_lines(w, 0);
    for (size_t i = 0; st == OK && i < w->atoms.count; i++) st = write_atom(w, i, out, err);
    if (st == OK) st = write_around(w, writing->suffix, out, err);
    return st == OK ? buf_append_text(out, w->quotes, err) : st;
}

Status unit_writer_append(const UnitWriting *writing, const Rendering *rendering, Buf *out, Err *err)
{
    UnitWriter w = { .writing = writing,
                     .rendering = rendering,
                     .atoms = { .after = writing->after, .after_length = writing->after_length } };
    Status st = write_rendering(&w, out, err);

    mark_fit_free(&w.fit);
    spellings_free(&w.spellings);
    line_widths_free(&w.lines);
    free(w.kept);
    free(w.children);
    free(w.first);
    free(w.atoms.items);
    return st;
}
