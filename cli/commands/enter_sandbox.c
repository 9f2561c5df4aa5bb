/* enter_sandbox.c - see commands.h. */
#include "commands.h"

#include "document_choice.h"
#include "language_detector.h"
#include "report.h"
#include "sandbox.h"
#include "stemmer.h"

static bool computes(const Options *options)
{
    const unsigned commands = COMMAND_BIT(COMMAND_TRANSLATE) | COMMAND_BIT(COMMAND_SCORE) | COMMAND_BIT(COMMAND_ALIGN) |
                              COMMAND_BIT(COMMAND_CALIBRATE) | COMMAND_BIT(COMMAND_EXPLAIN);

    return COMMAND_BIT(options->command) & commands && !document_choice_is_without_model(options);
}

/* In the sandbox no library can be loaded any more. One that cannot be loaded now is reported where it is needed. */
static void load_libraries(const Options *options)
{
    const DragomanStatus kernels = computes(options) ? dragoman_load_libraries(NULL) : DRAGOMAN_OK;
    const bool detects = options_detect(options) || (options->command == COMMAND_TRANSLATE && computes(options));
    const Status detector = detects ? language_detector_check(NULL) : OK;

    if (options->glossaries.count) (void)stemmer_is_installed();
    (void)kernels;
    (void)detector;
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
