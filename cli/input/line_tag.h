/* line_tag.h - the tag of a line: its file, its ending, and whether it is the line that ends a document. input.h has
 * the functions that read it. */
#ifndef DRAGOMAN_LINE_TAG_H
#define DRAGOMAN_LINE_TAG_H

#include <stddef.h>
#include <stdint.h>

#include "line_reader.h"

uintptr_t line_tag(size_t file, Ending ending);
uintptr_t line_tag_of_end(size_t file);

#endif
