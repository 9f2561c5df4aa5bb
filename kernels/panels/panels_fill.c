/* panels_fill.c - copies rows of a matrix to a panel; see panels.h. */
#include <string.h>

#include "panels.h"

void panels_fill(DType type, void *panel, const void *rows, size_t count, size_t k)
{
    const uint32_t *from32 = rows;
    const uint16_t *from16 = rows;
    uint32_t *to32 = panel;
    uint16_t *to16 = panel;

    if (count < PANEL) memset(panel, 0, PANEL * k * dtype_bytes(type));
    if (type == DTYPE_F32 && count == PANEL)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to32[i * PANEL + j] = from32[j * k + i];
    else if (type == DTYPE_F32)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < count; j++) to32[i * PANEL + j] = from32[j * k + i];
    else if (count == PANEL)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to16[i * PANEL + j] = from16[j * k + i];
    else
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < count; j++) to16[i * PANEL + j] = from16[j * k + i];
}
