/* failures.h - the files of a batch that failed, with the reasons. Several threads may call the functions. */
#ifndef DRAGOMAN_FAILURES_H
#define DRAGOMAN_FAILURES_H

#include <pthread.h>
#include <stddef.h>

#include "buf.h"

typedef struct {
    pthread_mutex_t lock;
    Buf messages; /* one per line */
    size_t count;
} Failures;

void failures_start(Failures *failures);
void failures_free(Failures *failures);

/* Reports the message, which names the file, and keeps it for failures_list(). */
void failures_add(Failures *failures, const char *message);

/* Reports all messages again; prints nothing if there are none. Call it when the other threads have ended. */
void failures_list(const Failures *failures);

#endif
