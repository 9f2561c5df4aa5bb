/* model_commands.c - the commands info, pack, shortlist, calibrate, get and models: see commands.h. */
#include "commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "progress.h"
#include "report.h"
#include "text.h"

/* --- info, pack, shortlist, calibrate ---------------------------------------- */

Status command_info(const Job *job, Output *out, Err *err)
{
    char *description = NULL;
    DragomanError error;
    size_t tensors = 0;
    Status st = library_status(dragoman_describe(job->settings, &description, &error), &error, err);

    if (st == OK && job->options->verify)
        st = library_status(dragoman_verify(job->settings, &tensors, &error), &error, err);
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) {
        buf_put_text(&out->buffer, description);
        if (job->options->verify) buf_put_format(&out->buffer, "checksums: %zu, all correct\n", tensors);
    }
    dragoman_free_text(description);
    return st == OK ? output_finish(out, err) : st;
}

Status command_pack(const Job *job, Output *out, Err *err)
{
    char *warnings = NULL;
    DragomanError error;
    Status st = command_choose_output(job, out, err);

    if (st == OK && !output_is_file(out))
        st = err_set(err, ERR_USAGE, "pack: %s is not a regular file; give -o the name of a file to write",
                     out->target.name);
    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(dragoman_pack(job->settings, out->fd, out->target.name, &warnings, &error), &error, err);
    if (st == OK && !job->options->quiet) reporter_say_warnings(&program_reporter, warnings);
    dragoman_free_text(warnings);
    return st == OK ? output_finish(out, err) : st;
}

Status command_learn(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    const char *source = options->files[0], *target = options->files[1];
    const bool as_text = options->output && text_ends_with(options->output, ".txt");
    DragomanError error;
    char *learned = NULL;
    size_t length = 0;
    Status st = command_choose_output(job, out, err); /* reports a wrong name before hours of learning */

    if (st == OK) st = output_open(out, err);
    if (st == OK && options->command == COMMAND_CALIBRATE)
        st = library_status(dragoman_calibrate(job->settings, source, target, &learned, &length, &error), &error, err);
    else if (st == OK)
        st = library_status(dragoman_learn_shortlist(job->settings, source, target, as_text, &learned, &length, &error),
                            &error, err);
    if (st == OK) buf_put(&out->buffer, learned, length);
    dragoman_free_text(learned);
    return st == OK ? output_finish(out, err) : st;
}

/* --- get --------------------------------------------------------------------- */

static Status check_usable(const char *name, const char *path, Err *err)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    char *languages = NULL;
    DragomanStatus st;

    if (!options) return err_memory(err, "options");
    dragoman_options_take_paths(options);
    st = dragoman_set_text(options, DRAGOMAN_MODEL, path, &error);
    if (st == DRAGOMAN_OK) st = dragoman_languages(options, &languages, &error);
    dragoman_free_text(languages);
    dragoman_options_free(options);
    if (st == DRAGOMAN_OK) return OK;
    return err_set(err, ERR_UNSUPPORTED, "get: %s was downloaded, but dragoman cannot use it: %s", name, error.message);
}

Status command_get(const Options *options, Output *out, Err *err)
{
    const char *name = options->files[0];
    char *folder = NULL, *packed = NULL, *warnings = NULL;
    DragomanError error;
    Meter meter;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK && options->as_int8) st = library_status(dragoman_packed_path(name, &packed, &error), &error, err);
    if (st == OK) {
        meter_start(&meter, options->quiet);
        st = library_status(dragoman_download(name, meter_show, &meter, &folder, &error), &error, err);
        meter_stop(&meter);
    }
    command_enter_sandbox(options); /* the network is not needed any more */
    if (st == OK) st = check_usable(name, folder, err);
    if (st == OK && packed)
        st = library_status(dragoman_pack_download(name, folder, packed, &warnings, &error), &error, err);
    if (warnings && !options->quiet) reporter_say_warnings(&program_reporter, warnings);
    if (st == OK) buf_put_format(&out->buffer, "%s\n", packed ? packed : name);
    dragoman_free_text(warnings);
    dragoman_free_text(packed);
    dragoman_free_text(folder);
    return st == OK ? output_finish(out, err) : st;
}

/* --- models ------------------------------------------------------------------ */

/* The columns of the table that is printed; the last one is not padded. */
enum { NAME, PLACE, LANGUAGES, SIZE, STATE, COLUMNS };

typedef struct {
    Buf cells[COLUMNS];
} Row;

/* The rows of the table; the first row has the headings. */
typedef LIST_OF(Row) Rows;

/* Appends the code if there is one language, or the number of languages if there are several. */
static void put_side(Buf *out, const char *const *codes, size_t count)
{
    if (count > 1)
        buf_put_format(out, "%zu languages", count);
    else
        buf_put_text(out, count ? codes[0] : "?");
}

/* Adds the row of a model, or the headings if `model` is NULL. */
static Status add_row(Rows *rows, const DragomanModel *model, const DragomanOutline *outline, Err *err)
{
    static const char *const headings[COLUMNS] = { "MODEL", "PLACE", "LANGUAGES", "SIZE", "STATE" };
    Row row = { { { 0 } } };
    Status st;

    if (model) {
        const char *fault = dragoman_model_fault(model, outline);
        const double megabytes = (double)dragoman_outline_bytes(outline) / 1e6;
        size_t from, to;
        const char *const *sources = dragoman_outline_sources(outline, &from);
        const char *const *targets = dragoman_outline_targets(outline, &to);
        buf_put_text(&row.cells[NAME], model->name);
        buf_put_text(&row.cells[PLACE], dragoman_place_name(model->place));
        if (from || to) put_side(&row.cells[LANGUAGES], sources, from);
        if (from != to || from == 1) {
            buf_put_text(&row.cells[LANGUAGES], " > ");
            put_side(&row.cells[LANGUAGES], targets, to);
        }
        if (!from && !to) buf_put_byte(&row.cells[LANGUAGES], '-');
        if (megabytes < 1000)
            buf_put_format(&row.cells[SIZE], "%.*f MB", megabytes < 10 ? 1 : 0, megabytes);
        else
            buf_put_format(&row.cells[SIZE], "%.1f GB", megabytes / 1000);
        buf_put_text(&row.cells[STATE], fault ? fault : "ready");
    }
    for (size_t i = 0; !model && i < COLUMNS; i++) buf_put_text(&row.cells[i], headings[i]);
    LIST_PUT(rows, row);
    if (rows->failed)
        for (size_t i = 0; i < COLUMNS; i++) buf_free(&row.cells[i]);
    st = LIST_CHECK(rows, "the models", err);
    for (size_t i = 0; st == OK && i < COLUMNS; i++) st = buf_check(&rows->data[rows->len - 1].cells[i], err);
    return st;
}

static void put_rows(Buf *out, const Rows *rows)
{
    size_t widths[COLUMNS] = { 0 };

    for (size_t i = 0; i < rows->len; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const size_t cells = cells_count(rows->data[i].cells[k].data);
            if (cells > widths[k]) widths[k] = cells;
        }
    for (size_t i = 0; i < rows->len; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            const char *text = rows->data[i].cells[k].data;
            cells_put_end(out, text, SIZE_MAX);
            if (k == STATE)
                buf_put_byte(out, '\n');
            else
                buf_put_format(out, "%*s", (int)(widths[k] - cells_count(text)) + 2, "");
        }
}

/* Appends `before` and a JSON string. Replaces invalid UTF-8, which names of files may contain. */
static void put_string(Buf *out, const char *before, const char *text)
{
    size_t replaced = 0;
    Buf clean = { 0 };

    buf_put_clean(&clean, text, strlen(text), &replaced);
    buf_put_text(out, before);
    json_put_string(out, clean.data, clean.len);
    out->failed = out->failed || clean.failed;
    buf_free(&clean);
}

static void put_codes(Buf *out, const char *key, const char *const *codes, size_t count)
{
    buf_put_format(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) put_string(out, i ? "," : "", codes[i]);
    buf_put_byte(out, ']');
}

static void put_json(Buf *out, const DragomanModel *model, const DragomanOutline *outline)
{
    const char *fault = dragoman_outline_fault(outline);
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);

    put_string(out, "{\"name\":", model->name);
    put_string(out, ",\"place\":", dragoman_place_name(model->place));
    put_string(out, ",\"path\":", model->path);
    put_codes(out, "source_languages", sources, from);
    put_codes(out, "target_languages", targets, to);
    buf_put_format(out, ",\"bytes\":%" PRIu64, dragoman_outline_bytes(outline));
    if (fault) put_string(out, ",\"fault\":", fault);
    buf_put_text(out, "}\n");
}

/* Sets *out to whether the model is listed. If --from or --to is given (not NULL), the model must have these languages;
 * a model with an error that hides its languages is listed as well. */
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

Status command_models(const Options *options, DragomanHub *hub, Output *out, Err *err)
{
    const char *from = options->from, *to = options->to;
    char from_code[DRAGOMAN_LANGUAGE_CODE], to_code[DRAGOMAN_LANGUAGE_CODE];
    const bool as_text = !options->format;
    const DragomanModel *models;
    DragomanError error;
    DragomanStatus ready;
    Rows rows = { 0 };
    size_t count, listed = 0;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st != OK) return st;
    ready = dragoman_hub_models(hub, &models, &count, &error);
    if (ready == DRAGOMAN_OK) ready = dragoman_find_language_code(from ? from : "", from_code, &error);
    if (ready == DRAGOMAN_OK) ready = dragoman_find_language_code(to ? to : "", to_code, &error);
    st = library_status(ready, &error, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK && as_text) st = add_row(&rows, NULL, NULL, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        const DragomanOutline *outline;
        bool is_in = false;
        st = library_status(dragoman_hub_outline(hub, &models[i], &outline, &error), &error, err);
        if (st == OK) st = is_listed(&is_in, outline, from ? from_code : NULL, to ? to_code : NULL, err);
        if (st != OK || !is_in) continue;
        listed++;
        if (as_text)
            st = add_row(&rows, &models[i], outline, err);
        else
            put_json(&out->buffer, &models[i], outline);
    }
    if (st == OK && as_text) put_rows(&out->buffer, &rows);
    if (st == OK) st = output_finish(out, err);
    for (size_t i = 0; i < rows.len; i++)
        for (size_t k = 0; k < COLUMNS; k++) buf_free(&rows.data[i].cells[k]);
    free(rows.data);
    if (st != OK || listed) return st;
    /* No single model fits, but two models together may translate between the languages. */
    if (from && to)
        report("no single model on this machine translates from %s into %s", from, to);
    else if (from || to)
        report("no model on this machine translates %s %s", from ? "from" : "into", from ? from : to);
    return OK;
}
