/* enter_sandbox.c - see commands.h. */
#include "commands.h"

#include "options.h"
#include "report.h"
#include "sandbox.h"

/* In the sandbox no library can be loaded any more. */
static void load_libraries(const Options *options)
{
    const unsigned translates =
        COMMAND_BIT(COMMAND_TRANSLATE) | COMMAND_BIT(COMMAND_SCORE) | COMMAND_BIT(COMMAND_ALIGN);
    const unsigned computes = COMMAND_BIT(COMMAND_CALIBRATE) | COMMAND_BIT(COMMAND_EXPLAIN);
    DragomanStatus kernels = DRAGOMAN_OK;

    if (COMMAND_BIT(options->command) & translates) dragoman_job_load_libraries(options->settings);
    if (COMMAND_BIT(options->command) & computes) kernels = dragoman_load_libraries(NULL);
    (void)kernels; /* a library that cannot be loaded now is reported where it is needed */
}

void command_enter_sandbox(const Options *options)
{
    Err reason;
    Status st;

    if (options->no_sandbox) {
        if (options->verbose) report("sandbox: off (--no-sandbox)");
        return;
    }
    load_libraries(options);
    st = sandbox_enter(&reason);
    if (!options->verbose) return;
    if (st == OK)
        report("sandbox: on");
    else
        report("sandbox: off: %s", reason.text);
}
