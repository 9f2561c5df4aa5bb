/* document_subtitles.c - SubRip and WebVTT. A unit is the text of a cue, or of one speaker, sound or song in it. A
 * sentence that goes on in the next cue is one unit: the numbers and times between the cues are an empty element, whose
 * place in the translation divides it over the cues. */
#include <stdio.h>
#include <string.h>

#include "chars.h"
#include "cue_lines.h"
#include "document_formats.h"
#include "html_entities.h"
#include "utf8.h"

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

    cue_lines_report(&p->reader, &rest);
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

/* Whether the line of a new cue goes on with a sentence. Automatic captions repeat the line of the cue before. */
static bool continues_cue(const CueParser *p, const CueLine *line)
{
    const CueReader *r = &p->reader;
    const Range speaker = cue_lines_speaker(r, line);

    if (p->cues == CUES || cue_lines_end_sentence(r, &p->last, line)) return false;
    if (speaker.end > speaker.begin && !ranges_are_same(r->bytes, speaker, p->voice)) return false;
    return !cue_lines_has_times(r, &p->last) && !cue_lines_has_times(r, line) &&
           !ranges_are_same(r->bytes, (Range){ p->last.begin, p->last.end }, (Range){ line->begin, line->end });
}

/* Whether the line belongs to the unit. */
static bool goes_on(const CueParser *p, const CueLine *line)
{
    const CueReader *r = &p->reader;

    if (!document_builder_is_in_text(r->builder) || cue_lines_begins_text(r, line) || cue_lines_ends_text(r, &p->last))
        return false;
    if (!p->is_new) return !p->is_apart;
    return continues_cue(p, line);
}

/* Returns where the words of the next cue begin. A tag of style that ends after the dots of one cue and begins before
 * those of the next one does not end between them. */
static size_t next_words(CueParser *p, const CueLine *line)
{
    const CueReader *r = &p->reader;
    Range open;
    const size_t begin = cue_lines_words_begin(r, line, &open);

    if (ranges_are_same(r->bytes, open, p->tag)) return begin;
    if (p->tag.end > p->tag.begin) {
        end_line(p);
        p->words = p->last.end;
    }
    return cue_lines_words_begin(r, line, NULL);
}

static void add_text(CueParser *p, CueLine *line)
{
    DocumentBuilder *builder = p->reader.builder;
    CueLine words;
    Range speaker;

    while (line->begin < line->end && char_is_blank(p->reader.bytes[line->begin])) line->begin++;
    while (line->end > line->begin && char_is_blank(p->reader.bytes[line->end - 1])) line->end--;
    words = *line;
    if (!goes_on(p, line)) {
        end_unit(p);
        document_builder_begin(builder, p->reader.is_vtt ? IN_VTT : IN_SUBRIP, line->begin);
        document_builder_whole(builder);
    } else if (p->is_new) {
        words.begin = next_words(p, line);
        document_builder_spelled(builder, " ", 1, p->words, p->words);
        document_builder_empty(builder, p->words, words.begin);
    } else {
        end_line(p);
        document_builder_space(builder, p->last.end, line->begin);
    }
    p->cues += p->is_new || !p->cues;
    words.end = cue_lines_words_end(&p->reader, line, &p->tag);
    cue_lines_report(&p->reader, &words);
    p->last = *line;
    p->words = words.end;
    speaker = cue_lines_speaker(&p->reader, line);
    if (speaker.end > speaker.begin) p->voice = speaker;
    p->is_new = p->is_apart = false;
}

/* Whether the line is this word, or begins with it and a space. */
static bool begins_with(const CueReader *r, const CueLine *line, const char *word)
{
    const size_t length = strlen(word);

    if (line->end - line->begin < length || memcmp(r->bytes + line->begin, word, length) != 0) return false;
    return line->end - line->begin == length || char_is_blank(r->bytes[line->begin + length]);
}

/* Whether the line begins a block of WebVTT that is not a cue. */
static bool begins_other_block(const CueReader *r, const CueLine *line)
{
    static const char *const names[] = { "NOTE", "STYLE", "REGION", "WEBVTT" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins_with(r, line, names[i])) return true;
    return false;
}

static void add_line(CueParser *p, CueLine *line, bool is_first)
{
    switch (line->kind) {
    case CUE_BLANK:
        p->is_skipped = false;
        p->is_apart = true;
        break;
    case CUE_TIMES:
        p->is_new = p->has_times = true;
        p->is_skipped = false;
        break;
    case CUE_NUMBER:
        break;
    default:
        if (p->reader.is_vtt && is_first && begins_other_block(&p->reader, line)) p->is_skipped = true;
        if (p->has_times && !p->is_skipped) add_text(p, line);
    }
}

/* Refuses other formats: text without any times, or without the signature of WebVTT. */
static void check_format(const CueParser *p, size_t begin)
{
    const CueReader *r = &p->reader;
    CueLine first = { .kind = CUE_BLANK, .next = begin };

    while (first.kind == CUE_BLANK && first.next < r->end) first = cue_lines_read(r, first.next);
    if (first.kind == CUE_BLANK) return;
    if (r->is_vtt && !begins_with(r, &first, "WEBVTT"))
        document_builder_fail(r->builder, first.begin, "expected WEBVTT");
    if (!r->is_vtt && !p->has_times)
        document_builder_fail(r->builder, first.begin,
                              "expected a cue, but no line has times such as 00:00:01,000 --> 00:00:02,000");
}

static void parse_cues(DocumentBuilder *builder, bool is_vtt)
{
    const BuilderInput input = document_builder_input(builder);
    CueParser p = { .reader = { builder, input.bytes, input.end, is_vtt } };
    bool is_first = true;
    CueLine line;

    for (size_t at = input.begin; at < input.end && !document_builder_failed(builder); at = line.next) {
        line = cue_lines_read(&p.reader, at);
        if (line.kind == CUE_NUMBER && is_vtt && !is_first) line.kind = CUE_TEXT;
        add_line(&p, &line, is_first);
        is_first = line.kind == CUE_BLANK;
    }
    end_unit(&p);
    check_format(&p, input.begin);
}

static void parse_srt(DocumentBuilder *builder)
{
    parse_cues(builder, false);
}

static void parse_vtt(DocumentBuilder *builder)
{
    parse_cues(builder, true);
}

static bool is_special_cue(unsigned context, uint32_t code)
{
    return context == IN_VTT && (code == '&' || code == '<' || code == '>');
}

static size_t spell_cue(uint32_t code, const SpellingPlace *place, char *out)
{
    const char *text = code == '&' ? "&amp;" : code == '<' ? "&lt;" : "&gt;";
    const size_t length = strlen(text);

    (void)place;
    memcpy(out, text, length);
    return length;
}

static size_t refer_cue(uint32_t code, const SpellingPlace *place, char *out)
{
    return place->context == IN_VTT ? (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code) : 0;
}

/* Whether > would end an arrow, which no text may contain. */
static bool follows_dashes(const SpellingPlace *place)
{
    return place->before_length > 1 && memcmp(place->before + place->before_length - 2, "--", 2) == 0;
}

static bool keeps_cue(const char *spelling, size_t length, const SpellingPlace *place)
{
    char ahead[SPELLING_AHEAD + 1], decoded[HTML_ENTITY_BYTES];
    size_t size;

    if (place->context != IN_VTT || length > 1) return true;
    if (*spelling == '>') return !follows_dashes(place);
    ahead[0] = *spelling;
    if (place->after_length) memcpy(ahead + 1, place->after, place->after_length);
    if (*spelling == '&') return !html_entity_read(ahead, place->after_length + 1, false, decoded, &size);
    return !cue_lines_starts_tag(ahead, place->after_length + 1);
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
    return !cue_lines_is_dash(first);
}

static const SpellingRules cue_spelling = { .is_special = is_special_cue,
                                            .spell = spell_cue,
                                            .keeps = keeps_cue,
                                            .may_break = may_break_cue,
                                            .lines = LINES_AT_MOST,
                                            .refer = refer_cue };

const DocumentFormat document_srt = { .name = "srt", .endings = ".srt", .parse = parse_srt, .spelling = &cue_spelling };
const DocumentFormat document_vtt = { .name = "vtt", .endings = ".vtt", .parse = parse_vtt, .spelling = &cue_spelling };
