/* cue_lines.c - see cue_lines.h. */
#include "cue_lines.h"

#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "html_entities.h"
#include "utf8.h"

#define LONGEST_TAG   ((size_t)200)
#define LONGEST_SOUND ((size_t)200) /* bytes */
#define LONGEST_NAME  40            /* characters */

/* Finds the line without its kind. */
static CueLine line_at(const CueReader *r, size_t at)
{
    CueLine line = { .begin = at, .end = at };

    while (line.end < r->end && r->bytes[line.end] != '\n' && r->bytes[line.end] != '\r') line.end++;
    line.next = line.end + (line.end < r->end);
    if (line.next < r->end && r->bytes[line.end] == '\r' && r->bytes[line.next] == '\n') line.next++;
    return line;
}

static bool has_arrow(const CueReader *r, const CueLine *line)
{
    for (size_t at = line->begin; at + 3 <= line->end; at++)
        if (memcmp(r->bytes + at, "-->", 3) == 0) return true;
    return false;
}

static bool has_only(const CueReader *r, const CueLine *line, const char *set)
{
    for (size_t at = line->begin; at < line->end; at++)
        if (!r->bytes[at] || !strchr(set, r->bytes[at])) return false;
    return true;
}

static bool is_number(const CueReader *r, const CueLine *line)
{
    CueLine next;

    if (line->next >= r->end || (!r->is_vtt && !has_only(r, line, "0123456789 \t"))) return false;
    next = line_at(r, line->next);
    return has_arrow(r, &next);
}

CueLine cue_lines_read(const CueReader *r, size_t at)
{
    CueLine line = line_at(r, at);

    line.kind = has_only(r, &line, " \t") ? CUE_BLANK
                : has_arrow(r, &line)     ? CUE_TIMES
                : is_number(r, &line)     ? CUE_NUMBER
                                          : CUE_TEXT;
    return line;
}

/* Returns the length of the entity at byte `at`, which it reports; 0: there is none. */
static size_t report_entity(const CueReader *r, size_t at, size_t end)
{
    char text[HTML_ENTITY_BYTES];
    size_t size;
    const size_t length = r->is_vtt ? html_entity_read(r->bytes + at, end - at, false, text, &size) : 0;

    if (length) document_builder_spelled(r->builder, text, size, at, at + length);
    return length;
}

/* Returns the length of \\N at byte `at`, which ends a line in cues that were converted from Advanced SubStation Alpha,
 * and which it reports; 0: there is none. */
static size_t report_line_end(const CueReader *r, size_t at, size_t end)
{
    static const char mark[] = "\\N";
    const size_t length = sizeof mark - 1;

    if (r->is_vtt || end - at < length || memcmp(r->bytes + at, mark, length) != 0) return 0;
    document_builder_line_end(r->builder, at, at + length);
    return length;
}

static bool is_music(uint32_t code)
{
    return code >= 0x2669 && code <= 0x266c; /* kinds of notes */
}

/* Returns the length of a note of music at byte `at`, which it reports, because models drop or double them; 0: there is
 * none. */
static size_t report_music(const CueReader *r, size_t at, size_t end)
{
    uint32_t code;
    const size_t length = utf8_next(r->bytes + at, end - at, &code);

    if (!is_music(code)) return 0;
    document_builder_empty(r->builder, at, at + length);
    return length;
}

/* Returns where the text begins after the reading over a word, <rt>, whose end tag may be missing before that of the
 * <ruby>; `at` if there is none. */
static size_t reading_end(const CueReader *r, size_t at, size_t end)
{
    static const char *const open[] = { "<rt>", "<rt." }, close[] = "</rt>", outer[] = "</ruby>";

    if (!r->is_vtt || end - at < 4 ||
        (memcmp(r->bytes + at, open[0], 4) != 0 && memcmp(r->bytes + at, open[1], 4) != 0))
        return at;
    for (size_t i = at; i < end && i - at < LONGEST_TAG; i++) {
        if (end - i >= sizeof close - 1 && memcmp(r->bytes + i, close, sizeof close - 1) == 0)
            return i + sizeof close - 1;
        if (end - i >= sizeof outer - 1 && memcmp(r->bytes + i, outer, sizeof outer - 1) == 0) return i;
    }
    return at;
}

/* Returns the end of what was reported. */
static size_t report_part(const CueReader *r, size_t at, size_t end)
{
    size_t next = reading_end(r, at, end), length = cue_lines_tag_length(r, at, end);

    if (next > at) {
        document_builder_empty(r->builder, at, next);
        return next;
    }
    if (length) {
        cue_lines_report_tag(r, at, at + length);
        return at + length;
    }
    if (r->is_vtt && cue_lines_starts_tag(r->bytes + at, end - at)) { /* a tag without an end */
        document_builder_empty(r->builder, at, at + 1);
        return at + 1;
    }
    if (r->bytes[at] == '&') length = report_entity(r, at, end);
    if (r->bytes[at] == '\\') length = report_line_end(r, at, end);
    if (r->bytes[at] == '\xe2') length = report_music(r, at, end);
    if (length) return at + length;
    do next++;
    while (next < end && !strchr("<{&\\\xe2", r->bytes[next]));
    document_builder_plain(r->builder, at, next);
    return next;
}

/* Returns the length of three or more dots, or of the character for them, at byte `at`; 0: there are none. */
static size_t dots_length(const CueReader *r, size_t at, size_t end)
{
    size_t dots = at;

    if (end - at >= 3 && memcmp(r->bytes + at, "\xe2\x80\xa6", 3) == 0) return 3;
    while (dots < end && r->bytes[dots] == '.') dots++;
    return dots - at < 3 ? 0 : dots - at;
}

size_t cue_lines_words_begin(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t at = line->begin;

    if (tag) *tag = (Range){ at, at };
    while (at < line->end) {
        const size_t length = cue_lines_tag_length(r, at, line->end), dots = dots_length(r, at, line->end);
        const CueStyle style = cue_lines_style(r, at, length);
        const bool has_style = style.name.end > style.name.begin;
        if (tag && has_style && !style.closes && tag->begin == tag->end)
            *tag = style.name;
        else if (!dots && !char_is_blank(r->bytes[at]) &&
                 (has_style || !length || !(r->bytes[at] == '{' || cue_lines_is_speaker(r, at, length))))
            return at;
        at += length ? length : dots ? dots : 1;
    }
    return line->begin; /* it has no words */
}

/* Where the closing tag that ends at byte `end` begins; `end` if there is none. */
static size_t end_tag_begin(const CueReader *r, size_t begin, size_t end)
{
    size_t at = end;
    char open;

    if (at - begin < 4 || (r->bytes[at - 1] != '>' && r->bytes[at - 1] != '}')) return end;
    open = r->bytes[at - 1] == '>' ? '<' : '{';
    for (at--; at > begin && r->bytes[at] != open && end - at < LONGEST_TAG;) at--;
    if (r->bytes[at] != open || cue_lines_tag_length(r, at, end) != end - at) return end;
    return r->bytes[at + 1] == '/' || cue_lines_style(r, at, end - at).closes ? at : end;
}

/* Where the dots that end at byte `end` begin; `end` if there are none. */
static size_t dots_begin(const CueReader *r, size_t begin, size_t end)
{
    size_t at = end;

    while (at > begin && r->bytes[at - 1] == '.') at--;
    if (end - at >= 3) return at;
    return end - begin >= 3 && dots_length(r, end - 3, end) ? end - 3 : end;
}

size_t cue_lines_words_end(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t end = line->end, at = end_tag_begin(r, line->begin, end);

    *tag = (Range){ end, end };
    if (r->is_vtt && end - at == 4 && r->bytes[at + 2] == 'v') end = at; /* </v> */
    at = end_tag_begin(r, line->begin, end);
    if (at < end && dots_begin(r, line->begin, at) < at) {
        *tag = cue_lines_style(r, at, end - at).name;
        end = at;
    }
    end = dots_begin(r, line->begin, end);
    while (end > line->begin && char_is_blank(r->bytes[end - 1])) end--;
    if (end > cue_lines_words_begin(r, &(CueLine){ .begin = line->begin, .end = end }, NULL)) return end;
    *tag = (Range){ line->end, line->end };
    return line->end;
}

bool cue_lines_has_times(const CueReader *r, const CueLine *line)
{
    for (size_t at = line->begin; at + 1 < line->end; at++)
        if (r->bytes[at] == '<' && r->bytes[at + 1] >= '0' && r->bytes[at + 1] <= '9' &&
            cue_lines_tag_length(r, at, line->end))
            return true;
    return false;
}

Range cue_lines_speaker(const CueReader *r, const CueLine *line)
{
    const size_t length = line->begin < line->end ? cue_lines_tag_length(r, line->begin, line->end) : 0;

    if (!length || !cue_lines_is_speaker(r, line->begin, length)) return (Range){ line->begin, line->begin };
    return (Range){ line->begin, line->begin + length };
}

/* Reads a character or a tag, and returns its length. *code: 0 for a tag or a space. */
static size_t read_character(const CueReader *r, size_t at, size_t end, uint32_t *code)
{
    size_t length = cue_lines_tag_length(r, at, end);

    *code = 0;
    if (length) return length;
    length = utf8_next(r->bytes + at, end - at, code);
    if (utf8_is_space(*code)) *code = 0;
    return length;
}

/* Reads the next character of the line, not counting tags and spaces; an entity of WebVTT is one character. */
static uint32_t next_character(const CueReader *r, size_t *at, size_t end)
{
    uint32_t code = 0;

    while (*at < end && !code) {
        char text[HTML_ENTITY_BYTES];
        size_t size;
        const size_t entity =
            r->is_vtt && r->bytes[*at] == '&' ? html_entity_read(r->bytes + *at, end - *at, false, text, &size) : 0;
        if (entity) utf8_next(text, size, &code);
        *at += entity ? entity : read_character(r, *at, end, &code);
    }
    return code;
}

/* Returns where the text begins after the >> of a new speaker, which is no part of it. */
static size_t skip_arrows(const CueReader *r, const CueLine *line)
{
    size_t at = line->begin, next = at, count = 0;

    for (; next_character(r, &next, line->end) == '>'; at = next) count++;
    return count > 1 ? at : line->begin;
}

void cue_lines_report(const CueReader *r, const CueLine *line)
{
    for (size_t at = skip_arrows(r, line); at < line->end && !document_builder_failed(r->builder);)
        at = report_part(r, at, line->end);
}

/* Whether a word after these may continue the sentence of the line before. */
static bool may_precede_word(uint32_t code)
{
    return code == '.' || code == 0x2026 || code == '(' || code == '[';
}

/* The first character of the words: not in a tag, and no dot or bracket before them; 0: there is none. */
static uint32_t first_character(const CueReader *r, const CueLine *line)
{
    for (size_t at = line->begin; at < line->end;) {
        uint32_t code;
        at += read_character(r, at, line->end, &code);
        if (code && !may_precede_word(code)) return code;
    }
    return 0;
}

/* Finds the last two characters outside of tags; 0: there is none. */
static uint32_t last_character(const CueReader *r, const CueLine *line, uint32_t *before)
{
    uint32_t last = 0;

    *before = 0;
    for (size_t at = line->begin; at < line->end;) {
        uint32_t code;
        at += read_character(r, at, line->end, &code);
        if (!code) continue;
        *before = last;
        last = code;
    }
    return last;
}

static bool is_comma(uint32_t code)
{
    return code == ',' || code == 0xff0c || code == 0x3001;
}

/* Whether the line begins with the word "I", as in "I'm". */
static bool begins_with_pronoun(const CueReader *r, const CueLine *line)
{
    uint32_t code;
    size_t at = line->begin;

    do at += read_character(r, at, line->end, &code);
    while (!code && at < line->end);
    if (code != 'I') return false;
    if (at == line->end) return true;
    utf8_next(r->bytes + at, line->end - at, &code);
    return !u_isalnum((UChar32)code);
}

bool cue_lines_end_sentence(const CueReader *r, const CueLine *line, const CueLine *next)
{
    const uint32_t first = first_character(r, next);
    uint32_t before;
    const uint32_t last = last_character(r, line, &before);

    if (last == '?' || last == '!' || (last == '.' && before != '.')) return true;
    if (is_comma(last) && u_isalnum((UChar32)first)) return false;
    return !u_islower((UChar32)first) && !begins_with_pronoun(r, next);
}

bool cue_lines_is_dash(uint32_t code)
{
    return code == '-' || code == 0x2010 || code == 0x2013 || code == 0x2014;
}

/* Whether the line begins with the name of a speaker in capitals and a colon: MR. O'NEIL #2: What the speaker says does
 * not begin with a small letter, as the rest of a sentence does. */
static bool begins_with_speaker(const CueReader *r, const CueLine *line)
{
    size_t at = line->begin, capitals = 0;
    uint32_t code = 0;

    for (size_t i = 0; i < LONGEST_NAME && at < line->end; i++) {
        code = next_character(r, &at, line->end);
        if (code == ':')
            return capitals > 1 && (at == line->end || char_is_space(r->bytes[at])) &&
                   !u_islower((UChar32)next_character(r, &at, line->end));
        if (u_isalpha((UChar32)code) && !u_isupper((UChar32)code)) return false;
        if (!u_isalnum((UChar32)code) && !(code && code < 0x80 && strchr(".'-#&", (int)code)) && code != 0x2019)
            return false;
        capitals += u_isupper((UChar32)code) != 0;
    }
    return false;
}

/* Whether the line begins with a sound or a speaker in brackets, which may close on another line. Brackets within a
 * sentence begin with a small letter, and a small letter or a comma follows them. */
static bool begins_with_sound(const CueReader *r, const CueLine *line)
{
    const size_t end = r->end - line->begin < LONGEST_SOUND ? r->end : line->begin + LONGEST_SOUND;
    size_t at = line->begin;
    const uint32_t open = next_character(r, &at, line->end);
    uint32_t code;

    if (open != '[' && open != '(') return false;
    code = next_character(r, &at, line->end);
    if (!u_islower((UChar32)code)) return true;
    while (code && code != (open == '[' ? ']' : ')')) code = next_character(r, &at, end);
    if (!code) return true;
    code = next_character(r, &at, line_at(r, at).end);
    return !u_islower((UChar32)code) && !is_comma(code);
}

bool cue_lines_begins_text(const CueReader *r, const CueLine *line)
{
    size_t at = line->begin;
    const uint32_t code = next_character(r, &at, line->end);

    if (cue_lines_is_dash(first_character(r, line)) || is_music(code)) return true;
    if (code == '#') return at < line->end && char_is_space(r->bytes[at]);
    if (skip_arrows(r, line) > line->begin) return true;
    return begins_with_speaker(r, line) || begins_with_sound(r, line);
}

bool cue_lines_ends_text(const CueReader *r, const CueLine *line)
{
    size_t at = line->begin;
    const uint32_t first = next_character(r, &at, line->end);
    uint32_t before;
    const uint32_t last = last_character(r, line, &before);

    if (is_music(last)) return true;
    return (first == '[' && last == ']') || (first == '(' && last == ')') || (first == '#' && last == '#');
}
