/* router.c - see router.h. */
#include "router.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "language_detector.h"
#include "public_status.h"

/* A language that texts may have: one that a model translates, or the target language, whose texts are copied. */
typedef struct {
    char *name;
    char tag[DRAGOMAN_LANGUAGE_TAG];
    size_t route; /* index of the route for this language; Router.copied: its texts are copied */
    bool has_route;
    size_t texts; /* the number of texts of the input in this language */
    bool is_identified;
    uint64_t identity; /* of the route */
} Source;

typedef struct {
    Dragoman *dragoman; /* NULL: not open */
    size_t lines;       /* in progress */
    size_t used;        /* the value of Router.uses when a line last needed this route */
} Route;

/* A line in progress. */
typedef struct {
    size_t route;
    size_t source;
    TermMatches terms; /* owned */
} Entry;

struct Router {
    const char *source;          /* the language of all lines; NULL: not known, or detected */
    Source *sources;             /* [source_count]; none if languages are not detected */
    const char **tags;           /* [source_count], sources[i].tag */
    size_t source_count, copied; /* `copied` is the index of the route that copies lines; it comes after all others */
    char target[DRAGOMAN_LANGUAGE_TAG];
    bool unknown_fails;
    size_t unknown;
    uint64_t identity; /* the identity of all routes, if opener.identify is NULL */
    RouteOpener opener;
    bool detects; /* detects languages; if false, route 0 has all lines */

    pthread_mutex_t lock;  /* guards the fields below */
    pthread_cond_t change; /* a line was submitted, or no more lines will be */
    pthread_cond_t idle;   /* a route has no more lines in progress */
    Route *routes;         /* [copied + 1] */
    size_t open, uses;
    Entry *queue; /* the lines in progress are queue[first..end) */
    size_t room, first, end;
    bool finished, cancelled;

    /* These fields belong to the thread that receives lines. */
    size_t received; /* lines of the run so far */
    Entry last;      /* the line that was received last */
    bool has_last;
};

static Status add_source(Router *r, const char *name, size_t length, Err *err)
{
    Source *added = &r->sources[r->source_count];
    DragomanError error;
    Status st;

    added->name = strndup(name, length);
    if (!added->name) return err_memory(err, "the languages");
    st = public_status(dragoman_find_language_tag(added->name, added->tag, &error), &error, err);
    if (st != OK || !added->tag[0]) {
        free(added->name);
        return st;
    }
    if (language_detector_same(added->tag, r->target)) {
        added->route = r->copied;
        added->has_route = true;
    }
    r->tags[r->source_count++] = added->tag;
    return OK;
}

/* Adds the languages that texts may have: those in `lines`, one on each line, and the target language. */
static Status add_sources(Router *r, const char *lines, Err *err)
{
    bool has_target = !*r->target;
    Status st = OK;

    r->sources = calloc(r->copied + 1, sizeof *r->sources);
    r->tags = calloc(r->copied + 1, sizeof *r->tags);
    if (!r->sources || !r->tags) return err_memory(err, "the languages");
    for (const char *end; st == OK && (end = strchr(lines, '\n')); lines = end + 1)
        st = add_source(r, lines, (size_t)(end - lines), err);
    for (size_t i = 0; i < r->source_count; i++) has_target = has_target || r->sources[i].has_route;
    if (st == OK && !has_target) st = add_source(r, r->target, strlen(r->target), err);
    return st == OK ? language_detector_check(err) : st;
}

Status router_new(Router **out, const RouterPlan *plan, Err *err)
{
    const char *target = plan->detects ? plan->target : dragoman_target_language(plan->first);
    Router *r = calloc(1, sizeof *r);
    Status st = OK;

    *out = NULL;
    if (!r) return err_memory(err, "the models");
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->change, NULL);
    pthread_cond_init(&r->idle, NULL);
    r->detects = plan->detects;
    r->unknown_fails = plan->unknown_fails;
    for (const char *c = plan->detects ? plan->sources : ""; *c; c++) r->copied += *c == '\n';
    if (target) memcpy(r->target, target, strlen(target) + 1);
    r->routes = calloc(r->copied + 1, sizeof *r->routes);
    if (!r->routes) st = err_memory(err, "the models");
    if (st == OK && plan->detects) st = add_sources(r, plan->sources, err);
    if (st != OK) {
        router_free(r);
        return st;
    }
    r->opener = plan->opener;
    r->routes[0].dragoman = plan->first;
    r->open = plan->first ? 1 : 0;
    if (!plan->detects) r->source = dragoman_source_language(plan->first);
    *out = r;
    return OK;
}

void router_free(Router *r)
{
    if (!r) return;
    for (size_t i = 0; r->routes && i <= r->copied; i++) dragoman_close(r->routes[i].dragoman);
    for (size_t i = 0; i < r->source_count; i++) free(r->sources[i].name);
    for (size_t i = r->first; i < r->end; i++) term_matches_free(&r->queue[i].terms);
    term_matches_free(&r->last.terms);
    free(r->sources);
    free(r->tags);
    free(r->routes);
    free(r->queue);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->change);
    pthread_cond_destroy(&r->idle);
    free(r);
}

Dragoman *router_first(const Router *r)
{
    return r->routes[0].dragoman;
}

bool router_detects(const Router *r)
{
    return r && r->detects;
}

const char *router_source_language(const Router *r)
{
    return r->source;
}

const char *router_language_of(const Router *r, Destination to)
{
    return to.source < r->source_count ? r->sources[to.source].tag : r->source;
}

const char *router_target_language(const Router *r)
{
    return *r->target ? r->target : NULL;
}

/* --- Open routes ------------------------------------------------------------- */

/* Closes the route without lines in progress that was used least recently; waits for such a route. The caller holds the
 * lock, which is released while waiting and closing. */
static void close_one(Router *r)
{
    Route *least = NULL;
    Dragoman *closed;

    for (;;) {
        for (size_t i = 0; i <= r->copied; i++) {
            Route *route = &r->routes[i];
            if (route->dragoman && !route->lines && (!least || route->used < least->used)) least = route;
        }
        if (least || r->cancelled) break;
        pthread_cond_wait(&r->idle, &r->lock);
    }
    if (!least || r->cancelled) return;
    closed = least->dragoman;
    least->dragoman = NULL;
    r->open--;
    pthread_mutex_unlock(&r->lock);
    dragoman_close(closed);
    pthread_mutex_lock(&r->lock);
}

/* Opens the route, unless it is open, and counts one more line in progress for it. Fails with ERR_IO after
 * router_cancel(). Releases the lock while models are closed and opened, because that takes time. */
static Status acquire(Router *r, size_t index, Dragoman **out, Err *err)
{
    Route *route = &r->routes[index];
    Dragoman *opened = NULL;
    DragomanError error;
    Status st = OK;

    pthread_mutex_lock(&r->lock);
    if (!route->dragoman && r->open >= OPEN_ROUTES) close_one(r);
    if (!route->dragoman && !r->cancelled) {
        pthread_mutex_unlock(&r->lock);
        st = index == r->copied ? public_status(dragoman_open_copier(&opened, &error), &error, err)
                                : r->opener.open(r->opener.context, index, &opened, err);
        pthread_mutex_lock(&r->lock);
        if (st == OK) route->dragoman = opened;
        r->open += st == OK;
    }
    if (st == OK && r->cancelled) st = err_set(err, ERR_IO, "cancelled");
    if (st == OK) {
        route->lines++;
        route->used = ++r->uses;
        *out = route->dragoman;
    }
    pthread_mutex_unlock(&r->lock);
    return st;
}

/* Decreases the number of lines in progress of the route. */
static void release(Router *r, size_t route)
{
    pthread_mutex_lock(&r->lock);
    if (--r->routes[route].lines == 0) pthread_cond_signal(&r->idle);
    pthread_mutex_unlock(&r->lock);
}

/* --- The thread of the input ------------------------------------------------- */

Status router_explain_unknown(Destination to, Err *err)
{
    char name[DRAGOMAN_LANGUAGE_NAME];
    DragomanError error;
    Status st;

    if (!to.other) return err_set(err, ERR_FORMAT, "the language is not recognized");
    st = public_status(dragoman_find_language_name(to.other, name, &error), &error, err);
    if (st != OK) return st;
    return err_set(err, ERR_FORMAT, "the text seems to be in %s (%s), which no model translates", name, to.other);
}

Status router_choose(Router *r, const char *text, size_t length, const char *language, Destination *out, Err *err)
{
    Source *source;
    Status st = OK;

    *out = (Destination){ .source = LANGUAGE_UNKNOWN };
    if (!r->detects) return OK;
    out->is_copied = true;
    if (!language_has_letters(text, length)) return OK;
    for (size_t i = 0; *language && i < r->source_count; i++)
        if (language_detector_same(language, r->tags[i])) out->source = i;
    if (!*language) st = language_detector_find(r->tags, r->source_count, text, length, &out->source, err);
    source = st == OK && out->source != LANGUAGE_UNKNOWN ? &r->sources[out->source] : NULL;
    if (source && !source->has_route && r->opener.find) { /* a text has the language for the first time */
        const char *name = NULL;
        st = r->opener.find(r->opener.context, source->tag, &source->route, &name, err);
        if (st == OK && name) {
            char *copy = strdup(name);
            if (!copy) return err_memory(err, "the languages");
            free(source->name);
            source->name = copy;
        }
    }
    if (st != OK) return st;
    if (source) source->has_route = true;
    if (source && source->route == ROUTE_NONE) {
        source = NULL;
        out->source = LANGUAGE_UNKNOWN;
    }
    out->is_unknown = !source;
    out->is_copied = !source || source->route == r->copied;
    if (!source) st = language_detector_find_other("", text, length, &out->other, err);
    if (st == OK && !source && r->unknown_fails) st = router_explain_unknown(*out, err);
    if (st == OK) ++*(source ? &source->texts : &r->unknown);
    return st;
}

static size_t route_of(const Router *r, Destination to)
{
    return to.is_copied || to.source >= r->source_count ? r->copied : r->sources[to.source].route;
}

size_t router_request_length(const Router *r, const char *text, size_t length)
{
    return r->detects ? 0 : dragoman_language_length(r->routes[0].dragoman, text, length);
}

Status router_language_length(Router *r, Destination to, const char *text, size_t length, size_t *out, Err *err)
{
    Dragoman *d;
    Status st;

    *out = 0;
    if (to.is_copied) return OK;
    st = acquire(r, route_of(r, to), &d, err);
    if (st != OK) return st;
    *out = dragoman_language_length(d, text, length);
    release(r, route_of(r, to));
    return OK;
}

void router_set_identity(Router *r, uint64_t identity)
{
    r->identity = identity;
}

uint64_t router_identity(const Router *r)
{
    return r->identity;
}

/* The context of a text in language `index`; SIZE_MAX: the model has only one language, or the language is unknown. */
static MemoryContext context_of(const Router *r, size_t index)
{
    const Source *source = index < r->source_count ? &r->sources[index] : NULL;

    return (MemoryContext){ .from = router_language_of(r, (Destination){ .source = index }),
                            .to = router_target_language(r),
                            .identity = source && r->opener.identify ? source->identity : r->identity };
}

Status router_find_context(Router *r, Destination to, MemoryContext *out, Err *err)
{
    Source *source = to.source < r->source_count ? &r->sources[to.source] : NULL;
    Status st = OK;

    if (source && r->opener.identify && !source->is_identified) {
        st = r->opener.identify(r->opener.context, source->route, &source->identity, err);
        source->is_identified = st == OK;
    }
    *out = context_of(r, to.source);
    return st;
}

/* The room that is made for the entry remains while the lock is released, because only this thread adds entries. */
Status router_submit(Router *r, Destination to, DragomanRequest *request, uintptr_t tag, TermMatches *terms, Err *err)
{
    Entry entry = { .route = route_of(r, to), .source = to.source };
    DragomanError error;
    DragomanStatus status;
    Dragoman *d;
    bool has_language;
    Status st;

    pthread_mutex_lock(&r->lock);
    st = buf_grow_list(&r->queue, &r->room, r->end, 1, sizeof *r->queue, "the lines in progress", err);
    pthread_mutex_unlock(&r->lock);
    if (st == OK) st = acquire(r, entry.route, &d, err);
    if (st != OK) return st;
    has_language = !to.is_copied && to.source < r->source_count && *dragoman_source_languages(d);
    status = dragoman_request_from(request, has_language ? r->sources[to.source].name : NULL, &error);
    if (status == DRAGOMAN_OK) status = dragoman_submit(d, request, tag, &error);
    if (status != DRAGOMAN_OK) {
        release(r, entry.route);
        return public_status(status, &error, err);
    }
    if (terms->count) {
        entry.terms = *terms;
        *terms = (TermMatches){ .items = NULL };
    }
    pthread_mutex_lock(&r->lock);
    r->queue[r->end++] = entry;
    pthread_cond_signal(&r->change);
    pthread_mutex_unlock(&r->lock);
    return OK;
}

void router_begin(Router *r)
{
    r->received = 0;
    pthread_mutex_lock(&r->lock);
    r->finished = false;
    pthread_mutex_unlock(&r->lock);
}

void router_finish(Router *r)
{
    pthread_mutex_lock(&r->lock);
    r->finished = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

void router_cancel(Router *r)
{
    pthread_mutex_lock(&r->lock);
    r->cancelled = true;
    for (size_t i = 0; i <= r->copied; i++)
        if (r->routes[i].dragoman) dragoman_cancel(r->routes[i].dragoman);
    pthread_cond_broadcast(&r->change);
    pthread_cond_signal(&r->idle);
    pthread_mutex_unlock(&r->lock);
}

/* --- The thread that receives lines ------------------------------------------ */

/* Returns the Dragoman of the first line in the queue and sets *out to the line's entry. With `waits`, waits for a
 * line. NULL: there is no line. */
static Dragoman *peek(Router *r, bool waits, Entry *out)
{
    Dragoman *d = NULL;

    pthread_mutex_lock(&r->lock);
    while (waits && r->first == r->end && !r->finished && !r->cancelled) pthread_cond_wait(&r->change, &r->lock);
    if (r->first < r->end && !r->cancelled) {
        *out = r->queue[r->first];
        d = r->routes[out->route].dragoman;
    }
    pthread_mutex_unlock(&r->lock);
    return d;
}

/* Removes `entry`, the first line of the queue, and keeps it in r->last. When at least half of the queue consists of
 * removed lines, the other lines move to its beginning, so the average time for a line is constant. */
static void pop(Router *r, Entry entry)
{
    pthread_mutex_lock(&r->lock);
    r->first++;
    if (r->end - r->first <= r->first) {
        memmove(r->queue, r->queue + r->first, (r->end - r->first) * sizeof *r->queue);
        r->end -= r->first;
        r->first = 0;
    }
    pthread_mutex_unlock(&r->lock);
    r->received++;
    r->last = entry;
    r->has_last = true;
}

/* Frees the line that was received last, and counts it as no longer in progress. */
static void leave_last(Router *r)
{
    if (r->has_last) release(r, r->last.route);
    term_matches_free(&r->last.terms);
    r->has_last = false;
}

bool router_ready(Router *r)
{
    Entry entry;
    Dragoman *d = peek(r, false, &entry);
    bool ended;

    if (d) return dragoman_ready(d);
    pthread_mutex_lock(&r->lock);
    ended = r->cancelled || (r->finished && r->first == r->end);
    pthread_mutex_unlock(&r->lock);
    return ended;
}

Status router_next(Router *r, RoutedLine *out, Err *err)
{
    const DragomanLine *line = NULL;
    DragomanError error;
    Entry entry;
    Dragoman *d;
    Status st;

    *out = (RoutedLine){ .line = NULL };
    leave_last(r);
    d = peek(r, true, &entry);
    if (!d) return OK;
    st = public_status(dragoman_next(d, &line, &error), &error, err);
    if (st != OK || !line) return st;
    pop(r, entry);
    *out = (RoutedLine){
        .dragoman = d, .line = line, .number = r->received, .terms = entry.terms, .context = context_of(r, entry.source)
    };
    if (entry.source < r->source_count) out->language = r->sources[entry.source].name;
    out->context.terms = entry.terms.items;
    out->context.term_count = entry.terms.count;
    return OK;
}

size_t router_failed_line(Router *r)
{
    Entry entry;
    Dragoman *d = peek(r, false, &entry);

    return d && dragoman_failed_line(d) ? r->received + 1 : 0;
}

void router_skip_failed_line(Router *r)
{
    Entry entry;
    Dragoman *d = peek(r, false, &entry);

    if (!d) return;
    dragoman_skip_failed_line(d);
    pop(r, entry);
    leave_last(r);
}

/* --- At the end -------------------------------------------------------------- */

void router_report_languages(const Router *r, const Reporter *reporter)
{
    const char *separator = "";
    Buf text = { 0 };

    for (size_t i = 0; i < r->source_count; i++) {
        const Source *source = &r->sources[i];
        if (!source->texts) continue;
        buf_put_format(&text, "%s%zu %s%s", separator, source->texts, source->name,
                       source->route == r->copied ? " (copied)" : "");
        separator = ", ";
    }
    if (r->unknown) buf_put_format(&text, "%s%zu not recognized", separator, r->unknown);
    if (buf_check(&text, NULL) == OK && text.len) reporter_say(reporter, "languages: %s", text.data);
    buf_free(&text);
}
