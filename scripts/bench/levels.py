"""Tokens per second by CPU level: dragoman, CTranslate2 and the limits are held to the same level.

dragoman and machine_limits obey DRAGOMAN_CPU. CTranslate2 chooses its own kernels by CT2_FORCE_CPU_ISA, those of
MKL (on Intel CPUs) by MKL_ENABLE_INSTRUCTIONS, and those of oneDNN (on other CPUs) by ONEDNN_MAX_CPU_ISA.
"""

import contextlib
import dataclasses
import os

import machine
import models
import speed
import tables


@dataclasses.dataclass
class Level:
    title: str
    cpu: str  # name in dragoman; empty: the best of this machine
    variables: dict = dataclasses.field(default_factory=dict)  # of CTranslate2

    def environment(self):
        return self.variables | ({"DRAGOMAN_CPU": self.cpu} if self.cpu else {})


def peer(own, mkl, onednn):
    return {"CT2_FORCE_CPU_ISA": own, "MKL_ENABLE_INSTRUCTIONS": mkl, "ONEDNN_MAX_CPU_ISA": onednn}


# With MKL_ENABLE_INSTRUCTIONS=AVX512, MKL would compute without VNNI.
LEVELS = [
    Level("AVX2", "avx2", peer("AVX2", "AVX2", "AVX2")),
    Level("AVX-VNNI", "avxvnni", peer("AVX2", "AVX2_E1", "AVX2_VNNI")),
    Level("AVX-512 VNNI", "avx512vnni", peer("AVX512", "AVX512_E1", "AVX512_CORE_VNNI")),
    Level("best", ""),
]


@contextlib.contextmanager
def held_to(level):
    """Processes started meanwhile are held to the level."""
    before = dict(os.environ)
    os.environ.update(level.environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def of_this_machine(setup):
    """(title, level, limits of one thread) of the levels that the CPU has: machine_limits names the level it uses."""
    found = []
    for level in LEVELS:
        with held_to(level):
            measured = machine.limits(setup.limits, 1, 4096)
        if measured["level"] == level.cpu or not level.cpu:
            title = level.title if level.cpu else f"best ({measured['level']})"
            found.append((title, level, measured))
    return found


def print_peaks(found):
    """The int8 peak of a level is the higher of two methods."""
    tables.head("level", "int8 matmul, G op/s", "int8 by vpmaddubsw, G op/s", "f32 fma, G op/s", words=1)
    for title, _, measured in found:
        rates = (measured[key] for key in ("s8_words", "s8_bytes", "f32"))
        tables.row(title, *(f"{rate / 1e9:.0f}" if rate else "-" for rate in rates))
    print()


def print_case(setup, model, title, case):
    row = speed.Row(setup, model, case)
    row.measure()
    _, _, in_flight, beams, torch, *rest, _ = row.cells()
    tables.row(title, case.precision, in_flight, beams, *rest)
    row.close()


def print_levels(setup):
    setup = dataclasses.replace(setup, transformers=False, threads=[1])
    model = models.opus(setup.folder)
    print(f"## Tokens per second by CPU level, one thread, {speed.PIECES} pieces in, {speed.LENGTH} tokens out\n")
    found = of_this_machine(setup)
    print_peaks(found)
    columns = ("CTranslate2", "dragoman", "ratio", "limit", "reached")
    tables.head("level", "precision", "in flight", "beam", *columns, words=2)
    for title, level, _ in found:
        with held_to(level):
            for case in speed.cases(setup, setup.precisions):
                print_case(setup, model, title, case)
    print()
