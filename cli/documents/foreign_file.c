/* foreign_file.c - see foreign_file.h. */
#define _XOPEN_SOURCE 700 /* S_ISREG() */
#include "foreign_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define HEAD_BYTES ((size_t)1024) /* what recognize_other() of a format needs is less */

#define UNPACK  "unpack it and translate the files in it"
#define INFLATE "decompress it first"
#define NO_TEXT "only text can be translated"
#define TO_TEXT "convert it to text, or to .docx, first"
#define LINES   "; --as lines translates its lines"

/* The first bytes of a kind of file. A space stands for any white space, which may be missing. */
typedef struct {
    const char *magic;
    size_t size;
    ForeignKind kind;
} Magic;

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const Magic binary[] = {
    { MAGIC("PK\3\4"),
      { "a zip archive", "for an office document, give its format with --as; save a spreadsheet as .csv" } },
    { MAGIC("%PDF-"), { "a PDF document", TO_TEXT } },
    { MAGIC("%!PS"), { "PostScript", TO_TEXT } },
    { MAGIC("{\\rtf"), { "a document in RTF", "save it as .docx first" } },
    { MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
      { "an old or encrypted office document", "save it as .docx, .pptx or .csv, without a password" } },
    { MAGIC("\x1f\x8b"), { "compressed by gzip", INFLATE } },
    { MAGIC("BZh"), { "compressed by bzip2", INFLATE } },
    { MAGIC("\xfd\x37zXZ"), { "compressed by xz", INFLATE } },
    { MAGIC("\x28\xb5\x2f\xfd"), { "compressed by zstd", INFLATE } },
    { MAGIC("7z\xbc\xaf\x27\x1c"), { "a 7z archive", UNPACK } },
    { MAGIC("Rar!\x1a\7"), { "a RAR archive", UNPACK } },
    { MAGIC("\x89PNG"), { "a picture", NO_TEXT } },
    { MAGIC("\xff\xd8\xff"), { "a picture", NO_TEXT } },
    { MAGIC("GIF8"), { "a picture", NO_TEXT } },
    { MAGIC("\x7f"
            "ELF"),
      { "a program", NO_TEXT } },
    { MAGIC("SQLite format 3"), { "a database", "export its texts as .csv" } },
    { MAGIC("bplist"), { "a binary property list", "convert it to text first" } },
};

/* Text for machines. */
static const Magic structured[] = {
    { MAGIC(" <?xml"), { "XML", "--as xml translates its elements" LINES } },
    { MAGIC(" <svg"), { "an SVG picture", "--as xml translates its elements" LINES } },
    { MAGIC(" <?php"), { "source code", "--as html translates the text around it" LINES } },
    { MAGIC(" { \""), { "JSON", "--as json translates its strings" LINES } },
    { MAGIC("#!/"), { "a script", "its lines are not sentences" LINES } },
};

/* Formats with texts in several languages. They need other advice. */
static const struct {
    const char *ending, *advice;
} exporters[] = {
    { ".xcstrings", "export its texts as XLIFF with Xcode" },
    { ".stringsdict", "export its texts as XLIFF with Xcode" },
};

/* Endings that are also codes of languages, such as .cs, .hbs, .lua, .mk, .pl and .sh, are missing: corpora have
 * them. */
static const char *const code_endings[] = {
    ".css",     ".scss",      ".sass",   ".less",   ".js",     ".mjs",   ".cjs",     ".jsx",   ".tsx",
    ".cts",     ".mts",       ".vue",    ".svelte", ".astro",  ".php",   ".py",      ".rb",    ".c",
    ".h",       ".cc",        ".cpp",    ".hpp",    ".m",      ".swift", ".java",    ".kt",    ".kts",
    ".go",      ".rs",        ".dart",   ".scala",  ".groovy", ".sql",   ".graphql", ".proto", ".bash",
    ".zsh",     ".fish",      ".ps1",    ".bat",    ".cmd",    ".toml",  ".ini",     ".cfg",   ".conf",
    ".lock",    ".cmake",     ".gradle", ".tf",     ".nix",    ".ipynb", ".map",     ".svg",   ".tsbuildinfo",
    "Makefile", "Dockerfile", ".jinja",  ".j2",     ".ejs",    ".xsl",   ".xslt",    ".xsd",   ".dtd",
};

/* Whether the user has said that the file is lines. */
static bool is_forced(const Options *o)
{
    return o->documents.as || o->tsv_in || o->force_decode;
}

static bool begins(const char *head, const char *end, const Magic *row)
{
    for (size_t i = 0; i < row->size; i++) {
        if (row->magic[i] == ' ')
            while (head < end && strchr(" \t\r\n", *head) && *head) head++;
        else if (head == end || *head++ != row->magic[i])
            return false;
    }
    return true;
}

static ForeignKind find(const char *head, size_t size, const Magic *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins(head, head + size, &rows[i])) return rows[i].kind;
    return (ForeignKind){ NULL, NULL };
}

/* Returns how many bytes were read; 0 if the file is not a regular one or cannot be read. */
static size_t read_head(const char *path, char head[HEAD_BYTES])
{
    struct stat info;
    ssize_t size = 0;
    int fd;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return 0;
    size = read(fd, head, HEAD_BYTES);
    close(fd);
    return size > 0 ? (size_t)size : 0;
}

/* For a file that is read as lines. */
static ForeignKind kind_of_lines(const char *path, const char *head, size_t size, bool is_text_chosen)
{
    const ForeignKind kind = find(head, size, binary, sizeof binary / sizeof *binary);
    const size_t mark = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    if (kind.what || is_text_chosen || text_ends_with_case(path, ".txt")) return kind;
    return find(head + mark, size - mark, structured, sizeof structured / sizeof *structured);
}

ForeignKind foreign_file_by_content(const Options *options, const char *path, const DocumentFormat *format)
{
    const bool is_chosen = is_forced(options);
    char head[HEAD_BYTES];
    size_t size;

    if (format && (is_chosen || !format->recognize_other)) return (ForeignKind){ NULL, NULL };
    size = read_head(path, head);
    if (!format) return kind_of_lines(path, head, size, is_chosen);
    return (ForeignKind){ format->recognize_other(head, size), NULL };
}

ForeignKind foreign_file_by_name(const Options *options, const char *path, const DocumentFormat *format)
{
    for (size_t i = 0; !format && !is_forced(options) && i < sizeof code_endings / sizeof *code_endings; i++)
        if (text_ends_with_case(path, code_endings[i]))
            return (ForeignKind){ "source code or settings", "its lines are not sentences" LINES };
    return (ForeignKind){ NULL, NULL };
}

Status foreign_file_check(const Options *options, const char *path, Err *err)
{
    ForeignKind kind = foreign_file_by_content(options, path, NULL);

    if (!kind.what) return OK;
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++)
        if (text_ends_with_case(path, exporters[i].ending)) kind.advice = exporters[i].advice;
    return err_set(err, ERR_FORMAT, "%s: is %s, not lines of text: %s", path, kind.what, kind.advice);
}
