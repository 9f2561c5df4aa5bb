/* dragoman_hub.h - find models by name or by languages, list the models on this machine, and download models.
 * A public header of libdragoman; docs/names.md describes the names, and where they are looked up.
 *
 *     DragomanHub *hub;
 *     char *message;
 *     dragoman_set_text(options, DRAGOMAN_FROM, "fr", &error), dragoman_set_text(options, DRAGOMAN_TO, "de", &error)
 *     dragoman_hub_open(&hub, NULL, &error)
 *     dragoman_hub_fill_in(hub, options, &message, &error)   one model, or two with English between them
 *     dragoman_free_text(message), dragoman_hub_close(hub)
 *
 * A program that knows the name of its model does not need this header: DRAGOMAN_MODEL takes names as well as paths. */
#ifndef DRAGOMAN_HUB_H
#define DRAGOMAN_HUB_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- The models on this machine ------------------------------------------------ */

/* The user's configuration and the models that are found by name. The configuration is read when the hub is opened, the
 * folders of models when a call first needs them. One thread at a time may use a hub. */
typedef struct DragomanHub DragomanHub;

/* How to open a hub. */
typedef struct {
    /* The folder of the program dragoman: the models that came with it are in FOLDER/models or in
     * FOLDER/../share/dragoman/models. NULL: they are in share/dragoman/models below a folder of the library. */
    const char *folder;
    bool no_configuration;    /* without the user's configuration file */
    DragomanSpeller *speller; /* how messages call settings, as for dragoman_options_spell(); NULL: none */
    void *context;            /* for the speller */
} DragomanHubSettings;

/* Opens a hub; `settings` may be NULL. DRAGOMAN_ERROR_USAGE: the configuration has a fault; *out then knows what comes
 * before the fault. The caller closes *out in any case; it is NULL if memory runs out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_open(DragomanHub **out, const DragomanHubSettings *settings,
                                                  DragomanError *error);
DRAGOMAN_API void dragoman_hub_close(DragomanHub *hub); /* NULL is allowed */

/* The path of the configuration file, which need not exist; NULL: none was read. The hub owns it. */
DRAGOMAN_API const char *dragoman_hub_configuration(const DragomanHub *hub);

/* The value of a line of the configuration that is no name of a model, "threads" or "precision"; NULL: not set. *place
 * is "FILE:LINE", for messages; the hub owns both texts. */
DRAGOMAN_API const char *dragoman_hub_setting(const DragomanHub *hub, const char *name, const char **place);

/* Finds the path of the model that `name`, a path or a name, stands for; "NAME,NAME" is an ensemble. An existing path
 * stands for itself. Text that can only be a path is copied; opening it reports the error. DRAGOMAN_ERROR_USAGE:
 * several models of one place have the name, or none has the revision. DRAGOMAN_ERROR_IO: no model has the name. The
 * caller frees *path with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_find(DragomanHub *hub, const char *name, char **path,
                                                  DragomanError *error);

/* Where models are found, in the order in which the places are searched. */
typedef enum {
    DRAGOMAN_PLACE_ALIAS,            /* aliases of the configuration that are paths */
    DRAGOMAN_PLACE_OWN,              /* dragoman's folder of the user: NAME, NAME.safetensors, NAME.argosmodel */
    DRAGOMAN_PLACE_PROGRAM,          /* the models that came with dragoman: NAME.safetensors */
    DRAGOMAN_PLACE_HUGGING_FACE,     /* the cache of Hugging Face: ORG/NAME */
    DRAGOMAN_PLACE_ARGOS,            /* packages of Argos Translate: argos:FROM-TO */
    DRAGOMAN_PLACE_FIREFOX,          /* downloads of dragoman: firefox:FROM-TO */
    DRAGOMAN_PLACE_TRANSLATE_LOCALLY /* models of translateLocally: firefox:NAME */
} DragomanPlace;

/* The name of a place in messages and in the list of 'dragoman models', such as "Hugging Face". */
DRAGOMAN_API const char *dragoman_place_name(DragomanPlace place);

typedef struct {
    const char *name;    /* for DRAGOMAN_MODEL */
    const char *group;   /* "argos:fr-en", a name that several models may share; NULL: none */
    const char *version; /* of a package of Argos Translate; NULL: none */
    const char *path;
    DragomanPlace place;
} DragomanModel;

/* Lists the models that are found by name, sorted by place, then by name, then by path; of Argos packages of the same
 * languages, only the newest. No model is opened. The hub owns the list. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_models(DragomanHub *hub, const DragomanModel **models, size_t *count,
                                                    DragomanError *error);

/* --- Outlines: languages, size and faults, before the weights are read --------- */

/* Languages, size, and whether the model can be opened. */
typedef struct DragomanOutline DragomanOutline;

/* Reads everything but the weights of the model at `path`, which is as for DRAGOMAN_MODEL, but not an ensemble. `name`
 * is its name, such as "opus-mt-fr-en": if the files name no languages, they are taken from the end of it. NULL: no
 * name. A model that cannot be opened has an outline, too: see dragoman_outline_fault(). On DRAGOMAN_OK the caller owns
 * *out and frees it with dragoman_outline_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name,
                                                 DragomanError *error);
DRAGOMAN_API void dragoman_outline_free(DragomanOutline *outline); /* NULL is allowed */

/* The outline of a model of the hub's list. The hub owns it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_outline(DragomanHub *hub, const DragomanModel *model,
                                                     const DragomanOutline **out, DragomanError *error);

/* The languages that the model translates from and into, by the codes of the model, and their number. The outline owns
 * them. */
DRAGOMAN_API const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count);
DRAGOMAN_API const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count);

/* Sets *has to whether the model translates from one language into another. Both are codes, tags or locales, as for
 * DRAGOMAN_FROM and DRAGOMAN_TO, but not names of languages: dragoman_find_language_code() converts those. NULL stands
 * for any language. Fails only if memory runs out; *has is then false. */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline_has_pair(const DragomanOutline *outline, const char *from,
                                                          const char *to, bool *has, DragomanError *error);

/* Writes the code of the language that `wanted` names: "fr" for "French" and ">>fr<<". Anything else is copied. Fails
 * only if memory runs out; `wanted` is then copied. */
#define DRAGOMAN_LANGUAGE_CODE 64
DRAGOMAN_CHECKED DragomanStatus dragoman_find_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE],
                                                            DragomanError *error);

/* The size of the model's files in bytes. */
DRAGOMAN_API uint64_t dragoman_outline_bytes(const DragomanOutline *outline);

/* Why the model cannot be opened, in one line; NULL if no fault was found. Only the weights may have other faults. */
DRAGOMAN_API const char *dragoman_outline_fault(const DragomanOutline *outline);

/* The kind of that fault, as dragoman_open() would return it; DRAGOMAN_OK if no fault was found. */
DRAGOMAN_API DragomanStatus dragoman_outline_status(const DragomanOutline *outline);

/* The fault without the path of the model, which may be long; NULL: none. */
DRAGOMAN_API const char *dragoman_model_fault(const DragomanModel *model, const DragomanOutline *outline);

/* --- The models of a translation ----------------------------------------------- */

/* One model, or two with a language between them. The models belong to the hub's list. */
typedef struct {
    const DragomanModel *models[2];
    size_t count;               /* 0: no models translate between the languages */
    const char *via;            /* the language between two models; else NULL */
    const DragomanModel *other; /* of the same place and pair as a single model; NULL: there is none */
} DragomanRoute;

/* Finds the models for a pair of languages, which are as for DRAGOMAN_FROM and DRAGOMAN_TO; NULL stands for any
 * language. These come first: the models that came with dragoman; then those of this one pair; then models with several
 * languages; then two models. Of equals, the one that comes first in the list. Models with faults are passed over. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_route(DragomanHub *hub, const char *from, const char *to,
                                                   DragomanRoute *route, DragomanError *error);

/* Says which models a route has, for the user: "using fr-en (dragoman) and en-de (embedded), through English". The
 * caller frees *message with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_describe(const DragomanHub *hub, const DragomanRoute *route,
                                                      char **message, DragomanError *error);

/* Lists the languages from which dragoman_hub_route() finds models into `to`, by the codes of the models. A language
 * may be in the list by several codes. The codes belong to the hub; the caller frees the list with free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_sources(DragomanHub *hub, const char *to, const char ***codes,
                                                     size_t *count, DragomanError *error);

/* The model that is used if none is named: that of the environment variable DRAGOMAN_MODEL, else that of the
 * configuration; NULL: the languages choose. The hub owns the text. */
DRAGOMAN_API const char *dragoman_hub_preferred(const DragomanHub *hub);

typedef struct {
    char **paths; /* [count], each for DRAGOMAN_MODEL, in the order of the pipeline */
    size_t count;
    const char *via; /* DRAGOMAN_VIA of two models that were chosen by languages; else NULL */
    char *message;   /* which models were chosen by languages, for the user; NULL: the user named them */
} DragomanChoice;

/* Chooses the models of a translation as the program does: those that are named; without names, the preferred one
 * (dragoman_hub_preferred()), else those that translate from `from` into `to`, else, if both are NULL, the model that
 * came with dragoman. With one language, only models that came with dragoman are considered. On DRAGOMAN_OK the caller
 * frees *out with dragoman_choice_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_choose(DragomanHub *hub, const char *const *names, size_t count,
                                                    const char *from, const char *to, DragomanChoice **out,
                                                    DragomanError *error);
DRAGOMAN_API void dragoman_choice_free(DragomanChoice *choice); /* NULL is allowed */

/* Chooses the models as dragoman_hub_choose() does, from DRAGOMAN_MODEL, DRAGOMAN_FROM and DRAGOMAN_TO of the options,
 * and sets DRAGOMAN_MODEL to their paths and, if two models were chosen by languages, DRAGOMAN_VIA. *message is as in a
 * DragomanChoice; free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_fill_in(DragomanHub *hub, DragomanOptions *options, char **message,
                                                     DragomanError *error);

/* DRAGOMAN_MODEL of these options is from now on the path of a model. Otherwise, a path that does not exist is looked
 * up as a name, in a hub with the user's configuration. */
DRAGOMAN_API void dragoman_options_take_paths(DragomanOptions *options);

/* --- Downloads ----------------------------------------------------------------- */

/* Checks the name of a model to download: ORG/NAME[@REVISION], argos:FROM-TO or firefox:FROM-TO. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_download(const char *name, DragomanError *error);

typedef struct {
    const char *file;     /* that is being downloaded; NULL: none yet */
    uint64_t done, total; /* bytes; a total of 0: unknown */
    uint64_t had;         /* of the bytes that are done: those that were there at the start */
} DragomanProgress;

/* Called whenever bytes have arrived. Returns whether to go on; false cancels the download. */
typedef bool DragomanProgressReader(void *context, const DragomanProgress *progress);

/* Downloads a model to the place of its source, where its name finds it. Downloads that were interrupted are continued,
 * and all bytes are checked. Nothing else in the library uses the network. *path is that of the model, which has not
 * been opened; free it with dragoman_free_text(). `reader` may be NULL. */
DRAGOMAN_CHECKED DragomanStatus dragoman_download(const char *name, DragomanProgressReader *reader, void *context,
                                                  char **path, DragomanError *error);

/* The path of the packed file of a model that was downloaded as `name`, in dragoman's folder of the user, where it is
 * found by name; free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_packed_path(const char *name, char **path, DragomanError *error);

/* Packs the model at `model`, which was downloaded as `name`, in 8 bits to `path`. An existing file of another model
 * stays: DRAGOMAN_ERROR_IO. *warnings has the form of dragoman_warnings(); free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_pack_download(const char *name, const char *model, const char *path,
                                                       char **warnings, DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
