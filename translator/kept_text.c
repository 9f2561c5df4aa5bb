/* kept_text.c - see kept_text.h. */
#include "kept_text.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "placeholders.h"
#include "sentences.h"
#include "text_parts.h"
#include "utf8.h"

/* --- Stand-ins: short texts that the model copies, and that are replaced by the kept text in the translation.
 *
 * Measured on sentences of seven held-out sets (community texts, encyclopedia, everyday sentences, speeches, technical
 * texts, FLORES, Tatoeba) with 1, 2 or 3 words (names and terms) that are the same in the translation by people: 260,
 * 260 and 183 sentences for the embedded model, 260, 260 and 189 for a German-English model of the same size. Stand-ins
 * replaced these words. The figures are, for 1, 2 and 3 words, the percentages of sentences in which each stand-in came
 * out exactly once, and the chrF of the text around them (-b 1; the embedded model, then the other):
 *
 *     X1 X2 X3         95 83 65, 42.6 40.8 40.3      94 80 65, 46.7 45.8 45.5
 *     A1 B2 C3         95 84 68, 42.7 40.6 40.2      91 78 70, 46.9 45.9 45.3
 *     8731 8842 8953   96 83 69, 42.5 40.5 39.9      97 22 18, 46.3 43.5 42.8
 *     ZQ7 ZQ8 ZQ9      97 77 55, 42.3 40.7 39.4      91 69 51, 46.6 44.9 44.0
 *     XA XB XC         94 82 64, 42.7 40.8 39.7      94 73 66, 46.7 45.4 45.2
 *     %1 %2 %3         95 78 57, 42.7 40.3 39.6      94 84 67, 47.0 45.7 45.5
 *     [1] [2] [3]      83 54 37, 42.2 39.9 38.7      97 80 65, 46.3 45.4 45.4
 *     {0} {1} {2}       0  0  0, 39.6 36.4 34.5      97 76 61, 46.6 44.9 44.1
 *     __1__ ...         0  0  0, 40.7 35.9 34.7      47  4  1, 44.7 41.4 39.4
 *     Karvenio ...     89 23 15, 42.4 40.3 38.6      76 40 44, 46.3 44.9 44.8 (made-up names)
 *     www.x1.com ...   54 12  3, 41.5 38.6 36.0      97 79 59, 46.4 44.4 42.5
 *     the words        69 41 25, 42.8 40.0 38.8      79 58 35, 46.2 45.2 45.0
 *
 * With -b 4, X1 has 98 90 78 and 97 84 67.
 *
 * Stand-ins for numbers: 600 messages of programs with placeholders of numbers, 49 of them with two. The figures are
 * the percentages of messages with one and with two, the number of translations in which a hyphen joins a stand-in to a
 * word, and the chrF (-b 1; the embedded models en-de, then de-en):
 *
 *     X1 X2            97 100, 122, 49.6      96 92, 10, 46.6
 *     12 15            97  98,  20, 50.8      94 96,  1, 47.0
 *     23 45            97  98,  19, 50.4      96 98,  1, 47.0
 *     37 48            97 100,  37, 50.5      97 98,  2, 46.9
 *     5 7              95  98,  19, 51.2      95 98,  1, 47.0
 *     347 358          97  98,  33, 50.2      96 98,  1, 46.6
 *     8731 8842        97  84,  50, 49.5      95 69,  1, 46.3 */

#define MOST_NAMES 10 /* including the NULL at the end */

/* The best kind first. */
static const char *const kinds[][MOST_NAMES] = {
    { "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", NULL },
    { "A1", "B2", "C3", "D4", "E5", "F6", "G7", "H8", "J9", NULL },
    { "8731", "8842", "8953", "9064", "9175", "9286", "9397", "9518", "9629", NULL },
};

/* Numbers of two digits, since models write small numbers as words. The plural follows them in most languages. */
static const char *const number_names[][MOST_NAMES] = {
    { "23", "45", "67", "18", "34", "56", "78", "89", "26", NULL },
};

/* Encodes the name as a source text. If a line has to begin with a language code, adds the first one. */
static Status encode_source(const Tokenizer *tokenizer, const char *name, Encoding *out, Err *err)
{
    Status st = tokenizer_encode(tokenizer, name, strlen(name), out, err);
    Buf text = { 0 };

    if (st != ERR_USAGE || !tokenizer_facts(tokenizer)->language_count) return st;
    buf_put_format(&text, ">>%s<< %s", tokenizer_facts(tokenizer)->languages[0].name, name);
    st = buf_check(&text, err);
    if (st == OK) st = tokenizer_encode(tokenizer, text.data, text.len, out, err);
    buf_free(&text);
    return st;
}

/* Whether the name consists of known pieces and comes back unchanged from encoding and decoding. */
static Status check_name(const Tokenizer *tokenizer, const char *name, bool *known, Err *err)
{
    Encoding encoding = { .ranges = NULL };
    IdList ids = { 0 };
    Buf text = { 0 };
    Status st = encode_source(tokenizer, name, &encoding, err);

    *known = st == OK && encoding.pieces > 0;
    for (size_t i = 0; *known && i < encoding.pieces; i++)
        *known = encoding.ids.data[encoding.body + i] != tokenizer_facts(tokenizer)->source_unknown;
    if (*known) {
        st = tokenizer_encode_target(tokenizer, name, strlen(name), false, &ids, err);
        if (st == OK) st = tokenizer_decode(tokenizer, ids.data, ids.len, &text, NULL, err);
        *known = st == OK && text.data && !strcmp(text.data, name);
    }
    encoding_free(&encoding);
    ids_free(&ids);
    buf_free(&text);
    return st;
}

/* Sets *out to the first list in names[count] whose names all pass check_name(), or to NULL. If the tokenizer cannot
 * encode text at all, no name passes. */
static Status choose(KeptNames *out, const Tokenizer *tokenizer, const char *const (*names)[MOST_NAMES], size_t count,
                     Err *err)
{
    Status st = OK;

    *out = NULL;
    for (size_t i = 0; st == OK && !*out && i < count; i++) {
        bool known = true;
        for (KeptNames name = names[i]; st == OK && known && *name; name++)
            st = check_name(tokenizer, *name, &known, err);
        if (st == OK && known) *out = names[i];
    }
    return st == ERR_MEMORY ? st : OK;
}

Status kept_names_choose(KeptNames *names, KeptNames *numbers, const Tokenizer *tokenizer, Err *err)
{
    Status st = choose(names, tokenizer, kinds, sizeof kinds / sizeof *kinds, err);

    return st == OK ? choose(numbers, tokenizer, number_names, 1, err) : st;
}

/* --- Extending items to the whole words that they are parts of. */

/* Whether the text has letters or digits between these bytes. */
static bool has_letters(LineText text, Range range)
{
    uint32_t code;

    for (size_t at = range.begin; at < range.end;) {
        at += utf8_next(text.data + at, range.end - at, &code);
        if (text_parts_is_letter(code)) return true;
    }
    return false;
}

/* The range of an item in the sentence. */
static Range item_range(const KeptSource *source, size_t index)
{
    const Range range = source->spans[index].place;

    return (Range){ range.begin - source->offset, range.end - source->offset };
}

/* The code point on the left or right side of the place in the text; 0: the text ends there. */
static uint32_t code_beside(LineText text, Range place, bool left)
{
    return left ? utf8_code_before(text.data, place.begin) : utf8_code_at(text.data, text.len, place.end);
}

/* Whether a part of a word or a number touches the place in the text on its left or right side. A letter of a script
 * that has no case may touch a stand-in: Arabic prefixes and Chinese characters do. */
static bool is_touched(LineText text, Range place, bool left)
{
    const uint32_t code = code_beside(text, place, left);

    return code != UTF8_INVALID && (U_GET_GC_MASK((UChar32)code) & (U_GC_LC_MASK | U_GC_ND_MASK));
}

/* Whether parts of words or numbers touch the place in the text on both sides. The place may be empty. */
static bool is_between_parts(LineText text, Range place)
{
    return is_touched(text, place, true) && is_touched(text, place, false);
}

/* Whether the text has these bytes at byte `at`, and no part of a word or a number touches them. */
static bool is_whole_at(LineText text, size_t at, const char *bytes, size_t size)
{
    const Range place = { at, at + size };

    return place.end <= text.len && memcmp(text.data + at, bytes, size) == 0 && !is_touched(text, place, true) &&
           !is_touched(text, place, false);
}

/* Sets `to` and `prefix` of an edit for each item, edits[source->count]. An item gets the rest of a word that begins or
 * ends in it, as in "%dpx", but nothing of its neighbours: no model translates a part of a word.
 *
 * In the prefix, each item gets at most one place. The prefix is searched from its beginning; of several items that are
 * at the same byte as whole words, the longest gets the place. An item without letters and digits gets no place. */
static void find_parts(KeptEdit *edits, const KeptSource *source)
{
    const LineText text = source->text;
    size_t least = 0;

    for (size_t i = 0; i < source->count; i++) {
        const size_t most = i + 1 < source->count ? item_range(source, i + 1).begin : text.len;
        Range part = item_range(source, i);
        uint32_t code;
        while (part.begin > least && is_between_parts(text, (Range){ part.begin, part.begin }))
            part.begin = utf8_previous(text.data, part.begin, &code);
        while (part.end < most && is_between_parts(text, (Range){ part.end, part.end }))
            part.end += utf8_next(text.data + part.end, text.len - part.end, &code);
        edits[i].to = part;
        least = part.end;
    }
    for (size_t at = 0, size; at < source->prefix.len; at += size) {
        KeptEdit *longest = NULL;
        size = 1;
        for (KeptEdit *edit = edits; edit < edits + source->count; edit++) {
            const size_t length = edit->to.end - edit->to.begin;
            if (edit->prefix.end || (longest && length <= size)) continue;
            if (!is_whole_at(source->prefix, at, text.data + edit->to.begin, length)) continue;
            if (!has_letters(text, edit->to)) continue;
            longest = edit;
            size = length;
        }
        if (longest) longest->prefix = (Range){ at, at + size };
    }
}

/* --- Writing the text without its items, or with stand-ins for them. */

#define NO_BREAK_SPACE 2 /* bytes of U+00A0 */
#define GC_OUTER       (U_GC_PS_MASK | U_GC_PE_MASK | U_GC_PI_MASK | U_GC_PF_MASK)

bool kept_text_is_needed(const KeptSource *source)
{
    size_t at = 0;

    for (size_t i = 0; i < source->count; i++) {
        if (has_letters(source->text, (Range){ at, item_range(source, i).begin })) return true;
        at = item_range(source, i).end;
    }
    return has_letters(source->text, (Range){ at, source->text.len });
}

/* Whether the items around text[begin..end), which is within the sentence, are one group. Brackets, quotation marks and
 * the end of a sentence divide them, and a comma divides numbers, as in December 19, 1967. */
static bool is_joint(const char *text, size_t begin, size_t end)
{
    const bool numbers = char_is_digit(text[begin - 1]) && char_is_digit(text[end]);
    bool mark = false;
    uint32_t code;

    while (begin < end) {
        begin += utf8_next(text + begin, end - begin, &code);
        if (text_parts_is_letter(code) || code == '"' || code == '\'' || (mark && code == ' ') ||
            (U_GET_GC_MASK((UChar32)code) & GC_OUTER))
            return false;
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
static bool ends_with_address(LineText sentence, Range group)
{
    size_t begin = group.end;
    LineText address;

    while (begin > group.begin && (unsigned char)sentence.data[begin - 1] > ' ') begin--;
    if (has_mail_address(sentence.data, begin, group.end)) return true;
    address = (LineText){ sentence.data + begin, group.end - begin };
    if (address.len) address.len--; /* at least one byte must follow :// or www. */
    return text_parts_contain(address, "://") || text_parts_contain(address, "www.");
}

/* The group of items that begins with item *next. *next becomes the first item after the group. `parts` is the result
 * of find_parts(). */
static KeptEdit next_group(const KeptSource *source, const KeptEdit *parts, size_t *next)
{
    const LineText text = source->text;
    const KeptEdit *last = &parts[*next], *end = parts + source->count;
    KeptEdit edit = *last;
    PlaceholderValue value;

    for (++*next; last + 1 < end && !last->prefix.end && !last[1].prefix.end; ++*next, last++)
        if (!is_joint(text.data, last->to.end, item_range(source, *next).begin)) break;
    edit.to.end = last->to.end;
    value = placeholders_at_end(text.data + edit.to.begin, edit.to.end - edit.to.begin);
    edit.is_number = value == VALUE_NUMBER;
    edit.may_be_number = value == VALUE_ANY || edit.is_number;
    edit.is_apart = utf8_is_space(utf8_code_at(text.data, text.len, edit.to.end)) &&
                    (edit.may_be_number || ends_with_address(text, edit.to));
    return edit;
}

/* The first edit whose place in the prefix is at or after byte `at`; NULL if there is none. */
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

/* Adds the brackets or quotation marks directly around the group, between bytes `least` and `most`. */
static Range with_brackets(LineText sentence, size_t least, size_t most, Range group)
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
        if (text_parts_are_at(sentence, group.begin - left, pairs[i][0]) &&
            text_parts_are_at(sentence, group.end, pairs[i][1]))
            return (Range){ group.begin - left, group.end + right };
    }
    return group;
}

/* Adds to the group what is left out with it, between bytes `least` and `most`: brackets; the space before it if
 * another space, a mark or the end of the sentence follows; the space after it if the group `begins` the text. */
static void widen(KeptEdit *edit, LineText sentence, size_t least, size_t most, bool begins)
{
    const Range group = edit->to, outer = with_brackets(sentence, least, most, group);
    const bool before = outer.begin > least && sentence.data[outer.begin - 1] == ' ';
    const bool after = outer.end < most && sentence.data[outer.end] == ' ';
    const uint32_t code = utf8_code_at(sentence.data, sentence.len, outer.end);

    edit->before = before && (after || (!text_parts_is_letter(code) && code != '"' && code != '\'' &&
                                        !(U_GET_GC_MASK((UChar32)code) & (U_GC_PS_MASK | U_GC_PI_MASK))));
    edit->after = after && begins && outer.begin == least;
    if (edit->prefix.end) { /* the brackets are not put back, since the prefix may have its own */
        edit->before += group.begin - outer.begin;
        edit->after += outer.end - group.end;
    } else {
        edit->to = outer;
    }
}

/* The stand-in for an item between two words, the | of yes|no, has spaces around it. They are a part of the stand-in,
 * so they vanish with it. */
Status kept_text_write(KeptText *out, const KeptSource *source, KeptNames names, KeptNames numbers, Err *err)
{
    const LineText sentence = source->text;
    const bool leaves_out = !names;
    KeptEdit *edits = out->edits = calloc(source->count, sizeof *edits);
    size_t next = 0, at = 0;
    Status st;

    if (!edits) return err_memory(err, "the kept parts of a line");
    find_parts(edits, source);
    while (next < source->count) {
        KeptEdit edit = next_group(source, edits, &next);
        const size_t most = next < source->count ? item_range(source, next).begin : sentence.len;
        const char *name = NULL;
        bool divides;
        if (leaves_out) widen(&edit, sentence, at, most, !out->text.len);
        divides = !edit.prefix.end && is_between_parts(sentence, edit.to); /* as in yes|no */
        if (!leaves_out) { /* the next name that neither the sentence nor its translation contains otherwise */
            KeptNames *rest = numbers && edit.is_number && !divides ? &numbers : &names;
            for (; !name && **rest; ++*rest)
                if (!text_parts_contain(sentence, **rest) && !text_parts_contain(source->prefix, **rest) &&
                    !text_parts_contain(source->others, **rest))
                    name = **rest;
            if (!name) {
                out->count = 0;
                break;
            }
        }
        buf_put(&out->text, sentence.data + at, edit.to.begin - edit.before - at);
        edit.from.begin = out->text.len;
        if (name)
            buf_put_format(&out->text, divides ? " %s " : "%s", name);
        else if (divides)
            buf_put_byte(&out->text, ' ');
        edit.from.end = out->text.len;
        edit.group = out->count;
        edits[out->count++] = edit; /* it fits: there are no more groups than items */
        at = edit.to.end + edit.after;
    }
    buf_put(&out->text, sentence.data + at, sentence.len - at);
    st = buf_check(&out->text, err);

    /* The prefix with the stand-ins of the groups that are in it; nothing if there are none. */
    at = 0;
    for (const KeptEdit *edit; st == OK && !leaves_out && (edit = next_edit(out, at));) {
        buf_put(&out->prefix, source->prefix.data + at, edit->prefix.begin - at);
        buf_put(&out->prefix, out->text.data + edit->from.begin, edit->from.end - edit->from.begin);
        at = edit->prefix.end;
    }
    if (at) buf_put(&out->prefix, source->prefix.data + at, source->prefix.len - at);
    return st == OK ? buf_check(&out->prefix, err) : st;
}

void kept_text_free(KeptText *text)
{
    buf_free(&text->text);
    buf_free(&text->prefix);
    free(text->edits);
    *text = (KeptText){ 0 };
}

static int compare_edits(const void *one, const void *other)
{
    const KeptEdit *a = one, *b = other;

    if (a->from.begin != b->from.begin) return a->from.begin < b->from.begin ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* Sorts edits by `from`; edits at the same place by the index of their group. */
static void sort_edits(KeptEdit *edits, size_t count)
{
    if (count) qsort(edits, count, sizeof *edits, compare_edits);
}

bool kept_text_find(const KeptText *text, LineText translation, KeptEdit *edits)
{
    for (size_t i = 0; i < text->count; i++) {
        const Range from = text->edits[i].from;
        const size_t spaces = from.begin < from.end && text->text.data[from.begin] == ' ';
        const char *name = text->text.data + from.begin + spaces;
        const size_t size = from.end - from.begin - 2 * spaces;
        Range *place = &edits[i].from;
        size_t count = 0;
        edits[i] = (KeptEdit){ .group = i };
        for (size_t at = 0; at + size <= translation.len; at++) {
            if (!is_whole_at(translation, at, name, size)) continue;
            *place = (Range){ at, at + size };
            count++;
        }
        if (count != 1) return false;
        if (!spaces) continue;
        /* It must not have lost its spaces. */
        if (!place->begin || translation.data[place->begin - 1] != ' ' ||
            !text_parts_are_at(translation, place->end, " "))
            return false;
        *place = (Range){ place->begin - 1, place->end + 1 };
    }
    sort_edits(edits, text->count);
    for (size_t i = 1; i < text->count; i++)
        if (edits[i].from.begin < edits[i - 1].from.end) return false; /* two stand-ins share a space */
    return true;
}

/* The model was forced to write the prefix: it is in the first `forced` bytes of the translation. Finds the groups of
 * the prefix there, in the order that they have in the prefix, and sets `from` of their edits (edits[i] is of group i).
 * If a group is not found, its edit does not change: the tokenizer replaced its characters, or its last word goes on
 * after the prefix. */
static void find_in_forced(const KeptSentence *s, KeptEdit *edits)
{
    size_t at = 0;

    for (const KeptEdit *edit = next_edit(s->text, 0); edit; edit = next_edit(s->text, edit->prefix.end)) {
        const size_t size = edit->to.end - edit->to.begin;
        size_t place = at;
        while (place + size <= s->forced &&
               !is_whole_at(s->translation, place, s->sentence.data + edit->to.begin, size))
            place++;
        if (place + size > s->forced) continue;
        at = place + size;
        edits[edit - s->text->edits].from = (Range){ place, at };
    }
}

static bool is_no_break_space(LineText text, size_t at)
{
    return text_parts_are_at(text, at, "\xc2\xa0");
}

/* Turns the spaces around an edit into no-break spaces where the sentence has them, because models only write ordinary
 * spaces. A space that the translation has there, between bytes `least` and `most`, becomes a part of the edit. */
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

static void put_space(Buf *out, size_t bytes)
{
    buf_put(out, bytes == NO_BREAK_SPACE ? "\xc2\xa0" : " ", bytes);
}

Status kept_text_put(const KeptText *text, LineText sentence, LineText translation, KeptEdit *edits, Buf *out, Err *err)
{
    const size_t start = out->len;
    size_t at = 0;

    for (size_t i = 0; i < text->count; i++) {
        const KeptEdit *source = &text->edits[edits[i].group];
        const Range group = source->to;
        const size_t most = i + 1 < text->count ? edits[i + 1].from.begin : translation.len;
        keep_no_break_spaces(&edits[i], source, sentence, translation.data, at, most);
        buf_put(out, translation.data + at, edits[i].from.begin - at);
        put_space(out, edits[i].before);
        edits[i].to.begin = out->len - start;
        buf_put(out, sentence.data + group.begin, group.end - group.begin);
        edits[i].to.end = out->len - start;
        put_space(out, edits[i].after);
        at = edits[i].from.end;
        /* Replace the hyphen between the group and a word by a space. After a number, only before a capital letter: in
         * German, 5-jährig is a word. */
        if (source->is_apart && at < most && translation.data[at] == '-') {
            const uint32_t code = utf8_code_at(translation.data, translation.len, at + 1);
            if (code != UTF8_INVALID && (source->may_be_number ? u_isupper((UChar32)code) : u_isalpha((UChar32)code))) {
                buf_put_byte(out, ' ');
                at++;
            }
        }
    }
    buf_put(out, translation.data + at, translation.len - at);
    return buf_check(out, err);
}

/* Returns the place to which the edits move byte `at`, the beginning of a range or, with `is_end`, its end. */
static size_t trace(const KeptEdit *edits, size_t count, size_t at, bool is_end)
{
    const size_t most = is_end ? at : at + 1; /* only edits that begin before this byte count */
    const KeptEdit *last;
    size_t next;

    FIND_FIRST(next, count, edits[next].from.begin >= most);
    if (!next) return at;
    last = &edits[next - 1];
    if (at < last->from.end || (is_end && at == last->from.end)) return is_end ? last->to.end : last->to.begin;
    return last->to.end + last->after + at - last->from.end;
}

void kept_edits_trace(const KeptEdit *edits, size_t edit_count, Range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Range range = ranges[i];
        ranges[i].begin = trace(edits, edit_count, range.begin, false);
        ranges[i].end = range.begin == range.end ? ranges[i].begin : trace(edits, edit_count, range.end, true);
    }
}

/* --- Places by attention. */

/* Whether something may be inserted at byte `at`: a word ends before it, or a mark or a space is there. */
static bool is_between_words(LineText text, size_t at)
{
    const uint32_t before = utf8_code_before(text.data, at), after = utf8_code_at(text.data, text.len, at);

    if (!at || at == text.len) return true;
    if (before == UTF8_INVALID || after == UTF8_INVALID || utf8_is_space(before)) return false;
    if (utf8_is_space(after) || sentence_is_unspaced(before) || sentence_is_unspaced(after)) return true;
    /* True before marks at the end of a word, but not before the comma of 1,5 or the hyphen of a compound. */
    for (uint32_t code = after; at < text.len && !utf8_is_space(code);) {
        at += utf8_next(text.data + at, text.len - at, &code);
        if (text_parts_is_letter(code)) return false;
    }
    return true;
}

/* Returns the first source token, from `right` on, whose middle is not before `place`, the place of a group. */
static size_t find_right(const RangeList *sources, size_t place, size_t right)
{
    while (right < sources->len && sources->data[right].begin + sources->data[right].end < 2 * place) right++;
    return right;
}

/* Sets *source to the index in the sentence of source token `i` of the block. Returns false if it has no text. */
static bool read_source(const KeptSentence *s, const AlignmentBlock *block, size_t i, size_t *source)
{
    *source = block->sources[i] - s->first_source;
    return *source < s->sources->len && s->sources->data[*source].begin < s->sources->data[*source].end;
}

/* The best place so far, and the sum of kept_places_find() up to the current token. */
typedef struct {
    size_t place;
    double most, sum;
} BestPlace;

static void search_block(const KeptSentence *s, const AlignmentBlock *block, size_t right, BestPlace *best)
{
    for (size_t t = 0; t < block->targets; t++) {
        const Range token = s->targets->data[block->first - s->first_target + t];
        const float *values = block->values + t * block->source_count;
        double side = 0; /* B(t) - A(t) */
        for (size_t i = 0; i < block->source_count; i++) {
            size_t source;
            if (!read_source(s, block, i, &source)) continue;
            if (source < right)
                side += (double)values[i] / (double)(right - source);
            else
                side -= (double)values[i] / (double)(source - right + 1);
        }
        best->sum += side;
        if (best->sum <= best->most || token.begin == token.end) continue;
        if (!is_between_words(s->translation, token.end)) continue;
        best->place = token.end;
        best->most = best->sum;
    }
}

/* Returns the index in the sentence after the last source token of the block that has text. */
static size_t sources_end(const KeptSentence *s, const AlignmentBlock *block)
{
    size_t source = 0;

    for (size_t i = block->source_count; i > 0; i--)
        if (read_source(s, block, i - 1, &source)) return source + 1;
    return 0;
}

/* Returns the place of the group before source token `right`. Searches the first block, from *block on, that reaches
 * the group (or the last block). If the group is between this block and the next one, searches both. */
static size_t find_place(const KeptSentence *s, const AlignmentBlock **block, size_t right)
{
    const AlignmentBlock *last = s->alignment->blocks + s->alignment->count - 1;
    BestPlace best = { 0 };
    size_t first;

    while (*block < last && sources_end(s, *block) < right) ++*block;
    first = (*block)->first - s->first_target;
    best.place = first ? s->targets->data[first - 1].end : 0;
    search_block(s, *block, right, &best);
    if (*block < last && sources_end(s, *block) == right) search_block(s, *block + 1, right, &best);
    return best.place;
}

/* Whether a word touches the group in the sentence, as in "{0}red", and the translation of this word is beside the
 * group in the translation. */
static bool touches_word(const KeptSentence *s, const KeptEdit *edit, bool left)
{
    const KeptEdit *source_edit = &s->text->edits[edit->group];
    const Range *sources = s->sources->data;
    const char *text = s->text->text.data;
    size_t source = find_right(s->sources, source_edit->from.begin, 0), target = 0, best = 0, at;
    AlignmentRow row;
    float most = 0;

    if (!text_parts_is_letter(code_beside(s->sentence, source_edit->to, left))) return false;
    while (target < s->targets->len && s->targets->data[target].end <= edit->from.begin) target++;
    if (left && (!source-- || !target--)) return false;
    if (source >= s->sources->len) return false;

    /* The source token that the target token translates most probably. */
    row = soft_alignment_row(s->alignment, s->first_target + target);
    for (size_t i = 0; i < row.count; i++) {
        const size_t number = row.sources[i] - s->first_source;
        if (row.values[i] <= most || number >= s->sources->len) continue;
        most = row.values[i];
        best = number;
    }
    if (!(most > 0) || best == source) return most > 0;

    /* Both must be parts of one word. */
    const Range first = sources[best < source ? best : source];
    const size_t end = sources[best < source ? source : best].end;
    for (at = first.begin + utf8_leading_space(text + first.begin, first.end - first.begin); at < end;) {
        uint32_t code;
        at += utf8_next(text + at, end - at, &code);
        if (!text_parts_is_letter(code)) return false;
    }
    return true;
}

/* Whether a space is needed between the group and the character on its left or right side, at byte `at` of the
 * translation. None is needed beside a character of a script without spaces, beside a character that also touches the
 * group in the sentence, or before a mark on the right side. */
static bool needs_space(const KeptSentence *s, Range group, bool left, size_t at)
{
    const uint32_t own =
        left ? utf8_code_at(s->sentence.data, group.end, group.begin) : utf8_code_before(s->sentence.data, group.end);
    const uint32_t beside = code_beside(s->translation, (Range){ at, at }, left);

    if (left ? !at : !text_parts_is_letter(beside)) return false;
    return !utf8_is_space(beside) && !utf8_is_space(own) && !sentence_is_dense(beside) &&
           beside != code_beside(s->sentence, group, left);
}

/* Sets the spaces around the groups that are not in the prefix. Groups at the same place are divided by a space. */
static void set_spaces(const KeptSentence *s, KeptEdit *edits)
{
    const size_t count = s->text->count;

    for (size_t i = 0; i < count; i++) {
        KeptEdit *edit = &edits[i];
        const Range group = s->text->edits[edit->group].to;
        const size_t place = edit->from.begin;
        const bool is_last = i + 1 == count || edits[i + 1].from.begin > place;
        bool left, right;
        if (edit->from.end > place) continue; /* it is in the prefix */
        left = touches_word(s, edit, true);
        right = touches_word(s, edit, false);
        edit->before = !left && needs_space(s, group, true, place);
        edit->after = !right && needs_space(s, group, false, place);
        if (right && is_last && text_parts_are_at(s->translation, place, " ")) {
            edit->from.end++; /* the space goes before the group */
            edit->before = !left;
        }
        if (i && edits[i - 1].from.begin == place && !edits[i - 1].after) edit->before = 1;
    }
}

void kept_places_find(const KeptSentence *s, KeptEdit *edits)
{
    const AlignmentBlock *block = soft_alignment_block(s->alignment, s->first_target);
    size_t first = s->forced, right = 0;

    /* `first` becomes the first place between words after the forced prefix. */
    while (first && first < s->translation.len && !is_between_words(s->translation, first)) first++;
    for (size_t i = 0; i < s->text->count; i++) {
        size_t place = 0;
        right = find_right(s->sources, s->text->edits[i].from.begin, right);
        if (block) place = find_place(s, &block, right);
        if (place < first) place = first;
        edits[i] = (KeptEdit){ .from = { place, place }, .group = i };
    }
    find_in_forced(s, edits);
    sort_edits(edits, s->text->count);
    set_spaces(s, edits);
}
