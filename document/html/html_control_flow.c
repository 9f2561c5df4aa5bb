/* html_control_flow.c - see html_control_flow.h. */
#include "html_control_flow.h"

#include <stdbool.h>
#include <string.h>

#include "chars.h"
#include "html_tokens.h"

/* Longer conditions are taken for text. */
#define LONGEST_CONDITION ((size_t)2000)

static size_t skip_space(const char *bytes, size_t at, size_t end)
{
    while (at < end && html_is_space(bytes[at])) at++;
    return at;
}

/* Returns the byte after the parentheses at byte `at`, or `at` if there are none. In quotes, they do not count. */
static size_t condition_end(const char *bytes, size_t at, size_t end)
{
    size_t depth = 0;
    char quote = 0;

    if (at == end || bytes[at] != '(') return at;
    if (end - at > LONGEST_CONDITION) end = at + LONGEST_CONDITION;
    for (size_t i = at; i < end; i++) {
        const char c = bytes[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"' || c == '`') {
            quote = c;
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && !--depth) {
            return i + 1;
        }
    }
    return at;
}

/* Returns the byte after @let name = value; with the name's end at byte `i`, or `at`. */
static size_t declaration_end(const char *bytes, size_t at, size_t i, size_t end)
{
    const size_t name = skip_space(bytes, i, end);

    if (end - at > LONGEST_CONDITION) end = at + LONGEST_CONDITION;
    for (i = name; i < end && (char_is_alphanumeric(bytes[i]) || bytes[i] == '_' || bytes[i] == '$');) i++;
    if (i == name || i >= end) return at;
    i = skip_space(bytes, i, end);
    if (i >= end || bytes[i] != '=') return at;
    while (i < end && bytes[i] != ';') i++;
    return i < end ? i + 1 : at;
}

/* Returns the end of @name (condition) { or of @let, or `at`. */
static size_t head_end(const char *bytes, size_t at, size_t end, size_t *blocks)
{
    size_t i = at + 1, after;
    Range name = { i, i };
    bool needs_condition;

    if (at >= end || bytes[at] != '@') return at;
    while (i < end && char_is_letter(bytes[i])) i++;
    name.end = i;
    if (html_name_is(bytes, name, "let")) return declaration_end(bytes, at, i, end);
    needs_condition = html_name_is_in(bytes, name, "if for switch case");
    if (!needs_condition && !html_name_is_in(bytes, name, "else default defer empty placeholder loading error"))
        return at;
    i = skip_space(bytes, i, end);
    if (html_name_is(bytes, name, "else") && end - i > 2 && memcmp(bytes + i, "if", 2) == 0) {
        i = skip_space(bytes, i + 2, end);
        needs_condition = true;
    }
    after = condition_end(bytes, i, end);
    if (needs_condition && after == i) return at;
    i = skip_space(bytes, after, end);
    if (i == end || bytes[i] != '{' || (i + 1 < end && bytes[i + 1] == '{')) return at;
    ++*blocks;
    return i + 1;
}

size_t html_control_flow_end(const char *bytes, size_t at, size_t end, size_t *blocks)
{
    if (at == end || bytes[at] != '}') return head_end(bytes, at, end, blocks);
    if (!*blocks) return at;
    --*blocks;
    return at + 1;
}

size_t html_control_flow_next(const char *bytes, size_t at, size_t end, size_t blocks)
{
    size_t depth = 0;

    for (; blocks && at < end; at++) {
        if (bytes[at] == '{') depth++;
        if (bytes[at] == '}' && !depth--) return at;
    }
    return end;
}
