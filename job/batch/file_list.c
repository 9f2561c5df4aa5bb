/* file_list.c - see file_list.h. */
#include "file_list.h"

#include <stdlib.h>

#include "buf.h"

Status file_list_add(FileList *list, char *source, size_t relative, bool named, const struct stat *info, Err *err)
{
    Status st =
        buf_grow_list(&list->items, &list->capacity, list->count, 1, sizeof *list->items, "the list of files", err);

    if (st != OK) {
        free(source);
        return st;
    }
    list->items[list->count++] = (BatchFile){ .source = source,
                                              .relative = relative,
                                              .named = named,
                                              .device = info->st_dev,
                                              .inode = info->st_ino,
                                              .mode = info->st_mode,
                                              .size = info->st_size,
                                              .modified = info->st_mtim };
    return OK;
}

void file_list_free(FileList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].source);
        free(list->items[i].target);
    }
    free(list->items);
    *list = (FileList){ 0 };
}
