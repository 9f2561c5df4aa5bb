/* placeholders.c - see placeholders.h. */
#include "placeholders.h"

#include "buf.h"
#include "chars.h"

#define LONGEST_NAME    ((size_t)60)
#define LONGEST_FORMAT  ((size_t)40)
#define LONGEST_MESSAGE ((size_t)4000)
#define LONGEST         ((size_t)120) /* bytes of a placeholder, except an ICU message */

/* Skips a name, which may have dots (user.age), and returns its range. */
static Range skip_name(TextCursor *c)
{
    Range name = { c->at, c->at };

    while (c->at - name.begin < LONGEST_NAME) {
        if (char_is_alphanumeric(cursor_char(c)))
            name.end = ++c->at;
        else if (!cursor_take(c, "_.-"))
            break;
    }
    c->at = name.end;
    return name;
}

/* A name stands for a number if first_words has its first word, last_words its last, or single_words the whole name. */
static const char first_words[] =
    "n nb nr no num nbr number numbers count counts cnt total max min sum amount anzahl zahl nummer nombre numero";
static const char last_words[] =
    "n nb nr no num nbr number numbers count counts counter cnt total totals sum amount quantity qty index idx "
    "position size length len width height min max minimum maximum limit percent percentage pct progress step steps "
    "score points level age year years month months week weeks day days hour hours minute minutes second seconds sec "
    "secs page pages line lines column columns row rows bytes kb mb gb attempts retries times anzahl zahl nummer "
    "nombre numero";
static const char single_words[] =
    "current remaining left done completed processed failed selected skipped files items results errors warnings "
    "messages";

/* Whether a capital after a small letter begins a word in a name: totalPages. */
static bool begins_word(const char *name, size_t at)
{
    return at && char_is_upper(name[at]) && char_is_lower(name[at - 1]);
}

/* Returns whether a name stands for a number, by its first and last words. Digits at its end do not count. */
static PlaceholderValue value_of_name(const TextCursor *c, Range range)
{
    const char *name = c->text + range.begin;
    const size_t length = range.end - range.begin;
    size_t end = length, last, first = 0, digits = 0;

    while (digits < length && char_is_digit(name[digits])) digits++;
    if (digits == length) return VALUE_ANY;
    while (end && !char_is_letter(name[end - 1])) end--;
    if (!end) return VALUE_NONE;
    last = end - 1;
    while (last && char_is_letter(name[last - 1]) && !begins_word(name, last)) last--;
    while (first < end && char_is_letter(name[first]) && !begins_word(name, first)) first++;
    return chars_are_in(name + last, end - last, last_words) || (!last && chars_are_in(name, end, single_words)) ||
                   chars_are_in(name, first, first_words)
               ? VALUE_NUMBER
               : VALUE_NONE;
}

/* Skips a conversion of printf() for a number, after the percent sign and the number of the argument. */
static PlaceholderValue skip_conversion(TextCursor *c)
{
    cursor_skip(c, "-+0#',");
    cursor_skip(c, CURSOR_DIGITS "*");
    if (cursor_take(c, ".")) cursor_skip(c, CURSOR_DIGITS "*");
    cursor_skip(c, "hlqjztL");
    return cursor_take(c, "diufFgGeE") ? VALUE_NUMBER : VALUE_NONE;
}

static PlaceholderValue skip_percent(TextCursor *c)
{
    PlaceholderValue value = VALUE_NONE;
    size_t start, digits;
    Range name;

    if (cursor_take(c, "({<")) {
        const char open = c->text[c->at - 1];
        name = skip_name(c);
        if (name.begin == name.end || !cursor_take(c, open == '(' ? ")" : open == '{' ? "}" : ">")) return VALUE_NONE;
        value = value_of_name(c, name);
        if (open == '{') return value;
        return skip_conversion(c) == VALUE_NUMBER ? VALUE_NUMBER : cursor_take(c, "s") ? value : VALUE_NONE;
    }
    start = c->at;
    if (cursor_take(c, "L") && cursor_take(c, "n" CURSOR_DIGITS)) { /* Qt: %Ln, %L1 */
        cursor_skip(c, CURSOR_DIGITS);
        return VALUE_NUMBER;
    }
    c->at = start;
    if (chars_begin(c->text, start, c->end, "arg")) { /* the number of a plural form of Apple */
        c->at += 3;
        if (!char_is_alphanumeric(cursor_char(c))) return VALUE_NUMBER;
    }
    c->at = start;
    if (cursor_take(c, "n") && !char_is_alphanumeric(cursor_char(c))) return VALUE_NUMBER;
    c->at = start;
    digits = cursor_skip(c, CURSOR_DIGITS);
    if (digits && digits <= 2 && !char_is_alphanumeric(cursor_char(c)) && !char_is_among(cursor_char(c), "$.%"))
        return VALUE_ANY;
    if (!(digits && cursor_take(c, "$"))) c->at = start;
    if (skip_conversion(c)) return VALUE_NUMBER;
    c->at = start; /* %count% */
    name = skip_name(c);
    return name.begin < name.end && cursor_take(c, "%") ? value_of_name(c, name) : VALUE_NONE;
}

/* Whether this is a format of C#, Python or ICU for numbers only: "N0", "d", ",.2f", "number". */
static bool is_number_format(const char *format, size_t length)
{
    TextCursor c = { format, 0, length };
    size_t start;

    cursor_skip(&c, " ");
    start = c.at;
    if (chars_begin(format, start, length, "number")) return true;
    cursor_skip(&c, "+-<>=^, ");
    cursor_skip(&c, CURSOR_DIGITS);
    cursor_skip(&c, ",_");
    if (cursor_take(&c, ".")) cursor_skip(&c, CURSOR_DIGITS);
    if (c.at > start && c.at == length) return true;
    return cursor_take(&c, "dDnNfFgGeEpP") && (cursor_skip(&c, CURSOR_DIGITS), c.at == length);
}

/* Whether the word after the comma (plural, select) begins an ICU message that contains texts. */
static bool begins_message(const TextCursor *c)
{
    TextCursor word = *c;
    Range name;

    cursor_skip(&word, " \n\r\t");
    name = skip_name(&word);
    cursor_skip(&word, " \n\r\t");
    return cursor_take(&word, ",") &&
           chars_are_among(c->text + name.begin, name.end - name.begin, "plural select selectordinal choice");
}

/* Skips the rest of a text in braces, after its opening brace. Returns false if the closing brace is missing. */
static bool skip_braces(TextCursor *c)
{
    const size_t end = c->end - c->at > LONGEST_MESSAGE ? c->at + LONGEST_MESSAGE : c->end;
    size_t depth = 1;

    for (; c->at < end; c->at++) {
        depth += c->text[c->at] == '{';
        depth -= c->text[c->at] == '}';
        if (!depth) {
            c->at++;
            return true;
        }
    }
    return false;
}

static PlaceholderValue skip_brace(TextCursor *c)
{
    const bool is_double = cursor_take(c, "{");
    PlaceholderValue value;
    Range name;
    size_t format;

    cursor_skip(c, " ");
    name = skip_name(c);
    if (name.begin == name.end && is_double) return VALUE_NONE;
    value = value_of_name(c, name);
    cursor_skip(c, " \n\r\t");
    if (!is_double && name.begin < name.end && cursor_char(c) == ',') {
        const size_t comma = c->at++;
        if (begins_message(c)) return skip_braces(c) ? VALUE_MESSAGE : VALUE_NONE;
        c->at = comma;
    }
    if (!is_double && cursor_take(c, ":,")) {
        format = c->at;
        while (cursor_char(c) && !char_is_among(cursor_char(c), "{}") && c->at - format < LONGEST_FORMAT) c->at++;
        if (is_number_format(c->text + format, c->at - format)) value = VALUE_NUMBER;
    }
    return cursor_take(c, "}") && (!is_double || cursor_take(c, "}")) ? value : VALUE_NONE;
}

/* Skips ${name}, $name, #{name}, @name or :name, and returns its kind of value. */
static PlaceholderValue skip_named(TextCursor *c, char mark)
{
    const bool has_brace = mark != ':' && cursor_take(c, "{");
    const Range name = skip_name(c);

    if (name.begin == name.end || char_is_digit(c->text[name.begin]) || (has_brace && !cursor_take(c, "}")))
        return VALUE_NONE;
    if (mark == '#' && !has_brace) return VALUE_NONE;
    return value_of_name(c, name);
}

/* Returns the length of the placeholder at the beginning of a text, or 0, and sets *value to its kind of value. */
static size_t placeholder_length(const char *text, size_t len, PlaceholderValue *value)
{
    TextCursor c = { text, 1, len };

    *value = VALUE_NONE;
    if (len < 2) return 0;
    if (*text == '%')
        *value = skip_percent(&c);
    else if (*text == '{')
        *value = skip_brace(&c);
    else if (char_is_among(*text, "$#@:"))
        *value = skip_named(&c, *text);
    return *value ? c.at : 0;
}

PlaceholderValue placeholders_at_end(const char *text, size_t len)
{
    PlaceholderValue value;

    if (len == 1 && *text == '#') return VALUE_NUMBER; /* of a plural of ICU */
    for (size_t at = len > LONGEST ? len - LONGEST : 0; at < len; at++)
        if (placeholder_length(text + at, len - at, &value) == len - at) return value;
    return VALUE_NONE;
}

Status placeholders_find(RangeList *out, const char *text, size_t len, Err *err)
{
    for (size_t at = 0; at < len;) {
        PlaceholderValue value = VALUE_NONE;
        const bool follows = at && (char_is_alphanumeric(text[at - 1]) || text[at - 1] == text[at]); /* 30%d */
        const bool may_begin = text[at] == '{' || (char_is_among(text[at], "%$#") && !follows);
        const size_t length = may_begin ? placeholder_length(text + at, len - at, &value) : 0;
        const bool is_word = length && text[at] == '%' && at + length < len && char_is_letter(text[at + length]);
        if ((value == VALUE_NUMBER || value == VALUE_MESSAGE) && !is_word) LIST_PUT(out, ((Range){ at, at + length }));
        at += length ? length : 1;
    }
    return LIST_CHECK(out, "the placeholders of a text", err);
}
