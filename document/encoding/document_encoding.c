/* document_encoding.c - see document_encoding.h. */
#include "document_encoding.h"

#include <string.h>
#include <strings.h>

#include "chars.h"
#include "utf8.h"

/* How many bytes at the beginning are examined to find the byte order of UTF-16. */
#define SHOWN_BYTES ((size_t)1024)

/* How many bytes are examined to guess an encoding. */
#define GUESSED_BYTES ((size_t)1 << 16)

/* --- Declarations --------------------------------------------------------------------- */

/* How many bytes are searched for an XML declaration, and for the header of a PO file, which follows comments. */
#define DECLARATION_BYTES ((size_t)512)
#define HEADER_BYTES      ((size_t)1 << 16)

/* Returns the byte after the first `mark` in [at, end), ignoring case; `end` if there is none. */
static size_t find_after(const char *bytes, size_t at, size_t end, const char *mark)
{
    while (at < end && !chars_begin_case(bytes, at, end, mark)) at++;
    return at < end ? at + strlen(mark) : end;
}

Range declared_encoding_place(const char *bytes, size_t size)
{
    const Range none = { 0, 0 };
    size_t end = size < DECLARATION_BYTES ? size : DECLARATION_BYTES, at, last;

    if (!chars_begin(bytes, 0, end, "<?xml")) return none;
    end = find_after(bytes, 0, end, "?>");
    at = chars_skip_space(bytes, find_after(bytes, 0, end, "encoding"), end);
    if (at == end || bytes[at] != '=') return none;
    at = chars_skip_space(bytes, at + 1, end);
    if (at == end || (bytes[at] != '"' && bytes[at] != '\'')) return none;
    last = chars_find(bytes, at + 1, end, bytes[at]);
    return last < end ? (Range){ at + 1, last } : none;
}

void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    const Range place = declared_encoding_place(bytes, size);

    text_encoding_set_name(name, bytes + place.begin, place.end - place.begin);
}

void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    const size_t end = size < HEADER_BYTES ? size : HEADER_BYTES;
    size_t at = find_after(bytes, 0, end, "\"Content-Type:"), last;

    at = find_after(bytes, at, chars_find(bytes, at, end, '\n'), "charset=");
    for (last = at; last < end && !strchr("\\\"; \t\r\n", bytes[last]);) last++;
    text_encoding_set_name(name, bytes + at, last - at);
    if (chars_are_in(name, strlen(name), "charset ascii us-ascii ansi_x3.4-1968")) *name = '\0';
}

void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    const char *found = utf8_valid_length(bytes, size) < size ? "ISO-8859-1" : "";

    text_encoding_set_name(name, found, strlen(found));
}

/* --- Finding the encoding -------------------------------------------------------------- */

/* The mark of UTF-32LE begins with the mark of UTF-16LE, so it is tested first. */
const char *document_encoding_mark(const char *bytes, size_t size)
{
    static const struct {
        const char *mark;
        size_t length;
        const char *name;
    } marks[] = { { "\xef\xbb\xbf", 3, "UTF-8" },    { "\xff\xfe\0\0", 4, "UTF-32LE" },
                  { "\0\0\xfe\xff", 4, "UTF-32BE" }, { "\xff\xfe", 2, "UTF-16LE" },
                  { "\xfe\xff", 2, "UTF-16BE" },     { "\x84\x31\x95\x33", 4, "GB18030" } };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (size >= marks[i].length && memcmp(bytes, marks[i].mark, marks[i].length) == 0) return marks[i].name;
    return NULL;
}

/* Returns the variant of UTF-16 or UTF-32 if the document begins with ASCII characters in one, by the rule for JSON in
 * RFC 4627; otherwise NULL. */
static const char *unmarked_encoding(const DocumentFile *file)
{
    const char *b = file->bytes;

    if (file->size < 4) return NULL;
    if (!b[0] && !b[1] && !b[2] && b[3]) return "UTF-32BE";
    if (b[0] && !b[1] && !b[2] && !b[3]) return "UTF-32LE";
    if (!b[0] && b[1] && !b[2] && b[3]) return "UTF-16BE";
    return b[0] && !b[1] && b[2] && !b[3] ? "UTF-16LE" : NULL;
}

Status document_encoding_decode(TextEncoding **out, const DocumentFormat *format, const DocumentFile *file,
                                const DocumentOptions *options, Buf *text, Err *err)
{
    const char *other = format->recognize_other ? format->recognize_other(file->bytes, file->size) : NULL;
    const char *name = document_encoding_mark(file->bytes, file->size);
    const size_t shown = file->size < SHOWN_BYTES ? file->size : SHOWN_BYTES;
    char declared[ENCODING_NAME] = "";
    EncodingKind kind;
    Status st = OK;

    *out = NULL;
    if (other) return err_set(err, ERR_FORMAT, "%s: %s", file->name, other);
    if (!name && options->encoding) { /* the user's choice; for UTF-16 and UTF-32, the byte order is guessed */
        size_t zeros[2] = { 0, 0 };   /* NUL bytes at even and odd offsets: halves of ASCII characters in UTF-16 */
        for (size_t i = 0; i < shown; i++) zeros[i % 2] += !file->bytes[i];
        name = options->encoding;
        st = text_encoding_kind(&kind, name, err);
        if (st != OK) return st;
        if (kind == ENCODING_UTF16) name = zeros[1] > zeros[0] ? "UTF-16LE" : "UTF-16BE";
        if (kind == ENCODING_UTF32) name = file->size > 3 && !file->bytes[0] ? "UTF-32BE" : "UTF-32LE";
    }
    if (!name) name = unmarked_encoding(file);
    if (!name) { /* the declared encoding; it cannot be UTF-16, because it was read as ASCII */
        if (format->find_encoding) format->find_encoding(file->bytes, file->size, declared);
        st = text_encoding_kind(&kind, declared, err);
        if (st != OK) return st;
        if (strncasecmp(declared, "UTF-16", 6) == 0 || strncasecmp(declared, "UTF-32", 6) == 0) *declared = '\0';
        if (kind == ENCODING_UNKNOWN && *declared && utf8_valid_length(file->bytes, file->size) < file->size)
            return err_set(
                err, ERR_FORMAT,
                "%s: the document declares the unknown encoding %s; name its encoding with " SETTING(ENCODING),
                file->name, declared);
        name = kind == ENCODING_OTHER && *declared ? declared : "UTF-8";
    }
    st = text_encoding_kind(&kind, name, err);
    if (st != OK || !file->size || kind != ENCODING_OTHER) return st;
    st = text_encoding_open(out, name, err);
    if (st != OK) return st;
    st = text_encoding_decode(*out, file, DOCUMENT_BYTES, text, err);
    if (st == OK) return OK;
    text_encoding_free(*out);
    *out = NULL;
    return st;
}

static bool is_high(const DocumentFile *file, size_t at)
{
    return at < file->size && (unsigned char)file->bytes[at] >= 0x80;
}

/* In the encodings of other scripts than Latin, bytes above 0x7f are usually next to each other. Counts only these
 * bytes, because ASCII markup says nothing about the script, and begins at the first byte that is not valid UTF-8. */
const char *document_encoding_guess(const DocumentFile *file)
{
    const size_t valid = utf8_valid_length(file->bytes, file->size),
                 shown = file->size < SHOWN_BYTES ? file->size : SHOWN_BYTES;
    const size_t end = chars_limit(valid, file->size, GUESSED_BYTES);
    size_t zeros = 0, high = 0, beside = 0;

    if (valid == file->size) return NULL;
    for (size_t i = 0; i < shown; i++) zeros += !file->bytes[i];
    if (zeros * 8 > shown) return "UTF-16";
    for (size_t i = valid; i < end; i++) {
        if (!is_high(file, i)) continue;
        high++;
        beside += (i && is_high(file, i - 1)) || is_high(file, i + 1);
    }
    return beside * 2 > high ? "windows-1251, Shift_JIS or GB18030" : "windows-1252 or ISO-8859-2";
}
