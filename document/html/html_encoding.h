/* html_encoding.h - the encoding that an HTML document declares. */
#ifndef DRAGOMAN_HTML_ENCODING_H
#define DRAGOMAN_HTML_ENCODING_H

#include <stddef.h>

#include "text_encoding.h"

/* Finds the name in <meta charset="..."> or <meta http-equiv="Content-Type" content="...; charset=..."> within the
 * first 1024 bytes, else in an XML declaration (HTML standard, 13.2.3.2 "prescan a byte stream"), else in an element
 * anywhere (13.2.3.4 "changing the encoding while parsing"). Sets `name` to the encoding that browsers take for it, as
 * windows-1252 for ISO-8859-1; "": there is none. */
void html_encoding_find(const char *bytes, size_t size, char name[ENCODING_NAME]);

#endif
