/* shortlist_binary.c - reads Marian's binary shortlists (shortlist.h).
 *     u64  magic, checksum, first, best, offset_count, id_count
 *     u64  offsets[offset_count]    start of each source id's list, and the end
 *     u32  ids[id_count]            ascending within a list
 * All numbers are little-endian. The mapped file is used in place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shortlist_parts.h"

uint64_t shortlist_checksum(const unsigned char *bytes, size_t size)
{
    const uint64_t *words = (const uint64_t *)(const void *)bytes;
    uint64_t sum = 0;

    for (size_t i = SHORTLIST_HASHED_FROM; i < size / sizeof *words; i++)
        sum ^= words[i] + UINT64_C(0x9e3779b9) + (sum << 6) + (sum >> 2);
    return sum;
}

/* Checks the counts in the header against the size of the file. */
static Status check_size(const uint64_t *head, size_t size, const char *path, Err *err)
{
    uint64_t left = size - SHORTLIST_HEAD_WORDS * sizeof *head;

    if (head[4] <= left / 8 && head[5] <= left / 4 && head[4] * 8 + head[5] * 4 == left) return OK;
    return err_set(err, ERR_FORMAT,
                   "%s: a shortlist of %" PRIu64 " offsets and %" PRIu64
                   " ids is not %zu bytes long: the file is truncated or corrupt",
                   path, head[4], head[5], size);
}

/* The embedding matrix may have padding rows that the shortlist does not count. */
static Status check_vocabulary(const uint64_t *head, const ShortlistVocabulary *v, const char *path, Err *err)
{
    if (head[4] >= 2 && head[4] - 1 <= v->source_size && head[4] >= v->source_used) return OK;
    return err_set(err, ERR_FORMAT, "%s: is for a source vocabulary of %" PRIu64 " ids, but the model's has %zu", path,
                   head[4] ? head[4] - 1 : 0, v->source_used);
}

static Status check_lists(const Shortlist *s, uint64_t id_count, size_t target_size, const char *path, Err *err)
{
    for (size_t i = 0; i <= s->source_size; i++)
        if (s->offsets[i] > id_count || (i && s->offsets[i] < s->offsets[i - 1]))
            return err_set(err, ERR_FORMAT,
                           "%s: the list of source id %zu ends at %" PRIu64 ", but there are %" PRIu64 " ids", path,
                           i ? i - 1 : 0, s->offsets[i], id_count);
    for (uint64_t i = 0; i < id_count; i++)
        if (s->ids[i] < 0 || (size_t)s->ids[i] >= target_size)
            return err_set(err, ERR_FORMAT, "%s: target id %" PRIu32 " is outside the model's vocabulary of %zu ids",
                           path, (uint32_t)s->ids[i], target_size);
    return OK;
}

/* Returns the file as words: in place, or a copy if an archive stores it unaligned. NULL: out of memory. */
static const uint64_t *words_of(Shortlist *s)
{
    const unsigned char *data = s->file.data;

    if ((uintptr_t)data % sizeof(uint64_t) == 0) return (const uint64_t *)(const void *)data;
    s->own_offsets = malloc(s->file.size);
    return s->own_offsets ? memcpy(s->own_offsets, data, s->file.size) : NULL;
}

Status shortlist_read_binary(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                             ShortlistLimits limits, Err *err)
{
    const uint64_t *head;
    size_t size = out->file.size;
    Status st;

    if (size < SHORTLIST_HEAD_WORDS * sizeof *head)
        return err_set(err, ERR_FORMAT, "%s: a shortlist of %zu bytes is truncated", path, size);
    if (limits.best >= 0)
        return err_set(err, ERR_USAGE,
                       "%s: this binary shortlist has no probabilities; " SETTING(SHORTLIST_BEST) " cannot be used",
                       path);
    head = words_of(out);
    if (!head) return err_memory(err, "a shortlist");
    st = check_size(head, size, path, err);
    if (st == OK && shortlist_checksum((const unsigned char *)head, size) != head[1])
        st = err_set(err, ERR_FORMAT, "%s: checksum mismatch: the shortlist is corrupt; download it again", path);
    if (st == OK) st = check_vocabulary(head, vocabulary, path, err);
    if (st != OK) return st;
    out->first = limits.first >= 0 ? (size_t)limits.first : head[2];
    if (out->first > vocabulary->target_size) out->first = vocabulary->target_size;
    out->shared = vocabulary->shared;
    out->filled = true;
    out->source_size = head[4] - 1;
    out->offsets = head + SHORTLIST_HEAD_WORDS;
    out->ids = (const int32_t *)(const void *)(out->offsets + head[4]);
    return check_lists(out, head[5], vocabulary->target_size, path, err);
}
