/* document_json.c - JSON and JSON Lines. All strings that are not keys are texts; a newline in them (\n) separates
 * units. A malformed line of JSON Lines is copied unchanged and reported with document_builder_fault().
 *
 * Plural forms are strings with the keys item_one and item_other of i18next, or the only strings of an object with
 * the keys "one" and "other". The key item_other alone is one if its text shows {{count}}. They are reported at the
 * end of their object, when all of them are known. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

/* The deepest nesting. */
#define JSON_DEPTH 512

/* Contexts. JSON_ASCII: a document in ASCII with escapes like \u00e9 stays in ASCII. */
enum { JSON_UTF8, JSON_ASCII };

/* A string whose key ends with the name of a plural category. */
typedef struct {
    LineText stem; /* of the key: "item" or "item_ordinal"; empty: the key is the name alone */
    PluralCategory category;
    size_t number; /* of the string among those of its object */
    Range key, value;
} JsonPlural;

typedef struct {
    DocumentBuilder *builder; /* NULL: only check the syntax */
    const DocumentOptions *options;
    TextCursor in;
    unsigned context;
    const char *fault; /* the error at byte `at`; NULL: none */
    DataPath path;
    Buf key;
    JsonNodeList *nodes;         /* NULL: not wanted */
    Range name;                  /* of the next value: its key, or empty */
    LIST_OF(JsonPlural) plurals; /* of the open objects */
    size_t depth;
    bool is_array[JSON_DEPTH]; /* [depth] */
} JsonReader;

static const EscapeRules escapes = { "\"\\/bfnrt", "\"\\/\b\f\n\r\t", "u", 0, false };

EscapedPart json_read_character(const char *bytes, size_t length)
{
    if (*bytes != '\\' || length < 2) return escaped_text_plain(bytes, length);
    return escaped_text_escape(&escapes, bytes, length);
}

static bool fail(JsonReader *r, const char *what)
{
    if (!r->fault) r->fault = what;
    return false;
}

static void skip_space(JsonReader *r)
{
    r->in.at = chars_skip_space(r->in.text, r->in.at, r->in.end);
}

/* Reads a string. Sets *contents to the bytes between its quotes. */
static bool read_string(JsonReader *r, Range *contents)
{
    contents->begin = ++r->in.at;
    while (r->in.at < r->in.end && r->in.text[r->in.at] != '"') {
        if ((unsigned char)r->in.text[r->in.at] < 0x20) return fail(r, "control character in a string");
        if (r->in.text[r->in.at] == '\\') {
            const char next = r->in.at + 1 < r->in.end ? r->in.text[r->in.at + 1] : '\0';
            const bool is_code =
                next == 'u' && escaped_text_hex(r->in.text + r->in.at + 2, r->in.end - r->in.at - 2, 4) != UTF8_INVALID;
            if (!is_code && !char_is_among(next, "\"\\/bfnrt")) return fail(r, "invalid escape in a string");
            r->in.at += is_code ? 5 : 1;
        }
        r->in.at++;
    }
    if (r->in.at == r->in.end) return fail(r, "a string has no closing quote");
    contents->end = r->in.at++;
    return true;
}

static bool skip_digits(JsonReader *r)
{
    if (!char_is_digit(cursor_char(&r->in))) return fail(r, "invalid number");
    cursor_skip(&r->in, CURSOR_DIGITS);
    return true;
}

static bool read_number(JsonReader *r)
{
    (void)cursor_take(&r->in, "-");
    if (!cursor_take(&r->in, "0") && !skip_digits(r)) return false;
    if (cursor_take(&r->in, ".") && !skip_digits(r)) return false;
    if (!cursor_take(&r->in, "eE")) return true;
    (void)cursor_take(&r->in, "+-");
    return skip_digits(r);
}

/* --- Plural forms ---------------------------------------------------------------------- */

/* If the last key ends with the name of a plural category, remembers its value and returns true. */
static bool take_plural(JsonReader *r, Range value)
{
    const char *key = r->in.text + r->name.begin;
    const size_t length = r->name.end - r->name.begin;
    size_t name = length;
    PluralCategory category;

    if (!r->depth || r->is_array[r->depth - 1]) return false;
    while (name && char_is_lower(key[name - 1])) name--;
    if (name && key[name - 1] != '_') return false;
    category = plural_category_named(key + name, length - name);
    if (category == PLURAL_CATEGORIES) return false;
    LIST_PUT(&r->plurals, ((JsonPlural){ { key, name ? name - 1 : 0 }, category, r->plurals.len, r->name, value }));
    if (r->plurals.failed) document_builder_fail_memory(r->builder);
    return true;
}

static int compare_plurals(const void *a, const void *b)
{
    const JsonPlural *x = a, *y = b;
    const int order = ranges_compare_texts(&x->stem, &y->stem);

    if (order) return order;
    if (x->category != y->category) return x->category < y->category ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static EscapedPlace place_at(const JsonReader *r, size_t begin, size_t end)
{
    return (EscapedPlace){
        .builder = r->builder, .read = json_read_character, .place = { begin, end }, .context = r->context
    };
}

/* Adds a key and a string for a category before those of `form`. The string is a translation of `other`. */
static void add_form(JsonReader *r, const JsonPlural *form, PluralCategory category, const JsonPlural *other)
{
    const size_t quote = form->key.begin - 1;
    EscapedPlace place = place_at(r, quote, quote);
    size_t space = quote;

    while (char_is_space(r->in.text[space - 1])) space--;
    buf_put(&place.syntax, r->in.text + quote, 1 + form->stem.len);
    buf_put_format(&place.syntax, "%s%s", form->stem.len ? "_" : "", plural_category_name(category));
    buf_put(&place.syntax, r->in.text + form->key.end, form->value.begin - form->key.end);
    escaped_place_add(&place, other->value);
    buf_put_text(&place.syntax, "\",");
    buf_put(&place.syntax, r->in.text + space, quote - space);
    (void)escaped_place_end(&place);
}

/* Whether the string shows {{count}}, the number of i18next, or {count}. */
static bool has_count(const JsonReader *r, Range value)
{
    const size_t at = chars_after(r->in.text, value.begin, value.end, "{count", 0);

    return at || chars_after(r->in.text, value.begin, value.end, "{ count", 0);
}

/* Reports strings with the same stem, in the order of their categories. If they are the forms of a plural, adds those
 * that the target language needs: plural_source() chooses the string from which each is made. */
static void report_forms(JsonReader *r, const JsonPlural *forms, size_t count, size_t members)
{
    const LineText stem = forms->stem;
    const JsonPlural *other = &forms[count - 1];
    const PluralTarget *target = document_builder_target(r->builder);
    const bool is_ordinal = chars_end(stem.data, 0, stem.len, "_ordinal");
    const PluralForms wanted = target->forms[is_ordinal ? PLURALS_ORDINAL : PLURALS_CARDINAL];
    const bool is_plural = other->category == PLURAL_OTHER && target->adapts &&
                           (stem.len ? count > 1 || has_count(r, other->value) : count > 1 && count == members);
    PluralTexts texts = { 0 };
    unsigned missing;

    for (size_t i = 0; i < count; i++) {
        texts.categories |= 1u << forms[i].category;
        if (!document_builder_shows_number(r->builder, forms[i].value)) texts.without_number |= 1u << forms[i].category;
    }
    missing = is_plural ? wanted.categories & ~texts.categories : 0;
    for (size_t i = 0; i < count && !document_builder_failed(r->builder); i++) {
        const JsonPlural *form = &forms[i];
        for (PluralCategory c = PLURAL_ZERO; c < form->category; c++) {
            if (missing >> c & 1) add_form(r, form, c, other);
            missing &= ~(1u << c);
        }
        if (is_plural && plural_source(texts, wanted, form->category) != form->category) {
            EscapedPlace place = place_at(r, form->value.begin, form->value.end);
            escaped_place_add(&place, other->value);
            (void)escaped_place_end(&place);
        } else {
            escaped_text_report_units(r->builder, json_read_character, r->context, form->value.begin, form->value.end);
        }
    }
}

/* Reports the strings in r->plurals from index `first` on, which are in an object with so many members. */
static void report_plurals(JsonReader *r, size_t first, size_t members)
{
    const size_t count = r->plurals.len - first;
    JsonPlural *plurals;

    if (!count) return;
    plurals = r->plurals.data + first;
    qsort(plurals, count, sizeof *plurals, compare_plurals);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && ranges_compare_texts(&plurals[i].stem, &plurals[end].stem) == 0;) end++;
        report_forms(r, plurals + i, end - i, members);
    }
    r->plurals.len = first;
}

/* --- Values ------------------------------------------------------------------------------ */

/* Reads a string that is a value. The metadata of ARB files is not translated: strings in an object whose key begins
 * with @, and strings whose key begins with @@. The target language replaces the value of @@locale. */
static bool read_text(JsonReader *r)
{
    bool is_metadata = false;
    Range contents;

    if (!read_string(r, &contents)) return false;
    if (!r->builder) return true;
    for (size_t i = 0; i < r->depth; i++) {
        const char *key = data_path_key(&r->path, i);
        const bool is_object = i + 1 < r->depth && !r->is_array[i + 1];
        is_metadata |= !r->is_array[i] && key[0] == '@' && (is_object || key[1] == '@');
    }
    if (!is_metadata) {
        if (data_path_is_wanted(&r->path, r->in.text + contents.begin, contents.end - contents.begin) &&
            !take_plural(r, contents))
            escaped_text_report_units(r->builder, json_read_character, r->context, contents.begin, contents.end);
    } else if (r->depth == 1 && r->options->language && strcmp(r->path.text.data, "@@locale") == 0) {
        document_builder_language(r->builder, contents.begin, contents.end, r->options->language);
    }
    return true;
}

/* Reads a key and its colon, and appends the key to the path. */
static bool read_key(JsonReader *r)
{
    Range contents;

    skip_space(r);
    if (cursor_char(&r->in) != '"') return fail(r, "expected a key in quotes");
    if (!read_string(r, &contents)) return false;
    r->name = contents;
    skip_space(r);
    if (!cursor_take(&r->in, ":")) return fail(r, "expected ':' after the key");
    if (!r->builder) return true;
    buf_clear(&r->key);
    escaped_text_decode(&r->key, json_read_character, r->in.text, contents);
    document_builder_check(r->builder, buf_check(&r->key, NULL));
    data_path_set(&r->path, r->depth - 1, r->key.data, r->key.len);
    return true;
}

/* Reads a string, a number, true, false or null. */
static bool read_scalar(JsonReader *r)
{
    const char c = cursor_char(&r->in);
    const char *word = c == 't' ? "true" : c == 'f' ? "false" : "null";

    if (c == '"') return read_text(r);
    if (c == '-' || char_is_digit(c)) return read_number(r);
    if (cursor_begins(&r->in, word)) {
        r->in.at += strlen(word);
        return true;
    }
    return fail(r, r->in.at == r->in.end ? "unexpected end" : "not a JSON value");
}

static void end_node(JsonReader *r, size_t node)
{
    if (!r->nodes || r->nodes->failed) return;
    r->nodes->data[node].bytes.end = r->in.at;
    r->nodes->data[node].next = r->nodes->len;
}

static bool read_value(JsonReader *r);

/* Reads the members of an object or an array, whose `close` may be missing at the end of the bytes if it is NUL. */
static bool read_members(JsonReader *r, char close)
{
    const size_t plurals = r->plurals.len;
    size_t index = 0;

    skip_space(r);
    for (; cursor_char(&r->in) != close; index++) {
        if (index && cursor_char(&r->in) != ',')
            return fail(r, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
        r->in.at += index > 0;
        if (close != ']' && !read_key(r)) return false;
        if (close == ']') r->name = (Range){ 0, 0 };
        if (close == ']' && r->builder) data_path_set_index(&r->path, r->depth - 1, index);
        if (!read_value(r)) return false;
    }
    report_plurals(r, plurals, index);
    return true;
}

/* Reads one value and the white space around it. Returns false if it is not valid. */
static bool read_value(JsonReader *r)
{
    const size_t node = r->nodes ? r->nodes->len : 0;
    char close;

    if (r->builder && document_builder_failed(r->builder)) return false;
    skip_space(r);
    close = cursor_char(&r->in) == '{' ? '}' : cursor_char(&r->in) == '[' ? ']' : '\0';
    if (r->nodes && node == DOCUMENT_UNITS) return fail(r, "too many values; split the document");
    if (r->nodes) LIST_PUT(r->nodes, ((JsonNode){ .key = r->name, .bytes = { r->in.at, r->in.at } }));
    if (!close) {
        if (!read_scalar(r)) return false;
        end_node(r, node);
        skip_space(r);
        return true;
    }
    if (r->depth == JSON_DEPTH) return fail(r, "nested too deeply");
    r->is_array[r->depth++] = close == ']';
    r->in.at++;
    if (!read_members(r, close)) return false;
    r->in.at++;
    end_node(r, node);
    data_path_cut(&r->path, --r->depth);
    skip_space(r);
    return true;
}

size_t json_values_end(const char *bytes, size_t at, size_t end)
{
    JsonReader r = { .in = { bytes, at, end } };

    if (!read_value(&r)) return at;
    while (char_is_space(bytes[r.in.at - 1])) r.in.at--;
    return r.in.at;
}

/* JSON_ASCII if the document is ASCII and has \u escapes. */
unsigned json_context_of(const char *bytes, size_t length)
{
    bool has_escapes = false;

    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)bytes[i] >= 0x80) return JSON_UTF8;
        if (bytes[i] != '\\' || i + 1 == length) continue;
        if (bytes[++i] == 'u') has_escapes = true; /* skipped here, so that \\u is not taken for one */
        if ((unsigned char)bytes[i] >= 0x80) return JSON_UTF8;
    }
    return has_escapes ? JSON_ASCII : JSON_UTF8;
}

JsonNodeList json_nodes_read(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    JsonNodeList nodes = { 0 };
    JsonReader r = { .in = { input.bytes, input.begin, input.end }, .nodes = &nodes };

    if (read_value(&r) && r.in.at < r.in.end) fail(&r, "unexpected text after the value");
    if (r.fault) document_builder_fail(builder, r.in.at, "%s", r.fault);
    if (nodes.failed) document_builder_fail_memory(builder);
    return nodes;
}

/* Reads a document, which is one value with white space around it, and reports its strings to the builder, unless that
 * is NULL. Returns the error at byte *at; NULL: there is none. */
static const char *read_document(DocumentBuilder *builder, const BuilderInput *input, unsigned context,
                                 bool is_front_matter, size_t *at)
{
    JsonReader r = { .builder = builder,
                     .options = input->options,
                     .in = { input->bytes, input->begin, input->end },
                     .context = context,
                     .path = { .builder = builder, .is_front_matter = is_front_matter } };

    skip_space(&r);
    if (is_front_matter && cursor_char(&r.in) == '"') /* an object without braces */
        r.depth = 1;
    if ((r.depth ? read_members(&r, '\0') : read_value(&r)) && r.in.at < r.in.end)
        fail(&r, "unexpected text after the value");
    data_path_free(&r.path);
    free(r.plurals.data);
    buf_free(&r.key);
    *at = r.in.at;
    return r.fault;
}

void json_values_read_front_matter(DocumentBuilder *builder, BuilderInput input)
{
    const unsigned context = json_context_of(input.bytes + input.begin, input.end - input.begin);
    size_t at;

    if (!read_document(NULL, &input, context, true, &at)) (void)read_document(builder, &input, context, true, &at);
}

static void parse_json(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    size_t at;
    const char *fault = read_document(builder, &input, json_context_of(input.bytes, input.end), false, &at);

    if (fault) document_builder_fail(builder, at, "%s", fault);
}

static void parse_jsonl(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const unsigned context = json_context_of(input.bytes, input.end);
    BuilderInput line = input;

    for (size_t number = 1; line.begin < input.end && !document_builder_failed(builder); number++) {
        line.end = chars_find(input.bytes, line.begin, input.end, '\n');
        if (chars_skip_space(input.bytes, line.begin, line.end) < line.end) {
            /* read the line twice, so that texts are reported only if the whole line is valid */
            size_t at;
            const char *fault = read_document(NULL, &line, context, false, &at);
            if (fault)
                document_builder_fault(builder, number, at - line.begin + 1, fault);
            else
                (void)read_document(builder, &line, context, false, &at);
        }
        line.begin = line.end + 1;
    }
}

static bool is_special_json(unsigned context, uint32_t code)
{
    return code == '"' || code == '\\' || code < 0x20 || (context == JSON_ASCII && code >= 0x80);
}

static size_t spell_json(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    return escaped_text_put_letter(&escapes, code, out) ? 2 : escaped_text_put_utf16(code, false, out);
}

static bool keeps_json(const char *spelling, size_t length, const SpellingPlace *place)
{
    return escaped_text_keeps(json_read_character, spelling, length, place);
}

const SpellingRules json_spelling = {
    .is_special = is_special_json, .spell = spell_json, .keeps = keeps_json, .refer = spell_json
};

const DocumentFormat document_json = { .name = "json",
                                       .endings = ".json .arb",
                                       .parse = parse_json,
                                       .spelling = &json_spelling,
                                       .arguments = ARGUMENTS_IN_ORDER };
const DocumentFormat document_jsonl = { .name = "jsonl",
                                        .endings = ".jsonl",
                                        .parse = parse_jsonl,
                                        .spelling = &json_spelling,
                                        .arguments = ARGUMENTS_IN_ORDER };
