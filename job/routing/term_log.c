/* term_log.c - see term_log.h. */
#include "term_log.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

void term_log_start(TermLog *log)
{
    *log = (TermLog){ .items = NULL };
    pthread_mutex_init(&log->lock, NULL);
}

void term_log_free(TermLog *log)
{
    for (size_t i = log->first; i < log->count; i++) term_matches_free(&log->items[i].terms);
    free(log->items);
    pthread_mutex_destroy(&log->lock);
}

static Status copy_terms(TermMatches *out, const TermMatches *terms, Err *err)
{
    out->items = malloc(terms->count * sizeof *out->items);
    if (!out->items) return err_memory(err, "the terms");
    memcpy(out->items, terms->items, terms->count * sizeof *out->items);
    out->count = out->capacity = terms->count;
    return OK;
}

/* Moves what is left to the beginning, when half of the room is unused: each item moves once on average. */
static void close_gap(TermLog *log)
{
    if (log->first < log->count - log->first) return;
    if (log->first) memmove(log->items, log->items + log->first, (log->count - log->first) * sizeof *log->items);
    log->count -= log->first;
    log->first = 0;
}

Status term_log_add(TermLog *log, size_t number, const TermMatches *terms, Err *err)
{
    LoggedTerms added = { .number = number };
    Status st = copy_terms(&added.terms, terms, err);

    if (st != OK) return st;
    pthread_mutex_lock(&log->lock);
    close_gap(log);
    st = buf_grow_list(&log->items, &log->capacity, log->count, 1, sizeof *log->items, "the terms", err);
    if (st == OK) log->items[log->count++] = added;
    pthread_mutex_unlock(&log->lock);
    if (st != OK) term_matches_free(&added.terms);
    return st;
}

void term_log_undo(TermLog *log, size_t number)
{
    pthread_mutex_lock(&log->lock);
    if (log->first < log->count && log->items[log->count - 1].number == number)
        term_matches_free(&log->items[--log->count].terms);
    pthread_mutex_unlock(&log->lock);
}

void term_log_take(TermLog *log, size_t number, TermMatches *out)
{
    term_matches_free(out);
    pthread_mutex_lock(&log->lock);
    while (log->first < log->count && log->items[log->first].number < number)
        term_matches_free(&log->items[log->first++].terms);
    if (log->first < log->count && log->items[log->first].number == number) *out = log->items[log->first++].terms;
    pthread_mutex_unlock(&log->lock);
}
