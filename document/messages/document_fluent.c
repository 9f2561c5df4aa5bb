/* document_fluent.c - Fluent, the messages of Firefox and others.
 *
 *     files = You have { $count ->
 *             [one] one file
 *            *[other] { $count } files
 *         } in <b>{ $folder }</b>.
 *         .title = Files
 *
 * The text of a message, of a term or of an attribute is a pattern. It is a unit; line breaks in it are spaces, unless
 * blank lines are between them. Placeables ({ $folder }) are kept. A selection (->) chooses one of several variants:
 *
 * - If there is no other text in the pattern, each variant is a unit in its place. Variants for plural categories that
 *   the language of the translation has, and the source lacks, are added; others are removed (plural_categories.h).
 * - Otherwise, the translation of the pattern is a selection between whole sentences: the text around the selection is
 *   copied into each variant. Several selections are put into each other. If this would give too many sentences, the
 *   text around the selections and the variants are units.
 *
 * Invalid entries ("junk") stay as they are.
 *
 * Source   https://github.com/projectfluent/fluent/blob/master/spec/fluent.ebnf, version 1.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "plural_categories.h"
#include "utf8.h"

#define MOST_NESTED ((size_t)50) /* placeables inside each other */

/* The limits for whole sentences in a pattern: their number, their bytes together, and the selections. */
#define MOST_SENTENCES      ((size_t)200)
#define MOST_SENTENCE_BYTES ((size_t)1 << 16)
#define MOST_SELECTIONS     ((size_t)32)

#define INDENT ((size_t)4) /* of what dragoman writes, for each level */

#define NONE   SIZE_MAX
#define OBJECT 0xfffc /* OBJECT REPLACEMENT CHARACTER */

/* One variant of a selection: *[other] text. */
typedef struct {
    bool is_default, shows_number; /* the text contains the variable of the selector */
    Range key;                     /* between the brackets */
    Range pattern;                 /* its text */
    size_t next;                   /* index of the next variant of the selection; NONE: it is the last one */
} FluentVariant;

/* A placeable with a selection. */
typedef struct {
    Range bytes;       /* { ... } */
    Range selector;    /* what is before -> */
    Range variable;    /* its name in the selector; empty: there is none */
    size_t list;       /* the byte after -> */
    size_t first;      /* index of the first variant */
    size_t after;      /* index of the first selection that begins after the end of this one */
    bool shows_number; /* the text around the selection contains the variable */
} FluentSelection;

/* The selections and the variants of one pattern, in the order in which they begin. */
typedef struct {
    LIST_OF(FluentSelection) selections;
    LIST_OF(FluentVariant) variants;
} FluentChoices;

typedef struct {
    Range name, pattern; /* of an attribute; of the message itself, the name is empty */
    size_t first, end;   /* its selections */
    bool is_opaque;      /* FluentParser.is_opaque */
} FluentPattern;

typedef struct {
    DocumentBuilder *builder;
    TextCursor in;
    size_t depth;      /* of placeables */
    const char *fault; /* why an entry is not valid; NULL: it is */
    bool is_opaque;    /* the pattern has a selection inside another placeable */
    const char *newline;
    const PluralTarget *target;
    size_t space;  /* a place where the document has a space; `end`: there is none */
    DataPath path; /* ID.ATTRIBUTE */
    FluentChoices choices;
    LIST_OF(FluentPattern) patterns; /* of the current entry */
} FluentParser;

/* --- Syntax ------------------------------------------------------------------------------ */

static bool fail(FluentParser *p, const char *what)
{
    if (!p->fault) p->fault = what;
    return false;
}

/* Returns the length of the end of line at byte `at`: LF or CR LF; 0: there is none. */
static size_t line_end_length(const char *bytes, size_t at, size_t end)
{
    if (at < end && bytes[at] == '\n') return 1;
    return at + 1 < end && bytes[at] == '\r' && bytes[at + 1] == '\n' ? 2 : 0;
}

/* Skips spaces, which are the only blanks of Fluent, and ends of lines. */
static size_t skip_blank(const char *bytes, size_t at, size_t end)
{
    for (size_t length = 1; length; at += length) {
        at = chars_skip(bytes, at, end, " ");
        length = line_end_length(bytes, at, end);
    }
    return at;
}

static void skip_blanks(FluentParser *p)
{
    p->in.at = skip_blank(p->in.text, p->in.at, p->in.end);
}

static void skip_spaces(FluentParser *p)
{
    cursor_skip(&p->in, " ");
}

static bool is_name(char c)
{
    return char_is_alphanumeric(c) || c == '-' || c == '_';
}

static bool read_identifier(FluentParser *p, Range *name)
{
    name->begin = name->end = p->in.at;
    if (!char_is_letter(cursor_char(&p->in))) return fail(p, "expected a name");
    while (is_name(cursor_char(&p->in))) p->in.at++;
    name->end = p->in.at;
    return true;
}

static bool read_string(FluentParser *p)
{
    for (p->in.at++; p->in.at < p->in.end && !char_is_newline(p->in.text[p->in.at]); p->in.at++) {
        const size_t left = p->in.end - p->in.at;
        const char *at = p->in.text + p->in.at;
        size_t digits;
        if (*at == '"') {
            p->in.at++;
            return true;
        }
        if (*at != '\\') continue;
        digits = left > 1 && at[1] == 'u' ? 4 : left > 1 && at[1] == 'U' ? 6 : 0;
        if (digits ? escaped_text_hex(at + 2, left - 2, digits) == UTF8_INVALID
                   : left < 2 || !char_is_among(at[1], "\\\""))
            return fail(p, "invalid escape in a string");
        p->in.at += 1 + digits;
    }
    return fail(p, "a string has no closing quote");
}

static bool read_number(FluentParser *p)
{
    (void)cursor_take(&p->in, "-");
    do {
        if (!char_is_digit(cursor_char(&p->in))) return fail(p, "expected a number");
        cursor_skip(&p->in, CURSOR_DIGITS);
    } while (cursor_take(&p->in, "."));
    return true;
}

typedef enum { EXPRESSION_VALUE, EXPRESSION_REFERENCE, EXPRESSION_TERM_ATTRIBUTE } ExpressionKind;

static bool read_placeable(FluentParser *p);
static bool read_expression(FluentParser *p, ExpressionKind *kind);

/* Reads the arguments of a function or a term after their opening parenthesis. */
static bool read_arguments(FluentParser *p)
{
    if (++p->depth > MOST_NESTED) return fail(p, "nested too deeply");
    for (skip_blanks(p); cursor_char(&p->in) != ')'; skip_blanks(p)) {
        const size_t begin = p->in.at;
        ExpressionKind kind;
        size_t end;
        if (!read_expression(p, &kind)) return false;
        end = p->in.at;
        skip_blanks(p);
        if (cursor_char(&p->in) == ':') { /* NAME: VALUE */
            for (size_t i = begin; i < end; i++)
                if (!is_name(p->in.text[i])) return fail(p, "expected a name before ':'");
            p->in.at++;
            skip_blanks(p);
            if (!(cursor_char(&p->in) == '"' ? read_string(p) : read_number(p))) return false;
            skip_blanks(p);
        }
        if (!cursor_take(&p->in, ",") && cursor_char(&p->in) != ')')
            return fail(p, "expected ',' or ')' after an argument");
    }
    p->in.at++;
    p->depth--;
    return true;
}

/* Reads what is in a placeable before -> or its closing brace. */
static bool read_expression(FluentParser *p, ExpressionKind *kind)
{
    const char c = cursor_char(&p->in);
    Range name;

    *kind = EXPRESSION_VALUE;
    if (c == '"') return read_string(p);
    if (c == '{') { /* a selection in it is not at a place of the pattern */
        const size_t count = p->choices.selections.len;
        *kind = EXPRESSION_REFERENCE;
        if (!read_placeable(p)) return false;
        p->is_opaque |= p->choices.selections.len > count;
        p->choices.selections.len = count;
        return true;
    }
    if (char_is_digit(c) || (c == '-' && p->in.at + 1 < p->in.end && char_is_digit(p->in.text[p->in.at + 1])))
        return read_number(p);
    p->in.at += c == '$' || c == '-';
    if (!read_identifier(p, &name)) return fail(p, "expected a value in braces");
    if (c == '$') return true;
    if (c != '-') { /* a message or a function */
        const size_t at = p->in.at;
        skip_blanks(p);
        if (cursor_take(&p->in, "(")) {
            for (size_t i = name.begin; i < name.end; i++)
                if (char_is_lower(p->in.text[i])) return fail(p, "the name of a function has no small letters");
            return read_arguments(p);
        }
        p->in.at = at;
    }
    *kind = EXPRESSION_REFERENCE;
    if (cursor_take(&p->in, ".")) {
        if (c == '-') *kind = EXPRESSION_TERM_ATTRIBUTE;
        if (!read_identifier(p, &name)) return false;
    }
    if (c == '-') {
        const size_t at = p->in.at;
        skip_blanks(p);
        if (cursor_take(&p->in, "(")) return read_arguments(p);
        p->in.at = at;
    }
    return true;
}

/* Where the next line of a pattern begins, after the end of line at p->in.at and blank lines; NONE: the pattern ends.
 * The line begins with a placeable, or it is indented and begins with text. */
static size_t next_line(const FluentParser *p)
{
    const size_t at = skip_blank(p->in.text, p->in.at, p->in.end);

    if (at == p->in.end) return NONE;
    if (p->in.text[at] == '{') return at;
    return p->in.text[at - 1] == ' ' && !char_is_among(p->in.text[at], "[*.}") ? at : NONE;
}

/* Reads a pattern. Sets *pattern to its text without blanks at both ends; empty: there is none. */
static bool read_pattern(FluentParser *p, Range *pattern)
{
    skip_spaces(p);
    pattern->begin = pattern->end = p->in.at;
    for (;;) {
        const char c = cursor_char(&p->in);
        if (p->in.at == p->in.end || line_end_length(p->in.text, p->in.at, p->in.end)) {
            const size_t next = next_line(p);
            if (next == NONE) return true;
            if (pattern->begin == pattern->end) pattern->begin = next;
            pattern->end = p->in.at = next;
            continue;
        }
        if (c == '}') return fail(p, "a closing brace without an opening one");
        if (c == '{' ? !read_placeable(p) : !++p->in.at) return false;
        if (c != ' ') pattern->end = p->in.at;
    }
}

/* Returns the name of the variable in a selector; empty: there is none. */
static Range find_variable(const FluentParser *p, Range selector)
{
    Range name = selector;

    while (name.begin < name.end && p->in.text[name.begin] != '$') name.begin++;
    name.begin += name.begin < name.end;
    for (name.end = name.begin; name.end < selector.end && is_name(p->in.text[name.end]);) name.end++;
    return name;
}

/* Whether the text contains the variable as { $name }; { $name -> does not count. */
static bool shows(const FluentParser *p, Range text, Range name)
{
    for (size_t at = text.begin; name.begin < name.end && at < text.end; at++) {
        const size_t end = at + 1 + name.end - name.begin;
        if (p->in.text[at] != '$' || end > text.end || (end < p->in.end && is_name(p->in.text[end]))) continue;
        if (!ranges_are_same(p->in.text, (Range){ at + 1, end }, name)) continue;
        if (!chars_begin(p->in.text, skip_blank(p->in.text, end, p->in.end), p->in.end, "->")) return true;
    }
    return false;
}

/* Reads the variants of the selection, up to its closing brace. */
static bool read_variants(FluentParser *p, size_t selection)
{
    size_t last = NONE;
    bool has_default = false;

    skip_spaces(p);
    if (!line_end_length(p->in.text, p->in.at, p->in.end)) return fail(p, "a variant must begin a line");
    for (skip_blanks(p); cursor_char(&p->in) == '[' || cursor_char(&p->in) == '*'; skip_blanks(p)) {
        FluentVariant variant = { .is_default = cursor_take(&p->in, "*"), .next = NONE };
        const size_t index = p->choices.variants.len;
        if (variant.is_default && has_default) return fail(p, "a selection has two default variants");
        has_default |= variant.is_default;
        if (!cursor_take(&p->in, "[")) return fail(p, "expected '[' after '*'");
        skip_blanks(p);
        variant.key.begin = p->in.at;
        if (!(char_is_letter(cursor_char(&p->in)) ? read_identifier(p, &variant.key) : read_number(p))) return false;
        variant.key.end = p->in.at;
        skip_blanks(p);
        if (!cursor_take(&p->in, "]")) return fail(p, "expected ']' after the key of a variant");
        LIST_PUT(&p->choices.variants, variant);
        if (p->choices.variants.failed) return fail(p, "out of memory");
        if (last == NONE)
            p->choices.selections.data[selection].first = index;
        else
            p->choices.variants.data[last].next = index;
        last = index;
        if (!read_pattern(p, &variant.pattern)) return false;
        if (variant.pattern.begin == variant.pattern.end) return fail(p, "a variant has no text");
        variant.shows_number = shows(p, variant.pattern, p->choices.selections.data[selection].variable);
        variant.next = p->choices.variants.data[index].next;
        p->choices.variants.data[index] = variant;
    }
    return has_default || fail(p, "a selection has no default variant, which begins with *");
}

static bool read_placeable(FluentParser *p)
{
    FluentSelection selection = { .bytes = { p->in.at, 0 }, .first = NONE };
    ExpressionKind kind;

    if (++p->depth > MOST_NESTED) return fail(p, "nested too deeply");
    p->in.at++;
    skip_blanks(p);
    selection.selector.begin = p->in.at;
    if (!read_expression(p, &kind)) return false;
    selection.selector.end = p->in.at;
    skip_blanks(p);
    if (cursor_begins(&p->in, "->")) {
        const size_t index = p->choices.selections.len;
        if (kind == EXPRESSION_REFERENCE) return fail(p, "a message or a term cannot be before ->");
        selection.variable = find_variable(p, selection.selector);
        selection.list = p->in.at += 2;
        LIST_PUT(&p->choices.selections, selection);
        if (p->choices.selections.failed) return fail(p, "out of memory");
        if (!read_variants(p, index)) return false;
        p->choices.selections.data[index].bytes.end = p->in.at + 1;
        p->choices.selections.data[index].after = p->choices.selections.len;
    } else if (kind == EXPRESSION_TERM_ATTRIBUTE) {
        return fail(p, "an attribute of a term can only be before ->");
    }
    if (!cursor_take(&p->in, "}")) return fail(p, "expected '}'");
    p->depth--;
    return true;
}

/* Adds the pattern of the message or of its attribute `name`. */
static bool add_pattern(FluentParser *p, Range name)
{
    FluentPattern pattern = { .name = name, .first = p->choices.selections.len };

    p->is_opaque = false;
    if (!read_pattern(p, &pattern.pattern)) return false;
    pattern.end = p->choices.selections.len;
    pattern.is_opaque = p->is_opaque;
    if (pattern.pattern.begin == pattern.pattern.end) return true;
    LIST_PUT(&p->patterns, pattern);
    return !p->patterns.failed || fail(p, "out of memory");
}

/* Reads a message or a term, up to the end of its last line. */
static bool read_entry(FluentParser *p, Range *id)
{
    const bool is_term = cursor_take(&p->in, "-");
    size_t count;

    p->fault = NULL;
    p->depth = p->choices.selections.len = p->choices.variants.len = p->patterns.len = 0;
    if (!read_identifier(p, id)) return false;
    skip_spaces(p);
    if (!cursor_take(&p->in, "=")) return fail(p, "expected '=' after the name of a message");
    if (!add_pattern(p, (Range){ p->in.at, p->in.at })) return false;
    if (is_term && !p->patterns.len) return fail(p, "a term has no text");
    for (;;) {
        const size_t next = skip_blank(p->in.text, p->in.at, p->in.end);
        Range name;
        if (next == p->in.end || p->in.text[next] != '.' || next == p->in.at) break;
        p->in.at = next + 1;
        if (!read_identifier(p, &name)) return false;
        skip_spaces(p);
        if (!cursor_take(&p->in, "=")) return fail(p, "expected '=' after the name of an attribute");
        count = p->patterns.len;
        if (!add_pattern(p, name)) return false;
        if (p->patterns.len == count) return fail(p, "an attribute has no text");
    }
    return p->patterns.len || fail(p, "a message has neither text nor attributes");
}

/* --- Text ---------------------------------------------------------------------------------- */

/* Returns the end of the string literal that begins with the quote at bytes[at]. */
static size_t string_end(const char *bytes, size_t at, size_t end)
{
    for (at++; at < end && bytes[at] != '"'; at++) at += bytes[at] == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

/* Reads a character of a string literal. */
static EscapedPart read_literal(const char *bytes, size_t length)
{
    static const EscapeRules escapes = { "\"\\", "\"\\", "", 0, false };
    const size_t digits = length < 2 || *bytes != '\\' ? 0 : bytes[1] == 'u' ? 4 : bytes[1] == 'U' ? 6 : 0;

    if (digits) return escaped_text_code(2 + digits, escaped_text_hex(bytes + 2, length - 2, digits));
    return *bytes != '\\' || length < 2 ? escaped_text_plain(bytes, length)
                                        : escaped_text_escape(&escapes, bytes, length);
}

/* Reads a placeable. One character in quotes is this character, and blanks in quotes are a space. Everything else is a
 * placeholder, with the name of its first variable, or else its first name. */
static EscapedPart read_placeholder(const char *bytes, size_t length)
{
    const size_t first = skip_blank(bytes, 1, length), string = first < length && bytes[first] == '"';
    size_t at = 1, name = 0;
    EscapedPart part = { .size = 0 };

    for (size_t depth = 1; depth && at < length;) {
        const char c = bytes[at];
        depth += c == '{';
        depth -= c == '}';
        if (!name && is_name(c) && c != '-') name = at;
        if (c == '$' && !(name && bytes[name - 1] == '$')) name = at + 1;
        at = c == '"' ? string_end(bytes, at, length) : at + 1;
    }
    if (string && skip_blank(bytes, string_end(bytes, first, length), length) + 1 == at) {
        const size_t end = string_end(bytes, first, length) - 1;
        size_t next = first + 1, count = 0;
        bool is_blank = true;
        for (; next < end && (count < 2 || is_blank); count++) {
            const EscapedPart character = read_literal(bytes + next, end - next);
            next += character.length;
            if (!count) part = character;
            is_blank &= character.size == 1 && *character.text == ' ';
        }
        part.length = at;
        if (count < 2 || is_blank) return part;
        name = first + 1;
    }
    part = escaped_text_code(at, OBJECT);
    part.is_placeholder = true;
    part.name = (Range){ name, name };
    while (part.name.end < at && is_name(bytes[part.name.end])) part.name.end++;
    return part;
}

/* Reads a character of a pattern without selections. An end of line with the indentation after it is a space. But blank
 * lines, and the marker of an item in a list, begin a new line of text. A placeable that begins a line without
 * indentation is one part with the end of line, because text in its place would not be a part of the pattern. */
static EscapedPart read_fluent(const char *bytes, size_t length)
{
    const size_t at = line_end_length(bytes, 0, length) ? skip_blank(bytes, 0, length) : 0;
    size_t count = 0;
    EscapedPart part;

    if (!at && *bytes != '{') return escaped_text_plain(bytes, length);
    if (!at || (at < length && bytes[at] == '{' && bytes[at - 1] == '\n')) {
        part = read_placeholder(bytes + at, length - at);
        part.length += at;
        part.name.begin += at;
        part.name.end += at;
        return part;
    }
    for (size_t i = 0; i < at; i++) count += bytes[i] == '\n';
    if (count > 1) return (EscapedPart){ .length = at, .size = 2, .text = "\n\n" };
    if (chars_begin(bytes, at, length, "- ") || chars_begin(bytes, at, length, "\xe2\x80\xa2")) /* a bullet */
        return escaped_text_code(at, '\n');
    return escaped_text_code(at, ' ');
}

/* Like read_fluent(), for tags: * and [, which cannot begin a line of a pattern, are not marks of other markup. */
static EscapedPart read_tags(const char *bytes, size_t length)
{
    return *bytes == '[' || *bytes == '*' ? escaped_text_code(1, OBJECT) : read_fluent(bytes, length);
}

/* --- Which variants a translation has -------------------------------------------------------- */

/* A variant of the translation. */
typedef struct {
    size_t variant;   /* the variant in its place; NONE: it is added */
    size_t source;    /* the variant whose text is translated; NONE: the variant is removed */
    const char *name; /* of the plural category of a variant that is added; otherwise NULL */
} FluentForm;

typedef LIST_OF(FluentForm) FluentForms;

/* Returns the index of the first selection that begins at byte `at` or after it. */
static size_t selection_from(const FluentParser *p, size_t at)
{
    size_t selection;

    FIND_FIRST(selection, p->choices.selections.len, p->choices.selections.data[selection].bytes.begin >= at);
    return selection;
}

static bool is_key(const FluentParser *p, const FluentVariant *variant, const char *key)
{
    return chars_are(p->in.text + variant->key.begin, variant->key.end - variant->key.begin, key);
}

static PluralCategory category_of(const FluentParser *p, const FluentVariant *variant)
{
    return plural_category_named(p->in.text + variant->key.begin, variant->key.end - variant->key.begin);
}

/* The texts of a selection by plural categories. */
typedef struct {
    PluralTexts texts;
    unsigned numbers; /* the categories of the numbers 0, 1 and 2 that are keys */
    size_t variants[PLURAL_CATEGORIES];
} FluentPlural;

/* Whether the variants are plural forms: all keys are plural categories or numbers, that of the default variant is a
 * category, and either one of them is another category than "other", or a text shows the number. */
static bool read_plural(const FluentParser *p, const FluentSelection *selection, FluentPlural *out)
{
    static const char *const numbers[] = { "0", "1", "2" };
    const FluentVariant *variants = p->choices.variants.data;
    bool has_number = selection->shows_number;

    *out = (FluentPlural){ .numbers = 0 };
    if (selection->variable.begin == selection->variable.end &&
        !chars_begin(p->in.text, selection->selector.begin, p->in.end, "NUMBER"))
        return false;
    for (size_t i = selection->first; i != NONE; i = variants[i].next) {
        const bool shows_number = selection->shows_number || variants[i].shows_number;
        PluralCategory category = category_of(p, &variants[i]);
        has_number |= shows_number;
        if (category == PLURAL_CATEGORIES) {
            if (variants[i].is_default || char_is_letter(p->in.text[variants[i].key.begin])) return false;
            for (size_t k = 0; k < 3; k++)
                if (is_key(p, &variants[i], numbers[k])) out->numbers |= 1u << k; /* zero, one, two */
            if (!is_key(p, &variants[i], "1") || (out->texts.categories & 1u << PLURAL_ONE)) continue;
            category = PLURAL_ONE;
        }
        out->variants[category] = i;
        out->texts.categories |= 1u << category;
        out->texts.without_number &= ~(1u << category);
        if (!shows_number) out->texts.without_number |= 1u << category;
    }
    return has_number || (out->texts.categories & ~(1u << PLURAL_OTHER) & ~out->numbers);
}

/* Lists the variants that the translation has in place of those of a selection. Added variants are before the default
 * variant; removed ones are listed, too. */
static FluentForms list_forms(const FluentParser *p, const FluentSelection *selection)
{
    const FluentVariant *variants = p->choices.variants.data;
    const Range selector = selection->selector;
    const bool is_ordinal = chars_after(p->in.text, selector.begin, selector.end, "\"ordinal\"", NONE) != NONE;
    const PluralForms forms = p->target->forms[is_ordinal ? PLURALS_ORDINAL : PLURALS_CARDINAL];
    FluentForms list = { 0 };
    FluentPlural plural;
    const bool is_plural = p->target->adapts && read_plural(p, selection, &plural);

    for (size_t i = selection->first; i != NONE; i = variants[i].next) {
        PluralCategory category = category_of(p, &variants[i]);
        FluentForm form = { .variant = i, .source = i };
        for (PluralCategory added = PLURAL_ZERO; is_plural && variants[i].is_default && added < PLURAL_OTHER; added++) {
            const unsigned bit = 1u << added;
            const bool has_key =
                (plural.texts.categories & bit) && category_of(p, &variants[plural.variants[added]]) == added;
            if (has_key || !(forms.categories & bit) || (plural.numbers & forms.single & bit)) continue;
            LIST_PUT(&list, ((FluentForm){ NONE, plural.variants[plural_source(plural.texts, forms, added)],
                                           plural_category_name(added) }));
        }
        if (is_plural && category < PLURAL_CATEGORIES) {
            const bool stays =
                variants[i].is_default || category == PLURAL_OTHER || (forms.categories & 1u << category);
            if (!variants[i].is_default) form.source = plural.variants[plural_source(plural.texts, forms, category)];
            if (!stays) form.source = NONE;
        }
        LIST_PUT(&list, form);
    }
    if (list.failed) document_builder_fail_memory(p->builder);
    return list;
}

static EscapedPlace place_of(const FluentParser *p, Range place)
{
    return (EscapedPlace){ .builder = p->builder, .read = read_fluent, .read_tags = read_tags, .place = place };
}

/* --- Whole sentences --------------------------------------------------------------------------- */

/* A selection between whole sentences that is being written. */
typedef struct {
    const FluentParser *parser;
    EscapedPlace place;
    LIST_OF(Range) parts; /* of the current sentence */
    LIST_OF(Range) rests; /* what follows the current text: the rest of the text around it, and so on */
    size_t indent;
} FluentSentences;

/* Adds text to the sentence. Instead of an end of line with its indentation, adds one space. */
static void add_parts(FluentSentences *s, Range text)
{
    const char *bytes = s->parser->in.text;
    const size_t space = s->parser->space;

    for (size_t at = text.begin, next; at < text.end; at = next) {
        size_t end = chars_find(bytes, at, text.end, '\n'), last;
        next = skip_blank(bytes, end, text.end);
        if (end < next && next < text.end && bytes[next] == '{' && bytes[next - 1] == '\n') end = next;
        if (end == next) {
            LIST_PUT(&s->parts, ((Range){ at, end }));
            continue;
        }
        for (last = next; bytes[last - 1] != '\n';) last--;
        if (last == end + 1) { /* no blank line */
            last = end;
            if (last > at && bytes[last - 1] == '\r') last--;
        }
        LIST_PUT(&s->parts, ((Range){ at, last }));
        LIST_PUT(&s->parts, ((Range){ space, space + 1 }));
    }
}

static void write_line(FluentSentences *s, size_t indent)
{
    buf_put_text(&s->place.syntax, s->parser->newline);
    for (size_t i = 0; i < indent; i++) buf_put_byte(&s->place.syntax, ' ');
}

/* Continues the sentence with a text and with s->rests. At a selection, ends it once for each variant. */
static void write_sentences(FluentSentences *s, Range text)
{
    const FluentParser *p = s->parser;
    const size_t index = selection_from(p, text.begin), count = s->parts.len;
    const FluentSelection *selection = &p->choices.selections.data[index];
    FluentForms forms;

    if (document_builder_failed(p->builder)) return;
    if (index == p->choices.selections.len || selection->bytes.begin >= text.end) {
        add_parts(s, text);
        if (s->rests.len) {
            const Range rest = s->rests.data[--s->rests.len];
            write_sentences(s, rest);
            LIST_PUT(&s->rests, rest);
        } else if (!s->parts.failed && !s->rests.failed && !s->place.syntax.failed) {
            size_t begin = document_builder_compose(p->builder, s->parts.data, s->parts.len), length = 0;
            for (size_t i = 0; i < s->parts.len; i++) length += s->parts.data[i].end - s->parts.data[i].begin;
            if (!document_builder_failed(p->builder)) escaped_place_add(&s->place, (Range){ begin, begin + length });
        } else {
            document_builder_fail_memory(p->builder);
        }
        s->parts.len = count;
        return;
    }
    add_parts(s, (Range){ text.begin, selection->bytes.begin });
    LIST_PUT(&s->rests, ((Range){ selection->bytes.end, text.end }));
    buf_put_text(&s->place.syntax, "{ ");
    buf_put(&s->place.syntax, p->in.text + selection->selector.begin,
            selection->selector.end - selection->selector.begin);
    buf_put_text(&s->place.syntax, " ->");
    s->indent += INDENT;
    forms = list_forms(p, selection);
    for (size_t i = 0; i < forms.len; i++) {
        const FluentForm form = forms.data[i];
        const FluentVariant *variant = form.variant == NONE ? NULL : &p->choices.variants.data[form.variant];
        if (form.source == NONE) continue;
        write_line(s, s->indent - (variant && variant->is_default));
        buf_put_text(&s->place.syntax, variant && variant->is_default ? "*[" : "[");
        if (variant)
            buf_put(&s->place.syntax, p->in.text + variant->key.begin, variant->key.end - variant->key.begin);
        else
            buf_put_text(&s->place.syntax, form.name);
        buf_put_text(&s->place.syntax, "] ");
        write_sentences(s, p->choices.variants.data[form.source].pattern);
    }
    free(forms.data);
    s->indent -= INDENT;
    write_line(s, s->indent);
    buf_put_byte(&s->place.syntax, '}');
    s->rests.len--;
    s->parts.len = count;
}

/* Returns how many sentences a text has, at most MOST_SENTENCES + 1. */
static size_t count_sentences(const FluentParser *p, Range text)
{
    size_t product = 1;

    for (size_t i = selection_from(p, text.begin); i < p->choices.selections.len && product <= MOST_SENTENCES;
         i = p->choices.selections.data[i].after) {
        const FluentSelection *selection = &p->choices.selections.data[i];
        FluentForms forms;
        size_t sum = 0;
        if (selection->bytes.begin >= text.end) break;
        forms = list_forms(p, selection);
        for (size_t k = 0; k < forms.len && sum <= MOST_SENTENCES; k++)
            if (forms.data[k].source != NONE)
                sum += count_sentences(p, p->choices.variants.data[forms.data[k].source].pattern);
        free(forms.data);
        product *= sum;
    }
    return product > MOST_SENTENCES ? MOST_SENTENCES + 1 : product;
}

/* Reports the sentences of a pattern with the selections [first, end). Returns false if they are too many. */
static bool report_sentences(FluentParser *p, Range pattern, size_t first, size_t end)
{
    FluentSentences s = { .parser = p, .place = place_of(p, pattern), .indent = p->path.starts.len * INDENT };
    const size_t length = pattern.end - pattern.begin;
    size_t count;

    if (end - first > MOST_SELECTIONS || length > MOST_SENTENCE_BYTES || p->space == p->in.end) return false;
    for (size_t i = first; i < end; i++) {
        FluentSelection *selection = &p->choices.selections.data[i];
        selection->shows_number = shows(p, (Range){ pattern.begin, selection->bytes.begin }, selection->variable) ||
                                  shows(p, (Range){ selection->bytes.end, pattern.end }, selection->variable);
    }
    count = count_sentences(p, pattern);
    if (count > MOST_SENTENCES || count * length > MOST_SENTENCE_BYTES) return false;
    write_sentences(&s, pattern);
    (void)escaped_place_end(&s.place);
    free(s.parts.data);
    free(s.rests.data);
    return true;
}

/* --- Units --------------------------------------------------------------------------------------- */

static void report_text(FluentParser *p, Range text);

/* Indents a text that begins with a placeable at the beginning of a line, because the translation may begin with other
 * text. */
static void indent_text(const FluentParser *p, size_t at)
{
    if (p->in.text[at - 1] == '\n') document_builder_mark(p->builder, EVERY_TRANSLATION, at, at, "    ");
}

static bool has_selection(const FluentParser *p, Range text)
{
    return selection_from(p, text.begin) < selection_from(p, text.end);
}

static void report_plain(FluentParser *p, size_t begin, size_t end)
{
    EscapedText text = escaped_text_start(p->builder, read_tags, begin, end);

    text.read = read_fluent;
    escaped_text_report_rest(&text, 0, 0);
    escaped_text_free(&text);
}

/* Reports the variants of a selection in their places. */
static void report_selection(FluentParser *p, size_t index)
{
    const FluentSelection *selection = &p->choices.selections.data[index];
    FluentForms forms = list_forms(p, selection);
    size_t end = selection->list; /* of the last variant in its place */
    Range margin = { 0, 0 };      /* the white space before a variant that is not the default */

    for (size_t i = 0; i < forms.len; i++) {
        const FluentVariant *variant =
            forms.data[i].variant == NONE ? NULL : &p->choices.variants.data[forms.data[i].variant];
        if (!variant || (variant->is_default && margin.end)) continue;
        for (margin.end = variant->key.begin; !strchr("[*", p->in.text[margin.end]);) margin.end--;
        margin.end -= variant->is_default && p->in.text[margin.end] == '[';
        for (margin.begin = margin.end; p->in.text[margin.begin - 1] == ' ';) margin.begin--;
    }
    for (size_t i = 0; i < forms.len && !document_builder_failed(p->builder); i++) {
        const FluentForm form = forms.data[i];
        const FluentVariant *variant = form.variant == NONE ? NULL : &p->choices.variants.data[form.variant];
        if (form.source == NONE) {
            document_builder_mark(p->builder, EVERY_TRANSLATION, end, variant->pattern.end, "");
        } else if (form.source == form.variant || has_selection(p, p->choices.variants.data[form.source].pattern)) {
            if (variant) report_text(p, variant->pattern);
        } else {
            EscapedPlace place = place_of(p, variant ? variant->pattern : (Range){ end, end });
            if (!variant) {
                buf_put_text(&place.syntax, p->newline);
                buf_put(&place.syntax, p->in.text + margin.begin, margin.end - margin.begin);
                buf_put_format(&place.syntax, "[%s] ", form.name);
            }
            if (variant) indent_text(p, variant->pattern.begin);
            escaped_place_add(&place, p->choices.variants.data[form.source].pattern);
            (void)escaped_place_end(&place);
        }
        if (variant) end = variant->pattern.end;
    }
    free(forms.data);
}

/* Whether the selection is the whole text, and its variants can be reported in their places: none of them has a
 * selection in it if other variants are made from them. */
static bool is_alone(const FluentParser *p, Range text, size_t index)
{
    const FluentSelection *selection = &p->choices.selections.data[index];
    FluentPlural plural;

    if (selection->bytes.begin != text.begin || selection->bytes.end != text.end) return false;
    return selection->after == index + 1 || !p->target->adapts || !read_plural(p, selection, &plural);
}

/* Reports a text that may have selections. */
static void report_text(FluentParser *p, Range text)
{
    const size_t first = selection_from(p, text.begin), end = selection_from(p, text.end);
    size_t at = text.begin;

    if (first < end && is_alone(p, text, first)) {
        report_selection(p, first);
        return;
    }
    indent_text(p, text.begin);
    if (first < end && report_sentences(p, text, first, end)) return;
    for (size_t i = first; i < end; i = p->choices.selections.data[i].after) {
        const Range bytes = p->choices.selections.data[i].bytes;
        report_plain(p, at, bytes.begin);
        report_selection(p, i);
        at = bytes.end;
    }
    report_plain(p, at, text.end);
}

/* Whether the text of a term or of an attribute stays: names of products; the attributes of terms, which only selectors
 * read; styles, and keys of the keyboard. --select and --skip name messages and attributes. */
static bool is_wanted(FluentParser *p, Range id, const FluentPattern *pattern)
{
    const size_t length = pattern->pattern.end - pattern->pattern.begin;
    const bool is_term = id.begin && p->in.text[id.begin - 1] == '-',
               is_value = pattern->name.begin == pattern->name.end;
    const Range name = pattern->name;

    data_path_set(&p->path, 0, p->in.text + id.begin - is_term, id.end - id.begin + is_term);
    if (!is_value) data_path_set(&p->path, 1, p->in.text + name.begin, name.end - name.begin);
    if (is_term && (!is_value || chars_after(p->in.text, id.begin, id.end, "brand", 0))) return false;
    if (chars_are(p->in.text + name.begin, name.end - name.begin, "style")) return false;
    return data_path_is_wanted(&p->path, p->in.text + pattern->pattern.begin, is_value && length > 1 ? 0 : length);
}

static void parse_fluent(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *newline = memchr(input.bytes, '\n', input.end), *fault = NULL;
    FluentParser p = { .builder = builder,
                       .in = { input.bytes, input.begin, input.end },
                       .space = chars_find(input.bytes, input.begin, input.end, ' '),
                       .newline = newline && newline > input.bytes && newline[-1] == '\r' ? "\r\n" : "\n",
                       .target = document_builder_target(builder),
                       .path = { .builder = builder } };
    size_t fault_at = 0;
    bool has_entry = false;

    while (p.in.at < p.in.end && !document_builder_failed(builder)) {
        const size_t begin = p.in.at, text = chars_skip(p.in.text, begin, p.in.end, " ");
        Range id;
        if (text == p.in.end || line_end_length(p.in.text, text, p.in.end) || p.in.text[begin] == '#') {
            has_entry |= text < p.in.end && p.in.text[begin] == '#';
            p.in.at = chars_next_line(p.in.text, text, p.in.end);
        } else if (read_entry(&p, &id)) {
            has_entry = true;
            for (size_t i = 0; i < p.patterns.len && !document_builder_failed(builder); i++) {
                const FluentPattern pattern = p.patterns.data[i];
                if (!pattern.is_opaque && is_wanted(&p, id, &pattern)) report_text(&p, pattern.pattern);
            }
            p.in.at = chars_next_line(p.in.text, p.in.at, p.in.end);
        } else { /* the next entry begins in a line with a letter, - or # at its beginning */
            if (!fault) fault_at = p.in.at;
            if (!fault) fault = p.fault;
            for (p.in.at = chars_next_line(p.in.text, begin, p.in.end);
                 p.in.at < p.in.end && !char_is_letter(p.in.text[p.in.at]) && p.in.text[p.in.at] != '-' &&
                 p.in.text[p.in.at] != '#';)
                p.in.at = chars_next_line(p.in.text, p.in.at, p.in.end);
        }
    }
    if (fault && !has_entry) document_builder_fail(builder, fault_at, "not a Fluent file: %s", fault);
    if (fault && has_entry) document_builder_warn(builder, fault_at, "%s; this part stays as it is", fault);
    data_path_free(&p.path);
    free(p.choices.selections.data);
    free(p.choices.variants.data);
    free(p.patterns.data);
}

/* Whether only spaces are before the place in its line. */
static bool begins_line(const SpellingPlace *place)
{
    const char *at = place->before + place->before_length;
    size_t left = place->before_length + place->readable;

    while (left && at[-1] == ' ') at--, left--;
    return left && at[-1] == '\n';
}

static bool is_special_fluent(unsigned context, uint32_t code)
{
    (void)context;
    return code < 0x80 && char_is_among((char)code, "{}[*.");
}

static size_t spell_fluent(uint32_t code, const SpellingPlace *place, char *out)
{
    if (!char_is_among((char)code, "{}") && !begins_line(place)) return utf8_put(code, out);
    return (size_t)snprintf(out, SPELLING_BYTES, "{\"%c\"}", (char)code);
}

static bool keeps_fluent(const char *spelling, size_t length, const SpellingPlace *place)
{
    return length > 1 || !char_is_among(*spelling, "[*.") || !begins_line(place);
}

static bool may_break_fluent(const SpellingPlace *place)
{
    return place->after_length && !char_is_among(*place->after, "[*.");
}

/* A character that the encoding of the document lacks. */
static size_t refer_fluent(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    return (size_t)snprintf(out, SPELLING_BYTES, code < 0x10000 ? "{\"\\u%04X\"}" : "{\"\\U%06X\"}", (unsigned)code);
}

static const SpellingRules fluent_spelling = { .is_special = is_special_fluent,
                                               .spell = spell_fluent,
                                               .keeps = keeps_fluent,
                                               .may_break = may_break_fluent,
                                               .refer = refer_fluent };

const DocumentFormat document_fluent = {
    .name = "fluent", .endings = ".ftl", .parse = parse_fluent, .spelling = &fluent_spelling
};
