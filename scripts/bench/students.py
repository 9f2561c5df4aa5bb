"""Tokens per second at fixed lengths of a tiny student with a shortlist, in int8.

CTranslate2 cannot run such models.
"""

import dataclasses
import os
import pathlib
import re
import statistics
import sys

import make_student_model as shapes
import models
import peers
import speed
import tables

# What fxtranslate writes for PIECES if the model never ends a sentence; the others are told to write as much.
FXTRANSLATE_LENGTH = 2 * speed.PIECES + 6
TOLERANCE = 0.02  # pieces of a text can differ from those that were written


class Student(models.Model):
    """A Marian model folder; its search settings name the shortlist."""

    peers = ("pymarian", "fxtranslate")
    repeat = 8

    def __init__(self, folder):
        super().__init__(folder, folder)
        self.vocab = self.folder / "vocab.spm"
        self.shortlist = str(self.folder / "lex.50.50.bin")

    def dragoman(self, program, precision):
        return {"model": self.folder}

    def pymarian(self, precision):
        files = {"vocab": str(self.folder / "vocab.json"), "shortlist": self.shortlist}
        return [
            {"model": str(self.folder / "marian-int8.bin"), **files},
            {"model": str(self.folder / "marian-f32.bin"), "quantize": True, **files},
        ]

    def fxtranslate(self, precision):
        return {"model": str(self.folder / "model.bin"), "vocab": str(self.vocab), "shortlist": self.shortlist}

    def weights(self):
        d, ffn = shapes.D, shapes.FFN
        listed = shapes.FIRST + speed.PIECES * shapes.BEST
        return shapes.DECODER * (4 * d * d + 2 * d * ffn) + listed * d, (
            shapes.ENCODER * (4 * d * d + 2 * d * ffn) + shapes.DECODER * 2 * d * d
        )

    def pieces(self):
        import sentencepiece

        return sentencepiece.SentencePieceProcessor(model_file=str(self.vocab))

    def plain_pieces(self):
        """Words of one piece: fxtranslate reads text, and makes the same pieces of it."""
        pieces = self.pieces()
        texts = (pieces.id_to_piece(i) for i in range(pieces.vocab_size()))
        words = (text for text in texts if re.fullmatch("▁[a-z]+", text))
        return sorted(word for word in words if pieces.encode(word[1:], out_type=str) == [word])


def student(folder):
    """A model with random weights in the shapes of Firefox's tiny students."""
    out = folder / "tiny-student"
    if not (out / "decoder.yml").exists():
        golden = pathlib.Path(os.environ.get("GOLDEN_ROOT", models.ROOT / "build/golden"))
        vocabulary = golden / "tokenizers/opus-mt-fr-en/source.spm"
        models.make([sys.executable, models.HERE / "make_student_model.py", out, "--vocabulary", vocabulary], out)
    return Student(out)


def check_lengths(setup, model, row, name):
    """Checks that a peer writes as many tokens as dragoman."""
    for result in row.outputs[name] if name else []:
        pieces = result.pieces or model.pieces().encode(result.texts)
        tokens = sum(map(len, pieces)) / len(pieces)
        if abs(tokens / row.case.length - 1) > TOLERANCE:
            setup.faults.append(f"{name} writes {tokens:.1f} tokens, not {row.case.length}")


def print_case(setup, model, case, name):
    """name: the peer; empty: none can run the case."""
    row = speed.Row(setup, model, case, [name] if name else [])
    row.measure()
    check_lengths(setup, model, row, name)
    most, reached = row.limit_cells()
    words = statistics.median(row.rates["dragoman"][0]) / case.length * case.pieces / case.threads
    # In flight, Marian selects from the candidates of all sentences together.
    same = row.same() if name == "fxtranslate" or name and case.alone else "-"
    what = (peers.TITLES.get(name, "-"), case.threads, row.in_flight(), case.beams, case.length)
    tables.row(*what, row.cell(name), row.cell("dragoman"), f"{words:.0f}", most, reached, same)
    row.close()


def print_students(setup):
    model = student(setup.folder)
    print(f"## Tokens per second of a tiny student, int8, {speed.PIECES} words in\n")
    what = ("peer", "threads", "in flight", "beam", "tokens out")
    tables.head(*what, "peer (ratio)", "dragoman", "words/s and thread", "limit", "reached", "same", words=1)
    for case in speed.cases(setup, ["int8"]):
        for name in list(peers.names(setup, model, case)) or [""]:
            length = FXTRANSLATE_LENGTH if name == "fxtranslate" else case.length
            print_case(setup, model, dataclasses.replace(case, length=length), name)
    print()
