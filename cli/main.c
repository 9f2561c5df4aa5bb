/* main.c - main() of the program. The tests link everything but this file. */
#include "program.h"
#include "thread.h"

/* The user's limit may make the stack of the first thread small; then everything runs in another thread. */
int main(int argc, char **argv)
{
    return thread_run(program_run, argc, argv);
}
