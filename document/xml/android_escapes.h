/* android_escapes.h - the escapes in the strings of Android resources: \' \" \\ \@ \? \n \t \u0020. */
#ifndef DRAGOMAN_ANDROID_ESCAPES_H
#define DRAGOMAN_ANDROID_ESCAPES_H

#include <stddef.h>

/* Reads the escape at the beginning of text[0..size), which begins with a backslash. Returns the bytes that it has;
 * *length is the number of bytes in `out`, 0 if it stands for no character. */
size_t android_escape_read(const char *text, size_t size, char out[4], size_t *length);

#endif
