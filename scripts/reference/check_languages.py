#!/usr/bin/env python3
"""Measure how many lines of 10 words `dragoman --from auto` recognizes.

    check_languages.py [--model PATH] [--lines N] LANG=FOLDER...

FOLDER has texts in LANG: HTML pages, manual pages (*.1.gz) or plain text (*.txt) with a paragraph on each line. Consecutive
words of each paragraph make lines of 10 words, 20 characters in Chinese and Japanese, of which N are taken at random
(with a fixed seed). Translated documents contain English paragraphs, code and commands. So paragraphs with many common
English words, and those that are in the texts of en, are left out unless LANG is en, and so are lines with fewer than 9
words of letters. The model only lists
the languages that are possible; its translations are not used. Prints a table in Markdown.

docs/languages.md was made with the Debian packages installation-guide-amd64, debian-handbook and manpages-uk, -hu and
-fi of Debian 12.
"""
import argparse
import gzip
import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ENGLISH = set("the of and to is that for with be are this you can or it as by on will not have from which at your if"
              .split())
WITHOUT_SPACES = ("zh", "ja")
MARKS = ".,:;!?()[]\"«»„“”’'…–-"


class Paragraphs(html.parser.HTMLParser):
    """Collects the texts of <p> and of <div class="para">."""

    def __init__(self):
        super().__init__()
        self.found, self.parts = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "p" or (tag == "div" and ("class", "para") in attrs):
            self.parts = []

    def handle_endtag(self, tag):
        if tag in ("p", "div") and self.parts is not None:
            self.found.append(" ".join("".join(self.parts).split()))
            self.parts = None

    def handle_data(self, data):
        if self.parts is not None:
            self.parts.append(data)


def paragraphs_of_manual(text):
    lines = []
    for line in text.split("\n") + ["."]:
        if not line.startswith((".", "'")):
            lines.append(line)
        elif lines:
            yield re.sub(r"\\f\[[A-Z]*\]|\\f.|\\\(..|\\[&-]|\\[a-z]\S*", "", " ".join(lines)).replace("\\", "")
            lines = []


def paragraphs_of(path):
    if re.search(r"\.\d[a-z]*\.gz$", path.name):
        yield from paragraphs_of_manual(gzip.open(path, "rt", encoding="utf-8", errors="replace").read())
        return
    if path.suffix not in (".html", ".htm", ".txt"):
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".html", ".htm"):
        parser = Paragraphs()
        parser.feed(text)
        yield from parser.found
    elif path.suffix == ".txt":
        yield from text.split("\n")


def is_english(paragraph):
    words = [word.strip(MARKS).lower() for word in paragraph.split()]
    return sum(word in ENGLISH for word in words) > 0.12 * len(words)


def is_prose(words):
    stripped = [word.strip(MARKS) for word in words]
    return sum(bool(re.fullmatch(r"[^\W\d_]+(['’-][^\W\d_]+)*", word)) for word in stripped) >= 9


def lines_of(language, folder, english):
    """`english` has the paragraphs of the English texts."""
    seen = set()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file():
            continue
        for paragraph in paragraphs_of(path):
            if len(paragraph) <= 40 or paragraph in seen or (
                    language != "en" and (paragraph in english or is_english(paragraph))):
                continue
            seen.add(paragraph)
            if language in WITHOUT_SPACES:
                text = paragraph.replace(" ", "")
                parts = [text[i:i + 20] for i in range(0, len(text) - 19, 20)]
                yield from (part for part in parts if sum(ord(char) > 0x3000 for char in part) >= 12)
            else:
                words = paragraph.split()
                parts = [words[i:i + 10] for i in range(0, len(words) - 9, 10)]
                yield from (" ".join(part) for part in parts if is_prose(part))


def detect(program, model, lines):
    """The detected language of each line; '' if it is not recognized."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".lines") as file:
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        output = subprocess.run(
            [program, "-q", "-g", "--max-length", "2", "--no-split", "-m", model, "--from", "auto", "--to", "zu",
             "--as", "lines", "--format", "jsonl", file.name], check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line)["language"] or "" for line in output.decode("utf-8").splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="./dragoman")
    parser.add_argument("--model", default="build/golden/families/m2m100-relu", help="a model with M2M100's languages")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("texts", nargs="+", metavar="LANG=FOLDER")
    args = parser.parse_args()
    print("| language | lines | recognized | not recognized | taken for another language |\n|---|---|---|---|---|")
    rows = []
    texts = [text.split("=", 1) for text in args.texts]
    english = {paragraph for language, folder in texts if language == "en"
               for path in pathlib.Path(folder).rglob("*.html") for paragraph in paragraphs_of(path)}
    for language, folder in texts:
        lines = sorted(set(lines_of(language, folder, english)))
        if not lines:
            sys.exit(f"{folder}: no lines of 10 words")
        lines = random.Random(1).sample(lines, min(args.lines, len(lines)))
        found = detect(args.program, args.model, lines)
        others = [code for code in found if code not in ("", language)]
        names = sorted(set(others), key=lambda code: (-others.count(code), code))[:3]
        share = [100 * count / len(found) for count in (found.count(language), found.count(""), len(others))]
        most = ", ".join(f"{name} {100 * others.count(name) / len(found):.1f} %" for name in names)
        rows.append((-share[0], f"| {language} | {len(found)} | {share[0]:.1f} % | {share[1]:.1f} % | {most} |"))
    for _, row in sorted(rows):
        print(row)


if __name__ == "__main__":
    main()
