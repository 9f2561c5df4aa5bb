/* pair_routes.c - see pair_routes.h. Only the thread of the input finds and opens routes. */
#include "pair_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "dragoman_memory.h"
#include "report.h"

/* A route: one or two models, and the language for which they were chosen first, by the name that the first model has
 * for it. */
typedef struct {
    DragomanRoute models;
    char language[DRAGOMAN_LANGUAGE_CODE];
    bool chooses_source; /* known when it is open */
    bool has_warned;     /* it was open before */
} PairRoute;

typedef struct {
    const Job *job;
    bool has_documents;
    char (*languages)[DRAGOMAN_LANGUAGE_TAG]; /* [language_count], the source languages */
    const char **names;                       /* [language_count], the same */
    size_t language_count;
    PairRoute *routes; /* [route_count]; room for one per language */
    size_t route_count;
} PairRoutes;

static void free_routes(void *context)
{
    PairRoutes *p = context;

    if (!p) return;
    free(p->languages);
    free(p->names);
    free(p->routes);
    free(p);
}

static bool is_same(const PairRoute *route, const DragomanRoute *models)
{
    return route->models.count == models->count && route->models.models[0] == models->models[0] &&
           (models->count < 2 || route->models.models[1] == models->models[1]);
}

static Status report_choice(const PairRoutes *p, const PairRoute *route, Err *err)
{
    DragomanError error;
    char *text;
    Status st;

    if (p->job->options->quiet) return OK;
    st = library_status(dragoman_hub_describe(p->job->hub, &route->models, &text, &error), &error, err);
    if (st == OK) report("%s: %s", route->language, text);
    dragoman_free_text(text);
    return st;
}

/* Finds the name that the first model has for a language: "zho_Hans" for "zh". A name that it has not stands for
 * itself. The hub owns the name. */
static Status find_name(const char **out, const PairRoutes *p, const DragomanRoute *models, const char *language,
                        Err *err)
{
    const DragomanOutline *outline;
    DragomanError error;
    const char *const *sources;
    char tag[DRAGOMAN_LANGUAGE_TAG];
    size_t count;
    Status st = library_status(dragoman_hub_outline(p->job->hub, models->models[0], &outline, &error), &error, err);

    *out = language;
    if (st != OK) return st;
    sources = dragoman_outline_sources(outline, &count);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = library_language_tag(tag, sources[i], err);
        if (strcasecmp(tag, language) != 0) continue;
        *out = sources[i];
        break;
    }
    return st;
}

static Status find_route(void *context, const char *language, size_t *out, const char **name, Err *err)
{
    PairRoutes *p = context;
    PairRoute *added = &p->routes[p->route_count];
    DragomanRoute models;
    DragomanError error;
    Status st =
        library_status(dragoman_hub_route(p->job->hub, language, p->job->options->to, &models, &error), &error, err);

    *out = ROUTE_NONE;
    if (st != OK || !models.count) return st;
    st = find_name(name, p, &models, language, err);
    if (st != OK) return st;
    for (size_t i = 0; i < p->route_count && *out == ROUTE_NONE; i++)
        if (p->routes[i].chooses_source && is_same(&p->routes[i], &models)) *out = i;
    if (*out != ROUTE_NONE) return OK;
    *added = (PairRoute){ .models = models };
    snprintf(added->language, sizeof added->language, "%s", *name);
    *out = p->route_count++;
    return report_choice(p, added, err);
}

/* Returns ERR_USAGE if the file of --output or a target of a batch belongs to a model. */
static Status check_targets(const PairRoutes *p, DragomanOptions *settings, char *const *paths, size_t count, Err *err)
{
    const char *output = p->job->options->output;
    Job job = *p->job;
    DragomanChoice own = { .paths = (char **)paths, .count = count };
    DragomanFile file;
    struct stat info;

    if (output && stat(output, &info) == 0 && S_ISREG(info.st_mode)) {
        file = (DragomanFile){ (uint64_t)info.st_dev, (uint64_t)info.st_ino };
        job.targets = (ExistingTargets){ &output, &file, 1 };
    }
    job.settings = settings;
    job.model_count = count;
    job.choice = &own;
    return command_check_targets(&job, &job.targets, err);
}

static Status open_models(const PairRoutes *p, const DragomanOptions *settings, bool warns, Dragoman **out, Err *err)
{
    const Options *options = p->job->options;
    DragomanError error;
    Status st = library_status(dragoman_open(out, settings, &error), &error, err);

    if (st == OK && warns && !options->quiet) reporter_say_warnings(&program_reporter, dragoman_warnings(*out));
    return st;
}

/* Makes the options of a route for lines in this language. */
static Status make_models(const PairRoutes *p, const PairRoute *route, const char *language, DragomanOptions **out,
                          char *paths[2], Err *err)
{
    const DragomanRoute *models = &route->models;
    Options options = *p->job->options;
    Status st;

    for (size_t i = 0; i < models->count; i++) paths[i] = (char *)models->models[i]->path;
    options.from = language;
    st = library_options_new(out, &options, (LibraryPaths){ paths, models->count, models->via }, err);
    return st == OK && p->has_documents ? library_options_set_documents(*out, err) : st;
}

/* A model that cannot be opened is a fault of the file whose text needs it, whatever the reason: the command line did
 * not name the model, and other files of a batch may need others. */
static Status answer(Status st, const Err *reason, Err *err)
{
    return st == OK ? OK : err_set(err, st == ERR_MEMORY ? st : ERR_FORMAT, "%s", reason->text);
}

static Status open_route(void *context, size_t index, Dragoman **out, Err *err)
{
    PairRoutes *p = context;
    PairRoute *route = &p->routes[index];
    char *paths[2];
    DragomanOptions *settings = NULL;
    Err reason;
    Status st = make_models(p, route, route->language, &settings, paths, &reason);

    if (st == OK) st = check_targets(p, settings, paths, route->models.count, &reason);
    if (st == OK) st = open_models(p, settings, !route->has_warned, out, &reason);
    dragoman_options_free(settings);
    if (st == OK) {
        route->chooses_source = *dragoman_source_languages(*out);
        route->has_warned = true;
    }
    return answer(st, &reason, err);
}

/* Without a language: the context of a text has it, and which one a route was first chosen for does not matter. */
static Status identify_route(void *context, size_t index, uint64_t *out, Err *err)
{
    PairRoutes *p = context;
    char *paths[2];
    DragomanOptions *settings = NULL;
    DragomanError error;
    Err reason;
    Status st = make_models(p, &p->routes[index], NULL, &settings, paths, &reason);

    if (st == OK) st = library_status(dragoman_identify(settings, out, &error), &error, &reason);
    dragoman_options_free(settings);
    return answer(st, &reason, err);
}

/* Lists the source languages by their tags, each once. */
static Status list_languages(PairRoutes *p, Err *err)
{
    const char **codes;
    size_t count;
    DragomanError error;
    Status st =
        library_status(dragoman_hub_sources(p->job->hub, p->job->options->to, &codes, &count, &error), &error, err);

    if (st != OK) return st;
    p->languages = calloc(count + 1, sizeof *p->languages);
    p->names = calloc(count + 1, sizeof *p->names);
    p->routes = calloc(count + 1, sizeof *p->routes);
    if (!p->languages || !p->names || !p->routes) st = err_memory(err, "the languages");
    for (size_t i = 0; st == OK && i < count; i++) {
        size_t k = 0;
        st = library_language_tag(p->languages[p->language_count], codes[i], err);
        if (!p->languages[p->language_count][0]) continue;
        while (strcasecmp(p->languages[k], p->languages[p->language_count]) != 0) k++;
        if (k == p->language_count) p->names[p->language_count++] = p->languages[k];
    }
    free(codes);
    return st;
}

static Status prepare(PairRoutes *p, Err *err)
{
    Status st = list_languages(p, err);

    if (st != OK || p->language_count) return st;
    return err_set(err, ERR_IO,
                   "no model on this machine translates into %s: 'dragoman models' lists the models, 'dragoman get' "
                   "downloads one, and -m takes any path",
                   p->job->options->to);
}

Status pair_routes_open(Router **out, const Job *job, bool has_documents, Err *err)
{
    PairRoutes *p = calloc(1, sizeof *p);
    char code[DRAGOMAN_LANGUAGE_CODE], target[DRAGOMAN_LANGUAGE_TAG] = "";
    RouterPlan plan = { .unknown_fails = job->options->unknown == UNKNOWN_ERROR,
                        .opener = { p, open_route, find_route, identify_route, free_routes } };
    Status st;

    if (!p) return err_memory(err, "the models");
    p->job = job;
    p->has_documents = has_documents;
    st = prepare(p, err);
    if (st == OK) st = library_language_code(code, job->options->to, err);
    if (st == OK) st = library_language_tag(target, code, err);
    plan.target = target[0] ? target : NULL;
    plan.sources = p->names;
    plan.source_count = p->language_count;
    if (st == OK) st = router_new_detecting(out, &plan, err);
    if (st != OK) free_routes(p);
    return st;
}
