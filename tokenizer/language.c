/* language.c - see language.h. */
#include "language.h"

#include <stdbool.h>
#include <string.h>

#define CHINESE "zh zho chi cmn"

/* One language per row: its ISO 639-1 code, its ISO 639-2 code, and the other codes that models use for it: the
 * bibliographic code, an old one, or the main language of a group that ISO 639-1 names (zh: zho, chi, cmn). */
static const char *const languages[] = {
    /* clang-format off */
    "aa aar", "ab abk", "ae ave", "af afr", "ak aka", "am amh", "an arg", "ar ara arb", "as asm", "av ava", "ay aym ayr",
    "az aze azj", "ba bak", "be bel", "bg bul", "bh bih", "bi bis", "bm bam", "bn ben", "bo bod tib", "br bre",
    "bs bos", "ca cat", "ce che", "ch cha", "co cos", "cr cre", "cs ces cze", "cu chu", "cv chv", "cy cym wel",
    "da dan", "de deu ger", "dv div", "dz dzo", "ee ewe", "el ell gre", "en eng", "eo epo", "es spa", "et est ekk",
    "eu eus baq", "fa fas per pes", "ff ful fuv", "fi fin", "fj fij", "fo fao", "fr fra fre", "fy fry", "ga gle",
    "gd gla", "gl glg", "gn grn gug", "gu guj", "gv glv", "ha hau", "he heb iw", "hi hin", "ho hmo", "hr hrv",
    "ht hat", "hu hun", "hy hye arm", "hz her", "ia ina", "id ind in", "ie ile", "ig ibo", "ii iii", "ik ipk",
    "io ido", "is isl ice", "it ita", "iu iku", "ja jpn", "jv jav jw", "ka kat geo", "kg kon", "ki kik", "kj kua",
    "kk kaz", "kl kal", "km khm", "kn kan", "ko kor", "kr kau knc", "ks kas", "ku kur kmr", "kv kom", "kw cor", "ky kir",
    "la lat", "lb ltz", "lg lug", "li lim", "ln lin", "lo lao", "lt lit", "lu lub", "lv lav lvs", "mg mlg plt",
    "mh mah", "mi mri mao", "mk mkd mac", "ml mal", "mn mon khk", "mr mar", "ms msa may zsm", "mt mlt", "my mya bur",
    "na nau", "nb nob", "nd nde", "ne nep npi", "ng ndo", "nl nld dut", "nn nno", "no nor nob", "nr nbl", "nv nav",
    "ny nya", "oc oci", "oj oji", "om orm gaz", "or ori ory", "os oss", "pa pan", "pi pli", "pl pol", "ps pus pbt",
    "pt por", "qu que quy", "rm roh", "rn run", "ro ron rum", "ru rus", "rw kin", "sa san", "sc srd", "sd snd",
    "se sme", "sg sag", "sh hbs", "si sin", "sk slk slo", "sl slv", "sm smo", "sn sna", "so som", "sq sqi alb als",
    "sr srp", "ss ssw", "st sot", "su sun", "sv swe", "sw swa swh", "ta tam", "te tel", "tg tgk", "th tha", "ti tir",
    "tk tuk", "tl tgl fil", "tn tsn", "to ton", "tr tur", "ts tso", "tt tat", "tw twi", "ty tah", "ug uig", "uk ukr",
    "ur urd", "uz uzb uzn", "ve ven", "vi vie", "vo vol", "wa wln", "wo wol", "xh xho", "yi yid ydd", "yo yor",
    "za zha", CHINESE, "zu zul", "ns nso",
    /* clang-format on */
};
#define LANGUAGES (sizeof languages / sizeof *languages)
/* No code is in more rows. */
#define ROWS_OF_CODE 2

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static bool same_code(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (a_len != b_len) return false;
    for (size_t i = 0; i < a_len; i++)
        if (fold(a[i]) != fold(b[i])) return false;
    return true;
}

bool language_equal(const char *a, const char *b)
{
    return same_code(a, strlen(a), b, strlen(b));
}

static bool row_has(const char *row, const char *code, size_t len)
{
    while (*row) {
        size_t word = strcspn(row, " ");
        if (same_code(row, word, code, len)) return true;
        row += word + (row[word] == ' ');
    }
    return false;
}

/* A code with its rows of the table, so that many names can be compared with it. */
typedef struct {
    const char *text;
    size_t len;
    const char *rows[ROWS_OF_CODE];
    size_t count; /* of the rows */
} Code;

static Code find_rows(const char *text, size_t len)
{
    Code code = { text, len, { NULL }, 0 };

    for (size_t i = 0; i < LANGUAGES && code.count < ROWS_OF_CODE; i++)
        if (row_has(languages[i], text, len)) code.rows[code.count++] = languages[i];
    return code;
}

static bool same_language(const Code *a, const char *b, size_t b_len)
{
    if (same_code(a->text, a->len, b, b_len)) return true;
    for (size_t i = 0; i < a->count; i++)
        if (row_has(a->rows[i], b, b_len)) return true;
    return false;
}

/* The length of the language in a code: "deu" in "deu_Latn". */
static size_t base_length(const char *code, size_t len)
{
    size_t base = strcspn(code, "_-");

    return base < len ? base : len;
}

static bool is_letter(char c)
{
    return fold(c) >= 'a' && fold(c) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True for Latn, DE and 419. */
static bool is_script_or_region(const char *part, size_t len)
{
    size_t letters = 0, digits = 0;

    while (letters < len && is_letter(part[letters])) letters++;
    while (digits < len && is_digit(part[digits])) digits++;
    return (letters == len && (len == 2 || len == 4)) || (digits == len && len == 3);
}

bool language_is_known(const char *code)
{
    const size_t len = strcspn(code, "_-");

    if (!find_rows(code, len).count) return false;
    for (code += len; *code; code += strcspn(code, "_-")) {
        code++;
        if (!is_script_or_region(code, strcspn(code, "_-"))) return false;
    }
    return true;
}

void language_shorten(char *code)
{
    for (size_t i = 0; i < LANGUAGES; i++) {
        if (strlen(code) < 2 || !row_has(languages[i], code, strlen(code))) continue;
        memcpy(code, languages[i], 2);
        code[2] = '\0';
        return;
    }
}

bool language_same(const char *a, const char *b)
{
    const size_t a_len = strlen(a), b_len = strlen(b), a_base = base_length(a, a_len), b_base = base_length(b, b_len);
    Code code = find_rows(a, a_len);

    if (same_language(&code, b, b_len)) return true;
    if (a_base < a_len && b_base < b_len) return false;
    code = find_rows(a, a_base);
    return same_language(&code, b, b_base);
}

/* The part after the language: a script of four letters, or a region. */
typedef struct {
    const char *text;
    size_t len;
} Suffix;

static Suffix suffix_of(const char *code, size_t len)
{
    size_t base = base_length(code, len);

    return base < len ? (Suffix){ code + base + 1, len - base - 1 } : (Suffix){ "", 0 };
}

/* Some models distinguish the two Chinese by script and some by region, so a region becomes its script. XX is not a
 * region. */
static Suffix plain_suffix(const char *code, size_t len)
{
    static const char *const scripts[][2] = {
        { "CN", "Hans" }, { "SG", "Hans" }, { "TW", "Hant" }, { "HK", "Hant" }, { "MO", "Hant" }
    };
    Suffix suffix = suffix_of(code, len);

    if (same_code(suffix.text, suffix.len, "XX", 2)) return (Suffix){ "", 0 };
    if (!row_has(CHINESE, code, base_length(code, len))) return suffix;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (same_code(suffix.text, suffix.len, scripts[i][0], 2)) return (Suffix){ scripts[i][1], 4 };
    return suffix;
}

/* False if the suffixes are of the same kind but differ. */
static bool suffixes_agree(Suffix a, Suffix b)
{
    if (!a.len || !b.len || (a.len == 4) != (b.len == 4)) return true;
    return same_code(a.text, a.len, b.text, b.len);
}

/* Quality of a match, best first: the text as it is, which may look like a token (__de__); the same code; the same
 * language by another code; the same language in some script or region; in the same one (zh_TW is zh_Hant rather than
 * zh); and where one names a script and the other a region or nothing (eng_Latn, en_XX, en). */
enum { AS_WRITTEN, EXACTLY, BY_ANOTHER_CODE, IN_SOME_SCRIPT, IN_THE_SAME_SCRIPT, WITHOUT_CONTRADICTION, WAYS };

/* What the user asks for, and the code in it if it is a token. */
typedef struct {
    const char *text;
    Code code, base; /* whole, and without a script or region */
    Suffix suffix;
} Wanted;

/* The names of a model may be hundreds, and each line may begin with a code: what costs most comes last. */
static bool matches(const char *name, const Wanted *wanted, int how)
{
    const Code *code = &wanted->code, *base = &wanted->base;
    const size_t len = strlen(name);
    Suffix suffix;

    if (how == AS_WRITTEN) return language_equal(wanted->text, name);
    if (how == EXACTLY) return same_code(name, len, code->text, code->len);
    if (how == BY_ANOTHER_CODE) return same_language(code, name, len);
    if (how == IN_SOME_SCRIPT && base->len < code->len) return false;
    if (!same_language(base, name, base_length(name, len))) return false;
    if (how == IN_SOME_SCRIPT) return true;
    suffix = plain_suffix(name, len);
    if (how == IN_THE_SAME_SCRIPT) return same_code(suffix.text, suffix.len, wanted->suffix.text, wanted->suffix.len);
    return suffixes_agree(suffix, wanted->suffix);
}

static Wanted read_wanted(const char *text, const char *code, size_t len)
{
    return (Wanted){ text, find_rows(code, len), find_rows(code, base_length(code, len)), plain_suffix(code, len) };
}

size_t language_in_token(const char **code, const char *wanted)
{
    static const char *const marks[][2] = { { ">>", "<<" }, { "__", "__" }, { "<2", ">" } };
    const size_t len = strlen(wanted);

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t head = strlen(marks[i][0]), tail = strlen(marks[i][1]);
        if (len <= head + tail || strncmp(wanted, marks[i][0], head) != 0) continue;
        if (strcmp(wanted + len - tail, marks[i][1]) != 0) continue;
        *code = wanted + head;
        return len - head - tail;
    }
    *code = wanted;
    return len;
}

static Wanted strip_token(const char *wanted)
{
    const char *code;
    const size_t len = language_in_token(&code, wanted);

    return read_wanted(wanted, code, len);
}

bool language_may_be(const char *wanted, const char *name)
{
    const Wanted sought = strip_token(wanted);

    for (int how = AS_WRITTEN; how < WAYS; how++)
        if (matches(name, &sought, how)) return true;
    return false;
}

int language_find(const char *wanted, const char *(*name)(const void *list, size_t index), const void *list,
                  size_t count)
{
    const Wanted sought = strip_token(wanted);

    for (int how = AS_WRITTEN; how < WAYS; how++) {
        int found = LANGUAGE_NONE;
        for (size_t i = 0; i < count; i++)
            if (matches(name(list, i), &sought, how)) found = found == LANGUAGE_NONE ? (int)i : LANGUAGE_AMBIGUOUS;
        if (found != LANGUAGE_NONE) return found;
    }
    return LANGUAGE_NONE;
}
