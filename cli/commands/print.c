/* print.c - what the program prints about itself: see commands.h. */
#include "commands.h"

#include <string.h>

#include "help.h"
#include "report.h"

/* Appends the languages of the models that -m or $DRAGOMAN_MODEL names, else those of all families. */
static Status append_languages(Buf *out, const Options *options, DragomanHub *hub, Err *err)
{
    const bool has_model = options->models.count || dragoman_hub_preferred(hub);
    DragomanChoice *choice = NULL;
    Status st = has_model ? command_choose_models(&choice, options, hub, err) : OK;

    for (size_t i = 0; st == OK && i < (choice ? choice->count : 1); i++) {
        DragomanOptions *one = NULL; /* stands for all families */
        char *languages = NULL;
        DragomanError error;
        if (choice) st = library_options_new(&one, options, (LibraryPaths){ &choice->paths[i], 1, NULL }, err);
        if (st == OK) st = library_status(dragoman_languages(one, &languages, &error), &error, err);
        if (st == OK) buf_put_text(out, languages);
        if (st == OK) st = buf_check(out, err);
        dragoman_free_text(languages);
        dragoman_options_free(one);
    }
    dragoman_choice_free(choice);
    return st;
}

static Status append_text(Buf *out, const Options *options, DragomanHub *hub, Err *err)
{
    const char *kind = options->file_count ? options->files[0] : "";
    HelpSubject subject;
    const DragomanModel *models;
    DragomanError error;
    char *build = NULL;
    size_t count;
    Err unused;
    Status st;

    if (options->version) {
        st = library_status(dragoman_describe_build(&build, &error), &error, err);
        if (st == OK) buf_put_format(out, "dragoman %s\n%s", dragoman_version(), build);
        dragoman_free_text(build);
        return st == OK ? buf_check(out, err) : st;
    }
    if (options->man) return help_append_man_page(out, err);
    if (options->help) return help_append(out, options->command, err);
    if (options->command == COMMAND_HELP) {
        st = help_find(&subject, options->files, options->file_count, err);
        if (st != OK) return st;
        if (!subject.topic) return help_append(out, subject.command, err);
        buf_put_text(out, subject.topic->text);
        return buf_check(out, err);
    }
    if (options->command == COMMAND_COMPLETION) return help_append_completion(out, options->files[0], err);

    /* The command complete: values of an option for a shell. A fault, such as a path that the user has not finished
     * typing, ends the list without a message. */
    if (hub && strcmp(kind, "models") == 0 && dragoman_hub_models(hub, &models, &count, &error) == DRAGOMAN_OK)
        for (size_t i = 0; i < count; i++) buf_put_format(out, "%s\n", models[i].name);
    if (hub && strcmp(kind, "languages") == 0) (void)append_languages(out, options, hub, &unused);
    return OK;
}

Status command_print(const Options *options, DragomanHub *hub, Output *out, Err *err)
{
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK) st = append_text(&out->buffer, options, hub, err);
    return st == OK ? output_finish(out, err) : st;
}
