/* unit_listing.c - see unit_listing.h. */
#include "unit_listing.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

static size_t parent_slot(const Markup *markup)
{
    return markup->parent == MARKUP_ROOT ? 0 : markup->parent + 1;
}

static int compare_children(const void *a, const void *b)
{
    const Child *x = a, *y = b;

    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->place.begin != y->place.begin) return x->place.begin < y->place.begin ? -1 : 1;
    if (x->place.end != y->place.end) return x->place.end < y->place.end ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static Status list_children(UnitWriter *w, Err *err)
{
    const UnitText *model = w->writing->model;
    const size_t count = model->markup_count;

    free(w->children);
    free(w->first);
    w->children = malloc((count + 1) * sizeof *w->children);
    w->first = calloc(count + 2, sizeof *w->first);
    if (!w->children || !w->first) return err_memory(err, "a unit");
    for (size_t i = 0; i < count; i++) {
        const size_t parent = parent_slot(&model->markup[i]);
        w->children[i] = (Child){ parent, w->places[i], i };
        w->first[parent + 1]++;
    }
    if (count) qsort(w->children, count, sizeof *w->children, compare_children);
    for (size_t slot = 0; slot <= count; slot++) w->first[slot + 1] += w->first[slot];
    return OK;
}

static int compare_kept(const void *a, const void *b)
{
    const Span *x = a, *y = b;

    return x->place.begin < y->place.begin ? -1 : x->place.begin > y->place.begin;
}

static Status list_kept(UnitWriter *w, Err *err)
{
    const Rendering *rendering = w->rendering;

    if (!rendering->kept_count) return OK;
    w->kept = malloc(rendering->kept_count * sizeof *w->kept);
    if (!w->kept) return err_memory(err, "a unit");
    memcpy(w->kept, rendering->kept, rendering->kept_count * sizeof *w->kept);
    qsort(w->kept, rendering->kept_count, sizeof *w->kept, compare_kept);
    return OK;
}

static Status add_atom(UnitWriter *w, AtomKind kind, uint32_t code, const char *bytes, size_t length, Err *err)
{
    Atom *last = w->atoms.count ? &w->atoms.items[w->atoms.count - 1] : NULL;
    Status st;

    if (kind == ATOM_PLAIN && last && last->kind == ATOM_PLAIN && last->slot == w->slot &&
        last->bytes + last->length == bytes) {
        last->length += length;
        return OK;
    }
    st = buf_grow_list(&w->atoms.items, &w->atoms.capacity, w->atoms.count, 1, sizeof *w->atoms.items, "a unit", err);
    if (st == OK) w->atoms.items[w->atoms.count++] = (Atom){ kind, code, bytes, length, w->slot };
    return st;
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static bool is_special(const UnitWriter *w, uint32_t code)
{
    const SpellingRules *rules = w->writing->rules;

    return rules && rules->is_special(w->context, code);
}

/* The kind of a character without a spelling in the source. */
static AtomKind new_kind(const UnitWriter *w, uint32_t code)
{
    if (is_special(w, code) || !text_encoding_holds(w->writing->encoding, code)) return ATOM_NEW;
    return code == ' ' && w->lines.count ? ATOM_SPACE : ATOM_PLAIN;
}

/* Adds a character that has occurrences in the source, and sets *step to the bytes of text that its spelling covers. */
static Status add_known(UnitWriter *w, const char *text, size_t left, uint32_t code, size_t *step, Err *err)
{
    const Spelling spelling = spellings_take(&w->spellings, code);
    const bool is_plain = spelling.bytes == spelling.text;

    if (!spelling.bytes || spelling.text_length > left || memcmp(spelling.text, text, spelling.text_length) != 0)
        return add_atom(w, new_kind(w, code), code, text, *step, err);
    for (size_t at = *step, next; at < spelling.text_length; at += next) {
        uint32_t inner;
        next = utf8_next(text + at, spelling.text_length - at, &inner);
        (void)spellings_take(&w->spellings, inner);
    }
    *step = spelling.text_length;
    return add_atom(w, is_plain && code == ' ' ? ATOM_SPACE : ATOM_SPECIAL, code, spelling.bytes, spelling.length, err);
}

/* Adds text that is not kept. */
static Status add_free_text(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    const char *text = w->rendering->text;
    Status st = OK;

    for (size_t at = begin, step; st == OK && at < end; at += step) {
        uint32_t code;
        step = utf8_next(text + at, end - at, &code);
        if (spellings_know(&w->spellings, code))
            st = add_known(w, text + at, end - at, code, &step, err);
        else
            st = add_atom(w, new_kind(w, code), code, text + at, step, err);
    }
    return st;
}

/* Returns the index of the first run of the model that ends after byte `at` of its text. */
static size_t find_run(const UnitText *model, size_t at)
{
    size_t low = 0, high = model->run_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (model->runs[middle].text.end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the characters [begin, end) of the model's text, which spell themselves there. */
static Status add_plain(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    const char *text = w->writing->model->text;
    Status st = OK;

    for (size_t at = begin, step; st == OK && at < end; at += step) {
        uint32_t code;
        step = utf8_next(text + at, end - at, &code);
        st = add_atom(w, is_special(w, code) ? ATOM_SPECIAL : ATOM_PLAIN, code, text + at, step, err);
    }
    return st;
}

/* Adds bytes of the document. */
static Status add_range(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    return begin < end ? add_atom(w, ATOM_PLAIN, 0, w->writing->file->bytes + begin, end - begin, err) : OK;
}

/* Returns the index of the first inner unit at or after byte `at`. */
static size_t find_inner(const UnitWriting *writing, size_t at)
{
    size_t low = 0, high = writing->inner_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (writing->inner_units[middle].place.begin < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds bytes of a tag. In a context that was chosen because the source's cannot hold the text, they are spelled as the
 * text is. */
static Status add_tag_range(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    const char *bytes = w->writing->file->bytes;
    Status st = OK;

    if (w->context == w->writing->model->context) return add_range(w, begin, end, err);
    for (size_t at = begin, step; st == OK && at < end; at += step) {
        uint32_t code;
        step = utf8_next(bytes + at, end - at, &code);
        st = add_atom(w, code >= ' ' && is_special(w, code) ? ATOM_NEW : ATOM_PLAIN, code, bytes + at, step, err);
    }
    return st;
}

/* Returns the end of the blanks before a tag that a translation begins with; its own text has them at their place.
 * Block scalars of YAML and paragraphs of Markdown must not begin with blanks. */
static size_t skip_first_blanks(const UnitWriter *w, Range range)
{
    const char *bytes = w->writing->file->bytes;
    size_t at = range.begin;

    if (w->atoms.count || w->writing->model->is_written) return at;
    while (at < range.end && char_is_blank(bytes[at])) at++;
    return at < range.end ? at : range.begin;
}

/* Adds the bytes of a tag, with the inner units in it. */
static Status add_bytes(UnitWriter *w, Range range, Err *err)
{
    const UnitWriting *writing = w->writing;
    size_t at = skip_first_blanks(w, range);
    Status st = OK;

    for (size_t i = find_inner(writing, at); st == OK && i < writing->inner_count; i++) {
        const InnerUnit *inner = &writing->inner_units[i];
        if (inner->place.begin >= range.end) break;
        st = add_tag_range(w, at, inner->place.begin, err);
        if (st == OK) st = add_atom(w, ATOM_PLAIN, 0, writing->inner + inner->at, inner->length, err);
        at = inner->place.end;
    }
    return st == OK ? add_tag_range(w, at, range.end, err) : st;
}

/* Adds the bytes [begin, end) of the model's text as they are spelled there, with their spaces and line breaks. */
static Status add_kept(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    const UnitText *model = w->writing->model;
    Status st = OK;

    for (size_t i = find_run(model, begin); st == OK && i < model->run_count; i++) {
        const Run *run = &model->runs[i];
        uint32_t code;
        if (run->text.begin >= end) break;
        if (run->kind == RUN_PLAIN) {
            st = add_plain(w, clamp(begin, run->text.begin, run->text.end), clamp(end, 0, run->text.end), err);
        } else if (run->kind == RUN_BREAK) {
            st = add_range(w, run->bytes.begin, run->bytes.end, err);
        } else if (run->kind == RUN_ELEMENT) {
            st = add_bytes(w, run->bytes, err);
        } else {
            (void)utf8_next(model->text + run->text.begin, run->text.end - run->text.begin, &code);
            st = add_atom(w, ATOM_SPECIAL, code, w->writing->file->bytes + run->bytes.begin,
                          run->bytes.end - run->bytes.begin, err);
        }
    }
    return st;
}

/* Adds a part of the text. Parts are added in order. */
static Status add_text(UnitWriter *w, size_t begin, size_t end, Err *err)
{
    const size_t count = w->rendering->kept_count;
    Status st = OK;

    for (size_t at = begin, stop; st == OK && at < end; at = stop) {
        const Span *kept;
        while (w->next_kept < count && w->kept[w->next_kept].place.end <= at) w->next_kept++;
        kept = w->next_kept < count ? &w->kept[w->next_kept] : NULL;
        if (kept && kept->place.begin <= at) {
            const size_t moved = kept->source.begin - kept->place.begin;
            stop = clamp(kept->place.end, at, end);
            st = add_kept(w, at + moved, stop + moved, err);
        } else {
            stop = kept ? clamp(kept->place.begin, at, end) : end;
            st = add_free_text(w, at, stop, err);
        }
    }
    return st;
}

/* Adds an end of a span. */
static Status add_tag(UnitWriter *w, size_t index, bool closes, Err *err)
{
    const Markup *markup = &w->writing->model->markup[index];
    const char *other = mark_fit_replacement(&w->fit, index, closes);
    const Range range = closes ? markup->close : markup->open;
    const bool is_mark = mark_fit_is_mark(&w->fit, index);

    w->slot = index + 1;
    if (!other && !is_mark) return add_bytes(w, range, err);
    return add_atom(w,
                    !is_mark ? ATOM_PLAIN
                    : closes ? ATOM_SHUT
                             : ATOM_OPEN,
                    0, other ? other : w->writing->file->bytes + range.begin,
                    other ? strlen(other) : range.end - range.begin, err);
}

static Status add_open(UnitWriter *w, size_t index, Err *err)
{
    Status st = add_tag(w, index, false, err);

    return st == OK && w->writing->model->markup[index].is_label ? add_atom(w, ATOM_LABEL, 0, "", 0, err) : st;
}

static Status add_close(UnitWriter *w, size_t index, Err *err)
{
    const Markup *markup = &w->writing->model->markup[index];
    const Range close = markup->close;

    if (!markup->is_label) return add_tag(w, index, true, err);
    w->slot = index + 1;
    return add_atom(w, ATOM_CLOSE, 0, w->writing->file->bytes + close.begin, close.end - close.begin, err);
}

/* Whether the text has a space at `at`. */
static bool has_space(const UnitWriter *w, size_t at)
{
    return at < w->rendering->length && w->rendering->text[at] == ' ';
}

/* Adds the text [*at, to) and an empty element that stands for a space: without the space beside it. Sets *at to where
 * the text goes on, at most `end`. */
static Status add_space(UnitWriter *w, const Markup *markup, size_t *at, size_t to, size_t end, Err *err)
{
    const bool is_before = to > *at && has_space(w, to - 1), is_after = !is_before && to < end && has_space(w, to);
    Status st = add_text(w, *at, is_before ? to - 1 : to, err);

    *at = to + is_after;
    if (st != OK || (markup->is_blank && !is_before && !is_after)) return st;
    return add_bytes(w, markup->open, err);
}

/* Whether what is beside byte `at` has no space on this side: an opening mark before it, a closing one after it. */
static bool adjoins_mark(const UnitWriter *w, size_t at, bool is_before)
{
    const char *text = w->rendering->text;
    uint32_t code, category;

    at -= is_before;
    while (is_before && at && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    (void)utf8_next(text + at, w->rendering->length - at, &code);
    category = U_GET_GC_MASK((UChar32)code);
    if (is_before) return category & (U_GC_PS_MASK | U_GC_PI_MASK);
    return (category & (U_GC_PE_MASK | U_GC_PF_MASK)) || u_hasBinaryProperty((UChar32)code, UCHAR_TERMINAL_PUNCTUATION);
}

/* Whether the empty element of w->children[i] lacks a space on one side that it has on both sides in the source. Of
 * several elements at one place, the first one decides what is before them, and the last one what is after them. */
static bool lacks_space(const UnitWriter *w, size_t i, size_t from, bool is_before)
{
    const UnitText *model = w->writing->model;
    const Markup *markup = &model->markup[w->children[i].index];
    const size_t at = markup->text.begin, other = is_before ? i - 1 : i + 1;
    const bool is_alone =
        is_before ? i == w->first[w->children[i].parent] : i + 1 == w->first[w->children[i].parent + 1];

    if (!markup->is_empty || !at || at >= model->length || model->text[at - 1] != ' ' || model->text[at] != ' ')
        return false;
    if (!from || from >= w->rendering->length || has_space(w, is_before ? from - 1 : from)) return false;
    if (adjoins_mark(w, from, is_before)) return false;
    return is_alone || (is_before ? w->places[w->children[other].index].end < from
                                  : w->places[w->children[other].index].begin > from);
}

static Status add_lacking_space(UnitWriter *w, size_t i, size_t from, bool is_before, Err *err)
{
    return lacks_space(w, i, from, is_before) ? add_atom(w, new_kind(w, ' '), ' ', " ", 1, err) : OK;
}

/* Adds the text [begin, end) with the markup in it. The depth is at most MARKUP_DEPTH. */
static Status add_inside(UnitWriter *w, size_t slot, size_t begin, size_t end, Err *err)
{
    const UnitText *model = w->writing->model;
    size_t at = begin;
    Status st = OK;

    w->slot = slot;
    for (size_t i = w->first[slot]; st == OK && i < w->first[slot + 1]; i++) {
        const size_t child = w->children[i].index;
        const size_t from = clamp(w->places[child].begin, at, end);
        const size_t to = clamp(w->places[child].end, from, end);
        if (model->markup[child].is_space) {
            st = add_space(w, &model->markup[child], &at, from, end, err);
            continue;
        }
        st = add_text(w, at, from, err);
        if (st == OK) st = add_lacking_space(w, i, from, true, err);
        at = model->markup[child].is_empty ? from : to;
        if (st == OK) st = add_open(w, child, err);
        if (st == OK) st = add_inside(w, child + 1, from, at, err);
        if (st == OK) st = add_close(w, child, err);
        if (st == OK) st = add_lacking_space(w, i, from, false, err);
        w->slot = slot;
    }
    return st == OK ? add_text(w, at, end, err) : st;
}

static void reverse(Atom *atoms, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const Atom atom = atoms[i];
        atoms[i] = atoms[count - 1 - i];
        atoms[count - 1 - i] = atom;
    }
}

/* Moves elements that would begin a block from the beginning of the text to its end. In the source, such an element
 * always follows a word, because what precedes the text is not part of it. */
static void leave_start(UnitAtoms *atoms, const SpellingRules *rules)
{
    Atom *items = atoms->items;
    size_t moved = 0;

    if (!rules || !rules->begins_block) return;
    while (moved < atoms->count && items[moved].slot && rules->begins_block(items[moved].bytes, items[moved].length)) {
        const size_t slot = items[moved].slot;
        while (moved < atoms->count && items[moved].slot == slot) moved++;
    }
    if (!moved) return;
    reverse(items, moved);
    reverse(items + moved, atoms->count - moved);
    reverse(items, atoms->count);
}

Status unit_listing_make(UnitWriter *w, Err *err)
{
    const UnitWriting *writing = w->writing;
    Status st;

    spellings_free(&w->spellings);
    w->atoms.count = w->next_kept = 0;
    st = spellings_find(&w->spellings,
                        &(SpellingSource){ .file = writing->file,
                                           .text = writing->model,
                                           .rules = writing->rules,
                                           .kept = w->rendering->kept,
                                           .kept_count = w->rendering->kept_count },
                        err);
    if (st == OK) st = list_children(w, err);
    if (st == OK && !w->kept) st = list_kept(w, err);
    if (st == OK) st = add_inside(w, 0, 0, w->rendering->length, err);
    if (st == OK && !writing->model->is_written) leave_start(&w->atoms, writing->rules);
    return st;
}
