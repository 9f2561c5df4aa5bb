/* model_route.c - chooses models by languages: see dragoman_hub.h. Opening the vocabulary of a model takes some
 * milliseconds, so most bilingual models are ruled out by their quick outline. Before a model is chosen, its full
 * outline confirms that it has the languages and no fault. */
#include <stdlib.h>
#include <string.h>

#include "hub.h"
#include "path.h"

#define DEFAULT_NAME "en-de"

/* --- What is known of the models -------------------------------------------------- */

static Status read_outline(DragomanHub *hub, size_t i, bool quick, Err *err)
{
    DragomanOutline **outline = quick ? &hub->known[i].quick : &hub->known[i].full;
    const DragomanModel *model = &hub->models[i];

    if (*outline) return OK;
    return outline_read(outline, model->path, model->group ? model->group : model->name, quick, err);
}

DragomanStatus dragoman_hub_outline(DragomanHub *hub, const DragomanModel *model, const DragomanOutline **out,
                                    DragomanError *error)
{
    const size_t i = (size_t)(model - hub->models);
    Err err = { "" };
    Status st = read_outline(hub, i, false, &err);

    *out = hub->known[i].full;
    return option_fields_answer(st, &err, hub->spelling, error);
}

const char *dragoman_model_fault(const DragomanModel *model, const DragomanOutline *outline)
{
    const char *fault = dragoman_outline_fault(outline);
    const size_t len = strlen(model->path);

    if (!fault || strncmp(fault, model->path, len) != 0 || !fault[len]) return fault;
    return fault + len + strspn(fault + len, "/: ");
}

/* --- Single models ----------------------------------------------------------------- */

/* A pair of languages as codes; NULL: any. */
typedef struct {
    const char *from, *to;
    char codes[2][DRAGOMAN_LANGUAGE_CODE];
} Pair;

static Status set_pair(Pair *out, const char *from, const char *to, Err *err)
{
    Status st = OK;

    out->from = from ? out->codes[0] : NULL;
    out->to = to ? out->codes[1] : NULL;
    if (from) st = outline_language_code(out->codes[0], from, err);
    if (to && st == OK) st = outline_language_code(out->codes[1], to, err);
    return st;
}

/* Sets *out to the full outline of the model if it translates between the languages; else to NULL. With `unsure`,
 * the full outline is also read if the quick one does not tell; a pair of languages may have further targets, which
 * only the vocabulary tells. */
static Status find_fit(const DragomanOutline **out, DragomanHub *hub, size_t i, const Pair *pair, bool unsure, Err *err)
{
    const DragomanOutline *outline;
    bool fits = false;
    Status st = read_outline(hub, i, true, err);

    *out = NULL;
    outline = hub->known[i].quick;
    if (st != OK || dragoman_outline_fault(outline)) return st;
    st = outline_has_pair(&fits, outline, pair->from, pair->to, err);
    if (st == OK && !fits && unsure) {
        fits = !outline_has_languages(outline);
        if (!fits) st = outline_has_pair(&fits, outline, pair->from, NULL, err);
    }
    if (st == OK && fits) st = read_outline(hub, i, false, err);
    outline = hub->known[i].full;
    if (st != OK || !fits || dragoman_outline_fault(outline)) return st;
    st = outline_has_pair(&fits, outline, pair->from, pair->to, err);
    if (st == OK && fits) *out = outline;
    return st;
}

/* Which models count. */
typedef struct {
    bool own;       /* only those that came with dragoman */
    bool bilingual; /* only those of one pair */
    bool unsure;    /* also those whose quick outline does not tell */
} Criteria;

/* What is asked of a single model, in the order in which it is tried. */
static const Criteria order[] = {
    { .own = true, .unsure = true },
    { .bilingual = true },
    { .bilingual = true, .unsure = true },
    { .unsure = true },
};

/* Finds the first model that meets the criteria, and another one of the same place. */
static Status find_single(DragomanRoute *out, DragomanHub *hub, const Pair *pair, Criteria criteria, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < hub->count && !out->other; i++) {
        const DragomanModel *model = &hub->models[i];
        const DragomanOutline *full;
        size_t sources, targets;
        if (out->count && model->place != out->models[0]->place) break;
        if (criteria.own && model->place != DRAGOMAN_PLACE_PROGRAM) continue;
        st = find_fit(&full, hub, i, pair, criteria.unsure, err);
        if (st != OK || !full) continue;
        (void)dragoman_outline_sources(full, &sources);
        (void)dragoman_outline_targets(full, &targets);
        if (criteria.bilingual && (sources != 1 || targets != 1)) continue;
        if (out->count)
            out->other = model;
        else
            *out = (DragomanRoute){ .models = { model }, .count = 1 };
    }
    return st;
}

static Status find_one(DragomanRoute *out, DragomanHub *hub, const Pair *pair, Err *err)
{
    Status st = OK;

    *out = (DragomanRoute){ .count = 0 };
    for (size_t i = 0; st == OK && !out->count && i < sizeof order / sizeof *order; i++)
        st = find_single(out, hub, pair, order[i], err);
    return st;
}

/* --- Routes ------------------------------------------------------------------------ */

static Status find_route(DragomanHub *hub, const char *from, const char *to, DragomanRoute *out, Err *err)
{
    DragomanRoute first = { .count = 0 }, second = { .count = 0 };
    Pair pair = { .from = NULL };
    Status st = hub_read(hub, err);

    *out = (DragomanRoute){ .count = 0 };
    if (st == OK) st = set_pair(&pair, from, to, err);
    if (st == OK) st = find_one(out, hub, &pair, err);
    if (st != OK || out->count || !from || !to) return st;
    st = find_one(&first, hub, &(Pair){ .from = pair.from, .to = PIVOT_LANGUAGE }, err);
    if (st == OK && first.count) st = find_one(&second, hub, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && second.count)
        *out = (DragomanRoute){ .models = { first.models[0], second.models[0] }, .count = 2, .via = PIVOT_LANGUAGE };
    return st;
}

DragomanStatus dragoman_hub_route(DragomanHub *hub, const char *from, const char *to, DragomanRoute *route,
                                  DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(find_route(hub, from, to, route, &err), &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_describe(const DragomanHub *hub, const DragomanRoute *route, char **message,
                                     DragomanError *error)
{
    const DragomanModel *other = route->other;
    Buf out = { 0 };
    Err err = { "" };
    Status st;

    for (size_t i = 0; i < route->count; i++)
        buf_put_format(&out, "%s%s (%s)", i ? " and " : "using ", route->models[i]->name,
                       dragoman_place_name(route->models[i]->place));
    if (route->count == 2) buf_put_text(&out, ", through English");
    if (other) {
        const bool same = strcmp(other->name, route->models[0]->name) == 0;
        (void)err_set(&err, OK, "; %s would do as well: choose with " SETTING(MODEL), same ? other->path : other->name);
        (void)option_fields_name(&err, hub->spelling);
        buf_put_text(&out, err.text);
    }
    st = buf_check(&out, &err);
    if (st != OK) buf_free(&out);
    *message = out.data;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* A growing list of codes. */
typedef struct {
    const char **data;
    size_t len, cap;
    bool failed;
} Codes;

static Status add_all_sources(Codes *out, DragomanHub *hub, const char *to, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < hub->count; i++) {
        const DragomanOutline *full;
        const char *const *sources;
        size_t count;
        st = find_fit(&full, hub, i, &(Pair){ .to = to }, true, err);
        if (st != OK || !full) continue;
        sources = dragoman_outline_sources(full, &count);
        for (size_t k = 0; k < count; k++) {
            size_t known = 0;
            while (known < out->len && strcmp(out->data[known], sources[k]) != 0) known++;
            if (known == out->len) LIST_PUT(out, sources[k]);
        }
    }
    return st == OK ? LIST_CHECK(out, "languages", err) : st;
}

DragomanStatus dragoman_hub_sources(DragomanHub *hub, const char *to, const char ***codes, size_t *count,
                                    DragomanError *error)
{
    Codes list = { NULL, 0, 0, false };
    DragomanRoute onward = { .count = 0 };
    Pair pair = { .from = NULL };
    Err err = { "" };
    Status st = hub_read(hub, &err);

    if (st == OK) st = set_pair(&pair, NULL, to, &err);
    if (st == OK) st = add_all_sources(&list, hub, pair.to, &err);
    if (st == OK) st = find_one(&onward, hub, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, &err);
    if (st == OK && onward.count) st = add_all_sources(&list, hub, PIVOT_LANGUAGE, &err);
    if (st != OK) free(list.data);
    *codes = st == OK ? list.data : NULL;
    *count = st == OK ? list.len : 0;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* --- The models of a translation ---------------------------------------------------- */

/* The model that came with dragoman. This reads no list, so the start stays fast. */
static Status choose_default(DragomanChoice *out, const DragomanHub *hub, Err *err)
{
    char *paths[OWN_FOLDERS] = { NULL };
    Status st = OK;

    for (size_t i = 0; st == OK && !out->count && i < OWN_FOLDERS && hub->own[i]; i++) {
        paths[i] = path_join(hub->own[i], DEFAULT_NAME ".safetensors");
        if (!paths[i]) st = err_memory(err, "a path");
        if (st != OK || !path_exists(paths[i])) continue;
        out->paths[out->count++] = paths[i];
        paths[i] = NULL;
    }
    if (st == OK && !out->count && hub->own[0])
        st = err_set(err, ERR_IO,
                     "no model: use " SETTING(MODEL) " PATH or set DRAGOMAN_MODEL; the default model exists neither at "
                                                     "%s nor at %s",
                     paths[0], paths[1]);
    else if (st == OK && !out->count)
        st = err_set(err, ERR_IO, "no model: use " SETTING(MODEL) " PATH or set DRAGOMAN_MODEL");
    for (size_t i = 0; i < OWN_FOLDERS; i++) free(paths[i]);
    return st;
}

/* Names the first model with a fault that translates between the languages, or between one of them and English. The
 * languages of a model with a fault are often known, from its name or from some of its files. */
static Status report_missing_pair(const DragomanHub *hub, const char *from, const char *to, Err *err)
{
    Pair pair = { .from = NULL };
    Buf reason = { 0 };
    Status st = set_pair(&pair, from, to, err);
    const char *const parts[][2] = { { pair.from, pair.to },
                                     { pair.from, PIVOT_LANGUAGE },
                                     { PIVOT_LANGUAGE, pair.to } };

    for (size_t i = 0; st == OK && !reason.len && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        const DragomanOutline *outline = hub->known[i].full ? hub->known[i].full : hub->known[i].quick;
        const char *fault = outline ? dragoman_model_fault(model, outline) : NULL;
        bool needed = false;
        for (size_t k = 0; st == OK && fault && !needed && k < sizeof parts / sizeof *parts; k++)
            st = outline_has_pair(&needed, outline, parts[k][0], parts[k][1], err);
        if (needed) buf_put_format(&reason, " (%s cannot be opened: %s)", model->name, fault);
    }
    if (st == OK) st = buf_check(&reason, err);
    if (st == OK)
        st = err_set(err, ERR_IO,
                     "no model on this machine translates from %s into %s%s: 'dragoman models' lists the models, "
                     "'dragoman get' downloads one, and " SETTING(MODEL) " takes any path",
                     from, to, reason.data ? reason.data : "");
    buf_free(&reason);
    return st;
}

static Status choose_by_languages(DragomanChoice *out, DragomanHub *hub, const char *from, const char *to, Err *err)
{
    DragomanRoute route = { .count = 0 };
    Pair pair = { .from = NULL };
    DragomanError error;
    Status st = OK;

    if (from && to) {
        st = find_route(hub, from, to, &route, err);
        if (st == OK && !route.count) return report_missing_pair(hub, from, to, err);
    } else {
        st = hub_read(hub, err);
        if (st == OK) st = set_pair(&pair, from, to, err);
        if (st == OK) st = find_single(&route, hub, &pair, order[0], err);
        if (st == OK && !route.count)
            return err_set(err, ERR_USAGE,
                           "%s %s: no model that came with dragoman has this language: give %s, too, or choose a model "
                           "with " SETTING(MODEL),
                           from ? SETTING(FROM) : SETTING(TO), from ? from : to, from ? SETTING(TO) : SETTING(FROM));
    }
    for (size_t i = 0; st == OK && i < route.count; i++) {
        out->paths[i] = strdup(route.models[i]->path);
        if (!out->paths[i]) return err_memory(err, "a path");
        out->count++;
    }
    out->via = route.via;
    if (st != OK) return st;
    st = (Status)dragoman_hub_describe(hub, &route, &out->message, &error);
    return st == OK ? OK : err_set(err, st, "%s", error.message);
}

static Status choose(DragomanChoice *out, DragomanHub *hub, const char *const *names, size_t count, const char *from,
                     const char *to, Err *err)
{
    const char *preferred = dragoman_hub_preferred(hub);
    Status st = OK;

    out->paths = calloc(count + 2, sizeof *out->paths);
    if (!out->paths) return err_memory(err, "the models");
    if (!count && !preferred)
        return from || to ? choose_by_languages(out, hub, from, to, err) : choose_default(out, hub, err);
    if (!count) {
        out->count = 1;
        return preferred == hub->config.model ? hub_find_configured(hub, preferred, &out->paths[0], err)
                                              : hub_find(hub, preferred, &out->paths[0], err);
    }
    for (size_t i = 0; st == OK && i < count; i++) {
        st = hub_find(hub, names[i], &out->paths[i], err);
        out->count++;
    }
    return st;
}

DragomanStatus dragoman_hub_choose(DragomanHub *hub, const char *const *names, size_t count, const char *from,
                                   const char *to, DragomanChoice **out, DragomanError *error)
{
    Err err = { "" };
    DragomanChoice *choice = calloc(1, sizeof *choice);
    Status st = choice ? choose(choice, hub, names, count, from, to, &err) : err_memory(&err, "the models");

    if (st != OK) {
        dragoman_choice_free(choice);
        choice = NULL;
    }
    *out = choice;
    return option_fields_answer(st, &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_fill_in(DragomanHub *hub, DragomanOptions *options, char **message, DragomanError *error)
{
    DragomanChoice *choice;
    DragomanStatus st = dragoman_hub_choose(hub, (const char *const *)options->models.items, options->models.count,
                                            options->from, options->to, &choice, error);

    *message = NULL;
    if (st == DRAGOMAN_OK) st = dragoman_set_text(options, DRAGOMAN_MODEL, NULL, error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < choice->count; i++)
        st = dragoman_add_text(options, DRAGOMAN_MODEL, choice->paths[i], error);
    if (st == DRAGOMAN_OK && choice->via) st = dragoman_set_text(options, DRAGOMAN_VIA, choice->via, error);
    if (st == DRAGOMAN_OK) {
        *message = choice->message;
        choice->message = NULL;
        dragoman_options_take_paths(options);
    }
    dragoman_choice_free(choice);
    return st;
}

void dragoman_choice_free(DragomanChoice *choice)
{
    if (!choice) return;
    for (size_t i = 0; choice->paths && i < choice->count; i++) free(choice->paths[i]);
    free(choice->paths);
    free(choice->message);
    free(choice);
}
