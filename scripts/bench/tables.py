"""Markdown tables, printed row by row."""


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def head(*columns, words=0):
    """words: how many of the first columns are text."""
    row(*columns)
    print(f"|{'|'.join('--' if i < words else '--:' for i in range(len(columns)))}|")
