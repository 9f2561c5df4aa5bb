/* test_temporary_file.c - which temporary files of other processes are removed.
 * flock() fails as it does on file systems of other machines. */
#include "test_support.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "system_hooks.h"
#include "temporary_file.h"

/* How flock() fails for descriptors that are open for writing, and for others; 0: it locks the file. */
static int fault, read_only_fault;

static int fail_flock(const char *function, const char *path, int fd)
{
    (void)path;
    if (strcmp(function, "flock") != 0) return 0;
    return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY ? fault : read_only_fault;
}

/* Makes the temporary file of a process that has ended on this machine, and returns whether it stays. */
static bool stays(const char *folder)
{
    pid_t child = fork();
    char *name, *path;
    bool left;

    if (child == 0) _exit(0);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    name = support_format(".target.dragoman-%ld", (long)child);
    path = support_write_text(folder, name, "");
    temporary_file_remove_left(folder, "target");
    left = access(path, F_OK) == 0;
    free(path);
    free(name);
    return left;
}

/* On NFS, an exclusive lock needs a descriptor that is open for writing. */
FOLDER_TEST(removes_files_that_can_be_locked)
{
    static const struct {
        const char *what;
        int fault, read_only_fault;
        bool stays;
    } rows[] = { { "nobody has locked it", 0, 0, false },
                 { "it is locked", EWOULDBLOCK, EWOULDBLOCK, true },
                 { "nobody has locked it on NFS", 0, EBADF, false },
                 { "it is locked on NFS", EWOULDBLOCK, EBADF, true },
                 { "locks do not work", ENOSYS, ENOSYS, true } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        fault = rows[i].fault;
        read_only_fault = rows[i].read_only_fault;
        if (stays(*state) != rows[i].stays) fail_msg("%s", rows[i].what);
    }
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = fail_flock;
    return 0;
}

TESTS_WITH(test_temporary_file, set_up, NULL);
