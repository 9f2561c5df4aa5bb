/* icu_message.c - see icu_message.h. Reading is a recursive descent over the text. Dividing walks over the arguments:
 * the text before and after an argument goes into each of its branches, where the next argument divides it again. */
#include "icu_message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

#define MESSAGE_DEPTH 32

/* --- Reading ------------------------------------------------------------------------- */

typedef struct {
    IcuMessage *message;
    TextCursor in;
    size_t depth;
} IcuReader;

static char char_after(const IcuReader *r)
{
    return r->in.at + 1 < r->in.end ? r->in.text[r->in.at + 1] : '\0';
}

/* Skips characters with or without the properties: white space of patterns, or names. Returns the range. */
static Range skip_while(IcuReader *r, bool is_space)
{
    const char *text = r->in.text;
    Range range = { r->in.at, r->in.at };
    uint32_t code;

    while (range.end < r->in.end) {
        const size_t step = utf8_next(text + range.end, r->in.end - range.end, &code);
        const bool is_white = u_hasBinaryProperty((UChar32)code, UCHAR_PATTERN_WHITE_SPACE);
        if (is_space ? !is_white : is_white || u_hasBinaryProperty((UChar32)code, UCHAR_PATTERN_SYNTAX)) break;
        range.end += step;
    }
    r->in.at = range.end;
    return range;
}

static void skip_space(IcuReader *r)
{
    (void)skip_while(r, true);
}

/* Skips a number, as in =1 and offset:1. */
static bool skip_number(IcuReader *r)
{
    if (!cursor_take(&r->in, "-")) (void)cursor_take(&r->in, "+");
    if (!cursor_skip(&r->in, CURSOR_DIGITS)) return false;
    if (cursor_take(&r->in, ".")) (void)cursor_skip(&r->in, CURSOR_DIGITS);
    return true;
}

/* Skips a quotation that begins at the apostrophe r->in.at, up to the next single apostrophe. */
static bool skip_quotation(IcuReader *r)
{
    for (r->in.at++; r->in.at < r->in.end; r->in.at++) {
        if (cursor_char(&r->in) != '\'') continue;
        if (char_after(r) != '\'') {
            r->in.at++;
            return true;
        }
        r->in.at++;
    }
    return false;
}

/* Skips the style of an argument, {n, number, STYLE}, up to its closing brace. */
static bool skip_style(IcuReader *r)
{
    size_t depth = 0;

    for (; r->in.at < r->in.end; r->in.at++) {
        const char c = cursor_char(&r->in);
        if (c == '\'') {
            r->in.at = chars_find(r->in.text, r->in.at + 1, r->in.end, '\'');
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && !depth--) {
            return true;
        }
    }
    return false;
}

static bool is_plural(const IcuMessage *message, size_t argument)
{
    return argument != ICU_NONE && message->arguments.data[argument].kind != ICU_SELECT;
}

/* Adds the argument without branches that ends at r->in.at. */
static void add_simple(IcuReader *r, size_t begin, Range name, size_t branch)
{
    IcuMessage *m = r->message;

    LIST_PUT(&m->marks, ((IcuMark){ ICU_KEPT, { begin, r->in.at }, name, ICU_NONE }));
    for (size_t b = branch; b != ICU_NONE; b = m->arguments.data[m->branches.data[b].argument].parent)
        m->branches.data[b].has_number |=
            ranges_are_same(m->text, m->arguments.data[m->branches.data[b].argument].name, name);
}

static bool read_text(IcuReader *r, size_t branch);

/* Reads the branches of an argument, up to its closing brace. */
static bool read_branches(IcuReader *r, size_t argument)
{
    IcuMessage *m = r->message;
    const bool counts = is_plural(m, argument);
    size_t last = ICU_NONE;
    bool has_other = false;

    for (size_t lead = r->in.at;; lead = r->in.at) {
        IcuBranch branch = { argument, lead, { 0, 0 }, { 0, 0 }, PLURAL_CATEGORIES, false, ICU_NONE, ICU_NONE };
        const size_t index = m->branches.len;
        skip_space(r);
        if (cursor_take(&r->in, "}")) return has_other;
        branch.selector.begin = r->in.at;
        if (counts && cursor_take(&r->in, "=")) {
            if (!skip_number(r)) return false;
        } else {
            const Range name = skip_while(r, false);
            if (name.begin == name.end) return false;
            if (counts && name.end - name.begin == 6 && chars_begin(m->text, name.begin, m->length, "offset:")) {
                r->in.at++;
                skip_space(r);
                if (last != ICU_NONE || m->arguments.data[argument].has_offset || !skip_number(r)) return false;
                m->arguments.data[argument].has_offset = true;
                continue;
            }
            has_other |= chars_are_among(m->text + name.begin, name.end - name.begin, "other");
            if (counts) branch.category = plural_category_named(m->text + name.begin, name.end - name.begin);
        }
        branch.selector.end = r->in.at;
        skip_space(r);
        if (!cursor_take(&r->in, "{")) return false;
        branch.text.begin = r->in.at;
        LIST_PUT(&m->branches, branch);
        if (m->branches.failed) return false;
        *(last == ICU_NONE ? &m->arguments.data[argument].branch : &m->branches.data[last].next) = index;
        last = index;
        if (!read_text(r, index)) return false;
        m->branches.data[index].text.end = r->in.at++;
    }
}

/* Reads the argument that begins at the brace r->in.at. Sets *complex to its number if it has branches. */
static bool read_argument(IcuReader *r, size_t branch, size_t *complex)
{
    static const char *const kinds[] = {
        [ICU_SELECT] = "select", [ICU_PLURAL] = "plural", [ICU_ORDINAL] = "selectordinal"
    };
    IcuMessage *m = r->message;
    const size_t begin = r->in.at++;
    Range name, type;

    skip_space(r);
    if (char_is_digit(cursor_char(&r->in))) {
        name = (Range){ r->in.at, r->in.at };
        (void)cursor_skip(&r->in, CURSOR_DIGITS);
        name.end = r->in.at;
        if (name.end > name.begin + 1 && m->text[name.begin] == '0') return false;
        if (name.end - name.begin > 9) return false;
    } else {
        name = skip_while(r, false);
    }
    if (name.begin == name.end) return false;
    skip_space(r);
    if (cursor_take(&r->in, "}")) {
        add_simple(r, begin, name, branch);
        return true;
    }
    if (!cursor_take(&r->in, ",")) return false;
    skip_space(r);
    type = (Range){ r->in.at, r->in.at };
    while (char_is_letter(cursor_char(&r->in))) type.end = ++r->in.at;
    if (type.begin == type.end) return false;
    skip_space(r);
    for (IcuKind kind = ICU_SELECT; kind <= ICU_ORDINAL; kind++) {
        if (strlen(kinds[kind]) != type.end - type.begin ||
            strncasecmp(m->text + type.begin, kinds[kind], type.end - type.begin) != 0)
            continue;
        if (!cursor_take(&r->in, ",") || ++r->depth > MESSAGE_DEPTH) return false;
        *complex = m->arguments.len;
        LIST_PUT(&m->arguments, ((IcuArgument){ kind, false, { begin, 0 }, name, branch, ICU_NONE, ICU_NONE }));
        if (m->arguments.failed || !read_branches(r, *complex)) return false;
        m->arguments.data[*complex].text.end = r->in.at;
        r->depth--;
        return true;
    }
    if (type.end - type.begin == 6 && strncasecmp(m->text + type.begin, "choice", 6) == 0) return false;
    if (cursor_take(&r->in, ",") && !skip_style(r)) return false;
    if (!cursor_take(&r->in, "}")) return false;
    add_simple(r, begin, name, branch);
    return true;
}

/* Adds a quotation. The two around a name, '{'x'}', become one mark. */
static void add_quotation(IcuMessage *m, Range text)
{
    IcuMark *last = m->marks.len ? &m->marks.data[m->marks.len - 1] : NULL;
    size_t at = last ? last->text.end : 0;

    if (last && chars_begin(m->text, last->text.begin, last->text.end, "'{'") && m->text[text.begin + 1] == '}') {
        while (at < text.begin && (char_is_alphanumeric(m->text[at]) || char_is_among(m->text[at], "_-."))) at++;
        if (at == text.begin) {
            last->text.end = text.end;
            return;
        }
    }
    LIST_PUT(&m->marks, ((IcuMark){ ICU_KEPT, text, { 0, 0 }, ICU_NONE }));
}

/* Reads the text of a branch up to its closing brace, or the whole message. */
static bool read_text(IcuReader *r, size_t branch)
{
    IcuMessage *m = r->message;
    const size_t around = branch == ICU_NONE ? ICU_NONE : m->branches.data[branch].argument;
    const size_t plural = is_plural(m, around) ? around : ICU_NONE;
    size_t last = ICU_NONE; /* the last argument with branches */

    while (r->in.at < m->length) {
        const size_t begin = r->in.at;
        const char c = cursor_char(&r->in), next = char_after(r);
        size_t argument = ICU_NONE;
        if (c == '}' && branch != ICU_NONE) return true;
        if (c == '{') {
            if (!read_argument(r, branch, &argument)) return false;
            if (argument == ICU_NONE) continue;
            if (last != ICU_NONE)
                m->arguments.data[last].next = argument;
            else if (branch != ICU_NONE)
                m->branches.data[branch].first = argument;
            last = argument;
            continue;
        }
        r->in.at++;
        m->is_fixed |= c == '}';
        if (c == '#') {
            LIST_PUT(&m->marks, ((IcuMark){ ICU_NUMBER, { begin, r->in.at }, { 0, 0 }, plural }));
            if (plural != ICU_NONE) m->branches.data[branch].has_number = true;
        } else if (c == '\'' && next == '\'') {
            r->in.at++;
            LIST_PUT(&m->marks, ((IcuMark){ ICU_APOSTROPHE, { begin, r->in.at }, { 0, 0 }, ICU_NONE }));
        } else if (c == '\'' && (next == '{' || next == '}' || (next == '#' && plural != ICU_NONE))) {
            r->in.at = begin;
            if (!skip_quotation(r)) return false;
            add_quotation(m, (Range){ begin, r->in.at });
            m->is_fixed |= next == '#';
        } else if (c == '\'') {
            m->has_apostrophe = true;
            m->is_fixed |= next == '#' || r->in.at == m->length;
        }
    }
    return branch == ICU_NONE;
}

Status icu_message_read(IcuMessage *message, const char *text, size_t length, bool *is_message, Err *err)
{
    IcuReader r = { .message = message, .in = { text, 0, length } };
    Status st;

    *message = (IcuMessage){ .text = text, .length = length };
    *is_message = read_text(&r, ICU_NONE) && message->arguments.len;
    st = LIST_CHECK(&message->arguments, "a message", err);
    if (st == OK) st = LIST_CHECK(&message->branches, "a message", err);
    return st == OK ? LIST_CHECK(&message->marks, "a message", err) : st;
}

void icu_message_free(IcuMessage *message)
{
    free(message->arguments.data);
    free(message->branches.data);
    free(message->marks.data);
    *message = (IcuMessage){ 0 };
}

Status icu_message_test(const char *text, size_t length, bool *is_message, Err *err)
{
    IcuMessage message;
    const Status st = icu_message_read(&message, text, length, is_message, err);

    icu_message_free(&message);
    return st;
}

/* --- Dividing ------------------------------------------------------------------------ */

#define MOST_ARGUMENTS 32   /* of a message whose text moves into branches */
#define MOST_TEXTS     1300 /* four nested plurals in Arabic have 6^4; equal texts are translated once */
#define MOST_BYTES     ((size_t)1 << 18)
#define LONGEST        ((size_t)1 << 16) /* bytes of a message that is not kept as it is */

/* A range of the text whose first argument with branches is `argument`; ICU_NONE: there is none. */
typedef struct {
    Range text;
    size_t argument;
} IcuSegment;

/* What happens to a message, in the order in which it is tried. */
typedef enum {
    FORM_SENTENCES, /* branches are adapted, and text moves into them */
    FORM_BRANCHES,  /* branches are adapted */
    FORM_KEPT       /* all pieces stay */
} IcuForm;

typedef struct {
    const IcuMessage *message;
    const PluralTarget *target;
    IcuPieceList *out;
    IcuForm form;
    size_t texts, bytes; /* in the pieces so far */
    bool fails;          /* this form is not possible */
} IcuDivider;

size_t icu_message_mark(const IcuMessage *message, size_t at)
{
    size_t mark;

    FIND_FIRST(mark, message->marks.len, message->marks.data[mark].text.begin >= at);
    return mark;
}

/* Puts a text in the branches of `plural`. There, {n, number} replaces a # of another plural, which is not possible
 * if that plural has an offset; and '#' replaces a # that shows no number. No apostrophe must touch the end of a
 * quotation, because the two apostrophes would be read as one. */
static void put_text(IcuDivider *d, const IcuSegment *segments, size_t count, size_t plural)
{
    const IcuMessage *m = d->message;
    bool ends_quoted = false; /* the text so far */

    d->texts++;
    for (size_t i = 0; i < count; i++) {
        const Range text = segments[i].text;
        size_t at = text.begin; /* the end of the last mark */
        for (size_t k = icu_message_mark(m, at); k < m->marks.len && m->marks.data[k].text.begin < text.end; k++) {
            const IcuMark *mark = &m->marks.data[k];
            const bool is_moved = mark->kind == ICU_NUMBER && mark->argument != plural;
            const bool is_quoted =
                mark->kind == ICU_KEPT ? mark->name.begin == mark->name.end : is_moved && mark->argument == ICU_NONE;
            if (is_moved && mark->argument != ICU_NONE) d->fails |= m->arguments.data[mark->argument].has_offset;
            d->fails |= ends_quoted && (mark->text.begin > at ? m->text[at] == '\'' : is_quoted);
            ends_quoted = is_quoted;
            at = mark->text.end;
        }
        if (at < text.end) {
            d->fails |= ends_quoted && m->text[at] == '\'';
            ends_quoted = false;
        }
        d->bytes += text.end - text.begin;
        LIST_PUT(d->out, ((IcuPiece){ ICU_TEXT, false, text, PLURAL_OTHER, plural }));
    }
    d->fails |= d->texts > MOST_TEXTS || d->bytes > MOST_BYTES;
    d->fails &= d->form != FORM_KEPT;
}

static void put_syntax(IcuDivider *d, size_t begin, size_t end, bool follows_syntax)
{
    LIST_PUT(d->out, ((IcuPiece){ ICU_SYNTAX, follows_syntax, { begin, end }, PLURAL_OTHER, ICU_NONE }));
}

static bool has_words(const IcuDivider *d, const IcuSegment *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Range range = segments[i].text;
        const size_t length = range.end - range.begin;
        if (!utf8_is_blank(d->message->text + range.begin, length)) return true;
    }
    return false;
}

/* The most marks on one side that are examined, so that the time stays linear. */
#define NEAR_MARKS 32

static bool is_shown_in(const IcuMessage *m, const IcuArgument *argument, size_t first, size_t end)
{
    for (size_t i = first; i < end && i < m->marks.len; i++) {
        const Range name = m->marks.data[i].name;
        if (name.begin < name.end && ranges_are_same(m->text, name, argument->name)) return true;
    }
    return false;
}

/* Whether an argument with this name and without branches is before or after the argument: {n} {n, plural, ...}. */
static bool is_shown_beside(const IcuMessage *m, const IcuArgument *argument)
{
    const size_t before = icu_message_mark(m, argument->text.begin), after = icu_message_mark(m, argument->text.end);

    return is_shown_in(m, argument, before < NEAR_MARKS ? 0 : before - NEAR_MARKS, before) ||
           is_shown_in(m, argument, after, after + NEAR_MARKS);
}

static void divide(IcuDivider *d, const IcuSegment *segments, size_t count, size_t plural);

/* Puts a branch like `form`, but with the white space before `lead`, with the name of the category unless it is
 * PLURAL_CATEGORIES, and with the text of `source` between the segments, in the place of around[before]. */
static void put_branch(IcuDivider *d, const IcuBranch *lead, const IcuBranch *form, PluralCategory name,
                       const IcuBranch *source, IcuSegment *around, size_t before, size_t count)
{
    if (lead->lead < lead->selector.begin) put_syntax(d, lead->lead, lead->selector.begin, true);
    if (name < PLURAL_CATEGORIES)
        put_syntax(d, form->selector.begin, form->selector.begin, true); /* markup before it */
    if (name < PLURAL_CATEGORIES)
        LIST_PUT(d->out, ((IcuPiece){ ICU_NAME, false, { 0, 0 }, name, ICU_NONE }));
    else
        put_syntax(d, form->selector.begin, form->selector.end, true);
    put_syntax(d, form->selector.end, form->text.begin, true);
    around[before] = (IcuSegment){ source->text, source->first };
    divide(d, around, count, is_plural(d->message, form->argument) ? form->argument : ICU_NONE);
    put_syntax(d, form->text.end, form->text.end + 1, false);
}

/* Puts an argument whose branches the target language needs, each between the segments: plural_source() chooses the
 * text of each. */
static void put_argument(IcuDivider *d, size_t index, IcuSegment *around, size_t before, size_t count)
{
    const IcuMessage *m = d->message;
    const IcuArgument *argument = &m->arguments.data[index];
    const PluralKind kind = argument->kind == ICU_ORDINAL ? PLURALS_ORDINAL : PLURALS_CARDINAL;
    const PluralForms forms = d->target->forms[kind];
    const bool adapts = argument->kind != ICU_SELECT && d->target->adapts && d->form != FORM_KEPT;
    PluralTexts texts = { 0 };
    unsigned missing;
    const IcuBranch *lead = &m->branches.data[argument->branch]; /* before any branch was put: the first one */
    const IcuBranch *other = NULL, *last = NULL;

    for (size_t i = argument->branch; i != ICU_NONE; i = m->branches.data[i].next) {
        const IcuBranch *branch = &m->branches.data[i];
        if (branch->category == PLURAL_OTHER) other = branch;
        if (branch->category == PLURAL_CATEGORIES) continue;
        texts.categories |= 1u << branch->category;
        if (!branch->has_number) texts.without_number |= 1u << branch->category;
    }
    if (adapts && texts.without_number && is_shown_beside(m, argument)) texts.without_number = 0;
    missing = adapts ? forms.categories & ~texts.categories : 0;
    put_syntax(d, argument->text.begin, m->branches.data[argument->branch].lead, false);
    for (size_t i = argument->branch; i != ICU_NONE; i = m->branches.data[i].next) {
        const IcuBranch *branch = last = &m->branches.data[i], *source = branch;
        const bool is_category = adapts && branch->category < PLURAL_CATEGORIES;
        if (is_category && !(forms.categories >> branch->category & 1)) continue;
        for (PluralCategory c = PLURAL_ZERO; is_category && c < branch->category; c++) {
            if (!(missing >> c & 1)) continue;
            put_branch(d, lead ? lead : branch, branch, c, other, around, before, count);
            lead = NULL;
            missing &= ~(1u << c);
        }
        if (is_category && plural_source(texts, forms, branch->category) != branch->category) source = other;
        put_branch(d, lead ? lead : branch, branch, PLURAL_CATEGORIES, source, around, before, count);
        lead = NULL;
    }
    put_syntax(d, last->text.end + 1, argument->text.end, true);
}

/* Puts the segments, which are one text unless there are arguments with branches in them. */
static void divide(IcuDivider *d, const IcuSegment *segments, size_t count, size_t plural)
{
    IcuSegment around[2 * MOST_ARGUMENTS + 2];

    if (count) memcpy(around, segments, count * sizeof *segments);
    while (!d->fails) {
        IcuSegment branch[2] = { { { 0, 0 }, ICU_NONE } };
        const IcuArgument *argument;
        size_t index, at = 0;
        while (at < count && around[at].argument == ICU_NONE) at++;
        if (at == count) {
            put_text(d, around, count, plural);
            return;
        }
        index = around[at].argument;
        argument = &d->message->arguments.data[index];
        /* around[0..at] is the text before the argument, and around[at + 1..count] the text after it */
        memmove(around + at + 1, around + at, (count - at) * sizeof *around);
        around[at] = (IcuSegment){ { around[at].text.begin, argument->text.begin }, ICU_NONE };
        around[at + 1] = (IcuSegment){ { argument->text.end, around[at + 1].text.end }, argument->next };
        count++;
        if (d->form == FORM_SENTENCES &&
            (has_words(d, around, at + 1) || has_words(d, around + at + 1, count - at - 1))) {
            memmove(around + at + 2, around + at + 1, (count - at - 1) * sizeof *around);
            put_argument(d, index, around, at + 1, count + 1);
            return;
        }
        put_text(d, around, at + 1, plural);
        put_argument(d, index, branch, 0, 1);
        count -= at + 1;
        memmove(around, around + at + 1, count * sizeof *around);
    }
}

Status icu_message_divide(const IcuMessage *message, const PluralTarget *target, IcuPieceList *out, Err *err)
{
    const IcuSegment all = { { 0, message->length }, 0 };
    const size_t start = out->len;
    IcuDivider d = { .message = message, .target = target, .out = out, .form = FORM_SENTENCES };

    if (message->arguments.len > MOST_ARGUMENTS || message->is_fixed) d.form = FORM_BRANCHES;
    if (target->keeps_form || message->length > LONGEST) d.form = FORM_KEPT;
    for (divide(&d, &all, 1, ICU_NONE); d.fails; divide(&d, &all, 1, ICU_NONE)) {
        d.form++;
        d.fails = false;
        d.texts = d.bytes = 0;
        out->len = start;
    }
    return LIST_CHECK(out, "a message", err);
}
