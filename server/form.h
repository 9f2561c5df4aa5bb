/* form.h - the parameters of a request: from the query of its URL, and from its body, which is a JSON object, a form of
 * a web page (URL-encoded) or a multipart form. The parsers decode the body in place, so parameters point into it. */
#ifndef DRAGOMAN_FORM_H
#define DRAGOMAN_FORM_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* A parameter. There is a NUL after the value, which may also contain NULs and need not be valid UTF-8. */
typedef struct {
    const char *name, *value;
    size_t length;
    const char *file; /* an uploaded file: its name, which may be empty; NULL: a text */
} Field;

typedef struct {
    LIST_OF(Field) fields; /* in the order of the request */
    cJSON *json;           /* NULL: the body is not JSON */
    size_t most;           /* the largest number of fields, and of values in JSON */
} Form;

typedef LIST_OF(LineText) TextParts;

/* Adds a parameter; name and value must stay valid. */
void form_add(Form *form, Field field);

/* Parse a body of `length` bytes, in which body[length] may be written, and add its parameters. ERR_FORMAT: the message
 * is for the client. `boundary` is the parameter of the content type, [boundary_length] without quotes. */
MUST_USE Status form_parse_json(Form *form, const char *body, size_t length, Err *err);
MUST_USE Status form_parse_encoded(Form *form, char *body, size_t length, Err *err);
MUST_USE Status form_parse_multipart(Form *form, char *body, size_t length, const char *boundary,
                                     size_t boundary_length, Err *err);

void form_free(Form *form); /* {0} is allowed */

/* Return a text; NULL: the request has no such text. A string of JSON comes before a field. */
const char *form_text(const Form *form, const char *name, size_t *length); /* `length` may be NULL */

/* Appends the texts of this name: the fields, or a string or an array of strings of JSON. Returns false if JSON has
 * another value. *is_list tells whether it is an array. */
bool form_texts(const Form *form, const char *name, TextParts *out, bool *is_list);

/* Reads a whole number. If there is none, leaves *out unchanged. Returns false if the value is not a whole number. */
bool form_number(const Form *form, const char *name, long *out);

/* Returns the uploaded file; NULL: there is none. */
const Field *form_file(const Form *form, const char *name);

/* Decodes %XX, and + as a space, in place. Returns the new length. */
size_t form_decode(char *text, size_t length);

#endif
