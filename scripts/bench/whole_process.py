"""Whole processes: the time from start to end for one short sentence, and peak memory."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time

import engines
import models
import speed
import tables

TEXT, LENGTH, BEAMS = "Good morning", 5, 4  # tokens out
MB = 1e6


def run(command, data):
    """Returns elapsed seconds and CPU seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([str(word) for word in command], input=data, stdout=subprocess.PIPE, check=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def peer(model, **job):
    """The command and the input that run one job of peer_worker.py in its own process."""
    settings = {"workers": 1, "threads": os.cpu_count(), **model.ctranslate2("int8")}
    if "lines" in job:
        settings["spm"] = str(model.folder)
    command = [sys.executable, engines.WORKER, "ctranslate2", json.dumps(settings)]
    return command, json.dumps({"beams": BEAMS, "batch": 1, "length": LENGTH, **job}).encode()


def programs(setup, model):
    """(name, command, input) of each program; times are relative to the first."""
    options = {"beam": BEAMS, "min-length": LENGTH, "max-length": LENGTH}
    text = (TEXT + "\n").encode()
    packed = engines.dragoman_command(setup.program, **options, **model.dragoman(setup.program, "int8"))
    folder = engines.dragoman_command(setup.program, **options, model=model.folder, precision="int8")
    return [
        ("dragoman, packed file", packed, text),
        ("dragoman, folder", folder, text),
        ("CTranslate2, with SentencePiece", *peer(model, lines=[TEXT])),
        ("CTranslate2, pieces only", *peer(model, sentences=model.random_sentences(1, 3))),
    ]


def print_start(setup):
    print(f"## Whole process: one short sentence, {LENGTH} tokens out, beam {BEAMS}, int8, files in the page cache\n")
    tables.head("model", "program", "elapsed, ms", "CPU time, ms", "relative to the first row", words=2)
    for name, model in (("OPUS-MT-sized", models.opus(setup.folder)), ("models/en-de", models.shipped(setup.folder))):
        rows = programs(setup, model)
        times = [[run(command, data) for _, command, data in rows] for _ in range(setup.starts + 1)][1:]
        for i, (program, *_) in enumerate(rows):
            wall, cpu = (statistics.median(turn[i][k] for turn in times) for k in (0, 1))
            ratio = statistics.median(turn[i][0] / turn[0][0] for turn in times)
            tables.row(name, program, f"{1e3 * wall:.0f}", f"{1e3 * cpu:.0f}", f"{ratio:.1f}")
    print()


def print_memory(setup):
    model = models.opus(setup.folder)
    packed = model.dragoman(setup.program, "int8")["model"].stat().st_size / MB
    print(f"## Peak memory: OPUS-MT-sized, int8, {speed.PIECES} tokens in and out, packed file of {packed:.0f} MB\n")
    tables.head("workers", "in flight", "beam", "CTranslate2, MB", "dragoman, MB", "dragoman without the file, MB")
    for beams in setup.beams:
        for threads in setup.threads:
            row = speed.Row(setup, model, speed.Case("int8", threads, beams, 64), ["ctranslate2"])
            row.round(False)
            theirs, ours = (row.engines[name][0].peak_memory() / MB for name in ("ctranslate2", "dragoman"))
            tables.row(threads, f"{threads} x 64", beams, f"{theirs:.0f}", f"{ours:.0f}", f"{ours - packed:.0f}")
            row.close()
    print()
