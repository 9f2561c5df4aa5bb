#!/usr/bin/env python3
"""Train the translation model on the output of encode.py.

The weights are stored in float32; the forward and backward passes use copies with the precision
of --precision. A step adds the gradients of --batches batches, which are distributed over the
workers (on a CPU, one process per core).
The rate rises over --warmup steps and is then constant, so that a run can be continued at any time;
with --decay STEPS, it falls to zero over that number of steps. Checkpoints contain the moving average
of the weights. The same command given again resumes from the last state in --out.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import functools
import glob
import itertools
import json
import math
import multiprocessing.connection
import os
import signal
import sys
import threading
import time

os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "50000")

import numpy as np
import sentencepiece
import torch

import export
from batches import Candidates, Corpus, Pairs
from model import MaskPool, Shape, SmoothedLoss, Transformer, alignment_loss, risk
from optimizer import Layout, Optimizer
from sources import DEV, WEIGHTS, values_option


class Shared:
    """The data that the workers share: weights, optimizer state, gradients and counters."""

    def __init__(self, size, workers, device, precision):
        def zeros(*shape, dtype=torch.float32):
            tensor = torch.zeros(*shape, dtype=dtype, device=device)
            return tensor.share_memory_() if workers > 1 else tensor

        self.vector, self.average, self.mean, self.square = (zeros(size) for _ in range(4))
        self.rounded = zeros(size, dtype=precision)  # the weights that the passes read
        self.gradients = zeros(workers, size)
        self.norms = zeros(workers)
        # Since the last report: loss, labels, tokens, alignment loss; risk, and the sum of the lists' mean lengths.
        self.counts = zeros(workers, 6, dtype=torch.float64)
        context = torch.multiprocessing.get_context("spawn")
        self.next = context.Value("q", 0)  # batch of the step that is taken next
        self.over = context.Value("q", 0)
        self.barrier = context.Barrier(workers) if workers > 1 else None

    def wait(self):
        if self.barrier:
            self.barrier.wait()

    def take(self):
        with self.next.get_lock():
            self.next.value += 1
            return self.next.value - 1


def keep_freed_memory():
    """Let glibc reuse freed memory: fresh pages for every activation cost a third of a step."""
    try:
        libc = ctypes.CDLL(None)
        for option, value in ((-8, 1), (-4, 0), (-1, 2**31 - 1)):  # arenas, mmaps, trim threshold
            libc.mallopt(option, value)
    except (AttributeError, OSError):
        pass


def weights_option(text):
    """WEIGHTS with the changes of "group=weight,..."."""
    return {**WEIGHTS, **values_option(text, float)}


def fast_precision():
    """Returns the precision in which this machine multiplies matrices faster: CPUs with AVX-512 BF16 differ."""
    if torch.cuda.is_available():
        return "bfloat16"
    seconds = {}
    for precision in ("bfloat16", "float32"):
        rows, weights = (torch.ones(shape, dtype=getattr(torch, precision)) for shape in ((1200, 320), (1664, 320)))
        times = []
        for _ in range(20):
            began = time.perf_counter()
            torch.nn.functional.linear(rows, weights)
            times.append(time.perf_counter() - began)
        seconds[precision] = min(times)
    return min(seconds, key=seconds.get)


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="folder written by encode.py")
    parser.add_argument("--out", required=True, help="folder for checkpoints and the log; an unfinished run there resumes")
    parser.add_argument("--init", metavar="FOLDER", help="start from the weights of an exported model")
    parser.add_argument("--state", metavar="FILE", help="start from the last.pt of another run")
    parser.add_argument("--steps", type=int, default=0, help="end at this step, counted from the first run's start (default: never)")
    parser.add_argument("--decay", type=int, default=0, metavar="STEPS", help="let the rate fall to 0 over this number of steps, then end")
    parser.add_argument("--minutes", type=float, default=0, help="save and exit after this time; run again to resume (default: never)")
    parser.add_argument("--tokens", type=int, default=2250, help="source and target tokens per batch")
    parser.add_argument("--batches", type=int, default=4, help="batches per step; a multiple of --workers keeps all of them busy")
    parser.add_argument("--rate", type=float, default=3e-3, help="highest learning rate")
    parser.add_argument("--warmup", type=int, default=200, help="steps until the highest learning rate")
    parser.add_argument("--no-muon", action="store_true", help="use Adam for all weights")
    parser.add_argument("--adam-rate", type=float, default=0.6, help="Adam's rate in relation to Muon's")
    parser.add_argument("--shrink", type=float, default=0.02, help="decay of the layers' matrices, times the rate")
    parser.add_argument("--average", type=float, default=0.999, help="weight of the past in the moving average")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smoothing", type=float, default=0.1, help="label smoothing")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of a gradient")
    parser.add_argument("--weights", type=weights_option, default=dict(WEIGHTS), metavar="GROUP=WEIGHT,...",
                        help="how often an epoch sees each group (default: sources.py)")
    parser.add_argument("--join", type=float, default=0.2, help="share of pairs joined to longer examples")
    parser.add_argument("--paragraphs", type=float, default=0.05, help="share of pairs joined to paragraphs of 120 to 440 pieces")
    parser.add_argument("--align", type=float, default=0.0, help="weight of the loss that guides the last layer's first head")
    parser.add_argument("--candidates", metavar="FILE", help="n-best lists written by candidates.py; every other batch is made of them")
    parser.add_argument("--risk", type=float, default=40.0, help="weight of the expected cost (default: %(default)s)")
    parser.add_argument("--quantize", action="store_true", help="round weights and activations to int8, as an int8 model does")
    parser.add_argument("--save-minutes", type=float, default=3, help="time between saved states")
    parser.add_argument("--check-steps", type=int, default=500, help="steps between losses of held-out pairs and checkpoints")
    parser.add_argument("--keep", type=int, default=4, help="number of checkpoints to keep")
    parser.add_argument("--d", type=int, default=320, help="width of a new model")
    parser.add_argument("--ffn", type=int, nargs=2, default=(1280, 1024), metavar=("ENCODER", "DECODER"))
    parser.add_argument("--heads", type=int, default=5)
    parser.add_argument("--layers", type=int, nargs=2, default=(6, 2), metavar=("ENCODER", "DECODER"))
    parser.add_argument("--no-compile", action="store_true", help="run without torch.compile")
    parser.add_argument("--precision", choices=("bfloat16", "float32"),
                        help="precision of the forward and backward passes (default: the faster one)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1,
                        help="processes on a CPU (default: one per core)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.precision = args.precision or fast_precision()
    return args


def die_with_parent():
    """Ask Linux to end this process when the one that started it ends."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (AttributeError, OSError):
        pass


def watch(others, shared):
    """Ends this process if another worker has ended too early: all would wait for that one for ever."""
    multiprocessing.connection.wait([other.sentinel for other in others])
    if not shared.over.value:
        print("train.py: a worker has died", file=sys.stderr, flush=True)
        os._exit(1)


def main():
    args = options()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    workers = 1 if device.type == "cuda" else args.workers
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=os.path.join(args.data, "spm.model"))
    os.makedirs(args.out, exist_ok=True)
    last, done = (os.path.join(args.out, name) for name in ("last.pt", "done"))
    resumes, state, step, began = os.path.exists(last), None, 0, 0
    if resumes or args.state:
        state = torch.load(last if resumes else args.state, weights_only=True)
    if os.path.exists(done):
        if not resumes or state["step"] >= args.steps or args.decay and state["step"] - state["began"] >= args.decay:
            return
        os.remove(done)  # there are more --steps
    if state:
        shape = Shape(**state["shape"])
    elif args.init:
        shape = export.load_shape(args.init)
    else:
        shape = Shape(tokenizer.get_piece_size() + 1, args.d, args.heads, *args.layers, *args.ffn)
    if shape.vocab != tokenizer.get_piece_size() + 1:
        raise SystemExit("%s has %d pieces, the model %d" % (args.data, tokenizer.get_piece_size(), shape.vocab - 1))
    torch.manual_seed(args.seed)
    model = Transformer(shape)
    layout = Layout(model, not args.no_muon)
    shared = Shared(layout.size, workers, device, getattr(torch, args.precision))
    if state:
        step = state["step"]
        began = state["began"] if resumes else step
        for name in ("vector", "average", "mean", "square"):
            getattr(shared, name).copy_(layout.pack(state[name]))
    else:
        weights = export.load_folder(args.init, shape) if args.init else model.state_dict()
        shared.vector.copy_(layout.pack(weights))
        shared.average.copy_(shared.vector)
    # Worker 0 is this process, so that stopping it stops all.
    context = torch.multiprocessing.get_context("spawn")
    others = [
        context.Process(target=work, args=(rank, args, shape, shared, step, began), daemon=True)
        for rank in range(1, workers)
    ]
    for other in others:
        other.start()
    if others:
        threading.Thread(target=watch, args=(others, shared), daemon=True).start()
    try:
        work(0, args, shape, shared, step, began)
    finally:
        shared.over.value = 1
    for other in others:
        other.join()


class Worker:
    """One process, with its model, its batches and its part of the weights."""

    def __init__(self, rank, args, shape, shared, step):
        self.rank, self.args, self.shape, self.shared = rank, args, shape, shared
        self.device = shared.rounded.device
        self.model = Transformer(shape, args.quantize).to(device=self.device, dtype=shared.rounded.dtype)
        self.layout = Layout(self.model, not args.no_muon)
        self.optimizer = Optimizer(self.layout, shared, rank, args)
        for part in self.optimizer.parts:
            part.publish(1.0, args.quantize)
        shared.wait()
        weights, gradients = self.layout.views(shared.rounded), self.layout.views(shared.gradients[rank])
        named = dict(self.model.named_parameters())
        for name, parameter in named.items():
            parameter.data = weights[name]
        self.parameters = [named[name] for name in self.layout.order]
        self.gradients = [gradients[name] for name in self.layout.order]
        self.pad_row = self.gradients[self.layout.order.index("embedding")][shape.pad]
        self.pool = MaskPool(args.dropout, self.device, shared.rounded.dtype, 1 << (26 if self.device.type == "cuda" else 24))
        compiler = (lambda function: function) if args.no_compile else functools.partial(torch.compile, dynamic=True)
        self.loss, self.risk = compiler(self.loss_of), compiler(self.risk_of)
        self.nominal = args.tokens / 2 * args.batches  # target tokens; a smaller step weighs less

    def loss_of(self, source, prefix, label, links, source_mask, source_drop, target_drop, smoothing):
        """Returns the sums of the label losses and of the alignment losses."""
        states, scores = self.model(source, prefix, source_drop, target_drop, source_mask)
        loss = SmoothedLoss.apply(states.flatten(0, 1), self.model.embedding, label.flatten(), smoothing).sum()
        return loss, alignment_loss(scores, links) if self.args.align else torch.zeros((), device=loss.device)

    def risk_of(self, source, prefix, label, costs, source_mask, source_drop, target_drop):
        states, _ = self.model(source, prefix, source_drop, target_drop, source_mask, costs.shape[1])
        losses = SmoothedLoss.apply(states.flatten(0, 1), self.model.embedding, label.flatten(), 0.0)
        return risk(losses.view(label.shape), label, costs)

    def tensors(self, batch):
        arrays = batch.source, batch.prefix, batch.label, batch.links if batch.costs is None else batch.costs, batch.mask
        return [None if array is None else torch.from_numpy(array).to(self.device, non_blocking=True) for array in arrays]

    def masks(self, batch):
        shape = self.shape
        return (self.pool.draw(1 + 2 * shape.encoder, *batch.source.shape, shape.d),
                self.pool.draw(1 + 3 * shape.decoder, *batch.prefix.shape, shape.d))

    def accumulate(self, batch, first):
        """Add the gradient of a batch to this worker's."""
        loss = aligned = expected = torch.zeros((), device=self.device)
        labels, lengths = int((batch.label >= 0).sum()), 0
        if batch.costs is None:
            loss, aligned = self.loss(*self.tensors(batch), *self.masks(batch), self.args.smoothing)
        else:
            expected = self.risk(*self.tensors(batch), *self.masks(batch))
            labels, lengths = 0, labels / batch.costs.shape[1]
        total = loss + self.args.align * aligned + self.args.risk * expected
        gradients = torch.autograd.grad(total / self.nominal, self.parameters)
        if first:
            torch._foreach_copy_(self.gradients, gradients)
        else:
            torch._foreach_add_(self.gradients, [gradient.float() for gradient in gradients])
        self.shared.counts[self.rank] += torch.tensor(
            [loss.item(), labels, batch.tokens, aligned.item(), expected.item(), lengths], dtype=torch.float64, device=self.device)

    def step(self, step, rate, batches):
        """Take batches (functions that make them) of the step while there are any, then update."""
        first = True
        while (number := self.shared.take()) < len(batches):
            self.accumulate(batches[number](), first)
            first = False
        if first:
            self.shared.gradients[self.rank].zero_()
        self.pad_row.zero_()  # the row of <pad> stays zero
        return self.optimizer.step(step, rate)

    @torch.no_grad()
    def check(self, pairs, corpus):
        """Returns the loss per label of each dev set, without smoothing."""
        losses = []
        none = [None] * (1 + 3 * max(self.shape.encoder, self.shape.decoder))
        for number, name in enumerate(DEV):
            members = np.flatnonzero(pairs.groups == number)
            members = members[np.argsort(np.diff(pairs.source_offsets)[members], kind="stable")]
            total = labels = 0
            for rows in np.array_split(members, max(1, len(members) // 50)):
                batch = corpus.batch([(row,) for row in rows])
                total += self.loss_of(*self.tensors(batch), none, none, 0.0)[0].item()
                labels += int((batch.label >= 0).sum())
            losses.append("%s %.3f" % (name, total / max(1, labels)))
        return ", ".join(losses)


def rate_at(step, args, began):
    """Learning rate; the decay, if any, begins at step `began`."""
    rate = args.rate * min(1.0, step / args.warmup)
    if args.decay:
        rate *= 1 - math.sqrt(min(1.0, (step - began) / args.decay))
    return rate


def endless(corpus):
    """Yields functions that make the batches of one epoch after another."""
    while True:
        epoch = corpus.epoch()
        if not epoch:
            raise SystemExit("the data is too small for a batch; lower --tokens")
        yield from (functools.partial(corpus.batch, examples) for examples in epoch)


def made_ahead(steps, depth=8):
    """Yields the same batches; threads make them in advance, because a GPU would otherwise wait."""
    with concurrent.futures.ThreadPoolExecutor(depth) as pool:
        waiting = collections.deque()
        for makers in steps:
            waiting.append([pool.submit(make).result for make in makers])
            if len(waiting) >= depth:
                yield waiting.popleft()
        yield from waiting


def work(rank, args, shape, shared, step, began):
    """The training loop of one worker; worker 0 also reports, saves and decides when to end."""
    keep_freed_memory()
    torch.set_flush_denormal(True)  # tiny gradients are denormal numbers, with which a matmul takes up to 4 times as long
    workers = len(shared.gradients)
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))
    torch.manual_seed(args.seed + 1000 * step + rank)
    if rank:
        die_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # worker 0 ends the others
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(rank, args, shape, shared, step)
    pairs = Pairs(os.path.join(args.data, "pairs.npz"))
    rng = np.random.default_rng([args.seed, step])
    cuda = worker.device.type == "cuda"
    corpora = [Corpus(pairs, shape.pad, args.weights, args.join, args.paragraphs, args.tokens, 8 if cuda else 1, rng)]
    if args.candidates:
        corpora.append(Candidates(Pairs(args.candidates), shape.pad, args.tokens, 8 if cuda else 1, rng))

    # Compile once, with sizes that differ from each other, and let the other workers find the result in the cache.
    for turn in range(2):
        if (rank == 0) == (turn == 0):
            worker.accumulate(Sample(24, 10), True)
            worker.accumulate(Sample(24, 16, padded=True), True)
            if args.candidates:
                worker.accumulate(Sample(6, 17, padded=True, candidates=5), True)
        shared.wait()
    shared.counts[rank] = 0
    run = Run(worker, args, step, began) if rank == 0 else None
    shared.wait()
    makers = itertools.chain.from_iterable(zip(*map(endless, corpora)))  # a batch of each corpus in turn
    steps = iter(lambda: list(itertools.islice(makers, args.batches)), None)
    for batches in made_ahead(steps) if cuda else steps:
        if step % 200 == 0:
            worker.pool.refill()
        step += 1
        norm = worker.step(step, rate_at(step, args, began), batches)
        if rank == 0:
            run.after(step, norm)
            shared.next.value = 0
        shared.wait()
        if shared.over.value:
            break


class Sample:
    """A meaningless batch, for compiling."""

    def __init__(self, rows, width, padded=False, candidates=0):
        self.source = np.ones((rows, width), np.int64)
        self.prefix = np.ones((rows * max(1, candidates), 14), np.int64)
        self.label, self.links, self.tokens = self.prefix.copy(), self.prefix.copy(), 0
        self.mask = np.zeros((rows, 1, 1, width), np.float32) if padded else None
        self.costs = np.zeros((rows, candidates), np.float32) if candidates else None


class Run:
    """The work of worker 0 between steps: it reports, checks, saves and ends."""

    def __init__(self, worker, args, step, began):
        self.worker, self.args, self.began = worker, args, began
        self.dev = Pairs(os.path.join(args.data, "dev.npz"))
        self.corpus = Corpus(self.dev, worker.shape.pad, args.weights, 0, 0, args.tokens, 8, None)
        self.started = self.saved = self.reported = time.time()
        self.last_step = step
        signal.signal(signal.SIGTERM, self.stop)
        self.stopping = False
        text = "%d parameters on %s, step %d, options %s" % (worker.layout.size, worker.device, step, json.dumps(vars(args)))
        self.report(text)

    def stop(self, *_):
        self.stopping = True

    def report(self, text):
        line = time.strftime("%m-%d %H:%M:%S ", time.gmtime()) + text
        print(line, flush=True)
        with open(os.path.join(self.args.out, "log.txt"), "a") as log:
            log.write(line + "\n")

    def after(self, step, norm):
        args, now = self.args, time.time()
        ended = args.steps and step >= args.steps or args.decay and step - self.began >= args.decay
        leaving = self.stopping or args.minutes and now - self.started > 60 * args.minutes
        if step % 100 == 0 or step in (10, 20, 50) or ended:
            loss, labels, tokens, aligned, expected, lengths = self.worker.shared.counts.sum(0).tolist()
            risk_text = " risk %.4f" % (expected / lengths) if lengths else ""
            self.report("step %d loss %.3f align %.3f%s norm %.2f rate %.6f, %.0f tokens/step, %.0f tokens/s" % (
                step, loss / max(1, labels), aligned / max(1, labels), risk_text, norm, rate_at(step, args, self.began),
                tokens / (step - self.last_step), tokens / (now - self.reported)))
            self.worker.shared.counts.zero_()
            self.reported, self.last_step = now, step
        if step % args.check_steps == 0 or ended:
            self.report("step %d held-out %s" % (step, self.worker.check(self.dev, self.corpus)))
            self.checkpoint(step)
        if now - self.saved > 60 * args.save_minutes or ended or leaving:
            self.save(step)
            self.saved = time.time()
        if ended or leaving:
            if ended:
                open(os.path.join(args.out, "done"), "w").close()
            self.worker.shared.over.value = 1

    def write(self, state, name):
        path = os.path.join(self.args.out, name)
        torch.save({**state, "shape": vars(self.worker.shape)}, path + ".new")
        os.replace(path + ".new", path)

    def checkpoint(self, step):
        self.write({"weights": self.worker.layout.unpack(self.worker.shared.average), "step": step}, "checkpoint-%07d.pt" % step)
        for old in sorted(glob.glob(os.path.join(self.args.out, "checkpoint-*.pt")))[: -self.args.keep]:
            os.remove(old)

    def save(self, step):
        names = ("vector", "average", "mean", "square")
        state = {name: self.worker.layout.unpack(getattr(self.worker.shared, name)) for name in names}
        self.write({**state, "step": step, "began": self.began}, "last.pt")


if __name__ == "__main__":
    sys.exit(main())
