"""Checks that time and memory do not grow faster than the text: many lines, and a long line against its parts."""

import statistics

import engines
import models
import tables
import texts

PARTS, PIECES, LENGTH = 5, 400, 100  # parts per line; pieces (at most what the model accepts) and tokens per part


def parts_of_a_line(model):
    """Sentences that end with a full stop: dragoman splits a long line there and nowhere else."""
    parts = model.random_sentences(PARTS, PIECES)
    for part in parts:
        part[0] = next(piece for piece in part if piece.startswith("▁"))
        part[-1] = "."
    return parts


def print_many_lines(setup):
    counts = [setup.many, 10 * setup.many]
    few = texts.lines(setup.text, counts[0])
    options = {"beams": 1, "pieces": False, **models.shipped(setup.folder).dragoman(setup.program, "int8")}
    tables.head("lines", "lines/s", "CPU time per line, ms", "peak memory, MB")
    for count in counts:
        with engines.Dragoman(setup.program, threads=max(setup.threads), **options) as dragoman:
            dragoman.translate(lines=few[:64])
            result = dragoman.translate(lines=few * (count // len(few)))
            rate, each = count / result.seconds, 1e3 * result.cpu / count
            tables.row(count, f"{rate:.0f}", f"{each:.2f}", f"{dragoman.peak_memory() / 1e6:.0f}")
    print()


def print_long_line(setup):
    model = models.opus(setup.folder)
    parts = parts_of_a_line(model)
    options = {"beams": 1, "length": LENGTH, "quiet": True, **model.dragoman(setup.program, "int8")}
    whole, apart = [], []
    with engines.Dragoman(setup.program, threads=1, **options) as dragoman:
        for _ in range(setup.rounds + 1):
            a, b = dragoman.translate([sum(parts, [])]), dragoman.translate(parts)
            whole, apart = whole + [a.cpu], apart + [b.cpu]
    if a.pieces[0] != sum(b.pieces, []):
        setup.faults.append("the translation of a long line differs from those of its parts")
    ratio = statistics.median(x / y for x, y in zip(whole[1:], apart[1:]))
    print(
        f"A line of {PARTS * PIECES} tokens takes {ratio:.2f} times as long as its {PARTS} parts as separate lines "
        f"({statistics.median(whole[1:]):.2f} s; OPUS-MT-sized, int8, greedy, one thread, same output).\n"
    )


def print_growth(setup):
    print("## Growth: models/en-de, int8, greedy\n")
    print_many_lines(setup)
    print_long_line(setup)
