/* failures.c - see failures.h. */
#include "failures.h"

#include <string.h>

#include "report.h"
#include "text.h"

void failures_start(Failures *failures)
{
    *failures = (Failures){ .count = 0 };
    pthread_mutex_init(&failures->lock, NULL);
}

void failures_free(Failures *failures)
{
    pthread_mutex_destroy(&failures->lock);
    buf_free(&failures->messages);
}

/* Without memory for the list, the message is only reported and counted. */
void failures_add(Failures *failures, const char *message)
{
    report("%s", message);
    pthread_mutex_lock(&failures->lock);
    failures->count++;
    (void)!buf_append_format(&failures->messages, NULL, "%s\n", message);
    pthread_mutex_unlock(&failures->lock);
}

void failures_list(const Failures *failures)
{
    const char *at = failures->messages.data, *end;

    if (!failures->count) return;
    report("%zu failure%s:", failures->count, plural(failures->count));
    for (; at && (end = strchr(at, '\n')); at = end + 1) report("  %.*s", (int)(end - at), at);
}
