/* memory_files.c - reads and writes tsv and TMX (memory_entries.h). expat gets a TMX file in one piece, as in xml.c. */
#include "memory_entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <expat.h>

#include "chars.h"
#include "dragoman.h"
#include "language_detector.h"
#include "utf8.h"
#include "xml.h"

#define DIGITS       ((size_t)16)
#define MADE_BYTES   (1 + DIGITS)
#define MOST_COLUMNS ((size_t)6)

/* --- Both formats ------------------------------------------------------------ */

static int digit_value(char digit)
{
    return char_is_upper(digit) ? -1 : char_hex_value(digit);
}

/* Reads a column or property MADE that is not empty. Returns false if it is not # and 16 hexadecimal digits. */
static bool read_made(MemoryRow *out, LineText made)
{
    out->is_made = true;
    out->identity = 0;
    if (made.len != MADE_BYTES || made.data[0] != '#') return false;
    for (size_t i = 1; i < MADE_BYTES; i++) {
        const int digit = digit_value(made.data[i]);
        if (digit < 0) return false;
        out->identity = out->identity << 4 | (uint64_t)digit;
    }
    return true;
}

/* Whether the text can be the name of a language. */
static bool is_language(LineText text)
{
    if (text.len >= DRAGOMAN_LANGUAGE_TAG) return false;
    for (size_t i = 0; i < text.len; i++)
        if (!char_is_alphanumeric(text.data[i]) && !char_is_among(text.data[i], "-_")) return false;
    return true;
}

static LineText without_breaks_around(LineText text)
{
    while (text.len && char_is_newline(text.data[text.len - 1])) text.len--;
    for (; text.len && char_is_newline(*text.data); text.len--) text.data++;
    return text;
}

static void join_lines(LineText text)
{
    char *bytes = (char *)text.data;

    for (size_t i = 0; i < text.len; i++)
        if (char_is_newline(bytes[i])) bytes[i] = ' ';
}

/* Makes a single line of each text. Changes the bytes to which the texts point. */
static void join_lines_of_row(MemoryRow *row)
{
    if (!row->is_made) {
        row->source = without_breaks_around(row->source);
        row->target = without_breaks_around(row->target);
        join_lines(row->source);
    }
    join_lines(row->target);
}

/* --- tsv --------------------------------------------------------------------- */

/* Replaces the escapes of a column in place. A backslash that begins no escape stays. */
static LineText unescape(LineText column)
{
    static const char escapes[] = "t\tn\nr\r\\\\";
    char *text = (char *)column.data;
    size_t out = 0;

    for (size_t i = 0; i < column.len; i++) {
        const char *known = text[i] == '\\' && i + 1 < column.len ? strchr(escapes, text[i + 1]) : NULL;
        if (known && (known - escapes) % 2 == 0 && *known) {
            text[out++] = known[1];
            i++;
        } else {
            text[out++] = text[i];
        }
    }
    return (LineText){ text, out };
}

/* Reads a row without its newline; changes its bytes. Returns ERR_FORMAT, without the file's name, if it is no row. */
static Status read_row(MemoryRow *out, char *bytes, size_t length, Err *err)
{
    LineText columns[MOST_COLUMNS];
    size_t count = 0;

    *out = (MemoryRow){ .is_made = false };
    if (utf8_clean_length(bytes, length) < length) return err_set(err, ERR_FORMAT, "not valid UTF-8, or a NUL byte");
    for (const char *at = bytes, *end = bytes + length;;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (count < MOST_COLUMNS) columns[count] = (LineText){ at, (size_t)((tab ? tab : end) - at) };
        count++;
        if (!tab) break;
        at = tab + 1;
    }
    if (count == 2) {
        out->source = columns[0];
        out->target = columns[1];
        return OK;
    }
    if (count < 5 || count > MOST_COLUMNS)
        return err_set(err, ERR_FORMAT,
                       "a row must have the columns SOURCE and TARGET, or five or six columns; this "
                       "one has %zu",
                       count);
    if (columns[0].len && !read_made(out, columns[0]))
        return err_set(err, ERR_FORMAT, "the first of several columns must be empty, or # and 16 hexadecimal digits");
    out->from = columns[1];
    out->to = columns[2];
    if (!is_language(out->from) || !is_language(out->to))
        return err_set(err, ERR_FORMAT, "columns 2 and 3 must be codes of languages, such as de or pt-BR, or empty");
    out->source = unescape(columns[3]);
    out->target = unescape(columns[4]);
    if (count == MOST_COLUMNS) out->parts = unescape(columns[5]);
    return OK;
}

/* Whether an incomplete row is the beginning of a row by dragoman. `bytes` does not end with a tab or a newline. */
static bool is_torn(const char *bytes, size_t length)
{
    if (!length || bytes[0] != '#') return false;
    for (size_t i = 1; i < length && i < MADE_BYTES; i++)
        if (digit_value(bytes[i]) < 0) return false;
    return length <= MADE_BYTES || bytes[MADE_BYTES] == '\t';
}

Status memory_tsv_read(MemoryMap *map, const char *name, char *bytes, size_t size, MemoryTsvEnd *out, Err *err)
{
    size_t at = chars_skip_mark(bytes, 0, size);

    *out = (MemoryTsvEnd){ .complete = size };
    for (size_t line = 1, end; at < size; line++, at = end + 1) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        size_t length;
        MemoryRow row;
        Err reason;
        Status st;
        end = newline ? (size_t)(newline - bytes) : size;
        if (!newline && is_torn(bytes + at, end - at)) {
            out->complete = at;
            out->torn_line = line;
            return OK;
        }
        out->lacks_newline = !newline;
        length = end > at && bytes[end - 1] == '\r' ? end - 1 - at : end - at;
        if (!length) continue;
        st = read_row(&row, bytes + at, length, &reason);
        if (st == OK) {
            join_lines_of_row(&row);
            st = memory_map_add(map, &row, &reason);
        }
        if (st != OK) return err_set(err, st, "%s:%zu: %s", name, line, reason.text);
    }
    return OK;
}

static void put_column(Buf *out, LineText text)
{
    buf_put_byte(out, '\t');
    if (text.len) buf_put_escaped(out, text.data, text.len);
}

Status memory_tsv_append(Buf *out, const MemoryRow *row, Err *err)
{
    if (row->is_made) buf_put_format(out, "#%016" PRIx64, row->identity);
    put_column(out, row->from);
    put_column(out, row->to);
    put_column(out, row->source);
    put_column(out, row->target);
    if (row->parts.len) put_column(out, row->parts);
    buf_put_byte(out, '\n');
    return buf_check(out, err);
}

/* --- Reading TMX ------------------------------------------------------------- */

#define TMX_BYTES    ((size_t)1 << 30) /* the largest size of a file; a memory in tsv has no such limit */
#define TMX_VARIANTS ((size_t)100)     /* the most variants of a unit */

/* Properties of units by dragoman. */
#define TMX_MADE  "x-dragoman"
#define TMX_PARTS "x-dragoman-parts"

#define TMX_UNKNOWN "und" /* the code of an unknown language */

/* The largest number of pairs of variants in a file is MOST_PAIRS, and one more for every BYTES_PER_PAIR bytes. A unit
 * of n variants has n * (n - 1) pairs if its source may be any of them. A file of units in the 24 languages of the
 * European Union, with 60 letters in each, is within the limit. */
#define MOST_PAIRS     ((size_t)1 << 16)
#define BYTES_PER_PAIR 4

typedef struct {
    char language[DRAGOMAN_LANGUAGE_TAG];
    size_t begin, end; /* the bytes of the variant's segment in TmxReader.text */
} Variant;

typedef enum { IN_NOTHING, IN_SEGMENT, IN_MADE, IN_PARTS } Place;

typedef struct {
    const MemoryTmx *tmx;
    XML_Parser expat;
    Status st;
    Err *err;
    TmxPlace place;
    bool has_root, has_body;
    char header_source[DRAGOMAN_LANGUAGE_TAG], source[DRAGOMAN_LANGUAGE_TAG]; /* srclang; "": any */
    Variant variants[TMX_VARIANTS];                                           /* of the current unit */
    size_t count;
    Buf text, made, parts;
    Place in;
    size_t codes; /* how many inline codes are open; their content is left out */
    XmlDefaults defaults;
} TmxReader;

static void stop(TmxReader *r, Status st)
{
    if (r->st == OK) r->st = st;
    XML_StopParser(r->expat, XML_FALSE);
}

static void fail(TmxReader *r, const char *reason)
{
    if (r->st != OK) return;
    stop(r, err_set(r->err, ERR_FORMAT, "%s:%lu: %s", r->tmx->name, (unsigned long)XML_GetCurrentLineNumber(r->expat),
                    reason));
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static void read_language(TmxReader *r, char tag[DRAGOMAN_LANGUAGE_TAG], const char *name)
{
    const LineText text = { name ? name : "", name ? strlen(name) : 0 };
    size_t language;
    Err reason;

    tag[0] = '\0';
    if (strcasecmp(text.data, TMX_UNKNOWN) == 0) return;
    if (!is_language(text))
        fail(r, "a language must be a code such as de or pt-BR");
    else if (memory_map_find_language(r->tmx->map, text, &language, &reason) != OK)
        fail(r, reason.text);
    else
        memcpy(tag, memory_map_tag(r->tmx->map, language), DRAGOMAN_LANGUAGE_TAG);
}

static void read_source(TmxReader *r, char tag[DRAGOMAN_LANGUAGE_TAG], const XML_Char **attributes)
{
    const char *name = attribute(attributes, "srclang");

    if (name) read_language(r, tag, strcasecmp(name, "*all*") == 0 ? "" : name);
}

/* The content of the element hi is text; the content of all other elements in a segment is an inline code. */
static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    TmxReader *r = data;
    const char *fault = xml_defaults_count_attributes(&r->defaults, r->expat, attributes);

    if (fault) fail(r, fault);
    if (!r->has_root && strcmp(name, "tmx") != 0)
        fail(r, "not a translation memory in TMX: its root element is not tmx");
    r->has_root = true;
    if (r->in == IN_SEGMENT) {
        r->codes += r->codes || strcmp(name, "hi") != 0;
    } else if (strcmp(name, "header") == 0) {
        read_source(r, r->header_source, attributes);
    } else if (strcmp(name, "body") == 0 && !r->has_body) {
        r->place.begin = (size_t)XML_GetCurrentByteIndex(r->expat);
        r->place.end = r->place.begin + (size_t)XML_GetCurrentByteCount(r->expat);
    } else if (strcmp(name, "tu") == 0) {
        memcpy(r->source, r->header_source, sizeof r->source);
        read_source(r, r->source, attributes);
        r->count = 0;
        buf_reuse(&r->text);
        buf_clear(&r->made);
        buf_reuse(&r->parts);
    } else if (strcmp(name, "tuv") == 0) {
        const char *language = attribute(attributes, "xml:lang");
        if (r->count == TMX_VARIANTS) {
            fail(r, "a unit with more than 100 variants is not supported");
            return;
        }
        r->variants[r->count++] = (Variant){ .begin = r->text.len, .end = r->text.len };
        read_language(r, r->variants[r->count - 1].language, language ? language : attribute(attributes, "lang"));
    } else if (strcmp(name, "prop") == 0 && !r->count) {
        const char *type = attribute(attributes, "type");
        if (type && strcmp(type, TMX_MADE) == 0) r->in = IN_MADE;
        if (type && strcmp(type, TMX_PARTS) == 0) r->in = IN_PARTS;
    } else if (strcmp(name, "seg") == 0 && r->count) {
        r->in = IN_SEGMENT;
    }
}

static void XMLCALL on_text(void *data, const XML_Char *text, int length)
{
    TmxReader *r = data;
    Buf *out = r->in == IN_SEGMENT ? &r->text : r->in == IN_MADE ? &r->made : &r->parts;
    Status st;

    if (r->in == IN_NOTHING || r->codes) return;
    buf_put(out, text, (size_t)length);
    st = buf_check(out, r->err);
    if (st != OK) stop(r, st);
}

/* The text of a variant. In a unit by a person, white space at both ends is removed, because it only formats the
 * file. */
static LineText text_of(const TmxReader *r, char *texts, size_t index, bool is_made)
{
    Range range = { r->variants[index].begin, r->variants[index].end };

    if (!is_made) range = ranges_trimmed(texts, range);
    return (LineText){ texts + range.begin, range.end - range.begin };
}

static void add_pair(TmxReader *r, char *texts, size_t from, size_t to, MemoryRow row)
{
    Err reason;

    row.from = (LineText){ r->variants[from].language, strlen(r->variants[from].language) };
    row.to = (LineText){ r->variants[to].language, strlen(r->variants[to].language) };
    row.source = text_of(r, texts, from, row.is_made);
    row.target = text_of(r, texts, to, row.is_made);
    join_lines_of_row(&row);
    if (memory_map_add(r->tmx->map, &row, &reason) != OK) fail(r, reason.text);
    if (memory_map_count(r->tmx->map) > MOST_PAIRS + r->tmx->size / BYTES_PER_PAIR)
        fail(r, "the variants of the units make too many pairs; name the source language in srclang");
}

/* Adds the pairs of a unit by a person. */
static void add_pairs(TmxReader *r, char *texts)
{
    const char *target = r->tmx->target;

    for (size_t i = 0; r->st == OK && i < r->count; i++) {
        const char *from = r->variants[i].language;
        if (*r->source && !language_detector_same(from, r->source)) continue;
        for (size_t k = 0; k < r->count && r->st == OK; k++) {
            const char *to = r->variants[k].language;
            if (i != k && (!target || language_detector_same(to, target)) && !language_detector_same(from, to))
                add_pair(r, texts, i, k, (MemoryRow){ .is_made = false });
        }
    }
}

static void end_unit(TmxReader *r)
{
    MemoryRow row;
    char *texts;

    if (r->count < 2) return;
    texts = arena_alloc(r->tmx->texts, r->text.len + r->parts.len + 1, 1);
    if (!texts) {
        stop(r, err_memory(r->err, "the translation memory"));
        return;
    }
    if (r->text.len) memcpy(texts, r->text.data, r->text.len);
    if (r->parts.len) memcpy(texts + r->text.len, r->parts.data, r->parts.len);
    row = (MemoryRow){ .parts = { texts + r->text.len, r->parts.len } };
    if (!r->made.len)
        add_pairs(r, texts);
    else if (read_made(&row, (LineText){ r->made.data, r->made.len }))
        add_pair(r, texts, 0, 1, row);
    else
        fail(r, "the property " TMX_MADE " must be # and 16 hexadecimal digits");
}

/* New units are inserted before the end tag of the body. If the body is an empty tag, <body/>, they replace the tag. */
static void XMLCALL on_end(void *data, const XML_Char *name)
{
    TmxReader *r = data;

    if (r->st != OK) return;
    if (r->codes) {
        r->codes--;
    } else if (r->in == IN_SEGMENT && strcmp(name, "seg") == 0) {
        r->variants[r->count - 1].end = r->text.len;
        r->in = IN_NOTHING;
    } else if (strcmp(name, "prop") == 0) {
        r->in = IN_NOTHING;
    } else if (strcmp(name, "tu") == 0) {
        end_unit(r);
    } else if (strcmp(name, "body") == 0 && !r->has_body) {
        r->has_body = true;
        if (r->tmx->bytes[r->place.end - 2] != '/')
            r->place.begin = r->place.end = (size_t)XML_GetCurrentByteIndex(r->expat);
    }
}

static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *note)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)note;
    fail(data, "entities of the file's own are not supported");
}

static void XMLCALL on_attribute(void *data, const XML_Char *element, const XML_Char *name, const XML_Char *type,
                                 const XML_Char *value, int is_required)
{
    TmxReader *r = data;
    const char *fault = xml_defaults_count_declaration(&r->defaults);

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    if (fault) fail(r, fault);
}

Status memory_tmx_read(const MemoryTmx *tmx, TmxPlace *place, Err *err)
{
    TmxReader *r;
    Status st;

    *place = (TmxPlace){ 0, 0 };
    if (tmx->size > TMX_BYTES)
        return err_set(err, ERR_UNSUPPORTED, "%s: a TMX file of more than %zu MB is not supported; use a .tsv file",
                       tmx->name, TMX_BYTES >> 20);
    if (utf8_clean_length(tmx->bytes, tmx->size) < tmx->size) /* new units are UTF-8, so the file must be UTF-8 */
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: a TMX file must be UTF-8; convert it with iconv, and change its first line", tmx->name);
    if (!tmx->size) return OK;
    r = calloc(1, sizeof *r);
    if (!r) return err_memory(err, "the translation memory");
    r->tmx = tmx;
    r->err = err;
    r->expat = XML_ParserCreate("UTF-8");
    if (r->expat) {
        XML_SetUserData(r->expat, r);
        XML_SetElementHandler(r->expat, on_start, on_end);
        XML_SetCharacterDataHandler(r->expat, on_text);
        XML_SetEntityDeclHandler(r->expat, on_entity);
        XML_SetAttlistDeclHandler(r->expat, on_attribute);
        if (XML_Parse(r->expat, tmx->bytes, (int)tmx->size, XML_TRUE) != XML_STATUS_OK) {
            const enum XML_Error fault = XML_GetErrorCode(r->expat);
            if (fault == XML_ERROR_NO_MEMORY)
                stop(r, err_memory(err, "the translation memory"));
            else
                fail(r, XML_ErrorString(fault));
        }
        XML_ParserFree(r->expat);
    } else {
        r->st = err_memory(err, "the translation memory");
    }
    if (r->st == OK && !r->has_body)
        r->st = err_set(err, ERR_FORMAT, "%s: not a translation memory in TMX: it has no body", tmx->name);
    st = r->st;
    *place = r->place;
    buf_free(&r->text);
    buf_free(&r->made);
    buf_free(&r->parts);
    free(r);
    return st;
}

/* --- Writing TMX ------------------------------------------------------------- */

#define TMX_HEAD                                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                                     \
    "<tmx version=\"1.4\">\n"                                                                                          \
    "<header creationtool=\"dragoman\" creationtoolversion=\"" DRAGOMAN_VERSION "\" segtype=\"paragraph\" "            \
    "o-tmf=\"dragoman\" adminlang=\"en\" srclang=\"*all*\" datatype=\"plaintext\"/>\n"                                 \
    "<body>\n"
#define TMX_TAIL "</body>\n</tmx>\n"

/* Whether XML 1.0 can contain the text, which is valid UTF-8. */
static bool fits(LineText text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t code;
        at += utf8_next(text.data + at, text.len - at, &code);
        if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe || code == 0xffff)
            return false;
    }
    return true;
}

/* Appends the text with escapes for XML. A carriage return needs one, because XML reads it as a newline. */
static void put_escaped(Buf *out, LineText text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const char *escape = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '\r' ? "&#13;" : NULL;
        if (escape)
            buf_put_text(out, escape);
        else
            buf_put_byte(out, c);
    }
}

static void put_variant(Buf *out, LineText language, LineText text)
{
    if (!language.len) language = (LineText){ TMX_UNKNOWN, strlen(TMX_UNKNOWN) };
    buf_put_text(out, "<tuv xml:lang=\"");
    put_escaped(out, language);
    buf_put_text(out, "\"><seg>");
    put_escaped(out, text);
    buf_put_text(out, "</seg></tuv>\n");
}

Status memory_tmx_append(Buf *out, const MemoryRow *row, Err *err)
{
    if (!fits(row->source) || !fits(row->target)) return OK;
    buf_put_format(out, "<tu><prop type=\"" TMX_MADE "\">#%016" PRIx64 "</prop>", row->identity);
    if (row->parts.len) {
        buf_put_text(out, "<prop type=\"" TMX_PARTS "\">");
        put_escaped(out, row->parts);
        buf_put_text(out, "</prop>");
    }
    buf_put_byte(out, '\n');
    put_variant(out, row->from, row->source);
    put_variant(out, row->to, row->target);
    buf_put_text(out, "</tu>\n");
    return buf_check(out, err);
}

Status memory_tmx_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err)
{
    const bool is_empty = place.begin < place.end;

    if (size)
        buf_put(out, bytes, place.begin);
    else
        buf_put_text(out, TMX_HEAD);
    if (is_empty) buf_put_text(out, "<body>\n");
    if (units->len) buf_put(out, units->data, units->len);
    if (is_empty) buf_put_text(out, "</body>");
    if (size)
        buf_put(out, bytes + place.end, size - place.end);
    else
        buf_put_text(out, TMX_TAIL);
    return buf_check(out, err);
}
