/* print.c - what the program prints about itself: see commands.h. */
#include "commands.h"

#include <string.h>

#include "completion.h"
#include "help.h"
#include "report.h"

static Status append_version(Buf *out, Err *err)
{
    char *build = NULL;
    DragomanError error;
    Status st = library_status(dragoman_describe_build(&build, &error), &error, err);

    if (st == OK) st = buf_append_format(out, err, "dragoman %s\n%s", dragoman_version(), build);
    dragoman_free_text(build);
    return st;
}

static Status append_subject(Buf *out, const Options *options, Err *err)
{
    HelpSubject subject;
    Status st = help_find(&subject, options->files, options->file_count, err);

    if (st != OK) return st;
    return subject.topic ? buf_append_text(out, subject.topic->text, err) : help_append(out, subject.command, err);
}

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
        if (st == OK) st = buf_append_text(out, languages, err);
        dragoman_free_text(languages);
        dragoman_options_free(one);
    }
    dragoman_choice_free(choice);
    return st;
}

/* Appends the names of all models, one per line. */
static Status append_models(Buf *out, DragomanHub *hub, Err *err)
{
    const DragomanModel *models;
    DragomanError error;
    size_t count;
    Status st = library_status(dragoman_hub_models(hub, &models, &count, &error), &error, err);

    for (size_t i = 0; st == OK && i < count; i++) st = buf_append_format(out, err, "%s\n", models[i].name);
    return st;
}

/* A fault, such as a path that the user has not finished typing, ends the list without a message. */
static void append_values(Buf *out, const Options *options, DragomanHub *hub)
{
    const char *kind = options->file_count ? options->files[0] : "";
    Err unused;
    Status st = OK;

    if (hub && strcmp(kind, "models") == 0) st = append_models(out, hub, &unused);
    if (hub && strcmp(kind, "languages") == 0) st = append_languages(out, options, hub, &unused);
    (void)st;
}

static Status append_text(Buf *out, const Options *options, DragomanHub *hub, Err *err)
{
    if (options->version) return append_version(out, err);
    if (options->man) return help_append_man_page(out, err);
    if (options->help) return help_append(out, options->command, err);
    if (options->command == COMMAND_HELP) return append_subject(out, options, err);
    if (options->command == COMMAND_COMPLETION) return completion_append(out, options->files[0], err);
    append_values(out, options, hub);
    return OK;
}

Status command_print(const Options *options, DragomanHub *hub, Output *out, Err *err)
{
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    if (st == OK) st = append_text(&out->buffer, options, hub, err);
    return st == OK ? output_finish(out, err) : st;
}
