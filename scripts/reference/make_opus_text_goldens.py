#!/usr/bin/env python3
"""Random lines, and the same lines after the scripts of OPUS-MT's releases.

    make_opus_text_goldens.py preprocess.sh normalize-punctuation.perl tests/golden/opus_text

preprocess.sh is scripts/preprocess-spm.sh of Helsinki-NLP/OPUS-MT-train; it runs with
a program that changes nothing instead of spm_encode. normalize-punctuation.perl is from
Moses; the oldest releases call it after the first steps. Needs bash, sed and perl.
"""
import os
import random
import subprocess
import sys
import tempfile

import golden_store

MARKS = "，。、”“∶：？《》）！（；１」「０３２５６９７８４．～’…━〈〉【】％"
OTHERS = "\t\r\x01\x7f\x85\u00ad\u200b\u200c\u200d\u2060\ufeff\ue000\U000e0001\u0378"
QUOTED = '"\'`´„‘‚«»–—\u00a0\u00a0 .,,..:;!?()%º<nCcm123ab'
LETTERS = "abcZ019.,;:!?'\"()-_<>&äßéñŁжЯ東京한글αβ\u0301\u00a0\u2009\u3000€½😀\ufffd"


def line(rng):
    weights = rng.choice([[3, 3, 1, 4, 0], [1, 0, 0, 1, 9]])
    kinds = rng.choices([" ", MARKS, OTHERS, LETTERS, QUOTED], weights, k=rng.randint(1, 40))
    return "".join(rng.choice(kind) for kind in kinds)


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def main(script, moses, folder):
    rng = random.Random(7)
    lines = ["", "   ", "\u200b", "。", "a。   b", "．．  。 x", MARKS, OTHERS, LETTERS] + [line(rng) for _ in range(400)]
    text = "".join(text + "\n" for text in lines)
    with tempfile.TemporaryDirectory() as tools:
        encoder = os.path.join(tools, "spm_encode")
        with open(encoder, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec cat\n")
        os.chmod(encoder, 0o755)
        env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
        done = subprocess.run(["bash", script, "en", "model"], input=text.encode(), env=env, capture_output=True,
                              check=True)
    assert done.stdout.count(b"\n") == len(lines)
    golden_store.unfold(folder)
    os.makedirs(folder, exist_ok=True)
    write(folder, "input.txt", text.encode())
    write(folder, "expected.txt", done.stdout)
    for name, code in (("en", "en"), ("deu", "de"), ("cs", "cs"), ("fi", "fi")):
        normalized = subprocess.run(["perl", moses, "-l", code], input=done.stdout, capture_output=True, check=True)
        spaces = subprocess.run(["sed", "s/  */ /g;s/^ *//g;s/ *$//g"], input=normalized.stdout, env=env,
                                capture_output=True, check=True)
        assert spaces.stdout.count(b"\n") == len(lines)
        write(folder, f"expected.{name}.txt", spaces.stdout)
    golden_store.fold(folder)


main(*sys.argv[1:])
