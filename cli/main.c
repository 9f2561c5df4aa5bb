/* main.c - main() of the program. The tests link everything but this file. */
#include "program.h"

int main(int argc, char **argv)
{
    return program_run(argc, argv);
}
