/* form.c - see form.h. */
#define _GNU_SOURCE /* memmem() */
#include "form.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "json.h"

void form_add(Form *form, Field field)
{
    LIST_PUT(&form->fields, field);
}

void form_free(Form *form)
{
    free(form->fields.data);
    cJSON_Delete(form->json);
    *form = (Form){ .json = NULL };
}

static Status check_count(Form *form, Err *err)
{
    Status st = LIST_CHECK(&form->fields, "the parameters of a request", err);

    if (st == OK && form->fields.len > form->most)
        st = err_set(err, ERR_FORMAT, "the request has more than %zu parameters", form->most);
    return st;
}

/* --- JSON */

Status form_parse_json(Form *form, const char *body, size_t length, Err *err)
{
    size_t room = form->most;

    return json_parse_as(&form->json, body, length, "request", cJSON_Object, &room, err);
}

/* --- URL-encoded forms: name=value&name=value */

size_t form_decode(char *text, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        const int high = text[i] == '%' && i + 2 < length ? char_hex_value(text[i + 1]) : -1;
        const int low = high >= 0 ? char_hex_value(text[i + 2]) : -1;
        if (low >= 0) {
            text[used++] = (char)(high * 16 + low);
            i += 2;
        } else {
            text[used++] = text[i] == '+' ? ' ' : text[i];
        }
    }
    return used;
}

Status form_parse_encoded(Form *form, char *body, size_t length, Err *err)
{
    char *end = body + length;
    Status st = OK;

    for (char *name = body; st == OK && name < end;) {
        char *next = memchr(name, '&', (size_t)(end - name)), *value;
        if (!next) next = end;
        value = memchr(name, '=', (size_t)(next - name));
        if (value) {
            const size_t used = form_decode(value + 1, (size_t)(next - value - 1));
            name[form_decode(name, (size_t)(value - name))] = '\0';
            value[1 + used] = '\0';
            form_add(form, (Field){ .name = name, .value = value + 1, .length = used });
            st = check_count(form, err);
        }
        name = next + 1;
    }
    return st;
}

/* --- Multipart forms (RFC 7578): parts between lines "--BOUNDARY", each with a head of lines, an empty line, and its
 * content. */

/* Reads the next parameter, such as name="file", of a header line. *at points after the ';' before it and moves to
 * the byte after the next ';'. Name and value are decoded in place. Returns false at the end of the line. */
static bool next_parameter(char **at, char *end, char **name, char **value)
{
    char *from = *at, *to;

    while (from < end && char_is_blank(*from)) from++;
    *name = from;
    while (from < end && *from != '=') from++;
    if (from == end) return false;
    *from++ = '\0';
    *value = to = from;
    if (from < end && *from == '"') {
        for (from++; from < end && *from != '"'; from++) {
            if (*from == '\\' && from + 1 < end && (from[1] == '"' || from[1] == '\\')) from++;
            *to++ = *from;
        }
        while (from < end && *from != ';') from++;
    } else {
        while (from < end && *from != ';') from++;
        for (to = from; to > *value && char_is_blank(to[-1]);) to--;
    }
    *to = '\0';
    *at = from < end ? from + 1 : end;
    return true;
}

/* Reads the head of a part, which ends before a line break. */
static Status read_head(Field *out, char *head, char *end, Err *err)
{
    static const char disposition[] = "content-disposition:";
    const size_t length = sizeof disposition - 1;

    *out = (Field){ .name = NULL };
    for (char *line = head, *next; line < end; line = next + 2) {
        char *at, *name, *value;
        next = memmem(line, (size_t)(end - line), "\r\n", 2);
        if (!next) next = end;
        if ((size_t)(next - line) < length || strncasecmp(line, disposition, length) != 0) continue;
        at = memchr(line, ';', (size_t)(next - line)); /* after the word form-data */
        for (at = at ? at + 1 : next; at < next && next_parameter(&at, next, &name, &value);) {
            if (strcasecmp(name, "name") == 0) out->name = value;
            if (strcasecmp(name, "filename") == 0) out->file = value;
        }
    }
    return out->name ? OK : err_set(err, ERR_FORMAT, "a part of the multipart form has no name");
}

Status form_parse_multipart(Form *form, char *body, size_t length, const char *boundary, size_t boundary_length,
                            Err *err)
{
    char mark[2 + 2 + 70 + 1] = "\r\n--", *at, *end = body + length;
    const size_t mark_length = 4 + boundary_length;
    Status st = OK;

    if (!boundary_length || boundary_length > 70)
        return err_set(err, ERR_FORMAT, "the multipart form has no valid boundary");
    memcpy(mark + 4, boundary, boundary_length);
    if (length >= mark_length - 2 && memcmp(body, mark + 2, mark_length - 2) == 0)
        at = body + mark_length - 2;
    else if ((at = memmem(body, length, mark, mark_length)))
        at += mark_length;
    while (st == OK && at) {
        Field field;
        char *head, *content, *next;
        if (end - at >= 2 && memcmp(at, "--", 2) == 0) return OK;
        while (at < end && char_is_blank(*at)) at++;
        if (end - at < 2 || memcmp(at, "\r\n", 2) != 0) break;
        head = at + 2;
        content = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
        if (!content) break;
        content += 4;
        next = memmem(content - 2, (size_t)(end - content + 2), mark, mark_length); /* a part may be empty */
        if (!next) break;
        st = read_head(&field, head, content - 2, err);
        field.value = content;
        field.length = next > content ? (size_t)(next - content) : 0;
        content[field.length] = '\0';
        at = next + mark_length;
        if (st == OK) form_add(form, field);
        if (st == OK) st = check_count(form, err);
    }
    return st == OK ? err_set(err, ERR_FORMAT, "the multipart form is incomplete") : st;
}

/* --- Parameters */

static const cJSON *member(const Form *form, const char *name)
{
    return form->json ? json_member((JsonObject){ form->json, "request" }, name) : NULL;
}

static const Field *find_field(const Form *form, const char *name, bool is_file)
{
    for (size_t i = 0; i < form->fields.len; i++) {
        const Field *field = &form->fields.data[i];
        if (!field->file == !is_file && strcmp(field->name, name) == 0) return field;
    }
    return NULL;
}

const char *form_text(const Form *form, const char *name, size_t *length)
{
    const cJSON *node = member(form, name);
    const Field *field = node ? NULL : find_field(form, name, false);
    const char *text = node ? cJSON_GetStringValue(node) : field ? field->value : NULL;

    if (length) *length = field ? field->length : text ? strlen(text) : 0;
    return text;
}

bool form_texts(const Form *form, const char *name, TextParts *out, bool *is_list)
{
    const cJSON *node = member(form, name), *item;

    *is_list = cJSON_IsArray(node);
    if (cJSON_IsString(node)) {
        LIST_PUT(out, ((LineText){ node->valuestring, strlen(node->valuestring) }));
        return true;
    }
    if (node && !*is_list) return false;
    for (item = node ? node->child : NULL; item; item = item->next) {
        if (!cJSON_IsString(item)) return false;
        LIST_PUT(out, ((LineText){ item->valuestring, strlen(item->valuestring) }));
    }
    for (size_t i = 0; !node && i < form->fields.len; i++) {
        const Field *field = &form->fields.data[i];
        if (!field->file && strcmp(field->name, name) == 0) LIST_PUT(out, ((LineText){ field->value, field->length }));
    }
    return true;
}

bool form_number(const Form *form, const char *name, long *out)
{
    const cJSON *node = member(form, name);
    const char *text = form_text(form, name, NULL);
    int64_t whole;
    char *end;
    long value;

    if (cJSON_IsNumber(node)) {
        if (!json_to_int64(node, LONG_MIN, LONG_MAX, &whole)) return false;
        *out = (long)whole;
        return true;
    }
    if (!text) return !node;
    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end || errno) return false;
    *out = value;
    return true;
}

const Field *form_file(const Form *form, const char *name)
{
    return find_field(form, name, true);
}
