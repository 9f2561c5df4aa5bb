/* document_xml.c - XML of any kind, the choice of the format by the root element of a .xml file, string resources, and
 * bilingual XML: Qt Linguist, TMX, XLIFF. A unit of bilingual XML is a source element and the element of its
 * translation.
 *
 * XML does not say which elements are blocks. In XML of any kind, an element that directly contains text is one unit,
 * and the elements in it are inline, except elements that look like a list and those that --blocks names. An element
 * looks like a list if it directly contains no text, and its first two elements have the same name. Footnotes and index
 * entries are separate units inside the text around them. Attributes are left alone. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "str_map.h"
#include "xml.h"

/* --- XML of any kind -------------------------------------------------------------------- */

typedef struct {
    XmlTree tree;
    const DocumentOptions *options;
    size_t open;      /* the innermost open element, or XML_NO_NODE */
    bool in_text;     /* this parser has begun a text */
    unsigned context; /* of this text */
} XmlParser;

static bool lists_name(const XmlTree *tree, size_t node, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) /* a name that the user gave is ignored if it contains a space */
        if (!strchr(names[i], ' ') && xml_tree_is(tree, node, names[i])) return true;
    return false;
}

/* Whether the element directly contains no text, and its first two elements have the same name. */
static bool looks_like_list(const XmlTree *tree, size_t node)
{
    size_t first = XML_NO_NODE;

    for (size_t i = node + 1; !tree->nodes[node].has_text && i < tree->nodes[node].next; i = tree->nodes[i].next) {
        if (tree->nodes[i].kind != NODE_ELEMENT) continue;
        if (first != XML_NO_NODE)
            return ranges_are_same(tree->bytes, xml_tree_name(tree, first), xml_tree_name(tree, i));
        first = i;
    }
    return false;
}

static bool is_in_text(const XmlNode *node)
{
    return node && (node->is_inline || node->is_text_owner);
}

static void end_text(XmlParser *p, size_t at)
{
    if (p->in_text) document_builder_end_unit(p->tree.builder, at);
    p->in_text = false;
}

static void begin_text(XmlParser *p, size_t at)
{
    if (p->in_text) return;
    p->in_text = true;
    p->context = p->tree.nodes[p->open].is_text_owner ? xml_text_context(&p->tree, p->open, false) : XML_IN_TEXT;
    document_builder_begin(p->tree.builder, p->context, at);
}

/* Decides from the element and its parent whether the element is inline or a unit, or is not translated. */
static void enter_element(XmlParser *p, size_t index)
{
    const DocumentOptions *options = p->options;
    XmlNode *node = &p->tree.nodes[index];
    const XmlNode *parent = p->open == XML_NO_NODE ? NULL : &p->tree.nodes[p->open];

    node->is_selected = (parent ? parent->is_selected : !options->select_count) ||
                        lists_name(&p->tree, index, options->selects, options->select_count);
    node->is_skipped =
        (parent && parent->is_skipped) || lists_name(&p->tree, index, options->skips, options->skip_count);
    node->is_inline = is_in_text(parent) && !looks_like_list(&p->tree, index) &&
                      !(options->blocks && xml_tree_is(&p->tree, index, options->blocks));
    node->is_text_owner =
        !node->is_inline && node->has_text && node->is_selected && !node->is_skipped && !node->is_protected;
    if (node->is_inline) {
        begin_text(p, node->begin);
        xml_text_open(&p->tree, index);
    } else {
        end_text(p, node->begin);
    }
    p->open = index;
}

static void leave_element(XmlParser *p)
{
    const size_t index = p->open;
    const XmlNode *node = &p->tree.nodes[index];

    if (!node->is_inline)
        end_text(p, node->close_begin);
    else if (p->in_text)
        xml_text_close(&p->tree, index);
    p->open = node->parent;
}

static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around);

/* Whether the element is a note in a text, as in DocBook, DITA, JATS and TEI: its contents are separate units. */
static bool is_note(const XmlParser *p, size_t index)
{
    const XmlNode *node = &p->tree.nodes[index], *parent = p->open == XML_NO_NODE ? NULL : &p->tree.nodes[p->open];

    if (!is_in_text(parent) || parent->is_skipped || node->is_protected ||
        lists_name(&p->tree, index, p->options->skips, p->options->skip_count))
        return false;
    return xml_tree_is(&p->tree, index, "footnote endnote fn note indexterm");
}

/* Reports the note as an empty element of the text around it, and the texts in the note as separate units. If too many
 * texts are open, the texts in the note are left out. */
static void report_note(XmlParser *p, size_t index)
{
    XmlNode *node = &p->tree.nodes[index];
    XmlParser inner = { .tree = p->tree, .options = p->options, .open = index };

    begin_text(p, node->begin);
    node->is_selected = true;
    node->is_skipped = node->is_inline = false;
    node->is_text_owner = node->has_text;
    if (document_builder_can_begin(p->tree.builder)) {
        report_nodes(&inner, index + 1, node->next, index);
        end_text(&inner, node->close_begin);
    }
    document_builder_empty(p->tree.builder, node->begin, node->close_end);
}

/* Reports the nodes [first, end), which are in the element `around`. */
static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around)
{
    const XmlNode *nodes = p->tree.nodes;

    for (size_t i = first; i < end && !document_builder_failed(p->tree.builder);) {
        while (p->open != around && i == nodes[p->open].next) leave_element(p);
        if (nodes[i].kind != NODE_ELEMENT) {
            const XmlNode *parent = &nodes[p->open];
            if (is_in_text(parent)) {
                begin_text(p, nodes[i].begin - (nodes[i].kind == NODE_CDATA ? sizeof "<![CDATA[" - 1 : 0));
                document_builder_keep(p->tree.builder, parent->is_protected || parent->is_skipped);
                xml_text_report(&p->tree, i, p->context, false);
            }
            i++;
        } else if (is_note(p, i)) {
            report_note(p, i);
            i = nodes[i].next;
        } else {
            enter_element(p, i++);
        }
    }
    while (p->open != around && !document_builder_failed(p->tree.builder)) leave_element(p);
}

static void report_generic(const XmlTree *tree)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;
    XmlParser parser = { .tree = *tree, .options = options, .open = XML_NO_NODE };

    report_nodes(&parser, 0, tree->count, XML_NO_NODE);
    xml_label(tree, 0, "xml:lang", options->language);
}

/* --- The string resources of Android: string, plurals and string-array ----------------- */

static XmlInline android_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)id;
    return xml_tree_is(tree, node, "g") ? INLINE_KEPT : INLINE_SPAN; /* <xliff:g> contains a placeholder */
}

static void report_item(const XmlTree *tree, size_t item, const XmlTextRules *rules);

/* Whether the string is a reference to another resource: @string/name. */
static bool is_reference(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const size_t at = chars_skip_space(tree->bytes, node->end, node->close_begin);

    return at < node->close_begin && (tree->bytes[at] == '@' || tree->bytes[at] == '?');
}

/* Reports a string, unless it is a reference. */
static void report_string(const XmlTree *tree, size_t element)
{
    static const XmlTextRules rules = { .inline_kind = android_kind, .is_android = true };

    if (!is_reference(tree, element) && !xml_tree_attribute_is(tree, element, "translatable", "false"))
        report_item(tree, element, &rules);
}

static void report_android(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count; i = tree->nodes[i].next) {
        if (document_builder_failed(tree->builder)) return;
        if (xml_tree_is(tree, i, "string") ||
            (xml_tree_is(tree, i, "item") && xml_tree_attribute_is(tree, i, "type", "string"))) {
            report_string(tree, i);
            continue;
        }
        if (!xml_tree_is(tree, i, "plurals string-array")) continue;
        if (xml_tree_attribute_is(tree, i, "translatable", "false")) continue;
        for (size_t item = i + 1; item < tree->nodes[i].next; item = tree->nodes[item].next)
            if (xml_tree_is(tree, item, "item")) report_string(tree, item);
    }
}

/* --- The resources of .NET (.resx): strings are <data> without a type ------------------ */

static void report_resx(const XmlTree *tree)
{
    static const XmlTextRules rules = { .is_preserved = true };

    document_builder_accelerators(tree->builder, "&");
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i = tree->nodes[i].next) {
        size_t text;
        Range value;
        if (!xml_tree_is(tree, i, "data") || xml_tree_attribute(tree, i, "type", &value) ||
            xml_tree_attribute(tree, i, "mimetype", &value))
            continue;
        /* Designers of forms store the names and types of controls under names that begin with >>. */
        if (xml_tree_attribute(tree, i, "name", &value) && value.end > value.begin &&
            (tree->bytes[value.begin] == '>' || tree->bytes[value.begin] == '&'))
            continue;
        text = xml_tree_child(tree, i, "value");
        if (text != XML_NO_NODE) xml_text_contents(tree, text, &rules, false, NULL);
    }
}

/* --- Bilingual XML --------------------------------------------------------------------- */

/* An attribute that changes when its unit is translated, for example to say that the translation needs a review. */
typedef struct {
    const char *name, *value; /* value NULL: the attribute is removed */
    bool is_there_only;       /* only changes an attribute that exists: it is not added */
    bool is_language;         /* names the language: unchanged if that is already the language of the translation */
} XmlMark;

typedef struct {
    size_t source, target; /* elements; `target` is XML_NO_NODE if it is missing and must be added */
    size_t insert_at;      /* the byte where the target is added */
    Buf before, after;     /* written around a translation: the tags of a target that is added; otherwise text
                                 inside the tags of the target. add_pair() frees them. */
    bool is_done;          /* the target contains a translation that must stay */
    const XmlTextRules *rules;
    size_t more_forms;     /* number of further plural forms; the translation is written for each of them */
    const char *form_open; /* written before each further form */
} XmlPair;

static const char form_close[] = "</numerusform>"; /* in Qt; written after each form except the last one */

static void put_range(const XmlTree *tree, Buf *out, Range range)
{
    buf_put(out, tree->bytes + range.begin, range.end - range.begin);
}

/* Returns the text of a Buf as a string, which may be empty. If memory ran out while it was filled, the builder
 * fails. */
static const char *text_of(const XmlTree *tree, Buf *text)
{
    Err err;

    if (buf_check(text, &err) != OK) document_builder_fail_memory(tree->builder);
    return text->data ? text->data : "";
}

#define EVERY_UNIT ((size_t)-1)

/* Sets an attribute of a start tag when `unit` is translated. EVERY_UNIT: sets it in every translation whose language
 * is known. */
static void mark_element(const XmlTree *tree, size_t unit, size_t element, const XmlMark *mark)
{
    const char *bytes = tree->bytes;
    Buf text = { 0 };
    Range place; /* the bytes that are replaced */
    const bool is_there = xml_tree_attribute(tree, element, mark->name, &place);

    if (!is_there && (!mark->value || mark->is_there_only)) return;
    if (is_there && mark->is_language && document_builder_is_language(tree->builder, place.begin, place.end)) return;
    if (!mark->value) {
        size_t at = place.begin; /* the whole attribute is removed, with the white space before it */
        while (bytes[at] != '=') at--;
        while (char_is_space(bytes[at - 1])) at--;
        while (!char_is_space(bytes[at - 1])) at--;
        while (char_is_space(bytes[at - 1])) at--;
        place = (Range){ at, place.end + 1 };
    } else if (is_there) {
        buf_put_text(&text, mark->value);
    } else {
        buf_put_format(&text, " %s=\"%s\"", mark->name, mark->value);
        place.begin = place.end = xml_tree_name(tree, element).end;
    }
    if (unit == EVERY_UNIT)
        document_builder_label(tree->builder, place.begin, place.end, text_of(tree, &text));
    else
        document_builder_mark(tree->builder, unit, place.begin, place.end, text_of(tree, &text));
    buf_free(&text);
}

/* Sets the language in an attribute of a start tag. Adds the attribute if it is missing. Does nothing if `language` is
 * NULL (unknown). */
static void add_label(const XmlTree *tree, size_t element, const char *attribute, const char *language)
{
    const XmlMark mark = { .name = attribute, .value = language, .is_language = true };

    if (language) mark_element(tree, EVERY_UNIT, element, &mark);
}

/* Reports the language in an attribute of a start tag, if the tag has this attribute. */
static void report_name(const XmlTree *tree, size_t element, const char *attribute, LanguageSide side)
{
    Range name;

    if (xml_tree_attribute(tree, element, attribute, &name))
        document_builder_names(tree->builder, side, name.begin, name.end);
}

/* Appends the white space that is before `element`, to indent an element that is added after it in the same way. */
static void put_indent(const XmlTree *tree, Buf *out, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const XmlNode *before = element ? node - 1 : NULL;

    if (before && before->kind == NODE_TEXT && before->end == node->begin && before->parent == node->parent &&
        xml_tree_is_space(tree, before->begin, before->end))
        put_range(tree, out, (Range){ before->begin, before->end });
}

/* Whether an element contains text, or elements other than <mrk>, which only marks a part of the text in XLIFF. */
static bool is_filled(const XmlTree *tree, size_t element)
{
    for (size_t i = element; i < tree->nodes[element].next; i++)
        if (tree->nodes[i].has_text ||
            (i > element && tree->nodes[i].kind == NODE_ELEMENT && !xml_tree_is(tree, i, "mrk")))
            return true;
    return false;
}

/* --- The plural forms of Android ------------------------------------------------------- */

#define MOST_ITEMS 16 /* of an element <plurals> whose forms are adapted to the language */

static PluralCategory quantity_of(const XmlTree *tree, size_t item, Range *value)
{
    return xml_tree_is(tree, item, "item") && xml_tree_attribute(tree, item, "quantity", value)
               ? plural_category_named(tree->bytes + value->begin, value->end - value->begin)
               : PLURAL_CATEGORIES;
}

/* Adds an item like `other` for a category before the item `next`. */
static void add_item(const XmlTree *tree, size_t next, PluralCategory category, size_t other, const XmlTextRules *rules)
{
    const XmlNode *node = &tree->nodes[other];
    const size_t at = tree->nodes[next].begin;
    UnitPlan plan = { .own = document_builder_place(tree->builder, at, at) };
    Buf before = { 0 }, after = { 0 };
    Range value;

    (void)quantity_of(tree, other, &value);
    put_range(tree, &before, (Range){ node->begin, value.begin });
    buf_put_text(&before, plural_category_name(category));
    put_range(tree, &before, (Range){ value.end, node->end });
    put_range(tree, &after, (Range){ node->close_begin, node->close_end });
    put_indent(tree, &after, next);
    xml_text_contents(tree, other, rules, false, &plan.source);
    plan.before = text_of(tree, &before);
    plan.after = text_of(tree, &after);
    (void)document_builder_add_unit(tree->builder, &plan);
    buf_free(&before);
    buf_free(&after);
}

static bool has_number(const XmlTree *tree, size_t item)
{
    const XmlNode *node = &tree->nodes[item];

    return memchr(tree->bytes + node->end, '%', node->close_begin - node->end) != NULL;
}

/* Reports a string. If it is an item of <plurals>, adds the items before it that the target language needs. If it is
 * for several numbers but does not show the number, its translation is that of the item for others. */
static void report_item(const XmlTree *tree, size_t item, const XmlTextRules *rules)
{
    const IcuTarget *target = document_builder_target(tree->builder);
    const size_t plurals = tree->nodes[item].parent;
    size_t count = 0, other = XML_NO_NODE;
    UnitPlan plan = { 0 };
    unsigned there = 0; /* the categories that have an item */
    Range value;
    PluralCategory category = quantity_of(tree, item, &value), lowest = category;

    for (size_t i = plurals + 1; xml_tree_is(tree, plurals, "plurals") && i < tree->nodes[plurals].next;
         i = tree->nodes[i].next) {
        const PluralCategory found = quantity_of(tree, i, &value);
        if (++count > 2 * MOST_ITEMS) break; /* with the white space between them */
        if (found < PLURAL_CATEGORIES) there |= 1u << found;
        if (found == PLURAL_OTHER && is_filled(tree, i) && !is_reference(tree, i)) other = i;
    }
    if (category == PLURAL_CATEGORIES || other == XML_NO_NODE || count > 2 * MOST_ITEMS || !target->is_known ||
        target->keeps_form) {
        xml_text_contents(tree, item, rules, false, NULL);
        return;
    }
    while (lowest && !(there >> (lowest - 1) & 1)) lowest--;
    for (; lowest < category; lowest++)
        if (target->categories[PLURALS_CARDINAL] >> lowest & 1) add_item(tree, item, lowest, other, rules);
    if (!(target->needs_number[PLURALS_CARDINAL] >> category & 1) || has_number(tree, item) || !is_filled(tree, item) ||
        !has_number(tree, other)) {
        xml_text_contents(tree, item, rules, false, NULL);
        return;
    }
    plan.own = document_builder_place(tree->builder, tree->nodes[item].end, tree->nodes[item].close_begin);
    xml_text_contents(tree, other, rules, false, &plan.source);
    (void)document_builder_add_unit(tree->builder, &plan);
}

/* Adds the unit, or one unit for each plural form: the first one replaces the target, and the others are inserted after
 * it. An empty tag, <target/>, becomes a start tag, and an end tag is written after the translation. Returns the number
 * of the first unit for document_builder_mark(). */
static size_t add_pair(const XmlTree *tree, XmlPair *pair)
{
    const bool adds = pair->target == XML_NO_NODE;
    const XmlNode *target = adds ? NULL : &tree->nodes[pair->target];
    const bool opens = !adds && target->close_begin == target->close_end;
    const size_t end = adds ? pair->insert_at : opens ? target->end : target->close_begin;
    UnitPlan plan = { .is_done = !adds && !opens && pair->is_done };
    const char *before, *after;
    size_t first = 0;

    xml_text_contents(tree, pair->source, pair->rules, false, &plan.source);
    if (adds || opens)
        plan.own = document_builder_place(tree->builder, end, end);
    else
        xml_text_contents(tree, pair->target, pair->rules, true, &plan.own);
    if (opens) {
        buf_put_text(&pair->after, "</");
        put_range(tree, &pair->after, xml_tree_name(tree, pair->target));
        buf_put_text(&pair->after, ">");
    }
    before = text_of(tree, &pair->before);
    after = text_of(tree, &pair->after);
    for (size_t i = 0; i <= pair->more_forms && !document_builder_failed(tree->builder); i++) {
        size_t unit;
        if (i) plan.own = document_builder_place(tree->builder, end, end);
        plan.before = i ? pair->form_open : before;
        plan.after = i < pair->more_forms ? form_close : after;
        unit = document_builder_add_unit(tree->builder, &plan);
        if (!i) first = unit;
    }
    if (opens) {
        const size_t slash =
            chars_trimmed_end(tree->bytes, target->begin, end - 2); /* where "/>" and the white space before it begin */
        document_builder_mark(tree->builder, first, slash, end, ">");
    }
    buf_free(&pair->before);
    buf_free(&pair->after);
    return first;
}

/* --- Translation files of Qt Linguist ---------------------------------------------------
 * White space is part of the texts. Translations have the type "unfinished" until a person has reviewed them. */

static XmlInline qt_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)tree, (void)node, (void)id;
    return INLINE_OPAQUE; /* <byte value="x1b"/> */
}

static const XmlTextRules qt_rules = { .inline_kind = qt_kind, .is_preserved = true };
static const XmlMark unfinished = { .name = "type", .value = "unfinished" };

/* The most plural forms that a language has: Arabic. */
#define FORMS ((size_t)6)

/* How many plural forms Qt has for a language. In gettext, some languages have other numbers: Hungarian has two. */
static size_t count_forms(const char *language)
{
    static const struct {
        const char *languages; /* their codes, separated by spaces */
        size_t count;
    } rows[] = { { "bi my zh yue dz fj gn hu id ja jv ko ms na om fa su th bo tr vi yo za", 1 },
                 { "be bs cs dv fil ga gv hr ik iu lt lv mi mk pl ro ru sa se sh sk sm sr tl uk", 3 },
                 { "gd mt sl", 4 },
                 { "cy", 5 },
                 { "ar", FORMS } };

    if (!language) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (chars_are_among(language, strcspn(language, "-_"), rows[i].languages)) return rows[i].count;
    return 2;
}

static const char form_open[] = "<numerusform>";

/* Makes add_pair() write the translation for `count` plural forms, each of which begins with the tag `open`. */
static void put_forms(XmlPair *pair, const char *open, size_t count)
{
    buf_put_text(&pair->before, open);
    buf_put_text(&pair->after, form_close);
    pair->form_open = open;
    pair->more_forms = count - 1;
}

static bool is_unfinished(const XmlTree *tree, size_t translation)
{
    return xml_tree_attribute_is(tree, translation, "type", "unfinished");
}

/* Adds a unit for each plural form. The type "unfinished" is set once for all forms, with the first unit that is
 * translated. Unless the message is done, missing forms are added, because pylupdate writes only one form. */
static void report_forms(const XmlTree *tree, size_t source, size_t translation)
{
    const size_t wanted = count_forms(xml_language(tree));
    size_t count = 0, first = 0, last = 0;
    bool has_open = false;

    for (size_t i = translation + 1; i < tree->nodes[translation].next && count < FORMS; i = tree->nodes[i].next) {
        XmlPair pair = { .source = source, .target = i, .rules = &qt_rules };
        size_t unit;
        if (!xml_tree_is(tree, i, "numerusform")) continue;
        pair.is_done = is_filled(tree, i) && !is_unfinished(tree, translation);
        unit = add_pair(tree, &pair);
        if (!count++ || (!pair.is_done && !has_open)) first = unit;
        has_open |= !pair.is_done;
        last = i;
    }
    if (has_open && count < wanted) {
        XmlPair pair = { .source = source, .target = XML_NO_NODE, .rules = &qt_rules };
        Buf open = { 0 };
        put_indent(tree, &open, last);
        buf_put_text(&open, form_open);
        pair.insert_at = tree->nodes[last].close_end;
        put_forms(&pair, text_of(tree, &open), wanted - count);
        (void)add_pair(tree, &pair);
        buf_free(&open);
    }
    mark_element(tree, first, translation, &unfinished);
}

/* If a message has plural forms, makes add_pair() write its translation for each form of the language. */
static void add_forms(const XmlTree *tree, size_t message, XmlPair *pair)
{
    if (xml_tree_attribute_is(tree, message, "numerus", "yes"))
        put_forms(pair, form_open, count_forms(xml_language(tree)));
}

/* Whether the message is no longer used, or has variants of different lengths. */
static bool is_left_alone(const XmlTree *tree, size_t translation)
{
    return xml_tree_attribute_is(tree, translation, "type", "obsolete vanished") ||
           xml_tree_child(tree, translation, "lengthvariant") != XML_NO_NODE;
}

static void report_message(const XmlTree *tree, size_t message)
{
    const size_t source = xml_tree_child(tree, message, "source");
    const size_t translation = xml_tree_child(tree, message, "translation");
    XmlPair pair = { .source = source, .target = translation, .rules = &qt_rules };

    if (source == XML_NO_NODE || !is_filled(tree, source)) return;
    if (translation == XML_NO_NODE) { /* it becomes the last element of the message */
        for (size_t i = message + 1; i < tree->nodes[message].next; i = tree->nodes[i].next)
            if (tree->nodes[i].kind == NODE_ELEMENT) pair.insert_at = tree->nodes[i].close_end;
        put_indent(tree, &pair.before, source);
        buf_put_text(&pair.before, "<translation type=\"unfinished\">");
        add_forms(tree, message, &pair);
        buf_put_text(&pair.after, "</translation>");
        (void)add_pair(tree, &pair);
    } else if (xml_tree_child(tree, translation, "numerusform") != XML_NO_NODE) {
        if (!is_left_alone(tree, translation)) report_forms(tree, source, translation);
    } else if (!is_left_alone(tree, translation)) {
        pair.is_done = is_filled(tree, translation) && !is_unfinished(tree, translation);
        add_forms(tree, message, &pair);
        mark_element(tree, add_pair(tree, &pair), translation, &unfinished);
    }
}

static void report_qt(const XmlTree *tree)
{
    const char *language = xml_language(tree);
    char name[LABEL_LANGUAGE_BYTES];

    snprintf(name, sizeof name, "%s", language ? language : "");
    for (char *at = name; *at; at++)
        if (*at == '-') *at = '_'; /* Qt writes pt_BR instead of pt-BR */
    document_builder_accelerators(tree->builder, "&");
    report_name(tree, 0, "sourcelanguage", LANGUAGE_SOURCE);
    report_name(tree, 0, "language", LANGUAGE_TARGET);
    add_label(tree, 0, "language", language ? name : NULL);
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
    if (xml_tree_is(tree, node, "hi")) return INLINE_SPAN;
    if (xml_tree_is(tree, node, "ph")) return INLINE_VALUE;
    if (!xml_tree_attribute(tree, node, "i", id)) return INLINE_OPAQUE;
    return xml_tree_is(tree, node, "bpt") ? INLINE_OPEN : xml_tree_is(tree, node, "ept") ? INLINE_CLOSE : INLINE_OPAQUE;
}

static const XmlTextRules tmx_rules = { .inline_kind = tmx_kind };

/* Finds the language of a variant: the attribute xml:lang, or lang in versions before 1.4. */
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

/* Whether the variant is in this language. `is_loose`: the same primary language is enough (en-GB for en). */
static bool is_in_language(const XmlTree *tree, size_t variant, const char *language, size_t length, bool is_loose)
{
    const char *name;
    size_t size;
    Range found;

    if (!find_language(tree, variant, &found)) return false;
    name = tree->bytes + found.begin;
    size = found.end - found.begin;
    if (is_loose) {
        size = primary_length(name, size);
        length = primary_length(language, length);
    }
    return size == length && strncasecmp(name, language, size) == 0;
}

/* Returns a variant of the unit in this language, if possible with the same region, but not `other`; XML_NO_NODE: there
 * is none. */
static size_t find_variant(const XmlTree *tree, size_t unit, const char *language, size_t length, size_t other)
{
    for (int is_loose = 0; is_loose < 2; is_loose++)
        for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
            if (i != other && xml_tree_is(tree, i, "tuv") && is_in_language(tree, i, language, length, is_loose))
                return i;
    return XML_NO_NODE;
}

/* Returns the source of a unit, or XML_NO_NODE: the variant in the language that the unit or the header names. If they
 * name none or "*all*", returns the variant in the source language of the model; if that is not known, the first one
 * that is not in `language`, the language of the translation. */
static size_t find_source(const XmlTree *tree, size_t unit, size_t header, const char *language)
{
    const char *source = document_builder_input(tree->builder).options->source_language;
    const size_t length = strlen(language);
    Range named;

    if ((xml_tree_attribute(tree, unit, "srclang", &named) ||
         (header != XML_NO_NODE && xml_tree_attribute(tree, header, "srclang", &named))) &&
        (named.end - named.begin != 5 || strncasecmp(tree->bytes + named.begin, "*all*", 5) != 0)) {
        const size_t found = find_variant(tree, unit, tree->bytes + named.begin, named.end - named.begin, XML_NO_NODE);
        return found != XML_NO_NODE && is_in_language(tree, found, language, length, false) ? XML_NO_NODE : found;
    }
    if (source) return find_variant(tree, unit, source, strlen(source), XML_NO_NODE);
    for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, "tuv") && !is_in_language(tree, i, language, length, true)) return i;
    return XML_NO_NODE;
}

/* Adds a variant in `language` after `variant`, which is the source. */
static void insert_variant(const XmlTree *tree, size_t variant, XmlPair *pair, const char *language)
{
    const XmlNode *node = &tree->nodes[variant], *last = &tree->nodes[node->next - 1];
    Range label;
    const bool has_prefix = xml_tree_attribute(tree, variant, "xml:lang", &label);

    pair->insert_at = node->close_end;
    put_indent(tree, &pair->before, variant);
    buf_put_format(&pair->before, "<tuv %slang=\"%s\">", has_prefix ? "xml:" : "", language);
    put_indent(tree, &pair->before, pair->source);
    buf_put_text(&pair->before, "<seg>");
    buf_put_text(&pair->after, "</seg>");
    if (last->kind == NODE_TEXT && last->end == node->close_begin && xml_tree_is_space(tree, last->begin, last->end))
        put_range(tree, &pair->after, (Range){ last->begin, last->end });
    buf_put_text(&pair->after, "</tuv>");
    (void)add_pair(tree, pair);
}

/* Reports a unit of a translation memory. Returns whether it has a source. */
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
    if (pair.source == XML_NO_NODE || !is_filled(tree, pair.source)) return true;
    target = find_variant(tree, unit, language, strlen(language), source);
    if (target == XML_NO_NODE) {
        insert_variant(tree, source, &pair, language);
        return true;
    }
    pair.target = xml_tree_child(tree, target, "seg");
    if (pair.target == XML_NO_NODE) return true;
    pair.is_done = is_filled(tree, pair.target);
    (void)add_pair(tree, &pair);
    return true;
}

static void report_tmx(const XmlTree *tree)
{
    const size_t header = xml_tree_child(tree, 0, "header");
    const char *language = xml_language(tree);
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
        has_source = true; /* no unit has a source for this model, so the first variant names the language */
    }
}

/* --- XLIFF 1.2 (trans-unit) and 2.0 (segment) -------------------------------------------
 * Translations are marked as needing a review: in 1.2 with the state "needs-review-translation"; in 2.0 with
 * "translated", which comes before "reviewed". */

/* Angular writes tags as <x id="START_LINK_1"/> and <x id="CLOSE_LINK"/>: the number is no part of the name LINK. */
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
        const char *names;
        XmlInline kind;
        const char *id, *other_id; /* attributes that may name the span, in this order. NULL: call tag_kind() */
    } codes[] = {
        { "x ph", INLINE_VALUE, NULL, NULL },   { "it sub cp sm em", INLINE_OPAQUE, NULL, NULL },
        { "bpt bx", INLINE_OPEN, "rid", "id" }, { "ept ex", INLINE_CLOSE, "rid", "id" },
        { "sc", INLINE_OPEN, "id", "id" },      { "ec", INLINE_CLOSE, "startRef", "id" },
    };

    if (xml_tree_attribute_is(tree, node, "mtype", "protected")) return INLINE_KEPT;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!xml_tree_is(tree, node, codes[i].names)) continue;
        if (!codes[i].id) return tag_kind(tree, node, codes[i].kind, id);
        if (xml_tree_attribute(tree, node, codes[i].id, id) || xml_tree_attribute(tree, node, codes[i].other_id, id))
            return codes[i].kind;
        return INLINE_OPAQUE;
    }
    return INLINE_SPAN;
}

static const XmlTextRules xliff_rules = { .inline_kind = xliff_kind };

/* Adds a unit whose target is inserted after the element `after`, a sibling of the source. The target gets the
 * namespace prefix of the source. */
static size_t insert_target(const XmlTree *tree, XmlPair *pair, size_t after, const XmlMark *mark)
{
    const Range name = xml_tree_prefix(tree, pair->source);
    const char *prefix = tree->bytes + name.begin;
    const int length = (int)(name.end - name.begin);

    pair->insert_at = tree->nodes[after].close_end;
    put_indent(tree, &pair->before, pair->source);
    buf_put_format(&pair->before, "<%.*starget", length, prefix);
    if (mark) buf_put_format(&pair->before, " state=\"%s\"", mark->value);
    buf_put_text(&pair->before, ">");
    buf_put_format(&pair->after, "</%.*starget>", length, prefix);
    return add_pair(tree, pair);
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

static const XmlMark review = { .name = "state", .value = "needs-review-translation" };

/* Marks a target of XLIFF 1.2 and the element around it as not reviewed. Updates the language that the target names. */
static void mark_target(const XmlTree *tree, size_t unit, size_t target, size_t element)
{
    static const XmlMark no_qualifier = { .name = "state-qualifier", .is_there_only = true };
    static const XmlMark unapproved = { .name = "approved", .value = "no", .is_there_only = true };
    const DocumentOptions *options = document_builder_input(tree->builder).options;
    const XmlMark language = {
        .name = "xml:lang", .value = options->language, .is_there_only = true, .is_language = true
    };

    if (target != XML_NO_NODE) {
        mark_element(tree, unit, target, &review);
        mark_element(tree, unit, target, &no_qualifier);
        if (options->language && !options->keep_language) mark_element(tree, unit, target, &language);
    }
    mark_element(tree, unit, element, &unapproved);
}

/* Returns the first segment of the element at node `at` or after it, or XML_NO_NODE. Segments are not nested. */
static size_t find_segment(const XmlTree *tree, size_t element, size_t at)
{
    for (; at < tree->nodes[element].next; at++)
        if (xml_tree_is(tree, at, "mrk") && xml_tree_attribute_is(tree, at, "mtype", "seg")) return at;
    return XML_NO_NODE;
}

/* Adds a unit for each empty segment of a translation, unless the source of the segment is empty. The first unit marks
 * the target as needing a review. Returns whether a unit was added. */
static bool report_empty_segments(const XmlTree *tree, size_t element, size_t source, size_t target)
{
    size_t empty = find_segment(tree, target, target + 1);
    StrMap *sources; /* the names (mid) of the filled segments of the source -> their nodes */
    bool is_marked = false, is_new;
    Range mid;
    Status st;
    Err err;

    while (empty != XML_NO_NODE && is_filled(tree, empty)) empty = find_segment(tree, target, tree->nodes[empty].next);
    if (empty == XML_NO_NODE) return false;
    st = str_map_new(&sources, &err);
    for (size_t i = find_segment(tree, source, source + 1); st == OK && i != XML_NO_NODE;
         i = find_segment(tree, source, tree->nodes[i].next))
        if (is_filled(tree, i) && xml_tree_attribute(tree, i, "mid", &mid))
            st = str_map_add(sources, tree->bytes + mid.begin, mid.end - mid.begin, (int32_t)i, &is_new, &err);
    if (st != OK) document_builder_fail_memory(tree->builder);
    for (size_t i = empty; i != XML_NO_NODE && !document_builder_failed(tree->builder);
         i = find_segment(tree, target, tree->nodes[i].next)) {
        XmlPair pair = { .target = i, .rules = &xliff_rules };
        size_t unit;
        if (is_filled(tree, i) || !xml_tree_attribute(tree, i, "mid", &mid)) continue;
        pair.source = (size_t)str_map_get(sources, tree->bytes + mid.begin, mid.end - mid.begin, 0);
        if (!pair.source) continue;
        unit = add_pair(tree, &pair);
        if (!is_marked) mark_target(tree, unit, target, element);
        is_marked = true;
    }
    str_map_free(sources);
    return is_marked;
}

/* Reports a unit of XLIFF 1.2. If the source is segmented, translates its segments, so that the target gets their tags.
 * If only some segments of the target are empty, translates these one by one. */
static void report_trans_unit(const XmlTree *tree, size_t element)
{
    const size_t segments = xml_tree_child(tree, element, "seg-source");
    const bool retranslates = document_builder_input(tree->builder).options->retranslate;
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (segments != XML_NO_NODE && is_filled(tree, segments)) pair.source = segments;
    /* An existing translation is kept, except for its empty segments. */
    pair.is_done = pair.target != XML_NO_NODE && is_filled(tree, pair.target) &&
                   !xml_tree_attribute_is(tree, pair.target, "state", "new needs-translation");
    if (pair.is_done && pair.source == segments && !retranslates &&
        report_empty_segments(tree, element, segments, pair.target))
        return;
    if (pair.target == XML_NO_NODE)
        unit = insert_target(tree, &pair, segments == XML_NO_NODE ? pair.source : segments, &review);
    else
        unit = add_pair(tree, &pair);
    mark_target(tree, unit, pair.target, element);
}

/* Reports a segment of 2.0. */
static void report_segment(const XmlTree *tree, size_t element)
{
    static const XmlMark translated = { .name = "state", .value = "translated" };
    static const XmlMark without_detail = { .name = "subState", .is_there_only = true }; /* belongs to the old state */
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

/* Reports the languages of a file. The language of the translations may be missing. */
static void report_languages(const XmlTree *tree, size_t element, const char *source, const char *target)
{
    Range language;

    report_name(tree, element, source, LANGUAGE_SOURCE);
    report_name(tree, element, target, LANGUAGE_TARGET);
    if (xml_tree_attribute(tree, element, source, &language)) add_label(tree, element, target, xml_language(tree));
}

static void report_xliff(const XmlTree *tree)
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

/* --- The formats ------------------------------------------------------------------------ */

/* Reads the document. In most formats, the name of the root element is fixed; in .xml files, it chooses the format. */
static void parse_xml(DocumentBuilder *builder)
{
    static const struct {
        const DocumentFormat *format;
        const char *root;
        void (*report)(const XmlTree *tree);
        const char *children; /* a child that the root must have if no format is given; NULL: any */
    } rows[] = { { &document_xliff, "xliff", report_xliff, NULL },
                 { &document_tmx, "tmx", report_tmx, NULL },
                 { &document_qt, "TS", report_qt, NULL },
                 { &document_android, "resources", report_android, "string plurals string-array" },
                 { NULL, "root", report_resx, "resheader" } };
    const size_t count = sizeof rows / sizeof *rows;
    const BuilderInput input = document_builder_input(builder);
    const size_t begin = chars_skip_space(input.bytes, input.begin, input.end);
    size_t row = 0;
    XmlTree tree;

    while (row < count && rows[row].format != input.format) row++;
    /* the file is not XML: TypeScript in a .ts file, for example */
    if (row < count && begin < input.end && input.bytes[begin] != '<') {
        document_builder_fail(builder, 0, "not XML: a file of this format begins with <%s>", rows[row].root);
        return;
    }
    if (!xml_tree_read(&tree, builder)) return;
    if (row < count && !xml_tree_is(&tree, 0, rows[row].root)) {
        document_builder_fail(builder, tree.nodes[0].begin, "the first element must be <%s>", rows[row].root);
    } else if (row < count) {
        rows[row].report(&tree);
    } else {
        for (row = 0; row < count; row++)
            if (xml_tree_is(&tree, 0, rows[row].root) &&
                (!rows[row].children || xml_tree_child(&tree, 0, rows[row].children) != XML_NO_NODE))
                break;
        document_builder_arguments(builder, row == count       ? ARGUMENTS_UNKNOWN
                                            : rows[row].format ? rows[row].format->arguments
                                                               : ARGUMENTS_IN_ORDER);
        (row < count ? rows[row].report : report_generic)(&tree);
    }
    xml_tree_free(&tree);
}

/* Files of MPEG video also end in .ts; they consist of packets of 188 bytes that begin with the letter G. Programs in
 * TypeScript also end in .ts; they begin with an ASCII character other than "<". */
static const char *recognize_other_ts(const char *bytes, size_t size)
{
    static const size_t packet = 188;
    size_t at = chars_skip_mark(bytes, 0, size);

    if (size > packet && bytes[0] == 'G' && bytes[packet] == 'G' && (size <= 2 * packet || bytes[2 * packet] == 'G') &&
        !memchr(bytes, '<', 4))
        return "this is an MPEG video, not a translation file of Qt";
    at = chars_skip_space(bytes, at, size);
    if (at + 1 < size && bytes[at] > ' ' && bytes[at] < 0x7f && bytes[at] != '<' && bytes[at + 1])
        return "not XML: a file of this format begins with <TS>";
    return NULL;
}

#define READS_XML .parse = parse_xml, .spelling = &xml_spelling, .find_encoding = declared_encoding_xml

const DocumentFormat document_xml = { .name = "xml", .endings = ".xml .resx", READS_XML };
const DocumentFormat document_xliff = {
    .name = "xliff", .endings = ".xlf .xliff", .arguments = ARGUMENTS_IN_ORDER, READS_XML
};
const DocumentFormat document_tmx = { .name = "tmx", .endings = ".tmx", .arguments = ARGUMENTS_IN_ORDER, READS_XML };
const DocumentFormat document_android = { .name = "android", .endings = "", .arguments = ARGUMENTS_PRINTF, READS_XML };
const DocumentFormat document_qt = {
    .name = "qt", .endings = ".ts", .recognize_other = recognize_other_ts, .arguments = ARGUMENTS_IN_ORDER, READS_XML
};
