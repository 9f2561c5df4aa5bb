/* vocab.c - see vocab.h. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "str_map.h"

struct Vocab {
    char *path;
    VocabEntry *entries; /* [count], sorted by id */
    size_t count;
    Buf text;    /* the pieces, each with a NUL */
    StrMap *map; /* piece -> index in `entries` */
};

static int compare_ids(const void *a, const void *b)
{
    const VocabEntry *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* The pieces go into one text first: it moves while it grows. */
static Status copy_entries(Vocab *vocab, const cJSON *json, Err *err)
{
    size_t offset = 0;
    Status st = OK;

    for (const cJSON *node = json->child; st == OK && node; node = node->next) {
        int64_t id;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id)) {
            return err_set(err, ERR_FORMAT, "%s: the id of \"%s\" must be a whole number from 0 to %d", vocab->path,
                           node->string, VOCAB_MAX_ID);
        }
        vocab->entries[vocab->count++].id = (int32_t)id;
        st = buf_append(&vocab->text, node->string, strlen(node->string) + 1, err);
    }
    for (size_t i = 0; st == OK && i < vocab->count; i++) {
        vocab->entries[i].piece = vocab->text.data + offset;
        offset += strlen(vocab->text.data + offset) + 1;
    }
    return st;
}

static Status index_entries(Vocab *vocab, Err *err)
{
    Status st = str_map_new(&vocab->map, err);

    qsort(vocab->entries, vocab->count, sizeof *vocab->entries, compare_ids);
    for (size_t i = 0; st == OK && i < vocab->count; i++) {
        const VocabEntry *entry = &vocab->entries[i];
        bool added;
        if (i && entry[-1].id == entry->id) {
            return err_set(err, ERR_FORMAT, "%s: \"%s\" and \"%s\" have the same id %d", vocab->path, entry[-1].piece,
                           entry->piece, (int)entry->id);
        }
        st = str_map_add(vocab->map, entry->piece, strlen(entry->piece), (int32_t)i, &added, err);
        if (st == OK && !added) return err_set(err, ERR_FORMAT, "%s: \"%s\" is there twice", vocab->path, entry->piece);
    }
    return st;
}

static Status fill(Vocab *vocab, const cJSON *json, Err *err)
{
    size_t count = 0;
    Status st;

    for (const cJSON *node = json->child; node; node = node->next) count++;
    if (count == 0) return err_set(err, ERR_FORMAT, "%s: no pieces", vocab->path);
    vocab->entries = calloc(count, sizeof *vocab->entries);
    if (!vocab->entries) return err_memory(err, "a vocabulary");
    st = copy_entries(vocab, json, err);
    return st == OK ? index_entries(vocab, err) : st;
}

Status vocab_read(Vocab **out, const char *path, Err *err)
{
    cJSON *json = NULL;
    Vocab *vocab = calloc(1, sizeof *vocab);
    Status st;

    *out = NULL;
    if (vocab) vocab->path = strdup(path);
    st = vocab && vocab->path ? json_read_file(&json, path, err) : err_memory(err, "a vocabulary");
    if (st == OK) st = fill(vocab, json, err);
    cJSON_Delete(json);
    if (st == OK)
        *out = vocab;
    else
        vocab_free(vocab);
    return st;
}

void vocab_free(Vocab *vocab)
{
    if (!vocab) return;
    free(vocab->path);
    free(vocab->entries);
    buf_free(&vocab->text);
    str_map_free(vocab->map);
    free(vocab);
}

const VocabEntry *vocab_find(const Vocab *vocab, const char *piece, size_t len)
{
    int32_t index = str_map_get(vocab->map, piece, len, -1);

    return index < 0 ? NULL : &vocab->entries[index];
}

/* Without gaps an id is its own index. */
const VocabEntry *vocab_entry(const Vocab *vocab, int32_t id)
{
    VocabEntry key = { .id = id };

    if (id < 0) return NULL;
    if ((size_t)id < vocab->count && vocab->entries[id].id == id) return &vocab->entries[id];
    return bsearch(&key, vocab->entries, vocab->count, sizeof key, compare_ids);
}

size_t vocab_count(const Vocab *vocab)
{
    return vocab->count;
}

const VocabEntry *vocab_at(const Vocab *vocab, size_t index)
{
    return &vocab->entries[index];
}

size_t vocab_size(const Vocab *vocab)
{
    return (size_t)vocab->entries[vocab->count - 1].id + 1;
}

void vocab_mark_special(Vocab *vocab, const char *piece)
{
    int32_t index = str_map_get(vocab->map, piece, strlen(piece), -1);

    if (index >= 0) vocab->entries[index].special = true;
}

const char *vocab_path(const Vocab *vocab)
{
    return vocab->path;
}
