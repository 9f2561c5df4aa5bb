/* meter.c - see meter.h. */
#include "meter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "cells.h"
#include "clock.h"
#include "report.h"

#define EVERY 0.2 /* seconds between two drawings */
#define CELLS 20  /* of the bar */

void meter_start(Meter *meter, bool quiet)
{
    *meter = (Meter){ .shown = !quiet && report_can_show_status(), .start = clock_seconds() };
}

void meter_set_total(Meter *meter, uint64_t total)
{
    meter->total = total;
}

void meter_file(Meter *meter, const char *name)
{
    meter->name = name;
}

static size_t terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? (size_t)size.ws_col - 1 : 79;
}

static Status append_bar(Buf *out, const Meter *meter)
{
    unsigned full = meter->done >= meter->total ? CELLS : (unsigned)(meter->done * CELLS / meter->total);
    Status st = buf_append(out, "[", 1, NULL);

    for (unsigned i = 0; st == OK && i < CELLS; i++)
        st = buf_append(out, i < full ? "=" : i == full ? ">" : " ", 1, NULL);
    if (st != OK) return st;
    return buf_append_format(out, NULL, "] %3u%%  ", (unsigned)((double)meter->done * 100 / (double)meter->total));
}

/* A drawing that fails for lack of memory is left out. */
static void draw(Meter *meter, double now)
{
    double seconds = now - meter->start, speed = 0;
    Buf text = { 0 }, line = { 0 };
    Status st = meter->total ? append_bar(&text, meter) : OK;

    if (seconds > EVERY && meter->done > meter->had) speed = (double)(meter->done - meter->had) / seconds;
    if (st == OK)
        st = buf_append_format(&text, NULL, "%.1f MB  %.1f MB/s  %s", (double)meter->done / 1e6, speed / 1e6,
                               meter->name ? meter->name : "");
    if (st == OK) st = cells_append_end(&line, text.data, terminal_width(), NULL);
    if (st == OK) report_set_status(line.data);
    buf_free(&line);
    buf_free(&text);
}

void meter_add(Meter *meter, uint64_t bytes)
{
    double now;

    meter->done += bytes;
    if (!meter->shown) return;
    now = clock_seconds();
    if (now - meter->drawn < EVERY) return;
    meter->drawn = now;
    draw(meter, now);
}

void meter_skip(Meter *meter, int64_t bytes)
{
    meter->done += (uint64_t)bytes;
    if (bytes > 0) meter->had += (uint64_t)bytes;
}

void meter_stop(Meter *meter)
{
    if (meter->shown && meter->drawn > 0) report_set_status(NULL);
    meter->shown = false;
}
