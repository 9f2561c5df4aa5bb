"""Lines of real text, from a file or from dragoman's own documents."""

import itertools
import re

import models

PLAIN = re.compile(r"[A-Z][A-Za-z0-9 ,;:'()-]+[.!?]")


def sentences():
    documents = [models.ROOT / "README.md", *sorted(models.ROOT.glob("docs/*.md")), *models.ROOT.glob("*/*/README.md")]
    prose = " ".join(document.read_text() for document in documents).replace("\n", " ")
    return sorted(set(PLAIN.findall(prose)))


def lines(path, count):
    """Returns `count` lines of the file, or of the documents if path is None, repeating them if there are fewer."""
    own = path.read_text().splitlines() if path else sentences()
    return list(itertools.islice(itertools.cycle(own), count))
