/* document_yaml.c - YAML. libyaml gives positions in characters; byte_of() converts them to byte offsets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uloc.h>
#include <yaml.h>

#include "c_locale.h"
#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "path.h"
#include "utf8.h"

/* --- Scalars: their spelling, and words and numbers that are not texts --------------- */

typedef enum {
    YAML_PLAIN,      /* gets double quotes if a translation needs them */
    YAML_PLAIN_FLOW, /* inside [ ] or { } */
    YAML_SINGLE_QUOTED,
    YAML_DOUBLE_QUOTED,
    YAML_LITERAL, /* | */
    YAML_FOLDED,  /* > */
    YAML_BARE,    /* a plain scalar that is written unchanged and never gets quotes */
    YAML_KINDS = 8
} YamlScalarKind;

/* How many blanks before a line break can belong to it. The limit keeps the reading time linear. */
#define BLANKS ((size_t)256)

/* A context is a kind and flags: */
enum {
    AT_LINE_START = YAML_KINDS, /* a line begins in the first column, where --- or ... would end the document */
    HAS_TAGS = 2 * YAML_KINDS   /* tags may contain blanks; next to them, a colon or # would be YAML syntax */
};

static unsigned kind_of(unsigned context)
{
    return context % YAML_KINDS;
}

/* Returns the length of the line break at bytes[0], or 0. If `is_plain`, also accepts U+0085, U+2028 and U+2029, which
 * libyaml takes for line breaks. Set it in plain scalars, where these would need quotes, and after a backslash. */
static size_t break_length(const char *bytes, size_t length, bool is_plain)
{
    static const char *const breaks[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };

    for (size_t i = 0; is_plain && i < sizeof breaks / sizeof *breaks; i++)
        if (chars_begin(bytes, 0, length, breaks[i])) return strlen(breaks[i]);
    return chars_break_length(bytes, 0, length);
}

/* Returns the length of a line break at bytes[0], including the blanks before it and all white space after it, or 0.
 * Sets *count to the number of line breaks in it. */
static size_t fold_length(const char *bytes, size_t length, bool is_plain, size_t *count)
{
    size_t at = 0, size;

    *count = 0;
    while (at < length && at < BLANKS && char_is_blank(bytes[at])) at++;
    if (!break_length(bytes + at, length - at, is_plain)) return 0;
    for (; at < length; at += size) {
        size = break_length(bytes + at, length - at, is_plain);
        if (size)
            ++*count;
        else if (char_is_blank(bytes[at]))
            size = 1;
        else
            break;
    }
    return at;
}

/* Reads a character, or line breaks with the white space around them. A single line break stands for the text `one`,
 * several for `more`. */
static EscapedPart read_lines(const char *bytes, size_t length, bool is_plain, const char *one, const char *more)
{
    size_t count;
    EscapedPart part = { .length = fold_length(bytes, length, is_plain, &count) };

    if (!part.length) return escaped_text_plain(bytes, length);
    part.size = spelling_copy(count > 1 ? more : one, part.text);
    return part;
}

/* In folded text, blank lines separate texts. */
static EscapedPart read_folded(const char *bytes, size_t length)
{
    return read_lines(bytes, length, false, " ", "\n\n");
}

/* A plain scalar is always one text, so that quotes can be put around it. */
static EscapedPart read_plain(const char *bytes, size_t length)
{
    return read_lines(bytes, length, true, " ", " ");
}

static EscapedPart read_literal(const char *bytes, size_t length)
{
    return read_lines(bytes, length, false, "\n", "\n\n");
}

static EscapedPart read_single(const char *bytes, size_t length)
{
    if (length > 1 && bytes[0] == '\'' && bytes[1] == '\'') return escaped_text_code(2, '\'');
    return read_folded(bytes, length);
}

static EscapedPart read_escape(const char *bytes, size_t length)
{
    static const char names[] = "abtnvfre\"/\\ \tN_LP";
    static const uint32_t codes[] = { '\a', '\b', '\t', '\n', '\v', '\f', '\r',   0x1b,  '"',
                                      '/',  '\\', ' ',  '\t', 0x85, 0xa0, 0x2028, 0x2029 };
    const char name = length > 1 ? bytes[1] : '\0';
    const size_t digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;

    if (char_is_among(name, names)) return escaped_text_code(2, codes[strchr(names, name) - names]);
    if (digits && length >= 2 + digits)
        return escaped_text_code(2 + digits, escaped_text_hex(bytes + 2, digits, digits));
    return escaped_text_code(length > 1 ? 2 : 1, 0);
}

/* Reads a character of a double-quoted scalar. An escaped line break stands for nothing, but empty lines after it stand
 * for a newline. The character after it belongs to the same part, because a leading blank would have no text. */
static EscapedPart read_double(const char *bytes, size_t length)
{
    size_t at = 0, lines = 0;
    EscapedPart part;

    while (lines < 2 && length - at > 1 && bytes[at] == '\\' && break_length(bytes + at + 1, length - at - 1, true))
        at += 1 + fold_length(bytes + at + 1, length - at - 1, true, &lines);
    if (lines > 1 || at == length) return escaped_text_code(at, lines > 1 ? '\n' : 0);
    part = bytes[at] == '\\' ? read_escape(bytes + at, length - at) : read_folded(bytes + at, length - at);
    part.length += at;
    return part;
}

/* Returns the end of the line at `at`, after its line break. Sets *indent to the number of spaces at its beginning. */
static size_t line_end(const char *bytes, size_t at, size_t end, size_t *indent)
{
    const size_t begin = at;

    while (at < end && bytes[at] == ' ') at++;
    *indent = at - begin;
    while (at < end && !char_is_newline(bytes[at])) at++;
    return at + chars_break_length(bytes, at, end);
}

/* How the lines of a scalar are reported. */
typedef struct {
    DocumentBuilder *builder;
    EscapedReader *read;
    YamlScalarKind kind;
    unsigned context; /* of a translation; an unchanged text keeps its lines, and its context is `kind` */
} LineReport;

static void report_lines(const LineReport *r, size_t begin, size_t end)
{
    EscapedText text = escaped_text_start(r->builder, r->read, begin, end);

    escaped_text_report_rest(&text, r->context, r->kind);
    escaped_text_free(&text);
}

/* Reports a folded block. Lines that are indented more than the first one are not folded: each is a separate text. */
static void report_folded(const LineReport *r, size_t begin, size_t end)
{
    const char *bytes = document_builder_input(r->builder).bytes;
    size_t base = (size_t)-1, start = begin, next;

    for (size_t at = begin; at < end; at = next) {
        size_t indent;
        next = line_end(bytes, at, end, &indent);
        if (at + indent == end || char_is_newline(bytes[at + indent])) continue; /* a blank line */
        if (base == (size_t)-1) base = indent;
        if (indent == base) continue;
        report_lines(r, start, at);
        report_lines(r, at, next);
        start = next;
    }
    report_lines(r, start, end);
}

/* Skips soft hyphens and word joiners (char_hint_length()), which translations do not contain. */
static size_t skip_hints(const char *text, size_t length, size_t at)
{
    for (size_t hint; (hint = char_hint_length(text + at, length - at)) != 0;) at += hint;
    return at;
}

/* Whether the text begins with --- or ..., which would end a document in the first column before white space. Does not
 * look at what follows the mark, because a translation may have white space there. */
static bool begins_as_mark(const char *text, size_t length)
{
    size_t at = skip_hints(text, length, 0);
    const char mark = at < length && text[at] == '.' ? '.' : '-';

    for (size_t count = 0; count < 3; count++) {
        if (at == length || text[at] != mark) return false;
        at = skip_hints(text, length, at + 1);
    }
    return true;
}

/* Whether a line begins at byte `at`. Does not look at the text before `begin`, which counts as a line start. */
static bool is_line_start(const char *bytes, size_t begin, size_t at)
{
    for (size_t size = 1; size <= 3 && at - begin >= size; size++)
        if (break_length(bytes + at - size, size, true) == size) return true;
    return at == begin;
}

/* Whether the text begins with U+FEFF, which libyaml skips at the beginning of a document. */
static bool begins_with_bom(const char *text, size_t length)
{
    const size_t at = skip_hints(text, length, 0);

    return chars_skip_mark(text, at, length) > at;
}

/* Reports a plain scalar. If a translation needs quotes, they also enclose tags, what escaped_text_is_padded() finds at
 * the ends, and U+FEFF at the beginning, which the builder does not count as text. An unchanged text gets no quotes. */
static void report_plain(const LineReport *r, size_t begin, size_t end)
{
    const char *bytes = document_builder_input(r->builder).bytes + begin;
    EscapedText text = escaped_text_start(r->builder, read_plain, begin, end);
    const bool has_tags = text.tags.len > 0;
    const bool is_padded =
        has_tags || escaped_text_is_padded(bytes, end - begin) || begins_with_bom(bytes, end - begin);

    text.is_whole = true;
    if (!is_padded)
        escaped_text_report_rest(&text, r->context, r->kind);
    else if (escaped_text_has_more(&text))
        escaped_text_report_unit(&text, r->context | (has_tags ? HAS_TAGS : 0), YAML_BARE, true);
    escaped_text_free(&text);
}

/* Reports the texts of a scalar. [begin, end) includes its quotes, or the first line of a block (| or >). */
static void report_scalar(DocumentBuilder *builder, YamlScalarKind kind, size_t begin, size_t end)
{
    static EscapedReader *const readers[YAML_KINDS] = { read_plain,  read_plain,   read_single,
                                                        read_double, read_literal, read_folded };
    const BuilderInput input = document_builder_input(builder);
    const bool is_block = kind == YAML_LITERAL || kind == YAML_FOLDED, has_quotes = !is_block && kind > YAML_PLAIN_FLOW;
    LineReport report = { builder, readers[kind], kind, kind };
    size_t indent;
    bool is_start; /* `at` begins a line */

    begin = is_block ? line_end(input.bytes, begin, end, &indent) : begin + has_quotes;
    end -= has_quotes;
    is_start = is_line_start(input.bytes, input.begin, begin);
    for (size_t at = begin, size; !is_block && at < end; at += size ? size : 1) { /* blocks are always indented */
        if (is_start && !char_is_space(input.bytes[at])) report.context |= AT_LINE_START;
        size = break_length(input.bytes + at, end - at, true);
        is_start = size > 0;
    }
    if (kind == YAML_FOLDED)
        report_folded(&report, begin, end);
    else if (kind <= YAML_PLAIN_FLOW)
        report_plain(&report, begin, end);
    else
        report_lines(&report, begin, end);
}

/* Whether the text is a number, a date or a time. A number may have a base and _ between its digits: 0x1F, 0b10_10. */
static bool is_number(const char *text)
{
    const char *based = text + (*text == '+' || *text == '-'), *digits;
    char *end;

    if (!strchr("0123456789+-.", *text)) return false;
    if (strlen(based) > 2 && based[0] == '0' && char_is_among(based[1], "xXoObB")) {
        digits = strchr("xX", based[1]) ? "0123456789abcdefABCDEF_" : strchr("oO", based[1]) ? "01234567_" : "01_";
        if (!based[2 + strspn(based + 2, digits)]) return true;
    }
    if (text[strspn(text, "0123456789+-._:")] == '\0') return true;
    if (strspn(text, "0123456789-+:.TtZz ") == strlen(text)) return true; /* dates and times */
    (void)c_locale_strtod(text, &end);
    return end > text && !*end;
}

/* Whether libyaml allows the byte in the name of an anchor. */
static bool is_name(char c)
{
    return char_is_alphanumeric(c) || c == '_' || c == '-';
}

/* Whether YAML 1.1, YAML 1.2 or Ruby would not read the plain scalar as a string. Examples are true, no, null, 1e3,
 * 2001-12-14 and :day. Successive line breaks count as one space, because the lines of a plain scalar are one text. */
static bool is_reserved(const char *text, size_t length)
{
    char copy[40];
    size_t count = 0, symbol = 1;

    for (size_t i = 0, size; i < length; i += size) {
        const size_t fold = break_length(text + i, length - i, true); /* libyaml keeps U+2028 and U+2029 */
        size = fold ? fold : 1;
        if (fold && count && copy[count - 1] == ' ') continue;
        if (count + 1 == sizeof copy) return false;
        copy[count++] = fold ? ' ' : text[i];
    }
    copy[count] = '\0';
    /* Psych does not read a symbol of Ruby, such as :name, as a string */
    while (*copy == ':' && is_name(copy[symbol]) && copy[symbol] != '-') symbol++;
    if (symbol > 1 && !char_is_digit(copy[1]) && (!copy[symbol] || (strchr("?!", copy[symbol]) && !copy[symbol + 1])))
        return true;
    return !count || is_number(copy) ||
           chars_are_in(copy, count, "~ = null true false yes no on off y n .inf .nan -.inf +.inf <<");
}

/* Whether the character must be escaped: YAML does not allow it as it is, or takes it for a line break. */
static bool needs_escape(uint32_t code)
{
    return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || code == 0xfffe || code == 0xffff;
}

static bool is_special_yaml(unsigned context, uint32_t code)
{
    if (needs_escape(code)) return true;
    if (context & AT_LINE_START && (code == '-' || code == '.')) return true;
    if (kind_of(context) == YAML_SINGLE_QUOTED) return code == '\'';
    return kind_of(context) == YAML_DOUBLE_QUOTED && (code == '"' || code == '\\' || code == '\t');
}

/* Whether the dash or dot at the end of the spelling would be the first of --- or ... and so end the document. */
static bool ends_document(const char *spelling, size_t length, const SpellingPlace *place)
{
    char text[1 + SPELLING_AHEAD];
    const bool is_first =
        length > 1 ? is_line_start(spelling, 0, length - 1) : is_line_start(place->before, 0, place->before_length);

    text[0] = spelling[length - 1];
    if (place->after_length) memcpy(text + 1, place->after, place->after_length);
    return place->context & AT_LINE_START && is_first && begins_as_mark(text, 1 + place->after_length);
}

static size_t spell_yaml(uint32_t code, const SpellingPlace *place, char *out)
{
    const bool is_double = kind_of(place->context) == YAML_DOUBLE_QUOTED;
    const char mark = (char)code;

    if (code == '-' || code == '.') { /* a space before the mark is not text, but keeps the document from ending */
        if (!ends_document(&mark, 1, place)) return utf8_put(code, out);
        if (is_double) return (size_t)snprintf(out, 7, "\\x%02x", (unsigned)mark);
        out[0] = ' ';
        out[1] = mark;
        return 2;
    }
    if (!is_double && needs_escape(code)) return spelling_copy(" ", out);
    if (kind_of(place->context) == YAML_SINGLE_QUOTED) return spelling_copy("''", out);
    if (needs_escape(code)) return (size_t)snprintf(out, 7, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    out[0] = '\\';
    out[1] = code == '\t' ? 't' : (char)code;
    return 2;
}

static size_t refer_yaml(uint32_t code, const SpellingPlace *place, char *out)
{
    if (kind_of(place->context) != YAML_DOUBLE_QUOTED) return 0;
    return (size_t)snprintf(out, SPELLING_BYTES, code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
}

static bool keeps_yaml(const char *spelling, size_t length, const SpellingPlace *place)
{
    if (ends_document(spelling, length, place)) return false;
    if (kind_of(place->context) == YAML_SINGLE_QUOTED) return *spelling != '\'' || length == 2;
    if (kind_of(place->context) != YAML_DOUBLE_QUOTED) return true;
    if (length == 1 && (*spelling == '"' || *spelling == '\\')) return false;
    return escaped_text_keeps(read_double, spelling, length, place);
}

/* Whether a line may begin here: not with --- or ... in the first column and, in a plain scalar, not with a comment. */
static bool may_break_yaml(const SpellingPlace *place)
{
    const bool is_plain = kind_of(place->context) <= YAML_PLAIN_FLOW;

    if (place->context & AT_LINE_START && begins_as_mark(place->after, place->after_length)) return false;
    return !is_plain || !place->after_length || *place->after != '#';
}

/* Whether a plain scalar cannot begin with the character. */
static bool is_indicator(char first, bool in_flow)
{
    return char_is_among(first, ",[]{}#&*!|>'\"%@`") || (in_flow && first == ':');
}

/* A plain scalar gets quotes if its text is not valid without them. */
static unsigned choose_context_yaml(unsigned context, char first, const char *text, size_t length, const char **quotes)
{
    const unsigned kind = kind_of(context);
    const bool in_flow = kind == YAML_PLAIN_FLOW;
    bool needs_quotes;

    if (kind > YAML_PLAIN_FLOW || !length) return context;
    needs_quotes = is_indicator(first, in_flow) || is_indicator(*text, in_flow) || is_reserved(text, length) ||
                   begins_with_bom(text, length) || (strchr("-?:", *text) && (length == 1 || char_is_blank(text[1]))) ||
                   (context & HAS_TAGS && (memchr(text, ':', length) || memchr(text, '#', length)));
    for (size_t i = 0; i < length; i++) {
        const char next = i + 1 < length ? text[i + 1] : ' ';
        needs_quotes |= (text[i] == ':' && char_is_blank(next)) || (char_is_blank(text[i]) && next == '#');
        needs_quotes |= in_flow && char_is_among(text[i], ",[]{}?"); /* PyYAML does not accept ? inside [ ] or { } */
    }
    for (size_t at = 0; at < length;) { /* U+FEFF is valid in a plain scalar; other such characters are not */
        uint32_t code;
        at += utf8_next(text + at, length - at, &code);
        needs_quotes |= needs_escape(code) && code != 0xfeff;
    }
    if (!needs_quotes) return context;
    *quotes = "\"";
    return context - kind + YAML_DOUBLE_QUOTED;
}

const SpellingRules yaml_spelling = { .is_special = is_special_yaml,
                                      .spell = spell_yaml,
                                      .keeps = keeps_yaml,
                                      .may_break = may_break_yaml,
                                      .choose_context = choose_context_yaml,
                                      .refer = refer_yaml };

/* --- Values -------------------------------------------------------------------------- */

/* The deepest nesting. */
#define YAML_DEPTH 256

/* An open mapping or sequence. */
typedef struct {
    bool is_mapping, is_flow;
    bool is_key;  /* the next node is a key */
    bool in_key;  /* it is inside a key, so its nodes are not values */
    size_t count; /* number of complete nodes in it, including keys */
} YamlLevel;

/* The first key of a top-level mapping, which may name the language of the document. */
typedef struct {
    Range bytes; /* without quotes */
    bool is_language, is_plain, has_mapping;
} YamlLabel;

typedef struct {
    DocumentBuilder *builder;
    BuilderInput input;
    size_t character, byte; /* the last call of byte_of(): its argument and its result */
    DataPath path;
    YamlLabel label;
    YamlLevel levels[YAML_DEPTH]; /* [depth] */
    size_t depth;
} YamlReader;

/* Returns the byte offset of a character. Counts from the result of the last call. */
static size_t byte_of(YamlReader *r, size_t character)
{
    for (; r->character < character && r->byte < r->input.end; r->character++)
        for (r->byte++; r->byte < r->input.end && char_goes_on(r->input.bytes[r->byte]);) r->byte++;
    for (; r->character > character && r->byte > r->input.begin; r->character--)
        for (r->byte--; char_goes_on(r->input.bytes[r->byte]);) r->byte--;
    return r->byte;
}

/* Returns the bytes of a scalar without its anchor and tag, and without the white space and comments after these. */
static Range scalar_bytes(YamlReader *r, const yaml_event_t *event)
{
    const char *bytes = r->input.bytes;
    Range range;

    range.begin = byte_of(r, event->start_mark.index);
    range.end = byte_of(r, event->end_mark.index);
    while (range.begin < range.end && strchr("&!", bytes[range.begin])) {
        const bool is_anchor = bytes[range.begin] == '&';
        bool is_comment = false;
        size_t at = range.begin + is_anchor, line_end;
        while (at < range.end &&
               (is_anchor ? is_name(bytes[at])
                          : !char_is_blank(bytes[at]) && !break_length(bytes + at, range.end - at, true)))
            at++;
        for (; at < range.end; at += line_end ? line_end : 1) {
            line_end = break_length(bytes + at, range.end - at, true);
            is_comment = !line_end && (is_comment || bytes[at] == '#');
            if (!line_end && !is_comment && !char_is_blank(bytes[at])) break;
        }
        range.begin = at;
    }
    return range;
}

/* Whether the key names a language. Codes with three letters (map, new) and those in `words` are also ordinary words.
 * They count only with a region (id-ID), in a folder `locales`, or in a file named for the language (id.yml). */
static bool is_language(const YamlReader *r, const char *key, size_t length)
{
    static const char words[] = /* codes that are also ordinary words */
        " am an as be br cs he hi id ie io is it la li lt mi ml ms my na ne no om or os pi ps se sm "
        "so st te th ti to tr ts tt ";
    const char *const *languages = uloc_getISOLanguages();
    const size_t size = strcspn(key, "-_");
    const char word[] = { ' ', key[0], key[0] ? key[1] : '\0', ' ', '\0' };
    const char *base = path_name(r->input.name), *dot = strrchr(base, '.');

    if (size < 2 || size > 3 || length > 16) return false;
    if (size == length && (size == 3 || strstr(words, word)) && !strstr(r->input.name, "locales/")) {
        if (!dot || (size_t)(dot - base) < length || strncasecmp(dot - length, key, length) != 0) return false;
        if (dot - length > base && dot[-1 - (ptrdiff_t)length] != '.') return false;
    }
    for (; *languages; languages++)
        if (chars_are(key, size, *languages)) return true;
    return false;
}

/* Whether a line after the scalar begins with a tab. libyaml accepts this after a plain scalar that is the whole
 * document, but not after quotes, which a translation may need. */
static bool precedes_tab(const YamlReader *r, Range scalar)
{
    const char *bytes = r->input.bytes;
    bool is_first = false;
    size_t line_end;

    if (r->depth) return false;
    for (size_t at = scalar.end; at < r->input.end; at += line_end ? line_end : 1) {
        line_end = break_length(bytes + at, r->input.end - at, true);
        if (!line_end && !char_is_blank(bytes[at])) break;
        if (is_first && bytes[at] == '\t') return true;
        is_first = line_end || (is_first && bytes[at] == ' ');
    }
    return false;
}

static void read_value(YamlReader *r, const yaml_event_t *event, bool in_flow)
{
    static const YamlScalarKind kinds[] = {
        [YAML_PLAIN_SCALAR_STYLE] = YAML_PLAIN,
        [YAML_SINGLE_QUOTED_SCALAR_STYLE] = YAML_SINGLE_QUOTED,
        [YAML_DOUBLE_QUOTED_SCALAR_STYLE] = YAML_DOUBLE_QUOTED,
        [YAML_LITERAL_SCALAR_STYLE] = YAML_LITERAL,
        [YAML_FOLDED_SCALAR_STYLE] = YAML_FOLDED,
    };
    const char *value = (const char *)event->data.scalar.value, *tag = (const char *)event->data.scalar.tag;
    const Range range = scalar_bytes(r, event);
    YamlScalarKind kind = kinds[event->data.scalar.style];

    if (tag && strcmp(tag, "!") != 0 && strcmp(tag, YAML_STR_TAG) != 0) return;
    if (!data_path_is_wanted(&r->path, value, event->data.scalar.length)) return;
    /* Leave a scalar that follows its anchor without a space: libyaml accepts this only before a mark such as '?',
     * which may be missing from a translation. */
    if (range.begin && is_name(r->input.bytes[range.begin - 1])) return;
    if (kind == YAML_PLAIN && precedes_tab(r, range)) return;
    if (kind == YAML_PLAIN && is_reserved(value, event->data.scalar.length)) return;
    if (kind == YAML_PLAIN && in_flow) kind = YAML_PLAIN_FLOW;
    report_scalar(r->builder, kind, range.begin, range.end);
}

/* Counts a complete node in the mapping or sequence that contains it. */
static void end_node(YamlReader *r)
{
    YamlLevel *level = r->depth ? &r->levels[r->depth - 1] : NULL;

    if (!level) return;
    level->count++;
    level->is_key = level->is_mapping && !level->is_key;
}

/* Reads a scalar that is a key. The first top-level key may be the language of the document. */
static void read_key(YamlReader *r, const yaml_event_t *event)
{
    const char *key = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    const bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    data_path_set(&r->path, r->depth - 1, key, length);
    if (r->depth != 1 || r->levels[0].count) return;
    r->label = (YamlLabel){ scalar_bytes(r, event), is_language(r, key, length), is_plain, false };
    r->label.bytes.begin += !is_plain;
    r->label.bytes.end -= !is_plain;
}

/* Handles an event of libyaml. */
static void read_event(YamlReader *r, const yaml_event_t *event)
{
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    YamlLevel *level = r->depth ? &r->levels[r->depth - 1] : NULL;
    YamlLevel next = { .is_mapping = is_mapping, .is_key = is_mapping };
    const char *language = r->input.options->language;

    switch (event->type) {
    case YAML_SCALAR_EVENT:
        if (level && !level->is_mapping) data_path_set_index(&r->path, r->depth - 1, level->count);
        if (level && level->is_key && !level->in_key)
            read_key(r, event);
        else if (!level || !level->in_key)
            read_value(r, event, level && level->is_flow);
        end_node(r);
        break;
    case YAML_ALIAS_EVENT:
        end_node(r);
        break;
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        if (r->depth == YAML_DEPTH) {
            document_builder_fail(r->builder, byte_of(r, event->start_mark.index), "nested too deeply");
            return;
        }
        next.is_flow = is_mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                                  : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        if (level && !level->is_mapping) data_path_set_index(&r->path, r->depth - 1, level->count);
        if (level) next.in_key = level->in_key || level->is_key;
        if (r->depth == 1 && level->count == 1) r->label.has_mapping = is_mapping;
        r->levels[r->depth++] = next;
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        /* If the only top-level key is a language, the target language replaces it. The code "no" needs quotes. */
        if (r->depth == 1 && !r->path.is_front_matter && language && level->count == 2 && r->label.is_language &&
            r->label.has_mapping)
            document_builder_language(r->builder, r->label.bytes.begin, r->label.bytes.end,
                                      r->label.is_plain && is_reserved(language, strlen(language)) ? "\"no\""
                                                                                                   : language);
        data_path_cut(&r->path, --r->depth);
        end_node(r);
        break;
    case YAML_DOCUMENT_START_EVENT:
        r->label = (YamlLabel){ .is_language = false };
        break;
    default:
        break;
    }
}

/* Reads all events. With `only_checks`, reports nothing; returns false if the bytes are not one YAML document that is a
 * mapping, or if memory is short. */
static bool read_events(YamlReader *r, bool only_checks)
{
    yaml_parser_t parser;
    yaml_event_type_t type = YAML_NO_EVENT;
    size_t depth = 0;
    bool is_valid = true;

    if (!yaml_parser_initialize(&parser)) {
        document_builder_fail_memory(r->builder);
        return false;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->input.bytes + r->input.begin,
                                 r->input.end - r->input.begin);
    for (size_t count = 0; is_valid && type != YAML_STREAM_END_EVENT && !document_builder_failed(r->builder); count++) {
        yaml_event_t event;
        is_valid = yaml_parser_parse(&parser, &event);
        if (!is_valid && !parser.problem) /* libyaml sets a problem for all errors except a lack of memory */
            document_builder_fail_memory(r->builder);
        else if (!is_valid && !only_checks)
            document_builder_fail(r->builder,
                                  parser.error == YAML_READER_ERROR ? r->input.begin + parser.problem_offset
                                                                    : byte_of(r, parser.problem_mark.index),
                                  "%s", parser.problem);
        if (!is_valid) break;
        type = event.type;
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        if (!only_checks)
            read_event(r, &event);
        else /* event 0 begins the stream, event 1 a document; event 2 must begin a mapping */
            is_valid = depth <= YAML_DEPTH && (count != 2 || type == YAML_MAPPING_START_EVENT) &&
                       (count < 2 || type != YAML_DOCUMENT_START_EVENT);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_valid;
}

static void read_values(DocumentBuilder *builder, BuilderInput input, bool is_front_matter)
{
    YamlReader r = { .builder = builder,
                     .input = input,
                     .byte = input.begin,
                     .path = { .builder = builder, .is_front_matter = is_front_matter } };

    if (!is_front_matter || read_events(&r, true)) (void)read_events(&r, false);
    data_path_free(&r.path);
}

void yaml_values_read_front_matter(DocumentBuilder *builder, BuilderInput input)
{
    read_values(builder, input, true);
}

static void parse_yaml(DocumentBuilder *builder)
{
    read_values(builder, document_builder_input(builder), false);
}

const DocumentFormat document_yaml = { .name = "yaml",
                                       .endings = ".yaml .yml",
                                       .parse = parse_yaml,
                                       .spelling = &yaml_spelling,
                                       .arguments = ARGUMENTS_IN_ORDER };
