/* router.c - see router.h. */
#include "router.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "dragoman_tools.h"
#include "language_detector.h"
#include "public_status.h"

#define LAST_TAG UINTPTR_MAX /* of the empty line that ends a run; no file has this number */

/* A language that texts may have. The last one may be the target language, which no route translates. */
typedef struct {
    char *name;
    char tag[DRAGOMAN_LANGUAGE_TAG];
    size_t route; /* Router.copied: it is copied */
    bool has_route;
    size_t texts; /* of the input */
    bool is_identified;
    uint64_t identity; /* of the route */
} Source;

/* A line in progress. */
typedef struct {
    size_t route;
    size_t source;
} Entry;

struct Router {
    Dragoman *single;            /* for all lines; NULL: languages are detected */
    Source *sources;             /* [source_count] */
    const char **tags;           /* [source_count], those of the sources */
    size_t source_count, copied; /* `copied` is the route of lines that are copied, after all others */
    char target[DRAGOMAN_LANGUAGE_TAG];
    DragomanRequest *request; /* for lines that the router makes itself */
    bool unknown_fails;
    size_t unknown;
    uint64_t identity; /* of all routes, unless opener.identify() tells them apart */
    RouteOpener opener;
    OpenRoutes *routes;

    pthread_mutex_t lock;  /* guards the fields below */
    pthread_cond_t change; /* a line was submitted, or there will be none */
    Entry *queue;          /* [room], a ring of `lines` entries from `first` on; `room` is a power of two or 0 */
    size_t room, first, lines;
    bool finished, cancelled;

    size_t received; /* lines of the run; these three belong to the thread that receives lines */
    size_t last;     /* route of the last line */
    bool has_last;
};

static Status allocate(Router **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the models");
    (*out)->request = dragoman_request_new();
    if (!(*out)->request) {
        free(*out);
        *out = NULL;
        return err_memory(err, "the models");
    }
    pthread_mutex_init(&(*out)->lock, NULL);
    pthread_cond_init(&(*out)->change, NULL);
    return OK;
}

Status router_new(Router **out, Dragoman *dragoman, Err *err)
{
    const char *target = dragoman_target_language(dragoman);
    Status st = allocate(out, err);

    if (st != OK) return st;
    (*out)->single = dragoman;
    if (target) memcpy((*out)->target, target, strlen(target) + 1);
    return OK;
}

static Status open_route(void *context, size_t route, Dragoman **out, Err *err)
{
    Router *r = context;
    DragomanError error;

    if (route == r->copied) return public_status(dragoman_open_copier(out, &error), &error, err);
    return r->opener.open(r->opener.context, route, out, err);
}

static Status add_source(Router *r, const char *name, Err *err)
{
    Source *added = &r->sources[r->source_count];
    DragomanError error;
    Status st = public_status(dragoman_find_language_tag(name, added->tag, &error), &error, err);

    if (st != OK || !added->tag[0]) return st;
    if (language_detector_same(added->tag, r->target)) {
        added->route = r->copied;
        added->has_route = true;
    }
    added->name = strdup(name);
    if (!added->name) return err_memory(err, "the languages");
    r->tags[r->source_count++] = added->tag;
    return OK;
}

static bool has_target(const Router *r)
{
    for (size_t i = 0; i < r->source_count; i++)
        if (r->sources[i].has_route) return true;
    return !*r->target;
}

static Status add_sources(Router *r, const RouterPlan *plan, Err *err)
{
    Status st = OK;

    r->sources = calloc(plan->source_count + 1, sizeof *r->sources);
    r->tags = calloc(plan->source_count + 1, sizeof *r->tags);
    if (!r->sources || !r->tags) return err_memory(err, "the languages");
    for (size_t i = 0; st == OK && i < plan->source_count; i++) st = add_source(r, plan->sources[i], err);
    if (st == OK && !has_target(r)) st = add_source(r, r->target, err);
    return st;
}

Status router_new_detecting(Router **out, const RouterPlan *plan, Err *err)
{
    Status st = allocate(out, err);
    Router *r = *out;

    if (st != OK) return st;
    r->copied = plan->source_count;
    r->unknown_fails = plan->unknown_fails;
    r->opener = plan->opener;
    if (plan->target) memcpy(r->target, plan->target, strlen(plan->target) + 1);
    st = add_sources(r, plan, err);
    if (st == OK) st = language_detector_check(err);
    if (st == OK)
        st =
            open_routes_new(&r->routes, plan->source_count + 1, (RouteOpener){ .context = r, .open = open_route }, err);
    if (st == OK && plan->first) open_routes_adopt(r->routes, 0, plan->first);
    if (st != OK) {
        r->opener.free = NULL;
        router_free(r);
        *out = NULL;
    }
    return st;
}

void router_free(Router *r)
{
    if (!r) return;
    dragoman_close(r->single);
    open_routes_free(r->routes);
    if (r->opener.free) r->opener.free(r->opener.context);
    dragoman_request_free(r->request);
    for (size_t i = 0; i < r->source_count; i++) free(r->sources[i].name);
    free(r->sources);
    free(r->tags);
    free(r->queue);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->change);
    free(r);
}

bool router_detects(const Router *r)
{
    return r && !r->single;
}

const char *router_source_language(const Router *r)
{
    return r->single ? dragoman_source_language(r->single) : NULL;
}

const char *router_language_of(const Router *r, Destination to)
{
    if (r->single) return dragoman_source_language(r->single);
    return to.source < r->source_count ? r->sources[to.source].tag : NULL;
}

const char *router_target_language(const Router *r)
{
    return *r->target ? r->target : NULL;
}

/* --- The thread of the input ------------------------------------------------- */

/* Finds the route of a language that a text has for the first time. */
static Status find_route(Router *r, Source *source, Err *err)
{
    const char *name = NULL;
    char *copy;
    Status st = OK;

    if (source->has_route) return OK;
    if (r->opener.find) st = r->opener.find(r->opener.context, source->tag, &source->route, &name, err);
    if (st == OK && name) {
        copy = strdup(name);
        if (!copy) return err_memory(err, "the languages");
        free(source->name);
        source->name = copy;
    }
    source->has_route = st == OK;
    return st;
}

Status router_explain_unknown(Destination to, Err *err)
{
    if (!to.other) return err_set(err, ERR_FORMAT, "the language is not recognized");
    return err_set(err, ERR_FORMAT, "the text seems to be in %s, which no model translates", to.other);
}

Status router_choose(Router *r, const char *text, size_t length, const char *language, Destination *out, Err *err)
{
    Status st = OK;

    *out = (Destination){ .source = LANGUAGE_UNKNOWN };
    if (r->single) return OK;
    out->is_copied = true;
    if (!language_has_letters(text, length)) return OK;
    for (size_t i = 0; *language && i < r->source_count; i++)
        if (language_detector_same(language, r->tags[i])) out->source = i;
    if (!*language) st = language_detector_find(r->tags, r->source_count, text, length, &out->source, err);
    if (st == OK && out->source != LANGUAGE_UNKNOWN) st = find_route(r, &r->sources[out->source], err);
    if (st != OK) return st;
    if (out->source != LANGUAGE_UNKNOWN && r->sources[out->source].route == ROUTE_NONE) out->source = LANGUAGE_UNKNOWN;
    out->is_unknown = out->source == LANGUAGE_UNKNOWN;
    out->is_copied = out->is_unknown || r->sources[out->source].route == r->copied;
    if (out->is_unknown) st = language_detector_find_other("", text, length, &out->other, err);
    if (st == OK && out->is_unknown && r->unknown_fails) st = router_explain_unknown(*out, err);
    if (st == OK) ++*(out->is_unknown ? &r->unknown : &r->sources[out->source].texts);
    return st;
}

static Entry *entry_at(const Router *r, size_t index)
{
    return &r->queue[(r->first + index) & (r->room - 1)];
}

/* Makes room for another entry. */
static Status reserve(Router *r, Err *err)
{
    const size_t room = r->room ? 2 * r->room : 256;
    Entry *grown;

    if (r->lines < r->room) return OK;
    grown = malloc(room * sizeof *grown);
    if (!grown) return err_memory(err, "the lines in progress");
    for (size_t i = 0; i < r->lines; i++) grown[i] = *entry_at(r, i);
    free(r->queue);
    r->queue = grown;
    r->room = room;
    r->first = 0;
    return OK;
}

void router_set_identity(Router *r, uint64_t identity)
{
    r->identity = identity;
}

/* The context of a text in this language; SIZE_MAX: the only one, or an unknown one. */
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

static Status submit_to(Router *r, Dragoman *d, Destination to, DragomanRequest *request, uintptr_t tag, Err *err)
{
    const bool has_language = !to.is_copied && *dragoman_source_languages(d);
    DragomanError error;
    DragomanStatus status = dragoman_request_from(request, has_language ? r->sources[to.source].name : NULL, &error);

    if (status == DRAGOMAN_OK) status = dragoman_submit(d, request, tag, &error);
    return public_status(status, &error, err);
}

/* Appends the line to the queue. There is room, because only this thread adds entries. */
static void append(Router *r, Entry entry)
{
    pthread_mutex_lock(&r->lock);
    *entry_at(r, r->lines++) = entry;
    pthread_cond_signal(&r->change);
    pthread_mutex_unlock(&r->lock);
}

Status router_submit(Router *r, Destination to, DragomanRequest *request, uintptr_t tag, Err *err)
{
    const Entry entry = { to.is_copied ? r->copied : r->single ? 0 : r->sources[to.source].route, to.source };
    Dragoman *d;
    Status st;

    if (r->single) return submit_to(r, r->single, (Destination){ .is_copied = true }, request, tag, err);
    pthread_mutex_lock(&r->lock);
    st = reserve(r, err);
    pthread_mutex_unlock(&r->lock);
    if (st == OK) st = open_routes_acquire(r->routes, entry.route, &d, err);
    if (st != OK) return st;
    st = submit_to(r, d, to, request, tag, err);
    if (st == OK)
        append(r, entry);
    else
        open_routes_release(r->routes, entry.route);
    return st;
}

size_t router_request_length(const Router *r, const char *text, size_t length)
{
    return r->single ? dragoman_language_length(r->single, text, length) : 0;
}

Status router_language_length(Router *r, Destination to, const char *text, size_t length, size_t *out, Err *err)
{
    *out = router_request_length(r, text, length);
    if (r->single || to.is_copied) return OK;
    return open_routes_language_length(r->routes, r->sources[to.source].route, text, length, out, err);
}

Status router_submit_empty(Router *r, uintptr_t tag, Err *err)
{
    DragomanError error;
    Status st = public_status(dragoman_request_begin(r->request, "", 0, &error), &error, err);

    if (st != OK) return st;
    return router_submit(r, (Destination){ .source = LANGUAGE_UNKNOWN, .is_copied = true }, r->request, tag, err);
}

Status router_submit_pair(Router *r, const char *source, size_t source_length, const char *target, size_t target_length,
                          uintptr_t tag, Err *err)
{
    DragomanError error;
    DragomanStatus status = dragoman_request_begin(r->request, source, source_length, &error);

    if (status == DRAGOMAN_OK) status = dragoman_request_score(r->request, target, target_length, &error);
    if (status == DRAGOMAN_OK) status = dragoman_submit(r->single, r->request, tag, &error);
    return public_status(status, &error, err);
}

void router_begin(Router *r)
{
    r->received = 0;
    pthread_mutex_lock(&r->lock);
    r->finished = false;
    pthread_mutex_unlock(&r->lock);
}

static DragomanStatus submit_last(Router *r)
{
    DragomanStatus status = dragoman_request_begin(r->request, "", 0, NULL);

    return status == DRAGOMAN_OK ? dragoman_submit(r->single, r->request, LAST_TAG, NULL) : status;
}

/* A single Dragoman gets an empty line, so that it is ready for another run. If it takes none, it has no other run. */
void router_finish(Router *r)
{
    pthread_mutex_lock(&r->lock);
    r->finished = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    if (r->single && submit_last(r) != DRAGOMAN_OK) dragoman_finish(r->single);
}

void router_cancel(Router *r)
{
    pthread_mutex_lock(&r->lock);
    r->cancelled = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    if (r->single)
        dragoman_cancel(r->single);
    else
        open_routes_cancel(r->routes);
}

/* --- The thread that receives lines ------------------------------------------ */

/* The first entry of the queue. Waits for it if `wait`; false: there is none. */
static bool peek(Router *r, bool wait, Entry *out)
{
    bool there;

    pthread_mutex_lock(&r->lock);
    while (wait && !r->lines && !r->finished && !r->cancelled) pthread_cond_wait(&r->change, &r->lock);
    there = r->lines && !r->cancelled;
    if (there) *out = *entry_at(r, 0);
    pthread_mutex_unlock(&r->lock);
    return there;
}

static void pop(Router *r)
{
    pthread_mutex_lock(&r->lock);
    r->first = (r->first + 1) & (r->room - 1);
    r->lines--;
    pthread_mutex_unlock(&r->lock);
    r->received++;
}

bool router_ready(Router *r)
{
    Entry entry;
    bool ended;

    if (r->single) return dragoman_ready(r->single);
    if (peek(r, false, &entry)) return dragoman_ready(open_routes_get(r->routes, entry.route));
    pthread_mutex_lock(&r->lock);
    ended = r->cancelled || (r->finished && !r->lines);
    pthread_mutex_unlock(&r->lock);
    return ended;
}

static Status next_of_single(Router *r, RoutedLine *out, Err *err)
{
    DragomanError error;
    Status st = public_status(dragoman_next(r->single, &out->line, &error), &error, err);

    *out = (RoutedLine){ .dragoman = r->single, .line = st == OK ? out->line : NULL };
    if (out->line && dragoman_line_tag(out->line) == LAST_TAG) out->line = NULL;
    if (out->line) out->number = ++r->received;
    out->context = context_of(r, LANGUAGE_UNKNOWN);
    return st;
}

/* The line before is no longer in use. */
static void leave_last(Router *r)
{
    if (r->has_last) open_routes_release(r->routes, r->last);
    r->has_last = false;
}

Status router_next(Router *r, RoutedLine *out, Err *err)
{
    const DragomanLine *line = NULL;
    DragomanError error;
    Entry entry;
    Dragoman *d;
    Status st;

    if (r->single) return next_of_single(r, out, err);
    *out = (RoutedLine){ .line = NULL };
    leave_last(r);
    if (!peek(r, true, &entry)) return OK;
    d = open_routes_get(r->routes, entry.route);
    st = public_status(dragoman_next(d, &line, &error), &error, err);
    if (st != OK || !line) return st;
    pop(r);
    r->last = entry.route;
    r->has_last = true;
    *out = (RoutedLine){ .dragoman = d, .line = line, .number = r->received };
    if (entry.source < r->source_count) out->language = r->sources[entry.source].name;
    out->context = context_of(r, entry.source);
    return OK;
}

size_t router_failed_line(Router *r)
{
    Entry entry;

    if (r->single) return dragoman_failed_line(r->single) ? r->received + 1 : 0;
    if (!peek(r, false, &entry)) return 0;
    return dragoman_failed_line(open_routes_get(r->routes, entry.route)) ? r->received + 1 : 0;
}

void router_skip_failed_line(Router *r)
{
    Entry entry;

    if (r->single) {
        dragoman_skip_failed_line(r->single);
        r->received++;
        return;
    }
    if (!peek(r, false, &entry)) return;
    dragoman_skip_failed_line(open_routes_get(r->routes, entry.route));
    pop(r);
    open_routes_release(r->routes, entry.route);
}

/* --- At the end -------------------------------------------------------------- */

static Status describe(const Router *r, Buf *out, Err *err)
{
    const char *separator = "";
    Status st = OK;

    for (size_t i = 0; st == OK && i < r->source_count; i++) {
        const Source *source = &r->sources[i];
        if (!source->texts) continue;
        buf_put_format(out, "%s%zu %s%s", separator, source->texts, source->name,
                       source->route == r->copied ? " (copied)" : "");
        st = buf_check(out, err);
        separator = ", ";
    }
    if (st == OK && r->unknown) buf_put_format(out, "%s%zu not recognized", separator, r->unknown);
    if (st == OK) st = buf_check(out, err);
    return st;
}

void router_report_languages(const Router *r, const Reporter *reporter)
{
    Buf text = { 0 };

    if (!r->single && describe(r, &text, NULL) == OK && text.len) reporter_say(reporter, "languages: %s", text.data);
    buf_free(&text);
}
