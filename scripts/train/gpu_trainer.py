"""Training on a GPU for a given time, for gpu.py.

Other processes make the batches. Nothing waits for the GPU but a check of the time every few steps. The computation
is that of train.py, without torch.compile.
"""

import collections
import multiprocessing
import os
import threading
import time
import types

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from batches import Corpus, Pairs
from model import MaskPool, Shape, SmoothedLoss, Transformer, alignment_loss
from optimizer import Layout, Part, total
from sources import DEV, WEIGHTS

CHECK_STEPS = 20  # steps between checks of the time
SIZES = "vocab d heads encoder decoder encoder_ffn decoder_ffn positions".split()


def save_int8(path, weights, shape):
    """Write the weights in int8 with a scale per row; norms and biases in float32."""
    tensors = {"shape": torch.tensor([vars(shape)[name] for name in SIZES])}
    for name, tensor in weights.items():
        tensor = tensor.float().cpu()
        if tensor.dim() == 2:
            scale = tensor.abs().amax(-1, keepdim=True).clamp(min=1e-9) / 127
            tensors[name + "/scale"], tensor = scale, torch.round(tensor / scale).to(torch.int8)
        tensors[name] = tensor.contiguous()
    save_file(tensors, path + ".new")
    os.replace(path + ".new", path)


def load_int8(path):
    """Returns the weights and the shape of a file of save_int8()."""
    tensors = load_file(path)
    shape = Shape(**dict(zip(SIZES, tensors.pop("shape").tolist())))
    weights = {name: tensor.float() * tensors[name + "/scale"] if tensor.dim() == 2 else tensor
               for name, tensor in tensors.items() if not name.endswith("/scale")}
    return weights, shape


def feed(path, shard, shards, pad, tokens, weights, seed, queue):
    """A process that makes batches of its share of the pairs, without end."""
    from train import die_with_parent, endless

    die_with_parent()
    pairs = Pairs(path)
    pairs.groups = np.where(np.arange(len(pairs.groups)) % shards == shard, pairs.groups, -1)
    corpus = Corpus(pairs, pad, weights, 0.2, 0.05, tokens, 8, np.random.default_rng([seed, shard]))
    for make in endless(corpus):
        batch = make()
        arrays = [array.astype(np.int16) for array in (batch.source, batch.prefix, batch.label, batch.links)]
        queue.put((arrays, batch.tokens, int((batch.label >= 0).sum())))


class Feeder:
    """Batches of the pairs in a file, made by other processes."""

    def __init__(self, path, shape, tokens, processes, device, seed):
        context = multiprocessing.get_context("spawn")
        self.queue = context.Queue(2 * processes + 2)
        self.processes = [
            context.Process(target=feed, args=(path, i, processes, shape.pad, tokens, WEIGHTS, seed, self.queue), daemon=True)
            for i in range(processes)
        ]
        for process in self.processes:
            process.start()
        self.ready, self.over = collections.deque(), False
        self.next = None  # a feeder that replaces this one as soon as it has a batch
        self.slots = threading.Semaphore(4)
        threading.Thread(target=self.move, args=(device,), daemon=True).start()

    def move(self, device):
        """Move batches to the device in advance; a thread."""
        while not self.over:
            try:
                arrays, tokens, labels = self.queue.get(timeout=1)
            except Exception:  # nothing has come yet
                continue
            self.slots.acquire()
            tensors = [torch.from_numpy(array) for array in arrays]
            if device.type == "cuda":
                tensors = [tensor.pin_memory().to(device, non_blocking=True) for tensor in tensors]
            self.ready.append((tensors, tokens, labels))

    def get(self, deadline):
        """The next batch, or None after the deadline."""
        while not self.ready:
            if self.next and self.next.ready:
                break
            if time.monotonic() > deadline:
                return None
            if not self.over and not any(process.is_alive() for process in self.processes):
                raise SystemExit("all processes that make batches have ended")
            time.sleep(0.0005)
        if self.next and (self.over or self.next.ready):
            self.stop()
            return self.next.get(deadline)
        self.slots.release()
        return self.ready.popleft()

    def stop(self):
        self.over = True
        self.slots.release()
        for process in self.processes:
            process.kill()


class Trainer:
    """A model in training, and its optimizer."""

    def __init__(self, shape, weights, device, args):
        """Without `weights`, the model is new."""
        self.shape, self.device, self.args = shape, device, args
        self.precision = torch.bfloat16 if device.type == "cuda" else torch.float32
        model = Transformer(shape)
        self.layout = Layout(model)
        vector = self.layout.pack(weights or model.state_dict()).detach().to(device)
        zeros = lambda: torch.zeros_like(vector)
        gradients = zeros()
        self.shared = types.SimpleNamespace(vector=vector, average=vector.clone(), mean=zeros(), square=zeros(),
                                            rounded=vector.to(self.precision), gradients=[gradients])
        self.parts = [Part(group, self.shared, 0, 1) for group in self.layout.groups]
        self.model = model.to(device=device, dtype=self.precision)
        named, views = dict(model.named_parameters()), self.layout.views(self.shared.rounded)
        for name, parameter in named.items():
            parameter.data = views[name]
        self.parameters = [named[name] for name in self.layout.order]
        views = self.layout.views(gradients)
        self.gradients = [views[name] for name in self.layout.order]
        self.pad_row = views["embedding"][shape.pad]
        self.pool = MaskPool(args.dropout, device, self.precision, 1 << (27 if device.type == "cuda" else 22))
        self.steps = self.tokens = 0

    def loss(self, source, prefix, label, links, drops, smoothing):
        mask = (source == self.shape.pad).to(self.precision)[:, None, None] * -1e9
        states, scores = self.model(source, prefix, *drops, mask)
        loss = SmoothedLoss.apply(states.flatten(0, 1), self.model.embedding, label.flatten(), smoothing).sum()
        return loss, alignment_loss(scores, links)

    def step(self, batch, rate, keep, quantize):
        tensors, tokens, _ = batch
        source, prefix, label, links = [tensor.long() for tensor in tensors]
        shape = self.shape
        drops = [self.pool.draw(1 + n * layers, *ids.shape, shape.d)
                 for n, layers, ids in ((2, shape.encoder, source), (3, shape.decoder, prefix))]
        loss, aligned = self.loss(source, prefix, label, links, drops, 0.1)
        gradients = torch.autograd.grad((loss + 0.1 * aligned) / (self.args.tokens / 2), self.parameters)
        torch._foreach_copy_(self.gradients, gradients)
        self.pad_row.zero_()
        self.steps, self.tokens = self.steps + 1, self.tokens + tokens
        sums = [total(part.gradients) for part in self.parts]
        norm = sum(gradient.square().sum() for gradient in sums).sqrt()
        scale = (1.0 / (norm + 1e-9)).clamp(max=1.0).nan_to_num(0.0)
        keep = min(keep, (1 + self.steps) / (10 + self.steps))
        for part, gradient in zip(self.parts, sums):
            gradient.nan_to_num_(0.0, 0.0, 0.0).mul_(scale)
            if part.group.decays:
                part.weights.mul_(1 - rate * 0.02)
            if part.group.muon:
                part.muon(gradient, rate)
            else:
                part.adam(gradient, rate * 0.6, self.steps)
            part.publish(keep, quantize)
        return loss.detach()

    def train(self, feeder, end, rate_of, log, quantize_from=2.0, each_minute=None):
        """Train until the time `end`; rate_of(share of the time that has passed) is the rate."""
        begin = reported = saved = time.monotonic()
        losses, labels, tokens = [], 0, self.tokens
        rate, quantize = rate_of(0.0), False
        while (batch := feeder.get(end)) is not None:
            if len(losses) % CHECK_STEPS == 0 or self.device.type == "cpu":
                if self.device.type == "cuda":
                    torch.cuda.synchronize()
                now = time.monotonic()
                if now > end:
                    break
                rate, quantize = rate_of((now - begin) / (end - begin)), (now - begin) / (end - begin) > quantize_from
                if now - reported > 15 and losses:
                    log("step %d loss %.3f rate %.5f, %.0f tokens/s" % (
                        self.steps, torch.stack(losses).sum().item() / labels, rate, (self.tokens - tokens) / (now - reported)))
                    losses, labels, tokens, reported = [], 0, self.tokens, now
                    self.pool.refill()
                if each_minute and now - saved > 60:
                    each_minute()
                    saved = time.monotonic()
            warm = min(1.0, (self.steps + 1) / self.args.warmup)
            losses.append(self.step(batch, rate * warm, 0.99 if quantize else 0.998, quantize))
            labels += batch[2]

    def evaluate(self, path):
        """Returns the losses of the held-out pairs under the averaged weights, as text."""
        with self.averaged(), torch.no_grad():
            pairs = Pairs(path)
            corpus = Corpus(pairs, self.shape.pad, WEIGHTS, 0, 0, 0, 8, None)
            none = [None] * (1 + 3 * max(self.shape.encoder, self.shape.decoder))
            losses = []
            for number, name in enumerate(DEV):
                members = np.flatnonzero(pairs.groups == number)
                members = members[np.argsort(np.diff(pairs.source_offsets)[members], kind="stable")]
                sums = torch.zeros(2)
                for rows in np.array_split(members, max(1, len(members) // 100)):
                    batch = corpus.batch([(row,) for row in rows])
                    arrays = [torch.from_numpy(array).to(self.device) for array in (batch.source, batch.prefix, batch.label, batch.links)]
                    sums += torch.tensor([self.loss(*arrays, (none, none), 0.0)[0].item(), float((batch.label >= 0).sum())])
                losses.append("%s %.3f" % (name, sums[0] / sums[1].clamp(min=1)))
        return ", ".join(losses)

    def averaged(self):
        return Averaged(self)

    def weights(self):
        """The averaged weights by name."""
        return self.layout.unpack(self.shared.average)


class Averaged:
    """While it is entered, the model computes with the averaged weights."""

    def __init__(self, trainer):
        self.shared = trainer.shared

    def __enter__(self):
        self.saved = self.shared.rounded.clone()
        self.shared.rounded.copy_(self.shared.average)

    def __exit__(self, *_):
        self.shared.rounded.copy_(self.saved)
