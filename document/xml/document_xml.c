/* document_xml.c - XML: the table of its dialects, and bilingual XML (Qt Linguist, TMX, XLIFF), whose units are a
 * source element and the element of its translation.
 *
 * XML does not say which elements are texts. By default, an element that directly contains text is one unit, and the
 * elements in it are inline, except elements that look like a list. An element looks like a list if it directly
 * contains no text, and its first two elements have the same name. Footnotes and index entries in a text are texts of
 * their own. Attributes are left alone. A row of the table names the elements of a dialect for which this is wrong; the
 * options --blocks, --skip and --select add names to those of the row.
 *
 * A list has names of elements, with or without a prefix, separated by spaces. A name may have conditions:
 *     PARENT/NAME              the element is directly in a PARENT
 *     NAME@ATTRIBUTE           it has this attribute
 *     NAME@ATTRIBUTE=VALUE     ... with this value; "VALUE*": with a value that begins like this
 *     NAME@ATTRIBUTE!=VALUE    ... with another value */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "str_map.h"
#include "subtitle_lines.h"
#include "xml.h"

/* --- The dialects ----------------------------------------------------------------------- */

/* The lists of a dialect. The last two are for options. */
typedef enum {
    XML_UNITS,      /* one text with all inline elements in it, even if it directly contains no text */
    XML_LINES,      /* like XML_UNITS; a sentence may go on in the next one, and after each <br/>, as in subtitles */
    XML_BLOCKS,     /* divide the text around them */
    XML_INLINE,     /* are part of the text around them, even if they look like a list */
    XML_KEPT,       /* are not translated; in a text, their text is a kept part of it */
    XML_LEFT,       /* are not translated, and divide the text around them */
    XML_OWN,        /* in a text, mark a place, and contain texts of their own */
    XML_PICTURES,   /* like XML_OWN, but may stand for a word */
    XML_LANGUAGES,  /* contain the name of the language */
    XML_ATTRIBUTES, /* names of attributes whose values are texts */
    XML_SELECTED,   /* nothing else is translated */
    XML_SKIPPED,    /* are not translated; in a text, like XML_KEPT unless they look like a list */
    XML_LISTS
} XmlList;

typedef struct {
    const DocumentFormat *format;        /* documents in this format have this dialect; NULL: no format of its own */
    const char *roots;                   /* names of the root element; NULL: any */
    const char *children;                /* in .xml files, the root must have one of these children; NULL: any */
    void (*report)(const XmlTree *tree); /* reads bilingual XML; NULL: the lists say how it is read */
    const char *names[XML_LISTS];
    const char *preserved;       /* elements in which white space is part of the text; NULL: none */
    const XmlTextRules *strings; /* units are read by these rules, with all elements in them; NULL: by the lists */
    const SpellingRules *spelling;
    const char *accelerators;
    ArgumentRule arguments;
    bool only_units; /* texts outside of units stay */
} XmlDialect;

static void report_xliff(const XmlTree *tree);
static void report_tmx(const XmlTree *tree);
static void report_qt(const XmlTree *tree);

static XmlInline android_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)id;
    return xml_tree_is(tree, node, "g") ? INLINE_KEPT : INLINE_SPAN; /* <xliff:g> contains a placeholder */
}

static const XmlTextRules android_strings = { .inline_kind = android_kind, .is_android = true };
static const XmlTextRules resx_strings = { .is_preserved = true };

/* Elements of HTML in feeds and pictures. */
#define HTML_UNITS  "p h1 h2 h3 h4 h5 h6 li dt dd td th caption figcaption div"
#define HTML_BLOCKS "ul ol dl table blockquote figure section article"

/* The dialects. The first row with the root element and a child of a document is its dialect. */
/* NOLINTBEGIN(bugprone-suspicious-missing-comma): long lists of names are divided */
static const XmlDialect dialects[] = {
    { .format = &document_xliff,
      .roots = "xliff",
      .report = report_xliff,
      .accelerators = "&",
      .arguments = ARGUMENTS_IN_ORDER },
    { .format = &document_tmx, .roots = "tmx", .report = report_tmx, .arguments = ARGUMENTS_IN_ORDER },
    { .format = &document_qt,
      .roots = "TS",
      .report = report_qt,
      .accelerators = "&",
      .arguments = ARGUMENTS_IN_ORDER },

    /* The string resources of Android. */
    { .format = &document_android,
      .roots = "resources",
      .children = "string plurals string-array",
      .names = { [XML_UNITS] = "resources/string resources/item@type=string plurals/item string-array/item",
                 [XML_LEFT] = "string@translatable=false item@translatable=false plurals@translatable=false "
                              "string-array@translatable=false" },
      .only_units = true,
      .strings = &android_strings,
      .arguments = ARGUMENTS_PRINTF },

    /* The resources of .NET (.resx): strings, which may name their type. Designers of forms store the names and types
     * of controls under names that begin with >>. */
    { .roots = "root",
      .children = "resheader",
      .names = { [XML_UNITS] = "data/value",
                 [XML_LEFT] = "data@type!=System.String* data@mimetype data@name=>* data@name=&*" },
      .only_units = true,
      .strings = &resx_strings,
      .accelerators = "&",
      .arguments = ARGUMENTS_IN_ORDER },

    /* TTML and IMSC subtitles. The texts of ruby stay. */
    { .format = &document_ttml,
      .roots = "tt",
      .children = "head body",
      .names = { [XML_UNITS] = "title desc",
                 [XML_LINES] = "p",
                 [XML_INLINE] = "span",
                 [XML_OWN] = "metadata span@tts:ruby=text span@tts:ruby=textContainer span@tts:ruby=delimiter" },
      .only_units = true,
      .spelling = &xml_cue_spelling },

    /* SVG. Each positioned part of a text is a line. */
    { .roots = "svg",
      .names = { [XML_UNITS] = "text title desc " HTML_UNITS,
                 [XML_LINES] = "tspan@x",
                 [XML_INLINE] = "tspan textPath a",
                 [XML_BLOCKS] = HTML_BLOCKS,
                 [XML_LEFT] = "style script metadata",
                 [XML_ATTRIBUTES] = "aria-label xlink:title" },
      .only_units = true },

    /* RSS and Atom. */
    { .roots = "rss RDF feed",
      .children = "channel entry title subtitle updated",
      .names = { [XML_UNITS] = "title subtitle tagline description summary content encoded " HTML_UNITS,
                 [XML_BLOCKS] = HTML_BLOCKS,
                 [XML_LEFT] = "author script style pre",
                 [XML_LANGUAGES] = "channel/language" },
      .only_units = true },

    /* DITA. */
    { .roots = "topic concept task reference troubleshooting glossentry glossgroup map bookmap dita",
      .children = "titlealts shortdesc abstract body conbody taskbody refbody troublebody glossdef prolog topicmeta "
                  "topicref mapref topichead topicgroup keydef reltable booktitle chapter topic concept task reference "
                  "glossentry",
      .names = { [XML_UNITS] = "p title navtitle searchtitle shortdesc linktext cmd stentry dt glossterm",
                 [XML_BLOCKS] = "ul ol sl dl fig lq table simpletable steps substeps object section bodydiv",
                 [XML_INLINE] = "menucascade",
                 [XML_KEPT] = "codeph filepath cmdname varname apiname option parmname synph systemoutput userinput "
                              "msgnum xmlatt xmlelement xmlnsname xmlpi numcharref parameterentity textentity math",
                 [XML_LEFT] = "codeblock screen msgblock syntaxdiagram draft-comment required-cleanup data data-about "
                              "foreign unknown author publisher source copyright resourceid vrmlist prodinfo",
                 [XML_OWN] = "fn indexterm",
                 [XML_PICTURES] = "image",
                 [XML_ATTRIBUTES] = "navtitle spectitle alt" },
      .preserved = "lines pre" },

    /* DocBook. */
    { .roots = "article book chapter section sect1 sect2 appendix preface part refentry reference glossary set",
      .children = "title info articleinfo bookinfo chapterinfo para simpara section sect1 sect2 chapter part preface "
                  "appendix refentry refmeta refnamediv refsect1",
      .names = { [XML_UNITS] = "para simpara title subtitle titleabbrev term member entry seg segtitle refpurpose "
                               "attribution primary secondary tertiary see seealso",
                 [XML_BLOCKS] = "itemizedlist orderedlist variablelist simplelist segmentedlist calloutlist glosslist "
                                "procedure table informaltable example informalexample figure informalfigure "
                                "blockquote tip warning caution important mediaobject literallayout address "
                                "qandaset",
                 [XML_INLINE] = "menuchoice keycombo",
                 [XML_KEPT] =
                     "personname command filename literal code option parameter replaceable varname envar constant "
                     "function methodname classname interfacename type symbol systemitem computeroutput "
                     "userinput prompt markup sgmltag tag email uri keycap keycode keysym token property "
                     "errorcode returnvalue structname structfield package refentrytitle manvolnum "
                     "inlineequation",
                 [XML_LEFT] =
                     "programlisting programlistingco screen screenco synopsis cmdsynopsis funcsynopsis "
                     "classsynopsis equation informalequation refmeta refname author editor othercredit "
                     "authorgroup copyright pubdate date releaseinfo revhistory isbn issn biblioentry bibliomixed",
                 [XML_OWN] = "footnote indexterm",
                 [XML_PICTURES] = "inlinemediaobject",
                 [XML_ATTRIBUTES] = "xlink:title xreflabel" },
      .preserved = "literallayout address" },

    /* JATS, the articles of journals. Bibliographies and the data of authors stay. */
    { .roots = "article",
      .children = "front body back",
      .names = { [XML_UNITS] = "p title subtitle article-title trans-title td th kwd subject term",
                 [XML_BLOCKS] = "list def-list fig fig-group table-wrap disp-quote boxed-text",
                 [XML_KEPT] = "monospace inline-formula email uri ext-link tex-math math chem-struct label",
                 [XML_LEFT] = "code preformat disp-formula contrib-group aff author-notes journal-meta article-id "
                              "object-id related-object "
                              "history pub-date ref-list permissions funding-group custom-meta-group",
                 [XML_OWN] = "fn",
                 [XML_PICTURES] = "inline-graphic" } },

    { .roots = NULL }, /* XML of any other kind */
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

/* Lists for all dialects that say how texts are read by lists. */
static const char *const every_dialect[XML_LISTS] = { [XML_OWN] = "footnote endnote fn note indexterm" };

/* --- Finding the roles of an element --------------------------------------------------- */

/* What a list says about an element. */
enum {
    ROLE_UNIT = 1,
    ROLE_LINE = 2,
    ROLE_BLOCK = 4,
    ROLE_INLINE = 8,
    ROLE_SKIPPED = 16,
    ROLE_OWN = 32,
    ROLE_OBJECT = 64,
    ROLE_LANGUAGE = 128,
    ROLE_SELECTED = 256
};

static const unsigned roles_of_lists[XML_LISTS] = { [XML_UNITS] = ROLE_UNIT | ROLE_BLOCK,
                                                    [XML_LINES] = ROLE_UNIT | ROLE_LINE | ROLE_BLOCK,
                                                    [XML_BLOCKS] = ROLE_BLOCK,
                                                    [XML_INLINE] = ROLE_INLINE,
                                                    [XML_KEPT] = ROLE_SKIPPED | ROLE_INLINE,
                                                    [XML_LEFT] = ROLE_SKIPPED | ROLE_BLOCK,
                                                    [XML_OWN] = ROLE_OWN,
                                                    [XML_PICTURES] = ROLE_OWN | ROLE_OBJECT,
                                                    [XML_LANGUAGES] = ROLE_LANGUAGE,
                                                    [XML_SELECTED] = ROLE_SELECTED,
                                                    [XML_SKIPPED] = ROLE_SKIPPED };

/* A name in a list. Conditions without a text always hold. */
typedef struct {
    unsigned roles;
    LineText parent, attribute, value;
    bool is_negated; /* the attribute must have another value */
    int32_t next;    /* the rule with the same name that was added before; -1: none */
} NameRule;

/* Reads XML by the lists of a dialect. */
typedef struct {
    XmlTree tree;
    const XmlDialect *dialect;
    const DocumentOptions *options;
    StrMap *names; /* the names of elements in the lists -> their last rule */
    struct {
        NameRule *data;
        size_t len, cap;
        bool failed;
    } rules;
    size_t open;       /* the innermost open element, or XML_NO_NODE */
    bool in_text;      /* this parser has begun a text */
    unsigned context;  /* of this text */
    size_t line;       /* the element of XML_LINES whose text has not ended yet; XML_NO_NODE: none */
    size_t line_begin; /* the first node of the line that is being reported */
    size_t lines;      /* how many elements of XML_LINES are in this text */
    bool has_ended;    /* `line` has ended: the text goes on only in the next such element */
    bool has_breaks;   /* the text has line breaks between its lines */
} XmlParser;

/* Adds the names of a list, which are separated by spaces; NULL: none. Names of the user without a space have no
 * conditions, since these characters are in no name. */
static Status add_names(XmlParser *p, const char *names, XmlList list, Err *err)
{
    for (const char *at = names; at && *at; at += strspn(at, " ")) {
        const char *end = at + strcspn(at, " "), *mark = memchr(at, '@', (size_t)(end - at));
        const char *stop = mark ? mark : end, *slash = memchr(at, '/', (size_t)(stop - at));
        const char *name = slash ? slash + 1 : at, *equals = mark ? memchr(mark, '=', (size_t)(end - mark)) : NULL;
        NameRule rule = { .roles = roles_of_lists[list] };
        int32_t *last;
        Status st = str_map_hold(p->names, name, (size_t)(stop - name), -1, &last, err);
        if (st != OK) return st;
        if (slash) rule.parent = (LineText){ at, (size_t)(slash - at) };
        rule.is_negated = equals && equals[-1] == '!';
        if (mark)
            rule.attribute = (LineText){ mark + 1, (size_t)((equals ? equals - rule.is_negated : end) - mark - 1) };
        if (equals) rule.value = (LineText){ equals + 1, (size_t)(end - equals - 1) };
        rule.next = *last;
        *last = (int32_t)p->rules.len;
        LIST_PUT(&p->rules, rule);
        at = end;
    }
    return LIST_CHECK(&p->rules, "names of elements", err);
}

static Status add_lists(XmlParser *p, Err *err)
{
    const DocumentOptions *options = p->options;
    Status st = str_map_new(&p->names, err);

    for (XmlList list = 0; list < XML_LISTS; list++) {
        if (list == XML_ATTRIBUTES) continue;
        if (st == OK) st = add_names(p, every_dialect[list], list, err);
        if (st == OK) st = add_names(p, p->dialect->names[list], list, err);
    }
    if (st == OK) st = add_names(p, options->blocks, XML_BLOCKS, err);
    for (size_t i = 0; st == OK && i < options->select_count; i++)
        if (!strchr(options->selects[i], ' ')) st = add_names(p, options->selects[i], XML_SELECTED, err);
    for (size_t i = 0; st == OK && i < options->skip_count; i++)
        if (!strchr(options->skips[i], ' ')) st = add_names(p, options->skips[i], XML_SKIPPED, err);
    return st;
}

/* Whether bytes of the document are this text; "x*": whether they begin with x. */
static bool is_text(const XmlTree *tree, Range bytes, LineText text)
{
    const bool is_prefix = text.len && text.data[text.len - 1] == '*';
    const size_t length = text.len - is_prefix;

    return (is_prefix ? bytes.end - bytes.begin >= length : bytes.end - bytes.begin == length) &&
           memcmp(tree->bytes + bytes.begin, text.data, length) == 0;
}

/* Whether an element fulfils the conditions of a rule. */
static bool fits(const XmlTree *tree, size_t node, const NameRule *rule)
{
    const size_t parent = tree->nodes[node].parent;

    if (rule->parent.len) {
        Range name;
        if (parent == XML_NO_NODE) return false;
        name = xml_tree_name(tree, parent);
        if (!is_text(tree, name, rule->parent) &&
            !is_text(tree, (Range){ xml_tree_prefix(tree, parent).end, name.end }, rule->parent))
            return false;
    }
    if (!rule->attribute.len) return true;
    for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a);)
        if (is_text(tree, a.name, rule->attribute))
            return !rule->value.len || is_text(tree, a.value, rule->value) != rule->is_negated;
    return false;
}

/* The roles that the lists give an element with this name. */
static unsigned roles_named(const XmlParser *p, size_t node, Range name)
{
    unsigned roles = 0;

    for (int32_t i = str_map_get(p->names, p->tree.bytes + name.begin, name.end - name.begin, -1); i >= 0;
         i = p->rules.data[i].next)
        if ((roles | p->rules.data[i].roles) != roles && fits(&p->tree, node, &p->rules.data[i]))
            roles |= p->rules.data[i].roles;
    return roles;
}

static unsigned roles_of(const XmlParser *p, size_t node)
{
    const Range name = xml_tree_name(&p->tree, node), prefix = xml_tree_prefix(&p->tree, node);
    const unsigned roles = roles_named(p, node, name);

    return prefix.end == name.begin ? roles : roles | roles_named(p, node, (Range){ prefix.end, name.end });
}

/* --- Reading by lists ------------------------------------------------------------------ */

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
    if (p->in_text) document_builder_end_unit(p->tree.builder, p->has_ended ? p->tree.nodes[p->line].close_begin : at);
    p->in_text = p->has_ended = false;
}

static void begin_text(XmlParser *p, size_t at)
{
    if (p->has_ended) end_text(p, at);
    if (p->in_text) return;
    p->in_text = true;
    p->has_breaks = false;
    p->context = p->tree.nodes[p->open].is_text_owner ? xml_text_context(&p->tree, p->open, false) : XML_IN_TEXT;
    document_builder_begin(p->tree.builder, p->context, at);
}

/* Reports the attributes of an element that have texts. */
static void report_attributes(const XmlParser *p, size_t index)
{
    const XmlNode *node = &p->tree.nodes[index];
    const char *names = p->dialect->names[XML_ATTRIBUTES];

    if (!names || node->is_skipped || node->is_protected || !node->is_selected) return;
    if (document_builder_can_begin(p->tree.builder)) xml_text_attributes(&p->tree, index, names);
}

/* --- Lines of subtitles: elements of XML_LINES, and the parts between <br/> in them -------- */

/* The most elements of XML_LINES in one text. */
#define MOST_LINES 8
/* The most nodes and bytes of a line that are read to see whether its sentence goes on. */
#define LINE_NODES 100
#define LINE_BYTES ((size_t)10000)

/* Returns the text of a line from its first to its last word; empty: it has none. The line begins with the node `first`
 * and ends before the node `end` or the first <br/>, which sets *breaks. */
static Range line_text(const XmlTree *tree, size_t first, size_t end, bool *breaks)
{
    Range text = { 0, 0 };

    *breaks = false;
    if (end - first > LINE_NODES) end = first + LINE_NODES;
    for (size_t i = first; i < end && !*breaks; i++) {
        const XmlNode *node = &tree->nodes[i];
        const size_t begin = chars_skip_space(tree->bytes, node->begin, node->end);
        *breaks = xml_tree_is(tree, i, "br");
        if (node->kind == NODE_ELEMENT || begin == node->end) continue;
        if (!text.end) text.begin = begin;
        text.end = chars_limit(text.begin, chars_trimmed_end(tree->bytes, begin, node->end), LINE_BYTES);
    }
    return text;
}

/* Takes white space from the beginning of a text node that begins at byte `at`. Returns where the white space ends. */
static size_t take_space(XmlTree *tree, size_t node, size_t at)
{
    XmlNode *text = node < tree->count ? &tree->nodes[node] : NULL;

    if (!text || text->kind != NODE_TEXT || text->begin != at) return at;
    return text->begin = (uint32_t)chars_skip_space(tree->bytes, at, text->end);
}

/* Reports <br/> in an element of XML_LINES: as a line break inside a text, or as the end of a text. */
static void report_break(XmlParser *p, size_t index)
{
    XmlTree *tree = &p->tree;
    const size_t begin = tree->nodes[index].begin, after = tree->nodes[index].next;
    const size_t end = take_space(tree, after, xml_tree_end(tree, index));
    bool breaks;
    const Range last = line_text(tree, p->line_begin, index, &breaks);
    const Range next = line_text(tree, after, tree->nodes[p->line].next, &breaks);

    begin_text(p, begin);
    p->line_begin = after;
    p->has_breaks = true;
    if (!last.end || !next.end || subtitle_lines_go_on(tree->builder, last, next, false))
        document_builder_break(tree->builder, begin, end);
    else
        document_builder_separate(tree->builder, begin, end, BREAK_ALWAYS);
}

/* If the sentence of the line that has ended goes on in the element `index`, makes both one text, with the tags between
 * them as an empty element. Returns whether it does so. If a text has line breaks, a newline must be between the
 * elements, so that the lines of each are counted alone (document.c). */
static bool join_lines(XmlParser *p, size_t index)
{
    XmlTree *tree = &p->tree;
    const XmlNode *last = &tree->nodes[p->line], *node = &tree->nodes[index];
    Range text, next;
    bool breaks;

    if (!p->has_ended || p->lines == MOST_LINES || p->context != XML_IN_TEXT || node->parent != last->parent ||
        !xml_tree_is_space(tree, last->close_end, node->begin))
        return false;
    text = line_text(tree, p->line_begin, last->next, &breaks);
    next = line_text(tree, index + 1, node->next, &breaks);
    if ((breaks || p->has_breaks) && chars_find(tree->bytes, last->close_end, node->begin, '\n') == node->begin)
        return false;
    if (!text.end || !next.end || !subtitle_lines_go_on(tree->builder, text, next, true)) return false;
    document_builder_separate(tree->builder, last->close_begin, take_space(tree, index + 1, node->end), BREAK_NONE);
    p->has_ended = false;
    return true;
}

/* --- The elements ---------------------------------------------------------------------- */

static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around);

/* Reports an element in a text whose contents are texts of their own. If too many texts are open, they are left out. */
static void report_own(XmlParser *p, size_t index, bool is_picture)
{
    DocumentBuilder *builder = p->tree.builder;
    XmlNode *node = &p->tree.nodes[index];
    XmlParser inner;

    begin_text(p, node->begin);
    inner = *p;
    inner.open = index;
    inner.in_text = inner.has_ended = false;
    inner.line = XML_NO_NODE;
    node->is_inline = false;
    node->is_in_unit = !p->dialect->only_units;
    node->is_text_owner = node->has_text && node->is_in_unit;
    if (document_builder_can_begin(builder)) {
        report_attributes(&inner, index);
        report_nodes(&inner, index + 1, node->next, index);
        end_text(&inner, node->close_begin);
    }
    if (is_picture)
        document_builder_object(builder, xml_tree_name(&p->tree, index), node->begin, xml_tree_end(&p->tree, index));
    else
        document_builder_empty(builder, node->begin, xml_tree_end(&p->tree, index));
}

static void report_item(const XmlTree *tree, size_t item, const XmlTextRules *rules);

/* Whether the string is a reference to another resource of Android: @string/name. */
static bool is_reference(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const size_t at = chars_skip_space(tree->bytes, node->end, node->close_begin);

    return at < node->close_begin && (tree->bytes[at] == '@' || tree->bytes[at] == '?');
}

/* Reports a unit that is read as a string. */
static void report_string(const XmlParser *p, size_t index)
{
    const XmlTextRules *rules = p->dialect->strings;

    if (!rules->is_android)
        xml_text_contents(&p->tree, index, rules, false, NULL);
    else if (!is_reference(&p->tree, index))
        report_item(&p->tree, index, rules);
}

/* Decides from the lists, from the element and from its parent what the element is, and reports its start tag, or all
 * of it. Returns the next node to report. */
static size_t enter_element(XmlParser *p, size_t index)
{
    XmlNode *node = &p->tree.nodes[index];
    const XmlNode *parent = p->open == XML_NO_NODE ? NULL : &p->tree.nodes[p->open];
    const unsigned roles = roles_of(p, index);
    bool is_left; /* not translated */

    node->is_selected = (parent ? parent->is_selected : !p->options->select_count) || (roles & ROLE_SELECTED);
    node->is_skipped = (parent && parent->is_skipped) || (roles & ROLE_SKIPPED);
    node->is_in_unit = (parent ? parent->is_in_unit : !p->dialect->only_units) || (roles & ROLE_UNIT);
    is_left = node->is_skipped || node->is_protected || !node->is_selected;
    if (is_in_text(parent)) {
        if ((roles & ROLE_OWN) && !is_left) {
            report_own(p, index, roles & ROLE_OBJECT);
            return node->next;
        }
        if (p->line != XML_NO_NODE && index < p->tree.nodes[p->line].next && xml_tree_is(&p->tree, index, "br")) {
            report_break(p, index);
            return node->next;
        }
        node->is_inline = !(roles & ROLE_BLOCK) && ((roles & ROLE_INLINE) || !looks_like_list(&p->tree, index));
    }
    node->is_text_owner = !node->is_inline && (node->has_text || (roles & ROLE_UNIT)) && node->is_in_unit && !is_left;
    if (node->is_inline) {
        begin_text(p, node->begin);
        report_attributes(p, index);
        xml_text_open(&p->tree, index);
    } else if (node->is_text_owner && (roles & ROLE_LINE)) {
        p->lines = join_lines(p, index) ? p->lines + 1 : 1;
        if (p->lines == 1) end_text(p, node->begin);
        p->line = index;
        p->line_begin = index + 1;
    } else {
        end_text(p, node->begin);
        report_attributes(p, index);
        if ((roles & ROLE_LANGUAGE) && !node->is_text_owner) xml_label_contents(&p->tree, index);
    }
    if (node->is_text_owner && p->dialect->strings) {
        report_string(p, index);
        return node->next;
    }
    p->open = index;
    return index + 1;
}

static void leave_element(XmlParser *p)
{
    const size_t index = p->open;
    const XmlNode *node = &p->tree.nodes[index];

    if (p->has_ended) end_text(p, node->close_begin);
    if (node->is_inline && p->in_text)
        xml_text_close(&p->tree, index);
    else if (p->line == index && p->in_text)
        p->has_ended = true;
    else if (!node->is_inline)
        end_text(p, node->close_begin);
    p->open = node->parent;
}

static void report_text(XmlParser *p, size_t index)
{
    const XmlNode *node = &p->tree.nodes[index], *parent = &p->tree.nodes[p->open];

    if (!is_in_text(parent) || (p->has_ended && xml_tree_is_space(&p->tree, node->begin, node->end))) return;
    begin_text(p, node->begin - (node->kind == NODE_CDATA ? sizeof "<![CDATA[" - 1 : 0));
    document_builder_keep(p->tree.builder, parent->is_protected || parent->is_skipped);
    xml_text_report(&p->tree, index, p->context, false);
}

/* Reports the nodes [first, end), which are in the element `around`. */
static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around)
{
    const XmlNode *nodes = p->tree.nodes;

    for (size_t i = first; i < end && !document_builder_failed(p->tree.builder);) {
        while (p->open != around && i == nodes[p->open].next) leave_element(p);
        if (nodes[i].kind == NODE_ELEMENT)
            i = enter_element(p, i);
        else
            report_text(p, i++);
    }
    while (p->open != around && !document_builder_failed(p->tree.builder)) leave_element(p);
}

static void report_lists(const XmlTree *tree, const XmlDialect *dialect)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;
    XmlParser parser = {
        .tree = *tree, .dialect = dialect, .options = options, .open = XML_NO_NODE, .line = XML_NO_NODE
    };

    document_builder_check(tree->builder, add_lists(&parser, NULL));
    for (size_t i = 0; dialect->names[XML_LINES] && i < tree->count; i++) /* the ends of lines are <br/> */
        tree->nodes[i].is_preserved = false;
    for (size_t i = 0, end = 0; dialect->preserved && i < tree->count; i++) {
        if (xml_tree_is(tree, i, dialect->preserved)) end = tree->nodes[i].next > end ? tree->nodes[i].next : end;
        tree->nodes[i].is_preserved |= i < end;
    }
    report_nodes(&parser, 0, tree->count, XML_NO_NODE);
    xml_label(tree, 0, "xml:lang", options->language);
    str_map_free(parser.names);
    free(parser.rules.data);
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
    document_builder_check(tree->builder, buf_check(text, NULL));
    return text->data ? text->data : "";
}

#define EVERY_UNIT ((size_t)-1)

/* Sets an attribute of a start tag when `unit` is translated. EVERY_UNIT: sets it in every translation whose language
 * is known. */
static void mark_element(const XmlTree *tree, size_t unit, size_t element, const XmlMark *mark)
{
    Buf text = { 0 };
    Range place; /* the bytes that are replaced */
    const bool is_there = xml_tree_attribute(tree, element, mark->name, &place);

    if (!is_there && (!mark->value || mark->is_there_only)) return;
    if (is_there && mark->is_language && document_builder_is_language(tree->builder, place.begin, place.end)) return;
    if (!mark->value) {
        place = xml_tree_attribute_bytes(tree, place);
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

/* Reports a string. If it is an item of <plurals>, adds the items before it that the target language needs, and
 * plural_source() chooses the item whose text is translated. */
static void report_item(const XmlTree *tree, size_t item, const XmlTextRules *rules)
{
    const PluralTarget *target = document_builder_target(tree->builder);
    const PluralForms forms = target->forms[PLURALS_CARDINAL];
    const size_t plurals = tree->nodes[item].parent;
    size_t count = 0, other = XML_NO_NODE;
    UnitPlan plan = { 0 };
    PluralTexts texts = { 0 };
    Range value;
    PluralCategory category = quantity_of(tree, item, &value), lowest = category;

    for (size_t i = plurals + 1; xml_tree_is(tree, plurals, "plurals") && i < tree->nodes[plurals].next;
         i = tree->nodes[i].next) {
        const PluralCategory found = quantity_of(tree, i, &value);
        if (++count > 2 * MOST_ITEMS) break; /* with the white space between them */
        if (found == PLURAL_CATEGORIES) continue;
        texts.categories |= 1u << found;
        if (!document_builder_shows_number(tree->builder, (Range){ tree->nodes[i].end, tree->nodes[i].close_begin }))
            texts.without_number |= 1u << found;
        if (found == PLURAL_OTHER && is_filled(tree, i) && !is_reference(tree, i)) other = i;
    }
    if (category == PLURAL_CATEGORIES || other == XML_NO_NODE || count > 2 * MOST_ITEMS || !target->adapts) {
        xml_text_contents(tree, item, rules, false, NULL);
        return;
    }
    while (lowest && !(texts.categories >> (lowest - 1) & 1)) lowest--;
    for (; lowest < category; lowest++)
        if (forms.categories >> lowest & 1) add_item(tree, item, lowest, other, rules);
    if (plural_source(texts, forms, category) == category || !is_filled(tree, item)) {
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
    bool is_marked = false;
    Range mid;
    Status st;

    while (empty != XML_NO_NODE && is_filled(tree, empty)) empty = find_segment(tree, target, tree->nodes[empty].next);
    if (empty == XML_NO_NODE) return false;
    st = str_map_new(&sources, NULL);
    for (size_t i = find_segment(tree, source, source + 1); st == OK && i != XML_NO_NODE;
         i = find_segment(tree, source, tree->nodes[i].next))
        if (is_filled(tree, i) && xml_tree_attribute(tree, i, "mid", &mid))
            st = str_map_add(sources, tree->bytes + mid.begin, mid.end - mid.begin, (int32_t)i, NULL, NULL);
    document_builder_check(tree->builder, st);
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

/* Reads the document. In most formats, the dialect is fixed; in .xml files, the root element chooses it. */
static void parse_xml(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const size_t begin = chars_skip_space(input.bytes, input.begin, input.end);
    const XmlDialect *dialect = dialects;
    bool is_fixed;
    XmlTree tree;

    while (dialect->roots && dialect->format != input.format) dialect++;
    is_fixed = dialect->roots != NULL;
    /* the file is not XML: TypeScript in a .ts file, for example */
    if (is_fixed && begin < input.end && input.bytes[begin] != '<') {
        document_builder_fail(builder, 0, "not XML: a file of this format begins with <%s>", dialect->roots);
        return;
    }
    if (!xml_tree_read(&tree, builder)) return;
    if (is_fixed && !xml_tree_is(&tree, 0, dialect->roots))
        document_builder_fail(builder, tree.nodes[0].begin, "the first element must be <%s>", dialect->roots);
    for (dialect = is_fixed ? dialect : dialects; !is_fixed && dialect->roots; dialect++)
        if (xml_tree_is(&tree, 0, dialect->roots) &&
            (!dialect->children || xml_tree_child(&tree, 0, dialect->children) != XML_NO_NODE))
            break;
    document_builder_arguments(builder, dialect->arguments);
    document_builder_accelerators(builder, dialect->accelerators);
    document_builder_embed(builder, dialect->spelling);
    if (dialect->report)
        dialect->report(&tree);
    else
        report_lists(&tree, dialect);
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

const DocumentFormat document_xml = { .name = "xml",
                                      .endings = ".xml .resx .svg .dita .ditamap .docbook .dbk .rss .atom",
                                      READS_XML };
const DocumentFormat document_xliff = { .name = "xliff", .endings = ".xlf .xliff", READS_XML };
const DocumentFormat document_tmx = { .name = "tmx", .endings = ".tmx", READS_XML };
const DocumentFormat document_android = { .name = "android", .endings = "", READS_XML };
const DocumentFormat document_qt = { .name = "qt", .endings = ".ts", .recognize_other = recognize_other_ts, READS_XML };
const DocumentFormat document_ttml = { .name = "ttml", .endings = ".ttml .dfxp .itt", READS_XML };
