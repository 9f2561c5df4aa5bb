/* html_kept.h - whether the contents of inline elements are kept. The innermost element around them whose name or
 * attribute `translate` decides this is the one that counts. */
#ifndef DRAGOMAN_HTML_KEPT_H
#define DRAGOMAN_HTML_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "html_elements.h"

/* The most changes inside each other; further ones are ignored. */
#define HTML_KEPT_LEVELS 16

/* Starts as {0}. */
typedef struct {
    struct {
        uint64_t key; /* of the element that changes it */
        size_t depth; /* of elements with this key */
        bool is_kept;
    } levels[HTML_KEPT_LEVELS];
    size_t count;
} HtmlKept;

bool html_kept_is(const HtmlKept *kept);

/* For the tags of an inline element: what it says about its contents. */
void html_kept_open(HtmlKept *kept, uint64_t key, HtmlTranslate says);
void html_kept_close(HtmlKept *kept, uint64_t key);

#endif
