/* escaped_text.c - see escaped_text.h.
 * Source   For reStructuredText: Docutils, "reStructuredText Markup Specification", inline markup. */
#include "escaped_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "hash.h"
#include "html.h"
#include "icu_message.h"
#include "utf8.h"

#define LONGEST_SPAN ((size_t)1000)   /* bytes of code, a link or a tag */
#define LONGEST_NAME ((size_t)64)     /* the most bytes of a name in reStructuredText */
#define FENCE        3                /* the least backquotes of a line that begins a block of code */
#define MOST_TAGS    (UNIT_PARTS / 4) /* the most tags of a text; its unit has room for no more */

/* --- The characters of a string, one by one ------------------------------------------- */

typedef struct {
    const char *bytes;
    size_t at, next, end; /* the character is [at, next); `end` is the end of the string */
    EscapedReader *read;
    char c; /* the character, or its first byte if it is not ASCII; '\0' at the end */
} EscapedCursor;

static void advance(EscapedCursor *cursor)
{
    EscapedPart part = { .size = 0 };

    for (; cursor->next < cursor->end && !part.size; cursor->next += part.length) {
        cursor->at = cursor->next;
        part = cursor->read(cursor->bytes + cursor->at, cursor->end - cursor->at);
    }
    if (!part.size) cursor->at = cursor->next;
    cursor->c = part.text[0];
}

/* Returns a cursor at the first character of the string [at, end) that has text (an escaped line end has none). */
static EscapedCursor cursor_in(const char *bytes, size_t at, size_t end, EscapedReader *read)
{
    EscapedCursor cursor = { .bytes = bytes, .next = at, .end = end, .read = read };

    advance(&cursor);
    return cursor;
}

/* Like cursor_in(), but the string ends after LONGEST_SPAN bytes. */
static EscapedCursor cursor_at(const char *bytes, size_t at, size_t end, EscapedReader *read)
{
    return cursor_in(bytes, at, chars_limit(at, end, LONGEST_SPAN), read);
}

static void skip_spaces(EscapedCursor *cursor)
{
    while (char_is_space(cursor->c)) advance(cursor);
}

/* Moves over the characters of `text`. Returns false at the first one that is not next, and stops there. */
static bool skip_text(EscapedCursor *cursor, const char *text)
{
    for (; *text && cursor->c == *text; text++) advance(cursor);
    return !*text;
}

/* [text](target), ![text](target), `text <target>`_, :role:`text <target>` or {role}`text <target>` */
typedef struct {
    Range opening, closing; /* [ and ](target) */
} EscapedLink;

/* The state of the search for tags and code in a string. Before the start, set .bytes, .end, .read and
 * .begins_line = true. */
typedef struct {
    const char *bytes;
    size_t end; /* the end of the string */
    EscapedReader *read;
    char last;                                    /* the character before the current one; ' ' after code or a tag */
    bool begins_line;                             /* only blanks are before the character in its line */
    bool has_no_fence, has_no_mark, has_no_brace; /* no further block, comment or message has an end */
    EscapedTagList list;
    size_t open[MARKUP_DEPTH], depth; /* indexes in the list of the tags whose partner is not found yet */
    EscapedLink link;                 /* the last link that was found */
} TagFinder;

/* --- Markup of reStructuredText, as in the PO files of Sphinx -------------------------- */

/* Whether markup may end before the character; NUL: the end of the string. */
static bool may_end_before(char next)
{
    return !next || char_is_space(next) || strchr("'\")]}>-/:.,;!?\\", next);
}

static bool is_rst_name(char c)
{
    return char_is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '+';
}

/* Moves over a name and the character `close`. Returns false if they are not there. */
static bool skip_rst_name(EscapedCursor *cursor, char close)
{
    const size_t begin = cursor->at;

    while (is_rst_name(cursor->c) && cursor->at - begin < LONGEST_NAME) advance(cursor);
    if (cursor->at == begin || cursor->c != close) return false;
    advance(cursor);
    return true;
}

/* Moves over the name of a role: :py:func: of Sphinx, or {py:func} of MyST. */
static bool skip_role(EscapedCursor *cursor)
{
    const char mark = cursor->c;
    EscapedCursor last;

    if (mark != ':' && mark != '{') return false;
    advance(cursor);
    last = *cursor;
    while (mark == '{' && skip_rst_name(cursor, ':')) last = *cursor;
    do {
        *cursor = last;
        if (!skip_rst_name(cursor, mark == '{' ? '}' : ':')) return false;
        last = *cursor;
    } while (mark == ':' && is_rst_name(cursor->c));
    return true;
}

/* A text between two backquotes. */
typedef struct {
    size_t begin;          /* of the contents */
    size_t target;         /* offset of the blank before <target>, which ends the contents; 0: no target */
    EscapedCursor closing; /* the position after the last backquote */
} Interpreted;

static bool read_interpreted(EscapedCursor cursor, Interpreted *out)
{
    char last = ' ';

    if (!skip_text(&cursor, "`")) return false;
    *out = (Interpreted){ .begin = cursor.at };
    if (char_is_space(cursor.c) || cursor.c == '`') return false;
    for (; cursor.c && cursor.c != '`'; advance(&cursor)) {
        const size_t at = cursor.at;
        const char c = cursor.c;
        if (c == '\\') advance(&cursor);
        if (char_is_space(c) && at > out->begin) {
            EscapedCursor next = cursor;
            advance(&next);
            if (next.c == '<') out->target = at;
        }
        last = c;
    }
    if (!cursor.c || char_is_space(last)) return false;
    if (last != '>') out->target = 0;
    advance(&cursor);
    out->closing = cursor;
    return true;
}

/* Moves over the underscores of a reference, x_ or x__. */
static bool skip_underscores(EscapedCursor *cursor)
{
    if (!skip_text(cursor, "_")) return false;
    (void)skip_text(cursor, "_");
    return true;
}

/* Returns the end of a substitution: |name|, perhaps with _ after it. */
static size_t substitution_end(EscapedCursor cursor, size_t at)
{
    char last = ' ';

    advance(&cursor);
    if (char_is_space(cursor.c)) return at;
    for (; cursor.c && !strchr("|`\n", cursor.c); advance(&cursor)) last = cursor.c;
    if (cursor.c != '|' || char_is_space(last)) return at;
    advance(&cursor);
    (void)skip_underscores(&cursor);
    return may_end_before(cursor.c) ? cursor.at : at;
}

/* Returns the end of a reference to a footnote or a citation: [1]_, [#name]_, [CIT2002]_. */
static size_t note_end(EscapedCursor cursor, size_t at)
{
    advance(&cursor);
    if (cursor.c == '#' || cursor.c == '*') advance(&cursor);
    if (!skip_text(&cursor, "]") && !skip_rst_name(&cursor, ']')) return at;
    return skip_underscores(&cursor) && may_end_before(cursor.c) ? cursor.at : at;
}

/* Returns the end of a reference of one word: name_. */
static size_t word_end(EscapedCursor cursor, size_t at)
{
    char last = '\0', before = '\0';
    size_t end = at;

    for (; is_rst_name(cursor.c) && cursor.at - at < LONGEST_NAME; advance(&cursor)) {
        before = last;
        last = cursor.c;
    }
    end = cursor.at;
    if (last != '_' || !before || !(char_is_alphanumeric(before) || before == '_')) return at;
    return may_end_before(cursor.c) && cursor.c != '\'' && cursor.c != '/' ? end : at;
}

/* Returns the end of :role:`x`, `x`:role: or `x`_. If x ends with a target, as in `x <target>`_, this is a link and not
 * found here, except in the roles of code, where < begins no target. */
static size_t interpreted_end(EscapedCursor cursor, size_t at)
{
    static const char codes[] = ":math: :code: :samp: :kbd: {math} {code} {samp} {kbd}";
    const bool has_role = skip_role(&cursor);
    Interpreted text;

    if (!read_interpreted(cursor, &text)) return at;
    if (text.target && !chars_are_among(cursor.bytes + at, cursor.at - at, codes)) return at;
    cursor = text.closing;
    if (!has_role && !skip_underscores(&cursor) && !skip_role(&cursor)) return at;
    return may_end_before(cursor.c) ? cursor.at : at;
}

/* Reads **strong** or *emphasis*. Unlike in Markdown, the marks may not be inside a word. */
static bool read_emphasis(EscapedCursor cursor, EscapedLink *link)
{
    const size_t at = cursor.at;
    size_t marks = 0, count = 0;
    char last = ' ';
    bool begins_word;

    for (; cursor.c == '*'; advance(&cursor)) marks++;
    link->opening = (Range){ at, cursor.at };
    begins_word = char_is_alphanumeric(cursor.c) || (unsigned char)cursor.c >= 0x80 || strchr("\"'(", cursor.c);
    if (!marks || marks > 2 || !begins_word || (at && cursor.bytes[at - 1] == '*')) return false;
    for (; cursor.c && cursor.c != '\n'; advance(&cursor)) {
        if (cursor.c != '*') {
            last = cursor.c;
            continue;
        }
        link->closing.begin = cursor.at;
        for (count = 0; cursor.c == '*'; advance(&cursor)) count++;
        link->closing.end = cursor.at;
        return count == marks && !char_is_space(last) && last != '\\' && may_end_before(cursor.c);
    }
    return false;
}

/* Reads a link of reStructuredText, or emphasis. */
static bool read_rst_link(const TagFinder *finder, size_t at, EscapedLink *link)
{
    EscapedCursor cursor = cursor_at(finder->bytes, at, finder->end, finder->read);
    const bool has_role = skip_role(&cursor);
    Interpreted text;

    if (cursor.c == '*') return read_emphasis(cursor, link);
    if (!read_interpreted(cursor, &text) || !text.target) return false;
    cursor = text.closing;
    if (!has_role && !skip_underscores(&cursor)) return false;
    link->opening = (Range){ at, text.begin };
    link->closing = (Range){ text.target, cursor.at };
    return may_end_before(cursor.c);
}

/* --- Code ------------------------------------------------------------------------------ */

static size_t count_quotes(EscapedCursor *cursor)
{
    size_t count = 0;

    for (; cursor->c == '`'; count++) advance(cursor);
    return count;
}

/* Returns the end of code: `x`. No blank may be before the last backquote, no word after it: `a' and `b' is no code. */
static size_t span_end(const TagFinder *finder, size_t at)
{
    EscapedCursor cursor = cursor_at(finder->bytes, at, finder->end, finder->read);
    const bool follows_word = finder->last == '`' || finder->last == '_' || char_is_alphanumeric(finder->last);
    const size_t count = follows_word ? 0 : count_quotes(&cursor);
    char last = ' ';

    if (!count || count > FENCE || char_is_space(cursor.c)) return at;
    for (; cursor.c && cursor.c != '`' && cursor.c != '\n'; advance(&cursor)) last = cursor.c;
    if (char_is_space(last) || strchr(",;(", last) || count_quotes(&cursor) != count) return at;
    return cursor.c == '_' || char_is_alphanumeric(cursor.c) ? at : cursor.at;
}

static void skip_line(EscapedCursor *cursor)
{
    while (cursor->c && cursor->c != '\n') advance(cursor);
    advance(cursor);
}

static void skip_blanks(EscapedCursor *cursor)
{
    while (char_is_blank(cursor->c) || cursor->c == '\r') advance(cursor);
}

/* Returns the end of a block of code, from a line that begins with ``` to a line that contains only ```. */
static size_t block_end(TagFinder *finder, size_t at)
{
    EscapedCursor cursor = cursor_in(finder->bytes, at, finder->end, finder->read);

    if (!finder->begins_line || finder->has_no_fence || count_quotes(&cursor) < FENCE) return at;
    while (cursor.c && cursor.c != '`' && cursor.c != '\n') advance(&cursor);
    if (cursor.c == '`') return at;
    for (skip_line(&cursor); cursor.c; skip_line(&cursor)) {
        skip_blanks(&cursor);
        if (count_quotes(&cursor) < FENCE) continue;
        skip_blanks(&cursor);
        if (!cursor.c || cursor.c == '\n') return cursor.at;
    }
    finder->has_no_fence = true;
    return at;
}

/* Returns the end of a comment or a declaration: <!-- x -->, <!DOCTYPE html>. */
static size_t comment_end(TagFinder *finder, size_t at)
{
    EscapedCursor cursor = cursor_in(finder->bytes, at, finder->end, finder->read);
    size_t dashes = 0;

    if (finder->has_no_mark || !skip_text(&cursor, "<!")) return at;
    if (char_is_letter(cursor.c)) {
        while (cursor.c && cursor.c != '>' && cursor.c != '<' && cursor.at - at < LONGEST_SPAN) advance(&cursor);
        return cursor.c == '>' ? cursor.next : at;
    }
    if (!skip_text(&cursor, "--")) return at;
    for (; cursor.c; advance(&cursor)) {
        if (cursor.c == '>' && dashes >= 2) return cursor.next;
        dashes = cursor.c == '-' ? dashes + 1 : 0;
    }
    finder->has_no_mark = true;
    return at;
}

/* Returns the end of an ICU message that contains texts, {n, plural, ...}: the byte after its closing brace. */
static size_t message_end(TagFinder *finder, size_t at)
{
    static const char *const kinds[] = { "plural", "selectordinal", "select", "choice" };
    EscapedCursor cursor = cursor_in(finder->bytes, at, finder->end, finder->read), kind;
    size_t depth = 1, i = 0;

    if (finder->has_no_brace) return at;
    advance(&cursor);
    skip_spaces(&cursor);
    while (char_is_alphanumeric(cursor.c) || cursor.c == '_' || cursor.c == '.') advance(&cursor);
    skip_spaces(&cursor);
    if (!skip_text(&cursor, ",")) return at;
    skip_spaces(&cursor);
    for (kind = cursor; i < sizeof kinds / sizeof *kinds && !skip_text(&kind, kinds[i]); i++) kind = cursor;
    skip_spaces(&kind);
    if (i == sizeof kinds / sizeof *kinds || kind.c != ',') return at;
    for (cursor = kind; cursor.c; advance(&cursor)) {
        depth += cursor.c == '{';
        depth -= cursor.c == '}';
        if (!depth) return cursor.next;
    }
    finder->has_no_brace = true;
    return at;
}

/* Returns the end of what begins at byte `at`, if it is code or markup that reStructuredText replaces; otherwise
 * returns `at`. `at` must ascend from call to call; then all calls for a string take linear time. */
static size_t code_end(TagFinder *finder, size_t at)
{
    const EscapedPart part = finder->read(finder->bytes + at, finder->end - at);
    size_t next = at, rst = at;
    EscapedCursor cursor;

    if (part.size != 1) return at;
    if (*part.text == '{' && !finder->list.is_message) next = message_end(finder, at);
    if (*part.text == '<') return comment_end(finder, at);
    if (*part.text == '`') next = block_end(finder, at);
    if (*part.text == '`' && next == at) next = span_end(finder, at);
    if (finder->last && !char_is_space(finder->last) && !strchr("'\"([{<-/:", finder->last)) return next;
    cursor = cursor_at(finder->bytes, at, finder->end, finder->read);
    if (cursor.c == '|')
        rst = substitution_end(cursor, at);
    else if (cursor.c == '[')
        rst = note_end(cursor, at);
    else if (char_is_among(cursor.c, ":{`"))
        rst = interpreted_end(cursor, at);
    else if (char_is_alphanumeric(cursor.c))
        rst = word_end(cursor, at);
    return rst > next ? rst : next; /* `x`:role: is more than `x` */
}

/* Reads the link that begins at byte `at`. Its text contains no brackets, and its target no white space. */
static bool read_link(const TagFinder *finder, size_t at, EscapedLink *link)
{
    EscapedCursor cursor = cursor_at(finder->bytes, at, finder->end, finder->read);
    size_t begin, depth = 0; /* depth: the number of open parentheses in the target */

    if (read_rst_link(finder, at, link)) return true;
    link->opening.begin = cursor.at;
    if (cursor.c == '!' || cursor.c == '^') advance(&cursor);
    if (cursor.c != '[') return false;
    begin = link->opening.end = cursor.next;
    advance(&cursor);
    while (cursor.c && !strchr("[]\n", cursor.c)) advance(&cursor);
    link->closing.begin = cursor.at;
    if (cursor.at == begin || !skip_text(&cursor, "](") || cursor.c == ')') return false;
    (void)skip_text(&cursor, "inflect: "); /* Apple's ^[%lld file](inflect: true) */
    for (; cursor.c && !char_is_space(cursor.c) && !strchr("[]<>`", cursor.c); advance(&cursor)) {
        link->closing.end = cursor.next;
        if (cursor.c == ')' && !depth) return true;
        depth += cursor.c == '(';
        depth -= cursor.c == ')';
    }
    return false;
}

/* --- Tags ------------------------------------------------------------------------------ */

/* Skips a name, or a number, as in <0>text</0> of React. Returns whether there was one. */
static bool skip_tag_name(EscapedCursor *cursor)
{
    const bool is_number = char_is_digit(cursor->c), is_one = is_number || char_is_letter(cursor->c);

    while (is_one && (char_is_digit(cursor->c) ||
                      (!is_number && (char_is_letter(cursor->c) || char_is_among(cursor->c, "-:_.")))))
        advance(cursor);
    return is_one;
}

size_t escaped_tag_read(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedTag *tag)
{
    EscapedCursor cursor = cursor_at(bytes, at, end, read);
    char quote;

    if (!skip_text(&cursor, "<")) return at;
    tag->kind = skip_text(&cursor, "/") ? ESCAPED_CLOSE : ESCAPED_OPEN;
    tag->name.begin = cursor.at;
    if (!skip_tag_name(&cursor)) return at;
    tag->name.end = cursor.at;
    for (skip_spaces(&cursor); cursor.c != '>' && cursor.c != '/'; skip_spaces(&cursor)) { /* NAME=VALUE */
        if (!skip_tag_name(&cursor)) return at;
        skip_spaces(&cursor);
        if (!skip_text(&cursor, "=")) return at;
        skip_spaces(&cursor);
        quote = cursor.c == '"' || cursor.c == '\'' ? cursor.c : '\0';
        if (quote) advance(&cursor);
        while (cursor.c && (quote ? cursor.c != quote : !char_is_space(cursor.c) && cursor.c != '>')) advance(&cursor);
        if (!cursor.c) return at;
        if (quote) advance(&cursor);
    }
    if (skip_text(&cursor, "/")) tag->kind = ESCAPED_EMPTY;
    return cursor.c == '>' ? cursor.next : at;
}

/* Elements that end a line without an end tag, then blocks. Only elements that are common in strings are listed. */
static const char line_ends[] = "br hr";
static const char blocks[] =
    "p div li ul ol dl dt dd tr td th table thead tbody tfoot caption h1 h2 h3 h4 h5 h6 html head "
    "body title meta link base section article aside header footer nav main blockquote figure "
    "figcaption details summary form fieldset legend address center pre";

/* Finds the contents of the element with the opening tag `opening` if they are not translated: in <code>, <pre>, <kbd>,
 * <samp>, <script>, <style>, and elements with translate="no" or the class notranslate. Returns false, and does not set
 * *contents, for other elements, and for elements that contain tags. */
static bool find_code(const TagFinder *finder, Range opening, const EscapedTag *tag, Range *contents)
{
    const char *bytes = finder->bytes;

    if (tag->kind != ESCAPED_OPEN) return false;
    if (!html_name_is_in(bytes, tag->name, "code pre kbd samp script style")) {
        char text[LONGEST_SPAN]; /* without escapes */
        size_t length = 0;
        EscapedCursor c = cursor_in(bytes, opening.begin, opening.end, finder->read);
        HtmlToken token;
        if (tag->name.end + sizeof "class" >= opening.end) return false;
        for (; c.c && length < sizeof text; advance(&c)) text[length++] = c.c;
        token = html_token_read(text, 0, length);
        if (token.kind != HTML_START || html_element_translate(text, &token) != HTML_PROTECT) return false;
    }
    for (size_t at = opening.end; at < finder->end;) {
        const EscapedPart part = finder->read(bytes + at, finder->end - at);
        EscapedTag closing;
        if (part.size && !*part.text) return false; /* a tag of the document itself */
        if (escaped_tag_read(bytes, at, finder->end, finder->read, &closing) > at) {
            if (closing.kind != ESCAPED_CLOSE || !ranges_are_same(bytes, closing.name, tag->name)) return false;
            *contents = (Range){ opening.end, at };
            return true;
        }
        at += part.length;
    }
    return false;
}

bool escaped_tag_is_block(const char *bytes, Range name)
{
    return html_name_is_in(bytes, name, blocks);
}

bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag)
{
    return html_name_is_in(bytes, tag->name, line_ends) || escaped_tag_is_block(bytes, tag->name);
}

void escaped_tags_report(DocumentBuilder *builder, const FoundTag *found)
{
    const char *text = document_builder_input(builder).bytes;
    const Range name = found->tag.name;
    const uint64_t hash = hash64_of(text + name.begin, name.end - name.begin);
    const uint64_t key = hash >> 2 | (uint64_t)2 << 62; /* 2^63 or more, unlike the keys of XML elements */
    const Range bytes = found->bytes;

    if (found->ends_line)
        document_builder_separate(builder, bytes.begin, bytes.end,
                                  html_name_is_in(text, name, "br") ? BREAK_HARD : BREAK_ALWAYS);
    else if (found->is_object)
        document_builder_object(builder, name, bytes.begin, bytes.end);
    else if (found->tag.kind == ESCAPED_EMPTY)
        document_builder_empty(builder, bytes.begin, bytes.end);
    else if (found->tag.kind == ESCAPED_OPEN)
        document_builder_open(builder, key, bytes.begin, bytes.end);
    else
        document_builder_close(builder, key, bytes.begin, bytes.end);
}

/* Adds a tag of a pair, or an empty tag. An opening tag becomes markup when its partner is found: the first closing tag
 * with the same name after it. Opening tags between the two then never get a partner. */
static void add_found(TagFinder *finder, FoundTag found)
{
    EscapedTagList *list = &finder->list;
    const char *bytes = finder->bytes;

    if (found.tag.kind == ESCAPED_CLOSE) {
        size_t partner = finder->depth;
        while (partner && !ranges_are_same(bytes, list->data[finder->open[partner - 1]].tag.name, found.tag.name))
            partner--;
        if (!partner) return;
        finder->depth = partner - 1;
        list->data[finder->open[finder->depth]].is_markup = found.is_markup = true;
    } else if (found.tag.kind == ESCAPED_OPEN && finder->depth == MARKUP_DEPTH) {
        return;
    }
    LIST_PUT(list, found);
    if (found.tag.kind == ESCAPED_OPEN && !list->failed) finder->open[finder->depth++] = list->len - 1;
}

/* Adds a tag if it can be markup. */
static void add_tag(TagFinder *finder, FoundTag found)
{
    const char *bytes = finder->bytes;
    const Range name = found.tag.name;
    const bool has_attributes = char_is_space(bytes[name.end]);

    /* These end a line even without a partner: <br>, <hr>, <p/>, <meta charset="utf-8">. */
    if (html_name_is_in(bytes, name, line_ends))
        found.ends_line = true;
    else if (found.tag.kind == ESCAPED_EMPTY)
        found.ends_line |= escaped_tag_is_block(bytes, name);
    else if (found.tag.kind == ESCAPED_OPEN && has_attributes)
        found.ends_line |= html_name_is_in(bytes, name, "meta link base");
    found.is_block = !found.ends_line && escaped_tag_is_block(bytes, name);
    /* An empty element of HTML without attributes may be a placeholder, so it is a word: <source>, <input>. */
    found.is_markup = found.ends_line || (found.tag.kind != ESCAPED_CLOSE && has_attributes &&
                                          html_element_kind(bytes, name) == HTML_VOID_INLINE);
    found.is_object = html_name_is_object(bytes, name);
    if (!found.is_markup && found.tag.kind == ESCAPED_EMPTY) return;
    if (found.is_markup) found.tag.kind = ESCAPED_EMPTY;
    add_found(finder, found);
}

/* Adds the opening or the closing mark of the last link as a tag. Both tags get the opening mark as their name, so that
 * they are a pair. Returns the end of the mark. */
static size_t add_link(TagFinder *finder, EscapedKind kind)
{
    const EscapedLink *link = &finder->link;
    const Range bytes = kind == ESCAPED_OPEN ? link->opening : link->closing;

    add_found(finder, (FoundTag){ .bytes = bytes, .tag = { kind, link->opening } });
    return bytes.end;
}

/* Adds the code, link or tag that begins at byte `at`, and returns its end; returns `at` if nothing begins there. */
static size_t find_at(TagFinder *finder, size_t at)
{
    FoundTag found = { .is_markup = false };
    EscapedTag closing;
    EscapedLink link;
    Range kept = { at, code_end(finder, at) };

    if (kept.end > at) {
        LIST_PUT(&finder->list.kept, kept);
        return kept.end;
    }
    if (at == finder->link.closing.begin && finder->link.closing.end) return add_link(finder, ESCAPED_CLOSE);
    if (!char_is_alphanumeric(finder->last) && read_link(finder, at, &link)) {
        finder->link = link;
        return add_link(finder, ESCAPED_OPEN);
    }
    found.bytes = (Range){ at, escaped_tag_read(finder->bytes, at, finder->end, finder->read, &found.tag) };
    if (found.bytes.end == at) return at;
    if (!find_code(finder, found.bytes, &found.tag, &kept)) {
        kept.end = found.bytes.end;
    } else if (html_name_is_in(finder->bytes, found.tag.name, "script style")) {
        found.ends_line = true;
        kept.end = found.bytes.end = escaped_tag_read(finder->bytes, kept.end, finder->end, finder->read, &closing);
    } else {
        LIST_PUT(&finder->list.kept, kept);
    }
    add_tag(finder, found);
    return kept.end;
}

/* Turns each empty pair of tags of suitable elements, such as <i class="icon"></i>, into one object. */
static void join_objects(EscapedTagList *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->len; i++) {
        FoundTag *tag = &list->data[count++], *next = i + 1 < list->len ? &list->data[i + 1] : NULL;
        *tag = list->data[i];
        if (!tag->is_object || tag->tag.kind != ESCAPED_OPEN) continue;
        if (tag->is_markup && next && next->is_markup && next->tag.kind == ESCAPED_CLOSE &&
            next->bytes.begin == tag->bytes.end) {
            tag->bytes.end = next->bytes.end;
            tag->tag.kind = ESCAPED_EMPTY;
            i++;
        } else {
            tag->is_object = false;
        }
    }
    list->len = count;
}

void escaped_text_decode(Buf *out, EscapedReader *read, const char *bytes, Range string)
{
    for (size_t at = string.begin; at < string.end;) {
        const EscapedPart part = read(bytes + at, string.end - at);
        buf_put(out, part.text, part.size);
        at += part.length;
    }
}

bool escaped_text_is_message(DocumentBuilder *builder, Range text, EscapedReader *read)
{
    const char *bytes = document_builder_input(builder).bytes;
    Buf decoded = { 0 };
    bool is_message = false;

    if (chars_after(bytes, text.begin, text.end, "plural", SIZE_MAX) == SIZE_MAX &&
        chars_after(bytes, text.begin, text.end, "select", SIZE_MAX) == SIZE_MAX)
        return false;
    buf_put_text(&decoded, "");
    escaped_text_decode(&decoded, read, bytes, text);
    if (document_builder_check(builder, buf_check(&decoded, NULL)))
        document_builder_check(builder, icu_message_test(decoded.data, decoded.len, &is_message, NULL));
    buf_free(&decoded);
    return is_message;
}

EscapedTagList escaped_tags_find(DocumentBuilder *builder, Range text, EscapedReader *read)
{
    static const char marks[] = "<\\&`[{|_*"; /* first characters of tags (<, \u003c, &lt;), code, links and so on */
    const char *bytes = document_builder_input(builder).bytes;
    TagFinder finder = { .bytes = bytes, .end = text.end, .read = read, .begins_line = true };
    size_t mark = 0;

    finder.list.is_message = escaped_text_is_message(builder, text, read);
    while (marks[mark] && !memchr(bytes + text.begin, marks[mark], text.end - text.begin)) mark++;
    for (size_t at = text.begin, next; marks[mark] && at < text.end; at = next) {
        const EscapedPart part = read(bytes + at, text.end - at);
        next = find_at(&finder, at);
        if (next == at) next += part.length;
        if (!part.size) continue;
        finder.last = part.length < next - at ? ' ' : *part.text; /* after code or a tag */
        finder.begins_line = *part.text == '\n' || (finder.begins_line && char_is_blank(*part.text));
    }
    if (finder.list.failed || finder.list.kept.failed) document_builder_fail_memory(builder);
    if (finder.list.len > MOST_TAGS) escaped_tags_free(&finder.list);
    join_objects(&finder.list);
    return finder.list;
}

const FoundTag *escaped_tags_at(const EscapedTagList *list, size_t *next, size_t at)
{
    for (; *next < list->len && list->data[*next].bytes.begin <= at; ++*next) {
        const FoundTag *found = &list->data[*next];
        if (found->bytes.begin == at && found->is_markup) return found;
    }
    return NULL;
}

bool escaped_tags_is_code(const EscapedTagList *list, size_t at)
{
    return ranges_overlap(list->kept.data, list->kept.len, (Range){ at, at + 1 });
}

size_t escaped_tags_next(const EscapedTagList *list, size_t next, size_t at)
{
    size_t stop = SIZE_MAX;

    while (next < list->len && (list->data[next].bytes.begin <= at || !list->data[next].is_markup)) next++;
    if (next < list->len) stop = list->data[next].bytes.begin;
    next = ranges_find(list->kept.data, list->kept.len, at);
    if (next < list->kept.len) {
        const Range kept = list->kept.data[next];
        const size_t edge = kept.begin > at ? kept.begin : kept.end;
        if (edge < stop) stop = edge;
    }
    return stop;
}

void escaped_tags_free(EscapedTagList *list)
{
    free(list->data);
    ranges_free(&list->kept);
    *list = (EscapedTagList){ 0 };
}

/* --- Reporting the lines of a string ---------------------------------------------------- */

#define LONGEST_SPELLING 64

/* Returns the part at byte `at`; at the end of the string, a part without text. */
static EscapedPart part_at(const EscapedText *t, size_t at)
{
    return at < t->end ? t->read(t->bytes + at, t->end - at) : (EscapedPart){ .size = 0 };
}

/* Returns the first code point of a part; 0: it has no text. */
static uint32_t code_of(EscapedPart part)
{
    uint32_t code = 0;

    if (part.size) utf8_next(part.text, part.size, &code);
    return code;
}

static bool is_newline(uint32_t code)
{
    return code == '\n' || code == '\r';
}

static bool is_blank(uint32_t code)
{
    return code == ' ' || code == '\t';
}

EscapedText escaped_text_start(DocumentBuilder *builder, EscapedReader *read, size_t begin, size_t end)
{
    EscapedText t = { .builder = builder,
                      .read = read,
                      .bytes = document_builder_input(builder).bytes,
                      .at = begin,
                      .end = end,
                      .letters_end = begin,
                      .begins_line = true,
                      .tags = escaped_tags_find(builder, (Range){ begin, end }, read) };
    size_t next = 0;

    for (size_t at = begin; at < end;) { /* letters in markup and in code do not count */
        const FoundTag *tag = escaped_tags_at(&t.tags, &next, at);
        const EscapedPart part = part_at(&t, at);
        const bool is_letter = !tag && u_isalpha((UChar32)code_of(part)) && !escaped_tags_is_code(&t.tags, at);
        at = tag ? tag->bytes.end : at + part.length;
        if (is_letter) t.letters_end = at;
    }
    return t;
}

void escaped_text_free(EscapedText *t)
{
    escaped_tags_free(&t->tags);
}

bool escaped_text_has_more(const EscapedText *t)
{
    return t->at < t->letters_end;
}

/* Returns the first code point at or after byte `at`; 0: there is none. */
static uint32_t code_after(const EscapedText *t, size_t at)
{
    EscapedPart next = { .size = 0 };

    for (; at < t->end && !next.size; at += next.length) next = part_at(t, at);
    return code_of(next);
}

/* Whether the tag is a <br>, and the sentence goes on after it and after white space. */
static bool goes_on_after_tag(const EscapedText *t, const FoundTag *tag)
{
    size_t at = tag->bytes.end;

    while (at < t->end) {
        const EscapedPart part = part_at(t, at);
        if (part.size && !utf8_is_space(code_of(part))) break;
        at += part.length;
    }
    return html_name_is_in(t->bytes, tag->tag.name, "br") &&
           line_breaks_goes_on(&t->before, code_after(t, at), BREAK_HARD);
}

#define WIDE_GAP 3

/* Whether the blanks at byte `at`, after the character `last` of the line, separate two columns: tabs; three spaces; or
 * two spaces in a line that begins like a line of a help text, unless a sentence ends there. */
static bool is_gap(const EscapedText *t, size_t at, uint32_t last)
{
    size_t spaces = 0;
    uint32_t code = ' ';

    if (!last || t->is_whole || escaped_tags_is_code(&t->tags, at)) return false;
    while (code == ' ' && spaces < WIDE_GAP && at < t->end) {
        const EscapedPart part = part_at(t, at);
        code = code_of(part);
        spaces += code == ' ';
        at += part.length;
    }
    if (code == '\t' || spaces == WIDE_GAP) return true;
    return spaces == 2 && t->is_indented && code != ' ' && !is_newline(code) &&
           !(last < 0x80 && strchr(".!?:", (int)last));
}

/* Whether the tag ends a line. A text ends with its line, unless its sentence goes on in the next line. */
static bool ends_line(const EscapedText *t, const FoundTag *tag)
{
    return (tag->is_block || tag->ends_line) && !t->is_whole;
}

/* Reports the lines and columns without letters that are before the next line with letters, as empty elements. There
 * must be such a line. A column ends before blanks; a line ends after its newline or the tag of a block. */
static void skip_lines(EscapedText *t)
{
    for (size_t end;; t->at = end) {
        size_t next_tag = t->next_tag;
        uint32_t code = 0, last = 0;
        bool has_letters = false, is_end = false;
        if (t->begins_line && t->at < t->end) {
            code = code_of(part_at(t, t->at));
            t->is_indented = code == ' ' || code == '-';
        }
        for (end = t->at, code = 0; !is_end && !has_letters && end < t->end;) {
            const FoundTag *tag = escaped_tags_at(&t->tags, &next_tag, end);
            const EscapedPart part = part_at(t, end);
            const uint32_t next = tag ? 0 : code_of(part);
            if (is_blank(next) && is_gap(t, end, last)) break;
            code = next;
            has_letters |= u_isalpha((UChar32)code) && !escaped_tags_is_code(&t->tags, end);
            end = tag ? tag->bytes.end : end + part.length;
            is_end = tag ? ends_line(t, tag) : is_newline(code);
            if (code && !is_blank(code)) last = code;
        }
        t->begins_line = !has_letters && is_newline(code);
        if (has_letters) return;
        document_builder_empty(t->builder, t->at, end);
    }
}

/* Returns the length of the literal escapes at `t->at`: backslashes, each with n, r or t after it, which become line
 * breaks when another program reads the text; 0: there are none. A single escape inside a sentence does not count: it
 * is a part of a path, or the sentence is about it. Then a lower-case letter or a backslash follows it; a space may be
 * between them if a space is also before the escape. */
static size_t literal_break(const EscapedText *t)
{
    size_t next = t->at, count = 0;
    EscapedPart part;

    if (escaped_tags_is_code(&t->tags, t->at)) return 0;
    if (t->at < t->break_end) return t->break_end - t->at;
    for (;; count++) {
        const EscapedPart slash = part_at(t, next);
        if (slash.size != 1 || *slash.text != '\\') break;
        part = part_at(t, next + slash.length);
        if (part.size != 1 || !memchr("nrt", *part.text, 3)) break;
        next += slash.length + part.length;
    }
    if (count != 1 || (t->last < 0x80 && memchr(".!?", (int)t->last, 3))) return next - t->at;
    part = part_at(t, next);
    if (t->is_after_space && code_of(part) == ' ' && next + part.length < t->end) part = part_at(t, next + part.length);
    return code_of(part) == '\\' || u_islower((UChar32)code_of(part)) ? 0 : next - t->at;
}

bool escaped_text_is_padded(const char *bytes, size_t length)
{
    return utf8_leading_space(bytes, length) || utf8_trailing_space(bytes, length) ||
           (length > 1 && (bytes[0] == '\\' || bytes[length - 2] == '\\'));
}

/* Reports a placeholder as a kept word: {NAME}. */
static void report_placeholder(EscapedText *t, const EscapedPart *part)
{
    char text[LONGEST_SPELLING];
    const size_t most = sizeof text - 3, length = part->name.end - part->name.begin;
    size_t size = length < most ? length : most;

    text[0] = '{';
    memcpy(text + 1, t->bytes + t->at + part->name.begin, size);
    if (size + 2 == part->length) text[++size] = ' '; /* a text that is equal to its bytes would not be one spelling */
    text[size + 1] = '}';
    document_builder_keep(t->builder, true);
    document_builder_spelled(t->builder, text, size + 2, t->at, t->at + part->length);
}

static void report_part(EscapedText *t, const EscapedPart *part)
{
    const size_t end = t->at + part->length;

    document_builder_keep(t->builder, escaped_tags_is_code(&t->tags, t->at));
    if (part->is_placeholder)
        report_placeholder(t, part);
    else if (part->size == 1 && part->text[0] == ' ')
        document_builder_space(t->builder, t->at, end);
    else
        document_builder_spelled(t->builder, part->text, part->size, t->at, end);
    document_builder_keep(t->builder, false);
    t->at = end;
    if (!part->size) return;
    line_breaks_add(&t->before, part->is_placeholder ? 'X' : code_of(*part));
    if (!char_is_blank(part->text[0])) t->last = code_of(*part);
    t->is_after_space = part->text[0] == ' ';
}

/* Reports a tag inside a text. The tag of a block gets a space on its outer side unless there is one. */
static void report_tag(EscapedText *t, const FoundTag *found)
{
    const Range bytes = found->bytes;
    const uint32_t next = bytes.end < t->end ? code_of(part_at(t, bytes.end)) : ' ';
    const bool separates = found->is_block && t->separates, is_open = found->tag.kind == ESCAPED_OPEN;

    if (separates && is_open && !t->is_after_space) document_builder_space(t->builder, bytes.begin, bytes.begin);
    escaped_tags_report(t->builder, found);
    if (separates && !is_open && next != ' ') document_builder_space(t->builder, bytes.end, bytes.end);
    if (found->is_block || found->ends_line) t->is_after_space = true;
    if (found->ends_line) line_breaks_add(&t->before, ' ');
    t->at = bytes.end;
}

void escaped_text_report(EscapedText *t)
{
    const bool is_message = t->tags.is_message && !t->is_whole;

    t->last = 0;
    t->before = (LineBefore){ 0 };
    t->is_after_space = true;
    document_builder_whole(t->builder);
    if (is_message)
        document_builder_message(t->builder);
    else
        skip_lines(t);
    while (t->at < t->end && !document_builder_failed(t->builder)) {
        const EscapedPart part = part_at(t, t->at);
        const FoundTag *tag = escaped_tags_at(&t->tags, &t->next_tag, t->at);
        const size_t literal = tag || is_message ? 0 : literal_break(t);
        const uint32_t code = code_of(part);
        const LineBreakKind kind = part.size > 1 ? BREAK_ALWAYS : BREAK_NEWLINE;
        if (tag && (is_message || !ends_line(t, tag) || (tag->ends_line && goes_on_after_tag(t, tag)))) {
            report_tag(t, tag);
            continue;
        }
        if (literal) {
            const bool is_inside = t->last && t->at + literal < t->letters_end;
            t->break_end = t->at + literal;
            if (is_inside && !t->is_whole) break;
            if (is_inside)
                document_builder_separate(t->builder, t->at, t->break_end, BREAK_NONE);
            else
                document_builder_empty(t->builder, t->at, t->break_end);
            t->at = t->break_end;
            continue;
        }
        if (is_message || (!tag && !is_newline(code) && !(is_blank(code) && is_gap(t, t->at, t->last)))) {
            report_part(t, &part);
            continue;
        }
        if (!escaped_text_has_more(t)) break;
        if (!tag && !is_newline(code)) t->is_indented = false; /* only the first column ends at two spaces */
        if (tag || !is_newline(code) || !line_breaks_goes_on(&t->before, code_after(t, t->at + part.length), kind))
            break;
        document_builder_space(t->builder, t->at, t->at + part.length);
        line_breaks_add(&t->before, ' ');
        t->at += part.length;
    }
    if (escaped_text_has_more(t)) {
        t->is_divided = true;
    } else {
        document_builder_empty(t->builder, t->at, t->end);
        t->at = t->end;
    }
    if (t->is_divided) document_builder_divided(t->builder);
}

/* Only the text to translate gets spaces beside blocks: the spaces of an own text would be written to the document. */
void escaped_text_report_unit(EscapedText *t, unsigned context, unsigned own, bool is_whole)
{
    const unsigned contexts[] = { context, own };
    const EscapedText start = *t;
    size_t texts[2];

    for (size_t i = 0; i < 2; i++) {
        *t = start;
        t->is_whole |= is_whole || (i && t->tags.is_message); /* what is there now is not divided */
        t->separates = is_whole && i == 0;
        document_builder_begin(t->builder, contexts[i], t->at);
        escaped_text_report(t);
        if (is_whole) t->at = t->end;
        document_builder_end_text(t->builder, t->at, &texts[i]);
    }
    document_builder_add_unit(t->builder, &(UnitPlan){ .source = texts[0], .own = texts[1] });
}

void escaped_text_report_rest(EscapedText *t, unsigned context, unsigned own)
{
    while (escaped_text_has_more(t) && !document_builder_failed(t->builder)) {
        if (own != context) {
            escaped_text_report_unit(t, context, own, false);
            continue;
        }
        document_builder_begin(t->builder, context, t->at);
        escaped_text_report(t);
        document_builder_end_unit(t->builder, t->at);
    }
}

void escaped_text_report_units(DocumentBuilder *builder, EscapedReader *read, unsigned context, size_t begin,
                               size_t end)
{
    EscapedText text = escaped_text_start(builder, read, begin, end);

    escaped_text_report_rest(&text, context, context);
    escaped_text_free(&text);
}

size_t escaped_text_add_units(EscapedText *t, unsigned context, const UnitPlan *plan, size_t end)
{
    UnitPlan unit = *plan;
    bool is_last = false;
    size_t first = 0;

    for (size_t count = 0; !is_last && !document_builder_failed(t->builder); count++) {
        size_t number;
        document_builder_begin(t->builder, context, t->at);
        if (escaped_text_has_more(t)) escaped_text_report(t);
        while (!count && t->at < t->end && !escaped_text_has_more(t) && !document_builder_failed(t->builder)) {
            const FoundTag *tag = escaped_tags_at(&t->tags, &t->next_tag, t->at);
            const EscapedPart part = part_at(t, t->at);
            if (tag)
                report_tag(t, tag);
            else
                report_part(t, &part);
        }
        document_builder_end_text(t->builder, t->at, &unit.source);
        if (count) {
            unit.own = document_builder_place(t->builder, end, end);
            unit.before = NULL;
        }
        is_last = !escaped_text_has_more(t);
        unit.after = is_last ? plan->after : NULL;
        number = document_builder_add_unit(t->builder, &unit);
        if (!count) first = number;
    }
    return first;
}

/* Adds the units of the last string. The first string takes the place, and the others follow it. */
static void add_string(EscapedPlace *p, const char *after)
{
    const size_t end = p->place.end, begin = p->count++ ? end : p->place.begin;
    UnitPlan plan = { .before = p->before.data, .after = after };
    EscapedText text;
    size_t unit;

    if (document_builder_failed(p->builder)) return;
    plan.own = document_builder_place(p->builder, begin, end);
    text = escaped_text_start(p->builder, p->read_tags ? p->read_tags : p->read, p->string.begin, p->string.end);
    text.read = p->read;
    unit = escaped_text_add_units(&text, p->context, &plan, end);
    if (p->count == 1) p->first = unit;
    escaped_text_free(&text);
}

void escaped_place_add(EscapedPlace *p, Range string)
{
    if (p->string.end) add_string(p, NULL);
    p->string = string;
    buf_clear(&p->before);
    if (p->syntax.len) buf_put(&p->before, p->syntax.data, p->syntax.len);
    buf_clear(&p->syntax);
    document_builder_check(p->builder, buf_check(&p->before, NULL));
}

size_t escaped_place_end(EscapedPlace *p)
{
    document_builder_check(p->builder, buf_check(&p->syntax, NULL));
    if (p->string.end) add_string(p, p->syntax.data);
    buf_free(&p->syntax);
    buf_free(&p->before);
    return p->first;
}

bool escaped_text_keeps(EscapedReader *read, const char *spelling, size_t length, const SpellingPlace *place)
{
    char joined[LONGEST_SPELLING + SPELLING_AHEAD];

    if (length > LONGEST_SPELLING) return true; /* it contains line breaks */
    memcpy(joined, spelling, length);
    if (place->after_length) memcpy(joined + length, place->after, place->after_length);
    return read(joined, length + place->after_length).length == length;
}

EscapedPart escaped_text_plain(const char *bytes, size_t length)
{
    EscapedPart part = { .size = 0 };
    uint32_t code;

    if (length > 1 && bytes[0] == '\r' && bytes[1] == '\n') return escaped_text_code(2, '\n');
    part.length = part.size = utf8_next(bytes, length, &code);
    memcpy(part.text, bytes, part.length);
    return part;
}

EscapedPart escaped_text_code(size_t length, uint32_t code)
{
    EscapedPart part = { .length = length };

    if (code && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000)) part.size = utf8_put(code, part.text);
    return part;
}

uint32_t escaped_text_hex(const char *bytes, size_t length, size_t digits)
{
    uint32_t code = 0;

    if (length < digits) return UTF8_INVALID;
    for (size_t i = 0; i < digits; i++) {
        const int value = char_hex_value(bytes[i]);
        if (value < 0) return UTF8_INVALID;
        code = code * 16 + (uint32_t)value;
    }
    return code;
}

/* Returns the code unit of \uXXXX. */
static uint32_t code_unit(const char *bytes, size_t length)
{
    return length < 6 || bytes[0] != '\\' || (bytes[1] | 0x20) != 'u' ? UTF8_INVALID
                                                                      : escaped_text_hex(bytes + 2, length - 2, 4);
}

EscapedPart escaped_text_utf16(const char *bytes, size_t length)
{
    const uint32_t high = code_unit(bytes, length);
    const uint32_t low = high >= 0xd800 && high < 0xdc00 ? code_unit(bytes + 6, length - 6) : UTF8_INVALID;

    if (high == UTF8_INVALID) return (EscapedPart){ .length = 0 };
    if (low < 0xdc00 || low >= 0xe000) return escaped_text_code(6, high);
    return escaped_text_code(12, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
}

size_t escaped_text_put_utf16(uint32_t code, bool is_upper, char *out)
{
    if (code < 0x10000) return (size_t)snprintf(out, SPELLING_BYTES, is_upper ? "\\u%04X" : "\\u%04x", (unsigned)code);
    code -= 0x10000;
    return (size_t)snprintf(out, SPELLING_BYTES, is_upper ? "\\u%04X\\u%04X" : "\\u%04x\\u%04x",
                            0xd800 + (unsigned)(code >> 10), 0xdc00 + (unsigned)(code & 0x3ff));
}

EscapedPart escaped_text_escape(const EscapeRules *rules, const char *bytes, size_t length)
{
    const char *letter = bytes[1] ? strchr(rules->letters, bytes[1]) : NULL;
    EscapedPart part;
    uint32_t code = 0;
    size_t at = 1;

    if (letter) return escaped_text_code(2, (uint32_t)rules->codes[letter - rules->letters]);
    if (char_is_among(bytes[1], rules->utf16)) {
        part = escaped_text_utf16(bytes, length);
        return part.length ? part : escaped_text_code(2, 0);
    }
    for (; rules->octal && at < length && at < 4 && bytes[at] >= '0' && bytes[at] <= '7'; at++)
        code = code * 8 + (uint32_t)(bytes[at] - '0');
    code &= rules->octal;
    if (at > 1) return escaped_text_code(at, code < 0x80 ? code : 0);
    if (!rules->keeps_unknown) return escaped_text_code(2, 0);
    part = escaped_text_plain(bytes + 1, length - 1);
    part.length++;
    return part;
}

size_t escaped_text_put_letter(const EscapeRules *rules, uint32_t code, char *out)
{
    const char *known = code && code < 0x80 ? strchr(rules->codes, (int)code) : NULL;

    if (!known) return 0;
    out[0] = '\\';
    out[1] = rules->letters[known - rules->codes];
    return 2;
}
