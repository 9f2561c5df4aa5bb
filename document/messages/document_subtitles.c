/* document_subtitles.c - SubRip and WebVTT. A unit is the text of a cue, or of one speaker, sound or song in it. A
 * sentence that goes on in the next cue is one unit: the numbers and times between the cues are an empty element, whose
 * place in the translation divides it over the cues. */
#include <stdio.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "document_formats.h"
#include "html.h"
#include "utf8.h"

#define LONGEST_TAG   ((size_t)200)
#define LONGEST_SPAN  ((size_t)500) /* of {\i1}...{\r} */
#define LONGEST_SOUND ((size_t)200) /* bytes */
#define LONGEST_NAME  40            /* characters */

typedef enum {
    CUE_BLANK,
    CUE_TIMES,  /* contains --> */
    CUE_NUMBER, /* the number or name of a cue: directly before the times; a name only begins a block */
    CUE_TEXT
} CueLineKind;

typedef struct {
    CueLineKind kind;
    size_t begin, end, next; /* without and with the line break */
} CueLine;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end;
    bool is_vtt; /* entities; the line before the times may be any name */
} CueReader;

/* --- Tags in cues: <i>, {i}, and the override blocks of Advanced SubStation Alpha, {\i1} --- */

/* Whether a tag may begin at bytes[0], of length > 0 bytes. */
static bool starts_tag(const char *bytes, size_t length)
{
    const unsigned char next = length > 1 ? (unsigned char)bytes[1] : 0;
    const size_t name = next == '/' ? 2 : 1;

    if (bytes[0] == '{') /* also {b} and {/b}, another spelling of <b> */
        return next == '\\' ||
               (length >= name + 2 && bytes[name + 1] == '}' && bytes[name] && strchr("bius", bytes[name]));
    return bytes[0] == '<' && next < 0x80 && (u_isalnum(next) || next == '/');
}

/* Returns the length of the tag at byte `at`: <i>, </i>, <00:00:01.000>, {\an8}, {b}. 0: there is no tag. */
static size_t tag_length(const CueReader *r, size_t at, size_t end)
{
    const char close = r->bytes[at] == '<' ? '>' : '}';

    if (!starts_tag(r->bytes + at, end - at)) return 0;
    for (size_t i = at + 1; i < end && i - at < LONGEST_TAG; i++)
        if (r->bytes[i] == close) return i + 1 - at;
    return 0;
}

/* The name of a tag as a key, without classes: <c.yellow> is closed by </c>. */
static uint64_t key_of(const CueReader *r, size_t name, size_t end)
{
    uint64_t key = 0;

    for (; name < end && u_isalnum((UChar32)(unsigned char)r->bytes[name]); name++)
        key = key * 131 + ((unsigned char)r->bytes[name] | 0x20);
    return key;
}

typedef enum {
    TAG_OTHER, /* sets a position, or styles on and off; or is a time */
    TAG_OPENS, /* sets styles */
    TAG_CLOSES /* sets them back: </i>, {\i0}, {\c}, {\r} */
} TagKind;

typedef struct {
    size_t length; /* 0: there is no tag */
    TagKind kind;
    bool is_reset;   /* of all styles */
    bool is_speaker; /* of WebVTT: <v Tom> or <v.loud Tom> */
    uint64_t key;    /* of the styles, in any order */
    Range name;      /* of the first style; empty: there is none, or the tag is one of a speaker */
} CueTag;

/* Reads the block of a tag at byte `at`, {\i1}. Only some commands change how the text after them looks; the others
 * have one effect on all of the cue. */
static void read_block(const CueReader *r, size_t at, CueTag *tag)
{
    static const char styles[] =
        "i b u s c 1c 2c 3c 4c alpha 1a 2a 3a 4a fn fs fsp fscx fscy bord xbord ybord shad xshad "
        "yshad blur be fr frx fry frz fax fay";
    const size_t end = at + tag->length;
    Range first = { at, at };
    size_t set = 0, unset = 0, next;

    for (at++; at + 1 < end; at = next) {
        Range name = { at + 1, at + 1 }; /* of the command after the backslash */
        bool has_value;
        if (end - 1 - at > 2 && memcmp(r->bytes + at + 1, "fn", 2) == 0) { /* the name of a font follows directly */
            name.end = at + 3;
        } else {
            if (name.end < end - 1 && char_is_digit(r->bytes[name.end])) name.end++;
            while (name.end < end - 1 && char_is_letter(r->bytes[name.end])) name.end++;
        }
        for (next = name.end; next + 1 < end && r->bytes[next] != '\\';) next++;
        if (r->bytes[at] != '\\' || name.begin == name.end) continue;
        if (name.end - name.begin == 1 && r->bytes[name.begin] == 'r') tag->is_reset = true;
        if (!chars_are_among(r->bytes + name.begin, name.end - name.begin, styles)) continue;
        has_value = next > name.end &&
                    !(next == name.end + 1 && r->bytes[name.end] == '0' && strchr("bius", r->bytes[name.begin]));
        set += has_value;
        unset += !has_value;
        tag->key += key_of(r, name.begin, name.end) * key_of(r, name.begin, name.end) + 1;
        if (first.begin == first.end) first = name;
    }
    if (set && !unset && !tag->is_reset) tag->kind = TAG_OPENS;
    if (!set && (unset || tag->is_reset)) tag->kind = TAG_CLOSES;
    if (tag->kind != TAG_OTHER) tag->name = first;
}

/* Reads the tag at byte `at`, which may be the end. */
static CueTag read_tag(const CueReader *r, size_t at, size_t end)
{
    CueTag tag = { .length = at < end ? tag_length(r, at, end) : 0, .name = { at, at } };
    const char *bytes = r->bytes + at;

    if (!tag.length) return tag;
    if (bytes[1] == '\\') {
        read_block(r, at, &tag);
        return tag;
    }
    tag.kind = bytes[1] == '/' ? TAG_CLOSES : char_is_digit(bytes[1]) ? TAG_OTHER : TAG_OPENS;
    tag.is_speaker = r->is_vtt && tag.length > 3 && bytes[0] == '<' && bytes[1] == 'v' &&
                     (bytes[2] == '.' || char_is_blank(bytes[2]));
    tag.name.begin = tag.name.end = at + (bytes[1] == '/' ? 2 : 1);
    tag.key = key_of(r, tag.name.begin, at + tag.length);
    while (!tag.is_speaker && u_isalpha((UChar32)(unsigned char)r->bytes[tag.name.end])) tag.name.end++;
    return tag;
}

/* The key of the last block before byte `at` that has set styles which no block has set back. */
static uint64_t open_key(const CueReader *r, size_t at)
{
    const size_t begin = at < LONGEST_SPAN ? 0 : at - LONGEST_SPAN;
    size_t closed = 0;

    while (at-- > begin) {
        const CueTag tag = chars_begin(r->bytes, at, r->end, "{\\") ? read_tag(r, at, r->end) : (CueTag){ 0 };
        if (tag.kind == TAG_OPENS && !closed--) return tag.key;
        closed += tag.kind == TAG_CLOSES;
    }
    return 0;
}

/* Reports a tag. {\i1} and {\i0} are a span, as <i> and </i> are. */
static void report_tag(const CueReader *r, size_t at, const CueTag *tag)
{
    const size_t end = at + tag->length;

    if (tag->kind == TAG_OPENS)
        document_builder_open(r->builder, tag->key, at, end);
    else if (tag->kind == TAG_CLOSES)
        document_builder_close(r->builder, tag->is_reset ? open_key(r, at) : tag->key, at, end);
    else
        document_builder_empty(r->builder, at, end);
}

/* --- Lines ---------------------------------------------------------------------------- */

/* Finds the line without its kind. */
static CueLine line_at(const CueReader *r, size_t at)
{
    CueLine line = { .begin = at, .end = at };

    while (line.end < r->end && !char_is_newline(r->bytes[line.end])) line.end++;
    line.next = line.end + chars_break_length(r->bytes, line.end, r->end);
    return line;
}

static bool has_arrow(const CueReader *r, const CueLine *line)
{
    return chars_after(r->bytes, line->begin, line->end, "-->", 0) > 0;
}

/* Reads the line at byte `at`, which is before the end. */
static CueLine read_line(const CueReader *r, size_t at)
{
    CueLine line = line_at(r, at);

    line.kind = chars_skip_blanks(r->bytes, line.begin, line.end) == line.end ? CUE_BLANK
                : has_arrow(r, &line)                                         ? CUE_TIMES
                                                                              : CUE_TEXT;
    if (line.kind == CUE_TEXT && line.next < r->end &&
        (r->is_vtt || chars_skip(r->bytes, line.begin, line.end, "0123456789 \t") == line.end)) {
        const CueLine next = line_at(r, line.next);
        if (has_arrow(r, &next)) line.kind = CUE_NUMBER;
    }
    return line;
}

static bool is_music(uint32_t code)
{
    return code >= 0x2669 && code <= 0x266c; /* kinds of notes */
}

/* Returns the length of the reading over a word, <rt>, whose end tag may be missing before </ruby>; 0: there is no
 * reading. */
static size_t reading_length(const CueReader *r, size_t at, size_t end)
{
    if (!r->is_vtt || !(chars_begin(r->bytes, at, end, "<rt>") || chars_begin(r->bytes, at, end, "<rt."))) return 0;
    for (size_t i = at; i < end && i - at < LONGEST_TAG; i++) {
        if (chars_begin(r->bytes, i, end, "</rt>")) return i + strlen("</rt>") - at;
        if (chars_begin(r->bytes, i, end, "</ruby>")) return i - at;
    }
    return 0;
}

/* Reports the tag, the entity, the end of a line, the note of music or the words at byte `at`. Returns their end. */
static size_t report_part(const CueReader *r, size_t at, size_t end)
{
    const char *bytes = r->bytes + at;
    const CueTag tag = read_tag(r, at, end);
    const size_t reading = reading_length(r, at, end);
    char text[HTML_ENTITY_BYTES];
    size_t size, length = reading ? reading : tag.length;

    if (reading) {
        document_builder_empty(r->builder, at, at + length);
    } else if (tag.length) {
        report_tag(r, at, &tag);
    } else if (r->is_vtt && starts_tag(bytes, end - at)) { /* a tag without an end */
        document_builder_empty(r->builder, at, at + 1);
        length = 1;
    } else if (*bytes == '&' && r->is_vtt) {
        length = html_entity_read(bytes, end - at, false, text, &size);
        if (length) document_builder_spelled(r->builder, text, size, at, at + length);
    } else if (*bytes == '\\' && !r->is_vtt && end - at > 1 && bytes[1] == 'N') {
        length = 2; /* as cues have it that were converted from Advanced SubStation Alpha */
        document_builder_line_end(r->builder, at, at + length);
    } else if (*bytes == '\xe2') {
        uint32_t code;
        length = utf8_next(bytes, end - at, &code);
        if (is_music(code))
            document_builder_empty(r->builder, at, at + length); /* models drop or double notes of music */
        else
            length = 0;
    }
    if (length) return at + length;
    do length++;
    while (at + length < end && !strchr("<{&\\\xe2", bytes[length]));
    document_builder_plain(r->builder, at, at + length);
    return at + length;
}

/* Returns the length of three or more dots, or of the character for them, at byte `at`; 0: there are none. */
static size_t dots_length(const CueReader *r, size_t at, size_t end)
{
    size_t dots = at;

    if (chars_begin(r->bytes, at, end, "\xe2\x80\xa6")) return 3;
    while (dots < end && r->bytes[dots] == '.') dots++;
    return dots - at < 3 ? 0 : dots - at;
}

/* Where the words of a line that goes on with the sentence of the cue before begin: after its position ({\an8}), its
 * speaker (<v Tom>) and dots, which belong to the cue; and after one tag of style, such as <i>. *tag: its name; NULL:
 * such a tag belongs to the words. */
static size_t words_begin(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t at = line->begin;

    if (tag) *tag = (Range){ at, at };
    while (at < line->end) {
        const CueTag found = read_tag(r, at, line->end);
        const size_t dots = dots_length(r, at, line->end);
        const bool has_style = found.name.end > found.name.begin;
        if (tag && has_style && found.kind == TAG_OPENS && tag->begin == tag->end)
            *tag = found.name;
        else if (!dots && !char_is_blank(r->bytes[at]) &&
                 (has_style || !found.length || !(r->bytes[at] == '{' || found.is_speaker)))
            return at;
        at += found.length ? found.length : dots ? dots : 1;
    }
    return line->begin; /* it has no words */
}

/* Returns where the closing tag that ends at byte `end` begins; `end` if there is no such tag. */
static size_t end_tag_begin(const CueReader *r, size_t begin, size_t end)
{
    size_t at = end;
    CueTag tag;
    char open;

    if (at - begin < 4 || (r->bytes[at - 1] != '>' && r->bytes[at - 1] != '}')) return end;
    open = r->bytes[at - 1] == '>' ? '<' : '{';
    for (at--; at > begin && r->bytes[at] != open && end - at < LONGEST_TAG;) at--;
    tag = r->bytes[at] == open ? read_tag(r, at, end) : (CueTag){ 0 };
    return tag.length == end - at && tag.kind == TAG_CLOSES ? at : end;
}

/* Where the dots that end at byte `end` begin; `end` if there are none. */
static size_t dots_begin(const CueReader *r, size_t begin, size_t end)
{
    size_t at = end;

    while (at > begin && r->bytes[at - 1] == '.') at--;
    if (end - at >= 3) return at;
    return end - begin >= 3 && dots_length(r, end - 3, end) ? end - 3 : end;
}

/* Where the words of a line end: before dots and </v>, which the cue keeps if its sentence goes on; and before a tag of
 * style that follows the dots. *tag: its name, or empty. */
static size_t words_end(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t end = line->end, at = end_tag_begin(r, line->begin, end);

    *tag = (Range){ end, end };
    if (r->is_vtt && end - at == 4 && r->bytes[at + 2] == 'v') end = at; /* </v> */
    at = end_tag_begin(r, line->begin, end);
    if (at < end && dots_begin(r, line->begin, at) < at) {
        *tag = read_tag(r, at, end).name;
        end = at;
    }
    end = dots_begin(r, line->begin, end);
    while (end > line->begin && char_is_blank(r->bytes[end - 1])) end--;
    if (end > words_begin(r, &(CueLine){ .begin = line->begin, .end = end }, NULL)) return end;
    *tag = (Range){ line->end, line->end };
    return line->end;
}

/* Whether the line has times for its words, as karaoke and automatic captions have. */
static bool has_word_times(const CueReader *r, const CueLine *line)
{
    for (size_t at = line->begin; at + 1 < line->end; at++)
        if (r->bytes[at] == '<' && r->bytes[at + 1] >= '0' && r->bytes[at + 1] <= '9' && tag_length(r, at, line->end))
            return true;
    return false;
}

/* The tag of a speaker that the line begins with, <v Tom>; otherwise an empty range. */
static Range speaker_of(const CueReader *r, const CueLine *line)
{
    const CueTag tag = read_tag(r, line->begin, line->end);

    return (Range){ line->begin, line->begin + (tag.is_speaker ? tag.length : 0) };
}

/* Reads a character or a tag, and returns its length. *code: 0 for a tag or a space. */
static size_t read_character(const CueReader *r, size_t at, size_t end, uint32_t *code)
{
    size_t length = tag_length(r, at, end);

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

/* Reports a line of text to the text that has begun. */
static void report_line(const CueReader *r, const CueLine *line)
{
    for (size_t at = skip_arrows(r, line); at < line->end && !document_builder_failed(r->builder);)
        at = report_part(r, at, line->end);
}

/* Characters of a line outside of tags; 0: there is no such character. */
typedef struct {
    uint32_t first; /* of the words: no dot or bracket before them */
    uint32_t last, before_last;
} LineEnds;

static LineEnds read_ends(const CueReader *r, const CueLine *line)
{
    LineEnds ends = { 0 };

    for (size_t at = line->begin; at < line->end;) {
        uint32_t code;
        at += read_character(r, at, line->end, &code);
        if (!code) continue;
        if (!ends.first && code != '.' && code != 0x2026 && code != '(' && code != '[') ends.first = code;
        ends.before_last = ends.last;
        ends.last = code;
    }
    return ends;
}

static bool is_comma(uint32_t code)
{
    return code == ',' || code == 0xff0c || code == 0x3001;
}

/* Whether a sentence ends after `line`, the last one of a cue: it has a full stop, or `next`, the first line of the
 * next cue, does not continue it: in lower case, with the English word "I", or after a comma with any letter or digit.
 * */
static bool ends_sentence(const CueReader *r, const CueLine *line, const CueLine *next)
{
    const LineEnds ends = read_ends(r, line), next_ends = read_ends(r, next);
    size_t at = next->begin;
    uint32_t code;

    if (ends.last == '?' || ends.last == '!' || (ends.last == '.' && ends.before_last != '.')) return true;
    if (is_comma(ends.last) && u_isalnum((UChar32)next_ends.first)) return false;
    if (u_islower((UChar32)next_ends.first)) return false;
    do at += read_character(r, at, next->end, &code);
    while (!code && at < next->end);
    if (code != 'I') return true;
    if (at < next->end) utf8_next(r->bytes + at, next->end - at, &code);
    return at < next->end && u_isalnum((UChar32)code);
}

/* Whether the code point is a dash that marks a dialogue. */
static bool is_dash(uint32_t code)
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

/* --- Cues ------------------------------------------------------------------------------ */

/* The most cues of a unit. */
#define CUES 8

enum { IN_SUBRIP, IN_VTT };

typedef struct {
    CueReader reader;
    CueLine last;    /* line of the unit */
    size_t words;    /* the end of what was reported of it: its words */
    Range tag;       /* the name of the tag that closes after them: </i>; empty: none */
    Range voice;     /* the last tag of a speaker in the unit; empty: none */
    size_t cues;     /* of the unit */
    bool is_new;     /* the times of a cue were read after `last` */
    bool is_apart;   /* a blank line was read after `last` */
    bool is_skipped; /* the block is not a cue: a comment or style of WebVTT */
    bool has_times;  /* cues have begun */
} CueParser;

/* Reports what follows the words of the last line. */
static void end_line(CueParser *p)
{
    const CueLine rest = { .kind = CUE_TEXT, .begin = p->words, .end = p->last.end };

    report_line(&p->reader, &rest);
}

static void end_unit(CueParser *p)
{
    if (document_builder_is_in_text(p->reader.builder)) {
        end_line(p);
        document_builder_end_unit(p->reader.builder, p->last.end);
    }
    p->cues = 0;
    p->voice = (Range){ 0, 0 };
}

/* Whether the line belongs to the unit. That of a new cue does if it goes on with a sentence. Automatic captions repeat
 * the line of the cue before. */
static bool goes_on(const CueParser *p, const CueLine *line)
{
    const CueReader *r = &p->reader;
    const Range speaker = speaker_of(r, line);
    size_t at = line->begin, last_at = p->last.begin;
    const uint32_t first = next_character(r, &at, line->end);
    uint32_t last_first, last;

    if (!document_builder_is_in_text(r->builder)) return false;
    /* A text of its own begins with a dash or >> of a dialogue, a speaker (JOHN:), a note of music or #, or a sound. */
    if (is_dash(read_ends(r, line).first) || is_music(first)) return false;
    if (first == '#' ? at < line->end && char_is_space(r->bytes[at])
                     : skip_arrows(r, line) > line->begin || begins_with_speaker(r, line) || begins_with_sound(r, line))
        return false;
    /* A text ends with a note of music, and with brackets around all of it, as those of a sound, or #. */
    last_first = next_character(r, &last_at, p->last.end);
    last = read_ends(r, &p->last).last;
    if (is_music(last) || (last_first == '[' && last == ']') || (last_first == '(' && last == ')') ||
        (last_first == '#' && last == '#'))
        return false;
    if (!p->is_new) return !p->is_apart;
    if (p->cues == CUES || ends_sentence(r, &p->last, line)) return false;
    if (speaker.end > speaker.begin && !ranges_are_same(r->bytes, speaker, p->voice)) return false;
    return !has_word_times(r, &p->last) && !has_word_times(r, line) &&
           !ranges_are_same(r->bytes, (Range){ p->last.begin, p->last.end }, (Range){ line->begin, line->end });
}

static void add_text(CueParser *p, CueLine *line)
{
    DocumentBuilder *builder = p->reader.builder;
    CueLine words;
    Range speaker;

    line->begin = chars_skip_blanks(p->reader.bytes, line->begin, line->end);
    while (line->end > line->begin && char_is_blank(p->reader.bytes[line->end - 1])) line->end--;
    words = *line;
    if (!goes_on(p, line)) {
        end_unit(p);
        document_builder_begin(builder, p->reader.is_vtt ? IN_VTT : IN_SUBRIP, line->begin);
        document_builder_whole(builder);
    } else if (p->is_new) {
        Range open;
        words.begin = words_begin(&p->reader, line, &open);
        /* a tag of style that ends after the dots of one cue and begins before those of the next one goes on */
        if (!ranges_are_same(p->reader.bytes, open, p->tag)) {
            if (p->tag.end > p->tag.begin) {
                end_line(p);
                p->words = p->last.end;
            }
            words.begin = words_begin(&p->reader, line, NULL);
        }
        document_builder_spelled(builder, " ", 1, p->words, p->words);
        document_builder_empty(builder, p->words, words.begin);
    } else {
        end_line(p);
        document_builder_space(builder, p->last.end, line->begin);
    }
    p->cues += p->is_new || !p->cues;
    words.end = words_end(&p->reader, line, &p->tag);
    report_line(&p->reader, &words);
    p->last = *line;
    p->words = words.end;
    speaker = speaker_of(&p->reader, line);
    if (speaker.end > speaker.begin) p->voice = speaker;
    p->is_new = p->is_apart = false;
}

/* Whether the line is this word, or begins with it and a space. */
static bool begins_with(const CueReader *r, const CueLine *line, const char *word)
{
    const size_t length = strlen(word);

    if (!chars_begin(r->bytes, line->begin, line->end, word)) return false;
    return line->end - line->begin == length || char_is_blank(r->bytes[line->begin + length]);
}

static void parse_cues(DocumentBuilder *builder)
{
    static const char *const others[] = { "NOTE", "STYLE", "REGION", "WEBVTT" }; /* blocks that are not cues */
    const BuilderInput input = document_builder_input(builder);
    const bool is_vtt = input.format == &document_vtt;
    CueParser p = { .reader = { builder, input.bytes, input.end, is_vtt } };
    CueLine line, first = { .kind = CUE_BLANK, .next = input.begin }; /* of the file, to refuse other formats */
    bool is_first = true;

    for (size_t at = input.begin; at < input.end && !document_builder_failed(builder); at = line.next) {
        line = read_line(&p.reader, at);
        if (line.kind == CUE_NUMBER && is_vtt && !is_first) line.kind = CUE_TEXT;
        for (size_t i = 0; is_vtt && is_first && line.kind == CUE_TEXT && i < sizeof others / sizeof *others; i++)
            p.is_skipped |= begins_with(&p.reader, &line, others[i]);
        if (line.kind == CUE_BLANK || line.kind == CUE_TIMES) p.is_skipped = false;
        if (line.kind == CUE_BLANK) p.is_apart = true;
        if (line.kind == CUE_TIMES) p.is_new = p.has_times = true;
        if (line.kind == CUE_TEXT && p.has_times && !p.is_skipped) add_text(&p, &line);
        is_first = line.kind == CUE_BLANK;
    }
    end_unit(&p);
    while (first.kind == CUE_BLANK && first.next < input.end) first = read_line(&p.reader, first.next);
    if (first.kind == CUE_BLANK) return;
    if (is_vtt && !begins_with(&p.reader, &first, "WEBVTT"))
        document_builder_fail(builder, first.begin, "expected WEBVTT");
    if (!is_vtt && !p.has_times)
        document_builder_fail(builder, first.begin,
                              "expected a cue, but no line has times such as 00:00:01,000 --> 00:00:02,000");
}

static bool is_special_cue(unsigned context, uint32_t code)
{
    return context == IN_VTT && (code == '&' || code == '<' || code == '>');
}

static size_t spell_cue(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    return spelling_copy(code == '&' ? "&amp;" : code == '<' ? "&lt;" : "&gt;", out);
}

static size_t refer_cue(uint32_t code, const SpellingPlace *place, char *out)
{
    return place->context == IN_VTT ? (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code) : 0;
}

static bool keeps_cue(const char *spelling, size_t length, const SpellingPlace *place)
{
    char ahead[SPELLING_AHEAD + 1], decoded[HTML_ENTITY_BYTES];
    size_t size;

    if (place->context != IN_VTT || length > 1) return true;
    if (*spelling == '>') /* no text may contain an arrow */
        return place->before_length < 2 || memcmp(place->before + place->before_length - 2, "--", 2) != 0;
    ahead[0] = *spelling;
    if (place->after_length) memcpy(ahead + 1, place->after, place->after_length);
    if (*spelling == '&') return !html_entity_read(ahead, place->after_length + 1, false, decoded, &size);
    return !starts_tag(ahead, place->after_length + 1);
}

/* A line that begins with a dash would be one of a dialogue, and one without text ends the cue. */
static bool may_break_cue(const SpellingPlace *place)
{
    uint32_t first;

    if (!place->after_length) return true;
    if (char_is_newline(*place->after) ||
        (place->before_length && char_is_newline(place->before[place->before_length - 1])))
        return false;
    utf8_next(place->after, place->after_length, &first);
    return !is_dash(first);
}

static const SpellingRules cue_spelling = { .is_special = is_special_cue,
                                            .spell = spell_cue,
                                            .keeps = keeps_cue,
                                            .may_break = may_break_cue,
                                            .lines = LINES_AT_MOST,
                                            .refer = refer_cue };

const DocumentFormat document_srt = {
    .name = "srt", .endings = ".srt", .parse = parse_cues, .spelling = &cue_spelling
};
const DocumentFormat document_vtt = {
    .name = "vtt", .endings = ".vtt", .parse = parse_cues, .spelling = &cue_spelling
};
