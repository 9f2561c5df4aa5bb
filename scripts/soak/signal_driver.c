/* signal_driver.c - starts dragoman many times and ends each process by a signal at a random moment.
 *
 *   signal_driver PROGRAM MODEL FOLDER STARTS SEED
 *
 * FOLDER has the file `text`, and SEED is a number above 0. The runs write in turn one file (-o), three files (-O) and
 * a packed model (pack -o), and TERM, INT, HUP, PIPE and KILL follow in turn after 0 to 1.3 times the duration of an
 * undisturbed run. Checked:
 * - the process ends within ten seconds, by the signal or successfully;
 * - every target has its old or its complete new content, and the new one after a success;
 * - a signal other than KILL leaves no temporary file; what KILL has left, the next successful run removes;
 * - nothing is written to stderr.
 * Prints a row for each signal and kind of run, and a line to stderr for each fault; the exit status is 1 then. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_TARGETS 3
#define LONGEST_WAIT 10.0 /* seconds */
#define CALIBRATIONS 9
#define OLD          "old content\n"

/* One kind of run: its arguments, and the files that it writes in a folder of its own. */
typedef struct {
    const char *name, *folder;
    const char *arguments[16];
    const char *targets[MOST_TARGETS];
    char *expected[MOST_TARGETS]; /* the new content */
    size_t sizes[MOST_TARGETS];
    double duration; /* of an undisturbed run, in seconds */
    size_t left;     /* temporary files in the folder */
} Kind;

static const struct {
    int number;
    const char *name;
} signals[] = { { SIGTERM, "TERM" }, { SIGINT, "INT" }, { SIGHUP, "HUP" }, { SIGPIPE, "PIPE" }, { SIGKILL, "KILL" } };

/* The results of the runs of one kind that got the same signal. */
typedef struct {
    size_t ended, finished, replaced;
} Tally;

static size_t faults;

static void report(const Kind *kind, const char *signal, const char *what, const char *file)
{
    fprintf(stderr, "signal_driver: %s, %s: %s%s%s\n", kind->name, signal, what, *file ? ": " : "", file);
    faults++;
}

static void die(const char *what)
{
    fprintf(stderr, "signal_driver: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pause_for(double seconds)
{
    struct timespec t = { .tv_sec = (time_t)seconds };

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* Returns the content of a file, which the caller frees; NULL if it does not exist. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    char *content;

    if (!file) return NULL;
    if (fstat(fileno(file), &about) != 0) die(path);
    *size = (size_t)about.st_size;
    content = malloc(*size + 1);
    if (!content || fread(content, 1, *size, file) != *size) die(path);
    fclose(file);
    return content;
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "wb");

    if (!file || fputs(content, file) == EOF || fclose(file) != 0) die(path);
}

/* The number of hidden files in a folder: temporary files are called .NAME.dragoman-PID. */
static size_t count_temporary(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    if (!dir) die(folder);
    while ((entry = readdir(dir)))
        count += entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static pid_t start(const Kind *kind)
{
    const pid_t pid = fork();

    if (pid < 0) die("fork");
    if (pid == 0) {
        const int null = open("/dev/null", O_RDWR), err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (null < 0 || err < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(err, 2) < 0) _exit(126);
        execv(kind->arguments[0], (char *const *)kind->arguments);
        _exit(127);
    }
    return pid;
}

/* Waits for the end of a process and returns its status; a process that hangs is a fault and is killed. */
static int wait_for(pid_t pid, const Kind *kind, const char *signal)
{
    const double start_time = now();
    bool killed = false;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (!killed && now() - start_time > LONGEST_WAIT) {
            report(kind, signal, "the process hangs", "");
            kill(pid, SIGKILL);
            killed = true;
        }
        pause_for(0.001);
    }
    return status;
}

/* Runs undisturbed a few times: keeps the new contents and the middle duration. */
static void calibrate(Kind *kind)
{
    double durations[CALIBRATIONS];

    for (size_t i = 0; i < CALIBRATIONS; i++) {
        const double begin = now();
        size_t at = i;
        if (wait_for(start(kind), kind, "no signal") != 0) die(kind->name);
        durations[i] = now() - begin;
        for (; at > 0 && durations[at - 1] > durations[at]; at--) {
            const double other = durations[at];
            durations[at] = durations[at - 1];
            durations[at - 1] = other;
        }
    }
    kind->duration = durations[CALIBRATIONS / 2];
    for (size_t i = 0; i < MOST_TARGETS && kind->targets[i]; i++) {
        kind->expected[i] = read_file(kind->targets[i], &kind->sizes[i]);
        if (!kind->expected[i]) die(kind->targets[i]);
    }
}

/* Compares the targets with their old and new contents; returns how many are new, and restores the old ones. */
static size_t check_targets(const Kind *kind, const char *signal, bool finished)
{
    size_t replaced = 0;

    for (size_t i = 0; i < MOST_TARGETS && kind->targets[i]; i++) {
        size_t size = 0;
        char *content = read_file(kind->targets[i], &size);
        const bool new = content &&size == kind->sizes[i] && memcmp(content, kind->expected[i], size) == 0;
        if (!new && (!content || size != strlen(OLD) || memcmp(content, OLD, size) != 0))
            report(kind, signal, "neither the old nor the new content", kind->targets[i]);
        if (!new &&finished) report(kind, signal, "not written, but the exit status is 0", kind->targets[i]);
        if (new || !content) write_file(kind->targets[i], OLD);
        replaced += new;
        free(content);
    }
    return replaced;
}

static void check_temporary(Kind *kind, const char *signal, bool finished, bool killed)
{
    const size_t left = count_temporary(kind->folder);

    if (finished && left) report(kind, signal, "a temporary file is left after a success", "");
    if (!killed && left > kind->left) report(kind, signal, "the signal leaves a temporary file", "");
    kind->left = left;
}

static void run_once(Kind *kind, size_t which, uint32_t *random, Tally *tally)
{
    const char *name = signals[which].name;
    struct stat err;
    bool finished;
    pid_t pid;
    int status;

    pid = start(kind);
    pause_for(kind->duration * 1.3 * next_random(random) / UINT32_MAX);
    kill(pid, signals[which].number);
    status = wait_for(pid, kind, name);
    finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!finished && !(WIFSIGNALED(status) && WTERMSIG(status) == signals[which].number))
        report(kind, name, "ends neither by the signal nor successfully", "");
    if (stat("stderr", &err) == 0 && err.st_size > 0) report(kind, name, "writes to stderr", "");
    check_temporary(kind, name, finished, signals[which].number == SIGKILL && !finished);
    tally->replaced += check_targets(kind, name, finished);
    tally->ended += !finished;
    tally->finished += finished;
}

static void run_all(Kind *kinds, size_t count, size_t starts, uint32_t random)
{
    Tally tallies[COUNT(signals)][3] = { { { 0 } } };

    for (size_t i = 0; i < starts; i++) {
        const size_t kind = i % count, signal = i / count % COUNT(signals);
        run_once(&kinds[kind], signal, &random, &tallies[signal][kind]);
    }
    printf("signal\trun\tended\tfinished\treplaced\n");
    for (size_t s = 0; s < COUNT(signals); s++)
        for (size_t k = 0; k < count; k++)
            printf("%s\t%s\t%zu\t%zu\t%zu\n", signals[s].name, kinds[k].name, tallies[s][k].ended,
                   tallies[s][k].finished, tallies[s][k].replaced);
}

int main(int argc, char **argv)
{
    const char *program = argv[argc > 1], *model = argv[argc > 2 ? 2 : 0];
    Kind kinds[] = {
        { .name = "file",
          .folder = "one",
          .arguments = { program, "-q", "-m", model, "--max-length", "8", "-o", "one/text", "text" },
          .targets = { "one/text" } },
        { .name = "batch",
          .folder = "many",
          .arguments = { program, "-q", "-m", model, "--max-length", "8", "-O", "many", "in/a", "in/b", "in/c" },
          .targets = { "many/a", "many/b", "many/c" } },
        { .name = "pack",
          .folder = "packed",
          .arguments = { program, "pack", "-q", "-m", model, "-o", "packed/m.safetensors" },
          .targets = { "packed/m.safetensors" } },
    };

    if (argc != 6) {
        fprintf(stderr, "usage: signal_driver PROGRAM MODEL FOLDER STARTS SEED\n");
        return 2;
    }
    if (chdir(argv[3]) != 0) die(argv[3]);
    if (mkdir("in", 0777) || link("text", "in/a") || link("text", "in/b") || link("text", "in/c")) die("in");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (mkdir(kinds[i].folder, 0777)) die(kinds[i].folder);
        calibrate(&kinds[i]);
        (void)check_targets(&kinds[i], "no signal", true);
    }
    run_all(kinds, COUNT(kinds), strtoul(argv[4], NULL, 10), (uint32_t)strtoul(argv[5], NULL, 10));
    if (faults) fprintf(stderr, "signal_driver: %zu faults\n", faults);
    return faults > 0;
}
