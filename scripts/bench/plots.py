"""Plots throughput by the number of sentences in flight and latency by sentence length; int8, one thread,
in CPU time."""

import statistics

import models
import speed

FLIGHTS = [1, 2, 4, 8, 16, 32, 64]
LENGTHS = [5, 10, 20, 40, 80]


def measure(setup, in_flight, length):
    """The median seconds per sentence of dragoman and of CTranslate2."""
    case = speed.Case("int8", 1, 1, in_flight, length, length)
    row = speed.Row(setup, models.opus(setup.folder), case, ["ctranslate2"])
    row.measure()
    row.close()
    return [length / max(map(statistics.median, row.rates[name])) for name in ("dragoman", "ctranslate2")]


def draw(axes, x, ours, theirs, labels, title):
    axes.plot(x, ours, "o-", label="dragoman")
    axes.plot(x, theirs, "s--", label="CTranslate2")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_title(title)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()


def save(path, *args, base=None):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    draw(axes, *args)
    if base:
        axes.set_xscale("log", base=base)
        axes.set_xticks(args[0], [str(x) for x in args[0]])
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    print(f"![{args[-1]}]({path})\n")


def print_plots(setup):
    setup.images.mkdir(parents=True, exist_ok=True)
    print("## Plots: OPUS-MT-sized, int8, greedy, one thread\n")
    length = speed.LENGTH
    rates = [[length / seconds for seconds in measure(setup, n, length)] for n in FLIGHTS]
    labels = ("sentences in flight", "tokens per second of CPU time")
    title = f"Throughput, {length} pieces in and out"
    save(setup.images / "throughput.png", FLIGHTS, *zip(*rates), labels, title, base=2)
    times = [[1e3 * seconds for seconds in measure(setup, 1, n)] for n in LENGTHS]
    labels = ("pieces in and out", "milliseconds of CPU time")
    save(setup.images / "latency.png", LENGTHS, *zip(*times), labels, "One sentence after the other")
