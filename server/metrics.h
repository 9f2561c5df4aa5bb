/* metrics.h - counts what the server does, in the text format of Prometheus. Any thread may call these functions. */
#ifndef DRAGOMAN_METRICS_H
#define DRAGOMAN_METRICS_H

#include <stddef.h>

#include "buf.h"

typedef enum { API_LIBRETRANSLATE, API_DEEPL, API_OWN, API_PAGE, APIS } Api;

typedef struct Metrics Metrics;

MUST_USE Status metrics_new(Metrics **out, Err *err);
void metrics_free(Metrics *metrics); /* NULL is allowed */

/* Counts a request that was answered. */
void metrics_count_request(Metrics *metrics, Api api, unsigned status, double seconds);

/* Counts a translated line, and the characters of its source. */
void metrics_count_line(Metrics *metrics, size_t characters);

/* Appends the counts. The gauges are values at this moment, with their names and descriptions. */
typedef struct {
    const char *name, *help;
    double value;
} Gauge;
void metrics_put(Metrics *metrics, const Gauge *gauges, size_t count, Buf *out);

#endif
