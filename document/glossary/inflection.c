/* inflection.c - see inflection.h.
 *
 * A stem alone is not enough, since stemmers also remove endings that make other words: Snowball has one stem for
 * operator and operation, and one for Druck and Drucker. Therefore what follows the longest common beginning of two
 * words with the same stem has to be an ending of a declension or a conjugation. */
#include "inflection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "chars.h"
#include "term_words.h"
#include "utf8.h"

/* How words of a language are inflected. The lists have a space before and after each item. The ends of two forms of a
 * word are what follows their longest common beginning; they have no accents. */
typedef struct {
    const char *language;
    const char *endings; /* ends of words with the same stem; the empty one is always allowed. NULL: any end is */
    const char *pairs;   /* ends of words whose stems may differ, as in " f/ves " (leaf, leaves), after at least
                            SHARED_LEAST letters; NULL: none */
    const char *small;   /* more of them, for forms that begin with a small letter; NULL: none */
    const char *kept;    /* an ending that makes another word: other forms of a word with it have it, too. NULL: none */
    const char *weak;    /* the last letters of words that have no ending except -en; NULL: there are none */
    const char *umlauts; /* endings of plurals that also get an umlaut; NULL: umlauts are like other accents */
    const char
        *feminine;     /* the last letters of nouns for women, such as Kundin, whose only ending is -nen; unlike Login
                             and Rubin. NULL: there are none */
    const char *added; /* the endings of inflection_make(); NULL: none */
} EndingRules;

#define SHARED_LEAST ((size_t)3)

enum { ANY_LANGUAGE, GERMAN };

static const EndingRules ending_rules[] = {
    [ANY_LANGUAGE] = { .language = "" },
    [GERMAN] = { .language = "de",
                 .endings = " e em en ens er ern es est et m n nen ns r s se sen ses st t ",
                 .pairs = " /s /nen /se /ses a/en o/en um/en us/en ",
                 .small = " en/t en/te en/ten en/et en/ete en/eten n/t n/te n/ten e/t er/re er/ren er/rer er/rem "
                          "er/res el/le el/len el/ler el/lem el/les /ere /eren /erer /eres /ste /sten /ten /este "
                          "/esten ",
                 .kept = "er",
                 .weak = " ung heit keit schaft tion sion ",
                 .umlauts = " e en er ern n ",
                 .feminine = " erin orin istin entin antin ologin ertin undin chefin amtin ollegin rztin ltin nigin "
                             "chin eugin ",
                 .added = " s es e en n er em " },
    { .language = "en",
      .endings = " d e ed es ied ies ing s y ",
      .pairs = " f/ves fe/ves is/es /s ",
      .kept = "ing",
      .added = " s es d ed ing " },
    { .language = "es",
      .endings = " a ada adas ado ados an ando ar as ce ces e emos en er es iendo ir n o os r s z ",
      .pairs = " z/ces ",
      .added = " s es " },
    { .language = "fr",
      .endings = " a ai aient ait ant e ee ees ent er es ez f fs ir it l ls nt ons r s se ses t ts ux ve ves x z ",
      .pairs = " /s ",
      .added = " s e es x " },
    { .language = "it", .endings = " a e he hi i ie ii o " },
    { .language = "nl", .added = " s en e " },
    { .language = "pt",
      .endings = " a ada adas ado ados aes am ando ao aos ar as e em er es is l m ns o oes os r s ",
      .pairs = " ao/oes ao/aes ao/aos l/is m/ns /s ",
      .added = " s es " },
};

struct Inflection {
    pthread_mutex_t lock; /* of the fields below */
    Stemmer *stemmer;
    const EndingRules *rules;
    bool is_german; /* a capital makes a noun */
    const UNormalizer2 *decomposition;
    TermWords form, text;
    Buf end;
};

Status inflection_new(Inflection **out, const char *language, Err *err)
{
    Stemmer *stemmer = stemmer_new(language);
    UErrorCode fault = U_ZERO_ERROR;
    Inflection *made;

    *out = NULL;
    if (!stemmer) return OK;
    made = calloc(1, sizeof *made);
    if (!made) {
        stemmer_free(stemmer);
        return err_memory(err, "the stems of words");
    }
    pthread_mutex_init(&made->lock, NULL);
    made->stemmer = stemmer;
    made->rules = &ending_rules[ANY_LANGUAGE];
    for (size_t i = 0; i < sizeof ending_rules / sizeof *ending_rules; i++)
        if (strcspn(language, "-_") == 2 && strncasecmp(language, ending_rules[i].language, 2) == 0)
            made->rules = &ending_rules[i];
    made->is_german = made->rules == &ending_rules[GERMAN];
    made->decomposition = unorm2_getNFDInstance(&fault);
    if (U_SUCCESS(fault)) {
        *out = made;
        return OK;
    }
    inflection_free(made);
    return term_words_fault(fault, "normalize a text", err);
}

void inflection_free(Inflection *inflection)
{
    if (!inflection) return;
    stemmer_free(inflection->stemmer);
    term_words_free(&inflection->form);
    term_words_free(&inflection->text);
    buf_free(&inflection->end);
    pthread_mutex_destroy(&inflection->lock);
    free(inflection);
}

/* --- Words. */

/* The letters of a word without their accents; longer words are compared by their bytes alone. */
#define LETTERS_MOST 64

typedef struct {
    uint32_t data[LETTERS_MOST];
    size_t len, umlauts;
} Letters;

static bool read_letters(const Inflection *inflection, LineText word, Letters *out)
{
    out->len = out->umlauts = 0;
    for (size_t at = 0; at < word.len;) {
        UErrorCode fault = U_ZERO_ERROR;
        UChar parts[8] = { 0 };
        uint32_t code;
        at += utf8_next(word.data + at, word.len - at, &code);
        if (code >= 0x80 && unorm2_getDecomposition(inflection->decomposition, (UChar32)code, parts, 8, &fault) > 0 &&
            U_SUCCESS(fault) && !U16_IS_SURROGATE(parts[0])) {
            code = parts[0];
            out->umlauts += parts[1] == 0x0308;
        }
        if (code >= 0x80 && (U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK)) continue;
        if (out->len == LETTERS_MOST) return false;
        out->data[out->len++] = code;
    }
    return true;
}

/* Appends the letters from `at` on; a letter that is not in ASCII becomes one that is in no ending. */
static void put_end(Buf *out, const Letters *word, size_t at)
{
    for (; at < word->len; at++) buf_put_byte(out, word->data[at] < 0x80 ? (char)word->data[at] : '?');
}

static bool has_item(const char *list, const Buf *item)
{
    return list && !item->failed && strstr(list, item->data);
}

/* Whether the letters of a word from `at` on are one of these endings. */
static bool is_listed(Inflection *inflection, const char *endings, const Letters *word, size_t at)
{
    Buf *end = &inflection->end;

    if (at == word->len) return true;
    buf_clear(end);
    buf_put_byte(end, ' ');
    put_end(end, word, at);
    buf_put_text(end, " ");
    return has_item(endings, end);
}

static bool ends_with(const Letters *word, size_t end, const char *text, size_t length)
{
    size_t same = 0;

    while (end >= length && same < length && word->data[end - length + same] == (uint32_t)(unsigned char)text[same])
        same++;
    return same == length;
}

/* Whether what follows the first `shared` letters of a word is an ending. The last of these letters may be doubled
 * before it: stop, stopped. Capitals are never an ending. */
static bool is_ending(Inflection *inflection, const Letters *word, size_t shared)
{
    const char *endings = inflection->rules->endings;

    for (size_t i = shared; i < word->len; i++)
        if (u_isupper((UChar32)word->data[i])) return false;
    if (!endings || is_listed(inflection, endings, word, shared)) return true;
    return word->data[shared] == word->data[shared - 1] && is_listed(inflection, endings, word, shared + 1);
}

/* Whether the ends of two words are a pair of the language, in any order. */
static bool is_pair(Inflection *inflection, const Letters *one, const Letters *other, size_t shared)
{
    Buf *pair = &inflection->end;

    if (shared < SHARED_LEAST) return false;
    for (int turn = 0; turn < 2; turn++) {
        buf_clear(pair);
        buf_put_byte(pair, ' ');
        put_end(pair, turn ? other : one, shared);
        buf_put_byte(pair, '/');
        put_end(pair, turn ? one : other, shared);
        buf_put_text(pair, " ");
        if (has_item(inflection->rules->pairs, pair)) return true;
        if (!u_isupper((UChar32)one->data[0]) && has_item(inflection->rules->small, pair)) return true;
    }
    return false;
}

/* Whether a word ends with an ending that makes another word (EndingRules.kept), maybe before an ending of one letter,
 * and shares nothing of it with the other word: Drucker and Druck. In German, only nouns have such an ending. */
static bool lacks_kept(const Inflection *inflection, const Letters *word, size_t shared)
{
    const char *kept = inflection->rules->kept;
    const size_t length = kept ? strlen(kept) : 0;

    if (!kept || (inflection->is_german && !u_isupper((UChar32)word->data[0]))) return false;
    for (size_t after = 0; after <= 1 && length + after < word->len; after++) {
        const size_t end = word->len - after;
        if (ends_with(word, end, kept, length)) return shared <= end - length;
    }
    return false;
}

/* Whether the first `end` letters of a word end with an item of a list of EndingRules, which may be NULL. */
static bool ends_with_one(const Letters *word, size_t end, const char *list)
{
    for (; list && list[1]; list = strchr(list + 1, ' '))
        if (ends_with(word, end, list + 1, strcspn(list + 1, " "))) return true;
    return false;
}

/* Whether a word whose first `shared` letters are weak has -en after them or nothing. */
static bool fits_weak(const Inflection *inflection, const Letters *word, size_t shared)
{
    return !ends_with_one(word, shared, inflection->rules->weak) || shared == word->len ||
           (word->len == shared + 2 && ends_with(word, word->len, "en", 2));
}

/* Whether one of two nouns can be the plural, with an umlaut, of the other one, which may have the ending of a
 * genitive: Haus, Häuser; Buches, Bücher; but not Drucker, Drücken. Weak words and words in -e get no umlaut:
 * Forderung, Förderung. */
static bool fits_umlaut(Inflection *inflection, const Letters *one, const Letters *other, size_t shared)
{
    static const char *const genitives[] = { "", "s", "es" };
    const Letters *singular = one->umlauts < other->umlauts ? one : other, *plural = singular == one ? other : one;

    for (size_t i = 0; i < sizeof genitives / sizeof *genitives; i++) {
        const size_t length = strlen(genitives[i]), base = singular->len - length;
        if (ends_with(singular, singular->len, genitives[i], length) && base && base <= shared &&
            !ends_with(singular, base, "e", 1) && !ends_with_one(singular, base, inflection->rules->weak) &&
            is_listed(inflection, inflection->rules->umlauts, plural, base))
            return true;
    }
    return false;
}

static bool is_apostrophe(LineText word)
{
    return (word.len == 1 && *word.data == '\'') || (word.len == 3 && memcmp(word.data, "\xe2\x80\x99", 3) == 0);
}

/* Whether a sentence begins at this place: only quotation marks, brackets, dashes and white space are between it and
 * the beginning of the text or the end of a sentence. */
static bool begins_sentence(LineText text, size_t at)
{
    while (at) {
        uint32_t code;
        at = utf8_previous(text.data, at, &code);
        if (code == '\n' || u_hasBinaryProperty((UChar32)code, UCHAR_S_TERM) || code == ':' || code == 0x2026)
            return true;
        if (u_isalnum((UChar32)code) || code == ',' || code == ';') return false;
    }
    return true;
}

/* Whether word i of the text is word k of the form, or an inflected form of it. The first letter of the first word, at
 * byte `at` of the text, may be a capital instead of a small letter; in German only where a sentence begins. */
static bool is_form(Inflection *inflection, size_t i, size_t k, LineText text, size_t at)
{
    const LineText form = term_words_key(&inflection->form, KEY_EXACT, k, 1);
    const LineText word = term_words_key(&inflection->text, KEY_EXACT, i, 1);
    Letters x, y;
    size_t shared = 0;
    bool is_noun;

    if (chars_are_equal(form, word) || (is_apostrophe(form) && is_apostrophe(word))) return true;
    if (!read_letters(inflection, form, &x) || !read_letters(inflection, word, &y) || !x.len || !y.len) return false;
    if (!k && x.data[0] != y.data[0] && (uint32_t)u_totitle((UChar32)x.data[0]) == y.data[0] &&
        (!inflection->is_german || begins_sentence(text, at)))
        y.data[0] = x.data[0];
    while (shared < x.len && shared < y.len && x.data[shared] == y.data[shared]) shared++;
    if (!shared) return false;
    is_noun = inflection->is_german && u_isupper((UChar32)x.data[0]);
    if (is_noun && x.umlauts != y.umlauts && !fits_umlaut(inflection, &x, &y, shared)) return false;
    if (shared == x.len && shared == y.len) /* only accents differ: Vater, Väter; but not drucken, drücken */
        return is_noun || chars_are_equal(term_words_key(&inflection->form, KEY_FOLDED, k, 1),
                                          term_words_key(&inflection->text, KEY_FOLDED, i, 1));
    if (lacks_kept(inflection, &x, shared) || !fits_weak(inflection, &x, shared) || !fits_weak(inflection, &y, shared))
        return false;
    if (is_pair(inflection, &x, &y, shared)) return true;
    return is_ending(inflection, &x, shared) && is_ending(inflection, &y, shared) &&
           chars_are_equal(term_words_key(&inflection->form, KEY_STEMMED, k, 1),
                           term_words_key(&inflection->text, KEY_STEMMED, i, 1));
}

/* --- Places. */

static bool has_space(const TermWords *words, size_t i)
{
    return words->data[i].key[KEY_EXACT].begin > words->data[i - 1].key[KEY_EXACT].end;
}

/* Whether a hyphen connects the words at `place` with others, maybe far away: Massen- und Einzelfertigung. */
static bool is_in_compound(LineText text, Range place)
{
    uint32_t hyphen;

    if (place.begin) {
        const size_t at = utf8_previous(text.data, place.begin, &hyphen);
        if (u_hasBinaryProperty((UChar32)hyphen, UCHAR_HYPHEN) && u_isalnum((UChar32)utf8_code_before(text.data, at)))
            return true;
    }
    if (place.end == text.len) return false;
    place.end += utf8_next(text.data + place.end, text.len - place.end, &hyphen);
    return u_hasBinaryProperty((UChar32)hyphen, UCHAR_HYPHEN) &&
           utf8_code_at(text.data, text.len, place.end) != hyphen; /* two are a dash */
}

Status inflection_find(Inflection *inflection, LineText text, Range where, LineText form, Range *place, Err *err)
{
    const TermWords *words;
    bool found = false;
    size_t count;
    Status st;

    *place = (Range){ 0, 0 };
    if (!inflection || where.begin >= where.end) return OK;
    words = &inflection->text;
    pthread_mutex_lock(&inflection->lock);
    st = term_words_read(&inflection->form, form.data, form.len, NULL, 0, inflection->stemmer, err);
    if (st == OK)
        st = term_words_read(&inflection->text, text.data + where.begin, where.end - where.begin, NULL, 0,
                             inflection->stemmer, err);
    count = st == OK ? inflection->form.len : 0;
    for (size_t i = 0; count && !found && i + count <= words->len; i++) {
        const Range at = { where.begin + words->data[i].place.begin,
                           where.begin + words->data[i + count - 1].place.end };
        size_t k = 0;
        while (k < count && (!k || has_space(words, i + k) == has_space(&inflection->form, k)) &&
               !words->data[i + k].is_unspaced && !words->data[i + k].is_barrier &&
               is_form(inflection, i + k, k, text, at.begin))
            k++;
        found = k == count && !is_in_compound(text, at);
        if (found) *place = at;
    }
    if (st == OK) st = buf_check(&inflection->end, err);
    pthread_mutex_unlock(&inflection->lock);
    return st;
}

/* --- Making forms. */

Status inflection_make(Inflection *inflection, LineText form, Buf *out, Err *err)
{
    Letters letters;
    const bool is_feminine = inflection && read_letters(inflection, form, &letters) &&
                             ends_with_one(&letters, letters.len, inflection->rules->feminine);
    const char *endings = !inflection ? NULL : is_feminine ? " nen " : inflection->rules->added;
    const char *ending = endings ? endings + 1 : "";
    Buf made = { 0 };
    Status st = OK;

    for (size_t length; st == OK && *ending; ending += length + 1) {
        Range place;
        length = strcspn(ending, " ");
        buf_clear(&made);
        buf_put(&made, form.data, form.len);
        buf_put(&made, ending, length);
        st = buf_check(&made, err);
        if (st == OK)
            st = inflection_find(inflection, (LineText){ made.data, made.len }, (Range){ 0, made.len }, form, &place,
                                 err);
        if (st == OK && !place.begin && place.end == made.len) buf_put(out, made.data, made.len + 1);
    }
    buf_free(&made);
    return st == OK ? buf_check(out, err) : st;
}
