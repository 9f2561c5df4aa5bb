/* segment.h - finds where to cut a line that is too long for the model.
 *
 * Cuts are between pieces of the encoding of the whole line, so the segments together have exactly the pieces of the
 * line. The end of a sentence is preferred to a space, and a space to a position inside a word. The bytes of one
 * character are only separated if there is no other choice. */
#ifndef DRAGOMAN_SEGMENT_H
#define DRAGOMAN_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Where a cut would be, from the worst to the best. */
typedef enum { CUT_IN_CHARACTER, CUT_IN_WORD, CUT_AT_SPACE, CUT_AT_SENTENCE } CutKind;

/* The state of reading the pieces of a text in order; start with {0}. */
typedef struct {
    enum { SCAN_TEXT, SCAN_MARK, SCAN_FULL_MARK } state; /* what the text that was read so far ends with */
    bool space; /* the last piece ended with a space after other characters, or with a full-width comma */
} SegmentScan;

/* Returns the kind of a cut before `piece`, then reads the piece. The piece is UTF-8, with U+2581 or white space for a
 * space and <0xHH> for a byte. */
CutKind segment_scan(SegmentScan *scan, const char *piece);

/* Returns how many of the remaining pieces the next segment gets, from 1 to `limit`. kinds[i] is the CutKind before
 * remaining piece i; kinds[0] is not read. `count` and `limit` are at least 1. */
size_t segment_length(const unsigned char *kinds, size_t count, size_t limit);

/* Whether the text (valid UTF-8) is empty or consists of Unicode white space. */
bool segment_is_blank(const char *text, size_t len);

#endif
