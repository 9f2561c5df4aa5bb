/* open_glossary.c - reads the files of --glossary: see commands.h. */
#include "commands.h"

#include "path.h"
#include "report.h"
#include "stemmer.h"

Status command_open_glossary(Glossary **out, const Job *job, const Router *router, Err *err)
{
    const Options *options = job->options;
    const OptionList *files = &options->glossaries;
    Status st;

    *out = NULL;
    if (!files->count) return OK;
    if (job->model_count > 1) /* found by the languages; those of -m were counted before */
        return err_set(err, ERR_USAGE,
                       "--glossary can only be used with one model, which translates directly; name it with -m");
    if (!options->quiet && !stemmer_is_installed())
        report("warning: terms are found only in the forms that the glossary has, because libstemmer is missing; "
               "install libstemmer0d (Debian, Ubuntu) or libstemmer (Fedora), or run scripts/install-deps");
    st = glossary_new(out, router_source_language(router), router_target_language(router), err);
    for (size_t i = 0; st == OK && i < files->count; i++) {
        st = path_refuse_fifo(files->items[i], err);
        if (st == OK) st = glossary_add_file(*out, files->items[i], err);
    }
    return st;
}
