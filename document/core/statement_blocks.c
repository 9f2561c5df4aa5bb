/* statement_blocks.c - see statement_blocks.h. */
#include "statement_blocks.h"

#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "chars.h"
#include "utf8.h"

#define LONGEST_TAG 1000
#define DEEPEST     64

typedef enum { JINJA, MUSTACHE, ERB, TEX } Language;

typedef enum {
    TAG_NONE, /* text */
    TAG_BEGIN,
    TAG_END,
    TAG_OTHER, /* another tag of a statement, such as {% else %} */
    TAG_VALUE  /* {{ x }} */
} TagKind;

typedef struct {
    TagKind kind;
    Language language;
    Range bytes;
} Tag;

/* Returns the end of a tag whose inside begins at byte `at` and ends with `mark`; 0: none, or `open` comes first. */
static size_t tag_end(const LineText *s, size_t at, const char *open, const char *mark)
{
    const size_t limit = chars_limit(at, s->len, LONGEST_TAG);

    for (; at < limit && !chars_begin(s->data, at, s->len, open); at++)
        if (chars_begin(s->data, at, s->len, mark)) return at + strlen(mark);
    return 0;
}

static size_t skip(const LineText *s, size_t at, const char *set)
{
    return chars_skip(s->data, at, s->len, set);
}

/* The letters at byte `at`. */
static Range word_at(const LineText *s, size_t at)
{
    Range word = { at, at };

    while (word.end < s->len && char_is_letter(s->data[word.end])) word.end++;
    return word;
}

static bool is_one_of(const LineText *s, Range word, const char *names)
{
    return chars_are_among(s->data + word.begin, word.end - word.begin, names);
}

/* The kind of a tag {% name ... %} of Jinja, Liquid or Twig. */
static TagKind kind_of_jinja(const LineText *s, Range inside)
{
    Range word = word_at(s, skip(s, inside.begin, "-+~ "));
    const bool is_end = chars_begin(s->data, word.begin, s->len, "end");

    if (is_end) word.begin += 3;
    if (!is_one_of(s, word, "if unless ifequal ifnotequal ifchanged for case")) return TAG_OTHER;
    return is_end ? TAG_END : TAG_BEGIN;
}

/* The kind of a tag: {{#name}}, {{^name}} and {{/name}} of Mustache; {{if .X}} and {{end}} of Go. */
static TagKind kind_of_mustache(const LineText *s, Range inside)
{
    const size_t at = skip(s, inside.begin, "~- ");
    const Range word = word_at(s, at);

    if (chars_begin(s->data, at, s->len, "/") || is_one_of(s, word, "end")) return TAG_END;
    if (chars_begin(s->data, at, s->len, "^}") || is_one_of(s, word, "else elseif")) return TAG_OTHER;
    return chars_begin(s->data, at, s->len, "#") || chars_begin(s->data, at, s->len, "^") ||
                   is_one_of(s, word, "if range with")
               ? TAG_BEGIN
               : TAG_VALUE;
}

/* Whether the inside of a tag of ERB ends with `do`, `do |x|` or `{`. */
static bool opens_block(const LineText *s, Range inside)
{
    size_t last = inside.end - 1; /* the loop ends at the % of <% at the latest */

    while (s->data[last] == '-' || s->data[last] == ' ') last--;
    return s->data[last] == '{' || s->data[last] == '|' ||
           (last > inside.begin + 2 && chars_begin(s->data, last - 2, s->len, " do"));
}

/* The kind of a tag: <% if x %>, <% x.each do |y| %>, <% end %> of Ruby; <% if (x) { %>, <% } %> of JavaScript. */
static TagKind kind_of_erb(const LineText *s, Range inside)
{
    const size_t at = skip(s, inside.begin, "-_= ");
    const Range word = word_at(s, at);

    if (is_one_of(s, word, "end")) return TAG_END;
    if (chars_begin(s->data, at, s->len, "}")) return opens_block(s, inside) ? TAG_OTHER : TAG_END;
    return is_one_of(s, word, "if unless while for case") || opens_block(s, inside) ? TAG_BEGIN
           : chars_begin(s->data, inside.begin, s->len, "=")                        ? TAG_VALUE
                                                                                    : TAG_OTHER;
}

/* \ifx, \else and \fi. */
static TagKind kind_of_tex(const LineText *s, Range name)
{
    static const char begins_nothing[] =
        "iff ifthenelse iflanguage ifblank ifbool ifdef iftoggle ifundef ifdefempty ifstrequal ifstrempty";

    if (is_one_of(s, name, "fi")) return TAG_END;
    if (is_one_of(s, name, "else or")) return TAG_OTHER;
    return chars_begin(s->data, name.begin, s->len, "if") && !is_one_of(s, name, begins_nothing) ? TAG_BEGIN : TAG_NONE;
}

static Tag read_tag(const LineText *s, size_t at)
{
    static const struct {
        const char *open, *close;
        TagKind (*kind)(const LineText *s, Range inside);
    } languages[] = { [JINJA] = { "{%", "%}", kind_of_jinja },
                      [MUSTACHE] = { "{{", "}}", kind_of_mustache },
                      [ERB] = { "<%", "%>", kind_of_erb } };

    if (s->data[at] == '\\') {
        const Range name = word_at(s, at + 1);
        return (Tag){ kind_of_tex(s, name), TEX, { at, name.end } };
    }
    for (Language language = JINJA; language <= ERB; language++) {
        const char *open = languages[language].open;
        const size_t end =
            chars_begin(s->data, at, s->len, open) ? tag_end(s, at + 2, open, languages[language].close) : 0;
        if (end) return (Tag){ languages[language].kind(s, (Range){ at + 2, end - 2 }), language, { at, end } };
    }
    return (Tag){ .kind = TAG_NONE, .bytes = { at, 0 } };
}

/* Adds the blocks in which no sentence ends. An end tag belongs to the last open statement in its language; statements
 * that began after that statement have no end tag. */
static void find_blocks(const LineText *s, RangeList *out)
{
    Tag open[DEEPEST]; /* the last statements that have begun and not ended */
    size_t depth = 0, sentence_end = 0, at = 0;

    while (at < s->len) {
        const Tag tag = read_tag(s, at);
        size_t found = depth;
        uint32_t code;
        if (tag.kind == TAG_NONE) {
            at += utf8_next(s->data + at, s->len - at, &code);
            if (code >= 0x80
                    ? u_hasBinaryProperty((UChar32)code, UCHAR_S_TERM)
                    : char_is_among((char)code, ".!?") && !u_isalnum((UChar32)utf8_code_at(s->data, s->len, at)))
                sentence_end = at;
            continue;
        }
        at = tag.bytes.end;
        if (tag.kind == TAG_BEGIN) {
            if (depth == DEEPEST) memmove(open, open + 1, --depth * sizeof *open);
            open[depth++] = tag;
        }
        if (tag.kind != TAG_END) continue;
        while (found && open[found - 1].language != tag.language) found--;
        if (!found) continue;
        depth = found - 1;
        if (sentence_end > open[depth].bytes.begin) continue;
        while (out->len && out->data[out->len - 1].begin > open[depth].bytes.begin) out->len--;
        LIST_PUT(out, ((Range){ open[depth].bytes.begin, tag.bytes.end }));
    }
}

/* Whether there are letters outside of the blocks and of tags. */
static bool has_other_words(const LineText *s, const RangeList *blocks)
{
    size_t block = 0;

    for (size_t at = 0; at < s->len;) {
        const Tag tag = read_tag(s, at);
        uint32_t code;
        if (block < blocks->len && at == blocks->data[block].begin) {
            at = blocks->data[block++].end;
        } else if (tag.kind != TAG_NONE) {
            at = tag.bytes.end;
        } else {
            at += utf8_next(s->data + at, s->len - at, &code);
            if (u_isalpha((UChar32)code)) return true;
        }
    }
    return false;
}

bool statement_blocks_begins_tag(const char *bytes, size_t length)
{
    return length > 1 && (!memcmp(bytes, "{%", 2) || !memcmp(bytes, "{{", 2) || !memcmp(bytes, "<%", 2));
}

bool statement_blocks_is_statement_tag(const char *bytes, size_t length)
{
    const LineText s = { bytes, length };
    const Tag tag = length ? read_tag(&s, 0) : (Tag){ .kind = TAG_NONE };
    const bool is_block = tag.kind == TAG_BEGIN && tag.bytes.end < length;

    return tag.kind != TAG_NONE && tag.kind != TAG_VALUE && !is_block;
}

Status statement_blocks_find(const char *text, size_t length, RangeList *out, Err *err)
{
    const LineText source = { text, length };
    RangeList blocks = { 0 };
    Status st;

    find_blocks(&source, &blocks);
    st = LIST_CHECK(&blocks, "a text", err);
    if (st == OK && blocks.len && has_other_words(&source, &blocks))
        st = ranges_append_all(out, blocks.data, blocks.len, err);
    ranges_free(&blocks);
    return st;
}
