"""The models that are measured. They are made or converted once, in build/bench."""

import functools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import marian_files

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BYTES = {"int8": 1, "f32": 4}  # per weight


class Model:
    """One model in the format of each engine. folder: Hugging Face's format; peers: those that can run it, in the
    order of the tables; repeat: how many times as many sentences, one at a time, a round has, because the
    model is fast; job: CTranslate2's options per job."""

    peers = ("transformers", "pymarian", "ctranslate2")
    repeat = 1
    job = {}

    def __init__(self, folder, converted):
        self.folder = pathlib.Path(folder)
        self.converted = pathlib.Path(converted)
        self.vocab = self.folder / "vocab.json"

    def dragoman(self, program, precision):
        """dragoman's options for the model: the folder itself in f32, else a packed file."""
        if precision == "f32":
            return {"model": self.folder, "precision": "f32"}
        return {"model": pack(program, self.folder, self.converted / f"{self.folder.name}-{precision}.safetensors")}

    def ctranslate2(self, precision):
        """The settings of the peer, whose folder CTranslate2's own converter writes."""
        out = self.converted / f"{self.folder.name}-ct2-{precision}"
        if not (out / "model.bin").exists():
            command = [sys.executable, "-m", "ctranslate2.converters.transformers", "--model", self.folder]
            command += ["--output_dir", out, "--quantization", {"int8": "int8", "f32": "float32"}[precision]]
            make(command, out)
        return {"model": str(out), "compute": {"int8": "int8", "f32": "float32"}[precision]}

    def pymarian(self, precision):
        """A list of settings of which the fastest counts."""
        out = self.converted / f"{self.folder.name}-marian.bin"
        if not out.exists():
            marian_files.convert_opus(self.folder, out)
        return [{"model": str(out), "vocab": str(self.vocab), "quantize": precision == "int8"}]

    def transformers(self, precision):
        return {"model": str(self.folder)}

    def config(self):
        return json.loads((self.folder / "config.json").read_text())

    def weights(self):
        """The number of weights used for each target token in each step, and once for each source token."""
        config = self.config()
        d, layers, deep = config["d_model"], config["decoder_layers"], config["encoder_layers"]
        step = layers * (6 * d * d + 2 * d * config["decoder_ffn_dim"]) + d * config["vocab_size"]
        source = deep * (4 * d * d + 2 * d * config["encoder_ffn_dim"]) + layers * 2 * d * d
        return step, source

    def plain_pieces(self):
        return sorted(piece for piece in json.loads(self.vocab.read_text()) if re.fullmatch("▁?[a-z]+", piece))

    def random_sentences(self, count, pieces):
        plain, rng = self.plain_pieces(), random.Random(7)
        return [rng.choices(plain, k=pieces) for _ in range(count)]


def make(command, out):
    """Runs a command that writes `out`. What an interrupted run has left of it is removed first."""
    print(f"bench: making {out}", file=sys.stderr)
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nbench: exit code {done.returncode} from {' '.join(map(str, command))}")


@functools.cache
def pack(program, folder, out):
    """Packs the model once per run, because the format may have changed since the last one."""
    make([program, "pack", "--model", folder, "--int8", "--output", out], out)
    return out


def opus(folder):
    """A model with random weights in the shapes of OPUS-MT."""
    out = folder / "opus-size"
    if not (out / "config.json").exists():
        tokenizer = pathlib.Path(os.environ.get("GOLDEN_ROOT", ROOT / "build/golden")) / "tokenizers/opus-mt-fr-en"
        make([sys.executable, HERE / "make_opus_model.py", out, "--tokenizer", tokenizer], out)
    return Model(out, folder)


@functools.cache
def shipped(folder):
    """The English-German model that comes with dragoman, as a folder that other programs can load."""
    out = folder / "en-de"
    make([sys.executable, ROOT / "scripts/unpack_model.py", ROOT / "models/en-de/model.safetensors", out], out)
    return Model(out, folder)
