/* xml_pairs.c - see xml_pairs.h. A unit of bilingual XML is a source element and the element of its translation. */
#include "xml_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "chars.h"
#include "str_map.h"
#include "xml_text.h"

/* An attribute of the target that changes with its translation: one that says that this needs a review. */
typedef struct {
    const char *name, *value; /* name NULL: none; value NULL: the attribute is removed */
    bool is_there_only;       /* not added where the element does not have it */
    bool is_language;         /* stays if it names the language of the translation already */
} XmlMark;

#define XML_MARKS 3

typedef struct {
    size_t source, target;      /* elements; target XML_NO_NODE: to be added */
    size_t insert_at;           /* the byte where a target is added */
    const char *before, *after; /* written around a translation: with the tags of a target to be added, otherwise
                                   inside its tags; NULL: nothing */
    XmlMark marks[XML_MARKS];   /* of a target that exists */
    bool is_done;               /* the target is a translation that stays */
    const XmlTextRules *rules;
    const char *form_open, *form_close; /* written around each form; NULL: nothing */
    size_t forms; /* how often the translation is written, one after the other: plural forms; 0 is one */
} XmlPair;

static void put_range(const XmlTree *tree, Buf *out, Range range)
{
    buf_put(out, tree->bytes + range.begin, range.end - range.begin);
}

/* The text that was put together, which may be empty. Memory that is missing becomes a failure of the builder. */
static const char *text_of(const XmlTree *tree, Buf *text)
{
    Err err;

    if (buf_check(text, &err) != OK) document_builder_fail_memory(tree->builder);
    return text->data ? text->data : "";
}

/* Puts "<NAME" or "</NAME" for an element beside `element`: with its prefix, if it has one. */
static void put_name(const XmlTree *tree, Buf *out, size_t element, const char *open, const char *name)
{
    Range prefix = xml_tree_name(tree, element);

    while (prefix.end > prefix.begin && tree->bytes[prefix.end - 1] != ':') prefix.end--;
    buf_put_text(out, open);
    put_range(tree, out, prefix);
    buf_put_text(out, name);
}

/* Finds what is replaced to set the attribute, and puts the new bytes. Returns false if nothing changes. */
static bool set_attribute(const XmlTree *tree, size_t element, const XmlMark *mark, Buf *out, Range *place)
{
    const char *bytes = tree->bytes;
    const bool is_there = mark->name && xml_tree_attribute(tree, element, mark->name, place);

    if (!is_there && (!mark->name || !mark->value || mark->is_there_only)) return false;
    if (is_there && mark->is_language && document_builder_is_language(tree->builder, place->begin, place->end))
        return false;
    if (!mark->value) {
        size_t at = place->begin; /* the whole attribute goes, and the white space before it */
        while (bytes[at] != '=') at--;
        while (char_is_space(bytes[at - 1])) at--;
        while (!char_is_space(bytes[at - 1])) at--;
        while (char_is_space(bytes[at - 1])) at--;
        *place = (Range){ at, place->end + 1 };
    } else if (is_there) {
        buf_put_text(out, mark->value);
    } else {
        buf_put_format(out, " %s=\"%s\"", mark->name, mark->value);
        place->begin = place->end = xml_tree_name(tree, element).end;
    }
    return true;
}

/* Sets an attribute of a start tag if the unit is translated. */
static void mark_element(const XmlTree *tree, size_t unit, size_t element, const XmlMark *mark)
{
    Buf text = { 0 };
    Range place;

    if (set_attribute(tree, element, mark, &text, &place))
        document_builder_mark(tree->builder, unit, place.begin, place.end, text_of(tree, &text));
    buf_free(&text);
}

/* Reports the language that an attribute of a start tag names, if it is there. */
static void report_name(const XmlTree *tree, size_t element, const char *attribute, LanguageSide side)
{
    Range name;

    if (xml_tree_attribute(tree, element, attribute, &name))
        document_builder_names(tree->builder, side, name.begin, name.end);
}

const char *xml_pairs_language(const XmlTree *tree)
{
    return document_builder_input(tree->builder).options->language;
}

void xml_pairs_label(const XmlTree *tree, size_t element, const char *attribute, const char *language)
{
    const XmlMark mark = { .name = attribute, .value = language, .is_language = true };
    Buf text = { 0 };
    Range place;

    if (!language) return;
    if (set_attribute(tree, element, &mark, &text, &place))
        document_builder_label(tree->builder, place.begin, place.end, text_of(tree, &text));
    buf_free(&text);
}

/* Puts the white space before an element. An element that is added after it gets the same. */
static void put_indent(const XmlTree *tree, Buf *out, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const XmlNode *before = element ? node - 1 : NULL;

    if (before && before->kind == NODE_TEXT && before->end == node->begin && before->parent == node->parent &&
        xml_tree_is_space(tree, before->begin, before->end))
        put_range(tree, out, (Range){ before->begin, before->end });
}

/* Finds the mark that changes the first bytes from *at on, and puts what is before it and its text. Returns false if
 * there is none. */
static bool put_next_mark(const XmlTree *tree, size_t element, const XmlMark *marks, bool *is_used, size_t *at,
                          Buf *out)
{
    size_t best = XML_MARKS;
    Range first = { 0, 0 }, place;
    Buf text = { 0 };

    for (size_t i = 0; i < XML_MARKS; i++) {
        if (is_used[i] || !set_attribute(tree, element, &marks[i], &text, &place)) continue;
        if (best < XML_MARKS && place.begin >= first.begin) continue;
        best = i;
        first = place;
    }
    buf_clear(&text);
    if (best < XML_MARKS && set_attribute(tree, element, &marks[best], &text, &place)) {
        is_used[best] = true;
        put_range(tree, out, (Range){ *at, place.begin });
        buf_put_text(out, text_of(tree, &text));
        *at = place.end;
    }
    buf_free(&text);
    return best < XML_MARKS;
}

/* A translation that takes the place of the text `own`, which ends at `end`. */
typedef struct {
    size_t source, own, end;
    const char *before, *after; /* NULL: nothing */
    bool is_done;
} PairUnit;

/* Adds a unit for each form. Those after the first have empty places. */
static size_t add_unit(const XmlTree *tree, const XmlPair *pair, const PairUnit *unit)
{
    const size_t last = pair->forms ? pair->forms - 1 : 0;
    size_t first = 0;

    for (size_t i = 0; i <= last && !document_builder_failed(tree->builder); i++) {
        UnitPlan plan = { .source = unit->source, .own = unit->own, .is_done = unit->is_done };
        Buf before = { 0 }, after = { 0 };
        size_t number;
        if (i) xml_text_nothing(tree, unit->end, unit->end, &plan.own);
        buf_put_text(&before, !i && unit->before ? unit->before : "");
        buf_put_text(&before, pair->form_open ? pair->form_open : "");
        buf_put_text(&after, pair->form_close ? pair->form_close : "");
        buf_put_text(&after, i == last && unit->after ? unit->after : "");
        plan.before = text_of(tree, &before);
        plan.after = text_of(tree, &after);
        number = document_builder_failed(tree->builder) ? 0 : document_builder_add_unit(tree->builder, &plan);
        if (!i) first = number;
        buf_free(&before);
        buf_free(&after);
    }
    return first;
}

/* The target is an empty tag, <target/>, which becomes a start tag with its marks, and an end tag. */
static size_t fill_target(const XmlTree *tree, const XmlPair *pair, size_t source)
{
    const XmlNode *node = &tree->nodes[pair->target];
    bool is_used[XML_MARKS] = { false };
    Buf before = { 0 }, after = { 0 };
    size_t own, unit, at = node->begin, end = node->end - 2; /* "/>" */

    while (xml_tree_is_space(tree, end - 1, end)) end--;
    while (put_next_mark(tree, pair->target, pair->marks, is_used, &at, &before)) continue;
    put_range(tree, &before, (Range){ at, end });
    buf_put_byte(&before, '>');
    if (pair->before) buf_put_text(&before, pair->before);
    if (pair->after) buf_put_text(&after, pair->after);
    buf_put_text(&after, "</");
    put_range(tree, &after, xml_tree_name(tree, pair->target));
    buf_put_text(&after, ">");
    xml_text_nothing(tree, node->begin, node->end, &own);
    unit = add_unit(tree, pair,
                    &(PairUnit){ source, own, node->end, text_of(tree, &before), text_of(tree, &after), false });
    buf_free(&before);
    buf_free(&after);
    return unit;
}

/* Adds the unit, or one for each form. Returns the number of the first for document_builder_mark(). */
static size_t add_pair(const XmlTree *tree, const XmlPair *pair)
{
    PairUnit unit = { .before = pair->before, .after = pair->after, .is_done = pair->is_done };
    size_t source, number;

    xml_text_contents(tree, pair->source, pair->rules, false, &source);
    unit.source = source;
    if (pair->target == XML_NO_NODE) {
        unit.is_done = false;
        unit.end = pair->insert_at;
        xml_text_nothing(tree, unit.end, unit.end, &unit.own);
        return add_unit(tree, pair, &unit);
    }
    if (tree->nodes[pair->target].close_begin == tree->nodes[pair->target].close_end)
        return fill_target(tree, pair, source);
    unit.end = tree->nodes[pair->target].close_begin;
    xml_text_contents(tree, pair->target, pair->rules, true, &unit.own);
    number = add_unit(tree, pair, &unit);
    for (size_t i = 0; i < XML_MARKS; i++) mark_element(tree, number, pair->target, &pair->marks[i]);
    return number;
}

/* --- Translation files of Qt Linguist ---------------------------------------------------
 * White space in their texts counts. Translations are of the type "unfinished" until a person has reviewed them. */

static XmlInline qt_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)tree, (void)node, (void)id;
    return INLINE_OPAQUE; /* <byte value="x1b"/> */
}

static const XmlTextRules qt_rules = { .inline_kind = qt_kind, .is_preserved = true };
static const XmlMark unfinished = { .name = "type", .value = "unfinished" };

static const char form_open[] = "<numerusform>", form_close[] = "</numerusform>";

/* The most plural forms: those of Arabic. */
#define FORMS ((size_t)6)

/* How many plural forms Qt has for a language. They are not those of gettext: Hungarian has one. */
static size_t count_forms(const char *language)
{
    static const struct {
        const char *languages; /* their codes, each between spaces */
        size_t count;
    } rows[] = { { " bi my zh yue dz fj gn hu id ja jv ko ms na om fa su th bo tr vi yo za ", 1 },
                 { " be bs cs dv fil ga gv hr ik iu lt lv mi mk pl ro ru sa se sh sk sm sr tl uk ", 3 },
                 { " gd mt sl ", 4 },
                 { " cy ", 5 },
                 { " ar ", FORMS } };
    char word[LABEL_LANGUAGE_BYTES + 2];

    if (!language) return 1;
    snprintf(word, sizeof word, " %.*s ", (int)strcspn(language, "-_"), language);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].languages, word)) return rows[i].count;
    return 2;
}

static bool is_unfinished(const XmlTree *tree, size_t translation)
{
    return xml_tree_attribute_is(tree, translation, "type", "unfinished");
}

/* Each plural form is a unit of its own. The mark, which they share, is that of the first one to be translated. Unless
 * the message is done, forms that the language has are added: pylupdate writes one. */
static void report_forms(const XmlTree *tree, size_t source, size_t translation)
{
    const size_t wanted = count_forms(xml_pairs_language(tree));
    size_t count = 0, first = 0, last = 0;
    bool has_open = false;
    Buf open = { 0 };

    for (size_t i = translation + 1; i < tree->nodes[translation].next && count < FORMS; i = tree->nodes[i].next) {
        XmlPair pair = { .source = source, .target = i, .rules = &qt_rules };
        size_t unit;
        if (!xml_tree_is(tree, i, "numerusform")) continue;
        pair.is_done = xml_text_is_filled(tree, i, NULL) && !is_unfinished(tree, translation);
        unit = add_pair(tree, &pair);
        if (!count++ || (!pair.is_done && !has_open)) first = unit;
        has_open |= !pair.is_done;
        last = i;
    }
    if (has_open && count < wanted) { /* with the white space that is before the last one */
        put_indent(tree, &open, last);
        buf_put_text(&open, form_open);
        (void)add_pair(tree, &(XmlPair){ .source = source,
                                         .target = XML_NO_NODE,
                                         .insert_at = tree->nodes[last].close_end,
                                         .rules = &qt_rules,
                                         .form_open = text_of(tree, &open),
                                         .form_close = form_close,
                                         .forms = wanted - count });
        buf_free(&open);
    }
    mark_element(tree, first, translation, &unfinished);
}

/* The translation of a message that has plural forms is written as all forms of the language. */
static void add_forms(const XmlTree *tree, size_t message, XmlPair *pair)
{
    if (!xml_tree_attribute_is(tree, message, "numerus", "yes")) return;
    pair->form_open = form_open;
    pair->form_close = form_close;
    pair->forms = count_forms(xml_pairs_language(tree));
}

/* Whether the message is no longer used, or has variants of different lengths. */
static bool is_left_alone(const XmlTree *tree, size_t translation)
{
    return xml_tree_attribute_is(tree, translation, "type", "obsolete") ||
           xml_tree_attribute_is(tree, translation, "type", "vanished") ||
           xml_tree_child(tree, translation, "lengthvariant") != XML_NO_NODE;
}

static void report_message(const XmlTree *tree, size_t message)
{
    const size_t source = xml_tree_child(tree, message, "source");
    const size_t translation = xml_tree_child(tree, message, "translation");
    XmlPair pair = { .source = source, .target = translation, .marks = { unfinished }, .rules = &qt_rules };

    if (source == XML_NO_NODE || !xml_text_is_filled(tree, source, NULL)) return;
    if (translation == XML_NO_NODE) { /* it becomes the last element of the message */
        XmlPair added = { .source = source, .target = XML_NO_NODE, .rules = &qt_rules };
        Buf before = { 0 };
        for (size_t i = message + 1; i < tree->nodes[message].next; i = tree->nodes[i].next)
            if (tree->nodes[i].kind == NODE_ELEMENT) added.insert_at = tree->nodes[i].close_end;
        put_indent(tree, &before, source);
        buf_put_text(&before, "<translation type=\"unfinished\">");
        added.before = text_of(tree, &before);
        added.after = "</translation>";
        add_forms(tree, message, &added);
        (void)add_pair(tree, &added);
        buf_free(&before);
    } else if (xml_tree_child(tree, translation, "numerusform") != XML_NO_NODE) {
        if (!is_left_alone(tree, translation)) report_forms(tree, source, translation);
    } else if (!is_left_alone(tree, translation)) {
        pair.is_done = xml_text_is_filled(tree, translation, NULL) && !is_unfinished(tree, translation);
        add_forms(tree, message, &pair);
        (void)add_pair(tree, &pair);
    }
}

void xml_report_qt(const XmlTree *tree)
{
    const char *language = xml_pairs_language(tree);
    char name[LABEL_LANGUAGE_BYTES];

    snprintf(name, sizeof name, "%s", language ? language : "");
    for (char *at = name; *at; at++)
        if (*at == '-') *at = '_'; /* Qt writes pt_BR */
    document_builder_accelerators(tree->builder, "&");
    report_name(tree, 0, "sourcelanguage", LANGUAGE_SOURCE);
    report_name(tree, 0, "language", LANGUAGE_TARGET);
    xml_pairs_label(tree, 0, "language", language ? name : NULL);
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_message = xml_tree_is(tree, i, "message");
        if (is_message) report_message(tree, i);
        i = is_message ? tree->nodes[i].next : i + 1;
    }
}

/* --- Translation memories ---------------------------------------------------------------
 * The variant (tuv) of the target language is added to each unit (tu), or filled. */

static XmlInline tmx_kind(const XmlTree *tree, size_t node, Range *id)
{
    *id = (Range){ 0, 0 };
    if (xml_tree_is(tree, node, "hi")) return INLINE_SPAN;
    if (xml_tree_is(tree, node, "ph")) return INLINE_VALUE;
    if (!xml_tree_attribute(tree, node, "i", id)) return INLINE_OPAQUE;
    return xml_tree_is(tree, node, "bpt") ? INLINE_OPEN : xml_tree_is(tree, node, "ept") ? INLINE_CLOSE : INLINE_OPAQUE;
}

static const XmlTextRules tmx_rules = { .inline_kind = tmx_kind };

/* Finds the language of a variant: xml:lang; lang in versions before 1.4. */
static bool find_language(const XmlTree *tree, size_t variant, Range *language)
{
    return xml_tree_attribute(tree, variant, "xml:lang", language) ||
           xml_tree_attribute(tree, variant, "lang", language);
}

static size_t primary_length(const char *language, size_t length)
{
    size_t end = 0;

    while (end < length && language[end] != '-' && language[end] != '_') end++;
    return end;
}

/* Whether two tags are the same, or (loose) have the same primary language. */
static bool matches(const char *a, size_t a_length, const char *b, size_t b_length, bool loose)
{
    if (loose) {
        a_length = primary_length(a, a_length);
        b_length = primary_length(b, b_length);
    }
    return a_length == b_length && strncasecmp(a, b, a_length) == 0;
}

/* Returns the variant of this language that is not `other`, or XML_NO_NODE. */
static size_t find_variant(const XmlTree *tree, size_t unit, const char *language, size_t length, size_t other)
{
    Range found;

    for (int loose = 0; loose < 2; loose++)
        for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
            if (i != other && xml_tree_is(tree, i, "tuv") && find_language(tree, i, &found) &&
                matches(tree->bytes + found.begin, found.end - found.begin, language, length, loose))
                return i;
    return XML_NO_NODE;
}

/* Whether the variant is in this language. */
static bool is_variant(const XmlTree *tree, size_t node, const char *language, bool loose)
{
    Range found;

    return find_language(tree, node, &found) &&
           matches(tree->bytes + found.begin, found.end - found.begin, language, strlen(language), loose);
}

/* Returns the variant in the language that the model translates; if that is not known, the first one that is not in the
 * language of the translation. XML_NO_NODE: there is none. */
static size_t find_other(const XmlTree *tree, size_t unit, const char *language)
{
    const char *source = document_builder_input(tree->builder).options->source_language;

    if (source) return find_variant(tree, unit, source, strlen(source), XML_NO_NODE);
    for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, "tuv") && !is_variant(tree, i, language, true)) return i;
    return XML_NO_NODE;
}

/* The source is the variant of the language that the unit or the header names; if they name none or "*all*", the first
 * one that is no translation. */
static size_t find_source(const XmlTree *tree, size_t unit, size_t header, const char *language)
{
    size_t found;
    Range named;

    if (!xml_tree_attribute(tree, unit, "srclang", &named) &&
        (header == XML_NO_NODE || !xml_tree_attribute(tree, header, "srclang", &named)))
        return find_other(tree, unit, language);
    if (matches(tree->bytes + named.begin, named.end - named.begin, "*all*", strlen("*all*"), false))
        return find_other(tree, unit, language);
    found = find_variant(tree, unit, tree->bytes + named.begin, named.end - named.begin, XML_NO_NODE);
    return found != XML_NO_NODE && is_variant(tree, found, language, false) ? XML_NO_NODE : found;
}

/* Adds a variant for the language after `variant`, which is the source. */
static void insert_variant(const XmlTree *tree, size_t variant, XmlPair *pair, const char *language)
{
    const XmlNode *node = &tree->nodes[variant], *last = &tree->nodes[node->next - 1];
    Buf before = { 0 }, after = { 0 };
    Range label;

    put_indent(tree, &before, variant);
    buf_put_text(&before, xml_tree_attribute(tree, variant, "xml:lang", &label) ? "<tuv xml:lang=\"" : "<tuv lang=\"");
    buf_put_text(&before, language);
    buf_put_text(&before, "\">");
    put_indent(tree, &before, pair->source);
    buf_put_text(&before, "<seg>");
    buf_put_text(&after, "</seg>");
    if (last->kind == NODE_TEXT && last->end == node->close_begin && xml_tree_is_space(tree, last->begin, last->end))
        put_range(tree, &after, (Range){ last->begin, last->end });
    buf_put_text(&after, "</tuv>");
    pair->insert_at = node->close_end;
    pair->before = text_of(tree, &before);
    pair->after = text_of(tree, &after);
    (void)add_pair(tree, pair);
    buf_free(&before);
    buf_free(&after);
}

/* Returns whether the unit has a source. */
static bool report_unit(const XmlTree *tree, size_t unit, size_t header, const char *language)
{
    const size_t source = find_source(tree, unit, header, language);
    XmlPair pair = { .rules = &tmx_rules, .target = XML_NO_NODE };
    Range label;
    size_t target;

    if (source == XML_NO_NODE) return false;
    if (find_language(tree, source, &label))
        document_builder_names(tree->builder, LANGUAGE_SOURCE, label.begin, label.end);
    pair.source = xml_tree_child(tree, source, "seg");
    if (pair.source == XML_NO_NODE || !xml_text_is_filled(tree, pair.source, NULL)) return true;
    target = find_variant(tree, unit, language, strlen(language), source);
    if (target == XML_NO_NODE) {
        insert_variant(tree, source, &pair, language);
        return true;
    }
    pair.target = xml_tree_child(tree, target, "seg");
    if (pair.target == XML_NO_NODE) return true;
    pair.is_done = xml_text_is_filled(tree, pair.target, NULL);
    (void)add_pair(tree, &pair);
    return true;
}

void xml_report_tmx(const XmlTree *tree)
{
    const size_t header = xml_tree_child(tree, 0, "header");
    const char *language = document_builder_input(tree->builder).options->language;
    bool has_source = false;
    Range label;

    if (header != XML_NO_NODE) report_name(tree, header, "srclang", LANGUAGE_SOURCE);
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_unit = xml_tree_is(tree, i, "tu");
        if (is_unit) has_source |= report_unit(tree, i, header, language ? language : "und"); /* an unknown language */
        i = is_unit ? tree->nodes[i].next : i + 1;
    }
    for (size_t i = 1; !has_source && i < tree->count; i++) {
        if (!xml_tree_is(tree, i, "tuv") || !find_language(tree, i, &label)) continue;
        document_builder_names(tree->builder, LANGUAGE_SOURCE, label.begin, label.end);
        has_source = true; /* the first variant names the language: no unit has one that the model translates */
    }
}

/* --- XLIFF 1.2 (trans-unit) and 2.0 (segment) -------------------------------------------
 * Translations are marked as needing a review: in 1.2 with the state "needs-review-translation"; in 2.0 with
 * "translated", which comes before "reviewed". */

/* Angular writes tags as <x id="START_LINK_1"/> and <x id="CLOSE_LINK"/>: only start tags are numbered. */
static XmlInline tag_kind(const XmlTree *tree, size_t node, XmlInline other, Range *id)
{
    static const size_t length = sizeof "START_" - 1;
    Range name;
    size_t end;
    bool is_open;

    if (!xml_tree_attribute(tree, node, "id", &name) || name.end - name.begin <= length) return other;
    is_open = !memcmp(tree->bytes + name.begin, "START_", length);
    if (!is_open && memcmp(tree->bytes + name.begin, "CLOSE_", length) != 0) return other;
    name.begin += length;
    for (end = name.end; end > name.begin && char_is_digit(tree->bytes[end - 1]);) end--;
    if (end < name.end && end > name.begin + 1 && tree->bytes[end - 1] == '_') name.end = end - 1;
    *id = name;
    return is_open ? INLINE_OPEN : INLINE_CLOSE;
}

static XmlInline xliff_kind(const XmlTree *tree, size_t node, Range *id)
{
    static const struct {
        const char *name;
        XmlInline kind;
        const char *id, *other_id; /* attributes that name the span: the first that is there. NULL: tag_kind() */
    } codes[] = {
        { "x", INLINE_VALUE, NULL, NULL },        { "ph", INLINE_VALUE, NULL, NULL },
        { "it", INLINE_OPAQUE, NULL, NULL },      { "sub", INLINE_OPAQUE, NULL, NULL },
        { "cp", INLINE_OPAQUE, NULL, NULL },      { "sm", INLINE_OPAQUE, NULL, NULL },
        { "em", INLINE_OPAQUE, NULL, NULL },      { "bpt", INLINE_OPEN, "rid", "id" },
        { "bx", INLINE_OPEN, "rid", "id" },       { "ept", INLINE_CLOSE, "rid", "id" },
        { "ex", INLINE_CLOSE, "rid", "id" },      { "sc", INLINE_OPEN, "id", "id" },
        { "ec", INLINE_CLOSE, "startRef", "id" },
    };

    *id = (Range){ 0, 0 };
    if (xml_tree_attribute_is(tree, node, "mtype", "protected")) return INLINE_KEPT;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!xml_tree_is(tree, node, codes[i].name)) continue;
        if (!codes[i].id) return tag_kind(tree, node, codes[i].kind, id);
        if (xml_tree_attribute(tree, node, codes[i].id, id) || xml_tree_attribute(tree, node, codes[i].other_id, id))
            return codes[i].kind;
        return INLINE_OPAQUE;
    }
    return INLINE_SPAN;
}

static const XmlTextRules xliff_rules = { .inline_kind = xliff_kind };

/* Adds a unit whose target has to be inserted after `after`, which has the same parent as the source. */
static size_t insert_target(const XmlTree *tree, XmlPair *pair, size_t after, const XmlMark *mark)
{
    Buf before = { 0 }, after_text = { 0 };
    size_t unit;

    pair->insert_at = tree->nodes[after].close_end;
    put_indent(tree, &before, pair->source);
    put_name(tree, &before, pair->source, "<", "target");
    if (mark) {
        buf_put_text(&before, " state=\"");
        buf_put_text(&before, mark->value);
        buf_put_text(&before, "\"");
    }
    buf_put_text(&before, ">");
    put_name(tree, &after_text, pair->source, "</", "target");
    buf_put_text(&after_text, ">");
    pair->before = text_of(tree, &before);
    pair->after = text_of(tree, &after_text);
    unit = add_pair(tree, pair);
    buf_free(&before);
    buf_free(&after_text);
    return unit;
}

/* Whether an element contains text, or elements other than <mrk>, which only marks a part of the text. */
static bool is_filled(const XmlTree *tree, size_t element)
{
    return xml_text_is_filled(tree, element, "mrk");
}

/* Finds source and target directly in the element. Returns whether there is anything to translate. */
static bool find_pair(const XmlTree *tree, size_t element, XmlPair *pair)
{
    *pair = (XmlPair){ .source = xml_tree_child(tree, element, "source"),
                       .target = xml_tree_child(tree, element, "target"),
                       .rules = &xliff_rules };
    if (pair->source == XML_NO_NODE || tree->nodes[pair->source].is_protected || !is_filled(tree, pair->source))
        return false;
    report_name(tree, pair->source, "xml:lang", LANGUAGE_SOURCE);
    if (pair->target != XML_NO_NODE) report_name(tree, pair->target, "xml:lang", LANGUAGE_TARGET);
    return true;
}

/* The language of a target that names one. */
static XmlMark language_mark(const XmlTree *tree)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;

    if (!options->language || options->keep_language) return (XmlMark){ .name = NULL };
    return (XmlMark){ .name = "xml:lang", .value = options->language, .is_there_only = true, .is_language = true };
}

/* Marks of a target in 1.2. */
static const XmlMark review = { .name = "state", .value = "needs-review-translation" };
static const XmlMark no_qualifier = { .name = "state-qualifier", .is_there_only = true };
static const XmlMark unapproved = { .name = "approved", .value = "no", .is_there_only = true };

/* Returns the first segment of the element from node `at` on, or XML_NO_NODE. Segments do not contain others. */
static size_t find_segment(const XmlTree *tree, size_t element, size_t at)
{
    for (; at < tree->nodes[element].next; at++)
        if (xml_tree_is(tree, at, "mrk") && xml_tree_attribute_is(tree, at, "mtype", "seg")) return at;
    return XML_NO_NODE;
}

/* Adds a unit for each empty segment of the target that has a source in the map. The first unit marks the target.
 * Returns whether there is one. */
static bool add_segments(const XmlTree *tree, size_t element, const StrMap *sources, size_t target)
{
    const XmlMark marks[] = { review, no_qualifier, language_mark(tree) };
    bool is_marked = false;

    for (size_t i = find_segment(tree, target, target + 1); i != XML_NO_NODE;
         i = find_segment(tree, target, tree->nodes[i].next)) {
        XmlPair pair = { .target = i, .rules = &xliff_rules };
        size_t unit;
        Range mid;
        if (is_filled(tree, i) || !xml_tree_attribute(tree, i, "mid", &mid)) continue;
        pair.source = (size_t)str_map_get(sources, tree->bytes + mid.begin, mid.end - mid.begin, 0);
        if (!pair.source) continue;
        unit = add_pair(tree, &pair);
        if (is_marked) continue;
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) mark_element(tree, unit, target, &marks[k]);
        mark_element(tree, unit, element, &unapproved);
        is_marked = true;
    }
    return is_marked;
}

/* Adds the empty segments of a translation that stays, except those whose source is empty, too. Returns whether there
 * are any. */
static bool report_empty_segments(const XmlTree *tree, size_t element, size_t source, size_t target)
{
    size_t empty = find_segment(tree, target, target + 1);
    StrMap *sources; /* the names (mid) of the filled segments of the source -> their nodes */
    bool is_added;
    Range mid;
    Status st;
    Err err;

    while (empty != XML_NO_NODE && is_filled(tree, empty)) empty = find_segment(tree, target, tree->nodes[empty].next);
    if (empty == XML_NO_NODE) return false;
    st = str_map_new(&sources, &err);
    for (size_t i = find_segment(tree, source, source + 1); st == OK && i != XML_NO_NODE;
         i = find_segment(tree, source, tree->nodes[i].next))
        if (is_filled(tree, i) && xml_tree_attribute(tree, i, "mid", &mid))
            st = str_map_add(sources, tree->bytes + mid.begin, mid.end - mid.begin, (int32_t)i, &is_added, &err);
    if (st != OK) document_builder_fail_memory(tree->builder);
    is_added = !document_builder_failed(tree->builder) && add_segments(tree, element, sources, target);
    str_map_free(sources);
    return is_added;
}

/* 1.2. If the source is segmented, the segments are translated, so that the target has their markup. If only some
 * segments of the target are empty, these are translated one by one. */
static void report_trans_unit(const XmlTree *tree, size_t element)
{
    const size_t segments = xml_tree_child(tree, element, "seg-source");
    const bool retranslates = document_builder_input(tree->builder).options->retranslate;
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (segments != XML_NO_NODE && is_filled(tree, segments)) pair.source = segments;
    pair.marks[0] = review;
    pair.marks[1] = no_qualifier;
    pair.marks[2] = language_mark(tree);
    /* A translation stays, apart from its empty segments. */
    pair.is_done = pair.target != XML_NO_NODE && is_filled(tree, pair.target) &&
                   !xml_tree_attribute_is(tree, pair.target, "state", "new") &&
                   !xml_tree_attribute_is(tree, pair.target, "state", "needs-translation");
    if (pair.is_done && pair.source == segments && !retranslates &&
        report_empty_segments(tree, element, segments, pair.target))
        return;
    if (pair.target == XML_NO_NODE)
        unit = insert_target(tree, &pair, segments == XML_NO_NODE ? pair.source : segments, &review);
    else
        unit = add_pair(tree, &pair);
    mark_element(tree, unit, element, &unapproved);
}

/* 2.0 */
static void report_segment(const XmlTree *tree, size_t element)
{
    static const XmlMark translated = { .name = "state", .value = "translated" };
    static const XmlMark without_detail = { .name = "subState", .is_there_only = true }; /* of the state before */
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (pair.target == XML_NO_NODE) {
        unit = insert_target(tree, &pair, pair.source, NULL);
    } else {
        pair.is_done = is_filled(tree, pair.target) && !xml_tree_attribute_is(tree, element, "state", "initial");
        unit = add_pair(tree, &pair);
    }
    mark_element(tree, unit, element, &translated);
    mark_element(tree, unit, element, &without_detail);
}

/* The languages of a file, of which that of the translations may be missing. */
static void report_languages(const XmlTree *tree, size_t element, const char *source, const char *target)
{
    Range language;

    report_name(tree, element, source, LANGUAGE_SOURCE);
    report_name(tree, element, target, LANGUAGE_TARGET);
    if (xml_tree_attribute(tree, element, source, &language))
        xml_pairs_label(tree, element, target, xml_pairs_language(tree));
}

void xml_report_xliff(const XmlTree *tree)
{
    document_builder_accelerators(tree->builder, "&");
    report_languages(tree, 0, "srcLang", "trgLang");
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_unit = xml_tree_is(tree, i, "trans-unit"), is_segment = xml_tree_is(tree, i, "segment");
        if (is_unit) report_trans_unit(tree, i);
        if (is_segment) report_segment(tree, i);
        if (xml_tree_is(tree, i, "file")) report_languages(tree, i, "source-language", "target-language");
        i = is_unit || is_segment ? tree->nodes[i].next : i + 1;
    }
}
