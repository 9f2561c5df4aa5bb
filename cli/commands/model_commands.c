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

/* --- Tables and JSON ----------------------------------------------------------- */

enum { COLUMNS = 5 };

typedef struct {
    Buf cells[COLUMNS];
} Row;

/* The rows of a table; the first row has the headings. */
typedef LIST_OF(Row) Rows;

/* Adds a row, whose cells are freed if memory runs out. */
static Status add_row(Rows *rows, Row *row, Err *err)
{
    Status st;

    LIST_PUT(rows, *row);
    if (rows->failed)
        for (size_t i = 0; i < COLUMNS; i++) buf_free(&row->cells[i]);
    st = LIST_CHECK(rows, "the models", err);
    for (size_t i = 0; st == OK && i < COLUMNS; i++) st = buf_check(&rows->data[rows->len - 1].cells[i], err);
    return st;
}

static Status add_headings(Rows *rows, const char *const headings[COLUMNS], Err *err)
{
    Row row = { { { 0 } } };

    for (size_t i = 0; i < COLUMNS; i++) buf_put_text(&row.cells[i], headings[i]);
    return add_row(rows, &row, err);
}

static void free_rows(Rows *rows)
{
    for (size_t i = 0; i < rows->len; i++)
        for (size_t k = 0; k < COLUMNS; k++) buf_free(&rows->data[i].cells[k]);
    free(rows->data);
}

/* The last column is not padded. */
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
            if (k == COLUMNS - 1)
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

/* What to download: a model that the user named, or one or two models that were chosen by their languages. */
typedef struct {
    const char *names[2];
    char *folders[2]; /* of the models, once they are here */
    size_t count;
} Downloads;

/* Returns ERR_USAGE if no model was found because a language, which may be NULL, is misspelled. */
static Status check_spelling(const char *command, const char *from, const char *to, Err *err)
{
    DragomanError error;

    if (from && dragoman_check_spelling(from, &error) != DRAGOMAN_OK)
        return err_set(err, (Status)error.status, "%s: --from %s", command, error.message);
    if (to && dragoman_check_spelling(to, &error) != DRAGOMAN_OK)
        return err_set(err, (Status)error.status, "%s: --to %s", command, error.message);
    return OK;
}

/* "NAME (KIND, SIZE, LICENCE)" */
static void put_offer(Buf *out, const DragomanOffer *offer)
{
    buf_put_format(out, "%s (%s, %s, %s)", offer->name, offer->kind, *offer->size ? offer->size : "unknown size",
                   offer->licence ? offer->licence : "licence not stated");
}

/* Says what a model of Hugging Face is, above all its licence, if the list has it. */
static Status say_offer(const char *name, Err *err)
{
    DragomanCatalog *catalog = NULL;
    const DragomanOffer *offers = NULL;
    DragomanError error;
    const size_t len = strcspn(name, "@");
    size_t count = 0, i = 0;
    Buf text = { 0 };
    Status st = library_status(dragoman_catalog_open(&catalog, false, &error), &error, err);

    if (st == OK) st = library_status(dragoman_catalog_find(catalog, NULL, NULL, &offers, &count, &error), &error, err);
    while (i < count && (strncmp(offers[i].name, name, len) != 0 || offers[i].name[len])) i++;
    if (st == OK && i < count) put_offer(&text, &offers[i]);
    if (st == OK) st = buf_check(&text, err);
    if (st == OK && text.len) report("get: downloading %s", text.data);
    buf_free(&text);
    dragoman_catalog_close(catalog);
    return st;
}

/* Chooses the models for a pair of languages, and says which. */
static Status choose_downloads(Downloads *out, DragomanCatalog *catalog, const char *from, const char *to, bool quiet,
                               Err *err)
{
    const DragomanOffer *best;
    const char *fault;
    DragomanError error;
    long days;
    Buf text = { 0 };
    Status st = library_status(dragoman_catalog_best(catalog, from, to, &best, &out->count, &error), &error, err);

    if (st == OK && !out->count) st = check_spelling("get", from, to, err);
    if (st == OK && !out->count)
        return err_set(err, ERR_IO,
                       "get: no model in the list from %s translates from %s into %s; 'dragoman get --list --from %s' "
                       "lists the models from %s",
                       dragoman_catalog_date(catalog, &days, &fault), from, to, from, from);
    for (size_t i = 0; st == OK && i < out->count; i++) {
        out->names[i] = best[i].name;
        if (i) buf_put_text(&text, " and ");
        put_offer(&text, &best[i]);
    }
    if (st == OK) st = buf_check(&text, err);
    if (st == OK && !quiet)
        report("get: %s-%s: downloading %s%s", from, to, text.data, out->count > 1 ? ", pivoting through English" : "");
    buf_free(&text);
    return st;
}

/* Downloads the models, and checks or packs them when the network is not needed any more. */
static Status get_models(Downloads *d, const Options *options, Output *out, Err *err)
{
    char *packed[2] = { NULL };
    DragomanError error;
    Meter meter;
    Status st = OK;

    for (size_t i = 0; st == OK && i < d->count; i++) {
        if (options->as_int8) st = library_status(dragoman_packed_path(d->names[i], &packed[i], &error), &error, err);
        if (st != OK) break;
        meter_start(&meter, options->quiet);
        st = library_status(dragoman_download(d->names[i], meter_show, &meter, &d->folders[i], &error), &error, err);
        meter_stop(&meter);
    }
    command_enter_sandbox(options);
    for (size_t i = 0; i < d->count; i++) {
        char *warnings = NULL;
        if (st == OK) st = check_usable(d->names[i], d->folders[i], err);
        if (st == OK && packed[i])
            st = library_status(dragoman_pack_download(d->names[i], d->folders[i], packed[i], &warnings, &error),
                                &error, err);
        if (warnings && !options->quiet) reporter_say_warnings(&program_reporter, warnings);
        if (st == OK) buf_put_format(&out->buffer, "%s\n", packed[i] ? packed[i] : d->names[i]);
        dragoman_free_text(warnings);
        dragoman_free_text(packed[i]);
        dragoman_free_text(d->folders[i]);
    }
    return st;
}

static Status add_offer(Rows *rows, const DragomanOffer *offer, Err *err)
{
    Row row = { { { 0 } } };

    buf_put_text(&row.cells[0], offer->name);
    if (offer->from)
        buf_put_format(&row.cells[1], "%s > %s", offer->from, offer->to);
    else
        buf_put_format(&row.cells[1], "%zu languages", offer->languages);
    buf_put_text(&row.cells[2], *offer->size ? offer->size : "-");
    buf_put_text(&row.cells[3], offer->kind);
    buf_put_text(&row.cells[4], offer->licence ? offer->licence : "not stated");
    return add_row(rows, &row, err);
}

static void put_offer_json(Buf *out, const DragomanOffer *offer)
{
    put_string(out, "{\"name\":", offer->name);
    put_string(out, ",\"kind\":", offer->kind);
    if (offer->from) {
        put_string(out, ",\"source_language\":", offer->from);
        put_string(out, ",\"target_language\":", offer->to);
    } else {
        buf_put_format(out, ",\"languages\":%zu", offer->languages);
    }
    if (offer->bytes)
        buf_put_format(out, ",\"bytes\":%" PRIu64 "%s", offer->bytes, offer->is_estimate ? ",\"estimate\":true" : "");
    if (offer->licence) put_string(out, ",\"licence\":", offer->licence);
    buf_put_text(out, "}\n");
}

/* Writes the list and, to stderr, its age and what to type for a pair. `from` and `to` may be NULL. */
static Status list_offers(DragomanCatalog *catalog, const char *from, const char *to, const Options *options,
                          Output *out, Err *err)
{
    const DragomanOffer *offers;
    const char *fault, *date;
    DragomanError error;
    char *suggestion = NULL;
    Rows rows = { 0 };
    Buf age = { 0 };
    size_t count;
    long days;
    Status st = library_status(dragoman_catalog_find(catalog, from, to, &offers, &count, &error), &error, err);

    if (st == OK && !count) st = check_spelling("get", from, to, err);
    if (st == OK && !options->format)
        st = add_headings(&rows, (const char *const[]){ "MODEL", "LANGUAGES", "SIZE", "KIND", "LICENCE" }, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        if (options->format)
            put_offer_json(&out->buffer, &offers[i]);
        else
            st = add_offer(&rows, &offers[i], err);
    }
    if (st == OK && !options->format) put_rows(&out->buffer, &rows);
    free_rows(&rows);
    date = dragoman_catalog_date(catalog, &days, &fault);
    if (st != OK || options->quiet) return st;
    if (days < 0)
        buf_put_format(&age, "the list is from %s, a day in the future: check the clock of this machine", date);
    else if (days)
        buf_put_format(&age, "the list is from %s (%ld day%s old)", date, days, days == 1 ? "" : "s");
    else
        buf_put_text(&age, "the list is from today");
    st = buf_check(&age, err);
    if (st == OK && from && to)
        st = library_status(dragoman_catalog_suggest(catalog, from, to, &suggestion, &error), &error, err);
    if (st == OK && fault)
        report("%s; it could not be updated: %s", age.data, text_begins_with(fault, "get: ") ? fault + 5 : fault);
    else if (st == OK)
        report("%s", age.data);
    buf_free(&age);
    if (suggestion)
        report("%s", suggestion);
    else if (st == OK && !count)
        report("no model in the list%s%s%s%s%s", from || to ? " translates" : "", from ? " from " : "",
               from ? from : "", to ? " into " : "", to ? to : "");
    dragoman_free_text(suggestion);
    return st;
}

Status command_get(const Options *options, Output *out, Err *err)
{
    const char *name = options->file_count ? options->files[0] : NULL, *from = options->from, *to = options->to;
    char from_code[DRAGOMAN_LANGUAGE_CODE], to_code[DRAGOMAN_LANGUAGE_CODE];
    const bool is_pair = name && dragoman_split_pair(name, from_code, to_code);
    DragomanCatalog *catalog = NULL;
    DragomanStatus ready = DRAGOMAN_OK;
    DragomanError error;
    Downloads downloads = { .names = { name }, .count = 1 };
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (from) ready = dragoman_find_language_code(from, from_code, &error);
    if (to && ready == DRAGOMAN_OK) ready = dragoman_find_language_code(to, to_code, &error);
    if (is_pair || from) from = from_code;
    if (is_pair || to) to = to_code;
    if (ready == DRAGOMAN_OK && (!name || is_pair)) ready = dragoman_catalog_open(&catalog, true, &error);
    if (st == OK) st = library_status(ready, &error, err);
    if (options->list) {
        command_enter_sandbox(options);
        if (st == OK) st = list_offers(catalog, from, to, options, out, err);
    } else {
        if (st == OK && catalog) st = choose_downloads(&downloads, catalog, from, to, options->quiet, err);
        if (st == OK && !catalog && !options->quiet && strchr(name, '/')) st = say_offer(name, err);
        if (st == OK) st = get_models(&downloads, options, out, err);
    }
    dragoman_catalog_close(catalog);
    return st == OK ? output_finish(out, err) : st;
}

/* --- models ------------------------------------------------------------------ */

/* Appends the code if there is one language, or the number of languages if there are several. */
static void put_side(Buf *out, const char *const *codes, size_t count)
{
    if (count > 1)
        buf_put_format(out, "%zu languages", count);
    else
        buf_put_text(out, count ? codes[0] : "?");
}

/* The columns of the table of models. */
enum { MODEL_NAME, MODEL_PLACE, MODEL_LANGUAGES, MODEL_SIZE, MODEL_STATE };

static Status add_model(Rows *rows, const DragomanModel *model, const DragomanOutline *outline, Err *err)
{
    const char *fault = dragoman_model_fault(model, outline);
    const double megabytes = (double)dragoman_outline_bytes(outline) / 1e6;
    size_t from, to;
    const char *const *sources = dragoman_outline_sources(outline, &from);
    const char *const *targets = dragoman_outline_targets(outline, &to);
    Row row = { { { 0 } } };
    Buf *languages = &row.cells[MODEL_LANGUAGES];

    buf_put_text(&row.cells[MODEL_NAME], model->name);
    buf_put_text(&row.cells[MODEL_PLACE], dragoman_place_name(model->place));
    if (from || to) put_side(languages, sources, from);
    if (from != to || from == 1) {
        buf_put_text(languages, " > ");
        put_side(languages, targets, to);
    }
    if (!from && !to) buf_put_byte(languages, '-');
    if (megabytes < 1000)
        buf_put_format(&row.cells[MODEL_SIZE], "%.*f MB", megabytes < 10 ? 1 : 0, megabytes);
    else
        buf_put_format(&row.cells[MODEL_SIZE], "%.1f GB", megabytes / 1000);
    buf_put_text(&row.cells[MODEL_STATE], fault ? fault : "ready");
    return add_row(rows, &row, err);
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
    char *suggestion = NULL;
    Rows rows = { 0 };
    size_t count, listed = 0;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st != OK) return st;
    ready = dragoman_hub_models(hub, &models, &count, &error);
    if (ready == DRAGOMAN_OK) ready = dragoman_find_language_code(from ? from : "", from_code, &error);
    if (ready == DRAGOMAN_OK) ready = dragoman_find_language_code(to ? to : "", to_code, &error);
    st = library_status(ready, &error, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK && as_text)
        st = add_headings(&rows, (const char *const[]){ "MODEL", "PLACE", "LANGUAGES", "SIZE", "STATE" }, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        const DragomanOutline *outline;
        bool is_in = false;
        st = library_status(dragoman_hub_outline(hub, &models[i], &outline, &error), &error, err);
        if (st == OK) st = is_listed(&is_in, outline, from ? from_code : NULL, to ? to_code : NULL, err);
        if (st != OK || !is_in) continue;
        listed++;
        if (as_text)
            st = add_model(&rows, &models[i], outline, err);
        else
            put_json(&out->buffer, &models[i], outline);
    }
    if (st == OK && !listed) st = check_spelling("models", from, to, err);
    if (st == OK && as_text) put_rows(&out->buffer, &rows);
    if (st == OK) st = output_finish(out, err);
    free_rows(&rows);
    if (st != OK || listed) return st;
    /* No single model fits, but two models together may translate between the languages. */
    if (from && to) {
        st = library_status(dragoman_catalog_suggest(NULL, from_code, to_code, &suggestion, &error), &error, err);
        if (st == OK)
            report("no single model on this machine translates from %s into %s%s%s", from, to, suggestion ? "; " : "",
                   suggestion ? suggestion : "");
        dragoman_free_text(suggestion);
    } else if (from || to)
        report("no model on this machine translates %s %s", from ? "from" : "into", from ? from : to);
    return st;
}
