/* vocab.c - see vocab.h. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "str_map.h"
#include "text.h"
#include "tree_file.h"
#include "utf8.h"

/* The radix sort of the ids takes this many bits as a digit. */
#define DIGIT_BITS 9
#define DIGIT_MASK ((1 << DIGIT_BITS) - 1)

typedef struct {
    VocabEntry entry;
    uint32_t index; /* number of its piece in `map` */
} Item;

struct Vocab {
    char *path;
    Item *items; /* [count], sorted by id once it is complete */
    size_t count, cap;
    StrMap *map;  /* piece -> id */
    size_t lines; /* see vocab_lines(); 0: not set */
};

static int compare_to_id(const void *key, const void *item)
{
    int32_t id = *(const int32_t *)key, other = ((const Item *)item)->entry.id;

    return (id > other) - (id < other);
}

Status vocab_new(Vocab **out, const char *path, Err *err)
{
    Vocab *vocab = calloc(1, sizeof *vocab);
    Status st;

    *out = NULL;
    if (vocab) vocab->path = strdup(path);
    st = vocab && vocab->path ? str_map_new(&vocab->map, err) : err_memory(err, "a vocabulary");
    if (st == OK)
        *out = vocab;
    else
        vocab_free(vocab);
    return st;
}

static Status check_id(const Vocab *vocab, const char *piece, size_t len, int32_t id, Err *err)
{
    if (id >= 0 && id <= VOCAB_MAX_ID) return OK;
    return err_set(err, ERR_FORMAT, "%s: the id of \"%.*s\" must be a whole number from 0 to %d", vocab->path, (int)len,
                   piece, VOCAB_MAX_ID);
}

static Status twice_fault(const Vocab *vocab, const char *piece, size_t len, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: \"%.*s\" appears twice", vocab->path, (int)len, piece);
}

Status vocab_add(Vocab *vocab, const char *piece, size_t len, int32_t id, Err *err)
{
    bool added = false;
    Status st = check_id(vocab, piece, len, id, err);

    if (memchr(piece, '\0', len)) return err_set(err, ERR_FORMAT, "%s: a piece contains a NUL byte", vocab->path);
    if (st == OK)
        st = buf_grow_list(&vocab->items, &vocab->cap, vocab->count, 1, sizeof *vocab->items, "a vocabulary", err);
    if (st == OK) st = str_map_add(vocab->map, piece, len, id, &added, err);
    if (st == OK && !added) return twice_fault(vocab, piece, len, err);
    if (st == OK) vocab->items[vocab->count++] = (Item){ { id, false, NULL }, (uint32_t)str_map_count(vocab->map) - 1 };
    return st;
}

Status vocab_add_second_id(Vocab *vocab, size_t first, int32_t id, Err *err)
{
    Status st = buf_grow_list(&vocab->items, &vocab->cap, vocab->count, 1, sizeof *vocab->items, "a vocabulary", err);

    if (st == OK) vocab->items[vocab->count++] = (Item){ { id, false, NULL }, vocab->items[first].index };
    return st;
}

int32_t vocab_id(const Vocab *vocab, const char *piece, size_t len)
{
    return str_map_get(vocab->map, piece, len, -1);
}

/* Sorts by id; entries with equal ids stay in the order in which they were added. */
static Status sort_items(Vocab *vocab, Err *err)
{
    int32_t largest = 0;
    bool ordered = true;
    Item *other;

    if (vocab->count == 0) return err_set(err, ERR_FORMAT, "%s: no pieces", vocab->path);
    for (size_t i = 0; i < vocab->count; i++) {
        VocabEntry *entry = &vocab->items[i].entry;
        entry->piece = str_map_key(vocab->map, vocab->items[i].index);
        if (entry->id < largest) ordered = false;
        if (entry->id > largest) largest = entry->id;
    }
    if (ordered) return OK;
    other = malloc(vocab->cap * sizeof *other);
    if (!other) return err_memory(err, "a vocabulary");
    for (unsigned shift = 0; largest >> shift; shift += DIGIT_BITS) {
        Item *from = vocab->items;
        /* One pass of a stable radix sort, by the digit of the ids that begins at bit `shift`. */
        size_t places[(1 << DIGIT_BITS) + 1] = { 0 };
        for (size_t i = 0; i < vocab->count; i++) places[(from[i].entry.id >> shift & DIGIT_MASK) + 1]++;
        for (size_t d = 1; d <= DIGIT_MASK; d++) places[d] += places[d - 1];
        for (size_t i = 0; i < vocab->count; i++) other[places[from[i].entry.id >> shift & DIGIT_MASK]++] = from[i];
        vocab->items = other;
        other = from;
    }
    free(other);
    return OK;
}

Status vocab_complete(Vocab *vocab, bool shares_ids, Err *err)
{
    size_t kept = 0;
    Status st = sort_items(vocab, err);

    for (size_t i = 0; st == OK && i < vocab->count; i++) {
        const VocabEntry *last = kept ? &vocab->items[kept - 1].entry : NULL, *entry = &vocab->items[i].entry;
        if (!last || last->id != entry->id)
            vocab->items[kept++] = vocab->items[i];
        else if (!shares_ids)
            return err_set(err, ERR_FORMAT, "%s: \"%s\" and \"%s\" have the same id %d", vocab->path, last->piece,
                           entry->piece, (int)entry->id);
    }
    if (st == OK) vocab->count = kept;
    return st;
}

static Status append_member(void *context, const char *key, size_t len, int32_t id, Err *err)
{
    const Vocab *vocab = context;
    const Status st = check_id(vocab, key, len, id, err);

    return st == OK ? str_map_append(vocab->map, key, len, id, err) : st;
}

/* Lists the entries of the map. If their ids are 0, 1, ... without a gap, as in most files, every entry gets its place
 * at once. Otherwise *complete is false, and they have the order of the file. */
static Status list_items(Vocab *vocab, bool *complete, Err *err)
{
    const size_t count = vocab->count = str_map_count(vocab->map);
    Item *items = vocab->items = zeroed_table(count + 1, sizeof *items);

    *complete = count > 0;
    if (!items) return err_memory(err, "a vocabulary");
    vocab->cap = count + 1;
    for (size_t i = 0; i < count && *complete; i++) {
        const int32_t id = str_map_value(vocab->map, i);
        *complete = (size_t)id < count && !items[id].entry.piece;
        if (*complete) items[id] = (Item){ { id, false, str_map_key(vocab->map, i) }, (uint32_t)i };
    }
    for (size_t i = 0; i < count && !*complete; i++)
        items[i] = (Item){ { str_map_value(vocab->map, i), false, NULL }, (uint32_t)i };
    return OK;
}

/* Reads a file with the fast parser. *plain is false if that cannot read it. */
static Status read_plain(Vocab *vocab, const FileView *file, bool *plain, Err *err)
{
    size_t duplicate;
    bool complete = true;
    Status st = json_ids_read((const char *)file->map.data, file->map.size, append_member, vocab, plain, err);

    if (st != OK || !*plain) return st;
    st = str_map_index(vocab->map, &duplicate, err);
    if (st == OK && duplicate < str_map_count(vocab->map)) {
        const char *piece = str_map_key(vocab->map, duplicate);
        st = twice_fault(vocab, piece, strlen(piece), err);
    }
    if (st == OK) st = list_items(vocab, &complete, err);
    return st == OK && !complete ? vocab_complete(vocab, false, err) : st;
}

/* Reads a file of any kind. */
static Status read_tree(Vocab *vocab, const FileView *file, Err *err)
{
    const bool yaml = text_ends_with(file->path, ".yml") || text_ends_with(file->path, ".yaml");
    cJSON *json = NULL;
    Status st = tree_file_parse(&json, &file->map, file->path, yaml ? TREE_YAML : TREE_JSON_OBJECT, NULL, err);

    for (const cJSON *node = json ? json->child : NULL; st == OK && node; node = node->next) {
        int64_t id = -1;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id)) id = -1; /* vocab_add() rejects it and names the piece */
        st = vocab_add(vocab, node->string, strlen(node->string), (int32_t)id, err);
    }
    cJSON_Delete(json);
    return st == OK ? vocab_complete(vocab, false, err) : st;
}

Status vocab_read(Vocab **out, const FileView *file, Err *err)
{
    bool plain = true;
    Status st = vocab_new(out, file->path, err);

    if (st == OK) st = read_plain(*out, file, &plain, err);
    if (!plain) {
        vocab_free(*out);
        st = vocab_new(out, file->path, err);
        if (st == OK) st = read_tree(*out, file, err);
    }
    if (st != OK) {
        vocab_free(*out);
        *out = NULL;
    }
    return st;
}

void vocab_free(Vocab *vocab)
{
    if (!vocab) return;
    free(vocab->path);
    free(vocab->items);
    str_map_free(vocab->map);
    free(vocab);
}

const VocabEntry *vocab_find(const Vocab *vocab, const char *piece, size_t len)
{
    return vocab_entry(vocab, vocab_id(vocab, piece, len));
}

/* If there are no gaps between ids, an id is the index of its item. */
static Item *find_item(const Vocab *vocab, int32_t id)
{
    if (id < 0 || !vocab->count) return NULL;
    if ((size_t)id < vocab->count && vocab->items[id].entry.id == id) return &vocab->items[id];
    return bsearch(&id, vocab->items, vocab->count, sizeof *vocab->items, compare_to_id);
}

const VocabEntry *vocab_entry(const Vocab *vocab, int32_t id)
{
    const Item *item = find_item(vocab, id);

    return item ? &item->entry : NULL;
}

size_t vocab_count(const Vocab *vocab)
{
    return vocab->count;
}

const VocabEntry *vocab_at(const Vocab *vocab, size_t index)
{
    return &vocab->items[index].entry;
}

size_t vocab_size(const Vocab *vocab)
{
    return (size_t)vocab->items[vocab->count - 1].entry.id + 1;
}

size_t vocab_lines(const Vocab *vocab)
{
    return vocab->lines ? vocab->lines : vocab_size(vocab);
}

void vocab_mark_special(Vocab *vocab, const char *piece)
{
    Item *item = find_item(vocab, vocab_id(vocab, piece, strlen(piece)));

    if (item) item->entry.special = true;
}

const char *vocab_path(const Vocab *vocab)
{
    return vocab->path;
}

bool vocab_is_byte_level(const Vocab *vocab)
{
    return vocab_id(vocab, "\xc4\x89", 2) >= 0 && vocab_id(vocab, "\xc4\x8a", 2) >= 0 &&
           vocab_id(vocab, "\xc4\xa0", 2) >= 0;
}

bool vocab_has_pieces(const Vocab *vocab)
{
    if (vocab_is_byte_level(vocab)) return true;
    for (size_t i = 0; i < vocab_count(vocab); i++) {
        const char *text = vocab_at(vocab, i)->piece;
        const size_t len = strlen(text);
        const bool is_space = strcmp(text, "\xe2\x96\x81") == 0; /* does not count: word lists also have it */
        if (is_space) continue;
        if (strncmp(text, "\xe2\x96\x81", 3) == 0 || strstr(text, "\xef\xbf\xad")) return true;
        if (len > 2 && strcmp(text + len - 2, "@@") == 0) return true;
    }
    return false;
}

/* --- Words. --- */

/* Adds the token of a line, which may end with a carriage return. */
static Status add_line(Vocab *vocab, size_t line, const char *token, size_t len, Err *err)
{
    size_t clean;

    if (len && token[len - 1] == '\r') len--;
    if (!len) return OK;
    if (line > VOCAB_MAX_ID) return err_set(err, ERR_FORMAT, "%s: more than %d lines", vocab->path, VOCAB_MAX_ID);
    clean = utf8_clean_length(token, len);
    if (clean < len)
        return err_set(err, ERR_FORMAT, "%s: line %zu: %s", vocab->path, line + 1,
                       token[clean] ? "ill-formed UTF-8" : "a NUL byte");
    if (vocab_id(vocab, token, len) >= 0)
        return err_set(err, ERR_FORMAT, "%s: lines %d and %zu have the same token \"%.*s\"", vocab->path,
                       (int)vocab_id(vocab, token, len) + 1, line + 1, (int)(len < 100 ? len : 100), token);
    return vocab_add(vocab, token, len, (int32_t)line, err);
}

Status word_list_read(Vocab **out, const FileView *file, Err *err)
{
    const char *text = (const char *)file->map.data, *end = text ? text + file->map.size : NULL;
    size_t line = 0;
    Status st = vocab_new(out, file->path, err);

    for (; st == OK && text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        st = add_line(*out, line, text, (size_t)(stop - text), err);
        text = stop < end ? stop + 1 : end;
    }
    if (st == OK) st = vocab_complete(*out, false, err);
    if (st == OK) {
        (*out)->lines = line;
        return OK;
    }
    vocab_free(*out);
    *out = NULL;
    return st;
}

bool word_list_next(const char *text, size_t len, size_t *at, const char **word, size_t *word_len)
{
    size_t start = *at, step;
    uint32_t code;

    while (start < len) {
        step = utf8_next(text + start, len - start, &code);
        if (!utf8_is_space(code)) break;
        start += step;
    }
    *at = start;
    while (*at < len) {
        step = utf8_next(text + *at, len - *at, &code);
        if (utf8_is_space(code)) break;
        *at += step;
    }
    *word = text + start;
    *word_len = *at - start;
    return *word_len > 0;
}
