"""Synthetic pairs that teach the model to copy text and to translate careless text.

Kinds: a name or a number of a pair is replaced on both sides; an address, a placeholder, an emoji or a tag is
put around or after a sentence; short sentences that contain one; upper case, title case and lower case.
"""

import re

from sources import GROUPS

NAMES = ("Tom", "Mary", "John", "Maria", "Sami", "Layla", "Ken", "Yanni", "Skura", "Ziri", "Jack", "Alice", "Bob")
FIRST = (
    "Aaliyah Abebe Adaeze Agnieszka Ahmed Aino Alejandro Amara Anders Anjali Antoine Aoife Björn Camille Chidi Chloé Dariusz "
    "Deniz Dmitri Eileen Elif Emeka Enrique Fatima Felix Freya Giulia Goran Hana Hassan Helena Henrik Hiroshi Ibrahim Ingrid "
    "Ivan Jasmin João Jörg Julia Jürgen Katarzyna Kemal Kofi Kwame Lars Leila Liam Lucía Magda Malik Marek Matteo Mei Mehmet "
    "Miguel Mohamed Nadia Naoko Niamh Nikolai Noor Olga Oluwaseun Pavel Petra Priya Rafael Ravi Rosa Samir Sanjay Siobhán Sofia "
    "Søren Stefan Sunita Svetlana Takeshi Tatjana Teresa Thabo Tomasz Uwe Valentina Wei Xavier Yusuf Yuki Zainab Zoë"
).split()
LAST = (
    "Abdullah Achebe Aguirre Andersson Bauer Becker Bianchi Brown Chen Cohen Costa Diallo Dubois Eriksen Fischer García Gupta "
    "Hoffmann Horvat Hughes Ivanov Jansen Jensen Johansson Kaplan Keller Kim Kovačević Kowalski Krüger Kumar Lange Lefebvre Li "
    "López MacDonald Martin Mbeki Meier Moreau Müller Murphy Nakamura Nguyen Nielsen Nowak O'Brien Okafor Okonkwo Olsen Osei "
    "Papadopoulos Park Patel Pereira Petrov Popescu Ramírez Rossi Sato Schmidt Schneider Schröder Silva Singh Smith Sokolov "
    "Suzuki Tanaka Tremblay van-Dijk Vasquez Virtanen Wagner Walker Wang Weber Williams Wójcik Yılmaz Zhang Zimmermann"
).split()
SYLLABLES = (
    "ba be bo bra ca che cor da del do dra fa fen fi ga gel go gra ha hel ho ja ka kel ki la len li lo ma mar mi mo na ne nor "
    "or pa pel pri ra rel ri ro sa sel sha so ta tel ti tor tra va vel vi wa wen xi ya ze zo"
).split()
WORDS = (
    "about account admin api archive assets backup blog cart catalog config contact data demo docs download en events faq feed "
    "files forum guide help home image index info install intro invoice items key lang latest list log login manual map member "
    "menu news notes order page paper photo portal post press product project public release report search server service "
    "setup shop sign start status store support team test tools topic update user video view web wiki work"
).split()
ENDINGS = "com org net de eu io info co.uk at ch fr edu gov dev app".split()
EMOJI = re.findall(r"[\U0001f1e6-\U0001f1ff]{2}|.", "😀😃😄😁😆😅😂🙂🙃😉😊😍😘😜🤔😎😢😭😡😱👍👎👏🙏💪❤💔🔥✨🎉🎂🎁⚽🏀🚗✈🚀🌍🌞🌈⭐☀☔❄🐶🐱🦊🐻🌹🍎🍕🍺☕📧📱💻🔒🔑✅❌⚠➡⬆🇩🇪🇬🇧🤷🤖👋🥳😴🤣💯")
TAGS = "b i em strong u p h1 h2 li td div span code a q small g x1 g1 bpt ph title".split()

# Sentences around something to be copied, X; Y is another one.
FRAMES = (
    ("See X for more information.", "Weitere Informationen finden Sie unter X."),
    ("For more information, visit X.", "Weitere Informationen finden Sie auf X."),
    ("Visit our website at X.", "Besuchen Sie unsere Website unter X."),
    ("The documentation is available at X.", "Die Dokumentation ist unter X verfügbar."),
    ("Download the latest version from X.", "Laden Sie die neueste Version von X herunter."),
    ("You can find the source code at X.", "Den Quellcode finden Sie unter X."),
    ("Please read X first.", "Bitte lesen Sie zuerst X."),
    ("I found this on X.", "Das habe ich auf X gefunden."),
    ("Have you seen X?", "Hast du X gesehen?"),
    ("The page X could not be found.", "Die Seite X wurde nicht gefunden."),
    ("Click on X to continue.", "Klicken Sie auf X, um fortzufahren."),
    ("Open X in your browser.", "Öffnen Sie X in Ihrem Browser."),
    ("Compare X with Y.", "Vergleichen Sie X mit Y."),
    ("According to X, this is not true.", "Laut X stimmt das nicht."),
    ("Source: X", "Quelle: X"),
    ("Link: X", "Link: X"),
)
MAIL_FRAMES = (
    ("Send an e-mail to X.", "Senden Sie eine E-Mail an X."),
    ("Please send your application to X.", "Bitte senden Sie Ihre Bewerbung an X."),
    ("You can reach me at X.", "Sie erreichen mich unter X."),
    ("My e-mail address is X.", "Meine E-Mail-Adresse ist X."),
    ("If you have any questions, write to X.", "Wenn Sie Fragen haben, schreiben Sie an X."),
    ("For questions, please contact X.", "Bei Fragen wenden Sie sich bitte an X."),
    ("A confirmation was sent to X.", "Eine Bestätigung wurde an X gesendet."),
    ("Contact: X", "Kontakt: X"),
)
PLACEHOLDER_FRAMES = (
    ("Hello X,", "Hallo X,"),
    ("Hello, X!", "Hallo, X!"),
    ("Welcome back, X!", "Willkommen zurück, X!"),
    ("Dear X,", "Liebe/r X,"),
    ("Thank you, X.", "Vielen Dank, X."),
    ("X of Y", "X von Y"),
    ("Page X of Y", "Seite X von Y"),
    ("X files were deleted.", "X Dateien wurden gelöscht."),
    ("X new messages", "X neue Nachrichten"),
    ("You have X unread messages.", "Sie haben X ungelesene Nachrichten."),
    ("Copying X to Y ...", "X wird nach Y kopiert ..."),
    ("Could not open file X: Y", "Die Datei X konnte nicht geöffnet werden: Y"),
    ("Cannot find X.", "X kann nicht gefunden werden."),
    ("Unknown option X", "Unbekannte Option X"),
    ("The value of X must be between 1 and Y.", "Der Wert von X muss zwischen 1 und Y liegen."),
    ("X is not a valid number.", "X ist keine gültige Zahl."),
    ("X must not be empty.", "X darf nicht leer sein."),
    ("Do you really want to delete X?", "Möchten Sie X wirklich löschen?"),
    ("X has invited you to Y.", "X hat Sie zu Y eingeladen."),
    ("Last changed by X on Y", "Zuletzt geändert von X am Y"),
    ("Sign in as X", "Als X anmelden"),
    ("X minutes ago", "vor X Minuten"),
    ("X days left", "noch X Tage"),
    ("Step X: Y", "Schritt X: Y"),
    ("Your order X has been shipped.", "Ihre Bestellung X wurde versandt."),
    ("Your code is X.", "Ihr Code lautet X."),
    ("Error X: Y", "Fehler X: Y"),
    ("Use X instead of Y.", "Verwenden Sie X anstelle von Y."),
    ("Set X to Y.", "Setzen Sie X auf Y."),
    ("X replaces Y.", "X ersetzt Y."),
    ("Version X is available.", "Version X ist verfügbar."),
    ("Total: X", "Gesamt: X"),
)
NUMBER_FRAMES = (
    ("The meeting takes place on N.", "Die Besprechung findet am N statt.", "date"),
    ("It was founded in N.", "Es wurde N gegründet.", "year"),
    ("He was born in N.", "Er wurde N geboren.", "year"),
    ("Between N and N, the population grew.", "Zwischen N und N wuchs die Bevölkerung.", "year"),
    ("The train leaves at N.", "Der Zug fährt um N Uhr ab.", "time"),
    ("We meet at N.", "Wir treffen uns um N Uhr.", "time"),
    ("Call me at N tomorrow.", "Ruf mich morgen um N Uhr an.", "time"),
    ("He got up at N.", "Er ist um N Uhr aufgestanden.", "time"),
    ("It is N.", "Es ist N Uhr.", "time"),
    ("The flight arrives at N.", "Der Flug kommt um N Uhr an.", "time"),
    ("The shop is open from N to N.", "Das Geschäft ist von N bis N Uhr geöffnet.", "time"),
    ("The meeting starts at N and ends at N.", "Die Besprechung beginnt um N Uhr und endet um N Uhr.", "time"),
    ("The city has N inhabitants.", "Die Stadt hat N Einwohner.", "large"),
    ("It costs N euros.", "Es kostet N Euro.", "money"),
    ("The price is €N.", "Der Preis beträgt N €.", "money"),
    ("It costs $N.", "Es kostet N Dollar.", "money"),
    ("That is N percent more than last year.", "Das sind N Prozent mehr als im letzten Jahr.", "decimal"),
    ("It rose by N%.", "Es stieg um N %.", "decimal"),
    ("About N people took part.", "Etwa N Menschen nahmen teil.", "large"),
    ("The temperature was N degrees.", "Die Temperatur betrug N Grad.", "decimal"),
    ("My phone number is N.", "Meine Telefonnummer ist N.", "phone"),
    ("Call N.", "Rufen Sie N an.", "phone"),
    ("The tower is N meters high.", "Der Turm ist N Meter hoch.", "decimal"),
    ("The area is N square kilometres.", "Die Fläche beträgt N Quadratkilometer.", "large"),
    ("They won N.", "Sie gewannen N.", "score"),
    ("The game ended N.", "Das Spiel endete N.", "score"),
)
MONTHS_EN = "January February March April May June July August September October November December".split()
MONTHS_DE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


def invented(rng):
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize()


def name(rng):
    luck = rng.random()
    if luck < 0.3:
        return invented(rng)
    if luck < 0.65:
        return rng.choice(FIRST)
    return rng.choice(FIRST) + " " + (invented(rng) if rng.random() < 0.3 else rng.choice(LAST).replace("-", " "))


def word(rng):
    return rng.choice(WORDS) if rng.random() < 0.7 else invented(rng).lower()


def host(rng):
    parts = [word(rng) + rng.choice(("", "", "-" + word(rng), str(rng.randint(1, 99)))), rng.choice(ENDINGS)]
    return rng.choice(("www.", "www.", "", word(rng) + ".")) + ".".join(parts)


def address(rng):
    """A URL, a host or a path."""
    if rng.random() < 0.25:
        return host(rng)
    path = "".join("/" + word(rng) for _ in range(rng.randint(0, 3)))
    tail = rng.choice(("", "", "/", ".html", ".php", "?id=%d" % rng.randint(1, 99999), "#" + word(rng), "/%d" % rng.randint(1, 3000),
                       "?%s=%s&%s=%d" % (word(rng), word(rng), word(rng), rng.randint(1, 99)), "_" + word(rng), ".pdf"))
    return rng.choice(("https://", "https://", "http://")) + host(rng) + path + (tail if path else "")


def mail(rng):
    luck = rng.random()
    user = word(rng) if luck < 0.5 else rng.choice(FIRST).lower() + rng.choice((".", "_", "-", "")) + rng.choice(LAST).lower()
    user = re.sub(r"[^a-z._-]", "", user) or "info"
    return user + rng.choice(("", "", str(rng.randint(1, 99)))) + "@" + host(rng).replace("www.", "")


def placeholder(rng):
    key = word(rng) + rng.choice(("", "", "_" + word(rng), word(rng).capitalize()))
    number = rng.randint(0, 9)
    return rng.choice((
        "%s", "%d", "%%%d$s" % (number + 1), "%%%d$d" % (number + 1), "{%d}" % number, "{%s}" % key, "{{%s}}" % key, "{{ %s }}" % key,
        "${%s}" % key, "%%(%s)s" % key, "%%%s%%" % key.upper(), "$%s" % key, "%" + str(number + 1), ":" + key, "[%s]" % key, "__%s__" % key,
        "@" + key, "#%d" % rng.randint(1, 9999), "<%s>" % key, "`%s`" % key, "--%s" % key, "%s()" % key, "/%s/%s" % (word(rng), word(rng)),
        "%s.%s" % (key, rng.choice(("txt", "json", "pdf", "c", "py", "xml", "csv", "jpg"))), key.upper(), "%.2f", "%u", "%i", "%ld", "%@",
    ))


def thousands(number, mark):
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", mark, str(number))


def clocks(count, rng):
    """Ascending times of day, in English and in German; in English, half of such lists have am and pm."""
    halves = rng.choice((("am", "pm"), (" am", " pm"), (" a.m.", " p.m."), (" AM", " PM"))) if rng.random() < 0.5 else None
    times = []
    for hour, minute in sorted((rng.randint(0, 23), rng.choice((0, 15, 30, 45, rng.randint(0, 59)))) for _ in range(count)):
        minutes = ":%02d" % minute if not halves or minute or rng.random() < 0.3 else ""
        german = str(hour) + minutes
        times.append((str(hour % 12 or 12) + minutes + halves[hour >= 12] if halves else german, german))
    return times


def number(kind, rng):
    """A number as the two languages write it."""
    if kind == "year":
        year = str(rng.randint(1200, 2040))
        return year, year
    if kind == "large":
        value = rng.randint(1000, 10 ** rng.randint(4, 8))
        return thousands(value, ","), thousands(value, ".")
    if kind == "money":
        value = rng.randint(1, 10 ** rng.randint(1, 6))
        cents = rng.choice(("", "", "%02d" % rng.randint(0, 99)))
        return (thousands(value, ",") + ("." + cents if cents else ""), thousands(value, ".") + ("," + cents if cents else ""))
    if kind == "decimal":
        whole, part = rng.randint(0, 400), rng.choice(("", str(rng.randint(0, 9)), "%02d" % rng.randint(0, 99)))
        return (str(whole) + ("." + part if part else ""), str(whole) + ("," + part if part else ""))
    if kind == "date":
        day, month, year = rng.randint(1, 28), rng.randrange(12), rng.randint(1900, 2040)
        english = rng.choice(("%s %d, %d" % (MONTHS_EN[month], day, year), "%d %s %d" % (day, MONTHS_EN[month], year)))
        return english, "%d. %s %d" % (day, MONTHS_DE[month], year)
    if kind == "score":
        scores = rng.randint(0, 9), rng.randint(0, 9)
        return "%d\u2013%d" % scores if rng.random() < 0.3 else "%d-%d" % scores, "%d:%d" % scores
    text = rng.choice(("+%d %d %d", "0%d/%d-%d", "(%d) %d-%d", "+%d-%d-%d")) % (rng.randint(1, 99), rng.randint(10, 999), rng.randint(1000, 9999999))
    return text, text


def filled(frames, make, rng):
    english, german = rng.choice(frames)
    x, y = make(rng), make(rng)
    return tuple(re.sub("[XY]\\b", lambda m: x if m[0] == "X" else y, text) for text in (english, german))


def numbered(rng):
    english, german, kind = rng.choice(NUMBER_FRAMES)
    count = english.count("N")
    for a, b in clocks(count, rng) if kind == "time" else [number(kind, rng) for _ in range(count)]:
        english, german = re.sub(r"\bN\b|(?<=[$€])N", a, english, count=1), re.sub(r"\bN\b", b, german, count=1)
    return english.replace("m..", "m."), german  # the full stop of a.m. or p.m. also ends the sentence


def renamed(english, german, rng):
    """Replaces a name that both sides contain by another name, or by other text to copy."""
    for old in NAMES:
        pattern = re.compile(r"\b%s\b" % old)
        if len(pattern.findall(english)) == 1 and len(pattern.findall(german)) == 1:
            new = name(rng) if rng.random() < 0.7 else placeholder(rng) if rng.random() < 0.7 else rng.choice((mail, address))(rng)
            return pattern.sub(lambda m: new, english), pattern.sub(lambda m: new, german)
    return None


def renumbered(english, german, rng):
    """Replaces the digits of numbers that are the same on both sides, unless they are times of day."""
    if re.search(r"\d ?[ap]\.?m\b", english, re.I) or "Uhr" in german:
        return None
    numbers = re.findall(r"(?<![\d.,:])\d+(?![\d.,:]*\d)", english)
    if not numbers or sorted(numbers) != sorted(re.findall(r"(?<![\d.,:])\d+(?![\d.,:]*\d)", german)) or len(set(numbers)) != len(numbers):
        return None
    new = {}
    for old in numbers:
        if old == "1":
            return None
        digits = [rng.choice("123456789")] + rng.choices("0123456789", k=len(old) - 1)
        new[old] = "".join(digits) if len(old) != 4 or rng.random() < 0.4 else str(rng.randint(1100, 2099))
    return tuple(re.sub(r"(?<![\d.,:])\d+(?![\d.,:]*\d)", lambda m: new.get(m[0], m[0]), text) for text in (english, german))


def surrounded(english, german, rng):
    """A sentence with something before, after or around it."""
    kind = rng.randrange(8)
    if kind == 0:
        emoji = "".join(rng.choices(EMOJI, k=rng.choice((1, 1, 1, 2, 3))))
        before = rng.random() < 0.2
        return tuple(emoji + " " + text if before else text + " " + emoji for text in (english, german))
    if kind == 1:
        tag = rng.choice(TAGS)
        extra = rng.choice(("", "", ' id="%d"' % rng.randint(1, 99), ' class="%s"' % word(rng), ' href="%s"' % address(rng)))
        return tuple("<%s%s>%s</%s>" % (tag, extra, text, tag) for text in (english, german))
    if kind == 2:
        thing = address(rng)
        form = rng.choice((" (%s)", " %s", " \u2013 %s", ": %s", " [%s]"))
        return tuple((text.rstrip(".") if form[0] == ":" else text) + form % thing for text in (english, german))
    if kind == 3:
        mark = rng.choice(("- ", "* ", "\u2022 ", "%d. " % rng.randint(1, 30), "%d) " % rng.randint(1, 30), "(%s) " % rng.choice("abcdef"), "> ", "# ", "## "))
        return mark + english, mark + german
    if kind == 4:
        thing = rng.choice((placeholder, placeholder, mail, name))(rng)
        return thing + ": " + english, thing + ": " + german
    if kind == 5:
        mark = rng.choice(("**%s**", "*%s*", "_%s_", "(%s)", "[%s]", "%s<br>", "%s<br/>", "\u2014 %s", "%s \u2026", "`%s`"))
        return mark % english, mark % german
    if kind == 6:
        thing = rng.choice(("#", "@")) + word(rng) + rng.choice(("", invented(rng)))
        return english + " " + thing, german + " " + thing
    thing = rng.choice((address, mail, placeholder))(rng)
    return thing + " " + english, thing + " " + german


def tagged(english, german, rng):
    """A word that both sides share, or the last word, within a tag or quotation marks."""
    shared = [w for w in re.findall(r"\b[A-Z]\w{2,}\b", english) if english.count(w) == 1 and german.count(w) == 1]
    if not shared:
        return None
    w = rng.choice(shared)
    tag = rng.choice(TAGS)
    form = rng.choice(("<%s>%%s</%s>" % (tag, tag), "**%s**", "`%s`", "[%s](" + address(rng).replace("%", "") + ")", "*%s*", '<a href="%s">%%s</a>' % address(rng).replace("%", "")))
    return english.replace(w, form % w), german.replace(w, form % w)


def upper(english, german):
    """Returns both in upper case, unless they contain something that must stay as it is."""
    return None if re.search("[%{<@]|://", english) else (english.upper(), german.upper())


SMALL = frozenset("a an the of to in on at for and or with by from as is but nor".split())


def titled(english, german, rng):
    """Returns a title-case English line; German has no title case."""
    words = english.rstrip(".").split(" ")
    keep_small = rng.random() < 0.6
    words = [w if i and keep_small and w in SMALL else w[:1].upper() + w[1:] for i, w in enumerate(words)]
    return " ".join(words), german.rstrip(".")


def careless(english, german, rng, side):
    """A source without capitals, or without its last mark."""
    pair = [english, german]
    if rng.random() < 0.6:
        pair[side] = pair[side].lower()
    if rng.random() < 0.6 and pair[0][-1:] == pair[1][-1:] == ".":
        pair = [text[:-1] for text in pair]
    return tuple(pair)


def make(rows, languages, count, rng):
    """(source, target) pairs of the rows (english, german, ...), about `count` in all."""
    side = languages[0] != "en"
    rows = [row for row in rows if GROUPS[int(row[2])] not in ("sutta", "bible")]
    plain = [row for row in rows if 2 < len(row[0].split()) < 30]
    named = [row for row in plain if any(n in row[0] and n in row[1] for n in NAMES)]
    with_numbers = [row for row in plain if re.search(r"\d", row[0])]
    capitals = [row for row in plain if re.search(r"\w [A-Z]\w\w", row[0])]
    kinds = (
        (0.11, lambda: renamed(*rng.choice(named)[:2], rng)),
        (0.09, lambda: renumbered(*rng.choice(with_numbers)[:2], rng)),
        (0.17, lambda: surrounded(*rng.choice(plain)[:2], rng)),
        (0.07, lambda: tagged(*rng.choice(capitals)[:2], rng)),
        (0.06, lambda: filled(FRAMES, address, rng)),
        (0.03, lambda: filled(MAIL_FRAMES, mail, rng)),
        (0.06, lambda: filled(PLACEHOLDER_FRAMES, placeholder, rng)),
        (0.07, lambda: numbered(rng)),
        (0.20, lambda: upper(*rng.choice(plain)[:2])),
        (0.08 if not side else 0.0, lambda: titled(*rng.choice(plain)[:2], rng)),
        (0.06, lambda: careless(*rng.choice(plain)[:2], rng, side)),
    )
    pairs, shares = [], sum(share for share, _ in kinds)
    for share, make_one in kinds:
        pairs.extend(pair for pair in (make_one() for _ in range(int(share / shares * count))) if pair)
    return [(pair[side], pair[not side]) for pair in pairs]
