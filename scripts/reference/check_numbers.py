#!/usr/bin/env python3
"""Translate made-up sentences with numbers, and count how many numbers come out right.

    check_numbers.py [-n SENTENCES] [--seed SEED] [-w FILE] DRAGOMAN FROM-TO [OPTION ...]

The sentences have whole numbers of 1 to 8 digits, decimal fractions, dates, times, money, percentages, versions, IBANs,
telephone numbers, codes and names of files. A translation is right if it has each number in one of the forms that the
language writes, or as the source has it, and no other digits. What is not right should have the flag "numbers": the
others are the silent errors. -w writes the wrong ones, with SILENT before those without the flag.
"""
import argparse
import json
import random
import re
import subprocess
import sys

MONTHS = [("January", "Januar"), ("February", "Februar"), ("March", "März"), ("April", "April"), ("May", "Mai"),
          ("June", "Juni"), ("July", "Juli"), ("August", "August"), ("September", "September"), ("October", "Oktober"),
          ("November", "November"), ("December", "Dezember")]
WORDS = {"en": "no one two three four five six seven eight nine ten eleven twelve".split(),
         "de": "kein ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()}
SPACE = r"[ \u00a0\u202f]?"


def escape(text):
    return re.escape(text).replace(r"\ ", SPACE)


def grouped(value, mark):
    return f"{value:,}".replace(",", mark)


class Slot:
    """What the two languages write for one number, and the expressions that may translate it."""

    def __init__(self, english, german, *others):
        self.texts = {"en": english, "de": german}
        self.forms = [escape(english), escape(german), *others]


def words_of(value):
    return [WORDS["en"][value], WORDS["de"][value] + r"\w*"] if value <= 12 else []


def whole(rng, digits=None):
    digits = digits or rng.randint(1, 8)
    value = rng.randint(10 ** (digits - 1) if digits > 1 else 2, 10 ** digits - 1)
    marked = value > 9999 and rng.random() < 0.5
    plain = str(value)
    english, german = (grouped(value, ","), grouped(value, ".")) if marked else (plain, plain)
    return Slot(english, german, plain, escape(grouped(value, ",")), escape(grouped(value, ".")),
                escape(grouped(value, " ")), *words_of(value))


def identifier(rng):
    return (lambda text: Slot(text, text))(str(rng.randint(1000, 99999999)))


def decimal(rng):
    value, places = rng.randint(0, 9999), rng.randint(1, 3)
    part = f"{rng.randint(1, 10 ** places - 1):0{places}d}"
    return Slot(f"{value}.{part}", f"{value},{part}", *(escape(f"{grouped(value, g)}{d}{part}") for g, d in (",.", ".,")))


def money(rng):
    value, cents = rng.choice([rng.randint(2, 999), rng.randint(1000, 2000000)]), rng.choice(["", f"{rng.randint(0, 99):02d}"])
    english = grouped(value, ",") + ("." + cents if cents else "")
    german = grouped(value, ".") + ("," + cents if cents else "")
    plain = [escape(f"{value}{mark}{cents}" if cents else str(value)) for mark in ".,"]
    if cents == "00":
        plain += [str(value), escape(grouped(value, ",")), escape(grouped(value, "."))]
    sign, name_en, name_de = rng.choice([("$", " dollars", " Dollar"), ("€", " euros", " Euro"), ("£", " pounds", " Pfund")])
    if rng.random() < 0.5:
        return Slot(sign + english, f"{german} {sign}", escape(english), escape(german), *plain)
    return Slot(english + name_en, german + name_de, escape(english), escape(german), *plain)


def percent(rng):
    value = f"{rng.randint(2, 99)}" + rng.choice(["", f".{rng.randint(1, 9)}"])
    number = "[.,]".join(map(re.escape, value.split(".")))
    return Slot(value + "%", value.replace(".", ",") + " %", number)


def date(rng):
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1900, 2030)
    style = rng.randrange(3)
    names = MONTHS[month - 1]
    long = [rf"0?{day}(?:st|nd|rd|th|\.)?(?: of)? {n},? {year}" for n in names] + [rf"{n} 0?{day}(?:st|nd|rd|th)?,? {year}" for n in names]
    short = [f"{year}-{month:02d}-{day:02d}", rf"0?{day}\. ?0?{month}\. ?{year}", rf"0?{month}/0?{day}/{year}", rf"0?{day}/0?{month}/{year}"]
    if style == 0:
        return Slot(f"{names[0]} {day}, {year}", f"{day}. {names[1]} {year}", *long)
    if style == 1:
        return Slot(f"{year}-{month:02d}-{day:02d}", f"{year}-{month:02d}-{day:02d}", *long, *short)
    return Slot(f"{day} {names[0]} {year}", f"{day}.{month}.{year}", *long, *short)


def time(rng):
    hour, minute = rng.randint(1, 23), rng.randint(0, 59)
    half = "pm" if hour >= 12 else "am"
    twelve = hour % 12 or 12
    if rng.random() < 0.25:
        minute = 0
        return Slot(f"{twelve} {half}", f"{hour} Uhr", rf"0?{twelve}(?:[:.]00)?", rf"0?{hour}(?:[:.]00)?", *words_of(twelve))
    forms = [rf"0?{h}[:.]{minute:02d}" for h in (twelve, hour)] + ([rf"0?{h}" for h in (twelve, hour)] if not minute else [])
    english = f"{twelve}:{minute:02d} {half}" if rng.random() < 0.7 else f"{hour}:{minute:02d}"
    if half not in english and hour < 12:  # may be in the afternoon
        forms.append(rf"{hour + 12}[:.]{minute:02d}")
    return Slot(english, f"{hour}:{minute:02d} Uhr", *forms)


def version(rng):
    text = ".".join(str(rng.randint(0, 30)) for _ in range(rng.randint(2, 4)))
    return Slot(text, text)


def iban(rng):
    text = rng.choice(["DE", "AT", "FR", "NL", "GB"]) + "".join(str(rng.randint(0, 9)) for _ in range(rng.choice([18, 20])))
    if rng.random() < 0.7:
        text = " ".join(text[i:i + 4] for i in range(0, len(text), 4))
    return Slot(text, text)


def phone(rng):
    part = lambda n: "".join(str(rng.randint(0, 9)) for _ in range(n))
    text = rng.choice([f"+{rng.randint(1, 99)} {part(3)} {part(7)}", f"0{part(3)}/{part(6)}", f"0{part(2)}-{part(8)}",
                       f"{part(3)}-{part(3)}-{part(4)}", f"({part(3)}) {part(3)}-{part(4)}", f"0{part(4)} {part(6)}",
                       f"+{rng.randint(1, 99)}{part(9)}", f"0{part(3)} {part(3)} {part(2)} {part(2)}"])
    return Slot(text, text)


def code(rng):
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTUVWXZ") for _ in range(rng.randint(1, 3)))
    digits = str(rng.randint(1, 99999))
    text = rng.choice([f"{letters}-{digits}", f"{letters}{digits}", f"{digits}-{letters}{rng.randint(1, 9)}", f"{letters}/{digits}"])
    return Slot(text, text)


def file_name(rng):
    name = rng.choice(["report", "bericht", "invoice", "rechnung", "photo", "plan"])
    text = rng.choice([f"{name}.pdf", f"{name}_{rng.randint(1, 99)}.docx", f"{name}-{rng.randint(1990, 2030)}.xlsx",
                       f"IMG_{rng.randint(1000, 9999)}.jpg", f"{name}{rng.randint(1, 9)}.zip"])
    return Slot(text, text)


TEMPLATES = [
    ("This is sentence number {}.", "Das ist Satz Nummer {}.", whole),
    ("There are {} people in the building.", "In dem Gebäude sind {} Menschen.", whole),
    ("The company sold {} cars last year.", "Das Unternehmen hat letztes Jahr {} Autos verkauft.", whole),
    ("He counted {} sheep and {} cows.", "Er zählte {} Schafe und {} Kühe.", whole, whole),
    ("We need {} screws for this table.", "Für diesen Tisch brauchen wir {} Schrauben.", whole),
    ("The town has {} inhabitants and {} schools.", "Die Stadt hat {} Einwohner und {} Schulen.", whole, whole),
    ("Error {} occurred while the file was being read.", "Beim Lesen der Datei trat der Fehler {} auf.", whole),
    ("Her book has {} pages.", "Ihr Buch hat {} Seiten.", whole),
    ("The train was {} minutes late.", "Der Zug hatte {} Minuten Verspätung.", whole),
    ("It is {} kilometres from here to the sea.", "Von hier bis zum Meer sind es {} Kilometer.", whole),
    ("In room {}, {} children were waiting.", "In Raum {} warteten {} Kinder.", whole, whole),
    ("Out of {} tests, {} failed.", "Von {} Tests sind {} fehlgeschlagen.", whole, whole),
    ("The order number is {}.", "Die Bestellnummer ist {}.", identifier),
    ("Your customer number {} is no longer valid.", "Ihre Kundennummer {} ist nicht mehr gültig.", identifier),
    ("Please transfer {} to account number {}.", "Bitte überweisen Sie {} auf das Konto Nummer {}.", money, identifier),
    ("The house costs {}.", "Das Haus kostet {}.", money),
    ("She paid {} for the ticket.", "Sie hat {} für die Karte bezahlt.", money),
    ("The rent rose from {} to {}.", "Die Miete stieg von {} auf {}.", money, money),
    ("Prices rose by {} in the last year.", "Die Preise stiegen im letzten Jahr um {}.", percent),
    ("Only {} of the voters took part.", "Nur {} der Wähler nahmen teil.", percent),
    ("The value fell from {} to {}.", "Der Wert fiel von {} auf {}.", percent, percent),
    ("The bottle contains {} litres of water.", "Die Flasche enthält {} Liter Wasser.", decimal),
    ("The average temperature was {} degrees.", "Die Durchschnittstemperatur betrug {} Grad.", decimal),
    ("Its length is {} metres and its width {} metres.", "Die Länge beträgt {} Meter und die Breite {} Meter.", decimal, decimal),
    ("The contract was signed on {}.", "Der Vertrag wurde am {} unterzeichnet.", date),
    ("He was born on {} in Vienna.", "Er wurde am {} in Wien geboren.", date),
    ("The offer is valid until {}.", "Das Angebot gilt bis {}.", date),
    ("The meeting starts at {}.", "Die Besprechung beginnt um {}.", time),
    ("The shop closes at {}, so hurry up!", "Das Geschäft schließt um {}, also beeil dich!", time),
    ("The train leaves at {} and arrives at {}.", "Der Zug fährt um {} ab und kommt um {} an.", time, time),
    ("Version {} fixes many problems.", "Version {} behebt viele Probleme.", version),
    ("Please install version {} or later.", "Bitte installieren Sie Version {} oder neuer.", version),
    ("My IBAN is {}.", "Meine IBAN ist {}.", iban),
    ("Transfer the money to {} by Monday.", "Überweisen Sie das Geld bis Montag auf {}.", iban),
    ("Call me at {} tomorrow.", "Rufen Sie mich morgen unter {} an.", phone),
    ("Our telephone number is {}.", "Unsere Telefonnummer ist {}.", phone),
    ("The part {} is out of stock.", "Das Teil {} ist nicht auf Lager.", code),
    ("Flight {} to Berlin has been cancelled.", "Flug {} nach Berlin wurde gestrichen.", code),
    ("Ticket {} was closed on {}.", "Das Ticket {} wurde am {} geschlossen.", code, date),
    ("Open the file {} and read it.", "Öffnen Sie die Datei {} und lesen Sie sie.", file_name),
    ("I have attached {} to this message.", "Ich habe dieser Nachricht {} angehängt.", file_name),
]


def make_sentences(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        english, german, *kinds = rng.choice(TEMPLATES)
        slots = [kind(rng) for kind in kinds]
        yield {"en": english.format(*(s.texts["en"] for s in slots)),
               "de": german.format(*(s.texts["de"] for s in slots))}, slots


def is_right(translation, slots):
    """Remove one form of each number, the longest ones first; no other digits may be left."""
    rest = translation
    for slot in sorted(slots, key=lambda s: -len(s.texts["en"])):
        matches = (re.search(rf"(?<![\w])(?<!\d[.,:])(?:{form})(?!\d|[.,:]\d)(?![A-Za-z]\w*\d)", rest, re.I) for form in slot.forms)
        best = max((m for m in matches if m), key=lambda m: m.end() - m.start(), default=None)
        if not best:
            return False
        rest = rest[:best.start()] + " # " + rest[best.end():]
    return not re.search(r"\d", rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1000, help="sentences")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-w", help="write the wrong translations to this file")
    parser.add_argument("dragoman")
    parser.add_argument("model")
    parser.add_argument("options", nargs="*")
    args, options = parser.parse_known_args()
    language = args.model.split("/")[-1].split("-")[0]
    sentences = list(make_sentences(args.n, args.seed))
    text = "".join(s[language] + "\n" for s, _ in sentences)
    run = subprocess.run([args.dragoman, "-m", args.model, "--format", "jsonl", "--confidence", "--quiet", *args.options, *options],
                         input=text, capture_output=True, text=True, check=True)
    wrong = silent = needless = 0
    with open(args.w or "/dev/null", "w", encoding="utf-8") as out:
        for line, (sentence, slots) in zip(run.stdout.splitlines(), sentences, strict=True):
            best = json.loads(line)["translations"][0]
            flagged = "numbers" in best.get("flags", [])
            if is_right(best["text"], slots):
                needless += flagged
                if flagged: out.write(f"NEEDLESS\t{sentence[language]}\t{best['text']}\n")
                continue
            wrong += 1
            silent += not flagged
            out.write(f"{'' if flagged else 'SILENT'}\t{sentence[language]}\t{best['text']}\n")
    print(f"{args.model}: {args.n} sentences, {100 * (args.n - wrong) / args.n:.1f} % right, {wrong} wrong, "
          f"{silent} of them without a flag; {needless} right ones with a flag")
    return 0


if __name__ == "__main__":
    sys.exit(main())
