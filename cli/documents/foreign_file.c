/* foreign_file.c - see foreign_file.h. */
#include "foreign_file.h"

#include <string.h>
#include <strings.h>

#include "document_choice.h"
#include "document_encoding.h"
#include "text.h"

#define LINES "; --as lines translates its lines"

/* The first bytes of a kind of file. A space stands for any white space, which may be missing. */
typedef struct {
    const char *magic;
    size_t size;
    ForeignKind kind;
} Beginning;

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

/* Text for machines. */
static const Beginning structured[] = {
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

static bool begins(const char *head, const char *end, const Beginning *row)
{
    for (size_t i = 0; i < row->size; i++) {
        if (row->magic[i] == ' ')
            while (head < end && strchr(" \t\r\n", *head) && *head) head++;
        else if (head == end || *head++ != row->magic[i])
            return false;
    }
    return true;
}

/* Whether a file of this format is read line by line. */
static bool has_lines(const DocumentFormat *format)
{
    return !format || format == &document_lines;
}

/* Removes the bytes of value 0, which ASCII has in UTF-16 and UTF-32, and a byte order mark. Returns the new size. */
static size_t narrow(char *head, size_t size)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        if (head[i] && (unsigned char)head[i] < 0xfe) head[count++] = head[i];
    return count;
}

/* Whether a file in another encoding than UTF-8 is in UTF-16 or UTF-32. */
static bool is_in_wide_encoding(const Options *options, const char *head, size_t size)
{
    const char *encoding = options->documents.encoding;

    return document_encoding_mark(head, size) ||
           (encoding && (strncasecmp(encoding, "UTF", 3) == 0 || strncasecmp(encoding, "UCS", 3) == 0));
}

ForeignKind foreign_file_by_content(const Options *options, const char *path, const DocumentFormat *format)
{
    const bool is_chosen = is_forced(options);
    char head[FILE_HEAD_BYTES];
    size_t size, mark;
    bool is_wide;
    ForeignKind kind = { NULL, NULL };

    if (!has_lines(format) && (is_chosen || !format->recognize_other)) return kind;
    size = binary_file_head(path, head);
    if (!has_lines(format)) return (ForeignKind){ format->recognize_other(head, size), NULL };
    is_wide = format && is_in_wide_encoding(options, head, size);
    kind = binary_file_kind(head, size, is_wide);
    if (kind.what || is_chosen || strcmp(path, "-") == 0 || text_ends_with_case(path, ".txt")) return kind;
    if (is_wide) size = narrow(head, size);
    mark = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof structured / sizeof *structured; i++)
        if (begins(head + mark, head + size, &structured[i])) return structured[i].kind;
    return kind;
}

ForeignKind foreign_file_by_name(const Options *options, const char *path, const DocumentFormat *format)
{
    for (size_t i = 0; has_lines(format) && !is_forced(options) && i < sizeof code_endings / sizeof *code_endings; i++)
        if (text_ends_with_case(path, code_endings[i]))
            return (ForeignKind){ "source code or settings", "its lines are not sentences" LINES };
    return (ForeignKind){ NULL, NULL };
}

Status foreign_file_check(const Options *options, const char *path, const DocumentFormat *format, Err *err)
{
    ForeignKind kind = foreign_file_by_content(options, path, format);

    if (!kind.what || !has_lines(format)) return OK;
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++)
        if (text_ends_with_case(path, exporters[i].ending)) kind.advice = exporters[i].advice;
    return err_set(err, ERR_FORMAT, "%s: is %s, not lines of text: %s", document_choice_file(path), kind.what,
                   kind.advice);
}
