"""The machine: what it is, and what it can do at most (machine_limits.c)."""

import json
import os
import platform
import subprocess

import models
import tables


def describe():
    with open("/proc/cpuinfo") as info:
        cpu = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=models.ROOT, capture_output=True, text=True)
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; commit {commit.stdout.strip() or 'unknown'}"


def limits(program, threads, size):
    """Bytes a second read of `size` bytes, 8-bit and f32 operations a second, by so many threads."""
    out = subprocess.run([program, str(threads), str(size)], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def print_limits(setup):
    print("## Limits of the machine\n")
    step, _ = models.opus(setup.folder).weights()
    tables.head("threads", "reads of the int8 weights, GB/s", "of the f32 weights", "8-bit products, G op/s", "f32")
    for threads in setup.threads:
        small, large = (limits(setup.limits, threads, step * models.BYTES[p]) for p in ("int8", "f32"))
        reads = [f"{measured['reads'] / 1e9:.1f}" for measured in (small, large)]
        tables.row(threads, *reads, f"{small['s8'] / 1e9:.0f} ({small['level']})", f"{small['f32'] / 1e9:.0f}")
    print()
