/* signals.h - signal handling of a filter. Only the main thread calls these functions. */
#ifndef DRAGOMAN_SIGNALS_H
#define DRAGOMAN_SIGNALS_H

/* Makes a write to a pipe without a reader fail with EPIPE, and a write beyond the largest allowed file size with
 * EFBIG, instead of ending the process. */
void signals_ignore_faults_of_output(void);

/* Ends the process by SIGPIPE (a shell shows 141), even if the parent process ignores that signal. Returns only if
 * the system refuses. */
void signals_die_of_pipe(void);

/* Makes SIGINT, SIGTERM and the other signals that end a process from outside remove the file `path` first. Signals
 * that the parent process ignores stay ignored. `path` must stay valid until signals_forget_file(). One file at a
 * time. */
void signals_remove_file(const char *path);
void signals_forget_file(void);

#endif
