/* moses.c - see moses.h. The rules are regular expressions, applied one after the other as in the scripts. Follows
 * sacremoses 0.2.0 (normalize.py, tokenize.py) and tokenization_fsmt.py of transformers 4.57.1, with these exceptions:
 * - Languages: the rules of sacremoses for zh, ja, ko (source) and cs, fi (target) are left out, as are the
 *   abbreviations of other languages than English, German and Russian.
 * - A text that contains DOTMULTI, which sacremoses uses as a mark, is not changed by it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "moses.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/ucasemap.h>
#include <unicode/uset.h>

#include "text.h"
#include "utf8.h"

/* --- Classes of characters. sacremoses lists the characters of an older Unicode. These sets of ICU are equal to its
 * lists. A control character in a rule stands for a class, inside of [...], or for a list of words. --- */

#define ALPHA   "\001" /* IsAlpha of the detokenizer */
#define MARKS   "\002" /* viramas and nuktas, which are letters for the tokenizer */
#define DIGIT   "\003" /* IsAlnum without IsAlpha */
#define NUMBER  "\004" /* IsN */
#define LOWER   "\005" /* IsLower */
#define MONEY   "\006" /* IsSc */
#define ALWAYS  "\016" /* MosesPrefixes */
#define NUMERIC "\017"
#define LETTER  ALPHA MARKS

#define CLASSES 6
static const char *const classes[CLASSES] = {
    "[[[[:Alphabetic:]&[:Age=7.0:]&[\\u0000-\\uFFFF]]-[[:Han:]\\uAC00-\\uD7A3\\u0F82\\u0F83\\u1063\\u1064\\u1069-"
    "\\u106D"
    "\\u1087-\\u108D\\u108F\\u109A\\u109B\\u1C36\\uA802\\uA80B\\uA9E5\\uAA7B-\\uAA7D]][\\u135F\\u25CC]]",
    "[\\u093C\\u094D\\u09BC\\u09CD\\u0A3C\\u0A4D\\u0ABC\\u0ACD\\u0AFD-\\u0AFF\\u0B3C\\u0B4D\\u0BCD\\u0C4D\\u0CBC\\u0CCD"
    "\\u0D3B\\u0D3C\\u0D4D\\u0DCA\\u0EBA\\u1039\\u1714\\u1BAB\\u1C37\\uA8C4\\uA953\\uAAF6\\U00010A3F\\U00011046"
    "\\U000110B9\\U000110BA\\U00011133\\U00011173\\U000111C0\\U000111CA\\U00011235\\U00011236\\U000112E9\\U000112EA"
    "\\U0001133C\\U0001134D\\U00011442\\U00011446\\U000114C2\\U000114C3\\U000115BF\\U000115C0\\U0001163F\\U000116B6"
    "\\U000116B7\\U00011839\\U0001183A\\U000119E0\\U00011A34\\U00011C3F\\U00011D42\\U00011D45\\U00011D97\\U0001E94A]",
    "[[:Nd:]&[:Age=7.0:]&[\\u0000-\\uFFFF]]",
    "[[[:N:]&[:Age=7.0:]&[\\u0000-\\uFFFF]]-[\\u3007\\u3021-\\u3029\\u3038-\\u303A]]",
    "[[[[:Lowercase:]-[\\u10D0-\\u10FF]]&[:Age=9.0:]][\\u25CC]]",
    "[[:Sc:]&[:Age=7.0:]&[\\u0000-\\uFFFF]]",
};

/* --- The rules, in their order. In `to`, \1 to \3 stand for groups of the expression. If `when` has languages, the
 * rule holds only for these. A rule never matches empty text. --- */

#define NBSP "\xc2\xa0" /* U+00A0 */
#define DOT  "\x10"     /* a full stop beside another one; the text has no control characters any more */

#define SCRIPT MOSES_SCRIPT
#define WORDS  MOSES_WORDS
#define TEXT   MOSES_TEXT

enum {
    ENGLISH = 8,
    ROMANCE = 16,    /* French and Italian */
    APOSTROPHE = 32, /* neither English nor Romance */
    QUOTE_LAST = 64, /* a quote goes after a comma or full stop */
    QUOTE_FIRST = 128,
    COMMA = 256, /* groups of digits are separated by commas */
    FULL_STOP = 512,
    LANGUAGES = 1023 & ~7,
    FULL = 1024 /* not with MOSES_PLAIN */
};

typedef struct {
    unsigned when;
    const char *from, *to;
} Rule;

static const Rule rules[] = {
    /* replace-unicode-punctuation.perl */
    { WORDS | FULL, "[\uff0c\u3001]", "," },
    { WORDS | FULL, "[\u3002\uff0e]\\s*+", ". " },
    { WORDS | FULL, "[\u201c\u201d\u300a\u300b\u300c\u300d]", "\"" },
    { WORDS | FULL, "[\u2236\uff1a]", ":" },
    { WORDS | FULL, "\uff1f", "?" },
    { WORDS | FULL, "\uff09", ")" },
    { WORDS | FULL, "\uff01", "!" },
    { WORDS | FULL, "\uff08", "(" },
    { WORDS | FULL, "\uff1b", ";" },
    { WORDS | FULL, "\uff10", "0" },
    { WORDS | FULL, "\uff11", "1" },
    { WORDS | FULL, "\uff12", "2" },
    { WORDS | FULL, "\uff13", "3" },
    { WORDS | FULL, "\uff14", "4" },
    { WORDS | FULL, "\uff15", "5" },
    { WORDS | FULL, "\uff16", "6" },
    { WORDS | FULL, "\uff17", "7" },
    { WORDS | FULL, "\uff18", "8" },
    { WORDS | FULL, "\uff19", "9" },
    { WORDS | FULL, "\uff5e", "~" },
    { WORDS | FULL, "\u2019", "'" },
    { WORDS | FULL, "\u2026", "..." },
    { WORDS | FULL, "\u2501", "-" },
    { WORDS | FULL, "\u3008", "<" },
    { WORDS | FULL, "\u3009", ">" },
    { WORDS | FULL, "\u3010", "[" },
    { WORDS | FULL, "\u3011", "]" },
    { WORDS | FULL, "\uff05", "%" },
    /* normalize-punctuation.perl */
    { SCRIPT | WORDS, "\r", "" },
    { SCRIPT | WORDS, "\\(", " (" },
    { SCRIPT | WORDS, "\\)", ") " },
    { SCRIPT | WORDS, "( ) ++", "\1" },
    { SCRIPT | WORDS, "\\) ([.!:?;,])", ")\1" },
    { SCRIPT | WORDS, "\\( ", "(" },
    { SCRIPT | WORDS, " \\)", ")" },
    { SCRIPT | WORDS, "(\\d) %", "\1%" },
    { SCRIPT | WORDS, " :", ":" },
    { SCRIPT | WORDS, " ;", ";" },
    { SCRIPT | WORDS, "`", "'" },
    { SCRIPT | WORDS, "''", " \" " },
    { SCRIPT | WORDS, "[\u201e\u201c\u201d]", "\"" },
    { SCRIPT | WORDS, "\u2013", "-" },
    { SCRIPT | WORDS, "\u2014", " - " },
    { SCRIPT | WORDS, "( ) ++", "\1" },
    { SCRIPT | WORDS, "\u00b4", "'" },
    { SCRIPT | WORDS, "([a-zA-Z])\u2018([a-zA-Z])", "\1'\2" },
    { SCRIPT | WORDS, "([a-zA-Z])\u2019([a-zA-Z])", "\1'\2" },
    { SCRIPT | WORDS, "[\u2018\u201a]", "'" },
    { SCRIPT, "\u2019", "\"" },
    { SCRIPT | WORDS, "''", "\"" },
    { SCRIPT | WORDS, "\u2026", "..." },
    { SCRIPT, NBSP "\u00ab" NBSP, " \"" },
    { WORDS, NBSP "\u00ab" NBSP, "\"" },
    { SCRIPT | WORDS, "\u00ab" NBSP, "\"" },
    { SCRIPT | WORDS, "\u00ab", "\"" },
    { SCRIPT, NBSP "\u00bb" NBSP, "\" " },
    { WORDS, NBSP "\u00bb" NBSP, "\"" },
    { SCRIPT | WORDS, NBSP "\u00bb", "\"" },
    { SCRIPT | WORDS, "\u00bb", "\"" },
    { SCRIPT | WORDS, NBSP "%", "%" },
    { SCRIPT | WORDS, "n\u00ba" NBSP, "n\u00ba " },
    { SCRIPT | WORDS, NBSP ":", ":" },
    { SCRIPT | WORDS, NBSP "\u00baC", " \u00baC" },
    { SCRIPT | WORDS, NBSP "cm", " cm" },
    { SCRIPT | WORDS, NBSP "\\?", "?" },
    { SCRIPT | WORDS, NBSP "!", "!" },
    { SCRIPT | WORDS, NBSP ";", ";" },
    { SCRIPT | WORDS, "," NBSP, ", " },
    { SCRIPT | WORDS, "( ) ++", "\1" },
    { SCRIPT | WORDS | QUOTE_LAST, "(\")([,.]++)", "\2\1" },
    { SCRIPT | WORDS | QUOTE_FIRST, ",\"", "\"," },
    { SCRIPT | QUOTE_FIRST, "(?:\\G|(?<!\\.))(\\.++)(\")(\\s*[^<]|$)", "\2\1\3" },
    { WORDS | QUOTE_FIRST, "(?:\\G|(?<!\\.))(\\.++)(\")(\\s*[^<])", "\2\1\3" },
    { SCRIPT | WORDS | COMMA, "(\\d)" NBSP "(\\d)", "\1,\2" },
    { SCRIPT | WORDS | FULL_STOP, "(\\d)" NBSP "(\\d)", "\1.\2" },
    /* remove-non-printing-char.perl */
    { WORDS | FULL, "\\p{C}++", "" },
    /* tokenizer.perl */
    { WORDS, "[\\x01-\\x1f]++", "" },
    { WORDS, "\\s++", " " },
    { WORDS, "^ | $", "" },
    { WORDS, "([^" LETTER DIGIT "\\s.'`,\\-])", " \1 " },
    { WORDS | FULL, "([" LETTER DIGIT "])-(?=[" LETTER DIGIT "])", "\1 @-@ " },
    { WORDS, "(?<=\\.)\\.|\\.(?=\\.)", DOT },
    { WORDS, "(?<!" DOT ")" DOT, " " DOT },
    { WORDS, DOT "(?!" DOT ")", DOT " " },
    { WORDS, "([^" NUMBER "]),", "\1 , " },
    { WORDS, ",([^" NUMBER "])", " , \1" },
    { WORDS, "([" NUMBER "]),$", "\1 , " },
    { WORDS | ENGLISH | ROMANCE, "([^" LETTER "])'([^" LETTER "])", "\1 ' \2" },
    { WORDS | ENGLISH, "([^" LETTER NUMBER "])'([" LETTER "])", "\1 ' \2" },
    { WORDS | ROMANCE, "([^" LETTER "])'([" LETTER "])", "\1 ' \2" },
    { WORDS | ENGLISH | ROMANCE, "([" LETTER "])'([^" LETTER "])", "\1 ' \2" },
    { WORDS | ENGLISH, "([" LETTER "])'([" LETTER "])", "\1 '\2" },
    { WORDS | ROMANCE, "([" LETTER "])'([" LETTER "])", "\1' \2" },
    { WORDS | ENGLISH, "([" NUMBER "])'(s)", "\1 '\2" },
    { WORDS | APOSTROPHE, "'", " ' " },
    /* A full stop at the end of a word is a word, unless a word in lower case follows, the word is an abbreviation, or
     * it has letters and other full stops. */
    { WORDS,
      "(?<!\\S)(?=\\S++(?<=\\.))(?!(?:" ALWAYS ")\\.(?!\\S))(?!(?:" NUMERIC ")\\.\\s++[0-9])"
      "([^\\s.]++|[^\\s" LETTER "]+)\\.(?!\\S)(?!\\s++[" LOWER "])",
      "\1 ." },
    { WORDS, "\\s++", " " },
    { WORDS, "^ | $", "" },
    { WORDS, "\\.'$", " . '" },
    { WORDS, DOT, "." },
    { WORDS | FULL, "&", "&amp;" },
    { WORDS | FULL, "\\|", "&#124;" },
    { WORDS | FULL, "<", "&lt;" },
    { WORDS | FULL, ">", "&gt;" },
    { WORDS | FULL, "'", "&apos;" },
    { WORDS | FULL, "\"", "&quot;" },
    { WORDS | FULL, "\\[", "&#91;" },
    { WORDS | FULL, "\\]", "&#93;" },
    /* detokenizer.perl; the rest is in moses_join(). */
    { TEXT, "\\s++", " " },
    { TEXT, "^ | $", "" },
    { TEXT, "(?:^| )@-@(?: |$)", "-" },
    { TEXT, "&bar;", "|" },
    { TEXT, "&#124;", "|" },
    { TEXT, "&lt;", "<" },
    { TEXT, "&gt;", ">" },
    { TEXT, "&bra;", "[" },
    { TEXT, "&ket;", "]" },
    { TEXT, "&quot;", "\"" },
    { TEXT, "&apos;", "'" },
    { TEXT, "&#91;", "[" },
    { TEXT, "&#93;", "]" },
    { TEXT, "&amp;", "&" },
};
#define RULES (sizeof rules / sizeof *rules)

/* Kinds of words for moses_join(). */
enum { OPENING, CLOSING, QUOTE, CONTRACTION, ELISION, WORD, KINDS };
static const char *const kinds[KINDS] = {
    [OPENING] = "^[" MONEY "([{\u00bf\u00a1]+$",
    [CLOSING] = "^[,.?!:;\\\\%})\\]]+$",
    [QUOTE] = "^['\"\u201e\u201c`]+$",
    [CONTRACTION] = "^'[" ALPHA "]",
    [ELISION] = "[" ALPHA "]'$",
    [WORD] = "^[" ALPHA "]",
};

struct Moses {
    unsigned languages;
    bool lowers, is_korean, is_french, elides; /* `elides`: French, Italian and Irish */
    pcre2_code *codes[RULES];                  /* NULL: the rule does not hold */
    pcre2_code *kinds[KINDS];
};

void moses_free(Moses *moses)
{
    if (!moses) return;
    for (size_t i = 0; i < RULES; i++) pcre2_code_free(moses->codes[i]);
    for (size_t i = 0; i < KINDS; i++) pcre2_code_free(moses->kinds[i]);
    free(moses);
}

/* Appends a class as ranges of code points. */
static Status put_class(Buf *out, const char *pattern, Err *err)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar wide[1024];
    USet *set;

    u_uastrncpy(wide, pattern, sizeof wide / sizeof *wide);
    set = uset_openPattern(wide, -1, &code);
    for (int32_t i = 0; U_SUCCESS(code) && i < uset_getRangeCount(set); i++) {
        UErrorCode ignored = U_ZERO_ERROR;
        UChar32 begin, end;
        (void)uset_getItem(set, i, &begin, &end, NULL, 0, &ignored);
        buf_put_format(out, "\\x{%x}-\\x{%x}", (unsigned)begin, (unsigned)end);
    }
    uset_close(set);
    return U_SUCCESS(code) ? buf_check(out, err) : err_memory(err, "classes of characters");
}

/* Appends words as alternatives; if there are none, an expression that never matches. */
static void put_words(Buf *out, const char *words)
{
    if (!*words) buf_put_text(out, "(?!)");
    for (size_t len; *words; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        buf_put_format(out, "\\Q%.*s\\E%s", (int)len, words, words[len] ? "|" : "");
    }
}

typedef struct {
    Buf text[' ']; /* what each control character in a rule stands for; empty: itself */
} Meanings;

static Status compile(pcre2_code **out, const char *rule, bool unicode, const Meanings *meanings, Err *err)
{
    Buf text = { 0 };
    int fault;
    size_t at;
    Status st;

    for (; *rule; rule++) {
        const Buf *meaning = (unsigned char)*rule < ' ' ? &meanings->text[(unsigned char)*rule] : NULL;
        if (meaning && meaning->len)
            buf_put(&text, meaning->data, meaning->len);
        else
            buf_put_byte(&text, *rule);
    }
    st = buf_check(&text, err);
    if (st == OK)
        *out = pcre2_compile((PCRE2_SPTR)text.data, text.len, PCRE2_UTF | (unicode ? PCRE2_UCP : 0), &fault, &at, NULL);
    if (st == OK && !*out) st = err_memory(err, "the rules of Moses");
    buf_free(&text);
    return st;
}

static bool is_one_of(const char *language, const char *const *list)
{
    while (*list && strcmp(*list, language) != 0) list++;
    return *list != NULL;
}
#define IS_ONE_OF(language, ...) is_one_of(language, (const char *const[]){ __VA_ARGS__, NULL })

Status moses_new(Moses **out, unsigned uses, const char *language, bool lowers, Err *err)
{
    const bool english = IS_ONE_OF(language, "en"), romance = IS_ONE_OF(language, "fr", "it");
    const bool quote_first =
        IS_ONE_OF(language, "de", "es", "fr") || (uses & SCRIPT && !english && !IS_ONE_OF(language, "cs"));
    const MosesPrefixes *prefixes = moses_prefixes(language);
    Meanings meanings = { 0 };
    Moses *m = calloc(1, sizeof *m);
    Status st = m ? OK : err_memory(err, "the rules of Moses");

    *out = NULL;
    if (st == OK) {
        *m = (Moses){ .lowers = lowers,
                      .is_korean = IS_ONE_OF(language, "ko"),
                      .is_french = IS_ONE_OF(language, "fr"),
                      .elides = romance || IS_ONE_OF(language, "ga") };
        m->languages = english ? ENGLISH | QUOTE_LAST : romance ? ROMANCE : APOSTROPHE;
        m->languages |= quote_first ? QUOTE_FIRST : 0;
        m->languages |= IS_ONE_OF(language, "de", "es", "cz", "cs", "fr") ? COMMA : FULL_STOP;
    }
    for (size_t i = 0; st == OK && uses != SCRIPT && i < CLASSES; i++)
        st = put_class(&meanings.text[i + 1], classes[i], err);
    put_words(&meanings.text[(unsigned char)*ALWAYS], prefixes->always);
    put_words(&meanings.text[(unsigned char)*NUMERIC], prefixes->numeric);
    for (size_t i = 0; st == OK && i < RULES; i++)
        if (rules[i].when & uses && !(uses & MOSES_PLAIN && rules[i].when & FULL) &&
            (!(rules[i].when & LANGUAGES) || rules[i].when & m->languages))
            st = compile(&m->codes[i], rules[i].from, uses != SCRIPT, &meanings, err);
    for (size_t i = 0; st == OK && uses & TEXT && i < KINDS; i++)
        st = compile(&m->kinds[i], kinds[i], true, &meanings, err);
    for (size_t i = 0; i < sizeof meanings.text / sizeof *meanings.text; i++) buf_free(&meanings.text[i]);
    if (st == OK)
        *out = m;
    else
        moses_free(m);
    return st;
}

/* --- Applying the rules. --- */

/* The text between two rules. */
typedef struct {
    Buf text;
    bool traced;   /* the origins are asked for */
    RangeList map; /* of the bytes of `text`, if traced */
} Traced;

static void traced_free(Traced *line)
{
    buf_free(&line->text);
    ranges_free(&line->map);
}

/* Appends `count` bytes of `in`. */
static void copy(Traced *out, const Traced *in, size_t at, size_t count)
{
    if (count) buf_put(&out->text, in->text.data + at, count);
    if (out->traced) ranges_put_all(&out->map, in->map.data + at, count);
}

/* Appends a new byte in place of `count` bytes of `in`. */
static void put_byte(Traced *out, char byte, const Traced *in, size_t at, size_t count)
{
    buf_put_byte(&out->text, byte);
    if (out->traced) ranges_put(&out->map, ranges_origin(&in->map, (Range){ at, at + count }), 1);
}

static Status check(Traced *line, Err *err)
{
    const Status st = buf_check(&line->text, err);

    return st == OK ? ranges_check(&line->map, err) : st;
}

/* A text and the memory to change it. */
typedef struct {
    Traced line, spare;
    pcre2_match_data *match;
    Err *err;
} Work;

/* Finds an expression in text[at, len); the groups are then in work->match. */
static Status find(Work *work, const pcre2_code *code, const char *text, size_t len, size_t at, bool *found)
{
    const int count = pcre2_match(code, (PCRE2_SPTR)(len ? text : ""), len, at, PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY,
                                  work->match, NULL);

    *found = count > 0;
    if (count > 0 || count == PCRE2_ERROR_NOMATCH) return OK;
    return count == PCRE2_ERROR_NOMEMORY || count == PCRE2_ERROR_HEAPLIMIT
               ? err_memory(work->err, "the words of a text")
               : err_set(work->err, ERR_FORMAT,
                         "a text of %zu bytes has words that are too long for the rules of Moses", len);
}

static Status apply_rule(Work *work, const pcre2_code *code, const char *to)
{
    const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(work->match);
    Traced *line = &work->line, *spare = &work->spare;
    size_t done = 0;
    bool found;
    Status st = find(work, code, line->text.data, line->text.len, 0, &found);

    if (st != OK || !found) return st;
    buf_clear(&spare->text);
    ranges_clear(&spare->map);
    while (st == OK && found) {
        const size_t begin = groups[0], end = groups[1];
        copy(spare, line, done, begin - done);
        for (const char *c = to; *c; c++) {
            const size_t group = 2 * (size_t)(unsigned char)*c;
            if (group <= 6)
                copy(spare, line, groups[group], groups[group + 1] - groups[group]);
            else
                put_byte(spare, *c, line, begin, end - begin);
        }
        done = end;
        st = find(work, code, line->text.data, line->text.len, done, &found);
    }
    copy(spare, line, done, line->text.len - done);
    if (st == OK) st = check(spare, work->err);
    const Traced before = *line;
    *line = *spare;
    *spare = before;
    return st;
}

/* Converts the text to lower case as Python does: the only character that becomes two is the dotted capital I. */
static Status lower(Work *work)
{
    Traced *line = &work->line, *spare = &work->spare;
    UErrorCode code = U_ZERO_ERROR;
    UCaseMap *map = ucasemap_open("", 0, &code);
    const int32_t size = (int32_t)line->text.len;
    char *small = malloc(3 * line->text.len + 1);
    int32_t len = 0;

    if (map && small) len = ucasemap_utf8ToLower(map, small, 3 * size + 1, line->text.data, size, &code);
    for (size_t from = 0, to = 0; small && U_SUCCESS(code) && from < line->text.len;) {
        uint32_t old, new;
        const size_t begin = from, first = to;
        from += utf8_next(line->text.data + from, line->text.len - from, &old);
        to += utf8_next(small + to, (size_t)len - to, &new);
        if (old == 0x130) to += utf8_next(small + to, (size_t)len - to, &new);
        for (size_t i = first; i < to; i++) put_byte(spare, small[i], line, begin, from - begin);
    }
    ucasemap_close(map);
    free(small);
    if (!small || U_FAILURE(code)) return err_memory(work->err, "a text in lower case");
    const Traced before = *line;
    *line = *spare;
    *spare = before;
    return check(line, work->err);
}

static Status begin_work(Work *work, const char *text, size_t len, bool traced, Err *err)
{
    *work = (Work){ .line.traced = traced, .spare.traced = traced, .err = err };
    if (len) buf_put(&work->line.text, text, len);
    if (traced) ranges_put_bytes(&work->line.map, 0, len);
    work->match = pcre2_match_data_create(4, NULL);
    return work->match ? check(&work->line, err) : err_memory(err, "the words of a text");
}

/* Ends the work, and appends the text and its origins unless an error has occurred. */
static Status end_work(Work *work, Status st, Buf *out, RangeList *map)
{
    if (st == OK && work->line.text.len) {
        buf_put(out, work->line.text.data, work->line.text.len);
        if (map) ranges_put_all(map, work->line.map.data, work->line.map.len);
        st = buf_check(out, work->err);
        if (st == OK && map) st = ranges_check(map, work->err);
    }
    pcre2_match_data_free(work->match);
    traced_free(&work->line);
    traced_free(&work->spare);
    return st;
}

static Status apply_all(const Moses *moses, MosesUse use, Work *work)
{
    Status st = moses->lowers && use == WORDS ? lower(work) : OK;

    for (size_t i = 0; st == OK && i < RULES; i++)
        if (moses->codes[i] && rules[i].when & use) st = apply_rule(work, moses->codes[i], rules[i].to);
    return st;
}

Status moses_apply(const Moses *moses, MosesUse use, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    Work work;
    Status st = begin_work(&work, text, len, map != NULL, err);

    if (st == OK) st = apply_all(moses, use, &work);
    return end_work(&work, st, out, map);
}

/* --- Joining words. --- */

/* sacremoses counts these as CJK, which have no spaces between words. */
static bool is_cjk(uint32_t code)
{
    static const uint32_t ranges[][2] = { { 0x1100, 0x11ff },   { 0x2e80, 0xa4cf },   { 0xa840, 0xa87f },
                                          { 0xac00, 0xd7af },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe4f },
                                          { 0xff65, 0xffdc },   { 0x17000, 0x18aff }, { 0x1b000, 0x1b12f },
                                          { 0x1b170, 0x1b2ff }, { 0x20000, 0x2ffff } };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code <= ranges[i][1]) return code >= ranges[i][0];
    return false;
}

/* The quotes so far: equal ones open and close in turn. Typographic double ones are equal to the ASCII one. */
typedef struct {
    LineText text;
    bool open;
} QuoteState;
typedef LIST_OF(QuoteState) QuoteStates;

/* Returns the state of a quote; NULL: out of memory. */
static bool *quote_state(QuoteStates *states, LineText quote)
{
    size_t at = 0, typographic = 0;

    for (; at + 3 <= quote.len && text_begins_with(quote.data + at, "\xe2\x80"); at += 3) typographic++;
    if (typographic && at == quote.len) quote = (LineText){ "\"", 1 };
    for (size_t i = 0; i < states->len; i++)
        if (ranges_compare_texts(&states->data[i].text, &quote) == 0) return &states->data[i].open;
    LIST_PUT(states, ((QuoteState){ quote, false }));
    return states->failed ? NULL : &states->data[states->len - 1].open;
}

Status moses_join(const Moses *moses, const char *words, size_t len, Buf *out, RangeList *map, Err *err)
{
    QuoteStates quotes = { 0 };
    LineText before = { "", 0 }, word;
    bool joins = true; /* no space follows the word before */
    Work work;
    Status st = begin_work(&work, words, len, map != NULL, err);
    const Traced *line = &work.line;
    Traced *text = &work.spare;

    if (st == OK) st = apply_all(moses, TEXT, &work);
    buf_clear(&text->text);
    ranges_clear(&text->map);
    for (size_t at = 0; st == OK && at < line->text.len; at += word.len + 1) {
        const char *space = memchr(line->text.data + at, ' ', line->text.len - at);
        bool is[KINDS], joins_before = joins, *open = NULL;
        uint32_t code;
        word = (LineText){ line->text.data + at, (space ? (size_t)(space - line->text.data) : line->text.len) - at };
        for (size_t i = 0; st == OK && i < KINDS; i++)
            st = find(&work, moses->kinds[i], word.data, word.len, 0, &is[i]);
        if (st != OK) break;
        joins = false;
        (void)utf8_next(word.data, word.len, &code);
        if (is_cjk(code) && !moses->is_korean) {
            joins_before |= before.len && is_cjk(utf8_code_before(before.data, before.len));
        } else if (is[OPENING]) {
            joins = true;
        } else if (is[CLOSING]) {
            joins_before = !(moses->is_french && word.len == 1 && strchr("?!:;\\%", *word.data));
        } else if (moses->languages & ENGLISH && before.len && is[CONTRACTION]) {
            joins_before = true;
        } else if (moses->elides && is[ELISION] && space) {
            const char *next = space + 1;
            st = find(&work, moses->kinds[WORD], next, line->text.len - (size_t)(next - line->text.data), 0, &joins);
        } else if (is[QUOTE]) {
            open = quote_state(&quotes, word);
            if (!open) break;
            const bool possessive = !*open && moses->languages & ENGLISH && word.len == 1 && *word.data == '\'' &&
                                    before.len && before.data[before.len - 1] == 's';
            joins_before |= *open || possessive;
            joins = !*open && !possessive;
            *open ^= !possessive;
        }
        if (!joins_before && text->text.len) put_byte(text, ' ', line, at, 0);
        copy(text, line, at, word.len);
        before = word;
    }
    if (st == OK) st = LIST_CHECK(&quotes, "the quotes of a text", err);
    if (st == OK) st = check(text, err);
    free(quotes.data);
    const Traced joined = *text;
    work.spare = work.line;
    work.line = joined;
    return end_work(&work, st, out, map);
}
