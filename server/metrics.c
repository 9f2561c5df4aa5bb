/* metrics.c - see metrics.h. */
#include "metrics.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define STATUSES 600

/* The upper ends of the histogram, in seconds. */
static const double ends[] = { 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60 };
#define ENDS (sizeof ends / sizeof *ends)

static const char *const api_names[APIS] = {
    [API_LIBRETRANSLATE] = "libretranslate", [API_DEEPL] = "deepl", [API_OWN] = "dragoman", [API_PAGE] = "page"
};

struct Metrics {
    pthread_mutex_t lock;
    uint64_t requests[APIS][STATUSES];
    uint64_t slower[APIS][ENDS + 1]; /* requests that took longer than the end before and at most this one */
    double seconds[APIS];
    uint64_t lines, characters;
};

Status metrics_new(Metrics **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the metrics");
    pthread_mutex_init(&(*out)->lock, NULL);
    return OK;
}

void metrics_free(Metrics *metrics)
{
    if (metrics) pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

void metrics_count_request(Metrics *metrics, Api api, unsigned status, double seconds)
{
    size_t i = 0;

    while (i < ENDS && seconds > ends[i]) i++;
    pthread_mutex_lock(&metrics->lock);
    metrics->requests[api][status < STATUSES ? status : 0]++;
    metrics->slower[api][i]++;
    metrics->seconds[api] += seconds;
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_count_line(Metrics *metrics, size_t characters)
{
    pthread_mutex_lock(&metrics->lock);
    metrics->lines++;
    metrics->characters += characters;
    pthread_mutex_unlock(&metrics->lock);
}

static void put_head(Buf *out, const char *name, const char *help, const char *type)
{
    buf_put_format(out, "# HELP dragoman_%s %s\n# TYPE dragoman_%s %s\n", name, help, name, type);
}

void metrics_put(Metrics *metrics, const Gauge *gauges, size_t count, Buf *out)
{
    pthread_mutex_lock(&metrics->lock);
    put_head(out, "requests_total", "Requests that were answered.", "counter");
    for (Api api = 0; api < APIS; api++)
        for (unsigned status = 0; status < STATUSES; status++)
            if (metrics->requests[api][status])
                buf_put_format(out, "dragoman_requests_total{api=\"%s\",status=\"%u\"} %llu\n", api_names[api], status,
                               (unsigned long long)metrics->requests[api][status]);
    put_head(out, "request_seconds", "Time from a request to the end of its answer.", "histogram");
    for (Api api = 0; api < APIS; api++) {
        uint64_t sum = 0;
        for (size_t i = 0; i <= ENDS; i++) {
            sum += metrics->slower[api][i];
            buf_put_format(out, "dragoman_request_seconds_bucket{api=\"%s\",le=\"", api_names[api]);
            if (i < ENDS)
                buf_put_format(out, "%g", ends[i]);
            else
                buf_put_text(out, "+Inf");
            buf_put_format(out, "\"} %llu\n", (unsigned long long)sum);
        }
        buf_put_format(out, "dragoman_request_seconds_sum{api=\"%s\"} %.6f\n", api_names[api], metrics->seconds[api]);
        buf_put_format(out, "dragoman_request_seconds_count{api=\"%s\"} %llu\n", api_names[api],
                       (unsigned long long)sum);
    }
    put_head(out, "lines_total", "Lines and texts of documents that were translated.", "counter");
    buf_put_format(out, "dragoman_lines_total %llu\n", (unsigned long long)metrics->lines);
    put_head(out, "characters_total", "Characters of these lines.", "counter");
    buf_put_format(out, "dragoman_characters_total %llu\n", (unsigned long long)metrics->characters);
    pthread_mutex_unlock(&metrics->lock);
    for (size_t i = 0; i < count; i++) {
        put_head(out, gauges[i].name, gauges[i].help, "gauge");
        buf_put_format(out, "dragoman_%s %.0f\n", gauges[i].name, gauges[i].value);
    }
}
