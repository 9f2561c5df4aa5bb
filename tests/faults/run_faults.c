/* run_faults.c - makes every call of dragoman fail in turn and checks what it promises then (fault_check.c).
 *
 *   run_faults [-j JOBS] [-s] [-k KIND] [-m MODE] -g GOLDEN -f FIXTURES [CASE...]
 *
 * Each CASE is a line of tests/faults/cases; without one, all are run. For each case, each kind of calls and each mode
 * (fault_injection.h), dragoman is run with a fault in the first call of the kind, in the second one, and so on, until
 * a run ends without a fault. With -s, only the first and the last one of the calls with the same callers are tried,
 * and only in the first case that has these callers: this takes minutes instead of hours. KIND and MODE, such as
 * "memory" and "once", choose one kind and one mode. GOLDEN is the folder of the golden models, FIXTURES the one that
 * tests/faults/make_fixtures has written.
 *
 * The address and leak sanitizers are part of each run. A line is printed for each case; broken promises are described
 * on stderr with the callers of the call that failed. The last line is "N passed, N failed". */
#define _GNU_SOURCE /* clearenv(), MAP_ANONYMOUS */
#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_cases.h"
#include "fault_check.h"
#include "fault_run.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* MOST_REPORTS: broken promises that are printed for each case. */
enum { MOST_REPORTS = 12, MOST_JOBS = 64, SEEN_SLOTS = 1 << 20 };

static const char *const kind_names[] = { "memory", "library", "map",    "open", "read",  "write",
                                          "close",  "sync",    "rename", "look", "thread" };
static const char *const mode_names[] = { "once", "lasting", "short", "interrupted" };
_Static_assert(COUNT(kind_names) == FAULT_KINDS && COUNT(mode_names) == FAULT_MODES, "a name for each");

typedef struct {
    int jobs, kind, mode; /* -1: all kinds, all modes */
    bool samples;
    const char *cases, *golden, *fixtures;
} Settings;

typedef struct {
    size_t faults;    /* injected */
    size_t broken;    /* runs that broke a promise */
    size_t ended;     /* runs that a library ended; they are not counted as broken */
    bool is_complete; /* a run has made fewer calls */
} Tally;

/* The same numbers for all processes. */
typedef struct {
    _Atomic size_t faults, broken, ended;
} Totals;

/* What the processes of the driver share. */
typedef struct {
    _Atomic size_t next, passed, failed;
    Totals totals[FAULT_KINDS][FAULT_MODES];
    _Atomic uint64_t seen[SEEN_SLOTS]; /* hashes of callers; 0: free */
    FaultRecord records[MOST_JOBS];
} Shared;

/* All that stays until the end. */
static struct {
    Settings settings;
    FaultCases cases;
    FaultFiles before;
    FaultResult undisturbed; /* of the current case */
    Shared *shared;
    char *folder; /* of the driver */
} driver;

/* The sanitizers end a process with a code that dragoman does not use. What the driver frees is kept only for a while:
 * otherwise it would grow, and with it the time that fork() and the search for leaks take. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1"
           ":quarantine_size_mb=8";
}
__attribute__((visibility("default"))) const char *__ubsan_default_options(void)
{
    return "exitcode=99:print_stacktrace=1";
}

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) fault_give_up("mmap: %s", strerror(errno));
    return memory;
}

static FaultDesk make_desk(size_t number)
{
    FaultDesk desk = { .folder = fault_text("%s/%zu", driver.folder, number),
                       .before = &driver.before,
                       .record = &driver.shared->records[number] };
    char *work = fault_text("%s/work", desk.folder);

    if (mkdir(desk.folder, 0777) != 0 || mkdir(work, 0777) != 0) fault_give_up("%s: %s", work, strerror(errno));
    free(work);
    return desk;
}

/* Adds the hash to those that were seen. Returns whether it is new. */
static bool is_new(uint64_t hash)
{
    size_t at = hash % SEEN_SLOTS;

    if (!hash) hash = 1;
    for (size_t tries = 0; tries < SEEN_SLOTS; tries++, at = (at + 1) % SEEN_SLOTS) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&driver.shared->seen[at], &there, hash)) return true;
        if (there == hash) return false;
    }
    return true;
}

static void print_frames(const FaultRecord *record)
{
    char text[1024];

    for (int i = 0, shown = 0; i < record->depth && shown < 12; i++) {
        const char *address = record->frames[i];
        __sanitizer_symbolize_pc((void *)(address - 1), "%f %S", text, sizeof text);
        if (strncmp(text, "fault_", 6) == 0 || strncmp(text, "note_fault", 10) == 0 || strncmp(text, "answer", 6) == 0)
            continue;
        fprintf(stderr, "      in %s\n", text);
        shown++;
    }
}

static void report(const FaultCase *test, Fault fault, const FaultRecord *record, const FaultResult *result,
                   const char *broken)
{
    fprintf(stderr, "      %s %s:%s:%zu: %s\n      %s\n", test->name, kind_names[fault.kind], mode_names[fault.mode],
            fault.at, broken, record->injected ? record->call : "without a fault");
    if (record->injected) print_frames(record);
    for (const char *at = result->err.data, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        fprintf(stderr, "      | %.*s\n", (int)(end - at), at);
    }
    fflush(stderr);
}

static void try_fault(FaultDesk *desk, size_t number, Fault fault, Tally *tally)
{
    const FaultCase *test = &driver.cases.items[number];
    FaultResult result = fault_run(desk, test, fault);
    char *broken = fault_check(&result, &driver.undisturbed, &driver.before, fault, desk->record);

    tally->is_complete = desk->record->calls[fault.kind] < fault.at;
    tally->faults += desk->record->injected;
    if (broken && fault_library_end(&result, desk->record))
        tally->ended++;
    else if (broken && tally->broken++ < MOST_REPORTS)
        report(test, fault, desk->record, &result, broken);
    free(broken);
    fault_result_free(&result);
}

/* Makes the first and the last of the calls with the same callers fail: a list that cannot grow leaves more to be freed
 * than one that cannot begin. Callers that another case had are skipped. `counts` has the calls of the undisturbed run,
 * which was the last one that noted them. */
static void try_new_callers(FaultDesk *desk, size_t number, Fault fault, const size_t *counts, Tally *tally)
{
    const uint64_t *callers = desk->record->callers[fault.kind];
    const size_t count = counts[fault.kind] < FAULT_MAX_CALLS ? counts[fault.kind] : FAULT_MAX_CALLS;

    for (size_t i = 0; i < count; i++) {
        size_t last = count - 1;
        if (!is_new((callers[i] + 1) * (FAULT_MODES + fault.mode))) continue;
        while (callers[last] != callers[i]) last--;
        fault.at = i + 1;
        try_fault(desk, number, fault, tally);
        fault.at = last + 1;
        if (last > i) try_fault(desk, number, fault, tally);
    }
}

static void try_all(FaultDesk *desk, size_t number, Fault fault, Tally *tally)
{
    tally->is_complete = false;
    for (fault.at = 1; !tally->is_complete; fault.at++) try_fault(desk, number, fault, tally);
}

/* Only calls that wait or transfer bytes can be interrupted, and only the latter can be short. */
static bool is_wanted(Fault fault)
{
    const Settings *settings = &driver.settings;
    const bool transfers = fault.kind == FAULT_READ || fault.kind == FAULT_WRITE;
    const bool waits = fault.kind == FAULT_LOOK;

    if (settings->kind >= 0 && fault.kind != (FaultKind)settings->kind) return false;
    if (settings->mode >= 0 && fault.mode != (FaultMode)settings->mode) return false;
    return fault.mode < FAULT_SHORT || transfers || (waits && fault.mode == FAULT_INTERRUPTED);
}

static void finish(const FaultCase *test, const Tally *tally)
{
    if (!tally->faults && !tally->broken) return;
    atomic_fetch_add(tally->broken ? &driver.shared->failed : &driver.shared->passed, 1);
    printf("%s %s (%zu faults, %zu unhandled)\n", tally->broken ? "FAIL " : "ok   ", test->name, tally->faults,
           tally->broken);
    fflush(stdout);
}

static void add_totals(Totals *totals, const Tally *now, const Tally *before)
{
    atomic_fetch_add(&totals->faults, now->faults - before->faults);
    atomic_fetch_add(&totals->broken, now->broken - before->broken);
    atomic_fetch_add(&totals->ended, now->ended - before->ended);
}

/* Tries all kinds and modes. */
static void try_faults(FaultDesk *desk, size_t number, Tally *tally)
{
    size_t counts[FAULT_KINDS];

    for (int i = 0; i < FAULT_KINDS; i++) counts[i] = desk->record->calls[i];
    for (Fault fault = { 0 }; fault.kind < FAULT_KINDS; fault.kind++)
        for (fault.mode = 0; fault.mode < FAULT_MODES; fault.mode++) {
            const Tally before = *tally;
            if (!is_wanted(fault)) continue;
            if (driver.settings.samples)
                try_new_callers(desk, number, fault, counts, tally);
            else
                try_all(desk, number, fault, tally);
            add_totals(&driver.shared->totals[fault.kind][fault.mode], tally, &before);
        }
}

static void try_case(FaultDesk *desk, size_t number)
{
    const FaultCase *test = &driver.cases.items[number];
    Tally tally = { 0 };

    driver.undisturbed = fault_run(desk, test, (Fault){ .at = 0 });
    if (driver.undisturbed.status == 0) {
        try_faults(desk, number, &tally);
    } else {
        report(test, (Fault){ .at = 0 }, desk->record, &driver.undisturbed, "fails without a fault");
        tally.broken++;
    }
    finish(test, &tally);
    fault_result_free(&driver.undisturbed);
}

static void work(size_t number)
{
    FaultDesk desk = make_desk(number);

    for (size_t job; (job = atomic_fetch_add(&driver.shared->next, 1)) < driver.cases.count;) try_case(&desk, job);
}

/* Starts the processes and waits for them. Each child is forked again for each run, so it has no threads. */
static void run_jobs(void)
{
    int status;

    for (int i = 1; i <= driver.settings.jobs; i++) {
        const pid_t child = fork();
        if (child < 0) fault_give_up("fork: %s", strerror(errno));
        if (child == 0) {
            work((size_t)i);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        if (status != 0) fault_give_up("a process of the driver has failed");
}

static int index_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return (int)i;
    fault_give_up("unknown name: %s", name);
}

static Settings read_settings(int argc, char **argv)
{
    Settings settings = { .jobs = 1, .kind = -1, .mode = -1, .cases = "tests/faults/cases" };

    for (int option; (option = getopt(argc, argv, "j:sk:m:g:f:")) != -1;) {
        if (option == 'j')
            settings.jobs = (int)strtol(optarg, NULL, 10);
        else if (option == 's')
            settings.samples = true;
        else if (option == 'k')
            settings.kind = index_of(optarg, kind_names, COUNT(kind_names));
        else if (option == 'm')
            settings.mode = index_of(optarg, mode_names, COUNT(mode_names));
        else if (option == 'g')
            settings.golden = optarg;
        else if (option == 'f')
            settings.fixtures = optarg;
        else
            exit(2);
    }
    if (!settings.golden || !settings.fixtures) fault_give_up("-g and -f are needed");
    if (settings.jobs < 1 || settings.jobs >= MOST_JOBS) fault_give_up("-j takes 1 to %d", MOST_JOBS - 1);
    return settings;
}

static void set_environment(void)
{
    if (clearenv() != 0 || setenv("LC_ALL", "C.UTF-8", 1) != 0) fault_give_up("setenv: %s", strerror(errno));
}

/* Prints the numbers for the table in tests/faults/README.md. */
static void print_totals(void)
{
    size_t all = 0;

    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (int mode = 0; mode < FAULT_MODES; mode++) {
            const Totals *totals = &driver.shared->totals[kind][mode];
            if (!totals->faults && !totals->broken) continue;
            printf("%s, %s: %zu faults, %zu unhandled, %zu ended by a library\n", kind_names[kind], mode_names[mode],
                   totals->faults, totals->broken, totals->ended);
            all += totals->faults;
        }
    printf("%zu faults\n%zu passed, %zu failed\n", all, driver.shared->passed, driver.shared->failed);
}

int main(int argc, char **argv)
{
    const Settings settings = read_settings(argc, argv);
    char *golden, *fixtures, *before;

    __lsan_disable(); /* a child does not answer for the memory of the driver */
    golden = realpath(settings.golden, NULL);
    fixtures = realpath(settings.fixtures, NULL);
    if (!golden || !fixtures) fault_give_up("-g and -f are folders that exist");
    driver.settings = settings;
    driver.folder = fault_text("%s/dragoman-faults-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(driver.folder)) fault_give_up("%s: %s", driver.folder, strerror(errno));
    driver.cases = fault_cases_read(settings.cases, golden, fixtures, argv + optind, argc - optind);
    driver.before = fault_files_read(before = fault_text("%s/work", fixtures));
    driver.shared = share(sizeof *driver.shared);
    set_environment();
    (void)setvbuf(stderr, NULL, _IOFBF, 1 << 16); /* the reports of several processes do not mix */
    run_jobs();
    print_totals();
    free(before);
    fault_files_restore(&(FaultFiles){ 0 }, driver.folder);
    (void)rmdir(driver.folder);
    return driver.shared->failed == 0 && driver.shared->passed > 0 ? 0 : 1;
}
