/* latex_listing.c - environments that a document or a package defines for code: see latex_extent.h.
 * Method   Each line counts as code, as a sentence or a command of LaTeX, or as neither. */
#include "latex_extent.h"

#include <string.h>

#include "chars.h"

/* The bytes that are judged, and the longest environment, so that reading takes linear time. */
#define JUDGED_BYTES  ((size_t)2000)
#define LISTING_BYTES ((size_t)1 << 15)
/* A line of words alone is a part of a sentence if it has as many, or as many before a semicolon. */
#define SENTENCE_WORDS 6
#define VERSE_WORDS    4

typedef enum { LISTING_CODE, LISTING_TEXT, LISTING_OTHER } ListingLine;

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '_';
}

static bool is_at(const char *line, size_t length, size_t at, const char *text)
{
    const size_t size = strlen(text);

    return at <= length && length - at >= size && memcmp(line + at, text, size) == 0;
}

/* Whether a command of LaTeX is in the line. In quotes, \n is an escape. */
static bool has_command(const char *line, size_t length)
{
    bool is_quoted = false;

    if (length > 1 && line[length - 1] == '\\' && line[length - 2] == '\\') return true;
    for (size_t at = 0; at + 2 < length; at++) {
        if (line[at] == '"') is_quoted = !is_quoted;
        if (line[at] == '\\' && !is_quoted && char_is_letter(line[at + 1]) && char_is_letter(line[at + 2])) return true;
    }
    return false;
}

/* The marks of statements, expressions, options and tags that prose hardly has. */
static bool has_operator(const char *line, size_t length)
{
    static const char *const marks[] = { " = ", "==", "!=",  "+=", "-=",   ":=", "=>", "->", "<-",
                                         "::",  "||", "&&",  "++", "/*",   "*/", "()", "((", "))",
                                         "):",  "){", ") {", "[]", "\": ", "</", "/>", "='", "=\"" };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (size_t at = 0; at < length; at++)
            if (is_at(line, length, at, marks[i])) return true;
    return false;
}

/* Whether an option of a command, a comment or a call with a string or several arguments is in the line. */
static bool has_call(const char *line, size_t length)
{
    for (size_t at = 1; at + 1 < length; at++) {
        const char before = line[at - 1], next = line[at + 1];
        if (line[at] == '-' && before == ' ' &&
            (char_is_letter(next) || (next == '-' && at + 2 < length && char_is_letter(line[at + 2]))))
            return true;
        if (line[at] == '/' && next == '/' && before != ':') return true;
        if (line[at] == '(' && is_name_character(before) && strchr("\"'&*", next)) return true;
    }
    return false;
}

/* Whether the line has an underscore or a # outside of mathematics, which are errors in a text, or a $ without a
 * partner. */
static bool has_wrong_mark(const char *line, size_t length)
{
    bool in_formula = false;

    for (size_t at = 0; at < length; at++) {
        if (line[at] == '\\')
            at++;
        else if (line[at] == '$')
            in_formula = !in_formula;
        else if (!in_formula && (line[at] == '_' || line[at] == '#'))
            return true;
    }
    return in_formula;
}

/* The number of words of a line that has nothing but words, spaces and perhaps marks of a sentence; otherwise 0. */
static size_t count_words(const char *line, size_t length)
{
    size_t words = 1;

    for (size_t at = 0; at < length; at++) {
        words += line[at] == ' ' && at + 1 < length && line[at + 1] != ' ';
        if (!char_is_alphanumeric(line[at]) && (unsigned char)line[at] < 0x80 && !strchr(" .,;:!?'\"()-~`$", line[at]))
            return 0;
    }
    return words;
}

/* Whether the line is words alone that are, or are a part of, a sentence. */
static bool is_sentence(const char *line, size_t length)
{
    const size_t words = count_words(line, length);
    const bool has_ends = line[0] >= 'A' && line[0] <= 'Z' && strchr(".!?", line[length - 1]);

    return words >= SENTENCE_WORDS || (words && has_ends);
}

/* Whether the line begins with a prompt, an option, a tag, or a mark of a preprocessor or decorator, or ends a
 * statement. */
static bool has_code_ends(const char *line, size_t length)
{
    static const char *const begins[] = { "$ ", "> ", ">>> ", "// ", "* ", "@", "--", "{", "}", "#" };

    if (strchr("{}", line[length - 1])) return true;
    if (line[length - 1] == ';' && count_words(line, length) < VERSE_WORDS) return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (is_at(line, length, 0, begins[i])) return true;
    return length > 1 && (line[0] == '<' || line[0] == '-') && (char_is_letter(line[1]) || line[1] == '/');
}

/* Whether the line is `key: value` with a single word, or key=value. */
static bool is_setting(const char *line, size_t length)
{
    size_t at = 0;

    while (at < length && (is_name_character(line[at]) || line[at] == '-' || line[at] == '.')) at++;
    if (!at || at == length || line[0] < 'A' || (line[at] != ':' && line[at] != '=')) return false;
    if (line[at] == '=') return true;
    if (line[0] <= 'Z' || (at + 1 < length && line[at + 1] != ' ')) return false;
    for (at += 2; at < length; at++)
        if (line[at] == ' ') return false;
    return true;
}

static ListingLine kind_of(const char *line, size_t length)
{
    if (has_command(line, length)) return LISTING_TEXT;
    if (has_code_ends(line, length) || has_wrong_mark(line, length)) return LISTING_CODE;
    if (is_sentence(line, length)) return LISTING_TEXT;
    return has_operator(line, length) || has_call(line, length) || is_setting(line, length) ? LISTING_CODE
                                                                                            : LISTING_OTHER;
}

/* Whether the name says that the environment is code: bashcode, programlisting, myverbatim, terminal. */
static bool names_code(const LatexScan *s, Range name)
{
    static const char *const words[] = { "code",    "listing", "verbatim", "program", "script", "shell",   "console",
                                         "termina", "source",  "snippet",  "command", "prompt", "session", "output",
                                         "bash",    "python",  "java",     "json",    "yaml",   "matlab" };

    for (size_t at = name.begin; at < name.end; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t same = 0;
            while (words[i][same] && at + same < name.end && (s->bytes[at + same] | 0x20) == words[i][same]) same++;
            if (!words[i][same]) return true;
        }
    return false;
}

bool latex_listing_is_code(const LatexScan *s, size_t at, Range name)
{
    const LatexName known = { s->bytes + name.begin, name.end - name.begin };
    LatexScan part = *s;
    size_t counts[LISTING_OTHER + 1] = { 0 }, begin = latex_scan_arguments(s, at, LATEX_ANY_COUNT, NULL), end, code;

    while (begin < s->end && char_is_blank(s->bytes[begin])) begin++;
    if (begin == s->end || !char_is_newline(s->bytes[begin])) return false; /* code begins on a line of its own */
    if (part.end - begin > JUDGED_BYTES) part.end = begin + JUDGED_BYTES;
    part.end = latex_extent_find_boundary(&part, begin, "\\end", known).begin;
    for (; begin < part.end; begin = end + 1) {
        size_t first = begin, last;
        end = last = latex_scan_line_end(&part, begin);
        while (first < last && char_is_space(s->bytes[first])) first++;
        while (last > first && char_is_space(s->bytes[last - 1])) last--;
        if (first < last) counts[kind_of(s->bytes + first, last - first)]++;
    }
    code = counts[LISTING_CODE] + (names_code(s, name) ? counts[LISTING_OTHER] : 0);
    if (code <= counts[LISTING_TEXT] || 2 * code < counts[LISTING_OTHER]) return false;
    part.end = s->end - at > LISTING_BYTES ? at + LISTING_BYTES : s->end;
    return latex_extent_find_boundary(&part, at, "\\end", known).begin < part.end;
}
