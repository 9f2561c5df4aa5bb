/* html_kept.c - see html_kept.h. */
#include "html_kept.h"

bool html_kept_is(const HtmlKept *kept)
{
    return kept->count && kept->levels[kept->count - 1].is_kept;
}

void html_kept_open(HtmlKept *kept, uint64_t key, HtmlTranslate says)
{
    const bool changes = says != HTML_INHERIT && (says == HTML_PROTECT) != html_kept_is(kept);

    if (changes && kept->count < HTML_KEPT_LEVELS) {
        kept->levels[kept->count].key = key;
        kept->levels[kept->count].depth = 1;
        kept->levels[kept->count++].is_kept = says == HTML_PROTECT;
    } else if (kept->count && kept->levels[kept->count - 1].key == key) {
        kept->levels[kept->count - 1].depth++;
    }
}

/* Elements in it that are not closed end, too. */
void html_kept_close(HtmlKept *kept, uint64_t key)
{
    size_t level = kept->count;

    while (level && kept->levels[level - 1].key != key) level--;
    if (level && !--kept->levels[level - 1].depth) kept->count = level - 1;
}
