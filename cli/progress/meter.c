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

/* A drawing that fails for lack of memory is left out. */
static void draw(const Meter *meter, const DragomanProgress *progress)
{
    const double seconds = meter->drawn - meter->start;
    const uint64_t done = progress->done, total = progress->total;
    double speed = 0;
    struct winsize size;
    size_t width = 79;
    Buf text = { 0 }, line = { 0 };

    if (seconds > EVERY && done > progress->had) speed = (double)(done - progress->had) / seconds;
    if (total) {
        const unsigned full = done >= total ? CELLS : (unsigned)(done * CELLS / total);
        buf_put_byte(&text, '[');
        for (unsigned i = 0; i < CELLS; i++) buf_put_byte(&text, i < full ? '=' : i == full ? '>' : ' ');
        buf_put_format(&text, "] %3u%%  ", (unsigned)((double)done * 100 / (double)total));
    }
    buf_put_format(&text, "%.1f MB  %.1f MB/s  %s", (double)done / 1e6, speed / 1e6,
                   progress->file ? progress->file : "");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) width = (size_t)size.ws_col - 1;
    if (buf_check(&text, NULL) == OK && cells_append_end(&line, text.data, width, NULL) == OK)
        report_set_status(line.data);
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
