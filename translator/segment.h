/* segment.h - where a line that is too long for the model is cut.
 *
 * Cuts lie between the pieces of the whole line's encoding, so that the
 * segments' pieces joined are the line's own. A cut at the end of a sentence
 * is better than one at a space, which is better than one inside a word; the
 * bytes of one character stay together while anything else will do. */
#ifndef DRAGOMAN_SEGMENT_H
#define DRAGOMAN_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

/* What lies between two pieces, worst place for a cut first. */
typedef enum { CUT_IN_CHARACTER, CUT_IN_WORD, CUT_AT_SPACE, CUT_AT_SENTENCE } CutKind;

/* Reads the pieces of a text in order; begin with {0}. */
typedef struct {
    enum { SCAN_TEXT, SCAN_MARK, SCAN_FULL_MARK } state; /* what the text so far ends with */
    bool space; /* the last piece ended with a space after other characters, or with a full-width comma */
} SegmentScan;

/* The kind of a cut in front of `piece` (its string, UTF-8, with U+2581 or
 * white space for a space, <0xHH> for a byte), which is then read. */
CutKind segment_scan(SegmentScan *scan, const char *piece);

/* How many of the remaining pieces the next segment gets, 1 to `limit`.
 * kinds[i] is the CutKind in front of remaining piece i; kinds[0] is not
 * read. count and limit are at least 1. */
size_t segment_length(const unsigned char *kinds, size_t count, size_t limit);

/* Whether the text (valid UTF-8) is empty or has only Unicode white space. */
bool segment_is_blank(const char *text, size_t len);

#endif
