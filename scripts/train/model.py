"""The Transformer; it computes exactly what MarianMTModel of transformers computes.

Post-norm, sinusoidal positions (sine half, then cosine half), embeddings times sqrt(d), one
embedding matrix for source, target and output. Related projections are stored as one matrix
(query, key and value; keys and values of all cross-attentions); export.py splits them.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

EOS = 0


class Shape:
    """The sizes of a model."""

    def __init__(self, vocab, d=320, heads=5, encoder=6, decoder=2, encoder_ffn=1280, decoder_ffn=1024, positions=512):
        self.vocab, self.d, self.heads, self.positions = vocab, d, heads, positions
        self.encoder, self.decoder = encoder, decoder
        self.encoder_ffn, self.decoder_ffn = encoder_ffn, decoder_ffn

    @property
    def pad(self):
        return self.vocab - 1


def sinusoids(positions, d):
    angles = torch.arange(positions)[:, None] / torch.pow(10000.0, 2 * torch.arange(d // 2) / d)
    return torch.cat([torch.sin(angles), torch.cos(angles)], 1)


class MaskPool:
    """Dropout masks as slices, at random offsets, of one long random vector.

    Drawing random numbers for every activation is slow on a CPU; reading a mask is not.
    """

    def __init__(self, rate, device, dtype, size=1 << 24):
        self.rate = rate
        self.values = torch.empty(size, device=device, dtype=dtype)
        self.refill()

    def refill(self):
        self.values.bernoulli_(1 - self.rate).div_(1 - self.rate)

    def draw(self, count, *shape):
        """`count` masks of `shape`."""
        n = math.prod(shape)
        starts = torch.randint(0, self.values.numel() - n, (count,)).tolist()
        return [self.values[start : start + n].view(shape) for start in starts]


def drop(x, mask):
    return x if mask is None else x * mask


def split_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(q, k, v, heads, mask=None):
    """Attention of all heads; `mask` is added to the scores."""
    q, k, v = split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    if q.is_cuda:
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.to(q.dtype))
    else:  # faster than PyTorch's fused CPU kernel at the length of a sentence
        scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores + mask
        x = torch.softmax(scores, -1).to(v.dtype) @ v
    return x.transpose(1, 2).flatten(2)


class Relu(torch.autograd.Function):
    """relu without a mask of booleans, which torch.compile reads and writes slowly on a CPU."""

    @staticmethod
    def forward(ctx, x):
        y = x.float().clamp(min=0).to(x.dtype)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return (gradient.float() * (y.float() * 1e30).clamp(max=1)).to(gradient.dtype)


def fake_quantize(x):
    """Rounds x to 255 levels per row, as in an int8 matmul; the gradient passes unchanged."""
    exact = x.detach().float()
    scale = exact.abs().amax(-1, keepdim=True).clamp(min=1e-9) / 127
    return x + (torch.round(exact / scale) * scale - exact).to(x.dtype)


class Linear(nn.Linear):
    """A projection, or `parts` of them joined, with the usual Glorot initialization."""

    def __init__(self, inputs, outputs, parts=1):
        super().__init__(inputs, outputs * parts)
        for part in self.weight.data.chunk(parts):
            nn.init.xavier_uniform_(part)
        nn.init.zeros_(self.bias)
        self.parts = parts
        self.quantize = False

    def forward(self, x):
        return F.linear(fake_quantize(x) if self.quantize else x, self.weight, self.bias)


class FeedForward(nn.Module):
    def __init__(self, d, ffn):
        super().__init__()
        self.fc1 = Linear(d, ffn)
        self.fc2 = Linear(ffn, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x, mask):
        inner = self.fc1(x)
        inner = F.relu(inner) if inner.is_cuda else Relu.apply(inner)
        return self.norm(x + drop(self.fc2(inner), mask))


class EncoderLayer(nn.Module):
    def __init__(self, d, ffn, heads):
        super().__init__()
        self.heads = heads
        self.qkv = Linear(d, d, 3)
        self.out = Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.ffn = FeedForward(d, ffn)

    def forward(self, x, masks, source_mask):
        q, k, v = self.qkv(x).chunk(3, -1)
        x = self.norm(x + drop(self.out(attend(q, k, v, self.heads, source_mask)), masks[0]))
        return self.ffn(x, masks[1])


class DecoderLayer(nn.Module):
    def __init__(self, d, ffn, heads):
        super().__init__()
        self.heads = heads
        self.qkv = Linear(d, d, 3)
        self.out = Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.cross_q = Linear(d, d)
        self.cross_out = Linear(d, d)
        self.cross_norm = nn.LayerNorm(d)
        self.ffn = FeedForward(d, ffn)

    def forward(self, x, k, v, masks, future, source_mask):
        """Returns the new states, and the queries of cross-attention."""
        q, self_k, self_v = self.qkv(x).chunk(3, -1)
        x = self.norm(x + drop(self.out(attend(q, self_k, self_v, self.heads, future)), masks[0]))
        cross_q = self.cross_q(x)
        x = self.cross_norm(x + drop(self.cross_out(attend(cross_q, k, v, self.heads, source_mask)), masks[1]))
        return self.ffn(x, masks[2]), cross_q


class Transformer(nn.Module):
    def __init__(self, shape, quantize=False):
        super().__init__()
        self.shape = shape
        d = shape.d
        self.embedding = nn.Parameter(torch.randn(shape.vocab, d) * d**-0.5)
        self.embedding.data[shape.pad] = 0
        self.encoder = nn.ModuleList([EncoderLayer(d, shape.encoder_ffn, shape.heads) for _ in range(shape.encoder)])
        self.decoder = nn.ModuleList([DecoderLayer(d, shape.decoder_ffn, shape.heads) for _ in range(shape.decoder)])
        self.cross_kv = Linear(d, d, 2 * shape.decoder)
        self.register_buffer("positions", sinusoids(shape.positions, d), persistent=False)
        future = torch.full((shape.positions, shape.positions), -1e9).triu(1)
        self.register_buffer("future", future, persistent=False)
        self.quantize = quantize
        for module in self.modules():
            if isinstance(module, Linear):
                module.quantize = quantize

    def embed(self, ids, mask):
        x = F.embedding(ids, self.embedding) * math.sqrt(self.shape.d) + self.positions[: ids.shape[1]]
        return drop(x, mask)

    def encode(self, source, masks, source_mask=None):
        x = self.embed(source, masks[0])
        for i, layer in enumerate(self.encoder):
            x = layer(x, masks[1 + 2 * i :], source_mask)
        return x

    def decode(self, encoded, prefix, masks, source_mask=None):
        """The last layer's states, and the attention scores [rows, prefix, source] of its first head."""
        kv = self.cross_kv(encoded).chunk(2 * self.shape.decoder, -1)
        x = self.embed(prefix, masks[0])
        future = self.future[: prefix.shape[1], : prefix.shape[1]]
        for i, layer in enumerate(self.decoder):
            x, q = layer(x, kv[2 * i], kv[2 * i + 1], masks[1 + 3 * i :], future, source_mask)
        width = self.shape.d // self.shape.heads
        scores = (q[..., :width] @ kv[-2][..., :width].transpose(-1, -2)).float() * width**-0.5
        return x, scores if source_mask is None else scores + source_mask[:, 0]

    def forward(self, source, prefix, source_drop, target_drop, source_mask=None, candidates=1):
        """As decode(). Prefixes may be padded at their ends; `source_mask` [rows, 1, 1, source] hides padding.

        Each source has `candidates` prefixes, in adjacent rows.
        """
        encoded = self.encode(source, source_drop, source_mask)
        if candidates > 1:
            encoded = encoded.repeat_interleave(candidates, 0)
            source_mask = None if source_mask is None else source_mask.repeat_interleave(candidates, 0)
        states, scores = self.decode(encoded, prefix, target_drop, source_mask)
        return fake_quantize(states) if self.quantize else states, scores


def alignment_loss(scores, links):
    """Sum of the cross entropies of the attention with the source position `links` names; -1 for none."""
    logs = torch.log_softmax(scores, -1).gather(-1, links.clamp(min=0)[..., None])[..., 0]
    return -(logs * (links >= 0)).sum()


def risk(losses, label, costs):
    """Sum over the lists of the expected cost times the mean length, for minimum risk training.

    `losses` and `label` are [lists * n, width], `costs` [lists, n]. A candidate's probability in its list
    follows from its mean log-probability per token (Edunov et al., arXiv:1711.04956, "Risk").
    """
    lengths = (label >= 0).sum(1).float()
    scores = -(losses.sum(1) / lengths).view(costs.shape)
    return ((torch.softmax(scores, -1) * costs).sum(1) * lengths.view(costs.shape).mean(1)).sum()


class SmoothedLoss(torch.autograd.Function):
    """The label-smoothed cross entropy of each label; 0 for labels of -100.

    Written out, in place, because the derived functions go over the logits twice as often.
    """

    @staticmethod
    def forward(ctx, states, embedding, label, smoothing):
        scores = (states @ embedding.t()).float()
        target = label.clamp(min=0)[:, None]
        picked, mean = scores.gather(1, target)[:, 0], scores.mean(-1)
        largest = scores.amax(-1, keepdim=True)
        scores = scores.sub_(largest).exp_()
        total = scores.sum(-1)
        loss = total.log() + largest[:, 0] - (1 - smoothing) * picked - smoothing * mean
        ctx.save_for_backward(states, embedding, target, scores, total)
        ctx.smoothing = smoothing
        valid = (label >= 0).float()
        ctx.valid = valid
        return loss * valid

    @staticmethod
    def backward(ctx, gradient):
        states, embedding, target, scores, total = ctx.saved_tensors
        weight = ctx.valid * gradient
        error = scores.mul_((weight / total)[:, None]).sub_((weight * ctx.smoothing / scores.shape[1])[:, None])
        error.scatter_add_(1, target, (weight * (ctx.smoothing - 1))[:, None])
        error = error.to(states.dtype)
        return error @ embedding, error.t() @ states, None, None
