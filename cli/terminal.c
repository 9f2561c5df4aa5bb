/* terminal.c - see terminal.h. */
#define _GNU_SOURCE /* struct winsize with C11 */
#include "terminal.h"

#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utf8.h"

#define DEFAULT_COLUMNS 80

size_t terminal_columns(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? (size_t)size.ws_col : DEFAULT_COLUMNS;
}

/* --- The pager --------------------------------------------------------------- */

#define NOT_STARTED 126 /* this and 127: exit codes of a shell that cannot start a program */

/* With -F, less ends at once if the text fits the screen; with -R, it shows colours; with -X, the text stays on the
 * screen. $LESS gives the same options to a `less` that the user names, as git does. */
bool terminal_page(const char *text, size_t length)
{
    const char *pager = getenv("DRAGOMAN_PAGER"), *term = getenv("TERM");
    void (*interrupt)(int), (*quit)(int);
    FILE *pipe;
    int result;

    if (!pager) pager = getenv("PAGER");
    if (!pager) pager = "command -v less >/dev/null || exit 127; exec less -FRX"; /* no message if there is none */
    if (!isatty(STDOUT_FILENO) || !term || !*term || strcmp(term, "dumb") == 0) return false;
    if (!*pager || strcmp(pager, "cat") == 0 || setenv("LESS", "FRX", false) != 0) return false;
    signal(SIGPIPE, SIG_DFL); /* for the programs of the pager, which inherit ignored signals */
    pipe = popen(pager, "w"); /* NOLINT(cert-env33-c): the user names the program */
    signal(SIGPIPE, SIG_IGN);
    if (!pipe) return false;
    interrupt = signal(SIGINT, SIG_IGN); /* Ctrl-C is for the pager */
    quit = signal(SIGQUIT, SIG_IGN);
    (void)!fwrite(text, 1, length, pipe); /* fails if the user leaves the pager */
    result = pclose(pipe);
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    return result >= 0 && !(WIFEXITED(result) && WEXITSTATUS(result) >= NOT_STARTED);
}

/* --- Typed lines ------------------------------------------------------------- */

/* The functions of libedit or readline, which have the same names; written once, by terminal_load_editor(). The build
 * needs neither library. readline == NULL: there is none. */
static struct {
    char *(*readline)(const char *prompt);
    void (*add_history)(const char *line);
} editor;

bool terminal_is_interactive(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

/* Copies the address of a symbol to *pointer, a pointer of any type. */
static bool find(void *opened, const char *name, void *pointer)
{
    void *address = dlsym(opened, name);

    memcpy(pointer, &address, sizeof address);
    return address != NULL;
}

/* The library edits characters in the encoding of the locale. In another one than UTF-8, lines are read as they are.
 * C.UTF-8 has no rules of a language, such as the i without a dot of Turkish. A tab is part of a text, not a request to
 * complete the name of a file. After Ctrl-C, the library restores the terminal. */
void terminal_load_editor(void)
{
    /* libedit in Debian and in other distributions; then readline */
    static const char *const names[] = { "libedit.so.2", "libedit.so.0", "libreadline.so.8", "libreadline.so.7" };
    int (*bind)(int key, int (*function)(int count, int key)), (*insert)(int count, int key), *catches;
    FILE **output;
    void *opened = NULL;

    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C");
        return;
    }
    setlocale(LC_CTYPE, "C.UTF-8"); /* systems without it keep the user's locale */
    for (size_t i = 0; !opened && i < sizeof names / sizeof *names; i++)
        opened = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!opened || !find(opened, "add_history", &editor.add_history) || !find(opened, "rl_insert", &insert) ||
        !find(opened, "rl_bind_key", &bind) || !find(opened, "rl_catch_signals", &catches) ||
        !find(opened, "rl_outstream", &output))
        return;
    *catches = true;
    *output = stderr; /* for the prompt and the line; standard output gets translations alone */
    bind('\t', insert);
    (void)find(opened, "readline", &editor.readline);
}

Status terminal_read_line(const char *prompt, Buf *line, Err *err)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length = -1;

    buf_reuse(line);
    if (editor.readline) {
        text = editor.readline(prompt);
        length = text ? (ssize_t)strlen(text) : -1;
        if (text && !utf8_is_blank(text, strlen(text))) editor.add_history(text);
    } else {
        (void)!write(STDERR_FILENO, prompt, strlen(prompt));
        errno = 0;
        length = getline(&text, &room, stdin);
        if (length < 0 && errno) {
            free(text);
            return err_set(err, ERR_IO, "standard input: %s", strerror(errno));
        }
        if (length > 0 && text[length - 1] == '\n') length--;
    }
    if (length >= 0) {
        buf_put(line, text, (size_t)length);
        buf_put_byte(line, '\n');
    } else {
        (void)!write(STDERR_FILENO, "\n", 1);
    }
    free(text);
    return buf_check(line, err);
}
