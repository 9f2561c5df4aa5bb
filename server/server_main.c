/* server_main.c - the program dragoman-server: reads the options, starts the server, and waits for signals.
 *
 *   http.c            reads requests and sends replies; listen.c opens its sockets
 *   routes.c          the table of paths, and their handlers in libretranslate.c, own_api.c and page.c
 *   form.c            the parameters of requests
 *   server_limits.c   keys, hosts, and bounds for requests
 *   work.c            translates for a request
 *   models.c          the pairs of languages, and open models
 *   deepl.c           the handlers of DeepL's API; glossaries.c and document_queue.c keep what its clients send
 *   downloads.c       translated documents that wait to be fetched
 *   metrics.c         counts for Prometheus */
#define _GNU_SOURCE /* sigtimedwait() */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unicode/uloc.h>
#include <unistd.h>

#include "clock.h"
#include "dragoman_tools.h"
#include "help.h"
#include "http.h"
#include "library.h"
#include "report.h"
#include "routes.h"
#include "sandbox.h"
#include "signals.h"
#include "terminal.h"
#include "thread.h"

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

#define WATCH_NANOSECONDS 100000000 /* how often http_watch() is called */
#define END_SECONDS       30        /* for the requests that were accepted before SIGTERM */
#define HELP_COLUMNS      80

/* --- Help, version and man page */

static Status print(const Options *options, Err *err)
{
    Buf text = { 0 };
    char *build = NULL;
    DragomanError error;
    Status st = OK;

    if (options->version) {
        st = library_status(dragoman_describe_build(&build, &error), &error, err);
        if (st == OK) buf_put_format(&text, "dragoman-server %s\n%s", dragoman_version(), build);
        dragoman_free_text(build);
    } else if (options->man) {
        st = help_append_man_page(&text, COMMAND_SERVER, err);
    } else {
        st = help_append(&text, COMMAND_SERVER, HELP_COLUMNS, err);
    }
    if (st == OK) st = buf_check(&text, err);
    if (st == OK && fwrite(text.data, 1, text.len, stdout) != text.len) st = err_set(err, ERR_IO, "cannot write");
    if (st == OK && fflush(stdout) != 0) st = err_set(err, ERR_IO, "cannot write");
    buf_free(&text);
    return st;
}

/* --- Signals */

/* Blocks the signals that wait_for_signal() takes; the threads that are started later inherit this. A signal that the
 * parent process ignores, as nohup makes it, would be lost, so SIGTERM and SIGHUP get their default action first. */
static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static void reload(Server *server)
{
    Err err;

    if (limits_read_keys(server->limits, &err) != OK) report("%s; the keys stay as they were", err.text);
    if (models_reload(server->models, &err) != OK)
        report("%s; the models stay as they were", err.text);
    else if (server->options->verbose)
        report("read the models and the keys again");
}

/* Runs until SIGTERM or SIGINT. */
static void run(Server *server, Http *http, const sigset_t *set)
{
    const struct timespec pause = { .tv_nsec = WATCH_NANOSECONDS };
    double expired = 0;
    int number;

    for (;;) {
        number = sigtimedwait(set, NULL, &pause);
        if (number == SIGHUP) reload(server);
        if (number == SIGTERM || number == SIGINT) return;
        http_watch(http);
        if (clock_seconds() - expired < 1) continue;
        expired = clock_seconds();
        models_expire(server->models);
        downloads_expire(server->downloads);
        document_queue_expire(server->documents);
    }
}

/* --- The server */

/* Loads what jobs need, also those of clients that bring glossaries. */
static Status load_libraries(Err *err)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    Status st;

    if (!options) return err_memory(err, "the options");
    st = library_status(dragoman_set_text(options, DRAGOMAN_TERM, "a\tb", &error), &error, err);
    if (st == OK) dragoman_job_load_libraries(options);
    dragoman_options_free(options);
    return st;
}

static Status serve(const Options *options, const char *program, Err *err)
{
    Server server = { .options = options };
    Http *http = NULL;
    DragomanError error;
    sigset_t set;
    size_t lost;
    Status st;

    block_signals(&set);
    st = library_status(dragoman_check_cpu(&error), &error, err);
    if (st == ERR_UNSUPPORTED) { /* this CPU lacks the named CPU level; only the speed is affected */
        report("%s", err->text);
        st = OK;
    }
    if (st == OK) st = limits_new(&server.limits, &options->server, err);
    if (st == OK) st = metrics_new(&server.metrics, err);
    if (st == OK) st = downloads_new(&server.downloads, (size_t)options->server.max_uploads << 20, err);
    if (st == OK) st = models_new(&server.models, options, program, err);
    if (st == OK) st = glossaries_new(&server.glossaries, &options->server, err);
    if (st == OK) st = document_queue_new(&server.documents, &server, err);
    if (st == OK) st = http_listen(&http, &server, route_table, err);
    if (st == OK) st = load_libraries(err);
    if (st == OK) sandbox_start(SANDBOX_SERVER, options->no_sandbox, options->verbose);
    if (st == OK) st = http_start(http, err);
    if (st == OK) run(&server, http, &set);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* a second ^C ends the process at once */
    if (http) {
        lost = http_end(http, END_SECONDS);
        if (lost) report("%zu request%s not answered in time", lost, lost == 1 ? " was" : "s were");
    }
    http_free(http);
    document_queue_free(server.documents);
    glossaries_free(server.glossaries);
    models_free(server.models);
    downloads_free(server.downloads);
    metrics_free(server.metrics);
    limits_free(server.limits);
    return st;
}

static int run_program(int count, char **arguments)
{
    UErrorCode fault = U_ZERO_ERROR;
    Options *options;
    Err err;
    Status st;

    report_start("dragoman-server");
    signals_start();
    st = options_parse_command(&options, COMMAND_SERVER, count, arguments, &err);
    if (st == ERR_USAGE) {
        report("%s; try 'dragoman-server --help'", err.text);
        options_free(options);
        return EXIT_USAGE;
    }
    if (st == OK) limits_set_defaults(&options->server);
    uloc_setDefault("en", &fault); /* as in cli/program.c */
    if (st == OK && U_FAILURE(fault)) st = err_memory(&err, "the locale");
    if (st == OK && (options->help || options->version || options->man))
        st = print(options, &err);
    else if (st == OK)
        st = serve(options, *arguments, &err);
    options_free(options);
    if (st != OK) report("%s", err.text);
    return st == OK ? EXIT_FINE : st == ERR_USAGE ? EXIT_USAGE : EXIT_FAULT;
}

int main(int argc, char **argv)
{
    return thread_run(run_program, argc, argv);
}
