/* positions.c - see positions.h. Computed in double, rounded once. */
#include "positions.h"

#include <math.h>

void positions_sinusoidal(float *out, size_t count, size_t d)
{
    size_t half = d - d / 2;

    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < half; i++) {
            double angle = (double)p / pow(10000.0, 2.0 * (double)i / (double)d);
            out[p * d + i] = (float)sin(angle);
            if (half + i < d) out[p * d + half + i] = (float)cos(angle);
        }
}
