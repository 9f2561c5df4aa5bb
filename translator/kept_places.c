/* kept_places.c - see kept_places.h. */
#include "kept_places.h"

#include <stdbool.h>
#include <stdint.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "sentences.h"
#include "utf8.h"

/* The code point before `at`, which is not 0. */
static uint32_t code_before(const char *text, size_t at)
{
    size_t start = at - 1;
    uint32_t code;

    while (start && ((unsigned char)text[start] & 0xc0) == 0x80) start--;
    (void)utf8_next(text + start, at - start, &code);
    return code;
}

/* Han, kana and Thai are written without spaces. */
static bool is_unspaced(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript((UChar32)code, &fault);

    return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA || script == USCRIPT_THAI;
}

/* Whether a word ends before `at`, or a mark or a space is there. */
static bool is_between_words(const char *text, size_t len, size_t at)
{
    uint32_t before, after;

    if (!at || at == len) return true;
    before = code_before(text, at);
    (void)utf8_next(text + at, len - at, &after);
    if (before == UTF8_INVALID || after == UTF8_INVALID || utf8_is_space(before)) return false;
    if (utf8_is_space(after) || is_unspaced(before) || is_unspaced(after)) return true;
    if (u_isalnum((UChar32)after)) return false;
    /* A mark at the end of a word; not the comma of 1,5 or the hyphen of a compound. */
    at += utf8_next(text + at, len - at, &after);
    while (at < len && !utf8_is_space(after)) {
        at += utf8_next(text + at, len - at, &after);
        if (after != UTF8_INVALID && u_isalnum((UChar32)after)) return false;
    }
    return true;
}

/* The source tokens before `right` are on the left side of a group: their middle is before its place. */
static size_t find_right(const RangeList *sources, size_t place, size_t right)
{
    while (right < sources->len && sources->data[right].begin + sources->data[right].end < 2 * place) right++;
    return right;
}

/* The source token number `i` of the block, in the sentence; false if it has no text. */
static bool read_source(const KeptSentence *s, const AlignmentBlock *block, size_t i, size_t *source)
{
    *source = block->sources[i] - s->first_source;
    return *source < s->sources->len && s->sources->data[*source].begin < s->sources->data[*source].end;
}

/* B(t) - A(t) for row `t` of the block. */
static double side_of(const KeptSentence *s, const AlignmentBlock *block, size_t t, size_t right)
{
    const float *values = block->values + t * block->source_count;
    double sum = 0;

    for (size_t i = 0; i < block->source_count; i++) {
        size_t source;
        if (!read_source(s, block, i, &source)) continue;
        if (source < right)
            sum += (double)values[i] / (double)(right - source);
        else
            sum -= (double)values[i] / (double)(source - right + 1);
    }
    return sum;
}

/* The best place so far, and the sum up to the current one. */
typedef struct {
    size_t place;
    double most, sum;
} BestPlace;

static void search_block(const KeptSentence *s, const AlignmentBlock *block, size_t right, BestPlace *best)
{
    for (size_t t = 0; t < block->targets; t++) {
        const Range token = s->targets->data[block->first - s->first_target + t];
        best->sum += side_of(s, block, t, right);
        if (best->sum <= best->most || token.begin == token.end) continue;
        if (!is_between_words(s->translation, s->translation_len, token.end)) continue;
        best->place = token.end;
        best->most = best->sum;
    }
}

/* The end of the block's source tokens with text. */
static size_t sources_end(const KeptSentence *s, const AlignmentBlock *block)
{
    size_t source;

    for (size_t i = block->source_count; i > 0; i--)
        if (read_source(s, block, i - 1, &source)) return source + 1;
    return 0;
}

/* The first block of the sentence that ends at or after source token `right`, or the last one; from `block` on. */
static const AlignmentBlock *find_block(const KeptSentence *s, const AlignmentBlock *block, size_t right)
{
    const AlignmentBlock *last = s->alignment->blocks + s->alignment->count - 1;

    while (block < last && sources_end(s, block) < right) block++;
    return block;
}

/* Where the block begins in the translation. */
static size_t block_begin(const KeptSentence *s, const AlignmentBlock *block)
{
    const size_t first = block->first - s->first_target;

    return first ? s->targets->data[first - 1].end : 0;
}

/* Searches the block with the group's neighbours, and the next one if the group is between them. */
static size_t find_place(const KeptSentence *s, const AlignmentBlock *block, size_t right)
{
    const AlignmentBlock *last = s->alignment->blocks + s->alignment->count - 1;
    BestPlace best = { .place = block_begin(s, block) };

    search_block(s, block, right, &best);
    if (block < last && sources_end(s, block) == right) search_block(s, block + 1, right, &best);
    return best.place;
}

/* The code point of the sentence before or after the group; a space at the ends of the sentence. */
static uint32_t neighbour(const KeptSentence *s, Range group, bool left)
{
    uint32_t code = ' ';

    if (left) return group.begin ? code_before(s->sentence, group.begin) : code;
    if (group.end < s->len) (void)utf8_next(s->sentence + group.end, s->len - group.end, &code);
    return code;
}

/* Whether a space divides the group, whose character at the edge is `own`, from the character `beside` its place.
 * Beside a character of a script that is written without spaces, there is none. What touches the group in the sentence
 * may touch it here. */
static bool needs_space(const KeptSentence *s, Range group, bool left, uint32_t own, uint32_t beside)
{
    return !utf8_is_space(beside) && !utf8_is_space(own) && !sentence_is_dense(beside) &&
           beside != neighbour(s, group, left);
}

static bool needs_space_before(const KeptSentence *s, Range group, size_t at)
{
    uint32_t own;

    (void)utf8_next(s->sentence + group.begin, group.end - group.begin, &own);
    return at && needs_space(s, group, true, own, code_before(s->translation, at));
}

/* A mark may touch the right side. */
static bool needs_space_after(const KeptSentence *s, Range group, size_t at)
{
    uint32_t after = ' ';

    if (at < s->translation_len) (void)utf8_next(s->translation + at, s->translation_len - at, &after);
    return after != UTF8_INVALID && u_isalnum((UChar32)after) &&
           needs_space(s, group, false, code_before(s->sentence, group.end), after);
}

/* The source token that a target token translates most probably; false: none. */
static bool best_source(const KeptSentence *s, size_t target, size_t *source)
{
    const AlignmentRow row = soft_alignment_row(s->alignment, s->first_target + target);
    float most = 0;

    for (size_t i = 0; i < row.count; i++) {
        const size_t number = row.sources[i] - s->first_source;
        if (row.values[i] <= most || number >= s->sources->len) continue;
        most = row.values[i];
        *source = number;
    }
    return most > 0;
}

/* Whether two source tokens are parts of one word. */
static bool are_one_word(const KeptSentence *s, size_t one, size_t other)
{
    const Range first = s->sources->data[one < other ? one : other];
    const char *text = s->text->text.data;
    const size_t end = s->sources->data[one < other ? other : one].end;
    size_t at = first.begin + utf8_leading_space(text + first.begin, first.end - first.begin);

    while (one != other && at < end) {
        uint32_t code;
        at += utf8_next(text + at, end - at, &code);
        if (!kept_parts_is_letter(code)) return false;
    }
    return true;
}

/* Whether the group touches a word in the sentence, as in "{0}red", and the word beside its place translates that. */
static bool touches_word(const KeptSentence *s, const KeptEdit *edit, bool left)
{
    const KeptEdit *source_edit = &s->text->edits[edit->group];
    size_t source = find_right(s->sources, source_edit->from.begin, 0), target = 0, best = 0;

    if (!kept_parts_is_letter(neighbour(s, source_edit->to, left))) return false;
    while (target < s->targets->len && s->targets->data[target].end <= edit->from.begin) target++;
    if (left && (!source-- || !target--)) return false;
    return source < s->sources->len && best_source(s, target, &best) && are_one_word(s, best, source);
}

static bool has_space(const KeptSentence *s, size_t at)
{
    return at < s->translation_len && s->translation[at] == ' ';
}

/* Sets the spaces around a group that is not in the prefix. `is_last`: no other group follows at its place. */
static void set_spaces_of(const KeptSentence *s, KeptEdit *edit, bool is_last)
{
    const Range group = s->text->edits[edit->group].to;
    const size_t place = edit->from.begin;
    const bool left = touches_word(s, edit, true), right = touches_word(s, edit, false);

    edit->before = !left && needs_space_before(s, group, place);
    edit->after = !right && needs_space_after(s, group, place);
    if (!right || !is_last || !has_space(s, place)) return;
    edit->from.end++; /* the space goes before the group */
    edit->before = !left;
}

/* Groups at the same place are divided by a space. */
static void set_spaces(const KeptSentence *s, KeptEdit *edits)
{
    const size_t count = s->text->count;

    for (size_t i = 0; i < count; i++) {
        const size_t place = edits[i].from.begin;
        if (edits[i].from.end > place) continue; /* it is in the prefix */
        set_spaces_of(s, &edits[i], i + 1 == count || edits[i + 1].from.begin > place);
        if (i && edits[i - 1].from.begin == place && !edits[i - 1].after) edits[i].before = 1;
    }
}

/* The first place after the forced prefix. */
static size_t first_place(const KeptSentence *s)
{
    size_t place = s->forced;

    while (place && place < s->translation_len && !is_between_words(s->translation, s->translation_len, place)) place++;
    return place;
}

void kept_places_find(const KeptSentence *s, KeptEdit *edits)
{
    const AlignmentBlock *block = soft_alignment_block(s->alignment, s->first_target);
    const size_t first = first_place(s);
    size_t right = 0;

    for (size_t i = 0; i < s->text->count; i++) {
        size_t place = 0;
        right = find_right(s->sources, s->text->edits[i].from.begin, right);
        if (block) block = find_block(s, block, right);
        if (block) place = find_place(s, block, right);
        if (place < first) place = first;
        edits[i] = (KeptEdit){ .from = { place, place }, .group = i };
    }
    kept_text_find_prefix(s->text, s->sentence, (LineText){ s->translation, s->translation_len }, s->forced, edits);
    kept_edits_sort(edits, s->text->count);
    set_spaces(s, edits);
}
