/* router.h - sends each text of the input to the models that translate its language, and returns the lines in the order
 * of the input.
 *
 * A route is an opened Dragoman, which translates lines. Usually one route has all lines. With --from auto, the
 * language of each line or document is detected; then there is a route for each language or for several languages, and
 * one more route, which copies lines.
 *
 * A queue has the route of each line in the order of the input. The input thread appends to it when a Dragoman has
 * accepted a line. The thread that receives lines waits for the Dragoman of the first line in the queue. A Dragoman
 * accepts a limited number of lines and never waits for another Dragoman to finish them, so no thread waits for ever.
 *
 * A route is opened when a line first needs it. At most OPEN_ROUTES routes are open at a time. To open another one, the
 * router closes the route that was used least recently, among those without lines in progress.
 *
 * Threads: one thread submits, another one receives; any thread may cancel. */
#ifndef DRAGOMAN_ROUTER_H
#define DRAGOMAN_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "err.h"
#include "glossary.h"
#include "memory.h"
#include "reporter.h"

typedef struct Router Router; /* fields: router.c */

#define OPEN_ROUTES ((size_t)16)

/* Functions that find and open the models of a route. The message of a failure names the models. */
typedef struct {
    void *context;
    Status (*open)(void *context, size_t route, Dragoman **out, Err *err);
    /* Called when a text first has this source language. Sets *name to the name that the model has for the language.
     * Sets *route to the route of the language, less than the number of source languages, or to ROUTE_NONE. If `find`
     * is NULL, all languages have route 0. */
    Status (*find)(void *context, const char *language, size_t *route, const char **name, Err *err);
    /* Sets *out to the hash of a route's models by dragoman_identify(). NULL: router_set_identity() gives the hash. */
    Status (*identify)(void *context, size_t route, uint64_t *out, Err *err);
} RouteOpener;

#define ROUTE_NONE SIZE_MAX

typedef struct {
    bool detects;    /* detect languages; if false, `first` translates all lines, and the other fields are not used */
    Dragoman *first; /* route 0, if it is already open; on OK the router owns it. NULL: it is not open */
    const char *sources; /* the source languages, as the models call them, one on each line */
    const char *target;  /* the BCP 47 tag of the language of texts that are copied; NULL: not known */
    bool unknown_fails;  /* DRAGOMAN_UNKNOWN is UNKNOWN_FAILS */
    RouteOpener opener;
} RouterPlan;

#define UNKNOWN_FAILS 1 /* the value of the setting DRAGOMAN_UNKNOWN that means "error" */

/* ERR_UNSUPPORTED if languages cannot be detected; the message says what to install. On OK the caller owns *out. */
MUST_USE Status router_new(Router **out, const RouterPlan *plan, Err *err);
/* Closes all models. No line may be in use. NULL is allowed. */
void router_free(Router *router);

/* The Dragoman of route 0, which the router owns; NULL: it is not open. */
Dragoman *router_first(const Router *router);

/* Whether the router detects languages. If `router` is NULL, returns false. */
bool router_detects(const Router *router);

/* Return the BCP 47 tags of the languages of the lines and of the translations; NULL: not known, or detected. */
const char *router_source_language(const Router *router);
const char *router_target_language(const Router *router);

/* Where a text goes. */
typedef struct {
    size_t source;     /* index of the text's language in the router; SIZE_MAX: none */
    bool is_copied;    /* not translated: the text has no letters, or is in the target language, or is_unknown */
    bool is_unknown;   /* the language is not recognized, or no model translates it */
    const char *other; /* if is_unknown: the language that no model translates; NULL: the language is not recognized */
} Destination;

/* Writes to *err why the destination is unknown, and returns ERR_FORMAT. */
Status router_explain_unknown(Destination to, Err *err);

/* Chooses the destination of a text, which is a line or the whole text of a document, by its language. `language` is
 * the BCP 47 tag that a document names; if it is "", the language is detected. With `unknown_fails`, returns ERR_FORMAT
 * if the destination is unknown; the message does not name the file or the line. */
MUST_USE Status router_choose(Router *router, const char *text, size_t length, const char *language, Destination *out,
                              Err *err);

/* Returns the BCP 47 tag of the language of a text with this destination; NULL: not known. */
const char *router_language_of(const Router *router, Destination to);

/* For the input thread: sets *out to the length of the language token, such as >>deu<<, at the start of a text. */
MUST_USE Status router_language_length(Router *router, Destination to, const char *text, size_t length, size_t *out,
                                       Err *err);

/* Returns the length of the language token in a text, or 0 if languages are detected. Any thread may call it. */
size_t router_request_length(const Router *router, const char *text, size_t length);

/* For a translation memory: sets the identity of all models. Needed if RouteOpener.identify is NULL. */
void router_set_identity(Router *router, uint64_t identity);
uint64_t router_identity(const Router *router);

/* Sets *out to everything that the translation of a text depends on, except the text itself. The router owns the
 * strings in *out. Only for the input thread. */
MUST_USE Status router_find_context(Router *router, Destination to, MemoryContext *out, Err *err);

/* Submits a request like dragoman_submit(), in the language of the destination. `terms` are the glossary terms in the
 * text; on OK the router owns them. */
MUST_USE Status router_submit(Router *router, Destination to, DragomanRequest *request, uintptr_t tag,
                              TermMatches *terms, Err *err);

/* A run: router_begin(), then lines are submitted, then router_finish(), which makes router_next() end after the last
 * line. There may be several runs, one after the other. */
void router_begin(Router *router);
void router_finish(Router *router);

/* Like dragoman_cancel(), dragoman_ready() and so on, for all routes together. */
void router_cancel(Router *router);
bool router_ready(Router *router);
size_t router_failed_line(Router *router);
void router_skip_failed_line(Router *router);

/* A line that is ready. */
typedef struct {
    const Dragoman *dragoman;
    const DragomanLine *line; /* NULL: there are no more */
    size_t number;            /* in the input, from 1 */
    const char *language;     /* the detected one; NULL: none */
    TermMatches terms;        /* the glossary terms in its source; the router owns them until the next line */
    MemoryContext context;    /* only set if the router has identities: see router_set_identity() */
} RoutedLine;

/* Like dragoman_next(); .line is NULL after the last line of the run. */
MUST_USE Status router_next(Router *router, RoutedLine *out, Err *err);

/* If languages are detected, reports in one line how many texts were in each language. */
void router_report_languages(const Router *router, const Reporter *reporter);

#endif
