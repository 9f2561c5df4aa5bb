/* meter.h - shows on a terminal how much of a download is done. */
#ifndef DRAGOMAN_METER_H
#define DRAGOMAN_METER_H

#include <stdbool.h>

#include "dragoman_hub.h"

typedef struct {
    bool shown;
    double start, drawn; /* seconds */
} Meter;

/* Starts to count the time. Nothing is shown if `quiet`, or if stderr cannot show a status line (report.h). */
void meter_start(Meter *meter, bool quiet);
/* The DragomanProgressReader with a Meter as its context; never cancels. */
bool meter_show(void *meter, const DragomanProgress *progress);
/* Removes the line. */
void meter_stop(Meter *meter);

#endif
