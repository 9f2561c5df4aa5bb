/* line_known.c - lines whose translation is known, which no model reads: see line.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"

static Status check_place(const LineRequest *request, size_t i, Err *err)
{
    const Range range = request->kept[i], place = request->known_kept[i];
    const size_t length = range.end - range.begin;

    if (place.begin <= place.end && place.end <= request->known.len && place.end - place.begin == length &&
        memcmp(request->text.data + range.begin, request->known.data + place.begin, length) == 0)
        return OK;
    return err_set(err, ERR_USAGE, "place %zu of the known translation does not have the bytes of its kept range",
                   i + 1);
}

/* The ranges are valid. */
static Status check_places(const LineRequest *request, Err *err)
{
    Status st = OK;

    if (request->known_kept_count != request->kept_count)
        return err_set(err, ERR_USAGE, "the line has %zu kept ranges, but the known translation has %zu places",
                       request->kept_count, request->known_kept_count);
    for (size_t i = 0; st == OK && i < request->kept_count; i++) st = check_place(request, i, err);
    return st;
}

static Status add_translation(Line *line, const LineRequest *request, Err *err)
{
    DragomanTranslation *translation = calloc(1, sizeof *translation);
    Status st;

    if (!translation) return err_memory(err, "a translation");
    line->view.translations = translation;
    line->view.count = 1;
    translation->confidence = (double)NAN;
    st = buf_append(&translation->text, request->known.data, request->known.len, err);
    for (size_t i = 0; st == OK && i < request->known_kept_count; i++) {
        const Range place = { request->known_kept[i].begin, request->known_kept[i].end };
        st = token_ranges_add(&translation->kept, &place, 1, (TextPlace){ 0 }, err);
    }
    return st;
}

Status line_new_known(Line **out, const LineRequest *request, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st =
        line ? buf_append(&line->view.source, request->text.data, request->text.len, err) : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) st = line_kept_new(line, request, NULL, err);
    if (st == OK) st = check_places(request, err);
    if (st == OK) st = line_demands_new(line, request, err);
    if (st == OK) st = add_translation(line, request, err);
    if (st == OK) st = line_demands_find(line, err);
    if (st == OK) {
        line->view.tag = tag;
        line->view.pivot_confidence = 1;
        line->known = true;
        line->cost = sizeof *line + sizeof *line->view.translations + line->view.source.cap + request->known.len +
                     4 * request->kept_count * sizeof(Range);
        *out = line;
        line = NULL;
    }
    line_free(line);
    return st;
}
