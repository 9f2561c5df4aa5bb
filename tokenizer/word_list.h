/* word_list.h - vocabularies of whole words: a text file with one token per line, whose id is the line number,
 * counted from 0. Text is split at white space, as Python's str.split() does. */
#ifndef DRAGOMAN_WORD_LIST_H
#define DRAGOMAN_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "vocab.h"

/* Reads a list (UTF-8; lines end with LF or CRLF). No token may appear twice; the id of an empty line belongs to no
 * word. OK: the caller owns *out. */
MUST_USE Status word_list_read(Vocab **out, const FileView *file, Err *err);

/* Finds the next word of text[*at, len) and moves *at to its end; false at the end of the text. */
bool word_list_next(const char *text, size_t len, size_t *at, const char **word, size_t *word_len);

/* Appends the words, separated by spaces. ranges[count] receives the bytes of each word in *out; NULL: not asked
 * for. */
MUST_USE Status word_list_join(const char *const *words, size_t count, Buf *out, Range *ranges, Err *err);

/* If the vocabulary's entries are subword pieces, sets *cannot_tokenize to a message that says so and names the
 * missing file `wanted`; the caller frees it. Leaves *cannot_tokenize unchanged if the entries are words or if it
 * is already set. */
MUST_USE Status word_list_check(char **cannot_tokenize, const Vocab *vocab, const char *wanted, Err *err);

#endif
