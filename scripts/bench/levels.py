"""Holds dragoman, machine_limits and CTranslate2 to one level of the CPU.

dragoman and machine_limits obey DRAGOMAN_CPU. CTranslate2 chooses its own kernels by CT2_FORCE_CPU_ISA, those of
MKL (on Intel CPUs) by MKL_ENABLE_INSTRUCTIONS, and those of oneDNN (on other CPUs) by ONEDNN_MAX_CPU_ISA.
"""

import contextlib
import dataclasses
import os

import machine
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


def of_ctranslate2():
    """Environments that CTranslate2 is tried with, unless it is held to a level: by itself it uses AVX2 for its own
    kernels, and the most recent instructions, which may be slower, in MKL and oneDNN."""
    if "CT2_FORCE_CPU_ISA" in os.environ or not machine.has_flag("avx512_vnni"):
        return [{}]
    return [{}, next(level.variables for level in LEVELS if level.cpu == "avx512vnni")]


def of_this_machine(setup):
    """(title, level, limits of one thread) of the levels that the CPU has: machine_limits names the level it uses.
    The best is among them if it has no name here."""
    found = []
    for level in LEVELS:
        with held_to(level):
            measured = machine.limits(setup.limits, 1, 4096)
        known = any(measured["level"] == other.cpu for _, other, _ in found)
        if measured["level"] == level.cpu or not (level.cpu or known):
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
