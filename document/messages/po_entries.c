/* po_entries.c - see po_entries.h. */
#include "po_entries.h"

#include <string.h>

#include "utf8.h"

/* Returns the length of the quotes between two parts of a string at bytes[0], or 0. */
static size_t join_length(const char *bytes, size_t length)
{
    size_t at = 1;

    if (!length || *bytes != '"') return 0;
    while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
    return at < length && bytes[at] == '"' ? at + 1 : 0;
}

/* Reads \ooo, or \x and all hexadecimal digits after it. As in gettext, the byte is the number modulo 256. Bytes that
 * are not ASCII have no text. */
static EscapedPart read_number(const char *bytes, size_t length)
{
    const bool is_hex = bytes[1] == 'x';
    const size_t begin = is_hex ? 2 : 1;
    const size_t most = is_hex ? length : begin + 3;
    size_t at;
    uint32_t code = 0;

    for (at = begin; at < length && at < most; at++) {
        const uint32_t digit = escaped_text_hex(bytes + at, 1, 1);
        if (digit == UTF8_INVALID || (!is_hex && digit > 7)) break;
        code = (code * (is_hex ? 16 : 8) + digit) & 0xff;
    }
    return escaped_text_code(at, code < 0x80 ? code : 0);
}

/* A backslash before another character belongs to it: alone, it would make an escape of what is written after it. */
static EscapedPart read_escape(const char *bytes, size_t length)
{
    static const char names[] = "\"\\abfnrtv", codes[] = "\"\\\a\b\f\n\r\t\v";
    const char *name;
    EscapedPart part;

    if (length < 2) return escaped_text_code(1, 0);
    if (bytes[1] == 'x' || (bytes[1] >= '0' && bytes[1] <= '7')) return read_number(bytes, length);
    name = bytes[1] ? strchr(names, bytes[1]) : NULL;
    if (name) return escaped_text_code(2, (uint32_t)codes[name - names]);
    if (bytes[1] == '\n') return escaped_text_code(1, 0);
    part = escaped_text_plain(bytes + 1, length - 1);
    part.length++;
    return part;
}

/* A space or newline before a line break of the document is one part with it. */
EscapedPart po_entries_read(const char *bytes, size_t length)
{
    const size_t join = join_length(bytes, length);
    EscapedPart part;

    if (join) return escaped_text_code(join, 0);
    part = *bytes == '\\' ? read_escape(bytes, length) : escaped_text_plain(bytes, length);
    if (part.size == 1 && (part.text[0] == ' ' || part.text[0] == '\n'))
        part.length += join_length(bytes + part.length, length - part.length);
    return part;
}

static size_t line_end(const PoReader *r, size_t at)
{
    const char *newline = memchr(r->bytes + at, '\n', r->end - at);

    return newline ? (size_t)(newline - r->bytes) + 1 : r->end;
}

static size_t skip(const PoReader *r, size_t at, const char *set)
{
    while (at < r->end && r->bytes[at] && strchr(set, r->bytes[at])) at++;
    return at;
}

/* Reads one part in quotes. Returns the byte after it, or 0 if it does not end in its line. */
static size_t part_end(const PoReader *r, size_t at)
{
    for (at++; at < r->end && r->bytes[at] != '\n'; at++) {
        if (r->bytes[at] == '"') return at + 1;
        if (r->bytes[at] == '\\' && at + 1 < r->end && r->bytes[at + 1] != '\n') at++;
    }
    return 0;
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
        r->at = part_end(r, next);
        if (!r->at) {
            document_builder_fail(r->builder, next, "this string has no closing quote in its line");
            return;
        }
        string->text.end = r->at - 1;
        next = skip(r, r->at, " \t\r\n");
    }
}

/* Returns whether the word is at r->at, and goes to its end. */
static bool take_word(PoReader *r, const char *word)
{
    const size_t length = strlen(word);

    if (r->end - r->at < length || memcmp(r->bytes + r->at, word, length) != 0) return false;
    if (r->at + length < r->end && !strchr(" \t\r\n\"[", r->bytes[r->at + length])) return false;
    r->at += length;
    return true;
}

/* Reads msgstr or msgstr[N]. */
static void read_translation(PoReader *r, PoEntry *entry, size_t keyword)
{
    size_t index = 0;

    if (r->at < r->end && r->bytes[r->at] == '[') {
        index = r->at + 2 < r->end && r->bytes[r->at + 2] == ']' ? (size_t)(r->bytes[r->at + 1] - '0') : PO_FORMS;
        r->at += 3;
    }
    if (index != entry->count || index >= PO_FORMS)
        document_builder_fail(r->builder, keyword, "msgstr[0], msgstr[1] ... must be in this order");
    else
        read_string(r, keyword, &entry->translations[entry->count++]);
}

static bool is_at(const PoReader *r, size_t at, size_t end, const char *text)
{
    const size_t length = strlen(text);

    return end - at >= length && memcmp(r->bytes + at, text, length) == 0;
}

/* Reads a flag that says how the program reads arguments, if they may have numbers. */
static void read_format(const PoReader *r, Range flag, PoEntry *entry)
{
    static const struct {
        const char *name;
        ArgumentRule rule;
    } formats[] = { { "c-format", ARGUMENTS_PRINTF },           { "objc-format", ARGUMENTS_PRINTF },
                    { "php-format", ARGUMENTS_PRINTF },         { "perl-format", ARGUMENTS_PRINTF },
                    { "java-printf-format", ARGUMENTS_PRINTF }, { "python-brace-format", ARGUMENTS_BRACES },
                    { "c++-format", ARGUMENTS_BRACES },         { "rust-format", ARGUMENTS_BRACES } };

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strlen(formats[i].name) == flag.end - flag.begin && is_at(r, flag.begin, flag.end, formats[i].name))
            entry->arguments = formats[i].rule;
}

static void read_flags(PoReader *r, PoEntry *entry, size_t end)
{
    entry->has_flags = true;
    entry->flags = r->at + 2;
    for (Range flag = { r->at + 2, r->at + 2 }; flag.begin < end; flag.begin = flag.end + 1) {
        flag.end = flag.begin;
        while (flag.end < end && !strchr(", \t\r\n", r->bytes[flag.end])) flag.end++;
        read_format(r, flag, entry);
    }
    for (size_t at = r->at + 2; at < end; at++) {
        if (is_at(r, at, end, "fuzzy")) entry->is_fuzzy = true;
        if (is_at(r, at, end, "java-format") && r->bytes[at - 1] != '-') entry->is_java = true;
    }
}

/* Reads a comment. */
static void read_comment(PoReader *r, PoEntry *entry)
{
    const size_t end = line_end(r, r->at);
    const char kind = r->at + 1 < r->end ? r->bytes[r->at + 1] : '\0';

    if (kind == '~') *entry = (PoEntry){ .begin = r->end };
    if (kind == ',') read_flags(r, entry, end);
    if (kind == '|' && r->at < entry->begin) entry->begin = r->at;
    r->at = end;
}

/* Whether a string ends before r->at in the same line. */
static bool follows_string(const PoReader *r)
{
    size_t at = r->at;

    while (at && r->bytes[at - 1] && strchr(" \t\f\v", r->bytes[at - 1])) at--;
    return at && r->bytes[at - 1] == '"';
}

/* Reads what begins with a keyword. Plural forms are added in lines of their own, so no keyword can follow a string. */
static void read_keyword(PoReader *r, PoEntry *entry)
{
    const size_t keyword = r->at;

    if (follows_string(r)) document_builder_fail(r->builder, keyword, "a keyword must begin a line");
    if (keyword < entry->begin) entry->begin = keyword;
    if (take_word(r, "msgctxt"))
        read_string(r, keyword, &entry->context);
    else if (take_word(r, "msgid_plural"))
        read_string(r, keyword, &entry->plural);
    else if (take_word(r, "msgid"))
        read_string(r, keyword, &entry->id);
    else if (take_word(r, "msgstr"))
        read_translation(r, entry, keyword);
    else if (take_word(r, "domain")) {
        read_string(r, keyword, &(PoString){ .is_there = false });
        *entry = (PoEntry){ .begin = r->end };
    } else {
        document_builder_fail(r->builder, keyword, "expected msgid, msgstr, a comment or a string");
    }
}

/* Whether the next entry begins at r->at: after a translation comes neither another one nor a string. */
static bool is_next(const PoReader *r, const PoEntry *entry)
{
    static const char translation[] = "msgstr[";

    if (!entry->count) return false;
    return r->end - r->at < sizeof translation - 1 ||
           memcmp(r->bytes + r->at, translation, sizeof translation - 1) != 0;
}

bool po_entries_next(PoReader *r, PoEntry *entry)
{
    *entry = (PoEntry){ .begin = r->end };
    while ((r->at = skip(r, r->at, " \t\r\n\f\v")) < r->end && !document_builder_failed(r->builder)) {
        if (is_next(r, entry)) break;
        if (r->bytes[r->at] == '#')
            read_comment(r, entry);
        else
            read_keyword(r, entry);
    }
    if (entry->id.is_there && !entry->count)
        document_builder_fail(r->builder, entry->id.begin, "this msgid has no msgstr");
    if (entry->count && !entry->id.is_there)
        document_builder_fail(r->builder, entry->translations[0].begin, "this msgstr has no msgid");
    return entry->count && !document_builder_failed(r->builder);
}
