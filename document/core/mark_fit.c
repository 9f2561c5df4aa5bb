/* mark_fit.c - see mark_fit.h. */
#include "mark_fit.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define MOST_ATTEMPTS 2
#define MOST_PASSES   8

static bool are_marks(const MarkFit *fit, const Markup *markup)
{
    const char *bytes = fit->file->bytes;

    return !markup->is_empty &&
           fit->rules->is_mark(bytes + markup->open.begin, markup->open.end - markup->open.begin,
                               bytes + markup->close.begin, markup->close.end - markup->close.begin);
}

static bool has_marks(const MarkFit *fit)
{
    for (size_t i = 0; i < fit->model->markup_count; i++)
        if (are_marks(fit, &fit->model->markup[i])) return true;
    return false;
}

Status mark_fit_start(MarkFit *fit, const MarkRules *rules, const DocumentFile *file, const UnitText *model,
                      const Rendering *rendering, Err *err)
{
    const size_t count = model->markup_count;

    *fit = (MarkFit){ .rules = rules, .file = file, .model = model, .text = rendering->text };
    if (!rules || !has_marks(fit)) {
        fit->rules = NULL;
        return OK;
    }
    fit->places = malloc(count * sizeof *fit->places);
    fit->attempt = calloc(count, sizeof *fit->attempt);
    fit->misfits = calloc(count, sizeof *fit->misfits);
    if (!fit->places || !fit->attempt || !fit->misfits) return err_memory(err, "a unit");
    memcpy(fit->places, rendering->places, count * sizeof *fit->places);
    return OK;
}

void mark_fit_free(MarkFit *fit)
{
    free(fit->places);
    free(fit->attempt);
    free(fit->misfits);
}

bool mark_fit_is_mark(const MarkFit *fit, size_t index)
{
    return fit->rules && fit->attempt[index] < MOST_ATTEMPTS && are_marks(fit, &fit->model->markup[index]);
}

/* Whether the span goes on in another text, where its other mark is. */
static bool goes_on(const Markup *markup)
{
    return markup->open.begin == markup->open.end || markup->close.begin == markup->close.end;
}

const char *mark_fit_replacement(const MarkFit *fit, size_t index, bool closes)
{
    const Markup *markup = &fit->model->markup[index];
    const Range tag = closes ? markup->close : markup->open;

    if (!fit->rules || !fit->attempt[index] || goes_on(markup)) return NULL;
    return fit->rules->replace(fit->file->bytes + tag.begin, tag.end - tag.begin, closes, fit->attempt[index]);
}

/* The number after the last markup in a span; it follows the span in the list. */
static size_t inside_end(const MarkFit *fit, size_t index)
{
    const Markup *markup = fit->model->markup;
    size_t end = index + 1;

    while (end < fit->model->markup_count && markup[end].parent != MARKUP_ROOT && markup[end].parent >= index) end++;
    return end;
}

/* The part of a span that must stay in it: other markup than marks. */
static Range needed(const MarkFit *fit, size_t index)
{
    Range out = { fit->places[index].end, fit->places[index].begin };

    for (size_t i = index + 1, end = inside_end(fit, index); i < end; i++) {
        const Range place = fit->places[i];
        if (are_marks(fit, &fit->model->markup[i])) continue;
        if (place.begin < out.begin) out.begin = place.begin;
        if (place.end > out.end) out.end = place.end;
    }
    return out;
}

/* Moves what is in a span into its new place. */
static void clamp_inside(MarkFit *fit, size_t index)
{
    const Range outer = fit->places[index];

    for (size_t i = index + 1, end = inside_end(fit, index); i < end; i++) {
        Range *place = &fit->places[i];
        if (place->begin < outer.begin) place->begin = outer.begin;
        if (place->begin > outer.end) place->begin = outer.end;
        if (place->end > outer.end) place->end = outer.end;
        if (place->end < place->begin) place->end = place->begin;
    }
}

/* Moves one end of a span inwards, if something is left of it. */
static bool shrink(MarkFit *fit, size_t index, bool closes)
{
    const Range inner = needed(fit, index), old = fit->places[index];
    Range place = old;
    uint32_t code;

    while (!closes && place.begin < place.end && place.begin < inner.begin) {
        const size_t step = utf8_next(fit->text + place.begin, place.end - place.begin, &code);
        if (!fit->rules->may_pass(code)) break;
        place.begin += step;
    }
    while (closes && place.begin < place.end && place.end > inner.end) {
        const size_t length = utf8_previous(fit->text + place.begin, place.end - place.begin, &code);
        if (!fit->rules->may_pass(code)) break;
        place.end = place.begin + length;
    }
    if (place.begin >= place.end || (place.begin == old.begin && place.end == old.end)) return false;
    fit->places[index] = place;
    clamp_inside(fit, index);
    return true;
}

static bool is_same_tag(const Atom *a, const Atom *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static bool fits(const MarkFit *fit, const UnitAtoms *atoms, size_t index, unsigned context)
{
    char before[SPELLING_AHEAD], after[SPELLING_AHEAD];
    const Atom *atom = &atoms->items[index], *previous = index ? atom - 1 : NULL, *next = atom + 1;
    const bool closes = atom->kind == ATOM_SHUT;
    const size_t start = unit_atoms_behind(atoms, index, before);
    const MarkPlace place = { .context = context,
                              .mark = atom->bytes,
                              .length = atom->length,
                              .closes = closes,
                              .is_empty = !closes && next->kind == ATOM_SHUT && next->slot == atom->slot,
                              .follows_same =
                                  !closes && previous && previous->kind == ATOM_SHUT && is_same_tag(previous, atom),
                              .before = before + start,
                              .before_length = SPELLING_AHEAD - start,
                              .after = after,
                              .after_length = unit_atoms_ahead(atoms, index, after) };

    return fit->rules->fits(&place);
}

void mark_fit_note_misfits(MarkFit *fit, const UnitAtoms *atoms, unsigned context)
{
    for (size_t i = 0; fit->rules && i < atoms->count; i++) {
        const Atom *atom = &atoms->items[i];
        if ((atom->kind == ATOM_OPEN || atom->kind == ATOM_SHUT) && !fits(fit, atoms, i, context))
            fit->misfits[atom->slot - 1] |= atom->kind == ATOM_SHUT ? 2 : 1;
    }
}

static void change_span(MarkFit *fit, size_t index)
{
    bool has_moved = false;

    if (fit->passes > MOST_PASSES) {
        fit->attempt[index] = MOST_ATTEMPTS;
        return;
    }
    for (int closes = 0; closes < 2 && !fit->attempt[index]; closes++)
        if (fit->misfits[index] & (1 << closes)) has_moved |= shrink(fit, index, closes);
    fit->attempt[index] += !has_moved;
}

bool mark_fit_change(MarkFit *fit)
{
    bool has_changed = false;

    if (!fit->rules) return false;
    fit->passes++;
    for (size_t i = 0; i < fit->model->markup_count; i++) {
        if (!fit->misfits[i]) continue;
        change_span(fit, i);
        fit->misfits[i] = 0;
        has_changed = true;
    }
    return has_changed;
}
