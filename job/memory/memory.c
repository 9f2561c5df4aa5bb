/* memory.c - see memory.h. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory_file.h"
#include "memory_map.h"
#include "memory_parts.h"
#include "memory_tmx.h"
#include "memory_tsv.h"
#include "output.h"
#include "str_map.h"
#include "text.h"
#include "utf8.h"

struct Memory {
    MemoryFile file;
    MemoryMap *map;
    const Reporter *reporter;
    bool lacks_newline; /* at the end of the file */

    /* The thread that adds. */
    MemorySearch search;
    Buf row;
    StrMap *rows; /* hashes of those added */
    size_t found, translated, added;

    /* TMX */
    bool is_tmx;
    Arena *texts;
    TmxPlace place;
    Buf units; /* added */
};

/* --- Reading ----------------------------------------------------------------- */

/* Removes the row that a process which was killed has left incomplete. */
static Status read_rows(Memory *m, bool quiet, Err *err)
{
    MemoryTsvEnd end;
    Status st = memory_tsv_read(m->map, m->file.name, m->file.bytes.data, m->file.bytes.len, &end, err);

    if (st != OK) return st;
    m->lacks_newline = end.lacks_newline;
    if (!end.torn_line) return OK;
    if (!quiet)
        reporter_say(m->reporter, "warning: %s:%zu: the last line is incomplete and was removed", m->file.name,
                     end.torn_line);
    return memory_file_truncate(&m->file, end.complete, err);
}

static Status read_units(Memory *m, const char *target, Err *err)
{
    MemoryTmx tmx = { .name = m->file.name,
                      .bytes = m->file.bytes.data ? m->file.bytes.data : "",
                      .size = m->file.bytes.len,
                      .target = target,
                      .map = m->map };
    Status st = arena_new(&m->texts, err);

    tmx.texts = m->texts;
    return st == OK ? memory_tmx_read(&tmx, &m->place, err) : st;
}

Status memory_open(Memory **out, const char *path, const char *target, const Reporter *reporter, bool quiet, Err *err)
{
    Memory *m = calloc(1, sizeof *m);
    Status st;

    *out = NULL;
    if (!m) return err_memory(err, "the translation memory");
    m->reporter = reporter;
    m->is_tmx = text_ends_with_case(path, ".tmx");
    m->file.fd = -1;
    st = memory_map_new(&m->map, err);
    if (st == OK) st = str_map_new(&m->rows, err);
    if (st == OK) st = memory_file_open(&m->file, path, err);
    if (st == OK) st = m->is_tmx ? read_units(m, target, err) : read_rows(m, quiet, err);
    if (st == OK)
        *out = m;
    else
        memory_free(m);
    return st;
}

static bool is_same(const Memory *m, const struct stat *info)
{
    return info->st_dev == m->file.info.st_dev && info->st_ino == m->file.info.st_ino;
}

bool memory_is_at(const Memory *m, const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && is_same(m, &info);
}

bool memory_is_open_as(const Memory *m, int descriptor)
{
    struct stat info;

    return fstat(descriptor, &info) == 0 && is_same(m, &info);
}

/* --- Finding ----------------------------------------------------------------- */

void memory_search_free(MemorySearch *s)
{
    buf_free(&s->parts);
    free(s->kept);
    free(s->places);
    *s = (MemorySearch){ .kept = NULL };
}

static Status prepare(MemorySearch *s, const UnitText *text, Err *err)
{
    Status st = buf_grow_list(&s->kept, &s->kept_capacity, 0, text->kept_count + 1, sizeof *s->kept, "a search", err);

    buf_reuse(&s->parts);
    if (st == OK)
        st = buf_grow_list(&s->places, &s->capacity, 0, text->markup_count + 1, sizeof *s->places, "a search", err);
    return st == OK ? memory_parts_append(&s->parts, text, NULL, err) : st;
}

static MemoryText text_of(const Buf *buf)
{
    return (MemoryText){ buf->data, buf->len };
}

static bool is_line(MemoryText text)
{
    return !memchr(text.text, '\n', text.length);
}

/* The identity of the models, settings and terms, and of how the text is split. */
static uint64_t identity_of(const MemoryContext *context)
{
    Hash64 hash = hash64_begin();

    if (!context->term_count && !context->is_unit) return context->identity;
    hash64_add_number(&hash, context->identity);
    hash64_add_number(&hash, context->is_unit);
    for (size_t i = 0; i < context->term_count; i++) {
        const TermMatch *term = &context->terms[i];
        hash64_add_number(&hash, term->place.begin);
        hash64_add_number(&hash, term->place.end);
        hash64_add_number(&hash, term->form_count);
        for (size_t k = 0; k < term->form_count; k++) hash64_add(&hash, term->forms[k], strlen(term->forms[k]) + 1);
    }
    return hash64_end(&hash);
}

Status memory_find(const Memory *m, MemorySearch *s, const MemoryContext *context, const UnitText *text, bool *found,
                   MemoryHit *hit, Err *err)
{
    MemoryQuery query = { context->from, context->to, identity_of(context), { text->text, text->length }, { NULL, 0 } };
    MemoryText parts;
    Status st = prepare(s, text, err);

    *found = false;
    if (st != OK) return st;
    query.parts = text_of(&s->parts);
    *hit = (MemoryHit){ .kept = s->kept };
    *found = memory_map_find_given(m->map, &query, &hit->target) && is_line(hit->target) &&
             memory_parts_find_kept(text, hit->target, s->kept);
    if (*found) return OK;
    *found = memory_map_find_made(m->map, &query, &hit->target, &parts) && is_line(hit->target) &&
             memory_parts_read(parts, text, hit->target, s->kept, s->places);
    hit->places = s->places;
    return OK;
}

Status memory_recall(Memory *m, const MemoryContext *context, const UnitText *text, bool *found, MemoryHit *hit,
                     Err *err)
{
    Status st = memory_find(m, &m->search, context, text, found, hit, err);

    if (st == OK) ++*(*found ? &m->found : &m->translated);
    return st;
}

/* --- Adding ------------------------------------------------------------------ */

static MemoryText text_named(const char *name)
{
    return (MemoryText){ name ? name : "", name ? strlen(name) : 0 };
}

static Status append_row(Memory *m, const MemoryRow *row, Err *err)
{
    buf_reuse(&m->row);
    if (m->is_tmx) return tmx_writer_append(&m->row, row, err);
    if (m->lacks_newline) buf_put_byte(&m->row, '\n');
    return memory_row_append(&m->row, row, err);
}

/* Writes the row, unless an equal one was added before. */
static Status write_row(Memory *m, Err *err)
{
    const size_t skipped = m->lacks_newline ? 1 : 0;
    uint64_t hash;
    bool is_new;
    Status st;

    if (!m->row.len) return OK;
    hash = hash64_of(m->row.data + skipped, m->row.len - skipped);
    st = str_map_add(m->rows, (const char *)&hash, sizeof hash, 0, &is_new, err);
    if (st != OK || !is_new) return st;
    m->added++;
    m->lacks_newline = false;
    if (!m->is_tmx) return memory_file_append(&m->file, m->row.data, m->row.len, err);
    buf_put(&m->units, m->row.data, m->row.len);
    return buf_check(&m->units, err);
}

Status memory_learn(Memory *m, const MemoryContext *context, const UnitText *text, const Rendering *made, Err *err)
{
    MemoryRow row = { .is_made = true,
                      .identity = identity_of(context),
                      .from = text_named(context->from),
                      .to = text_named(context->to),
                      .source = { text->text, text->length },
                      .target = { made->text, made->length } };
    Status st;

    if (!is_line(row.target) || utf8_leading_space(made->text, made->length) == made->length) return OK;
    buf_reuse(&m->search.parts);
    st = memory_parts_append(&m->search.parts, text, made, err);
    row.parts = text_of(&m->search.parts);
    if (st == OK) st = append_row(m, &row, err);
    return st == OK ? write_row(m, err) : st;
}

static Status write_tmx(Memory *m, Output *out, Err *err)
{
    Status st = output_choose(out, m->file.name, m->reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK) st = tmx_writer_insert(&out->buffer, m->file.bytes.data, m->file.bytes.len, m->place, &m->units, err);
    return st == OK ? output_finish(out, err) : st;
}

/* A new TMX file, which is empty so far, becomes a memory without entries. */
Status memory_finish(Memory *m, Err *err)
{
    Output out;
    Status st;

    if (!m->is_tmx || (!m->units.len && m->file.bytes.len)) return OK;
    st = write_tmx(m, &out, err);
    output_abandon(&out);
    return st;
}

void memory_free(Memory *m)
{
    if (!m) return;
    memory_file_close(&m->file);
    memory_map_free(m->map);
    str_map_free(m->rows);
    memory_search_free(&m->search);
    buf_free(&m->row);
    buf_free(&m->units);
    arena_free(m->texts);
    free(m);
}

void memory_report(const Memory *m)
{
    reporter_say(m->reporter, "memory: %zu text%s found, %zu translated, %zu added", m->found, plural(m->found),
                 m->translated, m->added);
}
