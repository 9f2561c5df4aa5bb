"""Tokens per second at fixed lengths of a tiny student with a shortlist, in int8, compared with Marian.

CTranslate2 cannot run such models.
"""

import os
import pathlib
import re
import statistics
import sys

import machine
import make_student_model as shapes
import marian
import models
import speed
import tables


class Student(models.Model):
    """A Marian model folder; its search settings name the shortlist."""

    def __init__(self, folder):
        super().__init__(folder, folder)
        self.vocab = self.folder / "vocab.spm"

    def dragoman(self, program, precision):
        return {"model": self.folder}

    def weights(self):
        d, ffn = shapes.D, shapes.FFN
        listed = shapes.FIRST + speed.PIECES * shapes.BEST
        return shapes.DECODER * (4 * d * d + 2 * d * ffn) + listed * d, (
            shapes.ENCODER * (4 * d * d + 2 * d * ffn) + shapes.DECODER * 2 * d * d
        )

    def plain_pieces(self):
        """Words of one piece: Marian reads text, and makes the same pieces of it."""
        import sentencepiece

        pieces = sentencepiece.SentencePieceProcessor(model_file=str(self.vocab))
        texts = (pieces.id_to_piece(i) for i in range(pieces.vocab_size()))
        words = (text for text in texts if re.fullmatch("▁[a-z]+", text))
        return sorted(word for word in words if pieces.encode(word[1:], out_type=str) == [word])


def student(folder):
    """A model with random weights in the shapes of Firefox's tiny students."""
    out = folder / "student-size"
    if not (out / "decoder.yml").exists():
        golden = pathlib.Path(os.environ.get("GOLDEN_ROOT", models.ROOT / "build/golden"))
        vocabulary = golden / "tokenizers/opus-mt-fr-en/source.spm"
        models.make([sys.executable, models.HERE / "make_student_model.py", out, "--vocabulary", vocabulary], out)
    return Student(out)


def print_case(setup, model, case):
    engine = speed.open_dragoman(setup, model, case)
    sentences = model.random_sentences(
        setup.alone if case.alone else case.in_flight * case.threads * setup.batches * 4, speed.PIECES
    )
    rates, theirs, limits = [], [], []
    for i in range(setup.rounds + 1):
        result = engine.translate(sentences, one_by_one=case.alone)
        if i == 0:  # warm-up
            continue
        measured = machine.limits(setup.limits, case.threads, model.weights()[0])
        rates.append(len(sentences) * speed.LENGTH / result.seconds)
        theirs.append(None if None in theirs else marian.rate(model, case, sentences))
        limits.append(speed.limit(case, model, measured))
    engine.__exit__()
    most, what = sorted(limits)[len(limits) // 2]
    ours = statistics.median(rates)
    in_flight = 1 if case.alone else f"{case.threads} x {case.in_flight}"
    compared = ("-", f"{ours:.0f}", "-")
    if None not in theirs:
        ratio = statistics.median(a / b for a, b in zip(rates, theirs))
        compared = (f"{statistics.median(theirs):.0f}", f"{ours:.0f}", f"{ratio:.2f}")
    tables.row(case.threads, in_flight, case.beams, *compared, f"{most:.0f} ({what})", f"{100 * ours / most:.0f} %")


def print_students(setup):
    model = student(setup.folder)
    print(f"## Tokens per second of a tiny student, int8, {speed.PIECES} pieces in, {speed.LENGTH} tokens out\n")
    tables.head("threads", "in flight", "beam", "Marian", "dragoman", "ratio", "limit", "reached")
    for case in speed.cases(setup, ["int8"]):
        print_case(setup, model, case)
    print()
