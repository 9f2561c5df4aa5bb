/* glossaries.h - the glossaries of DeepL's API, which clients send. They are kept in memory and, if --glossaries names
 * a folder, also there, each in a file. A glossary has tables of terms, each for a pair of languages, and belongs to
 * the key with which it was sent; without keys, to everybody. Any thread may call these functions. */
#ifndef DRAGOMAN_GLOSSARIES_H
#define DRAGOMAN_GLOSSARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "options.h"

typedef struct Glossaries Glossaries;

/* Reads the folder, if there is one; it is created if it does not exist. On OK the caller owns *out. */
MUST_USE Status glossaries_new(Glossaries **out, const ServerOptions *options, Err *err);
void glossaries_free(Glossaries *glossaries); /* NULL is allowed */

typedef enum { GLOSSARY_FOUND, GLOSSARY_UNKNOWN, GLOSSARY_OTHER_PAIR } GlossaryAnswer;

/* Appends the terms of a glossary for a pair of languages, in the form of DRAGOMAN_TERM. */
GlossaryAnswer glossaries_put_terms(Glossaries *glossaries, const char *owner, const char *id, const char *source,
                                    const char *target, Buf *out);

#endif
