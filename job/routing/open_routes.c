/* open_routes.c - see open_routes.h. */
#include "open_routes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    Dragoman *dragoman; /* NULL: not open */
    size_t lines;       /* in progress */
    size_t used;        /* OpenRoutes.uses when a line last needed it */
} OpenRoute;

struct OpenRoutes {
    RouteOpener opener;
    OpenRoute *items; /* [count] */
    size_t count;
    pthread_mutex_t lock; /* guards the items and the fields below */
    pthread_cond_t idle;  /* a route has no more lines in progress */
    size_t open, uses;
    bool cancelled;
};

Status open_routes_new(OpenRoutes **out, size_t count, RouteOpener opener, Err *err)
{
    OpenRoutes *r = calloc(1, sizeof *r);
    OpenRoute *items = calloc(count, sizeof *items);

    *out = NULL;
    if (!r || !items) {
        free(r);
        free(items);
        return err_memory(err, "the models");
    }
    *r = (OpenRoutes){ .opener = opener, .items = items, .count = count };
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->idle, NULL);
    *out = r;
    return OK;
}

void open_routes_free(OpenRoutes *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->count; i++) dragoman_close(r->items[i].dragoman);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->idle);
    free(r->items);
    free(r);
}

void open_routes_adopt(OpenRoutes *r, size_t route, Dragoman *dragoman)
{
    r->items[route].dragoman = dragoman;
    r->open++;
}

/* Under the lock: the route to close next, or NULL. */
static OpenRoute *least_recent(OpenRoutes *r)
{
    OpenRoute *least = NULL;

    for (size_t i = 0; i < r->count; i++) {
        OpenRoute *route = &r->items[i];
        if (route->dragoman && !route->lines && (!least || route->used < least->used)) least = route;
    }
    return least;
}

/* Under the lock, which is released meanwhile: makes room for another route. */
static void close_one(OpenRoutes *r)
{
    OpenRoute *route = NULL;
    Dragoman *dragoman;

    while (!r->cancelled && !(route = least_recent(r))) pthread_cond_wait(&r->idle, &r->lock);
    if (!route) return;
    dragoman = route->dragoman;
    route->dragoman = NULL;
    r->open--;
    pthread_mutex_unlock(&r->lock);
    dragoman_close(dragoman);
    pthread_mutex_lock(&r->lock);
}

/* Under the lock, which is released meanwhile, because opening takes time. */
static Status open_one(OpenRoutes *r, size_t route, Err *err)
{
    Dragoman *dragoman = NULL;
    Status st;

    pthread_mutex_unlock(&r->lock);
    st = r->opener.open(r->opener.context, route, &dragoman, err);
    pthread_mutex_lock(&r->lock);
    if (st != OK) return st;
    r->items[route].dragoman = dragoman;
    r->open++;
    return OK;
}

Status open_routes_acquire(OpenRoutes *r, size_t index, Dragoman **out, Err *err)
{
    OpenRoute *route = &r->items[index];
    Status st = OK;

    pthread_mutex_lock(&r->lock);
    if (!route->dragoman && r->open >= OPEN_ROUTES) close_one(r);
    if (!route->dragoman && !r->cancelled) st = open_one(r, index, err);
    if (st == OK && r->cancelled) st = err_set(err, ERR_IO, "cancelled");
    if (st == OK) {
        route->lines++;
        route->used = ++r->uses;
    }
    *out = st == OK ? route->dragoman : NULL;
    pthread_mutex_unlock(&r->lock);
    return st;
}

void open_routes_release(OpenRoutes *r, size_t route)
{
    pthread_mutex_lock(&r->lock);
    if (--r->items[route].lines == 0) pthread_cond_signal(&r->idle);
    pthread_mutex_unlock(&r->lock);
}

Status open_routes_language_length(OpenRoutes *r, size_t route, const char *text, size_t length, size_t *out, Err *err)
{
    Dragoman *dragoman;
    Status st = open_routes_acquire(r, route, &dragoman, err);

    if (st != OK) return st;
    *out = dragoman_language_length(dragoman, text, length);
    open_routes_release(r, route);
    return OK;
}

Dragoman *open_routes_get(OpenRoutes *r, size_t route)
{
    Dragoman *dragoman;

    pthread_mutex_lock(&r->lock);
    dragoman = r->items[route].dragoman;
    pthread_mutex_unlock(&r->lock);
    return dragoman;
}

void open_routes_cancel(OpenRoutes *r)
{
    pthread_mutex_lock(&r->lock);
    r->cancelled = true;
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].dragoman) dragoman_cancel(r->items[i].dragoman);
    pthread_cond_signal(&r->idle);
    pthread_mutex_unlock(&r->lock);
}
