"""The timetable of a run on a GPU, for gpu.py.

  1. Encode both directions and align the pairs.
  2. Train both directions on the pairs at a constant rate, de-en for a little longer.
  3. Translate the English sentences with en-de; train de-en on everything, with decaying rate and int8 weights at last.
  4. Translate the German sentences with de-en, which is better now; train en-de on everything in the same way.
"""

import concurrent.futures
import lzma
import multiprocessing
import os
import subprocess
import sys
import time

import sentencepiece
import torch

import gpu_decode
import gpu_files
from gpu_trainer import Feeder, Trainer, load_int8, save_int8
from model import Shape
from prepare import BACK_TRANSLATED

HERE = os.path.dirname(os.path.abspath(__file__))
DIRECTIONS = ("de-en", "en-de")
SHAPES = {"de-en": dict(d=320, heads=5, encoder_ffn=1280), "en-de": dict(d=320, heads=5, encoder_ffn=1664)}  # as shipped
# Shares of the time that is left at the beginning of step 2; the rest is for translating and writing.
FIRST = {"de-en": 0.14, "en-de": 0.10}
SECOND = {"de-en": 0.31, "en-de": 0.37}
CONSTANT = 0.4  # share of the second training before the rate falls
QUANTIZE = 0.88  # share after which the weights are rounded to int8


class Timetable:
    def __init__(self, args):
        self.begin, self.args = time.monotonic(), args
        self.end = self.begin + args.seconds
        os.makedirs(args.out, exist_ok=True)
        os.makedirs(args.work, exist_ok=True)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if args.trial:
            args.tokens, args.feeders, args.warmup = min(args.tokens, 800), 1, 5
            torch.set_num_threads(1)
        self.trainers, self.feeders = {}, {}

    def log(self, text):
        line = "%6.1f s  %s" % (time.monotonic() - self.begin, text)
        print(line, flush=True)
        with open(os.path.join(self.args.out, "log.txt"), "a") as log:
            log.write(line + "\n")

    def path(self, *parts):
        return os.path.join(self.args.work, *parts)

    # 1. Encoding.

    def script(self, name, *options):
        """Start a script of this folder."""
        with open(self.path(name + ".log"), "a") as log:
            return subprocess.Popen([sys.executable, os.path.join(HERE, name + ".py"), *options], stdout=log, stderr=log)

    def encode(self):
        """Encode the pairs of both directions unless an earlier run has done it."""
        if os.path.exists(self.path("encoded")):
            return
        os.makedirs(self.path("data"), exist_ok=True)
        with multiprocessing.get_context("fork").Pool(gpu_files.CHUNKS) as pool:
            gpu_files.unpack(self.args.folder, self.path("data"), pool, 2000 if self.args.trial else None)
        self.log("unpacked")
        scripts = [self.script("encode", self.path("data"), "--direction", direction, "--out", self.path(direction), "--seed", "2",
                               "--synthetic", "400" if self.args.trial else "80000") for direction in DIRECTIONS]
        if any([script.wait() for script in scripts]):
            with open(self.path("encode.log")) as log:
                raise SystemExit(log.read())
        open(self.path("encoded"), "w").close()
        self.log("encoded")

    def align(self):
        """Start aligning both directions; the second training of each uses the links if they are ready."""
        for direction in DIRECTIONS:
            done = self.path(direction, "aligned")
            if not os.path.exists(done):
                # align.py replaces pairs.npz; feeders that have read it go on with what they have.
                command = '"$0" "$1" "$2" --pairs "$3" --rounds 3 && touch "$4"'
                with open(self.path("align.log"), "a") as log:
                    subprocess.Popen(["sh", "-c", command, sys.executable, os.path.join(HERE, "align.py"), self.path(direction),
                                      "500" if self.args.trial else "150000", done], stdout=log, stderr=log)

    # 2. Training on pairs.

    def start_models(self, vocab):
        for direction in DIRECTIONS:
            weights, shape = None, Shape(vocab, **SHAPES[direction])
            path = os.path.join(self.args.folder, "start-" + direction)
            if self.args.trial:
                shape = Shape(vocab, d=64, heads=1, encoder=2, encoder_ffn=128, decoder_ffn=128)
            elif os.path.exists(path):
                weights, shape = load_int8(path)
            self.trainers[direction] = Trainer(shape, weights, self.device, self.args)
            self.log("%s: %.1f million parameters, %s" % (
                direction, self.trainers[direction].layout.size / 1e6, "trained before" if weights else "new"))

    def feeder(self, direction, name, seed):
        """Let other processes make batches of a file. The batches of the earlier file are used until the first is ready."""
        feeder = Feeder(self.path(direction, name), self.trainers[direction].shape, self.args.tokens, self.args.feeders,
                        self.device, seed)
        if direction in self.feeders:
            self.feeders[direction].next = feeder
        else:
            self.feeders[direction] = feeder

    def train(self, direction, seconds, decays):
        trainer, rate = self.trainers[direction], self.args.rate
        write = lambda: self.write(direction)

        def falling(share):
            return rate * (1 - max(0.0, (share - CONSTANT) / (1 - CONSTANT)) ** 0.5)

        self.log("%s: training for %.0f s" % (direction, seconds))
        trainer.train(self.feeders[direction], time.monotonic() + seconds, falling if decays else lambda share: rate,
                      lambda text: self.log(direction + ": " + text), QUANTIZE if decays else 2.0, write)
        self.write(direction)
        self.log("%s: step %d, %.1f million tokens, held-out %s" % (
            direction, trainer.steps, trainer.tokens / 1e6, trainer.evaluate(self.path(direction, "dev.npz"))))

    def write(self, direction):
        trainer = self.trainers[direction]
        save_int8(os.path.join(self.args.out, direction + ".int8"), trainer.weights(), trainer.shape)

    # 3 and 4. Back-translation, and training on everything.

    def encode_mono(self, language):
        """Returns the sentences of a language and their ids."""
        with open(self.path("data", "mono." + language), encoding="utf-8") as file:
            sentences = file.read().split("\n")[:-1]
        return sentences, self.tokenizer.encode(sentences)

    def back_translate(self, language, seconds):
        """Translate the sentences of a language; a thread adds the pairs to those of the direction into it."""
        trainer = self.trainers["en-de" if language == "en" else "de-en"]
        sentences, sources = self.mono[language].result()
        order = [i for i, ids in enumerate(sources) if len(ids) <= 100]
        if self.args.prepare or self.args.trial:
            order = order[:500]
        began = time.monotonic()
        with trainer.averaged():
            translations = gpu_decode.translate(trainer.model, [sources[i] for i in order],
                                                120000 if self.device.type == "cuda" else 2000, began + seconds, time.monotonic)
        done = [(sentences[i], ids) for i, ids in zip(order, translations) if ids is not None]
        self.log("%s: %d of %d sentences translated in %.1f s" % (language, len(done), len(order), time.monotonic() - began))
        self.writing.append(self.threads.submit(self.add, language, done))

    def add(self, language, done):
        """Add (sentence, ids of its translation) to the pairs of the direction into the language; a thread."""
        direction = "de-en" if language == "en" else "en-de"
        parts = [done[begin : begin + 5000] for begin in range(0, len(done), 5000)]
        parts = [(self.path("data", "spm.model"), *map(list, zip(*part))) for part in parts]
        rows = [row for part in self.pool.map(gpu_files.translated_back, parts) for row in part]
        self.log("%s: %d pairs translated back" % (direction, len(rows)))
        for row in rows[:3]:
            self.log("  %s <- %s" % row[:2])
        if rows:
            gpu_files.add_back_translated(self.path(direction, "pairs.npz"), rows, self.tokenizer.piece_to_id(BACK_TRANSLATED),
                                          self.path(direction, "all.npz"))
            self.feeder(direction, "all.npz", 2)
            self.write_text("back-translated-%s.xz" % language, "".join("%s\t%s\n" % row[:2] for row in rows))

    def write_text(self, name, text):
        """Write text in less than 16 MiB."""
        while True:
            content = lzma.compress(text.encode(), preset=6)
            if len(content) < 16 * 2**20:
                break
            text = text[: text.rfind("\n", 0, len(text) * 15 * 2**20 // len(content)) + 1]
        path = os.path.join(self.args.out, name)
        with open(path + ".new", "wb") as out:
            out.write(content)
        os.replace(path + ".new", path)

    def all(self):
        torch.manual_seed(1)
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape
        self.log("torch %s, %s, %d CPUs" % (torch.__version__, torch.cuda.get_device_name() if self.device.type == "cuda" else "CPU",
                                            os.cpu_count()))
        self.encode()
        self.align()
        self.tokenizer = sentencepiece.SentencePieceProcessor(model_file=self.path("data", "spm.model"))
        self.start_models(self.tokenizer.get_piece_size() + 1)
        for direction in DIRECTIONS:
            self.feeder(direction, "pairs.npz", 1)
        self.pool = concurrent.futures.ProcessPoolExecutor(2 if self.args.trial else 10, multiprocessing.get_context("spawn"))
        self.threads, self.writing = concurrent.futures.ThreadPoolExecutor(3), []
        self.mono = {language: self.threads.submit(self.encode_mono, language) for language in ("en", "de")}
        left = self.end - time.monotonic() - 12  # the last seconds are for writing
        if self.args.prepare:
            left = min(left, 40)
        for direction in DIRECTIONS:
            self.train(direction, FIRST[direction] * left, False)
        self.back_translate("en", 0.03 * left)
        self.train("de-en", SECOND["de-en"] * left, True)
        self.back_translate("de", 0.04 * left)
        # Whatever time is left is for the default direction.
        self.train("en-de", min(SECOND["en-de"] * left, 20) if self.args.prepare else max(5.0, self.end - time.monotonic() - 8), True)
        concurrent.futures.wait(self.writing, timeout=max(1, self.end - time.monotonic()))
        for future in self.writing:
            if future.done() and future.exception():
                self.log("failed: %r" % future.exception())
        if self.args.prepare:
            while not all(os.path.exists(self.path(direction, "aligned")) for direction in DIRECTIONS):
                if time.monotonic() > self.end:
                    break
                time.sleep(1)
        self.log("end; aligned: %s" % [os.path.exists(self.path(direction, "aligned")) for direction in DIRECTIONS])
        for name in sorted(os.listdir(self.args.out)):
            self.log("%s: %.2f MiB" % (name, os.path.getsize(os.path.join(self.args.out, name)) / 2**20))
        for process in multiprocessing.active_children():
            process.kill()
        os._exit(0)  # waits for no thread
