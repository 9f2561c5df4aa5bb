/* err.h - error handling in all of dragoman.
 * A function that can fail returns a Status and takes an Err as its last parameter. The innermost
 * function that knows the file, tensor or line writes the message; its callers pass it on unchanged. */
#ifndef DRAGOMAN_ERR_H
#define DRAGOMAN_ERR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MUST_USE __attribute__((warn_unused_result))

typedef enum {
    OK = 0,
    ERR_IO,          /* a system call failed: open, read, write, map, thread */
    ERR_MEMORY,      /* out of memory */
    ERR_FORMAT,      /* a file is invalid; the message says which and where */
    ERR_UNSUPPORTED, /* a file is valid but needs a feature that dragoman lacks */
    ERR_USAGE        /* the options do not fit the model or each other */
} Status;

/* One line of text without a newline. Longer texts are cut and end in "...". */
typedef struct {
    char text[1024];
} Err;

/* Writes the message and returns `status`. `err` may be NULL. err->text may be among the arguments.
 * Control characters and ill-formed UTF-8 in the result are replaced by '?', so that a hostile file or
 * tensor name cannot break the line or send commands to the terminal. */
Status err_set(Err *err, Status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
Status err_set_list(Err *err, Status status, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* Calls err_set(err, ERR_MEMORY, ...) with "out of memory for `what`". */
Status err_memory(Err *err, const char *what);

/* Calls err_set(err, ERR_FORMAT, ...) for an error that no input should cause: the message calls it a fault of dragoman
 * and asks for a report. */
Status err_internal(Err *err, const char *what);

#ifdef __cplusplus
}
#endif

/* The name of a setting depends on the program: an option on the command line, a constant of dragoman.h in the library.
 * A message therefore contains a placeholder, such as SETTING(TO) for DRAGOMAN_TO; the functions of dragoman.h replace
 * it by the name (translator/option_fields.c). Unicode reserves the two characters around a placeholder for internal
 * use, so no text contains them. */
#define SETTING_BEGIN "\uFDD0"
#define SETTING_END   "\uFDD1"
#define SETTING(name) SETTING_BEGIN #name SETTING_END

/* A placeholder that is replaced by nothing, because the message already contains the name of the setting
 * (translator/public_status.h). */
#define SETTING_SILENT   '='
#define SETTING_IS(name) SETTING_BEGIN "=" name SETTING_END

#endif
