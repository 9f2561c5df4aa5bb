/* foreign_file.c - see foreign_file.h. */
#include "foreign_file.h"

#include <string.h>
#include <strings.h>

#include "document_choice.h"
#include "document_encoding.h"
#include "path.h"
#include "text.h"

#define LINES "; --as lines translates its lines"

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
} Beginning;

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

/* Text for machines. */
static const Beginning structured[] = {
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
    return o->as || o->tsv_in || o->force_decode;
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
    const char *encoding = options->encoding;

    return document_encoding_mark(head, size) ||
           (encoding && (strncasecmp(encoding, "UTF", 3) == 0 || strncasecmp(encoding, "UCS", 3) == 0));
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

static ForeignKind kind_by_name(const char *path, const char *head, size_t size)
{
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        const KnownName *known = &known_names[i];
        if (lists_name(known->names, path) && (!known->proof || contains(head, size, known->proof))) return known->kind;
    }
    return (ForeignKind){ NULL, NULL };
}

ForeignKind foreign_file_find(const Options *options, const char *path, const DocumentFormat *format)
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
    if (kind.what || is_chosen || strcmp(path, "-") == 0) return kind;
    if (is_wide) size = narrow(head, size);
    kind = kind_by_name(path, head, size);
    if (kind.what || text_ends_with_case(path, ".txt")) return kind;
    mark = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < sizeof structured / sizeof *structured; i++)
        if (begins(head + mark, head + size, &structured[i])) return structured[i].kind;
    return kind;
}

Status foreign_file_check(const Options *options, const char *path, const DocumentFormat *format, Err *err)
{
    const ForeignKind kind = foreign_file_find(options, path, format);

    if (!kind.what || !has_lines(format)) return OK;
    return err_set(err, ERR_FORMAT, "%s: is %s, not lines of text: %s", document_choice_file(path), kind.what,
                   kind.advice);
}
