/* model_paths.c - see model_paths.h. */
#include "model_paths.h"

#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "model_route.h"
#include "path.h"
#include "program_folder.h"

#define DEFAULT_NAME "en-de"

/* The model that came with dragoman. This reads no catalogue, so the start stays fast. */
static Status find_default(ModelPaths *out, const char *program, Err *err)
{
    char *own = program_folder(program);
    Buf paths[PROGRAM_MODEL_FOLDERS] = { { 0 } };
    Status st = OK;

    for (size_t i = 0; own && st == OK && !out->count && i < PROGRAM_MODEL_FOLDERS; i++) {
        st = buf_append_format(&paths[i], err, "%s%s/" DEFAULT_NAME ".safetensors", own, program_model_folders[i]);
        if (st != OK || !path_exists(paths[i].data)) continue;
        out->items[out->count++] = paths[i].data;
        paths[i] = (Buf){ 0 };
    }
    if (st == OK && !out->count && own)
        st = err_set(err, ERR_IO,
                     "no model: use -m PATH or set DRAGOMAN_MODEL; the default model exists neither at %s nor at %s",
                     paths[0].data, paths[1].data);
    else if (st == OK && !out->count)
        st = err_set(err, ERR_IO, "no model: use -m PATH or set DRAGOMAN_MODEL");
    for (size_t i = 0; i < PROGRAM_MODEL_FOLDERS; i++) buf_free(&paths[i]);
    free(own);
    return st;
}

Status model_paths_describe(Buf *out, const ModelRoute *route, Err *err)
{
    const char *separator = "using ";
    Status st = OK;

    for (size_t i = 0; st == OK && i < route->count; i++) {
        st = buf_append_format(out, err, "%s%s (%s)", separator, route->models[i]->name,
                               model_place_name(route->models[i]->place));
        separator = " and ";
    }
    if (st == OK && route->count == 2) st = buf_append_text(out, ", through English", err);
    if (st == OK && route->other) {
        const bool same = strcmp(route->other->name, route->models[0]->name) == 0;
        st = buf_append_format(out, err, "; %s would do as well: choose with -m",
                               same ? route->other->path : route->other->name);
    }
    return st;
}

static Status adopt(ModelPaths *out, const ModelRoute *route, Err *err)
{
    for (size_t i = 0; i < route->count; i++) {
        out->items[i] = strdup(route->models[i]->path);
        if (!out->items[i]) return err_memory(err, "a path");
        out->count++;
    }
    if (route->count == 2) out->via = PIVOT_LANGUAGE;
    return model_paths_describe(&out->choice, route, err);
}

static Status report_missing_pair(const Options *o, const RouteFinder *finder, Err *err)
{
    SkippedModel skipped;
    Buf reason = { 0 };
    Status st = route_finder_skipped(&skipped, finder, o->from, o->to, err);

    if (st == OK && skipped.model)
        st = buf_append_format(&reason, err, " (%s cannot be opened: %s)", skipped.model->name, skipped.fault);
    if (st == OK)
        st = err_set(err, ERR_IO,
                     "no model on this machine translates from %s into %s%s: 'dragoman models' lists the models, "
                     "'dragoman get' downloads one, and -m takes any path",
                     o->from, o->to, reason.data ? reason.data : "");
    buf_free(&reason);
    return st;
}

static Status report_none(const Options *o, const RouteFinder *finder, Err *err)
{
    if (o->from && o->to) return report_missing_pair(o, finder, err);
    return err_set(err, ERR_USAGE,
                   "%s %s: no model that came with dragoman has this language: give --%s, too, or choose a model "
                   "with -m",
                   o->from ? "--from" : "--to", o->from ? o->from : o->to, o->from ? "to" : "from");
}

/* With one language, only the models that came with dragoman are considered. */
static Status find_by_languages(ModelPaths *out, const Options *o, ModelNames *names, Err *err)
{
    RouteFinder *finder = NULL;
    ModelRoute route = { .count = 0 };
    Status st = model_names_read(names, err);

    if (st == OK) st = route_finder_new(&finder, &names->catalogue, err);
    if (st == OK)
        st = o->from && o->to ? route_finder_find(&route, finder, o->from, o->to, err)
                              : route_finder_find_own(&route, finder, o->from, o->to, err);
    if (st == OK && !route.count) st = report_none(o, finder, err);
    if (st == OK && route.count > 1 && o->command != COMMAND_TRANSLATE && o->command != COMMAND_INFO)
        st = err_set(err, ERR_USAGE, "%s: takes one model, and only two models together translate from %s into %s",
                     command_table[o->command].name, o->from, o->to);
    if (st == OK) st = adopt(out, &route, err);
    route_finder_free(finder);
    return st;
}

/* The models are chosen when the languages of the input are known. */
static Status check_target(const Options *o, Err *err)
{
    const struct {
        const char *name;
        size_t given;
    } lists[] = { { "vocab", o->all_vocabs.count },
                  { "weights", o->all_weights.count },
                  { "shortlist", o->shortlists.count },
                  { "calibration", o->calibrations.count },
                  { "via", o->vias.count } };

    if (!o->to) return err_set(err, ERR_USAGE, "--from auto needs --to LANG, or a model with -m");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].given) return err_set(err, ERR_USAGE, "--%s and --from auto need a model with -m", lists[i].name);
    return OK;
}

Status model_paths_find(ModelPaths *out, const Options *options, ModelNames *names, Err *err)
{
    const char *own = getenv("DRAGOMAN_MODEL");
    Status st = OK;

    *out = (ModelPaths){ .count = 0 };
    if (!own || !*own) own = names->config->model;
    if (!options->models.count && !own && options_detect(options)) return check_target(options, err);
    if (!options->models.count && !own)
        return options->from || options->to ? find_by_languages(out, options, names, err)
                                            : find_default(out, names->program, err);
    if (!options->models.count) {
        st = own == names->config->model ? model_names_find_configured(&out->items[0], names, own, err)
                                         : model_names_find_all(&out->items[0], names, own, err);
        out->count = 1;
    }
    for (size_t i = 0; st == OK && i < options->models.count; i++) {
        st = model_names_find_all(&out->items[i], names, options->models.items[i], err);
        out->count++;
    }
    return st;
}

void model_paths_free(ModelPaths *paths)
{
    for (size_t i = 0; i < OPTION_LIST_LIMIT; i++) free(paths->items[i]);
    buf_free(&paths->choice);
}
