/* explain.h - the page of the command explain: one HTML file with a trace (docs/explain.md), its own scripts and
 * styles. It requests nothing. */
#ifndef DRAGOMAN_EXPLAIN_H
#define DRAGOMAN_EXPLAIN_H

typedef enum { PAGE_HTML, PAGE_JSON } PageFormat;
typedef enum { PAGE_ENGLISH, PAGE_CHINESE } PageLanguage;

#endif
