/* dragoman_hub.h - find models by name or by languages, list the models on this machine, and list and download others.
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

/* The user's configuration and the models that are found by name. dragoman_hub_open() reads the configuration. The
 * first call that needs the models reads their folders. One thread at a time may use a hub. */
typedef struct DragomanHub DragomanHub;

/* How to open a hub. */
typedef struct {
    /* The folder of the program dragoman: the models that came with it are in FOLDER/models or in
     * FOLDER/../share/dragoman/models. NULL: in ../share/dragoman/models or ../../share/dragoman/models beside the
     * library. */
    const char *folder;
    bool no_configuration;    /* do not read the user's configuration file */
    DragomanSpeller *speller; /* names settings in messages, as for dragoman_options_spell(); may be NULL */
    void *context;            /* for the speller */
} DragomanHubSettings;

/* Opens a hub; `settings` may be NULL. DRAGOMAN_ERROR_USAGE: the configuration has a fault; then *out has the settings
 * before the fault. Even after an error, the caller closes *out; it is NULL if memory runs out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_open(DragomanHub **out, const DragomanHubSettings *settings,
                                                  DragomanError *error);
DRAGOMAN_API void dragoman_hub_close(DragomanHub *hub); /* NULL is allowed */

/* The path of the configuration file, which may not exist. NULL: the hub does not read it. The hub owns the text. */
DRAGOMAN_API const char *dragoman_hub_configuration(const DragomanHub *hub);

/* The value in the configuration of the setting `name`, which is "threads" or "precision"; NULL: it is not set. *place
 * is "FILE:LINE", for messages. The hub owns both texts. */
DRAGOMAN_API const char *dragoman_hub_setting(const DragomanHub *hub, const char *name, const char **place);

/* Finds the path of a model. `name` is a path or the name of a model; "NAME,NAME" is an ensemble. An existing path is
 * copied. A text that can only be a path is also copied; opening it then reports the error. DRAGOMAN_ERROR_USAGE:
 * several models in one place have the name, or the model does not have the revision. DRAGOMAN_ERROR_IO: no model has
 * the name. The caller frees *path with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_find(DragomanHub *hub, const char *name, char **path,
                                                  DragomanError *error);

/* Where models are found, in the order in which the places are searched. */
typedef enum {
    DRAGOMAN_PLACE_ALIAS,            /* aliases in the configuration file that stand for paths */
    DRAGOMAN_PLACE_OWN,              /* the user's folder of dragoman models: NAME, NAME.safetensors, NAME.argosmodel */
    DRAGOMAN_PLACE_PROGRAM,          /* the models that came with dragoman: NAME.safetensors */
    DRAGOMAN_PLACE_HUGGING_FACE,     /* the cache of Hugging Face: ORG/NAME */
    DRAGOMAN_PLACE_ARGOS,            /* packages of Argos Translate: argos:FROM-TO */
    DRAGOMAN_PLACE_FIREFOX,          /* models of Firefox that dragoman downloaded: firefox:FROM-TO */
    DRAGOMAN_PLACE_TRANSLATE_LOCALLY /* models of translateLocally: firefox:NAME */
} DragomanPlace;

/* The name of a place in messages and in the list of 'dragoman models', such as "Hugging Face". */
DRAGOMAN_API const char *dragoman_place_name(DragomanPlace place);

typedef struct {
    const char *name;    /* for DRAGOMAN_MODEL */
    const char *group;   /* a name that several models may share, such as "argos:fr-en"; NULL: none */
    const char *version; /* version of a package of Argos Translate; else NULL */
    const char *path;
    DragomanPlace place;
} DragomanModel;

/* Lists the models that are found by name, sorted by place, then by name, then by path. Of several Argos packages for
 * the same languages, only the newest is listed. No model is opened. The hub owns the list. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_models(DragomanHub *hub, const DragomanModel **models, size_t *count,
                                                    DragomanError *error);

/* --- Outlines: languages, size and faults, before the weights are read --------- */

/* Languages, size, and whether the model can be opened. */
typedef struct DragomanOutline DragomanOutline;

/* Reads everything but the weights of the model at `path`, which must not be an ensemble. `name` is the name of the
 * model, such as "opus-mt-fr-en", or NULL: if the files tell no languages, the languages are taken from the end of the
 * name. A model that cannot be opened also has an outline: see dragoman_outline_fault(). On DRAGOMAN_OK the caller owns
 * *out and frees it with dragoman_outline_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name,
                                                 DragomanError *error);
DRAGOMAN_API void dragoman_outline_free(DragomanOutline *outline); /* NULL is allowed */

/* The outline of a model of the hub's list. The hub owns it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_outline(DragomanHub *hub, const DragomanModel *model,
                                                     const DragomanOutline **out, DragomanError *error);

/* The codes of the languages that the model translates from and into, as its files or its name write them, and the
 * number of these codes. The outline owns the codes. */
DRAGOMAN_API const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count);
DRAGOMAN_API const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count);

/* Sets *has to whether the model translates from one language into another. Both are codes, tags or locales, as for
 * DRAGOMAN_FROM and DRAGOMAN_TO, but not names of languages: dragoman_find_language_code() converts those. NULL stands
 * for any language. Fails only if memory runs out; *has is then false. */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline_has_pair(const DragomanOutline *outline, const char *from,
                                                          const char *to, bool *has, DragomanError *error);

/* Writes the code of the language that `wanted` names: "fr" for "French" and ">>fr<<". Any other text is copied. Fails
 * only if memory runs out; then `wanted` is copied. */
#define DRAGOMAN_LANGUAGE_CODE 64
DRAGOMAN_CHECKED DragomanStatus dragoman_find_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE],
                                                            DragomanError *error);

/* DRAGOMAN_ERROR_USAGE: `wanted` is no language, but probably a misspelled one; the message suggests that one: "germn:
 * unknown language (did you mean German (de)?)". DRAGOMAN_OK for all other texts, also for unknown codes. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_spelling(const char *wanted, DragomanError *error);

/* The size of the model's files in bytes. */
DRAGOMAN_API uint64_t dragoman_outline_bytes(const DragomanOutline *outline);

/* Why the model cannot be opened, in one line; NULL: no fault was found. The weights have not been checked. */
DRAGOMAN_API const char *dragoman_outline_fault(const DragomanOutline *outline);

/* The status that dragoman_open() would return for this fault; DRAGOMAN_OK: no fault was found. */
DRAGOMAN_API DragomanStatus dragoman_outline_status(const DragomanOutline *outline);

/* dragoman_outline_fault() without the path of the model, which may be long. */
DRAGOMAN_API const char *dragoman_model_fault(const DragomanModel *model, const DragomanOutline *outline);

/* --- The models of a translation ----------------------------------------------- */

/* One model, or two with a language between them. The models belong to the hub's list. */
typedef struct {
    const DragomanModel *models[2];
    size_t count;               /* 0: no models translate between the languages */
    const char *via;            /* the language between two models; else NULL */
    const DragomanModel *other; /* if count is 1: another model of the same place and pair; else NULL */
} DragomanRoute;

/* Finds the models for a pair of languages, written as for DRAGOMAN_FROM and DRAGOMAN_TO; NULL stands for any language.
 * Prefers the models that came with dragoman, then models for only this pair, then models with several languages, then
 * two models with English between them; among equals, the first one in the list. Skips models with faults. */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_route(DragomanHub *hub, const char *from, const char *to,
                                                   DragomanRoute *route, DragomanError *error);

/* Says which models a route has, for the user: "using fr-en (dragoman) and en-de (embedded), through English". The
 * caller frees *message with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_describe(const DragomanHub *hub, const DragomanRoute *route,
                                                      char **message, DragomanError *error);

/* Lists the languages from which dragoman_hub_route() finds models into `to`, as the codes of the models. Several codes
 * in the list may name one language. The codes belong to the hub; the caller frees the list with free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_sources(DragomanHub *hub, const char *to, const char ***codes,
                                                     size_t *count, DragomanError *error);

/* The model that is used if the user names none: the environment variable DRAGOMAN_MODEL, else the setting `model` of
 * the configuration; NULL: the model is chosen by languages. The hub owns the text. */
DRAGOMAN_API const char *dragoman_hub_preferred(const DragomanHub *hub);

typedef struct {
    char **paths; /* [count], each for DRAGOMAN_MODEL, in the order of the pipeline */
    size_t count;
    const char *via; /* for DRAGOMAN_VIA: the language between two models that were chosen by languages; else NULL */
    char *message;   /* tells the user which models were chosen by languages; NULL: the user named them */
} DragomanChoice;

/* Chooses the models of a translation as the program does: the models `names`, if there are any; else the preferred
 * model (dragoman_hub_preferred()); else models that translate from `from` into `to`; if both are NULL, the default
 * model that came with dragoman. If only one of the languages is given, only models that came with dragoman are
 * considered. On DRAGOMAN_OK the caller frees *out with dragoman_choice_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_choose(DragomanHub *hub, const char *const *names, size_t count,
                                                    const char *from, const char *to, DragomanChoice **out,
                                                    DragomanError *error);
DRAGOMAN_API void dragoman_choice_free(DragomanChoice *choice); /* NULL is allowed */

/* Chooses the models as dragoman_hub_choose() does, from DRAGOMAN_MODEL, DRAGOMAN_FROM and DRAGOMAN_TO of the options,
 * and sets DRAGOMAN_MODEL to their paths and, if two models were chosen by languages, DRAGOMAN_VIA. *message is as in a
 * DragomanChoice; free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_hub_fill_in(DragomanHub *hub, DragomanOptions *options, char **message,
                                                     DragomanError *error);

/* From now on, DRAGOMAN_MODEL of these options is always a path. Without this call, a path that does not exist is
 * looked up as a name, in a hub with the user's configuration. */
DRAGOMAN_API void dragoman_options_take_paths(DragomanOptions *options);

/* --- Models that can be downloaded --------------------------------------------- */

/* A model that dragoman_download() can download. */
typedef struct {
    const char *name;      /* for dragoman_download() */
    const char *kind;      /* the project and, if its models have several sizes, the size: "Firefox base" */
    const char *licence;   /* of the weights, such as "MPL-2.0"; NULL: not stated */
    const char *from, *to; /* the codes of the languages; NULL: the model has several languages */
    size_t languages;      /* if `from` and `to` are NULL: the number of languages */
    uint64_t bytes;        /* the size of the download; 0: not known */
    bool is_estimate;      /* the size is an estimate */
    const char *size;      /* the size for people, such as "37 MB" or "~300 MB"; "": not known */
} DragomanOffer;

/* The models of Firefox and of Argos Translate, and good models of Hugging Face. One thread at a time may use it. */
typedef struct DragomanCatalog DragomanCatalog;

/* Opens the list of models, which is a part of the library; a newer list is in the user's cache. If `refresh` and the
 * list of the cache is older than a day, asks Firefox and Argos Translate for theirs. Waits at most 1.5 seconds for
 * a connection and 10 seconds for an answer. Without both lists, the list stays as it is. On DRAGOMAN_OK the caller
 * closes *out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_catalog_open(DragomanCatalog **out, bool refresh, DragomanError *error);
DRAGOMAN_API void dragoman_catalog_close(DragomanCatalog *catalog); /* NULL is allowed */

/* The day of the list, such as "2026-09-17", and its age in days, which is below 0 if that day is in the future: then a
 * clock is wrong. *fault is why the list could not be refreshed; NULL: there was no fault. The catalog owns the
 * texts. */
DRAGOMAN_API const char *dragoman_catalog_date(const DragomanCatalog *catalog, long *days, const char **fault);

/* Lists the models that translate from one language into another, the best choice for a pair first. The languages are
 * codes, tags or locales; NULL stands for any. The catalog owns the list, which is valid until the next search; the
 * texts in it stay valid until the catalog is closed. */
DRAGOMAN_CHECKED DragomanStatus dragoman_catalog_find(DragomanCatalog *catalog, const char *from, const char *to,
                                                      const DragomanOffer **offers, size_t *count,
                                                      DragomanError *error);

/* Sets *best to the best choice for a pair: one model, or two with English between them. *count is 0 if there is no
 * model. The catalog owns the array, which is valid until the next search. */
DRAGOMAN_CHECKED DragomanStatus dragoman_catalog_best(DragomanCatalog *catalog, const char *from, const char *to,
                                                      const DragomanOffer **best, size_t *count, DragomanError *error);

/* Says what to type for a pair without a model, as "'dragoman get fr-en' downloads firefox:fr-en (37 MB)". *message is
 * NULL if the list has no model for the pair; free it with dragoman_free_text(). `catalog` may be NULL; then the list
 * is opened without refreshing it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_catalog_suggest(DragomanCatalog *catalog, const char *from, const char *to,
                                                         char **message, DragomanError *error);

/* Splits two languages with a hyphen between them, such as "fr-en", "en-pt-BR" and "French-English", and sets their
 * codes. Returns false for any other text; *from and *to are then not defined. */
DRAGOMAN_API bool dragoman_split_pair(const char *pair, char from[DRAGOMAN_LANGUAGE_CODE],
                                      char to[DRAGOMAN_LANGUAGE_CODE]);

/* --- Downloads ----------------------------------------------------------------- */

/* Checks the name of a model to download: ORG/NAME[@REVISION], argos:FROM-TO or firefox:FROM-TO. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_download(const char *name, DragomanError *error);

typedef struct {
    const char *file;     /* the file that is being downloaded; NULL: none yet */
    uint64_t done, total; /* bytes; a total of 0: unknown */
    uint64_t had;         /* the part of `done` that earlier downloads had left */
    const char *locked;   /* the file that another download of the model has locked; NULL: this one does not wait */
} DragomanProgress;

/* Called whenever bytes have arrived, about once a second while none arrive, and once before the download waits for
 * another process that downloads the same model. Returns whether to go on; false cancels the download. */
typedef bool DragomanProgressReader(void *context, const DragomanProgress *progress);

/* Downloads a model to the folder for models from its source, so that it is found by its name. Downloads that were
 * interrupted are continued, and all bytes are checked. Only this function and dragoman_catalog_open() use the network.
 * *path is the path of the model; free it with dragoman_free_text(). `reader` may be NULL. */
DRAGOMAN_CHECKED DragomanStatus dragoman_download(const char *name, DragomanProgressReader *reader, void *context,
                                                  char **path, DragomanError *error);

/* Sets *path to the path for the packed file of a model that was downloaded as `name`. It is in the user's folder of
 * dragoman models, where the file is found by name. Free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_packed_path(const char *name, char **path, DragomanError *error);

/* Packs the model at the path `model`, which was downloaded as `name`, with int8 weights into the file `path`. An
 * existing file that may be another model is not replaced: DRAGOMAN_ERROR_IO. *warnings has the form of
 * dragoman_warnings(); free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_pack_download(const char *name, const char *model, const char *path,
                                                       char **warnings, DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
