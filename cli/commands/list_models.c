/* list_models.c - the command models: see commands.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "commands.h"
#include "json.h"
#include "library.h"
#include "model_route.h"
#include "report.h"

/* The columns of the text; the last one is not padded. */
enum { NAME, PLACE, LANGUAGES, SIZE, STATE, COLUMNS };
static const char *const headings[COLUMNS] = { "MODEL", "PLACE", "LANGUAGES", "SIZE", "STATE" };

typedef struct {
    Buf cells[COLUMNS];
} Row;

/* The rows of the text, headings first. */
typedef struct {
    Row *items;
    size_t count, cap;
} Rows;

static Status add_row(Row **out, Rows *rows, Err *err)
{
    Status st = buf_grow_list(&rows->items, &rows->cap, rows->count, 1, sizeof *rows->items, "the models", err);

    if (st != OK) return st;
    *out = &rows->items[rows->count++];
    **out = (Row){ { { 0 } } };
    return OK;
}

static Status set_headings(Rows *rows, Err *err)
{
    Row *row;
    Status st = add_row(&row, rows, err);

    for (size_t i = 0; st == OK && i < COLUMNS; i++) st = buf_append_text(&row->cells[i], headings[i], err);
    return st;
}

/* One language by its code, several by their number. */
static Status append_side(Buf *out, const char *const *codes, size_t count, Err *err)
{
    return count == 1 ? buf_append_text(out, codes[0], err) : buf_append_format(out, err, "%zu languages", count);
}

static Status append_languages(Buf *out, const DragomanOutline *outline, Err *err)
{
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);
    Status st;

    if (!from && !to) return buf_append_text(out, "-", err);
    if (from == to && from > 1) return append_side(out, sources, from, err);
    st = from ? append_side(out, sources, from, err) : buf_append_text(out, "?", err);
    if (st == OK) st = buf_append_text(out, " > ", err);
    if (st != OK) return st;
    return to ? append_side(out, targets, to, err) : buf_append_text(out, "?", err);
}

static Status append_size(Buf *out, uint64_t bytes, Err *err)
{
    const double megabytes = (double)bytes / 1e6;

    return megabytes < 1000 ? buf_append_format(out, err, "%.*f MB", megabytes < 10 ? 1 : 0, megabytes)
                            : buf_append_format(out, err, "%.1f GB", megabytes / 1000);
}

static Status add_text(Rows *rows, const CatalogueModel *model, const DragomanOutline *outline, Err *err)
{
    const char *fault = catalogue_model_fault(model, outline);
    Row *row;
    Status st = add_row(&row, rows, err);

    if (st == OK) st = buf_append_text(&row->cells[NAME], model->name, err);
    if (st == OK) st = buf_append_text(&row->cells[PLACE], model_place_name(model->place), err);
    if (st == OK) st = append_languages(&row->cells[LANGUAGES], outline, err);
    if (st == OK) st = append_size(&row->cells[SIZE], dragoman_outline_bytes(outline), err);
    return st == OK ? buf_append_text(&row->cells[STATE], fault ? fault : "ready", err) : st;
}

static Status append_cell(Buf *out, const char *text, size_t width, Err *err)
{
    Status st = cells_append_end(out, text, SIZE_MAX, err);

    return st == OK ? buf_append_format(out, err, "%*s", (int)(width - cells_count(text)) + 2, "") : st;
}

static Status append_rows(Buf *out, const Rows *rows, Err *err)
{
    size_t widths[COLUMNS] = { 0 };
    Status st = OK;

    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const size_t cells = cells_count(rows->items[i].cells[k].data);
            if (cells > widths[k]) widths[k] = cells;
        }
    for (size_t i = 0; st == OK && i < rows->count; i++) {
        const Row *row = &rows->items[i];
        for (size_t k = 0; st == OK && k < STATE; k++) st = append_cell(out, row->cells[k].data, widths[k], err);
        if (st == OK) st = cells_append_end(out, row->cells[STATE].data, SIZE_MAX, err);
        if (st == OK) st = buf_append(out, "\n", 1, err);
    }
    return st;
}

static void free_rows(Rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < COLUMNS; k++) buf_free(&rows->items[i].cells[k]);
    free(rows->items);
}

static Status append_string(Buf *out, const char *before, const char *text, Err *err)
{
    size_t replaced = 0;
    Buf clean = { 0 };
    Status st = buf_append_clean(&clean, text, strlen(text), &replaced, err); /* names of files may be no UTF-8 */

    if (st == OK) st = buf_append_text(out, before, err);
    if (st == OK) st = json_string_append(out, clean.data ? clean.data : "", clean.len, err);
    buf_free(&clean);
    return st;
}

static Status append_codes(Buf *out, const char *key, const char *const *codes, size_t count, Err *err)
{
    Status st = buf_append_format(out, err, ",\"%s\":[", key);

    for (size_t i = 0; st == OK && i < count; i++) st = append_string(out, i ? "," : "", codes[i], err);
    return st == OK ? buf_append(out, "]", 1, err) : st;
}

static Status append_json(Buf *out, const CatalogueModel *model, const DragomanOutline *outline, Err *err)
{
    const char *fault = dragoman_outline_fault(outline);
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);
    Status st = append_string(out, "{\"name\":", model->name, err);

    if (st == OK) st = append_string(out, ",\"place\":", model_place_name(model->place), err);
    if (st == OK) st = append_string(out, ",\"path\":", model->path, err);
    if (st == OK) st = append_codes(out, "source_languages", sources, from, err);
    if (st == OK) st = append_codes(out, "target_languages", targets, to, err);
    if (st == OK) st = buf_append_format(out, err, ",\"bytes\":%" PRIu64, dragoman_outline_bytes(outline));
    if (st == OK) st = fault ? append_string(out, ",\"fault\":", fault, err) : OK;
    return st == OK ? buf_append(out, "}\n", 2, err) : st;
}

/* Whether the list has the model: with --from or --to (NULL: any), if it has these languages, or if they could not be
 * read. */
static Status is_listed(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err)
{
    size_t sources, targets;

    *out = true;
    if (!from && !to) return OK;
    (void)dragoman_outline_sources(outline, &sources);
    (void)dragoman_outline_targets(outline, &targets);
    if (!sources && !targets && dragoman_outline_fault(outline)) return OK;
    return library_has_pair(out, outline, from, to, err);
}

/* Sets *count to the number of models that are listed. */
static Status add_models(Buf *out, Rows *rows, size_t *count, const Options *o, const Catalogue *all,
                         RouteFinder *finder, Err *err)
{
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE];
    Status st = library_language_code(from, o->from ? o->from : "", err);

    *count = 0;
    if (st == OK) st = library_language_code(to, o->to ? o->to : "", err);
    for (size_t i = 0; st == OK && i < all->count; i++) {
        const DragomanOutline *outline;
        bool listed = false;
        st = route_finder_outline(&outline, finder, i, err);
        if (st == OK) st = is_listed(&listed, outline, o->from ? from : NULL, o->to ? to : NULL, err);
        if (st != OK || !listed) continue;
        (*count)++;
        st = o->format == MODEL_LIST_JSONL ? append_json(out, &all->items[i], outline, err)
                                           : add_text(rows, &all->items[i], outline, err);
    }
    return st;
}

static Status append_models(Buf *out, size_t *count, const Options *o, const Catalogue *all, Err *err)
{
    RouteFinder *finder = NULL;
    Rows rows = { NULL, 0, 0 };
    Status st = route_finder_new(&finder, all, err);

    if (st == OK) st = set_headings(&rows, err);
    if (st == OK) st = add_models(out, &rows, count, o, all, finder, err);
    if (st == OK && o->format == MODEL_LIST_TEXT) st = append_rows(out, &rows, err);
    free_rows(&rows);
    route_finder_free(finder);
    return st;
}

/* Says why the list is empty. Two models may still translate from the one language into the other. */
static void report_empty_list(const Options *o)
{
    if (o->from && o->to)
        report("no single model on this machine translates from %s into %s", o->from, o->to);
    else if (o->from || o->to)
        report("no model on this machine translates %s %s", o->from ? "from" : "into", o->from ? o->from : o->to);
}

Status command_models(const Options *options, ModelNames *names, Output *out, Err *err)
{
    size_t count = 0;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = model_names_read(names, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = append_models(&out->buffer, &count, options, &names->catalogue, err);
    if (st == OK) st = output_finish(out, err);
    if (st == OK && !count) report_empty_list(options);
    return st;
}
