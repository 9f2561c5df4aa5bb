"""The exceptions of the module. Each has the message of the library; `index` is the number of the text that failed."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The base of all exceptions of this module."""

    #: The index of the text that could not be translated, counted from 0; None if no single text is to blame.
    index: Optional[int] = None


class FileError(Error, OSError):
    """A file cannot be found, read or mapped, or a thread cannot be started."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class FormatError(Error, ValueError):
    """A file is corrupt, or a model computes NaN or infinity for a text."""


class UnsupportedError(Error):
    """A file is valid but needs a feature that dragoman does not have."""


class UsageError(Error, ValueError):
    """An option, a text or a call does not fit the model."""


class TranslationWarning(UserWarning):
    """What the program would print about a text: numbers that differ, terms that are not translated as asked."""


def at_index(error: Error, what: str, index: int) -> Error:
    """Returns a copy of the error that names a text: `lines[3]: ...`. A single text, "" as `what`, needs no name."""
    copy = type(error)(f"{what}[{index}]: {error}" if what else str(error))
    copy.index = index
    return copy
