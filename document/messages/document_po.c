/* document_po.c - gettext PO and POT. The lines of msgid (\n) are the sources of units, whose translations are written
 * one after the other in msgstr: the place of the first is the msgstr, those of the others are empty and after it.
 * Entries without a translation, and fuzzy ones, are translated and become fuzzy. An entry with plural forms gets as
 * many as the language has. Obsolete entries (#~) are comments. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "escaped_text.h"
#include "po_plurals.h"
#include "utf8.h"

/* A context: Java's MessageFormat. */
enum { IN_MESSAGE = 1 };

#define LONGEST_NAME 48
#define LONGEST_RULE 200

/* --- Entries: what is where in the document -------------------------------------------- */

/* A string: what is between its first and its last quote, with the quotes and line breaks between its parts. */
typedef struct {
    bool is_there;
    size_t begin; /* of its keyword */
    Range text;
} PoString;

typedef struct {
    PoString context, id, plural;
    PoString translations[PO_FORMS]; /* msgstr is the first */
    size_t count;                    /* of the translations */
    bool is_fuzzy, has_flags;
    bool is_java;           /* java-format */
    ArgumentRule arguments; /* that the flags say */
    size_t flags;           /* where a flag can be added to the line of flags */
    size_t begin;           /* of the first line after the comments */
} PoEntry;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t at, end;
} PoReader;

/* Returns the length of the quotes between two parts of a string at bytes[0], or 0. */
static size_t join_length(const char *bytes, size_t length)
{
    size_t at = 1;

    if (!length || *bytes != '"') return 0;
    while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
    return at < length && bytes[at] == '"' ? at + 1 : 0;
}

/* A number, \ooo or \x and all hexadecimal digits after it, is a byte modulo 256, as in gettext; bytes that are not
 * ASCII have no text. A backslash before another character belongs to it: alone, it would make an escape of what is
 * written after it. */
static EscapedPart read_escape(const char *bytes, size_t length)
{
    static const char names[] = "\"\\abfnrtv", codes[] = "\"\\\a\b\f\n\r\t\v";
    const char *name;
    EscapedPart part;

    if (length < 2) return escaped_text_code(1, 0);
    if (bytes[1] == 'x' || (bytes[1] >= '0' && bytes[1] <= '7')) {
        const bool is_hex = bytes[1] == 'x';
        const size_t most = is_hex ? length : 4;
        size_t at = is_hex ? 2 : 1;
        uint32_t code = 0;
        for (; at < length && at < most; at++) {
            const uint32_t digit = escaped_text_hex(bytes + at, 1, 1);
            if (digit == UTF8_INVALID || (!is_hex && digit > 7)) break;
            code = (code * (is_hex ? 16 : 8) + digit) & 0xff;
        }
        return escaped_text_code(at, code < 0x80 ? code : 0);
    }
    name = bytes[1] ? strchr(names, bytes[1]) : NULL;
    if (name) return escaped_text_code(2, (uint32_t)codes[name - names]);
    if (bytes[1] == '\n') return escaped_text_code(1, 0);
    part = escaped_text_plain(bytes + 1, length - 1);
    part.length++;
    return part;
}

/* A space or newline before a line break of the document is one part with it. */
static EscapedPart read_po(const char *bytes, size_t length)
{
    const size_t join = join_length(bytes, length);
    EscapedPart part;

    if (join) return escaped_text_code(join, 0);
    part = *bytes == '\\' ? read_escape(bytes, length) : escaped_text_plain(bytes, length);
    if (part.size == 1 && (part.text[0] == ' ' || part.text[0] == '\n'))
        part.length += join_length(bytes + part.length, length - part.length);
    return part;
}

static size_t skip(const PoReader *r, size_t at, const char *set)
{
    while (at < r->end && r->bytes[at] && strchr(set, r->bytes[at])) at++;
    return at;
}

/* Reads a string of one or more parts and leaves r->at after it. */
static void read_string(PoReader *r, size_t keyword, PoString *string)
{
    size_t next = skip(r, r->at, " \t\r\n");

    if (string->is_there) document_builder_fail(r->builder, keyword, "this keyword appears twice in the entry");
    if (next == r->end || r->bytes[next] != '"')
        document_builder_fail(r->builder, r->at, "expected a string in quotes");
    *string = (PoString){ true, keyword, { next + 1, next + 1 } };
    while (next < r->end && r->bytes[next] == '"' && !document_builder_failed(r->builder)) {
        size_t end = next + 1;
        while (end < r->end && r->bytes[end] != '\n' && r->bytes[end] != '"')
            end += r->bytes[end] == '\\' && end + 1 < r->end && r->bytes[end + 1] != '\n' ? 2 : 1;
        if (end >= r->end || r->bytes[end] != '"') {
            document_builder_fail(r->builder, next, "this string has no closing quote in its line");
            return;
        }
        string->text.end = end;
        r->at = end + 1;
        next = skip(r, r->at, " \t\r\n");
    }
}

/* Returns whether the word is at r->at, and goes to its end. */
static bool take_word(PoReader *r, const char *word)
{
    const size_t length = strlen(word);

    if (!chars_begin(r->bytes, r->at, r->end, word)) return false;
    if (r->at + length < r->end && !strchr(" \t\r\n\"[", r->bytes[r->at + length])) return false;
    r->at += length;
    return true;
}

static void read_flags(PoReader *r, PoEntry *entry, size_t end)
{
    static const struct { /* how the program reads arguments, if they may have numbers */
        const char *name;
        ArgumentRule rule;
    } formats[] = { { "c-format", ARGUMENTS_PRINTF },           { "objc-format", ARGUMENTS_PRINTF },
                    { "php-format", ARGUMENTS_PRINTF },         { "perl-format", ARGUMENTS_PRINTF },
                    { "java-printf-format", ARGUMENTS_PRINTF }, { "python-brace-format", ARGUMENTS_BRACES },
                    { "c++-format", ARGUMENTS_BRACES },         { "rust-format", ARGUMENTS_BRACES } };

    entry->has_flags = true;
    entry->flags = r->at + 2;
    for (Range flag = { r->at + 2, r->at + 2 }; flag.begin < end; flag.begin = flag.end + 1) {
        flag.end = flag.begin;
        while (flag.end < end && !strchr(", \t\r\n", r->bytes[flag.end])) flag.end++;
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            if (chars_are(r->bytes + flag.begin, flag.end - flag.begin, formats[i].name))
                entry->arguments = formats[i].rule;
    }
    for (size_t at = r->at + 2; at < end; at++) {
        if (chars_begin(r->bytes, at, end, "fuzzy")) entry->is_fuzzy = true;
        if (chars_begin(r->bytes, at, end, "java-format") && r->bytes[at - 1] != '-') entry->is_java = true;
    }
}

/* Reads what begins with a keyword. Plural forms are added in lines of their own, so no keyword can follow a string. */
static void read_keyword(PoReader *r, PoEntry *entry)
{
    const size_t keyword = r->at;
    size_t before = keyword;

    while (before && r->bytes[before - 1] && strchr(" \t\f\v", r->bytes[before - 1])) before--;
    if (before && r->bytes[before - 1] == '"')
        document_builder_fail(r->builder, keyword, "a keyword must begin a line");
    if (keyword < entry->begin) entry->begin = keyword;
    if (take_word(r, "msgctxt"))
        read_string(r, keyword, &entry->context);
    else if (take_word(r, "msgid_plural"))
        read_string(r, keyword, &entry->plural);
    else if (take_word(r, "msgid"))
        read_string(r, keyword, &entry->id);
    else if (take_word(r, "msgstr")) {
        size_t index = 0; /* of msgstr[N] */
        if (r->at < r->end && r->bytes[r->at] == '[') {
            index = r->at + 2 < r->end && r->bytes[r->at + 2] == ']' ? (size_t)(r->bytes[r->at + 1] - '0') : PO_FORMS;
            r->at += 3;
        }
        if (index != entry->count || index >= PO_FORMS)
            document_builder_fail(r->builder, keyword, "msgstr[0], msgstr[1] ... must be in this order");
        else
            read_string(r, keyword, &entry->translations[entry->count++]);
    } else if (take_word(r, "domain")) {
        read_string(r, keyword, &(PoString){ .is_there = false });
        *entry = (PoEntry){ .begin = r->end };
    } else {
        document_builder_fail(r->builder, keyword, "expected msgid, msgstr, a comment or a string");
    }
}

/* Reads the next entry. Returns false at the end of the file, and if document_builder_failed(). */
static bool next_entry(PoReader *r, PoEntry *entry)
{
    *entry = (PoEntry){ .begin = r->end };
    while ((r->at = skip(r, r->at, " \t\r\n\f\v")) < r->end && !document_builder_failed(r->builder)) {
        if (entry->count && !chars_begin(r->bytes, r->at, r->end, "msgstr[")) break; /* the next entry begins */
        if (r->bytes[r->at] == '#') {
            const char *newline = memchr(r->bytes + r->at, '\n', r->end - r->at);
            const size_t end = newline ? (size_t)(newline - r->bytes) + 1 : r->end;
            const char kind = r->at + 1 < r->end ? r->bytes[r->at + 1] : '\0';
            if (kind == '~') *entry = (PoEntry){ .begin = r->end };
            if (kind == ',') read_flags(r, entry, end);
            if (kind == '|' && r->at < entry->begin) entry->begin = r->at;
            r->at = end;
        } else {
            read_keyword(r, entry);
        }
    }
    if (entry->id.is_there && !entry->count)
        document_builder_fail(r->builder, entry->id.begin, "this msgid has no msgstr");
    if (entry->count && !entry->id.is_there)
        document_builder_fail(r->builder, entry->translations[0].begin, "this msgstr has no msgid");
    return entry->count && !document_builder_failed(r->builder);
}

/* --- The document ----------------------------------------------------------------------- */

typedef struct {
    DocumentBuilder *builder;
    const DocumentOptions *options;
    const char *bytes;
    const char *newline;      /* of the file */
    const PoPlurals *plurals; /* NULL: each entry has as many as it needs */
    PoPlurals own;            /* those that the header says */
    size_t header_end;        /* where a field can be added to the header; 0: nowhere, or Plural-Forms is there */
    bool has_plurals;         /* an entry has plural forms */
    bool has_other_forms;     /* an entry that stays has another number of forms than the language */
} PoParser;

/* Where a field of the header is: its value up to the newline; not there: {0}. */
static Range find_field(const PoParser *p, Range header, const char *name)
{
    const size_t length = strlen(name);
    bool is_start = true;

    for (size_t at = header.begin; at < header.end;) {
        const EscapedPart part = read_po(p->bytes + at, header.end - at);
        Range value;
        if (is_start && part.size && header.end - at > length && memcmp(p->bytes + at, name, length) == 0) {
            value.begin = at + length;
            while (value.begin < header.end && p->bytes[value.begin] == ' ') value.begin++;
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

/* Whether the entry keeps its translations, which are all there. */
static bool stays(const PoParser *p, const PoEntry *entry)
{
    for (size_t i = 0; i < entry->count; i++)
        if (entry->translations[i].text.begin == entry->translations[i].text.end) return false;
    return !entry->is_fuzzy && !p->options->retranslate;
}

/* Whether an entry of the document that stays has another number of plural forms than the language. */
static bool has_other_forms(const PoParser *p, PoReader reader)
{
    const PoPlurals *known = po_plurals_find(p->options->language);
    PoEntry entry;

    while (known && !p->options->keep_language && next_entry(&reader, &entry))
        if (entry.plural.is_there && stays(p, &entry) && entry.count != known->count) return true;
    return false;
}

/* Reads how many plural forms the header says. The singular is where the language has it, if the number is the same. */
static bool read_plurals(const PoParser *p, Range forms, PoPlurals *out)
{
    static const char start[] = "nplurals=";
    const PoPlurals *known = po_plurals_find(p->options->language);
    const size_t digit = forms.begin + sizeof start - 1;

    if (forms.end <= digit || memcmp(p->bytes + forms.begin, start, sizeof start - 1) != 0) return false;
    if (p->bytes[digit] < '1' || p->bytes[digit] > '0' + PO_FORMS) return false;
    *out = (PoPlurals){ .count = (size_t)(p->bytes[digit] - '0') };
    out->singular = known && known->count == out->count ? known->singular : out->count == 1 ? PO_FORMS : 0;
    return true;
}

/* A translation may have any characters, but gettext takes a file without an encoding for ASCII. */
static void report_charset(PoParser *p, Range header)
{
    static const char *const without[] = { "CHARSET", "ASCII", "US-ASCII" };
    static const char name[] = "charset=";
    const Range type = find_field(p, header, "Content-Type:");

    for (size_t at = type.begin; at + sizeof name - 1 < type.end; at++) {
        const size_t value = at + sizeof name - 1;
        if (memcmp(p->bytes + at, name, sizeof name - 1) != 0) continue;
        for (size_t i = 0; i < sizeof without / sizeof *without; i++)
            if (strlen(without[i]) == type.end - value &&
                strncasecmp(p->bytes + value, without[i], type.end - value) == 0)
                document_builder_replace(p->builder, value, type.end,
                                         p->options->encoding ? p->options->encoding : "UTF-8");
        return;
    }
}

static void report_header(PoParser *p, const PoEntry *entry)
{
    const Range header = entry->translations[0].text;
    const Range language = find_field(p, header, "Language:"), forms = find_field(p, header, "Plural-Forms:");
    const Range source = find_field(p, header, "X-Source-Language:");
    char name[LONGEST_NAME];
    bool is_same;

    report_charset(p, header);
    document_builder_names(p->builder, LANGUAGE_SOURCE, source.begin, source.end);
    document_builder_names(p->builder, LANGUAGE_TARGET, language.begin, language.end);
    if (!p->options->language) return;
    snprintf(name, sizeof name, "%s", p->options->language);
    is_same = document_builder_is_language(p->builder, language.begin, language.end);
    if (is_same) snprintf(name, sizeof name, "%.*s", (int)(language.end - language.begin), p->bytes + language.begin);
    /* The rule of the header has to stay if it is for the language of the translation or for none, or if the entries
     * that stay need it. */
    if ((p->options->keep_language || language.begin == language.end || is_same || p->has_other_forms) &&
        read_plurals(p, forms, &p->own)) {
        p->plurals = &p->own;
    } else {
        p->plurals = po_plurals_find(name);
        if (p->plurals && forms.end) document_builder_label(p->builder, forms.begin, forms.end, p->plurals->rule);
        if (!forms.end) p->header_end = header.end;
    }
    po_plurals_name(p->options->language, name, sizeof name);
    if (language.end) document_builder_language(p->builder, language.begin, language.end, name);
}

/* Reports a string as one text. */
static size_t report_own(PoParser *p, Range range)
{
    size_t text;

    document_builder_begin(p->builder, 0, range.begin);
    for (size_t at = range.begin; at < range.end;) {
        const EscapedPart part = read_po(p->bytes + at, range.end - at);
        document_builder_spelled(p->builder, part.text, part.size, at, at + part.length);
        at += part.length;
    }
    document_builder_end_text(p->builder, range.end, &text);
    return text;
}

/* A form of an entry: a translation that is there, or one that is added. */
typedef struct {
    size_t index;
    PoString source;
    Range place;
    bool is_added, is_done, is_java;
    ArgumentRule arguments;
} PoForm;

static EscapedPart read_message(const char *bytes, size_t length)
{
    return escaped_text_message(read_po, bytes, length);
}

static EscapedReader *reader_of(unsigned context)
{
    return context & IN_MESSAGE ? read_message : read_po;
}

/* Reports the units of a form, and returns the first. */
static size_t report_form(PoParser *p, const PoForm *form)
{
    const Range source = form->source.text;
    const bool is_message =
        form->is_java && escaped_text_is_message(read_po, p->bytes + source.begin, source.end - source.begin);
    const unsigned context = is_message ? IN_MESSAGE : 0;
    EscapedText text = escaped_text_start(p->builder, reader_of(context), source.begin, source.end);
    char before[LONGEST_NAME];
    size_t first = 0;

    document_builder_arguments(p->builder, form->arguments);
    snprintf(before, sizeof before, "%smsgstr[%zu] \"", p->newline, form->index);
    if (!escaped_text_has_more(&text)) { /* a string without letters is its own translation */
        UnitPlan plan = { .is_done = form->is_done };
        plan.source = report_own(p, source);
        plan.own = report_own(p, form->place);
        plan.before = form->is_added ? before : NULL;
        plan.after = form->is_added ? "\"" : NULL;
        first = document_builder_add_unit(p->builder, &plan);
    }
    for (bool is_first = true; escaped_text_has_more(&text) && !document_builder_failed(p->builder); is_first = false) {
        UnitPlan plan = { .is_done = form->is_done };
        size_t unit;
        document_builder_begin(p->builder, context, text.at);
        escaped_text_report(&text);
        document_builder_end_text(p->builder, text.at, &plan.source);
        plan.own = report_own(p, is_first ? form->place : (Range){ form->place.end, form->place.end });
        if (form->is_added && is_first) plan.before = before;
        if (form->is_added && !escaped_text_has_more(&text)) plan.after = "\"";
        unit = document_builder_add_unit(p->builder, &plan);
        if (is_first) first = unit;
    }
    escaped_text_free(&text);
    return first;
}

/* The byte after the last quote of a translation. */
static size_t end_of(const PoEntry *entry, size_t index)
{
    return entry->translations[index].text.end + 1;
}

/* Whether the string says anything but white space. */
static bool is_filled(const PoParser *p, const PoString *string)
{
    for (size_t at = string->text.begin; at < string->text.end;) {
        const EscapedPart part = read_po(p->bytes + at, string->text.end - at);
        if (part.size > utf8_leading_space(part.text, part.size)) return true;
        at += part.length;
    }
    return false;
}

static void report_entry(PoParser *p, const PoEntry *entry)
{
    const bool keeps_count = !entry->plural.is_there || !p->plurals || stays(p, entry);
    const size_t count = keeps_count ? entry->count : p->plurals->count, last = end_of(entry, entry->count - 1);
    size_t changed = 0;
    bool is_changed = false, is_empty = true;

    p->has_plurals |= entry->plural.is_there;
    if (!is_filled(p, &entry->id) || (entry->plural.is_there && !is_filled(p, &entry->plural))) return;
    for (size_t i = 0; i < count && !document_builder_failed(p->builder); i++) {
        const bool is_singular = i == (p->plurals ? p->plurals->singular : 0);
        PoForm form = { .index = i, .is_added = i >= entry->count, .is_java = entry->is_java };
        size_t unit;
        form.source = entry->plural.is_there && !is_singular ? entry->plural : entry->id;
        form.arguments = entry->arguments ? entry->arguments : ARGUMENTS_IN_ORDER;
        form.place = form.is_added ? (Range){ last, last } : entry->translations[i].text;
        form.is_done = !entry->is_fuzzy && !form.is_added && form.place.begin < form.place.end;
        unit = report_form(p, &form);
        if (i == 0 || (!form.is_done && !is_changed)) changed = unit;
        if (!form.is_done) is_changed = true;
    }
    if (!entry->is_fuzzy && entry->has_flags) {
        document_builder_mark(p->builder, changed, entry->flags, entry->flags, " fuzzy,");
    } else if (!entry->is_fuzzy) {
        char line[LONGEST_NAME];
        snprintf(line, sizeof line, "#, fuzzy%s", p->newline);
        document_builder_mark(p->builder, changed, entry->begin, entry->begin, line);
    }
    if (count >= entry->count) return;
    /* The forms that the language does not have go: empty ones, and others if the unit is translated. */
    for (size_t i = count; i < entry->count; i++)
        is_empty &= entry->translations[i].text.begin == entry->translations[i].text.end;
    if (is_empty)
        document_builder_label(p->builder, end_of(entry, count - 1), last, "");
    else
        document_builder_mark(p->builder, changed, end_of(entry, count - 1), last, "");
}

static void parse_po(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const char *newline = memchr(input.bytes, '\n', input.end);
    PoParser p = { .builder = builder, .options = input.options, .bytes = input.bytes };
    PoReader reader = { builder, input.bytes, input.begin, input.end };
    PoEntry entry;

    p.newline = newline && newline > input.bytes && newline[-1] == '\r' ? "\r\n" : "\n";
    p.plurals = input.options->language ? po_plurals_find(input.options->language) : NULL;
    p.has_other_forms = input.options->language && has_other_forms(&p, reader);
    document_builder_accelerators(builder, "&_~");
    while (next_entry(&reader, &entry)) {
        if (entry.id.text.begin == entry.id.text.end && !entry.context.is_there)
            report_header(&p, &entry);
        else
            report_entry(&p, &entry);
    }
    if (p.header_end && p.plurals && p.has_plurals) { /* plural forms mean nothing without their rule */
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
    static const char codes[] = "\"\\\a\b\f\n\r\t\v", names[] = "\"\\abfnrtv";
    const char *known = code ? strchr(codes, (int)code) : NULL;

    (void)place;
    if (code == '\'') {
        out[0] = out[1] = (char)code;
        return 2;
    }
    out[0] = '\\';
    if (!known) return (size_t)snprintf(out, 5, "\\%03o", (unsigned)code);
    out[1] = names[known - codes];
    return 2;
}

static bool keeps_po(const char *spelling, size_t length, const SpellingPlace *place)
{
    if ((place->context & IN_MESSAGE) && escaped_text_keeps_message(spelling, length)) return true;
    return escaped_text_keeps(reader_of(place->context), spelling, length, place);
}

static const SpellingRules po_spelling = {
    .is_special = is_special_po, .spell = spell_po, .keeps = keeps_po, .lines = LINES_SAME
};

const DocumentFormat document_po = { .name = "po",
                                     .endings = ".po .pot",
                                     .parse = parse_po,
                                     .spelling = &po_spelling,
                                     .find_encoding = declared_encoding_po };
