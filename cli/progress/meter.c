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

static size_t terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? (size_t)size.ws_col - 1 : 79;
}

static void put_bar(Buf *out, const DragomanProgress *progress)
{
    const uint64_t done = progress->done, total = progress->total;
    const unsigned full = done >= total ? CELLS : (unsigned)(done * CELLS / total);

    buf_put_byte(out, '[');
    for (unsigned i = 0; i < CELLS; i++) buf_put_byte(out, i < full ? '=' : i == full ? '>' : ' ');
    buf_put_format(out, "] %3u%%  ", (unsigned)((double)done * 100 / (double)total));
}

/* A drawing that fails for lack of memory is left out. */
static void draw(const Meter *meter, const DragomanProgress *progress)
{
    double seconds = meter->drawn - meter->start, speed = 0;
    Buf text = { 0 }, line = { 0 };
    Status st;

    if (seconds > EVERY && progress->done > progress->had) speed = (double)(progress->done - progress->had) / seconds;
    if (progress->total) put_bar(&text, progress);
    buf_put_format(&text, "%.1f MB  %.1f MB/s  %s", (double)progress->done / 1e6, speed / 1e6,
                   progress->file ? progress->file : "");
    st = buf_check(&text, NULL);
    if (st == OK) st = cells_append_end(&line, text.data, terminal_width(), NULL);
    if (st == OK) report_set_status(line.data);
    buf_free(&line);
    buf_free(&text);
}

bool meter_show(void *context, const DragomanProgress *progress)
{
    Meter *meter = context;
    const double now = meter->shown ? clock_seconds() : 0;

    if (!meter->shown || now - meter->drawn < EVERY) return true;
    meter->drawn = now;
    draw(meter, progress);
    return true;
}

void meter_stop(Meter *meter)
{
    if (meter->shown && meter->drawn > 0) report_set_status(NULL);
    meter->shown = false;
}
