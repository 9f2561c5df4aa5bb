/* dragoman_tools.h - describe, pack, calibrate and explain models, and prepare a process for a sandbox. A public header
 * of libdragoman. Programs that only translate do not need it.
 *
 * Free the texts that these functions return with dragoman_free_text(). */
#ifndef DRAGOMAN_TOOLS_H
#define DRAGOMAN_TOOLS_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Describes the models and their search settings as lines "key: value", with an empty line between two models. */
DRAGOMAN_CHECKED DragomanStatus dragoman_describe(const DragomanOptions *options, char **text, DragomanError *error);

/* Lists the languages of a model, each on a line: its code, a tab, and its English name; the name and the tab are
 * missing if the name is unknown. First comes the source or target language that cannot be chosen, if there is one.
 * Then come the languages that DRAGOMAN_TO (and DRAGOMAN_FROM, if the model has several source languages) accepts. The
 * weights are not opened. With NULL as `options`, lists the languages of all families with several languages. */
DRAGOMAN_CHECKED DragomanStatus dragoman_languages(const DragomanOptions *options, char **text, DragomanError *error);

/* Returns a JSON file of the first model, such as "generation_config.json", also from a packed model or an archive:
 * for programs that follow its settings, as pipeline() in Python does. *text is NULL if the model has no such file, and
 * for an ensemble. */
DRAGOMAN_CHECKED DragomanStatus dragoman_model_json(const DragomanOptions *options, const char *name, char **text,
                                                    DragomanError *error);

/* Describes the library and the machine as lines "key: value": the compiler and the system that the library was built
 * for, the CPU level in use (see dragoman_check_cpu()), and the versions of the libraries it uses. */
DRAGOMAN_CHECKED DragomanStatus dragoman_describe_build(char **text, DragomanError *error);

/* Learns a shortlist for a model from two text files; each line of one is the translation of the same line of the
 * other. The files may be compressed by gzip or zstd; one of them may be "-", standard input. *list is the content of a
 * file for DRAGOMAN_SHORTLIST, *length bytes long, in Marian's binary format or, with `as_text`, in CTranslate2's vmap
 * format. DRAGOMAN_SHORTLIST_FIRST and _BEST are the numbers of target tokens that the list has for every sentence and
 * for each source token; here their defaults are 200 and 50. The same files give the same bytes on every machine. */
DRAGOMAN_CHECKED DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                                         const char *target_path, bool as_text, char **list,
                                                         size_t *length, DragomanError *error);

/* Calibrates a model on two text files; each line of one is the translation of the same line of the other, as in
 * dragoman_learn_shortlist(). *calibration is the content of a file for DRAGOMAN_CALIBRATION, *length bytes long. The
 * same files give the same bytes with any number of threads. A calibration that the model already has is ignored. */
DRAGOMAN_CHECKED DragomanStatus dragoman_calibrate(const DragomanOptions *options, const char *source_path,
                                                   const char *target_path, char **calibration, size_t *length,
                                                   DragomanError *error);

/* Writes the model of a folder as one file, which can be opened in place of the folder. It translates as the folder
 * does with the same DRAGOMAN_PRECISION. `fd` must be an empty regular file, opened without O_APPEND, or else
 * DRAGOMAN_ERROR_USAGE is returned; it stays open. Messages call it `name`. The same folder gives the same bytes on
 * every machine. The file contains DRAGOMAN_CALIBRATION, if it is set, instead of the calibration in the folder.
 * *warnings has the form of dragoman_warnings(); `warnings` may be NULL. */
DRAGOMAN_CHECKED DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                                              DragomanError *error);

/* Translates one sentence and describes everything that the model computes for it as JSON (docs/explain.md): tokens,
 * embeddings, the attention of all layers and heads, the probabilities of each step, and the hypotheses of the
 * search. `text` is as in dragoman_submit_text(); it is not split. `forced` is the whole translation that the model
 * is forced to write, or NULL to let it translate. Returns DRAGOMAN_ERROR_USAGE for a text or a translation that is
 * too long, a forced translation with text that the vocabulary does not have, and an ensemble. *warnings has the
 * form of dragoman_warnings(). The caller frees both texts. */
DRAGOMAN_CHECKED DragomanStatus dragoman_trace(const DragomanOptions *options, const char *text, size_t length,
                                               const char *forced, char **json, char **warnings, DragomanError *error);

/* Identifies a file, whatever its name, by st_dev and st_ino of struct stat. */
typedef struct {
    uint64_t device, inode;
} DragomanFile;

/* Finds out whether opening model `model` of these options, or packing it if `packing`, reads one of the files: *index
 * is the index of such a file, or `count` if there is none. The check covers the model, its vocabularies and its
 * shortlist, and is for programs that are about to write the given files. If a model's folder may contain several files
 * of a kind, all of them count. Packing reads every file of the folder except packed models. */
DRAGOMAN_CHECKED DragomanStatus dragoman_reads(const DragomanOptions *options, size_t model, bool packing,
                                               const DragomanFile *files, size_t count, size_t *index,
                                               DragomanError *error);

/* Verifies the checksums of packed models and sets *tensors to their number. Returns DRAGOMAN_ERROR_FORMAT with the
 * name of the first tensor that does not match, and DRAGOMAN_ERROR_USAGE for a folder, which has no checksums. */
DRAGOMAN_CHECKED DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error);

/* Computes a number by which a translation memory knows whether the models would write an earlier translation again. It
 * depends on the version of dragoman, the bytes of the files of the models, their order, and the settings. It does not
 * depend on the line and its request (dragoman_request_split(), dragoman_request_prefix() and others), on the paths of
 * the files, and on settings that only change the speed or the reports. DRAGOMAN_N_BEST above 1 changes the number,
 * because the first of several translations may differ from a single one. Equal numbers mean equal translations;
 * different numbers may mean equal translations as well. Reads all files of the models, but only the header of a packed
 * model, which has the checksums of the rest. */
DRAGOMAN_CHECKED DragomanStatus dragoman_identify(const DragomanOptions *options, uint64_t *identity,
                                                  DragomanError *error);

/* Checks the environment variable DRAGOMAN_CPU, which names the highest CPU level whose kernels may be used. Returns
 * DRAGOMAN_ERROR_USAGE if there is no such level, and DRAGOMAN_ERROR_UNSUPPORTED if this CPU does not have it. Opening
 * a model then uses the highest level of the CPU or, in the second case, the highest one below DRAGOMAN_CPU. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_cpu(DragomanError *error);

/* Loads what this CPU needs to translate: OpenBLAS if dragoman has no kernels for it, else nothing. Opening a model
 * does the same; a process that will forbid itself to load code, for example with seccomp, calls this first. It may
 * then open models, which need files, memory and threads, but no network and no other program. Returns
 * DRAGOMAN_ERROR_UNSUPPORTED if OpenBLAS is missing. */
DRAGOMAN_CHECKED DragomanStatus dragoman_load_libraries(DragomanError *error);

/* Returns the path of the file that the library has mapped at this address, or NULL. It is for handlers of SIGBUS,
 * which may call it with si_addr: if si_code is BUS_ADRERR, this file was truncated or its disk has failed. The
 * computation of the thread cannot go on; the handler prints a message with write() and ends the process with _exit().
 * The path is valid in the handler. */
DRAGOMAN_API const char *dragoman_mapped_file(const void *address);

#ifdef __cplusplus
}
#endif

#endif
