/* terminal.h - the user's terminal: its width, a pager for long texts, and lines that are typed at a prompt. */
#ifndef DRAGOMAN_TERMINAL_H
#define DRAGOMAN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* The number of columns of the terminal that `fd` is; 80 if it tells none. */
size_t terminal_columns(int fd);

/* Shows a text with the pager in $DRAGOMAN_PAGER or $PAGER, else with less. Returns false if the text was not shown:
 * standard output is not a terminal that a pager can use, the pager is empty or cat, or it does not start. Starts a
 * program, so it must be called outside the sandbox. */
bool terminal_page(const char *text, size_t length);

/* Whether a user may type texts and read the answers: all standard streams are terminals. */
bool terminal_is_interactive(void);

/* Loads the library with which the user edits lines and gets earlier ones back, libedit or readline, if there is one.
 * Call it before the sandbox and before other threads are started, because it sets the locale of characters. */
void terminal_load_editor(void);

/* Shows the prompt and sets *line to the line that the user types, with a newline at its end. At the end of the input,
 * *line stays empty, and the cursor moves to a new line. */
MUST_USE Status terminal_read_line(const char *prompt, Buf *line, Err *err);

#endif
