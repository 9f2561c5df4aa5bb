"""Tokens per second at fixed lengths, compared with the peers and with the limit of the machine."""

import dataclasses
import statistics
import sys

import engines
import levels
import machine
import models
import peers
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
    pieces: int = PIECES
    length: int = LENGTH

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
    reads = (step * case.length + source) * models.BYTES[case.precision] / case.in_flight  # per sentence
    operations = 2 * (step * case.length * case.beams + source * (case.pieces + 1))
    peak = measured["s8" if case.precision == "int8" else "f32"]
    by_memory = case.length * measured["reads"] / reads
    by_matmul = case.length * peak / operations if peak else float("inf")
    return min((by_memory, "memory"), (by_matmul, "matmul"))


def open_dragoman(setup, model, case):
    return engines.Dragoman(
        setup.program,
        threads=case.threads,
        rows=(IN_FLIGHT[case.beams] if case.alone else case.in_flight) * case.beams,
        beams=case.beams,
        length=case.length,
        alone=case.alone,
        **model.dragoman(setup.program, case.precision),
    )


class Row:
    """One row of a table: engines that take turns with the same sentences."""

    def __init__(self, setup, model, case, names):
        """names: the peers."""
        count = setup.alone * model.repeat if case.alone else case.in_flight * case.threads * setup.batches
        self.setup, self.model, self.case = setup, model, case
        self.sentences = model.random_sentences(count, case.pieces)
        self.engines = {name: peers.open_alternatives(name, model, case) for name in names}
        self.engines["dragoman"] = [open_dragoman(setup, model, case)]
        self.rates = {name: [[] for _ in engines] for name, engines in self.engines.items()}
        self.limits, self.outputs = [], {}

    def round(self, keep):
        """Measures tokens per second."""
        for name, alternatives in self.engines.items():
            self.outputs[name] = []  # of each alternative
            for rates, engine in zip(self.rates[name], alternatives):
                result = engine.translate(sentences=self.sentences)
                self.outputs[name].append(result)
                if keep:
                    rates.append(len(self.sentences) * self.case.length / result.time(self.case.threads))
        if keep:
            size = self.model.weights()[0] * models.BYTES[self.case.precision]
            self.limits.append(machine.limits(self.setup.limits, self.case.threads, size))

    def measure(self):
        self.round(False)  # warm-up
        for _ in range(self.setup.rounds):
            self.round(True)
        self.report_noise()

    def report_noise(self):
        """Reports engines whose speed depends on the round: other programs disturb the measurement."""
        for name, alternatives in self.rates.items():
            for rates in alternatives:
                if max(rates) > NOISE * min(rates):
                    span = f"{min(rates):.0f} to {max(rates):.0f} tokens/s"
                    print(f"bench: {self.case}: {name} varies from {span} between rounds", file=sys.stderr)

    def in_flight(self):
        return 1 if self.case.alone else f"{self.case.threads} x {self.case.in_flight}"

    def best(self, name):
        """The fastest alternative of an engine."""
        rates = self.rates[name]
        return max(range(len(rates)), key=lambda i: statistics.median(rates[i]))

    def cell(self, name):
        """The rate of an engine, and how many times as fast dragoman is."""
        if name not in self.rates:
            return "-"
        best, ours = self.rates[name][self.best(name)], self.rates["dragoman"][0]
        rate = f"{statistics.median(best):.0f}"
        if name == "dragoman":
            return rate
        return f"{rate} ({statistics.median(a / b for a, b in zip(ours, best)):.2f})"

    def limit_cells(self):
        """The limit, and dragoman's share of it."""
        measured = {key: statistics.median(m[key] for m in self.limits) for key in ("reads", "s8", "f32")}
        most, what = limit(self.case, self.model, measured)
        return f"{most:.0f} ({what})", f"{100 * statistics.median(self.rates['dragoman'][0]) / most:.0f} %"

    def same(self):
        """How many sentences all engines translate to the same tokens or, if a peer writes text, to the same text.

        In f32 they must. Marian is left out there, because its norms add another epsilon to the variance.
        """
        exact = self.case.precision == "f32"
        results = [
            result
            for name, alternatives in self.outputs.items()
            for result in (alternatives if exact else [alternatives[self.best(name)]])
            if not (exact and name == "pymarian")
        ]
        outputs = [result.pieces or result.texts for result in results]
        if any(result.texts for result in results):
            outputs = [[text_of(output) for output in engine] for engine in outputs]
        same = [all(a == b for b in others) for a, *others in zip(*outputs)]
        if exact and not all(same):
            self.setup.faults.append(f"{self.case}: the ids differ")
        return f"{sum(same)}/{len(same)}"

    def close(self):
        for engine in sum(self.engines.values(), []):
            engine.__exit__()


def text_of(output):
    return output if isinstance(output, str) else "".join(output).replace("▁", " ").strip()


def row_cells(setup, model, case, titles):
    """Measures a case; returns the cells of all peers in `titles`, dragoman's, and those of the limit."""
    row = Row(setup, model, case, [name for name in peers.names(setup, model, case) if name in titles])
    row.measure()
    cells = [*(row.cell(name) for name in [*titles, "dragoman"]), *row.limit_cells()]
    cells.append(row.same() if case.precision == "f32" else "-")
    row.close()
    return row.in_flight(), case.beams, *cells


def print_rows(setup, model, precisions):
    titles = [f"{peers.TITLES[name]} (ratio)" for name in model.peers]
    tables.head(
        "precision", "threads", "in flight", "beam", *titles, "dragoman", "limit", "reached", "same ids", words=1
    )
    for case in cases(setup, precisions):
        tables.row(case.precision, case.threads, *row_cells(setup, model, case, model.peers))
    print()


def print_speed(setup):
    print(f"## Tokens per second, {PIECES} pieces in, {LENGTH} tokens out\n")
    print_rows(setup, models.opus(setup.folder), setup.precisions)


def print_levels(setup):
    setup = dataclasses.replace(setup, transformers=False, threads=[1])
    model, found = models.opus(setup.folder), levels.of_this_machine(setup)
    names = ["ctranslate2"]
    print(f"## Tokens per second by CPU level, one thread, {PIECES} pieces in, {LENGTH} tokens out\n")
    levels.print_peaks(found)
    titles = [f"{peers.TITLES[name]} (ratio)" for name in names]
    tables.head("level", "precision", "in flight", "beam", *titles, "dragoman", "limit", "reached", words=2)
    for title, level, _ in found:
        with levels.held_to(level):
            for case in cases(setup, setup.precisions):
                tables.row(title, case.precision, *row_cells(setup, model, case, names)[:-1])
    print()
