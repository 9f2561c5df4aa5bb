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

FOLDER_TEST(removes_a_file_that_nobody_has_locked)
{
    fault = read_only_fault = 0;
    assert_false(stays(*state));
}

FOLDER_TEST(keeps_a_file_that_is_locked)
{
    fault = read_only_fault = EWOULDBLOCK;
    assert_true(stays(*state));
}

/* As on NFS, where an exclusive lock needs a descriptor that is open for writing. */
FOLDER_TEST(locks_where_the_file_must_be_open_for_writing)
{
    read_only_fault = EBADF;
    fault = 0;
    assert_false(stays(*state));
    fault = EWOULDBLOCK;
    assert_true(stays(*state));
}

FOLDER_TEST(keeps_a_file_where_locks_do_not_work)
{
    fault = read_only_fault = ENOSYS;
    assert_true(stays(*state));
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = fail_flock;
    return 0;
}

TESTS_WITH(test_temporary_file, set_up, NULL);
