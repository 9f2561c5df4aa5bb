#!/usr/bin/env python3
"""Checks by PyICU what dragoman makes of plural messages.

    scripts/reference/check_icu_messages.py ./dragoman [FILE.json ...]

Makes random messages of ICU, up to three levels deep, in a JSON file, and reads files whose values are messages. For each:

- --identity must give the same bytes.
- --pseudo --to LANGUAGE must give a message that ICU reads, for German, Russian, Arabic and Japanese. Its plurals must
  have exactly the categories of the language, unless nothing in the message is translated.
- In a language with the categories of the source, the message must be formatted to the same text as its source, except
  for accents on the letters and the number of spaces.

Prints each fault. Exit status 1 if there is one.
"""
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import icu

CATEGORIES = {"zero", "one", "two", "few", "many", "other"}
ARGUMENTS = {"n": 0, "count": 0, "a": 0, "g": "male", "h": "female", "name": "X"}
WORDS = ["the", "file", "isn''t", "can't", "l'ami", "{name}", "{n, number, ::currency/EUR}", "#", "'{'x'}'",
         "'{hello you}'", "<b>bold</b>", "\n"]


def make_text(depth):
    parts = [make_argument(depth - 1) if depth and random.random() < 0.25 else random.choice(WORDS)
             for _ in range(random.randint(0, 4))]
    return random.choice([" ", " ", ""]).join(parts)


def make_argument(depth):
    kind = random.choice(["plural", "plural", "select", "selectordinal"])
    keys = ["male", "female"] if kind == "select" else ["=0", "=1", "zero", "one", "two", "few", "many"]
    keys = [key for key in keys if random.random() < 0.4] + ["other"]
    space = random.choice([" ", "\n  ", ""])
    offset = " offset:1 " if kind != "select" and random.random() < 0.15 else ""
    branches = "".join(f"{space}{key}{random.choice(['', ' '])}{{{make_text(depth)}}}" for key in keys)
    name = random.choice("gh" if kind == "select" else ["n", "count", "a"])
    return f"{{{name}, {kind},{offset}{branches}{random.choice(['', ' '])}}}"


def is_valid(message):
    try:
        icu.MessageFormat(message, icu.Locale("en"))
        return True
    except icu.ICUError:
        return False


def format_message(message, number):
    names = list(ARGUMENTS)
    values = [icu.Formattable(value if isinstance(value, str) else number) for value in ARGUMENTS.values()]
    return icu.MessageFormat(message, icu.Locale("en")).format(names, values)


def plain(text):
    """The text without accents and with single spaces."""
    text = icu.Transliterator.createInstance("NFD; [:Mn:] Remove; Latin-ASCII").transliterate(text)
    return " ".join(text.split())


def plurals_of(message):
    """Yields the kind and the selectors of each plural."""
    message = re.sub(r"''|'[{}#][^']*'", "", message)
    tokens = re.finditer(r"\{\s*\w+\s*,\s*(plural|selectordinal|select)\s*,|([\w=]+)\s*\{|\{|\}", message)
    open_braces = []  # for an argument with branches: its kind and selectors
    for token in tokens:
        if token[0] == "}":
            argument = open_braces.pop()
            if argument and argument[0] != "select":
                yield argument
        elif token[1]:
            open_braces.append((token[1], []))
        else:
            if open_braces and open_braces[-1]:
                open_braces[-1][1].append(token[2])
            open_braces.append(None)


def faults(message, made, language):
    if not is_valid(made):
        yield "is not valid"
        return
    if made == message: # nothing in it is translated
        return
    for kind, selectors in plurals_of(made):
        # Ordinal numbers have one category in these languages.
        wanted = {"other"} if kind == "selectordinal" else \
            set(icu.PluralRules.forLocale(icu.Locale(language)).getKeywords())
        if {s for s in selectors if s in CATEGORIES} != wanted:
            yield f"{kind} has {selectors}"


def translate(dragoman, path, *options):
    made = subprocess.run([dragoman, "-q", *options, "-o", "-", str(path)], capture_output=True, check=True)
    return made.stdout


def check(dragoman, path):
    source = path.read_bytes()
    messages = json.loads(source)
    count = 0
    if translate(dragoman, path, "--identity") != source:
        yield "--identity changes the file"
    for language in ["de", "ru", "ar", "ja"]:
        made = json.loads(translate(dragoman, path, "--pseudo", "--from", "en", "--to", language))
        for key, message in messages.items():
            for fault in faults(message, made[key], language):
                yield f"{language}: {message!r} {fault}: {made[key]!r}"
    made = json.loads(translate(dragoman, path, "--pseudo", "--from", "de", "--to", "en"))
    for key, message in messages.items():
        for number in (0, 1, 2, 5):
            if plain(format_message(message, number)) != plain(format_message(made[key], number)):
                yield f"with {number}, {message!r} is another text: {made[key]!r}"
                break
            count += 1
    print(f"{path.name}: {len(messages)} messages, {count} formatted texts")


def main():
    dragoman, files = sys.argv[1], [Path(name) for name in sys.argv[2:]]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        random.seed(1)
        messages = {}
        while len(messages) < 500:
            message = " ".join([make_text(1), make_argument(2), make_text(1)])
            if is_valid(message) and len(message) < 600:
                messages[f"m{len(messages)}"] = message
        made = Path(folder) / "random.json"
        made.write_text(json.dumps(messages, indent=1))
        for path in [made, *files]:
            found += check(dragoman, path)
    for fault in found[:20]:
        print(fault)
    return len(found) > 0


sys.exit(main())
