/* list_models.c - the command models: see commands.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "commands.h"
#include "json.h"
#include "report.h"

/* The columns of the text; the last one is not padded. */
enum { NAME, PLACE, LANGUAGES, SIZE, STATE, COLUMNS };

typedef struct {
    Buf cells[COLUMNS];
} Row;

/* The rows of the text, headings first. */
typedef struct {
    Row *data;
    size_t len, cap;
    bool failed;
} Rows;

/* Puts one language by its code, several by their number. */
static void put_side(Buf *out, const char *const *codes, size_t count)
{
    if (count > 1)
        buf_put_format(out, "%zu languages", count);
    else
        buf_put_text(out, count ? codes[0] : "?");
}

static void put_languages(Buf *out, const DragomanOutline *outline)
{
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);

    if (!from && !to) {
        buf_put_text(out, "-");
        return;
    }
    put_side(out, sources, from);
    if (from == to && from > 1) return;
    buf_put_text(out, " > ");
    put_side(out, targets, to);
}

static void put_size(Buf *out, uint64_t bytes)
{
    const double megabytes = (double)bytes / 1e6;

    if (megabytes < 1000)
        buf_put_format(out, "%.*f MB", megabytes < 10 ? 1 : 0, megabytes);
    else
        buf_put_format(out, "%.1f GB", megabytes / 1000);
}

/* Adds the row of a model, or the headings if it is NULL. */
static Status add_row(Rows *rows, const DragomanModel *model, const DragomanOutline *outline, Err *err)
{
    static const char *const headings[COLUMNS] = { "MODEL", "PLACE", "LANGUAGES", "SIZE", "STATE" };
    Row row = { { { 0 } } };
    Status st = OK;

    if (model) {
        const char *fault = dragoman_model_fault(model, outline);
        buf_put_text(&row.cells[NAME], model->name);
        buf_put_text(&row.cells[PLACE], dragoman_place_name(model->place));
        put_languages(&row.cells[LANGUAGES], outline);
        put_size(&row.cells[SIZE], dragoman_outline_bytes(outline));
        buf_put_text(&row.cells[STATE], fault ? fault : "ready");
    } else {
        for (size_t i = 0; i < COLUMNS; i++) buf_put_text(&row.cells[i], headings[i]);
    }
    LIST_PUT(rows, row);
    if (rows->failed)
        for (size_t i = 0; i < COLUMNS; i++) buf_free(&row.cells[i]);
    st = LIST_CHECK(rows, "the models", err);
    for (size_t i = 0; st == OK && i < COLUMNS; i++) st = buf_check(&rows->data[rows->len - 1].cells[i], err);
    return st;
}

static Status append_rows(Buf *out, const Rows *rows, Err *err)
{
    size_t widths[COLUMNS] = { 0 };
    Status st = OK;

    for (size_t i = 0; i < rows->len; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const size_t cells = cells_count(rows->data[i].cells[k].data);
            if (cells > widths[k]) widths[k] = cells;
        }
    for (size_t i = 0; st == OK && i < rows->len; i++)
        for (size_t k = 0; st == OK && k < COLUMNS; k++) {
            const char *text = rows->data[i].cells[k].data;
            st = cells_append_end(out, text, SIZE_MAX, err);
            if (st != OK) break;
            if (k == STATE)
                buf_put_byte(out, '\n');
            else
                buf_put_format(out, "%*s", (int)(widths[k] - cells_count(text)) + 2, "");
        }
    return st == OK ? buf_check(out, err) : st;
}

/* Names of files may be invalid UTF-8. */
static Status append_string(Buf *out, const char *before, const char *text, Err *err)
{
    size_t replaced = 0;
    Buf clean = { 0 };
    Status st;

    buf_put_clean(&clean, text, strlen(text), &replaced);
    st = buf_check(&clean, err);
    buf_put_text(out, before);
    if (st == OK) json_put_string(out, clean.data, clean.len);
    buf_free(&clean);
    return st;
}

static Status append_codes(Buf *out, const char *key, const char *const *codes, size_t count, Err *err)
{
    Status st = OK;

    buf_put_format(out, ",\"%s\":[", key);
    for (size_t i = 0; st == OK && i < count; i++) st = append_string(out, i ? "," : "", codes[i], err);
    buf_put_byte(out, ']');
    return st;
}

static Status append_json(Buf *out, const DragomanModel *model, const DragomanOutline *outline, Err *err)
{
    const char *fault = dragoman_outline_fault(outline);
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);
    Status st = append_string(out, "{\"name\":", model->name, err);

    if (st == OK) st = append_string(out, ",\"place\":", dragoman_place_name(model->place), err);
    if (st == OK) st = append_string(out, ",\"path\":", model->path, err);
    if (st == OK) st = append_codes(out, "source_languages", sources, from, err);
    if (st == OK) st = append_codes(out, "target_languages", targets, to, err);
    buf_put_format(out, ",\"bytes\":%" PRIu64, dragoman_outline_bytes(outline));
    if (st == OK && fault) st = append_string(out, ",\"fault\":", fault, err);
    buf_put_text(out, "}\n");
    return st == OK ? buf_check(out, err) : st;
}

/* Whether the list has the model: with --from or --to (NULL: any), if it has these languages, or if they could not be
 * read. */
static Status is_listed(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err)
{
    DragomanError error;
    size_t sources, targets;

    *out = true;
    if (!from && !to) return OK;
    (void)dragoman_outline_sources(outline, &sources);
    (void)dragoman_outline_targets(outline, &targets);
    if (!sources && !targets && dragoman_outline_fault(outline)) return OK;
    return library_status(dragoman_outline_has_pair(outline, from, to, out, &error), &error, err);
}

/* Sets *listed to the number of models in the list. */
static Status append_models(Buf *out, size_t *listed, const Options *o, DragomanHub *hub, Err *err)
{
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE];
    const bool as_text = o->format == MODEL_LIST_TEXT;
    const DragomanModel *models;
    DragomanError error;
    Rows rows = { NULL, 0, 0, false };
    size_t count;
    Status st = library_status(dragoman_hub_models(hub, &models, &count, &error), &error, err);

    *listed = 0;
    if (st == OK) st = library_language_code(from, o->from ? o->from : "", err);
    if (st == OK) st = library_language_code(to, o->to ? o->to : "", err);
    if (st == OK && as_text) st = add_row(&rows, NULL, NULL, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        const DragomanOutline *outline;
        bool is_in = false;
        st = library_status(dragoman_hub_outline(hub, &models[i], &outline, &error), &error, err);
        if (st == OK) st = is_listed(&is_in, outline, o->from ? from : NULL, o->to ? to : NULL, err);
        if (st != OK || !is_in) continue;
        ++*listed;
        st = as_text ? add_row(&rows, &models[i], outline, err) : append_json(out, &models[i], outline, err);
    }
    if (st == OK && as_text) st = append_rows(out, &rows, err);
    for (size_t i = 0; i < rows.len; i++)
        for (size_t k = 0; k < COLUMNS; k++) buf_free(&rows.data[i].cells[k]);
    free(rows.data);
    return st;
}

Status command_models(const Options *options, DragomanHub *hub, Output *out, Err *err)
{
    const char *from = options->from, *to = options->to;
    const DragomanModel *models;
    DragomanError error;
    size_t count = 0;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = library_status(dragoman_hub_models(hub, &models, &count, &error), &error, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = append_models(&out->buffer, &count, options, hub, err);
    if (st == OK) st = output_finish(out, err);
    if (st != OK || count) return st;
    /* Two models may still translate from the one language into the other. */
    if (from && to)
        report("no single model on this machine translates from %s into %s", from, to);
    else if (from || to)
        report("no model on this machine translates %s %s", from ? "from" : "into", from ? from : to);
    return OK;
}
