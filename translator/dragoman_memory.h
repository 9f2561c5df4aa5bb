/* dragoman_memory.h - what a translation memory needs besides the texts. A public header of libdragoman.
 *
 * A memory can answer a line with an earlier translation if that is what the models would write again. So it stores
 * with each translation the identity of the models and settings, the languages, and the ranges that were kept;
 * dragoman_request_know() passes an answer on. */
#ifndef DRAGOMAN_MEMORY_H
#define DRAGOMAN_MEMORY_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes a number for everything that a translation depends on besides its line and what its request asks for
 * (dragoman_request_split(), dragoman_request_prefix() and others): the version of dragoman, the bytes of the files of
 * the models, their order, and the settings. Where the files are, and settings that only change the speed or what is
 * reported, do not count; DRAGOMAN_N_BEST above 1 does, because the first of several translations may differ from a
 * single one. Equal numbers mean equal translations; other numbers may mean equal ones, too. Reads all files of the
 * models, of a packed model only the header, which has their checksums. */
DRAGOMAN_CHECKED DragomanStatus dragoman_identify(const DragomanOptions *options, uint64_t *identity,
                                                  DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
