/* foreign_file.c - see foreign_file.h. */
#define _XOPEN_SOURCE 700 /* S_ISREG() */
#include "foreign_file.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "text.h"

#define HEAD_BYTES ((size_t)1024) /* what recognize_other() of a format needs is less */

#define UNPACK  "unpack it and translate the files in it"
#define INFLATE "decompress it first"
#define NO_TEXT "only text can be translated"
#define TO_TEXT "convert it to text, or to .docx, first"
#define LINES   "; --as lines translates its lines"

#define SUBTITLES    "a subtitle file in another format"
#define MARKUP       "markup in another format"
#define CODE         "source code or settings"
#define TO_CUES      "convert it to .srt or .vtt first" LINES
#define TO_MARKDOWN  "convert it to .md, .html or .docx first, for instance with pandoc" LINES
#define AROUND_TAGS  "--as html translates the text around its tags" LINES
#define AS_XML       "--as xml translates its elements" LINES
#define AS_JSON      "--as json translates its strings" LINES
#define AS_HTML      "--as html translates its text" LINES
#define NO_SENTENCES "its lines are not sentences" LINES

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
    { MAGIC(" <?xml"), { "XML", AS_XML } },
    { MAGIC(" <svg"), { "an SVG picture", AS_XML } },
    { MAGIC(" <?php"), { "source code", "--as html translates the text around it" LINES } },
    { MAGIC(" <!DOCTYPE html"), { "HTML", AS_HTML } },
    { MAGIC(" <!doctype html"), { "HTML", AS_HTML } },
    { MAGIC(" <html"), { "HTML", AS_HTML } },
    { MAGIC(" { \""), { "JSON", AS_JSON } },
    { MAGIC(" [ { \""), { "JSON", AS_JSON } },
    { MAGIC("\\documentclass"), { "LaTeX", "--as latex translates its text" LINES } },
    { MAGIC("WEBVTT"), { "subtitles", "--as vtt translates their text" LINES } },
    { MAGIC("[Script Info]"), { SUBTITLES, TO_CUES } },
    { MAGIC(".\\\""), { MARKUP, TO_MARKDOWN } }, /* manual pages */
    { MAGIC(".TH "), { MARKUP, TO_MARKDOWN } },
    { MAGIC(".Dd "), { MARKUP, TO_MARKDOWN } },
    { MAGIC("BEGIN:V"), { "a calendar or contacts", NO_SENTENCES } },
    { MAGIC("#!/"), { "a script", NO_SENTENCES } },
};

/* Text for machines, by the names of files: endings, with a dot, and whole names. With a proof, only a file that has it
 * among its first bytes: corpora have endings that are codes of languages. */
typedef struct {
    const char *names, *proof;
    ForeignKind kind;
} KnownName;

static const KnownName known_names[] = {
    /* With texts in several languages. */
    { ".xcstrings", NULL, { "JSON", "export its texts as XLIFF with Xcode" } },
    { ".stringsdict", NULL, { "XML", "export its texts as XLIFF with Xcode" } },
    { ".ftl .catkeys .l20n .lang .rc .msgcat",
      NULL,
      { "a message file in another format", "convert it to .po, .xliff or .json first" LINES } },
    { ".ass .ssa .sbv .sub .smi .sami .stl .scc .idx", NULL, { SUBTITLES, TO_CUES } },
    { ".lrc", "[0", { SUBTITLES, TO_CUES } },
    { ".rst .rest .adoc .asciidoc .org .textile .mediawiki .wiki .wikitext .creole .dokuwiki .pod .rdoc .t2t .muse "
      ".typ .mdoc .roff .texi .texinfo .lyx .sgm .sgml",
      NULL,
      { MARKUP, TO_MARKDOWN } },
    { ".bib .bst .sty .cls .dtx .ins .tikz .pgf .rnw .snw .rtex .lhs .aux .bbl .toc",
      NULL,
      { "TeX code or a bibliography", "convert it to .tex first" LINES } },
    { ".erb .rhtml .ejs .eta .handlebars .mustache .liquid .twig .jinja .jinja2 .j2 .njk .nunjucks .tpl .tmpl "
      ".gotmpl .gohtml .jsp .jspx .jspf .asp .aspx .ascx .phtml .eex .heex .leex",
      NULL,
      { "a template", AROUND_TAGS } },
    { ".hbs", "{{", { "a template", AROUND_TAGS } },
    { ".haml .slim .pug .jade .cshtml .vbhtml .razor .vm .ftlh .mako .marko .cfm",
      NULL,
      { "a template", NO_SENTENCES } },
    { ".ttml .dfxp .itt .usf .srv1 .srv2 .srv3 .opml .docbook .dbk .dita .ditamap .fb2 .gpx .kml .owl .rdf .atom "
      ".rss",
      NULL,
      { "XML", AS_XML } },
    { ".geojson .topojson .webmanifest .har .jsonc .json5 .hjson .jsonld", NULL, { "JSON", AS_JSON } },
    { ".ndjson", NULL, { "JSON Lines", "--as jsonl translates its strings" LINES } },
    { ".ics .vcf .vcard .ldif .eml .mbox .mht .mhtml .m3u .m3u8 .pls .cue .gcode .ris .enw .nbib .conllu .conll "
      ".vrt .ttl .nt .n3 .nq .trig .rq .sparql .edn .fasta .pdb .arff .psv .dot .puml .plantuml .mmd .mermaid",
      NULL,
      { "data", NO_SENTENCES } },
    { ".css .scss .sass .less .js .mjs .cjs .jsx .tsx .cts .mts .vue .svelte .astro .php .py .pyi .pyx .rb .c .h "
      ".cc .cpp .cxx .hh .hpp .hxx .m .mm .swift .java .kt .kts .go .rs .dart .scala .groovy .clj .cljs .ex .exs "
      ".erl .vb .vbs .fs .fsx .coffee .elm .jl .sol .vala .glsl .hlsl .wgsl .asm .tcl .awk .vim .sql .graphql "
      ".proto .thrift .bash .zsh .fish .ps1 .psm1 .bat .cmd .feature .robot .diff .patch .xsl .xslt .xsd .dtd "
      ".ipynb .map .svg",
      NULL,
      { CODE, NO_SENTENCES } },
    { ".toml .ini .cfg .conf .env .env.local .env.example .env.sample .env.template .env.dist .env.test "
      ".env.development .env.production .env.staging .reg .inf .desktop .service .editorconfig .gitignore "
      ".gitattributes .dockerignore .npmrc .htaccess .hcl .tf .tfvars .kdl .ron .lock .cmake .gradle .nix "
      ".tsbuildinfo Makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Gemfile Rakefile "
      "CMakeLists.txt requirements.txt robots.txt",
      NULL,
      { CODE, NO_SENTENCES } },
    { ".cs", "namespace ", { CODE, NO_SENTENCES } },
    { ".lua", "local ", { CODE, NO_SENTENCES } },
    { ".pl", "use strict", { CODE, NO_SENTENCES } },
    { ".mk", "=", { CODE, NO_SENTENCES } },
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

static bool contains(const char *bytes, size_t size, const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, text, length) == 0) return true;
    return false;
}

/* Whether the list, separated by spaces, has the ending of the path, or the name of the file. */
static bool lists_name(const char *list, const char *path)
{
    const char *name = path_name(path);
    const size_t length = strlen(name);

    for (const char *at = list, *end; *at; at = *end ? end + 1 : end) {
        const size_t size = (size_t)((end = strchr(at, ' ') ? strchr(at, ' ') : at + strlen(at)) - at);
        if ((*at == '.' ? size <= length : size == length) && strncasecmp(name + length - size, at, size) == 0)
            return true;
    }
    return false;
}

/* For a file that is read as lines, unless the user has chosen that. */
static ForeignKind kind_of_text(const char *path, const char *head, size_t size)
{
    const size_t mark = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        const KnownName *known = &known_names[i];
        if (lists_name(known->names, path) && (!known->proof || contains(head, size, known->proof))) return known->kind;
    }
    if (text_ends_with_case(path, ".txt")) return (ForeignKind){ NULL, NULL };
    return find(head + mark, size - mark, structured, sizeof structured / sizeof *structured);
}

ForeignKind foreign_file_find(const Options *options, const char *path, const DocumentFormat *format)
{
    const bool is_chosen = is_forced(options);
    char head[HEAD_BYTES];
    ForeignKind kind;
    size_t size;

    if (format && (is_chosen || !format->recognize_other)) return (ForeignKind){ NULL, NULL };
    size = read_head(path, head);
    if (format) return (ForeignKind){ format->recognize_other(head, size), NULL };
    kind = find(head, size, binary, sizeof binary / sizeof *binary);
    return kind.what || is_chosen ? kind : kind_of_text(path, head, size);
}

Status foreign_file_check(const Options *options, const char *path, Err *err)
{
    const ForeignKind kind = foreign_file_find(options, path, NULL);

    if (!kind.what) return OK;
    return err_set(err, ERR_FORMAT, "%s: is %s, not lines of text: %s", path, kind.what, kind.advice);
}
