/* fuzz_sentencepiece.c - fuzzes the reader of SentencePiece models, and compares what dragoman's own encoder, decoder
 * and normalizer do with what SentencePiece's library does.
 * Input    If the first byte is 0x0a, which begins a model file, all is the model. Otherwise it is a recipe
 *          (sp_recipe.h) and, after its empty line, a text.
 * Checks   A model is refused with one line that begins with its name, or SentencePiece's library opens it, too. Both
 *          split the text into the same pieces with the same ranges, and join pieces to the same text. Versions of the
 *          library differ where several ways to split a text are equally good, and in the score of user-defined
 *          pieces. So different pieces are accepted if dragoman's have at least the same sum of scores by dragoman's
 *          rule, and the library's have at least the same sum by the rule of one of two versions.
 * Options  -max_len=1500 -use_value_profile=1 */
#include "fuzz_support.h"

#include <float.h>
#include <math.h>

#include "buf.h"
#include "ranges.h"
#include "sp_model.h"
#include "sp_library.h"
#include "sp_recipe.h"
#include "utf8.h"

#define NAME "dir/model.spm"
/* Rounding of sums of up to some hundred scores. */
#define TOLERANCE 1e-3

/* Pieces, each with a NUL after it, and their ranges. */
typedef struct {
    Buf text;
    RangeList ranges;
    size_t count;
} Pieces;

static void take_own(void *context, const char *piece, size_t len)
{
    Pieces *pieces = context;

    buf_put(&pieces->text, piece, len);
    buf_put_byte(&pieces->text, '\0');
    pieces->count++;
}

static void take_theirs(void *context, const char *piece, size_t len, size_t begin, size_t end)
{
    Pieces *pieces = context;
    Err err = { "" };

    take_own(pieces, piece, len);
    require_ok(ranges_append(&pieces->ranges, (Range){ begin, end }, 1, &err), &err);
}

static void pieces_free(Pieces *pieces)
{
    buf_free(&pieces->text);
    ranges_free(&pieces->ranges);
}

/* The pieces as a list; the caller frees it. */
static const char **pieces_list(const Pieces *pieces)
{
    const char **list = malloc((pieces->count + 1) * sizeof *list), *at = pieces->text.data;

    require(list != NULL, "memory", "a list");
    for (size_t i = 0; i < pieces->count; i++, at += strlen(at) + 1) list[i] = at;
    return list;
}

static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* The score of a user-defined piece of `len` bytes. */
typedef double SymbolScore(const SpTraits *traits, size_t len);

/* The rule of dragoman and of SentencePiece 0.2.3. */
static double symbol_score_0_2_3(const SpTraits *traits, size_t len)
{
    (void)traits;
    return 0.1 * (double)(len - 1);
}

/* The rule of SentencePiece 0.1.97: `len` times the highest score of a normal piece (0 if all are negative), less
 * 0.1. */
static double symbol_score_0_1_97(const SpTraits *traits, size_t len)
{
    double highest = 0;

    for (size_t i = 0; i < traits->pieces->count; i++)
        if (traits->pieces->list[i].type == SP_NORMAL) highest = fmax(highest, (double)traits->pieces->list[i].score);
    return (double)len * highest - 0.1;
}

/* The sum of the scores of a Unigram model. Unknown characters count each; byte pieces as the characters that they
 * spell. */
static double sum_of(const SpTraits *traits, const Pieces *pieces, SymbolScore *symbol_score)
{
    const double unknown = (double)traits->pieces->lowest - 10;
    const char *at = pieces->text.data;
    double sum = 0;

    for (size_t i = 0; i < pieces->count; i++, at += strlen(at) + 1) {
        const int32_t id = sp_pieces_find_text(traits->pieces, at, strlen(at));
        const int byte = traits->bytes ? sp_byte_of(at, strlen(at)) : -1;
        if (byte >= 0)
            sum += (byte & 0xc0) == 0x80 ? 0 : unknown;
        else if (id < 0 || traits->pieces->list[id].type == SP_UNUSED)
            sum += unknown * (double)count_characters(at);
        else if (traits->pieces->list[id].type == SP_USER_DEFINED)
            sum += symbol_score(traits, strlen(at));
        else
            sum += (double)traits->pieces->list[id].score;
    }
    return sum;
}

static bool same_pieces(const Pieces *a, const Pieces *b)
{
    if (a->count != b->count || a->text.len != b->text.len) return false;
    return !a->text.len || memcmp(a->text.data, b->text.data, a->text.len) == 0;
}

static void show(const char *whose, const Pieces *pieces)
{
    const char *at = pieces->text.data;

    fprintf(stderr, "%s:", whose);
    for (size_t i = 0; i < pieces->count; i++, at += strlen(at) + 1) {
        fprintf(stderr, " '%s'", at);
        if (i < pieces->ranges.len)
            fprintf(stderr, "%zu-%zu", pieces->ranges.data[i].begin, pieces->ranges.data[i].end);
    }
    fputc('\n', stderr);
}

/* Whether the library's choice among ways to split a text means something. Without a normal piece, unknown characters
 * get the score FLT_MAX, which no sum can hold. */
static bool is_comparable(const SpTraits *traits)
{
    return traits->kind != SP_UNIGRAM || traits->pieces->lowest < FLT_MAX;
}

static bool is_as_good(const SpTraits *traits, const Pieces *a, const Pieces *b, SymbolScore *rule)
{
    return sum_of(traits, a, rule) > sum_of(traits, b, rule) - TOLERANCE;
}

/* Whether dragoman's pieces are at least as good by its own rule, and the library's by one of the two rules. */
static bool are_both_best(const SpTraits *traits, const Pieces *own, const Pieces *theirs)
{
    return is_as_good(traits, own, theirs, symbol_score_0_2_3) &&
           (is_as_good(traits, theirs, own, symbol_score_0_2_3) ||
            is_as_good(traits, theirs, own, symbol_score_0_1_97));
}

static void check_same(const SpTraits *traits, const Pieces *own, const Pieces *theirs, const char *text)
{
    bool same = same_pieces(own, theirs);

    if (!same && traits->kind == SP_UNIGRAM && are_both_best(traits, own, theirs)) return;
    for (size_t i = 0; same && i < own->count; i++)
        same = own->ranges.data[i].begin == theirs->ranges.data[i].begin &&
               own->ranges.data[i].end == theirs->ranges.data[i].end;
    if (same) return;
    show("dragoman", own);
    show("the library", theirs);
    require(false, "the pieces of the library", text);
}

static void check_ranges(const Pieces *pieces, size_t len)
{
    size_t begin = 0;

    require(pieces->ranges.len == pieces->count, "a range", "for each piece");
    for (size_t i = 0; i < pieces->count; i++) {
        const Range *range = &pieces->ranges.data[i];
        require(range->begin >= begin && range->begin <= range->end && range->end <= len, "order", "of ranges");
        begin = range->begin;
    }
}

static void check_decoding(const SpModel *model, const SpLibrary *library, const Pieces *pieces)
{
    const char **list = pieces_list(pieces);
    Range *ranges = malloc((pieces->count + 1) * sizeof *ranges);
    Buf text = { 0 };
    size_t len, end = 0;
    char *theirs = sp_library_decode(library, list, pieces->count, &len);
    Err err = { "" };

    require(theirs && ranges, "memory", "decoding");
    require_ok(sp_decode(&model->traits, list, pieces->count, &text, ranges, &err), &err);
    if (text.len != len || (len && memcmp(text.data, theirs, len) != 0)) {
        show("pieces", pieces);
        fprintf(stderr, "dragoman: '%s'\n", text.data ? text.data : "");
        require(false, "the text of the library", theirs);
    }
    for (size_t i = 0; i < pieces->count; end = ranges[i++].end)
        require(ranges[i].begin == end && ranges[i].end >= end, "adjacent ranges", "of decoded pieces");
    require(end == text.len, "ranges", "of the whole text");
    buf_free(&text);
    free(theirs);
    free(ranges);
    free(list);
}

static void check_text(const SpModel *model, const SpTraits *traits, const SpLibrary *library, const char *text,
                       size_t len)
{
    Pieces own = { 0 }, theirs = { 0 }, plain = { 0 };
    const bool splits = sp_library_encode(library, text, len, take_theirs, &theirs);
    Err err = { "" };
    const Status st = sp_shim_encode(model, (SpEdges){ 0 }, text, len, take_own, &own, &own.ranges, &err);

    require(st == OK || !(splits || sp_check_can_encode(traits)), "the pieces of a text", err.text);
    require(sp_shim_encode(model, (SpEdges){ 0 }, text, len, take_own, &plain, NULL, &err) == st,
            "ranges do not change", "the status");
    if (st == OK) {
        require(same_pieces(&own, &plain), "ranges do not change", "the pieces");
        check_ranges(&own, len);
        if (splits && is_comparable(traits)) check_same(traits, &own, &theirs, text);
        check_decoding(model, library, &own);
    }
    pieces_free(&own);
    pieces_free(&theirs);
    pieces_free(&plain);
}

/* Decodes pieces of the model as they come, which no text may have become. */
static void check_some_pieces(const SpModel *model, const SpLibrary *library, const char *text, size_t len)
{
    const size_t count = sp_shim_piece_count(model);
    Pieces some = { 0 };

    for (size_t i = 0; i < len && i < 40; i++) {
        const char *piece = sp_shim_piece(model, ((unsigned char)text[i] + i * 17) % count);
        take_own(&some, piece, strlen(piece));
    }
    check_decoding(model, library, &some);
    pieces_free(&some);
}

static void check_model(const SpModel *model, const Buf *bytes, const char *text, size_t len)
{
    SpLibrary *library = sp_library_open(bytes->data, bytes->len);
    const FileView file = { NAME, { .data = (const unsigned char *)bytes->data, .size = bytes->len } };
    SpTraits traits = { 0 };
    Buf loaded = { 0 }, clean = { 0 };
    size_t replaced;
    Err err = { "" };

    require(library != NULL, "a model of the library", NAME);
    require_ok(sp_check_model(&file, NULL, &loaded, &traits, &err), &err);
    buf_put_clean(&clean, text, len, &replaced);
    check_text(model, &traits, library, clean.data ? clean.data : "", clean.len);
    check_some_pieces(model, library, text, len);
    sp_traits_free(&traits);
    sp_library_free(library);
    buf_free(&loaded);
    buf_free(&clean);
}

static void check_bytes(const Buf *model, const char *text, size_t len)
{
    unsigned char *copy = fuzz_copy(model->data, model->len);
    const FileView file = { NAME, { .data = copy, .size = model->len } };
    SpModel *opened;
    Err err = { "" };

    if (sp_shim_open(&opened, &file, &err) == OK)
        check_model(opened, model, text, len);
    else
        require_message(&err, NAME);
    sp_shim_free(opened);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "  the house\tand  <0x41> \xe2\x96\x81\xef\xbc\xa1\xcc\x88 \xf0\x9f\x98\x80 aaaa </s> ";
    const bool is_file = size && *data == '\n';
    Buf model = { 0 };

    if (is_file) {
        buf_put(&model, data, size);
        check_bytes(&model, text, sizeof text - 1);
    } else {
        const size_t used = sp_recipe_build(&model, (const char *)data, size);
        check_bytes(&model, (const char *)data + used, size - used);
    }
    buf_free(&model);
    return 0;
}
