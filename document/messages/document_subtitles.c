/* document_subtitles.c - SubRip, WebVTT, SBV and SubStation Alpha. A unit is the text of a cue, or the text of one
 * speaker, sound or song in a cue. If a sentence continues in the next cue, both cues are one unit: the number and
 * times between them are an empty element, and the place of this element in the translation divides it into cues. */
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "document_formats.h"
#include "html.h"
#include "subtitle_lines.h"
#include "utf8.h"

#define LONGEST_TAG   ((size_t)200)
#define LONGEST_SPAN  ((size_t)500) /* how many bytes after a block are searched for the end of its style */
#define LONGEST_SOUND ((size_t)200) /* bytes */
#define LONGEST_NAME  40            /* characters */
#define MOST_SPACES   16            /* the most \h before another one in SubRip */
#define OPEN_STYLES   16            /* the most override blocks whose styles {\r} can reset, one after the other */

typedef enum {
    CUE_BLANK,
    CUE_TIMES,  /* contains -->, or in SBV two times */
    CUE_NUMBER, /* the number or name of a cue, directly before its times; a name must also follow a blank line */
    CUE_TEXT
} CueLineKind;

/* A line of a cue: it ends with a newline, or with \N in SubStation Alpha and [br] in SBV. */
typedef struct {
    CueLineKind kind;
    size_t begin, end, next; /* the text is [begin, end); the next line begins at `next` */
} CueLine;

/* The format, which is also the context of texts. */
typedef enum {
    IN_SUBRIP,
    IN_VTT, /* has entities, and names of cues instead of numbers */
    IN_SBV, /* of YouTube */
    IN_ASS  /* SubStation Alpha */
} CueFormat;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t end; /* of the document or, in SubStation Alpha, of the text of a cue */
    CueFormat format;
    uint64_t open[OPEN_STYLES]; /* keys of the override blocks whose styles are set */
    size_t open_count;
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

/* Returns the length of a block of SubStation Alpha at byte `at`: {\i1}, {a comment}, or {\p1} with the drawing up to
 * {\p0} or the end. 0: there is no block. */
static size_t block_length(const CueReader *r, size_t at, size_t end)
{
    const char *bytes = r->bytes;
    size_t next = at;
    bool draws = false;

    if (at && bytes[at - 1] == '\\') return 0; /* a brace that is text */
    do {
        const size_t close = chars_find(bytes, next, end, '}');
        if (close == end) return next == at ? 0 : end - at;
        for (; next < close; next++)
            if (chars_begin(bytes, next, close, "\\p") && !char_is_letter(bytes[next + 2]))
                draws = char_is_digit(bytes[next + 2]) && bytes[next + 2] != '0';
        next = draws ? chars_find(bytes, close + 1, end, '{') : close + 1;
    } while (draws && next < end);
    return next - at;
}

/* Returns the length of the tag at byte `at`: <i>, </i>, <00:00:01.000>, {\an8}, {b}. 0: there is no tag. */
static size_t tag_length(const CueReader *r, size_t at, size_t end)
{
    const char close = r->bytes[at] == '<' ? '>' : '}';

    if (r->format == IN_ASS && r->bytes[at] == '{') return block_length(r, at, end);
    if (!starts_tag(r->bytes + at, end - at)) return 0;
    for (size_t i = at + 1; i < end && i - at < LONGEST_TAG; i++)
        if (r->bytes[i] == close) return i + 1 - at;
    return 0;
}

/* Makes a key of the name of a tag, without its classes, because </c> closes <c.yellow>. */
static uint64_t key_of(const CueReader *r, size_t name, size_t end)
{
    uint64_t key = 0;

    for (; name < end && u_isalnum((UChar32)(unsigned char)r->bytes[name]); name++)
        key = key * 131 + ((unsigned char)r->bytes[name] | 0x20);
    return key;
}

typedef enum {
    TAG_OTHER, /* a time or a position, or a block that both sets and resets styles */
    TAG_OPENS, /* sets styles */
    TAG_CLOSES /* resets styles: </i>, {\i0}, {\c}, {\r} */
} TagKind;

typedef struct {
    size_t length; /* 0: there is no tag */
    TagKind kind;
    bool is_reset;   /* {\r} resets all styles; {\rName} then sets a style */
    bool is_speaker; /* <v Tom> or <v.loud Tom>, in WebVTT */
    bool has_times;  /* karaoke: {\k20} */
    bool is_placed;  /* {\pos(10,20)} */
    uint64_t key;    /* made from the names of the styles; their order does not matter */
    Range name;      /* name of the first style; empty for tags without style and for speakers */
} CueTag;

/* Reads the commands in an override block such as {\i1} at byte `at`. Those in `styles` change the look of the text
 * after the block; the others apply to the whole cue. */
static void read_block(const CueReader *r, size_t at, CueTag *tag)
{
    static const char styles[] =
        "i b u s c 1c 2c 3c 4c alpha 1a 2a 3a 4a fn fs fsp fscx fscy bord xbord ybord shad xshad "
        "yshad blur be fr frx fry frz fax fay";
    const size_t end = at + tag->length;
    const bool draws = chars_find(r->bytes, at, end, '}') + 1 < end;
    Range first = { at, at };
    size_t set = 0, unset = 0, next;
    bool has_name = false; /* of the style in {\rName} */

    for (at++; at + 1 < end; at = next) {
        Range name = { at + 1, at + 1 }; /* the name of the command after the backslash */
        bool has_value;
        if (end - 1 - at > 2 && memcmp(r->bytes + at + 1, "fn", 2) == 0) { /* the font name follows without a space */
            name.end = at + 3;
        } else {
            if (name.end < end - 1 && char_is_digit(r->bytes[name.end])) name.end++;
            while (name.end < end - 1 && char_is_letter(r->bytes[name.end])) name.end++;
        }
        for (next = name.end; next + 1 < end && r->bytes[next] != '\\';) next++;
        if (r->bytes[at] != '\\' || name.begin == name.end) continue;
        tag->has_times |= chars_are_among(r->bytes + name.begin, name.end - name.begin, "k K kf ko kt");
        tag->is_placed |= chars_are_among(r->bytes + name.begin, name.end - name.begin, "pos move");
        if (r->bytes[name.begin] == 'r') { /* no other command begins with this letter */
            tag->is_reset = true;
            has_name |= next > name.begin + 1;
            first = name;
        }
        if (!chars_are_among(r->bytes + name.begin, name.end - name.begin, styles)) continue;
        has_value = next > name.end &&
                    !(next == name.end + 1 && r->bytes[name.end] == '0' && strchr("bius", r->bytes[name.begin]));
        set += has_value;
        unset += !has_value;
        tag->key += key_of(r, name.begin, name.end) * key_of(r, name.begin, name.end) + 1;
        if (first.begin == first.end) first = name;
    }
    if (draws) return;
    if (set && !unset && !tag->is_reset) tag->kind = TAG_OPENS;
    if (!set && (unset || tag->is_reset)) tag->kind = has_name && !unset ? TAG_OPENS : TAG_CLOSES;
    if (tag->kind != TAG_OTHER) tag->name = first;
}

/* Reads the tag at byte `at`; `at` may be `end`. */
static CueTag read_tag(const CueReader *r, size_t at, size_t end)
{
    CueTag tag = { .length = at < end ? tag_length(r, at, end) : 0, .name = { at, at } };
    const char *bytes = r->bytes + at;

    if (!tag.length) return tag;
    if (bytes[1] == '\\' || (r->format == IN_ASS && *bytes == '{')) {
        read_block(r, at, &tag);
        return tag;
    }
    tag.kind = bytes[1] == '/' ? TAG_CLOSES : char_is_digit(bytes[1]) ? TAG_OTHER : TAG_OPENS;
    tag.is_speaker = r->format == IN_VTT && tag.length > 3 && bytes[0] == '<' && bytes[1] == 'v' &&
                     (bytes[2] == '.' || char_is_blank(bytes[2]));
    tag.name.begin = tag.name.end = at + (bytes[1] == '/' ? 2 : 1);
    tag.key = key_of(r, tag.name.begin, at + tag.length);
    while (!tag.is_speaker && u_isalpha((UChar32)(unsigned char)r->bytes[tag.name.end])) tag.name.end++;
    return tag;
}

/* Whether the block at byte `at` of SubStation Alpha sets a style that no block near it resets: it holds for the
 * rest of the cue. */
static bool is_for_cue(const CueReader *r, size_t at, const CueTag *tag)
{
    const size_t end = chars_limit(at, r->end, LONGEST_SPAN);

    if (r->format != IN_ASS || r->bytes[at] != '{') return false;
    for (at += tag->length; tag->kind == TAG_OPENS && at < end;) {
        const CueTag next = read_tag(r, at, end);
        if (next.is_reset || (next.kind == TAG_CLOSES && next.key == tag->key)) return false;
        at += next.length ? next.length : 1;
    }
    return true;
}

/* Reports a tag. {\i1} and {\i0} enclose a span, like <i> and </i>. {\r} closes the last span of an override block.
 * {\rName} does so if that span began with {\rName}, or if no reset is near that would close a span of its own. */
static void report_tag(CueReader *r, size_t at, const CueTag *tag)
{
    const size_t end = at + tag->length;
    const uint64_t last = r->open_count ? r->open[r->open_count - 1] : 0; /* 0: a block that only has \rName */
    const bool resets = tag->is_reset && r->open_count && (tag->kind == TAG_CLOSES || !last || is_for_cue(r, at, tag));
    const uint64_t key = resets ? last : tag->key;

    if (tag->kind == TAG_OTHER) {
        document_builder_empty(r->builder, at, end);
    } else if (tag->kind == TAG_OPENS && !resets) {
        document_builder_open(r->builder, key, at, end);
        if (r->bytes[at] == '{' && r->open_count < OPEN_STYLES) r->open[r->open_count++] = key;
    } else {
        document_builder_close(r->builder, key, at, end);
        if (r->bytes[at] == '{' && r->open_count) r->open_count--;
    }
}

/* --- Lines ---------------------------------------------------------------------------- */

/* Returns the length of the end of a line at byte `at`; 0: the line does not end there. */
static size_t break_length(const CueReader *r, size_t at)
{
    const char c = r->bytes[at], next = at + 1 < r->end ? r->bytes[at + 1] : '\0';

    if (c == '\\' && r->format == IN_ASS) return next == 'N' || next == 'n' ? 2 : 0;
    if (c == '[' && r->format == IN_SBV) return chars_begin_case(r->bytes, at, r->end, "[br]") ? strlen("[br]") : 0;
    return chars_break_length(r->bytes, at, r->end);
}

/* Returns the line at byte `at`; its kind is not set. */
static CueLine line_at(const CueReader *r, size_t at)
{
    CueLine line = { .begin = at, .end = at };
    size_t length = 0;

    while (line.end < r->end && !(length = break_length(r, line.end))) {
        const size_t block = r->format == IN_ASS && r->bytes[line.end] == '{' ? block_length(r, line.end, r->end) : 0;
        line.end += block ? block : 1;
    }
    line.next = line.end + length;
    return line;
}

/* Returns the byte after a time of SBV, such as 0:00:01.000, or `at`. */
static size_t skip_time(const char *bytes, size_t at, size_t end)
{
    static const char rest[] = ":00:00.000";
    size_t next = chars_skip(bytes, at, end, "0123456789");

    if (next == at || end - next < strlen(rest)) return at;
    for (size_t i = 0; i < strlen(rest); i++, next++)
        if (rest[i] == '0' ? !char_is_digit(bytes[next]) : bytes[next] != rest[i]) return at;
    return next;
}

static bool has_times(const CueReader *r, const CueLine *line)
{
    const size_t first = r->format == IN_SBV ? skip_time(r->bytes, line->begin, line->end) : 0;

    if (r->format != IN_SBV) return chars_after(r->bytes, line->begin, line->end, "-->", 0) > 0;
    return first > line->begin && first < line->end && r->bytes[first] == ',' &&
           skip_time(r->bytes, first + 1, line->end) > first + 1;
}

/* Reads the line at byte `at`, with its kind. `at` must be before the end. */
static CueLine read_line(const CueReader *r, size_t at)
{
    CueLine line = line_at(r, at);

    line.kind = chars_skip_blanks(r->bytes, line.begin, line.end) == line.end ? CUE_BLANK
                : has_times(r, &line)                                         ? CUE_TIMES
                                                                              : CUE_TEXT;
    if (line.kind == CUE_TEXT && line.next < r->end &&
        (r->format == IN_VTT || chars_skip(r->bytes, line.begin, line.end, "0123456789 \t") == line.end)) {
        const CueLine next = line_at(r, line.next);
        if (has_times(r, &next)) line.kind = CUE_NUMBER;
    }
    return line;
}

static bool is_music(uint32_t code)
{
    return code >= 0x2669 && code <= 0x266c; /* the notes of music in Unicode */
}

/* Returns the length of a ruby annotation <rt>...</rt>, whose end tag may be missing before </ruby>; 0: none. */
static size_t reading_length(const CueReader *r, size_t at, size_t end)
{
    if (r->format != IN_VTT || !(chars_begin(r->bytes, at, end, "<rt>") || chars_begin(r->bytes, at, end, "<rt.")))
        return 0;
    for (size_t i = at; i < end && i - at < LONGEST_TAG; i++) {
        if (chars_begin(r->bytes, i, end, "</rt>")) return i + strlen("</rt>") - at;
        if (chars_begin(r->bytes, i, end, "</ruby>")) return i - at;
    }
    return 0;
}

/* Whether \h at byte `at` is a no-break space. In SubRip, where ffmpeg writes it for &nbsp;, it may also be part of a
 * path, such as C:\home. There, it counts only at the beginning of a line, after a blank or tag, or after another
 * one. */
static bool is_hard_space(const CueReader *r, size_t at, size_t end)
{
    if (!chars_begin(r->bytes, at, end, "\\h")) return false;
    if (r->format != IN_SUBRIP) return r->format == IN_ASS;
    for (size_t i = 0; i < MOST_SPACES && chars_end(r->bytes, 0, at, "\\h"); i++) at -= 2;
    return !at || char_is_space(r->bytes[at - 1]) || char_is_among(r->bytes[at - 1], ">}") ||
           chars_end(r->bytes, 0, at, "\\N");
}

/* Reports what begins at byte `at`: a tag, an entity, an escape, a line break \N, a musical note, or words. Returns its
 * end. */
static size_t report_part(CueReader *r, size_t at, size_t end)
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
    } else if (r->format == IN_VTT && starts_tag(bytes, end - at)) { /* the tag has no end */
        document_builder_empty(r->builder, at, at + 1);
        length = 1;
    } else if (*bytes == '&' && r->format == IN_VTT) {
        length = html_entity_read(bytes, end - at, false, text, &size);
        if (length) document_builder_spelled(r->builder, text, size, at, at + length);
    } else if (is_hard_space(r, at, end)) {
        length = 2;
        document_builder_spelled(r->builder, "\xc2\xa0", 2, at, at + length);
    } else if (*bytes == '\\' && r->format == IN_ASS && end - at > 1 && char_is_among(bytes[1], "{}")) {
        length = 2;
        document_builder_spelled(r->builder, bytes + 1, 1, at, at + length);
    } else if (*bytes == '\\' && r->format == IN_SUBRIP && end - at > 1 && bytes[1] == 'N') {
        length = 2; /* a line break in cues that were converted from Advanced SubStation Alpha */
        document_builder_separate(r->builder, at, at + length, BREAK_HARD);
    } else if (*bytes == '\xe2') {
        uint32_t code;
        length = utf8_next(bytes, end - at, &code);
        if (is_music(code))
            document_builder_empty(r->builder, at, at + length); /* models drop or double musical notes */
        else
            length = 0;
    }
    if (length) return at + length;
    do length++;
    while (at + length < end && !strchr("<{&\\\xe2", bytes[length]));
    document_builder_plain(r->builder, at, at + length);
    return at + length;
}

/* Returns the length of an ellipsis at byte `at`: three or more dots, or U+2026; 0: there is none. */
static size_t dots_length(const CueReader *r, size_t at, size_t end)
{
    size_t dots = at;

    if (chars_begin(r->bytes, at, end, "\xe2\x80\xa6")) return 3;
    while (dots < end && r->bytes[dots] == '.') dots++;
    return dots - at < 3 ? 0 : dots - at;
}

/* For a line that continues the sentence of the previous cue, returns where its words begin. A position ({\an8}), a
 * speaker (<v Tom>) and an ellipsis before them stay in the cue, and so does the style of a whole cue of SubStation
 * Alpha. Also skips one style tag, such as <i>, and sets *tag to its name; if `tag` is NULL, a style tag belongs to the
 * words. */
static size_t words_begin(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t at = line->begin;
    bool is_first = true, stays = false;

    if (tag) *tag = (Range){ at, at };
    while (at < line->end) {
        const CueTag found = read_tag(r, at, line->end);
        const size_t dots = dots_length(r, at, line->end);
        bool has_style = found.name.end > found.name.begin;
        if (has_style && is_first) stays = is_for_cue(r, at, &found);
        is_first &= !has_style;
        has_style &= !stays;
        if (tag && has_style && found.kind == TAG_OPENS && tag->begin == tag->end)
            *tag = found.name;
        else if (!dots && !char_is_blank(r->bytes[at]) &&
                 (has_style || !found.length || !(r->bytes[at] == '{' || found.is_speaker)))
            return at;
        at += found.length ? found.length : dots ? dots : 1;
    }
    return line->begin; /* the line has no words */
}

/* If a closing tag ends at byte `end`, returns where it begins; otherwise `end`. */
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

/* If an ellipsis ends at byte `end`, returns where it begins; otherwise `end`. */
static size_t dots_begin(const CueReader *r, size_t begin, size_t end)
{
    size_t at = end;

    while (at > begin && r->bytes[at - 1] == '.') at--;
    if (end - at >= 3) return at;
    return end - begin >= 3 && dots_length(r, end - 3, end) ? end - 3 : end;
}

/* Returns where the words of a line end: before an ellipsis and </v>, and before a closing style tag after the
 * ellipsis. These stay in the cue if its sentence continues in the next one. Sets *tag to the name of the style tag, or
 * to an empty range. */
static size_t words_end(const CueReader *r, const CueLine *line, Range *tag)
{
    size_t end = line->end, at = end_tag_begin(r, line->begin, end);

    *tag = (Range){ end, end };
    if (r->format == IN_VTT && end - at == 4 && r->bytes[at + 2] == 'v') end = at; /* </v> */
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

/* Whether the line has times for single words, as in karaoke and automatic captions. */
static bool has_word_times(const CueReader *r, const CueLine *line)
{
    for (size_t at = line->begin; at + 1 < line->end; at++)
        if (r->bytes[at] == '<' && r->bytes[at + 1] >= '0' && r->bytes[at + 1] <= '9' && tag_length(r, at, line->end))
            return true;
    return false;
}

/* Returns the speaker tag <v Tom> at the beginning of the line; an empty range if there is none. */
static Range speaker_of(const CueReader *r, const CueLine *line)
{
    const CueTag tag = read_tag(r, line->begin, line->end);

    return (Range){ line->begin, line->begin + (tag.is_speaker ? tag.length : 0) };
}

/* Reads a character or a tag, and returns its length. Sets *code to the character, or to 0 for a tag or white space. */
static size_t read_character(const CueReader *r, size_t at, size_t end, uint32_t *code)
{
    size_t length = tag_length(r, at, end);

    *code = 0;
    if (length) return length;
    length = utf8_next(r->bytes + at, end - at, code);
    if (utf8_is_space(*code)) *code = 0;
    return length;
}

/* Skips tags and white space, and returns the next character of the line or 0. Decodes entities of WebVTT. */
static uint32_t next_character(const CueReader *r, size_t *at, size_t end)
{
    uint32_t code = 0;

    while (*at < end && !code) {
        char text[HTML_ENTITY_BYTES];
        size_t size;
        const size_t entity = r->format == IN_VTT && r->bytes[*at] == '&'
                                  ? html_entity_read(r->bytes + *at, end - *at, false, text, &size)
                                  : 0;
        if (entity) utf8_next(text, size, &code);
        *at += entity ? entity : read_character(r, *at, end, &code);
    }
    return code;
}

/* Returns where the text begins after a >> that marks a new speaker; without >>, the beginning of the line. */
static size_t skip_arrows(const CueReader *r, const CueLine *line)
{
    size_t at = line->begin, next = at, count = 0;

    for (; next_character(r, &next, line->end) == '>'; at = next) count++;
    return count > 1 ? at : line->begin;
}

/* Adds a line to the text that has begun. */
static void report_line(CueReader *r, const CueLine *line)
{
    for (size_t at = skip_arrows(r, line); at < line->end && !document_builder_failed(r->builder);)
        at = report_part(r, at, line->end);
}

/* The first and the last characters of a line, ignoring tags and white space; 0: there is no such character. */
typedef struct {
    uint32_t first; /* also ignoring dots and opening brackets */
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

/* Whether a sentence ends between two cues. `before`: the ends of the last line before; `next` and `after`: the next
 * line and its ends. The sentence ends after a full stop, ? or !. Otherwise it continues if `next` begins with a small
 * letter or the word "I", or if it begins with a letter or digit after a comma. In SubStation Alpha, "I" begins a new
 * sentence, because lines of songs often have no full stop. */
static bool ends_sentence(const CueReader *r, LineEnds before, const CueLine *next, LineEnds after)
{
    size_t at = next->begin;
    uint32_t code;

    if (before.last == '?' || before.last == '!' || (before.last == '.' && before.before_last != '.')) return true;
    if (is_comma(before.last) && u_isalnum((UChar32)after.first)) return false;
    if (u_islower((UChar32)after.first)) return false;
    do at += read_character(r, at, next->end, &code);
    while (!code && at < next->end);
    if (code != 'I' || r->format == IN_ASS) return true;
    if (at < next->end) utf8_next(r->bytes + at, next->end - at, &code);
    return at < next->end && u_isalnum((UChar32)code);
}

/* Whether the code point is a dash that marks a dialogue. */
static bool is_dash(uint32_t code)
{
    return code == '-' || code == 0x2010 || code == 0x2013 || code == 0x2014;
}

/* Whether the line begins with the name of a speaker in capitals and a colon, as in "MR. O'NEIL #2: Yes." If a small
 * letter follows the colon, the line is taken for the rest of a sentence. */
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

/* Whether the line begins with a sound or speaker in brackets, which may close on a later line. Brackets that begin
 * with a small letter and are followed by a small letter or a comma are taken for a part of a sentence. */
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

/* Whether two lines are the same text, also with other tags, as in the layers of a shadow. */
static bool has_same_words(const CueReader *r, const CueLine *a, const CueLine *b)
{
    size_t at = a->begin, other = b->begin;

    while (at < a->end || other < b->end)
        if (next_character(r, &at, a->end) != next_character(r, &other, b->end)) return false;
    return true;
}

/* --- Cues ------------------------------------------------------------------------------ */

/* The most cues of a unit. */
#define CUES 8

typedef struct {
    CueReader reader;
    CueLine last;    /* the last line of the unit */
    size_t words;    /* where its words end; the rest of the line is not reported yet */
    Range tag;       /* name of the style tag that closes after the words, as in </i>; empty: none */
    Range voice;     /* the last speaker tag in the unit; empty: none */
    size_t cues;     /* number of cues in the unit */
    bool is_new;     /* the times of the next cue have been read after `last` */
    bool is_apart;   /* a blank line has been read after `last` */
    bool is_skipped; /* the current block is not a cue, but a comment or style of WebVTT */
    bool has_times;  /* the first cue has begun */
} CueParser;

/* Reports the rest of the last line after its words. */
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

/* Whether the line continues the unit. The first line of a new cue does so only if it continues the sentence and does
 * not repeat the last line, as in automatic captions. */
static bool goes_on(const CueParser *p, const CueLine *line)
{
    const CueReader *r = &p->reader;
    const Range speaker = speaker_of(r, line);
    const LineEnds ends = read_ends(r, line), last_ends = read_ends(r, &p->last);
    size_t at = line->begin, last_at = p->last.begin;
    const uint32_t first = next_character(r, &at, line->end), last = last_ends.last;
    const uint32_t last_first = next_character(r, &last_at, p->last.end);

    if (!document_builder_is_in_text(r->builder)) return false;
    /* A new text begins with a dash or >> (dialogue), a speaker (JOHN:), a musical note or #, or a sound. */
    if (is_dash(ends.first) || is_music(first)) return false;
    if (first == '#' ? at < line->end && char_is_space(r->bytes[at])
                     : skip_arrows(r, line) > line->begin || begins_with_speaker(r, line) || begins_with_sound(r, line))
        return false;
    /* A text ends after a line that ends with a musical note, or is enclosed in brackets (a sound) or #. */
    if (is_music(last) || (last_first == '[' && last == ']') || (last_first == '(' && last == ')') ||
        (last_first == '#' && last == '#'))
        return false;
    if (!p->is_new) {
        /* a title, and below it a text in another size */
        const CueTag tag = read_tag(r, line->begin, line->end);
        return !p->is_apart &&
               !(tag.length && is_for_cue(r, line->begin, &tag) && ends_sentence(r, last_ends, line, ends));
    }
    if (p->cues == CUES || ends_sentence(r, last_ends, line, ends)) return false;
    if (speaker.end > speaker.begin && !ranges_are_same(r->bytes, speaker, p->voice)) return false;
    return !has_word_times(r, &p->last) && !has_word_times(r, line) && !has_same_words(r, &p->last, line);
}

bool subtitle_lines_go_on(DocumentBuilder *builder, Range last, Range next, bool is_new_cue)
{
    const BuilderInput input = document_builder_input(builder);
    const CueLine line = { .kind = CUE_TEXT, .begin = next.begin, .end = next.end };
    const CueParser p = { .reader = { .builder = builder, .bytes = input.bytes, .end = input.end, .format = IN_VTT },
                          .last = { .kind = CUE_TEXT, .begin = last.begin, .end = last.end },
                          .is_new = is_new_cue };

    return goes_on(&p, &line);
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
        p->reader.open_count = 0;
        document_builder_begin(builder, p->reader.format, line->begin);
        document_builder_whole(builder);
    } else if (p->is_new) {
        Range open;
        if (p->reader.format == IN_ASS) p->reader.open_count = 0; /* its styles end with a cue */
        words.begin = words_begin(&p->reader, line, &open);
        /* a style that closes after the ellipsis and opens again in the next cue covers both cues */
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
        document_builder_break(builder, p->last.end, line->begin);
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

/* Whether the line is this word, or begins with the word and a blank. */
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
    const bool is_vtt = input.format == &document_vtt, is_sbv = input.format == &document_sbv;
    CueParser p = { .reader = { .builder = builder,
                                .bytes = input.bytes,
                                .end = input.end,
                                .format = is_vtt   ? IN_VTT
                                          : is_sbv ? IN_SBV
                                                   : IN_SUBRIP } };
    CueLine line, first = { .kind = CUE_BLANK, .next = input.begin }; /* `first`: later the first line with text */
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
        document_builder_fail(builder, first.begin, "expected a cue, but no line has times such as %s",
                              is_sbv ? "0:00:01.000,0:00:02.000" : "00:00:01,000 --> 00:00:02,000");
}

/* --- SubStation Alpha: a cue is a line "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Text" of [Events] ------ */

#define NO_COLUMN ((size_t)-1)

/* The columns that are read; `text` is the last one, and its text may contain commas. */
typedef struct {
    size_t start, style, name, text;
} CueColumns;

typedef struct {
    size_t begin;   /* of the text; it ends at CueReader.end */
    uint64_t start; /* the digits of the time */
    Range style, name;
    bool is_placed, is_song, has_text;
} CueEvent;

/* Moves *at after the next comma, and returns the bytes before it without white space around them. */
static Range next_column(const char *bytes, size_t *at, size_t end)
{
    const size_t comma = chars_find(bytes, *at, end, ',');
    const size_t begin = chars_skip_space(bytes, *at, comma);

    *at = comma < end ? comma + 1 : end;
    return (Range){ begin, chars_trimmed_end(bytes, begin, comma) };
}

/* Reads the line "Format: Layer, Start, End, ...", whose columns begin at byte `at`. */
static CueColumns read_columns(CueReader *r, size_t at, size_t end)
{
    CueColumns columns = { NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN };
    const size_t begin = at;

    for (size_t i = 0; at < end; i++) {
        const Range name = next_column(r->bytes, &at, end);
        const char *bytes = r->bytes + name.begin;
        const size_t length = name.end - name.begin;
        if (chars_are_in(bytes, length, "start")) columns.start = i;
        if (chars_are_in(bytes, length, "style")) columns.style = i;
        if (chars_are_in(bytes, length, "name actor")) columns.name = i;
        columns.text = chars_are_in(bytes, length, "text") ? i : NO_COLUMN;
    }
    if (columns.text == NO_COLUMN)
        document_builder_fail(r->builder, begin, "expected Text as the last column of the format of [Events]");
    return columns;
}

/* Reads a line of dialogue, whose columns begin at byte `at`. The text must not contain a brace that opens a block but
 * is not closed, because a brace in a translation would close it. So the text ends before such a brace. */
static CueEvent read_event(CueReader *r, const CueColumns *columns, size_t at, size_t end)
{
    CueEvent event = { 0 };
    size_t length;

    for (size_t i = 0; i < columns->text && at < end; i++) {
        const Range column = next_column(r->bytes, &at, end);
        if (i == columns->style) event.style = column;
        if (i == columns->name) event.name = column;
        for (size_t k = column.begin; i == columns->start && k < column.end; k++)
            if (char_is_digit(r->bytes[k])) event.start = event.start * 10 + (uint64_t)(r->bytes[k] - '0');
    }
    event.begin = at;
    for (r->end = end; at < r->end; at += length) {
        const CueTag tag = read_tag(r, at, r->end);
        length = tag.length ? tag.length : 1;
        event.is_song |= tag.has_times;
        event.is_placed |= tag.is_placed;
        event.has_text |= !tag.length && !char_is_blank(r->bytes[at]);
        if (r->bytes[at] == '{' && !tag.length && r->bytes[at - 1] != '\\') r->end = at;
    }
    return event;
}

/* Whether the sentence of an event may go on in the next one: not if they are shown together, or at places of their
 * own, as signs are. */
static bool may_go_on(const CueReader *r, const CueEvent *event, const CueEvent *next)
{
    return next->start > event->start && !event->is_placed && !next->is_placed &&
           ranges_are_same(r->bytes, event->style, next->style) && ranges_are_same(r->bytes, event->name, next->name);
}

static void parse_events(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *bytes = input.bytes;
    CueParser p = { .reader = { .builder = builder, .bytes = bytes, .end = input.end, .format = IN_ASS } };
    CueColumns columns = { 1, 3, 4, 9 }; /* without a format */
    CueEvent last = { 0 };
    bool is_events = false, is_known = false;

    for (size_t at = input.begin, end; at < input.end && !document_builder_failed(builder); at = end + 1) {
        for (end = at; end < input.end && !char_is_newline(bytes[end]);) end++;
        at = chars_skip_blanks(bytes, at, end);
        if (at < end && bytes[at] == '[') {
            end_unit(&p);
            is_events = chars_begin_case(bytes, at, end, "[Events]");
            is_known |= is_events || chars_begin_case(bytes, at, end, "[Script Info]") ||
                        chars_begin_case(bytes, at, end, "[V4");
        } else if (is_events && chars_begin_case(bytes, at, end, "Format:")) {
            columns = read_columns(&p.reader, at + strlen("Format:"), end);
        } else if (is_events && chars_begin_case(bytes, at, end, "Dialogue:")) {
            const CueEvent event = read_event(&p.reader, &columns, at + strlen("Dialogue:"), end);
            CueLine line = { .next = event.begin };
            if (!event.has_text || event.is_song) continue;
            if (!may_go_on(&p.reader, &last, &event)) end_unit(&p);
            p.is_new = true;
            while (line.next < p.reader.end && !document_builder_failed(builder)) {
                line = line_at(&p.reader, line.next);
                if (chars_skip_blanks(bytes, line.begin, line.end) == line.end)
                    p.is_apart = true;
                else
                    add_text(&p, &(CueLine){ CUE_TEXT, line.begin, line.end, line.next });
            }
            last = event;
        }
    }
    end_unit(&p);
    if (!is_known && chars_skip_space(bytes, input.begin, input.end) < input.end)
        document_builder_fail(builder, chars_skip_space(bytes, input.begin, input.end),
                              "expected [Script Info] and [Events], the sections of SubStation Alpha");
}

/* --- Writing -------------------------------------------------------------------------- */

static bool is_special_cue(unsigned context, uint32_t code)
{
    return context == IN_VTT && (code == '&' || code == '<' || code == '>');
}

static size_t refer_cue(uint32_t code, const SpellingPlace *place, char *out)
{
    return place->context == IN_VTT ? html_spell(code, place, out) : 0;
}

static bool keeps_cue(const char *spelling, size_t length, const SpellingPlace *place)
{
    char ahead[SPELLING_AHEAD + 1], decoded[HTML_ENTITY_BYTES];
    size_t size;

    if (place->context != IN_VTT || length > 1) return true;
    if (*spelling == '>') /* a text must not contain the arrow --> */
        return place->before_length < 2 || memcmp(place->before + place->before_length - 2, "--", 2) != 0;
    ahead[0] = *spelling;
    if (place->after_length) memcpy(ahead + 1, place->after, place->after_length);
    if (*spelling == '&') return !html_entity_read(ahead, place->after_length + 1, false, decoded, &size);
    return !starts_tag(ahead, place->after_length + 1);
}

/* Whether a line break may be here: not before a dash, because that looks like dialogue, and not before the end of a
 * line, because an empty line would end the cue. */
static bool may_break_cue(const SpellingPlace *place)
{
    uint32_t first;

    if (!place->after_length) return true;
    if (char_is_newline(*place->after)) return false;
    utf8_next(place->after, place->after_length, &first);
    return !is_dash(first);
}

static const SpellingRules cue_spelling = { .is_special = is_special_cue,
                                            .spell = html_spell,
                                            .keeps = keeps_cue,
                                            .may_break = may_break_cue,
                                            .lines = LINES_AT_MOST,
                                            .refer = refer_cue };

static bool is_special_in_ass(unsigned context, uint32_t code)
{
    return context == IN_ASS && (code == '{' || code == '\\');
}

/* Whether a backslash before the text would begin a line break, a space or a brace of SubStation Alpha. */
static bool begins_escape(const SpellingPlace *place)
{
    return place->after_length && char_is_among(*place->after, "Nnh{}");
}

static size_t spell_in_ass(uint32_t code, const SpellingPlace *place, char *out)
{
    return spelling_copy(code == '{' ? "\\{" : begins_escape(place) ? "\\\u2060" : "\\", out); /* a word joiner */
}

static bool keeps_in_ass(const char *spelling, size_t length, const SpellingPlace *place)
{
    return length > 1 || (*spelling == '\\' && !begins_escape(place));
}

static const SpellingRules ass_spelling = { .is_special = is_special_in_ass,
                                            .spell = spell_in_ass,
                                            .keeps = keeps_in_ass,
                                            .may_break = may_break_cue,
                                            .lines = LINES_AT_MOST,
                                            .counts_text = true };

const DocumentFormat document_srt = {
    .name = "srt", .endings = ".srt", .parse = parse_cues, .spelling = &cue_spelling
};
const DocumentFormat document_vtt = {
    .name = "vtt", .endings = ".vtt", .parse = parse_cues, .spelling = &cue_spelling
};
const DocumentFormat document_sbv = {
    .name = "sbv", .endings = ".sbv", .parse = parse_cues, .spelling = &ass_spelling
};
const DocumentFormat document_ass = {
    .name = "ass", .endings = ".ass .ssa", .parse = parse_events, .spelling = &ass_spelling
};
