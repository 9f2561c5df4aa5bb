#!/usr/bin/env python3
"""Train the translation model on the output of prepare.py.

Adam keeps float32 weights; forward and backward run on bfloat16 copies of them. Every batch
holds sources of one length, so no source is padded. The schedule is the paper's (linear
warm-up, inverse square root) with a linear decay to zero over the last part of the run, whose
end is a time: either --minutes from the start or the UNIX time in the file --deadline.
"""

import argparse
import ctypes
import functools
import glob
import math
import os
import statistics
import sys
import time

os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "50000")

import numpy as np
import sentencepiece
import torch

import export
from model import EOS, MaskPool, Shape, SmoothedLoss, Transformer


class Corpus:
    """The encoded pairs, dealt out in epochs of batches."""

    def __init__(self, path, pad, weights, join, tokens, rng, rank, workers):
        data = np.load(path)
        self.source_ids, self.source_offsets = data["source_ids"], data["source_offsets"]
        self.target_ids, self.target_offsets = data["target_ids"], data["target_offsets"]
        self.groups = [np.flatnonzero(data["groups"] == group) for group in range(len(weights))]
        self.pad, self.weights, self.join, self.tokens, self.rng = pad, weights, join, tokens, rng
        self.rank, self.workers = rank, workers

    def sample(self):
        """Tuples of pairs; each tuple becomes one training example."""
        examples, joined = [], []
        for group, (pairs, weight) in enumerate(zip(self.groups, self.weights)):
            whole = int(weight)
            chosen = [pairs] * whole + [self.rng.permutation(pairs)[: int(len(pairs) * (weight - whole))]]
            for part in chosen:
                order = self.rng.permutation(part).tolist()
                count = int(len(order) * self.join) if group < 2 else 0  # bible verses are long enough
                joined.extend(order[:count])
                examples.extend((pair,) for pair in order[count:])
        sizes = np.diff(self.source_offsets)
        example, size, aim = [], 0, 0
        for pair in self.rng.permutation(joined).tolist():
            if size >= aim:
                aim = self.rng.integers(20, 70)
                example, size = [], 0
                examples.append(example)
            example.append(pair)
            size += sizes[pair]
        return examples

    def lengths(self, offsets, examples):
        sizes = np.diff(offsets)
        return np.array([sum(sizes[pair] for pair in example) for example in examples])

    def epoch(self, longest=120):
        """Batches of (source, prefix, label) arrays; padding labels are -100.

        A batch's rows follow from its source length, and target widths are rounded up, so that few
        different shapes occur: oneDNN compiles its kernels anew for each.
        """
        examples = self.sample()
        source_lengths = self.lengths(self.source_offsets, examples) + 1
        target_lengths = self.lengths(self.target_offsets, examples) + 1
        batches = []
        for length in range(2, longest + 1):
            rows = max(8, int(self.tokens / (2.15 * length + 6)) // 8 * 8)
            widest = min(longest, 2 * length + 8)
            same = np.flatnonzero((source_lengths == length) & (target_lengths <= widest))
            if not len(same):
                continue
            missing = -len(same) % rows
            if missing > len(same):
                continue  # too rare to fill a batch
            same = np.concatenate([same, self.rng.choice(same, missing, replace=False)])
            same = same[np.lexsort((self.rng.random(len(same)), target_lengths[same]))]
            batches.extend(same.reshape(-1, rows).tolist())
        self.rng.shuffle(batches)
        for at in range(0, len(batches) - self.workers + 1, self.workers):
            yield self.arrays([examples[i] for i in batches[at + self.rank]])

    def arrays(self, examples):
        def ids(flat, offsets, example):
            return np.concatenate([flat[offsets[pair] : offsets[pair + 1]] for pair in example])

        sources = [ids(self.source_ids, self.source_offsets, example) for example in examples]
        targets = [ids(self.target_ids, self.target_offsets, example) for example in examples]
        rows, width = len(examples), 1 + max(map(len, targets))
        grain = 2 if width <= 24 else 4 if width <= 48 else 8
        width = -(-width // grain) * grain
        source = np.full((rows, 1 + len(sources[0])), EOS, np.int64)
        prefix = np.full((rows, width), self.pad, np.int64)
        label = np.full((rows, width), -100, np.int64)
        for row, (source_row, target_row) in enumerate(zip(sources, targets)):
            n = len(target_row)
            source[row, :-1] = source_row
            prefix[row, 1 : n + 1] = target_row
            label[row, :n] = target_row
            label[row, n] = EOS
        return source, prefix, label


class Shared:
    """What the workers share: the weights, Adam's state, gradients and a few numbers.

    Worker r runs its own batches on one bfloat16 copy of the weights that all workers read, and
    updates slice r of the float32 weights: data-parallel training without any copying.
    """

    def __init__(self, size, workers, device):
        def zeros(*shape, dtype=torch.float32):
            tensor = torch.zeros(*shape, dtype=dtype, device=device)
            return tensor.share_memory_() if workers > 1 else tensor

        self.vector, self.mean, self.square = zeros(size), zeros(size), zeros(size)
        self.half = zeros(size, dtype=torch.bfloat16)
        self.gradients = zeros(workers, size, dtype=torch.bfloat16)
        self.norms = zeros(workers)
        self.counts = zeros(workers, 3, dtype=torch.float64)  # loss, labels, tokens since the last report
        self.control = zeros(2, dtype=torch.float64)  # learning rate, whether the run is over
        self.barrier = torch.multiprocessing.get_context("spawn").Barrier(workers) if workers > 1 else None

    def wait(self):
        if self.barrier:
            self.barrier.wait()


def square_sum(gradients):
    return gradients.float().sum(0).square().sum()


def adam(vector, mean, square, half, gradients, numbers):
    """One step of Adam (0.9, 0.98, 1e-9) with the sum of the workers' gradients."""
    factor, rate, correct_mean, correct_square = numbers.unbind()
    gradient = gradients.float().sum(0) * factor
    mean.mul_(0.9).add_(gradient * 0.1)
    square.mul_(0.98).add_(gradient * gradient * 0.02)
    vector.sub_(rate * (mean * correct_mean) / ((square * correct_square).sqrt() + 1e-9))
    half.copy_(vector)


class Optimizer:
    """Adam on a worker's slice of the vector of all weights."""

    def __init__(self, model, shared, rank, compiler):
        self.shared, self.rank = shared, rank
        self.parameters = list(model.parameters())
        at = 0
        for parameter in self.parameters:
            parameter.data = shared.half[at : at + parameter.numel()].view(parameter.shape)
            at += parameter.numel()
        size = -(-at // len(shared.gradients))
        part = slice(rank * size, min(at, (rank + 1) * size))
        self.state = shared.vector[part], shared.mean[part], shared.square[part], shared.half[part]
        self.gradients = shared.gradients[:, part]
        self.square_sum, self.adam = compiler(square_sum), compiler(adam)

    def step(self, step, gradients, clip):
        """Step number `step`, counted from 1; returns the norm of the gradient."""
        shared = self.shared
        torch.cat([gradient.flatten() for gradient in gradients], out=shared.gradients[self.rank])
        shared.wait()
        shared.norms[self.rank] = self.square_sum(self.gradients)
        shared.wait()
        norm = math.sqrt(shared.norms.sum().item())
        factor = min(1.0, clip / (norm + 1e-9))
        numbers = [factor, shared.control[0].item(), 1 / (1 - 0.9**step), 1 / (1 - 0.98**step)]
        self.adam(*self.state, self.gradients, torch.tensor(numbers, device=shared.vector.device))
        shared.wait()
        return norm


def pack(model, weights):
    """All weights as one vector."""
    return torch.cat([weights[name].float().flatten() for name, _ in model.named_parameters()])


def unpack(model, vector):
    """Copies of the weights by name."""
    shapes = [(name, parameter.shape) for name, parameter in model.named_parameters()]
    parts = vector.detach().cpu().clone().split([shape.numel() for _, shape in shapes])
    return {name: part.view(shape) for (name, shape), part in zip(shapes, parts)}


class Schedule:
    """Learning rate by step, knowing how many steps are left until the end of the run."""

    def __init__(self, peak, warmup, decay, end):
        self.peak, self.warmup, self.decay, self.end = peak, warmup, decay, end
        self.times = []  # of the latest steps; their median forgives pauses of the process

    def total(self, step):
        seconds = statistics.median(self.times) if self.times else 1.0
        mean = sum(t for t in self.times if t < 5 * seconds) / max(1, sum(t < 5 * seconds for t in self.times))
        return step + max(0.0, self.end() - time.time()) / max(mean, 1e-6)

    def took(self, seconds):
        self.times = self.times[-499:] + [seconds]

    def rate(self, step, total):
        rate = self.peak * min(step / self.warmup, math.sqrt(self.warmup / step))
        return rate * min(1.0, (1 - step / total) / self.decay)


def keep_freed_memory():
    """Let glibc reuse freed memory: fresh pages for every activation cost a third of a step."""
    try:
        libc = ctypes.CDLL(None)
        for option, value in ((-8, 1), (-4, 0), (-1, 2**31 - 1)):  # arenas, mmaps, trim threshold
            libc.mallopt(option, value)
    except (AttributeError, OSError):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="folder written by prepare.py")
    parser.add_argument("--out", required=True, help="folder for checkpoints and the log; an unfinished run there resumes")
    parser.add_argument("--init", metavar="FOLDER", help="start from the weights of an exported model")
    parser.add_argument("--minutes", type=float, default=120, help="time until the end, counted from this start (default %(default)s)")
    parser.add_argument("--deadline", metavar="FILE", help="file with the UNIX time of the end, read again and again")
    parser.add_argument("--tokens", type=int, default=3000, help="source and target tokens in a worker's batch")
    parser.add_argument("--peak", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--warmup", type=int, default=1000, help="steps until the highest learning rate")
    parser.add_argument("--decay", type=float, default=0.4, help="last part of the run, in which the rate falls to 0")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smoothing", type=float, default=0.1, help="label smoothing")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of a gradient")
    parser.add_argument("--weights", type=float, nargs=3, default=(1.25, 1.0, 0.4), metavar=("EVERYDAY", "TECHNICAL", "BIBLE"),
                        help="how often an epoch sees each group (default 1.25 1 0.4)")
    parser.add_argument("--join", type=float, default=0.3, help="share of everyday and technical pairs joined to longer examples")
    parser.add_argument("--save-minutes", type=float, default=4, help="time between checkpoints")
    parser.add_argument("--keep", type=int, default=8, help="checkpoints kept")
    parser.add_argument("--d", type=int, default=256, help="width of the model")
    parser.add_argument("--ffn", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--layers", type=int, nargs=2, default=(4, 2), metavar=("ENCODER", "DECODER"))
    parser.add_argument("--no-compile", action="store_true", help="run without torch.compile")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1,
                        help="processes on a CPU, each with a batch of its own (default: one a core)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    workers = 1 if device.type == "cuda" else args.workers
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.data, "spm.model"))
    shape = Shape(tokenizer.get_piece_size() + 1, args.d, args.ffn, args.heads, *args.layers)
    torch.manual_seed(args.seed)
    model = Transformer(shape)
    shared = Shared(sum(parameter.numel() for parameter in model.parameters()), workers, device)
    os.makedirs(args.out, exist_ok=True)
    last, step = os.path.join(args.out, "last.pt"), 0
    if os.path.exists(last):
        state = torch.load(last, weights_only=True)
        weights, step = state["weights"], state["step"]
        shared.mean.copy_(state["mean"])
        shared.square.copy_(state["square"])
    elif args.init:
        weights = export.load_folder(args.init, shape)
    else:
        weights = model.state_dict()
    shared.vector.copy_(pack(model, weights))
    shared.half.copy_(shared.vector)
    # Worker 0 is this process, so that stopping it stops all.
    context = torch.multiprocessing.get_context("spawn")
    others = [
        context.Process(target=work, args=(rank, args, shape, shared, step), daemon=True) for rank in range(1, workers)
    ]
    for other in others:
        other.start()
    work(0, args, shape, shared, step)
    for other in others:
        other.join()


def work(rank, args, shape, shared, step):
    """The training loop of one worker; worker 0 also reports, saves and decides when to end."""
    keep_freed_memory()
    workers = len(shared.gradients)
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))
    torch.manual_seed(args.seed + 1000 * step + rank)
    device = shared.half.device
    model = Transformer(shape).to(device=device, dtype=torch.bfloat16)
    compiler = (lambda function: function) if args.no_compile else functools.partial(torch.compile, dynamic=True)
    optimizer = Optimizer(model, shared, rank, compiler)
    rng = np.random.default_rng([args.seed, step])
    corpus = Corpus(
        os.path.join(args.data, "pairs.npz"), shape.pad, args.weights, args.join, args.tokens, rng, rank, workers
    )
    def loss_of(source, prefix, label, source_drop, target_drop):
        states = model(source, prefix, source_drop, target_drop).flatten(0, 1)
        return SmoothedLoss.apply(states, model.embedding, label.flatten(), args.smoothing)

    compiled = compiler(loss_of)
    pool = MaskPool(args.dropout, device, torch.bfloat16)
    nominal = args.tokens / 2 * workers  # target tokens; a smaller batch weighs less

    def gradients_of(source, prefix, label):
        source_drop = pool.draw(1 + 2 * shape.encoder, *source.shape, shape.d)
        target_drop = pool.draw(1 + 3 * shape.decoder, *prefix.shape, shape.d)
        batch = [torch.from_numpy(array).to(device) for array in (source, prefix, label)]
        loss = compiled(*batch, source_drop, target_drop)
        return loss.item(), torch.autograd.grad(loss / nominal, optimizer.parameters)

    # Compile once, with sizes that differ from each other, and let the other workers find the result in the cache.
    sizes = ((24, 10), (24, 14), (24, 14))
    for turn in range(2):
        if (rank == 0) == (turn == 0):
            gradients_of(*(np.ones(size, np.int64) for size in sizes))
        shared.wait()

    started = time.time()

    def end():
        if args.deadline:
            with open(args.deadline) as file:
                return float(file.read())
        return started + 60 * args.minutes

    def report(text):
        line = time.strftime("%H:%M:%S ", time.gmtime()) + text
        print(line, flush=True)
        with open(os.path.join(args.out, "log.txt"), "a") as log:
            log.write(line + "\n")

    def save():
        state = {"shape": vars(shape), "weights": unpack(model, shared.vector), "step": step}
        torch.save(state, os.path.join(args.out, "checkpoint-%07d.pt" % step))
        last = os.path.join(args.out, "last.pt")
        torch.save({**state, "mean": shared.mean, "square": shared.square}, last + ".new")
        os.replace(last + ".new", last)
        for old in sorted(glob.glob(os.path.join(args.out, "checkpoint-*.pt")))[: -args.keep]:
            os.remove(old)

    if rank == 0:
        report("%d parameters on %s, step %d, options %s" % (shared.vector.numel(), device, step, vars(args)))
    schedule = Schedule(args.peak, args.warmup, args.decay, end)
    saved = since = time.time()
    total, epoch = math.inf, 0
    pad_row = [name for name, _ in model.named_parameters()].index("embedding")
    while not shared.control[1]:
        epoch += 1
        for source, prefix, label in corpus.epoch():
            began = time.time()
            if step % 200 == 0:
                pool.refill()
            if rank == 0:
                if step % 20 == 0 or total is math.inf:
                    total = schedule.total(step)
                    shared.control[1] = time.time() >= end()
                shared.control[0] = schedule.rate(step + 1, max(total, step + 2))
            loss, gradients = gradients_of(source, prefix, label)
            gradients[pad_row][shape.pad] = 0  # the row of <pad> stays zero
            labels = int((label >= 0).sum())
            shared.counts[rank] += torch.tensor([loss, labels, source.size + labels], dtype=torch.float64)
            step += 1
            norm = optimizer.step(step, gradients, args.clip)
            over = bool(shared.control[1])
            if rank == 0:
                schedule.took(time.time() - began)
                if step % 200 == 0 or step in (20, 50, 100):
                    now = time.time()
                    loss, labels, tokens = shared.counts.sum(0).tolist()
                    report("epoch %d step %d of %.0f loss %.3f norm %.2f rate %.6f, %.0f tokens/s" % (
                        epoch, step, total, loss / labels, norm, shared.control[0], tokens / (now - since)))
                    shared.counts.zero_()
                    since = now
                if time.time() - saved > 60 * args.save_minutes:
                    save()
                    saved = time.time()
            shared.wait()
            if over:
                break
    if rank == 0:
        save()


if __name__ == "__main__":
    sys.exit(main())
