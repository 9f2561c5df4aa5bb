/* pair_routes.c - see pair_routes.h. Only the thread of the input finds and opens routes. */
#include "pair_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dragoman_tools.h"
#include "option_fields.h"
#include "public_status.h"

/* A route: one or two models, and the language for which they were chosen first, by the name that the first model has
 * for it. */
typedef struct {
    DragomanRoute models;
    char language[DRAGOMAN_LANGUAGE_CODE];
    bool chooses_source; /* known when it is open */
    bool has_warned;     /* it was open before */
} PairRoute;

typedef struct {
    PairPlan plan;
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

    if (p->plan.quiet) return OK;
    st = public_status(dragoman_hub_describe(p->plan.hub, &route->models, &text, &error), &error, err);
    if (st == OK) reporter_say(p->plan.reporter, "%s: %s", route->language, text);
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
    Status st = public_status(dragoman_hub_outline(p->plan.hub, models->models[0], &outline, &error), &error, err);

    *out = language;
    if (st != OK) return st;
    sources = dragoman_outline_sources(outline, &count);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = public_status(dragoman_find_language_tag(sources[i], tag, &error), &error, err);
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
        public_status(dragoman_hub_route(p->plan.hub, language, p->plan.options->to, &models, &error), &error, err);

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

static Status open_models(const PairRoutes *p, const DragomanOptions *options, bool warns, Dragoman **out, Err *err)
{
    DragomanError error;
    Status st = public_status(dragoman_open(out, options, &error), &error, err);

    if (st == OK && warns && !p->plan.quiet) reporter_say_warnings(p->plan.reporter, dragoman_warnings(*out));
    return st;
}

/* Makes the options of a route for lines in this language; NULL: in any. The caller owns *out, on failure, too. */
static Status make_options(const PairRoutes *p, const DragomanRoute *models, const char *language,
                           DragomanOptions **out, Err *err)
{
    DragomanError error;
    DragomanStatus made;
    Status st = option_fields_copy(out, p->plan.options, err);

    if (st != OK) return st;
    dragoman_options_take_paths(*out);
    made = dragoman_set_flag(*out, DRAGOMAN_FROM_LINES, false, &error);
    if (made == DRAGOMAN_OK) made = dragoman_set_text(*out, DRAGOMAN_FROM, language, &error);
    for (size_t i = 0; made == DRAGOMAN_OK && i < models->count; i++)
        made = dragoman_add_text(*out, DRAGOMAN_MODEL, models->models[i]->path, &error);
    if (made == DRAGOMAN_OK && models->via) made = dragoman_set_text(*out, DRAGOMAN_VIA, models->via, &error);
    return public_status(made, &error, err);
}

static Status check_models(const PairRoutes *p, const DragomanRoute *models, const DragomanOptions *options, Err *err)
{
    DragomanError error;
    char *paths[2];
    const DragomanChoice choice = { .paths = paths, .count = models->count, .via = models->via };

    if (!p->plan.job->accept) return OK;
    for (size_t i = 0; i < models->count; i++) paths[i] = (char *)models->models[i]->path;
    return public_status(p->plan.job->accept(p->plan.job->context, options, &choice, &error), &error, err);
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
    DragomanOptions *options = NULL;
    Err reason;
    Status st = make_options(p, &route->models, route->language, &options, &reason);

    if (st == OK) st = check_models(p, &route->models, options, &reason);
    if (st == OK) st = open_models(p, options, !route->has_warned, out, &reason);
    dragoman_options_free(options);
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
    DragomanOptions *options = NULL;
    DragomanError error;
    Err reason;
    Status st = make_options(p, &p->routes[index].models, NULL, &options, &reason);

    if (st == OK) st = public_status(dragoman_identify(options, out, &error), &error, &reason);
    dragoman_options_free(options);
    return answer(st, &reason, err);
}

/* Lists the source languages by their tags, each once. */
static Status list_languages(PairRoutes *p, Err *err)
{
    const char **codes;
    size_t count;
    DragomanError error;
    Status st =
        public_status(dragoman_hub_sources(p->plan.hub, p->plan.options->to, &codes, &count, &error), &error, err);

    if (st != OK) return st;
    p->languages = calloc(count + 1, sizeof *p->languages);
    p->names = calloc(count + 1, sizeof *p->names);
    p->routes = calloc(count + 1, sizeof *p->routes);
    if (!p->languages || !p->names || !p->routes) st = err_memory(err, "the languages");
    for (size_t i = 0; st == OK && i < count; i++) {
        size_t k = 0;
        st = public_status(dragoman_find_language_tag(codes[i], p->languages[p->language_count], &error), &error, err);
        if (!p->languages[p->language_count][0]) continue;
        while (strcasecmp(p->languages[k], p->languages[p->language_count]) != 0) k++;
        if (k == p->language_count) p->names[p->language_count++] = p->languages[k];
    }
    free(codes);
    return st;
}

Status pair_routes_open(Router **out, const PairPlan *plan, Err *err)
{
    PairRoutes *p = calloc(1, sizeof *p);
    char code[DRAGOMAN_LANGUAGE_CODE], target[DRAGOMAN_LANGUAGE_TAG] = "";
    RouterPlan routes = { .unknown_fails = plan->options->unknown == UNKNOWN_FAILS,
                          .opener = { p, open_route, find_route, identify_route, free_routes } };
    DragomanError error;
    Status st;

    if (!p) return err_memory(err, "the models");
    p->plan = *plan;
    st = plan->options->to ? list_languages(p, err)
                           : err_set(err, ERR_USAGE, SETTING(FROM_LINES) " needs " SETTING(TO) ", or a model");
    if (st == OK && !p->language_count)
        st = err_set(err, ERR_IO,
                     "no model on this machine translates into %s: 'dragoman models' lists the models, 'dragoman get' "
                     "downloads one, and " SETTING(MODEL) " takes any path",
                     plan->options->to);
    if (st == OK) st = public_status(dragoman_find_language_code(plan->options->to, code, &error), &error, err);
    if (st == OK) st = public_status(dragoman_find_language_tag(code, target, &error), &error, err);
    routes.target = target[0] ? target : NULL;
    routes.sources = p->names;
    routes.source_count = p->language_count;
    if (st == OK) st = router_new_detecting(out, &routes, err);
    if (st != OK) free_routes(p);
    return st;
}
