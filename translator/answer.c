/* answer.c - see answer.h. */
#include "answer.h"

#include <string.h>

#include "chars.h"
#include "utf8.h"

#define WIDE_COLON "\xef\xbc\x9a" /* U+FF1A */

/* A part of the answer, or of the source. */
typedef struct {
    const char *text; /* the whole */
    size_t begin, end;
} Part;

static Part trimmed(Part part)
{
    part.begin += utf8_leading_space(part.text + part.begin, part.end - part.begin);
    part.end -= utf8_trailing_space(part.text + part.begin, part.end - part.begin);
    return part;
}

static bool starts_with(Part part, const char *text)
{
    return chars_begin_case(part.text, part.begin, part.end, text);
}

static bool ends_with(Part part, const char *text)
{
    return chars_end(part.text, part.begin, part.end, text);
}

static bool ends_in_colon(Part part)
{
    return ends_with(part, ":") || ends_with(part, WIDE_COLON);
}

/* The first line of the part, or the first lines that no blank line divides. */
static Part first_lines(Part part, bool paragraph)
{
    for (size_t at = part.begin; at < part.end; at++) {
        size_t next = at + 1;
        if (part.text[at] != '\n') continue;
        while (next < part.end && (part.text[next] == ' ' || part.text[next] == '\r')) next++;
        if (!paragraph || (next < part.end && part.text[next] == '\n')) return (Part){ part.text, part.begin, at };
    }
    return part;
}

/* What begins a line that comments on the translation before it. */
static bool is_comment(Part part)
{
    static const char *const begins[] = { "note", "(note", "explanation", "translation", "*", "---", "注", "（注" };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (starts_with(part, begins[i])) return true;
    return false;
}

/* Phrases of models that do not translate. */
static bool is_refusal(Part part, Part source)
{
    static const char *const phrases[] = { "as an ai ",
                                           "as a language model",
                                           "i can't assist",
                                           "i cannot assist",
                                           "i can't help with",
                                           "i cannot translate",
                                           "i can't translate",
                                           "unable to translate",
                                           "please provide the text",
                                           "我无法翻译",
                                           "请提供" };

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        bool found = false, own = false;
        for (Part at = part; at.begin < at.end && !found; at.begin++) found = starts_with(at, phrases[i]);
        for (Part at = source; at.begin < at.end && !own; at.begin++) own = starts_with(at, phrases[i]);
        if (found && !own) return true;
    }
    return false;
}

/* Removes the thoughts before an answer; without their end, there is no answer. */
static Part without_thoughts(Part part)
{
    static const char end[] = "</think>";

    if (!starts_with(part, "<think>")) return part;
    while (part.begin < part.end && !starts_with(part, end)) part.begin++;
    if (part.begin < part.end) part.begin += strlen(end);
    return trimmed(part);
}

/* Removes a label before the translation, as in "German: Hallo". */
static Part without_label(Part part, const char *language)
{
    const char *const labels[] = { "translation", "translated text", "译文", "翻译", language };
    static const char *const colons[] = { ":", WIDE_COLON };

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        Part rest = part;
        if (!labels[i] || !*labels[i] || !starts_with(part, labels[i])) continue;
        rest.begin += strlen(labels[i]);
        for (size_t k = 0; k < 2; k++) {
            if (!starts_with(rest, colons[k])) continue;
            rest.begin += strlen(colons[k]);
            return trimmed(rest);
        }
    }
    return part;
}

/* Removes a pair of quotation marks around the translation. */
static Part without_quotes(Part part, Part source)
{
    static const char *const pairs[][2] = {
        { "\"", "\"" }, { "'", "'" }, { "“", "”" }, { "„", "“" }, { "«", "»" }, { "»", "«" }, { "「", "」" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (starts_with(source, pairs[i][0])) return part;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const size_t open = strlen(pairs[i][0]), close = strlen(pairs[i][1]);
        Part inner = { part.text, part.begin + open, part.end - close };
        bool is_pair =
            part.end - part.begin > open + close && starts_with(part, pairs[i][0]) && ends_with(part, pairs[i][1]);
        for (Part at = inner; is_pair && at.begin < at.end; at.begin++)
            is_pair = !starts_with(at, pairs[i][0]) && !starts_with(at, pairs[i][1]);
        if (is_pair) return trimmed(inner);
    }
    return part;
}

static size_t limit(size_t at, Part part)
{
    return (at < part.begin ? part.begin : at > part.end ? part.end : at) - part.begin;
}

bool answer_clean(Buf *text, RangeList *ranges, LineText source, const char *language)
{
    const Part given = trimmed((Part){ source.data, 0, source.len });
    const bool own_colon = memchr(source.data, ':', source.len) || ends_in_colon(given);
    Part part = { text->data, 0, text->len }, head;
    bool chatter = false;

    if (!text->len) return false;
    part = trimmed(part);
    if (!starts_with(given, "<think>")) part = without_thoughts(part);
    head = first_lines(part, false);
    if (head.end < part.end && ends_in_colon(trimmed(head)) && !ends_in_colon(given)) { /* "Here is the translation:" */
        part.begin = head.end;
        part = trimmed(part);
        chatter = true;
    }
    head = first_lines(part, true);
    chatter |= head.end < part.end;
    part = trimmed(head);
    for (size_t at = part.begin; at < part.end; at++) {
        if (text->data[at] == '\r') text->data[at] = ' ';
        if (text->data[at] != '\n') continue;
        if (is_comment(trimmed((Part){ part.text, at, part.end }))) {
            part.end = at;
            part = trimmed(part);
            chatter = true;
        } else {
            text->data[at] = ' ';
        }
    }
    if (!own_colon) part = without_label(part, language);
    part = without_quotes(part, given);
    chatter |= is_refusal(part, given);
    for (size_t i = 0; ranges && i < ranges->len; i++) {
        Range *range = &ranges->data[i];
        *range = (Range){ limit(range->begin, part), limit(range->end, part) };
    }
    text->len = part.end - part.begin;
    memmove(text->data, text->data + part.begin, text->len);
    text->data[text->len] = '\0';
    return chatter;
}
