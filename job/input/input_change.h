/* input_change.h - finds files that change while they are being translated. */
#ifndef DRAGOMAN_INPUT_CHANGE_H
#define DRAGOMAN_INPUT_CHANGE_H

#include <stdbool.h>
#include <sys/stat.h>

#define INPUT_CHANGED "changed while it was being translated; translate it again"

/* Whether the size or the time of a file has changed. */
bool input_is_changed(const struct stat *before, const struct stat *now);

/* Returns NULL if the open file has not changed since `before`; else INPUT_CHANGED, or the error of fstat(). */
const char *input_change(const struct stat *before, int fd);

#endif
