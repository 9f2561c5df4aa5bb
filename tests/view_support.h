/* view_support.h - calls functions that read a FileView with the path of a file. */
#ifndef DRAGOMAN_VIEW_SUPPORT_H
#define DRAGOMAN_VIEW_SUPPORT_H

#include <string.h>

#include "err.h"
#include "mapped_file.h"
#include "stored_file.h"

/* Opens the file and returns the status of read(out, &view, err). */
#define READ_FILE(read, out, file_path, err)                                                                           \
    __extension__({                                                                                                    \
        FileView view_ = { .path = (file_path) };                                                                      \
        Status st_ = stored_file_open(&view_.map, view_.path, (err));                                                  \
        memset((out), 0, sizeof *(out));                                                                               \
        if (st_ == OK) st_ = read((out), &view_, (err));                                                               \
        mapped_file_close(&view_.map);                                                                                 \
        st_;                                                                                                           \
    })

#endif
