"""Tokens per second at fixed lengths with a shortlist: one vmap.txt for both engines.

Each source piece has random target pieces, as many as in a learned shortlist. CTranslate2 uses the union of the
candidates of a batch, dragoman those of each sentence; with one sentence at a time, the candidates are the same.
"""

import pathlib
import random

import models
import speed

FIRST, BEST = 100, 30  # target pieces for every sentence, and for each source piece


class Listed(models.Model):
    """A model with a shortlist."""

    peers = ("ctranslate2",)
    job = {"vmap": True}

    def __init__(self, plain):
        super().__init__(plain.folder, plain.converted)
        self.file = self.converted / "vmap.txt"
        if not self.file.exists():
            self.write_file()

    def write_file(self):
        pieces, rng = self.plain_pieces(), random.Random(3)
        lines = ["\t" + " ".join(rng.sample(pieces, FIRST))]
        lines += [f"{piece}\t{' '.join(rng.sample(pieces, BEST))}" for piece in pieces]
        self.file.write_text("".join(line + "\n" for line in lines))

    def dragoman(self, program, precision):
        return super().dragoman(program, precision) | {"shortlist": self.file}

    def ctranslate2(self, precision):
        """A folder of links to the model and vmap.txt: CTranslate2 always reads a vmap.txt in the model's folder."""
        plain = super().ctranslate2(precision)
        folder = pathlib.Path(plain["model"] + "-vmap")
        folder.mkdir(exist_ok=True)
        for file in [*pathlib.Path(plain["model"]).iterdir(), self.file]:
            if not (folder / file.name).exists():
                (folder / file.name).symlink_to(file.resolve())
        return plain | {"model": str(folder)}

    def weights(self):
        """As in Model, but the output layer has the rows of the shortlist only."""
        step, source = super().weights()
        config = self.config()
        return step - config["d_model"] * (config["vocab_size"] - FIRST - speed.PIECES * BEST), source


def print_check(setup, model):
    """Checks that both engines write the same tokens in f32 with one sentence at a time."""
    for beams in setup.beams:
        row = speed.Row(setup, model, speed.Case("f32", 1, beams, 1), model.peers)
        row.round(False)
        print(f"f32, one sentence at a time, beam {beams}: same ids {row.same()}.\n")
        row.close()


def print_shortlists(setup):
    model = Listed(models.opus(setup.folder))
    print(f"## Tokens per second with a shortlist of about {FIRST + speed.PIECES * BEST} tokens per sentence\n")
    speed.print_rows(setup, model, ["int8"])
    print_check(setup, model)
