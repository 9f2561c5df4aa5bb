#!/usr/bin/env python3
"""Writes tests/golden/confidence/chrf.tsv: pairs of texts with their chrF.

    scripts/reference/make_chrf_goldens.py tests/golden/confidence

Each line has the score of sacrebleu's CHRF().sentence_score() with its defaults (chrF2), the translation and the
reference, separated by tabs. The texts are shorter and longer than the longest n-gram, repeat characters, and have
several scripts and kinds of white space.
"""
import random
import sys
from pathlib import Path

from sacrebleu.metrics import CHRF

WRITTEN = [
    ("Wo ist der Bahnhof?", "Wo ist der Bahnhof?"),
    ("Wo ist der nächste Bahnhof?", "Wo finde ich den Bahnhof?"),
    ("Ich habe Hunger.", "Ich bin müde und habe großen Hunger."),
    ("Ja", "Ja"),
    ("Ja", "Nein"),
    ("a", "a"),
    ("a", "aaaaaaaa"),
    ("aaaaaaaa", "aaa"),
    ("abababab", "babababa"),
    ("abc", "abcdefghijkl"),
    ("abcdefghijkl", "bc"),
    ("火车站在哪里?", "火车站在哪儿?"),
    ("Где вокзал?", "Где находится вокзал?"),
    ("zwei\u00a0Wörter\u3000hier", "zwei Wörter hier"),
    ("   ", "etwas"),
    ("etwas", "   "),
    ("GROSS", "groß"),
    ("😀😀😀", "😀😃😀"),
]


def random_pairs(count):
    generator = random.Random(16)
    for _ in range(count):
        reference = "".join(generator.choice("aaabbcd e") for _ in range(generator.randint(1, 40)))
        letters = [c if generator.random() < 0.8 else generator.choice("abcd ") for c in reference]
        yield "".join(letters[generator.randint(0, 3):]) or "a", reference


def main():
    metric = CHRF()
    lines = [
        f"{metric.sentence_score(translation, [reference]).score!r}\t{translation}\t{reference}\n"
        for translation, reference in [*WRITTEN, *random_pairs(40)]
    ]
    (Path(sys.argv[1]) / "chrf.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
