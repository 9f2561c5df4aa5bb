/* nearest.c - see nearest.h. The distance is the Levenshtein distance, computed row by row. */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST ((size_t)40)
#define NONE    SIZE_MAX

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the number of letters of word[0, len) that are added, missing or wrong compared with `name`; NONE if there
 * are too many for a typing error. */
static size_t distance_of(const char *word, size_t len, const char *name)
{
    /* row[k] is the distance between the letters of the word so far and the first k letters of the name. */
    size_t row[LONGEST + 1], name_len = strlen(name), most = 1 + least(len, name_len) / 4;

    if (len < 2 || len > LONGEST || name_len > LONGEST) return NONE;
    for (size_t k = 0; k <= name_len; k++) row[k] = k;
    for (size_t i = 0; i < len; i++) {
        size_t diagonal = row[0]++;
        for (size_t k = 1; k <= name_len; k++) {
            const size_t changed = diagonal + (name[k - 1] != word[i]);
            diagonal = row[k];
            row[k] = least(changed, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[name_len] <= most ? row[name_len] : NONE;
}

void nearest_add(Nearest *best, const char *word, size_t len, const char *candidate)
{
    const size_t distance = distance_of(word, len, candidate);

    if (distance != NONE && (!best->name || distance < best->distance)) *best = (Nearest){ candidate, distance };
}
