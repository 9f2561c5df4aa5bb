/* reading.c - see translator.h: whether opening a model reads certain files. */
#include <sys/stat.h>

#include "model_files.h"
#include "translator.h"

typedef struct {
    const DragomanFile *files;
    size_t count;
    size_t *index; /* of the file that was found */
} Wanted;

static bool is_wanted(void *context, const char *path)
{
    const Wanted *wanted = context;
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    for (size_t i = 0; i < wanted->count; i++) {
        if (info.st_dev != wanted->files[i].device || info.st_ino != wanted->files[i].inode) continue;
        *wanted->index = i;
        return true;
    }
    return false;
}

Status translator_reads(const DragomanOptions *options, bool packing, const DragomanFile *files, size_t count,
                        size_t *index, Err *err)
{
    Wanted wanted = { files, count, index };
    const FileVisitor visitor = { .context = &wanted, .visit = is_wanted, .packing = packing };

    *index = count;
    return model_files_visit(&visitor, options, err);
}
