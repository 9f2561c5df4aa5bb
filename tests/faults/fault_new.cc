/* fault_new.cc - the allocations of C++ that can be made to fail, see fault_injection.h. */
#include <dlfcn.h>
#include <errno.h>

#include <cstddef>
#include <new>

#include "fault_ask.h"

#pragma GCC visibility push(default)

/* The operator of the sanitizer with this mangled name: what delete frees must come from the same library. */
template <typename... Arguments> static void *next_operator(const char *name, Arguments... arguments)
{
    void *next = dlsym(RTLD_NEXT, name);

    return reinterpret_cast<void *(*)(Arguments...)>(next)(arguments...);
}

static bool is_refused(const void *caller)
{
    return fault_ask({ FAULT_MEMORY, FAULT_PLAIN, "operator new", caller }, ENOMEM) == FAULT_FAIL;
}

void *operator new(std::size_t size)
{
    if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
    return next_operator("_Znwm", size);
}

void *operator new[](std::size_t size)
{
    if (is_refused(__builtin_return_address(0))) throw std::bad_alloc();
    return next_operator("_Znam", size);
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return is_refused(__builtin_return_address(0)) ? nullptr : next_operator("_Znwm", size);
}

void *operator new[](std::size_t size, const std::nothrow_t &) noexcept
{
    return is_refused(__builtin_return_address(0)) ? nullptr : next_operator("_Znam", size);
}

#pragma GCC visibility pop
