/* main.c - main() of the program. The tests link everything but this file. */
#include <stddef.h>

#include "program.h"
#include "thread.h"

typedef struct {
    int count;
    char **arguments;
    int exit_code;
} Call;

static void *run(void *argument)
{
    Call *call = argument;

    call->exit_code = program_run(call->count, call->arguments);
    return NULL;
}

/* The user's limit may make the stack of the first thread small; then everything runs in another thread. */
int main(int argc, char **argv)
{
    Call call = { .count = argc, .arguments = argv };

    thread_run(run, &call);
    return call.exit_code;
}
