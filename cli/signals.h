/* signals.h - how the program handles signals. */
#ifndef DRAGOMAN_SIGNALS_H
#define DRAGOMAN_SIGNALS_H

#include <stdbool.h>

/* Prepares the process, once. Only the main thread calls it.
 *
 * - A write to a pipe without a reader fails with EPIPE, and a write beyond the largest allowed file size with EFBIG,
 *   instead of ending the process.
 * - SIGINT, SIGTERM and the other signals that end a process from outside remove temporary files (temporary_file.h)
 *   before they end it. They also end the first process of a container, with exit code 128 + N for signal N; without a
 *   handler, the kernel would ignore them there. Signals that the parent process ignores stay ignored.
 * - A mapped file that is truncated while it is in use ends the process like any error: temporary files are removed,
 *   one line names the file, and the exit code is 1. Any other SIGBUS stays a crash. */
void signals_start(void);

/* Ends the process by SIGPIPE, even if the parent process ignores that signal; a shell then shows 141. The first
 * process of a container exits with code 141 instead, because the kernel does not let a signal end it. */
_Noreturn void signals_die_of_pipe(void);

/* After signals_end_line(true), signals that end the process first write a newline to stderr. Use it while the terminal
 * shows a line without a newline, so that the shell's prompt begins on a new line. Any thread may call it. */
void signals_end_line(bool open);

/* From signals_begin_files() to signals_end_files(), signals that end the process from outside also report how often
 * signals_count_file() was called, which any thread may do: the number of files that are complete. */
void signals_begin_files(void);
void signals_count_file(void);
void signals_end_files(void);

#endif
