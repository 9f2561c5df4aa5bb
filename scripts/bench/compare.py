"""Times dragoman beside transformers generate() on one Marian folder.

    python compare.py PROGRAM MODEL [--timer gemm_timer.so] [--runs 5] [--threads 1 2] [--beams 1 4]

Both get the same sentences of 25 random pieces and have to write exactly 25 tokens for each, 32
sentences at a time. transformers: the time of generate() for one batch of 32, the model loaded before.
dragoman: the time of a whole process with 96 sentences less that of one with 32, so that
starting and loading do not count; its threads share the 32 sentences in flight. Runs alternate, the
median counts, and the ids of both must agree.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BATCH, PIECES, LENGTH = 32, 25, 25


class Transformers:
    """A transformers_worker.py with the model loaded."""

    def __init__(self, model, threads):
        worker = pathlib.Path(__file__).with_name("transformers_worker.py")
        self.process = subprocess.Popen(
            [sys.executable, str(worker), model, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.versions = json.loads(self.process.stdout.readline())

    def translate(self, ids, beams):
        job = {"ids": ids, "beams": beams, "length": LENGTH}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Dragoman:
    """Runs of the program; each gives its seconds, its ids and its peak memory."""

    def __init__(self, program, model, threads, beams):
        rows = max(1, BATCH // threads) * beams
        self.command = [program, "--model", model, "--pieces", "--format", "jsonl", "--beam", str(beams)]
        self.command += ["--min-length", str(LENGTH), "--max-length", str(LENGTH)]
        self.command += ["--threads", str(threads), "--batch-rows", str(rows)]

    def translate(self, lines, environment=None):
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
            source.write("".join(line + "\n" for line in lines).encode())
            source.seek(0)
            start = time.perf_counter()
            process = subprocess.Popen(
                self.command, stdin=source, stdout=target, env=dict(os.environ, **(environment or {}))
            )
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                sys.exit(f"{' '.join(self.command)}: exit {process.returncode}")
            target.seek(0)
            ids = [json.loads(line)["translations"][0]["ids"] for line in target]
        return {"seconds": seconds, "ids": ids, "peak": usage.ru_maxrss * 1024}

    def products(self, lines, timer):
        """Operations and seconds (summed over threads) inside OpenBLAS."""
        with tempfile.NamedTemporaryFile("r") as sums:
            self.translate(lines, {"LD_PRELOAD": os.path.abspath(timer), "GEMM_TIMER": sums.name})
            return [float(word) for word in sums.read().split()]


def random_sentences(model, count):
    """Lines of pieces and their ids with the end token."""
    vocab = json.loads(pathlib.Path(model, "vocab.json").read_text())
    plain = sorted(piece for piece in vocab if re.fullmatch("▁?[a-z]+", piece))
    rng = random.Random(7)
    lines = [[rng.choice(plain) for _ in range(PIECES)] for _ in range(count)]
    ids = [[vocab[piece] for piece in line] + [vocab["</s>"]] for line in lines]
    return [" ".join(line) for line in lines], ids


def openblas_rate(program, threads):
    """GFLOP/s of sgemm on squares of 1024, a single-threaded call in each thread."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    path = re.search(r"libopenblas\S* => (\S+)", listed).group(1)
    blas = ctypes.CDLL(path)
    blas.openblas_set_num_threads(1)
    size, repeats = 1024, 12
    one = ctypes.c_float(1)
    matrices = [[(ctypes.c_float * (size * size))() for _ in range(3)] for _ in range(threads)]

    def multiply(a, b, c):
        blas.cblas_sgemm(101, 111, 112, size, size, size, one, a, size, b, size, ctypes.c_float(0), c, size)

    def work(mine):
        for _ in range(repeats):
            multiply(*mine)

    best = 0.0
    for mine in matrices:
        multiply(*mine)
    for _ in range(3):
        workers = [threading.Thread(target=work, args=(mine,)) for mine in matrices]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = max(best, threads * repeats * 2 * size**3 / (time.perf_counter() - start) / 1e9)
    return best


def measure(args, peer, threads, beams):
    """One row of the table."""
    few, many = random_sentences(args.model, BATCH)[0], random_sentences(args.model, 3 * BATCH)[0]
    ids = random_sentences(args.model, BATCH)[1]
    ours = Dragoman(args.program, args.model, threads, beams)
    theirs, differences = [], []
    reference = peer.translate(ids, beams)  # warm-up, and what the ids have to be
    for _ in range(args.runs):
        theirs.append(peer.translate(ids, beams))
        short, long = ours.translate(few), ours.translate(many)
        differences.append(long["seconds"] - short["seconds"])
    row = {
        "threads": threads,
        "beams": beams,
        "theirs": BATCH * LENGTH / statistics.median(run["seconds"] for run in theirs),
        "ours": 2 * BATCH * LENGTH / statistics.median(differences),
        "same": sum(a == b for a, b in zip(short["ids"], reference["ids"])),
        "their_peak": theirs[-1]["peak"],
        "our_peak": long["peak"],
    }
    if args.timer:
        operations, seconds = ours.products(many, args.timer)
        row["rate"] = operations / seconds / 1e9 * threads
    return row


def print_row(row, blas):
    rate = f"{row['rate']:4.0f} ({100 * row['rate'] / blas:.0f} %)" if "rate" in row else "-"
    print(
        f"| {row['threads']} | {row['beams']} | {row['theirs']:.0f} | {row['ours']:.0f} | "
        f"{row['ours'] / row['theirs']:.2f} | {rate} | {blas:.0f} | {row['same']}/{BATCH} | "
        f"{row['their_peak'] / 1e6:.0f} | {row['our_peak'] / 1e6:.0f} |",
        flush=True,
    )


def processor():
    with open("/proc/cpuinfo") as info:
        return next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--timer")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 4])
    args = parser.parse_args()
    if os.cpu_count() < max(args.threads):
        args.threads = [n for n in args.threads if n <= os.cpu_count()]

    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    size = os.path.getsize(os.path.join(args.model, "model.safetensors"))
    print(f"{processor()}, {os.cpu_count()} cores; commit {commit}; weights {size / 1e6:.0f} MB; {args.runs} runs, medians")
    agree = True
    for threads in args.threads:
        peer = Transformers(args.model, threads)
        if threads == args.threads[0]:
            print(f"transformers {peer.versions['transformers']}, torch {peer.versions['torch']}\n")
            print("| threads | beam | transformers, tokens/s | dragoman, tokens/s | ratio | GFLOP/s in the products | "
                  "OpenBLAS sgemm 1024 | same ids | transformers, MB | dragoman, MB |")
            print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        blas = openblas_rate(args.program, threads)
        for beams in args.beams:
            row = measure(args, peer, threads, beams)
            agree &= row["same"] == BATCH
            print_row(row, blas)
        peer.close()
    if not agree:
        sys.exit("the ids differ")


if __name__ == "__main__":
    main()
