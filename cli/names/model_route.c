/* model_route.c - see model_route.h. Opening the vocabulary of a model takes some milliseconds, so most bilingual
 * models are judged by their quick outline. A full outline is read only if no such model fits. */
#include "model_route.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "library.h"

/* What is known of the model with the same index in the catalogue; NULL: not read yet. */
typedef struct {
    DragomanOutline *quick, *full;
} Known;

struct RouteFinder {
    const Catalogue *catalogue;
    Known *known; /* [catalogue->count] */
};

/* A pair of languages as codes; NULL: any. */
typedef struct {
    const char *from, *to;
    char rooms[2][DRAGOMAN_LANGUAGE_CODE];
} Pair;

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

/* Sets *out to the best outline that is needed: the full one only if `full`, and the quick one does not suffice. */
static Status outline_of(const DragomanOutline **out, RouteFinder *finder, size_t i, bool full, Err *err)
{
    Known *known = &finder->known[i];
    Status st = OK;

    *out = known->full;
    if (known->full) return OK;
    st = read_outline(&known->quick, finder, i, DRAGOMAN_OUTLINE_QUICK, err);
    *out = known->quick;
    if (st != OK || !full || dragoman_outline_has_languages(known->quick) || dragoman_outline_fault(known->quick))
        return st;
    return route_finder_outline(out, finder, i, err);
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
    bool full;      /* also those that need a full outline */
} Demand;

static Status fits(bool *out, RouteFinder *finder, size_t i, const Pair *pair, Demand demand, Err *err)
{
    const DragomanOutline *outline;
    Status st;

    *out = false;
    if (demand.own && finder->catalogue->items[i].place != PLACE_PROGRAM) return OK;
    st = outline_of(&outline, finder, i, demand.full, err);
    if (st != OK || dragoman_outline_fault(outline)) return st;
    *out = dragoman_outline_translates(outline, pair->from, pair->to) && (!demand.bilingual || is_bilingual(outline));
    return OK;
}

/* Finds the first model that meets the demand. */
static Status find_single(ModelRoute *out, RouteFinder *finder, const Pair *pair, Demand demand, Err *err)
{
    const Catalogue *all = finder->catalogue;
    Status st = OK;

    for (size_t i = 0; st == OK && i < all->count && !out->other; i++) {
        const CatalogueModel *model = &all->items[i];
        bool found;
        if (out->count && model->place != out->models[0]->place) break;
        st = fits(&found, finder, i, pair, demand, err);
        if (st != OK || !found) continue;
        if (out->count)
            out->other = model;
        else
            *out = (ModelRoute){ .models = { model }, .count = 1 };
    }
    return st;
}

/* The demands on a single model, in the order in which they are tried. */
static const Demand demands[] = {
    { .own = true, .full = true },
    { .bilingual = true },
    { .bilingual = true, .full = true },
    { .full = true },
};

static Status find_one(ModelRoute *out, RouteFinder *finder, const Pair *pair, Err *err)
{
    Status st = OK;

    *out = (ModelRoute){ .count = 0 };
    for (size_t i = 0; st == OK && !out->count && i < sizeof demands / sizeof *demands; i++)
        st = find_single(out, finder, pair, demands[i], err);
    return st;
}

static void set_pair(Pair *out, const char *from, const char *to)
{
    *out = (Pair){ .from = NULL };
    if (from) {
        dragoman_language_code(from, out->rooms[0]);
        out->from = out->rooms[0];
    }
    if (to) {
        dragoman_language_code(to, out->rooms[1]);
        out->to = out->rooms[1];
    }
}

Status route_finder_find_own(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err)
{
    Pair pair;

    set_pair(&pair, from, to);
    *out = (ModelRoute){ .count = 0 };
    return find_single(out, finder, &pair, demands[0], err);
}

Status route_finder_find(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err)
{
    ModelRoute first = { .count = 0 }, second = { .count = 0 };
    Pair pair;
    Status st;

    set_pair(&pair, from, to);
    st = find_one(out, finder, &pair, err);
    if (st != OK || out->count || !from || !to) return st;
    st = find_one(&first, finder, &(Pair){ .from = pair.from, .to = PIVOT_LANGUAGE }, err);
    if (st == OK && first.count) st = find_one(&second, finder, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && second.count) *out = (ModelRoute){ .models = { first.models[0], second.models[0] }, .count = 2 };
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
        st = outline_of(&outline, finder, i, true, err);
        if (st == OK && !dragoman_outline_fault(outline) && dragoman_outline_translates(outline, NULL, to))
            st = add_sources(out, outline, err);
    }
    return st;
}

Status route_finder_sources(const char ***out, size_t *count, RouteFinder *finder, const char *to, Err *err)
{
    Codes codes = { NULL, 0, 0 };
    ModelRoute onward;
    Pair pair;
    Status st;

    set_pair(&pair, NULL, to);
    st = add_all_sources(&codes, finder, pair.to, err);
    if (st == OK) st = find_one(&onward, finder, &(Pair){ .from = PIVOT_LANGUAGE, .to = pair.to }, err);
    if (st == OK && onward.count) st = add_all_sources(&codes, finder, PIVOT_LANGUAGE, err);
    if (st != OK) free(codes.items);
    *out = st == OK ? codes.items : NULL;
    *count = st == OK ? codes.count : 0;
    return st;
}
