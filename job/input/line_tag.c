/* line_tag.c - see line_tag.h. */
#include "line_tag.h"

#define ENDING_BITS   2
#define ARGUMENT_BITS 2
#define END_BIT       ((uintptr_t)1 << (ENDING_BITS + ARGUMENT_BITS))
#define TAG_BITS      (ENDING_BITS + ARGUMENT_BITS + 1)

/* The lowest bits. */
static uintptr_t low_bits(uintptr_t bits, unsigned count)
{
    return bits & (((uintptr_t)1 << count) - 1);
}

uintptr_t line_tag(size_t file, Ending ending)
{
    return (uintptr_t)file << TAG_BITS | (uintptr_t)ending;
}

uintptr_t line_tag_of_unit(size_t file, ArgumentRule arguments)
{
    return line_tag(file, ENDING_NONE) | (uintptr_t)arguments << ENDING_BITS;
}

uintptr_t line_tag_of_end(size_t file)
{
    return line_tag(file, ENDING_NONE) | END_BIT;
}

size_t line_tag_file(const DragomanLine *line)
{
    return (size_t)(dragoman_line_tag(line) >> TAG_BITS);
}

Ending line_tag_ending(const DragomanLine *line)
{
    return (Ending)low_bits(dragoman_line_tag(line), ENDING_BITS);
}

ArgumentRule line_tag_arguments(const DragomanLine *line)
{
    return (ArgumentRule)low_bits(dragoman_line_tag(line) >> ENDING_BITS, ARGUMENT_BITS);
}

bool line_tag_ends_document(const DragomanLine *line)
{
    return (dragoman_line_tag(line) & END_BIT) != 0;
}

size_t line_tag_ending_bytes(Ending ending)
{
    return ending == ENDING_NONE ? 0 : ending == ENDING_CRLF ? 2 : 1;
}
