/* program.h - the program dragoman. The tests run it in their child processes. */
#ifndef DRAGOMAN_PROGRAM_H
#define DRAGOMAN_PROGRAM_H

/* Runs the command of these arguments and returns the exit code. It changes how the process handles signals, and may
 * enter the sandbox, so a process may call it only once. */
int program_run(int argc, char **argv);

#endif
