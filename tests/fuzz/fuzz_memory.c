/* fuzz_memory.c - fuzzes the readers of translation memories with libFuzzer.
 * Input    If the first byte is 'X', the rest is a file in TMX, otherwise all is one in tsv. The first line of the file
 *          is also looked up, with markup around its first byte and its first byte kept.
 * Checks   A memory is refused with one line that begins with its name. The places of an entry that is found are in its
 *          translation. Entries that are written can be read again: an entry is found in the file that has it, with
 *          spaces for the carriage returns of its translation.
 * Options  -max_len=4000 */
#include "fuzz_support.h"

#include "memory_entries.h"
#include "utf8.h"

#define NAME "dir/memory"

typedef struct {
    MemoryMap *map;
    Arena *texts;
    char *bytes;
    TmxPlace place;
} Read;

/* Reads a copy of exactly this size, so that the sanitizers detect any access outside of it. */
static bool read_memory(Read *read, const char *bytes, size_t size, bool is_tmx)
{
    Err err = { "" };
    MemoryTsvEnd end;
    Status st;

    require_ok(memory_map_new(&read->map, &err), &err);
    require_ok(arena_new(&read->texts, &err), &err);
    read->bytes = fuzz_copy(bytes, size);
    st = is_tmx ? memory_tmx_read(&(MemoryTmx){ NAME, read->bytes, size, NULL, read->map, read->texts }, &read->place,
                                  &err)
                : memory_tsv_read(read->map, NAME, read->bytes, size, &end, &err);
    if (st == OK) return true;
    require_message(&err, NAME);
    return false;
}

static void end_reading(Read *read)
{
    memory_map_free(read->map);
    arena_free(read->texts);
    free(read->bytes);
}

static void look_up(const MemoryMap *map, const UnitText *text)
{
    MemoryRow row = { .from = { "", 0 }, .to = { "", 0 }, .source = { text->text, text->length } };
    Range kept[1], places[1];
    Buf key = { 0 };
    Err err = { "" };

    require_ok(memory_parts_append(&key, text, NULL, &err), &err);
    if (memory_map_find(map, &row) && memory_parts_find_kept(text, row.target, kept))
        require(kept[0].end <= row.target.len, "a kept part in the translation", "by a person");
    row.is_made = true;
    row.parts = (LineText){ key.data, key.len };
    if (memory_map_find(map, &row) && memory_parts_read(row.parts, text, row.target, kept, places))
        require(kept[0].end <= row.target.len && places[0].end <= row.target.len, "places in the translation", "made");
    buf_free(&key);
}

/* Whether `line` is what readers make of `text`, a single line. */
static bool is_line_of(LineText line, LineText text)
{
    if (line.len != text.len) return false;
    for (size_t i = 0; i < text.len; i++)
        if (line.data[i] != (text.data[i] == '\r' ? ' ' : text.data[i])) return false;
    return true;
}

static void check_row(const MemoryRow *row, bool is_tmx)
{
    Buf out = { 0 }, file = { 0 };
    Read again = { .map = NULL };
    Err err = { "" };

    require_ok(is_tmx ? memory_tmx_append(&out, row, &err) : memory_tsv_append(&out, row, &err), &err);
    if (out.len && is_tmx) require_ok(memory_tmx_insert(&file, "", 0, (TmxPlace){ 0, 0 }, &out, &err), &err);
    if (out.len) {
        MemoryRow found = *row;
        require(read_memory(&again, is_tmx ? file.data : out.data, is_tmx ? file.len : out.len, is_tmx), "a row",
                out.data);
        require(memory_map_find(again.map, &found), "the entry is found", out.data);
        require(is_line_of(found.target, row->target), "its translation", out.data);
        end_reading(&again);
    }
    buf_free(&out);
    buf_free(&file);
}

static bool is_blank(LineText text)
{
    return utf8_leading_space(text.data, text.len) == text.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_tmx = size && data[0] == 'X';
    const char *bytes = (const char *)data + (is_tmx ? 1 : 0);
    const size_t length = size - (is_tmx ? 1 : 0);
    const char *newline = length ? memchr(bytes, '\n', length) : NULL;
    const LineText line = { bytes, newline ? (size_t)(newline - bytes) : length };
    const Range first = { 0, 1 };
    const Markup markup = { .parent = MARKUP_ROOT, .text = first };
    Read read = { .map = NULL };

    if (read_memory(&read, bytes, length, is_tmx) && line.len)
        look_up(read.map, &(UnitText){ .text = line.data,
                                       .length = line.len,
                                       .kept = &first,
                                       .kept_count = 1,
                                       .markup = &markup,
                                       .markup_count = 1 });
    end_reading(&read);
    if (is_blank(line) || utf8_clean_length(line.data, line.len) < line.len) return 0;
    check_row(&(MemoryRow){ .is_made = true,
                            .from = { "", 0 },
                            .to = { "", 0 },
                            .source = line,
                            .target = line,
                            .parts = { "k0-1=0-1", 8 } },
              is_tmx);
    return 0;
}
