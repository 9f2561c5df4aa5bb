"""Writes a Marian model folder with random weights, of the size of Firefox's tiny students.

    python make_student_model.py OUT --vocabulary FILE.spm

6 encoder layers, 2 SSRU decoder layers, d 256, ffn 1536, 8 heads, tied embeddings; int8 matrices, each with
the multiplier of its activations (QuantMultA), and a binary lexical shortlist: the 50 first ids and 50 random
ones for each source id. The weights are random. The speed can thus be measured without a download. FILE.spm
is used as the vocabulary of both sides; Firefox's have 32,000 pieces.

OUT/marian-int8.bin, OUT/marian-f32.bin and OUT/vocab.json are the same model and vocabulary for Marian itself.
"""

import argparse
import json
import pathlib
import shutil
import struct

import numpy as np
import sentencepiece

import marian_files

D, FFN, HEADS, ENCODER, DECODER = 256, 1536, 8, 6, 2
FIRST, BEST = 50, 50  # target ids for every sentence, and for each source id
ALPHA = 32.0  # multiplier of activations, which are mostly within [-4, 4]

SETTINGS = f"""\
dec-cell: ssru
dec-depth: {DECODER}
dim-emb: {D}
dim-vocabs:
  - {{vocab}}
  - {{vocab}}
enc-depth: {ENCODER}
lemma-dim-emb: 0
output-omit-bias: false
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-decoder-autoreg: rnn
transformer-dim-ffn: {FFN}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-heads: {HEADS}
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
version: v1.9.56
"""

DECODER_YML = """\
relative-paths: true
models:
  - model.bin
vocabs:
  - vocab.spm
  - vocab.spm
beam-size: 1
normalize: 0
word-penalty: 0
max-length-factor: 3.0
shortlist:
  - lex.50.50.bin
  - false
gemm-precision: int8shiftAlphaAll
"""


class Student:
    """The same random weights in the format of Firefox's models, and in Marian's own in int8, which has no multipliers
    of activations and no int8 embeddings, and in f32."""

    def __init__(self, seed):
        self.firefox, self.int8, self.f32 = (marian_files.Writer() for _ in range(3))
        self.rng = np.random.default_rng(seed)

    def vector(self, name, values):
        for writer in (self.firefox, self.int8, self.f32):
            writer.f32(name, values)

    def multiplier_of_activations(self, name):
        self.firefox.f32(name + "_QuantMultA", ALPHA)

    def random(self, shape, scale):
        """Random int8 values, and their multiplier."""
        values = np.clip(np.rint(self.rng.standard_normal(shape) * (127 / 4)), -127, 127)
        return values, np.float32(127 / (4 * scale))

    def embeddings(self, vocab):
        values, multiplier = self.random((vocab, D), D**-0.5)
        self.firefox.int8("Wemb", (vocab, D), values, multiplier, marian_files.FIREFOX_INT8)
        self.firefox.int8("Wemb_QuantMultA", (1, 1), np.int8(127), 127 / ALPHA, marian_files.FIREFOX_INT8)
        self.multiplier_of_activations("none")  # of the output layer
        for writer in (self.int8, self.f32):
            writer.f32("Wemb", values / multiplier)

    def matrix(self, name, rows, columns, scale=1.0):
        values, multiplier = self.random((columns, rows), scale * rows**-0.5)
        self.firefox.int8(name, (rows, columns), values, multiplier, marian_files.FIREFOX_INT8)
        self.multiplier_of_activations(name)
        self.int8.int8(name, (rows, columns), values, multiplier, marian_files.INT8)
        self.f32.f32(name, values.T / multiplier)

    def linear(self, name, part, rows, columns, scale=1.0):
        self.matrix(f"{name}_W{part}", rows, columns, scale)
        self.vector(f"{name}_b{part}", 0.02 * self.rng.standard_normal(columns))

    # Random signs prevent a model with tied embeddings from repeating the last token.
    def norm(self, name):
        self.vector(name + "_ln_scale", (1 + 0.1 * self.rng.standard_normal(D)) * self.rng.choice([-1, 1], D))
        self.vector(name + "_ln_bias", 0.1 * self.rng.standard_normal(D))

    def attention(self, name):
        for part in "qkv":
            self.linear(name, part, D, D)
        self.linear(name, "o", D, D, 0.4)
        self.norm(name + "_Wo")

    def feed_forward(self, name):
        self.linear(name, 1, D, FFN)
        self.linear(name, 2, FFN, D, 0.4)
        self.norm(name + "_ffn")

    def ssru(self, name):
        self.matrix(name + "_W", D, D)
        self.linear(name, "f", D, D)
        self.norm(name + "_ffn")


def write_model(folder, vocab, eos, seed):
    student = Student(seed)
    student.embeddings(vocab)
    bias = 0.5 * student.rng.standard_normal(vocab)
    bias[eos] = marian_files.NEVER
    student.vector("decoder_ff_logit_out_b", bias)
    for n in range(1, ENCODER + 1):
        student.attention(f"encoder_l{n}_self")
        student.feed_forward(f"encoder_l{n}_ffn")
    for n in range(1, DECODER + 1):
        student.ssru(f"decoder_l{n}_rnn")
        student.attention(f"decoder_l{n}_context")
        student.feed_forward(f"decoder_l{n}_ffn")
    for name, writer in (("model", student.firefox), ("marian-int8", student.int8), ("marian-f32", student.f32)):
        writer.settings(SETTINGS.format(vocab=vocab))
        writer.write(folder / f"{name}.bin")


def write_shortlist(path, vocab, seed):
    rng = np.random.default_rng(seed)
    lists = [np.sort(rng.choice(vocab, BEST, replace=False)) for _ in range(vocab)]
    words = np.concatenate([np.arange(vocab + 1, dtype="<u8") * BEST])
    body = struct.pack("<QQQQ", FIRST, BEST, vocab + 1, vocab * BEST)
    body += words.tobytes() + np.concatenate(lists).astype("<u4").tobytes()
    path.write_bytes(struct.pack("<QQ", 0xF11A48D5013417F5, checksum(body)) + body)


def checksum(data):
    """Marian's hash of all words after the checksum itself."""
    total, mask = 0, (1 << 64) - 1
    for word in np.frombuffer(data, "<u8").tolist():
        total ^= (word + 0x9E3779B9 + (total << 6) + (total >> 2)) & mask
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(args.vocabulary))
    vocab = pieces.vocab_size()
    args.out.mkdir(parents=True, exist_ok=True)
    shutil.copy(args.vocabulary, args.out / "vocab.spm")
    ids = {pieces.id_to_piece(i): i for i in range(vocab)}
    (args.out / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False))
    write_model(args.out, vocab, pieces.eos_id(), args.seed)
    write_shortlist(args.out / "lex.50.50.bin", vocab, args.seed)
    (args.out / "decoder.yml").write_text(DECODER_YML)  # last: the folder is complete


if __name__ == "__main__":
    main()
