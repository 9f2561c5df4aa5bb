/* test_weights_fault.c - the choice of a weight file when a call of lstat() fails. */
#include "test_support.h"

#include <limits.h>

#include "model_folder.h"
#include "system_hooks.h"
#include "weights.h"

static long calls, failing_call; /* 0: none */

static int fail_one_lstat(const char *function, const char *path, int fd)
{
    (void)path, (void)fd;
    return strcmp(function, "lstat") == 0 && ++calls == failing_call ? EIO : 0;
}

/* A fault while model.bin is examined must not end in the message that its format is not supported. */
FOLDER_TEST(reports_a_fault_before_a_foreign_format)
{
    char *path = support_write_text(*state, "model.bin", "\x01\x02\x03\x04");
    Status st = OK;

    system_fault = fail_one_lstat;
    for (failing_call = 1; st != ERR_UNSUPPORTED; failing_call++) {
        ModelFolder *folder;
        Err err;
        calls = LONG_MIN;
        assert_ok(model_folder_open(&folder, *state, &err), &err);
        calls = 0;
        (void)model_folder_kind(folder);
        st = weights_check(folder, &err);
        model_folder_close(folder);
        if (failing_call <= calls) assert_non_null(strstr(err.text, strerror(EIO)));
    }
    assert_true(failing_call > 2);
    failing_call = 0;
    system_fault = NULL;
    free(path);
}

TESTS(test_weights_fault);
