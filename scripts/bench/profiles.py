"""Profiles a loaded dragoman with perf and prints its time by function."""

import re
import shutil
import signal
import subprocess
import time

import models
import speed
import tables

LEAST = 1.0  # percent


def record(path, row, seconds):
    """Runs perf record while the row translates for the given number of seconds."""
    [dragoman] = row.engines["dragoman"]
    command = ["perf", "record", "--quiet", "--freq", "999", "--output", path, "--pid", str(dragoman.process.pid)]
    perf = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    time.sleep(0.5)  # perf needs time to attach
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        row.round(False)
    perf.send_signal(signal.SIGINT)
    perf.wait()


def functions(path):
    """(share in percent, function), largest first."""
    command = ["perf", "report", "--stdio", "--sort", "symbol", "--input", path]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^ +([0-9.]+)% +\[([.k])\] (\S+)", report, re.M)
    return [(float(share), name if kind == "." else f"{name} (kernel)") for share, kind, name in rows]


def print_profile(setup):
    print("## Where the time goes: OPUS-MT-sized, greedy, one thread\n")
    if not shutil.which("perf"):
        print("perf is not installed.\n")
        return
    model = models.opus(setup.folder)
    for precision in setup.precisions:
        for in_flight in (1, 64):
            row = speed.Row(setup, model, speed.Case(precision, 1, 1, in_flight), [])
            row.round(False)
            path = str(setup.folder / "perf.data")
            record(path, row, setup.profile_seconds)
            row.close()
            print(f"{precision}, {in_flight} in flight:\n")
            tables.head("function", "%", words=1)
            for share, name in functions(path):
                if share >= LEAST:
                    tables.row(f"`{name}`", f"{share:.1f}")
            print()
