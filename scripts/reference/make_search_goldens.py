#!/usr/bin/env python3
"""Golden references of the search: tests/golden/search/cases.jsonl.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_search_goldens.py tests/golden/search

Runs generate() of transformers with a "Markov model", whose logits are a fixed
pseudo-random function of the previous token and the position. They are small
integers times powers of two, so that tests/unit/test_search.c computes the same
floats. A case is kept only if it is well defined: rounding decides no choice,
and the result is the same with a stable function instead of torch.topk, which
may return equal values in any order.

Lengths in the file count new tokens, without the start token.
"""

import json
import os
import random
import sys
import warnings

import numpy as np
import torch
import transformers
from transformers import GenerationConfig, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput

import golden_store

PINNED = "4.57.1"
GAP = 2e-5  # smallest difference of scores up to 8; relative above
REAL = -1.0e8  # lower scores mean "forbidden"


def mix(x):
    """Mixes 32 bits (the finalizer of MurmurHash3)."""
    x = np.asarray(x, dtype=np.uint64) & 0xFFFFFFFF
    x ^= x >> np.uint64(16)
    x = (x * np.uint64(0x85EBCA6B)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(13)
    x = (x * np.uint64(0xC2B2AE35)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    return x


def markov_logits(model, position):
    """[vocab, vocab]: row = previous token. Exact in float32:
    spread * (10 bits of (seed, previous, id)) / 1024
    + drift * (10 bits of (seed, previous, id, position)) / 1024
    and end_bonus + end_slope * position for the end tokens."""
    v = model["vocab"]
    previous, ids = np.meshgrid(np.arange(v), np.arange(v), indexing="ij")
    cell = mix(model["seed"] + 7919 * previous + 104729 * ids)
    still = cell & np.uint64(1023)
    moving = mix(cell + np.uint64(15485863 * (position + 1))) & np.uint64(1023)
    out = model["spread"] * still.astype(np.float64) / 1024 + model["drift"] * moving.astype(np.float64) / 1024
    for end in model["ends"]:
        out[:, end] += model["end_bonus"] + model["end_slope"] * position
    assert np.array_equal(out, out.astype(np.float32))
    return torch.from_numpy(out.astype(np.float32))


class MarkovConfig(PretrainedConfig):
    model_type = "markov"

    def __init__(self, vocab_size=8, **kwargs):
        self.vocab_size = vocab_size
        super().__init__(is_encoder_decoder=True, **kwargs)


class MarkovEncoder(torch.nn.Module):
    main_input_name = "input_ids"

    def forward(self, input_ids=None, **_):
        return BaseModelOutput(last_hidden_state=torch.zeros(*input_ids.shape, 1))


class MarkovModel(PreTrainedModel, GenerationMixin):
    config_class = MarkovConfig
    main_input_name = "input_ids"

    def __init__(self, config, model):
        super().__init__(config)
        self.unused = torch.nn.Parameter(torch.zeros(1))
        self.encoder = MarkovEncoder()
        self.table = [markov_logits(model, p) for p in range(64)]

    def get_encoder(self):
        return self.encoder

    def prepare_inputs_for_generation(self, input_ids, encoder_outputs=None, **_):
        return {"decoder_input_ids": input_ids, "encoder_outputs": encoder_outputs}

    def forward(self, decoder_input_ids=None, encoder_outputs=None, **_):
        position = decoder_input_ids.shape[1] - 1
        return Seq2SeqLMOutput(logits=self.table[position][decoder_input_ids[:, -1]][:, None, :])


class Watch:
    """Replaces torch.topk and torch.argmax and records how close the choices are."""

    def __init__(self, stable):
        self.stable = stable
        self.close = False
        self.topk, self.argmax = torch.topk, torch.argmax
        self.heuristic = GenerationMixin.__dict__["_check_early_stop_heuristic"].__func__

    def near(self, a, b):
        return abs(a - b) < GAP * max(1.0, abs(a) / 8)

    def note(self, values):
        values = [x for x in values if x > REAL]
        self.close |= any(self.near(a, b) for a, b in zip(values, values[1:]))

    def watched_topk(self, x, k, **kwargs):
        values, indices = torch.sort(x, dim=-1, descending=True, stable=True)
        self.note(values[0, : k + 1].tolist())
        return (values[:, :k], indices[:, :k]) if self.stable else self.topk(x, k=k, **kwargs)

    def watched_argmax(self, x, **kwargs):
        self.note(self.topk(x, k=2)[0][0].tolist())
        return self.argmax(x, **kwargs)

    def watched_heuristic(self, **kw):
        never = kw["early_stopping"] == "never" and kw["length_penalty"] > 0
        length = (kw["max_length"] if never else kw["cur_len"]) - kw["decoder_prompt_len"]
        best = (kw["running_beam_scores"][0, 0] / length ** kw["length_penalty"]).item()
        self.close |= self.near(best, kw["beam_scores"].min().item())
        return self.heuristic(**kw)

    def __enter__(self):
        torch.topk, torch.argmax = self.watched_topk, self.watched_argmax
        GenerationMixin._check_early_stop_heuristic = staticmethod(self.watched_heuristic)
        return self

    def __exit__(self, *_):
        torch.topk, torch.argmax = self.topk, self.argmax
        GenerationMixin._check_early_stop_heuristic = staticmethod(self.heuristic)


def generation_config(case):
    s = case["settings"]
    kept = {k: v for k, v in s.items() if k not in ("beams", "n_best", "min_length", "max_length", "eos", "start", "pad")}
    return GenerationConfig(
        num_beams=s["beams"],
        num_return_sequences=s["n_best"],
        min_length=s.get("min_length", 0) + 1 if s.get("min_length", 0) else 0,
        eos_token_id=s["eos"],
        pad_token_id=s["pad"],
        decoder_start_token_id=s["start"],
        do_sample=False,
        use_cache=False,
        return_dict_in_generate=True,
        output_scores=True,
        **kept,
    )


def read_hypotheses(out, case):
    s = case["settings"]
    prompt = 1 + len(case["prefix"])
    if s["beams"] > 1:
        lengths = (out.beam_indices >= 0).sum(dim=1).tolist()
        rows = zip(out.sequences.tolist(), lengths, out.sequences_scores.tolist())
        return [{"ids": ids[1 : prompt + n], "score": score} for ids, n, score in rows]
    ids = out.sequences[0].tolist()
    total = 0.0
    for step, scores in enumerate(out.scores):
        total += torch.log_softmax(scores[0], dim=-1)[ids[prompt + step]].item()
    return [{"ids": ids[1:], "score": total / len(out.scores) ** s.get("length_penalty", 1.0)}]


def run(model, case, stable):
    """Returns the hypotheses, or None if a choice is too close."""
    source = torch.tensor([case["source"]])
    decoder = torch.tensor([[case["settings"]["start"]] + case["prefix"]])
    with torch.no_grad(), Watch(stable) as watch:
        out = model.generate(
            source,
            decoder_input_ids=decoder,
            generation_config=generation_config(case),
            max_length=case["settings"]["max_length"] + 1,  # not in the config: 20 there would mean 21
        )
    return None if watch.close else read_hypotheses(out, case)


def solve(model, case):
    """Returns the case with its reference, or None if it is not well defined."""
    first, second = run(model, case, False), run(model, case, True)
    if first is None or first != second:
        return None
    if not all(np.isfinite(h["score"]) for h in first):
        return None
    return dict(case, hypotheses=first)


def random_model(rng, vocab, n_ends):
    ids = list(range(vocab))
    rng.shuffle(ids)
    start, ends = ids[0], sorted(ids[1 : 1 + n_ends])
    spread = rng.choice([2, 4, 8, 16])
    model = {
        "vocab": vocab,
        "seed": rng.randrange(1 << 24),
        "spread": spread,
        "drift": rng.choice([0.25, 1, 4]),
        "end_bonus": rng.choice([-2, -1, 0, 1, 2]) * spread / 8,
        "end_slope": rng.choice([0, 0.125, 0.25]),
        "ends": ends,
    }
    return model, start, ends


def random_case(rng):
    vocab = rng.choice([5, 6, 7, 8, 12, 20, 33, 64, 97, 150])
    n_ends = rng.choice([1, 1, 1, 2, 3]) if vocab > 7 else rng.choice([1, 1, 2])
    model, start, ends = random_model(rng, vocab, n_ends)
    beams = rng.choice([1, 2, 3, 4, 4, 6])
    ordinary = [i for i in range(vocab) if i != start and i not in ends]
    settings = {
        "beams": beams,
        "n_best": rng.choice([1, beams, beams]),
        "max_length": rng.choice([35, 35, 35, 20, 12]),
        "length_penalty": rng.choice([-0.5, 0.0, 0.6, 1.0, 2.0]),
        "early_stopping": rng.choice([False, True, "never"]),
        "start": start,
        "pad": rng.choice([start, ordinary[-1]]),
        "eos": ends,
    }
    prefix = [rng.choice(ordinary) for _ in range(rng.choice([0, 0, 0, 1, 3]))]
    source = [rng.choice(ordinary) for _ in range(rng.randrange(2, 9))]
    return {"model": model, "source": source, "prefix": prefix, "settings": settings}


def fragments(rng, hypotheses, longest):
    """Returns parts of hypotheses that an unrestricted search finds, so that banning them has an effect."""
    ids = rng.choice(hypotheses)["ids"]
    length = min(rng.randrange(1, longest + 1), len(ids))
    at = rng.randrange(len(ids) - length + 1)
    return ids[at : at + length]


def bad_words(rng, case, free, longest):
    words = [fragments(rng, free, longest) for _ in range(rng.randrange(1, 4))]
    start, eos = case["settings"]["start"], case["settings"]["eos"]
    if rng.random() < 0.3:
        words.append([eos[0]])
    if rng.random() < 0.3:
        words.append([start] + free[0]["ids"][:1])
    return words


def single_ids(rng, case, free, count):
    found = sorted({i for h in free for i in h["ids"]} - set(case["settings"]["eos"]))
    return rng.sample(found, min(count, len(found)))


def all_but(rng, case, count):
    """Returns all ids but `count`, so that beams run out of tokens and continue with scores of -1e9."""
    ordinary = [i for i in range(case["model"]["vocab"]) if i not in case["settings"]["eos"]]
    return sorted(rng.sample(ordinary, len(ordinary) - count))


FEATURES = {
    "plain": lambda rng, case, free: {},
    "min_length": lambda rng, case, free: {"min_length": min(len(free[0]["ids"]) + rng.randrange(1, 6), 34)},
    "short": lambda rng, case, free: {"max_length": max(1 + len(case["prefix"]), len(free[0]["ids"]) - rng.randrange(0, 4))},
    "repetition": lambda rng, case, free: {"repetition_penalty": rng.choice([0.8, 1.2])},
    "encoder_repetition": lambda rng, case, free: {"encoder_repetition_penalty": rng.choice([0.8, 1.2])},
    "ngram": lambda rng, case, free: {"no_repeat_ngram_size": rng.choice([1, 2, 3])},
    "encoder_ngram": lambda rng, case, free: {"encoder_no_repeat_ngram_size": rng.choice([1, 2, 3])},
    "bad_single": lambda rng, case, free: {"bad_words_ids": bad_words(rng, case, free, 1)},
    "bad_multi": lambda rng, case, free: {"bad_words_ids": bad_words(rng, case, free, 4)},
    "suppress": lambda rng, case, free: {"suppress_tokens": single_ids(rng, case, free, 2)},
    "begin_suppress": lambda rng, case, free: {
        "begin_suppress_tokens": sorted({h["ids"][len(case["prefix"])] for h in free} | {case["settings"]["eos"][0]})
    },
    "forced_bos": lambda rng, case, free: {"forced_bos_token_id": rng.randrange(case["model"]["vocab"])},
    "forced_bos_begin": lambda rng, case, free: {
        "forced_bos_token_id": rng.randrange(case["model"]["vocab"]),
        "begin_suppress_tokens": single_ids(rng, case, free, 3) + case["settings"]["eos"],
    },
    "forced_eos": lambda rng, case, free: {
        "forced_eos_token_id": rng.choice([case["settings"]["eos"][0], case["settings"]["eos"]]),
        "max_length": max(2 + len(case["prefix"]), len(free[0]["ids"]) - 2),
    },
    "renormalize": lambda rng, case, free: {
        "renormalize_logits": True,
        "suppress_tokens": single_ids(rng, case, free, 2),
        "repetition_penalty": 1.2,
    },
    "remove_invalid": lambda rng, case, free: {"remove_invalid_values": True, "no_repeat_ngram_size": 2},
    "few": lambda rng, case, free: {
        "suppress_tokens": all_but(rng, case, 2),
        "max_length": len(case["prefix"]) + rng.randrange(2, 7),
    },
    "few_forced_bos": lambda rng, case, free: {
        "forced_bos_token_id": rng.randrange(case["model"]["vocab"]),
        "suppress_tokens": all_but(rng, case, 2),
        "max_length": len(case["prefix"]) + rng.randrange(2, 7),
    },
    "many": lambda rng, case, free: {
        "no_repeat_ngram_size": 3,
        "repetition_penalty": 1.2,
        "bad_words_ids": bad_words(rng, case, free, 3),
        "min_length": 6,
        "encoder_repetition_penalty": 1.2,
        "renormalize_logits": rng.random() < 0.5,
    },
}


def make_case(rng, feature):
    """Returns a well-defined case in which the feature changes the result (except
    for plain cases), or None."""
    case = random_case(rng)
    if feature in ("encoder_ngram", "encoder_repetition", "many"):
        case["source"] += [case["settings"]["start"]]
    model = MarkovModel(MarkovConfig(vocab_size=case["model"]["vocab"]), case["model"])
    free = solve(model, case)
    if free is None or min(len(h["ids"]) for h in free["hypotheses"]) <= len(case["prefix"]):
        return None
    if feature == "encoder_ngram":
        case["source"] = case["source"] + fragments(rng, free["hypotheses"], 4)
    if feature == "encoder_ngram" and len(case["prefix"]) > 1:
        case["source"] = case["source"] + case["prefix"] + free["hypotheses"][0]["ids"][len(case["prefix"]) :][:1]
    case["settings"].update(FEATURES[feature](rng, case, free["hypotheses"]))
    case["feature"] = feature
    solved = solve(model, case)
    if solved is None or (feature != "plain" and solved["hypotheses"] == free["hypotheses"]):
        return None
    return solved


def summary(cases):
    lengths = [len(h["ids"]) - len(c["prefix"]) for c in cases for h in c["hypotheses"]]
    ended = [h["ids"][-1] in c["settings"]["eos"] for c in cases for h in c["hypotheses"] if h["ids"]]
    several = sum(len({len(h["ids"]) for h in c["hypotheses"]}) > 1 for c in cases)
    print(f"{len(cases)} cases, {len(lengths)} hypotheses, {sum(ended)} ended by themselves, "
          f"{several} cases with ends at several lengths, lengths {min(lengths)} to {max(lengths)}, "
          f"{sum(3 <= n <= 35 for n in lengths)} of them 3 to 35")


def begin(pinned):
    """Checks the version of transformers, silences it, and returns the folder of the references."""
    if transformers.__version__ != pinned:
        sys.exit(f"transformers {pinned} is needed, this is {transformers.__version__}")
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    return sys.argv[1] if len(sys.argv) > 1 else "tests/golden/search"


def write(folder, name, cases):
    golden_store.unfold(folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        for case in cases:
            f.write(json.dumps(case, separators=(",", ":")) + "\n")
    golden_store.fold(folder)


def main():
    folder = begin(PINNED)
    rng = random.Random(20240611)
    cases = []
    for feature in FEATURES:
        wanted = 160 if feature == "plain" else 28
        made = 0
        while made < wanted:
            case = make_case(rng, feature)
            if case is None:
                continue
            # Most hypotheses should be more than a token or two.
            longest = max(len(h["ids"]) for h in case["hypotheses"])
            few = feature.startswith("few")
            if few and case["settings"]["n_best"] == 1:
                continue
            if not few and longest - len(case["prefix"]) < 3 and rng.random() < 0.8:
                continue
            case["name"] = f"{feature} {made}"
            cases.append(case)
            made += 1
        print(feature, file=sys.stderr, flush=True)
    write(folder, "cases.jsonl", cases)
    summary(cases)


if __name__ == "__main__":
    main()
