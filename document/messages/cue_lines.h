/* cue_lines.h - the lines of SubRip and WebVTT, and the tags in cues. */
#ifndef DRAGOMAN_CUE_LINES_H
#define DRAGOMAN_CUE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_builder.h"

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

/* Reads the line at byte `at`, which is before the end. */
CueLine cue_lines_read(const CueReader *reader, size_t at);

/* Whether a tag may begin at bytes[0], of length > 0 bytes. */
bool cue_lines_starts_tag(const char *bytes, size_t length);

/* Returns the length of the tag at byte `at`: <i>, </i>, <00:00:01.000>, {\an8}, {b}. 0: there is none. */
size_t cue_lines_tag_length(const CueReader *reader, size_t at, size_t end);

/* Reports the tag [at, end). {\i1} and {\i0} are a span, as <i> and </i> are. */
void cue_lines_report_tag(const CueReader *reader, size_t at, size_t end);

/* Whether the tag of `length` bytes at byte `at` is one of WebVTT's speakers, <v Tom> or <v.loud Tom>. */
bool cue_lines_is_speaker(const CueReader *reader, size_t at, size_t length);

/* A tag of style: <i>, </i>, {\i1}, {\i0}. */
typedef struct {
    Range name; /* empty: the tag is of another kind, or one of a speaker */
    bool closes;
} CueStyle;

/* Reads the tag of `length` bytes at byte `at`; 0: there is none. */
CueStyle cue_lines_style(const CueReader *reader, size_t at, size_t length);

/* Reports a line of text to the text that has begun. */
void cue_lines_report(const CueReader *reader, const CueLine *line);

/* Whether a sentence ends after `line`, the last one of a cue: it has a full stop, or `next`, the first line of the
 * next cue, does not continue it: in lower case, with the English word "I", or after a comma with any letter or digit.
 * */
bool cue_lines_end_sentence(const CueReader *reader, const CueLine *line, const CueLine *next);

/* Where the words of a line that goes on with the sentence of the cue before begin: after its position ({\an8}), its
 * speaker (<v Tom>) and dots, which belong to the cue; and after one tag of style, such as <i>. *tag: its name; NULL:
 * such a tag belongs to the words. */
size_t cue_lines_words_begin(const CueReader *reader, const CueLine *line, Range *tag);
/* Where the words of a line end: before dots and </v>, which the cue keeps if its sentence goes on; and before a tag of
 * style that follows the dots. *tag: its name, or empty. */
size_t cue_lines_words_end(const CueReader *reader, const CueLine *line, Range *tag);

/* Whether the line has times for its words, as karaoke and automatic captions have. */
bool cue_lines_has_times(const CueReader *reader, const CueLine *line);

/* The tag of a speaker that the line begins with: <v Tom>; an empty range if there is none. */
Range cue_lines_speaker(const CueReader *reader, const CueLine *line);

/* Whether the code point is a dash that marks a dialogue. */
bool cue_lines_is_dash(uint32_t code);

/* Whether the line begins a text of its own: with a dash or >> of a dialogue, a speaker (JOHN:), a note of music or #,
 * or a sound in brackets. */
bool cue_lines_begins_text(const CueReader *reader, const CueLine *line);

/* Whether a text ends with the line: brackets enclose all of it, as those of a sound do, or # does, or it ends with a
 * note of music. */
bool cue_lines_ends_text(const CueReader *reader, const CueLine *line);

#endif
