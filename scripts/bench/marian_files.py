"""Writes models in Marian's binary format, with weights in f32 or int8."""

import json
import struct

import numpy as np

F32, BYTES = 0x404, 0x101
FIREFOX_INT8, INT8 = 0x4101, 0x10001  # of the fork that trains Firefox's models, and of Marian itself
NEVER = -1e4  # bias of a token that must not be written: without an end, every engine writes the length it is asked for

OPUS = """\
dec-cell: gru
dec-depth: {decoder_layers}
dim-emb: {d_model}
dim-vocabs: [{vocab_size}, {vocab_size}]
enc-depth: {encoder_layers}
lemma-dim-emb: 0
output-omit-bias: false
tied-embeddings-all: true
transformer-decoder-autoreg: self-attention
transformer-dim-ffn: {encoder_ffn_dim}
transformer-ffn-activation: {activation_function}
transformer-ffn-depth: 2
transformer-heads: {encoder_attention_heads}
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-train-position-embeddings: false
type: transformer
version: v1.10.0
"""


class Writer:
    """The tensors of a model, as (name, type, shape, data)."""

    def __init__(self):
        self.items = []

    def add(self, name, kind, shape, data):
        self.items.append((name.encode() + b"\0", kind, shape, data + bytes(-len(data) % 256)))

    def f32(self, name, values):
        """A matrix, or a vector, which Marian stores as a row."""
        values = np.atleast_2d(values).astype(np.float32)
        self.add(name, F32, values.shape, values.tobytes())

    def int8(self, name, shape, values, multiplier, kind):
        """Marian stores the transposed matrix of a matmul; `shape` is that of the matrix itself."""
        self.add(name, kind, shape, values.astype(np.int8).tobytes() + np.float32(multiplier).tobytes())

    def settings(self, text):
        self.add("special:model.yml", BYTES, (len(text) + 1,), text.encode() + b"\0")

    def write(self, path):
        head = struct.pack("<QQ", 1, len(self.items))
        head += b"".join(struct.pack("<QQQQ", len(n), k, len(s), len(d)) for n, k, s, d in self.items)
        head += b"".join(n for n, _, _, _ in self.items)
        head += b"".join(struct.pack(f"<{len(s)}i", *s) for _, _, s, _ in self.items)
        padding = -(len(head) + 8) % 256
        head += struct.pack("<Q", padding) + bytes(padding)
        part = path.with_suffix(".part")
        part.write_bytes(head + b"".join(d for _, _, _, d in self.items))
        part.rename(path)


def marian_name(name):
    """model.encoder.layers.0.self_attn.q_proj.weight: encoder_l1_self_Wq."""
    _, stack, _, layer, *parts = name.split(".")
    kind = "W" if parts[-1] == "weight" else "b"
    norm = {"weight": "ln_scale", "bias": "ln_bias"}[parts[-1]]
    names = {"fc1": f"ffn_{kind}1", "fc2": f"ffn_{kind}2", "final_layer_norm": f"ffn_ffn_{norm}"}
    for theirs, ours in (("self_attn", "self"), ("encoder_attn", "context")):
        names |= {f"{theirs}.{part}_proj": f"{ours}_{kind}{part[0]}" for part in ("q", "k", "v", "out")}
        names[f"{theirs}_layer_norm"] = f"{ours}_Wo_{norm}"
    return f"{stack}_l{int(layer) + 1}_{names['.'.join(parts[:-1])]}"


def convert_opus(folder, path):
    """Writes the model of a Hugging Face folder to `path`, in f32.

    Marian has no minimum length, so the converted model never ends a sentence; the limit of the length does.
    """
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_text())
    weights, writer = load_file(folder / "model.safetensors"), Writer()
    bias = weights.pop("final_logits_bias")[0].copy()
    bias[[config["eos_token_id"], config["pad_token_id"]]] = NEVER
    writer.f32("decoder_ff_logit_out_b", bias)
    writer.f32("Wemb", weights.pop("model.shared.weight"))
    for name, values in weights.items():
        writer.f32(marian_name(name), values.T)
    writer.settings(OPUS.format(**config))
    writer.write(path)
