#!/usr/bin/env python3
"""Translate a test set with an exported folder through transformers and score it with sacrebleu."""

import argparse
import sys

import sacrebleu
import torch
from transformers import MarianMTModel, MarianTokenizer


def translate(folder, sources, beams, rows):
    """Translations in the order of `sources`."""
    tokenizer = MarianTokenizer.from_pretrained(folder)
    model = MarianMTModel.from_pretrained(folder, torch_dtype=torch.float32).eval()
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    outputs = [""] * len(sources)
    for at in range(0, len(order), rows):
        chosen = order[at : at + rows]
        batch = tokenizer([sources[i] for i in chosen], return_tensors="pt", padding=True).to(model.device)
        limit = 20 + 3 * batch["input_ids"].shape[1]
        ids = model.generate(**batch, num_beams=beams, max_length=min(limit, model.config.max_position_embeddings))
        for i, text in zip(chosen, tokenizer.batch_decode(ids, skip_special_tokens=True)):
            outputs[i] = text
    return outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="exported model")
    parser.add_argument("tests", nargs="+", help="tab-separated files of source and reference")
    parser.add_argument("--hypotheses", metavar="FILE", help="score this translation of the (only) test set instead")
    parser.add_argument("--output", metavar="FILE", help="write the translations, one a line")
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--rows", type=int, default=64, help="sentences translated at once")
    parser.add_argument("--first", type=int, help="translate only so many lines of each test set")
    args = parser.parse_args()

    for test in args.tests:
        with open(test, encoding="utf-8") as lines:
            pairs = [line.rstrip("\n").split("\t")[:2] for line in lines][: args.first]
        if args.hypotheses:
            with open(args.hypotheses, encoding="utf-8") as lines:
                outputs = [line.rstrip("\n") for line in lines][: args.first]
        else:
            outputs = translate(args.folder, [pair[0] for pair in pairs], args.beams, args.rows)
        if args.output:
            with open(args.output, "w", encoding="utf-8") as out:
                out.writelines(output + "\n" for output in outputs)
        print(test)
        for metric in (sacrebleu.BLEU(), sacrebleu.CHRF()):
            score = metric.corpus_score(outputs, [[pair[1] for pair in pairs]])
            print("  " + score.format(signature=str(metric.get_signature())))


if __name__ == "__main__":
    sys.exit(main())
