/* input_file.h - whether an input file is text, and whether it changes while it is being translated. */
#ifndef DRAGOMAN_INPUT_FILE_H
#define DRAGOMAN_INPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "err.h"

/* Reads the file from its start to its end and sets *is_text to whether it is valid UTF-8 without NUL bytes. The
 * position of the descriptor stays where it is. The error message is only that of the system; the caller adds the name
 * of the file. */
MUST_USE Status input_check_text(int fd, bool *is_text, Err *err);

#define INPUT_CHANGED "changed while it was being translated; translate it again"

/* Whether the size or the time of a file has changed. */
bool input_is_changed(const struct stat *before, const struct stat *now);

/* Returns NULL if the open file has not changed since `before`; else INPUT_CHANGED, or the error of fstat(). */
const char *input_change(const struct stat *before, int fd);

#endif
