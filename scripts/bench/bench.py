"""Measures dragoman beside CTranslate2 and transformers; prints Markdown.

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
import whole_process

SECTIONS = {
    "limits": (machine.print_limits, "memory bandwidth and product peaks of the machine"),
    "speed": (speed.print_speed, "tokens per second beside CTranslate2 and transformers, fixed lengths"),
    "shortlist": (shortlists.print_shortlists, "the same in int8 with a shortlist"),
    "text": (real_text.print_text, "lines of real text per second, and BLEU if there is a reference"),
    "start": (whole_process.print_start, "a whole process for one short sentence"),
    "memory": (whole_process.print_memory, "peak memory"),
    "growth": (growth.print_growth, "many lines, a long line"),
    "plots": (plots.print_plots, "throughput over sentences in flight, latency over length, as PNG"),
    "profile": (profiles.print_profile, "where dragoman's time goes, by function"),
}


@dataclasses.dataclass
class Setup:
    program: str
    limits: str
    threads: list
    beams: list
    precisions: list
    rounds: int
    alone: int  # sentences of a round, one after the other
    batches: int  # of a round, in flight
    transformers: bool
    text: pathlib.Path | None
    reference: pathlib.Path | None
    lines: int  # of real text
    many: int  # and ten times as many: growth
    starts: int  # whole processes
    profile_seconds: float
    images: pathlib.Path
    folder: pathlib.Path = models.ROOT / "build/bench"
    faults: list = dataclasses.field(default_factory=list)  # what must not happen


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse():
    sections = "".join(f"  {name:10} {what}\n" for name, (_, what) in SECTIONS.items())
    parser = argparse.ArgumentParser(
        description=__doc__ + sections, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("limits")
    parser.add_argument("sections", nargs="*", metavar="SECTION", choices=[[], *SECTIONS])
    parser.add_argument("--quick", action="store_true", help="a round of few sentences: does it work?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="1,2")
    parser.add_argument("--beam", type=int, choices=[1, 4], help="this one alone")
    parser.add_argument("--precision", choices=["int8", "f32"], help="this one alone")
    parser.add_argument("--no-transformers", action="store_true", help="CTranslate2 alone")
    parser.add_argument("--text", type=pathlib.Path, help="English lines; else dragoman's own documents")
    parser.add_argument("--reference", type=pathlib.Path, help="their German translations, for BLEU")
    parser.add_argument("--lines", type=int, default=5000, help="of the text")
    parser.add_argument("--images", type=pathlib.Path, default=models.ROOT / "build/bench/images")
    return parser.parse_intermixed_args()


def main():
    args = parse()
    setup = Setup(
        program=args.program,
        limits=args.limits,
        threads=[n for n in args.threads if n <= os.cpu_count()],
        beams=[args.beam] if args.beam else [1, 4],
        precisions=[args.precision] if args.precision else ["int8", "f32"],
        rounds=1 if args.quick else args.rounds,
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
