"""Which peers there are, and how they are opened for a model and a case.

A model names the peers that can run it, and has a method for each, which returns its settings in peer_worker.py.
"""

import functools
import subprocess
import sys

import engines
import levels

TITLES = {
    "transformers": "transformers",
    "pymarian": "Marian",
    "ctranslate2": "CTranslate2",
    "fxtranslate": "fxtranslate",
}


@functools.cache
def is_installed(name):
    done = subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        why = done.stderr.splitlines()[-1:] or [f"its import ends with code {done.returncode}"]
        print(f"bench: {name} is not measured: {why[0]}", file=sys.stderr)
    return done.returncode == 0


def names(setup, model, case):
    """The peers that can run the case."""
    for name in model.peers:
        if name == "transformers" and not (setup.transformers and case.precision == "f32"):
            continue
        if name == "fxtranslate" and (case.threads, case.beams) != (1, 1):
            continue
        if is_installed(name):
            yield name


def open_alternatives(name, model, case):
    """The engines of one peer, of which the fastest counts."""
    settings, job = getattr(model, name)(case.precision), {"beams": case.beams, "length": case.length}
    if name == "transformers":
        return [engines.Peer(name, job=job | {"batch": case.in_flight}, threads=case.threads, **settings)]
    if name == "fxtranslate":
        return [engines.Peer(name, **settings)]
    if name == "pymarian":
        job |= {"source": case.pieces, "batch": case.in_flight, "threads": case.threads}
        return [engines.Peer(name, **each, **job) for each in settings]
    # For one sentence at a time, CTranslate2 has each thread count; for batches, a worker per thread.
    inside = range(1, case.threads + 1) if case.alone else [1]
    settings |= {"workers": 1 if case.alone else case.threads}
    job |= {"batch": case.in_flight, **model.job}
    return [
        engines.Peer(name, environment, job, threads=threads, **settings)
        for threads in inside
        for environment in levels.of_ctranslate2()
    ]
