/* kept_text.c - see kept_text.h. */
#include "kept_text.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "placeholders.h"
#include "utf8.h"

#define NO_BREAK_SPACE 2 /* bytes of U+00A0 */
#define GC_OUTER       (U_GC_PS_MASK | U_GC_PE_MASK | U_GC_PI_MASK | U_GC_PF_MASK)

bool kept_text_is_needed(const char *sentence, size_t len, const SentenceItems *items)
{
    size_t at = 0;

    for (size_t i = 0; i < items->count; i++) {
        if (kept_parts_have_letters(sentence, at, kept_parts_item(items, i).begin)) return true;
        at = kept_parts_item(items, i).end;
    }
    return kept_parts_have_letters(sentence, at, len);
}

static bool is_bracket_or_quote(uint32_t code)
{
    return code == '"' || code == '\'' || (U_GET_GC_MASK((UChar32)code) & GC_OUTER);
}

/* Whether the items around text[begin..end), which is within the sentence, are one group. The end of a sentence divides
 * them, and a comma divides numbers: December 19, 1967. */
static bool is_joint(const char *text, size_t begin, size_t end)
{
    const bool numbers = char_is_digit(text[begin - 1]) && char_is_digit(text[end]);
    bool mark = false;
    uint32_t code;

    while (begin < end) {
        begin += utf8_next(text + begin, end - begin, &code);
        if (kept_parts_is_letter(code) || is_bracket_or_quote(code) || (mark && code == ' ')) return false;
        mark = (numbers && code == ',') || code == '.' || code == '!' || code == '?' || code == ':' || code == ';';
    }
    return true;
}

/* Whether the text [begin, end) has a mail address, a@b.c; @name and a@18.2 are not. */
static bool has_mail_address(const char *text, size_t begin, size_t end)
{
    size_t at = begin + 1;

    while (at + 1 < end && (text[at] != '@' || text[at - 1] == '@' || strchr("(<[{\"'%", text[at - 1]))) at++;
    for (size_t dot = at + 2; dot + 1 < end; dot++)
        if (text[dot] == '.' && (text[dot + 1] | 0x20) >= 'a' && (text[dot + 1] | 0x20) <= 'z') return true;
    return false;
}

/* Whether the group ends with a URL or a mail address. */
static bool ends_with_address(const char *sentence, Range group)
{
    static const char *const marks[] = { "://", "www." };
    size_t begin = group.end;

    while (begin > group.begin && (unsigned char)sentence[begin - 1] > ' ') begin--;
    if (has_mail_address(sentence, begin, group.end)) return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t length = strlen(marks[i]);
        for (size_t at = begin; at + length < group.end; at++)
            if (memcmp(sentence + at, marks[i], length) == 0) return true;
    }
    return false;
}

static bool is_followed_by_space(const char *sentence, size_t len, size_t at)
{
    uint32_t code;

    if (at == len) return false;
    (void)utf8_next(sentence + at, len - at, &code);
    return utf8_is_space(code);
}

/* Whether part i and the one after it are one group. */
static bool are_joined(const char *sentence, const SentenceItems *items, const KeptPart *parts, size_t i)
{
    return i + 1 < items->count && !parts[i].prefix.end && !parts[i + 1].prefix.end &&
           is_joint(sentence, parts[i].range.end, kept_parts_item(items, i + 1).begin);
}

/* The group that begins with part *next, which becomes the first part of the next group. */
static KeptEdit next_group(const char *sentence, size_t len, const SentenceItems *items, const KeptPart *parts,
                           size_t *next)
{
    const KeptPart *first = &parts[*next];
    KeptEdit edit = { .prefix = first->prefix };
    PlaceholderValue value;

    while (are_joined(sentence, items, parts, *next)) ++*next;
    edit.to = (Range){ first->range.begin, parts[(*next)++].range.end };
    value = placeholders_at_end(sentence + edit.to.begin, edit.to.end - edit.to.begin);
    edit.is_number = value == VALUE_NUMBER;
    edit.is_apart = is_followed_by_space(sentence, len, edit.to.end) &&
                    (value == VALUE_ANY || edit.is_number || ends_with_address(sentence, edit.to));
    edit.may_be_number = value == VALUE_ANY || edit.is_number;
    return edit;
}

static Status add_edit(KeptText *out, KeptEdit edit, Err *err)
{
    Status st =
        buf_grow_list(&out->edits, &out->room, out->count, 1, sizeof *out->edits, "the kept parts of a line", err);

    edit.group = out->count;
    if (st == OK) out->edits[out->count++] = edit;
    return st;
}

/* Whether the name occurs in the text. */
static bool contains(LineText text, const char *name)
{
    const size_t size = strlen(name);

    for (size_t at = 0; at + size <= text.len; at++)
        if (!memcmp(text.data + at, name, size)) return true;
    return false;
}

/* Returns the next name that neither the sentence nor its translation contains otherwise, or NULL. */
static const char *next_name(KeptNames *names, LineText sentence, const SentenceItems *items)
{
    while (*names && **names) {
        const char *name = *(*names)++;
        if (!contains(sentence, name) && !contains(items->prefix, name) && !contains(items->others, name)) return name;
    }
    return NULL;
}

/* The first edit whose place in the prefix is at or after byte `at`; NULL: none. */
static const KeptEdit *next_edit(const KeptText *text, size_t at)
{
    const KeptEdit *next = NULL;

    for (size_t i = 0; i < text->count; i++) {
        const KeptEdit *edit = &text->edits[i];
        if (!edit->prefix.end || edit->prefix.begin < at) continue;
        if (!next || edit->prefix.begin < next->prefix.begin) next = edit;
    }
    return next;
}

/* Writes text->prefix: the prefix with the stand-ins of the groups that are in it; nothing if none is. */
static Status write_prefix(KeptText *text, LineText prefix, Err *err)
{
    const KeptEdit *edit = next_edit(text, 0);
    size_t at = 0;
    Status st = OK;

    if (!edit) return OK;
    for (; st == OK && edit; edit = next_edit(text, at)) {
        st = buf_append(&text->prefix, prefix.data + at, edit->prefix.begin - at, err);
        if (st == OK)
            st = buf_append(&text->prefix, text->text.data + edit->from.begin, edit->from.end - edit->from.begin, err);
        at = edit->prefix.end;
    }
    return st == OK ? buf_append(&text->prefix, prefix.data + at, prefix.len - at, err) : st;
}

/* Whether the group divides words, as in yes|no. */
static bool is_divider(const char *sentence, size_t len, const KeptEdit *edit)
{
    return !edit->prefix.end && kept_parts_is_between(sentence, len, edit->to);
}

/* A name with spaces is a word of its own. The spaces are a part of the stand-in, so they vanish with it. */
static Status append_name(Buf *out, const char *name, bool with_spaces, Err *err)
{
    return with_spaces ? buf_append_format(out, err, " %s ", name) : buf_append_text(out, name, err);
}

Status kept_text_stand_in(KeptText *out, const char *sentence, size_t len, const SentenceItems *items, KeptNames names,
                          KeptNames numbers, Err *err)
{
    KeptPart *parts = kept_parts_find(sentence, len, items);
    const char *name = "";
    size_t next = 0, at = 0;
    Status st = parts ? OK : err_memory(err, "the kept parts of a line");

    while (st == OK && name && next < items->count) {
        KeptEdit edit = next_group(sentence, len, items, parts, &next);
        const bool uses_number = numbers && edit.is_number && !is_divider(sentence, len, &edit);
        name = next_name(uses_number ? &numbers : &names, (LineText){ sentence, len }, items);
        st = buf_append(&out->text, sentence + at, edit.to.begin - at, err);
        edit.from.begin = out->text.len;
        if (st == OK && name) st = append_name(&out->text, name, is_divider(sentence, len, &edit), err);
        edit.from.end = out->text.len;
        if (st == OK) st = add_edit(out, edit, err);
        at = edit.to.end;
    }
    free(parts);
    if (st == OK && !name) out->count = 0;
    if (st == OK && name) st = buf_append(&out->text, sentence + at, len - at, err);
    return st == OK && name ? write_prefix(out, items->prefix, err) : st;
}

/* Adds the brackets or quotation marks directly around the group, between bytes `least` and `most`. */
static Range with_brackets(const char *sentence, size_t least, size_t most, Range group)
{
    static const char *const pairs[][2] = { { "(", ")" },
                                            { "[", "]" },
                                            { "{", "}" },
                                            { "\"", "\"" },
                                            { "'", "'" },
                                            { "`", "`" },
                                            { "\xe2\x80\x9c", "\xe2\x80\x9d" },   /* U+201C U+201D */
                                            { "\xe2\x80\x98", "\xe2\x80\x99" },   /* U+2018 U+2019 */
                                            { "\xe2\x80\x9e", "\xe2\x80\x9c" },   /* U+201E U+201C */
                                            { "\xc2\xab", "\xc2\xbb" },           /* U+00AB U+00BB */
                                            { "\xe3\x80\x8c", "\xe3\x80\x8d" } }; /* U+300C U+300D */

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const size_t left = strlen(pairs[i][0]), right = strlen(pairs[i][1]);
        if (group.begin - least < left || most - group.end < right) continue;
        if (!memcmp(sentence + group.begin - left, pairs[i][0], left) &&
            !memcmp(sentence + group.end, pairs[i][1], right))
            return (Range){ group.begin - left, group.end + right };
    }
    return group;
}

/* Whether a mark without a space before it begins at `at`. */
static bool mark_begins(const char *sentence, size_t len, size_t at)
{
    uint32_t code;

    (void)utf8_next(sentence + at, len - at, &code);
    return !kept_parts_is_letter(code) && code != '"' && code != '\'' &&
           !(U_GET_GC_MASK((UChar32)code) & (U_GC_PS_MASK | U_GC_PI_MASK));
}

/* The spaces to leave out with the group: the one before it, from byte `least` on, if there is another one after it, a
 * mark, or the end of the sentence; the one after it if nothing is left before it. */
static void find_spaces(KeptEdit *edit, const char *sentence, size_t least, size_t len, bool is_first)
{
    const size_t begin = edit->to.begin, end = edit->to.end;
    const bool before = begin > least && sentence[begin - 1] == ' ', after = end < len && sentence[end] == ' ';

    edit->before = before && (after || end == len || mark_begins(sentence, len, end));
    edit->after = after && is_first;
}

/* A group that is in the prefix has its brackets there, or none: those of the sentence count as spaces. */
static void leave_brackets(KeptEdit *edit, Range group)
{
    edit->before += group.begin - edit->to.begin;
    edit->after += edit->to.end - group.end;
    edit->to = group;
}

Status kept_text_leave_out(KeptText *out, const char *sentence, size_t len, const SentenceItems *items, Err *err)
{
    KeptPart *parts = kept_parts_find(sentence, len, items);
    size_t next = 0, at = 0;
    Status st = parts ? OK : err_memory(err, "the kept parts of a line");

    while (st == OK && next < items->count) {
        KeptEdit edit = next_group(sentence, len, items, parts, &next);
        const Range group = edit.to;
        edit.to = with_brackets(sentence, at, next < items->count ? kept_parts_item(items, next).begin : len, group);
        find_spaces(&edit, sentence, at, len, !out->text.len && edit.to.begin == at);
        if (edit.prefix.end) leave_brackets(&edit, group);
        st = buf_append(&out->text, sentence + at, edit.to.begin - edit.before - at, err);
        edit.from = (Range){ out->text.len, out->text.len };
        if (st == OK && is_divider(sentence, len, &edit)) {
            st = buf_append(&out->text, " ", 1, err);
            edit.from.end++;
        }
        if (st == OK) st = add_edit(out, edit, err);
        at = edit.to.end + edit.after;
    }
    free(parts);
    return st == OK ? buf_append(&out->text, sentence + at, len - at, err) : st;
}

void kept_text_free(KeptText *text)
{
    buf_free(&text->text);
    buf_free(&text->prefix);
    free(text->edits);
    *text = (KeptText){ 0 };
}

/* Finds the only whole occurrence of the name; false if there is none or another one, or if it has lost its spaces. */
static bool find_once(const char *text, size_t len, const char *name, size_t size, Range *place)
{
    const bool spaces = size && *name == ' ';
    size_t count = 0;

    name += spaces;
    size -= 2 * (size_t)spaces;
    for (size_t at = 0; at + size <= len; at++) {
        const Range found = { at, at + size };
        if (memcmp(text + at, name, size) != 0 || !kept_parts_is_whole(text, len, found)) continue;
        *place = found;
        count++;
    }
    if (count != 1 || !spaces) return count == 1;
    if (!place->begin || text[place->begin - 1] != ' ' || place->end == len || text[place->end] != ' ') return false;
    *place = (Range){ place->begin - 1, place->end + 1 };
    return true;
}

static int compare_edits(const void *one, const void *other)
{
    const KeptEdit *a = one, *b = other;

    if (a->from.begin != b->from.begin) return a->from.begin < b->from.begin ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

void kept_edits_sort(KeptEdit *edits, size_t count)
{
    if (count) qsort(edits, count, sizeof *edits, compare_edits);
}

bool kept_text_find(const KeptText *text, const char *translation, size_t len, KeptEdit *edits)
{
    for (size_t i = 0; i < text->count; i++) {
        const Range name = text->edits[i].from;
        edits[i] = (KeptEdit){ .group = i };
        if (!find_once(translation, len, text->text.data + name.begin, name.end - name.begin, &edits[i].from))
            return false;
    }
    kept_edits_sort(edits, text->count);
    for (size_t i = 1; i < text->count; i++)
        if (edits[i].from.begin < edits[i - 1].from.end) return false; /* they share a space */
    return true;
}

/* They are in the translation in the order of their places in the prefix. */
void kept_text_find_prefix(const KeptText *text, const char *sentence, LineText translation, size_t forced,
                           KeptEdit *edits)
{
    size_t at = 0;

    for (const KeptEdit *edit = next_edit(text, 0); edit; edit = next_edit(text, edit->prefix.end)) {
        const size_t size = edit->to.end - edit->to.begin;
        size_t place = at;
        while (place + size <= forced && !kept_parts_is_at(translation, place, sentence, edit->to)) place++;
        if (place + size > forced) continue;
        at = place + size;
        edits[edit - text->edits].from = (Range){ place, at };
    }
}

/* Whether a hyphen joins a word to what ends at byte `at`. After a number, only those with capital letters count: in
 * German, 5-jährig is a word. */
static bool joins_word(const char *translation, size_t len, size_t at, bool is_number)
{
    uint32_t code;

    if (len - at < 2 || translation[at] != '-') return false;
    (void)utf8_next(translation + at + 1, len - at - 1, &code);
    return code != UTF8_INVALID && (is_number ? u_isupper((UChar32)code) : u_isalpha((UChar32)code));
}

static bool is_no_break_space(LineText text, size_t at)
{
    return at + NO_BREAK_SPACE <= text.len && !memcmp(text.data + at, "\xc2\xa0", NO_BREAK_SPACE);
}

/* Makes the spaces around an edit no-break spaces, as those of the sentence are: no model writes them. What the
 * translation has between `least` and `most` becomes a part of the edit. */
static void keep_no_break_spaces(KeptEdit *edit, const KeptEdit *source, LineText sentence, const char *translation,
                                 size_t least, size_t most)
{
    const Range group = source->to;
    Range *from = &edit->from;
    const bool before = from->begin > least && translation[from->begin - 1] == ' ';
    const bool after = from->end < most && translation[from->end] == ' ';

    if (source->prefix.end) return;
    if (group.begin >= NO_BREAK_SPACE && is_no_break_space(sentence, group.begin - NO_BREAK_SPACE) &&
        (edit->before || before)) {
        from->begin -= !edit->before;
        edit->before = NO_BREAK_SPACE;
    }
    if (is_no_break_space(sentence, group.end) && (edit->after || after)) {
        from->end += !edit->after;
        edit->after = NO_BREAK_SPACE;
    }
}

static Status append_space(Buf *out, size_t bytes, Err *err)
{
    return buf_append(out, bytes == NO_BREAK_SPACE ? "\xc2\xa0" : " ", bytes, err);
}

Status kept_text_put(const KeptText *text, LineText sentence, const char *translation, size_t len, KeptEdit *edits,
                     Buf *out, Err *err)
{
    const size_t start = out->len;
    size_t at = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < text->count; i++) {
        const KeptEdit *source = &text->edits[edits[i].group];
        const Range group = source->to;
        const size_t most = i + 1 < text->count ? edits[i + 1].from.begin : len;
        keep_no_break_spaces(&edits[i], source, sentence, translation, at, most);
        st = buf_append(out, translation + at, edits[i].from.begin - at, err);
        if (st == OK) st = append_space(out, edits[i].before, err);
        edits[i].to.begin = out->len - start;
        if (st == OK) st = buf_append(out, sentence.data + group.begin, group.end - group.begin, err);
        edits[i].to.end = out->len - start;
        if (st == OK) st = append_space(out, edits[i].after, err);
        at = edits[i].from.end;
        if (st == OK && source->is_apart && at < most && joins_word(translation, len, at, source->may_be_number)) {
            st = buf_append(out, " ", 1, err);
            at++;
        }
    }
    return st == OK ? buf_append(out, translation + at, len - at, err) : st;
}

/* The number of edits that begin before `at`, or at it with `included`. */
static size_t count_edits(const KeptEdit *edits, size_t count, size_t at, bool included)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edits[middle].from.begin < at || (included && edits[middle].from.begin == at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t after_edit(const KeptEdit *edit, size_t at)
{
    return edit->to.end + edit->after + at - edit->from.end;
}

static size_t trace_begin(const KeptEdit *edits, size_t count, size_t at)
{
    const size_t passed = count_edits(edits, count, at, true);

    if (!passed) return at;
    return at < edits[passed - 1].from.end ? edits[passed - 1].to.begin : after_edit(&edits[passed - 1], at);
}

static size_t trace_end(const KeptEdit *edits, size_t count, size_t at)
{
    const size_t passed = count_edits(edits, count, at, false);

    if (!passed) return at;
    return at <= edits[passed - 1].from.end ? edits[passed - 1].to.end : after_edit(&edits[passed - 1], at);
}

void kept_edits_trace(const KeptEdit *edits, size_t edit_count, Range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Range range = ranges[i];
        ranges[i].begin = trace_begin(edits, edit_count, range.begin);
        ranges[i].end = range.begin == range.end ? ranges[i].begin : trace_end(edits, edit_count, range.end);
    }
}
