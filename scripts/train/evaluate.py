#!/usr/bin/env python3
"""Translate sets of pairs with dragoman and score them; check copied text and the completeness of long lines.

A set is a tab-separated file of English and German; its scores are BLEU and chrF by sacrebleu. --prepared adds three
checks made from the held-out pairs: lines with addresses, placeholders, numbers and names, all of which must appear
in the translation; lines of 20 sentences, translated without splitting, whose words are counted; and the pairs in
capitals, compared with the same pairs in normal case.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys

import sacrebleu

import synthetic
from sources import DEV
from text import COPIED, WORD


def translate(program, model, lines, options):
    command = [program, "-q", "-m", model] + options
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit("%s: %s" % (" ".join(command), done.stderr.strip()))
    output = done.stdout.split("\n")[:-1]
    if len(output) != len(lines):
        raise SystemExit("%s: %d lines in, %d out" % (" ".join(command), len(lines), len(output)))
    return output


def read_pairs(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t")[:2] for line in lines]


def held_out(prepared):
    return [pair for name in DEV for pair in read_pairs(os.path.join(prepared, "dev-%s.tsv" % name))]


def copying_lines(pairs, side, rng, count=200):
    """Returns sources, each with the strings that its translation must contain."""
    lines = []
    plain = [pair for pair in pairs if 3 < len(pair[0].split()) < 25]
    while len(lines) < count:
        pair = rng.choice(plain)
        kind = len(lines) % 4
        if kind == 0:
            thing = rng.choice((synthetic.address, synthetic.mail))(rng)
            lines.append((pair[side].rstrip(".") + " (%s)." % thing, [thing]))
        elif kind == 1:
            made = synthetic.filled(synthetic.PLACEHOLDER_FRAMES, synthetic.placeholder, rng)
            things = [match[0] for match in COPIED.finditer(made[0])]
            if things and all(thing in made[1] for thing in things):
                lines.append((made[side], things))
        elif kind == 2:
            numbers = re.findall(r"(?<![\d.,:])\d{2,}(?![\d.,:]*\d)", pair[0])
            new = numbers and synthetic.renumbered(*pair, rng)
            if new:
                lines.append((new[side], re.findall(r"(?<![\d.,:])\d{2,}(?![\d.,:]*\d)", new[side])))
        else:
            person = rng.choice(synthetic.FIRST) + " " + rng.choice(synthetic.LAST).replace("-", " ")
            for old in synthetic.NAMES:
                if all(len(re.findall(r"\b%s\b" % old, text)) == 1 for text in pair):
                    lines.append((re.sub(r"\b%s\b" % old, person, pair[side]), [person]))
                    break
    return lines


def long_lines(pairs, rng, count=20, sentences=20):
    """Returns pairs of lines with 20 sentences each."""
    whole = [pair for pair in pairs if pair[0][-1:] in ".?!" and pair[1][-1:] in ".?!" and 4 < len(pair[0].split()) < 16]
    picked = [rng.sample(whole, sentences) for _ in range(count)]
    return [[" ".join(pair[side] for pair in line) for side in (0, 1)] for line in picked]


def in_capitals(lines):
    return [line.replace("ß", "SS").upper() for line in lines]


def accepts_no_split(program):
    return "--no-split" in subprocess.run([program, "--help"], capture_output=True, text=True).stdout


def words(lines):
    return sum(len(WORD.findall(line)) for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="folder or packed file")
    parser.add_argument("sets", nargs="*", help="tab-separated files of English and German")
    parser.add_argument("--direction", choices=("en-de", "de-en"), default="en-de")
    parser.add_argument("--dragoman", default=os.path.join(os.path.dirname(__file__), "..", "..", "dragoman"), metavar="PROGRAM")
    parser.add_argument("--prepared", metavar="FOLDER", help="folder of prepare.py; score its held-out pairs and run the checks")
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--precision", help="f32, bf16 or int8 (default: dragoman's choice)")
    parser.add_argument("--output", metavar="FOLDER", help="write the translations to this folder")
    parser.add_argument("--show", action="store_true", help="print each source, its translation and its reference, for lists/*.tsv")
    parser.add_argument("--json", metavar="FILE", help="write the scores to this file")
    args = parser.parse_args()

    side = 0 if args.direction == "en-de" else 1
    options = ["-b", str(args.beams)] + (["--precision", args.precision] if args.precision else [])
    figures = {}
    sets = list(args.sets)
    if args.prepared:
        sets += [os.path.join(args.prepared, "dev-%s.tsv" % name) for name in DEV]
    for path in sets:
        pairs = read_pairs(path)
        name = os.path.splitext(os.path.basename(path))[0]
        outputs = translate(args.dragoman, args.model, [pair[side] for pair in pairs], options)
        references = [[pair[1 - side] for pair in pairs]]
        bleu, chrf = (metric.corpus_score(outputs, references) for metric in (sacrebleu.BLEU(), sacrebleu.CHRF()))
        figures[name] = {"lines": len(pairs), "bleu": round(bleu.score, 2), "chrf": round(chrf.score, 2)}
        print("%-24s %5d lines  BLEU %5.2f  chrF %5.2f  length %.3f" % (name, len(pairs), bleu.score, chrf.score, bleu.sys_len / bleu.ref_len), flush=True)
        if args.show:
            for pair, output in zip(pairs, outputs):
                print("  %s\n    -> %s%s" % (pair[side], output, "" if output == pair[1 - side] else "\n    == " + pair[1 - side]))
        if args.output:
            os.makedirs(args.output, exist_ok=True)
            with open(os.path.join(args.output, name + ".txt"), "w", encoding="utf-8") as out:
                out.writelines(output + "\n" for output in outputs)
    if args.prepared:
        pairs, rng = held_out(args.prepared), random.Random(7)
        lines = copying_lines(pairs, side, rng)
        outputs = translate(args.dragoman, args.model, [line[0] for line in lines], options)
        wrong = [(line, output) for line, output in zip(lines, outputs) if not all(thing in output for thing in line[1])]
        figures["copied"] = {"lines": len(lines), "exact": len(lines) - len(wrong)}
        print("copied exactly: %d of %d lines" % (len(lines) - len(wrong), len(lines)))
        for line, output in wrong[:8]:
            print("  %s\n    -> %s" % (line[0], output))
        pairs = long_lines(pairs, rng)
        whole = ["--no-split"] if accepts_no_split(args.dragoman) else []
        outputs = translate(args.dragoman, args.model, [pair[side] for pair in pairs], options + whole)
        share = words(outputs) / words([pair[1 - side] for pair in pairs])
        figures["long lines"] = {"lines": len(pairs), "share of the words": round(share, 3)}
        print("lines of 20 sentences: %.0f %% of the reference's words" % (100 * share))
        sources, references = zip(*[(pair[side], pair[1 - side]) for pair in held_out(args.prepared)])
        scores = {}
        for name, lines in (("bleu", in_capitals(sources)), ("bleu in normal case", list(sources))):
            outputs = translate(args.dragoman, args.model, lines, options)
            scores[name] = round(sacrebleu.corpus_bleu(in_capitals(outputs), [in_capitals(references)]).score, 2)
        figures["capitals"] = {"lines": len(sources), **scores}
        print("in capitals: BLEU %.2f, of the same lines in normal case %.2f" % tuple(scores.values()))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(figures, out, indent=1)


if __name__ == "__main__":
    sys.exit(main())
