/* sheets.c - see sheets.h. */
#include "sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "data_values.h"
#include "document_formats.h"
#include "language_detector.h"
#include "str_map.h"
#include "utf8.h"

#define LONGEST_LITERAL ((size_t)1024) /* bytes of a text in a formula; Excel allows 255 characters */
#define MOST_DEPTH      ((size_t)64)   /* the most nested functions whose names count */
#define MOST_WARNINGS   ((size_t)20)
#define MOST_LISTED     ((size_t)12) /* columns or sheets in a message */
#define NO_SHEET        ((size_t)-1)
#define LONGEST_NAME    ((size_t)1024) /* bytes of the name of a sheet that are compared; Excel allows 31 characters */
#define MOST_SHOWN      ((size_t)3)    /* texts of a formula in a warning */

/* The most areas that stay. Each row of a sheet is compared with all of them. */
#define MOST_AREAS ((size_t)1000)

typedef struct {
    size_t sheet; /* its name in `strings` */
    bool is_here; /* it is in the sheet that was entered last */
    SheetArea area;
} AreaEntry;

/* A formula that compares with texts, or several that differ only in the numbers of rows. */
typedef struct {
    SheetFormula kind;
    size_t sheet;         /* its name in `strings`; NO_SHEET: not known */
    size_t where;         /* in `strings` */
    size_t literals, end; /* in `strings`: texts that end with NUL, each after its LiteralKind */
    size_t count;         /* of such formulas */
} FormulaEntry;

/* How a formula compares with a text in it. */
typedef enum { LITERAL_NONE, LITERAL_EQUAL = '=', LITERAL_PART = '*' } LiteralKind;

struct Sheets {
    DocumentBuilder *builder;
    const DocumentOptions *options;
    bool *found;               /* [column_count + sheet_count], whether the document has this column or sheet */
    bool *chosen;              /* [SHEET_COLUMNS], the columns of the sheet that are translated */
    size_t *keys;              /* [SHEET_COLUMNS], 1 + where the name of a column is in `names`; 0: none */
    bool is_wanted, has_names; /* the sheet; its first row contains names that were asked for */
    size_t sheet;              /* its name in `strings` */
    size_t headers;            /* of tables in the sheet, which stay */
    LIST_OF(AreaEntry) areas;
    SheetArea *active; /* [active_count], the areas of the sheet in active_row */
    size_t active_count, active_row;
    Buf names;  /* of the columns of the sheet, each with a NUL */
    Buf listed; /* the names of sheets, for messages */
    size_t sheets;
    Buf strings, folded, kind;
    StrMap *texts;    /* in lower case: those of cells that are translated */
    StrMap *formulas; /* formulas without the numbers of rows -> indices of `entries` */
    LIST_OF(FormulaEntry) entries;
};

/* Checks what was appended. */
static void check(Sheets *s)
{
    Buf *const buffers[] = { &s->names, &s->listed, &s->strings, &s->folded, &s->kind };

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        document_builder_check(s->builder, buf_check(buffers[i], NULL));
}

Sheets *sheets_new(DocumentBuilder *builder)
{
    const DocumentOptions *options = document_builder_input(builder).options;
    Sheets *s = calloc(1, sizeof *s);
    bool ok = s;

    if (s) {
        s->builder = builder;
        s->options = options;
        s->found = calloc(options->column_count + options->sheet_count + 1, sizeof *s->found);
        s->chosen = calloc(SHEET_COLUMNS, sizeof *s->chosen);
        s->keys = calloc(SHEET_COLUMNS, sizeof *s->keys);
        s->active = calloc(MOST_AREAS, sizeof *s->active);
        ok = s->found && s->chosen && s->keys && s->active && str_map_new(&s->texts, NULL) == OK &&
             str_map_new(&s->formulas, NULL) == OK;
    }
    if (ok) return s;
    document_builder_fail_memory(builder);
    sheets_free(s);
    return NULL;
}

void sheets_free(Sheets *s)
{
    if (!s) return;
    free(s->found);
    free(s->chosen);
    free(s->keys);
    free(s->areas.data);
    free(s->active);
    buf_free(&s->names);
    buf_free(&s->listed);
    buf_free(&s->strings);
    buf_free(&s->folded);
    buf_free(&s->kind);
    str_map_free(s->texts);
    str_map_free(s->formulas);
    free(s->entries.data);
    free(s);
}

bool sheets_has_columns(const Sheets *s)
{
    return s->options->column_count > 0;
}

bool sheets_has_sheets(const Sheets *s)
{
    return s->options->sheet_count > 0;
}

/* --- Columns and sheets ---------------------------------------------------------------- */

char *sheets_cell_name(size_t row, size_t column, char out[CELL_NAME_BYTES])
{
    char letters[8];
    size_t count = 0;

    for (size_t rest = column + 1; rest && count < sizeof letters; rest = (rest - 1) / 26)
        letters[count++] = (char)('A' + (rest - 1) % 26);
    for (size_t i = 0; i < count; i++) out[i] = letters[count - 1 - i];
    snprintf(out + count, CELL_NAME_BYTES - count, "%zu", row + 1);
    return out;
}

/* Reads the letters of a column, at most four, of which the fourth one makes them wrong. Returns false if they name no
 * column. */
static bool read_column(const char *text, size_t *at, size_t end, size_t *column)
{
    const size_t begin = *at;

    *column = 0;
    for (; *at < end && *at < begin + 4 && char_is_letter(text[*at]); ++*at)
        *column = *column * 26 + ((size_t)(text[*at] | 0x20) - 'a' + 1);
    return *at > begin && (*column)-- <= SHEET_COLUMNS;
}

bool sheets_read_cell(const char *text, size_t *at, size_t end, size_t *row, size_t *column)
{
    size_t begin;

    *at += *at < end && text[*at] == '$';
    if (!read_column(text, at, end, column)) return false;
    *at += *at < end && text[*at] == '$';
    for (begin = *at, *row = 0; *at < end && *at < begin + 9 && char_is_digit(text[*at]); ++*at)
        *row = *row * 10 + (size_t)(text[*at] - '0');
    return *row && (*row)--;
}

/* Warns of the headers of tables that stay in the last sheet. */
static void warn_of_headers(Sheets *s)
{
    if (!s->headers) return;
    document_builder_warn(s->builder, WHOLE_DOCUMENT,
                          "sheet %.100s: %zu header%s of tables stay%s as %s, because formulas use such names",
                          s->strings.data + s->sheet, s->headers, s->headers > 1 ? "s" : "", s->headers > 1 ? "" : "s",
                          s->headers > 1 ? "they are" : "it is");
    s->headers = 0;
}

bool sheets_enter(Sheets *s, const char *name, size_t length)
{
    const DocumentOptions *options = s->options;

    length = chars_limit(0, length, LONGEST_NAME);
    warn_of_headers(s);
    s->active_row = (size_t)-1;
    s->active_count = 0;
    memset(s->chosen, 0, SHEET_COLUMNS * sizeof *s->chosen);
    memset(s->keys, 0, SHEET_COLUMNS * sizeof *s->keys);
    buf_clear(&s->names);
    s->has_names = options->has_header;
    s->is_wanted = !options->sheet_count;
    s->sheet = s->strings.len;
    buf_put(&s->strings, name, length);
    buf_put_byte(&s->strings, '\0');
    if (s->sheets++ < MOST_LISTED) buf_put_format(&s->listed, "%s%.*s", s->listed.len ? ", " : "", (int)length, name);
    for (size_t i = 0; i < options->sheet_count; i++) {
        if (strlen(options->sheets[i]) != length || strncasecmp(options->sheets[i], name, length) != 0) continue;
        s->found[options->column_count + i] = s->is_wanted = true;
    }
    check(s);
    for (size_t i = 0; i < s->areas.len && !document_builder_failed(s->builder); i++)
        s->areas.data[i].is_here =
            strcasecmp(s->strings.data + s->areas.data[i].sheet, s->strings.data + s->sheet) == 0;
    return s->is_wanted;
}

void sheets_name_column(Sheets *s, size_t column, const char *text, size_t length)
{
    if (column >= SHEET_COLUMNS) return;
    s->keys[column] = s->names.len + 1;
    buf_put(&s->names, text, length);
    buf_put_byte(&s->names, '\0');
    for (size_t i = 0; s->is_wanted && i < s->options->column_count; i++)
        if (chars_are(text, length, s->options->columns[i])) s->found[i] = s->chosen[column] = s->has_names = true;
    check(s);
}

/* Chooses the columns that the options name by a number or by letters. A name in the first row comes first. */
void sheets_names_end(Sheets *s)
{
    for (size_t i = 0; s->is_wanted && i < s->options->column_count; i++) {
        const char *name = s->options->columns[i];
        const size_t length = strlen(name);
        const bool is_number = length && name[strspn(name, "0123456789")] == '\0';
        const bool is_letters = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
        size_t column = is_number ? strtoul(name, NULL, 10) - 1 : 0, at = 0;
        bool is_name = false;
        for (size_t k = 0; !is_name && !is_number && k < SHEET_COLUMNS; k++)
            is_name = s->chosen[k] && s->keys[k] && strcmp(s->names.data + s->keys[k] - 1, name) == 0;
        if (is_name || (!is_number && (!is_letters || !read_column(name, &at, length, &column)))) continue;
        if (column >= SHEET_COLUMNS || at < (is_number ? 0 : length)) continue;
        s->found[i] = s->chosen[column] = true;
    }
}

void sheets_add_area(Sheets *s, const char *sheet, size_t length, SheetArea area)
{
    if (s->areas.len == MOST_AREAS)
        document_builder_fail(s->builder, document_builder_input(s->builder).begin,
                              "more than %zu tables and pivot tables are not supported", MOST_AREAS);
    if (document_builder_failed(s->builder)) return;
    LIST_PUT(&s->areas, ((AreaEntry){ s->strings.len, false, area }));
    buf_put(&s->strings, sheet, chars_limit(0, length, LONGEST_NAME));
    buf_put_byte(&s->strings, '\0');
    check(s);
    if (s->areas.failed) document_builder_fail_memory(s->builder);
}

/* Returns the area that contains a cell; NULL: none. */
static const SheetArea *area_at(Sheets *s, size_t row, size_t column)
{
    if (row != s->active_row) s->active_count = 0;
    for (size_t i = 0; row != s->active_row && i < s->areas.len; i++) {
        const AreaEntry *entry = &s->areas.data[i];
        if (entry->is_here && row >= entry->area.top && row <= entry->area.bottom)
            s->active[s->active_count++] = entry->area;
    }
    s->active_row = row;
    for (size_t i = 0; i < s->active_count; i++)
        if (column >= s->active[i].left && column <= s->active[i].right) return &s->active[i];
    return NULL;
}

bool sheets_wants(Sheets *s, bool is_name, size_t row, size_t column, const char *text, size_t length)
{
    const SheetArea *area = area_at(s, row, column);
    size_t key;
    bool wants;

    if (area && area->has_names) sheets_name_column(s, column, text, length);
    key = column < SHEET_COLUMNS ? s->keys[column] : 0;
    if (document_builder_failed(s->builder) || !s->is_wanted || (is_name && s->has_names)) return false;
    if (s->options->column_count)
        wants = column < SHEET_COLUMNS && s->chosen[column];
    else
        wants = is_name || (area && area->has_names) ||
                !data_value_is_code(key ? s->names.data + key - 1 : "", text, length);
    s->headers += wants && area && area->has_names;
    return wants && !area;
}

/* --- Texts ----------------------------------------------------------------------------- */

/* Sets s->folded to the text in lower case. */
static void fold(Sheets *s, const char *text, size_t length)
{
    buf_clear(&s->folded);
    buf_put(&s->folded, "", 0);
    for (size_t at = 0; at < length;) {
        char bytes[8];
        uint32_t code;
        const size_t size = utf8_next(text + at, length - at, &code);
        if (code == UTF8_INVALID)
            buf_put(&s->folded, text + at, size);
        else
            buf_put(&s->folded, bytes, utf8_put((uint32_t)u_tolower((UChar32)code), bytes));
        at += size;
    }
    check(s);
}

void sheets_add_text(Sheets *s, const char *text, size_t length)
{
    if (length > LONGEST_LITERAL || document_builder_failed(s->builder)) return;
    fold(s, text, length);
    if (!document_builder_failed(s->builder))
        document_builder_check(s->builder, str_map_add(s->texts, s->folded.data, s->folded.len, 0, NULL, NULL));
}

bool sheets_has_text(Sheets *s, const char *text, size_t length)
{
    if (length > LONGEST_LITERAL) return false;
    fold(s, text, length);
    return !document_builder_failed(s->builder) && str_map_get(s->texts, s->folded.data, s->folded.len, -1) >= 0;
}

/* --- Formulas -------------------------------------------------------------------------- */

/* How functions compare with texts among their arguments. Names after a dash are those of OpenDocument's conditions. */
static LiteralKind kind_of_function(const char *name, size_t length)
{
    static const char equal[] = "countif countifs sumif sumifs averageif averageifs maxifs minifs match xmatch vlookup "
                                "hlookup lookup xlookup exact switch dget dcount dcounta dsum";
    static const char part[] = "search searchb find findb contains-text not-contains-text begins-with ends-with";

    if (chars_begin_case(name, 0, length, "_xlfn.")) name += 6, length -= 6;
    return chars_are_in(name, length, equal)  ? LITERAL_EQUAL
           : chars_are_in(name, length, part) ? LITERAL_PART
                                              : LITERAL_NONE;
}

/* Appends a text with which a formula compares. The operator of a criterion, as in "<>Done", is not part of it. */
static void put_literal(Sheets *s, LiteralKind kind, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && char_is_among(text[at], "=<>")) at++;
    if (length - at > LONGEST_LITERAL || !language_has_letters(text + at, length - at)) return;
    if (memchr(text + at, '*', length - at) || memchr(text + at, '?', length - at)) kind = LITERAL_PART;
    buf_put_byte(&s->strings, (char)kind);
    buf_put(&s->strings, text + at, length - at);
    buf_put_byte(&s->strings, '\0');
}

/* Returns the end of the text in quotes, or of the name in apostrophes, that begins at byte `at`. */
static size_t quoted_end(const char *text, size_t at, size_t length)
{
    const char quote = text[at];

    for (at++; at < length; at++) {
        if (text[at] != quote) continue;
        if (at + 1 == length || text[at + 1] != quote) return at + 1;
        at++;
    }
    return length;
}

/* Appends the texts with which a formula compares. Sets s->kind to the formula without digits outside of its texts. */
static void put_literals(Sheets *s, SheetFormula kind, const char *text, size_t length)
{
    LiteralKind functions[MOST_DEPTH] = { LITERAL_NONE }; /* of the open brackets; the first one is around all */
    size_t depth = 0, name = 0;
    char before = '\0'; /* the character before, other than blanks */

    for (size_t at = 0, end; at < length; at = end) {
        const char c = text[at];
        end = at + 1;
        if (c == '"') {
            LiteralKind of = functions[depth < MOST_DEPTH ? depth : MOST_DEPTH - 1];
            Buf decoded = { 0 };
            const char *literal;
            bool is_all;
            size_t next;
            end = quoted_end(text, at, length);
            is_all = at == 0 && end == length;
            next = chars_skip_space(text, end, length);
            if (char_is_among(before, "=<>") || (next < length && char_is_among(text[next], "=<>")) ||
                kind == SHEET_LIST || (kind == SHEET_CONDITION && is_all))
                of = LITERAL_EQUAL;
            buf_put(&decoded, "", 0);
            for (size_t i = at + 1; i + 1 < end; i++) {
                buf_put_byte(&decoded, text[i]);
                i += text[i] == '"';
            }
            literal = decoded.failed ? NULL : decoded.data;
            if (!literal) document_builder_fail_memory(s->builder);
            for (size_t i = 0; literal && of && i < decoded.len;) { /* the items of a list are separated by commas */
                const size_t stop =
                    kind == SHEET_LIST && is_all ? chars_find(literal, i, decoded.len, ',') : decoded.len;
                const size_t begin = chars_skip_blanks(literal, i, stop);
                put_literal(s, of, literal + begin, stop - begin);
                i = stop + 1;
            }
            buf_free(&decoded);
            buf_put(&s->kind, text + at, end - at);
        } else if (c == '\'') {
            end = quoted_end(text, at, length);
            buf_put(&s->kind, text + at, end - at);
        } else {
            if (c == '(') {
                if (++depth < MOST_DEPTH) functions[depth] = kind_of_function(text + name, at - name);
            } else if (c == ')' && depth) {
                depth--;
            }
            if (!char_is_digit(c)) buf_put_byte(&s->kind, c);
        }
        if (!char_is_alphanumeric(c) && !char_is_among(c, kind == SHEET_CELL ? "._" : "._-")) name = end;
        if (!char_is_space(c)) before = c;
    }
}

void sheets_add_formula(Sheets *s, SheetFormula kind, const char *where, const char *formula, size_t length)
{
    const size_t begin = s->strings.len;
    const bool is_filter = kind == SHEET_FILTER || kind == SHEET_TABLE;
    FormulaEntry entry = { .kind = kind, .sheet = s->sheets ? s->sheet : NO_SHEET, .where = begin, .count = 1 };
    int32_t index;

    if (!is_filter && !memchr(formula, '"', length)) return;
    buf_put_text(&s->strings, where);
    buf_put_byte(&s->strings, '\0');
    entry.literals = s->strings.len;
    buf_clear(&s->kind);
    buf_put_byte(&s->kind, (char)('0' + (int)kind));
    if (is_filter)
        put_literal(s, LITERAL_EQUAL, formula, length);
    else
        put_literals(s, kind, formula, length);
    if (is_filter) buf_put(&s->kind, formula, length);
    entry.end = s->strings.len;
    check(s);
    if (document_builder_failed(s->builder)) return;
    index = str_map_get(s->formulas, s->kind.data, s->kind.len, -1);
    if (entry.literals == entry.end || index >= 0) {
        s->strings.len = begin;
        if (index >= 0) s->entries.data[index].count++;
        return;
    }
    LIST_PUT(&s->entries, entry);
    if (document_builder_check(s->builder, LIST_CHECK(&s->entries, "a formula", NULL)))
        document_builder_check(
            s->builder, str_map_add(s->formulas, s->kind.data, s->kind.len, (int32_t)s->entries.len - 1, NULL, NULL));
}

/* --- Messages -------------------------------------------------------------------------- */

/* Appends the texts of the formula that are translated, with commas. Returns how many there are. */
static size_t put_translated(Sheets *s, const FormulaEntry *entry, Buf *out)
{
    size_t count = 0;

    for (size_t at = entry->literals; at < entry->end;) {
        const char *literal = s->strings.data + at + 1;
        const size_t length = strlen(literal);
        const bool is_part = s->strings.data[at] == LITERAL_PART;
        at += length + 2;
        if (is_part ? !str_map_count(s->texts) : !sheets_has_text(s, literal, length)) continue;
        if (count++ < MOST_SHOWN) buf_put_format(out, "%s\"%s\"", out->len ? ", " : "", literal);
    }
    if (count > MOST_SHOWN) buf_put_text(out, ", ...");
    return count;
}

static void warn_of_formulas(Sheets *s)
{
    static const char *const kinds[] = {
        [SHEET_CELL] = "the formula compares with",
        [SHEET_CONDITION] = "the conditional format compares with",
        [SHEET_RULE] = "the rule for valid cells compares with",
        [SHEET_LIST] = "the list of valid values has",
        [SHEET_FILTER] = "the filter shows rows with",
        [SHEET_TABLE] = "the filter shows rows with",
        [SHEET_NAME] = "the formula of the name compares with",
    };
    Buf texts = { 0 }, line = { 0 };
    size_t warnings = 0;

    for (size_t i = 0; i < s->entries.len && !document_builder_failed(s->builder); i++) {
        const FormulaEntry *entry = &s->entries.data[i];
        size_t count;
        buf_clear(&texts);
        buf_clear(&line);
        count = put_translated(s, entry, &texts);
        if (!count || warnings++ >= MOST_WARNINGS) continue;
        if (entry->kind >= SHEET_TABLE)
            buf_put_format(&line, "%s %s", entry->kind == SHEET_TABLE ? "table" : "name",
                           s->strings.data + entry->where);
        else if (entry->sheet == NO_SHEET || strchr(s->strings.data + entry->where, '.')) /* Sales.A1 */
            buf_put_text(&line, s->strings.data + entry->where);
        else
            buf_put_format(&line, "sheet %s, %s", s->strings.data + entry->sheet, s->strings.data + entry->where);
        buf_put_format(&line, ": %s %s, but the texts of cells are translated; change it as well", kinds[entry->kind],
                       texts.data ? texts.data : "");
        if (entry->count > 1) buf_put_format(&line, " (%zu like this)", entry->count);
        if (line.data) document_builder_warn(s->builder, WHOLE_DOCUMENT, "%s", line.data);
    }
    if (warnings > MOST_WARNINGS)
        document_builder_warn(s->builder, WHOLE_DOCUMENT, "%zu more formulas compare with texts",
                              warnings - MOST_WARNINGS);
    if (texts.failed || line.failed) document_builder_fail_memory(s->builder);
    buf_free(&texts);
    buf_free(&line);
}

void sheets_finish(Sheets *s)
{
    const DocumentOptions *options = s->options;
    const size_t begin = document_builder_input(s->builder).begin;

    for (size_t i = 0; i < options->sheet_count; i++)
        if (!s->found[options->column_count + i])
            document_builder_fail(s->builder, begin, "there is no sheet '%s'; the sheets are: %s%s", options->sheets[i],
                                  s->listed.data ? s->listed.data : "", s->sheets > MOST_LISTED ? ", ..." : "");
    for (size_t i = 0; i < options->column_count; i++)
        if (!s->found[i])
            document_builder_fail(
                s->builder, begin,
                "no sheet has a column '%s'; name a column by its capital letter, its number, or its text "
                "in the first row",
                options->columns[i]);
    warn_of_headers(s);
    warn_of_formulas(s);
}
