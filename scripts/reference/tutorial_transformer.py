"""The Transformer of the tutorials in plain PyTorch, with weights in a dictionary.

Written after the Annotated Transformer and similar tutorials, for the references
of make_transformer_goldens.py: it computes the whole sequence in every step, with
masks and without caches. `c` is a dictionary with every setting of config.json
(docs/tutorial-models.md); weights have dragoman's own names, such as
"encoder.layers.0.self.query.weight". Batches are padded; masks hide padding.
"""

import math

import numpy as np
import torch
from torch.nn import functional as F

# The defaults of each preset.
COMMON = {
    "norm": "post", "layer_norm": "standard", "layer_norm_eps": 1e-5, "final_norm": False, "embedding_norm": False,
    "position_encoding": "interleaved", "activation": "relu", "scale_embedding": True, "softmax_temperature": 1.0,
    "bias": True, "tie": [], "source_start": True, "source_end": True, "attention_score": {},
}  # fmt: skip
PRESETS = {
    "annotated": {"norm": "pre", "layer_norm": "std", "layer_norm_eps": 1e-6, "final_norm": True, "max_positions": 5000},
    "q_linear": {"norm": "pre", "layer_norm": "std", "layer_norm_eps": 1e-6, "final_norm": True, "max_positions": 200,
                 "position_encoding": "two_exponent"},
    "nn.Transformer": {"final_norm": True, "max_positions": 5000},
    "fc_q": {"position_encoding": "learned", "max_positions": 100},
    "w_concat": {"layer_norm_eps": 1e-12, "scale_embedding": False, "max_positions": 256},
    "w_qs": {"layer_norm_eps": 1e-6, "scale_embedding": False, "embedding_norm": True, "max_positions": 200,
             "bias": {"attention": False, "ffn": True, "output": False}},
}  # fmt: skip


def resolve(written):
    """Returns config.json with all defaults filled in."""
    c = {**COMMON, **PRESETS[written.get("names", "annotated")], **written}
    if "layers" in c:
        c["encoder_layers"] = c["decoder_layers"] = c["layers"]
    c.setdefault("encoder_heads", c.get("heads"))
    c.setdefault("decoder_heads", c.get("heads"))
    c.setdefault("encoder_ffn", c.get("ffn"))
    c.setdefault("decoder_ffn", c.get("ffn"))
    c.setdefault("source_vocab_size", c.get("vocab_size"))
    c.setdefault("target_vocab_size", c.get("vocab_size"))
    c.setdefault("source_start_id", c["start_id"])
    c.setdefault("source_end_id", c["end_id"])
    return c


def position_table(kind, count, d):
    """[count, d]"""
    table = np.zeros((count, d))
    p = np.arange(count)[:, None]
    if kind == "interleaved":
        for i in range(0, d, 2):
            wave = p[:, 0] / 10000 ** (i / d)
            table[:, i] = np.sin(wave)
            table[:, i + 1 : i + 2] = np.cos(wave)[:, None]
    elif kind == "two_exponent":
        for i in range(0, d, 2):
            table[:, i] = np.sin(p[:, 0] / 10000 ** (2 * i / d))
            if i + 1 < d:
                table[:, i + 1] = np.cos(p[:, 0] / 10000 ** (2 * (i + 1) / d))
    elif kind == "concatenated":  # Tensor2Tensor's get_timing_signal_1d
        half = d // 2
        waves = np.exp(-np.arange(half) * math.log(10000.0) / max(half - 1, 1))
        table[:, :half], table[:, half : 2 * half] = np.sin(p * waves), np.cos(p * waves)
    elif kind == "halves":
        half = (d + 1) // 2
        waves = 10000.0 ** -(2 * np.arange(half) / d)
        table[:, :half], table[:, half:] = np.sin(p * waves), np.cos(p * waves)[:, : d - half]
    return torch.tensor(table, dtype=torch.float32)


def positions(c, w, side, length):
    name = side + "_positions"
    if c["position_encoding"] == "none":
        return 0.0
    if c["position_encoding"] in ("stored", "learned"):
        return w[name].reshape(-1, c["d_model"])[:length]
    return position_table(c["position_encoding"], length, c["d_model"])


def linear(w, name, x):
    return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))


def norm(c, w, name, x):
    scale, shift = w[name + ".weight"], w.get(name + ".bias", 0.0)
    if c["layer_norm"] == "standard":
        return F.layer_norm(x, x.shape[-1:], scale, None, c["layer_norm_eps"]) + shift
    return scale * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + c["layer_norm_eps"]) + shift


def raw_scores(function, w, name, q, k):
    """Returns scores [B, H, queries, keys] of q [B, H, queries, d_k] and k [B, H, keys, d_k].
    The weights are shared by the heads or have them as first dimension."""
    if function in ("scaled_dot", "dot"):
        return q @ k.transpose(-1, -2) / (math.sqrt(q.shape[-1]) if function == "scaled_dot" else 1.0)
    weight = w[name + ".score.w"]
    if function == "general":
        return q @ weight @ k.transpose(-1, -2)
    if function == "location":
        return q @ weight[..., : k.shape[-2], :].transpose(-1, -2)
    size, v = q.shape[-1], w[name + ".score.v"]
    of_q = q @ weight[..., :size].transpose(-1, -2)
    of_k = k @ weight[..., size:].transpose(-1, -2)
    mixed = torch.tanh(of_q[..., :, None, :] + of_k[..., None, :, :])
    return (mixed * (v[:, None, None, :] if v.dim() == 2 else v)).sum(-1)


def attention_weights(setting, w, name, q, k, visible):
    """Returns the softmax of the scores; visible is [B, 1, queries, keys]. A query at
    t attends to a window around p; count is the number of keys that it sees."""
    scores = raw_scores(setting.get("function", "scaled_dot"), w, name, q, k)
    window, width = setting.get("window", "global"), setting.get("width")
    count = visible.sum(-1, keepdim=True)
    j = torch.arange(k.shape[-2])
    gauss = 1.0
    if window == "local-m":
        t = torch.arange(q.shape[-2])[:, None]
        visible = visible & ((j - torch.minimum(t, count - 1)).abs() <= width)
    elif window == "local-p":
        wp, vp = w[name + ".score.wp"], w[name + ".score.vp"]
        hidden = torch.tanh(q @ wp.transpose(-1, -2))
        p = count * torch.sigmoid((hidden * (vp[:, None, :] if vp.dim() == 2 else vp)).sum(-1, keepdim=True))
        visible = visible & ((j - p).abs() <= width)
        gauss = torch.exp(-((j - p) ** 2) / (2 * (width / 2) ** 2))
    return torch.softmax(scores.masked_fill(~visible, -math.inf), -1) * gauss


def attention(c, w, name, kind, x, memory, visible):
    heads = c["encoder_heads"] if kind == "encoder" else c["decoder_heads"]
    split = lambda y: y.unflatten(-1, (heads, -1)).transpose(1, 2)  # noqa: E731
    q, k, v = (split(linear(w, f"{name}.{part}", y)) for part, y in
               (("query", x), ("key", memory), ("value", memory)))  # fmt: skip
    setting = c["attention_score"].get(kind, {})
    setting = {"function": setting} if isinstance(setting, str) else setting
    out = attention_weights(setting, w, name, q, k, visible) @ v
    return linear(w, name + ".output", out.transpose(1, 2).flatten(2))


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu, "tanh": torch.tanh,
               "gelu_new": lambda x: F.gelu(x, approximate="tanh"), "leaky_relu": F.leaky_relu}  # fmt: skip


def sublayer(c, w, name, x, function):
    if c["norm"] == "pre":
        return x + function(norm(c, w, name + ".norm", x))
    return norm(c, w, name + ".norm", x + function(x))


def feed_forward(c, w, name, x):
    return linear(w, name + ".out", ACTIVATIONS[c["activation"]](linear(w, name + ".in", x)))


def embed(c, w, side, stack, ids):
    x = w[side + "_embedding.weight"][ids] * (math.sqrt(c["d_model"]) if c["scale_embedding"] else 1.0)
    x = x + positions(c, w, side, ids.shape[1])
    return norm(c, w, stack + ".embedding_norm", x) if c["embedding_norm"] else x


def encode(c, w, ids, real):
    """Returns [B, length, d] for ids [B, length]; real [B, length] is false for padding."""
    x = embed(c, w, "source", "encoder", ids)
    visible = real[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
    for i in range(c["encoder_layers"]):
        name = f"encoder.layers.{i}"
        x = sublayer(c, w, name + ".self", x, lambda y: attention(c, w, name + ".self", "encoder", y, y, visible))
        x = sublayer(c, w, name + ".ffn", x, lambda y: feed_forward(c, w, name + ".ffn", y))
    return norm(c, w, "encoder.norm", x) if c["final_norm"] else x


def decode(c, w, memory, real, ids):
    """Returns logits [B, length, vocab] for ids [B, length]."""
    length = ids.shape[1]
    x = embed(c, w, "target", "decoder", ids)
    seen = torch.ones(length, length, dtype=torch.bool).tril().expand(ids.shape[0], 1, -1, -1)
    source = real[:, None, None, :].expand(-1, 1, length, -1)
    for i in range(c["decoder_layers"]):
        name = f"decoder.layers.{i}"
        x = sublayer(c, w, name + ".self", x, lambda y: attention(c, w, name + ".self", "decoder", y, y, seen))
        x = sublayer(c, w, name + ".cross", x,
                     lambda y: attention(c, w, name + ".cross", "cross", y, memory, source))  # fmt: skip
        x = sublayer(c, w, name + ".ffn", x, lambda y: feed_forward(c, w, name + ".ffn", y))
    if c["final_norm"]:
        x = norm(c, w, "decoder.norm", x)
    return linear(w, "output", x) / c["softmax_temperature"]


# --- weights ---


def has_bias(c, part):
    return c["bias"] if isinstance(c["bias"], bool) else c["bias"].get(part, True)


def shapes(c):
    """Returns {name: shape} of every stored weight; tied weights are listed once."""
    d, out = c["d_model"], {}

    def add_linear(name, n, k, part):
        out[name + ".weight"] = (n, k)
        if has_bias(c, part):
            out[name + ".bias"] = (n,)

    def add_norm(name):
        out[name + ".weight"] = (d,)
        if has_bias(c, "norm"):
            out[name + ".bias"] = (d,)

    def add_attention(name, kind, heads):
        size = d // heads
        for part in ("query", "key", "value", "output"):
            add_linear(f"{name}.{part}", d, d, "attention")
        add_norm(name + ".norm")
        setting = c["attention_score"].get(kind, {})
        setting = {"function": setting} if isinstance(setting, str) else setting
        function, window = setting.get("function", "scaled_dot"), setting.get("window", "global")
        lead = (heads,) if c.get("score_heads") else ()
        if function in ("general", "additive", "location"):
            rows = c["max_positions"] if function == "location" else size
            out[name + ".score.w"] = (*lead, rows, 2 * size if function == "additive" else size)
        if function == "additive":
            out[name + ".score.v"] = (*lead, size)
        if window == "local-p":
            out[name + ".score.wp"] = (*lead, size, size)
            out[name + ".score.vp"] = (*lead, size)

    for side in ("source", "target"):
        out[side + "_embedding.weight"] = (c[side + "_vocab_size"], d)
        if c["position_encoding"] in ("stored", "learned"):
            out[side + "_positions"] = (c["max_positions"], d)
    for stack in ("encoder", "decoder"):
        for i in range(c[stack + "_layers"]):
            name = f"{stack}.layers.{i}"
            add_attention(name + ".self", stack, c[stack + "_heads"])
            if stack == "decoder":
                add_attention(name + ".cross", "cross", c["decoder_heads"])
            add_linear(name + ".ffn.in", c[stack + "_ffn"], d, "ffn")
            add_linear(name + ".ffn.out", d, c[stack + "_ffn"], "ffn")
            add_norm(name + ".ffn.norm")
        if c["final_norm"]:
            add_norm(stack + ".norm")
        if c["embedding_norm"]:
            add_norm(stack + ".embedding_norm")
    add_linear("output", c["target_vocab_size"], d, "output")
    return out
