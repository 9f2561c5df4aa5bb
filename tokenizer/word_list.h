/* word_list.h - vocabularies of whole words: a text file with one token a
 * line, whose id is the number of the line, from 0; texts are cut at white
 * space, as Python's str.split() does it. */
#ifndef DRAGOMAN_WORD_LIST_H
#define DRAGOMAN_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "vocab.h"

/* Reads a list (UTF-8; lines end with LF or CRLF). An empty line is an id that
 * no word has. No token comes twice. OK: the caller owns *out. */
MUST_USE Status word_list_read(Vocab **out, const FileView *file, Err *err);

/* Finds the next word of text[*at, len) and moves *at behind it; false at the
 * end of the text. */
bool word_list_next(const char *text, size_t len, size_t *at, const char **word, size_t *word_len);

/* Appends words with a space between them. */
MUST_USE Status word_list_join(const char *const *words, size_t count, Buf *out, Err *err);

/* Where the vocabulary's entries are pieces of words, *uncut, the caller's: free(), becomes a message that says so and
 * that `wanted` is missing. It stays NULL where they are words, and as it is where it is no NULL. */
MUST_USE Status word_list_check(char **uncut, const Vocab *vocab, const char *wanted, Err *err);

#endif
