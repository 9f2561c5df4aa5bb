/* document_xcstrings.c - the String Catalogs of Xcode. They are JSON:
 *
 *     "strings" : {
 *       "%lld files" : {
 *         "localizations" : {
 *           "en" : { "variations" : { "plural" : { "one" : { "stringUnit" : { "state" : ..., "value" : "%lld file" } },
 *                                                  "other" : ...
 *           "de" : ...
 *
 * The source of a string is the localization in the source language or, without that, its key. The translation is a
 * copy of this localization, in which the values are translated, the states are "needs_review", and the plural
 * categories are those of the language of the translation. It is inserted in the order of the languages, or it replaces
 * a localization that has no translated value. In a localization that has both, only the new values are translated.
 *
 * Source   https://developer.apple.com/documentation/xcode/localizing-and-varying-text-with-a-string-catalog, and the
 *          catalogs that Xcode 15 and 16 write: keys are sorted, and a colon has spaces on both sides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "language_detector.h"
#include "plural_categories.h"

#define NONE SIZE_MAX

/* The most values of a localization that is translated in part: reading must take linear time. */
#define MOST_VALUES ((size_t)200)

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    const JsonNode *nodes; /* in the order of their bytes */
    unsigned context;
    Range source;         /* the name of the source language */
    const char *language; /* the name of the language of the translation, as this catalog writes it */
    bool retranslates;
    const PluralTarget *target;
    Range colon, margin; /* what is between a key and its value, and before the first key: a newline and blanks */
} Catalog;

/* --- Values ----------------------------------------------------------------------------- */

static bool is_object(const Catalog *c, size_t node)
{
    return node != NONE && c->bytes[c->nodes[node].bytes.begin] == '{';
}

static bool is_string(const Catalog *c, size_t node)
{
    return node != NONE && c->bytes[c->nodes[node].bytes.begin] == '"';
}

static bool has_key(const Catalog *c, size_t node, const char *key)
{
    const Range name = c->nodes[node].key;

    return chars_are(c->bytes + name.begin, name.end - name.begin, key);
}

/* What is between the quotes of a string. */
static Range contents(const Catalog *c, size_t node)
{
    return (Range){ c->nodes[node].bytes.begin + 1, c->nodes[node].bytes.end - 1 };
}

/* Returns the value with this key in an object; NONE: there is none, or `object` is not an object. */
static size_t child(const Catalog *c, size_t object, const char *key)
{
    if (!is_object(c, object)) return NONE;
    for (size_t i = object + 1; i < c->nodes[object].next; i = c->nodes[i].next)
        if (has_key(c, i, key)) return i;
    return NONE;
}

static bool is_text(const Catalog *c, size_t node, const char *text)
{
    const Range range = is_string(c, node) ? contents(c, node) : (Range){ 0, 0 };

    return chars_are(c->bytes + range.begin, range.end - range.begin, text);
}

static PluralCategory category_of(const Catalog *c, size_t node)
{
    const Range key = c->nodes[node].key;

    return plural_category_named(c->bytes + key.begin, key.end - key.begin);
}

/* --- Plural forms ------------------------------------------------------------------------- */

/* Sets values[category] to the value from which the form for this category is made; NONE: the translation does not have
 * this category. "zero" is used for the number 0 in all languages, so it stays. */
static void choose_forms(Catalog *c, size_t plural, size_t values[PLURAL_CATEGORIES])
{
    const PluralForms forms = c->target->forms[PLURALS_CARDINAL];
    size_t given[PLURAL_CATEGORIES];
    PluralTexts texts = { 0 };

    for (size_t i = plural + 1; i < c->nodes[plural].next; i = c->nodes[i].next) {
        const PluralCategory category = category_of(c, i);
        if (category == PLURAL_CATEGORIES) continue;
        given[category] = i;
        texts.categories |= 1u << category;
        if (category != PLURAL_ZERO && !document_builder_shows_number(c->builder, c->nodes[i].bytes))
            texts.without_number |= 1u << category;
    }
    for (PluralCategory category = PLURAL_ZERO; category < PLURAL_CATEGORIES; category++) {
        values[category] = NONE;
        if (texts.categories >> category & 1 && (!c->target->adapts || category == PLURAL_ZERO))
            values[category] = given[category];
        else if (texts.categories && c->target->adapts && forms.categories >> category & 1)
            values[category] = given[plural_source(texts, forms, category)];
    }
}

/* --- Writing a localization ------------------------------------------------------------------ */

static void put_range(const Catalog *c, EscapedPlace *place, size_t begin, size_t end)
{
    buf_put(&place->syntax, c->bytes + begin, end - begin);
}

static void put_value(Catalog *c, EscapedPlace *place, size_t node, size_t parent, bool is_in_plural);

/* Writes the plural forms, sorted by their names, with the white space of the first one. Returns false if there are no
 * plural forms. */
static bool put_plural(Catalog *c, EscapedPlace *place, size_t plural)
{
    static const PluralCategory sorted[] = {
        PLURAL_FEW, PLURAL_MANY, PLURAL_ONE, PLURAL_OTHER, PLURAL_TWO, PLURAL_ZERO
    };
    const JsonNode *object = &c->nodes[plural], *first = object + 1;
    size_t values[PLURAL_CATEGORIES], last = plural + 1, count = 0;

    if (object->next == plural + 1) return false;
    choose_forms(c, plural, values);
    for (size_t i = plural + 1; i < object->next; i = c->nodes[i].next) last = i;
    for (size_t i = 0; i < PLURAL_CATEGORIES; i++) {
        const size_t value = values[sorted[i]];
        if (value == NONE) continue;
        buf_put_byte(&place->syntax, count++ ? ',' : '{');
        put_range(c, place, object->bytes.begin + 1, first->key.begin);
        buf_put_text(&place->syntax, plural_category_name(sorted[i]));
        put_range(c, place, c->nodes[value].key.end, c->nodes[value].bytes.begin);
        put_value(c, place, value, plural, true);
    }
    if (count) put_range(c, place, c->nodes[last].bytes.end, object->bytes.end);
    return count > 0;
}

/* Writes a value of a localization: a copy with translated strings. */
static void put_value(Catalog *c, EscapedPlace *place, size_t node, size_t parent, bool is_in_plural)
{
    const JsonNode *value = &c->nodes[node];
    const bool is_in_unit = has_key(c, parent, "stringUnit"), is_in_set = has_key(c, parent, "stringSet");
    size_t at = value->bytes.begin;

    if (is_string(c, node) && ((is_in_unit && has_key(c, node, "value")) || has_key(c, parent, "values"))) {
        buf_put_byte(&place->syntax, '"');
        escaped_place_add(place, contents(c, node));
        buf_put_byte(&place->syntax, '"');
        return;
    }
    if (is_string(c, node) && (is_in_unit || is_in_set) && has_key(c, node, "state")) {
        buf_put_text(&place->syntax, "\"needs_review\"");
        return;
    }
    if (is_object(c, node) && has_key(c, node, "plural") && has_key(c, parent, "variations") && !is_in_plural &&
        put_plural(c, place, node))
        return;
    for (size_t i = node + 1; i < value->next && !document_builder_failed(c->builder); i = c->nodes[i].next) {
        put_range(c, place, at, c->nodes[i].bytes.begin);
        put_value(c, place, i, node, is_in_plural);
        at = c->nodes[i].bytes.end;
    }
    put_range(c, place, at, value->bytes.end);
}

/* Writes a line break and the indentation of the values at this depth; the keys at the top have depth 1. */
static void put_line(const Catalog *c, EscapedPlace *place, size_t depth)
{
    size_t blanks = c->margin.begin;

    while (blanks < c->margin.end && char_is_newline(c->bytes[blanks])) blanks++;
    if (blanks == c->margin.begin) return; /* the catalog has no lines */
    put_range(c, place, c->margin.begin, blanks);
    for (size_t i = 0; i < depth; i++) put_range(c, place, blanks, c->margin.end);
}

static void put_key(const Catalog *c, EscapedPlace *place, const char *key)
{
    buf_put_format(&place->syntax, "\"%s\"", key);
    put_range(c, place, c->colon.begin, c->colon.end);
}

#define DEPTH ((size_t)4) /* of the names of languages */

/* Writes the localization with its key: a copy of the value `source` or, if that is NONE, the translation of `key`. */
static void put_localization(Catalog *c, EscapedPlace *place, size_t source, Range key)
{
    put_key(c, place, c->language);
    if (source != NONE) {
        put_value(c, place, source, source, false);
        return;
    }
    buf_put_byte(&place->syntax, '{');
    put_line(c, place, DEPTH + 1);
    put_key(c, place, "stringUnit");
    buf_put_byte(&place->syntax, '{');
    put_line(c, place, DEPTH + 2);
    put_key(c, place, "state");
    buf_put_text(&place->syntax, "\"needs_review\",");
    put_line(c, place, DEPTH + 2);
    put_key(c, place, "value");
    buf_put_byte(&place->syntax, '"');
    escaped_place_add(place, key);
    buf_put_byte(&place->syntax, '"');
    put_line(c, place, DEPTH + 1);
    buf_put_byte(&place->syntax, '}');
    put_line(c, place, DEPTH);
    buf_put_byte(&place->syntax, '}');
}

/* --- The localizations of a string ------------------------------------------------------------- */

/* Whether the value is a stringUnit or a stringSet. If so, sets *is_open to whether it has no translation yet. */
static bool is_unit(const Catalog *c, size_t node, bool *is_open)
{
    const size_t value = has_key(c, node, "stringUnit") ? child(c, node, "value") : child(c, node, "values");

    if (!is_object(c, node) || (!has_key(c, node, "stringUnit") && !has_key(c, node, "stringSet"))) return false;
    *is_open = value == NONE || is_text(c, value, "") || is_text(c, child(c, node, "state"), "new");
    return true;
}

/* Counts the units in a localization: [1] those that are open, [0] the others. */
static void count_units(const Catalog *c, size_t localization, size_t counts[2])
{
    bool is_open;

    counts[0] = counts[1] = 0;
    for (size_t i = localization; localization != NONE && i < c->nodes[localization].next; i++)
        if (is_unit(c, i, &is_open)) counts[is_open]++;
}

static size_t count_values(const Catalog *c, size_t node)
{
    return node == NONE ? 0 : c->nodes[node].next - node;
}

/* Returns the text of the source value: of its stringUnit or else of the last one in it, which is that of "other"; or,
 * if there is none, the key. */
static Range source_text(const Catalog *c, size_t source, Range key)
{
    size_t value = child(c, child(c, source, "stringUnit"), "value");

    for (size_t i = source; value == NONE && source != NONE && i < c->nodes[source].next; i++)
        if (has_key(c, i, "stringUnit") && is_string(c, child(c, i, "value"))) value = child(c, i, "value");
    return is_string(c, value) ? contents(c, value) : key;
}

/* Translates the open units of a localization, which also has others, in their places. `source`: the value in the
 * source localization at the same place. */
static void report_open(Catalog *c, size_t node, size_t source, Range key)
{
    for (size_t i = node + 1; i < c->nodes[node].next && !document_builder_failed(c->builder); i = c->nodes[i].next) {
        const size_t value = child(c, i, "value"), state = child(c, i, "state");
        size_t from = NONE;
        bool is_open;
        if (is_unit(c, i, &is_open)) {
            EscapedPlace place = { .builder = c->builder, .read = json_read_character, .context = c->context };
            size_t unit;
            if (!is_open || !is_string(c, value)) continue;
            place.place = contents(c, value);
            escaped_place_add(&place, source_text(c, source, key));
            unit = escaped_place_end(&place);
            if (is_string(c, state))
                document_builder_mark(c->builder, unit, contents(c, state).begin, contents(c, state).end,
                                      "needs_review");
            continue;
        }
        if (!is_object(c, i)) continue;
        for (size_t k = source + 1; source != NONE && from == NONE && k < c->nodes[source].next; k = c->nodes[k].next)
            if (ranges_are_same(c->bytes, c->nodes[k].key, c->nodes[i].key)) from = k;
        if (from == NONE && has_key(c, node, "plural") && category_of(c, i) < PLURAL_CATEGORIES)
            from = child(c, source, "other");
        report_open(c, i, from == NONE ? source : from, key);
    }
}

/* Where a value with the key `name` is inserted into an object whose keys are sorted: in *place, with the bytes `comma`
 * after it or before it. */
static Range find_place(const Catalog *c, size_t object, const char *name, size_t length, Range *comma, bool *is_last)
{
    const JsonNode *nodes = c->nodes;
    size_t begin = nodes[object].bytes.begin + 1, end = begin;

    *comma = (Range){ begin, begin };
    *is_last = true;
    if (nodes[object].next == object + 1) return (Range){ begin, nodes[object].bytes.end - 1 };
    for (size_t i = object + 1; i < nodes[object].next; i = nodes[i].next) {
        const size_t size = nodes[i].key.end - nodes[i].key.begin;
        const int order = memcmp(c->bytes + nodes[i].key.begin, name, size < length ? size : length);
        *comma = (Range){ begin, nodes[i].key.begin - 1 };
        *is_last = order < 0 || (order == 0 && size < length);
        if (!*is_last) return (Range){ comma->end, comma->end };
        begin = end = nodes[i].bytes.end;
        if (nodes[i].next < nodes[object].next) begin = chars_find(c->bytes, begin, nodes[object].bytes.end, ',') + 1;
    }
    return (Range){ end, end };
}

/* Translates a string of the catalog. */
static void report_string(Catalog *c, size_t entry)
{
    const size_t translates = child(c, entry, "shouldTranslate"), localizations = child(c, entry, "localizations");
    const Range key = c->nodes[entry].key;
    EscapedPlace place = { .builder = c->builder, .read = json_read_character, .context = c->context };
    size_t source = NONE, target = NONE, counts[2];
    Range comma;
    bool is_last, is_empty;

    if (!is_object(c, entry) || (localizations != NONE && !is_object(c, localizations))) return;
    if (translates != NONE && c->bytes[c->nodes[translates].bytes.begin] == 'f') return;
    if (is_text(c, child(c, entry, "extractionState"), "stale")) return;
    for (size_t i = localizations + 1; localizations != NONE && i < c->nodes[localizations].next;
         i = c->nodes[i].next) {
        if (ranges_are_same(c->bytes, c->nodes[i].key, c->source)) source = i;
        if (chars_are(c->bytes + c->nodes[i].key.begin, c->nodes[i].key.end - c->nodes[i].key.begin, c->language))
            target = i;
    }
    count_units(c, source, counts);
    if (!counts[0] && !counts[1]) source = NONE;
    if (source == NONE && key.begin == key.end) return;
    count_units(c, target, counts);
    if (target != NONE && !c->retranslates && counts[0]) {
        if (counts[1] && count_values(c, target) <= MOST_VALUES && count_values(c, source) <= MOST_VALUES)
            report_open(c, target, source, key);
        return;
    }
    if (target != NONE) {
        place.place = (Range){ c->nodes[target].key.begin - 1, c->nodes[target].bytes.end };
        put_localization(c, &place, source, key);
    } else {
        const size_t object = localizations == NONE ? entry : localizations;
        const size_t depth = localizations == NONE ? DEPTH - 1 : DEPTH;
        if (localizations == NONE)
            place.place = find_place(c, object, "localizations", strlen("localizations"), &comma, &is_last);
        else
            place.place = find_place(c, object, c->language, strlen(c->language), &comma, &is_last);
        is_empty = c->nodes[object].next == object + 1;
        if (is_empty) put_line(c, &place, depth);
        if (is_last && !is_empty) buf_put_byte(&place.syntax, ',');
        if (is_last) put_range(c, &place, comma.begin, comma.end);
        if (localizations == NONE) {
            put_key(c, &place, "localizations");
            buf_put_byte(&place.syntax, '{');
            put_line(c, &place, DEPTH);
        }
        put_localization(c, &place, source, key);
        if (localizations == NONE) {
            put_line(c, &place, DEPTH - 1);
            buf_put_byte(&place.syntax, '}');
        }
        if (!is_last) buf_put_byte(&place.syntax, ',');
        if (!is_last) put_range(c, &place, comma.begin, comma.end);
        if (is_empty) put_line(c, &place, depth - 1);
    }
    (void)escaped_place_end(&place);
}

/* --- The catalog --------------------------------------------------------------------------------- */

#define MOST_LANGUAGES 64 /* of which the names are compared */

/* Finds how the catalog writes the name of the target language: like `wanted` or, if that is not there, with another
 * region. Returns the place of the name; empty: the catalog does not have the language. */
static Range find_language(const Catalog *c, size_t strings, const char *wanted)
{
    Range known[MOST_LANGUAGES], found = { 0, 0 };
    size_t count = 0;

    for (size_t i = strings + 1; i < c->nodes[strings].next; i = c->nodes[i].next) {
        const size_t object = child(c, i, "localizations");
        if (!is_object(c, object)) continue;
        for (size_t k = object + 1; k < c->nodes[object].next && count < MOST_LANGUAGES; k = c->nodes[k].next) {
            const Range name = c->nodes[k].key;
            char tag[LABEL_LANGUAGE_BYTES];
            size_t same = 0;
            while (same < count && !ranges_are_same(c->bytes, known[same], name)) same++;
            if (same < count || ranges_are_same(c->bytes, name, c->source)) continue;
            known[count++] = name;
            if (chars_are(c->bytes + name.begin, name.end - name.begin, wanted)) return name;
            if (found.begin == found.end && label_language_read(c->bytes + name.begin, name.end - name.begin, tag) &&
                language_detector_same(tag, wanted))
                found = name;
        }
    }
    return found;
}

static void parse_xcstrings(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *wanted = input.options->language;
    JsonNodeList nodes = json_nodes_read(builder);
    Catalog c = { .builder = builder,
                  .bytes = input.bytes,
                  .nodes = nodes.data,
                  .context = json_context_of(input.bytes, input.end),
                  .retranslates = input.options->retranslate,
                  .target = document_builder_target(builder) };
    char language[LABEL_LANGUAGE_BYTES];
    size_t source, strings;
    Range name;

    if (document_builder_failed(builder)) {
        free(nodes.data);
        return;
    }
    source = child(&c, 0, "sourceLanguage");
    strings = child(&c, 0, "strings");
    if (!is_string(&c, source) || !is_object(&c, strings)) {
        document_builder_fail(builder, input.begin,
                              "not a String Catalog: it must have \"sourceLanguage\" and \"strings\"");
        free(nodes.data);
        return;
    }
    c.source = contents(&c, source);
    document_builder_names(builder, LANGUAGE_SOURCE, c.source.begin, c.source.end);
    name = find_language(&c, strings, wanted ? wanted : "und");
    document_builder_names(builder, LANGUAGE_TARGET, name.begin, name.end);
    if (name.begin < name.end && name.end - name.begin < sizeof language)
        snprintf(language, sizeof language, "%.*s", (int)(name.end - name.begin), c.bytes + name.begin);
    else
        snprintf(language, sizeof language, "%s", wanted ? wanted : "und"); /* an unknown language */
    c.language = language;
    c.colon = (Range){ nodes.data[1].key.end + 1, nodes.data[1].bytes.begin };
    c.margin = (Range){ nodes.data[0].bytes.begin + 1, nodes.data[1].key.begin - 1 };
    for (size_t i = strings + 1; i < nodes.data[strings].next && !document_builder_failed(builder);
         i = nodes.data[i].next)
        report_string(&c, i);
    free(nodes.data);
}

const DocumentFormat document_xcstrings = { .name = "xcstrings",
                                            .endings = ".xcstrings",
                                            .parse = parse_xcstrings,
                                            .spelling = &json_spelling,
                                            .arguments = ARGUMENTS_PRINTF };
