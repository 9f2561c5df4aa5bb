/* batch_plan.c - see batch_plan.h. */
#include "batch_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "document_choice.h"
#include "file_tree.h"
#include "foreign_file.h"
#include "path.h"
#include "report.h"

static void add_failure(void *failures, const char *path, const char *reason)
{
    Err message;

    (void)err_set(&message, ERR_IO, "%s: %s", path, reason);
    failures_add(failures, message.text);
}

static void report_skipped(void *context, const char *path, const char *reason)
{
    (void)context;
    report("%s: skipped: %s", path, reason);
}

static Status add_file(BatchPlan *plan, const char *path, const struct stat *info, const FileTreeRules *rules, Err *err)
{
    char *copy;

    if (!file_globs_choose_file(&rules->globs, path)) return OK;
    if (rules->suffix && batch_target_has_suffix(path, rules->suffix)) {
        if (!plan->quiet) report("warning: %s: skipped: its name already has the suffix %s", path, rules->suffix);
        return OK;
    }
    copy = strdup(path);
    return copy ? file_list_add(&plan->files, copy, (size_t)(path_name(path) - path), true, info, err)
                : err_memory(err, "a path");
}

static Status add_path(BatchPlan *plan, const char *path, const FileTreeRules *rules, Err *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        add_failure(rules->failure_context, path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        return file_tree_add(&plan->files, path, rules, err);
    else if (S_ISREG(info.st_mode))
        return add_file(plan, path, &info, rules, err);
    else
        add_failure(rules->failure_context, path, "neither a regular file nor a folder");
    return OK;
}

static Status find_files(BatchPlan *plan, const Options *options, Failures *failures, Err *err)
{
    struct stat output_dir;
    const bool exists = options->output_dir && stat(options->output_dir, &output_dir) == 0;
    const FileTreeRules rules = { .globs = { &options->includes, &options->excludes },
                                  .output_dir = exists ? &output_dir : NULL,
                                  .suffix = options->suffix,
                                  .failure = add_failure,
                                  .failure_context = failures,
                                  .skip = options->verbose ? report_skipped : NULL };
    Status st = OK;

    if (options->output_dir && !exists && !path_fault_is_absence(errno))
        return path_fault_report(options->output_dir, errno, err);
    if (exists && !S_ISDIR(output_dir.st_mode))
        return err_set(err, ERR_USAGE, "-O: %s is not a folder", options->output_dir);
    for (size_t i = 0; st == OK && i < options->file_count; i++) st = add_path(plan, options->files[i], &rules, err);
    return st;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static Status describe_target(const BatchPlan *plan, BatchFile *file, bool resume, Err *err)
{
    struct stat info;

    file->target = batch_target_path(&plan->target, file);
    if (!file->target) return err_memory(err, "a path");
    if (stat(file->target, &info) != 0 || !S_ISREG(info.st_mode)) return OK;
    file->target_exists = true;
    file->target_device = info.st_dev;
    file->target_inode = info.st_ino;
    file->up_to_date = resume && !is_older(&info.st_mtim, &file->modified);
    return OK;
}

static void choose_format(BatchFile *file, const Options *options)
{
    const DocumentFormat *format = document_choice_of(options, file->source);

    file->other = foreign_file_find(options, file->source, format).what;
    file->format = file->other ? NULL : format;
}

Status batch_plan_new(BatchPlan *out, const Options *options, Failures *failures, Err *err)
{
    Status st;

    *out = (BatchPlan){ .target = { options->output_dir, options->suffix }, .quiet = options->quiet };
    st = find_files(out, options, failures, err);
    for (size_t i = 0; st == OK && i < out->files.count; i++) {
        BatchFile *file = &out->files.items[i];
        choose_format(file, options);
        if (!file->other) st = document_choice_check(options, file->source, file->format, err);
        if (st == OK) st = describe_target(out, file, options->resume, err);
    }
    return st;
}

void batch_plan_free(BatchPlan *plan)
{
    file_list_free(&plan->files);
}
