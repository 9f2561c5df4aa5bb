/* meter.h - shows on a terminal how much of a download is done. */
#ifndef DRAGOMAN_METER_H
#define DRAGOMAN_METER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool shown;
    uint64_t total, done; /* bytes; a total of 0: unknown */
    double start, drawn;  /* seconds */
    uint64_t had;         /* bytes that were there at the start */
    const char *name;     /* of the current file */
} Meter;

/* Starts to count. Nothing is shown if `quiet`, or if stderr cannot show a status line (report.h). */
void meter_start(Meter *meter, bool quiet);
void meter_set_total(Meter *meter, uint64_t total);
/* Sets the current file, which must stay valid until meter_stop(). */
void meter_file(Meter *meter, const char *name);
/* Counts bytes that have arrived, and bytes that were there before or have to be sent again (a negative number). */
void meter_add(Meter *meter, uint64_t bytes);
void meter_skip(Meter *meter, int64_t bytes);
/* Removes the line. */
void meter_stop(Meter *meter);

#endif
