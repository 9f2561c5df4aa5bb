"""The corpora by the name in the third column, with licence and group; groups have weights.

A source with the group None is left out. Sources under GPL, AGPL or GFDL are left out, also those that
mix such texts with others and do not say which text has which licence.
"""

import argparse

# everyday: small talk and dialogues; general: parliament, encyclopedia, news, law, literature; community: news and web
# pages of software projects; docs: manuals of software, and interfaces among them; sutta and bible: large, in a style
# of their own; literature: novels of the 19th and early 20th century, freely translated; interface: short texts of
# programs and games; mono: back-translated pairs; lexicon: single words, found by lexicon.py; written: sentences that
# were translated or written for these models; phrases: headlines, words and texts of programs that were written for
# them; idioms: their idioms and signs, whose words do not tell the meaning.
GROUPS = ("everyday", "general", "community", "docs", "sutta", "bible", "synthetic", "mono", "literature", "interface",
          "lexicon", "written", "phrases", "idioms")

# How often an epoch sees each pair of a group.
WEIGHTS = {
    "everyday": 2.0,
    "general": 2.0,
    "community": 1.0,
    "docs": 0.3,
    "sutta": 0.1,
    "bible": 0.05,
    "synthetic": 0.3,
    "mono": 1.0,
    "literature": 0.2,
    "interface": 1.5,
    "lexicon": 1.0,
    "written": 3.0,
    "phrases": 4.0,
    "idioms": 12.0,
}

# Monolingual text by the name in the second column (None: no second column): the share of its sentences that is used.
MONOLINGUAL = {
    # name: (share, licence)
    None: (0.6, "Bundestag speeches: § 48 UrhG; laws: § 5 UrhG; Common Voice: CC0"),
    "wikipedia-klexikon": (1.0, "CC BY-SA 3.0 and 4.0; Wikipedia and Klexikon authors"),
    "eltec-deu": (0.3, "public domain, edition CC BY 4.0; COST-ELTeC/ELTeC-deu"),
    "eltec-eng": (0.0, "public domain, edition CC BY 4.0; COST-ELTeC/ELTeC-eng"),
    "common-voice-en": (1.0, "CC0; Mozilla Common Voice"),
    "britannica-1911": (1.0, "public domain"),
    "gutenberg-nonfiction-en": (1.0, "public domain"),
    "wikinews-en": (1.0, "CC BY 2.5; Wikinews authors"),
    "cia-factbook": (1.0, "public domain; US government"),
}

SOURCES = {
    # name: (group, licence)
    "tatoeba": ("everyday", "CC BY 2.0 FR"),
    "tatoeba-manythings": ("everyday", "CC BY 2.0 FR"),
    "tatoeba-laser": ("everyday", "CC BY 2.0 FR"),
    "bcontrast-dialogues": ("everyday", "CC BY-SA 4.0"),
    "cocoa-mt": ("everyday", "CDLA-Sharing-1.0"),
    "europarl-comtrans": ("general", "European Parliament: reuse with source named"),
    "mlqe-pe-wikipedia": ("general", "CC0; English text CC BY-SA"),
    "mt-geneval": ("general", "CC BY-SA 3.0"),
    "xquad": ("general", "CC BY-SA 4.0"),
    "xc-translate": ("general", "CC BY-SA"),
    "qald9plus": ("general", "CC BY 4.0"),
    "country-list": ("general", "MIT"),
    "literature-bilinguator": ("general", "public domain"),
    "gutenberg-books": ("general", "public domain"),
    "mozilla-legal": ("general", "CC BY-SA 3.0"),
    "opendatahandbook": ("general", "CC BY 4.0"),
    "corona-warn-app": ("general", "Apache-2.0"),
    "covpass-app": ("general", "Apache-2.0"),
    "mozilla-lang": ("community", "MPL-2.0"),
    "mozilla-www": ("community", "MPL-2.0"),
    # From 2012 on MIT/Expat or GPL-2+ as one likes; earlier texts Open Publication Licence.
    "debian-www": ("community", "MIT; Open Publication Licence"),
    "debian-security": ("community", "MIT; Open Publication Licence"),
    "po-debian-www": ("community", "MIT; Open Publication Licence"),
    "opensource-guide": ("community", "CC BY 4.0"),
    "raspberrypi-projects": ("community", "CC BY-SA 4.0"),
    "bitcoin-org": ("community", "MIT"),
    "12factor": ("community", "MIT"),
    "owasp-top10": ("community", "CC BY-SA 4.0"),
    "wikipedia-android": ("community", "Apache-2.0"),
    "ms-visualstudio-docs": ("docs", "CC BY 4.0"),
    "ms-intune-docs": ("docs", "CC BY 4.0"),
    "ms-dynamics-bc-docs": ("docs", "CC BY 4.0"),
    "ms-cpp-docs": ("docs", "CC BY 4.0"),
    "ms-dotnet-docs": ("docs", "CC BY 4.0"),
    "ms-powershell-docs": ("docs", "CC BY 4.0"),
    "ms-dynamics-project-docs": ("docs", "CC BY 4.0"),
    "ms-aspnetcore-docs": ("docs", "CC BY 4.0"),
    "ms-rms-docs": ("docs", "CC BY 4.0"),
    "ms-ata-docs": ("docs", "CC BY 4.0"),
    "ms-sharepoint-docs": ("docs", "CC BY 4.0"),
    "ms-nuget-docs": ("docs", "MIT"),
    "ms-entityframework-docs": ("docs", "MIT"),
    "php-manual": ("docs", "CC BY 3.0"),
    "zend-framework-docs": ("docs", "BSD-3-Clause"),
    "rust-book": ("docs", "MIT or Apache-2.0"),
    "handbrake-docs": ("docs", "CC BY-SA 4.0"),
    "po-ubports-docs": ("docs", "CC BY-SA 4.0"),
    "po-banshee": ("docs", "MIT"),
    "po-mdn-www": ("docs", "MPL-2.0"),
    "mozilla-vpn": ("docs", "MPL-2.0"),
    "thunderbird-android": ("docs", "Apache-2.0"),
    "libreoffice-help": ("docs", "MPL-2.0; LibreOffice contributors, The Document Foundation"),
    "debian-handbook": ("docs", "CC BY-SA 3.0; R. Hertzog, R. Mas, translators"),
    "producingoss": ("docs", "CC BY-SA 3.0; Karl Fogel, Manuel Barkhau and others"),
    "react-docs": ("docs", "CC BY 4.0; Meta and contributors"),
    "monero-site": ("community", "BSD-3-Clause; The Monero Project"),
    "monero-yml": ("community", "BSD-3-Clause; The Monero Project"),
    "mozilla-www2": ("community", "MPL-2.0; Mozilla and localizers"),
    "cwa-website": ("general", "Apache-2.0; SAP, Deutsche Telekom"),
    "swiss-covid-cert": ("general", "MPL-2.0; Swiss Federal Office of Information Technology"),
    "libreoffice-ui": ("interface", "MPL-2.0; LibreOffice contributors, The Document Foundation"),
    "cataclysm-dda": ("interface", "CC BY-SA 3.0; Cataclysm: Dark Days Ahead contributors"),
    "home-assistant": ("interface", "Apache-2.0; Home Assistant contributors, Open Home Foundation"),
    "firefox-ui": ("interface", "MPL-2.0; Mozilla and localizers"),
    "chromium-ui": ("interface", "BSD-3-Clause; The Chromium Authors"),
    "openstreetmap-id": ("interface", "ISC; iD contributors, OpenStreetMap translators"),
    "superset": ("interface", "Apache-2.0; Apache Superset"),
    "django-family": ("interface", "BSD-3-Clause; Django, django CMS and Wagtail contributors"),
    "jupyterlab": ("interface", "BSD-3-Clause; Project Jupyter"),
    "gutenberg-lit": ("literature", "public domain, six editions CC BY 4.0; Project Gutenberg, COST-ELTeC/ELTeC-deu"),
    # scripts/train/written/README.md
    "wikinews-translated": ("written", "CC BY 2.5; Wikinews authors"),
    "wikipedia-translated": ("written", "CC BY-SA 3.0 and 4.0; Wikipedia and Klexikon authors"),
    "nonfiction-translated": ("written", "CC0; English text public domain in the USA"),
    "factbook-translated": ("written", "CC0; English text public domain in the USA"),
    "common-voice-translated": ("written", "CC0; Mozilla Common Voice"),
    "written-general": ("written", "CC0"),
    "written-news": ("written", "CC0"),
    "written-names": ("written", "CC0"),
    "written-senses": ("written", "CC0"),
    "written-everyday": ("written", "CC0"),
    "written-headlines": ("phrases", "CC0"),
    "written-idioms": ("idioms", "CC0"),
    "written-interface": ("phrases", "CC0"),
    "written-capitals": ("idioms", "CC0"),
    "written-words": ("phrases", "CC0"),
    "suttacentral": ("sutta", "CC0 1.0"),
    "bible-web-luth1912-elb1905": ("bible", "public domain"),
    # Left out.
    "po-gnome": (None, "programs GPL-2+ or LGPL, help CC BY-SA 3.0, not told apart"),
    "kde-docs": (None, "GFDL 1.2+ or CC BY-SA 4.0, not told apart"),
    "po-kde": (None, "GPL, LGPL, GFDL"),
    "po-zammad-docs": (None, "AGPL-3.0"),
    "po-darktable-docs": (None, "GPL-3.0"),
    "po-git": (None, "GPL-2.0"),
    "lilypond-docs": (None, "GFDL 1.3"),
    "shattered-pixel-dungeon": (None, "GPL-3.0"),
    "gnucash-docs": (None, "GFDL, GPL-2.0"),
    "po-stellarium": (None, "GPL-2.0, AGPL-3.0"),
    "scratch-l10n": (None, "AGPL-3.0"),
    "po-freeciv21": (None, "GPL-3.0"),
    "po-musicbrainz": (None, "GPL-2.0"),
    "po-linuxmint": (None, "GPL"),
    "po-phpmyadmin-docs": (None, "GPL-2.0"),
    "openfoodfacts-web": (None, "AGPL-3.0 repository, site CC BY-SA"),
    "mediawiki-ext": (None, "GPL-2.0+, translations CC BY"),
    "diaspora": (None, "AGPL-3.0"),
    "openstreetmap-www": (None, "GPL-2.0"),
    "po-unknown-horizons": (None, "GPL-2.0"),
    "po-tatoeba-ui": (None, "AGPL-3.0"),
    "ankidroid": (None, "GPL-3.0"),
    "po-xournalpp": (None, "GPL-2.0"),
    "antennapod": (None, "GPL-3.0"),
}

# The held-out sets, which steer the training.
DEV = ("everyday", "technical", "encyclopedic", "speeches", "community")


def values_option(text, convert):
    """The values of an option "group=value,..." by group."""
    values = dict(item.split("=") for item in filter(None, text.split(",")))
    if not set(values) <= set(GROUPS):
        raise argparse.ArgumentTypeError("the groups are " + ", ".join(GROUPS))
    return {name: convert(value) for name, value in values.items()}


def group_of(source):
    """Number in GROUPS of a corpus, None if it is left out."""
    group, _ = SOURCES[source]
    return None if group is None else GROUPS.index(group)
