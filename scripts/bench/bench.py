"""Compares the speed of dragoman with its peers and prints tables in Markdown.

    python bench.py PROGRAM LIMITS [OPTION]... [SECTION]...

Sections (all of them if none is named):
"""

import argparse
import dataclasses
import os
import pathlib
import sys

import growth
import machine
import models
import plots
import profiles
import real_text
import shortlists
import speed
import students
import whole_process

SECTIONS = {
    "limits": (machine.print_limits, "memory bandwidth and matmul peaks of the machine"),
    "speed": (speed.print_speed, "tokens per second of dragoman, CTranslate2, Marian and transformers, fixed lengths"),
    "levels": (speed.print_levels, "tokens per second at each level of the CPU, fixed lengths, one thread"),
    "shortlist": (shortlists.print_shortlists, "tokens per second in int8 with a shortlist, fixed lengths"),
    "student": (students.print_students, "tokens per second of a tiny student in int8 with a shortlist, fixed lengths"),
    "text": (real_text.print_text, "lines of real text per second, and BLEU if --reference is given"),
    "start": (whole_process.print_start, "time of a whole process for one short sentence"),
    "memory": (whole_process.print_memory, "peak memory"),
    "growth": (growth.print_growth, "speed and memory with many lines, and with a long line"),
    "plots": (plots.print_plots, "PNG plots: throughput by sentences in flight, latency by sentence length"),
    "profile": (profiles.print_profile, "dragoman's time by function"),
}


@dataclasses.dataclass
class Setup:
    program: str
    limits: str
    threads: list
    beams: list
    precisions: list
    rounds: int
    alone: int  # sentences per round, translated one at a time
    batches: int  # batches per round
    transformers: bool
    text: pathlib.Path | None
    reference: pathlib.Path | None
    lines: int  # lines of real text
    many: int  # lines for growth, which also measures ten times as many
    starts: int  # whole processes per program
    profile_seconds: float
    images: pathlib.Path
    folder: pathlib.Path = models.ROOT / "build/bench"
    faults: list = dataclasses.field(default_factory=list)  # failed checks, printed at the end


def counts(text):
    return [int(word) for word in text.split(",")]


def parse():
    sections = "".join(f"  {name:10} {what}\n" for name, (_, what) in SECTIONS.items())
    parser = argparse.ArgumentParser(
        description=__doc__ + sections, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("limits")
    parser.add_argument("sections", nargs="*", metavar="SECTION", choices=[[], *SECTIONS])
    parser.add_argument("--quick", action="store_true", help="measure few sentences, in one round by default")
    parser.add_argument("--rounds", type=int, metavar="N", help="measure N times and print medians (default: 5)")
    parser.add_argument("--threads", type=counts, default=[1, 2], metavar="1,2", help="thread counts (default: 1,2)")
    parser.add_argument("--beam", type=int, choices=[1, 4], help="measure this beam size only (default: both)")
    parser.add_argument("--precision", choices=["int8", "f32"], help="measure this precision only (default: both)")
    parser.add_argument("--no-transformers", action="store_true", help="leave out transformers")
    parser.add_argument("--text", type=pathlib.Path, help="English lines (default: dragoman's own documents)")
    parser.add_argument("--reference", type=pathlib.Path, help="German translations of these lines, for BLEU")
    parser.add_argument("--lines", type=int, default=5000, help="number of lines of text (default: 5000)")
    parser.add_argument(
        "--images", type=pathlib.Path, default=models.ROOT / "build/bench/images", help="folder for the plots"
    )
    return parser.parse_intermixed_args()


def main():
    args = parse()
    setup = Setup(
        program=args.program,
        limits=args.limits,
        threads=[n for n in args.threads if n <= os.cpu_count()],
        beams=[args.beam] if args.beam else [1, 4],
        precisions=[args.precision] if args.precision else ["int8", "f32"],
        rounds=args.rounds or (1 if args.quick else 5),
        alone=4 if args.quick else 8,
        batches=1 if args.quick else 2,
        transformers=not args.no_transformers,
        text=args.text,
        reference=args.reference,
        lines=200 if args.quick else args.lines,
        many=100 if args.quick else 10000,
        starts=2 if args.quick else 15,
        profile_seconds=1 if args.quick else 5,
        images=args.images,
    )
    setup.folder.mkdir(parents=True, exist_ok=True)
    print(machine.describe() + "\n")
    for name in args.sections or SECTIONS:
        SECTIONS[name][0](setup)
    if setup.faults:
        sys.exit("\n".join(setup.faults))


if __name__ == "__main__":
    main()
