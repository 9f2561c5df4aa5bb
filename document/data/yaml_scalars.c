/* yaml_scalars.c - see yaml_scalars.h. */
#include "yaml_scalars.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "c_locale.h"
#include "chars.h"
#include "escaped_text.h"
#include "utf8.h"

/* The most blanks before a line break that become a part of it: a limit, so that reading takes linear time. */
#define BLANKS ((size_t)256)

/* A context is a kind and flags: */
enum {
    AT_LINE_START = YAML_KINDS, /* lines of the scalar begin in the first column, where --- and ... end the document */
    HAS_TAGS = 2 * YAML_KINDS   /* they may contain blanks, which would make a mark of a colon or a # beside them */
};

static unsigned kind_of(unsigned context)
{
    return context % YAML_KINDS;
}

/* Returns the length of the line break at bytes[0], or 0. libyaml also ends lines at U+0085, U+2028 and U+2029. Only
 * plain scalars and the end of a line after a backslash need this here: as characters of a text, these would need
 * quotes. */
static size_t break_length(const char *bytes, size_t length, bool is_plain)
{
    static const char *const breaks[] = { "\r\n", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };

    for (size_t i = 0; i < (is_plain ? sizeof breaks / sizeof *breaks : 1); i++) {
        const size_t size = strlen(breaks[i]);
        if (size <= length && memcmp(bytes, breaks[i], size) == 0) return size;
    }
    return length && char_is_newline(*bytes) ? 1 : 0;
}

size_t yaml_scalars_break(const char *bytes, size_t length)
{
    return break_length(bytes, length, true);
}

/* Returns the length of a line break at bytes[0], with the blanks before and all white space after it, or 0.
 * *count: how many line breaks these are. */
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

/* Reads folded text: a line break is a space; blank lines separate texts. */
static EscapedPart read_folded(const char *bytes, size_t length)
{
    size_t count;
    const size_t fold = fold_length(bytes, length, false, &count);
    EscapedPart part = { fold, 2, "\n\n" };

    if (!fold) return escaped_text_plain(bytes, length);
    return count > 1 ? part : escaped_text_code(fold, ' ');
}

/* A plain scalar is one text, so that quotes can be put around it. */
static EscapedPart read_plain(const char *bytes, size_t length)
{
    size_t count;
    const size_t fold = fold_length(bytes, length, true, &count);

    return fold ? escaped_text_code(fold, ' ') : escaped_text_plain(bytes, length);
}

static EscapedPart read_literal(const char *bytes, size_t length)
{
    size_t count;
    const size_t fold = fold_length(bytes, length, false, &count);
    EscapedPart part = { fold, count > 1 ? 2 : 1, "\n\n" };

    return fold ? part : escaped_text_plain(bytes, length);
}

static EscapedPart read_single(const char *bytes, size_t length)
{
    if (length > 1 && bytes[0] == '\'' && bytes[1] == '\'') return escaped_text_code(2, '\'');
    return read_folded(bytes, length);
}

static EscapedPart read_escape(const char *bytes, size_t length)
{
    static const char names[] = "abtnvfre\"/\\ ", codes[] = "\a\b\t\n\v\f\r\x1b\"/\\ ";
    static const struct {
        char name;
        uint32_t code;
    } others[] = { { 'N', 0x85 }, { '_', 0xa0 }, { 'L', 0x2028 }, { 'P', 0x2029 }, { '\t', '\t' } };
    const char *known = length > 1 && bytes[1] ? strchr(names, bytes[1]) : NULL;
    const size_t digits = length < 2 ? 0 : bytes[1] == 'x' ? 2 : bytes[1] == 'u' ? 4 : bytes[1] == 'U' ? 8 : 0;

    if (known) return escaped_text_code(2, (uint32_t)codes[known - names]);
    for (size_t i = 0; length > 1 && i < sizeof others / sizeof *others; i++)
        if (bytes[1] == others[i].name) return escaped_text_code(2, others[i].code);
    if (digits && length >= 2 + digits)
        return escaped_text_code(2 + digits, escaped_text_hex(bytes + 2, digits, digits));
    return escaped_text_code(length > 1 ? 2 : 1, 0);
}

/* Returns the length of the escaped line breaks at bytes[0], with the white space after them: they are no text, but the
 * empty lines after one are. */
static size_t escaped_breaks(const char *bytes, size_t length, bool *has_empty_lines)
{
    size_t at = 0, count = 0;

    while (count < 2 && length - at > 1 && bytes[at] == '\\' && break_length(bytes + at + 1, length - at - 1, true))
        at += 1 + fold_length(bytes + at + 1, length - at - 1, true, &count);
    *has_empty_lines = count > 1;
    return at;
}

/* A character after an escaped line break is one part with it: a blank at the beginning of a line would be no text. */
static EscapedPart read_double(const char *bytes, size_t length)
{
    bool has_empty_lines;
    const size_t begin = escaped_breaks(bytes, length, &has_empty_lines);
    EscapedPart part;

    if (has_empty_lines || begin == length) return escaped_text_code(begin, has_empty_lines ? '\n' : 0);
    part =
        bytes[begin] == '\\' ? read_escape(bytes + begin, length - begin) : read_folded(bytes + begin, length - begin);
    part.length += begin;
    return part;
}

/* Returns the end of the line at `at`, and *indent: the blanks at its beginning. */
static size_t line_end(const char *bytes, size_t at, size_t end, size_t *indent)
{
    const size_t begin = at;

    while (at < end && bytes[at] == ' ') at++;
    *indent = at - begin;
    while (at < end && !char_is_newline(bytes[at])) at++;
    if (at + 1 < end && bytes[at] == '\r' && bytes[at + 1] == '\n') at++;
    return at < end ? at + 1 : end;
}

/* How the lines of a scalar are reported. */
typedef struct {
    DocumentBuilder *builder;
    EscapedReader *read;
    YamlScalarKind kind;
    unsigned context; /* of a translation; that of the scalar's own text, which keeps its lines, is the kind */
} LineReport;

static void report_lines(const LineReport *r, size_t begin, size_t end)
{
    EscapedText text = escaped_text_start(r->builder, r->read, begin, end);

    escaped_text_report_rest(&text, r->context, r->kind);
    escaped_text_free(&text);
}

/* Reports a folded block. Lines that are indented more than the first are not folded: each is a text. */
static void report_folded(const LineReport *r, size_t begin, size_t end)
{
    const char *bytes = document_builder_input(r->builder).bytes;
    size_t base = (size_t)-1, start = begin, next;

    for (size_t at = begin; at < end; at = next) {
        size_t indent;
        bool is_blank_line;
        next = line_end(bytes, at, end, &indent);
        is_blank_line = at + indent == end || char_is_newline(bytes[at + indent]);
        if (is_blank_line) continue;
        if (base == (size_t)-1) base = indent;
        if (indent == base) continue;
        report_lines(r, start, at);
        report_lines(r, at, next);
        start = next;
    }
    report_lines(r, start, end);
}

/* Skips hints; a translation has none. */
static size_t skip_hints(const char *text, size_t length, size_t at)
{
    for (size_t hint; (hint = char_hint_length(text + at, length - at)) != 0;) at += hint;
    return at;
}

/* Whether the text begins with --- or ..., which end a document in the first column if white space follows. What
 * follows does not count here, because a translation may have white space there. */
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

/* Whether byte `at` is the first one of a line; [begin, at) is what precedes it. */
static bool is_line_start(const char *bytes, size_t begin, size_t at)
{
    for (size_t size = 1; size <= 3 && at - begin >= size; size++)
        if (yaml_scalars_break(bytes + at - size, size) == size) return true;
    return at == begin;
}

/* Whether a line of a scalar, whose contents are the bytes [begin, end), begins in the first column. */
static bool has_first_column(BuilderInput input, size_t begin, size_t end)
{
    bool is_start = is_line_start(input.bytes, input.begin, begin);

    for (size_t at = begin, size; at < end; at += size ? size : 1) {
        if (is_start && !char_is_space(input.bytes[at])) return true;
        size = yaml_scalars_break(input.bytes + at, end - at);
        is_start = size > 0;
    }
    return false;
}

/* Whether the text begins with U+FEFF, which libyaml skips at the beginning of a document. */
static bool begins_with_bom(const char *text, size_t length)
{
    const size_t at = skip_hints(text, length, 0);

    return length - at >= 3 && memcmp(text + at, "\xef\xbb\xbf", 3) == 0;
}

/* Reports a plain scalar. With tags, with Unicode white space around it, or after U+FEFF, quotes that a translation
 * needs are written around what the builder takes from the ends of the text. The scalar's own text never has quotes. */
static void report_plain(const LineReport *r, size_t begin, size_t end)
{
    const char *bytes = document_builder_input(r->builder).bytes + begin;
    EscapedText text = escaped_text_start(r->builder, read_plain, begin, end);
    const bool has_tags = text.tags.len > 0;
    const bool is_padded = has_tags || utf8_leading_space(bytes, end - begin) ||
                           utf8_trailing_space(bytes, end - begin) || begins_with_bom(bytes, end - begin);

    text.is_whole = true;
    if (!is_padded)
        escaped_text_report_rest(&text, r->context, r->kind);
    else if (escaped_text_has_more(&text))
        escaped_text_report_unit(&text, r->context | (has_tags ? HAS_TAGS : 0), YAML_BARE, true);
    escaped_text_free(&text);
}

void yaml_scalars_report(DocumentBuilder *builder, YamlScalarKind kind, size_t begin, size_t end)
{
    static EscapedReader *const readers[YAML_KINDS] = { read_plain,  read_plain,   read_single,
                                                        read_double, read_literal, read_folded };
    const BuilderInput input = document_builder_input(builder);
    const bool is_block = kind == YAML_LITERAL || kind == YAML_FOLDED, has_quotes = !is_block && kind > YAML_PLAIN_FLOW;
    LineReport report = { builder, readers[kind], kind, kind };
    size_t indent;

    begin = is_block ? line_end(input.bytes, begin, end, &indent) : begin + has_quotes;
    end -= has_quotes;
    if (!is_block && has_first_column(input, begin, end)) report.context |= AT_LINE_START; /* blocks have indentation */
    if (kind == YAML_FOLDED)
        report_folded(&report, begin, end);
    else if (kind <= YAML_PLAIN_FLOW)
        report_plain(&report, begin, end);
    else
        report_lines(&report, begin, end);
}

/* An integer with a base: 0x1F, 0o17, 0b1010; with _ between the digits. */
static bool is_based_number(const char *text)
{
    const char *digits;

    text += *text == '+' || *text == '-';
    if (text[0] != '0' || !text[1]) return false;
    digits = strchr("xX", text[1]) ? "0123456789abcdefABCDEF_" : strchr("oO", text[1]) ? "01234567_" : "01_";
    return strchr("xXoObB", text[1]) && text[2] && text[2 + strspn(text + 2, digits)] == '\0';
}

static bool is_number(const char *text)
{
    char *end;

    if (!strchr("0123456789+-.", *text)) return false;
    if (is_based_number(text)) return true;
    if (text[strspn(text, "0123456789+-._:")] == '\0') return true;
    if (strspn(text, "0123456789-+:.TtZz ") == strlen(text)) return true; /* and times */
    (void)c_locale_strtod(text, &end);
    return end > text && !*end;
}

/* A symbol of Ruby, :name, which Psych does not read as a string. */
static bool is_symbol(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const size_t length = *text == ':' ? strspn(text + 1, letters) : 0;

    if (!length || (text[1] >= '0' && text[1] <= '9')) return false;
    text += 1 + length;
    return !*text || (strchr("?!", *text) && !text[1]);
}

bool yaml_scalars_is_reserved(const char *text, size_t length)
{
    static const char *const words[] = { "",    "~", "=", "null", "true", "false", "yes",   "no", "on",
                                         "off", "y", "n", ".inf", ".nan", "-.inf", "+.inf", "<<" };
    char copy[40];
    size_t count = 0;

    for (size_t i = 0, size; i < length; i += size) {
        const size_t fold = break_length(text + i, length - i, true); /* libyaml keeps U+2028 and U+2029 */
        size = fold ? fold : 1;
        if (fold && count && copy[count - 1] == ' ') continue;
        if (count + 1 == sizeof copy) return false;
        copy[count++] = fold ? ' ' : text[i];
    }
    copy[count] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(copy, words[i]) == 0) return true;
    return is_number(copy) || is_symbol(copy);
}

/* Whether only an escape can spell the character: YAML does not have it, or it breaks lines there. */
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

/* Whether a dash or a dot, whose spelling ends with itself, would begin a mark that ends the document. */
static bool ends_document(const char *spelling, size_t length, const SpellingPlace *place)
{
    char text[1 + SPELLING_AHEAD];
    const bool is_first =
        length > 1 ? is_line_start(spelling, 0, length - 1) : is_line_start(place->before, 0, place->before_length);

    text[0] = spelling[length - 1];
    if (place->after_length) memcpy(text + 1, place->after, place->after_length);
    return place->context & AT_LINE_START && is_first && begins_as_mark(text, 1 + place->after_length);
}

/* Spells a dash or a dot. Blanks at the beginning of a line are no text. */
static size_t spell_mark(char mark, const SpellingPlace *place, char *out)
{
    if (!ends_document(&mark, 1, place)) {
        *out = mark;
        return 1;
    }
    if (kind_of(place->context) == YAML_DOUBLE_QUOTED) return (size_t)snprintf(out, 7, "\\x%02x", (unsigned)mark);
    out[0] = ' ';
    out[1] = mark;
    return 2;
}

static size_t spell_yaml(uint32_t code, const SpellingPlace *place, char *out)
{
    if (code == '-' || code == '.') return spell_mark((char)code, place, out);
    if (kind_of(place->context) != YAML_DOUBLE_QUOTED && needs_escape(code)) {
        *out = ' ';
        return 1;
    }
    if (kind_of(place->context) == YAML_SINGLE_QUOTED) {
        out[0] = out[1] = (char)code;
        return 2;
    }
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

/* In a plain scalar, a line must not begin with a comment. */
static bool may_break_yaml(const SpellingPlace *place)
{
    const bool is_plain = kind_of(place->context) <= YAML_PLAIN_FLOW;

    if (place->context & AT_LINE_START && begins_as_mark(place->after, place->after_length)) return false;
    return !is_plain || !place->after_length || *place->after != '#';
}

/* Whether the text has a character that libyaml does not read in a plain scalar. It reads U+FEFF, so a scalar with
 * that character stays plain. */
static bool has_escapes(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += utf8_next(text + at, length - at, &code);
        if (needs_escape(code) && code != 0xfeff) return true;
    }
    return false;
}

/* Whether a plain scalar cannot begin with the character. */
static bool is_indicator(char first, bool in_flow)
{
    return (first && strchr(",[]{}#&*!|>'\"%@`", first)) || (in_flow && first == ':');
}

/* Whether a text cannot be a plain scalar. In a flow, PyYAML reads no question mark. */
static bool needs_quotes(const char *text, size_t length, bool in_flow)
{
    if (is_indicator(*text, in_flow)) return true;
    if (strchr("-?:", *text) && (length == 1 || char_is_blank(text[1]))) return true;
    for (size_t i = 0; i < length; i++) {
        const char next = i + 1 < length ? text[i + 1] : ' ';
        if ((text[i] == ':' && char_is_blank(next)) || (char_is_blank(text[i]) && next == '#')) return true;
        if (in_flow && text[i] && strchr(",[]{}?", text[i])) return true;
    }
    return yaml_scalars_is_reserved(text, length) || has_escapes(text, length) || begins_with_bom(text, length);
}

static bool has_sign(const char *text, size_t length)
{
    return memchr(text, ':', length) || memchr(text, '#', length);
}

static unsigned choose_context_yaml(unsigned context, char first, const char *text, size_t length, const char **quotes)
{
    const unsigned kind = kind_of(context);
    const bool in_flow = kind == YAML_PLAIN_FLOW;

    if (kind > YAML_PLAIN_FLOW || !length) return context;
    if (!is_indicator(first, in_flow) && !needs_quotes(text, length, in_flow) &&
        !(context & HAS_TAGS && has_sign(text, length)))
        return context;
    *quotes = "\"";
    return context - kind + YAML_DOUBLE_QUOTED;
}

const SpellingRules yaml_spelling = { .is_special = is_special_yaml,
                                      .spell = spell_yaml,
                                      .keeps = keeps_yaml,
                                      .may_break = may_break_yaml,
                                      .choose_context = choose_context_yaml,
                                      .refer = refer_yaml };
