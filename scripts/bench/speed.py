"""Tokens per second at fixed lengths, compared with the peers and with the limit of the machine."""

import dataclasses
import statistics
import sys

import engines
import levels
import machine
import models
import tables

PIECES = LENGTH = 25  # source and target tokens per sentence
IN_FLIGHT = {1: 64, 4: 32}  # beam size: sentences per thread
NOISE = 1.2  # rounds that differ by a larger factor are reported


@dataclasses.dataclass
class Case:
    precision: str
    threads: int
    beams: int
    in_flight: int  # sentences per thread; 1: one sentence at a time, with any number of threads

    @property
    def alone(self):
        return self.in_flight == 1


def cases(setup, precisions):
    for precision in precisions:
        for threads in setup.threads:
            for beams in setup.beams:
                yield Case(precision, threads, beams, 1)
                yield Case(precision, threads, beams, IN_FLIGHT[beams])


def limit(case, model, measured):
    """Upper limit in tokens per second: weights are read once per step, and matmuls run at the peak."""
    step, source = model.weights()
    reads = (step * LENGTH + source) * models.BYTES[case.precision] / case.in_flight  # per sentence
    operations = 2 * (step * LENGTH * case.beams + source * (PIECES + 1))
    peak = measured["s8" if case.precision == "int8" else "f32"]
    by_memory = LENGTH * measured["reads"] / reads
    by_matmul = LENGTH * peak / operations if peak else float("inf")
    return min((by_memory, "memory"), (by_matmul, "matmul"))


def open_dragoman(setup, model, case):
    return engines.Dragoman(
        setup.program,
        threads=case.threads,
        rows=max(case.in_flight, IN_FLIGHT[case.beams]) * case.beams,
        beams=case.beams,
        length=LENGTH,
        **model.dragoman(setup.program, case.precision),
    )


def open_ctranslate2(model, case):
    """The peers of which the best counts. For one sentence at a time, they have each thread count; for batches, a
    worker per thread."""
    inside = range(1, case.threads + 1) if case.alone else [1]
    settings = model.ctranslate2(case.precision) | {"workers": 1 if case.alone else case.threads}
    return [
        engines.Peer("ctranslate2", environment, threads=threads, **settings)
        for threads in inside
        for environment in levels.of_ctranslate2()
    ]


class Row:
    """One row of the table: engines that take turns with the same sentences."""

    def __init__(self, setup, model, case):
        count = setup.alone if case.alone else case.in_flight * case.threads * setup.batches
        self.setup, self.model, self.case = setup, model, case
        self.sentences = model.random_sentences(count, PIECES)
        self.ours = open_dragoman(setup, model, case)
        self.theirs = open_ctranslate2(model, case)
        self.torch = None
        if case.precision == "f32" and setup.transformers:
            self.torch = engines.Peer("transformers", model=str(model.folder), threads=case.threads)
        self.rates = {"ours": [], "theirs": [], "torch": [], "limits": []}
        self.pieces = {}

    def translate(self, name, engine, sentences):
        """Returns tokens per second."""
        if name == "ours":
            result = engine.translate(sentences, one_by_one=self.case.alone)
        else:
            result = engine.translate(
                sentences=sentences, beams=self.case.beams, batch=self.case.in_flight, length=LENGTH, **self.model.job
            )
        self.pieces[name] = result.pieces
        return len(sentences) * LENGTH / result.seconds

    def round(self, keep):
        ours = self.translate("ours", self.ours, self.sentences)
        theirs = [self.translate("theirs", peer, self.sentences) for peer in self.theirs]
        if not keep:
            return
        self.rates["ours"].append(ours)
        self.rates["theirs"].append(theirs)
        size = self.model.weights()[0] * models.BYTES[self.case.precision]
        self.rates["limits"].append(machine.limits(self.setup.limits, self.case.threads, size))

    def measure(self):
        self.round(False)  # warm-up
        for _ in range(self.setup.rounds):
            self.round(True)
        self.report_noise()
        if self.torch:
            few = self.sentences[: self.case.in_flight * self.case.threads if not self.case.alone else 4]
            self.translate("torch", self.torch, few[:1])
            self.rates["torch"] = [self.translate("torch", self.torch, few) for _ in range(min(3, self.setup.rounds))]

    def report_noise(self):
        """Reports engines whose speed depends on the round: other programs disturb the measurement."""
        peers = [("CTranslate2", rates) for rates in zip(*self.rates["theirs"])]
        for name, rates in [("dragoman", self.rates["ours"]), *peers]:
            if max(rates) > NOISE * min(rates):
                span = f"{min(rates):.0f} to {max(rates):.0f} tokens/s"
                print(f"bench: {self.case}: {name} varies from {span} between rounds", file=sys.stderr)

    def cells(self):
        case, median = self.case, statistics.median
        best = max(range(len(self.theirs)), key=lambda i: median(rates[i] for rates in self.rates["theirs"]))
        theirs = [rates[best] for rates in self.rates["theirs"]]
        ours = median(self.rates["ours"])
        ratio = median(a / b for a, b in zip(self.rates["ours"], theirs))
        measured = {key: median(m[key] for m in self.rates["limits"]) for key in ("reads", "s8", "f32")}
        most, what = limit(case, self.model, measured)
        torch = f"{median(self.rates['torch']):.0f}" if self.torch else "-"
        in_flight = 1 if case.alone else f"{case.threads} x {case.in_flight}"
        rates = (torch, f"{median(theirs):.0f}", f"{ours:.0f}", f"{ratio:.2f}")
        share = (f"{most:.0f} ({what})", f"{100 * ours / most:.0f} %")
        same = self.same_ids() if case.precision == "f32" else "-"
        return case.precision, case.threads, in_flight, case.beams, *rates, *share, same

    def same_ids(self):
        """How many sentences all engines translate to the same ids, of those that all have translated."""
        peers = [self.pieces[name] for name in ("theirs", "torch") if name in self.pieces]
        same = [all(a == b for b in others) for a, *others in zip(self.pieces["ours"], *peers)]
        if not all(same):
            self.setup.faults.append(f"{self.case}: the ids differ")
        return f"{sum(same)}/{len(same)}"

    def close(self):
        for engine in [self.ours, self.torch, *self.theirs]:
            if engine:
                engine.__exit__()


def print_rows(setup, model, precisions):
    what = ("precision", "threads", "in flight", "beam")
    rates = ("transformers", "CTranslate2", "dragoman", "ratio")
    tables.head(*what, *rates, "limit", "reached", "same ids", words=1)
    for case in cases(setup, precisions):
        row = Row(setup, model, case)
        row.measure()
        tables.row(*row.cells())
        row.close()
    print()


def print_speed(setup):
    print(f"## Tokens per second, {PIECES} pieces in, {LENGTH} tokens out\n")
    print_rows(setup, models.opus(setup.folder), setup.precisions)


def print_level(setup, model, title):
    for case in cases(setup, setup.precisions):
        row = Row(setup, model, case)
        row.measure()
        precision, _, in_flight, beams, _, *rates, _ = row.cells()
        tables.row(title, precision, in_flight, beams, *rates)
        row.close()


def print_levels(setup):
    setup = dataclasses.replace(setup, transformers=False, threads=[1])
    model, found = models.opus(setup.folder), levels.of_this_machine(setup)
    print(f"## Tokens per second by CPU level, one thread, {PIECES} pieces in, {LENGTH} tokens out\n")
    levels.print_peaks(found)
    columns = ("CTranslate2", "dragoman", "ratio", "limit", "reached")
    tables.head("level", "precision", "in flight", "beam", *columns, words=2)
    for title, level, _ in found:
        with levels.held_to(level):
            print_level(setup, model, title)
    print()
