/* binary_file.c - see binary_file.h. */
#define _XOPEN_SOURCE 700 /* S_ISREG(), pread() */
#include "binary_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document_encoding.h"
#include "text.h"
#include "utf8.h"

#define UNPACK  "unpack it and translate the files in it"
#define INFLATE "decompress it first"
#define NO_TEXT "only text can be translated"
#define TO_TEXT "convert it to text, or to .docx, first"
#define UTF16   "convert it to UTF-8, or translate it with --encoding UTF-16"
#define UTF32   "convert it to UTF-8, or translate it with --encoding UTF-32"

#define DATA_BYTES ((size_t)512) /* fewer bytes say too little about what they are */

#define ANY '?' /* any byte, in a magic */

/* The bytes at an offset of a kind of file. */
typedef struct {
    size_t offset;
    const char *magic;
    size_t size;
    ForeignKind kind;
} Magic;

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const Magic binary[] = {
    { 0, MAGIC("PK\5\6"), { "an empty zip archive", NO_TEXT } },
    { 0, MAGIC("%PDF-"), { "a PDF document", TO_TEXT } },
    { 0, MAGIC("%!PS"), { "PostScript", TO_TEXT } },
    { 0, MAGIC("{\\rtf"), { "a document in RTF", "save it as .docx first" } },
    { 0,
      MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
      { "an old or encrypted office document", "save it as .docx, .pptx or .csv, without a password" } },
    { 0, MAGIC("\x1f\x8b"), { "compressed by gzip", INFLATE } },
    { 0, MAGIC("\x1f\x9d"), { "compressed by compress", INFLATE } },
    { 0, MAGIC("BZh?\x31\x41\x59\x26\x53\x59"), { "compressed by bzip2", INFLATE } },
    { 0, MAGIC("BZh?\x17\x72\x45\x38\x50\x90"), { "compressed by bzip2", INFLATE } },
    { 0, MAGIC("\xfd\x37zXZ\0"), { "compressed by xz", INFLATE } },
    { 0, MAGIC("LZIP\1\1"), { "compressed by lzip", INFLATE } },
    { 0, MAGIC("\x28\xb5\x2f\xfd"), { "compressed by zstd", INFLATE } },
    { 0, MAGIC("\x04\x22\x4d\x18"), { "compressed by lz4", INFLATE } },
    { 0, MAGIC("7z\xbc\xaf\x27\x1c"), { "a 7z archive", UNPACK } },
    { 0, MAGIC("Rar!\x1a\7"), { "a RAR archive", UNPACK } },
    { 257, MAGIC("ustar\0"), { "a tar archive", UNPACK } },
    { 257, MAGIC("ustar  \0"), { "a tar archive", UNPACK } },
    { 0, MAGIC("!<arch>\n"), { "an archive of ar", UNPACK } },
    { 0, MAGIC("\x89PNG\r\n"), { "a picture", NO_TEXT } },
    { 0, MAGIC("\xff\xd8\xff"), { "a picture", NO_TEXT } },
    { 0, MAGIC("GIF87a"), { "a picture", NO_TEXT } },
    { 0, MAGIC("GIF89a"), { "a picture", NO_TEXT } },
    { 0, MAGIC("II*\0"), { "a picture", NO_TEXT } },
    { 0, MAGIC("MM\0*"), { "a picture", NO_TEXT } },
    { 0, MAGIC("RIFF????WEBP"), { "a picture", NO_TEXT } },
    { 0, MAGIC("RIFF????WAVE"), { "a sound", NO_TEXT } },
    { 0, MAGIC("ID3?\0"), { "a sound", NO_TEXT } },
    { 0, MAGIC("OggS\0"), { "a sound", NO_TEXT } },
    { 0, MAGIC("fLaC\0"), { "a sound", NO_TEXT } },
    { 0, MAGIC("\0\0\0?ftyp"), { "a film, a sound or a picture", NO_TEXT } },
    { 0, MAGIC("\x1a\x45\xdf\xa3"), { "a film", NO_TEXT } },
    { 0, MAGIC("\0\1\0\0\0"), { "a font", NO_TEXT } },
    { 0, MAGIC("OTTO\0"), { "a font", NO_TEXT } },
    { 0, MAGIC("wOFF\0"), { "a font", NO_TEXT } },
    { 0, MAGIC("wOF2\0"), { "a font", NO_TEXT } },
    { 0, MAGIC("\x7f\x45LF"), { "a program", NO_TEXT } },
    { 0, MAGIC("MZ?\0"), { "a program", NO_TEXT } },
    { 0, MAGIC("\0asm"), { "a program", NO_TEXT } },
    { 0, MAGIC("\xca\xfe\xba\xbe"), { "a program", NO_TEXT } },
    { 0, MAGIC("?\r\r\n\0\0\0\0"), { "a program", NO_TEXT } },
    { 0, MAGIC("SQLite format 3\0"), { "a database", "export its texts as .csv" } },
    { 0, MAGIC("bplist0"), { "a binary property list", "convert it to text first" } },
    { 0, MAGIC("\xde\x12\x04\x95"), { "a compiled PO file", "translate the .po file, or convert it with msgunfmt" } },
    { 0, MAGIC("\x95\x04\x12\xde"), { "a compiled PO file", "translate the .po file, or convert it with msgunfmt" } },
};

/* What is in a zip archive of a kind: a file whose name begins so; for ODF and EPUB, the content of the first one. */
static const Magic archives[] = {
    { 0, MAGIC("word/"), { "a document in DOCX", "--as docx translates it" } },
    { 0, MAGIC("ppt/"), { "a presentation in PPTX", "--as pptx translates it" } },
    { 0, MAGIC("xl/"), { "a spreadsheet", "save it as .csv" } },
    { 0,
      MAGIC("mimetypeapplication/vnd.oasis.opendocument.text"),
      { "a document in OpenDocument", "--as odt translates it" } },
    { 0,
      MAGIC("mimetypeapplication/vnd.oasis.opendocument.presentation"),
      { "a presentation in OpenDocument", "--as odt translates it" } },
    { 0, MAGIC("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), { "a spreadsheet", "save it as .csv" } },
    { 0, MAGIC("mimetypeapplication/epub+zip"), { "an e-book in EPUB", "--as epub translates it" } },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool matches(const char *head, size_t size, const Magic *row)
{
    if (size < row->offset + row->size) return false;
    for (size_t i = 0; i < row->size; i++)
        if (row->magic[i] != ANY && row->magic[i] != head[row->offset + i]) return false;
    return true;
}

static ForeignKind find(const char *head, size_t size, const Magic *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (matches(head, size, &rows[i])) return rows[i].kind;
    return (ForeignKind){ NULL, NULL };
}

/* Looks at the names of the files in a zip archive, as far as their headers are among the first bytes. */
static ForeignKind archive_kind(const char *head, size_t size)
{
    const size_t header = 30; /* its bytes before the name */

    for (size_t at = 0; at + header < size; at++) {
        ForeignKind kind;
        if (memcmp(head + at, "PK\3\4", 4) != 0) continue;
        kind = find(head + at + header, size - at - header, archives, COUNT(archives));
        if (kind.what) return kind;
    }
    return (ForeignKind){ "a zip archive", "for an office document or an e-book, give its format (--as docx, pptx, "
                                           "odt or epub); save a spreadsheet as .csv" };
}

static bool is_control(unsigned char byte)
{
    return byte < 0x20 && !(byte >= '\b' && byte <= '\r') && byte != 0x1b;
}

/* Whether the bytes are ASCII characters in UTF-16, or nearly all are: every second byte is NUL. */
static bool is_unmarked_utf16(const char *head, size_t size)
{
    size_t nuls[2] = { 0, 0 };

    for (size_t i = 0; i < size; i++) nuls[i % 2] += !head[i];
    return size >= 8 && (!nuls[0] != !nuls[1]) && (nuls[0] + nuls[1]) * 8 >= size * 3;
}

/* Whether the bytes are ASCII characters in UTF-32: of each four bytes, only the first or only the last is not NUL. */
static bool is_unmarked_utf32(const char *head, size_t size)
{
    size_t little = 0, big = 0;

    for (size_t at = 0; at + 4 <= size; at += 4) {
        little += head[at] && !head[at + 1] && !head[at + 2] && !head[at + 3];
        big += !head[at] && !head[at + 1] && !head[at + 2] && head[at + 3];
    }
    return size >= 16 && (little == size / 4 || big == size / 4);
}

/* Whether the bytes are computed data: nearly all are control characters, or both control characters other than NUL
 * and bytes that are no UTF-8 are frequent. Text in another encoding has only the latter, and lists of names that NULs
 * separate have only NULs. */
static bool is_data(const char *head, size_t size)
{
    size_t nuls = 0, controls = 0, invalid = 0;

    for (size_t at = 0; at < size;) {
        uint32_t code;
        const size_t length = utf8_next(head + at, size - at, &code);
        nuls += !head[at];
        controls += head[at] && is_control((unsigned char)head[at]);
        invalid += code == UTF8_INVALID;
        at += length;
    }
    return size >= DATA_BYTES && ((nuls + controls) * 4 > size * 3 || (controls * 50 > size && invalid * 50 > size));
}

ForeignKind binary_file_kind(const char *head, size_t size, bool is_wide)
{
    const char *encoding = document_encoding_mark(head, size);
    ForeignKind kind;

    if (size >= 4 && memcmp(head, "PK\3\4", 4) == 0) return archive_kind(head, size);
    kind = find(head, size, binary, COUNT(binary));
    if (kind.what || is_wide) return kind;
    if (encoding && text_begins_with(encoding, "UTF-32")) return (ForeignKind){ "in UTF-32", UTF32 };
    if (encoding && text_begins_with(encoding, "UTF-16")) return (ForeignKind){ "in UTF-16", UTF16 };
    if (size > FILE_HEAD_BYTES) size = FILE_HEAD_BYTES;
    if (is_unmarked_utf32(head, size)) return (ForeignKind){ "in UTF-32", UTF32 };
    if (is_unmarked_utf16(head, size)) return (ForeignKind){ "in UTF-16", UTF16 };
    return is_data(head, size) ? (ForeignKind){ "binary data", NO_TEXT } : kind;
}

const char *binary_file_ending(const char *path)
{
    static const char *const endings[] = { ".pdf", ".doc", ".rtf", ".ppt", ".xls", ".xlsx", ".ods", ".pages",
                                           ".zip", ".7z",  ".rar", ".tar", ".gz",  ".tgz",  ".bz2", ".xz",
                                           ".zst", ".png", ".jpg", ".gif", ".mo",  ".mobi", ".azw3" };

    for (size_t i = 0; i < COUNT(endings); i++)
        if (text_ends_with_case(path, endings[i])) return endings[i];
    return NULL;
}

size_t binary_file_head(const char *path, char head[FILE_HEAD_BYTES])
{
    const bool is_standard = strcmp(path, "-") == 0;
    struct stat info;
    ssize_t size = 0;
    off_t at;
    int fd;

    if ((is_standard ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0 || !S_ISREG(info.st_mode)) return 0;
    fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return 0;
    at = is_standard ? lseek(fd, 0, SEEK_CUR) : 0;
    size = at < 0 ? 0 : pread(fd, head, FILE_HEAD_BYTES, at);
    if (!is_standard) close(fd);
    return size > 0 ? (size_t)size : 0;
}
