/* xml_qt.c - translation files of Qt Linguist. White space in their texts counts. Translations are of the type
 * "unfinished" until a person has reviewed them. */
#include <stdio.h>
#include <string.h>

#include "xml_formats.h"
#include "xml_pairs.h"

static XmlInline inline_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)tree, (void)node, (void)id;
    return INLINE_OPAQUE; /* <byte value="x1b"/> */
}

static const XmlTextRules rules = { .inline_kind = inline_kind, .is_preserved = true };
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

static bool has_forms(const XmlTree *tree, size_t message)
{
    return xml_tree_attribute_is(tree, message, "numerus", "yes");
}

static bool is_unfinished(const XmlTree *tree, size_t translation)
{
    return xml_tree_attribute_is(tree, translation, "type", "unfinished");
}

/* Adds forms after the last one, with the white space that is before it. */
static void append_forms(const XmlTree *tree, size_t source, size_t last, size_t count)
{
    XmlPair pair = { .source = source,
                     .target = XML_NO_NODE,
                     .insert_at = tree->nodes[last].close_end,
                     .rules = &rules,
                     .form_close = form_close,
                     .forms = count };
    Buf open = { 0 };

    xml_pairs_append(tree, &open, xml_pairs_indent(tree, last));
    xml_pairs_append_text(tree, &open, form_open);
    pair.form_open = open.data;
    (void)xml_pairs_add(tree, &pair);
    buf_free(&open);
}

/* Each plural form is a unit of its own. The mark, which they share, is that of the first one to be translated. Unless
 * the message is done, forms that the language has are added: pylupdate writes one. */
static void report_forms(const XmlTree *tree, size_t source, size_t translation)
{
    const size_t wanted = count_forms(xml_pairs_language(tree));
    size_t count = 0, first = 0, last = 0;
    bool has_open = false;

    for (size_t i = translation + 1; i < tree->nodes[translation].next && count < FORMS; i = tree->nodes[i].next) {
        XmlPair pair = { .source = source, .target = i, .rules = &rules };
        size_t unit;
        if (!xml_tree_is(tree, i, "numerusform")) continue;
        pair.is_done = xml_text_is_filled(tree, i, NULL) && !is_unfinished(tree, translation);
        unit = xml_pairs_add(tree, &pair);
        if (!count++ || (!pair.is_done && !has_open)) first = unit;
        has_open |= !pair.is_done;
        last = i;
    }
    if (has_open && count < wanted) append_forms(tree, source, last, wanted - count);
    xml_pairs_mark(tree, first, translation, &unfinished);
}

/* The translation is written as all forms of the language. */
static void add_forms(const XmlTree *tree, XmlPair *pair)
{
    pair->form_open = form_open;
    pair->form_close = form_close;
    pair->forms = count_forms(xml_pairs_language(tree));
}

/* Adds a unit whose translation becomes the last element of the message. */
static void insert_translation(const XmlTree *tree, size_t message, size_t source)
{
    XmlPair pair = { .source = source, .target = XML_NO_NODE, .rules = &rules };
    Buf before = { 0 };

    for (size_t i = message + 1; i < tree->nodes[message].next; i = tree->nodes[i].next)
        if (tree->nodes[i].kind == NODE_ELEMENT) pair.insert_at = tree->nodes[i].close_end;
    xml_pairs_append(tree, &before, xml_pairs_indent(tree, source));
    xml_pairs_append_text(tree, &before, "<translation type=\"unfinished\">");
    pair.before = before.data;
    pair.after = "</translation>";
    if (has_forms(tree, message)) add_forms(tree, &pair);
    (void)xml_pairs_add(tree, &pair);
    buf_free(&before);
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
    XmlPair pair = { .source = source, .target = translation, .marks = { unfinished }, .rules = &rules };

    if (source == XML_NO_NODE || !xml_text_is_filled(tree, source, NULL)) return;
    if (translation == XML_NO_NODE) {
        insert_translation(tree, message, source);
    } else if (xml_tree_child(tree, translation, "numerusform") != XML_NO_NODE) {
        if (!is_left_alone(tree, translation)) report_forms(tree, source, translation);
    } else if (!is_left_alone(tree, translation)) {
        pair.is_done = xml_text_is_filled(tree, translation, NULL) && !is_unfinished(tree, translation);
        if (has_forms(tree, message)) add_forms(tree, &pair);
        (void)xml_pairs_add(tree, &pair);
    }
}

/* Qt writes pt_BR. */
static void report_language(const XmlTree *tree)
{
    const char *language = xml_pairs_language(tree);
    char name[LABEL_LANGUAGE_BYTES];

    snprintf(name, sizeof name, "%s", language ? language : "");
    for (char *at = name; *at; at++)
        if (*at == '-') *at = '_';
    xml_pairs_names(tree, 0, "sourcelanguage", LANGUAGE_SOURCE);
    xml_pairs_names(tree, 0, "language", LANGUAGE_TARGET);
    xml_pairs_label(tree, 0, "language", language ? name : NULL);
}

void xml_report_qt(const XmlTree *tree)
{
    document_builder_accelerators(tree->builder, "&");
    report_language(tree);
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_message = xml_tree_is(tree, i, "message");
        if (is_message) report_message(tree, i);
        i = is_message ? tree->nodes[i].next : i + 1;
    }
}
