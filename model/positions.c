/* positions.c - see positions.h. Computed in double, rounded once. */
#include "positions.h"

#include <math.h>

void positions_sinusoidal(float *out, size_t count, size_t d)
{
    size_t half = d - d / 2;

    for (size_t i = 0; i < half; i++) {
        double wave = pow(10000.0, 2.0 * (double)i / (double)d);
        for (size_t p = 0; p < count; p++) {
            out[p * d + i] = (float)sin((double)p / wave);
            if (half + i < d) out[p * d + half + i] = (float)cos((double)p / wave);
        }
    }
}
