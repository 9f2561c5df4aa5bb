/* open_routes.h - the models of the routes. Each is opened when a line first needs it. At most OPEN_ROUTES are open at
 * a time: the one that was used least recently, of those without lines in progress, makes room for another.
 *
 * The thread of the input acquires a route for each line, and the thread that receives the lines releases it. Waiting
 * for a route without lines in progress ends, because the lines of each route become ready without those of others. */
#ifndef DRAGOMAN_OPEN_ROUTES_H
#define DRAGOMAN_OPEN_ROUTES_H

#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "err.h"

#define OPEN_ROUTES ((size_t)16)

typedef struct OpenRoutes OpenRoutes; /* fields: open_routes.c */

/* How to open the models of a route; the message of a failure names them. */
typedef struct {
    void *context;
    Status (*open)(void *context, size_t route, Dragoman **out, Err *err);
    /* Finds the route of a source language, when a text first has it: a number less than that of the sources, or
     * ROUTE_NONE. NULL: all have route 0. */
    Status (*find)(void *context, const char *language, size_t *route, const char **name, Err *err);
    /* Sets the identity of the models of a route, as dragoman_identify() does. NULL: router_set_identity() is used. */
    Status (*identify)(void *context, size_t route, uint64_t *out, Err *err);
    void (*free)(void *context); /* NULL: nothing to free */
} RouteOpener;

#define ROUTE_NONE SIZE_MAX

/* On OK the caller owns *out. */
MUST_USE Status open_routes_new(OpenRoutes **out, size_t count, RouteOpener opener, Err *err);
/* Closes all models. No line of theirs may be in use. NULL is allowed. */
void open_routes_free(OpenRoutes *routes);

/* Gives the route a Dragoman that is open already. */
void open_routes_adopt(OpenRoutes *routes, size_t route, Dragoman *dragoman);

/* Opens the route, unless it is open, and counts a line in progress. ERR_IO after open_routes_cancel(). */
MUST_USE Status open_routes_acquire(OpenRoutes *routes, size_t route, Dragoman **out, Err *err);
/* A line of the route is no longer in use. */
void open_routes_release(OpenRoutes *routes, size_t route);

/* Sets *out to dragoman_language_length() of a text for the route, which is opened unless it is open. */
MUST_USE Status open_routes_language_length(OpenRoutes *routes, size_t route, const char *text, size_t length,
                                            size_t *out, Err *err);

/* The Dragoman of a route with lines in progress. */
Dragoman *open_routes_get(OpenRoutes *routes, size_t route);

/* Cancels all models, and what waits for a route. */
void open_routes_cancel(OpenRoutes *routes);

#endif
