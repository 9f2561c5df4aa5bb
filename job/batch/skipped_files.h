/* skipped_files.h - the files of a batch that are skipped because they are not text to translate, and why. */
#ifndef DRAGOMAN_SKIPPED_FILES_H
#define DRAGOMAN_SKIPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "file_list.h"

#define SKIPPED_MOST_REASONS 64

typedef struct {
    const char *reason; /* constant */
    size_t count;
} SkippedKind;

/* Starts as {0} with the first two fields. */
typedef struct {
    bool is_quiet, is_verbose; /* -q, -v */
    size_t count;
    SkippedKind kinds[SKIPPED_MOST_REASONS]; /* [kind_count] */
    size_t kind_count;
} SkippedFiles;

/* Counts a file. With -v, and if the user has named the file, reports it with the reason. */
void skipped_files_add(SkippedFiles *skipped, const BatchFile *file);

/* Reports how many files were skipped, with the most frequent reasons. */
void skipped_files_report(SkippedFiles *skipped);

#endif
