"""Writes the hostile files of docs/hostile-files.md for tests/unit/test_hostile.c.

    make_cases.py FOLDER GOLDEN DOCUMENT

FOLDER receives a folder for each case, and cases.tsv with a row for each: group, folder, exit status, arguments of the
program, and the message that it must print. GOLDEN is the folder that scripts/assemble-golden writes. The messages
are those in the tables of DOCUMENT, which must also list the functions that the pickles name. No file contains code
that does harm: the payloads would create /tmp/dragoman-was-executed.
"""

import pathlib
import re
import sys

import cases
import archives  # noqa: F401 - each of these modules adds its cases
import documents  # noqa: F401
import models  # noqa: F401
import pickles
import texts  # noqa: F401

if len(sys.argv) != 4:
    sys.exit(__doc__)
document = pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
if len(pickles.CALLED) <= 100:
    sys.exit("tests/hostile/pickles.py: names too few functions")
for name in pickles.CALLED:
    if not re.search(rf"(^|[ ,]){re.escape(name)}(,|$)", document, re.MULTILINE):
        sys.exit(f"docs/hostile-files.md: does not list {name}")
cases.write_all(*sys.argv[1:])
