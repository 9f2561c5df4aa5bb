/* term_log.h - the terms of the lines in progress: a queue in the order of the input. The thread of the input adds the
 * terms of a line before it submits the line, and the thread that receives lines takes them. */
#ifndef DRAGOMAN_TERM_LOG_H
#define DRAGOMAN_TERM_LOG_H

#include <pthread.h>
#include <stddef.h>

#include "err.h"
#include "glossary.h"

typedef struct {
    size_t number; /* of the line, in the input */
    TermMatches terms;
} LoggedTerms;

/* Starts with term_log_start() and ends with term_log_free(). */
typedef struct {
    pthread_mutex_t lock;
    LoggedTerms *items; /* [count], those before `first` have been taken */
    size_t first, count, capacity;
} TermLog;

void term_log_start(TermLog *log);
void term_log_free(TermLog *log);

/* Adds a copy of the terms of a line. Numbers ascend. */
MUST_USE Status term_log_add(TermLog *log, size_t number, const TermMatches *terms, Err *err);

/* Removes the terms of the last line, which was refused. */
void term_log_undo(TermLog *log, size_t number);

/* Moves the terms of a line to *out, whose memory is freed first; there may be none. Forgets those of the lines before
 * it. */
void term_log_take(TermLog *log, size_t number, TermMatches *out);

#endif
