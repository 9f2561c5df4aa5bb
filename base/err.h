/* err.h - how every call of dragoman fails.
 * A call that can fail returns a Status and takes an Err as its last
 * parameter. The innermost function that knows the file, tensor or line
 * writes the message; the ones above pass it on untouched. */
#ifndef DRAGOMAN_ERR_H
#define DRAGOMAN_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

#define MUST_USE __attribute__((warn_unused_result))

typedef enum {
    OK = 0,
    ERR_IO,          /* the system refused: open, read, write, map, thread */
    ERR_MEMORY,      /* out of memory */
    ERR_FORMAT,      /* a file is broken: says which and where */
    ERR_UNSUPPORTED, /* a file is sound, but asks for what dragoman lacks */
    ERR_USAGE        /* the caller's options do not fit the model or each other */
} Status;

/* One line of text without a newline; longer texts end in "...". */
typedef struct {
    char text[1024];
} Err;

/* Writes the message and returns `status`. `err` may be NULL; err->text may be
 * among the arguments. Control characters and ill-formed UTF-8 in the result
 * are replaced by '?', so that a hostile file name or tensor name cannot break
 * the line or reach the terminal as a command. */
Status err_set(Err *err, Status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* err_set(err, ERR_MEMORY, ...) with the usual words; `what` names the need. */
Status err_memory(Err *err, const char *what);

#ifdef __cplusplus
}
#endif

/* How users know a setting is for the program to say: as an option, or as a constant of dragoman.h. So a message has
 * SETTING(TO) in the place of the name, for DRAGOMAN_TO, and the functions of dragoman.h put the name there
 * (translator/public_functions.c). Unicode sets both characters aside for a program's own use: no text has them. */
#define SETTING_BEGIN "\uFDD0"
#define SETTING_END   "\uFDD1"
#define SETTING(name) SETTING_BEGIN #name SETTING_END

#endif
