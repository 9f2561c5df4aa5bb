#!/usr/bin/env python3
"""Golden references of the filters of sampling: tests/golden/search/filters.jsonl.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_sampling_goldens.py tests/golden/search

Each case has logits, settings, and the probabilities from which generate() of transformers draws. The logits are
multiples of 1/64, so that they are written exactly. A case is kept only if no probability is close to a limit.
"""

import random

import torch
import transformers
from transformers import GenerationConfig
from transformers.generation.utils import GenerationMixin

import make_search_goldens as search

CASES = 240
NAMES = ("temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")


class Bare(GenerationMixin):
    """What _get_logits_processor() needs."""

    config = transformers.PretrainedConfig(is_encoder_decoder=True)


def filters(settings, ends, beams):
    """The processors of transformers, in its order."""
    config = GenerationConfig(do_sample=True, num_beams=beams, **settings)
    config._eos_token_tensor = torch.tensor(list(range(ends)))
    config.min_length = 0
    return Bare()._get_logits_processor(config, input_ids_seq_length=1, device="cpu")


def probabilities(settings, logits, ends, beams):
    scores = filters(settings, ends, beams)(torch.tensor([[0]]), torch.tensor([logits]))
    return torch.softmax(scores, -1)[0].tolist()


def random_settings(rng):
    values = {
        "temperature": rng.choice([0.3, 0.7, 1.3, 2.5]),
        "top_k": rng.choice([1, 3, 10, 100]),
        "top_p": rng.choice([0.2, 0.6, 0.9, 0.99]),
        "min_p": rng.choice([0.01, 0.1, 0.4]),
        "typical_p": rng.choice([0.2, 0.6, 0.95]),
        "epsilon_cutoff": rng.choice([3e-4, 0.01, 0.05]),
        "eta_cutoff": rng.choice([3e-4, 0.01, 0.1]),
    }
    chosen = rng.sample(NAMES, rng.choice([1, 1, 1, 2, 3]))
    settings = {name: values[name] for name in NAMES if name in chosen}
    settings.setdefault("top_k", 0)
    return settings


def near(settings, name, factor):
    return dict(settings, **{name: min(settings[name] * factor, 0.999999)})


def make_case(rng):
    settings, width = random_settings(rng), rng.choice([2, 7, 40, 300])
    spread, beams, ends = rng.choice([16, 64, 256]), rng.choice([1, 1, 4]), rng.choice([1, 2])
    logits = [x / 64 for x in rng.sample(range(-spread, spread + 1), min(width, 2 * spread))]
    width = len(logits)
    if rng.random() < 0.3:
        logits[0] = logits[-1]
    if rng.random() < 0.3:
        logits[rng.randrange(width)] = -1e4  # as good as forbidden
    found = probabilities(settings, logits, ends, beams)
    for name in set(NAMES[2:]) & set(settings):
        for factor in (1 - 1e-4, 1 + 1e-4):
            if [p > 0 for p in probabilities(near(settings, name, factor), logits, ends, beams)] != [p > 0 for p in found]:
                return None
    if len(set(logits)) < width and ("top_p" in settings or "typical_p" in settings or beams > 1):
        return None  # torch.sort orders equal values as it likes
    return {
        "settings": settings,
        "least": 1 if beams == 1 else ends + 1,
        "logits": logits,
        "kept": [i for i, p in enumerate(found) if p > 0],
        "probabilities": [float("%.7g" % p) for p in found if p > 0],
    }


def main():
    folder = search.begin(search.PINNED)
    rng = random.Random(20261123)
    cases = []
    while len(cases) < CASES:
        case = make_case(rng)
        if case:
            cases.append(case)
    search.write(folder, "filters.jsonl", cases)
    print(f"{len(cases)} cases, {sum(len(c['kept']) for c in cases)} of {sum(len(c['logits']) for c in cases)} tokens kept")


if __name__ == "__main__":
    main()
