/* program_folder.h - where the program is, and the models that were installed with it. */
#ifndef DRAGOMAN_PROGRAM_FOLDER_H
#define DRAGOMAN_PROGRAM_FOLDER_H

/* The folders of models, relative to the program: beside it, and under the installation prefix. */
#define PROGRAM_MODEL_FOLDERS 2
extern const char *const program_model_folders[PROGRAM_MODEL_FOLDERS];

/* Returns the folder of the program with a slash at its end, links resolved, to be freed by the caller; NULL if it is
 * not known. Linux knows the path of the program; other systems use `program`, which is argv[0]. */
char *program_folder(const char *program);

#endif
