/* glossaries.c - see glossaries.h; and the handlers of /v2/glossaries and /v3/glossaries. Version 2 of the API has one
 * table in each glossary, version 3 has several.
 *
 * Entries are stored as lines TERM, tab, TRANSLATION. The file ID.json of a glossary is an object with the keys name,
 * owner, creation_time and dictionaries, the tables as version 3 sends them. */
#include "glossaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "chars.h"
#include "json.h"
#include "library.h"
#include "output.h"
#include "path.h"
#include "report.h"
#include "routes.h"
#include "server_limits.h"
#include "str_map.h"
#include "text.h"
#include "utf8.h"

#define GLOSSARIES_MOST 1000
#define TABLES_MOST     100                /* of a glossary */
#define TABLE_BYTES     ((size_t)10 << 20) /* DeepL's limit */
#define NAME_MOST       1000               /* bytes of the name of a glossary */
#define CODE_SIZE       4                  /* a language without its region, such as "de" or "fil" */
#define ID_LENGTH       36
#define TIME_SIZE       32

static const char unknown_glossary[] = "Glossary not found";

typedef struct {
    char source[CODE_SIZE], target[CODE_SIZE];
    size_t count;
    Buf entries;
} TermTable;

typedef struct {
    char id[ID_LENGTH + 1], created[TIME_SIZE];
    char *owner, *name;
    LIST_OF(TermTable) tables;
} StoredGlossary;

struct Glossaries {
    const char *folder; /* NULL: they are only in memory */
    size_t most_bytes;
    pthread_mutex_t lock; /* guards the list and the glossaries in it */
    LIST_OF(StoredGlossary *) list;
};

/* --- Entries ------------------------------------------------------------------ */

/* Terms in their order, each with its translation. */
typedef struct {
    StrMap *terms;
    LIST_OF(LineText) translations; /* [count of terms] */
} EntryList;

static LineText trim(const char *text, size_t length)
{
    const Range range = ranges_trimmed(text, (Range){ 0, length });

    return (LineText){ text + range.begin, range.end - range.begin };
}

static Status check_term(LineText text, size_t line, Err *err)
{
    uint32_t code;

    if (!text.len) return err_set(err, ERR_FORMAT, "entries:%zu: has an empty term or translation", line);
    for (size_t i = 0; i < text.len;) {
        i += utf8_next(text.data + i, text.len - i, &code);
        if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == UTF8_INVALID)
            return err_set(err, ERR_FORMAT, "entries:%zu: has a control character or invalid UTF-8", line);
    }
    return OK;
}

/* Appends the entries as lines of a glossary of the library, in which | separates translations and # begins a
 * comment. */
static void put_terms(Buf *out, const char *entries, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = entries[i];
        const bool begins = !i || entries[i - 1] == '\n';
        if (c == '\\' || c == '|' || (c == '#' && begins)) buf_put_byte(out, '\\');
        buf_put_byte(out, c);
    }
}

/* Refuses entries that the library would refuse when they are used. */
static Status check_terms(const char *entries, size_t length, Err *err)
{
    DragomanError error;
    Buf terms = { 0 };
    Status st;

    put_terms(&terms, entries, length);
    st = buf_check(&terms, err);
    if (st == OK) st = library_status(dragoman_check_terms("entries", terms.data, terms.len, &error), &error, err);
    buf_free(&terms);
    return st;
}

/* Adds the lines of `text`, which must stay valid. A term that is in the list gets its new translation if `replaces`;
 * otherwise the function fails. */
static Status add_entries(EntryList *list, const char *text, size_t length, bool replaces, Err *err)
{
    const char *end = text + length, *next;
    size_t number = 0;
    Status st = list->terms ? OK : str_map_new(&list->terms, err);

    for (const char *line = text; st == OK && line < end; line = next + 1) {
        const char *tab;
        LineText term, translation;
        int32_t *index;
        number++;
        next = memchr(line, '\n', (size_t)(end - line));
        if (!next) next = end;
        if (!trim(line, (size_t)(next - line)).len) continue;
        tab = memchr(line, '\t', (size_t)(next - line));
        if (!tab) return err_set(err, ERR_FORMAT, "entries:%zu: has no tab between term and translation", number);
        term = trim(line, (size_t)(tab - line));
        translation = trim(tab + 1, (size_t)(next - tab - 1));
        st = check_term(term, number, err);
        if (st == OK) st = check_term(translation, number, err);
        if (st == OK) st = str_map_hold(list->terms, term.data, term.len, -1, &index, err);
        if (st != OK) break;
        if (*index < 0) {
            *index = (int32_t)list->translations.len;
            LIST_PUT(&list->translations, translation);
            st = LIST_CHECK(&list->translations, "a glossary", err);
        } else if (replaces) {
            list->translations.data[*index] = translation;
        } else {
            st = err_set(err, ERR_FORMAT, "entries:%zu: the term '%.*s' appears twice", number, (int)term.len,
                         term.data);
        }
    }
    return st;
}

/* Makes the table have the entries of the list. */
static Status store_entries(TermTable *table, const EntryList *list, Err *err)
{
    Buf text = { 0 };
    Status st;

    for (size_t i = 0; i < list->translations.len; i++) {
        buf_put_text(&text, str_map_key(list->terms, i));
        buf_put_byte(&text, '\t');
        buf_put(&text, list->translations.data[i].data, list->translations.data[i].len);
        buf_put_byte(&text, '\n');
    }
    st = buf_check(&text, err);
    if (st == OK && !text.len) st = err_set(err, ERR_FORMAT, "entries: there are no entries");
    if (st == OK && text.len > TABLE_BYTES)
        st = err_set(err, ERR_FORMAT, "entries: more than %zu MB", TABLE_BYTES >> 20);
    if (st == OK) {
        buf_free(&table->entries);
        table->entries = text;
        table->count = list->translations.len;
    } else {
        buf_free(&text);
    }
    return st;
}

static void free_entries(EntryList *list)
{
    str_map_free(list->terms);
    free(list->translations.data);
}

/* Converts CSV to lines with tabs. A field in quotes may contain commas, and "" for a quote. The third column and those
 * after it, which DeepL's own files have, are left out. */
static void put_csv_lines(Buf *out, const char *text, size_t length)
{
    size_t column = 0;
    bool is_quoted = false;

    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (is_quoted && c == '"' && i + 1 < length && text[i + 1] == '"') {
            i++;
        } else if (c == '"') {
            is_quoted = !is_quoted;
            continue;
        } else if (!is_quoted && c == '\n') {
            column = 0;
        } else if (!is_quoted && c == ',') {
            if (++column == 1) buf_put_byte(out, '\t');
            continue;
        }
        if (column < 2) buf_put_byte(out, is_quoted && c == '\n' ? '\r' : c); /* a line break in a term is refused */
    }
}

/* Reads the entries of a request or a file into a table. `merges`: keeps the entries that it has. */
static Status read_entries(TermTable *table, const char *entries, size_t length, bool is_csv, bool merges, Err *err)
{
    const size_t mark = chars_skip_mark(entries, 0, length);
    EntryList added = { .terms = NULL }, all = { .terms = NULL };
    Buf lines = { 0 };
    Status st;

    entries += mark;
    length -= mark;
    if (is_csv) put_csv_lines(&lines, entries, length);
    st = buf_check(&lines, err);
    if (is_csv) {
        entries = lines.data ? lines.data : "";
        length = lines.len;
    }
    if (st == OK) st = add_entries(&added, entries, length, false, err);
    if (st == OK && merges && table->entries.len) {
        st = add_entries(&all, table->entries.data, table->entries.len, true, err);
        if (st == OK) st = add_entries(&all, entries, length, true, err);
    }
    if (st == OK && added.translations.len) st = check_terms(entries, length, err);
    if (st == OK) st = store_entries(table, all.terms ? &all : &added, err);
    free_entries(&added);
    free_entries(&all);
    buf_free(&lines);
    return st;
}

/* --- Glossaries --------------------------------------------------------------- */

/* Writes a language without its region, in lower case. Returns false if it is too long. */
static bool write_code(char out[CODE_SIZE], const char *language)
{
    const size_t length = strcspn(language, "-_");

    if (!length || length >= CODE_SIZE) return false;
    for (size_t i = 0; i < length; i++) {
        out[i] = (char)(language[i] | 0x20);
        if (out[i] < 'a' || out[i] > 'z') return false;
    }
    out[length] = '\0';
    return true;
}

static void free_glossary(StoredGlossary *glossary)
{
    if (!glossary) return;
    for (size_t i = 0; i < glossary->tables.len; i++) buf_free(&glossary->tables.data[i].entries);
    free(glossary->tables.data);
    free(glossary->owner);
    free(glossary->name);
    free(glossary);
}

/* Whether a client may give this name to a glossary. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name);

    return length && length <= NAME_MOST && utf8_valid_length(name, length) == length;
}

static StoredGlossary *new_glossary(const char *owner, const char *name)
{
    StoredGlossary *glossary = calloc(1, sizeof *glossary);

    if (!glossary) return NULL;
    glossary->owner = strdup(owner);
    glossary->name = strdup(name);
    if (glossary->owner && glossary->name) return glossary;
    free_glossary(glossary);
    return NULL;
}

/* Returns a copy, which replaces the glossary after it was changed; NULL: out of memory. */
static StoredGlossary *copy_glossary(const StoredGlossary *of)
{
    StoredGlossary *copy = new_glossary(of->owner, of->name);
    bool is_good = copy != NULL;

    if (!copy) return NULL;
    memcpy(copy->id, of->id, sizeof copy->id);
    memcpy(copy->created, of->created, sizeof copy->created);
    for (size_t i = 0; i < of->tables.len; i++) {
        TermTable table = of->tables.data[i];
        table.entries = (Buf){ .data = NULL };
        buf_put(&table.entries, of->tables.data[i].entries.data, of->tables.data[i].entries.len);
        is_good = buf_check(&table.entries, NULL) == OK && is_good;
        LIST_PUT(&copy->tables, table);
    }
    if (LIST_CHECK(&copy->tables, "a glossary", NULL) == OK && is_good) return copy;
    free_glossary(copy);
    return NULL;
}

static size_t bytes_of(const StoredGlossary *glossary)
{
    size_t bytes = 0;

    for (size_t i = 0; i < glossary->tables.len; i++) bytes += glossary->tables.data[i].entries.cap;
    return bytes;
}

/* Finds the table of a pair of languages, whose regions do not matter. */
static TermTable *find_table(const StoredGlossary *glossary, const char *source, const char *target)
{
    char from[CODE_SIZE], to[CODE_SIZE];

    if (!write_code(from, source) || !write_code(to, target)) return NULL;
    for (size_t i = 0; i < glossary->tables.len; i++) {
        TermTable *table = &glossary->tables.data[i];
        if (strcmp(table->source, from) == 0 && strcmp(table->target, to) == 0) return table;
    }
    return NULL;
}

/* Adds the entries to the table for this pair, or makes a new table. */
static Status put_table(StoredGlossary *glossary, const char *source, const char *target, LineText entries,
                        const char *format, bool merges, Err *err)
{
    TermTable added = { .count = 0 }, *table;
    const bool is_csv = format && strcmp(format, "csv") == 0;

    if (format && *format && !is_csv && strcmp(format, "tsv") != 0)
        return err_set(err, ERR_FORMAT, "Value for 'entries_format' not supported: it must be tsv or csv");
    if (!source || !write_code(added.source, source))
        return err_set(err, ERR_FORMAT, "Value for 'source_lang' not supported.");
    if (!target || !write_code(added.target, target))
        return err_set(err, ERR_FORMAT, "Value for 'target_lang' not supported.");
    if (!entries.data) return err_set(err, ERR_FORMAT, "Parameter 'entries' not specified.");
    table = find_table(glossary, added.source, added.target);
    if (!table && glossary->tables.len == TABLES_MOST)
        return err_set(err, ERR_FORMAT, "a glossary has at most %d dictionaries", TABLES_MOST);
    if (!table) {
        Status st;
        LIST_PUT(&glossary->tables, added);
        st = LIST_CHECK(&glossary->tables, "a glossary", err);
        if (st != OK) return st;
        table = &glossary->tables.data[glossary->tables.len - 1];
    }
    return read_entries(table, entries.data, entries.len, is_csv, merges, err);
}

static void put_text(Buf *out, const char *before, const char *text, size_t length)
{
    buf_put_text(out, before);
    json_put_string(out, text, length);
}

/* Appends a table as version 3 sends it. */
static void put_table_json(Buf *out, const TermTable *table, bool has_entries)
{
    buf_put_format(out, "{\"source_lang\":\"%s\",\"target_lang\":\"%s\",\"entry_count\":%zu", table->source,
                   table->target, table->count);
    if (has_entries) {
        put_text(out, ",\"entries\":", table->entries.data, table->entries.len);
        buf_put_text(out, ",\"entries_format\":\"tsv\"");
    }
    buf_put_byte(out, '}');
}

static void put_tables_json(Buf *out, const StoredGlossary *glossary, bool has_entries)
{
    buf_put_text(out, "\"dictionaries\":[");
    for (size_t i = 0; i < glossary->tables.len; i++) {
        if (i) buf_put_byte(out, ',');
        put_table_json(out, &glossary->tables.data[i], has_entries);
    }
    buf_put_byte(out, ']');
}

/* Appends the description of a glossary. Version 2 shows the first table only. */
static void put_glossary_json(Buf *out, const StoredGlossary *glossary, int version)
{
    const TermTable none = { .source = "" };
    const TermTable *first = glossary->tables.len ? glossary->tables.data : &none;

    put_text(out, "{\"glossary_id\":", glossary->id, ID_LENGTH);
    put_text(out, ",\"name\":", glossary->name, strlen(glossary->name));
    buf_put_format(out, ",\"creation_time\":\"%s\",", glossary->created);
    if (version == 3)
        put_tables_json(out, glossary, false);
    else
        buf_put_format(out, "\"ready\":true,\"source_lang\":\"%s\",\"target_lang\":\"%s\",\"entry_count\":%zu",
                       first->source, first->target, first->count);
    buf_put_byte(out, '}');
}

/* --- Files -------------------------------------------------------------------- */

static Status file_of(char **out, const Glossaries *glossaries, const char *id, Err *err)
{
    char name[ID_LENGTH + sizeof ".json"];

    snprintf(name, sizeof name, "%s.json", id);
    *out = path_join(glossaries->folder, name);
    return *out ? OK : err_memory(err, "a path");
}

static Status write_file(const Glossaries *glossaries, const StoredGlossary *glossary, Err *err)
{
    Output output = { .fd = -1 };
    char *path = NULL;
    Status st;

    if (!glossaries->folder) return OK;
    st = file_of(&path, glossaries, glossary->id, err);
    if (st == OK) st = output_choose(&output, path, NULL, err);
    if (st == OK) {
        output.mode = 0600;
        st = output_open(&output, err);
    }
    if (st == OK) {
        put_text(&output.buffer, "{\"name\":", glossary->name, strlen(glossary->name));
        put_text(&output.buffer, ",\"owner\":", glossary->owner, strlen(glossary->owner));
        buf_put_format(&output.buffer, ",\"creation_time\":\"%s\",", glossary->created);
        put_tables_json(&output.buffer, glossary, true);
        buf_put_text(&output.buffer, "}\n");
        st = output_finish(&output, err);
    }
    output_abandon(&output);
    free(path);
    return st;
}

static Status read_bytes(Buf *out, const char *path, Err *err)
{
    const size_t most = 2 * TABLES_MOST * TABLE_BYTES;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    Status st =
        fd < 0 ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : path_read_all(out, fd, path, most, err);

    if (fd >= 0) close(fd);
    return st == OK && out->len > most ? err_set(err, ERR_FORMAT, "%s: the file is too large", path) : st;
}

/* Returns a text of an object; NULL: there is none. */
static const char *member_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(json_member((JsonObject){ object, "glossary" }, name));
}

/* Adds or changes the tables that an object lists as "dictionaries". */
static Status read_tables(StoredGlossary *glossary, const cJSON *object, bool merges, Err *err)
{
    const cJSON *list = json_member((JsonObject){ object, "glossary" }, "dictionaries");
    Status st = OK;

    if (!cJSON_IsArray(list)) return err_set(err, ERR_FORMAT, "dictionaries must be an array");
    for (const cJSON *item = list->child; st == OK && item; item = item->next) {
        const char *entries = cJSON_IsObject(item) ? member_text(item, "entries") : NULL;
        const size_t before = glossary->tables.len;
        if (!entries) return err_set(err, ERR_FORMAT, "each dictionary must be an object with entries");
        st = put_table(glossary, member_text(item, "source_lang"), member_text(item, "target_lang"),
                       (LineText){ entries, strlen(entries) }, member_text(item, "entries_format"), merges, err);
        if (st == OK && !merges && glossary->tables.len == before)
            st = err_set(err, ERR_FORMAT, "dictionaries: the dictionary from %s to %s appears twice",
                         member_text(item, "source_lang"), member_text(item, "target_lang"));
    }
    return st;
}

static Status read_file(StoredGlossary **out, const Glossaries *glossaries, const char *id, Err *err)
{
    Buf bytes = { 0 };
    cJSON *json = NULL;
    StoredGlossary *glossary = NULL;
    char *path = NULL;
    const char *name, *owner, *created;
    Status st = file_of(&path, glossaries, id, err);

    *out = NULL;
    if (st == OK) st = read_bytes(&bytes, path, err);
    if (st == OK) st = json_parse(&json, bytes.data ? bytes.data : "", bytes.len, path, err);
    if (st == OK) {
        name = member_text(json, "name");
        owner = member_text(json, "owner");
        created = member_text(json, "creation_time");
        if (!name || !owner || !created || strlen(created) >= TIME_SIZE)
            st = err_set(err, ERR_FORMAT, "%s: name, owner or creation_time is missing", path);
        else if (!(glossary = new_glossary(owner, name)))
            st = err_memory(err, "a glossary");
    }
    if (st == OK) {
        Err reason;
        memcpy(glossary->id, id, ID_LENGTH);
        memcpy(glossary->created, created, strlen(created));
        st = read_tables(glossary, json, false, &reason);
        if (st != OK) st = err_set(err, st, "%s: %s", path, reason.text);
    }
    if (st == OK)
        *out = glossary;
    else
        free_glossary(glossary);
    cJSON_Delete(json);
    buf_free(&bytes);
    free(path);
    return st;
}

static bool is_id(const char *text, size_t length)
{
    if (length != ID_LENGTH) return false;
    for (size_t i = 0; i < length; i++) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !strchr("0123456789abcdef", text[i])) return false;
    }
    return true;
}

/* Reads all glossaries of the folder. A file that is damaged is reported and left out. */
static Status read_folder(Glossaries *glossaries, Err *err)
{
    const char *folder = glossaries->folder, *name = NULL;
    DIR *stream;
    Status st = OK;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return err_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    stream = opendir(folder);
    if (!stream) return err_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    do {
        st = path_read_entry(&name, stream, folder, err);
        if (st == OK && name && text_ends_with(name, ".json") && is_id(name, strlen(name) - 5)) {
            StoredGlossary *glossary;
            char id[ID_LENGTH + 1] = "";
            Err reason;
            memcpy(id, name, ID_LENGTH);
            if (read_file(&glossary, glossaries, id, &reason) == OK)
                LIST_PUT(&glossaries->list, glossary);
            else
                report("warning: %s; this glossary is left out", reason.text);
        }
    } while (st == OK && name);
    closedir(stream);
    return st == OK ? LIST_CHECK(&glossaries->list, "the glossaries", err) : st;
}

Status glossaries_new(Glossaries **out, const ServerOptions *options, Err *err)
{
    Glossaries *glossaries = calloc(1, sizeof *glossaries);
    Status st;

    *out = NULL;
    if (!glossaries) return err_memory(err, "the glossaries");
    glossaries->folder = options->glossaries;
    glossaries->most_bytes = (size_t)options->max_uploads << 20;
    pthread_mutex_init(&glossaries->lock, NULL);
    st = glossaries->folder ? read_folder(glossaries, err) : OK;
    if (st == OK)
        *out = glossaries;
    else
        glossaries_free(glossaries);
    return st;
}

void glossaries_free(Glossaries *glossaries)
{
    if (!glossaries) return;
    for (size_t i = 0; i < glossaries->list.len; i++) free_glossary(glossaries->list.data[i]);
    free(glossaries->list.data);
    pthread_mutex_destroy(&glossaries->lock);
    free(glossaries);
}

/* --- Finding glossaries -------------------------------------------------------- */

#define NO_GLOSSARY SIZE_MAX

/* Returns the index of a glossary of this owner, with the lock. The id ends at a slash. */
static size_t find_glossary(const Glossaries *glossaries, const char *owner, const char *id)
{
    for (size_t i = 0; i < glossaries->list.len; i++) {
        const StoredGlossary *glossary = glossaries->list.data[i];
        if (strcspn(id, "/") == ID_LENGTH && memcmp(glossary->id, id, ID_LENGTH) == 0 &&
            strcmp(glossary->owner, owner) == 0)
            return i;
    }
    return NO_GLOSSARY;
}

GlossaryAnswer glossaries_put_terms(Glossaries *glossaries, const char *owner, const char *id, const char *source,
                                    const char *target, Buf *out)
{
    GlossaryAnswer answer = GLOSSARY_UNKNOWN;
    size_t index;

    pthread_mutex_lock(&glossaries->lock);
    index = find_glossary(glossaries, owner, id);
    if (index != NO_GLOSSARY) {
        const TermTable *table = find_table(glossaries->list.data[index], source, target);
        if (table) put_terms(out, table->entries.data, table->entries.len);
        answer = table ? GLOSSARY_FOUND : GLOSSARY_OTHER_PAIR;
    }
    pthread_mutex_unlock(&glossaries->lock);
    return answer;
}

/* --- Requests ------------------------------------------------------------------ */

static void write_time(char out[TIME_SIZE])
{
    struct timespec now;
    struct tm parts;
    char text[TIME_SIZE];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out, TIME_SIZE, "%.19s.%03uZ", text, (unsigned)(now.tv_nsec / 1000000) % 1000);
}

/* Writes a random UUID. */
static Status write_id(char out[ID_LENGTH + 1], Err *err)
{
    char name[DOWNLOAD_ID];
    Status st = downloads_name(name, err);

    if (st != OK) return st;
    name[12] = '4';
    name[16] = "89ab"[name[16] & 3];
    snprintf(out, ID_LENGTH + 1, "%.8s-%.4s-%.4s-%.4s-%.12s", name, name + 8, name + 12, name + 16, name + 20);
    return OK;
}

static void refuse(Reply *reply, Status st, const Err *err)
{
    if (st != OK) reply_fault(reply, st, err);
}

/* Writes the file of a glossary and puts it into the list, in the place of glossary `index`, or as a new one. Takes the
 * glossary. With the lock. */
static Status keep_glossary(Glossaries *glossaries, size_t index, StoredGlossary *glossary, Reply *reply, Err *err)
{
    size_t bytes = bytes_of(glossary);
    Status st = OK;

    for (size_t i = 0; i < glossaries->list.len; i++)
        if (i != index) bytes += bytes_of(glossaries->list.data[i]);
    if (bytes > glossaries->most_bytes || (index == NO_GLOSSARY && glossaries->list.len == GLOSSARIES_MOST)) {
        reply_error(reply, 456, "Quota for glossaries exceeded: the server keeps at most %d glossaries and %zu MB",
                    GLOSSARIES_MOST, glossaries->most_bytes >> 20);
        free_glossary(glossary);
        return ERR_MEMORY;
    }
    st = write_file(glossaries, glossary, err);
    if (st == OK && index == NO_GLOSSARY) {
        LIST_PUT(&glossaries->list, glossary);
        st = LIST_CHECK(&glossaries->list, "the glossaries", err);
    } else if (st == OK) {
        free_glossary(glossaries->list.data[index]);
        glossaries->list.data[index] = glossary;
    }
    if (st != OK) free_glossary(glossary);
    refuse(reply, st, err);
    return st;
}

/* Checks that there are models for the languages of all tables. */
static Status check_pairs(const StoredGlossary *glossary, Models *models, Err *err)
{
    LanguageTable *languages = models_languages(models);
    Status st = OK;

    for (size_t i = 0; st == OK && i < glossary->tables.len; i++) {
        const TermTable *table = &glossary->tables.data[i];
        const size_t source = language_table_find(languages, table->source);
        const size_t target = language_table_find(languages, table->target);
        if (source == NO_LANGUAGE || target == NO_LANGUAGE || !language_table_has(languages, source, target))
            st = err_set(err, ERR_FORMAT, "Unsupported glossary language pair: %s to %s", table->source, table->target);
    }
    language_table_release(languages);
    return st;
}

/* The version of the API that the path of the request names. */
static int version_of(const Request *request)
{
    return text_begins_with(request->route->path, "/v3/") ? 3 : 2;
}

static const char *owner_of(const Request *request)
{
    return limits_has_keys(request->server->limits) ? request->client : "";
}

/* Reads one table from the parameters of a request. It replaces the one that the glossary has. */
static Status read_table(StoredGlossary *glossary, const Form *form, Err *err)
{
    LineText entries;

    entries.data = form_text(form, "entries", &entries.len);
    return put_table(glossary, form_text(form, "source_lang", NULL), form_text(form, "target_lang", NULL), entries,
                     form_text(form, "entries_format", NULL), false, err);
}

void deepl_create_glossary(Request *request, Reply *reply)
{
    Glossaries *glossaries = request->server->glossaries;
    const Form *form = &request->form;
    const char *name = form_text(form, "name", NULL);
    StoredGlossary *glossary;
    Buf description = { 0 };
    Err err;
    Status st;

    if (!name || !is_name(name)) {
        reply_error(reply, 400, name && *name ? "Value for 'name' not supported." : "Parameter 'name' not specified.");
        return;
    }
    glossary = new_glossary(owner_of(request), name);
    st = glossary ? write_id(glossary->id, &err) : err_memory(&err, "a glossary");
    if (st == OK) {
        write_time(glossary->created);
        st = version_of(request) == 3 ? read_tables(glossary, form->json, false, &err)
                                      : read_table(glossary, form, &err);
    }
    if (st == OK && !glossary->tables.len) st = err_set(&err, ERR_FORMAT, "dictionaries must not be empty");
    if (st == OK) st = check_pairs(glossary, request->server->models, &err);
    if (st != OK) {
        free_glossary(glossary);
        reply_fault(reply, st, &err);
        return;
    }
    put_glossary_json(&description, glossary, version_of(request));
    pthread_mutex_lock(&glossaries->lock);
    st = keep_glossary(glossaries, NO_GLOSSARY, glossary, reply, &err);
    pthread_mutex_unlock(&glossaries->lock);
    if (st == OK) {
        reply->body = description;
        description = (Buf){ .data = NULL };
        reply->status = 201;
        reply_json(reply);
    }
    buf_free(&description);
}

void deepl_list_glossaries(Request *request, Reply *reply)
{
    Glossaries *glossaries = request->server->glossaries;
    const char *before = "";

    buf_put_text(&reply->body, "{\"glossaries\":[");
    pthread_mutex_lock(&glossaries->lock);
    for (size_t i = 0; i < glossaries->list.len; i++) {
        if (strcmp(glossaries->list.data[i]->owner, owner_of(request)) != 0) continue;
        buf_put_text(&reply->body, before);
        put_glossary_json(&reply->body, glossaries->list.data[i], version_of(request));
        before = ",";
    }
    pthread_mutex_unlock(&glossaries->lock);
    buf_put_text(&reply->body, "]}\n");
    reply_json(reply);
}

/* Finds the table that the parameters of a request name. Returns NULL and refuses the request if there is none. */
static TermTable *find_named_table(const StoredGlossary *glossary, const Request *request, Reply *reply)
{
    const char *source = form_text(&request->form, "source_lang", NULL);
    const char *target = form_text(&request->form, "target_lang", NULL);
    TermTable *table = source && target ? find_table(glossary, source, target) : NULL;

    if (!table) reply_error(reply, 404, "Dictionary not found: source_lang and target_lang must name one");
    return table;
}

/* /glossaries/ID and /glossaries/ID/entries */
void deepl_show_glossary(Request *request, Reply *reply)
{
    Glossaries *glossaries = request->server->glossaries;
    const bool is_3 = version_of(request) == 3;
    const char *slash = strchr(request->rest, '/');
    const StoredGlossary *glossary;
    const TermTable *table;
    size_t index;

    pthread_mutex_lock(&glossaries->lock);
    index = find_glossary(glossaries, owner_of(request), request->rest);
    glossary = index == NO_GLOSSARY ? NULL : glossaries->list.data[index];
    if (!glossary || (slash && strcmp(slash, "/entries") != 0)) {
        reply_error(reply, 404, "%s", unknown_glossary);
    } else if (!slash) {
        put_glossary_json(&reply->body, glossary, is_3 ? 3 : 2);
        reply_json(reply);
    } else if (is_3 && (table = find_named_table(glossary, request, reply))) {
        buf_put_text(&reply->body, "{\"dictionaries\":[");
        put_table_json(&reply->body, table, true);
        buf_put_text(&reply->body, "]}\n");
        reply_json(reply);
    } else if (!is_3 && glossary->tables.len) {
        buf_put(&reply->body, glossary->tables.data[0].entries.data, glossary->tables.data[0].entries.len);
        reply->type = "text/tab-separated-values; charset=utf-8";
    }
    pthread_mutex_unlock(&glossaries->lock);
}

/* DELETE /glossaries/ID and, in version 3, /glossaries/ID/dictionaries */
void deepl_delete_glossary(Request *request, Reply *reply)
{
    Glossaries *glossaries = request->server->glossaries;
    const char *slash = strchr(request->rest, '/');
    StoredGlossary *copy = NULL;
    char *path = NULL;
    size_t index;
    Err err;
    Status st = OK;

    pthread_mutex_lock(&glossaries->lock);
    index = find_glossary(glossaries, owner_of(request), request->rest);
    if (index == NO_GLOSSARY || (slash && (version_of(request) == 2 || strcmp(slash, "/dictionaries") != 0))) {
        reply_error(reply, 404, "%s", unknown_glossary);
    } else if (slash) {
        copy = copy_glossary(glossaries->list.data[index]);
        if (!copy) refuse(reply, err_memory(&err, "a glossary"), &err);
        TermTable *table = copy ? find_named_table(copy, request, reply) : NULL;
        if (table) {
            buf_free(&table->entries);
            *table = copy->tables.data[--copy->tables.len];
            st = keep_glossary(glossaries, index, copy, reply, &err);
            if (st == OK) reply->status = 204;
        } else {
            free_glossary(copy);
        }
    } else {
        if (glossaries->folder) st = file_of(&path, glossaries, glossaries->list.data[index]->id, &err);
        if (st == OK && path && unlink(path) != 0 && errno != ENOENT)
            st = err_set(&err, ERR_IO, "cannot remove the file of the glossary: %s", strerror(errno));
        free(path);
        if (st == OK) {
            free_glossary(glossaries->list.data[index]);
            glossaries->list.data[index] = glossaries->list.data[--glossaries->list.len];
            reply->status = 204;
        }
        refuse(reply, st, &err);
    }
    pthread_mutex_unlock(&glossaries->lock);
}

/* PATCH /v3/glossaries/ID changes the name or adds entries; PUT /v3/glossaries/ID/dictionaries replaces a table. */
void deepl_change_glossary(Request *request, Reply *reply)
{
    Glossaries *glossaries = request->server->glossaries;
    const Form *form = &request->form;
    const bool replaces = strcmp(request->route->method, "PUT") == 0;
    const char *slash = strchr(request->rest, '/'), *name = replaces ? NULL : form_text(form, "name", NULL);
    StoredGlossary *copy = NULL;
    Buf description = { 0 };
    size_t index;
    Err err;
    Status st = OK;

    pthread_mutex_lock(&glossaries->lock);
    index = find_glossary(glossaries, owner_of(request), request->rest);
    if (index == NO_GLOSSARY || (replaces ? !slash || strcmp(slash, "/dictionaries") != 0 : slash != NULL)) {
        reply_error(reply, 404, "%s", unknown_glossary);
    } else if (!(copy = copy_glossary(glossaries->list.data[index]))) {
        refuse(reply, err_memory(&err, "a glossary"), &err);
    } else {
        if (name && !is_name(name)) {
            st = err_set(&err, ERR_FORMAT, "Value for 'name' not supported.");
        } else if (name) {
            free(copy->name);
            copy->name = strdup(name);
            if (!copy->name) st = err_memory(&err, "a glossary");
        }
        if (st == OK && replaces)
            st = read_table(copy, form, &err);
        else if (st == OK && form->json && json_member((JsonObject){ form->json, "request" }, "dictionaries"))
            st = read_tables(copy, form->json, true, &err);
        if (st == OK) st = check_pairs(copy, request->server->models, &err);
        if (st == OK && replaces)
            put_table_json(&description, find_named_table(copy, request, reply), false);
        else if (st == OK)
            put_glossary_json(&description, copy, 3);
        if (st == OK) {
            st = keep_glossary(glossaries, index, copy, reply, &err);
        } else {
            free_glossary(copy);
            refuse(reply, st, &err);
        }
        if (st == OK) {
            reply->body = description;
            description = (Buf){ .data = NULL };
            reply_json(reply);
        }
    }
    pthread_mutex_unlock(&glossaries->lock);
    buf_free(&description);
}

void deepl_glossary_pairs(Request *request, Reply *reply)
{
    LanguageTable *table = models_languages(request->server->models);
    const size_t count = language_table_count(table);
    const char *before = "";
    char from[CODE_SIZE], to[CODE_SIZE];

    buf_put_text(&reply->body, "{\"supported_languages\":[");
    for (size_t i = 0; i < count * count; i++) {
        if (!language_table_has(table, i / count, i % count) ||
            !write_code(from, language_table_row(table, i / count)->code) ||
            !write_code(to, language_table_row(table, i % count)->code))
            continue;
        buf_put_format(&reply->body, "%s{\"source_lang\":\"%s\",\"target_lang\":\"%s\"}", before, from, to);
        before = ",";
    }
    buf_put_text(&reply->body, "]}\n");
    language_table_release(table);
    reply_json(reply);
}
