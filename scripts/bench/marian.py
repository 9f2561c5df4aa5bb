"""Runs marian-decoder, if it is on the PATH, with a model in Marian's own format.

A process that is fed sentence by sentence waits for more input before it translates, so its input is complete
from the start. What loading takes is measured with few sentences, and subtracted.
"""

import functools
import shutil
import subprocess
import sys
import time

LEAST = 512  # sentences that are timed


def command(model, threads, beams, in_flight):
    """Marian has no minimum length: the model never ends a sentence, and the length factor does."""
    options = {"config": model.folder / "decoder.yml", "cpu-threads": threads, "beam-size": beams}
    options |= {"mini-batch": in_flight, "maxi-batch": 1 if in_flight == 1 else 100, "max-length-factor": 1}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return ["marian-decoder", *words, "--quiet", "--quiet-translation"]


def elapsed(words, sentences):
    """Seconds of a whole process, or None if it fails."""
    lines = "".join("".join(pieces).replace("▁", " ").strip() + "\n" for pieces in sentences)
    start = time.perf_counter()
    done = subprocess.run(words, input=lines, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode == 0 and done.stdout.count("\n") == len(sentences):
        return seconds
    print(f"bench: exit code {done.returncode} from {' '.join(words)}\n{done.stderr}", file=sys.stderr)
    return None


@functools.cache
def is_installed():
    return shutil.which("marian-decoder") is not None


def rate(model, case, sentences):
    """Tokens per second; None without a marian-decoder that can run the model.

    Marian counts the end of a source sentence, so with a length factor of 1 it writes one token more than it reads.
    """
    if not is_installed():
        return None
    words = command(model, case.threads, case.beams, case.in_flight)
    few = sentences[: case.in_flight * case.threads]
    many = few + sentences * (LEAST // len(sentences) + 1)
    loading = elapsed(words, few)
    total = loading and elapsed(words, many)
    if not total:
        return None
    return sum(len(pieces) + 1 for pieces in many[len(few) :]) / (total - loading)
