/* text_check.h - tells text from other files. */
#ifndef DRAGOMAN_TEXT_CHECK_H
#define DRAGOMAN_TEXT_CHECK_H

#include <stdbool.h>

#include "err.h"

/* Reads the file from its start to its end and sets *is_text to whether it is valid UTF-8 without NUL bytes. The
 * position of the descriptor stays where it is. The error message is only that of the system; the caller adds the name
 * of the file. */
MUST_USE Status text_check_file(int fd, bool *is_text, Err *err);

#endif
