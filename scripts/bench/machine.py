"""Describes the machine and measures its limits (machine_limits.c)."""

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


def has_flag(name):
    """Returns whether the CPU's flags, as Linux names them, include `name`."""
    with open("/proc/cpuinfo") as info:
        return any(name in line.split() for line in info if line.startswith("flags"))


def limits(program, threads, size):
    """Rates of `threads` threads: bytes per second read from `size` bytes, int8 and f32 operations per second.

    They are those of the CPU level named by DRAGOMAN_CPU.
    """
    out = subprocess.run([program, str(threads), str(size)], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def print_limits(setup):
    print("## Limits of the machine\n")
    step, _ = models.opus(setup.folder).weights()
    reading = ("reading int8 weights, GB/s", "reading f32 weights, GB/s")
    tables.head("threads", *reading, "int8 matmul, G op/s", "f32 matmul, G op/s")
    for threads in setup.threads:
        small, large = (limits(setup.limits, threads, step * models.BYTES[p]) for p in ("int8", "f32"))
        reads = [f"{measured['reads'] / 1e9:.1f}" for measured in (small, large)]
        tables.row(threads, *reads, f"{small['s8'] / 1e9:.0f} ({small['level']})", f"{small['f32'] / 1e9:.0f}")
    print()
