/* added.c - see added.h. Follows tokenize() of transformers 4.57.1, tokenization_utils.py: a token can absorb the white
 * space before it (lstrip) or after it (rstrip), or count as text when it is only a part of a word (single_word).
 * The slow classes drop a space before a token. The tokenizers library keeps it as a separate piece, unless
 * its normalizer removes spaces at the ends. It first splits the text at the tokens without `normalized` and normalizes
 * the parts between them; then it looks for the other tokens. */
#include "added.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "str_map.h"
#include "utf8.h"

/* Longer tokens are not matched. */
#define LONGEST 256

struct Added {
    const TokenConfig *config; /* the values of `map` are indexes in config->added */
    AddedSpace space;
    StrMap *map;
    bool lengths[LONGEST + 1]; /* lengths that some token has */
    size_t longest;
};

void added_free(Added *added)
{
    if (!added) return;
    str_map_free(added->map);
    free(added);
}

Status added_new(Added **out, const TokenConfig *config, const SpModel *model, AddedSpace space, Err *err)
{
    StrMap *pieces = NULL;
    Added *added;
    bool any = false, is_new;
    Status st;

    *out = NULL;
    for (size_t i = 0; i < config->added_count; i++) any = any || !config->added[i].special || config->added[i].control;
    if (!any) return OK;
    added = calloc(1, sizeof *added);
    if (!added) return err_memory(err, "the added tokens");
    added->config = config;
    added->space = space;
    st = str_map_new(&pieces, err);
    /* A model that adds no space before a text would lose the space before a token that is split off. Its own pieces
     * are therefore not split off: the model finds them itself. It cannot find a piece with a space, because it
     * replaces all spaces first. With merges, it finds no symbols. */
    const SpTraits *traits = &model->traits;
    const bool finds =
        !traits->normalizer.add_dummy_prefix && !traits->byte_level && !traits->moses && !traits->pieces->merges;
    for (size_t i = 0; st == OK && finds && i < sp_shim_piece_count(model); i++) {
        const char *piece = sp_shim_piece(model, i);
        if (!strchr(piece, ' ')) st = str_map_add(pieces, piece, strlen(piece), 0, &is_new, err);
    }
    if (st == OK) st = str_map_new(&added->map, err);
    for (size_t i = 0; st == OK && i < config->added_count; i++) {
        const AddedToken *token = &config->added[i];
        const size_t len = strlen(token->text);
        if (!len || len > LONGEST) continue;
        if (!token->control && (token->special || str_map_get(pieces, token->text, len, -1) == 0)) continue;
        st = str_map_add(added->map, token->text, len, (int32_t)i, &is_new, err);
        added->lengths[len] = true;
        if (len > added->longest) added->longest = len;
    }
    str_map_free(pieces);
    if (st == OK && added->longest) {
        *out = added;
        added = NULL;
    }
    added_free(added);
    return st;
}

bool added_has(const Added *added, const char *piece)
{
    return added && str_map_get(added->map, piece, strlen(piece), -1) >= 0;
}

/* A token, or the text between two tokens. */
typedef struct {
    Buf text;
    RangeList map; /* of `text`, if traced */
    bool is_token; /* unless it has been joined to text */
} Part;

/* The parts of one text. A token that turns out to be part of a word is joined to the text beside it. */
typedef struct {
    const char *text; /* the whole text */
    bool traced;
    Part *list;
    size_t count, cap;
} Parts;

static Status add_part(Parts *parts, size_t begin, size_t end, bool is_token, Err *err)
{
    Part *part;
    Status st;

    if (begin == end) return OK;
    st = buf_grow_list(&parts->list, &parts->cap, parts->count, 1, sizeof *parts->list, "a text", err);
    if (st != OK) return st;
    part = &parts->list[parts->count++];
    *part = (Part){ .is_token = is_token };
    buf_put(&part->text, parts->text + begin, end - begin);
    if (parts->traced) ranges_put_bytes(&part->map, begin, end);
    st = buf_check(&part->text, err);
    return st == OK ? ranges_check(&part->map, err) : st;
}

static const AddedToken *token_of(const Added *added, const Part *part)
{
    const Buf *text = &part->text;
    int32_t index = part->is_token && text->len ? str_map_get(added->map, text->data, text->len, -1) : -1;

    return index < 0 ? NULL : &added->config->added[index];
}

/* Moves the text of `from` to the end of `to`. */
static Status join_left(Part *to, Part *from, Err *err)
{
    Status st;

    buf_put(&to->text, from->text.data, from->text.len);
    ranges_put_all(&to->map, from->map.data, from->map.len);
    buf_clear(&from->text);
    ranges_clear(&from->map);
    st = buf_check(&to->text, err);
    return st == OK ? ranges_check(&to->map, err) : st;
}

/* Removes the white space that a token absorbs, and turns a single_word token into text if it is only a part of a word:
 * the characters beside the token decide, before white space is removed. */
static Status apply_flags(Parts *parts, size_t i, const AddedToken *token, Err *err)
{
    Part *part = &parts->list[i];
    Part *left = i && part[-1].text.len ? part - 1 : NULL;
    Part *right = i + 1 < parts->count && part[1].text.len ? part + 1 : NULL;
    bool inside_left = token->single_word && left && left->text.data[left->text.len - 1] != ' ';
    bool inside_right = token->single_word && right && right->text.data[0] != ' ';

    if (token->rstrip && right) {
        const size_t count = utf8_leading_space(right->text.data, right->text.len);
        right->text.len -= count;
        memmove(right->text.data, right->text.data + count, right->text.len + 1);
        if (right->map.len) {
            right->map.len -= count;
            memmove(right->map.data, right->map.data + count, right->map.len * sizeof *right->map.data);
        }
    }
    if (token->lstrip && left) {
        const size_t count = utf8_trailing_space(left->text.data, left->text.len);
        left->text.len -= count;
        left->text.data[left->text.len] = '\0';
        if (left->map.len) left->map.len -= count;
    }
    if (inside_left) return join_left(left, part, err);
    if (inside_right) {
        const Status st = join_left(part, right, err);
        const Part empty = *right;
        *right = *part;
        *part = empty;
        return st;
    }
    return OK;
}

/* Whether a space at the end of part `i` stays because of the token after it. */
static bool keeps_end(const Added *added, const Parts *parts, size_t i)
{
    const AddedToken *next = NULL;

    if (added->space == ADDED_SPACE_DROPPED || token_of(added, &parts->list[i])) return false;
    for (i++; i < parts->count && !parts->list[i].text.len;) i++;
    if (i < parts->count) next = token_of(added, &parts->list[i]);
    return next && (next->normalized || added->space == ADDED_SPACE_KEPT);
}

bool added_begins_with_space(AddedSpace space, const char *text, size_t len)
{
    return space != ADDED_SPACE_DROPPED && len && *text == ' ';
}

/* The length of the longest token that the text has at byte `at`, or 0. `limit`: a control token must end here. */
static size_t token_length(const Added *added, LineText text, size_t at, size_t limit)
{
    size_t size = text.len - at < added->longest ? text.len - at : added->longest;

    for (; size; size--) {
        const int32_t found = added->lengths[size] ? str_map_get(added->map, text.data + at, size, -1) : -1;
        if (found >= 0 && (at + size <= limit || !added->config->added[found].control)) break;
    }
    return size;
}

Status added_split(const Added *added, LineText text, const RangeList *own, bool traced, AddedFn each, void *context,
                   Err *err)
{
    Parts parts = { .text = text.data, .traced = traced };
    const AddedToken *token;
    size_t start = 0, at = 0, next = 0; /* next: the first range that does not end before `at` */
    Status st = OK;

    while (st == OK && at < text.len) {
        while (own && next < own->len && own->data[next].end <= at) next++;
        const Range hole = !own              ? (Range){ 0, text.len }
                           : next < own->len ? own->data[next]
                                             : (Range){ text.len, text.len };
        const size_t size = token_length(added, text, at, hole.begin > at ? hole.begin : at);
        if (!size) {
            at++;
            continue;
        }
        st = add_part(&parts, start, at, false, err);
        if (st == OK) st = add_part(&parts, at, at + size, true, err);
        start = at += size;
    }
    if (st == OK) st = add_part(&parts, start, text.len, false, err);

    for (size_t i = 0; st == OK && i < parts.count; i++)
        if ((token = token_of(added, &parts.list[i]))) st = apply_flags(&parts, i, token, err);
    for (size_t i = 0; st == OK && i < parts.count; i++) {
        const Part *from = &parts.list[i];
        const bool has_space = i && added_begins_with_space(added->space, from->text.data, from->text.len);
        const AddedPart part = { from->text.data,       from->text.len, &from->map,
                                 token_of(added, from), has_space,      keeps_end(added, &parts, i) };

        st = part.len ? each(context, &part, err) : OK;
    }
    for (size_t i = 0; i < parts.count; i++) {
        buf_free(&parts.list[i].text);
        ranges_free(&parts.list[i].map);
    }
    free(parts.list);
    return st;
}
