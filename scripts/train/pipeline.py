#!/usr/bin/env python3
"""Run all stages of the training, from the corpora to two scored models. Run it again after any interruption.

German-English is trained first and translates the German sentences, with which English-German is trained. This
translates the English sentences for German-English, which is trained once more and translates the German sentences
again for the second training of English-German. Each direction starts from the model of --start, grown to the
vocabulary and shape of the new one; English-German of --start translates the English sentences for the first round.

Each stage is a command in this folder. A stage whose result is in STATE is skipped, and an unfinished training run
resumes from its last saved state. STATE/pipeline.log lists the commands with their times. The pipeline stops at
the first command that fails.
"""

import argparse
import fcntl
import glob
import os
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Pipeline:
    def __init__(self, args):
        self.args, self.state = args, os.path.abspath(args.state)
        self.program = os.path.abspath(args.dragoman)

    def path(self, *parts):
        return os.path.join(self.state, *parts)

    def run(self, made, *command):
        """Run a command of this folder unless the file `made` is there."""
        if os.path.exists(made):
            return
        self.log("begin " + shlex.join(command))
        if self.args.dry_run:
            return
        began = time.time()
        done = subprocess.run([sys.executable, os.path.join(HERE, command[0] + ".py"), *command[1:]])
        self.log("end %s: status %d, %.0f s" % (command[0], done.returncode, time.time() - began))
        if done.returncode or not os.path.exists(made):
            raise SystemExit(done.returncode or 3)  # 3: left before the end, for example by SIGTERM

    def log(self, text):
        line = time.strftime("%Y-%m-%d %H:%M:%S ", time.gmtime()) + text
        print(line, flush=True)
        with open(self.path("pipeline.log"), "a", encoding="utf-8") as log:
            log.write(line + "\n")

    def mark(self, *parts):
        path = self.path(*parts)
        if not self.args.dry_run:
            open(path, "w").close()
        return path

    def prepare(self):
        args = self.args
        tokenizer = self.started("de-en") if args.start and not args.pieces else None
        self.run(self.path("data", "corpus.tsv"), "prepare", *args.corpora, "--mono", *args.mono,
                 "--mono-en", *args.mono_en, "--exclude", *args.exclude, "--out", self.path("data"),
                 *(["--tokenizer", os.path.join(tokenizer, "source.spm")] if tokenizer else []),
                 *(["--pieces", str(args.pieces)] if args.pieces else []))

    def start_model(self, direction):
        """The model with which a direction begins, a packed file or a folder."""
        start = os.path.join(self.args.start, direction)
        return start if os.path.exists(os.path.join(start, "config.json")) else os.path.join(start, "model.safetensors")

    def started(self, direction):
        """The folder of the model with which a direction begins; a packed file is unpacked."""
        model = self.start_model(direction)
        if os.path.isdir(model):
            return model
        folder = self.path(direction, "start")
        self.run(os.path.join(folder, "config.json"), os.path.join("..", "unpack_model"), model, folder)
        return folder

    def grown(self, direction, data):
        """The model of --start with the vocabulary and the shape of the new one, or None."""
        if not self.args.start:
            return None
        folder = self.path(direction, "grown")
        self.run(os.path.join(folder, "tokenizer_config.json"), "grow", self.started(direction), data, "--out", folder)
        return folder

    def encode(self, direction, folder, extra=()):
        """Encoded and aligned pairs with a lexicon in STATE/DIRECTION/FOLDER."""
        data = self.path(direction, folder)
        self.run(os.path.join(data, "pairs.npz"), "encode", self.path("data"), "--direction", direction, "--out", data, *extra)
        for name, mark in (("align", "aligned"), ("lexicon", "lexicon-added")):
            if not os.path.exists(os.path.join(data, mark)):
                self.log(name + " " + data)
                if not self.args.dry_run:
                    subprocess.run([sys.executable, os.path.join(HERE, name + ".py"), data], check=True)
                self.mark(data, mark)
        return data

    def train(self, direction, data, out, *options):
        folder = self.path(direction, out)
        common = ["--align", "0.1"] + shlex.split(self.args.train_options)
        self.run(os.path.join(folder, "done"), "train", data, "--out", folder, *common, *options)
        return folder

    def export(self, direction, data, run, name):
        """Write a float32 folder with int8-rounded weights, pack it, and score the packed file."""
        folder = self.path(direction, name)
        packed = folder + ".safetensors"
        if not os.path.exists(packed):
            self.run(os.path.join(folder, "tokenizer_config.json"), "export", data, os.path.join(run, "last.pt"), "--out", folder, "--int8",
                     "--length-penalty", str(self.args.length_penalty))
            self.log("pack " + packed)
            if not self.args.dry_run:
                subprocess.run([self.program, "pack", "-m", folder, "--int8", "-o", packed], check=True)
        self.run(folder + ".json", "evaluate", packed, "--prepared", self.path("data"), "--direction", direction,
                 "--dragoman", self.program, "--json", folder + ".json", "--output", folder + "-output")
        return packed

    def trained(self, direction, folder, number, steps, extra=(), start=None):
        """Train up to `steps`, decay the rate, train with int8 quantization, export. Each round continues the last.

        The first round starts from the model of --start, or from the weights in the folder `start`.
        """
        args = self.args
        data = self.encode(direction, folder, extra)
        if not os.path.exists(self.path(direction, "steps-%d" % steps)):
            done = self.path(direction, "run", "done")  # of a round with fewer steps
            if os.path.exists(done) and not args.dry_run:
                os.remove(done)
            start = self.grown(direction, data) or start
            self.train(direction, data, "run", "--steps", str(steps), *(["--init", start] if start else []))
            self.mark(direction, "steps-%d" % steps)
        state = self.path(direction, "run", "last.pt")
        decayed = self.train(direction, data, "decayed-%d" % number, "--state", state, "--decay", str(args.decay))
        last = os.path.join(decayed, "last.pt")
        used = self.train(direction, data, "quantized-%d" % number, "--state", last, "--decay", str(args.quantize), "--quantize",
                          "--rate", str(args.quantize_rate), "--average", "0.99")
        return self.export(direction, data, used, "model-%d" % number)

    def back_translate(self, model, language, name=""):
        """Options of encode.py with the pairs of the sentences of a language and their translations by the model."""
        out = self.path("back-translated-" + language + name)
        if os.path.exists(os.path.join(out, "complete")):  # made by gpu.py
            return ["--back-translated", *sorted(glob.glob(os.path.join(out, "part-*.tsv")))]
        mono, parts = self.path("data", "mono." + language), self.args.parts
        if os.path.exists(mono):
            with open(mono, "rb") as file:
                parts = min(parts, -(-sum(1 for _ in file) // 10000))
        self.run(os.path.join(out, "part-%04d.tsv" % (parts - 1)), "back_translate", model, mono, "--out", out, "--parts", str(parts),
                 "--dragoman", self.program)
        return ["--back-translated", *sorted(glob.glob(os.path.join(out, "part-*.tsv")))]

    def all(self):
        args = self.args
        self.prepare()
        first = []
        if args.start and args.mono_en:
            first = self.back_translate(self.start_model("en-de"), "en", "-start")
        reverse = self.trained("de-en", "data", 1, args.reverse_steps, first)
        back = self.back_translate(reverse, "de")
        # Without --start, the other direction helps: its layers and its vocabulary are a better beginning than nothing.
        forward = self.trained("en-de", "data", 1, args.steps, back, self.path("de-en", "model-1"))
        if args.mono_en:
            reverse = self.trained("de-en", "data-2", 2, args.more_reverse_steps, self.back_translate(forward, "en"))
        else:
            reverse = self.trained("de-en", "data", 2, args.more_reverse_steps)
        self.trained("en-de", "data-2", 2, args.more_steps, self.back_translate(reverse, "de", "-2"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("state", help="folder for all output")
    parser.add_argument("--corpora", nargs="+", required=True, help="tab-separated English, German, source")
    parser.add_argument("--mono", nargs="+", required=True, help="German sentences")
    parser.add_argument("--mono-en", nargs="*", default=[], help="English sentences")
    parser.add_argument("--start", metavar="FOLDER", help="folder with de-en and en-de, each a packed file or a model folder, to begin with")
    parser.add_argument("--pieces", type=int, help="train a tokenizer with so many pieces (default: that of --start's de-en, or 11,999)")
    parser.add_argument("--exclude", nargs="*", default=[], help="test sets")
    parser.add_argument("--dragoman", default=os.path.join(HERE, "..", "..", "dragoman"), metavar="PROGRAM")
    parser.add_argument("--reverse-steps", type=int, default=6000, help="steps of German-English before back-translation")
    parser.add_argument("--steps", type=int, default=16000, help="steps of English-German")
    parser.add_argument("--more-reverse-steps", type=int, default=20000)
    parser.add_argument("--more-steps", type=int, default=40000)
    parser.add_argument("--decay", type=int, default=1000, help="steps in which the rate decays")
    parser.add_argument("--quantize", type=int, default=300, help="steps with int8 quantization")
    parser.add_argument("--quantize-rate", type=float, default=3e-4)
    parser.add_argument("--length-penalty", type=float, default=1.5, help="length penalty of the exported models (default %(default)s)")
    parser.add_argument("--parts", type=int, default=40, help="parts of 10,000 sentences of each language to translate back")
    parser.add_argument("--train-options", default="", help="more options for each train.py, as one argument")
    parser.add_argument("--dry-run", action="store_true", help="print the commands without running them")
    args = parser.parse_args()

    os.makedirs(args.state, exist_ok=True)
    with open(os.path.join(args.state, "lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit("%s: another pipeline is running in this folder" % args.state)
        Pipeline(args).all()


if __name__ == "__main__":
    sys.exit(main())
