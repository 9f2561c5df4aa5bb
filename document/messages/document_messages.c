/* document_messages.c - the strings of programs: gettext PO and POT, Java .properties, Apple .strings.
 *
 * PO           Each line of a msgid (up to a \n) is the source of a unit. The translations of these units are written
 *              one after the other into the msgstr: the first one replaces it, the others are inserted after it. Fuzzy
 *              entries and entries without a translation are translated and marked as fuzzy. An entry with plural
 *              forms gets as many msgstr as the language has forms. Obsolete entries (#~) are comments.
 * .properties  The values are texts. A document in ASCII stays in ASCII unless the user has named an encoding, because
 *              Java before version 9 reads these files as Latin-1.
 * .strings     "key" = "value"; with comments as in C. The values are texts. */
#include <stdio.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "utf8.h"

/* Bits of the context of a text. */
enum {
    IN_MESSAGE = 1, /* the text is a pattern of Java's MessageFormat */
    IN_ASCII = 2,   /* other characters than ASCII are written as escapes */
    AFTER_SPACE = 4 /* only white space is between key and value, so the value must not begin with '=' or ':' */
};

/* --- Escapes ----------------------------------------------------------------------------- */

#define C_LETTERS "\"\\abfnrtv", "\"\\\a\b\f\n\r\t\v"

static const EscapeRules po_escapes = { C_LETTERS, "", 0xff, true };
static const EscapeRules java_escapes = { "fnrt", "\f\n\r\t", "", 0, true };
static const EscapeRules apple_escapes = { C_LETTERS, "uU", 0xffff, true }; /* for reading */
static const EscapeRules written_apple_escapes = { "\"\\nrt", "\"\\\n\r\t", "U", 0, false };

/* If the part is a space or a newline and a line continuation follows, makes both one part. join_length() returns the
 * length of a line continuation at the beginning of `bytes`, or 0. */
static EscapedPart with_join(EscapedPart part, size_t (*join_length)(const char *, size_t), const char *bytes,
                             size_t length)
{
    if (part.size == 1 && (part.text[0] == ' ' || part.text[0] == '\n'))
        part.length += join_length(bytes + part.length, length - part.length);
    return part;
}

/* --- The apostrophes of Java's MessageFormat: '' is an apostrophe; a single ' quotes the text up to the next one. For
 * example, '{'name'}' shows {name}. */

/* Returns the part at byte `at`; at the end of the string, a part without text. */
static EscapedPart part_or_end(EscapedReader *read, const char *bytes, size_t at, size_t end)
{
    return at < end ? read(bytes + at, end - at) : (EscapedPart){ .size = 0 };
}

/* Returns the character of a part; NUL: it has no text, or a character that is not ASCII. */
static char char_of(EscapedPart part)
{
    return part.size == 1 ? *part.text : '\0';
}

/* Whether a string is a pattern of MessageFormat: it has an argument such as {0}, and its single apostrophes only quote
 * braces or text in braces. A string with other apostrophes, such as Can't open {0}, is hardly a pattern. */
static bool is_message_format(EscapedReader *read, const char *bytes, size_t length)
{
    bool has_argument = false, is_quoted = false;
    EscapedPart part, next;
    char last = '\0';

    for (size_t at = 0; at < length; at += part.length, last = char_of(part)) {
        part = read(bytes + at, length - at);
        next = part_or_end(read, bytes, at + part.length, length);
        if (char_of(part) != '\'') {
            has_argument |= !is_quoted && char_of(part) == '{' && char_is_digit(char_of(next));
        } else if (is_quoted) {
            if (!char_is_among(last, "{}") || char_is_among(char_of(next), "{}'")) return false;
            is_quoted = false;
        } else if (char_of(next) == '\'') {
            part.length += next.length;
        } else if (char_is_among(char_of(next), "{}")) {
            is_quoted = true;
        } else {
            return false;
        }
    }
    return has_argument && !is_quoted;
}

/* Reads a character of a MessageFormat pattern: '' is an apostrophe; a brace and the ' that quotes it are one part. */
static EscapedPart read_message(EscapedReader *read, const char *bytes, size_t length)
{
    EscapedPart part = read(bytes, length), next = part_or_end(read, bytes, part.length, length), after;

    if (char_of(part) == '\'') {
        if (!char_is_among(char_of(next), "{}'")) return part;
        next.length += part.length;
        part = next;
        next = part_or_end(read, bytes, part.length, length);
    }
    if (!char_is_among(char_of(part), "{}") || char_of(next) != '\'') return part;
    after = part_or_end(read, bytes, part.length + next.length, length);
    if (!char_is_among(char_of(after), "{}'")) part.length += next.length;
    return part;
}

static bool keeps_message(EscapedReader *const readers[2], const char *spelling, size_t length,
                          const SpellingPlace *place)
{
    const bool has_apostrophe = length > 1 && (*spelling == '\'' || spelling[length - 1] == '\'');

    if ((place->context & IN_MESSAGE) && has_apostrophe) return true; /* safe beside any text */
    return escaped_text_keeps(readers[place->context & IN_MESSAGE], spelling, length, place);
}

/* --- PO: languages in the headers, their names, and their plural forms -------------------
 * The plural rules come from the GNU gettext manual (section "Plural forms") or, for languages that the manual leaves
 * out, from the rules of the Unicode CLDR for whole numbers. */

/* The largest number of plural forms in a language. */
#define PO_FORMS 6

typedef struct {
    const char *languages; /* their codes, separated by spaces */
    size_t count;          /* number of forms */
    size_t singular;       /* index of the form for 1; PO_FORMS if there is only one form */
    const char *rule;      /* the value of Plural-Forms */
} PoPlurals;

static const PoPlurals all_plurals[] = {
    { "ja zh ko vi th id ms my lo km jv su wo yo ig dz bo yue", 1, PO_FORMS, "nplurals=1; plural=0;" },
    { "fr hy kab ln mg oc ti wa bh ff tg uz br fa hi bn gu kn zu am as pt_BR pt-BR fil tl", 2, 0,
      "nplurals=2; plural=(n > 1);" },
    { "en de nl sv da no nb nn fo es pt it el bg et fi hu eu ca gl eo he iw tr af sq az ka kk ky mn ne ur ta te ml mr "
      "pa si sw so ha xh tn st ny sn lb fy ast an ia io or ps ku ug tk tt rm fur sc yi gsw dv",
      2, 0, "nplurals=2; plural=(n != 1);" },
    { "is mk", 2, 0, "nplurals=2; plural=(n % 10 != 1 || n % 100 == 11);" },
    { "ru uk be sr hr bs sh", 3, 0,
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { "pl csb szl", 3, 0, "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { "cs sk", 3, 0, "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;" },
    { "lt", 3, 0, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);" },
    { "lv", 3, 0, "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);" },
    { "ro mo", 3, 0, "nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);" },
    { "sl hsb dsb", 4, 0, "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);" },
    { "mt", 4, 0,
      "nplurals=4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? 2 : 3);" },
    { "gd", 4, 0, "nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;" },
    { "cy", 4, 0, "nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;" },
    { "ga", 5, 0, "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : (n>2 && n<7) ? 2 : (n>6 && n<11) ? 3 : 4;" },
    { "ar", 6, 1,
      "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);" },
};

/* Returns the plural forms of a language, which may be written pt-BR or pt_BR; NULL: unknown. */
static const PoPlurals *plurals_of(const char *language)
{
    const size_t lengths[] = { strlen(language), strcspn(language, "-_@") };

    for (size_t k = 0; k < 2; k++) /* first with the region, then without it */
        for (size_t i = 0; i < sizeof all_plurals / sizeof *all_plurals; i++)
            if (chars_are_among(language, lengths[k], all_plurals[i].languages)) return &all_plurals[i];
    return NULL;
}

/* Converts a BCP 47 tag to the spelling of gettext: pt-BR to pt_BR, zh-Hans to zh_CN, sr-Latn to sr@latin. */
static void put_po_language(const char *language, char *out, size_t size)
{
    static const char *const names[][2] = {
        { "zh-Hans", "zh_CN" },
        { "zh-Hant", "zh_TW" },
        { "sr-Latn", "sr@latin" },
        { "sr-Cyrl", "sr" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(language, names[i][0]) == 0) language = names[i][1];
    snprintf(out, size, "%s", language);
    for (; *out; out++)
        if (*out == '-') *out = '_';
}

/* --- PO: reading entries --------------------------------------------------------------------- */

#define LONGEST_NAME 48
#define LONGEST_RULE 200

/* A string of one or more quoted parts, "a" "b". `text` is what is between the first and the last quote. */
typedef struct {
    bool is_there;
    size_t begin; /* byte of its keyword */
    Range text;
} PoString;

typedef struct {
    PoString context, id, plural;
    PoString translations[PO_FORMS]; /* msgstr or msgstr[0], msgstr[1], ... */
    size_t count;                    /* number of translations */
    bool is_fuzzy, has_flags;
    bool is_java;           /* it has the flag java-format */
    ArgumentRule arguments; /* from the flags, such as c-format */
    size_t flags;           /* byte at which a flag can be inserted, with `has_flags` */
    size_t begin;           /* byte of the first line after the comments */
} PoEntry;

typedef struct {
    DocumentBuilder *builder;
    const DocumentOptions *options;
    const char *bytes;
    size_t at, end;
    const char *newline;      /* line break of the file */
    const PoPlurals *plurals; /* of the target language; NULL: entries keep their number of forms */
    PoPlurals own;            /* the plural forms in the header */
    size_t header_end;        /* byte at which Plural-Forms can be added to the header; 0: do not add it */
    bool has_plurals;         /* an entry has plural forms */
    bool has_other_forms;     /* an entry that is not translated again has a different number of forms */
} PoParser;

/* Returns the length of what divides two parts of a string: a quote, white space and a quote. 0: bytes[0] does not
 * begin such a division. */
static size_t quotes_length(const char *bytes, size_t length)
{
    const size_t at = length && *bytes == '"' ? chars_skip(bytes, 1, length, " \t\r\n") : length;

    return at < length && bytes[at] == '"' ? at + 1 : 0;
}

/* Reads a character. As in gettext, \ooo, or \x with all hexadecimal digits after it, is a byte modulo 256. A byte
 * above 0x7f has no text, because its encoding is unknown. */
static EscapedPart read_po(const char *bytes, size_t length)
{
    const size_t join = quotes_length(bytes, length);
    EscapedPart part;

    if (join) return escaped_text_code(join, 0);
    if (*bytes != '\\') {
        part = escaped_text_plain(bytes, length);
    } else if (length < 2 || bytes[1] == '\n') {
        return escaped_text_code(1, 0);
    } else if (bytes[1] == 'x') {
        uint32_t code = 0;
        size_t at = 2;
        for (; at < length && char_hex_value(bytes[at]) >= 0; at++)
            code = (code * 16 + (uint32_t)char_hex_value(bytes[at])) & 0xff;
        part = escaped_text_code(at, code < 0x80 ? code : 0);
    } else {
        part = escaped_text_escape(&po_escapes, bytes, length);
    }
    return with_join(part, quotes_length, bytes, length);
}

static EscapedPart read_po_message(const char *bytes, size_t length)
{
    return read_message(read_po, bytes, length);
}

static EscapedReader *const po_readers[] = { read_po, read_po_message };

/* Reads a string of one or more quoted parts, and moves p->at to the byte after it. */
static void read_po_string(PoParser *p, size_t keyword, PoString *string)
{
    size_t next = chars_skip(p->bytes, p->at, p->end, " \t\r\n");

    if (string->is_there) document_builder_fail(p->builder, keyword, "this keyword appears twice in the entry");
    if (next == p->end || p->bytes[next] != '"')
        document_builder_fail(p->builder, p->at, "expected a string in quotes");
    *string = (PoString){ true, keyword, { next + 1, next + 1 } };
    while (next < p->end && p->bytes[next] == '"' && !document_builder_failed(p->builder)) {
        size_t end = next + 1;
        while (end < p->end && p->bytes[end] != '\n' && p->bytes[end] != '"')
            end += p->bytes[end] == '\\' && end + 1 < p->end && p->bytes[end + 1] != '\n' ? 2 : 1;
        if (end >= p->end || p->bytes[end] != '"') {
            document_builder_fail(p->builder, next, "this string has no closing quote in its line");
            return;
        }
        string->text.end = end;
        p->at = end + 1;
        next = chars_skip(p->bytes, p->at, p->end, " \t\r\n");
    }
}

/* If the word is at p->at, moves p->at to its end and returns true. */
static bool take_word(PoParser *p, const char *word)
{
    const size_t next = p->at + strlen(word);

    if (!chars_begin(p->bytes, p->at, p->end, word)) return false;
    if (next < p->end && !strchr(" \t\r\n\"[", p->bytes[next])) return false;
    p->at = next;
    return true;
}

/* Reads the line of flags [p->at, end), such as "#, fuzzy, c-format". */
static void read_flags(const PoParser *p, PoEntry *entry, size_t end)
{
    /* Formats in which placeholders may have numbers: %1$s or {0}. */
    static const char with_percent[] = "c-format objc-format php-format perl-format java-printf-format";
    static const char with_braces[] = "python-brace-format c++-format rust-format";

    entry->has_flags = true;
    entry->flags = p->at + 2;
    for (Range flag = { p->at + 2, p->at + 2 }; flag.begin < end; flag.begin = flag.end + 1) {
        flag.end = flag.begin;
        while (flag.end < end && !strchr(", \t\r\n", p->bytes[flag.end])) flag.end++;
        if (chars_are_among(p->bytes + flag.begin, flag.end - flag.begin, with_percent))
            entry->arguments = ARGUMENTS_PRINTF;
        if (chars_are_among(p->bytes + flag.begin, flag.end - flag.begin, with_braces))
            entry->arguments = ARGUMENTS_BRACES;
    }
    for (size_t at = p->at + 2; at < end; at++) {
        if (chars_begin(p->bytes, at, end, "fuzzy")) entry->is_fuzzy = true;
        if (chars_begin(p->bytes, at, end, "java-format") && p->bytes[at - 1] != '-') entry->is_java = true;
    }
}

/* Reads a keyword and its string. A keyword must begin a line: it cannot follow a string, because plural forms are
 * inserted as lines after a string. */
static void read_keyword(PoParser *p, PoEntry *entry)
{
    const size_t keyword = p->at;
    size_t before = keyword;

    while (before && char_is_among(p->bytes[before - 1], " \t\f\v")) before--;
    if (before && p->bytes[before - 1] == '"')
        document_builder_fail(p->builder, keyword, "a keyword must begin a line");
    if (keyword < entry->begin) entry->begin = keyword;
    if (take_word(p, "msgctxt"))
        read_po_string(p, keyword, &entry->context);
    else if (take_word(p, "msgid_plural"))
        read_po_string(p, keyword, &entry->plural);
    else if (take_word(p, "msgid"))
        read_po_string(p, keyword, &entry->id);
    else if (take_word(p, "msgstr")) {
        size_t index = 0; /* of msgstr[N] */
        if (p->at < p->end && p->bytes[p->at] == '[') {
            index = p->at + 2 < p->end && p->bytes[p->at + 2] == ']' ? (size_t)(p->bytes[p->at + 1] - '0') : PO_FORMS;
            p->at += 3;
        }
        if (index != entry->count || index >= PO_FORMS)
            document_builder_fail(p->builder, keyword, "msgstr[0], msgstr[1] ... must be in this order");
        else
            read_po_string(p, keyword, &entry->translations[entry->count++]);
    } else if (take_word(p, "domain")) {
        read_po_string(p, keyword, &(PoString){ .is_there = false });
        *entry = (PoEntry){ .begin = p->end };
    } else {
        document_builder_fail(p->builder, keyword, "expected msgid, msgstr, a comment or a string");
    }
}

/* Reads the next entry. Returns false at the end of the file, and if document_builder_failed(). */
static bool next_entry(PoParser *p, PoEntry *entry)
{
    *entry = (PoEntry){ .begin = p->end };
    while ((p->at = chars_skip(p->bytes, p->at, p->end, " \t\r\n\f\v")) < p->end &&
           !document_builder_failed(p->builder)) {
        if (entry->count && !chars_begin(p->bytes, p->at, p->end, "msgstr[")) break; /* the next entry begins */
        if (p->bytes[p->at] == '#') {
            const size_t end = chars_after(p->bytes, p->at, p->end, "\n", p->end);
            const char kind = p->at + 1 < p->end ? p->bytes[p->at + 1] : '\0';
            if (kind == '~') *entry = (PoEntry){ .begin = p->end };
            if (kind == ',') read_flags(p, entry, end);
            if (kind == '|' && p->at < entry->begin) entry->begin = p->at;
            p->at = end;
        } else {
            read_keyword(p, entry);
        }
    }
    if (entry->id.is_there && !entry->count)
        document_builder_fail(p->builder, entry->id.begin, "this msgid has no msgstr");
    if (entry->count && !entry->id.is_there)
        document_builder_fail(p->builder, entry->translations[0].begin, "this msgstr has no msgid");
    return entry->count && !document_builder_failed(p->builder);
}

/* --- PO: the header ------------------------------------------------------------------------ */

/* Returns the place of the value of a header field, up to its newline; {0, 0}: there is no such field. */
static Range find_field(const PoParser *p, Range header, const char *name)
{
    bool is_start = true;

    for (size_t at = header.begin; at < header.end;) {
        const EscapedPart part = read_po(p->bytes + at, header.end - at);
        if (is_start && part.size && chars_begin(p->bytes, at, header.end - 1, name)) {
            Range value = { chars_skip(p->bytes, at + strlen(name), header.end, " "), 0 };
            for (value.end = value.begin; value.end < header.end && p->bytes[value.end] != '\n';) {
                const EscapedPart next = read_po(p->bytes + value.end, header.end - value.end);
                if (next.size && next.text[0] == '\n') break;
                value.end += next.length;
            }
            return value;
        }
        if (part.size) is_start = part.text[0] == '\n';
        at += part.length;
    }
    return (Range){ 0, 0 };
}

/* Reads the number of plural forms from the value of Plural-Forms. If the target language has as many, its form for 1
 * is the singular. */
static bool read_plurals(const PoParser *p, Range forms, PoPlurals *out)
{
    static const char start[] = "nplurals=";
    const PoPlurals *known = plurals_of(p->options->language);
    const size_t digit = forms.begin + sizeof start - 1;

    if (forms.end <= digit || !chars_begin(p->bytes, forms.begin, forms.end, start)) return false;
    if (p->bytes[digit] < '1' || p->bytes[digit] > '0' + PO_FORMS) return false;
    *out = (PoPlurals){ .count = (size_t)(p->bytes[digit] - '0') };
    out->singular = known && known->count == out->count ? known->singular : out->count == 1 ? PO_FORMS : 0;
    return true;
}

static void report_header(PoParser *p, Range header)
{
    const DocumentOptions *options = p->options;
    const Range type = find_field(p, header, "Content-Type:"), language = find_field(p, header, "Language:");
    const Range forms = find_field(p, header, "Plural-Forms:"), source = find_field(p, header, "X-Source-Language:");
    const size_t charset = chars_after(p->bytes, type.begin, type.end, "charset=", type.end);
    char name[LONGEST_NAME];
    bool is_same;

    /* gettext reads a file without an encoding as ASCII, but a translation may need other characters: set UTF-8 */
    if (chars_are_in(p->bytes + charset, type.end - charset, "charset ascii us-ascii"))
        document_builder_mark(p->builder, EVERY_TRANSLATION, charset, type.end,
                              options->encoding ? options->encoding : "UTF-8");
    document_builder_names(p->builder, LANGUAGE_SOURCE, source.begin, source.end);
    document_builder_names(p->builder, LANGUAGE_TARGET, language.begin, language.end);
    if (!options->language) return;
    snprintf(name, sizeof name, "%s", options->language);
    is_same = document_builder_is_language(p->builder, language.begin, language.end);
    if (is_same) snprintf(name, sizeof name, "%.*s", (int)(language.end - language.begin), p->bytes + language.begin);
    /* The plural rule in the header stays if the header names the target language or no language, or if entries that
     * are not translated again need the rule. */
    if ((options->keep_language || language.begin == language.end || is_same || p->has_other_forms) &&
        read_plurals(p, forms, &p->own)) {
        p->plurals = &p->own;
    } else {
        p->plurals = plurals_of(name);
        if (p->plurals && forms.end) document_builder_label(p->builder, forms.begin, forms.end, p->plurals->rule);
        if (!forms.end) p->header_end = header.end;
    }
    put_po_language(options->language, name, sizeof name);
    if (language.end) document_builder_language(p->builder, language.begin, language.end, name);
}

/* --- PO: the units -------------------------------------------------------------------------- */

/* Whether the entry is complete and keeps its translations. */
static bool stays(const PoParser *p, const PoEntry *entry)
{
    for (size_t i = 0; i < entry->count; i++)
        if (entry->translations[i].text.begin == entry->translations[i].text.end) return false;
    return !entry->is_fuzzy && !p->options->retranslate;
}

/* The byte after the last quote of a translation. */
static size_t end_of(const PoEntry *entry, size_t index)
{
    return entry->translations[index].text.end + 1;
}

/* Reports the units of plural form `index` of an entry. They replace the msgstr of this form, or are added as a new
 * msgstr if it is missing. Returns the first unit. */
static size_t report_form(PoParser *p, const PoEntry *entry, size_t index, bool *is_done)
{
    const bool is_plural = entry->plural.is_there && index != (p->plurals ? p->plurals->singular : 0);
    const bool is_added = index >= entry->count;
    const size_t last = end_of(entry, entry->count - 1);
    const Range source = is_plural ? entry->plural.text : entry->id.text;
    const Range place = is_added ? (Range){ last, last } : entry->translations[index].text;
    const bool is_message = entry->is_java && !escaped_text_is_message(p->builder, source, read_po) &&
                            is_message_format(read_po, p->bytes + source.begin, source.end - source.begin);
    const unsigned context = is_message ? IN_MESSAGE : 0;
    UnitPlan plan = { .own = document_builder_place(p->builder, place.begin, place.end) };
    char before[LONGEST_NAME];
    EscapedText text;
    size_t first;

    snprintf(before, sizeof before, "%smsgstr[%zu] \"", p->newline, index);
    if (is_added) plan.before = before;
    if (is_added) plan.after = "\"";
    plan.is_done = *is_done = !entry->is_fuzzy && !is_added && place.begin < place.end;
    document_builder_arguments(p->builder, entry->arguments ? entry->arguments : ARGUMENTS_IN_ORDER);
    text = escaped_text_start(p->builder, po_readers[context], source.begin, source.end);
    first = escaped_text_add_units(&text, context, &plan, place.end);
    escaped_text_free(&text);
    return first;
}

/* Whether the string has a character that is not white space. */
static bool is_filled(const PoParser *p, const PoString *string)
{
    for (size_t at = string->text.begin; at < string->text.end;) {
        const EscapedPart part = read_po(p->bytes + at, string->text.end - at);
        if (!utf8_is_blank(part.text, part.size)) return true;
        at += part.length;
    }
    return false;
}

static void report_entry(PoParser *p, const PoEntry *entry)
{
    const bool keeps_count = !entry->plural.is_there || !p->plurals || stays(p, entry);
    const size_t count = keeps_count ? entry->count : p->plurals->count;
    size_t changed = 0;
    bool is_changed = false, is_done, is_empty = true;

    p->has_plurals |= entry->plural.is_there;
    if (!is_filled(p, &entry->id) || (entry->plural.is_there && !is_filled(p, &entry->plural))) return;
    for (size_t i = 0; i < count && !document_builder_failed(p->builder); i++) {
        const size_t unit = report_form(p, entry, i, &is_done);
        if (i == 0 || (!is_done && !is_changed)) changed = unit;
        is_changed |= !is_done;
    }
    if (!entry->is_fuzzy && entry->has_flags) {
        document_builder_mark(p->builder, changed, entry->flags, entry->flags, " fuzzy,");
    } else if (!entry->is_fuzzy) {
        char line[LONGEST_NAME];
        snprintf(line, sizeof line, "#, fuzzy%s", p->newline);
        document_builder_mark(p->builder, changed, entry->begin, entry->begin, line);
    }
    if (count >= entry->count) return;
    /* Remove the forms that the language does not have: empty ones always, others only if the unit is translated. */
    for (size_t i = count; i < entry->count; i++)
        is_empty &= entry->translations[i].text.begin == entry->translations[i].text.end;
    if (is_empty)
        document_builder_label(p->builder, end_of(entry, count - 1), end_of(entry, entry->count - 1), "");
    else
        document_builder_mark(p->builder, changed, end_of(entry, count - 1), end_of(entry, entry->count - 1), "");
}

static void parse_po(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *newline = memchr(input.bytes, '\n', input.end), *language = input.options->language;
    const PoPlurals *known = language ? plurals_of(language) : NULL;
    PoParser p = { .builder = builder,
                   .options = input.options,
                   .bytes = input.bytes,
                   .at = input.begin,
                   .end = input.end,
                   .newline = newline && newline > input.bytes && newline[-1] == '\r' ? "\r\n" : "\n",
                   .plurals = known };
    PoParser ahead = p;
    PoEntry entry;

    while (known && !input.options->keep_language && !p.has_other_forms && next_entry(&ahead, &entry))
        p.has_other_forms = entry.plural.is_there && stays(&p, &entry) && entry.count != known->count;
    document_builder_accelerators(builder, "&_~");
    while (next_entry(&p, &entry)) {
        if (entry.id.text.begin == entry.id.text.end && !entry.context.is_there)
            report_header(&p, entry.translations[0].text);
        else
            report_entry(&p, &entry);
    }
    if (p.header_end && p.plurals && p.has_plurals) { /* the plural forms need a rule, which the header lacks */
        const bool ends_line = memcmp(p.bytes + p.header_end - 2, "\\n", 2) == 0;
        char text[LONGEST_RULE];
        snprintf(text, sizeof text, "%s\"%s\"Plural-Forms: %s\\n", ends_line ? "" : "\\n", p.newline, p.plurals->rule);
        document_builder_label(builder, p.header_end, p.header_end, text);
    }
}

static bool is_special_po(unsigned context, uint32_t code)
{
    if ((context & IN_MESSAGE) && code == '\'') return true;
    return code == '"' || code == '\\' || code < 0x20 || code == 0x7f;
}

static size_t spell_po(uint32_t code, const SpellingPlace *place, char *out)
{
    (void)place;
    if (code == '\'') return spelling_copy("''", out);
    if (escaped_text_put_letter(&po_escapes, code, out)) return 2;
    return (size_t)snprintf(out, 5, "\\%03o", (unsigned)code);
}

static bool keeps_po(const char *spelling, size_t length, const SpellingPlace *place)
{
    return keeps_message(po_readers, spelling, length, place);
}

static const SpellingRules po_spelling = {
    .is_special = is_special_po, .spell = spell_po, .keeps = keeps_po, .lines = LINES_SAME
};

const DocumentFormat document_po = { .name = "po",
                                     .endings = ".po .pot",
                                     .parse = parse_po,
                                     .spelling = &po_spelling,
                                     .find_encoding = declared_encoding_po };

/* --- Java .properties ----------------------------------------------------------------------- */

#define BLANKS " \t\f"

/* Returns the length of a line continuation: a backslash, a line break and blanks. 0: bytes[0] does not begin one. */
static size_t continuation_length(const char *bytes, size_t length)
{
    const size_t line = length > 1 && *bytes == '\\' ? chars_break_length(bytes, 1, length) : 0;

    return line ? chars_skip(bytes, 1 + line, length, BLANKS) : 0;
}

/* Reads a character of a value. The backslash of a malformed \u has no text. \u0020 is not joined with a line
 * continuation. */
static EscapedPart read_properties(const char *bytes, size_t length)
{
    const size_t join = continuation_length(bytes, length);
    EscapedPart part;

    if (join) return escaped_text_code(join, 0);
    if (*bytes != '\\') {
        part = escaped_text_plain(bytes, length);
    } else if (length < 2 || bytes[1] == 'u') {
        part = escaped_text_utf16(bytes, length);
        return part.length ? part : escaped_text_code(1, 0);
    } else {
        part = escaped_text_escape(&java_escapes, bytes, length);
    }
    return with_join(part, continuation_length, bytes, length);
}

static EscapedPart read_properties_message(const char *bytes, size_t length)
{
    return read_message(read_properties, bytes, length);
}

static EscapedReader *const properties_readers[] = { read_properties, read_properties_message };

/* Skips blanks and line continuations. */
static size_t skip_joins(const char *bytes, size_t at, size_t end)
{
    for (size_t length = 1; length; at += length) {
        at = chars_skip(bytes, at, end, BLANKS);
        length = continuation_length(bytes + at, end - at);
    }
    return at;
}

/* Reports the units in the value of the property [key, end). Only a unit at the beginning of the value can be
 * AFTER_SPACE. */
static void report_property(DocumentBuilder *builder, const char *bytes, size_t key, size_t end, unsigned context)
{
    size_t value;
    bool is_after_space;
    uint32_t first = 0;
    EscapedText text;

    while (key < end && !char_is_among(bytes[key], BLANKS "=:")) key += bytes[key] == '\\' ? 2 : 1;
    value = skip_joins(bytes, key < end ? key : end, end);
    is_after_space = value == end || (bytes[value] != '=' && bytes[value] != ':');
    if (!is_after_space) value = skip_joins(bytes, value + 1, end);
    if (value < end) utf8_next(bytes + value, end - value, &first);
    is_after_space = is_after_space && u_isalpha((UChar32)first);
    if (!escaped_text_is_message(builder, (Range){ value, end }, read_properties) &&
        is_message_format(read_properties, bytes + value, end - value))
        context |= IN_MESSAGE;
    text = escaped_text_start(builder, properties_readers[context & IN_MESSAGE], value, end);
    while (escaped_text_has_more(&text) && !document_builder_failed(builder)) {
        document_builder_begin(builder, context | (is_after_space ? AFTER_SPACE : 0), text.at);
        escaped_text_report(&text);
        document_builder_end_unit(builder, text.at);
        is_after_space = false;
    }
    escaped_text_free(&text);
}

static void parse_properties(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *bytes = input.bytes;
    unsigned context = input.options->encoding ? 0 : IN_ASCII;
    size_t end;

    for (size_t i = input.begin; i < input.end; i++)
        if ((unsigned char)bytes[i] >= 0x80) context = 0;
    document_builder_accelerators(builder, "&");
    for (size_t at = input.begin; at < input.end && !document_builder_failed(builder); at = end + 1) {
        at = chars_skip(bytes, at, input.end, BLANKS);
        if (at < input.end && (bytes[at] == '#' || bytes[at] == '!')) {
            for (end = at; end < input.end && !char_is_newline(bytes[end]);) end++;
            continue;
        }
        for (end = at; end < input.end && !char_is_newline(bytes[end]); end++) {
            if (bytes[end] != '\\' || end + 1 == input.end) continue; /* a backslash escapes a byte or a line break */
            end += chars_break_length(bytes, end + 1, input.end) == 2 ? 2 : 1;
        }
        report_property(builder, bytes, at, end < input.end ? end : input.end, context);
    }
}

static bool is_special_properties(unsigned context, uint32_t code)
{
    return code == '\\' || code < 0x20 || ((context & IN_ASCII) && code >= 0x7f) ||
           ((context & AFTER_SPACE) && (code == '=' || code == ':')) || ((context & IN_MESSAGE) && code == '\'');
}

static size_t spell_properties(uint32_t code, const SpellingPlace *place, char *out)
{
    if (code == '\'') return spelling_copy("''", out);
    if (escaped_text_put_letter(&java_escapes, code, out)) return 2;
    if (code < 0x20 || code >= 0x7f) return escaped_text_put_utf16(code, true, out);
    if ((code == '=' || code == ':') && place->before_length) return utf8_put(code, out);
    out[0] = '\\';
    out[1] = (char)code;
    return 2;
}

static bool keeps_properties(const char *spelling, size_t length, const SpellingPlace *place)
{
    if ((place->context & AFTER_SPACE) && (*spelling == '=' || *spelling == ':')) return place->before_length > 0;
    return keeps_message(properties_readers, spelling, length, place);
}

static const SpellingRules properties_spelling = {
    .is_special = is_special_properties, .spell = spell_properties, .keeps = keeps_properties, .refer = spell_properties
};

const DocumentFormat document_properties = { .name = "properties",
                                             .endings = ".properties",
                                             .parse = parse_properties,
                                             .spelling = &properties_spelling,
                                             .find_encoding = declared_encoding_properties,
                                             .arguments = ARGUMENTS_PRINTF };

/* --- Apple .strings -------------------------------------------------------------------------- */

static EscapedPart read_strings(const char *bytes, size_t length)
{
    if (*bytes != '\\') return escaped_text_plain(bytes, length);
    return length < 2 ? escaped_text_code(1, 0) : escaped_text_escape(&apple_escapes, bytes, length);
}

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t at, end;
} StringsParser;

/* Skips white space and comments. Returns the next byte; NUL at the end. */
static char skip_space(StringsParser *p)
{
    while (p->at < p->end && !document_builder_failed(p->builder)) {
        const size_t begin = p->at;
        if (chars_begin(p->bytes, p->at, p->end, "//")) {
            while (p->at < p->end && !char_is_newline(p->bytes[p->at])) p->at++;
        } else if (chars_begin(p->bytes, p->at, p->end, "/*")) {
            p->at = chars_after(p->bytes, p->at + 2, p->end, "*/", 0);
            if (p->at) continue;
            document_builder_fail(p->builder, begin, "this comment has no closing */");
            p->at = p->end;
        } else {
            p->at = chars_skip(p->bytes, p->at, p->end, " \t\r\n\f\v");
            if (p->at == begin) return p->bytes[p->at];
        }
    }
    return '\0';
}

/* Reads a string. Returns the bytes between its quotes; an empty range if it has no quotes. */
static Range read_string(StringsParser *p)
{
    const size_t begin = p->at;

    if (p->bytes[begin] != '"') {
        while (p->at < p->end && p->bytes[p->at] && !char_is_among(p->bytes[p->at], " \t\r\n=;\"{}()<>")) p->at++;
        if (p->at == begin) document_builder_fail(p->builder, begin, "expected a string");
        return (Range){ p->at, p->at };
    }
    for (p->at++; p->at < p->end && p->bytes[p->at] != '"'; p->at++)
        if (p->bytes[p->at] == '\\') p->at++;
    if (p->at >= p->end) {
        p->at = p->end;
        document_builder_fail(p->builder, begin, "this string has no closing quote");
        return (Range){ begin, begin };
    }
    return (Range){ begin + 1, p->at++ };
}

static void parse_strings(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    StringsParser p = { builder, input.bytes, input.begin, input.end };

    while (skip_space(&p) && !document_builder_failed(builder)) {
        Range value;
        (void)read_string(&p);
        if (skip_space(&p) == '=') {
            p.at++;
            if (!skip_space(&p)) document_builder_fail(builder, p.at, "expected a string");
            if (document_builder_failed(builder)) break;
            value = read_string(&p);
            escaped_text_report_units(builder, read_strings, 0, value.begin, value.end);
        }
        if (skip_space(&p) != ';') document_builder_fail(builder, p.at, "expected ';' after an entry");
        p.at++;
    }
    if (p.at < p.end) document_builder_fail(builder, p.at, "expected a string");
}

/* Recognizes binary property lists of macOS. */
static const char *recognize_binary(const char *bytes, size_t size)
{
    return chars_begin(bytes, 0, size, "bplist") ? "this is a binary property list; convert it to text first" : NULL;
}

static bool is_special_strings(unsigned context, uint32_t code)
{
    (void)context;
    return code == '"' || code == '\\' || code < 0x20;
}

/* Writes an escape: a backslash and a letter, or \UXXXX, or two \UXXXX for a surrogate pair. */
static size_t spell_strings(uint32_t code, const SpellingPlace *place, char *out)
{
    size_t length;

    (void)place;
    if (escaped_text_put_letter(&written_apple_escapes, code, out)) return 2;
    length = escaped_text_put_utf16(code, false, out);
    for (size_t at = 1; at < length; at += sizeof "\\UXXXX" - 1) out[at] = 'U';
    return length;
}

static bool keeps_strings(const char *spelling, size_t length, const SpellingPlace *place)
{
    return escaped_text_keeps(read_strings, spelling, length, place);
}

static const SpellingRules strings_spelling = {
    .is_special = is_special_strings, .spell = spell_strings, .keeps = keeps_strings, .refer = spell_strings
};

const DocumentFormat document_strings = { .name = "strings",
                                          .endings = ".strings",
                                          .parse = parse_strings,
                                          .spelling = &strings_spelling,
                                          .recognize_other = recognize_binary,
                                          .arguments = ARGUMENTS_PRINTF };
