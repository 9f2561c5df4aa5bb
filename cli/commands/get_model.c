/* get_model.c - the command get: see commands.h. */
#include "commands.h"

#include "meter.h"
#include "report.h"

static Status download(const Options *options, char **path, Err *err)
{
    DragomanError error;
    Meter meter;
    Status st;

    meter_start(&meter, options->quiet);
    st = library_status(dragoman_download(options->files[0], meter_show, &meter, path, &error), &error, err);
    meter_stop(&meter);
    return st;
}

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

static Status pack(const Options *options, const char *model, const char *target, Err *err)
{
    DragomanError error;
    char *warnings = NULL;
    Status st =
        library_status(dragoman_pack_download(options->files[0], model, target, &warnings, &error), &error, err);

    if (warnings && !options->quiet) reporter_say_warnings(&program_reporter, warnings);
    dragoman_free_text(warnings);
    return st;
}

Status command_get(const Options *options, Output *out, Err *err)
{
    const char *name = options->files[0];
    char *path = NULL, *packed = NULL;
    DragomanError error;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK && options->as_int8) st = library_status(dragoman_packed_path(name, &packed, &error), &error, err);
    if (st == OK) st = download(options, &path, err);
    command_enter_sandbox(options); /* the network is not needed any more */
    if (st == OK) st = check_usable(name, path, err);
    if (st == OK && packed) st = pack(options, path, packed, err);
    if (st == OK) buf_put_format(&out->buffer, "%s\n", packed ? packed : name);
    if (st == OK) st = buf_check(&out->buffer, err);
    dragoman_free_text(packed);
    dragoman_free_text(path);
    return st == OK ? output_finish(out, err) : st;
}
