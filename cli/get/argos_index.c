/* argos_index.c - see argos_index.h. */
#include "argos_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "get_sources.h"

/* Whether version `a` such as "1.10" is newer than `b`. */
static bool is_newer(const char *a, const char *b)
{
    for (;;) {
        char *a_end, *b_end;
        long x = strtol(a, &a_end, 10), y = strtol(b, &b_end, 10);
        if (x != y) return x > y;
        if (*a_end != '.' || *b_end != '.') return *a_end == '.' && *b_end != '.';
        a = a_end + 1;
        b = b_end + 1;
    }
}

const cJSON *argos_index_find(const cJSON *list, const char *pair)
{
    const cJSON *item, *best = NULL;

    cJSON_ArrayForEach(item, list)
    {
        const char *from = get_text_of(item, "from_code"), *to = get_text_of(item, "to_code"),
                   *type = get_text_of(item, "type");
        const size_t len = strlen(from);
        if (!len || !*to || strncmp(pair, from, len) != 0 || pair[len] != '-' || strcmp(pair + len + 1, to) != 0)
            continue;
        if (*type && strcmp(type, "translate") != 0) continue;
        if (!best || is_newer(get_text_of(item, "package_version"), get_text_of(best, "package_version"))) best = item;
    }
    return best;
}
