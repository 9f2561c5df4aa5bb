/* signals.h - what a filter does about signals. Called by the main thread. */
#ifndef DRAGOMAN_SIGNALS_H
#define DRAGOMAN_SIGNALS_H

/* From now on a write to a pipe without a reader fails with EPIPE, and one beyond
 * the largest file that the user may write with EFBIG. */
void signals_ignore_faults_of_output(void);

/* Ends the process the way SIGPIPE does (a shell shows 141), whether or not
 * the parent had the signal ignored. Returns only if the system refuses. */
void signals_die_of_pipe(void);

/* From now on SIGINT, SIGTERM and the other signals that somebody else sends to end
 * the process remove the file `path` before they do. Signals that the parent had
 * ignored stay ignored. `path` must stay valid until signals_forget_file(). One file
 * at a time. */
void signals_remove_file(const char *path);
void signals_forget_file(void);

#endif
