/* loaded_library.c - see loaded_library.h. */
#include "loaded_library.h"

#include <dlfcn.h>
#include <string.h>

Status loaded_library_open(const char *name, const char *purpose, const LoadedFunction *functions, size_t count,
                           Err *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return err_set(err, ERR_UNSUPPORTED, "get: needs the library %s to %s: install it (%s)", name, purpose,
                       dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address)
            return err_set(err, ERR_UNSUPPORTED, "get: the library %s has no function %s: install a newer version",
                           name, functions[i].name);
        memcpy(functions[i].function, &address, sizeof address);
    }
    return OK;
}
