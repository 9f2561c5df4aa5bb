#!/usr/bin/env python3
"""Golden references of settings that choose among tokens: tests/golden/search/decoding.jsonl.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt
    python3 scripts/reference/make_decoding_goldens.py tests/golden/search

The models, the cases and what makes a case well defined are those of
make_search_goldens.py. The settings are exponential_decay_length_penalty,
sequence_bias and stop_strings of generate(). For stop_strings, `tokens` has the
text of each token; those of the start, padding and end tokens are empty.
"""

import random
import sys

import make_search_goldens as search

LETTERS = "aab c\u00e9"


class Texts:
    """What StopStringCriteria needs of a tokenizer."""

    def __init__(self, texts):
        self.texts = texts

    def get_vocab(self):
        return {str(i): i for i in range(len(self.texts))}

    def __call__(self, text, add_special_tokens=False):
        return {"input_ids": [len(self.texts)]}

    def _convert_id_to_token(self, token):
        return str(token)

    def convert_tokens_to_string(self, tokens):
        return "abcdef" + self.texts[int(tokens[-1])]


class TextModel(search.MarkovModel):
    def __init__(self, case):
        super().__init__(search.MarkovConfig(vocab_size=case["model"]["vocab"]), case["model"])
        self.texts = Texts(case["tokens"]) if "tokens" in case else None

    def generate(self, *args, **kwargs):
        return super().generate(*args, tokenizer=self.texts, **kwargs)


def token_texts(rng, case):
    s = case["settings"]
    special = {s["start"], s["pad"], *s["eos"]}
    return ["" if i in special else "".join(rng.choice(LETTERS) for _ in range(rng.randrange(1, 4)))
            for i in range(case["model"]["vocab"])]


def decay(rng, case, free):
    start = rng.randrange(0, max(1, len(free[0]["ids"]) - len(case["prefix"])))
    return {"exponential_decay_length_penalty": [start, rng.choice([0.8, 1.01, 1.05, 1.3, 2.0])]}


def biases(rng, case, free, longest):
    runs = {}
    for _ in range(rng.randrange(1, 5)):
        run = search.fragments(rng, free, longest)
        if all(run):
            runs[tuple(run)] = round(rng.uniform(-5, 5), 2)
            if rng.random() < 0.5:
                runs[tuple(run[-1:])] = round(rng.uniform(-2, 2), 2)
    first = (case["settings"]["start"], *free[0]["ids"][:1])
    if all(first) and rng.random() < 0.3:
        runs[first] = -3.0
    return [[list(run), bias] for run, bias in runs.items()]


def stops(rng, case, free):
    found = []
    for _ in range(rng.randrange(1, 4)):
        text = "".join(case["tokens"][i] for i in rng.choice(free)["ids"])
        length = min(rng.randrange(1, 8), len(text))
        at = rng.randrange(len(text) - length + 1) if text else 0
        if text:
            found.append(text[at : at + length])
    return found


FEATURES = {
    "decay": decay,
    "bias_single": lambda rng, case, free: {"sequence_bias": biases(rng, case, free, 1)},
    "bias_multi": lambda rng, case, free: {"sequence_bias": biases(rng, case, free, 4)},
    "stop": lambda rng, case, free: {"stop_strings": stops(rng, case, free)},
    "many": lambda rng, case, free: {
        **decay(rng, case, free),
        "sequence_bias": biases(rng, case, free, 3),
        "repetition_penalty": 1.2,
        "no_repeat_ngram_size": 3,
        "renormalize_logits": rng.random() < 0.5,
    },
}


def make_case(rng, feature):
    """Returns a well-defined case in which the feature changes the result, or None."""
    case = search.random_case(rng)
    if feature == "stop":
        case["tokens"] = token_texts(rng, case)
    model = TextModel(case)
    free = search.solve(model, case)
    if free is None or min(len(h["ids"]) for h in free["hypotheses"]) <= len(case["prefix"]):
        return None
    added = FEATURES[feature](rng, case, free["hypotheses"])
    if not all(added[key] for key in added if key in ("sequence_bias", "stop_strings")):
        return None
    case["settings"].update(added)
    case["feature"] = feature
    solved = search.solve(model, case)
    if solved is None or solved["hypotheses"] == free["hypotheses"]:
        return None
    return solved


def main():
    folder = search.begin(search.PINNED)
    rng = random.Random(20261123)
    cases = []
    for feature in FEATURES:
        made = 0
        while made < 28:
            case = make_case(rng, feature)
            if case is None:
                continue
            longest = max(len(h["ids"]) for h in case["hypotheses"])
            if longest - len(case["prefix"]) < 3 and rng.random() < 0.8:
                continue
            case["name"] = f"{feature} {made}"
            cases.append(case)
            made += 1
        print(feature, file=sys.stderr, flush=True)
    search.write(folder, "decoding.jsonl", cases)
    search.summary(cases)


if __name__ == "__main__":
    main()
