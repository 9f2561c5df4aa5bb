/* segment.c - see segment.h.
 * A sentence ends with a mark (. ! ? ...), optional closing quotes or brackets, and a space. The full-width marks of
 * Chinese and Japanese need no space. "Mr. Smith" therefore counts as two sentences. That is acceptable here: the line
 * has to be cut somewhere, and the cut is still between two words. */
#include "segment.h"

#include <stdint.h>
#include <string.h>

#include "chars.h"
#include "text.h"
#include "utf8.h"

#define META_SPACE 0x2581u /* the space of SentencePiece */

static bool is_space(uint32_t c)
{
    return c == META_SPACE || utf8_is_white_space(c);
}

/* Marks that end a sentence before a space. */
static const uint32_t marks[] = { '.',    '!',    '?',    0x2026, 0x203c,
                                  0x203d, 0x2047, 0x2048, 0x2049,         /* Latin, Greek, Cyrillic */
                                  0x0589,                                 /* Armenian */
                                  0x061f, 0x06d4,                         /* Arabic, Urdu */
                                  0x0964, 0x0965,                         /* Devanagari and its relatives */
                                  0x0f0d, 0x104b, 0x1362, 0x17d4, 0x17d5, /* Tibetan, Burmese, Ethiopic, Khmer */
                                  0 };

/* Marks that need no space after them. */
static const uint32_t full_marks[] = { 0x3002, 0xff01, 0xff0e, 0xff1f, 0xff61, 0 };

/* Commas and semicolons that need no space after them, because their glyphs contain it. */
static const uint32_t full_pauses[] = { 0x3001, 0xff0c, 0xff1b, 0xff64, 0 };

/* Quotes and brackets that may stand between a mark and the next sentence. U+201C and U+2018 close a quotation in
 * German. */
static const uint32_t closers[] = { '"',    '\'',   ')',    ']',    '}',    0x00bb, 0x00ab, 0x2018, 0x2019, 0x201c,
                                    0x201d, 0x203a, 0x2039, 0x3009, 0x300b, 0x300d, 0x300f, 0x3011, 0x3015, 0x3017,
                                    0x3019, 0x301e, 0x301f, 0xff09, 0xff3d, 0xff5d, 0xff63, 0 };

static bool is_one_of(uint32_t c, const uint32_t *list)
{
    while (*list && *list != c) list++;
    return *list != 0;
}

static CutKind cut_before(const SegmentScan *scan, uint32_t first)
{
    bool space = scan->space || is_space(first);

    if (scan->state == SCAN_FULL_MARK && !is_one_of(first, closers) && !is_one_of(first, marks) &&
        !is_one_of(first, full_marks))
        return CUT_AT_SENTENCE;
    if (scan->state != SCAN_TEXT && space) return CUT_AT_SENTENCE;
    return space ? CUT_AT_SPACE : CUT_IN_WORD;
}

CutKind segment_scan(SegmentScan *scan, const char *piece)
{
    size_t len = strlen(piece);
    bool only_space = true;
    CutKind kind = CUT_IN_WORD;

    /* A byte from 0x80 to 0xBF, also as "<0x80>", continues a character. */
    if (char_goes_on(*piece) ||
        (len == strlen("<0x80>") && text_begins_with(piece, "<0x") && strchr("89AB", piece[3]) && piece[5] == '>')) {
        *scan = (SegmentScan){ 0 };
        return CUT_IN_CHARACTER;
    }
    for (size_t i = 0; i < len;) {
        uint32_t c;
        size_t step = utf8_next(piece + i, len - i, &c);
        if (i == 0) kind = cut_before(scan, c);
        if (i == 0) scan->space = false;
        i += step;
        if (is_space(c)) { /* does not change the state: "end. " is still the end of a sentence */
            scan->space = true;
            continue;
        }
        only_space = false;
        scan->space = is_one_of(c, full_pauses);
        if (is_one_of(c, full_marks))
            scan->state = SCAN_FULL_MARK;
        else if (is_one_of(c, marks) && scan->state != SCAN_FULL_MARK)
            scan->state = SCAN_MARK;
        else if (!is_one_of(c, marks) && !is_one_of(c, closers))
            scan->state = SCAN_TEXT;
    }
    /* If the piece is only space, the cut belongs before it, not after it. */
    if (len && only_space) *scan = (SegmentScan){ 0 };
    return kind;
}

/* Finds the best kind of cut within the limit, and among those the one nearest to the target. If two segments
 * suffice, the target is half of the remaining pieces, so that no tiny segment is left. Otherwise it is three
 * quarters of the limit, because a translation may be longer than its source and the decoder has the same number of
 * positions. */
size_t segment_length(const unsigned char *kinds, size_t count, size_t limit)
{
    size_t fill = limit - limit / 4, target, best = 0, best_distance = 0;

    if (count <= limit) return count;
    target = (count + 1) / 2 <= fill ? (count + 1) / 2 : fill;
    for (size_t at = 1; at <= limit; at++) {
        size_t distance = at > target ? at - target : target - at;
        if (best && kinds[at] < kinds[best]) continue;
        if (best && kinds[at] == kinds[best] && distance > best_distance) continue;
        best = at;
        best_distance = distance;
    }
    return best;
}

bool segment_is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint32_t c;
        i += utf8_next(text + i, len - i, &c);
        if (!utf8_is_white_space(c)) return false;
    }
    return true;
}
