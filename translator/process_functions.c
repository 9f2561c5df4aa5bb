/* process_functions.c - the functions of dragoman_tools.h that concern the whole process. */
#include "cpu.h"
#include "dragoman_tools.h"
#include "gemm.h"
#include "option_fields.h"
#include "mapped_file.h"
#include "panels.h"

DragomanStatus dragoman_check_cpu(DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(cpu_check_wanted(&err), &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_load_libraries(DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(panels_get() ? OK : gemm_open(&err), &err, (Spelling){ 0 }, error);
}

const char *dragoman_mapped_file(const void *address)
{
    return mapped_file_find(address);
}
