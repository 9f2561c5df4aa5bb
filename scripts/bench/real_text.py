"""Lines of real text per second, from text to text: models/en-de in int8 with beam 4."""

import statistics

import engines
import models
import tables
import texts

BEAMS, BATCH = 4, 16  # BATCH: sentences per batch of CTranslate2; larger batches are slower with this model


def bleu(hypotheses, path):
    import sacrebleu

    references = texts.lines(path, len(hypotheses))
    return f"{sacrebleu.corpus_bleu(hypotheses, [references]).score:.2f}"


def measure(setup, model, lines, threads):
    ours, theirs, ratios = [], [], []
    peer = {"workers": threads, "threads": 1, "spm": str(model.folder), **model.ctranslate2("int8")}
    program = {"beams": BEAMS, "pieces": False, **model.dragoman(setup.program, "int8")}
    with (
        engines.Peer("ctranslate2", **peer) as ctranslate2,
        engines.Dragoman(setup.program, threads=threads, **program) as dragoman,
    ):
        for kept in [False] + [True] * setup.rounds:
            part = lines if kept else lines[:64]
            a = dragoman.translate(lines=part)
            b = ctranslate2.translate(lines=part, beams=BEAMS, batch=BATCH)
            if kept:
                ours.append(len(lines) / a.time(threads))
                theirs.append(len(lines) / b.time(threads))
                ratios.append(ours[-1] / theirs[-1])
    scores = [bleu(result.texts, setup.reference) if setup.reference else "-" for result in (b, a)]
    return *(statistics.median(values) for values in (theirs, ours, ratios)), *scores


def print_text(setup):
    lines = texts.lines(setup.text, setup.lines)
    words = sum(len(line.split()) for line in lines) / len(lines)
    print(f"## Real text: {len(lines)} lines of {words:.1f} words on average, models/en-de, int8, beam {BEAMS}\n")
    columns = ("CTranslate2, lines/s", "dragoman, lines/s", "ratio", "dragoman, relative to 1 thread")
    tables.head("threads", *columns, "BLEU of CTranslate2", "BLEU of dragoman")
    first = None
    for threads in setup.threads:
        theirs, ours, ratio, *scores = measure(setup, models.shipped(setup.folder), lines, threads)
        first = first or ours
        tables.row(threads, f"{theirs:.0f}", f"{ours:.0f}", f"{ratio:.2f}", f"{ours / first:.2f}", *scores)
    print()
