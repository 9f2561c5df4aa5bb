/* argos_index.c - see argos_index.h. */
#include "argos_index.h"

#include <string.h>

#include "get_sources.h"

const cJSON *argos_index_find(const cJSON *list, const char *pair)
{
    const cJSON *item, *best = NULL;

    cJSON_ArrayForEach(item, list)
    {
        const char *type = get_text_of(item, "type");
        if (!get_is_pair(pair, get_text_of(item, "from_code"), get_text_of(item, "to_code"))) continue;
        if (*type && strcmp(type, "translate") != 0) continue;
        if (!best || get_is_newer(item, best, "package_version")) best = item;
    }
    return best;
}
