/* fault_files.h - the regular files and symbolic links of a folder, kept in memory. */
#ifndef DRAGOMAN_FAULT_FILES_H
#define DRAGOMAN_FAULT_FILES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *path; /* below the folder */
    char *data; /* of a symbolic link: what it names */
    size_t size;
    bool is_link;
} FaultFile;

typedef struct {
    FaultFile *items;
    size_t count;
} FaultFiles;

/* All functions end the program when something fails: the results would be worthless. */
FaultFiles fault_files_read(const char *folder);
void fault_files_free(FaultFiles *files);
const FaultFile *fault_files_find(const FaultFiles *files, const char *path);
bool fault_file_equals(const FaultFile *a, const FaultFile *b); /* NULL: there is no such file */
bool fault_files_equal(const FaultFiles *a, const FaultFiles *b);

/* Makes the folder contain these files alone. */
void fault_files_restore(const FaultFiles *files, const char *folder);

/* Reads a whole file into memory that the caller frees. */
FaultFile fault_file_read(const char *path);

/* Formats into a new string. */
char *fault_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the message and ends the driver. */
_Noreturn void fault_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
