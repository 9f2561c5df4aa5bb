/* progress_plan.c - see progress_plan.h. */
#include "progress_plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* Seconds. */
#define BAR_FIRST   2.0
#define BAR_EVERY   0.2
#define LINES_EVERY 10.0

/* See no-color.org. */
static bool wants_colour(void)
{
    const char *none = getenv("NO_COLOR");

    return !none || !*none;
}

ProgressPlan progress_plan(const Options *options, bool uses_terminal)
{
    if (options->progress) return (ProgressPlan){ .kind = PROGRESS_LINES, .first = LINES_EVERY, .every = LINES_EVERY };
    if (options->no_progress || options->quiet || uses_terminal || !report_can_show_status())
        return (ProgressPlan){ .kind = PROGRESS_NONE };
    return (ProgressPlan){ .kind = PROGRESS_BAR, .colour = wants_colour(), .first = BAR_FIRST, .every = BAR_EVERY };
}

/* Adds what is left to read of an input. Returns false if nobody can know. An input that does not exist adds nothing;
 * it is reported when it is opened. */
static bool add_size(const char *file, uint64_t *total)
{
    const bool standard = strcmp(file, "-") == 0;
    struct stat info;
    off_t position = 0;

    if ((standard ? fstat(STDIN_FILENO, &info) : stat(file, &info)) != 0) return true;
    if (!S_ISREG(info.st_mode)) return S_ISDIR(info.st_mode);
    if (standard) position = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (position >= 0 && position < info.st_size) *total += (uint64_t)(info.st_size - position);
    return true;
}

void progress_plan_set_inputs(ProgressPlan *plan, const DragomanInput *inputs, size_t count)
{
    uint64_t total = 0;
    bool known = true;

    for (size_t i = 0; i < count; i++) known = add_size(inputs[i].path, &total) && known;
    plan->total_bytes = known ? total : 0;
    plan->files = count;
}
