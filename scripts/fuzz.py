#!/usr/bin/env python3
"""fuzz.py - run the fuzzers that `make fuzz` builds; tests/fuzz/README.md explains how to use them.

    scripts/fuzz.py run      [--seconds N] [--jobs N] [--targets "NAME ..."]
    scripts/fuzz.py check    [--runs N] [--jobs N] [--targets "NAME ..."]
    scripts/fuzz.py coverage [--source TEXT] --targets "NAME ..."
    scripts/fuzz.py seeds    [--bytes N] --targets "NAME ..."
    scripts/fuzz.py record

run        fuzzes all targets for N seconds of CPU time together, and prints a table
check      runs each target on its seeds, and then on N mutations of them, the same every time; keeps nothing
coverage   prints the lines that the seeds and the corpus do not reach in files whose path contains TEXT, unless they
           reach no line of the file
seeds      reduces each corpus, and adds its smallest new inputs, up to N bytes, to tests/fuzz/seeds
record     adds the runs since the last record to the table in tests/fuzz/RESULTS.md

Everything is below FOLDER (--folder, default build/fuzz): the programs in tests/fuzz, the seeds in seeds, the inputs
that were found in corpus, inputs that break a promise in findings, and the output of the last runs in logs.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path('tests/fuzz')
RESULTS = SOURCES / 'RESULTS.md'
# Options of libFuzzer for all targets. A line "Options" in the head of a fuzzer overrides them and adds others.
OPTIONS = ['-timeout=10', '-rss_limit_mb=2048', '-malloc_limit_mb=1024', '-max_len=4096', '-detect_leaks=1']
MAX_FINDINGS = 5  # of one target in one run
INTERRUPTED = 72  # the exit status of libFuzzer after SIGINT or SIGTERM
FIELDS = ['target', 'cpu', 'executions', 'cov', 'ft', 'findings']

Result = collections.namedtuple('Result', FIELDS)


def source_of(target):
    """The source of a target; document_html and others are names of the program that fuzz_document.c becomes."""
    source = SOURCES / f'fuzz_{target}.c'
    return source if source.exists() else SOURCES / f'fuzz_{target.rsplit("_", 1)[0]}.c'


def all_targets(folder):
    """Without `document`, which needs the name of a format."""
    names = [path.name.removeprefix('fuzz_') for path in (folder / 'tests/fuzz').glob('fuzz_*') if not path.suffix]
    variants = {source_of(name) for name in names if not (SOURCES / f'fuzz_{name}.c').exists()}
    return sorted(name for name in names if source_of(name).exists()
                  and (source_of(name) not in variants or source_of(name).stem != f'fuzz_{name}'))


def cpu_time(pid):
    """The CPU time of a running process in seconds; 0 on systems without /proc."""
    try:
        fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def wait(process, seconds):
    """Waits for the end of libFuzzer, which is asked to end when it has used so much CPU time."""
    asked = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        if not asked and cpu_time(process.pid) >= seconds:
            asked = True
            process.send_signal(signal.SIGUSR1)
        time.sleep(0.1)


class Fuzzer:
    """One target in a folder."""

    def __init__(self, folder, target):
        self.target = target
        self.folder = folder
        self.program = folder / 'tests/fuzz' / f'fuzz_{target}'
        self.corpus = folder / 'corpus' / target
        self.seeds = folder / 'seeds' / target
        self.log = folder / 'logs' / f'{target}.log'

    def options(self):
        source = source_of(self.target)
        own = re.findall(r'^ \* Options +(.*?)(?: \*/)?$', source.read_text(), re.M)
        options = OPTIONS + shlex.split(' '.join(own))
        for name in (self.target, source.stem.removeprefix('fuzz_')):
            dictionary = SOURCES / f'{name}.dict'
            if dictionary.exists():
                return options + [f'-dict={dictionary}']
        return options

    def make_seeds(self):
        shutil.rmtree(self.seeds, ignore_errors=True)
        subprocess.run([SOURCES / 'make_seeds', self.target, self.folder / 'golden', self.seeds], check=True)

    def execute(self, *arguments, seconds=float('inf'), log=None):
        """Runs the program, for some CPU time; returns its exit status, its CPU time, and its output."""
        log = log or self.log
        log.parent.mkdir(parents=True, exist_ok=True)
        shared_memory = pathlib.Path('/dev/shm')
        with tempfile.TemporaryDirectory(dir=shared_memory if shared_memory.is_dir() else None) as scratch:
            environment = os.environ | {'TMPDIR': scratch, 'LC_ALL': 'C.UTF-8'}
            environment.setdefault('UBSAN_OPTIONS', 'print_stacktrace=1')
            with open(log, 'wb') as output:
                process = subprocess.Popen([self.program, *self.options(), *arguments], stdin=subprocess.DEVNULL,
                                           stdout=output, stderr=output, env=environment)
                cpu = wait(process, seconds)
        return process.returncode, cpu, log.read_text(errors='replace')

    def run_once(self, seconds, corpus, *arguments, name):
        """Fuzzes until the CPU time is used up or a promise is broken; returns the result and the exit status."""
        findings = self.folder / 'findings'
        findings.mkdir(parents=True, exist_ok=True)
        corpus.mkdir(parents=True, exist_ok=True)
        # The limit on the elapsed time is for systems on which the CPU time of a process cannot be read.
        limit = 0 if cpu_time(os.getpid()) or seconds == float('inf') else max(1, round(seconds))
        status, cpu, log = self.execute(f'-max_total_time={limit}', '-print_final_stats=1', *arguments,
                                        f'-artifact_prefix={findings}/{self.target}-', corpus, self.seeds,
                                        seconds=seconds)
        failed = status not in (0, INTERRUPTED)
        executions = (re.findall(r'^stat::number_of_executed_units: (\d+)', log, re.M)
                      or re.findall(r'^#(\d+)', log, re.M))
        coverage = re.findall(r'cov: (\d+) ft: (\d+)', log)
        if failed:
            kept = self.log.with_suffix(f'.{name}')
            shutil.copy(self.log, kept)
            print(f'FINDING {self.target}: exit {status}; see {kept}', flush=True)
        return Result(self.target, cpu, int(executions[-1]) if executions else 0,
                      *(map(int, coverage[-1]) if coverage else (0, 0)), int(failed)), status

    def fuzz(self, seconds, corpus):
        """Starts again after a broken promise, until there are too many; yields the result of each start."""
        left, found = seconds, 0
        while left >= min(1, seconds) and found < MAX_FINDINGS:
            result, status = self.run_once(left, corpus, name=f'finding{found + 1}')
            left -= max(result.cpu, 0.1)
            found += result.findings
            yield result
            if status == INTERRUPTED or left < seconds / 20:
                return

    def check(self, mutations, corpus):
        """Fuzzes with mutations that are the same each time for most targets, so that the result depends only on the
        change under test. -use_cmp=0: compared values can be addresses, which differ between runs."""
        runs = mutations + len(list(self.seeds.iterdir()))
        return self.run_once(float('inf'), corpus, '-seed=1', f'-runs={runs}', '-reload=0', '-use_cmp=0', name='finding1')[0]


def total(results):
    """Adds results of the same target: the coverage is the largest."""
    totals = {}
    for result in results:
        old = totals.get(result.target, Result(result.target, 0, 0, 0, 0, 0))
        totals[result.target] = Result(result.target, old.cpu + result.cpu, old.executions + result.executions,
                                       max(old.cov, result.cov), max(old.ft, result.ft), old.findings + result.findings)
    return totals


def table(totals):
    """The table in Markdown, with a last row for all targets."""
    rows = [totals[name] for name in sorted(totals)]
    rows.append(Result('all', *(sum(column) for column in list(zip(*rows))[1:])))
    lines = ['| target | CPU hours | executions | edges (cov) | features (ft) | findings |',
             '|---|---:|---:|---:|---:|---:|']
    lines += [f'| {row.target} | {row.cpu / 3600:.3f} | {row.executions} | {row.cov} | {row.ft} | {row.findings} |'
              for row in rows]
    return '\n'.join(lines) + '\n'


def read_table(text):
    pattern = r'^\| (\w+) \| ([\d.]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$'
    return [Result(name, float(hours) * 3600, *map(int, numbers))
            for name, hours, *numbers in re.findall(pattern, text, re.M) if name != 'all']


def in_parallel(jobs, function, items):
    """Yields the results in the order in which they are ready; Ctrl-C starts no more of them."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def command_run(fuzzers, options):
    """Adds the results to FOLDER/runs.tsv, for `record`."""
    share = options.seconds / len(fuzzers)
    results = []

    def run(fuzzer):
        fuzzer.make_seeds()
        return list(fuzzer.fuzz(share, fuzzer.corpus))

    for some in in_parallel(options.jobs, run, fuzzers):
        results += some
        with open(options.folder / 'runs.tsv', 'a') as runs:
            for result in some:
                print(*result, sep='\t', file=runs)
    totals = total(results)
    print(table(totals), end='')
    return any(result.findings for result in totals.values())


def command_check(fuzzers, options):
    """Prints a line for each target, and the counts that .ci/run reads."""
    def check(fuzzer):
        fuzzer.make_seeds()
        with tempfile.TemporaryDirectory() as corpus:
            return fuzzer.check(options.runs, pathlib.Path(corpus))

    failed = 0
    for result in in_parallel(options.jobs, check, fuzzers):
        failed += bool(result.findings)
        print(f'{"FAIL " if result.findings else "ok   "} {result.target} ({result.executions} executions, '
              f'cov {result.cov}, ft {result.ft})', flush=True)
        if result.findings:
            log = options.folder / 'logs' / f'{result.target}.finding1'
            print('      | ' + '\n      | '.join(log.read_text(errors='replace').splitlines()[-60:]))
    print(f'{len(fuzzers) - failed} passed, {failed} failed')
    return failed


def line_counts(program, profile, source):
    """Yields each source file whose path contains `source`, and how often each of its lines was reached."""
    exported = subprocess.run(['llvm-cov', 'export', '-format=lcov', f'-instr-profile={profile}', program,
                               '-object', program.parents[2] / 'libfuzzed.so'], check=True,
                              capture_output=True, text=True).stdout
    for record in exported.split('end_of_record'):
        name = re.search(r'^SF:(.*)', record, re.M)
        if name and source in name[1]:
            yield name[1], {int(line): int(count) for line, count in re.findall(r'^DA:(\d+),(\d+)', record, re.M)}


def command_coverage(fuzzers, options):
    """Runs the programs in FOLDER/coverage, which count lines."""
    for fuzzer in fuzzers:
        fuzzer.make_seeds()
        fuzzer.corpus.mkdir(parents=True, exist_ok=True)
        fuzzer.program = options.folder / 'coverage/tests/fuzz' / fuzzer.program.name
        raw, profile = fuzzer.log.with_suffix('.profraw'), fuzzer.log.with_suffix('.profdata')
        os.environ['LLVM_PROFILE_FILE'] = str(raw)
        fuzzer.execute('-runs=0', fuzzer.corpus, fuzzer.seeds, log=fuzzer.log.with_suffix('.coverage'))
        subprocess.run(['llvm-profdata', 'merge', '-sparse', raw, '-o', profile], check=True)
        for name, counts in line_counts(fuzzer.program, profile, options.source):
            missed = [line for line, count in counts.items() if not count]
            if len(missed) < len(counts):
                print(f'{fuzzer.target}: {name}: {len(counts) - len(missed)} of {len(counts)} lines are reached')
                text = pathlib.Path(name).read_text().splitlines()
                print(*(f'    {line}: {text[line - 1]}' for line in missed), sep='\n')


def merge(fuzzer, folder, source):
    """Adds the inputs of `source` that reach something new to the folder."""
    status, _, _ = fuzzer.execute('-merge=1', folder, source, log=fuzzer.log.with_suffix('.merge'))
    if status:
        sys.exit(f'{fuzzer.target}: merging failed with status {status}; see {fuzzer.log.with_suffix(".merge")}')


def command_seeds(fuzzers, options):
    """What the seeds reach already is not added again: -merge=1 keeps the inputs of the first folder."""
    for fuzzer in fuzzers:
        fuzzer.make_seeds()
        smaller, added = fuzzer.folder / 'smaller' / fuzzer.target, fuzzer.folder / 'added' / fuzzer.target
        shutil.rmtree(smaller, ignore_errors=True)
        smaller.mkdir(parents=True)
        merge(fuzzer, smaller, fuzzer.corpus)
        shutil.rmtree(fuzzer.corpus)
        smaller.rename(fuzzer.corpus)
        shutil.rmtree(added, ignore_errors=True)
        shutil.copytree(fuzzer.seeds, added)
        before = set(added.iterdir())
        merge(fuzzer, added, fuzzer.corpus)
        left, count = options.bytes, 0
        target = SOURCES / 'seeds' / fuzzer.target
        for path in sorted(set(added.iterdir()) - before, key=lambda path: (path.stat().st_size, path.name)):
            if path.stat().st_size > left:
                break
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / path.name[:12])
            left -= path.stat().st_size
            count += 1
        print(f'{fuzzer.target}: {len(list(fuzzer.corpus.iterdir()))} inputs in the corpus, {count} added to {target}')


def command_record(options):
    runs = options.folder / 'runs.tsv'
    if not runs.exists():
        sys.exit(f'{runs}: contains no runs; fuzz before you record, for example with make fuzz MINUTES=10')
    rows = [line.split('\t') for line in runs.read_text().splitlines()]
    new = [Result(name, float(cpu), *map(int, numbers)) for name, cpu, *numbers in rows]
    text = RESULTS.read_text()
    head = text[:text.index('| target |')] if '| target |' in text else text
    RESULTS.write_text(head + table(total(read_table(text) + new)))
    runs.unlink()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('command', choices=['run', 'check', 'coverage', 'seeds', 'record'])
    parser.add_argument('--folder', type=pathlib.Path, default='build/fuzz')
    parser.add_argument('--targets', default='')
    parser.add_argument('--seconds', type=float, default=2)
    parser.add_argument('--runs', type=int, default=2000)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--source', default='')
    parser.add_argument('--bytes', type=int, default=8000)
    options = parser.parse_args()
    options.folder = options.folder.absolute()
    if options.command == 'record':
        return command_record(options)
    names = options.targets.split() or all_targets(options.folder)
    fuzzers = [Fuzzer(options.folder, name) for name in names]
    for fuzzer in fuzzers:
        if not fuzzer.program.exists():
            sys.exit(f'{fuzzer.target}: no such target; run make fuzz first')
    return globals()[f'command_{options.command}'](fuzzers, options)


if __name__ == '__main__':
    sys.exit(1 if main() else 0)
