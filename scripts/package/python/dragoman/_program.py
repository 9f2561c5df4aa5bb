"""What the package contains besides Python: the program and its models."""

from __future__ import annotations

import glob
import os
import sys
from typing import List

from ._errors import UsageError

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(FOLDER, "bin", "dragoman")
MODELS = os.path.join(FOLDER, "share", "dragoman", "models")
SUFFIX = ".safetensors"


def models() -> List[str]:
    """Returns the names of the models that come with the package."""
    paths = glob.glob(os.path.join(glob.escape(MODELS), "*" + SUFFIX))
    return sorted(os.path.basename(path)[: -len(SUFFIX)] for path in paths)


def check_encodable(what: str, text: str) -> None:
    """Raises UsageError for a text that cannot be given to the library."""
    if "\0" in text:
        raise UsageError(f"{what}: contains a NUL character")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what}: contains a lone surrogate") from None


def main() -> None:
    """Replaces this process by the program."""
    if not os.path.exists(PROGRAM):
        sys.exit(f"dragoman: {PROGRAM}: the package does not contain the program; install the wheel again")
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
