/* shortlist.c - see shortlist.h. */
#include "shortlist.h"

#include <stdlib.h>
#include <string.h>

#include "shortlist_parts.h"
#include "stored_file.h"

static bool is_binary(const MappedFile *file)
{
    const uint64_t magic = SHORTLIST_MAGIC;

    return file->size >= sizeof magic && memcmp(file->data, &magic, sizeof magic) == 0;
}

Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary, ShortlistLimits limits,
                      Err *err)
{
    Shortlist *s = calloc(1, sizeof *s);
    Status st;

    *out = NULL;
    if (!s) return err_memory(err, "a shortlist");
    s->unknown = vocabulary->unknown;
    s->begin = -1;
    st = stored_file_open(&s->file, path, err);
    if (st == OK && limits.lexical_only && is_binary(&s->file)) limits.first = limits.best = -1;
    /* A gzip file may be rejected here for having several members; the text reader takes it, or reports its fault. */
    if (st == OK && is_binary(&s->file))
        st = shortlist_read_binary(s, path, vocabulary, limits, err);
    else if (st == OK || st == ERR_FORMAT)
        st = shortlist_read_text(s, path, vocabulary, limits, err);
    if (st == OK)
        *out = s;
    else
        shortlist_free(s);
    return st;
}

void shortlist_free(Shortlist *shortlist)
{
    if (!shortlist) return;
    free(shortlist->rules);
    ids_free(&shortlist->pool);
    free(shortlist->own_offsets);
    free(shortlist->own_ids);
    mapped_file_close(&shortlist->file);
    free(shortlist);
}

/* Compares a rule's key with a run of ids; negative when the key sorts first. */
static int compare_key(const ShortlistRule *rule, const int32_t *run, size_t len)
{
    if (rule->key_len != len) return rule->key_len < len ? -1 : 1;
    for (size_t i = 0; i < len; i++)
        if (rule->ids[i] != run[i]) return rule->ids[i] < run[i] ? -1 : 1;
    return 0;
}

static void add_rule(const Shortlist *s, const int32_t *run, size_t len, IdSet *set)
{
    size_t low = 0, high = s->rule_count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const ShortlistRule *rule = &s->rules[mid];
        int order = compare_key(rule, run, len);
        if (order == 0) {
            id_set_add_all(set, rule->ids + rule->key_len, rule->target_len);
            return;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
}

void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set)
{
    const Shortlist *s = shortlist;

    id_set_add(set, s->unknown);
    id_set_add(set, s->begin);
    for (size_t id = 0; id < s->first; id++) id_set_add(set, (int32_t)id);
    if (s->rule_count) add_rule(s, NULL, 0, set);
    for (size_t i = 0; i < len; i++) {
        size_t id = (size_t)source[i];
        if (s->shared) id_set_add(set, source[i]);
        if (id < s->source_size) id_set_add_all(set, s->ids + s->offsets[id], s->offsets[id + 1] - s->offsets[id]);
        for (size_t n = 1; n <= s->longest && n <= len - i; n++) add_rule(s, source + i, n, set);
    }
    if (s->filled) id_set_fill(set, s->first, SHORTLIST_FILL);
}
