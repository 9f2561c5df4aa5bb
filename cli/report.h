/* report.h - lines on stderr. */
#ifndef DRAGOMAN_REPORT_H
#define DRAGOMAN_REPORT_H

/* Writes "dragoman: ", the text and a newline in one piece. Control
 * characters, as a file name may hold them, come out as '?'. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
