"""Writes a Marian model folder with random weights, of the size of Firefox's tiny students.

    python make_student_model.py OUT --vocabulary FILE.spm

6 encoder layers, 2 SSRU decoder layers, d 256, ffn 1536, 8 heads, tied embeddings; int8 matrices, each with
the multiplier of its activations (QuantMultA), and a binary lexical shortlist: the 50 first ids and 50 random
ones for each source id. The weights are random. The speed can thus be measured without a download. FILE.spm
is used as the vocabulary of both sides; Firefox's have 32,000 pieces.
"""

import argparse
import pathlib
import shutil
import struct

import numpy as np
import sentencepiece

D, FFN, HEADS, ENCODER, DECODER = 256, 1536, 8, 6, 2
FIRST, BEST = 50, 50  # target ids for every sentence, and for each source id
ALPHA = 32.0  # multiplier of activations, which are mostly within [-4, 4]
NEVER = -1e4  # bias of the end of a sentence: every engine writes the length that it is asked for
F32, INT8, BYTES = 0x404, 0x4101, 0x101

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
max-length-factor: 2.0
shortlist:
  - lex.50.50.bin
  - false
gemm-precision: int8shiftAlphaAll
"""


class Tensors:
    """The tensors of a model in Marian's binary format, as (name, type, shape, data)."""

    def __init__(self, seed):
        self.items, self.rng = [], np.random.default_rng(seed)

    def add(self, name, kind, shape, data):
        self.items.append((name.encode() + b"\0", kind, shape, data + bytes(-len(data) % 256)))

    def f32(self, name, values):
        self.add(name, F32, (1, len(values)), values.astype(np.float32).tobytes())

    def int8(self, name, shape, scale):
        """Random int8 values; for matmuls, Marian stores the transposed matrix."""
        multiplier = np.float32(127 / (4 * scale))
        values = np.clip(np.rint(self.rng.standard_normal(shape) * (127 / 4)), -127, 127)
        self.add(name, INT8, shape, values.astype(np.int8).tobytes() + multiplier.tobytes())

    def matrix(self, name, rows, columns, scale=1.0):
        self.int8(name, (rows, columns), scale * rows**-0.5)
        self.add(name + "_QuantMultA", F32, (1, 1), np.float32(ALPHA).tobytes())

    def linear(self, name, part, rows, columns, scale=1.0):
        self.matrix(f"{name}_W{part}", rows, columns, scale)
        self.f32(f"{name}_b{part}", 0.02 * self.rng.standard_normal(columns))

    # Random signs prevent a model with tied embeddings from repeating the last token.
    def norm(self, name):
        self.f32(name + "_ln_scale", (1 + 0.1 * self.rng.standard_normal(D)) * self.rng.choice([-1, 1], D))
        self.f32(name + "_ln_bias", 0.1 * self.rng.standard_normal(D))

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

    def write(self, path):
        head = struct.pack("<QQ", 1, len(self.items))
        head += b"".join(struct.pack("<QQQQ", len(n), k, len(s), len(d)) for n, k, s, d in self.items)
        head += b"".join(n for n, _, _, _ in self.items)
        head += b"".join(struct.pack(f"<{len(s)}i", *s) for _, _, s, _ in self.items)
        padding = -(len(head) + 8) % 256
        head += struct.pack("<Q", padding) + bytes(padding)
        path.write_bytes(head + b"".join(d for _, _, _, d in self.items))


def write_model(path, vocab, eos, seed):
    tensors = Tensors(seed)
    tensors.int8("Wemb", (vocab, D), D**-0.5)
    tensors.add("Wemb_QuantMultA", INT8, (1, 1), b"\x7f" + np.float32(127 / ALPHA).tobytes())
    bias = 0.5 * tensors.rng.standard_normal(vocab)
    bias[eos] = NEVER
    tensors.f32("decoder_ff_logit_out_b", bias)
    for n in range(1, ENCODER + 1):
        tensors.attention(f"encoder_l{n}_self")
        tensors.feed_forward(f"encoder_l{n}_ffn")
    for n in range(1, DECODER + 1):
        tensors.ssru(f"decoder_l{n}_rnn")
        tensors.attention(f"decoder_l{n}_context")
        tensors.feed_forward(f"decoder_l{n}_ffn")
    settings = SETTINGS.format(vocab=vocab).encode() + b"\0"
    tensors.add("special:model.yml", BYTES, (len(settings),), settings)
    tensors.write(path)


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
    write_model(args.out / "model.bin", vocab, pieces.eos_id(), args.seed)
    write_shortlist(args.out / "lex.50.50.bin", vocab, args.seed)
    (args.out / "decoder.yml").write_text(DECODER_YML)  # last: the folder is complete


if __name__ == "__main__":
    main()
