#!/usr/bin/env python3
"""Golden references of diverse beam search: tests/golden/search/groups.jsonl.

    python3 -m venv /tmp/reference && . /tmp/reference/bin/activate
    pip install -r scripts/reference/requirements.txt transformers==4.55.4
    python3 scripts/reference/make_group_goldens.py tests/golden/search

As make_search_goldens.py, but with num_beam_groups. transformers 4.55.4 is the last version with group beam search;
4.57 has moved it to a repository of its own, with the same code.
"""

import random

import make_search_goldens as search

PINNED = "4.55.4"
CASES = 160


def grouped(rng):
    """A random case with groups of beams."""
    case = search.random_case(rng)
    groups, each = rng.choice([(2, 1), (2, 2), (3, 1), (3, 2), (2, 3), (4, 1), (4, 2)])
    settings = case["settings"]
    settings["beams"] = groups * each
    settings["n_best"] = rng.choice([1, groups, groups * each])
    settings["num_beam_groups"] = groups
    settings["suppress_tokens"] = [settings["pad"]]  # a group that is done takes this token, and others pay for it
    settings["diversity_penalty"] = rng.choice([0.25, 0.5, 1.0, 2.5])
    return case


EXTRA = {
    "plain": lambda rng, case: {},
    "min_length": lambda rng, case: {"min_length": rng.randrange(2, 8)},
    "repetition": lambda rng, case: {"repetition_penalty": rng.choice([0.8, 1.2])},
    "ngram": lambda rng, case: {"no_repeat_ngram_size": rng.choice([2, 3])},
    "forced_eos": lambda rng, case: {
        "forced_eos_token_id": case["settings"]["eos"][0],
        "max_length": len(case["prefix"]) + rng.randrange(3, 9),
    },
    "forced_bos": lambda rng, case: {"forced_bos_token_id": rng.randrange(case["model"]["vocab"])},
    "short": lambda rng, case: {"max_length": len(case["prefix"]) + rng.randrange(2, 6)},
}


def cut(case):
    """Removes the padding after the end token, which beam_indices of this version count as a token."""
    for hypothesis in case["hypotheses"]:
        ids, begin = hypothesis["ids"], len(case["prefix"])
        ends = [i for i in range(begin, len(ids)) if ids[i] in case["settings"]["eos"]]
        hypothesis["ids"] = ids[: ends[0] + 1] if ends else ids
    return case


def make_case(rng, feature):
    """Returns a well-defined case that differs from ordinary beam search, or None."""
    case = grouped(rng)
    case["settings"].update(EXTRA[feature](rng, case))
    case["feature"] = feature
    model = search.MarkovModel(search.MarkovConfig(vocab_size=case["model"]["vocab"]), case["model"])
    solved = search.solve(model, case)
    ordinary = {k: v for k, v in case["settings"].items() if k not in ("num_beam_groups", "diversity_penalty")}
    free = search.solve(model, dict(case, settings=ordinary))
    if solved is None or free is None or solved["hypotheses"] == free["hypotheses"]:
        return None
    return cut(solved)


def main():
    folder = search.begin(PINNED)
    rng = random.Random(20261123)
    cases = []
    for number in range(CASES):
        feature = list(EXTRA)[number % len(EXTRA)]
        case = None
        while case is None:
            case = make_case(rng, feature)
        cases.append(dict(case, name=f"groups {feature} {number}"))
    search.summary(cases)
    search.write(folder, "groups.jsonl", cases)


if __name__ == "__main__":
    main()
