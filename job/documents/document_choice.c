/* document_choice.c - see document_choice.h. */
#define _XOPEN_SOURCE 700 /* S_ISREG(), pread() */
#include "document_choice.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chars.h"
#include "document_encoding.h"
#include "path.h"
#include "text.h"
#include "utf8.h"

/* --- Binary files --------------------------------------------------------------- */

/* In advice, FILE stands for the name of the file. Commands write to other names, which begin with it. */
#define UNPACK       "unpack it and translate the files in it"
#define INFLATE      "decompress it first"
#define NO_TEXT      "only text can be translated"
#define TO_UTF8      "convert it to UTF-8"
#define UTF16        TO_UTF8 ", or translate it with " SETTING(ENCODING) " UTF-16"
#define UTF32        TO_UTF8 ", or translate it with " SETTING(ENCODING) " UTF-32"
#define OFFICE(name) "convert it first: soffice --headless --convert-to " name " FILE"
#define THEN_TEXT    "; then translate FILE.txt with " SETTING(AS) " text"

/* Kinds of binary files: what they are, and advice. */
#define PICTURE "a picture", "recognize its text first: tesseract FILE FILE" THEN_TEXT
#define SOUND   "a sound", "transcribe it first: whisper --output_format srt FILE"
#define FILM    "a film", "extract its subtitles first: ffmpeg -i FILE FILE.srt"
#define FONT    "a font", NO_TEXT
#define PROGRAM "a program", NO_TEXT
#define KINDLE  "an e-book for Kindle", "convert it first: ebook-convert FILE FILE.epub"
#define MO      "a compiled PO file", "convert it first: msgunfmt -o FILE.po FILE"

#define DATA_BYTES ((size_t)512) /* a file with fewer bytes is never recognized as binary data */

#define ANY '?' /* in Magic.magic of a binary file, this character stands for any byte */

/* A kind of file is recognized by these bytes at this offset. */
typedef struct {
    size_t offset;
    const char *magic;
    size_t size;
    const char *what, *advice; /* as in ForeignKind */
} Magic;

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const Magic binary[] = {
    { 0, MAGIC("PK\5\6"), "an empty zip archive", NO_TEXT },
    { 0, MAGIC("%PDF-"), "a PDF document", "extract its text first: pdftotext -layout FILE FILE.txt" THEN_TEXT },
    { 0, MAGIC("%!PS"), "PostScript", "extract its text first: ps2ascii FILE FILE.txt" THEN_TEXT },
    { 0, MAGIC("{\\rtf"), "a document in RTF", OFFICE("docx") },
    { 0, MAGIC("\xffWPC"), "a document of WordPerfect", OFFICE("docx") },
    { 0, MAGIC("\6\6\xed\xf5\xd8\x1d\x46\xe5"), "a document of InDesign", "save it as .idml first" },
    { 0, MAGIC("AT&TFORM"), "a document in DjVu", "extract its text first: djvutxt FILE FILE.txt" THEN_TEXT },
    { 0, MAGIC("ITSF"), "a help file of Windows", "unpack it and translate its HTML: 7z x -oFILE.d FILE" },
    { 60, MAGIC("BOOKMOBI"), KINDLE },
    { 60, MAGIC("TEXtREAd"), KINDLE },
    { 0, MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old or encrypted office document",
      "save it as .docx, .pptx or .xlsx, without a password" },
    { 0, MAGIC("\x1f\x8b"), "compressed by gzip", INFLATE },
    { 0, MAGIC("\x1f\x9d"), "compressed by compress", INFLATE },
    { 0, MAGIC("BZh?\x31\x41\x59\x26\x53\x59"), "compressed by bzip2", INFLATE },
    { 0, MAGIC("BZh?\x17\x72\x45\x38\x50\x90"), "compressed by bzip2", INFLATE },
    { 0, MAGIC("\xfd\x37zXZ\0"), "compressed by xz", INFLATE },
    { 0, MAGIC("LZIP\1\1"), "compressed by lzip", INFLATE },
    { 0, MAGIC("\x28\xb5\x2f\xfd"), "compressed by zstd", INFLATE },
    { 0, MAGIC("\x04\x22\x4d\x18"), "compressed by lz4", INFLATE },
    { 0, MAGIC("7z\xbc\xaf\x27\x1c"), "a 7z archive", UNPACK },
    { 0, MAGIC("Rar!\x1a\7"), "a RAR archive", UNPACK },
    { 257, MAGIC("ustar\0"), "a tar archive", UNPACK },
    { 257, MAGIC("ustar  \0"), "a tar archive", UNPACK },
    { 0, MAGIC("!<arch>\n"), "an archive of ar", UNPACK },
    { 0, MAGIC("\x89PNG\r\n"), PICTURE },
    { 0, MAGIC("\xff\xd8\xff"), PICTURE },
    { 0, MAGIC("GIF87a"), PICTURE },
    { 0, MAGIC("GIF89a"), PICTURE },
    { 0, MAGIC("II*\0"), PICTURE },
    { 0, MAGIC("MM\0*"), PICTURE },
    { 0, MAGIC("RIFF????WEBP"), PICTURE },
    { 0, MAGIC("8BPS\0\1"), PICTURE },
    { 0, MAGIC("RIFF????WAVE"), SOUND },
    { 0, MAGIC("RIFF????AVI "), FILM },
    { 0, MAGIC("ID3?\0"), SOUND },
    { 0, MAGIC("OggS\0"), SOUND },
    { 0, MAGIC("fLaC\0"), SOUND },
    { 4, MAGIC("ftypM4A "), SOUND },
    { 4, MAGIC("ftypavif"), PICTURE },
    { 4, MAGIC("ftyphei"), PICTURE },
    { 4, MAGIC("ftypmif1"), PICTURE },
    { 0, MAGIC("\0\0\0?ftyp"), FILM },
    { 0, MAGIC("\x1a\x45\xdf\xa3"), FILM },
    { 0, MAGIC("\0\1\0\0\0"), FONT },
    { 0, MAGIC("OTTO\0"), FONT },
    { 0, MAGIC("wOFF\0"), FONT },
    { 0, MAGIC("wOF2\0"), FONT },
    { 0, MAGIC("\x7f\x45LF"), PROGRAM },
    { 0, MAGIC("MZ?\0"), PROGRAM },
    { 0, MAGIC("\0asm"), PROGRAM },
    { 0, MAGIC("\xca\xfe\xba\xbe"), PROGRAM },
    { 0, MAGIC("?\r\r\n\0\0\0\0"), PROGRAM },
    { 0, MAGIC("SQLite format 3\0"), "a database", "export its texts as .csv" },
    { 0, MAGIC("bplist0"), "a binary property list", "convert it to text first" },
    { 0, MAGIC("\xde\x12\x04\x95"), MO },
    { 0, MAGIC("\x95\x04\x12\xde"), MO },
};

/* Zip archives are recognized by how the name of a file in them begins. In OpenDocument and EPUB, the content of the
 * file "mimetype" directly follows its name. */
static const Magic archives[] = {
    { 0, MAGIC("word/"), "a document in DOCX", SETTING(AS) " docx translates it" },
    { 0, MAGIC("ppt/"), "a presentation in PPTX", SETTING(AS) " pptx translates it" },
    { 0, MAGIC("xl/"), "a spreadsheet in XLSX", SETTING(AS) " xlsx translates it" },
    { 0, MAGIC("mimetypeapplication/vnd.oasis.opendocument.text"), "a document in OpenDocument",
      SETTING(AS) " odt translates it" },
    { 0, MAGIC("mimetypeapplication/vnd.oasis.opendocument.presentation"), "a presentation in OpenDocument",
      SETTING(AS) " odt translates it" },
    { 0, MAGIC("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "a spreadsheet in OpenDocument",
      SETTING(AS) " ods translates it" },
    { 0, MAGIC("mimetypeapplication/vnd.sun.xml.writer"), "an old document of OpenOffice", OFFICE("odt") },
    { 0, MAGIC("mimetypeapplication/vnd.sun.xml.impress"), "an old presentation of OpenOffice", OFFICE("odp") },
    { 0, MAGIC("mimetypeapplication/vnd.sun.xml.calc"), "an old spreadsheet of OpenOffice", OFFICE("ods") },
    { 0, MAGIC("mimetypeapplication/vnd.adobe.indesign-idml-package"), "a document of InDesign",
      "convert it to XLIFF with Okapi: tikal.sh -x FILE; then translate FILE.xlf" },
    { 0, MAGIC("mimetypeapplication/epub+zip"), "an e-book in EPUB", SETTING(AS) " epub translates it" },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static ForeignKind find(const char *head, size_t size, const Magic *rows, size_t count)
{
    for (const Magic *row = rows; row < rows + count; row++) {
        size_t i = 0;
        if (size < row->offset + row->size) continue;
        while (i < row->size && (row->magic[i] == ANY || row->magic[i] == head[row->offset + i])) i++;
        if (i == row->size) return (ForeignKind){ row->what, row->advice };
    }
    return (ForeignKind){ NULL, NULL };
}

/* Recognizes a zip archive by the names of its files, as far as these first bytes contain the headers of files. */
static ForeignKind archive_kind(const char *head, size_t size)
{
    const size_t header = 30; /* size of a local file header, which comes before the name */

    for (size_t at = 0; at + header < size; at++) {
        ForeignKind kind;
        if (memcmp(head + at, "PK\3\4", 4) != 0) continue;
        kind = find(head + at + header, size - at - header, archives, COUNT(archives));
        if (kind.what) return kind;
    }
    return (ForeignKind){ "a zip archive", "for an office document or an e-book, give its format (" SETTING(
                                               AS) " docx, pptx, "
                                                   "xlsx, odt, ods or epub)" };
}

/* Whether the bytes are UTF-16 without a byte order mark, mostly with ASCII characters: NUL bytes are frequent, and
 * only at even or only at odd offsets. */
static bool is_unmarked_utf16(const char *head, size_t size)
{
    size_t nuls[2] = { 0, 0 };

    for (size_t i = 0; i < size; i++) nuls[i % 2] += !head[i];
    return size >= 8 && (!nuls[0] != !nuls[1]) && (nuls[0] + nuls[1]) * 8 >= size * 3;
}

/* Whether the bytes are ASCII characters in UTF-32: of each four, only the first or only the last is not NUL. */
static bool is_unmarked_utf32(const char *head, size_t size)
{
    size_t little = 0, big = 0;

    for (size_t at = 0; at + 4 <= size; at += 4) {
        little += head[at] && !head[at + 1] && !head[at + 2] && !head[at + 3];
        big += !head[at] && !head[at + 1] && !head[at + 2] && head[at + 3];
    }
    return size >= 16 && (little == size / 4 || big == size / 4);
}

/* Whether the bytes are binary data: more than three quarters are NULs or control characters, or both control
 * characters other than NUL and invalid UTF-8 are frequent. Text in another encoding has only the invalid UTF-8, and a
 * list of names that are separated by NULs has neither. */
static bool is_data(const char *head, size_t size)
{
    size_t nuls = 0, controls = 0, invalid = 0;

    for (size_t at = 0; at < size;) {
        const unsigned char byte = (unsigned char)head[at];
        uint32_t code;
        at += utf8_next(head + at, size - at, &code);
        nuls += !byte;
        controls += byte && byte < 0x20 && !(byte >= '\b' && byte <= '\r') && byte != 0x1b;
        invalid += code == UTF8_INVALID;
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

ForeignKind foreign_kind_of_columns(ForeignKind kind)
{
    if (kind.advice && text_begins_with(kind.advice, TO_UTF8)) kind.advice = TO_UTF8;
    return kind;
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

/* Appends the name as one word of a shell's command. */
static void put_word(Buf *out, const char *name)
{
    bool is_plain = *name != '-';

    for (const char *at = name; *at; at++)
        is_plain &= char_is_alphanumeric(*at) || (unsigned char)*at >= 0x80 || char_is_among(*at, "/._-+,=@%");
    if (is_plain) {
        buf_put_text(out, name);
        return;
    }
    buf_put_text(out, *name == '-' ? "'./" : "'");
    for (const char *at = name; *at; at++) {
        buf_put_byte(out, *at);
        if (*at == '\'') buf_put_text(out, "\\''");
    }
    buf_put_byte(out, '\'');
}

void foreign_kind_put_advice(Buf *out, ForeignKind kind, const char *path)
{
    const char *at = kind.advice;

    for (const char *place; (place = strstr(at, "FILE")) != NULL; at = place + strlen("FILE")) {
        buf_put(out, at, (size_t)(place - at));
        put_word(out, path && strcmp(path, "-") != 0 ? path : "FILE");
    }
    buf_put_text(out, at);
}

Status foreign_kind_refuse(ForeignKind kind, const char *path, const DocumentFormat *format, Err *err)
{
    Buf advice = { 0 };
    Status st;

    foreign_kind_put_advice(&advice, kind, path);
    st = buf_check(&advice, err);
    if (st == OK && format)
        st = err_set(err, ERR_FORMAT, "not a document of the format %s, but %s; %s", format->name, kind.what,
                     advice.data);
    else if (st == OK)
        st = err_set(err, ERR_FORMAT, "not lines of text, but %s; %s", kind.what, advice.data);
    buf_free(&advice);
    return st;
}

/* --- Formats and options ------------------------------------------------------- */

const DocumentFormat *document_choice_of(const DragomanOptions *s, const char *path, const char *bytes, size_t size)
{
    const bool is_lines = s->tsv_in || s->force_decode || (s->as && strcmp(s->as, DRAGOMAN_LINES) == 0);
    const DocumentFormat *format = is_lines ? NULL : s->as ? document_format_named(s->as) : document_format_of(path);
    const char *encoding = s->encoding;
    char head[FILE_HEAD_BYTES];

    if (format || s->tsv_in || s->force_decode) return format;
    if (!encoding && !bytes) { /* the file may have a byte order mark, which tells its encoding */
        bytes = head;
        size = binary_file_head(path, head);
    }
    if (!encoding) encoding = document_encoding_mark(bytes, size);
    return encoding && strcasecmp(encoding, "UTF-8") != 0 && strcasecmp(encoding, "UTF8") != 0 ? &document_lines : NULL;
}

/* Whether files of this format (NULL: lines in UTF-8) are read line by line. */
static bool has_lines(const DocumentFormat *format)
{
    return !format || format == &document_lines;
}

DragomanFormat document_choice_describe(const DocumentFormat *format)
{
    return (DragomanFormat){ .name = format ? format->name : DRAGOMAN_LINES,
                             .is_document = format,
                             .is_archive = format && format->package };
}

DragomanFormat dragoman_format_of(const DragomanOptions *options, const char *path)
{
    return document_choice_describe(document_choice_of(options, path, NULL, 0));
}

/* Endings of files that are not text and that dragoman cannot write. */
static const char binary_endings[] =
    ".pdf .doc .rtf .ppt .xls .xlsb .pages .zip .7z .rar .tar .gz .tgz .bz2 .xz "
    ".zst .png .jpg .gif .mo .mobi .azw3 .azw .idml .indd .numbers .sxw .djvu .mp3 .mp4";

/* Whether the list, separated by spaces, contains the ending (.tex) or the file name (Makefile) of the path. */
static bool lists_name(const char *list, const char *path)
{
    const char *name = path_name(path);
    const size_t length = strlen(name);

    for (const char *at = list; *at;) {
        const size_t size = strcspn(at, " ");
        if ((*at == '.' ? size <= length : size == length) && strncasecmp(name + length - size, at, size) == 0)
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

DragomanFormat dragoman_format_of_ending(const char *path)
{
    const DocumentFormat *format = document_format_of(path);

    if (format) return document_choice_describe(format);
    return (DragomanFormat){ .name = lists_name(binary_endings, path) ? DRAGOMAN_OTHER : NULL };
}

bool dragoman_format_row(size_t index, DragomanFormat *out)
{
    const DocumentFormat *const *format = document_formats;

    for (size_t i = 1; i < index && *format; i++) format++;
    *out = document_choice_describe(index ? *format : NULL);
    return !index || *format;
}

/* --- Settings that do not apply to a file ------------------------------------------ */

/* A setting of documents. */
typedef struct {
    const char *formats; /* those that have it, which may include lines in UTF-8; NULL: all documents */
    DragomanSetting setting;
    bool is_about_format; /* in a batch, it must apply to at least one file, and the others are reported */
} DocumentSetting;

static const DocumentSetting document_settings[] = {
    { "xml json jsonl yaml fluent", DRAGOMAN_SELECT, true },
    { "html xml json jsonl yaml fluent", DRAGOMAN_SKIP, true },
    { "xml", DRAGOMAN_BLOCKS, true },
    { "html markdown", DRAGOMAN_FRONT_MATTER, true },
    { "csv tsv xlsx ods fods", DRAGOMAN_COLUMN, true },
    { "xlsx ods fods", DRAGOMAN_SHEET, true },
    { "csv tsv xlsx ods fods", DRAGOMAN_HEADER, true },
    { "html markdown text lines", DRAGOMAN_BILINGUAL, true },
    { "po xliff tmx qt xcstrings", DRAGOMAN_RETRANSLATE, true },
    { NULL, DRAGOMAN_KEEP_LANGUAGE, false },
    { NULL, DRAGOMAN_FORCE_LANGUAGE, false },
};

/* A document has one translation, in its own format, so these settings are about lines. */
static const DragomanSetting line_settings[] = { DRAGOMAN_N_BEST,     DRAGOMAN_ALTERNATIVES, DRAGOMAN_PIECES_IN,
                                                 DRAGOMAN_PIECES_OUT, DRAGOMAN_ATTENTION,    DRAGOMAN_MUST };

/* Whether the file has lines in another encoding than UTF-8, which are read as a document. */
static bool is_encoded_lines(DragomanFormat format)
{
    return format.is_document && strcmp(format.name, DRAGOMAN_LINES) == 0;
}

static bool applies(const DocumentSetting *row, DragomanFormat format)
{
    if (!row->formats) return format.is_document;
    return !is_encoded_lines(format) && chars_are_in(format.name, strlen(format.name), row->formats);
}

/* Refuses a setting for a document that has none of the forms which lines have. */
static Status refuse_for_lines_only(const DragomanOptions *s, DragomanSetting setting, const char *name,
                                    DragomanFormat format, Err *err)
{
    const char *constant = setting_rows[setting].about.name, *amount = setting == DRAGOMAN_N_BEST ? " above 1" : "";

    if (is_encoded_lines(format))
        return err_set(err, ERR_USAGE,
                       SETTING_BEGIN "%s" SETTING_END
                                     "%s cannot be used with %s, which is not in UTF-8; convert it to UTF-8 first, as "
                                     "with iconv",
                       constant, amount, name);
    return err_set(err, ERR_USAGE,
                   SETTING_BEGIN "%s" SETTING_END "%s cannot be used with documents, and %s is one (%s)%s", constant,
                   amount, name, format.name, s->as ? "" : "; to translate its lines, use " SETTING(AS) " lines");
}

static Status refuse(const DocumentSetting *row, const DragomanOptions *s, const char *name, DragomanFormat format,
                     Err *err)
{
    const char *constant = setting_rows[row->setting].about.name;

    if (!format.is_document)
        return err_set(err, ERR_USAGE,
                       SETTING_BEGIN "%s" SETTING_END
                                     " needs documents, but %s is read as lines; choose its format with " SETTING(AS),
                       constant, name);
    if (is_encoded_lines(format)) return refuse_for_lines_only(s, row->setting, name, format, err);
    return err_set(err, ERR_USAGE,
                   SETTING_BEGIN "%s" SETTING_END
                                 " cannot be used with %s, a document of the format %s; it applies to: %s",
                   constant, name, format.name, row->formats);
}

Status document_choice_check(const DragomanOptions *s, const char *name, DragomanFormat format, bool is_one_of_several,
                             Err *err)
{
    const bool is_lines = s->tsv_in || s->force_decode || (s->as && strcmp(s->as, DRAGOMAN_LINES) == 0);

    if (s->pairs) return OK;
    if ((s->tsv_in || s->force_decode) && s->as && strcmp(s->as, DRAGOMAN_LINES) != 0)
        return err_set(err, ERR_USAGE, "%s and " SETTING(AS) " %s cannot be used together: columns are read in lines",
                       s->force_decode ? SETTING(FORCE_DECODE) : SETTING(COLUMNS), s->as);
    if (!format.is_document && (s->identity || s->pseudo))
        return refuse(&(DocumentSetting){ .setting = s->identity ? DRAGOMAN_IDENTITY : DRAGOMAN_PSEUDO }, s, name,
                      format, err);
    for (size_t i = 0; format.is_document && i < COUNT(line_settings); i++)
        if (option_fields_in_use(s, line_settings[i]))
            return refuse_for_lines_only(s, line_settings[i], name, format, err);
    for (const DocumentSetting *row = document_settings; row < document_settings + COUNT(document_settings); row++)
        if ((!is_one_of_several || is_lines) && option_fields_in_use(s, row->setting) && !applies(row, format))
            return refuse(row, s, name, format, err);
    return OK;
}

DragomanStatus dragoman_format_check_options(const DragomanOptions *options, const char *name, DragomanFormat format,
                                             DragomanError *error)
{
    Err err;

    return option_fields_answer(document_choice_check(options, path_of_input(name), format, false, &err), &err,
                                options->spelling, error);
}

/* Reports the formats of the files to which the setting does not apply, each once. */
static Status report_other_formats(const DocumentSetting *row, const NamedFormat *files, size_t count, size_t others,
                                   const Reporter *reporter, Err *err)
{
    Buf names = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const char *name = files[i].format.name;
        if (applies(row, files[i].format)) continue;
        if (names.len && chars_are_in(name, strlen(name), names.data)) continue;
        buf_put_format(&names, "%s%s", names.len ? " " : "", name);
        st = buf_check(&names, err);
    }
    if (st == OK)
        reporter_say(reporter, SETTING_BEGIN "%s" SETTING_END " does not apply to %zu file%s (%s); it applies to: %s",
                     setting_rows[row->setting].about.name, others, plural(others), names.data, row->formats);
    buf_free(&names);
    return st;
}

Status document_choice_check_all(const DragomanOptions *s, const NamedFormat *files, size_t count,
                                 const Reporter *reporter, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++)
        st = document_choice_check(s, files[i].name, files[i].format, true, err);
    for (const DocumentSetting *row = document_settings; row < document_settings + COUNT(document_settings); row++) {
        size_t others = 0, first = 0;
        if (st != OK || !row->is_about_format || !option_fields_in_use(s, row->setting)) continue;
        for (size_t i = count; i--;)
            if (!applies(row, files[i].format)) first = i, others++;
        if (count && others == count)
            st = refuse(row, s, files[first].name, files[first].format, err);
        else if (others && !s->quiet)
            st = report_other_formats(row, files, count, others, reporter, err);
    }
    return st;
}

/* A format without extensions, such as android, is chosen by the user, who then also knows how to name its files. So
 * are lines with `as`. Rows of a table are lines, too. */
Status document_choice_check_target(const DragomanOptions *s, const char *source, const DocumentFormat *format,
                                    const char *target, Err *err)
{
    const char *ending = strrchr(path_name(target), '.'), *own = strrchr(path_name(source), '.');
    const DragomanFormat named = dragoman_format_of_ending(target), written = document_choice_describe(format);
    const bool is_chosen = has_lines(format) ? s->as != NULL : !*format->endings;
    const bool is_table = named.name && (strcmp(named.name, "csv") == 0 || strcmp(named.name, "tsv") == 0);
    bool fits;

    if (!ending || (own && strcasecmp(ending, own) == 0)) return OK;
    if (!named.name)
        fits = !written.is_archive || strcasecmp(ending, ".txt") != 0;
    else if (named.is_archive || written.is_archive || strcmp(named.name, DRAGOMAN_OTHER) == 0)
        fits = strcmp(named.name, written.name) == 0;
    else
        fits = is_chosen || strcmp(named.name, written.name) == 0 || (has_lines(format) && is_table) ||
               (strcmp(named.name, "xml") == 0 && strstr("xliff tmx qt ttml", written.name));
    if (fits) return OK;
    return err_set(
        err, ERR_USAGE,
        "%s: its name ends in %s, but %s is %s%s and its translation has the same format; choose another name", target,
        ending, path_of_input(source), has_lines(format) ? "read as lines" : "of the format ",
        has_lines(format) ? "" : written.name);
}

DragomanStatus dragoman_format_check_target(const DragomanOptions *options, const char *source, const char *target,
                                            DragomanError *error)
{
    const DocumentFormat *format = document_choice_of(options, source, NULL, 0);
    Err err;

    return option_fields_answer(document_choice_check_target(options, source, format, target, &err), &err,
                                options->spelling, error);
}

static bool has_setting(const DocumentFormat *format, DragomanSetting setting)
{
    const DocumentSetting *row = document_settings;

    while (row->setting != setting) row++;
    return applies(row, document_choice_describe(format));
}

DocumentOptions document_choice_options(const DragomanOptions *s, const DocumentFormat *format)
{
    const bool is_bilingual = s->bilingual && has_setting(format, DRAGOMAN_BILINGUAL);

    return (DocumentOptions){ .selects = (const char *const *)s->selects.items,
                              .select_count = has_setting(format, DRAGOMAN_SELECT) ? s->selects.count : 0,
                              .skips = (const char *const *)s->skips.items,
                              .skip_count = has_setting(format, DRAGOMAN_SKIP) ? s->skips.count : 0,
                              .blocks = has_setting(format, DRAGOMAN_BLOCKS) ? s->blocks : NULL,
                              .front_matter = (const char *const *)s->front_matter.items,
                              .front_matter_count =
                                  has_setting(format, DRAGOMAN_FRONT_MATTER) ? s->front_matter.count : 0,
                              .columns = (const char *const *)s->columns.items,
                              .column_count = has_setting(format, DRAGOMAN_COLUMN) ? s->columns.count : 0,
                              .sheets = (const char *const *)s->sheets.items,
                              .sheet_count = has_setting(format, DRAGOMAN_SHEET) ? s->sheets.count : 0,
                              .encoding = s->encoding,
                              .keep_language = s->keep_language || is_bilingual,
                              .has_header = s->header,
                              .bilingual = is_bilingual,
                              .retranslate = s->retranslate };
}

/* --- Text for machines -------------------------------------------------------- */

#define LINES "; " SETTING(AS) " lines translates its lines"
#define TEXT  "; " SETTING(AS) " text translates it as plain text"

#define SUBTITLES    "a subtitle file in another format"
#define MARKUP       "markup in another format"
#define RST          "reStructuredText", "make PO templates first: sphinx-build -b gettext . pot" TEXT
#define ASCIIDOC     "AsciiDoc", TO_POT("asciidoc")
#define MANUAL       "a manual page", TO_POT("man")
#define POD          "documentation of Perl", TO_POT("pod")
#define TEXINFO      "Texinfo", TO_POT("texinfo")
#define CODE         "source code or settings"
#define TO_CUES      "convert it first: ffmpeg -i FILE FILE.srt" LINES
#define TO_MARKDOWN  "convert it first: pandoc -o FILE.md FILE" TEXT
#define TO_POT(name) "make a PO template first: po4a-updatepo -f " name " -M UTF-8 -m FILE -p FILE.pot" TEXT
#define AROUND_TAGS  SETTING(AS) " html translates the text around its tags" LINES
#define AS_XML       SETTING(AS) " xml translates its elements" LINES
#define AS_JSON      SETTING(AS) " json translates its strings" LINES
#define AS_HTML      SETTING(AS) " html translates its text" LINES
#define NO_SENTENCES "its lines are not sentences" LINES
#define OLE          "\xd0\xcf\x11\xe0" /* the first bytes of old office documents */
#define ZIP          "PK\3\4"

/* Text for machines, recognized by its beginning. A space stands for any amount of white space, including none. */
static const Magic structured[] = {
    { 0, MAGIC(" <?xml"), "XML", AS_XML },
    { 0, MAGIC(" <svg"), "an SVG picture", AS_XML },
    { 0, MAGIC(" <?php"), "source code", SETTING(AS) " html translates the text around it" LINES },
    { 0, MAGIC(" <!DOCTYPE html"), "HTML", AS_HTML },
    { 0, MAGIC(" <!doctype html"), "HTML", AS_HTML },
    { 0, MAGIC(" <html"), "HTML", AS_HTML },
    { 0, MAGIC(" { \""), "JSON", AS_JSON },
    { 0, MAGIC(" [ { \""), "JSON", AS_JSON },
    { 0, MAGIC("\\documentclass"), "LaTeX", SETTING(AS) " latex translates its text" LINES },
    { 0, MAGIC("WEBVTT"), "subtitles", SETTING(AS) " vtt translates their text" LINES },
    { 0, MAGIC(" 1 00:"), "subtitles", SETTING(AS) " srt translates their text" LINES },
    { 0, MAGIC("[Script Info]"), "subtitles", SETTING(AS) " ass translates their text" LINES },
    { 0, MAGIC(".\\\""), MANUAL },
    { 0, MAGIC("'\\\""), MANUAL },
    { 0, MAGIC(".TH "), MANUAL },
    { 0, MAGIC(".Dd "), MANUAL },
    { 0, MAGIC("=pod\n"), POD },
    { 0, MAGIC("\\input texinfo"), TEXINFO },
    { 0, MAGIC("BEGIN:V"), "a calendar or contacts", NO_SENTENCES },
    { 0, MAGIC("#!/"), "a script", NO_SENTENCES },
};

/* Text for machines, recognized by file names: `names` has endings with a dot and whole names. If `proof` is not NULL,
 * the first bytes must also contain it, because the ending is also a language code: corpus.mk may be Macedonian. */
typedef struct {
    const char *names, *proof, *what, *advice;
} KnownName;

static const KnownName known_names[] = {
    /* Files that contain texts in several languages. */
    { ".xcstrings", NULL, "JSON", "export its texts as XLIFF with Xcode" },
    { ".stringsdict", NULL, "XML", "export its texts as XLIFF with Xcode" },
    { ".ftl .catkeys .l20n .lang .rc .msgcat", NULL, "a message file in another format",
      "convert it to .po, .xliff or .json first" LINES },
    { ".sub .smi .sami .stl .scc .idx", NULL, SUBTITLES, TO_CUES },
    { ".lrc", "[0", SUBTITLES, TO_CUES },
    { ".rst .rest", NULL, RST },
    { ".adoc .asciidoc", NULL, ASCIIDOC },
    { ".man .mdoc .roff", NULL, MANUAL },
    { ".pod", NULL, POD },
    { ".texi .texinfo", NULL, TEXINFO },
    { ".org .textile .mediawiki .wiki .wikitext .creole .dokuwiki .rdoc .t2t .muse .typ .sgm .sgml", NULL, MARKUP,
      TO_MARKDOWN },
    { ".lyx", NULL, "a document of LyX", "export it first: lyx --export latex FILE" TEXT },
    { ".doc .dot", OLE, "an old document of Word", OFFICE("docx") },
    { ".xls .xlt", OLE, "an old spreadsheet of Excel", OFFICE("xlsx") },
    { ".ppt .pps", OLE, "an old presentation of PowerPoint", OFFICE("pptx") },
    { ".pages", ZIP, "a document of Pages", "export it as Word first (File > Export To)" },
    { ".numbers", ZIP, "a spreadsheet of Numbers", "export it as Excel first (File > Export To)" },
    { ".key", ZIP, "a presentation of Keynote", "export it as PowerPoint first (File > Export To)" },
    { ".bib .bst .sty .cls .dtx .ins .tikz .pgf .rnw .snw .rtex .lhs .aux .bbl .toc", NULL,
      "TeX code or a bibliography", "convert it to .tex first" LINES },
    { ".erb .rhtml .ejs .eta .handlebars .mustache .liquid .twig .jinja .jinja2 .j2 .njk .nunjucks .tpl .tmpl "
      ".gotmpl .gohtml .jsp .jspx .jspf .asp .aspx .ascx .phtml .eex .heex .leex",
      NULL, "a template", AROUND_TAGS },
    { ".hbs", "{{", "a template", AROUND_TAGS },
    { ".haml .slim .pug .jade .cshtml .vbhtml .razor .vm .ftlh .mako .marko .cfm", NULL, "a template", NO_SENTENCES },
    { ".usf .srv1 .srv2 .srv3 .opml .fb2 .gpx .kml .owl .rdf", NULL, "XML", AS_XML },
    { ".geojson .topojson .webmanifest .har .jsonc .json5 .hjson .jsonld", NULL, "JSON", AS_JSON },
    { ".ndjson", NULL, "JSON Lines", SETTING(AS) " jsonl translates its strings" LINES },
    { ".ics .vcf .vcard .ldif .eml .mbox .mht .mhtml .m3u .m3u8 .pls .cue .gcode .ris .enw .nbib .conllu .conll "
      ".vrt .ttl .nt .n3 .nq .trig .rq .sparql .edn .fasta .pdb .arff .psv .dot .puml .plantuml .mmd .mermaid",
      NULL, "data", NO_SENTENCES },
    { ".css .scss .sass .less .js .mjs .cjs .jsx .tsx .cts .mts .vue .svelte .astro .php .py .pyi .pyx .rb .c .h "
      ".cc .cpp .cxx .hh .hpp .hxx .m .mm .swift .java .kt .kts .go .rs .dart .scala .groovy .clj .cljs .ex .exs "
      ".erl .vb .vbs .fs .fsx .coffee .elm .jl .sol .vala .glsl .hlsl .wgsl .asm .tcl .awk .vim .sql .graphql "
      ".proto .thrift .bash .zsh .fish .ps1 .psm1 .bat .cmd .feature .robot .diff .patch .xsl .xslt .xsd .dtd "
      ".ipynb .map",
      NULL, CODE, NO_SENTENCES },
    { ".toml .ini .cfg .conf .env .env.local .env.example .env.sample .env.template .env.dist .env.test "
      ".env.development .env.production .env.staging .reg .inf .desktop .service .editorconfig .gitignore "
      ".gitattributes .dockerignore .npmrc .htaccess .hcl .tf .tfvars .kdl .ron .lock .cmake .gradle .nix "
      ".tsbuildinfo Makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Gemfile Rakefile "
      "CMakeLists.txt requirements.txt robots.txt",
      NULL, CODE, NO_SENTENCES },
    { ".cs", "namespace ", CODE, NO_SENTENCES },
    { ".lua", "local ", CODE, NO_SENTENCES },
    { ".pl", "use strict", CODE, NO_SENTENCES },
    { ".mk", "=", CODE, NO_SENTENCES },
};

static bool begins(const char *head, const char *end, const Magic *row)
{
    for (size_t i = 0; i < row->size; i++) {
        if (row->magic[i] == ' ')
            while (head < end && char_is_space(*head)) head++;
        else if (head == end || *head++ != row->magic[i])
            return false;
    }
    return true;
}

ForeignKind structured_text_kind(const char *head, size_t size)
{
    const size_t mark = chars_skip_mark(head, 0, size);

    for (size_t i = 0; i < COUNT(structured); i++)
        if (begins(head + mark, head + size, &structured[i]))
            return (ForeignKind){ structured[i].what, structured[i].advice };
    if (chars_begin(head, mark, size, "0:0") && chars_begin(head, mark + strlen("0:00:00.000"), size, ",0:0"))
        return (ForeignKind){ "subtitles", SETTING(AS) " sbv translates their text" LINES };
    if (size > mark && (head[mark] == '#' || head[mark] == 'm') && chars_after(head, 0, size, "msgid \"", 0) &&
        chars_after(head, 0, size, "\nmsgstr", 0))
        return (ForeignKind){ "a PO file", SETTING(AS) " po translates its messages" LINES };
    return (ForeignKind){ NULL, NULL };
}

ForeignKind foreign_file_find(const DragomanOptions *settings, const char *path, const DocumentFormat *format)
{
    const bool has_columns = settings->pairs || settings->tsv_in || settings->force_decode;
    const bool is_chosen = settings->as || has_columns; /* the user has chosen how the file is read */
    const char *encoding = settings->encoding;
    char head[FILE_HEAD_BYTES];
    size_t size;
    bool is_wide; /* in UTF-16 or UTF-32 */
    ForeignKind kind = { NULL, NULL };

    if (!has_lines(format) && (is_chosen || !format->recognize_other)) return kind;
    size = binary_file_head(path, head);
    if (!has_lines(format)) return (ForeignKind){ format->recognize_other(head, size), NULL };
    is_wide = format && (document_encoding_mark(head, size) ||
                         (encoding && (strncasecmp(encoding, "UTF", 3) == 0 || strncasecmp(encoding, "UCS", 3) == 0)));
    kind = binary_file_kind(head, size, is_wide);
    if (has_columns) return foreign_kind_of_columns(kind);
    if (is_chosen || strcmp(path, "-") == 0) return kind;
    for (const KnownName *row = known_names; kind.what && row < known_names + COUNT(known_names); row++)
        if (row->proof && lists_name(row->names, path) && chars_begin(head, 0, size, row->proof))
            return (ForeignKind){ row->what, row->advice };
    if (kind.what) return kind;
    if (is_wide) { /* remove NUL bytes and the byte order mark: the ASCII characters remain */
        size_t count = 0;
        for (size_t i = 0; i < size; i++)
            if (head[i] && (unsigned char)head[i] < 0xfe) head[count++] = head[i];
        size = count;
    }
    for (const KnownName *row = known_names; row < known_names + COUNT(known_names); row++)
        if (lists_name(row->names, path) && (!row->proof || chars_after(head, 0, size, row->proof, 0)))
            return (ForeignKind){ row->what, row->advice };
    if (text_ends_with_case(path, ".txt")) return kind;
    return structured_text_kind(head, size);
}

Status foreign_file_check(const DragomanOptions *settings, const char *path, const DocumentFormat *format, Err *err)
{
    const ForeignKind kind = foreign_file_find(settings, path, format);
    Err reason;
    Status st;

    if (!kind.what || !has_lines(format)) return OK;
    st = foreign_kind_refuse(kind, path, NULL, &reason);
    return err_set(err, st, "%s: %s", path_of_input(path), reason.text);
}

DragomanStatus dragoman_format_check(const DragomanOptions *options, const char *path, DragomanError *error)
{
    Err err;
    const Status st = foreign_file_check(options, path, document_choice_of(options, path, NULL, 0), &err);

    return option_fields_answer(st, &err, options->spelling, error);
}
