/* document_po.c - gettext PO and POT. The lines of msgid (\n) are the sources of units, whose translations are written
 * one after the other in msgstr: the place of the first is the msgstr, those of the others are empty and after it.
 * Entries without a translation, and fuzzy ones, are translated and become fuzzy. An entry with plural forms gets as
 * many as the language has. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "declared_encoding.h"
#include "document_formats.h"
#include "message_format.h"
#include "po_entries.h"
#include "utf8.h"

/* A context: Java's MessageFormat. */
enum { IN_MESSAGE = 1 };

#define LONGEST_NAME 48
#define LONGEST_RULE 200

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
        const EscapedPart part = po_entries_read(p->bytes + at, header.end - at);
        Range value;
        if (is_start && part.size && header.end - at > length && memcmp(p->bytes + at, name, length) == 0) {
            value.begin = at + length;
            while (value.begin < header.end && p->bytes[value.begin] == ' ') value.begin++;
            for (value.end = value.begin; value.end < header.end && p->bytes[value.end] != '\n';) {
                const EscapedPart next = po_entries_read(p->bytes + value.end, header.end - value.end);
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

/* Whether all translations of the entry are there. */
static bool is_translated(const PoEntry *entry)
{
    for (size_t i = 0; i < entry->count; i++)
        if (entry->translations[i].text.begin == entry->translations[i].text.end) return false;
    return !entry->is_fuzzy;
}

/* Whether the entry keeps its translations. */
static bool stays(const PoParser *p, const PoEntry *entry)
{
    return is_translated(entry) && !p->options->retranslate;
}

/* Whether an entry of the document that stays has another number of plural forms than the language. */
static bool has_other_forms(const PoParser *p, PoReader reader)
{
    const PoPlurals *known = po_plurals_find(p->options->language);
    PoEntry entry;

    while (known && !p->options->keep_language && po_entries_next(&reader, &entry))
        if (entry.plural.is_there && stays(p, &entry) && entry.count != known->count) return true;
    return false;
}

/* Whether the rule of the header has to stay: it is for the language of the translation or for none, or the entries
 * that stay need it. */
static bool keeps_plurals(const PoParser *p, Range language)
{
    if (p->options->keep_language || language.begin == language.end) return true;
    return document_builder_is_language(p->builder, language.begin, language.end) || p->has_other_forms;
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

static void replace_field(PoParser *p, Range value, const char *text)
{
    if (value.end) document_builder_label(p->builder, value.begin, value.end, text);
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

    report_charset(p, header);
    document_builder_names(p->builder, LANGUAGE_SOURCE, source.begin, source.end);
    document_builder_names(p->builder, LANGUAGE_TARGET, language.begin, language.end);
    if (!p->options->language) return;
    snprintf(name, sizeof name, "%s", p->options->language);
    if (document_builder_is_language(p->builder, language.begin, language.end))
        snprintf(name, sizeof name, "%.*s", (int)(language.end - language.begin), p->bytes + language.begin);
    if (keeps_plurals(p, language) && read_plurals(p, forms, &p->own)) {
        p->plurals = &p->own;
    } else {
        p->plurals = po_plurals_find(name);
        if (p->plurals) replace_field(p, forms, p->plurals->rule);
        if (!forms.end) p->header_end = header.end;
    }
    po_plurals_name(p->options->language, name, sizeof name);
    if (language.end) document_builder_language(p->builder, language.begin, language.end, name);
}

/* Whether the header ends with a newline. */
static bool ends_line(const PoParser *p, size_t end)
{
    return memcmp(p->bytes + end - 2, "\\n", 2) == 0;
}

/* Adds the rule of the plural forms, without which they mean nothing. */
static void add_plural_forms(PoParser *p)
{
    char text[LONGEST_RULE];

    if (!p->header_end || !p->plurals || !p->has_plurals) return;
    snprintf(text, sizeof text, "%s\"%s\"Plural-Forms: %s\\n", ends_line(p, p->header_end) ? "" : "\\n", p->newline,
             p->plurals->rule);
    document_builder_label(p->builder, p->header_end, p->header_end, text);
}

/* Reports a string as one text. */
static size_t report_own(PoParser *p, Range range)
{
    size_t text;

    document_builder_begin(p->builder, 0, range.begin);
    for (size_t at = range.begin; at < range.end;) {
        const EscapedPart part = po_entries_read(p->bytes + at, range.end - at);
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

/* Reports a form whose source has no letters: the translation is the same text. */
static size_t report_copy(PoParser *p, const PoForm *form, const char *before)
{
    UnitPlan plan = { .is_done = form->is_done };

    plan.source = report_own(p, form->source.text);
    plan.own = report_own(p, form->place);
    if (form->is_added) {
        plan.before = before;
        plan.after = "\"";
    }
    return document_builder_add_unit(p->builder, &plan);
}

static EscapedPart read_message(const char *bytes, size_t length)
{
    return message_format_read(po_entries_read, bytes, length);
}

static EscapedReader *reader_of(unsigned context)
{
    return context & IN_MESSAGE ? read_message : po_entries_read;
}

static unsigned context_of(const PoParser *p, const PoForm *form)
{
    const Range text = form->source.text;

    return form->is_java && message_format_is_one(po_entries_read, p->bytes + text.begin, text.end - text.begin)
               ? IN_MESSAGE
               : 0;
}

/* Reports the units of a form, and returns the first. */
static size_t report_form(PoParser *p, const PoForm *form)
{
    const unsigned context = context_of(p, form);
    EscapedText text =
        escaped_text_start(p->builder, reader_of(context), form->source.text.begin, form->source.text.end);
    char before[LONGEST_NAME];
    size_t first = 0;

    document_builder_arguments(p->builder, form->arguments);
    snprintf(before, sizeof before, "%smsgstr[%zu] \"", p->newline, form->index);
    if (!escaped_text_has_more(&text)) first = report_copy(p, form, before);
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

static PoForm form_at(const PoParser *p, const PoEntry *entry, size_t index)
{
    const size_t last = end_of(entry, entry->count - 1);
    const size_t singular = p->plurals ? p->plurals->singular : 0;
    PoForm form = { .index = index, .source = entry->plural.is_there ? entry->plural : entry->id };

    if (index == singular) form.source = entry->id;
    form.is_java = entry->is_java;
    form.arguments = entry->arguments ? entry->arguments : ARGUMENTS_IN_ORDER;
    form.is_added = index >= entry->count;
    form.place = form.is_added ? (Range){ last, last } : entry->translations[index].text;
    form.is_done = !entry->is_fuzzy && !form.is_added && form.place.begin < form.place.end;
    return form;
}

/* Removes the forms that the language does not have: empty ones, and others if the unit is translated. */
static void remove_forms(PoParser *p, const PoEntry *entry, size_t count, size_t unit)
{
    bool is_empty = true;

    if (count >= entry->count) return;
    for (size_t i = count; i < entry->count; i++)
        is_empty &= entry->translations[i].text.begin == entry->translations[i].text.end;
    if (is_empty)
        document_builder_label(p->builder, end_of(entry, count - 1), end_of(entry, entry->count - 1), "");
    else
        document_builder_mark(p->builder, unit, end_of(entry, count - 1), end_of(entry, entry->count - 1), "");
}

static void mark_fuzzy(PoParser *p, const PoEntry *entry, size_t unit)
{
    char line[LONGEST_NAME];

    if (entry->is_fuzzy) return;
    snprintf(line, sizeof line, "#, fuzzy%s", p->newline);
    if (entry->has_flags)
        document_builder_mark(p->builder, unit, entry->flags, entry->flags, " fuzzy,");
    else
        document_builder_mark(p->builder, unit, entry->begin, entry->begin, line);
}

/* Whether the string says anything but white space. */
static bool is_filled(const PoParser *p, const PoString *string)
{
    for (size_t at = string->text.begin; at < string->text.end;) {
        const EscapedPart part = po_entries_read(p->bytes + at, string->text.end - at);
        if (part.size > utf8_leading_space(part.text, part.size)) return true;
        at += part.length;
    }
    return false;
}

static void report_entry(PoParser *p, const PoEntry *entry)
{
    const bool keeps_count = !entry->plural.is_there || !p->plurals || stays(p, entry);
    const size_t count = keeps_count ? entry->count : p->plurals->count;
    size_t changed = 0;
    bool is_changed = false;

    p->has_plurals |= entry->plural.is_there;
    if (!is_filled(p, &entry->id) || (entry->plural.is_there && !is_filled(p, &entry->plural))) return;
    for (size_t i = 0; i < count && !document_builder_failed(p->builder); i++) {
        const PoForm form = form_at(p, entry, i);
        const size_t unit = report_form(p, &form);
        if (i == 0 || (!form.is_done && !is_changed)) changed = unit;
        if (!form.is_done) is_changed = true;
    }
    mark_fuzzy(p, entry, changed);
    remove_forms(p, entry, count, changed);
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
    while (po_entries_next(&reader, &entry)) {
        if (entry.id.text.begin == entry.id.text.end && !entry.context.is_there)
            report_header(&p, &entry);
        else
            report_entry(&p, &entry);
    }
    add_plural_forms(&p);
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
    if ((place->context & IN_MESSAGE) && message_format_keeps(spelling, length)) return true;
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
