/* model_route.c - see model_route.h. Opening the vocabulary of a model takes some milliseconds, so most bilingual
 * models are ruled out by their quick outline. Before a model is chosen, its full outline confirms that it has the
 * languages and no fault. */
#include "model_route.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "library.h"

/* What is known of the model with the same index in the catalogue; NULL: not read yet. */
typedef struct {
    DragomanOutline *quick, *full;
} Known;

/* A pair of languages as codes; NULL: any. */
typedef struct {
    const char *from, *to;
    char codes[2][DRAGOMAN_LANGUAGE_CODE];
} Pair;

struct RouteFinder {
    const Catalogue *catalogue;
    Known *known; /* [catalogue->count] */
};

Status route_finder_new(RouteFinder **out, const Catalogue *catalogue, Err *err)
{
    RouteFinder *finder = calloc(1, sizeof *finder);

    *out = finder;
    if (finder) finder->known = calloc(catalogue->count + 1, sizeof *finder->known);
    if (finder && finder->known) {
        finder->catalogue = catalogue;
        return OK;
    }
    free(finder);
    *out = NULL;
    return err_memory(err, "the models");
}

void route_finder_free(RouteFinder *finder)
{
    if (!finder) return;
    for (size_t i = 0; i < finder->catalogue->count; i++) {
        dragoman_outline_free(finder->known[i].quick);
        dragoman_outline_free(finder->known[i].full);
    }
    free(finder->known);
    free(finder);
}

static Status read_outline(DragomanOutline **out, const RouteFinder *finder, size_t i, DragomanOutlineDepth depth,
                           Err *err)
{
    const CatalogueModel *model = &finder->catalogue->items[i];
    const char *name = model->group ? model->group : model->name;
    DragomanError error;

    if (*out) return OK;
    return library_status(dragoman_outline(out, model->path, name, depth, &error), &error, err);
}

Status route_finder_outline(const DragomanOutline **out, RouteFinder *finder, size_t index, Err *err)
{
    Status st = read_outline(&finder->known[index].full, finder, index, DRAGOMAN_OUTLINE_FULL, err);

    *out = finder->known[index].full;
    return st;
}

/* Whether the model may translate between the languages, as far as its quick outline tells. With `unsure`, models count
 * whose outline does not tell; a pair of languages may have further targets, which only the vocabulary tells. */
static Status may_fit(bool *out, RouteFinder *finder, size_t i, const Pair *pair, bool unsure, Err *err)
{
    const Known *known = &finder->known[i];
    const DragomanOutline *quick;
    Status st = read_outline(&finder->known[i].quick, finder, i, DRAGOMAN_OUTLINE_QUICK, err);

    *out = false;
    if (st != OK || dragoman_outline_fault(known->quick)) return st;
    quick = known->quick;
    st = library_has_pair(out, quick, pair->from, pair->to, err);
    if (st != OK || *out || !unsure) return st;
    *out = !dragoman_outline_has_languages(quick);
    return *out ? OK : library_has_pair(out, quick, pair->from, NULL, err);
}

static bool is_bilingual(const DragomanOutline *outline)
{
    size_t sources, targets;

    dragoman_outline_sources(outline, &sources);
    dragoman_outline_targets(outline, &targets);
    return sources == 1 && targets == 1;
}

/* Which models count. */
typedef struct {
    bool own;       /* only those that came with dragoman */
    bool bilingual; /* only those of one pair */
    bool unsure;    /* also those whose quick outline does not tell */
} Criteria;

static Status fits(bool *out, RouteFinder *finder, size_t i, const Pair *pair, Criteria criteria, Err *err)
{
    const DragomanOutline *outline;
    Status st;

    *out = false;
    if (criteria.own && finder->catalogue->items[i].place != PLACE_PROGRAM) return OK;
    st = may_fit(out, finder, i, pair, criteria.unsure, err);
    if (st != OK || !*out) return st;
    *out = false;
    st = route_finder_outline(&outline, finder, i, err);
    if (st != OK || dragoman_outline_fault(outline)) return st;
    if (criteria.bilingual && !is_bilingual(outline)) return OK;
    return library_has_pair(out, outline, pair->from, pair->to, err);
}

/* Finds the first model that meets the criteria, and another one of the same place. */
static Status find_single(ModelRoute *out, RouteFinder *finder, const Pair *pair, Criteria criteria, Err *err)
{
    const Catalogue *all = finder->catalogue;
    Status st = OK;

    for (size_t i = 0; st == OK && i < all->count && !out->other; i++) {
        const CatalogueModel *model = &all->items[i];
        bool found;
        if (out->count && model->place != out->models[0]->place) break;
        st = fits(&found, finder, i, pair, criteria, err);
        if (st != OK || !found) continue;
        if (out->count)
            out->other = model;
        else
            *out = (ModelRoute){ .models = { model }, .count = 1 };
    }
    return st;
}

/* What is asked of a single model, in the order in which it is tried. */
static const Criteria order[] = {
    { .own = true, .unsure = true },
    { .bilingual = true },
    { .bilingual = true, .unsure = true },
    { .unsure = true },
};

static Status find_one(ModelRoute *out, RouteFinder *finder, const Pair *pair, Err *err)
{
    Status st = OK;

    *out = (ModelRoute){ .count = 0 };
    for (size_t i = 0; st == OK && !out->count && i < sizeof order / sizeof *order; i++)
        st = find_single(out, finder, pair, order[i], err);
    return st;
}

static Status set_pair(Pair *out, const char *from, const char *to, Err *err)
{
    Status st = OK;

    out->from = from ? out->codes[0] : NULL;
    out->to = to ? out->codes[1] : NULL;
    if (from) st = library_language_code(out->codes[0], from, err);
    if (to && st == OK) st = library_language_code(out->codes[1], to, err);
    return st;
}

Status route_finder_find_own(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err)
{
    Pair pair = { .from = NULL };
    Status st = set_pair(&pair, from, to, err);

    *out = (ModelRoute){ .count = 0 };
    return st == OK ? find_single(out, finder, &pair, order[0], err) : st;
}

Status route_finder_find(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err)
{
    ModelRoute first = { .count = 0 }, second = { .count = 0 };
    Pair pair = { .from = NULL };
    Status st = set_pair(&pair, from, to, err);

    *out = (ModelRoute){ .count = 0 };
    if (st == OK) st = find_one(out, finder, &pair, err);
    if (st != OK || out->count || !from || !to) return st;
    st = find_one(&first, finder, &(Pair){ .from = pair.from, .to = PIVOT_LANGUAGE }, err);
    if (st == OK && first.count) st = find_one(&second, finder, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && second.count) *out = (ModelRoute){ .models = { first.models[0], second.models[0] }, .count = 2 };
    return st;
}

const char *catalogue_model_fault(const CatalogueModel *model, const DragomanOutline *outline)
{
    const char *fault = dragoman_outline_fault(outline);
    const size_t len = strlen(model->path);

    if (!fault || strncmp(fault, model->path, len) != 0 || !fault[len]) return fault;
    return fault + len + strspn(fault + len, "/: ");
}

/* The languages of a model with a fault are often known, from its name or from some of its files. */
static Status translates_part(bool *out, const DragomanOutline *outline, const Pair *pair, Err *err)
{
    const char *const parts[][2] = { { pair->from, pair->to },
                                     { pair->from, PIVOT_LANGUAGE },
                                     { PIVOT_LANGUAGE, pair->to } };
    Status st = OK;

    *out = false;
    for (size_t i = 0; st == OK && !*out && i < sizeof parts / sizeof *parts; i++)
        st = library_has_pair(out, outline, parts[i][0], parts[i][1], err);
    return st;
}

Status route_finder_skipped(SkippedModel *out, const RouteFinder *finder, const char *from, const char *to, Err *err)
{
    Pair pair = { .from = NULL };
    Status st = set_pair(&pair, from, to, err);

    *out = (SkippedModel){ NULL, NULL };
    for (size_t i = 0; st == OK && !out->model && i < finder->catalogue->count; i++) {
        const CatalogueModel *model = &finder->catalogue->items[i];
        const Known *known = &finder->known[i];
        const DragomanOutline *outline = known->full ? known->full : known->quick;
        const char *fault = outline ? catalogue_model_fault(model, outline) : NULL;
        bool needed = false;
        if (fault) st = translates_part(&needed, outline, &pair, err);
        if (needed) *out = (SkippedModel){ model, fault };
    }
    return st;
}

/* A growing list of codes. */
typedef struct {
    const char **items;
    size_t count, cap;
} Codes;

static Status add_sources(Codes *out, const DragomanOutline *outline, Err *err)
{
    size_t count;
    const char *const *sources = dragoman_outline_sources(outline, &count);
    Status st = buf_grow_list(&out->items, &out->cap, out->count, count + 1, sizeof *out->items, "languages", err);

    for (size_t i = 0; st == OK && i < count; i++) {
        size_t k = 0;
        while (k < out->count && strcmp(out->items[k], sources[i]) != 0) k++;
        if (k == out->count) out->items[out->count++] = sources[i];
    }
    return st;
}

static Status add_all_sources(Codes *out, RouteFinder *finder, const char *to, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < finder->catalogue->count; i++) {
        const DragomanOutline *outline;
        bool may;
        st = may_fit(&may, finder, i, &(Pair){ .to = to }, true, err);
        if (st != OK || !may) continue;
        st = route_finder_outline(&outline, finder, i, err);
        if (st != OK || dragoman_outline_fault(outline)) continue;
        st = library_has_pair(&may, outline, NULL, to, err);
        if (st == OK && may) st = add_sources(out, outline, err);
    }
    return st;
}

Status route_finder_sources(const char ***out, size_t *count, RouteFinder *finder, const char *to, Err *err)
{
    Codes codes = { NULL, 0, 0 };
    ModelRoute onward;
    Pair pair = { .from = NULL };
    Status st = set_pair(&pair, NULL, to, err);

    if (st == OK) st = add_all_sources(&codes, finder, pair.to, err);
    if (st == OK) st = find_one(&onward, finder, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && onward.count) st = add_all_sources(&codes, finder, PIVOT_LANGUAGE, err);
    if (st != OK) free(codes.items);
    *out = st == OK ? codes.items : NULL;
    *count = st == OK ? codes.count : 0;
    return st;
}
