/* data_path.c - the paths of values in data: see data_values.h. */
#include "data_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"

void data_path_cut(DataPath *path, size_t depth)
{
    if (depth >= path->starts.len) return;
    path->text.len = path->starts.data[depth];
    path->starts.len = depth;
}

void data_path_set(DataPath *path, size_t depth, const char *key, size_t length)
{
    Err err;

    data_path_cut(path, depth);
    LIST_PUT(&path->starts, path->text.len);
    buf_put(&path->text, key, length);
    buf_put_byte(&path->text, '\0');
    if (LIST_CHECK(&path->starts, "a path", &err) != OK || buf_check(&path->text, &err) != OK)
        document_builder_fail_memory(path->builder);
}

void data_path_set_index(DataPath *path, size_t depth, size_t index)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%zu", index);

    data_path_set(path, depth, text, (size_t)length);
}

/* Returns how many keys of the path one of the patterns matches, at the most; 0: none matches. */
static size_t match_any(const DataPath *path, const char *const *patterns, size_t count)
{
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const char *pattern = patterns[i];
        size_t keys = 0;
        for (; *pattern && keys < path->starts.len; keys++) {
            const char *key = data_path_key(path, keys);
            size_t length = strlen(key);
            if (strncmp(pattern, key, length) != 0 || !strchr(".", pattern[length])) {
                if (*pattern != '*' || !strchr(".", pattern[1])) break; /* the keys end at a dot or at the end */
                length = 1;
            }
            pattern += length + (pattern[length] == '.');
        }
        if (!*pattern && keys > most) most = keys;
    }
    return most;
}

/* --- Codes ------------------------------------------------------------------- */

/* Keys whose values are codes if they look like one, also in the plural, and at the end of others: contentType. */
static const char code_keys[] =
    "lang language locale hreflang country region id uid uuid guid key slug sku code type kind status state mode "
    "format encoding charset currency timezone tz url uri href src path file filename icon color colour class "
    "classname style theme layout variant shape weight display direction dir align alignment position size method "
    "operator order sort role gender permission access visibility severity priority level scope env environment "
    "protocol version license target rel platform os arch unit frequency interval engine model provider strategy "
    "policy schema namespace module package component event action handler hook route ref";

/* Words that programs read under any key but those of labels. */
static const char code_words[] = "on off true false null none auto";
static const char label_keys[] =
    "label text title caption heading header name message msg subject summary placeholder tooltip description comment "
    "note hint help alt value button content question answer option choice";

/* Returns the word of a key that ends at *end or before, and moves *end to its beginning; its length is 0 after the
 * first word. contentType, content_type and content-type have two words. */
static const char *word_before(const char *key, size_t *end, size_t *length)
{
    size_t at = *end;

    while (at && !char_is_alphanumeric(key[at - 1])) at--;
    *end = at;
    while (at && char_is_alphanumeric(key[at - 1]) &&
           (at == *end || !(char_is_upper(key[at]) && char_is_lower(key[at - 1]))))
        at--;
    *length = *end - at;
    *end = at;
    return key + at;
}

/* Whether the value is one word of ASCII that does not begin as a word for readers does, en-US, open, USD or utf8,
 * where the key says that it may be a code. A value that is a word of its key, as in "on": "on", is rather a message
 * that is its own key. */
static bool is_code(const char *key, const char *value, size_t length)
{
    bool has_lower = false, has_mark = false, is_known;
    size_t end = strlen(key), size;
    const char *word;

    if (!length || length > 64 || !char_is_alphanumeric(value[length - 1])) return false;
    for (size_t i = 0; i < length; i++) {
        if (!char_is_alphanumeric(value[i]) && !char_is_among(value[i], "_-.:/+#@")) return false;
        has_lower |= char_is_lower(value[i]);
        has_mark |= !char_is_letter(value[i]);
    }
    if (char_is_upper(*value) && has_lower && !has_mark) return false;
    word = word_before(key, &end, &size);
    if (!size) return false;
    is_known =
        chars_are_in(word, size, code_keys) || (word[size - 1] == 's' && chars_are_in(word, size - 1, code_keys));
    if (!is_known && (!chars_are_in(value, length, code_words) || chars_are_in(word, size, label_keys))) return false;
    do {
        if (size == length && strncasecmp(word, value, length) == 0) return false;
        word = word_before(key, &end, &size);
    } while (size && !is_known); /* of a known key, only the last word counts */
    return true;
}

bool data_path_is_wanted(const DataPath *path, const char *value, size_t length)
{
    const DocumentOptions *options = document_builder_input(path->builder).options;
    const size_t selected = match_any(path, options->selects, options->select_count);
    size_t depth = path->starts.len; /* of the keys up to the last one that is not an index of a list */
    const char *key = NULL;

    for (; depth; depth--) {
        key = data_path_key(path, depth - 1);
        if (!*key || key[strspn(key, "0123456789")]) break;
    }
    if (path->is_wanted_key && (!depth || !path->is_wanted_key(key, strlen(key)))) return false;
    if (options->select_count && !selected) return false;
    if (match_any(path, options->skips, options->skip_count)) return false;
    return !depth || selected >= depth || !is_code(key, value, length);
}

void data_path_free(DataPath *path)
{
    buf_free(&path->text);
    free(path->starts.data);
    *path = (DataPath){ 0 };
}
