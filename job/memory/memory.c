/* memory.c - see memory.h. */
#define _DEFAULT_SOURCE /* flock() */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "output.h"
#include "path.h"
#include "str_map.h"
#include "temporary_file.h"
#include "text.h"
#include "utf8.h"

#define MOST_TRIES 100 /* attempts to lock the file, which other processes may replace */

struct Memory {
    const Memory *of; /* the owner of the map and of the file; NULL: this memory */
    MemoryMap *map;
    const Reporter *reporter;

    /* The file. */
    const char *name;
    bool read_only;
    int fd;
    struct stat info;   /* when it was opened */
    Buf bytes;          /* the content of the file when it was opened; reading the rows changes these bytes */
    size_t size;        /* bytes in the file now */
    bool lacks_newline; /* the last row does not end with a newline */

    /* The thread that adds. */
    MemorySearch search;
    Buf row;
    StrMap *rows; /* the hashes of the rows that this thread has added */
    size_t found, translated, added;

    /* TMX */
    bool is_tmx;
    Arena *texts;
    TmxPlace place;
    Buf units; /* the units that were added */
};

/* --- The file ---------------------------------------------------------------- */

static Status fail(const Memory *m, int code, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", m->name, strerror(code));
}

/* Readers do not lock: rows are written as a whole, and a TMX file is replaced as a whole. */
static Status open_and_lock(Memory *m, Err *err)
{
    const int access = m->read_only ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND;
    int locked;

    m->fd = open(m->name, access | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (m->fd < 0 || fstat(m->fd, &m->info) != 0) return fail(m, errno, err);
    if (!S_ISREG(m->info.st_mode))
        return err_set(err, ERR_IO, "%s: a translation memory must be a regular file", m->name);
    if (m->read_only) return OK;
    do locked = flock(m->fd, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    if (locked == 0) return OK;
    if (errno == EWOULDBLOCK)
        return err_set(err, ERR_IO,
                       "%s: another dragoman is using this translation memory; wait for it, or use another file",
                       m->name);
    return err_set(err, ERR_IO, "%s: cannot lock the translation memory: %s", m->name, strerror(errno));
}

/* Opens, locks and reads the file; creates it if it does not exist. */
static Status open_file(Memory *m, Err *err)
{
    Status st = OK;

    /* Before this process locked the file, another one may have replaced it. Then the name leads to another file. */
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        st = open_and_lock(m, err);
        if (st == OK && memory_is_at(m, m->name)) break;
        if (m->fd >= 0) close(m->fd);
        m->fd = -1;
        if (st != OK) return st;
    }
    if (m->fd < 0) return err_set(err, ERR_IO, "%s: other programs keep replacing the file", m->name);
    if (m->info.st_size)
        st = buf_grow_list(&m->bytes.data, &m->bytes.cap, 0, (size_t)m->info.st_size + 1, 1, "the translation memory",
                           err);
    /* another process may have written since the file was examined */
    if (st == OK) st = path_read_all(&m->bytes, m->fd, m->name, SIZE_MAX, err);
    m->size = m->bytes.len;
    return st;
}

/* Reads the rows of a .tsv file, and removes an incomplete last row, which a killed process has left. */
static Status read_rows(Memory *m, bool quiet, Err *err)
{
    MemoryTsvEnd end;
    Status st = memory_tsv_read(m->map, m->name, m->bytes.data, m->bytes.len, &end, err);

    if (st != OK) return st;
    m->lacks_newline = end.lacks_newline;
    if (!end.torn_line || m->read_only) return OK;
    if (!quiet)
        reporter_say(m->reporter, "warning: %s:%zu: the last line is incomplete and was removed", m->name,
                     end.torn_line);
    if (ftruncate(m->fd, (off_t)end.complete) != 0) return fail(m, errno, err);
    m->size = end.complete;
    return OK;
}

Status memory_open(Memory **out, const MemoryPlan *plan, Err *err)
{
    Memory *m = calloc(1, sizeof *m);
    MemoryTmx tmx = { .name = plan->path, .target = plan->target };
    Status st;

    *out = NULL;
    if (!m) return err_memory(err, "the translation memory");
    m->reporter = plan->reporter;
    m->is_tmx = text_ends_with_case(plan->path, ".tmx");
    m->name = plan->path;
    m->read_only = plan->read_only;
    m->fd = -1;
    st = memory_map_new(&m->map, err);
    if (st == OK) st = str_map_new(&m->rows, err);
    if (st == OK) st = open_file(m, err);
    if (st == OK && !m->is_tmx) st = read_rows(m, plan->quiet, err);
    if (st == OK && m->is_tmx) st = arena_new(&m->texts, err);
    if (st == OK && m->is_tmx) {
        tmx.bytes = m->bytes.data ? m->bytes.data : "";
        tmx.size = m->bytes.len;
        tmx.map = m->map;
        tmx.texts = m->texts;
        st = memory_tmx_read(&tmx, &m->place, err);
    }
    if (st == OK)
        *out = m;
    else
        memory_free(m);
    return st;
}

Status memory_share(Memory **out, const Memory *of, const Reporter *reporter, Err *err)
{
    Memory *m = *out = calloc(1, sizeof *m);

    if (!m) return err_memory(err, "the translation memory");
    *m = (Memory){ .of = of, .map = of->map, .reporter = reporter, .name = of->name, .fd = -1, .info = of->info };
    return OK;
}

static bool is_same(const Memory *m, const struct stat *info)
{
    return info->st_dev == m->info.st_dev && info->st_ino == m->info.st_ino;
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
    ranges_free(&s->kept);
    ranges_free(&s->places);
}

static bool is_line(LineText text)
{
    return !memchr(text.data, '\n', text.len);
}

/* A hash of the identity of the models and settings, the terms, and whether the text is split into sentences. */
static uint64_t identity_of(const MemoryContext *context)
{
    Hash64 hash = hash64_begin();

    if (!context->term_count && !context->is_unit) return context->identity;
    hash64_add_number(&hash, context->identity);
    hash64_add_number(&hash, context->is_unit);
    if (context->term_count) hash64_add_number(&hash, (uint64_t)context->term_match);
    for (size_t i = 0; i < context->term_count; i++) {
        const TermMatch *term = &context->terms[i];
        hash64_add_number(&hash, term->place.begin);
        hash64_add_number(&hash, term->place.end);
        hash64_add_number(&hash, term->form_count);
        for (size_t k = 0; k < term->form_count; k++) hash64_add(&hash, term->forms[k], strlen(term->forms[k]) + 1);
    }
    return hash64_end(&hash);
}

static LineText text_named(const char *name)
{
    return (LineText){ name ? name : "", name ? strlen(name) : 0 };
}

Status memory_find(const Memory *m, MemorySearch *s, const MemoryContext *context, const UnitText *text, MemoryHit *hit,
                   Err *err)
{
    MemoryRow row = { .from = text_named(context->from),
                      .to = text_named(context->to),
                      .source = { text->text, text->length } };
    Status st;

    *hit = (MemoryHit){ .kept = NULL };
    ranges_clear(&s->kept);
    ranges_clear(&s->places);
    buf_reuse(&s->parts);
    ranges_put(&s->kept, (Range){ 0 }, text->kept_count + 1);
    ranges_put(&s->places, (Range){ 0 }, text->markup_count + 1);
    st = LIST_CHECK(&s->kept, "a search", err);
    if (st == OK) st = LIST_CHECK(&s->places, "a search", err);
    if (st != OK) return st;
    if (memory_map_find(m->map, &row) && is_line(row.target) &&
        memory_parts_find_kept(text, row.target, s->kept.data)) {
        *hit = (MemoryHit){ .target = row.target, .kept = s->kept.data };
        return OK;
    }
    st = memory_parts_append(&s->parts, text, NULL, err);
    if (st != OK) return st;
    row.is_made = true;
    row.identity = identity_of(context);
    row.parts = (LineText){ s->parts.data, s->parts.len };
    if (memory_map_find(m->map, &row) && is_line(row.target) &&
        memory_parts_read(row.parts, text, row.target, s->kept.data, s->places.data))
        *hit = (MemoryHit){ .target = row.target, .kept = s->kept.data, .places = s->places.data };
    return OK;
}

Status memory_recall(Memory *m, const MemoryContext *context, const UnitText *text, MemoryHit *hit, Err *err)
{
    Status st = memory_find(m, &m->search, context, text, hit, err);

    if (st == OK) ++*(hit->target.data ? &m->found : &m->translated);
    return st;
}

/* --- Adding ------------------------------------------------------------------ */

/* Adds a row, unless this thread has already added an equal one. */
Status memory_learn(Memory *m, const MemoryContext *context, const UnitText *text, const Rendering *made, Err *err)
{
    const size_t skipped = m->lacks_newline ? 1 : 0;
    MemoryRow row = { .is_made = true,
                      .identity = identity_of(context),
                      .from = text_named(context->from),
                      .to = text_named(context->to),
                      .source = { text->text, text->length },
                      .target = { made->text, made->length } };
    uint64_t hash;
    bool is_new;
    int fault;
    Status st;

    if (m->of || m->read_only || !is_line(row.target)) return OK;
    if (utf8_is_blank(made->text, made->length)) return OK;
    buf_reuse(&m->search.parts);
    st = memory_parts_append(&m->search.parts, text, made, err);
    if (st != OK) return st;
    row.parts = (LineText){ m->search.parts.data, m->search.parts.len };
    buf_reuse(&m->row);
    if (m->lacks_newline) buf_put_byte(&m->row, '\n');
    st = m->is_tmx ? memory_tmx_append(&m->row, &row, err) : memory_tsv_append(&m->row, &row, err);
    if (st != OK || !m->row.len) return st;
    hash = hash64_of(m->row.data + skipped, m->row.len - skipped);
    st = str_map_add(m->rows, (const char *)&hash, sizeof hash, 0, &is_new, err);
    if (st != OK || !is_new) return st;
    m->added++;
    if (m->is_tmx) {
        buf_put(&m->units, m->row.data, m->row.len);
        return buf_check(&m->units, err);
    }
    fault = write_all(m->fd, m->row.data, m->row.len);
    if (!fault) {
        m->size += m->row.len;
        m->lacks_newline = false;
        return OK;
    }
    (void)!ftruncate(m->fd, (off_t)m->size); /* if this fails, the next run removes the incomplete row */
    return fail(m, fault, err);
}

/* A new TMX file is still empty. Writes it even without new entries, so that it becomes a valid TMX file. */
Status memory_finish(Memory *m, Err *err)
{
    Output out;
    Status st;

    if (m->of || !m->is_tmx || m->read_only || (!m->units.len && m->bytes.len)) return OK;
    st = output_choose(&out, m->name, m->reporter, err);
    if (st == OK) st = output_open(&out, err);
    if (st == OK) st = memory_tmx_insert(&out.buffer, m->bytes.data, m->bytes.len, m->place, &m->units, err);
    if (st == OK) st = output_finish(&out, err);
    output_abandon(&out);
    return st;
}

void memory_free(Memory *m)
{
    if (!m) return;
    if (m->fd >= 0) close(m->fd);
    buf_free(&m->bytes);
    if (!m->of) memory_map_free(m->map);
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
